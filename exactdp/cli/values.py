"""From what is typed to the values of the package. Numbers go as text to :mod:`exactdp.numbers`, and are read there."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import exactdp as xdp
from exactdp.cli.output import Fact
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import exact_text, number_text, short
from exactdp.protocols.naming.populations import read_population
from exactdp.protocols.naming.targets import ClassesTarget, ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw

BITS: Final = 53
"""Relative bits of an answer unless more are asked for, as in the library."""

MAX_BITS: Final = 10_000
"""Most relative bits of an answer."""

NEIGHBORS: Final = ("replace-one", "add-or-remove-one", "replace-by-zeros")
"""The values of exactdp.mechanisms.dataset.Neighbors, loaded where it is needed; the first is the default."""


@dataclass(frozen=True, slots=True)
class TypedLevel:
    """The level of privacy that is asked about: e^eps exactly, or a rational eps != 0 whose e^eps is irrational."""

    exact: Fraction | None
    eps: Fraction | None
    name: str
    """Which option it came from: exp_eps or eps."""
    shown: str

    @classmethod
    def read(cls, eps: str | None, exp_eps: str | None) -> TypedLevel:
        """Return the level from exactly one of the two; ``eps`` may be ``ln(p/q)``, which is an exact e^eps."""
        from exactdp.numbers.epsilon import eps_json, read_privacy_level

        if (eps is None) == (exp_eps is None):
            given = "neither is given" if eps is None else "both are given"
            raise InvalidValueError(
                f"one of --eps and --exp-eps is needed, and {given}. Write --eps 1, or --exp-eps 2 for e^eps = 2."
            )
        if eps is not None and eps.startswith("ln(") and eps.endswith(")"):
            log = xdp.LogRational(eps[3:-1])
            return cls(log.argument, None, "eps", eps_json(log)["exact"] or "")
        level = read_privacy_level(eps=eps, exp_eps=exp_eps)
        shown = exact_text(level.eps or level.exp_eps or 0) if exp_eps is not None or level.eps is not None else "0"
        return cls(level.exp_eps, level.eps, "eps" if exp_eps is None else "exp_eps", shown)

    @property
    def keywords(self) -> dict[str, Any]:
        """The level as claims and profiles take it."""
        return {"exp_eps": self.exact} if self.eps is None else {"eps": self.eps}

    @property
    def for_theorems(self) -> Fraction | xdp.LogRational:
        """The eps as theorems take it."""
        if self.exact is None or self.shown == "0":
            return self.eps or Fraction(0)
        return xdp.LogRational(self.exact)

    @property
    def fact(self) -> Fact:
        """The level in an answer."""
        return Fact(self.name, self.shown, "privacy", self.text)

    @property
    def text(self) -> str:
        """The level for reading."""
        from exactdp.numbers.epsilon import eps_text

        if self.exact is not None:
            return f"e^eps = {number_text(self.exact)}, eps = {eps_text(xdp.LogRational(self.exact))}"
        return f"eps = {number_text(self.eps or Fraction(0))}"


def read_users(users: str | None, target: ProtocolTarget) -> int:
    """Return the number of users."""
    if users is None:
        raise InvalidValueError(
            f"{target.name} needs -n, the number of users who follow the protocol. Write -n 100, or --users 100."
        )
    return read_population(users)


def refuse(target: ProtocolTarget | ClassesTarget | NoiseLaw, given: dict[str, str | None]) -> None:
    """Refuse the options that are given and have no meaning for this kind of target."""
    owner = "randomizers" if isinstance(target, NoiseLaw) else "noise laws, such as @poisson:mu=10"
    for option, value in given.items():
        if value is not None:
            raise InvalidValueError(
                f"{option} has no meaning for {short(target.name)}. Leave it out: it belongs to {owner}."
            )


def read_bits(text: str | None) -> int:
    """Return a relative accuracy in bits, or its default."""
    return BITS if text is None else read_bounded(text, "relative_bits", MAX_BITS)


def read_bounded(text: str, name: str, limit: int) -> int:
    """Return an integer from 1 to ``limit``."""
    value = as_integer(text, name=name, at_least=1)
    if value > limit:
        raise TooLargeError(f"{name}={short(value)} is more than the limit of {limit}. Use a smaller number.")
    return value


def read_neighbors(text: str | None) -> xdp.Neighbors:
    """Return the neighbouring relation."""
    return xdp.Neighbors(NEIGHBORS[0] if text is None else text)


def read_limit(text: str | None) -> int:
    """Return the limit of pairs times outcomes, or its default."""
    from exactdp.protocols.protocol import DEFAULT_LIMIT

    return DEFAULT_LIMIT if text is None else as_integer(text, name="limit", at_least=1)
