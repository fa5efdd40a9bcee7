"""The pytest plugin: ``--exactdp-seed``, and seeds that failed are pinned and tried first.

It is there wherever exactdp is installed, and loads none of it before a test does. An assertion of
:mod:`exactdp.testing` that fails under a seed is remembered in the file ``exactdp-pins`` beside the project's
configuration; in later runs that assertion of that test tries this seed first. With pytest-xdist the workers report and
the controller writes.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from exactdp.errors import ExactDPError
from exactdp.testing.pins import DEFAULT_NAME, Pin, add_pins, by_assertion, read_pins
from exactdp.testing.session import MAX_SEED, SeededFailureError, Session, begin, current, end

_RANDOM: Final = "random"
_ATTRIBUTE: Final = "exactdp_pin"
"""What a report is given, so that it reaches the controller."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting."""
    parser.getgroup("exactdp", "exact privacy (exactdp)").addoption(
        "--exactdp-seed",
        metavar="SEED",
        help="seed of the draws that name none: an integer, 0 by default, or 'random' for another one each time",
    )
    parser.addini(
        "exactdp_pins",
        f"file of the seeds that failed before, from rootdir: {DEFAULT_NAME!r} by default, empty for none",
        default=DEFAULT_NAME,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin a session of draws."""
    option = config.getoption("--exactdp-seed")
    if option == _RANDOM:
        from secrets import randbelow

        option = str(randbelow(2**32))
        config.option.exactdp_seed = option  # which workers are given too
    if option is not None and not (option.isascii() and option.isdigit() and int(option) < MAX_SEED):
        raise pytest.UsageError(f"--exactdp-seed={option} is no seed. Pass an integer from 0 to 2^64 - 1, or 'random'.")
    path = _file(config)
    try:
        pins = [] if path is None else read_pins(path)
    except ExactDPError as error:
        raise pytest.UsageError(str(error)) from None
    begin(Session(seed=int(option or 0), pins=by_assertion(pins)))
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Pinning(path), "exactdp-pinning")


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the session of draws."""
    end()


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say the seed where one was asked for."""
    return None if config.getoption("--exactdp-seed") is None else f"exactdp: --exactdp-seed={current().seed}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Say which test is under way."""
    session = current()
    session.test = item.nodeid
    try:
        return (yield)
    finally:
        session.test = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the seed to the report of a test that failed with one."""
    report = yield
    failure = None if call.excinfo is None else call.excinfo.value
    if report.failed and isinstance(failure, SeededFailureError):
        setattr(report, _ATTRIBUTE, [item.nodeid, failure.assertion, failure.seed])
    return report


def _file(config: pytest.Config) -> Path | None:
    name = config.getini("exactdp_pins")
    return config.rootpath / name if name else None


class _Pinning:
    """Gathers the seeds of failures, in the one process that has all reports, and writes them."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: list[Pin] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the seed of a failure."""
        if (pin := getattr(report, _ATTRIBUTE, None)) is not None:
            self._found.append(Pin(*pin))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the pins, and say so."""
        if self._path is None or not self._found:
            return
        try:
            new = add_pins(self._path, self._found)
        except (ExactDPError, OSError) as error:
            terminalreporter.write_line(f"exactdp: no seed was pinned: {error}", yellow=True)
            return
        if new:
            seeds = "seed" if len(new) == 1 else "seeds"
            terminalreporter.write_line(f"exactdp: pinned {len(new)} {seeds} in {self._path.name}, to be tried first.")
