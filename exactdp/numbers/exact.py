"""The one place where a user's number becomes a ``Fraction``.

``Exact`` is what every public function accepts: an ``int``, a ``Fraction``, a ``Decimal`` or a string such as
``"1/4"``, ``"0.25"`` or ``"25e-2"``. These three strings are the same number; ``"100_000"`` is 100000, as in
Python: one ``_`` between two digits is read over. So are the integers and rationals of NumPy, SymPy and other
libraries that Python knows as ``numbers.Rational``, which are read as the exact numbers they are, and constant
expressions of SymPy (:mod:`exactdp.numbers.symbols`). A float is refused, because the number that the caller meant is
already lost (``0.1`` is 3602879701896397/36028797018963968), and so is an mpf or a NumPy float; so is a bool, which is
an accident.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from operator import index
from typing import Any, Final, NoReturn, TypeAlias, TypeGuard, TypeVar

from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError
from exactdp.numbers.formats import short
from exactdp.numbers.symbols import Reader, is_of_mpmath, is_symbolic

Exact: TypeAlias = int | Fraction | Decimal | str
"""What is read as an exact number: "1/4", "0.25", Fraction(1, 4) and Decimal("0.25") are the same one. No float is."""
AnyFraction = TypeVar("AnyFraction", bound=Fraction)

MAX_DIGITS: Final = 4000
"""Most decimal digits of the numerator or the denominator of a number given as text or ``Decimal``."""

MAX_BITS: Final = 2**28
"""Most bits of the numerator or the denominator of a number given as ``int`` or ``Fraction``."""

MAX_RELATIVE_BITS: Final = 2**20
"""Most relative bits that can be asked for."""

MAX_COMMON_BITS: Final = 2**18
"""Most bits of the common denominator of several numbers, unless one of them has a quarter of that alone."""

DEFAULT_RELATIVE_BITS: Final = 53
"""The relative accuracy of an enclosure unless more is asked for."""

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<numerator>[0-9]+)/(?P<denominator>[0-9]+)"
    r"|(?P<whole>[0-9]*)(?:\.(?P<decimals>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]+))?)"
)
_GROUPED = re.compile(r"(?<=[0-9])_(?=[0-9])")
"""What groups digits: 100_000."""
_CALL = re.compile(r"(?P<function>exp|ln)\((?P<argument>.*)\)", re.DOTALL)
_PIECE: Final = 512
"""Digits that are read at once: Python takes time for the square of their number, and refuses 4300 and more."""


def as_fraction(value: object, *, name: str) -> Fraction:
    """Return the exact value of ``value``, or refuse it; ``name`` is what the caller calls it.

    Raises:
        InexactNumberError: for floats, bools and objects that are not numbers.
        InvalidValueError: for text that is not a number, NaN and infinities.
        TooLargeError: for more than ``MAX_DIGITS`` digits (text, Decimal) or ``MAX_BITS`` bits (int, Fraction).

    >>> as_fraction("25e-2", name="gamma")
    Fraction(1, 4)
    """
    if is_plain(value):
        return value
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        raise InexactNumberError(f"{name}={value!r} is a bool, not a number. Pass {1 if value else 0} if you mean it.")
    if (rational := _rational(value)) is not None:
        number = Fraction(rational)
        if max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_BITS:
            raise TooLargeError(f"{name} has more than {MAX_BITS} bits, the limit. Use a shorter number.")
        return number
    if isinstance(value, str):
        return _from_text(value, name)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InvalidValueError(f"{name}={value} is not finite. Pass a finite rational number.")
        return _from_text(str(value), name)
    if is_symbolic(value):
        return _from_symbols(value, name)
    _refuse(value, name)


def is_plain(value: object) -> TypeGuard[Fraction]:
    """Whether ``value`` is a Fraction that ``as_fraction`` returns as it is."""
    return type(value) is Fraction and max(value.numerator.bit_length(), value.denominator.bit_length()) <= MAX_BITS


def _refuse(value: object, name: str) -> NoReturn:
    """Say why a number is not exact, and what to pass instead."""
    if isinstance(value, float):
        shown = str(value)
        if not isfinite(value):
            raise InexactNumberError(f"{name}={shown} is not finite. Pass a finite exact number.")
        raise InexactNumberError(
            f"{name}={shown} is a float and has been rounded already. Pass an int, a Fraction, a Decimal or a string: "
            f'"{shown}" for the decimal number, "p/q" for a ratio.'
        )
    if is_of_mpmath(value):
        kind = "mpi" if type(value).__name__ == "ivmpf" else type(value).__name__
        raise InexactNumberError(
            f"{name}={short(str(value))} is a {kind} and has been rounded already. Pass the exact number, as "
            '"0.1" or "p/q"; answers become mpmath numbers by .to_mpf(digits).'
        )
    if isinstance(value, numbers.Real):  # NumPy's floats among them
        raise InexactNumberError(
            f"{name}={short(str(value))} is a {type(value).__name__} and has been rounded already. Pass an int, a "
            f'Fraction, a Decimal or a string: "p/q" for a ratio.'
        )
    raise InexactNumberError(
        f"{name} has the type {type(value).__name__}, which is not an exact number. "
        "Pass an int, a Fraction, a Decimal or a string."
    )


def function_call(text: str) -> tuple[str, str] | None:
    """Return the function and the argument of ``exp(...)`` or ``ln(...)``, None for other text.

    >>> function_call("exp(1/2)"), function_call("1/2")
    (('exp', '1/2'), None)
    """
    match = _CALL.fullmatch(text)
    return None if match is None else (match["function"], match["argument"])


def _rational(value: object) -> int | Fraction | None:
    """Return an integer or a rational of any library as Python's own; None where it is something else."""
    if isinstance(value, int | Fraction):
        return value
    if isinstance(value, numbers.Integral):
        return index(value)
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return None


