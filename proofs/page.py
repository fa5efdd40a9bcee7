"""The pages of the ledger, all from one view by one renderer: LEDGER.md, NOTES.md, and the ledger as one HTML file.

The templates stand beside this file. What comes from rows is escaped in the HTML, all of it; in Markdown a vertical
bar inside a cell of a table is.

The entries about the reading notes, what each says, in our own words, and what is wrong with it, are prose and stand in
entries.toml. The rows of the ledger settle them, by number; the page NOTES.md puts the two
together.

The glossary of the ledger, what its words mean, and the names that its Props use, stands in words.toml. A Prop is
printed as the Coq development states it; the names that occur most are listed with the file that defines them, and
coq/STATEMENTS.md has the rest.

The ledger as every page and table shows it: words only, made from outcomes
---------------------------------------------------------------------------

A view says what the checker and the record of Coq said; no time stands in it, so equal outcomes make equal views. The
pages of this folder, the report and ``exactdp prove --show`` print views, and nothing else of a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from exactdp.claims.theorems_behind import theorems_behind
from exactdp.evidence.levels import ACCEPTORS, LEVELS
from exactdp.mechanisms.documents import parse_toml
from exactdp.proofs import development
from exactdp.proofs.ledger import Outcome

VERDICTS: Final = ("PROVED", "REFUTED", "UNDECIDED", "prose")
"""What is said of a row; prose has no verdict."""

PRINTED: Final[Mapping[str, str]] = {
    "true": "true as printed",
    "corrected": "true once corrected",
    "false": "false as printed",
    "": "one reading of it",
}
"""How a statement reads in the notes, in a row's words -> in the page's; "" where the note does not force it."""

_ASSUMED: Final = "assumed: "
"""What begins a fact that the certificate's claim names and the checker does not check."""


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of the ledger in words; what does not apply is empty."""

    id: str
    topic: str
    verdict: str
    level: str
    is_as_recorded: bool
    expected: str
    statement: str
    domain: str
    printed: str
    notes: tuple[str, ...]
    source: str
    reading: str
    prop: str
    """What Coq's kernel accepts of it, in Coq's words."""
    theorems: str
    """What that rests on, and the axioms."""
    steps: str
    """Where the proof on paper stands that the verified steps suffice."""
    assumes: str
    """The facts that the certificate's claim names and the checker does not check."""
    rests_on: str
    """The lemmas that the checker uses."""
    accepted_by: tuple[str, ...]
    claim: str
    same_claim_as: tuple[str, ...]
    """Rows that the same certificate decides."""

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """What the pages list below the statement, by name; without the Prop, which is not prose."""
        entries = f"entry {', '.join(self.notes)}, {self.printed}" if self.notes else ""
        listed = (
            ("for", self.domain),
            ("reading" if self.verdict != "prose" else "what holds", self.reading),
            ("notes", entries),
            ("source", self.source),
            ("that the steps suffice", self.steps),
            ("kernel", self.theorems),
            ("the certificate assumes", self.assumes),
            ("the certificate rests on", self.rests_on),
            ("accepted by", ", ".join(self.accepted_by)),
            ("claim", self.claim[:12]),
            ("the same claim as", ", ".join(self.same_claim_as)),
        )
        return tuple((name, text) for name, text in listed if text)


def row_views(outcomes: Sequence[Outcome]) -> list[RowView]:
    """Return the rows as the pages show them, in their order."""
    claims: dict[str, list[str]] = {}
    for outcome in outcomes:
        claims.setdefault(_claim(outcome), []).append(outcome.row.id)
    return [_row_view(outcome, claims[_claim(outcome)]) for outcome in outcomes]


