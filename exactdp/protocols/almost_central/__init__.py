"""Sums with almost the error of the central model: noise that the messages of all users add up to."""
