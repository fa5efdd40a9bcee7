"""What the views of a family are drawn from: how its messages support inputs, jointly.

A view is drawn as the number of messages that support each input; for k-ary response and the clipped discrete Laplace,
whose messages are inputs, that is the whole view. A family says here how its supports depend on each other; who draws
is for :mod:`exactdp.sampling` to say. Probabilities are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

Drawn = TypeVar("Drawn", covariant=True)
"""Draws of one view."""


class SupportSource(Protocol[Drawn]):
    """A source of views of n users whose inputs it knows."""

    def independent(self, likely: Fraction, unlikely: Fraction) -> Drawn:
        """Every input is supported on its own: with one probability by its holders, with another by all others."""
        ...

    def subsets(self, size: int, common: Fraction) -> Drawn:
        """A uniformly random subset of ``size`` inputs; with probability 1 - ``common`` of those with the own input."""
        ...

    def signs(self, columns: int, common: Fraction) -> Drawn:
        """A uniformly random column of Sylvester's matrix; with probability 1 - ``common`` of those with own plus."""
        ...

    def among_dummies(self, common: Fraction, dummies: int) -> Drawn:
        """One input, uniform with probability ``common``, else the own one; and ``dummies`` uniform inputs."""
        ...

    def rows(self, rows: Iterable[Sequence[Fraction]]) -> Drawn:
        """One input, with the probabilities of the own row."""
        ...

    def repeated(self, times: int) -> SupportSource[Drawn]:
        """Return a source in which every user sends so many messages."""
        ...
