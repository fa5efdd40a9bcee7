"""Claims of inequalities between polynomials: the search proposes products and points, the checker says which hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

from exactdp.claims.encoding import write_integers, write_rational
from exactdp.claims.statement import Decision, Statement, proved, refuted, undecided
from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.formats import short
from exactdp.symbolic import handelman
from exactdp.symbolic.handelman import MAX_DEGREE, counterexample, handelman_terms
from exactdp.symbolic.sums import Polynomial

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


def as_condition(condition: Condition | GivenPolynomial, variables: int) -> handelman.Inequality:
    polynomial, strict = condition if isinstance(condition, Condition) else (condition, False)
    return handelman.Inequality(as_polynomial(polynomial, variables), bool(strict))


def as_polynomial(given: GivenPolynomial, variables: int) -> Polynomial:
    polynomial: dict[tuple[int, ...], Fraction] = {}
    for exponents, coefficient in sorted(given.items()):
        if len(exponents) != variables:
            raise InvalidValueError(f"the exponents {exponents!r} are not one for each of the {variables} variables.")
        powers = tuple(as_integer(power, name="an exponent", at_least=0) for power in exponents)
        value = as_fraction(coefficient, name="a coefficient")
        if value:
            polynomial[powers] = value
    return polynomial


@dataclass(frozen=True, slots=True)
class Inequality(Statement, kind="inequality"):
    """For all real values of the variables: if all hypotheses hold, so does the conclusion."""

    variables: tuple[str, ...]
    hypotheses: tuple[handelman.Inequality, ...]
    conclusion: handelman.Inequality

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether the hypotheses imply the conclusion, for all real values of the variables."""
        question = (self.hypotheses, self.conclusion, len(self.variables))
        terms = handelman_terms(*question, degrees=range(3))
        if terms is None and (point := counterexample(*question)) is not None:
            return refuted(f"It fails at {point_words(self.variables, point)}.", point=list(map(write_rational, point)))
        terms = terms or handelman_terms(*question, degrees=range(3, MAX_DEGREE + 1))
        if terms is None:
            return undecided(
                "No combination of products of the hypotheses of low degree was found, and no counterexample."
            )
        listed = [{"coefficient": write_rational(c), "powers": write_integers(powers)} for powers, c in terms]
        return proved(f"The conclusion is a sum of {len(listed)} products of hypotheses.", terms=listed)


def point_words(variables: Sequence[str], point: Sequence[Fraction]) -> str:
    return ", ".join(f"{name} = {short(x)}" for name, x in zip(variables, point, strict=True))
