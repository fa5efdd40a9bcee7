"""Users who stay away: the number n of those who take part is random, by a law that does not depend on the data.

The user who differs takes part for sure wherever n > 0, and the number of the others, n - 1, is random; at n = 0 nobody
sends anything and the views are equal. The observer is told n: he counts it wherever every user sends equally many
messages. A data set is the input of the user who differs, and for
every n the inputs of the n - 1 others. So delta is the largest, over ordered pairs of inputs x, x', of

    sum over n >= 1 of P(n) D_n(x, x'),      D_n(x, x') = sup over the others' inputs of the divergence with n users.

If the others' inputs are random given n, as where each of many users stays away by chance, both views are mixtures with
the same weights, and the divergence, jointly convex, is not larger.

This is no model of a user who may be away himself, as :mod:`exactdp.mechanisms.absence_family` is. If each of N takes
part with probability p, by a coin of his own, there are n = 1 + Bin(N - 1, p) of them once he does: never fewer than
Bin(N, p) with the same coins. So, by *Cells*, his delta is at most what is computed here for Bin(N, p), plus (1 - p)^N;
and before his own coin at most p times that, as the views are equal where he is away.

*Ends.* Above, what bounds D_n for each n, the largest over pairs: its mean is at least the largest mean.
Below, one pair of inputs and one input v of all others, the same at every n; or, where an exact engine reaches n and
finds the pair worst, D_n itself.

*Cells.* D_n falls, or stays, as n grows: the view of n users and one more, who holds v, is the view of n users after a
message of v is added. So does the divergence with others who all hold v, by the same channel. So for
first <= n <= last each D_n is at most what bounds it at ``first``, and the divergence is at least what it is at
``last``. Nothing of the law is left out: the last cell may have no end, and then 0 stands below it. The cell whose two
products are furthest apart is halved, until the ends are as close as asked for or 32 cells have been halved.

Source: BalleBellGasconNissim2019, Theorem 5.1 (the bound at one n).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from operator import attrgetter
from typing import ClassVar, Final, NamedTuple, Protocol, TypeAlias

from exactdp.errors import TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.bracket_inverse import TwoEnded, exp_eps_range_of_enclosed_ends
from exactdp.privacy.amplification.input_pairs import Candidate, InputPairs
from exactdp.privacy.engine import Bound, DataSet, Engine, ExpEpsRange, Level
from exactdp.progress import report_progress

UsersLaw: TypeAlias = Law | LatticeLaw

_USUAL_BITS: Final = 12
"""The cells leave more than this open where n is spread."""

_EXACT_BITS: Final = 20
"""As for one number of users."""

_GUARD_BITS: Final = 2
"""Bits of each term beyond those of the sum."""

_CURVE_BITS: Final = 10
"""Accuracy of the bounds of a curve's points, whose cells leave more open."""

_CURVE_CELLS: Final = 4
"""So many first cells are kept for a curve, the last without an end: up to two deviations below the mode."""

_HALVED: Final = 32
"""Cells that are halved: each asks for two bounds of some hundredths of a second."""

_FEW: Final = 64
"""Up to so many values of n each is a cell of its own."""

_DEVIATIONS: Final = (0, 1, 2, 4, 8)
"""Standard deviations from the mode at which the first cells end."""

_MASS_BITS: Final = 64
"""Accuracy of probabilities of the law, of which differences are taken."""

_SUM_BITS: Final = 128
"""Bits of the largest term that a sum keeps."""

_FAR: Final = Real(2**64)
"""An E near infinity, for a guess."""

_ZERO: Final = Dyadic.of(0)
_ONE: Final = Dyadic.of(1)

_MEANT: Final = "in the mean over the number of users"


class ExactAt(Protocol):
    """Gives the exact engine at one n."""

    def __call__(self, users: int, /) -> Engine | None:
        """Return the engine, None where there is none or it is slow."""


class Ends(NamedTuple):
    """A lower and an upper bound of one number."""

    lower: Dyadic
    upper: Dyadic


@dataclass(frozen=True, slots=True)
class _Cell:
    """The n from ``first`` to ``last``, None for all from there on: its mass, and what bounds divergences in it."""

    first: int
    last: int | None
    mass: Ends
    above: Dyadic
    """At least D_n in the cell."""
    below: Dyadic
    """At most the chosen pair's divergence in the cell."""

    @property
    def gap(self) -> Dyadic:
        """How much it leaves open."""
        return _total([_times(self.mass.upper, self.above), -_times(self.mass.lower, self.below)], up=True)


