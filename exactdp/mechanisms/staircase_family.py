"""The staircase randomizer: a number from 0 to 1 plus noise whose density is a staircase, sent as it is.

With s > 1, s^2 at most e^eps0, b = s^-2 and gamma = 1/(s + 1), the input x is sent as a real number y with the density
a b^j, j the number of steps gamma, gamma + 1, gamma + 2, ... up to abs(y - x), and a = 1/(2 (gamma + b/(1 - b))). As
abs(x - x') <= 1, the numbers of steps of two inputs differ by at most 1 everywhere: alone it is (2 ln s)-DP. The
message is an unbiased estimate of x; with this gamma the mean absolute noise is the least that this eps0 allows.

*Every pair.* Ends of steps of two inputs, on the same side, meet where the inputs differ by an integer, and on opposite
sides where they differ by 2 gamma and an integer; within [0, 1], as 0 < 2 gamma < 1, these are 0, 1 and 2 gamma
(*Steps* in :mod:`exactdp.mechanisms.density_family`). Beyond the first steps of all inputs each further unit has the
masses of the one before, times b.

*The blanket.* c = min(R_0, R_1) is the least of all rows, as the further end is 0 or 1; let g be its mass. For every
pair P/c and Q/c lie between 1 and E0 = 1/b: spread them to the corners (1, 1), (1, E0), (E0, 1), (E0, E0). Of (1, 1)
and (E0, E0) with equal weights under c, (1, E0) and (E0, 1) have the same sum of P - E Q, and are further apart: 1 - E
E0 is at most, and E0 - E at least, both of 1 - E and E0 (1 - E). So nothing of one of the two is left, and as P and Q
have the mass 1, the weights follow from g: w of (1, E0) and of (E0, 1) each, and the rest of (1, 1) if g >= 2/(1 + E0),
else of (E0, E0). The pair (0, 1) has corners alone, and none at (E0, E0), as c is one of its rows: its law beside c is
this one.

*Users with a smaller eps0* have fewer steps up to every distance, as their first one is longer, and their b is larger:
their density is at least a'/a times that of the same input.

Source: GengViswanath2016, section 4 (as printed in secondary sources, the proofs being this page's).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import ClassVar

from exactdp.mechanisms.density_family import StepFamily
from exactdp.mechanisms.family import EstimateSizes, FamilyRandomizer
from exactdp.numbers.exact import Exact
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False)
class StaircaseRandomizer(StepFamily):
    """The staircase randomizer on [0, 1] as a family; the argument is that of ``staircase``.

    >>> StaircaseRandomizer(exp_eps0=4).gamma, StaircaseRandomizer(exp_eps0=4).variance
    (Fraction(1, 3), Fraction(26, 27))
    """

    name: ClassVar[str] = "staircase"

    @property
    def gamma(self) -> Fraction:
        """Half the length of the first step."""
        return 1 / (self.root + 1)

    @property
    def variance(self) -> Fraction:
        """Of the noise, which is that of the message, whose mean is the input."""
        b, g = 1 / self.root**2, self.gamma - 1
        sums = b / (1 - b), b / (1 - b) ** 2, b * (1 + b) / (1 - b) ** 3  # of b^j, j b^j and j^2 b^j
        steps = sums[2] + (2 * g + 1) * sums[1] + (g**2 + g + Fraction(1, 3)) * sums[0]
        return 2 * self._highest * (self.gamma**3 / 3 + steps)

    @property
    def estimate_sizes(self) -> EstimateSizes:
        """Whatever the input is, X is the noise: E abs(X)^3 adds up a b^j/2 (w^4 - (w - 1)^4) over w = gamma + j."""
        b, w = 1 / self.root**2, self.gamma
        s0, s1, s2 = b / (1 - b), b / (1 - b) ** 2, b * (1 + b) / (1 - b) ** 3
        s3 = b * (1 + 4 * b + b**2) / (1 - b) ** 4  # of j^3 b^j
        cubes, squares, firsts = s3 + 3 * w * s2 + 3 * w**2 * s1 + w**3 * s0, s2 + 2 * w * s1 + w**2 * s0, s1 + w * s0
        third = self._highest / 2 * (w**4 + 4 * cubes - 6 * squares + 4 * firsts - s0)
        return EstimateSizes(self.variance, self.variance, None, third / self.variance)

    def cuts(self, inputs: Sequence[Fraction]) -> tuple[Fraction, ...]:
        ends = {place + sign * (self.gamma + k) for place in inputs for sign in (-1, 1) for k in range(2)}
        return tuple(sorted(ends))

    def below(self, value: Fraction, point: Fraction, bits: int) -> Fraction:
        b, distance = 1 / self.root**2, abs(point - value)
        steps = floor(distance + 1 - self.gamma)
        last = self.gamma + steps  # where the step ends
        beyond = self._highest * b**steps * (last - distance + b / (1 - b))
        return beyond if point <= value else 1 - beyond

    def share_in(self, other: FamilyRandomizer) -> Fraction:
        if not isinstance(other, StaircaseRandomizer) or other.root > self.root:
            return super(StaircaseRandomizer, self).share_in(other)
        return other._highest / self._highest

    @property
    def places(self) -> tuple[Fraction, Fraction, Fraction]:
        return Fraction(0), Fraction(1), 2 * self.gamma

    @property
    def _highest(self) -> Fraction:
        b = 1 / self.root**2
        return 1 / (2 * (self.gamma + b / (1 - b)))

    def steps(self, inputs: Sequence[Fraction]) -> Iterator[tuple[Fraction, ...]]:
        b, gamma = 1 / self.root**2, self.gamma
        low, high = min(inputs) - gamma, max(inputs) + gamma
        ends = {place + sign * (gamma + k) for place in inputs for sign in (-1, 1) for k in range(3)}
        cuts = sorted({low - 1, low, high, high + 1, *(end for end in ends if low - 1 < end < high + 1)})
        for start, end in pairwise(cuts):
            middle, is_inside = (start + end) / 2, low <= start < high
            mass = (end - start) * self._highest / (1 if is_inside else 1 - b)
            yield tuple(mass * b ** floor(abs(middle - place) + 1 - gamma) for place in inputs)


def staircase(*, exp_eps0: Exact | Real) -> StaircaseRandomizer:
    """Return the staircase randomizer: a number from 0 to 1 plus noise with the least mean absolute value for its eps0.

    Args:
        exp_eps0: E = e^eps0, exact and above 1, or irrational as "exp(1)"; its root is rounded down to a multiple of
            2^-53 where it is none, so that eps0 is a little less than asked for.

    Messages are real numbers: delta and eps of ``ShuffleProtocol`` lie between two proved ends. No view is drawn, and
    no table or certificate exists.

    >>> from exactdp import ShuffleProtocol
    >>> ShuffleProtocol(staircase(exp_eps0=4), 10**5).privacy_profile().delta(exp_eps="101/100")
    Interval[0.00004593066827, 0.00004598323769]

    Source: GengViswanath2016, section 4 (as printed in secondary sources).
    """
    return StaircaseRandomizer(exp_eps0=exp_eps0)
