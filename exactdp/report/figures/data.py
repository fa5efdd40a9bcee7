"""The data behind a figure, as a table of exact numbers that is written as CSV or JSON.

JSON: {"about": {parameter: text}, "versions": {name: text}, "columns": [...], "rows": [{column: cell}]}. A cell is
null, a text, or a number {"exact", "lo", "hi"} as the commands print it: decimals rounded outward, no JSON numbers. CSV
has the parameters and the versions in every row, and for a column of numbers two: name_lo and name_hi.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from exactdp import __version__
from exactdp.errors import InvalidFileError
from exactdp.files.atomic_file import write_whole
from exactdp.files.spreadsheets import csv_lines
from exactdp.numbers.formats import number_json
from exactdp.numbers.interval import Interval

Cell = str | int | Fraction | Interval | None


@dataclass(frozen=True, slots=True)
class DataTable:
    """Rows of exact numbers under named columns, and the parameters that they were computed for.

    >>> DataTable(("eps", "delta"), ((Fraction(1), Fraction(1, 4)),), (("n", "10"),)).column("delta")
    (Fraction(1, 4),)
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    about: tuple[tuple[str, str], ...] = ()

    def column(self, name: str) -> tuple[Cell, ...]:
        """The cells under one name."""
        position = self.columns.index(name)
        return tuple(row[position] for row in self.rows)


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
