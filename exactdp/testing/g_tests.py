"""The G-test with a bound that holds for every number of draws, and the cells that it is made of.

The outcomes fall into k cells of exact probabilities p. Under a right sampler n KL(empirical || p) reaches t > k-1 with
probability at most (e t / (k-1))^(k-1) e^-t, for every n and p, because E[e^(s n KL)] <= (1-s)^-(k-1) for 0 <= s < 1,
at s = 1 - (k-1)/t. The bound falls in t, so a test at a level is a threshold for t, which is rational and rounded up.

Probabilities are enclosed in integers, and the statistic is summed from lower ends of logarithms of counts over upper
ends of expected counts: it is never above the true one.

A failed comparison names the outcomes where the draws and the law differ most. They are ranked by their deviance, the n
KL of an outcome against all others, which also bounds how likely a right sampler is to draw this one so often or so
seldom.

How many draws find every wrong law: what ``assert_samples_match`` is sure to see
---------------------------------------------------------------------------------

Let P be the law, Q what the sampler draws from, and TV(P, Q) >= t. One of the G-tests gives every outcome a cell of its
own, but for outcomes of total probability tau, which share one. It fails the sampler where its statistic S reaches its
threshold T. *Claim*: with x = t - tau - w, it does so with probability at least
1 - miss if x > 0 and

    sqrt(2n) x >= sqrt(T + n w + n 2^-56) + sqrt(ln(1/miss)).

*Proof.* S is computed from upper bounds p' >= P of the probabilities of the cells; w is at least the sum of p' - P, and
m <= 1 + w that of p'. Let f be the empirical law and A the union of the cells with Q > P and of what P never draws.

1. Q(A) - P(A) >= t - tau. For TV(P, Q) is the sum of (P - Q)^+ over outcomes; those in the shared cell add at most
   P(shared) = tau to it, and for the cells of one outcome the sum of (P - Q)^+ is at most TV of the cells, Q(A) - P(A).
2. n f(A) is binomial, so by Hoeffding's inequality f(A) > Q(A) - s but for probability e^(-2 n s^2) <= miss, with
   2 n s^2 = ln(1/miss). Then f(A) - P(A) - w > x - s >= 0.
3. If an outcome of probability 0 was drawn, the sampler is failed for that. Else f lives on the cells, and the ideal
   statistic is n sum f ln(f/p') = n KL(f || p'/m) - n ln m. Merging cells into A and its complement does not raise KL,
   and Pinsker's inequality bounds what is left below by 2 (f(A) - p'(A)/m)^2. Here p'(A)/m <= p'(A) <= P(A) + w, and
   ln m <= w, so the ideal statistic is at least 2 n (x - s)^2 - n w >= T + n 2^-56.
4. S is below the ideal statistic by less than n 2^-56: each logarithm is at most ln n + 192 ln 2 < 180 in size for
   n <= 2^64 and is rounded by 2^-64 of itself. So S >= T. ∎

The condition is decided in fractions: with R = T + n w + n 2^-56, L >= ln(1/miss) and D = 2 n x^2 - R - L it is D >= 0
and D^2 >= 4 R L. Where all of P is one outcome, what is not P is never drawn by P, and n t >= L is enough, because
(1 - t)^n <= e^(-n t).

Source: Agrawal2020, the bound on the moment generating function; Hoeffding1963, Theorem 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import isqrt
from typing import Any, Final, TypeAlias

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import log_interval
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
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


SURE: Final = Fraction(99, 100)
"""The probability with which a wrong law is found, unless another is asked for."""

SHARE: Final = Fraction(1, 4)
"""The share of the false alarm that the G-test of single outcomes has."""

_MOST_LISTED: Final = 2**14
"""Most cells of one outcome where their probabilities are given by a list."""
_MOST_ENCLOSED: Final = 2**10
"""Most cells of one outcome where each probability is enclosed by itself."""
_MASS_BITS: Final = 96
"""Relative accuracy of these probabilities."""
_ROUNDING: Final = Fraction(1, 2**56)
"""The statistic is rounded by less than this times the draws."""
_MOST_DRAWS: Final = 2**50
"""Most draws that are asked for; the proof needs no more than 2^64."""
_LOG_BITS: Final = 64


def samples_needed(
    law: Law | LatticeLaw, *, total_variation: Exact, power: Exact = SURE, false_alarm: Exact = "1e-9"
) -> int:
    """Return a number of draws at which ``assert_samples_match`` finds every law so far away.

    A sampler that draws independently from any law Q with max over events T of |P(T) - Q(T)| >= ``total_variation``
    fails with probability at least ``power``. The proof is in the module's docstring; the search is by doubling and
    bisection, and the condition of the proof holds at the number that is returned.

    Args:
        law: P, as ``assert_samples_match`` takes it.
        total_variation: exact, in (0, 1].
        power: exact, in [0, 1).
        false_alarm: the one that ``assert_samples_match`` is given.

    Raises:
        TooLargeError: where P has too many likely outcomes to give each a cell, 2^14 of a list and 2^10 of a noise law,
            or more than 2^50 draws were needed.

    >>> from exactdp import Binomial, Law
    >>> die = Law(dict.fromkeys(range(1, 7), "1/6"))
    >>> samples_needed(die, total_variation="1/10"), samples_needed(die, total_variation="1/100")
    (3395, 339478)
    >>> samples_needed(Binomial(1000, "1/2"), total_variation="1/10")
    12836

    Cost: some milliseconds for a list, and for a noise law one enclosure for each likely outcome.

    Source: Agrawal2020, the bound on the moment generating function; Hoeffding1963, Theorem 1.
    """
    distance, chance = _distance(total_variation), _miss(power)
    risk = as_false_alarm(false_alarm) * SHARE
    tests: dict[Fraction, SingleOutcomes] = {}

    def is_enough(size: int) -> bool:
        level = _unlisted(size)
        if level not in tests:
            tests[level] = _required(law, size)
        return tests[level].finds(distance, size, chance, risk)

    low, high = 0, 1
    while not is_enough(high):
        low, high = high, 2 * high
        if high > _MOST_DRAWS:
            raise TooLargeError(
                f"total_variation={short(distance)} needs more than 2^50 draws. Ask for a larger difference."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def total_variation_found(
    law: Law | LatticeLaw, *, size: int, power: Exact = SURE, false_alarm: Exact = "1e-9"
) -> Fraction | None:
    """Return a total variation from which on ``assert_samples_match`` with ``size`` draws finds every law, else None.

    The counterpart of ``samples_needed``, a multiple of 2^-20: None where that would be above 1, or where the law has
    too many likely outcomes.

    >>> from exactdp import Binomial, Law
    >>> die = Law(dict.fromkeys(range(1, 7), "1/6"))
    >>> float(total_variation_found(die, size=3395)), total_variation_found(Binomial(10**9, "1/2"), size=1000)
    (0.0999..., None)

    Source: Agrawal2020, the bound on the moment generating function; Hoeffding1963, Theorem 1.
    """
    draws = as_integer(size, name="size", at_least=1)
    chance, risk = _miss(power), as_false_alarm(false_alarm) * SHARE
    test = SingleOutcomes.of(checked_law(law), draws)
    return None if test is None else test.least_found(draws, chance, risk)


def as_false_alarm(value: Exact) -> Fraction:
    """Return the probability of a false alarm as a Fraction in (0, 1), or refuse it."""
    risk = as_probability(value, name="false_alarm")
    if not 0 < risk < 1:
        raise InvalidValueError(f"false_alarm={short(risk)} is not between 0 and 1. Write 1e-9.")
    return risk


def _distance(value: Exact) -> Fraction:
    distance = as_probability(value, name="total_variation")
    if distance == 0:
        raise InvalidValueError("total_variation=0 is no difference. Pass a number above 0.")
    return distance


def _miss(power: Exact) -> Fraction:
    sure = as_probability(power, name="power")
    if sure == 1:
        raise InvalidValueError("power=1 is beyond every number of draws. Pass a number below 1, such as 0.99.")
    return 1 - sure


@dataclass(frozen=True, slots=True)
class SingleOutcomes:
    """The cells of one outcome each, and what the others share; see the module's docstring."""

    masses: Mapping[Any, Mass]
    shared: int
    """An upper bound of tau, in units; 0 where every outcome has its own cell."""

    @classmethod
    def of(cls, law: Law | LatticeLaw, size: int) -> SingleOutcomes | None:
        """Return the cells for so many draws; None where there would be too many."""
        rest = _unlisted(size)
        if law.lattice is None:
            finite = law.law()
            listed = {outcome: mass_of(weight, finite.total) for outcome, weight in finite.weights.items()}
            if len(listed) <= _MOST_LISTED:
                return cls(listed, 0)
            likely = sorted(listed.items(), key=lambda entry: -entry[1][0])[:_MOST_LISTED]
            return cls._with_rest(dict(likely), rest)
        masses = _around_the_mode(law.lattice, rest)
        low, high = law.lattice.low, law.lattice.high
        if low is not None and high is not None and len(masses) == high - low + 1:
            return cls(masses, 0)
        return cls._with_rest(masses, rest)

    @classmethod
    def _with_rest(cls, masses: Mapping[Any, Mass], most: Fraction) -> SingleOutcomes | None:
        shared = ONE - sum(low for low, _ in masses.values())
        return cls(masses, shared) if shared <= most * ONE else None

    @property
    def number(self) -> int:
        """The number of cells."""
        return len(self.masses) + (self.shared > 0)

    @property
    def _excess(self) -> Fraction:
        """w: the sum of the upper bounds of all cells, less 1, where the shared one has 1 less the other lower ones."""
        return Fraction(sum(high - low for low, high in self.masses.values()) + self.number, ONE)

    def cells(self, counts: Mapping[Any, int]) -> list[Cell]:
        """Return the cells with how often each was drawn."""
        cells = [Cell(mass, counts.get(outcome, 0), repr(outcome)) for outcome, mass in self.masses.items()]
        if self.shared:
            others = sum(counts.values()) - sum(cell.count for cell in cells)
            least = max(0, ONE - sum(high for _, high in self.masses.values()))
            cells.append(Cell((least, self.shared), others, "any other outcome"))
        return cells

    def finds(self, distance: Fraction, size: int, miss: Fraction, risk: Fraction) -> bool:
        """Whether every law so far away is proved to fail, but for the chance ``miss``."""
        return self._is_above(distance, size, _log_of_inverse(miss), self._reached(size, risk))

    def _is_above(self, distance: Fraction, size: int, log: Fraction, reached: Fraction) -> bool:
        """Decide the condition of the module's docstring; ``log`` is L, and ``reached`` is R."""
        if self.number == 1:
            return size * distance >= log
        x = distance - Fraction(self.shared, ONE) - self._excess
        spare = 2 * size * x * x - reached - log
        return x > 0 and spare >= 0 and spare * spare >= 4 * reached * log

    def least_found(self, size: int, miss: Fraction, risk: Fraction) -> Fraction | None:
        """Return the least multiple of 2^-20 at which ``finds`` is true; None where it is above 1."""
        low, high = 0, 2**20
        log, reached = _log_of_inverse(miss), self._reached(size, risk)
        if not self._is_above(Fraction(1), size, log, reached):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            found = self._is_above(Fraction(middle, 2**20), size, log, reached)
            low, high = (low, middle) if found else (middle, high)
        return Fraction(high, 2**20)

    def _reached(self, size: int, risk: Fraction) -> Fraction:
        """R of the module's docstring."""
        if self.number == 1:  # nothing is compared but the support
            return Fraction(0)
        return threshold(self.number, risk) + size * (self._excess + _ROUNDING)


