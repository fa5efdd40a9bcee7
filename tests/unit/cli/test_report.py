"""``exactdp report``: a whole file or none, refusals word for word, and the exit status."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from exactdp import proofs
from exactdp.claims.certificate import Verdict
from exactdp.cli import main as command_line
from exactdp.proofs import ledger
from exactdp.report.page.cells import NumberTable
from exactdp.report.page.html import DrawnFigure, ShownExperiment

TOPIC = ["--topic", "complement", "--jobs", "1"]

REFUSED = {
    (): "the report needs a file. Write -o report.html.",
    ("-o", ""): "output='' names no file. Write -o report.html.",
    ("-o", "folder"): "folder is a directory. Name a file.",
    ("-o", "absent/report.html"): "absent/report.html is in a directory that does not exist. "
    "Make it, or name another file.",
    ("--delta", "1e-6", "-o", "r.html"): "--delta has no meaning without RANDOMIZER. Name one.",
    ("--exp-eps0", "3", "-o", "r.html"): "--exp-eps0 has no meaning without RANDOMIZER. Name one.",
    ("@gap",): "the report needs a file. Write -o report.html.",
    ("@gap", "--topic", "gap", "-o", "r.html"): "--topic has no meaning for the report of one randomizer. "
    "Leave it out.",
    ("@poisson:mu=3", "-o", "r.html"): "@poisson:mu=3 is no randomizer with a table or a family, so there is no eps "
    "against n. Ask `exactdp curve`.",
    ("-o", "r.html", "--png", "r.png"): "--png has no meaning without RANDOMIZER. Name one.",
    ("@gap", "-o", "r.html", "--png", "r.gif"): "r.gif ends in '.gif'. Figures are written as .svg or .png: name the "
    "file so.",
    ("@gap", "--users", "10", "-o", "r.html"): "users has one value, users=10, and a curve needs two. "
    "Pass two or more, rising.",
    ("@gap", "--users", "1000000,10", "-o", "r.html"): "users=10 comes after users=1000000, but each value has to be "
    "above the one before. Pass them sorted, each once.",
    ("-o", "r.html", "--jobs", "0"): "jobs=0 is below 1. Pass jobs of at least 1.",
    (
        "-o",
        "r.html",
        "--jobs",
        "two",
    ): "jobs='two' is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or 25e-2, without spaces.",
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line.cli, ["report", *arguments])


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_bad_input_is_refused(arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {REFUSED[arguments]}\n"
    assert os.listdir(tmp_path) == ["folder"]


def test_an_unknown_topic_is_refused(tmp_path: Path) -> None:
    result = run("-o", str(tmp_path / "r.html"), "--topic", "lost")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: there is no topic 'lost'. ")
    assert "The topics are definitions, " in result.stderr
    assert os.listdir(tmp_path) == []


def test_the_report_of_a_topic_is_written_whole_and_the_same_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    first, second = tmp_path / "first" / "r.html", tmp_path / "second" / "r.html"
    for path in (first, second):
        path.parent.mkdir()
        result = run("-o", str(path), *TOPIC)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.endswith(f"wrote {path}\n")
    assert first.read_bytes() == second.read_bytes()
    text = first.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.endswith("</html>\n")
    assert 'id="complement-view"' in text
    assert 'id="protocol-complement"' in text
    assert 'id="protocol-zsum"' not in text
    foot = text[text.index("<footer>") :]
    assert "<dd><time>2020-09-13</time></dd>" in foot
    assert "<dd><code>exactdp report -o r.html --topic complement --jobs 1</code></dd>" in foot.replace(
        "--output", "-o"
    )


def test_a_day_that_is_none_is_refused_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    result = run("-o", str(tmp_path / "r.html"))
    assert (result.exit_code, result.stdout, os.listdir(tmp_path)) == (2, "", [])
    assert result.stderr == (
        "error: SOURCE_DATE_EPOCH='yesterday' in the environment is no time. Set it to whole seconds since 1970, or "
        "unset it.\n"
    )


@pytest.mark.slow
def test_the_report_of_one_randomizer(tmp_path: Path) -> None:
    path, png, name = tmp_path / "r.html", tmp_path / "r.png", "examples/binary_randomized_response.toml"
    result = run(name, "--delta", "1e-4", "--users", "2,5", "-o", str(path), "--png", str(png))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith(f"wrote {path}\nwrote {png}\n")
    assert png.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    text = path.read_text(encoding="utf-8")
    assert "<h1>binary randomized response</h1>" in text
    assert "shuffler shows of 5 users of binary randomized response would have been as likely up to a factor" in text
    assert text.index("<figure") < text.index('<table class="numbers">')
    assert name in text
    assert "0.0001" in text
    assert 'id="ledger"' not in text
    assert "<script>" not in text


def test_stdout_takes_the_page_and_a_terminal_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("-o", "-", *TOPIC)
    assert result.exit_code == 0
    assert result.stdout.startswith("<!doctype html>")
    from exactdp.cli.commands import report

    class Terminal:
        @staticmethod
        def isatty() -> bool:
            return True

    monkeypatch.setattr(report.sys, "stdout", Terminal)
    with pytest.raises(
        ValueError, match=r"output=- is the terminal, and the report is a page of megabytes\. Name a file\."
    ):
        report._target("-")


def test_an_interrupted_report_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "r.html"
    target.write_text("old", encoding="utf-8")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    result = run("-o", str(target), *TOPIC)
    assert (result.exit_code, result.stderr) == (130, "error: interrupted. Nothing was written.\n")
    assert target.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["r.html"]


def test_a_drawn_interval_that_misses_is_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from exactdp.report.page import work

    figure = DrawnFigure("split-and-mix", "split-and-mix", "A title", "A caption.", "<svg></svg>")
    numbers = NumberTable("numbers", ("number", "exact", "drawn from", "to"), (("n=2", 1, 0, 1),), "float")
    shown = ShownExperiment("split-and-mix", "Shown.", 60, 1, figure, numbers, (), "exactdp experiment split-and-mix")
    wrong = replace(shown, misses=("q=2, m=3, n=2: drawn 0 to 0.1, exact 0.25",))
    monkeypatch.setattr(work, "tasks", lambda _: [work.Task("split-and-mix", experiment="split-and-mix")])
    for made, status in ((shown, 0), (wrong, 1)):
        monkeypatch.setattr(work, "shown_experiment", lambda _, made=made: made)
        result = run("-o", str(tmp_path / "r.html"), *TOPIC)
        assert result.exit_code == status
        assert ("miss: split-and-mix, q=2, m=3, n=2: drawn 0 to 0.1" in result.stderr) == (status == 1)
        assert 'id="experiment-split-and-mix"' in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_verdict_that_is_not_the_recorded_one_is_status_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome_of = ledger.outcome_of

    def broken(row: proofs.ProofRow, *said: Any) -> proofs.Outcome:
        found = outcome_of(row, *said)
        if row.id != "complement-view":
            return found
        return replace(found, verdict=Verdict.UNDECIDED, level="none", certificate=None, reason="It broke.")

    monkeypatch.setattr(ledger, "outcome_of", broken)
    target = tmp_path / "r.html"
    result = run("-o", str(target), *TOPIC)
    assert result.exit_code == 1
    assert result.stderr.endswith("error: proof complement-view is UNDECIDED, but recorded as PROVED: It broke.\n")
    assert "1 verdict is not the recorded one" in target.read_text(encoding="utf-8")
