"""Long lists of parameters, of which the default suite runs a part and the slow tests the rest."""

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(values: Iterable[Any], *, every: int) -> list[Any]:
    """Return the parameters; all but the first of each ``every`` are marked as slow."""
    return [
        pytest.param(*value, marks=marks) if isinstance(value, tuple) else pytest.param(value, marks=marks)
        for place, value in enumerate(values)
        for marks in [[pytest.mark.slow] * (place % every != 0)]
    ]
