"""Decides claims about a probability under one law: of a range of outcomes, or that a noisy count errs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.decision import Decision, Value, first_verified, shown, undecided
from exactdp.claims.decide.exact_levels import compared, is_listed, precisions
from exactdp.claims.encoding import JsonObject, drawn_from
from exactdp.claims.kinds import CountAccuracy, Tail
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval

Range: TypeAlias = tuple[int | None, int | None]
"""The integers from the first to the second, ends included; None is no end."""


def decide_tail(claim: Tail) -> Decision:
    """Decide whether the probability of a range is at most, or at least, a bound."""
    law, bound = drawn_from(claim.law), claim.probability
    sign, value = _compare_mass(law, [(claim.low, claim.high)], bound)
    if sign is None:
        return undecided(f"The probability {value} and {short(bound)} are too close.")
    verdict = Verdict.PROVED if (sign <= 0 if claim.is_upper else sign >= 0) else Verdict.REFUTED
    return first_verified(claim, verdict, f"The probability is {shown(value)}.", _witnesses(law, value, bound))


def decide_count_accuracy(claim: CountAccuracy) -> Decision:
    """Decide whether an estimate from a noisy count errs by more than alpha with a probability of at most beta."""
    law, beta = drawn_from(claim.law), claim.estimate.beta
    sign, value = _compare_mass(law, _wrong_ranges(claim), beta)
    if sign is None:
        return undecided(f"The probability of an error {value} and beta = {short(beta)} are too close.")
    verdict = Verdict.REFUTED if sign > 0 else Verdict.PROVED
    words = f"The worst probability of an error is {shown(value)}."
    return first_verified(claim, verdict, words, _witnesses(law, value, beta))


def _wrong_ranges(claim: CountAccuracy) -> list[Range]:
    """Return the noise that is wrong at the worst count: the least whose truth exceeds alpha, as far as allowed."""
    weight, offset, alpha = claim.weight, claim.estimate.offset, claim.estimate.alpha
    count = min(max(alpha // weight + 1, claim.least), claim.most)
    low, high = -((alpha + offset) // weight), (alpha - offset) // weight
    if claim.estimate.zero_unless_above is None:
        return [(None, low - 1), (high + 1, None)] if low <= high else [(None, None)]
    last_zero = claim.estimate.zero_unless_above // weight - count
    at_zero: list[Range] = [(None, last_zero)] if weight * count > alpha else []
    if low > high:
        return [*at_zero, (last_zero + 1, None)]
    return [*at_zero, (last_zero + 1, low - 1), (max(high, last_zero) + 1, None)]


def _witnesses(law: Law | LatticeLaw, value: Value, bound: Fraction) -> Iterator[JsonObject]:
    enclosed = [] if law.lattice is None else [{"bits": bits} for bits in precisions(value, bound)]
    exact: list[JsonObject] = [{}] if law.is_rational else []
    yield from [*exact, *enclosed] if is_listed(law, by_steps=False) else [*enclosed, *exact]


def _compare_mass(law: Law | LatticeLaw, ranges: list[Range], bound: Fraction) -> tuple[int | None, Value]:
    """Return the sign of the probability minus the bound, as far as it is known, and the probability."""

    def enclose(bits: int) -> Value:
        low, high = _mass(law, ranges, bits)
        if low == high:
            return low
        return Interval.between(max(low, Fraction(0)), high, bits=bits)

    sign, value = compared(enclose, bound)
    if sign is None and law.is_exact:
        value, _ = _mass(law, ranges, None)
        sign = (value > bound) - (value < bound)
    return sign, value


def _mass(law: Law | LatticeLaw, ranges: list[Range], bits: int | None) -> tuple[Fraction, Fraction]:
    """Return bounds of the probability of disjoint ranges, exact for finite laws and without ``bits``."""
    lattice = law.lattice
    if lattice is None:
        exact = sum((p for y, p in law.law().items() if any(_holds(y, part) for part in ranges)), Fraction(0))
        return exact, exact
    full = [(low, high) for low, high in ranges if low is None or high is None or low <= high]
    bounds = [_range_mass(lattice, low, high, bits) for low, high in full]
    return sum((low for low, _ in bounds), Fraction(0)), sum((high for _, high in bounds), Fraction(0))


def _holds(y: int, part: Range) -> bool:
    return (part[0] is None or part[0] <= y) and (part[1] is None or y <= part[1])


def _range_mass(law: LatticeLaw, low: int | None, high: int | None, bits: int | None) -> tuple[Fraction, Fraction]:
    """Return bounds of P[low <= Y <= high]: a tail, one minus two tails, or the difference of two on one side."""

    def tail(k: int, *, upper: bool) -> tuple[Fraction, Fraction]:
        if bits is None:
            exact = law.exact_sf(k) if upper else law.exact_cdf(k)
            return exact, exact
        enclosed = law.sf(k, relative_bits=bits) if upper else law.cdf(k, relative_bits=bits)
        return enclosed.lo, enclosed.hi

    if low is None and high is None:
        return Fraction(1), Fraction(1)
    if low is None or high is None:
        return tail(low - 1, upper=True) if low is not None else tail(high or 0, upper=False)
    below, above = tail(low - 1, upper=low > law.mode), tail(high, upper=high >= law.mode)
    if low <= law.mode <= high:
        return 1 - below[1] - above[1], 1 - below[0] - above[0]
    first, second = (below, above) if low > law.mode else (above, below)
    return first[0] - second[1], first[1] - second[0]
