"""How many users: a number that engines can count, or the law of how many take part.

Users who may be away, as they are typed: participation, absence and dummy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError, meant
from exactdp.laws.registry import FAMILIES
from exactdp.mechanisms.absence_family import HIDDEN
from exactdp.mechanisms.family import INPUT, UNIFORM, UserRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.protocols.interface import Protocol
from exactdp.protocols.naming.name_grammar import name_of
from exactdp.protocols.naming.targets import ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_count_noise

_MOST_USERS: Final = 10**18
"""As in the theorems' tables; counts and their products stay within what engines size up."""


def read_population(text: str) -> int:
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


def read_users(text: str) -> int | NoiseLaw:
    """Return a number of users, or for "@binomial:n=1000,p=9/10", whose @ may be left out, the law of how many."""
    return read_count_noise(text, name="users") if names_law(text) else read_population(text)


def taking_part(users: int | NoiseLaw, target: ProtocolTarget) -> int | NoiseLaw:
    """Return how many take part in the protocol, or refuse a law where it has none."""
    if isinstance(users, NoiseLaw) and target.table is None:
        raise InvalidValueError(
            f"users={short(users.name)} is random, but {target.name} is a count plus noise. Write -n 100."
        )
    return users


def read_participants(text: str, target: ProtocolTarget) -> int | NoiseLaw:
    """Return a number of users, or the law of how many take part in the protocol."""
    return taking_part(read_users(text), target)


ABSENCE: Final = ("participation", "absence", "dummy")
"""What is typed."""

_MOST_LABELS: Final = 10**6
"""Most inputs that are looked through for a label."""


def with_absence(protocol: Protocol, typed: Mapping[str, str | None]) -> Protocol:
    """Return the protocol with users who may be away as it is typed: as it is, where nothing is."""
    participation, absence, dummy = (typed.get(name) for name in ABSENCE)
    if participation is absence is dummy is None:
        return protocol
    if not protocol.is_shuffled_randomizer:
        raise InvalidValueError(
            "participation, absence and dummy belong to users who each run a randomizer, and this protocol has none. "
            "Leave them out, or name a randomizer, as @randomized-response."
        )
    if participation is None:
        raise InvalidValueError(
            "absence and dummy need to be told how likely a user takes part. Give a participation, as 9/10."
        )
    from exactdp.protocols.protocol import ShuffleProtocol

    shuffled: Any = protocol  # whose randomizer is given
    randomizer = shuffled.numeric_randomizer
    if absence == HIDDEN and dummy is None:
        raise InvalidValueError(
            f"absence {HIDDEN} needs what is sent in place of a message. Give a dummy: {UNIFORM}, {INPUT}:0 for the "
            "row of an input, or of a table 0=1/2,1=1/2."
        )
    return ShuffleProtocol(
        randomizer,
        shuffled.users,
        participation=participation,
        absence=absence or (HIDDEN if dummy else "counted"),
        dummy=None if dummy is None else read_dummy(randomizer, dummy),
        analyzer=shuffled.analyzer,
    )


def read_dummy(randomizer: UserRandomizer, text: str) -> Any:
    """Return a dummy: "uniform", "input:x", or a law of single messages as "message=probability,..."."""
    if text.startswith(f"{INPUT}:"):
        return INPUT, _labelled(randomizer.dummy_inputs, text.removeprefix(f"{INPUT}:"), "input")
    if text == UNIFORM:
        return text
    if "=" not in text:
        raise InvalidValueError(
            f"dummy={short(text)} is unknown. {meant(text, (UNIFORM,))}Give {UNIFORM}, {INPUT}:0 for the row of an "
            "input, or of a table 0=1/2,1=1/2."
        )
    if not isinstance(randomizer, Randomizer):
        raise InvalidValueError(
            f"dummy={short(text)} is a law of messages, and those of a family are not listed. Give {UNIFORM} or "
            f"{INPUT}:0."
        )
    law: dict[Any, str] = {}
    for entry in text.split(","):
        label, equals, probability = entry.rpartition("=")
        if not equals:
            raise InvalidValueError(f"dummy has the entry {entry!r} without a probability. Write 0=1/2,1=1/2.")
        message = _labelled(randomizer.alphabet, label.strip(), "message")
        if message in law:
            raise InvalidValueError(f"dummy names the message {label!r} twice. Add the two probabilities.")
        law[message] = probability.strip()
    return law


def _labelled(values: Sequence[Any], label: str, kind: str) -> Any:
    """Return the value with a label."""
    if isinstance(values, range):
        return as_integer(label, name=f"the dummy's {kind}")
    if len(values) <= _MOST_LABELS:
        for value in values:
            if str(value) == label:
                return value
    shown = ", ".join(map(str, values[:8])) + (", ..." if len(values) > 8 else "")
    raise InvalidValueError(f"dummy names the unknown {kind} {short(label)!r}. Those known are {shown}.")
