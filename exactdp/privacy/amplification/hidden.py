"""One message that hides among dummies: what it still tells, when others add messages that do not depend on the data.

Each of n users has k slots, and each slot holds the dummy m with probability v(m), independently, or is empty
(:mod:`exactdp.mechanisms.dummies`). The user who differs sends one more message, of law P or Q; write mu = P - E Q.
Publish what all others send beside their dummies. What is left is that one message among nk slots whose law does not
depend on the data: this is a data set of N = nk + 1 users with one message each, of whom N - 1 all hold an input with
the row v, and 'no message' with probability 1 - |v|. For these the divergence is, exactly,

    sum over v(m) = 0 of max(0, mu(m)) + U_N(mu/v),         U_N(L) = E[max(0, L_1 + ... + L_N)]/N,

L = mu(m)/v(m) with probability v(m), else 0 (the lower end of :mod:`exactdp.privacy.amplification.amplification`).

*Exact.* Where everybody's own message is a function of the input, publishing those of the others tells nothing: the
data sets are known but for one user, so their messages are a constant. Then this is the divergence of *every* pair of
data sets in which that user changes from P to Q, whatever the others hold. Between two bins it is added up over the
number of messages in them (:mod:`exactdp.privacy.amplification.moved_message`) where these are not too many.

*Upper end.* Where the own messages are random the same is an upper bound. It falls if some of them are dummies as well:
with g v(m) <= R_x(m) for all m and x, another user's own message is, with probability g, a draw from v/|v|, and else
from what is left of R_x; publish the latter only. If no slot is empty (|v| = 1) the number of dummies is nk + B with
B = Bin(n - 1, g), which tells nothing about the data, so the bound is the mean of U_{nk+1+B}. If slots may be empty and
v(m) <= R_x(m) throughout, each other user's own message is one more slot: N = nk + n.

*Steps.* U_N falls in N, because n + 1 copies have the mean of what n of them have, and max(0, .) is convex. So with
places 0 = b_0 < b_1 < ... the mean over B is at most the sum of P[b_i <= B < b_(i+1)] U_{N + b_i}. Few places lie
around the mean of B; of few users all numbers are taken.

The formula is proved in :mod:`exactdp.privacy.amplification.amplification`.

Source: BalleBellGasconNissim2019, Theorem 5.1 (the blanket).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final

from exactdp.errors import TooLargeError
from exactdp.laws.binomial import Binomial
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound
from exactdp.privacy.amplification.guesses import log_divergence
from exactdp.privacy.amplification.moved_message import MovedMessage
from exactdp.privacy.amplification.positive_part import Mixture

_LISTED: Final = 16
"""With no more other users all numbers of dummies among their own messages are taken one by one."""

_STEPS: Final = (-10, -6, -4, -3, -2, -1, 0, 1)
"""Where the steps begin, in deviations from the mean: each costs one enclosure. Half a deviation is lost, and below the
first one only the slots count, with a probability of about 1e-23."""

_STEP_BITS: Final = 10
"""Accuracy of the terms: far finer than the steps. It is one for all questions, so that the bound is one number."""

_CHANCE_BITS: Final = 128
"""Accuracy of tails of B, of which the least have some 80 bits."""


@dataclass(frozen=True, slots=True)
class Hidden(MadeBound):
    """What bounds the divergence of one message among dummies; with ``share`` 0 and fixed messages it is that."""

    mixture: Mixture
    """The divergence as a function of the number of slots: its atoms have the probabilities v."""
    slots: int
    """k."""
    share: Fraction
    """g: how likely another user's own message is a dummy as well; 1 where it is one more slot."""

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound with n = ``users``, to a relative width of 2**-relative_bits."""
        copies = self._least(users)
        if not self.share and (moved := MovedMessage.of(self.mixture)) is not None:
            with suppress(TooLargeError):
                return moved.divergence(copies - 1, exp_eps, relative_bits=relative_bits)
        if self.share in (0, 1):
            return self.mixture.divergence(copies, exp_eps, relative_bits=relative_bits)
        total = Fraction(0)
        for more, chance in self._steps(users - 1):
            value = self.mixture.divergence(copies + more, exp_eps, relative_bits=_STEP_BITS)
            total += chance * value.hi
        return Interval.around(total, relative_bits=relative_bits)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed, fast."""
        return self.mixture.bound(self._least(users), exp_eps)

    def limit(self, users: int) -> Fraction:
        """Return the divergence at infinite E, or a smaller number."""
        return self.mixture.limit(self._least(users))

    def exceeds_limit(self, users: int) -> bool:
        """Whether ``limit`` is a smaller number."""
        return self.mixture.exceeds_limit(self._least(users))

    def settled(self, users: int) -> Fraction:
        """Return an E from which on the divergence is at most ``limit``, if that is not a smaller number."""
        more = users - 1 if 0 < self.share < 1 else 0
        return self.mixture.settled(self._least(users) + more)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose the bound at infinite E of the slots alone."""
        return self.mixture.limit_enclosed(self._least(users), relative_bits)

    @property
    def limit_at_most(self) -> Fraction:
        """A number that the bound at infinite E does not exceed for any n."""
        return self.mixture.limit_at_most

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        middle = 0 if self.share == 1 else int(self.share * (users - 1))
        return log_divergence(self.mixture, self._least(users) + middle, exp_eps)

    def _least(self, users: int) -> int:
        """Return how many copies there are at least."""
        return users * self.slots + 1 + (users - 1 if self.share == 1 else 0)

    def _steps(self, others: int) -> list[tuple[int, Fraction]]:
        """Return places of B, each with at least the probability of lying between it and the next one."""
        law = Binomial(others, self.share)
        if others <= _LISTED:
            return [(b, law.exact_pmf(b)) for b in range(others + 1)]
        mean, deviation = int(law.mean), isqrt(int(law.variance)) + 1
        places = [0, *(b for step in _STEPS if 0 < (b := mean + step * deviation) <= others)]
        below = [law.cdf(place - 1, relative_bits=_CHANCE_BITS) for place in places[1:]]
        least = [Fraction(0), *(cdf.lo for cdf in below)]
        most = [*(cdf.hi for cdf in below), Fraction(1)]
        return [(place, high - low) for place, low, high in zip(places, least, most, strict=True)]
