"""The divergences of two counts with correlated noise, in balls: what :mod:`exactdp.privacy.views.correlated_counts`
proves.

Sums of Y(t) - c Y(t-1) over intervals of t are read off weights and tails of Y. Where a level is tied, or nearly, a
summand that is not decided counts as the larger one of 0 and itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from flint import arb

from exactdp.caching import cached_property
from exactdp.numbers.balls import enclosed, proved_sign, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.views.negative_binomial_sum import NegativeBinomialPlusGeometric, Turn


class WorseOrder(NamedTuple):
    """The larger one of the divergences of two orders."""

    delta: Interval
    is_backward: bool
    """Whether the second order, P_(S+1) against P_S, is proved to be worse."""


@dataclass(frozen=True)
class CorrelatedView:
    """The view of private counting with p1, p2 in (0, 1) and r > 0."""

    p1: Real
    p2: Real
    r: Real

    @cached_property
    def noise(self) -> NegativeBinomialPlusGeometric:
        """The law of Y."""
        return NegativeBinomialPlusGeometric(self.r, self.p2, self.p1 * self.p1)

    def enclose_delta(self, exp_eps: Real | None, relative_bits: int) -> WorseOrder:
        """Enclose delta at E >= 1; None stands for infinity."""
        is_backward = False

        def delta() -> arb:
            nonlocal is_backward
            if exp_eps is None:  # Y(t) > 0 = Y(t-1) for t = 0 alone
                return self.noise.pmf(0) / (1 + real_ball(self.p1))
            forward, backward = self.forward(exp_eps), self.backward(exp_eps)
            is_backward = proved_sign(backward - forward) > 0
            return forward.max(backward)

        interval = enclosed(delta, relative_bits, lost_bits=self.noise.lost_bits)
        return WorseOrder(interval, is_backward)

    def forward(self, exp_eps: Real) -> arb:
        """Return H_E(P_S || P_(S+1))."""
        level, noise = exp_eps * self.p1, self.noise
        turn, c = _turn(noise, level), real_ball(level)
        if turn is None:
            total = 1 - c
        else:
            total = noise.pmf(turn.last) + (1 - c) * noise.cdf(turn.last - 1)
            if turn.again is not None:
                total += (1 - c) * noise.sf(turn.again - 1) - c * noise.pmf(turn.again - 1)
            for t in turn.open:
                total += arb(0).max(noise.pmf(t) - c * noise.pmf(t - 1))
        return total / (1 + real_ball(self.p1))

    def backward(self, exp_eps: Real) -> arb:
        """Return H_E(P_(S+1) || P_S)."""
        noise, p1 = self.noise, real_ball(self.p1)
        turn, d = _turn(noise, self.p1 / exp_eps), real_ball(exp_eps) / p1
        total = arb(0)
        if turn is not None:
            total = _beyond(noise, turn.first_below, d)
            if turn.last_below is not None:
                total -= _beyond(noise, turn.last_below + 1, d)
            for t in turn.open:
                total += arb(0).max(noise.pmf(t - 1) - d * noise.pmf(t))
        return (arb(0).max(1 - real_ball(exp_eps) * p1) + p1 * total) / (1 + p1)


def _beyond(noise: NegativeBinomialPlusGeometric, first: int, d: arb) -> arb:
    """Return the sum of Y(t-1) - d Y(t) over t >= ``first``."""
    return noise.pmf(first - 1) + (1 - d) * noise.sf(first - 1)


@lru_cache(maxsize=256)
def _turn(noise: NegativeBinomialPlusGeometric, level: Real) -> Turn | None:
    """Where the ratios of weights are below a level, kept for the next precision."""
    return noise.turn(level)
