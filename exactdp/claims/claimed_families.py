"""Families of randomizers as claims hold them: a name and parameters in place of a table.

A claim of a family says nothing of its messages: the classes that the messages of a pair of inputs form follow from the
parameters, by a lemma for each family (docs/certificates.md, *families*). So n and the number of messages do not limit
it. A claim of the clipped discrete Laplace randomizer holds its ratio, and the checker lists its table.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from exactdp.claims.encoding import Codec, Encoded, Json, Table
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.family import FamilyRandomizer, rational_of
from exactdp.mechanisms.hadamard_response_family import HadamardResponse
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.local_hashing_family import LocalHashing
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.subset_selection_family import SubsetSelection
from exactdp.mechanisms.unary_encoding_family import IndependentBits, StatedBits
from exactdp.numbers.epsilon import LogRational


class ClaimedFamily(Encoded):
    """A family with its parameters; ``family`` names it in the JSON."""

    __slots__ = ()
    family: ClassVar[str]

    def encode(self) -> dict[str, Json]:
        """Return the family as JSON data."""
        return {"family": self.family, **Encoded.encode(self)}

    @abstractmethod
    def randomizer(self) -> FamilyRandomizer:
        """Return the randomizer that the claim is about."""


@dataclass(frozen=True, slots=True)
class KAryFamily(ClaimedFamily):
    """k-ary randomized response."""

    family: ClassVar[str] = "k-ary"
    inputs: int
    exp_eps0: Fraction

    def randomizer(self) -> FamilyRandomizer:
        return KAryResponse(self.inputs, exp_eps0=self.exp_eps0)


@dataclass(frozen=True, slots=True)
class UnaryFamily(ClaimedFamily):
    """Unary encoding: the own bit is one with probability ``one``, each other bit with probability ``other``."""

    family: ClassVar[str] = "unary-encoding"
    inputs: int
    one: Fraction
    other: Fraction

    def randomizer(self) -> FamilyRandomizer:
        return StatedBits(self.inputs, keep=self.one, noise=self.other)


@dataclass(frozen=True, slots=True)
class SubsetFamily(ClaimedFamily):
    """Subset selection."""

    family: ClassVar[str] = "subset-selection"
    inputs: int
    size: int
    exp_eps0: Fraction

    def randomizer(self) -> FamilyRandomizer:
        return SubsetSelection(self.inputs, exp_eps0=self.exp_eps0, size=self.size)


@dataclass(frozen=True, slots=True)
class HadamardFamily(ClaimedFamily):
    """Hadamard response."""

    family: ClassVar[str] = "hadamard"
    inputs: int
    exp_eps0: Fraction

    def randomizer(self) -> FamilyRandomizer:
        return HadamardResponse(self.inputs, exp_eps0=self.exp_eps0)


@dataclass(frozen=True, slots=True)
class HashingFamily(ClaimedFamily):
    """Local hashing."""

    family: ClassVar[str] = "local-hashing"
    inputs: int
    buckets: int
    exp_eps0: Fraction

    def randomizer(self) -> FamilyRandomizer:
        return LocalHashing(self.inputs, exp_eps0=self.exp_eps0, buckets=self.buckets)


@dataclass(frozen=True, slots=True)
class LaplaceFamily(ClaimedFamily):
    """The clipped discrete Laplace randomizer."""

    family: ClassVar[str] = "clipped-discrete-laplace"
    top: int
    ratio: Fraction

    def randomizer(self) -> FamilyRandomizer:
        return ClippedDiscreteLaplace.of_ratio(self.top, self.ratio)


_FAMILIES: Final[dict[str, type[ClaimedFamily]]] = {
    kind.family: kind for kind in (KAryFamily, UnaryFamily, SubsetFamily, HadamardFamily, HashingFamily, LaplaceFamily)
}
"""By the name in the JSON."""

_CLAIMED: Final = (
    KAryResponse,
    IndependentBits,
    SubsetSelection,
    HadamardResponse,
    LocalHashing,
    ClippedDiscreteLaplace,
)

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
    if not (isinstance(randomizer, _CLAIMED) and randomizer.is_rational):
        return False
    return randomizer.local_epsilon() not in _ENDS


def claimed_family(randomizer: FamilyRandomizer) -> ClaimedFamily:
    """Return a family as claims hold it, or refuse one that no claim states."""
    if not isinstance(randomizer, _CLAIMED):
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
    return _stated(randomizer)


def _stated(randomizer: FamilyRandomizer) -> ClaimedFamily:
    match randomizer:
        case KAryResponse():
            return KAryFamily(randomizer.k, rational_of(randomizer.exp_eps0))
        case IndependentBits():
            return UnaryFamily(randomizer.d, randomizer.keep, randomizer.noise)
        case SubsetSelection():
            return SubsetFamily(randomizer.d, randomizer.size, rational_of(randomizer.exp_eps0))
        case HadamardResponse():
            return HadamardFamily(randomizer.d, rational_of(randomizer.exp_eps0))
        case LocalHashing():
            return HashingFamily(randomizer.d, randomizer.buckets, rational_of(randomizer.exp_eps0))
    assert isinstance(randomizer, ClippedDiscreteLaplace)
    return LaplaceFamily(randomizer.top, randomizer.ratio)


def as_table(stated: ClaimedRandomizer) -> Randomizer | None:
    """Return the table whose outcomes the checker lists; None of a family whose classes it knows."""
    if isinstance(stated, LaplaceFamily):
        return stated.randomizer().table()
    return stated.randomizer() if isinstance(stated, Table) else None
