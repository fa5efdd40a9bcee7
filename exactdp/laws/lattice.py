"""What all noise laws on the integers share: enclosed weights, tails and quantiles at any size.

A law gives its support, its mode and a ball program; everything here follows from these. Relative accuracy is a
promise: 53 bits unless more are asked for, from the middle of the law to tails of 1e-2000 and less; 0 is returned
outside the support, and only there.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Final, Protocol

from exactdp.errors import InvalidValueError, UndecidedError
from exactdp.kernel.lattice import Program, enclose_pmf, enclose_tail
from exactdp.numbers.exact import (
    DEFAULT_RELATIVE_BITS,
    Exact,
    as_integer,
    as_probability,
    as_relative_bits,
    short,
)
from exactdp.numbers.interval import Interval

__all__ = ["LatticeLaw"]

_QUANTILE_BITS: Final = (64, 256, 1024, 4096)


class LatticeLaw(Protocol):
    """A law on the integers from ``low`` to ``high``; None stands for no end."""

    @property
    @abstractmethod
    def low(self) -> int | None:
        """The least outcome."""

    @property
    @abstractmethod
    def high(self) -> int | None:
        """The greatest outcome."""

    @property
    @abstractmethod
    def mode(self) -> int:
        """A most likely outcome."""

    @property
    @abstractmethod
    def is_log_concave(self) -> bool:
        """Whether the ratio of neighbouring weights never rises."""

    @property
    @abstractmethod
    def program(self) -> Program | None:
        """The law as a ball program; None where it has a single outcome."""

    def pmf(self, k: int, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose P[Y = k]."""
        k, bits = as_integer(k, name="k"), as_relative_bits(relative_bits)
        if not self._holds(k):
            return _exactly(0)
        return _exactly(1) if self.program is None else enclose_pmf(self.program, k, bits)

    def cdf(self, k: int, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose P[Y <= k]."""
        return self._tail(as_integer(k, name="k"), relative_bits, upper=False)

    def sf(self, k: int, *, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
        """Enclose P[Y > k]."""
        return self._tail(as_integer(k, name="k"), relative_bits, upper=True)

    def _tail(self, k: int, relative_bits: int, *, upper: bool) -> Interval:
        bits = as_relative_bits(relative_bits)
        if self.low is not None and k < self.low:
            return _exactly(upper)
        if self.high is not None and k >= self.high:
            return _exactly(not upper)
        assert self.program is not None  # a single outcome is both ends
        return enclose_tail(self.program, k, bits, upper=upper)

    def _holds(self, k: int) -> bool:
        return (self.low is None or k >= self.low) and (self.high is None or k <= self.high)

    def quantile(self, q: Exact) -> int:
        """Return the least k with P[Y <= k] >= q, for 0 < q < 1.

        Raises:
            UndecidedError: where P[Y <= k] and q agree to 4096 bits and no exact value decides.
        """
        level = as_probability(q, name="q")
        if not 0 < level < 1:
            raise InvalidValueError(f"q={short(level)} is not between 0 and 1. Pass a number inside (0, 1).")
        step = 1
        low = high = self.mode
        while not self._reaches(high, level):
            low, high, step = high, high + step, 2 * step
        step = 1
        while self._reaches(low, level):
            low, high, step = low - step, low, 2 * step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._reaches(middle, level) else (middle, high)
        return high

    def _reaches(self, k: int, level: Fraction) -> bool:
        """Decide P[Y <= k] >= level."""
        for bits in _QUANTILE_BITS:
            if (order := self.cdf(k, relative_bits=bits).compare(level)) is not None:
                return order >= 0
        exact = getattr(self, "exact_cdf", None)
        if exact is None:
            raise UndecidedError(f"P[Y <= {k}] >= {short(level)} is not decided at {_QUANTILE_BITS[-1]} bits.")
        return bool(exact(k) >= level)


def _exactly(value: int) -> Interval:
    return Interval.around(int(value), relative_bits=1)
