"""Exact confidence intervals for a probability, from how often an event was seen.

The ends are found by Newton's method in floats, and each is accepted only where an enclosed binomial tail proves that
it is outside: floats choose, and never decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log
from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval

MAX_TRIALS: Final = 10**12
"""Most trials."""

_WIDTH: Final = Fraction(1, 2**30)
"""Each end is outward of the exact one by at most this, relative to it, where successes are at most trials / 2."""

_BITS: Final = 64
"""Bits of the ends that are tried: above the 30 of their accuracy."""
_LEAST_RISK: Final = Fraction(1, 10**200)
"""Smaller risks are refused: their logarithms are floats, and so are the steps towards them."""


def clopper_pearson(successes: int, trials: int, *, confidence: Exact) -> Interval:
    """Return the Clopper-Pearson interval for the probability of an event seen ``successes`` times in ``trials``.

    From the largest p with P[Bin(trials, p) >= successes] <= (1 - confidence) / 2, or 0, to the least p with
    P[Bin(trials, p) <= successes] <= (1 - confidence) / 2, or 1. It covers the true probability with probability at
    least ``confidence``, whatever it is: the bound is not asymptotic.

    Args:
        successes: how often the event was seen, from 0 to trials.
        trials: independent trials, 1 to 10^12.
        confidence: exact, at least 0 and at most 1 - 2 10^-200.

    Returns:
        An interval that contains the exact one; each end is off by at most 2^-30 of itself, or of
        its distance from 1 where successes are more than trials / 2.

    >>> clopper_pearson(0, 10, confidence="19/20")
    Interval[0, 0.3084971...]
    >>> clopper_pearson(3, 10, confidence="0.95")
    Interval[0.0667395..., 0.6524528...]

    Cost: some ten binomial tails for each end, 20 ms at 10^6 trials.

    Source: ClopperPearson1934.
    """
    tries = as_integer(trials, name="trials", at_least=1)
    seen = as_integer(successes, name="successes", at_least=0)
    if tries > MAX_TRIALS:
        raise TooLargeError(f"trials={short(tries)} is more than the limit of {MAX_TRIALS}. Use fewer.")
    if seen > tries:
        raise InvalidValueError(f"successes={seen} is more than trials={tries}. Pass at most as many.")
    risk = (1 - as_probability(confidence, name="confidence")) / 2
    if risk < _LEAST_RISK:
        raise InvalidValueError("confidence is above 1 - 2 10^-200. Pass a smaller one; only [0, 1] is certain.")
    if 2 * seen > tries:  # measured from 1, where the ends are
        low, high = _lower_end(tries - seen, tries, risk), _upper_end(tries - seen, tries, risk)
        return Interval.between(1 - high, 1 - low, bits=2 * _BITS)
    return Interval.between(_lower_end(seen, tries, risk), _upper_end(seen, tries, risk), bits=2 * _BITS)


def _lower_end(seen: int, tries: int, risk: Fraction) -> Fraction:
    if seen == 0:
        return Fraction(0)

    def tail(p: Fraction) -> tuple[Interval, float]:
        law = Binomial(tries, p)
        mass = law.sf(seen - 1)
        return mass, seen * exp(_log(law.pmf(seen)) - _log(mass))  # d ln P[Y >= seen] / d ln p

    return _Search(tail, Fraction(0), _between(seen, tries), risk).end()


def _upper_end(seen: int, tries: int, risk: Fraction) -> Fraction:
    if seen == tries:
        return Fraction(1)

    def tail(p: Fraction) -> tuple[Interval, float]:
        law = Binomial(tries, p)
        mass = law.cdf(seen)
        slope = (tries - seen) * float(p / (1 - p)) * exp(_log(law.pmf(seen)) - _log(mass))
        return mass, -slope  # d ln P[Y <= seen] / d ln p

    return _Search(tail, Fraction(1), _between(seen, tries), risk).end()


def _between(seen: int, tries: int) -> Fraction:
    """Return a probability at which both tails are above 1/2 or nearly so: inside the interval."""
    return Fraction(2 * seen + 1, 2 * tries + 2)


def _log(value: Interval) -> float:
    """Return the logarithm of a positive number of any size."""
    end = value.upper
    return log(end.mantissa) + end.exponent * log(2)


@dataclass(slots=True)
class _Search:
    """The p where ``tail(p) = risk``, between a p that is proved to be outside and one that is not."""

    tail: Callable[[Fraction], tuple[Interval, float]]
    """p -> the tail, and the derivative of its logarithm in ln p."""
    outside: Fraction
    inside: Fraction
    risk: Fraction

    def end(self) -> Fraction:
        """Return a proved p outside, near the end."""
        goal = log(self.risk.numerator) - log(self.risk.denominator)
        p = self.inside
        while abs(self.outside - self.inside) > _WIDTH * self.outside:
            mass, slope = self.tail(p)
            step = (goal - _log(mass)) / slope if slope else inf
            if mass.compare(self.risk) in (-1, 0):
                self.outside = p
            else:
                self.inside = p
            p = self._next(p, step)
        return self.outside

    def _next(self, p: Fraction, step: float) -> Fraction:
        """Return Newton's point, moved across the end by half the width; the middle where that leaves the bracket."""
        low, high = sorted((self.outside, self.inside))
        if abs(step) < 700:
            across = 1 if p == low else -1
            near = _rounded(p * Fraction(exp(step)) * (1 + across * _WIDTH / 2))
            if low < near < high:
                return near
        return _rounded((low + high) / 2)


def _rounded(p: Fraction) -> Fraction:
    return Dyadic.below(p, _BITS).fraction()
