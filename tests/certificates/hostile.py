"""Ask both checkers about files that ask for much: ``python -m tests.certificates.hostile --files 10000 --jobs 2``.

Each file is a shape of ``shapes.py`` whose parts have grown, each on its own, up to the limits of the format. Either
checker answers it in a process of its own, the second where there is ``node``; the exit status is 1 if one took more
than 120 s of CPU or 1 GB, ended otherwise than with an exit status of its own and one line, or was stopped by the net
that is spread under its prices. CI asks 30 files, which takes some minutes. A file is found again by its
name and number.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from typing import NamedTuple

from tests.certificates.shapes import FILE_BYTES, SHAPES, Grown, text_of

ROOT = Path(__file__).resolve().parents[2]
CHECKERS = {
    "first": [sys.executable, "-I", "-S", str(ROOT / "exactdp" / "certificates" / "verify.py")],
    "second": ["node", str(ROOT / "tests" / "certificates" / "second_checker.mjs")],
}
STATUSES = {"first": {0, 1, 2}, "second": {0, 1, 2, 3}}  # 3: NOT COVERED
NETS = ("beyond 110 s", "beyond the memory")  # words of the first checker where a price was too low
SECONDS, BYTES = 120, 10**9


class Answer(NamedTuple):
    """What one checker says of a file, and what that took."""

    checker: str
    status: int
    line: str
    errors: str
    seconds: float
    bytes: int

    @property
    def faults(self) -> list[str]:
        found = []
        if self.status not in STATUSES[self.checker] or self.line.count("\n") != 1 or self.errors:
            found.append(f"ended with {self.status}: {self.line[:200]!r} {self.errors[-300:]!r}")
        if self.seconds > SECONDS or self.bytes > BYTES:
            found.append(f"took {self.seconds:.1f} s and {self.bytes / 1e6:.0f} MB")
        if self.checker == "first" and any(words in self.line for words in NETS):
            found.append(f"a price is too low: {self.line.strip()[:200]}")
        return found


MEASURED = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(process.pid, 0)
with open(sys.argv[1], "w") as file:
    print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss, file=file)
"""
"""A small process that starts a checker: a process begins with the peak of memory of the one that starts it."""


def asked(checker: str, file: Path) -> Answer:
    """The answer of a checker in a process of its own, whose time and memory are measured."""
    with tempfile.NamedTemporaryFile("r") as measured:
        command = [sys.executable, "-I", "-c", MEASURED, measured.name, *CHECKERS[checker], str(file)]
        done = run(command, capture_output=True, text=True, check=True)
        status, seconds, peak = measured.read().split()
        unit = 1 if sys.platform == "darwin" else 1024
        return Answer(checker, int(status), done.stdout, done.stderr, float(seconds), int(peak) * unit)


def checkers() -> list[str]:
    return [name for name, command in CHECKERS.items() if shutil.which(command[0])]


def text_of_shape(name: str, number: int) -> str | None:
    """The file of this number, of a shape; None where it has grown beyond the limit of a file."""
    text = text_of(SHAPES[name](Grown(1.0, random.Random(number))))
    return text if len(text) <= FILE_BYTES else None


def drawn(files: int, seed: int) -> Iterator[tuple[str, int]]:
    """Shapes in turn, each with a number that decides how it has grown."""
    rng, names = random.Random(seed), list(SHAPES)
    for i in range(files):
        yield names[i % len(names)], rng.randrange(2**32)


def judged(name: str, number: int, folder: Path) -> list[Answer]:
    text = text_of_shape(name, number)
    if text is None:
        return []
    file = folder / f"{name}-{number}.json"
    file.write_text(text, encoding="ascii")
    try:
        return [asked(checker, file) for checker in checkers()]
    finally:
        file.unlink()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.hostile", description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    counts, faults, longest, largest = 0, 0, dict.fromkeys(CHECKERS, (0.0, "")), dict.fromkeys(CHECKERS, (0, ""))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        asks = list(drawn(options.files, options.seed))
        for (name, number), answers in zip(asks, pool.map(lambda ask: judged(*ask, Path(folder)), asks), strict=True):
            counts += bool(answers)
            for answer in answers:
                where = f"{name} {number}"
                longest[answer.checker] = max(longest[answer.checker], (answer.seconds, where))
                largest[answer.checker] = max(largest[answer.checker], (answer.bytes, where))
                for fault in answer.faults:
                    faults += 1
                    sys.stdout.write(f"{where}, the {answer.checker} checker {fault}\n")
                    sys.stdout.flush()
    for checker in checkers():
        (seconds, slow), (size, large) = longest[checker], largest[checker]
        sys.stdout.write(f"the {checker} checker: at most {seconds:.1f} s ({slow}) and {size / 1e6:.0f} MB ({large})\n")
    sys.stdout.write(f"{counts} files of {len(SHAPES)} shapes, {faults} faults\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
