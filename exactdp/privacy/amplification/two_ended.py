"""What engines have in common that enclose a lower and an upper end of delta, and no exact masses."""

from __future__ import annotations

from abc import abstractmethod
from concurrent.futures import Executor
from fractions import Fraction

from exactdp.errors import TooLargeError
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.input_pairs import InputPairs
from exactdp.privacy.engine import EnclosedBracket, EnclosedWorst, Engine, WorstEvent


class TwoEnded(Engine):
    """Encloses both ends of delta for the pairs of inputs of a randomizer."""

    pairs: InputPairs

    @property
    def is_exact(self) -> bool:
        """Never: both ends are enclosed."""
        return False

    @property
    def is_bracket(self) -> bool:
        """Always: the two ends may differ."""
        return True

    @property
    def encloses_faster(self) -> bool:
        """Always."""
        return True

    @property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio of one user's messages is below 2**b."""
        eps = self.pairs.local_epsilons[1]
        return 1 if eps.is_infinite else int(eps.argument).bit_length()

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Refuse: exact masses are what such an engine does without."""
        raise TooLargeError(self.refusal)

    @abstractmethod
    def bracket(self, exp_eps: Real | None, relative_bits: int) -> EnclosedBracket:
        """Return both ends; None stands for infinity."""

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> EnclosedWorst:
        """Return the interval from the lower end to the upper end, and the pair of the lower end."""
        bracket = self.bracket(exp_eps, relative_bits)
        delta = Interval(bracket.lower.lower, bracket.upper.upper)
        return EnclosedWorst(bracket.first, bracket.second, delta)
