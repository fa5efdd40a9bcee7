"""The pytest plugin: ``--exactdp-seed``, and seeds that failed are pinned and tried first.

It is there wherever exactdp is installed, and loads none of it before a test does. An assertion of
:mod:`exactdp.testing` that fails under a seed is remembered in the file ``exactdp-pins`` beside the project's
configuration; in later runs that assertion of that test tries this seed first. With pytest-xdist the workers report and
the controller writes.

The file holds one line of JSON for each seed that failed before, and is to be committed.

# Seeds that failed before; exactdp tries them first. Delete a line to forget it.
{"test": "tests/test_noise.py::test_noise", "assertion": "assert_samples_match", "seed": 5}
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from exactdp.errors import ExactDPError, InvalidFileError, InvalidValueError
from exactdp.testing.session import MAX_SEED, SeededFailureError, Session, as_seed, begin, current, end

DEFAULT_NAME: Final = "exactdp-pins"
"""The file's name, in the folder that pytest calls rootdir."""

_HEAD: Final = "# Seeds that failed before; exactdp tries them first. Delete a line to forget it.\n"


class Pin(NamedTuple):
    """A seed under which an assertion of a test failed."""

    test: str
    assertion: str
    seed: int


def read_pins(path: Path) -> list[Pin]:
    """Return the pins of a file, in its order; none where there is no file.

    Raises:
        InvalidFileError: for a line that is no pin, with its number.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_pin(line, path, k) for k, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]


def _pin(line: str, path: Path, number: int) -> Pin:
    from exactdp.mechanisms.documents import Reader, parse_json, read_record, read_words

    seed: Reader = lambda value, where, key: as_seed(value)  # noqa: E731
    readers = {"test": read_words, "assertion": read_words, "seed": seed}
    try:
        return read_record(Pin, parse_json(line), "the line", readers)
    except InvalidValueError:
        raise InvalidFileError(
            f"{path}: line {number} is no pin. Delete it, or write "
            '{"test": "...", "assertion": "assert_samples_match", "seed": 1}.'
        ) from None


def by_assertion(pins: Iterable[Pin]) -> dict[tuple[str, str], list[int]]:
    """Return (test, assertion) -> its seeds, in their order.

    >>> by_assertion([Pin("a.py::t", "assert_not_refuted", 5), Pin("a.py::t", "assert_not_refuted", 2)])
    {('a.py::t', 'assert_not_refuted'): [5, 2]}
    """
    seeds: dict[tuple[str, str], list[int]] = {}
    for pin in pins:
        seeds.setdefault((pin.test, pin.assertion), []).append(pin.seed)
    return seeds


def add_pins(path: Path, found: Iterable[Pin]) -> list[Pin]:
    """Add pins to a file, whole or not at all, and return those that it did not have."""
    from exactdp.files.atomic_file import write_whole

    old = read_pins(path)
    new = [pin for pin in dict.fromkeys(found) if pin not in old]
    if new:
        text = path.read_text(encoding="utf-8") if path.exists() else _HEAD
        lines = (json.dumps(pin._asdict(), ensure_ascii=False) + "\n" for pin in new)
        write_whole(path, text + ("" if text.endswith("\n") or not text else "\n") + "".join(lines))
    return new


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
