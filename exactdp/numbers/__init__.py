"""What a number is: read exactly, once, or refused; intervals with dyadic ends and proved order only."""
