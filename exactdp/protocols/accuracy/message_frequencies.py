"""The optimal accuracy of frequencies that are counted among dummies, flooded, or asked several times.

*Fixed messages.* The error of the estimate of one input is that of the noise in its bins: one law, whatever the data
are, so the least error that it exceeds with probability at most beta is exact. *All d inputs together:* the bins err by
more than A each with the same probability t(A) = P[noise < mean - A] + P[noise > mean + A]. Of Poisson numbers the bins
are independent, and some bin errs with probability 1 - (1 - t)^d. Else it is at most d t, by the union; and at least t.

*Random answers.* With h holders the count is a sum of independent numbers. Bernstein's inequality with the largest
variance, at h = 0 or h = n, is enough for every h; where nobody holds the input, the count of Bin(n, q) and noise is
one law, and its exact least error is not more. So the two are ends. For repeated messages, t for each user, and for
fixed numbers of dummies, both h = 0 and h = n are looked at.

*Bernstein for infinite noise.* A Poisson number is the limit of sums of m independent bits with mean mu/m, whose
variance is not more than mu: the inequality, which is continuous, holds for it with terms of size at most 1. Of
negative binomial noise there is no such bound here, and random answers among it are refused.

Source: Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.numbers.interval import Interval
from exactdp.protocols.accuracy.frequencies import FrequencyEstimate
from exactdp.protocols.accuracy.response import counted_bracket

_INTERVAL_BITS: Final = 64
"""Ends are rounded outward to more digits than are shown."""


def frequency_accuracy(family: FamilyRandomizer, n: int, beta: Fraction) -> Fraction | Interval:
    """Return the optimal accuracy of the number of holders of an input: exact for fixed messages, else enclosed.

    Of a family that adds dummies, or of a repetition.

    >>> from exactdp.randomizers import BallsIntoBins, MixedDummies
    >>> frequency_accuracy(BallsIntoBins(1000, dummies=2), 10**6, Fraction(1, 20))
    Fraction(88, 1)
    >>> frequency_accuracy(MixedDummies(1000, exp_eps0=99, dummies=2), 10**6, Fraction(1, 20))
    Interval[6364.653061, 8835.682423]

    Source: Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's).
    """
    estimate = FrequencyEstimate(family, n)
    if not estimate.chances.dummies:
        ends = counted_bracket(estimate.counted.upright, beta) if 0 < beta < 1 else None
        if ends is None:
            raise InvalidValueError("beta=0 and beta=1 are not asked of a repetition. Pass beta between 0 and 1.")
        times = family.messages_per_user
        return Interval.between(ends.lo / times, ends.hi / times, bits=_INTERVAL_BITS)
    if not estimate.chances.unlikely:
        return estimate.error_quantile(holders=0, beta=beta)
    least = max(estimate.error_quantile(holders=holders, beta=beta) for holders in (0, n))
    if beta in (0, 1):
        return least
    most = max(estimate.error_bound(holders=holders, beta=beta).hi for holders in (0, n))
    return Interval.between(least, max(least, most), bits=_INTERVAL_BITS)
