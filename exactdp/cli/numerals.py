"""How numbers are shown: whole in JSON and CSV, short in text, decimals always rounded to the stated side.

In JSON an exact number is a string. An answer is ``{"exact": "1/4", "lo": "0.25", "hi": "0.25"}``; where only
an enclosure is known, ``exact`` is null. ``lo`` and ``hi`` are decimals rounded outward, so the truth is between them.
Integers of more than 14,000 bits, about 4,200 digits, are written in hexadecimal, as 0x....
"""

from __future__ import annotations

import decimal
from fractions import Fraction
from typing import Final

from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import decimal_digits
from exactdp.numbers.interval import Interval
from exactdp.privacy.epsilon import LogRational

__all__ = [
    "decimal_text",
    "eps_json",
    "eps_text",
    "exact_text",
    "is_written_out",
    "number_json",
    "number_text",
]

_JSON_DIGITS: Final = 17
_TEXT_DIGITS: Final = 7
_TEXT_ENDS: Final = 10
_SHORT_DIGITS: Final = 12
_DECIMAL_BITS: Final = 14_000
"""Integers of up to this many bits have fewer than 4300 digits."""
_COUNTED_BITS: Final = 200_000
"""Digits of longer integers are estimated, because counting them takes seconds."""
_INFINITY: Final = "infinity"


def exact_text(value: Fraction | int) -> str:
    """Return the whole number: p or p/q, in hexadecimal where Python converts no decimal.

    >>> exact_text(Fraction(1, 4)), exact_text(2**20000)[:6]
    ('1/4', '0x1000')
    """
    top = _integer_text(value.numerator)
    return top if value.denominator == 1 else f"{top}/{_integer_text(value.denominator)}"


def _integer_text(value: int) -> str:
    # By way of a Decimal, which is exact here and knows no PYTHONINTMAXSTRDIGITS.
    return str(decimal.Decimal(value)) if value.bit_length() <= _DECIMAL_BITS else hex(value)


def decimal_text(value: Fraction | Dyadic, digits: int, *, up: bool) -> str:
    """Return a decimal of at most ``digits`` significant digits, on the stated side of ``value``.

    >>> decimal_text(Fraction(1, 3), 3, up=True), decimal_text(Fraction(1, 4), 3, up=True)
    ('0.334', '0.25')
    """
    if isinstance(value, Dyadic):
        if abs(value.exponent) > _DECIMAL_BITS:
            return value.decimal(digits, up=up)
        value = value.fraction()
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _DECIMAL_BITS:
        bits = 4 * digits + 16
        return (Dyadic.above if up else Dyadic.below)(value, bits).decimal(digits, up=up)
    side = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
    context = decimal.Context(prec=digits, rounding=side, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
    return f"{context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)):g}"


def is_written_out(value: Fraction | Interval) -> bool:
    """Whether the number is shown exactly: a fraction, or an interval of one point that is no huge power of two."""
    return not isinstance(value, Interval) or (value.is_point and abs(value.lower.exponent) <= _DECIMAL_BITS)


def number_json(value: Fraction | Interval, *, relative_bits: int = 53) -> dict[str, str | None]:
    """Return the number as JSON data: exact, lo and hi."""
    exact = exact_text(value.lo if isinstance(value, Interval) else value) if is_written_out(value) else None
    ends: tuple[Fraction | Dyadic, Fraction | Dyadic] = (
        (value.lower, value.upper) if isinstance(value, Interval) else (value, value)
    )
    digits = max(_JSON_DIGITS, relative_bits * 31 // 100 + 2)
    return {
        "exact": exact,
        "lo": decimal_text(ends[0], digits, up=False),
        "hi": decimal_text(ends[1], digits, up=True),
    }


def number_text(value: Fraction | Interval) -> str:
    """Return the number for reading: never a long fraction, and decimals rounded up.

    >>> number_text(Fraction(1, 4)), number_text(Fraction(3**600, 7**400))
    ('1/4 (0.25)', '1.712131e-52 (287/339 digits)')
    """
    if isinstance(value, Interval):
        if is_written_out(value):
            return number_text(value.lo)
        return "[{}, {}]".format(*value.decimals(_TEXT_ENDS))
    digits = _digits(value.numerator), _digits(value.denominator)
    shown = decimal_text(value, _TEXT_DIGITS, up=True)
    if value.denominator == 1 and max(digits) <= _SHORT_DIGITS:
        return exact_text(value)
    if max(digits) <= _SHORT_DIGITS:
        return f"{exact_text(value)} ({shown})"
    about = "about " if _is_long(value.numerator) or _is_long(value.denominator) else ""
    return f"{shown} ({about}{digits[0]}/{digits[1]} digits)"


def _is_long(value: int) -> bool:
    return value.bit_length() > _COUNTED_BITS


def _digits(value: int) -> int:
    return value.bit_length() * 30103 // 100_000 if _is_long(value) else decimal_digits(value)


def eps_json(eps: LogRational | Interval) -> dict[str, str | None]:
    """Return an eps as JSON data: exact (0, ln(p/q) or infinity), exp_eps (e^eps), lo and hi.

    Of an enclosure the first two are null.
    """
    if isinstance(eps, Interval):
        ends = number_json(eps)
        return {"exact": None, "exp_eps": None, "lo": ends["lo"], "hi": ends["hi"]}
    if eps.is_infinite:
        return dict.fromkeys(("exact", "exp_eps", "lo", "hi"), _INFINITY)
    argument = exact_text(eps.argument)
    enclosed = number_json(eps.enclose())
    return {
        "exact": "0" if eps.argument == 1 else f"ln({argument})",
        "exp_eps": argument,
        "lo": enclosed["lo"],
        "hi": enclosed["hi"],
    }


def eps_text(eps: LogRational | Interval) -> str:
    """Return an eps for reading.

    >>> eps_text(LogRational("5/2")), eps_text(LogRational(1)), eps_text(LogRational(None))
    ('ln(5/2) (0.9162908)', '0', 'infinity')
    """
    if isinstance(eps, Interval):
        return "[{}, {}]".format(*eps.decimals(_TEXT_ENDS))
    if eps.is_infinite:
        return _INFINITY
    if eps.argument == 1:
        return "0"
    shown = decimal_text(eps.enclose().upper, _TEXT_DIGITS, up=True)
    digits = _digits(eps.argument.numerator), _digits(eps.argument.denominator)
    if max(digits) <= _SHORT_DIGITS:
        return f"ln({exact_text(eps.argument)}) ({shown})"
    about = "about " if _is_long(eps.argument.numerator) or _is_long(eps.argument.denominator) else ""
    return f"{shown} (ln of a fraction of {about}{digits[0]}/{digits[1]} digits)"
