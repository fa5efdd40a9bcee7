"""The discrete uniform law: equal weights on the integers from one to another.

w(t) / w(t-1) = 1 throughout, so it is log-concave. Moved by s it differs from itself only at the two ends: one law
against the other gives min(1, s / N) for N outcomes, at every eps.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.laws.lattice import Drawn, LatticeLaw, Primitives, in_symbols
from exactdp.laws.law_balls import EnclosedDiscreteUniform
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.exact import as_integer
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

_LISTED: Final = 1000
"""Up to so many outcomes plain Python lists all weights in a moment."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class DiscreteUniform(LatticeLaw):
    """P[Y = t] = 1 / (high - low + 1) for t = low, ..., high.

    Args:
        low: the least outcome, an integer.
        high: the greatest outcome, an integer of at least ``low``.

    Exact at any size.

    >>> die = DiscreteUniform(1, 6)
    >>> die.exact_sf(4), die.mean, die.variance, die.quantile("1/3")
    (Fraction(1, 3), Fraction(7, 2), Fraction(35, 12), 2)
    """

    low: int
    high: int

    is_log_concave = is_rational = is_symmetric = is_uniform = True
    tail_ratio = None

    def __init__(self, low: int, high: int) -> None:
        set_fields(self, low=as_integer(low, name="low"), high=as_integer(high, name="high"))
        if self.low > self.high:
            raise InvalidValueError(f"low={short(self.low)} is above high={short(self.high)}. Swap the two.")

    @property
    def _size(self) -> int:
        return self.high - self.low + 1

    @property
    def mode(self) -> int:
        """A most likely outcome, as all are: one in the middle."""
        return (self.low + self.high) // 2

    @property
    def mean(self) -> Fraction:
        """(low + high) / 2."""
        return exact_answer(Fraction(self.low + self.high, 2))

    @property
    def variance(self) -> Fraction:
        """(N^2 - 1) / 12 for N outcomes."""
        return exact_answer(Fraction(self._size**2 - 1, 12))

    @property
    def lists_fast(self) -> bool:
        """Whether there are at most 1000 outcomes."""
        return self._size <= _LISTED

    @property
    def enclosed(self) -> EnclosedDiscreteUniform | None:
        """The law in balls."""
        return None if self.low == self.high else EnclosedDiscreteUniform(self.low, self.high)

    def exact_bits(self, k: int) -> int:
        """Return the bits of the number of outcomes."""
        return self._size.bit_length()

    def _in_symbols(self, k: Any) -> Any:
        """Return 1 / (high - low + 1) in SymPy."""
        return in_symbols(Fraction(1, self._size))

    def ratio(self, t: int, u: int) -> Real:
        """w(t) / w(u) = 1."""
        return Real(1)

    def compare_ratio(self, t: int, u: int, bound: Real) -> int:
        """Return -1, 0 or 1 as 1 is below, at or above ``bound``."""
        return compare_reals(Real(1), bound)

    def _exact_pmf(self, k: int) -> Fraction:
        """Return P[Y = k]."""
        return Fraction(self.holds(k), self._size)

    def _exact_cdf(self, k: int) -> Fraction:
        """Return P[Y <= k]."""
        return Fraction(min(max(k - self.low + 1, 0), self._size), self._size)

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        """Return draws of the law."""
        return source.numpy("integers", low=self.low, beyond=self.high + 1)
