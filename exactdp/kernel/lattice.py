"""Noise laws on the integers as ball programs: weights and tails at any size, to any relative accuracy.

A tail of Bin(n, p) is a regularized incomplete beta function, P[Y <= k] = I_{1-p}(n-k, k+1), whose ball carries a
proved error bound at any n.

A program gives balls at whatever precision is set. Only the functions below the programs are for other rooms: they
raise the precision until the accuracy asked for is reached, and let nothing but Intervals out.

Source: Johansson2017, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb

from exactdp.kernel.balls import enclosed, rational_ball, real_ball
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

__all__ = [
    "BinomialProgram",
    "Program",
    "enclose_half_line",
    "enclose_pmf",
    "enclose_tail",
]

_FEW_WEIGHTS = 16
"""So many weights are added one by one rather than as a difference of tails."""


class Program(Protocol):
    """A law; for ``pmf``, k is inside its support."""

    @property
    def lost_bits(self) -> int:
        """Bits of accuracy that large parameters cost, roughly."""
        ...

    def holds(self, k: int) -> bool:
        """Whether k is in the support."""
        ...

    def pmf(self, k: int) -> arb:
        """P[Y = k]."""
        ...

    def cdf(self, k: int) -> arb:
        """P[Y <= k]."""
        ...

    def sf(self, k: int) -> arb:
        """P[Y > k]."""
        ...


@dataclass(frozen=True, slots=True)
class BinomialProgram:
    """Bin(n, p) with 0 < p < 1."""

    n: int
    p: Fraction

    @property
    def lost_bits(self) -> int:
        return self.n.bit_length()

    def holds(self, k: int) -> bool:
        return 0 <= k <= self.n

    def pmf(self, k: int) -> arb:
        choose = arb(self.n + 1).lgamma() - arb(k + 1).lgamma() - arb(self.n - k + 1).lgamma()
        p = rational_ball(self.p)
        return (choose + k * p.log() + (self.n - k) * (-p).log1p()).exp()

    def cdf(self, k: int) -> arb:
        if not 0 <= k < self.n:
            return arb(k >= 0)
        return rational_ball(1 - self.p).beta_lower(arb(self.n - k), arb(k + 1), regularized=True)

    def sf(self, k: int) -> arb:
        if not 0 <= k < self.n:
            return arb(k < 0)
        return rational_ball(self.p).beta_lower(arb(k + 1), arb(self.n - k), regularized=True)


def enclose_pmf(program: Program, k: int, relative_bits: int) -> Interval:
    """Enclose P[Y = k] for k inside the support."""
    return enclosed(lambda: program.pmf(k), relative_bits, lost_bits=program.lost_bits)


def enclose_tail(program: Program, k: int, relative_bits: int, *, upper: bool) -> Interval:
    """Enclose P[Y > k] (``upper``) or P[Y <= k], where neither is 0."""
    return enclosed(lambda: program.sf(k) if upper else program.cdf(k), relative_bits, lost_bits=program.lost_bits)


def enclose_half_line(program: Program, end: int, shift: int, exp_eps: Real, relative_bits: int) -> Interval:
    """Enclose P[Y <= end] - E P[Y + shift <= end], which must not be 0, for an ``end`` inside the support."""

    def difference() -> arb:
        smaller, order = program.cdf(end - shift), real_ball(exp_eps)
        if shift > _FEW_WEIGHTS:
            return program.cdf(end) - order * smaller
        between = sum((program.pmf(t) for t in range(end - shift + 1, end + 1) if program.holds(t)), arb(0))
        return between + (1 - order) * smaller

    return enclosed(difference, relative_bits, lost_bits=program.lost_bits + 8)
