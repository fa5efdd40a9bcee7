"""The store of a study: a file of SQLite that survives a kill, and that two processes can write into.

What is written is written in one transaction, with its digest; a row that is read and does not have it was changed by
something else, and is refused with the repair. A number is kept as the texts of both its ends, which are exact.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final, Self
from weakref import finalize

from exactdp.errors import InvalidFileError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import ends, exact_text, short
from exactdp.numbers.interval import Interval

_WAIT: Final = 60
"""Seconds for another process to finish its transaction."""
_KEY: Final = re.compile("[0-9a-f]{64}")


class StudyStore:
    """A file with what is answered; to be closed, or used as a context manager.

    Args:
        path: the file; None for one in memory.
        schema: names what the columns mean; it changes with any change of meaning.
        create: whether it is made where it is not there; False to read only what is.

    Raises:
        InvalidFileError: for a file that is no such store, and where it cannot be read or written.
    """

    study: ClassVar[str]
    """What makes the store: the name of its command."""
    tables: ClassVar[str]
    """The statements that make its tables; that named store has the schema."""
    keyed: ClassVar[tuple[str, ...]]
    """The tables that have rows of a key."""
    earlier: ClassVar[tuple[str, ...]] = ()
    """Schemas that are read too."""

    def __init__(self, path: str | Path | None, schema: str, *, create: bool = True) -> None:
        self.path, self.schema = None if path is None else Path(path), schema
        if self.path is not None:
            if self.path.is_dir():
                raise InvalidFileError(f"{path} is a directory. Name a file.")
            if not self.path.absolute().parent.is_dir():
                raise InvalidFileError(f"{path} is in a directory that does not exist. Make it, or name another file.")
        with self._refused():
            place = ":memory:" if self.path is None else self.path.absolute()
            self._data = sqlite3.connect(place, timeout=_WAIT, isolation_level=None)
            self._data.text_factory = _text
            self._close = finalize(self, self._data.close)
            try:
                self._open(create)
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._close()

    def _open(self, create: bool) -> None:
        """Make the tables of a new file, or refuse one that is no store."""
        with self._transaction("BEGIN IMMEDIATE" if create else "BEGIN"):
            listed = {name for (name,) in self._data.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if create and not listed:
                for statement in filter(str.strip, self.tables.split(";")):
                    self._data.execute(statement)
                self._data.execute("INSERT INTO store VALUES (?)", (self.schema,))
                listed = {"store"}
            self._found = self._schema() if "store" in listed else None
        if self._found not in (self.schema, *self.earlier):
            raise InvalidFileError(f"{self.path} {self._other(self._found)}")

    def _schema(self) -> str | None:
        """Return the schema of the file."""
        (schema,) = self._data.execute("SELECT schema FROM store").fetchone() or (None,)
        return None if schema is None else str(schema)

    def _other(self, schema: str | None) -> str:
        """Say that the file is no store, or one of another schema."""
        if schema is None:
            return f"is no store of a {self.study}. Name one, or a file that is not there yet."
        return (
            f"is a store of the version {short(schema)}, and this is a program for {self.schema}. Use the program that "
            "made it, or name another file."
        )

    def _sealed(
        self,
        table: str,
        columns: Sequence[str],
        key: str,
        about: str,
        digest: str = "digest",
        digested: Callable[..., str] | None = None,
    ) -> list[dict[str, Any]]:
        """Return the rows of a key, by the names of columns, if they are what was written; ``about`` names them."""
        query = f"SELECT {', '.join(columns)}, {digest} FROM {table} WHERE key = ?"
        with self._refused():
            rows = self._data.execute(query, (key,)).fetchall()
        for *values, sealed in rows:
            if not is_readable((*values, sealed)) or sealed not in (None, (digested or digest_of)(*values)):
                raise self._changed(key, about)
        return [dict(zip(columns, values, strict=False)) for values in rows]

    def _changed(self, key: Any, about: str) -> InvalidFileError:
        """Return the error of a row that is not what was written, with the repair: that of one that can be named."""
        repair = f"Take a copy that is whole, or {self.study} into another file."
        if isinstance(key, str) and _KEY.fullmatch(key):
            removals = " ".join(f"DELETE FROM {table} WHERE key = '{key}';" for table in self.keyed)
            repair = f"Remove it, in SQLite by {removals} and run the same {self.study} again."
        return InvalidFileError(f"{self.path} is damaged: {about} is not what was written. {repair}")

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
                sqlite3.SQLITE_NOTADB: self._other(None),
                sqlite3.SQLITE_CORRUPT: f"is damaged: {error}. Take a copy that is whole, or name another file.",
                sqlite3.SQLITE_BUSY: f"is in use: {error}. Try again when the other program is done with it.",
            }
            said = why.get(code, f"cannot be used as a store: {error}. Name another file.")
            raise InvalidFileError(f"{self.path} {said}") from None


def marks(count: int) -> str:
    """Return so many places of a statement."""
    return ", ".join("?" * count)


def _text(stored: bytes) -> str:
    """Return a stored text; of one that is no text each byte is kept, for the digest to tell."""
    return stored.decode("utf-8", "surrogateescape")


def is_readable(values: Sequence[Any]) -> bool:
    """Whether these are texts, integers and nothing, as they are written."""
    try:
        "".join(value for value in values if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        return False
    return all(value is None or isinstance(value, int | str) for value in values)


def digest_of(*values: Any) -> str:
    """Return the SHA-256 of the columns of a row."""
    plain = [int(value) if isinstance(value, bool) else value for value in values]
    return sha256(json.dumps(plain, separators=(",", ":")).encode()).hexdigest()


# --- Numbers --------------------------------------------------------------------------------------------------------


def exact_ends(value: Fraction | Interval) -> tuple[str, str]:
    """Return both ends exactly, as text: that of 26 times 2^-60 is "0x1ap-60".

    >>> exact_ends(Fraction(1, 4)), read_ends("1/4", "1/4"), read_ends("0x1p-2", "0x3p-3")
    (('1/4', '1/4'), Fraction(1, 4), Interval[0.25, 0.375])
    """
    low, high = ends(value)
    return _end_text(low), _end_text(high)


def _end_text(end: Fraction | Dyadic) -> str:
    if isinstance(end, Fraction):
        return exact_text(end)
    return f"{'-' if end.mantissa < 0 else ''}0x{abs(end.mantissa):x}p{end.exponent}"


def read_ends(lower: str, upper: str) -> Fraction | Interval:
    """Return the number from the texts of its ends."""
    if "p" not in lower:
        top, _, bottom = lower.partition("/")
        return Fraction(int(top, 0), int(bottom or "1", 0))
    low, high = (Dyadic.of(int(text.partition("p")[0], 16), int(text.partition("p")[2])) for text in (lower, upper))
    return Interval(low, high)
