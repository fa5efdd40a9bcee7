"""Rows of two-message events: the surface by mpmath, its planes and polygons by every point of small lattices."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath
import pytest
from flint import arb

from exactdp.numbers.balls import precision, rational_ball
from exactdp.numbers.real import Real
from exactdp.privacy.two_messages.balls_of_rows import (
    HalfLine,
    Nodes,
    Plane,
    Point,
    Surface,
    Tilt,
    TwoRates,
    _Rows,
    _Search,
    search_rows,
    search_straight_rows,
)
from exactdp.privacy.two_messages.two_messages import half_line_masses
from tests.oracles import high_precision
from tests.thinned import thinned

WIDE = (40, Fraction(1, 4), Fraction(3, 4), Fraction(101, 100))
LOPSIDED = (40, Fraction(1, 20), Fraction(1, 2), Fraction(2))
HIGH = (40, Fraction(3, 5), Fraction(4, 5), Fraction(5, 4))
LOW = (40, Fraction(1, 7), Fraction(1, 3), Fraction(11, 10))
STEEP = (40, Fraction(1, 2), Fraction(2, 3), Fraction(9, 8))
NEAR = (40, Fraction(49, 100), Fraction(51, 100), Fraction(1001, 1000))
PROTOCOLS = [WIDE, LOPSIDED, HIGH, LOW, NEAR]
BITS = 100


def _one(protocol):
    """The only parameter of a case."""
    return (protocol,)


class Found:
    """Every value that is added."""

    def __init__(self) -> None:
        self.best = arb(0)
        self.events: dict[HalfLine, arb] = {}

    def add(self, value: arb, event: HalfLine) -> None:
        self.events[event] = value
        self.best = arb.max(self.best, value.lower())


def nodes_of(protocol: tuple[int, Fraction, Fraction, Fraction], bits: int = BITS) -> Nodes:
    others, low, high, exp_eps = protocol
    tilt = Tilt.of(TwoRates(others, Real(low), Real(high), Real(exp_eps)))
    assert tilt is not None
    return Nodes.of(tilt, bits, range(others + 1))


@cache
def exact(protocol: tuple[int, Fraction, Fraction, Fraction], k: int, m: int) -> Fraction:
    """F(k, m)."""
    others, low, high, exp_eps = protocol
    p, q = half_line_masses(others, k, low, high, m)
    return p - exp_eps * q


@cache
def largest_at(protocol: tuple[int, Fraction, Fraction, Fraction], k: int) -> tuple[Fraction, set[HalfLine]]:
    """The largest F(k, m) for this k, and the events that have it."""
    values = {HalfLine(k, m): exact(protocol, k, m) for m in range(protocol[0] + 1)}
    best = max(values.values())
    return best, {event for event, value in values.items() if value == best}


def best_events(protocol: tuple[int, Fraction, Fraction, Fraction], ks: range) -> set[HalfLine]:
    """The events of a range with the largest F(k, m) of all k and m."""
    rows = [largest_at(protocol, k) for k in ks]
    best = max(value for value, _ in rows)
    return set().union(*(events for value, events in rows if value == best))


def number(ball: arb) -> Any:
    mantissa, exponent = map(int, ball.mid().man_exp())
    return mpmath.mpf(mantissa) * mpmath.mpf(2) ** exponent


class Definition:
    """T(k, y) as the module defines it, with the weights of the nodes."""

    def __init__(self, nodes: Nodes, protocol: tuple[int, Fraction, Fraction, Fraction]) -> None:
        self.others, *rest = protocol
        low, high, exp_eps = map(high_precision.number, rest)
        self.alpha = high - exp_eps * low
        self.rho = (self.alpha + exp_eps - 1) / self.alpha
        self.tilted = [p * self.rho / (1 - p + p * self.rho) for p in (low, high)]
        self.rates = [
            t * mpmath.log(self.rho) - mpmath.log(1 - p + p * self.rho)
            for p, t in zip((low, high), self.tilted, strict=True)
        ]
        self.terms = [
            (mpmath.mpc(number(w.real), number(w.imag)), number(angle))
            for w, angle in zip(nodes.weights, nodes.angles, strict=True)
        ]

    def __call__(self, k: Any, y: Any) -> Any:
        (low, high), (slow, fast) = self.tilted, self.rates
        total = mpmath.mpf(0)
        for weight, angle in self.terms:
            turn = mpmath.expj(angle)
            still = mpmath.log(1 - low + low * turn) - 1j * low * angle
            drift = mpmath.log(1 - high + high * turn) - 1j * high * angle - still
            total += (weight * mpmath.exp(self.others * still + k * drift - 1j * y * angle)).real
        return self.alpha * mpmath.exp(-k * fast - (self.others - k) * slow - mpmath.log(self.rho) * y) * total

    def unit(self, k: Any, first: int) -> Any:
        """u(k) for the k from ``first`` on, which is S / T."""
        slow, fast = self.rates
        return mpmath.exp((k - first) * (fast - slow) + first * fast + (self.others - first) * slow) / self.alpha


def points_of(surface: Surface, ks: range) -> list[tuple[int, int, arb]]:
    """Every k of a range and m with abs(y) <= 1, and that y."""
    found = []
    for k in ks:
        middle = surface.tilt.mean(k)
        start = int(middle.mid().floor().unique_fmpz())
        for m in range(max(0, start - 1), min(surface.tilt.others, start + 2) + 1):
            if abs(y := m - middle) <= 1:
                found.append((k, m, y.mid()))
    return found


@pytest.mark.parametrize("protocol", thinned(map(_one, PROTOCOLS), every=2), ids=str)
def test_the_surface_is_what_the_module_defines(protocol):
    """S, S^ = S + c/2 (k - k1)(k2 - k) and S^ - B u with their slopes; kk, ky and yy are their second derivatives."""
    ks = range(5, 31)
    with high_precision.sixty_digits(), precision(300):
        nodes = nodes_of(protocol, bits=12)  # few, so that the error of T is seen
        surface, definition = Surface(nodes, ks), Definition(nodes, protocol)
        surface.rise = rise = arb(3) / 2**20
        c = number(rise)

        def raised(k: Any, y: Any) -> Any:
            bump = c / 2 * (k - ks[0]) * (ks[-1] - k)
            return definition(k, y) * definition.unit(k, ks[0]) + bump

        for k, y in ((arb(5), arb("0.5")), (arb("17.25"), arb("-0.75")), (arb(30), arb(0))):
            plane, at = surface.plane(Point(k, y)), (number(k), number(y))
            orders = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
            truths = [raised(*at) + number(surface.error), *(mpmath.diff(raised, at, order) for order in orders)]
            for bar in (arb(0), arb(3) / 1000, plane.value / plane.unit):
                over = plane.over(bar)
                units = [mpmath.diff(lambda k: definition.unit(k, ks[0]), at[0], order) for order in range(3)]
                lowered = zip(truths, (units[0], units[1], 0, units[2], 0, 0), strict=True)
                parts = (over.value, over.k, over.y, over.kk, over.ky, over.yy)
                assert [
                    abs(number(part) - (truth - number(bar) * unit)) < 1e-15
                    for part, (truth, unit) in zip(parts, lowered, strict=True)
                ] == [True] * 6
            assert plane.over_itself().value.contains(0)
            assert abs(number(surface.error) * 2**12 / definition.rho - 1) < 1e-6


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_the_surface_passes_through_the_events(protocol):
    with precision(300):
        surface = Surface(nodes_of(protocol), range(protocol[0] + 1))
        for k, m, y in points_of(surface, range(0, protocol[0] + 1, 3)):
            point = Point(arb(k), y)
            ball = surface.jet(point).value * surface.factor(point)
            assert abs(ball - rational_ball(exact(protocol, k, m)) * surface.unit(point.k)) <= surface.error * 2


@pytest.mark.parametrize("protocol", [WIDE, LOW, NEAR], ids=str)
@pytest.mark.parametrize("ks", [range(41), range(3, 18), range(20, 41)], ids=str)
def test_a_plane_is_above_every_event_of_its_range(protocol, ks):
    with precision(300):
        surface = Surface(nodes_of(protocol), ks)
        assert surface.is_bounded()
        points = points_of(surface, ks)
        for k, y in product((ks[0], ks[len(ks) // 3], ks[-1]), (arb(-1), arb("0.25"), arb(1))):
            plane = surface.plane(Point(arb(k), y))
            for i, m, at in points:
                value = rational_ball(exact(protocol, i, m))
                assert not plane.at(arb(i), at) < value * surface.unit(arb(i))
                assert not plane.over(value).at(arb(i), at) < 0


@pytest.mark.parametrize("protocol", thinned(map(_one, [WIDE, LOW, NEAR]), every=2), ids=str)
def test_what_is_added_makes_the_surface_concave(protocol):
    """S_yy < 0, and c >= S_kk - S_ky^2 / S_yy, wherever it is looked at."""
    ks = range(3, 38)
    with high_precision.sixty_digits(), precision(300):
        nodes = nodes_of(protocol, bits=20)
        surface, definition = Surface(nodes, ks), Definition(nodes, protocol)
        assert surface.is_bounded()

        def level(k: Any, y: Any) -> Any:
            return definition(k, y) * definition.unit(k, ks[0])

        for k, y in ((arb(3), arb("-0.5")), (arb(37), arb("0.25"))):
            point, at = Point(k, y), (number(k), number(y))
            kk, ky, yy = (mpmath.diff(level, at, order) for order in ((2, 0), (1, 1), (0, 2)))
            least = surface.jet(point).rise * surface.factor(point)
            assert yy < 0
            assert abs(number(least) - (kk - ky**2 / yy)) < 1e-15
            assert surface.rise >= least


@pytest.mark.parametrize("protocol", [LOW, STEEP], ids=str)
def test_what_a_plane_leaves_out_is_below_the_bar(protocol):
    """By a plane at each of some places, for the values of the best events as bars: many k at one end."""
    ks, left_out = range(2, 39), 0
    with precision(300):
        surface = Surface(nodes_of(protocol), ks)
        assert surface.is_bounded()
        points = points_of(surface, ks)
        bars = sorted(exact(protocol, k, m) for k, m, _ in points)[-1:-9:-2]
        for k, y, bar in product((3, 20, 38), ("0", "0.5"), bars):
            surface.first, surface.last = ks[0], ks[-1]
            plane = surface.plane(Point(arb(k), arb(y))).over(rational_ball(bar))
            assert surface.narrow(plane) == (2 * (surface.last - surface.first) < 36)
            beyond = [(i, m) for i, m, _ in points if not surface.first <= i <= surface.last]
            assert all(exact(protocol, *event) < bar for event in beyond)
            left_out = max(left_out, len({i for i, _ in beyond}))
    assert left_out >= 10


def test_where_a_plane_leaves_out():
    """A plane that is 0 at k = 7.5 or 32.5, for y = 1 or y = -1: 7 and 33 are kept, and u stays as it is."""
    with precision(100):
        for slope, tilt, kept in ((1, 2, (7, 40)), (1, -2, (7, 40)), (-1, 2, (0, 33)), (-1, -2, (0, 33))):
            surface = Surface(nodes_of(WIDE), range(41))
            unit, zero = surface.unit(arb(3)), arb(0)
            plane = Plane(Point(arb(20), zero), arb("10.5"), arb(slope), arb(tilt), zero, zero, zero, unit, zero)
            assert not surface.narrow(plane)
            assert (surface.first, surface.last) == kept
            assert (surface.unit(arb(3)) - unit).contains(0)
            assert not surface.narrow(Plane(Point(arb(20), zero), arb(1), *[zero] * 7))


@pytest.mark.parametrize(("p", "q"), [(0, 1), (1, 1), (1, 2), (2, 5), (5, 3)])
def test_the_events_of_a_row(p, q):
    """The k with q m - p k = t for a whole m are those of one residue modulo q."""
    rows = _Rows(p, q, arb(0), arb(0))
    for t in range(-7, 8):
        k = rows.residue(t)
        assert [(t + p * i) % q for i in range(q)].index(0) == k
        assert rows.event(t, k + q) == (k + q, (t + p * (k + q)) // q)


@pytest.mark.parametrize("protocol", thinned(map(_one, [WIDE, LOW, NEAR]), every=2), ids=str)
def test_rows_under_a_concave_bound_find_the_largest_event(protocol):
    others = protocol[0]
    with precision(300):
        nodes = nodes_of(protocol)
        for first, last in product(range(0, 12, 2), (17, 29, others)):
            ks, found = range(first, last + 1), Found()
            assert search_rows(nodes, ks, found)
            assert best_events(protocol, ks) <= found.events.keys()


@pytest.mark.parametrize("protocol", thinned(map(_one, PROTOCOLS), every=2), ids=str)
def test_straight_rows_find_the_largest_event_of_every_range(protocol):
    """Of each range whose rows are few: the best of all its events, in one of the rows."""
    others = protocol[0]
    with precision(300):
        nodes = nodes_of(protocol)
        for first, length in product(range(0, others + 1, 2), (1, 2, 3, 9)):
            ks = range(first, min(first + length, others + 1))
            found = Found()
            assert search_straight_rows(nodes, ks, found)
            assert best_events(protocol, ks) <= found.events.keys()


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_a_straight_row_is_climbed_to_its_top(protocol):
    """Every row of fixed m or m - k, over all k that have its events in the strip."""
    others = protocol[0]
    with precision(300):
        nodes = nodes_of(protocol)
        surface = Surface(nodes, range(others + 1))
        inside = points_of(surface, range(others + 1))
        for p in (0, 1):
            rows = _Rows(p, 1, -surface.tilt.mean(0), p - surface.step)
            for t in {m - p * k for k, m, _ in inside}:
                found = Found()
                assert _Search(surface, rows, found).straight(t)
                row = [(exact(protocol, k, m), HalfLine(k, m)) for k, m, _ in inside if m - p * k == t]
                assert max(row)[1] in found.events


@pytest.mark.parametrize("protocol", [WIDE, LOPSIDED], ids=str)
def test_a_polygon_holds_what_is_beyond_a_row(protocol):
    """A linear function is nowhere larger beyond a row than at one of the corners."""
    planes = [(arb(0), arb(1)), (arb(0), arb(-1)), (arb(1), arb(0)), (arb(-1), arb(0))]
    planes += [(arb(slope) / 64, arb(side)) for slope in (-9, -1, 2, 17) for side in (-1, 1)]
    with precision(300):
        for ks in (range(41), range(9, 26)):
            surface = Surface(nodes_of(protocol), ks)
            points = [(k, m, y) for k, m, y in points_of(surface, ks) if k in ks]
            for p, q in ((0, 1), (1, 1), (1, 2), (2, 5)):
                rows = _Rows(p, q, -surface.tilt.mean(0), arb(p) / q - surface.step)
                search = _Search(surface, rows, Found())
                for t, sign in product(sorted({q * m - p * k for k, m, _ in points})[::2], (-1, 1)):
                    corners = list(search._corners(t, sign))
                    beyond = [(arb(k), y) for k, m, y in points if sign * (q * m - p * k - t) >= 0]
                    for along, up in planes:
                        top = [along * k + up * y for k, y in corners]
                        assert all(not all(along * k + up * y > height for height in top) for k, y in beyond)