def checked_law(law: Law | LatticeLaw) -> Law | LatticeLaw:
    if not isinstance(law, Law | LatticeLaw):  # what is passed may be anything
        raise InvalidValueError(f"law has the type {type(law).__name__}. Pass a Law, or Binomial, Poisson, ...")
    return law


def _required(law: Law | LatticeLaw, size: int) -> SingleOutcomes:
    if (test := SingleOutcomes.of(checked_law(law), size)) is None:
        most = _MOST_LISTED if law.lattice is None else _MOST_ENCLOSED
        raise TooLargeError(
            f"{short(repr(law))} has more than {most} likely outcomes, too many for a cell each: no number of draws is "
            "proved to find every wrong law. Pass size= instead, or compare a coarser outcome, such as draws // 1000."
        )
    return test


def _unlisted(size: int) -> Fraction:
    """Return how much probability outcomes may have that share a cell: at most 1/(8 sqrt(n)), a power of two."""
    return Fraction(1, 8 << (size.bit_length() + 1) // 2)


def _around_the_mode(law: LatticeLaw, rest: Fraction) -> dict[Any, Mass]:
    """Return likely outcomes around the mode, until the others have at most the probability ``rest``, or too many."""
    if _deviation(law.variance) > _MOST_ENCLOSED // 3:  # nobody need try
        return {}

    def mass(outcome: int) -> Mass:
        return rounded(law.pmf(outcome, relative_bits=_MASS_BITS)) if law.holds(outcome) else (0, 0)

    first = last = law.mode
    masses, total = {first: mass(first)}, mass(first)[0]
    before, after = mass(first - 1), mass(last + 1)
    while len(masses) < _MOST_ENCLOSED and total < (1 - rest) * ONE and max(before, after) > (0, 0):
        if before > after:
            first, total = first - 1, total + before[0]
            masses[first], before = before, mass(first - 1)
        else:
            last, total = last + 1, total + after[0]
            masses[last], after = after, mass(last + 1)
    return dict(sorted(masses.items()))


def _deviation(variance: Fraction | Interval) -> int:
    return isqrt((variance.lo if isinstance(variance, Interval) else variance).__floor__())


def _log_of_inverse(miss: Fraction) -> Fraction:
    """Return an upper bound of ln(1/miss)."""
    return log_interval(1 / miss, relative_bits=_LOG_BITS).hi
