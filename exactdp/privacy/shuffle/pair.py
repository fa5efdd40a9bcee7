"""One pair of neighbouring data sets, exactly, at sizes where the scan of all pairs is out of reach.

Three ways, chosen from the rows that the two data sets use:

* *Coins.* Every row has two outcomes, one unit apart, and the bystanders use at most two rows. The likelihood ratio is
  monotone, so the worst event is a half-line, and its threshold is known up to one unit from a tilted mean. The masses
  come by binary splitting. With g the law of the bystanders' sum, P = g * Ber(b), Q = g * Ber(a), a < b and
  alpha = b - E a > 0, the event {T > m} has P - E Q = alpha g(m) - (E-1) P[G > m]. Tilting g by
  rho = (E (1-a) - (1-b)) / alpha gives a Poisson-binomial law whose modes are the optimal m; a mode differs from the
  mean by less than 1.
* *Multinomial.* Every user sends one message and all bystanders hold one input, as below.
* *Packed.* Everything else, as one packed integer.

Where all bystanders hold one input, and every user's outcome is one symbol, the view is multinomial times a linear
form. With s_j the bystanders' chance of symbol j, x_j that of the user who differs, and M the multinomial law of n
draws from s, the view has P(c) = M(c) / n * sum_j c_j x_j / s_j. So P - E Q is M times a linear form in the counts. For
given counts of all symbols but two, it is positive on a half-line of the second-last count, and its sum there is a
prefix sum of binomial weights (t C(m,t) = m C(m-1,t-1) takes care of the factor t). One pass over the counts of the
other symbols does it.

For three symbols the end of the half-line is a linear function of the count of the first, so that the prefix sum walks
along with it, a few products at each step. For more, two rows of prefix sums are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import comb, lcm, prod
from typing import Final, TypeAlias

from exactdp.caching import cached_property
from exactdp.errors import InvalidDataSetError, TooLargeError
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.formats import about
from exactdp.numbers.packed import MAX_PACKED_BITS, Packing, Term
from exactdp.numbers.splitting import TwoCoins
from exactdp.privacy.curves import Curves, likelihood_curve
from exactdp.privacy.engine import DataSet, Engine, WorstEvent
from exactdp.privacy.shuffle.products import AnyLaw, SparsePacking, one_product
from exactdp.privacy.shuffle.structure import Chart, CountLaw, count_laws, slot_terms
from exactdp.progress import report_progress

Weights: TypeAlias = tuple[int, ...]
"""The integer weight of each symbol."""

Form: TypeAlias = tuple[int, ...]
"""The coefficients of a linear form in the counts."""


def _multinomial_terms(users: int, symbols: int) -> int:
    """Return the number of counts of all symbols but two that ``_multinomial_masses`` visits."""
    return comb(users + symbols - 2, symbols - 2)


def _multinomial_masses(
    first: Weights, second: Weights, others: Weights, users: int, ratio: tuple[int, int]
) -> tuple[int, int]:
    """Return the weights under P and Q of the counts where P > c/d Q, over the ``users``-th power of the denominator.

    ``others`` are the weights of the ``users - 1`` bystanders, all positive.
    """
    unit = lcm(*others)
    forms = [tuple(x * unit // s for x, s in zip(row, others, strict=True)) for row in (first, second)]
    sign = tuple(ratio[1] * x - ratio[0] * y for x, y in zip(*forms, strict=True))
    inner, outer = others[-2:], others[:-2]
    walking = _Head(*inner) if len(outer) <= 1 else None
    totals = [0, 0]
    shorter = [0]
    for left in range(users + 1):
        if walking is None:
            sums = _prefix_sums(left, inner)
        else:
            walking.move_size(left)
        choose = comb(users, left)
        for counts, weight in _multinomial(users - left, outer):
            low, high = _positive_range(sum(a * c for a, c in zip(sign, counts, strict=False)), sign[-2:], left)
            if low > high:
                continue
            if walking is None:
                plain = sums[high + 1] - sums[low]
                moment = left * inner[0] * (shorter[high] - shorter[max(low - 1, 0)]) if left else 0
            else:
                plain, moment = walking.between(low, high)
            for index, form in enumerate(forms):
                base = sum(a * c for a, c in zip(form, counts, strict=False))
                value = (base + left * form[-1]) * plain + (form[-2] - form[-1]) * moment
                totals[index] += choose * weight * value
        if walking is None:
            shorter = sums
        report_progress(left + 1, users + 1)
    return totals[0] // (users * unit), totals[1] // (users * unit)


class _Head:
    """The sum H(m, h) of the binomial weights T(m, t) = C(m, t) x^t y^(m - t) over t <= h, which walks with m and h."""

    __slots__ = ("h", "m", "sum", "term", "x", "y")

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y
        self.m, self.h, self.sum, self.term = 0, 0, 1, 1

    def move_size(self, m: int) -> None:
        """Go to a larger m: H(m+1, h) = (x + y) H(m, h) - x T(m, h)."""
        while self.m < m:
            self.m += 1
            self.sum = (self.x + self.y) * self.sum - self.x * self.term
            self.term = self.term * self.m * self.y // (self.m - self.h)

    def between(self, low: int, high: int) -> tuple[int, int]:
        """Return the sums of T(m, t) and t T(m, t) over low <= t <= high, where low = 0 or high = m."""
        if low == 0:
            return self._upto(high)
        plain, moment = self._upto(low - 1)
        both = self.x + self.y
        return both**self.m - plain, self.m * self.x * both ** (self.m - 1) - moment

    def _upto(self, h: int) -> tuple[int, int]:
        """The two sums over t <= h. With H(m, h) = (x + y) H(m-1, h-1) + y T(m-1, h), the second is m x H(m-1, h-1)."""
        while self.h < h:
            self.term = self.term * (self.m - self.h) * self.x // ((self.h + 1) * self.y)
            self.h += 1
            self.sum += self.term
        while self.h > h:
            self.sum -= self.term
            self.term = self.term * self.h * self.y // ((self.m - self.h + 1) * self.x)
            self.h -= 1
        return self.sum, self.x * (self.m * self.sum - self.term * (self.m - self.h)) // (self.x + self.y)


def _prefix_sums(size: int, inner: Weights) -> list[int]:
    """Return the sums over t < i of C(size, t) x^t y^(size - t), for i = 0, ..., size + 1."""
    x, y = inner
    powers = list(accumulate([y] * size, lambda total, factor: total * factor, initial=1))
    weights, coefficient = [], 1
    for t in range(size + 1):
        weights.append(coefficient * powers[size - t])
        coefficient = coefficient * (size - t) * x // (t + 1)
    return list(accumulate(weights, initial=0))


def _multinomial(total: int, weights: Weights) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (counts, total! / prod counts! * prod weights^counts) over all counts with this total."""
    if not weights:
        if total == 0:
            yield (), 1
        return
    if len(weights) == 1:
        yield (total,), weights[0] ** total
        return
    factor = 1
    for count in range(total + 1):
        for rest, weight in _multinomial(total - count, weights[1:]):
            yield (count, *rest), factor * weight
        factor = factor * (total - count) * weights[0] // (count + 1)


