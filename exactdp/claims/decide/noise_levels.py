"""Decides claims about the privacy of noise on an integer query, and about the smoothness of its law."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.decision import Decision, Value, first_verified, shown, undecided
from exactdp.claims.decide.enclosing import compared, is_listed, precisions
from exactdp.claims.decide.exact_levels import decide_exactly, taylor_bounds
from exactdp.claims.encoding import JsonObject, drawn_from, write_integer
from exactdp.claims.kinds import ShiftDP, Smooth
from exactdp.claims.neighbor_pairs import Pairs
from exactdp.errors import UndecidedError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.smoothness import smoothness_delta
from exactdp.protocols.protocol import shift_profile

_TERMS: Final = (16, 32, 64, 128, 256, 512)
"""Terms of the series of e^eps that are tried for an exact comparison."""


def decide_shift_dp(claim: ShiftDP) -> Decision:
    """Decide exactly what the checker lists, else by enclosures, else exactly if delta may be met."""
    law = drawn_from(claim.mechanism.law)
    decision = undecided("A least value is decided exactly, and this law is beyond it.")
    if law.lattice is not None and claim.least is None and not is_listed(law, by_steps=True):
        decision = _decide_enclosed(claim, law.lattice)
    if law.is_exact and decision.verdict is Verdict.UNDECIDED:
        return decide_exactly(claim, Pairs(claim.mechanism))
    return decision


def _decide_enclosed(claim: ShiftDP, law: LatticeLaw) -> Decision:
    """Decide by enclosures; UNDECIDED if delta may be met exactly."""
    shift, delta = claim.mechanism.shift, claim.delta
    if law.pure_exp_eps is not None and _is_pure(law.pure_exp_eps, claim):
        return first_verified(claim, Verdict.PROVED, "Every likelihood ratio is at most e^eps.", [{"pure": "yes"}])
    profile = shift_profile(law, shift=shift)
    try:
        sign, value = compared(lambda bits: profile.delta(**claim.level.keywords, relative_bits=bits), delta)
    except UndecidedError as error:
        return undecided(str(error))
    if sign is None or (sign == 0 and isinstance(value, Interval)):
        return undecided(f"The divergence {value} and delta = {short(delta)} are too close.")
    words = f"The worst delta is {shown(value)}."
    if sign <= 0:
        return first_verified(claim, Verdict.PROVED, words, ({"bits": bits} for bits in precisions(value, delta)))
    orders = (
        {"shift": write_integer(shift), "order": order, "bits": bits}
        for bits in precisions(value, delta)
        for order in ("forward", "backward")
    )
    return first_verified(claim, Verdict.REFUTED, words, orders)


def _is_pure(ratio: Real, claim: ShiftDP) -> bool:
    """Whether ratio^shift is at most the e^eps of the claim, if the order of the two can be decided."""
    return ratio.is_monomial and compare_reals(ratio**claim.mechanism.shift, claim.level.real) <= 0


def decide_smooth(claim: Smooth) -> Decision:
    """Decide whether a law is (eps, delta, k)-smooth."""
    law = drawn_from(claim.law)
    listed, exp_eps = is_listed(law, by_steps=True), claim.level.exp_eps

    def mass(bits: int) -> Value:
        if listed and exp_eps is not None:
            return smoothness_delta(law, k=claim.k, exp_eps=exp_eps)
        return smoothness_delta(law, k=claim.k, **claim.level.keywords, relative_bits=bits)

    try:
        sign, value = compared(mass, claim.delta)
    except UndecidedError as error:
        return undecided(str(error))
    if sign is None and listed and (exact := _exact_mass(claim, law)) is not None:
        sign, value = (exact > claim.delta) - (exact < claim.delta), exact
    if sign is None:
        return undecided(f"The largest mass {value} and delta = {short(claim.delta)} are too close.")

    def witnesses() -> Iterator[JsonObject]:
        if listed:
            yield from [{}] if exp_eps is not None else ({"terms": str(terms)} for terms in _TERMS)
        if law.lattice is not None:
            yield from ({"bits": bits} for bits in precisions(value, claim.delta))

    words = f"The largest mass of the event is {shown(value)}."
    if sign <= 0:
        return first_verified(claim, Verdict.PROVED, words, witnesses())
    shifted = ({"by": str(by), **witness} for witness in witnesses() for j in _shifts(law, claim.k) for by in (j, -j))
    return first_verified(claim, Verdict.REFUTED, words, shifted)


def _exact_mass(claim: Smooth, law: Law | LatticeLaw) -> Fraction | None:
    """Return the largest mass for an irrational e^eps, where the two ends of its series have the same."""
    assert claim.level.eps is not None
    terms = _TERMS[1] + 2 * int(claim.level.eps)
    least, most = (smoothness_delta(law, k=claim.k, exp_eps=end) for end in taylor_bounds(claim.level.eps, terms))
    return least if isinstance(least, Fraction) and least == most else None


def _shifts(law: Law | LatticeLaw, k: int) -> list[int]:
    """Return the shifts among which the worst one is."""
    if law.lattice is None:
        return list(range(1, k + 1))
    return [k] if law.lattice.is_log_concave else sorted({1, k})
