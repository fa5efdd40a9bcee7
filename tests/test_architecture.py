"""The house, held: floors, borders, sizes and sources.

Each rule is a function from a tree of source files to the sentences that say what breaks it. ``RULES`` are applied to
this checkout; below them, each rule is shown an offending tree, and must say so.
"""

import ast
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# From the ground up. A room imports only from rooms on lower floors, or on its own.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("caching", "checker", "errors", "evidence", "moved"),
    ("certificates", "files", "numbers", "progress"),
    ("laws",),
    ("mechanisms",),
    ("randomizers", "symbolic"),
    ("privacy",),
    ("exchange", "protocols"),
    ("bounds", "claims", "reference", "sampling"),
    ("studies",),
    ("deployment", "proofs", "testing"),
    ("report",),
    ("cli", "__main__"),
)
# `import exactdp` and `from exactdp import Name` go through the front door, which shows every room below it:
# only the top floors may use it.
DOOR = "exactdp"
FRONT_DOOR_USERS = ("proofs", "report", "studies", "testing", "cli", "__main__")

CHECKER = "exactdp.checker"
CHECKER_BY_NAME = "exactdp.certificates.verify"
CHECKER_PATH = (DOOR, "exactdp.certificates", CHECKER)
MAX_LINES = 1200
# A smaller file that one other file imports is a part of that one: whoever reads the one has to read the other. Laws,
# families of randomizers, rooms of the checker, kinds of claims, commands and faces stand alone because there are many.
MIN_LINES = 80
ALONE = ("exactdp/checker/", "exactdp/claims/kinds/", "exactdp/cli/commands/", "exactdp/laws/")
SERVES_ONE = {
    "exactdp/protocols/separating_protocols.py": "handed on by the face of its room, as every protocol",
    "exactdp/protocols/flooded/flooding_theorem.py": "handed on by the face of its room, as every protocol",
    "exactdp/protocols/flooded/flooded_views.py": "draws in floats, as no other file of its protocol does",
    "exactdp/report/figures/promised_bars.py": "one kind of picture, as every file of its room",
    "exactdp/certificates/verify.py": "a contract: python -m exactdp.certificates.verify",
    "exactdp/privacy/noise/laplace_shift.py": "a law on the real line, which no engine of lattices knows",
    "exactdp/privacy/amplification/wide_intervals.py": "floats choose, kept out of the file whose balls prove",
}
# What a file has to know of others, the ground apart: numbers, errors and what else everybody speaks.
MAX_IMPORTS = 15
GROUND = 2
MANY_IMPORTS = {
    "exactdp/protocols/protocol.py": "the two interfaces of all other protocols: all that they answer",
    "exactdp/protocols/counting/correlated_counting_protocol.py": "a protocol: all that it answers",
    "exactdp/studies/calibration/grid_search.py": "all that can be calibrated begins here",
    "exactdp/privacy/planner.py": "a registry: which engine answers",
    "exactdp/report/figures/gallery.py": "a registry: the figures by name",
    "exactdp/studies/survey/bounded_sums.py": "a registry: a curve for each protocol that sums",
    "exactdp/studies/survey/histogram_curves.py": "a registry: a curve for each protocol that counts bins",
}
# Which files of the second opinion know the package: they read definitions and answers, and compute nothing by it.
REFERENCE_READERS = ("exactdp.reference.definition_sums", "exactdp.reference.second_opinion")

# Where it is asked which law something is, and why: the binomial law alone has a staircase in a closed form.
ASKED_FOR = {("exactdp/privacy/noise/two_bins.py", "Binomial")}

# What the command line must not know: it asks profiles.
ENGINE_INTERFACE = ("exactdp.privacy.engine", "exactdp.privacy.planner")

READS_TOML = "exactdp/mechanisms/documents.py"

# The only files with FLINT. Ints, Fractions and Intervals cross their borders; balls and FLINT integers do so only from
# one of these files to another.
FLINT_FILES = frozenset(
    f"exactdp/{folder}/{name}.py"
    for folder, names in {
        "numbers": "balls packed rationals splitting",
        "laws": "contour law_balls",
        "mechanisms": "gaussian_family",
        "privacy/amplification": "bounds_of_pairs float_contour lattice_bound mean_bounds"
        " moved_message positive_part score_event swap_bound tilted tilted_contour wide_intervals",
        "privacy/composition": "losses powers ratio_classes renyi",
        "privacy/noise": "staircase",
        "privacy/two_messages": "balls_of_rows worst_half_lines",
        "protocols/almost_central": "shared_noise zero_sum_view",
        "protocols/counting": "correlated_view",
        "protocols/exponential": "score_pairs",
        "protocols/flooded": "flooded_bins",
        "protocols/mixing": "components parity_views",
        "protocols/stable": "vanishing_bins",
        "protocols/thresholded": "sampled_count_laws",
        "symbolic": "formulas",
    }.items()
    for name in names.split()
)

