"""Sample and threshold: users report with some probability, and what too few report is dropped.

A user who holds one of the symbols 1, ..., d reports it with probability q, the rate, and else nothing; who holds none,
the input 0, reports nothing. The shuffler counts the reports of each symbol and releases a count if it is at least tau,
the threshold, else 0. Nothing else is random, and no noise is added: the privacy is that of the sampling, and of
dropping what so few hold that one report would tell. The reports themselves are not private, so the shuffler is trusted
with them. The estimate of how many hold a symbol is its released count over q, and 0 where it was dropped.

What one count gives away, at any number of users, is proved in :mod:`exactdp.protocols.thresholded.waiting_times`, and
that of two symbols, of which one user replaces the one by the other, in
:mod:`exactdp.protocols.thresholded.two_waiting_times`.

The optimal accuracy of sample and threshold: the worst of all numbers of holders, with the bias of what is dropped
-------------------------------------------------------------------------------------------------------------------

N of n users hold a symbol; X ~ Bin(N, q) of them report. The estimate is X / q where X >= tau, and 0 where it is less,
which errs by N. For an A >= 0 let h = q (N + A) and l = q (N - A). Then

    P[error > A] = P[X < max(tau, l) or X > h]   for N > A,        P[X > max(tau - 1, h)]   for N <= A,

and the least A for one N is 0, an error |t / q - N|, or N: a multiple of 1/u, for q = u/v in lowest terms. It does not
rise with N steadily, because counts are integers: it has to be found for the worst N.

*All N.* X grows with N in law. So for all N from N1 to N2, all above A,

    P[error > A] <= P[X_N1 < max(tau, q (N2 - A))] + P[X_N2 > q (N1 + A)],

and similarly for all N <= A. Blocks of N for which this is at most beta are done; others are halved, and a single N
that exceeds beta raises A to its own least error. Near n blocks are short, and they grow as the error falls behind:
some sqrt(n q) tests in all.

*At any n.* The least errors of n, and of the most holders whom the threshold drops with a probability above beta, bound
A from below. A little more than that is enough where longer blocks say so: of N2 holders the first N are N holders, and
Y = X_N2 - X_N - q (N2 - N) is independent of X_N. So for any s > 0

    P[X_N - q N > a] P[Y >= -s] <= P[X_N2 - q N2 > a - s],

and so for the other side. For s^2 >= 8 (V + s/3), where V = q (1-q) (N2 - N1), P[Y < -s] is at most e^-4 < 1/54, by
Bernstein's inequality. Blocks are some (A q)^2 long, and longer as the error falls behind: the number of tests
does not depend on n. Where that fails, A = max(a / q, N1) is enough, with Bernstein's a of n holders for beta/2 on each
side, and N1 the least N from which on P[X_N < tau] <= beta/2.

Source: BharadwajCormode2022, section 3 (the protocol, while the theorems are this page's); Hoeffding1963, Theorem 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt, prod
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.laws.tails import bernstein_reach, binomial_tail_bound, ends, least_integer, outside_at_most
from exactdp.mechanisms.dataset import Neighbors, histogram, read_neighbors
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.progress import report_progress
from exactdp.protocols.interface import Protocol, Statement
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.protocol import DataSetLike
from exactdp.protocols.saving import Calibrated, Saving, Savings, least_error
from exactdp.protocols.thresholded.two_waiting_times import ThresholdPairs
from exactdp.protocols.thresholded.waiting_times import sample_threshold_parameters

MAX_VARIANCE: Final = 10**4
"""The largest n q (1-q) where the worst N is found: tests grow with its root, and take five seconds there."""

_WIDER: Final = (Fraction(1, 50), Fraction(1, 10), Fraction(1, 3))
"""How much more than the lower end is tried as the upper end."""

_TESTS: Final = 1000
"""Most tests of one upper end: some seconds."""

_SLACK: Final = Fraction(54, 53)
"""1 / (1 - 1/54)."""

_TAIL_BITS: Final = 24
"""Accuracy of tails that only bound."""

_END_BITS: Final = 64
"""An end that is a fraction is rounded outward to more digits than are shown."""


def thresholded_accuracy(n: int, rate: Fraction, threshold: int, beta: Fraction) -> Fraction | Interval:
    """Return the least A with sup over N <= n of P[error > A] <= beta; between two ends for very many users.

    >>> thresholded_accuracy(10, Fraction(1, 2), 3, Fraction(1, 20))
    Fraction(10, 1)
    >>> thresholded_accuracy(1000, Fraction(1, 2), 20, Fraction(1, 20))
    Fraction(62, 1)
    """
    counts = _Counts(n, rate, threshold, beta)
    if n * rate * (1 - rate) > MAX_VARIANCE:
        return counts.two_ends()
    return Fraction(counts.worst(), rate.numerator)


@dataclass(frozen=True, slots=True)
class _Counts:
    """One question; errors are counted in units of 1/u."""

    n: int
    rate: Fraction
    threshold: int
    beta: Fraction

    def worst(self) -> int:
        """Return the least error that is enough for every N."""
        error = self._two_holders()
        pending, tests = [(0, error // self.rate.numerator), (error // self.rate.numerator + 1, self.n)], 0
        while pending:
            first, last = pending.pop()
            if first > min(last, self.n):
                continue
            last, tests = min(last, self.n), tests + 1
            report_progress(tests)
            split = error // self.rate.numerator
            if first <= split < last:  # the error has grown, or the block was made before it
                pending += [(first, split), (split + 1, last)]
            elif self._is_enough(first, last, error):
                continue
            elif first == last:
                error = self._least(first, error)
            else:
                middle = (first + last) // 2
                pending += [(first, middle), (middle + 1, last)]
        return error

    def two_ends(self) -> Interval:
        """Return the interval between two proved ends."""
        lower = Fraction(self._two_holders(), self.rate.numerator)
        if not 0 < self.beta < 1:
            upper = Fraction(0) if self.beta else self.n * max(Fraction(1), 1 / self.rate - 1)
            return Interval.between(lower, upper, bits=_END_BITS)
        for wider in _WIDER:
            error = (lower * (1 + wider) * self.rate.numerator).__ceil__()
            if self._is_enough_for_all(error):
                return Interval.between(lower, Fraction(error, self.rate.numerator), bits=_END_BITS)
        variance = self.n * self.rate * (1 - self.rate)
        reach = bernstein_reach(variance, Fraction(1), self.beta, relative_bits=DEFAULT_RELATIVE_BITS)
        upper = max(reach.hi / self.rate, Fraction(self._dropped(self.beta / 2) + 1))
        return Interval(Dyadic.below(lower, _END_BITS), Dyadic.above(upper, _END_BITS))

    def _is_enough_for_all(self, error: int) -> bool:
        """Whether long blocks show, in not too many tests, that an error is enough for every N."""
        split = error // self.rate.numerator
        pending, tests = [(0, min(split, self.n)), (split + 1, self.n)], 0
        while pending:
            first, last = pending.pop()
            tests += 1
            report_progress(tests)
            if first > last or self._is_enough_coupled(first, last, error):
                continue
            if first == last or tests + len(pending) > _TESTS:
                return False
            middle = (first + last) // 2
            pending += [(first, middle), (middle + 1, last)]
        return True

    def _is_enough_coupled(self, first: int, last: int, error: int) -> bool:
        """Whether the other bound, for longer blocks, is at most beta; all N are above A, or none."""
        varied = self.rate * (1 - self.rate) * (last - first)
        step = 3 + isqrt((2 + 8 * varied).__ceil__())  # s^2 - 8 s/3 >= 8 V, as s = 3 + r and r^2 > 8 V + 1
        law, middle, reach = Binomial(last, self.rate), self.rate * last, Fraction(error, self.rate.denominator)
        chance = _above(law, middle + reach - step)
        if first * self.rate.numerator > error:
            dropped = _below(Binomial(first, self.rate), Fraction(self.threshold))
            chance += max(dropped, _below(law, middle - reach + step) * _SLACK) / _SLACK
        return chance * _SLACK <= self.beta

    def _two_holders(self) -> int:
        """Return the larger of the least errors of n holders, and of the most that the threshold drops too often."""
        return max(self._least(holders, -1) for holders in (self.n, self._dropped(self.beta)))

    def _dropped(self, chance: Fraction) -> int:
        """Return the largest N up to n whose count is dropped with a probability above ``chance``, or 0."""

        def is_released(holders: int) -> bool:
            return outside_at_most(Binomial(holders, self.rate), self.threshold, holders, chance)

        if not is_released(self.n):
            return self.n
        return least_integer(is_released, int(self.threshold / self.rate), above=0, high=self.n) - 1

    def _least(self, holders: int, above: int) -> int:
        """Return the least error above a number that is enough for one N; one that is exceeded too often."""
        sent, total = self.rate.numerator, self.rate.denominator
        most = holders * max(sent, total - sent)
        if most <= above + 1:
            return max(most, above + 1)
        guess = max(above + 1, isqrt(4 * holders * sent * (total - sent)))
        law, known = Binomial(holders, self.rate), dict[tuple[int, int], bool]()

        def is_enough(error: int) -> bool:  # many errors in units of 1/u allow the same counts
            counts = self._allowed(holders, holders, error)
            if counts not in known:
                known[counts] = outside_at_most(law, *counts, self.beta)
            return known[counts]

        return least_integer(is_enough, guess, above=above, high=most)

    def _allowed(self, first: int, last: int, error: int) -> tuple[int, int]:
        """Return the least and the greatest count with an error of at most A, of all N from first to last."""
        sent, total = self.rate.numerator, self.rate.denominator
        highest = (first * sent + error) // total
        if first * sent <= error:
            return 0, max(self.threshold - 1, highest)
        return max(self.threshold, -((error - last * sent) // total)), highest

    def _is_enough(self, first: int, last: int, error: int) -> bool:
        """Whether the bound of P[error > A] for all N from first to last is at most beta; all above A, or none."""
        lowest, highest = self._allowed(first, last, error)
        if first == last:
            return outside_at_most(Binomial(last, self.rate), lowest, highest, self.beta)
        if lowest > highest:
            return False
        below = _below(Binomial(first, self.rate), Fraction(lowest)) if lowest else 0
        return below + _above(Binomial(last, self.rate), Fraction(highest)) <= self.beta


def _above(law: Binomial, place: Fraction) -> Fraction:
    """Return a number at least P[Y > place], and near it."""
    k = place.__floor__()
    if law.variance <= MAX_VARIANCE and law.mean <= k + 1 <= law.n and 0 < law.p < 1:
        return binomial_tail_bound(law.n, law.p, k + 1)
    return ends(law.sf(k, relative_bits=_TAIL_BITS))[1]


def _below(law: Binomial, place: Fraction) -> Fraction:
    """Return a number at least P[Y < place], and near it."""
    return _above(Binomial(law.n, 1 - law.p), law.n - place)


_MAX_SYMBOLS: Final = 10**12
"""Most symbols, as for the histogram."""
_MAX_RECORDS: Final = 10**6
"""Most symbols that are listed."""
_MAX_TABLE: Final = 2**15
"""Most symbols of a table: each row has two entries."""
_MAX_OUTCOMES: Final = 10**6
"""Most outcomes of a law that is listed."""


@dataclass(frozen=True, slots=True, init=False)
class SampleAndThreshold(Protocol):
    """Sample and threshold of n users; made by :func:`sample_and_threshold`."""

    n: int
    rate: Fraction
    threshold: int
    symbols: int

    def __init__(self, n: int, *, rate: Exact, threshold: int, symbols: int = 1) -> None:
        sampled = as_fraction(rate, name="rate")
        if not 0 < sampled <= 1:
            raise InvalidValueError(f"rate={short(sampled)} is outside (0, 1]. Pass the probability of a report.")
        kinds = as_integer(symbols, name="symbols", at_least=1)
        if kinds > _MAX_SYMBOLS:
            raise TooLargeError(f"symbols={short(kinds)} is more than the limit of {_MAX_SYMBOLS}. Use fewer.")
        set_fields(
            self,
            n=as_integer(n, name="n", at_least=1),
            rate=exact_answer(sampled),
            threshold=as_integer(threshold, name="threshold", at_least=1),
            symbols=kinds,
        )

    @property
    def records(self) -> range:
        """What a user can hold: 0 for no symbol, and the symbols from 1 on."""
        if self.symbols > _MAX_RECORDS:
            raise TooLargeError(
                f"the records of symbols={self.symbols} are not listed, {_MAX_RECORDS} is the limit. Ask for privacy "
                "and accuracy, which need no list, or use fewer symbols."
            )
        return range(self.symbols + 1)

    @property
    def alphabet(self) -> range:
        """The symbols, in the order of their counts."""
        return self.records[1:]

    @property
    def randomizer(self) -> Randomizer:
        """What one user sends; what the shuffler drops is no part of it. At most 32,768 symbols have a table.

        >>> sample_and_threshold(9, rate="1/4", threshold=3).randomizer.table()[1]
        {(1,): Fraction(1, 4), (): Fraction(3, 4)}
        """
        if self.symbols > _MAX_TABLE:
            raise TooLargeError(
                f"symbols={self.symbols} makes a table of more than {_MAX_TABLE} rows. Use fewer symbols: privacy, "
                "accuracy and samples need no table."
            )
        table: dict[int, dict[tuple[int, ...], Fraction]] = {0: {(): Fraction(1)}}
        for symbol in self.alphabet:
            table[symbol] = {(symbol,): self.rate}
            if self.rate < 1:
                table[symbol][()] = 1 - self.rate
        return Randomizer(table)

    def communication(self) -> Communication:
        """Return what one user sends: a report with the probability of the rate, and never two.

        >>> sample_and_threshold(10**6, rate="1/8", threshold=20, symbols=1000).communication()
        Communication(messages=Fraction(1, 8), most=1, symbols=1000)
        """
        return Communication(messages=self.rate, most=1, symbols=self.symbols)

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile of what is released, over all neighbouring data sets, both orders.

        One user changes one count by one: where there is one symbol, or users are added or removed, delta is exact or
        enclosed to any accuracy, at any n. With several symbols a user can replace his own: then two counts change, and
        delta is exact to about 300 users, and beyond where few pairs of counts matter; else it has two proved ends.
        ``limit`` counts pairs of counts times their outcomes of that scan.

        >>> protocol = sample_and_threshold(10**9, rate="1/8", threshold=20)
        >>> protocol.privacy_profile().delta(eps=1)
        Interval[1.187882279e-13, 1.187882280e-13]

        Cost: 3 ms for one delta, 60 ms for one eps at a threshold of 20.
        """
        read_neighbors(neighbors)
        most = as_integer(limit, name="limit", at_least=1)
        return PrivacyProfile(ThresholdPairs(self.rate, self.threshold, self.symbols, self.n, neighbors, most))

    def savings(self, found: Calibrated) -> Savings:
        """Return the calibrated parameter and the error: the theorem is of another rate."""
        rows = (Saving(found.name, None, found.parameter), Saving("alpha", None, least_error(self, found.beta)))
        return Savings(rows, "the published threshold belongs to the rate alpha (1 - e^-eps).")

    @property
    def statement(self) -> Statement | None:
        """A claim states one symbol that is not always reported."""
        if self.symbols > 1 or self.rate == 1:
            return None
        return Statement("sample_threshold_dp", {"rate": self.rate, "threshold": self.threshold, "users": self.n})

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the optimal accuracy of the estimated holders of one symbol, whatever the others are."""

        return exact_answer(thresholded_accuracy(self.n, self.rate, self.threshold, as_probability(beta, name="beta")))

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: how many holders of each symbol report."""
        from exactdp.protocols.sampling.views import ReleasedCounts, user_counts

        return ReleasedCounts.of(user_counts(dataset, self.records, self.n)[1:], self.rate, self.threshold)

    def of_each_user(self) -> tuple[Randomizer, int]:
        """Return the table that each user runs, and the number of users."""
        return self.randomizer, self.n

    def released(self, counts: Any) -> Any:
        """Return the counts with 0 for what the shuffler drops."""
        return counts * (counts >= self.threshold)

    def release_law(self, holders: int) -> Law:
        """Return the law of the released count of a symbol that so many users hold.

        >>> sample_and_threshold(9, rate="1/2", threshold=2).release_law(2)
        Law({0: 3/4, 2: 1/4})
        """
        count = as_integer(holders, name="holders", at_least=0)
        if count > self.n:
            raise InvalidValueError(f"holders={short(count)} is more than n={short(self.n)}. Pass at most n.")
        return Binomial(count, self.rate).law().map(lambda reports: reports if reports >= self.threshold else 0)

    def law(self, dataset: DataSetLike) -> Law:
        """Return the law of all released counts, a tuple with one count for each symbol.

        >>> sample_and_threshold(3, rate="1/2", threshold=2, symbols=2).law({1: 2, 2: 1}).prob((2, 0))
        Fraction(1, 4)
        """
        laws = [self.release_law(held) for held in self._counts(dataset)[1:]]
        outcomes = prod(len(law) for law in laws)
        if outcomes > _MAX_OUTCOMES:
            raise TooLargeError(
                f"the joint law of symbols={self.symbols} has {short(outcomes)} outcomes, more than the limit of "
                f"{_MAX_OUTCOMES}. The counts are independent: ask release_law for one of them."
            )
        weights = {
            tuple(count for count, _ in released): prod(weight for _, weight in released)
            for released in product(*(law.weights.items() for law in laws))
        }
        return Law.from_weights(weights, prod(law.total for law in laws))

    def estimate(self, counts: int | Sequence[int] | Mapping[int, int]) -> Fraction | tuple[Fraction, ...]:
        """Return the estimated number of holders from the counts of the reports, released or not; a tuple for several.

        A count below the threshold is dropped: its estimate is 0. A mapping is symbol -> count, 0 where it is left out.

        >>> sample_and_threshold(100, rate="1/4", threshold=5).estimate(20)
        Fraction(80, 1)
        >>> sample_and_threshold(100, rate="1/4", threshold=5, symbols=2).estimate([4, 20])
        (Fraction(0, 1), Fraction(80, 1))
        """
        estimates = tuple(map(self._estimate, self._reported(counts)))
        return estimates[0] if self.symbols == 1 else estimates

    def _estimate(self, count: int) -> Fraction:
        return exact_answer(count / self.rate if count >= self.threshold else Fraction(0))

    def _reported(self, counts: Any) -> tuple[int, ...]:
        if isinstance(counts, Mapping):
            return histogram(counts, self.alphabet)
        listed = counts.tolist() if hasattr(counts, "tolist") else counts
        if not isinstance(listed, int | Sequence) or isinstance(listed, str):
            raise InvalidValueError(f"counts has the type {type(counts).__name__}. Give an int for each symbol.")
        values = (listed,) if isinstance(listed, int) else tuple(listed)
        if len(values) != self.symbols:
            raise InvalidValueError(
                f"counts has {len(values)} entries for symbols={self.symbols}. Give one for each symbol."
            )
        return tuple(as_integer(value, name="a count", at_least=0) for value in values)

    def _counts(self, dataset: DataSetLike) -> tuple[int, ...]:
        return histogram(dataset, self.records, users=self.n)


