"""At a terminal: lines as wide as it is, no word cut, no colour; standard input; numbers in groups."""

import json
import os
import re
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.cli.main import COMMANDS, cli
from exactdp.cli.wrapping import HelpPage, PageContext, wrapped

FLIP = """
[[row]]
input = "0"
messages = [{send = ["0"], prob = "3/4"}, {send = ["1"], prob = "1/4"}]
[[row]]
input = "1"
messages = [{send = ["0"], prob = "1/4"}, {send = ["1"], prob = "3/4"}]
"""
BOX = FLIP.replace("3/4", "1-p").replace("1/4", "p") + '[parameters]\np = ["1/8", "3/8"]\n'
SWEEP = '[[randomizer]]\nprotocol = "@gap"\n[grid]\nusers = ["1_0"]\nexp_eps = [2]\n'


def run(command: str, piped: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, command.split(), input=piped)


# --- Width ----------------------------------------------------------------------------------------------------------

ANSWERS = (
    "delta @gap -n 3 --exp-eps 3/2 --explain",
    "curve @gap -n 3 --exp-eps-grid 1,3/2,2",
    "certify @gap -n 3 --exp-eps 8/5 --delta 0",
    "check @zsum --gamma 1/8",
    "search",
    "experiment",
    "prove --list",
    "delta @gpa",
)


@pytest.mark.parametrize("command", ANSWERS)
def test_lines_are_broken_between_words_and_fit(command: str) -> None:
    done = run(command)
    text = done.stdout or done.stderr
    for width in (20, 40, 60, 80, 200):
        lines = wrapped(text, width).split("\n")
        assert " ".join(lines).split() == text.split()
        assert all(len(line) <= width or len(line.split()) == 1 or is_label_of_long(line, width) for line in lines)


def is_label_of_long(line: str, width: int) -> bool:
    """Whether a line is too long because of its last word, which fits nowhere."""
    return len(line.split()[-1]) > width - 4


@settings(max_examples=40)
@given(st.text(alphabet="ab -\n", max_size=120), st.integers(10, 40))
def test_wrapping_keeps_every_word(text: str, width: int) -> None:
    assert wrapped(text, width).split() == text.split()
    assert wrapped(text, None) == text


def test_a_second_column_that_has_no_room_goes_below() -> None:
    line = "claim id  " + "a" * 30
    assert wrapped(line, 40) == line
    assert wrapped(line, 36) == "claim id\n    " + "a" * 30
    assert wrapped(line, 30) == line  # it fits nowhere, and is not cut
    assert wrapped("verdict  one two three four five", 28) == "verdict\n    one two three four five"


def page(command: click.Command, name: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    with PageContext(command, info_name=f"exactdp {name}".strip(), max_content_width=100) as context:
        return command.get_help(context)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_has_the_width_of_the_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    command = cli.get_command(click.Context(cli), name) if name else cli
    assert command is not None
    assert command.context_class is PageContext
    words = page(command, name, 100, monkeypatch).split()
    for columns in (30, 40, 60, 80, 200):
        text = page(command, name, columns, monkeypatch)
        assert text.split() == words
        assert max(map(len, text.split("\n"))) <= max(columns, 41)  # the longest names have 37 letters
        assert any(len(line) > 60 for line in text.split("\n")) == (columns >= 80)


def test_a_page_of_help_keeps_lines_that_it_is_told_to_keep() -> None:
    formatter = HelpPage(width=30)
    formatter.write_text("One two\nthree.\n\n\b\nkept  as\nit is\n\nLast.")
    assert formatter.getvalue() == "One two three.\n\nkept  as\nit is\n\nLast.\n"


@pytest.mark.skipif(not hasattr(os, "forkpty"), reason="POSIX only: a terminal of its own")
@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_gets_lines_of_its_width_a_page_and_no_colour(variables: dict[str, str]) -> None:
    environment = {**os.environ, "COLUMNS": "40", "TERM": "xterm-256color", **variables}
    child, terminal = os.forkpty()
    if not child:
        os.execve(sys.executable, [sys.executable, "-m", "exactdp", "delta", "@gap:x"], environment)
    said = b""
    try:
        while data := os.read(terminal, 4096):
            said += data
    except OSError:  # its other end is closed
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    lines = said.decode().split("\r\n")[:-1]
    assert max(map(len, lines)) <= 40
    assert lines[-1] == "more: docs/errors.md#invalidvalueerror"
    assert "\x1b" not in said.decode()


def test_what_is_piped_keeps_its_lines_and_has_no_page() -> None:
    assert run("delta @gap:x").stderr.count("\n") == 1
    assert max(map(len, run(ANSWERS[0]).stdout.split("\n"))) > 200


# --- Standard input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "check -",
        "delta - -n 3 --exp-eps 2",
        "epsilon - -n 3 --delta 1/8",
        "curve - -n 3 --exp-eps-grid 1,2",
        "compose - -n 3 --times 2 --exp-eps 2",
        "law - --dataset 0=1,1=1",
        "sample - --dataset 0=1 --size 1 --seed 1",
        "certify - -n 3 --exp-eps 2 --delta 1/2",
    ],
)
def test_a_randomizer_is_read_from_standard_input(command: str, tmp_path: Path) -> None:
    file = tmp_path / "flip.toml"
    file.write_text(FLIP)
    piped = run(f"{command} --format csv", FLIP)
    named = run(f"{command.replace(' -', f' {file}', 1)} --format csv")
    assert (piped.exit_code, piped.stderr) == (0, "")
    assert piped.stdout.replace("\n'-,", f"\n{file},") == named.stdout  # "-" begins as a formula does


