"""Privacy by a blanket: for one ordered pair a bound over every data set, at any number of users.

What all users have in common is a sub-law below every row, the blanket. With n draws from it the divergence of a pair
is at most the mean of the positive part of a sum of n independent values, divided by n. Here the law of that sum is
bounded in integers: on a lattice, by binary powering, tilted by rho^place so that rare large sums keep their digits.

Trusted for: an upper bound of the divergence of every two neighbouring data sets that differ in this pair of inputs.

It rests on these facts, with their theorems of the Coq kernel:

- a privacy blanket bounds every data set: blanket.blanket_bound, blanket.blanket_bound_anywhere, blanket.blanket_dp,
  blanket.blanket_bound_one_message, blanket.blanket_dp_one_message
- a mean-preserving spread raises the mean of a convex function: increasing_convex_order.mean_preserving_spread,
  increasing_convex_order.mean_excess_of_spread, lattice_spread.lattice_spread, lattice_spread.lattice_doubled,
  tilted_halving.covers_halved
- what is cut of a tilted measure is charged: tilted_measures.test_at_most, tilted_measures.covers_normalised,
  tilted_measures.covers_times, tilted_sound.mean_positive_part_above, pair_bound.pair_bound_above
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from .budget import NOT_SHOWN, Work, malformed, rejected, size
from .enclosed_laws import multiplied
from .facts import BLANKET, CUT, SPREAD, Facts
from .lattices import between, check_places, read_bits, read_length, read_step
from .limits import CUT_BITS, MAX_LIST, MAX_POWER, MAX_POWER_BITS, MAX_SCALE, MAX_TILT, TILT_BITS
from .pair_classes import Class, law_of_values
from .reading import read_integer, read_list, read_object, show

Values = tuple[tuple[Fraction, Fraction], ...]  # ascending values with their masses, which sum to 1
INVERSE_OF_E = Fraction(10**9, 2718281828)
"""Above 1/e, as e = 2.7182818284..."""


class Tilt(NamedTuple):
    """A level of the lattice, of the step h 2^level: integers low and high around 2^fine times rho^(2^level)."""

    fine: int
    step: Fraction
    level: int
    low: int
    high: int

    @classmethod
    def first(cls, step: Fraction, tilt: int, bits: int) -> Tilt:
        rho = (1 << bits + TILT_BITS) + (tilt << bits)
        return cls(bits + TILT_BITS, step, 0, rho, rho)

    def next(self, work: Work) -> Tilt:
        """The level above, of twice the step and the squared tilt."""
        work.spend(2, self.high.bit_length(), self.high.bit_length())
        low = self.low * self.low >> self.fine
        high = up(self.high * self.high, self.fine)
        if high.bit_length() > MAX_POWER_BITS:
            malformed(f"the check is too large: the tilt of a level has more than {MAX_POWER_BITS} bits")
        return self._replace(level=self.level + 1, low=low, high=high)

    @property
    def inverse(self) -> int:
        """At least 2^fine over the tilt."""
        return -(-(1 << 2 * self.fine) // self.low)

    def power(self, place: int, work: Work) -> int:
        """At least 2^fine times the tilt to this power."""
        if abs(place) > MAX_POWER:
            malformed(f"the check is too large: the place {place} of the lattice is beyond {MAX_POWER}")
        factor = self.high if place >= 0 else self.inverse
        reached = 1 << self.fine
        for digit in bin(abs(place))[2:]:
            work.spend(2, reached.bit_length(), reached.bit_length() + factor.bit_length())
            reached = up(reached * reached, self.fine)
            if digit == "1":
                reached = up(reached * factor, self.fine)
            if reached.bit_length() > MAX_POWER_BITS:
                malformed(f"the check is too large: a power of the tilt has more than {MAX_POWER_BITS} bits")
        return reached


class Measure(NamedTuple):
    """Upper bounds in units of 2^-scale: of the tilted mass at low, low + 1, ... and of what was cut, ``lost``."""

    low: int
    masses: list[int]
    lost: int
    scale: int

    @classmethod
    def of(cls, values: Values, tilt: Tilt, bits: int, work: Work) -> Measure:
        """*A mean-preserving spread*: a value between two places is divided between them."""
        spread = [(between(value, tilt.step, tilt.level, work), mass) for value, mass in values]
        low, high = spread[0][0][0], spread[-1][0][0] + (spread[-1][0][1] > 0)
        check_places(low, high)
        work.hold(high - low + 1, 0)
        work.hold(2 * len(spread), tilt.power(high, work).bit_length())
        masses = [0] * (high - low + 1)
        for (place, rest, whole), mass in spread:
            for at, share in ((place, whole - rest), (place + 1, rest)):
                if share:
                    factor = tilt.power(at, work)
                    work.spend(4, size(mass) + whole.bit_length(), factor.bit_length())
                    masses[at - low] -= -mass.numerator * share * factor // (mass.denominator * whole << TILT_BITS)
        return cls(low, masses, 0, bits).normalised(bits, work)

    def normalised(self, bits: int, work: Work) -> Measure:
        """With coefficients of ``bits`` in all; those of few bits at either end are cut."""
        total = sum(self.masses) + self.lost
        work.spend(4 * len(self.masses), total.bit_length())
        extra = max(0, total.bit_length() - bits)
        masses = [up(mass, extra) for mass in self.masses] if extra else self.masses
        first, last = kept(masses, bits - CUT_BITS)
        lost = up(self.lost, extra) + sum(masses[:first]) + sum(masses[last:])
        return Measure(self.low + first, masses[first:last], lost, self.scale - extra)

    def times(self, other: Measure, bits: int, work: Work) -> Measure:
        """Of the sum of two independent values."""
        mine, others = sum(self.masses), sum(other.masses)
        lost = mine * other.lost + self.lost * others + self.lost * other.lost
        products = multiplied(self.masses, other.masses, work)
        return Measure(self.low + other.low, products, lost, self.scale + other.scale).normalised(bits, work)

    def halved(self, tilt: Tilt, work: Work) -> Measure:
        """On the lattice above the one of this tilt: an odd place is divided between its neighbours."""
        odd = self.low % 2
        masses = [0, *self.masses] if odd else self.masses
        longest = max(masses).bit_length() + tilt.high.bit_length()
        work.spend(4 * len(masses), longest, tilt.high.bit_length())
        work.hold(len(masses), longest - tilt.fine)
        below = 2 * tilt.low
        halves = [*masses[::2], 0] if len(masses) % 2 == 0 else masses[::2]
        for i, mass in enumerate(masses[1::2]):
            halves[i] -= (-mass << tilt.fine) // below
            halves[i + 1] += up(mass * tilt.high, tilt.fine + 1)
        return Measure((self.low - odd) // 2, halves, self.lost, self.scale)

    def positive_part(self, tilt: Tilt, work: Work) -> Fraction:
        """The mean of the positive part: *what is cut of a tilted measure is charged*."""
        if abs(self.scale) > MAX_SCALE:
            malformed(f"the check is too large: a measure in units of 2^-{self.scale}, beyond {MAX_SCALE} bits")
        start, total = max(1, self.low), 0
        work.spend(4 * len(self.masses), 2 * tilt.fine, tilt.high.bit_length())
        weight, inverse = tilt.power(-start, work), tilt.inverse
        for place, mass in enumerate(self.masses[start - self.low :], start):
            total += place * mass * weight
            weight = up(weight * inverse, tilt.fine)
        one = 1 << tilt.fine
        beyond = self.lost * Fraction(tilt.low, tilt.low - one) * INVERSE_OF_E
        units = Fraction(1, 1 << self.scale) if self.scale >= 0 else Fraction(1 << -self.scale)
        return (Fraction(total, one) + beyond) * units * tilt.step * (1 << tilt.level)


def up(value: int, bits: int) -> int:
    """value / 2^bits, rounded up."""
    return -(-value >> bits)


def kept(masses: list[int], bits: int) -> tuple[int, int]:
    """The places from the first to after the last coefficient of more than these bits; or of the first largest one."""
    limit = 1 << bits
    first, last = 0, len(masses)
    while first < last and masses[first] < limit:
        first += 1
    if first == last:
        first = masses.index(max(masses))
        return first, first + 1
    while masses[last - 1] < limit:
        last -= 1
    return first, last


class Lattice(NamedTuple):
    """What a witness chooses: how fine and how long measures are, and for each law of values the step and the tilt."""

    bits: int
    length: int
    bounds: list[tuple[Fraction, int]]

    @classmethod
    def read(cls, value: object) -> Lattice:
        fields = read_object(value, "the blanket", ["bits", "length", "bounds"])
        bounds: list[tuple[Fraction, int]] = []
        for entry in read_list(fields["bounds"], "bounds", 0, MAX_LIST):
            step, tilt = read_list(entry, "a bound", 2, 2)
            bounds.append((read_step(step), read_integer(tilt, "a tilt", 1, MAX_TILT)))
        return cls(read_bits(fields), read_length(fields), bounds)

    def check(self, pairs: Iterable[list[Class]], n: int, ratio: Fraction, delta: Fraction, work: Work) -> Facts:
        """That no ordered pair of inputs, given by its classes, has a divergence above delta."""
        bounds = iter(self.bounds)
        known: set[tuple[Fraction, Values]] = set()
        held = 0
        for classes in pairs:
            charge, values = least_values(classes, ratio, work)
            if (charge, values) not in known:
                known.add((charge, values))
                held += sum(size(value) + size(mass) for value, mass in values)
                work.hold(1, 2 * held)
                if values and values[-1][0] > 0:
                    bound = next(bounds, None)
                    if bound is None:
                        rejected(f"{len(self.bounds)} bounds are fewer than the laws of values")
                    charge += self.mean_positive_part(values, n, bound, work)
                if charge > delta:
                    rejected(f"{NOT_SHOWN} delta = {show(delta)}")
        if next(bounds, None) is not None:
            rejected(f"{len(self.bounds)} bounds are more than the laws of values")
        return [BLANKET, SPREAD, CUT]

    def mean_positive_part(self, values: Values, n: int, bound: tuple[Fraction, int], work: Work) -> Fraction:
        """At least E[max(0, L_1 + ... + L_n)] / n, for independent L of this law."""
        first = Tilt.first(bound[0], bound[1], self.bits)
        reached, tilt = self.shortened(Measure.of(values, first, self.bits, work), first, work)
        for digit in bin(n)[3:]:
            reached, tilt = self.shortened(reached.times(reached, self.bits, work), tilt, work)
            if digit == "1":
                base = Measure.of(values, tilt, self.bits, work)
                reached, tilt = self.shortened(reached.times(base, self.bits, work), tilt, work)
        return reached.positive_part(tilt, work) / n

    def shortened(self, measure: Measure, tilt: Tilt, work: Work) -> tuple[Measure, Tilt]:
        """On the first level where it is not too long."""
        while len(measure.masses) > self.length:
            measure, tilt = measure.halved(tilt, work), tilt.next(work)
        return measure, tilt


def least_values(classes: Iterable[Class], ratio: Fraction, work: Work) -> tuple[Fraction, Values]:
    """What is charged, and the law of a user's value: if its mean is positive, with the other sign.

    E[max(0, S)] = E[S] + E[max(0, -S)]: then the mean is charged, and a positive tilt is of use.
    """
    charge, masses = law_of_values(classes, ratio, work)
    law = {value: of_blanket for value, (of_blanket, _, _) in masses.items() if value}
    mean = added([p for _, p, _ in masses.values()], work) - ratio * added([q for _, _, q in masses.values()], work)
    rest = 1 - added(law.values(), work)
    if rest:
        law[Fraction(0)] = rest
    if mean > 0:
        charge, law = charge + mean, {-value: mass for value, mass in law.items()}
    longest = max(map(size, law))
    work.spend(2 * len(law) * len(law).bit_length(), longest, longest)
    return charge, tuple(sorted(law.items()))


def added(numbers: Iterable[Fraction], work: Work) -> Fraction:
    """The sum, paid for as it grows."""
    total = Fraction(0)
    for number in numbers:
        work.spend(4, size(total) + size(number), size(number))
        total += number
    return total
