"""From exact numbers to the floats of a picture: rounded outward, and in powers of ten where floats would underflow.

A delta may be 10^-100000, which no float holds. Its logarithm is a small number, so a picture with a logarithmic axis
is drawn in logarithms to base 10: they are enclosed in balls, and the ends rounded away from the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import inf, nextafter
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.numbers.balls import log_interval
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import decimal_text, ends, power_of_ten, short
from exactdp.numbers.interval import Interval

Number = int | Fraction | Interval

_BITS: Final = 64
"""Relative accuracy of logarithms: more than a float has."""


def check_rising(name: str, values: Sequence[int | Fraction]) -> None:
    """Refuse what is no axis of a curve: fewer than two values, or one that is not above the one before.

    >>> check_rising("users", (10, 100))
    """
    if len(values) < 2:
        had = "no value" if not values else f"one value, {name}={short(values[0])}"
        raise InvalidValueError(f"{name} has {had}, and a curve needs two. Pass two or more, rising.")
    for before, value in pairwise(values):
        if value <= before:
            raise InvalidValueError(
                f"{name}={short(value)} comes after {name}={short(before)}, but each value has to be above the one "
                "before. Pass them sorted, each once."
            )


def log10_ends(value: Number) -> tuple[float, float]:
    """Return floats around log10 of a number of at least 0; of 0 it is minus infinity.

    >>> low, high = log10_ends(Fraction(1, 10**400))
    >>> low < -400 < high, high - low < 1e-9, log10_ends(0)
    (True, True, (-inf, -inf))
    """
    low, high = ends(value)
    return _logarithm(low)[0], _logarithm(high)[1]


def _logarithm(value: Dyadic | Fraction) -> tuple[float, float]:
    """Return bounds of log10(m 2^e) = (ln m + e ln 2) / ln 10, with 1/2 <= m < 1."""
    if value == Fraction(0) or value == Dyadic.of(0):
        return -inf, -inf
    if isinstance(value, Fraction):
        return _logarithm(Dyadic.below(value, _BITS))[0], _logarithm(Dyadic.above(value, _BITS))[1]
    part = _log(Fraction(value.mantissa, 2 ** value.mantissa.bit_length()))
    two, ten, power = _log_of_integer(2), _log_of_integer(10), value.magnitude
    ends = (part[0] + power * two[power < 0], part[1] + power * two[power >= 0])
    return (
        nextafter(float(min(ends[0] / ten[0], ends[0] / ten[1])), -inf),
        nextafter(float(max(ends[1] / ten[0], ends[1] / ten[1])), inf),
    )


def _log(value: Fraction) -> tuple[Fraction, Fraction]:
    logarithm = log_interval(value, relative_bits=_BITS)
    return logarithm.lo, logarithm.hi


@cache
def _log_of_integer(value: int) -> tuple[Fraction, Fraction]:
    return _log(Fraction(value))


def float_ends(value: Number) -> tuple[float, float]:
    """Return floats below and above a number.

    >>> low, high = float_ends(Fraction(1, 3))
    >>> low < Fraction(1, 3) < high
    True
    """
    low, high = (float(end.decimal(20, up=up)) if isinstance(end, Dyadic) else float(end)
                 for end, up in zip(ends(value), (False, True), strict=True))  # fmt: skip
    return nextafter(low, -inf), nextafter(high, inf)


def middle(ends: tuple[float, float]) -> float:
    """Return where a marker goes."""
    return (ends[0] + ends[1]) / 2 if ends[0] > -inf else ends[0]


def power_words(exponent: float) -> str:
    """Return the power of ten with this exponent, for an axis.

    >>> power_words(-12.0), power_words(0), power_words(1)
    ('10⁻¹²', '1', '10')
    """
    whole = round(exponent)
    return {0: "1", 1: "10"}.get(whole, power_of_ten(whole))


def number_words(value: Number, digits: int = 2, *, up: bool = True) -> str:
    """Return a number for reading, rounded up to so many digits, or down.

    >>> number_words(Fraction(1, 20)), number_words(Fraction(1, 3 * 10**90)), number_words(Fraction(725))
    ('0.05', '3.4×10⁻⁹¹', '725')
    >>> number_words(Fraction(2, 3)), number_words(Fraction(2, 3), 3, up=False)
    ('0.67', '0.666')
    >>> number_words(Fraction(1, 10**6)), number_words(Fraction(1, 10**9), 3), number_words(Fraction(123456))
    ('10⁻⁶', '10⁻⁹', '123456')
    """
    end = ends(value)[up]
    if isinstance(end, Fraction) and end.denominator == 1 and abs(end) < 10**6:
        return str(end)
    text = decimal_text(end, digits, up=up)
    mantissa, _, exponent = text.partition("e")
    shown = Decimal(mantissa).normalize()
    power = shown.adjusted() + int(exponent or 0)
    if -4 <= power < 6:
        return f"{Decimal(text).normalize():f}"
    head = f"{shown.scaleb(-shown.adjusted()):f}"
    tail = power_of_ten(power)
    return tail if head == "1" else f"{head}×{tail}"
