"""Pairs of data sets whose other users all hold one input, as curves: what is known of them at many E.

Where a bundle is one message, the divergence of such a pair is enclosed at every E, in both orders
(:mod:`exactdp.privacy.amplification.amplification`). Where users send several messages it is not: then the
probabilities of events are, that a sum of message scores reaches a threshold
(:mod:`exactdp.privacy.amplification.score_event`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import CURVE_BITS, Amplification, enclosed_divergence
from exactdp.privacy.amplification.bounds_of_pairs import Bound
from exactdp.privacy.amplification.input_pairs import Candidate
from exactdp.privacy.amplification.score_event import ScoreEvent

_COARSE_BITS: Final = 6
"""Accuracy at which the best pair is chosen: a few milliseconds each."""

_KEPT: Final = 2**14
"""Points that are kept: a search for eps asks for some hundred again and again."""

_NOTHING: Final = Real(0)
"""The E at which P(T) - E Q(T) is P(T)."""


@dataclass(frozen=True)
class HomogeneousPair:
    """Two inputs of one user beside others who all hold one input: an ordered pair of views."""

    engine: Amplification
    candidate: Candidate

    def reversed(self) -> HomogeneousPair:
        """Return the pair in the other order."""
        return HomogeneousPair(self.engine, self.candidate.swapped())

    @property
    def has_divergences(self) -> bool:
        """Whether its divergence is enclosed at every E, and not only what events say of it."""
        return self.candidate.has_divergences

    @property
    def key(self) -> Bound | tuple[object, ...]:
        """What pairs with equal divergences have in common."""
        return self.candidate.mixture if self.has_divergences else (self.candidate,)

    def divergence(self, exp_eps: Fraction, relative_bits: int) -> Interval:
        """Enclose the divergence at an E."""
        return _kept_divergence(self.candidate.mixture, self.engine.users, exp_eps, relative_bits)

    @property
    def limit(self) -> Fraction:
        """The divergence at infinite E, or a smaller number."""
        return self.candidate.mixture.limit(self.engine.users)

    def event(self, exp_eps: Fraction) -> tuple[Fraction, Fraction]:
        """Return a lower bound of P(T) and an upper bound of Q(T) for an event T that tells much at an E."""
        event = self.candidate.at(self.engine.users, Real(exp_eps))
        assert isinstance(event, ScoreEvent)
        return _kept_masses(event, self.engine.users)

    @property
    def words(self) -> str:
        """The two data sets, and what is seen of them if that is not all."""
        return self.engine.in_words(self.candidate)


@lru_cache(maxsize=64)
def best_homogeneous(engine: Amplification, exp_eps: Fraction) -> HomogeneousPair:
    """Return the pair with about the largest divergence at an E."""
    _, candidate = engine.lower_end(Real(exp_eps), _COARSE_BITS)
    return HomogeneousPair(engine, candidate)


@lru_cache(maxsize=_KEPT)
def _kept_divergence(mixture: Bound, users: int, exp_eps: Fraction, relative_bits: int) -> Interval:
    return enclosed_divergence(mixture, users, Real(exp_eps), relative_bits)


@lru_cache(maxsize=_KEPT)
def _kept_masses(event: ScoreEvent, users: int) -> tuple[Fraction, Fraction]:
    """A lower bound of P(T); an upper bound of Q(T), 1 where none is known: 0 stands for that."""
    first = event.divergence(users, _NOTHING, relative_bits=CURVE_BITS).lo
    second = event.swapped().divergence(users, _NOTHING, relative_bits=CURVE_BITS).hi
    return first, second if second > 0 else Fraction(1)
