"""Coq checks the development again, or what some theorems need of it, and its axioms are compared with the record.

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
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Final

from exactdp.claims.proved_checker import search_path as checker_path
from exactdp.proofs.development import (
    CHECKER,
    FOLDER,
    Theorem,
    computed_theorems,
    file_of,
    files,
    read_axioms,
    theorems,
    why_unaccepted,
)

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
