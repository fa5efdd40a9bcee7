"""The worst half-line events among any number of data sets, by a few values.

With m = mu_k + y, the sum over nodes (*Half-line events*, below) is defined for real k and y:

    T(k, y) = alpha exp(-k I_b - (N-k) I_a - lambda y) Re sum over j of W_j exp(N A_j + k B_j - i y theta_j),

lambda = ln rho, W_j the weights, A_j = ln(1 - a' + a' e^(i theta_j)) - i a' theta_j, B_j the same with b' minus A_j. At
integers k and m with abs(y) <= 1, F(k, m) is T(k, y) up to 2^-t alpha exp(-k I_b - (N-k) I_a + lambda), and every best
m has abs(y) < 1; mu_k is linear in k. At many users T is so flat in k that values near the largest differ by 1/N^3 of
it, and what is asked for is the largest value of an almost concave function on the points of a lattice.

*A concave bound.* Let k be in [k1, k2], R = I_b - I_a, s = alpha exp(-k1 I_b - (N-k1) I_a), u(k) = e^((k - k1) R) / s,
and S(k, y) = u(k) T(k, y), which has no steep exponential in k. On [k1, k2] x [-1, 1] let S_yy < 0 and c >= 0,
c >= S_kk - S_ky^2 / S_yy. Then

    S^(k, y) = S(k, y) + c/2 (k - k1)(k2 - k) >= S(k, y)

is concave: its second derivatives have S_yy < 0 and, by the choice of c, no negative determinant. Where S itself is
concave, c = 0. Since u is convex, S^ - B u is concave for every B >= 0, so that each of its tangent planes is above it;
and F is at least B only where S^ - B u + 2^-t rho is not below 0. Signs and c are those of balls over boxes. What a
plane leaves of [k1, k2] is searched with the same c, where S^ is much nearer to S.

*Rows.* For coprime q >= 1 and p every (k, m) is in one of the rows q m - p k = t, which are the lines y = t/q - mu_0 +
k (p/q - (b' - a')), above each other in the order of t. A plane that touches S^ - B u at a point of a row, for a value
B that was found, shows that the rest of the row on one side has no value as large; and that nothing above the row, or
nothing below it, has one: what lies there is a polygon, and a linear function is largest at a corner. Two or three
values in each of a few rows are enough, if p/q is the convergent of b' - a' for which (q, p) is short in the metric of
the second derivatives. Which rows and points are looked at decides the time only, never the answer.

*Straight rows.* Along a row of fixed m, and along one of fixed m - k, F rises and then falls, with at most two equal
values at the top; so its top is found by signs of differences, where the law is too narrow for a concave bound. Let M_k
be the law of the ones of N - 1 others of whom k have b, L_k that of N - 2, and * convolution with a coin. From
g_(k+1) = M_k * b and g_k = M_k * a,

    F(k+1, m) - F(k, m)     = (b - a) (alpha M_k(m-1) - beta M_k(m)),
    F(k+1, m+1) - F(k, m)   = (a + 1 - b) (beta H_k(m+1) - alpha H_k(m)),      H_k = M_k * c, c = a / (a + 1 - b).

Let r(t) = M(t-1) / M(t), which for every sum of coins is strictly increasing in t, by Newton's inequalities. The first
difference has the sign of r_k(m) - rho for M_k, which is strictly decreasing in k: M_(k+1) = L_k * b has the larger
likelihood ratio against M_k = L_k * a. The second has the sign of rho - r_k(m+1) for H_k, which decreases along the
row: with l = L_k * c, H_k = l * a and H_(k+1) = l * b, so that r_k(m+1) < r_l(m+1) < r_(k+1)(m+2), where r of l * p at
t is between those of l at t-1 and t.

Half-line events of two-message protocols as sums over a few nodes, at any size
-------------------------------------------------------------------------------

N other users send 0 or 1; k of them send 1 with probability b, the rest with probability a < b. G_k is the number of
their ones, with law g_k. The user who differs sends 1 with probability b under P_k and a under Q_k. With E = e^eps,
alpha = b - E a > 0 and beta = alpha + E - 1, the likelihood ratio is monotone and the event {T > m} has

    F(k, m) = P_k(T > m) - E Q_k(T > m) = alpha g_k(m) - (E - 1) P[G_k > m].

*Tilting.* Let rho = beta / alpha and a' = a rho / (1 - a + a rho), b' likewise; h_k is the law of G_k with a', b' for
a, b, and mu_k = (N-k) a' + k b' its mean. With Z_k = (1 - b + b rho)^k (1 - a + a rho)^(N-k) and S geometric,
P[S = s] = (rho - 1) rho^-s for s >= 1 (S infinite for E = 1),

    F(k, m) = alpha Z_k rho^-m E[ h_k(m) - h_k(m + S) ],

because E - 1 = alpha (rho - 1). F(k, m) >= F(k, m+1) just where h_k(m) >= h_k(m+1), and h_k is log-concave: the best m
are the modes of h_k. With j = floor(mu_k), a mode is j or j + 1, and it is only j for mu_k < j + 1/(j+2) (Darroch).

*Nodes.* Let t >= 0, L = (t+4) ln 2, and let u and v be the least and the largest variance of h_k over the k at hand,
(N-k) a'(1-a') + k b'(1-b'). Let d >= L/3 + sqrt(L^2/9 + 2 L v), D = min(d+3, N+1), M = 2D + 1, theta_j = 2 pi j / M,
w_j = e^(-i theta_j) / rho, and J <= D with J = D or 1 - cos(theta_J) >= L/u. Then for every such k, and m in 0..N with
abs(m - mu_k) <= 3,

    E[ h_k(m) - h_k(m + S) ] = 1/M sum over abs(j) <= J of K_j phi_k(theta_j) e^(-i m theta_j) + error,
    K_j = 1 - (rho - 1) sum over s = 1..D of w_j^s,    phi_k(theta) = E_h[e^(i theta G_k)],    abs(error) < 2^-t.

*Proof.* Over all M nodes the sum is that of the expression, without s > D, at m + l M over all integers l. The terms
l != 0 and s > D add at most h{X >= m + M} + h{X <= m + D - M} + h{X > m + D}: at distance above d from the mean, so
each is at most e^-L by Bernstein; or 0 where D = N + 1. A node left out has abs(K_j) <= 2 and abs(phi_k(theta)) =
prod (1 - 2 p(1-p)(1 - cos theta))^(1/2) <= exp(-u (1 - cos theta)) <= e^-L, and there are fewer than M.
Together that is at most 5 e^-L = 5/16 2^-t.

So about as many nodes as bits are asked for serve at any N, and a sum over them is a number for k times a number for m.

*A ceiling.* Without s <= D the sum is an integral in which K(theta) = (1 - e^(-i theta)) / (1 - e^(-i theta) / rho),
and abs(K) <= 2 sin(theta/2) / (1 - 1/rho). With abs(phi_k(theta)) <= exp(-v_k (1 - cos theta)), v_k the variance of
h_k, and because h_k(m) - h_k(m + S) <= h_k(m), for every best m

    F(k, m) <= rho alpha exp(-k I_b - (N-k) I_a) B(v_k),    I_a = a' ln rho - ln(1 - a + a rho), I_b likewise,

where B(v) is 1/pi times the integral of exp(-v (1 - cos theta)) from 0 to pi, e^-v I_0(v), or of the same times the
bound of abs(K), 4/pi D(x)/x / (1 - 1/rho) with x = sqrt(2v) and Dawson's D. Both are integrals of e^(-v s) over a
measure of s, so that ln B is convex in v, which is linear in k; the logarithm of the right-hand side is convex in k,
and on a range of k it is largest at one of the two ends.

Source: Darroch1964, Theorem 4 (modes).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from typing import Final, NamedTuple, Protocol

from flint import acb, acb_mat, arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import real_ball, whole
from exactdp.numbers.formats import about
from exactdp.numbers.real import Real

MAX_NODES: Final = 2**16
"""Most nodes; there are so many only where a' or b' is within about 1/N of 0 or 1."""


class HalfLine(NamedTuple):
    """The event {T > m} where k of the other users send 1 with the larger probability."""

    k: int
    m: int


@dataclass(frozen=True, slots=True)
class TwoRates:
    """N other users, and the probabilities a < b of sending 1; e^eps with b > e^eps a."""

    others: int
    low: Real
    high: Real
    exp_eps: Real


@dataclass(frozen=True)
class Tilt:
    """The tilted parameters as balls at the precision that is set: ``step`` is rho - 1, ``low`` a' and ``high`` b'."""

    others: int
    alpha: arb
    step: arb
    low: arb
    high: arb
    log_scale_low: arb
    log_scale_high: arb

    @classmethod
    def of(cls, rates: TwoRates) -> Tilt | None:
        """Return None where the precision is too low to see that alpha is positive."""
        a, b = real_ball(rates.low), real_ball(rates.high)
        alpha = real_ball(rates.high - rates.exp_eps * rates.low)
        if not alpha > 0:
            return None
        step = real_ball(rates.exp_eps - 1) / alpha
        scales = 1 + a * step, 1 + b * step
        low, high = a * (1 + step) / scales[0], b * (1 + step) / scales[1]
        return cls(rates.others, alpha, step, low, high, scales[0].log(), scales[1].log())

    @cached_property
    def rho(self) -> arb:
        """beta / alpha."""
        return 1 + self.step

    @cached_property
    def log_rho(self) -> arb:
        """ln rho."""
        return self.step.log1p()

    @cached_property
    def rates(self) -> tuple[arb, arb]:
        """I_a = a' ln rho - ln(1 - a + a rho), and I_b."""
        return self.low * self.log_rho - self.log_scale_low, self.high * self.log_rho - self.log_scale_high

    def scale(self, k: int) -> arb:
        """alpha Z_k rho^-mu_k = alpha exp(-k I_b - (N-k) I_a); F(k, m) is at most rho times that for every best m."""
        low, high = self.rates
        return self.alpha * (-k * high - (self.others - k) * low).exp()

    def mean(self, k: int) -> arb:
        """mu_k."""
        return k * self.high + (self.others - k) * self.low

    def variance(self, k: int) -> arb:
        """The variance of h_k, linear in k."""
        return k * self.high * (1 - self.high) + (self.others - k) * self.low * (1 - self.low)


