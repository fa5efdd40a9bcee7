"""The glossary of the ledger: what its words mean, and the names that its Props use.

Both stand in words.toml. A Prop is printed as the Coq development states it; the names that occur most are listed with
the file that defines them, and coq/STATEMENTS.md has the rest.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from exactdp.proofs import development


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the statements, and what it means."""

    word: str
    means: str


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the Props, the file of coq/ that defines it, and what it means, with relatives of the name."""

    name: str
    file: str
    means: str

    @property
    def path(self) -> str:
        """The file, from the folder coq/."""
        return development.files()[self.file]


@lru_cache(maxsize=1)
def _glossary() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(files("exactdp.proofs").joinpath("words.toml").read_text(encoding="utf-8"))


def words() -> tuple[Word, ...]:
    """Return the words of the statements.

    >>> words()[0].word
    "neighbours x ~ x'"
    """
    return tuple(Word(**word) for word in _glossary()["word"])


def names() -> tuple[Name, ...]:
    """Return the names in the Props.

    >>> names()[0].file
    'laws'
    """
    return tuple(Name(**name) for name in _glossary()["name"])
