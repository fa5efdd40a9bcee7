"""The swap bound in the mean over the number of users, where that is random.

*Convex.* Let G(k) be the swap bound beside k others who run one randomizer, without an own slot, at one tilt,
smoothing, step and T given up, as a function of real k: a sum of functions M^k/k and constants, so convex, and a
largest one of such, over pairs of inputs and over what the others hold. It falls, as k grows, where M <= 1, which is
not needed. Odd k, for which Poisson's summation says nothing, lie below the mean of their neighbours, as the integral
does, which is convex as well. So the mean of G is above that of the divergence with the worst others at every k.

*Knots.* G is replaced by its chords between knots k_0 < ... < k_m, constant beyond k_m, because divergences fall, or
stay, as users are added; and below k_0 by a line of slope -H, which is above H: divergences are at most H. A polygon is
G(k_m) plus a sum of (k_i - k)+ times the changes of slope. With K = Y - less,

    E (k - K)+ = E (j - Y)+ = j P[Y <= j - 1] - E[Y] P[Y* - 1 <= j - 2],        j = k + less,

where Y* has the law j P[Y = j] / E[Y]: Y* - 1 is binomial with a coin less, Poisson with the same mean, and negative
binomial with r + 1. What chords leave open is of the second order in the distance of the knots: a thousandth of delta
for knots a deviation apart.

Source: BalleBellGasconNissim2019, Lemma 5.3 (a random number of users of the blanket).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import isqrt
from operator import attrgetter
from typing import Final

from flint import arb

from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import interval_of, precision, rational_ball, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound, Majorant
from exactdp.privacy.amplification.swap_bound import AtPlan, PairBound, enclosed_by
from exactdp.privacy.amplification.swap_choices import Plan, choose

_QUICK_BITS: Final = 64
"""Precision of bounds that only exclude, beyond what many users cost."""

_COARSE_BITS: Final = 8
"""Bits that are kept of them."""

_KNOTS: Final = (-36, -24, -16, -12, -9, -7, -5, -4, -3, -2, -1, 0, 1, 2, 3, 5)
"""Knots in standard deviations from the mean of K; far below it where delta is tiny and only few users tell."""

_NEAR_KNOTS: Final = 12
"""So many are within nine deviations of the mean."""

_LEAST_KNOTS: Final = 6
"""With fewer of them the bound is of no use."""

_SHARE_BITS: Final = 64
"""Accuracy of probabilities of the law, of which differences are taken."""


class DerivedBound(MadeBound):
    """A bound that says of infinite E what another one says."""

    __slots__ = ()

    @property
    @abstractmethod
    def at_infinity(self) -> tuple[Majorant, int]:
        """The bound that is asked, and for how many users."""

    def limit(self, users: int) -> Fraction:
        """Return the bound at infinite E, or a smaller number."""
        bound, copies = self.at_infinity
        return bound.limit(copies)

    def exceeds_limit(self, users: int) -> bool:
        """Whether the bound is known to be above ``limit`` at every E."""
        bound, copies = self.at_infinity
        return bound.exceeds_limit(copies)

    def settled(self, users: int) -> Fraction:
        """Return an E from which on it is not."""
        bound, copies = self.at_infinity
        return bound.settled(copies)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose the bound at infinite E."""
        bound, copies = self.at_infinity
        return bound.limit_enclosed(copies, relative_bits)

    @property
    def limit_at_most(self) -> Fraction:
        """A number that the bound at infinite E does not exceed."""
        return self.at_infinity[0].limit_at_most


