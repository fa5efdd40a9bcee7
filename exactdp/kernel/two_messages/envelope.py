"""Which data sets of the other users cannot be the worst: an envelope of F(k, m) over real k and m.

With m = mu_k + y, the sum over the nodes of :mod:`exactdp.kernel.two_messages.nodes` is defined for real k and y:

    T(k, y) = alpha exp(-k I_b - (N-k) I_a - lambda y) Re sum over j of W_j exp(N A_j + k B_j - i y theta_j),

lambda = ln rho, W_j the weights, A_j = ln(1 - a' + a' e^(i theta_j)) - i a' theta_j, B_j the same with b' minus A_j,
and I_a = lambda a' - ln(1 - a + a rho), I_b likewise. At integers k and m with abs(y) <= 1, F(k, m) is T(k, y) up to
2^-t alpha exp(-k I_b - (N-k) I_a + lambda), and every best m has abs(y) < 1. Hence, for H_k = max over m of F(k, m):

* Where dT/dk > 0 on [0, k0] x [-1, 1], H_k is for all k <= k0 at most max over y of T(k0, y), plus that error at 0 or
  at k0, whichever is larger. Likewise from k0 to N where dT/dk < 0.
* Everywhere, H_k <= alpha exp(-k I_b - (N-k) I_a) rho P with P = 1, or the sum of abs(W_j) times a bound of
  abs(phi_k(theta_j)), plus 2^-t. The exponent is linear in k, and for strong tilting that is enough.
* Where d^2T/dy^2 < 0 on [-1, 1] at k0, T(k0, y) <= T(k0, y0) + 2 abs(dT/dy(k0, y0)) for every y and y0 there.

Signs are those of balls over boxes; a common positive factor is left out. Nothing is claimed where a sign is not
proved: then more data sets are searched.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from flint import acb, arb

from exactdp.caching import cached_property
from exactdp.kernel.two_messages.nodes import Nodes, floor

__all__ = ["Envelope"]

_SLICES: Final = 64
"""The finest division of the k from 0 to N."""

_PARTS: Final = (1, 4, 16)
"""Into so many parts [-1, 1] is divided, one after the other."""

_NEWTON_STEPS: Final = 4
"""Steps of Newton's method for a y; any y gives a bound."""


