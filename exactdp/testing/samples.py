"""Does a sampler draw from a law? Tests against exact probabilities, for a CI that does not flicker.

Two kinds of statistics are looked at, each against its exact law or a bound that holds for every sample size:

- *G-tests* (:mod:`exactdp.testing.g_tests`): one in which every outcome has a cell of its own, where there are not too
  many, and two in which neighbours share a cell. What the first is sure to find is said in
  :mod:`exactdp.testing.g_tests`.
- *Tail events* {Y <= q}, for q from the middle to the far tails: how many draws fall into one is binomial, and its two
  tails are enclosed.

Nothing is rounded but outward: a sampler is failed only where the bound is proved to be below its share of the false
alarm, so that a right sampler fails with at most that probability.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from math import isqrt
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from exactdp.errors import InvalidValueError
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.interval import Interval
from exactdp.testing.g_tests import (
    BITS,
    ONE,
    SHARE,
    SURE,
    Cell,
    Mass,
    Run,
    SingleOutcomes,
    as_false_alarm,
    checked_law,
    impossible_outcomes,
    mass_of,
    multinomial_tail_bound,
    rounded,
    samples_needed,
    shown,
    statistic,
    threshold,
    worst_outcomes,
)
from exactdp.testing.session import tried

if TYPE_CHECKING:
    from numpy.random import Generator

_TAIL_BITS: Final = 24
"""Accuracy of the tail that says how unlikely a count is: enough for the six digits that are shown."""

_MOST_CELLS: Final = (16, 256)
"""Each G-test of shared cells merges neighbouring outcomes until there are at most so many."""
_LEAST_EXPECTED: Final = 10
"""The expected count of every such cell but a last one is at least this."""
_STEPS: Final = (*range(17), 20, 24, 32, 48, 64, 96, 128)
"""Tail events end so many quarters of a standard deviation away from the mean, on either side."""
_MOST_OFTEN: Final = 100
"""Of outcomes without a cell of their own, those drawn most often may be among the worst."""


def assert_samples_match(
    sampler: Callable[[int, Generator], Any],
    law: Law | LatticeLaw,
    *,
    size: int | None = None,
    total_variation: Exact | None = None,
    seed: int | None = None,
    false_alarm: Exact = "1e-9",
) -> None:
    """Raise AssertionError where the draws of a sampler do not match an exact law.

    Outcomes outside the support fail at once. Three G-tests share one half of the false alarm: one with a cell for each
    outcome, and two with at most 16 and 256 cells of at least 10 expected draws. The other half is shared by both tails
    of some 50 events {Y <= q} for each coordinate and for the sum of the coordinates (module docstring).

    Args:
        sampler: called as ``sampler(size, rng)``; returns ``size`` independent outcomes: an integer array of shape
            (size,) or (size, 1) for ints, (size, columns) for tuples of ints, or a list of outcomes of any other kind.
            It is called once, and once for each pinned seed.
        law: what each outcome should follow: a finite law, or a lattice law of any size for ints.
        size: draws, at least 1.
        total_variation: t in place of ``size``: as many draws as ``samples_needed(law, total_variation=t)`` says, so
            that every law with max over events T of |P(T) - Q(T)| >= t is found with probability at least 0.99.
        seed: of the ``numpy.random.default_rng`` that the sampler is given; by default that of the session, 0 unless
            pytest was given ``--exactdp-seed``.
        false_alarm: the probability that a right sampler fails is at most this for each seed that is tried, whatever
            ``size`` and ``law`` are; exact, in (0, 1).

    Raises:
        AssertionError: naming the statistic, what was observed and expected, and the bound; the five worst outcomes;
            what so many draws are sure to find; the seed.
        InvalidValueError: for draws that are no outcomes, such as floats; for size and total_variation both or neither.
        TooLargeError: as ``samples_needed``.

    >>> from exactdp import Binomial
    >>> fair = Binomial(100, "1/2")
    >>> assert_samples_match(lambda size, rng: rng.binomial(100, 0.5, size), fair, size=10**4, seed=1)
    >>> assert_samples_match(lambda size, rng: rng.binomial(100, 0.52, size), fair, size=10**4, seed=1)
    Traceback (most recent call last):
    exactdp.testing.session.SeededFailureError: ...

    Not seen: independence between draws, and for lattice laws of more than 1000 likely outcomes differences below a
    quarter of a standard deviation that leave every tail alone.

    Cost: that of the draws, some milliseconds for each tail event, and for a noise law with a standard deviation up to
    some hundreds one enclosure for each likely outcome: 0.4 s for 10^5 draws of zsum at n = 10^9.

    Source: Agrawal2020, the bound on the moment generating function; ClopperPearson1934; Hoeffding1963, Theorem 1.
    """
    __tracebackhide__ = True
    if (size is None) == (total_variation is None):
        given = "neither" if size is None else "both"
        raise InvalidValueError(
            f"{given} of size and total_variation given. Pass one: size=10**5 draws, or the least "
            "total variation that is to be found."
        )
    risk = as_false_alarm(false_alarm)
    if total_variation is not None:
        size = samples_needed(law, total_variation=total_variation, false_alarm=risk)
    comparison = _Comparison(checked_law(law), as_integer(size, name="size", at_least=1), risk)
    tried("assert_samples_match", seed, lambda each: comparison.judge(sampler, each))


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Draws against a law."""

    law: Law | LatticeLaw
    size: int
    risk: Fraction

    def judge(self, sampler: Callable[[int, Generator], Any], seed: int) -> None:
        """Fail where the draws under this seed do not match."""
        from exactdp.testing.tallies import tally

        law, size, risk = self.law, self.size, self.risk
        counts = tally(sampler, size=size, seed=seed)
        if (returned := sum(counts.values())) != size:
            raise AssertionError(f"the sampler returned {returned} outcomes, not size={size}.")
        _check_support(counts, law)
        singles = SingleOutcomes.of(law, size)
        columns = list(_columns(law, counts))
        atoms = _atoms(law.law(), counts) if law.lattice is None else columns[0].atoms()
        check = _Check(size, risk)
        try:
            if singles is not None:
                check.cells(singles.cells(counts), risk * SHARE)
            for most in _MOST_CELLS:
                check.cells(_merged(atoms, size, most), risk * SHARE / len(_MOST_CELLS))
            events = [event for column in columns for event in column.events()]
            for event in events:
                check.event(event, risk / 4 / len(events))
        except AssertionError as error:
            worst = worst_outcomes(_named(law, counts, singles, columns), size)
            raise AssertionError(f"{error}\n{worst}\n{self._power(singles)}") from None

    def _power(self, singles: SingleOutcomes | None) -> str:
        """Say what so many draws are sure to find."""
        far = None if singles is None else singles.least_found(self.size, 1 - SURE, self.risk * SHARE)
        if far is None:
            return f"power: no total variation is proved to be found by size={self.size} draws."
        return (
            f"power: size={self.size} draws find every law at total variation {shown(far)} or more with "
            f"probability {shown(SURE)}."
        )


