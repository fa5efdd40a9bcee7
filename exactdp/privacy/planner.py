"""The planner: from a definition to the engine that serves it, by the structure of the table and never by a name.

The pairwise scan is loaded with the planner. Every other way to compute is loaded where it is chosen, so that a
question about a small table waits for none of them.

Pairs of data sets of users who may be away
-------------------------------------------

Counted and hidden users run another randomizer, of :mod:`exactdp.mechanisms.absence_family`, for which every engine
plans as for any; what is listed has an engine of its own. Each says in its own text which model it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from math import comb
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Final

from exactdp.errors import TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.dataset import Neighbors, labelled
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.formats import about, short
from exactdp.privacy.engine import DataSet, Engine, Shift, WorstEvent
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT, DisjointViews, PairwiseScan, messages_of_every_user
from exactdp.privacy.shuffle.structure import Structure, count_laws, twin_classes

if TYPE_CHECKING:
    from exactdp.laws.laplace import Laplace
    from exactdp.privacy.amplification.amplification import Amplification
    from exactdp.privacy.amplification.input_pairs import InputPairs
    from exactdp.privacy.shuffle.listed_users import ListedUsers
    from exactdp.privacy.shuffle.random_users import RandomUsers
    from exactdp.privacy.two_messages.two_messages import TwoMessageScan

_TWO_MESSAGES_FROM: Final = 200
"""From so many users on the engine for two messages is faster than the pairwise scan."""

_TWO_MESSAGES_BITS: Final = 2**11
"""Probabilities with longer denominators stay with the pairwise scan: exact eps of thousands of users takes minutes."""

_SMALL_TABLE: Final = 64
"""Most entries, inputs times messages, of a table that is planned anew for each of many numbers of users."""

_QUICK_STEPS: Final = 10**6
"""Most pairs times outcomes of one of many exact scans."""

_PLANS_KEPT: Final = 64
"""Most engines that are kept, with what they have computed."""


class Source(ABC):
    """A definition of which pairs a profile is about."""

    __slots__ = ()

    attained_by_one: ClassVar[str] = ""
    """The real pair, in words, that attains the profile everywhere, in either order; empty where none is known."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for."""

    @property
    @abstractmethod
    def subject(self) -> str:
        """What is run, in words."""

    @property
    @abstractmethod
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""

    @property
    def mixes_inputs(self) -> bool:
        """Whether the planner may have left out inputs that are mixtures of others."""
        return False

    @property
    def checkable(self) -> Source:
        """The same definition, with upper ends of the forms that certificates state."""
        return self

    @property
    def by_blankets(self) -> Source:
        """The same definition, with no upper end that is better than the bound by blankets."""
        return self

    def pair(self, event: WorstEvent) -> Source | None:
        """Return the pair of data sets of an event as a source of its own, where comparing all pairs is dear."""
        return None

    def shown(self, first: DataSet, second: DataSet) -> tuple[Any, Any]:
        """Return a pair of data sets as an answer shows it: input -> number of users."""
        return labelled(first, self.inputs), labelled(second, self.inputs)

    def amplifications(self) -> tuple[Amplification, ...]:
        """Return engines that know data sets whose other users all hold one input, whatever is planned.

        Raises:
            TooLargeError: where one is beyond its limit.
        """
        return ()

    @abstractmethod
    def plan(self) -> Engine:
        """Choose the engine; TooLargeError where its work is beyond its limit."""


def inputs_of(randomizer: UserRandomizer, users: int) -> tuple[Any, ...]:
    """Return the inputs of data sets of so many users: of a family with too many inputs, those that matter."""
    table = randomizer.listed(users)
    return input_pairs(randomizer, users).labels if table is None else table.inputs


def shuffled_users(randomizer: UserRandomizer, users: int) -> str:
    table = f"inputs: {randomizer.input_space}, messages: {randomizer.message_space[0]}"
    return f"a shuffled randomizer ({table}), n = {users} users who follow it"


class ViewPairs(Source):
    """Which pairs of data sets of a shuffled randomizer a profile is about."""

    __slots__ = ()

    @property
    @abstractmethod
    def table(self) -> Randomizer:
        """The randomizer as a table; TooLargeError where it has none."""

    @abstractmethod
    def few_pairs(self, most: int, most_outcomes: int) -> Iterable[tuple[DataSet, DataSet]] | None:
        """Return the pairs, each in one order; None where they, or their outcomes together, are too many."""


