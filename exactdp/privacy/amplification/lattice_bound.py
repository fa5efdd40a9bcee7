"""What the checker will make of a blanket on a lattice, of a test of likelihoods, or of an event of scores: the
prover's own evaluation, to choose a witness by.

The format of certificates says what is computed: the tilted masses of a sum of n copies of a law
on few values, from above, by powering on a lattice that is made coarser wherever the list grows too long. The steps are
those of the page, on products of FLINT: so a witness that is enough here is enough for the checker. A mistake here
costs a certificate and proves nothing, because the checker decides.

Of a test of likelihoods, or an event of scores, it says: the laws of a sum of scores with the user who differs among
the others, from below, whatever is lost of the second law being counted in full.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter
from typing import Final, NamedTuple

from flint import arb, fmpz_poly

from exactdp.numbers.balls import precision, rational_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.privacy.amplification.tilted import FewValues, ball_floor

TILT_BITS: Final = 64
"""Tilts are multiples of 2^-64 above 1, as the format writes them."""

_GUARD_BITS: Final = 64
"""By which powers of the tilt are finer than masses, as the format says."""

_CUT_BITS: Final = 48
"""Masses of the precision less so many bits are cut at the ends, as the format says."""

_LARGEST_TILT: Final = 2 ** (TILT_BITS + 8) - 1
"""Of one step, in units of 2^-64: the largest that the format has."""

_LARGEST_LOG: Final = 5
"""ln of a tilt of one step, from which on it is the largest: 5 is below ln(2^8)."""

_NEAR_SADDLE: Final = Fraction(1, 64)
"""How near log2 of a tilt is to that of the saddle: any tilt is valid, and one so near is as good."""

_SADDLE_BITS: Final = 128
"""Of the balls in which a saddle is found, beside those that many copies need."""

_E: Final = (2718281828, 10**9)
"""e from below, as the format writes it."""

Items = tuple[tuple[Fraction, Fraction], ...]
"""(value, mass), values in increasing order."""


class PairLaw(NamedTuple):
    """What a pair of inputs makes of its classes at a number near e^eps: a charge, and the law of the rest."""

    charge: Fraction
    items: Items

    @classmethod
    def of(cls, classes: Iterable[tuple[Fraction, Fraction, Fraction]], ratio: Fraction) -> PairLaw:
        """Return the law of (P - ratio Q)/c under c, which is turned where its mean is positive."""
        charge, masses = Fraction(0), defaultdict[Fraction, Fraction](Fraction)
        for p, q, least in classes:
            if least:
                masses[(p - ratio * q) / least] += least
            else:
                charge += max(Fraction(0), p - ratio * q)
        masses.pop(Fraction(0), None)
        mean: Fraction = sum((value * mass for value, mass in masses.items()), Fraction(0))
        sign = -1 if mean > 0 else 1
        if rest := 1 - sum(masses.values(), Fraction(0)):
            masses[Fraction(0)] = rest
        return cls(charge + max(mean, Fraction(0)), tuple(sorted((sign * v, mass) for v, mass in masses.items())))

    @property
    def needs_bound(self) -> bool:
        """Whether some value is positive, so that the charge alone is not the bound."""
        return bool(self.items) and self.items[-1][0] > 0


@dataclass(frozen=True)
class Saddle:
    """Where a sum of n copies of a law is evaluated: the tilt of a lattice follows from its step.

    It is where E[e^(lam S)]/lam^2, about the contour's integrand of E[max(0, S)], is least in lam.
    """

    tilt: Fraction
    deviation: Fraction
    """Of one copy, tilted; from below."""

    @classmethod
    def of(cls, items: Items, copies: int) -> Saddle:
        """Return the saddle of a law of which some value is positive."""
        unit = max(abs(value) for value, _ in items)
        with precision(_SADDLE_BITS + 2 * copies.bit_length()):
            values = tuple(rational_ball(value / unit) for value, _ in items)
            law = FewValues(values, tuple(rational_ball(mass) for _, mass in items))

            def is_beyond(exponent: Fraction) -> bool:
                tilt = arb(2) ** rational_ball(exponent)
                return not copies * tilt * law.tilted(tilt).law.mean < 2

            low, high = Fraction(-1), Fraction(1)
            while not is_beyond(high):
                low, high = high, 2 * high
            while is_beyond(low):
                low, high = 2 * low, low
            while high - low > _NEAR_SADDLE:
                middle = (low + high) / 2
                low, high = (low, middle) if is_beyond(middle) else (middle, high)
            point = law.tilted(arb(2) ** rational_ball(low))
            return cls(_about(point.tilt) / unit, _about(point.deviation(1)) * unit)

    def of_step(self, step: Fraction) -> int:
        """Return the tilt of a step, in units of 2^-64 above 1."""
        if self.tilt * step >= _LARGEST_LOG:
            return _LARGEST_TILT
        with precision(_SADDLE_BITS):
            above = (rational_ball(self.tilt * step).exp() - 1) * 2**TILT_BITS
            return max(1, min(_LARGEST_TILT, ball_floor(above)))


@dataclass
class _Tilt:
    """The tilt of each level of a lattice, enclosed, and its powers from above."""

    step: Fraction
    bits: int
    low: list[int]
    high: list[int]

    @classmethod
    def of(cls, step: Fraction, tilt: int, bits: int) -> _Tilt:
        unit = bits + _GUARD_BITS
        first = (1 << unit) + (tilt << unit - TILT_BITS)
        return cls(step, unit, [first], [first])

    def _reach(self, level: int) -> None:
        while len(self.low) <= level:
            self.low.append(self.low[-1] ** 2 >> self.bits)
            self.high.append(_up(self.high[-1] ** 2, self.bits))

    def lowest(self, level: int) -> int:
        self._reach(level)
        return self.low[level]

    def highest(self, level: int) -> int:
        self._reach(level)
        return self.high[level]

    def inverse(self, level: int) -> int:
        return -(-(1 << 2 * self.bits) // self.lowest(level))

    def power(self, level: int, place: int) -> int:
        base = self.highest(level) if place >= 0 else self.inverse(level)
        result = 1 << self.bits
        for digit in bin(abs(place))[2:]:
            result = _up(result * result, self.bits)
            if digit == "1":
                result = _up(result * base, self.bits)
        return result


class _Measure(NamedTuple):
    """The tilted mass at low + s is at most coefficients[s] / 2^exponent; ``lost`` is the mass that was cut."""

    low: int
    coefficients: list[int]
    lost: int
    exponent: int

    def normalised(self, bits: int) -> _Measure:
        total = sum(self.coefficients) + self.lost
        shift = max(0, total.bit_length() - bits)
        listed, lost = [-(-a >> shift) for a in self.coefficients], _up(self.lost, shift)
        least = 1 << bits - _CUT_BITS  # of more than bits - 48 bits
        kept = [place for place, a in enumerate(listed) if a >= least] or [listed.index(max(listed))]
        first, last = kept[0], kept[-1] + 1
        lost += sum(listed[:first]) + sum(listed[last:])
        return _Measure(self.low + first, listed[first:last], lost, self.exponent - shift)

    def times(self, other: _Measure, bits: int) -> _Measure:
        own, others = sum(self.coefficients), sum(other.coefficients)
        lost = own * other.lost + self.lost * others + self.lost * other.lost
        listed = product(self.coefficients, other.coefficients)
        return _Measure(self.low + other.low, listed, lost, self.exponent + other.exponent).normalised(bits)

    def halved(self, tilt: _Tilt, level: int) -> _Measure:
        """The measure on the lattice of the next level: what lies between two places goes to both."""
        low, high, unit = tilt.lowest(level), tilt.highest(level), tilt.bits
        listed = [0, *self.coefficients] if self.low % 2 else list(self.coefficients)
        listed += [0] * (1 - len(listed) % 2)  # ends at an even place
        halved = listed[::2]
        for place, a in enumerate(listed[1::2]):
            halved[place] += -(-(a << unit) // (2 * low))
            halved[place + 1] += _up(a * high, unit + 1)
        while not halved[-1]:
            halved.pop()
        return _Measure(self.low // 2, halved, self.lost, self.exponent)


@dataclass
class Blanket:
    """One law on a lattice of some step, tilt, precision and length."""

    items: Items
    step: Fraction
    tilt: int
    bits: int
    length: int
    _tilt: _Tilt = field(init=False)

    def __post_init__(self) -> None:
        self._tilt = _Tilt.of(self.step, self.tilt, self.bits)

    def bound(self, copies: int) -> Fraction:
        """Return an upper bound of E[max(0, S)]/n for the sum of n copies."""
        level, reached = self._short(self._base(0), 0)
        for digit in bin(copies)[3:]:
            level, reached = self._short(reached.times(reached, self.bits), level)
            if digit == "1":
                level, reached = self._short(reached.times(self._base(level), self.bits), level)
        return self._positive(reached, level) * self.step * (1 << level) / copies

    def _short(self, measure: _Measure, level: int) -> tuple[int, _Measure]:
        while len(measure.coefficients) > self.length:
            level, measure = level + 1, measure.halved(self._tilt, level)
        return level, measure

    def _base(self, level: int) -> _Measure:
        """One copy on the lattice of a level, each value on the two places beside it."""
        masses: dict[int, int] = defaultdict(int)
        for value, mass in self.items:
            t = value / (self.step * 2**level)
            place = t.numerator // t.denominator
            for at, share in ((place, 1 - (t - place)), (place + 1, t - place)):
                if share:
                    weight = mass * share * self._tilt.power(level, at)
                    masses[at] += -(-weight.numerator // (weight.denominator << _GUARD_BITS))
        low, high = min(masses), max(masses)
        listed = [masses.get(place, 0) for place in range(low, high + 1)]
        return _Measure(low, listed, 0, self.bits).normalised(self.bits)

    def _positive(self, measure: _Measure, level: int) -> Fraction:
        unit, inverse, lowest = self._tilt.bits, self._tilt.inverse(level), self._tilt.lowest(level)
        start = max(1, measure.low)
        weight, total = self._tilt.power(level, -start), 0
        for place, a in enumerate(measure.coefficients[start - measure.low :], start):
            total += place * a * weight
            weight = _up(weight * inverse, unit)
        cut = Fraction(measure.lost * lowest * _E[1], (lowest - (1 << unit)) * _E[0])
        return (Fraction(total, 1 << unit) + cut) * Fraction(
            2 ** max(0, -measure.exponent), 2 ** max(0, measure.exponent)
        )


def _about(ball: arb) -> Fraction:
    mantissa, exponent = map(int, ball.mid().man_exp())
    return Dyadic.below(Dyadic.of(mantissa, exponent).fraction(), TILT_BITS).fraction()


def product(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return the product of two polynomials, with as many coefficients as their lengths say."""
    listed = list(map(int, (fmpz_poly(first) * fmpz_poly(second)).coeffs()))
    return listed + [0] * (len(first) + len(second) - 1 - len(listed))


