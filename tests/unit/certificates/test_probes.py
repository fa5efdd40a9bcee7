"""The checker's numbers, at precisions so low that every rounding shows."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.certificates.bare import checker
from tests.certificates.probes import PROBES


@pytest.mark.parametrize("probe", PROBES.values(), ids=lambda probe: probe.__name__)
def test_the_numbers_behind_the_verdicts(probe: Callable[[Any], None]) -> None:
    probe(checker())
