"""The checker whose acceptance is a theorem: a program that is extracted from Coq, and certificates as Coq theorems.

``make -C proofs/checker`` builds it in a checkout. This module finds it and runs it, on certificates that are files:
what a file says is answered by that program alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from exactdp.checker.documents import read_file
from exactdp.checker.reading import read_document, sha256
from exactdp.errors import ExactDPError

_PRIMITIVE: Final = ("PrimInt63.", "Uint63.")
"""How the names of Coq's primitive integers begin."""
_ASSUMED: Final = re.compile(r"^(\w[\w.]*\.\w+)(?: :|$)", re.MULTILINE)
"""How Coq prints an axiom."""
VARIABLE: Final = "EXACTDP_PROVED_CHECKER"
"""The environment variable that may name the program."""
_NAME: Final = "proved-checker"
_ROOT: Final = Path(__file__).resolve().parent.parent.parent
_SOURCES: Final = _ROOT / "proofs" / "checker"
_BUILT: Final = _ROOT / "build" / "checker"
_PLACES: Final = (_BUILT / _NAME, Path(__file__).resolve().parent / _NAME)
"""Where the program is looked for: in the build of a checkout, and beside this package."""
_STATUSES: Final = {0: "VERIFIED", 1: "REJECTED", 2: "MALFORMED", 3: "NOT COVERED"}
_ANSWER: Final = re.compile(r"(PROVED|REFUTED) ([0-9a-f]{12}) (.*) \[(by the theorem check_sound(?:; .*)?)\]")
PACKAGES: Final = "coq libcoq-coquelicot ocaml-nox ocaml-findlib libzarith-ocaml-dev make"
"""The packages of Debian that build it."""
_REPAIR: Final = (
    f"Build it in a checkout with `make -C proofs/checker` (Debian: {PACKAGES}), or name the program in {VARIABLE}."
)


class ProvedCheckerMissingError(ExactDPError):
    """The program, or what builds a certificate in Coq, is not on this machine."""


class Answer(NamedTuple):
    """What the proved checker says of one file."""

    status: str
    """VERIFIED, REJECTED, MALFORMED or NOT COVERED."""
    verdict: str | None
    claim_id: str | None
    """Computed here, and compared with the one that the program printed."""
    words: str | None
    rests_on: tuple[str, ...]
    reason: str | None


def find() -> Path | None:
    """Return where the program is, or None."""
    named = os.environ.get(VARIABLE)
    places = (Path(named),) if named else _PLACES
    return next((place for place in places if place.is_file() and os.access(place, os.X_OK)), None)


def required() -> Path:
    """Return where the program is.

    Raises:
        ProvedCheckerMissingError: It is at none of the places.
    """
    if (program := find()) is not None:
        return program
    if named := os.environ.get(VARIABLE):
        raise ProvedCheckerMissingError(f"{VARIABLE}={named}: there is no program. {_REPAIR}")
    raise ProvedCheckerMissingError(f"--proved: the proved checker is not built here. {_REPAIR}")


def answer(path: str) -> Answer:
    """Ask the program about one file."""
    ran = subprocess.run([required(), os.path.join(".", path)], capture_output=True, check=False)
    if ran.returncode < 0:
        return Answer("MALFORMED", None, None, None, (), f"the check is too large: signal {-ran.returncode} ended it")
    line = ran.stdout.decode("utf-8", "replace").strip()
    if ran.returncode not in _STATUSES or not line:
        said = ran.stderr.decode("utf-8", "replace").strip()[-500:]
        raise ExactDPError(f"{required()}: it ended with status {ran.returncode}. {said}".rstrip())
    status = _STATUSES[ran.returncode]
    if status != "VERIFIED":
        return Answer(status, None, None, None, (), line.partition(": ")[2])
    parts = _ANSWER.fullmatch(line)
    if parts is None:
        raise ExactDPError(f"{required()}: an answer that is not understood: {line[:200]}")
    claim_id = sha256(read_document(read_file(path))["claim"])
    if not claim_id.startswith(parts[2]):
        raise ExactDPError(
            f"{required()}: it answered the claim {parts[2]}, and the file has the claim {claim_id[:12]}"
        )
    return Answer(status, parts[1], claim_id, parts[3], tuple(parts[4].split("; ")), None)


class Theorem(NamedTuple):
    """A certificate as a theorem of Coq's kernel."""

    path: str
    """The file that states and proves it."""
    axioms: tuple[str, ...]
    """What Coq names as its assumptions."""

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The same in words: each axiom, and those of primitive integers together."""
        others = [f"axiom {name}" for name in self.axioms if not name.startswith(_PRIMITIVE)]
        primitive = len(self.axioms) - len(others)
        return (*others, *([f"{primitive} primitives and axioms of Coq's primitive integers"] if primitive else []))


def write_theorem(path: str, target: str, *, primitive: bool = False) -> Theorem:
    """Write a certificate as a Coq file whose theorem is its claim, or the negation, and have Coq compile it.

    With ``primitive``, Coq computes with its primitive integers, whose axioms are then among its assumptions.

    Raises:
        ProvedCheckerMissingError: The program, its compiled proofs or Coq are missing.
        ExactDPError: The certificate is none, or of a kind without a program on primitive integers, or Coq does not
            accept it.
    """
    search = search_path("big/big_program.vo" if primitive else "checked.vo")
    Path(target).write_text(coq_term(path, "--coq-big" if primitive else "--coq"), "ascii")
    with TemporaryDirectory(prefix="exactdp-coq-") as folder:
        inside = shutil.copy(target, Path(folder) / Path(target).name)
        command = ["coqc", "-q", "-w", "none", *search, str(inside)]
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode:
        raise ExactDPError(f"{target}: Coq does not accept it: {_last_line(compiled.stderr)}")
    return Theorem(target, tuple(_ASSUMED.findall(compiled.stdout)))


def coq_term(path: str, form: str = "--coq") -> str:
    """Return the certificate as the program writes it for Coq."""
    command = [str(required()), form, os.path.join(".", path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ExactDPError(f"{path}: {ran.stderr.strip()}")
    return ran.stdout


def _last_line(text: str) -> str:
    return " ".join(text.split())[-400:]


def search_path(needed: str = "checked.vo") -> Sequence[str]:
    """Return Coq's options for the compiled development and the compiled checker of a checkout, with a file of it.

    Raises:
        ProvedCheckerMissingError: Coq or the compiled proofs are missing.
    """
    coq = Path(os.environ.get("EXACTDP_COQ_BUILD", _ROOT / "build" / "coq"))
    built = Path(os.environ.get("EXACTDP_CHECKER_BUILD", _BUILT))
    if shutil.which("coqc") is None:
        raise ProvedCheckerMissingError(f"--kernel: coqc is not on this machine. Install Coq (Debian: {PACKAGES}).")
    if not (built / needed).is_file() and needed.startswith("big/"):
        raise ProvedCheckerMissingError(
            "--primitive-integers: its proofs are not compiled here. Compile them in a checkout with "
            "`make -C proofs/checker big` (Debian: libcoq-bignums besides the others)."
        )
    if not (built / needed).is_file():
        raise ProvedCheckerMissingError(f"--kernel: the proofs of the checker are not compiled here. {_REPAIR}")
    project = (_SOURCES.parent / "coq" / "_CoqProject").read_text("utf-8").splitlines()
    folders = [line.split()[1:] for line in project if line.startswith("-Q ")]
    options = [option for folder, name in folders for option in ("-Q", str(coq / folder), name)]
    return [*options, "-Q", str(built), "ExactdpChecker"]
