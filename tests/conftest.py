"""Settings shared by all tests."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Exact arithmetic takes as long as it takes, so no example has a deadline. A default run is deterministic: it
# fails on a change, not on luck; it is short, so that it is run. To search further:
# HYPOTHESIS_PROFILE=thorough python -m pytest tests/properties
settings.register_profile("default", max_examples=60, deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "thorough", deadline=None, max_examples=1000, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# Figures are drawn to files, whatever display the machine has.
os.environ["MPLBACKEND"] = "Agg"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among the modules and items of a run, which all stay: that took 2/5 of the collection.

    Later it is looked for less often than Python does: Hypothesis measures how long it takes, each time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(10_000)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Look for doctests only in files of this folder that have a prompt: else each helper is searched, and loaded."""
    found = yield
    if file_path.suffix != ".py" or ">>> " in file_path.read_text(encoding="utf-8"):
        return found
    return [each for each in found if type(each).__name__ != "DoctestModule"]
