"""The entries about the reading notes: what each says, in our own words, and what is wrong with it.

They are prose and stand in entries.toml. The rows of the ledger settle them, by number; the page NOTES.md puts the two
together.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement of the notes: its number, a title, what it says, and what is wrong with it ("" if nothing is)."""

    number: int
    title: str
    says: str
    wrong: str = ""


@lru_cache(maxsize=1)
def entries() -> tuple[Entry, ...]:
    """Return the entries in the order of their numbers.

    >>> entries()[0].title
    'The definition of a smooth law'
    """
    text = files("exactdp.proofs").joinpath("entries.toml").read_text(encoding="utf-8")
    return tuple(Entry(**entry) for entry in tomllib.loads(text)["entry"])
