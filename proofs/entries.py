"""The entries about the reading notes: what each says, in our own words, and what is wrong with it.

The rows of the ledger settle the entries, by number; the page NOTES.md puts the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["ENTRIES", "Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement of the notes: its number, a title, what it says, and what is wrong with it ("" if nothing is)."""

    number: int
    title: str
    says: str
    wrong: str = ""


ENTRIES: Final[tuple[Entry, ...]] = ()
"""In the order of their numbers."""
