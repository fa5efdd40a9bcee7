"""Claims that two laws are the same, and that the view of a randomizer is a sum, for every number of users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Final

from exactdp.claims.encoding import NoiseLaw, Table, as_noise_law, by_label, drawn_from, write_integer
from exactdp.claims.open_claims import OpenLaw, has_functions, open_law
from exactdp.claims.statement import Decision, Statement, Verdict, proved, refuted, undecided
from exactdp.errors import InvalidValueError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short

_OUTCOMES_TRIED: Final = 64
"""Most outcomes at which the probabilities of two laws are compared; laws that differ mostly do so near a mode."""
_MOST_LISTED: Final = 10**6
"""Most outcomes of a law that the checker lists; one that it lists fast has far fewer."""
_BITS_TRIED: Final = (64, 256, 2048)
"""Precisions of these comparisons."""


@dataclass(frozen=True, slots=True)
class EqualLaws(Statement, kind="equal_laws"):
    """Two laws on the integers are the same."""

    first: NoiseLaw
    second: NoiseLaw

    @classmethod
    def of(cls, first: OpenLaw, second: OpenLaw) -> Statement:
        """The two laws on the integers are the same.

        >>> from exactdp import Claim
        >>> from exactdp.laws import Geometric, NegativeBinomial
        >>> Claim.equal_laws(Geometric("1/3"), NegativeBinomial(1, "1/3")).kind
        'equal_laws'
        """
        if has_functions(first, second):
            return cls(open_law(first), open_law(second))
        return cls(as_noise_law(first), as_noise_law(second))

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether two laws are the same."""
        if self.first == self.second:
            return proved("The laws are written alike.")
        laws = [drawn_from(self.first), drawn_from(self.second)]
        first, second = (law.listed(_MOST_LISTED if law.lists_fast else 0) for law in laws)
        if first is not None and second is not None:
            return _decide_by_outcomes(first, second, sorted({*first, *second}))
        one, two = first or laws[0], second or laws[1]
        if outcomes := _telling(one, two) or _telling(two, one):
            return _decide_by_outcomes(one, two, outcomes)
        decision = self.first_verified(Verdict.PROVED, "The ratios of neighbouring weights agree.", [{}])
        if decision.witness is not None:
            return decision
        for bits, outcome in product(_BITS_TRIED, _candidates(laws)):
            witness = {"outcome": write_integer(outcome), "bits": str(bits)}
            decision = self.first_verified(Verdict.REFUTED, f"P[Y = {outcome}] differs.", [witness])
            if decision.witness is not None:
                return decision
        return undecided("No outcome was found whose probabilities differ, and no proof that there is none.")


def _decide_by_outcomes(first: Law | LatticeLaw, second: Law | LatticeLaw, outcomes: Iterable[int]) -> Decision:
    """Decide by outcomes at one of which the probabilities differ, if the laws do."""
    for outcome in outcomes:
        p, q = _exact_pmf(first, outcome), _exact_pmf(second, outcome)
        if p != q:
            words = f"P[Y = {short(outcome)}] is {short(p)} and {short(q)}."
            return refuted(words, outcome=write_integer(outcome))
    return proved("All probabilities agree.")


def _exact_pmf(law: Law | LatticeLaw, outcome: int) -> Fraction:
    return law.prob(outcome) if isinstance(law, Law) else law.exact_pmf(outcome)


def _telling(law: Law | LatticeLaw, other: Law | LatticeLaw) -> list[int]:
    """Return outcomes at one of which another law differs from a uniform one, unless it is the same; else none.

    Two uniform laws that differ do so at an end, first at those that only one has. A list differs at an outcome of its
    own, or leaves out one of the first outcomes of the uniform law, of which one more is looked at than the list has.
    """
    if isinstance(law, Law) or not law.is_uniform or law.low is None or law.high is None:
        return []
    if isinstance(other, Law):
        return [*other, *range(law.low, min(law.high, law.low + len(other)) + 1)]
    ends = (law.low, law.high, other.low, other.high) if other.is_uniform else ()
    return sorted((end for end in ends if end is not None), key=lambda end: law.holds(end) == other.holds(end))


def _candidates(laws: list[Law | LatticeLaw]) -> list[int]:
    """Return outcomes at which two laws may differ: the first ones, and those near the modes and the ends."""
    outcomes = list(range(4))
    for law in laws:
        lattice = law.lattice
        places = list(law.law())[:_OUTCOMES_TRIED] if lattice is None else [lattice.mode, lattice.low, lattice.high]
        outcomes += [k + step for k in places if k is not None for step in (-1, 0, 1)]
    return list(dict.fromkeys(outcomes))[:_OUTCOMES_TRIED]


@dataclass(frozen=True, slots=True)
class AdditiveView(Statement, kind="additive_view"):
    """The number of messages of one type is the sum of the users' shifts plus n copies of a law, for every n."""

    randomizer: Table
    base: Law
    shifts: tuple[int, ...]

    @classmethod
    def of(cls, randomizer: Randomizer, base: Law | Mapping[int, Exact], shifts: Mapping[Any, int]) -> AdditiveView:
        """For every n and data set, the number of messages is the sum of the users' shifts plus n copies of ``base``.

        Args:
            randomizer: one with a single message type.
            base: a law on integers.
            shifts: input -> shift, an integer of at least 0, for every input.
        """
        if len(randomizer.alphabet) != 1:
            raise InvalidValueError(
                f"the randomizer has {len(randomizer.alphabet)} messages. An additive view has one message type."
            )
        moved = by_label(shifts, randomizer.inputs, "shifts", "input")
        checked = tuple(as_integer(shift, name="a shift", at_least=0) for shift in moved)
        return cls(Table.of(randomizer), base if isinstance(base, Law) else Law(base), checked)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether every row is one law, moved by the shift of its input."""
        for x, shift in enumerate(self.shifts):
            moved = {(k + shift,): p for k, p in self.base.items()}
            if self.randomizer.count_law(x) != moved:
                return refuted(f"Row {x} is not the base moved by {write_integer(shift)}.", input=write_integer(x))
        return proved("Every row is the base moved by its shift.")
