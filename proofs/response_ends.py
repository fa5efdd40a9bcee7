"""k-ary randomized response between two sums over three counts, and where they are equal.

Let E0 = e^eps0, E = e^eps >= 1, q = 1 / (E0 + k - 1): a user sends the own one of k symbols with probability E0 q, each
other one with q. Of n users let one hold the symbol x or y. For counts a, b, r >= 0 and s = n - a - b - r >= 0 write

    upper = 1/n sum of n!/(a! b! r! s!) q^(a+b) ((k-2) q)^r (1 - k q)^s (t - (E - 1) r)_+,
    lower = 1/n sum of n!/(a! b! r! s!) q^(a+b) (E0 q)^r ((k-3) q)^s (t - (E - 1) (r / E0 + s))_+,

with t = a (E0 - E) - b (E E0 - 1).

Statement.

1. n users are (eps, upper)-DP, k >= 2, and (eps, delta)-DP for no delta below lower, k >= 3.
2. upper = lower if and only if no a, b with a + b <= n have 0 < t < (E - 1) (n - a - b); it is then the least delta.

Proof. 1: every row is at least q for every symbol, so that the privacy blanket q bounds every data set by the mean of
the positive part of a sum of n independent values, divided by n: E0 - E with probability q, 1 - E E0 with probability
q, 1 - E with probability (k - 2) q, and 0. Where all others hold a third symbol z, the divergence is the same
functional of the likelihood ratios against the row of z: E0 - E with probability q, 1 - E E0 with probability q, (1 -
E) / E0 with probability E0 q, and 1 - E with probability (k - 3) q. 2: given a and b the sum of the values is t - (E
- 1) S, where S lies between 0 and n - a - b, and its sign does not depend on S. So the positive part is affine in S
given a and b, and the mean of S given them is (n - a - b) (k - 2) q / (1 - 2 q) in both sums. At a and b as excluded
upper is larger: the third symbol's 1 / E0 becomes 1 with probability 1 / E0 and else 0, which keeps the mean, and the
sum of a list with a times x, b times y and else z can then have either sign.

The certificates scan all data sets of a few users, without the blanket: at each instance the protocol is private at the
one number, and not at 10^-9 less than the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Final

from exactdp import Claim, ShuffleProtocol
from exactdp.proofs.row_files import decides
from exactdp.randomizers import KAryResponse

Instance = tuple[int, Fraction, int, Fraction]
"""k, e^eps0, n and e^eps."""
_OPEN: Final[tuple[Instance, ...]] = (
    (3, Fraction(3), 6, Fraction(3, 2)),
    (4, Fraction(3), 5, Fraction(3, 2)),
    (3, Fraction(5), 4, Fraction(4)),
)
"""Instances at which the two sums differ."""
_CLOSED: Final[tuple[Instance, ...]] = (
    (4, Fraction(7), 5, Fraction(2)),
    (5, Fraction(4), 4, Fraction(3, 2)),
    (3, Fraction(3), 4, Fraction(3, 2)),
)
"""Instances at which the two sums are equal."""
_LESS: Final = Fraction(1, 10**9)
"""Below the least delta."""
NUMBERS: Final = {"open": _OPEN, "closed": _CLOSED}
"""The numbers that the rows quote."""


def _sum_over_counts(n: int, weights: tuple[Fraction, ...], values: tuple[Fraction, ...]) -> Fraction:
    """The mean of the positive part of a sum of n draws of four values with these weights, divided by n."""
    total = Fraction(0)
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for r in range(n + 1 - a - b):
                counts = (a, b, r, n - a - b - r)
                chance = Fraction(comb(n, a) * comb(n - a, b) * comb(n - a - b, r))
                for weight, times in zip(weights, counts, strict=True):
                    chance *= weight**times
                total += chance * max(Fraction(0), sum(v * c for v, c in zip(values, counts, strict=True)))
    return total / n


def upper_sum(k: int, exp_eps0: Fraction, n: int, exp_eps: Fraction) -> Fraction:
    """The bound of the blanket.

    >>> upper_sum(4, Fraction(7), 5, Fraction(2))
    Fraction(13969, 50000)
    """
    q = 1 / (exp_eps0 + k - 1)
    values = (exp_eps0 - exp_eps, 1 - exp_eps * exp_eps0, 1 - exp_eps, Fraction(0))
    return _sum_over_counts(n, (q, q, (k - 2) * q, 1 - k * q), values)


def lower_sum(k: int, exp_eps0: Fraction, n: int, exp_eps: Fraction) -> Fraction:
    """The divergence where all others hold a third symbol.

    >>> lower_sum(4, Fraction(7), 5, Fraction(2))
    Fraction(13969, 50000)
    """
    q = 1 / (exp_eps0 + k - 1)
    values = (exp_eps0 - exp_eps, 1 - exp_eps * exp_eps0, (1 - exp_eps) / exp_eps0, 1 - exp_eps)
    return _sum_over_counts(n, (q, q, exp_eps0 * q, (k - 3) * q), values)


@decides("k-ary-ends")
def _ends() -> Iterator[Claim]:
    for k, exp_eps0, n, exp_eps in _OPEN:
        protocol = ShuffleProtocol(KAryResponse(k, exp_eps0=exp_eps0).table(), n)
        yield Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=upper_sum(k, exp_eps0, n, exp_eps))
        least = lower_sum(k, exp_eps0, n, exp_eps)
        yield Claim.negation(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=least - _LESS))


@decides("k-ary-closes")
def _closed() -> Iterator[Claim]:
    for k, exp_eps0, n, exp_eps in _CLOSED:
        protocol = ShuffleProtocol(KAryResponse(k, exp_eps0=exp_eps0).table(), n)
        least = lower_sum(k, exp_eps0, n, exp_eps)
        yield Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=least)
        yield Claim.negation(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=least - _LESS))
