"""Quotients of polynomials in named variables, exactly, as text is read into them.

Nothing is cancelled but constants: (x^2 - 1)/(x - 1) keeps its denominator. So what a text divides by is seen, and a
quotient is a polynomial only where the text divides by numbers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.symbolic.sums import Polynomial, multiply, value_at

MAX_DEGREE: Final = 256
"""Of a polynomial, and of a power of a number."""
MAX_PRODUCTS: Final = 100_000
"""Products of two terms that one formula may ask for, each counted once for every 256 bits of its factors."""
MAX_BITS: Final = 2**14
"""Of a coefficient that is multiplied."""


@dataclass(slots=True)
class Effort:
    """What it takes to multiply out one formula: asked before each product, so that no formula takes long."""

    products: int = field(default=0)

    def beyond(self, first: Polynomial, second: Polynomial) -> str:
        """Count the product of two polynomials; return which limit it goes beyond in words, or nothing."""
        bits = _bits(first) + _bits(second)
        self.products += len(first) * len(second) * (1 + bits // 256)
        for what, size, limit in (
            ("products of terms", self.products, MAX_PRODUCTS),
            ("bits of a coefficient", bits, MAX_BITS),
            ("the degree", _degree(first) + _degree(second), MAX_DEGREE),
        ):
            if size > limit:
                return f"{what}: {size}, more than the limit of {limit}"
        return ""


@dataclass(frozen=True, slots=True)
class RationalFunction:
    """numerator / denominator, whose exponents belong to ``variables`` in this order.

    Both hold no coefficient 0; the denominator is not the polynomial 0, and where it is constant it is 1.
    """

    variables: tuple[str, ...]
    numerator: Polynomial
    denominator: Polynomial

    @classmethod
    def constant(cls, value: Fraction | int, variables: tuple[str, ...]) -> RationalFunction:
        """Return a number."""
        zero = (0,) * len(variables)
        return cls(variables, {zero: Fraction(value)} if value else {}, {zero: Fraction(1)})

    @classmethod
    def variable(cls, name: str, variables: tuple[str, ...]) -> RationalFunction:
        """Return one of the variables."""
        zero = (0,) * len(variables)
        return cls(variables, {tuple(int(v == name) for v in variables): Fraction(1)}, {zero: Fraction(1)})

    @property
    def is_polynomial(self) -> bool:
        """Whether the denominator is 1."""
        return not any(map(any, self.denominator))

    @property
    def number(self) -> Fraction | None:
        """The number that this is, None where a variable occurs in it."""
        if not self.is_polynomial or any(map(any, self.numerator)):
            return None
        return next(iter(self.numerator.values()), Fraction(0))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that occur in it, after everything is multiplied out."""
        terms = [*self.numerator, *self.denominator]
        return tuple(name for i, name in enumerate(self.variables) if any(term[i] for term in terms))

    def at(self, **values: Fraction | int) -> Fraction:
        """Return the value where each variable has a value; where the denominator vanishes there is none."""
        point = [Fraction(values[name]) for name in self.variables]
        below = value_at(self.denominator, point)
        if not below:
            raise InvalidValueError("the denominator is 0 there. Leave such values out.")
        return value_at(self.numerator, point) / below

    def polynomial(self, names: Sequence[str]) -> Polynomial:
        """Return the numerator with exponents for these names, among which are all that occur."""
        places = {name: i for i, name in enumerate(self.variables)}
        order = [places.get(name) for name in names]
        return {tuple(0 if i is None else e[i] for i in order): c for e, c in self.numerator.items()}

    def __add__(self, other: RationalFunction) -> RationalFunction:
        if self.denominator == other.denominator:
            return RationalFunction(self.variables, added(self.numerator, other.numerator), self.denominator)
        numerator = added(multiplied(self.numerator, other.denominator), multiplied(other.numerator, self.denominator))
        return RationalFunction(self.variables, numerator, multiplied(self.denominator, other.denominator))

    def __neg__(self) -> RationalFunction:
        return RationalFunction(self.variables, {e: -c for e, c in self.numerator.items()}, self.denominator)

    def __mul__(self, other: RationalFunction) -> RationalFunction:
        numerator = multiplied(self.numerator, other.numerator)
        return RationalFunction(self.variables, numerator, multiplied(self.denominator, other.denominator))

    def inverse(self) -> RationalFunction:
        """Return 1/self, of what is not 0."""
        if not self.numerator:
            raise InvalidValueError("1 is divided by 0. Divide by something else.")
        if (number := self.number) is not None:
            return RationalFunction.constant(1 / number, self.variables)
        if any(map(any, self.numerator)):
            return RationalFunction(self.variables, self.denominator, self.numerator)
        ((constant, scale),) = self.numerator.items()
        numerator = {e: c / scale for e, c in self.denominator.items()}
        return RationalFunction(self.variables, numerator, {constant: Fraction(1)})


def _bits(polynomial: Polynomial) -> int:
    """Return the most bits of a numerator or a denominator of a coefficient."""
    bits = 0
    for c in polynomial.values():
        bits = max(bits, c.numerator.bit_length(), c.denominator.bit_length())
    return bits


def _degree(polynomial: Polynomial) -> int:
    return max(map(sum, polynomial), default=0)


def added(first: Polynomial, second: Polynomial) -> Polynomial:
    """Return the sum of two polynomials, without coefficients 0."""
    total = dict(first)
    for exponents, coefficient in second.items():
        value = total[exponents] + coefficient if exponents in total else coefficient
        if value:
            total[exponents] = value
        else:
            del total[exponents]
    return total


def multiplied(first: Polynomial, second: Polynomial) -> Polynomial:
    """Return the product of two polynomials, without coefficients 0."""
    return {exponents: c for exponents, c in multiply(first, second).items() if c}
