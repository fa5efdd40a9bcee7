"""Trade-off functions (f-DP): the least type II error of any test at each type I error, as an exact polygon.

A mechanism is f-DP iff no test of one data set against a neighbour with type I error a has a type II error below f(a).
f and the privacy profile are dual: f(a) = sup over E >= 1 of max(0, 1 - delta(E) - E a, (1 - delta(E) - a) / E). For
rational laws delta is piecewise linear in E, so f is a convex polygon with rational vertices.

Source: DongRothSu2022, Proposition 6.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.exact_fraction import exact_answer

__all__ = ["TradeoffFunction"]


@dataclass(frozen=True, slots=True)
class TradeoffFunction:
    """A convex, non-increasing polygon from (0, 1 - delta_infinity) to (1, 0), symmetric in its two errors.

    ``vertices`` are (type I error, type II error), with rising type I error; beyond the last the value is 0.
    """

    vertices: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def from_events(cls, masses: Iterable[tuple[Fraction, Fraction]]) -> TradeoffFunction:
        """Return the polygon of the events with masses (P(T), Q(T)): rejecting Q on T errs by Q(T) and 1 - P(T)."""
        points = {(mass_second, 1 - mass_first) for mass_first, mass_second in masses}
        points |= {(second, first) for first, second in points} | {
            (Fraction(0), Fraction(1)),
            (Fraction(1), Fraction(0)),
        }
        return cls(tuple((exact_answer(x), exact_answer(y)) for x, y in _lower_hull(sorted(points))))

    def __call__(self, type_one_error: Exact) -> Fraction:
        """Return the least type II error at this type I error, in [0, 1]."""
        error = as_probability(type_one_error, name="type_one_error")
        position = bisect_right([x for x, _ in self.vertices], error)
        if position == len(self.vertices):  # the last one is (1, 0)
            return exact_answer(Fraction(0))
        (x0, y0), (x1, y1) = self.vertices[position - 1], self.vertices[position]
        return exact_answer(y0 + (y1 - y0) * (error - x0) / (x1 - x0))


def _lower_hull(points: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Return the vertices of the lower convex hull of sorted points, lowest first among equal abscissas."""
    hull: list[tuple[Fraction, Fraction]] = []
    for x, y in points:
        if hull and hull[-1][0] == x:
            continue
        while len(hull) >= 2 and _turns_right(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return hull


def _turns_right(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction], c: tuple[Fraction, Fraction]) -> bool:
    """Whether b lies on or above the segment from a to c."""
    return (b[0] - a[0]) * (c[1] - a[1]) <= (c[0] - a[0]) * (b[1] - a[1])
