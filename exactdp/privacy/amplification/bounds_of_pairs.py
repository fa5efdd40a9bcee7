"""What bounds the divergence of an ordered pair, or is it: what is asked of every bound.

Quick bounds of all ordered pairs of rows at once are products of matrices (:class:`ManyPairs`). For two rows P_i and
P_j and the least row c, let L = (P_i - E P_j)/c with probability c, else 0, as in
:mod:`exactdp.privacy.amplification.positive_part`. Its square and its exponential are products of a factor of i and one
of j, so that the numbers of all pairs are the entries of a product of matrices, for any lam > 0:

    sum over m of c (P_i/c) (P_j/c),        sum over m of c e^(lam P_i/c) e^(-lam E P_j/c).

With the mean and the square of L, and with its moment, U_n(L) is at most (E[S] + E[S^2]^(1/2))/(2n) and at most
E[e^(lam L)]^n/(e lam n). The same lam serves for all pairs: near the saddle of a pair with a large variance the moments
of all pairs with a smaller one are smaller.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from flint import arb, arb_mat

from exactdp.numbers.balls import interval_of, precision, real_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.guesses import log_divergence
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.privacy.amplification.tilted import FewValues, ball_sum, squared


class MadeBound(ABC):
    """A bound that is made of mixtures; at each E it is one number, whatever the accuracy."""

    __slots__ = ()

    @abstractmethod
    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the bound with n = ``users``, to a relative width of 2**-relative_bits."""

    @abstractmethod
    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the bound does not exceed, fast."""

    @abstractmethod
    def limit(self, users: int) -> Fraction:
        """Return the divergence at infinite E, or a smaller number."""

    @abstractmethod
    def exceeds_limit(self, users: int) -> bool:
        """Whether the divergence is known to be above ``limit`` at every E."""

    @abstractmethod
    def settled(self, users: int) -> Fraction:
        """Return an E from which on the divergence is at most ``limit`` if that is not a smaller number."""

    @abstractmethod
    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose a bound at infinite E."""

    @property
    @abstractmethod
    def limit_at_most(self) -> Fraction:
        """A number that the bound at infinite E does not exceed for any n."""

    @abstractmethod
    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound."""

    def theorem(self, users: int, exp_eps: Real) -> str | None:
        """Return what proves the bound; None where that is what proves all bounds of a randomizer."""
        return None


@dataclass(frozen=True)
class FallingBound(MadeBound):
    """The least of a bound and of others, each at a smaller E: from there on delta does not rise."""

    here: MadeBound
    levels: tuple[Fraction, ...]
    """The smaller E, falling."""
    at: Callable[[int, Fraction], MadeBound]
    """From n and one of these to the bound there."""
    leading: MadeBound | None = None
    """At every E no more than the bound there, and soon enclosed."""

    def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
        """Enclose the least bound up to the first that is larger, or hardly smaller; E is at least each level."""

        def asked(one: MadeBound, level: Real) -> Interval:
            return one.divergence(users, level, relative_bits=relative_bits)

        def is_less(level: Real, least: Interval) -> bool:
            if self.leading is None:
                return True
            most = least.upper.fraction() * (1 - Fraction(1, 1 << relative_bits))
            return asked(self.leading, level).lower.fraction() < most

        return self._least(users, exp_eps, asked, is_less)

    def bound(self, users: int, exp_eps: Real) -> Interval:
        """Return an interval whose upper end the least bound does not exceed."""
        return self._least(users, exp_eps, lambda one, level: one.bound(users, level), lambda level, least: True)

    def _least(
        self,
        users: int,
        exp_eps: Real,
        asked: Callable[[MadeBound, Real], Interval],
        may_be_less: Callable[[Real, Interval], bool],
    ) -> Interval:
        least = asked(self.here, exp_eps)
        for level in self.levels:
            if not may_be_less(Real(level), least):
                break
            found = asked(self.at(users, level), Real(level))
            if found.upper >= least.upper:
                return Interval(min(found.lower, least.lower), least.upper)
            least = found
        return least

    def limit(self, users: int) -> Fraction:
        """Return the divergence at infinite E, or a smaller number."""
        return self.here.limit(users)

    def exceeds_limit(self, users: int) -> bool:
        """Whether the divergence is known to be above ``limit`` at every E."""
        return self.here.exceeds_limit(users)

    def settled(self, users: int) -> Fraction:
        """Return an E from which on the divergence is at most ``limit`` if that is not a smaller number."""
        return self.here.settled(users)

    def limit_enclosed(self, users: int, relative_bits: int) -> Interval:
        """Enclose a bound at infinite E."""
        return self.here.limit_enclosed(users, relative_bits)

    @property
    def limit_at_most(self) -> Fraction:
        """A number that the bound at infinite E does not exceed for any n."""
        return self.here.limit_at_most

    def log_size(self, users: int, exp_eps: float) -> float:
        """Return about the logarithm of the bound at E."""
        return log_size(self.here, users, exp_eps)

    def theorem(self, users: int, exp_eps: Real) -> str | None:
        """Return what proves the bounds."""
        return self.here.theorem(users, exp_eps)


Majorant: TypeAlias = Mixture | MadeBound
"""What bounds the divergence of an ordered pair, or is it."""


def log_size(bound: Majorant, users: int, exp_eps: float) -> float:
    """Return about the logarithm of a bound for so many users."""
    return log_divergence(bound, users, exp_eps) if isinstance(bound, Mixture) else bound.log_size(users, exp_eps)


_BOUND_BITS: Final = 96
"""Precision of bounds that only exclude."""

_COARSE: Final = 16
"""Bits that are kept of them."""

Pair = tuple[int, int]
"""Positions of two rows."""


@dataclass(frozen=True, eq=False)
class ManyPairs:
    """Rows of integers over ``scale``, and the least of each column."""

    rows: Sequence[Sequence[int]]
    least: Sequence[int]
    scale: int

    def bounds(self, pairs: Sequence[Pair], copies: int, exp_eps: Real) -> dict[Pair, Dyadic]:
        """Return for each pair a number that its divergence at E does not exceed.

        Cost: a tenth of a second for 100 rows of 100 columns.
        """
        with precision(_BOUND_BITS + 2 * copies.bit_length()):
            level = real_ball(exp_eps)
            moved = self._moved(pairs, level)
            bounds = {pair: _spread(*moved[pair], copies) for pair in pairs}
            widest = max(pairs, key=lambda pair: moved[pair][1].mid())
            if (tilt := self._tilt(widest, copies, level)) is not None:
                for pair, moment in self.moments(pairs, tilt, level).items():
                    bound = moment**copies / (arb(1).exp() * tilt * copies)
                    bounds[pair] = bounds[pair].min(bound) if bound.is_finite() else bounds[pair]
            alone = [m for m, c in enumerate(self.least) if not c]
            return {pair: _coarse(bound + self.gains(pair, level, alone)) for pair, bound in bounds.items()}

    def gain(self, pair: Pair, exp_eps: Real) -> Dyadic:
        """Return a number that the divergence of a pair does not exceed for any number of copies: that of one."""
        with precision(_BOUND_BITS):
            return _coarse(self.gains(pair, real_ball(exp_eps), range(len(self.least))))

    def gains(self, pair: Pair, level: arb, columns: Iterable[int]) -> arb:
        """The sum of max(0, P - E Q) over some columns."""
        first, second = (self.rows[place] for place in pair)
        return ball_sum((first[m] - level * second[m]).max(arb(0)) for m in columns) / self.scale

    @property
    def _shared(self) -> list[int]:
        """The columns with c > 0."""
        return [m for m, c in enumerate(self.least) if c]

    @property
    def _weights(self) -> list[arb]:
        """Their probabilities c."""
        return [arb(self.least[m]) / self.scale for m in self._shared]

    def _ratios(self, row: Sequence[int]) -> list[arb]:
        """P/c in them."""
        return [arb(row[m]) / self.least[m] for m in self._shared]

    def _moved(self, pairs: Sequence[Pair], level: arb) -> dict[Pair, tuple[arb, arb]]:
        """The mean of L and its variance, or more, for each pair."""
        ratios, weights = [self._ratios(row) for row in self.rows], self._weights
        if not weights:
            return dict.fromkeys(pairs, (arb(0), arb(0)))
        weighted = [[w * ratio for w, ratio in zip(weights, row, strict=True)] for row in ratios]
        sums, products = [ball_sum(row) for row in weighted], arb_mat(weighted) * arb_mat(ratios).transpose()
        found = {}
        for i, j in pairs:
            mean = sums[i] - level * sums[j]
            square = products[i, i] - 2 * level * products[i, j] + squared(level) * products[j, j]
            found[i, j] = mean, (square - squared(mean)).abs_upper()
        return found

    def _tilt(self, pair: Pair, copies: int, level: arb) -> arb | None:
        """About the saddle of a pair; None where the sum has a positive mean or no positive value."""
        first, second = (self._ratios(self.rows[place]) for place in pair)
        values = [p - level * q for p, q in zip(first, second, strict=True)]
        law = FewValues((*values, arb(0)), (*self._weights, 1 - ball_sum(self._weights)))
        if law.mean > 0 or not any(value > 0 for value in values):
            return None
        return law.saddle(copies).tilt.mid()

    def moments(self, pairs: Sequence[Pair], tilt: arb, level: arb) -> dict[Pair, arb]:
        """E[e^(lam L)] of each pair."""
        ratios, weights = [self._ratios(row) for row in self.rows], self._weights
        rising = [[w * (tilt * ratio).exp() for w, ratio in zip(weights, row, strict=True)] for row in ratios]
        falling = [[(-tilt * level * ratio).exp() for ratio in row] for row in ratios]
        products, rest = arb_mat(rising) * arb_mat(falling).transpose(), 1 - ball_sum(weights)
        return {(i, j): rest + products[i, j] for i, j in pairs}


def _spread(mean: arb, variance: arb, copies: int) -> arb:
    """(E[S] + E[S^2]^(1/2))/(2n)."""
    return ((mean + (variance / copies + squared(mean)).abs_upper().sqrt()) / 2).max(arb(0))


def _coarse(ball: arb) -> Dyadic:
    return interval_of(ball, _COARSE).upper
