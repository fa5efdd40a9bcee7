"""Ordered pairs of laws as losses in balls, and the measures on a lattice of losses that dominate them.

The loss of an outcome is x = ln(P/Q). H_E(P || Q) = P[Q = 0] + E_P[(1 - E e^-x)_+], so a pair is known by the law of
its loss under P. For positive measures on losses write mu <= nu where E -> integral of (1 - E e^-x)_+ , the
*profile*, is at most nu's for every E >= 0. (1 - E e^-(x+s))_+ is such a function too, so the order survives
convolution, and with it composition.

**Interpolation.** A profile is convex in E. Replace it by the chords between 0 and the points e^(jh) of a set of
lattice points, with its value at the last of them beyond: no smaller anywhere. The kinks of the polygon at e^(jh),
times e^(jh), are the masses of a measure at the losses jh whose profile it is, and its last value is the mass at
infinity. For a single atom (p, q) between jh and (j+1)h these are

    alpha = (q e^((j+1)h) - p) / (e^h - 1) at jh,      beta = (p - q e^(jh)) / (1 - e^-h) at (j+1)h.

Enlarging a mass, or moving one to a larger loss or to infinity, raises the profile. So every mass is rounded up; an
atom whose place in the lattice is not decided goes one step up (then beta is a small negative number, and 0 is used).

**The larger of several profiles** is convex as well, and every pair of every one of them is dominated by the polygon
through the largest values. This is what adaptive composition needs: a mechanism whose pairs, in both orders, all have
profiles below one measure's composes to at most its convolution powers, whoever chooses the next data set, however.

Source: BartheOlmedo2013, Theorem 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from flint import arb, arb_poly, fmpq

from exactdp.laws.law_balls import EnclosedLaw
from exactdp.numbers.balls import dyadic, precision, rational_ball, real_ball, whole
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.real import Real

WORKING_BITS: Final = 320
"""Precision of masses and losses: relative, so that it does not depend on how small the answer is."""

_LOSS_BITS: Final = 48
"""Outlines hold losses in units of 2 to minus this."""

_SHORT_BITS: Final = 56
"""Masses of products that are handed on as fractions."""

_MASS_BITS: Final = 10
"""Outlines hold logarithms of masses in units of 2 to minus this."""


_Atom: TypeAlias = tuple[arb, arb, arb]


class LossPair:
    """An ordered pair (P, Q): finitely many atoms, and what is left of P.

    ``atoms`` are (p, q, ln(p/q)) with p, q > 0; ``infinite`` is the mass P[Q = 0]. What is not listed is P-mass of any
    loss in ``hidden``, and in ``raised`` P-mass with an upper bound of its losses: bounds from above count it there,
    bounds from below leave it out.
    """

    __slots__ = ("_outline", "atoms", "hidden", "infinite", "raised")

    def __init__(self, atoms: Sequence[_Atom], infinite: arb, rest: Sequence[tuple[arb, arb | None]] = ()) -> None:
        """``rest`` is what is not listed: masses, each with an upper bound of its losses if there is one."""
        self.atoms, self.infinite = tuple(atoms), infinite
        self.hidden = sum((mass for mass, most in rest if most is None), arb(0))
        self.raised = tuple((mass, most) for mass, most in rest if most is not None)
        self._outline: list[tuple[int, int]] | None = None

    @classmethod
    def of(cls, masses: Iterable[tuple[Fraction, Fraction]]) -> LossPair:
        """Return the pair with the masses (P, Q) of each outcome."""
        with precision(WORKING_BITS):
            atoms, infinite = [], fmpq(0)
            for first, second in masses:
                if first and second:
                    p, q = rational_ball(first), rational_ball(second)
                    atoms.append((p, q, rational_ball(first / second).log()))
                elif first:
                    infinite += fmpq(first.numerator, first.denominator)
            return cls(atoms, arb(infinite))

    @property
    def outline(self) -> list[tuple[int, int]]:
        """Near (1024 ln p, 2^48 x) of each atom: what heuristics choose by."""
        if self._outline is None:
            with precision(WORKING_BITS):
                mass, loss = arb(2) ** _MASS_BITS, arb(2) ** _LOSS_BITS
                self._outline = [(integer(p.log() * mass), integer(x * loss)) for p, _, x in self.atoms]
        return self._outline

    def hides_more_than(self, bound: Dyadic, times: int) -> bool:
        """Whether ``times`` times the mass that only bounds from above count, as a loss above 0, is above ``bound``."""
        with precision(WORKING_BITS):
            hidden = self.hidden + sum((mass for mass, loss in self.raised if not loss <= 0), arb(0))
            return not times * hidden <= arb(bound.mantissa) * arb(2) ** bound.exponent

    def from_below(self) -> tuple[list[tuple[Fraction, Fraction]], Fraction]:
        """Return lower bounds of P and upper ones of Q of each atom, by rising loss, and a lower bound of infinity's.

        What is not listed is left out, so that no divergence is larger than the pair's.
        """
        with precision(WORKING_BITS):
            rising = sorted(self.atoms, key=lambda atom: dyadic(atom[2].lower()).fraction())
            masses = [
                (max(Fraction(0), dyadic(p.lower()).fraction()), dyadic(q.upper()).fraction()) for p, q, _ in rising
            ]
            return masses, max(Fraction(0), dyadic(self.infinite.lower()).fraction())

    @property
    def infinite_outline(self) -> int | None:
        """Near 1024 ln of the mass at infinity; None where it is 0."""
        with precision(WORKING_BITS):
            mass = self.infinite + self.hidden
            return integer(mass.log() * arb(2) ** _MASS_BITS) if mass > 0 else None


def integer(value: arb) -> int:
    """Return the floor of the middle of a ball: an integer near it."""
    return int(whole(value.mid().floor()))


class Measure(NamedTuple):
    """A measure on the losses jh, with a mass at infinity; every mass is an upper bound."""

    masses: dict[int, arb]
    infinite: arb


def dominating_measure(pairs: Sequence[LossPair], step: arb, cap: Fraction | None) -> Measure:
    """Return a measure on the lattice whose profile is at least that of every pair.

    Losses above ``cap`` are raised to infinity. The precision is set by the caller.
    """
    measures = [_spread(pair, step, cap) for pair in pairs]
    return measures[0] if len(measures) == 1 else _envelope(measures, step)


def _spread(pair: LossPair, step: arb, cap: Fraction | None) -> Measure:
    """Return the interpolation of one pair's profile, atom by atom."""
    masses: dict[int, arb] = {}
    infinite = pair.infinite + pair.hidden
    ratio, highest = step.exp(), None if cap is None else rational_ball(cap)
    up, down = ratio - 1, 1 - 1 / ratio
    for p, q, x in pair.atoms:
        if highest is not None and not x <= highest:
            infinite += p
            continue
        j = _ceiling(x / step) - 1
        level = (step * j).exp()
        for place, mass in ((j, (q * level * ratio - p) / up), (j + 1, (p - q * level) / down)):
            if mass.upper() > 0:
                masses[place] = masses.get(place, arb(0)) + mass.upper()
    for mass, loss in pair.raised:
        if mass.upper() > 0:
            j = _ceiling(loss / step)
            masses[j] = masses.get(j, arb(0)) + mass.upper()
    return Measure(masses, infinite)


