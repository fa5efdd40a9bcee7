"""Exact binomial tails and two-coin sums by binary splitting: big integers meet only when both are big.

A term of these laws follows from the one before by a ratio of small integers, so a partial sum is a product of small
matrices. Multiplying them in a balanced tree costs a logarithmic number of multiplications of the final size.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final

from flint import fmpz, fmpz_mat

from exactdp.numbers.exact import coprime_fraction

__all__ = ["TwoCoins", "binomial_head", "binomial_weight"]

_LEAF: Final = 32


def binomial_head(n: int, p: Fraction, k: int) -> Fraction:
    """Return P[Bin(n, p) <= k] for 0 <= k < n and 0 < p < 1, by summing the shorter tail.

    Cost: O(M(n log n) log n) bit operations; about 4 ms at n = 10^4.
    """
    success, failure = p.numerator, p.denominator - p.numerator
    total = fmpz(p.denominator) ** n
    if 2 * k <= n:
        head = _binomial_sum(n, success, failure, k)
    else:
        head = total - _binomial_sum(n, failure, success, n - k - 1)
    return _reduced(head, total)


def binomial_weight(n: int, p: Fraction, k: int) -> Fraction:
    """Return P[Bin(n, p) = k] for 0 <= k <= n."""
    success, failure = p.numerator, p.denominator - p.numerator
    weight = fmpz.bin_uiui(n, k) * fmpz(success) ** k * fmpz(failure) ** (n - k)
    return _reduced(weight, fmpz(p.denominator) ** n)


def _reduced(numerator: fmpz, denominator: fmpz) -> Fraction:
    """Return the Fraction, with the one reduction to lowest terms done by FLINT."""
    common = numerator.gcd(denominator)
    return coprime_fraction(int(numerator // common), int(denominator // common))


def _binomial_sum(n: int, success: int, failure: int, k: int) -> fmpz:
    """Return sum_{t<=k} C(n,t) success^t failure^(n-t)."""
    if k < 0:
        return fmpz(0)
    _, divisor, rest = _ratio_tree(n, success, failure, 1, k + 1)
    return (divisor + rest) * fmpz(failure) ** n // divisor


def _ratio_tree(n: int, success: int, failure: int, low: int, high: int) -> tuple[fmpz, fmpz, fmpz]:
    """Return (P, Q, T): P/Q is the product of the term ratios low..high-1, T/Q the sum of their partial products."""
    if high - low <= _LEAF:
        product, divisor, partial = fmpz(1), fmpz(1), fmpz(0)
        for t in range(low, high):
            ratio, below = (n - t + 1) * success, t * failure
            product, divisor = product * ratio, divisor * below
            partial = partial * below + product
        return product, divisor, partial
    middle = (low + high) // 2
    p1, q1, t1 = _ratio_tree(n, success, failure, low, middle)
    p2, q2, t2 = _ratio_tree(n, success, failure, middle, high)
    return p1 * p2, q1 * q2, t1 * q2 + p1 * t2


@dataclass(frozen=True, slots=True)
class TwoCoins:
    """The law of G = Bin(k, b) + Bin(N - k, a) with a, b in (0, 1) over one denominator.

    With r(s) = P[G = N - s] times the total weight, the generating function's logarithmic derivative gives
    ``c0 (s+1) r(s+1) = (k a (1-b) + (N-k) b (1-a) - c1 s) r(s) + c2 (N-s+1) r(s-1)`` with
    ``c0 = b a, c1 = b (1-a) + (1-b) a, c2 = (1-b)(1-a)``, in integers.
    """

    k: int
    b: Fraction
    rest: int
    a: Fraction

    def two_points_and_tail(self, m: int) -> tuple[Fraction, Fraction, Fraction]:
        """Return (P[G = m], P[G = m + 1], P[G > m + 1]) for 0 <= m <= N, from the nearer end of the support."""
        size = self.k + self.rest
        if 2 * m >= size:
            return self._from_top(m)
        mirrored = TwoCoins(self.k, 1 - self.b, self.rest, 1 - self.a)
        upper, lower, below = mirrored._from_top(size - m - 1)
        return lower, upper, 1 - lower - upper - below

    def _from_top(self, m: int) -> tuple[Fraction, Fraction, Fraction]:
        """The same by summing from N down to m."""
        total = lcm(self.a.denominator, self.b.denominator)
        a, b = int(self.a * total), int(self.b * total)
        size, steps = self.k + self.rest, self.k + self.rest - m
        c0, c1, c2 = a * b, b * (total - a) + (total - b) * a, (total - b) * (total - a)
        linear = self.k * a * (total - b) + self.rest * b * (total - a)
        start = fmpz(b) ** self.k * fmpz(a) ** self.rest
        matrix, divisor = _matrix_tree(_Recurrence(size, c0, c1, c2, linear), 0, steps)
        whole = fmpz(total) ** size
        point, above, tail = (_reduced(matrix[i, 0] * start // divisor, whole) for i in range(3))
        return point, above, tail - above


@dataclass(frozen=True, slots=True)
class _Recurrence:
    size: int
    c0: int
    c1: int
    c2: int
    linear: int

    def steps(self, low: int, high: int) -> tuple[fmpz_mat, fmpz]:
        """The matrix that takes (r(s), r(s-1), sum below s) from s = low to s = high, and its divisor."""
        a, b, c, d, e, f, divisor = 1, 0, 0, 1, 0, 0, 1  # rows (a, b, 0), (c, d, 0), (e, f, divisor)
        for s in range(low, high):
            lead, first, second = self.c0 * (s + 1), self.linear - self.c1 * s, self.c2 * (self.size - s + 1)
            upper_left, upper_right = first * a + second * c, first * b + second * d
            c, d = lead * a, lead * b
            e, f, divisor = c + lead * e, d + lead * f, lead * divisor
            a, b = upper_left, upper_right
        return fmpz_mat([[a, b, 0], [c, d, 0], [e, f, divisor]]), fmpz(divisor)


def _matrix_tree(recurrence: _Recurrence, low: int, high: int) -> tuple[fmpz_mat, fmpz]:
    """Return the product of the steps high-1, ..., low, and of their divisors."""
    if high - low <= _LEAF:
        return recurrence.steps(low, high)
    middle = (low + high) // 2
    first, first_divisor = _matrix_tree(recurrence, low, middle)
    second, second_divisor = _matrix_tree(recurrence, middle, high)
    return second * first, first_divisor * second_divisor
