"""Frequencies beside dummy messages."""
