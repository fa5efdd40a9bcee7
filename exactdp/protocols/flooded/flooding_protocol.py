"""Flooding: every user adds a random number of uniformly random messages to his own, and together they are the noise.

A user with the input x in {0, ..., d-1} sends a message that is uniform over the s bins of x (by default one: the input
itself), and a number of messages, by a law that is the same for all, which are uniform over all bins. With
``exp_eps0`` the own message is k-ary response of the input instead. The sets of bins of different inputs are disjoint:
bins x s, ..., x s + s - 1. Of all n users, a bin holds the own messages and noise whose law is of the family of one
user's number (:mod:`exactdp.laws.counting_laws`); with Poisson numbers the noise of different bins is independent.

A fixed number of noise messages is balls into bins (:mod:`exactdp.mechanisms.dummies_family`); a random number may
have a mean far below 1, so that with many users hardly anybody sends more than his own message.

What the view gives away is proved in :mod:`exactdp.protocols.flooded.flooded_bins` and
:mod:`exactdp.protocols.flooded.flooded_response`, and how many Poisson numbers are enough in
:mod:`exactdp.protocols.flooded.flooding_theorem`.

Source: LiLiuFengHuangHuLiuRenQin2020, the protocols pureDUMP and mixDUMP (of fixed numbers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.counting_laws import (
    Counting,
    all_users,
    beside_binomial,
    in_bins,
    read_counting,
    splits_independently,
)
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.tails import bernstein_reach, least_reach
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import MAX_ENTRIES, MAX_INPUTS, read_exp_eps0, read_inputs
from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.flooded.flooded_response import FloodedPairs
from exactdp.protocols.interface import Protocol

_MAX_RECORDS: Final = 10**6
"""Most inputs that are listed as what users hold."""

_MAX_LISTED: Final = 1000
"""Most bins of a user's randomizer that is built with a share for each."""

_INTERVAL_BITS: Final = 64
"""Ends of an error are rounded outward to more digits than are shown."""

_SHARE_BITS: Final = 256
"""Accuracy of the t that d independent bins may have: a tail of noise is hardly ever so near it."""


