"""Polynomials written as they are read, and the claims made of them.

``p, s = variables("p s")`` gives two names to calculate with; ``p <= 1`` is a condition and ``equal(p, s)`` are two of
them. ``implies`` and ``positive_on`` make the claims. Nothing is decided here: the checker expands every product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from exactdp import Claim
from exactdp.certificates.claim import Condition, Span

Monomial: TypeAlias = tuple[tuple[str, int], ...]
"""(variable, power), by name, without powers of 0."""


class Relation(NamedTuple):
    """A polynomial that is at least 0, or above 0 where strict."""

    expression: Expression
    strict: bool


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A polynomial with rational coefficients.

    >>> x, y = variables("x y")
    >>> sorted(((x + y) * (x - y) + 1).terms.items())
    [((), Fraction(1, 1)), ((('x', 2),), Fraction(1, 1)), ((('y', 2),), Fraction(-1, 1))]
    """

    terms: Mapping[Monomial, Fraction]

    @classmethod
    def of(cls, value: Expression | Fraction | int) -> Expression:
        """Return the constant, or the polynomial itself."""
        if isinstance(value, Expression):
            return value
        return cls({(): Fraction(value)} if value else {})

    def __add__(self, other: Expression | Fraction | int) -> Expression:
        terms = dict(self.terms)
        for monomial, coefficient in Expression.of(other).terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient
        return Expression({monomial: c for monomial, c in terms.items() if c})

    __radd__ = __add__

    def __neg__(self) -> Expression:
        return self * -1

    def __sub__(self, other: Expression | Fraction | int) -> Expression:
        return self + -Expression.of(other)

    def __rsub__(self, other: Expression | Fraction | int) -> Expression:
        return -self + other

    def __mul__(self, other: Expression | Fraction | int) -> Expression:
        total = Expression({})
        for first, a in self.terms.items():
            row = {_product(first, second): a * b for second, b in Expression.of(other).terms.items()}
            total = total + Expression(row)
        return total

    __rmul__ = __mul__

    def __truediv__(self, divisor: Fraction | int) -> Expression:
        return self * (1 / Fraction(divisor))

    def __pow__(self, power: int) -> Expression:
        result = Expression.of(1)
        for _ in range(power):
            result = result * self
        return result

    def __ge__(self, other: Expression | Fraction | int) -> Relation:
        return Relation(self - other, strict=False)

    def __gt__(self, other: Expression | Fraction | int) -> Relation:
        return Relation(self - other, strict=True)

    def __le__(self, other: Expression | Fraction | int) -> Relation:
        return Relation(other - self, strict=False)

    def __lt__(self, other: Expression | Fraction | int) -> Relation:
        return Relation(other - self, strict=True)

    def at(self, **values: Expression | Fraction | int) -> Expression:
        """Return the polynomial with these put for variables."""
        total = Expression({})
        for monomial, coefficient in self.terms.items():
            term = Expression.of(coefficient)
            for name, power in monomial:
                term = term * Expression.of(values.get(name, Expression({((name, 1),): Fraction(1)}))) ** power
            total = total + term
        return total


def variables(names: str) -> tuple[Expression, ...]:
    """Return one variable for each name, which a space separates."""
    return tuple(Expression({((name, 1),): Fraction(1)}) for name in names.split())


def equal(first: Expression, second: Expression | Fraction | int) -> tuple[Relation, Relation]:
    """Return the two relations that say that these are equal."""
    return first >= second, first <= second


def implies(*hypotheses: Relation, then: Relation | tuple[Relation, ...]) -> Claim:
    """Return the claim that wherever the hypotheses hold, so does the conclusion, or each of several.

    >>> x, y = variables("x y")
    >>> implies(x > 0, y > 1, then=x * y > x).kind
    'inequality'
    """
    if not isinstance(then, Relation):
        return Claim.conjunction(*(implies(*hypotheses, then=relation) for relation in then))
    names = _names(relation.expression for relation in (*hypotheses, then))
    return Claim.inequality(
        names,
        hypotheses=[Condition(_listed(h.expression, names), strict=h.strict) for h in hypotheses],
        conclusion=Condition(_listed(then.expression, names), strict=then.strict),
    )


def positive_on(
    box: Mapping[str, Span | tuple[Fraction | int, Fraction | int]],
    *terms: tuple[Expression | Fraction | int, Expression | Fraction | int],
    strict: bool = False,
) -> Claim:
    """Return the claim that the sum of factor * e^exponent is at least 0 on the box, or above 0 where strict.

    >>> (x,) = variables("x")
    >>> positive_on({"x": (-1, 1)}, (1, x), (-1 - x, 0)).kind
    'box_inequality'
    """
    names = list(box)
    listed = [(_listed(Expression.of(a), names), _listed(Expression.of(b), names)) for a, b in terms]
    return Claim.box_inequality(box, listed, strict=strict)


def _product(first: Monomial, second: Monomial) -> Monomial:
    powers = dict(first)
    for name, power in second:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


def _names(expressions: Iterable[Expression]) -> list[str]:
    return sorted({name for expression in expressions for monomial in expression.terms for name, _ in monomial})


def _listed(expression: Expression, names: list[str]) -> dict[tuple[int, ...], Fraction]:
    return {tuple(dict(monomial).get(name, 0) for name in names): c for monomial, c in expression.terms.items()}


def decimal(value: Fraction) -> str:
    """Return a number whose denominator has no other factors than 2 and 5 in decimals.

    >>> decimal(Fraction(11404, 100))
    '114.04'
    """
    return str(Decimal(value.numerator) / value.denominator)
