"""Where one curve's error becomes smaller than another's, as the number of users grows.

Between two numbers of users at which the order of two errors is proved, and is not the same, the curves cross. The
place is narrowed by bisection on n: to one number at which the first error is proved smaller, and a larger one at which
the second is. Nothing is claimed about what lies between them, nor that the curves cross there once.

What the survey's printed table of orders says, beside what is measured
-----------------------------------------------------------------------

The table gives for each model the order of the error and of the number of messages, with constants left out. An order
is checked by a change: of n by a factor of 100, of delta to its square, of eps to its half. The printed order then says
by which factor the quantity changes in the limit, and the measured factor is that of exact or enclosed numbers at both
ends. A measured factor refutes no order, which is about limits; it says what a reader of the table would have got wrong
here.

The table's "upper bound" is an error of the sum for the central model and the shuffled ones, and of the mean for the
local one. Its row of private counting has log(1/delta)^2 where the protocol of the theorem has one logarithm.

Source: GhaziKumarManurangsiPagh2020, section 3; BalleBellGasconNissim2020.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import isqrt
from typing import Final, TypeAlias

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.progress import Progress, progress_callback, report_progress
from exactdp.studies.study_workers import silent
from exactdp.studies.survey.error_curves import LEAST, PURE, Curve, Number, Question, Row, Unanswered
from exactdp.studies.survey.measured import CURVES, Store, Survey, answer_all

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


_MORE: Final = 100
"""The factor of n: large enough that what does not grow is told from what does."""

ERROR: Final = "error"
MESSAGES: Final = "messages"
EXTRA: Final = "messages beyond one"


@dataclass(frozen=True, slots=True)
class MeasuredOrder:
    """A line: the protocol, the quantity and the change, the printed order and its factor, the measured factor.

    ``measured`` is None where one of the two ends has no answer, with the reason.
    """

    model: str
    protocol: str
    quantity: str
    change: str
    printed: str
    expected: Number
    measured: Number | None
    reason: str


@dataclass(frozen=True, slots=True)
class _Line:
    curve: str
    quantity: str
    change: str
    printed: str
    expected: Callable[[Question], Number]


def _plain(value: int | Fraction) -> Callable[[Question], Number]:
    return lambda question: Fraction(value)


def _logarithms(question: Question) -> Number:
    """ln(100 n / delta) / ln(n / delta)."""
    before, after = (Real.log(n / question.delta) for n in (question.n, _MORE * question.n))
    return enclose_real(after / before, relative_bits=DEFAULT_RELATIVE_BITS)


def _root_of_two(question: Question) -> Number:
    return enclose_real(Real.exp(Real.log(2) / 2), relative_bits=DEFAULT_RELATIVE_BITS)


_USERS: Final = "n times 100"
_DELTA: Final = "delta squared"
_EPS: Final = "eps halved"

_LINES: Final = (
    _Line("bit sums: discrete Laplace, pure", ERROR, _USERS, "O(1/eps)", _plain(1)),
    _Line("bit sums: discrete Laplace, pure", ERROR, _EPS, "O(1/eps)", _plain(2)),
    _Line(
        "bit sums: local randomized response, pure",
        ERROR,
        _USERS,
        "O(1/sqrt(n)) of the mean: sqrt(n) of the sum",
        _plain(10),
    ),
    _Line("bit sums: split and mix, least noise", ERROR, _USERS, "O(1/eps)", _plain(1)),
    _Line("bit sums: split and mix, least noise", ERROR, _EPS, "O(1/eps)", _plain(2)),
    _Line("bit sums: split and mix, least noise", MESSAGES, _USERS, "O(log(n/delta))", _logarithms),
    _Line("bit sums: correlated counting, theorem", ERROR, _USERS, "O(1/eps)", _plain(1)),
    _Line("bit sums: correlated counting, theorem", ERROR, _EPS, "O(1/eps)", _plain(2)),
    _Line("bit sums: correlated counting, theorem", EXTRA, _USERS, "O(log^2(1/delta)/n)", _plain(Fraction(1, _MORE))),
    _Line("bit sums: correlated counting, theorem", EXTRA, _DELTA, "O(log^2(1/delta)/n)", _plain(4)),
    _Line("bit sums: randomized response, least noise", ERROR, _DELTA, "Omega(sqrt(log(1/delta)))", _root_of_two),
)
"""The printed table, line by line; its row "almost central" has no entries."""


def measured_orders(question: Question, store: Store, jobs: int = 1) -> list[MeasuredOrder]:
    """Return every line of the printed table, measured from the question's n on.

    Cost: a few seconds at n = 10^4.
    """
    asked = [(line, _changed(question, line.change)) for line in _LINES]
    known = {curve.key: curve for curve in CURVES}
    start = question.at(question.n, with_privacy=False)
    work = [(known[line.curve], end) for line, changed in asked for end in (start, changed)]
    rows = answer_all(work, store, jobs)
    return [
        _measured(line, known[line.curve].model, question, [rows[known[line.curve], end] for end in (start, changed)])
        for line, changed in asked
    ]


def _changed(question: Question, change: str) -> Question:
    """Return the question after a change, about errors and messages alone."""
    plain = question.at(question.n, with_privacy=False)
    if change == _USERS:
        return replace(plain, n=_MORE * plain.n)
    return replace(plain, delta=plain.delta**2) if change == _DELTA else replace(plain, eps=plain.eps / 2)


def _measured(line: _Line, model: str, question: Question, rows: Sequence[Row | Unanswered]) -> MeasuredOrder:
    reason = next((row.reason for row in rows if isinstance(row, Unanswered)), "")
    values = [_quantity(row, line.quantity) for row in rows if isinstance(row, Row)]
    measured = None if reason or len(values) < 2 else _quotient(values[1], values[0])
    protocol = line.curve.partition(": ")[2]
    expected = line.expected(question)
    return MeasuredOrder(model, protocol, line.quantity, line.change, line.printed, expected, measured, reason)


def _quantity(row: Row, name: str) -> tuple[Fraction, Fraction]:
    low, high = fraction_ends((row.error if name == ERROR else row.messages).value)
    return (low - 1, high - 1) if name == EXTRA else (low, high)


def _quotient(after: tuple[Fraction, Fraction], before: tuple[Fraction, Fraction]) -> Number | None:
    if before[0] <= 0:
        return None
    least, most = after[0] / before[1], after[1] / before[0]
    return least if least == most else Interval.between(least, most, bits=DEFAULT_RELATIVE_BITS)
