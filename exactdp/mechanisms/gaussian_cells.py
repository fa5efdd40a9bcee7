"""Where the cells of the Gaussian randomizer end, in floats: of messages, and of the places of three users.

Every choice gives ends (:mod:`exactdp.mechanisms.gaussian_family`); a poor one lies further from the truth. Lengths are
in units of sigma. What decides for many users is the variance of L at E = 1, of the integral of (P - Q)^2/R: a cell of
places goes on until its row is about as bad as that of the two ends beside one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from math import comb, erf, exp, factorial, sqrt
from typing import Final, NamedTuple

_LOST: Final = 2.0**-9
"""The share of the variance by which a cell of places may be worse than the worst pair."""

_LOST_BETWEEN: Final = 2.0**-13
"""The same of the places between two inputs, of which few cells are needed."""

_BITS: Final = 40
"""Places are multiples of 2^-40."""

_SPENT: Final = 0.5
"""The share of what a cell is better than the worst pair that it may cost: bad rows take long."""

_BISECTIONS: Final = 24

_LEAST: Final = 2.0**-10
"""Cells of places are at least so long, as a share of all."""

_SLACKS: Final = (0.05, 0.1, 0.15, 0.2)
"""Tried as how much longer the vectors of a plane are."""

_POWER: Final = 1 / 5
"""Between 1/3, for the least variance, and 0, for tails."""

_FLAT: Final = 0.1
"""How much of a grid is spread over all of its range."""

_TILT: Final = 1 / 20
"""Of the mean of (e^(tilt L) - 1 - tilt L) 2/tilt^2 up to the fourth power: some thousand users at sigma = 1."""

_MOMENTS: Final = tuple(
    (k - j, j, (-1) ** j * comb(k, j) * 2 * _TILT ** (k - 2) / factorial(k)) for k in (2, 3, 4) for j in range(k + 1)
)
"""The powers of P/R and Q/R in the powers of L at E = 1, and their factors."""

_VARIANCE: Final = tuple(moment for moment in _MOMENTS if sum(moment[:2]) == 2)
"""The same of the variance alone, which is what counts for very many users."""

_MOST_BEYOND: Final = 48
"""So many cells of places beyond two inputs at most, and"""

_LOOSER: Final = 4.0
"""so many times the share of before where they would be more."""

_MOST_APART: Final = 4
"""Cells of Q; a plane is better than more of them."""

_RAISED: Final = 1 / 32
"""The share of E - 1 by which a cell of Q may raise the mean."""

_PLANE: Final = 0.4
"""A plane should be so much better than the worst pair: its two rows are long."""

_DEVIATIONS: Final = 2.0
"""Of the sum of all users: the least ratio that is cut."""

_CUT_STEP: Final = 1.25
"""Ratios that are cut lie so far from each other."""

_RARE: Final = 6.5
"""Beyond a ratio that P has so many deviations from its mean none is cut: it charges next to nothing."""

_FINE: Final = 64
"""Steps of a unit in which the density of a grid is added up."""


class Plane(NamedTuple):
    """Two vectors, (along, across) and (length, 0), of which every pair (a, l) of a cell is an image."""

    along: Fraction
    across: Fraction
    length: Fraction

    def covers(self, place: Fraction, end: Fraction) -> bool:
        """Whether (place, end) is what a vector of length at most 1 says of the two."""
        first = end / self.length
        return bool(first**2 + ((place - first * self.along) / self.across) ** 2 <= 1)


def rounded(value: float, *, up: bool = False) -> Fraction:
    """Return a multiple of 2^-40 beside a float, above it if asked for."""
    return Fraction(round(value * 2**_BITS) + up, 2**_BITS)


def between(end: Fraction) -> list[Fraction]:
    """Return places from 0 to l, both among them, of another user beside 0 and l."""
    length = float(end)
    half, points = length / 2, [0.0]
    while points[-1] < half:
        ends = []
        for moments in (_VARIANCE, _MOMENTS):
            size = partial(_size, length, 0.0, points[-1], moments=moments)
            worst = _size(length, 0.0, 0.0, 0.0, moments=moments)
            ends.append(_farthest(points[-1], half, size, worst, _LOST_BETWEEN))
        points.append(min(ends))
    left = [rounded(point) for point in points[:-1]]
    return [*left, end / 2, *(end - point for point in reversed(left))]


def beyond(end: Fraction, start: Fraction, stop: Fraction) -> Sequence[tuple[Fraction, Fraction, Plane | None]]:
    """Return cells [u, w] of the place a of the pair (a, l) beside 0, from a start to a stop, or to l with a plane."""
    lost = _LOST
    while len(cells := list(islice(_beyond(end, start, stop, lost), _MOST_BEYOND + 1))) > _MOST_BEYOND:
        lost *= _LOOSER
    return cells


def _beyond(
    end: Fraction, start: Fraction, stop: Fraction, lost: float
) -> Iterator[tuple[Fraction, Fraction, Plane | None]]:
    """Yield the cells that may be worse than the worst pair by a share of it."""
    length, low = float(end), start
    worst = _size(length, 0.0, 0.0, 0.0)
    while low < stop:
        near = float(low)
        if (plane := _plane(low, end, worst)) is not None:
            yield low, end, plane
            return

        def size(far: float, near: float = near) -> float:
            return _size(length - near, 0.0, -far * (length - near) / (length - far), -near)

        far = rounded(_farthest(near, near + (length - near) / 8, size, worst, lost))
        yield low, far, None
        low = far


def apart(start: Fraction, end: Fraction, most: Fraction | None) -> list[Fraction]:
    """Return places from a start to l, both among them, of Q in the pair (l, a) at E up to a number; or none.

    The mean of L then rises by little of E - 1.
    """
    if most is None or start == end:
        return []
    length = float(end - start)
    for cells in range(1, _MOST_APART + 1):
        rate = (length / cells) ** 2 / 8
        if rate * (1 + (length / cells) ** 2 / 4) <= float(most - 1) * _RAISED:
            return [*(start + (end - start) * Fraction(k, cells) for k in range(cells)), end]
    return []


def grid(first: Fraction, second: Fraction, other: Fraction, reach: Fraction, count: int) -> list[Fraction]:
    """Return about so many places of messages, both ends among them, dense where P/R and Q/R change most."""
    low, high = min(first, second) - reach, max(first, second) + reach
    p, q, v = float(first), float(second), float(other)
    steps = int((high - low) * _FINE) + 1
    places = [float(low) + float(high - low) * (k + 0.5) / steps for k in range(steps)]
    sizes = []
    for y in places:
        normal, total = exp(-((y - v) ** 2) / 2), 0.0
        for place in (p, q):
            total += ((place - v) * exp((place - v) * (y - (place + v) / 2))) ** 2
        sizes.append((normal * total) ** _POWER)
    flat = _FLAT * (sum(sizes) or 1.0) / steps
    scale, passed, points = count / sum(size + flat for size in sizes), 0.0, [low]
    for y, size in zip(places, sizes, strict=True):
        passed += (size + flat) * scale
        if passed >= len(points):
            points.append(rounded(y))
    return sorted({*(point for point in points if low <= point < high), high})


def cuts(end: Fraction, users: int) -> tuple[Fraction, ...]:
    """Return the largest ratios that may be kept, rising from one that moves the sum of so many users more than all.

    Larger ones charge less, and weigh more beside a large tilt.
    """
    length = float(end)
    ratio = _DEVIATIONS * sqrt((1 << users.bit_length()) * (exp(length**2) - 1))
    found, rare = [ratio], exp(_RARE * length + length**2 / 2)
    while found[-1] < rare:
        found.append(_CUT_STEP * found[-1])
    return tuple(Fraction(max(2, round(one))) for one in found)


def _farthest(low: float, high: float, size: Callable[[float], float], worst: float, lost: float) -> float:
    """Return about the largest end of a cell that costs no more than a share of what its beginning is better."""
    most = worst * (1 + lost) - (1 - _SPENT) * max(0.0, worst - size(low))
    if size(high) <= most:
        return high
    left, right = low, high
    for _ in range(_BISECTIONS):
        middle = (left + right) / 2
        left, right = (middle, right) if size(middle) <= most else (left, middle)
    return min(high, max(left, low + _LEAST * high))


def _plane(low: Fraction, end: Fraction, worst: float) -> Plane | None:
    """Return the first plane for all places from ``low`` to the end that is no worse than the worst pair."""
    middle, half = (low + end) / 2, (end - low) / 2
    for slack in _SLACKS:
        length = rounded(float(end) * sqrt(1 + slack), up=True)
        across = rounded(float(half) / sqrt(1 - float(end / length) ** 2), up=True)
        plane = Plane(length * middle / end, across, length)
        a, b, c = float(plane.along), float(length), float(across)
        if plane.covers(low, end) and plane.covers(end, end):
            sizes = (
                times * exp(((i * a + j * b) ** 2 + (i * c) ** 2 - i * (a * a + c * c) - j * b * b) / 2)
                for i, j, times in _MOMENTS
            )
            if sum(sizes) <= _PLANE * worst:
                return plane
    return None


def _below(value: float) -> float:
    return (1 + erf(value / sqrt(2))) / 2


def _size(
    first: float, second: float, low: float, high: float, moments: Iterable[tuple[int, int, float]] = _MOMENTS
) -> float:
    """Return how large L is, R the smaller one of those at two places."""
    middle, total = (low + high) / 2, 0.0
    for v, sign in ((high, 1), (low, -1)):
        a, b = first - v, second - v
        for i, j, times in moments:
            moved = i * a + j * b
            total += times * exp((moved * moved - i * a * a - j * b * b) / 2) * _below(sign * (middle - v - moved))
    return total
