"""Randomizers for whole boxes of parameters: SymPy in, formulas out.

A table whose probabilities are polynomials, or quotients of them, in parameters such as gamma, each with an interval.
``ShuffleProtocol`` takes it, and the law of the view of any data set is exact polynomials; ``profile`` gives delta as a
formula for the whole box, with exact algebraic breakpoints; and a formula of a paper is proved equal to it, or refuted
by a point. Certificates are made on a floor above: the answers ask for theirs by the name that stands in ``_HOMES``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from exactdp.symbolic.box import Span
    from exactdp.symbolic.formula_answers import FormulaProof
    from exactdp.symbolic.symbolic_deltas import DeltaPiece, EventPolynomials, SymbolicDelta
    from exactdp.symbolic.symbolic_laws import SymbolicLaw
    from exactdp.symbolic.symbolic_profiles import SymbolicProfile, profile, prove_formula
    from exactdp.symbolic.symbolic_randomizer import (
        SymbolicRandomizer,
        randomized_response,
        randomizer,
        subset_selection,
        unary_encoding,
        zsum_randomizer,
    )

_HOMES: Final = {
    "Span": "exactdp.symbolic.box",
    "DeltaPiece": "exactdp.symbolic.symbolic_deltas",
    "EventPolynomials": "exactdp.symbolic.symbolic_deltas",
    "FormulaProof": "exactdp.symbolic.formula_answers",
    "SymbolicDelta": "exactdp.symbolic.symbolic_deltas",
    "SymbolicLaw": "exactdp.symbolic.symbolic_laws",
    "SymbolicProfile": "exactdp.symbolic.symbolic_profiles",
    "SymbolicRandomizer": "exactdp.symbolic.symbolic_randomizer",
    "is_certified": "exactdp.claims.certified_formulas",
    "profile": "exactdp.symbolic.symbolic_profiles",
    "prove_formula": "exactdp.symbolic.symbolic_profiles",
    "randomized_response": "exactdp.symbolic.symbolic_randomizer",
    "randomizer": "exactdp.symbolic.symbolic_randomizer",
    "subset_selection": "exactdp.symbolic.symbolic_randomizer",
    "unary_encoding": "exactdp.symbolic.symbolic_randomizer",
    "zsum_randomizer": "exactdp.symbolic.symbolic_randomizer",
}

__all__ = [
    "DeltaPiece",
    "EventPolynomials",
    "FormulaProof",
    "Span",
    "SymbolicDelta",
    "SymbolicLaw",
    "SymbolicProfile",
    "SymbolicRandomizer",
    "profile",
    "prove_formula",
    "randomized_response",
    "randomizer",
    "subset_selection",
    "unary_encoding",
    "zsum_randomizer",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
