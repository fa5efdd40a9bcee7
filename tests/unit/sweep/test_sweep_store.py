"""The store: one row for each question, whatever is put twice, killed in the middle, or no store at all."""

import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from exactdp.errors import InvalidFileError
from exactdp.sweep.sweep_answers import AnsweredRow, answered_rows
from exactdp.sweep.sweep_question import Question
from exactdp.sweep.sweep_spec import Sweep, read_sweep
from exactdp.sweep.sweep_store import Counts, SweepStore
from exactdp.sweep.sweep_table import csv_lines, row_cells

SPEC = 'randomizer = [{name = "gap", protocol = "@gap"}]\ngrid = {users = [3, 4], exp_eps = [2, "3/2"], delta = "1/9"}'


def sweep() -> Sweep:
    return read_sweep(SPEC)


def answers(certify: bool = False) -> list[AnsweredRow]:
    return answered_rows([question.text for _, question in sweep()], certify)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def exported(path: Path) -> str:
    with SweepStore(path, create=False) as store:
        return "".join(csv_lines(store.rows()))


def test_a_row_is_one_row_however_often_it_is_asked_and_answered(path: Path) -> None:
    for _ in range(2):
        with SweepStore(path) as store:
            store.ask(sweep())
            store.put(answers())
            store.put(answers()[:2])
    with SweepStore(path, create=False) as store:
        assert store.counts() == Counts(6, 6, 0, 0)
        assert list(store.missing(sweep(), certify=False)) == []
        assert len(list(store.missing(sweep(), certify=True))) == 6
    with sqlite3.connect(path) as data:
        assert data.execute("SELECT count(*) FROM answers").fetchone() == (6,)
    data.close()


def test_an_answer_that_is_there_is_not_written_over(path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers())
    before = exported(path)
    with SweepStore(path) as store:
        other = replace(answers()[0].answer, lower="1/2", upper="1/2")
        store.put([replace(answers()[0], answer=other)])
    assert exported(path) == before


def test_certificates_can_be_added_later_and_an_error_needs_none(path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers())
        store.put(answers(certify=True))
        assert list(store.missing(sweep(), certify=True)) == []
        rows = list(store.rows())
        assert store.counts().certificates == sum(len(row.certificates) for row in rows)
    for row in rows:
        assert row.answer is not None
        sides = ["holds"] if row.answer.lower == "0" else ["holds", "fails"]
        assert [one.side for one in row.certificates] == sides
    assert {row.answer.lower == "0" for row in rows if row.answer} == {True, False}


def test_what_costs_and_where_stand_in_columns_of_their_own(path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers()[:1])
        rows = {row.answer is None: row_cells(row, costs=True) for row in store.rows()}
    assert set(rows) == {True, False}
    assert {rows[True][name] for name in ("lower", "level", "host", "microseconds")} == {None}
    assert all(rows[False][name] for name in ("lower", "level", "host", "microseconds", "exactdp", "python_flint"))
    assert "host" not in exported(path).splitlines()[0]


def test_a_new_name_of_the_same_question_is_taken(path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers())
        store.ask(read_sweep(SPEC.replace('name = "gap", ', "")))
        assert {row.name for row in store.rows()} == {"@gap"}
        assert store.counts().answered == 6


def test_what_a_killed_process_leaves_in_a_transaction_is_the_rows_before_it(path: Path, tmp_path: Path) -> None:
    """The files as they are on the disk in the middle of a transaction, opened by somebody else."""
    left = tmp_path / "left"
    left.mkdir()

    def rows() -> Iterator[AnsweredRow]:
        yield from answers()[2:4]
        for file in tmp_path.glob("store.sqlite*"):
            shutil.copy(file, left)
        yield from answers()[4:]

    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers()[:2])
        store.put(rows())  # type: ignore[arg-type]
        assert store.counts().answered == 6
    with SweepStore(left / path.name) as store:
        assert store.counts() == Counts(6, 2, 0, 0)
        assert len(list(store.missing(sweep(), certify=False))) == 4


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + 100 * b"\0"])
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for create in (True, False):
        with pytest.raises(InvalidFileError, match=r"(is no store of a sweep|cannot be used as a store)"):
            SweepStore(path, create=create)
    assert path.read_bytes() == content


