"""CSV that a spreadsheet does not run: every text that it would, no number, and back again."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

import exactdp
from exactdp.cli.main import cli
from exactdp.files.spreadsheets import csv_lines, read_cell, shown_cell
from exactdp.report.figures.data import DataTable, csv_text
from tests.expensive import one_in

RUN = "=+-@\t\r"
LABELS = ["=cmd()", "+1+cmd()", "-2+cmd()", "@sum(1)", "\t=1", "'quoted", "plain"]


@one_in(2)
@given(st.text() | st.builds(str.__add__, st.sampled_from([*RUN, "'"]), st.text()))
@example("-")
@example("-1/4;=cmd()")
@example("-0x")
@example("+infinity()")
def test_text_is_not_run_and_comes_back(text: str) -> None:
    shown = shown_cell(text)
    assert read_cell(shown) == text
    assert not shown.startswith(tuple(RUN)) or re.fullmatch(
        r"[+-]([0-9a-fx./]+([ep][+-]?[0-9]+)?|infinity)(/[0-9a-fx]+)?", shown, re.I | re.A
    )
    (row,) = csv.reader(io.StringIO("".join(csv_lines([["first", text, "last"]])), newline=""))
    assert [read_cell(cell) for cell in row] == ["first", text, "last"]


@pytest.mark.parametrize(
    "number",
    ["-1", "+1", "-1/4", "-0.25", "-2.5e-7", "-1e+30", "-0x1f", "-0x1ap-60", "-0x1f/0x2b", "-infinity", "7", "1e5"],
)
def test_numbers_are_no_text(number: str) -> None:
    assert shown_cell(number) == number


SPEC = 'randomizer = [{name = "=named", protocol = "=labels.toml"}]\ngrid = {users = [2], exp_eps = [2]}'


def asked(*words: str) -> list[list[str]]:
    result = CliRunner().invoke(cli, [*words, "--format", "csv"])
    assert result.exit_code in (0, 3), result.stderr
    return list(csv.reader(io.StringIO(result.stdout)))


def test_labels_of_a_randomizer_file_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sent = ", ".join(f'{{send = [{json.dumps(label)}], prob = "1/{len(LABELS)}"}}' for label in LABELS)
    rows = (f'[[row]]\ninput = "{name}"\nmessages = [{sent}]\n' for name in ("=first", "@second"))
    Path("=labels.toml").write_text("".join(rows))
    Path("spec.toml").write_text(SPEC)
    dataset = ("--dataset", "=first=1,@second=1")
    said = [
        asked("sample", "=labels.toml", *dataset, "--size", "2", "--seed", "1"),
        asked("law", "=labels.toml", *dataset),
        asked("check", "=labels.toml", "-n", "2"),
        asked("certify", "=labels.toml", "-n", "2", "--exp-eps", "2", "--delta", "0"),
        asked("delta", "=labels.toml", "-n", "2", "--exp-eps", "2"),
    ]
    assert CliRunner().invoke(cli, ["sweep", "spec.toml", "-o", "store.sqlite"]).exit_code == 0
    said.append(asked("sweep", "show", "store.sqlite"))
    for rows in said:
        cells = [cell for row in rows for cell in row]
        assert not [cell for cell in cells if cell.startswith(tuple(RUN)) and shown_cell(cell) != cell]
    assert list(map(read_cell, said[0][0])) == LABELS
    assert any("'=named" in row for row in said[-1])


def test_a_table_of_a_figure_is_not_run() -> None:
    text = csv_text(DataTable(("label", "value"), (("@sum", -1),), (("about", "=cmd()"),)))
    assert "'=cmd()" in text
    assert "'@sum,-1" in text


def test_csv_is_written_in_one_place() -> None:
    package = Path(exactdp.__file__).parent
    writers = [path.name for path in package.rglob("*.py") if "csv.writer" in path.read_text(encoding="utf-8")]
    assert writers == ["spreadsheets.py"]
