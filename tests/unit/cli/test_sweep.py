"""``sweep`` and ``sweep show``: a store goes on where it is, and is printed, drawn and exported as it is."""

import csv
import hashlib
import io
import json
import sys
from fractions import Fraction
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from click.testing import CliRunner, Result

from exactdp.cli import progress_bars
from exactdp.cli.commands import sweep as command
from exactdp.cli.main import cli
from exactdp.cli.progress_bars import Bar
from exactdp.studies.sweep import sweep_store
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_store import SweepStore

KEPT = Path(__file__).parent / "stores"
SPEC = """
certify = true
[[randomizer]]
name = "bit"
protocol = "@randomized-response"
gamma = ["1/4", "1/2"]
[grid]
users = [4, 9]
exp_eps = [2, "5/2"]
"""


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["sweep", *map(str, words)])


def shown(*words: object) -> Any:
    result = run("show", *words, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "spec.toml").write_text(SPEC)
    result = run(folder / "spec.toml", "-o", folder / "store.sqlite")
    assert result.exit_code == 0, result.stderr
    assert "answered      8 of 8 questions\ncertificates  16\n" in result.stdout
    return folder / "store.sqlite"


def test_a_store_is_gone_on_with(store: Path) -> None:
    result = run(store.with_name("spec.toml"), "-o", store, "--format", "json")
    data = json.loads(result.stdout)
    assert (data["command"], data["asked"], data["found"], data["left_out"]) == ("sweep", 8, 8, [])
    assert run("run", store.with_name("spec.toml"), "-o", store).exit_code == 0


def test_a_store_of_an_earlier_day_is_read_and_left_as_it_is() -> None:
    kept = KEPT / "sweep.sqlite"
    before = hashlib.sha256(kept.read_bytes()).digest()
    assert json.loads(run(KEPT / "sweep.toml", "-o", kept, "--format", "json").stdout)["found"] == 10
    text = run("show", kept).stdout
    assert "none, in 2 of the rows: InvalidValueError: neighbors=add-or-remove-one is not defined" in text
    row = next(line.split() for line in text.splitlines() if "ln(5289/4480)" in line)
    assert row[-5:] == ["exact,", "certified:", "holds", "and", "fails"]
    assert hashlib.sha256(kept.read_bytes()).digest() == before


def test_the_three_forms_say_the_same(store: Path) -> None:
    rows = shown(store)["rows"]
    assert [(row["at"], row["users"]) for row in rows] == [
        (e, n) for _ in range(2) for n in (4, 9) for e in ("2", "5/2")
    ]
    table = list(csv.DictReader(io.StringIO(run("show", store, "--format", "csv").stdout)))
    assert [cells["lower"] for cells in table] == [row["lower"] for row in rows]
    assert [cells["holds"] for cells in table] == [row["holds"] for row in rows]
    assert "host" not in table[0]
    text = run("show", store).stdout
    assert all(row["delta"]["exact"] == row["lower"] for row in rows)
    assert text.count("exact, certified: holds and fails") == 8
    assert text.count("@randomized-response --gamma 1/4  9") == 2


def test_without_a_word_it_says_what_it_takes() -> None:
    bare, helped = run(), run("--help")
    assert (bare.exit_code, bare.stdout, bare.stderr) == (0, helped.stdout, "")
    assert "SPEC -o STORE [OPTIONS] | show STORE [OPTIONS]" in bare.stdout


