"""Pairs that bound all pairs of a profile from above, and real ones from below, by points of their divergences.

**Above.** The least delta D(E) of all pairs in both orders is convex, D(0) = 1 and D(E) = 1 - E + E D(1/E). So the
pair of the chords between its values at points E >= 1 and at their inverses dominates every pair
(:mod:`exactdp.privacy.composition.polygons`); a pair that attains the composed delta may not exist.

**Below** stands a real pair of data sets, one and the same in all runs, in either order: worst pairs where their laws
are short, else pairs whose other users all hold one input (:mod:`exactdp.privacy.amplification.amplification`).

Points lie on a grid of eps whose step is a power of 2: finer grids, and those that reach further, keep the points.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from exactdp.errors import TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.finite import Law
from exactdp.mechanisms.neighbors import Neighbors
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.bisection import bisect
from exactdp.numbers.real import Real
from exactdp.patience import counted
from exactdp.privacy.amplification.amplification import CURVE_BITS, Amplification, HomogeneousPair, best_homogeneous
from exactdp.privacy.composition.law_pairs import FinitePair, Pair, PolygonPair
from exactdp.privacy.composition.polygons import Point, both_sides, masses_above, masses_below, masses_of_events
from exactdp.privacy.engine import DataSet
from exactdp.privacy.planner import ShufflePairs, Source, ViewPairs, engine_of
from exactdp.privacy.shuffle.view_law import view_law
from exactdp.privacy.views.protocol_pairs import LaplacePairs, ScorePairs

_LEAST_BITS: Final = 8
"""Values of a profile are known to at least so many bits."""

_FAR_BITS: Final = 200
"""A profile below 2 to minus this is negligible, unless delta is small too: a bracket begins with 256 bits."""

_LARGEST_EPS: Final = 2**12
"""Profiles are not followed beyond this eps."""

_LEVEL_BITS: Final = 40
"""Points need not be exact, but short."""

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
    """

    step: Fraction
    little: int
    losses: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The points e^(i step) for i from 0 to ``count``, and to how many bits divergences are known there."""

    step: Fraction
    count: int
    bits: int

    @property
    def levels(self) -> list[Fraction]:
        """The points, as short numbers near e^eps."""
        return [level_near(i * self.step) for i in range(self.count + 1)]

    @property
    def is_finest(self) -> bool:
        """Whether half the step would take more points than the limit."""
        return 2 * self.count > _MOST_POINTS


def level_near(eps: Fraction) -> Fraction:
    """Return a short number near e^eps, at least 1."""
    return enclose_real(Real.exp(eps), relative_bits=_LEVEL_BITS).upper.fraction() if eps else Fraction(1)


@lru_cache(maxsize=256)
def grid(source: Source, fineness: Fineness) -> Grid:
    """Return the grid that a profile needs; with a larger step where the points would be too many."""
    least = _limit(source) * (1 + Fraction(1, 2**20)) + Fraction(1, 2**fineness.little)
    last, step = last_eps(source, max(_FAR_BITS, fineness.little)), fineness.step
    while (count := _reach(source, step, min(_MOST_POINTS, int(last / step)), least)) == _MOST_POINTS:
        step *= 2
    return Grid(step, count, _bits(int(last / step)))


def _bits(points: int) -> int:
    """Return an accuracy at which chords lose more than the values: relatively the square of the step over the spread
    of a run's losses, which is about a 24th of their range."""
    return max(_LEAST_BITS, min(CURVE_BITS, 2 * (points // 24).bit_length() + 2))


def _reach(source: Source, step: Fraction, most: int, least: Fraction) -> int:
    """Return the number of a point where the profile is about at most ``least``, or ``most``; at least 1."""
    return bisect(0, max(1, most), lambda i: rough_value(source, level_near(i * step)) <= least)


def first_grid(source: Source) -> Grid:
    """Return the grid of a first look."""
    return Grid(last_eps(source) / _FIRST_POINTS, _FIRST_POINTS, _LEAST_BITS)


# --- above ------------------------------------------------------------------------------------------------------------


@relies_on("corners.dominates_from_above_1", "composed_rounds.polygon_lies_above", "composed_rounds.rounds_of_curves")
@lru_cache(maxsize=64)
def dominating_pair(source: Source, points: Grid, *, is_rough: bool = False) -> PolygonPair:
    """Return the pair of the chords; a rough one lies further above, and only chooses."""
    known = []
    for level in counted(points.levels, points.count + 1):
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
    """Return an eps, a power of 2, from which on the profile is about at its limit, or at most 2^-little."""
    eps = Fraction(1, 8)
    least = _limit(source) * (1 + Fraction(1, 2**20)) + Fraction(1, 2**little)
    while eps < _LARGEST_EPS and rough_value(source, level_near(eps)) > least:
        eps *= 2
    return eps


@lru_cache(maxsize=64)
def _limit(source: Source) -> Fraction:
    """Return the profile at infinite E."""
    engine = engine_of(source)
    direct = engine.enclosed(None, CURVE_BITS)
    return engine.worst(None).mass_first if direct is None else direct.delta.upper.fraction()


# --- below ------------------------------------------------------------------------------------------------------------


def real_pairs(source: Source, fineness: Fineness) -> tuple[Pair, ...]:
    """Return real pairs, both orders of each, that are about worst at the losses of one run that matter."""
    levels = list(dict.fromkeys(map(level_near, fineness.losses)))
    if isinstance(source, LaplacePairs):
        return (_attained_by_one_pair(source, grid(source, fineness)),)
    if isinstance(source, ScorePairs):
        return _pair_of_scores(source, grid(source, fineness), levels[0])
    listed = tuple(dict.fromkeys(pair for level in levels for pair in worst_pairs(source, level)))
    engine = None if listed else _amplification(source)
    if engine is None:
        return listed
    best = dict.fromkeys(best_homogeneous(engine, level) for level in levels[:_TRIED])
    kept = {pair.key: pair for one in best for pair in (one, one.reversed())}
    return tuple(polygon_of(pair, grid(source, fineness)) for pair in kept.values())


@lru_cache(maxsize=64)
def polygon_of(pair: HomogeneousPair, points: Grid) -> PolygonPair:
    """Return a pair whose divergence is at most that of a real one, by the points of a grid."""
    if not pair.has_divergences:
        events = [pair.event(level) for level in counted(points.levels, points.count + 1)]
        events += [(1 - second, 1 - first) for first, second in map(pair.reversed().event, points.levels)]
        return PolygonPair(masses_of_events(events), pair.words)
    sides = []
    for one in (pair, pair.reversed()):
        known = []
        for level in counted(points.levels, points.count + 1):
            delta = one.divergence(level, points.bits)
            known.append(Point(level, delta.lo, delta.hi))
        sides.append(known)
    return PolygonPair(masses_below(both_sides(*sides), pair.limit), pair.words)


@lru_cache(maxsize=64)
def _attained_by_one_pair(source: Source, points: Grid) -> PolygonPair:
    """Return a pair whose divergence is at most the profile, where both orders of one real pair have the profile."""
    known = []
    for level in counted(points.levels, points.count + 1):
        worst = engine_of(source).enclosed(Real(level), points.bits)
        assert worst is not None
        known.append(Point(level, worst.delta.lo, worst.delta.hi))
    return PolygonPair(masses_below(both_sides(known, known), _limit(source)), "answers the sensitivity apart")


@lru_cache(maxsize=64)
def _pair_of_scores(source: ScorePairs, points: Grid, level: Fraction) -> tuple[PolygonPair, PolygonPair]:
    """Return both orders of the pair of data sets that is worst at a level, as what is at most its divergence."""
    worst = engine_of(source).enclosed(Real(level), CURVE_BITS)
    assert worst is not None
    rows = worst.first.index(1), worst.second.index(1)
    sides: list[list[Point]] = [[], []]
    for ratio in counted(points.levels, points.count + 1):
        for known, (first, second) in zip(sides, (rows, rows[::-1]), strict=True):
            delta = source.weights.enclose_divergence(first, second, Real(ratio), points.bits)
            known.append(Point(ratio, delta.lo, delta.hi))
    words = f"{source.inputs[rows[0]]!r} and {source.inputs[rows[1]]!r}"
    one, other = both_sides(sides[0], sides[1]), both_sides(sides[1], sides[0])
    return PolygonPair(masses_below(one, Fraction(0)), words), PolygonPair(masses_below(other, Fraction(0)), words)


@lru_cache(maxsize=64)
def _amplification(source: Source) -> Amplification | None:
    """Return the engine that knows homogeneous data sets; None where there is none."""
    if not isinstance(source, ShufflePairs) or source.neighbors is not Neighbors.REPLACE_ONE:
        return None
    try:
        return source.amplification()
    except TooLargeError:
        return None


def worst_pairs(source: Source, exp_eps: Fraction) -> tuple[FinitePair, ...]:
    """Return both orders of a pair of data sets that is worst at ``exp_eps``; none where its law is too long."""
    if not isinstance(source, ShufflePairs):  # the number of users is random
        return ()
    if engine_of(source).is_bracket or source.outcomes * source.users > _VIEW_OUTCOMES:
        return ()
    enclosed = engine_of(source).enclosed(Real(exp_eps), CURVE_BITS)
    event = engine_of(source).worst(exp_eps) if enclosed is None else enclosed
    return tuple(both_orders(source, event.first, event.second))


def both_orders(source: ViewPairs, first: DataSet, second: DataSet) -> Iterable[FinitePair]:
    """Return the views of two data sets as a pair, in both orders."""
    laws = _view(source, first), _view(source, second)
    return FinitePair.of(*laws), FinitePair.of(*laws[::-1])


@lru_cache(maxsize=2048)
def _view(source: ViewPairs, data_set: DataSet) -> Law:
    return view_law(source.table, data_set)
