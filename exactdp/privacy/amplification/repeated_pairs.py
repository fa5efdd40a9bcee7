"""The pairs of inputs of a family of which each user sends several independent messages, too many for a table.

*Upper ends.* The smaller of two numbers, for each ordered pair. One is the bound by the blanket of bundles, whose
classes are multisets of classes of single messages (:mod:`exactdp.mechanisms.repetition`), where these are few. The
other shows more than the protocol does: the first messages of all users are shuffled on their own, so are the second
ones, and so on. These m views are independent, each with H_e(P, Q) <= D by the blanket of one message. So the part of P
above e Q has a mass of at most D; what is left of P in all m views together is at most e^m times Q, and lacks at most
m D:

    H_(e^m) of all m views <= m D(e),        H_E <= m D(e) for every e with e^m <= E.

*Lower ends.* Events of a sum of message scores, with others who all hold one input: a bundle's score is a sum of m
independent ones.

Source: DworkRoth2014, Theorem 3.16 (the composition); BalleBellGasconNissim2019, Theorem 5.1 (the blanket).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, Final

from exactdp.caching import cached_property
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.repetition import Repetition
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bounds_of_pairs import MadeBound
from exactdp.privacy.amplification.guesses import log_divergence, message_scores
from exactdp.privacy.amplification.input_pairs import InputPairs, ScoredCandidate
from exactdp.privacy.amplification.positive_part import Mixture, blanket_mixture
from exactdp.privacy.amplification.score_event import coarse_scores, law_of_scores, repeated_scores

_MOST_CLASSES: Final = 128
"""With more classes of bundles an enclosure takes seconds: their bound is then left out."""

_MOST_SCORED: Final = 64
"""So many messages of a bundle are scored: with more the least that is known is 0."""

_FAMILY_BITS: Final = 64
"""The member of a family with an irrational e^eps0 lies so many bits beside it."""

_BOUND_BITS: Final = 7
"""Accuracy of the two bounds, one for all questions: the true delta is further below them, and bits take long."""

_ROOT_BITS: Final = 12
"""Bits of e - 1 for e^m <= E: a short number keeps the atoms on a lattice, and little is lost."""

_LEVEL_BITS: Final = 128
"""Accuracy of the E that is read."""

_LEAST_UNIT: Final = Fraction(1, 2**128)
"""An E nearer to 1 than this is taken for 1, which it is not below."""

_REPEATED: Final = "the blanket of bundles, or of m separate shuffles (BalleBellGasconNissim2019, Theorem 5.1)"


@dataclass(frozen=True, slots=True)
class RepeatedBound(MadeBound):
    """The smaller of two bounds of a pair; what bounds it at an E is one number, whatever the accuracy."""

    single: Mixture
    """The bound of one message."""
    times: int
    bundles: Mixture | None
    """The bound of bundles, where their classes are few."""

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Return the bound with n = ``users``, a number of few bits."""
        value = _value(self, users, exp_eps)
        return Interval(value, value)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed, fast."""
        separate = self.separate(self.single.bound(users, self.root(exp_eps)))
        if self.bundles is not None:
            separate = min(separate, self.bundles.bound(users, exp_eps).upper)
        return Interval(Dyadic.of(0), separate)

    def root(self, exp_eps: Real) -> Real:
        """Return an e with e^m <= E."""
        return Real(root_below(exp_eps, self.times))

    def separate(self, once: Interval) -> Dyadic:
        """Return the bound of m separate shuffles from that of one."""
        return Dyadic.of(once.upper.mantissa * self.times, once.upper.exponent)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose a bound at infinite E."""
        return Interval.around(self.limit_at_most, relative_bits=relative_bits)

    def limit(self, users: int) -> Fraction:
        """Return the bound at infinite E, if it is the bound of bundles or of separate shuffles alone."""
        return self.limit_at_most

    def exceeds_limit(self, users: int) -> bool:
        """Whether ``limit`` is a smaller number: never."""
        return False

    def settled(self, users: int) -> Fraction:
        """Return an E from which on the divergence is at most ``limit``."""
        separate = self.single.settled(users) ** self.times
        return separate if self.bundles is None else max(separate, self.bundles.settled(users))

    @property
    def limit_at_most(self) -> Fraction:
        """A number that the divergence at infinite E does not exceed."""
        separate = self.times * self.single.limit_at_most
        return separate if self.bundles is None else min(separate, self.bundles.limit_at_most)

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""
        separate = log_divergence(self.single, users, exp_eps ** (1 / self.times))
        return separate if self.bundles is None else min(separate, log_divergence(self.bundles, users, exp_eps))


