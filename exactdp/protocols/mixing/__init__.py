"""Sums by split and mix: shares that add up, their distance, and sums of reals rounded to them."""
