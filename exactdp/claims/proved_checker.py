"""The checker whose acceptance is a theorem: a program that is extracted from Coq, and certificates as Coq theorems.

``make -C proofs/checker`` builds it in a checkout. This module finds it and runs it, on certificates that are files:
what a file says is answered by that program alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, cast

from exactdp.checker.documents import read_file
from exactdp.checker.reading import canonical, read_document, sha256
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
_AT_ONCE: Final = 4
"""Files that the program is asked about at the same time, on so many processors: each may take a gigabyte."""
_STATUSES: Final = {0: "VERIFIED", 1: "REJECTED", 2: "MALFORMED", 3: "NOT COVERED"}
_ANSWER: Final = re.compile(r"(PROVED|REFUTED) ([0-9a-f]{12}) (.*) \[(by the theorem check_sound(?:; .*)?)\]")
PACKAGES: Final = "coq libcoq-coquelicot ocaml-nox ocaml-findlib libzarith-ocaml-dev make"
"""The packages of Debian that build it."""
_WITH_STACK: Final = 'ulimit -s 1000000 2>/dev/null || ulimit -s "$(ulimit -H -s)" 2>/dev/null; exec "$0" "$@"'
"""Coq goes into itself as often as a text is long: a shell's command for the stack that is allowed."""
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


def answers(paths: Iterable[str]) -> Iterator[Answer]:
    """Ask about files, in their order, and about some of them at the same time."""
    with ThreadPoolExecutor(min(_AT_ONCE, os.cpu_count() or 1)) as pool:
        yield from pool.map(answer, paths)


class Theorem(NamedTuple):
    """A certificate as two theorems of Coq's kernel: ``certified``, the claim or its negation, and ``written``, that
    the canonical text of this claim is the one that stands in the certificate."""

    path: str
    """The file that states and proves them."""
    axioms: tuple[str, ...]
    """What Coq names as their assumptions."""

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The theorems and these in words: each axiom, and those of primitive integers together."""
        others = [f"axiom {name}" for name in self.axioms if not name.startswith(_PRIMITIVE)]
        primitive = len(self.axioms) - len(others)
        last = [f"{primitive} primitives and axioms of Coq's primitive integers"] if primitive else []
        return (f"the theorems certified and written of {self.path}", *others, *last)


def write_theorem(path: str, target: str, *, primitive: bool = False) -> Theorem:
    """Write a certificate as a Coq file whose theorem is its claim, or the negation, and have Coq compile it.

    The program states the claim as a term of Coq and proves it. What the certificate says is then added here, as
    Python's reader has it: the verdict, and the canonical text of the claim, which Coq computes from the term.
    With ``primitive``, Coq computes with its primitive integers, whose axioms are then among its assumptions.

    Raises:
        ProvedCheckerMissingError: The program, its compiled proofs or Coq are missing.
        ExactDPError: The certificate is none, or of a kind without a program on primitive integers, or Coq does not
            accept it: its proof, its verdict or its text.
    """
    search = search_path("big/big_program.vo" if primitive else "checked.vo")
    proved = coq_term(path, "--coq-big" if primitive else "--coq")
    Path(target).write_text(proved + _as_written(path), "ascii")
    with TemporaryDirectory(prefix="exactdp-coq-") as folder:
        inside = shutil.copy(target, Path(folder) / Path(target).name)
        command = ["sh", "-c", _WITH_STACK, "coqc", "-q", "-w", "none", *search, str(inside)]
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode:
        line = re.search(r", line (\d+),", compiled.stderr)
        is_other = line is not None and int(line[1]) > proved.count("\n")
        fault = f"what it states is not the claim of {path} with its verdict" if is_other else "Coq does not accept it"
        raise ExactDPError(f"{target}: {fault}: {_last_line(compiled.stderr)}")
    return Theorem(target, tuple(dict.fromkeys(_ASSUMED.findall(compiled.stdout))))


def coq_term(path: str, form: str = "--coq") -> str:
    """Return the certificate as the program writes it for Coq."""
    command = [str(required()), form, os.path.join(".", path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ExactDPError(f"{path}: {ran.stderr.strip()}")
    return ran.stdout


def _as_written(path: str) -> str:
    """Return the end of the Coq file of a certificate: its verdict on the claim that is stated, and that one's text."""
    document = read_document(read_file(path))
    text = canonical(_flattened(document["claim"])).replace('"', '""')
    holds = "claims.holds stated" if document["verdict"] == "PROVED" else "~ claims.holds stated"
    return f"""
(** The verdict and the claim as they stand in the certificate, by the reader of another program. *)

From Coq Require Import String.
From ExactdpChecker Require claim_text.

Check certified : {holds}.

Theorem written : claim_text.text_of stated = "{text}"%string.
Proof.
  vm_cast_no_check (eq_refl (claim_text.text_of stated)).
Qed.

Print Assumptions written.
"""


def _flattened(value: object) -> object:
    """A sum of sums, and a product of products, as one: claims.v has them of two, which are written so."""
    if isinstance(value, list):
        return [_flattened(entry) for entry in cast(list[object], value)]
    if not isinstance(value, dict):
        return value
    fields = {key: _flattened(inner) for key, inner in cast(dict[str, object], value).items()}
    for name in {"sum", "product"} & fields.keys():
        first, *rest = cast(list[object], fields[name])
        if isinstance(first, dict) and name in first:
            fields[name] = [*first[name], *rest]
    return fields


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
