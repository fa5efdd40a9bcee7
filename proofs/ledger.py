"""Rows of the ledger, and how one is decided: state the claim, certify it, and let the checker read the certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from exactdp.certificates.certificate import Certificate, Verdict
from exactdp.certificates.certify import certify
from exactdp.certificates.certify import check as check_certificate
from exactdp.certificates.claim import Claim
from exactdp.proofs.development import theorems

__all__ = ["Outcome", "ProofRow", "check"]


@dataclass(frozen=True, slots=True)
class ProofRow:
    """One statement of the ledger: what is claimed, and the claim that decides it.

    ``statement`` says it in the field's words, ``domain`` for which parameters, ends included or not. ``notes`` are the
    numbers of the entries about the reading notes that it settles, and ``as_printed`` says how the statement reads
    there: "true", "corrected" or "false"; None where no note is concerned. A row of a statement that is false as
    printed claims that statement, and its recorded verdict is REFUTED. ``lines`` are the lines of the notes.

    A row without a claim is prose: notation, wording, attribution, or a bound cited from the literature. Its
    ``reading`` says what holds instead, and who says so; no machine has decided it.

    ``theorems`` name what the Coq development proves of the row, as ``file.theorem``: the whole statement where it is
    PROVED, and that it fails where it is REFUTED. proofs/coq/STATEMENTS.md compares them with the row by hand.
    """

    id: str
    topic: str
    statement: str
    domain: str
    source: str
    claim: Callable[[], Claim] | None = field(repr=False)
    notes: tuple[str, ...] = ()
    as_printed: str | None = None
    expected: Verdict | None = Verdict.PROVED
    lines: str = ""
    reading: str = ""
    theorems: tuple[str, ...] = ()

    @classmethod
    def prose(
        cls,
        name: str,
        topic: str,
        statement: str,
        *,
        source: str,
        entry: str,
        as_printed: str,
        lines: str,
        reading: str,
    ) -> ProofRow:
        """Return a row that no machine decides."""
        return cls(name, topic, statement, "prose", source, None, (entry,), as_printed, None, lines, reading)

    def __reduce__(self) -> tuple[Callable[[str], ProofRow], tuple[str]]:
        """A row travels to another process by its id."""
        from exactdp import proofs

        return proofs.row, (self.id,)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a row was decided: the checker's verdict, what stands behind it, and the certificate itself."""

    row: ProofRow
    verdict: Verdict | None
    """None for prose."""
    level: str
    checked: str
    """The claim in words, from what the checker rebuilt."""
    rests_on: tuple[str, ...]
    """The named facts that the checker relies on."""
    reason: str
    seconds: float = field(compare=False)
    certificate: Certificate | None = field(default=None, repr=False)

    @property
    def axioms(self) -> tuple[str, ...]:
        """What the row's theorems assume, as the development records it."""
        found = {axiom for name in self.row.theorems for axiom in theorems()[name].axioms}
        return tuple(sorted(found))

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict is the recorded one."""
        return self.verdict is self.row.expected


def check(row: ProofRow) -> Outcome:
    """Decide a row: certify its claim, then believe only what the checker says of the certificate.

    A row that a theorem of the Coq development states has the level kernel beside that verdict.
    """
    began = perf_counter()
    if row.claim is None:
        return Outcome(row, None, "prose", "", (), row.reading, perf_counter() - began)
    certificate = certify(row.claim())
    verdict, checked, reason = Verdict.UNDECIDED, "", certificate.reason
    facts: tuple[str, ...] = ()
    if certificate.level == "certificate":
        result = check_certificate(certificate)
        verdict, checked, facts = Verdict(result.verdict), result.words, result.facts
    is_theorem = row.theorems and verdict is row.expected
    level = "kernel" if is_theorem else certificate.level
    return Outcome(row, verdict, level, checked, facts, reason, perf_counter() - began, certificate)
