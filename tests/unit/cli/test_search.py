"""exactdp search: the names, the least counterexample or the space covered, three forms, and the exit status."""

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from click.testing import CliRunner

from exactdp.cli.main import cli
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.studies.counterexamples.catalogue import SEARCHES
from exactdp.studies.counterexamples.search import GRIDS


def run(*arguments):
    return CliRunner().invoke(cli, ["search", *arguments])


def test_without_a_name_the_searches_are_listed():
    done = run()
    assert done.exit_code == 0
    entries = json.loads(run("--format", "json").stdout)["searches"]
    assert [entry["name"] for entry in entries] == [
        *SEARCHES,
        *(f"gaps-{grid.name}" for grid in GRIDS),
        "bounds-in-use",
    ]
    assert all(entry["name"] in done.stdout and entry["statement"] in done.stdout for entry in entries)
    table = list(csv.reader(io.StringIO(run("--format", "csv").stdout)))
    assert table[0] == ["name", "kind", "statement"]
    assert len(table) == len(entries) + 1


def test_a_counterexample():
    done = run("variation-ratio-response")
    assert done.exit_code == 1
    assert "counterexample, the least one in this space; looked at " in done.stdout
    assert "published delta 1/12, exact delta 1/9" in done.stdout
    done = run("variation-ratio-response", "--format", "json")
    found = json.loads(done.stdout)
    assert done.exit_code == 1
    assert found["counterexample"] == {"n": 2, "k": 3, "exp_eps0": "4", "exp_eps": "3"}
    assert found["found"] is True
    assert found["tried"] > 100
    (head, cells) = csv.reader(io.StringIO(run("variation-ratio-response", "--format", "csv").stdout))
    assert dict(zip(head, cells, strict=True))["counterexample"] == "n=2; k=3; exp_eps0=4; exp_eps=3"


def test_processes_compare_the_same():
    assert run("gaps-interior", "--jobs", "2").stdout == run("gaps-interior").stdout
    for words, said in {
        ("--jobs", "2"): "--jobs needs a name.",
        ("gaps-interior", "--jobs", "0"): "jobs=0 is below 1.",
        ("stronger-clones", "--jobs", "2"): "--jobs is for gaps- comparisons: a search goes in order. Leave it out.",
    }.items():
        refused = run(*words)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert said in refused.stderr


@pytest.mark.slow
def test_none_found():
    done = run("stronger-clones")
    assert done.exit_code == 0
    assert "no counterexample in this space: 1134 instances, 810 outside the hypotheses" in done.stdout
    found = json.loads(run("stronger-clones", "--format", "json").stdout)
    assert (found["found"], found["counterexample"], found["explanation"]) == (False, None, [])
    assert found["space"].startswith("n in 1..6, k in 2..4")


def test_a_comparison():
    done = run("gaps-interior")
    assert done.exit_code == 0
    assert done.stdout.count("worst {") == 8
    found = json.loads(run("gaps-interior", "--format", "json").stdout)
    rows = {row["bound"]: row for row in found["rows"]}
    assert rows["stronger-clones"]["compared"] == rows["stronger-clones"]["held"] == 8
    assert 1 < Fraction(rows["stronger-clones"]["least_ratio"]["lo"]) < Fraction(3, 2)
    table = list(csv.reader(io.StringIO(run("gaps-interior", "--format", "csv").stdout)))
    assert table[0][:5] == ["name", "bound", "compared", "held", "between"]
    assert len(table) == len(rows) + 1


def test_a_comparison_with_a_bound_that_is_below(monkeypatch):
    from exactdp.studies.counterexamples import search

    monkeypatch.setattr(search, "_USERS", {3: 2})
    done = run("gaps-responses")
    assert done.exit_code == 1
    assert "variation-ratio-response fails first at 3-ary randomized response, n=2, e^eps0=11/10" in done.stdout
    caveat = "variation-ratio-response is what secondary sources quote: the published theorem was not at hand"
    assert caveat in done.stdout.splitlines()
    assert done.stdout.count("secondary sources") == 1


def test_what_only_secondary_sources_quote_is_called_so():
    listed = {line.split()[0]: line for line in run().stdout.splitlines() if "bound" in line}
    quoted = {name for name, line in listed.items() if " bound, as secondary sources quote it, " in line}
    assert quoted == {"variation-ratio-response", "variation-ratio-closed"}
    assert ", as secondary sources quote it, is at least" in run("variation-ratio-response").stdout


@pytest.mark.slow
def test_a_comparison_at_real_sizes(monkeypatch):
    from exactdp.studies.counterexamples import search

    one = (KAryResponse(4, exp_eps0="7389/1000"), 1000, Fraction(1, 10**6))
    (grid,) = (grid for grid in GRIDS if grid.name == "response-sizes")
    monkeypatch.setattr(search, "GRIDS", [replace(grid, points=lambda large: [one])])
    done = run("gaps-response-sizes")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[1] == "ratio  published eps over the upper end of the true one"
    (row,) = (line.split() for line in lines if line.startswith("variation-ratio-response  "))
    assert row[1:5] == ["1", "0", "0", "1"]
    assert row[5].startswith("0.998")
    said = "variation-ratio-response promises eps = 0.35105; some data set has more than 0.35124"
    assert lines[-1].endswith(said)
    found = json.loads(run("gaps-response-sizes", "--format", "json").stdout)
    assert found["ratio"] == "published eps over the upper end of the true one"
    assert found["explanation"][-1].endswith(said)
    (row,) = (row for row in found["rows"] if row["below"])
    assert (row["bound"], row["held"], row["between"], row["below"]) == ("variation-ratio-response", 0, 0, 1)
    assert row["first_below"] == "4-ary randomized response, n=1000, e^eps0=7389/1000"
    head, *rows = csv.reader(io.StringIO(run("gaps-response-sizes", "--format", "csv").stdout))
    assert head[:6] == ["name", "bound", "compared", "held", "between", "below"]
    assert len(rows) == len(found["rows"]) == 7


def test_the_larger_space():
    assert run("smoothness-factor-as-printed", "--large").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "there is no search 'nope'. `exactdp search` lists the names."),
        (["gaps-nope"], "there is no comparison 'gaps-nope'. Did you mean gaps-noise? `exactdp search` lists"),
        (["--large"], "--large needs a name."),
    ],
)
def test_refusals(arguments, message):
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_a_file(tmp_path):
    path = tmp_path / "found.json"
    assert run("worst-data-set-is-an-end", "--format", "json", "-o", str(path)).exit_code == 1
    assert json.loads(path.read_text())["counterexample"] == {"n": 3, "exp_eps0": "2", "exp_eps": "1"}


def test_progress_goes_to_stderr(monkeypatch):
    from exactdp.cli.progress_bars import Counter

    monkeypatch.setattr(Counter, "_EVERY", 0)
    done = run("worst-data-set-is-an-end")
    assert "search worst-data-set-is-an-end: 1 instances" in done.stderr
    assert "search worst-data-set-is-an-end: done" in done.stderr
    assert "instances\n" not in done.stdout
