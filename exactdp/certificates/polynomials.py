"""How a certificate writes polynomials, the conditions they make, and the boxes they are bounded on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from exactdp.certificates.encoding import write_integer, write_rational
from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction, as_integer, short

__all__ = [
    "Condition",
    "Span",
    "read_term",
    "write_condition",
    "write_names",
    "write_polynomial",
    "write_span",
]

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")


class Span(NamedTuple):
    """An interval of real numbers, ``low`` < ``high``, whose ends belong to it where they are closed."""

    low: Exact
    high: Exact
    low_is_closed: bool = True
    high_is_closed: bool = True


class Condition(NamedTuple):
    """A polynomial that is at least 0, or above 0 where ``strict``: exponents of the variables -> coefficient.

    With variables x, y, ``Condition({(1, 0): 1, (0, 2): "-1/2"})`` is x - y^2/2 >= 0.
    """

    polynomial: Mapping[tuple[int, ...], Exact]
    strict: bool = False


def write_names(variables: Sequence[str] | Mapping[str, Any]) -> list[str]:
    names = list(variables)
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(name) for name in names):
        raise InvalidValueError(
            f"variables={names!r} are not distinct names. Use letters, digits and _, at most 32, a letter first."
        )
    return names


def write_condition(condition: Condition | Mapping[tuple[int, ...], Exact], variables: int) -> dict[str, Any]:
    polynomial, strict = condition if isinstance(condition, Condition) else (condition, False)
    return {"polynomial": write_polynomial(polynomial, variables), "strict": "yes" if strict else "no"}


def write_polynomial(polynomial: Mapping[tuple[int, ...], Exact], variables: int) -> list[list[Any]]:
    terms: list[list[Any]] = []
    for exponents, coefficient in sorted(polynomial.items()):
        if len(exponents) != variables:
            raise InvalidValueError(f"the exponents {exponents!r} are not one for each of the {variables} variables.")
        powers = [write_integer(as_integer(power, name="an exponent", at_least=0)) for power in exponents]
        value = as_fraction(coefficient, name="a coefficient")
        if value:
            terms.append([write_rational(value), powers])
    return terms


def read_term(term: object) -> tuple[Any, Any]:
    if not isinstance(term, tuple | list) or len(term) != 2:
        raise InvalidValueError("a term is no pair. Pass (polynomial, exponent), with {} for the exponent 0.")
    return term[0], term[1]


def write_span(name: str, ends: Span | tuple[Exact, Exact]) -> dict[str, str]:
    if not isinstance(ends, tuple) or len(ends) not in (2, 4):
        raise InvalidValueError(f"the interval of {name} is no pair. Pass (low, high), or a Span with open ends.")
    span = Span(*ends)
    low, high = as_fraction(span.low, name=f"low of {name}"), as_fraction(span.high, name=f"high of {name}")
    if low >= high:
        raise InvalidValueError(f"the interval of {name} from {short(low)} to {short(high)} is empty. Give low < high.")
    for closed in (span.low_is_closed, span.high_is_closed):
        if not isinstance(closed, bool):
            raise InvalidValueError(f"an end of the interval of {name} is closed: {closed!r}. Pass True or False.")
    return {
        "low": write_rational(low),
        "low_end": "closed" if span.low_is_closed else "open",
        "high": write_rational(high),
        "high_end": "closed" if span.high_is_closed else "open",
    }
