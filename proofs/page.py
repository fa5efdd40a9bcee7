"""The ledger as a page: every row with its verdict and what it rests on, and where each entry of the notes is settled.

The page is made from outcomes, so it says what the checker said; no time stands in it, and equal outcomes make equal
pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from exactdp.certificates.certificate import Verdict
from exactdp.proofs.ledger import Outcome

__all__ = ["html_page", "markdown_page"]

_PRINTED: Final = {"true": "true as printed", "corrected": "true once corrected", "false": "false as printed", None: ""}
_INTRODUCTION: Final = (
    "Every claim of five reading notes on shuffle privacy, and the theorems behind them, decided by machine: a verdict "
    "comes from the standard-library checker on the certificate of the row's claim, never from a record. A row of a "
    "statement that is false as printed claims that statement, so its verdict is REFUTED. Rows of the level prose are "
    "notation, wording, attribution or bounds cited from the literature; no machine has decided them."
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
        ("rests on", "; ".join(outcome.rests_on)),
        ("claim", certificate.claim.digest()[:12] if certificate is not None else ""),
    ]
    return [(name, value) for name, value in fields if value]


def _verdict(outcome: Outcome) -> str:
    return "prose" if outcome.verdict is None else f"{outcome.verdict.name} ({outcome.level})"


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
        printed = ", ".join(dict.fromkeys(o.row.as_printed or "" for o in rows))
        links = ", ".join(f"[{o.row.id}](#{o.row.id})" for o in rows)
        lines.append(f"| {entry} | {printed} | {links} |")
    return "\n".join(lines) + "\n"


_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
article { border-top: 1px solid #8888; padding: .5rem 0; }
dt { float: left; clear: left; width: 6rem; opacity: .75; } dd { margin: 0 0 .2rem 6.5rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
@media print { article { break-inside: avoid; } }
"""


def html_page(outcomes: Sequence[Outcome]) -> str:
    """Return the ledger as one HTML file that loads nothing."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Ledger</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body><h1>Ledger</h1>",
        f"<p>{escape(_INTRODUCTION)}</p><p>{escape(_summary(outcomes))}</p>",
    ]
    for topic, rows in _topics(outcomes).items():
        parts.append(f"<section><h2>{escape(topic)}</h2>")
        for outcome in rows:
            name = escape(outcome.row.id)
            parts.append(f'<article id="{name}"><h3>{name}</h3>')
            parts.append(f"<p><strong>{escape(_verdict(outcome))}.</strong> {escape(outcome.row.statement)}</p><dl>")
            parts += [f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in _fields(outcome)]
            parts.append("</dl></article>")
        parts.append("</section>")
    parts.append("<h2>Entries of the notes</h2><table><tr><th>entry</th><th>as printed</th><th>rows</th></tr>")
    for entry, rows in _entries(outcomes):
        printed = escape(", ".join(dict.fromkeys(o.row.as_printed or "" for o in rows)))
        links = ", ".join(f'<a href="#{escape(o.row.id)}">{escape(o.row.id)}</a>' for o in rows)
        parts.append(f"<tr><td>{escape(entry)}</td><td>{printed}</td><td>{links}</td></tr>")
    return "\n".join([*parts, "</table></body></html>"]) + "\n"
