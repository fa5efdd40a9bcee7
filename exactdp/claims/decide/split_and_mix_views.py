"""Decides claims about split and mix: near by the bound by components, or apart by the worst pair of few users."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from exactdp.checker.limits import MAX_COEFFICIENTS, MAX_MESSAGES, MAX_PRECISION
from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.decision import Decision, first_verified, undecided
from exactdp.claims.encoding import JsonObject, write_integer, write_integers
from exactdp.claims.kinds import SplitAndMix
from exactdp.errors import TooLargeError
from exactdp.numbers.formats import short
from exactdp.protocols.mixing.component_bound import split_and_mix_distance
from exactdp.protocols.mixing.split_and_mix_protocol import split_and_mix

_LENGTHS: Final = (32, 64, 128, 256, MAX_COEFFICIENTS)
"""Coefficients that the checker is asked to use: 32 are enough for most n."""
_SPARE_BITS: Final = 64
"""Bits beyond those of the square of the distance and of what it is multiplied by."""


def decide_split_and_mix(claim: SplitAndMix) -> Decision:
    """Decide by the bound, else by the two inputs that are furthest apart, if they can be listed."""
    try:
        bound = split_and_mix_distance(claim.n, modulus=claim.modulus, messages=claim.messages)
    except TooLargeError as error:
        return undecided(str(error))
    if bound.compare(claim.distance) in (-1, 0) or claim.distance == 1:
        return first_verified(claim, Verdict.PROVED, f"The bound by components is {bound}.", _series(claim))
    open_bound = f"The bound by components, {bound}, is not below {short(claim.distance)}"
    if claim.modulus > MAX_MESSAGES:
        return undecided(f"{open_bound}, and the views are too many to be listed.")
    try:
        worst = split_and_mix(claim.n, modulus=claim.modulus, messages=claim.messages).worst_pair()
    except TooLargeError:
        return undecided(f"{open_bound}, and the views are too many to be listed.")
    if worst.distance <= claim.distance:
        return undecided(f"{open_bound}, though no views are further apart than {short(worst.distance)}.")
    first, second = ([side.get(x, 0) for x in range(claim.modulus)] for side in (worst.first, worst.second))
    pair: JsonObject = {"first": write_integers(first), "second": write_integers(second)}
    words = f"The views of {first} and {second} are {short(worst.distance)} apart."
    return first_verified(claim, Verdict.REFUTED, words, [pair])


def _series(claim: SplitAndMix) -> Iterator[JsonObject]:
    """The witnesses, from few coefficients of few bits on."""
    square = (claim.distance**2).denominator.bit_length() if claim.distance else 0
    bits = square + 2 * claim.modulus.bit_length() + 2 * claim.n.bit_length() + _SPARE_BITS
    for length in _LENGTHS:
        for precision in (bits, 2 * bits, 4 * bits):
            if precision <= MAX_PRECISION:
                yield {"length": write_integer(length), "bits": write_integer(precision)}
