"""Rényi divergences and zCDP of one or many runs, between two proved ends.

For a pair (P, Q) and an order a > 1 let S_a = E_Q[(P/Q)^a], infinite where P has mass that Q has not. The divergence
is D_a = ln(S_a) / (a - 1), and a mechanism has the largest of all its neighbouring pairs, in both orders. With b = a
- 1 and the loss x = ln(P/Q), S_a = E_P[e^(b x)], so K(b) = ln S_(1+b) is convex in b, and K(0) = 0 for finite losses.

**By the curve.** t^a is a (a - 1) times the integral of x^(a-2) max(0, t - x) over x > 0, so

    S_a = a (a - 1) * integral over x > 0 of x^(a-2) H_x(P || Q) dx :

S_a rises with the divergence of the pair at every x > 0, those of the other order counting at x < 1, by H_x(P || Q) =
1 - x + x H_(1/x)(Q || P). What has the curve of a pair has its D_a, what is above it at every x a larger one.

*From above.* A pair whose curve is nowhere below those of all pairs, in both orders, bounds all their D_a. It is the
polygon through points of the profile and of its reflection (:mod:`exactdp.privacy.composition.profile_pairs`), here
with a last point at an E where the profile is 0: at e^eps0. Where the profile falls to 0 nowhere, there is none.

*From below.* D_a of a real pair, or of a polygon below the curve of one real pair in both its orders. The largest
curve of several pairs would not do: at each x another one may be largest, and D_a of their maximum is above that of
each.

**Noise whose loss is linear** (:mod:`exactdp.privacy.composition.law_pairs`) has x = (s^2 - 2 s t) / (2 v) and K(b) =
b s^2 / (2 v) + ln F(e^(-b s / v)), F being its generating function. Completing the square, F(e^(-c)) is e^(c^2 v / 2)
times the sum over t of e^(-(t + c v)^2 / (2 v)) over the same sum with c = 0, which is not smaller, as all terms of
its Fourier dual are positive. With c = b s / v this is D_a <= a s^2 / (2 v), for every a, and equal where b s is an
integer.

**Many runs.** E[e^(b x)] of all runs is at most the product of the largest of each run, whoever chooses the next pair
and whatever was seen: given what was seen, the last factor is at most its largest. And runs on one pair each, chosen
before, have the product: so K of all runs is the sum of those of the runs, under each notion of composition.

**zCDP** is the least rho with D_a <= rho a for all a > 1: the supremum of K(b) / (b (b + 1)) over b > 0. The sum K of
upper ends is convex with K(0) = 0, so between u and v it is below its chord -A + B b, where A >= 0, and

* (-A + B b) / (b (b + 1)) rises up to b* = (A + sqrt(A^2 + A B)) / B, where it is (sqrt(A + B) - sqrt(A))^2, and then
  falls: on [u, v] it is at most that, or the larger of its ends if b* is outside; on (0, v], where A = 0, at most
  K(v) / v;
* D_a is at most the largest loss, or a s^2 / (2 v): so K(b) / (b (b + 1)) <= r + m / (1 + b) for known r and m, from
  each b on for all larger ones.

Intervals are halved until none of these bounds is much above a value that is attained.

Source: Mironov2017, Proposition 1; BunSteinke2016, Definition 1.1; CanonneKamathSteinke2020, Proposition 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from typing import Final

from flint import acb, arb

from exactdp.caching import cached_property
from exactdp.errors import InvalidValueError, UndecidedError
from exactdp.laws.law_balls import EnclosedDiscreteGaussian
from exactdp.numbers.balls import dyadic, log_interval, precision, rational_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.amplification.amplification import CURVE_BITS
from exactdp.privacy.composition.bracket import is_within, read_width
from exactdp.privacy.composition.law_pairs import Pair, PolygonPair, WindowPair
from exactdp.privacy.composition.losses import WORKING_BITS
from exactdp.privacy.composition.mechanisms import DominatedByPairs, DominatedByProfile, Mechanism, mechanisms_of
from exactdp.privacy.composition.profile_pairs import (
    Fineness,
    Point,
    both_orders,
    both_sides,
    level_near,
    masses_above,
    rough_value,
    value_above,
)
from exactdp.privacy.inverse import bracket_exp_eps
from exactdp.privacy.planner import Source, ViewPairs, engine_of
from exactdp.progress import with_progress

Parts = tuple[tuple[Source, int], ...]
"""Definitions, each with its number of runs."""

_FIRST_POINTS: Final = 64
"""Points of a profile up to where its tail says little; a quarter of so many in each octave beyond."""

_MOST_POINTS: Final = 256
"""Most points up to there."""

_MOST_OCTAVES: Final = 40
"""The first points reach to no less than 2 to minus this of eps0."""

_LITTLE: Final = 12
"""Beyond where S_a is about 2 to minus this of what it is, points lie further and further apart."""

_SPARE_BITS: Final = 20
"""Points of real pairs reach so much further."""

_TAIL_BITS: Final = 256
"""Windows of noise leave out less than 2 to minus this."""

_PURE_BITS: Final = 20
"""e^eps0 is found so well, from above."""

_SHORT_BITS: Final = 8
"""Ends of grids have so many bits."""

_LOSS_BITS: Final = 2
"""Losses at which real pairs are chosen are so short that neighbouring questions agree in them."""

_LOG2_E: Final = Fraction(14427, 10000)
"""A number above log2(e)."""

_TRIED: Final = 400
"""Most intervals of orders that are halved, so that every question ends."""

_LISTED: Final = 5 * 10**4
"""Most pairs of data sets times outcomes that are listed."""

_MOST_CURVES: Final = 3
"""Most orders that points are made to suit."""

_WIDTH: Final = Fraction(1, 100)
"""Two digits: the two ends of what is known between points are mostly no nearer."""

_SHARE: Final = 4
"""Intervals of orders are halved to this part of the width asked for."""


def renyi_divergence(parts: Parts, order: Exact, relative_width: Exact | None) -> Interval | LogRational:
    """Return the largest D_a of all runs together; where it is infinite, a LogRational.

    The order and the width are as of ``PrivacyProfile.renyi``.
    """
    asked, width = as_fraction(order, name="order"), _read_width(relative_width)
    if asked <= 1:
        raise InvalidValueError(f"order={short(asked)} is not above 1. Pass 2, say; order infinity is epsilon(0).")
    runs = _runs(parts)
    if runs is None:
        return LogRational(None)
    best, points = _Curve.of(runs, asked, _FIRST_POINTS).divergence(asked - 1), _FIRST_POINTS
    while points < _MOST_POINTS and _has_points(runs) and not is_within(best, width):
        points *= 2
        found = _Curve.of(runs, asked, points).divergence(asked - 1)
        before, best = best, Interval(max(best.lower, found.lower), min(best.upper, found.upper))
        if (before.hi - before.lo) - (best.hi - best.lo) <= width * best.hi / _SHARE:
            break
    return best


def zcdp_rho(parts: Parts, relative_width: Exact | None) -> Interval | LogRational:
    """Return the least rho with D_a <= rho a for all a > 1, of all runs together; where it is infinite, a LogRational.

    Points of profiles suit an order: first 2, then those at which the bound is largest, and there are more of them.
    """
    width, runs = _read_width(relative_width), _runs(parts)
    if runs is None:
        return LogRational(None)
    curves, orders, points, rho = list[_Curve](), [Fraction(2)], _FIRST_POINTS, None
    while True:
        curves.append(_Curve.of(runs, orders[-1], points))
        upper, b = _Orders(curves).largest(width)
        lower = max(curves[-1].ratio_below(order - 1) for order in (orders[-1], b + 1))
        before, found = rho, Interval(lower, Dyadic.above(upper, WORKING_BITS))
        rho = found if before is None else Interval(max(before.lower, found.lower), min(before.upper, found.upper))
        is_still = before is not None and (before.hi - before.lo) - (rho.hi - rho.lo) <= width * rho.hi
        if not _has_points(runs) or is_within(rho, width) or is_still or len(curves) == _MOST_CURVES:
            return rho
        if any(order / 2 < b + 1 < 2 * order for order in orders):
            points *= 2
        orders.append(b + 1)


def _read_width(relative_width: Exact | None) -> Fraction:
    return read_width(_WIDTH if relative_width is None else relative_width)


def _runs(parts: Parts) -> tuple[_Run, ...] | None:
    """Return the mechanisms that are run; None where a divergence is infinite."""
    runs = tuple((mechanism, source, times) for source, times in parts for mechanism in _mechanisms(source))
    finite = [_is_finite(mechanism, source) for mechanism, source, _ in runs]
    if False in finite:
        return None
    if None in finite:
        raise UndecidedError(
            "whether the divergence is finite is not decided: no eps is proved at which delta is 0, and delta at "
            "infinite eps is not proved to be above 0. Ask for delta or epsilon."
        )
    return runs


def _mechanisms(source: Source) -> tuple[Mechanism, ...]:
    """Return the mechanisms whose product is one run; of views all pairs count, which need not be compared."""
    if not isinstance(source, ViewPairs):
        return mechanisms_of(source)
    few = source.few_pairs(_LISTED, _LISTED)
    if few is None:
        return (DominatedByProfile(source),)
    return (DominatedByPairs(tuple(dict.fromkeys(pair for sides in few for pair in both_orders(source, *sides)))),)


def _has_points(runs: Sequence[_Run]) -> bool:
    """Whether more points may bring the ends together."""
    return any(mechanism.pairs is None for mechanism, _, _ in runs)


def _is_finite(mechanism: Mechanism, source: Source) -> bool | None:
    """Return whether the divergences of one run are finite; None where that is not decided."""
    if mechanism.pairs is not None:
        with precision(WORKING_BITS):
            losses = [pair.losses(_TAIL_BITS) for pair in mechanism.pairs if _linear(pair) is None]
            if any(one.infinite > 0 for one in losses):
                return False
            return True if all(one.infinite <= 0 and one.hidden <= 0 for one in losses) else None
    if engine_of(source).bracket(None, CURVE_BITS).lower.lower.mantissa:
        return False
    return None if _pure_ratio(source) is None else True


@lru_cache(maxsize=64)
def _pure_ratio(source: Source) -> Fraction | None:
    """Return an E at which delta is 0; None where none is known."""
    engine = engine_of(source)
    if engine.is_unbounded:
        return None
    return (engine.exp_eps_range(Fraction(0), _PURE_BITS) or bracket_exp_eps(engine, Fraction(0), _PURE_BITS)).high


class _Curve:
    """K of all runs from above, each value once, and from below."""

    def __init__(self, runs: Sequence[_Run], above: Sequence[tuple[Pair, ...]], points: int) -> None:
        self.runs, self.above, self.points = runs, above, points
        self.kept: dict[Fraction, arb] = {}

    @classmethod
    def of(cls, runs: Sequence[_Run], order: Fraction, points: int) -> _Curve:
        """Return the curves by so many points of each profile, which suit an order."""
        above = [
            (_pair_above(source, order, points),) if mechanism.pairs is None else mechanism.pairs
            for mechanism, source, _ in runs
        ]
        return cls(runs, above, points)

    def upper(self, b: Fraction) -> arb:
        """Return an upper bound of K(b)."""
        if b not in self.kept:
            sides = zip(self.runs, self.above, strict=True)
            total = sum((times * _largest(pairs, b, above=True) for (_, _, times), pairs in sides), arb(0))
            self.kept[b] = total.upper()
        return self.kept[b]

    def lower(self, b: Fraction) -> arb:
        """Return a lower bound of K(b), by real pairs that are about the worst there."""
        total = arb(0)
        for (mechanism, source, times), pairs in zip(self.runs, self.above, strict=True):
            if mechanism.pairs is None:
                pairs = mechanism.real_pairs(_fineness(source, pairs[0], b, self.points))
            total += times * _largest(pairs, b, above=False)
        return total.lower()

    def divergence(self, b: Fraction) -> Interval:
        """Return both ends of K(b) / b."""
        with precision(WORKING_BITS):
            by = rational_ball(b)
            return _between(self.lower(b) / by, self.upper(b) / by)

    def ratio_below(self, b: Fraction) -> Dyadic:
        """Return a lower bound of K(b) / (b (b + 1))."""
        with precision(WORKING_BITS):
            return max(Dyadic.of(0), dyadic((self.lower(b) / rational_ball(b * (b + 1))).lower()))

    def ratio(self, b: Fraction) -> arb:
        """Return an upper bound of K(b) / (b (b + 1))."""
        return (self.upper(b) / rational_ball(b * (b + 1))).upper()

    def most(self, start: Fraction, stop: Fraction | None) -> arb:
        """Return an upper bound of K(b) / (b (b + 1)) for b from ``start`` to ``stop``; None stands for no end."""
        rate, loss = self.cap
        beyond = (rate + loss / rational_ball(1 + start)).upper()
        if stop is None:
            return beyond
        u, v = rational_ball(start), rational_ball(stop)
        rising = (self.upper(stop) / (v * (1 + u))).upper()
        return min(beyond, rising, self._under_chord(start, stop)) if start else min(beyond, rising)

    def _under_chord(self, start: Fraction, stop: Fraction) -> arb:
        """Return the same by the chord -A + B b between two orders above 1."""
        u, low, high = rational_ball(start), self.upper(start), self.upper(stop)
        slope = (high - low) / rational_ball(stop - start)
        below = slope * u - low
        if not (below >= 0 and slope > 0):
            return arb.pos_inf()
        ends = max(self.ratio(start), self.ratio(stop))
        top = (below + (below * (below + slope)).sqrt()) / slope
        if top < u or top > rational_ball(stop):
            return ends
        return max(ends, (((below + slope).sqrt() - below.sqrt()) ** 2).upper())

    @cached_property
    def cap(self) -> tuple[arb, arb]:
        """Numbers r and m with D_a <= r a + m for every a."""
        rate, most = arb(0), arb(0)
        for (_, _, times), pairs in zip(self.runs, self.above, strict=True):
            linear = [line for pair in pairs if (line := _linear(pair)) is not None]
            losses = [pair.losses(_TAIL_BITS) for pair in pairs if _linear(pair) is None]
            finite = [x for one in losses for x in (*(x for _, _, x in one.atoms), *(x for _, x in one.raised))]
            rate += times * max((rational_ball(s * s / (2 * v)).upper() for v, s in linear), default=arb(0))
            most += times * max((x.upper() for x in finite), default=arb(0))
        return rate.upper(), most.upper()


@dataclass(frozen=True)
class _Orders:
    """The search for the largest K(b) / (b (b + 1)) among all b > 0, each bound by the best of some curves."""

    curves: Sequence[_Curve]

    def largest(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Return an upper bound of it, and a b at which it is about attained."""
        with precision(WORKING_BITS):
            waiting = list[tuple[Fraction, Fraction, Fraction | None]]()
            best = at = Fraction(1)
            self._wait(waiting, Fraction(0), at)
            self._wait(waiting, at, None)
            largest = self._ratio(best)
            for _ in with_progress(range(_TRIED), _TRIED):
                if -waiting[0][0] <= largest * (1 + width / _SHARE):
                    break
                _, start, stop = heappop(waiting)
                at = 4 * start if stop is None else min((start + stop) / 2, 4 * start or stop)
                self._wait(waiting, start, at)
                self._wait(waiting, at, stop)
                if (value := self._ratio(at)) > largest:
                    largest, best = value, at
            return -waiting[0][0], best

    def _wait(
        self, waiting: list[tuple[Fraction, Fraction, Fraction | None]], start: Fraction, stop: Fraction | None
    ) -> None:
        most = min(dyadic(curve.most(start, stop)).fraction() for curve in self.curves)
        heappush(waiting, (-most, start, stop))

    def _ratio(self, b: Fraction) -> Fraction:
        return min(dyadic(curve.ratio(b)).fraction() for curve in self.curves)


