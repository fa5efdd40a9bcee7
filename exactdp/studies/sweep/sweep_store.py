"""The store of a sweep: a file of SQLite with a row for each question, its answer, and what it cost.

The table ``answers`` has a row for each question from the moment that it is asked; until it is answered, the answer is
null. ``certificates`` has a row for each certified end. A row is written in one transaction, and an answer that is
there is never written over: a process that is killed, or two that answer the same, lose nothing and double nothing.

What is written carries its digest: ``asked_digest`` that of a question's columns, ``digest`` that of an answer's and of
a certificate's. A row that is read and does not have it was changed by something else: it is refused, by its name. A
store of an earlier version is read as it is, and gets the columns that it lacks when it is gone on with: of the first,
rows that were there have no digest.

As a table, a store is its questions and answers, ordered by question, the same bytes whatever answered them. What a row
cost, and where, is told on request only.

The answers to a sweep: what its store does not hold yet, by this process, several, or those of a cluster
---------------------------------------------------------------------------------------------------------

Dask's executor is one as any other, with the extra ``distributed``; its workers are its own care.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from fractions import Fraction
from functools import partial
from hashlib import sha256
from importlib import import_module
from itertools import islice
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final

from exactdp.errors import InvalidFileError, InvalidValueError, WorkersLostError
from exactdp.files.atomic_file import write_whole
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.progress import Progress, progress_callback
from exactdp.studies.study_store import StudyStore, digest_of, is_readable, marks
from exactdp.studies.study_workers import Study
from exactdp.studies.sweep.sweep_answers import Answer, AnsweredRow, Certified, Cost, answered_row, read_value
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_spec import Sweep

_SCHEMA: Final = "exactdp-sweep-3"
"""Names what the columns mean; it changes with any change of meaning, and where there are more."""
_CLASS: Final = ("answers", "worst_class INTEGER")
_LACKING: Final = {
    "exactdp-sweep-1": (
        ("answers", "asked_digest TEXT"),
        ("answers", "digest TEXT"),
        ("certificates", "digest TEXT"),
        _CLASS,
    ),
    "exactdp-sweep-2": (_CLASS,),
}
"""The columns that stores of earlier versions lack, by tables."""
_AT_ONCE: Final = 500
"""Keys in one query: SQLite allows a thousand parameters everywhere."""
_ENTERED: Final = 10_000
"""Questions in one transaction, a second of work, so that nobody else waits for longer."""
_TABLES: Final = """
CREATE TABLE store (schema TEXT NOT NULL);
CREATE TABLE answers (
  key TEXT PRIMARY KEY, name TEXT NOT NULL, question TEXT NOT NULL,
  subject TEXT NOT NULL, users TEXT, neighbors TEXT, shift TEXT, runs INTEGER NOT NULL,
  asked TEXT NOT NULL, at TEXT NOT NULL, answer TEXT NOT NULL, asked_digest TEXT,
  lower TEXT, upper TEXT, lo TEXT, hi TEXT, level TEXT, engine TEXT, is_tight INTEGER, error TEXT, worst_class INTEGER,
  microseconds INTEGER, host TEXT, exactdp TEXT, python_flint TEXT, python TEXT, answered_at INTEGER,
  is_certified INTEGER NOT NULL DEFAULT 0, digest TEXT
) WITHOUT ROWID;
CREATE TABLE certificates (
  key TEXT NOT NULL REFERENCES answers (key), side TEXT NOT NULL, at TEXT NOT NULL, verdict TEXT NOT NULL,
  level TEXT NOT NULL, claim_id TEXT, reason TEXT NOT NULL, document TEXT, digest TEXT,
  PRIMARY KEY (key, side)
) WITHOUT ROWID;
"""
_QUESTION: Final = ("name", "subject", "users", "neighbors", "shift", "runs", "asked", "at", "answer")
_ASKED: Final = ("key", "name", "question", *_QUESTION[1:])
_ANSWER: Final = tuple(field.name for field in fields(Answer))
COST: Final = tuple(field.name for field in fields(Cost))
_SIDES: Final = ("holds", "fails")
_ANSWERED: Final = ("key", *_ANSWER, *COST, "answered_at", "is_certified")
_CERTIFICATE: Final = ("key", *(field.name for field in fields(Certified)))


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


class SweepStore(StudyStore):
    """Questions and answers in a file; to be closed, or used as a context manager.

    Args:
        path: the file.
        create: whether it is made where it is not there; False to read only what is.

    Raises:
        InvalidFileError: for a file that is no store, and where it cannot be read or written.
    """

    study, tables, keyed, earlier = "sweep", _TABLES, ("answers", "certificates"), tuple(_LACKING)

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        file = Path(path)
        if not create and not (file.exists() and (file.is_dir() or file.stat().st_size)):
            raise InvalidFileError(f"{path} is not there. Make it: exactdp sweep SPEC.toml -o {path}.")
        super().__init__(path, _SCHEMA, create=create)
        self._lacks = _LACKING.get(self._found or "", ())

    def ask(self, questions: Iterable[tuple[str, Question]]) -> None:
        """Enter questions with their names; one that is there keeps its answer, and takes the name."""
        columns = (*_ASKED, "asked_digest")
        insert = (
            f"INSERT INTO answers ({', '.join(columns)}) VALUES ({marks(len(columns))}) ON CONFLICT (key) "
            "DO UPDATE SET name = excluded.name, asked_digest = excluded.asked_digest WHERE name != excluded.name"
        )
        known: dict[str, str] = {}
        if self._lacks:  # what changes nothing leaves such a store as it is
            with self._refused():
                known = dict(self._data.execute("SELECT key, name FROM answers"))
        asked = (one for one in questions if not known or known.get(one[1].key) != one[0])
        while some := [_asked(name, question) for name, question in islice(asked, _ENTERED)]:
            with self._transaction():
                self._add_columns()
                self._data.executemany(insert, some)

    def missing(self, questions: Iterable[tuple[str, Question]], *, certify: bool) -> Iterator[Question]:
        """Yield those questions, which are entered, that have no answer yet, or no certificates where they are asked
        for."""
        asked = iter(questions)
        while keys := {question.key: question for _, question in islice(asked, _AT_ONCE)}:
            done = f"level IS NOT NULL{' AND (is_certified OR lower IS NULL)' if certify else ''}"
            query = f"SELECT key FROM answers WHERE key IN ({marks(len(keys))}) AND {done}"
            with self._refused():
                known = {key for (key,) in self._data.execute(query, tuple(keys))}
            yield from (question for key, question in keys.items() if key not in known)

    def put(self, rows: Sequence[AnsweredRow]) -> None:
        """Keep answers, in one transaction: all of them or none; an answer that is there stays."""
        now = time.time_ns() // 10**9
        columns = ", ".join(f"{name} = ?" for name in (*_ANSWERED[1:], "digest"))
        answer = f"UPDATE answers SET {columns} WHERE key = ? AND level IS NULL"
        certificate = f"INSERT OR IGNORE INTO certificates VALUES ({marks(len(_CERTIFICATE) + 1)})"
        with self._transaction():
            self._add_columns()
            for row in rows:
                answered = (*astuple(row.answer), *astuple(row.cost), now, False)
                self._data.execute(answer, (*answered, _answer_digest(row.key, *answered), row.key))
                if row.certificates is not None:
                    self._certify(row.key)
                    found = ((row.key, *astuple(one)) for one in row.certificates)
                    self._data.executemany(certificate, [(*one, digest_of(*one)) for one in found])

    def _certify(self, key: str) -> None:
        """Take note that an answer has its certificates; one that was changed keeps the digest that says so."""
        query = f"SELECT {', '.join(_ANSWERED)}, digest FROM answers WHERE key = ?"
        *answered, digest = self._data.execute(query, (key,)).fetchone()
        if digest == _answer_digest(*answered):
            digest = _answer_digest(*answered[:-1], True)
        self._data.execute("UPDATE answers SET is_certified = 1, digest = ? WHERE key = ?", (digest, key))

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
        """Yield all rows, ordered by question: the same order wherever and however they were answered.

        Raises:
            InvalidFileError: at a row that was changed since it was written, with its question and the repair.
        """
        lost = "SELECT key FROM certificates WHERE key NOT IN (SELECT key FROM answers) LIMIT 1"
        with self._refused():
            listed = self._data.execute("SELECT key, question FROM answers").fetchall()
            questions = sorted((self._question(key, text) for key, text in listed), key=attrgetter("order", "key"))
            for (key,) in self._data.execute(lost).fetchall():
                raise self._changed(key, "a certificate of a question that is not there")
            for question in questions:
                yield self._row(question)

    def _question(self, key: Any, text: Any) -> Question:
        """Return the question of a row, whose key is the SHA-256 of its text."""
        if not is_readable((key, text)) or sha256(text.encode()).hexdigest() != key:
            raise self._changed(key, f"the row of the question {short(repr(text))}")
        return Question.read(text)

    def _row(self, question: Question) -> StoredRow:
        users = "" if question.users is None else f"n = {question.users}, "
        about = f"the row of {question.title}, {users}{question.asked} = {question.at},"
        lacking = {column.partition(" ")[0] for _, column in self._lacks}
        asked_digest, digest = ("NULL" if column in lacking else column for column in ("asked_digest", "digest"))
        columns = ["NULL" if column in lacking else column for column in _ANSWERED]
        (asked,) = self._sealed("answers", _ASKED, question.key, about, asked_digest)
        (answered,) = self._sealed("answers", columns, question.key, about, digest, _answer_digest)
        found = self._sealed("certificates", _CERTIFICATE, question.key, about, digest)
        found.sort(key=itemgetter("side"), reverse=True)
        certificates = tuple(Certified(*(one[name] for name in _CERTIFICATE[1:])) for one in found)
        if answered["level"] is None:
            return StoredRow(asked["name"], question, None, None, certificates)
        tight = answered["is_tight"]
        answered["is_tight"] = None if tight is None else bool(tight)
        answer = Answer(**{name: answered[name] for name in _ANSWER if name in answered})
        cost = Cost(*(answered[name] for name in COST))
        return StoredRow(asked["name"], question, answer, cost, certificates)

    def _add_columns(self) -> None:
        """Give a store of an earlier version the columns that it lacks, unless another process has done so."""
        if self._lacks and self._schema() == self._found:
            for table, column in self._lacks:
                self._data.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
            self._data.execute("UPDATE store SET schema = ?", (_SCHEMA,))
        self._lacks = ()


def _answer_digest(*values: Any) -> str:
    """Return the digest of an answer; without a worst class that of a store which has no such column."""
    place = _ANSWERED.index("worst_class")
    return digest_of(*(values if values[place] is not None else values[:place] + values[place + 1 :]))


def _question_cells(name: str, question: Question) -> dict[str, Any]:
    about = {column: getattr(question, column) for column in _QUESTION[2:]}
    return {"name": name, "subject": question.title, **about}


def _asked(name: str, question: Question) -> tuple[Any, ...]:
    asked = (question.key, name, question.text, *list(_question_cells(name, question).values())[1:])
    return (*asked, digest_of(*asked))


def row_cells(row: StoredRow, *, costs: bool = False) -> dict[str, Any]:
    """Return a row by the names of its columns; None where there is nothing.

    ``holds`` and ``fails`` are the numbers at which a certificate proves the answer's upper end, and refutes what is
    below its lower end.
    """
    cells = _question_cells(row.name, row.question)
    cells |= dict.fromkeys(_ANSWER) if row.answer is None else asdict(row.answer)
    certified = {one.side: one.at for one in row.certificates if one.level == "certificate"}
    cells |= {side: certified.get(side) for side in _SIDES}
    if costs:
        cells |= dict.fromkeys(COST) if row.cost is None else asdict(row.cost)
    return cells


def csv_rows(rows: Iterable[StoredRow], *, costs: bool = False) -> Iterator[list[str]]:
    """Yield the table as rows of CSV, the header first."""
    yield [*_QUESTION, *_ANSWER, *_SIDES, *(COST if costs else ())]
    for row in rows:
        yield [_cell(value) for value in row_cells(row, costs=costs).values()]


def _cell(value: Any) -> str:
    return {None: "", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else str(value)


def write_certificates(rows: Iterable[StoredRow], folder: str | Path) -> Iterator[Path]:
    """Write each certificate into a file of a directory that exists, and yield its path.

    It is named by the claim, so that equal claims are one file.
    """
    for certified in (one for row in rows for one in row.certificates):
        if certified.document is not None:
            path = Path(folder) / f"{certified.side}-{certified.claim_id}.json"
            write_whole(path, certified.document)
            yield path


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep has done: questions of the spec, those answered before and now, and those left out with why."""

    questions: int
    before: int
    now: int
    left_out: tuple[tuple[Question, str], ...]


