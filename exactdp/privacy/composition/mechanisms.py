"""From the definition of a profile to the ordered pairs whose runs are composed.

A mechanism is a set of ordered pairs, both orders of every neighbouring pair. It is reduced to pairs that dominate
all others (:mod:`exactdp.privacy.composition.law_pairs`), where these are few enough to be listed:

* one count plus lattice noise: the largest shift, in both orders. For E >= 1 neither order's divergence falls as the
  shift grows (:mod:`exactdp.privacy.half_lines`), and H_E(P || Q) = 1 - E + E H_1/E(Q || P) says the same for E < 1.
  Of symmetric noise one order is the mirror image of the other;
* two bins of a histogram: the first one's count falls and the second one's rises, independently. This is a product of
  both orders of one bin, and exchanging the bins gives the other order: each run counts as two;
* what a protocol knows of its own runs (:class:`SourceOfRuns`), where the noise is not too wide to be listed;
* finite noise, one pair of data sets, small protocols, and tables of rational laws: all pairs, exactly.

**From the profile alone.** Elsewhere the reduction is to one pair that need not occur, and real pairs bound from below:
:mod:`exactdp.privacy.composition.profile_pairs`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from exactdp.errors import TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.privacy.composition.law_pairs import FinitePair, Pair, WindowPair, undominated
from exactdp.privacy.composition.profile_pairs import (
    Fineness,
    SourceOfRuns,
    both_orders,
    dominating_pair,
    first_grid,
    grid,
    real_pairs,
)
from exactdp.privacy.engine import NoisePairs
from exactdp.privacy.planner import Source, ViewPairs, engine_of

_LISTED: Final = 400
"""Lattice noise of so few outcomes is a finite law, and composes exactly where that is small."""

_PAIRS: Final = 1024
"""Most ordered pairs of data sets that are listed: each is compared with those that are kept."""
_WORK: Final = 2 * 10**5
"""Most pairs times outcomes that are listed."""

_KEPT: Final = 64
"""Most pairs that may be left."""


class Mechanism(ABC):
    """What is run again and again, by pairs that dominate all its others."""

    __slots__ = ()
    pairs: tuple[Pair, ...] | None
    """The pairs, if they are real and few; each run is one of them."""

    @property
    def widest_step(self) -> Fraction | None:
        """The widest step of points of which something is learnt; None where points are of no use."""
        return None

    @abstractmethod
    def attains(self, notion: str) -> bool:
        """Whether real pairs alone attain the composed delta under a notion of composition."""

    @abstractmethod
    def dominating_pairs(self, fineness: Fineness | None) -> tuple[Pair, ...]:
        """Return pairs that dominate all others, by points of some fineness; None for a first look."""

    @abstractmethod
    def real_pairs(self, fineness: Fineness) -> tuple[Pair, ...]:
        """Return real pairs that may be worst, or what is known of them; none where none is known."""

    @abstractmethod
    def is_finest(self, fineness: Fineness) -> bool:
        """Whether more points bring nothing, or would be too many."""


@dataclass(frozen=True, slots=True)
class DominatedByPairs(Mechanism):
    """A mechanism by real ordered pairs that dominate all its others.

    ``is_mixed`` states that another pair may be dominated only by several of them together: a mixture of inputs, whose
    runs on one data set are mixtures of products of different pairs.
    """

    pairs: tuple[Pair, ...]
    is_mixed: bool = False

    def attains(self, notion: str) -> bool:
        """Whether no strategy, and no mixture, does better than one choice of pairs for all runs."""
        return len(self.pairs) == 1 or notion == "non-adaptive" or (notion == "same data" and not self.is_mixed)

    def dominating_pairs(self, fineness: Fineness | None) -> tuple[Pair, ...]:
        """Return all pairs."""
        return self.pairs

    def real_pairs(self, fineness: Fineness) -> tuple[Pair, ...]:
        """Return all pairs."""
        return self.pairs

    def is_finest(self, fineness: Fineness) -> bool:
        """Always: points are of no use."""
        return True


@dataclass(frozen=True, slots=True)
class DominatedByProfile(Mechanism):
    """A mechanism whose pairs are too many, by its profile (module docstring)."""

    source: Source

    pairs = None

    @property
    def widest_step(self) -> Fraction:
        """That of a first look."""
        return first_grid(self.source).step

    def attains(self, notion: str) -> bool:
        """Whether real pairs attain it: none is known to."""
        return False

    def dominating_pairs(self, fineness: Fineness | None) -> tuple[Pair, ...]:
        """Return one pair, from points of the profile: from rough ones for a first look."""
        if fineness is None:
            return (dominating_pair(self.source, first_grid(self.source), is_rough=True),)
        return (dominating_pair(self.source, grid(self.source, fineness)),)

    def real_pairs(self, fineness: Fineness) -> tuple[Pair, ...]:
        """Return both orders of real pairs, about worst at the losses of one run that matter."""
        return real_pairs(self.source, fineness)

    def is_finest(self, fineness: Fineness) -> bool:
        """Whether the points are as many as there may be."""
        return grid(self.source, fineness).is_finest


class SourceOfMechanisms(Source):
    """A definition whose runs are made of mechanisms of its own."""

    __slots__ = ()

    @abstractmethod
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Return the mechanisms whose product is one run."""