_Run = tuple[Mechanism, Source, int]


def _between(low: arb, high: arb) -> Interval:
    """Return the numbers of at least 0 between two balls."""
    return Interval(max(Dyadic.of(0), dyadic(low.lower())), dyadic(high.upper()))


# --- pairs ------------------------------------------------------------------------------------------------------------


def _linear(pair: Pair) -> tuple[Fraction, int] | None:
    """Return v and s of noise whose loss is linear, else None."""
    if not isinstance(pair, WindowPair) or pair.law.loss_scale is None:
        return None
    return pair.law.loss_scale, pair.shift


def _largest(pairs: Iterable[Pair], b: Fraction, *, above: bool) -> arb:
    """Return a bound of the largest K(b) of some pairs, of at least 0: from above, or else from below."""
    values = [_log_moment(pair, b, above=above) for pair in pairs]
    return max((value.upper() if above else value.lower() for value in values), default=arb(0))


def _log_moment(pair: Pair, b: Fraction, *, above: bool) -> arb:
    """Return K(b) of a pair; what is not listed of its laws counts from above only."""
    by, line = rational_ball(b), _linear(pair)
    if line is not None:
        v, s = line
        law = EnclosedDiscreteGaussian(v)
        return by * rational_ball(s * s / (2 * v)) + law.value(acb(rational_ball(-b * s / v))).real.log()
    losses = pair.losses(_TAIL_BITS)
    total = sum((p * (by * x).exp() for p, _, x in losses.atoms), arb(0))
    if above:
        total += sum((mass * (by * most).exp() for mass, most in losses.raised), arb(0))
    elif losses.infinite > 0:
        return arb.pos_inf()
    return total.log()


