"""Lattices for the values of an outcome: how fine, how long, and between which two places a value lies.

At level j the places are the multiples of h 2^j. A sum of many values is made by binary powering; a measure that has
grown too long goes to the next level.

Trusted for: the two places around a value, and its share of the way from the lower one to the upper one.
"""

from __future__ import annotations

from fractions import Fraction

from .budget import Work, malformed, size
from .limits import MAX_LENGTH, MAX_PLACES, MAX_SUM_BITS, MIN_LENGTH, MIN_SUM_BITS
from .reading import Object, read_integer, read_short, show


def read_bits(witness: Object) -> int:
    """Of the coefficients of a measure."""
    return read_integer(witness["bits"], "bits", MIN_SUM_BITS, MAX_SUM_BITS)


def read_length(witness: Object) -> int:
    """Beyond which a measure goes to the next level."""
    return read_integer(witness["length"], "length", MIN_LENGTH, MAX_LENGTH)


def read_step(value: object) -> Fraction:
    """h: the lattice at level 0."""
    step = read_short(value, "step")
    if step <= 0:
        malformed("the step of the lattice is not positive")
    return step


def between(value: Fraction, step: Fraction, level: int, work: Work) -> tuple[int, int, int]:
    """Of t = value / (step 2^level) the floor, and its fraction as a numerator and a denominator."""
    work.spend(4, size(value) + level, size(step) + level)
    whole = value.denominator * (step.numerator << level)
    place, rest = divmod(value.numerator * step.denominator, whole)
    return place, rest, whole


def check_places(low: int, high: int) -> None:
    """Before the places from low to high are listed."""
    if high - low >= MAX_PLACES:
        count = show(Fraction(high - low + 1))
        malformed(f"the check is too large: the values take {count} places, beyond {MAX_PLACES}")
