"""Rows of the ledger, and how one is decided: the checker reads the certificate of its claim.

The certificate is the stored one (``stored.py``), or made anew: ``certified``. Either way the verdict is the checker's.

The rows whose certificate the proved checker accepts are a record, which is made and compared where it is built.
``exactdp prove --certificates DIR`` writes the certificates, and ``python -m tests.certificates.accepted DIR`` asks the
proved checker about them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Final

from exactdp import Certificate, Claim, Verdict, certify
from exactdp.checker.documents import Result
from exactdp.claims.certify import check as check_certificate
from exactdp.errors import InvalidFileError
from exactdp.mechanisms.documents import parse_toml
from exactdp.proofs.development import Proposition, computed_theorems, propositions, theorems, why_unaccepted
from exactdp.proofs.stored import certificate_of

RECORD: Final = Path(__file__).resolve().parent / "accepted.toml"
"""The record."""


@lru_cache(maxsize=1)
def accepted_by_proof() -> frozenset[str]:
    """Return the ids of these rows."""
    return frozenset(parse_toml(RECORD.read_text("utf-8"))["proved"])


class AsPrinted(StrEnum):
    """How a statement reads in the notes that it settles."""

    TRUE = "true"
    CORRECTED = "corrected"
    FALSE = "false"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofRow:
    """One statement of the ledger: what is claimed, and the claim that decides it.

    ``statement`` says it in the field's words, ``domain`` for which parameters, ends included or not. ``notes`` are the
    numbers of the entries about the reading notes that it settles (entries.toml words them), and ``as_printed`` says
    how the statement reads there; None where no note is concerned, and where the row decides a reading that the note
    does not force. A row of a statement that is false as printed claims that statement, and its recorded verdict is
    REFUTED; where a note can be read in several ways, ``reading`` begins "read as" and says which one this row decides.

    What stands behind the verdict is the row's level. Where proofs/coq/rows has its Prop, Coq's kernel states the whole
    row, and ``theorems`` name what the Prop rests on, as ``file.theorem``. So it does where proofs/checker/rows has it:
    then the claim says what the row says, and the kernel has computed that the proved checker accepts it. ``prop`` is
    the digest of the Prop that was compared with the statement: where another stands there, or where the record of the
    kernel is out of date, the row is undecided (``why_undecided``). Else, where
    ``steps`` is given, the claim holds steps of a proof, and ``steps`` names the place of the proof on paper that they
    suffice. Else the claim *is* the statement. A row without a claim is prose: notation, wording, attribution, or a
    bound cited from the literature. Its ``reading`` says what holds instead, and who says so; no machine has decided
    it. ``claim_id`` is the id of the claim, by which the stored certificate is the row's.
    """

    id: str
    topic: str
    statement: str
    domain: str
    source: str
    claim: Callable[[], Claim] | None = field(repr=False)
    notes: tuple[str, ...] = ()
    as_printed: AsPrinted | None = None
    expected: Verdict | None = Verdict.PROVED
    reading: str = ""
    theorems: tuple[str, ...] = ()
    prop: str = ""
    steps: str = ""
    claim_id: str = ""

    @property
    def proposition(self) -> Proposition | None:
        """What Coq's kernel accepts of the row; None where neither folder rows/ states it."""
        return propositions().get(self.id)

    @property
    def why_undecided(self) -> str:
        """Why the kernel does not stand behind a row that it is to stand behind, and the repair; else ""."""
        stated = self.proposition
        if (digest := "" if stated is None else stated.digest) != self.prop:
            return (
                f"prop={self.prop!r} is not the digest of the row's Prop, which is {digest!r}. Compare the Prop with "
                f"the statement, then run `python -m tests.unit.proofs.props {self.id}`. The statement: "
                f"{self.statement} For: {self.domain}. The Prop: {'none' if stated is None else stated.prop}"
            )
        return "" if stated is None else why_unaccepted(stated.theorem)

    @property
    def level(self) -> str:
        """What stands behind the row where the checker verifies its certificate: a level of the ledger."""
        if self.claim is None:
            return "prose"
        if self.why_undecided:
            return "none"
        if self.prop:
            return "kernel"
        return "steps" if self.steps else "certificate"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a row was decided: the checker's verdict, what stands behind it, and the certificate itself."""

    row: ProofRow
    verdict: Verdict | None
    """None for prose."""
    level: str
    """One of ``exactdp.evidence.levels.LEVELS``."""
    checked: str
    """The claim in words, from what the checker rebuilt."""
    rests_on: tuple[str, ...]
    """The named facts that the checker relies on."""
    reason: str
    seconds: float = field(compare=False)
    certificate: Certificate | None = field(default=None, repr=False)
    accepted_by: tuple[str, ...] = ()
    """Who accepts the certificate, of ``exactdp.evidence.levels.ACCEPTORS``: python in this run, others as recorded."""

    @property
    def proposition(self) -> Proposition | None:
        """The Prop that Coq's kernel accepts, where that is the level."""
        return self.row.proposition if self.level == "kernel" else None

    @property
    def axioms(self) -> tuple[str, ...]:
        """What the row's theorem assumes, as the development records it."""
        stated = self.proposition
        if stated is None:
            return ()
        recorded = computed_theorems() if stated.is_computed else theorems()
        return recorded[stated.theorem].axioms

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict is the recorded one."""
        return self.verdict is self.row.expected


def check(row: ProofRow) -> Outcome:
    """Decide a row: state its claim, and believe only what the checker says of the stored certificate of that claim.

    Raises:
        InvalidFileError: if there is no stored certificate of the row's claim.
    """
    began = perf_counter()
    if row.claim is None:
        return prose(row)
    certificate = certificate_of(row)
    compare_claim(row)
    return outcome_of(row, certificate, check_certificate(certificate), perf_counter() - began)


def check_from_scratch(row: ProofRow) -> Outcome:
    """Decide a row without what is stored: certify its claim, then believe only what the checker says of that."""
    began = perf_counter()
    if row.claim is None:
        return prose(row)
    certificate = certify(row.claim())
    if certificate.level != "certificate":
        return undecided(row, certificate, certificate.level, certificate.reason, perf_counter() - began)
    return outcome_of(row, certificate, check_certificate(certificate), perf_counter() - began)


def prose(row: ProofRow) -> Outcome:
    """Return the outcome of a row without a claim."""
    return Outcome(row, None, "prose", "", (), row.reading, 0)


def undecided(row: ProofRow, certificate: Certificate | None, level: str, reason: str, seconds: float) -> Outcome:
    """Return the outcome of a row whose verdict the checker does not confirm."""
    return Outcome(row, Verdict.UNDECIDED, level, "", (), reason, seconds, certificate)


def compare_claim(row: ProofRow) -> None:
    """Refuse a row whose claim, as its function states it, has another id than its file names."""
    if row.claim is not None and (digest := row.claim().digest()) != row.claim_id:
        raise InvalidFileError(
            f"row {row.id}: it states the claim {digest}, and its file names claim_id={row.claim_id!r}. In a checkout "
            "`exactdp prove --update-ledger` states and certifies all rows anew, and writes the ids."
        )


def outcome_of(row: ProofRow, certificate: Certificate, result: Result, seconds: float) -> Outcome:
    """Return the outcome of a row from what the checker says of a certificate of its claim."""
    verdict, level, reason = Verdict(result.verdict), row.level, certificate.reason
    if level == "none":
        verdict, reason = Verdict.UNDECIDED, row.why_undecided
    elif level == "kernel" and verdict is not row.expected:
        level = "certificate"
    accepted_by = _acceptors(row, level)
    return Outcome(row, verdict, level, result.words, result.facts, reason, seconds, certificate, accepted_by)


def _acceptors(row: ProofRow, level: str) -> tuple[str, ...]:
    """Return who accepts the certificate of a row that the checker has verified here."""
    proved = ("proved",) if row.id in accepted_by_proof() else ()
    stated = row.proposition if level == "kernel" else None
    computed = ("kernel",) if stated is not None and stated.is_computed else ()
    return ("python", *proved, *computed)
