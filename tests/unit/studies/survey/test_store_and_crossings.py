"""Stored rows survive a kill and are not computed again; crossings are places where an order is proved to change."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp.errors import InvalidFileError, InvalidValueError
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.interval import Interval
from exactdp.studies.survey import measured
from exactdp.studies.survey.crossings import crossings, is_worth_narrowing, measured_orders, narrowed, order
from exactdp.studies.survey.error_curves import (
    BITS,
    CENTRAL,
    LEAST,
    PURE,
    Answer,
    Curve,
    Number,
    Question,
    read_question,
)
from exactdp.studies.survey.measured import Store, Survey, survey
from exactdp.studies.sweep.sweep_store import SweepStore

ROOT = Path(__file__).resolve().parents[4]
QUESTION = read_question(100, eps="1/2", delta="1e-6")
ONLY = ["bit sums: correlated counting, theorem", "bit sums: zsum, theorem", "bit sums: discrete Laplace, pure"]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every row that is computed."""
    computed: list[str] = []
    row = Curve.row

    def noted(curve: Curve, question: Question) -> object:
        computed.append(curve.key)
        return row(curve, question)

    monkeypatch.setattr(Curve, "row", noted)
    return computed


def test_a_survey_goes_on_where_it_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.sqlite"
    fresh = survey(QUESTION, [100, 10**5], only=ONLY)
    computed = counted(monkeypatch)

    def stop(done: int, total: int | None) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with Store(path) as store, pytest.raises(KeyboardInterrupt):
        survey(QUESTION, [100, 10**5], only=ONLY, store=store, progress=stop)
    assert len(computed) == 3
    for _ in range(2):
        with Store(path) as store:
            assert survey(QUESTION, [100, 10**5], only=ONLY, store=store).rows == fresh.rows
        assert len(computed) == 6


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process is killed as POSIX does it")
def test_what_was_finished_before_a_kill_is_there(tmp_path: Path) -> None:
    """A process that kills itself as soon as a row is kept."""
    path, script = tmp_path / "rows.sqlite", tmp_path / "killed.py"
    script.write_text(_KILLED)
    ended = subprocess.run([sys.executable, script, path], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    assert ended.returncode == -signal.SIGKILL
    with Store(path) as store:
        kept = [store.get(key, QUESTION) for key in ONLY]
    fresh = survey(QUESTION, only=ONLY)
    assert [row is not None for row in kept] == [key == ONLY[2] for key in ONLY]
    assert kept[2] == fresh.rows[ONLY[2]][100]


_KILLED = """
import os, signal, sys
from exactdp.studies import study_workers
from exactdp.studies.survey.error_curves import read_question
from exactdp.studies.survey.measured import Store, survey

put = Store.put

def kept(store, rows):
    put(store, rows)
    os.kill(os.getpid(), signal.SIGKILL)

Store.put, study_workers._KEPT_EVERY = kept, 0
survey(read_question(100, eps="1/2", delta="1e-6"), only=["bit sums: discrete Laplace, pure"], store=Store(sys.argv[1]))
"""


def test_processes_give_the_same_rows(tmp_path: Path) -> None:
    with Store(tmp_path / "rows.sqlite") as store:
        assert survey(QUESTION, only=ONLY, jobs=2, store=store).rows == survey(QUESTION, only=ONLY).rows


def test_a_row_answers_for_its_own_question_alone() -> None:
    store = Store()
    survey(QUESTION, only=ONLY[:1], store=store)
    assert store.get(ONLY[0], QUESTION) is not None
    assert store.get(ONLY[0], QUESTION.at(100, with_privacy=False)) is not None
    for other in (QUESTION.at(101), read_question(100, eps="1/2", delta="1e-6", beta="1/10")):
        assert store.get(ONLY[0], other) is None
    plain = Store()
    survey(QUESTION.at(100, with_privacy=False), only=ONLY[:1], store=plain)
    assert plain.get(ONLY[0], QUESTION) is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"some notes\n", "is no store of a survey. Name one"),
        (b'{"store": "exactdp-survey-0", "version": ""}\n', "is no store of a survey. Name one"),
        (
            b'{"store": "exactdp-survey-1", "version": "0.2.0"}\n{"key": "x", "row": {"n": "1", "reason": "y"}}\n',
            "was written by version 0.2 or an earlier one, and this is 7: its numbers may differ. Name another file.",
        ),
    ],
)
def test_files_that_are_no_store(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InvalidFileError, match=re.escape(words)):
        Store(path, version="7")
    assert path.read_bytes() == content


def test_a_store_of_another_version_or_of_a_sweep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.sqlite"
    Store(path, version="7").close()
    with pytest.raises(
        InvalidFileError, match=r"was written by version 7, and this is 8: its numbers may differ\. Name"
    ):
        Store(path, version="8")
    SweepStore(tmp_path / "sweep.sqlite").close()
    with pytest.raises(InvalidFileError, match="is no store of a survey"):
        Store(tmp_path / "sweep.sqlite")


