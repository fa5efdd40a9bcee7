"""What a survey answers: one row for a protocol at one number of users, every number with its level.

A level is one of :data:`exactdp.evidence.levels.LEVELS`; "prose" is that of what a published theorem promises or asks
for, which nothing here computes from the protocol. Numbers are kept short: a fraction of a few digits as it is, any
other number as an interval of 53 bits that contains it, so that a stored row is the row itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

from exactdp.mechanisms.communication import Communication
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.formats import exact_text
from exactdp.numbers.interval import Interval
from exactdp.privacy.profile import PrivacyProfile

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

    ``messages`` is the expected number of messages of a user, ``most`` the largest or None, ``bits`` of one of them;
    ``delta`` is that of the protocol at the eps that was asked for, None where only errors were asked for; ``eps`` that
    at the delta, None also for the least noise that is enough, where it is the eps asked for, to the grid of the noise.
    ``error``, in people, is exceeded with at most the probability beta on every data set, and is the least such number,
    or an interval that contains it; ``promised`` is what a theorem says of it.
    """

    n: int
    parameters: tuple[tuple[str, Stated], ...]
    messages: Stated
    most: int | None
    bits: int
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
    """What a protocol says for itself, from which :func:`row_of` makes the row.

    Args:
        error: the optimal accuracy in people.
        communication: what one user sends.
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
    communication: Communication
    parameters: Mapping[str, Number | int]
    level: str
    profile: PrivacyProfile | None = None
    pure: Number | None = None
    promised: Number | None = None
    remark: str = ""
    delta: Number | None = None
    is_coarse: bool = False


def row_of(n: int, answer: Answer, *, eps: Fraction, delta: Fraction, with_privacy: bool) -> Row:
    """Return the row of an answer, with the privacy that the protocol really has."""
    told = answer.communication
    at_eps, at_delta = _privacy(answer, eps, delta) if with_privacy else (None, None)
    return Row(
        n,
        tuple((name, stated(_as_number(value), answer.level)) for name, value in answer.parameters.items()),
        stated(told.messages),
        told.most,
        told.bits,
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
    if isinstance(row, Unanswered):
        return {"n": str(row.n), "reason": row.reason}
    return {
        "n": str(row.n),
        "parameters": [[name, _written(value)] for name, value in row.parameters],
        "messages": _written(row.messages),
        "most": None if row.most is None else str(row.most),
        "bits": str(row.bits),
        "delta": _written(row.delta),
        "eps": _written(row.eps),
        "error": _written(row.error),
        "promised": _written(row.promised),
        "remark": row.remark,
    }


def read_row(data: Mapping[str, Any]) -> Row | Unanswered:
    """Return the row that was written; KeyError, TypeError or ValueError for what is no row."""
    if "reason" in data:
        return Unanswered(int(data["n"]), str(data["reason"]))
    return Row(
        int(data["n"]),
        tuple((str(name), _some(value)) for name, value in data["parameters"]),
        _some(data["messages"]),
        None if data["most"] is None else int(data["most"]),
        int(data["bits"]),
        _read(data["delta"]),
        _read(data["eps"]),
        _some(data["error"]),
        _read(data["promised"]),
        str(data["remark"]),
    )


def _written(number: Stated | None) -> dict[str, Any] | None:
    if number is None:
        return None
    if isinstance(number.value, Fraction):
        return {"exact": exact_text(number.value), "level": number.level}
    ends = (number.value.lower, number.value.upper)
    return {"ends": [[str(end.mantissa), str(end.exponent)] for end in ends], "level": number.level}


def _read(data: Mapping[str, Any] | None) -> Stated | None:
    return None if data is None else _some(data)


def _some(data: Mapping[str, Any]) -> Stated:
    if "exact" in data:
        return Stated(Fraction(data["exact"]), str(data["level"]))
    lower, upper = (Dyadic.of(int(mantissa), int(exponent)) for mantissa, exponent in data["ends"])
    return Stated(Interval(lower, upper), str(data["level"]))
