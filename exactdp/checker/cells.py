"""Cells of a box of parameters, and the coefficients of polynomials on them, packed into integers.

On the cell from l to h a parameter is x = (l + h z)/(1 + z), z >= 0. A polynomial times the powers of the 1 + z_i that
its degrees ask for is one in the z_i. Its coefficients are those of its Bernstein form times binomial coefficients, so
they have the same signs. They are packed into one integer, z being a power of two: so a law whose weights are
polynomials is a law whose weights are integers, and its views are those of the plain claims.

Trusted for: the cells cover the box, and the coefficients on a cell are those of the polynomial, none of them running
into the next.

It rests on these facts, with their theorems of the Coq kernel:

- a Bernstein form shows the sign on a cube: bernstein.bernstein_sound, box_inequality.box_inequality_proved
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, product
from math import lcm, prod
from operator import mul

from .boxes import Box, cut, strict_faces
from .budget import Work, malformed, rejected
from .functions_of_parameters import Integers, degrees_of
from .limits import MAX_BERNSTEIN, MAX_TOTAL_BITS
from .reading import Object, Vector, read_object


def check_cells(tree: Object, box: Box, check: Callable[[Box], None]) -> None:
    """Check each cell that the tree of cuts leaves."""
    if "variable" in tree:
        for subtree, part in cut(tree, box):
            check_cells(subtree, part, check)
    else:
        read_object(tree, "a leaf", [])
        check(box)


def count_coefficients(degrees: Vector) -> int:
    """How many coefficients a form has, if they are not too many."""
    places = prod(d + 1 for d in degrees)
    if places > MAX_BERNSTEIN:
        malformed(f"a Bernstein form of more than {MAX_BERNSTEIN} coefficients")
    return places


class Cell:
    """A part of the box: the ends of each parameter over one denominator, and which of them are closed."""

    def __init__(self, box: Box) -> None:
        self.closed = [(low.is_closed, high.is_closed) for low, high in box]
        self.ends: list[tuple[int, int, int]] = []  # low and high times the denominator, the denominator
        for low, high in box:
            q = lcm(low.value.denominator, high.value.denominator)
            self.ends.append((int(low.value * q), int(high.value * q), q))

    def norm(self, polynomials: Sequence[Integers], degrees: Vector, work: Work) -> int:
        """At least the sum of the absolute values of the coefficients on the cell, of all of them together."""
        count_coefficients(degrees)
        ends = sum(d * max(map(int.bit_length, end)) + d for d, end in zip(degrees, self.ends))
        bits = ends + max((c.bit_length() for polynomial in polynomials for c in polynomial.values()), default=0)
        work.spend(2 * (1 + len(degrees)) * (sum(degrees) + sum(map(len, polynomials))), bits, bits)
        powers = [
            [(abs(low) + abs(high)) ** e * (2 * q) ** (d - e) for e in range(d + 1)]
            for d, (low, high, q) in zip(degrees, self.ends)
        ]
        return sum(
            abs(c) * prod(column[k] for column, k in zip(powers, e))
            for polynomial in polynomials
            for e, c in polynomial.items()
        )


class Packing:
    """Polynomials of at most these degrees on a cell, each as one integer with ``bits`` bits for a coefficient."""

    def __init__(self, cell: Cell, degrees: Vector, norm_bits: int, work: Work) -> None:
        self.cell, self.degrees = cell, degrees
        self.places = count_coefficients(degrees)
        self.bits = 8 * ((norm_bits + 9) // 8)  # one for the sign
        if self.places * self.bits > MAX_TOTAL_BITS:
            malformed(f"the coefficients on a cell have more than {MAX_TOTAL_BITS} bits")
        self.units = list(accumulate((d + 1 for d in degrees), mul, initial=1))[:-1]
        work.hold(4, self.places * self.bits)
        self.half = 1 << (self.bits - 1)
        self.halves = self.half * (((1 << self.places * self.bits) - 1) // ((1 << self.bits) - 1))

    def pack(self, polynomials: Sequence[Integers], degrees: Vector, work: Work) -> list[int]:
        """Each polynomial times the powers of 1 + z that these degrees ask for, z being 2^bits or a power of that."""
        long, steps = self.places * self.bits, sum(d + 1 for d in degrees) + sum(map(len, polynomials))
        work.spend(4 * (1 + len(degrees)) * steps, long, self.bits * (1 + sum(degrees)))
        columns: list[list[int]] = []
        for d, unit, (low, high, q) in zip(degrees, self.units, self.cell.ends):
            line, one = low + (high << self.bits * unit), q + (q << self.bits * unit)
            columns.append([line**e * one ** (d - e) for e in range(d + 1)])
        return [
            sum(c * prod(column[k] for column, k in zip(columns, e)) for e, c in polynomial.items())
            for polynomial in polynomials
        ]

    def packed_bits(self, bits: int) -> int:
        """The same, refused where a law of so long weights is."""
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the law have more than {MAX_TOTAL_BITS} bits")
        return bits

    def unpack(self, packed: int) -> list[int]:
        """The coefficients, the exponent of the first parameter running fastest."""
        length, width = self.places * self.bits // 8, self.bits // 8
        written = (packed + self.halves).to_bytes(length, "little")
        return [int.from_bytes(written[i : i + width], "little") - self.half for i in range(0, length, width)]

    def is_positive(self, coefficients: Sequence[int]) -> bool:
        """Whether no coefficient is negative and one is positive on each face: *a Bernstein form shows the sign*."""
        if min(coefficients) < 0:
            return False
        faces = strict_faces(list(self.degrees), self.cell.closed)
        return all(any(coefficients[sum(map(mul, place, self.units))] for place in product(*face)) for face in faces)


def check_sign(polynomial: Integers, cell: Cell, is_strict: bool, what: str, work: Work) -> None:
    """The polynomial is at least 0, or above 0, on the whole cell."""
    degrees = degrees_of([polynomial])
    work.spend(64, 64)
    packing = Packing(cell, degrees, cell.norm([polynomial], degrees, work).bit_length(), work)
    coefficients = packing.unpack(packing.pack([polynomial], degrees, work)[0])
    work.spend(4 * packing.places, packing.bits)
    if is_strict and not packing.is_positive(coefficients):
        rejected(f"{what} is not shown to be positive on a cell")
    if min(coefficients) < 0:
        rejected(f"{what} is not shown to be at least 0 on a cell")
