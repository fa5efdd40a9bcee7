"""Levels of evidence: what stands behind an answer or a row of the ledger. A closed list, strongest first.

A level is a word, the same in every output, table and page. Who has accepted a certificate is said beside it, by
``ACCEPTORS``: a level speaks of the statement, an acceptor of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "kernel": "a theorem accepted by the Coq kernel states the whole row; the statement and its axioms are printed",
        "certificate": "the claim that the checker verified is the statement; it rests on named lemmas only",
        "steps": "the checker verified the numbered steps; that they suffice is a proof on paper, at the place named",
        "exact": "integers and fractions by the engine, not re-checked",
        "enclosure": "ball arithmetic or integers with proved rounding, by the engine, not re-checked",
        "float": "floating point, for samples and pictures; never the support of a claim",
        "prose": "notation, wording, attribution, or a bound cited from the literature; no machine decided it",
        "none": "neither proved nor refuted",
    }
)
"""Level -> what stands behind it."""

ACCEPTORS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "python": "the checker of this package, which uses the standard library only",
        "javascript": "the second checker, written from the format page alone",
        "proved": "the checker whose acceptance is a theorem",
        "kernel": "the Coq kernel, by computation",
    }
)
"""Who can have accepted a certificate -> what that is."""
