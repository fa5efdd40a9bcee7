"""The claim inequality: polynomials with rational coefficients, and Handelman's certificates for them.

Trusted for: the terms sum to the conclusion, and none of them is negative where the hypotheses hold.

It rests on these facts, with their theorems of the Coq kernel:

- products of non-negative numbers are non-negative: handelman.inequality_proved
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from operator import add as plus
from typing import NamedTuple

from .budget import Work, malformed, rejected, size
from .facts import PRODUCTS, Facts
from .limits import MAX_DEGREE, MAX_LIST, MAX_VARIABLES
from .reading import (
    Object,
    Vector,
    read_choice,
    read_integer,
    read_integers,
    read_list,
    read_object,
    read_point,
    read_short,
    read_text,
    show,
)

Polynomial = dict[Vector, Fraction]  # exponents -> coefficient


def read_names(value: object, most: int) -> list[str]:
    names = [read_text(name, "a variable") for name in read_list(value, "variables", 0, most)]
    if len(set(names)) < len(names) or not all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", name) for name in names):
        malformed("the variables are not distinct names of at most 32 letters, digits and _")
    return names


def read_polynomial(value: object, where: str, variables: int) -> Polynomial:
    polynomial: Polynomial = {}
    for entry in read_list(value, where, 0, MAX_LIST):
        coefficient, powers = read_list(entry, f"a term of {where}", 2, 2)
        powers_read = read_list(powers, f"the exponents of {where}", variables, variables)
        exponents = tuple(read_integer(e, f"an exponent of {where}", 0, MAX_DEGREE) for e in powers_read)
        if exponents in polynomial:
            malformed(f"{where} has the same exponents twice")
        polynomial[exponents] = read_short(coefficient, f"a coefficient of {where}")
        if polynomial[exponents] == 0:
            malformed(f"a coefficient of {where} is 0")
    return polynomial


def show_polynomial(polynomial: Polynomial, names: Sequence[str]) -> str:
    terms: list[str] = []
    for exponents, coefficient in polynomial.items():
        factors = [f"{name}^{e}" if e > 1 else name for name, e in zip(names, exponents) if e]
        terms.append("*".join([show(coefficient), *factors]))
    return (" + ".join(terms[:12]) + (f" + ... ({len(terms)} terms)" if len(terms) > 12 else "")) or "0"


def evaluate(polynomial: Polynomial, point: Sequence[Fraction], work: Work) -> Fraction:
    bits = MAX_DEGREE * sum(map(size, point)) + max([0, *map(size, polynomial.values())])
    work.spend(16 * len(polynomial) * len(point), bits, bits)
    value = Fraction(0)
    for exponents, coefficient in polynomial.items():
        for coordinate, power in zip(point, exponents):
            coefficient *= coordinate**power
        value += coefficient
        work.spend(16, size(value), size(value))
    return value


class Condition(NamedTuple):
    """A polynomial that is at least 0, or above 0 where strict."""

    polynomial: Polynomial
    strict: bool

    @classmethod
    def read(cls, value: object, where: str, variables: int) -> Condition:
        fields = read_object(value, where, ["polynomial", "strict"])
        polynomial = read_polynomial(fields["polynomial"], where, variables)
        return cls(polynomial, read_choice(fields["strict"], f"strict of {where}", ["yes", "no"]) == "yes")

    def words(self, names: Sequence[str]) -> str:
        return f"{show_polynomial(self.polynomial, names)} {'>' if self.strict else '>='} 0"

    def holds_at(self, point: Sequence[Fraction], work: Work) -> bool:
        value = evaluate(self.polynomial, point, work)
        return value > 0 or (value == 0 and not self.strict)


def multiply(first: Polynomial, second: Polynomial, work: Work) -> Polynomial:
    bits = max([0, *map(size, first.values())]) + max([0, *map(size, second.values())])
    work.spend(16 * (1 + len(first) * len(second)), bits, bits)
    product: Polynomial = {}
    for e, a in first.items():
        add(product, {tuple(map(plus, e, f)): a * b for f, b in second.items()}, work)
    return product


def add(total: Polynomial, term: Polynomial, work: Work) -> None:
    """Add to a polynomial; sums of unlike fractions grow long, and are paid for as they do."""
    for exponents, coefficient in term.items():
        if exponents in total:
            coefficient += total[exponents]
            work.spend(4, size(coefficient), size(coefficient))
        total[exponents] = coefficient
    work.hold(len(total), 2048 + 2 * max([0, *map(size, term.values())]))


class Inequality(NamedTuple):
    """For all real values: if every hypothesis holds, so does the conclusion."""

    variables: list[str]
    hypotheses: list[Condition]
    conclusion: Condition

    @classmethod
    def read(cls, claim: Object, work: Work) -> Inequality:
        read_object(claim, "the claim", ["kind", "variables", "hypotheses", "conclusion"])
        names = read_names(claim["variables"], MAX_VARIABLES)
        hypotheses = read_list(claim["hypotheses"], "hypotheses", 0, MAX_LIST)
        conditions = [Condition.read(h, f"hypothesis {i}", len(names)) for i, h in enumerate(hypotheses)]
        return cls(names, conditions, Condition.read(claim["conclusion"], "the conclusion", len(names)))

    @property
    def words(self) -> str:
        names = f"for all real {', '.join(self.variables)}: " if self.variables else ""
        given = " and ".join(condition.words(self.variables) for condition in self.hypotheses)
        return f"{names}{f'if {given} then ' if given else ''}{self.conclusion.words(self.variables)}"

    def prove(self, witness: Object, work: Work) -> Facts:
        """f = sum of coefficient * product of g_i^power: *products of non-negative numbers are non-negative*."""
        read_object(witness, "the witness", ["terms"])
        rest = dict(self.conclusion.polynomial)
        is_positive = False
        for entry in read_list(witness["terms"], "terms", 0, MAX_LIST):
            product, is_strict = self.read_term(entry, work)
            is_positive = is_positive or is_strict
            add(rest, {exponents: -coefficient for exponents, coefficient in product.items()}, work)
        if any(rest.values()):
            rejected("the conclusion is not the sum of the terms")
        if self.conclusion.strict and not is_positive:
            rejected("the conclusion is strict, and no term is known to be positive")
        return [PRODUCTS]

    def read_term(self, entry: object, work: Work) -> tuple[Polynomial, bool]:
        """The expanded term, and whether it is positive wherever the hypotheses hold."""
        fields = read_object(entry, "a term", ["coefficient", "powers"])
        coefficient = read_short(fields["coefficient"], "the coefficient of a term")
        if coefficient <= 0:
            rejected("a term has a coefficient that is not positive")
        powers = read_integers(fields["powers"], "the powers of a term", len(self.hypotheses))
        if min([0, *powers]) < 0 or sum(powers) > MAX_DEGREE:
            malformed(f"the powers of a term are negative, or sum to more than {MAX_DEGREE}")
        product: Polynomial = {(0,) * len(self.variables): coefficient}
        is_strict = True
        for condition, power in zip(self.hypotheses, powers):
            is_strict = is_strict and (condition.strict or power == 0)
            for _ in range(power):
                product = multiply(product, condition.polynomial, work)
        return product, is_strict

    def refute(self, witness: Object, work: Work) -> Facts:
        """A point where every hypothesis holds and the conclusion does not."""
        read_object(witness, "the witness", ["point"])
        point = read_point(witness["point"], len(self.variables))
        if not all(condition.holds_at(point, work) for condition in self.hypotheses):
            rejected("a hypothesis does not hold at the point of the witness")
        if self.conclusion.holds_at(point, work):
            rejected("the conclusion holds at the point of the witness")
        return []
