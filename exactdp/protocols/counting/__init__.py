"""Counts by correlated and by one-sided noise: protocols, theorems, and what the constants give away."""
