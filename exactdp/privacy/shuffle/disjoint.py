"""Add or remove one user when every user sends the same number of messages: the total gives it away.

The larger data set shows n c messages and the smaller one (n - 1) c, so for c >= 1 the two views have disjoint supports
and delta is 1 for every eps, whatever the randomizer. There is nothing to search.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.laws.finite import Law
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.privacy.engine import Engine, NoisePairs, WorstEvent

if TYPE_CHECKING:
    from concurrent.futures import Executor


def messages_of_every_user(randomizer: Randomizer) -> int | None:
    """Return the number of messages that every user sends with certainty, or None where it varies."""
    lengths = {len(send) for row in randomizer.rows for send, _ in row}
    return lengths.pop() if len(lengths) == 1 else None


@dataclass(frozen=True, eq=False)
class DisjointViews(Engine):
    """The engine for views that never overlap: delta is 1."""

    users: int
    inputs: int

    name = "disjoint views"
    method = "sees that the number of messages gives the data set away"
    ratio_bits = 1
    """There is no finite likelihood ratio."""

    @property
    def noise_pairs(self) -> NoisePairs:
        """The pair of the totals: a constant against another."""
        return NoisePairs(Law({0: 1}), (1,))

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the event 'the total is that of the larger data set', with probabilities 1 and 0."""
        rest = (0,) * (self.inputs - 1)
        return WorstEvent((self.users, *rest), (self.users - 1, *rest), Fraction(1), Fraction(0))
