"""The ledger as a page: every row with its verdict and what it rests on, and where each entry of the notes is settled.

The page is made from outcomes, so it says what the checker said; no time stands in it, and equal outcomes make equal
pages. The HTML is in ``ledger.html.jinja``: what comes from the rows is escaped there, all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

from exactdp.certificates.certificate import Verdict
from exactdp.certificates.facts import theorems_behind
from exactdp.proofs.ledger import Outcome

__all__ = ["html_page", "markdown_page"]

_TEMPLATE: Final = "ledger.html.jinja"
_PRINTED: Final = {"true": "true as printed", "corrected": "true once corrected", "false": "false as printed", None: ""}
_INTRODUCTION: Final = (
    "Every claim of five reading notes on shuffle privacy, and the theorems behind them, decided by machine: a verdict "
    "comes from the standard-library checker on the certificate of the row's claim, never from a record. A row of a "
    "statement that is false as printed claims that statement, so its verdict is REFUTED. Rows of the level prose are "
    "notation, wording, attribution or bounds cited from the literature; no machine has decided them. The level kernel "
    "says that theorems of proofs/coq, accepted by Coq's kernel, state the whole row; the names in brackets are the "
    "theorems behind a fact that a certificate rests on."
)


def _summary(outcomes: Sequence[Outcome]) -> str:
    decided = [o for o in outcomes if o.verdict is not None]
    counts = ", ".join(
        f"{sum(o.verdict is Verdict[name] for o in decided)} {name}" for name in ("PROVED", "REFUTED", "UNDECIDED")
    )
    kept = sum(o.as_recorded for o in decided)
    entries = len({entry for o in outcomes for entry in o.row.notes})
    return (
        f"{len(outcomes)} rows: {counts}, {len(outcomes) - len(decided)} prose; {kept} of {len(decided)} verdicts are "
        f"as recorded. {entries} entries of the notes are settled."
    )


def _topics(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.row.topic, []).append(outcome)
    return found


def _entries(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome]]]:
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        for entry in outcome.row.notes:
            found.setdefault(entry, []).append(outcome)
    return sorted(found.items(), key=lambda item: int(item[0]))


def _fields(outcome: Outcome) -> list[tuple[str, str]]:
    """What the page says of a row, below its statement."""
    row, certificate = outcome.row, outcome.certificate
    notes = f"entry {', '.join(row.notes)}" if row.notes else ""
    printed = ", ".join(part for part in (notes, row.lines, _PRINTED[row.as_printed]) if part)
    fields = [
        ("for", row.domain if outcome.verdict is not None else ""),
        ("notes", printed),
        ("source", row.source),
        ("reading", row.reading),
        ("kernel", _theorems(outcome)),
        ("rests on", "; ".join(map(_fact, outcome.rests_on))),
        ("claim", certificate.claim.digest()[:12] if certificate is not None else ""),
    ]
    return [(name, value) for name, value in fields if value]


def _theorems(outcome: Outcome) -> str:
    if outcome.level != "kernel":
        return ""
    axioms = ", ".join(axiom.rpartition(".")[2] for axiom in outcome.axioms) or "none"
    return f"{', '.join(outcome.row.theorems)} (axioms: {axioms})"


def _fact(fact: str) -> str:
    """A fact, with the theorems that prove it."""
    theorems = theorems_behind(fact)
    return f"{fact} [{', '.join(theorems)}]" if theorems else fact


def _verdict(outcome: Outcome) -> str:
    return "prose" if outcome.verdict is None else f"{outcome.verdict.name} ({outcome.level})"


def _all_printed(rows: Sequence[Outcome]) -> str:
    return ", ".join(dict.fromkeys(outcome.row.as_printed or "" for outcome in rows))


def markdown_page(outcomes: Sequence[Outcome]) -> str:
    """Return the ledger in Markdown."""
    lines = ["# Ledger", "", _INTRODUCTION, "", _summary(outcomes), ""]
    for topic, rows in _topics(outcomes).items():
        lines += [f"## {topic}", ""]
        for outcome in rows:
            lines += [f"### {outcome.row.id}", "", f"**{_verdict(outcome)}.** {outcome.row.statement}", ""]
            lines += [f"- {name}: {value}" for name, value in _fields(outcome)] + [""]
    lines += ["## Entries of the notes", "", "| entry | as printed | rows |", "| --- | --- | --- |"]
    for entry, rows in _entries(outcomes):
        printed = _all_printed(rows)
        links = ", ".join(f"[{o.row.id}](#{o.row.id})" for o in rows)
        lines.append(f"| {entry} | {printed} | {links} |")
    return "\n".join(lines) + "\n"


def html_page(outcomes: Sequence[Outcome]) -> str:
    """Return the ledger as one HTML file that loads nothing."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = environment.from_string(files("exactdp.proofs").joinpath(_TEMPLATE).read_text(encoding="utf-8"))
    return template.render(
        introduction=_INTRODUCTION,
        summary=_summary(outcomes),
        topics=[{"name": name, "rows": list(map(_row, rows))} for name, rows in _topics(outcomes).items()],
        entries=[
            {"number": entry, "printed": _all_printed(rows), "ids": [outcome.row.id for outcome in rows]}
            for entry, rows in _entries(outcomes)
        ],
    )


def _row(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": outcome.row.id,
        "verdict": _verdict(outcome),
        "statement": outcome.row.statement,
        "fields": _fields(outcome),
    }
