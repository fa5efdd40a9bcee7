"""Draws of the noise laws: each law's parameters as floats, and NumPy's generator for it.

What NumPy draws is exact but for the rounding of its floats: that is why nothing is proved here. A parameter that is
no float is refused, or replaced by the nearest float where that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, inf, sqrt
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real

Counts: TypeAlias = NDArray[np.int64]
Draw: TypeAlias = Callable[[np.random.Generator, int], Counts]
"""Draws so many numbers of one law."""

MAX_COUNT: Final = 2**53
"""Largest number of trials, and largest mean of a law without an end."""

_LARGEST: Final = 2**1000
"""Parameters beyond this are no floats here."""

_MAX_TOTAL: Final = 2**63
"""Finite laws with a longer denominator are drawn from rounded weights."""


def draw_noise(noise: Law | LatticeLaw, *, nearest: bool) -> Draw:
    """Return the function that draws ``size`` independent values of the noise with a generator.

    Args:
        noise: a finite law on integers or a lattice law.
        nearest: take the nearest float of a parameter that is none; else it is refused.

    Raises:
        InvalidValueError: for a parameter that no float holds.
        TooLargeError: for more than 2^53 trials, and means above 2^53.
    """
    law = noise.lattice
    return _finite(noise.law(), nearest) if law is None else law.drawn(_Generators(law, nearest))


@dataclass(frozen=True)
class _Generators:
    """NumPy's generators, for the parameters of one law as floats."""

    noise: LatticeLaw
    nearest: bool

    def binomial(self, n: int, p: Fraction, name: str = "p") -> Draw:
        self.check(n <= MAX_COUNT, f"has n={n}, more than the limit of 2^53. Use fewer users.")
        chance = self.value(p, name)
        return lambda rng, size: rng.binomial(n, chance, size)

    def geometric(self, p: Fraction | Real, name: str = "p") -> Draw:
        return _geometric(self.value(p, name))

    def negative_binomial(self, r: Fraction | Real, p: Fraction | Real) -> Draw:
        size_r, ratio = self.value(r, "r"), self.value(p, "p")
        self.check_mean(size_r * ratio / (1 - ratio))
        return lambda rng, size: rng.negative_binomial(size_r, 1 - ratio, size) if ratio else np.zeros(size, np.int64)

    def numpy(self, method: str, **parameters: int | Fraction | Real) -> Draw:
        values = [p if isinstance(p, int) else self.value(p, name) for name, p in parameters.items()]
        ends = (end for end in (self.noise.low, self.noise.high) if end is not None)
        far = max(ends, key=abs, default=0)
        self.check(abs(far) <= MAX_COUNT, f"can be {short(far)}, beyond the limit of 2^53. Use less noise.")
        self.check_mean(float(self.noise.mean))
        return lambda rng, size: getattr(rng, method)(*values, size=size)

    def discrete_gaussian(self, sigma_squared: Fraction) -> Draw:
        variance = self.value(sigma_squared, "sigma_squared")
        limit = f"has the variance {variance:.3g}, more than the limit of 2^106. Use less noise."
        self.check(variance <= MAX_COUNT**2, limit)
        return _discrete_gaussian(variance)

    def plus(self, first: Draw, second: Draw) -> Draw:
        return lambda rng, size: first(rng, size) + second(rng, size)

    def minus(self, first: Draw, second: Draw) -> Draw:
        return lambda rng, size: first(rng, size) - second(rng, size)

    def value(self, parameter: Fraction | Real, name: str) -> float:
        """Return the parameter as a float."""
        if isinstance(parameter, Fraction):
            number, shown = parameter, short(parameter)
        else:
            enclosed = enclose_real(parameter, relative_bits=64)
            number, shown = enclosed.lo, str(parameter)
        near = float(number) if abs(number) <= _LARGEST else inf
        if near == number and isinstance(parameter, Fraction):
            return near
        if not self.nearest:
            raise InvalidValueError(
                f"{name}={shown} of {self.noise!r} is not a float, so that the noise drawn is not this law's. "
                "Round it to a multiple of 2^-53, or take the nearest float: nearest=True, or --nearest."
            )
        if near in (0, inf) or (near == 1 and name in ("p", "p1", "p2", "1/exp_eps")):
            raise InvalidValueError(
                f"{name}={shown} of {self.noise!r} is no float, and the nearest is {near:.0f}, where this is another "
                "law. Use a parameter that is farther from it."
            )
        return near

    def check_mean(self, mean: float) -> None:
        """Refuse a mean that an integer of NumPy may not hold."""
        self.check(mean <= MAX_COUNT, f"has the mean {mean:.3g}, more than the limit of 2^53. Use less noise.")

    def check(self, holds: bool, limit: str) -> None:
        """Refuse the noise unless a limit is kept."""
        if not holds:
            raise TooLargeError(f"{self.noise!r} {limit}")


def _geometric(p: float) -> Draw:
    """P(t) = (1-p) p^t for t >= 0."""
    return lambda rng, size: rng.geometric(1 - p, size) - 1


def _finite(law: Law, nearest: bool) -> Draw:
    """Invert the distribution function at a uniform integer: exact up to the limit of 64-bit integers."""
    if far := [value for value in law.weights if abs(value) > MAX_COUNT]:
        raise TooLargeError(f"the noise can be {short(far[0])}, beyond the limit of 2^53. Use less noise.")
    values = np.array(list(law.weights), np.int64)
    if law.total < _MAX_TOTAL:
        ends = np.cumsum(np.array(list(law.weights.values()), np.uint64)).astype(np.int64)
        return lambda rng, size: values[np.searchsorted(ends, rng.integers(law.total, size=size), side="right")]
    if not nearest:
        raise InvalidValueError(
            f"the noise has a denominator of {law.total.bit_length()} bits, more than the 63 that are drawn exactly. "
            "Take the law with the nearest floats: nearest=True, or --nearest."
        )
    weights = np.array([float(Fraction(weight, law.total)) for weight in law.weights.values()])
    return lambda rng, size: rng.choice(values, size=size, p=weights / weights.sum())


def _discrete_gaussian(variance: float) -> Draw:
    """Reject from a discrete Laplace law of about the same width; about every second draw is kept.

    Source: CanonneKamathSteinke2020, Algorithm 3.
    """
    width = floor(sqrt(variance)) + 1
    proposal = _geometric(exp(-1 / width))

    def draw(rng: np.random.Generator, size: int) -> Counts:
        drawn = np.empty(size, np.int64)
        filled = 0
        while filled < size:
            wanted = 2 * (size - filled) + 16
            value = proposal(rng, wanted) - proposal(rng, wanted)
            with np.errstate(over="ignore", under="ignore"):  # far from the middle everything is refused
                bound = np.exp(-((np.abs(value) - variance / width) ** 2) / (2 * variance))
            kept = value[rng.random(wanted) < bound][: size - filled]
            drawn[filled : filled + len(kept)] = kept
            filled += len(kept)
        return drawn

    return draw
