"""Properties whose examples take long: they try a part of as many as the profile of Hypothesis says."""

from hypothesis import settings


def one_in(share: int) -> settings:
    """Return settings with so many times fewer examples than the profile has: 60 by default, 1000 if thorough."""
    return settings(max_examples=-(-settings.default.max_examples // share))