def _check_support(counts: Mapping[Any, int], law: Law | LatticeLaw) -> None:
    impossible = []
    for outcome, count in counts.items():
        if law.lattice is not None and not isinstance(outcome, int):
            raise InvalidValueError(
                f"the sampler drew {outcome!r}, and {law!r} has ints as outcomes. Return an array of shape (size,)."
            )
        if not law.holds(outcome):
            impossible.append((outcome, count))
    if impossible:
        outcome, count = impossible[0]
        raise AssertionError(
            f"the samples do not match the law: {outcome!r} was drawn {count} times, and its probability is 0.\n"
            + impossible_outcomes(impossible)
        )


# --- The statistics -------------------------------------------------------------------------------------------------


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

    def cells(self, cells: Sequence[Cell], level: Fraction) -> None:
        """Fail where n KL(empirical || p) of the cells reaches the threshold of a test at this level."""
        if len(cells) < 2:
            return
        reached = statistic(cells, self.size)
        if reached > len(cells) - 1 and reached >= threshold(len(cells), level):
            bound = multinomial_tail_bound(Dyadic.below(reached, BITS).fraction(), len(cells))
            raise AssertionError(
                f"the samples do not match the law: in a G-test with {len(cells)} cells, n KL(observed || expected) is "
                f"{shown(reached)}, expected below {len(cells) - 1}; so much has a probability of at most e^"
                f"{bound.decimals(6)[1]}, below {shown(level)}, the share of false_alarm={shown(self.risk)}."
            )

    def event(self, event: _Event, level: Fraction) -> None:
        """Fail where an event was seen too often or too seldom."""
        low, high = (Fraction(bound, ONE) for bound in event.mass)
        if event.count > self.size * high:
            tail, side = Binomial(self.size, high).sf(event.count - 1, relative_bits=_TAIL_BITS), "many"
        elif event.count < self.size * low:
            tail, side = Binomial(self.size, low).cdf(event.count, relative_bits=_TAIL_BITS), "few"
        else:
            return
        if tail.compare(level) == -1:
            raise AssertionError(
                f"the samples do not match the law: {event.count} of size={self.size} draws have {event.name}, "
                f"expected {shown(self.size * (low + high) / 2)}; so {side} have a probability of at most "
                f"{tail.decimals(6)[1]}, below {shown(level)}, the share of false_alarm={shown(self.risk)}."
            )


