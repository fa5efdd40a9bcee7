"""Families of randomizers as claims hold them: a name and parameters in place of a table.

A claim of a family says nothing of its messages: the classes that the messages of a pair of inputs form follow from the
parameters, by a lemma for each family (docs/certificates.md, *families*). So n and the number of messages do not limit
it. A claim of the clipped discrete Laplace randomizer holds its ratio, and the checker lists its table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from exactdp.claims.encoding import Codec, Encoded, Json, Table
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.hadamard_response_family import HadamardResponse
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.local_hashing_family import LocalHashing
from exactdp.mechanisms.subset_selection_family import SubsetSelection
from exactdp.mechanisms.unary_encoding_family import StatedBits
from exactdp.numbers.epsilon import LogRational


class ClaimedFamily(Encoded):
    """A family with its parameters, under the fields that its class is ``stated_by``; the JSON has its name too."""

    __slots__ = ()
    kind: ClassVar[type[FamilyRandomizer]]
    is_listed: ClassVar[bool] = False
    """Whether the checker lists the outcomes of the table, and knows no classes of messages."""

    def encode(self) -> dict[str, Json]:
        """Return the family as JSON data."""
        return {"family": self.kind.name, **Encoded.encode(self)}

    def randomizer(self) -> FamilyRandomizer:
        """Return the randomizer that the claim is about."""
        return self.kind.stated(**{parameter: getattr(self, field) for field, parameter in self.kind.stated_by.items()})


@dataclass(frozen=True, slots=True)
class KAryFamily(ClaimedFamily):
    """k-ary randomized response."""

    kind: ClassVar[type[FamilyRandomizer]] = KAryResponse
    inputs: int
    exp_eps0: Fraction


@dataclass(frozen=True, slots=True)
class UnaryFamily(ClaimedFamily):
    """Unary encoding: the own bit is one with probability ``one``, each other bit with probability ``other``."""

    kind: ClassVar[type[FamilyRandomizer]] = StatedBits
    inputs: int
    one: Fraction
    other: Fraction


@dataclass(frozen=True, slots=True)
class SubsetFamily(ClaimedFamily):
    """Subset selection."""

    kind: ClassVar[type[FamilyRandomizer]] = SubsetSelection
    inputs: int
    size: int
    exp_eps0: Fraction


@dataclass(frozen=True, slots=True)
class HadamardFamily(ClaimedFamily):
    """Hadamard response."""

    kind: ClassVar[type[FamilyRandomizer]] = HadamardResponse
    inputs: int
    exp_eps0: Fraction


@dataclass(frozen=True, slots=True)
class HashingFamily(ClaimedFamily):
    """Local hashing."""

    kind: ClassVar[type[FamilyRandomizer]] = LocalHashing
    inputs: int
    buckets: int
    exp_eps0: Fraction


@dataclass(frozen=True, slots=True)
class LaplaceFamily(ClaimedFamily):
    """The clipped discrete Laplace randomizer."""

    kind: ClassVar[type[FamilyRandomizer]] = ClippedDiscreteLaplace
    is_listed: ClassVar[bool] = True
    top: int
    ratio: Fraction


_FAMILIES: Final[dict[str, type[ClaimedFamily]]] = {
    stated.kind.name: stated
    for stated in (KAryFamily, UnaryFamily, SubsetFamily, HadamardFamily, HashingFamily, LaplaceFamily)
}
"""By the name in the JSON."""

_ENDS: Final = (LogRational(1), LogRational(None))
"""The local eps of equal rows, and of an input that is sent as it is."""

_LISTED: Final = ", ".join(_FAMILIES)

ClaimedRandomizer = Table | ClaimedFamily


def _read_randomizer(data: Mapping[str, Any]) -> ClaimedRandomizer:
    return _FAMILIES[data["family"]].decode(data) if "family" in data else Table.decode(data)


RANDOMIZER: Final[Codec[ClaimedRandomizer]] = Codec(lambda stated: stated.encode(), _read_randomizer)
"""How a randomizer is written: a table, or a family."""


def is_claimed(randomizer: FamilyRandomizer) -> bool:
    """Return whether a claim can hold this family by its parameters."""
    return bool(randomizer.stated_by) and randomizer.is_rational and randomizer.local_epsilon() not in _ENDS


def claimed_family(randomizer: FamilyRandomizer) -> ClaimedFamily:
    """Return a family as claims hold it, or refuse one that no claim states."""
    if not randomizer.stated_by:
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
    fields = {field: getattr(randomizer, parameter) for field, parameter in randomizer.stated_by.items()}
    return _FAMILIES[randomizer.name](**fields)
