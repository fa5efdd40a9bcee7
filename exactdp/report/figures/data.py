"""The data behind a figure, as a table of exact numbers that is written as CSV or JSON.

JSON: {"about": {parameter: text}, "versions": {name: text}, "columns": [...], "rows": [{column: cell}]}. A cell is
null, a text, or a number {"exact", "lo", "hi"} as the commands print it: decimals rounded outward, no JSON numbers. CSV
has the parameters and the versions in every row, and for a column of numbers two: name_lo and name_hi.

From exact numbers to the floats of a picture: rounded outward, and in powers of ten where floats would underflow
-----------------------------------------------------------------------------------------------------------------

A delta may be 10^-100000, which no float holds. Its logarithm is a small number, so a picture with a logarithmic axis
is drawn in logarithms to base 10: they are enclosed in balls, and the ends rounded away from the truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from math import inf, nextafter
from pathlib import Path
from typing import Any, Final

from exactdp import __version__
from exactdp.errors import InvalidFileError, InvalidValueError
from exactdp.files.atomic_file import write_whole
from exactdp.files.spreadsheets import csv_lines
from exactdp.numbers.balls import log_interval
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import decimal_text, ends, number_json, power_of_ten, short
from exactdp.numbers.interval import Interval

Number = int | Fraction | Interval
Cell = Number | str | None


@dataclass(frozen=True, slots=True)
class DataTable:
    """Rows of exact numbers under named columns, and the parameters that they were computed for.

    >>> DataTable(("eps", "delta"), ((Fraction(1), Fraction(1, 4)),), (("n", "10"),)).column("delta")
    (Fraction(1, 4),)
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    about: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, columns: Sequence[str], rows: Iterable[Iterable[Cell]], **about: object) -> DataTable:
        """Make a table of rows; the parameters are written as text."""
        return cls(tuple(columns), tuple(map(tuple, rows)), tuple((name, str(value)) for name, value in about.items()))

    def column(self, name: str) -> tuple[Cell, ...]:
        """The cells under one name."""
        position = self.columns.index(name)
        return tuple(row[position] for row in self.rows)

    def numbers(self, name: str) -> tuple[Number | None, ...]:
        """The cells under the name of a column of numbers."""
        return tuple(cell for cell in self.column(name) if not isinstance(cell, str))


def write_data(path: str | Path, table: DataTable) -> None:
    """Write a table as CSV or JSON, by the suffix of the path; the same bytes for the same table and versions.

    Raises:
        InvalidFileError: for another suffix, and where the file cannot be written.
    """
    suffix = Path(path).suffix
    if suffix not in (".csv", ".json"):
        raise InvalidFileError(f"{path} ends in {suffix!r}. Data is written as .csv or .json: name the file so.")
    write_whole(path, json_text(table) if suffix == ".json" else csv_text(table))


def _versions() -> dict[str, str]:
    """Return the versions of the programs that can change a number: of this package that of the code which runs."""
    try:
        flint = version("python-flint")
    except PackageNotFoundError:
        flint = "unknown"
    return {"exactdp": __version__, "python-flint": flint}


def json_data(table: DataTable) -> dict[str, Any]:
    """Return the table as JSON data."""
    rows = [
        {
            name: cell if cell is None or isinstance(cell, str) else number_json(cell)
            for name, cell in zip(table.columns, row, strict=True)
        }
        for row in table.rows
    ]
    return {"about": dict(table.about), "versions": _versions(), "columns": list(table.columns), "rows": rows}


def json_text(table: DataTable) -> str:
    """Return the table as JSON."""
    return json.dumps(json_data(table), indent=1, ensure_ascii=False) + "\n"


def csv_text(table: DataTable) -> str:
    """Return the table as CSV."""
    return "".join(csv_lines(csv_rows(table)))


def csv_rows(table: DataTable) -> list[list[str]]:
    """Return the rows of the table as CSV, the header first."""
    wide = [any(isinstance(cell, Fraction | Interval) for cell in table.column(name)) for name in table.columns]
    heads = [
        head
        for name, both in zip(table.columns, wide, strict=True)
        for head in ((f"{name}_lo", f"{name}_hi") if both else (name,))
    ]
    fixed = dict(table.about) | {f"{name} version": text for name, text in _versions().items()}
    rows = [[text for pair in zip(row, wide, strict=True) for text in _csv_cells(*pair)] for row in table.rows]
    return [[*fixed, *heads], *([*fixed.values(), *row] for row in rows)]


def _csv_cells(cell: Cell, both: bool) -> list[str]:
    """Return a cell as one text, or in a column of numbers as both ends."""
    if both and isinstance(cell, int | Fraction | Interval):
        number = number_json(cell)
        return [number["lo"] or "", number["hi"] or ""]
    return ["" if cell is None else str(cell)] + [""] * both


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
