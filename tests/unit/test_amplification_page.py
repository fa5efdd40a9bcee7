"""The shell blocks of pages: each shows what its command prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELL = ("aggregate", "amplification", "boxes", "findings", "inequalities", "practice", "report", "which-protocol")
PAGES = {"README": ROOT / "README.md"} | {name: ROOT / "docs" / f"{name}.md" for name in SHELL}
BLOCK = re.compile(r"^```\n(\$ .*?)^```\n", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```\w+\n(?P<text># (?P<name>\w+\.\w+)\n.*?)^```\n", re.MULTILINE | re.DOTALL)
EXACTDP = 'exactdp() { "$PYTHON" -m exactdp "$@" 2>/dev/null; }; python() { "$PYTHON" "$@"; }\n'


def commands(block: str) -> list[str]:
    """The commands of a block: what follows a $, and a > on the lines after it."""
    found: list[str] = []
    is_command = False
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(line.removeprefix("$ "))
            is_command = True
        elif is_command and line.startswith("> "):
            found[-1] += "\n" + line.removeprefix("> ")
        else:
            is_command = False
    return found


def printed(command: str, folder: Path) -> str:
    """What the shell prints for a command, in a folder with the files that the page wrote before."""
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", EXACTDP + command], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, timeout=300
    )
    return done.stdout


def as_run(text: str, folder: Path) -> str:
    """The page with its files written into a folder, and every block of commands printed anew."""
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(ROOT / "examples")
    for file in FILE.finditer(text):
        (folder / file["name"]).write_text(file["text"], encoding="utf-8")

    def block(found: re.Match[str]) -> str:
        shown = ""
        for command in commands(found.group(1)):
            typed = command.replace("\n", "\n> ")
            shown += f"$ {typed}\n{printed(command, folder)}"
        return f"```\n{shown}```\n"

    return BLOCK.sub(block, text)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_what_its_command_prints(page: str, tmp_path: Path) -> None:
    text = PAGES[page].read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) == text.count("\n```\n$ ") > 0
    assert not re.search(r"^[$>] .*\n```$", text, re.MULTILINE), "a command of which nothing is shown"
    assert as_run(text, tmp_path) == text


def test_a_block_that_shows_something_else_is_seen(tmp_path: Path) -> None:
    text = "Before.\n\n```\n$ for n in 1 2; do\n>     echo $n\n> done\n1\n3\n$ echo 4\n4\n```\n\nAfter.\n"
    assert as_run(text, tmp_path) == text.replace("3\n", "2\n")


if __name__ == "__main__":  # writes the named pages anew, or all
    import tempfile

    for name in sys.argv[1:] or PAGES:
        with tempfile.TemporaryDirectory() as place:
            PAGES[name].write_text(as_run(PAGES[name].read_text(encoding="utf-8"), Path(place)), encoding="utf-8")
