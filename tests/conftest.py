"""Settings shared by all tests."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

# What is compiled is kept beside what pytest keeps, where the environment has it not kept at all: else each worker
# compiles all tests, and each process that a test starts compiles the package.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

from hypothesis import HealthCheck, settings

from exactdp.progress import ProgressLine
from tests import long_tests

# Exact arithmetic takes as long as it takes, so no example has a deadline. A default run is deterministic: it
# fails on a change, not on luck; it is short, so that it is run. To search further:
# HYPOTHESIS_PROFILE=thorough python -m pytest tests/properties
settings.register_profile("default", max_examples=40, deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "thorough", deadline=None, max_examples=1000, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# Figures are drawn to files, whatever display the machine has.
os.environ["MPLBACKEND"] = "Agg"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the tests of ``long_tests.txt`` wait for the long run, before those that wait are left out."""
    long_tests.mark(items)


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


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Collect what is left once: pytest does so five times, and each takes half a second where all is looked at."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Look for doctests only in files of this folder that have a prompt: else each helper is searched, and loaded."""
    found = yield
    if file_path.suffix != ".py" or ">>> " in file_path.read_text(encoding="utf-8"):
        return found
    return [each for each in found if type(each).__name__ != "DoctestModule"]


class TimeToGo:
    """Says every quarter of a minute how many tests are over, and about how long the others take."""

    EVERY = 15
    """Seconds."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.done, self.said = config, 0, monotonic()
        self.line: ProgressLine | None = None
        self.session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.session = session

    def pytest_runtest_logfinish(self) -> None:
        self.done, self.line = self.done + 1, self.line or ProgressLine("tests")  # its time counts from the first test
        self.line.begin(self.done)
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if monotonic() - self.said >= self.EVERY and reporter and self.session:
            self.said = monotonic()
            reporter.ensure_newline()
            reporter.write_line(f"tests: {self.line.words(self.done, self.session.testscollected)}")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that shows the results
        config.pluginmanager.register(TimeToGo(config))
