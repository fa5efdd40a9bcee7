"""A query plus lattice noise of any size: exact where the law is rational and short, enclosed everywhere.

Which events are worst, and why only the largest shift counts, is proved in :mod:`exactdp.privacy.half_lines`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.caching import cached_property
from exactdp.engines.curves import Curves
from exactdp.engines.finite_shift import FiniteShifts, Shift
from exactdp.engines.pair import Masses
from exactdp.engines.worst import EnclosedWorst, WorstEvent
from exactdp.kernel.law_intervals import enclose_falling, enclose_half_line
from exactdp.laws.binomial import Binomial
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.half_lines import Event, lower_event, upper_event

__all__ = ["LatticeShift"]

_ZERO: Final = Interval.around(0, relative_bits=1)
_SHORT_BITS: Final = 2**14
"""Masses of so few bits are compared exactly; longer ones by enclosures first."""

_ORDER_BITS: Final = 64

_LISTED: Final = 2000
"""Most outcomes that are listed one by one."""


@dataclass(frozen=True)
class LatticeShift:
    """The engine for one noisy count: the noise against the noise shifted, in both orders."""

    law: LatticeLaw
    shift: Shift

    @property
    def name(self) -> str:
        """The name of the engine in messages."""
        return "shift"

    @property
    def is_exact(self) -> bool:
        """Whether the law's probabilities are rational and short enough to be built."""
        return self.law.is_exact

    @property
    def encloses_faster(self) -> bool:
        """True: eps at a delta is found faster by enclosures than by exact lines."""
        return True

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

    def curves(self) -> Curves | None:
        """Return the curves of the two orders; None for noise of many outcomes."""
        low, high = self.law.low, self.law.high
        if low is None or high is None or high - low > _LISTED:
            return None
        return FiniteShifts(self.law.law(), (self.shift,)).curves()

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the worse order and its worst event, exactly."""
        orders = [False, True]
        if (order := self._worse_order(exp_eps)) is not None:
            orders = [order]
        events = [self._event(exp_eps, upper=upper) for upper in orders]
        return max(events, key=lambda event: event.delta(exp_eps or Fraction(0)))

    def delta(self, exp_eps: Fraction) -> Fraction:
        """Return the least delta, exactly, without building the masses of the worst event."""
        orders = [False, True]
        if (order := self._worse_order(exp_eps)) is not None:
            orders = [order]
        return max(self._exact_delta(exp_eps, upper=upper) for upper in orders)

    def enclosed_worst(self, exp_eps: Real | None, relative_bits: int) -> EnclosedWorst:
        """Enclose delta by the two orders of the pair; ``exp_eps`` None stands for infinity."""
        forward, backward = (self._enclosed_delta(exp_eps, relative_bits, upper=upper) for upper in (False, True))
        delta = Interval.maximum(forward, backward)
        if backward.compare(forward) == 1:
            return EnclosedWorst(self.shift.second, self.shift.first, delta)
        return EnclosedWorst(self.shift.first, self.shift.second, delta)

    def _worse_order(self, exp_eps: Fraction | None) -> bool | None:
        """Return whether the shifted noise against the noise is the worse order; None where exact masses must tell."""
        if exp_eps is None or not isinstance(self.law, Binomial):
            return None
        if self.law.n * self.law.p.denominator.bit_length() < _SHORT_BITS:
            return None
        lower, upper = (self._enclosed_delta(Real(exp_eps), _ORDER_BITS, upper=upper) for upper in (False, True))
        return None if (order := upper.compare(lower)) is None else order == 1

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
        assert law.program is not None
        if not upper:
            assert event.last is not None
            return enclose_half_line(law.program, event.last, by, exp_eps, relative_bits)
        if not law.is_log_concave:
            return enclose_falling(law.program, event.last, by, exp_eps, relative_bits)
        assert event.first is not None
        return enclose_half_line(law.program, event.first, by, exp_eps, relative_bits, upper=True)

    def _event(self, exp_eps: Fraction | None, *, upper: bool) -> WorstEvent:
        masses = self._exact_masses(exp_eps, upper=upper)
        pair = (self.shift.second, self.shift.first) if upper else (self.shift.first, self.shift.second)
        return WorstEvent(*pair, *masses)

    def _exact_delta(self, exp_eps: Fraction, *, upper: bool) -> Fraction:
        event = self._half_line(Real(exp_eps), upper=upper)
        if event is None or not isinstance(self.law, Binomial):
            return self._event(exp_eps, upper=upper).delta(exp_eps)
        law, last = self._lower_binomial(event, upper=upper)
        return law.exact_half_line(last, self.shift.by, exp_eps)

    def _exact_masses(self, exp_eps: Fraction | None, *, upper: bool) -> Masses:
        """Return the probabilities of the worst event of one order under the first and the second law."""
        event = self._half_line(None if exp_eps is None else Real(exp_eps), upper=upper)
        if event is None:
            return Fraction(0), Fraction(0)
        if isinstance(self.law, Binomial):
            law, last = self._lower_binomial(event, upper=upper)
            return law.exact_half_line_masses(last, self.shift.by)
        plain, shifted = (self._probability(event, by) for by in (0, self.shift.by))
        return (shifted, plain) if upper else (plain, shifted)

    def _lower_binomial(self, event: Event, *, upper: bool) -> tuple[Binomial, int]:
        """Return the law and the end of a lower half-line; an upper one is read backwards: Y + s against Y, from n."""
        assert isinstance(self.law, Binomial)
        if not upper:
            assert event.last is not None
            return self.law, event.last
        assert event.first is not None
        return Binomial(self.law.n, 1 - self.law.p), self.law.n - event.first + self.shift.by

    def _probability(self, event: Event, by: int) -> Fraction:
        """P[Y + by in the event]."""
        upto = Fraction(1) if event.last is None else self.law.exact_cdf(event.last - by)
        return upto if event.first is None else upto - self.law.exact_cdf(event.first - by - 1)
