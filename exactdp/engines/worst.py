"""What every engine returns: the pair of data sets and the event that are worst at one e^eps.

For a fixed event T and pair of data sets, P(T) - E Q(T) is a line in E. delta(E) is the upper envelope of these lines,
so the worst line at E gives delta there, bounds delta from below everywhere, and drives the search for eps(delta).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

from exactdp.kernel.rationals import line_crossing, line_value
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

__all__ = ["DataSet", "EnclosedWorst", "Engine", "WorstEvent"]

DataSet: TypeAlias = tuple[int, ...]
"""Number of users for each input."""


@dataclass(frozen=True, slots=True)
class WorstEvent:
    """An event T with the probabilities P(T) under the first data set and Q(T) under the second."""

    first: DataSet
    second: DataSet
    mass_first: Fraction
    mass_second: Fraction

    def delta(self, exp_eps: Fraction) -> Fraction:
        """P(T) - E Q(T), a lower bound of delta at every E and delta itself where the event is worst."""
        return line_value(self.mass_first, self.mass_second, exp_eps)

    def crossing(self, delta: Fraction) -> Fraction:
        """The E at which P(T) - E Q(T) is ``delta``, for Q(T) > 0."""
        return line_crossing(self.mass_first, self.mass_second, delta)


@dataclass(frozen=True, slots=True)
class EnclosedWorst:
    """A pair of data sets that no other is proved to exceed, and an enclosure of delta."""

    first: DataSet
    second: DataSet
    delta: Interval


class Engine(Protocol):
    """Computes the worst event of a fixed set of neighbouring pairs, exactly."""

    @property
    def name(self) -> str:
        """How messages name the engine."""
        ...

    @property
    def is_exact(self) -> bool:
        """Whether ``worst`` is within reach; else only ``enclosed_worst`` is."""
        ...

    @property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio is below 2**b."""
        ...

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return a pair and event with the largest P(T) - E Q(T) at E = ``exp_eps`` >= 1.

        None stands for infinity: the largest P(T) with Q(T) = 0.
        """
        ...

    def enclosed_worst(self, exp_eps: Real | None, relative_bits: int) -> EnclosedWorst | None:
        """Enclose delta without exact masses; None where the engine cannot, and is exact.

        ``exp_eps`` None stands for infinity, as in ``worst``.
        """
        ...
