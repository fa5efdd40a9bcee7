"""Slow and simple: what the engines must agree with. Nothing here imports an engine."""
