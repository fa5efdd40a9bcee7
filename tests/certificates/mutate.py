"""Mutation testing of the checker: ``python -m tests.certificates.mutate [--jobs 2] [--only REGEX] [--sample 300]``.

It needs ``pip install cosmic-ray``, whose operators change one file of exactdp/checker/ in one place at a time (a sign,
a constant, a comparison, a missing negation, a loop that does not run, ...). The files are then joined as for the bare
checker. Each mutant reads the whole corpus and runs the probes. It is killed if one file gets another exit status,
other words or other prices than from the checker itself, all of which tests/unit/checker/test_corpus.py pins, if a
probe fails, or if it runs out of time or memory. The survivors are printed, and tests/certificates/survivors.md says of
each kind why it is let live.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactdp.claims.bare_checker import joined
from tests.certificates import bare
from tests.certificates.answers import Answer, answer
from tests.certificates.probes import PROBES

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in bare.SOURCES}
CORPUS = ROOT / "tests" / "certificates"
SECONDS, MEMORY = 45, 3 * 2**30  # of CPU time; the checker itself takes a third of it

# Of the replacements of one operator by another a few stand for all; `X | None` in annotations is never evaluated.
LEFT_OUT = re.compile(
    "Variable(Inserter|Replacer)|ReplaceBinaryOperator_BitOr_.*|ReplaceBinaryOperator_.*_(Pow|Mod|LShift|RShift|BitXor|BitOr|BitAnd|Div)"
    "|ReplaceComparisonOperator_.*_(Is|IsNot)|ReplaceComparisonOperator_(Eq|NotEq)_(LtE|Lt|GtE|Gt)"
    "|ReplaceComparisonOperator_Gt_(NotEq|Lt|Eq)|ReplaceComparisonOperator_Lt_(NotEq|Gt|Eq)"
    "|ReplaceComparisonOperator_GtE_(NotEq|LtE|Eq)|ReplaceComparisonOperator_LtE_(NotEq|GtE|Eq)"
)


@dataclass(frozen=True)
class Mutant:
    """The checker with one change."""

    operator: str
    file: str
    place: str
    change: str
    source: str

    def __str__(self) -> str:
        return f"{self.operator} {self.file}.{self.place} {self.change}"


def mutants(file: str) -> Iterator[Mutant]:
    """Every mutant of a file, which is parsed one top-level statement at a time."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    source = SOURCES[file]
    lines = source.splitlines(keepends=True)
    names = [name for name in sorted(operator_names()) if not LEFT_OUT.fullmatch(name.removeprefix("core/"))]
    for statement in ast.parse(source).body:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))]) - 1
        before, piece = "".join(lines[:first]), "".join(lines[first : statement.end_lineno])
        after, whole = "".join(lines[statement.end_lineno or 0 :]), ast.dump(ast.parse(piece))
        for name in names:
            occurrence = 0
            while (mutated := mutate_code(piece, get_operator(name)(), occurrence)) is not None:
                occurrence += 1
                if _same(mutated, whole):
                    continue
                line, change = _difference(piece, mutated)
                place = _place(statement, first + line)
                yield Mutant(name.removeprefix("core/"), file, place, change, before + mutated + after)


def _place(statement: ast.stmt, line: int) -> str:
    """The function, class or method at a line of a top-level statement, by name."""
    for node in getattr(statement, "body", []):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            return f"{_place(statement, 0)}.{node.name}"
    return getattr(statement, "name", "") or ast.unparse(statement).split()[0]


def _same(mutated: str, whole: str) -> bool:
    try:
        return ast.dump(ast.parse(mutated)) == whole
    except SyntaxError:
        return True


def _difference(old: str, new: str) -> tuple[int, str]:
    for number, (one, other) in enumerate(zip(old.splitlines(), new.splitlines(), strict=False), 1):
        if one != other:
            return number, f"{one.strip()}  ->  {other.strip()}"
    return 0, "?"


def answers(checker: Any) -> Iterator[Answer]:
    """What a checker says of every file of the corpus, those of the newest schema first."""
    for path in sorted(CORPUS.glob("v*/*/*"), reverse=True):
        yield answer(checker, path.relative_to(ROOT))


def is_killed(mutant: Mutant, expected: list[Answer]) -> bool:
    """Run the mutant until it differs; in a child process, so that it may do what it likes."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        checker = bare.loaded(joined({**SOURCES, mutant.file: mutant.source}))
        if any(found != wanted for found, wanted in zip(answers(checker), expected, strict=True)):
            return True
        for probe in PROBES.values():
            probe(checker)
    except BaseException:  # noqa: BLE001 (whatever stops it has killed it)
        return True
    return False


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation testing of the certificate checker.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="a regular expression on 'Operator file.place change'")
    parser.add_argument("--sample", type=int, default=0, help="run so many of these mutants only, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.chdir(ROOT)
    expected, began = list(answers(bare.checker())), time.monotonic()
    for probe in PROBES.values():  # the checker itself passes them, or every mutant would seem to be killed
        probe(bare.checker())
    chosen = [mutant for file in SOURCES for mutant in mutants(file) if re.search(arguments.only, str(mutant))]
    if arguments.sample:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    running: dict[int, Mutant] = {}
    counts: Counter[bool] = Counter()

    def wait() -> None:
        child, status = os.wait()
        mutant, survived = running.pop(child), status == 0
        counts[survived] += 1
        if counts.total() % 20 == 0:
            say(f"{counts.total()} of {len(chosen)} mutants, {counts[False]} killed")
        if survived:
            say(f"survived: {mutant.file}.{mutant.place}: {mutant.operator}: {mutant.change}")

    for mutant in chosen:
        if len(running) == arguments.jobs:
            wait()
        if child := os.fork():
            running[child] = mutant
        else:
            os._exit(int(is_killed(mutant, expected)))
    while running:
        wait()
    total = sum(counts.values())
    share = 100 * counts[False] / max(1, total)
    seconds = time.monotonic() - began
    say(f"{total} mutants, {counts[False]} killed ({share:.1f} %), {counts[True]} survived, {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
