"""Randomized response and sample and threshold at equal error: what each gives away at every eps.

Both count the holders of a 1 among n users. Each has a parameter with which its error grows and its delta falls: the
probability gamma of a random answer, and at a sampling rate the threshold. So each is taken with as much of it as an
error of alpha, with probability at least 1 - beta on every data set, allows; then their curves are set side by side.

Randomized response has delta = 0 from e^eps = (2 - gamma) / gamma on, where sample and threshold has rate^threshold or
more, at every eps. Where a curve is above the other one somewhere, it belongs to no post-processing of the other
protocol: sample and threshold is none of randomized response.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from exactdp.errors import InvalidValueError
from exactdp.numbers.bisection import bisect
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.protocols.accuracy.optimal import optimal_accuracy
from exactdp.protocols.k_ary_protocol import k_ary
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold, sample_and_threshold

DEFAULT_GRID: Final = Fraction(1, 1024)
"""A step of gamma changes the error by about a thousandth."""


class BothDeltas(NamedTuple):
    """delta of both at one e^eps."""

    exp_eps: Fraction
    response: Fraction | Interval
    sampled: Fraction | Interval


@dataclass(frozen=True, slots=True)
class EqualError:
    """The two protocols, each with an error of at most ``alpha``, with probability at least 1 - ``beta``."""

    alpha: Fraction
    beta: Fraction
    response: ShuffleProtocol
    sampled: SampleAndThreshold

    @property
    def gamma(self) -> Fraction:
        """The probability of a random answer in randomized response."""
        return 2 * self.response.tabulated.table()[0][(1,)]

    def curves(self, exp_eps: Iterable[Exact]) -> tuple[BothDeltas, ...]:
        """Return delta of both under replacement at each e^eps of at least 1, exactly where that is in reach."""
        profiles = self.response.privacy_profile(), self.sampled.privacy_profile()
        levels = [as_fraction(level, name="exp_eps") for level in exp_eps]
        return tuple(BothDeltas(level, *(one.delta(exp_eps=level) for one in profiles)) for level in levels)


def equal_error(n: int, *, alpha: Exact, beta: Exact, rate: Exact, grid: Exact = DEFAULT_GRID) -> EqualError:
    """Return randomized response and sample and threshold with the most noise that an error of alpha allows.

    Args:
        n: number of users who follow the protocol, at least 1.
        alpha: the error of the number of holders, exact, above 0.
        beta: the probability of a larger error on the worst data set, exact, inside (0, 1).
        rate: the sampling rate, exact, in (0, 1].
        grid: the step of gamma; it divides 1.

    The gamma is one with whose successor on the grid the error is not proved to be small enough, and so is the
    threshold; the errors themselves are the optimal ones of all data sets, and not above alpha.

    Raises:
        InvalidValueError: where one of the two errs by more with no noise at all.

    >>> both = equal_error(40, alpha=16, beta="1/10", rate="1/2")
    >>> both.gamma, both.sampled.threshold
    (Fraction(11, 16), 6)
    >>> [(str(level), float(one), float(other)) for level, one, other in both.curves([1, 3])]
    [('1', 0.0418..., 0.123...), ('3', 0.0, 0.0156...)]

    Cost: some twenty searches for each optimal accuracy: 2 s for n = 200.

    Source: Warner1965, section 2; BharadwajCormode2022, section 3 (the protocols).
    """
    users, error, failure = as_integer(n, name="n", at_least=1), as_fraction(alpha, name="alpha"), _failure(beta)
    step = as_fraction(grid, name="grid")
    if error <= 0:
        raise InvalidValueError(f"alpha={short(error)} is not above 0. Pass the error that both may have.")
    if not 0 < step < 1 or (1 / step).denominator != 1:
        raise InvalidValueError(f"grid={short(step)} does not divide 1. Pass a step such as 1/1024.")

    def is_small(protocol: ShuffleProtocol | SampleAndThreshold) -> bool:
        optimum = optimal_accuracy(protocol, beta=failure)
        return (optimum.hi if isinstance(optimum, Interval) else optimum) <= error

    def response(steps: int) -> ShuffleProtocol:
        return k_ary(users, 2, gamma=steps * step)

    def sampled(threshold: int) -> SampleAndThreshold:
        return sample_and_threshold(users, rate=rate, threshold=threshold)

    if not is_small(sampled(1)):
        raise InvalidValueError(
            f"rate={short(as_fraction(rate, name='rate'))} errs by more than alpha={short(error)} without a threshold. "
            "Pass a larger alpha, beta or rate."
        )
    steps = bisect(0, int(1 / step), lambda steps: steps * step == 1 or not is_small(response(steps))) - 1
    threshold = bisect(1, users + 1, lambda threshold: threshold > users or not is_small(sampled(threshold))) - 1
    return EqualError(error, failure, response(steps), sampled(threshold))


def _failure(beta: Exact) -> Fraction:
    failure = as_probability(beta, name="beta")
    if not 0 < failure < 1:
        raise InvalidValueError(f"beta={short(failure)} is not between 0 and 1. Pass a number inside (0, 1).")
    return failure