class Envelope:
    """T and its derivatives, as balls at the precision that is set."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes, self.others = nodes, nodes.tilt.others

    @cached_property
    def _damping(self) -> list[acb]:
        """N A_j."""
        low = self.nodes.tilt.low
        pairs = zip(self.nodes.log_low, self.nodes.angles, strict=True)
        return [self.others * (log - acb(0, low * angle)) for log, angle in pairs]

    @cached_property
    def _drift(self) -> list[acb]:
        """B_j."""
        move = self.nodes.tilt.high - self.nodes.tilt.low
        pairs = zip(self.nodes.log_ratio, self.nodes.angles, strict=True)
        return [log - acb(0, move * angle) for log, angle in pairs]

    @cached_property
    def _k_factors(self) -> list[acb]:
        """W_j times what d/dk brings down."""
        rate = self.nodes.tilt.rates[1] - self.nodes.tilt.rates[0]
        return [weight * (drift - rate) for weight, drift in zip(self.nodes.weights, self._drift, strict=True)]

    @cached_property
    def _y_factors(self) -> tuple[list[acb], list[acb], list[acb]]:
        """W_j times what the y-derivatives bring down, up to sign."""
        slopes = [acb(self.nodes.tilt.log_rho, angle) for angle in self.nodes.angles]
        first = [weight * slope for weight, slope in zip(self.nodes.weights, slopes, strict=True)]
        return self.nodes.weights, first, [factor * slope for factor, slope in zip(first, slopes, strict=True)]

    def _sum(self, factors: list[acb], k: arb, y: arb) -> arb:
        total = arb(0)
        for factor, damping, drift, angle in zip(factors, self._damping, self._drift, self.nodes.angles, strict=True):
            total += (factor * (damping + k * drift - acb(0, y * angle)).exp()).real
        return total

    def _sign(self, factors: list[acb], k: arb) -> int:
        """Return the sign of a sum over ``k`` x [-1, 1], 0 where it is not proved."""
        for parts in _PARTS:
            signs = {_sign(self._sum(factors, k, y)) for y in _divided(parts)}
            if len(signs) == 1 and signs != {0}:
                return signs.pop()
            if {1, -1} <= signs:
                break
        return 0

    @cached_property
    def rising_to(self) -> int:
        """A k0 with dT/dk > 0 on [0, k0]."""
        return self._march(1)

    @cached_property
    def falling_from(self) -> int:
        """A k0 with dT/dk < 0 on [k0, N]."""
        return self.others - self._march(-1)

    def top(self) -> tuple[int, int]:
        """Return between which k to look first: where T is not monotone, or the end with the larger scale."""
        if self.falling_from - self.rising_to <= self.others // _SLICES:
            return self.rising_to, self.falling_from
        end = self.nodes.tilt.heavy_end
        return end, end

    def _march(self, sign: int) -> int:
        """Return how far from its end T rises towards the other end: from 0, or for sign -1 from N."""
        reached, step = 0, self.others
        while reached < self.others and step * _SLICES >= self.others:
            ahead = min(reached + step, self.others)
            near, far = (reached, ahead) if sign > 0 else (self.others - reached, self.others - ahead)
            if self._sign(self._k_factors, arb(near).union(arb(far))) == sign:
                reached, step = ahead, 2 * step
            else:
                step //= 2
        return reached

    def below(self, k: int) -> arb:
        """Return a bound of H for all k' <= k."""
        return self._bound(k, 0, by_tangent=k <= self.rising_to)

    def above(self, k: int) -> arb:
        """Return a bound of H for all k' >= k."""
        return self._bound(k, self.others, by_tangent=k >= self.falling_from)

    def _bound(self, k: int, end: int, *, by_tangent: bool) -> arb:
        """Return a bound for all k' from ``k`` to ``end``; by the tangent only where T falls from ``k`` to ``end``."""
        tilt = self.nodes.tilt
        largest_scale = arb.max(tilt.scale(k), tilt.scale(end))
        plain = largest_scale * tilt.rho * self._peak
        value, first, second = self._y_factors
        if not by_tangent or self._sign(second, place := arb(k)) >= 0:
            return plain
        y = arb(0)
        for _ in range(_NEWTON_STEPS):
            y = (y + self._sum(first, place, y) / self._sum(second, place, y)).mid()
        if not -1 < y < 1:
            y = arb(0)
        peak = self._sum(value, place, y) + 2 * abs(self._sum(first, place, y))
        error = self.nodes.error.rad() * tilt.rho * largest_scale
        return arb.min(plain, tilt.scale(k) * (-y * tilt.log_rho).exp() * peak + error)

    @cached_property
    def _peak(self) -> arb:
        """A bound of E[h_k(m) - h_k(m + S)] for every k and m, by the triangle inequality."""
        peak = abs(self.nodes.error)
        for weight, angle in zip(self.nodes.weights, self.nodes.angles, strict=True):
            peak += abs(weight) * (-self.nodes.least_variance * (1 - angle.cos())).exp()
        return arb.min(peak, arb(1))

    def bracket(self) -> tuple[arb, arb]:
        """Return an attained value, and a bound of all."""
        tilt, lower = self.nodes.tilt, arb(0)
        for k in (0, self.others):
            lower = arb.max(lower, self.nodes.value(k, floor(tilt.mean(k))))
        return lower.lower(), arb.min(self.below(self.others), tilt.alpha).upper()


def _divided(parts: int) -> list[arb]:
    """Return [-1, 1] in so many parts."""
    ends = [arb(2 * i - parts) / parts for i in range(parts + 1)]
    return [left.union(right) for left, right in pairwise(ends)]


def _sign(value: arb) -> int:
    return 1 if value > 0 else -1 if value < 0 else 0
