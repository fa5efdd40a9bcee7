"""U_n(L) = E[max(0, L_1 + ... + L_n)] / n for independent copies of a law on few atoms, enclosed at any n.

Where the integrand hardly falls, because most copies have one value or the values lie near a lattice, and for many bits
at some thousands of copies, the sum over how often each value occurs stands in its place: it says beforehand how many
steps it takes, and the contour is given up where it would take longer.

E[max(0, L_1 + ... + L_n)] by how often each value occurs: for few values, or values of which most are rare
-----------------------------------------------------------------------------------------------------------

Let L have the values v_k with probabilities w_k, N_k count how often v_k occurs among n copies, and S be their sum:

    E[S_+] = n! times the sum over all counts of (product of w_k^N_k/N_k!) max(0, sum of N_k v_k).

All terms are positive: windows of counts give a lower bound, and what is charged for all others gives an upper one. A
contour has to tell apart sums that lie near each other, so that its integrand hardly falls where few copies have
another value than the most frequent one; then few counts matter.

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

Windows, and what is charged for the counts beyond. For s = sum of L_c and lam >= 0, s_+ <= sum of max(0, L_c) e^(lam
s). Let C count the copies with values in some set, of probability p under the law tilted by lam, whose means are E'.
Then

    E[S_+; C > u] <= n E[e^(lam L)]^n E'[max(0, L)] P'[Bin(n - 1, p) >= u],

and E[S_+; C < l] is at most the same with P'[Bin(n - 1, p) <= l - 1]. *Proof.* By exchangeability the left side is at
most n E[max(0, L_1) e^(lam S); C > u] = n E[e^(lam L)]^n E'[max(0, L_1); C > u], and C is at most 1, and at least 0,
more than the count among the other n - 1 copies, which do not depend on L_1. For c >= m p, and on the other side for
c <= m p, a tail of Bin(m, p) from c on is at most (m p/c)^c (m (1 - p)/(m - c))^(m - c) (Chernoff).

Where a few rare values are far larger than all others move the sum (:class:`RareSum`), let R be some values of L, F the
law of L given that it is none of them, and r = P[L in R]. Given the counts a of the values in R among n copies, |a| of
them together, the sum is s_a, the sum of those values, and m = n - |a| copies of F:

    E[S_+] = sum over a of n!/(a! m!) (product of w_k^a_k) (1 - r)^m E[(s_a + W_m)_+],      W_m a sum of m copies of F.

*Counts that are left out* are charged as above, under a tilted law.

*Sure signs.* Let T = s_a + W_m, with the mean d. For mu > 0, E[T_+] <= E[e^(mu T)]/(e mu), and with
g = E[e^(mu (F - E[F]))] >= 1 that is at most e^(mu d) g^n/(e mu). So if d <= -D, where D is such that
e^(-mu D) g^n/(e mu) = h, then E[T_+] lies in [0, h]; and if d >= D, found in the same way from -F, then
E[T_+] = d + E[(-T)_+] lies in [d, d + h]. In both cases max(0, d) is at most E[T_+], by Jensen's inequality, and at
least E[T_+] - h. The probabilities of the counts add up to at most 1, so all of these together change the sum by at
most h. Where m = 0, E[T_+] = max(0, d).

*Counts of little weight.* E[T_+] lies between max(0, d) and (d + (d^2 + v)^(1/2))/2, v = m Var F, by the theorem of
Cauchy and Schwarz, and so within v^(1/2)/2 above max(0, d). This is enough where the weight is small. The sum over all
counts of weight times max(0, d) is at most E[S_+], and says which weights are.

*The other counts*, of which there are few where the sum of F moves less than the values in R, take the mean of the
positive part of m copies of F + s_a/m: a law of fewer values, for which counts, contours or this way serve again, with
as many bits as the weight calls for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, combinations, product
from math import prod
from operator import attrgetter, itemgetter, sub
from typing import TYPE_CHECKING, Final, TypeAlias

from flint import arb

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import compare_reals, interval_of, precision, rational_ball, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.tilted import (
    Atom,
    CopySum,
    FewValues,
    Tilted,
    ball_floor,
    ball_sum,
    binary_exponent,
    sign_at,
    squared,
)
from exactdp.privacy.amplification.tilted_contour import MOST_NODES, Contour

if TYPE_CHECKING:
    from exactdp.privacy.amplification.float_contour import FloatContour

Way: TypeAlias = "CountSum | RareSum | FloatContour"

_GUARD_BITS: Final = 8
"""Bits by which what is left out stays below the accuracy asked for."""

MOST_STEPS: Final = 2**26
"""Stands for more steps than anybody takes."""

_LONG_WINDOW: Final = 2**12
"""Ends of windows are looked for in steps where they are nearer to the mean: beyond, Bernstein's bound is as good."""


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
        far = ball_floor(nats / 3 + (squared(nats / 3) + 2 * variance * nats).sqrt()) + 1
        center = min(ball_floor(copies * inside), copies)
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
class SumByCounts(ABC):
    """E[max(0, S)] of n copies of a law on two or more values, by counts.

    Windows are choices, made for about ``bits`` bits; whatever they are, what they leave out is charged.
    """

    law: FewValues
    copies: int
    bits: int
    saddle: Tilted
    """The law tilted by some lam > 0."""

    @property
    @abstractmethod
    def windows(self) -> Iterator[tuple[Sequence[int], Window]]:
        """All windows, with the positions of the values that are counted."""

    @cached_property
    def point(self) -> Tilted:
        """The law tilted by that lam, or by 0, of which the tails are charged least."""
        plain = self.law.tilted(arb(0))
        return self.saddle if self.charge(self.saddle) < self.charge(plain) else plain

    def charge(self, point: Tilted) -> arb:
        """Return what a tail is multiplied with."""
        gain = ball_sum(weight * value.max(arb(0)) for value, weight in point.law.items)
        return self.copies * gain * point.moment**self.copies

    @cached_property
    def order(self) -> list[int]:
        """Positions of the values, rarest first."""
        weights = self.point.law.weights
        return sorted(range(len(weights)), key=lambda place: weights[place].mid())

    @cached_property
    def nats(self) -> arb:
        """-ln of what each tail may be: a charge is larger than E[S_+] by about the deviation of a sum."""
        moving = self.copies * ball_sum(self.point.law.weights[place] for place in self.order[:-1])
        windows = 4 * len(self.order)
        return (windows * (1 + moving.max(arb(0))).sqrt()).log().mid() + (self.bits + _GUARD_BITS) * arb(2).log()

    def _share(self, values: Sequence[int]) -> tuple[arb, arb]:
        """The probabilities of some values and of all others, under the tilted law."""
        weights = self.point.law.weights
        chosen = set(values)
        return ball_sum(weights[k] for k in values), ball_sum(w for k, w in enumerate(weights) if k not in chosen)

    def window(self, values: Sequence[int]) -> Window:
        """Choose the window of the number of copies with some values."""
        inside, outside = self._share(values)
        return Window.of(self.copies, inside.mid(), outside.mid(), self.nats)

    @property
    @abstractmethod
    def steps(self) -> int:
        """About how long it takes, in microseconds."""

    @abstractmethod
    def positive_part(self) -> arb:
        """E[max(0, S)]."""

    def beyond(self) -> arb:
        """Bound what the windows leave out."""
        total = ball_sum(self._tails(values, window) for values, window in self.windows)
        return (total * self.charge(self.point)).abs_upper()

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


