"""Questions about privacy, their answers, and what attains and proves them.

A question is about a subject (:mod:`exactdp.cli.subjects`), and its profile answers. Answers are exact if the
profile is and the fraction is of a length that can be used; elsewhere they are intervals, and never pretend to be more.
Where no exact engine reaches, an answer has two proved ends: what attains the lower, what proves the upper
(:class:`TwoEnds`). With --cross-check the same number comes from an independent computation, too, and it is said
whether it lies inside (:class:`CrossChecked`). :func:`question` makes the commands that ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import wraps
from typing import Any, Final

import click

import exactdp as xdp
from exactdp.cli.explanation import Explanation, of_answers
from exactdp.cli.failures import HOLDS, REFUTED, UNDECIDED
from exactdp.cli.options import (
    Group,
    answer_options,
    cross_check_option,
    explain_option,
    options,
    subject_arguments,
    typed_command,
)
from exactdp.cli.output import Fact, Report, answer, columns, count, exact_fact, number_cells, printable
from exactdp.cli.progress_bars import working
from exactdp.cli.subjects import NoisyQuery, Subject, Users, UsersOfClasses, Worst, read_subject
from exactdp.cli.values import BITS, TypedLevel
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import eps_json, eps_text
from exactdp.numbers.formats import decimal_text, exact_text, is_written_out, number_json, number_text, short
from exactdp.privacy.attained import AttainingPair, Bracket, WorstPair

_CHECK_DIGITS: Final = 30
"""More than an answer shows unless more are asked for."""
_NOT_HIDDEN: Final = (
    "Every user sends as many messages, so that their number tells whether one user more is there, whatever he holds. "
    "What people do instead, where neighbours replace what a user holds:"
)
"""Why nothing hides a user, and what comes next."""
_UNSAID: Final = dict.fromkeys(("neighbors", "form", "output", "explain"))
"""What is left out of a line that asks about something else."""
_STATUS: Final = {"inside": HOLDS, "outside": REFUTED, "undecided": UNDECIDED, "not computed": UNDECIDED}
"""Verdict -> exit status."""


def _check_data(check: xdp.CrossCheck) -> dict[str, Any]:
    """Return the verdict of a second computation and what it rests on, as JSON data."""
    lower, upper = (_decimal(end) for end in (check.lower, check.upper))
    return {
        "verdict": check.verdict,
        "lower": lower,
        "upper": upper,
        "digits": None if lower is None else count(check.digits),
        "method": check.method or None,
        "reason": check.reason or None,
        "steps": count(check.steps),
        "seconds": f"{check.seconds:.2f}",
    }


def _decimal(value: Any) -> str | None:
    """Return a number of the second computation as a decimal, rounded to nearest."""
    if value is None:
        return None
    import mpmath

    return "infinity" if value == mpmath.inf else str(mpmath.nstr(value, _CHECK_DIGITS))


_DIGITS: Final = 10
"""As many as an interval shows."""
_LOCAL: Final = "data sets in which all other users hold one input, at every eps below"
"""What attains the local eps at delta = 0."""
_FACTOR_DIGITS: Final = 7
"""The ends are enclosed to 10^-6."""


@dataclass(frozen=True, slots=True)
class TwoEnds:
    """The two proved ends of a delta or an eps."""

    lower: Any
    """Each end is a number that is enclosed; of an eps also 0 or infinity, as a LogRational."""
    upper: Any
    attained_by: Worst | str | None
    """None where the lower end is 0: there is nothing to attain."""
    theorem: str | None
    """None where the upper end is infinite, which nothing needs to prove."""
    is_closed: bool
    as_data: Callable[[Any], dict[str, str | None]]
    """Writes an end as JSON data."""

    @classmethod
    def of_delta(cls, subject: Subject, ends: Bracket, relative_bits: int) -> TwoEnds:
        """The ends of a delta."""
        attained = _attained(subject, ends, _low(ends.lower))
        return cls(
            ends.lower,
            ends.upper,
            attained,
            ends.theorem,
            ends.is_closed,
            lambda end: number_json(end, relative_bits=relative_bits),
        )

    @classmethod
    def of_eps(cls, subject: Subject, eps: xdp.LogRational | xdp.Interval, pair: AttainingPair | None) -> TwoEnds:
        """The ends of an eps: the lower end of delta is above the target just below the one, the upper end is not
        above it at the other."""
        if isinstance(eps, xdp.LogRational) and eps.is_infinite:
            assert pair is not None
            return cls(eps, eps, subject.worst(pair), None, True, eps_json)
        attained: Worst | str | None = None
        if isinstance(eps, xdp.Interval) and eps.lower.compare(0) > 0 and pair is None:
            attained = _LOCAL  # asked at delta = 0, where no pair is left at the local eps itself
        elif isinstance(eps, xdp.Interval) and eps.lower.compare(0) > 0 and pair is not None:
            assert isinstance(pair.exp_eps, Fraction)
            ends = subject.profile.bracket(exp_eps=pair.exp_eps)
            attained = _attained(subject, ends, _low(ends.lower))
        if isinstance(eps, xdp.LogRational):
            theorem = subject.profile.bracket(exp_eps=eps.argument).theorem
            return cls(eps, eps, attained, theorem, True, eps_json)
        theorem = subject.profile.bracket(eps=eps.hi).theorem
        low, high = (xdp.Interval(end, end) for end in (eps.lower, eps.upper))
        return cls(low, high, attained, theorem, False, eps_json)

    @classmethod
    def of_runs(cls, least: xdp.Interval, ends: Bracket, *, is_eps: bool) -> TwoEnds:
        """The ends of a delta or an eps of runs; ``ends`` are those of delta there, or at the lower end of eps."""
        lower, upper = (xdp.Interval(end, end) for end in (least.lower, least.upper))
        attained = ends.attained_by if least.lower.compare(0) > 0 else None
        assert not isinstance(attained, WorstPair)
        as_data = eps_json if is_eps else number_json
        return cls(lower, upper, attained, ends.theorem, least.is_point, lambda end: {**as_data(end), "exact": None})

    @property
    def facts(self) -> list[Fact]:
        """The ends, with what attains the one and proves the other."""
        by, words = self.attained_by, self._attained_words
        data = {
            "lower": self.as_data(self.lower),
            "upper": self.as_data(self.upper),
            "attained_by": by.data if isinstance(by, Worst) else by,
            "theorem": self.theorem,
            "is_closed": self.is_closed,
        }
        cells = {"attained_by": words, "theorem": self.theorem, "is_closed": self.is_closed}
        lower, upper, factor, attained, proved = self.row
        return [
            Fact("bracket", data, cells=cells),  # the ends are those of the answer
            lower.said("lower end", f"{lower.text}, attained by {attained.text}"),
            upper.said("upper end", f"{upper.text}, {'by ' if self.theorem else ''}{proved.text}"),
            factor,
        ]

    @property
    def row(self) -> list[Fact]:
        """The ends, rounded outward, the factor, what attains the one and what proves the other, for a table."""
        if isinstance(self.lower, xdp.LogRational):
            lower = upper = "infinity" if self.lower.is_infinite else "0"
        else:
            lower = decimal_text(_low(self.lower), _DIGITS, up=False)
            upper = decimal_text(_high(self.upper), _DIGITS, up=True)
        return [
            Fact(label="lower end", text=lower),
            Fact(label="upper end", text=upper),
            Fact(label="factor", text=self._factor),
            Fact(label="lower end attained by", text=self._attained_words or "nothing: it is the least there is"),
            Fact(label="upper end proved by", text=self.theorem or "no finite number is enough"),
        ]

    @property
    def _attained_words(self) -> str | None:
        return self.attained_by.title if isinstance(self.attained_by, Worst) else self.attained_by

    @property
    def _factor(self) -> str:
        """The upper end over the lower end, for reading."""
        if self.is_closed:
            return "1: the ends are proved equal"
        low, high = _low(self.lower), _high(self.upper)
        if low.compare(0) <= 0:
            return "none: the lower end is 0"
        try:
            ratio = Fraction(high.mantissa, low.mantissa) * Dyadic.of(1, high.exponent - low.exponent).fraction()
        except TooLargeError:
            return f"about 2^{high.exponent - low.exponent}"
        return f"at most {decimal_text(ratio, _FACTOR_DIGITS, up=True)}"


def _attained(subject: Subject, ends: Bracket, lower: Dyadic) -> Worst | str | None:
    """Return what attains the lower end; None if that is 0."""
    by = ends.attained_by
    if lower.compare(0) <= 0:
        return None
    return subject.worst(AttainingPair(by.first, by.second, by.exp_eps)) if isinstance(by, WorstPair) else by


def _low(end: Fraction | xdp.Interval) -> Dyadic:
    return Dyadic.below(end, 64) if isinstance(end, Fraction) else end.lower


def _high(end: Fraction | xdp.Interval) -> Dyadic:
    return Dyadic.above(end, 64) if isinstance(end, Fraction) else end.upper


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
    relative_bits: int = BITS
    """Of a delta in JSON."""

    @property
    def facts(self) -> tuple[Fact, Fact]:
        """What is asked and the answer."""
        if isinstance(self.asked, Fraction):
            eps = eps_json(self.value)
            ends = {"exp_eps": eps["exp_eps"], **number_cells("eps", eps)}
            return exact_fact("delta", self.asked), Fact("epsilon", eps, "epsilon", eps_text(self.value), ends)
        cells = number_cells("delta", number_json(self.value), exact=True)
        data = number_json(self.value, relative_bits=self.relative_bits)
        return self.asked.fact, Fact("delta", data, "delta", number_text(self.value), cells)

    @property
    def named(self) -> str:
        """What is asked, as part of a sentence."""
        if isinstance(self.asked, Fraction):
            return f"the least eps at delta = {number_text(self.asked)}"
        return f"the least delta at {self.asked.text}"

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
class Stated:
    """What is certified of an answer, and the file into which a certificate is written."""

    certificate: xdp.Certificate
    level: Mapping[str, Fraction]
    """The eps and the delta that are claimed, by the names that claims give them."""
    file: str

    @property
    def is_written(self) -> bool:
        return self.certificate.witness is not None

    @property
    def fact(self) -> Fact:
        """What is said of it."""
        found, file = self.certificate, self.file if self.is_written else None
        at = {name: exact_text(value) for name, value in self.level.items()}
        said = f"{found.verdict.name}, {' and '.join(f'{name} = {short(value)}' for name, value in self.level.items())}"
        data = {"file": file, **at, "verdict": found.verdict.name, "level": found.level}
        data |= {"claim_id": found.claim.digest(), "reason": found.reason}
        where = "not written" if file is None else printable(file)
        return Fact("certificate", data, "certificate", f"{where}: {said}", {"certificate": file})

    @property
    def remarks(self) -> list[str]:
        """Why there is no certificate."""
        missing = f"there is no certificate, and {printable(self.file)} is not written: {self.certificate.reason}"
        return [] if self.is_written else [missing]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question about a subject, what attains it, and the level of evidence."""

    subject: Subject
    least: Least
    behind: Sequence[Fact]
    """What attains and proves the answer."""
    level: str
    evidence: str
    """What stands behind it."""
    ends: TwoEnds | None = None
    """The two proved ends where they may differ."""
    composed: xdp.ComposedProfile | None = None
    """Runs of the subject that were asked about together."""
    runs: Sequence[Fact] = ()
    """What is said of them."""
    check: xdp.CrossCheck | None = None
    """What a second computation says, where it is asked for."""
    stated: Stated | None = None
    """What is certified, where that is asked for."""

    def cross_checked(self) -> Answer:
        """Compute the answer again."""
        profile = self.subject.profile if self.composed is None else self.composed
        with working("the cross-check"):
            return replace(self, check=xdp.cross_check(profile, **self.least.question, answer=self.least.value))

    @property
    def facts(self) -> list[Fact]:
        """What is asked, the answer, what attains it, and the evidence."""
        level = Fact("level", self.level, "evidence", self.evidence)
        stated = [] if self.stated is None else [self.stated.fact]
        return [*self.runs, *self.least.facts, *self.behind, level, *stated, *self._checked(str(self.check))]

    @property
    def row(self) -> list[Fact]:
        """The same as a row of a table."""
        (asked, least), (worst, *bracket) = self.least.facts, self.behind
        asked = asked.said("e^eps" if asked.name == "exp_eps" else "eps", str(asked.data))
        worst = worst if worst.data else worst.said(worst.label, "none")
        found = [least, worst] if self.ends is None else [least.said(""), worst.said(""), bracket[0], *self.ends.row]
        level = Fact("level", self.level, "level", self.level)
        return [asked, *found, level, *self._checked("" if self.check is None else self.check.verdict)]

    def _checked(self, text: str) -> list[Fact]:
        if self.check is None:
            return []
        cells = {"cross_check": self.check.verdict}
        return [Fact("cross_check", _check_data(self.check), "cross-check", text, cells)]


