"""Claims as data, what decides them, and certificates."""
