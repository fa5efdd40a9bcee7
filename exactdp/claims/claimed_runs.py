"""A level of privacy, noise on an integer query, and what is run again and again, as claims hold them."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

from exactdp.claims import kinds
from exactdp.claims.claimed_views import stated_randomizer, stated_relation, stated_table, stated_users
from exactdp.claims.encoding import Noise, as_noise_law
from exactdp.claims.neighbor_pairs import ShiftedNoise, ShuffledView
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.neighbors import Neighbors
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import ShuffleProtocol

LEAST: Final = (None, "delta", "exp_eps")
"""What a claim may call the least that will do."""


class Run(NamedTuple):
    """What is run again and again: a shuffle protocol, or noise on an integer query of sensitivity ``shift``."""

    mechanism: ShuffleProtocol | Noise
    times: int = 1
    shift: int = 1


def stated_noise(law: Noise, shift: int) -> ShiftedNoise:
    """Return noise on a query that changes by at most ``shift``."""
    return ShiftedNoise(as_noise_law(law), as_integer(shift, name="shift", at_least=1))


def stated_run(run: Run | tuple[ShuffleProtocol | Noise, int], neighbors: Neighbors) -> kinds.Repeated:
    """Return a run as it is given."""
    if not isinstance(run, tuple) or not 2 <= len(run) <= 3:
        raise InvalidValueError("a run is no pair. Pass (protocol or noise, times), or a Run with its shift.")
    mechanism, times, shift = Run(*run)
    often = as_integer(times, name="times", at_least=1)
    if not isinstance(mechanism, Protocol):
        return kinds.Repeated(stated_noise(mechanism, shift), often)
    randomizer = (stated_randomizer if neighbors is Neighbors.REPLACE_ONE else stated_table)(mechanism)
    return kinds.Repeated(ShuffledView(randomizer, stated_users(mechanism), stated_relation(neighbors)), often)


def stated_level(
    eps: Exact | LogRational | None, exp_eps: Exact | None, delta: Exact, least: str | None
) -> tuple[PrivacyLevel, Fraction]:
    """Return the level of privacy and delta, or refuse them."""
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    if least not in LEAST:
        raise InvalidValueError(f"least={least!r} is none of None, 'delta' and 'exp_eps'. Pass one of them.")
    if least is not None and level.eps is not None:
        raise InvalidValueError(
            f"least={least!r} with eps={short(level.eps)}, where e^eps is transcendental. Pass exp_eps, or a "
            "LogRational."
        )
    return level, as_probability(delta, name="delta")
