"""The Laplace randomizer: a number from 0 to 1 plus Laplace noise of scale 1/eps0, sent as it is.

The input x in [0, 1] is sent as a real number y with the density R_x(y) = (eps0/2) e^(-eps0 |x - y|). Alone it is
eps0-DP, as |x - x'| <= 1. The message is an unbiased estimate of x, of variance 2/eps0^2.

Lengths are measured in units of 1/eps0, by u = e^(eps0 x), which runs from 1 to T = e^eps0: with rational u all that
follows is rational. R_x is the law of Brownian motion that starts in x and is stopped at an independent exponential
time; what is used of it are the two identities that it suggests, each checked by a look at e^(+-eps0 y) on each side:

*Hitting.* For v < w let q = e^(-eps0 (w - v)). Then R_v >= q R_w, with equality at y >= w; likewise from the right.

*Leaving.* For u < v < w there are a, b > 0 with R_v = a R_u + b R_w outside of (u, w), and R_v is more inside. Where w
- u = s/eps0, a + b = cosh(d)/cosh(s/2), d the distance of eps0 v from the middle: at least 1/cosh(s/2).

**One grid of cells.** Take points u_0 = 1 < ... < u_t = T, with all inputs that are named among them, and let k(u, u')
= min(u/u', u'/u). On the cell between u_j and u_(j+1) each named row is c e^(eps0 y) or c' e^(-eps0 y), so that the
vector of all of them lies between those at the two ends: two rays, k(., u_j) and k(., u_(j+1)). By symmetry each gets
h_j = (1 - r)/(2 (1 + r)), r = u_j/u_(j+1), of its ray; beyond 0 and beyond 1 the vector is that of the end, with the
weight 1/2. So message j has the rows w_j k(u, u_j), w_j = h_(j-1) + h_j, and 1/2 more at the ends: the clipped discrete
Laplace law, with steps that may differ. *Binned*, the cells have the rows abs(k(u, u_j) - k(u, u_(j+1)))/2, and k(u,
u_0)/2 and k(u, u_t)/2 beyond the ends.

**Which pairs are the worst.** Lengths are now in units, the inputs lie in [0, l], l = eps0. Let x < x' (the others are
mirror images), d = x' - x, E >= 1 and k = E e^-d < 1: else P <= E Q everywhere, and the divergence is 0. Write L for
mu/R_v under R_v; f is convex. As R_x falls or rises by itself on each side of x,

    d/dx E f(L) = -(R_x[f'(L); y < x] - R_x[f'(L); y > x]),
    d/dx' E f(L) = E (R_x'[f'(L); y < x'] - R_x'[f'; y > x']),

with the same mass 1/2 on both sides.

*Another user between: x <= v <= x'.* L(y) never rises: it is constant up to x and from x' on, in between R_x/R_v is
proportional to e^(-2y) before v and constant after, R_x'/R_v constant before v and proportional to e^(2y) after. So E
f(L) rises as x falls to 0, and as x' rises to l: L has the spread of the pair (0, l) beside v. And with u_j <= v <=
u_(j+1) of a grid, *Leaving* and thinning by q = 1/cosh(s/2) make it a mixture of those of (0, l) beside u_j and
u_(j+1), thinned. With r = u_j/u_(j+1) = e^-s, 1/cosh(s/2) = 2 r^(1/2)/(1 + r), which is rounded down.

*Another user on the left: v < x.* Move all three by -v: now v is at 0, x at some a, x' at a + d <= l. From x' on L is
constant, e^a - E e^(a+d) < 0, up to v it is e^-a (1 - k) > 0, then it rises up to x and falls to x': nowhere below what
it is beyond x'. So E f(L) rises as x' rises to l: L has the spread of the pair (a, l) beside 0. *On the right*, v > x',
the mirror image: L has that of the pair (0, l - a) beside l, and this is (l, a) beside 0, as y -> l - y says.

*The pairs (a, l) and (l, a) beside 0.* Let u <= a <= w, s = w - u, C = cosh(s/2), and d the distance of a from the
middle. By *Leaving* R_a = A R_u + B R_w + e, where e = sinh(min(a, y) - u) sinh(w - max(a, y))/sinh(s) between u and w
and 0 elsewhere, of the mass g = 1 - A - B = 1 - cosh(d)/C. So R_a is the mean, with weights that are as A to B, of
(1 - g) R_u + e and (1 - g) R_w + e, and each of these that of R_u, or R_w, and (1 - G) R_u + (G/g) e, where g <= G, 1 -
1/C rounded up. As e/g <= (C + cosh(d))/(2 sinh(s/2)) <= coth(s/2), what is added lies below G coth(s/2). It is now
spread. Beside R_0 its ratio is at most H = 2 e^w G coth(s/2): a share of each message between u and w, G/H =
tanh(s/2) e^-w/2 in all, gets the ratio H more, the others nothing. And the messages are split into the rays at u and w.
Left are laws of two things, the ray and whether H is added, of given probabilities; as f is convex E f(L) is largest
where H is added to the ray with the larger L (for (l, a), where E H is taken away, with the smaller one). For R_u that
is the one at u, as L falls from u on (rises); for R_w it may be either, and both are rows. So the rows are those pairs
at all points of a grid, and for each of its cells three with the mass G moved, G about s^2/8. (That (0, l) beside 0 or
l is always the worst is false in the convex order: the pair (a, l) beside 0 has larger values of L, with smaller
probability.)

**The blanket.** c = min(R_0, R_l) is the least of all rows: e^(-l/2) R_(l/2). *Lemma.* For every pair mu/c under c has
the spread of the pair (0, l). *Proof.* If x <= l/2 <= x' the argument of a user between holds with the middle for v.
Let x > l/2 (if x' < l/2 take the mirror image, -L/E and 1/E for E); here only e^-d < E < e^d is needed. L is L_0 =
e^(l-x) (1 - k) > 0 up to l/2, rises to L_x = e^x (1 - k), and falls until x', from where on it is constant and below 0.
So x' may rise to l, as on the left. For tau let g(x) = E max(0, L - tau), at x' = l; laws with the mean 1 - E have the
convex order of these functions. Where tau >= L_x, g = 0. Where tau <= L_0, which rises as x falls, L > tau on all of y
< x and g rises as x falls, to 0. In between, with X = e^x, Y = T/X, L > tau between two points e^y- = X s^(1/2) and
e^y+, s = tau/L_x, (e^y+/X)^2 = (1 - s (1 - k))/k, and integration gives

    g(x) = 1 - (tau (Y - E)/T)^(1/2) - (E (X - tau)/T)^(1/2),       g(0) >= 1 - ((E + tau)/T)^(1/2),

the latter by y < y*, e^(2 y*) = T/(E + tau), as E + tau >= 1: this is clear for E >= 1, and else tau > L_0 >= 1 - E.
With tau = s X (Y - E)/Y the product tau E (Y - E) (X - tau) is (X (Y - E))^2 (E/Y) s (1 - s + s E/Y) >= (X (Y - E) s
E/Y)^2 = (tau E)^2, so that the square of the sum of both roots in g(x), times T, is at least tau Y - tau E + E X - E
tau + 2 tau E = tau Y + E X >= tau + E, as X, Y >= 1. So g(x) <= g(0). QED
On a grid c is taken as the smaller of both rows at each point: less than c in the cell around the middle, where min is
concave. A smaller c bounds as well.

**Users with more noise.** Let f be the density of e < eps0, around v in [0, 1]. It has at least alpha = 1 - (1 -
e/eps0)(1 + e^-e)/2 of a mixture of rows of eps0: let g be f on [0, 1], f(0) e^(eps0 y) at y < 0, and f(1) e^(-eps0 (y -
1)) at y > 1. There g <= f. As R_x'' = eps0^2 (R_x - delta_x), g is the mixture with the weights g - g''/eps0^2, none of
them negative: f (1 - (e/eps0)^2) inside, (e/eps0)^2 at v, and f(0) (1 - e/eps0)/eps0 or more at 0, as at 1, because the
slope of g falls from eps0 f(0) to at most e f(0). What g lacks of f is (f(0) + f(1)) (1/e - 1/eps0), and f(0) + f(1) =
e (e^(-e v) + e^(-e (1 - v)))/2 is at most e (1 + e^-e)/2.

**An irrational T.** With a larger eps0 the noise is smaller: Laplace noise of scale b is that of scale b' < b plus,
with probability (b'/b)^2, nothing, and else Laplace noise of scale b (the characteristic functions 1/(1 + b^2 t^2)). So
the members at rational numbers beside T have divergences beside those of this one, as for other families.

Source: DworkRoth2014, Definition 3.2 (the mechanism, while the proofs are this page's).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor, isqrt
from typing import Any, ClassVar, Final

from exactdp.errors import InvalidValueError
from exactdp.laws.laplace import Laplace
from exactdp.mechanisms.density_family import Classes, DensityFamily, Spreads
from exactdp.mechanisms.family import EstimateSizes, ExpEps0, FamilyRandomizer, exact_eps0, rational_of, read_exp_eps0
from exactdp.mechanisms.laplace_cells import distances, grid, places
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import fraction_ends
from exactdp.numbers.real import Real

_DOMAIN: Final = (1 + Fraction(1, 2**20), Fraction(2**20))
"""Of e^eps0: beyond, cells are too narrow or too wide."""

_SIZE_BITS: Final = 64

_CUTS: Final = 32
"""Cells between 0 and 1 where other users have other noise."""

_ROOT_BITS: Final = 40
"""Square roots are multiples of 2^-40."""


@dataclass(frozen=True, slots=True, init=False)
class LaplaceRandomizer(DensityFamily):
    """The Laplace randomizer on [0, 1] as a family; the argument is that of ``laplace``.

    >>> LaplaceRandomizer(exp_eps0=4).noise.variance
    Interval[1.040684490, 1.040684491]
    """

    name: ClassVar[str] = "laplace-randomizer"
    sends_numbers: ClassVar[bool] = True

    exp_eps0: ExpEps0
    claim_fields: ClassVar[Mapping[str, str]] = {"exp_eps0": "exp_eps0"}

    def __init__(self, *, exp_eps0: Exact | Real) -> None:
        bound, (least, most) = read_exp_eps0(exp_eps0), _DOMAIN
        if compare_reals(bound, least) < 0 or compare_reals(bound, most) > 0:
            raise InvalidValueError(
                f"exp_eps0={short(bound) if isinstance(bound, Fraction) else bound} is not from 1 + 2^-20 to 2^20. "
                "Pass e^eps0 in that range, for example exp_eps0=3."
            )
        set_fields(self, exp_eps0=bound)

    def local_epsilon(self) -> LogRational | Real:
        return exact_eps0(self.exp_eps0)

    @property
    def noise(self) -> Laplace:
        """What is added to an input: its ``variance`` is that of the estimate of one input, the message."""
        return Laplace(1 / Real.log(self.exp_eps0))

    @property
    def estimate_sizes(self) -> EstimateSizes:
        """E abs(X)^k is k! b^k for the scale b, which is k!/2 b^(k-2) times the variance."""
        variance, scale = (
            self.noise.variance,
            3 * enclose_real(1 / Real.log(self.exp_eps0), relative_bits=_SIZE_BITS).hi,
        )
        low, high = fraction_ends(variance)
        return EstimateSizes(low, high, scale, scale)

    def cuts(self, inputs: Sequence[Any]) -> tuple[Fraction, ...]:
        return tuple(Fraction(j, _CUTS) for j in range(_CUTS + 1))

    def below(self, value: Any, point: Fraction, bits: int) -> Fraction:
        away = Real.log(self.exp_eps0) * abs(point - value)
        if compare_reals(away, Real(bits)) > 0:  # e^-bits/2 is less than the 2^-bits that may be missing
            return Fraction(0) if point <= value else 1 - Fraction(1, 2**bits)
        tail = enclose_real(Real.exp(-away) / 2, relative_bits=bits)
        return tail.lo if point <= value else 1 - tail.hi

    def share_in(self, other: FamilyRandomizer) -> Fraction:
        if not isinstance(other, LaplaceRandomizer) or compare_reals(other.exp_eps0, self.exp_eps0) > 0:
            return super(LaplaceRandomizer, self).share_in(other)
        lost = (1 - Real.log(other.exp_eps0) / Real.log(self.exp_eps0)) * (1 + 1 / other.exp_eps0) / 2
        return max(Fraction(0), enclose_real(1 - lost, relative_bits=_SIZE_BITS).lo)

    def _with(self, exp_eps0: Fraction) -> LaplaceRandomizer:
        least, most = _DOMAIN
        return LaplaceRandomizer(exp_eps0=min(max(exp_eps0, least), most))

    def ends(self) -> tuple[int, int]:
        return 0, 1

    def spreads(self, cells: int, most: Fraction | None = None) -> Spreads:
        self.need_rational("the tables of its cells")
        top, one = rational_of(self.exp_eps0), Fraction(1)
        points, between = _from_end_to_end(grid(top, cells), top), _from_end_to_end(places(top), top)
        shares = _shares(between)
        held = zip(between, shares, strict=True)
        first, *others, last = (_thinned(_rows(points, one, top, v), share) for v, share in held)
        rows = [first, last, *others]
        ends = _from_end_to_end(distances(top), top)
        beside = [_thinned(_rows(points, place, top, one), one) for place in ends]
        beside += [row for near, far in pairwise(ends) for row in _moved(points, near, far, top)]
        rows += [row for pair in beside for row in (pair, tuple((q, p, r) for p, q, r in pair))]
        return Spreads(tuple((p, q, min(p, q)) for p, q in _rows(points, one, top)), tuple(rows), leading=2)

    def cell_ends(self, cells: int) -> dict[str, list[Fraction]]:
        top = rational_of(self.exp_eps0)
        ends = {"points": grid(top, cells), "places": places(top), "distances": distances(top, are_thinned=True)}
        return {name: _from_end_to_end(listed, top)[1:-1] for name, listed in ends.items()}

    def binned(self, cells: int) -> tuple[PairTable]:
        self.need_rational("the tables of its cells")
        top = rational_of(self.exp_eps0)
        points = _from_end_to_end(grid(top, cells), top)
        first, second = ([_kernel(u, point) for point in points] for u in (Fraction(1), top))
        masses = [
            [row[0] / 2, *(abs(one - other) / 2 for one, other in pairwise(row)), row[-1] / 2]
            for row in (first, second)
        ]
        vectors = ((p, q, min(p, q), p, q) for p, q in zip(*masses, strict=True))
        return (PairTable.merged(*self.ends(), self.ends(), vectors),)


def _kernel(one: Fraction, other: Fraction) -> Fraction:
    """e^-(the distance of two points)."""
    return one / other if one < other else other / one


def _from_end_to_end(points: Iterable[Fraction], top: Fraction) -> list[Fraction]:
    """Return the points between 1 and T, and both: whatever floats have chosen, they cover all inputs."""
    return sorted({Fraction(1), *(point for point in points if 1 < point < top), top})


def _rows(points: Sequence[Fraction], *inputs: Fraction) -> list[tuple[Fraction, ...]]:
    """Return the probabilities of the messages of a grid, with the inputs among its points, under each input."""
    points = sorted({*points, *inputs})
    halves = [(high - low) / (2 * (high + low)) for low, high in pairwise(points)]
    weights = [before + after for before, after in pairwise([Fraction(1, 2), *halves, Fraction(1, 2)])]
    return [tuple(weight * _kernel(u, point) for u in inputs) for weight, point in zip(weights, points, strict=True)]


def _moved(points: Sequence[Fraction], near: Fraction, far: Fraction, top: Fraction) -> Iterator[Classes]:
    """Yield (a, l) beside 0 at the ends a of a cell, with the mass that the pairs at other places have inside it."""
    kept = [point for point in points if not near < point < far] + [near, far]
    share = (far - near) / (2 * (far + near)) / far
    moved = 1 - 2 * _root(near / far) / (1 + near / far)
    for place, held in ((near, near), (far, near), (far, far)):
        rays = [((1 - moved) * p, q, r) for p, q, r in _rows(kept, place, top, Fraction(1))]
        p, q, r = rays.pop(sorted({*kept, place, top, Fraction(1)}).index(held))
        part = share / r
        yield (*rays, (part * p + moved, part * q, share), ((1 - part) * p, (1 - part) * q, r - share))


def _root(square: Fraction) -> Fraction:
    """Return a square root, rounded down."""
    return Fraction(isqrt(floor(square * 4**_ROOT_BITS)), 2**_ROOT_BITS)


def _thinned(rows: Sequence[tuple[Fraction, ...]], share: Fraction) -> Classes:
    return tuple((p, q, share * r) for p, q, r in rows)


def _shares(points: Sequence[Fraction]) -> Iterator[Fraction]:
    """Yield for each point what an input in the cells on either side has of it at least."""
    ratios = [low / high for low, high in pairwise(points)]
    least = [2 * _root(r) / (1 + r) for r in ratios]
    for place in range(len(points)):
        yield min(least[max(place - 1, 0) : place + 1])


def laplace(*, exp_eps0: Exact | Real) -> LaplaceRandomizer:
    """Return the Laplace randomizer: the input, a number from 0 to 1, plus Laplace noise of scale 1/eps0.

    Args:
        exp_eps0: E = e^eps0, exact and from 1 + 2^-20 to 2^20, or irrational as "exp(1)".

    Messages are real numbers: delta and eps of ``ShuffleProtocol`` lie between two proved ends, by binning and by
    spreading (:mod:`exactdp.mechanisms.density_family`). A certificate says where the cells end. No view is drawn, and
    no table exists.

    >>> from exactdp import ShuffleProtocol
    >>> profile = ShuffleProtocol(laplace(exp_eps0="exp(1)"), 10**4).privacy_profile()
    >>> profile.delta(exp_eps="33/32")
    Interval[0.000001236966246, 0.000001249027135]

    Source: DworkRoth2014, Definition 3.2.
    """
    return LaplaceRandomizer(exp_eps0=exp_eps0)
