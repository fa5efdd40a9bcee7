"""Where the cells of the Laplace randomizer end, in floats: of messages, and of the places of another user.

Every choice gives ends (:mod:`exactdp.mechanisms.laplace_family`); a poor one lies further from the truth. Lengths are
in units of 1/eps0, by u = e^(eps0 x) from 1 to T. At E = 1 the variance of L, which decides for many users, is with
V = e^v, and A = e^a,

    of the pair (0, l) beside v:    s(V) + s(T/V) - 2 (V/T + 1/V - 1/T),                         s(u) = (2 u + 1/u^2)/3,
    of the pair (a, l) beside 0:    m(A, A) - 2 m(A, T) + m(T, T),      m(u, w) = u + (2 + u^3)/(6 u w) - u^2/(2 w).

It falls away from the ends, and there cells may cost more: one of s units between the two inputs costs s^2/8 of the
users, and one of the distance of a user moves the mass s^2/8 to where L is about A, which adds A s^2/4 to the variance.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, log, log2, sqrt
from typing import Final

_CELLS: Final = (8, 96)
"""The least and the most cells of messages, whatever eps0 is."""

_POINT_BITS: Final = 24
"""Ends are rounded to so many bits of their distance, and those of cells of places to 16 more."""

_LOST: Final = 2.0**-12
"""The share of the users that the first cells of places cost, or twice it, and so on."""

_MOST_CELLS: Final = 32
"""More cells of places take long, so that the first ones cost more."""

_SPENT: Final = 0.45
"""The share of what a cell is better than the first one, as the logarithm of the variance, that it may cost."""

_WIDEST: Final = 0.5
"""Of the cells of the distance of a user, in units."""

_LEAST: Final = 2.0**-20
"""A smaller share of the variance is as good."""


def grid(top: Fraction, cells: int) -> list[Fraction]:
    """Return points between 1 and T, about equally far apart, so many in each unit."""
    length, (least, most) = log(top), _CELLS
    count = min(max(ceil(cells * length), least), most)
    scale = 2 ** ceil(_POINT_BITS + max(0.0, log2(count / length)))
    return [Fraction(round(scale * exp(length * j / count)), scale) for j in range(1, count)]


def places(top: Fraction) -> list[Fraction]:
    """Return points between 1 and T, nearer to each other where another user is nearly the worst."""
    limit = float(top)

    def variance(point: float) -> float:
        def square(ratio: float) -> float:
            return (2 * ratio + ratio**-2) / 3

        return square(point) + square(limit / point) - 2 * (point / limit + 1 / point - 1 / limit)

    left = _cells(sqrt(limit), variance, lambda lost, point: sqrt(8 * lost))
    return [*left, *(top / point for point in left)]


def distances(top: Fraction, are_thinned: bool = False) -> list[Fraction]:
    """Return points between 1 and T: cells of how far another user lies beyond the nearer of the two inputs."""

    def product(one: float, other: float) -> float:
        return one + (2 + one**3) / (6 * one * other) - one**2 / (2 * other)

    def variance(near: float) -> float:
        return product(near, near) - 2 * product(near, limit) + product(limit, limit)

    limit = float(top)
    if are_thinned:
        return _cells(limit, variance, lambda lost, _: lost)
    return _cells(limit, variance, lambda lost, point: min(_WIDEST, sqrt(4 * lost * variance(1.0) / point)))


def _cells(end: float, variance: Callable[[float], float], width: Callable[[float, float], float]) -> list[Fraction]:
    """Return points from beyond 1 to an end. A cell costs so much that what is left is about as bad as in the first.

    Args:
        end: the last point, about.
        variance: of L at E = 1, at a point.
        width: of the cell that costs so much and begins at a point, in units.
    """
    lost, points, scale, first = _LOST, [1.0], 2 ** (_POINT_BITS + 16), variance(1.0)
    while points[-1] < end:
        if len(points) > _MOST_CELLS:
            lost, points = 2 * lost, [1.0]
        better = log(first / max(variance(points[-1]), _LEAST * first)) if first > 0 else 0.0
        points.append(min(end, points[-1] * exp(width(lost + _SPENT * max(0.0, better), points[-1]))))
    return [Fraction(round(point * scale), scale) for point in points[1:]]
