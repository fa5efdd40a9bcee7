"""The curves of the survey: a protocol with a way to choose its noise, as a function of the number of users.

A curve has a task, a model of trust, the name of the protocol and how its noise is chosen. It answers a question by an
``Answer``; where it cannot, the error that it raises is the reason. All curves are in
:mod:`exactdp.studies.survey.measured`.

A question says how many users there are, how private the answer is to be, and how often an error may be larger. What is
answered is one row for a protocol at one number of users, every number with its level: one of
:data:`exactdp.evidence.levels.LEVELS`; "prose" is that of what a published theorem promises or asks for, which nothing
here computes from the protocol. Numbers are kept short: a fraction of a few digits as it is, any other number as an
interval of 53 bits that contains it, so that a stored row is the row itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.profile import PrivacyProfile
from exactdp.studies.study_store import exact_ends, read_ends

USUAL_BETA: Final = Fraction(1, 20)
"""The usual 95 %."""
USUAL_INPUTS: Final = 16
"""Bins of a histogram: a short list of answers, whose messages are still listed by every protocol."""
USUAL_BOUND: Final = 10
"""The largest number in a bounded sum: a grade, or a number of stars."""
_MOST_USERS: Final = 10**18
"""As in the theorems' tables; products of counts stay within what engines size up."""


@dataclass(frozen=True, slots=True)
class Question:
    """What every protocol is asked: its privacy, its error and what it sends, at one n, eps, delta and beta.

    ``with_privacy`` is False where errors alone are wanted, on the way to where two of them cross.
    """

    n: int
    eps: Fraction
    delta: Fraction
    beta: Fraction
    inputs: int
    bound: int
    with_privacy: bool = True

    def at(self, n: int, *, with_privacy: bool = True) -> Question:
        """Return the same question about another number of users."""
        return replace(self, n=n, with_privacy=with_privacy)


def read_question(
    n: int,
    *,
    eps: Exact,
    delta: Exact,
    beta: Exact = USUAL_BETA,
    inputs: int = USUAL_INPUTS,
    bound: int = USUAL_BOUND,
) -> Question:
    """Return the question, with every number checked.

    Args:
        n: number of users who follow the protocol, 1 to 10^18.
        eps: above 0, rational.
        delta: strictly between 0 and 1.
        beta: probability of a larger error, strictly between 0 and 1.
        inputs: bins of the histograms, at least 2.
        bound: the largest number in a bounded sum, at least 1.
    """
    users, level = as_integer(n, name="n", at_least=1), as_fraction(eps, name="eps")
    if users > _MOST_USERS:
        raise TooLargeError(f"n={short(users)} is more than the limit of 10^18 users. Use a smaller n.")
    if level <= 0:
        raise InvalidValueError(f"eps={short(level)} is not above 0. Pass the eps that all protocols are to have.")
    chances = [as_probability(value, name=name) for name, value in (("delta", delta), ("beta", beta))]
    for name, chance in zip(("delta", "beta"), chances, strict=True):
        if not 0 < chance < 1:
            raise InvalidValueError(f"{name}={short(chance)} is not strictly between 0 and 1. Pass such a {name}.")
    bins, largest = as_integer(inputs, name="inputs", at_least=2), as_integer(bound, name="bound", at_least=1)
    return Question(users, level, chances[0], chances[1], bins, largest)


Number: TypeAlias = Fraction | Interval

THEOREM: Final = "prose"
"""The level of what a published theorem says."""
_SHORT_BITS: Final = 128
"""Fractions with longer numerators or denominators are read by nobody."""
_EPS_BITS: Final = 20
"""An eps is found to about 10^-6: more takes seconds at a billion users."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A number, and what stands behind it."""

    value: Number
    level: str


@dataclass(frozen=True, slots=True)
class Row:
    """One protocol at one number of users.

    ``messages`` is the expected number of messages of a user, ``most`` the largest or None, ``bits`` of one of them,
    None for a real number; ``delta`` is that of the protocol at the eps that was asked for, None where only errors were
    asked for; ``eps`` that at the delta, None also for the least noise that is enough, where it is the eps asked for,
    to the grid of the noise. ``error``, in people, is exceeded with at most the probability beta on every data set, and
    is the least such number, or an interval that contains it; ``promised`` is what a theorem says of it.
    """

    n: int
    parameters: tuple[tuple[str, Stated], ...]
    messages: Stated
    most: int | None
    bits: int | None
    delta: Stated | None
    eps: Stated | None
    error: Stated
    promised: Stated | None
    remark: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A protocol that has no row at one number of users, and why, in one line."""

    n: int
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a protocol says for itself, from which the row is made.

    Args:
        error: the optimal accuracy in people.
        communication: what one user sends; None for a real number.
        parameters: name -> value.
        level: what stands behind the parameters: "prose" for those of a published theorem, else "enclosure".
        profile: the privacy of the view; None where ``pure`` says it.
        pure: the eps for which it is eps-DP with delta = 0, where that is the design.
        promised: the error that a theorem states.
        remark: what the reader must know of the row.
        delta: that at the eps asked for, where it is known without a profile.
        is_coarse: whether the least noise that is enough may be much more than is needed, as whole dummies are.
    """

    error: Number
    communication: Communication | None
    parameters: Mapping[str, Number | int]
    level: str
    profile: PrivacyProfile | None = None
    pure: Number | None = None
    promised: Number | None = None
    remark: str = ""
    delta: Number | None = None
    is_coarse: bool = False


