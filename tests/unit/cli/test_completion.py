"""What a shell offers: all names there are, only what is taken, and nothing that is slow to load."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactdp.cli import completion
from exactdp.cli.main import COMMANDS, cli
from exactdp.proofs import rows
from exactdp.protocols.named_protocols import ALIASES, ENTRIES, OPTIONS
from exactdp.report.experiments import EXPERIMENTS
from exactdp.studies.counterexamples.catalogue import SEARCHES
from exactdp.studies.counterexamples.search import GRIDS
from exactdp.studies.survey.error_curves import TASKS

ALL = "plain,"


def offered(line: str, replaced: str | None = None) -> list[str]:
    """Return what bash is offered behind a line, of which it replaces the last word, or what is said."""
    word = "" if line.endswith(" ") else line.split(" ")[-1]
    asked = {
        "_EXACTDP_COMPLETE": "bash_complete",
        "COMP_LINE": line,
        "COMP_REPLACED": word if replaced is None else replaced,
    }
    done = CliRunner().invoke(cli, [], env=asked)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.strip("\n").split("\n") if done.stdout.strip() else []


def words(line: str) -> list[str]:
    return [entry.removeprefix(ALL) for entry in offered(line)]


def test_commands_and_their_options_are_offered() -> None:
    assert words("exactdp ") == list(COMMANDS)
    assert words("exactdp de") == ["delta"]
    assert words("exactdp delta @gap --nei") == ["--neighbors"]
    assert words("exactdp delta @gap --neighbors ") == ["replace-one", "add-or-remove-one", "replace-by-zeros"]
    assert words("exactdp delta @gap --format=js") == ["json"]
    assert words("exactdp prove --format ") == ["text", "json", "csv", "markdown", "notes", "html"]


def test_every_name_is_offered_with_its_sign_and_without() -> None:
    for command in ("delta", "check", "law", "sample", "certify", "report", "compose"):
        offers = [word.partition(":")[0].split(",")[0] for word in words(f"exactdp {command} @")]
        assert offers == [f"@{name}" for name in ENTRIES]
    assert words("exactdp delta zs") == ["zsum:gamma=1/8"]
    assert words("exactdp delta --eps 1 @zs") == ["@zsum:gamma=1/8"]
    assert words("exactdp delta ou") == ["oue:inputs=10,exp-eps0=3"]
    assert words("exactdp protocols ") == [*ENTRIES, *ALIASES]


def test_keys_are_offered_behind_a_name() -> None:
    assert words("exactdp delta @local-hashing:") == [
        f"@local-hashing:{entry}" for entry in ("inputs=10", "exp-eps0=3", "buckets=4", "eps0=1")
    ]
    assert words("exactdp delta local-hashing:inputs=4,e") == [
        f"local-hashing:inputs=4,{entry}" for entry in ("exp-eps0=3", "eps0=1")
    ]
    assert words("exactdp delta @flooding:inputs=3,noi") == [r"@flooding:inputs=3,noise=\(binomial:n=2,p=1/4\)"]
    assert words("exactdp delta @discrete-laplace:e") == [r"@discrete-laplace:exp_eps=exp\(1/5\)"]
    assert words("exactdp delta @oue:opt") == words("exactdp delta @nosuch:") == []
    assert words("exactdp delta @zsum:gamma=") == ["@zsum:gamma=1/8"]


def test_an_example_of_a_law_is_offered_so_that_bash_reads_it_as_one_word() -> None:
    assert words("exactdp delta @neg") == [r"@negative-binomial:r=42,p=exp\(-1/5\)"]
    assert offered("exactdp delta @binomial:n", "n") == ["plain,n=1000000"]
    assert offered("exactdp epsilon @gap -n @poisson:", "") == ["plain,mu=1000"]
    assert offered("exactdp compose @gap --with 3*@lap", "@lap") == ["plain,@laplace:scale=10"]
    assert words("exactdp certify @gap -n @po") == []


def test_ids_are_those_of_the_ledger() -> None:
    assert sorted(words("exactdp prove ")) == sorted(row.id for row in rows())
    assert sorted(words("exactdp prove gap-local --topic ")) == sorted(
        {row.topic.replace(" ", "\\ ") for row in rows()}
    )
    assert "gap-all-n" in words("exactdp prove zsum gap-")


def test_names_of_commands_are_all_there_are() -> None:
    assert words("exactdp search ") == [*SEARCHES, *(f"gaps-{grid.name}" for grid in GRIDS), "bounds-in-use"]
    assert words("exactdp experiment ") == list(EXPERIMENTS)
    assert words("exactdp calibrate z") == ["zsum"]
    assert words("exactdp survey --only bit") == [r"bit\ sums"]
    assert {word.replace("\\", "") for word in words("exactdp survey --only ")} >= set(TASKS)
    assert words("exactdp init --kind h") == ["hadamard-response"]
    assert words("exactdp security ") == ["split-and-mix"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("exactdp delta ./r", "file"),
        ("exactdp verify c", "file"),
        ("exactdp sweep run s", "file"),
        ("exactdp sweep show s", "file"),
        ("exactdp curve @gap -o ", "file"),
        ("exactdp prove --certificates ", "dir"),
        ("exactdp experiment central -o ", "dir"),
    ],
)
def test_files_and_folders_are_left_to_the_shell(line: str, kind: str) -> None:
    assert [entry.partition(",")[0] for entry in offered(line)] == [kind]


def test_randomizer_files_stand_beside_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("zero.toml", "zip.json", "zap.txt"):
        Path(name).touch()
    assert words("exactdp delta z") == ["zsum:gamma=1/8", "zero.toml", "zip.json"]


@pytest.mark.parametrize(
    ("typed", "there", "not_there"),
    [
        ("@zsum:gamma=1/8", {"--users", "--neighbors"}, {"--shift", "--gamma", "--user-class"}),
        ("histogram", {"--users", "--neighbors"}, {"--shift"}),
        ("@poisson:mu=3", {"--shift", "--eps"}, {"--users", "--neighbors", "--user-class"}),
        ("file.toml", {"--users", "--limit", "--user-class"}, {"--shift"}),
    ],
)
def test_only_the_options_that_have_a_meaning_are_offered(typed: str, there: set[str], not_there: set[str]) -> None:
    found = set(words(f"exactdp delta {typed} --"))
    assert there <= found
    assert not not_there & found


def test_parameters_are_offered_behind_names_alone() -> None:
    assert not {*OPTIONS} & set(words("exactdp delta --"))
    assert "--size" in words("exactdp sample @gap --")


def test_slips_before_the_word_end_in_silence() -> None:
    assert words("exactdp detla @") == []
    assert offered("exactdp delta @nosuch --ex")[:1] == ["plain,--exp-eps"]
    assert offered("exactdp sweep nosuch.toml --jo") == ["plain,--jobs"]


def test_nothing_slow_is_loaded() -> None:
    typed = "delta @gap -n @poisson:mu=3 --neighbors replace-one --eps 1 --participation 1/2 --shift 2 --"
    code = (
        "import sys; from click.testing import CliRunner; from exactdp.cli.main import cli\n"
        f"for line in ('prove ', 'search ', 'experiment ', 'delta @', 'delta @gap --', '{typed}'):\n"
        "    env = {'_EXACTDP_COMPLETE': 'bash_complete', 'COMP_LINE': 'exactdp ' + line, 'COMP_REPLACED': ''}\n"
        "    assert len(CliRunner().invoke(cli, [], env=env).stdout.split()) > 5, line\n"
        "slow = ('sympy', 'numpy', 'matplotlib', 'exactdp.protocols.protocol', 'exactdp.privacy.profile')\n"
        "slow += ('exactdp.checker',)\n"
        "print([name for name in slow if name in sys.modules])\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash itself")
def test_bash_runs_what_it_is_given(tmp_path: Path) -> None:
    source = CliRunner().invoke(cli, [], env={"_EXACTDP_COMPLETE": "bash_source"}).stdout
    program = tmp_path / "exactdp"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m exactdp "$@"\n')
    program.chmod(0o755)
    asked = 'COMP_LINE="exactdp delta @poisson:m --eps 1" COMP_POINT=24\n'
    asked += f'_exactdp_completion {program} m\necho "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "--norc", "-c", source + asked], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("mu=1000\n", "")


def test_fish_keeps_what_is_behind_a_comma() -> None:
    assert 'string split -m 1 ","' in completion.Fish.source_template
