"""The exact probabilities of one half-line event of a two-message protocol, by binary splitting."""

from __future__ import annotations

from fractions import Fraction

from exactdp.numbers.splitting import TwoCoins, over_power


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
    common = TwoCoins(k, high, others - k, low)
    scale = common.denominator
    point, tail = common.point_and_tail(m)
    first, second = (over_power(int(p * scale) * point + scale * tail, scale, others + 1) for p in (high, low))
    return first, second
