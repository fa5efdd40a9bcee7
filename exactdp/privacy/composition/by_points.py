"""Brackets of runs of which points of a profile are all that is known: more points, until more would not help.

Every set of points gives valid ends; how many there should be is chosen in
:mod:`exactdp.privacy.composition.heuristics`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, TypeAlias

from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.privacy.composition.bracket import (
    Combination,
    Found,
    Question,
    bracket,
    is_within,
    rough_choice,
    rough_upper_bound,
)
from exactdp.privacy.composition.heuristics import is_worth_more, point_step
from exactdp.privacy.composition.mechanisms import Mechanism
from exactdp.privacy.composition.profile_pairs import Fineness

Mechanisms: TypeAlias = Sequence[tuple[Mechanism, int]]
"""Mechanisms, each with the number of its runs."""

FIRST_ERROR: Final = Fraction(1, 4)
"""What the first points cost of ln(delta), about: they are few, and a quarter shows whether the ends can meet."""

_OF_AN_EPS: Final = 4
"""What a bracket of delta leaves undecided of eps on either side is at most the width over this, about."""

_WIDEST: Final = Fraction(1, 4)
"""A bracket is at least so narrow."""

_SPARE_BITS: Final = 4
"""What the points leave out stays so far below the width asked for."""

_SHARE_BITS: Final = 2
"""Losses at which real pairs are chosen are so short that neighbouring questions agree in them."""

_UNKNOWN_BITS: Final = 16
"""The lower end may be so far below the upper one while it is not known."""


def bracket_by_points(
    mechanisms: Mechanisms,
    question: Question,
    tried: Callable[[Fineness], Sequence[Combination]],
    target: Fraction | None = None,
) -> Found:
    """Return a bracket of the composed delta.

    ``tried`` makes real combinations of the points of a fineness, which bound delta from below. Where only the order of
    delta and a ``target`` is asked for, a bracket on one side of it is enough.
    """
    times = sum(runs for _, runs in mechanisms)
    rough = [(mechanism.dominating_pairs(None), runs) for mechanism, runs in mechanisms]
    choice = rough_choice(rough, question)
    step = point_step(choice.tilt, times, FIRST_ERROR)
    widest = [mechanism.widest_step for mechanism, _ in mechanisms if mechanism.widest_step is not None]
    step = min([step, *widest])
    spare = times.bit_length() + question.relative_width.denominator.bit_length() + _SPARE_BITS
    share = Dyadic.below(question.eps / times, _SHARE_BITS).fraction()
    if target is not None:  # an eps of the width asked for needs less of delta, which falls about as e^(-tilt eps)
        wide = question.relative_width * max(Fraction(1), choice.tilt * question.eps / _OF_AN_EPS)
        question = replace(question, relative_width=min(wide, max(question.relative_width, _WIDEST)))
    fineness = Fineness(step, spare - choice.log_delta, (share, 2 * share, Fraction(0)))
    error = FIRST_ERROR if widest else Fraction(0)
    best = Found(Interval(Dyadic.of(0), Dyadic.of(1)), None)
    while True:
        above = [(mechanism.dominating_pairs(fineness), runs) for mechanism, runs in mechanisms]
        is_finest = all(mechanism.is_finest(fineness) for mechanism, _ in mechanisms)
        width = max(question.relative_width, error / 4)
        found = bracket(above, tried(fineness), replace(question, relative_width=width), meets=False)
        before, best = best, _better(best, found)
        if is_finest or is_within(best.delta, question.relative_width):
            return best
        if target is not None and best.delta.compare(target) is not None:
            return best
        if not is_worth_more(before.delta, best.delta, question.relative_width):
            return best
        error /= 4
        known = best.delta.lower.magnitude if best.delta.lower.mantissa else best.delta.upper.magnitude - _UNKNOWN_BITS
        fineness = replace(fineness, step=fineness.step / 2, little=spare - known)


def upper_bound_at_once(mechanisms: Mechanisms, question: Question) -> Dyadic:
    """Return an upper bound of the composed delta that costs next to nothing, and lies some way above it."""
    return rough_upper_bound([(mechanism.dominating_pairs(None), runs) for mechanism, runs in mechanisms], question)


def _better(one: Found, other: Found) -> Found:
    """Return the better ends of two brackets."""
    upper = min(one.delta.upper, other.delta.upper)
    best = other if one.delta.lower < other.delta.lower else one
    return Found(Interval(best.delta.lower, upper), best.attained_by)
