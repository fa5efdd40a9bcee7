"""The answers to questions about privacy, with the worst pair or order and the evidence behind them.

A question is about a subject (:mod:`exactdp.cli.subjects`), and its profile answers. Answers are exact if the
profile is and the fraction is of a length that can be used; elsewhere they are intervals, and never pretend to be more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import exactdp as xdp
from exactdp.cli.confirmation import confirm
from exactdp.cli.cross_checked import CrossChecked, worst_status
from exactdp.cli.explanation import Explanation, of_answers
from exactdp.cli.output import Report, flat, number_cells, records
from exactdp.cli.subjects import Subject, Worst
from exactdp.cli.two_ends import TwoEnds
from exactdp.cli.values import BITS, TypedLevel
from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import eps_json, eps_text
from exactdp.numbers.formats import exact_text, is_written_out, number_json, number_text

CONFIRM_BUDGET: Final = 3 * 10**5
"""Steps of the checker, plain Python, that a query spends on confirming its answers: less than a second."""

LONG_BITS: Final = 2**18
"""Answers with fractions of up to about so many bits, 79,000 digits, are exact; longer ones only on request."""


@dataclass(frozen=True, slots=True)
class Least:
    """The least delta at a level of privacy, or the least eps at a delta."""

    asked: TypedLevel | Fraction
    value: Any
    """A number, or of an eps a LogRational or an Interval."""

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What is asked and the answer, for reading."""
        if isinstance(self.asked, Fraction):
            return [("delta", number_text(self.asked)), ("epsilon", eps_text(self.value))]
        return [("privacy", self.asked.text), ("delta", number_text(self.value))]

    @property
    def named(self) -> str:
        """What is asked, as part of a sentence."""
        asked = self.lines[0][1]
        if isinstance(self.asked, Fraction):
            return f"the least eps at delta = {asked}"
        return f"the least delta at {asked}"

    def data(self, relative_bits: int = BITS) -> dict[str, Any]:
        """What is asked and the answer, as JSON data."""
        if isinstance(self.asked, Fraction):
            return {"delta": exact_text(self.asked), "epsilon": eps_json(self.value)}
        return {self.asked.name: self.asked.shown, "delta": number_json(self.value, relative_bits=relative_bits)}

    @property
    def cells(self) -> dict[str, Any]:
        """What is asked and the answer, as cells of CSV."""
        data = self.data()
        if "epsilon" not in data:
            return flat(data, exact=("delta",))
        eps = data.pop("epsilon")
        return {**data, "exp_eps": eps["exp_eps"], **number_cells("eps", eps)}

    @property
    def question(self) -> dict[str, Any]:
        """What is asked, as profiles take it."""
        return {"delta": self.asked} if isinstance(self.asked, Fraction) else self.asked.keywords

    @property
    def support(self) -> str:
        """What stands behind an answer that is not re-checked."""
        is_wide = isinstance(self.value, xdp.Interval) and not self.value.is_point
        return "an interval that contains the truth" if is_wide else "computed by the engine"


