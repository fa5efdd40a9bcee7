"""Mutation testing of the checker: ``python -m tests.certificates.mutate [--jobs 2] [--only REGEX]``.

It needs ``pip install cosmic-ray``, whose operators change exactdp/certificates/verify.py in one place at a time
(a sign, a constant, a comparison, a missing negation, a loop that does not run, ...). Each mutant reads the whole
corpus and runs the probes. It is killed if one file gets another exit status, other words or another price than from
the checker itself, all of which tests/unit/certificates/test_corpus.py pins, if a probe fails, or if it runs out of
time or memory. The survivors are printed, and tests/certificates/survivors.md says of each kind why it is let live.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import resource
import sys
import time
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.certificates.answers import Answer, answer
from tests.certificates.probes import PROBES

ROOT = Path(__file__).resolve().parents[2]
CHECKER = ROOT / "exactdp" / "certificates" / "verify.py"
CORPUS = ROOT / "tests" / "certificates"
SECONDS, MEMORY = 15, 3 * 2**30  # of CPU time; the checker itself takes a third of it

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
    line: int
    change: str
    source: str


def mutants(only: str) -> Iterator[Mutant]:
    """Every mutant whose operator and line match; the file is parsed one top-level statement at a time."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    source = CHECKER.read_text(encoding="utf-8")
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
                found = Mutant(name.removeprefix("core/"), first + line, change, before + mutated + after)
                if re.search(only, f"{found.operator} {found.line} {found.change}"):
                    yield found


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


def loaded(source: str) -> Any:
    """A checker with this source."""
    module = types.ModuleType("mutant")
    sys.modules["mutant"] = module
    exec(compile(source, "mutant", "exec"), module.__dict__)
    return module


def answers(checker: Any) -> Iterator[Answer]:
    """What a checker says of every file of the corpus."""
    for path in sorted(CORPUS.glob("v*/*/*")):
        yield answer(checker, path.relative_to(ROOT))


def is_killed(mutant: Mutant, expected: list[Answer]) -> bool:
    """Run the mutant until it differs; in a child process, so that it may do what it likes."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        checker = loaded(mutant.source)
        if any(found != wanted for found, wanted in zip(answers(checker), expected, strict=True)):
            return True
        for probe in PROBES:
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
    parser.add_argument("--only", default="", help="a regular expression on 'Operator line change'")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    expected, began = list(answers(loaded(CHECKER.read_text(encoding="utf-8")))), time.monotonic()
    running: dict[int, Mutant] = {}
    counts: Counter[bool] = Counter()
    survivors: list[Mutant] = []

    def wait() -> None:
        child, status = os.wait()
        mutant, survived = running.pop(child), status == 0
        counts[survived] += 1
        if survived:
            survivors.append(mutant)
            say(f"survived: {mutant.line}: {mutant.operator}: {mutant.change}")

    for mutant in mutants(arguments.only):
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
