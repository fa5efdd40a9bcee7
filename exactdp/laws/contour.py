"""Weights and tails of a law on the integers from its generating function F(z) = E[z^Y], by the trapezoidal rule.

Let g(j) = P[Y = j], and tilt it: h(j) = g(j) r^j / F(r) with r > 1. On the circle of radius r the mean over the M-th
roots of unity w of F(r w) (r w)^-k / (1 - 1/(r w)) picks one residue class of exponents, and

    (1 - r^-M) * mean = sum over j of g(j) r^(M floor((j-k)/M)) = P[Y >= k] + excess,
    0 <= excess <= F(r) r^-k ( h{j >= k+M} + h{j <= k-s} + r^(s-M) )    for every 0 < s < M,

because a term j in (k-s, k) enters as h(j) F(r) r^(k-j-M) <= h(j) F(r) r^-k r^(s-M), and every other wrong term as at
most h(j) F(r) r^-k. The h-tails are bounded by Chernoff: h{j >= a} <= F(t)/F(r) (r/t)^a for every t >= r, likewise
below. A single weight is the same without the kernel 1 / (1 - 1/z), and lower tails are upper ones of -Y.

With r such that h has its mean at k, M is a small multiple of the standard deviation of h, and F(r w) is negligible
outside a small multiple of its inverse: about as many nodes as bits are asked for, at any size of the law and any
distance from its middle. The nodes left out are bounded by the first of them: every law here has |F(r e^(i angle))|
falling in |angle| on [0, pi], being a product of such factors.

Source: TrefethenWeideman2014, section 3 (the rule on circles).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final, Protocol

import flint
from flint import acb, arb

from exactdp.errors import TooLargeError
from exactdp.numbers.balls import rational_ball

_TILT_BITS: Final = 256
"""A tilt is a choice: a longer mantissa would only make its exponential slower."""

_MAX_EXPONENT: Final = 2**14
"""Parameters of larger magnitude would take as many bits of precision."""

_LEAST_GOAL: Final = 24
"""At least so many bits are aimed at."""

_GUARD: Final = 10
"""Bits by which what is left out stays below the goal."""

_MAX_TRIALS: Final = 12
"""Numbers of nodes tried before the precision is found too low."""

_ANY_PROBABILITY: Final = arb(0).union(arb(1))

_NODES_PER_BIT: Final = 16
"""More nodes than this for each bit of the goal are not summed: the precision is too low to see them vanish."""


@dataclass(frozen=True, slots=True)
class Tilt:
    """ln r, exact, with about the standard deviation of the tilted law. A choice: any r above 1 gives a proof."""

    log: Fraction
    deviation: Fraction

    @classmethod
    def of(cls, log: Fraction, variance: Fraction) -> Tilt:
        """Return the tilt whose law has about this variance."""
        return cls(log, Fraction(isqrt(variance.__ceil__() << 20 if variance > 1 else int(variance * 2**20)), 2**10))

    @property
    def spread(self) -> int:
        """The standard deviation, rounded up to at least 1."""
        return int(self.deviation) + 1


class LawInBalls(Protocol):
    """A law on the integers, computed in balls."""

    @property
    def low(self) -> int | None:
        """The least outcome; None: no end."""
        ...

    @property
    def high(self) -> int | None:
        """The greatest outcome; None: no end."""
        ...

    @property
    def lost_bits(self) -> int:
        """Bits of accuracy that large parameters cost, roughly."""
        ...


class GeneratingFunction(LawInBalls, Protocol):
    """A law by its generating function, of which abs(F(r e^(i angle))) falls in abs(angle) on [0, pi]."""

    @property
    def mean(self) -> Fraction:
        """A number near E[Y]."""
        ...

    def tilt(self, mean: Fraction) -> Tilt:
        """Return the tilt that moves the mean to about ``mean``, inside the support."""
        ...

    def value(self, log_z: acb) -> acb:
        """Return F(e^log_z) as a ball."""
        ...


def contour_weight(law: GeneratingFunction, k: int) -> arb:
    """Return P[Y = k] for k in the support as a ball, at the precision that is set."""
    view, goal = _View(law, 1), _goal(law)
    tilt = view.tilt(Fraction(k))
    nodes = _nodes_across(tilt, goal)
    for _ in range(_MAX_TRIALS):
        excess = view.above(tilt, k + nodes) + view.below(tilt, k - nodes)
        if excess < arb(2) ** -goal:
            mean = view.mean_over_circle(tilt, k, nodes, goal, tail=False)
            return mean + view.scale(tilt, k) * (-excess).union(arb(0))
        nodes = _more(nodes)
    return _ANY_PROBABILITY


def contour_tail(law: GeneratingFunction, k: int, *, upper: bool) -> arb:
    """Return P[Y >= k] (``upper``) or P[Y <= k], for k in the support and on that side of the mean, as a ball."""
    view, goal = _View(law, 1 if upper else -1), _goal(law)
    k = k if upper else -k
    tilt = view.tail_tilt(k, goal)
    log = rational_ball(tilt.log)
    nodes = (_nodes_across(tilt, goal) + int(goal / tilt.log)) | 1
    for _ in range(_MAX_TRIALS):
        reach = nodes // 2
        excess = view.above(tilt, k + nodes) + view.below(tilt, k - reach) + (log * (reach - nodes)).exp()
        if excess < arb(2) ** -goal:
            mean = view.mean_over_circle(tilt, k, nodes, goal, tail=True)
            return (1 - (log * -nodes).exp()) * mean + view.scale(tilt, k) * (-excess).union(arb(0))
        nodes = _more(nodes)
    return _ANY_PROBABILITY


def dyadic(ball: arb) -> Fraction:
    """Return a number of few bits near a ball, for choices that need no proof."""
    mantissa, exponent = map(int, ball.mid().man_exp())
    if abs(exponent) > _MAX_EXPONENT:
        raise TooLargeError(f"a parameter is beyond 2^{_MAX_EXPONENT} or below 2^-{_MAX_EXPONENT}, the limits.")
    cut = max(0, mantissa.bit_length() - _TILT_BITS)
    mantissa, exponent = mantissa >> cut, exponent + cut
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def _more(nodes: int) -> int:
    return (nodes + nodes // 2) | 1


def _goal(law: GeneratingFunction) -> int:
    return max(_LEAST_GOAL, int(flint.ctx.prec) - law.lost_bits)


def _deviations(goal: int) -> int:
    """So many standard deviations, about, leave out 2^-goal of a normal law."""
    return isqrt(3 * (goal + _GUARD) // 2) + 1


def _nodes_across(tilt: Tilt, goal: int) -> int:
    return 2 * _deviations(goal) * tilt.spread + 1


@dataclass(frozen=True, slots=True)
class _View:
    """The law of Y (``sign`` 1) or of -Y (``sign`` -1)."""

    law: GeneratingFunction
    sign: int

    @property
    def top(self) -> int | None:
        end = self.law.high if self.sign > 0 else self.law.low
        return None if end is None else self.sign * end

    @property
    def bottom(self) -> int | None:
        end = self.law.low if self.sign > 0 else self.law.high
        return None if end is None else self.sign * end

    @property
    def middle(self) -> Fraction:
        return self.sign * self.law.mean

    def tilt(self, mean: Fraction) -> Tilt:
        """Return the tilt for a mean of about ``mean``, moved inside the support."""
        if self.top is not None:
            mean = min(mean, self.top - min(Fraction(1, 2), (self.top - self.middle) / 4))
        if self.bottom is not None:
            mean = max(mean, self.bottom + min(Fraction(1, 2), (self.middle - self.bottom) / 4))
        tilt = self.law.tilt(self.sign * mean)
        return Tilt(self.sign * tilt.log, tilt.deviation)

    def tail_tilt(self, k: int, goal: int) -> Tilt:
        """Return a tilt upwards for the tail from k: not nearer to the mean than some standard deviations.

        Nearer ones need more nodes, further ones more precision; both grow like the root of the goal.
        """
        from_mean = self.middle + max(3, isqrt(goal) // 3) * self.tilt(self.middle).deviation
        tilt = self.tilt(max(Fraction(k), from_mean))
        return tilt if tilt.log > 0 else Tilt(Fraction(1), tilt.deviation)

    def value(self, log_z: acb) -> acb:
        return self.law.value(log_z if self.sign > 0 else -log_z)

    def scale(self, tilt: Tilt, k: int) -> arb:
        """F(r) r^-k."""
        log = rational_ball(tilt.log)
        return self.value(acb(log)).real * (-k * log).exp()

    def above(self, tilt: Tilt, k: int) -> arb:
        """Bound h{j >= k}."""
        if self.top is not None and k > self.top:
            return arb(0)
        return self._chernoff(tilt, self.tilt(Fraction(k)).log, k, above=True)

    def below(self, tilt: Tilt, k: int) -> arb:
        """Bound h{j <= k}."""
        if self.bottom is not None and k < self.bottom:
            return arb(0)
        return self._chernoff(tilt, self.tilt(Fraction(k)).log, k, above=False)

    def _chernoff(self, tilt: Tilt, log: Fraction, k: int, *, above: bool) -> arb:
        if (log <= tilt.log) if above else (log >= tilt.log):
            return arb(1)
        ratio = self.value(acb(rational_ball(log))).real / self.value(acb(rational_ball(tilt.log))).real
        return ratio * (rational_ball(tilt.log - log) * k).exp()

    def mean_over_circle(self, tilt: Tilt, k: int, nodes: int, goal: int, *, tail: bool) -> arb:
        """The mean over the ``nodes``-th roots of unity w of F(r w) (r w)^-k, over 1 - 1/(r w) where ``tail``.

        ``nodes`` is odd, so that those off the real line come in pairs of conjugates.
        """
        log, step = rational_ball(tilt.log), 2 * arb.pi() / nodes
        total, front = arb(0), (-k * log).exp()
        negligible = None
        for node in range(nodes // 2 + 1):
            log_z = acb(log, node * step)
            value = self.value(log_z)
            term = value * (-k * log_z).exp()
            if tail:
                term /= 1 - (-log_z).exp()
            total += term.real if node == 0 else 2 * term.real
            most = value.abs_upper()
            left_out = nodes - 1 - 2 * node
            if negligible is None:
                negligible = most * arb(2) ** -goal
            elif left_out and (most * left_out < negligible or node > _NODES_PER_BIT * goal):
                rest = most * left_out * front / (1 - (-log).exp() if tail else 1)
                return (total + (-rest).union(rest)) / nodes
        return total / nodes
