"""Where one curve's error becomes smaller than another's, as the number of users grows.

Between two numbers of users at which the order of two errors is proved, and is not the same, the curves cross. The
place is narrowed by bisection on n: to one number at which the first error is proved smaller, and a larger one at which
the second is. Nothing is claimed about what lies between them, nor that the curves cross there once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import isqrt
from typing import Final, TypeAlias

from exactdp.numbers.interval import fraction_ends
from exactdp.progress import Progress, progress_callback, report_progress
from exactdp.studies.study_workers import silent
from exactdp.studies.survey.error_curves import LEAST, PURE, Curve, Number, Question, Row, Unanswered
from exactdp.studies.survey.measured import Store, Survey, answer_all

USUAL_STEP: Final = Fraction(1, 5)
"""Two numbers of users that differ by a fifth are one place on a scale of seven powers of ten."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """At n = ``low`` the error of ``before`` is proved smaller, at n = ``high`` that of ``after``."""

    task: str
    before: Curve
    after: Curve
    low: int
    high: int


def order(first: Number, second: Number) -> int | None:
    """Return -1, 0 or 1 where less, equal or greater is proved, None where no order is."""
    (low, high), (least, most) = fraction_ends(first), fraction_ends(second)
    if high < least:
        return -1
    if low > most:
        return 1
    return 0 if low == high == least == most else None


def crossings(answered: Survey) -> list[Crossing]:
    """Return every change of order between neighbouring numbers of users of a survey, by task and place."""
    made = [
        crossing
        for first, second in combinations(answered.curves, 2)
        if first.task == second.task
        for crossing in _changes(answered, first, second)
    ]
    tasks = list(dict.fromkeys(curve.task for curve in answered.curves))
    return sorted(made, key=lambda one: (tasks.index(one.task), one.low))


def _changes(answered: Survey, first: Curve, second: Curve) -> Iterator[Crossing]:
    place, sign = 0, 0
    for n in answered.users:
        rows = answered.row(first, n), answered.row(second, n)
        now = _row_order(*rows)
        if not now:
            continue
        if sign and now != sign:
            before, after = (first, second) if sign == -1 else (second, first)
            yield Crossing(first.task, before, after, place, n)
        place, sign = n, now


def _row_order(first: Row | Unanswered | None, second: Row | Unanswered | None) -> int | None:
    if not isinstance(first, Row) or not isinstance(second, Row):
        return None
    return order(first.error.value, second.error.value)


def is_worth_narrowing(crossing: Crossing) -> bool:
    """Whether both curves are of the noise that is really needed: of theorems the grid says enough."""
    return {crossing.before.noise, crossing.after.noise} <= {LEAST, PURE}


def narrowed(
    answered: Survey,
    places: Sequence[Crossing],
    *,
    store: Store,
    step: Fraction = USUAL_STEP,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Crossing]:
    """Return the crossings between two numbers of users that differ by at most a part ``step``, where that is decided.

    Where the order of the two errors is proved at no number between, because their enclosures overlap, the two ends are
    those beside which it is not. All crossings are narrowed at once: curves are asked in ``jobs`` processes, and one
    number of users serves every crossing that is near it.
    """
    searches = [_search(place, step) for place in places]
    made = list(places)
    waiting = {place: next(search) for place, search in enumerate(searches)}
    with progress_callback(progress):
        while waiting:
            asked: dict[int, Question] = {}
            for place, wanted in waiting.items():
                if isinstance(wanted, Crossing):
                    made[place] = wanted
                else:
                    asked[place] = answered.question.at(wanted, with_privacy=False)
            work = [(curve, asked[place]) for place in asked for curve in _both(places[place])]
            with progress_callback(silent):
                rows = answer_all(work, store, jobs)
            waiting = {
                place: searches[place].send(_row_order(*(rows[curve, question] for curve in _both(places[place]))))
                for place, question in asked.items()
            }
            report_progress(len(places) - len(waiting), len(places))
    return made


def _both(crossing: Crossing) -> tuple[Curve, Curve]:
    """Return that which begins smaller, and the other."""
    return crossing.before, crossing.after


_Search: TypeAlias = Generator["int | Crossing", "int | None", None]
"""Asks for the order at numbers of users, and ends with the crossing."""


def _search(crossing: Crossing, step: Fraction) -> _Search:
    """Bisect for a change of order, and where the order is open in the middle for both ends of what is open."""
    low, high = crossing.low, crossing.high
    ends = [(low, high)]
    while _is_wide(low, high, step):
        middle = _between(low, high)
        sign = yield middle
        if sign == -1:
            low = middle
        elif sign == 1:
            high = middle
        else:
            ends = [(low, middle), (high, middle)]
            break
    if len(ends) == 2:
        certain = [low, high]
        for end, wanted in enumerate((-1, 1)):
            open_at = ends[end][1]
            while _is_wide(certain[end], open_at, step):
                middle = _between(certain[end], open_at)
                if (yield middle) == wanted:
                    certain[end] = middle
                else:
                    open_at = middle
        low, high = certain
    yield replace(crossing, low=low, high=high)


def _is_wide(first: int, second: int, step: Fraction) -> bool:
    low, high = sorted((first, second))
    return high - low > 1 and high > low * (1 + step)


def _between(first: int, second: int) -> int:
    """Return a number strictly between, near the geometric middle: curves that cross in one decade share it."""
    return max(isqrt(first * second), min(first, second) + 1)