@dataclass(frozen=True)
class Nodes:
    """The nodes, for accuracy 2^-t: at each, ln of the two factors of phi_k, and K_j / M, doubled for -j."""

    tilt: Tilt
    least_variance: arb
    error: arb
    angles: list[arb]
    log_low: list[acb]
    log_ratio: list[acb]
    weights: list[acb]

    @classmethod
    def of(cls, tilt: Tilt, t: int, ks: range) -> Nodes:
        """Return the nodes for all k of a range; too many nodes are refused."""
        least, largest = _variances(tilt, ks)
        reach, last = _reach(tilt.others, least, largest, t)
        if last > MAX_NODES:
            raise TooLargeError(
                f"two messages: {about(tilt.others + 1)} users with a probability this near to 0 or 1 need "
                f"{about(last)} nodes; the limit is {MAX_NODES}. Use fewer users, or an eps further from 0."
            )
        count = 2 * reach + 1
        angles = [2 * arb.pi() * j / count for j in range(last + 1)]
        moves = [acb(0, angle).exp() - 1 for angle in angles]
        log_low = [(1 + move * tilt.low).log() for move in moves]
        log_ratio = [(1 + move * tilt.high).log() - low for move, low in zip(moves, log_low, strict=True)]
        weights = [acb(tilt.rho ** (-reach)) / count]
        for move in moves[1:]:
            w = 1 / ((1 + move) * tilt.rho)
            weights.append((1 - w * tilt.step * (1 - w**reach) / (1 - w)) * 2 / count)
        return cls(tilt, least, arb(0, arb(2) ** -t), angles, log_low, log_ratio, weights)

    def row(self, k: int, m: int) -> list[arb]:
        """What (k, m) contributes to F(k + c, m + m_c): alpha Z rho^-m times each summand, and once for the error."""
        tilt = self.tilt
        rest = tilt.others - k
        scale = tilt.alpha * (k * tilt.log_scale_high + rest * tilt.log_scale_low - m * tilt.log_rho).exp()
        entries = []
        for angle, low, ratio, weight in zip(self.angles, self.log_low, self.log_ratio, self.weights, strict=True):
            summand = weight * (tilt.others * low + k * ratio - acb(0, m * angle)).exp() * scale
            entries += [summand.real, -summand.imag]
        return [*entries, scale]

    def value(self, k: int, m: int) -> arb:
        """Return F(k, m)."""
        *summands, scale = self.row(k, m)
        return sum(summands[::2], scale * self.error)

    def column(self, k: int, m: int) -> list[arb]:
        """What a further k and m contribute."""
        tilt = self.tilt
        scale = (k * (tilt.log_scale_high - tilt.log_scale_low) - m * tilt.log_rho).exp()
        entries = []
        for angle, ratio in zip(self.angles, self.log_ratio, strict=True):
            factor = (k * ratio - acb(0, m * angle)).exp() * scale
            entries += [factor.real, factor.imag]
        return [*entries, scale * self.error]


