"""The ledger as every page and table shows it: words only, made from outcomes.

A view says what the checker and the record of Coq said; no time stands in it, so equal outcomes make equal views. The
pages of this folder, the report and ``exactdp prove --show`` print views, and nothing else of a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exactdp.claims.theorems_behind import theorems_behind
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
