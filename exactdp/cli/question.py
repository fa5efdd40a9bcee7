"""A question about privacy, and its answers with the worst pair or order and the evidence behind them.

The question is about a subject (:mod:`exactdp.cli.subjects`), and its profile answers. Answers are exact if the
profile is and the fraction is of a length that can be used; elsewhere they are intervals, and never pretend to be more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import exactdp as xdp
from exactdp.cli.output import columns, number_cells
from exactdp.cli.subjects import Subject, TypedSubject, Worst, read_subject
from exactdp.cli.values import BITS, TypedLevel
from exactdp.errors import InvalidValueError
from exactdp.numbers.formats import is_written_out, number_json

__all__ = ["CONFIRM_BUDGET", "LONG_BITS", "DeltaAnswer", "PrivacyQuestion"]

CONFIRM_BUDGET: Final = 3 * 10**5
"""Steps of the checker, plain Python, that a query spends on confirming its answers: less than a second."""

_UNCHECKED: Final = "not re-checked (`exactdp certify` asks the checker)"
"""What is said of an answer that the checker was not asked about."""
LONG_BITS: Final = 2**18
"""Answers with fractions of up to about so many bits, 79,000 digits, are exact; longer ones only on request."""


@dataclass(frozen=True, slots=True)
class PrivacyQuestion:
    """What is asked about; ``exact`` asks for fractions of any length."""

    subject: Subject
    exact: bool

    @classmethod
    def read(cls, asked: TypedSubject, *, exact: bool = False) -> PrivacyQuestion:
        """Return the question; TooLargeError if the engine's work is beyond the limit."""
        subject = read_subject(asked)
        if exact and not subject.profile.is_exact:
            raise InvalidValueError(
                "--exact has no answer here: the probabilities are irrational, or too long to be built. "
                "Leave it out: the answer is then an interval that contains the truth."
            )
        return cls(subject, exact)

    @property
    def profile(self) -> xdp.PrivacyProfile:
        """The profile that answers."""
        return self.subject.profile

    @property
    def data(self) -> dict[str, Any]:
        """The fields that every answer's JSON begins with."""
        return {**self.subject.data, "engine": self.profile.engine}

    @property
    def cells(self) -> dict[str, str]:
        """The cells that every answer's row of CSV begins with."""
        return {**self.subject.cells, "engine": self.profile.engine}

    def lines(self, answer: list[tuple[str, str]]) -> list[str]:
        """Return an answer as text: what was asked, labelled lines, what was computed."""
        return [*columns([self.subject.line, *answer, ("engine", self.subject.work)]), self.subject.note]

    def evidence(self, level: str, value: object) -> tuple[str, str]:
        """Return the line that says what stands behind an answer."""
        if level == "certificate":
            return "evidence", "certificate: confirmed by the standard-library checker"
        is_wide = isinstance(value, xdp.Interval) and not value.is_point
        sure = "an interval that contains the truth" if is_wide else "computed by the engine"
        return "evidence", f"{level}: {sure}, {_UNCHECKED}"

    def worst_line(self, worst: Worst | None) -> tuple[str, str]:
        """Return the line that names the worst pair or order."""
        words = self.subject.words
        return words.label, words.none if worst is None else " against ".join(worst.texts)

    @property
    def longest(self) -> int | None:
        """Of about how many bits exact answers may be; None for any length."""
        return None if self.exact else LONG_BITS

    def delta(
        self, privacy_level: TypedLevel, relative_bits: int | None
    ) -> tuple[Fraction | xdp.Interval, Worst | None]:
        """Return the least delta, and what attains it."""
        delta, pair = self.profile.delta_with_pair(
            **privacy_level.keywords, relative_bits=relative_bits, longest=self.longest
        )
        return delta, None if pair is None else self.subject.worst(pair)

    def epsilon(self, delta: Fraction) -> tuple[xdp.LogRational | xdp.Interval, Worst | None]:
        """Return the least eps at ``delta``, and what allows no smaller one; an Interval if it is not exact."""
        eps, pair = self.profile.epsilon_with_pair(delta, longest=self.longest)
        return eps, None if pair is None else self.subject.worst(pair)

    def confirmed(self, *, budget: int, exp_eps: Fraction | None, delta: Fraction, least: str) -> str:
        """Return "certificate" where the checker confirms the least level, "exact" where it is too large for it.

        ``exp_eps`` None is an infinite eps: no finite eps has this delta.
        """
        from exactdp.cli.confirmation import confirm

        claim = self.subject.claim(exp_eps=exp_eps, delta=delta, least=least, budget=budget)
        return "certificate" if claim is not None and confirm(claim) else "exact"


@dataclass(frozen=True, slots=True)
class DeltaAnswer:
    """The least delta at one level, what attains it, and the level of evidence."""

    privacy_level: TypedLevel
    delta: Fraction | xdp.Interval
    worst: Worst | None
    level: str
    key: str

    @classmethod
    def of(
        cls, question: PrivacyQuestion, privacy_level: TypedLevel, relative_bits: int | None, *, budget: int
    ) -> DeltaAnswer:
        """Answer the question at a level, and let the checker confirm an exact answer within the budget."""
        if question.exact and (privacy_level.exact is None or relative_bits is not None):
            raise InvalidValueError(
                "--exact asks for a fraction, and an enclosure is asked for too. Leave it out, or write --exp-eps, "
                "without --relative-bits."
            )
        delta, worst = question.delta(privacy_level, relative_bits)
        level = "exact" if is_written_out(delta) else "enclosure"
        if isinstance(delta, Fraction):
            level = question.confirmed(budget=budget, exp_eps=privacy_level.exact, delta=delta, least="delta")
        return cls(privacy_level, delta, worst, level, question.subject.words.key)

    def data(self, relative_bits: int | None = None) -> dict[str, Any]:
        """The answer as JSON data."""
        return {
            self.privacy_level.name: self.privacy_level.shown,
            "delta": number_json(self.delta, relative_bits=relative_bits or BITS),
            self.key: None if self.worst is None else self.worst.data,
            "level": self.level,
        }

    @property
    def cells(self) -> dict[str, str | None]:
        """The answer as cells of CSV."""
        first, second = (None, None) if self.worst is None else self.worst.texts
        return {
            self.privacy_level.name: self.privacy_level.shown,
            **number_cells("delta", number_json(self.delta), exact=True),
            "first": first,
            "second": second,
            "level": self.level,
        }