@dataclass(frozen=True)
class RandomUsers(TwoEnded):
    """Both ends of delta in the mean over the number of users."""

    pairs: InputPairs
    law: UsersLaw
    exact_at: ExactAt
    """The exact engine at one n, where there is one."""
    twins: tuple[int, ...] = ()
    """For each input the first one that a renaming of messages exchanges with it; empty where none are known."""

    name: ClassVar[str] = "amplification in the mean over n"
    method = "takes two proved ends for every number of users, and their means over it"
    refusal = "exact masses in the mean over n are out of reach: ask for delta, epsilon and bracket."

    @property
    def usual_bits(self) -> int:
        """A relative width of 10^-6 where each n is a cell of its own, else of 2^-12."""
        return _EXACT_BITS if all(first == last for first, last in first_ranges(self.law)) else _USUAL_BITS

    @property
    def theorem(self) -> str:
        """What proves upper ends."""
        return f"{self.pairs.theorems}, {_MEANT}"

    @property
    def usual_users(self) -> int:
        """A likely number of users, at least 1."""
        if isinstance(self.law, Law):
            likely: int = max((n for n in self.law.support if n), key=self.law.prob)
            return likely
        return max(1, self.law.mode)

    def upper_bound(self, exp_eps: Fraction, relative_bits: int) -> Dyadic:
        """Return a number at least delta: few cells, because many points of the curve are asked for."""
        return _curve_point(self, exp_eps, min(relative_bits, _CURVE_BITS))

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends, as close as ``relative_bits`` asks for or the cells allow; None stands for infinity."""
        return _kept_bracket(self, exp_eps, relative_bits)

    def exp_eps_range(self, target: Fraction, relative_bits: int | None = None) -> ExpEpsRange:
        """Return two numbers with e^eps at a target delta between them; at delta = 0 those of every one n."""
        if target == 0:
            return self._at(self.usual_users).exp_eps_range(target)
        return exp_eps_range_of_enclosed_ends(self, target, relative_bits or self.usual_bits)

    def _at(self, users: int) -> Amplification:
        return Amplification(self.pairs, users)

    def mass(self, first: int, last: int | None) -> Ends:
        """Bound the probability of first <= n <= last."""
        return _mass(self.law, first, last)


@lru_cache(maxsize=4096)
def _mass(law: UsersLaw, first: int, last: int | None) -> Ends:
    """Bound the probability of first <= n <= last; the same cells are asked for at many E."""
    if isinstance(law, Law):
        exact = sum((law.prob(n) for n in law.support if n >= first and (last is None or n <= last)), Fraction(0))
        return Ends(Dyadic.below(exact, _MASS_BITS), Dyadic.above(exact, _MASS_BITS))
    if last is None or first == last:
        one = law.pmf(first, relative_bits=_MASS_BITS) if last == first else law.sf(first - 1)
        return Ends(one.lower, one.upper)
    if first > law.mode:
        more, less = (law.sf(k, relative_bits=_MASS_BITS) for k in (first - 1, last))
    else:
        more, less = (law.cdf(k, relative_bits=_MASS_BITS) for k in (last, first - 1))
    low, high = _total([more.lower, -less.upper], up=False), _total([more.upper, -less.lower], up=True)
    return Ends(max(low, _ZERO), high)


@dataclass(slots=True)
class _Question:
    """One E: the ends at each n, and the pair that stands for the lower end."""

    engine: RandomUsers
    exp_eps: Real | None
    bits: int
    is_exact: bool = True
    """Whether every n that was asked for was answered by an exact engine, with one pair of inputs worst."""
    pair: tuple[int, int] | None = None
    """Positions of the two inputs that an exact engine finds worst at a likely n."""
    others: Candidate | None = None
    """Else the pair of inputs and what all others hold."""
    events: dict[int, Bound[Interval]] = field(default_factory=dict)

    def choose(self) -> None:
        """Choose the pair at a likely n."""
        users = self.engine.usual_users
        event = self._event(users)
        if event is not None:
            self.pair = _changed(*event.pair)
        else:
            at = _FAR if self.exp_eps is None else self.exp_eps
            self.others = self.engine._at(users).lower_end(at, min(self.bits, _USUAL_BITS))[1]

    def above(self, users: int) -> Dyadic:
        """Return at least D_n for every pair of inputs."""
        event = self._event(users)
        if event is not None:
            return event.delta.upper
        amplification = self.engine._at(users)
        if self.exp_eps is None:
            return amplification.bracket(None, self.bits).upper.upper
        return amplification.upper_end(self.exp_eps, self.bits)[0].upper

    def below(self, users: int) -> Dyadic:
        """Return at most D_n of the chosen pair."""
        return max(self.divergence(users).lower, _ZERO)

    def divergence(self, users: int) -> Interval:
        """Enclose the divergence of the chosen pair, or 0 where nothing is known of it."""
        if self.others is not None:
            return self._homogeneous(self.others, users)
        event = self._event(users)
        if event is not None and (self._is_alike(event) or not event.delta.upper.mantissa):
            return event.delta
        self.is_exact = False
        return Interval(_ZERO, _ZERO)

    def _is_alike(self, event: Bound[Interval]) -> bool:
        """Whether the divergence of an event is that of the chosen pair too, because a renaming exchanges the two."""
        pair, twins = _changed(*event.pair), self.engine.twins
        if pair is None or self.pair is None or not twins:
            return pair == self.pair
        return all(twins[one] == twins[other] for one, other in zip(pair, self.pair, strict=True))

    def _homogeneous(self, candidate: Candidate, users: int) -> Interval:
        self.is_exact = False
        if self.exp_eps is None:
            return Interval.around(candidate.at(users, _FAR).limit(users), relative_bits=self.bits)
        try:
            return candidate.at(users, self.exp_eps).divergence(users, self.exp_eps, relative_bits=self.bits)
        except TooLargeError:
            return Interval(_ZERO, _ONE)

    def _event(self, users: int) -> Bound[Interval] | None:
        if users not in self.events:
            exact = self.engine.exact_at(users)
            if exact is None:
                return None
            try:
                self.events[users] = enclosed_worst(exact, self.exp_eps, self.bits)
            except TooLargeError:  # too many pairs to be compared
                return None
        return self.events[users]


def enclosed_worst(engine: Engine, exp_eps: Real | None, bits: int) -> Bound[Interval]:
    """Enclose the worst delta of an engine that is tight."""
    if engine.encloses or exp_eps is None:
        return engine.bracket(exp_eps, bits)
    low = high = exp_eps.coefficient
    if not exp_eps.is_rational:
        near = enclose_real(exp_eps, relative_bits=2 * bits)
        low, high = max(Fraction(1), near.lo), near.hi
    event = engine.worst(low)
    lower, upper = (max(Fraction(0), event.delta(end)) for end in (high, low))
    return engine.known(event.first, event.second, Interval.between(lower, upper, bits=bits + 2))


def _changed(first: DataSet, second: DataSet) -> tuple[int, int] | None:
    """Return the positions of the inputs that the user who differs holds; None if the two are one."""
    moved = [a - b for a, b in zip(first, second, strict=True)]
    return (moved.index(1), moved.index(-1)) if any(moved) else None


@lru_cache(maxsize=1024)
def _kept_bracket(engine: RandomUsers, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
    bits = relative_bits if engine.usual_bits == _EXACT_BITS else min(relative_bits, _USUAL_BITS)
    question = _Question(engine, exp_eps, bits + _GUARD_BITS)
    question.choose()
    cells = _refined(question, [_cell(question, *ends) for ends in first_ranges(engine.law)], relative_bits)
    lower = _total([_times(cell.mass.lower, cell.below) for cell in cells], up=False)
    upper = min(_total([_times(cell.mass.upper, cell.above) for cell in cells], up=True), _ONE)
    users = engine.usual_users
    if question.others is None:
        pair = question.events[users].pair
        among = _beside_the_worst(engine, question.pair)
    else:
        pair = engine._at(users).data_sets(question.others)
        table, held = question.others.table, question.others.inputs[0]
        among = f"{of_one(table.first, table.second)} beside n - 1 users who hold {held!r}, at every n"
    is_closed = question.is_exact and all(cell.first == cell.last for cell in cells)
    proof = engine.pairs.theorems
    if question.others is None:
        proof = f"exact engines where they reach, else {proof}"
    theorem = f"{'exact engines at every n' if is_closed else proof}, {_MEANT}"
    own = question.divergence(users)
    both = Interval(min(lower, upper), upper)
    low, high = (both, both) if is_closed else (Interval(both.lower, both.lower), Interval(upper, upper))
    return Bound(low, high, pair, theorem, Level.ENCLOSED if is_closed else Level.TWO_ENDS, own, among)


def _beside_the_worst(engine: RandomUsers, pair: tuple[int, int] | None) -> str:
    """Say which pair of inputs stands for the lower end."""
    if pair is None:
        return ""
    first, second = (engine.pairs.labels[place] for place in pair)
    return f"{of_one(first, second)} beside the worst other users at every n"


def of_one(first: object, second: object) -> str:
    """Say who holds a pair of inputs, and that he is there."""
    return f"the inputs {first!r} and {second!r} of a user who takes part for sure,"


@lru_cache(maxsize=4096)
def _curve_point(engine: RandomUsers, exp_eps: Fraction, bits: int) -> Dyadic:
    question, ranges = _Question(engine, Real(exp_eps), bits), first_ranges(engine.law)
    few = ranges[:_CURVE_CELLS]
    few[-1] = (few[-1][0], None)
    terms = [_times(engine.mass(first, last).upper, question.above(first)) for first, last in few]
    return min(_total(terms, up=True), _ONE)


def first_ranges(law: UsersLaw) -> list[tuple[int, int | None]]:
    """Return first and last n of cells that cover all n >= 1 of the law."""
    if isinstance(law, Law):
        values = [n for n in law.support if n >= 1]
        if len(values) <= _FEW:
            return [(n, n) for n in values]
        low, high, middle = values[0], values[-1], sum((n * law.prob(n) for n in values), Fraction(0))
        spread = sum((n * n * law.prob(n) for n in values), Fraction(0)) - middle**2
    else:
        assert law.low is not None
        low, high, middle = max(1, law.low), law.high, Fraction(law.mode)
        spread = law.variance if isinstance(law.variance, Fraction) else law.variance.hi
        if high is not None and high - low < _FEW:
            return [(n, n) for n in range(low, high + 1)]
    deviation = isqrt(int(spread)) + 1
    starts = {int(middle) + sign * steps * deviation for steps in _DEVIATIONS for sign in (-1, 1)}
    ordered = sorted({low, *(n for n in starts if low < n and (high is None or n <= high))})
    ends = [*(following - 1 for following in ordered[1:]), high]
    return list(zip(ordered, ends, strict=True))


def _cell(question: _Question, first: int, last: int | None) -> _Cell:
    below = _ZERO if last is None else question.below(last)
    return _Cell(first, last, question.engine.mass(first, last), question.above(first), below)


def _refined(question: _Question, cells: list[_Cell], relative_bits: int) -> list[_Cell]:
    """Halve the cells that leave most open."""
    for done in range(_HALVED):
        upper = _total([_times(cell.mass.upper, cell.above) for cell in cells], up=True)
        parts = [cell for cell in cells if cell.first != cell.last]
        gap = _total([cell.gap for cell in parts], up=True)
        if not parts or gap.compare(Dyadic.of(upper.mantissa, upper.exponent - relative_bits)) <= 0:
            break
        worst = max(parts, key=attrgetter("gap"))
        middle = 2 * worst.first if worst.last is None else (worst.first + worst.last) // 2
        at = cells.index(worst)
        cells[at : at + 1] = [_cell(question, worst.first, middle), _cell(question, middle + 1, worst.last)]
        report_progress(done + 1)
    return cells


def _times(one: Dyadic, other: Dyadic) -> Dyadic:
    return Dyadic.of(one.mantissa * other.mantissa, one.exponent + other.exponent)


def _total(terms: Iterable[Dyadic], *, up: bool) -> Dyadic:
    """Return the sum, rounded to a side at a small part of the largest term."""
    listed = [term for term in terms if term.mantissa]
    if not listed:
        return _ZERO
    unit = max(term.magnitude for term in listed) - _SUM_BITS
    total = 0
    for term in listed:
        shift = term.exponent - unit
        mantissa = -term.mantissa if up else term.mantissa
        total += mantissa << shift if shift >= 0 else mantissa >> min(-shift, mantissa.bit_length() + 1)
    return Dyadic.of(-total if up else total, unit)
