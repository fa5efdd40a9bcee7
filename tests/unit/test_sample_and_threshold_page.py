"""What docs/sample-and-threshold.md shows is what the package answers."""

import doctest
from pathlib import Path

from exactdp.proofs import row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sample-and-threshold.md"


def test_the_examples_run() -> None:
    outcome = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert outcome.attempted == 8
    assert not outcome.failed


def test_the_rows_that_it_names_exist() -> None:
    named = ("sample-threshold-waiting-time", "sampling-no-simulation", "sampling-one-report", "sampling-equal-error")
    for name in named:
        assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
        assert row(name).id == name
