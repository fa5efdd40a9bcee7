"""Half-line events of two-message protocols beside any data set of the others, as sums over few nodes."""
