"""The exact law of a shuffled view for one data set.

Only what can occur is counted and stored. Users who hold one input send as many multisets of bundles as there are of
the bundles in its row, and all users together at most as many as of the bundles in all their rows: the *ways*. A view
is one packed integer over the *box* of what its counts can be, or a list of outcomes where that is less work. Users who
always send the same only move it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from operator import add, mul
from typing import Final

from exactdp.errors import TooLargeError
from exactdp.laws.finite import Law
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.formats import about
from exactdp.numbers.packed import MAX_PACKED_BITS, Packing
from exactdp.privacy.engine import DataSet
from exactdp.privacy.shuffle.products import SparsePacking, one_product
from exactdp.privacy.shuffle.structure import Chart, CountLaw, Counts, at_zero, coordinates_of, count_laws, slot_terms

_MAX_OUTCOMES: Final = 10**7
"""A law of more outcomes takes gigabytes as a dictionary."""

_MAX_COUNTS: Final = 10**8
"""So does a list of outcomes with more counts in all."""

_MAX_STEPS: Final = 10**9
"""Most pairs of an outcome and a bundle that are added up in a list: some minutes."""

_FEW_STEPS: Final = 10**5
"""So many take a tenth of a second: no box is looked for."""


def view_law(randomizer: Randomizer, data_set: DataSet) -> Law:
    """Return the law of the vector of message counts, over ``randomizer.alphabet``."""
    used = [place for place, count in enumerate(data_set) if count]
    laws, denominator = count_laws(randomizer, used)
    rows = list(zip(laws, (data_set[place] for place in used), strict=True))
    sure = [0] * len(randomizer.alphabet)
    for law, count in rows:
        if len(law) == 1:
            sure = [total + count * one for total, one in zip(sure, *law, strict=True)]
    random = [row for row in rows if len(row[0]) > 1]
    if not random:
        return Law({tuple(sure): 1})
    weights, total = _weights([law for law, _ in random], [count for _, count in random], denominator)
    return Law.from_weights({tuple(map(add, sure, outcome)): w for outcome, w in weights}, total)


def _weights(
    laws: Sequence[CountLaw], counts: Sequence[int], denominator: int
) -> tuple[Iterator[tuple[Counts, int]], int]:
    """Return the outcomes of so many users of each row with their weights, and the sum of these."""
    users = sum(counts)
    ways = min(prod(map(_multisets, map(len, laws), counts)), _multisets(len(set().union(*laws)), users))
    listing = _Listing(tuple(laws), denominator)
    if listing.fits(ways, users) and listing.steps(ways, users) <= _FEW_STEPS:
        return listing.weights(counts), denominator**users
    box = _Box.of(laws, denominator)
    packing = box.packing(users, [sum(map(mul, counts, column)) for column in box.spans])
    if listing.fits(ways, users) and (listing.steps(ways, users) < users * packing.slots or not _fits(packing)):
        return listing.weights(counts), denominator**users
    _check(packing)
    return box.weights(counts, packing), denominator**users


def view_outcomes(randomizer: Randomizer, users: int) -> int:
    """Return a bound of the number of outcomes of a view; TooLargeError where ``view_law`` refuses so many users."""
    laws, denominator = count_laws(randomizer)
    box = _Box.of(laws, denominator)
    packing = box.packing(users, [users * max(column) for column in box.spans])
    ways = _multisets(len(set().union(*laws)), users)
    if not _Listing(tuple(laws), denominator).fits(ways, users):
        _check(packing)
    return min(packing.slots, ways)


def _multisets(kinds: int, users: int) -> int:
    """Return the number of multisets of so many kinds, or a number beyond what is listed."""
    fewer, more = sorted((users, kinds - 1))
    ways = 1
    for i in range(1, fewer + 1):
        ways = ways * (more + i) // i
        if ways > _MAX_OUTCOMES:
            break
    return ways


@dataclass(frozen=True, slots=True)
class _Listing:
    """Rows of which the outcomes are listed, one user after the other."""

    laws: tuple[CountLaw, ...]
    denominator: int

    @property
    def _messages(self) -> int:
        return len(next(iter(self.laws[0])))

    def steps(self, ways: int, users: int) -> int:
        """At most so many pairs of an outcome and a bundle are added up."""
        return ways * users * max(map(len, self.laws))

    def fits(self, ways: int, users: int) -> bool:
        """Whether so many outcomes can be listed."""
        bits = users * self.denominator.bit_length()
        return (
            ways <= _MAX_OUTCOMES
            and ways * self._messages <= _MAX_COUNTS
            and ways * bits <= MAX_PACKED_BITS
            and self.steps(ways, users) <= _MAX_STEPS
        )

    def weights(self, counts: Sequence[int]) -> Iterator[tuple[Counts, int]]:
        """Yield the outcomes of so many users of each row, with their weights."""
        most = [[max(column) for column in zip(*law, strict=True)] for law in self.laws]
        extents = [sum(map(mul, counts, column)) + 1 for column in zip(*most, strict=True)]
        packing = SparsePacking(self.denominator)
        laws = [packing.law(slot_terms(law, extents)) for law in self.laws]
        product = one_product(laws, tuple(counts), dimension=len(extents))
        return ((coordinates_of(slot, extents), weight) for slot, weight in product.weights())


@dataclass(frozen=True, slots=True)
class _Box:
    """Rows in the coordinates of views, each moved to 0."""

    chart: Chart
    laws: tuple[CountLaw, ...]
    lows: tuple[Counts, ...]
    """By how much each row was moved."""
    denominator: int

    @classmethod
    def of(cls, laws: Sequence[CountLaw], denominator: int) -> _Box:
        """Return the rows in coordinates."""
        chart = Chart.of(vector for law in laws for vector in law)
        charted = [{chart.coordinates(vector): weight for vector, weight in law.items()} for law in laws]
        lows = tuple(tuple(map(min, zip(*law, strict=True))) for law in charted)
        return cls(chart, tuple(map(at_zero, charted)), lows, denominator)

    @property
    def spans(self) -> list[Counts]:
        """For each coordinate, how far one user of each row moves it at most."""
        most = [[max(column) for column in zip(*law, strict=True)] for law in self.laws]
        return list(zip(*most, strict=True))

    def packing(self, users: int, largest: Sequence[int]) -> Packing:
        """Return how views are packed whose coordinates are at most these."""
        slots = prod(value + 1 for value in largest)
        return Packing(slots=slots, denominator=self.denominator, users=users, multiplier_bits=0)

    def weights(self, counts: Sequence[int], packing: Packing) -> Iterator[tuple[Counts, int]]:
        """Yield the outcomes of so many users of each row, with their weights."""
        extents = [sum(map(mul, counts, column)) + 1 for column in self.spans]
        laws = [packing.law(slot_terms(law, extents)) for law in self.laws]
        product = one_product(laws, tuple(counts), dimension=len(extents))
        lows = [sum(map(mul, counts, column)) for column in zip(*self.lows, strict=True)]
        for slot, weight in product.weights():
            place = map(add, coordinates_of(slot, extents), lows)
            yield self.chart.counts(tuple(place), packing.users), weight


def _fits(packing: Packing) -> bool:
    """Whether the box of a view can be held."""
    return packing.slots <= _MAX_OUTCOMES and packing.slots * packing.width <= MAX_PACKED_BITS


def _check(packing: Packing) -> None:
    """Refuse what does not fit."""
    if packing.slots > _MAX_OUTCOMES:
        raise TooLargeError(
            f"the law of {about(packing.users)} users has up to {about(packing.slots)} outcomes, the limit is "
            f"{_MAX_OUTCOMES}. Use fewer users."
        )
    if not _fits(packing):
        raise TooLargeError(
            f"the law of {about(packing.users)} users has up to {about(packing.slots)} outcomes of "
            f"{about(packing.width)} bits; the limit is {_MAX_OUTCOMES} outcomes or {MAX_PACKED_BITS} bits. Use fewer "
            "users, or ask for one pair (ShuffleProtocol.pair_profile)."
        )
