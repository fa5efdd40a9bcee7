"""The answer to one question of a sweep: both ends exactly, the level, and what it cost.

What an engine refuses is an answer too, with the reason and no ends. Nothing here depends on the machine or on what was
asked before but the cost, which is kept apart.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from exactdp import __version__
from exactdp.errors import ExactDPError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, eps_json
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, as_fraction
from exactdp.numbers.formats import ends, exact_text, is_written_out, number_json
from exactdp.numbers.interval import Interval
from exactdp.patience import reported
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.profile import PrivacyProfile
from exactdp.studies.sweep.sweep_certificates import Certified, certified
from exactdp.studies.sweep.sweep_question import Question

LONGEST: Final = 2**12
"""Bits of the longest fraction that a row holds, 1200 digits; what is longer is enclosed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer, as text that is the same on every machine.

    Args:
        lower: the lower end exactly: "1/4", "ln(3/2)", "infinity", or "0x1ap-60" for 26 times 2^-60.
        upper: the upper end; equal to ``lower`` where the answer is exact.
        lo: a decimal below the lower end.
        hi: a decimal above the upper end.
        level: "exact", "enclosure", or "none" where there is no answer.
        engine: what computed it.
        is_tight: whether no proved gap is left between the ends.
        error: why there is no answer; None where there is one.
    """

    lower: str | None
    upper: str | None
    lo: str | None
    hi: str | None
    level: str
    engine: str | None
    is_tight: bool | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """What a row cost, where, and by which programs."""

    microseconds: int
    """Of the processor, certificates among them."""
    host: str
    exactdp: str
    python_flint: str
    python: str


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """A question by its key, its answer, what it cost, and its certificates: None where none were asked for."""

    key: str
    answer: Answer
    cost: Cost
    certificates: tuple[Certified, ...] | None


def answered_rows(texts: Sequence[str], certify: bool) -> list[AnsweredRow]:
    """Answer questions by their canonical texts; what a worker runs.

    >>> asked = Question("protocol", "@randomized-response", (("--gamma", "1/2"),), "10", "exp_eps", "2")
    >>> answered_rows([asked.text], False)[0].answer.lower
    '19683/1048576'
    """
    with reported(_unheard):  # whoever counts answers is not told of the steps of one
        return [_answered_row(Question.read(text), certify) for text in texts]


def _unheard(done: int, total: int | None) -> None:
    pass


def _answered_row(question: Question, certify: bool) -> AnsweredRow:
    began = time.thread_time_ns()
    answer, value = answer_with_value(question)
    certificates = None
    if certify:
        certificates = () if value is None else certified(question, value, is_closed=bool(answer.is_tight))
    microseconds = (time.thread_time_ns() - began) // 1000
    return AnsweredRow(question.key, answer, Cost(microseconds, *_programs()), certificates)


def answer_with_value(question: Question) -> tuple[Answer, Any]:
    """Return the answer as text, and as the number that it is: None where there is none.

    >>> asked = Question("protocol", "@zsum", (("--gamma", "1/2"),), "5", "delta", "0")
    >>> answer_with_value(asked)[0].upper
    'infinity'
    """
    try:
        profile = question.profile()
        value = _shortened(_value(question, profile))
    except ExactDPError as error:
        reason = f"{type(error).__name__}: {getattr(error, 'plain', error)}"
        return Answer(None, None, None, None, "none", None, None, reason), None
    engine = profile.engine if isinstance(profile, PrivacyProfile) else "composition"
    is_enclosed = isinstance(value, Interval) and not is_written_out(value)
    shown = value_json(question.answer, value)
    lower, upper = _exact_ends(value)
    level = "enclosure" if is_enclosed else "exact"
    return Answer(lower, upper, shown["lo"], shown["hi"], level, engine, profile.is_tight), value


def value_json(asked_for: str, value: Fraction | Interval | LogRational) -> dict[str, str | None]:
    """Return the number of an answer, "delta" or "eps", as JSON data."""
    if asked_for == "delta":
        assert not isinstance(value, LogRational)
        return number_json(value)
    assert not isinstance(value, Fraction)
    return eps_json(value)


def _value(question: Question, profile: PrivacyProfile | ComposedProfile) -> Fraction | Interval | LogRational:
    """Return delta or eps: a fraction where that is short, else an interval from the one end to the other."""
    at = as_fraction(question.at, name=question.asked)
    if isinstance(profile, ComposedProfile):
        if question.asked == "delta":
            return profile.epsilon(at)
        return profile.delta(exp_eps=at) if question.asked == "exp_eps" else profile.delta(eps=at)
    if question.asked == "eps":
        return profile.delta(eps=at)
    if question.asked == "exp_eps":
        return profile.delta_with_pair(exp_eps=at, longest=LONGEST).delta
    return profile.epsilon_with_pair(at, longest=LONGEST).epsilon


def _shortened(value: Fraction | Interval | LogRational) -> Fraction | Interval | LogRational:
    """Return the value, or an interval around it where it is too long for a row."""
    if isinstance(value, LogRational):
        return value if value.is_infinite or not _is_long(value.argument) else value.enclose()
    if isinstance(value, Fraction) and _is_long(value):
        return Interval.around(value, relative_bits=DEFAULT_RELATIVE_BITS)
    return value


def _is_long(value: Fraction) -> bool:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) > LONGEST


def _exact_ends(value: Fraction | Interval | LogRational) -> tuple[str, str]:
    """Return both ends exactly, as text."""
    if isinstance(value, LogRational):
        text = eps_json(value)["exact"] or ""
        return text, text
    low, high = ends(value)
    return _end_text(low), _end_text(high)


def _end_text(end: Fraction | Dyadic) -> str:
    if isinstance(end, Fraction):
        return exact_text(end)
    return f"{'-' if end.mantissa < 0 else ''}0x{abs(end.mantissa):x}p{end.exponent}"


def read_value(asked_for: str, lower: str, upper: str) -> Fraction | Interval | LogRational:
    """Return the number of an answer, "delta" or "eps", from the texts of its ends.

    >>> read_value("delta", "1/4", "1/4"), read_value("eps", "0x1p-2", "0x3p-3"), read_value("eps", "0", "0")
    (Fraction(1, 4), Interval[0.25, 0.375], LogRational('1'))
    """
    if asked_for == "eps" and lower == "0":
        return LogRational(1)
    if lower == "infinity":
        return LogRational(None)
    if lower.startswith("ln("):
        return LogRational(_fraction(lower[3:-1]))
    if "p" not in lower:
        return _fraction(lower)
    low, high = (Dyadic.of(int(text.partition("p")[0], 16), int(text.partition("p")[2])) for text in (lower, upper))
    return Interval(low, high)


def _fraction(text: str) -> Fraction:
    top, _, bottom = text.partition("/")
    return Fraction(int(top, 0), int(bottom or "1", 0))


def _programs() -> tuple[str, str, str, str]:
    return platform.node(), __version__, _version("python-flint"), ".".join(map(str, sys.version_info[:3]))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
