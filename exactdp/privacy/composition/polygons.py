"""Pairs of laws above and below a divergence that is known at some points.

Let f(E) = H_E(P || Q) for a pair, or the largest of several such functions. It is convex, does not rise, f(0) = 1 and
f(E) >= max(0, 1 - E); at points 0 < E_1 < ... < E_m it lies in intervals [l_i, u_i], and E_0 = 0 with l_0 = u_0 = 1.

**A polygon is a pair.** Let g be convex, constant beyond its last corner, with g(0) = 1 and slopes between -1 and 0.
With c_i the change of slope at its corner E_i, it is the divergence of the sub-laws with mass c_i E_i under P and c_i
under Q at the likelihood ratio E_i, and with its last value as P-mass where Q has none: sum of c_i max(0, E_i - E) is
g(E) less its last value. P has mass g(0) = 1, Q at most 1. By :mod:`exactdp.privacy.composition.losses` the order of
such functions survives composition. So runs of the pair of g bound those of f from above where g >= f, and from below
where g <= f. (Where f is one pair's, the pair of g is then a function of an outcome of that pair and chance, by
Blackwell's theorem.)

**Above** is the lower convex hull of the points (E_i, u_i), constant beyond the last one: between two of its corners it
is a chord, and f, which is convex, is not above it (corners.polygon_dominates). Because f does not rise, u_i may be
replaced by the least u_j with j <= i before.

**Below**, chords are drawn on. For i >= 1 the line through (E_(i-1), u_(i-1)) and (E_i, l_i) is below f for all
E >= E_i: with exact values it is the chord drawn on, which a convex function is not below; and at such E the line
rises with its value at E_i and falls with that at E_(i-1). So on E_i <= E <= E_(i+1)

* the line L through (E_(i-1), u_(i-1)) and (E_i, l_i), for i = 0 the line 1 - E, is below f;
* the line R through (E_(i+1), l_(i+1)) and (E_(i+2), u_(i+2)), for i = m - 1 the constant l_m, is below f likewise.

At whatever place x between E_i and E_(i+1), put a corner of height min(L(x), R(x)), best near where L and R cross.
From (E_i, l_i) to this corner the polygon is below L, because L(E_i) = l_i; from there to (E_(i+1), l_(i+1)) it is
below R. Beyond E_m the line through (E_(m-1), u_(m-1)) and (E_m, l_m) is drawn on to where it is still at least the
limit of f, or a smaller number; there is the last corner, of that height. So the polygon through all these corners is
below f, and its lower convex hull is. At last the larger of the hull, the limit and 1 - E is taken, which is convex and
below f as well. What is lost is of the second order in the distance of the points.

**The other order.** f(E) = 1 - E + E r(1/E) with r the divergence of the pair in the other order: so points of r at
E >= 1 are points of f at 1/E. An event T of that order has P(T) - E Q(T) of this one for its complement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from exactdp.evidence.theorems import relies_on
from exactdp.numbers.dyadic import Dyadic

Masses: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""(P, Q) of each outcome."""

_Corner: TypeAlias = tuple[Fraction, Fraction]

_BITS: Final = 96
"""Corners between points are rounded to so many bits, far finer than what is known at the points."""


class Point(NamedTuple):
    """A ratio E > 0 and two numbers between which the divergence there lies."""

    ratio: Fraction
    low: Fraction
    high: Fraction

    def reflected(self) -> Point:
        """Return the point of the other order at 1/E."""
        inverse = 1 / self.ratio
        return Point(inverse, 1 - inverse + inverse * self.low, 1 - inverse + inverse * self.high)


def both_sides(above: Sequence[Point], backward: Sequence[Point]) -> list[Point]:
    """Return all points by rising ratio: those of one order at E >= 1, and those of the other order at E > 1."""
    reflected = [point.reflected() for point in reversed(backward) if point.ratio > 1]
    return [*reflected, *above]


@relies_on("corners.polygon_values", "corners.polygon_dominates")
def masses_above(points: Sequence[Point]) -> Masses:
    """Return a pair whose divergence is nowhere below what is known at points of rising ratio."""
    corners, least = [(Fraction(0), Fraction(1))], Fraction(1)
    for point in points:
        least = min(least, point.high)
        corners.append((point.ratio, least))
    return _masses(_hull(corners))


