"""The prover: decides claims with the exact engines, and writes down what the checker verifies.

A statement decides itself, in the file of its kind. Nothing of it is trusted: a decision becomes a certificate only
after the checker, which shares no code with the engines, has verified it.
"""

from __future__ import annotations

import json
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from exactdp.checker.documents import Result, read_file
from exactdp.checker.reading import canonical
from exactdp.claims.certificate import Certificate, named
from exactdp.claims.checks import check_text
from exactdp.claims.claim import Claim
from exactdp.claims.statement import Decision, Verdict
from exactdp.claims.ways import claim_name, equivalent_statements
from exactdp.errors import CertificateRejectedError, InvalidValueError, MalformedCertificateError
from exactdp.evidence.theorems import relies_on
from exactdp.progress import Progress, progress_callback

if TYPE_CHECKING:
    from concurrent.futures import Executor


@relies_on("hockey_stick.certificate_proves", "hockey_stick.certificate_refutes")
def certify(claim: Claim, *, executor: Executor | None = None, progress: Progress | None = None) -> Certificate:
    """Decide a claim and return the certificate.

    Where the checker cannot confirm a claim about a shuffled randomizer, or would list its views for seconds, another
    claim that says the same is certified in its place: of the family as a table or the other way round (see
    :mod:`exactdp.claims.ways`). Then ``.claim`` is that claim, and ``.reason`` says so.

    Args:
        claim: what to decide.
        executor: if given, the parts of a conjunction, the data sets of an accuracy claim and the pairs of a claim
            about a shuffled randomizer are decided through it; the result is the same.
        progress: a callback for finished pieces of work in this process; see :mod:`exactdp.progress`.

    Returns:
        a certificate at level "certificate" whenever the standard-library checker has verified it; at level
        "enclosure" if the engine decided a claim that is beyond the checker's limits; UNDECIDED, with the reason,
        if no proof of either side was found.

    Raises:
        TooLargeError: for work beyond the engine's limit, before it starts.

    >>> from exactdp.laws import Binomial
    >>> certificate = certify(Claim.shift_dp(Binomial(2, "1/2"), exp_eps=2, delta="1/5"))
    >>> certificate.verdict, certificate.reason
    (<Verdict.REFUTED: 'REFUTED'>, 'shift 1 (forward) has delta 1/4.')
    """
    if not isinstance(claim, Claim):
        raise InvalidValueError(f"claim has the type {type(claim).__name__}. Pass a Claim, as Claim.shuffle_dp makes.")
    with progress_callback(progress):
        return _certified(claim, executor)


def _certified(claim: Claim, executor: Executor | None) -> Certificate:
    """Return the first certificate of the statements that say the same; without one, a verdict on the claim itself."""
    asked = claim.statement
    own: Certificate | None = None
    decided: Certificate | None = None
    for stated in equivalent_statements(asked):
        same = claim if stated == asked else Claim.from_data(stated.data)
        certificate = certificate_of(same, stated.decide(executor))
        if certificate.level == "certificate":
            if same == claim:
                return certificate
            said = f"Certified is the equivalent claim {claim_name(stated)}, in place of {claim_name(asked)}."
            return replace(certificate, reason=f"{certificate.reason} {said}")
        if same == claim:
            own = certificate
        if certificate.verdict is not Verdict.UNDECIDED:
            decided = certificate
    assert own is not None  # the claim is among those that say the same
    return own if own.verdict is not Verdict.UNDECIDED or decided is None else replace(decided, claim=claim)


def certificate_of(claim: Claim, decision: Decision) -> Certificate:
    """Return the certificate of a decision: at its level if the checker verifies it."""
    if decision.verdict is Verdict.UNDECIDED:
        return Certificate(claim, decision.verdict, "none", decision.reason)
    if decision.witness is None:
        return Certificate(claim, decision.verdict, "enclosure", decision.reason)
    certificate = Certificate(claim, decision.verdict, "certificate", decision.reason, canonical(decision.witness))
    try:
        check(certificate)
    except MalformedCertificateError as error:
        reason = f"{decision.reason} Beyond the checker: {error}"
        return Certificate(claim, decision.verdict, "enclosure", reason)
    except CertificateRejectedError as error:
        raise RuntimeError(
            f"the checker disagrees with the engine about {claim!r}: {error} This is a defect."
        ) from error
    return certificate


def conjoined(*certificates: Certificate) -> Certificate:
    """Return the certificate that all of these say the truth: a claim that is refuted enters as its negation.

    Each has the level "certificate"; so has the conjunction, unless it is beyond the checker's limits.
    """
    claims = [one.claim if one.verdict is Verdict.PROVED else Claim.negation(one.claim) for one in certificates]
    witness = {"parts": [json.loads(one.witness or "null") for one in certificates]}
    reason = " ".join(one.reason for one in certificates)
    return certificate_of(Claim.conjunction(*claims), Decision(Verdict.PROVED, witness, reason))


def verify(certificate: Certificate | str | Path) -> Verdict:
    """Re-check a certificate, or the file at a path, with the standard-library checker; return its verdict.

    Raises:
        CertificateRejectedError: if the check fails.
        MalformedCertificateError: if it is no certificate of this schema, or beyond a limit of the checker.

    >>> from exactdp.laws import Binomial
    >>> verify(certify(Claim.shift_dp(Binomial(2, "1/2"), exp_eps=2, delta="1/4")))
    <Verdict.PROVED: 'PROVED'>
    """
    return Verdict(check(certificate).verdict)


def check(certificate: Certificate | str | Path) -> Result:
    """Return all that the checker says: verdict, claim id, the claim in words, and the facts it rests on.

    Raises as ``verify``. The last results are kept, of parts of claims too; a file is always read again.
    """
    if isinstance(certificate, Certificate):
        return _check_text(certificate.to_json(), repr(certificate.claim))
    if not isinstance(certificate, str | Path):
        raise InvalidValueError(f"certificate is a {type(certificate).__name__}. Pass a Certificate or a path.")
    with named(certificate):
        text = read_file(str(certificate))
    return _check_text(text, str(certificate))


def _check_text(text: str, name: str) -> Result:
    with named(name):
        return check_text(text)
