"""The checker's numbers, at precisions so low that every rounding shows."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.certificates.bare import checker
from tests.certificates.probes import PROBES

LONG = {
    "bends_of_a_curve",
    "little_work_is_done_for_little",
    "places_of_outcomes",
    "randomizers_are_bounded",
    "walked_weights",
}  # large shapes, seconds together
EACH = [pytest.param(probe, marks=[pytest.mark.slow] * (probe.__name__ in LONG)) for probe in PROBES.values()]


@pytest.mark.parametrize("probe", EACH, ids=lambda probe: probe.__name__)
def test_the_numbers_behind_the_verdicts(probe: Callable[[Any], None]) -> None:
    probe(checker())
