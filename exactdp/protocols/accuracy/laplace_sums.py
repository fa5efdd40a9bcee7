"""How well the clipped discrete Laplace randomizer tells the sum of all inputs.

Each user's message y counts g(y), whose mean is his input and whose variance is exact
(:mod:`exactdp.mechanisms.clipped_discrete_laplace_family`). The variances of users add up; that of one user is largest
in the middle of the range, because r^x + r^(top-x) is convex and symmetric in x.

Source: GhoshRoughgardenSundararajan2012, section 2 (of the randomizer, while the estimate is this package's).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.errors import InvalidValueError
from exactdp.laws.tails import bernstein_reach
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.dataset import histogram
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval


@dataclass(frozen=True, slots=True, init=False)
class SumEstimate:
    """The unbiased estimate of the sum of n inputs from clipped discrete Laplace messages.

    Args:
        family: ``ClippedDiscreteLaplace``.
        n: number of users who follow the protocol, at least 1.

    For the law of the estimate on one data set of few users: ``ShuffleProtocol(family, n, analyzer=...).estimate_law``.

    >>> estimate = SumEstimate(ClippedDiscreteLaplace(4, exp_eps0=16), 10**6)
    >>> estimate.variance({0: 10**6}), estimate.worst_variance(), estimate.error_bound(beta="1/20")
    (Fraction(7750000, 3), Fraction(10000000, 3), Interval[4965.237513, 4965.237514])

    Source: GhoshRoughgardenSundararajan2012, section 2.
    """

    family: ClippedDiscreteLaplace
    n: int

    def __init__(self, family: ClippedDiscreteLaplace, n: int) -> None:
        if not isinstance(family, ClippedDiscreteLaplace):  # what is passed may be anything, and no other has a sum
            raise InvalidValueError(
                f"family has the type {type(family).__name__}. Pass exactdp.randomizers.ClippedDiscreteLaplace(...)."
            )
        set_fields(self, family=family, n=as_integer(n, name="n", at_least=1))
        self.analyzer()

    def analyzer(self) -> Analyzer:
        """Return the estimate as data: the weight of each message."""
        return self.family.analyzer()

    def variance(self, dataset: Sequence[int] | Mapping[int, int]) -> Fraction:
        """Return the variance of the estimate on a data set of n users; exact."""
        held = histogram(dataset, self.family.inputs, users=self.n)
        return exact_answer(
            sum((count * self.family.variance(value) for value, count in enumerate(held) if count), Fraction(0))
        )

    def worst_variance(self) -> Fraction:
        """Return the largest variance of the estimate over all data sets, that of n users in the middle; exact."""
        return exact_answer(self.n * self.family.variance(self.family.top // 2))

    def error_bound(self, *, beta: Exact) -> Interval:
        """Enclose an error that the estimate exceeds with probability at most ``beta``, on every data set.

        Args:
            beta: probability of a larger error, exact, strictly between 0 and 1.

        An upper bound, by Bernstein's inequality: the least such error is smaller, by 10 to 30 % for many users.
        """
        chance = as_probability(beta, name="beta")
        if chance in (0, 1):
            raise InvalidValueError(f"beta={short(chance)} is not strictly between 0 and 1. Pass such a beta.")
        most = self.family.top + self.family.shift
        return bernstein_reach(self.worst_variance(), most, chance, relative_bits=DEFAULT_RELATIVE_BITS)
