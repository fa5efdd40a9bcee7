"""``--explain``: in three sentences what was computed, by which engine, and by which theorem it is true.

All of it is what the code knows of itself: the planner's engine and its method, what proves an end, and the theorems
that :func:`exactdp.theorems.relies_on` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import exactdp as xdp
from exactdp.cli.output import Report
from exactdp.cli.subjects import Subject
from exactdp.theorems import theorems_of

_CITED: Final = re.compile(r"kernel: (\w+\.\w+)")
"""A theorem of the Coq development in what proves an end."""
_BEHIND: Final = {
    "certificate": "the standard-library checker has confirmed the answer",
    "exact": "the answer is exact, and not re-checked",
    "enclosure": "the answer is an interval that contains the truth, and not re-checked",
}
"""What is said of each level."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Three sentences, and the theorems of the Coq development that the last one names."""

    computed: str
    engine: str
    rests_on: str
    theorems: tuple[str, ...]

    @property
    def data(self) -> dict[str, Any]:
        """The explanation as JSON data."""
        return {
            "computed": self.computed,
            "engine": self.engine,
            "rests_on": self.rests_on,
            "theorems": list(self.theorems),
        }

    def on(self, report: Report) -> Report:
        """Return the report with the explanation behind it, in text and in JSON; a row of CSV has no place for it."""
        return replace(
            report,
            text=lambda: [*report.text(), "", self.computed, self.engine, self.rests_on],
            data=lambda: {**report.data(), "explanation": self.data},
        )


def of_answers(
    subject: Subject, asked: str, levels: Iterable[str], proofs: Iterable[str | None], *, is_inverse: bool = False
) -> Explanation:
    """Return the explanation of answers of an engine.

    Args:
        subject: what the question is about.
        asked: what was asked for, as "the least delta at eps = 1".
        levels: the levels of evidence of the answers.
        proofs: what proves each upper end; None where the answer has no two ends, or nothing is to be proved.
        is_inverse: whether an eps was searched for at a delta.
    """
    profile, is_one = subject.profile, "curve" not in asked
    found = "; ".join(dict.fromkeys(_BEHIND[level] for level in levels))
    engine = f"The planner chose the engine {profile.engine!r} by the structure of this, not by its name: one "
    engine += f"that {profile.method}; {found if is_one else found.replace('the answer', 'an answer')}."
    proved = [proof for proof in dict.fromkeys(proofs) if proof is not None]
    cited = (theorem for proof in proved for theorem in _CITED.findall(proof))
    theorems = tuple(dict.fromkeys((*cited, *profile.kernel_theorems(of_epsilon=is_inverse))))
    upper = f"The upper end holds by {'; '.join(proved)}" if proved else _on_paper(profile)
    return Explanation(
        f"Computed was {asked}, in both orders, of {subject.line[1].removesuffix(', both orders')}.",
        engine,
        f"{upper}, {_accepted('the engine', theorems)}.",
        theorems,
    )


def of_claim(words: str, certificate: xdp.Certificate) -> Explanation:
    """Return the explanation of a verdict: what decided it, and the facts that the checker's verification rests on."""
    verdict, claimed = certificate.verdict.name, f"It was claimed that {words}."
    if certificate.level == "none":
        rests_on = "Nothing rests on this: neither side was proved."
        return Explanation(claimed, f"The prover found no proof of either side: {certificate.reason}", rests_on, ())
    engine = f"The prover's engine for claims of the kind {certificate.claim.kind} found {verdict}"
    if certificate.level != "certificate":
        rests_on = "It rests on the engine alone, whose enclosures the checker has not confirmed."
        return Explanation(claimed, f"{engine}, without a certificate: {certificate.reason}", rests_on, ())
    from exactdp.certificates.certify import check
    from exactdp.certificates.theorems_behind import theorems_behind

    facts = check(certificate).facts
    behind = (theorem for fact in facts for theorem in theorems_behind(fact))
    theorems = tuple(dict.fromkeys((*theorems_of(xdp.certify), *behind)))
    engine += f" ({certificate.reason.rstrip('.')}), and the standard-library checker, which shares no code with it, "
    engine += "verified its witness."
    named = "; ".join(f"'{fact}'" for fact in facts)
    rests_on = (
        f"The check rests on {f'the facts {named}' if facts else 'arithmetic alone'}, {_accepted('it', theorems)}."
    )
    return Explanation(claimed, engine, rests_on, theorems)


def _on_paper(profile: xdp.PrivacyProfile) -> str:
    return f"Why nothing is worse is written in {profile.place_of_proof}"


def _accepted(who: str, theorems: Sequence[str]) -> str:
    return f"and of what {who} relies on Coq's kernel has accepted {', '.join(theorems)}"