@dataclass(frozen=True, slots=True)
class ShufflePairs(ViewPairs):
    """All neighbouring data sets of a shuffled randomizer."""

    randomizer: UserRandomizer
    users: int
    neighbors: Neighbors
    limit: int = DEFAULT_LIMIT

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return shuffled_users(self.randomizer, self.users)

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"all {self.neighbors.value} pairs of data sets, both orders"

    @property
    def mixes_inputs(self) -> bool:
        """Whether there are more than two inputs."""
        return len(self.inputs) > 2

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for."""
        return inputs_of(self.randomizer, self.users)

    def pair(self, event: WorstEvent) -> OneShufflePair | None:
        """Return the pair of data sets of an event as a source of its own, where comparing all pairs is dear."""
        scans = engine_of(self).scans_all_pairs
        return OneShufflePair(self.table, event.first, event.second) if scans else None

    @property
    def table(self) -> Randomizer:
        """The randomizer as a table; TooLargeError where it has none."""
        return self.randomizer.tabulated

    @property
    def ordered_pairs(self) -> int:
        """The number of ordered pairs of neighbouring data sets."""
        inputs = len(self.inputs)
        bystanders = comb(self.users + inputs - 2, inputs - 1)
        return bystanders * (inputs * (inputs - 1) if self.neighbors is Neighbors.REPLACE_ONE else 2 * inputs)

    @property
    def outcomes(self) -> int:
        """A bound of the outcomes of one data set."""
        messages = len(self.table.alphabet)
        if (sent := messages_of_every_user(self.table)) is not None:
            return comb(sent * self.users + messages - 1, messages - 1)
        most = max(len(send) for row in self.table.rows for send, _ in row)
        return comb(most * self.users + messages, messages)

    def few_pairs(self, most: int, most_outcomes: int) -> Iterable[tuple[DataSet, DataSet]] | None:
        """Return all pairs, each in one order; None where they, or their outcomes together, are too many."""
        if engine_of(self).is_bracket:
            return None
        ordered = self.ordered_pairs
        return self.all_pairs() if ordered <= most and self.outcomes * ordered <= most_outcomes else None

    def all_pairs(self) -> Iterator[tuple[DataSet, DataSet]]:
        """Yield all pairs of neighbouring data sets, each in one order."""
        inputs = range(len(self.inputs))
        for others in combinations_with_replacement(inputs, self.users - 1):
            common = tuple(map(others.count, inputs))
            one_more = [tuple(c + (i == j) for j, c in enumerate(common)) for i in inputs]
            if self.neighbors is Neighbors.REPLACE_ONE:
                yield from combinations(one_more, 2)
            else:
                yield from ((more, common) for more in one_more)

    def plan(self) -> Engine:
        """Choose the engine: exact ones where they reach, then the bracket."""
        table = self.randomizer.listed(self.users)
        replaces = self.neighbors is Neighbors.REPLACE_ONE
        if table is None:
            return self.amplification() if replaces else self._disjoint()
        if not replaces and messages_of_every_user(table):
            return self._disjoint()
        try:
            structure = Structure.of(table, self.neighbors)
            if (shifts := _coin_shifts(structure, self.users)) is not None:
                return shifts
            return _two_messages(structure, self.users) or PairwiseScan(structure, self.users, self.limit)
        except TooLargeError:
            if not replaces:
                raise
            return self.amplification()

    def amplifications(self) -> tuple[Amplification, ...]:
        """Return the engine of both ends, where users replace their input."""
        return (self.amplification(),) if self.neighbors is Neighbors.REPLACE_ONE else ()

    def amplification(self) -> Amplification:
        """Return the engine of both ends, which reaches any number of users who replace their input."""
        from exactdp.privacy.amplification.amplification import Amplification

        return Amplification(input_pairs(self.randomizer, self.users), self.users)

    @property
    def checkable(self) -> ShufflePairs:
        """The same pairs, with the upper ends that certificates state where they are only bounded."""
        if not engine_of(self).is_bracket:
            return self
        return CheckableShufflePairs(self.randomizer, self.users, self.neighbors, self.limit)

    @property
    def by_blankets(self) -> ShufflePairs:
        """The same pairs, with the upper ends by blankets where they are only bounded."""
        if not engine_of(self).is_bracket:
            return self
        return CheckableShufflePairs(self.randomizer, self.users, self.neighbors, self.limit, only_blankets=True)

    def _disjoint(self) -> Engine:
        return DisjointViews(self.users, len(self.inputs))


@dataclass(frozen=True, slots=True)
class CheckableShufflePairs(ShufflePairs):
    """All neighbouring data sets of a shuffled randomizer, with upper ends that certificates state, or blankets."""

    only_blankets: bool = False

    def amplification(self) -> Amplification:
        """Return the engine of both ends, as certificates state them."""
        return replace(ShufflePairs.amplification(self), as_stated=True, by_blankets=self.only_blankets)


@dataclass(frozen=True, slots=True)
class RandomUsersPairs(Source):
    """All neighbouring data sets of a shuffled randomizer of which a random number of users takes part."""

    randomizer: UserRandomizer
    law: Law | LatticeLaw
    limit: int = DEFAULT_LIMIT

    scope = "all replace-one pairs of data sets, both orders, at every n"

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"{shuffled_users(self.randomizer, 1).partition(', n =')[0]}, n random by {short(repr(self.law))}"

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for."""
        return inputs_of(self.randomizer, 1)

    def exact_at(self, users: int) -> Engine | None:
        """Return the engine at one n if it is tight and a search takes milliseconds; else None."""
        table = self.randomizer.listed()
        if table is None or not _is_small(table):
            return None
        try:
            engine = engine_of(ShufflePairs(table, users, Neighbors.REPLACE_ONE, min(self.limit, _QUICK_STEPS)))
        except TooLargeError:
            return None
        return None if engine.is_bracket else engine

    def amplifications(self) -> tuple[Amplification, ...]:
        """Return the engine that knows data sets whose other users all hold one input, where there is one."""
        from exactdp.privacy.shuffle.many_random_users import SureUsers

        sure = SureUsers.of(self.randomizer, self.law)
        return () if sure is None else (sure,)

    def plan(self) -> RandomUsers:
        """Choose the engine."""
        from exactdp.privacy.shuffle.many_random_users import ManyRandomUsers
        from exactdp.privacy.shuffle.random_users import RandomUsers

        table = self.randomizer.listed()
        twins = twin_classes(count_laws(table)[0]) if table is not None and _is_small(table) else ()
        cells = RandomUsers(input_pairs(self.randomizer), self.law, self.exact_at, twins)
        return ManyRandomUsers.of(cells, self.randomizer)


