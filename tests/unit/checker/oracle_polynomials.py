"""The oracle's share of inequalities: exact values at points, and a search for a counterexample."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath  # type: ignore[import-untyped]

from tests.unit.checker.oracle_views import number, whole

MP = mpmath.mp.clone()
MP.dps = 60
Point = tuple[Fraction, ...]


def value_at(polynomial: Any, point: Sequence[Fraction]) -> Fraction:
    value = Fraction(0)
    for coefficient, exponents in polynomial:
        term = number(coefficient)
        for x, e in zip(point, exponents, strict=True):
            term *= x ** whole(e)
        value += term
    return value


def holds_at(condition: Any, point: Point) -> bool:
    value = value_at(condition["polynomial"], point)
    return value > 0 if condition["strict"] == "yes" else value >= 0


def inequality(claim: Any, values: list[Fraction]) -> bool | None:
    grid = sorted({Fraction(k, 2) for k in range(-6, 7)} | set(values))
    for point in product(grid, repeat=len(claim["variables"])):
        if all(holds_at(h, point) for h in claim["hypotheses"]) and not holds_at(claim["conclusion"], point):
            return False
    return None


# --- Sums of polynomials times exponentials on a box ----------------------------------------------------------------


def inexact(value: Any) -> Any:
    return MP.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else MP.mpf(value)


def sum_at(claim: Any, point: Point) -> Any:
    """f at a rational point: 0 if it is exactly 0 (e^u for distinct rational u are independent over the rationals)."""
    found: dict[Fraction, Fraction] = {}
    for term in claim["terms"]:
        exponent = value_at(term["exponent"], point)
        found[exponent] = found.get(exponent, Fraction(0)) + value_at(term["polynomial"], point)
    if not any(found.values()):
        return Fraction(0)
    if set(found) == {Fraction(0)}:
        return found[Fraction(0)]
    parts = [MP.exp(MP.mpf(u.numerator) / u.denominator) * c.numerator / c.denominator for u, c in found.items() if c]
    value = MP.fsum(parts)
    return value if abs(value) > max(map(abs, parts)) * MP.mpf(10) ** -45 else None


def is_below(claim: Any, point: Point) -> bool:
    value = sum_at(claim, point)
    return value is not None and (value < 0 or (value == 0 and claim["strict"] == "yes"))


def contains(box: Any, point: Point) -> bool:
    for side, x in zip(box, point, strict=True):
        low, high = number(side["low"]), number(side["high"])
        if not low <= x <= high:
            return False
        if (x == low and side["low_end"] == "open") or (x == high and side["high_end"] == "open"):
            return False
    return True


def box_inequality(claim: Any, values: list[Fraction]) -> bool | None:
    """False if a point of a grid, of its refinements around the least value, or of ``values`` is a counterexample."""
    box = [(number(side["low"]), number(side["high"])) for side in claim["box"]]
    steps = {1: 60, 2: 10, 3: 5}.get(len(box), 2)
    grid = [[low + (high - low) * Fraction(k, steps) for k in range(steps + 1)] for low, high in box]
    # Close to the ends, where a function that is 0 at a corner may dip.
    grid = [
        sorted({*axis, axis[0] + (axis[1] - axis[0]) / 1000, axis[-1] - (axis[1] - axis[0]) / 1000}) for axis in grid
    ]
    grid = [
        sorted({*axis, *(v for v in values if low <= v <= high)}) for axis, (low, high) in zip(grid, box, strict=True)
    ]
    points = [point for point in product(*grid) if contains(claim["box"], point)]
    if any(is_below(claim, point) for point in points):
        return False
    width = [(high - low) / steps for low, high in box]
    for _ in range(6):
        best = min(points, key=lambda point: inexact(sum_at(claim, point) or 0))
        axes = [[x + w * Fraction(k, 2) for k in (-2, -1, 0, 1, 2)] for x, w in zip(best, width, strict=True)]
        points = [point for point in product(*axes) if contains(claim["box"], point)]
        if any(is_below(claim, point) for point in points):
            return False
        width = [w / 3 for w in width]
    return None
