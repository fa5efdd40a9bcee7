"""Mutation testing of the package's rooms: ``python -m tests.mutate [--rooms kernel numbers] [--mutants 300]``.

A seeded sample of mutants of each room, each with one change: a comparison, an operator of arithmetic, a sign, a
constant, a condition, a ``min`` or ``max``, a term of a sum that is left out. Each is run, in a copy of the tree,
against the tests of its room, and is killed if one fails, or if they take more than ``--seconds`` longer than without
the change. Survivors are printed with their place: each either changes no answer, which a reader must see and say, or
is a missing test. The exit status is 1 if fewer than ``--share`` per cent are killed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("exactdp", "tests", "proofs", "docs", "examples", "pyproject.toml", "README.md", "CHANGELOG.md")
TESTS = {
    "numbers": ["tests/unit/numbers", "tests/unit/test_reprs.py"],
    "kernel": ["tests/unit/kernel", "tests/unit/engines", "tests/unit/laws", "tests/unit/composition"],
    "privacy": ["tests/unit/privacy", "tests/unit/test_profile.py"],
    "composition": ["tests/unit/composition", "tests/unit/kernel", "tests/properties/test_composition.py"],
    "calibration": ["tests/unit/calibration"],
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
TURNED = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "lower": "upper", "upper": "lower"}


class Mutant(NamedTuple):
    """A file with one change."""

    path: str
    line: int
    change: str
    source: str


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Every changed form of one node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        changed = deepcopy(node)
        changed.ops[0] = COMPARISONS[type(node.ops[0])]()
        yield changed
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(deepcopy(node.left), OPERATORS[type(node.op)](), deepcopy(node.right))
        if isinstance(node.op, ast.Add | ast.Sub):
            yield deepcopy(node.left)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield deepcopy(node.operand)
    elif isinstance(node, ast.BoolOp):
        yield deepcopy(node.values[0])
        yield deepcopy(node.values[-1])
    elif isinstance(node, ast.IfExp):
        yield deepcopy(node.body)
        yield deepcopy(node.orelse)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Name) and node.id in TURNED:
        yield ast.Name(TURNED[node.id], node.ctx)
    elif isinstance(node, ast.Attribute) and node.attr in TURNED and isinstance(node.ctx, ast.Load):
        yield ast.Attribute(deepcopy(node.value), TURNED[node.attr], node.ctx)


class Places(ast.NodeVisitor):
    """The nodes of code that runs: no annotation, no message of an error, no docstring."""

    def __init__(self) -> None:
        self.found: list[ast.expr] = []

    def generic_visit(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr | ast.Raise):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)
        if isinstance(node, ast.expr):
            self.found.append(node)


def mutants(room: str) -> list[Mutant]:
    """Every mutant of a room; a change is written where the old expression stood, and the rest stays as it is."""
    found = []
    for path in sorted((ROOT / "exactdp" / room).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        places, lines = Places(), source.encode().splitlines(keepends=True)
        places.visit(ast.parse(source))
        for node in places.found:
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
            end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
            for changed in changes(node):
                old, new = ast.unparse(node), ast.unparse(ast.fix_missing_locations(changed))
                text = (source.encode()[:start] + f"({new})".encode() + source.encode()[end:]).decode()
                found.append(Mutant(path.relative_to(ROOT).as_posix(), node.lineno, f"{old}  ->  {new}", text))
    return found


def sample(room: str, number: int, seed: int) -> list[Mutant]:
    """So many mutants of a room, the same for the same seed."""
    every = mutants(room)
    return random.Random(f"{seed} {room}").sample(every, min(number, len(every)))


def copy_of_the_tree(folder: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def is_killed(tree: Path, room: str, seconds: float) -> bool:
    """Whether a test of the room fails in this tree, or takes too long."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *TESTS[room]]
    environment = {**os.environ, "PYTHONPATH": str(tree), "HYPOTHESIS_PROFILE": "default"}
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env=environment,
            capture_output=True,
            check=False,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def survivors(room: str, chosen: list[Mutant], trees: list[Path], seconds: float) -> list[Mutant]:
    """Run the mutants in turn, one in each tree at a time."""
    free: Queue[Path] = Queue()
    for tree in trees:
        free.put(tree)

    def lives(mutant: Mutant) -> bool:
        tree = free.get()
        file = tree / mutant.path
        original = file.read_text(encoding="utf-8")
        file.write_text(mutant.source, encoding="utf-8")
        try:
            return not is_killed(tree, room, seconds)
        finally:
            file.write_text(original, encoding="utf-8")
            free.put(tree)

    living = []
    with ThreadPoolExecutor(len(trees)) as pool:
        for mutant, alive in zip(chosen, pool.map(lives, chosen), strict=True):
            if alive:
                living.append(mutant)
                sys.stdout.write(f"survived: {mutant.path}:{mutant.line}: {mutant.change}\n")
                sys.stdout.flush()
    return living


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__.split("\n")[0])
    parser.add_argument("--rooms", nargs="+", choices=list(TESTS), default=list(TESTS))
    parser.add_argument("--mutants", type=int, default=300, help="of each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20, help="beyond what the tests take without a change")
    parser.add_argument("--share", type=float, default=95)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    worst = 100.0
    with tempfile.TemporaryDirectory() as folder:
        trees = [copy_of_the_tree(Path(folder) / str(i)) for i in range(options.jobs)]
        for room in options.rooms:
            began = time.monotonic()
            if is_killed(trees[0], room, 600):
                sys.stdout.write(f"{room}: its tests fail without any change\n")
                return 2
            usual = time.monotonic() - began
            chosen = sample(room, options.mutants, options.seed)
            living = survivors(room, chosen, trees, usual * options.jobs + options.seconds)
            share = 100 * (len(chosen) - len(living)) / max(1, len(chosen))
            worst = min(worst, share)
            sys.stdout.write(
                f"{room}: {len(chosen)} mutants, {len(chosen) - len(living)} killed ({share:.1f} %), {len(living)} "
                f"survived, {time.monotonic() - began:.0f} s\n"
            )
            sys.stdout.flush()
    return 0 if worst >= options.share else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
