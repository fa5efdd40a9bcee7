"""The worst half-line events of two-message protocols of any size, beside every data set of the other users.

F(k, m), its nodes and their proof are in :mod:`exactdp.privacy.two_messages.balls_of_rows`. For all k at once: with k =
u C + c and m = M_u + m_c + {0, 1, 2}, where M_u and m_c are the floors of the two parts of the mean mu_k, every summand
of F is a number for u times a number for (c, 0..2), so that all F are one product of two matrices, in ball arithmetic,
row block by row block. With many users they are searched by :mod:`exactdp.privacy.two_messages.balls_of_rows` instead,
which needs a few values at any number of k. Where that fails the k are divided into parts, which are searched in the
same way; a part is left out where its ceiling is below a value that is attained.

The three m hold every mode of h_k. The floors are those of the lower ends of balls with radius below 1/(8 (N+1)), so
that mu_k - M_u - m_c is in [0, 2 + 1/(2 (N+1))); above 2, the only mode is M_u + m_c + 2, by Darroch's theorem.

Source: Darroch1964, Theorem 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import isqrt
from typing import Final, NoReturn

import flint
from flint import arb, arb_mat

from exactdp.errors import TooLargeError
from exactdp.numbers.balls import dyadic, enclosed
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.privacy.engine import ManyUsersError
from exactdp.privacy.two_messages.balls_of_rows import (
    HalfLine,
    Nodes,
    Tilt,
    TwoRates,
    ceiling,
    floor,
    search_rows,
    search_straight_rows,
)

__all__ = ["HalfLine", "ManyUsersError", "TwoRates", "worst_half_lines"]

MAX_USERS: Final = 10**20
"""Most users who are searched."""

_ENTRIES: Final = 2**19
"""Numbers held of a block of rows: about 80 MB."""

_FILTER_BITS: Final = 16
"""Relative accuracy of the first comparison, beyond what tells apart values near the largest."""

_SAMPLES: Final = 32
"""About so many values are looked at before all the others."""

_MAX_COLUMNS: Final = 1024
"""Most k in one row."""

_ROWS_FROM: Final = 500
"""With fewer users all are searched, which costs no more than rows."""

_FEW: Final = 16
"""So few k are searched one by one."""

_MOST_PARTS: Final = 300
"""Into so many parts the k are divided, before the search is given up."""

_UNEVEN: Final = 8
"""A part where one variance is so many times another is divided."""

_LIKE: Final = 16
"""Ends whose ceilings differ by less than one in so many are alike: their part is divided in the middle."""

_NEAR_END: Final = 16
"""A part whose ends differ by more than one in ``_LIKE`` is divided there, into one in ``_NEAR_END`` and the rest."""

_THRESHOLDS: Final = 3
"""Candidates for m beside each k."""

_UNKNOWN: Final = arb("nan")


def worst_half_lines(rates: TwoRates, relative_bits: int) -> tuple[Interval, list[HalfLine]]:
    """Enclose the largest F(k, m) over all k and m, to a relative width of 2^-relative_bits, and list who attains it.

    The list holds every (k, m) that attains the largest value, and those that this accuracy does not tell from it.
    All k are compared at a low accuracy first; only those that it does not rule out are compared at a higher one.

    Raises:
        TooLargeError: beyond ``MAX_USERS``, and where the k are not compared in ``_MOST_PARTS`` parts.

    Cost: some hundred values, each of about as many nodes as bits: 10 ms at 10^6 users and 0.1 s at 10^20; up to 10 s
    where a or b is within about 100/N of 0 or 1.
    """
    if rates.others >= MAX_USERS:
        raise TooLargeError(
            f"two messages: {about(rates.others + 1)} users are more than the limit of 10^20. Use fewer users: delta "
            "of fewer is not below delta of more."
        )
    bits = min(relative_bits, _FILTER_BITS + (rates.others + 1).bit_length())
    if rates.others >= _ROWS_FROM:
        bits = _FILTER_BITS + 2 * (rates.others + 1).bit_length()
    top, events = _stage(rates, bits, None)
    while bits < relative_bits:
        bits = min(relative_bits, 2 * bits)
        top, events = _stage(rates, bits, events)
    return top, events


def largest_difference(rates: TwoRates, relative_bits: int) -> Interval:
    """Enclose the largest F(k, m) alone: few bits do, where nobody asks who attains it.

    Raises:
        TooLargeError: as ``worst_half_lines``.
    """
    return _stage(rates, relative_bits, None)[0]


def _stage(rates: TwoRates, relative_bits: int, among: list[HalfLine] | None) -> tuple[Interval, list[HalfLine]]:
    """Enclose the largest F among the given (k, m), None for all, and list those that the balls do not rule out."""
    size_bits = (rates.others + 1).bit_length()
    lines: list[HalfLine] = []

    def largest() -> arb:
        tilt = Tilt.of(rates)
        if tilt is None:
            return _UNKNOWN
        t = flint.ctx.prec - size_bits - 16
        top, attaining = _search(tilt, t) if among is None else _compare(tilt, t, among)
        lines[:] = attaining
        return top

    return enclosed(largest, relative_bits, lost_bits=size_bits + 3 * size_bits // 2), lines


@dataclass(frozen=True)
class _Grid:
    """The k of a range, as those of the rows plus those of the columns, with the floors of the parts of mu_k."""

    row_starts: list[HalfLine]
    column_starts: list[HalfLine]

    @classmethod
    def of(cls, tilt: Tilt, ks: range, width: int) -> _Grid | None:
        """Return None where the precision is too low for the floors."""
        columns = min(isqrt(_size(ks) // _THRESHOLDS), _MAX_COLUMNS, _ENTRIES // width) + 1
        move = tilt.high - tilt.low
        means = [(k, k * move + tilt.others * tilt.low) for k in ks[::columns]]
        further = [(c, c * move) for c in range(columns)]
        if not all(8 * (tilt.others + 1) * mean.rad() < 1 for _, mean in (*means, *further)):
            return None
        return cls([HalfLine(k, floor(mean)) for k, mean in means], [HalfLine(c, floor(mean)) for c, mean in further])

    def samples(self) -> list[HalfLine]:
        """A few rows, the first and the last among them."""
        return [*self.row_starts[:: len(self.row_starts) // _SAMPLES + 1], self.row_starts[-1]]

    def blocks(self, height: int) -> Iterator[list[HalfLine]]:
        """Split the rows."""
        for first in range(0, len(self.row_starts), height):
            yield self.row_starts[first : first + height]


def _search(tilt: Tilt, t: int) -> tuple[arb, list[HalfLine]]:
    """Return the largest F as a ball, and the (k, m) whose balls are not below one that is attained."""
    ks = range(tilt.others + 1)
    if _size(ks) < _ROWS_FROM:
        return _search_among(Nodes.of(tilt, t, ks), ks).largest()
    lines = _Lines(ks, tilt.others)
    if not _search_part(tilt, t, ks, lines):
        _search_divided(tilt, t, ks, lines)
    lines.drop()
    return lines.largest()


def _search_divided(tilt: Tilt, t: int, ks: range, lines: _Lines) -> None:
    """Search the k of a range in parts, after the two ends: parts that have a lower ceiling are left out."""
    for k in (ks[0], ks[-1]):
        _search_all(Nodes.of(tilt, t, range(k, k + 1)), range(k, k + 1), lines)
    order, parts = count(), [(-ceiling(tilt, ks).upper(), 0, ks)]
    while parts:
        if (looked := next(order)) >= _MOST_PARTS:
            _refuse(lines, parts, ks)
        _, _, part = heappop(parts)
        if ceiling(tilt, part) < lines.best or _search_part(tilt, t, part, lines):
            continue
        for half in _halves(tilt, part):
            bound = ceiling(tilt, half)
            if not bound < lines.best:
                heappush(parts, (-bound.upper(), 2 * looked + (half[0] > part[0]), half))


def _search_part(tilt: Tilt, t: int, ks: range, lines: _Lines) -> bool:
    """Search the k of a range; False where it has to be divided."""
    if _size(ks) > _FEW and not _is_even(tilt, ks):
        return False
    nodes = Nodes.of(tilt, t, ks)
    if _size(ks) > _FEW:
        return search_straight_rows(nodes, ks, lines) or search_rows(nodes, ks, lines)
    _search_all(nodes, ks, lines)
    return True


def _is_even(tilt: Tilt, ks: range) -> bool:
    """Whether the variances in a part are of one size; few nodes serve such a part."""
    first, last = tilt.variance(ks[0]), tilt.variance(ks[-1])
    return first < _UNEVEN * last and last < _UNEVEN * first


def _search_all(nodes: Nodes, ks: range, lines: _Lines) -> None:
    """Search every k of a short range."""
    for k in ks:
        start = floor(nodes.tilt.mean(k))
        for m in range(start, start + _THRESHOLDS):
            lines.add(nodes.value(k, m), HalfLine(k, m))


def _halves(tilt: Tilt, ks: range) -> Iterator[range]:
    """Divide a range, near the end where F may be much larger."""
    first, last = (ceiling(tilt, range(k, k + 1)).mid() for k in (ks[0], ks[-1]))
    length = _size(ks)
    part = length // 2 if abs(first - last) * _LIKE < first + last else length // _NEAR_END + 1
    middle = ks[0] + (part if first >= last else length - part)
    yield range(ks[0], middle)
    yield range(middle, ks[-1] + 1)


def _refuse(lines: _Lines, parts: list[tuple[arb, int, range]], ks: range) -> NoReturn:
    """Say what is known without a search that takes too long."""
    lines.drop()
    upper = arb.max(lines.best, -parts[0][0])
    bracket = Interval(*(dyadic(end) for end in (lines.best.lower(), upper.upper())))
    raise ManyUsersError(
        f"two messages: the data sets of {about(_size(ks))} users are too much alike to be compared in {_MOST_PARTS} "
        f"parts. Use fewer users, or an eps further from 0. In this order of the data sets delta is proved to be in "
        f"{bracket}.",
        bracket,
    )


def _search_among(nodes: Nodes, ks: range) -> _Lines:
    """Search the k of a range; nothing is found where the precision is too low."""
    width, lines = _width(nodes), _Lines(ks, nodes.tilt.others)
    grid = _Grid.of(nodes.tilt, ks, width)
    if grid is None:
        return lines
    steps = [HalfLine(k, m + more) for k, m in grid.column_starts for more in range(_THRESHOLDS)]
    right = arb_mat([nodes.column(*step) for step in steps]).transpose()
    for start in grid.samples():  # for a bar that most of the others do not reach
        lines.add(nodes.value(*start), start)
    lines.kept.clear()
    for starts in grid.blocks(_ENTRIES // max(width, len(steps)) + 1):
        entries = (arb_mat([nodes.row(*start) for start in starts]) * right).entries()
        best = lines.best
        for place in [i for i, value in enumerate(entries) if not value < best]:
            start, step = starts[place // len(steps)], steps[place % len(steps)]
            lines.add(entries[place], HalfLine(start.k + step.k, start.m + step.m))
        lines.drop()
    return lines


def _width(nodes: Nodes) -> int:
    """Return how many numbers belong to one k."""
    return 2 * len(nodes.angles) + 1


def _size(ks: range) -> int:
    """Return how many k a range has; ``len`` gives up at 2^63."""
    return max(0, ks.stop - ks.start)


def _compare(tilt: Tilt, t: int, events: list[HalfLine]) -> tuple[arb, list[HalfLine]]:
    """Return the same among a few (k, m)."""
    ks = range(min(event.k for event in events), max(event.k for event in events) + 1)
    nodes, lines = Nodes.of(tilt, t, ks), _Lines(ks, tilt.others)
    for event in events:
        lines.add(nodes.value(*event), event)
    lines.drop()
    return lines.largest()


class _Lines:
    """The events whose balls are not below ``best``, the ball with the largest lower end."""

    def __init__(self, ks: range, others: int) -> None:
        self.ks, self.others, self.best = ks, others, arb(0)
        self.kept: dict[HalfLine, arb] = {}

    def add(self, value: arb, event: HalfLine) -> None:
        """Take the value of (k, m) where there is such an event, and the nodes serve k."""
        if event.k in self.ks and 0 <= event.m <= self.others and not value < self.best:
            self.kept[event] = value
            if value.lower() > self.best.lower():
                self.best = value

    def drop(self) -> None:
        """Forget what has been exceeded since."""
        self.kept = {event: value for event, value in self.kept.items() if not value < self.best}

    def largest(self) -> tuple[arb, list[HalfLine]]:
        """Return the largest as a ball, and the events."""
        top = next(iter(self.kept.values()), _UNKNOWN)
        for value in self.kept.values():
            top = arb.max(top, value)
        return top, list(self.kept)
