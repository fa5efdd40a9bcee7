"""The families by the names under which they are asked for, with what each is made from.

Files, claims and the command line read this one registry: the number of inputs and e^eps0 make a family of every kind
but one, which has no e^eps0; a few take one more option.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from exactdp.errors import InvalidValueError, meant
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.dummies_family import BallsIntoBins, MixedDummies
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.hadamard_response_family import HadamardResponse
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.local_hashing_family import LocalHashing
from exactdp.mechanisms.subset_selection_family import SubsetSelection
from exactdp.mechanisms.unary_encoding_family import UnaryEncoding
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True)
class Kind:
    """How a family is made from its number of inputs; ``options`` names what else it takes."""

    build: Callable[..., FamilyRandomizer]
    options: frozenset[str] = frozenset()
    has_eps0: bool = True
    """Whether it is made from an e^eps0."""


def _laplace(inputs: int, *, exp_eps0: Exact | Real) -> FamilyRandomizer:
    return ClippedDiscreteLaplace(as_integer(inputs, name="inputs", at_least=2) - 1, exp_eps0=exp_eps0)


def _balls(inputs: int, *, dummies: Exact = 1) -> FamilyRandomizer:
    return BallsIntoBins(inputs, dummies=as_integer(dummies, name="dummies"))


def _mixed(inputs: int, *, exp_eps0: Exact | Real, dummies: Exact = 1) -> FamilyRandomizer:
    return MixedDummies(inputs, exp_eps0=exp_eps0, dummies=as_integer(dummies, name="dummies"))


KINDS: Final = {
    "randomized-response": Kind(KAryResponse),
    "unary-encoding": Kind(UnaryEncoding, frozenset({"optimized"})),
    "subset-selection": Kind(SubsetSelection, frozenset({"size"})),
    "hadamard-response": Kind(HadamardResponse),
    "local-hashing": Kind(LocalHashing, frozenset({"buckets"})),
    "clipped-discrete-laplace": Kind(_laplace),
    "balls-into-bins": Kind(_balls, frozenset({"dummies"}), has_eps0=False),
    "mixed-dummies": Kind(_mixed, frozenset({"dummies"})),
}


def family_of(kind: str, *, inputs: Exact, exp_eps0: Exact | Real | None = None, **options: Any) -> FamilyRandomizer:
    """Return the family of a kind.

    Args:
        kind: one of ``KINDS``.
        inputs: number of inputs, at least 2.
        exp_eps0: e^eps0, at least 1; may be irrational, as "exp(1/2)". Not for a kind without: ``KINDS`` says which.
        options: what the kind takes beside, for example ``optimized=True``; None stands for its default.

    Raises:
        InvalidValueError: for an unknown kind, an option that the kind does not take, and a missing exp_eps0.

    >>> family_of("local-hashing", inputs=10**6, exp_eps0=3, buckets=2)
    LocalHashing(d=1000000, exp_eps0=Fraction(3, 1), buckets=2)
    """
    if kind not in KINDS:
        near = meant(str(kind), KINDS)
        raise InvalidValueError(f"there is no kind {short(str(kind))!r}. {near}The kinds are {', '.join(KINDS)}.")
    given = {name: value for name, value in {"exp_eps0": exp_eps0, **options}.items() if value is not None}
    known = KINDS[kind].options | ({"exp_eps0"} if KINDS[kind].has_eps0 else frozenset())
    if strange := sorted(given.keys() - known):
        takes = ", ".join(sorted(KINDS[kind].options)) or "no option beside inputs and exp_eps0"
        raise InvalidValueError(f"{kind} does not take {strange[0]}. It takes {takes}.")
    if KINDS[kind].has_eps0 and exp_eps0 is None:
        raise InvalidValueError(f"{kind} needs exp_eps0. Pass e^eps0, for example exp_eps0=3.")
    return KINDS[kind].build(as_integer(inputs, name="inputs", at_least=2), **given)