FLOAT_ROOMS = (
    "exactdp/report/",
    # how views and noise are drawn
    "exactdp/laws/intervals.py",
    "exactdp/laws/noise.py",
    "exactdp/mechanisms/family_views.py",
    "exactdp/protocols/flooded/flooded_views.py",
    "exactdp/protocols/mixing/shares.py",
    "exactdp/protocols/sampling/",
    "exactdp/testing/tallies.py",
    # what floats choose, and others prove
    "exactdp/mechanisms/gaussian_cells.py",
    "exactdp/mechanisms/laplace_cells.py",
    "exactdp/privacy/composition/heuristics.py",
    "exactdp/privacy/amplification/class_choices.py",
    "exactdp/privacy/amplification/guesses.py",
    "exactdp/privacy/amplification/swap_choices.py",
    "exactdp/protocols/accuracy/local_histograms.py",
    "exactdp/privacy/exchange/loss_grid.py",  # the other package's masses are floats: read exactly, written upward
    "exactdp/privacy/amplification/wide_intervals.py",
    "exactdp/studies/deployment/solving.py",
    "exactdp/studies/counterexamples/promises.py",  # another's function takes and gives floats: read exactly
    "exactdp/privacy/amplification/float_contour.py",  # the one that decides: with a proof of what rounding changes
)
# Files where a float is made for a reader's eyes only, and what for.
FLOATS_FOR_DISPLAY = {
    "exactdp/numbers/interval.py": "Interval.__float__",
    "exactdp/numbers/epsilon.py": "LogRational.__float__",
}
FLOAT_LIBRARIES = ("cmath", "matplotlib", "numpy", "random", "scipy", "statistics")
# What `math` offers that takes and gives exact numbers, or only asks what a float is in order to refuse it.
EXACT_MATH = frozenset(
    {"ceil", "comb", "factorial", "floor", "gcd", "isfinite", "isinf", "isnan", "isqrt", "lcm", "perm", "prod", "trunc"}
)

# A public function and its module may share a name only here, where the name is a contract
# (`python -m exactdp.certificates.verify`), and there the package must not export the function.
FUNCTIONS_WITH_A_MODULE = {"exactdp.claims.certify", CHECKER_BY_NAME}
# A command's file bears the name of its command; nobody imports these packages for their functions.
COMMANDS = "exactdp.cli.commands"
SERVANTS = ("exactdp/checker/", "exactdp/claims/kinds/", "exactdp/cli/commands/")

LOADED_WHERE_USED = (
    "click",
    "distributed",
    "flint",
    "hypothesis",
    "jinja2",
    "matplotlib",
    "mpmath",
    "numpy",
    "rich",
    "scipy",
    "sympy",
)


# --- Reading a tree -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Import:
    """One import: the dotted name it reaches, its line, and when it runs ("load", "call", or "types": never)."""

    target: str
    line: int
    when: str


