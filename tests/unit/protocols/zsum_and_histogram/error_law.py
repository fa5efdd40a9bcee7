"""The exact error law of one zsum count, for every true count at once, in integers over one denominator."""

from fractions import Fraction
from itertools import accumulate


def binomial_weights(n, gamma):
    """P[Bin(n, gamma) = t] times gamma.denominator^n, for t = 0, ..., n and gamma in (0, 1]."""
    p, q = gamma.numerator, gamma.denominator - gamma.numerator
    if q == 0:
        return [0] * n + [1]
    weights = [q**n]
    for t in range(n):
        weights.append(weights[-1] * (n - t) * p // ((t + 1) * q))
    return weights


def failures(n, gamma, alpha):
    """P[|estimate - k/n| > alpha] for k = 0, ..., n, times the second value, with W ~ Bin(n, gamma) silent users.

    The error is abs(gamma - W/n) where W < k, and k/n elsewhere.
    """
    weights = binomial_weights(n, gamma)
    center, reach = n * gamma, n * alpha
    far = list(accumulate((w if abs(center - t) > reach else 0 for t, w in enumerate(weights)), initial=0))
    mass = list(accumulate(weights, initial=0))
    return [far[k] + (mass[-1] - mass[k] if k > reach else 0) for k in range(n + 1)], mass[-1]


def worst_failure(n, gamma, alpha):
    """The largest of these probabilities."""
    wrong, total = failures(n, gamma, alpha)
    return Fraction(max(wrong), total)
