"""The exact probabilities of one half-line event of a two-message protocol, by binary splitting.

G = Bin(k, b) + Bin(N-k, a) with 0 < a, b < 1 over one denominator D, and r(s) = D^N P[G = N - s]. The logarithmic
derivative of the generating function of G is rational, so that, in integers,

    c0 (s+1) r(s+1) = (k a (D-b) + (N-k) b (D-a) - c1 s) r(s) + c2 (N-s+1) r(s-1),    r(0) = b^k a^(N-k), r(-1) = 0,

with c0 = a b, c1 = b (D-a) + (D-b) a and c2 = (D-b)(D-a). A block of steps is one matrix; (r(s), r(s-1), sum below s)
is multiplied by a balanced tree of them, so that huge integers meet only near its root.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final, TypeAlias

from flint import fmpz

from exactdp.kernel.splitting import _over_power

__all__ = ["half_line_masses"]

_LEAF: Final = 32
"""Most steps of a block that is multiplied step by step."""

Block: TypeAlias = tuple[fmpz, fmpz, fmpz, fmpz, fmpz, fmpz, fmpz]
"""The rows (a, b, 0), (c, d, 0), (e, f, g) of a matrix, to be divided by g."""


def half_line_masses(others: int, k: int, low: Fraction, high: Fraction, m: int) -> tuple[Fraction, Fraction]:
    """Return P[G + Ber(high) > m] and P[G + Ber(low) > m] for G = Bin(k, high) + Bin(others - k, low).

    Args:
        others: N, at least 0.
        k: from 0 to N.
        low: 0 < low < 1.
        high: 0 < high < 1.
        m: from 0 to N.

    Cost: O(M(n log n) log n) bit operations for n steps from the nearer end; at n = 10^5 users with low = 1/10 and
    high = 9/10, 40 ms for k = N and m = 9N/10, 0.2 s for k = N/2 and m = N/2.
    """
    scale = lcm(low.denominator, high.denominator)
    a, b = int(low * scale), int(high * scale)
    if 2 * m >= others:
        point, above = _point_and_tail(others, k, a, b, scale, others - m)
    else:  # count zeros
        point, below = _point_and_tail(others, k, scale - a, scale - b, scale, m)
        above = fmpz(scale) ** others - below - point
    return tuple(_over_power(p * point + scale * above, scale, others + 1) for p in (b, a))  # type: ignore[return-value]


def _point_and_tail(others: int, k: int, a: int, b: int, scale: int, steps: int) -> tuple[fmpz, fmpz]:
    """Return D^N P[G = N - steps] and D^N P[G > N - steps]."""
    recurrence = _Recurrence(
        others,
        k * a * (scale - b) + (others - k) * b * (scale - a),
        a * b,
        b * (scale - a) + (scale - b) * a,
        (scale - b) * (scale - a),
    )
    value, _, _, _, total, _, divisor = recurrence.block(0, steps)
    start = fmpz(b) ** k * fmpz(a) ** (others - k)
    return value * start // divisor, total * start // divisor


@dataclass(frozen=True, slots=True)
class _Recurrence:
    """The steps of r: N, the constant of the middle term, and c0, c1, c2."""

    others: int
    constant: int
    c0: int
    c1: int
    c2: int

    def block(self, low: int, high: int) -> Block:
        """The matrix that takes (r(s), r(s-1), sum below s) from s = ``low`` to s = ``high``."""
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

    def _leaf(self, low: int, high: int) -> Block:
        """The same in Python's integers."""
        a, b, c, d, e, f, g = 1, 0, 0, 1, 0, 0, 1
        for s in range(low, high):
            lead, middle, before = self.c0 * (s + 1), self.constant - self.c1 * s, self.c2 * (self.others - s + 1)
            e, f, g = lead * (e + a), lead * (f + b), lead * g
            a, b, c, d = middle * a + before * c, middle * b + before * d, lead * a, lead * b
        return fmpz(a), fmpz(b), fmpz(c), fmpz(d), fmpz(e), fmpz(f), fmpz(g)
