"""The negative binomial law and its case r = 1, the geometric law: noise that many users can share.

The sum of n independent NB(r/n, p) counts is NB(r, p). w(t) / w(t-1) = p (r + t - 1) / t tends to p; it falls in t for
r > 1, is constant for r = 1 and rises for r < 1. So the law is log-concave exactly where r >= 1.

Source: GhaziKumarManurangsiPagh2020, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.errors import InvalidValueError, UndecidedError
from exactdp.laws.binomial import Binomial
from exactdp.laws.lattice import Drawn, LatticeLaw, Primitives, as_number, in_symbols
from exactdp.laws.law_balls import EnclosedGeometric, EnclosedNegativeBinomial
from exactdp.numbers.balls import compare_reals, floor_real
from exactdp.numbers.exact import Exact
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real, read_parameter

_LONGEST_PRODUCT = 256


@dataclass(frozen=True, slots=True, init=False, repr=False)
class NegativeBinomial(LatticeLaw):
    """P[Y = t] = C(r + t - 1, t) (1 - p)^r p^t for t = 0, 1, 2, ... (p is not SciPy's p, but 1 less that).

    Args:
        r: above 0: an exact number, or a Real such as ``3 * (1 + Real.log(100))``.
        p: in [0, 1): an exact number, or a Real such as ``Real.exp("-1/5")``.

    Exact for an integer r and a rational p, enclosed otherwise.

    >>> NegativeBinomial(2, "1/2").exact_cdf(1), NegativeBinomial("1/3", "1/2").is_log_concave
    (Fraction(1, 2), False)
    >>> NegativeBinomial(3 * (1 + Real.log(100)), Real.exp("-1/5")).sf(200)
    Interval[0.000004005349587, 0.000004005349588]
    """

    r: Fraction | Real
    p: Fraction | Real

    low = 0

    def __init__(self, r: Exact | Real, p: Exact | Real) -> None:
        size = read_parameter(r, name="r")
        if compare_reals(size, Fraction(0)) <= 0:
            raise InvalidValueError(f"r={size} is not above 0. Pass a positive number.")
        set_fields(self, r=size, p=_ratio_of_weights(p))

    @property
    def high(self) -> int | None:
        """None: no end; 0 for p = 0."""
        return 0 if self.p == 0 else None

    @property
    def mean(self) -> Fraction | Interval:
        """r p / (1 - p)."""
        return as_number(self.r * self.p / (1 - self.p))

    @property
    def variance(self) -> Fraction | Interval:
        """r p / (1 - p)^2."""
        return as_number(self.r * self.p / ((1 - self.p) * (1 - self.p)))

    @property
    def size_biased(self) -> NegativeBinomial:
        """NegativeBinomial(r + 1, p): k C(r + k - 1, k) = r C(r + k - 1, k - 1)."""
        return NegativeBinomial(self.r + 1, self.p)

    @property
    def mode(self) -> int:
        """A most likely outcome: floor(p (r - 1) / (1 - p)) for r > 1, else 0."""
        return max(0, floor_real(self.p * (self.r - 1) / (1 - self.p)))

    @property
    def is_log_concave(self) -> bool:
        """Whether r >= 1 (module docstring), or p = 0, where 0 is the one outcome."""
        return self.high == 0 or compare_reals(self.r, Fraction(1)) >= 0

    @property
    def tail_ratio(self) -> Real | None:
        """1 / p."""
        return None if self.high == 0 else 1 / as_real(self.p, name="p")

    @property
    def is_rational(self) -> bool:
        """Whether r is an integer and p is rational, or p = 0."""
        integral = isinstance(self.r, Fraction) and self.r.denominator == 1
        return self.high == 0 or (integral and isinstance(self.p, Fraction))

    @property
    def enclosed(self) -> EnclosedNegativeBinomial | None:
        """The law in balls."""
        return (
            None if self.high == 0 else EnclosedNegativeBinomial(as_real(self.r, name="r"), as_real(self.p, name="p"))
        )

    def exact_bits(self, k: int) -> int:
        """Return k + r times the bits of the denominator of p; 1 where one of the two is irrational."""
        if not (isinstance(self.p, Fraction) and isinstance(self.r, Fraction)):
            return 1
        return (max(k, 0) + self.r.__ceil__()) * self.p.denominator.bit_length()

    def is_shared_by(self, users: int) -> bool:
        """True: the sum of ``users`` shares NB(r / users, p)."""
        return True

    def _in_symbols(self, k: Any) -> Any:
        """Return C(r+k-1, k) (1-p)^r p^k in SymPy."""
        from sympy import factorial, rf

        r, p = in_symbols(self.r), in_symbols(self.p)
        return rf(r, k) / factorial(k) * (1 - p) ** r * p**k

    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u) = p^(t-u) (r+u) ... (r+t-1) / ((u+1) ... t) for u <= t."""
        if t < u:
            return 1 / self.ratio(u, t)
        if t - u > _LONGEST_PRODUCT and isinstance(self.r, Real):
            raise UndecidedError(
                f"w({t}) / w({u}) of {self!r} is a product of {t - u} irrational factors, too many. Use a rational r."
            )
        product = as_real(self.p, name="p") ** (t - u)
        for i in range(u, t):
            product = product * ((self.r + i) / (i + 1))
        return product

    def _exact_pmf(self, k: int) -> Fraction:
        """Return P[Y = k] for an integer r and a rational p."""
        if k < 0:
            return Fraction(0)
        r, p = self._exact_parameters(k)
        return Binomial(k + r, p).exact_pmf(k) * Fraction(r, k + r)

    def _exact_cdf(self, k: int) -> Fraction:
        """Return P[Y <= k] = P[Bin(k + r, p) <= k] for an integer r and a rational p."""
        if k < 0:
            return Fraction(0)
        r, p = self._exact_parameters(k)
        return Binomial(k + r, p).exact_cdf(k)

    def _exact_parameters(self, k: int) -> tuple[int, Fraction]:
        if not (self.is_rational and isinstance(self.p, Fraction)):
            self._refuse_exact()
        r = self.r.numerator if self.p and isinstance(self.r, Fraction) else 1  # p = 0: the one outcome 0 for any r
        self._check_bits((k + r) * self.p.denominator.bit_length())
        return r, self.p

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law."""
        return source.negative_binomial(self.r, self.p)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Geometric(LatticeLaw):
    """P[Y = t] = (1 - p) p^t for t = 0, 1, 2, ... (p is not SciPy's p, and the support begins at 0).

    Args:
        p: in [0, 1): an exact number, or a Real such as ``Real.exp("-1/5")``.

    Exact for a rational p, enclosed otherwise. The ratio of neighbouring weights is constant: log-concave.

    >>> Geometric("1/2").exact_sf(3), Geometric(Real.exp("-1/5")).mean
    (Fraction(1, 16), Interval[4.516655566, 4.516655567])
    """

    p: Fraction | Real

    low = mode = 0
    is_log_concave = has_constant_ratios = True

    def __init__(self, p: Exact | Real) -> None:
        set_fields(self, p=_ratio_of_weights(p))

    @property
    def high(self) -> int | None:
        """None: no end; 0 for p = 0."""
        return 0 if self.p == 0 else None

    @property
    def mean(self) -> Fraction | Interval:
        """p / (1 - p)."""
        return as_number(self.p / (1 - self.p))

    @property
    def variance(self) -> Fraction | Interval:
        """p / (1 - p)^2."""
        return as_number(self.p / ((1 - self.p) * (1 - self.p)))

    @property
    def tail_ratio(self) -> Real | None:
        """1 / p."""
        return None if self.high == 0 else 1 / as_real(self.p, name="p")

    @property
    def is_rational(self) -> bool:
        """Whether p is rational."""
        return isinstance(self.p, Fraction)

    @property
    def enclosed(self) -> EnclosedGeometric | None:
        """The law in balls."""
        return None if self.high == 0 else EnclosedGeometric(as_real(self.p, name="p"))

    def exact_bits(self, k: int) -> int:
        """Return k + 1 times the bits of the denominator of p; 1 where it is irrational."""
        return (max(k, 0) + 1) * self.p.denominator.bit_length() if isinstance(self.p, Fraction) else 1

    def is_shared_by(self, users: int) -> bool:
        """True: the sum of ``users`` shares NB(1 / users, p)."""
        return True

    def _in_symbols(self, k: Any) -> Any:
        """Return (1-p) p^k in SymPy."""
        p = in_symbols(self.p)
        return (1 - p) * p**k

    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u) = p^(t-u)."""
        return as_real(self.p, name="p") ** (t - u)

    def _exact_pmf(self, k: int) -> Fraction:
        """Return P[Y = k] for a rational p."""
        if k < 0:
            return Fraction(0)
        return self._power(k) - self._power(k + 1)

    def _exact_cdf(self, k: int) -> Fraction:
        """Return P[Y <= k] for a rational p."""
        return 1 - self._exact_sf(k)

    def _exact_sf(self, k: int) -> Fraction:
        """Return P[Y > k] for a rational p."""
        return self._power(k + 1) if k >= 0 else Fraction(1)

    def _power(self, times: int) -> Fraction:
        if not isinstance(self.p, Fraction):
            self._refuse_exact()
        self._check_bits(times * self.p.denominator.bit_length())
        return self.p**times

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law."""
        return source.geometric(self.p)


def _ratio_of_weights(p: Exact | Real) -> Fraction | Real:
    value = read_parameter(p, name="p")
    if compare_reals(value, Fraction(0)) < 0 or compare_reals(value, Fraction(1)) >= 0:
        raise InvalidValueError(f"p={value} is outside [0, 1). Pass the limit of P[Y = t + 1] / P[Y = t].")
    return value
