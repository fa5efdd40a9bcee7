"""Which rows of the ledger are asked for, and what becomes of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from fnmatch import fnmatchcase
from time import monotonic
from typing import TYPE_CHECKING, Final

from exactdp.errors import InvalidValueError, meant
from exactdp.numbers.formats import short

if TYPE_CHECKING:
    from exactdp.proofs import Outcome, ProofRow


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
    from exactdp.claims.checks import answers
    from exactdp.proofs.ledger import compare_claim, outcome_of, prose, undecided
    from exactdp.proofs.stored import as_text, certificate_of, compare_ids

    if is_whole:
        compare_ids(chosen)
    else:
        for row in chosen:
            compare_claim(row)
    certificates = {row.id: certificate_of(row) for row in chosen if row.claim is not None}
    said = answers(list(map(as_text, certificates.values())), jobs)
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
    ids = [row.id for row in chosen]
    with nullcontext() if jobs == 1 else ProcessPoolExecutor(jobs) as executor:
        yield from map(_from_scratch, ids) if executor is None else executor.map(_from_scratch, ids)


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
