"""Both ends of delta for a random number of users that is spread over many values, without cells.

As in :mod:`exactdp.privacy.shuffle.random_users`, delta is the largest, over ordered pairs of inputs, of the mean of
D_n over n >= 1; the views are equal at n = 0.

*Upper end.* The mean of the swap bound, convex in the number of others, by its chords
(:mod:`exactdp.privacy.amplification.mean_bounds`). Where floats see no use in it, the cells bound delta.

*Lower end.* One pair of inputs and one input v of all others, the same at every n. Its divergence A, where n is 1 more
than binomial with N - 1 coins of chance q, is that beside a list of who takes part, over q
(:mod:`exactdp.privacy.shuffle.listed_users`): a single sum of copies of scores that are mostly 0. That many are a user
more, or as many, than Bin(N, q) once that is not 0: go through N coins up to the first that falls on 1. A view of n
users who hold v becomes that of more of them by adding their messages. So the pair of A, shown with probability
1 - (1 - q)^N and nothing else, is what a channel that does not depend on the data makes of the pair of the random
number: a lower end of its divergence, and of that of runs together. Nothing is lost but a user of some n.

*Poisson numbers* are Bin(N, mu/N) but for mu^2/N in total variation (Le Cam 1960), for any N. So the divergence of the
pair with 1 more than a Poisson number is that with 1 + Bin(N - 1, mu/N) but for twice that, as one coin has a chance
of mu/N.

Source: BalleBellGasconNissim2019, Theorem 5.1 (the bound at one n).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Final

from exactdp.caching import cached_property
from exactdp.laws.finite import Law
from exactdp.mechanisms.family import UserRandomizer
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import (
    CURVE_BITS,
    Amplification,
    HomogeneousPair,
    largest_bound,
)
from exactdp.privacy.amplification.bounds_of_pairs import log_size
from exactdp.privacy.amplification.guesses import binary_size, of_size
from exactdp.privacy.amplification.input_pairs import Candidate
from exactdp.privacy.amplification.mean_bounds import MeanBound, has_shortfall
from exactdp.privacy.engine import Bound, Level
from exactdp.privacy.shuffle.listed_users import listed_pairs
from exactdp.privacy.shuffle.random_users import RandomUsers, UsersLaw, first_ranges, of_one

_RARE_BITS: Final = 256
"""That nobody takes part has a probability of 2 to minus this, or more, for what bounds from below."""
_FROM: Final = 512
"""From so many users on the swap bound is nearer than cells are."""

_ZERO: Final = Dyadic.of(0)
_ONE: Final = Dyadic.of(1)

_SWAP: Final = (
    "the swap bound, all others at their worst input (proved in exactdp.privacy.amplification.swap_bound), in the mean "
    "over the number of users (proved in exactdp.privacy.amplification.mean_bounds)"
)


@dataclass(frozen=True)
class SurePair(HomogeneousPair):
    """A pair of inputs of a user who takes part for sure, beside a random number of others who all hold one input."""

    engine: SureUsers

    @property
    def has_divergences(self) -> bool:
        """Always: where events alone are known, it is known to be at least 0."""
        return True

    @property
    def limit(self) -> Fraction:
        """The divergence at infinite E, or a smaller number."""
        if not self.candidate.has_divergences:
            return Fraction(0)
        return max(Fraction(0), self.engine.scale * HomogeneousPair.limit.fget(self) - self.engine.slack)  # type: ignore[attr-defined,no-any-return]

    def divergence(self, exp_eps: Fraction, relative_bits: int) -> Interval:
        """Enclose the divergence at an E."""
        if not self.candidate.has_divergences:
            return Interval(_ZERO, _ONE)
        return self.engine.of_sure(HomogeneousPair.divergence(self, exp_eps, relative_bits))

    @property
    def words(self) -> str:
        """Who holds what."""
        return self.engine.in_words(self.candidate)


@dataclass(frozen=True)
class SureUsers(Amplification):
    """What data sets tell whose others all hold one input: the user who differs takes part for sure, others by a coin.

    The engine of ``users`` of whom it is public who takes part, whose divergences are taken ``scale`` times.
    """

    scale: Fraction = Fraction(1)
    """What is above 0 of the number of users, over the chance of one user."""
    slack: Fraction = Fraction(0)
    """What the divergence may be off."""

    name: ClassVar[str] = "amplification beside a random number of others"

    @classmethod
    def of(cls, randomizer: UserRandomizer, law: UsersLaw) -> SureUsers | None:
        """Return the engine of a law of the number of users; None where it is not known as a sum of coins."""
        if isinstance(law, Law) or law.coins is None:
            return None
        users, chance, apart = law.coins
        nobody = max(law.pmf(0).upper, Dyadic.of(1, -_RARE_BITS))
        nobody = Dyadic.above(nobody.fraction(), CURVE_BITS)
        return cls(
            listed_pairs(randomizer, users, chance), users, scale=(1 - nobody.fraction()) / chance, slack=2 * apart
        )

    def of_sure(self, listed: Interval) -> Interval:
        """Return the divergence of a user who takes part for sure from that of one who does by a coin."""
        low, high = (self.scale * end.fraction() for end in (listed.lower, listed.upper))
        bits = 2 * CURVE_BITS
        lower, upper = Dyadic.below(max(Fraction(0), low - self.slack), bits), Dyadic.above(high + self.slack, bits)
        return Interval(min(lower, _ONE), min(upper, _ONE))

    def lower_end(self, exp_eps: Real, relative_bits: int) -> tuple[Interval, Candidate]:
        """Enclose the largest divergence of a homogeneous data set of the others, and return the data set."""
        end, best = Amplification.lower_end(self, exp_eps, relative_bits)
        return (self.of_sure(end) if best.has_divergences else Interval(_ZERO, _ONE)), best

    def homogeneous(self, candidate: Candidate) -> SurePair:
        """Return the pair of a candidate, as its curve."""
        return SurePair(self, candidate)

    def in_words(self, candidate: Candidate) -> str:
        """Say which inputs a candidate is of, and what is seen of it if that is not all."""
        table, held = candidate.table, candidate.inputs[0]
        words = f"{of_one(table.first, table.second)} beside n - 1 users who hold {held!r}"
        return words if candidate.is_attained else f"{words}, {candidate.way}"


@dataclass(frozen=True)
class ManyRandomUsers(RandomUsers):
    """Both ends of delta in the mean over a number of users that is spread over many values."""

    sure: SureUsers | None = None
    """What knows lower ends; None where cells do."""

    theorem = _SWAP
    usual_bits = Amplification.usual_bits

    @classmethod
    def of(cls, plain: RandomUsers, randomizer: UserRandomizer) -> RandomUsers:
        """Return the engine where it is the nearer one, else the one that is given."""
        few = all(first == last for first, last in first_ranges(plain.law))
        if few or plain.usual_users < _FROM or not has_shortfall(plain.law) or not plain.pairs.swapped_bounds:
            return plain
        return cls(plain.pairs, plain.law, plain.exact_at, plain.twins, SureUsers.of(randomizer, plain.law))

    @cached_property
    def _bounds(self) -> tuple[MeanBound, ...]:
        bounds = self.pairs.swapped_bounds
        return tuple(MeanBound(replace(one, own=None, may_own=False), self.law, 1, _SWAP) for one in bounds)

    def upper(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the upper end alone."""
        if not self._serves(exp_eps):
            return RandomUsers.upper(self, exp_eps, relative_bits)
        return largest_bound(self._bounds, self.usual_users, exp_eps, relative_bits)[0]

    def _serves(self, exp_eps: Real) -> bool:
        """Whether the swap bound of about the largest pair is of use."""
        level = of_size(binary_size(exp_eps))
        return max(self._bounds, key=lambda one: log_size(one, self.usual_users, level)).serves(exp_eps)

    def lower(self, exp_eps: Real, relative_bits: int) -> Interval:
        """Enclose the lower end alone."""
        if self.sure is None:
            return RandomUsers.lower(self, exp_eps, relative_bits)
        return self.sure.lower_end(exp_eps, relative_bits)[0]

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends; None stands for infinity, where cells answer."""
        if exp_eps is None or self.sure is None or not self._serves(exp_eps):
            return RandomUsers.enclosed(self, exp_eps, relative_bits)
        upper = self.upper(exp_eps, relative_bits)
        own, best = self.sure.lower_end(exp_eps, relative_bits)
        lower = Interval(own.lower, own.lower)
        among = f"{self.sure.in_words(best)}, at every n"
        data_sets = self._at(self.usual_users).data_sets(best)
        return Bound(lower, upper, data_sets, _SWAP, Level.TWO_ENDS, own, among)

    def upper_bound(self, exp_eps: Fraction, relative_bits: int) -> Dyadic:
        """Return a number at least delta."""
        if not self._serves(Real(exp_eps)):
            return RandomUsers.upper_bound(self, exp_eps, relative_bits)
        return self.upper(Real(exp_eps), min(relative_bits, CURVE_BITS)).upper

    def rough_upper_bound(self, exp_eps: Fraction) -> Dyadic:
        """Return a number at least delta, some times as large, in a millisecond or two at every E."""
        level = Real(exp_eps)
        return min(_ONE, max(one.bound(self.usual_users, level).upper for one in self._bounds))