@dataclass(frozen=True)
class MeanBound(DerivedBound):
    """The mean of the swap bound beside a random number of others, K = Y - ``less``."""

    inner: PairBound
    """Without an own slot."""
    law: Law | LatticeLaw
    """That of Y, with a rational mean and a law of Y* - 1 that is known."""
    less: int
    proof: str
    """What proves the bound."""

    def __hash__(self) -> int:
        return hash((self.inner, self.law, self.less))

    @property
    def at_infinity(self) -> tuple[Majorant, int]:
        """What no other user helps."""
        return self.inner.blanket, 1

    @property
    def _usual(self) -> int:
        """About the mean of K."""
        mean = self.law.mean if isinstance(self.law, LatticeLaw) else self.law.mean()
        assert isinstance(mean, Fraction)
        return max(1, int(mean) - self.less)

    @property
    def most_users(self) -> int:
        """About as many users as there may be: what precision depends on."""
        return 2 * self._usual + 2

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound, where floats see a use in it; else enclose a larger number."""
        plan = self._plan(exp_eps)
        if plan is None or not self._serves(plan):
            return self.inner.blanket.alone.divergence(1, exp_eps, relative_bits=relative_bits)
        return enclosed_by(lambda: self._mean(plan, real_ball(exp_eps)), self.most_users, relative_bits)

    def serves(self, exp_eps: Real) -> bool:
        """Whether the number of others has a part in the bound at an E."""
        plan = self._plan(exp_eps)
        return plan is not None and self._serves(plan)

    def _plan(self, exp_eps: Real) -> Plan | None:
        one = self.inner
        return choose(one.rows, None, one.blanket, one.gamma, self._usual + 1, exp_eps, may_own=False)

    def _serves(self, plan: Plan) -> bool:
        return len(self._knots(plan)) >= _LEAST_KNOTS

    def _knots(self, plan: Plan) -> list[int]:
        """Return numbers of others that leave an even number of slots at each stage."""
        middle, deviation = self._usual, isqrt(int(_variance(self.law))) + 1
        knots = dict.fromkeys(middle + 2 * (away * deviation // 2) for away in _KNOTS)
        return [k for k in knots if plan.stages[-1] + 2 <= k + 1]

    def _mean(self, plan: Plan, level: arb) -> arb:
        """E of the polygon."""
        knots = self._knots(plan)
        at = AtPlan(self.inner, plan, knots[-1] + 1, level)
        values = [one.bound() for one in at.beside(knots)]
        slopes = [(one - other) / (b - a) for (a, one), (b, other) in pairwise(zip(knots, values, strict=True))]
        falls = [at.alone, *slopes, arb(0)]
        total = values[-1]
        for k, (before, after) in zip(knots, pairwise(falls), strict=True):
            total += (before - after).max(arb(0)) * rational_ball(self._excess(k))
        return total

    def _excess(self, k: int) -> Fraction:
        return shortfall(self.law, k + self.less)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the mean does not exceed: by one knot, without a look at nodes."""
        alone = self.inner.blanket.alone.bound(1, exp_eps)
        plan = self._plan(exp_eps)
        if plan is None or not self._serves(plan):
            return alone
        knot = self._knots(plan)[-_NEAR_KNOTS:][0]
        with precision(_QUICK_BITS + 2 * self.most_users.bit_length()):
            at = AtPlan(self.inner, plan, knot + 1, real_ball(exp_eps))
            rest = at.alone * rational_ball(self._excess(knot))
            return min(alone, interval_of(at.quick_bound() + rest, _COARSE_BITS), key=attrgetter("upper"))

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        return self.inner.log_size(self._usual + 1, exp_eps)

    def theorem(self, users: int, exp_eps: Real) -> str:
        """Return what proves it."""
        return self.proof


def has_shortfall(law: Law | LatticeLaw) -> bool:
    """Whether :func:`shortfall` is known of a law."""
    if isinstance(law, Law):
        return True
    return law.size_biased is not None and isinstance(law.mean, Fraction) and isinstance(law.variance, Fraction)


@lru_cache(maxsize=1024)
def shortfall(law: Law | LatticeLaw, k: int) -> Fraction:
    """Return E (k - Y)+, or slightly more, of a law on the integers from 0 on; the same few are asked for at each E."""
    if isinstance(law, Law):
        return sum((p * (k - y) for y, p in law.items() if y < k), Fraction(0))
    mean, fewer = law.mean, law.size_biased
    assert isinstance(mean, Fraction)
    assert fewer is not None
    bits = _SHARE_BITS + 2 * int(mean + k).bit_length()
    below, less = law.cdf(k - 1, relative_bits=bits), fewer.cdf(k - 2, relative_bits=bits)
    return max(Fraction(0), k * below.upper.fraction() - mean * less.lower.fraction())


def _variance(law: Law | LatticeLaw) -> Fraction:
    if isinstance(law, LatticeLaw):
        assert isinstance(law.variance, Fraction)
        return law.variance
    mean = sum((p * y for y, p in law.items()), Fraction(0))
    return sum((p * (y - mean) ** 2 for y, p in law.items()), Fraction(0))
