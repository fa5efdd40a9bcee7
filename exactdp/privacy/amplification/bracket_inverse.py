"""eps(delta) where delta is known between two ends: an E at which the lower end is above the target, one at which the
upper end is not.

Each end falls in E, and every point is judged by an enclosure: the lines through ln(end) over (E - 1)^2, which is
nearly straight where the end is that of a normal law, only choose it. Where an enclosure contains the target, the point
is within the enclosure's width of where the end meets it, and the search steps to its sides until both are decided.

:class:`TwoEnded` is what engines have in common that enclose a lower and an upper end of delta, and no exact masses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Final

from exactdp.errors import UndecidedError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.guesses import UNKNOWN, Excess, guess_between, is_of_zero, log_excess
from exactdp.privacy.amplification.input_pairs import InputPairs
from exactdp.privacy.engine import Bound, EnclosedEngine, Engine, ExpEpsRange, Work
from exactdp.progress import report_progress

_ROUGH_BITS: Final = 10
"""Accuracy far from the target, where only the order matters."""

_NEAR: Final = Fraction(1, 128)
"""Within this of ln(target) points are enclosed to the accuracy asked for."""

_MOST_POINTS: Final = 200
"""Points after which the best decided ones are the answer: twenty are usual."""

_SHORT_BITS: Final = 64
"""Bits of E - 1 of a point."""

_MOST_BITS: Final = 2**15
"""The largest log2(E - 1) that is tried."""

_GROWTH: Final = 4
"""E - 1 grows by so much until the end is not above the target."""

_FURTHER_BITS: Final = 14
"""What leads is so near to the end itself, or nearer, most often."""

_STEADY: Final = 4
"""After so many steps they are squared each time."""

_FAR: Final = 8
"""Points further apart than by this factor say little about what is between them."""

_LEAST: Final = Fraction(1, 2**256)
"""E - 1 of the first point is at least this."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What an end is at infinite eps."""

    value: Fraction
    """In exact fractions."""
    is_more: bool
    """Whether the end is proved to be above ``value`` at every E."""
    settled: Callable[[], Fraction]
    """Returns the E from which on, and not before, ``value`` is what the divergences with this limit are."""
    others: Callable[[Real, int], Interval] | None
    """The largest of those with a smaller limit, if there are any."""

    def crossing(self, relative_bits: int) -> tuple[Fraction, Fraction]:
        """Return an E before which the end is above ``value``, and one from which on it is not."""
        settled = self.settled()
        if self.others is None:
            return settled, settled
        low, high = _Crossing(self.others, self.value, relative_bits).between()
        return max(settled, low), max(settled, high)


def exp_eps_range_of_ends(
    engine: Engine, limits: tuple[Limit, Limit], target: Fraction, relative_bits: int
) -> ExpEpsRange:
    """Return low <= e^eps(target) <= high, each about 2^-relative_bits of its distance from 1 beside the end's own.

    ``low`` is 1 where the lower end is nowhere above the target; ``high`` is None where the lower end is above it at
    every E. A target that is a limit of an end, where enclosures decide nothing, is compared in fractions.

    Raises:
        UndecidedError: where only the upper end is above the target at every E.
    """
    least, most = limits
    if target < least.value or (target == least.value and least.is_more):
        return ExpEpsRange(Fraction(1), None)
    if target < most.value:
        raise _between_limits(engine.bracket(None, relative_bits), target)
    lower = _Crossing(engine.lower, target, relative_bits)
    low = least.crossing(relative_bits)[0] if target == least.value else lower.between()[0]
    high = most.crossing(relative_bits)[1] if target == most.value else _end_of_upper(engine, target, relative_bits)
    return ExpEpsRange(low, high)


def exp_eps_range_of_enclosed_ends(engine: Engine, target: Fraction, relative_bits: int) -> ExpEpsRange:
    """Return the same where the limits of the ends are only enclosed: a target inside an enclosure is not decided."""
    limit = engine.bracket(None, relative_bits)
    if limit.lower.compare(target) == 1:
        return ExpEpsRange(Fraction(1), None)
    if limit.upper.compare(target) not in (-1, 0):
        raise _between_limits(limit, target)
    lower = _Crossing(engine.lower, target, relative_bits)
    return ExpEpsRange(lower.between()[0], _end_of_upper(engine, target, relative_bits))


def exp_eps_of_end(
    end: Callable[[Real, int], Interval], target: Fraction, relative_bits: int
) -> tuple[Fraction, Fraction]:
    """Return an E at which one end, which falls in E, is above the target, or 1, and one at which it is not.

    ``end(exp_eps, bits)`` encloses it to a relative width of about 2**-bits.
    """
    return _Crossing(end, target, relative_bits).between()


def _between_limits(limit: Bound[Interval], target: Fraction) -> UndecidedError:
    return UndecidedError(
        f"delta={short(target)} lies between the two ends at infinite eps, {limit.lower} and {limit.upper}, so "
        "that no finite eps is proved to be enough. Ask for another delta."
    )


