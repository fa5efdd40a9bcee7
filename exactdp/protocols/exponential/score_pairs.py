"""A mechanism that picks an answer by its score: weights that are powers of one number, and pairs of data sets.

The weight of an answer is B^q with a rational q, where B is e, or a rational number above 1 that is no power of a
rational number with an exponent of 2 or more. A sum of such powers with rational coefficients is told from 0 exactly:

* for B = e, powers of different exponents are linearly independent over the rational numbers (Lindemann and
  Weierstrass), also beside a factor e^x with a rational x: the sum is 0 if and only if the coefficients of each
  exponent sum to 0;
* for a rational B let D be a common denominator of the exponents. X^D - B is irreducible over the rational numbers, as
  B is positive and no p-th power for a prime p, so that 1, B^(1/D), ..., B^((D-1)/D) are linearly independent: with the
  whole part of each exponent moved into its coefficient, the same holds. A factor e^x with x != 0 is transcendental.

So every order that is asked for below is decided: balls at rising precision tell two numbers apart that differ.

*Pairs of data sets that are neighbours, one by one.*

Each data set has a law on the answers, positive everywhere. Where the probabilities are rational, a pair's worst event
at E is the set of answers with P > E Q, found in integers; else the same set is found by proved signs, and delta is
enclosed (:mod:`exactdp.protocols.exponential.score_pairs`). Delta is the largest one over all pairs, in both orders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any, Final

from flint import arb, fmpz

from exactdp.laws.finite import Law
from exactdp.numbers.balls import compare_reals, enclosed, precision, proved_sign, rational_ball, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import CURVE_BITS
from exactdp.privacy.composition.law_pairs import FinitePair, PolygonPair, undominated
from exactdp.privacy.composition.profile_pairs import Grid, Point, SourceOfRuns, both_sides, masses_below
from exactdp.privacy.engine import DataSet, Enclosed, Engine, Work, WorstEvent
from exactdp.privacy.planner import engine_of
from exactdp.progress import with_progress


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """For each row the exponents of its weights; ``base`` None stands for e."""

    base: Fraction | None
    rows: tuple[tuple[Fraction, ...], ...]

    @property
    def is_rational(self) -> bool:
        """Whether all ratios of weights of a row are rational."""
        if self.base is None:
            return all(exponent == row[0] for row in self.rows for exponent in row)
        return all((exponent - row[0]).denominator == 1 for row in self.rows for exponent in row)

    def integers(self, row: int) -> tuple[int, ...]:
        """Return the weights of a row as integers, where all ratios are rational: of the least one p^0 q^k, B = p/q."""
        base = Fraction(1) if self.base is None else self.base
        steps = [int(exponent - min(self.rows[row])) for exponent in self.rows[row]]
        most = max(steps)
        return tuple(base.numerator**step * base.denominator ** (most - step) for step in steps)

    def enclose_share(self, row: int, answers: Sequence[int], relative_bits: int) -> Interval:
        """Enclose the probability of some answers, of which there is at least one."""

        def share() -> arb:
            probabilities = self._probabilities(row)
            return _sum(probabilities[answer] for answer in answers)

        return enclosed(share, relative_bits)

    def enclose_divergence(self, first: int, second: int, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the sum of max(0, P - E Q) over all answers, P and Q the laws of two rows; exactly 0 where it is."""
        above = tuple(self._above(first, second, exp_eps))
        if not above:
            return Interval(Dyadic.of(0), Dyadic.of(0))

        def divergence() -> arb:
            p, q, level = self._probabilities(first), self._probabilities(second), real_ball(exp_eps)
            return _sum(p[answer] - level * q[answer] for answer in above)

        return enclosed(divergence, relative_bits)

    def _above(self, first: int, second: int, exp_eps: Real) -> Iterator[int]:
        """Yield the answers with P > E Q."""
        bits, open_answers = 64, list(range(len(self.rows[first])))
        is_first_look = True
        while open_answers:
            with precision(bits):
                p, q, level = self._probabilities(first), self._probabilities(second), real_ball(exp_eps)
                signs = {answer: proved_sign(p[answer] - level * q[answer]) for answer in open_answers}
            yield from (answer for answer, sign in signs.items() if sign > 0)
            open_answers = [answer for answer, sign in signs.items() if sign == 0]
            if is_first_look:
                open_answers = [answer for answer in open_answers if not self._is_tie(first, second, answer, exp_eps)]
            bits, is_first_look = 2 * bits, False

    def _is_tie(self, first: int, second: int, answer: int, exp_eps: Real) -> bool:
        """Whether P = E Q at an answer: w Z' - E w' Z is 0 for weights w and w' and sums Z and Z' of weights."""
        if self.base is not None and exp_eps.exponent:
            return False
        mine, theirs = self.rows[first], self.rows[second]
        total: Counter[Fraction] = Counter()
        for other, same in zip(theirs, mine, strict=True):
            self._add(total, mine[answer] + other, Fraction(1))
            self._add(total, theirs[answer] + same + exp_eps.exponent, -exp_eps.coefficient)
        return not any(total.values())

    def _add(self, total: Counter[Fraction], exponent: Fraction, coefficient: Fraction) -> None:
        """Add coefficient B^exponent to a sum, by independent powers (module docstring)."""
        whole = 0 if self.base is None else exponent.__floor__()
        total[exponent - whole] += coefficient * (1 if self.base is None else self.base**whole)  # type: ignore[assignment]

    def compare_power(self, exponent: Fraction, bound: Fraction) -> int:
        """Return -1, 0 or 1 as B^exponent is below, at or above a number > 0."""
        if self.base is None:
            return compare_reals(Real(1, exponent=exponent), bound)
        if exponent.denominator == 1:
            power = self.base**exponent.numerator
            return (power > bound) - (power < bound)
        return compare_reals(exponent * Real.log(self.base), Real.log(bound))  # irrational, so not a tie

    def _probabilities(self, row: int) -> list[arb]:
        """Return the law of a row at the current precision."""
        logarithm = arb(1) if self.base is None else rational_ball(self.base).log()
        top = max(self.rows[row])
        weights = [(rational_ball(exponent - top) * logarithm).exp() for exponent in self.rows[row]]
        total = _sum(weights)
        return [weight / total for weight in weights]


