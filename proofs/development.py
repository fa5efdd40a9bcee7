"""The Coq development in proofs/coq: which theorems it has, what they assume, and which rows they state.

``theorems()`` reads the record, AXIOMS.expected: it holds what Coq printed of each theorem, and a rebuild compares it.
The record speaks of the sources that Coq compiled when it was written, whose digests SOURCES.expected holds: once a
byte of them has changed it says nothing any more (``why_unaccepted``), until ``make axioms`` compiles them again.
``propositions()`` reads the folder rows/, which states rows of the ledger: for the row a-b a ``Definition row_a_b :
Prop`` and a ``Theorem row_a_b_holds : row_a_b``, in the file of the row's module. ``proofs/development.py`` compiles
it.

Rows that the proved checker computes inside Coq stand in proofs/checker/rows instead, in computed_MODULE.v, and what
they assume, and all sources that they rest on, in the record of that folder: ``computed_theorems()``.

Coq checks the development again, or what some theorems need of it, and its axioms are compared with the record
---------------------------------------------------------------------------------------------------------------

The sources are copied into a folder of their own first, so that nothing is written beside them. All of it takes
minutes; a watcher is told which file is compiled, and how many there are. Rows that the proved checker computes are
compiled on top of the compiled checker of a checkout.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from textwrap import dedent
from types import MappingProxyType
from typing import IO, Final

from exactdp.claims.proved_checker import search_path as checker_path

FOLDER: Final = Path(__file__).resolve().parent / "coq"
"""The development, in a checkout as in an installation."""
CHECKER: Final = FOLDER.parent / "checker"
"""The proved checker, with the rows that it computes."""
_COMPUTED: Final = "rows.computed_"
"""How the names of their theorems begin."""
_AXIOM: Final = re.compile(r"^(\d+) = (\S+) : ", re.MULTILINE)
_THEOREM: Final = re.compile(r"^(\S+): (none|\d+(?: \d+)*)$", re.MULTILINE)
_SOURCE: Final = re.compile(r"^([0-9a-f]{64})  (\S+)$", re.MULTILINE)
_PROP: Final = re.compile(r"^Definition row_(\w+) : Prop :=(.*?)\.$", re.MULTILINE | re.DOTALL)
_HOLDS: Final = re.compile(r"^Theorem row_(\w+)_holds : row_(\w+)\.$", re.MULTILINE)
"""How the record and the files of rows/ are written."""


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem that the kernel accepts: ``file.theorem``, and the axioms behind it, in the order of the alphabet."""

    name: str
    axioms: tuple[str, ...]

    @property
    def source(self) -> str:
        """The file that states it, from the top of the project."""
        return f"proofs/{'checker' if is_computed(self.name) else 'coq'}/{file_of(self.name)}"


