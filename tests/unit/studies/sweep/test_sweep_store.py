"""The store: one row for each question, whatever is put twice, killed in the middle, or no store at all."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from exactdp.errors import InvalidFileError
from exactdp.files.spreadsheets import csv_lines
from exactdp.studies.sweep.sweep_answers import AnsweredRow, answered_row
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_spec import Sweep, read_sweep
from exactdp.studies.sweep.sweep_store import Counts, SweepStore, csv_rows, row_cells

SPEC = 'randomizer = [{name = "gap", protocol = "@gap"}]\ngrid = {users = [3, 4], exp_eps = [2, "3/2"], delta = "1/9"}'


def sweep() -> Sweep:
    return read_sweep(SPEC)


def answers(certify: bool = False) -> list[AnsweredRow]:
    return [answered_row(question, certify=certify) for _, question in sweep()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def exported(path: Path) -> str:
    with SweepStore(path, create=False) as store:
        return "".join(csv_lines(csv_rows(store.rows())))


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


COLUMNS = {
    "answers": [
        *("key", "name", "question", "subject", "users", "neighbors", "shift", "runs", "asked", "at", "answer"),
        *("asked_digest", "lower", "upper", "lo", "hi", "level", "engine", "is_tight", "error", "worst_class"),
        *("microseconds", "host", "exactdp", "python_flint", "python", "answered_at", "is_certified", "digest"),
    ],
    "certificates": ["key", "side", "at", "verdict", "level", "claim_id", "reason", "document", "digest"],
}
CHANGES = {
    "no text": "CAST(x'ff' || substr(CAST(coalesce({0}, 'x') AS BLOB), 2) AS TEXT)",
    "another character": "'/' || substr(coalesce({0}, 'x'), 2)",
    "bytes": "CAST(coalesce({0}, 'x') AS BLOB)",
    "another integer": "coalesce(CAST({0} AS INTEGER), 0) + 1",
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with certificates of all its answers."""
    path = tmp_path_factory.mktemp("kept") / "store.sqlite"
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers())
        store.put(answers(certify=True))
    return path


def test_each_column_is_covered(kept: Path) -> None:
    with SweepStore(kept) as store:
        for table, columns in COLUMNS.items():
            assert [row[1] for row in store._data.execute(f"PRAGMA table_info({table})")] == columns


def _change(path: Path, table: str, column: str, change: str) -> str:
    """Change one column of one row of a table, and return the key of its question."""
    side = " AND side = 'fails'" if table == "certificates" else ""
    with sqlite3.connect(path) as data:
        (key,) = data.execute("SELECT key FROM certificates WHERE side = 'fails' ORDER BY key").fetchone()
        data.execute(f"UPDATE {table} SET {column} = {CHANGES[change].format(column)} WHERE key = ?{side}", (key,))
    data.close()
    return str(key)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("table", COLUMNS)
def test_a_row_that_was_changed_is_named(kept: Path, path: Path, table: str, change: str) -> None:
    for column in COLUMNS[table]:
        shutil.copy(kept, path)
        key = _change(path, table, column, change)
        with pytest.raises(InvalidFileError, match=r"store.sqlite is damaged: .* is not what was written\. ") as said:
            exported(path)
        if column == "key":
            assert re.search("Take a copy that is whole|Remove it", str(said.value))
            continue
        assert f"Remove it, in SQLite by DELETE FROM answers WHERE key = '{key}';" in str(said.value)
        named = "question" if column == "question" else r"@gap, n = [34], (exp_eps|delta) = [0-9/]+,"
        assert re.search(f"the row of .*{named}", str(said.value))


