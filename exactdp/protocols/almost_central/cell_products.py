"""Both ends of the divergence of one product of pairs: each pair in cells, all convolved on a lattice of losses.

A pair is given twice: as finitely many outcomes that dominate it, and as finitely many that it dominates
(:mod:`exactdp.protocols.almost_central.shared_noise`). Their products are bounded from above and from below by
:mod:`exactdp.privacy.composition.powers`; what is chosen here only makes the bounds meet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.bracket import is_within
from exactdp.privacy.composition.heuristics import Losses, cap_at_depth, composition_choice, losses_between
from exactdp.privacy.composition.losses import LossPair
from exactdp.privacy.composition.powers import Factor, LowerFactor, Tuning, UpperBound, lower_bound, upper_bound
from exactdp.protocols.almost_central.shared_noise import any_of

_ROUGH: Final = 6
"""Cells of a rough look: a sixth of a standard deviation, which changes a divergence by some percent."""

_FINE: Final = 24
"""Cells of a close look: they change a divergence by about 1e-3 of it."""

_ROUGH_WIDTH: Final = Fraction(1, 8)
"""What a rough look is meant to reach."""

_ROUNDS: Final = 7
"""Most attempts at one product; the lattice's part of the width falls to a quarter with each."""

_FIRST_TAIL_BITS: Final = 128
"""What is left out of listed noise is below 2^-128 first: far below any delta that is asked for in practice."""

_DEEPEST: Final = 2**8
"""Divergences below 2^-256 are not followed further down."""

_SPARE_BITS: Final = 32
"""Bits below the cut, so that rounding does not show before it does."""

_CUT_BITS: Final = 32
"""What is cut from the ends of a product is less than 2^-32 of the divergence."""

_LONGEST: Final = 2**12
"""All losses together are spread over so many lattice points at first."""

_SET_ASIDE_BITS: Final = 12
"""Losses that are counted as infinite change a divergence by at most 2^-12 of it for each pair."""


class CellPair(ABC):
    """An ordered pair of laws that is known in cells."""

    __slots__ = ()

    @abstractmethod
    def in_cells(self, fineness: int, tail_bits: int, *, from_above: bool) -> LossPair:
        """Return outcomes that dominate the pair, or are dominated by it; less than 2^-tail_bits is left out."""


@dataclass(frozen=True)
class _Attempt:
    """One way to compute both ends: outcomes that dominate the pairs, what counts as infinite, and the lattice."""

    above: Sequence[LossPair]
    caps: tuple[Fraction | None, ...]
    tuning: Tuning
    depth: int | None = None
    """About -log2 of the divergence for which nothing is tilted, and rare losses count as infinite; else None."""

    @classmethod
    def first(cls, above: Sequence[LossPair], eps: Fraction, width: Fraction) -> _Attempt:
        """Return the tilted one; a flat one where an infinite loss, or nearly, probably makes up the divergence."""
        losses = [Losses(pair.outline, pair.infinite_outline, 1) for pair in above]
        choice = composition_choice(losses, eps, width)
        cut = 16 + 2 * width.denominator.bit_length()
        tuning = Tuning(choice.step, choice.tilt, cut + _SPARE_BITS, cut, choice.length)
        attempt = cls(above, choice.caps, tuning)
        return attempt.flat(-choice.log_delta, eps) if choice.is_rare else attempt.on_a_lattice

    @property
    def on_a_lattice(self) -> _Attempt:
        """The same with a step so wide that all losses together fit into the largest length."""
        ranges = (losses_between(pair.outline, cap) for pair, cap in zip(self.above, self.caps, strict=True))
        reach = sum(ranges, Fraction(0))
        step = max(self.tuning.step, reach / Fraction(_LONGEST))
        return replace(self, tuning=replace(self.tuning, step=step, length=_LONGEST))

    def flat(self, depth: int, eps: Fraction) -> _Attempt:
        """Return the attempt without a tilt, for a divergence of about 2^-depth."""
        caps = tuple(cap_at_depth(pair.outline, depth + _SET_ASIDE_BITS, eps) for pair in self.above)
        tuning = replace(self.tuning, tilt=Fraction(0), cut=depth + _CUT_BITS, bits=depth + _CUT_BITS + _SPARE_BITS)
        return replace(self, caps=caps, tuning=tuning, depth=depth).on_a_lattice

    def finer(self) -> _Attempt:
        """Return the attempt on a lattice of half the step."""
        return replace(self, tuning=replace(self.tuning, step=self.tuning.step / 2, length=2 * self.tuning.length))

    def upper(self, exp_eps: Real) -> UpperBound:
        """Return a number at least the divergence, and how much of it bounds what was cut."""
        factors = [Factor((pair,), 1, cap) for pair, cap in zip(self.above, self.caps, strict=True)]
        return upper_bound(factors, exp_eps, self.tuning)

    def lower(self, below: Sequence[LossPair], exp_eps: Real) -> Dyadic:
        """Return a number at most the divergence, from outcomes that the pairs dominate."""
        factors = [LowerFactor(pair, 1, cap) for pair, cap in zip(below, self.caps, strict=True)]
        return lower_bound(factors, exp_eps, self.tuning)


def rough_upper_end(product: Sequence[CellPair], exp_eps: Real, eps: Fraction) -> Dyadic:
    """Return a number at least the divergence of a product, from one attempt."""
    pairs = [pair.in_cells(_ROUGH, _FIRST_TAIL_BITS, from_above=True) for pair in product]
    return min(Dyadic.of(1), _Attempt.first(pairs, eps, _ROUGH_WIDTH).upper(exp_eps).value)


def both_ends(product: Sequence[CellPair], exp_eps: Real, eps: Fraction, width: Fraction) -> Interval:
    """Enclose the divergence of a product at e^eps, within a relative width where that is reached."""
    tail_bits, ends = _FIRST_TAIL_BITS, Interval(Dyadic.of(0), Dyadic.of(1))
    above, below = _sides(product, tail_bits)
    attempt = _Attempt.first(above, eps, width)
    for _ in range(_ROUNDS):
        upper, lower = attempt.upper(exp_eps), attempt.lower(below, exp_eps)
        ends = Interval(max(ends.lower, lower), min(ends.upper, upper.value))
        if is_within(ends, width):
            break
        depth = max(0, -ends.upper.magnitude)
        shows = upper.cut.mantissa and upper.value.magnitude - upper.cut.magnitude < width.denominator.bit_length()
        if shows:
            depth = min(_DEEPEST, 2 * depth + _CUT_BITS)
        if depth + 2 * _SPARE_BITS > tail_bits and tail_bits < _DEEPEST:
            tail_bits = min(_DEEPEST, max(2 * tail_bits, depth + 4 * _SPARE_BITS))
            above, below = _sides(product, tail_bits)
            attempt = replace(attempt, above=above)
        if shows or attempt.depth is None or attempt.depth + 8 < depth or ends.lower.mantissa == 0:
            attempt = attempt.flat(depth, eps)  # a tilt may fit losses of one size only
        else:
            attempt = attempt.finer()
    return ends


def no_second(product: Sequence[CellPair], relative_bits: int) -> Interval:
    """Enclose the probability of what only the first of the laws reaches: the divergence at infinite eps."""
    masses = [pair.in_cells(_ROUGH, _FIRST_TAIL_BITS, from_above=True).infinite for pair in product]
    return any_of(masses, relative_bits)


def _sides(product: Sequence[CellPair], tail_bits: int) -> tuple[list[LossPair], list[LossPair]]:
    above, below = ([pair.in_cells(_FINE, tail_bits, from_above=side) for pair in product] for side in (True, False))
    return above, below
