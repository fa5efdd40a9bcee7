"""Laws packed into one integer each, so that FLINT works on all outcomes at once.

The generating function of a count vector, evaluated at large enough powers of two (Kronecker substitution), is one
integer whose *slots*, groups of ``width`` bits, are the weights of the outcomes. Multiplying the integers convolves
the laws; a comparison of two laws in every slot is one subtraction whose slot-wise signs are read from the top bits;
adding up the slots is a few shifts and one remainder. No outcome is touched by a Python loop.

Weights are integers over ``denominator**users``. A packing with a ``precision`` rounds every weight *down* to a
multiple of a common power of two whenever the total grows beyond that many bits. What was lost is never estimated: it
is what the total lacks, exactly (:attr:`PackedLaw.missing`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from flint import fmpz

from exactdp.caching import cached_property

Term = tuple[int, int]
"""One outcome of one user: (slot, weight)."""

MAX_PACKED_BITS: Final = 2**32
"""Most bits of all weights of one exact law: half a gigabyte."""

_SPARSE: Final = 48
"""A factor with at most this many terms is multiplied term by term, a longer one as a whole."""

_LIMB: Final = 64
"""Bits of a machine word: slots begin at its multiples."""


_BUILT_BITS: Final = 2**20
"""Up to so many bits a total weight is built to be measured; FLINT ends the process where one cannot be held."""

_USERS_AT_ONCE: Final = 64
"""The total weight of so many users, d^64 <= 2^b, bounds that of all: d^n <= 2^(b n/64)."""
_DIVIDED: Final = 12
"""So few slots are added by one division."""


@dataclass(frozen=True)
class Packing:
    """How laws are packed: ``slots`` slots, each able to hold ``bits`` bits, with weights over ``denominator``.

    Args:
        slots: number of slots; the highest outcome of any product must be below it.
        denominator: of the weights of one user.
        users: largest number of users in a product.
        multiplier_bits: bits of the integers by which :meth:`PackedLaw.event_masses` multiplies weights.
        precision: bits kept of the total weight; None for exact.
    """

    slots: int
    denominator: int
    users: int
    multiplier_bits: int
    precision: int | None = None

    @cached_property
    def width(self) -> int:
        """Bits of a slot: room for the total weight of any product, times a multiplier, and a sign.

        With a precision, one factor of a product is rounded, and the other is rounded or the law of one user.
        """
        total = self.exact_bits
        if self.precision is not None:
            total = min(total, self.precision + max(self.precision, self.denominator.bit_length()))
        return -(-(total + self.multiplier_bits + 2) // _LIMB) * _LIMB

    @cached_property
    def exact_bits(self) -> int:
        """Bits of the total weight of all users; where that has no room to be built, a bound close above."""
        if self.users * self.denominator.bit_length() <= _BUILT_BITS:
            return int((fmpz(self.denominator) ** self.users).bit_length())
        return -(-self.users * int((fmpz(self.denominator) ** _USERS_AT_ONCE).bit_length()) // _USERS_AT_ONCE)

    @cached_property
    def ones(self) -> fmpz:
        """The integer with a 1 in every slot."""
        return ((fmpz(1) << (self.width * self.slots)) - 1) // ((fmpz(1) << self.width) - 1)

    @cached_property
    def almost_half(self) -> fmpz:
        """The integer with one less than half of its room in every slot."""
        return self.masks(self.width - 1)

    def law(self, terms: Sequence[Term]) -> PackedLaw:
        """Return the law of one user: ``weight / denominator`` in each slot named by ``terms``."""
        return PackedLaw(self, _pack(terms, self.width), users=1, dropped=0, terms=tuple(terms))

    def point(self) -> PackedLaw:
        """Return the law of no user: weight 1 in slot 0.

        Products start here. Building the full-sized ``ones`` before them lets the C allocator recycle blocks of any
        size that follows, instead of mapping fresh pages for each longer product (three times slower).
        """
        _ = self.ones
        return PackedLaw(self, fmpz(1), users=0, dropped=0, terms=((0, 1),))

    def masks(self, bits: int) -> fmpz:
        """Return the integer with the lowest ``bits`` bits of every slot set."""
        return self.ones * ((fmpz(1) << bits) - 1)


def _pack(terms: Sequence[Term], width: int) -> fmpz:
    value = fmpz(0)
    for slot, weight in terms:
        value += fmpz(weight) << (slot * width)
    return value


@dataclass(frozen=True, eq=False)
class PackedLaw:
    """A law, or a lower bound of one: slot i holds ``weight * denominator**users / 2**dropped``, rounded down."""

    packing: Packing
    value: fmpz = field(repr=False)
    users: int
    dropped: int
    terms: tuple[Term, ...] | None = field(default=None, repr=False)

    def times(self, other: PackedLaw, *, rounded: bool = True) -> PackedLaw:
        """Return the convolution of the two laws, rounded down to the precision of the packing unless told not to.

        A product that is not rounded may not be multiplied again.
        """
        if other.terms is not None and len(other.terms) <= _SPARSE:
            width, value = self.packing.width, fmpz(0)
            for slot, weight in other.terms:
                value += (self.value * weight) << (slot * width)
        else:
            value = self.value * other.value
        product = PackedLaw(self.packing, value, self.users + other.users, self.dropped + other.dropped)
        return product._rounded() if rounded else product

    def power(self, exponent: int) -> PackedLaw:
        """Return the convolution of ``exponent`` copies."""
        result = self.packing.point()
        for bit in bin(exponent)[2:]:
            result = result.times(result)
            if bit == "1":
                result = result.times(self)
        return result

    def with_terms(self) -> PackedLaw:
        """Return the same law, with its terms listed if they are few enough to multiply one by one."""
        terms = tuple(self.weights())
        return PackedLaw(self.packing, self.value, self.users, self.dropped, terms if len(terms) <= _SPARSE else None)

    def _rounded(self) -> PackedLaw:
        packing = self.packing
        if packing.precision is None:
            return self
        excess = self.scale.bit_length() - self.dropped - packing.precision
        if excess <= 0:
            return self
        kept = (self.value >> excess) & packing.masks(packing.width - excess)
        return PackedLaw(packing, kept, self.users, self.dropped + excess)

    @property
    def scale(self) -> int:
        """The total weight of an unrounded law of as many users: ``denominator**users``."""
        return int(self.packing.denominator**self.users)

    def total(self) -> int:
        """Return the sum of all slots."""
        return int(_fold(self.value, self.packing))

    @cached_property
    def missing(self) -> int:
        """The weight lost by rounding, exactly: the probability lost times ``scale``."""
        return 0 if self.dropped == 0 else self.scale - (self.total() << self.dropped)

    def weights(self) -> Iterator[Term]:
        """Yield (slot, weight) for every slot that is not 0, in order."""
        step = self.packing.width // 8
        used = -(-int(self.value.bit_length()) // self.packing.width)
        data = int(self.value).to_bytes(used * step, "little")
        for slot in range(used):
            weight = int.from_bytes(data[slot * step : (slot + 1) * step], "little")
            if weight:
                yield slot, weight

    def event_masses(self, other: PackedLaw, ratio: tuple[int, int] | None) -> tuple[int, int]:
        """Return the weights under ``self`` and ``other`` of the outcomes where self > c/d * other.

        ``ratio`` is (c, d), or None for infinity: then the outcomes are those with other = 0. The two laws share a
        packing and a scale. On this event ``P - c/d * Q`` is the hockey-stick divergence of order c/d.
        """
        packing = self.packing
        ones, width = packing.ones, packing.width
        if ratio is None:
            marks = ones - (((other.value + packing.almost_half) >> (width - 1)) & ones)
        else:
            difference = self.value * ratio[1] - other.value * ratio[0]
            marks = ((difference + packing.almost_half) >> (width - 1)) & ones
        mask = (marks << width) - marks
        return int(_fold(self.value & mask, packing)), int(_fold(other.value & mask, packing))


def _fold(value: fmpz, packing: Packing) -> fmpz:
    """Return the sum of all slots, for which one has room: the remainder by 2^width - 1.

    While there are many, the upper half of them is added to the lower half, which is faster than a long division.
    """
    slots, width, one = packing.slots, packing.width, fmpz(1)
    while slots > _DIVIDED:
        slots = (slots + 1) // 2
        value = (value & ((one << (slots * width)) - 1)) + (value >> (slots * width))
    return value % ((one << width) - 1)
