"""``--explain``: in three sentences what was computed, by which engine, and by which theorem it is true.

All of it is what the code knows of itself: the planner's engine and its method, what proves an end, and the theorems
that :func:`exactdp.evidence.theorems.relies_on` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Final

import exactdp as xdp
from exactdp.cli.output import Report
from exactdp.cli.subjects import Subject
from exactdp.evidence.theorems import theorems_of
from exactdp.numbers.formats import number_text

_CITED: Final = re.compile(r"kernel: (\w+\.\w+)")
"""A theorem of the Coq development in what proves an end."""
_BEHIND: Final = {
    "certificate": "the standard-library checker has confirmed {answer}",
    "exact": "{answer} is exact, and not re-checked",
    "enclosure": "{answer} is an interval that contains the truth, and not re-checked",
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
    subject: Subject,
    asked: str,
    levels: Sequence[str],
    proofs: Iterable[str | None],
    *,
    is_inverse: bool,
    runs: xdp.ComposedProfile | None = None,
) -> Explanation:
    """Return the explanation of answers of an engine.

    Args:
        subject: what the question is about.
        asked: what was asked for, as "the least delta at eps = 1".
        levels: the levels of evidence of the answers.
        proofs: what proves each upper end; None where the answer has no two ends, or nothing is to be proved.
        is_inverse: whether an eps was searched for at a delta.
        runs: the runs that are asked about together, the first of which are of the subject.
    """
    profile, what = subject.profile, subject.title.removesuffix(", both orders")
    proved = [proof for proof in dict.fromkeys(proofs) if proof is not None]
    behind: Sequence[str] = ()
    if runs is None:
        engine = (
            f"The planner chose the engine {profile.engine!r} by structure, not by name: one that {profile.method};"
        )
        place, who = profile.place_of_proof, "the engine"
    else:
        what = f"{runs.times} {runs.notion} run{'s' if runs.times > 1 else ''} of {what}"
        what += "" if len(runs.parts) == 1 else ", and of the other noise"
        engine = (
            f"One run is answered by the engine {profile.engine!r}, which {profile.method}; the runs are composed as "
        )
        engine += "pairs of laws of the privacy loss, and"
        place, who = "exactdp.privacy.composition.composed", "this"
        behind = theorems_of(type(runs)) if runs.notion == "adaptive" else ()
    theorems = tuple(dict.fromkeys((*behind, *_cited(proved), *profile.kernel_theorems(of_epsilon=is_inverse))))
    upper = f"The upper end holds by {'; '.join(proved)}" if proved else _on_paper(place)
    return Explanation(
        f"Computed was {asked}, in both orders, of {what}.",
        f"{engine} {_found(levels)}.",
        f"{upper}, {_accepted(who, theorems)}.",
        theorems,
    )


def of_claim(words: str, certificate: xdp.Certificate) -> Explanation:
    """Return the explanation of a verdict: what decided it, and the facts that the checker's verification rests on."""
    verdict, claim = certificate.verdict.name, f"It was claimed that {words}."
    if certificate.level == "none":
        rests_on = "Nothing rests on this: neither side was proved."
        return Explanation(claim, f"The prover found no proof of either side: {certificate.reason}", rests_on, ())
    engine = f"The prover's engine for claims of the kind {certificate.claim.kind} found {verdict}"
    if certificate.level != "certificate":
        rests_on = "It rests on the engine alone, whose enclosures the checker has not confirmed."
        return Explanation(claim, f"{engine}, without a certificate: {certificate.reason}", rests_on, ())
    facts, theorems = _checked(certificate)
    engine += f" ({certificate.reason.rstrip('.')}), and the standard-library checker, which shares no code with it, "
    engine += "verified its witness."
    return Explanation(claim, engine, f"The check rests on {facts}, {_accepted('it', theorems)}.", theorems)


def of_calibration(
    asked: str, calibration: xdp.Calibration, certificate: xdp.Certificate | None, family: ModuleType
) -> Explanation:
    """Return the explanation of a calibration.

    Args:
        asked: what was asked for, as "(eps, delta)-DP for eps = 1, delta = 1/1000, of zsum, n = 1000".
        calibration: the answer.
        certificate: of its verdicts together; None beyond the checker.
        family: the module whose text proves what is said of the values with more noise.
    """
    profile = calibration.protocol.privacy_profile()
    computed = f"Computed was the value of {calibration.name} with the least noise on a grid of the step "
    computed += f"{number_text(calibration.grid)} that is {asked}."
    tried = "delta" if profile.is_tight else "two proved ends of delta"
    engine = f"Values of the grid were tried by their {tried}; at the answer the engine is {profile.engine!r}, one "
    engine += f"that {profile.method}; {_confirmed(calibration)}."
    if certificate is None:
        theorems, upper = profile.kernel_theorems(), _on_paper(profile.place_of_proof)
    else:
        facts, theorems = _checked(certificate)
        upper = f"The check rests on {facts}"
    if calibration.scope != "local" and calibration.monotone is None:
        upper += f"; why what is said holds of more noise, too, is written in {family.__name__}"
    who = "the engine" if certificate is None else "it"
    return Explanation(computed, engine, f"{upper}; {_accepted(who, theorems)}.", theorems)


def _confirmed(calibration: xdp.Calibration) -> str:
    """Return what the checker has confirmed of a calibration: of the answer, or of values beside it."""
    if calibration.level != "certificate":
        return "enclosures decided, and were not re-checked"
    less = "one step with less noise"
    if calibration.tenth_more is not None:
        less = number_text(calibration.tenth_more)
    elif calibration.fails_at is not None and not calibration.is_least:
        less = number_text(calibration.fails_at)
    not_enough = "" if calibration.fails is None else f", and that {less} is not"
    return f"the standard-library checker has confirmed that {number_text(calibration.holds_at)} is enough{not_enough}"


def _checked(certificate: xdp.Certificate) -> tuple[str, tuple[str, ...]]:
    """Return what a verified certificate rests on: the facts in words, and the theorems behind them."""
    from exactdp.claims.certify import check
    from exactdp.claims.theorems_behind import theorems_behind

    facts = check(certificate).facts
    behind = (theorem for fact in facts for theorem in theorems_behind(fact))
    named = "; ".join(f"'{fact}'" for fact in facts)
    shown = f"the facts {named}" if facts else "arithmetic alone"
    return shown, tuple(dict.fromkeys((*theorems_of(xdp.certify), *behind)))


def _on_paper(place: str) -> str:
    return f"Why nothing is worse is written in {place}"


def _found(levels: Sequence[str]) -> str:
    """Return what stands behind one answer, or behind those of a curve."""
    answer = "the answer" if len(levels) == 1 else "every answer" if len(set(levels)) == 1 else "some answer"
    return "; ".join(dict.fromkeys(_BEHIND[level].format(answer=answer) for level in levels))


def _cited(proofs: Iterable[str]) -> Iterator[str]:
    return (theorem for proof in proofs for theorem in _CITED.findall(proof))


def _accepted(who: str, theorems: Sequence[str]) -> str:
    return f"and of what {who} relies on Coq's kernel has accepted {', '.join(theorems)}"
