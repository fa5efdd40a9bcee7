"""The Coq development in proofs/coq: which theorems it has, what they assume, and which rows they state.

``theorems()`` reads the record, AXIOMS.expected: it holds what Coq printed of each theorem, and a rebuild compares it.
``propositions()`` reads the folder rows/, which states rows of the ledger: for the row a-b a ``Definition row_a_b :
Prop`` and a ``Theorem row_a_b_holds : row_a_b``, in the file of the row's module. ``proofs/rebuilding.py`` compiles it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import Final

__all__ = [
    "FOLDER",
    "Proposition",
    "Theorem",
    "propositions",
    "read_axioms",
    "read_propositions",
    "theorems",
]

FOLDER: Final = Path(__file__).resolve().parent / "coq"
_HEAD: Final = re.compile(r"^== (\S+)$", re.MULTILINE)
_AXIOM: Final = re.compile(r"^(?!Axioms:)([\w.']+)", re.MULTILINE)
_PROP: Final = re.compile(r"^Definition row_(\w+) : Prop :=(.*?)\.$", re.MULTILINE | re.DOTALL)
_HOLDS: Final = re.compile(r"^Theorem row_(\w+)_holds : row_(\w+)\.$", re.MULTILINE)
_CLOSED: Final = "Closed under the global context"


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem that the kernel accepts: ``file.theorem``, and the axioms behind it, in the order of the alphabet."""

    name: str
    axioms: tuple[str, ...]

    @property
    def source(self) -> str:
        """The file that states it, from the top of the project."""
        return f"proofs/coq/{self.name.rpartition('.')[0].replace('.', '/')}.v"


@dataclass(frozen=True, slots=True)
class Proposition:
    """What the kernel accepts of a row of the ledger: the theorem, and the Prop that it proves, in Coq's words."""

    theorem: str
    prop: str


@lru_cache(maxsize=1)
def theorems() -> Mapping[str, Theorem]:
    """Return the theorems of the development by name.

    >>> from exactdp.proofs.development import theorems
    >>> theorems()["lemma3.lemma3"].source
    'proofs/coq/lemma3.v'
    """
    return MappingProxyType(read_axioms((FOLDER / "AXIOMS.expected").read_text("utf-8")))


def read_axioms(printed: str) -> dict[str, Theorem]:
    """Return the theorems of what ``Print Assumptions`` printed, each below a line ``== file.theorem``.

    Lines that follow one another share what is printed below the last of them, which is what all of them assume.
    """
    _, *parts = _HEAD.split(printed)
    found: dict[str, Theorem] = {}
    together: list[str] = []
    for name, block in zip(parts[::2], parts[1::2], strict=True):
        together.append(name)
        if block.strip():
            axioms = () if _CLOSED in block else tuple(sorted(_AXIOM.findall(block)))
            found |= {each: Theorem(each, axioms) for each in together}
            together = []
    return found


@lru_cache(maxsize=1)
def propositions() -> Mapping[str, Proposition]:
    """Return the Props of rows/ by the id of the row.

    >>> from exactdp.proofs.development import propositions
    >>> propositions()["adding-a-user"].theorem
    'rows.adding_a_user.row_adding_a_user_holds'
    """
    found: dict[str, Proposition] = {}
    for path in sorted((FOLDER / "rows").glob("*.v")):
        found |= read_propositions(path.stem, path.read_text("utf-8"))
    return MappingProxyType(found)


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
