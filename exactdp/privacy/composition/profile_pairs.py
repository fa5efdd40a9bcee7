"""Pairs that bound all pairs of a profile from above, and real ones from below, by points of their divergences.

**Above.** The least delta D(E) of all pairs in both orders is convex, D(0) = 1 and D(E) = 1 - E + E D(1/E). So the
pair of the chords between its values at points E >= 1 and at their inverses dominates every pair
(its polygon, below); a pair that attains the composed delta may not exist.

**Below** stands a real pair of data sets, one and the same in all runs, in either order: worst pairs where their laws
are short, else pairs whose other users all hold one input (:mod:`exactdp.privacy.amplification.amplification`).

Points lie on a grid of eps whose step is a power of 2: finer grids, and those that reach further, keep the points.
Where the profile has fallen far, a composition hardly sees them, and they may be further apart.

Polygons are pairs of laws above and below a divergence that is known at some points. Let f(E) = H_E(P || Q) for a pair,
or the largest of several such functions. It is convex, does not rise, f(0) = 1 and f(E) >= max(0, 1 - E); at points 0 <
E_1 < ... < E_m it lies in intervals [l_i, u_i], and E_0 = 0 with l_0 = u_0 = 1.

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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from exactdp.errors import TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.finite import Law
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.bisection import bisect
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import CURVE_BITS, Amplification, HomogeneousPair, best_homogeneous
from exactdp.privacy.composition.law_pairs import FinitePair, Pair, PolygonPair
from exactdp.privacy.engine import DataSet
from exactdp.privacy.planner import ShufflePairs, Source, ViewPairs, engine_of
from exactdp.privacy.shuffle.view_law import view_law
from exactdp.progress import with_progress

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


def masses_of_polygons(above: Sequence[_Corner], backward: Sequence[_Corner]) -> Masses:
    """Return a pair whose divergence is nowhere above that of a pair, from convex polygons below it on E >= 1.

    ``above`` are corners of a polygon below the divergence in one order, ``backward`` in the other, each from E = 1 on,
    and constant beyond its last corner.
    """
    sides = above, backward
    middle = min(side[0][1] for side in sides)
    reflected = [(1 / ratio, 1 - 1 / ratio + value / ratio) for ratio, value in reversed(sides[1][1:])]
    hull = _hull([(Fraction(0), Fraction(1)), *reflected, (Fraction(1), middle), *sides[0][1:]])
    return _masses(_raised(hull, lambda ratio: 1 - ratio))


def largest_polygon(polygons: Sequence[Sequence[_Corner]]) -> Sequence[_Corner]:
    """Return the corners of the largest of polygons that begin at one ratio."""
    largest = polygons[0]
    for other in polygons[1:]:
        ratios = sorted({ratio for ratio, _ in (*largest, *other)})
        known, raised = _values(largest, ratios), dict(zip(ratios, _values(other, ratios), strict=True))
        largest = _raised_to(list(zip(ratios, known, strict=True)), raised)
    return largest


def _values(corners: Sequence[_Corner], ratios: Iterable[Fraction]) -> list[Fraction]:
    """Return the values of a polygon at rising ratios, from that of its first corner on."""
    values, place = [], 0
    for ratio in ratios:
        while place + 1 < len(corners) and corners[place + 1][0] <= ratio:
            place += 1
        left = corners[place]
        if place + 1 == len(corners) or left[0] == ratio:
            values.append(left[1])
        else:
            values.append(left[1] + _slope(left, corners[place + 1]) * (ratio - left[0]))
    return values


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
    return _raised_to(corners, {ratio: line(ratio) for ratio, _ in corners})


def _raised_to(corners: Sequence[_Corner], others: Mapping[Fraction, Fraction]) -> list[_Corner]:
    """Return the corners of the larger of two polygons, of which the other's values are known at the same ratios."""
    raised = []
    for (start, low), (stop, high) in pairwise(corners):
        before, after = low - others[start], high - others[stop]
        raised.append((start, max(low, others[start])))
        if before * after < 0:
            share = before / (before - after)
            raised.append((start + (stop - start) * share, low + (high - low) * share))
    stop, high = corners[-1]
    return [*raised, (stop, max(high, others[stop]))]


