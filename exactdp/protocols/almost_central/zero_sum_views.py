"""Sums of integers under zero-sum noise: what the view gives away, at any number of users.

A user with the number x in 0, ..., Delta sends x, if it is not 0, and noise messages. The shares of all users add up to
G1 messages +1, G2 messages -1, geometric of ratio p, W pairs {1, -1}, W a sum of negative binomial numbers, and for
every i with 2 <= abs(i) <= Delta so many times the multiset a_i = {i, -floor(i/2), -ceil(i/2)}: Z_i ~ NB(r_i, p_i),
all r at least 1 and all independent. The view is the vector of how often each message is sent.

**Theorem.** Let c(x) be the coefficients of x in multisets of sum 0 (below), and c their sum over the users. The view
is a bijective function of (U, V) = (G1 + W + c_1, G2 + W + c_-1) and of Z_i + c_i for 2 <= abs(i) <= Delta, and these
are independent. So if one user's x becomes y, the privacy loss is that of a *product*: of (U, V) moved by (c_1,
c_-1)(y) - (c_1, c_-1)(x), and of every Z_i moved by c_i(y) - c_i(x); and nothing else depends on the data set, or on n.

*Proof.* The vector of counts is U e_1 + V e_-1 + sum of Z_i a_i for the noise, plus sum of e_x over users; and e_x is
the sum of c_i(x) a_i, c_1(x) e_1 and c_-1(x) e_-1. These vectors are a basis of the integer vectors, so the
coefficients, which are what is listed, are read off the view and determine it. QED.

*The counts of +1 and -1.* D = U - V and M = min(U, V), without what is added, are independent, discrete Laplace and
Y = W + G, P[G = g] = (1 - p^2) p^(2g): for u - v = d, the sum over g of P[G1 = g + max(d, 0)] P[G2 = g - min(d, 0)]
P[W = min(u, v) - g] is (1-p) / (1+p) p^abs(d) times the sum over g of (1 - p^2) p^(2g) P[W = min(u, v) - g]. What a
move of (U, V) does to M, given D, is in :mod:`exactdp.protocols.almost_central.zero_sum_view`. For Delta = 1 there is
nothing else, and the one pair x = 0, y = 1, in two orders, is enclosed to any accuracy.

*Delta > 1.* For each ordered pair (x, y) the product is bounded from both sides on a lattice of losses: both ends are
ends of the exact divergence of that pair, and approach it as the lattice and the cells get finer. delta is the largest
of all pairs: those whose rough upper end is below the lower end of another one are left out. For larger bounds there
are two ends that cost little, and may be far apart (:mod:`exactdp.protocols.almost_central.zero_sum_view`).

Source: GhaziKumarManurangsiPaghSinha2021, section 3 (the protocol, while the theorem is this page's).

Multisets of messages that add up to 0, and how an integer is written by them
-----------------------------------------------------------------------------

For 2 <= abs(i) the multiset of i is a_i = {i, -floor(i/2), -ceil(i/2)}. With e_y for one message y, and e_0 = 0,

    e_i = a_i - e_(-floor(i/2)) - e_(-ceil(i/2)),

where the numbers on the right are about half as large. So every e_x is a sum of c_i(x) a_i plus c_1(x) e_1 plus
c_-1(x) e_-1, with integers c; and the a_i, e_1 and e_-1 are a basis of the integer vectors of counts: each a_i has one
entry 1 at i, and its others are at smaller numbers. c_i(x) >= 0 for i > 0 and <= 0 for i < 0: the signs of the numbers
and of what they are multiplied with change together from one step to the next.

Source: GhaziKumarManurangsiPaghSinha2021, section 3.

Both ends of the divergence of one product of pairs: each pair in cells, all convolved on a lattice of losses
-------------------------------------------------------------------------------------------------------------

A pair is given twice: as finitely many outcomes that dominate it, and as finitely many that it dominates
(:mod:`exactdp.protocols.almost_central.shared_noise`). Their products are bounded from above and from below by
:mod:`exactdp.privacy.composition.powers`; what is chosen here only makes the bounds meet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import ClassVar, Final

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.bracket import is_within, searched_eps
from exactdp.privacy.composition.heuristics import Losses, cap_at_depth, composition_choice, losses_between
from exactdp.privacy.composition.losses import LossPair
from exactdp.privacy.composition.powers import Factor, LowerFactor, Tuning, UpperBound, lower_bound, upper_bound
from exactdp.privacy.composition.profile_pairs import SourceOfRuns
from exactdp.privacy.engine import (
    Bound,
    DataSet,
    Enclosed,
    EnclosedEngine,
    Engine,
    ExpEpsRange,
    Level,
    Work,
    both_orders,
)
from exactdp.progress import with_progress
from exactdp.protocols.almost_central.shared_noise import any_of
from exactdp.protocols.almost_central.zero_sum_view import (
    BothCounts,
    both_counts_pair,
    multiset_pair,
    wide_lower_end,
    wide_upper_end,
)


def zero_sum_multiset(i: int) -> dict[int, int]:
    """Return the multiset of ``i`` other than 0 and -1 as message -> how often: {1, -1} for 1.

    >>> zero_sum_multiset(5), zero_sum_multiset(-4)
    ({5: 1, -2: 1, -3: 1}, {-4: 1, 2: 2})
    """
    multiset = {i: 1}
    for half in (-(i // 2), -i // 2):
        if half:
            multiset[half] = multiset.get(half, 0) + 1
    return multiset


@lru_cache(maxsize=2**12)
def coefficients(x: int) -> Mapping[int, int]:
    """Return c_i(x) for x >= 0, by i: of e_1 and e_-1 for i = 1 and -1, of the multiset of i for others.

    >>> coefficients(3), coefficients(4)
    ({3: 1, -1: -1, -2: -1, 1: 2}, {4: 1, -2: -2, 1: 4})
    """
    left, written = {x: 1} if x else {}, dict[int, int]()
    while left:
        halves: dict[int, int] = {}
        for i, times in left.items():
            written[i] = written.get(i, 0) + times
            if abs(i) > 1:
                for half, often in zero_sum_multiset(i).items():
                    if half != i:
                        halves[half] = halves.get(half, 0) - times * often
        left = halves
    return written


def moved(x: int, y: int) -> dict[int, int]:
    """Return by how much the coefficients move when a user's number becomes ``y`` instead of ``x``.

    >>> moved(1, 3)
    {1: 1, 3: 1, -1: -1, -2: -1}
    """
    change = {i: -times for i, times in coefficients(x).items()}
    for i, times in coefficients(y).items():
        change[i] = change.get(i, 0) + times
    return {i: times for i, times in change.items() if times}


def spread(bound: int) -> int:
    """Return the largest sum of abs(i c_i(x)) over the multisets, abs(i) >= 2, for x up to ``bound``."""
    return max(sum(abs(i * times) for i, times in coefficients(x).items() if abs(i) > 1) for x in range(bound + 1))


_ROUGH: Final = 6
"""Cells of a rough look: a sixth of a standard deviation, which changes a divergence by some percent."""

_FINE: Final = 24
"""Cells of a close look: they change a divergence by about 1e-3 of it."""

_ROUGH_WIDTH: Final = Fraction(1, 8)
"""What a rough look is meant to reach."""

_ROUNDS: Final = 7
"""Most attempts at one product; the lattice's part of the width falls to a quarter with each."""

