"""Every refusal of the command line, word for word: exit status 2, nothing on stdout, nothing written."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from exactdp.cli.main import cli
from tests.messages import golden
from tests.together import together

ROW_A = '[[row]]\ninput = "a"\nmessages = [ {send = ["x"], prob = "1"} ]\n'
ROW_B = '[[row]]\ninput = "b"\nmessages = [ {send = ["x"], prob = "1/2"}, {send = ["y"], prob = PROB} ]\n'
VALID = ROW_A + ROW_B.replace("PROB", '"1/2"')

SILENT = """
[[row]]
input = "0"
messages = [{send = ["0"], prob = "1/2"}, {send = ["1"], prob = "1/4"}, {send = [], prob = "1/4"}]

[[row]]
input = "1"
messages = [{send = ["0"], prob = "1/4"}, {send = ["1"], prob = "1/2"}, {send = [], prob = "1/4"}]
"""
"""Users who may send nothing."""
FILES = {
    "valid.toml": VALID,
    "silent.toml": SILENT,
    "sum.toml": ROW_A + ROW_B.replace("PROB", '"3/8"'),
    "negative.toml": ROW_A + ROW_B.replace("PROB", '"-1/2"'),
    "float.toml": ROW_A + ROW_B.replace("PROB", "0.5"),
    "nan.toml": ROW_A + ROW_B.replace("PROB", '"nan"'),
    "empty.toml": "",
    "no_rows.toml": "row = []\n",
    "no_messages.toml": '[[row]]\ninput = "a"\nmessages = []\n',
    "twice.toml": VALID + ROW_A,
    "keys.toml": 'name = "a"\nname = "b"\n' + VALID,
    "keys.json": '{"row": [{"input": "a", "input": "b", "messages": []}]}',
    "broken.json": '{"row": ',
}


def prepare(folder: Path) -> None:
    """Write the files that the commands name."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "directory").mkdir()
    with (folder / "huge.toml").open("wb") as file:
        file.truncate(100 * 2**20)  # 100 MB, of which none is on the disk


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _refused(result: Result) -> str:
    """The error, without its prefix, of a command that did nothing else."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) <= 2
    return result.stderr.removeprefix("error: ").removesuffix("\n")


def said(command: str) -> str:
    """What a command is refused with."""
    return _refused(CliRunner().invoke(cli, command.split()))


def test_the_messages(folder: Path) -> None:
    before = {path: path.stat().st_size for path in folder.iterdir()}
    assert golden.differences("cli", said) == []
    assert {path: path.stat().st_size for path in folder.iterdir()} == before


@together(
    "command", [command for command in golden.entries("cli") if command.split()[:1] not in (["delt"], ["xyzzy"], [])]
)
def test_a_message_is_short_and_names_no_option_that_the_command_lacks(command: str) -> None:
    """But for what it says of a noise law or a named protocol, whose words are theirs."""
    name, message = command.split()[0], golden.entries("cli")[command]
    parameters = cli.get_command(None, name).params  # type: ignore[arg-type, union-attr]
    known = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", message)) <= known
    assert len(message) < 400
    assert max(map(len, re.findall("[0-9]+", message)), default=0) < 40


@pytest.mark.parametrize(
    ("command", "said"),
    [
        # worded by click or by Python, so the words may differ between their versions
        ("delta valid.toml -n 3 --epz 1", "No such option"),
        ("delta @gap --user 3 --eps 1", "See 'exactdp delta --help'."),
        ("check broken.json", "broken.json: not valid JSON: Expecting value"),
    ],
)
def test_the_message_says(command: str, said: str, folder: Path) -> None:
    assert said in _refused(CliRunner().invoke(cli, command.split()))


def test_a_refusal_leaves_the_output_as_it_was(folder: Path) -> None:
    for command in ("delta @poisson --eps 1", "law @poisson:mu=1 --to 10000", "slack zsum -n 9 --eps 2 --delta 1/2"):
        _refused(CliRunner().invoke(cli, [*command.split(), "-o", "valid.toml"]))
        assert (folder / "valid.toml").read_text() == VALID


def test_prove_names_what_it_does_not_know(folder: Path) -> None:
    refused = _refused(CliRunner().invoke(cli, ["prove", "no-such-proof"]))
    assert refused.startswith("there is no proof 'no-such-proof'. `exactdp prove --list` names all ")
    refused = _refused(CliRunner().invoke(cli, ["prove", "--topic", "nothing"]))
    assert refused.startswith("there is no topic 'nothing'. The topics are definitions, ")


@pytest.mark.parametrize(
    ("command", "verdict", "limit"),
    [
        ("@zsum --gamma 1/8 -n 30000 --exp-eps 2 --delta 1/2", "PROVED", "Beyond the checker: "),
        ("@poisson:mu=1000 --eps 100 --delta 1e-6", "PROVED", "eps is 100, outside 0 to 64."),
        ("@binomial:n=10000,p=1/2 --eps 1/10 --delta 1/2 --shift 2000", "REFUTED", "shift is 2000, outside 1 to 1000."),
    ],
)
def test_a_certificate_beyond_the_checker_is_not_written(command: str, verdict: str, limit: str, folder: Path) -> None:
    result = CliRunner().invoke(cli, ["certify", *command.split(), "-o", "c.json"])
    assert result.exit_code == 3
    assert f"verdict {verdict}" in " ".join(result.stdout.split())
    assert limit in result.stdout
    assert result.stderr.endswith(  # after a line of progress, where the call is slow
        f"{verdict} by the engine alone: there is no certificate, and c.json is not written. "
        "--allow-enclosure accepts this; a smaller claim has a certificate.\n"
    )
    assert not (folder / "c.json").exists()
