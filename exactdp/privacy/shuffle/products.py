"""Products of laws: one of them, or all of a given number of factors in a tree that shares work.

Sparse laws are dictionaries: for views with few outcomes in a large box, where packed integers would be mostly zeros.
They have the same operations as the packed laws of ``numbers/packed.py``, always exact: the pairwise scan works with
either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

from exactdp.numbers.packed import PackedLaw, Term


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


AnyLaw = TypeVar("AnyLaw", PackedLaw, SparseLaw)

Multiplicities: TypeAlias = tuple[int, ...]
"""How many copies of each law."""

Part: TypeAlias = tuple[int, int]
"""(k, m): the choices with k copies of the first law, modulo m."""

ALL: Final = (0, 1)
"""All choices: k modulo 1 is 0."""


def one_product(laws: Sequence[AnyLaw], counts: Multiplicities, *, dimension: int) -> AnyLaw:
    """Return the convolution of ``counts[i]`` copies of each law.

    In one coordinate powers are squared; in several, where most slots of a packed integer are empty, multiplying one
    user's few terms at a time is faster.
    """
    product = laws[0].packing.point()
    for law, count in zip(laws, counts, strict=True):
        if dimension == 1:
            product = product.times(law.power(count))
        else:
            for _ in range(count):
                product = product.times(law)
    return product


def all_products(
    laws: Sequence[AnyLaw], users: int, twins: Sequence[int] = (), part: Part = ALL
) -> Iterator[tuple[Multiplicities, AnyLaw]]:
    """Yield the convolution of ``users`` laws for every way to choose them in a part of all, sharing common factors.

    Where two laws have the same label in ``twins``, only choices with at least as many of the earlier one are yielded.

    The first laws are multiplied in one by one; the last two by halving: all choices in a range share a factor, and
    each half multiplies in what only it shares. Near the leaves the factors have few terms and cost little.
    """
    powers = _Powers(laws)
    labels: list[int] = list(twins) or list(range(len(laws)))

    def most(position: int, chosen: Multiplicities, left: int) -> int:
        """The largest count that a position may have after what was chosen before it."""
        return min([left, *(count for count, label in zip(chosen, labels, strict=False) if label == labels[position])])

    def walk(product: AnyLaw, chosen: Multiplicities, left: int) -> Iterator[tuple[Multiplicities, AnyLaw]]:
        position = len(chosen)
        if position == len(laws) - 1:
            if left <= most(position, chosen, left):
                yield (*chosen, left), product.times(powers.get(position, left))
        elif position == len(laws) - 2:
            low = left - most(position, chosen, left)
            high = most(position + 1, chosen, left // 2 if labels[position] == labels[position + 1] else left)
            if low <= high:
                shared = product.times(powers.get(position, left - high)).times(powers.get(position + 1, low))
                for count, whole in halve(shared, low, high + 1):
                    yield (*chosen, left - count, count), whole
        else:
            for count in range(most(position, chosen, left) + 1):
                if position > 0 or count % part[1] == part[0]:
                    yield from walk(product, (*chosen, count), left - count)
                product = product.times(laws[position])

    def halve(product: AnyLaw, low: int, high: int) -> Iterator[tuple[int, AnyLaw]]:
        """``product`` holds what the choices with low, ..., high - 1 copies of the last law share."""
        if high - low == 1:
            yield low, product
            return
        middle = (low + high) // 2
        yield from halve(product.times(powers.get(len(laws) - 2, high - middle)), low, middle)
        yield from halve(product.times(powers.get(len(laws) - 1, middle - low)), middle, high)

    products = walk(laws[0].packing.point(), (), users)
    return ((counts, product) for counts, product in products if counts[0] % part[1] == part[0])


class _Powers(Generic[AnyLaw]):
    """Powers of laws, each computed once, with their terms listed where they are few."""

    def __init__(self, laws: Sequence[AnyLaw]) -> None:
        self._laws: Sequence[AnyLaw] = laws
        self._known: dict[tuple[int, int], AnyLaw] = {}

    def get(self, position: int, exponent: int) -> AnyLaw:
        key = (position, exponent)
        if key not in self._known:
            self._known[key] = self._laws[position].power(exponent).with_terms()
        return self._known[key]
