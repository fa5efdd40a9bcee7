"""The worst events of a law on the integers against the same law shifted, found by exact comparisons.

Every law of the package is log-concave, or it is log-convex and falls from its least outcome on (a negative binomial
law with r < 1); ``is_log_concave`` says which. Let w be its weights and s >= 1.

*Log-concave.* w(t) / w(t-s) never rises in t. So {w(t) > E w(t-s)} is a lower half-line and {w(t-s) > E w(t)} an upper
one, for every E >= 1. An end is found by bisection. Where the support has no end the ratio has a limit on that side,
``tail_ratio``^s, which it never exceeds: if that is not above E, the event is empty.

*Log-convex and falling from 0 on.* w(t) / w(t-s) < 1 <= E for t >= s, so the first event is {t < s}, where w(t-s) = 0.
w(t-s) / w(t) falls to p^-s without reaching it, so the second is {s <= t <= last}, or all t >= s if p^-s >= E.

In both cases the divergences do not fall as s grows, so a sensitivity of s is decided by the shift s alone. In the
first this is because a half-line's F(a) - E F(a-s) rises with s; in the second P[Y < s] does, and so does the other
order's sum over u of max(0, w(u) - E w(u+s)), because w falls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from exactdp.errors import TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.bisection import bisect
from exactdp.numbers.real import Real

_MAX_BITS: Final = 2048
"""Ends of events are looked for up to 2 to this."""


@dataclass(frozen=True, slots=True)
class Event:
    """The integers from ``first`` to ``last``; None stands for no end."""

    first: int | None
    last: int | None


@relies_on("half_line.half_lines_suffice_falling", "half_line_infinite.half_lines_suffice_infinite_falling")
def lower_event(law: LatticeLaw, shift: int, bound: Real | None, *, ties: bool = False) -> Event | None:
    """Return {t : w(t) > bound w(t - shift)}, with ``>=`` for ``ties``; None where it is empty.

    ``bound`` is at least 1; None stands for infinity. A t with w(t - shift) = 0 is in it.
    """
    if bound is None:
        return None if law.low is None else Event(None, law.low + shift - 1)
    if not law.is_log_concave:
        assert law.low is not None
        return Event(None, law.low + shift - 1)

    def is_beyond(t: int) -> bool:
        return law.compare_ratio(t, t - shift, bound) < (0 if ties else 1)

    if law.low is None:
        if not _exceeds_at_infinity(law, shift, bound) and (not ties or is_beyond(law.mode)):
            return None
        below = _search(law.mode, -1, lambda t: not is_beyond(t))
    else:
        below = law.low + shift - 1
    if law.high is not None and (below >= law.high or not is_beyond(law.high)):
        return Event(None, law.high)
    if law.is_uniform:  # and what the last shared outcome is, all are
        return Event(None, below)
    above = law.high if law.high is not None else _search(law.mode + shift, 1, is_beyond)
    return Event(None, bisect(below, above, is_beyond) - 1)


@relies_on("half_line.half_lines_suffice", "half_line_infinite.half_lines_suffice_infinite")
def upper_event(law: LatticeLaw, shift: int, bound: Real | None, *, ties: bool = False) -> Event | None:
    """Return {t : w(t - shift) > bound w(t)}, with ``>=`` for ``ties``; None where it is empty.

    ``bound`` is at least 1; None stands for infinity. A t with w(t) = 0 < w(t - shift) is in it.
    """
    if bound is None:
        return None if law.high is None else Event(law.high + 1, None)

    def is_inside(t: int) -> bool:
        return law.compare_ratio(t, t - shift, 1 / bound) < (1 if ties else 0)

    if not law.is_log_concave:
        return _rising_event(law, shift, bound, is_inside)
    below = law.mode - 1 if law.low is None else law.low + shift - 1
    if law.high is not None:
        if below >= law.high or not is_inside(law.high):
            return Event(max(below, law.high) + 1, None)
        return Event(below + 1 if law.is_uniform else bisect(below, law.high, is_inside), None)
    start = law.mode + shift
    if not _exceeds_at_infinity(law, shift, bound) and (not ties or not is_inside(start)):
        return None
    return Event(bisect(below, _search(start, 1, is_inside), is_inside), None)


def _rising_event(law: LatticeLaw, shift: int, bound: Real, is_inside: Callable[[int], bool]) -> Event | None:
    """Return the upper event of a law whose ratios w(t - shift) / w(t) fall to their limit."""
    assert law.low is not None
    assert law.tail_ratio is not None
    first = law.low + shift
    if compare_reals(law.tail_ratio**shift, bound) >= 0:
        return Event(first, None)
    if not is_inside(first):
        return None
    beyond = _search(first, 1, lambda t: not is_inside(t))
    return Event(first, bisect(first, beyond, lambda t: not is_inside(t)) - 1)


def _exceeds_at_infinity(law: LatticeLaw, shift: int, bound: Real) -> bool:
    """Whether the ratio's limit where the support has no end is above ``bound``."""
    return law.tail_ratio is None or compare_reals(law.tail_ratio**shift, bound) > 0


def _search(start: int, direction: int, holds: Callable[[int], bool]) -> int:
    """Return some t at or beyond ``start`` where a property holds that holds eventually."""
    t, step = start, 1
    while not holds(t):
        t, step = t + direction * step, 2 * step
        if t.bit_length() > _MAX_BITS:
            raise TooLargeError(
                f"the worst event begins beyond 2^{_MAX_BITS}, the limit. Ask for a smaller eps: delta there is not "
                "more than at a smaller one."
            )
    return t
