"""How well a family counts the holders of one input: law, variance and error quantile of its estimate.

n users send t messages each (t = 1, or the times of a repetition). With h holders of the input the number of messages
that support it is Bin(t h, p*) + Bin(t (n - h), q*), exactly, with p* and q* of
:mod:`exactdp.mechanisms.support_family`; (count - t n q*) / (t (p* - q*)) estimates h without bias.

*Dummies.* Who sends s uniform dummies beside his own message (:mod:`exactdp.mechanisms.dummies_family`) adds
Bin(s n, 1/d), and the estimate subtracts its mean too. Where the own message is the input (p = 1, q = 0) the error is
that of this one binomial count, whatever the data are; where nobody holds the input, or everybody, it is that of two.

**The optimal accuracy** of frequencies that are counted among dummies, flooded, or asked several times.

*Fixed messages.* The error of the estimate of one input is that of the noise in its bins: one law, whatever the data
are, so the least error that it exceeds with probability at most beta is exact. *All d inputs together:* the bins err by
more than A each with the same probability t(A) = P[noise < mean - A] + P[noise > mean + A]. Of Poisson numbers the bins
are independent, and some bin errs with probability 1 - (1 - t)^d. Else it is at most d t, by the union; and at least t.

*Random answers.* With h holders the count is a sum of independent numbers. Bernstein's inequality or the Berry-Esseen
theorem (:mod:`exactdp.laws.tails`) with the largest variance, at h = 0 or h = n, is enough for every h; where
nobody holds the input, the count of Bin(n, q) and noise is one law, and its exact least error is not more. So the two
are ends. For repeated messages, t for each user, and for fixed numbers of dummies, both h = 0 and h = n are looked at.

*Bernstein for infinite noise.* A Poisson number is the limit of sums of m independent bits with mean mu/m, whose
variance is not more than mu: the inequality, which is continuous, holds for it with terms of size at most 1. Of
negative binomial noise there is no such bound here, and random answers among it are refused.

Source: WangBlockiLiJha2017, section 3 (the estimator and its variance);
LiLiuFengHuangHuLiuRenQin2020, the protocols pureDUMP and mixDUMP;
Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's); Shevtsova2010, Theorem 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidDataSetError, InvalidValueError
from exactdp.laws.binomial import Binomial
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.tails import bernstein_reach, enough_reach, least_reach
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.family import FamilyRandomizer, SupportChances
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.protocols.accuracy.response import CountModel, chances_of, count_bracket, response_accuracy


@dataclass(frozen=True, slots=True, init=False)
class FrequencyEstimate:
    """The unbiased estimate of how many of n users hold one input, whichever it is.

    Args:
        family: a family of supports (k-ary response, unary encoding, subset selection, Hadamard response, local
            hashing), the repetition of one, ``BallsIntoBins`` or ``MixedDummies``. e^eps0 is rational.
        n: number of users who follow the protocol, at least 1.

    Raises:
        InvalidValueError: for other randomizers, an irrational e^eps0, and rows that are all equal.

    >>> from exactdp.randomizers import BallsIntoBins, HadamardResponse, MixedDummies, UnaryEncoding
    >>> for family in (UnaryEncoding(1000, exp_eps0=9), HadamardResponse(1000, exp_eps0=9)):
    ...     estimate = FrequencyEstimate(family, 10**6)
    ...     print(estimate.variance(holders=0), float(estimate.error_quantile(holders=0, beta="1/1000")))
    750000 2850.0
    1562500 4112.5
    >>> for family in (BallsIntoBins(1000, dummies=2), MixedDummies(1000, exp_eps0=99, dummies=2)):
    ...     estimate = FrequencyEstimate(family, 10**6)
    ...     print(float(estimate.variance(holders=0)), float(estimate.error_quantile(holders=0, beta="1/1000")))
    1998.0 147.0
    365035.06788837985 1985.9591836734694

    Cost: 20 ms for a quantile at 10^6 users.

    Source: WangBlockiLiJha2017, section 3; LiLiuFengHuangHuLiuRenQin2020, the protocols pureDUMP and mixDUMP.
    """

    family: FamilyRandomizer
    n: int

    def __init__(self, family: FamilyRandomizer, n: int) -> None:
        set_fields(self, family=family, n=as_integer(n, name="n", at_least=1))
        _ = self.count_model  # refuses other randomizers at once

    @property
    def chances(self) -> SupportChances:
        """What the count is made of."""
        return chances_of(self.family)

    @property
    def count_model(self) -> CountModel:
        """All own messages, each counted if it supports the input."""
        return CountModel.of_family(self.family, self.n)

    @property
    def noise(self) -> Binomial:
        """The law of the number of dummies that support the input."""
        chances = self.chances
        return Binomial(self.n * chances.dummies, chances.share)

    @property
    def offset(self) -> Fraction:
        """The mean number of messages that support an input that nobody holds."""
        chances = self.chances
        return self.n * (chances.dummies * chances.share + chances.own * chances.unlikely)

    def estimate(self, count: int) -> Fraction:
        """Return the estimate of the number of holders from the number of messages that support the input."""
        seen, most = as_integer(count, name="count", at_least=0), self.n * self.family.messages_per_user
        if seen > most:
            raise InvalidValueError(f"count={seen} is more than all {most} messages. Pass at most these.")
        return exact_answer((seen - self.offset) * self._unit)

    def analyzer(self, value: int) -> Analyzer:
        """Return the estimate for one input as data, for ``ShuffleProtocol(family, n, analyzer=...)`` of a small table.

        Raises:
            TooLargeError: where the messages are too many to be listed.
        """
        single = self.family.single
        messages = (value,) if self.chances.dummies else single.table().alphabet  # a dummy supports itself
        weights: dict[Any, Fraction] = {message: self._unit for message in messages if single.supports(message, value)}
        return Analyzer(weights, offset=-self.offset * self._unit)

    def law(self, *, holders: int) -> BinomialSum:
        """Return the law of the number of own messages that support the input, where so many users hold it."""
        return self.count_model.law(self.chances.own * self._read(holders))

    def variance(self, *, holders: int) -> Fraction:
        """Return the variance of the estimate where so many users hold the input; exact."""
        (likely, unlikely, own, dummies, share), held = self.chances, self._read(holders)
        counts = ((own * held, likely), (own * (self.n - held), unlikely), (self.n * dummies, share))
        spread = sum((count * p * (1 - p) for count, p in counts), Fraction(0))
        return exact_answer(spread / (own * (likely - unlikely)) ** 2)

    def error_quantile(self, *, holders: int, beta: Exact) -> Fraction:
        """Return the least error that the estimate exceeds with probability at most ``beta``, with so many holders.

        Args:
            holders: how many users hold the input; of ``MixedDummies`` nobody or everybody, 0 or n.
            beta: probability of a larger error, exact, in (0, 1].

        Exact: an error of the estimate is rational, and which one it is, is decided by enclosures of tails.

        Raises:
            InvalidValueError: for other numbers of holders of ``MixedDummies``; ask ``error_bound``.
        """
        law, chance = self._varying(self._read(holders)), as_probability(beta, name="beta")
        return exact_answer(least_reach(law, law.mean, law.mean, chance) * self._unit)

    def _varying(self, holders: int) -> Binomial | BinomialSum:
        """Return the law of the count, without the part that is certain."""
        likely, unlikely, own, dummies, share = self.chances
        if not dummies:
            return self.count_model.law(own * holders)
        if not unlikely:
            return self.noise
        if 0 < holders < self.n:
            raise InvalidValueError(
                f"holders={holders} makes the count a sum of three binomial ones, of which no tails are computed. "
                "Ask .error_bound(holders=...), or for holders=0."
            )
        return BinomialSum(self.n, likely if holders else unlikely, self.n * dummies, share)

    def error_bound(self, *, holders: int, beta: Exact) -> Interval:
        """Enclose an error that is exceeded with probability at most ``beta``, strictly between 0 and 1.

        An upper bound for any number of holders, by Bernstein's inequality: the least such error is smaller.
        """
        variance, chance = self.variance(holders=holders), as_probability(beta, name="beta")
        if chance in (0, 1):
            raise InvalidValueError(f"beta={short(chance)} is not strictly between 0 and 1. Pass such a beta.")
        return bernstein_reach(variance, self._unit, chance, relative_bits=DEFAULT_RELATIVE_BITS)

    def optimal_accuracy(self, *, beta: Exact) -> Fraction | Interval:
        """Return the least error that is exceeded with probability at most ``beta`` on every data set.

        Exact to 2000 users of one message, else an Interval that contains it.

        Raises:
            InvalidValueError: for several messages of one user.
        """
        if self.family.messages_per_user > 1:
            raise InvalidValueError(
                "the worst data set of a repetition is not known. Ask .error_quantile(holders=...) for one number of "
                "holders."
            )
        return exact_answer(response_accuracy(self.count_model, as_probability(beta, name="beta")))

    @property
    def _unit(self) -> Fraction:
        """How many holders one message counts for."""
        chances = self.chances
        return 1 / (chances.own * (chances.likely - chances.unlikely))

    def _read(self, holders: int) -> int:
        held = as_integer(holders, name="holders", at_least=0)
        if held > self.n:
            raise InvalidDataSetError(f"holders={held} is more than n={self.n} users. Pass at most n.")
        return held


DummyFrequencyEstimate = FrequencyEstimate
"""The name for users who add dummies, of 0.2.0."""


_INTERVAL_BITS: Final = 64
"""Ends are rounded outward to more digits than are shown."""


def frequency_accuracy(family: FamilyRandomizer, n: int, beta: Fraction) -> Fraction | Interval:
    """Return the optimal accuracy of the number of holders of an input: exact for fixed messages, else enclosed.

    Of a family that adds dummies, or of a repetition.

    >>> from exactdp.randomizers import BallsIntoBins, MixedDummies
    >>> frequency_accuracy(BallsIntoBins(1000, dummies=2), 10**6, Fraction(1, 20))
    Fraction(88, 1)
    >>> frequency_accuracy(MixedDummies(1000, exp_eps0=99, dummies=2), 10**6, Fraction(1, 20))
    Interval[6364.653061, 6517.897666]

    Source: Hoeffding1963, Theorem 3 (Bennett's inequality, which implies Bernstein's); Shevtsova2010, Theorem 1.
    """
    estimate = FrequencyEstimate(family, n)
    if not estimate.chances.dummies:
        ends = count_bracket(estimate.count_model.upright, beta) if 0 < beta < 1 else None
        if ends is None:
            raise InvalidValueError("beta=0 and beta=1 are not asked of a repetition. Pass beta between 0 and 1.")
        times = family.messages_per_user
        return Interval.between(ends.lo / times, ends.hi / times, bits=_INTERVAL_BITS)
    if not estimate.chances.unlikely:
        return estimate.error_quantile(holders=0, beta=beta)
    least = max(estimate.error_quantile(holders=holders, beta=beta) for holders in (0, n))
    if beta in (0, 1):
        return least
    spread, terms = max(estimate.variance(holders=holders) for holders in (0, n)), family.linear_estimates()[0].terms
    most = enough_reach(spread, max(one.most for one in terms), max(one.skew for one in terms), beta).error
    return Interval.between(least, max(least, most), bits=_INTERVAL_BITS)
