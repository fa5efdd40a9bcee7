"""From the definition of a profile to the ordered pairs whose runs are composed.

A mechanism is a set of ordered pairs, both orders of every neighbouring pair. It is reduced to pairs that dominate
all others (:mod:`exactdp.composition.law_pairs`), where these are few enough to be listed:

* one count plus lattice noise: the largest shift, in both orders. For E >= 1 neither order's divergence falls as the
  shift grows (:mod:`exactdp.privacy.half_lines`), and H_E(P || Q) = 1 - E + E H_1/E(Q || P) says the same for E < 1.
  Of symmetric noise one order is the mirror image of the other;
* two bins of a histogram: the first one's count falls and the second one's rises, independently. This is a product of
  both orders of one bin, and exchanging the bins gives the other order: each run counts as two;
* finite noise, one pair of data sets, and small protocols: all pairs, exactly.

**From the profile alone.** Elsewhere the reduction is to one pair that need not occur. The least delta D(E) of all
pairs in both orders is convex, D(0) = 1 and D(E) = 1 - E + E D(1/E). So the polygon through its values at 0, at points
E_1 < ... < E_m of at least 1 and at their inverses, constant beyond E_m, is nowhere below it: it is the divergence of
the pair with Q-mass c_i at ratio E_i and P-mass c_i at 1/E_i, where c_i is the change of slope at E_i, with P[Q = 0] =
D(E_m), and with the rest at ratio 1. It dominates every pair; a pair that attains the composed delta may not exist, and
real pairs that are worst at some E bound it from below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final

from exactdp.composition.law_pairs import FinitePair, Pair, PolygonPair, WindowPair
from exactdp.engines.engine import DataSet, NoisePairs
from exactdp.engines.planner import ShufflePairs, Source, ViewPairs, engine_of
from exactdp.engines.view_law import view_law
from exactdp.errors import TooLargeError
from exactdp.kernel.balls import enclose_real
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.real import Real

_LISTED: Final = 400
"""Lattice noise of so few outcomes is a finite law, and composes exactly where that is small."""

_PAIRS: Final = 1024
"""Most ordered pairs of data sets that are listed: each is compared with those that are kept."""
_WORK: Final = 2 * 10**5
"""Most pairs times outcomes that are listed."""

_KEPT: Final = 64
"""Most pairs that may be left."""

_VALUE_BITS: Final = 96
"""Values of a profile are rounded up to so many bits, far below the width of a bracket."""

_FAR_BITS: Final = 200
"""A profile below 2 to minus this is negligible for a bracket that begins with 256 bits."""

_COARSE_POINTS: Final = 48
"""Points of a profile for a first look at its losses."""

_FINE_POINTS: Final = 256
"""Most points of a profile: each is a search for the worst pair."""

_LARGEST_EPS: Final = 2**12
"""Profiles are not followed beyond this eps."""

_LEVEL_BITS: Final = 40
"""Points need not be exact, but short."""

_VIEW_OUTCOMES: Final = 2**23
"""Most users times outcomes of a data set that bounds from below are computed with."""


class Mechanism(ABC):
    """What is run again and again, by pairs that dominate all its others."""

    __slots__ = ()
    pairs: tuple[Pair, ...] | None
    """The pairs, if they are real and few; each run is one of them."""

    @abstractmethod
    def attains(self, notion: str) -> bool:
        """Whether real pairs alone attain the composed delta under a notion of composition."""

    @abstractmethod
    def dominating_pairs(self, step: Fraction | None) -> tuple[Pair, ...]:
        """Return pairs that dominate all others, by points about ``step`` of eps apart; None for a first look."""

    @abstractmethod
    def real_pairs(self, levels: Iterable[Fraction]) -> tuple[Pair, ...]:
        """Return real pairs that may be worst at these e^eps; none where they are too long."""


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

    def dominating_pairs(self, step: Fraction | None) -> tuple[Pair, ...]:
        """Return all pairs."""
        return self.pairs

    def real_pairs(self, levels: Iterable[Fraction]) -> tuple[Pair, ...]:
        """Return all pairs."""
        return self.pairs


@dataclass(frozen=True, slots=True)
class DominatedByProfile(Mechanism):
    """A mechanism whose pairs are too many, by its profile (module docstring)."""

    source: Source

    pairs = None

    def attains(self, notion: str) -> bool:
        """Whether real pairs attain it: none is known to."""
        return False

    def dominating_pairs(self, step: Fraction | None) -> tuple[Pair, ...]:
        """Return one pair, from points of the profile: few for a first look."""
        return (self.dominating(_COARSE_POINTS if step is None else self.points(step, _FINE_POINTS)),)

    def real_pairs(self, levels: Iterable[Fraction]) -> tuple[Pair, ...]:
        """Return pairs of data sets, each worst at one of the levels."""
        return tuple(dict.fromkeys(pair for level in levels for pair in self.real(level)))

    def dominating(self, points: int) -> PolygonPair:
        """Return a pair that dominates all, from the profile at about so many points."""
        return _polygon_pair(self.source, points)

    def points(self, step: Fraction, most: int) -> int:
        """Return how many points are ``step`` of eps apart, at most ``most``."""
        return max(1, min(most, (_last_eps(self.source) / step).__ceil__()))

    def real(self, exp_eps: Fraction) -> tuple[FinitePair, ...]:
        """Return both orders of a pair of data sets that is worst at ``exp_eps``; none where its law is too long."""
        return _worst_pairs(self.source, exp_eps)


@lru_cache(maxsize=64)
def mechanisms_of(source: Source) -> tuple[Mechanism, ...]:
    """Return the mechanisms whose product is one run."""
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
    return _undominated(listed) if len(listed) == len(pairs) else tuple(pairs)


def _orders(noise: Law | LatticeLaw, shift: int) -> tuple[Pair, Pair]:
    """Return the noise against the noise shifted, and the converse: exactly where the noise has few outcomes."""
    law = noise.lattice
    if law is not None and law.has_constant_ratios and law.is_exact and shift <= _LISTED:
        return _geometric_orders(law, shift)
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


def _shifted(noise: Law, shift: int) -> tuple[FinitePair, FinitePair]:
    moved = noise.map(lambda t: t + shift)
    return FinitePair.of(noise, moved), FinitePair.of(moved, noise)


def _undominated(pairs: Iterable[FinitePair]) -> tuple[FinitePair, ...]:
    """Return pairs that dominate all, none of which dominates another; of none at all, two equal laws."""
    kept: list[FinitePair] = []
    for pair in dict.fromkeys(pairs):
        if not any(other.dominates(pair) for other in kept):
            kept = [other for other in kept if not pair.dominates(other)] + [pair]
    return tuple(kept) or (FinitePair(((1, 1),), 0, 1),)


# --- shuffled views ---------------------------------------------------------------------------------------------------


def _of_views(source: Source) -> Mechanism:
    """Return all pairs of data sets where they are few, else the profile."""
    if not isinstance(source, ViewPairs):  # the number of users is random
        return DominatedByProfile(source)
    few = source.few_pairs(_PAIRS, _WORK)
    if few is not None:
        kept = _undominated(pair for sides in few for pair in _both_orders(source, *sides))
        if len(kept) <= _KEPT:
            return DominatedByPairs(kept)
    return DominatedByProfile(source)


def _both_orders(source: ViewPairs, first: DataSet, second: DataSet) -> Iterator[FinitePair]:
    laws = _view(source, first), _view(source, second)
    yield FinitePair.of(*laws)
    yield FinitePair.of(*laws[::-1])


@lru_cache(maxsize=2048)
def _view(source: ViewPairs, data_set: DataSet) -> Law:
    return view_law(source.table, data_set)


# --- from the profile -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _polygon_pair(source: Source, points: int) -> PolygonPair:
    """Return the pair of the polygon through the profile at points evenly spaced in eps."""
    last = _last_eps(source)
    levels = [level_near(last * Fraction(i, points)) for i in range(points + 1)]
    values = [_value(source, level) for level in levels]
    slopes = [(values[i + 1] - values[i]) / (levels[i + 1] - levels[i]) for i in range(points)]
    changes = [max(Fraction(0), after - before) for before, after in pairwise([*slopes, Fraction(0)])]
    masses = [(level * change, change) for level, change in zip(levels[1:], changes, strict=True) if change]
    masses += [(q, p) for p, q in masses]
    rest = max(Fraction(0), 1 - values[-1] - sum((p for p, _ in masses), Fraction(0)))
    return PolygonPair((*masses, (rest, rest), (values[-1], Fraction(0))))


def level_near(eps: Fraction) -> Fraction:
    """Return a short number near e^eps, at least 1."""
    return enclose_real(Real.exp(eps), relative_bits=_LEVEL_BITS).upper.fraction() if eps else Fraction(1)


def _value(source: Source, exp_eps: Fraction) -> Fraction:
    """Return a short upper bound of the profile at ``exp_eps``."""
    return engine_of(source).upper_bound(exp_eps, _VALUE_BITS).fraction()


@lru_cache(maxsize=64)
def _last_eps(source: Source) -> Fraction:
    """Return an eps from which on the profile is about at its limit, or negligible."""
    engine, eps = engine_of(source), Fraction(1, 8)
    direct = engine.enclosed(None, _VALUE_BITS)
    limit = engine.worst(None).mass_first if direct is None else direct.delta.upper.fraction()
    least = limit * (1 + Fraction(1, 2**20)) + Fraction(1, 2**_FAR_BITS)
    while eps < _LARGEST_EPS and _value(source, level_near(eps)) > least:
        eps *= 2
    return eps


def _worst_pairs(source: Source, exp_eps: Fraction) -> tuple[FinitePair, ...]:
    """Return both orders of a worst pair of data sets."""
    if not isinstance(source, ShufflePairs):
        return ()
    if engine_of(source).is_bracket or source.outcomes * source.users > _VIEW_OUTCOMES:
        return ()
    enclosed = engine_of(source).enclosed(Real(exp_eps), _VALUE_BITS)
    event = engine_of(source).worst(exp_eps) if enclosed is None else enclosed
    return tuple(_both_orders(source, event.first, event.second))
