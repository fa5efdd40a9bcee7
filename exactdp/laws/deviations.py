"""How far a sum of independent numbers is from its mean: two theorems, and the one that says more.

S is a sum of independent numbers of mean 0, each at most M in size, with E|X|^3 <= k E X^2 for each; its variance is
not known, but at most V. With L = ln(2 / beta):

*Bernstein's inequality.* P[|S| > a] <= 2 exp(-a^2 / (2 (v + M a/3))) for a variance v. So it is at most beta where
v <= s(a) = a^2 / (2 L) - M a/3.

*The Berry-Esseen theorem*, with Shevtsova's constant 0.56: the distribution functions of S / sqrt(v) and of a normal Z
differ by at most 0.56 sum E|X|^3 / v^(3/2) <= 0.56 k / sqrt(v). So

    P[|S| > a] <= P[|Z| > a / sqrt(V)] + 1.12 k / sqrt(v)    for v <= V.

*Both.* If the right side with v = s(a) > 0 is at most beta, then a is enough: where the variance is at most s(a) by the
first, and where it is between s(a) and V by the second, whose right side falls in v. If a is enough by it, so is every
larger a, because s(a) rises where it is positive.

*From below.* With a variance of exactly v, P[|S| > a] >= P[|Z| > a / sqrt(v)] - 1.12 k / sqrt(v).

Source: Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's); Shevtsova2010, Theorem 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

from exactdp.laws.tails import bernstein_reach, root_above
from exactdp.numbers.balls import log_interval, normal_tails
from exactdp.numbers.bisection import bisect

BERNSTEIN: Final = "Bernstein's inequality"
BERRY_ESSEEN: Final = "the Berry-Esseen theorem"

_CONSTANT: Final = Fraction(112, 100)
"""Twice 0.56: at both ends."""
_BITS: Final = 64
"""Ends are rounded outward to more digits than are shown."""
_STEPS: Final = 2**32
"""An error is looked for on a grid of so many steps."""


class Reach(NamedTuple):
    """An error that is exceeded with probability at most beta, and the theorem that says so."""

    error: Fraction
    theorem: str


def enough_reach(variance: Fraction, most: Fraction, skew: Fraction, beta: Fraction) -> Reach:
    """Return an error that is enough for every sum whose variance is at most ``variance``, for 0 < beta < 1.

    Args:
        variance: V, above 0.
        most: M, the size of a term.
        skew: k, what E|X|^3 / E X^2 of a term is at most.
        beta: the probability of a larger error.

    >>> half, beta = Fraction(1, 2), Fraction(1, 20)
    >>> large, small = (enough_reach(n * half**2, half, half, beta) for n in (10**6, 99))
    >>> round(float(large.error), 2), large.theorem, round(float(small.error), 2), small.theorem
    (986.67, 'the Berry-Esseen theorem', 14.14, "Bernstein's inequality")
    """
    reach = bernstein_reach(variance, most, beta, relative_bits=_BITS).hi
    tail = log_interval(2 / beta, relative_bits=_BITS).hi

    def is_enough(steps: int) -> bool:
        error = reach * steps / _STEPS
        left = error**2 / (2 * tail) - most * error / 3
        if steps <= 0 or left <= 0:
            return False
        return normal_tails(error**2 / variance, relative_bits=_BITS).hi + _lyapunov(skew, left) <= beta

    steps = bisect(0, _STEPS, is_enough) if is_enough(_STEPS) else _STEPS
    return Reach(reach * steps / _STEPS, BERRY_ESSEEN if steps < _STEPS else BERNSTEIN)


def reached(variance: Fraction, skew: Fraction, beta: Fraction) -> Fraction:
    """Return an error that a sum exceeds with probability above beta, or 0, for a variance that is known.

    >>> round(float(reached(Fraction(10**6, 4), Fraction(1, 2), Fraction(1, 20))), 2)
    975.24
    """
    if not variance:
        return Fraction(0)
    far = 2 * root_above(variance * log_interval(2 / beta, relative_bits=_BITS).hi, _BITS)
    wanted = beta + _lyapunov(skew, variance)

    def is_reached(steps: int) -> bool:
        return normal_tails((far * steps / _STEPS) ** 2 / variance, relative_bits=_BITS).lo > wanted

    return far * bisect(_STEPS, 0, is_reached) / _STEPS if is_reached(0) else Fraction(0)


def _lyapunov(skew: Fraction, variance: Fraction) -> Fraction:
    """Return 1.12 k / sqrt(v), rounded up."""
    return _CONSTANT * root_above(skew**2 / variance, _BITS)
