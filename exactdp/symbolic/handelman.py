"""Polynomial inequalities: a search for Handelman's certificate, and for a counterexample.

If f is a sum of products of the hypotheses g_i >= 0 with positive coefficients, f >= 0 wherever they hold. Up to a
given degree this is a linear feasibility problem over the rationals, solved exactly. On a compact polyhedron every f
that is positive there has such a certificate of some degree.

Source: Handelman1988, Theorem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from typing import Final, NamedTuple, TypeAlias

from exactdp.evidence.theorems import relies_on
from exactdp.symbolic.linear_programming import convex_weights
from exactdp.symbolic.sums import Polynomial, multiply, value_at

Term: TypeAlias = tuple[tuple[int, ...], Fraction]
"""Powers of the hypotheses, and a coefficient > 0."""

MAX_DEGREE: Final = 4
"""Most hypotheses in one product."""
MAX_PRODUCTS: Final = 500
"""Most products that are combined."""
MAX_POINTS: Final = 20_000
"""Most points at which a counterexample is looked for."""

_SCALES: Final = (Fraction(1), Fraction(2**10), Fraction(2**40))
_COORDINATES: Final = tuple(
    Fraction(c) for c in ("0", "1", "1/2", "-1", "2", "1/3", "3/2", "-1/2", "1/10", "10", "-2", "3", "100", "1/100")
)


class Inequality(NamedTuple):
    """A polynomial that is at least 0, or above 0 where strict."""

    polynomial: Polynomial
    strict: bool

    def holds_at(self, point: Sequence[Fraction]) -> bool:
        """Whether it holds at this point."""
        value = value_at(self.polynomial, point)
        return value > 0 or (value == 0 and not self.strict)


@relies_on("handelman.inequality_refuted")
def counterexample(
    hypotheses: Sequence[Inequality], conclusion: Inequality, variables: int
) -> tuple[Fraction, ...] | None:
    """Return a point of a fixed grid where all hypotheses hold and the conclusion does not, if there is one."""
    size = len(_COORDINATES)
    while size > 1 and size**variables > MAX_POINTS:
        size -= 1
    for point in product(_COORDINATES[:size], repeat=variables):
        if not conclusion.holds_at(point) and all(hypothesis.holds_at(point) for hypothesis in hypotheses):
            return point
    return None


@relies_on("handelman.inequality_proved")
def handelman_terms(
    hypotheses: Sequence[Inequality], conclusion: Inequality, variables: int, *, degrees: Iterable[int]
) -> tuple[Term, ...] | None:
    """Return products of hypotheses with positive coefficients that sum to the conclusion; None if none was found.

    ``degrees``: how many hypotheses a product may have, tried in this order.
    Where the conclusion is strict, one of the products has strict factors only (the product of none is 1).
    """
    for degree in degrees:
        products = list(_products(hypotheses, variables, degree))
        if len(products) > MAX_PRODUCTS:
            break
        terms = _combination(conclusion.polynomial, products)
        if terms is not None and conclusion.strict and not any(_is_positive(t[0], hypotheses) for t in terms):
            terms = _with_a_positive_term(conclusion.polynomial, products, hypotheses)
        if terms is not None:
            return terms
    return None


def _products(
    hypotheses: Sequence[Inequality], variables: int, degree: int
) -> Iterator[tuple[tuple[int, ...], Polynomial]]:
    """Yield the products of at most ``degree`` hypotheses with their powers."""
    for size in range(degree + 1):
        for factors in combinations_with_replacement(range(len(hypotheses)), size):
            one: Polynomial = {(0,) * variables: Fraction(1)}
            polynomial = reduce(multiply, (hypotheses[i].polynomial for i in factors), one)
            yield tuple(factors.count(i) for i in range(len(hypotheses))), polynomial


def _is_positive(powers: tuple[int, ...], hypotheses: Sequence[Inequality]) -> bool:
    return all(h.strict for h, power in zip(hypotheses, powers, strict=True) if power)


def _combination(target: Polynomial, products: list[tuple[tuple[int, ...], Polynomial]]) -> tuple[Term, ...] | None:
    """Return coefficients > 0 of some products that sum to the target.

    The solver wants weights that sum to 1: the target is scaled down, and 0 is one of the points.
    """
    monomials = sorted({e for polynomial in (target, *(p for _, p in products)) for e in polynomial})
    points = [[polynomial.get(e, Fraction(0)) for e in monomials] for _, polynomial in products]
    points.append([Fraction(0)] * len(monomials))
    for scale in _SCALES:
        weights = convex_weights([target.get(e, Fraction(0)) / scale for e in monomials], points)
        if weights is not None:
            return tuple((p[0], w * scale) for p, w in zip(products, weights[:-1], strict=True) if w)
    return None


def _with_a_positive_term(
    target: Polynomial, products: list[tuple[tuple[int, ...], Polynomial]], hypotheses: Sequence[Inequality]
) -> tuple[Term, ...] | None:
    """Return a combination in which a product of strict hypotheses has a coefficient > 0."""
    for (powers, polynomial), scale in product(products, _SCALES):
        if _is_positive(powers, hypotheses):
            share = 1 / scale
            rest = {
                e: target.get(e, Fraction(0)) - share * polynomial.get(e, Fraction(0)) for e in {*target, *polynomial}
            }
            terms = _combination(rest, products)
            if terms is not None:
                merged = dict(terms)
                merged[powers] = merged.get(powers, Fraction(0)) + share
                return tuple(merged.items())
    return None
