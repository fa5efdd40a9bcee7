"""The tutorials, followed literally: the files that they name are written, and each command prints what is shown.

Here the commands run in this process; `tests/unit/test_amplification_page.py` runs the same blocks in a shell (slow).
"""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactdp.cli.main import cli
from tests.unit.test_amplification_page import BLOCK, PAGES, TUTORIALS, as_run, commands

FOLLOWED = {name: PAGES[name] for name in ("start", *TUTORIALS)}


def answered(command: str, folder: Path) -> str:
    """What exactdp prints for a command, in this process; what is sent into a file goes there."""
    words = shlex.split(command)
    assert words.pop(0) == "exactdp", command
    target = words.pop() if words[-2:-1] == [">"] else None
    if target:
        words.pop()
    printed = CliRunner().invoke(cli, words).stdout
    if target:
        (folder / target).write_text(printed, encoding="utf-8")
    return "" if target else printed


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_tutorial_can_be_followed(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = FOLLOWED[page].read_text(encoding="utf-8")
    assert as_run(text, tmp_path, answered) == text


def test_every_persona_has_a_tutorial_with_something_to_follow() -> None:
    assert {"check-a-constant", "choose-eps0", "read-a-proof", "add-a-protocol"} <= set(TUTORIALS)
    for name, path in FOLLOWED.items():
        shown = [command for block in BLOCK.finditer(path.read_text("utf-8")) for command in commands(block[0])]
        assert len(shown) >= 2, name


def test_a_tutorial_that_shows_another_answer_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = FOLLOWED["add-a-protocol"].read_text(encoding="utf-8")
    changed = text.replace("delta       [0.01223231217", "delta       [0.01223231216")
    assert changed != text
    assert as_run(changed, tmp_path, answered) == text
