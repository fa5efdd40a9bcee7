"""Which events can be the best ones on a box of several parameters, and which of their polynomials can be the largest.

For one pair of data sets the best event at a point holds the views whose excess P - e^eps Q is above 0 there. The signs
of excesses are shown on the whole box where that can be done; those left are free, except that excesses with the same
factors of changing sign are above 0 together, or in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import Any, Final, TypeAlias

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.symbolic.signs_on_boxes import bernstein_coefficients, failing_place, inner_grid
from exactdp.symbolic.sums import Polynomial
from exactdp.symbolic.symbolic_laws import as_polynomial
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

Element: TypeAlias = Any
"""A polynomial of a ring of SymPy's over the integers."""

MAX_EVENTS: Final = 2**12
"""Most event polynomials that are listed for several parameters."""

_GRID: Final = {2: 5, 3: 3}
"""Points along each side at which polynomials are compared first."""


def merged(excesses: Sequence[Element]) -> Iterator[Element]:
    """Yield sums of the excesses that are positive multiples of each other: they are above 0 together."""
    groups: dict[Element, Element] = {}
    for excess in excesses:
        if excess:
            primitive = excess.quo_ground(excess.content())
            groups[primitive] = groups.get(primitive, 0) + excess
    yield from groups.values()


def best_events(
    excesses: Sequence[Element], randomizer: SymbolicRandomizer, most: int, signs: dict[Element, int]
) -> Iterator[Element]:
    """Yield the polynomials of the events that may be the best one somewhere on the box.

    An excess shown to be at least 0 belongs to all of them, one shown to be at most 0 to none; of those that may change
    their sign, every choice is one, in which excesses of the same sign stay together. ``signs`` keeps what was shown of
    factors, for the next pair.
    """
    if not excesses:
        return
    always = excesses[0].ring.zero
    changing: dict[Element, list[Element]] = {}
    for excess in excesses:
        core, sign = _sign_core(excess, randomizer, signs)
        if core is None:
            always += excess if sign > 0 else 0
        else:
            changing.setdefault(core, [core.ring.zero, core.ring.zero])[sign < 0] += excess
    if 2 ** len(changing) > most:
        raise TooLargeError(
            f"{len(changing)} excesses change their sign on this box, which makes more than {most} events, the "
            "limit. Use fewer users or a smaller box, on which fewer signs change."
        )
    events = [always]
    for positive, negative in changing.values():
        events = [event + part for event in events for part in (positive, negative)]
    yield from events


def _sign_core(
    excess: Element, randomizer: SymbolicRandomizer, signs: dict[Element, int]
) -> tuple[Element | None, int]:
    """Return the product of the factors whose sign may change on the box, None for none, and the sign of the rest."""
    content, factors = excess.factor_list()
    sign, core = 1 if content > 0 else -1, excess.ring.one
    for factor, multiplicity in factors:
        if multiplicity % 2:
            if factor not in signs:
                signs[factor] = _sign_shown(factor, randomizer)
            if signs[factor]:
                sign *= signs[factor]
            else:
                core *= factor
    return (None if core == 1 else core), sign


def _sign_shown(factor: Element, randomizer: SymbolicRandomizer) -> int:
    """Return the sign of a factor on the box, weakly; 0 where it changes or was not shown."""
    polynomial = as_polynomial(factor)
    for sign in (1, -1):
        try:
            if failing_place({e: sign * c for e, c in polynomial.items()}, randomizer.box) is None:
                return sign
        except UndecidedError:
            continue
    return 0


def undominated(events: Sequence[Element], randomizer: SymbolicRandomizer) -> list[Element]:
    """Return the polynomials without those that are shown to be at most another one on the whole box."""
    points = inner_grid(randomizer.box, [_GRID.get(len(randomizer.box), 2)] * len(randomizer.box))
    values = list(zip(*(_values(events, point) for point in points), strict=True))
    order = sorted(range(len(events)), key=lambda i: sum(values[i]), reverse=True)
    kept: list[int] = []
    for i in order:
        above = (k for k in kept if all(a >= b for a, b in zip(values[k], values[i], strict=True)))
        if not any(_is_at_least_0(as_polynomial(events[k] - events[i]), randomizer) for k in above):
            kept.append(i)
    return [events[i] for i in sorted(kept)]


def _values(events: Sequence[Element], point: Sequence[Fraction]) -> list[int]:
    """Return the values of all polynomials at a point, all multiplied by the same integer above 0."""
    degree = max((max(exponents) for event in events for exponents in event), default=0)
    powers = [[x.numerator**k * x.denominator ** (degree - k) for k in range(degree + 1)] for x in point]
    return [
        sum(int(c) * prod(row[k] for row, k in zip(powers, e, strict=True)) for e, c in event.items())
        for event in events
    ]


def _is_at_least_0(polynomial: Polynomial, randomizer: SymbolicRandomizer) -> bool:
    """Whether one look at the Bernstein coefficients on the whole box shows it."""
    return not polynomial or min(bernstein_coefficients(polynomial, randomizer.box).values()) >= 0