@relies_on("from_below.runs_from_below", "from_below.runs_need")
def masses_below(points: Sequence[Point], limit: Fraction) -> Masses:
    """Return a pair whose divergence is nowhere above what is known at points of rising ratio.

    ``limit`` is at most the divergence at infinite E, and at least 0.
    """
    known = [Point(Fraction(0), Fraction(1), Fraction(1)), *points]
    corners = []
    for place, point in enumerate(known):
        corners.append((point.ratio, point.low))
        if place + 1 < len(known):
            corners.append(_between(known, place))
    line, end = _line(known[-1], known[-2]), known[-1].ratio
    if known[-1].low > limit and line[1] < 0:
        end = Dyadic.below((limit - line[0]) / line[1], _BITS).fraction()
    if end > known[-1].ratio:
        corners.append((end, limit))
    else:
        corners[-1] = (known[-1].ratio, min(known[-1].low, limit))
    hull = _hull(corners)
    return _masses(_raised(_raised(hull, lambda ratio: 1 - ratio), lambda ratio: limit))


def masses_of_events(events: Iterable[tuple[Fraction, Fraction]]) -> Masses:
    """Return a pair with a divergence of at most a pair's from lower bounds of P(T) and upper bounds of Q(T).

    P(T) - E Q(T) <= f(E) for every event T, for the empty one and the certain one too; the largest of these lines is
    the divergence of the pair whose masses are the steps of the concave hull of the points (Q(T), P(T)).
    """
    best: dict[Fraction, Fraction] = {Fraction(0): Fraction(0), Fraction(1): Fraction(1)}
    for first, second in events:
        best[second] = max(first, best.get(second, first))
    hull = _hull((second, -best[second]) for second in sorted(best))
    return tuple((low - high, stop - start) for (start, low), (stop, high) in pairwise(hull))


def _between(known: Sequence[Point], place: int) -> _Corner:
    """Return a corner below both lines that are drawn on between a point and the next."""
    start, stop = known[place].ratio, known[place + 1].ratio
    left = (Fraction(1), Fraction(-1)) if place == 0 else _line(known[place], known[place - 1])
    right = (known[-1].low, Fraction(0)) if place + 2 == len(known) else _line(known[place + 1], known[place + 2])
    middle = (start + stop) / 2
    if left[1] != right[1]:
        crossing = Dyadic.below(max(Fraction(0), (right[0] - left[0]) / (left[1] - right[1])), _BITS).fraction()
        middle = crossing if start < crossing < stop else middle
    return middle, min(_at(left, middle), _at(right, middle))


def _line(near: Point, far: Point) -> tuple[Fraction, Fraction]:
    """Return the height at 0 and the slope of the line through a lower end and, on the far side, an upper one."""
    slope = (far.high - near.low) / (far.ratio - near.ratio)
    return near.low - slope * near.ratio, slope


def _at(line: tuple[Fraction, Fraction], ratio: Fraction) -> Fraction:
    return line[0] + line[1] * ratio


def _hull(corners: Iterable[_Corner]) -> list[_Corner]:
    """Return the lower convex hull of corners by rising ratio."""
    kept: list[_Corner] = []
    for corner in corners:
        while len(kept) > 1 and _slope(kept[-2], kept[-1]) >= _slope(kept[-1], corner):
            kept.pop()
        kept.append(corner)
    return kept


def _slope(left: _Corner, right: _Corner) -> Fraction:
    return (right[1] - left[1]) / (right[0] - left[0])


def _raised(corners: Sequence[_Corner], line: Callable[[Fraction], Fraction]) -> list[_Corner]:
    """Return the corners of the larger of a polygon and a line."""
    raised = []
    for (start, low), (stop, high) in pairwise(corners):
        before, after = low - line(start), high - line(stop)
        raised.append((start, max(low, line(start))))
        if before * after < 0:
            crossing = start + (stop - start) * before / (before - after)
            raised.append((crossing, line(crossing)))
    stop, high = corners[-1]
    return [*raised, (stop, max(high, line(stop)))]


def _masses(corners: Sequence[_Corner]) -> Masses:
    """Return the pair of a convex polygon that is constant beyond its last corner."""
    slopes = [_slope(left, right) for left, right in pairwise(corners)]
    changes = [after - before for before, after in pairwise([*slopes, Fraction(0)])]
    masses = [(ratio * change, change) for (ratio, _), change in zip(corners[1:], changes, strict=True) if change]
    return (*masses, (corners[-1][1], Fraction(0)))
