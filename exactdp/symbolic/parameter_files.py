"""Randomizers with parameters from TOML and JSON files: the format of all randomizers, and an interval for each
parameter.

Probabilities are text in the grammar of :mod:`exactdp.symbolic.grammar`; docs/randomizer-files.md has the format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from exactdp.mechanisms.documents import expect_keys, number_text, read_at, read_document, refuse
from exactdp.mechanisms.randomizer_files import PARAMETERS, read_rows
from exactdp.numbers.exact import as_fraction
from exactdp.symbolic.box import Span
from exactdp.symbolic.functions_of_parameters import parameter_name

_KEYS: Final = frozenset({"row", PARAMETERS, "name", "description"})
_INTERVAL: Final = re.compile(r"([\[(])([^,]*),([^,]*)([\])])")
_REPAIR: Final = 'write gamma = ["1/10", "9/10"], or gamma = "(0, 1]" where an end does not belong to it'

Table = dict[str, dict[tuple[str, ...], "int | str"]]


def read_parametrized_table(path: str | Path) -> tuple[Table, dict[str, Span]]:
    """Return the table, its probabilities as they are written, and the box of the randomizer in the file."""
    return read_document(path, _content)


def has_parameters(path: str | Path) -> bool:
    """Whether the file is one of a randomizer with parameters, by its keys; InvalidFileError if it cannot be read."""
    return read_document(path, lambda data: isinstance(data, Mapping) and PARAMETERS in data)


def _content(data: Any) -> tuple[Table, dict[str, Span]]:
    if isinstance(data, Mapping) and PARAMETERS not in data:
        refuse("the file", "has no parameters", f"read it with exactdp.Randomizer.from_file, or add [{PARAMETERS}]")
    expect_keys(data, required={"row", PARAMETERS}, allowed=_KEYS, where="the file")
    intervals = data[PARAMETERS]
    if not isinstance(intervals, Mapping) or not intervals:
        refuse(PARAMETERS, "is no table of at least one parameter", _REPAIR)
    box = {read_at(PARAMETERS, parameter_name, name): _span(given, name) for name, given in intervals.items()}
    return read_rows(data, number_text), box


def _span(given: Any, name: str) -> Span:
    where, closed = f"{PARAMETERS}: {name}", (True, True)
    if isinstance(given, str) and (match := _INTERVAL.fullmatch(given)) is not None:
        closed = (match[1] == "[", match[4] == "]")
        given = [match[2].strip(), match[3].strip()]
    if not isinstance(given, list) or len(given) != 2:
        refuse(where, "is no interval", _REPAIR)
    texts = [number_text(end, where, key="an end") for end in given]
    low, high = (read_at(PARAMETERS, as_fraction, end, name="an end of the interval") for end in texts)
    return read_at(PARAMETERS, Span, low, high, *closed)
