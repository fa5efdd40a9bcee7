"""Where an answer goes: to stdout, or into a file that is either whole or untouched."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from exactdp.whole_file import write_whole

__all__ = ["FORMATS", "HONEST_USERS", "Report", "columns", "deliver", "printable"]

FORMATS: Final = ("text", "json", "csv")
HONEST_USERS: Final = "n counts the users who follow the protocol; with fewer of them there is less privacy."


@dataclass(frozen=True, slots=True)
class Report:
    """One answer in its three forms, each made only when it is asked for."""

    text: Callable[[], Sequence[str]]
    """Lines to read."""
    data: Callable[[], Any]
    """JSON data."""
    table: Callable[[], Sequence[Sequence[str]]]
    """Rows for CSV, the header first."""

    def render(self, form: str) -> str:
        """Return the answer in one of ``FORMATS``, ending in a newline."""
        if form == "json":
            return json.dumps(self.data(), indent=2, ensure_ascii=True) + "\n"
        if form == "csv":
            buffer = io.StringIO()
            csv.writer(buffer, lineterminator="\n").writerows(self.table())
            return buffer.getvalue()
        return "\n".join(self.text()) + "\n"


def deliver(report: Report, *, form: str, output: str | None) -> None:
    """Print the report, or write it into the file ``output`` (``-`` is stdout) and say so on stderr."""
    text = report.render(form)
    if output is None or output == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    write_whole(output, text)
    print(f"wrote {printable(output)}", file=sys.stderr)


def printable(label: object) -> str:
    """Return a label for people: as it is, or quoted where it would move the cursor or be invisible."""
    text = str(label)
    return text if text and text.isprintable() else repr(text)


def columns(rows: Sequence[Sequence[str]], *, indent: str = "") -> list[str]:
    """Return the rows as lines with aligned columns, two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]
