"""Amplification by shuffling: mean positive parts of sums of independent copies, enclosed at any number of them."""
