"""Mutation testing of the package's rooms: ``python -m tests.mutate ROOM... [--mutants 300] [--seed 1]``.

A seeded sample of mutants of each room, each with one change in the body of a function or in a constant of a module: a
comparison, an operator of arithmetic, a sign, a constant, a condition, a ``min`` or ``max``, a term of a sum that is
left out. Changes that compile to the same code are left out, and so are annotations, decorators, default values and
the messages of errors. A mutant is killed if a test of its room fails, or runs out of time or memory.

The tests are collected once and run once without a change, to see what each takes and which functions it calls. Then
each mutant is a child process in which the code of one function, or the value of one constant, is exchanged, and which
runs the tests that reach it, the fastest first, as long as these take without the change no more than ``--tests``
seconds, which are three quarters of ``--limit`` unless said.

Survivors are printed with their place: each either changes no answer, which a reader must see and say in
tests/survivors.md, or is a missing test. ``--again FILE`` judges only the survivors that the output of a run names,
once tests were written.
"""

from __future__ import annotations

import argparse
import ast
import cProfile
import functools
import gc
import importlib
import os
import pickle
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ["tests/messages/test_core_messages.py", "tests/unit/test_reprs.py", "tests/unit/test_resources.py"]
TESTS = {
    "numbers": ["tests/unit/numbers", *CORE, "exactdp/numbers"],
    "laws": ["tests/interfaces/test_laws.py", "tests/unit/laws", "exactdp/laws"],
    "privacy": [
        "tests/interfaces",
        "tests/unit/privacy",
        "tests/unit/protocols/counting",
        "tests/properties/test_composition.py",
        *CORE,
        "exactdp/privacy",
    ],
    "privacy/composition": [
        "tests/unit/privacy/composition",
        "tests/properties/test_composition.py",
        "exactdp/privacy/composition",
    ],
    "protocols/accuracy": [
        "tests/unit/protocols/accuracy",
        "tests/unit/laws/test_tails.py",
        "exactdp/protocols/accuracy",
    ],
    "studies/calibration": ["tests/unit/studies/calibration", "exactdp/studies/calibration"],
    "symbolic": ["tests/unit/symbolic", "exactdp/symbolic"],
}
MEMORY = 4 * 2**30
PATIENCE = 2
"""A test is stopped after so many seconds of CPU time beyond ten times what it takes without the change."""
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
    """A file with one change, in the body of a function or in the value of a constant."""

    path: str
    line: int
    change: str
    source: str
    function: tuple[str, int] | None
    constant: str | None

    @property
    def what(self) -> str:
        """The function or the constant, the change, and the line as it reads then."""
        place = self.constant if self.function is None else self.function[0]
        return f"in {place}: {self.change}: {self.source.splitlines()[self.line - 1].strip()}"


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
    """The expressions of code that runs, each with the function or the constant that it belongs to."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.expr, tuple[str, int] | None, str | None]] = []
        self._scope: list[str] = []
        self._function: tuple[str, int] | None = None
        self._constant: str | None = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer = self._function
        self._scope.append(node.name)
        if outer is None:  # what is inside a function is part of its code
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            self._function = (".".join(self._scope), first)
        for child in node.body:
            self.visit(child)
        self._function = outer
        self._scope.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.append(node.name)
        for child in node.body:
            if isinstance(child, ast.FunctionDef) or self._function is not None:
                self.visit(child)
        self._scope.pop()

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> None:
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        if self._function is None and isinstance(target, ast.Name) and not target.id.startswith("__"):
            self._constant = target.id
        self.generic_visit(node)
        self._constant = None

    visit_AnnAssign = visit_Assign

    def generic_visit(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr | ast.Raise):
                continue
            if (
                isinstance(node, ast.keyword) and node.arg == "strict"
            ):  # of zip, whose arguments are as long as each other
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)
        if isinstance(node, ast.expr) and (self._function or self._constant):
            self.found.append((node, self._function, self._constant))


def mutants(room: str) -> list[Mutant]:
    """Every mutant of a room; a change is written where the old expression stood, and the rest stays as it is."""
    found = []
    for path in sorted((ROOT / "exactdp" / room).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        places, lines = Places(), source.encode().splitlines(keepends=True)
        places.visit(ast.parse(source))
        for node, function, constant in places.found:
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
            end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
            for changed in changes(node):
                old, new = ast.unparse(node), ast.unparse(ast.fix_missing_locations(changed))
                text = (source.encode()[:start] + f"({new})".encode() + source.encode()[end:]).decode()
                name = path.relative_to(ROOT).as_posix()
                found.append(Mutant(name, node.lineno, f"{old}  ->  {new}", text, function, constant))
    return found


def sample(room: str, number: int, seed: int) -> list[Mutant]:
    """So many mutants of a room, the same for the same seed."""
    every = mutants(room)
    return random.Random(f"{seed} {room}").sample(every, min(number, len(every)))


def survivors(room: str, report: str) -> list[Mutant]:
    """The mutants of a room that a report of this command says survived, wherever their lines are now."""
    found = re.findall(r"^survived \(.*?\): (\S+):\d+: (.*)$", report, re.MULTILINE)
    wanted = {(path, what) for path, what in found if path.startswith(f"exactdp/{room}/")}
    chosen = [mutant for mutant in mutants(room) if (mutant.path, mutant.what) in wanted]
    for path, what in sorted(wanted - {(mutant.path, mutant.what) for mutant in chosen}):
        say(f"no such change any more: {path}: {what}")
    return chosen


# --- Exchanging code ------------------------------------------------------------------------------------------------


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code and all that is defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def place_of(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


class Package:
    """The functions and modules of the package as they are in this process."""

    def __init__(self, room: str) -> None:
        for path in sorted((ROOT / "exactdp" / room).rglob("*.py")):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        gc.unfreeze()  # tests/conftest.py hides what a collection has loaded
        prefix, self.functions = str(ROOT / "exactdp"), dict[tuple[str, str, int], list[FunctionType]]()
        for function in gc.get_objects():
            if type(function) is FunctionType and function.__code__.co_filename.startswith(prefix):
                self.functions.setdefault(place_of(function.__code__), []).append(function)
        self.caches = [found for found in gc.get_objects() if isinstance(found, functools._lru_cache_wrapper)]

    def clear(self) -> None:
        """Forget what other tests have computed."""
        for cache in self.caches:
            cache.cache_clear()

    def exchange(self, mutant: Mutant) -> None:
        """Put the change into this process."""
        path = str(ROOT / mutant.path)
        if mutant.function is not None:
            key = (path, *mutant.function)
            for code in codes(compile(mutant.source, path, "exec")):
                if place_of(code) == key:
                    for function in self.functions[key]:
                        function.__code__ = code
            return
        name, code = Path(mutant.path).with_suffix("").as_posix().replace("/", "."), ast.parse(mutant.source)
        module, constant = sys.modules[name], str(mutant.constant)
        old, space = getattr(module, constant), dict(vars(module))
        for statement in code.body:
            target = getattr(statement, "target", getattr(statement, "targets", [None])[0])
            if isinstance(target, ast.Name) and target.id == constant:
                exec(compile(ast.Module([statement], []), path, "exec"), space)
        for other in list(sys.modules.values()):
            if getattr(other, "__dict__", {}).get(constant) is old:
                setattr(other, constant, space[constant])

    def is_equivalent(self, mutant: Mutant) -> bool:
        """Whether the change compiles to the code that is there."""
        key = (str(ROOT / mutant.path), *(mutant.function or ("<module>", 1)))
        original = (ROOT / mutant.path).read_text(encoding="utf-8")
        both = [
            [_plain(code) for code in codes(compile(source, key[0], "exec")) if place_of(code)[1:] == key[1:]]
            for source in (original, mutant.source)
        ]
        return both[0] == both[1]

    def reached(self, mutant: Mutant) -> set[tuple[str, str, int]]:
        """The functions whose call may show the change."""
        if mutant.function is not None:
            return {(str(ROOT / mutant.path), *mutant.function)}
        return {
            key
            for key, found in self.functions.items()
            if any(mutant.constant in code.co_names for code in codes(found[0].__code__))
        }


def _plain(code: CodeType) -> Any:
    """What a code does, without the places of its lines."""
    inner = [_plain(constant) if isinstance(constant, CodeType) else repr(constant) for constant in code.co_consts]
    return code.co_code, code.co_names, inner


# --- Running tests --------------------------------------------------------------------------------------------------


class Seen(NamedTuple):
    """What a test took without a change, and the functions that it called."""

    seconds: float
    called: frozenset[tuple[str, str, int]]


class Runner:
    """A plugin of pytest that runs the mutants instead of the tests, once these are collected."""

    def __init__(self, room: str, chosen: list[Mutant], limit: float, most: float, jobs: int) -> None:
        self.room, self.chosen, self.limit, self.most, self.jobs = room, chosen, limit, most, jobs
        self.living: list[Mutant] = []
        self.counts: Counter[str] = Counter()
        self._in_child = False
        self._failed: set[str] | None = None

    def pytest_sessionstart(self) -> None:
        """No example is made smaller or kept: that it fails is enough."""
        from hypothesis import Phase, settings  # only here, for pytest rewrites its plugins as they are imported

        quick = {"deadline": None, "derandomize": True, "database": None, "phases": (Phase.explicit, Phase.generate)}
        settings.register_profile("mutants", **quick)
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._failed is not None and report.failed:
            self._failed.add(report.nodeid)
        elif self._in_child and report.failed:
            os._exit(1)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        package = Package(self.room)
        seen = self._without_change(session.items, package)
        say(f"{len(seen)} tests take {sum(s.seconds for _, s in seen):.0f} s without a change")
        running: dict[int, tuple[Mutant, float]] = {}
        began = time.monotonic()
        for number, mutant in enumerate(self.chosen):
            if package.is_equivalent(mutant):
                self.counts["equal code"] += 1
                continue
            wanted = package.reached(mutant)
            if not wanted:  # a constant that no function names: it was used when the module was loaded
                self.counts["not judged"] += 1
                continue
            tests = sorted((s for s in seen if s[1].called & wanted), key=lambda s: s[1].seconds)
            if not tests:
                self._survived(mutant, "no test of the room calls it")
                continue
            while len(running) >= self.jobs:
                self._wait(running)
            if child := os.fork():
                running[child] = (mutant, time.monotonic())
            else:
                self._judge(package, mutant, tests)
            if number % 50 == 49:
                say(f"{number + 1} of {len(self.chosen)} mutants after {time.monotonic() - began:.0f} s")
        while running:
            self._wait(running)
        return True

    def _wait(self, running: dict[int, tuple[Mutant, float]]) -> None:
        """Wait for one child; one that does not compute and does not end is ended."""
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child:
                break
            for other, (_, began) in running.items():
                if time.monotonic() - began > 20 * self.limit:
                    os.kill(other, signal.SIGKILL)
            time.sleep(0.02)
        mutant, _ = running.pop(child)
        if status == 0:
            self._survived(mutant, "all tests pass")
        else:
            self.counts["killed" if os.WIFEXITED(status) else "killed by a limit"] += 1

    def _survived(self, mutant: Mutant, why: str) -> None:
        self.counts["survived"] += 1
        self.living.append(mutant)
        say(f"survived ({why}): {mutant.path}:{mutant.line}: {mutant.what}")

    def _judge(self, package: Package, mutant: Mutant, tests: Sequence[tuple[pytest.Item, Seen]]) -> None:
        """End this process with status 0 if all tests pass, as long as these are quick without the change."""
        self._limited(self.limit)
        try:
            package.exchange(mutant)
            package.clear()
            total, run = 0.0, []
            for item, seen in tests:
                total += seen.seconds
                if run and total > self.most:
                    break
                run.append((item, seen))
            for (item, seen), following in zip(run, [*(item for item, _ in run[1:]), None], strict=True):
                signal.setitimer(signal.ITIMER_PROF, PATIENCE + 10 * seen.seconds)  # SIGPROF ends this process
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        except BaseException:  # noqa: BLE001 (whatever stops it has killed it)
            os._exit(1)
        os._exit(0)

    def _limited(self, seconds: float) -> None:
        self._in_child = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        most = int(time.process_time() + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def _without_change(self, items: list[pytest.Item], package: Package) -> list[tuple[pytest.Item, Seen]]:
        """Run every test in a child without a change, and see what it calls; one that fails is left out, and named.

        Watched, a test takes several times as long, and one with a limit of time may fail.
        """
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answer"
            child = os.fork()
            if not child:
                try:
                    self._limited(3600)
                    self._failed = set()
                    found = [self._watched(item, package) for item in items]
                    file.write_bytes(pickle.dumps((found, self._failed)))
                except BaseException:  # noqa: BLE001
                    os._exit(1)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            if status:
                raise pytest.UsageError(f"the tests of {self.room} end this process without any change")
            found, failed = pickle.loads(file.read_bytes())
        for name in sorted(failed):
            say(f"left out, for it fails without any change: {name}")
        return [(item, seen) for item, seen in zip(items, found, strict=True) if item.nodeid not in failed]

    def _watched(self, item: pytest.Item, package: Package) -> Seen:
        wanted = {id(code): key for key, found in package.functions.items() for code in [found[0].__code__]}
        package.clear()
        watch = cProfile.Profile(subcalls=False, builtins=False)
        began = time.process_time()
        watch.enable()
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        finally:
            watch.disable()
        called = {id(entry.code) for entry in watch.getstats()}
        return Seen(time.process_time() - began, frozenset(wanted[i] for i in called if i in wanted))


def say(line: str) -> None:
    sys.__stdout__.write(line + "\n")
    sys.__stdout__.flush()


def run(room: str, chosen: list[Mutant], limit: float, most: float, jobs: int) -> Runner:
    """Judge the mutants of a room in a process of its own, so that rooms do not share what is collected."""
    runner = Runner(room, chosen, limit, most, jobs)
    flags = ["-q", "-n", "0", "-p", "no:cacheprovider", "-s"]
    with open(os.devnull, "w", encoding="utf-8") as sys.stdout:  # the summary of a run in which no test was run
        pytest.main([*flags, *(str(ROOT / test) for test in TESTS[room])], plugins=[runner])
    sys.stdout = sys.__stdout__
    return runner


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__.split("\n")[0])
    parser.add_argument("room", choices=list(TESTS))
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20, help="seconds of CPU time for a mutant")
    parser.add_argument("--tests", type=float, help="seconds of tests, as they take without the change, for a mutant")
    parser.add_argument("--again", type=Path, help="a file with the output of a run: judge its survivors, no sample")
    parser.add_argument("--only", default="", help="part of 'path:line: in function: change: changed line'")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    report = None if options.again is None else options.again.read_text(encoding="utf-8")
    os.chdir(ROOT)
    began, which = time.monotonic(), f"seed {options.seed}" if report is None else "survivors again"
    chosen = sample(options.room, options.mutants, options.seed) if report is None else survivors(options.room, report)
    chosen = [mutant for mutant in chosen if options.only in f"{mutant.path}:{mutant.line}: {mutant.what}"]
    if not chosen:  # before the tests of the room are run without a change
        parser.error(f"no mutant of {options.room} with {which} is named by --only {options.only!r}")
    most = 0.75 * options.limit if options.tests is None else options.tests
    counts = run(options.room, chosen, options.limit, most, options.jobs).counts
    killed = counts["killed"] + counts["killed by a limit"]
    judged = killed + counts["survived"]
    say(
        f"{options.room}, {which}: {len(chosen)} mutants, {counts['equal code']} with equal code, "
        f"{counts['not judged']} constants of module level not judged, "
        f"{killed} of {judged} killed ({100 * killed / max(1, judged):.1f} %), "
        f"{counts['killed by a limit']} by a limit, {counts['survived']} survived, {time.monotonic() - began:.0f} s"
    )
    return 0 if sum(counts.values()) == len(chosen) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