_FIRST_TAIL_BITS: Final = 128
"""What is left out of listed noise is below 2^-128 first: far below any delta that is asked for in practice."""

_DEEPEST: Final = 2**8
"""Divergences below 2^-256 are not followed further down."""

_SPARE_BITS: Final = 32
"""Bits below the cut, so that rounding does not show before it does."""

_CUT_BITS: Final = 32
"""What is cut from the ends of a product is less than 2^-32 of the divergence."""

_LONGEST: Final = 2**12
"""All losses together are spread over so many lattice points at first."""

_SET_ASIDE_BITS: Final = 12
"""Losses that are counted as infinite change a divergence by at most 2^-12 of it for each pair."""


class CellPair(ABC):
    """An ordered pair of laws that is known in cells."""

    __slots__ = ()

    @abstractmethod
    def in_cells(self, fineness: int, tail_bits: int, *, from_above: bool) -> LossPair:
        """Return outcomes that dominate the pair, or are dominated by it; less than 2^-tail_bits is left out."""


@dataclass(frozen=True)
class _Attempt:
    """One way to compute both ends: outcomes that dominate the pairs, what counts as infinite, and the lattice."""

    above: Sequence[LossPair]
    caps: tuple[Fraction | None, ...]
    tuning: Tuning
    depth: int | None = None
    """About -log2 of the divergence for which nothing is tilted, and rare losses count as infinite; else None."""

    @classmethod
    def first(cls, above: Sequence[LossPair], eps: Fraction, width: Fraction) -> _Attempt:
        """Return the tilted one; a flat one where an infinite loss, or nearly, probably makes up the divergence."""
        losses = [Losses(pair.outline, pair.infinite_outline, 1) for pair in above]
        choice = composition_choice(losses, eps, width)
        cut = 16 + 2 * width.denominator.bit_length()
        tuning = Tuning(choice.step, choice.tilt, cut + _SPARE_BITS, cut, choice.length)
        attempt = cls(above, choice.caps, tuning)
        return attempt.flat(-choice.log_delta, eps) if choice.is_rare else attempt.on_a_lattice

    @property
    def on_a_lattice(self) -> _Attempt:
        """The same with a step so wide that all losses together fit into the largest length."""
        ranges = (losses_between(pair.outline, cap) for pair, cap in zip(self.above, self.caps, strict=True))
        reach = sum(ranges, Fraction(0))
        step = max(self.tuning.step, reach / Fraction(_LONGEST))
        return replace(self, tuning=replace(self.tuning, step=step, length=_LONGEST))

    def flat(self, depth: int, eps: Fraction) -> _Attempt:
        """Return the attempt without a tilt, for a divergence of about 2^-depth."""
        caps = tuple(cap_at_depth(pair.outline, depth + _SET_ASIDE_BITS, eps) for pair in self.above)
        tuning = replace(self.tuning, tilt=Fraction(0), cut=depth + _CUT_BITS, bits=depth + _CUT_BITS + _SPARE_BITS)
        return replace(self, caps=caps, tuning=tuning, depth=depth).on_a_lattice

    def finer(self) -> _Attempt:
        """Return the attempt on a lattice of half the step."""
        return replace(self, tuning=replace(self.tuning, step=self.tuning.step / 2, length=2 * self.tuning.length))

    def upper(self, exp_eps: Real) -> UpperBound:
        """Return a number at least the divergence, and how much of it bounds what was cut."""
        factors = [Factor((pair,), 1, cap) for pair, cap in zip(self.above, self.caps, strict=True)]
        return upper_bound(factors, exp_eps, self.tuning)

    def lower(self, below: Sequence[LossPair], exp_eps: Real) -> Dyadic:
        """Return a number at most the divergence, from outcomes that the pairs dominate."""
        factors = [LowerFactor(pair, 1, cap) for pair, cap in zip(below, self.caps, strict=True)]
        return lower_bound(factors, exp_eps, self.tuning)


