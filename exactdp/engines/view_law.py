"""The exact law of a shuffled view for one data set."""

from __future__ import annotations

from math import prod
from typing import Final

from exactdp.engines.engine import DataSet
from exactdp.engines.products import one_product
from exactdp.engines.structure import Chart, CountLaw, coordinates_of, count_laws, slot_terms
from exactdp.errors import TooLargeError
from exactdp.kernel.packed import MAX_PACKED_BITS, Packing
from exactdp.laws.finite import Law
from exactdp.models.randomizer import Randomizer
from exactdp.numbers.formats import about

_MAX_OUTCOMES: Final = 10**7
"""A law of more outcomes takes gigabytes as a dictionary."""


def view_law(randomizer: Randomizer, data_set: DataSet) -> Law:
    """Return the law of the vector of message counts, over ``randomizer.alphabet``."""
    users = sum(data_set)
    chart, charted, extents, packing = _layout(randomizer, users)
    product = one_product(
        [packing.law(slot_terms(law, extents)) for law in charted], data_set, dimension=len(chart.pivots)
    )
    weights = {chart.counts(coordinates_of(slot, extents), users): weight for slot, weight in product.weights()}
    return Law.from_weights(weights, packing.denominator**users)


def view_outcomes(randomizer: Randomizer, users: int) -> int:
    """Return a bound of the number of outcomes of a view; TooLargeError where ``view_law`` refuses so many users."""
    *_, packing = _layout(randomizer, users)
    return packing.slots


def _layout(randomizer: Randomizer, users: int) -> tuple[Chart, list[CountLaw], list[int], Packing]:
    """Return the coordinates of views, the rows and the extents in them, and how laws are packed."""
    laws, denominator = count_laws(randomizer)
    chart = Chart.of(vector for law in laws for vector in law)
    charted: list[CountLaw] = [{chart.coordinates(vector): weight for vector, weight in law.items()} for law in laws]
    extents = [users * max(v[j] for law in charted for v in law) + 1 for j in range(len(chart.pivots))]
    packing = Packing(slots=prod(extents), denominator=denominator, users=users, multiplier_bits=0)
    if packing.slots > _MAX_OUTCOMES:
        raise TooLargeError(
            f"the law of {about(users)} users has up to {about(packing.slots)} outcomes, the limit is {_MAX_OUTCOMES}. "
            "Use fewer users."
        )
    if packing.slots * packing.width > MAX_PACKED_BITS:
        raise TooLargeError(
            f"the law of {about(users)} users has up to {about(packing.slots)} outcomes of {about(packing.width)} "
            f"bits; the limit is {_MAX_OUTCOMES} outcomes or {MAX_PACKED_BITS} bits. Use fewer users, or ask "
            "for one pair (ShuffleProtocol.pair_profile)."
        )
    return chart, charted, extents, packing
