"""`experiment` on the command line: what it prints is what it writes, and what it refuses."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from exactdp.cli.main import cli
from exactdp.report.experiments import EXPERIMENTS, Experiment
from exactdp.report.experiments.drawn import views
from exactdp.report.experiments.experiment import Finding
from exactdp.report.experiments.zsum_error import EPS, ZsumError

SMALL = "experiment histogram-error --quick --size 60"


def run(command: str, *more: str) -> Result:
    return CliRunner().invoke(cli, [*command.split(), *more])


@pytest.mark.parametrize("listing", ["experiment", "experiment --list"])
def test_the_list_names_every_experiment(listing: str):
    result = run(listing)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split()[0] for line in result.stdout.splitlines()[: len(EXPERIMENTS)]] == list(EXPERIMENTS)
    data = json.loads(run(listing, "--format", "json").stdout)["experiments"]
    assert [each["name"] for each in data] == list(EXPERIMENTS)
    assert {"name", "statement", "draws"} == set(data[0])


def _unheard(point: str) -> None:
    """Nobody watches the drawing."""


def kept(function: Callable[..., Finding]) -> Callable[..., Finding]:
    """The function, which answers the same question but once."""
    known = cache(function)
    return lambda *, watch, **asked: known(**asked, watch=_unheard)


@pytest.mark.slow
def test_stdout_is_what_the_files_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    drawn_once = EXPERIMENTS["histogram-error"]
    monkeypatch.setitem(EXPERIMENTS, "histogram-error", replace(drawn_once, function=kept(drawn_once.function)))
    written = run(SMALL, "-o", str(tmp_path / "out"))
    assert (written.exit_code, written.stdout) == (0, "")
    names = [f"histogram-error.{suffix}" for suffix in ("csv", "json", "svg", "png")]
    said = [line for line in written.stderr.splitlines() if line.startswith("wrote ")]
    assert said == [f"wrote {tmp_path / 'out' / name}" for name in names]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)
    printed = {form: run(SMALL, "--format", form) for form in ("csv", "json")}
    assert [result.exit_code for result in printed.values()] == [0, 0]
    assert printed["csv"].stdout == (tmp_path / "out" / "histogram-error.csv").read_text(encoding="utf-8")
    said_too = json.loads(printed["json"].stdout)
    assert [said_too.pop(name) for name in ("schema", "command")] == ["exactdp-output-1", "experiment"]
    said_too.pop("version")
    assert said_too == json.loads((tmp_path / "out" / "histogram-error.json").read_text(encoding="utf-8"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "histogram-error.csv").read_text())))
    assert [row["d"] for row in rows] == ["2", "1000", "1000000"]
    assert {row["seed"] for row in rows} == {"20200707"}
    assert all(Fraction(row["theorem_lo"]) > Fraction(row["closed_form_hi"]) for row in rows)


def test_the_text_has_a_line_for_each_point():
    result = run(SMALL, "--seed", "5")
    said = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert "seed 5" in said
    table = said[said.index("") + 1 :]
    assert table[0].startswith("d theorem closed form least bins users each level")
    assert re.match(r"2 1654\.6 890\.25 770\.\.779 1 780 770 ", table[1])
    assert re.match(r"1000000 1654\.6 890\.25 834 1197 835 834 ", table[-1])


def test_a_miss_is_named_and_is_the_exit_status(monkeypatch: pytest.MonkeyPatch):
    def function(**options: Any) -> Any:
        def shifted(*arguments: Any, **more: Any) -> Any:
            return views(*arguments, **more) + 100

        return ZsumError.run(**{**options, "grid": tuple((eps, 10**4) for eps in EPS), "draw": shifted})

    monkeypatch.setitem(EXPERIMENTS, "zsum-error", Experiment("zsum-error", "Wrong.", 3000, function))
    result = run("experiment zsum-error")
    assert result.exit_code == 1
    assert "theorem needs n >= 145087" in result.stdout
    misses = [line for line in result.stderr.splitlines() if line.startswith("miss: ")]
    assert any(line.startswith("miss: eps=1, n=10000, error: drawn ") for line in misses)


REFUSED = {
    "experiment lost": "there is no experiment 'lost'. `exactdp experiment` lists the names.",
    "experiment --list central": "NAME has no meaning for the list. `exactdp experiment` lists the names.",
    "experiment --seed 1": "--seed has no meaning for the list. `exactdp experiment` lists the names.",
    "experiment --quick": "--quick has no meaning for the list. `exactdp experiment` lists the names.",
    "experiment -o .": "-o has no meaning for the list. `exactdp experiment` lists the names.",
    "experiment central --size 0": "size=0 is below 1. Pass size of at least 1.",
    "experiment central --size 1/2": "size=1/2 is not an integer. Pass a whole number.",
    "experiment central --size 1e9": "size=1000000000 is more than the limit of 10000000. Use a smaller one.",
    "experiment central --seed -1": "seed=-1 is below 0. Pass seed of at least 0.",
    "experiment central --seed 1e30": "seed=100000000000...(31 digits) is more than the limit of "
    "9223372036854775807. Use a smaller one.",
    "experiment central --seed nan": "seed='nan' is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or "
    "25e-2, without spaces.",
    "experiment central -o lost/out": "lost/out is in a directory that does not exist. Make it, or name another "
    "directory.",
    "experiment central -o file": "file is no directory. Name a directory: -o results.",
    "experiment central --format csv -o .": "--format csv has no meaning with -o, which writes CSV and JSON. "
    "Leave one out.",
}


@pytest.mark.parametrize(("command", "message"), REFUSED.items())
def test_bad_input_is_refused_in_a_sentence(
    command: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("kept")
    result = run(command)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "kept"
