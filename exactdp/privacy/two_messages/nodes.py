"""Half-line events of two-message protocols as sums over a few nodes, at any size.

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

from dataclasses import dataclass
from typing import Final, NamedTuple

from flint import acb, arb

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
