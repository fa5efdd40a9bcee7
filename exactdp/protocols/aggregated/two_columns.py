"""The engines of two columns of sums, of which one user moves both: all data sets of few users, two ends of many.

What is compared, and why the ends are ends, is proved in :mod:`exactdp.protocols.aggregated.moved_columns`.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import lcm
from typing import Final

from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.numbers.rationals import ratio
from exactdp.numbers.real import Real
from exactdp.privacy.composition.bracket import (
    Combination,
    Question,
    bracket,
    bracket_by_points,
    upper_bound_at_once,
)
from exactdp.privacy.composition.composed_epsilon import searched_eps
from exactdp.privacy.composition.mechanisms import SourceOfMechanisms
from exactdp.privacy.composition.profile_pairs import Fineness
from exactdp.privacy.engine import DataSet, DeltaBounds, EnclosedEngine, Engine, ExpEpsRange, Work, WorstEvent
from exactdp.privacy.planner import ShufflePairs
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.progress import with_progress
from exactdp.protocols.aggregated.moved_columns import Column, MovedColumn

_STEPS: Final = 5 * 10**4
"""Most pairs of data sets times outcomes that are compared exactly: a tenth of a second for one delta."""

_USUAL_BITS: Final = 8
"""Two ends of delta within 0.4 % are looked for."""

_EPS_BITS: Final = 10
"""Of eps within 0.1 %, which is about as much."""

_ROUGH: Final = Fraction(1, 8)
"""Real pairs are compared at this width."""

_LIKE_BITS: Final = 2
"""They are compared once for every eps that agrees in so many bits."""

_LITTLE: Final = 32
"""Two to minus a multiple of this is little beside delta, at first."""

_MOST_LITTLE: Final = 2**9
"""No smaller delta is followed further down."""

_SPARE_BITS: Final = 16
"""What is left out of a column first is so far below delta."""

_LEVEL_BITS: Final = 64
"""Ends of e^eps are rounded outward to so many bits."""

_KEPT: Final = 256
"""Brackets that are kept."""


class Counts:
    """The laws of one column's count beside each number k of others at the larger chance, over one total."""

    def __init__(self, column: Column) -> None:
        low, high = column.low, column.high
        total = lcm(low.denominator, high.denominator)
        self.total, self.laws = total**column.users, list[tuple[list[int], list[int]]]()
        a, b, others = int(total * low), int(total * high), column.users - 1
        weights = [(total - a) ** others]
        for t in range(others):
            weights.append(weights[-1] * (others - t) * a // ((t + 1) * (total - a)))
        for _ in range(column.users):
            self.laws.append((_with_coin(weights, b, total), _with_coin(weights, a, total)))
            before = last = 0
            for t, weight in enumerate(weights):  # one coin of b in place of one of a
                last = ((total - b) * weight + b * before - a * last) // (total - a)
                before, weights[t] = weight, last


def _with_coin(weights: list[int], one: int, total: int) -> list[int]:
    return [one * below + (total - one) * at for below, at in zip([0, *weights], [*weights, 0], strict=True)]


@dataclass(frozen=True, slots=True)
class Vectors:
    """n users who send ``inputs`` bits, that of the own input one with probability ``keep``, others with ``noise``."""

    users: int
    inputs: int
    keep: Fraction
    noise: Fraction

    @property
    def columns(self) -> tuple[Column, Column]:
        """The column of the input that is replaced, and that of zeros of the new input."""
        first = Column(self.users, self.keep, self.noise)
        return first, first.other

    @property
    def numbers(self) -> Iterator[tuple[int, int]]:
        """Pairs of data sets: how many others hold the user's input, and how many do not hold the new one."""
        others = self.users - 1
        return ((a, k) for a in range(others + 1) for k in range(a, (a if self.inputs == 2 else others) + 1))

    @property
    def homogeneous(self) -> tuple[tuple[int, int], ...]:
        """Those whose others all hold one input: the user's, the new one, or a third one."""
        others = self.users - 1
        return ((others, others), (0, 0), *([(0, others)] if self.inputs > 2 else []))

    @property
    def exp_eps0(self) -> Fraction:
        """The local e^eps0, from which on delta is 0."""
        return self.keep * (1 - self.noise) / (self.noise * (1 - self.keep))

    def data_sets(self, a: int, k: int) -> tuple[DataSet, DataSet]:
        """Return the pair, by who holds the user's input, the new one, and a third one."""
        b, rest = self.users - 1 - k, k - a
        third = (rest,) if self.inputs > 2 else ()
        return (a + 1, b, *third), (a, b + 1, *third)


@dataclass(frozen=True, eq=False)
class TwoColumnScan(Engine):
    """The engine for few users: all pairs of data sets, on the staircase that is worst for each."""

    vectors: Vectors

    name = "two sums"
    method = "compares two sums that change together, beside all other users"

    @property
    def work(self) -> Work:
        """Ordered pairs of data sets, and the steps of two counts."""
        n = self.vectors.users
        pairs = n if self.vectors.inputs == 2 else n * (n + 1) // 2
        return Work(pairs, 2 * (n + 1), 2 * pairs * (n + 1))

    @property
    def ratio_bits(self) -> int:
        """A b such that every likelihood ratio is below 2**b."""
        return int(self.vectors.exp_eps0).bit_length()

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst pair and event, exactly; one order is enough."""
        vectors = self.vectors
        if exp_eps is None or exp_eps >= vectors.exp_eps0:
            return WorstEvent(*vectors.data_sets(0, vectors.users - 1 if vectors.inputs > 2 else 0), *_NOTHING)
        one, other = (_kept_counts(column) for column in vectors.columns)
        up, down = exp_eps.numerator, exp_eps.denominator
        best, found = 0, (0, 0, 0, 0)
        for a, k in with_progress(vectors.numbers, self.work.pairs):
            first, second = _staircase(one.laws[a], other.laws[k], up, down)
            if (value := down * first - up * second) > best:
                best, found = value, (a, k, first, second)
        a, k, first, second = found
        scale = one.total * other.total
        return WorstEvent(*vectors.data_sets(a, k), ratio(first, scale), ratio(second, scale))


_NOTHING: Final = (Fraction(0), Fraction(0))


@lru_cache(maxsize=8)
def _kept_counts(column: Column) -> Counts:
    return Counts(column)


def _staircase(
    one: tuple[list[int], list[int]], other: tuple[list[int], list[int]], up: int, down: int
) -> tuple[int, int]:
    """Return the weights of the worst event at up/down, under the first laws of both counts and under the second."""
    (p, q), (r, s) = one, other
    above_p, above_q = (list(accumulate(reversed(side), initial=0))[::-1] for side in one)
    first = second = 0
    start = len(p)
    for x, y in zip(r, s, strict=True):  # the start falls as this count rises
        gain, loss = x * down, y * up
        while start and p[start - 1] * gain > q[start - 1] * loss:
            start -= 1
        first, second = first + x * above_p[start], second + y * above_q[start]
    return first, second


@dataclass(frozen=True, eq=False)
class TwoColumnBracket(EnclosedEngine):
    """The engine for any number of users: both columns beside all others from above, and real pairs from below."""

    source: ColumnPairs

    name = "two sums"
    method = "bounds two sums that change together by both of them alone, and from below by others who hold one input"
    is_bracket = True

    @property
    def refusal(self) -> str:
        """Why exact masses are out of reach, and what to ask for."""
        return (
            f"delta of a replaced vector of n={self.source.vectors.users} users is known between two proved ends. "
            "Ask for delta, epsilon and bracket, which give both, or use fewer users."
        )

    @property
    def theorem(self) -> str:
        """What proves upper ends."""
        return "the product of two columns, each the worst beside all others"

    @property
    def usual_bits(self) -> int:
        """0.4 %, for the composition of both columns."""
        return _USUAL_BITS

    @property
    def work(self) -> Work:
        """Points of a column; nothing is visited."""
        return Work()

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> DeltaBounds:
        """Return both ends; None stands for infinity."""
        vectors = self.source.vectors
        if exp_eps is None or compare_reals(exp_eps, vectors.exp_eps0) >= 0:
            return self.known(*vectors.data_sets(*vectors.homogeneous[0]), Interval.around(0, relative_bits=1))
        return _kept_ends(self, exp_eps, min(relative_bits, _USUAL_BITS), self.rough_depth(exp_eps)[1], None)

    def rough_upper_bound(self, exp_eps: Fraction) -> Dyadic:
        """Return a number at least delta, from few points."""
        return self.rough_depth(Real(exp_eps))[0]

    def rough_depth(self, exp_eps: Real, little: int = _LITTLE) -> tuple[Dyadic, int]:
        """Return a number at least delta, from few points, and an l with about 2^-l below it; from ``little`` on."""
        if compare_reals(exp_eps, self.source.vectors.exp_eps0) >= 0:
            return Dyadic.of(0), little
        question = _question(exp_eps, _ROUGH)
        while True:
            upper = upper_bound_at_once([(column, 1) for column in self.source.columns(little)], question)
            if upper.magnitude > -little or little >= _MOST_LITTLE:
                return upper, little
            little *= 2

    def exp_eps_range(self, target: Fraction, relative_bits: int | None = None) -> ExpEpsRange:
        """Return two numbers with e^eps at a target delta between them; at delta = 0 it is the local one."""
        exp_eps0 = self.source.vectors.exp_eps0
        if target == 0:
            return ExpEpsRange(exp_eps0, exp_eps0)
        width = Fraction(1, 2 ** min(_EPS_BITS, relative_bits or _EPS_BITS))

        little = _LITTLE * -(-target.denominator.bit_length() // _LITTLE)

        def bracketed(eps: Fraction, relative_width: Fraction) -> Interval:
            level = Real.exp(eps)
            if compare_reals(level, exp_eps0) >= 0:
                return Interval.around(0, relative_bits=1)
            bits = min(_USUAL_BITS, relative_width.denominator.bit_length() - 1)
            return _kept_ends(self, level, bits, little, target).delta

        def rough(eps: Fraction) -> Dyadic:
            if compare_reals(Real.exp(eps), exp_eps0) >= 0:
                return Dyadic.of(0)
            columns = [(column, 1) for column in self.source.columns(little)]
            return upper_bound_at_once(columns, _question(Real.exp(eps), _ROUGH))

        eps = searched_eps(bracketed, target, width, rough)
        if not isinstance(eps, Interval):
            return ExpEpsRange(_ONE, _ONE)
        low, high = (enclose_real(Real.exp(end), relative_bits=_LEVEL_BITS) for end in (eps.lo, eps.hi))
        return ExpEpsRange(max(_ONE, low.lo), min(high.hi, exp_eps0))


_ONE: Final = Fraction(1)


def _question(exp_eps: Real, width: Fraction) -> Question:
    eps = Fraction(0) if exp_eps == Real(1) else enclose_real(Real.log(exp_eps), relative_bits=_LEVEL_BITS).lo
    return Question(exp_eps, eps, width)


@lru_cache(maxsize=_KEPT)
def _kept_ends(
    engine: TwoColumnBracket, exp_eps: Real, relative_bits: int, little: int, target: Fraction | None
) -> DeltaBounds:
    """Return both ends of a delta of about 2^-little or more, or any on one side of a target."""
    vectors, columns = engine.source.vectors, engine.source.columns(little)
    question = _question(exp_eps, Fraction(1, 2**relative_bits))
    place = _about_worst(engine.source, little, Dyadic.below(question.eps, _LIKE_BITS).fraction())

    def tried(fineness: Fineness) -> list[Combination]:
        return [tuple((column.real_pair(fineness, place), 1) for column in columns)]

    found = bracket_by_points([(column, 1) for column in columns], question, tried, target)
    low, high = (Interval(end, end) for end in (found.delta.lower, found.delta.upper))
    pair = vectors.data_sets(*vectors.homogeneous[place])
    return DeltaBounds(low, high, *pair, low, engine.theorem, is_closed=False)


@lru_cache(maxsize=_KEPT)
def _about_worst(source: ColumnPairs, little: int, eps: Fraction) -> int:
    """Return which of the real pairs is about the worst near an eps, by a rough look."""
    columns = source.columns(little)
    wide = Fineness(min(column.widest_step for column in columns), little + _SPARE_BITS, (Fraction(0),))
    real = [column.real_pairs(wide) for column in columns]
    combinations: list[Combination] = [tuple((pair, 1) for pair in pairs) for pairs in zip(*real, strict=True)]
    above = [(column.dominating_pairs(None), 1) for column in columns]
    question = Question(Real.exp(eps) if eps else Real(1), eps, _ROUGH)
    found = bracket(above, combinations, question, meets=False)
    return 0 if found.attained_by is None else combinations.index(found.attained_by)


@dataclass(frozen=True, slots=True)
class ColumnPairs(SourceOfMechanisms):
    """All pairs of data sets of vectors that are added up, of which one vector is replaced."""

    vectors: Vectors
    limit: int = DEFAULT_LIMIT

    scope = "all replace-one pairs of data sets, both orders"

    @property
    def subject(self) -> str:
        """What is run, in words."""
        one = self.vectors
        return f"{about(one.inputs)} sums of flipped bits, n = {one.users} users who follow it"

    @property
    def inputs(self) -> tuple[int, ...]:
        """What the positions of a data set stand for: the input that is replaced, the new one, and a third one."""
        return tuple(range(min(3, self.vectors.inputs)))

    def plan(self) -> Engine:
        """Choose the engine."""
        exact = TwoColumnScan(self.vectors)
        steps = exact.work.steps
        assert steps is not None
        return exact if steps <= min(self.limit, _STEPS) else TwoColumnBracket(self)

    def mechanisms(self) -> tuple[MovedColumn, ...]:
        """The two columns."""
        others = self.vectors.users - 1
        return tuple(
            MovedColumn(column, tuple(numbers[place] == others for numbers in self.vectors.homogeneous))
            for place, column in enumerate(self.vectors.columns)
        )

    def columns(self, little: int) -> tuple[MovedColumn, ...]:
        """The same for a delta of about 2^-little or more."""
        return tuple(replace(column, first_little=little + _SPARE_BITS) for column in self.mechanisms())


@dataclass(frozen=True, slots=True)
class OneColumnPairs(ShufflePairs):
    """All pairs of data sets of vectors that are added up, of which one vector is replaced by zeros: one column moves.

    The inputs are 1, who holds the column's input, and 0, who does not, or is replaced.
    """

    scope = "all replace-by-zeros pairs of data sets, both orders"

    @classmethod
    def of(cls, vectors: Vectors, limit: int) -> OneColumnPairs:
        """Return the pairs of a column as those of what its users send."""
        return cls(cls.table_of(vectors), vectors.users, Neighbors.REPLACE_ONE, limit)

    @staticmethod
    def table_of(vectors: Vectors) -> Randomizer:
        """Return what a user sends in one column."""
        chances = {0: vectors.noise, 1: vectors.keep}
        return Randomizer({held: {(0,): 1 - chance, (1,): chance} for held, chance in chances.items()})

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"a sum of flipped bits, n = {self.users} users who follow it"
