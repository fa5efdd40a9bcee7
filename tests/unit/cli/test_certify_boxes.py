"""``certify`` of a file with [parameters]: a claim for the whole box, its JSON, and what has no meaning there."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from exactdp.checker.documents import verify_file
from exactdp.cli.main import cli

FLIP = """
[parameters]
p = ["0", "1/3"]
[[row]]
input = "0"
messages = [ {send = ["0"], prob = "1 - p"}, {send = ["1"], prob = "p"} ]
[[row]]
input = "1"
messages = [ {send = ["0"], prob = "p"}, {send = ["1"], prob = "1 - p"} ]
"""


@pytest.fixture
def flip(tmp_path: Path) -> str:
    path = tmp_path / "flip.toml"
    path.write_text(FLIP, encoding="utf-8")
    return str(path)


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["certify", *args])


def test_a_formula_for_the_whole_box_is_proved_and_written(flip: str, tmp_path: Path) -> None:
    file = tmp_path / "claim.json"
    done = run(flip, "--users", "1", "--exp-eps", "2", "--delta", "1 - 3*p", "-o", str(file))
    assert done.exit_code == 0, done.output
    assert "for all      p in [0, 1/3]" in done.output
    result = verify_file(str(file))
    assert result.verdict == "PROVED"
    assert result.words.startswith("for all p in [0, 1/3]: shuffled randomizer {0: (0) 1 + -1*p, (1) 1*p; 1:")


@pytest.mark.parametrize(("more", "scope"), [([], "this n"), (["--all-n"], "all n from n")])
def test_less_is_refuted_and_the_json_follows_the_schema(flip: str, more: list[str], scope: str) -> None:
    done = run(flip, "-n", "1", "--exp-eps", "2", "--delta", "1 - 3*p - p/10^12", *more, "--format", "json")
    assert done.exit_code == 1, done.output
    data = json.loads(done.stdout)
    schema = json.loads((files("exactdp.cli") / "output-1.schema.json").read_text(encoding="utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(data)) == []
    assert (data["box"], data["delta"], data["scope"]) == ({"p": "[0, 1/3]"}, "1 - 3*p - p/10^12", scope)
    assert data["reason"].startswith("It fails at p = ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("--eps 1 --delta 1 -n 1", "--eps has no meaning for"),
        ("--exp-eps 2 --delta 1 -n 1 --times 2", "--times has no meaning for"),
        ("--exp-eps 2 --delta 1", "needs -n, the number of users"),
        ("--exp-eps 2 -n 1", "Missing option '--delta'."),
        ("--delta 1 -n 1", "Missing option '--exp-eps'."),
        ("--exp-eps 2 --delta q -n 1", "delta contains q, which has no interval in the box (p)."),
    ],
)
def test_what_has_no_meaning_for_a_box_is_refused(flip: str, given: str, message: str) -> None:
    done = run(flip, *given.split())
    assert done.exit_code == 2
    assert message in done.output
