"""Two-message randomizers at any size: every user sends exactly one of two messages, and replaces an input.

An input u is only its probability p(u) of sending 1. The pair of views is affine in each user's row and the divergence
is jointly convex, so that the worst data sets use the inputs with a = min p and b = max p alone. What is left is the
number k of other users with probability b, one of two orders, and a threshold: with the user who differs at b against
a, the worst events are {ones > m}; in the other order they are {zeros > m}, and the same formulas hold for 1 - b and
1 - a. ``privacy/two_messages/worst_half_lines.py`` compares all of them; what its balls do not tell apart
is compared exactly.

Three cases need no search. delta is 0 in an order with b <= E a, where no event of one user has P above E Q. With
a = 0 or b = 1 the view can tell: beside others who never send 1 the event {ones > 0} has P = b and Q = 0, and no data
set exceeds b, which is the divergence of one user's message (and likewise 1 - a for b = 1). And for 0 < a < b < 1 every
event that is possible for one data set is possible for its neighbour, so that delta at infinity is 0.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import Final, NamedTuple

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.binomial import Binomial
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import about
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real, as_real
from exactdp.numbers.splitting import TwoCoins, over_power
from exactdp.privacy.curves import Curves, coin_curves
from exactdp.privacy.engine import Bound, DataSet, Engine, WorstEvent
from exactdp.privacy.shuffle.structure import Structure
from exactdp.privacy.two_messages.worst_half_lines import HalfLine, TwoRates, worst_half_lines


def half_line_masses(others: int, k: int, low: Fraction, high: Fraction, m: int) -> tuple[Fraction, Fraction]:
    """Return P[G + Ber(high) > m] and P[G + Ber(low) > m] for G = Bin(k, high) + Bin(others - k, low).

    Args:
        others: N, at least 0.
        k: from 0 to N.
        low: 0 < low < 1.
        high: 0 < high < 1.
        m: from 0 to N.

    Cost: O(M(n log n) log n) bit operations for n steps from the nearer end; at n = 10^5 users with low = 1/10 and
    high = 9/10, 40 ms for k = N and m = 9N/10, 0.2 s for k = N/2 and m = N/2.
    """
    common = TwoCoins(k, high, others - k, low)
    scale = common.denominator
    point, tail = common.point_and_tail(m)
    first, second = (over_power(int(p * scale) * point + scale * tail, scale, others + 1) for p in (high, low))
    return first, second


MAX_WEIGHT_BITS: Final = 2**21
"""Most bits of a probability times its denominator that exact masses are built for."""

_FEW_WEIGHT_BITS: Final = 2**14
"""Up to here exact lines lead to eps faster than enclosures."""

_ZERO: Final = Interval.around(0, relative_bits=1)
_EXTREME: Final = 10**5
"""Numbers below 2 to minus this are not looked at."""

_MANY_USERS: Final = 10**4
"""From so many users on one pair is much cheaper than the worst of all."""

_TELLING_BITS: Final = 128
"""What agrees to so many bits is compared exactly."""


class Order(NamedTuple):
    """The user who differs has the larger probability of the counted message under the first data set."""

    low: Fraction | Real
    high: Fraction | Real
    counts_zeros: bool

    def masses(self, others: int, half_line: HalfLine) -> tuple[Fraction, Fraction]:
        """Return the probabilities of an event under the two data sets, for rational chances."""
        assert isinstance(self.low, Fraction)
        assert isinstance(self.high, Fraction)
        return half_line_masses(others, half_line.k, self.low, self.high, half_line.m)


@dataclass(frozen=True, eq=False)
class TwoMessageScan(Engine):
    """The engine for all pairs of ``users`` users whose P[1] is ``low`` or ``high``, ``low`` < ``high``.

    ``low_input`` and ``high_input`` are the positions of these two among ``inputs`` inputs. ``mirrored`` states that
    ``high`` = 1 - ``low``, which is found out by itself only for Fractions.
    """

    users: int
    low: Fraction | Real
    high: Fraction | Real
    inputs: int = 2
    low_input: int = 0
    high_input: int = 1
    mirrored: bool = False

    name = "two messages"
    method = "compares all half-lines of the count of one message, beside every number of other users"
    encloses = True

    @classmethod
    @relies_on(
        "two_bundles.two_bundles",
        "two_messages.two_messages_private",
        "exchanged_messages.down_is_up",
        "exchanged_messages.excluded_message",
    )
    def of(cls, structure: Structure, users: int) -> TwoMessageScan | None:
        """Return the engine of a reduced table, or None where its views are not counts of one of two messages."""
        laws = [law for i, law in structure.differing if i is not None]
        if len(laws) < 2 or len(laws) < len(structure.differing) or structure.dimension != 1:
            return None
        if any(not law.keys() <= {(0,), (1,)} for law in laws):
            return None
        chances = [(Fraction(law.get((1,), 0), structure.denominator), i) for i, law in structure.differing]
        (low, i), (high, j) = min(chances, key=lambda c: c[0]), max(chances, key=lambda c: c[0])
        assert i is not None
        assert j is not None
        return cls(users, low, high, structure.inputs, i, j)

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities are rational and short enough to be built."""
        return self._weight_bits is not None and (self._tells or self._weight_bits <= MAX_WEIGHT_BITS)

    @property
    def _weight_bits(self) -> int | None:
        if not (isinstance(self.low, Fraction) and isinstance(self.high, Fraction)):
            return None
        return self.users * lcm(self.low.denominator, self.high.denominator).bit_length()

    @property
    def encloses_faster(self) -> bool:
        """Whether eps at a delta is found faster by enclosures than by exact lines."""
        return not self.is_exact or (self._weight_bits or 0) > _FEW_WEIGHT_BITS

    @cached_property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio is below 2**b.

        For 0 < a < b < 1 the ratio is at most that of one message. For a = 0 the ratio at t ones beside k others at b
        is (1 - b)(k + 1) / (k + 1 - t), or its inverse; for b = 1 likewise.
        """
        bounds = [Real(self.users)] if self._tells else []
        if not self._never:
            bounds.append(as_real(self.high / self.low, name="ratio"))
        if not self._always:
            bounds.append(as_real((1 - self.low) / (1 - self.high), name="ratio"))
        return max(enclose_real(bound, relative_bits=1).upper.magnitude for bound in bounds) + 1

    @property
    def _never(self) -> bool:
        return as_real(self.low, name="low") == Real(0)

    @property
    def _always(self) -> bool:
        return as_real(self.high, name="high") == Real(1)

    @property
    def _tells(self) -> bool:
        """Whether some message is impossible for some input."""
        return self._never or self._always

    @property
    def _orders(self) -> list[Order]:
        """The two orders, or the first where the second is the same family of pairs with other names."""
        forward = Order(self.low, self.high, False)
        rational = isinstance(self.low, Fraction) and isinstance(self.high, Fraction)
        if self.mirrored or (rational and self.low + self.high == 1):
            return [forward]
        return [forward, Order(1 - self.high, 1 - self.low, True)]

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return a worst pair and event over all data sets in both orders, exactly; the first of equals."""
        events = self.attaining(exp_eps)
        return events[0] if events else self._event(HalfLine(0, 0), False, (Fraction(0), Fraction(0)))

    def lower_bound(self, exp_eps: Real, relative_bits: int) -> Interval | None:
        """Enclose the divergence of one pair of many users from below: all others hold the same input.

        P(T > m) - E Q(T > m) = alpha g(m) - (E - 1) P[G > m] with alpha = b - E a and G binomial, so two weights and
        two tails tell; 0 where nothing above is found.
        """
        if self.users <= _MANY_USERS:
            return None
        best = _ZERO
        for low, high, _ in self._orders:
            if not (isinstance(low, Fraction) and isinstance(high, Fraction)) or low == 0 or high == 1:
                continue
            exp = enclose_real(exp_eps, relative_bits=relative_bits).hi
            alpha = high - exp * low
            if alpha <= 0:
                continue
            rho = (alpha + exp - 1) / alpha
            for chance in (low, high):
                others = Binomial(self.users - 1, chance)
                m = int((self.users - 1) * chance * rho / (1 - chance + chance * rho))
                for place in (m, m + 1):
                    mass = others.pmf(place, relative_bits=relative_bits).lower
                    tail = others.sf(place, relative_bits=relative_bits).upper
                    if mass.magnitude < -_EXTREME or tail.magnitude < -_EXTREME:
                        continue
                    excess = alpha * mass.fraction() - (exp - 1) * tail.fraction()
                    if best.compare(excess) == -1:
                        best = Interval.around(excess, relative_bits=relative_bits)
        return Interval(best.lower, Dyadic.of(1))

    def curves(self) -> Curves:
        """Return the curves of all data sets of the two extreme inputs, in each order."""
        low, high = self._exact_chances()
        total = lcm(low.denominator, high.denominator)
        coins = [(int(total * low), int(total * high))]
        if len(self._orders) > 1:  # the other message is counted
            coins.append((total - coins[0][1], total - coins[0][0]))
        curves = chain.from_iterable(coin_curves(self.users, low, high, total) for low, high in coins)
        return Curves(total**self.users, self.users * len(coins), curves)

    def attaining(self, exp_eps: Fraction | None) -> list[WorstEvent]:
        """Return every pair of data sets of the two extreme inputs, in the order that attains delta, with an event.

        Empty where delta is 0, which every pair attains. Pairs where the user counts more ones under the first data
        set come first, each by the number of other users who hold the input whose message is counted.

        Raises:
            TooLargeError: where probabilities are irrational or too long to be built.
        """
        self._exact_chances()
        if self._tells:
            return self._telling(exp_eps)
        if exp_eps is None:
            return []
        events = [
            self._event(half_line, order.counts_zeros, order.masses(self.users - 1, half_line))
            for order, half_line in self.candidates(Real(exp_eps), _TELLING_BITS)[1]
        ]
        deltas = [event.delta(exp_eps) for event in events]
        best = [event for event, delta in zip(events, deltas, strict=True) if delta == max(deltas)]
        if len(self._orders) == 1:
            best += [self._renamed(event) for event in best]
        return _each_pair_once(best)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Enclose delta; ``exp_eps`` None stands for infinity.

        Raises:
            TooLargeError: where there are too many users to compare all data sets.
            UndecidedError: for irrational probabilities with b so near E a that their order is not decided.
        """
        if self._tells:
            side = self.high if self._never else 1 - self.low
            event = self._telling_event(0, counts_zeros=not self._never, masses=(Fraction(0), Fraction(0)))
            delta = enclose_real(as_real(side, name="delta"), relative_bits=relative_bits)
            return self.known(event.first, event.second, delta)
        delta, candidates = (_ZERO, []) if exp_eps is None else self.candidates(exp_eps, relative_bits)
        order, half_line = candidates[0] if candidates else (self._orders[0], HalfLine(0, 0))
        event = self._event(half_line, order.counts_zeros, (Fraction(0), Fraction(0)))
        return self.known(event.first, event.second, delta)

    def candidates(self, exp_eps: Real, relative_bits: int) -> tuple[Interval, list[tuple[Order, HalfLine]]]:
        """Enclose delta for 0 < a < b < 1, and list the orders and events that may attain it; none where it is 0.

        Raises:
            TooLargeError: where there are too many users to compare all data sets.
        """
        orders: list[tuple[Interval, Order, list[HalfLine]]] = []
        for order in self._orders:
            low, high = as_real(order.low, name="low"), as_real(order.high, name="high")
            if compare_reals(high, exp_eps * low) > 0:
                rates = TwoRates(self.users - 1, low, high, exp_eps)
                value, half_lines = worst_half_lines(rates, relative_bits)
                orders.append((value, order, half_lines))
        delta = _ZERO
        for value, _, _ in orders:
            delta = Interval.maximum(delta, value)
        candidates = [
            (order, half_line)
            for value, order, half_lines in orders
            if value.upper.compare(delta.lower) >= 0
            for half_line in half_lines
        ]
        return delta, candidates

    def _event(self, half_line: HalfLine, counts_zeros: bool, masses: tuple[Fraction, Fraction]) -> WorstEvent:
        """Return the event beside ``half_line.k`` others who hold the first data set's own input."""
        own, other = (self.low_input, self.high_input) if counts_zeros else (self.high_input, self.low_input)
        return WorstEvent(self._data_set(own, other, half_line.k + 1), self._data_set(own, other, half_line.k), *masses)

    def _data_set(self, own: int, other: int, count: int) -> DataSet:
        counts = [0] * self.inputs
        counts[own], counts[other] = count, self.users - count
        return tuple(counts)

    def _renamed(self, event: WorstEvent) -> WorstEvent:
        """Exchange the two inputs, and with them the two messages."""

        def exchanged(data_set: DataSet) -> DataSet:
            return self._data_set(self.low_input, self.high_input, data_set[self.high_input])

        return WorstEvent(exchanged(event.first), exchanged(event.second), event.mass_first, event.mass_second)

    def _telling(self, exp_eps: Fraction | None) -> list[WorstEvent]:
        """The same for a = 0 or b = 1: pairs whose worst event has all that one user's message can tell.

        P(T) - E Q(T) <= alpha g(m) <= alpha, so alpha = b - E a is attained only where the sum of the others is
        constant, m; and alpha is the larger of the two orders only in the order with a = 0, or for E = 1 in both.
        """
        one, none = Fraction(1), Fraction(0)
        low, high = self._exact_chances()
        if self._never and self._always:
            return [self._telling_event(k, zeros, (one, none)) for zeros in (False, True) for k in range(self.users)]
        last = self.users - 1
        if self._never:
            events = [self._telling_event(0, False, (high, none))]
            return events + ([self._telling_event(last, True, (one, 1 - high))] if exp_eps == 1 else [])
        events = [self._telling_event(0, True, (1 - low, none))]
        return ([self._telling_event(last, False, (one, low))] if exp_eps == 1 else []) + events

    def _telling_event(self, k: int, counts_zeros: bool, masses: tuple[Fraction, Fraction]) -> WorstEvent:
        return self._event(HalfLine(k, k), counts_zeros, masses)

    def _exact_chances(self) -> tuple[Fraction, Fraction]:
        """Return the two probabilities, or refuse what has no exact masses."""
        if not (isinstance(self.low, Fraction) and isinstance(self.high, Fraction)):
            raise TooLargeError(
                f"{self.name}: the probabilities are irrational, so no exact masses can be built. Ask for delta, which "
                "encloses it to any accuracy."
            )
        if not self.is_exact:
            raise TooLargeError(
                f"{self.name}: weights of {about(self.users)} users have {about(self._weight_bits or 0)} bits, the "
                f"limit is {MAX_WEIGHT_BITS}. Use fewer users, or ask for delta with relative_bits, which encloses it."
            )
        return self.low, self.high


def _each_pair_once(events: list[WorstEvent]) -> list[WorstEvent]:
    """Of two events that attain delta for one pair in one order keep the first."""
    kept: dict[tuple[DataSet, DataSet], WorstEvent] = {}
    for event in events:
        kept.setdefault((event.first, event.second), event)
    return list(kept.values())
