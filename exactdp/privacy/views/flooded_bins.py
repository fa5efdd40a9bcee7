"""One message that moves between two bins which users flood with random numbers of uniform messages: exact at any n.

Users send their own messages, which are functions of their inputs, and numbers of noise messages that do not depend on
anything. The data sets are known but for one user, so their own messages are a constant; what is left is that user's
message among the noise of all n users, himself included. Of a noise message only matters whether it is in the first
bin, the second or elsewhere; how many are elsewhere tells nothing beside how many are in the two bins, given which each
of them is in either with chance 1/2, independently. So delta of *every* pair of data sets in which one user moves from
one bin to another is that of :mod:`exactdp.privacy.views.flooded_message` with J the number of noise messages in
the two bins, which has a law of the family of one user's number (:mod:`exactdp.laws.counting_laws`).

*Blocks.* If the own message is uniform over s bins of the input, and the sets of different inputs are disjoint, the
place within its block is, for every message of a block, own or noise, uniform and independent of all else: it tells
nothing. So blocks take the place of bins, and a noise message hits one with chance s over the number of bins.

Source: LiLiuFengHuangHuLiuRenQin2020, the protocol pureDUMP (of a fixed number, while the theorem is this package's).
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from exactdp.errors import TooLargeError
from exactdp.laws.counting_laws import Counting
from exactdp.numbers.real import Real
from exactdp.privacy.engine import DataSet, EnclosedWorst, Engine, Work, WorstEvent
from exactdp.privacy.views.flooded_message import FloodedMessage


@dataclass(frozen=True, eq=False)
class FloodedBins(Engine):
    """The engine for a message that moves between two bins; ``noise`` is the law of the noise messages in both."""

    noise: Counting
    first: DataSet
    second: DataSet

    name = "flooded bins"
    method = "reduces two bins to one message among the noise that hits them"
    is_exact = False
    encloses_faster = True
    ratio_bits = 1
    """Nothing is exact."""

    refusal = "the probabilities of this view are enclosed, not built. Ask for delta and epsilon, which enclose them."

    @property
    def work(self) -> Work:
        """The two orders, which are one by symmetry; tails are read, and no outcomes are visited."""
        return Work(2)

    @property
    def message(self) -> FloodedMessage:
        """The message among the noise."""
        law = self.noise.enclosed
        if law is None:
            assert self.noise.high is not None
            return FloodedMessage(self.noise.high, Fraction(0))
        variance = self.noise.variance
        assert isinstance(variance, Fraction)
        return FloodedMessage(law, Fraction(isqrt(variance.__ceil__()) + 1))

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Refuse: masses are enclosed."""
        raise TooLargeError(self.refusal)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> EnclosedWorst:
        """Enclose delta; between 0 and a bound where more than 2^17 numbers of noise messages matter.

        ``exp_eps`` None stands for infinity.
        """
        message = self.message
        try:
            delta = message.divergence(exp_eps, relative_bits=relative_bits)
        except TooLargeError:
            assert exp_eps is not None
            delta = message.bound(exp_eps)
        return EnclosedWorst(self.first, self.second, delta)
