"""Decides claims about noisy and sampled counts: two counts of correlated noise, and a count with a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from exactdp.checker.limits import MAX_TOTAL_BITS, MAX_USERS
from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.decision import Decision, first_verified, is_verified, shown, undecided
from exactdp.claims.decide.exact_levels import compared, precisions
from exactdp.claims.encoding import JsonObject, write_integer
from exactdp.claims.kinds import CountingDP, SampleThresholdDP
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers.balls import compare_reals
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import as_real
from exactdp.protocols.counting.correlated_view import CorrelatedView
from exactdp.protocols.thresholded.sampled_count_laws import Place, SampledCounts

_BITS: Final = ("64", "128", "256", "512", "1024", "2048", "4096")
"""Precisions at which the checker is asked where no engine knows how near delta is."""
_LOOKED_AT: Final = 2000
"""Numbers of holders that are looked at for a refutation where no tail bound ends the scan: a part of a second."""
_TERMS: Final = (16, 32, 64, 128, 256, 512)
"""Terms of the series of e^eps that are tried."""


# --- Correlated counts ----------------------------------------------------------------------------------------------


def decide_counting_dp(claim: CountingDP) -> Decision:
    """Decide by the engine of one negative binomial law; of several laws, by what the checker can show."""
    law = claim.noise[0]
    if len(claim.noise) > 1:
        return _by_the_checker(claim)
    p1, p, r = (as_real(value, name=name) for name, value in (("p1", claim.p1), ("p", law.p), ("r", law.r)))
    if compare_reals(p, Fraction(0)) == 0 or compare_reals(r, Fraction(1)) < 0:
        return _by_the_checker(claim)
    view = CorrelatedView(p1, p, r)
    try:
        sign, value = compared(lambda bits: view.enclose_delta(claim.level.real, bits).delta, claim.delta)
    except (UndecidedError, TooLargeError) as error:
        return undecided(str(error))
    if sign is None or (sign == 0 and isinstance(value, Interval)):
        return undecided(f"The divergence {value} and delta = {short(claim.delta)} are too close.")
    verdict = Verdict.PROVED if sign <= 0 else Verdict.REFUTED
    witnesses = ({"bits": bits} for bits in precisions(value, claim.delta))
    return first_verified(claim, verdict, f"The worst delta is {shown(value)}.", witnesses)


def _by_the_checker(claim: CountingDP) -> Decision:
    for bits in _BITS:
        for verdict, side in ((Verdict.PROVED, "at most"), (Verdict.REFUTED, "above")):
            if is_verified(claim, verdict, {"bits": bits}):
                words = f"{bits} bits show that the worst delta is {side} {short(claim.delta)}."
                return Decision(verdict, {"bits": bits}, words)
    return undecided(f"{_BITS[-1]} bits do not tell the divergence from delta = {short(claim.delta)}, or are too many.")


# --- Sample and threshold -------------------------------------------------------------------------------------------


def decide_sample_threshold_dp(claim: SampleThresholdDP) -> Decision:
    """Decide by the divergences of all numbers of holders up to where a tail bound shows that the rest is harmless."""
    start = claim.threshold - 1
    if claim.users is not None and claim.users <= start:
        holders = write_integer(min(claim.users, MAX_USERS))
        words = "So few users never reach the threshold."
        return first_verified(claim, Verdict.PROVED, words, _witnesses(claim, [{"holders": holders}]))
    if claim.delta == 0:
        return _refuted(claim, [(start, "more")])
    end = _enough(claim)
    longest = MAX_TOTAL_BITS // claim.rate.denominator.bit_length()
    is_whole = end is not None and end <= longest
    last = end if is_whole and end is not None else min(start + _LOOKED_AT, longest, claim.users or longest)
    scan = _counts(claim).scanned(last, claim.delta)
    if scan.above:
        return _refuted(claim, scan.above)
    if not is_whole:
        return undecided("The holders are too many to be looked at, one number after the other.")
    words = f"The worst number of holders is {scan.worst}, of delta {scan.delta}."
    proof = first_verified(claim, Verdict.PROVED, words, _witnesses(claim, [{"holders": write_integer(last)}]))
    if not scan.open or proof.witness is not None:
        return proof
    refutation = _refuted(claim, scan.open)
    if refutation.witness is not None:
        return refutation
    return undecided(f"The divergence and delta = {short(claim.delta)} are too close.")


def _refuted(claim: SampleThresholdDP, places: Sequence[Place]) -> Decision:
    """Return the refutation by one of these numbers of holders."""
    n, order = places[0]
    pair = f"{n + 1} holders against {n}" if order == "more" else f"{n} holders against {n + 1}"
    words = f"{pair} have a delta above {short(claim.delta)}."
    pairs: list[JsonObject] = [{"holders": write_integer(n), "order": order} for n, order in places]
    return first_verified(claim, Verdict.REFUTED, words, _witnesses(claim, pairs))


def _witnesses(claim: SampleThresholdDP, plain: list[JsonObject]) -> Iterator[JsonObject]:
    """The witnesses, with terms of the series of e^eps where the claim needs them."""
    if claim.level.exp_eps is not None:
        yield from plain
    else:
        yield from ({**witness, "terms": str(terms)} for terms in _TERMS for witness in plain)


def _counts(claim: SampleThresholdDP) -> SampledCounts:
    return SampledCounts(claim.rate, claim.threshold, claim.level.real)


def _enough(claim: SampleThresholdDP) -> int | None:
    """Return a number of holders from which on a tail bound is below delta, or all users; None if it is too large."""
    counts, end = _counts(claim), claim.threshold
    while not counts.is_harmless(end + 1, claim.delta):
        if claim.users is not None and end >= claim.users:
            break
        end *= 2
        if end > MAX_USERS:
            if claim.users is not None and claim.users <= MAX_USERS:
                break
            return None
    low, high = claim.threshold, end
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if counts.is_harmless(middle + 1, claim.delta) else (middle + 1, high)
    spare = low + 2  # the checker rounds, and e^eps is not exactly what it takes
    return spare if claim.users is None else min(spare, claim.users)
