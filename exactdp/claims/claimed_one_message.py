"""What a claim holds of a randomizer with one type of message, and of an estimate that is 0 below a threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from exactdp.claims import kinds
from exactdp.claims.encoding import Table, by_label
from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import Exact, as_fraction, as_integer


def additive_view(
    randomizer: Randomizer, base: Law | Mapping[int, Exact], shifts: Mapping[Any, int]
) -> kinds.AdditiveView:
    """Return the statement that the number of messages is the sum of shifts plus n copies of a law."""
    if len(randomizer.alphabet) != 1:
        raise InvalidValueError(
            f"the randomizer has {len(randomizer.alphabet)} messages. An additive view has one message type."
        )
    moved = by_label(shifts, randomizer.inputs, "shifts", "input")
    checked = tuple(as_integer(shift, name="a shift", at_least=0) for shift in moved)
    return kinds.AdditiveView(Table.of(randomizer), base if isinstance(base, Law) else Law(base), checked)


def zero_estimate(
    randomizer: Randomizer, weights: Mapping[Any, Exact], zero_unless_above: Exact, all_hold: Any
) -> kinds.ZeroEstimate:
    """Return the statement that the estimate is 0 where all users hold one input."""
    if all_hold not in randomizer.inputs:
        raise InvalidValueError(f"all_hold={all_hold!r} is unknown. The inputs are {randomizer.inputs!r}.")
    listed = by_label(weights, randomizer.alphabet, "weights", "message")
    checked = tuple(as_fraction(weight, name="a weight") for weight in listed)
    threshold = as_fraction(zero_unless_above, name="zero_unless_above")
    held = randomizer.inputs.index(all_hold)
    return kinds.ZeroEstimate(Table.of(randomizer), checked, threshold, held)
