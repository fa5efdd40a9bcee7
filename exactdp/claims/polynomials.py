"""What may be given for the polynomials, the conditions and the boxes of a claim, and what they are in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.symbolic.handelman import Inequality
from exactdp.symbolic.sums import ExpTerm, Polynomial

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")

GivenPolynomial: TypeAlias = Mapping[tuple[int, ...], Exact]
"""Exponents of the variables -> coefficient, as it is given."""


class Condition(NamedTuple):
    """A polynomial that is at least 0, or above 0 if ``strict``: exponents of the variables -> coefficient.

    With variables x, y, ``Condition({(1, 0): 1, (0, 2): "-1/2"})`` is x - y^2/2 >= 0.
    """

    polynomial: GivenPolynomial
    strict: bool = False


def as_names(variables: Sequence[str] | Mapping[str, Any]) -> tuple[str, ...]:
    names = list(variables)
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(name) for name in names):
        raise InvalidValueError(
            f"variables={names!r} are not distinct names. Use letters, digits and _, at most 32, a letter first."
        )
    return tuple(names)


def as_condition(condition: Condition | GivenPolynomial, variables: int) -> Inequality:
    polynomial, strict = condition if isinstance(condition, Condition) else (condition, False)
    return Inequality(_as_polynomial(polynomial, variables), bool(strict))


def _as_polynomial(given: GivenPolynomial, variables: int) -> Polynomial:
    polynomial: dict[tuple[int, ...], Fraction] = {}
    for exponents, coefficient in sorted(given.items()):
        if len(exponents) != variables:
            raise InvalidValueError(f"the exponents {exponents!r} are not one for each of the {variables} variables.")
        powers = tuple(as_integer(power, name="an exponent", at_least=0) for power in exponents)
        value = as_fraction(coefficient, name="a coefficient")
        if value:
            polynomial[powers] = value
    return polynomial


def as_term(term: object, variables: int) -> ExpTerm:
    if not isinstance(term, tuple | list) or len(term) != 2:
        raise InvalidValueError("a term is no pair. Pass (polynomial, exponent), with {} for the exponent 0.")
    polynomial, exponent = (_as_polynomial(part, variables) for part in term)
    return ExpTerm(polynomial, exponent)
