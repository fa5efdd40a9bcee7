"""The claims equal_laws and additive_view: two laws are one, and a view has the law of a sum.

Trusted for: what is called one law is the same at every outcome.

It rests on these facts, with their theorems of the Coq kernel:

- the view is the multiset of messages: shuffler.shuffle_dp_iff_shuffled
- shifts add up: shifts.shifts_add
- two points decide a linear ratio: two_points.two_points
"""

from __future__ import annotations

from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

from .budget import Work, malformed, rejected
from .facts import SHIFTS_ADD, THE_VIEW, TWO_POINTS, Facts
from .finite_laws import Randomizer, Table
from .limits import DOMAIN_BITS
from .noise_laws import Event, Noise, WalkedNoise, probability
from .reading import Object, canonical, read_integer, read_list, read_object, show, show_vector


class EqualLaws(NamedTuple):
    """The two laws are one."""

    first: Noise
    second: Noise
    are_written_alike: bool

    @classmethod
    def read(cls, claim: Object, work: Work) -> EqualLaws:
        read_object(claim, "the claim", ["kind", "first", "second"])
        laws = [Noise.read(claim[key], work) for key in ("first", "second")]
        return cls(laws[0], laws[1], canonical(claim["first"]) == canonical(claim["second"]))

    @property
    def words(self) -> str:
        return f"{self.first.words} and {self.second.words} are the same law"

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", [])
        first, second = self.first, self.second
        if self.are_written_alike:
            if isinstance(first, WalkedNoise):
                first.sides(DOMAIN_BITS, work)  # shows that its parameters lie in their domains
            return []
        if first.is_linear and second.is_linear:
            if any(first.ratio(t) != second.ratio(t) for t in (0, 1)):
                rejected("the ratios of neighbouring weights differ")
            return [TWO_POINTS]
        one, other = first.table(work), second.table(work)
        work.spend(4 * (one.outcomes + other.outcomes), one.bits + other.bits, max(one.bits, other.bits))
        streams = [(entry for entry in law.stream() if entry[1]) for law in (one, other)]
        for (t, weight), (u, moved) in zip_longest(*streams, fillvalue=(None, 0)):
            if t != u or weight * other.total != moved * one.total:
                rejected("the probabilities of an outcome differ")
        return []

    def refute(self, witness: Object, work: Work) -> Facts:
        keys = ["outcome", "bits"] if "bits" in witness else ["outcome"]
        read_object(witness, "the witness", keys)
        outcome = read_integer(witness["outcome"], "outcome")
        bounds: list[tuple[Fraction, Fraction]] = []
        facts: Facts = []
        for noise in (self.first, self.second):
            is_enclosed = "bits" in witness and noise.is_walked
            bounds.append(probability(noise, Event([(outcome, outcome)]), witness if is_enclosed else {}, work))
            facts += noise.enclosed_facts if is_enclosed else []
        if bounds[0][0] <= bounds[1][1] and bounds[1][0] <= bounds[0][1]:
            rejected("the probabilities of the outcome are not shown to differ")
        return facts


class AdditiveView(NamedTuple):
    """The view is the sum of the users' shifts plus one independent copy of the base law per user."""

    randomizer: Randomizer
    base: Table
    shifts: list[int]

    @classmethod
    def read(cls, claim: Object, work: Work) -> AdditiveView:
        read_object(claim, "the claim", ["kind", "randomizer", "base", "shifts"])
        randomizer = Randomizer.read(claim["randomizer"], work)
        if randomizer.messages != 1:
            malformed("the randomizer of an additive view has one message type")
        inputs = len(randomizer.rows)
        shifts = [read_integer(s, "a shift", 0) for s in read_list(claim["shifts"], "shifts", inputs, inputs)]
        return cls(randomizer, Table.read(claim["base"], "the base", work), shifts)

    @property
    def words(self) -> str:
        law = f"the sum of the shifts {show_vector(self.shifts)} plus n independent copies of {self.base.words}"
        return f"shuffled {self.randomizer.words}, every n >= 1, every data set: the view is {law}"

    def is_shifted(self, x: int, work: Work) -> bool:
        """Whether row x is the base, moved by its shift: the weights agree when the two denominators are crossed."""
        row, total = self.randomizer.rows[x], self.base.total
        longest = max(total, self.randomizer.denominator).bit_length()
        work.spend(2 * len(row), longest, longest)
        return len(row) == self.base.outcomes and all(
            row.get((k + self.shifts[x],), 0) * total == w * self.randomizer.denominator for k, w in self.base.stream()
        )

    def prove(self, witness: Object, work: Work) -> Facts:
        """*Shifts add up*."""
        read_object(witness, "the witness", [])
        for x in range(len(self.shifts)):
            if not self.is_shifted(x, work):
                rejected(f"row {x} is not the base moved by {show(Fraction(self.shifts[x]))}")
        return [THE_VIEW, SHIFTS_ADD]

    def refute(self, witness: Object, work: Work) -> Facts:
        """A data set of one user whose row is another law."""
        read_object(witness, "the witness", ["input"])
        if self.is_shifted(read_integer(witness["input"], "input", 0, len(self.shifts) - 1), work):
            rejected("the row of the witness is the base moved by its shift")
        return [THE_VIEW]