def _envelope(measures: Sequence[Measure], step: arb) -> Measure:
    """Return the measure of the polygon through the largest values of several profiles at lattice points."""
    places = sorted({j for measure in measures for j in measure.masses})
    if not places:
        return Measure({}, _largest([measure.infinite for measure in measures]))
    values = [_profile(measure, places, step) for measure in measures]
    points: list[tuple[arb, arb, int]] = []
    for i, j in enumerate(places):
        points.append(((step * j).exp(), _largest([value[i] for value in values]), j))
        if i + 1 < len(places):
            points += _crossings([(value[i], value[i + 1]) for value in values], j, places[i + 1], step)
    total = _largest([sum(measure.masses.values(), measure.infinite) for measure in measures])
    return _polygon(points, total)


def _profile(measure: Measure, places: Sequence[int], step: arb) -> list[arb]:
    """Return the profile at every place: what is above it, P - E Q, added up from the largest loss down."""
    values = []
    first, second = measure.infinite, arb(0)
    for j in reversed(places):
        level = (step * j).exp()
        values.append(first - level * second)
        if (mass := measure.masses.get(j)) is not None:
            first, second = first + mass, second + mass / level
    return values[::-1]


def _crossings(ends: Sequence[tuple[arb, arb]], low: int, high: int, step: arb) -> list[tuple[arb, arb, int]]:
    """Return up to two lattice points around where the largest profile changes, between two places."""
    if high - low < 2:
        return []
    left, right = _greatest([a for a, _ in ends]), _greatest([b for _, b in ends])
    if left == right:
        return []
    start, stop = (step * low).exp(), (step * high).exp()
    gain, loss = ends[left][0] - ends[right][0], ends[right][1] - ends[left][1]
    crossing = start + (stop - start) * gain.mid() / (gain + loss).mid()
    if not (crossing > start and crossing < stop):
        return []
    middle = integer(crossing.log() / step)
    points = []
    for j in (middle, middle + 1):
        if low < j < high:
            level = (step * j).exp()
            share = (level - start) / (stop - start)
            points.append((level, _largest([a + (b - a) * share for a, b in ends]), j))
    return points