def _positive_range(base: int, slopes: Form, size: int) -> tuple[int, int]:
    """Return the ends of {t in 0..size : base + t * slopes[0] + (size - t) * slopes[1] > 0}; empty as (0, -1)."""
    constant, slope = base + size * slopes[1], slopes[0] - slopes[1]
    if slope == 0:
        return (0, size) if constant > 0 else (0, -1)
    if slope > 0:
        return max(0, -constant // slope + 1), size
    return 0, min(size, (constant - 1) // -slope)


_COIN_BITS: Final = 2**25
"""Most bits of a weight that binary splitting is started on: about 8 million users at a denominator of 8."""

_MULTINOMIAL_WORK: Final = 10**8
"""Most 64-bit words of all terms of a multinomial sum."""

_MOST_LISTED: Final = 10**6
"""Most outcomes that are listed one by one, where views as integers would be mostly zeros."""

Masses = tuple[Fraction, Fraction]
"""(P(T), Q(T)) of an event T."""


@dataclass(frozen=True, eq=False)
class OnePair(Engine):
    """The engine for one unordered pair of neighbouring data sets, in both orders."""

    randomizer: Randomizer
    first: DataSet
    second: DataSet

    name = "one pair"
    method = "compares the laws of the two data sets"

    def __post_init__(self) -> None:
        common = sum(map(min, self.first, self.second))
        changed = max(sum(self.first), sum(self.second)) - common
        if changed != 1:
            raise InvalidDataSetError(
                f"the data sets differ in {changed} users and are no neighbours. "
                "Give two data sets that differ in one user."
            )
        self._rows.check_size()

    @cached_property
    def ratio_bits(self) -> int:
        """Weights are integers of at most this many bits."""
        return self._rows.denominator.bit_length() * max(sum(self.first), sum(self.second))

    @cached_property
    def _rows(self) -> PairRows:
        return PairRows.of(self.randomizer, self.first, self.second)

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worse order and its worst event, exactly."""
        forward, backward = self._rows.worst_masses(exp_eps)
        events = (WorstEvent(self.first, self.second, *forward), WorstEvent(self.second, self.first, *backward))
        return max(events, key=lambda event: event.delta(exp_eps))

    def curves(self) -> Curves | None:
        """Return the curves of the two orders; None where the views are too many outcomes to be listed."""
        packing = self._rows.packing(None)
        if packing.slots * packing.width > MAX_PACKED_BITS:
            return None
        first, second = (dict(view.weights()) for view in views_of(self._rows, packing.law, packing.point()))
        outcomes = sorted(first.keys() | second.keys())
        weights = [(first.get(y, 0), second.get(y, 0)) for y in outcomes]
        curves = (likelihood_curve(order) for order in (weights, [(q, p) for p, q in weights]))
        return Curves(self._rows.denominator**self._rows.users, 2, curves)


@dataclass(frozen=True)
class PairRows:
    """The rows that a pair uses, over chart coordinates: the two that differ, and the bystanders' with counts."""

    denominator: int
    first: CountLaw
    second: CountLaw
    bystanders: tuple[tuple[CountLaw, int], ...]

    @classmethod
    def of(cls, randomizer: Randomizer, first: DataSet, second: DataSet) -> PairRows:
        laws, denominator = count_laws(randomizer)
        absent: CountLaw = {(0,) * len(randomizer.alphabet): denominator}
        common = tuple(map(min, first, second))
        used = [(laws[i], count) for i, count in enumerate(common) if count]
        sides = (zip(laws, side, common, strict=True) for side in (first, second))
        own = [next((law for law, count, shared in side if count > shared), absent) for side in sides]
        chart = Chart.of(vector for law in (*own, *(law for law, _ in used)) for vector in law)

        def charted(law: CountLaw) -> CountLaw:
            return {chart.coordinates(vector): weight for vector, weight in law.items()}

        return cls(denominator, charted(own[0]), charted(own[1]), tuple((charted(law), count) for law, count in used))

    def worst_masses(self, exp_eps: Fraction | None) -> tuple[Masses, Masses]:
        """Return (P(T), Q(T)) of the worst event, and (Q(T), P(T)) of the worst event of the other order."""
        if exp_eps is not None and (coins := self.coins()) is not None:
            common, first, second = coins
            return _coin_masses(common, first, second, exp_eps), _coin_masses(common, second, first, exp_eps)
        ratio = None if exp_eps is None else (exp_eps.numerator, exp_eps.denominator)
        if ratio is not None and (symbols := self.symbols()) is not None:
            x, y, others = symbols
            scale = self.denominator**self.users
            forward = _multinomial_masses(x, y, others, self.users, ratio)
            backward = _multinomial_masses(y, x, others, self.users, ratio)
            return _over(forward, scale), _over(backward, scale)
        return packed_masses(self, ratio)

    def check_size(self) -> None:
        """Refuse what the way that will be taken cannot reach, before it starts."""
        bits = self.users * self.denominator.bit_length()
        if self.coins() is not None:
            if bits > _COIN_BITS:
                raise TooLargeError(
                    f"one pair (coins): weights of {about(self.users)} users have {about(bits)} bits, the limit is "
                    f"{_COIN_BITS}. Use fewer users or probabilities with shorter denominators."
                )
        elif (symbols := self.symbols()) is not None:
            terms = _multinomial_terms(self.users, len(symbols[0]))
            if terms * (1 + bits // 64) > _MULTINOMIAL_WORK:
                raise TooLargeError(
                    f"one pair (multinomial): {about(terms * (1 + bits // 64))} words ({about(terms)} terms of "
                    f"{about(bits)} bits), the limit is {_MULTINOMIAL_WORK}. Use fewer users or fewer messages."
                )

    @property
    def users(self) -> int:
        """The number of users, the one that differs included."""
        return 1 + sum(count for _, count in self.bystanders)

    @property
    def dimension(self) -> int:
        return len(next(iter(self.first)))

    @cached_property
    def extents(self) -> tuple[int, ...]:
        own = [max(v[j] for law in (self.first, self.second) for v in law) for j in range(self.dimension)]
        return tuple(
            1 + own[j] + sum(count * max(v[j] for v in law) for law, count in self.bystanders)
            for j in range(self.dimension)
        )

    @property
    def outcomes(self) -> int:
        """A bound of the outcomes of a view: the ways in which all users can have what they send."""
        ways = prod(comb(count + len(law) - 1, count) for law, count in self.bystanders)
        return ways * max(len(self.first), len(self.second))

    def packing(self, ratio: tuple[int, int] | None) -> Packing:
        return Packing(
            slots=prod(self.extents),
            denominator=self.denominator,
            users=self.users,
            multiplier_bits=0 if ratio is None else max(ratio).bit_length(),
        )

    def coins(self) -> tuple[TwoCoins, Fraction, Fraction] | None:
        """Return the bystanders' law and P[1] of the two differing rows, where all rows are coins; else None."""
        laws = [self.first, self.second, *(law for law, _ in self.bystanders)]
        distinct = len(self.bystanders) <= 2 and all(law.keys() == {(0,), (1,)} for law in laws)
        if not distinct or not self.bystanders:
            return None
        chances = [Fraction(law[(1,)], self.denominator) for law in laws]
        counts = [count for _, count in self.bystanders]
        k, rest = counts[0], sum(counts[1:])
        return TwoCoins(k, chances[2], rest, chances[-1]), chances[0], chances[1]

    def symbols(self) -> tuple[Weights, Weights, Weights] | None:
        """Return the weights of each symbol in the two differing rows and in the bystanders' one, if it is that simple.

        Simple means: each user's outcome is one of finitely many symbols whose counts the view shows (the coordinates
        are 0 or one unit vector), all bystanders share one row, and that row allows every symbol.
        """
        laws = [self.first, self.second, *(law for law, _ in self.bystanders)]
        if len(self.bystanders) != 1 or any(sum(v) > 1 for law in laws for v in law):
            return None
        symbols = sorted({v for law in laws for v in law})
        first, second, others = (tuple(law.get(v, 0) for v in symbols) for law in laws)
        return (first, second, others) if len(symbols) >= 2 and all(others) else None


def _over(masses: tuple[int, int], scale: int) -> Masses:
    return Fraction(masses[0], scale), Fraction(masses[1], scale)


def _coin_masses(common: TwoCoins, b: Fraction, a: Fraction, exp_eps: Fraction) -> Masses:
    """Return (P(T), Q(T)) of the worst event for P = G * Ber(b) and Q = G * Ber(a).

    Source: Darroch1964, Theorem 4.
    """
    if b < a:  # count zeros instead of ones
        return _coin_masses(common.mirrored, 1 - b, 1 - a, exp_eps)
    alpha = b - exp_eps * a
    if alpha <= 0:
        return Fraction(0), Fraction(0)
    rho = (exp_eps * (1 - a) - (1 - b)) / alpha
    tilted = [p * rho / (1 - p + p * rho) for p in (common.b, common.a)]
    mean = common.k * tilted[0] + common.rest * tilted[1]
    low = mean.numerator // mean.denominator
    point, above, tail = common.two_points_and_tail(min(low, common.k + common.rest))
    candidates = (
        (tail + above + b * point, tail + above + a * point),  # T > low
        (tail + b * above, tail + a * above),  # T > low + 1
    )
    return max(candidates, key=lambda masses: masses[0] - exp_eps * masses[1])


def packed_masses(rows: PairRows, ratio: tuple[int, int] | None) -> tuple[Masses, Masses]:
    """Return the masses of the worst events of both orders: each view is one integer, or listed if that is too long."""
    packing = rows.packing(ratio)
    bits = packing.slots * packing.width
    if bits > MAX_PACKED_BITS and rows.outcomes > _MOST_LISTED:
        raise TooLargeError(
            f"one pair: a law of {about(packing.slots)} outcomes takes {about(bits)} bits, the limit is "
            f"{MAX_PACKED_BITS}. Use fewer users or fewer messages."
        )
    scale = rows.denominator**rows.users
    if bits > MAX_PACKED_BITS:
        listing = SparsePacking(rows.denominator)
        return both_masses(*views_of(rows, listing.law, listing.point()), ratio, scale)
    return both_masses(*views_of(rows, packing.law, packing.point()), ratio, scale)


def views_of(rows: PairRows, make: Callable[[Sequence[Term]], AnyLaw], point: AnyLaw) -> tuple[AnyLaw, AnyLaw]:
    """Return the two views; ``make`` makes laws of terms."""
    laws = [make(slot_terms(law, rows.extents)) for law, _ in rows.bystanders] or [point]
    counts = tuple(count for _, count in rows.bystanders) or (0,)
    common = one_product(laws, counts, dimension=rows.dimension)
    first, second = (common.times(make(slot_terms(law, rows.extents))) for law in (rows.first, rows.second))
    return first, second


def both_masses(first: AnyLaw, second: AnyLaw, ratio: tuple[int, int] | None, scale: int) -> tuple[Masses, Masses]:
    """Return the masses of the worst events of both orders, for weights over ``scale``."""
    return _over(first.event_masses(second, ratio), scale), _over(second.event_masses(first, ratio), scale)
