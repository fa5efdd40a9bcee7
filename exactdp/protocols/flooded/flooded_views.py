"""Views of flooding: own messages, and as many uniform ones as the law of all users' noise says."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactdp.errors import TooLargeError
from exactdp.laws.counting_laws import Counting
from exactdp.laws.noise import MAX_COUNT, Counts, draw_noise
from exactdp.numbers.formats import about

_MOST_BINS = 10**7
"""More counts of one view are not drawn: a second."""


@dataclass(frozen=True, slots=True, eq=False)
class FloodedViews:
    """``users`` hold each input and send it with probability ``own``, else a uniform one; ``noise`` floods all bins."""

    users: Counts
    own: float
    special: int
    bins: int
    noise: Counting
    nearest: bool

    @classmethod
    def of(
        cls, users: Counts, own: Fraction, special: int, bins: int, noise: Counting, *, nearest: bool
    ) -> FloodedViews:
        """Return the plan; refused where a view is too long, or a parameter is no float."""
        if bins > _MOST_BINS or int(users.sum()) > MAX_COUNT:
            raise TooLargeError(
                f"a view of {about(bins)} bins and {about(int(users.sum()))} users is beyond the limits of "
                f"{_MOST_BINS} bins and 2^53 users. Use fewer."
            )
        draw_noise(noise, nearest=nearest)  # refuses what cannot be drawn, before anything is drawn
        return cls(users, float(own), special, bins, noise, nearest)

    @property
    def columns(self) -> int:
        """Counts in one view: the bins."""
        return self.bins

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """Return ``size`` views, one in each row."""
        kept = rng.binomial(self.users, self.own, (size, len(self.users)))
        views = np.zeros((size, self.bins), np.int64)
        width = len(self.users) * self.special
        even = np.full(self.special, 1 / self.special)
        views[:, :width] = rng.multinomial(kept, even).reshape(size, width) if self.special > 1 else kept
        rest = self.users.sum() - kept.sum(axis=1) + draw_noise(self.noise, nearest=self.nearest)(rng, size)
        views += rng.multinomial(rest, np.full(self.bins, 1 / self.bins))
        return views
