"""What users run, as the specification in a claim: a table, a family by its parameters, or what is made of them.

*Families of randomizers* are a name and parameters in place of a table. A claim of a family says nothing of its
messages: the classes that the messages of a pair of inputs form follow from the parameters, by a lemma for each family
(docs/certificates.md, *families*). So n and the number of messages do not limit it. A claim of the clipped discrete
Laplace randomizer holds its ratio, and the checker lists its table. Products, users who may be away, and classes of
users are made of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from exactdp.checker.limits import MAX_INPUTS, MAX_MESSAGES, MAX_USERS
from exactdp.claims.encoding import (
    Codec,
    Encoded,
    Json,
    Table,
    read_integer,
    read_rational,
    write_integer,
    write_rational,
)
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.absence_family import HIDDEN, listed_dummy
from exactdp.mechanisms.any_randomizer_family import AnyRandomizer
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.family import INPUT, UNIFORM, FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.hadamard_response_family import HadamardResponse
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.laplace_family import LaplaceRandomizer
from exactdp.mechanisms.local_hashing_family import LocalHashing
from exactdp.mechanisms.product_family import Product, product_of
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.subset_selection_family import SubsetSelection
from exactdp.mechanisms.unary_encoding_family import StatedBits
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import short
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import ShuffleProtocol

_FAMILIES: Final[dict[str, type[FamilyRandomizer]]] = {
    kind.name: kind
    for kind in (KAryResponse, StatedBits, SubsetSelection, HadamardResponse, LocalHashing, ClippedDiscreteLaplace)
} | {"any": AnyRandomizer, "laplace": LaplaceRandomizer}
"""By the name in the JSON."""

_NAMES: Final = {kind: name for name, kind in _FAMILIES.items()}

_MOST_CHOICES: Final = 10**7
"""Most pairs of inputs, times choices of one input for each class of users, times messages."""

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

    family: ClassVar[str] = "product"

    factors: tuple[Annotated[Part, RANDOMIZER], ...] = field(metadata={"key": "of"})

    def randomizer(self) -> UserRandomizer:
        """Return the randomizer that the claim is about."""
        return product_of([factor.randomizer() for factor in self.factors])


Dummy: TypeAlias = str | int | tuple[Fraction, ...]
"""What is sent in the place of a message: "uniform", as by an input of a family, the probabilities of all messages of a
table."""


@dataclass(frozen=True, slots=True)
class Away(Encoded):
    """A randomizer whose users take part with one probability each.

    Of a product of hidden users ``dummy`` has one for each factor.
    """

    family: ClassVar[str] = "participation"

    of: Annotated[Part | ProductOf, RANDOMIZER]
    participation: Fraction = field(metadata={"key": "probability"})
    absence: str
    dummy: Annotated[Dummy | tuple[Dummy, ...] | None, _DUMMY]

    def protocol(self, n: int) -> ShuffleProtocol:
        """Return n of these users."""
        base, dummy = self.of.randomizer(), self.dummy
        law = tuple(map(_sent, dummy)) if isinstance(self.of, ProductOf) and isinstance(dummy, tuple) else _sent(dummy)
        return ShuffleProtocol(base, n, participation=self.participation, absence=self.absence, dummy=law)

    def randomizer(self) -> UserRandomizer:
        """Return what one of them sends."""
        return self.protocol(1).numeric_randomizer


def _write_dummy(dummy: Any) -> Json:
    if isinstance(dummy, tuple):
        return list(map(_write_dummy, dummy))
    if isinstance(dummy, Fraction):
        return write_rational(dummy)
    return {"input": write_integer(dummy)} if isinstance(dummy, int) else str(dummy)


def _read_dummy(said: Any) -> Any:
    if isinstance(said, list):
        return tuple(map(_read_dummy, said))
    if isinstance(said, str):
        return said if said == UNIFORM else read_rational(said)
    return read_integer(said["input"])


_DUMMY: Final[Codec[Any]] = Codec(
    lambda dummy: {} if dummy is None else {"dummy": _write_dummy(dummy)},
    lambda data: _read_dummy(data["dummy"]) if "dummy" in data else None,
    is_merged=True,
)


def _sent(dummy: Any) -> Any:
    """Return a dummy as protocols take it."""
    if isinstance(dummy, tuple):
        return {m: p for m, p in enumerate(dummy) if p}
    return (INPUT, dummy) if isinstance(dummy, int) else dummy


RandomizerSpec: TypeAlias = Part | ProductOf | Away


def _read_randomizer(data: Mapping[str, Any]) -> RandomizerSpec:
    name = data.get("family")
    made = next((made for made in (ProductOf, Away) if made.family == name), None)
    return made.decode(data) if made else Table.decode(data) if name is None else Family.decode(data)


RANDOMIZER: Final[Codec[RandomizerSpec]] = Codec(lambda stated: stated.encode(), _read_randomizer)
"""How a randomizer is written: a table, a family, or what is made of them."""


def has_family_spec(randomizer: FamilyRandomizer) -> bool:
    """Return whether a claim can hold this family by its parameters."""
    return bool(randomizer.claim_fields) and randomizer.is_rational and randomizer.local_epsilon() not in _ENDS


def has_spec(randomizer: FamilyRandomizer) -> bool:
    """Return whether a claim can hold this family, or of a product each question by its family or table."""
    families = [part.family for part in randomizer.parts] or [randomizer]
    return all(family is None or has_family_spec(family) for family in families)


def family_spec(randomizer: FamilyRandomizer) -> Family:
    """Return a family as claims hold it, or refuse one that no claim states."""
    if not randomizer.claim_fields:
        raise InvalidValueError(
            f"the randomizer {randomizer.name} is none of the families that a claim can hold: {_LISTED}. Ask "
            "for delta or is_private, which need no certificate, or make the claim of a table."
        )
    if refusal := randomizer.claim_refusal:
        raise InvalidValueError(refusal)
    if not randomizer.is_rational:
        raise InvalidValueError(
            f"exp_eps0={randomizer.parameters['exp_eps0']} is irrational, and a claim holds rational numbers. Claim it "
            "at a rational number above to prove, or below to refute: .at_least(64) and .at_most(64) are such."
        )
    if not has_family_spec(randomizer):
        raise InvalidValueError(
            f"{randomizer.name} with local eps = {randomizer.local_epsilon()}: the claim of a family needs a finite "
            "one above 0. Use another e^eps0."
        )
    return Family.of(randomizer)


def randomizer_of(protocol: Protocol) -> RandomizerSpec:
    """Return the protocol's randomizer as a claim about replacing an input holds it: a family by its parameters.

    A product, and users who may be away, are their table where the first schema holds that, at its numbers of users.
    """
    randomizer = getattr(protocol, "randomizer", None)  # what is passed may be anything
    if not isinstance(protocol, ShuffleProtocol) or not isinstance(randomizer, UserRandomizer):
        return table_of(protocol)
    family = randomizer.family
    if protocol.may_be_away or (family is not None and family.parts):
        return _short_table(protocol) or _made_of(protocol)
    if family is None or (not has_family_spec(family) and family.has_small_table):
        return table_of(protocol)
    return family_spec(family)


@dataclass(frozen=True, slots=True)
class UserClass(Encoded):
    """Users who run one randomizer beside those of other classes."""

    randomizer: Annotated[RandomizerSpec, RANDOMIZER]
    n: int


def classes_of(classes: Sequence[ShuffleProtocol]) -> tuple[UserClass, ...]:
    """Return classes of users, each given by its own protocol, as a claim holds them.

    Tables share their messages, by label, where the checker can look at all choices of one input for each class.
    """
    given = classes[0].numeric_randomizer.inputs
    inputs = tuple(given) if len(given) <= MAX_INPUTS else ()
    listed = [one.numeric_randomizer.listed() if inputs else None for one in classes]
    alphabet = tuple(dict.fromkeys(label for table in listed if table is not None for label in table.alphabet))
    is_short = len(inputs) ** (2 + len(classes)) * len(alphabet) <= _MOST_CHOICES and len(alphabet) <= MAX_MESSAGES
    found = []
    for one, table in zip(classes, listed, strict=True):
        family = one.numeric_randomizer.family
        if table is not None and is_short:
            stated: RandomizerSpec = _aligned(table, inputs, alphabet)
        elif family is None:
            raise InvalidValueError(
                f"tables of {len(inputs)} inputs and together {len(alphabet)} messages are too large for a claim about "
                f"{len(classes)} classes of users. Use fewer inputs, families, or one class: ShuffleProtocol(table, n)."
            )
        else:
            stated = _made_of(one) if one.may_be_away or family.parts else _part(family)
        found.append(UserClass(stated, one.n))
    return tuple(found)


def _aligned(table: Randomizer, inputs: Sequence[Any], alphabet: Sequence[Any]) -> Table:
    """Return a table with its inputs in an order, and its messages numbered as in an alphabet."""
    places = [alphabet.index(label) for label in table.alphabet]
    by_input = dict(zip(table.inputs, table.rows, strict=True))
    rows = (tuple((tuple(places[m] for m in send), p) for send, p in by_input[x]) for x in inputs)
    return Table(len(alphabet), tuple(rows))


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
    factors = () if given.family is None else given.family.parts
    of = ProductOf(tuple(map(_part, factors))) if factors else _part(given)
    if not protocol.may_be_away:
        assert isinstance(of, ProductOf)
        return of
    dummy = protocol.dummy if protocol.absence == HIDDEN else None
    return Away(of, protocol.participation, protocol.absence, None if dummy is None else _dummy(of, given, dummy))


def _part(randomizer: UserRandomizer) -> Part:
    """Return a factor, or what users run who may be away."""
    family = randomizer.family
    if family is None or (not has_family_spec(family) and family.has_small_table):
        return Table.of(randomizer.tabulated)
    if family.pairs_by == "spreads":
        raise InvalidValueError(
            f"{family!r} sends real numbers, and no claim states products of these, classes or users who may be away. "
            "Ask for delta and epsilon, which need none, or claim it of users who all run it."
        )
    return family_spec(family)


def _dummy(of: Part | ProductOf, given: UserRandomizer, dummy: Any) -> Any:
    """Return what is sent in place of a message, or refuse what no claim states."""
    if isinstance(of, ProductOf):
        assert isinstance(given.family, Product)
        return tuple(map(_dummy, of.factors, given.family.factors, dummy))
    if isinstance(of, Family) and not of.member.is_checked_by_table:
        return UNIFORM if dummy == UNIFORM else given.inputs.index(dummy[1])
    if isinstance(of, Table):
        law = listed_dummy(given.tabulated, dummy)
        if all(len(send) == 1 for row in of.rows for send, _ in row) and all(len(sent) == 1 for sent in law):
            alphabet = given.tabulated.alphabet
            return UNIFORM if dummy == UNIFORM else tuple(law.get((m,), Fraction(0)) for m in alphabet)
    raise InvalidValueError(
        f"no claim states {short(repr(given))} with dummy={short(repr(dummy))}: a table of one message a user has any "
        f'dummy of its messages, a family but clipped-discrete-laplace "{UNIFORM}" and ("{INPUT}", x), and a product '
        'has one for each factor. Pass a table or absence="counted", or ask for delta and epsilon, which need none.'
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