@dataclass(frozen=True)
class Module:
    """One source file, under the dotted name that users import."""

    name: str
    path: str
    source: str

    @cached_property
    def syntax(self) -> ast.Module:
        return ast.parse(self.source, self.path)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes: most rules read them."""
        return tuple(ast.walk(self.syntax))

    @property
    def is_package(self) -> bool:
        return self.path.endswith("__init__.py")

    @property
    def room(self) -> str:
        return _room(self.name)


@dataclass(frozen=True)
class Tree:
    """The modules of exactdp/ and proofs/ under one root, by name."""

    root: Path
    modules: dict[str, Module]

    @classmethod
    def read(cls, root: Path) -> "Tree":
        modules: dict[str, Module] = {}
        for top, prefix in (("exactdp", ""), ("proofs", "exactdp.")):
            for folder, subfolders, files in os.walk(root / top):
                # exactdp/proofs is a link to proofs/ (a copy, in an sdist), which is read under its own path
                subfolders[:] = sorted(
                    s for s in subfolders if s != "__pycache__" and (top, s) != ("exactdp", "proofs")
                )
                for file in sorted(f for f in files if f.endswith(".py")):
                    path = (Path(folder) / file).relative_to(root)
                    name = prefix + ".".join(path.with_suffix("").parts).removesuffix(".__init__")
                    modules[name] = Module(name, path.as_posix(), (root / path).read_text(encoding="utf-8"))
        return cls(root, modules)

    def imports(self, module: Module) -> list[Import]:
        """Every import in the module, at any depth, `importlib.import_module("...")` included."""
        if module.name not in self._imports:
            kinds = (
                (ast.AST,) if CALLED.search(module.source) else STATEMENTS
            )  # a call may be anywhere in an expression
            self._imports[module.name] = [
                Import(target, line, when)
                for node, when in _walk(module.syntax.body, "load", kinds)
                for target, line in self._targets(module, node)
            ]
        return self._imports[module.name]

    @cached_property
    def _imports(self) -> dict[str, list[Import]]:
        return {}

    def _targets(self, module: Module, node: ast.AST) -> Iterator[tuple[str, int]]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.name.split(".")
                parts = parts[: len(parts) - node.level + module.is_package]
                base = ".".join(parts + ([base] if base else []))
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in self.modules else base, node.lineno
        elif isinstance(node, ast.Call) and node.args:
            named = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            if (
                named in ("import_module", "__import__")
                and isinstance(first, ast.Constant)
                and isinstance(first.value, str)
            ):
                yield first.value, node.lineno


STATEMENTS = ast.stmt, ast.excepthandler, ast.match_case
CALLED = re.compile(r"import_module|__import__")


def _walk(body: Sequence[ast.AST], when: str, kinds: tuple[type, ...]) -> Iterator[tuple[ast.AST, str]]:
    """All nodes of `body` and below that are of some kinds and inside such ones, each with when its code runs."""
    ahead = [(node, when) for node in reversed(body)]
    while ahead:
        node, when = ahead.pop()
        yield node, when
        if isinstance(node, ast.If) and getattr(node.test, "attr", getattr(node.test, "id", "")) == "TYPE_CHECKING":
            below = [*((each, "types") for each in node.body), *((each, when) for each in node.orelse)]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            below = [(each, "types" if when == "types" else "call") for each in ast.iter_child_nodes(node)]
        else:
            below = [(each, when) for each in ast.iter_child_nodes(node)]
        ahead.extend(pair for pair in reversed(below) if isinstance(pair[0], kinds))


def _room(name: str) -> str:
    """The name directly under exactdp; empty for exactdp itself."""
    return [*name.split("."), ""][1]


def _floor(room: str) -> int | None:
    return next((level for level, rooms in enumerate(FLOORS) if room in rooms), None)


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


# --- The rules ------------------------------------------------------------------------------------------------------


def every_module_has_a_floor(tree: Tree) -> list[str]:
    return [
        f"{m.path}: the room {m.room!r} is on no floor of tests/test_architecture.py"
        for m in tree.modules.values()
        if m.name != DOOR and _floor(m.room) is None
    ]


def no_upward_import(tree: Tree) -> list[str]:
    """At any depth, for types too: what a file cannot know at load it does not know later."""
    found = []
    for module in tree.modules.values():
        floor = _floor(module.room)
        if module.name == DOOR or floor is None:
            continue
        for each in tree.imports(module):
            if not _within(each.target, DOOR):
                continue
            room = _room(each.target)
            if each.target == DOOR:
                if module.room not in FRONT_DOOR_USERS:
                    found.append(f"{module.path}:{each.line}: imports exactdp itself, the front door above it")
            elif (_floor(room) or 0) > floor:
                found.append(f"{module.path}:{each.line}: {module.room} imports {each.target}, from a floor above")
    return found


def no_import_cycle(tree: Tree) -> list[str]:
    """At any depth, inside functions too, except for types; importing a.b.c at load also loads the packages a and a.b.

    The front door loads nothing by itself and shows everything: an import of exactdp is no arrow.
    """
    edges: dict[str, set[str]] = {}
    for module in tree.modules.values():
        reached = set()
        for each in tree.imports(module):
            if each.when != "types" and each.target in tree.modules:
                parts = each.target.split(".")
                packages = {".".join(parts[:k]) for k in range(1, len(parts))} if each.when == "load" else set()
                reached |= {each.target} | {p for p in packages if not _within(module.name, p)}
        edges[module.name] = reached & tree.modules.keys()

    found: list[str] = []
    finished: set[str] = set()

    def visit(name: str, trail: list[str]) -> None:
        if name in trail:
            found.append("import cycle: " + " -> ".join([*trail[trail.index(name) :], name]))
        elif name not in finished:
            for target in sorted(edges[name]):
                visit(target, [*trail, name])
            finished.add(name)

    for name in sorted(edges):
        visit(name, [])
    return found


def no_circle_of_neighbours(tree: Tree) -> list[str]:
    """Of the files and folders in one folder none imports another that imports it in the end, not even for types.

    Except in proofs/, where rows and their stored certificates know each other by type.
    """
    ways: dict[str, dict[str, set[str]]] = {}
    for module in tree.modules.values():
        for each in tree.imports(module):
            if module.room == "proofs" and each.when == "types":
                continue
            ours, theirs = module.name.split("."), each.target.split(".")
            if each.target in tree.modules and DOOR not in (module.name, each.target):
                shared = next((k for k, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
                if shared is not None:
                    ways.setdefault(".".join(ours[:shared]), {}).setdefault(ours[shared], set()).add(theirs[shared])
    found = []
    for folder, arrows in ways.items():
        for name in sorted(arrows):
            reached: set[str] = set()
            ahead = set(arrows[name])
            while ahead:
                reached |= ahead
                ahead = set().union(*(arrows.get(each, set()) for each in ahead)) - reached
            if name in reached:
                found.append(f"{folder}.{name} imports a neighbour that imports it")
    return found


def cli_knows_no_engine(tree: Tree) -> list[str]:
    """What an engine found is a method of the profile: a printer that asks the engine decides twice."""
    engines = {module.name for module, _ in _subclasses(tree, {"Engine"})}
    return [
        f"{module.path}:{each.line}: the command line imports {each.target}"
        for module in tree.modules.values()
        if module.room == "cli"
        for each in tree.imports(module)
        if each.target in engines or each.target in ENGINE_INTERFACE
    ]


def _subclasses(tree: Tree, bases: set[str]) -> list[tuple[Module, str]]:
    """The classes of these bases, each with its module."""
    return [
        (module, node.name)
        for module in tree.modules.values()
        for node in module.syntax.body
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & bases
    ]


def nobody_asks_which_engine_or_law(tree: Tree) -> list[str]:
    """What one engine or one law can do and others cannot is a method that all of them have."""
    own = {name: module.room for module, name in _subclasses(tree, {"Engine", "LatticeLaw"})}
    found = []
    for module in tree.modules.values():
        for node in module.nodes:
            if isinstance(node, ast.MatchClass):
                asked = node.cls
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                asked = node.args[1]
            else:
                continue
            for name in sorted({each.id for each in ast.walk(asked) if isinstance(each, ast.Name)} & own.keys()):
                if module.room != own[name] and (module.path, name) not in ASKED_FOR:
                    found.append(f"{module.path}:{node.lineno}: asks whether something is a {name}")
    return found


def flint_only_where_it_is_named(tree: Tree) -> list[str]:
    return [
        f"{module.path}:{each.line}: FLINT is imported outside FLINT_FILES"
        for module in tree.modules.values()
        if module.path not in FLINT_FILES
        for each in tree.imports(module)
        if _within(each.target, "flint")
    ]


def toml_is_read_in_one_place(tree: Tree) -> list[str]:
    """Where a float stays the text that was written, and a key of many parts is refused."""
    return [
        f"{module.path}:{each.line}: reads TOML by itself, and not by {READS_TOML}"
        for module in tree.modules.values()
        for each in tree.imports(module)
        if each.target == "tomllib" and module.path != READS_TOML
    ]


def reference_shares_no_code(tree: Tree) -> list[str]:
    """A second opinion that computes with the first one's code is none: only two files know the package at all."""
    return [
        f"{module.path}:{each.line}: the reference sums import {each.target}"
        for module in tree.modules.values()
        if module.room == "reference" and module.name not in REFERENCE_READERS
        for each in tree.imports(module)
        if _within(each.target, DOOR) and _room(each.target) != "reference"
    ] + [
        f"{module.path}:{each.line}: a reader of definitions imports {each.target}, which computes"
        for module in tree.modules.values()
        if module.name in REFERENCE_READERS
        for each in tree.imports(module)
        if _room(each.target) in ("symbolic", "bounds") or each.target.replace(".", "/") + ".py" in FLINT_FILES
    ]


