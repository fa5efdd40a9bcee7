"""The plan of split and mix: every share of every user, drawn as a uniform residue; no probability of it is rounded.

Where users add noise to their inputs, each draws his share of it first, the difference of two numbers of one law.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from exactdp.errors import TooLargeError
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.noise import Counts, Draw, draw_noise
from exactdp.numbers.formats import short

_MAX_SHARES: Final = 5 * 10**7
"""Most shares of one draw: 400 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """n users with the inputs ``held``, a count for each residue, who send ``messages`` shares each."""

    held: Counts
    messages: int
    noise: Draw | None = None
    """How the two numbers of a user's noise are drawn."""

    @classmethod
    def of(cls, held: Counts, messages: int, noise: Draw | None = None) -> Shares:
        """Return the plan, or refuse more shares than fit into memory."""
        if int(held.sum()) * messages > _MAX_SHARES:
            raise TooLargeError(
                f"n={short(int(held.sum()))} users send more than the limit of {_MAX_SHARES} shares. Use fewer users; "
                "for a small modulus, ShuffleProtocol(protocol.randomizer, n) draws any number of them."
            )
        return cls(held, messages, noise)

    @classmethod
    def of_noisy(cls, held: Counts, messages: int, share: LatticeLaw, *, nearest: bool) -> Shares:
        """Return the plan of users who add noise to what they hold: the difference of two numbers of this law."""
        return cls.of(held, messages, draw_noise(share, nearest=nearest))

    @property
    def columns(self) -> int:
        """Counts in one view: how often each residue was sent."""
        return len(self.held)

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        inputs = np.repeat(np.arange(self.columns), self.held)
        counts = np.empty((size, self.columns), np.int64)
        for row in counts:
            shares = rng.integers(0, self.columns, (self.messages - 1, len(inputs)))
            noisy = inputs
            if self.noise is not None:
                noisy = inputs + self.noise(rng, len(inputs)) - self.noise(rng, len(inputs))
            last = (noisy - shares.sum(axis=0)) % self.columns
            row[:] = np.bincount(shares.ravel(), minlength=self.columns)
            row += np.bincount(last, minlength=self.columns)
        return counts
