"""The counts of +1 and -1 under zero-sum noise against the same counts moved, in balls.

U = G1 + W and V = G2 + W with G1, G2 geometric of ratio p, and W a sum of negative binomial numbers, all independent.
D = U - V and M = min(U, V) are independent: D has the weights (1-p) / (1+p) p^abs(d), and M that of Y = W + G with
P[G = g] = (1 - p^2) p^(2g) (:mod:`exactdp.privacy.composition.zero_sum_views` proves it). Let (U, V) be moved by (a,
b), and k = a - b >= 0; else exchange U and V. Given D = d, M is moved by a for d <= 0, by a - d for 0 < d < k, and by b
from d = k on; and D has there, under the two laws,

    1 / (1+p) and p^k / (1+p);      (1-p) / (1+p) times p^d and p^(k-d);      p^k / (1+p) and 1 / (1+p).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from flint import arb

from exactdp.caching import cached_property
from exactdp.numbers.balls import enclosed, precision, proved_sign, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.losses import LossPair
from exactdp.privacy.composition.shared_divergence import moved_down, moved_up
from exactdp.privacy.composition.shared_noise import LISTED_BITS, Part, SharedNoise, loss_pair

_PAIRS_KEPT: Final = 4096
"""Pairs in cells that are kept: those of all shifts that occur for a bound of 4, many times over."""


@dataclass(frozen=True)
class BothCounts:
    """The counts of +1 and -1: the ratio p of the noise of each, and the parts (r, p) of the noise of both."""

    p: Real
    common: tuple[tuple[Real, Real], ...]

    @cached_property
    def least(self) -> SharedNoise:
        """The law of Y."""
        return SharedNoise((*self.common, (Real(1), self.p * self.p)))

    def cases(self, up: int, down: int) -> list[Part]:
        """Return the cases of D for counts moved by (up, down), and by how much M is moved in each."""
        if up < down:
            up, down = down, up
        p, k = real_ball(self.p), up - down
        if k == 0:
            return [Part(arb(1), arb(1), up)]
        near, far, each = 1 / (1 + p), p**k / (1 + p), (1 - p) / (1 + p)
        between = [Part(each * p**d, each * p ** (k - d), up - d) for d in range(1, k)]
        return [Part(near, far, up), *between, Part(far, near, down)]

    def enclose_delta(self, exp_eps: Real | None, relative_bits: int) -> tuple[Interval, bool]:
        """Enclose the larger divergence of the counts and the counts moved by (1, 0), and say if it is the second's.

        The first order is that of the counts against the moved ones. ``exp_eps`` None stands for infinity.
        """
        is_backward = False

        def delta() -> arb:
            nonlocal is_backward
            p = real_ball(self.p)
            if exp_eps is None:  # only the first law reaches Y = 0 where D <= 0
                return next(self.least.each_weight()) / (1 + p)
            level = real_ball(exp_eps)
            forward = moved_up(self.least, level * p) / (1 + p)
            backward = (arb(0).max(1 - level * p) + p * moved_down(self.least, level / p)) / (1 + p)
            is_backward = proved_sign(backward - forward) > 0
            return forward.max(backward)

        return enclosed(delta, relative_bits), is_backward


@lru_cache(maxsize=_PAIRS_KEPT)
def both_counts_pair(
    counts: BothCounts, up: int, down: int, fineness: int | None, tail_bits: int, *, from_above: bool
) -> LossPair:
    """Return the counts against the counts moved by (up, down), in cells."""
    with precision(LISTED_BITS):
        cases = counts.cases(up, down)
    return loss_pair(counts.least, cases, fineness=fineness, tail_bits=tail_bits, from_above=from_above)


@lru_cache(maxsize=_PAIRS_KEPT)
def multiset_pair(part: tuple[Real, Real], shift: int, fineness: int, tail_bits: int, *, from_above: bool) -> LossPair:
    """Return the number of a multiset against itself moved by ``shift``, which is not 0, in cells."""
    with precision(LISTED_BITS):
        cases = [Part(arb(1), arb(1), shift)]
    return loss_pair(SharedNoise((part,)), cases, fineness=fineness, tail_bits=tail_bits, from_above=from_above)
