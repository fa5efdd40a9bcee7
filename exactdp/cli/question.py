"""A question about privacy, and its answers with the worst pair or order and the evidence behind them.

The question is about a subject (:mod:`exactdp.cli.subjects`). Answers
are exact where the profile is and the fraction is of a length that can be used; elsewhere
they are intervals, and never pretend to be more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from exactdp.cli.output import columns
from exactdp.cli.subjects import Asked, Subject, Worst, read_subject
from exactdp.cli.values import TypedLevel
from exactdp.errors import InvalidValueError
from exactdp.numbers.formats import decimal_text, exact_text, is_written_out, number_json

if TYPE_CHECKING:
    from exactdp.engines.engine import EnclosedWorst, Engine
    from exactdp.numbers.interval import Interval
    from exactdp.privacy.epsilon import LogRational
    from exactdp.profile import PrivacyProfile

__all__ = ["CONFIRM_BUDGET", "LONG_BITS", "Answer", "Question"]

CONFIRM_BUDGET: Final = 3 * 10**5
"""Steps of the checker, plain Python, that a query spends on confirming its answers: less than a second."""

_UNCHECKED: Final = "not re-checked (`exactdp certify` asks the checker)"
"""What is said of an answer that the checker was not asked about."""
LONG_BITS: Final = 2**18
"""Answers with fractions of up to about so many bits, 79,000 digits, are exact; longer ones only on request."""

_BITS: Final = 53
_PAIR_STEPS: Final = (32, 64, 128, 256, 1024, 4096)
_FRACTION_BITS: Final = 10_000
"""An e^eps up to here is written as a fraction, a larger one in powers of ten."""
_MAGNITUDE_BITS: Final = 10**15
_DIGITS: Final = 17


class Found(NamedTuple):
    """The least delta that answers, and the pair or order that attains it; None where none is worse than another."""

    delta: Fraction | Interval
    worst: Worst | None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about; ``exact`` asks for fractions of any length."""

    subject: Subject
    exact: bool

    @classmethod
    def read(cls, asked: Asked, *, exact: bool = False) -> Question:
        """Return the question; TooLargeError where the engine's work is beyond the limit."""
        subject = read_subject(asked)
        if exact and not subject.profile.is_exact:
            raise InvalidValueError(
                "--exact has no answer here: the probabilities are irrational, or too long to be built. "
                "Leave it out: the answer is then an interval that contains the truth."
            )
        return cls(subject, exact)

    @property
    def profile(self) -> PrivacyProfile:
        """The profile that answers."""
        return self.subject.profile

    @property
    def engine(self) -> Engine:
        """The engine that the planner chose for it."""
        from exactdp.engines.planner import engine_of

        return engine_of(self.profile.source)

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
        from exactdp.numbers.interval import Interval

        if level == "certificate":
            return "evidence", "certificate: confirmed by the standard-library checker"
        is_wide = isinstance(value, Interval) and not value.is_point
        sure = "an interval that contains the truth" if is_wide else "computed by the engine"
        return "evidence", f"{level}: {sure}, {_UNCHECKED}"

    def worst_line(self, worst: Worst | None) -> tuple[str, str]:
        """Return the line that names the worst pair or order."""
        words = self.subject.words
        return words.label, words.none if worst is None else " against ".join(worst.texts)

    def delta(self, privacy_level: TypedLevel, relative_bits: int | None) -> Found:
        """Return the least delta at ``order``, and what attains it."""
        from exactdp.numbers.real import Real

        bits = relative_bits or _BITS
        if privacy_level.exact is not None and self._is_within_length(privacy_level.exact):
            exact = self.profile.exact_delta(exp_eps=privacy_level.exact)
            worst = self._exact_worst(privacy_level.exact) if exact else None
            if relative_bits is None:
                return Found(exact, worst)
            return Found(self.profile.delta(exp_eps=privacy_level.exact, relative_bits=bits), worst)
        if privacy_level.exact is not None:
            return self._enclosed(
                self.engine.enclosed(Real(privacy_level.exact), bits), exact_text(privacy_level.exact)
            )
        assert privacy_level.eps is not None
        if not self._is_beyond_ratios(privacy_level.eps):
            return self._at_irrational(privacy_level.eps, bits)
        value = self.profile.delta(eps=privacy_level.eps, relative_bits=bits)
        return Found(value, None if value.upper.mantissa == 0 else self._exact_worst(None))

    def _at_irrational(self, eps: Fraction, bits: int) -> Found:
        """Enclose delta where e^eps is irrational; the exp_eps of the worst pair is just below it."""
        from exactdp.privacy.epsilon import PrivacyLevel

        exp_eps = PrivacyLevel(None, eps)
        below = exp_eps.enclose(bits + 16).lower
        found = self.engine.enclosed(exp_eps.real, bits)
        if found is None:
            value = self.profile.delta(eps=eps, relative_bits=bits)
            return Found(value, None if value.upper.mantissa == 0 else self._exact_worst(below.fraction()))
        if below.magnitude > _MAGNITUDE_BITS:
            shown = "infinity"
        elif below.magnitude > _FRACTION_BITS:
            shown = decimal_text(below, _DIGITS, up=False)
        else:
            shown = exact_text(below.fraction())
        return self._enclosed(found, shown)

    def epsilon(self, delta: Fraction) -> tuple[LogRational | Interval, Worst | None]:
        """Return the least eps at ``delta``, and what allows no smaller one; an Interval where it is not exact."""
        from exactdp.engines.inverse import bracket_exp_eps
        from exactdp.numbers.interval import Interval
        from exactdp.numbers.real import Real
        from exactdp.privacy.epsilon import LogRational

        engine = self.engine
        if not engine.encloses or (engine.is_exact and not engine.may_be_long):
            return self._exact_epsilon(delta)
        bracket = bracket_exp_eps(engine, delta, _BITS + 2)
        if bracket.high == 1:
            return LogRational(1), None
        if self._is_within_length(bracket.low if bracket.high else None):
            return self._exact_epsilon(delta)
        if bracket.high is None:
            return LogRational(None), self._enclosed(engine.enclosed(None, _BITS), "infinity").worst
        ends = [LogRational(end).enclose() for end in (bracket.low, bracket.high)]
        worst = self._enclosed(engine.enclosed(Real(bracket.low), _BITS), exact_text(bracket.low)).worst
        return Interval(ends[0].lower, ends[1].upper), worst

    def _exact_epsilon(self, delta: Fraction) -> tuple[LogRational, Worst | None]:
        from exactdp.engines.planner import worst_event

        eps = self.profile.exact_epsilon(delta)
        if eps.is_infinite:
            return eps, self._exact_worst(None)
        if eps.argument == 1:
            return eps, None
        for bits in _PAIR_STEPS:  # just below e^eps the worst line is the one that meets delta there
            below = max(Fraction(1), eps.argument * (1 - Fraction(1, 2**bits)))
            if worst_event(self.profile.source, below).delta(eps.argument) == delta:
                return eps, self._exact_worst(below)
        return eps, None

    def confirmed(self, *, budget: int, exp_eps: Fraction | None, delta: Fraction, least: str) -> str:
        """Return "certificate" where the checker confirms the least level, "exact" where it is too large for it.

        ``exp_eps`` None is an infinite eps: no finite eps has this delta.
        """
        from exactdp.cli.confirmation import confirm

        claim = self.subject.claim(exp_eps=exp_eps, delta=delta, least=least, budget=budget)
        return "certificate" if claim is not None and confirm(claim) else "exact"

    def _is_within_length(self, exp_eps: Fraction | None) -> bool:
        """Whether exact masses at ``exp_eps`` (None: infinity) are there, and of a length that is wanted."""
        engine = self.engine
        return engine.is_exact and (self.exact or engine.answer_bits(exp_eps) <= LONG_BITS)

    def _is_beyond_ratios(self, eps: Fraction) -> bool:
        """Whether e^eps is above every finite likelihood ratio of an exact profile."""
        return self._is_within_length(None) and eps > self.engine.ratio_bits

    def _enclosed(self, found: EnclosedWorst | None, shown: str) -> Found:
        """Return an enclosure of delta, with the pair or order that no other is proved to exceed."""
        assert found is not None
        if found.delta.upper.mantissa == 0:
            return Found(found.delta, None)
        return Found(found.delta, self.subject.worst(found.first, found.second, shown))

    def _exact_worst(self, exp_eps: Fraction | None) -> Worst | None:
        """Return the worst pair or order at ``exp_eps`` (None: infinity), by exact masses."""
        from exactdp.engines.planner import worst_event

        event = worst_event(self.profile.source, exp_eps)
        if event.first == event.second:
            return None
        shown = "infinity" if exp_eps is None else exact_text(exp_eps)
        return self.subject.worst(event.first, event.second, shown)


@dataclass(frozen=True, slots=True)
class Answer:
    """The least delta at one order, what attains it, and the level of evidence."""

    privacy_level: TypedLevel
    delta: Fraction | Interval
    worst: Worst | None
    level: str
    key: str

    @classmethod
    def of(cls, question: Question, privacy_level: TypedLevel, relative_bits: int | None, *, budget: int) -> Answer:
        """Answer the question at ``order``, and let the checker confirm an exact answer within the budget."""
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
            "delta": number_json(self.delta, relative_bits=relative_bits or _BITS),
            self.key: None if self.worst is None else self.worst.data,
            "level": self.level,
        }

    @property
    def cells(self) -> dict[str, str]:
        """The answer as cells of CSV."""
        number = number_json(self.delta)
        first, second = ("", "") if self.worst is None else self.worst.texts
        return {
            self.privacy_level.name: self.privacy_level.shown,
            "delta": number["exact"] or "",
            "delta_lo": number["lo"] or "",
            "delta_hi": number["hi"] or "",
            "first": first,
            "second": second,
            "level": self.level,
        }
