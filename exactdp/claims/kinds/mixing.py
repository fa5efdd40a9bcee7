"""Claims about split and mix: views are near by the bound by components, or apart by the worst pair of few users."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.checker.limits import MAX_COEFFICIENTS, MAX_MESSAGES, MAX_PRECISION
from exactdp.claims.encoding import JsonObject, write_integer, write_integers
from exactdp.claims.statement import Decision, Statement, Verdict, undecided
from exactdp.errors import TooLargeError
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short

_LENGTHS: Final = (32, 64, 128, 256, MAX_COEFFICIENTS)
"""Coefficients that the checker is asked to use: 32 are enough for most n."""
_SPARE_BITS: Final = 64
"""Bits beyond those of the square of the distance and of what it is multiplied by."""


@dataclass(frozen=True, slots=True)
class SplitAndMix(Statement, kind="split_and_mix"):
    """The shuffled shares of any two inputs with one sum modulo ``modulus`` are within a total variation distance."""

    n: int
    modulus: int
    messages: int
    distance: Fraction

    @classmethod
    def of(cls, n: int, *, modulus: int, messages: int, distance: Exact) -> SplitAndMix:
        """Of n users who split and mix, the views of any two inputs with one sum are within a total variation distance.

        Args:
            n: number of users who follow the protocol.
            modulus: the inputs and shares are integers modulo this, at least 2.
            messages: shares of a user, at least 3.
            distance: in [0, 1]; 2^-sigma is a security of sigma bits.

        >>> from exactdp import Claim
        >>> Claim.split_and_mix(10**4, modulus=2**32, messages=12, distance=Fraction(1, 2**40)).kind
        'split_and_mix'
        """
        users, order = as_integer(n, name="n", at_least=1), as_integer(modulus, name="modulus", at_least=2)
        shares = as_integer(messages, name="messages", at_least=3)
        return cls(users, order, shares, as_probability(distance, name="distance"))

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide by the bound, else by the two inputs that are furthest apart, if they can be listed."""
        from exactdp.protocols.mixing.component_bound import split_and_mix_distance
        from exactdp.protocols.mixing.split_and_mix_protocol import split_and_mix

        try:
            bound = split_and_mix_distance(self.n, modulus=self.modulus, messages=self.messages)
        except TooLargeError as error:
            return undecided(str(error))
        if bound.compare(self.distance) in (-1, 0) or self.distance == 1:
            return self.first_verified(Verdict.PROVED, f"The bound by components is {bound}.", _series(self))
        open_bound = f"The bound by components, {bound}, is not below {short(self.distance)}"
        if self.modulus > MAX_MESSAGES:
            return undecided(f"{open_bound}, and the views are too many to be listed.")
        try:
            worst = split_and_mix(self.n, modulus=self.modulus, messages=self.messages).worst_pair()
        except TooLargeError:
            return undecided(f"{open_bound}, and the views are too many to be listed.")
        if worst.distance <= self.distance:
            return undecided(f"{open_bound}, though no views are further apart than {short(worst.distance)}.")
        first, second = ([side.get(x, 0) for x in range(self.modulus)] for side in (worst.first, worst.second))
        pair: JsonObject = {"first": write_integers(first), "second": write_integers(second)}
        words = f"The views of {first} and {second} are {short(worst.distance)} apart."
        return self.first_verified(Verdict.REFUTED, words, [pair])


def _series(claim: SplitAndMix) -> Iterator[JsonObject]:
    """The witnesses, from few coefficients of few bits on."""
    square = (claim.distance**2).denominator.bit_length() if claim.distance else 0
    bits = square + 2 * claim.modulus.bit_length() + 2 * claim.n.bit_length() + _SPARE_BITS
    for length in _LENGTHS:
        for precision in (bits, 2 * bits, 4 * bits):
            if precision <= MAX_PRECISION:
                yield {"length": write_integer(length), "bits": write_integer(precision)}
