"""The stability histogram: the central baseline, with an error of a bin that does not depend on the number of bins.

A curator counts the users of each bin. To the count of a bin that is not empty he adds discrete Laplace noise, and
releases the sum if it exceeds 1 + T, the threshold; every other bin is released as 0, so that the empty ones, of which
there may be any number, cost nothing and are exactly 0. What this gives away at any number of users and bins, and how
much it errs, is proved in :mod:`exactdp.protocols.stable.vanishing_bins`.

A user who is replaced changes two bins by one: each has noise of eps/2, P[Z = t] proportional to r^abs(t), where r is
e^(-eps/2) rounded up to a multiple of 2^-53, which is more noise. T is the least number with P[Z > T] <= delta, which
is the least one that makes it (eps, delta)-DP.

Source: BunNissimStemmer2016, histograms by stability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.tails import approximate_log, least_integer, outside_at_most
from exactdp.mechanisms.dataset import Neighbors, histogram, read_neighbors
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.balls import floor_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.interface import Protocol
from exactdp.protocols.stable.vanishing_bins import StabilityErrors, StabilityPairs

_THEOREM: Final = NamedTheorem("The stability histogram")
_MAX_BINS: Final = 10**12
"""Most bins, as for the histogram."""
_MAX_RECORDS: Final = 10**6
"""Most bins that are listed."""
_GRID: Final = 2**53
"""The ratio of the noise is a multiple of 1 / this, so that a sampler's float is the number itself."""


