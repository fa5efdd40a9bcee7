"""What is POSIX only stands in few rooms, each with what happens elsewhere, and commands answer without it."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
POSIX_ONLY = {
    ("os", "fork"),
    ("os", "killpg"),
    ("os", "register_at_fork"),
    ("os", "setpgid"),
    ("os", "waitpid"),
    ("os", "WNOHANG"),
    ("signal", "SIGALRM"),
    ("signal", "SIGKILL"),
    ("signal", "SIGPROF"),
    ("signal", "setitimer"),
}
"""What the package uses and Windows lacks, each behind a question whether it is there."""
MORE = {("os", name) for name in ("getpgid", "getuid", "mkfifo", "setsid", "sched_getaffinity", "uname")} | {
    ("signal", name) for name in ("SIGHUP", "SIGPIPE", "SIGUSR1", "alarm", "pthread_sigmask")
}
MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
IMPORTS = re.compile(rf"^\s*(import|from)\b.*\b({'|'.join(sorted(MODULES | {'os', 'signal'}))})\b", re.MULTILINE)


def posix_only(source: str) -> set[str]:
    """What a module takes of POSIX."""
    nodes = list(ast.walk(ast.parse(source)))
    taken = {
        f"{node.value.id}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if (node.value.id, node.attr) in POSIX_ONLY | MORE
    }
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return taken | names & MODULES | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)} & MODULES


def test_what_is_posix_only_is_in_the_rooms_that_the_page_names() -> None:
    """docs/limits.md says what differs elsewhere; a new use belongs there, with what happens instead."""
    found = {
        path.relative_to(ROOT).as_posix(): taken
        for folder in ("exactdp", "proofs")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "exactdp/proofs" not in path.as_posix()
        if IMPORTS.search(text := path.read_text(encoding="utf-8")) and (taken := posix_only(text))
    }
    assert found == {
        "exactdp/checker/__main__.py": {"resource", "signal.SIGPROF", "signal.setitimer"},
        "exactdp/cli/failures.py": {
            "os.WNOHANG",
            "os.fork",
            "os.killpg",
            "os.setpgid",
            "os.waitpid",
            "signal.SIGALRM",
            "signal.SIGKILL",
        },
        "exactdp/numbers/balls.py": {"os.register_at_fork"},
        "exactdp/studies/counterexamples/promises.py": {"os.killpg", "resource", "signal.SIGKILL"},
        "proofs/development.py": {"os.killpg", "signal.SIGKILL"},
    }
    assert posix_only("import os, pwd\nfrom fcntl import flock\nos.getuid()") == {"pwd", "fcntl", "os.getuid"}


ELSEWHERE = f"""
import os, signal, subprocess, sys
import multiprocessing, multiprocessing.connection, tempfile
for module, name in {sorted(POSIX_ONLY | MORE)}:
    vars({{"os": os, "signal": signal}}[module]).pop(name, None)
for name in {sorted(MODULES)}:
    sys.modules[name] = None
from exactdp.cli.main import cli
for words in sys.argv[1:]:
    print(cli.main(words.split(), standalone_mode=False), flush=True)
"""


def test_commands_answer_on_a_system_that_has_nothing_of_posix(tmp_path: Path) -> None:
    """A claim is decided, written and verified, with a time to end at, where no such name can be found."""
    protocol = "@randomized-response --gamma 1/2 --users 10"
    words = [
        f"certify {protocol} --eps 1 --delta 1/100 --timeout 60 -o claim.json",
        "verify claim.json",
        f"delta {protocol} --exp-eps 2",
    ]
    command = [sys.executable, "-c", ELSEWHERE, *words]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "verdict      PROVED" in done.stdout
    assert "\nPROVED claim.json: " in done.stdout
    assert "19683/1048576" in done.stdout
    assert [line for line in done.stdout.splitlines() if line.isdecimal()] == ["0", "0", "0"]
