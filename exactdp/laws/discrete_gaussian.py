"""The discrete Gaussian law: weights proportional to e^(-t^2 / (2 sigma^2)) on all integers.

w(t) / w(t-1) = e^((1 - 2t) / (2 sigma^2)) falls in t, so it is log-concave. It is even, with mean 0. Its variance is a
little below sigma^2.

Source: CanonneKamathSteinke2020, Definition 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.errors import InvalidValueError
from exactdp.laws.lattice import Drawn, LatticeLaw, Primitives, in_symbols
from exactdp.laws.law_balls import EnclosedDiscreteGaussian, enclose_gaussian_variance
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DiscreteGaussian(LatticeLaw):
    """P[Y = t] = e^(-t^2 / (2 s)) / Z for all integers t, with s = ``sigma_squared``.

    Args:
        sigma_squared: exact, above 0.

    Probabilities are irrational: enclosed, about 2 ms each at 53 bits and any sigma_squared.

    >>> DiscreteGaussian(4).sf(3), DiscreteGaussian(10**20).quantile("1/1000000")
    (Interval[0.03848760642, 0.03848760643], -47534243088)
    """

    sigma_squared: Fraction

    low = high = None
    mode = 0
    mean = exact_answer(Fraction(0))
    is_log_concave = is_symmetric = True
    is_rational = False
    tail_ratio = None  # e^((2t + 1) / (2 sigma^2)) grows without bound

    def __init__(self, sigma_squared: Exact) -> None:
        value = as_fraction(sigma_squared, name="sigma_squared")
        if value <= 0:
            raise InvalidValueError(f"sigma_squared={short(value)} is not above 0. Pass a positive number.")
        set_fields(self, sigma_squared=value)

    @property
    def variance(self) -> Interval:
        """The variance, of 53 bits."""
        return enclose_gaussian_variance(self.sigma_squared, DEFAULT_RELATIVE_BITS)

    @property
    def enclosed(self) -> EnclosedDiscreteGaussian:
        """The law in balls."""
        return EnclosedDiscreteGaussian(self.sigma_squared)

    @property
    def loss_scale(self) -> Fraction:
        """ln(w(t) / w(t-s)) = (s^2 - 2 s t) / (2 sigma^2)."""
        return self.sigma_squared

    def _in_symbols(self, k: Any) -> Any:
        """Return e^(-k^2/(2 sigma^2)) over the sum of all of them in SymPy."""
        from sympy import Dummy, Sum, exp, oo

        i, twice = Dummy("i", integer=True), 2 * in_symbols(self.sigma_squared)
        return exp(-(k**2) / twice) / (1 + 2 * Sum(exp(-(i**2) / twice), (i, 1, oo)))

    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u) = e^((u^2 - t^2) / (2 sigma^2))."""
        return Real(1, exponent=(u * u - t * t) / (2 * self.sigma_squared))

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law."""
        return source.discrete_gaussian(self.sigma_squared)