def _end_of_upper(engine: Engine, target: Fraction, relative_bits: int) -> Fraction:
    """Return an E at which the upper end is not above the target.

    Where the upper end is slow, what leads is followed first, and the upper end from where that meets the target.
    """
    upper = _Crossing(engine.upper, target, relative_bits)
    if engine.leading_upper(Real(1), _ROUGH_BITS) is not None:

        def leading(exp_eps: Real, bits: int) -> Interval:
            end = engine.leading_upper(exp_eps, bits)
            assert end is not None
            return end

        _, high = _Crossing(leading, target, relative_bits).between()
        return upper.beyond(high - 1) if high > 1 else upper.between()[1]
    return upper.between()[1]


@dataclass
class _Crossing:
    """The search for where one end meets the target, over w = E - 1."""

    end: Callable[[Real, int], Interval]
    target: Fraction
    relative_bits: int
    above: Fraction = Fraction(0)
    """The largest w at which the end is proved to be above the target, or 0."""
    below: Fraction | None = None
    """The least w at which it is proved not to be."""
    excess: dict[Fraction, Excess] = field(default_factory=dict)
    """By w."""

    def between(self) -> tuple[Fraction, Fraction]:
        """Return an E where the end is above the target, or 1, and one where it is not."""
        start = self._judge(Fraction(0))
        if start in (-1, 0):
            return Fraction(1), Fraction(1)
        w, growth = self._first(), _GROWTH
        for tried in count():
            if self._reaches(w):
                break
            w, growth = w * growth, growth if tried < _STEADY else growth**2
        if start:  # else the end at 1 is within its enclosure of the target, and cannot be followed
            self._narrow()
        assert self.below is not None
        return 1 + self.above, 1 + self.below

    def beyond(self, w: Fraction) -> Fraction:
        """Return an E where the end is not above the target, from about where what leads meets it on."""
        further = w / 2**_FURTHER_BITS
        while not self._reaches(w):
            w, further = w + further, further * _GROWTH
        if self.above:
            self._narrow()
        assert self.below is not None
        return 1 + self.below

    def _reaches(self, w: Fraction) -> bool:
        """Whether the end at w is proved not to be above the target; UndecidedError where w is too large to go on."""
        if w > 2**_MOST_BITS:
            raise UndecidedError(f"delta={short(self.target)} is not reached below eps = {_MOST_BITS * 2 // 3}.")
        return self._judge(w) in (-1, 0)

    def _narrow(self) -> None:
        """Bring the two best points together."""
        for _ in range(_MOST_POINTS):
            assert self.below is not None
            if (self.below - self.above) * 2**self.relative_bits <= self.above:
                break
            w = self._between()
            if self._judge(w) is None:
                self._step_aside(w)
                break

    def _judge(self, w: Fraction) -> int | None:
        """Return 1 if the end is above the target at w, -1 or 0 if not, None where its enclosure contains it."""
        order: int | None = None
        for bits in (self.relative_bits,) if self._is_near(w) else (_ROUGH_BITS, self.relative_bits):
            interval = self.end(Real(1 + w), bits)
            order = interval.compare(self.target)
            self.excess[w] = log_excess(interval.lower, self.target)
            if order is not None and not abs(self.excess[w]) < _NEAR:
                break
        report_progress(len(self.excess))
        if order == 1:
            self.above = max(self.above, w)
        elif order is not None:
            self.below = w if self.below is None else min(self.below, w)
        return order

    def _is_near(self, w: Fraction) -> bool:
        """Whether the end at w, which lies between those at the two best points, is near the target as they are."""
        if self.below is None or not self.above < w < self.below:
            return False
        return all(abs(self.excess.get(end, UNKNOWN)) < _NEAR / 2 for end in (self.above, self.below))

    def _first(self) -> Fraction:
        """Return a w > 0 of the size of the answer, or smaller: delta(1 + w) >= delta(1) - w for every curve.

        Where the end at 1 is within its enclosure of the target, nothing much smaller than the enclosure is decided.
        """
        interval = self.end(Real(1), self.relative_bits)
        low, high = interval.lower.fraction(), interval.upper.fraction()
        gap = low - self.target if low > self.target else high - low
        return Dyadic.below(max(gap, _LEAST), _SHORT_BITS).fraction()

    def _between(self) -> Fraction:
        """Return a short w between the two best ones."""
        assert self.below is not None
        low, high = self.above, self.below
        if low * _FAR < high:
            return _between_in_size(low, high) if low else high / _GROWTH**2
        if is_of_zero(self.excess[high]):
            return _short((low * 3 + high) / 4)
        return guess_between(low, high, self.excess[low], self.excess[high])

    def _step_aside(self, w: Fraction) -> None:
        """Find decided points on both sides of one where the end is within its enclosure of the target."""
        for side in (-1, 1):
            step = w / 2 ** (self.relative_bits + 2)
            while self._judge(w + side * step) is None:
                step *= 2


def _short(w: Fraction) -> Fraction:
    return Dyadic.below(w, _SHORT_BITS).fraction()


def _between_in_size(low: Fraction, high: Fraction) -> Fraction:
    """Return a power of two between two numbers that are far from each other."""
    exponents = (w.numerator.bit_length() - w.denominator.bit_length() for w in (low, high))
    return Fraction(2) ** (sum(exponents) // 2)


class TwoEnded(EnclosedEngine):
    """Encloses both ends of delta for the pairs of inputs of a randomizer."""

    pairs: InputPairs
    is_bracket = True
    work = Work()

    @property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio of one user's messages is below 2**b."""
        eps = self.pairs.local_epsilons[1]
        return 1 if eps.is_infinite else int(eps.argument).bit_length()
