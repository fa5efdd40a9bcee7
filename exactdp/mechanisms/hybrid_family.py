"""The hybrid randomizer of a number: piecewise with one probability, else Duchi's, and the message shows which.

With s > 1, s^2 at most e^eps0, the input x in [-1, 1] is sent by the piecewise randomizer
(:mod:`exactdp.mechanisms.piecewise_family`) with probability alpha = 1 - 1/s if eps0 > 0.61, else never, and otherwise
by Duchi's (:mod:`exactdp.mechanisms.duchi_family`), as plus or minus C = (s^2 + 1)/(s^2 - 1).

*Every pair.* The steps are those of windows, and the probabilities of Duchi's messages are affine in the input (*Steps*
in :mod:`exactdp.mechanisms.density_family`).

*The blanket* is alpha times that of the piecewise randomizer, and 1 - alpha times that of Duchi's for -1 and 1. Beside
its own, 1/(s^2 + 1) for each message, the law of Duchi's has a spread that is a mixture of those of the four pairs of
ends; those of -1 and 1 in both orders are equal, and the spread of those of equal ends: s^2 - E >= 1 - E and
1 - s^2 E <= s^2 (1 - E).

*Classes.* Messages are numbers, those of Duchi's are C and -C, and C depends on s: they show of which class a user is.
So a row of another class has no share of this one's; this one's has alpha times the share of its piecewise randomizer.

Source: WangXiaoYangZhaoHuiShinShinYu2019, section 3.3 (as printed in secondary sources, the proofs being this page's).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from exactdp.mechanisms.density_family import DensityFamily, StepFamily
from exactdp.mechanisms.family import EstimateSizes
from exactdp.mechanisms.piecewise_family import PiecewiseRandomizer
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.real import Real

_LEAST_EPS0: Final = Fraction(61, 100)
"""Up to here Duchi's alone has the smallest largest variance, as printed."""

_WIDTH: Final = Fraction(1, 2**64)
"""Of the cell of messages up to one of Duchi's: other messages are hardly ever in it."""


@dataclass(frozen=True, slots=True, init=False)
class HybridRandomizer(StepFamily):
    """The hybrid randomizer on [-1, 1] as a family; the argument is that of ``hybrid``.

    >>> HybridRandomizer(exp_eps0=4).alpha, HybridRandomizer(exp_eps0=4).variance(1)
    (Fraction(1, 2), Fraction(20, 9))
    """

    name: ClassVar[str] = "hybrid"
    least_input: ClassVar[int] = -1

    @property
    def alpha(self) -> Fraction:
        """The probability of the piecewise randomizer."""
        is_more = compare_reals(self.exp_eps0, Real.exp(_LEAST_EPS0)) > 0
        return 1 - 1 / self.root if is_more else Fraction(0)

    @property
    def _piecewise(self) -> PiecewiseRandomizer:
        return PiecewiseRandomizer(exp_eps0=self.root**2)

    @property
    def _slope(self) -> Fraction:
        """1/C, for Duchi's message C."""
        return (self.root**2 - 1) / (self.root**2 + 1)

    def variance(self, value: Exact) -> Fraction:
        """Return the variance of the message of a user who holds ``value``; its mean is the value."""
        x = as_fraction(value, name="value")
        windows = self._piecewise.variance(x) + x**2
        return self.alpha * windows + (1 - self.alpha) / self._slope**2 - x**2

    @property
    def estimate_sizes(self) -> EstimateSizes:
        """The variance is largest at 0: it is the same everywhere, or that of Duchi's alone."""
        top = self.root**2
        size = self._piecewise.estimate_sizes.skew if self.alpha else 2 * top / (top - 1)
        return EstimateSizes(self.variance(0), self.variance(0), size, size)

    def cuts(self, inputs: Sequence[Fraction]) -> tuple[Fraction, ...]:
        sent = {1 / self._slope, -1 / self._slope}
        windows = self._piecewise.cuts(inputs) if self.alpha else ()
        return tuple(sorted({*windows, *sent, *(number - _WIDTH for number in sent)}))

    def below(self, value: Fraction, point: Fraction, bits: int) -> Fraction:
        alpha, slope = self.alpha, self._slope
        sent = sum(((1 + sign * slope * value) / 2 for sign in (1, -1) if sign / slope <= point), Fraction(0))
        return (1 - alpha) * sent + (alpha * self._piecewise.below(value, point, bits) if alpha else 0)

    def share_of(self, other: DensityFamily) -> Fraction:
        return max(super(HybridRandomizer, self).share_of(other), self.alpha * other.share_in(self._piecewise))

    @property
    def places(self) -> tuple[Fraction, Fraction, Fraction]:
        return self._piecewise.places

    def steps(self, inputs: Sequence[Fraction]) -> Iterator[tuple[Fraction, ...]]:
        alpha, slope = self.alpha, self._slope
        for masses in self._piecewise.steps(inputs) if alpha else ():
            yield tuple(alpha * mass for mass in masses)
        for sign in (1, -1):
            yield tuple((1 - alpha) * (1 + sign * slope * x) / 2 for x in inputs)


def hybrid(*, exp_eps0: Exact | Real) -> HybridRandomizer:
    """Return the hybrid randomizer of a number from -1 to 1: piecewise with one probability, else Duchi's.

    Args:
        exp_eps0: E = e^eps0, exact and above 1, or irrational as "exp(1)"; its root is rounded down to a multiple of
            2^-53 where it is none, so that eps0 is a little less than asked for.

    Messages are real numbers: delta and eps of ``ShuffleProtocol`` lie between two proved ends. No view is drawn, and
    no table or certificate exists.

    >>> from exactdp import ShuffleProtocol
    >>> ShuffleProtocol(hybrid(exp_eps0=4), 10**5).privacy_profile().delta(exp_eps="101/100")
    Interval[0.00002964131537, 0.00002967101527]

    Source: WangXiaoYangZhaoHuiShinShinYu2019, section 3.3 (as printed in secondary sources).
    """
    return HybridRandomizer(exp_eps0=exp_eps0)
