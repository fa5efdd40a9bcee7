"""A law on few values in balls, tilted: its moments, and where to put the contour of a sum of n independent copies.

With K(lam) = ln E[e^(lam L)] the integrand of :mod:`exactdp.privacy.amplification.positive_part` is largest at its real
point lam, and least oscillating if lam is the minimum of n K(lam) - 2 ln lam, which is convex. The saddle is a choice:
any lam > 0 gives a proof. It is found in balls of the precision that is set, because counts beyond 10^15 leave nothing
of a float.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from flint import arb

from exactdp.caching import cached_property

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
