"""E[max(0, L_1 + ... + L_n)] by how often each value occurs: for few values, or values of which most are rare.

Let L have the values v_k with probabilities w_k, N_k count how often v_k occurs among n copies, and S be their sum:

    E[S_+] = n! times the sum over all counts of (product of w_k^N_k/N_k!) max(0, sum of N_k v_k).

Every term counts for a contour what it counts here, but a contour has to tell apart sums that lie near each other as
well: where the number of copies that do not have the most frequent value is small, its integrand hardly falls, while
few counts matter. A sum over counts has no such enemy, and bits cost little.

What is left out. For s = sum of L_c and lam >= 0, s_+ <= sum of max(0, L_c) e^(lam s). Let C count the copies with
values in some set, of probability p under the law tilted by lam, whose means are E'. Then

    E[S_+; C > u] <= n E[e^(lam L)]^n E'[max(0, L)] P'[Bin(n - 1, p) >= u],

and E[S_+; C < l] is at most the same with P'[Bin(n - 1, p) <= l - 1]. *Proof.* By exchangeability the left side is at
most n E[max(0, L_1) e^(lam S); C > u] = n E[e^(lam L)]^n E'[max(0, L_1); C > u], and C is at most 1, and at least 0,
more than the count among the other n - 1 copies, which do not depend on L_1. For c >= m p, and on the other side for
c <= m p, a tail of Bin(m, p) from c on is at most (m p/c)^c (m (1 - p)/(m - c))^(m - c) (Chernoff). As all terms are
positive, any windows [l, u] of counts give a lower bound, and the sum of these tails added an upper bound.

Rounded values. Let abs(v'_k - v_k) <= h/n, and S' be the sum with v' in place of v. Then abs(S - S') <= h, the two
positive parts are equal where both sums are at most 0, and differ by at most h else, where S >= -h: so
abs(E[S_+] - E[S'_+]) <= h P[S >= -h] <= h e^(lam h) E[e^(lam L)]^n. So values may be integers, and sums be sorted.

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
from exactdp.kernel.amplification.tilted import FewValues, Tilted, ball_sum, binary_exponent, squared

_GUARD_BITS: Final = 8
"""Bits by which what is left out stays below the accuracy asked for."""

_ROUNDING_BITS: Final = 24
"""Bits by which the rounding of values stays below it: they cost next to nothing."""

_MOST_STEPS: Final = 2**26
"""Stands for more steps than anybody takes."""

_LONG_WINDOW: Final = 2**12
"""Ends of windows are looked for in steps where they are nearer to the mean: beyond, Bernstein's bound is as good."""

Sums = list[tuple[int, arb, arb]]
"""(A sum of values as an integer, its weight, the sum as a ball), for the counts of some values."""

_NOTHING: Final[Sums] = [(0, arb(1), arb(0))]
"""The sum of no copies."""


@dataclass(frozen=True, slots=True)
class Window:
    """The counts from ``low`` to ``high`` of the copies with some values."""

    low: int
    high: int

    @classmethod
    def of(cls, copies: int, inside: arb, outside: arb, nats: arb) -> Window:
        """Return about the least window with tails below e^-nats, where a copy counts with probability ``inside``.

        A tail from d beyond the mean on is at most e^(-d^2/(2 v + 2 d/3)), v the variance (Bernstein).
        """
        variance = copies * inside * outside
        far = _floor(nats / 3 + (squared(nats / 3) + 2 * variance * nats).sqrt()) + 1
        center = min(_floor(copies * inside), copies)
        ends = []
        for side, most in ((-1, center), (1, copies - center)):
            low, high = 0, min(far, most)
            while low < high <= _LONG_WINDOW:
                middle = (low + high) // 2
                count = center + side * middle
                small = _log_chernoff(copies, inside, outside, count) < -nats
                low, high = (low, middle) if small else (middle + 1, high)
            ends.append(center + side * high)
        return cls(*ends)

    @property
    def length(self) -> int:
        """How many counts."""
        return self.high - self.low + 1


