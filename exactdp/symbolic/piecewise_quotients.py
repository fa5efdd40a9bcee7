"""Functions of one parameter that are a quotient of polynomials between one breakpoint and the next.

Breakpoints are roots of irreducible polynomials with whole coefficients, so that two of them are equal or can be
brought apart. An interval is cut at every root inside of each polynomial whose sign is asked, those included at which
it only touches 0: on a cell between neighbours it has no root, hence one sign, which is that at any rational of the
cell, and at rationals everything is compared exactly. Cuts at which nothing changes are left out again.

Which events can be the best ones on a box of several parameters, and which of their polynomials can be the largest
-------------------------------------------------------------------------------------------------------------------

For one pair of data sets the best event at a point holds the views whose excess P - e^eps Q is above 0 there. The signs
of excesses are shown on the whole box where that can be done; those left are free, except that excesses with the same
factors of changing sign are above 0 together, or in turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Final, NamedTuple, TypeAlias

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.symbolic.box import Interval
from exactdp.symbolic.real_roots import Coefficients, RealRoot, ascending, between, roots_between, sign_at, trimmed
from exactdp.symbolic.signs_on_boxes import bernstein_coefficients, failing_place, inner_grid
from exactdp.symbolic.sums import Polynomial
from exactdp.symbolic.symbolic_laws import as_polynomial
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

Element: TypeAlias = Any
"""A polynomial of a ring of SymPy's in one variable over the integers."""


Span: TypeAlias = tuple[Fraction, Fraction]
"""Two rationals with no breakpoint between them."""


_APART: Final = 2**24
"""Roots are narrowed once to this part of the interval, so that the order of most of them is seen at once."""


class Quotient(NamedTuple):
    """numerator / denominator, the denominator above 0 wherever it is looked at; ``attained`` says by what."""

    numerator: Element
    denominator: Element
    attained: Any = None

    def difference(self, other: Quotient) -> Element:
        """Return a polynomial with the sign of self - other."""
        if self.denominator == other.denominator:
            return self.numerator - other.numerator
        return self.numerator * other.denominator - other.numerator * self.denominator


@dataclass(frozen=True, slots=True)
class PiecewiseQuotient:
    """``values[i]`` between ``breaks[i - 1]`` and ``breaks[i]``; the first and the last reach to the ends."""

    breaks: tuple[RealRoot, ...]
    values: tuple[Quotient, ...]


class Line:
    """An interval of one parameter, with the roots in it of every polynomial that has been asked for."""

    def __init__(self, side: Interval) -> None:
        self.low, self.high = side.low, side.high
        self._roots: dict[Element, list[RealRoot]] = {}
        self._irreducible: dict[Coefficients, list[RealRoot]] = {}

    def roots(self, polynomial: Element) -> list[RealRoot]:
        """Return the roots inside, each once, whether the sign changes there or not; those of 0 are none."""
        if polynomial not in self._roots:
            factors = (coefficients_of(factor) for factor, _ in polynomial.factor_list()[1])
            self._roots[polynomial] = [root for factor in factors for root in self.roots_of(factor)]
        return self._roots[polynomial]

    def roots_of(self, irreducible: Coefficients) -> list[RealRoot]:
        """Return the roots inside of an irreducible polynomial; equal roots are one object."""
        if irreducible not in self._irreducible:
            found = roots_between(irreducible, self.low, self.high)
            self._irreducible[irreducible] = [root.narrowed((self.high - self.low) / _APART) for root in found]
        return self._irreducible[irreducible]

    def cells(self, roots: Iterable[RealRoot]) -> tuple[tuple[RealRoot, ...], list[Span]]:
        """Return the roots in ascending order, and two rationals around the inside of each cell between them."""
        order = list(dict.fromkeys(roots))
        apart = ascending(order, self.low, self.high)
        inside = sorted(order, key=lambda root: _place(root, apart))
        ends = [self.low, *(end for root in apart for end in (root.low, root.high)), self.high]
        return tuple(inside), list(zip(ends[::2], ends[1::2], strict=True))

    def positive_part(self, excesses: Sequence[Element], denominator: Element, attained: Any) -> PiecewiseQuotient:
        """Return the sum of the positive parts of polynomials, over a denominator."""
        breaks, spans = self.cells(root for excess in excesses for root in self.roots(excess))
        coefficients = [coefficients_of(excess) for excess in excesses]
        zero = denominator.ring.zero
        values = []
        for at in (between(*span) for span in spans):
            chosen = (e for e, c in zip(excesses, coefficients, strict=True) if sign_at(c, at) > 0)
            values.append(Quotient(sum(chosen, zero), denominator, attained))
        return joined(breaks, values)

    def maximum(self, first: PiecewiseQuotient, second: PiecewiseQuotient) -> PiecewiseQuotient:
        """Return the larger of two functions, the first where they are equal."""

        def larger(pair: Sequence[Quotient], span: Span) -> Quotient:
            return pair[1] if sign_at(coefficients_of(pair[1].difference(pair[0])), between(*span)) > 0 else pair[0]

        return self.combined([first, second], lambda pair: [pair[0].difference(pair[1])], larger)

    def combined(
        self,
        functions: Sequence[PiecewiseQuotient],
        deciding: Callable[[Sequence[Quotient]], Sequence[Element]],
        result: Callable[[Sequence[Quotient], Span], Quotient],
    ) -> PiecewiseQuotient:
        """Return what is made of functions: on a cell where no polynomial of ``deciding`` has a root, one quotient."""
        breaks, spans = self.cells(root for function in functions for root in function.breaks)
        at_cells = [[_value(function, breaks, i) for function in functions] for i in range(len(spans))]
        more = (root for values in at_cells for p in deciding(values) for root in self.roots(p))
        finer, spans = self.cells([*breaks, *more])
        position, values = 0, []
        for i, span in enumerate(spans):
            position += i > 0 and finer[i - 1] in breaks
            values.append(result(at_cells[position], span))
        return joined(finer, values)


def _value(function: PiecewiseQuotient, breaks: Sequence[RealRoot], cell: int) -> Quotient:
    """Return the function's quotient in a cell of finer breaks."""
    return function.values[sum(root in function.breaks for root in breaks[:cell])]


def _place(root: RealRoot, apart: Sequence[RealRoot]) -> int:
    """Return which of the narrowed roots it is."""
    return next(
        i
        for i, one in enumerate(apart)
        if one.polynomial == root.polynomial and root.low <= one.low and one.high <= root.high
    )


def joined(breaks: Sequence[RealRoot], values: Sequence[Quotient]) -> PiecewiseQuotient:
    """Return the function without breakpoints at which nothing changes."""
    kept, found = [], [values[0]]
    for root, value in zip(breaks, values[1:], strict=True):
        if value.difference(found[-1]):
            kept.append(root)
            found.append(value)
    return PiecewiseQuotient(tuple(kept), tuple(found))


def coefficients_of(polynomial: Element) -> Coefficients:
    """Return the whole coefficients of a positive multiple, the constant first."""
    if not polynomial:
        return ()
    terms = {exponents[0]: int(coefficient) for exponents, coefficient in polynomial.items()}
    return trimmed([terms.get(k, 0) for k in range(max(terms) + 1)])


def pieces_between(breaks: Sequence[RealRoot], low: Fraction, high: Fraction) -> Iterator[tuple[Any, Any]]:
    """Yield the ends of each piece."""
    ends = [low, *breaks, high]
    yield from itertools.pairwise(ends)


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
