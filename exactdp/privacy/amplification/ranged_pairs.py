"""The pairs of the clipped discrete Laplace with too many inputs: no two are alike, and each has a class per message.

*Upper end.* The randomizer alone is eps0-DP, so what bounds every such randomizer bounds it: the stronger clones of
the two inputs.

*Lower ends.* If the observer is told only the range in which each message lies, some sixteen of them, he sees less, and
what he sees of others who all hold one input is a shuffle of few messages, with its exact divergence.

Source: FeldmanMcMillanTalwar2023, Theorem 3.2 (stronger clones, as printed in secondary sources).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from exactdp.caching import cached_property
from exactdp.mechanisms.any_randomizer_family import AnyRandomizer
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.numbers.epsilon import LogRational
from exactdp.privacy.amplification.input_pairs import CLONES, Candidate, InputPairs, blanket_mixture
from exactdp.privacy.amplification.positive_part import Mixture

_RANGES: Final = 16
"""Ranges that are told apart: the ratio of two rows changes by the sixteenth root of e^eps0 in each."""

_LONGEST_TOP: Final = 2000
"""The probabilities of longer ranges have more than 10^5 bits: no lower end but 0 is then known."""

_FAMILY_BITS: Final = 64
"""An irrational e^eps0 is rounded up to so many bits."""


@dataclass(frozen=True, slots=True)
class RangedCandidate(Candidate):
    """A pair of inputs beside others who hold one, where only ranges of messages are told."""

    is_attained: ClassVar[bool] = False
    way: ClassVar[str] = "by an event of ranges of messages"

    def swapped(self) -> RangedCandidate:
        """Return the candidate with the two inputs of the user who differs exchanged."""
        plain = Candidate.of(self.table.swapped(), self.weights)
        return RangedCandidate(plain.table, plain.weights, plain.mixture)


@dataclass(frozen=True)
class RangedPairs(InputPairs):
    """All pairs of inputs by the clones, a few by ranges of messages."""

    family: ClippedDiscreteLaplace

    @property
    def labels(self) -> tuple[Any, ...]:
        """The two ends and the middle."""
        return 0, self.family.top, self.family.top // 2

    @property
    def theorem(self) -> str:
        """What proves the upper end."""
        return CLONES

    @property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """The local eps, twice."""
        eps = self.family.local_epsilon()
        assert isinstance(eps, LogRational)
        return eps, eps

    @cached_property
    def blankets(self) -> tuple[Mixture, ...]:
        """What bounds the divergence of each ordered pair."""
        every = AnyRandomizer(exp_eps0=self.family.exp_eps0).at_least(_FAMILY_BITS)
        return tuple(map(blanket_mixture, every.pair_tables()))

    @cached_property
    def _ranged(self) -> tuple[RangedCandidate, ...]:
        ranges = _RANGES if self.family.top <= _LONGEST_TOP else 1
        table = self.family.ranged_table(0, self.family.top, self.labels, ranges)
        candidates = (Candidate.homogeneous(table, place) for place in range(len(self.labels)))
        return tuple(RangedCandidate(one.table, one.weights, one.mixture) for one in candidates)

    def candidates(self, users: int, size: int) -> Sequence[RangedCandidate]:
        """Return the pair of the two ends, beside each input that is named."""
        return self._ranged
