"""A query plus noise: the views of neighbours are one law and the same law shifted.

For log-concave noise w the ratio w(t) / w(t-s) falls in t, so the events {w(t) > E w(t-s)} and {w(t-s) > E w(t)} are
half-lines; their ends are found by bisection on exact comparisons, and the masses are exact tails. Then the divergence
is the largest F(a) - E F(a-s) over half-lines, F being the distribution function, and does not fall as s grows: only
the largest shift needs to be tried. Other noise is treated shift by shift and outcome by outcome.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.engines.pair import Masses, both_masses
from exactdp.engines.sparse import SparsePacking
from exactdp.engines.worst import DataSet, EnclosedWorst, WorstEvent
from exactdp.errors import TooLargeError
from exactdp.kernel.balls import compare_reals
from exactdp.kernel.lattice import enclose_half_line
from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

__all__ = ["JointShift", "Noise", "Shift", "ShiftScan"]

Noise = Law | Binomial

_JOINT_LIMIT: Final = 4 * 10**6
"""Most outcomes of two bins together."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A pair of data sets of which the second's view is the first's plus ``by`` >= 1."""

    by: int
    first: DataSet
    second: DataSet


@dataclass(frozen=True)
class ShiftScan:
    """The engine for one noisy count: the worst of the given shifts, in both orders."""

    noise: Noise
    shifts: tuple[Shift, ...]

    @property
    def name(self) -> str:
        """The name of the engine in messages."""
        return "shift"

    @property
    def ratio_bits(self) -> int:
        """Weights are integers of at most this many bits."""
        if isinstance(self.noise, Binomial):
            return self.noise.n * self.noise.p.denominator.bit_length() + 1
        return self.noise.total.bit_length()

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the worst shift, order and event, exactly."""
        events = [event for shift in self.shifts for event in _both_orders(self.noise, shift, exp_eps)]
        return max(events, key=lambda event: event.delta(exp_eps or Fraction(0)))

    def enclosed_worst(self, exp_eps: Real, relative_bits: int) -> EnclosedWorst | None:
        """Enclose delta by the two half-lines of the widest shift, for binomial noise of any size."""
        if not isinstance(self.noise, Binomial) or self.noise.program is None:
            return None
        mirrored = Binomial(self.noise.n, 1 - self.noise.p)
        widest = max(self.shifts, key=lambda shift: shift.by)
        forward, backward = (
            _enclosed_lower_tail(noise, widest.by, exp_eps, relative_bits) for noise in (self.noise, mirrored)
        )
        delta = Interval.maximum(forward, backward)
        if backward.compare(forward) == 1:
            return EnclosedWorst(widest.second, widest.first, delta)
        return EnclosedWorst(widest.first, widest.second, delta)


def _both_orders(noise: Noise, shift: Shift, exp_eps: Fraction | None) -> tuple[WorstEvent, WorstEvent]:
    if isinstance(noise, Binomial) and 0 < noise.p < 1 and noise.is_log_concave:
        forward = _lower_tail(noise, shift.by, exp_eps)
        mirrored = Binomial(noise.n, 1 - noise.p)  # Y + s against Y is n - Y against n - Y + s, read backwards
        backward = _lower_tail(mirrored, shift.by, exp_eps)
    else:
        law = noise.law() if isinstance(noise, Binomial) else noise
        forward, backward = _finite_masses(law, shift.by, exp_eps)
    return WorstEvent(shift.first, shift.second, *forward), WorstEvent(shift.second, shift.first, *backward)


def _lower_tail(noise: Binomial, shift: int, exp_eps: Fraction | None) -> Masses:
    """Return P[Y in T] and P[Y + shift in T] for the worst event T = {t : w(t) > E w(t - shift)} = {t < end}."""
    end = shift if exp_eps is None else _end_of_event(noise, shift, Real(exp_eps))
    return noise.exact_cdf(end - 1), noise.exact_cdf(end - 1 - shift)


def _enclosed_lower_tail(noise: Binomial, shift: int, exp_eps: Real, relative_bits: int) -> Interval:
    """Enclose P[Y in T] - E P[Y + shift in T] for the worst event T = {t : w(t) > E w(t - shift)} = {t < end}."""
    assert noise.program is not None
    end = _end_of_event(noise, shift, exp_eps)
    return enclose_half_line(noise.program, end - 1, shift, exp_eps, relative_bits)


def _end_of_event(noise: Binomial, shift: int, exp_eps: Real) -> int:
    """Return the least t >= shift with w(t) <= E w(t - shift), by bisection on exact comparisons."""

    def is_beyond(t: int) -> bool:
        return compare_reals(_ratio_of_weights(noise, t, shift), exp_eps) <= 0

    return bisect_left(range(shift, noise.n + 1), True, key=is_beyond) + shift


def _ratio_of_weights(noise: Binomial, t: int, shift: int) -> Real:
    """w(t) / w(t - shift), for shift <= t <= n."""
    success, failure = noise.p.numerator, noise.p.denominator - noise.p.numerator
    over, under = success**shift, failure**shift
    for i in range(t - shift + 1, t + 1):
        over *= noise.n - i + 1
        under *= i
    return Real(Fraction(over, under))


def _finite_masses(law: Law, shift: int, exp_eps: Fraction | None) -> tuple[Masses, Masses]:
    make = SparsePacking(law.total).law
    first = make(tuple(law.weights.items()))
    second = make(tuple((t + shift, weight) for t, weight in law.weights.items()))
    return both_masses(first, second, _ratio(exp_eps), law.total)


def _ratio(exp_eps: Fraction | None) -> tuple[int, int] | None:
    return None if exp_eps is None else (exp_eps.numerator, exp_eps.denominator)


@dataclass(frozen=True)
class JointShift:
    """The engine for two noisy counts of which one goes up and the other down by one: two bins of a histogram."""

    noise: Noise
    first: DataSet
    second: DataSet
    limit: int

    def __post_init__(self) -> None:
        size = self.noise.n + 1 if isinstance(self.noise, Binomial) else len(self.noise)
        limit = min(self.limit, _JOINT_LIMIT)
        if (size + 1) ** 2 > limit:
            raise TooLargeError(
                f"{self.name}: two bins have {(size + 1) ** 2} outcomes, more than the limit of {limit}. "
                "Use noise with fewer outcomes, or one bin and basic composition."
            )

    @property
    def name(self) -> str:
        """The name of the engine in messages."""
        return "joint shift"

    @property
    def ratio_bits(self) -> int:
        """Weights of the two bins together are integers of at most this many bits."""
        return 2 * ShiftScan(self.noise, ()).ratio_bits

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the worst event, exactly; the two orders mirror each other by exchanging the bins."""
        law = self.noise.law() if isinstance(self.noise, Binomial) else self.noise
        base = max(law) - min(law) + 2  # outcomes (t, u) become t + base * u, and shifts by one stay apart
        both = {t + base * u: x * y for t, x in law.weights.items() for u, y in law.weights.items()}
        make = SparsePacking(law.total**2).law
        first = make(tuple((outcome + 1, weight) for outcome, weight in both.items()))
        second = make(tuple((outcome + base, weight) for outcome, weight in both.items()))
        masses, _ = both_masses(first, second, _ratio(exp_eps), law.total**2)
        return WorstEvent(self.first, self.second, *masses)

    def enclosed_worst(self, exp_eps: Real, relative_bits: int) -> None:
        """Exact masses are within reach wherever this engine starts."""
