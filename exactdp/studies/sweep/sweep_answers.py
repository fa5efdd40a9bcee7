"""The answer to one question of a sweep: both ends exactly, the level, and what it cost.

What an engine refuses is an answer too, with the reason and no ends. Nothing here depends on the machine or on what was
asked before but the cost, which is kept apart.

Certificates of an answer need nobody's word: there is one for each end, where the upper end is one that a certificate
can state, else for that by a blanket, with its own number. Of a delta: that the protocol has (eps,
delta)-DP at a delta just above the upper end, and that it has not at one just below the lower end. Of an eps likewise.
The numbers are decimals of a few digits, rounded away from the answer, so that certificates stay short and their bounds
have room; the checker of the standard library has read each before it is kept.
"""

from __future__ import annotations

import platform
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from exactdp import __version__
from exactdp.claims.certificate import Verdict
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.claims.target_claims import noise_claim, protocol_claim, users_claim
from exactdp.errors import ExactDPError, NotCheckableError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, eps_json
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, as_fraction
from exactdp.numbers.formats import decimal_text, ends, exact_text, is_written_out, number_json
from exactdp.numbers.interval import Interval
from exactdp.privacy.attained import AttainingPair
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.naming.populations import read_participants, with_absence
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_shift
from exactdp.studies.study_store import exact_ends, read_ends
from exactdp.studies.sweep.sweep_question import CLASSES, Question

_DIGITS: Final = 6
"""Of the number that is certified, where the answer closes to any width."""
_WIDE_DIGITS: Final = 3
"""Where it does not, or is of many runs: then certificates have bounds with an error of their own."""


@dataclass(frozen=True, slots=True)
class Certified:
    """One end of an answer, certified.

    Args:
        side: "holds" or "fails".
        at: the delta or eps that the claim is about, exactly.
        verdict: PROVED for "holds", REFUTED for "fails", or UNDECIDED.
        level: "certificate", "enclosure" where the engine alone decided, or "none".
        claim_id: of the claim; None where no claim states the question.
        reason: what was found, in words.
        document: the certificate as `exactdp verify` reads it; None at any other level.
    """

    side: str
    at: str
    verdict: str
    level: str
    claim_id: str | None
    reason: str
    document: str | None


def certified(
    question: Question, value: Fraction | Interval | LogRational, *, is_closed: bool
) -> tuple[Certified, ...]:
    """Return the certificates of an answer: one that holds, and unless it is 0 one that fails; none of infinity.

    >>> asked = Question("protocol", "@zsum", (("--gamma", "1/2"),), "5", "exp_eps", "2")
    >>> [(one.side, one.at, one.verdict, one.level) for one in certified(asked, Fraction(1, 8), is_closed=True)]
    [('holds', '1/8', 'PROVED', 'certificate'), ('fails', '124999/1000000', 'REFUTED', 'certificate')]
    """
    if isinstance(value, LogRational) and value.is_infinite:
        return ()
    low, high = ends(value.enclose() if isinstance(value, LogRational) else value)
    digits = _DIGITS if is_closed and question.runs == 1 else _WIDE_DIGITS
    above, below = as_fraction(decimal_text(high, digits, up=True), name="end"), _below(low, digits)
    if question.answer == "delta":
        above = min(above, Fraction(1))
    sides = [("holds", above)] if below is None else [("holds", above), ("fails", below)]
    return tuple(_certified(question, side, at) for side, at in sides)


def _below(end: Fraction | Dyadic, digits: int) -> Fraction | None:
    """Return a short number below a positive end, not the end itself; None where there is none."""
    at = as_fraction(decimal_text(end, digits, up=False), name="end")
    if at <= 0:
        return None
    if end.compare(at) > 0 if isinstance(end, Dyadic) else end > at:
        return at
    lower = at * (1 - Fraction(1, 10**digits))
    return as_fraction(decimal_text(lower, digits, up=False), name="end")


def _certified(question: Question, side: str, at: Fraction) -> Certified:
    shown = exact_text(at)
    try:
        certificate = certify(_claim(question, at))
    except ExactDPError as error:
        return Certified(side, shown, Verdict.UNDECIDED.value, "none", None, str(error), None)
    if certificate.verdict is (Verdict.REFUTED if side == "holds" else Verdict.PROVED):
        raise AssertionError(f"{question.title}: an answer is refuted by its own certificate: {certificate.reason}")
    document = certificate.to_json() if certificate.level == "certificate" else None
    claim_id = certificate.claim.digest()
    return Certified(side, shown, certificate.verdict.value, certificate.level, claim_id, certificate.reason, document)


