"""A count plus noise on the integers: half-line events of laws of any size."""
