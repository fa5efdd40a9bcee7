"""A deployment: what is asked of whom, how often, and what the whole gives away."""
