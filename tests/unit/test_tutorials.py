"""The tutorials, followed literally: the files that they name are written, and each command prints what is shown.

By default the commands run in this process; with the slow tests in a shell. A tutorial is printed anew by
`python -m tests.unit.test_tutorials NAME`, and a reader judges what it then says.
"""

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from exactdp.cli.main import cli
from tests.unit import test_amplification_page as pages

DOCS = Path(__file__).resolve().parents[2] / "docs"
TUTORIALS = {path.stem: path for path in (DOCS / "start.md", *sorted((DOCS / "tutorials").glob("*.md")))}
FILE = re.compile(r"^```\w+\n(?P<text># (?P<name>\w+\.\w+)\n.*?)^```\n", re.MULTILINE | re.DOTALL)


def followed(text: str, folder: Path) -> str:
    """The page with its files written into a folder, and every block of commands printed anew."""
    for file in FILE.finditer(text):
        (folder / file["name"]).write_text(file["text"], encoding="utf-8")
    return pages.as_run(text, folder)


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


@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_can_be_followed(page: str, here: Path) -> None:
    text = TUTORIALS[page].read_text(encoding="utf-8")
    assert followed(text, here) == text


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_can_be_followed_in_a_shell(page: str, tmp_path: Path) -> None:
    text = TUTORIALS[page].read_text(encoding="utf-8")
    assert followed(text, tmp_path) == text


def test_every_persona_has_a_tutorial_with_something_to_follow() -> None:
    assert {"check-a-constant", "choose-eps0", "read-a-proof", "add-a-protocol"} <= set(TUTORIALS)
    for name, path in TUTORIALS.items():
        blocks = pages.BLOCK.findall(path.read_text("utf-8"))
        assert len(blocks) >= 1, name
        assert sum(len(pages.commands(block)) for block in blocks) >= 2, name


def test_a_tutorial_that_shows_another_answer_is_seen(here: Path) -> None:
    text = TUTORIALS["add-a-protocol"].read_text(encoding="utf-8")
    changed = text.replace("delta       [0.01223231217", "delta       [0.01223231216")
    assert changed != text
    assert followed(changed, here) == text


if __name__ == "__main__":  # writes the named pages anew, or all
    import tempfile

    for name in sys.argv[1:] or TUTORIALS:
        with tempfile.TemporaryDirectory() as place:
            TUTORIALS[name].write_text(followed(TUTORIALS[name].read_text("utf-8"), Path(place)), encoding="utf-8")