def rough_upper_end(product: Sequence[CellPair], exp_eps: Real, eps: Fraction) -> Dyadic:
    """Return a number at least the divergence of a product, from one attempt."""
    pairs = [pair.in_cells(_ROUGH, _FIRST_TAIL_BITS, from_above=True) for pair in product]
    return min(Dyadic.of(1), _Attempt.first(pairs, eps, _ROUGH_WIDTH).upper(exp_eps).value)


def both_ends(product: Sequence[CellPair], exp_eps: Real, eps: Fraction, width: Fraction) -> Interval:
    """Enclose the divergence of a product at e^eps, within a relative width where that is reached."""
    tail_bits, ends = _FIRST_TAIL_BITS, Interval(Dyadic.of(0), Dyadic.of(1))
    above, below = _sides(product, tail_bits)
    attempt = _Attempt.first(above, eps, width)
    for _ in range(_ROUNDS):
        upper, lower = attempt.upper(exp_eps), attempt.lower(below, exp_eps)
        ends = Interval(max(ends.lower, lower), min(ends.upper, upper.value))
        if is_within(ends, width):
            break
        depth = max(0, -ends.upper.magnitude)
        shows = upper.cut.mantissa and upper.value.magnitude - upper.cut.magnitude < width.denominator.bit_length()
        if shows:
            depth = min(_DEEPEST, 2 * depth + _CUT_BITS)
        if depth + 2 * _SPARE_BITS > tail_bits and tail_bits < _DEEPEST:
            tail_bits = min(_DEEPEST, max(2 * tail_bits, depth + 4 * _SPARE_BITS))
            above, below = _sides(product, tail_bits)
            attempt = replace(attempt, above=above)
        if shows or attempt.depth is None or attempt.depth + 8 < depth or ends.lower.mantissa == 0:
            attempt = attempt.flat(depth, eps)  # a tilt may fit losses of one size only
        else:
            attempt = attempt.finer()
    return ends