def _log_chernoff(copies: int, inside: arb, outside: arb, count: int) -> arb:
    """Return the logarithm of (m p/c)^c (m (1 - p)/(m - c))^(m - c)."""
    parts = ((inside, count), (outside, copies - count))
    return ball_sum(part * (copies * share / part).log() for share, part in parts if part)


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
class CountSum:
    """E[max(0, S)] of n copies of a law on two or more values, by counts.

    Windows, rounded values and halves are choices, made for about ``bits`` bits; the result contains the truth.
    """

    law: FewValues
    copies: int
    bits: int
    saddle: Tilted
    """The law tilted by some lam > 0."""

    @cached_property
    def steps(self) -> int:
        """About how many sums of a half are made, each of which takes some microseconds; or ``_MOST_STEPS``."""
        if not self._roughly < _MOST_STEPS:
            return _MOST_STEPS
        return min(_MOST_STEPS, self._shared.length * (self._first.rows + self._second.rows))

    def positive_part(self) -> arb:
        """E[max(0, S)]."""
        first, second = (_Sums.of(self, half, window) for half, window in self._sides)
        total = ball_sum(
            _mean_positive(first.of_total(count), second.of_total(self.copies - count))
            for count in range(self._shared.low, self._shared.high + 1)
        )
        return total * _factorial(self.copies) + self._left_out()

    @cached_property
    def _point(self) -> Tilted:
        """The law tilted by that lam, or by 0, of which the tails are charged least."""
        plain = self.law.tilted(arb(0))
        return self.saddle if self._charge(self.saddle) < self._charge(plain) else plain

    def _charge(self, point: Tilted) -> arb:
        """Return what a tail is multiplied with."""
        gain = ball_sum(weight * value.max(arb(0)) for value, weight in point.law.items)
        return self.copies * gain * point.moment**self.copies

    def _left_out(self) -> arb:
        """What windows leave out, and what rounding the values may change."""
        point = self._point
        tails = (
            ball_sum(self._tails(values, window) for values, window in self._windows) * self._charge(point)
        ).abs_upper()
        moved = arb(0)
        for value, rounded in zip(self.law.values, self.rounded, strict=True):
            moved = moved.max(abs(value - arb(rounded) / arb(2) ** self.places).abs_upper())
        moved *= self.copies
        changed = (moved * (point.tilt * moved).exp() * point.moment**self.copies).abs_upper()
        return (-changed).union(tails + changed)

    @cached_property
    def places(self) -> int:
        """Values are rounded to multiples of 2**-places."""
        least = min((binary_exponent(value) for value in self.law.values if not value.contains(0)), default=0)
        return self.bits + _ROUNDING_BITS + 2 * self.copies.bit_length() + max(0, -least)

    @cached_property
    def rounded(self) -> tuple[int, ...]:
        """The values over 2**-places."""
        unit = arb(2) ** self.places
        return tuple(int((value.mid() * unit).mid().floor().fmpz()) for value in self.law.values)

    @cached_property
    def _order(self) -> list[int]:
        """Positions of the values, rarest first."""
        weights = self._point.law.weights
        return sorted(range(len(weights)), key=lambda place: weights[place].mid())

    @cached_property
    def _nats(self) -> arb:
        """-ln of what each tail may be: a charge is larger than E[S_+] by about the deviation of a sum."""
        moving = self.copies * ball_sum(self._point.law.weights[place] for place in self._order[:-1])
        windows = 4 * len(self._order)
        return (windows * (1 + moving.max(arb(0))).sqrt()).log().mid() + (self.bits + _GUARD_BITS) * arb(2).log()

    @cached_property
    def _roughly(self) -> arb:
        """About the number of steps, for normal counts in a box."""
        weights = sorted(weight.mid() for weight in self.saddle.law.weights)
        factor = 5 * self.bits * self.copies
        spreads = [1 + (factor * p * (1 - p)).max(arb(0)).sqrt() for p in weights[:-1]]
        return prod(spreads[-1::-2], start=arb(1)) * (spreads[-2] if len(spreads) > 1 else 1)

    def _share(self, values: Sequence[int]) -> tuple[arb, arb]:
        """The probabilities of some values and of all others, under the tilted law."""
        weights = self._point.law.weights
        chosen = set(values)
        return ball_sum(weights[k] for k in values), ball_sum(w for k, w in enumerate(weights) if k not in chosen)

    def _window(self, values: Sequence[int]) -> Window:
        inside, outside = self._share(values)
        return Window.of(self.copies, inside.mid(), outside.mid(), self._nats)

    def _half(self, values: Sequence[int]) -> Half:
        kept = values[:-1]
        singles = tuple(self._window([value]) for value in kept)
        totals = singles[:1] + tuple(self._window(kept[:several]) for several in range(2, len(kept) + 1))
        return Half(tuple(values), singles, totals)

    @cached_property
    def _second(self) -> Half:
        """The half with the most frequent value: the values by turns, so that both halves have as many counts."""
        return self._half(self._order[::-2][::-1])

    @cached_property
    def _first(self) -> Half:
        return self._half(self._order[-2::-2][::-1])

    @cached_property
    def _shared(self) -> Window:
        """The window of the number of copies with values of the first half."""
        return self._window(self._first.values)

    @property
    def _sides(self) -> Iterator[tuple[Half, Window]]:
        """Both halves, with the numbers of copies that have their values."""
        yield self._first, self._shared
        yield self._second, Window(self.copies - self._shared.high, self.copies - self._shared.low)

    @property
    def _windows(self) -> Iterator[tuple[Sequence[int], Window]]:
        """All windows, with the values that are counted."""
        yield self._first.values, self._shared
        for half in (self._first, self._second):
            for several, (single, total) in enumerate(zip(half.singles, half.totals, strict=True)):
                yield (half.values[several],), single
                yield half.values[: several + 1], total

    def _tails(self, values: Sequence[int], window: Window) -> arb:
        """Bound the probabilities, among n - 1 copies, of counts of the upper end and more, and below the lower one."""
        inside, outside = self._share(values)
        total = arb(0)
        if window.high < self.copies:
            total += _chernoff(self.copies - 1, inside, outside, window.high, upper=True)
        if window.low > 0:
            total += _chernoff(self.copies - 1, inside, outside, window.low - 1, upper=False)
        return total


def _chernoff(copies: int, inside: arb, outside: arb, count: int, *, upper: bool) -> arb:
    """Bound P[Bin >= count], or P[Bin <= count]."""
    center = copies * inside
    if not (count >= center if upper else count <= center):
        return arb(1)
    return _log_chernoff(copies, inside, outside, count).exp().min(arb(1))


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
        weights = [weight**window.low / _factorial(window.low)]
        for count in range(window.low + 1, window.high + 1):
            weights.append(weights[-1] * weight / count)
        single = arb(rounded) / arb(2) ** whole.places
        balls = [single * count for count in range(window.low, window.high + 1)]
        return cls({}, rounded, window.low, weights, balls)

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


def _factorial(count: int) -> arb:
    return (arb(count) + 1).gamma()


def _floor(ball: arb) -> int:
    return int(ball.mid().floor().fmpz())