def question(name: str, *further: Group) -> Callable[[Callable[..., Answer | list[Answer]]], click.Command]:
    """Return a decorator that makes a command of what answers a question, or several, about a subject.

    Args:
        name: of the command; the function's text is its help.
        further: options beside those of a subject; the function takes the subject, and what is typed.
    """

    def made(asking: Callable[..., Answer | list[Answer]]) -> click.Command:
        @click.command(name)
        @options(subject_arguments, *further, cross_check_option, explain_option, answer_options)
        @wraps(asking)
        def command(cross_check: bool, explain: bool, **typed: Any) -> Report:
            subject = read_subject(typed, exact=typed.get("exact", False))
            found = asking(subject, typed)
            answers = found if isinstance(found, list) else [found]
            answers = [one.cross_checked() for one in answers] if cross_check else answers
            if isinstance(found, list):
                report, asked = _curve(answers), f"the curve of the least delta at {len(answers)} points"
            else:
                report, asked = _single(answers[0]), answers[0].least.named
            return _explanation(answers, asked).on(report) if explain else report

        return command

    return made


def _single(one: Answer) -> Report:
    subject = one.subject
    work = subject.work if one.composed is None else f"composition of {subject.profile.engine}"
    about = (*subject.facts, Fact("engine", subject.profile.engine))
    said, notes = _instead(subject)
    facts = [*about, *one.facts, Fact(label="engine", text=work), *said]
    report = answer(*facts, notes=[subject.note, *notes], status=_status([one]))
    if one.stated is None or one.stated.is_written:
        return report
    return replace(report, remarks=one.stated.remarks, status=report.status or UNDECIDED)