def no_second(product: Sequence[CellPair], relative_bits: int) -> Interval:
    """Enclose the probability of what only the first of the laws reaches: the divergence at infinite eps."""
    masses = [pair.in_cells(_ROUGH, _FIRST_TAIL_BITS, from_above=True).infinite for pair in product]
    return any_of(masses, relative_bits)


def _sides(product: Sequence[CellPair], tail_bits: int) -> tuple[list[LossPair], list[LossPair]]:
    above, below = ([pair.in_cells(_FINE, tail_bits, from_above=side) for pair in product] for side in (True, False))
    return above, below


LARGEST_BOUND: Final = 4
"""Up to this bound all pairs of numbers are compared: 20 products, half a minute."""

_USUAL_BITS: Final = 7
"""Two ends within 1 % are looked for: each bit more costs more."""

_MOST_BITS: Final = 10
"""No narrower product is looked for; the cells alone cost about 2^-10."""

_NAME: Final = "zero-sum noise"
_METHOD: Final = "compares the sums under zero-sum noise of all pairs of numbers"
_REFUSAL: Final = (
    "the probabilities of this view are enclosed, not built. Ask for delta, epsilon and bracket, which enclose them."
)

Shape = tuple[Real, Real]
"""r and p of a negative binomial number."""


@dataclass(frozen=True, slots=True)
class MovedCounts(CellPair):
    """The counts of +1 and -1 against themselves moved."""

    counts: BothCounts
    up: int
    down: int

    def in_cells(self, fineness: int, tail_bits: int, *, from_above: bool) -> LossPair:
        """Return the pair in cells."""
        return both_counts_pair(self.counts, self.up, self.down, fineness, tail_bits, from_above=from_above)


@dataclass(frozen=True, slots=True)
class MovedMultiset(CellPair):
    """How often one multiset is sent, against the same moved."""

    shape: Shape
    shift: int

    def in_cells(self, fineness: int, tail_bits: int, *, from_above: bool) -> LossPair:
        """Return the pair in cells."""
        return multiset_pair(self.shape, self.shift, fineness, tail_bits, from_above=from_above)


@dataclass(frozen=True, slots=True)
class ListedCounts:
    """The counts of +1 and -1 against themselves with one user's bit changed, outcome by outcome."""

    counts: BothCounts
    change: int
    """1 where the second data set has the larger sum, else -1."""

    def losses(self, tail_bits: int) -> LossPair:
        """Return its losses up to where Y has less than 2^-tail_bits of its mass."""
        return both_counts_pair(self.counts, self.change, 0, None, tail_bits, from_above=False)


