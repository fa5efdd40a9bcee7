"""How often some values occur among n copies: windows of counts, and what is charged for the counts beyond.

Let L have the values v_k with probabilities w_k, N_k count how often v_k occurs among n copies, and S be their sum. For
s = sum of L_c and lam >= 0, s_+ <= sum of max(0, L_c) e^(lam s). Let C count the copies with values in some set, of
probability p under the law tilted by lam, whose means are E'. Then

    E[S_+; C > u] <= n E[e^(lam L)]^n E'[max(0, L)] P'[Bin(n - 1, p) >= u],

and E[S_+; C < l] is at most the same with P'[Bin(n - 1, p) <= l - 1]. *Proof.* By exchangeability the left side is at
most n E[max(0, L_1) e^(lam S); C > u] = n E[e^(lam L)]^n E'[max(0, L_1); C > u], and C is at most 1, and at least 0,
more than the count among the other n - 1 copies, which do not depend on L_1. For c >= m p, and on the other side for
c <= m p, a tail of Bin(m, p) from c on is at most (m p/c)^c (m (1 - p)/(m - c))^(m - c) (Chernoff).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flint import arb

from exactdp.caching import cached_property
from exactdp.privacy.amplification.tilted import FewValues, Tilted, ball_floor, ball_sum, squared

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
class Counted(ABC):
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
