"""Steps of proofs as relations of SymPy, and the claims made of them.

``p, s = variables("p s")`` gives two symbols to calculate with; ``p <= 1`` and ``equal(p, s)`` are conditions.
``implies`` and ``positive_on`` make the claims: a claim holds polynomials with rational coefficients, so the checker,
which expands every product again, never sees SymPy. Nothing is decided here. SymPy is loaded by the first row whose
claim needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp import Claim
from exactdp.claims.claim import Span
from exactdp.claims.relations import implication, polynomial_of

if TYPE_CHECKING:
    import sympy

Expression: TypeAlias = "sympy.Expr"
"""A polynomial in symbols."""
Relation: TypeAlias = "sympy.Basic"
"""A relation between polynomials."""
Number: TypeAlias = "sympy.Expr | Fraction | int"


def variables(names: str) -> tuple[Any, ...]:
    """Return one symbol for each name, which a space separates."""
    from sympy import Symbol

    return tuple(map(Symbol, names.split()))


def equal(first: Number, second: Number) -> Relation:
    """Return the equation, also where SymPy sees that it holds."""
    from sympy import Eq

    return Eq(first, second, evaluate=False)


def at_least(first: Number, second: Number, *, strict: bool = False) -> Relation:
    """Return first >= second, or > where strict, also where SymPy could decide it."""
    from sympy import Ge, Gt

    return (Gt if strict else Ge)(first, second, evaluate=False)


def implies(*hypotheses: Relation, then: Relation | tuple[Relation, ...]) -> Claim:
    """Return the claim that wherever the hypotheses hold, so does the conclusion, or each of several.

    >>> x, y = variables("x y")
    >>> implies(x > 0, y > 1, then=x * y > x).kind
    'inequality'
    """
    return Claim.from_data(implication(then, hypotheses).data)


def positive_on(
    box: Mapping[str, Span | tuple[Fraction | int, Fraction | int]],
    *terms: tuple[Number, Number],
    strict: bool = False,
) -> Claim:
    """Return the claim that the sum of factor * e^exponent is at least 0 on the box, or above 0 where strict.

    >>> (x,) = variables("x")
    >>> positive_on({"x": (-1, 1)}, (1, x), (-1 - x, 0)).kind
    'box_inequality'
    """
    names = tuple(box)
    listed = [(polynomial_of(factor, names), polynomial_of(exponent, names)) for factor, exponent in terms]
    return Claim.box_inequality(box, listed, strict=strict)


def decimal(value: Fraction) -> str:
    """Return a number whose denominator has no other factors than 2 and 5 in decimals.

    >>> decimal(Fraction(11404, 100))
    '114.04'
    """
    from decimal import Decimal

    return str(Decimal(value.numerator) / value.denominator)
