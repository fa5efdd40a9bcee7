"""The Coq development in proofs/coq: which theorems it has, what they assume, and which rows they state.

``theorems()`` reads the record, AXIOMS.expected: it holds what Coq printed of each theorem, and a rebuild compares it.
The record speaks of the sources that Coq compiled when it was written, whose digests SOURCES.expected holds: once a
byte of them has changed it says nothing any more (``why_unaccepted``), until ``make axioms`` compiles them again.
``propositions()`` reads the folder rows/, which states rows of the ledger: for the row a-b a ``Definition row_a_b :
Prop`` and a ``Theorem row_a_b_holds : row_a_b``, in the file of the row's module. ``proofs/rebuilding.py`` compiles it.

Rows that the proved checker computes inside Coq stand in proofs/checker/rows instead, in computed_MODULE.v, and what
they assume, and all sources that they rest on, in the record of that folder: ``computed_theorems()``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import Final

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
