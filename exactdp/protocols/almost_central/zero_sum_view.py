"""The counts of +1 and -1 under zero-sum noise against the same counts moved, in balls.

U = G1 + W and V = G2 + W with G1, G2 geometric of ratio p, and W a sum of negative binomial numbers, all independent. D
= U - V and M = min(U, V) are independent: D has the weights (1-p) / (1+p) p^abs(d), and M that of Y = W + G with P[G =
g] = (1 - p^2) p^(2g) (:mod:`exactdp.protocols.almost_central.zero_sum_views` proves it). Let (U, V) be moved by (a, b),
and k = a - b >= 0; else exchange U and V. Given D = d, M is moved by a for d <= 0, by a - d for 0 < d < k, and by b
from d = k on; and D has there, under the two laws,

    1 / (1+p) and p^k / (1+p);      (1-p) / (1+p) times p^d and p^(k-d);      p^k / (1+p) and 1 / (1+p).

**The sum moved by 1.** H_c of a sum of negative binomial numbers against the sum moved by 1, for all c > 0, to any
accuracy. With the weights w and rho(t) = w(t) / w(t-1), which fall in t to the largest p
(:mod:`exactdp.protocols.almost_central.shared_noise`):

    H_c(Y || Y+1) = sum of max(0, w(t) - c w(t-1)), over all t up to the last one with rho(t) > c, or 1 - c if there is
    none; and
    H_d(Y+1 || Y) = sum of max(0, w(t-1) - d w(t)), over all t from the first one on with rho(t) < 1/d, or 0 if there is
    none.

Where a t is not told from a tie its summand is the larger one of 0 and what its ball says. What is beyond a last t of
either sum is between 0 and the mass there.

Two ends of the divergence of sums under zero-sum noise cost little at any bound Delta.

**Above.** Of Z ~ NB(r, q) against Z + d, d >= 1, at E = e^(d h), h >= l = ln(1/q): w(s) / w(s-1) = q (r+s-1) / s is at
most e^h from a = q (r-1) / (e^h - q) on, so the divergence is at most P[Z <= a + d]; in the other order it is 0,
because w(s-1) / w(s) <= 1/q. For a factor f >= 1 give every l the level h = f l. By composition, with M one part of W
plus independent noise, moved by at most Delta, and D moved by at most Delta, the divergence of a user's change from x
to y at the level

    Delta ln(1/p) + f (Delta l_1 + sum over i of (abs(c_i(x)) + abs(c_i(y))) l_i)

is at most the sum of these probabilities, taken for M at d = Delta and for Z_i at the largest abs(c_i). What is largest
of one number, twice, bounds what two add. So f is read off eps; where it is below 1, delta <= 1 is all that is said.

**Below.** D = U - V is what the sum of all messages shows. If x = 0 becomes Delta, D is moved by Delta: for 0 <= t <
Delta the divergence is at least P[D <= t] - E P[D <= t - Delta] = 1 - p^(t+1) / (1+p) - E p^(Delta-t) / (1+p).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import flint
from flint import arb

from exactdp.caching import cached_property
from exactdp.laws.law_balls import EnclosedNegativeBinomial
from exactdp.numbers.balls import enclosed, interval_of, precision, proved_sign, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.losses import LossPair, integer
from exactdp.protocols.almost_central.shared_noise import (
    LISTED_BITS,
    MAX_OUTCOMES,
    Part,
    SharedNoise,
    beyond,
    loss_pair,
    too_wide,
)

_CHECKED: Final = 64
"""The rest of a sum is looked at after so many summands each time."""


def moved_up(noise: SharedNoise, c: arb) -> arb:
    """Return H_c(Y || Y+1) at the precision that is set."""
    if c <= noise.largest_ratio():
        return 1 - c
    total = before = arb(0)
    tiny = arb(2) ** -int(flint.ctx.prec)
    for t, weight in enumerate(_weights(noise)):
        if t and weight <= c * before:
            return total
        total += arb(0).max(weight - c * before)
        if t % _CHECKED == _CHECKED - 1 and (rest := beyond([before, weight])) < tiny * total:
            return total + rest.union(arb(0))
        before = weight
    raise AssertionError("unreachable: the weights do not end")


def moved_down(noise: SharedNoise, d: arb) -> arb:
    """Return H_d(Y+1 || Y) at the precision that is set."""
    if d * noise.largest_ratio() >= 1:
        return arb(0)
    total, last, tiny = arb(0), [arb(0), arb(0)], arb(2) ** -int(flint.ctx.prec)
    for t, weight in enumerate(_weights(noise)):
        last = [last[1], weight]
        if t:
            total += arb(0).max(last[0] - d * weight)
        if t % _CHECKED == _CHECKED - 1 and (rest := beyond(last) + weight.upper()) < tiny * total:
            return total + rest.union(arb(0))
    raise AssertionError("unreachable: the weights do not end")


def _weights(noise: SharedNoise) -> Iterator[arb]:
    """Yield P[Y = t] for t = 0, 1, ...; refuse where they are too many."""
    for t, weight in enumerate(noise.each_weight()):
        if t > MAX_OUTCOMES:
            raise too_wide(MAX_OUTCOMES)
        yield weight


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


_BITS: Final = 128
"""Precision: the bound is rough, and its tails lose few bits."""

_AT_INFINITY: Final = 2**10
"""The factor that stands for infinite eps: only what one law alone reaches is left, nearly."""

_ONE: Final = Dyadic.of(1)


def wide_upper_end(
    p: Real,
    parts: Mapping[int, tuple[Real, Real]],
    used: Sequence[Mapping[int, int]],
    exp_eps: Real | None,
) -> Dyadic:
    """Return a number at least delta at E; None stands for infinity.

    ``parts`` holds (r, q) of one part of W for 1, and of Z_i and Z_-i for i = 2, ..., Delta; ``used`` for every number
    up to Delta how often each i from 2 on occurs, abs(c_i) and abs(c_-i) together.
    """
    bound = len(used) - 1
    with precision(_BITS):
        logs = {i: -real_ball(q).log() for i, (_, q) in parts.items()}
        most = max(_weighted(one, logs).upper() for one in used)
        cost = bound * logs[1] + 2 * most
        if exp_eps is None:
            factor = arb(_AT_INFINITY)
        else:
            factor = (real_ball(exp_eps).log() + bound * real_ball(p).log()) / cost
        if not factor >= 1:
            return _ONE
        largest = {1: bound}
        for one in used:
            for i, times in one.items():
                largest[i] = max(largest.get(i, 0), times)
        masses = {i: _rare(parts[i], logs[i], factor, shift) for i, shift in largest.items()}
        others = max(sum((2 * masses[i] for i in one), arb(0)).upper() for one in used)
        return min(_ONE, interval_of(masses[1] + 2 * others, _BITS // 2).upper)


def _weighted(one: Mapping[int, int], logs: Mapping[int, arb]) -> arb:
    return sum((times * logs[i] for i, times in one.items()), arb(0))


def _rare(part: tuple[Real, Real], log: arb, factor: arb, shift: int) -> arb:
    """Return P[Z <= a + d]."""
    r, q = real_ball(part[0]), real_ball(part[1])
    least = q * (r - 1) / ((factor * log).exp() - q)
    return EnclosedNegativeBinomial(*part).cdf(integer(least.upper()) + 1 + shift)


def wide_lower_end(p: Real, bound: int, exp_eps: Real | None) -> Dyadic:
    """Return a number at most delta at E; None stands for infinity."""
    if exp_eps is None:
        return Dyadic.of(0)
    with precision(_BITS):
        ratio, level = real_ball(p), real_ball(exp_eps)
        turn = (bound + level.log() / ratio.log()) / 2
        t = max(0, integer(turn.mid()))
        value = 1 - (ratio ** (t + 1) + level * ratio ** (bound - t)) / (1 + ratio)
        return max(Dyadic.of(0), interval_of(value, _BITS // 2).lower) if value > 0 else Dyadic.of(0)
