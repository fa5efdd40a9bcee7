"""The survey itself: every chosen curve at every number of users, in processes, with finished rows kept.

A survey that was stopped goes on where it was (:class:`Store`). The file of finished rows holds one line of JSON for
each row: the question, the curve, and the row; its first line says what it is. A line is appended in one step when its
row is finished. A process that is killed leaves at most one unfinished line at the end, which is cut off before the
next is written. A row that is there is not computed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from exactdp.errors import InvalidFileError, InvalidValueError
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import exact_text
from exactdp.progress import Progress, progress_callback, report_progress
from exactdp.studies.survey.all_curves import CURVES, chosen
from exactdp.studies.survey.error_curves import Curve, Question, Row, Unanswered, read_row, row_data

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


@dataclass(frozen=True, slots=True)
class Survey:
    """Rows of curves at rising numbers of users: ``rows[curve.key][n]``."""

    question: Question
    users: tuple[int, ...]
    curves: tuple[Curve, ...]
    rows: dict[str, dict[int, Row | Unanswered]]

    def row(self, curve: Curve, n: int) -> Row | None:
        """Return the row of a curve; None where it has no answer."""
        row = self.rows[curve.key][n]
        return row if isinstance(row, Row) else None

    def of_task(self, task: str) -> list[Curve]:
        """Return the curves of a task that have an answer somewhere."""
        return [one for one in self.curves if one.task == task and any(self.row(one, n) for n in self.users)]


def survey(
    question: Question,
    users: Sequence[int] | None = None,
    *,
    only: Sequence[str] = (),
    store: Store | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Survey:
    """Return what every protocol sends, how private it is and how large its error, at each number of users.

    Args:
        question: made by ``read_question``.
        users: rising numbers of users; by default that of the question.
        only: tasks, models, protocols or curves by name; all for none.
        store: where finished rows are kept, and found again.
        jobs: processes, at least 1.
        progress: told of finished rows; see :mod:`exactdp.progress`.

    >>> from exactdp.studies.survey.error_curves import read_question
    >>> asked = read_question(1000, eps="1/2", delta="1e-6")
    >>> for curve in (answered := survey(asked, only=["correlated counting", "discrete Laplace"])).curves:
    ...     row = answered.row(curve, 1000)
    ...     print(curve.name, "|", row.error.value, row.error.level, "|", row.delta.value)
    discrete Laplace, pure | 6 exact | 0
    correlated counting, theorem | 12 exact | [5.264405463e-23, 5.264405464e-23]
    correlated counting, least noise | 12 exact | [9.999999999e-7, 0.000001000000000]
    discrete Laplace, pure | 60 exact | 0
    discrete Laplace, pure | 12 exact | 0

    Cost: 11 s at 10^4 users, 45 s at 10^9.

    Source: GhoshRoughgardenSundararajan2012, section 2; GhaziKumarManurangsiPagh2020, section 3.
    """
    sizes = tuple(as_integer(n, name="users", at_least=1) for n in (users or (question.n,)))
    if any(second <= first for first, second in pairwise(sizes)):
        raise InvalidValueError("users do not rise. Pass each number of users once, from the least to the largest.")
    curves, kept = chosen(only), store or Store()
    work = [(curve, _at(question, n)) for n in sizes for curve in curves]
    with progress_callback(progress):
        answer_all(work, kept, as_integer(jobs, name="jobs", at_least=1))
    rows = {curve.key: {n: _kept(kept, curve, _at(question, n)) for n in sizes} for curve in curves}
    return Survey(question, sizes, tuple(curves), rows)


def answer_all(work: Sequence[tuple[Curve, Question]], store: Store, jobs: int) -> None:
    """Answer what is not in the store yet, and keep it there."""
    missing = [(curve, question) for curve, question in work if store.get(curve.key, question) is None]
    done = len(work) - len(missing)
    for curve, question, row in _answers(missing, jobs):
        store.put(curve.key, question, row)
        done += 1
        report_progress(done, len(work))


def _at(question: Question, n: int) -> Question:
    return question.at(n, with_privacy=question.with_privacy)


def _kept(store: Store, curve: Curve, question: Question) -> Row | Unanswered:
    row = store.get(curve.key, question)
    assert row is not None
    return row


def _answers(work: Sequence[tuple[Curve, Question]], jobs: int) -> Iterator[tuple[Curve, Question, Row | Unanswered]]:
    """Yield rows as they are finished."""
    if jobs == 1 or len(work) < 2:
        for curve, question in work:
            yield curve, question, curve.row(question)
        return
    by_key = {curve.key: curve for curve in CURVES}
    with ProcessPoolExecutor(jobs) as executor:
        waiting: dict[Future[Row | Unanswered], tuple[Curve, Question]] = {
            executor.submit(_row, curve.key, question): (by_key[curve.key], question) for curve, question in work
        }
        try:
            for future in as_completed(waiting):
                yield *waiting[future], future.result()
        finally:
            executor.shutdown(cancel_futures=True)


def _row(key: str, question: Question) -> Row | Unanswered:
    return next(curve for curve in CURVES if curve.key == key).row(question)
