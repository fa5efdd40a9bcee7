"""Decisions by two proved ends of delta: the upper one proves, the lower one refutes, and a witness is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from exactdp.claims.claim_subjects import Pairs
from exactdp.claims.exact_levels import compared
from exactdp.claims.statement import Decision, Verdict, undecided
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.formats import short
from exactdp.privacy.attained import Bracket, WorstPair
from exactdp.privacy.engine import ManyUsersError
from exactdp.privacy.profile import PrivacyProfile

_END_BITS: Final = (20, 40)
"""Accuracies at which the two ends of delta are enclosed: more bits do not bring the ends together."""

METHODS: Final = {
    "swap": "The checker sees it by swapped messages.",
    "blanket": "The checker sees it by a blanket.",
    "closed_bracket": "The checker adds up the exact delta, as the bracket is closed.",
}
"""What a witness that an upper end holds is, in words."""


def decide_by_ends(
    profile: PrivacyProfile,
    level: PrivacyLevel,
    delta: Fraction,
    least: str | None,
    witnessed: Callable[[Verdict, str], Decision],
) -> Decision:
    """Decide by two proved ends of delta over all pairs: the upper one proves, the lower one refutes."""
    for bits in _END_BITS:
        ends = profile.bracket(**level.keywords, relative_bits=bits)
        holds = ends.is_at_most(delta)
        if holds is not None or ends.keeps_open(delta):
            break
    words = f"The worst delta is in {ends.delta}"
    if holds is None:
        why = "its two ends are proved, and not proved equal" if ends.keeps_open(delta) else "they are too close"
        return undecided(f"{words}, and so is delta = {short(delta)}: {why}.")
    if not holds:
        reason = f"{words}; the lower end is attained by {_attained(ends)}."
        return witnessed(Verdict.REFUTED, reason)
    if {None: True, "delta": delta == 0, "exp_eps": level.exp_eps == 1}[least]:
        return witnessed(Verdict.PROVED, f"{words}; the upper end is that of {ends.theorem}.")
    if ends.delta.compare(delta) == -1:  # delta is continuous in e^eps: then a smaller one is enough as well
        return Decision(Verdict.REFUTED, None, f"{words}: less is enough.")
    return undecided(f"{words}, at most {short(delta)}; that nothing less is enough is not proved.")


def decide_limit_by_ends(pairs: Pairs, delta_below: Fraction) -> Decision:
    """Decide by two proved ends of delta at infinite eps whether it is at least so much."""
    for bits in _END_BITS:
        delta = pairs.engine.bracket(None, bits).delta
        words = f"The largest P(Q = 0) is in {delta}."
        if delta.lower.compare(delta_below) >= 0:
            return Decision(Verdict.PROVED, None, words)
        if delta.upper.compare(delta_below) < 0:
            return Decision(Verdict.REFUTED, None, words)
    return undecided(f"{words[:-1]}, and delta_below = {short(delta_below)} is not proved to be on one side.")


def decide_enclosed(
    profile: PrivacyProfile, level: PrivacyLevel, delta: Fraction, witnessed: Callable[[Verdict, str], Decision]
) -> Decision:
    """Decide by enclosures of delta over all pairs, if exact masses are too long to be built."""
    try:
        sign, value = compared(lambda bits: profile.delta(**level.keywords, relative_bits=bits), delta)
    except ManyUsersError as error:
        return undecided(str(error))
    if sign is None:
        return undecided(f"The divergence {value} and delta = {short(delta)} are too close.")
    verdict = Verdict.REFUTED if sign > 0 else Verdict.PROVED
    return witnessed(verdict, f"The worst delta is in {value}, by ball arithmetic.")


def with_method(decision: Decision, reason: str) -> Decision:
    """Return the decision with what its witness is, in words: plans of a swap without stages state a blanket."""
    witness: Mapping[str, Any] = decision.witness or {}
    method = next((METHODS[key] for key in METHODS if key in witness), "")
    if "swap" in witness and not any(plan.get("stages", "own_stages" in plan) for plan in witness["swap"]["plans"]):
        method = METHODS["blanket"]
    return replace(decision, reason=f"{reason} {method}") if method else decision


def _attained(ends: Bracket) -> str:
    """Return what attains the lower end, for reading; labels are indices here."""
    pair = ends.attained_by
    return f"the pair {pair.first} against {pair.second}" if isinstance(pair, WorstPair) else str(pair)
