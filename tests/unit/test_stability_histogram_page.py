"""What docs/stability-histogram.md shows is what the package answers."""

import doctest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "stability-histogram.md"


def test_the_examples_run() -> None:
    outcome = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert outcome.attempted == 13
    assert not outcome.failed
