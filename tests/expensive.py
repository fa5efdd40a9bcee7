"""Properties whose examples take long: they try a part of as many as the profile of Hypothesis says.

``HYPOTHESIS_PROFILE=thorough python -m pytest -m 'slow or not slow'`` tries all of them.
"""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

Cases = TypeVar("Cases", bound=Sequence[object])

_THOROUGH = 1000
"""Examples of the profile thorough."""


def one_in(share: int) -> settings:
    """Return settings with so many times fewer examples than the profile has: 40 by default, 1000 if thorough."""
    return settings(max_examples=-(-settings.default.max_examples // share))


def recorded(cases: Cases, *, every: int = 4) -> Cases:
    """Return the cases of a run that was recorded with all of them: all if thorough, else one of so many."""
    is_thorough = settings.default.max_examples >= _THOROUGH
    return cases if is_thorough else cases[::every]  # type: ignore[return-value]
