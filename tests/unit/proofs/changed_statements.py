"""Statements of the Coq development that are changed in one place: how Coq is asked, and the tests of each change.

A file of tests gives its changes by name and takes both tests of each from ``both_tests_of``: Coq finds no proof, and
an exact counterexample, computed without Coq, shows that the changed statement is false.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.proofs import development
from exactdp.proofs.development import files

ROOT = Path(__file__).parents[3]
COQ = ROOT / "proofs" / "coq"
BUILD = Path(os.environ.get("EXACTDP_COQ_BUILD", ROOT / "build" / "coq"))


def needs_coq(test):
    """Mark a test in which Coq compiles a theorem and all that it rests on, for seconds to minutes."""
    reason = "Coq is not installed, so kernel proofs are not re-checked (Debian: coq libcoq-coquelicot make)"
    return pytest.mark.slow(pytest.mark.skipif(bool(development.missing_programs()), reason=reason)(test))


@dataclass(frozen=True)
class Change:
    """``theorem`` of ``file``.v with ``old`` in place of ``new`` is false, as ``fails`` computes."""

    file: str
    theorem: str
    old: str
    new: str
    fails: Callable[[], bool]


def exp(x):
    return enclose_real(Real.exp(Fraction(x)), relative_bits=64)


def build(sources):
    """Return the folder with these files of the development and what they need, compiled by one process at a time."""
    targets = " ".join(sorted({f"{source}o" for source in sources}))
    BUILD.parent.mkdir(parents=True, exist_ok=True)
    with open(BUILD.parent / "coq.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "-s", "-j2", "-C", str(COQ), f"BUILD={BUILD}", f"TARGETS={targets}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return BUILD


def compiled(folder, text, built):
    """Return the line at which Coq stops in a file with this text, and what it says; None if it accepts the file."""
    (folder / "changed.v").write_text(text)
    command = ["coqc", "-q", "-w", "none", *development.search_path(built), "changed.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 0:
        return None
    return int(re.search(r"line (\d+)", done.stderr).group(1)), done.stderr


def changed(change):
    """Return the file with the change, and the first and the last line of the theorem in it."""
    text = (COQ / files()[change.file]).read_text("utf-8")
    begins = re.search(rf"^(?:Theorem|Lemma) {change.theorem}\b", text, re.MULTILINE).start()
    ends = text.index("Qed.", begins)
    statement = text[begins : text.index("Proof", begins)]
    assert statement.count(change.old) == 1
    text = text[:begins] + statement.replace(change.old, change.new) + text[begins + len(statement) :]
    ends += len(change.new) - len(change.old)
    return text, text.count("\n", 0, begins) + 1, text.count("\n", 0, ends) + 1


def has_no_proof(change, folder, built):
    """Whether Coq stops within the changed theorem, and not for a reason of form."""
    text, first, last = changed(change)
    line, said = compiled(folder, text, built)
    return first <= line <= last and not re.search("[Ss]yntax error|physical path|was not found", said)


def both_tests_of(changes):
    """Return the tests of a file's changes: that Coq finds no proof of any of them, and that each is false."""

    @needs_coq
    @pytest.mark.parametrize("name", changes)
    def has_none(name, tmp_path, built):
        assert has_no_proof(changes[name], tmp_path, built)

    @pytest.mark.parametrize("name", changes)
    def is_false(name):
        assert changes[name].fails()
        changed(changes[name])

    return has_none, is_false
