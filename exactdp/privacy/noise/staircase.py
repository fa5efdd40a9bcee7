"""Two independent counts on a staircase: the sums of w(t) w(v) over t <= end(v), exactly and enclosed.

With F the distribution function of the weights w, such a sum is over v alone, of w(v) F(end(v)), where the end does not
fall as v grows: a walk that moves t up to the end of v, then v up by one, meets every term once.

*Exactly, binomial.* A step of the walk multiplies the products w(v) w(t) and w(v) F(t) by a ratio of small integers and
adds them up: it is a matrix of small integers over another one. Multiplied in a balanced tree, as in
:mod:`exactdp.numbers.splitting`, they cost a logarithmic number of multiplications of the final size.

*Enclosed.* Only v in a window and t below its ends matter. The rest is bounded by geometric series, since a log-concave
law has P[Y <= x] <= w(x) / (1 - w(x-1)/w(x)) and P[Y >= x] <= w(x) / (1 - w(x+1)/w(x)) where these ratios are below 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import flint
from flint import arb, fmpz

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.laws.law_balls import EnclosedLaw
from exactdp.numbers.balls import compare_reals, enclosed, real_ball
from exactdp.numbers.bisection import bisect, gallop
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.numbers.rationals import ratio
from exactdp.numbers.real import Real

MAX_TERMS: Final = 10**6
"""Most steps of a walk in ball arithmetic."""

_LEAF: Final = 48
"""Most steps of an exact leaf."""

_RATIOS_KEPT: Final = 2**16
"""Most ratios of weights that are kept as balls, for the searches that ask for them again."""

_FAR: Final = 2**2048
"""Windows are looked for up to here."""


def is_log_concave(weights: Sequence[int]) -> bool:
    """Return whether w(i)^2 >= w(i-1) w(i+1) throughout, for positive weights."""
    big = [fmpz(weight) for weight in weights]
    return all(big[i] * big[i] >= big[i - 1] * big[i + 1] for i in range(1, len(big) - 1))


def list_staircase(weights: Sequence[int], exp_eps: Fraction) -> tuple[int, int]:
    """Return the sums of w(t) w(u-1) and of w(t-1) w(u) over the cells where the first is above E times the second.

    Args:
        weights: positive and log-concave; w is 0 outside the list.
        exp_eps: E, at least 1.

    Cost: O(len(weights)) multiplications of weights.
    """
    w, last = [fmpz(weight) for weight in weights], len(weights) - 1
    over, under = fmpz(exp_eps.numerator), fmpz(exp_eps.denominator)
    t, upto = 0, w[0]
    first = second = fmpz(0)
    for u in range(1, last + 1):
        left, right = over * w[u], under * w[u - 1]
        while t < last and w[t + 1] * right > left * w[t]:
            t += 1
            upto += w[t]
        first += w[u - 1] * upto
        second += w[u] * (upto - w[t])
    return int(first + w[last] * sum(w, fmpz(0))), int(second)


def binomial_staircase(n: int, p: Fraction, ends: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Return the sums over u = 1, ..., n+1 of w(u-1) F(end(u)) and of w(u) F(end(u) - 1), for Bin(n, p).

    Args:
        n: number of trials, at least 0.
        p: success probability, 0 < p < 1.
        ends: end(1), ..., end(n+1), which do not fall, from 0 to n.

    Cost: O(M(n b) log n) bit operations, b the bits of n and of the denominator of p. For multiples p of
    2^-53 0.05 s at n = 2000, 0.35 s at n = 10^4 and 7 s at n = 10^5, in 130 MB.
    """
    success, failure = p.numerator, p.denominator - p.numerator
    steps: list[_Step] = []
    t = 0
    for v, end in enumerate(ends):
        while t < end:
            t += 1
            steps.append((False, (n - t + 1) * success, t * failure))
        steps.append((True, (n - v) * success, (v + 1) * failure))
    block = _block(steps, 0, len(steps))
    start, total = fmpz(failure) ** (2 * n), fmpz(p.denominator) ** (2 * n)
    masses = (block.first_x + block.first_y, block.second_x + block.second_y)
    first, second = (ratio(int(start * mass // block.divisor), int(total)) for mass in masses)
    return first, second


_Step = tuple[bool, int, int]
"""Whether v moves, not t; and the ratio by which the weight of what moves is multiplied."""


@dataclass(frozen=True, slots=True)
class _Block:
    """What some steps make of x = w(v) w(t), y = w(v) F(t) and the two sums, over one divisor.

    x becomes x_x x and y becomes y_x x + y_y y; the sums grow by first_x x + first_y y and second_x x + second_y y.
    """

    x_x: fmpz
    y_x: fmpz
    y_y: fmpz
    first_x: fmpz
    first_y: fmpz
    second_x: fmpz
    second_y: fmpz
    divisor: fmpz

    def then(self, after: _Block) -> _Block:
        """Return the block of these steps and those of ``after``."""
        x_x, y_x, y_y, scale = self.x_x, self.y_x, self.y_y, after.divisor
        return _Block(
            x_x=after.x_x * x_x,
            y_x=after.y_x * x_x + after.y_y * y_x,
            y_y=after.y_y * y_y,
            first_x=scale * self.first_x + after.first_x * x_x + after.first_y * y_x,
            first_y=scale * self.first_y + after.first_y * y_y,
            second_x=scale * self.second_x + after.second_x * x_x + after.second_y * y_x,
            second_y=scale * self.second_y + after.second_y * y_y,
            divisor=scale * self.divisor,
        )


def _block(steps: Sequence[_Step], low: int, high: int) -> _Block:
    if high - low <= _LEAF:
        return _leaf(steps, low, high)
    middle = (low + high) // 2
    return _block(steps, low, middle).then(_block(steps, middle, high))


def _leaf(steps: Sequence[_Step], low: int, high: int) -> _Block:
    """Return the block of few steps, one by one in Python's integers."""
    x_x = y_y = divisor = 1
    y_x = first_x = first_y = second_x = second_y = 0
    for moves_v, over, under in steps[low:high]:
        if moves_v:  # the first sum takes y before v moves, the second y - x after it
            first_x, first_y = under * (first_x + y_x), under * (first_y + y_y)
            x_x, y_x, y_y = over * x_x, over * y_x, over * y_y
            second_x, second_y = under * second_x + y_x - x_x, under * second_y + y_y
        else:
            first_x, first_y = under * first_x, under * first_y
            second_x, second_y = under * second_x, under * second_y
            x_x = over * x_x
            y_x, y_y = under * y_x + x_x, under * y_y
        divisor *= under
    return _Block(*map(fmpz, (x_x, y_x, y_y, first_x, first_y, second_x, second_y, divisor)))


def enclose_ends(law: EnclosedLaw, relative_bits: int) -> Interval:
    """Enclose P[Y = low or Y' = high] for independent counts Y, Y' of one law with at least one end."""

    def either() -> arb:
        low, high = (arb(0) if end is None else law.pmf(end) for end in (law.low, law.high))
        return low + high * (1 - low)

    return enclosed(either, relative_bits, lost_bits=law.lost_bits)


@dataclass(frozen=True)
class Staircase:
    """The sum over u of w(u-1) F(end(u)) - E w(u) F(end(u) - 1), for a log-concave law on the integers.

    Args:
        law: the law.
        mode: a most likely outcome.
        ratio: t -> w(t) / w(t-1), where both are in the support, as two integers or a ball.
        end: u -> the largest t with w(t) w(u-1) > E w(t-1) w(u), for u above the least outcome; None where there is
            none. It does not fall as u grows.
        exp_eps: E, at least 1, such that the sum is not 0.
        lost_bits: bits of accuracy that the size of the law costs, roughly; it only saves attempts.
    """

    law: EnclosedLaw
    mode: int
    ratio: Callable[[int], tuple[int, int] | arb]
    end: Callable[[int], int | None]
    exp_eps: Real
    lost_bits: int

    def enclose(self, relative_bits: int) -> Interval:
        """Enclose the sum; TooLargeError where the window has more than ``MAX_TERMS`` terms, before it is summed.

        Every term of the sum is at least 0, because the event of u is {t <= end(u)}, where P - E Q > 0 cell by cell.
        So a window gives a lower bound. Terms of u < a are at most w(u-1) F(end(a)), F(end(a)) F(a-2) in all; those of
        u > b are at most w(u-1), P[Y >= b] in all.
        """
        return enclosed(self._sum, relative_bits, lost_bits=self.lost_bits)

    def _sum(self) -> arb:
        first, last = self._window()
        start, stop = self.end(first), self.end(last)
        assert start is not None
        assert stop is not None
        if (terms := last - first + stop - start) > MAX_TERMS:
            raise TooLargeError(
                f"joint shift: two bins have {about(terms)} terms that matter, the limit is {MAX_TERMS}. "
                "Use noise of a smaller variance, or one bin and basic composition."
            )
        inside, left_out = self._walk(first, last, start), arb(0)
        if first - 1 != self.law.low and self.end(first - 1) is not None:
            left_out += self._head(start) * self._head(first - 2)
        if last - 1 != self.law.high:
            left_out += self._tail(last)
        return inside + arb(0).union(left_out.abs_upper())

    def _walk(self, first: int, last: int, start: int) -> arb:
        """Add the terms of u = first, ..., last."""
        level, total, t = real_ball(self.exp_eps), arb(0), start
        weight_t, weight = self.law.pmf(t), self.law.pmf(first - 1)
        below = self.law.cdf(t - 1) if t != self.law.low else arb(0)
        upto = below + weight_t
        for u in range(first, last + 1):
            end = self.end(u)
            assert end is not None
            while t < end:
                t += 1
                weight_t = self._step(weight_t, t)
                below, upto = upto, upto + weight_t
            total += weight * upto
            if u - 1 == self.law.high:
                break
            weight = self._step(weight, u)
            total -= level * weight * below
        return total

    def _step(self, weight: arb, t: int) -> arb:
        """w(t) from w(t-1)."""
        match self.ratio(t):
            case (over, under):
                return weight * over / under
            case ball:
                return weight * ball

    # Where to look. Everything below is a choice, made by the midpoints of balls, except for the two bounds of tails.

    def _window(self) -> tuple[int, int]:
        """Return a, b such that what is left out is about 2^-precision of the largest term."""
        peak = self._peak
        target = self._corner(peak).mid() * arb(2) ** -flint.ctx.prec
        lowest = None if self.law.low is None else self.law.low + 1

        def is_negligible_below(u: int) -> bool:
            end = self.end(u)
            return end is None or bool((self._head(end) * self._head(u - 2)).mid() < target)

        def is_negligible_above(u: int) -> bool:
            return bool(self._tail(u).mid() < target)

        first = _edge(peak, -1, lowest, is_negligible_below)
        while self.end(first) is None:
            first += 1
        highest = None if self.law.high is None else self.law.high + 1
        return first, _edge(peak, 1, highest, is_negligible_above)

    @cached_property
    def _peak(self) -> int:
        """A u with w(u-1) w(end(u)) about the largest: upwards from the mode by doubled steps, then by thirds."""
        highest = _FAR if self.law.high is None else self.law.high + 1
        low = high = self.mode + 1
        step = 1
        while high < highest and self._corner(high).mid() <= self._corner(min(high + step, highest)).mid():
            low, high, step = high, min(high + step, highest), 2 * step
        high = min(high + step, highest)
        while high - low > 2:
            third = (high - low) // 3
            left, right = low + third, high - third
            if self._corner(left).mid() < self._corner(right).mid():
                low = left + 1
            else:
                high = right - 1
        return max(range(low, high + 1), key=lambda u: self._corner(u).mid())

    def _corner(self, u: int) -> arb:
        """w(u-1) w(end(u)), or 0 where no t is in the event."""
        end = self.end(u)
        return arb(0) if end is None else self.law.pmf(u - 1) * self.law.pmf(end)

    def _head(self, x: int) -> arb:
        """Bound P[Y <= x] from above."""
        if self.law.low is not None and x <= self.law.low:
            return self.law.pmf(x) if x == self.law.low else arb(0)
        if self.law.high is not None and x >= self.law.high:
            return arb(1)
        return self._geometric(x, 1 / self._step(arb(1), x))

    def _tail(self, x: int) -> arb:
        """Bound P[Y >= x] from above."""
        if self.law.high is not None and x >= self.law.high:
            return self.law.pmf(x) if x == self.law.high else arb(0)
        if self.law.low is not None and x <= self.law.low:
            return arb(1)
        return self._geometric(x, self._step(arb(1), x + 1))

    def _geometric(self, x: int, falling: arb) -> arb:
        """w(x) / (1 - falling), at most 1."""
        if not falling < 1:
            return arb(1)
        bound = self.law.pmf(x) / (1 - falling)
        return bound if bound < 1 else arb(1)


class Ends:
    """u -> end(u) of a log-concave law on the integers, by balls first and exactly where they do not decide.

    The answer to one question is where the search for the next one begins.
    """

    def __init__(
        self, law: EnclosedLaw, mode: int, tail_ratio: Real | None, ratio: Callable[[int], Real], exp_eps: Real
    ) -> None:
        self._law, self._tail_ratio, self._ratio, self._exp_eps = law, tail_ratio, ratio, exp_eps
        self._last = mode
        self._ball_at = lru_cache(maxsize=_RATIOS_KEPT)(lambda t, bits: real_ball(ratio(t)))

    def ratio_ball(self, t: int) -> arb:
        """Return w(t) / w(t-1) as a ball at the precision that is set."""
        return self._ball_at(t, flint.ctx.prec)

    def __call__(self, u: int) -> int | None:
        """Return the largest t with w(t) w(u-1) > E w(t-1) w(u), for u above the least outcome; None: there is none."""
        low, high = self._law.low, self._law.high
        if high is not None and u > high:
            return high
        if low is None and not self._exceeds_at_infinity(u):
            return None
        bound = real_ball(self._exp_eps) * self.ratio_ball(u)

        def is_inside(t: int) -> bool:
            return (low is not None and t <= low) or (t < u and self._exceeds(t, bound, u))

        outside, inside = gallop(min(self._last, u), -1, is_inside)
        if inside == outside:
            inside, outside = gallop(inside, 1, lambda t: not is_inside(t))
        self._last = bisect(outside, inside, is_inside)
        return self._last

    def _exceeds_at_infinity(self, u: int) -> bool:
        """The same for the limit at minus infinity, which is the tail ratio: a law without a least outcome is even."""
        return self._tail_ratio is None or compare_reals(self._tail_ratio, self._exp_eps * self._ratio(u)) > 0

    def _exceeds(self, t: int, bound: arb, u: int) -> bool:
        """Whether w(t) / w(t-1) is above ``bound``, a ball around E w(u) / w(u-1)."""
        ball = self.ratio_ball(t)
        if ball > bound or ball < bound:
            return bool(ball > bound)
        return compare_reals(self._ratio(t), self._exp_eps * self._ratio(u)) > 0


def _edge(peak: int, direction: int, last: int | None, is_negligible: Callable[[int], bool]) -> int:
    """Return the u nearest to ``peak`` in a direction, up to ``last``, beyond which all is negligible."""
    inside, step = peak, 1
    while True:
        outside = inside + direction * step
        if last is not None and (outside - last) * direction >= 0:
            outside = last
            break
        if is_negligible(outside):
            break
        inside, step = outside, 2 * step
    return bisect(inside, outside, is_negligible)
