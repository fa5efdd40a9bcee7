"""Two ends of the divergence of sums under zero-sum noise that cost little at any bound Delta, in balls.

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

from collections.abc import Mapping, Sequence
from typing import Final

from flint import arb

from exactdp.laws.law_balls import EnclosedNegativeBinomial
from exactdp.numbers.balls import interval_of, precision, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.real import Real
from exactdp.privacy.composition.losses import integer

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
