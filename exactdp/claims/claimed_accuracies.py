"""What a claim of accuracy holds: the estimate, the data sets and the truth, of a shuffled view or of a noisy count."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from exactdp.claims import kinds
from exactdp.claims.encoding import Table, as_noise_law, by_label
from exactdp.claims.kinds import Estimate
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.dataset import histogram
from exactdp.numbers.exact import as_fraction


def accuracy_of_view(
    protocol: Any, weights: Mapping[Any, Fraction], dataset: Any, values: Any, estimate: Estimate
) -> kinds.ViewAccuracy:
    """Return the accuracy of an estimate from a shuffled randomizer."""
    inputs, alphabet = protocol.tabulated.inputs, protocol.tabulated.alphabet
    if values is None:
        raise InvalidValueError("values is missing. Pass input -> what a user who holds it adds to the truth.")
    return kinds.ViewAccuracy(
        Table.of(protocol.tabulated),
        protocol.n,
        None if dataset is None else histogram(dataset, inputs, users=protocol.n),
        tuple(weights.get(message, Fraction(0)) for message in alphabet),
        tuple(as_fraction(value, name="a value") for value in by_label(values, inputs, "values", "input")),
        estimate,
    )


def accuracy_of_count(
    protocol: Any, weights: Mapping[Any, Fraction], dataset: Any, values: Any, estimate: Estimate
) -> kinds.CountAccuracy:
    """Return the accuracy of an estimate from one noisy count."""
    weight = weights.get(0, Fraction(0))
    if values is not None or len(weights) > 1 or weight <= 0:
        raise InvalidValueError(
            "an accuracy claim about a noisy count takes no values, and an analyzer of one positive weight, of the "
            "message 0: the truth is this weight times the true count. Pass Analyzer({0: weight})."
        )
    least, most = 0, None if protocol.n is None else protocol.n * (protocol.shift if protocol.bins == 1 else 1)
    if dataset is not None:
        users = histogram(dataset, protocol.records, users=protocol.n)
        if protocol.bins > 1:
            raise InvalidValueError(
                f"dataset with bins={protocol.bins}. Claim the accuracy of one bin, or of every data set."
            )
        least = most = sum(record * count for record, count in zip(protocol.records, users, strict=True))
    if most is None:
        raise InvalidValueError("the protocol has no n, so there is no largest count. Pass AdditiveProtocol(..., n=n).")
    return kinds.CountAccuracy(as_noise_law(protocol.noise), least, most, weight, estimate)
