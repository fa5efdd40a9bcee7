"""How many users: a number that engines can count, or the law of how many take part."""

from __future__ import annotations

from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.registry import FAMILIES
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.protocols.naming.name_grammar import name_of
from exactdp.protocols.naming.targets import ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_count_noise

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


def names_law(text: str) -> bool:
    """Whether a number of users is random: given by a law."""
    return text.startswith("@") or name_of(text) in FAMILIES


def read_participants(text: str, target: ProtocolTarget) -> int | NoiseLaw:
    """Return a number of users, or for "@binomial:n=1000,p=9/10" the law of how many take part in the protocol.

    The @ of a law may be left out.
    """
    if not names_law(text):
        return read_population(text)
    noise = read_count_noise(text, name="users")
    if target.table is None:
        raise InvalidValueError(
            f"users={short(text)} is random, but {target.name} is a count plus noise. Write -n 100."
        )
    return noise