def ceiling(tilt: Tilt, ks: range) -> arb:
    """Return a bound of F(k, m) for all k of a range and all m (module docstring)."""
    ends = [(tilt.scale(k) * tilt.rho, tilt.variance(k)) for k in (ks[0], ks[-1])]
    plain = arb.max(*(scale * _peak(variance) for scale, variance in ends))
    if not tilt.step > 0:
        return plain
    steep = arb.max(*(scale * _slope(variance) for scale, variance in ends)) / (1 - 1 / tilt.rho)
    return arb.min(plain, steep)


def _peak(variance: arb) -> arb:
    """1/pi times the integral of exp(-v (1 - cos theta)) from 0 to pi."""
    return variance.bessel_i(0) * (-variance).exp()


def _slope(variance: arb) -> arb:
    """The same with the factor 2 sin(theta / 2): 4/pi times D(x)/x, where D(x) = sqrt(pi)/2 e^(-x^2) erfi(x)."""
    x = (2 * variance).sqrt()
    return 2 / arb.pi().sqrt() * x.erfi() * (-2 * variance).exp() / x


def _variances(tilt: Tilt, ks: range) -> tuple[arb, arb]:
    ends = tilt.variance(ks[0]), tilt.variance(ks[-1])
    return arb.min(*ends), arb.max(*ends)


