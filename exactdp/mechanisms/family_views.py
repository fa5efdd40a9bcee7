"""Plans for families: how many messages support each input, drawn at a cost that few users or few inputs set.

* Independent supports are binomial.
* A user of subset selection sends, with probability ``common``, any subset, else one with his own input. Subsets of
  many users are drawn input by input: of the users with r places to fill from m inputs, Bin(., r/m) take the next one.
  Of subsets of one input all are drawn at once, as a multinomial vector, and uniform dummies with them.
* Of users who may be away it is drawn first, for each view, how many of each input take part.
* Columns of Sylvester's matrix likewise: any column, or one with the own plus, which is any column with the lowest bit
  of the own row flipped where the sign is a minus. The supports are the plus signs: a Walsh-Hadamard transform.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exactdp.errors import TooLargeError
from exactdp.laws.noise import MAX_COUNT, Counts
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.numbers.formats import about

_MAX_STEPS: Final = 10**8
"""Most numbers drawn for one view."""


@dataclass(frozen=True, slots=True, eq=False)
class IndependentSupports:
    """Each input is supported independently: ``users`` hold each input."""

    users: Counts
    likely: float
    unlikely: float

    @property
    def columns(self) -> int:
        """Counts in one view: the inputs."""
        return len(self.users)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        shape = (size, self.columns)
        others = self.users.sum() - self.users
        drawn: Counts = rng.binomial(self.users, self.likely, shape) + rng.binomial(others, self.unlikely, shape)
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSubsets:
    """Subsets of ``size`` inputs: with probability 1 - ``common`` one with the own input, else any."""

    users: Counts
    size: int
    own: float
    dummies: int = 0
    """Beside subsets of one input: uniform inputs that each user adds."""

    @property
    def columns(self) -> int:
        """Counts in one view: the inputs."""
        return len(self.users)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        own = rng.binomial(self.users, self.own, (size, self.columns))
        rest = self.users.sum() * (1 + self.dummies) - own.sum(axis=1)
        if self.size == 1:
            drawn: Counts = own + rng.multinomial(rest, np.full(self.columns, 1 / self.columns))
            return drawn
        return np.array([self._view(rng, *row) for row in zip(own, rest, strict=True)], np.int64).reshape(own.shape)

    def _view(self, rng: np.random.Generator, own: Counts, rest: int) -> Counts:
        """Return one view of ``own`` users of each input whose subset has it, and of the rest."""
        held = np.flatnonzero(own)
        places = np.zeros((len(held) + 1, self.size + 1), np.int64)  # users of each group with so many places to fill
        places[:-1, self.size - 1] = own[held]
        places[-1, self.size] = rest
        left = np.full(len(held) + 1, self.columns - 1)
        left[-1] = self.columns
        skipped = np.append(held, -1)
        drawn, wanted = own.copy(), np.arange(self.size + 1)
        for value in range(self.columns):
            open_ = skipped != value
            chance = np.minimum(wanted / np.maximum(left, 1)[:, None], 1) * open_[:, None]
            taken = rng.binomial(places, chance)
            drawn[value] += taken.sum()
            places -= taken
            places[:, :-1] += taken[:, 1:]
            left -= open_
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSigns:
    """Columns of Sylvester's matrix of order ``order``: with probability ``own`` one with the own plus, else any."""

    users: Counts
    order: int
    own: float

    @property
    def columns(self) -> int:
        """Counts in one view: the inputs."""
        return len(self.users)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        total = int(self.users.sum())
        views = np.empty((size, self.columns), np.int64)
        even = np.full(self.order, 1 / self.order)
        for row in views:
            own = rng.binomial(self.users, self.own)
            sent = rng.multinomial(total - int(own.sum()), even)
            sent += self._own_columns(rng, own)
            row[:] = (total + _walsh(sent)[1 : self.columns + 1]) // 2
        return views

    def _own_columns(self, rng: np.random.Generator, own: Counts) -> Counts:
        """Return how often each column is sent by users who send one with a plus in the own row."""
        held = np.flatnonzero(own)
        if int(own.sum()) <= len(held) * self.order:
            rows = np.repeat(held + 1, own[held])
            column = rng.integers(self.order, size=len(rows))
            column ^= (rows & -rows) * _is_odd(column & rows)
            return np.bincount(column, minlength=self.order)
        counts, column = np.zeros(self.order, np.int64), np.arange(self.order)
        for row in held + 1:
            sent = rng.multinomial(own[row - 1], np.full(self.order, 1 / self.order))
            np.add.at(counts, column ^ ((row & -row) * _is_odd(column & row)), sent)
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRows:
    """Messages that are inputs: for each input held, its users and the probabilities of its row."""

    groups: tuple[tuple[int, NDArray[np.float64]], ...]
    columns: int

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        views = np.zeros((size, self.columns), np.int64)
        for users, probabilities in self.groups:
            views += rng.multinomial(users, probabilities, size)
        return views


