"""What stands behind a number: the closed list of levels, and the theorems that a function rests on."""
