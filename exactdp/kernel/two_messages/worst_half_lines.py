"""The worst half-line events of two-message protocols of any size, beside every data set of the other users.

F(k, m), its nodes and their proof are in :mod:`exactdp.kernel.two_messages.nodes`. For all k at once: with k = u C + c
and m = M_u + m_c + {0, 1, 2}, where M_u and m_c are the floors of the two parts of the mean mu_k, every summand of F is
a number for u times a number for (c, 0..2), so that all F are one product of two matrices, in ball arithmetic, row
block by row block. At large n most k are ruled out before, where :mod:`exactdp.kernel.two_messages.envelope` can.

The three m hold every mode of h_k. The floors are those of the lower ends of balls with radius below 1/(8 (N+1)), so
that mu_k - M_u - m_c is in [0, 2 + 1/(2 (N+1))); above 2, the only mode is M_u + m_c + 2, by Darroch's theorem.

Source: Darroch1964, Theorem 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Final

import flint
from flint import arb, arb_mat

from exactdp.errors import TooLargeError
from exactdp.kernel.balls import enclosed
from exactdp.kernel.two_messages.envelope import Envelope
from exactdp.kernel.two_messages.nodes import HalfLine, Nodes, Tilt, TwoRates, floor
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import about
from exactdp.numbers.interval import Interval

__all__ = ["MAX_PRODUCTS", "HalfLine", "ManyUsersError", "TwoRates", "worst_half_lines"]

MAX_PRODUCTS: Final = 4 * 10**9
"""Most products of balls for one order: a few minutes."""

MAX_USERS: Final = 10**20
"""Most users who are searched."""

_ENTRIES: Final = 2**19
"""Numbers held of a block of rows: about 80 MB."""

_FILTER_BITS: Final = 16
"""Relative accuracy of the first comparison, beyond log2(n): values near the largest differ by about 1/n."""

_SAMPLES: Final = 32
"""About so many values are looked at before all the others."""

_MAX_COLUMNS: Final = 1024
"""Most k in one row."""

_ENVELOPE_FROM: Final = 300
"""With fewer users all are searched."""

_FIRST_REACH: Final = 64
"""So many k beyond those that the envelope leaves are searched first."""

_REACH_FACTOR: Final = 8
"""And so many times more, where the envelope does not rule out the rest."""

_MOST_NEAR: Final = 10**6
"""Most data sets near the top that are compared one by one."""

_NEAR_PART: Final = 4
"""At most so many k, and one in so many of them, before all are searched."""

_THRESHOLDS: Final = 3
"""Candidates for m beside each k."""

_UNKNOWN: Final = arb("nan")
"""A ball that is compared with nothing."""


def worst_half_lines(rates: TwoRates, relative_bits: int) -> tuple[Interval, list[HalfLine]]:
    """Enclose the largest F(k, m) over all k and m, to a relative width of 2^-relative_bits, and list who attains it.

    The list holds every (k, m) that attains the largest value, and those that this accuracy does not tell from it.
    All k are compared at a low accuracy first; only those that it does not rule out are compared at a higher one.

    Raises:
        TooLargeError: where the products would be more than ``MAX_PRODUCTS``, and beyond ``MAX_USERS``.

    Cost: O(N) times the number of nodes, about relative_bits where a and b are not within 1/N of 0 and 1.
    """
    if rates.others >= MAX_USERS:
        raise TooLargeError(
            f"two messages: {about(rates.others + 1)} users are more than the limit of 10^20. Use fewer users: delta "
            "of fewer is not below delta of more."
        )
    bits = min(relative_bits, _FILTER_BITS + (rates.others + 1).bit_length())
    top, events = _stage(rates, bits, None)
    while bits < relative_bits:
        bits = min(relative_bits, 2 * bits)
        top, events = _stage(rates, bits, events)
    return top, events


def _stage(rates: TwoRates, relative_bits: int, among: list[HalfLine] | None) -> tuple[Interval, list[HalfLine]]:
    """Enclose the largest F among the given (k, m), None for all, and list those that the balls do not rule out."""
    size_bits = (rates.others + 1).bit_length()
    found: list[HalfLine] = []

    def largest() -> arb:
        tilt = Tilt.of(rates)
        if tilt is None:
            return _UNKNOWN
        t = flint.ctx.prec - size_bits - 16
        top, attaining = _search(tilt, t) if among is None else _compare(tilt, t, among)
        found[:] = attaining
        return top

    return enclosed(largest, relative_bits, lost_bits=size_bits + 3 * size_bits // 2), found


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
    if _size(ks) < _ENVELOPE_FROM:
        return _search_among(Nodes.of(tilt, t, ks), ks).largest()
    if found := _at_the_end(tilt, t):
        return found.largest()
    nodes = Nodes.of(tilt, t, ks)
    if found := _near_the_top(nodes):
        return found.largest()
    _check_work(nodes, ks)
    return _search_among(nodes, ks).largest()


def _at_the_end(tilt: Tilt, t: int) -> _Found | None:
    """Search one end, where the scales alone rule out the rest: with strong tilting, which needs few nodes there."""
    end, last = tilt.heavy_end, tilt.others
    fall = abs(tilt.rates[1] - tilt.rates[0])
    needed = 2 * (tilt.log_rho + arb(last + 1).log()) / fall  # a guess
    if not needed < min(_MOST_NEAR, last // _NEAR_PART):
        return None
    reach = max(_FIRST_REACH, floor(needed))
    ks = range(last - reach, last + 1) if end else range(reach + 1)
    nodes = Nodes.of(tilt, t, ks)
    if _products(nodes, ks) > MAX_PRODUCTS:
        return None
    found = _search_among(nodes, ks)
    beyond = ks[0] - 1 if end else ks[-1] + 1
    return found if tilt.rho * tilt.scale(beyond) < found.best and fall > 0 else None


def _near_the_top(nodes: Nodes) -> _Found | None:
    """Search the k that the envelope does not rule out; None where these are too many."""
    envelope, last = Envelope(nodes), nodes.tilt.others
    low, high = envelope.top()
    reach = _FIRST_REACH
    while high - low + 2 * reach < min(_MOST_NEAR, last // _NEAR_PART):
        ks = range(max(0, low - reach), min(last, high + reach) + 1)
        if _products(nodes, ks) > MAX_PRODUCTS:
            return None
        found = _search_among(nodes, ks)
        bounds = [envelope.below(ks[0] - 1)] if ks[0] > 0 else []
        bounds += [envelope.above(ks[-1] + 1)] if ks[-1] < last else []
        if all(bound < found.best for bound in bounds):
            return found
        reach *= _REACH_FACTOR
    return None


def _search_among(nodes: Nodes, ks: range) -> _Found:
    """Search the k of a range; nothing is found where the precision is too low."""
    width, found = _width(nodes), _Found(ks, nodes.tilt.others)
    grid = _Grid.of(nodes.tilt, ks, width)
    if grid is None:
        return found
    steps = [HalfLine(k, m + more) for k, m in grid.column_starts for more in range(_THRESHOLDS)]
    right = arb_mat([nodes.column(*step) for step in steps]).transpose()
    for start in grid.samples():  # for a bar that most of the others do not reach
        found.add(nodes.value(*start), start)
    found.kept.clear()
    for starts in grid.blocks(_ENTRIES // max(width, len(steps)) + 1):
        entries = (arb_mat([nodes.row(*start) for start in starts]) * right).entries()
        best = found.best
        for place in [i for i, value in enumerate(entries) if not value < best]:
            start, step = starts[place // len(steps)], steps[place % len(steps)]
            found.add(entries[place], HalfLine(start.k + step.k, start.m + step.m))
        found.drop()
    return found


def _width(nodes: Nodes) -> int:
    """Return how many numbers belong to one k."""
    return 2 * len(nodes.angles) + 1


def _size(ks: range) -> int:
    """Return how many k a range has; ``len`` gives up at 2^63."""
    return max(0, ks.stop - ks.start)


def _products(nodes: Nodes, ks: range) -> int:
    return _THRESHOLDS * _size(ks) * _width(nodes)


class ManyUsersError(TooLargeError):
    """All k are too many to be compared; in one order delta is in ``bracket`` all the same."""

    def __init__(self, message: str, bracket: Interval) -> None:
        super().__init__(message)
        self.bracket = bracket


def _check_work(nodes: Nodes, ks: range) -> None:
    """Refuse to search all k where that takes long, with what is known without it."""
    if (products := _products(nodes, ks)) > MAX_PRODUCTS:
        bracket = Interval(*(Dyadic.of(*map(int, end.man_exp())) for end in Envelope(nodes).bracket()))
        raise ManyUsersError(
            f"two messages: {about(products)} steps ({about(_size(ks))} users times {_width(nodes)} numbers), "
            f"the limit is {MAX_PRODUCTS}. Use fewer users, or an eps further from 0. In this order of the data sets "
            f"delta is proved to be in {bracket}.",
            bracket,
        )


def _compare(tilt: Tilt, t: int, events: list[HalfLine]) -> tuple[arb, list[HalfLine]]:
    """Return the same among a few (k, m)."""
    ks = range(min(event.k for event in events), max(event.k for event in events) + 1)
    nodes, found = Nodes.of(tilt, t, ks), _Found(ks, tilt.others)
    for event in events:
        found.add(nodes.value(*event), event)
    found.drop()
    return found.largest()


class _Found:
    """The events whose balls are not below ``best``, the ball with the largest lower end."""

    def __init__(self, ks: range, others: int) -> None:
        self.ks, self.others, self.best = ks, others, arb(0)
        self.kept: list[tuple[arb, HalfLine]] = []

    def add(self, value: arb, event: HalfLine) -> None:
        """Take the value of (k, m) where there is such an event, and the nodes serve k."""
        if event.k in self.ks and 0 <= event.m <= self.others and not value < self.best:
            self.kept.append((value, event))
            if value.lower() > self.best.lower():
                self.best = value

    def drop(self) -> None:
        """Forget what has been exceeded since."""
        self.kept = [(value, event) for value, event in self.kept if not value < self.best]

    def largest(self) -> tuple[arb, list[HalfLine]]:
        """Return the largest as a ball, and the events."""
        top = self.kept[0][0] if self.kept else _UNKNOWN
        for value, _ in self.kept:
            top = arb.max(top, value)
        return top, [event for _, event in self.kept]
