"""How numbers are shown: whole in JSON and CSV, short in text, decimals always rounded to the stated side.

In JSON an exact number is a string. An answer is ``{"exact": "1/4", "lo": "0.25", "hi": "0.25"}``; where only
an enclosure is known, ``exact`` is null. ``lo`` and ``hi`` are decimals rounded outward, so the truth is between them.
Integers of more than 14,000 bits, about 4,200 digits, are written in hexadecimal, as 0x....

Notebooks show the same numbers in HTML and LaTeX: :mod:`exactdp.numbers.notebook`.
"""

from __future__ import annotations

import decimal
from fractions import Fraction
from typing import Final, Protocol, TypeAlias

from exactdp.numbers.dyadic import Dyadic, decimal_context

_TEXT_DIGITS: Final = 7
"""Significant digits of a decimal in text: enough to tell two answers apart, few enough for a column."""
_JSON_DIGITS: Final = 17
"""Significant digits of an end in JSON: as many as tell any two floats apart."""
_END_DIGITS: Final = 10
"""Significant digits of the ends of an interval in text: it is read for its width too."""
_SHORT_DIGITS: Final = 12
"""Integers with more digits than this are not read but counted."""
DECIMAL_BITS: Final = 14_000
"""Integers of up to this many bits have fewer than 4300 digits, the most that Python converts."""
_HUGE_BITS: Final = 200_000
"""The digits of longer integers are estimated, because counting them takes seconds."""
_SHOWN_DIGITS: Final = 24
"""Integers of up to so many digits are written out in a message: two of them fit on a line of 80 characters."""
_COUNT_DIGITS: Final = 12
"""Counts of up to so many digits are written out; of a longer one only the order of magnitude is read."""
_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Enclosure(Protocol):
    """Two dyadic ends with the truth between them: what is shown of an :class:`exactdp.numbers.interval.Interval`."""

    @property
    def lower(self) -> Dyadic:
        """The lower end."""
        ...

    @property
    def upper(self) -> Dyadic:
        """The upper end."""
        ...


End: TypeAlias = Fraction | Dyadic
"""What a bound of a number is known as."""


def ends(value: int | Fraction | Enclosure) -> tuple[End, End]:
    """Return the number below and the number above which the value is not; an exact number is both."""
    if isinstance(value, int | Fraction):
        return Fraction(value), Fraction(value)
    return value.lower, value.upper


def exact_text(value: Fraction | int) -> str:
    """Return the whole number: p or p/q, in hexadecimal if Python converts no decimal.

    >>> exact_text(Fraction(1, 4)), exact_text(2**20000)[:6]
    ('1/4', '0x1000')
    """
    top = _integer_text(value.numerator)
    return top if value.denominator == 1 else f"{top}/{_integer_text(value.denominator)}"


def _integer_text(value: int) -> str:
    # By way of a Decimal, which is exact here and knows no PYTHONINTMAXSTRDIGITS.
    return str(decimal.Decimal(value)) if value.bit_length() <= DECIMAL_BITS else hex(value)


def decimal_text(value: End, digits: int = _TEXT_DIGITS, *, up: bool) -> str:
    """Return a decimal of at most ``digits`` significant digits, on the stated side of ``value``.

    >>> decimal_text(Fraction(1, 3), 3, up=True), decimal_text(Fraction(1, 4), 3, up=True)
    ('0.334', '0.25')
    >>> decimal_text(Fraction(3**600, 7**400), up=True)
    '1.712131e-52'
    """
    if isinstance(value, Dyadic):
        if abs(value.exponent) > DECIMAL_BITS:
            return value.decimal(digits, up=up)
        value = value.fraction()
    if _bits(value) > DECIMAL_BITS:
        return (Dyadic.above if up else Dyadic.below)(value, 4 * digits + 16).decimal(digits, up=up)
    context = decimal_context(digits, decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR)
    return f"{context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)):g}"


def is_written_out(value: Fraction | Enclosure) -> bool:
    """Whether the number is shown exactly: a fraction, or an interval of one point that is no huge power of two."""
    if isinstance(value, Fraction):
        return True
    return value.lower == value.upper and abs(value.lower.exponent) <= DECIMAL_BITS


def _written_out(value: Fraction | Enclosure) -> Fraction | None:
    """Return the number that is shown exactly."""
    if isinstance(value, Fraction):
        return value
    return value.lower.fraction() if is_written_out(value) else None


