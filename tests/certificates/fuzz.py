"""Mutate certificates and see how far the checker follows: ``python -m tests.certificates.fuzz --mutants 100000``.

Each mutant is a correct certificate of either corpus with one change (or two), sealed again, most often one that leaves
a certificate which only the arithmetic can refuse. Whatever the checker verifies is judged by the oracle of
tests/unit/checker/, which shares no code with it. The exit status is 1 if anything was verified that is false or
that the format does not allow, or if the checker failed otherwise than by refusing.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from exactdp.certificates import verify as checker
from tests.certificates.mutations import MUTATIONS, SEEDS, SMALL, SWAPS, Mutant, mutated
from tests.unit.checker import oracle

DEPTHS = (
    "schema",
    "limits",
    "seal",
    "arithmetic, rejected",
    "arithmetic, verified and true",
    "VERIFIED AND FALSE",
    "VERIFIED, NOT OF THE FORMAT",
    "FAILED OTHERWISE",
)
BAD = DEPTHS[5:]


@lru_cache(maxsize=100_000)
def objections(text: str) -> tuple[str, ...]:
    return tuple(oracle.objections(json.loads(text)))


def judged(text: str) -> str:
    """What a verified document is."""
    found = json.loads(text)
    witness = found["witness"]
    spelt = json.dumps({**found, "witness": {}}, sort_keys=True)
    if not all(map(oracle.is_canonical, oracle.texts(witness))):
        return "VERIFIED, NOT OF THE FORMAT"
    against = objections(spelt) if not oracle.points(witness) else tuple(oracle.objections(found))
    if "false" in against:
        return "VERIFIED AND FALSE"
    return "VERIFIED, NOT OF THE FORMAT" if against else "arithmetic, verified and true"


def reached(mutant: Mutant, file: Path) -> str:
    """How far the checker got: and if it verified, whether the oracle agrees."""
    try:
        if isinstance(mutant, bytes):
            file.write_bytes(mutant)
            checker.verify_file(str(file))
            text = mutant.decode()
        else:
            text = json.dumps(mutant, ensure_ascii=False)
            checker.verify_text(text)
    except checker.MalformedCertificateError as error:
        words = str(error)
        return "limits" if any(w in words for w in ("too large", "more than", "deeper", "longer than")) else "schema"
    except checker.CertificateRejectedError as error:
        return "seal" if "sha256" in str(error) else "arithmetic, rejected"
    except Exception as error:  # noqa: BLE001 (a checker that fails otherwise is what we look for)
        return f"FAILED OTHERWISE: {error!r}"
    try:
        return judged(text)
    except Exception as error:  # noqa: BLE001 (so is something verified that the oracle cannot read)
        return f"FAILED OTHERWISE: the oracle: {error!r}"


class Report(NamedTuple):
    counts: Counter[tuple[str, str]]  # (mutation, depth) -> mutants
    bad: list[tuple[str, str, str]]  # mutation, depth, text
    slowest: tuple[float, str]  # seconds, text
    distinct: set[int]  # hashes of the mutants

    def reached(self, depth: str) -> int:
        return sum(count for (_, reached), count in self.counts.items() if reached == depth)

    def table(self) -> str:
        heads = ["schema", "limits", "seal", "rejected", "true", "FALSE", "FORM", "FAILED"]
        lines = [f"{'':28}" + "".join(f"{head:>10}" for head in heads)]
        for name in MUTATIONS:
            lines.append(f"{name:28}" + "".join(f"{self.counts[name, depth]:10}" for depth in DEPTHS))
        lines.append(f"{'all':28}" + "".join(f"{self.reached(depth):10}" for depth in DEPTHS))
        return "\n".join(lines) + "\n"


def fuzz(mutants: int, seed: int, seeds: list[Any] = SEEDS) -> Report:
    """Try so many mutants of some certificates; the same ones for the same seed."""
    rng = random.Random(seed)
    report = Report(Counter(), [], (0.0, ""), set())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mutant.json"
        for _ in range(mutants):
            name, mutant = mutated(rng, seeds)
            start = time.perf_counter()
            depth, _, reason = reached(mutant, file).partition(": ")
            spent = time.perf_counter() - start
            report.counts[name, depth] += 1
            text = repr(mutant) if isinstance(mutant, bytes) else json.dumps(mutant, ensure_ascii=False)
            report = report._replace(slowest=max(report.slowest, (spent, text)))
            if depth in BAD and hash(text) not in report.distinct:
                report.bad.append((name, f"{depth} {reason}".strip(), text))
            report.distinct.add(hash(text))
    return report


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="of blankets, likelihood tests and events of few users")
    parser.add_argument("--swaps", action="store_true", help="of the fourth schema, of few users")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    seeds = SMALL if options.small else SWAPS if options.swaps else SEEDS
    report = fuzz(options.mutants, options.seed, seeds)
    sys.stdout.write(report.table())
    spent = time.perf_counter() - start
    sys.stdout.write(
        f"{len(seeds)} seeds, {len(report.distinct)} distinct mutants, {spent:.0f} s, "
        f"the slowest mutant {report.slowest[0]:.1f} s: {report.slowest[1][:600]}\n"
    )
    sys.stdout.write(f"claims of many runs that were not played out: {oracle.SKIPPED.counts}\n")
    worst_first = sorted(report.bad, key=lambda bad: ("FALSE" not in bad[1], "FAILED" not in bad[1]))
    for name, depth, text in worst_first[:20]:
        sys.stdout.write(f"{depth} ({name}): {text[:2000]}\n")
    return 1 if report.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