def _reach(others: int, least: arb, largest: arb, t: int) -> tuple[int, int]:
    """Return D and J for accuracy 2^-t and variances between two bounds."""
    bits = (t + 4) * arb(2).log()
    spread = bits / 3 + (bits**2 / 9 + 2 * bits * largest).sqrt()
    reach = min(_ceiling(spread) + 3, others + 1)
    cosine = 1 - bits / least
    if not cosine > -1:
        return reach, reach
    return reach, min(reach, _ceiling(cosine.acos() * (2 * reach + 1) / (2 * arb.pi())))


def _ceiling(value: arb) -> int:
    return -floor(-value)


def floor(value: arb) -> int:
    """Return the floor of the lower end of a finite ball."""
    return int(whole(value.lower().floor()))


_MOST_BOXES: Final = 24
"""Into so many boxes the strip is divided, to find c."""

_MOST_ROWS: Final = 40
"""After so many rows in one direction the search is given up: a good convergent needs a few."""

_MOST_POINTS: Final = 80
"""After so many values the search is given up: each costs a sum over all nodes."""

_STRAIGHT_ROWS: Final = 8
"""Up to so many rows of fixed m or m - k are searched by their proved shape."""

_STEPS: Final = 60
"""Most steps towards the largest value of a row."""

_ONE: Final = arb(1)
_HALF: Final = arb(1) / 2
_NEAR: Final = arb(1) / 1024
"""A point that moves by less is at the top."""

_STEEP: Final = 2
"""Where T falls by more than e to this, what is sought is near the end with the larger scale: begin there."""

_UNKNOWN: Final = arb("nan")
_EDGE: Final = 1 + arb(1) / 1024
"""Every best y, and what rounding adds, is between this and its negative."""


class Kept(Protocol):
    """What has been found: the largest value, and the events that are not below it."""

    best: arb

    def add(self, value: arb, event: HalfLine) -> None:
        """Take a value."""


class Point(NamedTuple):
    """A point of the strip."""

    k: arb
    y: arb


@dataclass(frozen=True)
class Jet:
    """S and its derivatives at a point or over a box, without the factor e^(-lambda y)."""

    value: arb
    k: arb
    y: arb
    kk: arb
    ky: arb
    yy: arb

    @property
    def rise(self) -> arb:
        """What c has to be at least, for S_yy < 0."""
        return self.kk - self.ky**2 / self.yy