def _instead(subject: Subject) -> tuple[list[Fact], list[str]]:
    """Return what people do where the number of messages gives a user away, with a line for each, as data and text."""
    if not isinstance(subject, Users) or not subject.instead:
        return [], []
    lines = [(words, typed_command(changed={**_UNSAID, **options})) for words, options in subject.instead]
    data = [{"does": words, "shell": line} for words, line in lines]
    said = [part for words, line in lines for part in (f"* {words}:", f"  {line}")]
    return [Fact("instead", data)], ["", _NOT_HIDDEN, *said]


def _curve(answers: Sequence[Answer]) -> Report:
    """Return answers as a table; of users, CSV has nothing else."""
    subject = answers[0].subject
    about = (*subject.facts, Fact("engine", subject.profile.engine))
    said, notes = _instead(subject)
    is_listed = isinstance(subject, NoisyQuery | UsersOfClasses)
    lines = columns([*((fact.label, fact.text) for fact in subject.facts if fact.label), ("engine", subject.work)])
    return answer(
        *(replace(fact, label="", cells=fact.cells if is_listed else {}) for fact in about),
        rows=[one.row for one in answers],
        listed="points",
        after=said,
        notes=[*lines, subject.note, *notes],
        status=_status(answers),
    )


def _status(answers: Iterable[Answer]) -> int:
    """Return the exit status of a command: 1 where an answer is outside, 3 where one is not decided, else 0."""
    found = {_STATUS[one.check.verdict] for one in answers if one.check is not None}
    return next((status for status in (REFUTED, UNDECIDED) if status in found), HOLDS)