def _row_of(question: Question, answer: Answer) -> Row:
    """Return the row of an answer, with the privacy that the protocol really has."""
    sent = answer.communication
    at_eps, at_delta = _privacy(answer, question.eps, question.delta) if question.with_privacy else (None, None)
    return Row(
        question.n,
        tuple((name, stated(_as_number(value), answer.level)) for name, value in answer.parameters.items()),
        stated(sent.messages if sent else Fraction(1)),
        sent.most if sent else 1,
        sent.bits if sent else None,
        at_eps,
        at_delta,
        stated(answer.error),
        None if answer.promised is None else stated(answer.promised, THEOREM),
        answer.remark,
    )


def _as_number(value: Number | int) -> Number:
    return Fraction(value) if isinstance(value, int) else value


def _privacy(answer: Answer, eps: Fraction, delta: Fraction) -> tuple[Stated | None, Stated | None]:
    """Return delta at eps, and eps at delta."""
    if answer.pure is not None:
        return stated(Fraction(0)), stated(answer.pure)
    if answer.profile is None:
        return None if answer.delta is None else stated(answer.delta), None
    at_eps = stated(answer.profile.delta(eps=eps))
    if answer.level != THEOREM and not answer.is_coarse:
        return at_eps, None
    return at_eps, stated(_number(answer.profile.epsilon(delta, relative_bits=_EPS_BITS)))


def _number(eps: LogRational | Interval) -> Number:
    if isinstance(eps, Interval):
        return eps
    return Fraction(0) if eps.argument == 1 else eps.enclose(DEFAULT_RELATIVE_BITS)


def stated(value: Number, level: str | None = None) -> Stated:
    """Return a number as it is kept, with a level: by default exact for a short fraction, else enclosure."""
    kept: Number
    if isinstance(value, Interval):
        kept = value
    elif max(value.numerator.bit_length(), value.denominator.bit_length()) <= _SHORT_BITS:
        kept = Fraction(value)
    else:
        kept = Interval.around(value, relative_bits=DEFAULT_RELATIVE_BITS)
    return Stated(kept, level or ("exact" if isinstance(kept, Fraction) else "enclosure"))


# --- As JSON data ---------------------------------------------------------------------------------------------------


def row_data(row: Row | Unanswered) -> dict[str, Any]:
    """Return a row as JSON data from which :func:`read_row` makes the same row."""
    return {part.name: _written(getattr(row, part.name)) for part in fields(row)}


def read_row(data: Mapping[str, Any]) -> Row | Unanswered:
    """Return the row that was written."""
    if "reason" in data:
        return Unanswered(**data)
    parts = {name: _read(value) for name, value in data.items() if name != "parameters"}
    return Row(parameters=tuple((name, _read(value)) for name, value in data["parameters"]), **parts)


def _written(value: Any) -> Any:
    """Return a part of a row as JSON data: a number with what stands behind it as three texts."""
    if isinstance(value, Stated):
        return [*exact_ends(value.value), value.level]
    return [[name, _written(number)] for name, number in value] if isinstance(value, tuple) else value


def _read(written: Any) -> Any:
    return Stated(read_ends(*written[:2]), written[2]) if isinstance(written, list) else written


BITS: Final = "bit sums"
SUMS: Final = "bounded sums"
HISTOGRAMS: Final = "histograms"
TASKS: Final = {
    BITS: "how many of n users hold a 1; the error is that of the number of users",
    SUMS: "the sum of n numbers from 0 to the bound; the error is that of the sum",
    HISTOGRAMS: "how many of n users hold one input, whichever it is; the error is that of one bin, in users",
}
"""Task -> what is estimated, and the unit of its error."""

CENTRAL: Final = "central"
LOCAL: Final = "local"
ONE_MESSAGE: Final = "shuffled, one message"
MESSAGES: Final = "shuffled, several messages"
MODELS: Final = {
    CENTRAL: "a curator sees all records and adds noise",
    ONE_MESSAGE: "users send one message each, and a shuffler hides who sent it",
    MESSAGES: "users send several messages, or a random number of them, to the shuffler",
    LOCAL: "no one is trusted: what a user sends is private by itself",
}
"""Model -> whom the users trust."""

PUBLISHED: Final = "theorem"
LEAST: Final = "least noise"
PURE: Final = "pure"
NOISES: Final = {
    PUBLISHED: "the noise that a published theorem asks for at eps and delta",
    LEAST: "the least noise, on a grid, that is (eps, delta)-private by the exact divergence or its upper end",
    PURE: "the noise of pure eps-privacy, with delta = 0",
}
"""How the noise is chosen -> what that means."""

Answering: TypeAlias = Callable[[Question], Answer]


@dataclass(frozen=True, slots=True)
class Curve:
    """A protocol with a way to choose its noise."""

    task: str
    model: str
    system: str
    noise: str
    answer: Answering

    @property
    def name(self) -> str:
        """What the curve is called, within its task."""
        return f"{self.system}, {self.noise}"

    @property
    def key(self) -> str:
        """What the curve is called in a store."""
        return f"{self.task}: {self.name}"

    def row(self, question: Question) -> Row | Unanswered:
        """Return the row at the number of users of a question, or why there is none."""
        try:
            return _row_of(question, self.answer(question))
        except ExactDPError as error:
            return Unanswered(question.n, " ".join(str(error).split()))
