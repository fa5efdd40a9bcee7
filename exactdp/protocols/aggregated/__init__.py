"""Sums in place of a shuffler: the view is how often each bit of the users' vectors is one."""
