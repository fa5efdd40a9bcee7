"""The engines of two columns of sums, of which one user moves both: all data sets of few users, two ends of many.

What is compared, and why the ends are ends: what a replaced vector does to the two columns that it moves, at any number
of users.

n users send d bits each, all independent: the bit of the own input is one with probability p, every other bit with
q < p. Shown are the d column sums. Given the data they are independent, and that of input v is Bin(c, p) + Bin(n-c, q),
c the number of users who hold v. Let N = n - 1.

**One column.** With k of the N others at a chance h and the rest at l < h, write K(k) for their count, f_k for the law
of K(k) + Ber(h) and g_k for that of K(k) + Ber(l). A vector replaced by zeros, which are flipped like all others,
moves one column, f_a against g_a with h = p, l = q and any a = 0, ..., N: two-message response
(:mod:`exactdp.privacy.two_messages.two_messages`), exactly.

**Two columns.** A user's input u becomes w. The other columns have the same law in both worlds and are independent of
these two, so they drop out. Let a of the others hold u and b hold w; a + b <= N, and for d = 2 a + b = N. In column u
the user is at p against q: the pair (f_a, g_a) of h = p, l = q. In column w he is at q against p: of zeros in place of
ones, this is the pair (f_k, g_k) of h = 1-q, l = 1-p with k = N - b. So the divergence is that of a product,

    D(a, k) = H_E(f_a x f'_k || g_a x g'_k),   0 <= a <= k <= N   (a = k for d = 2),

with f', g' of the other chances. Exchanging u and w gives the other order of the pair: one order is enough.

*A staircase is the worst event.* f_k / g_k does not fall in the count: K(k) is log-concave, and with x the ratio
P[K = t] / P[K = t-1] the likelihood ratio is (h + (1-h) x) / (l + (1-l) x), which falls in x. So for every outcome of
one column the best event is {the other's count >= start}, and the start falls as the first count rises.

*Nothing beyond the local eps.* f_k / g_k is at most h/l, reached where all bits are ones. Thus delta is 0 just from
E = p(1-q) / (q(1-p)) on, the e^eps0 of one user, whatever a and k are.

*More users.* A user more, who holds a third input, or w, adds to the sums of a pair what does not depend on who
differs. So delta does not rise with n.

**Above.** Let F(E) be the largest H_E(f_k || g_k) over k = 0, ..., N, for every E > 0, and F' that of the other
chances. A pair of laws whose divergence is nowhere below F dominates every (f_k, g_k), and the order survives products
(:mod:`exactdp.privacy.composition.losses`): the product of both bounds D(a, k) for all a and k together, with no
condition on them. For E >= 1, F(E) is enclosed over all k by :mod:`exactdp.privacy.two_messages.worst_half_lines`. For
E < 1, H_E(f_k || g_k) = 1 - E + E H_(1/E)(g_k || f_k), and g_k against f_k, of zeros in place of ones, is the pair of
the other chances with N - k: F(E) = 1 - E + E F'(1/E). So points of F and F' at E >= 1 make both polygons
(:mod:`exactdp.privacy.composition.profile_pairs`). If bits are flipped symmetrically, p + q = 1, F and F' are one.

**Below** stand three real pairs: all others hold u (a = k = N), all hold w (a = k = 0), or all hold a third input
(a = 0, k = N; not for d = 2). Outcomes of one column between thresholds are merged, which lowers a divergence.

*How far apart.* For p + q = 1 the first of these is f_N against g_N, twice. Where every loss that matters is positive
and N large, a = N is worst in one column up to the lattice of counts: which k is worst changes with E within steps of
this lattice. That is all that is between the ends then: beyond some hundred ones in a column about 1 % of delta, and
10^-3 of eps. No a is worst at every E, also not an end: of n = 21 at p = 9/10 and E = 17, a = 18 beside b = 0 is.

Source: Darroch1964, Theorem 4 (modes, by which the worst thresholds are found).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt, lcm
from typing import Final

from exactdp.laws.binomial import Binomial
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
    searched_eps,
    upper_bound_at_once,
)
from exactdp.privacy.composition.law_pairs import PolygonPair
from exactdp.privacy.composition.mechanisms import Mechanism, SourceOfMechanisms
from exactdp.privacy.composition.profile_pairs import (
    Fineness,
    Point,
    both_sides,
    level_near,
    masses_above,
    masses_of_events,
)
from exactdp.privacy.engine import (
    Bound,
    DataSet,
    EnclosedEngine,
    Engine,
    ExpEpsRange,
    Level,
    ManyUsersError,
    Work,
    WorstEvent,
)
from exactdp.privacy.planner import ShufflePairs
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.privacy.two_messages.worst_half_lines import TwoRates, largest_difference
from exactdp.progress import report_progress, with_progress

_CURVE_BITS: Final = 16
"""Accuracy of the points of a column."""

_MOST_POINTS: Final = 256
"""Most points of a column on one side: each is a search among all data sets."""

_FIRST_LITTLE: Final = 200
"""A first look reaches to where the divergence is about 2 to minus this, unless less is enough."""

_TAIL_BITS: Final = 24
"""Tails of real pairs are known by so many bits better than a bit of a user changes them."""

_FINEST: Final = 16
"""Most thresholds of a real pair for a standard deviation of its count."""

_LITTLE_STEP: Final = 8
"""What is little is a power of 2 to minus a multiple of this, so that neighbouring questions agree."""

_MIDDLE: Final = Fraction(9, 8)
"""A loss in few digits is rounded down: this much of it is about in the middle."""

_WORDS: Final = "a sum beside others who all hold one input"
"""What a real pair of a column is of."""

_BELOW: Final = 4
"""Outcomes further than so many standard deviations on the side where losses are negative are one."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column in which the user who differs is at ``high`` against ``low``, and each of the others at one of them."""

    users: int
    high: Fraction
    low: Fraction

    @property
    def other(self) -> Column:
        """The column of zeros in place of ones, where he is at the larger chance after the change."""
        return Column(self.users, 1 - self.low, 1 - self.high)

    @property
    def first_step(self) -> Fraction:
        """A power of 2 below the least standard deviation of the loss, about (h - l) / (N h (1-h))^(1/2)."""
        spread = min(self.high * (1 - self.high), self.low * (1 - self.low)) * self.users
        root = Fraction(isqrt(int(spread * 2**64)) + 1, 2**32)
        step, least = Fraction(1), (self.high - self.low) / root
        while step > least:
            step /= 2
        return step

    def events(self, all_high: bool, step: Fraction, little: int) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield a lower bound of P and an upper one of Q for events {ones > m}, about a step of the loss apart.

        All others are at one chance. From the largest m down, each a multiple of the distance.
        """
        chance, others = self.high if all_high else self.low, self.users - 1
        law, variance = Binomial(others, chance), others * chance * (1 - chance)
        deviation = isqrt(int(variance)) + 1
        wanted = min(int(step * variance / (self.high - self.low)), deviation // _FINEST * 2)
        apart = 1 << max(0, wanted.bit_length() - 1)
        bits = _TAIL_BITS + deviation.bit_length()
        last = max(-1, int(others * chance) - _BELOW * deviation)
        m = law.quantile(1 - Fraction(1, 2**little)) // apart * apart
        while m > last:
            at, above = _at_and_above(law, m, bits)
            yield above.lo + self.high * at.lo, above.hi + self.low * at.hi
            m -= apart


@lru_cache(maxsize=2**14)
def _at_and_above(law: Binomial, m: int, bits: int) -> tuple[Interval, Interval]:
    return law.pmf(m, relative_bits=bits), law.sf(m, relative_bits=bits)


@lru_cache(maxsize=2**14)
def largest(column: Column, exp_eps: Fraction) -> Fraction:
    """Return a short number that is at least F(E) of a column, and about that: over all k, at E >= 1."""
    if column.high <= exp_eps * column.low:
        return Fraction(0)
    if column.users == 1:
        return column.high - exp_eps * column.low
    rates = TwoRates(column.users - 1, Real(column.low), Real(column.high), Real(exp_eps))
    report_progress(1)
    try:
        return largest_difference(rates, _CURVE_BITS).upper.fraction(max_bits=2**24)
    except ManyUsersError as error:
        return error.bracket.upper.fraction()


@dataclass(frozen=True, slots=True)
class _Places:
    """Where points of a column are: ``step`` apart about the loss that matters, and further apart away from it."""

    step: Fraction
    little: int
    middle: Fraction
    """About what one column loses of the whole."""

    @classmethod
    def of(cls, fineness: Fineness) -> _Places:
        """Return the places of a fineness, in few digits, so that neighbouring questions agree."""
        little = -(-fineness.little // _LITTLE_STEP) * _LITTLE_STEP
        return cls(fineness.step, little, fineness.losses[0] * _MIDDLE if fineness.losses else Fraction(0))


@lru_cache(maxsize=64)
def _points(column: Column, places: _Places) -> tuple[tuple[Point, ...], Fraction]:
    """Return points of F at losses from 0 to where it is little, and the step that was taken."""
    points, place, wide = list[Point](), 0, column.first_step
    least = Fraction(1, 2**places.little)
    while not points or points[-1].high > least:
        if len(points) > _MOST_POINTS:
            return _points(column, replace(places, step=2 * places.step))
        loss = place * places.step
        level = level_near(loss)
        points.append(Point(level, Fraction(0), largest(column, level)))
        apart = 1 << int(abs(loss - places.middle) / (2 * wide))
        while apart > 1 and apart * places.step > wide:
            apart //= 2
        place = (place // apart + 1) * apart
    return tuple(points), places.step


@lru_cache(maxsize=64)
def polygon_above(column: Column, places: _Places) -> PolygonPair:
    """Return a pair that dominates a column beside every number of others."""
    (forward, _), (backward, _) = (_points(one, places) for one in (column, column.other))
    return PolygonPair(masses_above(both_sides(forward, backward)))


@lru_cache(maxsize=64)
def polygon_below(column: Column, all_high: bool, places: _Places) -> PolygonPair:
    """Return a pair that a column dominates beside others who are all at one chance."""
    return PolygonPair(masses_of_events(column.events(all_high, places.step, places.little)), _WORDS)


@dataclass(frozen=True, slots=True)
class MovedColumn(Mechanism):
    """One of the columns that a replaced vector moves, beside whoever the others are.

    ``homogeneous`` says of each real pair of data sets, in one order for both columns, whether all others are at the
    larger chance in this one.
    """

    column: Column
    homogeneous: tuple[bool, ...]
    first_little: int = _FIRST_LITTLE

    pairs = None

    @property
    def widest_step(self) -> Fraction:
        """That of a first look."""
        return self.column.first_step

    def attains(self, notion: str) -> bool:
        """Whether real pairs attain it: none is known to."""
        return False

    def dominating_pairs(self, fineness: Fineness | None) -> tuple[PolygonPair, ...]:
        """Return one pair, from points of the largest divergence; from few of them for a first look."""
        wide = _Places(self.column.first_step, self.first_little, Fraction(0))
        return (polygon_above(self.column, wide if fineness is None else _Places.of(fineness)),)

    def real_pairs(self, fineness: Fineness) -> tuple[PolygonPair, ...]:
        """Return the column beside others who all hold one input."""
        return tuple(self.real_pair(fineness, place) for place in range(len(self.homogeneous)))

    def real_pair(self, fineness: Fineness, place: int) -> PolygonPair:
        """Return one of these."""
        return polygon_below(self.column, self.homogeneous[place], _Places.of(fineness))

    def is_finest(self, fineness: Fineness) -> bool:
        """Whether half the step would take more points than the limit."""
        taken = [_points(one, _Places.of(fineness)) for one in (self.column, self.column.other)]
        return any(step > fineness.step or 2 * len(points) > _MOST_POINTS for points, step in taken)


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
    theorem = "the product of two columns, each the worst beside all others"
    is_bracket = True
    usual_bits = _USUAL_BITS
    work = Work()

    @property
    def refusal(self) -> str:
        """Why exact masses are out of reach, and what to ask for."""
        return (
            f"delta of a replaced vector of n={self.source.vectors.users} users is known between two proved ends. "
            "Ask for delta, epsilon and bracket, which give both, or use fewer users."
        )

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
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
) -> Bound[Interval]:
    """Return both ends of a delta of about 2^-little or more, or any on one side of a target."""
    vectors, columns = engine.source.vectors, engine.source.columns(little)
    question = _question(exp_eps, Fraction(1, 2**relative_bits))
    place = _about_worst(engine.source, little, Dyadic.below(question.eps, _LIKE_BITS).fraction())

    def tried(fineness: Fineness) -> list[Combination]:
        return [tuple((column.real_pair(fineness, place), 1) for column in columns)]

    found = bracket_by_points([(column, 1) for column in columns], question, tried, target)
    low, high = (Interval(end, end) for end in (found.delta.lower, found.delta.upper))
    pair = vectors.data_sets(*vectors.homogeneous[place])
    return Bound(low, high, pair, engine.theorem, Level.TWO_ENDS)


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
