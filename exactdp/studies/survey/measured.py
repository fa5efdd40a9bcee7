"""The survey itself: every chosen curve at every number of users, in processes, with finished rows kept.

A survey that was stopped goes on where it was (:class:`Store`). A row that is there is not computed again.

Every curve of the survey, by task, and the choice among them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

from exactdp.errors import InvalidValueError, meant
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import exact_text, short
from exactdp.progress import Progress, progress_callback
from exactdp.studies.study_store import StudyStore, digest_of
from exactdp.studies.study_workers import Study
from exactdp.studies.survey.bounded_sums import BIT_CURVES, SUM_CURVES
from exactdp.studies.survey.error_curves import MODELS, TASKS, Curve, Question, Row, Unanswered, read_row, row_data
from exactdp.studies.survey.histogram_curves import HISTOGRAM_CURVES

CURVES: Final[tuple[Curve, ...]] = (*BIT_CURVES, *SUM_CURVES, *HISTOGRAM_CURVES)
"""A new protocol has its curve in the file of its task, and nothing else is to be changed."""


def chosen(only: Sequence[str] = ()) -> list[Curve]:
    """Return the curves whose task, model, protocol or name is among ``only``; all of them for none.

    Raises:
        InvalidValueError: for a word that names nothing.

    >>> [one.name for one in chosen(["zsum"])]
    ['zsum, theorem', 'zsum, least noise']
    """
    for word in only:
        if not any(word in _words(one) for one in CURVES):
            near = meant(word, (known for one in CURVES for known in _words(one)))
            raise InvalidValueError(
                f"only={short(word)!r} names no task, model or protocol. {near}Pass one of {', '.join(names())}."
            )
    return [one for one in CURVES if not only or any(word in _words(one) for word in only)]


def names() -> tuple[str, ...]:
    """Return what curves are chosen by: tasks, models and protocols; curves have names of their own beside."""
    return tuple(dict.fromkeys((*TASKS, *MODELS, *(one.system for one in CURVES))))


def _words(one: Curve) -> Iterator[str]:
    yield from (one.task, one.model, one.system, one.name, one.key)


_SCHEMA: Final = "exactdp-survey-2"
"""Names what the columns mean; it changes with any change of meaning."""
_LINES: Final = b'{"store": "exactdp-survey-1"'
"""How the lines of JSON begin that version 0.2 wrote."""

Work: TypeAlias = tuple[Curve, Question]


class Store(StudyStore):
    """Rows by question and curve: in memory, and with a path in a file.

    Args:
        path: the file; it is made if it is not there. None keeps rows in memory alone.
        version: of the program; a file of another version is refused, because its numbers may differ.

    Raises:
        InvalidFileError: for a file that is no store, or that cannot be read or written.

    >>> Store().get("bit sums: zsum, theorem", Question(9, *3 * [Fraction(1, 2)], 2, 1)) is None
    True
    """

    study, keyed = "survey", ("answers",)
    tables = """
    CREATE TABLE store (schema TEXT NOT NULL);
    CREATE TABLE answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
    """

    def __init__(self, path: str | Path | None = None, *, version: str = "") -> None:
        self.version = version
        super().__init__(path, f"{_SCHEMA} {version}")

    def get(self, curve: str, question: Question) -> Row | Unanswered | None:
        """Return the row of a curve; None where it is not finished. A row with privacy answers for errors alone."""
        for key in dict.fromkeys((_key(curve, question.at(question.n)), _key(curve, question))):
            for row in self._sealed("answers", ("key", "answer"), key, f"the row of {curve}, n = {question.n},"):
                return read_row(json.loads(row["answer"]))
        return None

    def put(self, rows: Iterable[tuple[Work, Row | Unanswered]]) -> None:
        """Keep finished rows, in one transaction; one that is there stays."""
        texts = [(_key(curve.key, question), json.dumps(row_data(row))) for (curve, question), row in rows]
        with self._transaction():
            self._data.executemany(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", [(*text, digest_of(*text)) for text in texts]
            )

    def _other(self, schema: str | None) -> str:
        is_older = schema is None and self.path is not None and self.path.read_bytes().startswith(_LINES)
        if not is_older and not (schema or "").startswith(_SCHEMA):
            return super()._other(None)
        version = "0.2 or an earlier one" if schema is None else schema.removeprefix(f"{_SCHEMA} ")
        repair = "its numbers may differ. Name another file."
        return f"was written by version {version}, and this is {self.version}: {repair}"


def _key(curve: str, question: Question) -> str:
    """Return what a row is kept under: all that it depends on."""
    numbers = (question.eps, question.delta, question.beta, question.n, question.inputs, question.bound)
    kind = "rows" if question.with_privacy else "errors"
    return " ".join((*(exact_text(Fraction(number)) for number in numbers), kind, curve))


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
        jobs: processes, at least 1. A script that asks for several protects its beginning by
            ``if __name__ == "__main__":``, because each process imports it.
        progress: a callback for finished rows; see :mod:`exactdp.progress`.

    >>> from exactdp.studies.survey.error_curves import read_question
    >>> asked = read_question(1000, eps="1/2", delta="1e-6")
    >>> names = ["discrete Laplace, pure", "almost central, theorem"]
    >>> for curve in (answered := survey(asked, only=[f"bit sums: {name}" for name in names])).curves:
    ...     row = answered.row(curve, 1000)
    ...     print(curve.name, "|", row.error.value, row.error.level, "|", row.delta.value)
    discrete Laplace, pure | 6 exact | 0
    almost central, theorem | 12 exact | [1.815914753e-77, 1.815914754e-77]

    Cost: 11 s at 10^4 users, 45 s at 10^9.

    Source: GhoshRoughgardenSundararajan2012, section 2; GhaziKumarManurangsiPaghSinha2021, section 3.
    """
    sizes = tuple(as_integer(n, name="users", at_least=1) for n in (users or (question.n,)))
    if any(second <= first for first, second in pairwise(sizes)):
        raise InvalidValueError("users do not rise. Pass each number of users once, from the least to the largest.")
    curves = chosen(only)
    work = [(curve, replace(question, n=n)) for n in sizes for curve in curves]
    with progress_callback(progress):
        rows = answer_all(work, store or Store(), as_integer(jobs, name="jobs", at_least=1))
    by_curve = {curve.key: {n: rows[curve, replace(question, n=n)] for n in sizes} for curve in curves}
    return Survey(question, sizes, tuple(curves), by_curve)


def answer_all(work: Iterable[Work], store: Store, jobs: int) -> dict[Work, Row | Unanswered]:
    """Return the row of each curve at its question; what is not in the store yet is answered and kept there."""
    asked = dict.fromkeys(work)
    missing = [one for one in asked if store.get(one[0].key, one[1]) is None]
    Study(missing, _row, before=len(asked) - len(missing)).keep(store.put, jobs=jobs)
    return {one: row for one in asked if (row := store.get(one[0].key, one[1])) is not None}


def _row(work: Work) -> Row | Unanswered:
    curve, question = work
    return curve.row(question)
