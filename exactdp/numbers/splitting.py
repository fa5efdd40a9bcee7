"""Exact binomial tails and two-coin sums by binary splitting: big integers meet only when both are big.

A term of these laws follows from the one before by a ratio of small integers, so a partial sum is a product of small
matrices. Multiplying them in a balanced tree costs a logarithmic number of multiplications of the final size.

Three savings keep the binomial tree small. The powers of p and 1 - p stay outside the products that do not need them,
and their factors of two are shifts. Every entry of a block of l ratios is a sum of products of r consecutive integers
and l - r others, hence divisible by the gcd of r! (l - r)! over r, which is (l+1)! / lcm(1, ..., l+1): the leaves are
divided by it. And a fraction over D^n is reduced by gcds with low powers of D, since a sum of weights usually contains
the primes of D to low powers only; no gcd of two huge numbers is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import factorial, lcm, perm
from typing import Final, TypeAlias

from flint import fmpz

from exactdp.numbers.exact import coprime_fraction

_LEAF: Final = 32
"""Most steps of a two-coin leaf."""

_TERMS: Final = 128
"""Most terms of a binomial leaf."""

_REACH: Final = 32
"""The power of the denominator that a numerator is first compared with."""


def binomial_half_line(n: int, p: Fraction, k: int, shift: int, exp_eps: Fraction) -> Fraction:
    """Return P[Y <= k] - E P[Y + shift <= k] for Y ~ Bin(n, p), reduced once.

    With p = a/D, b = D - a and E = u/v this is (v A - u B) / (v D^n), where A is the sum of C(n,t) a^t b^(n-t) over
    0 <= t <= k and B the same sum over 0 <= t <= k - shift. A and B share all terms but ``shift``.

    Args:
        n: number of trials, at least 0.
        p: success probability, 0 < p < 1.
        k: end of the half-line, any integer.
        shift: at least 1.
        exp_eps: E, any rational.

    Cost: one binary splitting over the shorter tail, O(M(n log n) log n) bit operations, and ``shift`` weights;
    0.04 s at n = 10^5 and 0.7 s at n = 10^6 for p = 1/3, k = n/2 and shift = 1, in 40 MB.
    """
    first, second = _half_lines(n, p, k, shift)
    over, under = exp_eps.numerator, exp_eps.denominator
    return over_power(under * first - over * second, p.denominator, n, under)


def binomial_half_line_masses(n: int, p: Fraction, k: int, shift: int) -> tuple[Fraction, Fraction]:
    """Return P[Y <= k] and P[Y + shift <= k] for Y ~ Bin(n, p), each reduced once.

    Arguments and cost are those of :func:`binomial_half_line`.
    """
    first, second = _half_lines(n, p, k, shift)
    return over_power(first, p.denominator, n), over_power(second, p.denominator, n)


def binomial_head(n: int, p: Fraction, k: int) -> Fraction:
    """Return P[Bin(n, p) <= k] for 0 <= k < n and 0 < p < 1, by summing the shorter tail.

    Cost: that of :func:`binomial_half_line`.
    """
    return over_power(_head(n, p, k), p.denominator, n)


def binomial_weight(n: int, p: Fraction, k: int) -> Fraction:
    """Return P[Bin(n, p) = k] for 0 <= k <= n and 0 <= p <= 1."""
    success, failure = p.numerator, p.denominator - p.numerator
    weight = fmpz.bin_uiui(n, k) * fmpz(success) ** k * fmpz(failure) ** (n - k)
    return over_power(weight, p.denominator, n)


def _half_lines(n: int, p: Fraction, k: int, shift: int) -> tuple[fmpz, fmpz]:
    """Return D^n P[Y <= k] and D^n P[Y <= k - shift] from few terms: a tail and ``shift`` weights, or two tails."""
    terms, shifted_terms = _terms_of_head(n, k), _terms_of_head(n, k - shift)
    if shift >= max(terms, shifted_terms):
        return _head(n, p, k), _head(n, p, k - shift)
    between = _sum_of_weights(n, p, max(k - shift + 1, 0), min(k, n))
    if terms <= shifted_terms:
        first = _head(n, p, k)
        return first, first - between
    second = _head(n, p, k - shift)
    return second + between, second


def _terms_of_head(n: int, k: int) -> int:
    """Return the number of terms that :func:`_head` sums."""
    return max(0, min(k + 1, n - k))


def _head(n: int, p: Fraction, k: int) -> fmpz:
    """Return D^n P[Y <= k] for any integer k, by summing the shorter tail."""
    if k < 0:
        return fmpz(0)
    if 2 * k < n:
        return _sum_of_weights(n, p, 0, k)
    total = fmpz(p.denominator) ** n
    return total if k >= n else total - _sum_of_weights(n, 1 - p, 0, n - k - 1)


def _sum_of_weights(n: int, p: Fraction, low: int, high: int) -> fmpz:
    """Return D^n P[low <= Y <= high] for 0 <= low <= high <= n."""
    success, failure = _Power(p.numerator), _Power(p.denominator - p.numerator)
    _, divisor, rest = _Ratios(n, success, failure).block(low + 1, high + 1)
    inner = (failure.times(divisor, high - low) + rest) * fmpz.bin_uiui(n, low) // divisor
    return failure.times(success.times(inner, low), n - high)


def over_power(numerator: fmpz, base: int, exponent: int, factor: int = 1) -> Fraction:
    """Return numerator / (factor base^exponent) in lowest terms, for a positive base and factor."""
    common = _common_with_power(numerator, fmpz(base), exponent)
    rest, power = numerator // common, fmpz(base) ** exponent // common
    common = rest.gcd(fmpz(factor))
    return coprime_fraction(int(rest // common), int(power * (factor // common)))


def _common_with_power(value: fmpz, base: fmpz, exponent: int) -> fmpz:
    """Return gcd(value, base^exponent), by gcds with base^32, base^128, ... until no prime of the base is left over."""
    reach = min(exponent, _REACH)
    while True:
        common = value.gcd(base**reach)
        if reach == exponent or (value // common).gcd(base) == 1:
            return common
        reach = min(exponent, 4 * reach)


@dataclass(frozen=True, slots=True)
class _Power:
    """Multiplication by powers of a positive base: a shift for the twos, and each power of the odd part once."""

    base: int
    odd_powers: dict[int, fmpz] = field(default_factory=dict)

    def times(self, value: fmpz, exponent: int) -> fmpz:
        """Return value base^exponent."""
        twos = (self.base & -self.base).bit_length() - 1
        odd = self.base >> twos
        if odd > 1:
            if exponent not in self.odd_powers:
                self.odd_powers[exponent] = fmpz(odd) ** exponent
            value = value * self.odd_powers[exponent]
        return value << (twos * exponent)


@dataclass(frozen=True, slots=True)
class _Ratios:
    """The ratios (n - t + 1) a / (t b) of the binomial weights of t and t - 1, to be multiplied and summed.

    A block of them, for t = low, ..., high-1, is (P, Q, T) over one common divisor: P is the product of n - t + 1 and Q
    that of t, and T is the sum over j of a^(j-low+1) b^(high-1-j) prod_{t<=j} (n - t + 1) prod_{t>j} t.
    """

    n: int
    success: _Power
    failure: _Power

    def block(self, low: int, high: int, *, is_last: bool = True) -> tuple[fmpz, fmpz, fmpz]:
        """Return a block; P is left out, as 0, of a block that no other follows."""
        if high - low <= _TERMS:
            return self._leaf(low, high)
        middle = (low + high) // 2
        p1, q1, t1 = self.block(low, middle, is_last=False)
        p2, q2, t2 = self.block(middle, high, is_last=is_last)
        partial = t1 * self.failure.times(q2, high - middle)
        partial += self.success.times(p1, middle - low) * t2
        return fmpz(0) if is_last else p1 * p2, q1 * q2, partial

    def _leaf(self, low: int, high: int) -> tuple[fmpz, fmpz, fmpz]:
        """The same from the last term to the first, in Python's integers."""
        over, under = self.success.base, self.failure.base
        below, partial = 1, 0
        for t in range(high - 1, low - 1, -1):
            partial = (self.n - t + 1) * over * (partial + below)
            below *= t * under
        size, common = high - low, _common_divisor(high - low)
        product, divisor = perm(self.n - low + 1, size), perm(high - 1, size)
        return fmpz(product) // common, fmpz(divisor) // common, fmpz(partial) // common


