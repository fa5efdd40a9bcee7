"""Upper bounds of binomial tails, near them, from one weight and the ratios of those beyond it.

With r_j = (n - j) p / ((j + 1) (1 - p)), the ratio of the weights of j + 1 and j, which falls in j,

    P[Y >= k] = P[Y = k] (1 + r_k + r_k r_(k+1) + ...),

and what follows a term t at j is at most t r_j / (1 - r_j) where r_j < 1. Terms are integers, rounded up. So many are
needed as the tail is long, some standard deviations; a contour takes as long at any length.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.laws.law_balls import EnclosedBinomial
from exactdp.laws.law_intervals import enclose_pmf

_UNIT_BITS: Final = 48
"""Terms are multiples of 2^-48 of the first one."""

_LEFT_BITS: Final = 28
"""What is bounded and not added up is at most 2^-28 of the sum."""

_WEIGHT_BITS: Final = 32


def binomial_tail_bound(n: int, p: Fraction, k: int) -> Fraction:
    """Return a number at least P[Bin(n, p) >= k], about 2^-28 of it above, for 0 < p < 1 and n p <= k <= n.

    >>> from exactdp.laws.binomial import Binomial
    >>> exact = Binomial(100, "1/3").exact_sf(39)
    >>> 1 <= binomial_tail_bound(100, Fraction(1, 3), 40) / exact < 1 + Fraction(1, 2**26)
    True

    Cost: 0.1 ms for a standard deviation of 50.
    """
    chance, other = p.numerator, p.denominator - p.numerator
    term, total, j = 1 << _UNIT_BITS, 0, k
    while term:
        total += term
        up, down = (n - j) * chance, (j + 1) * other
        if up < down and (left := -(-term * up // (down - up))) <= total >> _LEFT_BITS:
            total += left
            break
        term, j = -(-term * up // down), j + 1
    weight = enclose_pmf(EnclosedBinomial(n, p), k, _WEIGHT_BITS).hi
    return weight * Fraction(total, 1 << _UNIT_BITS)