def _masses(corners: Sequence[_Corner]) -> Masses:
    """Return the pair of a convex polygon that is constant beyond its last corner."""
    slopes = [_slope(left, right) for left, right in pairwise(corners)]
    changes = [after - before for before, after in pairwise([*slopes, Fraction(0)])]
    masses = [(ratio * change, change) for (ratio, _), change in zip(corners[1:], changes, strict=True) if change]
    return (*masses, (corners[-1][1], Fraction(0)))


_FAR_BITS: Final = 200
"""A profile below 2 to minus this is negligible, unless delta is small too: a bracket begins with 256 bits."""

_RARE: Final = Fraction(1, 2**20)
_FLAT: Final = 1 - Fraction(1, 2**8)
"""A profile below the one that falls by less than the other where eps is doubled has its points before."""

_LARGEST_EPS: Final = 2**12
"""Profiles are not followed beyond this eps."""

_LEVEL_BITS: Final = 40
"""Points need not be exact, but short."""

_FALL: Final = 2**6
"""Where the profile is so many times less points are twice as far apart: their error is about as the density of the
losses times the square of that, and its sum is least for a given number of them where the cube of that falls with it.
"""

_MOST_KNEES: Final = 6

_FIRST_POINTS: Final = 64
"""Points of a first look: the losses of one run spread over an eighth of their range, or more."""

_MOST_POINTS: Final = 256
"""Most points of a profile: each is a search for the worst pair, or two contours."""

_VIEW_OUTCOMES: Final = 2**23
"""Most users times outcomes of a data set that bounds from below are computed with."""

_TRIED: Final = 2
"""At so many losses homogeneous data sets are worst of which points are computed."""

_KEPT: Final = 2**14
"""Values that are kept."""


