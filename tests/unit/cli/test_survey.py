"""``survey``: what is printed is what the library says, as text, JSON and CSV, and what is asked in vain is refused."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from exactdp.cli.commands import survey as command
from exactdp.cli.main import cli
from exactdp.studies.survey import measured
from exactdp.studies.survey.error_curves import Row, read_question
from exactdp.studies.survey.measured import survey

ASKED = ["survey", "--eps", "1/2", "--delta", "1e-6", "--inputs", "4"]
ONLY = [
    word
    for name in ("correlated counting", "bit sums: zsum, theorem", "local randomized response")
    for word in ("--only", name)
]


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, [*ASKED, *words])


def answer(*words: str) -> Any:
    result = run(*words, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.slow
def test_the_three_forms_say_the_same() -> None:
    users = ["-n", "100,6000"]
    data = answer(*users, *ONLY)
    rows = survey(read_question(100, eps="1/2", delta="1e-6", inputs=4), [100, 6000], only=ONLY[1::2])
    assert [row["protocol"] for row in data["rows"]] == 2 * [curve.system for curve in rows.curves]
    for row, curve in zip(data["rows"], 2 * rows.curves, strict=True):
        known = rows.rows[curve.key][row["n"]]
        assert (row["reason"] is None) == isinstance(known, Row)
    text = run(*users, *ONLY).stdout
    assert "bit sums, n = 6000: how many of n users hold a 1; the error is that of the number of users." in text
    assert "no row: zsum, theorem: The zsum theorem needs n >= " in text
    assert "0.28527" in text  # what the theorem's noise of correlated counting really has at delta
    table = list(csv.DictReader(io.StringIO(run(*users, *ONLY, "--format", "csv").stdout)))
    assert [cells["error_hi"] for cells in table] == [(row["error"] or {"hi": ""})["hi"] for row in data["rows"]]
    assert table[0]["parameters"].startswith("r=")


@pytest.mark.slow
def test_crossings_are_narrowed() -> None:
    names = ("bit sums: one-sided counting, least noise", "local randomized response")
    words = ["-n", "100,1000", *(word for name in names for word in ("--only", name))]
    (wide,), (near,) = answer(*words)["crossings"], answer(*words, "--narrow")["crossings"]
    assert (wide["before"], wide["low"], wide["high"]) == ("local randomized response, pure", 100, 1000)
    assert 100 < near["low"] < near["high"] <= near["low"] * 1.2 + 1
    assert "Where errors cross" in run(*words).stdout


@pytest.mark.slow
def test_orders_are_told_where_everything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = measured.chosen
    monkeypatch.setattr(command, "_ORDERS_FROM", 100)
    monkeypatch.setattr(measured, "chosen", lambda only: chosen(["bit sums: discrete Laplace, pure"]))
    orders = answer("-n", "100")["orders"]
    assert {one["printed"] for one in orders} >= {"O(1/eps)", "O(log^2(1/delta)/n)"}
    assert "What the printed table of orders says" in run("-n", "100").stdout


@pytest.mark.slow
def test_rows_figures_and_page_are_written(tmp_path: Path) -> None:
    store, figures, page = tmp_path / "rows.sqlite", tmp_path / "figures", tmp_path / "survey.html"
    words = ["-n", "100,1000", *ONLY, "--store", str(store), "--jobs", "2"]
    first = run(*words, "--figures", str(figures), "--page", str(page))
    assert first.exit_code == 0, first.stderr
    with closing(sqlite3.connect(store)) as data:
        assert data.execute("SELECT count(*) FROM answers").fetchone() == (2 * 4,)
    assert {path.name for path in figures.iterdir()} == {f"survey-bit-sums.{s}" for s in ("csv", "json", "png", "svg")}
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert run(*words).stdout == first.stdout


def test_an_interrupt_says_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered, asked = measured._row, list[Any]()

    def interrupted(work: Any) -> Any:
        asked.append(work)
        if len(asked) % 3 == 0:
            raise KeyboardInterrupt
        return answered(work)

    monkeypatch.setattr(measured, "_row", interrupted)
    store = tmp_path / "rows.sqlite"
    result = run("-n", "100", *ONLY, "--store", str(store))
    assert (result.exit_code, result.stdout) == (130, "")
    said = f"error: interrupted. Finished rows are in {store}; the same command goes on from there."
    assert result.stderr.splitlines()[-1] == said
    with closing(sqlite3.connect(store)) as data:
        assert data.execute("SELECT COUNT(*) FROM answers").fetchone() == (2,)
    assert run("-n", "100", *ONLY).stderr.splitlines()[-1] == "error: interrupted. Nothing was written."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "100", "--narrow"], "--narrow needs numbers of users"),
        (["-n", "100,100", *ONLY], "users do not rise"),
        (["-n", "x"], "n='x'"),
        (["-n", "100", "--only", "zsun"], "names no task, model or protocol"),
        (["-n", "100", "--beta", "0", *ONLY], "beta=0 is not strictly"),
        (["-n", "100", "--page", "absent/survey.html"], "directory that does not exist"),
        (["-n", "100", "--page", "."], "is a directory"),
        (["-n", "100", "--figures", "absent/figures"], "directory that does not exist"),
        (["-n", "100", "--store", "absent/rows.sqlite"], "directory that does not exist"),
        (["-n", "100", "--jobs", "0"], "jobs=0"),
    ],
)
def test_what_is_refused(words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []
