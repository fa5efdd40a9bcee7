"""Decides claims about randomizers of two messages: of all inputs, the two extreme ones make the worst data sets.

The engine encloses the worst delta, and compares exactly what no enclosure tells apart. To prove, the checker goes
through all data sets by itself; to refute, it is told of one event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from exactdp.checker.limits import MAX_TERMS, MAX_USERS
from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.decision import Decision, first_verified, shown, undecided
from exactdp.claims.decide.exact_levels import compared, taylor_bounds
from exactdp.claims.encoding import JsonObject, write_integer
from exactdp.claims.kinds import TwoMessageDP
from exactdp.errors import TooLargeError
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.two_messages.two_messages import TwoMessageScan
from exactdp.privacy.two_messages.worst_half_lines import HalfLine, ManyUsersError

_FIRST_BITS: Final = (53, 256)
_MORE_BITS: Final = (1200, 4000)
"""Accuracies that are tried before an exact comparison, and where there is none."""
_EVENT_BITS: Final = 128
"""Events whose losses agree to so many bits are compared exactly."""


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


def decide_two_message_dp(claim: TwoMessageDP) -> Decision:
    """Decide whether a randomizer of two messages is (eps, delta)-DP for n users, or for n and more."""
    low, high = claim.extremes
    if low == high:
        return _decided(claim, Fraction(0), [])
    if low == 0 or high == 1:
        return _decided(claim, high - low, [_Event(1 if low == 0 else 0, HalfLine(0, 0))])
    scan = TwoMessageScan(claim.n, low, high)

    def enclose(bits: int) -> Interval:
        try:
            return scan.candidates(claim.level.real, bits)[0]
        except ManyUsersError as error:
            if error.bracket.compare(claim.delta) is None:
                raise
            return error.bracket

    try:
        sign, value = compared(enclose, claim.delta, accuracies=_FIRST_BITS)
        if sign is None and (exact := _exact(claim, scan)) is not None:
            return _decided(claim, *exact)
        if sign is None:
            sign, value = compared(enclose, claim.delta, accuracies=_MORE_BITS)
        if sign is None:
            return undecided(f"The divergence {value} and delta = {short(claim.delta)} are too close.")
        return _decided(claim, value, list(_events(claim, scan)) if sign > 0 else [])
    except TooLargeError as error:
        return undecided(str(error))


def _decided(claim: TwoMessageDP, value: Fraction | Interval, events: Sequence[_Event]) -> Decision:
    """Return the verdict, with the witness that the checker verifies, if there is one."""
    is_above = value > claim.delta if isinstance(value, Fraction) else value.compare(claim.delta) == 1
    verdict, reason = Verdict.REFUTED if is_above else Verdict.PROVED, f"The worst delta is {shown(value)}."
    if is_above and events:
        reason = f"{reason[:-1]}, of the event {events[0].words} of {claim.n - 1}."
    plain: list[JsonObject] = [event.witness for event in events] if is_above else [{}]
    terms = _terms(claim, value)
    decision = first_verified(claim, verdict, reason, [{**terms, **witness} for witness in plain])
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