def number_json(value: int | Fraction | Enclosure, *, relative_bits: int = 53) -> dict[str, str | None]:
    """Return the number as JSON data: exact, lo and hi."""
    number = Fraction(value) if isinstance(value, int) else value
    exact, (low, high) = _written_out(number), ends(number)
    digits = max(_JSON_DIGITS, relative_bits * 31 // 100 + 2)
    return {
        "exact": None if exact is None else exact_text(exact),
        "lo": decimal_text(low, digits, up=False),
        "hi": decimal_text(high, digits, up=True),
    }


def number_text(value: Fraction | Enclosure) -> str:
    """Return the number for reading: never a long fraction, and decimals rounded up.

    >>> number_text(Fraction(1, 4)), number_text(Fraction(3**600, 7**400))
    ('1/4 (0.25)', '1.712131e-52 (287/339 digits)')
    """
    exact = _written_out(value)
    if exact is None:
        assert not isinstance(value, Fraction)
        return f"[{value.lower.decimal(_END_DIGITS, up=False)}, {value.upper.decimal(_END_DIGITS, up=True)}]"
    shown = decimal_text(exact, up=True)
    if not is_short(exact):
        return f"{shown} ({digit_counts(exact)} digits)"
    return exact_text(exact) if exact.denominator == 1 else f"{exact_text(exact)} ({shown})"


def fraction_text(value: Fraction) -> str:
    """Return a fraction as its repr shows it, with long runs of digits cut, or counted alone where that takes long.

    >>> fraction_text(Fraction(1, 4)), fraction_text(Fraction(1, 10**100))
    ('1/4', '1/100000000000...(101 digits)')
    """
    return f"({sizes(value)})" if _is_huge(value) else short(value)


def decimal_with_sizes(value: Fraction) -> str:
    """Return a decimal that is not below the number, with the numbers of digits of the fraction.

    >>> decimal_with_sizes(Fraction(3**600, 7**400))
    '1.712131e-52 (287/339 digits)'
    """
    return f"{decimal_text(value, up=True)} ({sizes(value)})"


def is_short(value: Fraction) -> bool:
    """Whether a fraction is short enough to be read."""
    return max(_digits(value.numerator), _digits(value.denominator)) <= _SHORT_DIGITS


def sizes(value: Fraction) -> str:
    """Return the numbers of digits of a fraction, of an integer one number.

    >>> sizes(Fraction(3**600, 7**400)), sizes(Fraction(10**20))
    ('287/339 digits', '21 digits')
    """
    counts = digit_counts(value)
    return f"{counts.removesuffix('/1') if value.denominator == 1 else counts} digits"


def digit_counts(value: Fraction) -> str:
    """Return the numbers of digits of numerator and denominator.

    >>> digit_counts(Fraction(10**20)), digit_counts(Fraction(1, 2**200_001))
    ('21/1', 'about 1/60206')
    """
    about = "about " if _is_huge(value) else ""
    return f"{about}{_digits(value.numerator)}/{_digits(value.denominator)}"


def _is_huge(value: Fraction) -> bool:
    return _bits(value) > _HUGE_BITS


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _digits(value: int) -> int:
    return estimated_digits(value.bit_length()) if value.bit_length() > _HUGE_BITS else decimal_digits(value)


def estimated_digits(bits: int) -> int:
    """Return about how many digits an integer of so many bits has: log10(2) is close to 30103 / 100000."""
    return bits * 30103 // 100_000


def power_of_ten(exponent: int) -> str:
    """Return the power for reading.

    >>> power_of_ten(-12)
    '10⁻¹²'
    """
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def short(value: Fraction | int | str) -> str:
    """Return ``value`` as text for a message, with long digit strings cut: ``123456789012...(903 digits)``."""
    if isinstance(value, str):
        return value if len(value) <= 60 else f"{value[:40]}...({len(value)} characters)"
    if isinstance(value, int):
        return _short_integer(value)
    if value.denominator == 1:
        return _short_integer(value.numerator)
    return f"{_short_integer(value.numerator)}/{_short_integer(value.denominator)}"


def about(value: int) -> str:
    """Return a count for a message: whole up to 12 digits, else its first digits and its power of ten.

    >>> about(128008000), about(3 * 10**24), about(10**5000)
    ('128008000', 'about 3e24', 'about 1e5000')
    """
    if abs(value) < 10**_COUNT_DIGITS:
        return str(value)
    digits = decimal_digits(value)
    first = (abs(value) // 10 ** (digits - 3) + 5) // 10
    if first == 100:
        first, digits = 10, digits + 1
    shown = f"{first // 10}.{first % 10}".removesuffix(".0")
    return f"about {'-' if value < 0 else ''}{shown}e{digits - 1}"


def _short_integer(value: int) -> str:
    digits = decimal_digits(value)
    if digits <= _SHOWN_DIGITS:
        return str(value)
    leading = abs(value) // 10 ** (digits - 12)
    return f"{'-' if value < 0 else ''}{leading}...({digits} digits)"


def decimal_digits(value: int) -> int:
    """Return the number of decimal digits of ``value``, without converting it to text."""
    magnitude = abs(value)
    if magnitude < 10:
        return 1
    estimate = (magnitude.bit_length() - 1) * 30102999566 // 10**11  # floor of bits times a lower bound of log10(2)
    power = 10**estimate
    while power <= magnitude:
        power *= 10
        estimate += 1
    return estimate