@lru_cache(maxsize=_TERMS)
def _common_divisor(size: int) -> fmpz:
    """Return the gcd of r! (size - r)! over r, which divides every entry of a block of ``size`` ratios."""
    return fmpz(factorial(size + 1) // lcm(*range(1, size + 2)))


@dataclass(frozen=True, slots=True)
class TwoCoins:
    """The law of G = Bin(k, b) + Bin(N - k, a) with a, b in (0, 1) over one denominator D.

    The logarithmic derivative of the generating function of G is rational, so that r(s) = D^N P[G = N - s] has, in
    integers, ``c0 (s+1) r(s+1) = (k a (D-b) + (N-k) b (D-a) - c1 s) r(s) + c2 (N-s+1) r(s-1)`` with ``r(-1) = 0``,
    ``r(0) = b^k a^(N-k)``, ``c0 = a b``, ``c1 = b (D-a) + (D-b) a`` and ``c2 = (D-b)(D-a)``. A block of steps is one
    matrix; (r(s), r(s-1), sum below s) is multiplied by a balanced tree of them, so that huge integers meet only near
    its root.
    """

    k: int
    b: Fraction
    rest: int
    a: Fraction

    @property
    def denominator(self) -> int:
        """D."""
        return lcm(self.a.denominator, self.b.denominator)

    @property
    def mirrored(self) -> TwoCoins:
        """The law of N - G."""
        return TwoCoins(self.k, 1 - self.b, self.rest, 1 - self.a)

    def two_points_and_tail(self, m: int) -> tuple[Fraction, Fraction, Fraction]:
        """Return (P[G = m], P[G = m + 1], P[G > m + 1]) for 0 <= m <= N, from the nearer end of the support."""
        size, total = self.k + self.rest, self.denominator
        if 2 * m >= size:
            point, tail, above = self._from_top(size - m)
            tail -= above
        else:
            above, head, point = self.mirrored._from_top(m + 1)
            tail = fmpz(total) ** size - above - head
        return over_power(point, total, size), over_power(above, total, size), over_power(tail, total, size)

    def point_and_tail(self, m: int) -> tuple[fmpz, fmpz]:
        """Return D^N times P[G = m] and P[G > m] for 0 <= m <= N, from the nearer end of the support."""
        size = self.k + self.rest
        if 2 * m >= size:
            point, tail = islice(self._from_top(size - m), 2)
            return point, tail
        point, head = islice(self.mirrored._from_top(m), 2)
        return point, fmpz(self.denominator) ** size - head - point

    def _from_top(self, steps: int) -> Iterator[fmpz]:
        """Yield D^N times P[G = m], P[G > m] and P[G = m + 1] for m = N - steps."""
        total = self.denominator
        a, b = int(self.a * total), int(self.b * total)
        c0, c1, c2 = a * b, b * (total - a) + (total - b) * a, (total - b) * (total - a)
        linear = self.k * a * (total - b) + self.rest * b * (total - a)
        point, _, above, _, tail, _, divisor = _Recurrence(self.k + self.rest, c0, c1, c2, linear).block(0, steps)
        start = fmpz(b) ** self.k * fmpz(a) ** self.rest
        yield from (entry * start // divisor for entry in (point, tail, above))


_Block: TypeAlias = tuple[fmpz, fmpz, fmpz, fmpz, fmpz, fmpz, fmpz]
"""The rows (a, b, 0), (c, d, 0), (e, f, g) of a matrix, to be divided by g."""


@dataclass(frozen=True, slots=True)
class _Recurrence:
    """The steps of r: N, c0, c1, c2, and the constant of the middle term."""

    size: int
    c0: int
    c1: int
    c2: int
    linear: int

    def block(self, low: int, high: int) -> _Block:
        """Return the matrix that takes (r(s), r(s-1), sum below s) from s = ``low`` to s = ``high``."""
        if high - low <= _LEAF:
            return self._leaf(low, high)
        middle = (low + high) // 2
        a1, b1, c1, d1, e1, f1, g1 = self.block(low, middle)
        a2, b2, c2, d2, e2, f2, g2 = self.block(middle, high)
        return (
            a2 * a1 + b2 * c1,
            a2 * b1 + b2 * d1,
            c2 * a1 + d2 * c1,
            c2 * b1 + d2 * d1,
            e2 * a1 + f2 * c1 + g2 * e1,
            e2 * b1 + f2 * d1 + g2 * f1,
            g2 * g1,
        )

    def _leaf(self, low: int, high: int) -> _Block:
        """Return the same by Python's integers."""
        a, b, c, d, e, f, g = 1, 0, 0, 1, 0, 0, 1
        for s in range(low, high):
            lead, middle, before = self.c0 * (s + 1), self.linear - self.c1 * s, self.c2 * (self.size - s + 1)
            e, f, g = lead * (e + a), lead * (f + b), lead * g
            a, b, c, d = middle * a + before * c, middle * b + before * d, lead * a, lead * b
        return fmpz(a), fmpz(b), fmpz(c), fmpz(d), fmpz(e), fmpz(f), fmpz(g)
