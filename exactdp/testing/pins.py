"""The file of seeds that failed before: one line of JSON for each, in the project's folder, to be committed.

# Seeds that failed before; exactdp tries them first. Delete a line to forget it.
{"test": "tests/test_noise.py::test_noise", "assertion": "assert_samples_match", "seed": 5}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from exactdp.errors import InvalidFileError, InvalidValueError
from exactdp.testing.session import as_seed

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
    try:
        given: Any = json.loads(line)
        pin = Pin(**given)
        if not isinstance(pin.test, str) or not isinstance(pin.assertion, str):
            raise TypeError
        return pin._replace(seed=as_seed(pin.seed))
    except (InvalidValueError, TypeError, ValueError):
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
