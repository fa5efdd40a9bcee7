"""How much work a reference computation may do, counted and not timed, so that a refusal is the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass


class TooManySteps(Exception):
    """The sums are longer than what was allowed."""


@dataclass(slots=True)
class Steps:
    """A number of steps, each a product that is added up, of which some are taken; some 3 microseconds each."""

    allowed: int
    taken: int = 0

    def take(self, steps: int) -> None:
        """Take so many more, before they are done; TooManySteps where they are not left."""
        self.taken += steps
        if self.taken > self.allowed:
            raise TooManySteps
