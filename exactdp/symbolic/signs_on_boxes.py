"""Is a polynomial at least 0, or above 0, on a box of parameters? Decided exactly, or said to be undecided.

In one parameter the roots are isolated, which decides every polynomial. In several, the box is cut until Bernstein
coefficients show the sign on each part, or a point refutes; a polynomial that touches 0 inside a box, along a curve,
can stay undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, lcm
from typing import TypeAlias

from exactdp.errors import UndecidedError
from exactdp.symbolic.box import Box, Interval, Leaf, decide_on_box
from exactdp.symbolic.real_roots import (
    Coefficients,
    RealRoot,
    ascending,
    between,
    roots_between,
    sign_at,
    square_free,
    trimmed,
)
from exactdp.symbolic.sums import ExpTerm, Polynomial, value_at

Place: TypeAlias = tuple[Fraction | RealRoot, ...]
"""A point of a box; in one parameter it can be an irrational root."""


def failing_place(polynomial: Polynomial, box: Box, *, strict: bool = False) -> Place | None:
    """Return a point of the box where the polynomial is below 0, or not above 0 if ``strict``; None if there is none.

    The point is rational unless the polynomial only touches 0, at irrational places.

    Raises:
        UndecidedError: in several parameters, where neither is found.
    """
    used = [i for i in range(len(box)) if any(exponents[i] for exponents in polynomial)]
    inside = [_inner(side) for side in box]
    if not used:
        value = next(iter(polynomial.values()), Fraction(0))
        return None if value > 0 or (value == 0 and not strict) else tuple(inside)
    kept = {tuple(e[i] for i in used): c for e, c in polynomial.items()}
    if len(used) == 1:
        found = _failing_on_line(univariate(kept), box[used[0]], strict)
        place: Place | None = None if found is None else (found,)
    else:
        place = _failing_on_box(kept, tuple(box[i] for i in used), strict)
    if place is None:
        return None
    whole: list[Fraction | RealRoot] = list(inside)
    for i, coordinate in zip(used, place, strict=True):
        whole[i] = coordinate
    return tuple(whole)


def inner_grid(box: Box, steps: Sequence[int]) -> Iterator[tuple[Fraction, ...]]:
    """Yield the middles of equal parts of a box, so many along each side: all are inside."""
    return product(
        *([s.low + s.width * Fraction(2 * k + 1, 2 * n) for k in range(n)] for s, n in zip(box, steps, strict=True))
    )


def place_other_than_0(polynomial: Polynomial, box: Box) -> tuple[Fraction, ...]:
    """Return a point inside the box at which a polynomial that is not identically 0 is not 0.

    There is one on any grid with more places along each side than the degree in that parameter.
    """
    steps = [max(exponents) + 1 for exponents in zip(*polynomial, strict=True)]
    return next(point for point in inner_grid(box, steps) if value_at(polynomial, point))


def univariate(polynomial: Polynomial) -> Coefficients:
    """Return the integer coefficients of a positive multiple of a polynomial in one variable, the constant first."""
    if not polynomial:
        return ()
    scale = lcm(*(Fraction(c).denominator for c in polynomial.values()))
    degree = max(e[0] for e in polynomial)
    return trimmed([int(polynomial.get((k,), Fraction(0)) * scale) for k in range(degree + 1)])


def _inner(side: Interval) -> Fraction:
    return between(side.low, side.high)


def _failing_on_line(coefficients: Coefficients, side: Interval, strict: bool) -> Fraction | RealRoot | None:
    """Return the first place found: at an end that belongs to the interval, between two roots, or at a root."""
    roots = ascending(roots_between(square_free(coefficients), side.low, side.high), side.low, side.high)
    for end, is_closed in ((side.low, side.low_closed), (side.high, side.high_closed)):
        if is_closed and sign_at(coefficients, end) < (1 if strict else 0):
            return end
    ends = [side.low, *(end for root in roots for end in (root.low, root.high)), side.high]
    for low, high in zip(ends[::2], ends[1::2], strict=True):
        if sign_at(coefficients, at := between(low, high)) < 0:
            return at
    return roots[0] if strict and roots else None


def _failing_on_box(polynomial: Polynomial, box: Box, strict: bool) -> Place | None:
    def holds(part: Box, _: Leaf) -> bool:
        return _is_shown(bernstein_coefficients(polynomial, part), part, strict)

    found = decide_on_box([ExpTerm(polynomial, {})], box, strict=strict, holds=holds)
    if found is None:
        raise UndecidedError(
            "the sign of a polynomial on the box was not decided: it seems to touch 0 inside. Make the box smaller, so "
            "that it touches 0 at the boundary or not at all."
        )
    return found if isinstance(found, tuple) else None


def bernstein_coefficients(polynomial: Polynomial, box: Box) -> dict[tuple[int, ...], Fraction]:
    """Return the coefficients of the polynomial in the Bernstein basis of the box; its values lie between them."""
    values = dict(polynomial)
    for variable, side in enumerate(box):
        degree = max(e[variable] for e in polynomial)
        values = _in_bernstein_basis(values, variable, degree, side)
    return values


def _in_bernstein_basis(
    values: dict[tuple[int, ...], Fraction], variable: int, degree: int, side: Interval
) -> dict[tuple[int, ...], Fraction]:
    """Return the coefficients after one variable is replaced, line by line."""
    lines: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Fraction]] = {}
    for exponents, coefficient in values.items():
        key = (exponents[:variable], exponents[variable + 1 :])
        lines.setdefault(key, [Fraction(0)] * (degree + 1))[exponents[variable]] += coefficient
    change = _change_of_basis(degree, side.low, side.high)
    return {
        (*before, i, *after): sum((m * c for m, c in zip(row, line, strict=True) if c), Fraction(0))
        for (before, after), line in lines.items()
        for i, row in enumerate(change)
    }


@lru_cache(maxsize=2**10)
def _change_of_basis(degree: int, low: Fraction, high: Fraction) -> tuple[tuple[Fraction, ...], ...]:
    """Return the matrix from the powers of x to the Bernstein basis on [low, high]."""

    def entry(i: int, j: int) -> Fraction:
        steps = (
            Fraction(comb(i, k) * comb(j, k), comb(degree, k)) * (high - low) ** k * low ** (j - k)
            for k in range(min(i, j) + 1)
        )
        return sum(steps, Fraction(0))

    return tuple(tuple(entry(i, j) for j in range(degree + 1)) for i in range(degree + 1))


def _is_shown(coefficients: dict[tuple[int, ...], Fraction], sides: Sequence[Interval], strict: bool) -> bool:
    """Whether the coefficients show the sign: for a strict one, each face that belongs to the box has one above 0."""
    if min(coefficients.values()) < 0:
        return False
    if not strict:
        return True
    most = [max(e[i] for e in coefficients) for i in range(len(sides))]
    ends = [[None, *[0] * s.low_closed, *[top] * s.high_closed] for s, top in zip(sides, most, strict=True)]
    return all(
        any(c > 0 for e, c in coefficients.items() if all(at is None or e[i] == at for i, at in enumerate(face)))
        for face in product(*ends)
    )


def point_text(names: Sequence[str], place: Place) -> str:
    """Return a point as text: ``gamma=1/3``."""
    return ", ".join(f"{name}={coordinate}" for name, coordinate in zip(names, place, strict=True))
