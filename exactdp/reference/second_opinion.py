"""``cross_check``: an answer, and the same number by sums that share nothing with the engines but the definition.

The sums (:mod:`exactdp.reference.definition_sums`) run in mpmath at twice the digits of the answer and 25 more. They
are good digits, not proofs, and so they come with a slack: 10 to minus twice the digits of the masses that were
subtracted, and what was left out of an infinite sum. An answer is *inside* where the recomputed number is within the
slack of it, *outside* where it is not, and *undecided* where the slack is as wide as the answer, or where the sums
give two ends of which only one is inside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from time import perf_counter
from typing import Any, Final, Literal, TypeAlias

import mpmath

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.lattice import LatticeLaw
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import about, short
from exactdp.numbers.interval import Interval
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.profile import PrivacyProfile
from exactdp.reference.definition_sums import AtLevel, NotWritten, Sums, mpf_of, sums_of, tail_of
from exactdp.reference.hockey_stick_sums import Event, number
from exactdp.reference.summed_laws import Steps, TooManySteps

Subject: TypeAlias = PrivacyProfile | ComposedProfile | LatticeLaw
Answer: TypeAlias = Fraction | Interval | LogRational
Verdict: TypeAlias = Literal["inside", "outside", "undecided", "not computed"]

DEFAULT_LIMIT: Final = 10**6
"""Steps of a reference computation unless more are allowed: some seconds."""

_MAX_DIGITS: Final = 10_000
_EXACT_DIGITS: Final = 17
"""Digits to which an exact answer is compared, twice."""
_LEAST_DIGITS: Final = 15
_GUARD_DIGITS: Final = 25
_ROUNDS: Final = 4
"""So often the digits are doubled where the slack is too wide."""
_NEWTON_STEPS: Final = 500
_SHOWN_DIGITS: Final = 20


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """What a second computation says of an answer.

    ``verdict`` is "inside", "outside", "undecided" or "not computed"; ``lower`` and ``upper`` are the recomputed number
    (equal, but where only two ends are known) as mpmath's floats, None where there is none; ``slack`` is how far the
    truth may be from them; ``method`` or ``reason`` says in words how it was computed, or why not; ``digits`` of
    working precision, and the ``seconds`` and ``steps`` that it took.
    """

    verdict: Verdict
    answer: Answer
    lower: Any = None
    upper: Any = None
    slack: Any = None
    digits: int = 0
    method: str = ""
    reason: str = ""
    steps: int = 0
    seconds: float = 0

    @property
    def value(self) -> str:
        """The recomputed number as a decimal, or its two ends; empty where there is none."""
        if self.lower is None:
            return ""
        ends = [mpmath.nstr(end, _SHOWN_DIGITS) for end in (self.lower, self.upper)]
        return ends[0] if self.lower == self.upper else f"{ends[0]} to {ends[1]}"

    def __str__(self) -> str:
        if self.verdict == "not computed":
            return f"not computed: {self.reason}"
        why = f"; {self.reason}" if self.reason else ""
        by = f"by {self.method}, in mpmath at {self.digits} digits, {self.seconds:.2f} s"
        return f"{self.verdict}: {self.value} {by}{why}"


def cross_check(
    subject: Subject,
    *,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    delta: Exact | None = None,
    pmf: int | None = None,
    cdf: int | None = None,
    sf: int | None = None,
    answer: Answer | Exact | None = None,
    digits: Exact | None = None,
    limit: Exact = DEFAULT_LIMIT,
) -> CrossCheck:
    """Return whether an answer contains what an independent computation finds.

    Args:
        subject: a privacy profile, of one run or of many, or a noise law on the integers.
        eps, exp_eps: of a profile, the level at which its delta is computed again; one of them.
        delta: instead of a level, the delta at which the least eps is computed again.
        pmf, cdf, sf: of a law, the outcome k of P[Y = k], P[Y <= k] or P[Y > k]; one of them.
        answer: what is judged; by default what the subject answers.
        digits: of the answer, from 1 to 10^4; the computation has twice as many. By default those of the answer.
        limit: most steps of the computation, some microseconds each.

    Returns:
        A :class:`CrossCheck`. Where no sums are written for the subject, or they are longer than the limit, its verdict
        is "not computed", with the reason.

    Raises:
        InvalidValueError: for questions that the subject does not answer; what the subject raises when it is asked.

    >>> from exactdp import ShuffleProtocol, randomized_response
    >>> profile = ShuffleProtocol(randomized_response(2, gamma="1/2"), 10).privacy_profile()
    >>> check = cross_check(profile, eps="1/2")
    >>> check.verdict, check.value
    ('inside', '0.031675482605348370116')
    >>> cross_check(profile, eps="1/2", answer="0.03167548260").verdict
    'outside'

    Cost: seconds; 0.6 s for 100 users of binary randomized response. Loads mpmath.
    """
    most = as_integer(limit, name="limit", at_least=1)
    wanted = None if digits is None else _read_digits(digits)
    question = _Question.read(subject, eps, exp_eps, delta, {"pmf": pmf, "cdf": cdf, "sf": sf})
    judged = question.asked() if answer is None else _read_answer(answer)
    began, steps = perf_counter(), Steps(most)
    try:
        found = _judged(question, judged, wanted or _digits_of(judged), steps)
    except NotWritten as reason:
        found = CrossCheck("not computed", judged, reason=f"{reason}.")
    except TooManySteps:
        found = CrossCheck("not computed", judged, reason=f"the sums have more than {about(most)} steps, the limit.")
    return replace(found, steps=min(steps.taken, most), seconds=perf_counter() - began)


@dataclass(frozen=True, slots=True)
class _Question:
    """One question about a subject: a level, a target delta, or an outcome."""

    subject: Subject
    level: PrivacyLevel | None = None
    target: Fraction | None = None
    tail: tuple[str, int] | None = None

    @classmethod
    def read(cls, subject: Subject, eps: Any, exp_eps: Any, delta: Any, tails: dict[str, Any]) -> _Question:
        asked = [
            name
            for name, value in {"eps": eps, "exp_eps": exp_eps, "delta": delta, **tails}.items()
            if value is not None
        ]
        wanted = ("pmf", "cdf", "sf") if isinstance(subject, LatticeLaw) else ("eps", "exp_eps", "delta")
        if not isinstance(subject, PrivacyProfile | ComposedProfile | LatticeLaw):
            raise InvalidValueError(
                f"subject has the type {type(subject).__name__}. Pass a privacy profile, or noise on the integers."
            )
        if len(asked) != 1 or asked[0] not in wanted:
            raise InvalidValueError(
                f"{' and '.join(asked) or 'nothing'} is asked of a {type(subject).__name__}. "
                f"Pass one of {', '.join(wanted)}."
            )
        if isinstance(subject, LatticeLaw):
            return cls(subject, tail=(asked[0], as_integer(tails[asked[0]], name=asked[0])))
        if delta is not None:
            return cls(subject, target=as_probability(delta, name="delta"))
        return cls(subject, level=read_privacy_level(eps=eps, exp_eps=exp_eps))

    def asked(self) -> Answer:
        """What the subject answers."""
        if self.tail is not None:
            found = getattr(self.subject, self.tail[0])(self.tail[1])
        elif self.level is not None:
            found = self.subject.delta(**self.level.keywords)  # type: ignore[union-attr]
        else:
            found = self.subject.epsilon(self.target)  # type: ignore[union-attr, arg-type]
        assert isinstance(found, Fraction | Interval | LogRational)
        return found

    def sums(self, steps: Steps) -> Sums:
        """The sums of a profile."""
        assert not isinstance(self.subject, LatticeLaw)
        pair = None
        if isinstance(self.subject, PrivacyProfile) and not self.subject.is_tight:
            if self.level is None:
                raise NotWritten("no sums are written for an eps that is known between two ends: ask at an eps")
            pair = self.subject.bracket(**self.level.keywords).attained_by
        return sums_of(self.subject, pair, steps)


def _judged(question: _Question, answer: Answer, digits: int, steps: Steps) -> CrossCheck:
    """Compute at rising precision until the slack is narrower than the answer."""
    for doubled in range(_ROUNDS):
        precise = 2 * digits * 2**doubled
        with mpmath.workdps(precise + _GUARD_DIGITS):
            lower, upper, slack, method = _computed(question, precise, steps)
            low, high = _ends(answer)
            narrow = max(high - low, abs(high) * mpmath.mpf(10) ** -digits) / 1000
            if slack <= narrow or high == low == lower == 0 or mpmath.inf in (low, lower):
                verdict, reason = _verdict(low, high, lower, upper, slack)
                return CrossCheck(verdict, answer, lower, upper, slack, precise, method, reason)
    reason = "the rounding of the sums is as wide as the answer"
    return CrossCheck("undecided", answer, lower, upper, slack, precise, method, reason)


def _verdict(low: Any, high: Any, lower: Any, upper: Any, slack: Any) -> tuple[Verdict, str]:
    if mpmath.inf in (low, lower):
        return ("inside" if lower == low else "outside"), ""
    if low - slack <= lower and upper <= high + slack:
        return "inside", ""
    if high + slack < lower or upper < low - slack:
        return "outside", ""
    return "undecided", "only one of the two recomputed ends lies inside, and another theorem may be behind the other"


def _computed(question: _Question, precise: int, steps: Steps) -> tuple[Any, Any, Any, str]:
    """Return the two recomputed ends, their slack, and how they were computed."""
    if question.tail is not None:
        assert isinstance(question.subject, LatticeLaw)
        name, k = question.tail
        value = tail_of(question.subject, name, k, steps)
        return value, value, abs(value) * mpmath.mpf(10) ** -precise, "adding up weights"
    sums = question.sums(steps)
    if question.target is not None:
        found, slack = _least_eps(sums.upper, number(question.target), precise)
        return found, found, slack, sums.words
    assert question.level is not None
    exp_eps = mpf_of(question.level.real)
    events = [sums.lower(exp_eps)] if sums.is_tight else [sums.lower(exp_eps), sums.upper(exp_eps)]
    ends = [event.delta(exp_eps) for event in events]
    return ends[0], ends[-1], max(_slack(event, exp_eps, precise) for event in events), sums.words


def _slack(event: Event, exp_eps: Any, precise: int) -> Any:
    return (event.first + exp_eps * event.second) * mpmath.mpf(10) ** -precise + event.missing


def _least_eps(worst: AtLevel, target: Any, precise: int) -> tuple[Any, Any]:
    """Return the least eps by Newton's method from eps = 0: each step goes to where the last event meets the target."""
    exp_eps, tiny = mpmath.mpf(1), mpmath.mpf(10) ** -precise
    slack = mpmath.mpf(0)
    for _ in range(_NEWTON_STEPS):
        event = worst(exp_eps)
        if event.delta(exp_eps) <= target + _slack(event, exp_eps, precise):
            return mpmath.log(exp_eps), slack
        if event.second == 0:
            return mpmath.inf, mpmath.mpf(0)
        exp_eps = (event.first - target) / event.second
        slack = _slack(event, exp_eps, precise) / (event.second * exp_eps) + tiny
    raise NotWritten("the steps towards this eps do not end")


