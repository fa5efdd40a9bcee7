"""Answers of a profile together with what attains them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval


@dataclass(frozen=True, slots=True)
class WorstPair:
    """A pair of neighbouring data sets (input -> number of users) whose divergence at ``exp_eps`` is ``delta``."""

    first: dict[Any, int] = field(hash=False)
    second: dict[Any, int] = field(hash=False)
    exp_eps: Fraction
    delta: Fraction | Interval

    def __repr__(self) -> str:
        delta = short(self.delta) if isinstance(self.delta, Fraction) else self.delta
        shown = f"exp_eps={short(self.exp_eps)}, delta={delta}"
        return f"WorstPair(first={self.first!r}, second={self.second!r}, {shown})"


@dataclass(frozen=True, slots=True)
class AttainingPair:
    """A pair of neighbouring data sets (input -> number of users), in the worse order, that attains an answer.

    Args:
        first, second: the two data sets.
        exp_eps: the e^eps at which no other pair is proved to be worse: that of the question, a dyadic number just
            below it where it is irrational, or None for infinity.
    """

    first: dict[Any, int] = field(hash=False)
    second: dict[Any, int] = field(hash=False)
    exp_eps: Fraction | Dyadic | None

    @property
    def user_class(self) -> int | None:
        """The class of the user who differs, where a data set has one mapping for each class of users; else None."""
        if isinstance(self.first, dict):
            return None
        each = enumerate(zip(self.first, self.second, strict=True))
        return next(place for place, (one, other) in each if one != other)


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two proved ends of delta.

    Args:
        lower, upper: each a Fraction, or an Interval that encloses that end: delta is at least ``lower`` and at most
            ``upper``, whatever both are enclosed by.
        attained_by: the pair of data sets whose divergence is ``lower``, with the rational e^eps at which it was found;
            or a sentence that says among which data sets there is a pair; None if delta is 0.
        theorem: what proves the upper end: "exact: <engine>", or a theorem.
        is_closed: whether the two ends are proved to be equal.
    """

    lower: Fraction | Interval
    upper: Fraction | Interval
    attained_by: WorstPair | str | None
    theorem: str
    is_closed: bool

    @property
    def delta(self) -> Interval:
        """From the lower end to the upper end: delta is in it."""
        lower, upper = (
            Interval.around(end, relative_bits=DEFAULT_RELATIVE_BITS) if isinstance(end, Fraction) else end
            for end in (self.lower, self.upper)
        )
        return Interval(lower.lower, upper.upper)

    def is_at_most(self, delta: Fraction) -> bool | None:
        """Whether delta is proved to be at most this number, True, or above it, False; None where neither is."""
        if is_at_most(self.upper, delta):
            return True
        return False if is_at_most(self.lower, delta) is False else None

    def keeps_open(self, delta: Fraction) -> bool:
        """Whether the number is proved to lie between the ends, so that no accuracy tells on which side delta is."""
        return is_at_most(self.lower, delta) is True and is_at_most(self.upper, delta) is False


def is_at_most(value: Fraction | Interval, bound: Fraction) -> bool | None:
    """Whether a number, or what an Interval encloses, is at most a bound; None where that is not proved either way."""
    if isinstance(value, Fraction):
        return value <= bound
    if value.upper.compare(bound) <= 0:
        return True
    return False if value.lower.compare(bound) > 0 else None


def is_zero(delta: Fraction | Interval) -> bool:
    """Whether delta is 0."""
    return delta.upper.mantissa == 0 if isinstance(delta, Interval) else delta == 0


class AttainedDelta(NamedTuple):
    """The least delta, and a pair that attains it; None if delta is 0 or there is only one data set."""

    delta: Fraction | Interval
    pair: AttainingPair | None


class AttainedEpsilon(NamedTuple):
    """The least eps, and a pair that allows no smaller one; None if eps is 0, or if none was found."""

    epsilon: LogRational | Interval
    pair: AttainingPair | None
