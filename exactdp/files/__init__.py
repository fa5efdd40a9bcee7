"""Files that are written whole or not at all, and CSV that a spreadsheet shows and does not run."""
