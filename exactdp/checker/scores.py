"""Sums of scores: integers that an observer of a view gives to its messages and adds up.

What is known of such sums on two neighbouring data sets are lower bounds of their probabilities, place by place, and
how much is missing of those on the second one at most.

Trusted for: lower bounds of the probability of an event on the first data set, upper bounds on the second one.

It rests on these facts, with their theorems of the Coq kernel:

- a sum of scores is an event: score_event.score_law, score_event.score_event
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import NamedTuple

from .budget import Work, malformed, rejected, size
from .enclosed_laws import multiplied
from .finite_laws import Law, Pair, Randomizer
from .lattices import check_places
from .limits import MAX_FAMILY_USERS, MAX_SCORE_BITS, MAX_SUM_BITS, MIN_PRECISION, TRIM_BITS
from .reading import Object, Vector, read_integer, read_integers, read_list


class BoundedLaws(NamedTuple):
    """Of a function of the view on two data sets: lower bounds of the probabilities of its values low, low + 1, ..., in
    units of 2^-bits; all that the second data set has on them; and the probabilities (p, q) of further values."""

    low: int
    first: list[int]
    second: list[int]
    bits: int
    total: Fraction
    apart: list[tuple[Fraction, Fraction]]

    @property
    def missing(self) -> int:
        """An upper bound of what the second data set has more than its lower bounds say, at all places together."""
        return -(-(self.total.numerator << self.bits) // self.total.denominator) - sum(self.second)

    def divergence(self, threshold: int, ratio: Fraction, work: Work) -> Fraction:
        """A lower bound of H_ratio: by the event that the value is at least the threshold, or a further one."""
        work.spend(4 + 4 * len(self.first) + 8 * len(self.apart), self.bits, size(ratio))
        start = max(0, threshold - self.low)
        first, second = sum(self.first[start:]), sum(self.second[start:]) + self.missing
        charge = sum((max(Fraction(0), p - ratio * q) for p, q in self.apart), Fraction(0))
        return charge + (first - ratio * second) / (1 << self.bits)

    def masses(self, bits: int, work: Work) -> list[Pair]:
        """Of every value a lower bound on the first data set and an upper bound on the second, in units of 2^-bits."""
        work.spend(4 * len(self.first) + 8 * len(self.apart), max(bits, self.bits))
        missing, unit = self.missing, 1 << self.bits
        pairs = [((p << bits) // unit, -((-(q + missing) << bits) // unit)) for p, q in zip(self.first, self.second)]
        return pairs + [((p * 2**bits).__floor__(), (q * 2**bits).__ceil__()) for p, q in self.apart]


def trimmed(weights: Sequence[int], bits: int = TRIM_BITS) -> tuple[int, int]:
    """The places from the first to after the last weight of more than these bits; one place at least."""
    first, last = 0, len(weights)
    while last > 1 and weights[last - 1] >> bits == 0:
        last -= 1
    while first < last - 1 and weights[first] >> bits == 0:
        first += 1
    return first, last


class Scored(NamedTuple):
    """Lower bounds of the law of a sum of scores, in units of 2^-bits, at the places low, low + 1, ..."""

    low: int
    weights: list[int]

    @classmethod
    def of_row(cls, row: Law, scores: Vector, total: int, bits: int, work: Work) -> Scored:
        """The sum of the scores of one user's messages; the row has weights over this total."""
        work.spend(len(row) * (len(scores) + 2), 64 + total.bit_length() + bits, 64)
        law: dict[int, int] = {}
        for outcome, weight in row.items():
            place = sum(map(mul, scores, outcome))
            law[place] = law.get(place, 0) + weight
        low, high = min(law), max(law)
        check_places(low, high)
        work.hold(high - low, 2 * bits)
        return cls(low, [(law.get(place, 0) << bits) // total for place in range(low, high + 1)])

    def plus(self, other: Scored, bits: int, work: Work) -> Scored:
        """The sum of two independent ones."""
        check_places(0, len(self.weights) + len(other.weights) - 2)
        return Scored(self.low + other.low, [w >> bits for w in multiplied(self.weights, other.weights, work)])

    def kept(self) -> Scored:
        """Without rare sums at either end."""
        first, last = trimmed(self.weights)
        return Scored(self.low + first, self.weights[first:last])

    def copies(self, users: int, bits: int, work: Work) -> Scored:
        """The sum over users who are alike, from the binary digits of their number."""
        reached = self
        for digit in f"{users:b}"[1:]:
            reached = reached.plus(reached, bits, work).kept()
            if digit == "1":
                reached = reached.plus(self, bits, work).kept()
        return reached


class ScoredEvent(NamedTuple):
    """What a witness says of an event: the inputs of the user who differs, the users of each input of each class, the
    scores."""

    ends: Vector
    others: list[Vector]
    scores: Vector
    bits: int

    @classmethod
    def read(
        cls, fields: Object, own: Randomizer, others: Sequence[object], tables: Sequence[Randomizer]
    ) -> ScoredEvent:
        ends = [read_integer(fields[key], key, 0, len(own.rows) - 1) for key in ("first", "second")]
        held: list[Vector] = []
        for value, table in zip(others, tables):
            listed = read_list(value, "others", len(table.rows), len(table.rows))
            held.append(tuple(read_integer(many, "a count of others", 0, MAX_FAMILY_USERS) for many in listed))
        scores = read_integers(fields["scores"], "scores", own.messages)
        if any(score.bit_length() > MAX_SCORE_BITS for score in scores):
            malformed(f"a score of more than {MAX_SCORE_BITS} bits")
        bits = read_integer(fields["bits"], "bits", MIN_PRECISION, MAX_SUM_BITS)
        return cls(tuple(ends), held, scores, bits)

    def laws(self, own: Randomizer, tables: Sequence[Randomizer], users: Sequence[int], work: Work) -> BoundedLaws:
        """*A sum of scores is an event*: the laws of the sum, with one user's input being either of two, beside so many
        other users of each class."""
        law = Scored(0, [1 << self.bits])
        for table, held, many in zip(tables, self.others, users):
            if sum(held) != many:
                rejected(f"the event is of {sum(held)} other users, not of {many}")
            for row, holders in zip(table.rows, held):
                if holders:
                    one = Scored.of_row(row, self.scores, table.denominator, self.bits, work)
                    law = law.plus(one.copies(holders, self.bits, work), self.bits, work).kept()
        views: list[Scored] = []
        for end in self.ends:
            one = Scored.of_row(own.rows[end], self.scores, own.denominator, self.bits, work)
            views.append(law.plus(one, self.bits, work))
        low, high = min(view.low for view in views), max(view.low + len(view.weights) for view in views)
        check_places(low, high - 1)
        first, second = (
            [0] * (view.low - low) + view.weights + [0] * (high - view.low - len(view.weights)) for view in views
        )
        return BoundedLaws(low, first, second, self.bits, Fraction(1), [])