def checker_uses_the_standard_library_only(tree: Tree) -> list[str]:
    """Besides its own files: no import of anything else, and no way round, no importlib, no eval, no exec."""
    found = []
    for module in tree.modules.values():
        if not _within(module.name, CHECKER) and module.name != CHECKER_BY_NAME:
            continue
        for each in tree.imports(module):
            top = each.target.split(".")[0]
            is_outside = top not in sys.stdlib_module_names or top == "importlib"
            if is_outside and not _within(each.target, CHECKER):
                found.append(f"{module.path}:{each.line}: the checker imports {each.target}")
        for node in module.nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("__import__", "eval", "exec"):
                found.append(f"{module.path}:{node.lineno}: the checker calls {ast.unparse(node.func)}")
    return found


def checker_is_plain(tree: Tree) -> list[str]:
    """No conditional expression inside another: what a referee reads is written out as branches."""
    return [
        f"{module.path}:{inner.lineno}: a conditional expression inside another: {ast.unparse(outer)}"
        for module in tree.modules.values()
        if _within(module.name, CHECKER)
        for outer in module.nodes
        if isinstance(outer, ast.IfExp)
        for inner in ast.walk(outer)
        if isinstance(inner, ast.IfExp) and inner is not outer
    ]


def packages_above_the_checker_load_nothing(tree: Tree) -> list[str]:
    return [
        f"{module.path}:{each.line}: imports {each.target} at load"
        for module in tree.modules.values()
        if module.name in CHECKER_PATH
        for each in tree.imports(module)
        if each.when == "load" and each.target.split(".")[0] not in sys.stdlib_module_names
    ]


def floats_only_where_they_belong(tree: Tree) -> list[str]:
    found = []
    for module in tree.modules.values():
        if module.path.startswith(FLOAT_ROOMS) or module.path in FLOATS_FOR_DISPLAY:
            continue
        for each in tree.imports(module):
            if each.when != "types" and each.target.split(".")[0] in FLOAT_LIBRARIES:
                found.append(f"{module.path}:{each.line}: imports {each.target}, which computes in floats")
        for node in module.nodes:
            said = _float_said_by(node)
            if said:
                found.append(f"{module.path}:{node.lineno}: {said}")  # type: ignore[attr-defined]
    return found