@dataclass(frozen=True, slots=True, init=False)
class Flooding(Protocol):
    """Frequency estimation by flooding; made by :func:`flooding`.

    >>> from exactdp.laws import Poisson
    >>> protocol = flooding(10**6, 1000, noise=Poisson("1/10"))
    >>> protocol.privacy_profile().delta(eps=1), protocol.communication().messages
    (Interval[1.769728714e-12, 1.769728715e-12], Fraction(11, 10))
    """

    n: int
    d: int
    noise: Counting
    exp_eps0: Fraction | None
    special: int
    bins: int

    def __init__(
        self,
        n: int,
        d: int,
        *,
        noise: LatticeLaw,
        exp_eps0: Exact | None = None,
        special: int = 1,
        bins: int | None = None,
    ) -> None:
        inputs, own = read_inputs(d, name="d"), as_integer(special, name="special", at_least=1)
        places = inputs * own if bins is None else as_integer(bins, name="bins", at_least=2)
        if places < inputs * own:
            raise InvalidValueError(
                f"bins={short(places)} is fewer than {short(own)} for each of d={short(inputs)} inputs, whose bins are "
                f"disjoint. Pass bins of at least {short(inputs * own)}."
            )
        if places > MAX_INPUTS:
            raise TooLargeError(f"bins={short(places)} is more than the limit of {MAX_INPUTS}. Use fewer.")
        ratio = None if exp_eps0 is None else read_exp_eps0(exp_eps0)
        if ratio is not None and not (isinstance(ratio, Fraction) and ratio > 1):
            raise InvalidValueError(
                f"exp_eps0={ratio} is irrational, or 1, where answers say nothing. Pass a rational number above 1."
            )
        if ratio is not None and places != inputs:
            raise InvalidValueError("special and bins are of messages that are not random answers. Leave out exp_eps0.")
        users, law = as_integer(n, name="n", at_least=1), read_counting(noise, name="noise")
        set_fields(self, n=users, d=inputs, noise=law, exp_eps0=ratio, special=own, bins=places)

    @property
    def inputs(self) -> range:
        """What a user can hold."""
        return range(self.d)

    @property
    def records(self) -> tuple[int, ...]:
        """What a user's record can be; TooLargeError for more than 10^6 inputs, which are not listed."""
        if self.d > _MAX_RECORDS:
            raise TooLargeError(
                f"the records of d={self.d} inputs are not listed, {_MAX_RECORDS} is the limit. Ask for privacy and "
                "accuracy, which need no list, or use fewer inputs."
            )
        return tuple(self.inputs)

    @property
    def alphabet(self) -> range:
        """The messages, in the order of their counts: the bins."""
        return range(self.bins)

    @property
    def likely(self) -> Fraction:
        """The probability that the own message is in the bins of an input, for those who hold it."""
        return Fraction(1) if self.exp_eps0 is None else self.exp_eps0 * self.unlikely

    @property
    def unlikely(self) -> Fraction:
        """The same for all others."""
        return Fraction(0) if self.exp_eps0 is None else 1 / (self.exp_eps0 + self.d - 1)

    @property
    def count_noise(self) -> Counting:
        """The law of the number of noise messages in the bins of an input."""
        return in_bins(self.noise, self.n, Fraction(self.special, self.bins))

    @property
    def bins_are_independent(self) -> bool:
        """Whether the noise of different bins is independent."""
        return splits_independently(self.noise)

    def communication(self) -> Communication:
        """Return what one user sends: his own message, and as many more as the law of the noise has."""
        mean, most = self.noise.mean, self.noise.high
        assert isinstance(mean, Fraction)
        return Communication(
            messages=exact_answer(1 + mean), most=None if most is None else 1 + most, symbols=self.bins
        )

    @property
    def randomizer(self) -> Randomizer | LatticeRandomizer:
        """What each user runs: a table for a binomial number of noise messages, shares of each bin for a Poisson one.

        Raises:
            TooLargeError: for tables of more than 65,536 entries, and shares of more than 1000 bins.
            InvalidValueError: for other laws, whose shares are not independent: the view and samples need no table.
        """
        if self.noise.high is not None:
            return self._table(self.noise.high)
        if not self.bins_are_independent or self.exp_eps0 is not None or self.special > 1:
            raise InvalidValueError(
                f"the randomizer with noise={self.noise!r} is neither a table nor independent shares. Ask for the "
                "privacy profile, estimates and samples, which need none, or pass noise=Binomial(k, p)."
            )
        if self.bins > _MAX_LISTED:
            raise TooLargeError(f"bins={self.bins} are more than the limit of {_MAX_LISTED} shares. Use fewer bins.")
        share = in_bins(self.noise, 1, Fraction(1, self.bins))
        return LatticeRandomizer({x: {x: 1} for x in self.inputs}, [(share, {bin_: 1}) for bin_ in self.alphabet])

    def _table(self, most: int) -> Randomizer:
        entries = self.d * comb(self.bins + most + 1, most + 1) if self.bins <= MAX_ENTRIES else MAX_ENTRIES + 1
        if most > _MAX_LISTED or entries > MAX_ENTRIES:
            raise TooLargeError(
                f"the table of {short(self.d)} inputs, {short(self.bins)} bins and up to {short(most)} noise "
                f"messages has more than {MAX_ENTRIES} entries, the limit. Use fewer bins or messages."
            )
        table: dict[int, dict[tuple[int, ...], Fraction]] = {}
        for x in self.inputs:
            own = range(x * self.special, (x + 1) * self.special)
            row: Counter[tuple[int, ...]] = Counter()
            for number in range(most + 1):
                for bundle in combinations_with_replacement(self.alphabet, number):
                    orders = factorial(number) // prod(map(factorial, Counter(bundle).values()))
                    chance = self.noise.exact_pmf(number) * Fraction(orders, self.bins**number)
                    for message in self.alphabet:
                        part = self.likely / self.special if message in own else self.unlikely
                        if part and chance:
                            row[tuple(sorted((message, *bundle)))] += part * chance  # type: ignore[assignment]
            table[x] = dict(row)  # type: ignore[arg-type]
        return Randomizer(table)

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile over all neighbouring data sets, both orders.

        Of inputs that are sent as they are it is enclosed to any accuracy, at every n and for every data set alike; of
        random answers it lies between two proved ends. ADD_OR_REMOVE_ONE, where a user's noise leaves with him, is
        refused. ``limit`` is of no use here: nothing is scanned.

        Cost: 5 ms for one delta where a thousand noise messages are in two bins; of random answers 0.3 s.
        """
        if neighbors is not Neighbors.REPLACE_ONE:
            raise InvalidValueError(
                f"neighbors={getattr(neighbors, 'value', neighbors)} is not defined here: the noise belongs to "
                f"n={self.n} users. Pass Neighbors.REPLACE_ONE."
            )
        as_integer(limit, name="limit", at_least=1)
        return PrivacyProfile(
            FloodedPairs(self.d, self.noise, Fraction(self.special, self.bins), self.n, self.exp_eps0)
        )

    def estimate(self, counts: Sequence[int] | Mapping[Any, int]) -> tuple[Fraction, ...]:
        """Return the unbiased estimates of how many users hold each input, from the counts of all bins in their order.

        A mapping of bins to counts, of which those that are left out are 0, serves as well.
        """
        if isinstance(counts, Mapping):
            if unknown := [message for message in counts if message not in self.alphabet]:
                raise InvalidValueError(
                    f"counts names the unknown bin {unknown[0]!r}. Bins are 0, ..., {self.bins - 1}."
                )
            counts = [counts.get(message, 0) for message in self.alphabet]
        if len(counts) != self.bins:
            raise InvalidValueError(f"counts has {len(counts)} entries for {self.bins} bins. Give one for each.")
        values = [as_integer(count, name="a count", at_least=0) for count in counts]
        return tuple(self.estimate_one(sum(values[x * self.special : (x + 1) * self.special])) for x in self.inputs)

    def estimate_one(self, count: int) -> Fraction:
        """Return the estimate of the holders of one input from the number of messages in its bins."""
        mean = self.count_noise.mean
        assert isinstance(mean, Fraction)
        return exact_answer((count - mean - self.n * self.unlikely) / (self.likely - self.unlikely))

    @property
    def total_noise(self) -> Counting:
        """The law of the number of all noise messages."""
        return all_users(self.noise, self.n)

    @property
    def estimates_several(self) -> bool:
        """All inputs are estimated."""
        return True

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the optimal accuracy of the number of holders of an input, or of all of them together.

        >>> from exactdp.laws import Poisson
        >>> protocol = flooding(10**6, 1000, noise=Poisson("1/20"))
        >>> protocol.accuracy("1/20"), protocol.accuracy("1/20", simultaneous=True)
        (Fraction(14, 1), Fraction(30, 1))
        """
        return exact_answer(_least_error(self, as_probability(beta, name="beta"), simultaneous=simultaneous))

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: answers, and the noise of all users."""
        from exactdp.protocols.flooded.flooded_views import FloodedViews
        from exactdp.protocols.sampling.views import user_counts

        held = user_counts(dataset, self.inputs, self.n)
        kept = 1 - self.d * self.unlikely
        return FloodedViews.of(held, kept, self.special, self.bins, self.total_noise, nearest=nearest)


def flooding(
    n: int, d: int, *, noise: LatticeLaw, exp_eps0: Exact | None = None, special: int = 1, bins: int | None = None
) -> Flooding:
    """Return frequency estimation of n users with d inputs, who send random numbers of uniform messages beside theirs.

    Args:
        n: number of users who follow the protocol, at least 1.
        d: number of inputs, 2 to 10^9.
        noise: the law of the number of one user's uniform messages, with rational parameters: ``Poisson(mu)``,
            ``Binomial(k, p)``, ``NegativeBinomial(r, p)`` or ``Geometric(p)``.
        exp_eps0: where given, the own message is k-ary response of the input with this e^eps0: rational, above 1.
        special: bins of one input, over which its message is uniform.
        bins: number of all bins, at least special times d, which it is by default; others are hit by noise alone.

    >>> from exactdp.laws import Poisson
    >>> flooding(3, 2, noise=Poisson(1)).estimate([5, 1])
    (Fraction(7, 2), Fraction(-1, 2))

    Source: LiLiuFengHuangHuLiuRenQin2020, the protocols pureDUMP and mixDUMP (of fixed numbers).
    """
    return Flooding(n, d, noise=noise, exp_eps0=exp_eps0, special=special, bins=bins)


# --- the error --------------------------------------------------------------------------------------------------------


def _least_error(protocol: Flooding, beta: Fraction, *, simultaneous: bool) -> Fraction | Interval:
    """Return the optimal accuracy of one input, or of all: :mod:`exactdp.protocols.accuracy.frequencies`."""
    law, d = protocol.count_noise, protocol.d
    if protocol.exp_eps0 is not None:
        single, most = _answers(protocol, beta), None
        if simultaneous and beta:
            together = _answers(protocol, beta / d)
            most = together.hi if isinstance(together, Interval) else together
            low = single.lo if isinstance(single, Interval) else single
            return Interval.between(low, max(low, most), bits=_INTERVAL_BITS)
        return single
    if not simultaneous or beta in (0, 1):
        return _reach(law, beta)
    if protocol.bins_are_independent:  # (1 - t)^d >= 1 - beta
        share = enclose_real(1 - Real.exp(Real.log(1 - beta) / d), relative_bits=_SHARE_BITS)
        least, most = _reach(law, share.hi), _reach(law, share.lo)
        return least if least == most else Interval.between(least, most, bits=_INTERVAL_BITS)
    return Interval.between(_reach(law, beta), _reach(law, beta / d), bits=_INTERVAL_BITS)


def _reach(law: LatticeLaw, beta: Fraction) -> Fraction:
    mean = law.mean
    assert isinstance(mean, Fraction)
    return least_reach(law, mean, mean, beta)


def _answers(protocol: Flooding, beta: Fraction) -> Fraction | Interval:
    """Enclose the same of random answers."""
    law, n, gap = protocol.count_noise, protocol.n, protocol.likely - protocol.unlikely
    if beta in (0, 1):
        raise InvalidValueError("beta=0 and beta=1 are not asked of random answers. Pass beta between 0 and 1.")
    if law.high is None and not splits_independently(law):
        raise InvalidValueError(
            f"noise={protocol.noise!r} beside random answers: no bound of the error is proved. "
            "Pass Poisson or binomial numbers."
        )
    chances = (protocol.unlikely, protocol.likely)
    variance = law.variance
    assert isinstance(variance, Fraction)
    widest = max(n * p * (1 - p) for p in chances) + variance
    most = bernstein_reach(widest / gap**2, 1 / gap, beta, relative_bits=DEFAULT_RELATIVE_BITS).hi
    least = Fraction(0)
    for p in chances:
        if (both := beside_binomial(law, n, p)) is not None:
            least = max(least, least_reach(both, both.mean, both.mean, beta) / gap)
    return Interval.between(least, max(least, most), bits=_INTERVAL_BITS)