@dataclass(frozen=True, slots=True)
class Proposition:
    """What the kernel accepts of a row of the ledger: the theorem, and the Prop that it proves, in Coq's words."""

    theorem: str
    prop: str

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of the Prop, however its lines are broken; the row that it states names them.

        >>> Proposition("rows.gap.row_a_holds", "1 =\\n  1").digest
        '2450189394067739'
        """
        return sha256(" ".join(self.prop.split()).encode()).hexdigest()[:16]

    @property
    def is_computed(self) -> bool:
        """Whether its proof is what the proved checker computes inside Coq."""
        return is_computed(self.theorem)


@lru_cache(maxsize=1)
def theorems() -> Mapping[str, Theorem]:
    """Return the theorems of the development by name.

    >>> from exactdp.proofs.development import theorems
    >>> theorems()["binomial_smoothness.lemma3"].source
    'proofs/coq/noise/binomial_smoothness.v'
    """
    return MappingProxyType(read_axioms((FOLDER / "AXIOMS.expected").read_text("utf-8")))


@lru_cache(maxsize=1)
def computed_theorems() -> Mapping[str, Theorem]:
    """Return the theorem of the proved checker and those of the rows that it computes, by name.

    >>> computed_theorems()["checked.check_sound"].axioms[0]
    'ClassicalDedekindReals.sig_forall_dec'
    """
    return MappingProxyType(read_axioms((CHECKER / "AXIOMS.expected").read_text("utf-8")))


def why_unaccepted(theorem: str) -> str:
    """Return why the record does not say that Coq's kernel accepts a theorem, and the repair; "" if it says so.

    >>> why_unaccepted("gap.gap_all_n")
    ''
    >>> why_unaccepted("gap.gap_all")
    "gap.gap_all is not in the record of Coq's kernel. `make -C proofs/coq axioms` writes it anew."
    """
    folder, recorded = (CHECKER, computed_theorems()) if is_computed(theorem) else (FOLDER, theorems())
    if theorem not in recorded:
        said = f"{theorem} is not in the record of Coq's kernel."
    elif changed := changed_source(folder):
        said = f"{changed} is not the file that the record of Coq's kernel speaks of: it is out of date."
    else:
        return ""
    return f"{said} `make -C proofs/{folder.name} axioms` writes it anew."


@lru_cache
def changed_source(folder: Path) -> str:
    """Return the first source that is not as Coq compiled it for the record of a folder; "" if all are."""
    for digest, path in _SOURCE.findall((folder / "SOURCES.expected").read_text("utf-8")):
        file = folder / path
        if not file.is_file() or sha256(file.read_bytes()).hexdigest() != digest:
            return os.path.normpath(f"proofs/{folder.name}/{path}").replace(os.sep, "/")
    return ""


def is_computed(theorem: str) -> bool:
    """Return whether a theorem is that of a row in proofs/checker/rows.

    >>> is_computed("rows.gap.row_gap_all_n_holds")
    False
    """
    return theorem.startswith(_COMPUTED)


def read_axioms(record: str) -> dict[str, Theorem]:
    """Return the theorems of a record: a legend of numbered axioms, and the numbers that each theorem assumes.

    >>> read_axioms("1 = M.one : nat\\n2 = N.two : nat\\n\\nfile.closed: none\\nfile.open: 1 2\\n")["file.open"].axioms
    ('M.one', 'N.two')
    """
    axioms = dict(_AXIOM.findall(record))
    return {
        name: Theorem(name, () if numbers == "none" else tuple(axioms[number] for number in numbers.split()))
        for name, numbers in _THEOREM.findall(record)
    }


@lru_cache(maxsize=1)
def files() -> Mapping[str, str]:
    """Return the files of the development, from its folder, by the name that ``Require`` uses; rows/ by rows.name."""
    project = (FOLDER / "_CoqProject").read_text("utf-8").split()
    paths = [path for path in project if path.endswith(".v")]
    names = [path.removesuffix(".v").replace("rows/", "rows.").rpartition("/")[2] for path in paths]
    return MappingProxyType(dict(zip(names, paths, strict=True)))


def file_of(theorem: str) -> str:
    """Return the file that states ``file.theorem``, from the folder of the development, or that of the checker.

    >>> file_of("gap.gap_all_n"), file_of("rows.gap.row_gap_values_holds")
    ('separations/gap.v', 'rows/gap.v')
    """
    module = theorem.rpartition(".")[0]
    return f"{module.replace('.', '/')}.v" if is_computed(theorem) else files()[module]


@lru_cache(maxsize=1)
def propositions() -> Mapping[str, Proposition]:
    """Return the Props of rows/, of both folders, by the id of the row.

    >>> from exactdp.proofs.development import propositions
    >>> propositions()["adding-a-user"].theorem
    'rows.adding_a_user.row_adding_a_user_holds'
    """
    by_row: dict[str, Proposition] = {}
    for path in sorted([*(FOLDER / "rows").glob("*.v"), *(CHECKER / "rows").glob("computed_*.v")]):
        by_row |= read_propositions(path.stem, path.read_text("utf-8"))
    return MappingProxyType(by_row)


def read_propositions(module: str, text: str) -> dict[str, Proposition]:
    """Return the Props of one file of rows/ that have their theorem there.

    >>> read_propositions("gap", "Definition row_a_b : Prop :=\\n  1 = 1.\\nTheorem row_a_b_holds : row_a_b.\\n")
    {'a-b': Proposition(theorem='rows.gap.row_a_b_holds', prop='1 = 1')}
    """
    proved = {name for name, stated in _HOLDS.findall(text) if name == stated}
    return {
        name.replace("_", "-"): Proposition(f"rows.{module}.row_{name}_holds", _flush(prop))
        for name, prop in _PROP.findall(text)
        if name in proved
    }


def _flush(prop: str) -> str:
    """Return a Prop as it is written, at the left margin."""
    return dedent(prop).strip("\n") if prop.startswith("\n") else prop.strip()


Watch = Callable[[int, int, str], None]
"""Called with the number of the file that is compiled, how many there are, and its name."""

_PROGRAMS: Final = ("coqc", "coq_makefile", "make", "awk")
"""What a rebuild runs."""
_REQUIRES: Final = re.compile(r"^From Exactdp Require (?:Import |Export )?([\w.\s]+?)\.$", re.MULTILINE)
_COMPILED: Final = re.compile(r"^COQC (\S+\.v)$")
"""How files name what they need, and how make says what it compiles."""


def missing_programs() -> tuple[str, ...]:
    """Return which of the programs that a rebuild needs are not on this machine."""
    return tuple(program for program in _PROGRAMS if shutil.which(program) is None)


def files_behind(names: Iterable[str]) -> tuple[str, ...]:
    """Return the files that Coq compiles to check these theorems, each ``file.theorem``, in the order of the alphabet.

    >>> files_behind(["binomial_smoothness.lemma3"])[-2:]
    ('noise/binomial_smoothness.v', 'noise/chernoff.v')
    """
    reached: set[str] = set()
    waiting = [file_of(name) for name in names]
    while waiting:
        if (file := waiting.pop()) not in reached:
            reached.add(file)
            required = _REQUIRES.findall((FOLDER / file).read_text("utf-8"))
            waiting += [files()[module] for line in required for module in line.split()]
    return tuple(sorted(reached))


def rebuild(names: Iterable[str] = (), watch: Watch = lambda done, files, file: None) -> str:
    """Compile what these theorems need, or the whole development; return why it is not accepted, "" if it is.

    Accepted means: the record speaks of these sources, Coq compiles them, and it prints the recorded axioms of these
    theorems, or of all.
    """
    wanted = sorted(set(names))
    if outdated := _outdated(wanted or theorems()):
        return outdated
    compiled = files_behind(wanted) if wanted else tuple(files().values())
    with TemporaryDirectory(prefix="exactdp-coq-") as folder:
        sources, build = Path(folder) / "sources", Path(folder) / "build"
        shutil.copytree(FOLDER, sources)
        targets = [f"TARGETS={' '.join(sorted({f'{file_of(name)}o' for name in wanted}))}"]
        command = ["make", "-j2", "-C", str(sources), f"BUILD={build}", *(["all", *targets] if wanted else ["audit"])]
        if said := _run(command, compiled, watch):
            return f"the development does not compile: {said}"
        if wanted and (said := print_axioms(build, wanted, build)):
            return f"the axioms cannot be printed: {said}"
        printed = read_axioms((build / "AXIOMS").read_text("utf-8"))
    return _difference("proofs/coq", printed, {name: theorems()[name] for name in wanted or theorems()})


def compute(names: Iterable[str], watch: Watch = lambda done, files, file: None) -> str:
    """Have Coq compute the rows of these theorems again; return why they are not accepted, "" if they are.

    Raises:
        ProvedCheckerMissingError: Coq or the compiled checker is not there.
    """
    options, wanted = checker_path(), sorted(set(names))
    if outdated := _outdated(wanted):
        return outdated
    sources = ["by_computation.v", *sorted({Path(file_of(name)).name for name in wanted})]
    with TemporaryDirectory(prefix="exactdp-coq-") as folder:
        command = ["coqc", "-q", "-w", "none", *options, "-Q", ".", "ExactdpComputed"]
        for done, source in enumerate(sources, start=1):
            shutil.copy(CHECKER / "rows" / source, folder)
            compiled = subprocess.run([*command, source], cwd=folder, capture_output=True, text=True, check=False)
            if compiled.returncode:
                return f"{source} does not compile: {compiled.stderr.strip()[-1000:]}"
            watch(done, len(sources), f"checker/rows/{source}")
        lines = []
        for name in wanted:
            full = name.replace("rows.", "ExactdpComputed.", 1)
            lines += [f"Require {full.rpartition('.')[0]}.", f'Goal True. idtac "== {name}". Abort.']
            lines += [f"Print Assumptions {full}."]
        if said := _print_assumptions(Path(folder), lines, command):
            return f"the axioms cannot be printed: {said}"
        printed = read_axioms((Path(folder) / "AXIOMS").read_text("utf-8"))
    return _difference("proofs/checker", printed, {name: computed_theorems()[name] for name in wanted})


def _outdated(names: Iterable[str]) -> str:
    """Return why the record says nothing of one of these theorems, "" if it speaks of all."""
    return next(filter(None, map(why_unaccepted, names)), "")


def _difference(folder: str, printed: Mapping[str, Theorem], recorded: Mapping[str, Theorem]) -> str:
    """Say at which theorem first Coq prints other axioms than those of the record; "" at none."""
    for name in sorted(printed.keys() | recorded.keys()):
        if (found := printed.get(name)) != (known := recorded.get(name)):
            said, written = ("nothing" if each is None else ", ".join(each.axioms) or "none" for each in (found, known))
            return f"{folder}/AXIOMS.expected differs from what Coq prints, first at {name}: {written}; Coq: {said}"
    return ""


def print_axioms(folder: Path, names: Sequence[str], build: Path) -> str:
    """Write what Coq prints of these theorems into FOLDER/AXIOMS, as ``make audit`` does of all; return its error."""
    lines = ["From Coq Require Import Reals."]
    for name in names:
        module, _, theorem = name.rpartition(".")
        path = file_of(name).removesuffix(".v").replace("/", ".")
        full = f"ExactdpRows.{path.removeprefix('rows.')}" if module.startswith("rows.") else f"Exactdp.{path}"
        lines += [f"Require {full}.", f'Goal True. idtac "== {name}". Abort.', f"Print Assumptions {full}.{theorem}."]
    return _print_assumptions(folder, lines, ["coqc", "-q", "-w", "none", *search_path(build)])


def _print_assumptions(folder: Path, lines: Sequence[str], command: Sequence[str]) -> str:
    """Have Coq print what these lines ask into FOLDER/AXIOMS, sorted as the record is; return its error."""
    (folder / "audit_some.v").write_text("\n".join(lines) + "\n", "utf-8")
    printed = subprocess.run([*command, "audit_some.v"], cwd=folder, capture_output=True, text=True, check=False)
    if printed.returncode:
        return printed.stderr.strip()[-1000:]
    sorting = ["awk", "-f", str(FOLDER / "legend")]
    (folder / "AXIOMS").write_text(
        subprocess.run(sorting, input=printed.stdout, text=True, stdout=subprocess.PIPE, check=True).stdout, "utf-8"
    )
    return ""


def search_path(build: Path) -> list[str]:
    """Return Coq's options that give the folders of the development, below a build, their names."""
    words = (line.split() for line in (FOLDER / "_CoqProject").read_text("utf-8").splitlines())
    return [
        word
        for option, folder, name in (w for w in words if w[:1] == ["-Q"])
        for word in (option, str(build / folder), name)
    ]


def _run(command: Sequence[str], files: Sequence[str], watch: Watch) -> str:
    """Run make and tell the watcher what it compiles; return its error, "" if there is none."""
    own = os.name == "posix"  # a session of its own, so that all that it starts can be ended
    with (
        TemporaryFile("w+") as complaints,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=complaints, text=True, start_new_session=own
        ) as process,
    ):
        try:
            assert process.stdout is not None
            _follow(process.stdout, files, watch)
            status = process.wait()
        except BaseException:
            _end(process)
            raise
        complaints.seek(0)
        return (complaints.read().strip()[-1000:] or f"make ended with {status}") if status else ""


def _follow(lines: IO[str], files: Sequence[str], watch: Watch) -> None:
    done = 0
    for line in lines:
        if (compiled := _COMPILED.match(line.strip())) is not None:
            done += 1
            watch(done, len(files), compiled[1])


def _end(process: subprocess.Popen[str]) -> None:
    """End make and what it has started."""
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
