"""The tutorials, followed literally: the files that they name are written, and each command prints what is shown.

By default the commands run in this process. With the slow tests a new environment is made by the command of start.md,
in a copy of this checkout, and everything is followed there, in a shell and by Python's own doctest. A tutorial is
printed anew by `python -m tests.unit.test_tutorials NAME`, and a reader judges what it then says.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactdp.cli.main import cli
from tests.thinned import thinned
from tests.unit import test_amplification_page as pages

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TUTORIALS = {path.stem: path for path in (DOCS / "start.md", *sorted((DOCS / "tutorials").glob("*.md")))}
IN_A_SHELL = {"test-a-sampler"}
"""Tutorials whose commands are not exactdp's own."""
TYPED = re.compile(r"^    (?P<command>python.*)$", re.MULTILINE)
"""A command that prints nothing worth showing: it installs."""


def answered(command: str, folder: Path) -> str:
    """What exactdp prints for a command, in this process; `> FILE` at its end writes that there."""
    words = shlex.split(command)
    assert words[0] == "exactdp", command
    into = words[-1] if words[-2] == ">" else ""
    printed = CliRunner().invoke(cli, words[1:-2] if into else words[1:]).stdout
    if into:
        (folder / into).write_text(printed, encoding="utf-8")
    return "" if into else printed


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which commands are answered by this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pages, "printed", answered)
    return tmp_path


@pytest.mark.parametrize("page", thinned(sorted(set(TUTORIALS) - IN_A_SHELL), every=3))
def test_a_tutorial_can_be_followed(page: str, here: Path) -> None:
    text = TUTORIALS[page].read_text(encoding="utf-8")
    assert pages.as_run(text, here) == text


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command at somebody's desk: a shell that knows nothing of this process's Python, this checkout or this CI.

    With `CI` or `BUILD_NUMBER` in its environment pytest does not cut its summary to the width of the terminal.
    """
    others = ("PYTHON", "PYTEST", "VIRTUAL_", "CI", "BUILD_NUMBER")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    environment = {**kept, "COLUMNS": "80", "PATH": f"{os.path.dirname(sys._base_executable)}:{os.defpath}"}  # type: ignore[attr-defined]
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )


@pytest.mark.parametrize("name", ["CI", "BUILD_NUMBER", "PYTHONPATH", "PYTEST_ADDOPTS", "VIRTUAL_ENV"])
def test_a_tutorial_is_followed_at_a_desk_even_in_ci(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "true")
    assert shell(f"echo ${{{name}-none}} $COLUMNS", tmp_path).stdout == "none 80\n"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout, with the environment that start.md and the tutorials say how to make."""
    folder = tmp_path_factory.mktemp("fresh") / "exactdp"
    left = shutil.ignore_patterns(".*", "__pycache__", "tests", "dist", "site", "*.vo", "*.vok", "*.vos", "*.glob")
    shutil.copytree(ROOT, folder, ignore=left, symlinks=True)
    first, *others = [TYPED.findall(path.read_text("utf-8")) for path in TUTORIALS.values()]
    assert first[0].startswith("python3 -m venv")
    activated = "true"
    for command in [*first, *(command for commands in others for command in commands)]:
        done = shell(f"{activated} && {command}", folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        activated = ". .venv/bin/activate"
    return folder / ".venv"


@pytest.mark.slow
def test_every_tutorial_can_be_followed_in_a_fresh_environment(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    activated = f". {fresh / 'bin' / 'activate'} && "
    monkeypatch.setattr(pages, "printed", lambda command, folder: shell(activated + command, folder).stdout)
    where = shell(f"{activated} python -c 'import exactdp; print(exactdp.__file__)'", tmp_path).stdout
    assert Path(where.strip()).is_relative_to(fresh), "what is followed is not what was installed"
    for name, path in TUTORIALS.items():
        text, folder = path.read_text(encoding="utf-8"), tmp_path / name
        folder.mkdir()
        assert pages.as_run(text, folder) == text
        (folder / "page.txt").write_text(text, encoding="utf-8")
        done = shell(f"{activated} python -m doctest page.txt", folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), name


def test_every_persona_has_a_tutorial_with_something_to_follow() -> None:
    personas = {"check-a-constant", "choose-eps0", "test-a-sampler", "read-a-proof", "add-a-protocol"}
    assert personas <= set(TUTORIALS)
    for name, path in TUTORIALS.items():
        blocks = pages.BLOCK.findall(path.read_text("utf-8"))
        assert len(blocks) >= 1, name
        assert sum(len(pages.commands(block)) for block in blocks) >= 2, name


def test_a_tutorial_that_shows_another_answer_is_seen(here: Path) -> None:
    text = TUTORIALS["add-a-protocol"].read_text(encoding="utf-8")
    changed = text.replace("delta       [0.01223231217", "delta       [0.01223231216")
    assert changed != text
    assert pages.as_run(changed, here) == text


if __name__ == "__main__":  # writes the named pages anew, or all
    import tempfile

    for name in sys.argv[1:] or TUTORIALS:
        with tempfile.TemporaryDirectory() as place:
            TUTORIALS[name].write_text(pages.as_run(TUTORIALS[name].read_text("utf-8"), Path(place)), encoding="utf-8")
