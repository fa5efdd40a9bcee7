"""Pictures of what the package computes; a float here is for the eye, and every band is rounded outward."""