@pytest.mark.parametrize(("table", "column"), [("answers", "lower"), ("answers", "question"), ("certificates", "at")])
def test_what_the_message_says_repairs_the_store(kept: Path, path: Path, table: str, column: str) -> None:
    shutil.copy(kept, path)
    before = exported(path)
    _change(path, table, column, "another character")
    with pytest.raises(InvalidFileError) as said:
        exported(path)
    remove = re.search(r"in SQLite by (.*) and run the same sweep again", str(said.value))
    assert remove is not None
    data = sqlite3.connect(path)
    data.executescript(remove[1])
    data.close()
    with SweepStore(path) as store:
        store.ask(sweep())
        (missing,) = store.missing(sweep(), certify=True)
        store.put([answered_row(missing, certify=True)])
    assert exported(path) == before


def test_an_answer_that_was_changed_is_not_sealed_by_its_certificates(path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers())
        store._data.execute("UPDATE answers SET lower = '1/7'")
        store.put(answers(certify=True))
    with pytest.raises(InvalidFileError, match="is not what was written"):
        exported(path)


OLD = Path(__file__).parents[2] / "cli" / "stores" / "sweep.sqlite"


def test_a_store_without_digests_is_read_and_gets_them_when_it_is_gone_on_with(path: Path) -> None:
    shutil.copy(OLD, path)
    content, before = path.read_bytes(), exported(path)
    assert path.read_bytes() == content
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers())
        digests = store._data.execute("SELECT count(*), count(digest), count(asked_digest) FROM answers").fetchone()
    assert digests[0] > digests[1] == digests[2] == len(sweep())
    assert set(before.splitlines()) < set(exported(path).splitlines())
    with SweepStore(path) as store:
        store._data.execute("UPDATE answers SET lower = '1/7' WHERE digest IS NOT NULL")
    with pytest.raises(InvalidFileError, match="is not what was written"):
        exported(path)


def test_a_store_without_a_worst_class_is_read_and_gets_it_when_it_is_gone_on_with(path: Path, tmp_path: Path) -> None:
    with SweepStore(path) as store:
        store.ask(sweep())
        store.put(answers())
        store._data.execute("ALTER TABLE answers DROP COLUMN worst_class")
        store._data.execute("UPDATE store SET schema = 'exactdp-sweep-2'")
    content, before = path.read_bytes(), exported(path)
    assert path.read_bytes() == content
    (tmp_path / "both.toml").write_text(
        "".join(f'[[class]]\nof = "krr:inputs=2,exp-eps0={power}"\nusers = 2\n' for power in (2, 3))
    )
    classes = read_sweep('randomizer = [{protocol = "both.toml"}]\ngrid = {exp_eps = "3/2"}', folder=tmp_path)
    with SweepStore(path) as store:
        store.ask(classes)
        store.put([answered_row(question, certify=False) for _, question in classes])
        assert {row.answer.worst_class for row in store.rows() if row.answer} == {None, 1}
    assert set(before.splitlines()) < set(exported(path).splitlines())
    for change in ("NULL WHERE worst_class = 1", "0 WHERE worst_class IS NULL"):
        shutil.copy(path, changed := tmp_path / "changed.sqlite")
        with SweepStore(changed) as store:
            store._data.execute(f"UPDATE answers SET worst_class = {change}")
        with pytest.raises(InvalidFileError, match="is not what was written"):
            exported(changed)


@pytest.mark.parametrize(("column", "said"), [("lower", "damaged"), ("question", "is not what was written")])
def test_a_text_that_is_damaged_is_refused_without_digests_too(path: Path, column: str, said: str) -> None:
    for damage in ("'x/0'", "CAST(x'ffff' AS TEXT)"):
        shutil.copy(OLD, path)
        with sqlite3.connect(path) as data:
            data.execute(f"UPDATE answers SET {column} = {damage}")
        data.close()
        with SweepStore(path, create=False) as store, pytest.raises(InvalidFileError, match=said):
            [row.value for row in store.rows()]


def test_a_store_in_use_is_not_blamed_on_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactdp.studies.study_store._WAIT", 0)
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
    monkeypatch.setattr("exactdp.studies.sweep.sweep_store._ENTERED", 4)
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