@dataclass(frozen=True, slots=True)
class OneShufflePair(ViewPairs):
    """One pair of neighbouring data sets of a shuffled randomizer."""

    randomizer: Randomizer
    first: DataSet
    second: DataSet

    scope = "one pair of data sets, both orders"

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return shuffled_users(self.randomizer, max(sum(self.first), sum(self.second)))

    @property
    def table(self) -> Randomizer:
        """The randomizer."""
        return self.randomizer

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for."""
        return self.randomizer.inputs

    def few_pairs(self, most: int, most_outcomes: int) -> Iterable[tuple[DataSet, DataSet]]:
        """Return the pair."""
        return [(self.first, self.second)]

    def plan(self) -> Engine:
        """Choose the engine."""
        from exactdp.privacy.shuffle.pair import OnePair

        return OnePair(self.randomizer, self.first, self.second)


@dataclass(frozen=True, slots=True)
class AdditivePairs(Source):
    """All neighbouring data sets of counts plus noise; ``users`` is only for showing them."""

    noise: Law | LatticeLaw
    shift: int
    bins: int
    users: int
    neighbors: Neighbors
    limit: int = DEFAULT_LIMIT

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"{f'{self.bins} counts' if self.bins > 1 else 'a count'} plus {short(repr(self.noise))}"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        sensitivity = f", sensitivity {self.shift}" if self.bins == 1 else ""
        return f"all {self.neighbors.value} pairs of data sets{sensitivity}, both orders"

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for: the contribution to the count, or the two bins that change."""
        return tuple(range(self.shift + 1 if self.bins == 1 else 2))

    def plan(self) -> Engine:
        """Choose the engine."""
        if self.bins > 1 and self.neighbors is Neighbors.REPLACE_ONE:
            from exactdp.privacy.noise.two_bins import FiniteJointShift, LatticeJointShift

            if (law := _lattice(self.noise)) is not None:
                return LatticeJointShift(law, self._data_set(0), self._data_set(1))
            return FiniteJointShift(_finite(self.noise), self._data_set(0), self._data_set(1), self.limit)
        if self.bins > 1:  # one bin changes by one user
            return _one_count(self.noise, (Shift(1, self._data_set(None), self._data_set(0)),))
        before = 0 if self.neighbors is Neighbors.REPLACE_ONE else None
        changes = range(self.shift if self.noise.largest_shift_is_worst else self._least_shift(), self.shift + 1)
        return _one_count(self.noise, tuple(Shift(by, self._data_set(before), self._data_set(by)) for by in changes))

    def _least_shift(self) -> int:
        """Return 1 where all shifts are compared; refuse so many that this takes too long."""
        outcomes = len(self.noise.law())
        if (steps := self.shift * (self.shift + outcomes)) > self.limit:
            raise TooLargeError(
                f"shift: {about(steps)} steps (shifts of {outcomes} outcomes), the limit is {about(self.limit)}. "
                "Use a smaller shift."
            )
        return 1

    def _data_set(self, own: int | None) -> DataSet:
        """All users but one contribute 0, or are in bin 0; the last one is ``own``, or not there."""
        counts = [0] * len(self.inputs)
        counts[0] += self.users - 1
        if own is not None:
            counts[own] += 1
        return tuple(counts)


