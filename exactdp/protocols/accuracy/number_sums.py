"""How well messages that are unbiased estimates of numbers tell their sum, of n users.

Each user's message, but for a factor, is his number plus an X of mean 0 (``estimate_sizes`` of the randomizers); the
error is the sum of n independent X. On every data set it exceeds with probability at most beta what Bernstein's, or
where X does not depend on the number Chebyshev's, inequality allows, or the Berry-Esseen theorem, whichever says more.
Where all users hold the number of the largest variance it exceeds with more than beta what the latter says from below
(:mod:`exactdp.laws.tails`). So the least error that is exceeded with probability at most beta on every data set lies
between both. Of Gaussian noise, whose sums are normal, the two meet: it is the error of noise that is sent as it is.

A sum of numbers from 0 to a bound is that of numbers from the least input to 1, moved and stretched.

Source: DuchiJordanWainwright2018, section 3 (means of local estimates, while the two ends are this package's).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactdp.errors import InvalidValueError
from exactdp.laws.tails import enough_reach, reached
from exactdp.mechanisms.family import EstimateSizes, FamilyRandomizer, UserRandomizer
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval


@dataclass(frozen=True, slots=True, init=False)
class NumberSum:
    """The unbiased estimate of the sum of n numbers.

    Args:
        family: ``laplace``, ``staircase``, ``piecewise``, ``hybrid`` or ``gaussian`` of ``exactdp.randomizers``, or
            ``DuchiRandomizer``.
        n: number of users who follow the protocol, at least 1.

    >>> from exactdp.randomizers import DuchiRandomizer, piecewise
    >>> for family in (piecewise(exp_eps0=256), DuchiRandomizer(exp_eps0=256)):
    ...     print(NumberSum(family, 10**6).error(beta="1/20"))
    [584.2840564, 633.3163514]
    [1956.519759, 2002.265634]

    Source: DuchiJordanWainwright2018, section 3.
    """

    family: FamilyRandomizer
    n: int

    def __init__(self, family: UserRandomizer, n: int) -> None:
        known: FamilyRandomizer | None = getattr(family, "family", None)
        if known is None or known.estimate_sizes is None:
            raise InvalidValueError(
                f"family={short(repr(family))} is no randomizer of a number. Pass one of laplace, staircase, "
                "piecewise, hybrid, gaussian and DuchiRandomizer of exactdp.randomizers."
            )
        set_fields(self, family=known, n=as_integer(n, name="n", at_least=1))

    @property
    def _sizes(self) -> EstimateSizes:
        sizes = self.family.estimate_sizes
        assert sizes is not None
        return sizes

    def worst_variance(self) -> Fraction | Interval:
        """Return the largest variance of the estimate over all data sets."""
        low, high = self.n * self._sizes.low, self.n * self._sizes.high
        return low if low == high else Interval.between(low, high, bits=DEFAULT_RELATIVE_BITS)

    def error(self, *, beta: Exact, length: Exact = 1) -> Interval:
        """Enclose the least error that the estimate exceeds with probability at most ``beta`` on every data set.

        Args:
            beta: probability of a larger error, exact, strictly between 0 and 1.
            length: how many times as long as the randomizer's the interval is that the numbers are from.
        """
        chance, factor = as_probability(beta, name="beta"), as_fraction(length, name="length")
        if chance in (0, 1):
            raise InvalidValueError(f"beta={short(chance)} is not strictly between 0 and 1. Pass such a beta.")
        if factor <= 0:
            raise InvalidValueError(f"length={short(factor)} is not above 0. Pass how long the interval is.")
        low, high, most, skew = self._sizes
        enough = enough_reach(self.n * high, most, skew, chance).error
        return Interval.between(
            factor * reached(self.n * low, skew, chance), factor * enough, bits=DEFAULT_RELATIVE_BITS
        )
