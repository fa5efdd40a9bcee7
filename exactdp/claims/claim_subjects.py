"""What claims of privacy are about: the view of a shuffled randomizer, or noise on a query, with its pairs of laws.

*Families of randomizers* are a name and parameters in place of a table. A claim of a family says nothing of its
messages: the classes that the messages of a pair of inputs form follow from the parameters, by a lemma for each family
(docs/certificates.md, *families*). So n and the number of messages do not limit it. A claim of the clipped discrete
Laplace randomizer holds its ratio, and the checker lists its table.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

from exactdp.caching import cached_property
from exactdp.checker.limits import MAX_INPUTS, MAX_MESSAGES, MAX_USERS
from exactdp.claims.encoding import (
    Codec,
    Encoded,
    Json,
    JsonObject,
    NoiseLaw,
    Table,
    as_noise_law,
    drawn_from,
    read_rational,
    write_integer,
    write_integers,
    write_rational,
)
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.absence_family import HIDDEN, listed_dummy
from exactdp.mechanisms.any_randomizer_family import AnyRandomizer
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import UNIFORM, FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.hadamard_response_family import HadamardResponse
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.local_hashing_family import LocalHashing
from exactdp.mechanisms.product_family import Product, product_of
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.subset_selection_family import SubsetSelection
from exactdp.mechanisms.unary_encoding_family import StatedBits
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.privacy.engine import DataSet, WorstEvent
from exactdp.privacy.planner import AdditivePairs, ShufflePairs, Source, engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import ShuffleProtocol

# --- Randomizers ----------------------------------------------------------------------------------------------------

_FAMILIES: Final[dict[str, type[FamilyRandomizer]]] = {
    kind.name: kind
    for kind in (KAryResponse, StatedBits, SubsetSelection, HadamardResponse, LocalHashing, ClippedDiscreteLaplace)
} | {"any": AnyRandomizer}
"""By the name in the JSON."""

_NAMES: Final = {kind: name for name, kind in _FAMILIES.items()}

_UNIFORM: Final = (KAryResponse, SubsetSelection, HadamardResponse, LocalHashing)
"""Families of which a uniform message is a dummy in the classes of a pair."""

_WITH_UNIFORM: Final = ", ".join(kind.name for kind in _UNIFORM)

_LISTED: Final = ", ".join(_FAMILIES)

_ENDS: Final = (LogRational(1), LogRational(None))
"""The local eps of equal rows, and of an input that is sent as it is."""


@dataclass(frozen=True, slots=True)
class Family(Encoded):
    """A randomizer by its family and parameters, under the ``claim_fields`` of its class."""

    member: FamilyRandomizer

    @classmethod
    def of(cls, randomizer: FamilyRandomizer) -> Family:
        """Return the family as a claim states it: two members that say the same are one."""
        stated = {name: getattr(randomizer, name) for name in randomizer.claim_fields.values()}
        return cls(next(kind for kind in _NAMES if kind.name == randomizer.name).stated(**stated))

    def encode(self) -> dict[str, Json]:
        """Return the family as JSON data."""
        numbers = {key: Fraction(getattr(self.member, name)) for key, name in self.member.claim_fields.items()}
        return {"family": _NAMES[type(self.member)], **{key: write_rational(value) for key, value in numbers.items()}}

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> Family:
        """Return the family that is written so."""
        kind = _FAMILIES[data["family"]]
        numbers = {name: read_rational(data[key]) for key, name in kind.claim_fields.items()}
        return cls(kind.stated(**{name: int(x) if x.denominator == 1 else x for name, x in numbers.items()}))

    def randomizer(self) -> FamilyRandomizer:
        """Return the randomizer that the claim is about."""
        return self.member


Part: TypeAlias = Table | Family
"""What a product is made of, and what users run who may be away."""


@dataclass(frozen=True, slots=True)
class ProductOf(Encoded):
    """Several randomizers, whose messages are sent together."""

    factors: tuple[Part, ...]

    def encode(self) -> dict[str, Json]:
        """Return the product as JSON data."""
        return {"family": "product", "of": [factor.encode() for factor in self.factors]}

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> ProductOf:
        """Return the product that is written so."""
        return cls(tuple(map(_read_part, data["of"])))

    def randomizer(self) -> UserRandomizer:
        """Return the randomizer that the claim is about."""
        return product_of([factor.randomizer() for factor in self.factors])


@dataclass(frozen=True, slots=True)
class Away(Encoded):
    """A randomizer whose users take part with one probability each.

    ``dummy`` is None, "uniform", or the probabilities of all messages of a table.
    """

    of: Part | ProductOf
    participation: Fraction
    absence: str
    dummy: str | tuple[Fraction, ...] | None

    def encode(self) -> dict[str, Json]:
        """Return the users as JSON data."""
        data: dict[str, Json] = {"family": "participation", "absence": self.absence, "of": self.of.encode()}
        data["probability"] = write_rational(self.participation)
        if self.dummy is not None:
            data["dummy"] = self.dummy if isinstance(self.dummy, str) else list(map(write_rational, self.dummy))
        return data

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> Away:
        """Return the users who are written so."""
        said = data.get("dummy")
        dummy = said if said is None or isinstance(said, str) else tuple(map(read_rational, said))
        of = _read_randomizer(data["of"])
        assert not isinstance(of, Away)
        return cls(of, read_rational(data["probability"]), data["absence"], dummy)

    def protocol(self, n: int) -> ShuffleProtocol:
        """Return n of these users."""
        base, dummy = self.of.randomizer(), self.dummy
        law = {m: p for m, p in enumerate(dummy) if p} if isinstance(dummy, tuple) else dummy
        return ShuffleProtocol(base, n, participation=self.participation, absence=self.absence, dummy=law)

    def randomizer(self) -> UserRandomizer:
        """Return what one of them sends."""
        return self.protocol(1).numeric_randomizer


ClaimedRandomizer: TypeAlias = Part | ProductOf | Away


def _read_part(data: Mapping[str, Any]) -> Part:
    return Family.decode(data) if "family" in data else Table.decode(data)


def _read_randomizer(data: Mapping[str, Any]) -> ClaimedRandomizer:
    if data.get("family") == "participation":
        return Away.decode(data)
    return ProductOf.decode(data) if data.get("family") == "product" else _read_part(data)


RANDOMIZER: Final[Codec[ClaimedRandomizer]] = Codec(lambda stated: stated.encode(), _read_randomizer)
"""How a randomizer is written: a table, a family, or what is made of them."""


def is_claimed(randomizer: FamilyRandomizer) -> bool:
    """Return whether a claim can hold this family by its parameters."""
    return bool(randomizer.claim_fields) and randomizer.is_rational and randomizer.local_epsilon() not in _ENDS


def claimed_family(randomizer: FamilyRandomizer) -> Family:
    """Return a family as claims hold it, or refuse one that no claim states."""
    if not randomizer.claim_fields:
        raise InvalidValueError(
            f"the randomizer {randomizer.name} is none of the families that a claim can hold: {_LISTED}. Ask "
            "for delta or is_private, which need no certificate, or make the claim of a table."
        )
    if not randomizer.is_rational:
        raise InvalidValueError(
            f"exp_eps0={randomizer.parameters['exp_eps0']} is irrational, and a claim holds rational numbers. Claim it "
            "at a rational number above to prove, or below to refute: .at_least(64) and .at_most(64) are such."
        )
    if not is_claimed(randomizer):
        raise InvalidValueError(
            f"{randomizer.name} with local eps = {randomizer.local_epsilon()}: the claim of a family needs a finite "
            "one above 0. Use another e^eps0."
        )
    return Family.of(randomizer)


def randomizer_of(protocol: Protocol) -> ClaimedRandomizer:
    """Return the protocol's randomizer as a claim about replacing an input holds it: a family by its parameters.

    A product, and users who may be away, are their table where the first schema holds that, at its numbers of users.
    """
    randomizer = getattr(protocol, "randomizer", None)  # what is passed may be anything
    if not isinstance(protocol, ShuffleProtocol) or not isinstance(randomizer, UserRandomizer):
        return table_of(protocol)
    family = randomizer.family
    if protocol.may_be_away or (family is not None and family.parts):
        return _short_table(protocol) or _made_of(protocol)
    if family is None or (not is_claimed(family) and family.has_small_table):
        return table_of(protocol)
    return claimed_family(family)


def _short_table(protocol: ShuffleProtocol) -> Table | None:
    """Return the table of what a user sends, where the first schema holds it."""
    if protocol.is_listed or (isinstance(protocol.users, int) and protocol.users > MAX_USERS):
        return None
    table = protocol.numeric_randomizer.listed()
    if table is None or len(table.inputs) > MAX_INPUTS or len(table.alphabet) > MAX_MESSAGES:
        return None
    return Table.of(table)


def _made_of(protocol: ShuffleProtocol) -> ProductOf | Away:
    """Return what a user runs, who may be away, by its parts."""
    given = protocol.randomizer
    assert isinstance(given, UserRandomizer)
    factors = given.factors if isinstance(given, Product) else ()
    of = ProductOf(tuple(map(_part, factors))) if factors else _part(given)
    if not protocol.may_be_away:
        assert isinstance(of, ProductOf)
        return of
    dummy = protocol.dummy if protocol.absence == HIDDEN else None
    return Away(of, protocol.participation, protocol.absence, None if dummy is None else _dummy(of, given, dummy))


def _part(randomizer: UserRandomizer) -> Part:
    """Return a factor, or what users run who may be away."""
    family = randomizer.family
    if family is None or (not is_claimed(family) and family.has_small_table):
        return Table.of(randomizer.tabulated)
    return claimed_family(family)


def _dummy(of: Part | ProductOf, given: UserRandomizer, dummy: Any) -> str | tuple[Fraction, ...]:
    """Return what is sent in place of a message, or refuse what no claim states."""
    if dummy == UNIFORM and isinstance(of, Family) and type(of.member) in _UNIFORM:
        return UNIFORM
    if isinstance(of, Table) and isinstance(given, Randomizer):
        law = listed_dummy(given, dummy)
        if all(len(send) == 1 for row in of.rows for send, _ in row) and all(len(sent) == 1 for sent in law):
            return UNIFORM if dummy == UNIFORM else tuple(law.get((m,), Fraction(0)) for m in given.alphabet)
    raise InvalidValueError(
        f"no claim states {short(repr(given))} with dummy={short(repr(dummy))}: a table of one message a user has any "
        f'dummy of its messages, and of the families {_WITH_UNIFORM} have dummy="{UNIFORM}". Use absence="counted", or '
        "ask for delta and epsilon, which need no certificate."
    )


def table_of(protocol: Protocol) -> Table:
    """Return the table of the protocol's randomizer, or refuse what has none."""
    randomizer = getattr(protocol, "numeric_randomizer", None)
    if getattr(protocol, "is_listed", False):
        raise InvalidValueError(
            "who takes part is public, and this claim is about a table, which says nothing of that: of listed users it "
            "is claimed that they are (eps, delta)-DP for replace-one neighbours, with least=None. Claim that, or pass "
            'absence="counted".'
        )
    if randomizer is None:
        raise InvalidValueError(
            f"protocol is a {type(protocol).__name__}, without a randomizer. Pass a ShuffleProtocol; for a count plus "
            "noise claim Claim.shift_dp(noise, shift=...)."
        )
    if (table := randomizer.listed()) is None:
        raise InvalidValueError(
            f"the randomizer {randomizer.name} has no table of at most 65536 entries, and this claim needs one: of "
            "a family it is claimed that it is (eps, delta)-DP for replace-one neighbours, with least=None. Use "
            "fewer inputs."
        )
    return Table.of(table)