class Surface:
    """S over the k of a range, at the precision that is set."""

    rise: arb
    """c, once it is found."""

    def __init__(self, nodes: Nodes, ks: range) -> None:
        tilt = nodes.tilt
        self.nodes, self.tilt, self.first, self.last = nodes, tilt, ks[0], ks[-1]
        self.step = tilt.high - tilt.low
        self.rate = tilt.rates[1] - tilt.rates[0]
        self._anchor, self._scale = self.first, tilt.scale(self.first)
        self.error = nodes.error.rad() * tilt.rho
        pairs = list(zip(nodes.log_low, nodes.log_ratio, nodes.angles, strict=True))
        self._still = [tilt.others * (low - acb(0, tilt.low * angle)) for low, _, angle in pairs]
        self._drift = [ratio - acb(0, self.step * angle) for _, ratio, angle in pairs]
        self._turn = [acb(0, angle) for angle in nodes.angles]
        rows = []
        for weight, drift, angle in zip(nodes.weights, self._drift, nodes.angles, strict=True):
            by_y = -acb(tilt.log_rho, angle)
            rows.append([weight * x for x in (acb(1), drift, by_y, drift * drift, drift * by_y, by_y * by_y)])
        self._factors = acb_mat(rows)

    def jet(self, point: Point) -> Jet:
        """S and its derivatives at a point or over a box, without their common factor."""
        k, y = point
        moves = zip(self._still, self._drift, self._turn, strict=True)
        sums = acb_mat([[(still + drift * k - turn * y).exp() for still, drift, turn in moves]]) * self._factors
        return Jet(*(entry.real for entry in sums.entries()))

    def factor(self, point: Point) -> arb:
        """The factor that ``jet`` leaves out."""
        return (-point.y * self.tilt.log_rho).exp()

    def unit(self, k: arb) -> arb:
        """u(k), which is S where T is 1."""
        return ((k - self._anchor) * self.rate).exp() / self._scale

    def is_bounded(self) -> bool:
        """Find c, by dividing the strip; False where S_yy < 0 is not proved."""
        order, least = count(), arb(0)
        boxes: list[tuple[arb, int, Point]] = []
        strip = Point(arb(self.first).union(arb(self.last)), (-_EDGE).union(_EDGE))
        if not all(self.jet(Point(strip.k.mid(), y)).yy < 0 for y in (-_ONE, arb(0), _ONE)):
            return False
        pending, length, steep = [strip], self.last - self.first, self._steep()
        while True:
            for box in pending:
                jet, factor = self.jet(box), self.factor(box)
                rise = arb.max(jet.rise * factor, arb(0)) if jet.yy < 0 else arb("inf")
                least = arb.max(least, rise.lower()) if rise.is_finite() else least
                heappush(boxes, (-rise.upper(), next(order), box))
            self.rise = -boxes[0][0]
            if self.rise <= 2 * least or self.rise * length <= steep or len(boxes) >= _MOST_BOXES:
                return bool(self.rise.is_finite())
            pending = list(self._halves(heappop(boxes)[2]))

    def _steep(self) -> arb:
        """How steeply S falls below its u(k) T from the end of the strip that is the top of T, if one is."""
        first, last = (self.jet(Point(arb(k), arb(0))) for k in (self.first, self.last))
        return arb.max(last.k - self.rate * last.value, self.rate * first.value - first.k).mid()

    def _halves(self, box: Point) -> Iterator[Point]:
        """Divide a box, along what moves more at the scale of the sum."""
        k, y = box
        place = next((i for i, still in enumerate(self._still) if still.real < -1), len(self._still) - 1)
        if abs(self._drift[place]).mid() * k.rad() > abs(self._turn[place]).mid() * y.rad():
            middle = k.mid()
            yield Point(k.lower().union(middle), y)
            yield Point(middle.union(k.upper()), y)
        else:
            middle = y.mid()
            yield Point(k, y.lower().union(middle))
            yield Point(k, middle.union(y.upper()))

    def heavy_point(self) -> Point:
        """Where to begin to look for the highest point of T."""
        first, last = arb(self.first), arb(self.last)
        if not abs(self.rate) * (last - first) > _STEEP:
            return Point(((first + last) / 2).mid(), arb(0))
        return Point(last if self.rate < 0 else first, arb(0))

    def narrow(self, plane: Plane) -> bool:
        """Leave out the k where a plane over S^ - B u is negative, from one end on; whether half of them are."""
        length, top = self.last - self.first, arb.max(*(plane.at(plane.point.k, y) for y in (_ONE, -_ONE)))
        if not (plane.k > 0 or plane.k < 0) or not top > 0:
            return False
        end = plane.point.k - top / plane.k
        if plane.k > 0:
            self.first = min(max(self.first, floor(end)), self.last - 1)
        else:
            self.last = max(min(self.last, -floor(-end)), self.first + 1)
        return 2 * (self.last - self.first) < length

    def plane(self, point: Point) -> Plane:
        """The plane that touches S^ at an exact point."""
        jet, factor = self.jet(point), self.factor(point)
        bump = self.rise / 2
        value = jet.value * factor + bump * (point.k - self.first) * (self.last - point.k) + self.error
        slope = jet.k * factor + bump * (self.first + self.last - 2 * point.k)
        bend, twist = jet.kk * factor - self.rise, jet.ky * factor
        return Plane(point, value, slope, jet.y * factor, bend, twist, jet.yy * factor, self.unit(point.k), self.rate)


