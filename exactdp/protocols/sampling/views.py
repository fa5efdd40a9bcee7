"""Plans: what has to be drawn for one view of a protocol on one data set, prepared once.

The users of one input are interchangeable, so a plan draws how many of them send what: a multinomial vector for each
input that is held, at a cost that does not depend on the number of users. Tuples that hold each message equally often
look alike after the shuffle, and are drawn as one. Of a family there may be too many messages to count: what is drawn
is how many of them support each input. Of a product the answers to each question are drawn by themselves: given the
data set they are independent of those to the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias
from typing import Protocol as TypedProtocol

import numpy as np
from numpy.typing import NDArray

from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.laplace import Laplace
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.noise import MAX_COUNT, Counts, draw_noise
from exactdp.mechanisms.dataset import histogram, holders
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.family_views import SupportViews, nearest_floats
from exactdp.mechanisms.randomizer import Randomizer, Row
from exactdp.numbers.formats import short
from exactdp.protocols.interface import Protocol

DataSet: TypeAlias = Sequence[Any] | Mapping[Any, int] | Counts


class Plan(TypedProtocol):
    """What has to be drawn for one view."""

    @property
    def columns(self) -> int:
        """Counts in one view."""
        ...

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class NoisyCounts:
    """An additive protocol: independent noise on the true count of each bin."""

    noise: Law | LatticeLaw
    counts: Counts
    nearest: bool

    @classmethod
    def of(cls, noise: Law | LatticeLaw, counts: Counts, *, nearest: bool) -> NoisyCounts:
        """Return the plan, or refuse what cannot be drawn before anything is drawn."""
        draw_noise(noise, nearest=nearest)
        return cls(noise, counts, nearest)

    @property
    def columns(self) -> int:
        """Counts in one view."""
        return len(self.counts)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        drawn = draw_noise(self.noise, nearest=self.nearest)(rng, size * self.columns).reshape(size, self.columns)
        drawn += self.counts
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class SplitGroups:
    """A finite randomizer: for each input its users, the probabilities of the tuples sent, and their messages.

    ``groups`` hold (users, probabilities, matrix), where the row of the matrix counts the messages of one tuple.
    """

    groups: tuple[tuple[int, NDArray[np.float64], Counts], ...]
    columns: int

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        counts = np.zeros((size, self.columns), np.int64)
        for users, probabilities, messages in self.groups:
            if len(probabilities) == 2:
                first = rng.binomial(users, probabilities[0], (size, 1))
                counts += messages[1] * users + (messages[0] - messages[1]) * first
            else:
                sent = rng.multinomial(users, probabilities, size)
                for i, message in np.argwhere(messages):  # most entries are 0, and NumPy multiplies integers slowly
                    counts[:, message] += messages[i, message] * sent[:, i]
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class SumOfPlans:
    """Counts of several independent groups of users: each plan, and which of the columns are its own."""

    parts: tuple[tuple[Plan, Sequence[int]], ...]
    columns: int

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        counts = np.zeros((size, self.columns), np.int64)
        for plan, places in self.parts:
            counts[:, places] += plan.draw(rng, size)
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class CommonNoise:
    """Counts with independent noise, of which one draw may be added to several counts.

    ``noise`` holds (the law, how many messages of each kind are sent for a unit of it).
    """

    counts: Counts
    noise: tuple[tuple[LatticeLaw, Counts], ...]
    nearest: bool

    @classmethod
    def of(
        cls,
        users: Counts,
        sent: Sequence[Sequence[int]],
        alphabet: Sequence[Any],
        noise: Iterable[tuple[LatticeLaw, Mapping[Any, int]]],
        *,
        nearest: bool,
    ) -> CommonNoise:
        """Return the plan of users who send so many messages, and all of whose shares add up to draws of these laws."""
        places, listed = {message: i for i, message in enumerate(alphabet)}, []
        for law, messages in noise:
            draw_noise(law, nearest=nearest)  # refuses what cannot be drawn, before anything is drawn
            unit = np.zeros(len(places), np.int64)
            for message, times in messages.items():
                unit[places[message]] = times
            listed.append((law, unit))
        return cls(users @ np.array(sent, np.int64), tuple(listed), nearest)

    @property
    def columns(self) -> int:
        """Counts in one view."""
        return len(self.counts)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        drawn = np.tile(self.counts, (size, 1))
        for law, messages in self.noise:
            drawn += draw_noise(law, nearest=self.nearest)(rng, size)[:, None] * messages
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedCounts:
    """Counts of which each holder is sampled with one probability, and that are dropped below a threshold."""

    holders: Counts
    rate: float
    threshold: int

    @classmethod
    def of(cls, holders: Counts, rate: Fraction, threshold: int) -> ReleasedCounts:
        """Return the plan, with the nearest float of the rate."""
        return cls(holders, float(nearest_floats([rate, 1 - rate])[0]), threshold)

    @property
    def columns(self) -> int:
        """Counts in one view."""
        return len(self.holders)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        reports = rng.binomial(self.holders, self.rate, (size, self.columns))
        return np.where(reports < self.threshold, 0, reports)


@dataclass(frozen=True, slots=True, eq=False)
class StableCounts:
    """Noisy counts of which empty ones, and all that are not above a number, are 0."""

    noisy: NoisyCounts
    least: int

    @property
    def columns(self) -> int:
        """Counts in one view."""
        return self.noisy.columns

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        drawn = self.noisy.draw(rng, size)
        drawn *= (drawn > self.least) & (self.noisy.counts > 0)
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """Independent views, whose counts stand beside each other."""

    plans: tuple[Plan, ...]

    @property
    def columns(self) -> int:
        """Counts in one view."""
        return sum(plan.columns for plan in self.plans)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        return np.hstack([plan.draw(rng, size) for plan in self.plans])


def plan_of(protocol: Protocol, dataset: DataSet, *, nearest: bool) -> Plan:
    """Return the plan for views of this protocol on this data set."""
    if isinstance(protocol, Protocol):
        plan: Plan = protocol.plan(dataset, nearest=nearest)
        return plan
    if isinstance(protocol, Laplace):  # what is passed may be anything
        raise InvalidValueError(
            f"{protocol!r} is continuous, and floats drawn from it can give a data set away. Draw discrete noise in "
            "its place: AdditiveProtocol(law.on_grid(step)), in multiples of a step."
        )
    raise InvalidValueError(
        f"protocol has the type {type(protocol).__name__}. Pass a ShuffleProtocol or an AdditiveProtocol."
    )


def shuffled_plan(randomizer: Randomizer | FamilyRandomizer, dataset: DataSet, n: int) -> Plan:
    """Return the plan of n users of a randomizer."""
    if (family := randomizer.family) is not None and family.parts:
        parts = zip(family.parts, _entries(dataset, family, n), strict=True)
        return SideBySide(tuple(shuffled_plan(part, entries, n) for part, entries in parts))
    users = user_counts(dataset, randomizer.inputs, n)
    if n > MAX_COUNT:
        raise TooLargeError(f"n={n} is more than the limit of 2^53. Use fewer users.")
    if family is not None:
        return family.drawn(SupportViews(users))
    table = randomizer.tabulated
    messages = len(table.alphabet)
    rows = zip(users, table.rows, strict=True)
    groups = tuple(_group(int(count), row, messages) for count, row in rows if count)
    most = max((count * int(sent.max(initial=0)) for count, _, sent in groups), default=0)
    if most > MAX_COUNT:
        raise TooLargeError(f"{most} messages of one kind are more than the limit of 2^53. Use fewer users.")
    return SplitGroups(groups, messages)


def _entries(dataset: DataSet, family: FamilyRandomizer, n: int) -> list[dict[Any, int]]:
    """Return for each part how many users hold each entry, of tuples that somebody holds."""
    if isinstance(dataset, np.ndarray):
        users = user_counts(dataset, family.inputs, n)
        dataset = {family.inputs[place]: int(users[place]) for place in map(int, np.flatnonzero(users))}
    entries: list[dict[Any, int]] = [{} for _ in family.parts]
    for value, users_of_it in holders(dataset, family.inputs, family.inputs, users=n).items():
        for held, entry in zip(entries, value, strict=True):
            held[entry] = held.get(entry, 0) + users_of_it
    return entries


def column_sums(counts: Counts, vectors: Sequence[Sequence[int]]) -> Counts:
    """Return the sums of vectors that are counted, one view in each row."""
    sums: Counts = counts @ np.array(vectors, np.int64)
    return sums


def padded_counts(dataset: DataSet, inputs: Sequence[Any], users: int, length: int) -> Counts:
    """Return how many users hold each input, with 0 for further ones."""
    held = user_counts(dataset, inputs, users)
    padded = np.zeros(length, np.int64)
    padded[: len(held)] = held
    return padded


def user_counts(dataset: DataSet, inputs: Sequence[Any], users: int | None) -> Counts:
    """Return how many users hold each input; an integer array has one count for each input, in their order."""
    if not isinstance(dataset, np.ndarray):
        counts = histogram(dataset, tuple(inputs), users=users)
        _limit(sum(counts))
        return np.array(counts, np.int64)
    if dataset.shape != (len(inputs),) or dataset.dtype.kind not in "iu":
        raise InvalidDataSetError(
            f"the array of counts has the shape {dataset.shape} and the type {dataset.dtype}. "
            f"Give {len(inputs)} integers: the users of each input."
        )
    if dataset.min() < 0:
        first = int(dataset.argmin())
        raise InvalidDataSetError(
            f"the count of {inputs[first]!r} is {dataset[first]}, below 0. Give counts of at least 0."
        )
    _limit(int(dataset.max()))
    total = int(dataset.sum(dtype=np.int64))  # at most 10^6 counts of at most 2^53
    if users is not None and total != users:
        raise InvalidDataSetError(
            f"the data set has {total} users, but the protocol has n={users}. Give counts that sum to n."
        )
    return dataset.astype(np.int64)


def _limit(users: int) -> None:
    if users > MAX_COUNT:
        raise TooLargeError(f"the data set has {short(users)} users, more than the limit of 2^53. Use fewer.")


def total_of(counts: Counts) -> Counts:
    """Return the sum of the records 0, 1, ... that are held so often, as one count."""
    total = sum(record * int(counts[record]) for record in map(int, np.flatnonzero(counts)))
    if total > MAX_COUNT:
        raise TooLargeError(f"the records sum to {short(total)}, more than the limit of 2^53. Use fewer users.")
    return np.array([total], np.int64)


def _group(users: int, row: Row, messages: int) -> tuple[int, NDArray[np.float64], Counts]:
    """Return the users of one input, what they send and how likely; tuples with the same messages are one."""
    merged: dict[tuple[int, ...], Fraction] = {}
    for send, p in row:
        sent = tuple(sorted(send))
        merged[sent] = merged.get(sent, Fraction(0)) + p
    counts = np.zeros((len(merged), messages), np.int64)
    for index, sent in enumerate(merged):
        for message in sent:
            counts[index, message] += 1
    return users, nearest_floats(list(merged.values())), counts
