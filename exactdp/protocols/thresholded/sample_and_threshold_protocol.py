"""Sample and threshold: users report with some probability, and what too few report is dropped.

A user who holds one of the symbols 1, ..., d reports it with probability q, the rate, and else nothing; who holds none,
the input 0, reports nothing. The shuffler counts the reports of each symbol and releases a count if it is at least tau,
the threshold, else 0. Nothing else is random, and no noise is added: the privacy is that of the sampling, and of
dropping what so few hold that one report would tell. The reports themselves are not private, so the shuffler is trusted
with them. The estimate of how many hold a symbol is its released count over q, and 0 where it was dropped.

What one count gives away, at any number of users, is proved in :mod:`exactdp.protocols.thresholded.waiting_times`, and
that of two symbols, of which one user replaces the one by the other, in
:mod:`exactdp.protocols.thresholded.two_waiting_times`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.mechanisms.dataset import Neighbors, histogram, read_neighbors
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.interface import Protocol, Statement
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.protocol import DataSetLike
from exactdp.protocols.saving import Calibrated, Saving, Savings, least_error
from exactdp.protocols.thresholded.sample_threshold import sample_threshold_parameters
from exactdp.protocols.thresholded.two_waiting_times import ThresholdPairs

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
        from exactdp.protocols.thresholded.thresholded_counts import thresholded_accuracy

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