@dataclass(frozen=True, slots=True)
class PrivacyAnswer:
    """The answer to a question about a subject, what attains it, and the level of evidence."""

    subject: Subject
    least: Least
    worst: Worst | None
    level: str
    ends: TwoEnds | None = None
    """The two proved ends where they may differ."""
    check: CrossChecked | None = None
    """What a second computation says, where it is asked for."""

    def cross_checked(self, wanted: bool) -> PrivacyAnswer:
        """Compute the answer again, if that is wanted."""
        if not wanted:
            return self
        return replace(self, check=CrossChecked.of(self.subject.profile, self.least.question, self.least.value))

    def data(self, relative_bits: int = BITS) -> dict[str, Any]:
        """The answer as JSON data."""
        worst = None if self.worst is None else self.worst.data
        ends = {} if self.ends is None else {"bracket": self.ends.data}
        check = {} if self.check is None else {"cross_check": self.check.data}
        return {**self.least.data(relative_bits), self.subject.key: worst, **ends, "level": self.level, **check}

    @property
    def cells(self) -> dict[str, Any]:
        """The answer as cells of CSV."""
        first, second = (None, None) if self.worst is None else self.worst.texts
        ends = {} if self.ends is None else self.ends.cells
        check = {} if self.check is None else {"cross_check": self.check.check.verdict}
        return {**self.least.cells, "first": first, "second": second, **ends, "level": self.level, **check}

    @property
    def worst_line(self) -> tuple[str, str]:
        """The line that names the worst pair or order."""
        return self.subject.label, self.subject.none if self.worst is None else " against ".join(self.worst.texts)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What is asked, the answer and what attains it, for reading."""
        return [*self.least.lines, *([self.worst_line] if self.ends is None else self.ends.lines)]

    @property
    def evidence(self) -> str:
        """What stands behind the answer."""
        if self.ends is not None and self.level == "enclosure":
            return "enclosure: both ends are proved and enclosed by the engine, not re-checked"
        if self.level == "certificate":
            return "certificate: confirmed by the standard-library checker"
        return f"{self.level}: {self.least.support}, {self.subject.unchecked}"

    @property
    def proof(self) -> str | None:
        """What proves the upper end; None where there is one number, or nothing to prove."""
        return None if self.ends is None else self.ends.theorem

    def explanation(self) -> Explanation:
        """Return what was computed, by which engine and theorem."""
        is_inverse = isinstance(self.least.asked, Fraction)
        return of_answers(self.subject, self.least.named, [self.level], [self.proof], is_inverse=is_inverse)

    def report(self, relative_bits: int = BITS) -> Report:
        """The answer in its three forms."""
        check = [] if self.check is None else [self.check.line]
        return Report(
            lambda: self.subject.lines([*self.lines, ("evidence", self.evidence), *check]),
            lambda: {**self.subject.data, **self.data(relative_bits)},
            lambda: records({**self.subject.cells, **self.cells}),
            status=worst_status([self.check]),
        )


def least_delta(
    subject: Subject,
    level: TypedLevel,
    relative_bits: int | None = None,
    *,
    exact: bool,
    budget: int = CONFIRM_BUDGET,
) -> PrivacyAnswer:
    """Return the least delta at a level; ``exact`` asks for a fraction of any length.

    The checker confirms an exact one within the budget.
    """
    if exact and (level.exact is None or relative_bits is not None):
        raise InvalidValueError(
            "--exact asks for a fraction, and an enclosure is asked for too. Leave it out, or write --exp-eps, "
            "without --relative-bits."
        )
    ends = None
    if not subject.profile.is_tight:
        bracket = subject.profile.bracket(**level.keywords, relative_bits=relative_bits)
        ends = TwoEnds.of_delta(subject, bracket, relative_bits or BITS)
    longest = None if exact else LONG_BITS
    delta, pair = subject.profile.delta_with_pair(**level.keywords, relative_bits=relative_bits, longest=longest)
    evidence = "exact" if is_written_out(delta) else "enclosure"
    if isinstance(delta, Fraction):
        evidence = _confirmed(subject.claim(exp_eps=level.exact, delta=delta, least="delta", budget=budget))
    return PrivacyAnswer(subject, Least(level, delta), None if pair is None else subject.worst(pair), evidence, ends)


def least_eps(subject: Subject, delta: Fraction, *, exact: bool) -> PrivacyAnswer:
    """Return the least eps at a delta; ``exact`` asks for an e^eps of any length, and the checker confirms it."""
    eps, pair = subject.profile.epsilon_with_pair(delta, longest=None if exact else LONG_BITS)
    evidence = "enclosure"
    if isinstance(eps, xdp.LogRational):
        exp_eps = None if eps.is_infinite else eps.argument  # None: no finite eps has this delta
        evidence = _confirmed(subject.claim(exp_eps=exp_eps, delta=delta, least="exp_eps", budget=CONFIRM_BUDGET))
    worst = None if pair is None else subject.worst(pair)
    ends = None if subject.profile.is_tight else TwoEnds.of_eps(subject, eps, pair)
    return PrivacyAnswer(subject, Least(delta, eps), worst, evidence, ends)


def _confirmed(claim: xdp.Claim | None) -> str:
    """Return "certificate" where the checker confirms the claim, "exact" where it is too large for it."""
    return "certificate" if claim is not None and confirm(claim) else "exact"