def _from_symbols(value: Any, name: str) -> Fraction:
    """Return an expression of SymPy as the rational number that it is, or refuse it."""

    def refuse(argument: Fraction) -> Fraction:
        raise InvalidValueError(_irrational(name, str(value), repair))

    exponent = value.args[0] if type(value).__name__ == "exp" else None
    is_level = name == "exp_eps" and exponent is not None and exponent.is_Rational
    repair = f"Pass eps={short(str(exponent))} instead of exp_eps." if is_level else ""
    reader: Reader[Fraction] = Reader(name, Fraction, refuse, refuse)
    return reader.read(value)


def _irrational(name: str, shown: str, repair: str) -> str:
    """Return what is said of exp and log where a rational number is needed."""
    return f"{name}={short(shown)!r} is irrational where an exact number is needed. " + (
        repair or "Pass a rational number."
    )


def _from_text(text: str, name: str) -> Fraction:
    if (called := function_call(text)) is not None:
        function, argument = called
        repair = f"Pass eps={short(argument)} instead of exp_eps." if function == "exp" and name == "exp_eps" else ""
        raise InvalidValueError(_irrational(name, text, repair))
    match = _NUMBER.fullmatch(_GROUPED.sub("", text))
    if match is None or not (match["numerator"] or match["whole"] or match["decimals"]):
        raise InvalidValueError(
            f"{name}={short(text)!r} is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or 25e-2, without "
            "spaces."
        )
    if match["numerator"] is not None:
        _limit_digits(max(len(match["numerator"]), len(match["denominator"])), name)
        if not match["denominator"].strip("0"):
            raise InvalidValueError(f"{name}={short(text)!r} has the denominator 0. Write a denominator of at least 1.")
        number = Fraction(_integer(match["numerator"]), _integer(match["denominator"]))
    else:
        decimals = match["decimals"] or ""
        digits = (match["whole"] or "") + decimals
        exponent_text = match["exponent"] or "0"
        _limit_digits(len(digits), name)
        if len(exponent_text) > 8:
            raise TooLargeError(
                f"{name}={short(text)!r} has an exponent beyond the limit of {MAX_DIGITS} digits. Use a shorter number."
            )
        exponent = int(exponent_text) - len(decimals)
        _limit_digits(len(digits) + max(exponent, 0), name)
        _limit_digits(max(-exponent, 0), name)
        number = _integer(digits) * Fraction(10) ** exponent
    return -number if match["sign"] == "-" else number


def _integer(digits: str) -> int:
    """Return a decimal integer, in pieces that Python converts whatever its own limit is (at least 640 digits)."""
    value = 0
    for start in range(0, len(digits), _PIECE):
        piece = digits[start : start + _PIECE]
        value = value * 10 ** len(piece) + int(piece)
    return value


def common_denominator(values: Iterable[Fraction], *, name: str) -> int:
    """Return the least common denominator, or refuse one far longer than those of the numbers themselves.

    Raises:
        TooLargeError: beyond 2^18 bits and four times the longest denominator, before it is built.
    """
    common, limit = 1, MAX_COMMON_BITS
    for value in values:
        limit = max(limit, 4 * value.denominator.bit_length())
        if common % value.denominator:
            common = lcm(common, value.denominator)
        if common.bit_length() > limit:
            raise TooLargeError(
                f"{name} need a common denominator of more than {limit} bits, the limit. "
                "Use numbers with fewer digits, or with one denominator."
            )
    return common


def _limit_digits(digits: int, name: str) -> None:
    if digits > MAX_DIGITS:
        raise TooLargeError(f"{name} has {digits} digits, more than the limit of {MAX_DIGITS}. Use a shorter number.")


def as_integer(value: object, *, name: str, at_least: int | None = None) -> int:
    """Return ``value`` as an int of at least ``at_least``, or refuse it."""
    number = as_fraction(value, name=name)
    if number.denominator != 1:
        raise InvalidValueError(f"{name}={short(number)} is not an integer. Pass a whole number.")
    if at_least is not None and number < at_least:
        raise InvalidValueError(f"{name}={short(number)} is below {at_least}. Pass {name} of at least {at_least}.")
    return number.numerator


def as_relative_bits(value: object) -> int:
    """Return a relative accuracy in bits, from 1 to ``MAX_RELATIVE_BITS``, or refuse it."""
    bits = as_integer(value, name="relative_bits", at_least=1)
    if bits > MAX_RELATIVE_BITS:
        raise TooLargeError(f"relative_bits={bits} is more than the limit of {MAX_RELATIVE_BITS}. Ask for fewer.")
    return bits


def as_probability(value: object, *, name: str) -> Fraction:
    """Return ``value`` as a Fraction in [0, 1], or refuse it."""
    number = as_fraction(value, name=name)
    if not 0 <= number <= 1:
        raise InvalidValueError(f"{name}={short(number)} is outside [0, 1]. Pass a probability.")
    return number


def coprime_fraction(numerator: int, denominator: int, *, kind: type[AnyFraction] = Fraction) -> AnyFraction:  # type: ignore[assignment]
    """Return numerator/denominator, already in lowest terms with a positive denominator, without a second reduction.

    Python's gcd of two integers of a million digits takes minutes; FLINT has done it in milliseconds before.
    """
    value = kind()
    value._numerator = numerator  # type: ignore[attr-defined]
    value._denominator = denominator  # type: ignore[attr-defined]
    return value
