"""The stability histogram."""
