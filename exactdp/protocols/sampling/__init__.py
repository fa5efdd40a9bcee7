"""Draws of shuffled views at a cost that does not grow with the number of users, and runs of every user."""
