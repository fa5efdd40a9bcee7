"""How much the estimated frequencies of any randomizer err: standard deviation, error quantile, users needed.

A table or a family says its unbiased estimates as data (:mod:`exactdp.mechanisms.linear_estimate`); all numbers here
follow from these. The error of the estimated number of holders is a sum of independent terms with an exact variance,
linear in the numbers of holders of each input: the worst data set is one on which all users hold the same input.

*The error that is exceeded with probability at most beta on every data set.* Where what a user counts for takes two
values it is that of a binomial count, whose data sets are compared (:mod:`exactdp.protocols.accuracy.response`). Else
it is between two ends: Bernstein's inequality or the Berry-Esseen theorem for all data sets, whichever says more, and
the latter where all hold one input (:mod:`exactdp.laws.tails`).

*All inputs together.* By the union, the error of one at beta/k is enough for k inputs; that of one at beta is not more.

*Users.* At an error of A n of the number of holders, both inequalities say less as n falls: the least n at which they
are enough is one from which on every n is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.tails import Reach, enough_reach, reached
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.linear_estimate import LinearEstimate
from exactdp.numbers.bisection import bisect, gallop
from exactdp.numbers.exact import Exact, as_fraction, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.protocols.accuracy.frequencies import frequency_accuracy
from exactdp.protocols.accuracy.response import CountModel, chances_of, response_accuracy

SCANNED: Final = "the worst of all data sets, each looked at"
CERTAIN: Final = "the same error on every data set"
MOMENTS: Final = "a partial moment of one binomial count"

_KEPT: Final = 16
"""Estimates that are kept: a question about users asks for them often."""
_INTERVAL_BITS: Final = 64
_MOST_USERS: Final = 10**18


class WorstError(NamedTuple):
    """An error, and what proves its upper end."""

    alpha: Fraction | Interval
    theorem: str


@lru_cache(maxsize=_KEPT)
def estimates_of(randomizer: UserRandomizer) -> tuple[LinearEstimate, ...]:
    """Return the estimates of one input of each kind, or refuse a randomizer that has none."""
    family = randomizer.family
    if family is not None and family.support_chances is not None:
        chances_of(family)
    return randomizer.linear_estimates()


def worst_variance(randomizer: UserRandomizer, n: int) -> Fraction:
    """Return the variance of the estimated number of holders of the worst input on the worst data set; exact.

    Of a product, of the worst question.

    >>> from exactdp.randomizers import HadamardResponse
    >>> worst_variance(HadamardResponse(1000, exp_eps0=9), 10**6)
    Fraction(1562500, 1)
    """
    variances = (one.worst.variance for part in questions(randomizer) for one in estimates_of(part))
    return exact_answer(n * max(variances))


def questions(randomizer: UserRandomizer) -> Sequence[UserRandomizer]:
    """Return the factors of a product, else the one randomizer; one without estimates is refused by its number."""
    family = randomizer.family
    parts = family.parts if family is not None else ()
    for number, part in enumerate(parts, start=1):
        try:
            estimates_of(part)
        except InvalidValueError as error:
            raise InvalidValueError(f"question {number}: {error}") from None
    return parts or (randomizer,)


def _inputs(parts: Sequence[UserRandomizer]) -> int:
    return sum(len(part.inputs) for part in parts)


def frequency_error(randomizer: UserRandomizer, n: int, beta: Exact, *, simultaneous: bool = False) -> WorstError:
    """Return the least error of the number of holders that is exceeded with probability at most beta on every data set.

    Args:
        randomizer: a table whose rows are linearly independent, or a family.
        n: number of users.
        beta: the probability, exact, in [0, 1].
        simultaneous: the largest error of all inputs (of all questions), rather than that of the worst one.

    >>> from exactdp.randomizers import ClippedDiscreteLaplace
    >>> frequency_error(ClippedDiscreteLaplace(4, exp_eps0=9), 10**6, "1/20")
    WorstError(alpha=Interval[8066.067901, 8202.145206], theorem='the Berry-Esseen theorem')
    """
    failure, parts = as_probability(beta, name="beta"), questions(randomizer)
    together = failure / _inputs(parts) if simultaneous else failure
    found = [error for part in parts for error in _errors(part, n, together)]
    worst = max(found, key=lambda error: fraction_ends(error.alpha)[1])
    least = max(fraction_ends(error.alpha)[0] for error in found)
    if simultaneous and together < failure:
        least = max(fraction_ends(error.alpha)[0] for part in parts for error in _errors(part, n, failure))
        worst = worst._replace(theorem=f"the union over all inputs, and {worst.theorem}")
    most = fraction_ends(worst.alpha)[1]
    alpha = exact_answer(most) if least == most else Interval.between(least, most, bits=_INTERVAL_BITS)
    return WorstError(alpha, worst.theorem)


def _errors(randomizer: UserRandomizer, n: int, beta: Fraction) -> list[WorstError]:
    family = randomizer.family
    estimates = estimates_of(randomizer)
    if family is not None and (family.messages_per_user > 1 or family.single is not family):
        alpha = frequency_accuracy(family, n, beta)
        return [WorstError(alpha, CERTAIN if isinstance(alpha, Fraction) else _enough(estimates[0], n, beta).theorem)]
    return [_error(one, n, beta) for one in estimates]


def _error(estimate: LinearEstimate, n: int, beta: Fraction) -> WorstError:
    if (binary_chances := estimate.binary_chances) is not None:
        alpha = response_accuracy(CountModel(n, *binary_chances), beta)
        if isinstance(alpha, Fraction):
            return WorstError(alpha, SCANNED)
        enough = _enough(estimate, n, beta)
        return WorstError(alpha, MOMENTS if alpha.hi < enough.error else enough.theorem)
    if beta in (0, 1) or not estimate.worst.variance:
        most = max(sum((term.times * term.most for term in score.terms), Fraction(0)) for score in estimate.scores)
        return WorstError(Fraction(0) if beta else n * most, CERTAIN)
    enough = _enough(estimate, n, beta)
    return WorstError(Interval.between(_reached(estimate, n, beta), enough.error, bits=_INTERVAL_BITS), enough.theorem)


def _reached(estimate: LinearEstimate, n: int, beta: Fraction) -> Fraction:
    """Return an error that is exceeded with a larger probability where all users hold one input, or 0."""
    return max(reached(n * score.variance, max(term.skew for term in score.terms), beta) for score in estimate.scores)


def _enough(estimate: LinearEstimate, n: int, beta: Fraction) -> Reach:
    most, skew = (max(getattr(term, name) for term in estimate.terms) for name in ("most", "skew"))
    return enough_reach(n * estimate.worst.variance, most, skew, beta)


def enough_error(randomizer: UserRandomizer, n: int, beta: Fraction, *, simultaneous: bool = False) -> Fraction:
    """Return an error that is enough for 0 < beta < 1, by two inequalities alone: quick, and no less than the least."""
    parts = questions(randomizer)
    each = beta / _inputs(parts) if simultaneous else beta
    return max((_enough(one, n, each).error for one in _uncertain(parts)), default=Fraction(0))


def reached_error(randomizer: UserRandomizer, n: int, beta: Fraction) -> Fraction:
    """Return a number that the error of one input is not below, for 0 < beta < 1: what it is if all hold one input."""
    found = []
    for estimate in _uncertain(questions(randomizer)):
        if (chances := estimate.binary_chances) is None:
            found.append(_reached(estimate, n, beta))
        else:
            found += [CountModel(n, *chances).least(holders, beta) for holders in (0, n)]
    return max(found, default=Fraction(0))


def _uncertain(parts: Sequence[UserRandomizer]) -> list[LinearEstimate]:
    return [one for part in parts for one in estimates_of(part) if one.worst.variance]


def users_needed(randomizer: UserRandomizer, *, error: Exact, beta: Exact, simultaneous: bool = False) -> int:
    """Return a number of users from which on the estimated shares of holders err by more with probability at most beta.

    Args:
        randomizer: a table whose rows are linearly independent, or a family.
        error: of the share of users who hold an input, exact, in (0, 1).
        beta: the probability of a larger error on the worst data set, exact, in (0, 1).
        simultaneous: the largest error of all inputs, rather than that of the worst one.

    Returns:
        The least n at which Bernstein's inequality or the Berry-Esseen theorem is enough; so is every larger n.

    >>> from exactdp.randomizers import KAryResponse
    >>> users_needed(KAryResponse(20, exp_eps0=7), error="1/100", beta="1/20")
    152798
    """
    share, failure = as_fraction(error, name="error"), as_probability(beta, name="beta")
    if not 0 < share < 1:
        raise InvalidValueError(f"error={short(share)} is not a share of users. Pass one between 0 and 1, as 1/100.")
    if not 0 < failure < 1:
        raise InvalidValueError(f"beta={short(failure)} is not strictly between 0 and 1. Pass such a beta.")
    parts = questions(randomizer)
    each = failure / _inputs(parts) if simultaneous else failure
    estimates = _uncertain(parts)

    def is_enough(n: int) -> bool:
        if n > _MOST_USERS:
            raise TooLargeError(f"error={short(share)} needs more than 10^18 users. Use a larger error or e^eps0.")
        return n > 0 and all(_enough(one, n, each).error <= share * n for one in estimates)

    return bisect(*gallop(0, 1, is_enough), is_enough) if estimates else 1