def _claim(question: Question, at: Fraction) -> Claim:
    """Return the claim that the question's protocol has (eps, delta)-DP, the one given and the other ``at``."""
    given = as_fraction(question.at, name=question.asked)
    level: dict[str, Any] = {question.asked: given, question.answer: at}
    target, times = question.target(), None if question.runs == 1 else question.runs
    if isinstance(target, NoiseLaw):
        return noise_claim(target, int(read_shift(question.shift, target)), level, times=times)
    users = read_participants(question.users or "", target)
    if not isinstance(users, int):
        raise NotCheckableError("n is random, and no certificate speaks of that. Ask about one n.")
    if target.table is None and question.neighbors != Neighbors.REPLACE_ONE.value:
        raise NotCheckableError(f"no claim states {target.name} with neighbours {question.neighbors}.")
    target, neighbors = target.in_fractions(), Neighbors(question.neighbors)
    if question.kind == CLASSES:
        if times is not None:
            raise NotCheckableError("no claim states several runs of classes of users. Ask about one.")
        return Claim.shuffle_dp(target.build(users), **level, neighbors=neighbors, user_class=question.user_class)
    if question.away:
        protocol = with_absence(target.build(users), question.away)
        return protocol_claim(protocol, level, neighbors=neighbors, all_n=False, times=times)
    return users_claim(target, users, level, neighbors=neighbors, times=times)


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
        worst_class: of classes of users, that of the user who differs in the worst pair known, or that was asked for;
            None of several runs of the worst class, where no pair is known, and where there are no classes.
    """

    lower: str | None
    upper: str | None
    lo: str | None
    hi: str | None
    level: str
    engine: str | None
    is_tight: bool | None
    error: str | None = None
    worst_class: int | None = None


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


def answered_row(question: Question, *, certify: bool) -> AnsweredRow:
    """Answer a question; what a worker runs.

    >>> asked = Question("protocol", "@randomized-response", (("--gamma", "1/2"),), "10", "exp_eps", "2")
    >>> answered_row(asked, certify=False).answer.lower
    '19683/1048576'
    """
    began = time.thread_time_ns()
    answer, value = answer_with_value(question)
    certificates = None
    if certify:
        certificates = () if value is None else _certificates(question, value, is_closed=bool(answer.is_tight))
    microseconds = (time.thread_time_ns() - began) // 1000
    return AnsweredRow(question.key, answer, Cost(microseconds, *_programs()), certificates)


def _certificates(
    question: Question, value: Fraction | Interval | LogRational, *, is_closed: bool
) -> tuple[Certified, ...]:
    """Return the certificates of an answer, or where it is better than they can state of the one that is not."""
    profile = question.profile()
    if not is_closed and profile.checkable != profile:
        value = _shortened(_value(question, profile.checkable))
    return certified(question, value, is_closed=is_closed)


def answer_with_value(question: Question) -> tuple[Answer, Any]:
    """Return the answer as text, and as the number that it is: None where there is none.

    >>> asked = Question("protocol", "@zsum", (("--gamma", "1/2"),), "5", "delta", "0")
    >>> answer_with_value(asked)[0].upper
    'infinity'
    """
    try:
        profile = question.profile()
        value, pair = _value_with_pair(question, profile)
        value = _shortened(value)
    except ExactDPError as error:
        reason = f"{type(error).__name__}: {getattr(error, 'plain', error)}"
        return Answer(None, None, None, None, "none", None, None, reason), None
    engine = profile.engine if isinstance(profile, PrivacyProfile) else "composition"
    is_enclosed = isinstance(value, Interval) and not is_written_out(value)
    shown = value_json(question.answer, value)
    lower, upper = 2 * (shown["exact"] or "",) if isinstance(value, LogRational) else exact_ends(value)
    level = "enclosure" if is_enclosed else "exact"
    worst = question.user_class if pair is None else pair.user_class
    return Answer(lower, upper, shown["lo"], shown["hi"], level, engine, profile.is_tight, worst_class=worst), value


def value_json(asked_for: str, value: Fraction | Interval | LogRational) -> dict[str, str | None]:
    """Return the number of an answer, "delta" or "eps", as JSON data."""
    if asked_for == "delta":
        assert not isinstance(value, LogRational)
        return number_json(value)
    assert not isinstance(value, Fraction)
    return eps_json(value)


def _value(question: Question, profile: PrivacyProfile | ComposedProfile) -> Fraction | Interval | LogRational:
    """Return delta or eps: a fraction where that is short, else an interval from the one end to the other."""
    return _value_with_pair(question, profile)[0]


def _value_with_pair(
    question: Question, profile: PrivacyProfile | ComposedProfile
) -> tuple[Fraction | Interval | LogRational, AttainingPair | None]:
    """Return delta or eps, and of classes of users a pair that attains it, where one is known."""
    at = as_fraction(question.at, name=question.asked)
    if isinstance(profile, ComposedProfile):
        if question.asked == "delta":
            return profile.epsilon(at), None
        return (profile.delta(exp_eps=at) if question.asked == "exp_eps" else profile.delta(eps=at)), None
    if question.asked == "eps":
        return profile.delta_with_pair(eps=at) if question.kind == CLASSES else (profile.delta(eps=at), None)
    if question.asked == "exp_eps":
        return profile.delta_with_pair(exp_eps=at, longest=LONGEST)
    return profile.epsilon_with_pair(at, longest=LONGEST)


def _shortened(value: Fraction | Interval | LogRational) -> Fraction | Interval | LogRational:
    """Return the value, or an interval around it where it is too long for a row."""
    if isinstance(value, LogRational):
        return value if value.is_infinite or not _is_long(value.argument) else value.enclose()
    if isinstance(value, Fraction) and _is_long(value):
        return Interval.around(value, relative_bits=DEFAULT_RELATIVE_BITS)
    return value


def _is_long(value: Fraction) -> bool:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) > LONGEST


def read_value(asked_for: str, lower: str, upper: str) -> Fraction | Interval | LogRational:
    """Return the number of an answer, "delta" or "eps", from the texts of its ends.

    >>> read_value("delta", "1/4", "1/4"), read_value("eps", "0x1p-2", "0x3p-3"), read_value("eps", "0", "0")
    (Fraction(1, 4), Interval[0.25, 0.375], LogRational('1'))
    """
    if asked_for == "eps" and lower == "0":
        return LogRational(1)
    if lower == "infinity":
        return LogRational(None)
    if not lower.startswith("ln("):
        return read_ends(lower, upper)
    argument = read_ends(lower[3:-1], "")
    assert isinstance(argument, Fraction)
    return LogRational(argument)


def _programs() -> tuple[str, str, str, str]:
    return platform.node(), __version__, _version("python-flint"), ".".join(map(str, sys.version_info[:3]))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
