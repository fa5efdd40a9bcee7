"""The classes of a pair of inputs: outcomes that have the same two likelihood ratios against a reference law.

The reference is a privacy blanket, which lies below every row, or the row of the other users. A class keeps the total
probabilities of its outcomes under the first input, the second one and the reference. Here are those of a table, and
what the classes of any randomizer become at a given e^eps: a law of values.

Trusted for: every outcome of a pair is in one class, with its probabilities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from .budget import Work, size
from .finite_laws import Randomizer
from .reading import common_denominator

Class = tuple[Fraction, Fraction, Fraction]  # under the first input, under the second one, under the reference
Masses = tuple[Fraction, Fraction, Fraction]  # of one value: under the reference, the first input, the second one


class Columns(NamedTuple):
    """A table with one place for each outcome of any row: its weights in every row, and the least of them."""

    denominator: int
    rows: list[list[int]]
    least: list[int]

    @classmethod
    def of(cls, randomizer: Randomizer, work: Work) -> Columns:
        outcomes = list(dict.fromkeys(outcome for row in randomizer.rows for outcome in row))
        places = len(outcomes) * (1 + len(randomizer.rows))
        work.spend(places, 64 * randomizer.messages)
        work.hold(places, randomizer.denominator.bit_length())
        rows = [[row.get(outcome, 0) for outcome in outcomes] for row in randomizer.rows]
        return cls(randomizer.denominator, rows, [min(column) for column in zip(*rows)])

    def different_pairs(self) -> list[tuple[int, int]]:
        """The ordered pairs of inputs with different rows, in lexicographic order."""
        alike = [self.rows.index(row) for row in self.rows]
        return [(x, y) for x, y in permutations(range(len(self.rows)), 2) if alike[x] != alike[y]]

    def blanket(self, first: int, second: int, work: Work) -> list[Class]:
        """Of one pair, against the least probability over all inputs."""
        return self.classes(first, second, self.least, self.denominator, work)

    def weighted(self, first: int, second: int, weights: Sequence[Fraction], work: Work) -> list[Class]:
        """Of one pair, against the row of another user whose input is random with these probabilities."""
        scale = common_denominator(weights, "others", work)
        whole = [weight.numerator * (scale // weight.denominator) for weight in weights]
        used = [(factor, row) for factor, row in zip(whole, self.rows) if factor]
        work.spend(len(used) * len(self.least), scale.bit_length(), self.denominator.bit_length())
        reference = [sum(factor * row[place] for factor, row in used) for place in range(len(self.least))]
        return self.classes(first, second, reference, scale * self.denominator, work)

    def classes(self, first: int, second: int, reference: list[int], scale: int, work: Work) -> list[Class]:
        """Against the weights ``reference`` over ``scale``; outcomes of which all three weights agree are one class."""
        bits = scale.bit_length()
        work.spend(2 * len(reference), bits)
        counted = Counter(zip(self.rows[first], self.rows[second], reference))
        work.spend(8 * len(counted), bits, bits)
        return [
            (Fraction(k * p, self.denominator), Fraction(k * q, self.denominator), Fraction(k * r, scale))
            for (p, q, r), k in counted.items()
        ]


def law_of_values(classes: Iterable[Class], ratio: Fraction, work: Work) -> tuple[Fraction, dict[Fraction, Masses]]:
    """What outcomes without reference mass add, the sum of their max(0, P - ratio Q); and for each value of
    (P - ratio Q) / reference the masses of the outcomes that have it."""
    charge, values = Fraction(0), dict[Fraction, Masses]()
    for p, q, mass in classes:
        bits = size(ratio) + size(p) + size(q) + size(mass)
        work.spend(16, bits, bits)
        excess = p - ratio * q
        if mass == 0:
            charge += max(Fraction(0), excess)
            continue
        value = excess / mass
        before = values.get(value, (Fraction(0), Fraction(0), Fraction(0)))
        work.spend(8, bits + max(map(size, before)), bits)
        values[value] = (before[0] + mass, before[1] + p, before[2] + q)
    return charge, values
