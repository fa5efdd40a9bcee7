"""Certificates of an answer, which need nobody's word: one for each end.

Of a delta: that the protocol has (eps, delta)-DP at a delta just above the upper end, and that it has not at one just
below the lower end. Of an eps likewise. The numbers are decimals of a few digits, rounded away from the answer, so that
certificates stay short and their bounds have room; the checker of the standard library has read each before it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exactdp.claims.certificate import Verdict
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.claims.claimed_targets import noise_claim, users_claim
from exactdp.errors import ExactDPError, NotCheckableError
from exactdp.mechanisms.neighbors import Neighbors
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import decimal_text, ends, exact_text
from exactdp.numbers.interval import Interval
from exactdp.protocols.naming.populations import read_participants
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_shift
from exactdp.studies.sweep.sweep_question import Question

_DIGITS: Final = 6
"""Of the number that is certified, where the answer closes to any width."""
_WIDE_DIGITS: Final = 3
"""Where it does not, or is of many runs: then certificates have bounds with an error of their own."""


@dataclass(frozen=True, slots=True)
class Certified:
    """One end of an answer, certified.

    Args:
        side: "holds" or "fails".
        at: the delta or eps that the claim is about, exactly.
        verdict: PROVED for "holds", REFUTED for "fails", or UNDECIDED.
        level: "certificate", "enclosure" where the engine alone decided, or "none".
        claim_id: of the claim; None where no claim states the question.
        reason: what was found, in words.
        document: the certificate as `exactdp verify` reads it; None at any other level.
    """

    side: str
    at: str
    verdict: str
    level: str
    claim_id: str | None
    reason: str
    document: str | None


def certified(
    question: Question, value: Fraction | Interval | LogRational, *, is_closed: bool
) -> tuple[Certified, ...]:
    """Return the certificates of an answer: one that holds, and unless it is 0 one that fails; none of infinity.

    >>> asked = Question("protocol", "@zsum", (("--gamma", "1/2"),), "5", "exp_eps", "2")
    >>> [(one.side, one.at, one.verdict, one.level) for one in certified(asked, Fraction(1, 8), is_closed=True)]
    [('holds', '1/8', 'PROVED', 'certificate'), ('fails', '124999/1000000', 'REFUTED', 'certificate')]
    """
    if isinstance(value, LogRational) and value.is_infinite:
        return ()
    low, high = ends(value.enclose() if isinstance(value, LogRational) else value)
    digits = _DIGITS if is_closed and question.runs == 1 else _WIDE_DIGITS
    above, below = as_fraction(decimal_text(high, digits, up=True), name="end"), _below(low, digits)
    if question.answer == "delta":
        above = min(above, Fraction(1))
    sides = [("holds", above)] if below is None else [("holds", above), ("fails", below)]
    return tuple(_certified(question, side, at) for side, at in sides)


def _below(end: Fraction | Dyadic, digits: int) -> Fraction | None:
    """Return a short number below a positive end, not the end itself; None where there is none."""
    at = as_fraction(decimal_text(end, digits, up=False), name="end")
    if at <= 0:
        return None
    if end.compare(at) > 0 if isinstance(end, Dyadic) else end > at:
        return at
    lower = at * (1 - Fraction(1, 10**digits))
    return as_fraction(decimal_text(lower, digits, up=False), name="end")


def _certified(question: Question, side: str, at: Fraction) -> Certified:
    shown = exact_text(at)
    try:
        certificate = certify(_claim(question, at))
    except ExactDPError as error:
        return Certified(side, shown, Verdict.UNDECIDED.value, "none", None, str(error), None)
    if certificate.verdict is (Verdict.REFUTED if side == "holds" else Verdict.PROVED):
        raise AssertionError(f"{question.title}: an answer is refuted by its own certificate: {certificate.reason}")
    document = certificate.to_json() if certificate.level == "certificate" else None
    claim_id = certificate.claim.digest()
    return Certified(side, shown, certificate.verdict.value, certificate.level, claim_id, certificate.reason, document)


def _claim(question: Question, at: Fraction) -> Claim:
    """Return the claim that the question's protocol has (eps, delta)-DP, the one given and the other ``at``."""
    given = as_fraction(question.at, name=question.asked)
    level: dict[str, Any] = {question.asked: given, question.answer: at}
    target, times = question.target(), None if question.runs == 1 else question.runs
    if isinstance(target, NoiseLaw):
        return noise_claim(target, int(read_shift(question.shift, target)), level, times=times)
    users = read_participants(question.users or "", target)
    if not isinstance(users, int):
        raise NotCheckableError("n is random, and no certificate speaks of that. Ask about one n.")
    if target.table is None and question.neighbors != Neighbors.REPLACE_ONE.value:
        raise NotCheckableError(f"no claim states {target.name} with neighbours {question.neighbors}.")
    return users_claim(target.in_fractions(), users, level, neighbors=Neighbors(question.neighbors), times=times)