# --- answers ----------------------------------------------------------------------------------------------------------


def _read_answer(answer: Answer | Exact) -> Answer:
    if isinstance(answer, Interval | LogRational):
        return answer
    return as_fraction(answer, name="answer")


def _read_digits(value: Exact) -> int:
    digits = as_integer(value, name="digits", at_least=1)
    if digits > _MAX_DIGITS:
        raise TooLargeError(f"digits={short(digits)} is more than the limit of {_MAX_DIGITS}. Ask for fewer.")
    return digits


def _digits_of(answer: Answer) -> int:
    """Return how many digits of an answer are known, at least 15; of an exact one as many as are compared."""
    if not isinstance(answer, Interval) or answer.is_point:
        return _EXACT_DIGITS
    low, high = _ends(answer)
    if low <= 0:
        return _LEAST_DIGITS
    return min(_MAX_DIGITS, max(_LEAST_DIGITS, 1 + int(-mpmath.log10((high - low) / high))))


def _ends(answer: Answer) -> tuple[Any, Any]:
    """Return the two ends of an answer at the working precision; of an eps those of the eps."""
    if isinstance(answer, Interval):
        low, high = (mpmath.ldexp(end.mantissa, end.exponent) for end in (answer.lower, answer.upper))
        return low, high
    if isinstance(answer, Fraction):
        return number(answer), number(answer)
    value = mpmath.inf if answer.is_infinite else mpmath.log(number(answer.argument))
    return value, value