def _polygon(points: Sequence[tuple[arb, arb, int]], total: arb) -> Measure:
    """Return the measure whose profile is the polygon through (0, total) and the points, and constant after them."""
    corners = [(arb(0), total), *((level, value) for level, value, _ in points)]
    slopes = [(right - left) / (stop - start) for (start, left), (stop, right) in pairwise(corners)]
    bends = pairwise([*slopes, arb(0)])
    masses = {
        j: ((after - before) * level).upper() for (level, _, j), (before, after) in zip(points, bends, strict=True)
    }
    return Measure({j: mass for j, mass in masses.items() if mass > 0}, points[-1][1])


def _largest(values: Sequence[arb]) -> arb:
    """Return an upper bound of the largest of some numbers, as a point."""
    return max(value.upper() for value in values)


def _greatest(values: Sequence[arb]) -> int:
    """Return the position of the ball with the greatest middle."""
    return max(range(len(values)), key=lambda i: values[i].mid())


def _ceiling(value: arb) -> int:
    """Return an integer that is certainly not below ``value``, and the least one unless the ball hides it."""
    return int(whole(value.upper().ceil()))


# --- products on a lattice --------------------------------------------------------------------------------------------


Masses: TypeAlias = list[tuple[Fraction, Fraction]]
"""(P, Q) of each outcome, by rising ratio; of those with Q = 0 last."""


def product_above(factors: Sequence[tuple[Sequence[LossPair], int]], step: Fraction, little: int) -> Masses:
    """Return a pair that dominates every product of pairs, as many of each factor as it says, of one of its pairs each.

    P is rounded up and Q down. Large losses of a mass below 2^-little are infinite, such small ones are raised.
    """
    with precision(WORKING_BITS):
        h, product, first, finite = rational_ball(step), arb_poly([1]), 0, arb(1)
        for pairs, times in factors:
            measure = dominating_measure(pairs, h, None)
            poly, low = _polynomial(measure.masses)
            product, first = product * poly**times, first + low * times
            finite *= (1 - measure.infinite) ** times
        listed = [max(arb(0), mass.upper()) for mass in product.coeffs()]
        low, high = _ends(listed, little)
        infinite = 1 - finite + sum(listed[high:], arb(0))
        listed[low] += sum(listed[:low], arb(0))
        masses = []
        for place in range(low, high):
            second = (-h * (first + place)).exp() * listed[place]
            masses.append((_above(listed[place]), max(Fraction(0), _below(second))))
        return [*masses, (_above(infinite), Fraction(0))]


