"""Is a mechanism (eps, delta)-DP: decided by its worst pair, whose delta is computed exactly.

At a rational e^eps one search for the worst pair decides. Else e^eps lies between two rationals, and the divergence
does not grow with e^eps: more and more terms of its series are tried, each time with one search.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Final

from exactdp.checker.limits import MAX_TERMS
from exactdp.claims.decide.decision import Decision, proved, refuted, undecided
from exactdp.claims.encoding import write_rational
from exactdp.claims.kinds import ShiftDP, ShuffleDP
from exactdp.claims.neighbor_pairs import Pairs
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.formats import short
from exactdp.privacy.engine import WorstEvent

_FIRST_TERMS: Final = 8
"""Terms of the series of e^eps that are tried first: for eps = 1 they leave 10^-5 of it."""
_PAIR_BITS: Final = (4, 16, 64, 256, 1024, 4096)
"""How closely the worst event just below the least e^eps is looked for: 2^-bits of it away."""

_EXP_EPS_BITS: Final = 128
"""What the terms of the series of e^eps may leave of it: less than 2^-128."""
_TERM_BITS: Final = 192
"""Terms of that series are rounded up to so many bits while they are counted."""


def decide_exactly(claim: ShuffleDP | ShiftDP, pairs: Pairs) -> Decision:
    """Decide a claim about the level of privacy of these pairs."""
    if claim.level.eps is not None:
        return _decide_eps(claim.level.eps, claim.delta, pairs)
    exp_eps, delta = claim.level.keywords["exp_eps"], claim.delta
    worst = pairs.worst(exp_eps)
    worst_delta = max(Fraction(0), worst.delta(exp_eps))
    if worst_delta > delta:
        return refuted(f"{pairs.words(worst)} has delta {short(worst_delta)}.", **pairs.witness(worst))
    if claim.least == "delta" and worst_delta < delta:
        return refuted(f"delta = {short(worst_delta)} is enough.", smaller=write_rational(worst_delta))
    if claim.least == "exp_eps" and exp_eps > 1:
        return _decide_least_exp_eps(exp_eps, delta, pairs)
    witness = pairs.witness(worst) if claim.least == "delta" and delta > 0 else {}
    return proved(f"The worst delta is {short(worst_delta)}{_at(worst_delta, pairs, worst)}.", **witness)


def _at(worst_delta: Fraction, pairs: Pairs, worst: WorstEvent) -> str:
    """Return where the worst delta is, if it is positive."""
    return f", at {pairs.words(worst)}" if worst_delta else ""


def _decide_least_exp_eps(exp_eps: Fraction, delta: Fraction, pairs: Pairs) -> Decision:
    """Decide whether an e^eps that is enough is the least one.

    Just below the least e^eps the worst event T has Q(T) > 0 and its line meets delta there, so that its pair has
    divergence delta, and T lies in {P >= E Q}.
    """
    needed = pairs.profile.exact_epsilon(delta).argument
    if needed < exp_eps:
        return refuted(f"e^eps = {short(needed)} is enough.", smaller=write_rational(needed))
    for bits in _PAIR_BITS:
        event = pairs.worst(max(Fraction(1), exp_eps * (1 - Fraction(1, 2**bits))))
        if event.delta(exp_eps) == delta and event.mass_second > 0:
            return proved(f"{pairs.words(event)} allows no smaller e^eps.", **pairs.witness(event))
    return undecided("The e^eps is the least, but no single pair was found that proves it.")


def _decide_eps(eps: Fraction, delta: Fraction, pairs: Pairs) -> Decision:
    """Decide by more and more terms of the Taylor series, each time with one search for the worst event.

    With L <= e^eps <= U: delta(L) <= delta proves. The worst event T at L refutes if P(T) - U Q(T) > delta.
    """
    terms = _FIRST_TERMS + 2 * int(eps)
    while terms <= MAX_TERMS:
        below, above = taylor_bounds(eps, terms)
        worst = pairs.worst(below)
        worst_delta = max(Fraction(0), worst.delta(below))
        if worst_delta <= delta:
            words = f"The worst delta is at most {short(worst_delta)}{_at(worst_delta, pairs, worst)}."
            return proved(words, terms=str(terms))
        if worst.delta(above) > delta:
            words = f"{pairs.words(worst)} has a delta above {short(delta)}."
            return refuted(words, terms=str(terms), **pairs.witness(worst))
        terms *= 2
    return undecided(f"The divergence and delta = {short(delta)} are too close for {MAX_TERMS} Taylor terms.")


@relies_on("exponential.taylor_sum_below_exp", "exponential.exp_below_taylor_sum")
def taylor_bounds(eps: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """Return the partial sum of e^eps, and that plus a geometric bound of the rest, for terms + 1 > eps."""
    total, term = Fraction(0), Fraction(1)
    for k in range(1, terms + 1):
        total += term
        term *= eps / k
    return total, total + term / (1 - eps / (terms + 1))


def series_terms(eps: Fraction) -> int:
    """Return how many terms of the Taylor series of e^eps leave next to nothing of it."""
    term, terms = Fraction(1), 1
    while term * 2**_EXP_EPS_BITS > 1 or terms <= eps:
        term = Fraction(ceil(term * eps / terms * 2**_TERM_BITS), 2**_TERM_BITS)
        terms += 1
    return terms
