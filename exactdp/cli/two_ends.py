"""The two proved ends of an answer where no exact engine reaches: what attains the lower, what proves the upper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import exactdp as xdp
from exactdp.cli.subjects import Subject, Worst
from exactdp.errors import TooLargeError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import eps_json
from exactdp.numbers.formats import decimal_text, number_json
from exactdp.privacy.attained import AttainingPair, Bracket, WorstPair

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