@dataclass(frozen=True)
class Plane:
    """A tangent plane of S^ with the second derivatives there; ``value`` has the error of S in it."""

    point: Point
    value: arb
    k: arb
    y: arb
    kk: arb
    ky: arb
    yy: arb
    unit: arb
    """u there."""
    rate: arb

    def over(self, bar: arb) -> Plane:
        """The plane that touches S^ - B u at the same point."""
        less = bar * self.unit
        by_k, by_kk = less * self.rate, less * self.rate**2
        return replace(self, value=self.value - less, k=self.k - by_k, kk=self.kk - by_kk)

    def over_itself(self) -> Plane:
        """The same for the B with which it is 0 there: its slope is that of the logarithm of T^, but for a factor."""
        return self.over(self.value / self.unit)

    def at(self, k: arb, y: arb) -> arb:
        """The height of the plane."""
        return self.value + self.k * (k - self.point.k) + self.y * (y - self.point.y)


@dataclass(frozen=True)
class _Rows:
    """The rows q m - p k = t."""

    p: int
    q: int
    start: arb
    slope: arb

    @classmethod
    def shortest(cls, surface: Surface, top: Plane) -> _Rows:
        """Choose p/q by the second derivatives at the top, and by how steeply T falls from an edge."""
        steep, bend, step = abs(top.k.mid()), abs(top.yy.mid()), surface.step.mid()
        gap = (steep * bend.sqrt()) ** (arb(2) / 3)
        along = -top.kk.mid() + (steep**2 / gap if gap > 0 else 0)

        def length(convergent: tuple[int, int]) -> arb:
            p, q = convergent
            return along * q**2 - 2 * top.ky.mid() * q * (p - q * step) + bend * (p - q * step) ** 2

        p, q = min(_convergents(surface.step, max(1, surface.last - surface.first)), key=length)
        return cls(p, q, -surface.tilt.mean(0), arb(p) / q - surface.step)

    def y(self, t: int, k: arb) -> arb:
        """Where the row is at k."""
        return self.start + arb(t) / self.q + k * self.slope

    def nearest(self, point: Point) -> int:
        """The row at or below a point."""
        return floor(self.q * (point.y - self.start - point.k * self.slope))

    def residue(self, t: int) -> int:
        """The k of a row modulo q."""
        return -t * pow(self.p, -1, self.q) % self.q

    def event(self, t: int, k: int) -> HalfLine:
        """The event of a row at k."""
        return HalfLine(k, (t + self.p * k) // self.q)


def search_rows(nodes: Nodes, ks: range, kept: Kept) -> bool:
    """Add to ``kept`` all (k, m) whose F may be the largest for the k of a range; False where it is given up."""
    surface = Surface(nodes, ks)
    if not surface.is_bounded():
        return False
    top = _top(surface, surface.heavy_point())
    _look_at_top(surface, top, kept)
    while surface.narrow(top.over(kept.best)):
        top = _top(surface, top.point)
        _look_at_top(surface, top, kept)
    search = _Search(surface, _Rows.shortest(surface, top.over_itself()), kept, top)
    start = search.rows.nearest(top.point)
    return search.towards(start, -1) and search.towards(start + 1, 1)


def search_straight_rows(nodes: Nodes, ks: range, kept: Kept) -> bool:
    """The same by rows of fixed m, or of fixed m - k, where these are few: F rises along each, and then falls.

    With first and last the rows at or below y = 0 at the two ends, as far as balls tell, which is at most one too low,
    every point with abs(y) < 1 is in one of the rows first, ..., last + 2.
    """
    surface = Surface(nodes, ks)
    for p in (0, 1):
        rows = _Rows(p, 1, -surface.tilt.mean(0), p - surface.step)
        first, last = sorted(rows.nearest(Point(arb(k), arb(0))) for k in (ks[0], ks[-1]))
        if last - first <= _STRAIGHT_ROWS:
            search = _Search(surface, rows, kept)
            return all(search.straight(t) for t in range(first, last + 3))
    return False


def _top(surface: Surface, start: Point) -> Plane:
    """The plane near the highest point of T, by Newton's method; a guess."""
    first, last = arb(surface.first), arb(surface.last)
    k, y = _within(start.k, first, last), start.y
    for _ in range(_STEPS):
        touching = surface.plane(Point(k, y))
        plane = touching.over_itself()
        det = plane.kk * plane.yy - plane.ky**2
        further = (plane.ky * plane.y - plane.yy * plane.k) / det if det > 0 else (last - first) * plane.k.sgn()
        nearer = _within((k + further).mid(), first, last)
        y, k, before = _within((y - (plane.y + plane.ky * (nearer - k)) / plane.yy).mid(), -_ONE, _ONE), nearer, (k, y)
        if abs(k - before[0]) < _NEAR and abs(y - before[1]) < _NEAR:
            break
    return touching


def _look_at_top(surface: Surface, top: Plane, kept: Kept) -> None:
    """Take the value nearest to the top, for a bar that most of the others do not reach."""
    k = floor(top.point.k)
    event = HalfLine(k, floor(surface.tilt.mean(k) + top.point.y + _HALF))
    kept.add(surface.nodes.value(*event), event)


def _crossing(first: int, last: int, left: arb, right: arb) -> int:
    """Return where, before ``last``, a rise from ``left`` to ``right`` may cross 0, moved a little to the far end."""
    length = last - first
    place = length * left.mid() / (left.mid() - right.mid())
    if not 0 <= place <= length:
        return first + length // 2
    beyond = (length >> 8) + 1
    step = floor(place) + (beyond if 2 * place < length else -beyond)
    return first + min(max(step, 0), length - 1)


def _within(value: arb, low: arb, high: arb) -> arb:
    """Return an exact number between two ends."""
    return value if low <= value <= high else high if value > high else low


def _convergents(value: arb, largest: int) -> Iterator[tuple[int, int]]:
    """Yield the convergents p/q of the middle of a ball, with q up to a bound."""
    mantissa, exponent = map(int, value.mid().man_exp())
    rest = Fraction(mantissa) * Fraction(2) ** exponent
    p, q, before = rest.__floor__(), 1, (1, 0)
    while q <= largest:
        yield p, q
        rest -= rest.__floor__()
        if not rest:
            return
        rest = 1 / rest
        (p, q), before = (rest.__floor__() * p + before[0], rest.__floor__() * q + before[1]), (p, q)


@dataclass
class _Search:
    """Rows that are looked at one after the other, upwards or downwards."""

    surface: Surface
    rows: _Rows
    kept: Kept
    top: Plane | None = None
    looked: int = 0

    def towards(self, start: int, sign: int) -> bool:
        """Look at rows until no larger value is beyond; False where they are too many."""
        for t in range(start, start + sign * _MOST_ROWS, sign):
            between = self._between(t)
            if between is None:
                return True
            plane = self._highest(t, *between)
            if not self._is_low(plane, t, *between) and not self._look(t, plane, *between):
                return False
            if self._is_low_beyond(plane, t, sign):
                return True
        return False

    def _between(self, t: int) -> tuple[int, int] | None:
        """Return bounds of the k of a row in the strip; None where the row is not in it."""
        low, high = self.surface.first, self.surface.last
        ends = self.rows.y(t, arb(low)), self.rows.y(t, arb(high))
        if all(end > 1 for end in ends) or all(end < -1 for end in ends):
            return None
        if not self.rows.slope.contains(0):
            middle, reach = -self.rows.y(t, arb(0)) / self.rows.slope, 1 / abs(self.rows.slope)
            low, high = max(low, -floor(reach - middle)), min(high, floor((middle + reach).upper()))
        return low, max(low, high)

    def _plane(self, t: int, k: arb) -> Plane:
        return self.surface.plane(Point(k, self.rows.y(t, k).mid()))

    def _highest(self, t: int, low: int, high: int) -> Plane:
        """The plane near the highest point of S^ - B u in a row, by Newton's method; a guess."""
        ends = left, right = arb(low), arb(high)
        assert self.top is not None
        k, slope = _within(self.top.point.k, left, right), self.rows.slope.mid()
        for _ in range(_STEPS):
            touching = self._plane(t, k)
            plane = touching.over(self.kept.best)
            rise = (plane.k + slope * plane.y).mid()
            if abs(rise) * (ends[1] - ends[0]) < self.surface.error or k == ends[rise > 0]:
                break
            left, right = (k, right) if rise > 0 else (left, k)
            bend = (plane.kk + 2 * slope * plane.ky + slope**2 * plane.yy).mid()
            k = _within((k - rise / bend).mid(), left, right)
            if k in (left, right) and k not in ends:
                k = ((left + right) / 2).mid()
        return touching

    def straight(self, t: int) -> bool:
        """Look at the top of a row of fixed m or fixed m - k; False where the precision is too low to find it."""
        between, p, others = self._between(t), self.rows.p, self.surface.tilt.others
        low, high = between or (0, -1)
        low, high = max(low, -p * t), min(high, others - t if p else high if 0 <= t <= others else -1)
        first, last = low, high  # the values at low .. first rise, and those at last .. high fall
        left = right = _UNKNOWN
        while first < last:
            middle = _crossing(first, last, left, right)
            rise = self._rise(t, middle)
            if rise > 0:
                first, left = middle + 1, rise
            elif rise < 0:
                last, right = middle, rise
            elif all(self._rise(t, k) * side < 0 for k, side in ((middle - 1, -1), (middle + 1, 1)) if low <= k < high):
                first = last = middle
            else:
                return False
        for k in (first, first + 1):
            if low <= k <= high:
                self.kept.add(self._value(t, k), self.rows.event(t, k))
        return True

    def _value(self, t: int, k: int) -> arb:
        return self.surface.nodes.value(*self.rows.event(t, k))

    def _rise(self, t: int, k: int) -> arb:
        """What the next value of a straight row has more."""
        return self._value(t, k + 1) - self._value(t, k)

    def _is_low(self, plane: Plane, t: int, *ends: int) -> bool:
        """Whether a plane is below what has been found, between two ends of a row."""
        over = plane.over(self.kept.best)
        return all(over.at(arb(k), self.rows.y(t, arb(k))) < 0 for k in ends)

    def _look(self, t: int, plane: Plane, low: int, high: int) -> bool:
        """Take the values of a row that may be the largest; False where they are too many."""
        q = self.rows.q
        above = floor(plane.point.k)
        above += (self.rows.residue(t) - above) % q
        for start, step, end in ((above, q, high), (above - q, -q, low)):
            for k in range(start, end + (1 if step > 0 else -1), step):
                if not low <= k <= high:
                    continue
                self.looked += 1
                if self.looked > _MOST_POINTS:
                    return False
                self.kept.add(self._value(t, k), self.rows.event(t, k))
                if self._is_low(self._plane(t, arb(k)), t, k + step, end):
                    break
        return True

    def _is_low_beyond(self, plane: Plane, t: int, sign: int) -> bool:
        """Whether a plane is below what has been found, above a row of the strip or below it."""
        over = plane.over(self.kept.best)
        return all(over.at(*corner) < 0 for corner in self._corners(t, sign))

    def _corners(self, t: int, sign: int) -> Iterator[Point]:
        """Yield the corners of a polygon that holds what is beyond a row."""
        ends = arb(self.surface.first), arb(self.surface.last)
        if self.rows.slope.contains(0):
            bounds = [sign * self.rows.y(t, k) for k in ends]
            nearest = sign * arb.min(*bounds).lower()
            yield from (Point(k, y) for k in ends for y in (nearest, arb(sign)))
            return
        for k in ends:
            row = self.rows.y(t, k)
            if not abs(row) > 1:
                yield Point(k, row)
            yield from (Point(k, y) for y in (_ONE, -_ONE) if not sign * (y - row) < 0)
        for y in (_ONE, -_ONE):
            k = (y - self.rows.y(t, arb(0))) / self.rows.slope
            if not k < ends[0] and not k > ends[1]:
                yield Point(k, y)
