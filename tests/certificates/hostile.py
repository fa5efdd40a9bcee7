"""Ask both checkers about files that ask for much: ``python -m tests.certificates.hostile --files 10000``.

Each file is a shape of ``shapes.py`` with a number, from which follows how far its parts have grown; a file is found
again by its name and number. Sizes lie evenly on a logarithmic scale, from 1 to the limits of the format:

* Nearly all files are of numbers divisible by 3: all parts have grown to one share of the way, drawn between 0 and
  MODERATE, and each part then draws its own between half of that and all of it. Most of them are answered at once.
* Of 100 files, `--grown` (1, unless told) have grown far, and every shape takes its turn. Half of these, whose numbers
  leave 1, have grown in all parts alike, to a share between MODERATE and 1: here one passes from what is checked to
  what is refused, so that they lie just below and just above the prices, where an answer is dearest. The other half,
  whose numbers leave 2, have each part at its limit, or anywhere, with even chances.

Both checkers answer each file, the second where there is ``node``: on Linux from processes that are warm
(``warm.py``), with time and memory measured for each file; one file in SAMPLE, and all that seem to be at fault, are
asked of the real commands. The exit status is 1 if an answer took more than 120 s of CPU or 1 GB, ended otherwise than
with an exit status of its own and one line, or came from the net that is spread under the prices. Of 240
files, 30 of 100 grown far, one is of every shape.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from typing import NamedTuple

from tests.certificates.shapes import FILE_BYTES, Grown, text_of
from tests.certificates.shapes_of_swaps import SHAPES
from tests.certificates.warm import Forks, Judge, Measured, Warm

ROOT = Path(__file__).resolve().parents[2]
CHECKERS = {
    "first": [sys.executable, "-I", "-S", str(ROOT / "exactdp" / "certificates" / "verify.py")],
    "second": ["node", str(ROOT / "tests" / "certificates" / "second_checker.mjs")],
}
JUDGE = ["node", "--max-old-space-size=600", CHECKERS["second"][-1], "--judge"]  # what the second one starts
WORDS = {
    "first": {"PROVED": 0, "REFUTED": 0, "REJECTED": 1, "MALFORMED": 2},
    "second": {"VERIFIED": 0, "REJECTED": 1, "MALFORMED": 2, "NOT COVERED": 3},
}
NETS = {  # words of what is spread below the prices
    "first": ("beyond 110 s", "beyond the memory"),
    "second": ("than this checker takes", "this checker failed"),
}
SECONDS, BYTES = 120, 10**9
PATIENCE = 900.0  # seconds on the clock, of a machine that does other things too
MODERATE = 0.3
KINDS = 3  # of numbers
SAMPLE = 50
FILES_OF_A_JUDGE, BYTES_OF_A_JUDGE = 40, 2 * 10**8  # after which it is replaced


class Answer(NamedTuple):
    """What one checker says of a file, and what that took."""

    checker: str
    status: int
    line: str
    errors: str
    seconds: float
    bytes: int

    @property
    def word(self) -> str:
        return next((word for word in WORDS[self.checker] if self.line.startswith(word)), "nothing")

    @property
    def faults(self) -> list[str]:
        found = []
        expected = WORDS[self.checker].get(self.word)
        if self.status != expected or self.line.count("\n") != 1 or self.errors:
            found.append(f"ended with {self.status}: {self.line[:200]!r} {self.errors[-300:]!r}")
        if self.seconds > SECONDS or self.bytes > BYTES:
            found.append(f"took {self.seconds:.1f} s and {self.bytes / 1e6:.0f} MB")
        if any(words in self.line for words in NETS[self.checker]):
            found.append(f"has a price that is too low: {self.line.strip()[:200]}")
        return found


MEASURED = """
import os, resource, subprocess, sys, time
limit, patience = int(sys.argv[2]), float(sys.argv[3])
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
process, began, ended = subprocess.Popen(sys.argv[4:], start_new_session=True), time.monotonic(), 0
while not ended:
    ended, status, used = os.wait4(process.pid, os.WNOHANG)
    time.sleep(0.01)
    if not ended and time.monotonic() - began > patience:
        os.killpg(process.pid, 9)
with open(sys.argv[1], "w") as file:
    print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss, file=file)
"""
"""A small process that starts a checker: a process begins with the peak of memory of the one that starts it."""


def asked(checker: str, file: Path) -> Answer:
    """The answer of a checker's command, whose time and memory are measured."""
    with tempfile.NamedTemporaryFile("r") as measured:
        limits = [str(SECONDS + 1), str(PATIENCE)]
        command = [sys.executable, "-I", "-c", MEASURED, measured.name, *limits, *CHECKERS[checker], str(file)]
        done = run(command, capture_output=True, text=True, check=True)
        status, seconds, peak = measured.read().split()
        unit = 1 if sys.platform == "darwin" else 1024
        return Answer(checker, int(status), done.stdout, done.stderr, float(seconds), int(peak) * unit)


def checkers() -> list[str]:
    return [name for name, command in CHECKERS.items() if shutil.which(command[0])]


class Asker:
    """Both checkers as warm processes, which one thread asks."""

    def __init__(self) -> None:
        self.warm: dict[str, Warm] = {}
        self.asked: Counter[str] = Counter()

    def ask(self, checker: str, file: Path) -> Answer:
        """Its answer; that of the real command where the warm process has not given a good one."""
        if not Path("/proc/self/clear_refs").exists():
            return asked(checker, file)
        found = Answer(checker, *self.measured(checker, file))
        return asked(checker, file) if found.faults else found

    def measured(self, checker: str, file: Path) -> Measured:
        if checker not in self.warm:
            self.warm[checker] = self.started(checker)
        found = self.warm[checker].ask(file)
        self.asked[checker] += 1
        worn = checker == "second" and (found.bytes > BYTES_OF_A_JUDGE or self.asked[checker] % FILES_OF_A_JUDGE == 0)
        if found.status < 0 or worn:
            self.warm.pop(checker).end()
        return found

    def started(self, checker: str) -> Warm:
        if checker == "first":
            return Forks(CHECKERS["first"][-1], SECONDS + 1, PATIENCE)
        return Judge(JUDGE, SECONDS, PATIENCE, WORDS["second"])

    def end(self) -> None:
        for warm in self.warm.values():
            warm.end()


