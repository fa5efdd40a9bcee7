"""The first ten commands that docs/tour.md shows, as a newcomer types them, against the time that it states for each.

Run: python -m pytest benchmarks/bench_first_commands.py --benchmark-only -n 0 -s

They run in one folder, one after the other, each in a process of its own: its time is the user's,
of the processor, on which other work has little say; `prove` shares its work among the cores.
"""

import os
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

TOUR = (Path(__file__).resolve().parents[1] / "docs" / "tour.md").read_text(encoding="utf-8")
FIRST = re.findall(r"^    (exactdp .*)$", TOUR.partition("The same from the shell")[2], re.MULTILINE)[:10]
WORDS = {"one": 1, "two": 2, "three": 3}
STATED = WORDS[re.search(r"^Each answers within (\w+) seconds", TOUR, re.MULTILINE)[1]]
OF_PROVE = int(re.search(r"but for `prove` \((\d+) s\)", TOUR)[1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("newcomer")


def user_seconds() -> float:
    """Of all children that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


@pytest.mark.parametrize("command", FIRST)
def test_a_first_command(benchmark, folder: Path, command: str) -> None:
    """Target: what docs/tour.md states, two seconds, and four for `prove`."""
    stated = OF_PROVE if " prove " in command else STATED
    typed = [sys.executable, "-m", *shlex.split(command)]
    before = user_seconds()
    done = benchmark.pedantic(
        lambda: subprocess.run(typed, cwd=folder, capture_output=True, text=True, env=os.environ, check=False),
        rounds=1,
        iterations=1,
    )
    took = user_seconds() - before
    benchmark.extra_info["user_seconds"] = took
    print(f"\n| `{command}` | {stated} s | {took:.2f} s |")
    assert done.returncode == 0, done.stderr
    assert done.stdout or (folder / "my.toml").is_file()
    assert len(FIRST) == 10
    assert took < stated * (os.cpu_count() if " prove " in command else 1)
