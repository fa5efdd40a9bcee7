"""Is a protocol as private as is said? Assertions decided exactly, whose failure shows the attack.

The decision is that of ``is_private``. Where it is no, the message names the pair of neighbouring data sets D and D',
an event T of the view, P_D(T) and P_D'(T), and P_D(T) - e^eps P_D'(T), which is above delta: anybody who has the two
laws can compute it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.laws.finite import Law
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_probability
from exactdp.numbers.formats import number_text, short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.privacy_decision import Asked, PrivacyDecision, is_private
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.protocol import ShuffleProtocol

_MOST_LISTED: Final = 20_000
"""Most outcomes of the view that are listed for the event."""
_MOST_USERS: Final = 2000
"""Most users for whom they are: the probabilities have as many digits."""
_SHOWN: Final = 5
"""Outcomes of an event that are named."""


def assert_shuffle_dp(
    randomizer: Randomizer | FamilyRandomizer,
    n: int,
    *,
    delta: Exact,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
) -> None:
    """Raise AssertionError where n shuffled users of a randomizer are not (eps, delta)-DP.

    Passing means that delta(eps) <= ``delta`` is proved for all neighbouring data sets in both orders; n counts the
    users who follow the protocol.

    Args:
        randomizer: what ``ShuffleProtocol`` takes: a table, also from a file, or a family.
        n: users, at least 1.
        delta: in [0, 1], exact.
        eps, exp_eps: one of them, as of ``is_private``.
        neighbors: replacement of one user, or one user more or less.

    Raises:
        AssertionError: with the pair of data sets, an event, its two probabilities and the exact value; where the view
            has too many outcomes to be listed, with the pair and the value.
        UndecidedError: where it could not be decided, and why: neither passed nor failed.

    >>> from exactdp import randomized_response
    >>> assert_shuffle_dp(randomized_response(2, gamma="1/2"), 10, exp_eps=2, delta="1/50")
    >>> assert_shuffle_dp(randomized_response(2, gamma="1/2"), 10, exp_eps=2, delta="1/100")
    Traceback (most recent call last):
    AssertionError: not (eps, delta)-DP at e^eps = 2, delta = 1/100, for n = 10 users:
      D  = {0: 10}
      D' = {0: 9, 1: 1}
      T  = views with at least 10 messages 0: 1 of 11 views
      P_D(T) = 59049/1048576 (0.05631352), P_D'(T) = 19683/1048576 (0.01877118)
      exact value: P_D(T) - e^eps P_D'(T) = 19683/1048576 (0.01877118), above delta = 1/100.

    Cost: as ``is_private``; a failure lists the two laws once more, below a second.

    Source: BartheOlmedo2013, Theorem 1.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    protocol, level = ShuffleProtocol(randomizer, n), read_privacy_level(eps=eps, exp_eps=exp_eps)
    question = _Question(
        protocol, protocol.privacy_profile(neighbors=neighbors), level, as_probability(delta, name="delta")
    )
    decision = question.decision
    if decision.is_private is None:
        raise UndecidedError(f"{question.words}: {decision.reason}")
    if not decision.is_private:
        raise AssertionError(f"not {question.words}:\n{question.attack(decision)}")


def assert_dp_curve(
    protocol: Asked, points: Mapping[Any, Exact], *, neighbors: Neighbors = Neighbors.REPLACE_ONE
) -> None:
    """Raise AssertionError where a protocol is not (eps, delta)-DP at some of the points of a curve.

    Args:
        protocol: what ``is_private`` takes: a ShuffleProtocol, an AdditiveProtocol, another value of
            ``exactdp.protocols``, or a profile: of noise (``shift_profile``), or of many runs (``compose``).
        points: eps -> delta, at least one; eps a rational number or a LogRational.
        neighbors: for a protocol; a profile has its own.

    Raises:
        AssertionError: with every point, which of them fail, and the attack of ``assert_shuffle_dp`` for the one whose
            delta is exceeded most.
        UndecidedError: where no point fails and some could not be decided.

    >>> from exactdp import DiscreteLaplace, LogRational, shift_profile
    >>> noise = shift_profile(DiscreteLaplace(2))
    >>> assert_dp_curve(noise, {LogRational(2): 0, "1/2": "1/8"})
    >>> assert_dp_curve(noise, {LogRational("3/2"): 0, "1/2": "1/8"})
    Traceback (most recent call last):
    AssertionError: 1 of 2 points of the curve fail:
      fails: at e^eps = 3/2 the least delta is 1/6, above 0.
      holds: at eps = 1/2 the least delta is in [0.1170929097, 0.1170929098], not above 1/8.
    the worst one: not (eps, delta)-DP at e^eps = 3/2, delta = 0:
    ...

    Cost: as ``is_private``, once for each point.

    Source: BartheOlmedo2013, Theorem 1.
    """
    __tracebackhide__ = True
    if not points:
        raise InvalidValueError("points is empty. Pass eps -> delta, such as {1: '1e-6'}.")
    profile = protocol
    if not isinstance(protocol, PrivacyProfile | ComposedProfile) and hasattr(protocol, "privacy_profile"):
        profile = protocol.privacy_profile(neighbors=neighbors)
    decided = []
    for eps, delta in points.items():
        level, target = read_privacy_level(eps=eps, exp_eps=None), as_probability(delta, name="delta")
        question = _Question(protocol, profile, level, target)
        decided.append((question, question.decision))
    failed = [(question, decision) for question, decision in decided if decision.is_private is False]
    undecided = [(question, decision) for question, decision in decided if decision.is_private is None]
    said = "\n".join(f"  {_VERDICTS[decision.is_private]}: {decision.reason}" for _, decision in decided)
    if failed:
        question, decision = max(failed, key=_excess)
        raise AssertionError(
            f"{len(failed)} of {len(decided)} points of the curve fail:\n{said}\n"
            f"the worst one: not {question.words}:\n{question.attack(decision)}"
        )
    if undecided:
        raise UndecidedError(f"{len(undecided)} of {len(decided)} points of the curve are not decided:\n{said}")


