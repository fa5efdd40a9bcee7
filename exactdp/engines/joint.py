"""Two noisy counts of which one goes up and the other down by one: two bins of a histogram, judged together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.engines.pair import both_masses
from exactdp.engines.sparse import SparsePacking
from exactdp.engines.worst import DataSet, WorstEvent
from exactdp.errors import TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.numbers.real import Real

__all__ = ["JointShift"]

_JOINT_LIMIT: Final = 4 * 10**6
"""Most outcomes of two bins together."""


@dataclass(frozen=True)
class JointShift:
    """The engine for two noisy counts of which one goes up and the other down by one: two bins of a histogram."""

    noise: Law | Binomial
    first: DataSet
    second: DataSet
    limit: int

    def __post_init__(self) -> None:
        size = self.noise.n + 1 if isinstance(self.noise, Binomial) else len(self.noise)
        limit = min(self.limit, _JOINT_LIMIT)
        if (size + 1) ** 2 > limit:
            raise TooLargeError(
                f"{self.name}: two bins have {(size + 1) ** 2} outcomes, more than the limit of {limit}. "
                "Use noise with fewer outcomes, or one bin and basic composition."
            )

    @property
    def name(self) -> str:
        """The name of the engine in messages."""
        return "joint shift"

    @property
    def is_exact(self) -> bool:
        """True."""
        return True

    @property
    def ratio_bits(self) -> int:
        """Weights of the two bins together are integers of at most this many bits."""
        if isinstance(self.noise, Binomial):
            return 2 * (self.noise.n * self.noise.p.denominator.bit_length() + 1)
        return 2 * self.noise.total.bit_length()

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the worst event, exactly; the two orders mirror each other by exchanging the bins."""
        law = self.noise.law() if isinstance(self.noise, Binomial) else self.noise
        base = max(law) - min(law) + 2  # outcomes (t, u) become t + base * u, and shifts by one stay apart
        both = {t + base * u: x * y for t, x in law.weights.items() for u, y in law.weights.items()}
        make = SparsePacking(law.total**2).law
        first = make(tuple((outcome + 1, weight) for outcome, weight in both.items()))
        second = make(tuple((outcome + base, weight) for outcome, weight in both.items()))
        ratio = None if exp_eps is None else (exp_eps.numerator, exp_eps.denominator)
        masses, _ = both_masses(first, second, ratio, law.total**2)
        return WorstEvent(self.first, self.second, *masses)

    def enclosed_worst(self, exp_eps: Real | None, relative_bits: int) -> None:
        """Exact masses are within reach wherever this engine starts."""
