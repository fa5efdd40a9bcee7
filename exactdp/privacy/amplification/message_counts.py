"""E[max(0, L_1 + ... + L_n)] by how often each value occurs: for few values, or values of which most are rare.

Let L have the values v_k with probabilities w_k, N_k count how often v_k occurs among n copies, and S be their sum:

    E[S_+] = n! times the sum over all counts of (product of w_k^N_k/N_k!) max(0, sum of N_k v_k).

All terms are positive: windows of counts give a lower bound, and what
:mod:`exactdp.privacy.amplification.count_windows` charges for all others gives an upper one. A contour has to tell
apart sums that lie near each other, so that its integrand hardly falls where few copies have another value than the
most frequent one; then few counts matter.

Rounded values. Let abs(v'_k - v_k) <= h/n, and S' be the sum of L' with v' in place of v. The positive parts are equal
where both sums are at most 0, and differ by at most the sum of abs(L'_c - L_c) else, where S >= -h: so for lam >= 0

    abs(E[S_+] - E[S'_+]) <= n E[abs(L'_1 - L_1) e^(lam (S + h))] = n e^(lam h) E[e^(lam L)]^n E'[abs(L' - L)].

Where v_k + (n - 1) max(0, v) < -h for all values v, no copy has the value v_k there, and its change counts for nothing.
So values may be integers, and sums be sorted.

Two halves. With the values in two groups, of which the first has N copies together, S is the sum of A, from the counts
of the first, and B, from those of the second. For each N, and over the possible values a and -b of A and -B in
increasing order, sum over b < a of P[-B = b] (a - b) = a F_0(a) - F_1(a) with sums F_0 and F_1 that are carried on: so
the cost is the number of possible counts of each half, and not their product. Four values of 1000 copies take some
10^4 to 10^6 steps, in proportion to the bits: the windows of two counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from operator import itemgetter
from typing import Final

from flint import arb

from exactdp.caching import cached_property
from exactdp.privacy.amplification.count_windows import MOST_STEPS, Counted, Window, factorial, powers
from exactdp.privacy.amplification.tilted import ball_sum, binary_exponent

_ROUNDING_BITS: Final = 24
"""Bits by which the rounding of values stays below it: they cost next to nothing."""

Sums = list[tuple[int, arb, arb]]
"""(A sum of values as an integer, its weight, the sum as a ball), for the counts of some values."""

_NOTHING: Final[Sums] = [(0, arb(1), arb(0))]
"""The sum of no copies."""


@dataclass(frozen=True)
class Half:
    """The counts of the values of a group, rarest first; the last one has what the others leave over."""

    values: tuple[int, ...]
    """Positions of the values."""
    singles: tuple[Window, ...]
    """The windows of each value but the last."""
    totals: tuple[Window, ...]
    """The windows of the first, of the first two, and so on without the last."""

    @cached_property
    def rows(self) -> int:
        """How many counts of all values but the last lie in the windows."""
        low, ways = 0, [1]
        for single, total in zip(self.singles, self.totals, strict=True):
            sums = list(accumulate(ways, initial=0))
            last = len(ways)

            def until(count: int, low: int = low, sums: list[int] = sums, last: int = last) -> int:
                return sums[min(max(count - low + 1, 0), last)]

            ways = [until(t - single.low) - until(t - single.high - 1) for t in range(total.low, total.high + 1)]
            low = total.low
        return sum(ways)

    @property
    def before_last(self) -> Window:
        """The window of the number of copies with all values but the last."""
        return self.totals[-1] if self.totals else Window(0, 0)


@dataclass(frozen=True)
class CountSum(Counted):
    """The sum over the counts of all values.

    Rounded values and halves are choices as well.
    """

    @cached_property
    def steps(self) -> int:
        """About how many sums of a half are made, each of which takes some microseconds; or ``MOST_STEPS``."""
        if not self._roughly < MOST_STEPS:
            return MOST_STEPS
        return min(MOST_STEPS, self._shared.length * (self._first.rows + self._second.rows))

    def positive_part(self) -> arb:
        """E[max(0, S)]."""
        first, second = (_Sums.of(self, half, window) for half, window in self._sides)
        total = ball_sum(
            _mean_positive(first.of_total(count), second.of_total(self.copies - count))
            for count in range(self._shared.low, self._shared.high + 1)
        )
        return total * factorial(self.copies) + self._left_out()

    def _left_out(self) -> arb:
        """What windows leave out, and what rounding the values may change."""
        point = self.point
        unit = arb(2) ** self.places
        moved = [abs(v - arb(k) / unit).abs_upper() for v, k in zip(self.law.values, self.rounded, strict=True)]
        largest = (self.copies - 1) * max(value.abs_upper() for value in self.law.values if not value < 0)
        farthest = self.copies * max(moved)
        mean = ball_sum(
            weight * away
            for weight, away, value in zip(point.law.weights, moved, self.law.values, strict=True)
            if not value + largest < -farthest
        )
        sums = (farthest * point.tilt).exp() * point.moment**self.copies
        changed = (self.copies * mean * sums).abs_upper()
        return (-changed).union(self.beyond() + changed)

    @cached_property
    def places(self) -> int:
        """Values are rounded to multiples of 2**-places."""
        least = min((binary_exponent(value) for value in self.law.values if not value.contains(0)), default=0)
        rarest = min(binary_exponent(weight) for weight in self.law.weights)
        return self.bits + _ROUNDING_BITS + 2 * self.copies.bit_length() + max(0, -least) + max(0, -rarest)

    @cached_property
    def rounded(self) -> tuple[int, ...]:
        """The values over 2**-places."""
        unit = arb(2) ** self.places
        return tuple(int((value.mid() * unit).mid().floor().fmpz()) for value in self.law.values)

    @cached_property
    def _roughly(self) -> arb:
        """About the number of steps, for normal counts in a box."""
        law = self.saddle.law if self.saddle.moment.is_finite() else self.law
        weights = sorted(weight.mid() for weight in law.weights)
        factor = 5 * self.bits * self.copies
        spreads = [1 + (factor * p * (1 - p)).max(arb(0)).sqrt() for p in weights[:-1]]
        return prod(spreads[-1::-2], start=arb(1)) * (spreads[-2] if len(spreads) > 1 else 1)

    def _half(self, values: Sequence[int]) -> Half:
        kept = values[:-1]
        singles = tuple(self.window([value]) for value in kept)
        totals = singles[:1] + tuple(self.window(kept[:several]) for several in range(2, len(kept) + 1))
        return Half(tuple(values), singles, totals)

    @cached_property
    def _second(self) -> Half:
        """The half with the most frequent value: the values by turns, so that both halves have as many counts."""
        return self._half(self.order[::-2][::-1])

    @cached_property
    def _first(self) -> Half:
        return self._half(self.order[-2::-2][::-1])

    @cached_property
    def _shared(self) -> Window:
        """The window of the number of copies with values of the first half."""
        return self.window(self._first.values)

    @property
    def _sides(self) -> Iterator[tuple[Half, Window]]:
        """Both halves, with the numbers of copies that have their values."""
        yield self._first, self._shared
        yield self._second, Window(self.copies - self._shared.high, self.copies - self._shared.low)

    @property
    def windows(self) -> Iterator[tuple[Sequence[int], Window]]:
        """All windows, with the positions of the values that are counted."""
        yield self._first.values, self._shared
        for half in (self._first, self._second):
            for several, (single, total) in enumerate(zip(half.singles, half.totals, strict=True)):
                yield (half.values[several],), single
                yield half.values[: several + 1], total


@dataclass(frozen=True)
class _Sums:
    """The sums of a half, with the product of w^N/N! as weights."""

    before: dict[int, Sums]
    """Number of copies with all values but the last -> their sums."""
    rounded: int
    """The last value."""
    low: int
    weights: list[arb]
    """w^N/N! of the last value, for N from ``low`` on."""
    balls: list[arb]
    """N times the last value."""

    @classmethod
    def of(cls, whole: CountSum, half: Half, window: Window) -> _Sums:
        """Tabulate what is needed for numbers of copies in a window."""
        before: dict[int, Sums] = {0: _NOTHING}
        for value, single, total in zip(half.values, half.singles, half.totals, strict=False):
            table = cls._table(whole, value, single)
            joined: defaultdict[int, Sums] = defaultdict(list)
            for copies, sums in before.items():
                for count in range(max(single.low, total.low - copies), min(single.high, total.high - copies) + 1):
                    joined[copies + count] += table._joined(sums, count)
            before = dict(joined)
        rest = half.before_last
        last = Window(max(0, window.low - rest.high), window.high - rest.low)
        return replace(cls._table(whole, half.values[-1], last), before=before)

    @classmethod
    def _table(cls, whole: CountSum, value: int, window: Window) -> _Sums:
        weight, rounded = whole.law.weights[value], whole.rounded[value]
        single = arb(rounded) / arb(2) ** whole.places
        balls = [single * count for count in range(window.low, window.high + 1)]
        return cls({}, rounded, window.low, powers(weight, window), balls)

    def _joined(self, sums: Sums, count: int) -> Sums:
        """Add ``count`` copies of the last value to some sums."""
        weight, ball, step = self.weights[count - self.low], self.balls[count - self.low], self.rounded * count
        if sums is _NOTHING:
            return [(step, weight, ball)]
        return [(key + step, before * weight, other + ball) for key, before, other in sums]

    def of_total(self, copies: int) -> Sums:
        """Return the sums of so many copies."""
        joined: Sums = []
        for before, sums in self.before.items():
            if before <= copies:
                joined += self._joined(sums, copies - before)
        return joined


def _mean_positive(first: Sums, second: Sums) -> arb:
    """Return the sum of weights times max(0, a + b), over all a of one and all b of another."""
    first.sort(key=itemgetter(0))
    second.sort(key=itemgetter(0), reverse=True)
    total, mass, moment, place = arb(0), arb(0), arb(0), 0
    keys = [key for key, _, _ in second]
    last = len(keys)
    for key, weight, ball in first:
        while place < last and key + keys[place] > 0:
            _, other, value = second[place]
            mass += other
            moment += other * value
            place += 1
        if place:
            total += weight * (ball * mass + moment)
    return total
