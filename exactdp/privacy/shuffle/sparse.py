"""Laws as dictionaries: for views with few outcomes in a large box, where packed integers would be mostly zeros.

The same operations as the packed laws of ``numbers/packed.py``, always exact: the pairwise scan works with either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from exactdp.numbers.packed import Term


@dataclass(frozen=True)
class SparsePacking:
    """Makes sparse laws; weights are integers over ``denominator**users``."""

    denominator: int

    def law(self, terms: Sequence[Term]) -> SparseLaw:
        """Return the law of one user."""
        return SparseLaw(self, dict(terms))

    def point(self) -> SparseLaw:
        """Return the law of no user: weight 1 in slot 0."""
        return SparseLaw(self, {0: 1})


@dataclass(frozen=True, eq=False)
class SparseLaw:
    """A law: slot -> positive weight."""

    packing: SparsePacking
    slots: dict[int, int] = field(repr=False)

    def times(self, other: SparseLaw, *, rounded: bool = True) -> SparseLaw:
        """Return the convolution; nothing is ever rounded."""
        product: dict[int, int] = {}
        for slot, weight in self.slots.items():
            for step, factor in other.slots.items():
                key = slot + step
                product[key] = product.get(key, 0) + weight * factor
        return SparseLaw(self.packing, product)

    def power(self, exponent: int) -> SparseLaw:
        """Return the convolution of ``exponent`` copies."""
        result = self.packing.point()
        for _ in range(exponent):
            result = result.times(self)
        return result

    def with_terms(self) -> SparseLaw:
        """Return the law itself: its terms are listed."""
        return self

    def weights(self) -> Iterator[Term]:
        """Yield (slot, weight) for every slot that is not 0."""
        return iter(self.slots.items())

    def event_masses(self, other: SparseLaw, ratio: tuple[int, int] | None) -> tuple[int, int]:
        """Return the weights under ``self`` and ``other`` of where self > c/d * other (None: other = 0)."""
        mine = theirs = 0
        for slot, weight in self.slots.items():
            against = other.slots.get(slot, 0)
            if weight * ratio[1] > against * ratio[0] if ratio else not against:
                mine += weight
                theirs += against
        return mine, theirs
