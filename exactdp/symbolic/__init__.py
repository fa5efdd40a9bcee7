"""Randomizers for whole boxes of parameters: SymPy in, formulas out.

A table whose probabilities are polynomials, or quotients of them, in parameters such as gamma, each with an interval.
``ShuffleProtocol`` takes it, and the law of the view of any data set is exact polynomials; ``profile`` gives delta as a
formula for the whole box, with exact algebraic breakpoints; and a formula of a paper is proved equal to it, or refuted
by a point.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from exactdp.inequalities.spans import Span
    from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer, randomizer

_HOMES: Final = {
    "Span": "exactdp.inequalities.spans",
    "SymbolicRandomizer": "exactdp.symbolic.symbolic_randomizer",
    "randomizer": "exactdp.symbolic.symbolic_randomizer",
}

__all__ = ["Span", "SymbolicRandomizer", "randomizer"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
