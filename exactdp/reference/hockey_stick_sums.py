"""Hockey-stick divergences as what they are: a sum of positive parts over all outcomes.

H_E(P || Q) = sum over y of max(0, P(y) - E Q(y)) = P(T) - E Q(T),      T = {y: P(y) > E Q(y)}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias, TypeVar

import mpmath

from exactdp.reference.counted_steps import Steps
from exactdp.reference.summed_laws import SummedLaw

Outcome = TypeVar("Outcome")

_LEAST_EXPONENT: Final = -1000
"""What is below 10 to this is not told from 0."""


@dataclass(frozen=True, slots=True)
class Event:
    """The masses P(T) and Q(T) of the event that attains a divergence, and how much of both may be missing."""

    first: Any
    second: Any
    missing: Any = 0

    def delta(self, exp_eps: Any) -> Any:
        """P(T) - E Q(T)."""
        return self.first - exp_eps * self.second


NOTHING = Event(mpmath.mpf(0), mpmath.mpf(0))
"""The event without an outcome: every divergence is at least its 0."""


def number(value: Fraction | int) -> Any:
    """Return a rational number at the working precision."""
    return mpmath.mpf(value.numerator) / value.denominator


def hockey_stick(first: Mapping[Outcome, Any], second: Mapping[Outcome, Any], exp_eps: Any) -> Event:
    """Return the event of two laws, outcome -> probability, at E.

    Differences that are smaller than the rounding of their parts are taken as 0.

    >>> event = hockey_stick({0: 0.75, 1: 0.25}, {0: 0.25, 1: 0.75}, 2)
    >>> print(event.first, event.second, event.delta(2))
    0.75 0.25 0.25
    """
    zero = mpmath.mpf(0)
    rounding = mpmath.mpf(10) ** (5 - mpmath.mp.dps)
    chosen = [
        (mass, other)
        for y, mass in first.items()
        for other in [second.get(y, zero)]
        if mass - exp_eps * other > mass * rounding
    ]
    return Event(mpmath.fsum(p for p, _ in chosen), mpmath.fsum(q for _, q in chosen))


def worst(events: Iterable[Event], exp_eps: Any) -> Event:
    """Return the event of the largest divergence at E, of the empty one with 0 on."""
    return max([NOTHING, *events], key=lambda event: event.delta(exp_eps))


def listing(law: SummedLaw, cut: Any, steps: Steps) -> dict[int, Any]:
    """Return outcome -> probability from the mode outward on both sides, while probabilities are at least ``cut``."""
    at_mode = law.pmf(law.mode)
    listed = {law.mode: at_mode}
    t, weight = law.mode, at_mode
    while (law.high is None or t < law.high) and weight >= cut:
        steps.take(2)
        weight, t = weight * law.step(t), t + 1
        listed[t] = weight
    t, weight = law.mode, at_mode
    while (law.low is None or t > law.low) and weight >= cut:
        steps.take(2)
        t -= 1
        weight /= law.step(t)
        listed[t] = weight
    return listed


Ends: TypeAlias = tuple[int | None, int | None]
"""The least and the largest outcome of a law that is listed in part; None where there is none."""


def shifted(law: dict[int, Any], shift: int, exp_eps: Any, ends: Ends | None = None) -> Event:
    """Return the event of a law Y against Y + shift, for a shift of either sign.

    Where the law is listed in part, its ``ends`` are given, and outcomes whose counterpart is not listed are left out.
    """
    known = {t: mass for t, mass in law.items() if t - shift in law or _is_beyond(t - shift, ends)}
    return hockey_stick(known, {t + shift: mass for t, mass in law.items()}, exp_eps)


def two_counts(law: dict[int, Any], exp_eps: Any, ends: Ends | None = None) -> Event:
    """Return the event of two independent copies against themselves, with one count more by 1 and one less."""
    up = {t: mass for t, mass in law.items() if t - 1 in law or _is_beyond(t - 1, ends)}
    down = {t: mass for t, mass in law.items() if t + 1 in law or _is_beyond(t + 1, ends)}
    zero = mpmath.mpf(0)
    first = {(x, y): p * q for x, p in up.items() for y, q in down.items()}
    second = {(x, y): law.get(x - 1, zero) * law.get(y + 1, zero) for x, y in first}
    return hockey_stick(first, second, exp_eps)


def _is_beyond(t: int, ends: Ends | None) -> bool:
    """Whether an outcome that is not listed has probability 0."""
    if ends is None:
        return True
    low, high = ends
    return (low is not None and t < low) or (high is not None and t > high)


def far_enough(law: SummedLaw, event_of: Callable[[dict[int, Any]], Event], exp_eps: Any, steps: Steps) -> Event:
    """Return an event of a law whose outcomes are listed until those left out do not matter to its divergence.

    What is left out is charged as ``missing``: at most as much as the outcomes that were listed last, below the cut,
    are apart from the divergence.
    """
    ten = mpmath.mpf(10)
    cut, least = ten**-mpmath.mp.dps, ten**_LEAST_EXPONENT
    while True:
        event = event_of(listing(law, cut, steps))
        needed = event.delta(exp_eps) * ten**-mpmath.mp.dps
        if cut <= max(needed, least):
            return Event(event.first, event.second, cut * ten**10 * (1 + exp_eps))
        cut = max(needed or cut**4, least)


def laplace_shift(scale: Any, shift: Any, exp_eps: Any) -> Event:
    """Return the event of continuous Laplace noise, of density e^(-abs(x)/b)/(2b), against itself plus ``shift`` > 0.

    The log-likelihood ratio is shift/b up to 0, falls along a line to -shift/b at the shift, and stays: T is what lies
    below the point where it is eps.
    """
    if exp_eps >= mpmath.exp(shift / scale):
        return NOTHING
    end = (shift - scale * mpmath.log(exp_eps)) / 2

    def below(x: Any) -> Any:
        half = mpmath.exp(-abs(x) / scale) / 2
        return half if x < 0 else 1 - half

    return Event(below(end), below(end - shift))
