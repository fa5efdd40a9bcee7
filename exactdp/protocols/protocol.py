"""Protocols: the values that users hold.

A shuffle protocol is a randomizer and a number of users; an additive protocol is a count plus noise, whatever makes the
noise. ``n`` counts the users who follow the protocol: with fewer honest users there is less privacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import InvalidDataSetError, InvalidLawError, InvalidValueError, ScanTooLargeError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.absence_family import COUNTED, LISTED, Absence
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.dataset import Neighbors, histogram, read_neighbors
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.privacy.planner import AdditivePairs, OneShufflePair, RandomUsersPairs, ShufflePairs, Source
from exactdp.privacy.profile import PrivacyProfile
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.protocols.interface import Protocol, Statement

if TYPE_CHECKING:
    from exactdp.laws.binomial import Binomial
    from exactdp.laws.laplace import Laplace
    from exactdp.mechanisms.family import FamilyRandomizer
    from exactdp.numbers.epsilon import LogRational
    from exactdp.numbers.real import Real
    from exactdp.protocols.saving import Calibrated, Savings
    from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

__all__ = ["DEFAULT_LIMIT", "AdditiveProtocol", "ShuffleProtocol", "shift_profile"]

DataSetLike = Sequence[Any] | Mapping[Any, int]

_MAX_JOINT_OUTCOMES: Final = 10**6
"""Outcomes of all bins together that take some seconds and a few hundred megabytes."""
_MAX_RECORDS: Final = 10**6
"""The largest shift, and most bins where what a user's record can be is listed."""
_MAX_BINS: Final = 10**12
"""A count of bins that everybody writes; two bins are judged, however many there are."""
_HOPELESS: Final = 10**10
"""More pairs times outcomes take days: no larger limit is offered."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ShuffleProtocol(Protocol):
    """n users run the same randomizer; a shuffler shows the multiset of all messages.

    Args:
        randomizer: what each user runs: a table, or a family where there are too many messages to list; or a table of
            functions of parameters (:mod:`exactdp.symbolic`), of which ``law`` and ``privacy_profile`` answer.
        n: number of users who follow the protocol, at least 1; or the law of how many of them take part, independent
            of the data, a ``Law`` on integers or a lattice law from 0 on, such as ``Binomial(10**6, "9/10")``. The user
            who differs takes part for sure wherever n > 0, and the number of the others, n - 1, is random; where nobody
            takes part, nothing is told. The observer is told n, as he counts it where all send equally many messages.
            Then ``privacy_profile`` answers, in the
            mean over n (:mod:`exactdp.privacy.shuffle.random_users`); all else needs one n.
        participation: how likely each user takes part, the one who differs too, by a coin of his own: above 0, at most
            1. Data sets list all n users, present or away.
        absence: what is seen of who is away, by one of three models (:mod:`exactdp.mechanisms.absence_family`).
            "counted": nobody learns who it is; he sends nothing, and the number of messages is seen. "listed": who
            takes part is public; views that are drawn or listed show the messages alone. "hidden": he sends a dummy.
        dummy: what a hidden user sends: of a table message -> probability, where a tuple of messages may stand for a
            message; of a table or a family "uniform", or ("input", x), the row of an input; of a product also a tuple
            with one of these for each factor.
        analyzer: turns the message counts into an estimate; without one ``estimate`` raises.

    >>> flip = Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
    >>> ShuffleProtocol(flip, 2).law([0, 1]).prob((1, 1))
    Fraction(5, 8)
    """

    is_shuffled_randomizer = True

    randomizer: Any  # Randomizer | FamilyRandomizer | SymbolicRandomizer, or of classes of users a tuple of pairs
    """What each user runs; of classes of users the pairs of it and of the number of users."""
    users: int | Law | LatticeLaw
    """The number of users, or the law of how many take part."""
    analyzer: Analyzer | None
    participation: Any  # Fraction, or of classes of users a tuple of them
    """How likely each user takes part."""
    absence: str
    dummy: Any
    """What hidden users send, hashable: a law as pairs; None where nothing is sent."""

    def __new__(
        cls,
        randomizer: Any = None,
        n: Any = None,
        *,
        participation: Exact = 1,
        absence: str = "counted",
        dummy: Any = None,
        analyzer: Analyzer | None = None,
    ) -> ShuffleProtocol:
        """Return a protocol: of a sequence of pairs the one of classes of users."""
        if cls is ShuffleProtocol and isinstance(randomizer, Sequence) and not isinstance(randomizer, str | bytes):
            cls = resolve_name("exactdp.protocols.user_classes_protocol:UserClassesProtocol")
        return object.__new__(cls)

    def __init__(
        self,
        randomizer: Randomizer | FamilyRandomizer | SymbolicRandomizer | Sequence[tuple[UserRandomizer, int]],
        n: int | Law | LatticeLaw | None = None,
        *,
        participation: Exact = 1,
        absence: str = "counted",
        dummy: Any = None,
        analyzer: Analyzer | None = None,
    ) -> None:
        if not (isinstance(randomizer, UserRandomizer) or _has_parameters(randomizer)):
            raise InvalidValueError(
                f"randomizer has the type {type(randomizer).__name__}. "
                "Pass a Randomizer, as Randomizer(table) or from_file(path), or a family of exactdp.randomizers."
            )
        if n is None:
            raise InvalidValueError("n is missing. Pass the number of users: ShuffleProtocol(randomizer, 1000).")
        users = _users_law(n) if isinstance(n, Law | LatticeLaw) else as_integer(n, name="n", at_least=1)
        set_fields(self, randomizer=randomizer, users=users, analyzer=_analyzer(analyzer))
        away = _absence(randomizer, users, participation, absence, dummy)
        set_fields(self, participation=away.participation, absence=away.way, dummy=away.dummy)

    @property
    def n(self) -> int:
        """The number of users; InvalidValueError where it is random."""
        if isinstance(self.users, int):
            return self.users
        raise InvalidValueError(
            f"n is random, by {short(repr(self.users))}, and this question needs one n. "
            "Ask for the privacy profile, or pass ShuffleProtocol(randomizer, 1000)."
        )

    def __repr__(self) -> str:
        away = f", participation={str(self.participation)!r}, absence={self.absence!r}" if self.may_be_away else ""
        away += f", dummy={short(repr(self.dummy))}" if self.dummy is not None else ""
        return f"ShuffleProtocol(randomizer={self.randomizer!r}, n={self.users!r}{away}, analyzer={self.analyzer!r})"

    @property
    def may_be_away(self) -> bool:
        """Whether a user may be away."""
        return bool(self.participation < 1)

    @property
    def is_listed(self) -> bool:
        """Whether who takes part is public, which is no randomizer."""
        return self.may_be_away and self.absence == LISTED

    @property
    def absence_words(self) -> str:
        """Who may be away and what is seen of it, as the end of a sentence about n users; empty for nobody."""
        return self._absence.words if self.may_be_away else ""

    @property
    def _absence(self) -> Absence:
        return Absence(self.participation, self.absence, self.dummy)

    @property
    def tabulated(self) -> Randomizer:
        """The randomizer as a table; TooLargeError for a family with more than 65,536 entries."""
        return self.numeric_randomizer.tabulated

    @property
    def numeric_randomizer(self) -> Randomizer | FamilyRandomizer:
        """What a user sends, who may be away; InvalidValueError where its probabilities contain parameters."""
        if isinstance(self.randomizer, UserRandomizer):
            return self._absence.applied(self.randomizer)
        names = self.randomizer.parameters
        point = ", ".join(f'{name}="1/4"' for name in names)
        raise InvalidValueError(
            f"the randomizer has the parameters {', '.join(names)}, and this question needs numbers. Ask "
            f"privacy_profile() for delta as a formula, or take one point: randomizer.at({point})."
        )

    def law(self, dataset: DataSetLike) -> Law:
        """Return the exact law of the view: count vectors over ``randomizer.alphabet``.

        Args:
            dataset: the n users' inputs in any order, or input -> number of users.

        Returns:
            A ``Law``; of a randomizer with parameters a ``symbolic.SymbolicLaw``, with a polynomial for each outcome.

        Raises:
            InvalidDataSetError: for unknown inputs and a wrong number of users.
            TooLargeError: where more than 10^7 outcomes, or half a gigabyte of weights, may occur in this data set;
                with parameters, beyond 10^6 outcomes times monomials.

        Cost: O(outcomes) integers; 3 ms for binary randomized response of 300 users.
        """
        if isinstance(self.randomizer, UserRandomizer):
            from exactdp.privacy.shuffle.view_law import view_law

            return view_law(self.tabulated, histogram(dataset, self.randomizer.inputs, users=self.n))
        from exactdp.symbolic.symbolic_laws import symbolic_view_law

        counts = histogram(dataset, self.randomizer.inputs, users=self.n)
        symbolic: Any = symbolic_view_law(self.randomizer, counts)
        return symbolic  # type: ignore[no-any-return]

    def privacy_profile(
        self,
        *,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        limit: int = DEFAULT_LIMIT,
        user_class: int | None = None,
    ) -> PrivacyProfile:
        """Return the profile over all neighbouring data sets, both orders.

        Of a randomizer with parameters it is a ``symbolic.SymbolicProfile``: delta is a formula for the whole box.

        Args:
            neighbors: with ADD_OR_REMOVE_ONE the larger data set has n users and the smaller n - 1. If every user sends
                the same number of messages, the total gives the smaller one away and delta is 1 for every eps: the
                profile's engine is then "disjoint views".
            limit: most pairs times outcomes, after reduction, up to which all data sets are scanned exactly. Beyond,
                the answer lies between two proved ends; with ADD_OR_REMOVE_ONE, where there are none, it is a
                TooLargeError. It counts outcomes, not their digits: long denominators cost more for each.
            user_class: of classes of users the class, from 0, of the user who differs; by default the worst.

        Cost: of each question to the profile, O(pairs times outcomes) words; see benchmarks/README.md.
        """
        read_user_class(user_class, 1)
        if not isinstance(self.randomizer, UserRandomizer):
            from exactdp.symbolic.symbolic_profiles import SymbolicProfile

            symbolic: Any = SymbolicProfile(self.randomizer, self.n, read_neighbors(neighbors))
            return symbolic  # type: ignore[no-any-return]
        if not isinstance(self.users, int):
            if read_neighbors(neighbors) is not Neighbors.REPLACE_ONE:
                raise InvalidValueError(
                    f"neighbors={neighbors.value} is not defined where n is random: who is not there is not told from "
                    "who stays away. Pass Neighbors.REPLACE_ONE."
                )
            return PrivacyProfile(RandomUsersPairs(self.numeric_randomizer, self.users, _limit(limit)))
        if self.is_listed and read_neighbors(neighbors) is not Neighbors.REPLACE_ONE:
            raise InvalidValueError(
                f"neighbors={neighbors.value} gives one more user away wherever he is listed: delta is "
                f"{short(self.participation)} at every eps. Pass Neighbors.REPLACE_ONE."
            )
        try:
            return PrivacyProfile(self._pairs(read_neighbors(neighbors), _limit(limit)))
        except ScanTooLargeError as error:
            hope = f"pass limit={error.work}, or " if error.work <= _HOPELESS else ""
            repair = f"Else {hope}ask for one pair: pair_profile(first, second)."
            raise ScanTooLargeError(error.plain, error.work, error.largest_n, repair) from None

    def _pairs(self, neighbors: Neighbors, limit: int) -> Source:
        if not self.may_be_away:
            return ShufflePairs(self.numeric_randomizer, self.n, neighbors, limit)
        from exactdp.privacy.planner import AbsentPairs, ListedPairs

        words = self.absence_words
        if self.is_listed:
            assert isinstance(self.randomizer, UserRandomizer)
            return ListedPairs(self.randomizer, self.n, self.participation, words, limit)
        return AbsentPairs(self.numeric_randomizer, self.n, neighbors, limit, words)

    def pair_profile(self, first: DataSetLike, second: DataSetLike) -> PrivacyProfile:
        """Return the profile of one pair of data sets that differ in one user, both orders; for sizes beyond a scan.

        One of the data sets has n users, the other n (one replaced) or n - 1 (one removed).

        Raises:
            InvalidDataSetError: where the data sets are not neighbours of this protocol.
            TooLargeError: where the engine for this pair cannot reach the size.

        Cost: of each question 40 ms for binary randomized response of 10^4 users, 3 s for 3-ary of 5000 and 0.25 s for
        4-ary of 200 with all others on one input.
        """
        both = tuple(histogram(dataset, self.randomizer.inputs) for dataset in (first, second))
        if max(map(sum, both)) != self.n:
            raise InvalidDataSetError(
                f"the larger data set has {short(max(map(sum, both)))} users, but the protocol has n={short(self.n)}. "
                "Give one input for each user."
            )
        if not self.may_be_away:
            return PrivacyProfile(OneShufflePair(self.tabulated, both[0], both[1]))
        if self.is_listed:
            raise InvalidValueError(
                "of one pair of data sets nothing is known where who takes part is public. Ask privacy_profile() for "
                "all pairs."
            )
        from exactdp.privacy.planner import OneAbsentPair

        return PrivacyProfile(OneAbsentPair(self.tabulated, both[0], both[1], self.absence_words))

    def estimate(self, counts: Sequence[int] | Mapping[Any, int]) -> Fraction:
        """Return the analyzer's estimate from message counts: message -> count, or in the order of the alphabet."""
        if self.analyzer is None:
            raise InvalidValueError("this protocol has no analyzer. Pass ShuffleProtocol(..., analyzer=Analyzer(...)).")
        alphabet = (self.tabulated if isinstance(self.randomizer, UserRandomizer) else self.randomizer).alphabet
        if not isinstance(counts, Mapping):
            counts = _listed(counts)
            if not isinstance(counts, Sequence):
                raise InvalidValueError(
                    f"counts has the type {type(counts).__name__}. "
                    "Give message -> count, or one count for each message."
                )
            if len(counts) != len(alphabet):
                raise InvalidValueError(
                    f"counts has {len(counts)} entries for an alphabet of {len(alphabet)} messages. Give one for each."
                )
            counts = dict(zip(alphabet, counts, strict=True))
        if unknown := [message for message in counts if message not in alphabet]:
            raise InvalidValueError(f"counts names the unknown message {unknown[0]!r}. The messages are {alphabet!r}.")
        return self.analyzer.estimate(counts)

    def communication(self) -> Communication:
        """Return what one user sends: that of the randomizer."""
        return self.numeric_randomizer.communication()

    def estimate_law(self, dataset: DataSetLike) -> Law:
        """Return the exact law of the analyzer's estimate; cost as :meth:`law`.

        The law of the error is ``estimate_law(dataset).map(lambda estimate: abs(estimate - truth))``.
        """
        return self.law(dataset).map(self.estimate)

    @property
    def parts(self) -> tuple[ShuffleProtocol, ...]:
        """The protocols of the questions of a ``Product``, each as if users were asked nothing else; else none.

        What is seen of a question depends on the entries and the answers of that question alone: its estimate, as
        ``FrequencyEstimate``, its error and its draws are those of its part.

        >>> from exactdp.randomizers import KAryResponse, Product
        >>> both = ShuffleProtocol(Product(KAryResponse(20, exp_eps0=7), KAryResponse(5, exp_eps0=3)), 100)
        >>> [part.accuracy("1/20") for part in both.parts], both.accuracy("1/20")
        ([Fraction(39, 1), Fraction(35, 1)], Fraction(39, 1))
        """
        family = self.numeric_randomizer.family
        return () if family is None else tuple(ShuffleProtocol(part, self.users) for part in family.parts)

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the optimal accuracy of the unbiased estimate of the holders of an input, or of the analyzer's.

        The estimate of a family is its own, that of a table least squares (:mod:`exactdp.mechanisms.linear_estimate`).
        Of a product it is the largest of those of its questions: each errs by more with probability at most beta. Of a
        randomizer of a number it is the error of the sum. Where users may be away, holders are counted among all n
        (:mod:`exactdp.mechanisms.absence_family`).
        """
        failure, randomizer = as_probability(beta, name="beta"), self.numeric_randomizer
        family = randomizer.family if self.analyzer is None else None
        if simultaneous and not self.estimates_several:
            raise InvalidValueError("simultaneous=True is about estimates without an analyzer. Leave it out.")
        is_known = self.analyzer is not None or (family is not None and family.support_chances is not None)
        if self.is_listed or (self.may_be_away and not is_known):
            raise InvalidValueError(
                f"participation={short(self.participation)}: what an estimate misses where users may be away is not "
                "known for all data sets. Ask estimate_law(dataset), or pass participation=1."
            )
        if family is not None and family.estimate_sizes is not None:
            from exactdp.protocols.accuracy.number_sums import NumberSum

            return NumberSum(family, self.n).error(beta=failure)
        if self.analyzer is None:
            from exactdp.protocols.accuracy.frequency_errors import frequency_error

            return exact_answer(frequency_error(randomizer, self.n, failure, simultaneous=simultaneous).alpha)
        from exactdp.protocols.accuracy.response import CountModel, response_accuracy

        return exact_answer(response_accuracy(CountModel.read(randomizer, self.n, self.analyzer), failure))

    @property
    def estimates_several(self) -> bool:
        """Whether the holders of each input are estimated: without an analyzer, unless the input is a number."""
        randomizer = self.randomizer
        if self.analyzer is not None or not isinstance(randomizer, UserRandomizer):
            return False
        return randomizer.family is None or randomizer.family.estimate_sizes is None

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: how many users of each input send what."""
        from exactdp.protocols.sampling.views import shuffled_plan

        return shuffled_plan(self.numeric_randomizer, dataset, self.n)

    @property
    def local_epsilon(self) -> LogRational | Real:
        """The eps0 of the randomizer alone, without the shuffler."""
        return self.numeric_randomizer.local_epsilon()

    @property
    def records(self) -> Sequence[Any]:
        """What a user can hold: the inputs of the table, or of a family that is none."""
        return self.numeric_randomizer.inputs

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The messages, in the order of their counts."""
        return self.tabulated.alphabet

    @property
    def table(self) -> Randomizer | None:
        """What a user sends, where it is a table of numbers and all that is seen."""
        if not isinstance(self.randomizer, Randomizer) or self.is_listed:
            return None
        return self.numeric_randomizer.tabulated

    def of_each_user(self) -> tuple[Randomizer, int]:
        """Return the table that each user runs, and the number of users."""
        randomizer = self.numeric_randomizer
        if isinstance(randomizer, Randomizer):
            return randomizer, self.n
        raise InvalidValueError(
            f"protocol has the randomizer {self.randomizer!r}, whose messages are not listed. Use sample, or pass "
            "the table of a small one: ShuffleProtocol(family.table(), n)."
        )

    def savings(self, found: Calibrated) -> Savings:
        """Return the noise and the error of a calibrated randomizer, of which no theorem is compared."""
        from exactdp.protocols.saving import Saving, Savings, least_error, root

        if found.name == "dummies":
            return Protocol.savings(self, found)
        flip, n = found.parameter, self.n
        rows = [Saving(found.name, None, flip)]
        if found.name == "flip" and self.analyzer is not None:
            deviation = root(n * flip * (1 - flip) / (1 - 2 * flip) ** 2)
            rows += [
                Saving("standard deviation", None, deviation),
                Saving("alpha", None, least_error(self, found.beta)),
            ]
        return Savings(tuple(rows), "no theorem is compared for a shuffled randomizer.")

    @property
    def statement(self) -> Statement | None:
        """A claim states the randomizer and n; of users who may be away it needs a table that is all they show."""
        if self.may_be_away and self.table is None:
            return None
        return Statement("shuffle_dp", {"protocol": self})


def _set_state(protocol: ShuffleProtocol, state: Sequence[Any]) -> None:
    """Restore a protocol from its fields, of which 0.2.0 had three: then everybody takes part."""
    names = ShuffleProtocol.__dataclass_fields__
    set_fields(protocol, **dict(zip(names, [*state, Fraction(1), COUNTED, None], strict=False)))


ShuffleProtocol.__setstate__ = _set_state  # type: ignore[attr-defined]  # over that of the dataclass


@dataclass(frozen=True, slots=True, init=False)
class AdditiveProtocol(Protocol):
    """The view is a true count plus independent noise, for each bin.

    Args:
        noise: the law of the noise, on integers: a finite ``Law``, or a lattice law of any size.
        shift: the largest change of the count when one user's data changes, at least 1; with several bins it is 1.
        bins: number of bins, at most 10^12; with one bin a record is an integer 0, ..., shift that is added to the
            count, with several it is the bin 0, ..., bins - 1 that it falls into.
        n: number of users where the noise depends on it, else None.
        analyzer: turns one noisy count, its message 0, into an estimate; with several bins, each bin's in turn.

    >>> from exactdp.laws import Binomial
    >>> AdditiveProtocol(Binomial(2, "1/2")).privacy_profile().delta(exp_eps=1)
    Fraction(1, 2)
    """

    is_noisy_count = True

    noise: Law | LatticeLaw
    shift: int
    bins: int
    n: int | None
    analyzer: Analyzer | None

    def __init__(
        self,
        noise: Law | LatticeLaw,
        *,
        shift: int = 1,
        bins: int = 1,
        n: int | None = None,
        analyzer: Analyzer | None = None,
    ) -> None:
        from exactdp.laws.laplace import Laplace

        if isinstance(noise, Laplace):
            raise InvalidLawError(
                f"noise={noise!r} is continuous, and a protocol of counts shows integers. Ask shift_profile(noise, "
                "shift=sensitivity) for its privacy, or pass discrete noise: noise.on_grid(1)."
            )
        if not isinstance(noise, Law | LatticeLaw):  # what is passed may be anything
            raise InvalidLawError(
                f"noise has the type {type(noise).__name__}. Pass a Law on integers, or Binomial, Poisson, ..."
            )
        if not noise.is_on_integers:
            raise InvalidLawError("noise has outcomes that are not ints. Map it to ints: law.map(f).")
        set_fields(
            self,
            noise=noise,
            shift=as_integer(shift, name="shift", at_least=1),
            bins=as_integer(bins, name="bins", at_least=1),
            n=None if n is None else as_integer(n, name="n", at_least=1),
            analyzer=_analyzer(analyzer),
        )
        if self.shift > _MAX_RECORDS:
            raise TooLargeError(f"shift={short(self.shift)} is more than the limit of {_MAX_RECORDS}. Use less.")
        if self.bins > _MAX_BINS:
            raise TooLargeError(f"bins={short(self.bins)} is more than the limit of {_MAX_BINS}. Use fewer.")
        if self.bins > 1 and self.shift > 1:
            raise InvalidValueError(
                f"shift={self.shift} with bins={self.bins}. With several bins a record counts once: shift=1."
            )

    @property
    def records(self) -> tuple[int, ...]:
        """What a user's record can be; TooLargeError for more than 10^6 bins, which are not listed."""
        if self.bins > _MAX_RECORDS:
            raise TooLargeError(
                f"the records of bins={self.bins} are not listed, {_MAX_RECORDS} is the limit. Ask for privacy, "
                "estimates and accuracy, which need no list, or use fewer bins."
            )
        return tuple(range(self.shift + 1 if self.bins == 1 else self.bins))

    @property
    def alphabet(self) -> range:
        """The bins, in the order of their counts."""
        return range(self.bins)

    def law(self, dataset: DataSetLike) -> Law:
        """Return the exact law of the view: an int for one bin, a tuple of ints for several."""
        counts = histogram(dataset, self.records, users=self.n)
        noise = self.noise.law()
        if self.bins == 1:
            total = sum(record * count for record, count in zip(self.records, counts, strict=True))
            return noise.map(lambda t: t + total)
        bins = min(self.bins, _MAX_JOINT_OUTCOMES.bit_length())  # two outcomes in each of so many are too many
        if len(noise) ** bins > _MAX_JOINT_OUTCOMES:
            raise TooLargeError(
                f"the joint law of bins={self.bins} has {len(noise)}^{self.bins} outcomes, more than the limit of "
                f"{_MAX_JOINT_OUTCOMES}. The bins are independent: ask for one bin."
            )
        weights = {
            tuple(count + t for count, (t, _) in zip(counts, outcome, strict=True)): prod(w for _, w in outcome)
            for outcome in product(noise.weights.items(), repeat=self.bins)
        }
        return Law.from_weights(weights, noise.total**self.bins)

    def privacy_profile(
        self, *, neighbors: Neighbors = Neighbors.REPLACE_ONE, limit: int = DEFAULT_LIMIT
    ) -> PrivacyProfile:
        """Return the profile over all neighbouring data sets, both orders: the noise against the noise shifted.

        With several bins a replaced record moves two bins, one up and one down, and the two are judged together; an
        added or removed record moves one. ADD_OR_REMOVE_ONE is refused where the noise depends on n.
        """
        if read_neighbors(neighbors) is Neighbors.ADD_OR_REMOVE_ONE and self.n is not None:
            raise InvalidValueError(
                f"neighbors={neighbors.value} is not defined here: the noise belongs to n={self.n} users. "
                "Use the ShuffleProtocol of the randomizer, where a user leaves with his noise."
            )
        return PrivacyProfile(AdditivePairs(self.noise, self.shift, self.bins, self.n or 1, neighbors, _limit(limit)))

    def estimate(self, counts: int | Sequence[int]) -> Fraction | tuple[Fraction, ...]:
        """Return the analyzer's estimate from the noisy count; with several bins a tuple, an estimate for each bin.

        The analyzer reads one count, as its message 0: with several bins, that of each bin in turn.
        """
        if self.analyzer is None:
            raise InvalidValueError(
                "this protocol has no analyzer. Pass AdditiveProtocol(..., analyzer=Analyzer(...))."
            )
        counts = _listed(counts)
        if not isinstance(counts, int | Sequence):
            raise InvalidValueError(f"counts has the type {type(counts).__name__}. Give an int for each bin.")
        values = (counts,) if isinstance(counts, int) else tuple(counts)
        if len(values) != self.bins:
            raise InvalidValueError(f"counts has {len(values)} entries for bins={self.bins}. Give one for each bin.")
        if unknown := [message for message, _ in self.analyzer.weights if message != 0]:
            raise InvalidValueError(
                f"the analyzer has a weight for {unknown[0]!r}, but it reads one count, the message 0. "
                "Pass Analyzer({0: weight})."
            )
        estimates = tuple(self.analyzer.estimate({0: value}, signed=True) for value in values)
        return estimates[0] if self.bins == 1 else estimates

    def communication(self) -> Communication:
        """Return what one user sends where the noise is made by the users, in equal independent shares.

        A message is one unit of a count, of as many kinds as there are bins. A user sends his record, up to ``shift``
        messages, and his share of the noise of each bin: a coin where the noise is Bin(n, p), as of zsum and the
        histogram; NB(r/n, p) or Poisson(mu/n), which have no largest value.

        Raises:
            InvalidValueError: where the noise belongs to no number of users, so that a curator adds it, and for laws
                whose shares are not known.

        >>> from exactdp.laws import Binomial
        >>> AdditiveProtocol(Binomial(100, "3/4"), n=100).communication()
        Communication(messages=Fraction(7, 4), most=2, symbols=1)
        """
        if self.n is None:
            raise InvalidValueError(
                f"the noise {short(repr(self.noise))} belongs to no number of users: a curator adds it, and users send "
                "their records. Pass n=... where the users make it."
            )
        if self.noise.lattice is None or not self.noise.lattice.is_shared_by(self.n):
            raise InvalidValueError(
                f"how {short(self.n)} users make the noise {short(repr(self.noise))} is not known. Ask for "
                "Binomial(n, p), NegativeBinomial, Geometric or Poisson, or the ShuffleProtocol of the randomizer."
            )
        low, high = (self.shift + self.bins * end / self.n for end in fraction_ends(self.noise.mean))
        mean = exact_answer(low) if low == high else Interval.between(low, high, bits=DEFAULT_RELATIVE_BITS)
        last = self.noise.lattice.high
        return Communication(mean, None if last is None else self.shift + self.bins * last // self.n, self.bins)

    def estimate_law(self, dataset: DataSetLike) -> Law:
        """Return the exact law of the analyzer's estimate, a tuple for several bins; cost as :meth:`law`.

        The law of the error is ``estimate_law(dataset).map(lambda estimate: abs(estimate - truth))``.

        >>> from exactdp import protocols
        >>> zsum = protocols.zsum(4, gamma="1/2")
        >>> zsum.estimate_law([0, 0, 1, 1]).map(lambda mean: abs(mean - Fraction(1, 2))).prob(0)
        Fraction(0, 1)
        """
        return self.law(dataset).map(self.estimate)

    @property
    def estimates_several(self) -> bool:
        """Whether it is a histogram, whose bins are estimated as zsum's count is."""
        return self.bins > 1 and self._silent is not None

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the optimal accuracy of each bin, or of all bins together."""
        from exactdp.laws.law_balls import check_searchable
        from exactdp.protocols.accuracy.optimal import histogram_optimum, noisy_count_accuracy, zsum_optimum

        failure, silent = as_probability(beta, name="beta"), self._silent
        if self.noise.lattice is not None:
            check_searchable(self.noise.lattice.enclosed)
        if silent is None:
            return exact_answer(noisy_count_accuracy(self.noise, self.analyzer, failure))
        if not simultaneous:
            return exact_answer(zsum_optimum(silent.n, silent.p, failure))
        return exact_answer(histogram_optimum(silent.n, self.bins, silent.p, failure))

    @property
    def _silent(self) -> Binomial | None:
        """The law of the number of silent users where each bin is zsum's count and estimate, else None."""
        from exactdp.laws.binomial import Binomial

        noise, analyzer, n = self.noise, self.analyzer, self.n
        if analyzer is None or n is None or self.shift != 1 or not -1 <= analyzer.offset <= 0:
            return None
        reads_mean = analyzer.weights == ((0, Fraction(1, n)),) and analyzer.zero_unless_above == 1
        return Binomial(n, 1 + analyzer.offset) if reads_mean and noise == Binomial(n, -analyzer.offset) else None

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: the noise of each bin."""
        from exactdp.protocols.sampling.views import NoisyCounts, total_of, user_counts

        counts = user_counts(dataset, self.records, self.n)
        return NoisyCounts.of(self.noise, total_of(counts) if self.bins == 1 else counts, nearest=nearest)

    def savings(self, found: Calibrated) -> Savings:
        """Return calibrated noise by its mean and spread; which theorem is compared depends on what made it."""
        from exactdp.protocols.saving import Saving, Savings, root

        if self.bins > 1:
            return Protocol.savings(self, found)
        if (law := self.noise.lattice) is None:
            return Savings.without_theorem(found, "no theorem is compared for a finite noise law.")
        rows = (
            Saving(found.name, None, found.parameter),
            Saving("mean", None, law.mean),
            Saving("standard deviation", None, root(law.variance)),
        )
        return Savings(rows, "no theorem is compared for this noise.")

    @property
    def statement(self) -> Statement | None:
        """A claim states the noise of one bin, and by how much a user moves the count."""
        return Statement("shift_dp", {"law": self.noise, "shift": self.shift}) if self.bins == 1 else None


def shift_profile(law: Law | LatticeLaw | Laplace, *, shift: Exact = 1) -> PrivacyProfile:
    """Return the profile of a query of sensitivity ``shift`` plus noise: the noise against the noise shifted.

    The larger of the two orders, for the worst shift up to ``shift`` (for every lattice law, and for the continuous
    Laplace law, that is the largest).

    Args:
        law: of the noise: a finite Law on integers or a lattice law of any size for an integer query, or the continuous
            ``Laplace`` law for a real one.
        shift: the sensitivity: an integer of at least 1, or of a real query an exact number above 0.

    >>> from exactdp.laws import Binomial, Geometric, Laplace
    >>> shift_profile(Binomial(10**9, "1/1000")).delta(eps="1/100"), shift_profile(Geometric("1/2")).delta(exp_eps=4)
    (Interval[1.1..., 1.1...], Fraction(1, 2))
    >>> shift_profile(Laplace(2), shift="1/2").epsilon("1/100")
    Interval[0.2298993282, 0.2298993283]

    Cost: 5 ms for an enclosed delta of binomial noise of any size.
    """
    from exactdp.laws.laplace import Laplace

    if isinstance(law, Laplace):
        from exactdp.privacy.planner import LaplacePairs

        sensitivity = as_fraction(shift, name="shift")
        if sensitivity <= 0:
            raise InvalidValueError(f"shift={short(sensitivity)} is not above 0. Pass the sensitivity of the query.")
        return PrivacyProfile(LaplacePairs(law, sensitivity))
    return AdditiveProtocol(law, shift=as_integer(shift, name="shift", at_least=1)).privacy_profile()


def read_user_class(user_class: object, classes: int) -> int | None:
    """Return a class of users, None for the worst, or refuse it."""
    if user_class is None:
        return None
    place = as_integer(user_class, name="user_class", at_least=0)
    if place >= classes:
        raise InvalidValueError(
            f"user_class={short(place)} is none of the {classes} class{'es' if classes > 1 else ''} of users, which "
            f"count from 0. Pass {'0' if classes == 1 else f'0 to {classes - 1}'}, or None for the worst."
        )
    return place


def _has_parameters(randomizer: object) -> bool:
    """Whether a randomizer's table is one of functions of parameters; what is none of numbers is asked."""
    from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

    return isinstance(randomizer, SymbolicRandomizer)


def _absence(randomizer: Any, users: object, participation: Exact, way: object, dummy: Any) -> Absence:
    """Return who may be away, or refuse it beside a random n and parameters."""
    if isinstance(randomizer, UserRandomizer):
        away = Absence.read(randomizer, participation, way, dummy)
        if away.participation == 1 or isinstance(users, int):
            return away
        raise InvalidValueError(
            f"participation={short(away.participation)} with a random n, {short(repr(users))}. Pass one number of "
            "users who may be away, or a law of those who take part beside the one who differs."
        )
    if as_fraction(participation, name="participation") != 1 or dummy is not None:
        raise InvalidValueError(
            "participation is not asked of a randomizer with parameters. Take one point of it: randomizer.at(...)."
        )
    return Absence(Fraction(1), COUNTED, None)


def _users_law(law: Law | LatticeLaw) -> int | Law | LatticeLaw:
    """Return the law of the number of users, or the one number that it gives."""
    if not law.is_on_integers:
        raise InvalidLawError("n has outcomes that are not ints. Pass a Law on numbers of users.")
    least = min(law.support) if isinstance(law, Law) else law.low
    most = max(law.support) if isinstance(law, Law) else law.high
    if least is None or least < 0:
        raise InvalidLawError(f"n={short(repr(law))} has outcomes below 0. Pass a law of a number of users.")
    if most == 0:
        raise InvalidLawError(f"n={short(repr(law))} is always 0. Pass a law of a number of users.")
    return int(least) if least == most else law


def _listed(counts: Any) -> Any:
    """Return an array of counts, as ``sample`` draws them, as a list; everything else as it is."""
    return counts.tolist() if hasattr(counts, "tolist") else counts


def _analyzer(analyzer: object) -> Analyzer | None:
    if analyzer is not None and not isinstance(analyzer, Analyzer):
        raise InvalidValueError(f"analyzer has the type {type(analyzer).__name__}. Pass Analyzer({{message: weight}}).")
    return analyzer


def _limit(limit: object) -> int:
    return as_integer(limit, name="limit", at_least=1)
