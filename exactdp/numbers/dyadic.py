"""Dyadic numbers ``mantissa * 2**exponent``: the ends of every interval.

They carry values such as 2^(-300000000) in a few bytes. Comparing or printing one never builds an integer of the size
of its exponent: orders of magnitude are compared first, and the shift that remains is bounded by the mantissas.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Final

from exactdp.errors import TooLargeError

MAX_FRACTION_BITS: Final = 10**6
"""Most bits of the numerator or the denominator that turning a dyadic number into a Fraction may build."""

_WORKING_DIGITS: Final = 60
"""Far more than any decimal has that is shown, so that rounding twice stays outward and tight."""


@total_ordering
@dataclass(frozen=True, slots=True)
class Dyadic:
    """The number ``mantissa * 2**exponent``, with an odd mantissa, or 0 as (0, 0)."""

    mantissa: int
    exponent: int

    @classmethod
    def of(cls, mantissa: int, exponent: int = 0) -> Dyadic:
        """Return ``mantissa * 2**exponent`` in its one normal form."""
        if mantissa == 0:
            return cls(0, 0)
        trailing = (mantissa & -mantissa).bit_length() - 1
        return cls(mantissa >> trailing, exponent + trailing)

    @classmethod
    def below(cls, value: Fraction, bits: int) -> Dyadic:
        """Return the largest number at most ``value`` with a mantissa of ``bits`` bits or one more."""
        shift = bits - value.numerator.bit_length() + value.denominator.bit_length()
        if shift >= 0:
            return cls.of((value.numerator << shift) // value.denominator, -shift)
        return cls.of(value.numerator // (value.denominator << -shift), -shift)

    @classmethod
    def above(cls, value: Fraction, bits: int) -> Dyadic:
        """Return a number with a mantissa of about ``bits`` bits that is at least ``value``; see :meth:`below`."""
        return -cls.below(-value, bits)

    def __neg__(self) -> Dyadic:
        return Dyadic(-self.mantissa, self.exponent)

    def __lt__(self, other: Dyadic) -> bool:
        return self.compare(other) < 0 if isinstance(other, Dyadic) else NotImplemented

    @property
    def magnitude(self) -> int:
        """The m with 2**(m-1) <= abs(self) < 2**m; meaningless for 0."""
        return self.mantissa.bit_length() + self.exponent

    def compare(self, other: Dyadic | Fraction | int) -> int:
        """Return -1, 0 or 1 as ``self`` is less than, equal to or greater than ``other``; always exact."""
        numerator, denominator, exponent = _parts(other)
        left_sign, right_sign = _sign(self.mantissa), _sign(numerator)
        if left_sign != right_sign or left_sign == 0:
            return _sign(left_sign - right_sign)
        right_magnitude = numerator.bit_length() - denominator.bit_length() + exponent  # off by at most one
        if abs(self.magnitude - right_magnitude) > 2:
            return left_sign * _sign(self.magnitude - right_magnitude)
        left, right, shift = self.mantissa * denominator, numerator, self.exponent - exponent
        return _sign((left << shift) - right if shift >= 0 else left - (right << -shift))

    def fraction(self, *, max_bits: int = MAX_FRACTION_BITS) -> Fraction:
        """Return the number as a Fraction; TooLargeError beyond ``max_bits``."""
        if max(abs(self.exponent), self.magnitude) > max_bits:
            raise TooLargeError(
                f"a Fraction of this number needs about {max(abs(self.exponent), self.magnitude)} bits, more than the "
                f"limit of {max_bits}. Compare or print the interval itself."
            )
        if self.exponent >= 0:
            return Fraction(self.mantissa << self.exponent)
        return Fraction(self.mantissa, 1 << -self.exponent)

    def decimal(self, digits: int, *, up: bool) -> str:
        """Return a decimal number of ``digits`` significant digits on the stated side of ``self``."""
        if self.mantissa == 0:
            return "0"
        if abs(self.exponent) > _DECIMAL_RANGE:
            return self._far_decimal(digits, up=up)
        side = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
        wide = decimal_context(_WORKING_DIGITS, side)
        power = wide.power(decimal.Decimal(2), self.exponent)
        if wide.flags[decimal.Inexact]:  # the power may be off by one unit in its last place: move it outward by two
            away = up == (self.mantissa > 0)
            power = (wide.next_plus if away else wide.next_minus)(power)
            power = (wide.next_plus if away else wide.next_minus)(power)
        product = wide.multiply(wide.create_decimal(self.mantissa), power)
        return f"{decimal_context(digits, side).plus(product):g}"

    def _far_decimal(self, digits: int, *, up: bool) -> str:
        """The same for a power of two beyond the range: 2^e = 10^whole 10^part, with e log10(2) = whole + part."""
        away = up == (self.mantissa > 0)
        side = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
        wide = decimal_context(_WORKING_DIGITS + len(str(abs(self.exponent))), side)
        logarithm = wide.multiply(decimal.Decimal(self.exponent), wide.log10(decimal.Decimal(2)))
        whole = int(logarithm.to_integral_value(decimal.ROUND_FLOOR))
        part = wide.power(decimal.Decimal(10), wide.subtract(logarithm, decimal.Decimal(whole)))
        slack = decimal.Decimal(1).scaleb(-_WORKING_DIGITS // 2)  # far above the error of the logarithm and the power
        one = decimal.Decimal(1)  # by its own operators it would be rounded to 28 digits, and the slack lost
        part = wide.multiply(part, (wide.add if away else wide.subtract)(one, slack))
        product = decimal_context(digits, side).plus(wide.multiply(wide.create_decimal(self.mantissa), part))
        shown = wide.normalize(wide.scaleb(product, -product.adjusted()))
        return f"{shown:f}e{whole + product.adjusted():+d}"


_DECIMAL_RANGE: Final = 10**18
"""Powers of two beyond 2 to this are outside the range of the decimal module."""


def decimal_context(digits: int, rounding: str) -> decimal.Context:
    """Return the context of decimals that are rounded to the stated side, however large their exponents."""
    return decimal.Context(
        prec=digits, rounding=rounding, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.InvalidOperation]
    )


def _parts(value: Dyadic | Fraction | int) -> tuple[int, int, int]:
    """Return (numerator, denominator, exponent) of ``value``."""
    if isinstance(value, Dyadic):
        return value.mantissa, 1, value.exponent
    return value.numerator, value.denominator, 0


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
