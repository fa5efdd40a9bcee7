"""The checkers as warm processes: many files one after the other, the time and memory of each measured for itself.

A start of Python or of Node takes longer than most checks. The first checker is loaded once and forked for each file;
the second is asked in one process of the kind that its command starts for itself, replaced after some files or when it
has grown. Both need ``/proc`` or ``fork`` as Linux has them; ``hostile.py`` asks the real commands elsewhere, and of a
sample everywhere.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple, Protocol


class Measured(NamedTuple):
    """How a process answered about one file, and what that took."""

    status: int
    line: str
    errors: str
    seconds: float
    bytes: int


class Warm(Protocol):
    """A checker that waits for files."""

    def ask(self, file: Path) -> Measured: ...

    def end(self) -> None: ...


FORKS = """
import json, os, resource, runpy, sys, tempfile, traceback
checker, limit = runpy.run_path(sys.argv[1]), int(sys.argv[2])
for path in map(str.strip, sys.stdin):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(out.fileno(), 1), os.dup2(errors.fileno(), 2)
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
                status = checker["main"]([path], checker["limit_the_process"]())
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush(), sys.stderr.flush()
                os._exit(status)
        _, ended, used = os.wait4(child, 0)
        written = [(file.seek(0), file.read().decode())[1] for file in (out, errors)]
    seconds = used.ru_utime + used.ru_stime
    print(json.dumps([os.waitstatus_to_exitcode(ended), *written, seconds, used.ru_maxrss * 1024]), flush=True)
"""
"""The first checker, loaded once; a child for each file that is named on a line."""


class Forks:
    """A Python checker whose process is forked for each file."""

    def __init__(self, checker: str, limit: int, patience: float) -> None:
        self.patience = patience
        command = [sys.executable, "-I", "-S", "-c", FORKS, checker, str(limit)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )

    def ask(self, file: Path) -> Measured:
        assert self.process.stdin
        assert self.process.stdout
        print(file, file=self.process.stdin, flush=True)
        if not select.select([self.process.stdout], [], [], self.patience)[0]:
            self.end()
            return Measured(-9, "", f"no answer after {self.patience:.0f} s", self.patience, 0)
        return Measured(*json.loads(self.process.stdout.readline()))

    def end(self) -> None:
        """End it, and the child that still answers."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()


class Judge:
    """A Node process of the second checker, as its command starts them, and the channel on which files are named."""

    def __init__(self, command: list[str], limit: float, patience: float, statuses: dict[str, int]) -> None:
        self.limit, self.patience, self.statuses = limit, patience, statuses
        self.channel, other = socket.socketpair()
        environment = {**os.environ, "NODE_CHANNEL_FD": str(other.fileno()), "NODE_CHANNEL_SERIALIZATION_MODE": "json"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            pass_fds=[other.fileno()], env=environment,
        )  # fmt: skip
        other.close()
        self.proc = Path("/proc") / str(self.process.pid)
        self.rest = b""
        self.asked = 0

    def seconds(self) -> float:
        """The CPU time so far."""
        times = (self.proc / "stat").read_text().rsplit(") ", 1)[1].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def peak(self) -> int:
        """The most memory since the last look."""
        lines = (self.proc / "status").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

    def ask(self, file: Path) -> Measured:
        self.asked += 1
        (self.proc / "clear_refs").write_text("5")  # the peak begins with what is held now
        began, clock = self.seconds(), time.monotonic()
        self.channel.sendall(json.dumps(str(file)).encode() + b"\n")
        while b"\n" not in self.rest:
            spent, waited = self.seconds() - began, time.monotonic() - clock
            if spent > self.limit or waited > self.patience:
                return self.failed(f"no answer after {spent:.0f} s", spent)
            if select.select([self.channel], [], [], 0.25)[0]:
                received = self.channel.recv(2**16)
                if not received:
                    return self.failed("ended without an answer", spent)
                self.rest += received
        spent, peak = self.seconds() - began, self.peak()
        line, _, self.rest = self.rest.partition(b"\n")
        found = json.loads(line)
        return Measured(self.statuses[found["word"]], f"{found['word']} {found['text']}\n", "", spent, peak)

    def failed(self, why: str, spent: float) -> Measured:
        self.end()
        return Measured(-9, "", why, spent, 0)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.channel.close()
        if self.process.stdout:
            self.process.stdout.close()
