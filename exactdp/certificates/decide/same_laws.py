"""Decides whether two laws are the same: by all probabilities, by the ratios of weights, or by one that differs."""

from __future__ import annotations

from itertools import product
from typing import Final

from exactdp.certificates.certificate import Verdict
from exactdp.certificates.decide.decision import Decision, first_verified, proved, refuted, undecided
from exactdp.certificates.encoding import drawn_from, write_integer
from exactdp.certificates.kinds import EqualLaws
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.formats import short

_OUTCOMES_TRIED: Final = 64
"""Most outcomes at which the probabilities of two laws are compared; laws that differ mostly do so near a mode."""
_MOST_LISTED: Final = 10**6
"""Most outcomes of a law that the checker lists; one that it lists fast has far fewer."""
_BITS_TRIED: Final = (64, 256, 2048)
"""Precisions of these comparisons."""


def decide_equal_laws(claim: EqualLaws) -> Decision:
    """Decide whether two laws are the same."""
    if claim.first == claim.second:
        return proved("The laws are written alike.")
    laws = [drawn_from(claim.first), drawn_from(claim.second)]
    first, second = (law.listed(_MOST_LISTED if law.lists_fast else 0) for law in laws)
    if first is not None and second is not None:
        return _decide_finite(first, second)
    decision = first_verified(claim, Verdict.PROVED, "The ratios of neighbouring weights agree.", [{}])
    if decision.witness is not None:
        return decision
    for bits, outcome in product(_BITS_TRIED, _candidates(laws)):
        witness = {"outcome": write_integer(outcome), "bits": str(bits)}
        decision = first_verified(claim, Verdict.REFUTED, f"P[Y = {outcome}] differs.", [witness])
        if decision.witness is not None:
            return decision
    return undecided("No outcome was found whose probabilities differ, and no proof that there is none.")


def _decide_finite(first: Law, second: Law) -> Decision:
    for outcome in sorted({*first, *second}):
        if first.prob(outcome) != second.prob(outcome):
            p, q = short(first.prob(outcome)), short(second.prob(outcome))
            return refuted(f"P[Y = {outcome}] is {p} and {q}.", outcome=write_integer(outcome))
    return proved("All probabilities agree.")


def _candidates(laws: list[Law | LatticeLaw]) -> list[int]:
    """Return outcomes at which two laws may differ: the first ones, and those near the modes and the ends."""
    outcomes = list(range(4))
    for law in laws:
        lattice = law.lattice
        places = list(law.law())[:_OUTCOMES_TRIED] if lattice is None else [lattice.mode, lattice.low, lattice.high]
        outcomes += [k + step for k in places if k is not None for step in (-1, 0, 1)]
    return list(dict.fromkeys(outcomes))[:_OUTCOMES_TRIED]
