"""Rows of the ledger: which are asked for, what becomes of them, and their text for a terminal.

The text is one line a row, or a row in paragraphs. Lines break between words only.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from exactdp.cli.output import HONEST_USERS
from exactdp.cli.wrapping import terminal_width
from exactdp.errors import InvalidValueError, meant
from exactdp.numbers.formats import short

if TYPE_CHECKING:
    from exactdp.proofs import Outcome, ProofRow
    from exactdp.proofs.page import RowView

_GLOB: Final = frozenset("*?[")
"""Characters by which a name means several."""


def cores() -> int:
    """Return how many processes can work at the same time."""
    usable = getattr(os, "sched_getaffinity", None)  # POSIX only
    return len(usable(0)) if usable else os.cpu_count() or 1


def chosen_rows(ids: Sequence[str], topic: str | None) -> list[ProofRow]:
    """Return the rows that are asked for: in the order of ``ids``, and what one of them means in that of the ledger.

    An old id is named on stderr with the new one.
    """
    from exactdp.proofs import RENAMED, renamed, rows

    ledger = {row.id: row for row in rows()}
    known, topics = list(ledger), list(dict.fromkeys(row.topic for row in ledger.values()))
    named = dict.fromkeys(name for pattern in ids or ["*"] for name in _matching(pattern, known))
    for old in sorted(named.keys() & RENAMED.keys()):
        if RENAMED[old] not in named:
            print(renamed(old), file=sys.stderr)
    named = dict.fromkeys(RENAMED.get(name, name) for name in named)
    if topic is not None and topic not in topics:
        raise InvalidValueError(
            f"there is no topic {topic!r}. {meant(topic, topics)}The topics are {', '.join(topics)}."
        )
    chosen = [ledger[name] for name in named if topic in (None, ledger[name].topic)]
    if not chosen:
        raise InvalidValueError(f"none of the proofs {', '.join(ids)} has the topic {topic!r}. Leave out --topic.")
    return chosen


def _matching(pattern: str, known: Sequence[str]) -> list[str]:
    """Return the ids that are named, old ones among them: one or, by * and ?, several."""
    from exactdp.proofs import RENAMED

    names = [*known, *RENAMED]
    matching = [name for name in names if fnmatchcase(name, pattern)] if _GLOB & set(pattern) else []
    if matching or pattern in names:
        return matching or [pattern]
    raise InvalidValueError(
        f"there is no proof {short(pattern)!r}. {meant(pattern, known, most=3)}"
        f"`exactdp prove --list` names all {len(known)}."
    )


def outcomes_of(chosen: Sequence[ProofRow], jobs: int, *, is_whole: bool) -> Iterator[Outcome]:
    """Yield the outcomes in the order of the rows: what the checker says of their stored certificates.

    Of the whole ledger the ids of all claims are compared with those of the rows; of some rows the claims themselves.
    """
    from exactdp.claims.checks import answers, attempt
    from exactdp.proofs.ledger import compare_claim, outcome_of, prose, undecided
    from exactdp.proofs.stored import as_text, certificate_of, compare_ids
    from exactdp.studies.study_workers import Study

    if is_whole:
        compare_ids(chosen)
    else:
        for row in chosen:
            compare_claim(row)
    certificates = {row.id: certificate_of(row) for row in chosen if row.claim is not None}
    texts = list(map(as_text, certificates.values()))
    said = answers(texts, lambda pieces: Study(pieces, attempt).in_order(jobs))
    for row in chosen:
        if row.claim is None:
            yield prose(row)
            continue
        answer, seconds = next(said)
        certificate = certificates[row.id]
        if isinstance(answer, str):
            reason = f"the checker does not verify the stored certificate: {answer}"
            yield undecided(row, certificate, "none", reason, seconds)
        else:
            yield outcome_of(row, certificate, answer.result, seconds)


def outcomes_from_scratch(chosen: Sequence[ProofRow], jobs: int) -> Iterator[Outcome]:
    """Yield the outcomes in the order of the rows: each claim is stated, certified and checked anew."""
    from exactdp.studies.study_workers import Study

    return Study([row.id for row in chosen], _from_scratch).in_order(jobs)


def _from_scratch(name: str) -> Outcome:
    """Return the outcome of the row with this id; a proof that breaks decides nothing, and says how it broke."""
    from exactdp import proofs
    from exactdp.proofs.ledger import undecided

    row, began = proofs.row(name), monotonic()
    try:
        return proofs.check_from_scratch(row)
    except Exception as error:  # noqa: BLE001  one broken proof must not hide the verdicts of the others
        reason = f"{type(error).__name__}: {error}"
        return undecided(row, None, "none", reason, monotonic() - began)


def failures(outcomes: Sequence[Outcome], *, compares: bool = False) -> list[str]:
    """Return a line for each outcome that is not as recorded, or, where that is asked, not as stored."""
    from exactdp.proofs.stored import difference

    lines = []
    for outcome in outcomes:
        if compares and (said := difference(outcome.row, outcome.certificate)):
            lines.append(f"proof {outcome.row.id}: {said}. `exactdp prove --update-ledger` writes ids and certificates")
        if not outcome.as_recorded:
            verdict, expected = (None if v is None else v.name for v in (outcome.verdict, outcome.row.expected))
            reason = f": {outcome.reason}" if outcome.reason else ""
            lines.append(f"proof {outcome.row.id} is {verdict}, but recorded as {expected}{reason}")
    return [f"error: {' '.join(line.split())}" for line in lines]


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
    width = min(_width(), _WIDEST) - len(_INDENT) - len(cells) - 2
    if width < _FIRST_WORDS:
        return _wrapped(" ".join(cells.split()), _INDENT, 2 * _INDENT)
    return [f"{_INDENT}{cells}  {textwrap.shorten(row.statement, width, placeholder=' ...')}"]


def shown(outcomes: Sequence[Outcome], entries: list[dict[str, Any]]) -> list[str]:
    """Return each row as paragraphs."""
    from exactdp.proofs.page import row_views

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
    in_prose = len(entries) - len(rows)
    prose = f" {in_prose} {'row is' if in_prose == 1 else 'rows are'} prose." if in_prose else ""
    sentence = f"{len(rows) - failed} of {len(rows)} verdicts are as recorded.{prose}"
    levels = Counter(entry["level"] for entry in rows)
    counts = ", ".join(f"{many} {level}" for level, many in levels.items())
    parts = [sentence, f"Levels: {counts}." if rows else "", _kernel(entries), HONEST_USERS]
    return [line for part in parts if part for line in _wrapped(part)]


def _kernel(entries: list[dict[str, Any]]) -> str:
    """Say whether Coq has checked the rows of the level kernel here."""
    from exactdp.proofs.development import missing_programs

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
