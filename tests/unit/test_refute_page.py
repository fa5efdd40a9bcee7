"""docs/refute.md and examples/tested_formula: the output is printed anew, the table recomputed, the workflow run."""

import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactdp.cli.main import cli
from exactdp.studies.counterexamples.promises import promised_by_formula
from exactdp.studies.counterexamples.refutation import refute

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "refute.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(.+)` \| n = (\S+), e\^eps0 = (\S+), delta = (\S+) \|$", PAGE, re.MULTILINE)


@pytest.mark.slow
def test_the_output_on_the_page_is_what_is_printed() -> None:
    (block,) = re.findall(r"^```\n\$ exactdp refute '([^\n]+)'\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    done = CliRunner().invoke(cli, ["refute", block[0]])
    assert done.stdout == block[1]
    assert done.exit_code == 1


@pytest.mark.parametrize(("formula", "n", "ratio", "delta"), ROWS)
def test_the_table_is_what_is_found(formula: str, n: str, ratio: str, delta: str) -> None:
    assert len(ROWS) == 4
    found = refute(promised_by_formula(formula, "eps"), sizes=())
    at = {"n": int(n), "exp_eps0": Fraction(ratio), "delta": Fraction(delta), "randomizer": "@any-randomizer"}
    assert found.instance == at


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the workflow runs in a POSIX shell")
def test_the_example_and_its_workflow_run(tmp_path: Path) -> None:
    """Its commands, but for what is installed: green as it is shipped, red with the copy that lacks its condition."""
    theirs = shutil.copytree(ROOT / "examples" / "tested_formula", tmp_path / "theirs")
    (tmp_path / "exactdp").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m exactdp "$@"\n', encoding="utf-8")
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    for name in ("exactdp", "python"):
        (tmp_path / name).chmod(0o755)
    shell = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    commands = re.findall(r"^ *- run: (.+)$", (theirs / "amplification.yml").read_text(encoding="utf-8"), re.MULTILINE)
    kept = [command for command in commands if not command.startswith("pip install ")]
    assert len(kept) == len(commands) - 1 == 2
    readme = re.search(r"```sh\n(.*?)```", (theirs / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert readme is not None
    red, verified, tests = readme[1].splitlines()
    for command, status in ((kept[0], 0), (kept[1], 0), (red, 1), (verified, 0)):
        done = subprocess.run(command, shell=True, cwd=theirs, env=shell, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
    assert tests in kept
    assert "REFUTED" in done.stdout
