"""Add or remove one user when every user sends the same number of messages: the total gives it away.

The larger data set shows n c messages and the smaller one (n - 1) c, so for c >= 1 the two views have disjoint supports
and delta is 1 for every eps, whatever the randomizer. There is nothing to search.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactdp.engines.worst import WorstEvent
from exactdp.models.randomizer import Randomizer
from exactdp.numbers.real import Real

__all__ = ["DisjointViews", "messages_of_every_user"]


def messages_of_every_user(randomizer: Randomizer) -> int | None:
    """Return the number of messages that every user sends with certainty, or None where it varies."""
    lengths = {len(send) for row in randomizer.rows for send, _ in row}
    return lengths.pop() if len(lengths) == 1 else None


@dataclass(frozen=True)
class DisjointViews:
    """The engine for views that never overlap: delta is 1."""

    users: int
    inputs: int

    @property
    def name(self) -> str:
        """The name of the engine in messages."""
        return "disjoint views"

    @property
    def is_exact(self) -> bool:
        """True: work that is too large is refused when the engine is made."""
        return True

    @property
    def ratio_bits(self) -> int:
        """There is no finite likelihood ratio."""
        return 1

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the event 'the total is that of the larger data set', with probabilities 1 and 0."""
        rest = (0,) * (self.inputs - 1)
        return WorstEvent((self.users, *rest), (self.users - 1, *rest), Fraction(1), Fraction(0))

    def enclosed_worst(self, exp_eps: Real | None, relative_bits: int) -> None:
        """Exact masses are within reach wherever this engine starts."""
