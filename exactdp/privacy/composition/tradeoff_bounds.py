"""Trade-off functions between two polygons, of profiles that are known between two ends.

f(a) = sup over E > 0 of 1 - delta(E) - E a, where delta(E) = 1 - E + E delta(1/E) below 1: f falls where delta rises.
So the trade-off function of a pair whose curve is nowhere below the profile is a lower end of f, and that of a pair
whose curve is nowhere above it an upper end. Both pairs are polygons through points of the profile
(:mod:`exactdp.privacy.composition.profile_pairs`). It need not be the profile of one pair of data sets: f is that of
all pairs together.

The best tests of a polygon's pair are the steps of its likelihood ratio, so its f is the polygon through their errors.
Errors rounded down give a polygon below, errors rounded up one above, because f falls.

Source: DongRothSu2022, Proposition 6.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from exactdp.numbers.interval import Interval
from exactdp.privacy.composition.profile_pairs import Masses, Point, both_sides, level_near, masses_above, masses_below
from exactdp.privacy.tradeoff import TradeoffBounds, TradeoffFunction
from exactdp.progress import report_progress

_SCALE: Final = 2**96
"""Errors are multiples of one over this."""

_POINTS: Final = 24
"""Points up to where the profile is much below its value at 0, and a quarter of so many in each octave beyond."""

_FALLEN: Final = 64
"""There it has fallen by about this factor."""

_SMALL: Final = Fraction(1, 2**40)
"""Where the profile is at most this, or its limit, no more points are asked for."""

_MOST_OCTAVES: Final = 24
"""So that every search for the scale of the profile ends."""


def tradeoff_bounds(profile: Callable[[Fraction], Interval], limit: Interval) -> TradeoffBounds:
    """Return both polygons by points of a profile: a bracket of delta at each e^eps, and one at infinite eps."""
    known: dict[Fraction, Interval] = {}

    def value(eps: Fraction) -> Interval:
        if eps not in known:
            known[eps] = profile(level_near(eps))
            report_progress(len(known))
        return known[eps]

    def is_low(eps: Fraction) -> bool:
        return value(eps).hi <= max(_SMALL, limit.hi + (value(Fraction(0)).hi - limit.hi) / _FALLEN)

    start = Fraction(1, 16)
    for _ in range(_MOST_OCTAVES):
        if is_low(start):
            break
        start *= 2
    for _ in range(_MOST_OCTAVES):
        if not is_low(start / 2):
            break
        start /= 2
    for j in range(_POINTS + 1):
        value(start * j / _POINTS)
    few, end = _POINTS // 4, start
    for _ in range(_MOST_OCTAVES):
        if value(end).hi <= max(_SMALL, limit.hi * (1 + _SMALL)):
            break
        for j in range(1, few + 1):
            value(end * (few + j) / few)
        end *= 2
    points = [Point(level_near(eps), known[eps].lo, min(Fraction(1), known[eps].hi)) for eps in sorted(known)]
    both = both_sides(points, points)
    return TradeoffBounds(_polygon(masses_above(both), up=False), _polygon(masses_below(both, limit.lo), up=True))


def _polygon(masses: Masses, *, up: bool) -> TradeoffFunction:
    """Return the trade-off function of the pair with these masses, in both orders, with errors rounded up, or down."""
    rising = sorted((mass for mass in masses if mass[1]), key=lambda mass: mass[0] / mass[1], reverse=True)
    first, second = sum((p for p, q in masses if not q), Fraction(0)), Fraction(0)
    events = [(first, second)]
    for p, q in rising:
        first, second = first + p, second + q
        events.append((first, second))
    rounded = []
    for power, error in events:
        if up:
            rounded.append(((power * _SCALE).__floor__(), (error * _SCALE).__ceil__()))
        else:
            rounded.append(((power * _SCALE).__ceil__(), (error * _SCALE).__floor__()))
    return TradeoffFunction.from_weights([(min(p, _SCALE), min(q, _SCALE)) for p, q in rounded], _SCALE)