@dataclass(frozen=True, slots=True)
class LaplacePairs(Source):
    """All neighbouring data sets of a real query of some sensitivity plus continuous Laplace noise."""

    noise: Laplace
    sensitivity: Fraction

    attained_by_one = "answers the sensitivity apart"

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"a real query plus {short(repr(self.noise))}"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"all answers at most {short(self.sensitivity)} apart, both orders"

    @property
    def inputs(self) -> tuple[Fraction, Fraction]:
        """What one user's data adds to the query: nothing, or the sensitivity."""
        return Fraction(0), self.sensitivity

    def plan(self) -> Engine:
        """Choose the engine."""
        from exactdp.privacy.noise.laplace_shift import laplace_shift

        return laplace_shift(self.noise.rate(self.sensitivity), self.noise.exp_rate(self.sensitivity))


def _is_small(table: Randomizer) -> bool:
    """Whether exact engines are asked at every n."""
    return len(table.inputs) * len(table.alphabet) <= _SMALL_TABLE


_PAIRS: Final = {
    "table": "exactdp.privacy.amplification.dummy_pairs:TableDummies.of",
    "classes": "exactdp.privacy.amplification.input_pairs:FamilyPairs",
    "every": "exactdp.privacy.amplification.input_pairs:EveryPairs",
    "almost every": "exactdp.privacy.amplification.approximate_pairs:ApproximatePairs",
    "dummies": "exactdp.privacy.amplification.dummy_pairs:FamilyDummies",
    "repetition": "exactdp.privacy.amplification.repeated_pairs:RepeatedPairs",
    "ranges": "exactdp.privacy.amplification.input_pairs:RangedPairs",
    "spreads": "exactdp.privacy.amplification.input_pairs:SpreadPairs",
}
"""What compares the inputs of what users run, by its ``pairs_by``: loaded when it is asked."""


def input_pairs(randomizer: UserRandomizer, users: int = 1) -> InputPairs:
    """Return the pairs of a table, or of a family: where these are too many, as fewer classes make them."""
    known = randomizer.listed(users) or randomizer
    pairs: InputPairs = resolve_name(_PAIRS[known.pairs_by])(known)
    return pairs


@lru_cache(maxsize=_PLANS_KEPT)
def engine_of(source: Source) -> Engine:
    """Return the engine of ``source``; TooLargeError where its work is beyond its limit."""
    return source.plan()


def _one_count(noise: Law | LatticeLaw, shifts: tuple[Shift, ...]) -> Engine:
    """Return the engine for a count plus noise; of lattice noise only the largest shift matters."""
    from exactdp.privacy.noise.lattice_shift import FiniteShifts, LatticeShift

    law = _lattice(noise)
    return FiniteShifts(_finite(noise), shifts) if law is None else LatticeShift(law, shifts[-1])


def _lattice(noise: Law | LatticeLaw) -> LatticeLaw | None:
    """Return noise that a formula gives and that has more than one outcome; None for all other noise."""
    return None if noise.lattice is None or noise.lattice.enclosed is None else noise.lattice


def _finite(noise: Law | LatticeLaw) -> Law:
    """Return noise that is a finite law or has a single outcome as a Law."""
    finite = noise.listed(0)
    assert finite is not None
    return finite


