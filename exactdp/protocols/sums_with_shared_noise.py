"""Sums whose users draw independent shares of noise: what all of them have in common."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.laws.tails import least_reach
from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.protocols.interface import Protocol


class SharedNoiseSum(Protocol):
    """A sum of which all users' shares of noise add up to one draw of each law: by its error, noise and randomizer."""

    __slots__ = ()

    def accuracy(self: Any, beta: Exact, *, simultaneous: bool = False) -> Fraction:
        """Return the optimal accuracy of the sum: the error has one law, whatever the data set."""
        return exact_answer(least_reach(self.error, Fraction(0), Fraction(0), as_probability(beta, name="beta")))

    def plan(self: Any, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: one number for each kind of noise."""
        from exactdp.protocols.sampling.views import CommonNoise, user_counts

        held = user_counts(dataset, self.records, self.n)
        return CommonNoise.of(held, self.randomizer.sent, self.alphabet, self.noise, nearest=nearest)

    def of_each_user(self: Any) -> tuple[LatticeRandomizer, int]:
        """Return what each user runs, and the number of users."""
        return self.randomizer, self.n
