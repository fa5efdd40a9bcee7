"""The divergences of two counts with correlated noise, in balls.

:mod:`exactdp.protocols.counting.correlated_counts` proves them.

Sums of Y(t) - c Y(t-1) over intervals of t are read off weights and tails of Y. Where a level is tied, or nearly, a
summand that is not decided counts as the larger one of 0 and itself.

The losses of two counts with correlated noise, outcome by outcome: what its runs compose.

By :mod:`exactdp.protocols.counting.correlated_counts` the likelihood ratio of P_S and P_(S+1) is p1 where U - V > S,
and elsewhere Y(t) / (p1 Y(t-1)) for t = U - S: one outcome, and one for each t >= 0. Beyond a last t these ratios are
between their infimum and the larger one of the last ratio and of their limit: they fall, or fall and rise
(:mod:`exactdp.protocols.counting.negative_binomial_sum`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from flint import arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import enclosed, precision, proved_sign, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.law_pairs import MAX_ATOMS
from exactdp.privacy.composition.losses import WORKING_BITS, LossPair
from exactdp.protocols.counting.negative_binomial_sum import NegativeBinomialPlusGeometric, Turn


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


@dataclass(frozen=True, slots=True)
class CorrelatedPair:
    """Two counts with correlated noise against the same with one user's bit changed; ``backward``: the converse."""

    view: CorrelatedView
    backward: bool

    def losses(self, tail_bits: int) -> LossPair:
        """Return its losses up to where Y has less than 2^-tail_bits of its mass."""
        return _correlated_losses(self.view, tail_bits)[self.backward]


@lru_cache(maxsize=8)
def _correlated_losses(view: CorrelatedView, tail_bits: int) -> tuple[LossPair, LossPair]:
    if (last := last_outcome(view, tail_bits)) >= MAX_ATOMS:
        raise TooLargeError(
            f"composition: the noise of both counts has {last} outcomes that matter, more than the limit of "
            f"{MAX_ATOMS}. Use a smaller p2 or r."
        )
    return correlated_losses(view, last)


def last_outcome(view: CorrelatedView, tail_bits: int) -> int:
    """Return a t >= 1, a power of two, beyond which Y has less than 2^-tail_bits of its mass."""
    last = 1
    with precision(view.noise.lost_bits + 64):
        while not view.noise.sf(last) < arb(2) ** -tail_bits:
            last *= 2
    return last


def correlated_losses(view: CorrelatedView, last: int) -> tuple[LossPair, LossPair]:
    """Return P_S against P_(S+1), and the converse, with the outcomes t up to ``last`` >= 1 listed."""
    with precision(WORKING_BITS + view.noise.lost_bits):
        p1, weights = real_ball(view.p1), view.noise.weights(last)
        first = [weight / (1 + p1) for weight in weights]
        second = [arb(0), *(p1 * weight for weight in first[:-1])]
        atoms = [(p1 / (1 + p1), 1 / (1 + p1), p1.log())]
        atoms += [(p, q, (p / q).log()) for p, q in zip(first[1:], second[1:], strict=True)]
        limit = ((p1 * p1).max(real_ball(view.p2)) / p1).log()
        forward = LossPair(atoms, first[0], [(view.noise.sf(last) / (1 + p1), atoms[-1][2].max(limit))])
        beyond, most = p1 * view.noise.sf(last - 1) / (1 + p1), (p1 / view.noise.least_ratio()).log()
        return forward, LossPair([(q, p, -x) for p, q, x in atoms], arb(0), [(beyond, most)])
