"""The claim box_inequality: sums of polynomials times exponentials of polynomials on a box, by Bernstein forms.

Trusted for: the leaves cover the box, and on each the sum is bounded below by a form without negative coefficients.

It rests on these facts, with their theorems of the Coq kernel:

- a Bernstein form shows the sign on a cube: bernstein.bernstein_sound, box_inequality.box_inequality_proved
- Taylor sums bound e^u on a cube: exponential_on_cube.lower_polynomial_below
- exponentials and logarithms by series: exponential_fixed_point.exp_enclosed, logarithm_fixed_point.log_enclosed
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, lcm, prod
from typing import NamedTuple

from .budget import Work, malformed, rejected, size
from .facts import BERNSTEIN, ON_CUBE, SERIES, Facts
from .inequalities import Polynomial, add, evaluate, multiply, read_names, read_polynomial, show_polynomial
from .limits import (
    MAX_BERNSTEIN,
    MAX_BITS,
    MAX_BOX_PRECISION,
    MAX_BOX_TERMS,
    MAX_BOX_VARIABLES,
    MAX_LIST,
    MIN_PRECISION,
)
from .reading import (
    Object,
    Vector,
    any_object,
    common_denominator,
    read_choice,
    read_integer,
    read_list,
    read_object,
    read_point,
    read_short,
    show,
)
from .reals import exp_fractions

ENDS = ["closed", "open"]


class End(NamedTuple):
    """An end of an interval."""

    value: Fraction
    is_closed: bool


Box = list[tuple[End, End]]


def read_box(value: object, dimension: int) -> Box:
    return [read_interval(entry) for entry in read_list(value, "box", dimension, dimension)]


def read_interval(value: object) -> tuple[End, End]:
    fields = read_object(value, "an interval of the box", ["low", "low_end", "high", "high_end"])
    low, high = (
        End(read_short(fields[key], key), read_choice(fields[f"{key}_end"], f"{key}_end", ENDS) == "closed")
        for key in ("low", "high")
    )
    if low.value >= high.value:
        malformed("an interval of the box is empty")
    return low, high


def box_words(names: list[str], box: Box) -> str:
    intervals = [
        f"{name} in {'[' if low.is_closed else '('}{show(low.value)}, {show(high.value)}"
        f"{']' if high.is_closed else ')'}"
        for name, (low, high) in zip(names, box)
    ]
    return f"for all {', '.join(intervals)}"


def cut(tree: Object, box: Box) -> list[tuple[Object, Box]]:
    """The two parts of a box, each with its own tree; the cut is a closed end of both."""
    read_object(tree, "a cut", ["variable", "at", "low", "high"])
    i = read_integer(tree["variable"], "variable", 0, len(box) - 1)
    at, (low, high) = read_short(tree["at"], "at"), box[i]
    if not low.value < at < high.value:
        rejected("a cut lies outside its box")
    ends = (("low", (low, End(at, True))), ("high", (End(at, True), high)))
    return [(any_object(tree[key], "a part of the tree"), [*box[:i], part, *box[i + 1 :]]) for key, part in ends]


def read_inside(value: object, box: Box) -> list[Fraction]:
    """A point of the box."""
    point = read_point(value, len(box))
    for x, (low, high) in zip(point, box):
        if not low.value <= x <= high.value or x in [end.value for end in (low, high) if not end.is_closed]:
            rejected("the point of the witness lies outside the box")
    return point


class BoxInequality(NamedTuple):
    """On the whole box, the sum of polynomial * e^exponent is >= 0, or > 0 where strict."""

    variables: list[str]
    box: Box
    terms: list[tuple[Polynomial, Polynomial]]
    is_strict: bool

    @classmethod
    def read(cls, claim: Object, work: Work) -> BoxInequality:
        read_object(claim, "the claim", ["kind", "variables", "box", "terms", "strict"])
        names = read_names(claim["variables"], MAX_BOX_VARIABLES)
        box = read_box(claim["box"], len(names))
        terms: list[tuple[Polynomial, Polynomial]] = []
        for entry in read_list(claim["terms"], "terms", 0, MAX_LIST):
            fields = read_object(entry, "a term", ["polynomial", "exponent"])
            polynomial = read_polynomial(fields["polynomial"], "a polynomial", len(names))
            terms.append((polynomial, read_polynomial(fields["exponent"], "an exponent", len(names))))
        return cls(names, box, terms, read_choice(claim["strict"], "strict", ["yes", "no"]) == "yes")

    @property
    def words(self) -> str:
        terms = [show_polynomial(polynomial, self.variables) for polynomial, _ in self.terms]
        powers = [show_polynomial(exponent, self.variables) if exponent else "" for _, exponent in self.terms]
        shown = " + ".join(f"({term}) e^({power})" if power else f"({term})" for term, power in zip(terms, powers))
        return f"{box_words(self.variables, self.box)}: {shown or '0'} {'>' if self.is_strict else '>='} 0"

    def prove(self, witness: Object, work: Work) -> Facts:
        self.check(witness, self.box, work)
        return [BERNSTEIN, ON_CUBE, SERIES]

    def check(self, tree: Object, box: Box, work: Work) -> None:
        if "variable" not in tree:
            self.check_leaf(tree, box, work)
            return
        for subtree, part in cut(tree, box):
            self.check(subtree, part, work)

    def check_leaf(self, leaf: Object, box: Box, work: Work) -> None:
        """x = corner + width t on the unit cube; the sum is bounded below by a polynomial in t."""
        read_object(leaf, "a leaf", ["corner", "taylor", "bits"])
        words = read_list(leaf["corner"], "corner", len(box), len(box))
        corners = [read_choice(word, "a corner", ["low", "high"]) for word in words]
        taylor = read_integer(leaf["taylor"], "taylor", 2, MAX_BOX_TERMS)
        bits = read_integer(leaf["bits"], "bits", MIN_PRECISION, MAX_BOX_PRECISION)
        if taylor % 2:
            malformed("taylor is odd")
        oriented = [ends if corner == "low" else (ends[1], ends[0]) for corner, ends in zip(corners, box)]
        unit = [tuple(int(i == j) for j in range(len(box))) for i in range(len(box))]
        zero = (0,) * len(box)
        lines = [{zero: first.value, unit[i]: last.value - first.value} for i, (first, last) in enumerate(oriented)]
        below: Polynomial = {}
        for polynomial, exponent in self.terms:
            shape, power = compose(polynomial, lines, work), compose(exponent, lines, work)
            lower, upper = exponential_bounds(power, taylor, bits, zero, work)
            add(below, multiply({e: c for e, c in shape.items() if c > 0}, lower, work), work)
            add(below, multiply({e: c for e, c in shape.items() if c <= 0}, upper, work), work)
        closed = [(first.is_closed, last.is_closed) for first, last in oriented]
        check_bernstein(below, closed, self.is_strict, work)

    def refute(self, witness: Object, work: Work) -> Facts:
        """A point of the box where an upper bound of the sum is negative, or not positive."""
        read_object(witness, "the witness", ["point", "bits"])
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_BOX_PRECISION)
        point = read_inside(witness["point"], self.box)
        above = Fraction(0)
        for polynomial, exponent in self.terms:
            factor, power = evaluate(polynomial, point, work), evaluate(exponent, point, work)
            below, beyond = exp_fractions(power, bits, work)
            above += factor * (beyond if factor > 0 else below)
        if above > 0 or (above == 0 and not self.is_strict):
            rejected("the inequality is not shown to fail at the point of the witness")
        return [SERIES]


def exponential_bounds(
    power: Polynomial, taylor: int, bits: int, zero: Vector, work: Work
) -> tuple[Polynomial, Polynomial]:
    """Polynomials around e^power on the unit cube: *Taylor sums bound e^u on a cube*."""
    rest = {e: c for e, c in power.items() if e != zero and c}
    low, high = exp_fractions(power.get(zero, Fraction(0)), bits, work)
    largest = sum((c for c in rest.values() if c > 0), Fraction(0))
    term: Polynomial = {zero: Fraction(1)}
    total: Polynomial = {}
    for k in range(1, taylor + 1):
        add(total, term, work)
        term = multiply(term, {e: c / k for e, c in rest.items()}, work)
    upper = dict(total)
    add(upper, multiply(term, {zero: exp_fractions(largest, bits, work)[1]}, work), work)
    return multiply(total, {zero: low}, work), multiply(upper, {zero: high}, work)


def compose(polynomial: Polynomial, lines: list[Polynomial], work: Work) -> Polynomial:
    """The polynomial with a polynomial in place of each variable."""
    zero = (0,) * len(lines)
    composed_polynomial: Polynomial = {}
    for exponents, coefficient in polynomial.items():
        term: Polynomial = {zero: coefficient}
        for line, exponent in zip(lines, exponents):
            for _ in range(exponent):
                term = multiply(term, line, work)
        add(composed_polynomial, term, work)
    return {e: c for e, c in composed_polynomial.items() if c}


def check_bernstein(polynomial: Polynomial, closed: list[tuple[bool, bool]], is_strict: bool, work: Work) -> None:
    """*A Bernstein form shows the sign on a cube.*"""
    degrees = [max([0, *(e[i] for e in polynomial)]) for i in range(len(closed))]
    size_of_form = prod(d + 1 for d in degrees)
    if size_of_form > MAX_BERNSTEIN:
        malformed(f"a Bernstein form of more than {MAX_BERNSTEIN} coefficients")
    sizes = [0, *map(size, polynomial.values())]
    work.spend(4 * len(sizes), min(MAX_BITS, sum(sizes)), max(sizes))
    scale = common_denominator(polynomial.values(), "a Bernstein form", work)
    form = dict.fromkeys(product(*(range(d + 1) for d in degrees)), 0)
    form.update((e, c.numerator * (scale // c.denominator)) for e, c in polynomial.items())
    bits = max(sizes) + scale.bit_length()
    for i, d in enumerate(degrees):
        bits += 3 * d  # enough for the sums of d + 1 products of a number, comb(j, k) and these factors
        work.hold(size_of_form, bits)
        work.spend(8 * size_of_form * (d + 1), bits, 64 + d)
        factors = [lcm(*(comb(d, k) for k in range(d + 1))) // comb(d, k) for k in range(d + 1)]
        form = {
            e: sum(comb(e[i], k) * factors[k] * form[(*e[:i], k, *e[i + 1 :])] for k in range(e[i] + 1)) for e in form
        }
    if min(form.values()) < 0:
        rejected("a Bernstein coefficient is negative on a leaf")
    if not is_strict:
        return
    for face in strict_faces(degrees, closed):
        if not any(c > 0 for e, c in form.items() if all(j in indices for j, indices in zip(e, face))):
            rejected("no Bernstein coefficient is positive on a face of a leaf")


def strict_faces(degrees: list[int], closed: list[tuple[bool, bool]]) -> list[tuple[range, ...]]:
    """The least faces with a point of the cube, as the indices of their coefficients: for each variable a closed end,
    or its whole range where both ends are open."""
    choices: list[list[range]] = []
    for d, (has_first, has_last) in zip(degrees, closed):
        ends: list[range] = []
        if has_first:
            ends.append(range(1))
        if has_last:
            ends.append(range(d, d + 1))
        choices.append(ends if ends else [range(d + 1)])
    return list(product(*choices))
