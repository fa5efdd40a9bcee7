"""Which kernel-checked theorems the code relies on: named where a check uses them.

The development itself, with what each theorem assumes, is read by :mod:`exactdp.proofs.development`; the tests compare
every name that is used here with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

_Check = TypeVar("_Check", bound=Callable[..., object])

RELIANCE: Final[dict[str, tuple[str, ...]]] = {}
"""Qualified name of a function or class -> the theorems it relies on, each as ``file.theorem``."""


def relies_on(*theorems: str) -> Callable[[_Check], _Check]:
    """Return a decorator that notes the theorems behind a check, and leaves the check as it is.

    >>> from exactdp.evidence.theorems import RELIANCE
    >>> from exactdp.privacy import half_lines
    >>> RELIANCE["exactdp.privacy.half_lines.lower_event"]
    ('half_line.half_lines_suffice_falling', 'half_line_infinite.half_lines_suffice_infinite_falling')
    """

    def note(check: _Check) -> _Check:
        RELIANCE[f"{check.__module__}.{check.__qualname__}"] = theorems
        return check

    return note


def theorems_of(check: Callable[..., object]) -> tuple[str, ...]:
    """Return the theorems that a function was noted with; none for one that was not.

    >>> from exactdp.privacy.divergence import hockey_stick_divergence
    >>> theorems_of(hockey_stick_divergence)
    ('hockey_stick.hockey_stick_iff',)
    """
    return RELIANCE.get(f"{check.__module__}.{check.__qualname__}", ())
