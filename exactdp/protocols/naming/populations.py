"""How many users: a number that engines can count, or the law of how many take part."""

from __future__ import annotations

from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError, meant
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.protocols.naming.targets import ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw, count_names, read_noise

_MOST_USERS: Final = 10**18
"""As in the theorems' tables; counts and their products stay within what engines size up."""


def read_population(text: str | None) -> int:
    """Return a number of users that engines can count."""
    return few_enough(as_integer(text, name="n", at_least=1))


def few_enough(n: int) -> int:
    """Return a number of users that is not too large."""
    if n > _MOST_USERS:
        raise TooLargeError(f"n={short(n)} is more than the limit of 10^18 users. Use a smaller n.")
    return n


def read_participants(text: str, target: ProtocolTarget) -> int | NoiseLaw:
    """Return a number of users, or for "@binomial:n=1000,p=9/10" the law of how many take part in the protocol."""
    if not text.startswith("@"):
        return read_population(text)
    name = text.partition(":")[0]
    if name not in count_names():
        near, known = meant(name, count_names()), ", ".join(count_names())
        raise InvalidValueError(f"users={short(text)} names no law. {near}The laws are {known}.")
    if target.table is None:
        raise InvalidValueError(
            f"users={short(text)} is random, but {target.name} is a count plus noise. Write -n 100."
        )
    return read_noise(text)