def test_a_randomizer_with_parameters_and_one_in_json_are_read_from_it() -> None:
    box = json.loads(run("certify - -n 2 --exp-eps 8 --delta 1/2 --format json", BOX).stdout)
    assert (box["verdict"], box["level"]) == ("PROVED", "certificate")
    law = [{"send": ["a"], "prob": "1"}]
    table = json.dumps({"row": [{"input": value, "messages": law} for value in "xy"]})
    assert json.loads(run("delta - -n 3 --exp-eps 1 --format json", table).stdout)["delta"]["exact"] == "0"


def test_a_certificate_and_a_sweep_are_read_from_it(tmp_path: Path) -> None:
    file, store = tmp_path / "c.json", tmp_path / "store.sqlite"
    run(f"certify @gap -n 3 --exp-eps 2 --delta 1/2 -o {file}")
    assert run("verify -", file.read_text()).stdout.startswith("PROVED -: ")
    assert run(f"verify {file} -", file.read_text()).exit_code == 0
    assert run(f"sweep - -o {store}", SWEEP).exit_code == 0
    assert run(f"sweep show {store} --only n=1_0 --only exp_eps=2.0 --format csv").stdout.count("\n") == 2


@pytest.mark.parametrize("command", ["delta - -n 3 --eps 1", "verify -", "sweep - -o store.sqlite"])
@pytest.mark.parametrize("piped", [b"", b"\xff\x00\x7f", b"\n", b"[", b"{}"])
def test_what_is_nothing_or_something_else_is_refused(command: str, piped: bytes, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        done = run(command, piped)
    assert done.exit_code == 2
    assert "bug" not in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_this_name_has_a_folder_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text(FLIP)
    assert run("delta ./- -n 3 --exp-eps 2 --format csv", "").exit_code == 0


def test_standard_output_stands_where_a_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    template = run("init -").stdout
    assert "[[row]]" in template
    assert run("check -", template).exit_code == 0
    assert run("verify --write-checker -").stdout.startswith("#!/usr/bin/env python3\n")
    assert run("survey -n 100 --eps 1 --delta 1e-6 --store -").exit_code == 2
    assert list(tmp_path.iterdir()) == []


# --- Numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("delta @gap -n 1_0 --exp-eps 1_0/9", "delta @gap -n 10 --exp-eps 10/9"),
        ("delta @poisson:mu=1_000 --eps 0_1.5_0e-1_0", "delta @poisson:mu=1000 --eps 1.5e-10"),
        ("delta @negative-binomial:r=4_2,p=exp(-1_0/5_0) --eps ln(1_0)", None),
        ("compose @poisson:mu=10 --times 1_0 --eps 1", "compose @poisson:mu=10 --times 10 --eps 1"),
        ("curve @gap -n 5 --exp-eps-grid 1_0/9,2", "curve @gap -n 5 --exp-eps-grid 10/9,2"),
        ("law @gap --dataset 0=1_0", "law @gap --dataset 0=10"),
        ("sample @gap --dataset 0=1_0 --size 0_2 --seed 1_0", "sample @gap --dataset 0=10 --size 2 --seed 10"),
        ("epsilon @gap -n 4 --delta 1/1_0 --limit 1_000_000", "epsilon @gap -n 4 --delta 1/10"),
    ],
)
def test_digits_may_be_grouped_wherever_a_number_is_typed(typed: str, plain: str | None) -> None:
    done = run(f"{typed} --format csv")
    assert done.exit_code == 0, done.stderr
    assert plain is None or done.stdout == run(f"{plain} --format csv").stdout


@pytest.mark.parametrize("number", ["1__0", "_10", "10_", "1_/2", "1._5", "1_e3", "1,000", "1 000", "\u0661\u0660"])
def test_other_groups_are_refused(number: str) -> None:
    done = CliRunner().invoke(cli, ["delta", "@gap", "-n", number, "--eps", "1"])
    assert done.exit_code == 2
    assert re.search("is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or 25e-2, without", done.stderr)
