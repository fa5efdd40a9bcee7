"""A query plus finite noise: one law and the same law shifted, shift by shift and outcome by outcome."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction

from exactdp.laws.finite import Law
from exactdp.privacy.curves import Curves, likelihood_curve
from exactdp.privacy.engine import Engine, NoisePairs, Shift, Work, WorstEvent
from exactdp.privacy.shuffle.pair import both_masses
from exactdp.privacy.shuffle.sparse import SparsePacking


@dataclass(frozen=True, eq=False)
class FiniteShifts(Engine):
    """The engine for one count plus finite noise: the worst of the given shifts, in both orders."""

    noise: Law
    shifts: tuple[Shift, ...]

    name = "shift"
    method = "compares the noise with itself shifted, outcome by outcome"

    @property
    def ratio_bits(self) -> int:
        """Weights are integers of at most this many bits."""
        return self.noise.total.bit_length()

    @property
    def work(self) -> Work:
        """Both orders of every shift; one step for each outcome of each shift serves both orders."""
        outcomes = len(self.noise)
        return Work(2 * len(self.shifts), outcomes, len(self.shifts) * outcomes)

    @property
    def noise_pairs(self) -> NoisePairs:
        """The noise against itself moved by each of the shifts."""
        return NoisePairs(self.noise, tuple(shift.by for shift in self.shifts))

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst shift, order and event, exactly."""
        events = [event for shift in self.shifts for event in self._both_orders(shift, exp_eps)]
        return max(events, key=lambda event: event.delta(exp_eps or Fraction(0)))

    def curves(self) -> Curves:
        """Return the curves of all shifts in both orders."""
        weights = self.noise.weights
        curves = (
            likelihood_curve([(weight, weights.get(t - by, 0)) for t, weight in weights.items()])
            for shift in self.shifts
            for by in (shift.by, -shift.by)
        )
        return Curves(self.noise.total, 2 * len(self.shifts), curves)

    def _both_orders(self, shift: Shift, exp_eps: Fraction | None) -> tuple[WorstEvent, WorstEvent]:
        make = SparsePacking(self.noise.total).law
        first = make(tuple(self.noise.weights.items()))
        second = make(tuple((t + shift.by, weight) for t, weight in self.noise.weights.items()))
        ratio = None if exp_eps is None else exp_eps.as_integer_ratio()
        forward, backward = both_masses(first, second, ratio, self.noise.total)
        return WorstEvent(shift.first, shift.second, *forward), WorstEvent(shift.second, shift.first, *backward)
