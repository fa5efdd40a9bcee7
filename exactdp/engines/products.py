"""Products of packed laws: one of them, or all of a given number of factors in a tree that shares work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from exactdp.kernel.packed import PackedLaw

__all__ = ["Multiplicities", "all_products", "one_product"]

Multiplicities: TypeAlias = tuple[int, ...]
"""How many copies of each law."""


def one_product(laws: Sequence[PackedLaw], counts: Multiplicities, *, dimension: int) -> PackedLaw:
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


def all_products(laws: Sequence[PackedLaw], users: int) -> Iterator[tuple[Multiplicities, PackedLaw]]:
    """Yield the convolution of ``users`` laws for every way to choose them, sharing common factors.

    The first laws are multiplied in one by one; the last two by halving: all choices in a range share a factor, and
    each half multiplies in what only it shares. Near the leaves the factors have few terms and cost little.
    """
    powers = _Powers(laws)

    def walk(product: PackedLaw, chosen: Multiplicities, left: int) -> Iterator[tuple[Multiplicities, PackedLaw]]:
        position = len(chosen)
        if position == len(laws) - 1:
            yield (*chosen, left), product.times(powers.get(position, left))
        elif position == len(laws) - 2:
            for count, whole in halve(product, 0, left + 1):
                yield (*chosen, left - count, count), whole
        else:
            for count in range(left + 1):
                yield from walk(product, (*chosen, count), left - count)
                product = product.times(laws[position])

    def halve(product: PackedLaw, low: int, high: int) -> Iterator[tuple[int, PackedLaw]]:
        """``product`` holds what the choices with low, ..., high - 1 copies of the last law share."""
        if high - low == 1:
            yield low, product
            return
        middle = (low + high) // 2
        yield from halve(product.times(powers.get(len(laws) - 2, high - middle)), low, middle)
        yield from halve(product.times(powers.get(len(laws) - 1, middle - low)), middle, high)

    return walk(laws[0].packing.point(), (), users)


class _Powers:
    """Powers of laws, each computed once, with their terms listed where they are few."""

    def __init__(self, laws: Sequence[PackedLaw]) -> None:
        self._laws = laws
        self._known: dict[tuple[int, int], PackedLaw] = {}

    def get(self, position: int, exponent: int) -> PackedLaw:
        key = (position, exponent)
        if key not in self._known:
            self._known[key] = self._laws[position].power(exponent).with_terms()
        return self._known[key]
