"""The real roots of a polynomial in an interval, each in an interval of its own that closes to any width.

*Isolation.* Of a square-free polynomial on (low, high), the Bernstein coefficients change their sign as often as there
are roots inside, or by an even number more often (Descartes). No change: no root. One change, and no root at the ends:
one root. Else the interval is halved; for simple roots this ends.

*Order.* Different irreducible polynomials have no common root, so that two roots are told apart by narrowing.

Source: CollinsAkritas1976, Theorem 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from math import gcd, lcm
from typing import Final, TypeAlias

from exactdp.numbers.interval import Interval
from exactdp.symbolic.box import simplest

Coefficients: TypeAlias = tuple[int, ...]
"""Of a polynomial in one variable, the constant first; the last one is not 0."""

_SHOWN_BITS: Final = 32


@dataclass(frozen=True, slots=True)
class RealRoot:
    """The one root of a square-free polynomial between two rationals; where they are equal, it is this rational.

    Of an irrational root the polynomial has different signs at ``low`` and ``high``.
    """

    polynomial: Coefficients
    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, number: Fraction) -> RealRoot:
        """Return a rational number as the root of its polynomial."""
        return cls((-number.numerator, number.denominator), number, number)

    @property
    def rational(self) -> Fraction | None:
        """The root, where it is known to be rational."""
        return self.low if self.low == self.high else None

    def halved(self) -> RealRoot:
        """Return the same root between ends of half the distance."""
        if self.low == self.high:
            return self
        middle = (self.low + self.high) / 2
        sign = sign_at(self.polynomial, middle)
        if sign == 0:
            return RealRoot(self.polynomial, middle, middle)
        if sign == sign_at(self.polynomial, self.low):
            return RealRoot(self.polynomial, middle, self.high)
        return RealRoot(self.polynomial, self.low, middle)

    def narrowed(self, width: Fraction) -> RealRoot:
        """Return the same root between ends that differ by at most ``width``."""
        root = self
        while root.high - root.low > width:
            root = root.halved()
        return root

    def enclose(self, bits: int = 53) -> Interval:
        """Return an interval around the root that is at most 2^-bits times as wide as the root is large, or exact.

        >>> RealRoot((-2, 0, 1), Fraction(1), Fraction(2)).enclose(20)
        Interval[1.414213418, 1.414213658]
        """
        root = self
        while root.low <= 0 <= root.high and root.low < root.high:
            root = root.halved()
        root = root.narrowed(min(abs(root.low), abs(root.high)) / 2 ** (bits + 2))
        return Interval.between(root.low, root.high, bits=bits + 2)

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else str(self.enclose(_SHOWN_BITS))


def sign_at(coefficients: Sequence[int], at: Fraction) -> int:
    """Return the sign of the polynomial at a rational number."""
    value, scale = 0, 1
    for coefficient in reversed(coefficients):
        value = value * at.numerator + coefficient * scale
        scale *= at.denominator
    return (value > 0) - (value < 0)


def sign_at_root(coefficients: Sequence[int], root: RealRoot) -> int:
    """Return the sign of a polynomial at a root, 0 where it vanishes there too."""
    if root.rational is not None:
        return sign_at(coefficients, root.rational)
    common = greatest_common_divisor(trimmed(coefficients), root.polynomial)
    if sign_at(common, root.low) == -sign_at(common, root.high):
        return 0
    while _isolated(square_free(trimmed(coefficients)), root.low, root.high) or not sign_at(coefficients, root.high):
        root = root.halved()
    return sign_at(coefficients, root.high)


def trimmed(coefficients: Sequence[int]) -> Coefficients:
    """Return the coefficients without zeros at the end, divided by their greatest common divisor."""
    size = next((k for k in range(len(coefficients), 0, -1) if coefficients[k - 1]), 0)
    common = gcd(*coefficients[:size])
    return tuple(int(c) // common for c in coefficients[:size])


def square_free(coefficients: Coefficients) -> Coefficients:
    """Return a polynomial with the same roots, each of them simple."""
    if not coefficients:
        return ()
    derivative = trimmed([k * c for k, c in enumerate(coefficients)][1:])
    return _quotient(coefficients, greatest_common_divisor(coefficients, derivative))


def greatest_common_divisor(first: Coefficients, second: Coefficients) -> Coefficients:
    """Return the greatest common divisor, by remainders made primitive."""
    while second:
        first, second = second, _remainder(first, second)
    return first


def _remainder(first: Coefficients, second: Coefficients) -> Coefficients:
    rest = list(first)
    while len(rest) >= len(second):
        factor, shift = rest[-1], len(rest) - len(second)
        rest = [c * second[-1] for c in rest]
        for k, c in enumerate(second):
            rest[k + shift] -= c * factor
        rest = list(trimmed(rest))
    return tuple(rest)


def _quotient(dividend: Coefficients, divisor: Coefficients) -> Coefficients:
    rest, quotient = [Fraction(c) for c in dividend], []
    while len(rest) >= len(divisor):
        factor = rest.pop() / divisor[-1]
        quotient.append(factor)
        for k, c in enumerate(divisor[:-1]):
            rest[len(rest) - len(divisor) + 1 + k] -= factor * c
    scale = lcm(*(c.denominator for c in quotient))
    return trimmed([int(c * scale) for c in reversed(quotient)])


def roots_between(coefficients: Coefficients, low: Fraction, high: Fraction) -> list[RealRoot]:
    """Return the roots of a square-free polynomial inside (low, high), in ascending order.

    >>> [str(root) for root in roots_between((-2, 0, 1), Fraction(-3), Fraction(3))]
    ['[-1.414213563, -1.414213562]', '[1.414213562, 1.414213563]']
    """
    if len(coefficients) < 2:
        return []
    if len(coefficients) == 2:
        at = Fraction(-coefficients[0], coefficients[1])
        return [RealRoot(coefficients, at, at)] if low < at < high else []
    return _isolated(coefficients, low, high)


def bound_of_roots(coefficients: Coefficients) -> Fraction:
    """Return Cauchy's bound: every root is nearer to 0."""
    return 1 + max(abs(Fraction(c, coefficients[-1])) for c in coefficients)


