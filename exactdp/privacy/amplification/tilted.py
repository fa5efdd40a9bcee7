"""A law on few values in balls, its tilted laws, and the sum of n independent copies: what counts and contours enclose.

With K(lam) = ln E[e^(lam L)] the integrand of :mod:`exactdp.privacy.amplification.positive_part` is largest at its real
point lam, and least oscillating if lam is the minimum of n K(lam) - 2 ln lam, which is convex. The saddle is a choice:
any lam > 0 gives a proof. It is found in balls of the precision that is set, because counts beyond 10^15 leave nothing
of a float.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Final

from flint import arb

from exactdp.caching import cached_property
from exactdp.numbers.balls import compare_reals, enclose_real, rational_ball, real_ball
from exactdp.numbers.real import Real

_BISECTIONS: Final = 12
"""From a factor of 2 to one of 2^(1/4096): Newton's method does the rest."""

_NEWTON_STEPS: Final = 4
"""From a distance of far less than the minimum's width: each squares it."""

_LEAST_DEVIATIONS: Final = arb(11) / 5
"""lam is at least this over the deviation of the sum: a smaller one would let copies of the contour come near."""

_WIDENINGS: Final = 6
"""A larger tilt changes the deviation, which changes the least tilt; so often is enough, or it does not matter."""


def ball_sum(terms: Iterable[arb]) -> arb:
    """Return the sum of some balls."""
    return sum(terms, arb(0))


def squared(ball: arb) -> arb:
    """Return the square of a ball, which may contain 0: a power of such a ball is no number."""
    return ball * ball


def binary_exponent(ball: arb) -> int:
    """Return about log2 of the middle of a ball that is not 0."""
    mantissa, exponent = ball.mid().man_exp()
    return int(exponent) + int(mantissa).bit_length()


def ball_floor(ball: arb) -> int:
    """Return the integer part of the middle of a ball."""
    return int(ball.mid().floor().fmpz())


@dataclass(frozen=True)
class FewValues:
    """A law on few values, with a positive weight each."""

    values: tuple[arb, ...]
    weights: tuple[arb, ...]

    @property
    def items(self) -> Iterator[tuple[arb, arb]]:
        """Values and weights, side by side."""
        return zip(self.values, self.weights, strict=True)

    @cached_property
    def mean(self) -> arb:
        """E[L]."""
        return ball_sum(value * weight for value, weight in self.items)

    def moment(self, tilt: arb) -> arb:
        """E[e^(tilt L)]."""
        return ball_sum(w * (tilt * v).exp() for v, w in self.items)

    def tilted(self, tilt: arb) -> Tilted:
        """Return the law with weights in proportion to w e^(tilt v)."""
        masses = [w * (tilt * v).exp() for v, w in self.items]
        moment = ball_sum(masses)
        return Tilted(tilt, moment, FewValues(self.values, tuple(mass / moment for mass in masses)))

    def opposite(self) -> FewValues:
        """Return the law of -L."""
        return FewValues(tuple(-value for value in self.values), self.weights)

    def saddle(self, copies: int) -> Tilted:
        """Return the law tilted at about the saddle of a sum of ``copies``; one value at least is positive."""
        sign = -1 if self._is_beyond(arb(1), copies) else 1
        near, far = 0, 1  # from 2^(sign near) to 2^(sign far) the saddle is passed
        while self._is_beyond(arb(2) ** (sign * far), copies) == (sign < 0):
            near, far = far, 2 * far
        while far - near > 1:
            half = (near + far) // 2
            passed = self._is_beyond(arb(2) ** (sign * half), copies) != (sign < 0)
            near, far = (near, half) if passed else (half, far)
        low = arb(2) ** (-far if sign < 0 else near)
        high = 2 * low
        for _ in range(_BISECTIONS):
            middle = (low * high).sqrt().mid()
            low, high = (low, middle) if self._is_beyond(middle, copies) else (middle, high)
        point = self.tilted(low)
        for _ in range(_NEWTON_STEPS):
            slope = copies * point.law.mean - 2 / point.tilt
            moved = (point.tilt - slope / (copies * point.variance + 2 / point.tilt**2)).mid()
            point = self.tilted(moved if moved > 0 else point.tilt / 2)
        for _ in range(_WIDENINGS):
            least = _LEAST_DEVIATIONS / point.deviation(copies)
            if not point.tilt < least * 63 / 64:
                break
            point = self.tilted(least.mid())
        return point

    def _is_beyond(self, tilt: arb, copies: int) -> bool:
        """Whether n K'(lam) lam >= 2, as far as balls tell."""
        return not copies * self.tilted(tilt).law.mean.mid() * tilt < 2


@dataclass(frozen=True)
class Tilted:
    """A law tilted by lam: E[e^(lam L)] of the law itself, and the tilted law."""

    tilt: arb
    moment: arb
    law: FewValues

    @cached_property
    def variance(self) -> arb:
        """The variance of one tilted copy."""
        mean = self.law.mean
        return ball_sum(w * squared(v - mean) for v, w in self.law.items)

    def deviation(self, copies: int) -> arb:
        """The middle of the standard deviation of the sum under the tilted law."""
        return (copies * self.variance.abs_upper()).sqrt().mid()


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
