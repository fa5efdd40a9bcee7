"""Decides claims about a randomizer that hold for every number of users because of its rows alone."""

from __future__ import annotations

from operator import mul

from exactdp.claims.decide.decision import Decision, proved, refuted
from exactdp.claims.encoding import write_integer, write_integers
from exactdp.claims.kinds import AdditiveView, ZeroEstimate


def decide_additive_view(claim: AdditiveView) -> Decision:
    """Decide whether every row is one law, moved by the shift of its input."""
    for x, shift in enumerate(claim.shifts):
        moved = {(k + shift,): p for k, p in claim.base.items()}
        if claim.randomizer.count_law(x) != moved:
            return refuted(f"Row {x} is not the base moved by {write_integer(shift)}.", input=write_integer(x))
    return proved("Every row is the base moved by its shift.")


def decide_zero_estimate(claim: ZeroEstimate) -> Decision:
    """Decide whether no outcome of one input exceeds the threshold."""
    for outcome in sorted(claim.randomizer.count_law(claim.all_hold)):
        if sum(map(mul, claim.weights, outcome)) > claim.zero_unless_above:
            return refuted(f"The outcome {list(outcome)} is above.", outcome=write_integers(outcome))
    return proved("No outcome is above.")
