"""Numbers in the tables of the page: short in the table, and with all their digits below it."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import Final, TypeAlias

from exactdp.numbers.epsilon import LogRational, eps_json
from exactdp.numbers.formats import number_json, power_of_ten
from exactdp.numbers.interval import Interval

Value = int | Fraction | Interval | LogRational | str | None
Row: TypeAlias = tuple[Value, ...]

_DIGITS: Final = 4
"""Of a decimal in a table; all digits are below it."""
_SHORT: Final = 7
"""Logarithms of fractions of so many characters are shown exactly."""
_WHOLE: Final = 48
"""Exact numbers of so many characters are written out below the table."""
_SHORT_DENOMINATOR: Final = 256
"""Fractions below 1 with a smaller denominator are shown as they are."""
_LEAST_POWER: Final = -3
"""Decimals below 10^-3 are shown with a power of ten."""
_LEAST_BITS: Final = -10_000
"""Numbers below 2 to this are shown by a bound alone."""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """A table of numbers that the program computed: its caption, heads, rows, and what stands behind the numbers."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    level: str

    @property
    def has_hidden_digits(self) -> bool:
        """Whether the table rounds anything."""
        return any(
            short_text(cell) != full_text(cell) and not isinstance(cell, int) for row in self.rows for cell in row
        )


def number_table(
    caption: str, heads: tuple[str, ...], level: str
) -> Callable[[Callable[[], Iterator[Row]]], Callable[[], NumberTable]]:
    """Make a table of the rows that a function yields, when it is called."""
    return lambda rows: wraps(rows)(lambda: NumberTable(caption, heads, tuple(rows()), level))


def short_text(value: Value) -> str:
    """Return a number in four digits, rounded to the nearest; short fractions whole.

    >>> short_text(10**9), short_text(Fraction(6, 25)), short_text(Fraction(1, 3 * 10**7)), short_text(None)
    ('10⁹', '6/25', '3.333×10⁻⁸', '—')
    """
    if value is None:
        return "—"
    if isinstance(value, str):
        return value
    if isinstance(value, LogRational):
        return _logarithm(value)
    if isinstance(value, Interval):
        return _between(value)
    number = Fraction(value)
    if number.denominator == 1:
        return _integer(number.numerator)
    is_short = number.denominator <= _SHORT_DENOMINATOR and abs(number) < 1
    return str(number) if is_short else _decimal(number)


def full_text(value: Value) -> str:
    """Return all that is known of a number: the number itself if it is not too long, else decimals around it.

    >>> full_text(Fraction(6, 25)), full_text(LogRational("5/2"))
    ('6/25', 'ln(5/2)')
    """
    if value is None:
        return "—"
    if isinstance(value, str):
        return value
    data = eps_json(value) if isinstance(value, LogRational) else number_json(value)
    exact = data["exact"]
    return exact if exact is not None and len(exact) <= _WHOLE else f"[{data['lo']}, {data['hi']}]"


def _integer(value: int) -> str:
    digits = str(value)
    if len(digits) > 4 and digits.strip("0") == "1":
        return power_of_ten(len(digits) - 1)
    return f"{value:,}".replace(",", "\u202f")


def _decimal(value: Fraction) -> str:
    """Round to four digits, half to even."""
    context = decimal.Context(prec=_DIGITS, rounding=decimal.ROUND_HALF_EVEN)
    rounded = context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    return _powers(f"{rounded:f}" if rounded.adjusted() >= _LEAST_POWER else f"{rounded:e}")


def _powers(text: str) -> str:
    mantissa, _, power = text.partition("e")
    if not power:
        whole, point, rest = mantissa.partition(".")
        return f"{int(whole):,}".replace(",", "\u202f") + point + rest
    return f"{mantissa}×{power_of_ten(int(power))}"


def _between(value: Interval) -> str:
    if value.upper.magnitude < _LEAST_BITS:  # no Fraction of that size is built
        return _powers(value.decimals(_DIGITS)[1])
    low, high = value.lo, value.hi
    if low == high:
        return short_text(low)
    return _decimal((low + high) / 2) if high - low <= high / 10**_DIGITS else f"{_decimal(low)} to {_decimal(high)}"


def _logarithm(value: LogRational) -> str:
    if value.is_infinite:
        return "∞"
    if value.argument == 1:
        return "0"
    exact = str(value.argument) if value.argument.denominator.bit_length() < 64 else ""
    return f"ln({exact})" if 0 < len(exact) <= _SHORT else _between(value.enclose())