@lru_cache(maxsize=64)
def mechanisms_of(source: Source) -> tuple[Mechanism, ...]:
    """Return the mechanisms whose product is one run."""
    if isinstance(source, SourceOfMechanisms):
        return source.mechanisms()
    if isinstance(source, SourceOfRuns):
        pairs = source.run_pairs()
        return (DominatedByPairs(pairs) if 0 < len(pairs) <= _KEPT else DominatedByProfile(source),)
    noise = engine_of(source).noise_pairs
    if noise is None:
        return (_of_views(source),)
    if noise.both_at_once:
        (shift,) = noise.shifts
        return tuple(DominatedByPairs((pair,)) for pair in _orders(noise.noise, shift))
    return (DominatedByPairs(_noise_pairs(noise), source.mixes_inputs),)


def _noise_pairs(noise: NoisePairs) -> tuple[Pair, ...]:
    """Return orders of shifts that dominate: of symmetric noise one of the two, which mirror each other."""
    law, shifts = noise.noise, noise.shifts
    if not law.largest_shift_is_worst and len(shifts) * len(law.law()) > _WORK:
        raise TooLargeError(
            f"composition: {len(shifts)} shifts of {len(law.law())} outcomes are more than the limit of {_WORK} "
            "together. Use a smaller shift."
        )
    pairs = [pair for shift in shifts for pair in _orders(law, shift)]
    if law.is_symmetric:
        return tuple(pairs[:1])
    listed = [pair for pair in pairs if isinstance(pair, FinitePair)]
    return undominated(listed) if len(listed) == len(pairs) else tuple(pairs)


def _orders(noise: Law | LatticeLaw, shift: int) -> tuple[Pair, Pair]:
    """Return the noise against the noise shifted, and the converse: exactly where the noise has few outcomes."""
    law = noise.lattice
    if law is not None and law.has_constant_ratios and law.is_exact and shift <= _LISTED:
        return _geometric_orders(law, shift)
    if law is not None and law.is_uniform:
        return _uniform_orders(law, shift)
    listed = noise.listed(_LISTED)
    if law is None or listed is not None:
        return _shifted(noise.law() if listed is None else listed, shift)
    return WindowPair(law, shift, False), WindowPair(law, shift, True)


def _geometric_orders(law: LatticeLaw, shift: int) -> tuple[FinitePair, FinitePair]:
    """Return the orders where the ratio is constant up to 0 and from ``shift`` on."""
    cells = [(law.exact_cdf(0), law.exact_cdf(-shift))]
    cells += [(law.exact_pmf(t), law.exact_pmf(t - shift)) for t in range(1, shift)]
    cells.append((law.exact_sf(shift - 1), law.exact_sf(-1)))
    first, second = (Law(dict(enumerate(side))) for side in zip(*cells, strict=True))
    return FinitePair.of(first, second), FinitePair.of(second, first)


def _uniform_orders(law: LatticeLaw, shift: int) -> tuple[FinitePair, FinitePair]:
    """Return the orders of equal weights: as many outcomes as the shift is long are of one law alone."""
    assert law.low is not None
    assert law.high is not None
    size = law.high - law.low + 1
    shared = max(0, size - shift)
    pair = FinitePair(((shared, shared),) if shared else (), size - shared, size)
    return pair, pair


def _shifted(noise: Law, shift: int) -> tuple[FinitePair, FinitePair]:
    moved = noise.map(lambda t: t + shift)
    return FinitePair.of(noise, moved), FinitePair.of(moved, noise)


# --- shuffled views ---------------------------------------------------------------------------------------------------


def _of_views(source: Source) -> Mechanism:
    """Return all pairs of data sets where they are few, else the profile."""
    if not isinstance(source, ViewPairs):  # the number of users is random
        return DominatedByProfile(source)
    few = source.few_pairs(_PAIRS, _WORK)
    if few is not None:
        kept = undominated((pair for sides in few for pair in both_orders(source, *sides)), _KEPT)
        if len(kept) <= _KEPT:
            return DominatedByPairs(kept)
    return DominatedByProfile(source)