@dataclass(frozen=True, slots=True)
class ZeroSumNoise:
    """The noise of all users together.

    Args:
        p: ratio of G1 and G2.
        common: r and p of each part of W.
        multisets: r and p of Z_i and Z_-i for i = 2, ..., Delta.
    """

    p: Real
    common: tuple[Shape, ...]
    multisets: tuple[Shape, ...]

    @property
    def counts(self) -> BothCounts:
        """The counts of +1 and -1."""
        return BothCounts(self.p, self.common)

    def product(self, x: int, y: int) -> tuple[CellPair, ...]:
        """Return the pairs whose product is the view against the view when a user's x becomes y."""
        change = moved(x, y)
        up, down = change.pop(1, 0), change.pop(-1, 0)
        others = (MovedMultiset(self.multisets[abs(i) - 2], by) for i, by in sorted(change.items()))
        return (MovedCounts(self.counts, up, down), *others) if up or down else tuple(others)


@dataclass(frozen=True, eq=False)
class ZeroSumView(EnclosedEngine):
    """The engine for sums under zero-sum noise: all pairs of numbers from 0 to ``most``, which is above 1."""

    noise: ZeroSumNoise
    most: int
    users: int

    name: ClassVar[str] = _NAME
    method = _METHOD
    refusal = _REFUSAL
    is_bracket = True
    usual_bits = _USUAL_BITS

    @property
    def work(self) -> Work:
        """The ordered pairs of numbers; no outcomes are visited."""
        return Work(self.most * (self.most + 1))

    def data_sets(self, x: int, y: int) -> tuple[DataSet, DataSet]:
        """Return the data sets where one user has x, or y, and all others 0."""
        both = []
        for own in (x, y):
            counts = [self.users - 1, *[0] * self.most]
            counts[own] += 1
            both.append(tuple(counts))
        return both[0], both[1]

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends; ``exp_eps`` None stands for infinity."""
        return _kept_ends(self, exp_eps, min(relative_bits, _MOST_BITS))

    def rough_upper_bound(self, exp_eps: Fraction) -> Dyadic:
        """Return a number at least delta: the largest of the rough upper ends."""
        return _ranked(self, Real(exp_eps))[0][0]

    def exp_eps_range(self, target: Fraction, relative_bits: int | None = None) -> ExpEpsRange:
        """Return two numbers with e^eps at a target delta between them."""
        if target == 0:  # only the first law reaches D <= 0 and M = 0, if a bit becomes 1
            return ExpEpsRange(Fraction(1), None)
        width = Fraction(1, 2 ** min(_MOST_BITS, relative_bits or self.usual_bits))
        limit = self.enclosed(None, _MOST_BITS)
        if limit.lower.lower.compare(target) > 0:
            return ExpEpsRange(Fraction(1), None)

        def bracketed(eps: Fraction, relative_width: Fraction) -> Interval:
            bits = relative_width.denominator.bit_length()
            return self.enclosed(Real.exp(eps), bits).delta

        eps = searched_eps(bracketed, target, width)
        if not isinstance(eps, Interval):
            return ExpEpsRange(Fraction(1), Fraction(1))
        low, high = (enclose_real(Real.exp(end), relative_bits=64) for end in (eps.lo, eps.hi))
        return ExpEpsRange(max(Fraction(1), low.lo), high.hi)


@dataclass(frozen=True, eq=False)
class WideZeroSumView(ZeroSumView):
    """The engine for larger bounds: two ends that are found at once, and may be far apart."""

    method = "bounds the sums under zero-sum noise of all pairs of numbers from both sides"
    theorem = "composition of one event for each kind of noise (exactdp.protocols.almost_central.zero_sum_view)"
    work = Work()

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends: of the counts' composition, and of the sum of all messages."""
        return _both(self, wide_lower_end(self.noise.p, self.most, exp_eps), self._upper(exp_eps), (0, self.most))

    def rough_upper_bound(self, exp_eps: Fraction) -> Dyadic:
        """Return the upper end."""
        return self._upper(Real(exp_eps))

    def _upper(self, exp_eps: Real | None) -> Dyadic:
        parts = {1: self.noise.common[0], **dict(enumerate(self.noise.multisets, start=2))}
        return wide_upper_end(self.noise.p, parts, _used(self.most), exp_eps)