def _sum(balls: Iterable[arb]) -> arb:
    return sum(balls, arb(0))


def primitive_root(number: Fraction) -> tuple[Fraction, int]:
    """Return (c, m) with c^m = ``number`` for the largest m, for a rational number above 1.

    >>> primitive_root(Fraction(64, 729)**-1), primitive_root(Fraction(12))
    ((Fraction(3, 2), 6), (Fraction(12, 1), 1))
    """
    above, times_above = _integer_root(number.numerator)
    below, times_below = _integer_root(number.denominator)
    times = gcd(times_above, times_below)  # 1 is a power of everything, and has the exponent 0
    return Fraction(above ** (times_above // times), below ** (times_below // times) if times_below else 1), times


def _integer_root(number: int) -> tuple[int, int]:
    """Return (b, m) with b^m = ``number`` for the largest m; (1, 0) for 1."""
    if number == 1:
        return 1, 0
    for times in range(number.bit_length(), 1, -1):
        root = int(fmpz(number).root(times))
        if root > 1 and root**times == number:
            return root, times
    return number, 1


_REFUSAL: Final = (
    "the probabilities of this mechanism are irrational. Ask for delta and epsilon, which enclose them to any "
    "accuracy, or choose an exp_eps of which every exp_eps^(score / (2 sensitivity)) is rational."
)

_COMPARED: Final = 1024
"""Most pairs of data sets that are listed for many runs: each is compared with those that are kept."""


@dataclass(frozen=True, eq=False)
class ListedLaws(Engine):
    """The exact engine: ``laws`` has a row of integer weights for each data set, ``pairs`` the rows to compare."""

    laws: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int], ...]

    name = "listed laws"
    method = "compares the laws of the answers of all neighbouring data sets"

    @property
    def ratio_bits(self) -> int:
        """A likelihood ratio is below the largest weight times the largest sum of weights."""
        return max(max(law).bit_length() + sum(law).bit_length() for law in self.laws)

    @property
    def work(self) -> Work:
        """Both orders of every pair, and all answers."""
        return Work(2 * len(self.pairs), len(self.laws[0]))

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst pair and event; at infinity no event has a probability, as every answer has one."""
        return max(
            (self._event(first, second, exp_eps) for first, second in _both_orders(self.pairs)),
            key=lambda event: event.delta(exp_eps),
        )

    def _event(self, first: int, second: int, exp_eps: Fraction | None) -> WorstEvent:
        mine, theirs = self.laws[first], self.laws[second]
        total, other_total = sum(mine), sum(theirs)
        event: list[int] = []
        if exp_eps is not None:
            left, right = exp_eps.denominator * other_total, exp_eps.numerator * total
            event = [place for place, (p, q) in enumerate(zip(mine, theirs, strict=True)) if left * p > right * q]
        masses = (
            Fraction(sum(law[place] for place in event), weight)
            for law, weight in ((mine, total), (theirs, other_total))
        )
        return WorstEvent(_only(first, len(self.laws)), _only(second, len(self.laws)), *masses)


def enclosed_scores(weights: ScoreWeights, pairs: tuple[tuple[int, int], ...]) -> Enclosed:
    """Return the engine for irrational probabilities."""
    rows = [_only(row, len(weights.rows)) for row in range(len(weights.rows))]
    ordered = list(_both_orders(pairs))

    def enclose(exp_eps: Real | None, relative_bits: int) -> tuple[Interval, int]:
        """The largest divergence; at infinity it is 0."""
        delta, worst = Interval(Dyadic.of(0), Dyadic.of(0)), 0
        if exp_eps is None:
            return delta, worst
        for place, pair in enumerate(ordered):
            divergence = weights.enclose_divergence(*pair, exp_eps, relative_bits)
            if divergence.lower > delta.lower:
                worst = place
            delta = Interval.maximum(delta, divergence)
        return delta, worst

    method = "compares the laws of the answers of all neighbouring data sets, by proved signs"
    named = tuple((rows[first], rows[second]) for first, second in ordered)
    return Enclosed("enclosed scores", method, enclose, named, __name__, _REFUSAL, len(weights.rows[0]))


def _both_orders(pairs: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    for first, second in pairs:
        yield first, second
        yield second, first


def _only(row: int, rows: int) -> DataSet:
    """Return the data set of a row as the engines count: it, once."""
    return tuple(int(place == row) for place in range(rows))


@dataclass(frozen=True, slots=True)
class ScorePairs(SourceOfRuns):
    """Pairs of neighbouring data sets of a mechanism that picks an answer by its score."""

    weights: ScoreWeights
    pairs: tuple[tuple[int, int], ...]
    inputs: tuple[Any, ...]

    @property
    def subject(self) -> str:
        """What is run, in words."""
        rows = self.weights.rows
        return f"an exponential mechanism (data sets: {len(rows)}, answers: {len(rows[0])})"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"{len(self.pairs)} pairs of data sets, both orders"

    def law(self, row: int) -> Law:
        """Return the law of a data set on the places of the answers, where probabilities are rational."""
        weights = self.weights.integers(row)
        return Law.from_weights(dict(enumerate(weights)), sum(weights))

    def plan(self) -> Engine:
        """Choose the engine: the exact one where all probabilities are rational."""
        if self.weights.is_rational:
            return ListedLaws(tuple(map(self.weights.integers, range(len(self.inputs)))), self.pairs)
        return enclosed_scores(self.weights, self.pairs)

    def run_pairs(self) -> tuple[FinitePair, ...]:
        """Return pairs that dominate all, where the laws are rational and the pairs few."""
        if not self.weights.is_rational or len(self.pairs) > _COMPARED:
            return ()
        laws = {row: self.law(row) for row in {row for pair in self.pairs for row in pair}}
        both = ((laws[a], laws[b]) for pair in self.pairs for a, b in (pair, pair[::-1]))
        return undominated(FinitePair.of(*laws) for laws in both)

    def pairs_from_below(self, points: Grid, level: Fraction) -> tuple[PolygonPair, ...]:
        """Return both orders of the pair of data sets that is worst at a level, as what is at most its divergence."""
        return _worst_pair_from_below(self, points, level)


@lru_cache(maxsize=64)
def _worst_pair_from_below(source: ScorePairs, points: Grid, level: Fraction) -> tuple[PolygonPair, PolygonPair]:
    """Return both orders of the pair of data sets that is worst at a level, as what is at most its divergence."""
    worst = engine_of(source).bracket(Real(level), CURVE_BITS)
    rows = worst.pair[0].index(1), worst.pair[1].index(1)
    sides: list[list[Point]] = [[], []]
    for ratio in with_progress(points.levels, points.count + 1):
        for known, (first, second) in zip(sides, (rows, rows[::-1]), strict=True):
            delta = source.weights.enclose_divergence(first, second, Real(ratio), points.bits)
            known.append(Point(ratio, delta.lo, delta.hi))
    words = f"{source.inputs[rows[0]]!r} and {source.inputs[rows[1]]!r}"
    one, other = both_sides(sides[0], sides[1]), both_sides(sides[1], sides[0])
    return PolygonPair(masses_below(one, Fraction(0)), words), PolygonPair(masses_below(other, Fraction(0)), words)
