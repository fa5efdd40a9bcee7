"""The G-test with a bound that holds for every number of draws, and the cells that it is made of.

The outcomes fall into k cells of exact probabilities p. Under a right sampler n KL(empirical || p) reaches t > k-1 with
probability at most (e t / (k-1))^(k-1) e^-t, for every n and p, because E[e^(s n KL)] <= (1-s)^-(k-1) for 0 <= s < 1,
at s = 1 - (k-1)/t. The bound falls in t, so a test at a level is a threshold for t, which is rational and rounded up.

Probabilities are enclosed in integers, and the statistic is summed from lower ends of logarithms of counts over upper
ends of expected counts: it is never above the true one.

A failed comparison names the outcomes where the draws and the law differ most. They are ranked by their deviance, the n
KL of an outcome against all others, which also bounds how likely a right sampler is to draw this one so often or so
seldom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from exactdp.numbers.balls import log_interval
from exactdp.numbers.interval import Interval

Mass: TypeAlias = tuple[int, int]
"""Lower and upper bound of a probability, in units of 2^-192."""

UNIT: Final = 192
"""Probabilities are in units of 2 to minus this: far below any false alarm that is asked for."""

ONE: Final = 1 << UNIT
"""The probability 1."""

BITS: Final = 64
"""Accuracy of logarithms and statistics."""

_STEP: Final = 1024
"""Thresholds are multiples of one over this."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A set of outcomes: its probability, how often it was drawn, and where it may be named, what it is in words."""

    mass: Mass
    count: int
    words: str = ""


def multinomial_tail_bound(t: Fraction, cells: int) -> Interval:
    """Enclose ln of the bound (e t / (k-1))^(k-1) e^-t on P[n KL(empirical || p) >= t], for k = ``cells`` > 1.

    Args:
        t: above k - 1; the bound is 1 below.

    >>> multinomial_tail_bound(Fraction(20), 3) < -13
    True

    Source: Agrawal2020, the bound on the moment generating function.
    """
    if t <= cells - 1:
        return Interval.around(0, relative_bits=BITS)
    log = log_interval(t / (cells - 1), relative_bits=BITS)
    low, high = ((cells - 1) * (1 + end) - t for end in (log.lo, log.hi))
    return Interval.between(low, high, bits=BITS)


def threshold(cells: int, level: Fraction) -> Fraction:
    """Return a t that a right sampler's n KL reaches with probability at most ``level``: a multiple of 1/1024.

    Args:
        cells: k, at least 2.
        level: above 0 and below 1.

    >>> threshold(2, Fraction(1, 100)), threshold(16, Fraction(1, 10**10))
    (Fraction(3911, 512), Fraction(59823, 1024))
    """
    goal = log_interval(level, relative_bits=BITS)

    def is_enough(steps: int) -> bool:
        return multinomial_tail_bound(Fraction(steps, _STEP), cells).compare(goal) == -1

    low = (cells - 1) * _STEP
    high = 2 * low
    while not is_enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return Fraction(high, _STEP)


def statistic(cells: Sequence[Cell], size: int) -> Fraction:
    """Return a lower bound of n KL(empirical || p), whose rounding is below n 2^-56."""
    return sum((_term(cell, size) for cell in cells if cell.count), Fraction(0))


def _term(cell: Cell, size: int) -> Fraction:
    """Return a lower bound of count * ln(count / expected)."""
    return cell.count * log_interval(Fraction(cell.count << UNIT, size * cell.mass[1]), relative_bits=BITS).lo


def deviance(cell: Cell, size: int) -> Fraction:
    """Return a lower bound of n KL of the cell against all else, 0 where the count may be the expected one.

    With p its probability, a right sampler draws the cell so often, or so seldom, with probability at most e^-deviance:
    the bound of Chernoff on a binomial tail.
    """
    low, high = (Fraction(end, ONE) for end in cell.mass)
    share = Fraction(cell.count, size)
    if low <= share <= high:
        return Fraction(0)
    p = high if share > high else low
    parts = ((cell.count, p), (size - cell.count, 1 - p))
    logs = (count * log_interval(Fraction(count) / (size * q), relative_bits=BITS).lo for count, q in parts if count)
    return sum(logs, Fraction(0))