@dataclass(frozen=True, slots=True, eq=False)
class PresentUsers:
    """Users of a family who take part with probability ``chance``, and else send a message of one input, or nothing."""

    users: Counts
    chance: float
    family: FamilyRandomizer
    away: tuple[FamilyRandomizer, int] | None

    @property
    def columns(self) -> int:
        """Counts in one view: the inputs."""
        return len(self.users)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        views = np.empty((size, self.columns), np.int64)
        for view in views:
            there = rng.binomial(self.users, self.chance)
            view[:] = self.family.drawn(SupportViews(there)).draw(rng, 1)[0]
            if self.away is not None:
                family, place = self.away
                held = np.zeros_like(there)
                held[place] = (self.users - there).sum()
                view += family.drawn(SupportViews(held)).draw(rng, 1)[0]
        return views


FamilyPlan: TypeAlias = IndependentSupports | DrawnSubsets | DrawnSigns | DrawnRows | PresentUsers


@dataclass(frozen=True, slots=True, eq=False)
class SupportViews:
    """The source of plans: ``users`` hold each input, as many messages as users are sent."""

    users: Counts

    def independent(self, likely: Fraction, unlikely: Fraction) -> FamilyPlan:
        """Every input on its own."""
        return IndependentSupports(self.users, float(likely), float(unlikely))

    def subsets(self, size: int, common: Fraction) -> FamilyPlan:
        """Random subsets; refused where too many numbers are drawn for one view."""
        if size > 1:
            held = int(np.count_nonzero(self.users)) + 1
            _limit(len(self.users) * held * (size + 1), f"{held - 1} inputs held and subsets of {size}")
        return DrawnSubsets(self.users, size, float(1 - common))

    def among_dummies(self, common: Fraction, dummies: int) -> FamilyPlan:
        """Random answers among uniform inputs; refused where the messages are too many to be counted."""
        if (messages := int(self.users.sum()) * (1 + dummies)) > MAX_COUNT:
            raise TooLargeError(f"{about(messages)} messages are more than the limit of 2^53. Use fewer users.")
        return DrawnSubsets(self.users, 1, float(1 - common), dummies)

    def signs(self, columns: int, common: Fraction) -> FamilyPlan:
        """Random columns; refused where too many numbers are drawn for one view."""
        held = int(np.count_nonzero(self.users))
        _limit(min(int(self.users.sum()), held * columns), f"{held} inputs held and {columns} messages")
        return DrawnSigns(self.users, columns, float(1 - common))

    def rows(self, rows: Iterable[Sequence[Fraction]]) -> FamilyPlan:
        """Rows of probabilities."""
        pairs = zip(self.users, rows, strict=True)
        groups = tuple((int(count), nearest_floats(row)) for count, row in pairs if count)
        return DrawnRows(groups, len(self.users))

    def present(
        self, chance: Fraction, family: FamilyRandomizer, away: tuple[FamilyRandomizer, int] | None
    ) -> FamilyPlan:
        """Users of a family who may be away."""
        return PresentUsers(self.users, float(chance), family, away)

    def repeated(self, times: int) -> SupportViews:
        """Several messages for each user."""
        if int(self.users.sum()) * times > MAX_COUNT:
            raise TooLargeError(f"times={times} makes more than 2^53 messages, the limit. Use fewer users.")
        return replace(self, users=self.users * times)


def nearest_floats(probabilities: Sequence[Fraction]) -> NDArray[np.float64]:
    """Return the probabilities as floats, rounded so that all but the last do not sum to more than 1."""
    floats = np.array([float(p) for p in probabilities])
    total = sum((Fraction(float(p)) for p in floats[:-1]), Fraction(0))
    return floats if total <= 1 else floats / floats.sum()


def _limit(steps: int, what: str) -> None:
    if steps > _MAX_STEPS:
        raise TooLargeError(
            f"one view draws {about(steps)} numbers ({what}), more than the limit of {_MAX_STEPS}. Use fewer users, "
            "fewer inputs or a data set that holds fewer of them."
        )


def _is_odd(values: Counts) -> Counts:
    """Return the parity of the number of ones of each integer."""
    bits = values.copy()
    for shift in (32, 16, 8, 4, 2, 1):
        bits ^= bits >> shift
    return bits & 1


def _walsh(counts: Counts) -> Counts:
    """Return the product of Sylvester's matrix with a vector."""
    sums, half = counts, 1
    while half < len(sums):
        pairs = sums.reshape(-1, 2, half)
        sums = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), axis=1).reshape(-1)
        half *= 2
    return sums