def _named(
    law: Law | LatticeLaw, counts: Mapping[Any, int], singles: SingleOutcomes | None, columns: Sequence[_Column]
) -> Iterator[Run]:
    """Yield what may be named as worst: single outcomes, and runs of ints where not every outcome has a cell."""
    cells = singles.masses if singles is not None else {}
    for outcome, mass in cells.items():
        yield Run(Cell(mass, counts.get(outcome, 0), repr(outcome)))
    if singles is None and law.lattice is not None:
        yield from columns[0].runs()
    often = sorted(((each, count) for each, count in counts.items() if each not in cells), key=lambda entry: -entry[1])
    for outcome, count in often[:_MOST_OFTEN]:
        if law.lattice is None:
            finite = law.law()
            yield Run(Cell(mass_of(finite.weights[outcome], finite.total), count, repr(outcome)))
        else:
            mass = rounded(law.lattice.pmf(outcome, relative_bits=BITS))
            yield Run(Cell(mass, count, repr(outcome)), (outcome, outcome))


def _merged(atoms: Sequence[Cell], size: int, most: int) -> list[Cell]:
    """Return neighbouring atoms merged into cells of enough expected draws, so that at most ``most`` are left."""
    enough = max(_LEAST_EXPECTED * ONE // size, ONE // most) + 1
    cells: list[Cell] = []
    low = high = count = 0
    for atom in atoms:
        low, high, count = low + atom.mass[0], high + atom.mass[1], count + atom.count
        if low >= enough:
            cells.append(Cell((low, high), count))
            low = high = count = 0
    if high and cells:
        last = cells.pop()
        low, high, count = low + last.mass[0], high + last.mass[1], count + last.count
    return [*cells, Cell((low, min(high, ONE)), count)] if high else cells


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
            if 2 * below[0] < ONE:
                yield _Event(f"{self.name} <= {end}", below, seen)
            else:
                yield _Event(f"{self.name} > {end}", above, self.draws - seen)

    def atoms(self) -> list[Cell]:
        """Return the cells between the ends; each probability is a difference from below and one from above."""
        if not self.cuts:
            return []
        atoms = [Cell(self.cuts[0].below, self.cuts[0].seen)]
        for (_, (low, high), (over, most), before), (_, (lower, upper), (last, least), seen) in pairwise(self.cuts):
            mass = max(lower - high, over - least, 0), min(upper - low, most - last)
            atoms.append(Cell(mass, seen - before))
        return [*atoms, Cell(self.cuts[-1].above, self.draws - self.cuts[-1].seen)]

    def runs(self) -> list[Run]:
        """Return the cells with their ends."""
        ends = [None, *(cut.end for cut in self.cuts), None]
        bounds = [(None if low is None else low + 1, high) for low, high in pairwise(ends)]
        return [
            Run(replace(atom, words=_run_words(*ends)), ends) for atom, ends in zip(self.atoms(), bounds, strict=True)
        ]


def _run_words(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return f"{last} and below" if first is None else f"{first} and above"
    return str(first) if first == last else f"{first} to {last}"


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
    masses = [(mass_of(head, law.total), mass_of(law.total - head, law.total)) for head in heads]
    return _column(name, ends, masses, counts)


def _lattice_column(law: LatticeLaw, counts: Mapping[int, int]) -> _Column:
    mean, variance = (value.lo if isinstance(value, Interval) else value for value in (law.mean, law.variance))
    ends = [] if law.low == law.high is not None else _ends(mean, variance, law.low, law.high, law.mode)
    masses = []
    for end in ends:
        mass = rounded((law.cdf if end <= mean else law.sf)(end, relative_bits=2 * BITS))
        rest = ONE - mass[1], ONE - mass[0]
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


def _atoms(law: Law, counts: Mapping[Any, int]) -> list[Cell]:
    return [Cell(mass_of(weight, law.total), counts.get(outcome, 0)) for outcome, weight in law.weights.items()]
