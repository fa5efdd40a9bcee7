"""Tables as CSV that a spreadsheet shows and does not run: every CSV of this package is written here.

A spreadsheet runs a cell that begins with = + - @, a tab or a carriage return as a formula. A cell of text that does,
as the label "=cmd()" of a randomizer file may, gets an apostrophe in front, which a spreadsheet takes for the sign of
text; so does a cell that begins with an apostrophe: whoever drops one apostrophe in front has every cell back.
Numbers are no text: -1/4 stays -1/4. (The characters are those of OWASP's page "CSV Injection".)
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_RUN: Final = ("=", "+", "-", "@", "\t", "\r", "'")
_DIGITS: Final = r"(0x[0-9a-f]+|[0-9]+(\.[0-9]*)?)"
_NUMBER: Final = re.compile(rf"[+-]?({_DIGITS}([ep][+-]?[0-9]+)?(/{_DIGITS})?|infinity)", re.IGNORECASE)


def csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield rows as lines of CSV, one after the other.

    >>> "".join(csv_lines([["name", "value"], ["=cmd()", "-1/4"], ["-1+cmd()", "-2.5e-7"]]))
    "name,value\\n'=cmd(),-1/4\\n'-1+cmd(),-2.5e-7\\n"
    """
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="\r\n").writerow(map(shown_cell, row))  # so that both are quoted in a cell
        yield line.getvalue().removesuffix("\r\n") + "\n"


def shown_cell(cell: str) -> str:
    """Return a cell as it is written: text that a spreadsheet would run has an apostrophe in front."""
    return f"'{cell}" if cell.startswith(_RUN) and not _NUMBER.fullmatch(cell) else cell


def read_cell(written: str) -> str:
    """Return the cell that is written so.

    >>> read_cell(shown_cell("=cmd()")), read_cell(shown_cell("'tis")), read_cell("-1/4")
    ('=cmd()', "'tis", '-1/4')
    """
    return written.removeprefix("'")
