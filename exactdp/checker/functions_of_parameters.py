"""Functions of parameters: quotients of polynomials, as numbers of a claim about a whole box.

Trusted for: the quotient that is written, its value at a point, and several of them over one bottom.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, cast

from .budget import Work, malformed
from .inequalities import Polynomial, add, evaluate, multiply, read_polynomial, show_polynomial
from .limits import MAX_DECIMAL_BITS
from .reading import Object, Vector, common_denominator, read_object, read_short

Integers = dict[Vector, int]  # a polynomial with integer coefficients: exponents -> coefficient


class Function(NamedTuple):
    """The quotient of two polynomials in the parameters."""

    top: Polynomial
    bottom: Polynomial

    @classmethod
    def read(cls, value: object, where: str, parameters: int) -> Function:
        """A rational, a polynomial, or a quotient of two."""
        one: Polynomial = {(0,) * parameters: Fraction(1)}
        if isinstance(value, dict):
            fields = read_object(cast(Object, value), where, ["top", "bottom"])
            parts = [read_polynomial(fields[key], f"the {key} of {where}", parameters) for key in ("top", "bottom")]
            function = cls(parts[0], parts[1])
        elif isinstance(value, list):
            function = cls(read_polynomial(cast(list[object], value), where, parameters), one)
        else:
            number = read_short(value, where)
            return cls(multiply_by(number, one), one)
        if not function.top or not function.bottom:
            malformed(f"{where} has an empty polynomial: 0 is written as a number")
        return function

    def words(self, names: Sequence[str]) -> str:
        top = show_polynomial(self.top, names)
        if self.bottom == {(0,) * len(names): 1}:
            return top
        return f"({top})/({show_polynomial(self.bottom, names)})"

    def at(self, point: Sequence[Fraction], work: Work) -> Fraction:
        bottom = evaluate(self.bottom, point, work)
        if bottom == 0:
            malformed("a function of the parameters has the bottom 0 at the point of the witness")
        return evaluate(self.top, point, work) / bottom


Reader = Callable[[object, str], Function]
"""Reads a function, given what it is called."""


def read_positive(value: object, where: str, read: Reader) -> Function:
    """A probability, which is not written where it is 0."""
    function = read(value, where)
    if not function.top:
        malformed(f"{where} is 0")
    return function


class OverOne(NamedTuple):
    """Functions with one bottom, all scaled to integer coefficients; degrees that serve them all."""

    tops: list[Integers]
    bottom: Integers
    degrees: Vector

    @classmethod
    def of(cls, functions: Collection[Function], where: str, work: Work) -> OverOne:
        """The bottom is the product of the different ones."""
        places = {same: i for i, same in enumerate(dict.fromkeys(frozenset(f.bottom.items()) for f in functions))}
        bottoms = [dict(same) for same in places]
        variables = len(next(iter(bottoms[0])))
        one: Polynomial = {(0,) * variables: Fraction(1)}
        bottom, missing = one, [one] * len(bottoms)
        for i, factor in enumerate(bottoms):
            missing = [other if i == j else multiply(other, factor, work) for j, other in enumerate(missing)]
            bottom = multiply(bottom, factor, work)
        tops = [multiply(f.top, missing[places[frozenset(f.bottom.items())]], work) for f in functions]
        scaled = to_integers([*tops, bottom], where, work)
        return cls(scaled[:-1], scaled[-1], degrees_of(scaled))

    def is_one(self, places: Iterable[int], work: Work) -> bool:
        """Whether these functions add up to 1, identically."""
        total: Integers = {}
        for place in places:
            add_integers(total, self.tops[place])
        work.spend(len(total), 4096)
        return without_zeros(total) == self.bottom


def distinct_polynomials(polynomials: Iterable[Polynomial]) -> list[Polynomial]:
    return [dict(same) for same in dict.fromkeys(frozenset(polynomial.items()) for polynomial in polynomials)]


def to_integers(polynomials: Sequence[Polynomial], where: str, work: Work) -> list[Integers]:
    """All of them times one positive integer that leaves no denominators; coefficients that are 0 are left out."""
    scale = common_denominator([c for polynomial in polynomials for c in polynomial.values()], where, work)
    work.spend(sum(map(len, polynomials)), scale.bit_length(), scale.bit_length())
    return [
        {e: c.numerator * (scale // c.denominator) for e, c in polynomial.items() if c} for polynomial in polynomials
    ]


def degrees_of(polynomials: Sequence[Integers]) -> Vector:
    """The largest exponent of each variable."""
    return tuple(max(column) for column in zip(*(e for polynomial in polynomials for e in polynomial)))


def add_integers(total: Integers, term: Integers) -> None:
    for exponents, coefficient in term.items():
        total[exponents] = total.get(exponents, 0) + coefficient


def difference(first: Polynomial, second: Polynomial, work: Work) -> Polynomial:
    total = dict(first)
    add(total, multiply_by(Fraction(-1), second), work)
    return {e: c for e, c in total.items() if c}


def multiply_by(factor: Fraction, polynomial: Polynomial) -> Polynomial:
    return {e: factor * c for e, c in polynomial.items() if factor}


def without_zeros(polynomial: Integers) -> Integers:
    return {e: c for e, c in polynomial.items() if c}


def spelled(value: Fraction) -> str:
    """The one spelling of a rational in a document."""
    parts = [value.numerator] if value.denominator == 1 else [value.numerator, value.denominator]
    return "/".join(str(part) if part.bit_length() <= MAX_DECIMAL_BITS else hex(part) for part in parts)