def users_of(protocol: Protocol) -> int:
    """Return the number of users, or refuse a random one."""
    users = getattr(protocol, "users", None)
    if not isinstance(users, int):
        raise InvalidValueError(
            f"n is random, by {short(repr(users))}, and no certificate speaks of that. Claim it for one n, "
            "with ShuffleProtocol(randomizer, 1000), or for every n from one on, with all_n_from=1000."
        )
    return users


def relation_of(neighbors: object) -> Neighbors:
    """Return the neighbouring relation, or refuse what is none."""
    if not isinstance(neighbors, Neighbors):
        raise InvalidValueError(
            f"neighbors={neighbors!r} is no neighbouring relation. Pass Neighbors.REPLACE_ONE, say."
        )
    return neighbors


# --- Mechanisms -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShuffledView(Encoded):
    """What the shuffler shows of n users who run one randomizer."""

    randomizer: Annotated[ClaimedRandomizer, RANDOMIZER]
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

    @cached_property
    def profile(self) -> PrivacyProfile:
        """The privacy profile over all of them."""
        return PrivacyProfile(self.source)

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the worst event at e^eps, or at infinity."""
        return engine_of(self.source).worst(exp_eps, self.executor)

    def witness(self, event: WorstEvent) -> JsonObject:
        """Return the pair of an event as the checker is told of it."""
        return self.mechanism.witness(event.first, event.second)

    def words(self, event: WorstEvent) -> str:
        """Return the pair of an event for reading."""
        return self.mechanism.words(event.first, event.second)


def noise_of(law: Any, shift: int) -> ShiftedNoise:
    """Return noise on a query that changes by at most ``shift``."""
    return ShiftedNoise(as_noise_law(law), as_integer(shift, name="shift", at_least=1))