def answer_sweep(
    sweep: Sweep,
    store: SweepStore,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Swept:
    """Answer what is not in the store yet, and keep it there.

    Args:
        sweep: the grid, made by ``read_sweep_file``.
        store: where answers are kept; what is there is not asked again.
        jobs: processes of this machine; 1 for this one. A program that asks for more protects its own beginning by
            ``if __name__ == "__main__":``, because each process imports it.
        executor: instead, any executor of ``concurrent.futures``: ``Client(address).get_executor()`` of Dask, for one.
            Its workers have this package in the same version. It is not shut down.
        progress: a callback for answered questions; see :mod:`exactdp.progress`.

    Raises:
        WorkersLostError: where an executor is lost or shut down; what was answered is kept.

    >>> from exactdp.studies.sweep.sweep_spec import read_sweep
    >>> sweep = read_sweep('randomizer = [{protocol = "@gap"}]\\ngrid = {users = [5, 6], exp_eps = [1, 2]}')
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, SweepStore(f"{folder}/store.sqlite") as store:
    ...     first, second = answer_sweep(sweep, store), answer_sweep(sweep, store)
    ...     print(first.now, second.now, [row.answer.lower for row in store.rows()])
    4 0 ['...', ..., '...']

    Cost: about 2 ms for each question beside its answer, and of whoever asks 0.08 ms.
    """
    processes = as_integer(jobs, name="jobs", at_least=1)
    if executor is not None and not isinstance(executor, Executor):
        raise InvalidValueError(f"executor has the type {type(executor).__name__}. Pass one of concurrent.futures.")
    left_out: list[tuple[Question, str]] = []

    def leave_out(question: Question, why: BaseException) -> None:
        left_out.append((question, f"{type(why).__name__}: {why}"))

    with progress_callback(progress):
        store.ask(sweep)
        missing = list(store.missing(sweep, certify=sweep.certify))
        before, answer = len(sweep) - len(missing), partial(answered_row, certify=sweep.certify)
        study = Study(missing, answer, attrgetter("about"), before)
        now = study.keep(
            lambda rows: store.put([row for _, row in rows]), jobs=processes, executor=executor, leave_out=leave_out
        )
    return Swept(len(sweep), before, now, tuple(left_out))


_WAIT: Final = 10
"""Seconds for a scheduler to answer."""


@contextmanager
def cluster_executor(address: str) -> Iterator[Executor]:
    """Yield the executor of the scheduler at an address, as "tcp://10.0.0.1:8786"; its workers have this package.

    Raises:
        InvalidValueError: where Dask is not installed.
        WorkersLostError: where no scheduler answers.
    """
    try:
        client_class = import_module("distributed").Client
    except ImportError:
        raise InvalidValueError(
            "a cluster needs the extra distributed, which is not installed. Run: pip install 'exactdp[distributed]'."
        ) from None
    try:
        client = client_class(address, timeout=_WAIT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkersLostError(
            f"no scheduler answers at {address}: {error}. Start one, `dask scheduler`, and give its address."
        ) from None
    with client:
        yield client.get_executor(pure=False)
