"""Finished rows in a file, so that a survey that was stopped goes on where it was.

The file holds one line of JSON for each row: the question, the curve, and the row; its first line says what it is. A
line is appended in one step when its row is finished. A process that is killed leaves at most one unfinished line at
the end, which is cut off before the next is written. A row that is there is not computed again.
"""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from exactdp.errors import InvalidFileError
from exactdp.numbers.formats import exact_text
from exactdp.studies.survey.rows import Row, Unanswered, read_row, row_data
from exactdp.studies.survey.survey_question import Question

_SCHEMA: Final = "exactdp-survey-1"
"""Names what the lines mean; it changes with any change of meaning."""


class Store:
    """Rows by question and curve: in memory, and with a path in a file too.

    Args:
        path: the file; it is made if it is not there. None keeps rows in memory alone.
        version: of the program; a file of another version is refused, because its numbers may differ.

    Raises:
        InvalidFileError: for a file that is no store, or that cannot be read or written.

    >>> Store().get("bit sums: zsum, theorem", Question(9, *3 * [Fraction(1, 2)], 2, 1)) is None
    True
    """

    def __init__(self, path: str | Path | None = None, *, version: str = "") -> None:
        self.path, self.version = None if path is None else Path(path), version
        self._rows: dict[str, Row | Unanswered] = {}
        if self.path is not None:
            self._open(self.path)

    def get(self, curve: str, question: Question) -> Row | Unanswered | None:
        """Return the row of a curve; None where it is not finished. A row with privacy answers for errors alone."""
        full = self._rows.get(_key(curve, question.at(question.n)))
        return full if full is not None or question.with_privacy else self._rows.get(_key(curve, question))

    def put(self, curve: str, question: Question, row: Row | Unanswered) -> None:
        """Keep a finished row."""
        key = _key(curve, question)
        self._rows[key] = row
        if self.path is not None:
            _append(self.path, json.dumps({"key": key, "row": row_data(row)}, ensure_ascii=True) + "\n")

    def _open(self, path: Path) -> None:
        try:
            if not path.exists() or not path.stat().st_size:
                _append(path, json.dumps({"store": _SCHEMA, "version": self.version}) + "\n")
                return
            text = path.read_bytes()
        except OSError as error:
            raise InvalidFileError(f"{path} cannot be used as a store: {error.strerror}. Name a file.") from None
        end = text.rfind(b"\n") + 1
        lines = text[:end].splitlines()
        self._check_head(path, lines)
        for number, line in enumerate(lines[1:], start=2):
            try:
                data = json.loads(line)
                self._rows[str(data["key"])] = read_row(data["row"])
            except (KeyError, TypeError, ValueError):
                raise InvalidFileError(
                    f"{path}, line {number}, is no row of a survey. Delete the line, or name another file."
                ) from None
        if end < len(text):
            os.truncate(path, end)

    def _check_head(self, path: Path, lines: list[bytes]) -> None:
        try:
            head: Any = json.loads(lines[0]) if lines else None
        except ValueError:
            head = None
        if not isinstance(head, dict) or head.get("store") != _SCHEMA:
            raise InvalidFileError(f"{path} is no store of a survey. Name one, or a file that is not there yet.")
        if head.get("version") != self.version:
            raise InvalidFileError(
                f"{path} was written by version {head.get('version')}, and this is {self.version}: its numbers may "
                "differ. Name another file."
            )


def _append(path: Path, line: str) -> None:
    """Append a line in one step."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(handle, line.encode())
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be written: {error.strerror}. Name another file.") from None


def _key(curve: str, question: Question) -> str:
    """Return what a row is kept under: all that it depends on."""
    numbers = (question.eps, question.delta, question.beta, question.n, question.inputs, question.bound)
    return " ".join(
        (
            *(exact_text(Fraction(number)) for number in numbers),
            "errors" if not question.with_privacy else "rows",
            curve,
        )
    )
