"""Plans: what has to be drawn for one view of a protocol on one data set, prepared once.

The users of one input are interchangeable, so a plan draws how many of them send what: a multinomial vector for each
input that is held, at a cost that does not depend on the number of users. Tuples that hold each message equally often
look alike after the shuffle, and are drawn as one. Of a family there may be too many messages to count: what is drawn
is how many of them support each input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.laplace import Laplace
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.noise import MAX_COUNT, Counts, draw_noise
from exactdp.mechanisms.dataset import histogram
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.family_views import FamilyPlan, SupportViews, nearest_floats
from exactdp.mechanisms.randomizer import Row
from exactdp.numbers.formats import short
from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.protocols.exponential.exponential_mechanism_protocol import ExponentialMechanism
from exactdp.protocols.flooded.flooded_views import FloodedViews
from exactdp.protocols.flooded.flooding_protocol import Flooding
from exactdp.protocols.mixing.fixed_point_sum_protocol import FixedPointSum
from exactdp.protocols.mixing.shares import Shares
from exactdp.protocols.mixing.split_and_mix_protocol import SplitAndMix
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol
from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold

SampledProtocol: TypeAlias = (
    ShuffleProtocol
    | AdditiveProtocol
    | CorrelatedCounting
    | AlmostCentralSum
    | SampleAndThreshold
    | SplitAndMix
    | FixedPointSum
    | Flooding
)
"""What is sampled."""

DataSet: TypeAlias = Sequence[Any] | Mapping[Any, int] | Counts


@dataclass(frozen=True, slots=True, eq=False)
class NoisyCounts:
    """An additive protocol: independent noise on the true count of each bin."""

    noise: Law | LatticeLaw
    counts: Counts
    nearest: bool

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
class CommonNoise:
    """Counts with independent noise, of which one draw may be added to several counts.

    ``noise`` holds (the law, how many messages of each kind are sent for a unit of it).
    """

    counts: Counts
    noise: tuple[tuple[LatticeLaw, Counts], ...]
    nearest: bool

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

    @property
    def columns(self) -> int:
        """Counts in one view."""
        return len(self.holders)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        return dropped(rng.binomial(self.holders, self.rate, (size, self.columns)), self.threshold)


def dropped(counts: Counts, threshold: int) -> Counts:
    """Return the counts with 0 for what is below a threshold."""
    return np.where(counts < threshold, 0, counts)


Plan: TypeAlias = NoisyCounts | SplitGroups | CommonNoise | ReleasedCounts | FamilyPlan | Shares | FloodedViews


def plan_of(protocol: SampledProtocol, dataset: DataSet, *, nearest: bool) -> Plan:
    """Return the plan for views of this protocol on this data set."""
    if isinstance(protocol, SplitAndMix):
        return Shares.of(user_counts(dataset, protocol.inputs, protocol.n), protocol.messages)
    if isinstance(protocol, FixedPointSum):
        held = user_counts(dataset, protocol.inputs, protocol.n)
        padded = np.zeros(len(protocol.split.inputs), np.int64)
        padded[: len(held)] = held
        return Shares.of(padded, protocol.messages, draw_noise(protocol.share, nearest=nearest))
    if isinstance(protocol, AdditiveProtocol):
        counts = user_counts(dataset, protocol.records, protocol.n)
        if protocol.bins == 1:
            counts = np.array([_total(counts)], np.int64)
        draw_noise(protocol.noise, nearest=nearest)  # refuses what cannot be drawn, before anything is drawn
        return NoisyCounts(protocol.noise, counts, nearest)
    if isinstance(protocol, CorrelatedCounting):
        return _correlated(protocol, dataset, nearest=nearest)
    if isinstance(protocol, SampleAndThreshold):
        held = user_counts(dataset, protocol.records, protocol.n)[1:]
        return ReleasedCounts(held, float(nearest_floats([protocol.rate, 1 - protocol.rate])[0]), protocol.threshold)
    if isinstance(protocol, AlmostCentralSum):
        return _almost_central(protocol, dataset, nearest=nearest)
    if isinstance(protocol, Flooding):
        return FloodedViews.of(protocol, user_counts(dataset, protocol.inputs, protocol.n), nearest=nearest)
    if isinstance(protocol, ShuffleProtocol):
        users = user_counts(dataset, protocol.randomizer.inputs, protocol.n)
        if protocol.n > MAX_COUNT:
            raise TooLargeError(f"n={protocol.n} is more than the limit of 2^53. Use fewer users.")
        randomizer = protocol.numeric_randomizer
        if isinstance(randomizer, FamilyRandomizer):
            return randomizer.drawn(SupportViews(users))
        messages = len(randomizer.alphabet)
        rows = zip(users, randomizer.rows, strict=True)
        groups = tuple(_group(int(count), row, messages) for count, row in rows if count)
        most = max((count * int(sent.max(initial=0)) for count, _, sent in groups), default=0)
        if most > MAX_COUNT:
            raise TooLargeError(f"{most} messages of one kind are more than the limit of 2^53. Use fewer users.")
        return SplitGroups(groups, messages)
    if isinstance(protocol, Laplace):  # what is passed may be anything
        raise InvalidValueError(
            f"{protocol!r} is continuous, and floats drawn from it can give a data set away. Draw discrete noise in "
            "its place: AdditiveProtocol(law.on_grid(step)), in multiples of a step."
        )
    if isinstance(protocol, ExponentialMechanism):
        raise InvalidValueError(
            "an exponential mechanism is no protocol of messages. Draw its exact law: "
            "ShuffleProtocol(mechanism.randomizer, 1)."
        )
    raise InvalidValueError(
        f"protocol has the type {type(protocol).__name__}. Pass a ShuffleProtocol or an AdditiveProtocol."
    )


def _correlated(protocol: CorrelatedCounting, dataset: DataSet, *, nearest: bool) -> CommonNoise:
    """Return the plan of correlated counting: the shares of all users add up to three draws."""
    total = _total(user_counts(dataset, protocol.records, protocol.n))
    laws = (protocol.geometric, (1, 0)), (protocol.geometric, (0, 1)), (protocol.correlated, (1, 1))
    for law, _ in laws:
        draw_noise(law, nearest=nearest)  # refuses what cannot be drawn, before anything is drawn
    noise = tuple((law, np.array(messages, np.int64)) for law, messages in laws)
    return CommonNoise(np.array([total, 0], np.int64), noise, nearest)


def _almost_central(protocol: AlmostCentralSum, dataset: DataSet, *, nearest: bool) -> CommonNoise:
    """Return the plan of a sum in almost one message: one draw for each kind of noise of all users."""
    users = user_counts(dataset, protocol.records, protocol.n)
    sent = np.zeros(2 * protocol.bound, np.int64)
    sent[: protocol.bound] = users[1:]
    places = {message: i for i, message in enumerate(protocol.alphabet)}
    noise = []
    for law, messages in protocol.noise:
        draw_noise(law, nearest=nearest)  # refuses what cannot be drawn, before anything is drawn
        unit = np.zeros(2 * protocol.bound, np.int64)
        for message, times in messages.items():
            unit[places[message]] = times
        noise.append((law, unit))
    return CommonNoise(sent, tuple(noise), nearest)


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


def _total(counts: Counts) -> int:
    """Return the sum of the records 0, 1, ... that are held so often."""
    total = sum(record * int(counts[record]) for record in map(int, np.flatnonzero(counts)))
    if total > MAX_COUNT:
        raise TooLargeError(f"the records sum to {short(total)}, more than the limit of 2^53. Use fewer users.")
    return total


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
