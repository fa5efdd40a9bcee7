"""One message that moves between two bins which users flood with random numbers of uniform messages: exact at any n.

Users send their own messages, which are functions of their inputs, and numbers of noise messages that do not depend on
anything. The data sets are known but for one user, so their own messages are a constant; what is left is that user's
message among the noise of all n users, himself included. Of a noise message only matters whether it is in the first
bin, the second or elsewhere; how many are elsewhere tells nothing beside how many are in the two bins, given which each
of them is in either with chance 1/2, independently. So delta of *every* pair of data sets in which one user moves from
one bin to another is that of :mod:`exactdp.protocols.flooded.flooded_bins` with J the number of noise messages in
the two bins, which has a law of the family of one user's number (:mod:`exactdp.laws.counting_laws`).

*Blocks.* If the own message is uniform over s bins of the input, and the sets of different inputs are disjoint, the
place within its block is, for every message of a block, own or noise, uniform and independent of all else: it tells
nothing. So blocks take the place of bins, and a noise message hits one with chance s over the number of bins.

One message that is in one of two bins, beside a random number of noise messages: its divergence at any E.

J noise messages are in the two bins, each in either with chance 1/2, and the law of J does not depend on where the
message is. So with h of :mod:`exactdp.privacy.amplification.moved_message` at t = 1/2,

    delta = sum over j of P[J = j] h(j),

and both orders are one by symmetry. h(j) is at most 1, and it falls in j: one more noise message is a channel. So
outside a window the sum is at most P[J below it] plus P[J above it] times the h at its end.

The weights walk: P[J = j+1] = P[J = j] c (a + b j)/(j + 1) for a binomial law (a = its trials, b = -1, c = p/(1-p)), a
Poisson law (a = 1, b = 0, c = its mean) and a negative binomial one (a = r, b = 1, c = p).

*Infinite E.* What only the first place of the message can bring about is that the second bin is empty: E[2^-J].

Source: LiLiuFengHuangHuLiuRenQin2020, the protocol pureDUMP (of a fixed number, while the theorem is this package's);
BalleBellGasconNissim2019, Theorem 5.1 (of one number of messages).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final

from flint import acb, arb

from exactdp.errors import TooLargeError
from exactdp.laws.counting_laws import Counting
from exactdp.laws.law_balls import EnclosedBinomial, EnclosedNegativeBinomial, EnclosedPoisson
from exactdp.numbers.balls import enclose_real, enclosed, interval_of, precision, rational_ball, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.moved_message import LONGEST, tilt, walked_mean
from exactdp.privacy.engine import DataSet, Enclosed, both_orders

NoiseBalls = EnclosedBinomial | EnclosedPoisson | EnclosedNegativeBinomial

_TRIALS: Final = 6
"""Precisions and windows tried: each doubles what was spare."""

_BOUND_BITS: Final = 96
"""Precision of a bound that decides nothing near it."""

_SHOWN_BITS: Final = 16
"""Bits that are kept of it."""

_HALF: Final = Fraction(1, 2)
_REFUSAL: Final = (
    "the probabilities of this view are enclosed, not built. Ask for delta and epsilon, which enclose them."
)


@dataclass(frozen=True, slots=True)
class FloodedMessage:
    """A message in one of two bins among J noise messages: J has a law, or is the number ``law``."""

    law: NoiseBalls | int
    deviation: Fraction
    """At least the standard deviation of J, about."""

    @classmethod
    def among(cls, noise: Counting) -> FloodedMessage:
        """The message among numbers of noise messages with a law."""
        if noise.enclosed is None:
            assert noise.high is not None
            return cls(noise.high, Fraction(0))
        assert isinstance(noise.variance, Fraction)
        return cls(noise.enclosed, Fraction(isqrt(noise.variance.__ceil__()) + 1))

    def divergence(self, exp_eps: Real | None, *, relative_bits: int) -> Interval:
        """Enclose delta to a relative width of 2**-relative_bits; ``exp_eps`` None stands for infinity.

        Raises:
            TooLargeError: where more than 2^17 numbers of noise messages matter.

        Cost: 5 ms where a thousand noise messages are in the two bins, 0.1 s where a million are.
        """
        if exp_eps is None:
            return enclosed(self._limit, relative_bits, lost_bits=64)
        spare = 64
        for _ in range(_TRIALS):
            level = enclose_real(exp_eps, relative_bits=relative_bits + spare)
            with precision(relative_bits + spare + 2 * self._largest.bit_length()):
                ball = self._ball(level.lo, level.hi, relative_bits + spare)
                if ball.rel_accuracy_bits() > relative_bits:
                    return interval_of(ball, relative_bits)
            spare *= 2
        raise TooLargeError(f"{relative_bits} bits of a divergence below 2^-{spare} are out of reach. Ask for fewer.")

    def bound(self, exp_eps: Real) -> Interval:
        """Return an interval whose upper end delta does not exceed, however many noise messages matter.

        h(j) <= A r^(j+1) with the A and r of the other module, so delta <= A r E[r^J].
        """
        with precision(_BOUND_BITS + 2 * self._largest.bit_length()):
            lam, ratio = tilt(_HALF, enclose_real(exp_eps, relative_bits=_BOUND_BITS).lo)
            mean = ratio**self.law if isinstance(self.law, int) else self.law.value(acb(ratio.log())).real
            most = (ratio * mean / (arb(1).exp() * lam)).abs_upper().min(arb(1))
            return Interval(Dyadic.of(0), interval_of(most, _SHOWN_BITS).upper)

    @property
    def _largest(self) -> int:
        return self.law if isinstance(self.law, int) else self.law.mean.__ceil__()

    def _limit(self) -> arb:
        if isinstance(self.law, int):
            return arb(2) ** -self.law
        return self.law.value(-acb(2).log()).real

    def _ball(self, low: Fraction, high: Fraction, bits: int) -> arb:
        if isinstance(self.law, int):
            return walked_mean([arb(1)], self.law, _HALF, low, high)
        start, end = self._window(self.law, bits)
        total = walked_mean(_weights(self.law, start, end), start, _HALF, low, high)
        beyond = arb(0) if end == self.law.high else self.law.sf(end) * walked_mean([arb(1)], end, _HALF, low, high)
        before = self.law.cdf(start - 1) if start else arb(0)
        return total + arb(0).union((beyond + before).abs_upper())

    def _window(self, law: NoiseBalls, bits: int) -> tuple[int, int]:
        """Return the numbers of noise messages that are added up."""
        reach = (self.deviation * (isqrt(2 * bits) + 1)).__ceil__()
        spread = 1 + (self.deviation**2 / max(law.mean, Fraction(1))).__ceil__()  # a geometric tail is so much longer
        start = max(0, law.mean.__floor__() - reach)
        end = law.mean.__ceil__() + reach + bits * spread
        end = end if law.high is None else min(end, law.high)
        if end - start > LONGEST:
            raise TooLargeError(
                f"{about(end - start)} numbers of noise messages in two bins matter, more than the limit of {LONGEST}. "
                "Use less noise."
            )
        return start, end


def _weights(law: NoiseBalls, start: int, end: int) -> Iterator[arb]:
    """Yield P[J = j] for j from ``start`` to ``end``."""
    grows, slope, factor = _walk(law)
    weight = law.pmf(start)
    for j in range(start, end + 1):
        yield weight
        weight = weight * (grows + slope * j) * factor / (j + 1)


def _walk(law: NoiseBalls) -> tuple[arb, int, arb]:
    """Return a, b and c of the weights."""
    match law:
        case EnclosedBinomial():
            return arb(law.n), -1, rational_ball(law.p / (1 - law.p))
        case EnclosedPoisson():
            return arb(1), 0, real_ball(law.mu)
        case EnclosedNegativeBinomial():
            return real_ball(law.r), 1, real_ball(law.p)


def flooded_bins(noise: Counting, first: DataSet, second: DataSet) -> Enclosed:
    """Return the engine for a message that moves between two bins; ``noise`` is the law of the noise in both."""
    message = FloodedMessage.among(noise)

    def enclose(exp_eps: Real | None, relative_bits: int) -> tuple[Interval, int]:
        """Between 0 and a bound where more than 2^17 numbers of noise messages matter."""
        try:
            return message.divergence(exp_eps, relative_bits=relative_bits), 0
        except TooLargeError:
            assert exp_eps is not None
            return message.bound(exp_eps), 0

    method, pairs = "reduces two bins to one message among the noise that hits them", both_orders(first, second)
    return Enclosed("flooded bins", method, enclose, pairs, __name__, _REFUSAL)