def _explanation(answers: Sequence[Answer], asked: str) -> Explanation:
    """Return what was computed, by which engine and theorem."""
    first, levels = answers[0], [one.level for one in answers]
    proofs = [None if one.ends is None else one.ends.theorem for one in answers]
    is_inverse = isinstance(first.least.asked, Fraction)
    return of_answers(first.subject, asked, levels, proofs, is_inverse=is_inverse, runs=first.composed)


def least_delta(
    subject: Subject,
    level: TypedLevel,
    relative_bits: int | None = None,
    *,
    exact: bool,
    budget: int = CONFIRM_BUDGET,
) -> Answer:
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
    return _answer(subject, Least(level, delta, relative_bits or BITS), pair, evidence, ends)


def least_eps(subject: Subject, delta: Fraction, *, exact: bool) -> Answer:
    """Return the least eps at a delta; ``exact`` asks for an e^eps of any length, and the checker confirms it."""
    eps, pair = subject.profile.epsilon_with_pair(delta, longest=None if exact else LONG_BITS)
    evidence = "enclosure"
    if isinstance(eps, xdp.LogRational):
        exp_eps = None if eps.is_infinite else eps.argument  # None: no finite eps has this delta
        evidence = _confirmed(subject.claim(exp_eps=exp_eps, delta=delta, least="exp_eps", budget=CONFIRM_BUDGET))
    ends = None if subject.profile.is_tight else TwoEnds.of_eps(subject, eps, pair)
    return _answer(subject, Least(delta, eps), pair, evidence, ends)