def test_another_database_is_refused(path: Path) -> None:
    data = sqlite3.connect(path)
    data.execute("CREATE TABLE mine (value TEXT)")
    data.commit()
    data.close()
    with pytest.raises(InvalidFileError, match="is no store of a sweep"):
        SweepStore(path)


def test_a_store_of_another_version_is_named(path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
    with sqlite3.connect(path) as data:
        data.execute("UPDATE store SET schema = 'exactdp-sweep-9'")
    data.close()
    for create in (True, False):
        with pytest.raises(
            InvalidFileError, match=r"the version exactdp-sweep-9, and this is a program for exactdp-sw"
        ):
            SweepStore(path, create=create)


def test_a_file_that_is_cut_short_is_said_to_be_damaged(path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
    path.write_bytes(path.read_bytes()[:8192])
    with pytest.raises(InvalidFileError, match=r"is damaged: .*\. Take a copy that is whole"):
        exported(path)


@pytest.mark.parametrize("column", ["lower", "question"])
def test_a_text_that_is_damaged_is_refused(path: Path, column: str) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers())
    with sqlite3.connect(path) as data:
        data.execute(f"UPDATE answers SET {column} = 'x/0'")
    data.close()
    with SweepStore(path, create=False) as store, pytest.raises(InvalidFileError, match=r"is damaged|is no question"):
        [row.value for row in store.rows()]


def test_a_store_in_use_is_not_blamed_on_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactdp.sweep.sweep_store._WAIT", 0)
    with SweepStore(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InvalidFileError, match=r"is in use: database is locked. Try again when"):
            store.ask(sweep())
        other.execute("ROLLBACK")
        other.execute("BEGIN")
        other.execute("SELECT * FROM answers").fetchall()  # who reads holds up the end of a transaction
        with pytest.raises(InvalidFileError, match="is in use"):
            store.ask(sweep())
        other.close()
        store.ask(sweep())
        assert store.counts().questions == 6


def test_a_full_disk_is_said_and_what_was_kept_stays(path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
        pages = store._data.execute("PRAGMA page_count").fetchone()[0]
        store._data.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(InvalidFileError, match="cannot be used as a store: database or disk is full"):
            store.ask(read_sweep(SPEC.replace("[3, 4]", str(list(range(5, 99))))))
        assert store.counts().questions == 6


def test_questions_are_entered_a_few_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever else writes into the store waits for one transaction, not for a million questions."""
    monkeypatch.setattr("exactdp.sweep.sweep_store._ENTERED", 4)
    seen = []

    def asked(other: SweepStore) -> Iterator[tuple[str, Question]]:
        for name, question in sweep():
            seen.append(other.counts().questions)
            yield name, question

    with SweepStore(path) as store, SweepStore(path, create=False) as other:
        store.ask(asked(other))
    assert seen == [0, 0, 0, 0, 4, 4]


def test_a_name_that_sqlite_reserves_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SweepStore(":memory:") as store:
        store.ask(sweep())
    with SweepStore(":memory:", create=False) as store:
        assert store.counts().questions == 6


def test_places_without_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match=r"is not there. Make it: exactdp sweep SPEC.toml -o "):
        SweepStore(tmp_path / "absent.sqlite", create=False)
    assert not (tmp_path / "absent.sqlite").exists()
    with pytest.raises(InvalidFileError, match="is a directory"):
        SweepStore(tmp_path)
    with pytest.raises(InvalidFileError, match="in a directory that does not exist"):
        SweepStore(tmp_path / "absent" / "store.sqlite")


def test_a_defect_of_the_caller_is_not_blamed_on_the_file(path: Path) -> None:
    store = SweepStore(path)
    store.close()
    with pytest.raises(sqlite3.ProgrammingError):
        store.counts()