@lru_cache(maxsize=8)
def _used(bound: int) -> tuple[dict[int, int], ...]:
    """Return for every number up to the bound how often the multisets of i and -i occur in it, i from 2 on."""
    listed = []
    for x in range(bound + 1):
        used: dict[int, int] = {}
        for i, times in coefficients(x).items():
            if abs(i) > 1:
                used[abs(i)] = used.get(abs(i), 0) + abs(times)
        listed.append(used)
    return tuple(listed)


def _about(exp_eps: Real) -> Fraction:
    """Return a number near eps."""
    near = Real.log(exp_eps)
    return enclose_real(near, relative_bits=40).lo if exp_eps != Real(1) else Fraction(0)


@lru_cache(maxsize=64)
def _ranked(engine: ZeroSumView, exp_eps: Real) -> tuple[tuple[Dyadic, tuple[int, int]], ...]:
    """Return all ordered pairs of numbers with rough upper ends, the largest first."""
    eps, pairs = _about(exp_eps), list(permutations(range(engine.most + 1), 2))
    rough = [(rough_upper_end(engine.noise.product(*pair), exp_eps, eps), pair) for pair in with_progress(pairs)]
    return tuple(sorted(rough, key=lambda end: end[0], reverse=True))


@lru_cache(maxsize=256)
def _kept_ends(engine: ZeroSumView, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
    if exp_eps is None:
        return _limit(engine, relative_bits)
    width, eps = Fraction(1, 2**relative_bits), _about(exp_eps)
    best, upper, worst = Dyadic.of(0), Dyadic.of(0), (0, engine.most)
    for rough, pair in _ranked(engine, exp_eps):
        if rough <= best or rough <= upper:
            break
        ends = both_ends(engine.noise.product(*pair), exp_eps, eps, width)
        upper = max(upper, min(rough, ends.upper))
        if ends.lower > best:
            best, worst = ends.lower, pair
    return _both(engine, best, upper, worst)


def _limit(engine: ZeroSumView, relative_bits: int) -> Bound[Interval]:
    """Return the bracket at infinite eps: what one law reaches and the other does not."""
    alone = [
        (no_second(engine.noise.product(*pair), relative_bits), pair)
        for pair in permutations(range(engine.most + 1), 2)
    ]
    value, worst = max(alone, key=lambda one: one[0].lower)
    upper = max(one.upper for one, _ in alone)
    return _both(engine, value.lower, upper, worst)


def _both(engine: ZeroSumView, lower: Dyadic, upper: Dyadic, worst: tuple[int, int]) -> Bound[Interval]:
    low, high, between = Interval(lower, lower), Interval(upper, upper), Interval(lower, upper)
    return Bound(low, high, engine.data_sets(*worst), engine.theorem, Level.TWO_ENDS, between)


@dataclass(frozen=True, slots=True)
class ZeroSumPairs(SourceOfRuns):
    """All neighbouring data sets of numbers that are added under zero-sum noise; ``users`` is only for showing them."""

    noise: ZeroSumNoise
    bound: int
    users: int

    scope = "all replace-one pairs of data sets, both orders"

    @property
    def inputs(self) -> tuple[int, ...]:
        """The numbers a user can have."""
        return tuple(range(self.bound + 1))

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"a sum of integers from 0 to {self.bound} under zero-sum noise"

    def run_pairs(self) -> tuple[ListedCounts, ...]:
        """Both orders of the one pair of bits; none for a larger bound."""
        return tuple(ListedCounts(self.noise.counts, change) for change in (1, -1)) if self.bound == 1 else ()

    def plan(self) -> Engine:
        """Choose the engine: one pair of bits is enclosed."""
        if self.bound == 1:
            pairs = both_orders((self.users, 0), (self.users - 1, 1))
            return Enclosed(_NAME, _METHOD, self.noise.counts.enclose_delta, pairs, __name__, _REFUSAL)
        engine = ZeroSumView if self.bound <= LARGEST_BOUND else WideZeroSumView
        return engine(self.noise, self.bound, self.users)
