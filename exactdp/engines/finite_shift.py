"""A query plus finite noise: one law and the same law shifted, shift by shift and outcome by outcome."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactdp.engines.curves import Curves, likelihood_curve
from exactdp.engines.pair import Masses, both_masses
from exactdp.engines.sparse import SparsePacking
from exactdp.engines.worst import DataSet, WorstEvent
from exactdp.laws.finite import Law
from exactdp.numbers.real import Real

__all__ = ["FiniteShifts", "Shift"]


@dataclass(frozen=True, slots=True)
class Shift:
    """A pair of data sets of which the second's view is the first's plus ``by`` >= 1."""

    by: int
    first: DataSet
    second: DataSet


@dataclass(frozen=True)
class FiniteShifts:
    """The engine for one count plus finite noise: the worst of the given shifts, in both orders."""

    noise: Law
    shifts: tuple[Shift, ...]

    @property
    def name(self) -> str:
        """The name of the engine in messages."""
        return "shift"

    @property
    def is_exact(self) -> bool:
        """True."""
        return True

    @property
    def ratio_bits(self) -> int:
        """Weights are integers of at most this many bits."""
        return self.noise.total.bit_length()

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the worst shift, order and event, exactly."""
        events = [event for shift in self.shifts for event in self._both_orders(shift, exp_eps)]
        return max(events, key=lambda event: event.delta(exp_eps or Fraction(0)))

    def curves(self) -> Curves:
        """Return the curves of all shifts in both orders."""
        weights = self.noise.weights
        each = (
            likelihood_curve([(weight, weights.get(t - by, 0)) for t, weight in weights.items()])
            for shift in self.shifts
            for by in (shift.by, -shift.by)
        )
        return Curves(self.noise.total, 2 * len(self.shifts), each)

    def enclosed_worst(self, exp_eps: Real | None, relative_bits: int) -> None:
        """Exact masses are within reach wherever this engine starts."""

    def _both_orders(self, shift: Shift, exp_eps: Fraction | None) -> tuple[WorstEvent, WorstEvent]:
        forward, backward = self._masses(shift.by, exp_eps)
        return WorstEvent(shift.first, shift.second, *forward), WorstEvent(shift.second, shift.first, *backward)

    def _masses(self, by: int, exp_eps: Fraction | None) -> tuple[Masses, Masses]:
        make = SparsePacking(self.noise.total).law
        first = make(tuple(self.noise.weights.items()))
        second = make(tuple((t + by, weight) for t, weight in self.noise.weights.items()))
        ratio = None if exp_eps is None else (exp_eps.numerator, exp_eps.denominator)
        return both_masses(first, second, ratio, self.noise.total)