def mass_of(weight: int, total: int) -> Mass:
    """Return the probability weight / total, rounded outward."""
    return (weight << UNIT) // total, -((-weight << UNIT) // total)


def rounded(probability: Interval) -> Mass:
    """Return an enclosed probability in units, rounded outward."""
    if probability.upper.magnitude < -UNIT:
        return 0, 1
    low, high = probability.lo * ONE, probability.hi * ONE
    return low.__floor__(), min(high.__ceil__(), ONE)


_SHOWN: Final = 5
"""Outcomes that are named."""
_DIGITS: Final = 6
"""Digits of a number."""


@dataclass(frozen=True, slots=True)
class Run:
    """A cell and, where outcomes are ints, the first and the last one in it: None stands for no end."""

    cell: Cell
    ends: tuple[int | None, int | None] | None = None

    def meets(self, other: Run) -> bool:
        """Whether the two share an outcome."""
        if self.ends is None or other.ends is None:
            return False
        (low, high), (first, last) = self.ends, other.ends
        return (low is None or last is None or low <= last) and (first is None or high is None or first <= high)


def worst_outcomes(runs: Iterable[Run], size: int) -> str:
    """Return the five worst outcomes in words, a line each: observed, expected, and by how much.

    >>> from exactdp.testing.g_tests import mass_of
    >>> cells = [Cell(mass_of(1, 2), count, words) for words, count in (("heads", 70), ("tails", 30))]
    >>> print(worst_outcomes(map(Run, cells), 100))
    the worst outcomes: observed, expected, by how much, and a bound of the chance of so much:
      heads: 70, expected 50: 20 more, 1.4 times as many; at most e^-8.22829
      tails: 30, expected 50: 20 fewer, 0.6 times as many; at most e^-8.22829
    """
    ranked = sorted(((deviance(run.cell, size), run) for run in runs), key=lambda entry: -entry[0])
    chosen: list[tuple[Fraction, Run]] = []
    for far, run in ranked:
        if far > 0 and len(chosen) < _SHOWN and not any(run.meets(other) for _, other in chosen):
            chosen.append((far, run))
    lines = (f"  {_words(run.cell, size)}; at most e^-{shown(far)}" for far, run in chosen)
    return "\n".join(
        ("the worst outcomes: observed, expected, by how much, and a bound of the chance of so much:", *lines)
    )


def impossible_outcomes(drawn: Sequence[tuple[object, int]]) -> str:
    """Return the outcomes of probability 0 that were drawn most often, at most five, a line each."""
    most = sorted(drawn, key=lambda entry: -entry[1])[:_SHOWN]
    lines = (f"  {outcome!r}: {count}, expected 0: it has the probability 0" for outcome, count in most)
    return "\n".join((f"the worst outcomes, of {len(drawn)} that the law never draws:", *lines))


def _words(cell: Cell, size: int) -> str:
    expected = Fraction(size * (cell.mass[0] + cell.mass[1]), 2 * ONE)
    gap = abs(cell.count - expected)
    more = "more" if cell.count > expected else "fewer"
    times = f", {shown(cell.count / expected)} times as many" if cell.count else ", none"
    return f"{cell.words}: {cell.count}, expected {shown(expected)}: {shown(gap)} {more}{times}"


def shown(value: Fraction) -> str:
    """Return a number to six digits, for reading.

    >>> shown(Fraction(50)), shown(Fraction(2, 3)), shown(Fraction(1, 10**9))
    ('50', '0.666667', '1e-9')
    """
    number = Context(prec=_DIGITS).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    return f"{number:f}" if -_DIGITS < number.adjusted() < 2 * _DIGITS else f"{number:g}"
