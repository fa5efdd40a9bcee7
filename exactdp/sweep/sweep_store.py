"""The store of a sweep: a file of SQLite with a row for each question, its answer, and what it cost.

The table ``answers`` has a row for each question from the moment that it is asked; until it is answered, the answer is
null. ``certificates`` has a row for each certified end. A row is written in one transaction, and an answer that is
there is never written over: a process that is killed, or two that answer the same, lose nothing and double nothing.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final

from exactdp.errors import InvalidFileError
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.epsilon import LogRational
from exactdp.sweep.sweep_answers import Answer, AnsweredRow, Cost, read_value
from exactdp.sweep.sweep_certificates import Certified
from exactdp.sweep.sweep_question import Question

_SCHEMA: Final = "exactdp-sweep-1"
"""Names what the columns mean; it changes with any change of meaning."""
_WAIT: Final = 60
"""Seconds for another process to finish its transaction."""
_AT_ONCE: Final = 500
"""Keys in one query: SQLite allows a thousand parameters everywhere."""
_ENTERED: Final = 10_000
"""Questions in one transaction, a second of work, so that nobody else waits for longer."""
_TABLES: Final = """
CREATE TABLE store (schema TEXT NOT NULL);
CREATE TABLE answers (
  key TEXT PRIMARY KEY, name TEXT NOT NULL, question TEXT NOT NULL,
  subject TEXT NOT NULL, users TEXT, neighbors TEXT, shift TEXT, runs INTEGER NOT NULL,
  asked TEXT NOT NULL, at TEXT NOT NULL, answer TEXT NOT NULL,
  lower TEXT, upper TEXT, lo TEXT, hi TEXT, level TEXT, engine TEXT, is_tight INTEGER, error TEXT,
  microseconds INTEGER, host TEXT, exactdp TEXT, python_flint TEXT, python TEXT, answered_at INTEGER,
  is_certified INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE certificates (
  key TEXT NOT NULL REFERENCES answers (key), side TEXT NOT NULL, at TEXT NOT NULL, verdict TEXT NOT NULL,
  level TEXT NOT NULL, claim_id TEXT, reason TEXT NOT NULL, document TEXT,
  PRIMARY KEY (key, side)
) WITHOUT ROWID;
"""
_ANSWER: Final = tuple(field.name for field in fields(Answer))
_COST: Final = tuple(field.name for field in fields(Cost))


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row: the question with its name, the answer and the cost, None while there is none, and its certificates."""

    name: str
    question: Question
    answer: Answer | None
    cost: Cost | None
    certificates: tuple[Certified, ...]

    @property
    def value(self) -> Fraction | Interval | LogRational | None:
        """The number, from one end to the other; None where there is none."""
        if self.answer is None or self.answer.lower is None or self.answer.upper is None:
            return None
        try:
            return read_value(self.question.answer, self.answer.lower, self.answer.upper)
        except (ValueError, ZeroDivisionError):
            raise InvalidFileError(
                f"the store is damaged: {self.question.title} has the ends {short(repr(self.answer.lower))} and "
                f"{short(repr(self.answer.upper))}. Take a copy that is whole, or sweep into another file."
            ) from None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many questions a store holds, how many are answered, how many of those say why there is no answer, and
    how many certificates there are."""

    questions: int
    answered: int
    errors: int
    certificates: int


class SweepStore:
    """Questions and answers in a file; to be closed, or used as a context manager.

    Args:
        path: the file.
        create: whether it is made where it is not there; False to read only what is.

    Raises:
        InvalidFileError: for a file that is no store, and where it cannot be read or written.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InvalidFileError(f"{path} is a directory. Name a file.")
        is_new = not self.path.exists() or not self.path.stat().st_size
        if is_new and not create:
            raise InvalidFileError(f"{path} is not there. Make it: exactdp sweep SPEC.toml -o {path}.")
        if not self.path.absolute().parent.is_dir():
            raise InvalidFileError(f"{path} is in a directory that does not exist. Make it, or name another file.")
        with self._refused():
            self._data = sqlite3.connect(self.path.absolute(), timeout=_WAIT, isolation_level=None)
            try:
                self._open(create)
            except BaseException:
                self._data.close()
                raise

    def __enter__(self) -> SweepStore:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._data.close()

    def ask(self, questions: Iterable[tuple[str, Question]]) -> None:
        """Enter questions with their names; one that is there keeps its answer, and takes the name."""
        columns = "key, name, question, subject, users, neighbors, shift, runs, asked, at, answer"
        insert = (
            f"INSERT INTO answers ({columns}) VALUES ({_marks(11)}) "
            "ON CONFLICT (key) DO UPDATE SET name = excluded.name WHERE name != excluded.name"
        )
        asked = iter(questions)
        while some := [_asked(name, question) for name, question in islice(asked, _ENTERED)]:
            with self._transaction():
                self._data.executemany(insert, some)

    def missing(self, questions: Iterable[tuple[str, Question]], *, certify: bool) -> Iterator[Question]:
        """Yield those questions, which are entered, that have no answer yet, or no certificates where they are asked
        for."""
        asked = iter(questions)
        while keys := {question.key: question for _, question in islice(asked, _AT_ONCE)}:
            done = f"level IS NOT NULL{' AND (is_certified OR lower IS NULL)' if certify else ''}"
            query = f"SELECT key FROM answers WHERE key IN ({_marks(len(keys))}) AND {done}"
            with self._refused():
                known = {key for (key,) in self._data.execute(query, tuple(keys))}
            yield from (question for key, question in keys.items() if key not in known)

    def put(self, rows: Sequence[AnsweredRow]) -> None:
        """Keep answers, in one transaction: all of them or none; an answer that is there stays."""
        now = time.time_ns() // 10**9
        columns = ", ".join(f"{name} = ?" for name in (*_ANSWER, *_COST, "answered_at"))
        answer = f"UPDATE answers SET {columns} WHERE key = ? AND level IS NULL"
        certify = "UPDATE answers SET is_certified = 1 WHERE key = ?"
        certificate = f"INSERT OR IGNORE INTO certificates VALUES ({_marks(8)})"
        with self._transaction():
            for row in rows:
                self._data.execute(answer, (*astuple(row.answer), *astuple(row.cost), now, row.key))
                if row.certificates is not None:
                    self._data.execute(certify, (row.key,))
                    self._data.executemany(certificate, [(row.key, *astuple(one)) for one in row.certificates])

    def counts(self) -> Counts:
        """Return how far it is."""
        query = "SELECT count(*), count(level), count(error) FROM answers"
        with self._refused():
            questions, answered, errors = self._data.execute(query).fetchone()
            (certificates,) = self._data.execute(
                "SELECT count(*) FROM certificates WHERE level = 'certificate'"
            ).fetchone()
        return Counts(questions, answered, errors, certificates)

    def rows(self) -> Iterator[StoredRow]:
        """Yield all rows, ordered by question: the same order wherever and however they were answered."""
        with self._refused():
            listed = self._data.execute("SELECT key, question FROM answers").fetchall()
            order = sorted((Question.read(text).order, key) for key, text in listed)
            for _, key in order:
                yield self._row(key)

    def _row(self, key: str) -> StoredRow:
        columns = ", ".join(("name", "question", *_ANSWER, *_COST))
        name, question, *rest = self._data.execute(f"SELECT {columns} FROM answers WHERE key = ?", (key,)).fetchone()
        answer, cost = rest[: len(_ANSWER)], rest[len(_ANSWER) :]
        query = "SELECT side, at, verdict, level, claim_id, reason, document FROM certificates WHERE key = ?"
        certificates = tuple(Certified(*found) for found in self._data.execute(f"{query} ORDER BY side DESC", (key,)))
        if answer[_ANSWER.index("level")] is None:
            return StoredRow(name, Question.read(question), None, None, certificates)
        tight = _ANSWER.index("is_tight")
        answer[tight] = None if answer[tight] is None else bool(answer[tight])
        return StoredRow(name, Question.read(question), Answer(*answer), Cost(*cost), certificates)

    def _open(self, create: bool) -> None:
        """Make the tables of a new file, or refuse one that is no store."""
        with self._transaction("BEGIN IMMEDIATE" if create else "BEGIN"):
            tables = {name for (name,) in self._data.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if create and not tables:
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._data.execute(statement)
                self._data.execute("INSERT INTO store VALUES (?)", (_SCHEMA,))
                return
            schema = self._data.execute("SELECT schema FROM store").fetchone() if "store" in tables else None
        if schema is not None and schema != (_SCHEMA,):
            raise InvalidFileError(
                f"{self.path} is a store of the version {short(str(schema[0]))}, and this is a program for {_SCHEMA}. "
                "Use the program that made it, or name another file."
            )
        if schema is None:
            raise InvalidFileError(f"{self.path} is no store of a sweep. Name one, or a file that is not there yet.")

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        with self._refused():
            self._data.execute(begin)
            try:
                yield
                self._data.execute("COMMIT")
            except BaseException:
                if self._data.in_transaction:  # a full disk has rolled back already
                    self._data.execute("ROLLBACK")
                raise

    @contextmanager
    def _refused(self) -> Iterator[None]:
        """Raise what SQLite raises as an error of this package, with the file."""
        try:
            yield
        except sqlite3.ProgrammingError:
            raise  # a defect of the caller, as a store that is closed
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_NOTADB) & 0xFF
            why = {
                sqlite3.SQLITE_NOTADB: "is no store of a sweep. Name one, or a file that is not there yet.",
                sqlite3.SQLITE_CORRUPT: f"is damaged: {error}. Take a copy that is whole, or name another file.",
                sqlite3.SQLITE_BUSY: f"is in use: {error}. Try again when the other program is done with it.",
            }
            said = why.get(code, f"cannot be used as a store: {error}. Name another file.")
            raise InvalidFileError(f"{self.path} {said}") from None


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _asked(name: str, question: Question) -> tuple[Any, ...]:
    about = (question.title, question.users, question.neighbors, question.shift, question.runs)
    return question.key, name, question.text, *about, question.asked, question.at, question.answer
