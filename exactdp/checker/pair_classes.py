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
from math import lcm
from typing import NamedTuple

from .budget import Work, malformed, size
from .finite_laws import Randomizer
from .limits import MAX_BITS
from .reading import common_denominator

Class = tuple[Fraction, Fraction, Fraction]  # under the first input, under the second one, under the reference
Vertex = Sequence[tuple[Fraction, list[Class]]]  # shares of the others, with the classes against their row
Masses = tuple[Fraction, Fraction, Fraction]  # of one value: under the reference, the first input, the second one


class InputPair(NamedTuple):
    """One ordered pair of inputs: its classes against the blanket, and against each row that others may have."""

    blanket: list[Class]
    others: Iterable[list[Class]]
    is_below: bool = True  # whether the blanket's classes are those of messages, so that c is below all rows at each
    has_slot: bool = True  # whether the user who differs may keep a slot of his own

    def among(self, users: int) -> Around:
        """Of so many users, the one who differs among them, who all run one randomizer."""
        vertices = ([(Fraction(1), row)] for row in self.others)
        listed = vertices if self.is_below else list(vertices)  # of the family any they are looked at twice
        return Around(self.blanket, listed, users - 1, self.is_below, self.has_slot)


class Around(NamedTuple):
    """One ordered pair of inputs, the number of others of whom it is known what they hold, and what that may be."""

    blanket: list[Class]
    vertices: Iterable[Vertex]
    others: int
    is_below: bool = True
    is_of_one_row: bool = False  # whether a slot of his own may be had: a vertex is one row, of one randomizer

    @property
    def gamma(self) -> Fraction:
        return sum((mass for _, _, mass in self.blanket), Fraction(0))


class Columns(NamedTuple):
    """A table with one place for each outcome of any row: its weights in every row, and the least of them."""

    denominator: int
    rows: list[list[int]]
    least: list[int]

    @classmethod
    def of(cls, randomizer: Randomizer, work: Work) -> Columns:
        return cls.union([randomizer], work)[0]

    @classmethod
    def union(cls, tables: Sequence[Randomizer], work: Work) -> list[Columns]:
        """Several tables with the same places, over one denominator."""
        outcomes = list(dict.fromkeys(outcome for table in tables for row in table.rows for outcome in row))
        places = len(outcomes) * sum(1 + len(table.rows) for table in tables)
        denominator = lcm(*(table.denominator for table in tables))
        if denominator.bit_length() > MAX_BITS:
            malformed(f"the common denominator of the tables has more than {MAX_BITS} bits")
        work.spend(places, 64 * tables[0].messages)
        work.hold(places, denominator.bit_length())
        found: list[Columns] = []
        for table in tables:
            factor = denominator // table.denominator
            rows = [[row.get(outcome, 0) * factor for outcome in outcomes] for row in table.rows]
            found.append(cls(denominator, rows, [min(column) for column in zip(*rows)]))
        return found

    def different_pairs(self) -> list[tuple[int, int]]:
        """The ordered pairs of inputs with different rows, in lexicographic order."""
        alike = [self.rows.index(row) for row in self.rows]
        return [(x, y) for x, y in permutations(range(len(self.rows)), 2) if alike[x] != alike[y]]

    def blanket(self, first: int, second: int, work: Work) -> list[Class]:
        """Of one pair, against the least probability over all inputs."""
        return self.classes(first, second, self.least, self.denominator, work)

    def pair(self, first: int, second: int, work: Work) -> InputPair:
        """One pair, beside the row of every input."""
        others = (self.classes(first, second, row, self.denominator, work) for row in self.rows)
        return InputPair(self.blanket(first, second, work), others)

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
        counts = Counter(zip(self.rows[first], self.rows[second], reference))
        work.spend(8 * len(counts), bits, bits)
        return [
            (Fraction(k * p, self.denominator), Fraction(k * q, self.denominator), Fraction(k * r, scale))
            for (p, q, r), k in counts.items()
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