def sample_and_threshold(n: int, *, rate: Exact, threshold: int, symbols: int = 1) -> SampleAndThreshold:
    """Return sample and threshold of n users.

    Args:
        n: number of users who follow the protocol, at least 1.
        rate: probability that a holder reports, exact, in (0, 1].
        threshold: the least number of reports of a symbol that is released, at least 1.
        symbols: number of symbols, 1 to 10^12; a user holds one of them, or none, which is the input 0.

    >>> protocol = sample_and_threshold(1000, rate="1/8", threshold=10)
    >>> protocol.privacy_profile().delta(exp_eps=2), protocol.estimate(100)
    (Fraction(157552429, 281474976710656), Fraction(800, 1))

    Source: BharadwajCormode2022, section 3.
    """
    return SampleAndThreshold(n, rate=rate, threshold=threshold, symbols=symbols)


def sample_and_threshold_from_theorem(
    n: int, *, eps: Exact | LogRational, delta: Exact, alpha: Exact = "1/4", symbols: int = 1
) -> SampleAndThreshold:
    """Return sample and threshold with the published rate and threshold for (eps, delta)-DP of one count.

    The rate is alpha (1 - e^-eps), rounded down to a multiple of 2^-53, which keeps the promise; the threshold is the
    least one with e^(-C threshold) <= delta. Adding, removing or, of one symbol, replacing a user changes one count;
    replacing one symbol by another changes two, and is (2 eps, 2 delta)-DP by basic composition.

    Args:
        n: number of users who follow the protocol; the theorem is for any.
        eps: above 0, a rational number or a LogRational.
        delta: in (0, 1], exact.
        alpha: exact, above 0 and below 0.5174, where C = ln(1/alpha) - 1/(1 + alpha) is 0: more of it samples more.
        symbols: number of symbols.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> protocol = sample_and_threshold_from_theorem(10**6, eps=1, delta="1e-6")
    >>> protocol.threshold, float(protocol.rate), float(protocol.privacy_profile().epsilon("1e-6"))
    (24, 0.158..., 0.264...)

    Source: BharadwajCormode2022, section 3 (as printed in secondary sources).
    """
    rate, threshold = sample_threshold_parameters(eps=eps, delta=delta, alpha=alpha)
    return SampleAndThreshold(n, rate=rate, threshold=threshold, symbols=symbols)


def thresholded_family(level: PrivacyLevel, **options: Any) -> Family:
    """Return sample and threshold of one symbol with the parameter that is not given.

    Args:
        level: of no use here.
        options: ``rate`` or ``threshold``.
    """
    given = {option: value for option, value in options.items() if value is not None}
    if given.keys() not in ({"rate"}, {"threshold"}):
        raise InvalidValueError(
            "sample-and-threshold needs rate or threshold, and not both: the other one is calibrated. Pass rate='1/8'."
        )
    sample_and_threshold(1, **{"rate": 1, "threshold": 1, **given})  # refuses a bad number at once

    def built(value: Fraction, n: int | None) -> SampleAndThreshold:
        assert n is not None
        chosen: dict[str, Any] = {"threshold" if "rate" in given else "rate": value}
        return sample_and_threshold(n, **given, **chosen)

    if "rate" in given:
        return Family(built, "threshold", (1, None), True)
    return Family(built, "rate", (0, 1), True, weakens=True)