def factorial(count: int) -> arb:
    """Return count!, at any size."""
    return (arb(count) + 1).gamma()


def powers(weight: arb, window: Window) -> list[arb]:
    """Return weight^N/N! for the counts N in a window."""
    terms = [weight**window.low / factorial(window.low)]
    for count in range(window.low + 1, window.high + 1):
        terms.append(terms[-1] * weight / count)
    return terms


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
            start, length = total.low - low, total.high - total.low + 1
            most, less = (_entries(sums, start - end, length) for end in (single.low - 1, single.high))
            low, ways = total.low, list(map(sub, most, less))
        return sum(ways)

    @property
    def before_last(self) -> Window:
        """The window of the number of copies with all values but the last."""
        return self.totals[-1] if self.totals else Window(0, 0)


def _entries(sums: list[int], start: int, length: int) -> list[int]:
    """Return entries of running sums from a place on: 0 before the first, the last one beyond it."""
    before = min(max(-start, 0), length)
    inside = sums[max(start, 0) : max(start + length, 0)]
    return [0] * before + inside + sums[-1:] * (length - before - len(inside))


@dataclass(frozen=True)
class CountSum(SumByCounts):
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


_MOST_COUNTS: Final = 2**16
"""More counts of rare values are not looked through: that takes a second."""

