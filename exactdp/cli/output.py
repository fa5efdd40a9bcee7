"""Where an answer goes: to stdout, or into a file that is either whole or untouched."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from exactdp.errors import InvalidFileError

__all__ = ["FORMATS", "HONEST_USERS", "Report", "columns", "deliver", "printable", "write_whole"]

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


def write_whole(path: str | Path, text: str) -> None:
    """Write a text file so that at every moment it holds its old content or the new one, whole.

    The text goes into a temporary file of the same directory, which then takes the place of the old one in one step.
    A link is followed; what is no regular file (a pipe, a terminal) is written to directly.
    """
    target = Path(os.path.realpath(path))
    mode = None
    if target.exists():
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InvalidFileError(f"{path} is a directory. Name a file.")
        if not stat.S_ISREG(mode):
            target.write_text(text, encoding="utf-8")
            return
    if not target.parent.is_dir():
        raise InvalidFileError(f"{path} is in a directory that does not exist. Make it, or name another file.")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be written: {error.strerror}. Name another file.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


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
