"""What the prover finds: a verdict, in words why, and a witness that the checker has confirmed.

An engine decides a claim; a witness is then looked for among candidates, and the first that the checker verifies is
taken. Where none is, the verdict stands on the engine alone, at level "enclosure".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from exactdp.certificates import verify as checker
from exactdp.certificates.certificate import Verdict

__all__ = ["Decision", "confirmed", "is_confirmed", "proved", "refuted", "undecided"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with its witness as JSON data, None where the checker cannot confirm it, and in words why."""

    verdict: Verdict
    witness: dict[str, Any] | None
    reason: str


def proved(reason: str, **witness: Any) -> Decision:
    """The claim holds."""
    return Decision(Verdict.PROVED, witness, reason)


def refuted(reason: str, **witness: Any) -> Decision:
    """The claim fails."""
    return Decision(Verdict.REFUTED, witness, reason)


def undecided(reason: str) -> Decision:
    """Neither was proved."""
    return Decision(Verdict.UNDECIDED, None, reason)


def is_confirmed(data: Mapping[str, Any], verdict: Verdict, witness: dict[str, Any]) -> bool:
    """Whether the checker verifies this witness for this claim."""
    return _objection(data, verdict, witness) is None


def _objection(data: Mapping[str, Any], verdict: Verdict, witness: dict[str, Any]) -> str | None:
    document = {
        "schema": checker.SCHEMA,
        "claim": data,
        "claim_id": checker.sha256(data),
        "verdict": verdict.value,
        "witness": witness,
    }
    try:
        checker.verify_text(json.dumps(document))
    except (checker.CertificateRejectedError, checker.MalformedCertificateError) as error:
        return str(error)
    return None


def confirmed(data: Mapping[str, Any], verdict: Verdict, reason: str, witnesses: Iterable[dict[str, Any]]) -> Decision:
    """Return the decision with the first witness that the checker verifies for this claim."""
    failure = "The checker's methods do not reach this claim."
    for witness in witnesses:
        objection = _objection(data, verdict, witness)
        if objection is None:
            return Decision(verdict, witness, reason)
        failure = f"The checker cannot confirm it: {objection}."
    return Decision(verdict, None, f"{reason} {failure}")
