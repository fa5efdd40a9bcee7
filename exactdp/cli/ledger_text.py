"""The ledger as text for a terminal: one line a row, or a row in paragraphs. Lines break between words only."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from exactdp.cli.output import HONEST_USERS
from exactdp.cli.wrapping import terminal_width

if TYPE_CHECKING:
    from exactdp.proofs import Outcome, ProofRow
    from exactdp.proofs.view import RowView


_WIDTH_OF_A_FILE: Final = 100
"""A file has no width; editors and pages show so many characters without wrapping."""
_WIDEST: Final = 100
"""Longer lines of prose are hard to read."""
_VERDICT: Final = 9
"""The longest verdict is UNDECIDED."""
_LEVEL: Final = 11
"""The longest level is certificate."""
_FIRST_WORDS: Final = 16
"""Room for fewer characters of a statement is left empty."""
_SECONDS: Final = 8
"""Up to 99.999 s; a longer time only shifts its line."""
_INDENT: Final = "    "
"""As deep as code in Markdown."""


def decided(entries: list[dict[str, Any]]) -> list[str]:
    """Return a line a row, and the summary last."""
    widest = max(len(entry["id"]) for entry in entries)
    return [*(line for entry in entries for line in row_lines(entry, widest)), "", *summary(entries)]


def listed(rows: Sequence[ProofRow]) -> list[str]:
    """Return the rows under their topics, a line each: the recorded verdict, the level, the id, and the first words."""
    lines: list[str] = []
    for topic in dict.fromkeys(row.topic for row in rows):
        own = [row for row in rows if row.topic == topic]
        widest = max(len(row.id) for row in own)
        lines += [topic, *(line for row in own for line in _listed_row(row, widest))]
    sentence = (
        f"{len(rows)} proofs, each with its recorded verdict; `exactdp prove` runs them. "
        "`exactdp prove --show ID` says what one states."
    )
    return [*lines, "", *_wrapped(sentence)]


def _listed_row(row: ProofRow, widest: int) -> list[str]:
    verdict = "-" if row.expected is None else row.expected.name
    cells = f"{verdict:{_VERDICT}}  {row.level:{_LEVEL}}  {row.id:{widest}}"
    room = min(_width(), _WIDEST) - len(_INDENT) - len(cells) - 2
    if room < _FIRST_WORDS:
        return _wrapped(" ".join(cells.split()), _INDENT, 2 * _INDENT)
    return [f"{_INDENT}{cells}  {textwrap.shorten(row.statement, room, placeholder=' ...')}"]


def shown(outcomes: Sequence[Outcome], entries: list[dict[str, Any]]) -> list[str]:
    """Return each row as paragraphs."""
    from exactdp.proofs.view import row_views

    lines: list[str] = []
    for view, entry in zip(row_views(outcomes), entries, strict=True):
        lines += [*_paragraphs(view, entry), ""]
    return [*lines, *_wrapped(HONEST_USERS)]


def _paragraphs(view: RowView, entry: dict[str, Any]) -> list[str]:
    lines = [*_wrapped(f"{view.id}: {view.verdict}, level {view.level}"), *_deviation(entry)]
    lines += ["", *_wrapped(view.statement)]
    for name, text in view.fields:
        lines += ["", *_wrapped(f"{name}: {text}")]
    if view.prop:
        lines += ["", *_wrapped("what Coq's kernel accepts:"), *_wrapped_code(view.prop)]
    return lines


def row_lines(entry: dict[str, Any], widest: int) -> list[str]:
    """Return a row as one line, where that fits, and what was recorded of it, where it is not as recorded."""
    cells = (
        (entry["verdict"] or "-").ljust(_VERDICT),
        entry["level"].ljust(_LEVEL),
        entry["id"].ljust(widest),
        f"{entry['seconds']} s".rjust(_SECONDS),
    )
    line = "  ".join(cells)
    lines = [line] if len(line) <= _width() else _wrapped(" ".join(line.split()), "", _INDENT)
    return [*lines, *_deviation(entry)]


def _deviation(entry: dict[str, Any]) -> list[str]:
    """Say what was recorded of a row that is not as recorded, and why it is not."""
    if entry["verdict"] == entry["expected"]:
        return []
    reason = f": {entry['reason']}" if entry["reason"] else "."
    return _wrapped(f"recorded as {entry['expected']}{reason}", _INDENT)


def summary(entries: list[dict[str, Any]]) -> list[str]:
    """Say how many rows are as recorded, which levels they have, and what Coq has to do with them."""
    failed = sum(entry["verdict"] != entry["expected"] for entry in entries)
    rows = [entry for entry in entries if entry["level"] != "prose"]
    unclaimed = len(entries) - len(rows)
    prose = f" {unclaimed} {'row is' if unclaimed == 1 else 'rows are'} prose." if unclaimed else ""
    sentence = f"{len(rows) - failed} of {len(rows)} verdicts are as recorded.{prose}"
    levels = Counter(entry["level"] for entry in rows)
    counts = ", ".join(f"{many} {level}" for level, many in levels.items())
    parts = [sentence, f"Levels: {counts}." if rows else "", _kernel(entries), HONEST_USERS]
    return [line for part in parts if part for line in _wrapped(part)]


def _kernel(entries: list[dict[str, Any]]) -> str:
    """Say whether Coq has checked the rows of the level kernel here."""
    from exactdp.proofs.rebuilding import missing_programs

    kernel = [entry["kernel"] for entry in entries if entry["kernel"] is not None]
    if not kernel:
        return ""
    sentence = "1 row is a theorem" if len(kernel) == 1 else f"{len(kernel)} rows are theorems"
    sentence += " of the Coq development"
    if kernel[0]["rechecked"]:
        return f"{sentence}; what they need was compiled here and compared with the recorded axioms."
    lacking = " Coq, which this machine lacks, and" if missing_programs() else ""
    return f"{sentence}; not re-checked here: that takes{lacking} `exactdp prove --kernel`."


def _width() -> int:
    return terminal_width(sys.stdout) or _WIDTH_OF_A_FILE


def _wrapped(text: str, indent: str = "", further: str | None = None) -> list[str]:
    """Return the text in lines that break between words, and never inside one."""
    return textwrap.wrap(
        text,
        min(_width(), _WIDEST),
        initial_indent=indent,
        subsequent_indent=indent if further is None else further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrapped_code(text: str) -> list[str]:
    """Return lines of code, each of them broken between words if it is too long."""
    lines: list[str] = []
    for line in text.splitlines():
        own = _INDENT + " " * (len(line) - len(line.lstrip()))
        lines += _wrapped(line.strip(), own, own + "  ")
    return lines