def _isolated(coefficients: Coefficients, low: Fraction, high: Fraction) -> list[RealRoot]:
    found = _bisected(_on_unit_interval(coefficients, low, high), low, high)
    return [RealRoot(coefficients, *ends) for ends in found]


def _on_unit_interval(coefficients: Coefficients, low: Fraction, high: Fraction) -> list[int]:
    """Return the coefficients, in t, of a positive multiple of the polynomial in low + (high - low) t."""
    scale = lcm(low.denominator, high.denominator)
    start, width, shifted = int(low * scale), int((high - low) * scale), [0]
    power = 1
    for coefficient in reversed(coefficients):  # Horner's scheme; each step multiplies by the common denominator
        longer = [*(c * start for c in shifted), 0]
        for k, c in enumerate(shifted):
            longer[k + 1] += c * width
        longer[0] += coefficient * power
        shifted, power = longer, power * scale
    return shifted[: len(coefficients)]


def _bisected(values: list[int], low: Fraction, high: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the ends of an interval for each root inside; ``values`` are the coefficients on [low, high] as [0, 1]."""
    signs = [value > 0 for value in _shifted(values[::-1]) if value]  # multiples of the Bernstein coefficients, from 1
    changes = sum(a != b for a, b in pairwise(signs))
    if changes == 0:
        return
    if changes == 1 and values[0] and sum(values):
        yield low, high
        return
    middle, degree = (low + high) / 2, len(values) - 1
    left = [value << (degree - k) for k, value in enumerate(values)]
    right = _shifted(left)
    yield from _bisected(left, low, middle)
    if right[0] == 0:
        yield middle, middle
    yield from _bisected(right, middle, high)


def _shifted(coefficients: Sequence[int]) -> list[int]:
    """Return the coefficients of the polynomial in t + 1."""
    result = list(coefficients)
    for k in range(len(result)):
        for j in range(len(result) - 2, k - 1, -1):
            result[j] += result[j + 1]
    return result


def ascending(roots: Sequence[RealRoot], low: Fraction, high: Fraction) -> list[RealRoot]:
    """Return roots inside (low, high) in ascending order, their ends apart from each other and from low and high.

    The roots are different: of different irreducible polynomials, or different roots of one.
    """
    apart = sorted(roots, key=cmp_to_key(compare_roots))
    for k, root in enumerate(apart):
        while root.low <= low or root.high >= high:
            root = root.halved()
        apart[k] = root
    for k in range(len(apart) - 1):
        while apart[k].high >= apart[k + 1].low:
            apart[k], apart[k + 1] = apart[k].halved(), apart[k + 1].halved()
    return apart


def compare_roots(first: RealRoot, second: RealRoot) -> int:
    """Return -1, 0 or 1: the order of two roots of irreducible polynomials."""
    if first.polynomial == second.polynomial:
        low, high = max(first.low, second.low), min(first.high, second.high)
        if low <= high and sign_at(first.polynomial, low) == -sign_at(first.polynomial, high):
            return 0
    while first.high >= second.low and second.high >= first.low:
        first, second = first.halved(), second.halved()
    return -1 if first.high < second.low else 1


def between(low: Fraction, high: Fraction) -> Fraction:
    """Return a short rational strictly between two."""
    third = (high - low) / 3
    return simplest(low + third, high - third)
