"""Ask the proved checker and the Python one: ``python -m tests.certificates.compare_proved [--mutants N] [FILES...]``.

Without FILES it asks about the whole corpus; with ``--misspelt N`` about small certificates, each with other bytes in
one place. It needs the program of ``make -C proofs/checker``. It prints how often
each pair of answers was given, and by which of the RULES the two may differ. The exit status is 1 if one verifies what
the other one does not, or says it in other words, or of another claim, and no rule explains it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from exactdp.certificates import verify as checker
from exactdp.claims import proved_checker
from tests.certificates.compare import ANSWERS, mutants
from tests.certificates.misspelt import misspelt

CORPUS = Path(__file__).resolve().parent
_BATCH = 32
"""Files of one run of the proved checker, of which each takes milliseconds and a start as long."""
_SMALL = 1500
"""Bytes of a certificate whose spelling is changed."""
_BEYOND = re.compile(r"too large|beyond|more than|gets an e\^eps")
"""In what the Python checker says where a limit of work or size is met."""


ALIKE = "the same answer"
UNPROVED = "there is no proved program for this kind or this witness"
LIMITED = "beyond a limit of the Python checker, which prices every step; the proved one may decide it"
PROVED_LIMITED = "beyond a limit of the proved checker, whose products are dearer, or beyond its time or memory"
FLATTENED = "the same claim; the proved checker writes a sum of sums, and a product of products, as one"
OTHER_FAULT = "both refuse it, and name different faults of several"
CONTRADICTION = "A CONTRADICTION"
RULES = (ALIKE, FLATTENED, UNPROVED, LIMITED, PROVED_LIMITED, OTHER_FAULT)


def answers(files: Sequence[str]) -> Iterator[str]:
    """The lines of the proved checker, one for each file, in their order; it runs once on each processor."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(answered, (files[start : start + _BATCH] for start in range(0, len(files), _BATCH))):
            yield from lines


def answered(files: Sequence[str]) -> list[str]:
    """The lines of one run of it; and of one for each file, where a signal ended that."""
    done = subprocess.run([str(proved_checker.required()), *files], capture_output=True, check=False)
    if done.returncode >= 0:
        return done.stdout.decode("utf-8", "replace").splitlines()
    if len(files) > 1:
        return [line for file in files for line in answered([file])]
    return [f"MALFORMED {files[0]}: the check is too large: signal {-done.returncode} ended it"]


def word(line: str) -> str:
    """What an answer says of the file."""
    return next((answer for answer in ANSWERS if line.startswith(answer)), "VERIFIED")


def said(line: str) -> str:
    """The verdict, the id and the claim in words, without what this rests on."""
    return line.rsplit(" [", 1)[0]


def rule(python: str, proved: str) -> str | None:
    """By which rule the answers about one file are both right; None if they cannot be."""
    first, second = word(python), word(proved)
    if first == second != "VERIFIED" or said(python) == said(proved):
        return ALIKE
    if first == second:
        return FLATTENED if re.sub("[()]", "", said(python)) == re.sub("[()]", "", said(proved)) else None
    if second == "NOT COVERED":
        return UNPROVED
    if first == "MALFORMED" and _BEYOND.search(python):
        return LIMITED
    if second == "MALFORMED" and "the check is too large" in proved:
        return PROVED_LIMITED
    return OTHER_FAULT if "VERIFIED" not in (first, second) else None


def small_certificates() -> list[Path]:
    """Correct ones, of all schemas."""
    return [file for file in sorted(CORPUS.glob("v*/correct/*.json")) if file.stat().st_size <= _SMALL]


class Compared(NamedTuple):
    """What two checkers say of many files."""

    counts: Counter[tuple[str, str, str]]
    """Of each answer of the Python checker, of the proved one, and the rule."""
    contradictions: list[tuple[str, str]]
    """The pairs of lines that no rule explains."""


def compared(files: Sequence[str]) -> Compared:
    """Ask both about each file."""
    counts, contradictions = Counter[tuple[str, str, str]](), []
    for file, proved in zip(files, answers(files), strict=True):
        python = checker.report(file)[1]
        explained = rule(python, proved)
        counts[word(python), word(proved), explained or CONTRADICTION] += 1
        if explained is None:
            contradictions.append((python, proved))
    return Compared(counts, contradictions)


def main(arguments: list[str]) -> int:
    description = (__doc__ or "").split("\n", maxsplit=1)[0]
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.compare_proved", description=description)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--misspelt", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    made = options.mutants or options.misspelt
    files: list[str] = options.files or ([] if made else sorted(map(str, CORPUS.glob("v*/*/*.json"))))
    with tempfile.TemporaryDirectory() as folder:
        files += map(str, mutants(options.mutants, options.seed, Path(folder)))
        files += map(str, misspelt(options.misspelt, options.seed, small_certificates(), Path(folder)))
        counts, contradictions = compared(files)
    for python, proved in contradictions[:10]:
        sys.stdout.write(f"{python}\n{proved}\n")
    for (first, second, explained), count in sorted(counts.items()):
        sys.stdout.write(f"{count:8} {first}, by the proved checker {second}: {explained}\n")
    return 1 if contradictions else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
