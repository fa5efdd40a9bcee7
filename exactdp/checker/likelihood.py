"""A test of likelihood ratios among many users who send at most one message each.

Every message has a score, an integer. The users' messages, in random order, are the leaves of the tree of binary
powering from 1 to n users: an inner node adds the sums of two nodes. Where there come to be too many different sums,
two neighbouring ones are merged, and rare ones at either end become the nearest that is not rare. The law of a node is
held three times: with the user who differs, on either data set (``first``, ``second``), and without him (``others``).

Trusted for: lower bounds of the probabilities of a function of the view and of the order, on two data sets.

It rests on these facts, with their theorems of the Coq kernel:

- sums of scores in random order are a test: score_event.random_order_test, score_event.tree_in_random_order
- random other users are a mixture of data sets: random_others.random_others_mixture,
  random_others.random_others_test
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

from .budget import Work, malformed, size
from .enclosed_laws import multiplied, products
from .lattices import check_places, read_bits, read_length, read_step
from .pair_classes import Class
from .reading import Object, read_integer, read_short
from .scores import BoundedLaws, trimmed


class Sums(NamedTuple):
    """Lower bounds of the laws of a node, in units of 2^-bits, at the places low, low + 1, ..."""

    low: int
    first: list[int]
    second: list[int]
    others: list[int]

    @property
    def laws(self) -> tuple[list[int], list[int], list[int]]:
        return self.first, self.second, self.others

    def merged(self) -> Sums:
        """The places 2i and 2i + 1 become i."""
        odd = [0] * (self.low % 2)
        pairs = [odd + law for law in self.laws]
        halves = ([a + b for a, b in zip_longest(law[::2], law[1::2], fillvalue=0)] for law in pairs)
        return Sums(self.low >> 1, *halves)

    def clamped(self, cut: int) -> Sums:
        """Places at either end where the others have at most so many bits become the nearest place that is left."""
        start, end = trimmed(self.others, cut)

        def inside(law: list[int]) -> list[int]:
            kept = law[start:end]
            kept[0] += sum(law[:start])
            kept[-1] += sum(law[end:])
            return kept

        return Sums(self.low + start, *map(inside, self.laws))


class Likelihood(NamedTuple):
    """What a witness says of the scores, and of how they are added up."""

    at: Fraction
    step: Fraction
    bits: int
    length: int
    cut: int

    @classmethod
    def read(cls, fields: Object) -> Likelihood:
        at, bits = read_short(fields["at"], "at"), read_bits(fields)
        if at < 0:
            malformed("at is negative")
        cut = read_integer(fields["cut"], "cut", 1, bits)
        return cls(at, read_step(fields["step"]), bits, read_length(fields), cut)

    def laws(self, classes: Iterable[Class], n: int, work: Work, are_exact: bool = True) -> BoundedLaws:
        """*Sums of scores in random order are a test*: bounds of the law of the sum over n users; and the classes of
        messages that only the user who differs can send, apart, but where masses are just lower bounds."""
        listed = list(classes)
        apart = [(p, q) for p, q, mass in listed if mass == 0 and are_exact]
        shown = [one for one in listed if one[2] > 0]
        total, leaf = Fraction(1), self.leaf(shown, work)
        if are_exact:
            work.spend(8 * len(shown), 2 * max(size(q) for _, q, _ in shown))
            total = sum((q for _, q, _ in shown), Fraction(0))
        reached, users = leaf, 1
        reached, leaf = self.shortened(reached, leaf, work)
        for digit in f"{n:b}"[1:]:
            reached, leaf = self.shortened(self.doubled(reached, work), leaf, work)
            users *= 2
            if digit == "1":
                reached, leaf = self.shortened(self.joined(reached, users, leaf, work), leaf, work)
                users += 1
        return BoundedLaws(reached.low, reached.first, reached.second, self.bits, total, apart)

    def leaf(self, classes: list[Class], work: Work) -> Sums:
        """One message."""
        scored = dict[int, Class]()
        for p, q, mass in classes:
            bits = size(p) + size(q) + size(mass) + size(self.at) + size(self.step)
            score = ((p - self.at * q) / mass / self.step).__floor__()
            before = scored.get(score, (Fraction(0), Fraction(0), Fraction(0)))
            work.spend(24, bits + max(map(size, before)), bits)
            scored[score] = (before[0] + p, before[1] + q, before[2] + mass)
        low, high = min(scored), max(scored)
        check_places(low, high)
        work.hold(3 * (high - low + 1), self.bits)
        laws = [[0] * (high - low + 1) for _ in range(3)]
        for score, masses in scored.items():
            work.spend(3, max(map(size, masses)) + self.bits, self.bits)
            for law, mass in zip(laws, masses):
                law[score - low] = (mass.numerator << self.bits) // mass.denominator
        return Sums(low, *laws)

    def shortened(self, reached: Sums, leaf: Sums, work: Work) -> tuple[Sums, Sums]:
        """Both merged until the first is short enough."""
        while len(reached.others) > self.length:
            work.spend(3 * (len(reached.others) + len(leaf.others)), self.bits)
            reached, leaf = reached.merged(), leaf.merged()
        return reached, leaf

    def doubled(self, half: Sums, work: Work) -> Sums:
        """A node of two that are alike: the user who differs is in either of them."""
        work.hold(8 * len(half.others), 2 * self.bits)
        laws = [[weight >> self.bits for weight in law] for law in products(half.others, list(half.laws), work)]
        return Sums(2 * half.low, *laws).clamped(self.cut)

    def joined(self, reached: Sums, users: int, leaf: Sums, work: Work) -> Sums:
        """A node of ``users`` and a leaf: the user who differs is the leaf once in users + 1."""
        work.hold(8 * len(reached.others), 2 * self.bits)
        whole = (users + 1) << self.bits
        laws: list[list[int]] = []
        *outer, both = products(reached.others, list(leaf.laws), work)
        for law, ends in zip(reached.laws[:2], outer):
            inner = multiplied(law, leaf.others, work)
            work.spend(2 * len(inner), 2 * self.bits, 64)
            laws.append([(users * a + b) // whole for a, b in zip(inner, ends)])
        laws.append([weight >> self.bits for weight in both])
        return Sums(reached.low + leaf.low, *laws).clamped(self.cut)
