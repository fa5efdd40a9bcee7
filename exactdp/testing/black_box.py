"""Two samplers of a black box: is it refuted that they are (eps, delta)-close?

The draws of each are cut into two halves. On one half events are *chosen*, by whatever looks promising; on the other
each chosen event T is *tested*: how often it was seen in N draws of the first is binomial, and so is it of the second,
so by Clopper and Pearson

    P(T) >= p and Q(T) <= q, but for a probability of 2 r,

for ends p and q that are proved for every N. Where p - e^eps q > delta, no pair of laws that is (eps, delta)-close
draws this, but for that probability. Then the halves are exchanged, and so are the two samplers, because privacy is
asked for in both orders. With three events each that is 2 * 2 * 3 tests of two ends: r is false_alarm / 24, so that by
the union bound a private black box is refuted with probability at most false_alarm. Choosing needs no proof: the chosen
events do not depend on the draws that test them.

Source: ClopperPearson1934.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate
from math import isqrt
from numbers import Real as AnyReal
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import decimal_text, short
from exactdp.testing.g_tests import as_false_alarm, shown
from exactdp.testing.session import tried

if TYPE_CHECKING:
    from numpy.random import Generator

_LEAST_ALARM: Final = Fraction(1, 10**198)
"""Smaller ones are refused: an end of Clopper and Pearson has a 24th of it, and is found down to 10^-200."""
_BITS: Final = 64
"""Accuracy of e^eps, which is rounded up."""
_KINDS: Final = 3
"""Events that are tested for each order and half: a half-line, a set of outcomes, a union of ranges."""
_RANGES: Final = 32
"""Ranges into which outcomes that hardly repeat are cut."""
_DOUBT: Final = 16
"""How many standard deviations, squared, a count is moved against the event when events are chosen."""
_SHOWN: Final = 5
"""Outcomes of an event that are named."""


def assert_not_refuted(
    sample_first: Callable[[int, Generator], Any],
    sample_second: Callable[[int, Generator], Any],
    *,
    delta: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    false_alarm: Exact = "1e-9",
    size: int = 20_000,
    seed: int | None = None,
) -> None:
    """Raise AssertionError where draws prove that two samplers are not (eps, delta)-close, but for a false alarm.

    For a black box M and two neighbouring data sets D and D', let the samplers draw from M(D) and M(D'). A failure
    means that P(T) > e^eps Q(T) + delta for the event T that it names, in the order that it names. Passing proves
    nothing: no event was found.

    Args:
        sample_first, sample_second: called as ``sampler(size, rng)``; each returns ``size`` independent outcomes: an
            array of numbers of shape (size,), of rows of numbers, or a list of any other outcomes. Floats are compared
            as the numbers that they are.
        delta: in [0, 1], exact.
        eps, exp_eps: one of them, as of ``is_private``; e^eps is rounded up.
        false_alarm: the probability that two samplers that are (eps, delta)-close fail is at most this for each seed
            that is tried; exact, from 10^-198 to below 1.
        size: draws of each, at least 2.
        seed: of the generators; by default that of the session, 0 unless pytest was given ``--exactdp-seed``.

    Raises:
        AssertionError: with the event, how often it was seen, the two ends and the lower bound of delta; the seed.
        InvalidValueError: for draws that are no outcomes, and a wrong number of them.

    >>> from exactdp.testing import assert_not_refuted
    >>> def geometric(count, p):
    ...     return lambda size, rng: count + rng.geometric(1 - p, size) - rng.geometric(1 - p, size)
    >>> assert_not_refuted(geometric(0, 1 / 2), geometric(1, 1 / 2), exp_eps=2, delta=0)
    >>> assert_not_refuted(geometric(0, 1 / 4), geometric(1, 1 / 4), exp_eps=2, delta=0)
    Traceback (most recent call last):
    exactdp.testing.session.SeededFailureError: refuted: the black box is not (eps, delta)-DP at e^eps = 2, delta = 0.
    ...

    Not seen: draws of one sampler that depend on each other, which the bounds assume they do not.

    Cost: that of the draws, sorting them, and up to 24 ends of Clopper and Pearson, some 20 ms each.

    Source: ClopperPearson1934.
    """
    __tracebackhide__ = True
    level, target = read_privacy_level(eps=eps, exp_eps=exp_eps), as_probability(delta, name="delta")
    risk = as_false_alarm(false_alarm)
    if risk < _LEAST_ALARM:
        raise InvalidValueError(f"false_alarm={short(risk)} is below the limit of 10^-198. Write 1e-9.")
    test = _Test(level, target, risk, as_integer(size, name="size", at_least=2))
    tried("assert_not_refuted", seed, lambda each: test.judge((sample_first, sample_second), each))


@dataclass(frozen=True, slots=True)
class Event:
    """A set of outcomes, in words."""

    words: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class _Test:
    """A question to a black box."""

    level: PrivacyLevel
    delta: Fraction
    false_alarm: Fraction
    size: int

    @property
    def exp_eps(self) -> Fraction:
        """e^eps, or a number just above it."""
        return self.level.exp_eps if self.level.exp_eps is not None else self.level.enclose(_BITS).hi

    def judge(self, samplers: Sequence[Callable[[int, Generator], Any]], seed: int) -> None:
        """Fail where an event of the draws under this seed refutes."""
        from exactdp.protocols.sampling.blocks import seeded
        from exactdp.testing.tallies import drawn_outcomes

        drawn = []
        for sampler, rng in zip(samplers, seeded(seed).spawn(2), strict=True):
            drawn.append(drawn_outcomes(sampler, size=self.size, rng=rng))
            if len(drawn[-1]) != self.size:
                raise AssertionError(f"a sampler returned {len(drawn[-1])} outcomes, not size={self.size}.")
        half = self.size // 2
        halves = [[outcomes[:half] for outcomes in drawn], [outcomes[half:] for outcomes in drawn]]
        for names, order in ((("first", "second"), 1), (("second", "first"), -1)):
            for (chosen, tested), half_words in zip((halves, halves[::-1]), ("second", "first"), strict=True):
                ours, others = chosen[::order]
                for event in promising(ours, others, self.exp_eps):
                    self._try(event, tested[::order], names, half_words)

    def _try(self, event: Event, drawn: Sequence[Sequence[Any]], names: tuple[str, str], half: str) -> None:
        """Fail where the event refutes on these draws."""
        from exactdp.laws.intervals import clopper_pearson

        tries = len(drawn[0])
        seen, other = (sum(map(event.holds, outcomes)) for outcomes in drawn)
        if Fraction(seen, tries) - self.exp_eps * Fraction(other, tries) <= self.delta:
            return  # and the bound is lower
        confidence = 1 - 2 * self.false_alarm / (4 * _KINDS * 2)
        low = clopper_pearson(seen, tries, confidence=confidence).lo
        if low - self.exp_eps * Fraction(other, tries) <= self.delta:
            return
        high = clopper_pearson(other, tries, confidence=confidence).hi
        bound = low - self.exp_eps * high
        if bound > self.delta:
            least, most, delta = (
                decimal_text(low, up=False),
                decimal_text(high, up=True),
                decimal_text(bound, up=False),
            )
            raise AssertionError(
                f"refuted: the black box is not (eps, delta)-DP at {self._level}, delta = {short(self.delta)}.\n"
                f"  event: {event.words}\n"
                f"  of {tries} draws of the {names[0]} sampler {seen} are in it: its probability is at least {least}\n"
                f"  of {tries} draws of the {names[1]} sampler {other}: its probability is at most {most}\n"
                f"  so delta is at least {delta}, but for false_alarm={shown(self.false_alarm)}; the event was chosen "
                f"on one half of size={self.size} draws, and tested on the {half} half."
            )

    @property
    def _level(self) -> str:
        if self.level.exp_eps is not None:
            return f"e^eps = {short(self.level.exp_eps)}"
        return f"eps = {short(self.level.eps or Fraction(0))}"


# --- Events that look promising ---------------------------------------------------------------------------------------


def promising(first: Sequence[Any], second: Sequence[Any], exp_eps: Fraction) -> Iterator[Event]:
    """Yield up to three events in which the first draws are more than ``exp_eps`` times as frequent as the second."""
    columns = list(_columns(first, second))
    lines = [found for column in columns for found in _half_lines(column, first, second, exp_eps)]
    ranges = [found for column in columns for found in _ranges(column, first, second, exp_eps)]
    for found in (lines, _sets(first, second, exp_eps), ranges):
        if best := max(found, key=lambda each: each[0], default=None):
            yield best[1]


_Scored = tuple[int, Event]


@dataclass(frozen=True, slots=True)
class _Column:
    """A number that an outcome has."""

    words: str
    read: Callable[[Any], Any]


def _columns(first: Sequence[Any], second: Sequence[Any]) -> Iterator[_Column]:
    """Yield the outcome where it is a number; of tuples of as many numbers, each of them and their sum."""
    outcomes = [*first, *second]
    if all(isinstance(outcome, AnyReal) for outcome in outcomes):
        yield _Column("outcome", _itself)
        return
    widths = {len(outcome) if isinstance(outcome, tuple) else None for outcome in outcomes}
    width = widths.pop()
    if widths or not width or not all(isinstance(value, AnyReal) for outcome in outcomes for value in outcome):
        return
    for j in range(width):
        yield _Column(f"outcome[{j}]", itemgetter(j))
    if width > 1:
        yield _Column("sum(outcome)", sum)


def _itself(outcome: Any) -> Any:
    return outcome


def _score(seen: int, other: int, exp_eps: Fraction) -> int:
    """Return seen - e^eps other, in 2^-20, where both counts are moved some standard deviations against the event."""
    least = (seen << 20) - isqrt(_DOUBT * seen << 40)
    most = (other + _DOUBT << 20) + isqrt(_DOUBT * other << 40)
    return least - exp_eps.numerator * most // exp_eps.denominator


def _scores(ours: Counter[Any], others: Counter[Any], ordered: Sequence[Any], exp_eps: Fraction) -> list[int]:
    """Return the score of the first, of the first two, ... of the outcomes."""
    seen = accumulate(ours[outcome] for outcome in ordered)
    other = accumulate(others[outcome] for outcome in ordered)
    return [_score(a, b, exp_eps) for a, b in zip(seen, other, strict=True)]


def _half_lines(column: _Column, first: Sequence[Any], second: Sequence[Any], exp_eps: Fraction) -> Iterator[_Scored]:
    """Yield the best {at least c} and the best {at most c}."""
    ours, others = (Counter(map(column.read, drawn)) for drawn in (first, second))
    values = sorted(ours.keys() | others.keys())
    for side, sign in (("at least", -1), ("at most", 1)):
        ordered = values[::sign]
        scores = list(zip(_scores(ours, others, ordered, exp_eps), ordered, strict=True))
        score, end = max(scores, key=lambda each: each[0])
        yield score, Event(f"{column.words} {side} {end!r}", _beyond(column, end, sign))


def _beyond(column: _Column, end: Any, sign: int) -> Callable[[Any], bool]:
    if sign < 0:
        return lambda outcome: bool(column.read(outcome) >= end)
    return lambda outcome: bool(column.read(outcome) <= end)


def _sets(first: Sequence[Any], second: Sequence[Any], exp_eps: Fraction) -> list[_Scored]:
    """Return the best set of outcomes that have the largest ratios."""
    score, chosen = _best_of(Counter(first), Counter(second), exp_eps)
    return [(score, Event(f"outcome in {_listed(chosen)}", frozenset(chosen).__contains__))] if chosen else []


def _ranges(column: _Column, first: Sequence[Any], second: Sequence[Any], exp_eps: Fraction) -> Iterator[_Scored]:
    """Yield the best union of ranges of a number."""
    values = sorted(map(column.read, [*first, *second]))
    ends = sorted({values[len(values) * k // _RANGES] for k in range(1, _RANGES)})

    def place(outcome: Any) -> int:
        return bisect_left(ends, column.read(outcome))

    score, chosen = _best_of(Counter(map(place, first)), Counter(map(place, second)), exp_eps)
    if chosen:
        words = [_range_words(ends, k) for k in sorted(chosen)]
        kept = frozenset(chosen)
        yield score, Event(f"{column.words} in {_listed(words, str)}", lambda outcome: place(outcome) in kept)


def _range_words(ends: Sequence[Any], k: int) -> str:
    low = f"({ends[k - 1]!r}" if k else "(-oo"
    return f"{low}, {ends[k]!r}]" if k < len(ends) else f"{low}, oo)"


def _best_of(ours: Counter[Any], others: Counter[Any], exp_eps: Fraction) -> tuple[int, list[Any]]:
    """Return the best of the sets of outcomes whose ratio of counts is above a bound, with its score."""

    def compare(one: Any, two: Any) -> int:
        left, right = (2 * ours[one] + 1) * (2 * others[two] + 1), (2 * ours[two] + 1) * (2 * others[one] + 1)
        return right - left

    ordered = sorted(ours, key=cmp_to_key(compare))
    scores = _scores(ours, others, ordered, exp_eps)
    last = max(range(len(scores)), key=scores.__getitem__)
    return scores[last], ordered[: last + 1]


def _listed(items: Sequence[Any], word: Callable[[Any], str] = repr) -> str:
    shown_items = ", ".join(map(word, items[:_SHOWN]))
    return f"{{{shown_items}}}" if len(items) <= _SHOWN else f"{{{shown_items}, ...}} ({len(items)} in all)"