def grown(number: int) -> Grown:
    """How far the parts of the file of this number have grown."""
    rng, kind = random.Random(number), number % KINDS
    if kind == 0:
        return Grown(rng.uniform(0, MODERATE), rng, lambda: rng.uniform(0.5, 1))
    if kind == 1:
        return Grown(rng.uniform(MODERATE, 1), rng, lambda: 1.0)
    return Grown(1.0, rng)


def text_of_shape(name: str, number: int) -> str | None:
    """The file of this number, of a shape; None where it has grown beyond the limit of a file."""
    text = text_of(SHAPES[name](grown(number)))
    return text if len(text) <= FILE_BYTES else None


def drawn(files: int, seed: int, share: float = 1) -> Iterator[tuple[str, int]]:
    """Shapes in turn, each with a number that decides how it has grown: far, of so many in 100."""
    rng, names = random.Random(seed), list(SHAPES)
    for i in range(files):
        far = int((i + 1) * share / 100)
        grew = far > int(i * share / 100)
        turn = far if grew else i  # of the shapes, whatever their number
        kind = 1 + (far % len(names) + far // len(names)) % 2 if grew else 0  # in either way, by turns
        yield names[turn % len(names)], KINDS * rng.randrange(2**32) + kind


class Judged(NamedTuple):
    """A file and the answers about it; no kind where it has grown too long to be one."""

    name: str
    number: int
    kind: str
    answers: list[Answer]


def judged(name: str, number: int, asker: Asker, folder: Path) -> Judged:
    text = text_of_shape(name, number)
    if text is None:
        return Judged(name, number, "", [])
    file = folder / f"{name}-{number}.json"
    file.write_text(text, encoding="ascii")
    try:
        answers = [asker.ask(checker, file) for checker in checkers()]
        if number // KINDS % SAMPLE == 0:
            answers += [asked(checker, file) for checker in checkers()]
    finally:
        file.unlink()
    return Judged(name, number, json.loads(text)["claim"]["kind"], answers)


class Report:
    """What has been found so far."""

    def __init__(self) -> None:
        self.files, self.faults, self.began = 0, 0, time.monotonic()
        self.words: Counter[tuple[str, str, str]] = Counter()  # checker, kind of claim, word
        self.seconds = dict.fromkeys(CHECKERS, 0.0)
        self.longest = dict.fromkeys(CHECKERS, (0.0, ""))
        self.largest = dict.fromkeys(CHECKERS, (0, ""))

    def add(self, found: Judged) -> list[str]:
        """Count the answers about a file; what is wrong with them."""
        self.files += bool(found.answers)
        where, lines = f"{found.name} {found.number}", []
        for answer in found.answers:
            self.words[answer.checker, found.kind, answer.word] += 1
            self.seconds[answer.checker] += answer.seconds
            self.longest[answer.checker] = max(self.longest[answer.checker], (answer.seconds, where))
            self.largest[answer.checker] = max(self.largest[answer.checker], (answer.bytes, where))
            lines += [f"{where}, the {answer.checker} checker {fault}\n" for fault in answer.faults]
        self.faults += len(lines)
        return lines

    def table(self) -> str:
        lines = []
        for checker in checkers():
            words = [*WORDS[checker], "nothing"]
            kinds = sorted({kind for each, kind, _ in self.words if each == checker})
            lines.append(f"{'the ' + checker + ' checker':20}" + "".join(f"{word:>12}" for word in words))
            for kind in kinds:
                lines.append(f"{kind:20}" + "".join(f"{self.words[checker, kind, word]:12}" for word in words))
        return "".join(line + "\n" for line in lines)

    def summary(self) -> str:
        lines = []
        for checker in checkers():
            (seconds, slow), (size, large) = self.longest[checker], self.largest[checker]
            mean = self.seconds[checker] / max(1, self.files)
            lines.append(
                f"the {checker} checker: {mean:.2f} s a file, at most {seconds:.1f} s ({slow}) "
                f"and {size / 1e6:.0f} MB ({large})\n"
            )
        clock = time.monotonic() - self.began
        return "".join(lines) + f"{self.files} files of {len(SHAPES)} shapes, {self.faults} faults, {clock:.0f} s\n"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.hostile", description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--every", type=int, default=1000, metavar="FILES", help="say how far it is, so often")
    parser.add_argument("--grown", type=float, default=1, metavar="PERCENT", help="how many have grown far")
    options = parser.parse_args(arguments)
    report, askers = Report(), queue.SimpleQueue[Asker]()
    for _ in range(options.jobs):
        askers.put(Asker())

    def answered(ask: tuple[str, int]) -> Judged:
        asker = askers.get()
        try:
            return judged(*ask, asker, Path(folder))
        finally:
            askers.put(asker)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        for i, found in enumerate(pool.map(answered, drawn(options.files, options.seed, options.grown)), 1):
            sys.stdout.writelines(report.add(found))
            if i % options.every == 0:
                sys.stdout.write(report.summary())
            sys.stdout.flush()
    for _ in range(options.jobs):
        askers.get().end()
    sys.stdout.write(report.table() + report.summary())
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
