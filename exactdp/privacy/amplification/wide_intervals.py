"""Which intervals of a contour are too wide for a bound, in floats: a choice, for what is halved is bounded in parts.

The bound of :mod:`exactdp.privacy.amplification.tilted_contour` is of no use where r(c)^2 + abs((r^2)'(c)) h + v h^2 is
not below 1. That is so of more than half of all intervals, and an evaluation in balls takes five times as long.
"""

from __future__ import annotations

from cmath import rect
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Final, Self

from flint import arb

from exactdp.privacy.amplification.tilted import Tilted

_HOPELESS: Final = 1.001
"""More than 1 by more than floats are wrong."""


@dataclass(frozen=True, slots=True)
class WideIntervals:
    """The step between nodes, the variance of one tilted copy, and its values and weights, about."""

    step: float
    variance: float
    items: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, point: Tilted, step: arb, last: int) -> Self | None:
        """Return what tells wide intervals up to a last node; None where numbers are beyond floats."""
        items = tuple((float(value.mid()), float(weight.mid())) for value, weight in point.law.items)
        size, variance = float(step.mid()), float(point.variance.mid())
        return cls(size, variance, items) if all(map(isfinite, (size * last, variance, *chain(*items)))) else None

    def holds(self, first: int, last: int) -> bool:
        """Whether the bound for some nodes is of no use, as floats see it."""
        center, reach = self.step * (first + last) / 2, self.step * (last - first) / 2
        square, size, slope = self.variance * reach * reach, 0j, 0j
        if square > _HOPELESS:
            return True
        for value, weight in self.items:
            term = rect(weight, center * value)
            size, slope = size + term, slope + term * value
        turning = 2 * (size.imag * slope.real - size.real * slope.imag)
        return square + abs(size) ** 2 + abs(turning) * reach > _HOPELESS