def _row_view(outcome: Outcome, sharing: Sequence[str]) -> RowView:
    row, is_prose = outcome.row, outcome.verdict is None
    stated = outcome.proposition
    return RowView(
        id=row.id,
        topic=row.topic,
        verdict="prose" if outcome.verdict is None else outcome.verdict.name,
        level=outcome.level,
        is_as_recorded=outcome.as_recorded,
        expected="" if row.expected is None else row.expected.name,
        statement=row.statement,
        domain="" if is_prose else row.domain,
        printed=PRINTED[row.as_printed or ""] if row.notes else "",
        notes=row.notes,
        source=row.source,
        reading=row.reading,
        prop="" if stated is None else stated.prop,
        theorems=_theorems(outcome),
        steps=row.steps if outcome.level == "steps" else "",
        assumes="; ".join(_fact(fact) for fact in outcome.rests_on if fact.startswith(_ASSUMED)),
        rests_on="; ".join(_fact(fact) for fact in outcome.rests_on if not fact.startswith(_ASSUMED)),
        accepted_by=outcome.accepted_by,
        claim=_claim(outcome),
        same_claim_as=() if is_prose else tuple(name for name in sharing if name != row.id),
    )


def _claim(outcome: Outcome) -> str:
    return "" if outcome.certificate is None else outcome.certificate.claim.digest()


def _theorems(outcome: Outcome) -> str:
    if outcome.proposition is None:
        return ""
    axioms = ", ".join(axiom.rpartition(".")[2] for axiom in outcome.axioms) or "none"
    behind = f", from {', '.join(outcome.row.theorems)}" if outcome.row.theorems else ""
    if outcome.proposition.is_computed:
        behind = ", computed by the proved checker"
    return f"{outcome.proposition.theorem}{behind} (axioms: {axioms})"


def _fact(fact: str) -> str:
    """A fact, with the theorems that prove it."""
    theorems = theorems_behind(fact)
    words = fact.removeprefix(_ASSUMED)
    return f"{words} (proved: {', '.join(theorems)})" if theorems else words


def by_topic(views: Sequence[RowView]) -> dict[str, list[RowView]]:
    """Return the rows of each topic, in their order."""
    views_of: dict[str, list[RowView]] = {}
    for view in views:
        views_of.setdefault(view.topic, []).append(view)
    return views_of


def by_entry(views: Sequence[RowView]) -> dict[str, list[RowView]]:
    """Return the rows that settle each entry about the notes, in the order of the entries' numbers."""
    views_of: dict[str, list[RowView]] = {}
    for view in views:
        for entry in view.notes:
            views_of.setdefault(entry, []).append(view)
    return dict(sorted(views_of.items(), key=lambda item: int(item[0])))


def summary(views: Sequence[RowView]) -> str:
    """Say how many rows there are of each verdict and level, and whether the verdicts are the recorded ones."""
    verdicts = Counter(view.verdict for view in views)
    levels = Counter(view.level for view in views)
    decided = len(views) - verdicts["prose"]
    kept = sum(view.is_as_recorded for view in views if view.verdict != "prose")
    counts = ", ".join(f"{verdicts[name]} {name}" for name in VERDICTS)
    behind = ", ".join(f"{levels[level]} {level}" for level in ("kernel", "certificate", "steps") if levels[level])
    return (
        f"{len(views)} rows: {counts}; {kept} of {decided} verdicts are as recorded. Levels of the decided rows: "
        f"{behind or 'none'}. {len(by_entry(views))} entries of the notes are settled."
    )


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
    return tuple(Entry(**entry) for entry in parse_toml(text)["entry"])


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
    listed: dict[str, list[dict[str, str]]] = parse_toml(
        files("exactdp.proofs").joinpath("words.toml").read_text(encoding="utf-8")
    )
    return listed


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
    "prove --kernel` has Coq check all of them again. The theorems of some rows are computed: they follow from the "
    "row's claim, in the words of proofs/checker/claims.v, and the kernel computes that programs of the proved checker "
    "accept it. At the level certificate the claim is the statement. At the level steps the checker verified the steps "
    "of a proof, and that they suffice is a proof on paper, at the place that the row names. A row says what is "
    "decided: the row of a false statement makes that statement, its verdict is REFUTED, and its Prop is the negation. "
    "Rows of the level prose have no verdict: no machine has decided them."
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
