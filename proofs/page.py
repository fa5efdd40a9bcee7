"""The pages of the ledger, all from one view by one renderer: LEDGER.md, NOTES.md, and the ledger as one HTML file.

The templates stand beside this file. What comes from rows is escaped in the HTML, all of it; in Markdown a vertical
bar inside a cell of a table is.

The entries about the reading notes, what each says, in our own words, and what is wrong with it, are prose and stand in
entries.toml. The rows of the ledger settle them, by number; the page NOTES.md puts the two
together.

The glossary of the ledger, what its words mean, and the names that its Props use, stands in words.toml. A Prop is
printed as the Coq development states it; the names that occur most are listed with the file that defines them, and
coq/STATEMENTS.md has the rest.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from exactdp.evidence.levels import ACCEPTORS, LEVELS
from exactdp.proofs import development
from exactdp.proofs.ledger import Outcome
from exactdp.proofs.view import PRINTED, by_entry, by_topic, row_views, summary


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


INTRODUCTION: Final = (
    "What five reading notes on shuffle privacy say, decided statement by statement, and the theorems behind them. A "
    "verdict comes from a checker that uses nothing but Python's standard library, on the certificate of the row's "
    "claim, and never from the verdict that is recorded. The level says what stands behind a row, and no more. At the "
    "level kernel Coq's kernel accepts a theorem that states the row, and the certificate may hold only steps or "
    "instances of it; proofs/coq records which theorems these are and the sources that Coq compiled, and `exactdp "
    "prove --kernel` has Coq check all of them again. The theorems of some rows are computed: their claim is the "
    "statement, in the words of proofs/checker/claims.v, and the kernel computes that the proved checker accepts it. "
    "At the level certificate the claim is the statement. At the level steps the checker verified the steps of a "
    "proof, and that they suffice is a proof on paper, at the place that the row names. A row says what is decided: "
    "the row of a false statement makes that statement, its verdict is REFUTED, and its Prop is the negation. Rows of "
    "the level prose have no verdict: no machine has decided them."
)
"""The first paragraph of the pages."""


def markdown_page(outcomes: Sequence[Outcome]) -> str:
    """Return the ledger in Markdown: the levels, one line a row, and every row with what stands behind it."""
    return _render("ledger.md.jinja", outcomes)


def notes_page(outcomes: Sequence[Outcome]) -> str:
    """Return the entries about the notes in Markdown: what is said there, what is wrong, and what settles it."""
    return _render("notes.md.jinja", outcomes)


def html_page(outcomes: Sequence[Outcome]) -> str:
    """Return the ledger as one HTML file that loads nothing."""
    return _render("ledger.html.jinja", outcomes, autoescape=True)


def _render(template: str, outcomes: Sequence[Outcome], *, autoescape: bool = False) -> str:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    text = files("exactdp.proofs").joinpath(template).read_text(encoding="utf-8")
    return environment.from_string(text).render(**_contents(outcomes))


def _contents(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    views = row_views(outcomes)
    settled = by_entry(views)
    return {
        "introduction": INTRODUCTION,
        "summary": summary(views),
        "levels": {level: words for level, words in LEVELS.items() if any(view.level == level for view in views)},
        "acceptors": {
            name: words for name, words in ACCEPTORS.items() if any(name in view.accepted_by for view in views)
        },
        "printed": PRINTED,
        "words": words(),
        "names": names(),
        "views": views,
        "topics": by_topic(views),
        "entries": [(entry, settled[str(entry.number)]) for entry in entries() if str(entry.number) in settled],
    }