@lru_cache(maxsize=256)
def _reach(source: Source, order: Fraction) -> tuple[Fraction, int]:
    """Return an eps up to which many points are worth while at an order, and how many octaves it is below eps0."""
    pure = _pure_ratio(source)
    assert pure is not None
    end = Dyadic.above(log_interval(pure, relative_bits=_PURE_BITS).hi, _SHORT_BITS).fraction()
    octaves = 0
    while octaves < _MOST_OCTAVES and _is_little(source, end / 2 ** (octaves + 1), order):
        octaves += 1
    return end / 2**octaves, octaves


def _is_little(source: Source, eps: Fraction, order: Fraction) -> bool:
    """Whether the profile at eps times e^(2 a eps) is below about 2^-_LITTLE."""
    delta = rough_value(source, level_near(eps))
    bits = delta.denominator.bit_length() - delta.numerator.bit_length()
    return not delta or bits >= _LITTLE + 2 * order * eps * _LOG2_E


@lru_cache(maxsize=64)
def _pair_above(source: Source, order: Fraction, points: int) -> PolygonPair:
    """Return a pair of finite losses whose curve is nowhere below those of all pairs of a source, in both orders."""
    pure = _pure_ratio(source)
    assert pure is not None
    if pure == 1:
        return PolygonPair(((Fraction(1), Fraction(1)),))
    (start, octaves), few = _reach(source, order), points // 4
    losses = [start * j / points for j in range(points)]
    losses += [start * 2**octave * (few + j) / few for octave in range(octaves) for j in range(few)]
    levels = [level for level in map(level_near, losses) if level < pure]
    none = Fraction(0)
    heights = [value_above(source, level, CURVE_BITS) for level in with_progress(levels, len(levels))]
    known = [*(Point(level, none, high) for level, high in zip(levels, heights, strict=True)), Point(pure, none, none)]
    return PolygonPair(masses_above(both_sides(known, known)))


def _fineness(source: Source, above: Pair, b: Fraction, points: int) -> Fineness:
    """Return what is asked of the points of real pairs: worst where a run's loss is about its mean, tilted by b."""
    start, _ = _reach(source, b + 1)
    weights = [(p * (rational_ball(b) * x).exp(), x) for p, _, x in above.losses(_TAIL_BITS).atoms]
    mean = sum((w * x for w, x in weights), arb(0)) / sum((w for w, _ in weights), arb(0))
    loss = Dyadic.below(max(Fraction(0), dyadic(mean.mid()).fraction()), _LOSS_BITS).fraction()
    little = _LITTLE + _SPARE_BITS + (2 * (b + 1) * start * _LOG2_E).__ceil__()
    return Fineness(start / points, little, (loss,))
