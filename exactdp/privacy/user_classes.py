"""Which pairs a profile of several classes of users is about, and the engines that serve it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from exactdp.mechanisms.dataset import Neighbors, labelled
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.joint_classes import joint_kinds, rounded
from exactdp.privacy.engine import DataSet, Engine
from exactdp.privacy.planner import ShufflePairs, Source, engine_of, input_pairs
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT

if TYPE_CHECKING:
    from exactdp.privacy.amplification.amplification import Amplification
    from exactdp.privacy.amplification.input_pairs import InputPairs

Classes = tuple[tuple[UserRandomizer, int], ...]
"""What the users of each class run, and how many there are."""


@dataclass(frozen=True, slots=True)
class UserClasses(Source):
    """All data sets of users in classes that differ in the input of one user, who stays in his class."""

    classes: Classes
    user_class: int | None = None
    """The class of the user who differs; None for the worst."""
    absence: str = ""
    """Who may be away, as the end of a sentence; empty for nobody."""
    limit: int = DEFAULT_LIMIT

    @property
    def subject(self) -> str:
        """What is run, in words."""
        sizes = ", ".join(str(users) for _, users in self.classes)
        away = f", {self.absence}" if self.absence else ""
        return f"shuffled randomizers of {len(self.classes)} classes of users ({sizes}) who follow them{away}"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        who = "one user" if self.user_class is None else f"one user of class {self.user_class}"
        return f"all pairs of data sets that differ in the input of {who}, who stays in his class, both orders"

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the positions of a data set stand for: a class and an input; of one randomizer for all, the input."""
        if self._one is not None:
            return self._one.inputs
        return tuple((place, label) for place in range(len(self.classes)) for label in _labels(self.classes))

    @property
    def _one(self) -> ShufflePairs | None:
        """The shuffled randomizer, where all classes run the same."""
        randomizers = {randomizer for randomizer, _ in self.classes}
        if len(randomizers) > 1:
            return None
        return ShufflePairs(
            randomizers.pop(), sum(users for _, users in self.classes), Neighbors.REPLACE_ONE, self.limit
        )

    def shown(self, first: DataSet, second: DataSet) -> tuple[Any, Any]:
        """Return a pair of data sets with one mapping, input -> number of users, for each class."""
        if self._one is not None:
            return self._divided(first, second), self._divided(second, first)
        labels = _labels(self.classes)
        starts = range(0, len(first), len(labels))
        one, other = (tuple(labelled(side[at : at + len(labels)], labels) for at in starts) for side in (first, second))
        return one, other

    def _divided(self, counts: DataSet, neighbor: DataSet) -> tuple[dict[Any, int], ...]:
        """Return a data set of one randomizer by classes, so that the neighbour differs from it in one class."""
        left = [min(pair) for pair in zip(counts, neighbor, strict=True)]
        own = next((place for place, pair in enumerate(zip(counts, left, strict=True)) if pair[0] > pair[1]), None)
        shown = []
        for place, (_, users) in enumerate(self.classes):
            each = dict.fromkeys(range(len(left)), 0)
            if own is not None and place == self._differing[0]:
                each[own], users = 1, users - 1
            for label in each:
                taken = min(users, left[label])
                each[label], left[label], users = each[label] + taken, left[label] - taken, users - taken
            shown.append(labelled(tuple(each.values()), self.inputs))
        return tuple(shown)

    def plan(self) -> Engine:
        """Choose the engine: that of one randomizer where all classes run the same."""
        if self._one is not None:
            return engine_of(self._one)
        from exactdp.privacy.amplification.classes_of_users import WorstClass

        return WorstClass(tuple((place, _engine_of_class(self.classes, place)) for place in self._differing))

    def amplifications(self) -> tuple[Amplification, ...]:
        """Return the engines of the classes of the user who differs."""
        if self._one is not None:
            return self._one.amplifications()
        return tuple(_engine_of_class(self.classes, place) for place in self._differing)

    @property
    def _differing(self) -> range:
        return range(len(self.classes)) if self.user_class is None else range(self.user_class, self.user_class + 1)


@dataclass(frozen=True, slots=True)
class _View:
    """What is seen of the messages of one kind, where a user of one class differs."""

    pairs: InputPairs
    users: int
    groups: tuple[int | None, ...]
    """Which of the randomizers each class runs; None for messages of another kind."""
    distance: Fraction


@lru_cache(maxsize=64)
def _view(classes: Classes, place: int) -> _View:
    """Return the view of the kind of messages that a class sends."""
    kinds = dict(zip((one for one, _ in classes), joint_kinds([one for one, _ in classes]), strict=True))
    own = classes[place][0]
    together = list(dict.fromkeys(one for one, _ in classes if kinds[one] == kinds[own]))
    groups = tuple(together.index(one) if one in together else None for one, _ in classes)
    counts = [sum(users for one, users in classes if one == each) for each in together]
    users = sum(counts)
    if len(together) == 1:
        return _View(input_pairs(own, users), users, groups, Fraction(0))
    from exactdp.privacy.amplification.classes_of_users import GroupPairs

    near = [rounded(one) for one in together]
    distance = sum((count * apart for count, (_, apart) in zip(counts, near, strict=True)), Fraction(0))
    at = together.index(own)
    counts[at] -= 1
    pairs = GroupPairs(tuple(one for one, _ in near), at, tuple(counts))
    return _View(pairs, users, groups, distance + users * pairs.apart)


def _labels(classes: Classes) -> tuple[Any, ...]:
    """Return the inputs that data sets name."""
    return tuple(dict.fromkeys(label for place in range(len(classes)) for label in _view(classes, place).pairs.labels))


def _engine_of_class(classes: Classes, place: int) -> Amplification:
    from exactdp.privacy.amplification.classes_of_users import OneClass

    view, sizes = _view(classes, place), tuple(users for _, users in classes)
    return OneClass(
        view.pairs,
        view.users,
        place=place,
        sizes=sizes,
        groups=view.groups,
        labels=_labels(classes),
        distance=view.distance,
    )
