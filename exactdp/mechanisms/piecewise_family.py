"""The piecewise randomizer: a number from -1 to 1, sent as a real number that likely lies in a window around it.

With s > 1, s^2 at most e^eps0, and C = (s + 1)/(s - 1), the input x is sent as y in [-C, C]: uniform with probability
s/(s + 1) in the window of length C - 1 that begins at ((C + 1) x - (C - 1))/2, else uniform outside. The two densities
have the ratio s^2. The mean of y is x, its variance x^2/(s - 1) + (s + 3)/(3 (s - 1)^2).

*Every pair.* As shares of 2 C windows have the length w = (C - 1)/(2 C) = 1/(s + 1) < 1/2, begin at (1 - w)(1 + x)/2,
and densities are s inside, 1/s outside. Ends of two windows meet where the inputs are equal or 2 w/(1 - w) = 2/s apart
(*Steps* in :mod:`exactdp.mechanisms.density_family`).

*The blanket.* c = 1/s everywhere, as no window is more than half. At the vertices of all pairs the windows are equal or
disjoint, so mu/c is a mixture of these two, and that of equal ones has the spread of that of disjoint ones: under equal
windows L is s^2 (1 - E) on w and 1 - E elsewhere, under disjoint ones s^2 - E on w, 1 - s^2 E on w, and 1 - E
elsewhere; of the two pairs with the same sum s^2 (1 - E) + (1 - E) the latter is the one that is further apart.

*Users with a smaller eps0.* With s' < s, and C' > C, windows of the same input are nested, as ((C + 1) x - (C - 1))/2
falls as C grows and the other end rises. Densities are s/(2 C) inside and 1/(2 s C) outside, so that those of s' are at
least s' C/(C' s) times those of s: outside of both the ratio is (s/s')^2 times that, and between the windows larger.

Source: WangXiaoYangZhaoHuiShinShinYu2019, section 3.2 (as printed in secondary sources, the
proofs being this page's).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.density_family import StepFamily
from exactdp.mechanisms.family import EstimateSizes, FamilyRandomizer
from exactdp.numbers.exact import Exact, as_fraction
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False)
class PiecewiseRandomizer(StepFamily):
    """The piecewise randomizer as a family; the argument is that of ``piecewise``.

    >>> PiecewiseRandomizer(exp_eps0=4).local_epsilon(), PiecewiseRandomizer(exp_eps0=4).variance(1)
    (LogRational('4'), Fraction(8, 3))
    """

    name: ClassVar[str] = "piecewise"
    least_input: ClassVar[int] = -1

    def variance(self, value: Exact) -> Fraction:
        """Return the variance of the message of a user who holds ``value``; its mean is the value."""
        x, s = as_fraction(value, name="value"), self.root
        if abs(x) > 1:
            raise InvalidValueError(f"value={short(x)} is not from -1 to 1. Pass an input.")
        return x**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)

    @property
    def estimate_sizes(self) -> EstimateSizes:
        """A message is at most C, and an input 1."""
        size = 2 * self.root / (self.root - 1)
        return EstimateSizes(self.variance(1), self.variance(1), size, size)

    def _window(self, value: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """Return where the window of an input begins and ends, and C."""
        c = (self.root + 1) / (self.root - 1)
        begin = ((c + 1) * value - (c - 1)) / 2
        return begin, begin + c - 1, c

    def cuts(self, inputs: Sequence[Fraction]) -> tuple[Fraction, ...]:
        ends = [self._window(value) for value in inputs]
        return tuple(sorted({end for begin, last, c in ends for end in (-c, begin, last, c)}))

    def below(self, value: Fraction, point: Fraction, bits: int) -> Fraction:
        begin, last, c = self._window(value)
        inside, whole = (min(max(point - low, Fraction(0)), high - low) for low, high in ((begin, last), (-c, c)))
        return (whole / self.root + inside * (self.root - 1 / self.root)) / (2 * c)

    def share_in(self, other: FamilyRandomizer) -> Fraction:
        if not isinstance(other, PiecewiseRandomizer) or other.root > self.root:
            return super(PiecewiseRandomizer, self).share_in(other)
        low, high = (one.root * (one.root - 1) / (one.root + 1) for one in (other, self))
        return low / high

    @property
    def places(self) -> tuple[Fraction, Fraction, Fraction]:
        return Fraction(-1), Fraction(1), 2 / self.root

    def steps(self, inputs: Sequence[Fraction]) -> Iterator[tuple[Fraction, ...]]:
        share = 1 / (self.root + 1)
        starts = [(1 - share) * (1 + x) / 2 for x in inputs]
        cuts = sorted({Fraction(0), Fraction(1), *starts, *(start + share for start in starts)})
        for low, high in pairwise(cuts):
            densities = (self.root if start <= low < start + share else 1 / self.root for start in starts)
            yield tuple((high - low) * density for density in densities)


def piecewise(*, exp_eps0: Exact | Real) -> PiecewiseRandomizer:
    """Return the piecewise randomizer: a number from -1 to 1, sent as a number that likely lies in a window around it.

    Args:
        exp_eps0: E = e^eps0, exact and above 1, or irrational as "exp(1)"; its root is rounded down to a multiple of
            2^-53 where it is none, so that eps0 is a little less than asked for.

    Messages are real numbers: delta and eps of ``ShuffleProtocol`` lie between two proved ends. No view is drawn, and
    no table or certificate exists.

    >>> from exactdp import ShuffleProtocol
    >>> ShuffleProtocol(piecewise(exp_eps0=4), 10**5).privacy_profile().delta(exp_eps="101/100")
    Interval[0.00007534385309, 0.00007534474907]

    Source: WangXiaoYangZhaoHuiShinShinYu2019, section 3.2 (as printed in secondary sources).
    """
    return PiecewiseRandomizer(exp_eps0=exp_eps0)
