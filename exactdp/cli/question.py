"""The answers to questions about privacy, with the worst pair or order and the evidence behind them.

A question is about a subject (:mod:`exactdp.cli.subjects`), and its profile answers. Answers are exact if the
profile is and the fraction is of a length that can be used; elsewhere they are intervals, and never pretend to be more.
Where no exact engine reaches, an answer has two proved ends: what attains the lower, what proves the upper
(:class:`TwoEnds`). With --cross-check the same number comes from an independent computation, too, and it is said
whether it lies inside (:class:`CrossChecked`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import exactdp as xdp
from exactdp.cli.explanation import Explanation, of_answers
from exactdp.cli.failures import HOLDS, REFUTED, UNDECIDED
from exactdp.cli.output import Report, count, flat, number_cells, records
from exactdp.cli.progress_bars import working
from exactdp.cli.subjects import Subject, Worst
from exactdp.cli.values import BITS, TypedLevel
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import eps_json, eps_text
from exactdp.numbers.formats import decimal_text, exact_text, is_written_out, number_json, number_text
from exactdp.privacy.attained import AttainingPair, Bracket, WorstPair

_CHECK_DIGITS: Final = 30
"""More than an answer shows unless more are asked for."""
_STATUS: Final = {"inside": HOLDS, "outside": REFUTED, "undecided": UNDECIDED, "not computed": UNDECIDED}
"""Verdict -> exit status."""


@dataclass(frozen=True, slots=True)
class CrossChecked:
    """A second computation of an answer, in the forms of a command."""

    check: xdp.CrossCheck

    @classmethod
    def of(
        cls, profile: xdp.PrivacyProfile | xdp.ComposedProfile, question: dict[str, Any], answer: Any
    ) -> CrossChecked:
        """Compute the answer to a question again; ``question`` has eps, exp_eps or delta."""
        with working("the cross-check"):
            return cls(xdp.cross_check(profile, **question, answer=answer))

    @property
    def line(self) -> tuple[str, str]:
        """The verdict, for reading."""
        return "cross-check", str(self.check)

    @property
    def data(self) -> dict[str, Any]:
        """The verdict and what it rests on, as JSON data."""
        computed = self.check.lower is not None
        lower, upper = (_decimal(end) for end in (self.check.lower, self.check.upper))
        return {
            "verdict": self.check.verdict,
            "lower": lower,
            "upper": upper,
            "digits": count(self.check.digits) if computed else None,
            "method": self.check.method or None,
            "reason": self.check.reason or None,
            "steps": count(self.check.steps),
            "seconds": f"{self.check.seconds:.2f}",
        }


def worst_status(checks: Iterable[CrossChecked | None]) -> int:
    """Return the exit status of a command: 1 where an answer is outside, 3 where one is not decided, else 0."""
    found = {_STATUS[each.check.verdict] for each in checks if each is not None}
    return next((status for status in (REFUTED, UNDECIDED) if status in found), HOLDS)


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
    def lines(self) -> list[tuple[str, str]]:
        """The ends, with what attains the one and proves the other, for reading."""
        lower, upper, factor, attained, theorem = self.row
        proof = theorem if self.theorem is None else f"by {theorem}"
        return [
            ("lower end", f"{lower}, attained by {attained}"),
            ("upper end", f"{upper}, {proof}"),
            ("factor", factor),
        ]

    @property
    def row(self) -> tuple[str, str, str, str, str]:
        """Both ends, rounded outward, the factor, what attains the one and what proves the other, for reading."""
        if isinstance(self.lower, xdp.LogRational):
            lower = upper = "infinity" if self.lower.is_infinite else "0"
        else:
            lower = decimal_text(_low(self.lower), _DIGITS, up=False)
            upper = decimal_text(_high(self.upper), _DIGITS, up=True)
        by = self.attained_by
        attained = " against ".join(by.texts) if isinstance(by, Worst) else by or "nothing: it is the least there is"
        return lower, upper, self.factor, attained, self.theorem or "no finite number is enough"

    @property
    def factor(self) -> str:
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

    @property
    def data(self) -> dict[str, Any]:
        """The ends as JSON data."""
        by = self.attained_by
        return {
            "lower": self.as_data(self.lower),
            "upper": self.as_data(self.upper),
            "attained_by": by.data if isinstance(by, Worst) else by,
            "theorem": self.theorem,
            "is_closed": self.is_closed,
        }

    @property
    def cells(self) -> dict[str, Any]:
        """What attains and what proves the ends, as cells of CSV: the ends are those of the answer."""
        by = self.attained_by
        words = " against ".join(by.texts) if isinstance(by, Worst) else by
        return {"attained_by": words, "theorem": self.theorem, "is_closed": self.is_closed}


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


def confirm(claim: xdp.Claim) -> bool:
    """Whether the checker proves the claim that an engine's answer makes; it may be too large for it."""
    certificate = xdp.certify(claim)
    if certificate.verdict is xdp.Verdict.REFUTED:
        raise AssertionError(f"an answer is refuted by its own certificate: {certificate.reason}")
    return certificate.level == "certificate"
