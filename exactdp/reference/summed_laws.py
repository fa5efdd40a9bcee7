"""Laws on the integers by adding up weights in mpmath: slow, simple, and without a generating function.

Parameters are mpmath numbers, made at the working precision of the caller, or Fractions: then ``step`` is exact. How
much work a reference computation may do is counted and not timed (:class:`Steps`), so that a refusal is the same
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import mpmath


class TooManySteps(Exception):
    """The sums are longer than what was allowed."""


@dataclass(slots=True)
class Steps:
    """A number of steps, each a product that is added up, of which some are taken; some 3 microseconds each."""

    allowed: int
    taken: int = 0

    def take(self, steps: int) -> None:
        """Take so many more, before they are done; TooManySteps where they are not left."""
        self.taken += steps
        if self.taken > self.allowed:
            raise TooManySteps


@dataclass(frozen=True)
class SummedLaw:
    """A law by the weight of one outcome and the ratio w(t+1) / w(t), which falls below 1 after ``mode``."""

    low: int | None
    high: int | None
    mode: int
    weight: Callable[[int], Any]
    step: Callable[[int], Any]

    def pmf(self, k: int) -> Any:
        inside = (self.low is None or k >= self.low) and (self.high is None or k <= self.high)
        return self.weight(k) if inside else mpmath.mpf(0)

    def sf(self, k: int, steps: Steps | None = None) -> Any:
        """P[Y > k]: weights upwards from k + 1, until those beyond the mode no longer matter."""
        start = k + 1 if self.low is None else max(k + 1, self.low)
        term, total, t = self.pmf(start), mpmath.mpf(0), start
        while (self.high is None or t <= self.high) and (t <= self.mode or term > total * mpmath.eps / 1000):
            total += term
            if steps is not None:
                steps.take(2)
            term *= self.step(t)
            t += 1
        return total

    def cdf(self, k: int, steps: Steps | None = None) -> Any:
        """P[Y <= k]: the same downwards from k."""
        start = k if self.high is None else min(k, self.high)
        term, total, t = self.pmf(start), mpmath.mpf(0), start
        while (self.low is None or t >= self.low) and (t >= self.mode or term > total * mpmath.eps / 1000):
            total += term
            if steps is not None:
                steps.take(2)
            if t == self.low:
                break
            t -= 1
            term /= self.step(t)
        return total

    def ratio(self, t: int, u: int) -> Any:
        """w(t) / w(u), where w(u) > 0: a Fraction where the parameters are."""
        if (self.low is not None and t < self.low) or (self.high is not None and t > self.high):
            return Fraction(0)
        if t < u:
            return 1 / prod(self.step(v) for v in range(t, u))
        return prod(self.step(v) for v in range(u, t)) if t > u else Fraction(1)


def binomial(n: int, p: Any) -> SummedLaw:
    """0 < p < 1."""

    def weight(t: int) -> Any:
        choose = mpmath.loggamma(n + 1) - mpmath.loggamma(t + 1) - mpmath.loggamma(n - t + 1)
        return mpmath.exp(choose + t * mpmath.log(_mpf(p)) + (n - t) * mpmath.log(1 - _mpf(p)))

    return SummedLaw(0, n, min(n, int((n + 1) * p)), weight, lambda t: (n - t) * p / ((t + 1) * (1 - p)))


def binomial_sum(n1: int, p1: Any, n2: int, p2: Any) -> SummedLaw:
    """The sum of two independent binomial counts, 0 < p1, p2 < 1."""

    def weight(t: int) -> Any:
        return mpmath.fsum(one.weight(i) * other.weight(t - i) for i in range(max(0, t - n2), min(n1, t) + 1))

    one, other = binomial(n1, p1), binomial(n2, p2)
    weights = [weight(t) for t in range(n1 + n2 + 1)] + [mpmath.mpf(0)]
    mode = max(range(n1 + n2 + 1), key=weights.__getitem__)
    return SummedLaw(0, n1 + n2, mode, weights.__getitem__, lambda t: weights[t + 1] / weights[t])


def negative_binomial(r: Any, p: Any) -> SummedLaw:
    """r > 0 and 0 < p < 1: weights C(r+t-1, t) (1-p)^r p^t."""

    def weight(t: int) -> Any:
        size = _mpf(r)
        choose = mpmath.loggamma(size + t) - mpmath.loggamma(size) - mpmath.loggamma(t + 1)
        return mpmath.exp(choose + size * mpmath.log(1 - _mpf(p)) + t * mpmath.log(_mpf(p)))

    return SummedLaw(0, None, max(0, int(p * (r - 1) / (1 - p))), weight, lambda t: p * (r + t) / (t + 1))


def geometric(p: Any) -> SummedLaw:
    """0 < p < 1: weights (1-p) p^t."""
    return negative_binomial(1, p)


def poisson(mu: Any) -> SummedLaw:
    """mu > 0."""
    rate = Fraction(mu) if isinstance(mu, int) else mu
    return SummedLaw(
        0,
        None,
        int(rate),
        lambda t: mpmath.exp(t * mpmath.log(_mpf(rate)) - _mpf(rate) - mpmath.loggamma(t + 1)),
        lambda t: rate / (t + 1),
    )


def discrete_laplace(a: Any) -> SummedLaw:
    """Weights proportional to a^abs(t), 0 < a < 1."""
    return SummedLaw(
        None,
        None,
        0,
        lambda t: (1 - _mpf(a)) / (1 + _mpf(a)) * mpmath.power(_mpf(a), abs(t)),
        lambda t: a if t >= 0 else 1 / a,
    )


def discrete_gaussian(s: Any) -> SummedLaw:
    """Weights proportional to e^(-t^2 / (2 s)); their total by Poisson summation where s is large."""
    variance = _mpf(s)
    if s >= 10:
        dual = mpmath.nsum(lambda m: mpmath.exp(-2 * (mpmath.pi * m) ** 2 * variance), [1, 4])
        total = mpmath.sqrt(2 * mpmath.pi * variance) * (1 + 2 * dual)
    else:
        reach = 10 + int(mpmath.sqrt(50 * mpmath.mp.dps))  # e^(-t^2/20) is below 10^-dps from there on
        total = 1 + 2 * mpmath.fsum(mpmath.exp(-mpmath.mpf(t * t) / (2 * variance)) for t in range(1, reach))
    return SummedLaw(
        None,
        None,
        0,
        lambda t: mpmath.exp(-mpmath.mpf(t * t) / (2 * variance)) / total,
        lambda t: mpmath.exp(-mpmath.mpf(2 * t + 1) / (2 * variance)),
    )


def discrete_uniform(low: int, high: int) -> SummedLaw:
    """The integers from ``low`` to ``high``."""
    return SummedLaw(low, high, low, lambda t: mpmath.mpf(1) / (high - low + 1), lambda t: Fraction(1))


def _mpf(value: Any) -> Any:
    """Return a Fraction at the working precision, an mpmath number as it is."""
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction | int) else value
