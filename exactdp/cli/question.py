"""A question about privacy, and its answers with the worst pair or order and the evidence behind them.

The question is about a subject (:mod:`exactdp.cli.subjects`), and its profile answers. Answers are exact if the
profile is and the fraction is of a length that can be used; elsewhere they are intervals, and never pretend to be more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import exactdp as xdp
from exactdp.cli.confirmation import confirm
from exactdp.cli.output import Report, columns, flat, number_cells, records
from exactdp.cli.subjects import Subject, TypedSubject, Worst, read_subject
from exactdp.cli.values import BITS, TypedLevel
from exactdp.errors import InvalidValueError
from exactdp.numbers.formats import exact_text, is_written_out, number_json, number_text
from exactdp.privacy.epsilon import eps_json, eps_text

if TYPE_CHECKING:
    from exactdp.profile import AttainingPair

__all__ = ["CONFIRM_BUDGET", "LONG_BITS", "Least", "PrivacyAnswer", "PrivacyQuestion"]

CONFIRM_BUDGET: Final = 3 * 10**5
"""Steps of the checker, plain Python, that a query spends on confirming its answers: less than a second."""

_UNCHECKED: Final = "not re-checked (`exactdp certify` asks the checker)"
"""What is said of an answer that the checker was not asked about."""
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


@dataclass(frozen=True, slots=True)
class PrivacyAnswer:
    """The answer to a question, what attains it, and the level of evidence."""

    question: PrivacyQuestion
    least: Least
    worst: Worst | None
    level: str

    def data(self, relative_bits: int = BITS) -> dict[str, Any]:
        """The answer as JSON data."""
        worst = None if self.worst is None else self.worst.data
        return {**self.least.data(relative_bits), self.question.subject.words.key: worst, "level": self.level}

    @property
    def cells(self) -> dict[str, Any]:
        """The answer as cells of CSV."""
        first, second = (None, None) if self.worst is None else self.worst.texts
        return {**self.least.cells, "first": first, "second": second, "level": self.level}

    @property
    def worst_line(self) -> tuple[str, str]:
        """The line that names the worst pair or order."""
        words = self.question.subject.words
        return words.label, words.none if self.worst is None else " against ".join(self.worst.texts)

    @property
    def evidence(self) -> str:
        """What stands behind the answer."""
        if self.level == "certificate":
            return "certificate: confirmed by the standard-library checker"
        is_wide = isinstance(self.least.value, xdp.Interval) and not self.least.value.is_point
        sure = "an interval that contains the truth" if is_wide else "computed by the engine"
        return f"{self.level}: {sure}, {_UNCHECKED}"

    def report(self, relative_bits: int = BITS) -> Report:
        """The answer in its three forms."""
        return Report(
            lambda: self.question.lines([*self.least.lines, self.worst_line, ("evidence", self.evidence)]),
            lambda: {**self.question.data, **self.data(relative_bits)},
            lambda: records({**self.question.cells, **self.cells}),
        )


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

    @property
    def longest(self) -> int | None:
        """Of about how many bits exact answers may be; None for any length."""
        return None if self.exact else LONG_BITS

    def least_delta(
        self, level: TypedLevel, relative_bits: int | None = None, *, budget: int = CONFIRM_BUDGET
    ) -> PrivacyAnswer:
        """Return the least delta at a level; the checker confirms an exact one within the budget."""
        if self.exact and (level.exact is None or relative_bits is not None):
            raise InvalidValueError(
                "--exact asks for a fraction, and an enclosure is asked for too. Leave it out, or write --exp-eps, "
                "without --relative-bits."
            )
        delta, pair = self.profile.delta_with_pair(**level.keywords, relative_bits=relative_bits, longest=self.longest)
        evidence = "exact" if is_written_out(delta) else "enclosure"
        if isinstance(delta, Fraction):
            evidence = self._confirmed(budget=budget, exp_eps=level.exact, delta=delta, least="delta")
        return self._answer(Least(level, delta), pair, evidence)

    def least_eps(self, delta: Fraction) -> PrivacyAnswer:
        """Return the least eps at a delta; the checker confirms an exact one."""
        eps, pair = self.profile.epsilon_with_pair(delta, longest=self.longest)
        evidence = "enclosure"
        if isinstance(eps, xdp.LogRational):
            exp_eps = None if eps.is_infinite else eps.argument
            evidence = self._confirmed(budget=CONFIRM_BUDGET, exp_eps=exp_eps, delta=delta, least="exp_eps")
        return self._answer(Least(delta, eps), pair, evidence)

    def _answer(self, least: Least, pair: AttainingPair | None, level: str) -> PrivacyAnswer:
        return PrivacyAnswer(self, least, None if pair is None else self.subject.worst(pair), level)

    def _confirmed(self, *, budget: int, exp_eps: Fraction | None, delta: Fraction, least: str) -> str:
        """Return "certificate" where the checker confirms the least level, "exact" where it is too large for it.

        ``exp_eps`` None is an infinite eps: no finite eps has this delta.
        """
        claim = self.subject.claim(exp_eps=exp_eps, delta=delta, least=least, budget=budget)
        return "certificate" if claim is not None and confirm(claim) else "exact"
