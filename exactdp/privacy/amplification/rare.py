"""E[max(0, L_1 + ... + L_n)] where a few rare values are far larger than all others move the sum.

Let R be some values of L, F the law of L given that it is none of them, and r = P[L in R]. Given the counts a of the
values in R among n copies, |a| of them together, the sum is s_a, the sum of those values, and m = n - |a| copies of F:

    E[S_+] = sum over a of n!/(a! m!) (product of w_k^a_k) (1 - r)^m E[(s_a + W_m)_+],      W_m a sum of m copies of F.

*Counts that are left out* are charged as in :mod:`exactdp.privacy.amplification.message_counts`, under a tilted law.

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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final

from flint import arb

from exactdp.caching import cached_property
from exactdp.privacy.amplification.count_windows import MOST_STEPS, Counted, Window, factorial, powers
from exactdp.privacy.amplification.tilted import FewValues, ball_sum, binary_exponent, squared

_MOST_COUNTS: Final = 2**16
"""More counts of rare values are not looked through: that takes a second."""

_STEPS_OF_COUNT: Final = 16
"""Microseconds that one of them takes."""

_STEPS_OF_SUM: Final = 2**14
"""Microseconds that a sum of the other values takes, about."""

_GUARD_BITS: Final = 3
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
class RareSum(Counted):
    """The sum over the counts of a few values, of means over the others."""

    rest: PositivePart
    """What evaluates these."""

    @cached_property
    def steps(self) -> int:
        """About how long it takes, in microseconds; ``MOST_STEPS`` where no values are rare."""
        if not self.least_steps < MOST_STEPS:
            return MOST_STEPS
        return min(MOST_STEPS, self.least_steps + len(self._parted.unsure) * _STEPS_OF_SUM)

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
        left, unsure = size * arb(2) ** -(self.bits + _GUARD_BITS), list[tuple[int, tuple[int, ...], arb]]()
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
            counted = places[:several]
            if prod(self.window([place]).length for place in counted) > _MOST_COUNTS:
                break
            is_far = abs(self.law.values[counted[-1]] - center) > _FAR * self._deviation(set(counted))
            if is_far or self.copies * self.law.weights[counted[-1]] < _FEW:
                chosen = tuple(counted)
        return chosen

    def _deviation(self, counted: set[int]) -> arb:
        """About the standard deviation of the sum of all values but some."""
        items = [item for place, item in enumerate(self.point.law.items) if place not in counted]
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