@lru_cache(maxsize=64)
def _value(bound: RepeatedBound, users: int, exp_eps: Real) -> Dyadic:
    """Return the smaller of the two bounds, which is asked for coarsely and again finely."""
    separate = bound.single.divergence(users, bound.root(exp_eps), relative_bits=_BOUND_BITS)
    value = bound.separate(separate)
    if bound.bundles is None:
        return value
    return min(value, bound.bundles.divergence(users, exp_eps, relative_bits=_BOUND_BITS).upper)


@lru_cache(maxsize=256)
def root_below(exp_eps: Real, times: int) -> Fraction:
    """Return a short number e >= 1 with e^m <= E, near the root.

    >>> root_below(Real(4), 2), root_below(Real(Fraction(11, 10)), 3)
    (Fraction(2, 1), Fraction(135303, 131072))
    """
    level, unit = enclose_real(exp_eps, relative_bits=_LEVEL_BITS).lo, Fraction(1)
    while (1 + 2 * unit) ** times <= level:
        unit *= 2
    while unit > _LEAST_UNIT and (1 + unit) ** times > level:
        unit /= 2
    unit /= 2**_ROOT_BITS
    low, high = 0, 2 ** (_ROOT_BITS + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if (1 + middle * unit) ** times <= level else (low, middle)
    return 1 + low * unit


@dataclass(frozen=True)
class RepeatedPairs(InputPairs):
    """Of a family that users repeat: a few pairs stand for all."""

    family: Repetition

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The inputs named in the tables of pairs."""
        tables = self._tables(self.family.at_most(_FAMILY_BITS))
        return tuple(dict.fromkeys(label for table in tables for label in (table.first, table.second, *table.others)))

    @property
    def reaches_local_epsilon(self) -> bool:
        """Whether delta is known to be above 0 below it: the view does not show bundles of two messages."""
        return False

    @property
    def theorem(self) -> str:
        """What proves the upper end."""
        return _REPEATED

    @property
    def local_epsilons(self) -> tuple[LogRational, LogRational]:
        """Two numbers with the local eps between them."""
        low, high = (side(_FAMILY_BITS).local_epsilon() for side in (self.family.at_most, self.family.at_least))
        assert isinstance(low, LogRational)
        assert isinstance(high, LogRational)
        return low, high

    @cached_property
    def blankets(self) -> tuple[RepeatedBound, ...]:
        """What bounds the divergence of each ordered pair."""
        tables = self._tables(self.family.at_least(_FAMILY_BITS))
        return tuple(dict.fromkeys(self._bound(table.among(())) for table in tables))

    def _bound(self, table: PairTable) -> RepeatedBound:
        times = self.family.times
        few = comb(len(table.classes) + times - 1, times) <= _MOST_CLASSES
        return RepeatedBound(blanket_mixture(table), times, blanket_mixture(self.family.power(table)) if few else None)

    @cached_property
    def _scored(self) -> tuple[ScoredCandidate, ...]:
        tables = self._tables(self.family.at_most(_FAMILY_BITS))
        scored = (self._event(table, place) for table in tables for place in range(len(table.others)))
        return tuple({(one.bundles, one.scored): one for one in scored}.values())

    def candidates(self, users: int, size: int) -> Sequence[ScoredCandidate]:
        """Return events for each pair that stands for all, beside each input that the others may hold."""
        return self._scored

    def _event(self, table: PairTable, place: int) -> ScoredCandidate:
        times = self.family.times
        rows = {m: (c.first, c.second, c.others[place]) for m, c in enumerate(table.classes)}
        scores = coarse_scores(message_scores(rows) if times <= _MOST_SCORED else dict.fromkeys(rows, 0), times)
        once = [law_of_scores((scores[m], row[side]) for m, row in rows.items()) for side in range(3)]
        first, second, others = (repeated_scores(law, times if times <= _MOST_SCORED else 1) for law in once)
        both = tuple((s, first.get(s, Fraction(0)), second.get(s, Fraction(0))) for s in sorted({*first, *second}))
        named = PairTable(table.first, table.second, (table.others[place],), ())
        return ScoredCandidate(named, (Fraction(1),), Mixture((), ()), both, tuple(others.items()))

    def _tables(self, family: Repetition) -> tuple[PairTable, ...]:
        """Return the tables of single messages."""
        return family.base.pair_tables()
