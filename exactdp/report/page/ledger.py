"""The rows of the ledger as the page shows them: text that is set already, and the certificate packed into the page.

A certificate is one link whose address is the compressed file itself, ``data:application/gzip;base64,...``: without a
script it saves the file, and the page's script unpacks the same bytes to show the text. All certificates of the ledger
are 2.6 MB as text and a fifteenth of that packed.
"""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

from exactdp.certificates.certificate import Certificate
from exactdp.proofs import Outcome
from exactdp.report.page.protocols import protocols_of
from exactdp.report.page.references import works
from exactdp.report.page.typesetting import typeset

__all__ = ["LEVELS", "PRINTED", "VERDICTS", "Packed", "RowView", "packed", "row_view", "source_html", "used_works"]

VERDICTS: Final = ("PROVED", "REFUTED", "UNDECIDED", "prose")
"""What the page says of a row; prose has no verdict."""

LEVELS: Final = {
    "kernel": "a theorem accepted by the Coq kernel, beside the checker’s verdict",
    "certificate": "re-checked by the standard-library checker, which rests on named lemmas only",
    "enclosure": "ball arithmetic with adaptive precision, beyond the checker’s limits",
    "none": "neither proved nor refuted",
    "prose": "notation, wording, attribution, or a bound cited from the literature; no machine has decided it",
}
"""Level of evidence -> what stands behind it."""

PRINTED: Final = {"true": "true as printed", "corrected": "true once corrected", "false": "false as printed"}

_MOST_WORDS: Final = 600

_KEY: Final = re.compile(r"\b[A-Z][A-Za-z]+[0-9]{4}[a-z]?\b")


@dataclass(frozen=True, slots=True)
class Packed:
    """A certificate inside the page: the address that holds it, and the size of its text."""

    address: str
    size: str


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of the ledger, ready to be shown."""

    id: str
    topic: str
    verdict: str
    is_as_recorded: bool
    expected: str
    level: str
    statement: Markup
    domain: Markup
    printed: str
    protocols: tuple[str, ...]
    evidence: tuple[tuple[str, Markup], ...]
    certificate: Packed | None


def row_view(outcome: Outcome) -> RowView:
    """Return a row as the page shows it; equal outcomes give equal views."""
    row = outcome.row
    is_prose = outcome.verdict is None
    return RowView(
        row.id,
        row.topic,
        "prose" if outcome.verdict is None else outcome.verdict.name,
        outcome.as_recorded,
        "" if row.expected is None else row.expected.name,
        outcome.level,
        typeset(row.statement),
        Markup("") if is_prose else typeset(row.domain),
        PRINTED.get(row.as_printed or "", ""),
        protocols_of(row.id, row.topic),
        tuple(_evidence(outcome)),
        None if outcome.certificate is None else packed(row.id, outcome.certificate),
    )


def _evidence(outcome: Outcome) -> list[tuple[str, Markup]]:
    """What stands behind a row, below its statement."""
    row, certificate = outcome.row, outcome.certificate
    entries = f"entry {', '.join(row.notes)}" if row.notes else ""
    found = [
        ("source", source_html(row.source)),
        ("notes", escape(", ".join(part for part in (entries, row.lines) if part))),
        ("what holds" if outcome.verdict is None else "reading", typeset(row.reading)),
        ("found", typeset("" if outcome.verdict is None else outcome.reason)),
        ("checker read", typeset(_beginning(outcome.checked))),
        ("rests on", typeset("; ".join(outcome.rests_on))),
        ("theorems", _theorems(outcome)),
        ("claim", escape("" if certificate is None else certificate.claim.digest())),
    ]
    return [(name, text) for name, text in found if text]


def _beginning(words: str) -> str:
    """Return words that are not too long; of a conjunction of hundreds of parts its beginning, and how long it is."""
    if len(words) <= _MOST_WORDS:
        return words
    return f"{words[:_MOST_WORDS].rsplit(' ', 1)[0]} ... ({len(words)} characters; the certificate has all of it)"


def _theorems(outcome: Outcome) -> Markup:
    if outcome.level != "kernel":
        return Markup("")
    axioms = ", ".join(axiom.rpartition(".")[2] for axiom in outcome.axioms) or "none"
    return escape(f"{', '.join(outcome.row.theorems)} (axioms: {axioms})")


def packed(name: str, certificate: Certificate) -> Packed | None:
    """Return the certificate as the page holds it; None where the checker has nothing to read."""
    if certificate.level != "certificate":
        return None
    text = certificate.to_json().encode()
    data = base64.b64encode(gzip.compress(text, 9, mtime=0)).decode()
    size = f"{len(text) / 1000:.0f} kB" if len(text) >= 9500 else f"{len(text) / 1000:.1f} kB"
    return Packed(f"data:application/gzip;base64,{data}", size)


def source_html(source: str) -> Markup:
    """Return a source with each key as a link to the list of works.

    >>> source_html("BalcerCheu2020, section 4")
    Markup('<a href="#work-BalcerCheu2020">Balcer, Cheu 2020</a>, section 4')
    """
    parts, position = [], 0
    for match in _KEY.finditer(source):
        if match[0] in works():
            link = Markup('<a href="#work-{}">{}</a>').format(match[0], works()[match[0]].short)
            parts += [escape(source[position : match.start()]), link]
            position = match.end()
    return Markup("").join([*parts, escape(source[position:])])


def used_works(sources: Sequence[str]) -> list[str]:
    """Return the keys of the works that these sources name, in the order of the alphabet."""
    return sorted({key for source in sources for key in _KEY.findall(source) if key in works()}, key=str.lower)
