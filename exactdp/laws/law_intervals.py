"""Noise laws on the integers at any size, to any relative accuracy: the way out of ball arithmetic.

A law in balls (:mod:`exactdp.laws.law_balls`) answers at whatever precision is set. These functions raise the
precision until the accuracy asked for is reached, and let nothing but Intervals out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from flint import arb

from exactdp.laws.law_balls import EnclosedLaw, gaussian_variance
from exactdp.numbers.balls import MAX_LOST_BITS_OF_A_VALUE, check_lost_bits, enclosed, precision, proved_sign, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

_FEW_WEIGHTS: Final = 16
"""So many weights are added one by one rather than as a difference of tails."""


def enclose_pmf(law: EnclosedLaw, k: int, relative_bits: int) -> Interval:
    """Enclose P[Y = k] for k inside the support."""
    return enclosed(lambda: law.pmf(k), relative_bits, lost_bits=law.lost_bits, most=MAX_LOST_BITS_OF_A_VALUE)


def enclose_sum_of_products(terms: Sequence[Sequence[tuple[EnclosedLaw, int]]], relative_bits: int) -> Interval:
    """Enclose the sum of products of P[Y = k], for k inside the supports; there is at least one term."""
    laws = dict.fromkeys(law for factors in terms for law, _ in factors)

    def total() -> arb:
        weights: dict[tuple[EnclosedLaw, int], arb] = {}
        value = arb(0)
        for factors in terms:
            product = arb(1)
            for law, k in factors:
                if (law, k) not in weights:
                    weights[law, k] = law.pmf(k)
                product *= weights[law, k]
            value += product
        return value

    return enclosed(total, relative_bits, lost_bits=sum(law.lost_bits for law in laws), most=MAX_LOST_BITS_OF_A_VALUE)


def compare_weights(law: EnclosedLaw, t: int, u: int, bound: Real, bits: int) -> int | None:
    """Return the sign of P[Y = t] - bound P[Y = u], or None where ``bits`` of precision do not decide it."""
    check_lost_bits(law.lost_bits)
    with precision(bits + law.lost_bits):
        return proved_sign(law.pmf(t) - real_ball(bound) * law.pmf(u)) or None


def check_searchable(law: EnclosedLaw | None) -> None:
    """Refuse a law so wide that comparing many of its values would take minutes."""
    if law is not None:
        check_lost_bits(law.lost_bits)


def enclose_gaussian_variance(sigma_squared: Fraction, relative_bits: int) -> Interval:
    """Enclose the variance of the discrete Gaussian law."""
    return enclosed(lambda: gaussian_variance(sigma_squared), relative_bits)


def enclose_tail(law: EnclosedLaw, k: int, relative_bits: int, *, upper: bool) -> Interval:
    """Enclose P[Y > k] (``upper``) or P[Y <= k], where neither is 0."""
    return enclosed(
        lambda: law.sf(k) if upper else law.cdf(k),
        relative_bits,
        lost_bits=law.lost_bits,
        most=MAX_LOST_BITS_OF_A_VALUE,
    )


def enclose_half_line(
    law: EnclosedLaw, end: int, shift: int, exp_eps: Real, relative_bits: int, *, upper: bool = False
) -> Interval:
    """Enclose P[Y <= end] - E P[Y + shift <= end], or P[Y + shift >= end] - E P[Y >= end] (``upper``).

    The value must not be 0.
    """
    inner, steps = (end - shift, range(end - shift + 1, end + 1)) if not upper else (end - 1, range(end - shift, end))

    def difference() -> arb:
        level = real_ball(exp_eps)
        smaller = law.sf(inner) if upper else law.cdf(inner)
        if shift > _FEW_WEIGHTS:
            larger = law.sf(end - shift - 1) if upper else law.cdf(end)
            return larger - level * smaller
        return sum((_weight(law, t) for t in steps), arb(0)) + (1 - level) * smaller

    return enclosed(difference, relative_bits, lost_bits=law.lost_bits + 8)


def enclose_falling(law: EnclosedLaw, last: int | None, shift: int, exp_eps: Real, relative_bits: int) -> Interval:
    """Enclose P[shift <= Y + shift <= last] - E P[shift <= Y <= last] for Y >= 0; the value must not be 0.

    ``last`` None stands for no end.
    """

    def difference() -> arb:
        level, beyond = real_ball(exp_eps), law.sf(shift - 1)
        if last is None:
            return 1 - level * beyond
        return law.cdf(last - shift) - level * (beyond - law.sf(last))

    return enclosed(difference, relative_bits, lost_bits=law.lost_bits + 8)


def _weight(law: EnclosedLaw, k: int) -> arb:
    inside = (law.low is None or k >= law.low) and (law.high is None or k <= law.high)
    return law.pmf(k) if inside else arb(0)
