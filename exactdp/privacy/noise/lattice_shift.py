"""A query plus lattice noise of any size: exact where the law is rational and short, enclosed everywhere.

Which events are worst, and why only the largest shift counts, is proved in :mod:`exactdp.privacy.half_lines`.

Finite noise needs no proof (:class:`FiniteShifts`): one law and the same law shifted, shift by shift and outcome by
outcome.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.caching import bounded_cache, cached_property
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.law_balls import enclose_falling, enclose_half_line
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.curves import Curves, likelihood_curve
from exactdp.privacy.engine import (
    ANSWERS_KEPT,
    BYTES_KEPT,
    Bound,
    Engine,
    Level,
    NoisePairs,
    Shift,
    Work,
    WorstEvent,
    fraction_bytes,
)
from exactdp.privacy.half_lines import Event, lower_event, upper_event
from exactdp.privacy.shuffle.pair import both_masses
from exactdp.privacy.shuffle.products import SparsePacking


@dataclass(frozen=True, eq=False)
class FiniteShifts(Engine):
    """The engine for one count plus finite noise: the worst of the given shifts, in both orders."""

    noise: Law
    shifts: tuple[Shift, ...]

    name = "shift"
    method = "compares the noise with itself shifted, outcome by outcome"

    @property
    def ratio_bits(self) -> int:
        """Weights are integers of at most this many bits."""
        return self.noise.total.bit_length()

    @property
    def work(self) -> Work:
        """Both orders of every shift; one step for each outcome of each shift serves both orders."""
        outcomes = len(self.noise)
        return Work(2 * len(self.shifts), outcomes, len(self.shifts) * outcomes)

    @property
    def noise_pairs(self) -> NoisePairs:
        """The noise against itself moved by each of the shifts."""
        return NoisePairs(self.noise, tuple(shift.by for shift in self.shifts))

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst shift, order and event, exactly."""
        events = [event for shift in self.shifts for event in self._both_orders(shift, exp_eps)]
        return max(events, key=lambda event: event.delta(exp_eps))

    def curves(self) -> Curves:
        """Return the curves of all shifts in both orders."""
        weights = self.noise.weights
        curves = (
            likelihood_curve([(weight, weights.get(t - by, 0)) for t, weight in weights.items()])
            for shift in self.shifts
            for by in (shift.by, -shift.by)
        )
        return Curves(self.noise.total, 2 * len(self.shifts), curves)

    def _both_orders(self, shift: Shift, exp_eps: Fraction | None) -> tuple[WorstEvent, WorstEvent]:
        make = SparsePacking(self.noise.total).law
        first = make(tuple(self.noise.weights.items()))
        second = make(tuple((t + shift.by, weight) for t, weight in self.noise.weights.items()))
        ratio = None if exp_eps is None else exp_eps.as_integer_ratio()
        forward, backward = both_masses(first, second, ratio, self.noise.total)
        return WorstEvent(shift.first, shift.second, *forward), WorstEvent(shift.second, shift.first, *backward)


_ZERO: Final = Interval.around(0, relative_bits=1)
_NONE: Final = Fraction(0)
_SHORT_BITS: Final = 2**14
"""Masses of so few bits are compared exactly; longer ones by enclosures first."""

_ORDER_BITS: Final = 64
"""Two orders that agree to so many bits are compared exactly."""


_LISTED: Final = 2000
"""Most outcomes that are listed one by one."""


