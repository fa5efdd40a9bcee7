"""What the checker will make of a test of likelihoods, or of an event of scores: the prover's own evaluation.

The format of certificates says what is computed: the laws of a sum of scores with the user who differs among the
others, from below, whatever is lost of the second law being counted in full. As in
:mod:`exactdp.privacy.amplification.lattice_bound` a mistake here costs a certificate and proves nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter
from typing import Final, NamedTuple

from exactdp.privacy.amplification.lattice_bound import product

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
    """

    classes: tuple[Class, ...]
    at: Fraction
    ratio: Fraction
    step: Fraction
    bits: int
    length: int
    cut: int

    def best(self, users: int) -> Threshold:
        """Return the best threshold for n users."""
        charge = sum((max(Fraction(0), p - self.ratio * q) for p, q, r in self.classes if not r), Fraction(0))
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
        total = sum((q for _, q, r in self.classes if r), Fraction(0))
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
