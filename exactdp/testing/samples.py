"""Does a sampler draw from a law? Tests against exact probabilities, for a CI that does not flicker.

Two kinds of statistics are looked at, each against its exact law or a bound that holds for every sample size:

- *G-test*: the outcomes fall into k cells of exact probabilities p, and n KL(empirical || p) is compared with
  P[n KL >= t] <= (e t / (k-1))^(k-1) e^-t for t > k-1. It holds for every n and p, because
  E[e^(s n KL)] <= (1-s)^-(k-1) for 0 <= s < 1, at s = 1 - (k-1)/t.
- *Tail events* {Y <= q}, for q from the middle to the far tails: how many draws fall into one is binomial, and its two
  tails are enclosed.

Nothing is rounded but outward: a sampler is failed only where the bound is proved to be below its share of the false
alarm, so that a right sampler fails with at most that probability.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import accumulate, pairwise
from math import isqrt
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from exactdp.errors import InvalidValueError
from exactdp.kernel.balls import log_interval
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval

if TYPE_CHECKING:
    from numpy.random import Generator


Mass: TypeAlias = tuple[int, int]
"""Lower and upper bound of a probability, in units of 2^-192."""

_UNIT: Final = 192
"""Probabilities are in units of 2 to minus this: far below any false alarm that is asked for."""

_ONE: Final = 1 << _UNIT
"""The probability 1."""

_BITS: Final = 64
"""Accuracy of logarithms and statistics."""

_TAIL_BITS: Final = 24
"""Accuracy of the tail that says how unlikely a count is: enough for the six digits that are shown."""

_MOST_CELLS: Final = (16, 256)
"""Each G-test merges neighbouring outcomes until there are at most so many cells."""
_LEAST_EXPECTED: Final = 10
"""The expected count of every cell but a last one is at least this."""
_STEPS: Final = (*range(17), 20, 24, 32, 48, 64, 96, 128)
"""Tail events end so many quarters of a standard deviation away from the mean, on either side."""


def assert_samples_match(
    sampler: Callable[[int, Generator], Any],
    law: Law | LatticeLaw,
    *,
    size: int,
    seed: int,
    false_alarm: Exact = "1e-9",
) -> None:
    """Raise AssertionError where the draws of a sampler do not match an exact law.

    Outcomes outside the support fail at once. Two G-tests, with at most 16 and 256 cells of at least 10 expected draws,
    share one half of the false alarm; the other half is shared by both tails of some 50 events {Y <= q} for each
    coordinate and for the sum of the coordinates (module docstring).

    Args:
        sampler: called once as ``sampler(size, rng)``; returns ``size`` independent outcomes: an integer array of shape
            (size,) or (size, 1) for ints, (size, columns) for tuples of ints, or a list of outcomes of any other kind.
        law: what each outcome should follow: a finite law, or a lattice law of any size for ints.
        size: draws, at least 1.
        seed: of the ``numpy.random.default_rng`` that the sampler is given.
        false_alarm: the probability that a right sampler fails is at most this, whatever ``size`` and ``law`` are;
            exact, in (0, 1).

    Raises:
        AssertionError: naming the statistic, what was observed and expected, and the bound.
        InvalidValueError: for draws that are no outcomes, such as floats.

    >>> from exactdp import Binomial
    >>> fair = Binomial(100, "1/2")
    >>> assert_samples_match(lambda size, rng: rng.binomial(100, 0.5, size), fair, size=10**4, seed=1)
    >>> assert_samples_match(lambda size, rng: rng.binomial(100, 0.52, size), fair, size=10**4, seed=1)
    Traceback (most recent call last):
    AssertionError: ...

    Not seen: independence between draws, and for lattice laws differences below a quarter of a standard deviation that
    leave every tail alone.

    Cost: that of the draws, and some milliseconds for each tail event: 0.4 s for 10^5 draws of zsum at n = 10^9.

    Source: Agrawal2020, the bound on the moment generating function; ClopperPearson1934.
    """
    from exactdp.sampling.tallies import tally

    if not isinstance(law, Law | LatticeLaw):  # what is passed may be anything
        raise InvalidValueError(f"law has the type {type(law).__name__}. Pass a Law, or Binomial, Poisson, ...")
    draws = as_integer(size, name="size", at_least=1)
    risk = as_probability(false_alarm, name="false_alarm")
    if not 0 < risk < 1:
        raise InvalidValueError(f"false_alarm={short(risk)} is not between 0 and 1. Write 1e-9.")
    counts = tally(sampler, size=draws, seed=seed)
    if (returned := sum(counts.values())) != draws:
        raise AssertionError(f"the sampler returned {returned} outcomes, not size={draws}.")
    _check_support(counts, law)
    check = _Check(draws, risk)
    columns = list(_columns(law, counts))
    atoms = _atoms(law.law(), counts) if law.lattice is None else columns[0].atoms()
    for most in _MOST_CELLS:
        check.cells(_merged(atoms, draws, most), risk / 2 / len(_MOST_CELLS))
    events = [event for column in columns for event in column.events()]
    for event in events:
        check.event(event, risk / 4 / len(events))


def multinomial_tail_bound(t: Fraction, cells: int) -> Interval:
    """Enclose ln of the bound (e t / (k-1))^(k-1) e^-t on P[n KL(empirical || p) >= t], for k = ``cells`` > 1.

    Args:
        t: above k - 1; the bound is 1 below.

    >>> multinomial_tail_bound(Fraction(20), 3) < -13
    True

    Source: Agrawal2020, the bound on the moment generating function.
    """
    if t <= cells - 1:
        return Interval.around(0, relative_bits=_BITS)
    log = log_interval(t / (cells - 1), relative_bits=_BITS)
    low, high = ((cells - 1) * (1 + end) - t for end in (log.lo, log.hi))
    return Interval.between(low, high, bits=_BITS)


def _check_support(counts: Mapping[Any, int], law: Law | LatticeLaw) -> None:
    for outcome, count in counts.items():
        if law.lattice is not None and not isinstance(outcome, int):
            raise InvalidValueError(
                f"the sampler drew {outcome!r}, and {law!r} has ints as outcomes. Return an array of shape (size,)."
            )
        if not law.holds(outcome):
            raise AssertionError(
                f"the samples do not match the law: {outcome!r} was drawn {count} times, and its probability is 0."
            )


# --- The statistics -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Atom:
    """A set of outcomes: its probability and how often it was drawn."""

    mass: Mass
    count: int


@dataclass(frozen=True, slots=True)
class _Event:
    """A tail event and how often it was seen."""

    name: str
    mass: Mass
    count: int


@dataclass(frozen=True, slots=True)
class _Check:
    """The comparison of counts among ``size`` draws with their probabilities."""

    size: int
    risk: Fraction

    def cells(self, cells: Sequence[_Atom], level: Fraction) -> None:
        """Fail where n KL(empirical || p) of the cells is too large."""
        if len(cells) < 2:
            return
        statistic = sum((self._term(cell) for cell in cells if cell.count), Fraction(0))
        bound = multinomial_tail_bound(Dyadic.below(statistic, _BITS).fraction(), len(cells))
        if bound.compare(log_interval(level, relative_bits=_BITS)) == -1:
            raise AssertionError(
                f"the samples do not match the law: in a G-test with {len(cells)} cells, n KL(observed || expected) is "
                f"{_shown(statistic)}, expected below {len(cells) - 1}; so much has a probability of at most e^"
                f"{bound.decimals(6)[1]}, below {_shown(level)}, the share of false_alarm={_shown(self.risk)}."
            )

    def _term(self, cell: _Atom) -> Fraction:
        """Return a lower bound of count * ln(count / expected)."""
        return (
            cell.count * log_interval(Fraction(cell.count << _UNIT, self.size * cell.mass[1]), relative_bits=_BITS).lo
        )

    def event(self, event: _Event, level: Fraction) -> None:
        """Fail where an event was seen too often or too seldom."""
        low, high = (Fraction(bound, _ONE) for bound in event.mass)
        if event.count > self.size * high:
            tail, side = Binomial(self.size, high).sf(event.count - 1, relative_bits=_TAIL_BITS), "many"
        elif event.count < self.size * low:
            tail, side = Binomial(self.size, low).cdf(event.count, relative_bits=_TAIL_BITS), "few"
        else:
            return
        if tail.compare(level) == -1:
            raise AssertionError(
                f"the samples do not match the law: {event.count} of size={self.size} draws have {event.name}, "
                f"expected {_shown(self.size * (low + high) / 2)}; so {side} have a probability of at most "
                f"{tail.decimals(6)[1]}, below {_shown(level)}, the share of false_alarm={_shown(self.risk)}."
            )


def _merged(atoms: Sequence[_Atom], size: int, most: int) -> list[_Atom]:
    """Return neighbouring atoms merged into cells of enough expected draws, so that at most ``most`` are left."""
    enough = max(_LEAST_EXPECTED * _ONE // size, _ONE // most) + 1
    cells: list[_Atom] = []
    low = high = count = 0
    for atom in atoms:
        low, high, count = low + atom.mass[0], high + atom.mass[1], count + atom.count
        if low >= enough:
            cells.append(_Atom((low, high), count))
            low = high = count = 0
    if high and cells:
        last = cells.pop()
        low, high, count = low + last.mass[0], high + last.mass[1], count + last.count
    return [*cells, _Atom((low, min(high, _ONE)), count)] if high else cells


def _shown(value: Fraction) -> str:
    digits = Context(prec=6)
    return f"{digits.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():g}"


# --- What is known of the laws --------------------------------------------------------------------------------------


class _Cut(NamedTuple):
    """A tail event {Y <= end}: its probability, that of the other tail, and how many of the draws are in it."""

    end: int
    below: Mass
    above: Mass
    seen: int


@dataclass(frozen=True, slots=True)
class _Column:
    """An integer that is drawn: where it is cut in two, in ascending order, and the number of draws."""

    name: str
    cuts: tuple[_Cut, ...]
    draws: int

    def events(self) -> Iterator[_Event]:
        """Yield the events {Y <= end}, and in the upper half {Y > end}, whose probability is the accurate one."""
        for end, below, above, seen in self.cuts:
            if 2 * below[0] < _ONE:
                yield _Event(f"{self.name} <= {end}", below, seen)
            else:
                yield _Event(f"{self.name} > {end}", above, self.draws - seen)

    def atoms(self) -> list[_Atom]:
        """Return the cells between the ends; each probability is a difference from below and one from above."""
        if not self.cuts:
            return []
        atoms = [_Atom(self.cuts[0].below, self.cuts[0].seen)]
        for (_, (low, high), (over, most), before), (_, (lower, upper), (last, least), seen) in pairwise(self.cuts):
            mass = max(lower - high, over - least, 0), min(upper - low, most - last)
            atoms.append(_Atom(mass, seen - before))
        return [*atoms, _Atom(self.cuts[-1].above, self.draws - self.cuts[-1].seen)]


def _columns(noise: Law | LatticeLaw, counts: Mapping[Any, int]) -> Iterator[_Column]:
    """Yield the outcome itself where it is an int; for tuples of as many ints, each coordinate and their sum."""
    if noise.lattice is not None:
        yield _lattice_column(noise.lattice, counts)
        return
    law = noise.law()
    if all(isinstance(outcome, int) for outcome in law):
        yield _finite_column("outcome", law, counts)
        return
    shapes = {len(outcome) if isinstance(outcome, tuple) else None for outcome in law}
    width = shapes.pop()
    if shapes or not width or not all(isinstance(value, int) for outcome in law for value in outcome):
        return
    for j in range(width):
        yield _image(f"outcome[{j}]", itemgetter(j), law, counts)
    if width > 1:
        yield _image("sum(outcome)", sum, law, counts)


def _image(name: str, function: Callable[[Any], int], law: Law, counts: Mapping[Any, int]) -> _Column:
    drawn: Counter[int] = Counter()
    for outcome, count in counts.items():
        drawn[function(outcome)] += count
    return _finite_column(name, law.map(function), drawn)


def _finite_column(name: str, law: Law, counts: Mapping[int, int]) -> _Column:
    values = list(law.weights)
    mean = Fraction(sum(t * weight for t, weight in law.weights.items()), law.total)
    square = Fraction(sum(t * t * weight for t, weight in law.weights.items()), law.total)
    ends = values[:-1]
    if len(ends) > 2 * len(_STEPS):
        ends = _ends(mean, square - mean**2, values[0], values[-1], max(values, key=law.weights.__getitem__))
    totals = [0, *accumulate(law.weights.values())]
    heads = [totals[bisect_right(values, end)] for end in ends]
    masses = [(_mass(head, law.total), _mass(law.total - head, law.total)) for head in heads]
    return _column(name, ends, masses, counts)


def _lattice_column(law: LatticeLaw, counts: Mapping[int, int]) -> _Column:
    mean, variance = (value.lo if isinstance(value, Interval) else value for value in (law.mean, law.variance))
    ends = [] if law.low == law.high is not None else _ends(mean, variance, law.low, law.high, law.mode)
    masses = []
    for end in ends:
        mass = _rounded((law.cdf if end <= mean else law.sf)(end, relative_bits=2 * _BITS))
        rest = _ONE - mass[1], _ONE - mass[0]
        masses.append((mass, rest) if end <= mean else (rest, mass))
    return _column("outcome", ends, masses, counts)


def _column(name: str, ends: list[int], masses: list[tuple[Mass, Mass]], counts: Mapping[int, int]) -> _Column:
    draws = sorted(counts)
    totals = [0, *accumulate(counts[draw] for draw in draws)]
    seen = (totals[bisect_right(draws, end)] for end in ends)
    cuts = (_Cut(end, *mass, count) for end, mass, count in zip(ends, masses, seen, strict=True))
    return _Column(name, tuple(cuts), totals[-1])


def _ends(mean: Fraction, variance: Fraction, low: int | None, high: int | None, mode: int) -> list[int]:
    """Return where tail events end; any integers of the support but its last would do."""
    quarter = Fraction(isqrt(int(variance * 2**40)), 2**22)
    ends = {(mean + sign * step * quarter).__floor__() for step in _STEPS for sign in (1, -1)} | {mode - 1, mode}
    ends |= set() if low is None else {low}
    ends |= set() if high is None else {high - 1}
    return sorted(end for end in ends if (low is None or low <= end) and (high is None or end < high))


def _atoms(law: Law, counts: Mapping[Any, int]) -> list[_Atom]:
    return [_Atom(_mass(weight, law.total), counts.get(outcome, 0)) for outcome, weight in law.weights.items()]


def _mass(weight: int, total: int) -> Mass:
    return (weight << _UNIT) // total, -((-weight << _UNIT) // total)


def _rounded(probability: Interval) -> Mass:
    if probability.upper.magnitude < -_UNIT:
        return 0, 1
    low, high = probability.lo * _ONE, probability.hi * _ONE
    return low.__floor__(), min(high.__ceil__(), _ONE)