def test_a_row_that_was_changed_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "rows.sqlite") as store:
        survey(QUESTION, only=ONLY, store=store)
        store._data.execute("UPDATE answers SET answer = replace(answer, '12', '13')")
        with pytest.raises(InvalidFileError, match=r"the row of bit sums: .*, n = 100, is not what was written\. Take"):
            survey(QUESTION, only=ONLY, store=store)


def test_a_store_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="is in a directory that does not exist"):
        Store(tmp_path / "absent" / "rows.sqlite")
    with pytest.raises(InvalidFileError, match="is a directory"):
        Store(tmp_path)


# --- Crossings ------------------------------------------------------------------------------------------------------


def made(name: str, error: Callable[[int], Number]) -> Curve:
    """Return a curve with an error of its own."""

    def answer(question: Question) -> Answer:
        return Answer(error(question.n), Communication(Fraction(1), 1, 2), {}, "enclosure", pure=Fraction(1))

    return Curve(BITS, CENTRAL, name, LEAST if name != "pure" else PURE, answer)


def surveyed(monkeypatch: pytest.MonkeyPatch, users: list[int], *curves: Curve) -> Survey:
    monkeypatch.setattr(measured, "chosen", lambda only: list(curves))
    return survey(QUESTION, users)


def test_a_crossing_is_narrowed_to_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    flat, rising = made("flat", lambda n: Fraction(5000)), made("pure", lambda n: Fraction(n))
    answered = surveyed(monkeypatch, [100, 1000, 10**6], flat, rising)
    (place,) = crossings(answered)
    assert (place.before.system, place.after.system, place.low, place.high) == ("pure", "flat", 1000, 10**6)
    assert is_worth_narrowing(place)
    (near,) = narrowed(answered, [place], store=Store(), step=Fraction(1, 1000))
    assert near.low < 5000 < near.high <= near.low * Fraction(1001, 1000) + 1
    (exact,) = narrowed(answered, [place], store=Store(), step=Fraction(0))
    assert (exact.low, exact.high) == (4999, 5001)


def test_where_the_order_is_open_both_ends_of_it_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = made("wide", lambda n: Interval.between(Fraction(4000), Fraction(6000), bits=53))
    answered = surveyed(monkeypatch, [100, 10**5], wide, made("pure", lambda n: Fraction(n)))
    (place,) = crossings(answered)
    (near,) = narrowed(answered, [place], store=Store(), step=Fraction(0))
    assert (near.low, near.high) == (3999, 6001)


def test_curves_that_touch_or_are_open_do_not_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    one = made("one", lambda n: Fraction(min(n, 500)))
    assert crossings(surveyed(monkeypatch, [100, 1000], one, made("two", lambda n: Fraction(500)))) == []
    wide = made("wide", lambda n: Interval.between(Fraction(1), Fraction(10**9), bits=53))
    assert crossings(surveyed(monkeypatch, [100, 1000], one, wide)) == []


def test_orders_of_numbers() -> None:
    point, wide = Fraction(3), Interval.between(Fraction(2), Fraction(4), bits=53)
    assert [order(point, Fraction(4)), order(Fraction(5), wide), order(point, wide), order(point, point)] == [
        -1,
        1,
        None,
        0,
    ]


# --- The printed orders -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_the_printed_table_says_is_measured() -> None:
    orders = {(one.protocol, one.quantity, one.change): one for one in measured_orders(QUESTION.at(200), Store())}
    assert len(orders) == 11
    logs = orders["correlated counting, theorem", "messages beyond one", "delta squared"]
    assert logs.expected == 4  # printed: log^2
    assert isinstance(logs.measured, Interval)
    assert logs.measured.hi < 2  # one logarithm
    growing = orders["split and mix, least noise", "messages", "n times 100"]
    assert isinstance(growing.expected, Interval)
    assert growing.expected.lo > 1
    assert isinstance(growing.measured, Fraction)
    assert growing.measured < 1  # fewer messages for more users
    local = orders["local randomized response, pure", "error", "n times 100"]
    assert isinstance(local.measured, Interval)
    assert 10 in local.measured
    for protocol in ("discrete Laplace, pure", "correlated counting, theorem"):
        assert orders[protocol, "error", "n times 100"].measured == 1
        assert orders[protocol, "error", "eps halved"].measured == 2


def test_an_order_without_an_answer_has_its_reason() -> None:
    orders = measured_orders(read_question(50, eps=3, delta="1e-6"), Store())
    missing = [one for one in orders if one.measured is None]
    assert missing
    assert all(one.reason for one in missing)


def test_progress_counts_rows() -> None:
    seen: list[tuple[int, int | None]] = []
    survey(QUESTION, only=ONLY, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_jobs_are_checked() -> None:
    with pytest.raises(InvalidValueError, match="jobs=0"):
        survey(QUESTION, only=ONLY, jobs=0)
