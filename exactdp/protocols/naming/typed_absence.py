"""Users who may be away, as they are typed: participation, absence and dummy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.absence_family import HIDDEN
from exactdp.mechanisms.family import INPUT, UNIFORM, UserRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.protocols.interface import Protocol

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
        return INPUT, _labelled(randomizer.inputs, text.removeprefix(f"{INPUT}:"), "input")
    if "=" not in text:
        return text
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
