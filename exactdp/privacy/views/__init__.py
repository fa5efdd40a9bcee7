"""Views that no table states: their laws in balls, and the engines that ask them."""
