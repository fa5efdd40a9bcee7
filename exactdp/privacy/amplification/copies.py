"""The sum of n independent copies of a law on few atoms, in balls: what counts and contours enclose the mean of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Final

from flint import arb

from exactdp.caching import cached_property
from exactdp.numbers.balls import compare_reals, enclose_real, rational_ball, real_ball
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.tilted import FewValues, Tilted, binary_exponent

_LATTICE_BITS: Final = 4096
"""Lattices finer than this are not looked for."""

_NEAR_BITS: Final = 64
"""Ratios further than this from an E that is not rational are compared in integers."""

_LEVELS_KEPT: Final = 64
"""A question asks about one E, or follows a few."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A value (first - E second)/weight of L and its probability, ``weight`` > 0; E is given beside the atoms."""

    weight: Fraction
    first: Fraction
    second: Fraction

    def sign(self, exp_eps: Real) -> int:
        """Return the sign of the value, decided."""
        return sign_at(self.first, self.second, exp_eps)


def sign_at(first: Fraction, second: Fraction, exp_eps: Real) -> int:
    """Return the sign of first - E second, decided."""
    if exp_eps.is_rational:
        level = exp_eps.coefficient  # products, for a difference in lowest terms takes far longer
        most = first.numerator * second.denominator * level.denominator
        least = second.numerator * first.denominator * level.numerator
        return (most > least) - (most < least)
    if not second:
        return int(first > 0)
    low, high = _ends_of(exp_eps)
    own, times = first.numerator * second.denominator, second.numerator * first.denominator
    if own * low.denominator < times * low.numerator:
        return -1
    return 1 if own * high.denominator > times * high.numerator else compare_reals(first / second, exp_eps)


@lru_cache(maxsize=_LEVELS_KEPT)
def _ends_of(exp_eps: Real) -> tuple[Fraction, Fraction]:
    """Return two rational numbers between which E lies."""
    interval = enclose_real(exp_eps, relative_bits=_NEAR_BITS)
    return interval.lo, interval.hi


@dataclass(frozen=True)
class CopySum:
    """The sum of n copies, in balls at the precision that is set; its values are those of L over ``unit``."""

    law: FewValues
    zero: arb
    """P[L = 0]."""
    spacing: arb
    """A g such that all values are multiples of it; 0 where none is known."""
    copies: int
    unit: arb
    """A power of two that makes the largest value about 1."""

    @classmethod
    def of(cls, atoms: Sequence[Atom], exp_eps: Real, copies: int) -> CopySum:
        """Return the sum of copies of a law with some atoms, none of them 0."""
        level = real_ball(exp_eps)
        weights = [rational_ball(atom.weight) for atom in atoms]
        excess = [rational_ball(atom.first) - level * rational_ball(atom.second) for atom in atoms]
        values = [one / weight for one, weight in zip(excess, weights, strict=True)]
        unit = arb(2) ** max(binary_exponent(value) for value in values)
        spacing = _spacing(atoms, exp_eps)
        zero = rational_ball(1 - sum((atom.weight for atom in atoms), Fraction(0)))
        if zero > 0:
            values.append(arb(0))
            weights.append(zero)
        law = FewValues(tuple(value / unit for value in values), tuple(weights))
        return cls(law, zero, spacing / unit, copies, unit)

    @cached_property
    def saddle(self) -> Tilted:
        """The law tilted at about the saddle of the sum."""
        return self.law.saddle(self.copies)

    def opposite(self) -> CopySum:
        """Return the sum with the other sign."""
        return replace(self, law=self.law.opposite())


def _spacing(atoms: Sequence[Atom], exp_eps: Real) -> arb:
    """Return the largest g such that all values are multiples of it, if they are rational and not too long; else 0."""
    if not exp_eps.is_rational:
        return arb(0)
    values, common = list[Fraction](), 1
    for atom in atoms:
        values.append((atom.first - exp_eps.coefficient * atom.second) / atom.weight)
        common = lcm(common, values[-1].denominator)
        if common.bit_length() > _LATTICE_BITS:
            return arb(0)
    return rational_ball(Fraction(gcd(*(int(value * common) for value in values)), common))
