"""Which theorems of the Coq development stand behind the facts that the checker names.

The checker imports nothing of the package. Its files name these theorems at their top, fact by fact, and from there
they are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final

_HEAD: Final = "It rests on these facts, with their theorems of the Coq kernel:\n"
_NONE: Final = "no theorem of the kernel yet"


def facts_of(source: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the facts that the source of a file names at its top, each with its theorems."""
    for entry in re.split(r"^- ", source.split('"""')[1].partition(_HEAD)[2], flags=re.MULTILINE)[1:]:
        fact, _, theorems = " ".join(entry.split()).partition(": ")
        yield fact, () if theorems == _NONE else tuple(theorems.split(", "))


THEOREMS_BEHIND: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        fact: theorems
        for file in files("exactdp.checker").iterdir()
        if file.name.endswith(".py")
        for fact, theorems in facts_of(file.read_text(encoding="utf-8"))
        if theorems
    }
)
"""Fact, in the checker's words -> the theorems that prove it. Facts that are not here stand on docs/soundness.md."""


def theorems_behind(fact: str) -> tuple[str, ...]:
    """Return the theorems behind a fact as ``Result.facts`` words it; none where it is proved on paper only.

    >>> theorems_behind("users with equal rows are interchangeable")
    ('equal_rows.equal_rows',)
    """
    return THEOREMS_BEHIND.get(fact.removeprefix("assumed: "), ())
