"""--timeout: whatever a command is doing, it ends with a line and a status, and leaves no half of a file."""

import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from exactdp.cli.main import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[3]
SLOW = "certify @gap -n 700 --exp-eps 2 --delta 1/10"


def python(code: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    lines = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"
    return subprocess.run([sys.executable, "-c", lines, *arguments], cwd=folder, capture_output=True, text=True)


def exactdp(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return python("from exactdp.cli.main import main; main()", folder, *command.split())


def test_every_command_but_the_template_takes_it() -> None:
    commands = {name: cli.get_command(None, name) for name in COMMANDS}  # type: ignore[arg-type]
    group = commands.pop("sweep")
    assert isinstance(group, click.Group)
    for name, command in (commands | group.commands).items():
        taken = [option.name for option in command.params].count("timeout")
        assert taken == (name != "init"), name


def test_a_long_command_ends_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("old")
    began = time.monotonic()
    ended = exactdp(f"{SLOW} --timeout 1/2 -o old.json", tmp_path)
    assert time.monotonic() - began < 10
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines()[-1] == "error: no answer within timeout=1/2 s. Give it more time, or ask for less."
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old.json": "old"}


@pytest.mark.slow
def test_an_answer_in_time_is_the_same(tmp_path: Path) -> None:
    command = "certify @gap -n 3 --exp-eps 9/8 --delta 0"
    free, limited = exactdp(command, tmp_path), exactdp(f"{command} --timeout 60", tmp_path)
    assert free.returncode == limited.returncode == 1
    assert free.stdout == limited.stdout
    wrong = exactdp("delta @gap -n 3 --exp-eps 1/2 --timeout 60", tmp_path)
    assert (wrong.returncode, wrong.stderr.count("error: exp_eps=1/2 is below 1.")) == (2, 1)
    refused = exactdp("delta @gap -n 3 --exp-eps 2 --timeout 0", tmp_path)
    assert refused.stderr == "error: timeout=0 is no time to wait. Write --timeout 60, for a minute.\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process that looks at no signal can be ended on POSIX only")
def test_work_that_looks_at_no_signal_is_ended_too(tmp_path: Path) -> None:
    """As one call of an engine that takes minutes."""
    code = """
import signal, time
from exactdp.cli import failures
failures._GRACE = 0.1
def deaf():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(60)
sys.exit(failures._within("1/10", deaf))
"""
    began = time.monotonic()
    ended = python(code, tmp_path)
    assert (ended.returncode, time.monotonic() - began < 10) == (2, True)
    assert ended.stderr.startswith("error: no answer within timeout=1/10 s.")


WITHOUT_FORK = """
import os, signal, time
if hasattr(os, "fork"):
    del os.fork
from exactdp.cli import failures
failures._GRACE = 0.2
"""
LATE = "error: no answer within timeout=1/10 s. Give it more time, or ask for less.\n"


def within(work: str, folder: Path, seconds: str = "1/10") -> subprocess.CompletedProcess[str]:
    """Run what ``work`` defines as a platform does that has no os.fork, and print a line where Python goes on."""
    ending = f"status = failures._within('{seconds}', work)\nprint('went on')\nsys.exit(status)"
    return python(f"{WITHOUT_FORK}\n{work}\n{ending}", folder)


@pytest.mark.slow
def test_without_fork_a_long_command_ends_and_an_answer_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("old")
    run = f"{WITHOUT_FORK}\nfrom exactdp.cli.main import main; main()"
    ended = python(run, tmp_path, *f"{SLOW} --timeout 1/2 -o old.json".split())
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines()[-1] == LATE.strip().replace("1/10", "1/2")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old.json": "old"}
    command = "delta @gap -n 3 --exp-eps 9/8"
    free, limited = exactdp(command, tmp_path), python(run, tmp_path, *command.split(), "--timeout", "60")
    assert (free.returncode, free.stdout) == (limited.returncode, limited.stdout)


def test_without_fork_ignored_interrupts_do_not_matter(tmp_path: Path) -> None:
    """As of a command in the background of a shell."""
    ended = within(
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\ndef work():\n    while True: time.sleep(0.01)", tmp_path
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "went on\n", LATE)


def test_without_fork_work_that_catches_interrupts_is_ended_with_the_process(tmp_path: Path) -> None:
    """As the wait for processes that are still at work."""
    stubborn = """
def work():
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass
"""
    began = time.monotonic()
    ended = within(stubborn, tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", LATE)
    assert time.monotonic() - began < 20


def test_without_fork_an_interrupt_of_the_user_is_one(tmp_path: Path) -> None:
    foreground = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # this run may be in the background
    ended = within(f"{foreground}\ndef work(): signal.raise_signal(signal.SIGINT)", tmp_path, "60")
    assert ended.returncode not in (0, 2)
    assert "KeyboardInterrupt" in ended.stderr
    silent = within("def work(): return 3", tmp_path, "60")
    assert (silent.returncode, silent.stdout, silent.stderr) == (3, "went on\n", "")
