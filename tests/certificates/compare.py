"""Ask both checkers about mutated certificates: ``python -m tests.certificates.compare --mutants 5000``.

It needs ``node``. The exit status is 1 if one checker verifies what the other one rejects, though both compute exactly.
They may part about what is malformed, what is too large, which fault of several is met first, and, where a witness has
``bits``, what these bits still show: each rounds in its own way. Those are counted. Bounds at any number of users are
rounded as the format page says, the same by both.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from exactdp.certificates import verify as checker
from tests.certificates.mutations import SEEDS, SWAPS, mutated

SECOND = Path(__file__).resolve().parent / "second_checker.mjs"
ANSWERS = ("VERIFIED", "REJECTED", "MALFORMED", "NOT COVERED")
AT_ONCE = 500


def mutants(count: int, seed: int, folder: Path, seeds: list[Any] = SEEDS) -> list[Path]:
    """Write distinct mutants into files."""
    rng, seen, files = random.Random(seed), set[bytes](), list[Path]()
    while len(files) < count:
        _, mutant = mutated(rng, seeds)
        content = mutant if isinstance(mutant, bytes) else json.dumps(mutant, ensure_ascii=False).encode()
        if content not in seen:
            seen.add(content)
            files.append(folder / f"{len(files)}.json")
            files[-1].write_bytes(content)
    return files


def second_answers(files: list[Path]) -> list[str]:
    """What the second checker says of each file."""
    lines: list[str] = []
    for start in range(0, len(files), AT_ONCE):
        command = ["node", str(SECOND), *map(str, files[start : start + AT_ONCE])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines += done.stdout.splitlines()
    assert len(lines) == len(files)
    return [next(answer for answer in ANSWERS if line.startswith(answer)) for line in lines]


def is_rounded(content: bytes) -> bool:
    """Whether each checker may round in its own way."""
    is_lattice = any(form in content for form in (b'"blanket"', b'"likelihood"', b'"event"'))
    return b'"composed"' in content or (b'"bits"' in content and not is_lattice)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.compare", description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--swaps", action="store_true", help="of the fourth schema, of few users")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        files = mutants(options.mutants, options.seed, Path(folder), SWAPS if options.swaps else SEEDS)
        pairs = [
            (ANSWERS[checker.report(str(f))[0]], other) for f, other in zip(files, second_answers(files), strict=True)
        ]
        contradictions = [
            file
            for file, pair in zip(files, pairs, strict=True)
            if set(pair) == {"VERIFIED", "REJECTED"} and not is_rounded(file.read_bytes())
        ]
        for file in contradictions[:10]:
            sys.stdout.write(f"{checker.report(str(file))[1]}\n{file.read_bytes()[:2000]!r}\n")
    for (first, second), count in sorted(Counter(pairs).items()):
        sys.stdout.write(f"{count:8} {first}, by the second {second}\n")
    return 1 if contradictions else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
