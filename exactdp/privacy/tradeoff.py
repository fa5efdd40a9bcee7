"""Trade-off functions (f-DP): the least type II error of any test at each type I error, as an exact polygon.

A mechanism is f-DP iff no test of one data set against a neighbour with type I error a has a type II error below f(a).
f and the privacy profile are dual: f(a) = sup over E >= 1 of max(0, 1 - delta(E) - E a, (1 - delta(E) - a) / E). For
rational laws delta is piecewise linear in E, so f is a convex polygon with rational vertices.

Source: DongRothSu2022, Proposition 6.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final

from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.interval import Interval
from exactdp.numbers.rationals import ratio

_BITS: Final = 64
"""Ends of an error that is enclosed have so many bits."""

_LEADING: Final = 64
"""So many leading bits of a factor are compared first."""


@dataclass(frozen=True, slots=True, repr=False)
class TradeoffFunction:
    """A convex, non-increasing polygon from (0, 1 - delta_infinity) to (1, 0), symmetric in its two errors.

    ``vertices`` are (type I error, type II error), with rising type I error; beyond the last the value is 0.
    """

    vertices: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def from_events(cls, masses: Iterable[tuple[Fraction, Fraction]]) -> TradeoffFunction:
        """Return the polygon of the events with masses (P(T), Q(T)): rejecting Q on T errs by Q(T) and 1 - P(T)."""
        events = list(masses)
        scale = lcm(*(mass.denominator for event in events for mass in event))
        return cls.from_weights([(int(p * scale), int(q * scale)) for p, q in events], scale)

    @classmethod
    def from_weights(cls, events: Iterable[tuple[int, int]], scale: int) -> TradeoffFunction:
        """Return the polygon of the events with the masses (p / scale, q / scale)."""
        hull = LowerHull((0, scale), (scale, 0))
        for first, second in events:
            hull.add((second, scale - first))
        for x, y in list(hull.points):
            hull.add((y, x))
        return cls(tuple((exact_answer(ratio(x, scale)), exact_answer(ratio(y, scale))) for x, y in hull.points))

    def __repr__(self) -> str:
        return f"TradeoffFunction({len(self.vertices)} vertices)"

    def __call__(self, type_one_error: Exact) -> Fraction:
        """Return the least type II error at this type I error, in [0, 1]."""
        error = as_probability(type_one_error, name="type_one_error")
        position = bisect_right([x for x, _ in self.vertices], error)
        if position == len(self.vertices):  # the last one is (1, 0)
            return exact_answer(Fraction(0))
        (x0, y0), (x1, y1) = self.vertices[position - 1], self.vertices[position]
        return exact_answer(y0 + (y1 - y0) * (error - x0) / (x1 - x0))


@dataclass(frozen=True, slots=True)
class TradeoffBounds:
    """Two polygons between which a trade-off function lies.

    ``lower`` is what no test beats; ``upper`` is what some test of some pair of data sets attains, or nearly.
    """

    lower: TradeoffFunction
    upper: TradeoffFunction

    def __call__(self, type_one_error: Exact) -> Interval:
        """Enclose the least type II error at this type I error."""
        return Interval.between(self.lower(type_one_error), self.upper(type_one_error), bits=_BITS)


class LowerHull:
    """The lower convex hull of points with integer coordinates that come one by one, always exactly.

    It falls from ``first`` to ``last``; all points are between the two abscissas. A point is compared with the two
    neighbours of its place only, and most are turned away by the leading bits of two products. So a million points of
    thousands of bits cost little more than being read.
    """

    __slots__ = ("points",)

    def __init__(self, first: tuple[int, int], last: tuple[int, int]) -> None:
        self.points = [first, last]

    def add(self, point: tuple[int, int]) -> bool:
        """Take a point in, and say whether it is a vertex of the polygon now."""
        points = self.points
        place = bisect_left(points, point)
        if place and points[place - 1][0] == point[0]:
            return False  # one with the same abscissa is lower
        if points[place][0] == point[0]:
            if points[place] == point:
                return False
            del points[place]
        elif not _is_below(points[place - 1], point, points[place]):
            return False
        points.insert(place, point)
        while place + 2 < len(points) and not _is_below(point, points[place + 1], points[place + 2]):
            del points[place + 1]
        while place >= 2 and not _is_below(points[place - 2], points[place - 1], point):
            del points[place - 1]
            place -= 1
        return True


def _is_below(left: tuple[int, int], middle: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether ``middle`` is below the segment from ``left`` to ``right``, which have smaller and larger abscissas."""
    return _exceeds(right[0] - left[0], left[1] - middle[1], middle[0] - left[0], left[1] - right[1])


def _exceeds(a: int, b: int, c: int, d: int) -> bool:
    """Whether a b > c d, for a and c above 0."""
    if b <= 0 or d <= 0:
        return a * b > c * d if (b < 0) == (d < 0) else b > d
    sizes = a.bit_length(), b.bit_length(), c.bit_length(), d.bit_length()
    excess = sizes[0] + sizes[1] - sizes[2] - sizes[3]
    if abs(excess) > 1:  # 2^(m-2) <= x y < 2^m for factors of m bits together
        return excess > 0
    if min(sizes) > 2 * _LEADING:
        shifts = [size - _LEADING for size in sizes]
        a_, b_, c_, d_ = a >> shifts[0], b >> shifts[1], c >> shifts[2], d >> shifts[3]
        by = shifts[0] + shifts[1] - shifts[2] - shifts[3]
        if _shifted(a_ * b_, by) >= _shifted((c_ + 1) * (d_ + 1), -by):
            return True
        if _shifted((a_ + 1) * (b_ + 1), by) <= _shifted(c_ * d_, -by):
            return False
    return a * b > c * d


def _shifted(value: int, by: int) -> int:
    return value << by if by > 0 else value