def _up(number: int, shift: int) -> int:
    """number / 2^shift, rounded up."""
    return -(-number >> shift)


_KEPT_BITS: Final = 16
"""Sums of scores with masses of at most so many bits are dropped at the ends, as the format says."""

Class = tuple[Fraction, Fraction, Fraction]
"""P, Q and R of a class of outcomes."""


class _Node(NamedTuple):
    """Masses at the places low, low + 1, ..., from below: with the user who differs on either data set, and without."""

    low: int
    laws: list[list[int]]

    def merged(self) -> _Node:
        """The places 2i and 2i + 1 become i."""
        padded = [[0] * (self.low % 2) + law + [0] for law in self.laws]
        merged = [[a + b for a, b in zip(law[::2], law[1::2], strict=False)] for law in padded]
        return _Node(self.low // 2, merged)


class Threshold(NamedTuple):
    """What a threshold makes of two laws: how much more mass the first has from it on than ratio times the second."""

    place: int
    gain: Fraction


def _best(low: int, first: list[int], second: list[int], whole: int, ratio: Fraction, bits: int) -> Threshold:
    """Return the best threshold; ``whole`` is all that the second law may have, what is not known of it included."""
    over, under = ratio.numerator, ratio.denominator
    above = accumulate(first, lambda left, mass: left - mass, initial=sum(first))
    below = accumulate(second, initial=0)
    gains = [under * p - over * (whole - q) for p, q in zip(above, below, strict=True)]
    place, gain = max(enumerate(gains), key=itemgetter(1))
    return Threshold(low + place, Fraction(gain, under << bits))


def _kept(masses: list[int], bits: int) -> tuple[int, int]:
    """Return from which place to which one masses at the ends have more than these bits; one stays."""
    first, last = 0, len(masses)
    while last > 1 and masses[last - 1] >> bits == 0:
        last -= 1
    while first < last - 1 and masses[first] >> bits == 0:
        first += 1
    return first, last


@dataclass(frozen=True)
class Likelihood:
    """A test of the sum of all users' likelihoods, rounded down to multiples of a step.

    Args:
        classes: of the pair, against the law of another user.
        at: the number near e^eps of which likelihoods are made.
        ratio: the number above e^eps that the divergence is bounded at.
        step, bits, length, cut: the lattice, as the format has it.
        are_exact: whether the masses of the classes are not just lower bounds of those of all messages.
    """

    classes: tuple[Class, ...]
    at: Fraction
    ratio: Fraction
    step: Fraction
    bits: int
    length: int
    cut: int
    are_exact: bool = True

    def best(self, users: int) -> Threshold:
        """Return the best threshold for n users."""
        apart = [(p, q) for p, q, r in self.classes if not r and self.are_exact]
        charge = sum((max(Fraction(0), p - self.ratio * q) for p, q in apart), Fraction(0))
        node, leaf = self._short(self._leaf(), self._leaf())
        seen = 1
        for digit in bin(users)[3:]:
            joined = [[a >> self.bits for a in product(node.laws[2], law)] for law in node.laws]
            node, leaf = self._short(self._clamped(2 * node.low, joined), leaf)
            seen *= 2
            if digit == "1":
                joined = self._one_more(node.laws, leaf.laws, seen)
                node, leaf = self._short(self._clamped(node.low + leaf.low, joined), leaf)
                seen += 1
        total = sum((q for _, q, r in self.classes if r), Fraction(0)) if self.are_exact else Fraction(1)
        whole = -(-(total.numerator << self.bits) // total.denominator)
        place, gain = _best(node.low, node.laws[0], node.laws[1], whole, self.ratio, self.bits)
        return Threshold(place, charge + gain)

    def _leaf(self) -> _Node:
        """One user's message."""
        scored = defaultdict[int, Class](lambda: (Fraction(0),) * 3)
        for p, q, r in self.classes:
            if r:
                ratio = (p - self.at * q) / r / self.step
                score = ratio.numerator // ratio.denominator
                before = scored[score]
                scored[score] = (before[0] + p, before[1] + q, before[2] + r)
        low, high = min(scored), max(scored)
        laws = [[0] * (high - low + 1) for _ in range(3)]
        for score, masses in scored.items():
            for law, mass in zip(laws, masses, strict=True):
                law[score - low] = (mass.numerator << self.bits) // mass.denominator
        return _Node(low, laws)

    def _short(self, node: _Node, leaf: _Node) -> tuple[_Node, _Node]:
        """Both merged until the first is short enough."""
        while len(node.laws[2]) > self.length:
            node, leaf = node.merged(), leaf.merged()
        return node, leaf

    def _one_more(self, laws: list[list[int]], leaf: list[list[int]], users: int) -> list[list[int]]:
        """The user who differs is the leaf once in users + 1."""
        whole = (users + 1) << self.bits
        joined = []
        for law, end in zip(laws[:2], leaf[:2], strict=True):
            both = zip(product(law, leaf[2]), product(laws[2], end), strict=True)
            joined.append([(users * a + b) // whole for a, b in both])
        return [*joined, [a >> self.bits for a in product(laws[2], leaf[2])]]

    def _clamped(self, low: int, laws: list[list[int]]) -> _Node:
        """What the others hardly send at either end becomes the nearest place that is left."""
        first, last = _kept(laws[2], self.cut)
        clamped = []
        for law in laws:
            kept = law[first:last]
            kept[0] += sum(law[:first])
            kept[-1] += sum(law[last:])
            clamped.append(kept)
        return _Node(low + first, clamped)


class _Masses(NamedTuple):
    """The mass of a sum of scores at low + s is at least masses[s], in units of 2^-bits."""

    low: int
    masses: list[int]

    @classmethod
    def of(cls, row: dict[int, Fraction], bits: int) -> _Masses:
        low, high = min(row), max(row)
        chances = (row.get(place, Fraction(0)) for place in range(low, high + 1))
        return cls(low, [(p.numerator << bits) // p.denominator for p in chances])

    def plus(self, other: _Masses, bits: int) -> _Masses:
        return _Masses(self.low + other.low, [a >> bits for a in product(self.masses, other.masses)])

    def kept(self) -> _Masses:
        first, last = _kept(self.masses, _KEPT_BITS)
        return _Masses(self.low + first, self.masses[first:last])

    def copies(self, users: int, bits: int) -> _Masses:
        reached = self
        for digit in bin(users)[3:]:
            reached = reached.plus(reached, bits).kept()
            if digit == "1":
                reached = reached.plus(self, bits).kept()
        return reached


@dataclass(frozen=True)
class Scores:
    """An event of scores: the laws of one user's score for each input, the others' inputs with their numbers."""

    rows: list[dict[int, Fraction]]
    first: int
    second: int
    others: list[int]
    ratio: Fraction
    bits: int

    def best(self) -> Threshold:
        """Return the best threshold."""
        reached = _Masses(0, [1 << self.bits])
        for row, users in zip(self.rows, self.others, strict=True):
            if users:
                one = _Masses.of(row, self.bits)
                reached = reached.plus(one.copies(users, self.bits), self.bits).kept()
        views = [reached.plus(_Masses.of(self.rows[x], self.bits), self.bits) for x in (self.first, self.second)]
        low = min(view.low for view in views)
        high = max(view.low + len(view.masses) for view in views)
        first, second = (
            [0] * (view.low - low) + view.masses + [0] * (high - view.low - len(view.masses)) for view in views
        )
        return _best(low, first, second, 1 << self.bits, self.ratio, self.bits)
