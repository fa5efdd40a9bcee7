"""The lower convex hull of points with integer coordinates that come one by one, always exactly.

A point is compared with the two neighbours of its place only, and most are turned away by the leading bits of two
products. So a million points of thousands of bits cost little more than being read.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

_LEADING: Final = 64
"""So many leading bits of a factor are compared first."""


class LowerHull:
    """A convex polygon that falls from ``first`` to ``last``; all points are between the two abscissas."""

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
