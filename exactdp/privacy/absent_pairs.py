"""Pairs of data sets of users who may be away: the definitions of :mod:`exactdp.privacy.planner`, and who is away.

Counted and hidden users run another randomizer, of :mod:`exactdp.mechanisms.absence_family`, for which every engine
plans as for any; what is listed has an engine of its own. Each says in its own text which model it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.errors import TooLargeError
from exactdp.laws.finite import Law
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import UserRandomizer
from exactdp.privacy.engine import Engine, WorstEvent
from exactdp.privacy.planner import OneShufflePair, RandomUsersPairs, ShufflePairs, Source, inputs_of, shuffled_users
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT

if TYPE_CHECKING:
    from exactdp.privacy.amplification.amplification import Amplification
    from exactdp.privacy.shuffle.listed_users import ListedUsers


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
