"""The noise of zsum's theorem from its formula, and data sets on which one alpha fails for many bins.

An alpha that is right for one bin, P[error > alpha] <= delta^25, is wrong for many: K > n alpha users in each of
floor(n/K) bins (proofs/histogram.py, "Uncorrected"). The first instances in the order of their searches stand here, at
eps = 1 and delta = 1/2: for the least such alpha, and for the theorem's own.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, comb, floor
from typing import Final, NamedTuple

from exactdp import Binomial, ExactDPError, Real
from exactdp.numbers.balls import enclose_real
from exactdp.proofs.zsum_accuracy import DEVIATION
from exactdp.protocols.zsum_and_histogram import zsum_theorem
from exactdp.studies.counterexamples.search import search

DELTA: Final = Fraction(1, 2)
"""The delta of the instances."""
_GRID: Final = 2**53
"""gamma is a multiple of 1 over this."""


def _ceiling(value: Real) -> int:
    """The least integer of at least this irrational number."""
    low, high = (ceil(end) for end in _ends(value))
    if low != high:
        raise ExactDPError(f"value={value!r} is too close to an integer. Enclose it with more bits.")
    return low


def _ends(value: Real) -> tuple[Fraction, Fraction]:
    enclosure = enclose_real(value, relative_bits=200)
    return enclosure.lo, enclosure.hi


def noise(n: int, delta: Fraction) -> Fraction:
    """gamma = 50 ln(2/delta)/n at eps = 1, rounded up to a multiple of 2^-53, where n >= 100 ln(2/delta).

    Evaluated here from the definition, and compared with what the package computes.
    """
    level = Real.log(2 / delta)
    least, gamma = _ceiling(100 * level), Fraction(_ceiling(50 * level * Fraction(_GRID, n)), _GRID)
    for name, own, bound in (
        ("least n", least, zsum_theorem.zsum_least_n(eps=1, delta=delta)),
        ("gamma", gamma, zsum_theorem.zsum_rounded_gamma(n, eps=1, delta=delta)),
    ):
        if own != bound:
            raise ExactDPError(
                f"the theorem's {name} at n={n}, eps=1, delta={delta} is {own} by its formula, and {bound} by "
                "exactdp.bounds. One of the two is wrong."
            )
    return gamma


class Instance(NamedTuple):
    """Each of m bins has K users, K > n alpha, and errs by more than alpha with a probability above ``one_bin``."""

    n: int
    gamma: Fraction
    alpha: Fraction
    users_per_bin: int
    bins: int
    one_bin: Fraction

    @property
    def failure(self) -> Fraction:
        """A lower bound of the probability that some bin errs: qm/(1 + qm), as (1 - q)^m <= e^-qm <= 1/(1 + qm)."""
        expected = self.one_bin * self.bins
        return expected / (1 + expected)


def _least_reach(n: int, gamma: Fraction) -> int:
    """The least K with P[W >= K] <= delta^25: an error of (K - 1)/n is right for one bin, at every beta > delta^25."""
    silent, whole = gamma.numerator, gamma.denominator
    reach, tail, most = n + 1, 0, floor(whole**n * DELTA**25)
    while (tail := tail + comb(n, reach - 1) * silent ** (reach - 1) * (whole - silent) ** (n - reach + 1)) <= most:
        reach -= 1
    return reach


def _one_bin(n: int) -> Instance:
    gamma = noise(n, DELTA)
    reach = _least_reach(n, gamma)
    tail = Binomial(n, gamma).exact_sf(reach - 1)
    return Instance(n, gamma, Fraction(reach - 1, n), reach, n // reach, Fraction(floor(tail * 2**60), 2**60))


@cache
def one_bin_instance() -> Instance:
    """Return the first n at which the least alpha of one bin fails for floor(n/K) bins of K users; eps = 1."""
    least = zsum_theorem.zsum_least_n(eps=1, delta=DELTA)
    return _one_bin(**search(lambda n: _one_bin(n).failure <= DELTA**25, n=range(least, 3 * least)).least)


def _theorem(bits: int) -> Instance:
    n = 2**bits
    gamma = noise(n, DELTA)
    alpha = gamma * (1 + DEVIATION)
    reach = floor(n * alpha) + 1
    tail = Binomial(n, gamma).sf(reach - 1).lo if reach <= n else Fraction(0)
    return Instance(n, gamma, alpha, reach, n // reach, Fraction(floor(tail * 2**120), 2**120))


@cache
def theorem_instance() -> Instance:
    """Return the first power of two n at which gamma (1 + 1.2808 eps), right for one bin, fails so; eps = 1."""
    return _theorem(**search(lambda bits: _theorem(bits).failure <= DELTA**25, bits=range(8, 60)).least)
