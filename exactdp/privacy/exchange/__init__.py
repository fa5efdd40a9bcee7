"""Privacy loss distributions of other packages, read exactly and written with a proved direction."""
