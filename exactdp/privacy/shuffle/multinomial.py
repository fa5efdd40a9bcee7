"""All bystanders hold one input, and every user's outcome is one symbol: the view is multinomial times a linear form.

With s_j the bystanders' chance of symbol j, x_j that of the user who differs, and M the multinomial law of n draws
from s, the view has P(c) = M(c) / n * sum_j c_j x_j / s_j. So P - E Q is M times a linear form in the counts. For
given counts of all symbols but two, it is positive on a half-line of the second-last count, and its sum there is a
prefix sum of binomial weights (t C(m,t) = m C(m-1,t-1) takes care of the factor t). One pass over the counts of the
other symbols does it.

For three symbols the end of the half-line is a linear function of the count of the first, so that the prefix sum walks
along with it, a few products at each step. For more, two rows of prefix sums are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from math import comb, lcm
from typing import TypeAlias

from exactdp.patience import told

Weights: TypeAlias = tuple[int, ...]
"""The integer weight of each symbol."""

Form: TypeAlias = tuple[int, ...]
"""The coefficients of a linear form in the counts."""


def multinomial_terms(users: int, symbols: int) -> int:
    """Return the number of counts of all symbols but two that ``multinomial_masses`` visits."""
    return comb(users + symbols - 2, symbols - 2)


def multinomial_masses(
    first: Weights, second: Weights, others: Weights, users: int, ratio: tuple[int, int]
) -> tuple[int, int]:
    """Return the weights under P and Q of the counts where P > c/d Q, over the ``users``-th power of the denominator.

    ``others`` are the weights of the ``users - 1`` bystanders, all positive.
    """
    unit = lcm(*others)
    forms = [tuple(x * unit // s for x, s in zip(row, others, strict=True)) for row in (first, second)]
    sign = tuple(ratio[1] * x - ratio[0] * y for x, y in zip(*forms, strict=True))
    inner, outer = others[-2:], others[:-2]
    walking = _Head(*inner) if len(outer) <= 1 else None
    totals = [0, 0]
    shorter = [0]
    for left in range(users + 1):
        if walking is None:
            sums = _prefix_sums(left, inner)
        else:
            walking.move_size(left)
        choose = comb(users, left)
        for counts, weight in _multinomial(users - left, outer):
            low, high = _positive_range(sum(a * c for a, c in zip(sign, counts, strict=False)), sign[-2:], left)
            if low > high:
                continue
            if walking is None:
                plain = sums[high + 1] - sums[low]
                moment = left * inner[0] * (shorter[high] - shorter[max(low - 1, 0)]) if left else 0
            else:
                plain, moment = walking.between(low, high)
            for index, form in enumerate(forms):
                base = sum(a * c for a, c in zip(form, counts, strict=False))
                value = (base + left * form[-1]) * plain + (form[-2] - form[-1]) * moment
                totals[index] += choose * weight * value
        if walking is None:
            shorter = sums
        told(left + 1, users + 1)
    return totals[0] // (users * unit), totals[1] // (users * unit)


class _Head:
    """The sum H(m, h) of the binomial weights T(m, t) = C(m, t) x^t y^(m - t) over t <= h, which walks with m and h."""

    __slots__ = ("h", "m", "sum", "term", "x", "y")

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y
        self.m, self.h, self.sum, self.term = 0, 0, 1, 1

    def move_size(self, m: int) -> None:
        """Go to a larger m: H(m+1, h) = (x + y) H(m, h) - x T(m, h)."""
        while self.m < m:
            self.m += 1
            self.sum = (self.x + self.y) * self.sum - self.x * self.term
            self.term = self.term * self.m * self.y // (self.m - self.h)

    def between(self, low: int, high: int) -> tuple[int, int]:
        """Return the sums of T(m, t) and t T(m, t) over low <= t <= high, where low = 0 or high = m."""
        if low == 0:
            return self._upto(high)
        plain, moment = self._upto(low - 1)
        both = self.x + self.y
        return both**self.m - plain, self.m * self.x * both ** (self.m - 1) - moment

    def _upto(self, h: int) -> tuple[int, int]:
        """The two sums over t <= h. With H(m, h) = (x + y) H(m-1, h-1) + y T(m-1, h), the second is m x H(m-1, h-1)."""
        while self.h < h:
            self.term = self.term * (self.m - self.h) * self.x // ((self.h + 1) * self.y)
            self.h += 1
            self.sum += self.term
        while self.h > h:
            self.sum -= self.term
            self.term = self.term * self.h * self.y // ((self.m - self.h + 1) * self.x)
            self.h -= 1
        return self.sum, self.x * (self.m * self.sum - self.term * (self.m - self.h)) // (self.x + self.y)


def _prefix_sums(size: int, inner: Weights) -> list[int]:
    """Return the sums over t < i of C(size, t) x^t y^(size - t), for i = 0, ..., size + 1."""
    x, y = inner
    powers = list(accumulate([y] * size, lambda total, factor: total * factor, initial=1))
    weights, coefficient = [], 1
    for t in range(size + 1):
        weights.append(coefficient * powers[size - t])
        coefficient = coefficient * (size - t) * x // (t + 1)
    return list(accumulate(weights, initial=0))


def _multinomial(total: int, weights: Weights) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (counts, total! / prod counts! * prod weights^counts) over all counts with this total."""
    if not weights:
        if total == 0:
            yield (), 1
        return
    if len(weights) == 1:
        yield (total,), weights[0] ** total
        return
    factor = 1
    for count in range(total + 1):
        for rest, weight in _multinomial(total - count, weights[1:]):
            yield (count, *rest), factor * weight
        factor = factor * (total - count) * weights[0] // (count + 1)


def _positive_range(base: int, slopes: Form, size: int) -> tuple[int, int]:
    """Return the ends of {t in 0..size : base + t * slopes[0] + (size - t) * slopes[1] > 0}; empty as (0, -1)."""
    constant, slope = base + size * slopes[1], slopes[0] - slopes[1]
    if slope == 0:
        return (0, size) if constant > 0 else (0, -1)
    if slope > 0:
        return max(0, -constant // slope + 1), size
    return 0, min(size, (constant - 1) // -slope)