_STEPS_OF_COUNT: Final = 16
"""Microseconds that one of them takes."""

_STEPS_OF_SUM: Final = 2**14
"""Microseconds that a sum of some other values takes, about; of many, that of as many contours."""

_SOME_VALUES: Final = 8
"""Of more values a contour costs in proportion."""

_RARE_GUARD_BITS: Final = 3
"""Bits by which counts of little weight together change less than is asked for."""

_LEAST_BITS: Final = 4
"""Fewer cost no less."""

_FAR: Final = 4
"""Rare values are at least so many standard deviations of the sum of all others away from the most frequent value."""

_FEW: Final = 4
"""Values that occur less often than this, on average, are rare as well."""

_SLOPES: Final = tuple(arb(2) ** k for k in range(-2, 8))
"""Candidates for mu, in inverse deviations of the sum of F."""

PositivePart = Callable[[FewValues, int, int], arb]
"""E[max(0, S)] of a law, a number of copies and a number of bits."""


@dataclass(frozen=True, slots=True)
class _Parted:
    """A part of the sum over counts that is enclosed, and the counts that need a sum of the other values."""

    sure: arb
    unsure: list[tuple[int, tuple[int, ...], arb]]
    """(Bits of this sum, counts, their probability)."""


@dataclass(frozen=True)
class RareSum(SumByCounts):
    """The sum over the counts of a few values, of means over the others."""

    rest: PositivePart
    """What evaluates these."""

    @cached_property
    def steps(self) -> int:
        """About how long it takes, in microseconds; ``MOST_STEPS`` where no values are rare."""
        if not self.least_steps < MOST_STEPS:
            return MOST_STEPS
        of_sum = _STEPS_OF_SUM * max(1, len(self._others.values) // _SOME_VALUES)
        return min(MOST_STEPS, self.least_steps + len(self._parted.unsure) * of_sum)

    @property
    def least_steps(self) -> int:
        """What it takes at least, known without looking at the counts one by one."""
        return min(MOST_STEPS, len(self._counts) * _STEPS_OF_COUNT) if self.rare else MOST_STEPS

    def positive_part(self) -> arb:
        """E[max(0, S)]."""
        parted = self._parted
        total = parted.sure
        for bits, counts, weight in parted.unsure:
            total += weight * self.rest(self._shifted(counts), self.copies - sum(counts), bits)
        return total + arb(0).union(self._negligible + self.beyond())

    @cached_property
    def _parted(self) -> _Parted:
        """What the counts add, but for those that need a sum of their own."""
        sure, doubts = arb(0), list[tuple[arb, tuple[int, ...], arb, arb]]()
        for counts, weight in self._weighted():
            mean, remaining = self._mean(counts), self.copies - sum(counts)
            least = weight * mean.max(arb(0))
            if remaining and self._is_unsure(mean):
                doubt = weight * (remaining * self._others_variance).sqrt() / 2
                doubts.append((doubt, counts, weight, least))
            else:
                sure += least
        size = sure + ball_sum(least for *_, least in doubts)
        return self._sorted_out(sure, size.abs_lower(), doubts)

    def _sorted_out(self, sure: arb, size: arb, doubts: list[tuple[arb, tuple[int, ...], arb, arb]]) -> _Parted:
        """Enclose the counts of little weight, and say how many bits the others need for a sum of at least ``size``."""
        doubts.sort(key=lambda doubt: doubt[0].mid())
        left, unsure = size * arb(2) ** -(self.bits + _RARE_GUARD_BITS), list[tuple[int, tuple[int, ...], arb]]()
        for doubt, counts, weight, least in doubts:
            if doubt < left:
                left -= doubt
                sure += least + arb(0).union(doubt)
            else:
                share = binary_exponent(doubt) - binary_exponent(size) if size > 0 else 0
                few = len(doubts).bit_length()
                unsure.append((max(_LEAST_BITS, min(self.bits, self.bits + share + few)), counts, weight))
        return _Parted(sure, unsure)

    def _weighted(self) -> Iterator[tuple[tuple[int, ...], arb]]:
        """The counts, with their probabilities."""
        ways = factorial(self.copies)
        tables = [powers(self.law.weights[place], w) for place, w in zip(self.rare, self._singles, strict=True)]
        last = Window(self.copies - self._total.high, self.copies - self._total.low)
        others = powers(self._left, last)
        for counts in self._counts:
            weight = ways * others[self.copies - sum(counts) - last.low]
            for table, count, window in zip(tables, counts, self._singles, strict=True):
                weight *= table[count - window.low]
            yield counts, weight

    @property
    def windows(self) -> Iterator[tuple[Sequence[int], Window]]:
        """All windows, with the positions of the values that are counted."""
        yield self.rare, self._total
        yield from (((place,), window) for place, window in zip(self.rare, self._singles, strict=True))

    @cached_property
    def rare(self) -> tuple[int, ...]:
        """Positions of the values that are counted, the farthest from the most frequent one first."""
        center = self.law.values[self.order[-1]].mid()
        places = sorted(self.order[:-1], key=lambda place: -abs(self.law.values[place].mid() - center))
        chosen: tuple[int, ...] = ()
        for several in range(1, len(places)):
            listed = places[:several]
            if prod(self.window([place]).length for place in listed) > _MOST_COUNTS:
                break
            is_far = abs(self.law.values[listed[-1]] - center) > _FAR * self._deviation(set(listed))
            if is_far or self.copies * self.law.weights[listed[-1]] < _FEW:
                chosen = tuple(listed)
        return chosen

    def _deviation(self, left_out: set[int]) -> arb:
        """About the standard deviation of the sum of all values but some."""
        items = [item for place, item in enumerate(self.point.law.items) if place not in left_out]
        mass = ball_sum(weight for _, weight in items)
        mean = ball_sum(value * weight for value, weight in items) / mass
        return (self.copies * ball_sum(w * squared(v - mean) for v, w in items).abs_upper()).sqrt().mid()

    @cached_property
    def _singles(self) -> tuple[Window, ...]:
        return tuple(self.window([place]) for place in self.rare)

    @cached_property
    def _total(self) -> Window:
        return self.window(self.rare)

    @cached_property
    def _counts(self) -> list[tuple[int, ...]]:
        """The counts in all windows."""
        ranges = (range(window.low, window.high + 1) for window in self._singles)
        return [counts for counts in product(*ranges) if self._total.low <= sum(counts) <= self._total.high]

    @cached_property
    def _left(self) -> arb:
        """1 - r."""
        return ball_sum(weight for place, weight in enumerate(self.law.weights) if place not in self.rare)

    @cached_property
    def _others(self) -> FewValues:
        """The law F."""
        items = [item for place, item in enumerate(self.law.items) if place not in self.rare]
        return FewValues(tuple(value for value, _ in items), tuple(weight / self._left for _, weight in items))

    @cached_property
    def _others_variance(self) -> arb:
        law = self._others
        return ball_sum(w * squared(v - law.mean) for v, w in law.items).abs_upper()

    def _sum(self, counts: Sequence[int]) -> arb:
        """s_a."""
        return ball_sum(count * self.law.values[place] for place, count in zip(self.rare, counts, strict=True))

    def _mean(self, counts: Sequence[int]) -> arb:
        """d."""
        return self._sum(counts) + (self.copies - sum(counts)) * self._others.mean

    def _is_unsure(self, mean: arb) -> bool:
        """Whether a sum with this mean may well have either sign."""
        below, above = self._far
        return not (mean <= -below or mean >= above)

    @cached_property
    def _negligible(self) -> arb:
        """h."""
        return self.charge(self.point).abs_upper() * (-self.nats).exp()

    @cached_property
    def _far(self) -> tuple[arb, arb]:
        """D on both sides."""
        deviation = self._deviation(set(self.rare)).max(arb(2) ** -self.bits)
        ends = []
        for law in (self._others, self._others.opposite()):
            centered = FewValues(tuple(value - law.mean for value in law.values), law.weights)
            slopes = [(slope / deviation).mid() for slope in _SLOPES]
            distances = [
                (self.copies * centered.moment(mu).log() - (mu * self._negligible).log() - 1) / mu for mu in slopes
            ]
            ends.append(min((d.abs_upper() for d in distances if d.is_finite()), default=arb.pos_inf()))
        return ends[0], ends[1]

    def _shifted(self, counts: Sequence[int]) -> FewValues:
        """The law of F + s_a/m."""
        shift = self._sum(counts) / (self.copies - sum(counts))
        return FewValues(tuple(value + shift for value in self._others.values), self._others.weights)


_FEW_STEPS: Final = 2000
"""Counts are summed at once where they are so few: a contour takes as long."""

_FEW_COPIES: Final = 2
"""All values of so few copies are added up: tilted to where they are concentrated, they no longer move."""

_STEPS_OF_NODE: Final = 4
"""A node of a contour takes about as long as so many steps of a sum over counts."""

_NODES_OF_CONTOUR: Final = 2**11
"""A contour may always have so many nodes: a few milliseconds."""

_MOST_STEPS: Final = 2**22
"""Summing more counts takes more than some seconds."""

_LOST_BITS: Final = 4
"""Bits that a way of summing may lack: they are asked for again."""

_EARLY_NODES: Final = 2**14
"""Nodes after which a contour waits until other ways have been looked at."""

_LEAST_PRECISION: Final = 96
"""Balls that are this much more precise than asked for stay narrow at the millionth node of a contour."""

_BOUND_BITS: Final = 96
"""Precision of bounds that only exclude."""

_COARSE: Final = 16
"""Bits that are kept of them."""

_LIMIT_BITS: Final = 2**20
"""Powers of probabilities that are longer are not written out."""

_TRIALS: Final = 8
"""Choices of precision, smoothing and step before the accuracy asked for is given up: each mends what was short."""


@dataclass(frozen=True)
class Mixture:
    """The sum of max(0, P - E Q) over messages that only one of n users sends, and U_n(L): a divergence.

    L is 0 with the probability that the atoms leave over.
    """

    charges: tuple[tuple[Fraction, Fraction], ...]
    """(P, Q) of the messages that the n - 1 others never send."""
    atoms: tuple[Atom, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """The hash of some hundred long fractions takes a millisecond, and answers are kept by mixture."""
        return hash((self.charges, self.atoms))

    def cut(self, most: Fraction) -> Mixture:
        """Return the pair with P - Q at most so many times R, and the rest of P as a charge.

        At E >= 1 it is no smaller (*Cuts* in :mod:`exactdp.mechanisms.density_family`).
        """
        rest, atoms = Fraction(0), list(self.atoms)
        for place, ratio in enumerate(self._ratios):
            if ratio > most:
                atom = atoms[place]
                atoms[place] = replace(atom, first=atom.second + most * atom.weight)
                rest += atom.first - atoms[place].first
        return Mixture((*self.charges, (rest, Fraction(0))), tuple(atoms)) if rest else self

    @cached_property
    def _ratios(self) -> tuple[Fraction, ...]:
        """(P - Q)/R of the atoms."""
        return tuple((atom.first - atom.second) / atom.weight for atom in self.atoms)

    @property
    def alone(self) -> Mixture:
        """The divergence of what the user who differs sends, whatever the others send."""
        return Mixture((*self.charges, *((atom.first, atom.second) for atom in self.atoms)), ())

    def divergence(self, copies: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the divergence at E = ``exp_eps`` for n = ``copies``, to a relative width of 2**-relative_bits.

        E may be irrational; 0 is decided.

        Raises:
            TooLargeError: where a contour has too many nodes and the values occur in too many numbers.

        Cost: some milliseconds at any n and 20 bits for atoms that are not rare; about a second for 4 atoms at
        n = 1000 and 100 bits; see benchmarks/README.md.
        """
        charges = [(p, q) for p, q in self.charges if sign_at(p, q, exp_eps) > 0]
        moving = [atom for atom in self.atoms if atom.sign(exp_eps)]
        rises = any(atom.sign(exp_eps) > 0 for atom in moving)
        if not (charges or rises):
            return Interval(Dyadic.of(0), Dyadic.of(0))
        bits = relative_bits + 1
        rarest = max((a.weight.denominator.bit_length() - a.weight.numerator.bit_length() for a in moving), default=0)
        if (near := self._beside_one(copies, exp_eps, relative_bits)) is not None:
            return near
        for _ in range(_TRIALS):
            with precision(_LEAST_PRECISION + 2 * bits + 2 * copies.bit_length() + rarest):
                level = real_ball(exp_eps)
                ball = ball_sum(rational_ball(p) - level * rational_ball(q) for p, q in charges)
                if rises:
                    ball += positive_part(CopySum.of(moving, exp_eps, copies), bits) / copies
                accuracy = ball.rel_accuracy_bits()
                if accuracy > relative_bits:
                    return interval_of(ball, relative_bits)
            bits += 1 + max(0, min(bits, relative_bits - accuracy))
        raise TooLargeError(f"{copies} copies of {len(moving)} atoms: {relative_bits} bits are out of reach.")

    def _beside_one(self, copies: int, exp_eps: Real, relative_bits: int) -> Interval | None:
        """Enclose the divergence D by D(1) - (E - 1) <= D(E) <= D(1) where that is narrow: the values of L are then
        so near to a lattice that a contour meets all its periods. D falls by at most the sum of Q, which is at most 1.
        """
        if compare_reals(1 + Fraction(1, 2**relative_bits), exp_eps) < 0 or compare_reals(exp_eps, Fraction(1)) < 1:
            return None
        at_one = self.divergence(copies, Real(1), relative_bits=relative_bits + 2)
        with precision(2 * relative_bits + 32):
            ball = rational_ball(at_one.lower.fraction()) - (real_ball(exp_eps) - 1)
            ball = ball.union(rational_ball(at_one.upper.fraction()))
            return interval_of(ball, relative_bits) if ball.rel_accuracy_bits() > relative_bits else None

    def bound(self, copies: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the divergence does not exceed, much faster than an enclosure.

        U_n(L) is at most E[e^(lam S)]/(e lam n) for every lam > 0, at most (E[S] + E[S^2]^(1/2))/(2n), and at most
        E[max(0, L)].
        """
        with precision(_BOUND_BITS + 2 * copies.bit_length()):
            level = real_ball(exp_eps)
            total = ball_sum((rational_ball(p) - level * rational_ball(q)).max(arb(0)) for p, q in self.charges)
            moving = [atom for atom in self.atoms if atom.sign(exp_eps)]
            if any(atom.sign(exp_eps) > 0 for atom in moving):
                whole = CopySum.of(moving, exp_eps, copies)
                mean, square = whole.law.mean, ball_sum(w * squared(v) for v, w in whole.law.items)
                variance = (square - squared(mean)).abs_upper()
                spread = (copies * variance + squared(copies * mean)).abs_upper().sqrt()
                gain = ball_sum(w * v.max(arb(0)) for v, w in whole.law.items)
                least = ((copies * mean + spread) / 2).min(copies * gain)
                tilt = ((-mean / variance).max(arb(0)) + 1 / (copies * variance).sqrt()).mid()
                chernoff = whole.law.moment(tilt) ** copies / (arb(1).exp() * tilt)
                if chernoff.is_finite():
                    least = least.min(chernoff)
                total += whole.unit * least / copies
            return interval_of(total, _COARSE)

    def limit(self, copies: int) -> Fraction:
        """Return the divergence at infinite E; where it would be too long to be written, a smaller number."""
        certain, telling, silent = self._certainties()
        if not telling or self.exceeds_limit(copies):
            return certain
        return certain + telling * silent ** (copies - 1)

    def limit_enclosed(self, copies: int, relative_bits: int) -> Interval:
        """Enclose the divergence at infinite E, however long it would be."""
        certain, telling, silent = self._certainties()
        with precision(relative_bits + 32 + copies.bit_length()):
            return interval_of(
                rational_ball(certain) + rational_ball(telling) * rational_ball(silent) ** (copies - 1), relative_bits
            )

    @property
    def limit_at_most(self) -> Fraction:
        """A number that the divergence at infinite E does not exceed for any n; the limit if Q > 0 in every atom."""
        certain, telling, _ = self._certainties()
        return certain + telling

    def _certainties(self) -> tuple[Fraction, Fraction, Fraction]:
        """Return P of what nobody else sends and Q never, P of the rest that Q never sends, and how likely one of the
        others sends nothing that Q may send."""
        return (
            sum((p for p, q in self.charges if not q), Fraction(0)),
            sum((atom.first for atom in self.atoms if not atom.second), Fraction(0)),
            1 - sum((atom.weight for atom in self.atoms if atom.second), Fraction(0)),
        )

    def exceeds_limit(self, copies: int) -> bool:
        """Whether ``limit`` is a smaller number, because the divergence at infinite E is too long to be written."""
        _, telling, silent = self._certainties()
        return telling > 0 and silent > 0 and copies * silent.denominator.bit_length() > _LIMIT_BITS

    def settled(self, copies: int) -> Fraction:
        """Return the least E from which on the divergence is what it is at infinite E.

        Before it, a message with Q > 0 is still of use: by itself, or beside n - 1 copies of the largest value of a
        message with Q = 0, which has (n - 1) P/c at most.
        """
        most = max((atom.first / atom.weight for atom in self.atoms if not atom.second), default=Fraction(0))
        ratios = [p / q for p, q in self.charges if q]
        ratios += [(atom.first + (copies - 1) * most * atom.weight) / atom.second for atom in self.atoms if atom.second]
        return max(ratios, default=Fraction(0))


def blanket_mixture(table: PairTable) -> Mixture:
    """Return what bounds the divergence of a pair for every data set of the others."""
    classes = table.beside(None) if table.others else table.classes
    return mixture_of((c.first, c.second, c.least) for c in classes)


def mixture_of(classes: Iterable[tuple[Fraction, Fraction, Fraction]]) -> Mixture:
    """Return the divergence of classes (P, Q, R) with others who send them with the probabilities R."""
    listed = list(classes)
    charges = tuple((first, second) for first, second, weight in listed if not weight and first)
    return Mixture(charges, tuple(Atom(w, first, second) for first, second, w in listed if w and (first or second)))


def positive_part(whole: CopySum, bits: int) -> arb:
    """E[max(0, L_1 + ... + L_n)], to about so many bits."""
    if not whole.law.mean > 0:
        return whole.unit * _of_negative_mean(whole, bits)
    opposite = whole.opposite()
    falls = any(value > 0 for value in opposite.law.values)
    rest = _of_negative_mean(opposite, bits) if falls else arb(0)
    return whole.unit * (whole.copies * whole.law.mean + rest)  # max(0, s) = s + max(0, -s)


def _of_negative_mean(whole: CopySum, bits: int) -> arb:
    """E[max(0, S)] over ``unit``: by counts or a contour, whichever takes less time."""
    if whole.copies <= _FEW_COPIES:
        return _of_few(whole.law, whole.copies)
    counts = CountSum(whole.law, whole.copies, bits, whole.saddle)
    if counts.steps <= _FEW_STEPS:
        return counts.positive_part()
    most = min(_NODES_OF_CONTOUR + counts.steps // _STEPS_OF_NODE, _EARLY_NODES)
    with suppress(TooLargeError):
        return Contour.of(whole, bits, most=most).positive_part()
    return _most_accurate(whole, bits, counts)


def _of_few(law: FewValues, copies: int) -> arb:
    """E[max(0, S)] of one or two copies, from all their values."""
    if copies == 1:
        return ball_sum(w * v.max(arb(0)) for v, w in law.items)
    items = list(law.items)
    twice = ball_sum(w * u * (v + x).max(arb(0)) for (v, w), (x, u) in combinations(items, 2))
    return 2 * (twice + ball_sum(w * w * v.max(arb(0)) for v, w in items))


def _most_accurate(whole: CopySum, bits: int, counts: CountSum) -> arb:
    """E[max(0, S)] in the way that takes the least time, and in others where that is not accurate."""
    from exactdp.privacy.amplification.float_contour import FloatContour  # loads numpy, which most answers do without

    rare = RareSum(whole.law, whole.copies, bits, whole.saddle, _of_law)
    ways: list[Way] = [counts, rare]
    if (in_floats := FloatContour.chosen(whole, bits)) is not None:
        ways.append(in_floats)
    total: arb | None = None
    for way in _fastest_first(ways, rare):
        if way.steps > _MOST_STEPS:
            break
        ball = way.positive_part()
        total = ball if total is None or ball.rad() < total.rad() else total
        if total.rel_accuracy_bits() >= bits - _LOST_BITS:
            return total
    if total is None:
        return Contour.of(whole, bits, most=MOST_NODES).positive_part()
    return total


def _fastest_first(ways: Sequence[Way], rare: RareSum) -> Iterator[Way]:
    """Yield the ways by their steps; those of ``rare``, found by much of its work, are asked for where they matter."""
    sooner = [way for way in ways if way is not rare and way.steps < rare.least_steps]
    yield from sorted(sooner, key=attrgetter("steps"))
    yield from sorted((way for way in ways if all(way is not one for one in sooner)), key=attrgetter("steps"))


def _of_law(law: FewValues, copies: int, bits: int) -> arb:
    """E[max(0, S)] of copies of any law, one whose values are known but nearly among them."""
    values = tuple(arb(0) if value.contains(0) else value for value in law.values)
    moved = copies * ball_sum(w * abs(v - u).abs_upper() for (v, w), u in zip(law.items, values, strict=True))
    if any(value > 0 for value in values):
        unit = arb(2) ** max(binary_exponent(value) for value in values if value != 0)
        zero = ball_sum(weight for value, weight in zip(values, law.weights, strict=True) if value == 0)
        scaled = FewValues(tuple(value / unit for value in values), law.weights)
        part = positive_part(CopySum(scaled, zero, arb(0), copies, unit), bits)
    else:
        part = arb(0)
    return part + (-moved).union(moved)
