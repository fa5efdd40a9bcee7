"""The discrete Laplace law, or two-sided geometric law: weights proportional to a^abs(t), a = 1 / exp_eps.

w(t) / w(t-1) is 1/a up to t = 0 and a from t = 1 on: it never rises, so the law is log-concave, and a count of
sensitivity 1 plus this noise is exactly eps-DP.

Source: GhoshRoughgardenSundararajan2012, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.errors import InvalidValueError
from exactdp.laws.lattice import Drawn, LatticeLaw, Primitives, as_number, in_symbols
from exactdp.laws.law_balls import EnclosedDiscreteLaplace
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.exact import Exact
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real, read_parameter


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DiscreteLaplace(LatticeLaw):
    """P[Y = t] = (1 - a) / (1 + a) a^abs(t) for all integers t, with a = 1 / exp_eps.

    Args:
        exp_eps: e^eps above 1: an exact number, or a Real such as ``Real.exp("1/5")``.

    Exact where exp_eps is rational, enclosed otherwise.

    >>> DiscreteLaplace(2).exact_sf(0), DiscreteLaplace(Real.exp("1/5")).sf(10**4)
    (Fraction(1, 3), Interval[1.159868854e-869, 1.159868855e-869])
    """

    exp_eps: Fraction | Real

    low = high = None
    mode = 0
    mean = exact_answer(Fraction(0))
    is_log_concave = is_symmetric = has_constant_ratios = True

    def __init__(self, exp_eps: Exact | Real) -> None:
        value = read_parameter(exp_eps, name="exp_eps")
        if compare_reals(value, Fraction(1)) <= 0:
            raise InvalidValueError(f"exp_eps={value} is not above 1. Pass e^eps of an eps above 0.")
        set_fields(self, exp_eps=value)

    @property
    def variance(self) -> Fraction | Interval:
        """2 a / (1 - a)^2."""
        return as_number(2 * self.exp_eps / ((self.exp_eps - 1) * (self.exp_eps - 1)))

    @property
    def tail_ratio(self) -> Real:
        """exp_eps."""
        return as_real(self.exp_eps, name="exp_eps")

    @property
    def is_rational(self) -> bool:
        """Whether exp_eps is rational."""
        return isinstance(self.exp_eps, Fraction)

    @property
    def enclosed(self) -> EnclosedDiscreteLaplace:
        """The law in balls."""
        return EnclosedDiscreteLaplace(self.tail_ratio)

    @property
    def pure_exp_eps(self) -> Real:
        """exp_eps."""
        return self.tail_ratio

    def exact_bits(self, k: int) -> int:
        """Return abs(k) + 1 times the bits of exp_eps; 1 where it is irrational."""
        return (abs(k) + 1) * self.exp_eps.numerator.bit_length() if isinstance(self.exp_eps, Fraction) else 1

    def _in_symbols(self, k: Any) -> Any:
        """Return (E - 1) / (E + 1) E^-abs(k) in SymPy, with E = exp_eps."""
        base = in_symbols(self.exp_eps)
        return (base - 1) / (base + 1) * base ** -abs(k)

    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u) = exp_eps^(abs(u) - abs(t))."""
        return self.tail_ratio ** (abs(u) - abs(t))

    def _exact_pmf(self, k: int) -> Fraction:
        """Return P[Y = k] for a rational exp_eps."""
        a, power = self._power(abs(k))
        return (1 - a) / (1 + a) * power

    def _exact_cdf(self, k: int) -> Fraction:
        """Return P[Y <= k] for a rational exp_eps."""
        return self._exact_sf(-k - 1)

    def _exact_sf(self, k: int) -> Fraction:
        """Return P[Y > k] for a rational exp_eps."""
        a, power = self._power(k + 1 if k >= 0 else -k)
        return power / (1 + a) if k >= 0 else 1 - power / (1 + a)

    def _power(self, times: int) -> tuple[Fraction, Fraction]:
        """Return a and a^times."""
        if not isinstance(self.exp_eps, Fraction):
            self._refuse_exact()
        a = 1 / self.exp_eps
        self._check_bits(times * a.denominator.bit_length())
        return a, a**times

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law."""
        one = source.geometric(1 / self.exp_eps, "1/exp_eps")
        return source.minus(one, one)