def _coin_shifts(structure: Structure, users: int) -> Engine | None:
    """Return the shift engine where every row is one coin plus a constant count: binary sums with binomial noise."""
    if structure.dimension != 1 or len(structure.bystanders) != 1 or structure.differing[-1][0] is None:
        return None
    _, coin = structure.bystanders[0]
    if coin.keys() != {(0,), (1,)} or len(structure.differing) < 2:
        return None
    from exactdp.laws.binomial import Binomial

    chance = Fraction(coin[(1,)], structure.denominator)
    constants = sorted((min(v[0] for v in law), i) for i, law in structure.differing if i is not None)
    (low, i), (high, j) = constants[0], constants[-1]
    widest = Shift(high - low, _all_but_one(structure, users, i, i), _all_but_one(structure, users, i, j))
    return _one_count(Binomial(users, chance), (widest,))


def _two_messages(structure: Structure, users: int) -> TwoMessageScan | None:
    """Return the engine for two messages where it fits and is the faster one."""
    if users < _TWO_MESSAGES_FROM or structure.denominator.bit_length() > _TWO_MESSAGES_BITS:
        return None
    from exactdp.privacy.two_messages.two_messages import TwoMessageScan

    return TwoMessageScan.of(structure, users)


def _all_but_one(structure: Structure, users: int, common: int, own: int) -> DataSet:
    counts = [0] * structure.inputs
    counts[common] += users - 1
    counts[own] += 1
    return tuple(counts)


@dataclass(frozen=True, slots=True)
class AbsentPairs(ShufflePairs):
    """All neighbouring data sets of users who may be away: counted, or hidden among dummies.

    ``randomizer`` is what one of them sends, with nothing or a dummy where he is away.
    """

    absence: str = ""
    """Who is away and what is seen of it, as the end of a sentence."""

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"{shuffled_users(self.randomizer, self.users)}, {self.absence}"

    def pair(self, event: WorstEvent) -> OneShufflePair | None:
        """Return the pair of data sets of an event as a source of its own, where comparing all pairs is dear."""
        one = ShufflePairs.pair(self, event)
        return None if one is None else OneAbsentPair(one.randomizer, one.first, one.second, self.absence)

    def plan(self) -> Engine:
        """Choose the engine."""
        family, adds = self.randomizer.family, self.neighbors is not Neighbors.REPLACE_ONE
        if adds and family is not None and family.may_send_nothing and family.listed(self.users) is None:
            raise TooLargeError(
                f"the randomizer has no table of at most 65536 entries, which {self.neighbors.value} needs "
                "where users may be away. Pass Neighbors.REPLACE_ONE, or a table with fewer inputs."
            )
        return ShufflePairs.plan(self)


@dataclass(frozen=True, slots=True)
class OneAbsentPair(OneShufflePair):
    """One pair of neighbouring data sets of users who may be away: counted, or hidden among dummies."""

    absence: str = ""

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"{shuffled_users(self.randomizer, max(sum(self.first), sum(self.second)))}, {self.absence}"


@dataclass(frozen=True, slots=True)
class ListedPairs(Source):
    """All neighbouring data sets of users who take part by a coin each, and of whom it is public who does."""

    randomizer: UserRandomizer
    users: int
    participation: Fraction
    absence: str
    limit: int = DEFAULT_LIMIT
    as_stated: bool = False
    """Whether upper ends are those that certificates state."""

    scope = "all replace-one pairs of data sets, both orders"

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"{shuffled_users(self.randomizer, self.users)}, {self.absence}"

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for."""
        return inputs_of(self.randomizer, self.users)

    @property
    def checkable(self) -> ListedPairs:
        """The same pairs, with the upper ends that certificates state."""
        return replace(self, as_stated=True)

    def amplifications(self) -> tuple[Amplification, ...]:
        """Return the engine, which knows data sets whose other users all hold one input."""
        return (self.plan(),)

    def plan(self) -> ListedUsers:
        """Choose the engine."""
        from exactdp.privacy.shuffle.listed_users import ListedUsers, listed_pairs

        given, q = self.randomizer, self.participation
        present = RandomUsersPairs(given, Law({self.users: 1}), self.limit)
        pairs = listed_pairs(given, self.users, q)
        stated = self.as_stated
        return ListedUsers(pairs, self.users, as_stated=stated, participation=q, exact_at=present.exact_at)
