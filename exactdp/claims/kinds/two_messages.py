"""Claims about the privacy of randomizers of two messages: the two extreme inputs make the worst data sets.

The engine encloses the worst delta, and compares exactly what no enclosure tells apart. To prove, the checker goes
through all data sets by itself; to refute, it is told of one event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from exactdp.checker.limits import MAX_TERMS, MAX_USERS
from exactdp.claims.claim_subjects import users_of
from exactdp.claims.cost import comparison_work
from exactdp.claims.encoding import JsonObject, Table, choice, write_integer
from exactdp.claims.exact_levels import compared, taylor_bounds
from exactdp.claims.randomizer_specs import table_of
from exactdp.claims.statement import Decision, Level, Statement, Verdict, level_of, shown, undecided
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.protocols.interface import Protocol

if TYPE_CHECKING:
    from exactdp.privacy.two_messages.two_messages import TwoMessageScan
    from exactdp.privacy.two_messages.worst_half_lines import HalfLine

_FIRST_BITS: Final = (53, 256)
_MORE_BITS: Final = (1200, 4000)
"""Accuracies that are tried before an exact comparison, and where there is none."""
_EVENT_BITS: Final = 128
"""Events whose losses agree to so many bits are compared exactly."""


@dataclass(frozen=True, slots=True)
class TwoMessageDP(Statement, kind="two_message_dp"):
    """The same, with one of two messages from each user and for replace-one neighbours: all views are compared."""

    randomizer: Table
    n: int
    all_n: Annotated[bool, choice({False: "this n", True: "all n from n"})] = field(metadata={"key": "scope"})
    level: Level
    delta: Fraction

    @property
    def extremes(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest probability of message 1 over all inputs."""
        chances = [self.randomizer.count_law(x).get((0, 1), Fraction(0)) for x in range(len(self.randomizer.rows))]
        return min(chances), max(chances)

    @property
    def work(self) -> int | None:
        """A bound of the checker's work on comparing all data sets; None where it is too large."""
        return comparison_work(self.extremes, self.n, (self.level.exp_eps, self.delta))

    @classmethod
    @relies_on("two_message_checked.two_message_proved", "two_message_event.two_message_event")
    def of(
        cls,
        protocol: Protocol,
        *,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
        all_n_from: int | None = None,
    ) -> TwoMessageDP:
        """:meth:`shuffle_dp` of a randomizer with exactly one of two messages from each user, replacing one input.

        The checker compares every data set of the two extreme inputs exactly, so that no delta is too close: for up to
        10^5 users where probabilities are short, and 10^4 where they have 53 bits. Of more users the verdict is the
        engine's alone. The claim of :meth:`shuffle_dp` has the same check, and all others.

        Cost: the checker's work grows with n^2; for randomized response 0.02 s at n = 2000 and 0.3 s at 10^4, and with
        probabilities of 53 bits 0.5 s and 12 s.

        >>> from exactdp import Claim, ShuffleProtocol, randomized_response
        >>> protocol = ShuffleProtocol(randomized_response(2, gamma="1/2"), 2000)
        >>> Claim.two_message_dp(protocol, exp_eps="11/10", delta="1e-5").kind
        'two_message_dp'
        """
        level, bound = level_of(eps, exp_eps, delta, None)
        n = users_of(protocol) if all_n_from is None else as_integer(all_n_from, name="all_n_from", at_least=1)
        return cls(two_message_table(protocol), n, all_n_from is not None, level, bound)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether a randomizer of two messages is (eps, delta)-DP for n users, or for n and more."""
        return self.decided_by(self.first_verified)

    def decided_by(self, first_verified: Callable[[Verdict, str, Iterable[JsonObject]], Decision]) -> Decision:
        """Decide it, with the first witness that is verified."""
        from exactdp.privacy.two_messages.two_messages import TwoMessageScan
        from exactdp.privacy.two_messages.worst_half_lines import HalfLine

        low, high = self.extremes
        if low == high:
            return _decided(self, Fraction(0), [], first_verified)
        if low == 0 or high == 1:
            return _decided(self, high - low, [_Event(1 if low == 0 else 0, HalfLine(0, 0))], first_verified)
        scan = TwoMessageScan(self.n, low, high)

        def enclose(bits: int) -> Interval:
            return scan.candidates(self.level.real, bits)[0]

        try:
            sign, value = compared(enclose, self.delta, accuracies=_FIRST_BITS)
            if sign is None and (exact := _exact(self, scan)) is not None:
                return _decided(self, *exact, first_verified)
            if sign is None:
                sign, value = compared(enclose, self.delta, accuracies=_MORE_BITS)
            if sign is None:
                return undecided(f"The divergence {value} and delta = {short(self.delta)} are too close.")
            return _decided(self, value, list(_events(self, scan)) if sign > 0 else [], first_verified)
        except TooLargeError as error:
            return undecided(str(error))


def sends_one_of_two(table: Table) -> bool:
    """Whether every user sends exactly one of two messages."""
    return table.messages == 2 and all(len(send) == 1 for row in table.rows for send, _ in row)


def two_message_table(protocol: Protocol) -> Table:
    """Return the table of a randomizer that sends exactly one of two messages, or refuse another one."""
    table = table_of(protocol)
    if not sends_one_of_two(table):
        raise InvalidValueError(
            f"the randomizer has {table.messages} messages, and some user sends none, several, or one of more than "
            "two: this claim is about exactly one of two messages. Pass it to Claim.shuffle_dp."
        )
    return table


class _Event(NamedTuple):
    """More than ``half_line.m`` messages of this kind, beside ``half_line.k`` others who are likely to send it."""

    message: int
    half_line: HalfLine

    @property
    def words(self) -> str:
        return (
            f"more than {self.half_line.m} messages {self.message} where, beside the user who differs, those who are "
            f"likely to send it are {self.half_line.k}"
        )

    @property
    def witness(self) -> JsonObject:
        numbers = (("message", self.message), ("holders", self.half_line.k), ("above", self.half_line.m))
        return {name: write_integer(number) for name, number in numbers}


def _decided(
    claim: TwoMessageDP,
    value: Fraction | Interval,
    events: Sequence[_Event],
    first_verified: Callable[[Verdict, str, Iterable[JsonObject]], Decision],
) -> Decision:
    """Return the verdict, with the witness that the checker verifies, if there is one."""
    is_above = value > claim.delta if isinstance(value, Fraction) else value.compare(claim.delta) == 1
    verdict, reason = Verdict.REFUTED if is_above else Verdict.PROVED, f"The worst delta is {shown(value)}."
    if is_above and events:
        reason = f"{reason[:-1]}, of the event {events[0].words} of {claim.n - 1}."
    plain: list[JsonObject] = [event.witness for event in events] if is_above else [{}]
    terms = _terms(claim, value)
    decision = first_verified(verdict, reason, [{**terms, **witness} for witness in plain])
    if decision.witness is not None:
        grown = " Adding a user is post-processing." if claim.all_n and not is_above else ""
        return Decision(verdict, decision.witness, reason + grown)
    return Decision(
        verdict,
        None,
        f"{decision.reason} With fewer users or shorter probabilities it goes through all data sets; for up to n = "
        f"{MAX_USERS} Claim.shuffle_dp has certificates where delta is not that close.",
    )


def _exact(claim: TwoMessageDP, scan: TwoMessageScan) -> tuple[Fraction, list[_Event]] | None:
    """Return the worst delta and the events that attain it; None for an irrational e^eps, or numbers too long."""
    exp_eps = claim.level.exp_eps
    if exp_eps is None or not scan.is_exact:
        return None
    worst, attaining = Fraction(0), list[_Event]()
    for order, half_line in scan.candidates(claim.level.real, _EVENT_BITS)[1]:
        first, second = order.masses(claim.n - 1, half_line)
        loss = first - exp_eps * second
        if loss >= worst:
            attaining = [*(attaining if loss == worst else []), _Event(0 if order.counts_zeros else 1, half_line)]
            worst = loss
    return worst, attaining


def _events(claim: TwoMessageDP, scan: TwoMessageScan) -> Iterator[_Event]:
    """Return the events that may attain delta, by enclosures."""
    for order, half_line in scan.candidates(claim.level.real, _EVENT_BITS)[1]:
        yield _Event(0 if order.counts_zeros else 1, half_line)


def _terms(claim: TwoMessageDP, value: Fraction | Interval) -> JsonObject:
    """Return how many terms of the series of e^eps leave less of it than lies between the value and delta.

    Where already its partial sum is the ratio of one message, or more, no divergence is left.
    """
    eps = claim.level.eps
    if eps is None:
        return {}
    if isinstance(value, Fraction):
        gap = abs(value - claim.delta)
    elif value.compare(claim.delta / 2) == -1:  # the value may be too small to be written as a fraction
        gap = claim.delta / 2
    else:
        gap = max(value.lo - claim.delta, claim.delta - value.hi)
    low, high = claim.extremes
    harmless = None if low == 0 or high == 1 else max(high / low, (1 - low) / (1 - high))
    terms = 2 + int(eps)
    below, above = taylor_bounds(eps, terms)
    while above - below > gap and (harmless is None or below < harmless) and terms < MAX_TERMS:
        terms = min(MAX_TERMS, terms + 4)
        below, above = taylor_bounds(eps, terms)
    return {"terms": str(terms)}
