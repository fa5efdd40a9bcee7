"""What claims of privacy are about: the view of a shuffled randomizer, or noise on a query, with its pairs of laws."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

from exactdp.caching import cached_property
from exactdp.claims.encoding import (
    Codec,
    Encoded,
    JsonObject,
    NoiseLaw,
    as_noise_law,
    drawn_from,
    write_integer,
    write_integers,
)
from exactdp.claims.randomizer_specs import RANDOMIZER, Away, RandomizerSpec
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.privacy.engine import DataSet, Engine, WorstEvent
from exactdp.privacy.planner import AdditivePairs, ShufflePairs, Source, engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.interface import Protocol


def users_of(protocol: Protocol) -> int:
    """Return the number of users, or refuse a random one."""
    users = getattr(protocol, "users", None)
    if not isinstance(users, int):
        raise InvalidValueError(
            f"n is random, by {short(repr(users))}, and no certificate speaks of that. Claim it for one n, "
            "with ShuffleProtocol(randomizer, 1000), or for every n from one on, with all_n_from=1000."
        )
    return users


# --- Mechanisms -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShuffledView(Encoded):
    """What the shuffler shows of n users who run one randomizer."""

    randomizer: Annotated[RandomizerSpec, RANDOMIZER]
    n: int
    neighbors: Neighbors

    def source(self) -> Source:
        """Return the pairs of views of all neighbouring data sets, as the engines know them."""
        if isinstance(self.randomizer, Away):
            return self.randomizer.protocol(self.n).privacy_profile(neighbors=self.neighbors).source
        return ShufflePairs(self.randomizer.randomizer(), self.n, self.neighbors)

    def witness(self, first: DataSet, second: DataSet) -> JsonObject:
        """Return the pair as the checker is told of it."""
        return {"first": write_integers(first), "second": write_integers(second)}

    def words(self, first: DataSet, second: DataSet) -> str:
        """Return the pair for reading."""
        return f"the pair {list(first)} against {list(second)}"


@dataclass(frozen=True, slots=True)
class ShiftedNoise(Encoded):
    """Noise on an integer query that one person's data change by at most ``shift``."""

    law: NoiseLaw
    shift: int

    def source(self) -> Source:
        """Return the law and its shifts, as the engines know them."""
        return AdditivePairs(drawn_from(self.law), self.shift, 1, 1, Neighbors.REPLACE_ONE)

    def witness(self, first: DataSet, second: DataSet) -> JsonObject:
        """Return the pair as the checker is told of it."""
        by, order = _shift_and_order(first, second)
        return {"shift": write_integer(by), "order": order}

    def words(self, first: DataSet, second: DataSet) -> str:
        """Return the pair for reading."""
        by, order = _shift_and_order(first, second)
        return f"shift {by} ({order})"


def _shift_and_order(first: DataSet, second: DataSet) -> tuple[int, str]:
    """Return what the pair of the counts 0 and j is called: a shift by j, in one of two orders."""
    return max(first.index(1), second.index(1)), "forward" if first[0] else "backward"


Mechanism: TypeAlias = ShuffledView | ShiftedNoise


def _read_mechanism(data: Any) -> Mechanism:
    return ShuffledView.decode(data) if "randomizer" in data else ShiftedNoise.decode(data)


MECHANISM: Final[Codec[Mechanism]] = Codec(lambda mechanism: mechanism.encode(), _read_mechanism, is_merged=True)


@dataclass(frozen=True)
class Pairs:
    """The pairs of laws of a mechanism, among which engines look for the worst."""

    mechanism: Mechanism
    executor: Executor | None = None

    @cached_property
    def source(self) -> Source:
        """The pairs as the engines know them."""
        return self.mechanism.source()

    @property
    def engine(self) -> Engine:
        """The engine that answers for all of them."""
        return engine_of(self.source)

    @cached_property
    def profile(self) -> PrivacyProfile:
        """The privacy profile over all of them."""
        return PrivacyProfile(self.source)

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the worst event at e^eps, or at infinity."""
        return self.engine.worst(exp_eps, self.executor)

    def witness(self, event: WorstEvent) -> JsonObject:
        """Return the pair of an event as the checker is told of it."""
        return self.mechanism.witness(event.first, event.second)

    def words(self, event: WorstEvent) -> str:
        """Return the pair of an event for reading."""
        return self.mechanism.words(event.first, event.second)


def noise_of(law: Any, shift: int) -> ShiftedNoise:
    """Return noise on a query that changes by at most ``shift``."""
    return ShiftedNoise(as_noise_law(law), as_integer(shift, name="shift", at_least=1))
