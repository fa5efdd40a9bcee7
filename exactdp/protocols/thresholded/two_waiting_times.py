"""Sample and threshold of several symbols, where one user replaces his symbol: two counts change, independently.

Of a + 1 and b holders of two symbols one changes from the first to the second, so that a + b < n. Let p_N be the law of
the release of N holders (:mod:`exactdp.protocols.thresholded.waiting_times`). With c = c(u) = p_(b+1)(u) / p_b(u),

    D(a, b) = H_E(p_(a+1) x p_b || p_a x p_(b+1)) = sum over u of p_b(u) h_(E c(u))(a),   h_F(a) = H_F(p_(a+1) || p_a).

Exchanging the symbols exchanges the orders, so that this is the worst of both where it is largest over all a and b.
Removing the symbol of an untouched count is post-processing: D(a, b) is at least h_E(a), the divergence of one count.

**Which a matter.** For any F > 0, h_F(a) rises up to a = floor((tau-1) / r) and falls from there on, r = 1 - (1-q) / F;
for F <= 1-q it is 1 - F. *Proof.* The ratio p_(a+1)(t) / p_a(t) = (a+1)(1-q) / (a+1-t) rises with t, and that of the
dropped outcome is a mean of those below tau. While (a+1) r < tau the best event is {t >= tau}, or everything:
h_F(a) = max(f(a), 1 - F) with f(a) = T(a+1) - F T(a), T(N) = P[X_N >= tau], and f(a) - f(a-1) is q (P[X_a = tau-1] - F
P[X_(a-1) = tau-1]), at least 0 iff a r <= tau - 1. From (a+1) r >= tau on the dropped outcome is in no best event: the
divergence is that of X_(a+1) and X_a themselves, where one more holder is post-processing, so it falls; and where the
two cases meet the best event is {t >= tau} for X too. QED. Here F = E c(u) >= E (1-q), so that D(a, b) rises up to
a = tau - 1, below which it is constant, and falls from A = floor((tau-1) E / (E-1)) on.

**Which b matter.** Likewise D(a, b) is the sum over t of p_(a+1)(t) H_G(p_b || p_(b+1)), G = E p_a(t) / p_(a+1)(t), and
H_G(p_b || p_(b+1)) = 1 - G + G h_(1/G)(b): it rises up to b = floor((tau-1) / s), s = 1 - (1-q) G, and falls from there
on; for s <= 0 it is 0. So no b beyond the largest of these counts. And D(a, b) is at most D of p_(a+1) x X_b and
p_a x X_(b+1), whose second count is not dropped, and which falls as b grows: b ends where this is below what is known.

What is left is scanned: first in fixed point, with every rounding charged, then exactly what that did not rule out.
*Both ends at any n.* Both counts together are a post-processing of two waiting times, (W, W' + 1) against (W + 1, W'),
by the theorem on one: two bins of a histogram with the noise W (:mod:`exactdp.privacy.noise.two_bins`) bound delta
above.

Source: BharadwajCormode2022, section 3 (the mechanism, while the theorems are this page's).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple

from exactdp.errors import TooLargeError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import about, short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.bracket_inverse import exp_eps_range_of_enclosed_ends
from exactdp.privacy.composition.law_pairs import FinitePair
from exactdp.privacy.composition.profile_pairs import Grid, SourceOfRuns
from exactdp.privacy.engine import Bound, DataSet, EnclosedEngine, Engine, ExpEpsRange, Level, Work, WorstEvent
from exactdp.privacy.noise.two_bins import LatticeJointShift
from exactdp.privacy.shuffle.scan import DEFAULT_LIMIT
from exactdp.progress import with_progress
from exactdp.protocols.thresholded.waiting_times import WaitingTimes

_STEPS: Final = 10**7
"""Most pairs of counts times their outcomes that are scanned: six seconds."""

_QUICK_STEPS: Final = 2 * 10**5
"""Most of them that are scanned where both ends would do: a second."""

_GUARD_BITS: Final = 64
"""Fixed point has so many bits below the divergence of one count; roundings cost twenty of them."""

_END_BITS: Final = 20
"""Each end is enclosed to 10^-6, as those of other brackets."""

_LEVEL_BITS: Final = 96
"""An irrational e^eps is replaced by a bound of so many bits, and each end stays on its side."""

_TABLES_KEPT: Final = 1024
"""Most tables in fixed point that are kept, each of some hundred numbers: a scan needs two for each count."""

_MOST_HOLDERS: Final = 4000
"""With more holders a table of one release takes more than a tenth of a second."""


class Release(NamedTuple):
    """The law of the release of some holders, in integers over one total weight.

    ``tails`` holds the weights of {at least t reports} for t from the threshold on.
    """

    holders: int
    threshold: int
    dropped: int
    tails: tuple[int, ...]

    def tail(self, t: int) -> int:
        """The weight of at least t reports, t at least the threshold."""
        return self.tails[t - self.threshold] if t <= self.holders else 0

    def at(self, t: int) -> int:
        """The weight of t reports."""
        return self.tail(t) - self.tail(t + 1)


def release(holders: int, threshold: int, rate: Fraction, bits: int | None = None) -> Release:
    """Return the law over v^holders, v the denominator of the rate, or rounded down over 2^bits."""
    sent, silent = rate.numerator, rate.denominator - rate.numerator
    total, weight, below = rate.denominator**holders, sent**holders, 0
    tails = []
    for t in range(holders, threshold - 1, -1):
        below += weight
        tails.append(below)
        weight = weight * t * silent // (sent * (holders - t + 1))
    rows, dropped = tails[::-1], total - below
    if bits is not None:
        rows, dropped = [(tail << bits) // total for tail in rows], (dropped << bits) // total
    return Release(holders, threshold, dropped, tuple(rows))


@lru_cache(maxsize=_TABLES_KEPT)
def _rounded(holders: int, threshold: int, rate: Fraction, bits: int) -> Release:
    return release(holders, threshold, rate, bits)


def masses(more: Release, fewer: Release, other: Release, other_more: Release, level: Fraction) -> tuple[int, int]:
    """Return the weights of a best event under more x other and under fewer x other_more, one holder between each two.

    In rounded weights an outcome with a dropped count may be judged wrongly, where the two sides nearly agree.
    """
    up, down = level.numerator, level.denominator
    a, b = more.holders, other_more.holders
    first = second = 0
    for u in range(other.threshold, other.holders + 1):
        p, q = other.at(u), other_more.at(u)
        # (a) (1-q) / (a - t) > E (b) (1-q) / (b - u)
        t = max(more.threshold, a * (up * b - down * (b - u)) // (up * b) + 1)
        first, second = first + p * more.tail(t), second + q * fewer.tail(t)
        if p * more.dropped * down > q * fewer.dropped * up:
            first, second = first + p * more.dropped, second + q * fewer.dropped
    p, q = other.dropped, other_more.dropped
    for t in range(more.holders, more.threshold - 1, -1):
        x, y = p * more.at(t), q * fewer.at(t)
        if x * down <= y * up:
            break
        first, second = first + x, second + y
    if p * more.dropped * down > q * fewer.dropped * up:
        first, second = first + p * more.dropped, second + q * fewer.dropped
    return first, second


class _Scanned(NamedTuple):
    """A pair of counts with bounds of its divergence."""

    a: int
    b: int
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True, eq=False)
class TwoWaitingTimes(Engine):
    """The engine for two counts of up to ``users`` holders together, of which one user changes both."""

    users: int
    rate: Fraction
    threshold: int
    limit: int

    name = "sample and threshold of two symbols"
    method = "compares two released counts that change together, where they are worst"
    scans_all_pairs = True

    @property
    def is_within_limit(self) -> bool:
        """Whether the scan is within its limit at every e^eps."""
        steps = self.work.steps
        assert steps is not None
        return steps <= min(self.limit, _STEPS)

    @property
    def work(self) -> Work:
        """Pairs of counts, and the outcomes of both, where each count can be the larger one."""
        pairs, outcomes = self.users * (self.users + 1) // 2, self.users + 1
        return Work(pairs, outcomes, pairs * outcomes)

    @property
    def one(self) -> WaitingTimes:
        """The engine of one count."""
        return WaitingTimes(self.users, self.rate, self.threshold, True)

    @property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio is below 2**b."""
        return 2 * max(self.one.ratio_bits, self.users.bit_length() + 1)

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worst pair of counts and event, exactly."""
        if exp_eps is None:  # only more reports than the smaller count can have: of tau holders all
            return self._event(self.threshold - 1, 0, None)
        scanned = list(self._scanned(exp_eps, None))
        least = max((one.lower for one in scanned), default=Fraction(0))
        if not least:
            return self._event(0, 0, exp_eps)
        events = [self._event(one.a, one.b, exp_eps) for one in scanned if one.upper >= least]
        return max(events, key=lambda event: event.delta(exp_eps))

    def quickly(self, exp_eps: Fraction) -> WorstEvent | None:
        """Return the worst event where a second is enough, else None."""
        firsts, seconds = self._most_first(exp_eps) - self.threshold + 2, self.threshold / self.rate
        if firsts * min(Fraction(self.users), seconds) ** 2 > _QUICK_STEPS:
            return None
        scanned = list(self._scanned(exp_eps, _QUICK_STEPS))
        if not scanned or scanned[-1].a < 0:
            return None
        least = max(one.lower for one in scanned)
        events = [self._event(one.a, one.b, exp_eps) for one in scanned if one.upper >= least]
        return max(events, key=lambda event: event.delta(exp_eps))

    def divergence(self, a: int, b: int, exp_eps: Fraction) -> Fraction:
        """Return the divergence of one pair of counts, exactly."""
        return max(Fraction(0), self._event(a, b, exp_eps).delta(exp_eps))

    def data_sets(self, a: int, b: int) -> tuple[DataSet, DataSet]:
        """Return the two data sets, by who holds nothing, the first symbol and the second one."""
        rest = self.users - 1 - a - b
        return (rest, a + 1, b), (rest, a, b + 1)

    def _event(self, a: int, b: int, exp_eps: Fraction | None) -> WorstEvent:
        """Return the best event of a pair of counts, exactly."""
        if self.users < self.threshold:  # nothing is ever released
            return WorstEvent(*self.data_sets(0, 0), Fraction(0), Fraction(0))
        if exp_eps is None:
            return WorstEvent(*self.data_sets(a, b), self.rate**self.threshold, Fraction(0))
        rows = [release(holders, self.threshold, self.rate) for holders in (a + 1, a, b, b + 1)]
        scale = self.rate.denominator ** (a + b + 1)
        first, second = masses(rows[0], rows[1], rows[2], rows[3], exp_eps)
        return WorstEvent(*self.data_sets(a, b), Fraction(first, scale), Fraction(second, scale))

    def _most_first(self, exp_eps: Fraction) -> int:
        """Return the largest a that matters."""
        last = self.users - 1
        return last if exp_eps == 1 else min(last, int((self.threshold - 1) * exp_eps / (exp_eps - 1)))

    def _scanned(self, exp_eps: Fraction, most_steps: int | None) -> Iterator[_Scanned]:
        """Yield every pair of counts that may be worst, with bounds; one of -1 where that takes too many steps."""
        single = self.one.delta(exp_eps)
        if not single:
            return  # fewer users than the threshold
        bits = _GUARD_BITS + single.denominator.bit_length() - single.numerator.bit_length()
        best, steps = Fraction(0), 0
        firsts = (0, *range(self.threshold - 1, self._most_first(exp_eps) + 1))
        for a in with_progress(firsts, len(firsts)):
            for b in self._seconds(a, exp_eps):
                one = self._bounded(a, b, self.threshold, exp_eps, bits)
                steps += a + b
                if most_steps is not None and steps > most_steps:
                    yield _Scanned(-1, -1, best, best)
                    return
                best = max(best, one.lower)
                if one.upper >= best:
                    yield one
                if b and b % self.threshold == 0 and self._bounded(a, b, 0, exp_eps, bits).upper < best:
                    break

    def _seconds(self, a: int, exp_eps: Fraction) -> Iterator[int]:
        """Yield the b that matter beside an a: 0, and from tau - 1 up to where all summands fall."""
        yield 0
        slopes = [1 - exp_eps * Fraction(a + 1 - t, a + 1) for t in range(self.threshold, a + 1)]
        ratio = Fraction(
            release(a, self.threshold, self.rate).dropped * self.rate.denominator,
            release(a + 1, self.threshold, self.rate).dropped or 1,
        )
        slopes.append(1 - (1 - self.rate) * exp_eps * ratio)
        rising = [slope for slope in slopes if slope > 0]
        if rising:
            last = min(self.users - 1 - a, int((self.threshold - 1) / min(rising)))
            yield from range(max(1, self.threshold - 1), last + 1)

    def _bounded(self, a: int, b: int, second_threshold: int, exp_eps: Fraction, bits: int) -> _Scanned:
        """Return bounds of the divergence in fixed point, the second count being dropped below another threshold.

        Each of at most a + 2 b + 8 products errs by at most 3 units on each side, and as much where one is misjudged.
        """
        thresholds = (self.threshold, self.threshold, second_threshold, second_threshold)
        holders = (a + 1, a, b, b + 1)
        rows = [_rounded(held, drop, self.rate, bits) for held, drop in zip(holders, thresholds, strict=True)]
        first, second = masses(rows[0], rows[1], rows[2], rows[3], exp_eps)
        value = Fraction(first, 1 << 2 * bits) - exp_eps * Fraction(second, 1 << 2 * bits)
        error = 6 * (1 + exp_eps) * Fraction(a + 2 * b + 8, 1 << bits)
        return _Scanned(a, b, value - error, value + error)


@dataclass(frozen=True, eq=False)
class ThresholdBracket(EnclosedEngine):
    """Both ends for two counts together at any n: a pair of counts, and the waiting times of both."""

    scan: TwoWaitingTimes

    name = "two waiting times"
    method = "bounds two released counts by their waiting times, and from below by one pair of counts"
    theorem = "two waiting times, of which both counts together are a post-processing"
    is_bracket = True
    usual_bits = _END_BITS
    work = Work()

    refusal = (
        "delta of two symbols together is known between two proved ends here. Ask for delta and epsilon, which give "
        "both, or use fewer users."
    )

    def exp_eps_range(self, target: Fraction, relative_bits: int | None = None) -> ExpEpsRange:
        """Return two numbers with e^eps at a target delta between them."""
        return exp_eps_range_of_enclosed_ends(self, target, relative_bits or self.usual_bits)

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Return both ends; where few pairs of counts matter they are all compared, and the ends meet."""
        return _kept_bracket(self, exp_eps, relative_bits)

    def _lower_end(self, exp_eps: Fraction) -> tuple[int, int, Fraction]:
        """Return a pair of counts and its divergence: the worst first count, with none or many of the second."""
        scan = self.scan
        holders = scan.one.holders(Real(exp_eps), upper=False)
        if holders is None:
            return 0, 0, Fraction(0)
        a, best = holders - 1, (holders - 1, 0, scan.one.delta(exp_eps))
        middle = int(scan.threshold / scan.rate)
        seconds = {min(b, scan.users - 1 - a) for b in (middle // 2, middle, 3 * middle // 2)}
        for b in sorted(seconds):
            if max(a, b) <= _MOST_HOLDERS and b >= 0 and (value := scan.divergence(a, b, exp_eps)) > best[2]:
                best = a, b, value
        return best

    def _upper_end(self, exp_eps: Real, low: Fraction, relative_bits: int) -> Interval:
        """Enclose the bound by two waiting times, or where these are too wide by basic composition."""
        scan = self.scan
        if scan.users < scan.threshold:
            return Interval.around(0, relative_bits=1)
        if scan.rate == 1:
            return Interval.around(1, relative_bits=1)
        try:
            joint = LatticeJointShift(scan.one.wait, *scan.data_sets(0, 0))
            return joint.enclosed(exp_eps, relative_bits).delta
        except TooLargeError:
            half = scan.one.bracket(Real(_root_below(low)), relative_bits).delta
            twice = Interval(_doubled(half.lower), _doubled(half.upper))
            return Interval(min(twice.lower, _ONE), min(twice.upper, _ONE))


_ONE: Final = Dyadic.of(1)


def _doubled(value: Dyadic) -> Dyadic:
    return Dyadic.of(value.mantissa, value.exponent + 1)


def _root_below(value: Fraction) -> Fraction:
    """Return a number from 1 on whose square is at most a value from 1 on, and nearly it."""
    low, high = Fraction(1), max(value, Fraction(1))
    for _ in range(_GUARD_BITS):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle <= value else (low, middle)
    return low


@lru_cache(maxsize=256)
def _kept_bracket(engine: ThresholdBracket, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
    scan = engine.scan
    if exp_eps is None:
        return scan.bracket(None, relative_bits)
    if exp_eps.is_rational:
        low = high = exp_eps.coefficient
    else:
        ends = enclose_real(exp_eps, relative_bits=_LEVEL_BITS)
        low, high = max(Fraction(1), ends.lo), ends.hi
    worst = scan.quickly(high) if low == high else None
    if worst is not None:
        delta = Interval.around(max(Fraction(0), worst.delta(high)), relative_bits=relative_bits)
        return scan.known(worst.first, worst.second, delta)
    a, b, value = engine._lower_end(high)
    lower = Interval.around(value, relative_bits=relative_bits)
    upper = engine._upper_end(exp_eps, low, relative_bits)
    return Bound(lower, upper, scan.data_sets(a, b), engine.theorem, Level.TWO_ENDS)


_SHORT_BITS: Final = 2**12
"""Probabilities of counts that are longer are not listed."""


@dataclass(frozen=True, slots=True)
class ThresholdPairs(SourceOfRuns):
    """All neighbouring data sets of users whose symbols are sampled, counted and dropped below a threshold."""

    rate: Fraction
    threshold: int
    symbols: int
    users: int
    neighbors: Neighbors
    limit: int = DEFAULT_LIMIT

    @property
    def subject(self) -> str:
        """What is run, in words."""
        counts = "a count" if self.symbols == 1 else f"{about(self.symbols)} counts"
        return f"{counts}, sampled at {short(self.rate)} and dropped below {short(self.threshold)}, n = {self.users}"

    @property
    def scope(self) -> str:
        """Which pairs of data sets the supremum is over, in words."""
        return f"all {self.neighbors.value} pairs of data sets, both orders"

    @property
    def changes_two(self) -> bool:
        """Whether two symbols can change at once."""
        return self.symbols > 1 and self.neighbors is Neighbors.REPLACE_ONE

    @property
    def inputs(self) -> tuple[int, ...]:
        """What the positions of a data set stand for: no symbol, and the symbols that change."""
        return (0, 1, 2) if self.changes_two else (0, 1)

    def plan(self) -> Engine:
        """Choose the engine."""
        if self.changes_two:
            exact = TwoWaitingTimes(self.users, self.rate, self.threshold, self.limit)
            return exact if exact.is_within_limit else ThresholdBracket(exact)
        return self._of_one_count

    @property
    def _of_one_count(self) -> WaitingTimes:
        return WaitingTimes(self.users, self.rate, self.threshold, self.neighbors is Neighbors.REPLACE_ONE)

    def pairs_from_below(self, points: Grid, level: Fraction) -> tuple[FinitePair, ...]:
        """Return the pairs of one count that are worst at a level, where they are short.

        Where one symbol becomes another, nobody else holds that one: one report of it is dropped below 2.
        """
        if self.rate == 1 or (self.changes_two and self.threshold == 1):
            return ()
        worst = {self._of_one_count.holders(Real(level), upper=upper) for upper in (False, True)}
        short = sorted(m for m in worst if m and m * self.rate.denominator.bit_length() <= _SHORT_BITS)
        return tuple(pair for holders in short for pair in _of_holders(holders, self.rate, self.threshold))


@lru_cache(maxsize=64)
def _of_holders(holders: int, rate: Fraction, threshold: int) -> tuple[FinitePair, ...]:
    """Return both orders of the released count of so many holders against that of one less."""
    silent, laws = rate.denominator - rate.numerator, []
    for less in (0, 1):
        m, scale = holders - less, rate.denominator**less
        masses = [comb(m, t) * rate.numerator**t * silent ** max(0, m - t) * scale for t in range(holders + 1)]
        laws.append([sum(masses[:threshold]), *masses[threshold:]])
    orders = (zip(*laws, strict=True), zip(*laws[::-1], strict=True))
    return tuple(FinitePair.of_weights(dict(enumerate(both)), rate.denominator**holders) for both in orders)