def test_rows_are_chosen_and_costs_told_on_request(store: Path) -> None:
    (row,) = shown(store, "--only", "gamma=1/2", "--only", "n=9", "--only", "exp_eps=2", "--costs")["rows"]
    assert row["cost"]["microseconds"] > 0
    assert row["cost"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert len(shown(store, "--only", "exp_eps=", "--only", "bit")["rows"]) == 8
    csv_rows = run("show", store, "--costs", "--format", "csv").stdout.splitlines()
    assert csv_rows[0].endswith("microseconds,host,exactdp,python_flint,python")
    refused = run("show", store, "--only", "n=5")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--only 'n=5' leaves no row. Rows are of n=4, n=9, @randomized-response, bit, " in refused.stderr


@pytest.mark.parametrize(
    "words", [("gamma=0.5", "users=9", "exp-eps=4/2"), ("gamma=2/4", "n=9.0", "exp_eps=2.0", "bit")]
)
def test_rows_are_chosen_by_what_the_spec_says(store: Path, words: tuple[str, ...]) -> None:
    (row,) = shown(store, *(word for each in words for word in ("--only", each)))["rows"]
    assert (row["subject"], row["users"], row["at"]) == ("@randomized-response --gamma 1/2", 9, "2")


def test_certificates_are_written_and_verified(store: Path, tmp_path: Path) -> None:
    result = run("show", store, "--only", "n=4", "--certificates", tmp_path)
    assert "wrote 8 certificates into " in result.stderr
    verified = CliRunner().invoke(cli, ["verify", *map(str, tmp_path.iterdir()), "--format", "json"])
    assert verified.exit_code == 0
    verdicts = {Path(one["file"]).name.partition("-")[0]: one["verdict"] for one in json.loads(verified.stdout)}
    assert verdicts == {"holds": "PROVED", "fails": "REFUTED"}


def test_a_figure_is_drawn(store: Path, tmp_path: Path) -> None:
    result = run("show", store, "--figure", tmp_path / "sweep.svg", "-o", tmp_path / "rows.txt")
    assert result.exit_code == 0, result.stderr
    assert "The least δ of 8 questions" in (tmp_path / "sweep.svg").read_text("utf-8")
    assert (tmp_path / "rows.txt").read_text("utf-8").startswith("store ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["SPEC"], "Missing option '-o' / '--output'"),
        (["SPEC", "-o", "STORE", "--jobs", "0"], "jobs=0 is below 1"),
        (["SPEC", "-o", "STORE", "--jobs", "2", "--scheduler", "x"], "--jobs and --scheduler are given. Leave out one"),
        (["absent.toml", "-o", "STORE"], "absent.toml cannot be read"),
        (["SPEC", "-o", "SPEC"], "is no store of a sweep. Name one, or a file that is not there yet."),
        (["show", "absent.sqlite"], "absent.sqlite is not there. Make it: exactdp sweep SPEC.toml -o absent.sqlite."),
        (["show", "STORE", "--figure", "sweep.pdf"], "sweep.pdf ends in '.pdf'"),
        (["show", "STORE", "--certificates", "absent"], "absent is no directory. Make it, or name another."),
    ],
)
def test_what_is_wrong_is_refused(store: Path, words: list[str], said: str) -> None:
    places = {"SPEC": store.with_name("spec.toml"), "STORE": store}
    result = run(*(places.get(word, word) for word in words))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_what_is_left_out_is_named_and_is_no_success(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def defect(question: Question, *, certify: bool) -> Any:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(sweep_store, "answered_row", defect)
    result = run(store.with_name("spec.toml"), "-o", tmp_path / "store.sqlite")
    assert result.exit_code == 2
    line = "no answer: @randomized-response --gamma 1/4, exp_eps = 2: ZeroDivisionError: a defect"
    assert line in result.stderr.splitlines()
    assert "answered    0 of 8 questions" in result.stdout


def test_an_interrupt_says_what_is_kept(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered, asked = sweep_store.answered_row, list[Question]()

    def interrupted(question: Question, *, certify: bool) -> Any:
        asked.append(question)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return answered(question, certify=certify)

    monkeypatch.setattr(sweep_store, "answered_row", interrupted)
    result = run(store.with_name("spec.toml"), "-o", tmp_path / "store.sqlite")
    assert (result.exit_code, result.stdout) == (130, "")
    assert f"error: interrupted. 3 answers are in {tmp_path / 'store.sqlite'}; the same command" in result.stderr
    with SweepStore(tmp_path / "store.sqlite") as kept:
        assert kept.counts().answered == 3


def test_a_bar_tells_how_far_it_is_and_how_long_it_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [Fraction(0)]
    monkeypatch.setattr("exactdp.progress.monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    bar = Bar("sweep")
    for done, at in ((1, 1), (2, 2), (3, Fraction("2.1")), (10, 10), (100, 1000)):
        now[0] = Fraction(at)
        bar(done, 1000 if done < 100 else 100)
    bar.end()
    drawn = [line.rstrip() for line in capsys.readouterr().err.rstrip("\n").split("\r")]
    assert drawn == [
        "",
        "sweep: [........................] 1 of 1000, about 16 min left",
        "sweep: [........................] 2 of 1000, about 16 min left",
        "sweep: [........................] 10 of 1000, about 16 min left",
        "sweep: [########################] 100 of 100",
    ]


def test_where_stderr_is_no_terminal_lines_come_seldom(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    for module in ("exactdp.cli.progress_bars", "exactdp.progress"):
        monkeypatch.setattr(f"{module}.monotonic", lambda: now[0])
    bar = Bar("sweep")
    for second in range(1, 13):
        now[0] = second
        bar(100 + second, 200)
    bar.end()
    assert capsys.readouterr().err.splitlines() == [
        "sweep: 104 of 200, about 96 s left",
        "sweep: 108 of 200, about 92 s left",
        "sweep: 112 of 200, about 88 s left",
        "sweep: done",
    ]


def test_the_help_has_both_commands() -> None:
    for words in (["--help"], []):
        text = run(*words).output
        assert "Usage: exactdp sweep SPEC -o STORE [OPTIONS] | show STORE [OPTIONS]" in text
    assert "--scheduler" in run("run", "--help").stdout
    assert "--figure" in run("show", "--help").stdout
    assert command.sweep_command.name == "sweep"


def test_a_long_piece_is_not_silent(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_bars.Counter, "_EVERY", 0.1)
    monkeypatch.setattr(Bar, "AGAIN", 0.1)
    for told in (0, 3):
        bar = Bar("survey", "rows")
        bar.began -= 1  # after a second there is an estimate
        with bar.kept_alive():
            if told:
                bar(told, 7)
            sleep(0.3)
        assert (
            capsys.readouterr()
            .err.splitlines()[-2]
            .startswith("survey: 3 of 7 rows, about " if told else "survey: nothing finished yet, after ")
        )