_VERDICTS: Final = {True: "holds", False: "fails", None: "not decided"}


def _excess(failed: tuple[_Question, PrivacyDecision]) -> Fraction:
    """Return by how much a delta is exceeded."""
    question, decision = failed
    assert decision.delta is not None
    least = decision.delta if isinstance(decision.delta, Fraction) else decision.delta.lo
    return least - question.delta


@dataclass(frozen=True, slots=True)
class _Attack:
    """A pair of data sets and an event of the view, with its two probabilities."""

    outcomes: str
    first: Fraction
    second: Fraction


@dataclass(frozen=True, slots=True)
class _Question:
    """Whether a protocol, if that is known, and its profile are private at one level."""

    protocol: Any
    profile: Any
    level: PrivacyLevel
    delta: Fraction

    @property
    def words(self) -> str:
        """The question in words."""
        exact = self.level.exp_eps
        at = f"e^eps = {short(exact)}" if exact is not None else f"eps = {short(self.level.eps or Fraction(0))}"
        users = f", for n = {self.protocol.users} users" if self._is_shuffled else ""
        return f"(eps, delta)-DP at {at}, delta = {short(self.delta)}{users}"

    @property
    def _is_shuffled(self) -> bool:
        return getattr(self.protocol, "is_shuffled_randomizer", False)

    @property
    def decision(self) -> PrivacyDecision:
        """The answer, with its reason."""
        return is_private(self.profile, delta=self.delta, **self.level.keywords, reason=True)

    def attack(self, decision: PrivacyDecision) -> str:
        """Say which pair and which event exceed delta, and by how much."""
        if not isinstance(self.profile, PrivacyProfile):
            return f"  {decision.reason}"
        ends = self.profile.bracket(**self.level.keywords)
        pair = ends.attained_by
        if pair is None or isinstance(pair, str):
            return f"  {decision.reason}" + (f"\n  attained by {pair}" if pair else "")
        sides = f"  D  = {pair.first!r}\n  D' = {pair.second!r}\n"
        event = self._event(pair.first, pair.second, pair.exp_eps)
        if event is None:
            divergence = number_text(pair.delta)
            return (
                f"{sides}  exact value: the divergence of this pair is {divergence}, above delta = {short(self.delta)}."
            )
        value = self._value(event)
        return (
            f"{sides}  T  = {event.outcomes}\n"
            f"  P_D(T) = {number_text(event.first)}, P_D'(T) = {number_text(event.second)}\n"
            f"  exact value: P_D(T) - e^eps P_D'(T) = {number_text(value)}, above delta = {short(self.delta)}."
        )

    def _value(self, event: _Attack) -> Fraction | Interval:
        if self.level.exp_eps is not None:
            return event.first - self.level.exp_eps * event.second
        value = Real(event.first) - self.level.real * event.second
        return enclose_real(value, relative_bits=DEFAULT_RELATIVE_BITS)

    def _event(self, first: dict[Any, int], second: dict[Any, int], exp_eps: Fraction) -> _Attack | None:
        """Return {P_D > e^eps P_D'} with its probabilities, where the two laws can be listed."""
        if not self._is_shuffled:
            return None
        p, q = (_law(self.protocol, dataset) for dataset in (first, second))
        if p is None or q is None:
            return None
        scale_p, scale_q = exp_eps.denominator * q.total, exp_eps.numerator * p.total
        excess = {v: scale_p * w - scale_q * q.weights.get(v, 0) for v, w in p.weights.items()}
        inside = {v for v, gap in excess.items() if gap > 0}
        mass_p, mass_q = (Fraction(sum(law.weights.get(v, 0) for v in inside), law.total) for law in (p, q))
        labels = self.protocol.tabulated.alphabet
        return _Attack(_event_words(inside, {*p, *q}, labels, excess.__getitem__), mass_p, mass_q)


def _law(protocol: ShuffleProtocol, dataset: dict[Any, int]) -> Law | None:
    """Return the law of the view of a data set, whatever number of users it has; None where it is not listed."""
    users = sum(dataset.values())
    try:
        table = protocol.tabulated
    except TooLargeError:
        return None
    most = max(len(sent) for row in table.table().values() for sent in row)
    if users > _MOST_USERS or comb(users * most + len(table.alphabet), len(table.alphabet)) > _MOST_LISTED**2:
        return None
    if users == 0:
        return Law({(0,) * len(table.alphabet): 1})
    law = ShuffleProtocol(table, users).law(dataset)
    return law if len(law) <= _MOST_LISTED else None


def _event_words(inside: set[Any], outcomes: set[Any], labels: tuple[Any, ...], excess: Callable[[Any], int]) -> str:
    """Say which views are in the event: by one count where that tells them apart, else by those that show most."""
    number = f"{len(inside)} of {len(outcomes)} views"
    for j, label in enumerate(labels):
        values = [view[j] for view in inside]
        for end, words in ((min(values), "at least"), (max(values), "at most")):
            half = {view for view in outcomes if (view[j] >= end if words == "at least" else view[j] <= end)}
            if half == inside:
                return f"views with {words} {end} messages {label!r}: {number}"
    most = sorted(inside, key=excess, reverse=True)[:_SHOWN]
    dots = ", ..." if len(inside) > len(most) else ""
    return f"{{{', '.join(map(str, most))}{dots}}}: {number}, as counts of {', '.join(map(repr, labels))}"
