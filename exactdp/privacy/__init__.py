"""What differential privacy measures: two laws in, a number out."""