@dataclass(frozen=True, eq=False)
class LatticeShift(Engine):
    """The engine for one noisy count: the noise against the noise shifted, in both orders."""

    law: LatticeLaw
    shift: Shift

    name = "shift"
    method = "compares the noise with itself shifted on the half-line where a log-concave law is worst"
    uses = ("exactdp.privacy.half_lines.lower_event", "exactdp.privacy.half_lines.upper_event")
    encloses = True
    work = Work(2)

    @property
    def is_exact(self) -> bool:
        """Whether the law's probabilities are rational and short enough to be built."""
        return self.law.is_exact

    @cached_property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio at the ends of the worst events is below 2**b, for exact laws."""
        law, by = self.law, self.shift.by
        ratios = [] if law.tail_ratio is None else [law.tail_ratio**by]
        if law.low is not None and (law.high is None or law.low + by <= law.high):
            ratios.append(law.ratio(law.low + by, law.low))
        if law.high is not None and (law.low is None or law.low + by <= law.high):
            ratios.append(law.ratio(law.high - by, law.high))
        return max((ratio.coefficient.numerator.bit_length() for ratio in ratios), default=1)

    @property
    def is_unbounded(self) -> bool:
        """Whether likelihood ratios have no bound, so that delta is above its limit 0 at every finite E."""
        return self.law.tail_ratio is None and self.law.low is None

    @property
    def noise_pairs(self) -> NoisePairs:
        """The noise against itself moved by the shift."""
        return NoisePairs(self.law, (self.shift.by,))

    def curves(self) -> Curves | None:
        """Return the curves of the two orders; None for noise of many outcomes."""
        listed = self.law.listed(_LISTED)
        return None if listed is None else FiniteShifts(listed, (self.shift,)).curves()

    def answer_bits(self, exp_eps: Fraction | None) -> int:
        """Return about how long the probabilities of the worst events at ``exp_eps`` (None: infinity) are."""
        law, shift = self.law, self.shift.by
        if law.low is not None and law.high is not None:
            return law.exact_bits(law.high)
        bound = None if exp_eps is None else Real(exp_eps)
        events = [event for upper in (False, True) if (event := self._half_line(bound, upper=upper)) is not None]
        ends = [end for event in events for end in (event.first, event.last) if end is not None]
        return max((law.exact_bits(k) for end in ends for k in (end, end - shift)), default=1)

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worse order and its worst event, exactly."""
        events = [self._event(exp_eps, upper=upper) for upper in self._orders(exp_eps)]
        return max(events, key=lambda event: event.delta(exp_eps))

    def exactly(self, exp_eps: Fraction | None) -> Bound[Fraction]:
        """Return delta and a pair that attains it, without building the masses of the worst event."""
        return Engine.exactly(self, None) if exp_eps is None else _kept_bound(self, exp_eps)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Enclose delta by the two orders of the pair; ``exp_eps`` None stands for infinity."""
        forward, backward = (self._enclosed_delta(exp_eps, relative_bits, upper=upper) for upper in (False, True))
        pair = self.shift.pair(upper=backward.compare(forward) == 1)
        return self.known(*pair, Interval.maximum(forward, backward))

    def _orders(self, exp_eps: Fraction | None) -> list[bool]:
        """Return which orders exact masses must tell apart; True is the shifted noise against the noise."""
        law = self.law
        if exp_eps is None or law.low is None or law.high is None or law.exact_bits(law.high) < _SHORT_BITS:
            return [False, True]
        lower, upper = (self._enclosed_delta(Real(exp_eps), _ORDER_BITS, upper=upper) for upper in (False, True))
        return [False, True] if (order := upper.compare(lower)) is None else [order == 1]

    def _half_line(self, exp_eps: Real | None, *, upper: bool) -> Event | None:
        return (upper_event if upper else lower_event)(self.law, self.shift.by, exp_eps)

    def _enclosed_delta(self, exp_eps: Real | None, relative_bits: int, *, upper: bool) -> Interval:
        law, by = self.law, self.shift.by
        event = self._half_line(exp_eps, upper=upper)
        if event is None:
            return _ZERO
        if exp_eps is None:
            if event.first is not None:
                return law.sf(event.first - by - 1, relative_bits=relative_bits)
            assert event.last is not None
            return law.cdf(event.last, relative_bits=relative_bits)
        assert law.enclosed is not None
        if not upper:
            assert event.last is not None
            return enclose_half_line(law.enclosed, event.last, by, exp_eps, relative_bits)
        if not law.is_log_concave:
            return enclose_falling(law.enclosed, event.last, by, exp_eps, relative_bits)
        assert event.first is not None
        return enclose_half_line(law.enclosed, event.first, by, exp_eps, relative_bits, upper=True)

    def _event(self, exp_eps: Fraction | None, *, upper: bool) -> WorstEvent:
        """Return the worst event of one order, with its probabilities under the first and the second law."""
        event, plain, moved = self._half_line(None if exp_eps is None else Real(exp_eps), upper=upper), _NONE, _NONE
        if event is not None:
            plain, moved = self.law.exact_masses(event.first, event.last, self.shift.by)
        return WorstEvent(*self.shift.pair(upper=upper), *((moved, plain) if upper else (plain, moved)))

    def _exact_delta(self, exp_eps: Fraction, *, upper: bool) -> Fraction:
        event = self._half_line(Real(exp_eps), upper=upper)
        return _NONE if event is None else self.law.exact_excess(event.first, event.last, self.shift.by, exp_eps)


def _bound_bytes(known: Bound[Fraction]) -> int:
    return fraction_bytes(known.delta)


@bounded_cache(size=_bound_bytes, entries=ANSWERS_KEPT, limit=BYTES_KEPT)
def _kept_bound(engine: LatticeShift, exp_eps: Fraction) -> Bound[Fraction]:
    deltas = {upper: engine._exact_delta(exp_eps, upper=upper) for upper in engine._orders(exp_eps)}
    upper = max(deltas, key=deltas.__getitem__)
    return Bound(deltas[upper], deltas[upper], engine.shift.pair(upper=upper), engine.theorem, Level.EXACT)
