"""What the prover finds: a verdict, a reason in words, and a witness that the checker has verified.

An engine decides a claim; a witness is then looked for among candidates, and the first that the checker verifies is
taken. If there is none, the verdict stands on the engine alone, at level "enclosure".
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from exactdp.checker import budget
from exactdp.checker.reading import canonical
from exactdp.claims.certificate import Verdict
from exactdp.claims.checks import checked, document
from exactdp.claims.encoding import Json, JsonObject
from exactdp.claims.kinds import Statement
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval

Value: TypeAlias = Interval | Fraction
"""A number, exactly or enclosed."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with its witness, which is None if the checker cannot verify one, and the reason in words."""

    verdict: Verdict
    witness: JsonObject | None
    reason: str


def proved(reason: str, **witness: Json) -> Decision:
    """The claim holds."""
    return Decision(Verdict.PROVED, witness, reason)


def refuted(reason: str, **witness: Json) -> Decision:
    """The claim fails."""
    return Decision(Verdict.REFUTED, witness, reason)


def undecided(reason: str) -> Decision:
    """Neither was proved."""
    return Decision(Verdict.UNDECIDED, None, reason)


def is_verified(statement: Statement, verdict: Verdict, witness: JsonObject) -> bool:
    """Whether the checker verifies this witness for this claim."""
    return _objection(statement.encode(), verdict, witness) is None


def first_verified(statement: Statement, verdict: Verdict, reason: str, witnesses: Iterable[JsonObject]) -> Decision:
    """Return the decision with the first witness that the checker verifies for this claim."""
    claim = statement.encode()
    failure = "The checker's methods do not reach this claim."
    for witness in witnesses:
        objection = _objection(claim, verdict, witness)
        if objection is None:
            return Decision(verdict, witness, reason)
        failure = f"The checker cannot confirm it: {objection}."
    return Decision(verdict, None, f"{reason} {failure}")


def _objection(claim: JsonObject, verdict: Verdict, witness: JsonObject) -> str | None:
    """Return what the checker says against a witness; None if it verifies it."""
    plain_claim, plain_witness = (json.loads(canonical(part)) for part in (claim, witness))
    try:
        checked(canonical(document(plain_claim, verdict.value, plain_witness)))
    except (budget.CertificateRejectedError, budget.MalformedCertificateError) as error:
        return str(error)
    return None


def shown(value: Value) -> str:
    """Return a number for reading."""
    return short(value) if isinstance(value, Fraction) else str(value)
