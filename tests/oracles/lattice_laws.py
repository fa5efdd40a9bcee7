"""Laws on the integers by adding up weights in mpmath: slow, simple, and without a generating function.

Parameters are mpmath numbers, made at the working precision of the caller; nothing here imports the package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath


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

    def sf(self, k: int) -> Any:
        """P[Y > k]: weights upwards from k + 1, until those beyond the mode no longer matter."""
        start = k + 1 if self.low is None else max(k + 1, self.low)
        term, total, t = self.pmf(start), mpmath.mpf(0), start
        while (self.high is None or t <= self.high) and (t <= self.mode or term > total * mpmath.eps / 1000):
            total += term
            term *= self.step(t)
            t += 1
        return total

    def cdf(self, k: int) -> Any:
        """P[Y <= k]: the same downwards from k."""
        start = k if self.high is None else min(k, self.high)
        term, total, t = self.pmf(start), mpmath.mpf(0), start
        while (self.low is None or t >= self.low) and (t >= self.mode or term > total * mpmath.eps / 1000):
            total += term
            if t == self.low:
                break
            t -= 1
            term /= self.step(t)
        return total


def binomial(n: int, p: Any) -> SummedLaw:
    """0 < p < 1."""

    def weight(t: int) -> Any:
        choose = mpmath.loggamma(n + 1) - mpmath.loggamma(t + 1) - mpmath.loggamma(n - t + 1)
        return mpmath.exp(choose + t * mpmath.log(p) + (n - t) * mpmath.log(1 - p))

    return SummedLaw(0, n, int((n + 1) * p), weight, lambda t: (n - t) * p / ((t + 1) * (1 - p)))


def negative_binomial(r: Any, p: Any) -> SummedLaw:
    """r > 0 and 0 < p < 1: weights C(r+t-1, t) (1-p)^r p^t."""

    def weight(t: int) -> Any:
        choose = mpmath.loggamma(r + t) - mpmath.loggamma(r) - mpmath.loggamma(t + 1)
        return mpmath.exp(choose + r * mpmath.log(1 - p) + t * mpmath.log(p))

    return SummedLaw(0, None, max(0, int(p * (r - 1) / (1 - p))), weight, lambda t: p * (r + t) / (t + 1))


def poisson(mu: Any) -> SummedLaw:
    """mu > 0."""
    return SummedLaw(
        0,
        None,
        int(mu),
        lambda t: mpmath.exp(t * mpmath.log(mu) - mu - mpmath.loggamma(t + 1)),
        lambda t: mu / (t + 1),
    )


def discrete_laplace(a: Any) -> SummedLaw:
    """Weights proportional to a^abs(t), 0 < a < 1."""
    return SummedLaw(
        None, None, 0, lambda t: (1 - a) / (1 + a) * mpmath.power(a, abs(t)), lambda t: a if t >= 0 else 1 / a
    )


def discrete_gaussian(s: Any) -> SummedLaw:
    """Weights proportional to e^(-t^2 / (2 s)); their total by Poisson summation where s is large."""
    if s >= 10:
        dual = mpmath.nsum(lambda m: mpmath.exp(-2 * (mpmath.pi * m) ** 2 * s), [1, 4])
        total = mpmath.sqrt(2 * mpmath.pi * s) * (1 + 2 * dual)
    else:
        total = 1 + 2 * mpmath.fsum(mpmath.exp(-mpmath.mpf(t * t) / (2 * s)) for t in range(1, 100))
    return SummedLaw(
        None,
        None,
        0,
        lambda t: mpmath.exp(-mpmath.mpf(t * t) / (2 * s)) / total,
        lambda t: mpmath.exp(-mpmath.mpf(2 * t + 1) / (2 * s)),
    )
