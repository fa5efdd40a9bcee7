"""Sums of bit vectors: what a replaced vector does to the two columns that it moves, at any number of users.

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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Final

from exactdp.laws.binomial import Binomial
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.law_pairs import PolygonPair
from exactdp.privacy.composition.mechanisms import Mechanism
from exactdp.privacy.composition.profile_pairs import (
    Fineness,
    Point,
    both_sides,
    level_near,
    masses_above,
    masses_of_events,
)
from exactdp.privacy.engine import ManyUsersError
from exactdp.privacy.two_messages.worst_half_lines import TwoRates, largest_difference
from exactdp.progress import report_progress

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
