"""The tests that wait for the long run: those that were measured to take more than 0.7 seconds of CPU.

``long_tests.txt`` beside this file lists them, one a line; each gets the marker ``slow``. So the tests that the README
runs stay below four minutes, and no test has to say so itself.

    python -m tests.long_tests

runs all tests that are not marked in their own files, one after the other on each core, and writes the list anew.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

LIST = Path(__file__).with_suffix(".txt")
SECONDS = 0.7
_MEASURED = "EXACTDP_MEASURED"
"""The environment's name for the folder that measurements are written to: then no test waits."""


def waiting() -> frozenset[str]:
    return frozenset() if _MEASURED in os.environ else frozenset(LIST.read_text("utf-8").splitlines())


def mark(items: list[pytest.Item]) -> None:
    """Mark the tests of the list."""
    listed = waiting()
    for item in items:
        if item.nodeid in listed:
            item.add_marker(pytest.mark.slow)


def _seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """As a plugin: write down what a test takes."""
    began = _seconds()
    try:
        return (yield)
    finally:
        with open(Path(os.environ[_MEASURED]) / str(os.getpid()), "a", encoding="utf-8") as log:
            log.write(f"{_seconds() - began:.3f} {item.nodeid}\n")


def main() -> None:
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.long_tests", "tests"]
        subprocess.run(command, env=os.environ | {_MEASURED: folder}, check=True)
        lines = [line.split(" ", 1) for file in Path(folder).iterdir() for line in file.read_text("utf-8").splitlines()]
    LIST.write_text("".join(f"{name}\n" for name in sorted(name for spent, name in lines if float(spent) > SECONDS)))


if __name__ == "__main__":
    main()
