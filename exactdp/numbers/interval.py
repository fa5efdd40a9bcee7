"""Intervals that provably contain a number, and the order that they prove.

An ``Interval`` is a statement: *the true value lies between these two dyadic numbers, ends included*. Its order is
the order of the true values, as far as the ends prove it. ``a < b`` is ``True`` or ``False`` only when it is proved
and raises :class:`UndecidedError` otherwise; an undecided comparison is never ``False``. ``==`` and ``hash`` are about
the statement (the two ends), not about the number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError, UndecidedError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import as_integer
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.notebook import ends_html, ends_latex
from exactdp.numbers.symbols import sympy_rational

_MAX_DIGITS: Final = 10**5
"""Most digits that a float of mpmath is asked for: computing on with more is hopeless."""


@dataclass(frozen=True, slots=True, repr=False)
class Interval:
    """A closed interval with dyadic ends that contains the truth.

    >>> third = Interval.around(Fraction(1, 3), relative_bits=53)
    >>> third < Fraction(1, 2), third.lo < Fraction(1, 3) < third.hi
    (True, True)
    """

    lower: Dyadic
    upper: Dyadic

    def __post_init__(self) -> None:
        if not (isinstance(self.lower, Dyadic) and isinstance(self.upper, Dyadic)):
            raise InexactNumberError(
                "the ends of an Interval are Dyadic numbers. Make one by Interval.around(value, ...)."
            )
        if self.lower > self.upper:
            raise InvalidValueError(f"lower={self.lower} is above upper={self.upper}. Swap the ends.")

    @classmethod
    def around(cls, value: Fraction | int, *, relative_bits: int) -> Interval:
        """Return an interval of relative width at most 2**-relative_bits around ``value``; a point where it can be."""
        number = Fraction(value)
        return cls(Dyadic.below(number, relative_bits + 1), Dyadic.above(number, relative_bits + 1))

    @classmethod
    def between(cls, lower: Fraction, upper: Fraction, *, bits: int) -> Interval:
        """Return an interval that contains [lower, upper], with mantissas of ``bits`` bits rounded outward."""
        return cls(Dyadic.below(lower, bits), Dyadic.above(upper, bits))

    @classmethod
    def maximum(cls, first: Interval, second: Interval) -> Interval:
        """Return the interval of the larger of two numbers."""
        return cls(max(first.lower, second.lower), max(first.upper, second.upper))

    @property
    def lo(self) -> Fraction:
        """The lower end; TooLargeError if the Fraction would be longer than 10^6 bits."""
        return exact_answer(self.lower.fraction())

    @property
    def hi(self) -> Fraction:
        """The upper end; TooLargeError if the Fraction would be longer than 10^6 bits."""
        return exact_answer(self.upper.fraction())

    @property
    def is_point(self) -> bool:
        """Whether the two ends are one number, so that the value is known exactly."""
        return self.lower == self.upper

    def __contains__(self, value: Fraction | int) -> bool:
        _number(value, "in")
        return self.lower.compare(value) <= 0 <= self.upper.compare(value)

    def compare(self, other: Interval | Fraction | int) -> int | None:
        """Return -1, 0 or 1 where less, equal or greater is proved, and None if no order is proved."""
        _number(other, "compare")
        low, high = (other.lower, other.upper) if isinstance(other, Interval) else (other, other)
        if self.upper.compare(low) < 0:
            return -1
        if self.lower.compare(high) > 0:
            return 1
        return 0 if self.is_point and self.lower.compare(low) == 0 == self.lower.compare(high) else None

    def __lt__(self, other: Interval | Fraction | int) -> bool:
        return self._proved(other, "<", strict=True)

    def __le__(self, other: Interval | Fraction | int) -> bool:
        return self._proved(other, "<=", strict=False)

    def __gt__(self, other: Interval | Fraction | int) -> bool:
        return not self._proved(other, ">", strict=False)

    def __ge__(self, other: Interval | Fraction | int) -> bool:
        return not self._proved(other, ">=", strict=True)

    def _proved(self, other: Interval | Fraction | int, sign: str, *, strict: bool) -> bool:
        """Decide ``self < other`` (strict) or ``self <= other``; raise where neither it nor its negation is proved."""
        _number(other, sign)
        low, high = (other.lower, other.upper) if isinstance(other, Interval) else (other, other)
        if self.upper.compare(low) < (0 if strict else 1):
            return True
        if self.lower.compare(high) > (-1 if strict else 0):
            return False
        raise UndecidedError(f"{self!r} {sign} {other!r} is not proved. Ask for more relative_bits.")

    def __bool__(self) -> bool:
        raise UndecidedError(f"the truth value of {self!r} is not defined. Compare it: interval > 0.")

    def __float__(self) -> float:
        """A float near the interval, for display only."""
        return float(self.upper.decimal(20, up=True))

    def to_sympy(self) -> Any:
        """Return the interval as SymPy's set, its ends Rationals. Cost: loads SymPy, 0.4 s once."""
        import sympy

        return sympy.Interval(sympy_rational(self.lo), sympy_rational(self.hi))

    def to_mpf(self, digits: int = 15) -> Any:
        """Return mpmath's float of ``digits`` significant digits nearest to the middle of the interval.

        It is for computing on: the interval says how much of it is proved. ``mpmath.mpi(*interval.decimals(30))`` is
        the interval itself, its ends rounded outward.

        Args:
            digits: from 1 to 10^5.

        >>> float(Interval.around(Fraction(1, 3), relative_bits=53).to_mpf())
        0.3333333333333333

        Cost: loads mpmath, 0.1 s once.
        """
        import mpmath

        wanted = as_integer(digits, name="digits", at_least=1)
        if wanted > _MAX_DIGITS:
            raise TooLargeError(f"digits={wanted} is more than the limit of {_MAX_DIGITS}. Ask for fewer.")
        with mpmath.workdps(wanted):
            ends = [mpmath.ldexp(end.mantissa, end.exponent) for end in (self.lower, self.upper)]
            return (ends[0] + ends[1]) / 2

    def decimals(self, digits: int = 17) -> tuple[str, str]:
        """Return the ends as decimal numbers of ``digits`` significant digits, rounded outward."""
        return self.lower.decimal(digits, up=False), self.upper.decimal(digits, up=True)

    def __str__(self) -> str:
        return "[{}, {}]".format(*self.decimals(10))

    def __repr__(self) -> str:
        return f"Interval{self}"

    def _repr_html_(self) -> str:
        """The interval as a notebook shows it: its ends rounded outward to 10 digits, as in the repr."""
        return ends_html(*self.decimals(10))

    def _repr_latex_(self) -> str:
        """The same in LaTeX."""
        return f"${ends_latex(*self.decimals(10))}$"


def fraction_ends(value: int | Fraction | Interval) -> tuple[Fraction, Fraction]:
    """Return the two fractions between which a number is; an exact number is both."""
    return (value.lo, value.hi) if isinstance(value, Interval) else (Fraction(value), Fraction(value))


def _number(other: object, operation: str) -> None:
    if not isinstance(other, Interval | Fraction | int) or isinstance(other, bool):
        raise InexactNumberError(
            f"'{operation}' is not defined between Interval and {type(other).__name__}. "
            "Pass an Interval, a Fraction or an int."
        )
