"""The Poisson law: w(t) / w(t-1) = mu / t falls in t, so it is log-concave."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import perm
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.laws.lattice import Drawn, LatticeLaw, Primitives, as_number, in_symbols
from exactdp.laws.law_balls import EnclosedPoisson
from exactdp.numbers.balls import compare_reals, floor_real
from exactdp.numbers.exact import Exact
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real, read_parameter

_COIN_BITS: Final = 256
"""It is the law of a sum of coins but for 2 to minus so many bits, at most."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Poisson(LatticeLaw):
    """P[Y = t] = e^-mu mu^t / t! for t = 0, 1, 2, ...

    Args:
        mu: at least 0: an exact number, or a Real such as ``16 * Real.log(100)``.

    Probabilities are irrational for mu > 0: enclosed, 1 to 3 ms each at 53 bits and any mu.

    >>> Poisson(10).sf(20), Poisson(10**12).quantile("1/2")
    (Interval[0.001588260661, 0.001588260662], 1000000000000)
    """

    mu: Fraction | Real

    low = 0
    is_log_concave = True
    tail_ratio = None  # (t + 1) / mu grows without bound

    def __init__(self, mu: Exact | Real) -> None:
        value = read_parameter(mu, name="mu")
        if compare_reals(value, Fraction(0)) < 0:
            raise InvalidValueError(f"mu={value} is below 0. Pass a mean of at least 0.")
        set_fields(self, mu=value)

    @property
    def high(self) -> int | None:
        """None: no end; 0 for mu = 0."""
        return 0 if self.mu == 0 else None

    @property
    def mean(self) -> Fraction | Interval:
        """mu."""
        return as_number(self.mu)

    @property
    def variance(self) -> Fraction | Interval:
        """mu."""
        return as_number(self.mu)

    @property
    def size_biased(self) -> Poisson:
        """The law itself: k mu^k / k! = mu mu^(k-1) / (k-1)!."""
        return self

    @property
    def coins(self) -> tuple[int, Fraction, Fraction] | None:
        """So many coins that mu^2/N, which the two laws are at most apart (Le Cam 1960), is below 2^-256."""
        if not isinstance(self.mu, Fraction) or not self.mu:
            return None
        number = 2 ** (_COIN_BITS + 2 * int(self.mu).bit_length())
        return number, self.mu / number, self.mu**2 / number

    @property
    def mode(self) -> int:
        """floor(mu), a most likely outcome."""
        return floor_real(self.mu)

    @property
    def is_rational(self) -> bool:
        """False, but for mu = 0."""
        return self.high == 0

    @property
    def enclosed(self) -> EnclosedPoisson | None:
        """The law in balls."""
        return None if self.high == 0 else EnclosedPoisson(as_real(self.mu, name="mu"))

    def is_shared_by(self, users: int) -> bool:
        """True: the sum of ``users`` shares Poisson(mu / users)."""
        return True

    def _in_symbols(self, k: Any) -> Any:
        """Return mu^k e^-mu / k! in SymPy."""
        from sympy import exp, factorial

        mu = in_symbols(self.mu)
        return mu**k * exp(-mu) / factorial(k)

    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u) = mu^(t-u) u! / t!."""
        if t < u:
            return Real(1) / self.ratio(u, t)
        return as_real(self.mu, name="mu") ** (t - u) / perm(t, t - u)

    def _exact_pmf(self, k: int) -> Fraction:
        """Return P[Y = k] for mu = 0."""
        return Fraction(k == 0) if self.is_rational else self._refuse_exact()

    def _exact_cdf(self, k: int) -> Fraction:
        """Return P[Y <= k] for mu = 0."""
        return Fraction(k >= 0) if self.is_rational else self._refuse_exact()

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law."""
        return source.numpy("poisson", mu=self.mu)
