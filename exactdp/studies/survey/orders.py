"""What the survey's printed table of orders says, beside what is measured.

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.studies.survey.all_curves import CURVES
from exactdp.studies.survey.error_curves import Number, Question, Row, Unanswered
from exactdp.studies.survey.measured import Store, answer_all

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