def _answer(subject: Subject, least: Least, pair: AttainingPair | None, level: str, ends: TwoEnds | None) -> Answer:
    evidence = f"{level}: {least.support}, {subject.unchecked}"
    if level == "certificate":
        evidence = "certificate: confirmed by the standard-library checker"
    if ends is not None and level == "enclosure":
        evidence = "enclosure: both ends are proved and enclosed by the engine, not re-checked"
    worst = None if pair is None else subject.worst(pair)
    first, second = (None, None) if worst is None else worst.texts
    label, text = (
        "" if ends and not isinstance(subject, UsersOfClasses) else subject.label,
        subject.none if worst is None else worst.title,
    )
    cells = {"first": first, "second": second}
    if isinstance(subject, UsersOfClasses):
        cells["worst_class"] = None if worst is None else str(worst.user_class)
    attained = Fact(subject.key, worst and worst.data, label, text, cells)
    behind = [attained, *([] if ends is None else ends.facts)]
    return Answer(subject, least, behind, level, evidence, ends)


def _confirmed(claim: xdp.Claim | None) -> str:
    """Return "certificate" where the checker confirms the claim, "exact" where it is too large for it."""
    return "certificate" if claim is not None and confirm(claim) else "exact"


def confirm(claim: xdp.Claim) -> bool:
    """Whether the checker proves the claim that an engine's answer makes; it may be too large for it."""
    certificate = xdp.certify(claim)
    if certificate.verdict is xdp.Verdict.REFUTED:
        raise AssertionError(f"an answer is refuted by its own certificate: {certificate.reason}")
    return certificate.level == "certificate"