@dataclass(frozen=True, slots=True)
class Fineness:
    """What is asked of the points of a profile.

    Args:
        step: of eps, a power of 2.
        little: points reach to where the profile is about 2 to minus this, or its limit.
        losses: of one run, at which real pairs should be worst, those that matter most first.
        thins: whether points may be further apart beyond these losses, where the profile falls.
    """

    step: Fraction
    little: int
    losses: tuple[Fraction, ...]
    thins: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Points e^(i step) for i from 0 to ``count`` or a little beyond, and to how many bits divergences are known there.

    From each of the ``knees`` on, i rises by twice as much. The numbers i in use at a step are, doubled, in use at half
    of it. ``far`` are eps of points beyond them.
    """

    step: Fraction
    count: int
    bits: int
    knees: tuple[int, ...] = ()
    far: tuple[Fraction, ...] = ()

    @property
    def levels(self) -> list[Fraction]:
        """The points, as short numbers near e^eps."""
        places, stride = [0], 1
        for knee in (*self.knees, self.count):
            while places[-1] < knee or (places[-1] < self.count and places[-1] % (2 * stride)):
                places.append(places[-1] + stride)
            stride *= 2
        return [level_near(eps) for eps in (*(i * self.step for i in places), *self.far)]

    @property
    def is_finest(self) -> bool:
        """Whether half the step would take more points than the limit."""
        return 2 * self.count > _MOST_POINTS


class SourceOfRuns(Source):
    """A definition that itself knows of which ordered pairs of laws its runs are made."""

    __slots__ = ()

    def run_pairs(self) -> tuple[Pair, ...]:
        """Return real pairs that dominate all others; none where they are too many, or not listed."""
        return ()

    def pairs_from_below(self, points: Grid, level: Fraction) -> tuple[Pair, ...]:
        """Return what is at most the divergence of real pairs, about worst at a level, by points; none if unknown."""
        return ()


def level_near(eps: Fraction) -> Fraction:
    """Return a short number near e^eps, at least 1."""
    return enclose_real(Real.exp(eps), relative_bits=_LEVEL_BITS).upper.fraction() if eps else Fraction(1)


@lru_cache(maxsize=256)
def grid(source: Source, fineness: Fineness) -> Grid:
    """Return the grid that a profile needs; with a larger step where the points would be too many."""
    least = _least(source, fineness.little)
    last, step = last_eps(source, max(_FAR_BITS, fineness.little)), fineness.step
    while (count := _reach(source, step, min(_MOST_POINTS, int(last / step)), least)) == _MOST_POINTS:
        step *= 2
    knees: list[int] = []
    if fineness.thins:
        below = rough_value(source, level_near(max(fineness.losses))) / _FALL
        while (knee := _reach(source, step, count, below)) < count and len(knees) < _MOST_KNEES:
            knees.append(knee)
            below /= _FALL
    far = tuple(eps for eps in falls_beyond(source, last, max(_FAR_BITS, fineness.little)) if eps > (count + 1) * step)
    return Grid(step, count, CURVE_BITS, tuple(knees), far)


def _reach(source: Source, step: Fraction, most: int, least: Fraction) -> int:
    """Return the number of a point where the profile is about at most ``least``, or ``most``; at least 1."""
    return bisect(0, max(1, most), lambda i: rough_value(source, level_near(i * step)) <= least)


def first_grid(source: Source) -> Grid:
    """Return the grid of a first look."""
    return Grid(last_eps(source) / _FIRST_POINTS, _FIRST_POINTS, CURVE_BITS)


# --- above ------------------------------------------------------------------------------------------------------------


@relies_on("corners.dominates_from_above_1", "composed_rounds.polygon_lies_above", "composed_rounds.rounds_of_curves")
@lru_cache(maxsize=64)
def dominating_pair(source: Source, points: Grid, *, is_rough: bool = False) -> PolygonPair:
    """Return the pair of the chords; a rough one lies further above, and only chooses."""
    known = []
    for level in with_progress(points.levels):
        high = rough_value(source, level) if is_rough else value_above(source, level, points.bits)
        known.append(Point(level, Fraction(0), high))
    return PolygonPair(masses_above(both_sides(known, known)))


@lru_cache(maxsize=_KEPT)
def value_above(source: Source, exp_eps: Fraction, bits: int) -> Fraction:
    """Return a short upper bound of the profile at ``exp_eps``."""
    return engine_of(source).upper_bound(exp_eps, bits).fraction()


@lru_cache(maxsize=_KEPT)
def rough_value(source: Source, exp_eps: Fraction) -> Fraction:
    """Return an upper bound of the profile at ``exp_eps`` that may be some times as large."""
    return engine_of(source).rough_upper_bound(exp_eps).fraction()


@lru_cache(maxsize=64)
def last_eps(source: Source, little: int = _FAR_BITS) -> Fraction:
    """Return an eps, a power of 2, from which on the profile is about at its limit, or little, or rare and flat.

    The charges of an upper end make it flat: its points then lie where what is not charged falls.
    """
    eps, least = Fraction(1, 8), _least(source, little)
    while eps < _LARGEST_EPS and (value := rough_value(source, level_near(eps))) > least:
        if value < _RARE and rough_value(source, level_near(2 * eps)) > value * _FLAT:
            break
        eps *= 2
    return eps


@lru_cache(maxsize=64)
def falls_beyond(source: Source, last: Fraction, little: int) -> tuple[Fraction, ...]:
    """Return the eps, powers of 2 beyond ``last``, to which a rare and flat profile falls, until it is as little."""
    eps, falls, least = last, list[Fraction](), _least(source, little)
    value = rough_value(source, level_near(eps))
    while eps < _LARGEST_EPS and value > least:
        eps *= 2
        before, value = value, rough_value(source, level_near(eps))
        if value <= before * _FLAT:
            falls.append(eps)
    return tuple(falls)


def _least(source: Source, little: int) -> Fraction:
    """Return a little more than the limit of the profile, and than nothing."""
    return _limit(source) * (1 + Fraction(1, 2**20)) + Fraction(1, 2**little)


@lru_cache(maxsize=64)
def _limit(source: Source) -> Fraction:
    """Return the profile at infinite E."""
    known = engine_of(source).bound(None, CURVE_BITS).delta
    return known if isinstance(known, Fraction) else known.upper.fraction()


# --- below ------------------------------------------------------------------------------------------------------------


def real_pairs(source: Source, fineness: Fineness) -> tuple[Pair, ...]:
    """Return real pairs, both orders of each, that are about worst at the losses of one run that matter."""
    levels = list(dict.fromkeys(map(level_near, fineness.losses)))
    if source.attained_by_one:
        return (_attained_by_one_pair(source, grid(source, fineness)),)
    if isinstance(source, SourceOfRuns):
        return source.pairs_from_below(grid(source, fineness), levels[0])
    listed = tuple(dict.fromkeys(pair for level in levels for pair in worst_pairs(source, level)))
    engines = () if listed else _amplifications(source)
    if not engines:
        return listed
    best = dict.fromkeys(best_homogeneous(engines, level) for level in levels[:_TRIED])
    kept = {pair.key: pair for one in best for pair in (one, one.reversed())}
    return tuple(polygon_of(pair, grid(source, fineness)) for pair in kept.values())


@lru_cache(maxsize=64)
def polygon_of(pair: HomogeneousPair, points: Grid) -> PolygonPair:
    """Return a pair whose divergence is at most that of a real one, by the points of a grid."""
    if not pair.has_divergences:
        events = [pair.event(level) for level in with_progress(points.levels)]
        events += [(1 - second, 1 - first) for first, second in map(pair.reversed().event, points.levels)]
        return PolygonPair(masses_of_events(events), pair.words)
    sides = []
    for one in (pair, pair.reversed()):
        known = []
        for level in with_progress(points.levels):
            delta = one.divergence(level, points.bits)
            known.append(Point(level, delta.lo, delta.hi))
        sides.append(known)
    return PolygonPair(masses_below(both_sides(*sides), pair.limit), pair.words)


@lru_cache(maxsize=64)
def _attained_by_one_pair(source: Source, points: Grid) -> PolygonPair:
    """Return a pair whose divergence is at most the profile, where both orders of one real pair have the profile."""
    known = []
    for level in with_progress(points.levels):
        delta = engine_of(source).bracket(Real(level), points.bits).delta
        known.append(Point(level, delta.lo, delta.hi))
    return PolygonPair(masses_below(both_sides(known, known), _limit(source)), source.attained_by_one)


@lru_cache(maxsize=64)
def _amplifications(source: Source) -> tuple[Amplification, ...]:
    """Return the engines that know homogeneous data sets; none where there are none."""
    try:
        return source.amplifications()
    except TooLargeError:
        return ()


def worst_pairs(source: Source, exp_eps: Fraction) -> tuple[FinitePair, ...]:
    """Return both orders of a pair of data sets that is worst at ``exp_eps``; none where its law is too long."""
    if not isinstance(source, ShufflePairs):  # how many users take part is random
        return ()
    if engine_of(source).is_bracket or source.outcomes * source.users > _VIEW_OUTCOMES:
        return ()
    worst = engine_of(source).bracket(Real(exp_eps), CURVE_BITS)
    return tuple(both_orders(source, *worst.pair))


def both_orders(source: ViewPairs, first: DataSet, second: DataSet) -> Iterable[FinitePair]:
    """Return the views of two data sets as a pair, in both orders."""
    laws = _view(source, first), _view(source, second)
    return FinitePair.of(*laws), FinitePair.of(*laws[::-1])


@lru_cache(maxsize=2048)
def _view(source: ViewPairs, data_set: DataSet) -> Law:
    return view_law(source.table, data_set)
