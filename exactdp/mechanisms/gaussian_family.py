"""The Gaussian randomizer: a number from 0 to 1 plus Gaussian noise, sent as it is unless it lies far outside.

The input x in [0, 1] is sent as y = x + sigma Z, Z standard normal, if y is in [-tau, 1 + tau], else as one word that
says so. Let F(t) = P[Z > t] and t = tau/sigma; t is the least multiple of 1/64 from 1 on with F(t) + F(t + 1/sigma) <=
delta0, so that the word has at most the probability delta0. Lengths are now in units of sigma, R_x is the normal law
around x, and inputs are from 0 to l = 1/sigma.

*Alone* it is eps0-DP with eps0 = l (t + l/2): two densities in the range have at most this ratio, at its ends. The
probability of the word is F(t + x) + F(t + l - x), convex in x as F is from 0 on: it is largest at 0 and l, at most 2
F(t), and least at l/2, 2 F(t + l/2). With the hazard rate of Z, at most s + 1/s at s > 0, their ratio is at most the
exponential of l t/2 + l^2/8 + l/(2 t), no more than e^eps0 where t >= 1.

*What holds for noise that is sent as it is.* Upper ends are those of R_x on the whole line, from which messages with
the word are a post-processing, and so are messages clipped to [-tau, 1 + tau], from which the word comes in turn. Lower
ends are those of bins, of which one is the word. So at E < e^eps0 both hold for all three: noise as it is, that
is (eps0, delta0)-DP, noise that is clipped, and noise with the word.

**Which inputs are the worst.** Let x, x' and v be of P, Q and R, a = x - v and b = x' - v. Under R_v, with z = y - v,

    L = e^(a z - a^2/2) - E e^(b z - b^2/2).

*Contracting.* Let vectors a, b of a plane stand for the numbers, z be two independent normal variables, and T a linear
map with |T| <= 1, to the line or the plane. Then L of (T a, T b) is the conditional mean of L of (a, b), for z = T' w +
(1 - T' T)^(1/2) w' with independent w, w', given w (Mehler): the latter is a spread of the former. So all triples on
the line may be stretched until the largest and the least of x, x', v are l apart. By mirror images, z -> -z, three
kinds are left:

    (0, l) beside v, 0 <= v <= l;        (a, l) beside 0 and (l, a) beside 0, 0 <= a <= l.

*Inputs in between.* Let 0 < a < l and h(a) = (a/l) e^(l (l - a)/2), which rises while l a <= 2. Beside 0, (a, l) has
the spread (0, l) where h(a) <= E, and (l, a) has the spread (l, 0) where E h(a) <= 1. *Proof.* Let U and V be the
ratios of R_l and R_a to R_0, and G = V - k U with k = E, or 1/E. L is G, or -E G; the other L is this plus D = 1 - V,
or E (V - 1), of mean 0. For convex f the mean of f(L + D) is at least that of f(L) + f'(L) D, where f' rises: it is
enough that V times R_0 has at most the mass of R_0 where G > x, for every x. V moves the normal law by a. G rises, then
falls, so that G > x is an interval; it begins nowhere, or its ends z1 < z2 have G(z1) = G(z2), and its mass does not
rise if z1 + z2 <= a. With z = a/2 + s, G = e^(a s) - K e^(l s), K = k e^(-l (l - a)/2) >= a/l, and G(-s) - G(s) = 2 (K
sinh(l s) - sinh(a s)) >= 0 for s > 0, as sinh(t)/t rises. So with s1 + s2 > 0 we would have -s2 < s1 < s2 and G(s1) =
G(s2) <= G(-s2): G does not fall and rise. QED At E from E1 to E2, E1 >= 1, cells of a begin where h(a) = E1, and those
of (l, a) where h(a) = 1/E2; none are needed where h stays below, as for (a, l) if l^2 <= 2: h is largest at 2/l, or if
that is beyond l at l, where it is 1. Joint spreads have all of them.

*Cells of v* from u to w, beside any fixed P and Q: R_v(y) is log-concave in v, so that R_v >= min(R_u, R_w), and what
is below a row may stand for it, mu kept (*Thinning* in :mod:`exactdp.mechanisms.density_family`, at each y with its
own share). It is R_w up to the middle and R_u from there on.

*Cells of Q*, (l, a) beside 0 with a = (1 - t) u + t w, 0 <= t <= 1. With x = ln(R_w/R_u), R_a is at least R_u e^(t x),
and 1 - t + t e^x <= e^(t x + x^2/8) (Hoeffding): R_a >= e^(-x^2/8) ((1 - t) R_u + t R_w). L grows where less is left of
Q, and then it is the mean, with the shares 1 - t and t, of what it is beside e^(-x^2/8) R_u and e^(-x^2/8) R_w in the
place of Q: E max(0, L + S) is at most a mean of both. That holds for less than e^(-x^2/8) too: its least in a cell of
messages, and in two that share a ray. What is lost of Q raises the mean of L: a cell is short where E is near 1.

*Cells of a* from u to w < l. The triple (a, l, 0), moved by -a and stretched by (l - u)/(l - a) >= 1, is (0, l - u)
beside v = -a (l - u)/(l - a), which lies between -u and -w (l - u)/(l - w): a cell of v.

*The last cell*, from u to l. In the plane let the two vectors be (A, c) and (B, 0). T = (T1, T2) with T1 = l/B and T2 =
(a - T1 A)/c takes them to a and l; |T|^2 <= 1 is convex in a, and looked at at a = u and a = l. Here L is that of two
products, P = R_A x R_c and Q = R_B x R_0 beside R_0 x R_0, and each factor may be spread for itself: given the message
of one, L is linear in P/R and Q/R of the other.

**Cells of messages.** Between two places (P/R, Q/R)(y) runs along a curve on which, but for factors, Q/R is a power of
P/R: on one side of its chord, and inside the rectangle around it. So it lies in the triangle of its two ends and one
corner of that rectangle, and is a mean of these three in one way only: their weights over the cell follow from the
masses of P, Q and R, and are spreads. Where a or b is 0 the ends alone are enough. Beyond the cells P is charged
(at most delta0 for l apart), and Q and R count for nothing.

*Rounding* is up for P, and down for Q and R, to multiples of 2^-96: L grows, or is thinned.

**The blanket** is c = min(R_0, R_l), of the mass gamma = 2 F(l/2): no row is below it. What a pair is beside c is not
known here to be worst for 0 and l, and bounded by its divergence alone, that of one user,
which is largest for (0, l): rays beside Q are a spread of it too.

**Bins** have irrational masses. Let P and Q be those of 0 and l in K bins, mixed with the uniform law, of the share
2^-40, and P', Q' laws with multiples of 2^-96 whose entries differ from these by at most h. *A channel leads from (P,
Q) to (P', Q')* if 2 h/D <= 2^-40/K, D = abs(P_i Q_k - P_k Q_i) for some i and k: the mixing is one, all of whose
entries are at least 2^-40/K, and to its columns i and k may be added what solves two linear equations for each entry;
this is at most 2 h/D, and adds up to 0 in each column, as P' - P and Q' - Q do.

**Classes.** Noise of a deviation s >= sigma has the densities R'_x >= (sigma/s) R_x: the ratio is least at y = x. Of
less noise no row has a share of a mixture of R_x, as its tails are thinner. Lower ends are those of cells inside the
ranges of all classes, and of one more, which is all the rest and the word: so they hold for all three as well.

Source: DworkRoth2014, Appendix A (the mechanism, while the proofs are this page's).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor
from typing import Any, ClassVar, Final

from flint import arb

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.density_family import Classes, DensityFamily, Spreads
from exactdp.mechanisms.family import EstimateSizes, FamilyRandomizer
from exactdp.mechanisms.gaussian_cells import Plane, apart, between, beyond, cuts, grid
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import dyadic, precision, rational_ball
from exactdp.numbers.bisection import bisect
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

SIGMA_RANGE: Final = (Fraction(1, 2), Fraction(2**10))
"""Of sigma: below, rare messages that say more than all users together decide, and what a cut charges for them may be
many times too much; beyond, bins are too much alike."""

DELTA0_RANGE: Final = (Fraction(1, 2**80), Fraction(1, 4))

_BITS: Final = 128
"""Precision of masses."""

_UNIT: Final = 2**96
"""Masses are rounded to multiples of 1 over this."""

_MIXED: Final = 2**40
"""1 over the share of the uniform law."""

_PARTS: Final = 64
"""tau/sigma is a multiple of 1 over this."""

_ACROSS: Final = 12
"""Cells of the second coordinate."""

_CUTS: Final = 4
_DEVIATIONS: Final = 3
"""Classes of users are told apart by cells of a deviation over the one, up to so many deviations beyond 0 and 1."""

_GUARD_BITS: Final = 32
"""Beyond those asked of a probability."""

_STARTS: Final = 2**32
"""Cells of a begin at a multiple of l over this."""

_LEVELS: Final = range(-10, 31)
"""Between two numbers E = 1 + 2^-k, for k in this, there are fewer rows than for all E."""

Triple = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True, slots=True, init=False)
class GaussianRandomizer(DensityFamily):
    """The Gaussian randomizer on [0, 1] as a family; the arguments are those of ``gaussian``.

    >>> one = GaussianRandomizer(sigma=1, delta0="1e-12")
    >>> one.tau, one.local_epsilon()
    (Fraction(451, 64), Real[483/64])
    """

    name: ClassVar[str] = "gaussian"
    sends_numbers: ClassVar[bool] = True
    levels: ClassVar[tuple[Fraction, ...]] = tuple(1 + Fraction(2) ** -k for k in reversed(_LEVELS))

    sigma: Fraction
    delta0: Fraction

    def __init__(self, *, sigma: Exact, delta0: Exact) -> None:
        set_fields(self, sigma=as_fraction(sigma, name="sigma"), delta0=as_fraction(delta0, name="delta0"))
        if not SIGMA_RANGE[0] <= self.sigma <= SIGMA_RANGE[1]:
            raise InvalidValueError(
                f"sigma={short(self.sigma)} is not from 1/2 to 2^10. Pass the deviation of the noise for inputs from 0 "
                "to 1, for example sigma=1."
            )
        if not DELTA0_RANGE[0] <= self.delta0 <= DELTA0_RANGE[1]:
            raise InvalidValueError(
                f"delta0={short(self.delta0)} is not from 2^-80 to 1/4. Pass how likely a message may be out of range, "
                "for example delta0=1e-12."
            )

    @property
    def is_rational(self) -> bool:
        return True

    @property
    def tau(self) -> Fraction:
        """How far beyond 0 and 1 a message may lie."""
        return self.sigma * self._reach

    @property
    def variance(self) -> Fraction:
        """Of the noise: with probability 1 - delta0 or more the message is the input plus it, of mean 0."""
        return self.sigma**2

    @property
    def estimate_sizes(self) -> EstimateSizes:
        """Of noise that is sent as it is."""
        return EstimateSizes(self.variance, self.variance, None, Fraction(0))

    def local_epsilon(self) -> Real:
        end = 1 / self.sigma
        return Real(end * (self._reach + end / 2))

    @property
    def _reach(self) -> Fraction:
        """t."""
        low, high = _PARTS, _PARTS**2
        with precision(_BITS):
            while low < high:
                middle = (low + high) // 2
                place = Fraction(middle, _PARTS)
                chance = _above(place) + _above(place + 1 / self.sigma)
                low, high = (low, middle) if chance <= rational_ball(self.delta0) else (middle + 1, high)
        return Fraction(low, _PARTS)

    def ends(self) -> tuple[int, int]:
        return 0, 1

    def largest_ratios(self, users: int) -> tuple[Fraction, ...]:
        return cuts(1 / self.sigma, users)

    def spreads(self, cells: int, most: Fraction | None = None) -> Spreads:
        end = 1 / self.sigma
        least = max((level for level in self.levels if most is not None and level < most), default=Fraction(1))
        swapped = (Fraction(0), end) if most is None else _inside(end, most)
        return self._spreads(cells, (_inside(end, 1 / least), swapped), apart(swapped[0], end, most))

    def joint_spreads(self, cells: int) -> Spreads:
        return self._spreads(cells // 2, ((Fraction(0), 1 / self.sigma),) * 2, [])

    def _spreads(self, cells: int, inside: Sequence[tuple[Fraction, Fraction]], held: Sequence[Fraction]) -> Spreads:
        """Return spreads with the cells of a between two places for (a, l), and between two others for (l, a).

        The latter are cells of Q between places ``held``, if there are some.
        """
        end, zero, reach, count = 1 / self.sigma, Fraction(0), self._reach, _count(cells)
        with precision(_BITS):
            first, *others, last = (_row((zero, end), cell, reach, count) for cell in pairwise(between(end)))
            rows = [first, last, *others]
            for is_swapped, (start, stop) in enumerate(inside[:1] if held else inside):
                for low, high, plane in beyond(end, start, stop):
                    if plane is None:
                        far = end - low
                        cell = -high * far / (end - high), -low
                        rows.append(_row((far, zero) if is_swapped else (zero, far), cell, reach, count))
                    else:
                        rows.append(_plane_row(plane, bool(is_swapped), reach, count))
            for cell in pairwise(held):
                rows += [_row((end, place), (zero, zero), reach, count, cell) for place in cell]
            alone = _row((zero, end), (end, end), reach, 2 * count)
            gamma = _down(2 * _above(end / 2))
        return Spreads(tuple((p, q, zero) for p, q, _ in alone), tuple(rows), gamma, leading=2)

    def cuts(self, inputs: Sequence[Any]) -> tuple[Fraction, ...]:
        step = self.sigma / _CUTS
        return tuple(k * step for k in range(-_DEVIATIONS * _CUTS, ceil((1 + _DEVIATIONS * self.sigma) / step) + 1))

    def below(self, value: Any, point: Fraction, bits: int) -> Fraction:
        away = (point - value) / self.sigma
        with precision(bits + _GUARD_BITS):
            chance = _above(-away) if away < 0 else 1 - _above(away)
            return max(Fraction(0), dyadic(chance.lower()).fraction())

    @property
    def told_within(self) -> tuple[Fraction, Fraction]:
        return -self.tau, 1 + self.tau

    def share_in(self, other: FamilyRandomizer) -> Fraction:
        if not isinstance(other, GaussianRandomizer) or other.sigma < self.sigma:
            return super(GaussianRandomizer, self).share_in(other)
        return self.sigma / other.sigma

    def binned(self, cells: int) -> tuple[PairTable]:
        end, zero = 1 / self.sigma, Fraction(0)
        points = grid(zero, end, end, self._reach, _count(cells))
        with precision(_BITS):
            first, second = (_mixed(row) for row in zip(*_masses(points, zero, end), strict=True))
        apart = [p - q for p, q in zip(first, second, strict=True)]
        i, k = apart.index(max(apart)), apart.index(min(apart))
        size, unlike = len(first), first[i] * second[k] - first[k] * second[i]
        assert 2 * _error(size) * size * _MIXED <= unlike - 4 * _error(size), "the channel of *Bins* does not exist"
        vectors = ((p, q, min(p, q), p, q) for p, q in zip(first, second, strict=True))
        return (PairTable.merged(*self.ends(), self.ends(), vectors),)


def _count(cells: int) -> int:
    """Return the number of cells of messages: 96 where Laplace noise has 24 in a unit, and more."""
    return min(96, 4 * cells)


def _above(place: Fraction) -> arb:
    """Enclose F."""
    return (rational_ball(place) / arb(2).sqrt()).erfc() / 2


def _down(ball: arb) -> Fraction:
    return max(Fraction(0), Fraction(floor(dyadic((ball * _UNIT).lower()).fraction()), _UNIT))


def _up(ball: arb) -> Fraction:
    return max(Fraction(0), Fraction(ceil(dyadic((ball * _UNIT).upper()).fraction()), _UNIT))


def _mass(low: Fraction, high: Fraction, place: Fraction) -> arb:
    """Enclose what the normal law around a place has between two others."""
    near, far = low - place, high - place
    return _above(near) - _above(far) if far > 0 else _above(-far) - _above(-near)


def _tails(points: Sequence[Fraction], place: Fraction) -> arb:
    return _above(points[-1] - place) + _above(place - points[0])


def _masses(points: Sequence[Fraction], first: Fraction, second: Fraction) -> Iterator[tuple[arb, arb]]:
    """Yield the masses of the cells between points, and of all that is beyond, under two inputs."""
    for low, high in pairwise(points):
        yield _mass(low, high, first), _mass(low, high, second)
    yield _tails(points, first), _tails(points, second)


def _error(size: int) -> Fraction:
    """h: what ``_mixed`` changes an entry by at most."""
    return Fraction(2 * size, _UNIT)


def _mixed(masses: Sequence[arb]) -> list[Fraction]:
    """Return a rational law beside one that is mixed with the uniform one; the first entry takes what is left."""
    size = len(masses)
    shares = [_down(mass * (1 - arb(1) / _MIXED) + arb(1) / (_MIXED * size)) for mass in masses]
    return [shares[0] + 1 - sum(shares), *shares[1:]]


@lru_cache(maxsize=128)
def _row(
    pair: tuple[Fraction, Fraction],
    held: tuple[Fraction, Fraction],
    reach: Fraction,
    count: int,
    cell: tuple[Fraction, Fraction] | None = None,
) -> Classes:
    """Return (P, Q, R) of two places beside the smaller of the rows of two others: by cells, and P beyond.

    Where a cell of Q is given, less of Q is left: e^(-x^2/8) (*Cells of Q*).
    """
    (first, second), (low, high) = pair, held
    middle = (low + high) / 2
    points = grid(first, second, low if first + second >= low + high else high, reach, count)
    if low < high and points[0] < middle < points[-1]:
        points = sorted({*points, middle})
    weights: defaultdict[Triple, arb] = defaultdict(arb)
    farthest: defaultdict[Triple, Fraction] = defaultdict(Fraction)
    for near, far in pairwise(points):
        v = high if far <= middle else low
        away = _away(cell, near, far) if cell else Fraction(0)
        for at_p, at_q, weight in _rays(first - v, second - v, near - v, far - v):
            ray = (at_p + v, at_q + v, v)
            weights[ray] += weight
            farthest[ray] = max(farthest[ray], away)
    zero, listed = Fraction(0), list[Triple]()
    for (at_p, at_q, v), weight in weights.items():
        left = rational_ball(-(farthest[at_p, at_q, v] ** 2) / 8).exp()
        p, q = weight * _ratio(first - v, at_p - v), left * weight * _ratio(second - v, at_q - v)
        listed.append((_up(p), _down(q), _down(weight)))
    return (*listed, (_up(_tails(points, first)), zero, zero))


def _away(cell: tuple[Fraction, Fraction], near: Fraction, far: Fraction) -> Fraction:
    """Return the largest abs(x) of a cell of messages."""
    low, high = cell
    return max(abs(point - (low + high) / 2) for point in (near, far)) * (high - low)


def _ratio(place: Fraction, z: Fraction) -> arb:
    """Enclose e^(a z - a^2/2)."""
    return rational_ball(place * (z - place / 2)).exp()


def _rays(a: Fraction, b: Fraction, near: Fraction, far: Fraction) -> Iterator[tuple[Fraction, Fraction, arb]]:
    """Yield where P/R and Q/R of each ray are taken, and its weight under R; R is around 0."""
    r = _mass(near, far, Fraction(0))
    by_p, by_q = (_share(place, near, far, r) if place else None for place in (a, b))
    if by_p is None or by_q is None:
        only = by_p if by_q is None else by_q
        shares = (r, arb(0)) if only is None else (r - only, only)
        yield near, near, shares[0]
        yield far, far, shares[1]
        return
    is_below = b / a >= 1 or b / a < 0  # whether the curve lies below its chord, as Q/R over P/R
    at_far, at_near, corner = (by_q, by_p, (far, near)) if is_below == (b > 0) else (by_p, by_q, (near, far))
    yield near, near, r - at_near
    yield far, far, at_far
    yield *corner, at_near - at_far


def _share(place: Fraction, near: Fraction, far: Fraction, r: arb) -> arb:
    """Enclose the weight of the far end, where the ratio to a place is spread to the two ends of a cell."""
    low, high = _ratio(place, near), _ratio(place, far)
    return (_mass(near, far, place) - r * low) / (high - low)


def _plane_row(plane: Plane, is_swapped: bool, reach: Fraction, count: int) -> Classes:
    """Return the row of the last cell, a product of two."""
    zero = Fraction(0)
    pairs = (plane.along, plane.length), (plane.across, zero)
    (along, across) = ((second, first) if is_swapped else (first, second) for first, second in pairs)
    one, other = (_row(pair, (zero, zero), reach, size) for pair, size in ((along, count // 2), (across, _ACROSS)))
    return tuple((p * x, q * y, r * z) for p, q, r in one for x, y, z in other)


def _inside(end: Fraction, most: Fraction) -> tuple[Fraction, Fraction]:
    """Return two a outside of which (*Inputs in between*) E h(a) <= 1 at an E, or 1 over one; l twice if that is all.

    h rises up to 2/l, then falls to 1.
    """
    peak = min(end, 2 / end)

    def holds(place: Fraction) -> bool:
        return bool(rational_ball(most * place / end) * rational_ball(end * (end - place) / 2).exp() <= 1)

    def farthest(outer: Fraction) -> Fraction:
        step = (peak - outer) / _STARTS
        return outer + step * bisect(_STARTS, 0, lambda k: holds(outer + k * step))

    with precision(_BITS):
        if holds(peak):
            return end, end
        return farthest(Fraction(0)), farthest(end) if holds(end) else end


def gaussian(*, sigma: Exact, delta0: Exact) -> GaussianRandomizer:
    """Return the Gaussian randomizer: the input, a number from 0 to 1, plus Gaussian noise, unless that is far outside.

    Args:
        sigma: the deviation of the noise, exact, from 1/2 to 2^10.
        delta0: how likely a message may be out of range, exact, from 2^-80 to 1/4: it says what the range is, [-tau,
            1 + tau], and a message out of it is one word.

    Messages are real numbers: delta and eps of ``ShuffleProtocol`` lie between two proved ends, which hold for noise
    that is clipped to the range, or sent as it is, as well (:mod:`exactdp.mechanisms.gaussian_family`). No view is
    drawn, and no table or certificate exists.

    >>> from exactdp import ShuffleProtocol
    >>> profile = ShuffleProtocol(gaussian(sigma=1, delta0="1e-12"), 10**4).privacy_profile()
    >>> profile.delta(exp_eps="26/25")
    Interval[0.000006036665966, 0.000006143584182]

    Source: DworkRoth2014, Appendix A.
    """
    return GaussianRandomizer(sigma=sigma, delta0=delta0)
