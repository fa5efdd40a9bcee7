"""Bounds of H_E for products of ordered pairs, in tilted fixed-point integer polynomials.

**From below: buckets.** Let j be any map from the outcomes of a pair to integers, P(z) = sum of p z^j and Q(z)
likewise, over any outcomes with q > 0. For the event T that some factor's outcome has q = 0 or is set aside, or none
is and the indices add up to at least s0,

    H_E >= P(T) - E Q(T) = 1 - prod(1 - f_i)^k_i - E (1 - prod(1 - g_i)^k_i) + sum over s >= s0 of P_s - E Q_s

with f_i, g_i the masses of the first two kinds, and P_s, Q_s the coefficients of the products. It stays true if P's
coefficients are rounded down and Q's up, and if the same indices are cut from both. No lattice enters: the steps h of
the map only choose it, and indices may be halved at any time.

**From above: a dominating measure** (:mod:`exactdp.privacy.composition.losses`). With nu the convolution of all
measures H_E <= 1 - prod(1 - pinf_i)^k_i + sum over sh > eps of nu(s) (1 - E e^(-sh)). Masses are rounded up. What is
cut from a product of tilted masses, of total M = sum of nu(s) e^(theta s h), is bounded where it is cut, and adds at
most theta^theta / (1 + theta)^(1 + theta) E^-theta times its tilted mass, because (1 - e^-y)_+ e^(-theta y) has that
maximum.
A mass at (2j+1) h goes to 2jh and (2j+2) h in the shares 1 / (1 + e^h) and 1 / (1 + e^-h), which is the interpolation
again: halving the lattice of a pair this way gives the same measure as starting from the wider one.

Masses are held as integers over 2^bits, times e^(theta s h) over a normalizer for each factor (theta + 1 for Q). The
tilt puts the threshold in the middle of the law, so that few bits give the tail its relative accuracy; any theta is
valid. Powers are taken by squaring, and the step doubles when a polynomial grows beyond ``length``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final, NamedTuple, TypeVar

from flint import arb, fmpz, fmpz_poly

from exactdp.caching import bounded_cache
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import dyadic, floor_real, precision, rational_ball, real_ball, whole
from exactdp.numbers.bisection import bisect
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.real import Real
from exactdp.privacy.composition.losses import WORKING_BITS, LossPair, dominating_measure, integer

MAX_COEFFICIENTS: Final = 2**20
"""Most coefficients of a polynomial."""


_GRID_BITS: Final = 160
"""Of masses on a grid for another package, whose floats have 53."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """What is chosen freely: every choice gives valid bounds.

    Args:
        step: h > 0, the distance of the losses of the first lattice.
        tilt: theta >= 0.
        bits: of fixed-point masses.
        cut: what adds up to less than 2^-cut of the whole is cut at either end.
        length: beyond so many coefficients the step doubles.
    """

    step: Fraction
    tilt: Fraction
    bits: int
    cut: int
    length: int


class Factor(NamedTuple):
    """What every pair of a mechanism is dominated by: the largest of these profiles; and how often it is used.

    Losses above ``cap`` are raised to infinity.
    """

    pairs: tuple[LossPair, ...]
    times: int
    cap: Fraction | None


class LowerFactor(NamedTuple):
    """A pair and how often it is used; outcomes with a loss above ``cap`` are set aside."""

    pair: LossPair
    times: int
    cap: Fraction | None


class UpperBound(NamedTuple):
    """The bound; how much of it bounds what was cut, and is mass at infinity; and the length of the product."""

    value: Dyadic
    cut: Dyadic
    infinite: Dyadic
    length: int


@dataclass(frozen=True, slots=True)
class _Above:
    """Tilted masses, rounded up: coefficient i is at the loss (offset + i) 2^level h; and what was cut so far."""

    poly: fmpz_poly
    offset: int
    lost: fmpz
    level: int = 0

    def times(self, other: _Above, lattice: _TiltedLattice) -> _Above:
        """Return the convolution, with what its ends and its factors have lost."""
        totals = self.poly(1), other.poly(1)
        lost = _ceil_shift(totals[0] * other.lost + self.lost * (totals[1] + other.lost), lattice.tuning.bits)
        poly = lattice.ceiling(self.poly * other.poly)
        (low, high), cut = _ends(poly.coeffs(), lattice.cut)
        return _Above(_slice(poly, low, high), self.offset + other.offset + low, lost + cut, self.level)

    def coarsened(self, lattice: _TiltedLattice) -> _Above:
        """Return the measure on the lattice of twice the step."""
        step, theta, one = lattice.step * (1 << self.level), lattice.theta, arb(lattice.one)
        even, odd, offset = _halves(self.poly, self.offset)
        at = _up((-theta * step).exp() / (1 + step.exp()) * one)
        beyond = _up((theta * step).exp() / (1 + (-step).exp()) * one)
        spread = odd * at + (odd * beyond).left_shift(1)
        return _Above(even + lattice.ceiling(spread), offset, self.lost, self.level + 1)


@dataclass(frozen=True, slots=True)
class _Below:
    """Tilted P, rounded down, and Q, rounded up, with the same indices."""

    poly: fmpz_poly
    second: fmpz_poly
    offset: int
    level: int = 0

    def times(self, other: _Below, lattice: _TiltedLattice) -> _Below:
        """Return both convolutions, cut at the same places."""
        first = (self.poly * other.poly) // lattice.one
        second = lattice.ceiling(self.second * other.second)
        (low, high), _ = _ends(first.coeffs(), lattice.cut)
        offset = self.offset + other.offset + low
        return _Below(_slice(first, low, high), _slice(second, low, high), offset, self.level)

    def coarsened(self, lattice: _TiltedLattice) -> _Below:
        """Return the buckets merged two by two."""
        step, theta, one = lattice.step * (1 << self.level), lattice.theta, arb(lattice.one)
        even, odd, offset = _halves(self.poly, self.offset)
        even_second, odd_second, _ = _halves(self.second, self.offset)
        first = even + (odd * _down((-theta * step).exp() * one)) // lattice.one
        second = even_second + lattice.ceiling(odd_second * _up((-(theta + 1) * step).exp() * one))
        return _Below(first, second, offset, self.level + 1)


_Side = TypeVar("_Side", _Above, _Below)


class _ProductAbove(NamedTuple):
    """The product of dominating measures, what it is to be multiplied with, ln(1 - mass at infinity), largest loss."""

    side: _Above
    scale: arb
    log_finite: arb
    reach: arb
    atoms: int
    """How many the pairs have, which are kept with it."""

    def bytes(self) -> int:
        """Return about how many bytes are kept."""
        return _bytes(self.side.poly) + self.atoms * _ATOM_BYTES


class _ProductBelow(NamedTuple):
    """The product of pairs in buckets, what it is to be multiplied with, and ln(1 - mass) of infinite losses, of those
    and what is set aside under P, and of what is set aside under Q."""

    side: _Below
    scale: arb
    logs: tuple[arb, arb, arb]
    atoms: int

    def bytes(self) -> int:
        """Return about how many bytes are kept."""
        return _bytes(self.side.poly) + _bytes(self.side.second) + self.atoms * _ATOM_BYTES


def _bytes(poly: fmpz_poly) -> int:
    return int(poly.length() * poly.height_bits()) // 8


_ATOM_BYTES: Final = 400
"""Of an atom of a pair: three balls."""

_KEPT_PRODUCTS: Final = 64
"""Products that are kept: a search for an eps asks about few of them, again and again."""

_KEPT_BYTES: Final = 2**26
"""Of all products that are kept, with their pairs."""


def upper_bound(factors: Sequence[Factor], exp_eps: Real, tuning: Tuning) -> UpperBound:
    """Return an upper bound of H_E for every product of pairs that the factors dominate."""
    with precision(max(WORKING_BITS, tuning.bits + 128)):
        product = _product_above(tuple(factors), tuning)
        infinite = -product.log_finite.expm1()
        length = product.side.poly.length()
        if product.reach <= real_ball(exp_eps).log():  # no sum of finite losses is above eps
            return UpperBound(_above(infinite), _above(arb(0)), _above(infinite), length)
        tail = _TiltedLattice(tuning).value(product.side, exp_eps, product.scale)
        theta = rational_ball(tuning.tilt)
        most = (theta * theta.log() - (theta + 1) * (theta + 1).log()).exp() if tuning.tilt else arb(1)
        share = product.scale * arb(product.side.lost) / arb(2) ** tuning.bits
        cut = most * (-theta * real_ball(exp_eps).log()).exp() * share
        whole = infinite + tail + cut
        return UpperBound(_above(whole), _above(cut), _above(infinite), length)


def lower_bound(factors: Sequence[LowerFactor], exp_eps: Real, tuning: Tuning) -> Dyadic:
    """Return a lower bound of H_E for the product of the pairs; 0 where nothing better is found."""
    with precision(max(WORKING_BITS, tuning.bits + 128)):
        product = _product_below(tuple(factors), tuning)
        alone, first, second = (-log.expm1() for log in product.logs)
        certain, with_aside = alone.lower(), (first - real_ball(exp_eps) * second).lower()
        best = with_aside if with_aside > certain else certain
        tail = _TiltedLattice(tuning).difference(product.side, exp_eps, product.scale).lower()
        if tail > 0:
            best += tail
        return _below(best)


def grid_above(factors: Sequence[Factor], step: Fraction, finer: int) -> tuple[dict[int, Fraction], Fraction]:
    """Return masses at the losses j ``step``, by j, and at infinity, that dominate every product of the factors' pairs.

    Each run's losses are put on a lattice 2^``finer`` times finer, which is widened as products grow.

    Raises:
        TooLargeError: where the losses of all runs do not fit in the longest polynomial at that step.
    """
    tuning = Tuning(step / 2**finer, Fraction(0), _GRID_BITS, _GRID_BITS - 32, MAX_COEFFICIENTS >> 3)
    with precision(WORKING_BITS):
        product, lattice = _product_above(tuple(factors), tuning), _TiltedLattice(tuning)
        side = product.side
        while side.level < finer:
            side = side.coarsened(lattice)
        if side.level > finer:
            raise TooLargeError(
                f"composition: losses of all runs take more than {tuning.length} multiples of {step}. Use a larger "
                "discretization."
            )
        unit = product.scale / arb(lattice.one)
        masses = {
            side.offset + i: dyadic((unit * arb(mass)).upper()).fraction()
            for i, mass in enumerate(side.poly.coeffs())
            if mass > 0
        }
        return masses, dyadic((unit * arb(side.lost) - product.log_finite.expm1()).upper()).fraction()


def outcomes_below(
    factors: Sequence[LowerFactor], step: Fraction, finer: int
) -> tuple[list[tuple[Fraction, Fraction]], Fraction]:
    """Return lower bounds of P and upper ones of Q of outcomes of the product, about ``step`` of loss apart or more.

    With them comes a lower bound of the mass with Q = 0. No divergence of these is above that of the product.
    """
    tuning = Tuning(step / 2**finer, Fraction(0), _GRID_BITS, _GRID_BITS - 32, MAX_COEFFICIENTS >> 3)
    with precision(WORKING_BITS):
        product, lattice = _product_below(tuple(factors), tuning), _TiltedLattice(tuning)
        side, unit = product.side, product.scale / arb(lattice.one)
        while side.level < finer:
            side = side.coarsened(lattice)
        wide = rational_ball(tuning.step * 2**side.level)
        outcomes = []
        for i, (first, second) in enumerate(zip(side.poly.coeffs(), side.second.coeffs(), strict=False)):
            if first > 0:
                q = unit * arb(second) * (-wide * (side.offset + i)).exp()
                outcomes.append((dyadic((unit * arb(first)).lower()).fraction(), dyadic(q.upper()).fraction()))
        alone = dyadic((-product.logs[0].expm1()).lower()).fraction()
        return outcomes, max(Fraction(0), alone)


@bounded_cache(size=_ProductAbove.bytes, entries=_KEPT_PRODUCTS, limit=_KEPT_BYTES)
def _product_above(factors: tuple[Factor, ...], tuning: Tuning) -> _ProductAbove:
    """Return the product, which bounds H_E at every E."""
    lattice = _TiltedLattice(tuning)
    powers, scale, log_finite, reach = [], arb(1), arb(0), arb(0)
    for factor in factors:
        base, normalizer, infinite, most = lattice.above(factor)
        reach += most * factor.times
        powers.append(lattice.power(base, factor.times))
        scale *= normalizer**factor.times
        log_finite += factor.times * _log_rest(infinite)
    atoms = sum(len(pair.atoms) for factor in factors for pair in factor.pairs)
    return _ProductAbove(reduce(lattice.join, powers), scale, log_finite, reach, atoms)


@bounded_cache(size=_ProductBelow.bytes, entries=_KEPT_PRODUCTS, limit=_KEPT_BYTES)
def _product_below(factors: tuple[LowerFactor, ...], tuning: Tuning) -> _ProductBelow:
    lattice = _TiltedLattice(tuning)
    powers, scale = [], arb(1)
    logs = (arb(0), arb(0), arb(0))
    for factor in factors:
        base, normalizer, aside = lattice.below(factor)
        powers.append(lattice.power(base, factor.times))
        scale *= normalizer**factor.times
        infinite = factor.pair.infinite
        masses = (infinite.lower(), (infinite + aside[0]).lower(), aside[1])
        alone, first, second = (log + factor.times * _log_rest(mass) for log, mass in zip(logs, masses, strict=True))
        logs = alone, first, second
    return _ProductBelow(reduce(lattice.join, powers), scale, logs, sum(len(factor.pair.atoms) for factor in factors))


class _TiltedLattice:
    """The arithmetic of one tuning: lattices of steps h, 2h, 4h, ..., one tilt, one fixed point."""

    def __init__(self, tuning: Tuning) -> None:
        self.tuning = tuning
        self.step, self.theta = rational_ball(tuning.step), rational_ball(tuning.tilt)
        self.one = fmpz(1) << tuning.bits
        self.cut = max(fmpz(1), self.one >> tuning.cut)
        self.almost = fmpz_poly([0])

    def ceiling(self, poly: fmpz_poly) -> fmpz_poly:
        """Return coefficients >= 0 over 2^bits, rounded up.

        Only such coefficients may be divided: FLINT's quotient of a negative one above -2^bits is 0, not -1.
        """
        if self.almost.length() < poly.length():
            self.almost = fmpz_poly([self.one - 1] * poly.length())
        return (poly + self.almost.truncate(poly.length())) // self.one

    # --- one factor ---

    def above(self, factor: Factor) -> tuple[_Above, arb, arb, arb]:
        """Return a dominating measure as tilted integers, their normalizer, the mass at infinity, the largest loss."""
        measure = dominating_measure(factor.pairs, self.step, factor.cap)
        tilted = {j: mass * (self.theta * self.step * j).exp() for j, mass in sorted(measure.masses.items())}
        if not tilted:
            return _Above(fmpz_poly([0]), 0, fmpz(0)), arb(1), measure.infinite, arb(0)
        normalizer = sum(tilted.values(), arb(0)).upper()
        unit = arb(self.one) / normalizer
        entries = [(j, _up(mass * unit)) for j, mass in tilted.items()]
        (low, high), lost = _ends([value for _, value in entries], self.cut)
        reach, entries = self.step * entries[-1][0], entries[low:high]
        return _Above(_dense(entries), entries[0][0], lost), normalizer, measure.infinite, reach

    def below(self, factor: LowerFactor) -> tuple[_Below, arb, tuple[arb, arb]]:
        """Return a pair in buckets as tilted integers, their normalizer, and the masses (P, Q) that are set aside."""
        highest = None if factor.cap is None else rational_ball(factor.cap)
        buckets: dict[int, tuple[arb, arb]] = {}
        aside = arb(0), arb(0)
        for p, q, x in factor.pair.atoms:
            if highest is not None and not x <= highest:
                aside = aside[0] + p, aside[1] + q
                continue
            j = integer(x / self.step + arb(1) / 2)
            first, second = buckets.get(j, (arb(0), arb(0)))
            buckets[j] = first + p, second + q
        if not buckets:
            return _Below(fmpz_poly([0]), fmpz_poly([0]), 0), arb(1), aside
        tilts = {j: (self.theta * self.step * j).exp() for j in sorted(buckets)}
        normalizer = sum((buckets[j][0] * tilt for j, tilt in tilts.items()), arb(0)).upper()
        unit = arb(self.one) / normalizer
        firsts, seconds = [], []
        for j, tilt in tilts.items():
            first, second = buckets[j]
            firsts.append((j, _down(first * tilt * unit)))
            seconds.append((j, _up(second * tilt * (self.step * j).exp() * unit)))
        (low, high), _ = _ends([value for _, value in firsts], self.cut)
        return _Below(_dense(firsts[low:high]), _dense(seconds[low:high]), firsts[low][0]), normalizer, aside

    # --- products ---

    def power(self, base: _Side, times: int) -> _Side:
        """Return a power by squaring, on a lattice as wide as its length asks for."""
        power = base
        for bit in bin(times)[3:]:
            power = self._shortened(power.times(power, self))
            if bit == "1":
                power = self.join(power, base)
        return power

    def join(self, left: _Side, right: _Side) -> _Side:
        """Return the product of two, on the wider lattice of the two."""
        while left.level < right.level:
            left = left.coarsened(self)
        while right.level < left.level:
            right = right.coarsened(self)
        return self._shortened(left.times(right, self))

    def _shortened(self, side: _Side) -> _Side:
        while side.poly.length() > self.tuning.length:
            side = side.coarsened(self)
        return side

    # --- what a product says ---

    def value(self, side: _Above, exp_eps: Real, scale: arb) -> arb:
        """Return the sum of nu(s) (1 - E e^(-s h)) over s h > eps."""
        start = floor_real(Real.log(exp_eps) * Real(1 / (self.tuning.step * (1 << side.level)))) + 1
        return self._excess(side, side.poly, max(0, start - side.offset), real_ball(exp_eps), scale)

    def difference(self, side: _Below, exp_eps: Real, scale: arb) -> arb:
        """Return the sum of P_s - E Q_s from the first s on where it is about positive."""
        level = real_ball(exp_eps)
        return self._excess(side, side.second, self._threshold(side, level), level, scale)

    def _excess(self, side: _Above | _Below, second: fmpz_poly, first: int, level: arb, scale: arb) -> arb:
        """Return what the coefficients from index ``first`` on are, less ``level`` times those of ``second``."""
        step = self.step * (1 << side.level)
        place = step * (side.offset + first)
        ps, qs = (_slice(poly, first, side.poly.length()) for poly in (side.poly, second))
        untilted = ps((-self.theta * step).exp()) * (-self.theta * place).exp()
        weighted = qs((-(self.theta + 1) * step).exp()) * (-(self.theta + 1) * place).exp()
        return (untilted - level * weighted) * scale / arb(self.one)

    def _threshold(self, side: _Below, level: arb) -> int:
        """Return the least index with P_s > E Q_s > 0, as if the ratio rose from one such index to the next."""
        step = self.step * (1 << side.level)
        filled = [i for i, value in enumerate(side.poly.coeffs()) if value > 0]

        def is_above(i: int) -> bool:
            first, second = arb(side.poly[filled[i]]), arb(side.second[filled[i]])
            return bool(first * (step * (side.offset + filled[i])).exp() > level * second)

        place = bisect(-1, len(filled), is_above)
        return filled[place] if place < len(filled) else int(side.poly.length())


def _log_rest(mass: arb) -> arb:
    """Return ln(1 - mass), where a mass that may be 1 counts as 1; bounds from below pass its lower end."""
    return (-mass).log1p() if mass < 1 else arb.neg_inf()


def _up(value: arb) -> fmpz:
    """Return an integer of at least ``value`` and 0."""
    return max(whole(value.upper().ceil()), fmpz(0))


def _down(value: arb) -> fmpz:
    """Return an integer of at most ``value`` >= 0, and at least 0."""
    return max(whole(value.lower().floor()), fmpz(0))


def _ceil_shift(value: fmpz, bits: int) -> fmpz:
    return -((-value) >> bits)


def _ends(values: Sequence[fmpz], cut: fmpz) -> tuple[tuple[int, int], fmpz]:
    """Return the range that keeps all but at most ``cut`` at either end, at least one value, and what it leaves out."""
    low, high, before, after = 0, len(values), fmpz(0), fmpz(0)
    while low < high - 1 and before + values[low] <= cut:
        before += values[low]
        low += 1
    while high > low + 1 and after + values[high - 1] <= cut:
        after += values[high - 1]
        high -= 1
    return (low, high), before + after


def _dense(entries: Sequence[tuple[int, fmpz]]) -> fmpz_poly:
    """Return the polynomial of sorted (index, coefficient), from the first index on."""
    offset, size = entries[0][0], entries[-1][0] - entries[0][0] + 1
    if size > MAX_COEFFICIENTS:
        raise TooLargeError(
            f"composition: one run's losses take {size} lattice points, more than the limit of {MAX_COEFFICIENTS}. "
            "Ask for a larger relative_width."
        )
    values = [fmpz(0)] * size
    for j, value in entries:
        values[j - offset] = value
    return fmpz_poly(values)


def _slice(poly: fmpz_poly, low: int, high: int) -> fmpz_poly:
    return poly.truncate(high).right_shift(low)


def _halves(poly: fmpz_poly, offset: int) -> tuple[fmpz_poly, fmpz_poly, int]:
    """Return the coefficients at even and at odd indices, each from the same half index on, and that half."""
    values = poly.coeffs()
    if offset % 2:
        values, offset = [fmpz(0), *values], offset - 1
    return fmpz_poly(values[::2]), fmpz_poly(values[1::2]), offset // 2


def _above(value: arb) -> Dyadic:
    return dyadic(value.upper())


def _below(value: arb) -> Dyadic:
    return dyadic(value.lower())