def _float_said_by(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
        return f"the float {node.value!r}"
    if isinstance(node, ast.Call):
        makers = [node.func] + (node.args[:1] if getattr(node.func, "id", "") == "map" else [])
        if any(isinstance(m, ast.Name) and m.id in ("float", "complex") for m in makers):
            return f"a float is made: {ast.unparse(node)}"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id == "float":
            return f"a float is made: {ast.unparse(node)}"
        if node.value.id == "math" and node.attr not in EXACT_MATH:
            return f"{ast.unparse(node)} computes in floats"
    if isinstance(node, ast.ImportFrom) and node.module == "math":
        names = [a.name for a in node.names if a.name not in EXACT_MATH]
        if names:
            return f"math.{names[0]} computes in floats"
    return ""


def no_long_module(tree: Tree) -> list[str]:
    found = []
    for module in tree.modules.values():
        lines = len(module.source.splitlines())
        if lines > MAX_LINES:
            found.append(f"{module.path}: {lines} lines, more than {MAX_LINES}")
    return found


def no_satellite(tree: Tree) -> list[str]:
    """A file below 80 lines has more than one importer, or none: it is a command, a file of rows, or a face."""
    importers: dict[str, set[str]] = {}
    for module in tree.modules.values():
        for each in tree.imports(module):
            if each.target != module.name:
                importers.setdefault(each.target, set()).add(module.path)
    return [
        f"{module.path}: {lines} lines, and only {next(iter(users))} imports it"
        for module in tree.modules.values()
        if not module.path.startswith(ALONE)
        and not module.path.endswith(("__init__.py", "_family.py"))
        and module.path not in SERVES_ONE
        and len(users := importers.get(module.name, set())) == 1
        and (lines := len(module.source.splitlines())) < MIN_LINES
    ]


def few_imports(tree: Tree) -> list[str]:
    """From other files of the package, at any depth and for types too; what stands on the ground does not count."""
    ground = {room for floor in FLOORS[:GROUND] for room in floor}
    found = []
    for module in tree.modules.values():
        known = {i.target for i in tree.imports(module) if _within(i.target, DOOR)}
        above = [name for name in known if name != DOOR and _room(name) not in ground]
        is_free = module.is_package or module.path in MANY_IMPORTS
        if len(above) > MAX_IMPORTS and not is_free:
            found.append(f"{module.path}: imports {len(above)} files, more than {MAX_IMPORTS}")
    return found


def no_two_files_of_one_name(tree: Tree) -> list[str]:
    """A file of the checker, a kind of claim or a command may bear the name of what it serves."""
    first: dict[str, str] = {}
    found = []
    for module in sorted(tree.modules.values(), key=lambda m: (m.path.startswith(SERVANTS), m.path)):
        name = Path(module.path).name
        other = first.setdefault(name, module.path)
        if other != module.path and name not in ("__init__.py", "entry.py") and not module.path.startswith(SERVANTS):
            found.append(f"{module.path}: has the name of {other}")
    return found


def no_module_named_like_a_public_function(tree: Tree) -> list[str]:
    """Importing a submodule sets its name on its package, over a function of that name."""
    functions = _public_functions(tree)
    found = []
    for module in tree.modules.values():
        package, _, last = module.name.rpartition(".")
        if last not in functions or package == COMMANDS:
            continue
        if module.name not in FUNCTIONS_WITH_A_MODULE:
            found.append(f"{module.path}: is named like the public function exactdp.{last}")
        elif package in tree.modules and last in _all(tree.modules[package]):
            found.append(f"{tree.modules[package].path}: exports {last}, over the module of that name")
    return found


def names_are_listed_where_they_are_handed_on(tree: Tree) -> list[str]:
    """The underscore says what is private: `__all__` is for packages, and for names that are not defined beside it."""
    found = []
    for module in tree.modules.values():
        if module.path.endswith("__init__.py") or not any(
            isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" for node in module.syntax.body
        ):
            continue
        defined = {node.name for node in module.syntax.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        defined |= {
            ast.unparse(target)
            for node in module.syntax.body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        }
        if _all(module) <= defined:
            found.append(f"{module.path}: __all__ lists only its own names; an underscore says which are private")
    return found


def _all(module: Module) -> set[str]:
    """The names that the module's `__all__` spells out as text, in whatever literal holds them."""
    for node in module.syntax.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
            spelt = {c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and isinstance(c.value, str)}
            if spelt:
                return spelt
    # __all__ computed from a table of lazy names: the table's keys
    return {
        key.value
        for node in module.nodes
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _public_functions(tree: Tree) -> set[str]:
    """The names of exactdp.__all__ that some module of the package defines as a function."""
    if DOOR not in tree.modules:
        return set()
    defined = {
        node.name
        for module in tree.modules.values()
        for node in module.syntax.body
        if isinstance(node, ast.FunctionDef)
    }
    return _all(tree.modules[DOOR]) & defined


# `Source: KEY, Theorem 4.1; OTHER, Section 2.`: entries separated by semicolons, each beginning with a key of
# references.bib, or with "this package" and the file under proofs/ that holds the proof.
SOURCE = re.compile(r"^[ \t]*Sources?:(?P<entries>(?:.|\n(?![ \t]*(?:\n|\Z)))*)", re.MULTILINE)
ENTRY = re.compile(
    r"\s*(?P<key>[A-Za-z]+[0-9]{4}[a-z]?)\b|\s*this\s+package,\s+(?P<proof>proofs/[a-z0-9_/.]+\.(?:py|v))\b"
)


def every_source_resolves(tree: Tree) -> list[str]:
    keys = set(_bibliography(tree))
    found = []
    for module in tree.modules.values():
        for node in module.nodes:
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for source in SOURCE.finditer(ast.get_docstring(node) or ""):
                for entry in source["entries"].split(";"):
                    found += [
                        f"{module.path}: {_name_of(node)}: {said}" for said in _unresolved(entry, keys, tree.root)
                    ]
    return found


def _name_of(node: ast.AST) -> str:
    return getattr(node, "name", "module")


def _unresolved(entry: str, keys: set[str], root: Path) -> list[str]:
    shown = " ".join(entry.split())
    match = ENTRY.match(entry)
    if match is None:
        return [f"the source {shown!r} begins with no key (such as DworkRoth2014, Theorem 3.1)"]
    if match["proof"]:
        return [] if (root / match["proof"]).is_file() else [f"the source names {match['proof']}, which is not there"]
    return [] if match["key"] in keys else [f"the source {match['key']!r} is not in exactdp/references.bib"]


def _bibliography(tree: Tree) -> list[str]:
    path = tree.root / "exactdp" / "references.bib"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return re.findall(r"^@\w+\{([^,\s]+),", text, re.MULTILINE)


RULES: tuple[Callable[[Tree], list[str]], ...] = (
    every_module_has_a_floor,
    no_upward_import,
    no_import_cycle,
    no_circle_of_neighbours,
    cli_knows_no_engine,
    nobody_asks_which_engine_or_law,
    flint_only_where_it_is_named,
    toml_is_read_in_one_place,
    reference_shares_no_code,
    checker_uses_the_standard_library_only,
    checker_is_plain,
    packages_above_the_checker_load_nothing,
    floats_only_where_they_belong,
    no_long_module,
    no_satellite,
    few_imports,
    names_are_listed_where_they_are_handed_on,
    no_two_files_of_one_name,
    no_module_named_like_a_public_function,
    every_source_resolves,
)


# --- This checkout --------------------------------------------------------------------------------------------------


@cache
def this_tree() -> Tree:
    """The tree of this checkout, read and parsed once in a process."""
    return Tree.read(ROOT)


@pytest.fixture(scope="module")
def checkout() -> Tree:
    return this_tree()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_keeps_the_rule(rule: Callable[[Tree], list[str]], checkout: Tree) -> None:
    assert rule(checkout) == []


def test_the_reader_sees_the_house(checkout: Tree) -> None:
    """The rules above speak about something: the modules are there, with their imports and public functions."""
    assert {DOOR, "exactdp.errors", CHECKER, CHECKER_BY_NAME, "exactdp.proofs"} <= checkout.modules.keys()
    assert {m.path.split("/")[0] for m in checkout.modules.values()} == {"exactdp", "proofs"}
    assert any(_within(i.target, "flint") for m in checkout.modules.values() for i in checkout.imports(m))
    assert {"certify", "hockey_stick_divergence", "randomized_response", "verify"} <= _public_functions(checkout)


def test_every_exception_to_a_rule_is_still_needed(checkout: Tree) -> None:
    assert set(FLOATS_FOR_DISPLAY) <= {m.path for m in checkout.modules.values()}
    for path in FLOATS_FOR_DISPLAY:
        module = next(m for m in checkout.modules.values() if m.path == path)
        assert any(_float_said_by(node) for node in module.nodes), f"{path} makes no float"
    assert checkout.modules.keys() >= FUNCTIONS_WITH_A_MODULE
    paths = {m.path: m for m in checkout.modules.values()}
    assert paths.keys() >= FLINT_FILES
    assert all(any(_within(i.target, "flint") for i in checkout.imports(paths[path])) for path in FLINT_FILES)
    assert all(any(path.startswith(room) for path in paths) for room in FLOAT_ROOMS)
    sources = {m.path: m.source for m in checkout.modules.values()}
    assert all(f", {name})" in sources[path] for path, name in ASKED_FOR)
    for rule, exceptions in ((no_satellite, SERVES_ONE), (few_imports, MANY_IMPORTS)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys.modules[__name__], "SERVES_ONE", {})
            patch.setattr(sys.modules[__name__], "MANY_IMPORTS", {})
            assert {said.partition(":")[0] for said in rule(checkout)} == exceptions.keys()


def _modules_after(statement: str) -> set[str]:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {statement}; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_exactdp_loads_no_library() -> None:
    loaded = {name.split(".")[0] for name in _modules_after("import exactdp")}
    assert loaded.isdisjoint(LOADED_WHERE_USED)
    # the same question, asked where the answer is yes
    assert "click" in _modules_after("import exactdp, click")


def test_the_checker_loads_the_standard_library_and_its_own_files_only(checkout: Tree) -> None:
    before = _modules_after("import site")
    loaded = _modules_after(f"import {CHECKER_BY_NAME}") - before
    own = {m for m in checkout.modules if _within(m, CHECKER)}
    assert len(own) > 10
    assert {n for n in loaded if _within(n, DOOR)} == {*CHECKER_PATH, CHECKER_BY_NAME, *own}
    assert {n.split(".")[0] for n in loaded} <= {DOOR, *sys.stdlib_module_names}


def test_the_bibliography_is_whole() -> None:
    tree = Tree(ROOT, {})
    keys = _bibliography(tree)
    assert len(keys) >= 15
    assert keys == sorted(keys, key=str.lower)
    assert len(keys) == len(set(keys))
    text = (ROOT / "exactdp" / "references.bib").read_text(encoding="utf-8")
    for entry in re.split(r"^@", text, flags=re.MULTILINE)[1:]:
        key = entry[entry.index("{") + 1 : entry.index(",")]
        fields = set(re.findall(r"^ {2}(\w+) *=", entry, re.MULTILINE))
        assert {"author", "title", "year"} <= fields, key
        assert fields & {"journal", "booktitle", "publisher"}, key
        assert f"{{{key[-4:]}}}" in entry, f"{key}: the key ends in another year than the entry's"


# --- Each rule fails when it should ---------------------------------------------------------------------------------

READING, VERIFY = "exactdp/checker/reading.py", "exactdp/certificates/verify.py"
OFFENCES: list[tuple[Callable[[Tree], list[str]], dict[str, str], str]] = [
    (
        no_two_files_of_one_name,
        {"exactdp/laws/a.py": "", "exactdp/report/figures/a.py": "", "exactdp/checker/a.py": ""},
        "exactdp/report/figures/a.py: has the name of exactdp/laws/a.py",
    ),
    (
        no_two_files_of_one_name,
        {"exactdp/laws/a.py": "", "proofs/a.py": ""},
        "proofs/a.py: has the name of exactdp/laws/a.py",
    ),
    (every_module_has_a_floor, {"exactdp/attic.py": ""}, "'attic' is on no floor"),
    (no_upward_import, {"exactdp/laws/a.py": "from exactdp.privacy import b"}, "imports exactdp.privacy"),
    (no_upward_import, {"exactdp/laws/a.py": "import exactdp.cli.main"}, "laws imports exactdp.cli.main"),
    (no_upward_import, {"exactdp/laws/a.py": "from ..mechanisms import x"}, "laws imports exactdp.mechanisms"),
    (no_upward_import, {"exactdp/laws/__init__.py": "from ..mechanisms import x"}, "laws imports exactdp.mechanisms"),
    (no_upward_import, {"exactdp/laws/a.py": "def f():\n    from exactdp.privacy.profile import P"}, "privacy.profile"),
    (
        no_upward_import,
        {"exactdp/laws/a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from exactdp.claims import R"},
        "a.py:3: laws imports exactdp.claims",
    ),
    (
        no_upward_import,
        {"exactdp/laws/a.py": "m = importlib.import_module('exactdp.studies.search')"},
        "exactdp.studies.search",
    ),
    (no_upward_import, {"exactdp/laws/a.py": "import exactdp as xdp"}, "front door"),
    (no_upward_import, {"exactdp/laws/a.py": "from exactdp import Randomizer"}, "front door"),
    (no_upward_import, {"proofs/a.py": "from exactdp.cli import main"}, "proofs imports exactdp.cli"),
    (no_upward_import, {"exactdp/report/a.py": "from exactdp.cli import b"}, "report imports exactdp.cli"),
    (toml_is_read_in_one_place, {"exactdp/laws/a.py": "def f():\n    import tomllib"}, "a.py:2: reads TOML by itself"),
    (
        no_import_cycle,
        {"exactdp/laws/a.py": "from exactdp.laws import b", "exactdp/laws/b.py": "from .a import x"},
        "exactdp.laws.a -> exactdp.laws.b -> exactdp.laws.a",
    ),
    (
        no_import_cycle,
        {
            "exactdp/progress.py": "import exactdp.report.b",
            "exactdp/report/__init__.py": "from exactdp.progress import P",
            "exactdp/report/b.py": "",
        },
        "exactdp.progress -> exactdp.report -> exactdp.progress",
    ),
    (
        no_import_cycle,
        {"exactdp/laws/__init__.py": "from . import a", "exactdp/laws/a.py": "from exactdp.laws import X"},
        "->",
    ),
    (
        no_import_cycle,
        {"exactdp/cli/a.py": "def f():\n    from exactdp.cli import b", "exactdp/cli/b.py": "import exactdp.cli.a"},
        "exactdp.cli.a -> exactdp.cli.b -> exactdp.cli.a",
    ),
    (
        no_circle_of_neighbours,
        {
            "exactdp/claims/a.py": "from exactdp.claims.kinds import b",
            "exactdp/claims/kinds/b.py": "if TYPE_CHECKING:\n    from exactdp.claims.a import A",
        },
        "exactdp.claims.a imports a neighbour that imports it",
    ),
    (
        no_circle_of_neighbours,
        {
            "exactdp/privacy/shuffle/a.py": "from exactdp.privacy.noise import b",
            "exactdp/privacy/noise/b.py": "",
            "exactdp/privacy/noise/c.py": "def f():\n    from exactdp.privacy.shuffle import a",
        },
        "exactdp.privacy.noise imports a neighbour that imports it",
    ),
    (
        cli_knows_no_engine,
        {"exactdp/cli/commands/delta.py": "def f():\n    from exactdp.privacy.planner import engine_of"},
        "delta.py:2: the command line imports exactdp.privacy.planner",
    ),
    (
        cli_knows_no_engine,
        {
            "exactdp/privacy/noise/scan.py": "class Scan(Engine): ...",
            "exactdp/cli/a.py": "if TYPE_CHECKING:\n    from exactdp.privacy.noise.scan import Scan",
        },
        "a.py:2: the command line imports exactdp.privacy.noise.scan",
    ),
    (
        nobody_asks_which_engine_or_law,
        {"exactdp/privacy/a.py": "class Scan(Engine): ...", "exactdp/claims/b.py": "x = isinstance(y, Scan | int)"},
        "b.py:1: asks whether something is a Scan",
    ),
    (
        nobody_asks_which_engine_or_law,
        {
            "exactdp/laws/a.py": "class Coin(LatticeLaw): ...",
            "exactdp/privacy/b.py": "match law:\n    case Coin():\n        ...",
        },
        "b.py:2: asks whether something is a Coin",
    ),
    (flint_only_where_it_is_named, {"exactdp/laws/a.py": "def f():\n    from flint import fmpq"}, "a.py:2: FLINT"),
    (flint_only_where_it_is_named, {"proofs/a.py": "import flint.types"}, "proofs/a.py:1: FLINT"),
    (
        reference_shares_no_code,
        {"exactdp/reference/a.py": "from exactdp.numbers.interval import Interval"},
        "a.py:1: the reference sums import exactdp.numbers.interval",
    ),
    (
        reference_shares_no_code,
        {"exactdp/reference/second_opinion.py": "def f():\n    from exactdp.numbers.balls import b"},
        "second_opinion.py:2: a reader of definitions imports exactdp.numbers.balls, which computes",
    ),
    (checker_uses_the_standard_library_only, {READING: "from exactdp.errors import E"}, "imports exactdp.errors"),
    (checker_uses_the_standard_library_only, {READING: "from ..laws import x"}, "imports exactdp.laws"),
    (checker_uses_the_standard_library_only, {VERIFY: "from . import claim"}, "imports exactdp.certificates"),
    (checker_uses_the_standard_library_only, {READING: "def f():\n    import sympy"}, "imports sympy"),
    (checker_uses_the_standard_library_only, {READING: "import importlib"}, "imports importlib"),
    (checker_uses_the_standard_library_only, {READING: "eval('1')"}, "calls eval"),
    (checker_uses_the_standard_library_only, {VERIFY: "exec('1')"}, "calls exec"),
    (checker_is_plain, {READING: "x = 1 if a else 2 if b else 3"}, "reading.py:1: a conditional expression inside"),
    (
        packages_above_the_checker_load_nothing,
        {"exactdp/__init__.py": "from exactdp.errors import E", "exactdp/errors.py": ""},
        "imports exactdp.errors at load",
    ),
    (
        packages_above_the_checker_load_nothing,
        {"exactdp/certificates/__init__.py": "from .claim import C", "exactdp/certificates/claim.py": ""},
        "imports exactdp.certificates.claim at load",
    ),
    (packages_above_the_checker_load_nothing, {"exactdp/__init__.py": "import numpy"}, "imports numpy at load"),
    (floats_only_where_they_belong, {"exactdp/laws/a.py": "x = 0.5"}, "the float 0.5"),
    (floats_only_where_they_belong, {"exactdp/laws/a.py": "x = 1e9"}, "the float 1000000000.0"),
    (floats_only_where_they_belong, {"proofs/a.py": "x = float(y)"}, "float(y)"),
    (floats_only_where_they_belong, {"exactdp/laws/a.py": "x = list(map(float, y))"}, "map(float, y)"),
    (floats_only_where_they_belong, {"exactdp/laws/a.py": "x = float.fromhex('1')"}, "float.fromhex"),
    (floats_only_where_they_belong, {"exactdp/laws/a.py": "import math\nx = math.log(2)"}, "math.log"),
    (floats_only_where_they_belong, {"exactdp/laws/a.py": "from math import exp"}, "math.exp"),
    (floats_only_where_they_belong, {"exactdp/privacy/a.py": "import numpy as np"}, "imports numpy"),
    (
        names_are_listed_where_they_are_handed_on,
        {"exactdp/laws/a.py": "__all__ = ['f', 'X']\nX: int = 1\ndef f(): ..."},
        "exactdp/laws/a.py: __all__ lists only its own names",
    ),
    (no_long_module, {"exactdp/laws/a.py": "x = 1\n" * 1201}, "1201 lines, more than 1200"),
    (no_long_module, {READING: "x = 1\n" * 1201}, "1201 lines, more than 1200"),
    (
        no_satellite,
        {"exactdp/symbolic/a.py": "x = 1\n" * 79, "exactdp/symbolic/b.py": "def f():\n    from .a import x"},
        "exactdp/symbolic/a.py: 79 lines, and only exactdp/symbolic/b.py imports it",
    ),
    (
        few_imports,
        {f"exactdp/laws/a{k}.py": "" for k in range(16)}
        | {"exactdp/symbolic/a.py": "\n".join(f"import exactdp.laws.a{k}" for k in range(16))},
        "exactdp/symbolic/a.py: imports 16 files, more than 15",
    ),
    (
        no_module_named_like_a_public_function,
        {
            "exactdp/__init__.py": "__all__ = ['compose']",
            "exactdp/compose.py": "",
            "exactdp/privacy/profile.py": "def compose(): ...",
        },
        "exactdp/compose.py: is named like the public function exactdp.compose",
    ),
    (
        no_module_named_like_a_public_function,
        {
            "exactdp/__init__.py": "_LAZY = {'compose': 'exactdp.privacy.profile'}\n__all__ = sorted(_LAZY)",
            "exactdp/privacy/compose.py": "",
            "exactdp/privacy/profile.py": "def compose(): ...",
        },
        "exactdp/privacy/compose.py: is named like",
    ),
    (
        no_module_named_like_a_public_function,
        {
            "exactdp/__init__.py": "__all__ = ['verify']",
            "exactdp/certificates/__init__.py": "__all__ = ['verify']",
            VERIFY: "def verify(): ...",
        },
        "exports verify, over the module of that name",
    ),
    (every_source_resolves, {"exactdp/laws/a.py": '"""A law.\n\nSource: Nobody1999, Theorem 1.\n"""'}, "'Nobody1999'"),
    (
        every_source_resolves,
        {"exactdp/laws/a.py": 'def f():\n    """A law.\n\n    Source: Known2000, p. 1;\n    Lost2001, p. 2.\n    """'},
        "f: the source 'Lost2001'",
    ),
    (every_source_resolves, {"exactdp/laws/a.py": '"""A law.\n\nSource: folklore.\n"""'}, "begins with no key"),
    (
        every_source_resolves,
        {"exactdp/laws/a.py": '"""A law.\n\nSource: this package, proofs/lost.py.\n"""'},
        "proofs/lost.py, which is not there",
    ),
]

INNOCENT = {
    "exactdp/__init__.py": """
        import importlib
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from exactdp.laws.finite import Law
        __all__ = ["Law", "verify", "widen"]
        def __getattr__(name):
            return getattr(importlib.import_module("exactdp.laws.finite"), name)
        """,
    "exactdp/errors.py": "class E(ValueError): ...",
    "exactdp/numbers/balls.py": "import flint",
    "exactdp/laws/__init__.py": "from . import finite",
    "exactdp/laws/finite.py": '''
        """Finite laws.

        Source: Known2000, Theorem 1 (the case of one symbol);
        this package, proofs/a.py.

        No source: this paragraph is another one.
        """
        import math
        from exactdp.errors import E
        from exactdp.laws import lattice
        def refuse(x) -> float:
            return isinstance(x, float) and math.isnan(x)
        ''',
    "exactdp/laws/lattice.py": "def widen():\n    from exactdp.numbers import short",
    "exactdp/numbers/__init__.py": "def short(): ...",
    "exactdp/protocols/protocol.py": "from exactdp.privacy.profile import P",
    "exactdp/privacy/profile.py": "from exactdp.errors import E\nP = 1",
    "exactdp/reference/sums.py": "import mpmath\nfrom exactdp.reference.hockey_stick_sums import Steps",
    "exactdp/reference/steps.py": "class Steps: ...",
    "exactdp/reference/second_opinion.py": "from exactdp.privacy.profile import P\nfrom exactdp.numbers import short",
    "exactdp/protocols/sampling/blocks.py": "import numpy\nx = 0.5",
    "exactdp/privacy/composition/heuristics.py": "x = float(1)",
    "exactdp/certificates/__init__.py": "",
    "exactdp/checker/__init__.py": "",
    READING: "import json\nfrom fractions import Fraction\nfrom .budget import Work\n",
    "exactdp/checker/budget.py": "class Work: ...",
    VERIFY: "import sys\nfrom exactdp.checker.reading import read\ndef verify(): ...\n",
    "exactdp/cli/main.py": "import exactdp as xdp\nfrom exactdp import proofs\nfrom exactdp.report import table",
    "exactdp/cli/answers.py": "from exactdp.protocols.protocol import P",
    "exactdp/cli/commands/verify.py": "",
    "exactdp/report/__init__.py": "table = 1.5",
    "proofs/__init__.py": "import exactdp as xdp",
    "proofs/a.py": "from exactdp.protocols.protocol import P",
}


def _tree(root: Path, files: dict[str, str]) -> Tree:
    for name, text in {"exactdp/references.bib": "@book{Known2000,\n  title = {T},\n}\n", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(textwrap.dedent(text), encoding="utf-8")
    return Tree.read(root)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_an_innocent_tree_passes(rule: Callable[[Tree], list[str]], tmp_path: Path) -> None:
    assert rule(_tree(tmp_path, INNOCENT)) == []


@pytest.mark.parametrize(
    ("rule", "files", "said"), OFFENCES, ids=[f"{rule.__name__}-{k}" for k, (rule, _, _) in enumerate(OFFENCES)]
)
def test_an_offending_tree_is_named(
    rule: Callable[[Tree], list[str]], files: dict[str, str], said: str, tmp_path: Path
) -> None:
    found = rule(_tree(tmp_path, files))
    assert len(found) >= 1
    assert said in "\n".join(found)


def test_every_rule_is_shown_an_offence() -> None:
    assert {rule for rule, _, _ in OFFENCES} == set(RULES)
