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
from math import lcm

from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.rationals import ratio
from exactdp.privacy.lower_hull import LowerHull


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