@dataclass(frozen=True, slots=True, init=False)
class StabilityHistogram(Protocol):
    """The stability histogram of n users; made by :func:`stability_histogram`."""

    n: int
    bins: int
    noise: DiscreteLaplace
    threshold: int
    """T: a bin is released where its noisy count exceeds 1 + T."""

    estimates_several = True

    def __init__(self, n: int, bins: int, *, exp_noise: Exact, threshold: int) -> None:
        places = as_integer(bins, name="bins", at_least=2)
        if places > _MAX_BINS:
            raise TooLargeError(f"bins={short(places)} is more than the limit of {_MAX_BINS}. Use fewer.")
        set_fields(
            self,
            n=as_integer(n, name="n", at_least=1),
            bins=places,
            noise=DiscreteLaplace(as_fraction(exp_noise, name="exp_noise")),
            threshold=as_integer(threshold, name="threshold", at_least=0),
        )

    @property
    def records(self) -> range:
        """The bins, in one of which each user is."""
        if self.bins > _MAX_RECORDS:
            raise TooLargeError(
                f"the records of bins={self.bins} are not listed, {_MAX_RECORDS} is the limit. Ask for privacy and "
                "accuracy, which need no list, or use fewer bins."
            )
        return range(self.bins)

    @property
    def alphabet(self) -> range:
        """The bins, in the order of their counts."""
        return self.records

    def communication(self) -> Communication:
        """Return what one user sends: the own record, to a curator who is trusted with it."""
        return Communication(messages=Fraction(1), most=1, symbols=self.bins)

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile over all neighbouring data sets, both orders, at any n and any number of bins.

        Delta is exact or enclosed to any accuracy. ``limit`` changes nothing.

        >>> protocol = stability_histogram(10**9, 10**6, eps=1, delta="1e-6")
        >>> protocol.privacy_profile().delta(eps=1), protocol.privacy_profile().epsilon("1e-6").enclose(20)
        (Interval[8.533662760e-7, 8.533662761e-7], Interval[0.9999974189, 0.9999974191])

        Cost: 2 ms for one delta.
        """
        read_neighbors(neighbors)
        as_integer(limit, name="limit", at_least=1)
        return PrivacyProfile(StabilityPairs(self.noise, 1 + self.threshold, self.n, self.bins, neighbors))

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the optimal accuracy of one count, whatever the data set, or of all counts together.

        Of one it is exact. Of all it is exact where it is above 1 + T, as it is for beta < 1/2 and more than 1 + T
        users; else it has two proved ends.
        """
        failure = as_probability(beta, name="beta")
        if failure == 1:
            return exact_answer(Fraction(0))
        if failure == 0:
            raise InvalidValueError(
                "beta=0 is no probability of a larger error: the noise has no bound. Pass beta > 0."
            )
        errors = StabilityErrors(self.noise, 1 + self.threshold, self.n, self.bins, failure)
        found = errors.of_all() if simultaneous else Fraction(errors.of_one())
        return found if isinstance(found, Interval) else exact_answer(found)

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: the noise of the bins that are not empty."""
        from exactdp.protocols.sampling.views import NoisyCounts, StableCounts, user_counts

        noisy = NoisyCounts.of(self.noise, user_counts(dataset, self.records, self.n), nearest=nearest)
        return StableCounts(noisy, 1 + self.threshold)

    def release_probability(self, users: int, released: int) -> Fraction:
        """Return the probability that a bin with so many users is released as a number.

        >>> StabilityHistogram(9, 2, exp_noise=2, threshold=1).release_probability(3, 0)
        Fraction(1, 3)
        """
        count = as_integer(users, name="users", at_least=0)
        if count > self.n:
            raise InvalidValueError(f"users={short(count)} is more than n={short(self.n)}. Pass at most n.")
        shown = as_integer(released, name="released")
        if not count or not shown:
            dropped = self.noise.exact_cdf(1 + self.threshold - count) if count else Fraction(1)
            return exact_answer(Fraction(0) if shown else dropped)
        return exact_answer(self.noise.exact_pmf(shown - count) if shown > 1 + self.threshold else Fraction(0))

    def estimate(self, counts: Sequence[int] | Mapping[int, int]) -> tuple[Fraction, ...]:
        """Return the estimated users of each bin: what is released. A mapping is bin -> count, 0 where it is left out.

        >>> stability_histogram(100, 3, eps=1, delta="1e-6").estimate([40, 0, 61])
        (Fraction(40, 1), Fraction(0, 1), Fraction(61, 1))
        """
        listed = histogram(counts, self.records) if isinstance(counts, Mapping) else tuple(counts)
        if len(listed) != self.bins:
            raise InvalidValueError(f"counts has {len(listed)} entries for bins={self.bins}. Give one for each bin.")
        return tuple(exact_answer(Fraction(as_integer(int(value), name="a count", at_least=0))) for value in listed)


def stability_histogram(n: int, bins: int, *, eps: Exact | LogRational, delta: Exact) -> StabilityHistogram:
    """Return the stability histogram of n users that is (eps, delta)-DP when a user is replaced.

    Args:
        n: number of users, at least 1.
        bins: number of bins, 2 to 10^12; each user is in one of them.
        eps: above 0, a rational number or a LogRational.
        delta: in (0, 1], exact.

    Returns:
        The protocol; ``noise`` and ``threshold`` depend on eps and delta alone.

    Raises:
        HypothesisError: where eps or delta is out of range, or eps/2 below 2^-53.

    >>> protocol = stability_histogram(10**6, 10**9, eps=1, delta="1e-6")
    >>> protocol.threshold, protocol.accuracy("1/20"), protocol.accuracy("1/20", simultaneous=True)
    (26, Fraction(32, 1), Fraction(51, 1))

    Source: BunNissimStemmer2016, histograms by stability.
    """
    target = _THEOREM.read_target(eps=eps, delta=delta, largest_eps=None)
    given = target.given
    if isinstance(given, LogRational):
        square = _GRID**2 / given.argument
        ratio = Fraction(isqrt(square.__ceil__() - 1) + 1, _GRID)
    else:
        ratio = Fraction(floor_real(_GRID * Real.exp(-Fraction(given) / 2)) + 1, _GRID)
    _THEOREM.require(ratio < 1, "e^(-eps/2) <= 1 - 2^-53", f"eps={given}", "Pass a larger eps.")
    noise = DiscreteLaplace(1 / ratio)
    guess = int(approximate_log(target.delta) / approximate_log(ratio))
    threshold = least_integer(lambda t: outside_at_most(noise, -t, t, 2 * target.delta), guess, above=-1, high=None)
    return StabilityHistogram(n, bins, exp_noise=1 / ratio, threshold=threshold)