def product_below(factors: Sequence[tuple[LossPair, int]], step: Fraction, little: int) -> Masses:
    """Return a pair that the product of pairs dominates: outcomes with nearly the same loss are told together.

    P is rounded down and Q up. What is not listed of a pair is left out, and masses below 2^-little are.
    """
    with precision(WORKING_BITS):
        h, both, finite = rational_ball(step), [arb_poly([1]), arb_poly([1])], arb(1)
        for pair, times in factors:
            buckets: dict[int, tuple[arb, arb]] = {}
            for p, q, x in pair.atoms:
                j = integer(x / h + arb(1) / 2)
                first, second = buckets.get(j, (arb(0), arb(0)))
                buckets[j] = first + p, second + q
            sides = (_polynomial({j: bucket[side] for j, bucket in buckets.items()})[0] for side in (0, 1))
            both = [one * poly**times for one, poly in zip(both, sides, strict=True)]
            finite *= (1 - pair.infinite) ** times
        firsts, seconds = (one.coeffs() for one in both)
        low, high = _ends([mass.upper() for mass in firsts], little)
        masses = [(_below(firsts[j]), _above(seconds[j])) for j in range(low, high) if firsts[j].lower() > 0]
        return [
            *sorted(masses, key=lambda mass: mass[0] / mass[1]),
            (max(Fraction(0), _below(1 - finite)), Fraction(0)),
        ]


def _ends(masses: Sequence[arb], little: int) -> tuple[int, int]:
    """Return where the masses begin and end that are not below 2^-little."""
    least = arb(1) / arb(2) ** little
    kept = [place for place, mass in enumerate(masses) if mass > least] or [0]
    return kept[0], kept[-1] + 1


def _polynomial(masses: Mapping[int, arb]) -> tuple[arb_poly, int]:
    """Return masses as coefficients, and the place of the first."""
    if not masses:
        return arb_poly([0]), 0
    low = min(masses)
    return arb_poly([masses.get(j, arb(0)) for j in range(low, max(masses) + 1)]), low


def _above(value: arb) -> Fraction:
    return Dyadic.above(dyadic(value.upper()).fraction(), _SHORT_BITS).fraction()


def _below(value: arb) -> Fraction:
    return Dyadic.below(dyadic(value.lower()).fraction(), _SHORT_BITS).fraction()


@dataclass(frozen=True)
class Window:
    """A law on the integers by its outcomes from ``first`` to ``last``.

    ``tail_ratio`` is the limit of w(t) / w(t+1). For a log-concave law w(t) / w(t-s) never rises in t; for another it
    never falls, and the window begins at the least outcome.
    """

    law: EnclosedLaw
    first: int
    last: int
    tail_ratio: Real | None
    is_log_concave: bool

    def pairs(self, shift: int) -> tuple[LossPair, LossPair]:
        """Return Y against Y + shift, and Y + shift against Y."""
        with precision(WORKING_BITS):
            weights = [self.law.pmf(t) for t in range(self.first, self.last + 1)]
            logs = [weight.log() for weight in weights]
            forward = [(weights[i], weights[i - shift], logs[i] - logs[i - shift]) for i in range(shift, len(weights))]
            backward = [(q, p, -x) for p, q, x in forward]
            start = sum(weights[:shift], arb(0))
            end = sum(weights[max(0, len(weights) - shift) :], arb(0))
            limit = None if self.tail_ratio is None else shift * real_ball(self.tail_ratio).log()
            return self._forward(forward, start, limit), self._backward(backward, end, limit)

    def _forward(self, atoms: list[_Atom], start: arb, limit: arb | None) -> LossPair:
        """The losses fall from ``start``, where Y + shift is before the window; a log-convex law's rise to -limit."""
        infinite = arb(0)
        rest: list[tuple[arb, arb | None]] = []
        if self.law.low == self.first:
            infinite = start
        else:
            rest.append((start + self.law.cdf(self.first - 1), limit if self.law.low is None else None))
        if self.law.high != self.last:
            rising = None if limit is None else -limit
            last = atoms[-1][2] if atoms else None
            rest.append((self.law.sf(self.last), last if self.is_log_concave else rising))
        return LossPair(atoms, infinite, rest)

    def _backward(self, atoms: list[_Atom], end: arb, limit: arb | None) -> LossPair:
        """The losses rise to ``end``, where Y is beyond the window; a log-convex law's fall."""
        infinite = arb(0)
        rest: list[tuple[arb, arb | None]] = []
        if self.law.high == self.last:
            infinite = end
        else:
            last = atoms[-1][2] if atoms else None
            rest.append((end + self.law.sf(self.last), limit if self.is_log_concave else last))
        if self.law.low != self.first:
            rest.append((self.law.cdf(self.first - 1), atoms[0][2] if atoms else None))
        return LossPair(atoms, infinite, rest)
