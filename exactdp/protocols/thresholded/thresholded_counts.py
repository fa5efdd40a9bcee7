"""The optimal accuracy of sample and threshold: the worst of all numbers of holders, with the bias of what is dropped.

N of n users hold a symbol; X ~ Bin(N, q) of them report. The estimate is X / q where X >= tau, and 0 where it is less,
which errs by N. For an A >= 0 let h = q (N + A) and l = q (N - A). Then

    P[error > A] = P[X < max(tau, l) or X > h]   for N > A,        P[X > max(tau - 1, h)]   for N <= A,

and the least A for one N is 0, an error |t / q - N|, or N: a multiple of 1/u, for q = u/v in lowest terms. It does not
rise with N steadily, because counts are integers: it has to be found for the worst N.

*All N.* X grows with N in law. So for all N from N1 to N2, all above A,

    P[error > A] <= P[X_N1 < max(tau, q (N2 - A))] + P[X_N2 > q (N1 + A)],

and similarly for all N <= A. Blocks of N for which this is at most beta are done; others are halved, and a single N
that exceeds beta raises A to its own least error. Near n blocks are short, and they grow as the error falls behind:
some sqrt(n q) tests in all.

*At any n.* The least errors of n, and of the most holders whom the threshold drops with a probability above beta, bound
A from below. A little more than that is enough where longer blocks say so: of N2 holders the first N are N holders, and
Y = X_N2 - X_N - q (N2 - N) is independent of X_N. So for any s > 0

    P[X_N - q N > a] P[Y >= -s] <= P[X_N2 - q N2 > a - s],

and so for the other side. For s^2 >= 8 (V + s/3), where V = q (1-q) (N2 - N1), P[Y < -s] is at most e^-4 < 1/54, by
Bernstein's inequality. Blocks are some (A q)^2 long, and longer as the error falls behind: the number of tests
does not depend on n. Where that fails, A = max(a / q, N1) is enough, with Bernstein's a of n holders for beta/2 on each
side, and N1 the least N from which on P[X_N < tau] <= beta/2.

Source: BharadwajCormode2022, section 3 (the protocol, while the theorems are this page's); Hoeffding1963, Theorem 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final

from exactdp.laws.binomial import Binomial
from exactdp.laws.tails import bernstein_reach, binomial_tail_bound, ends, least_integer, outside_at_most
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import Interval
from exactdp.progress import report_progress

MAX_VARIANCE: Final = 10**4
"""The largest n q (1-q) where the worst N is found: tests grow with its root, and take five seconds there."""

_WIDER: Final = (Fraction(1, 50), Fraction(1, 10), Fraction(1, 3))
"""How much more than the lower end is tried as the upper end."""

_TESTS: Final = 1000
"""Most tests of one upper end: some seconds."""

_SLACK: Final = Fraction(54, 53)
"""1 / (1 - 1/54)."""

_TAIL_BITS: Final = 24
"""Accuracy of tails that only bound."""

_END_BITS: Final = 64
"""An end that is a fraction is rounded outward to more digits than are shown."""


def thresholded_accuracy(n: int, rate: Fraction, threshold: int, beta: Fraction) -> Fraction | Interval:
    """Return the least A with sup over N <= n of P[error > A] <= beta; between two ends for very many users.

    >>> thresholded_accuracy(10, Fraction(1, 2), 3, Fraction(1, 20))
    Fraction(10, 1)
    >>> thresholded_accuracy(1000, Fraction(1, 2), 20, Fraction(1, 20))
    Fraction(62, 1)
    """
    counts = _Counts(n, rate, threshold, beta)
    if n * rate * (1 - rate) > MAX_VARIANCE:
        return counts.two_ends()
    return Fraction(counts.worst(), rate.numerator)


@dataclass(frozen=True, slots=True)
class _Counts:
    """One question; errors are counted in units of 1/u."""

    n: int
    rate: Fraction
    threshold: int
    beta: Fraction

    def worst(self) -> int:
        """Return the least error that is enough for every N."""
        error = self._two_holders()
        pending, tests = [(0, error // self.rate.numerator), (error // self.rate.numerator + 1, self.n)], 0
        while pending:
            first, last = pending.pop()
            if first > min(last, self.n):
                continue
            last, tests = min(last, self.n), tests + 1
            report_progress(tests)
            split = error // self.rate.numerator
            if first <= split < last:  # the error has grown, or the block was made before it
                pending += [(first, split), (split + 1, last)]
            elif self._is_enough(first, last, error):
                continue
            elif first == last:
                error = self._least(first, error)
            else:
                middle = (first + last) // 2
                pending += [(first, middle), (middle + 1, last)]
        return error

    def two_ends(self) -> Interval:
        """Return the interval between two proved ends."""
        lower = Fraction(self._two_holders(), self.rate.numerator)
        if not 0 < self.beta < 1:
            upper = Fraction(0) if self.beta else self.n * max(Fraction(1), 1 / self.rate - 1)
            return Interval.between(lower, upper, bits=_END_BITS)
        for wider in _WIDER:
            error = (lower * (1 + wider) * self.rate.numerator).__ceil__()
            if self._is_enough_for_all(error):
                return Interval.between(lower, Fraction(error, self.rate.numerator), bits=_END_BITS)
        variance = self.n * self.rate * (1 - self.rate)
        reach = bernstein_reach(variance, Fraction(1), self.beta, relative_bits=DEFAULT_RELATIVE_BITS)
        upper = max(reach.hi / self.rate, Fraction(self._dropped(self.beta / 2) + 1))
        return Interval(Dyadic.below(lower, _END_BITS), Dyadic.above(upper, _END_BITS))

    def _is_enough_for_all(self, error: int) -> bool:
        """Whether long blocks show, in not too many tests, that an error is enough for every N."""
        split = error // self.rate.numerator
        pending, tests = [(0, min(split, self.n)), (split + 1, self.n)], 0
        while pending:
            first, last = pending.pop()
            tests += 1
            report_progress(tests)
            if first > last or self._is_enough_coupled(first, last, error):
                continue
            if first == last or tests + len(pending) > _TESTS:
                return False
            middle = (first + last) // 2
            pending += [(first, middle), (middle + 1, last)]
        return True

    def _is_enough_coupled(self, first: int, last: int, error: int) -> bool:
        """Whether the other bound, for longer blocks, is at most beta; all N are above A, or none."""
        varied = self.rate * (1 - self.rate) * (last - first)
        step = 3 + isqrt((2 + 8 * varied).__ceil__())  # s^2 - 8 s/3 >= 8 V, as s = 3 + r and r^2 > 8 V + 1
        law, middle, reach = Binomial(last, self.rate), self.rate * last, Fraction(error, self.rate.denominator)
        chance = _above(law, middle + reach - step)
        if first * self.rate.numerator > error:
            dropped = _below(Binomial(first, self.rate), Fraction(self.threshold))
            chance += max(dropped, _below(law, middle - reach + step) * _SLACK) / _SLACK
        return chance * _SLACK <= self.beta

    def _two_holders(self) -> int:
        """Return the larger of the least errors of n holders, and of the most that the threshold drops too often."""
        return max(self._least(holders, -1) for holders in (self.n, self._dropped(self.beta)))

    def _dropped(self, chance: Fraction) -> int:
        """Return the largest N up to n whose count is dropped with a probability above ``chance``, or 0."""

        def is_released(holders: int) -> bool:
            return outside_at_most(Binomial(holders, self.rate), self.threshold, holders, chance)

        if not is_released(self.n):
            return self.n
        return least_integer(is_released, int(self.threshold / self.rate), above=0, high=self.n) - 1

    def _least(self, holders: int, above: int) -> int:
        """Return the least error above a number that is enough for one N; one that is exceeded too often."""
        sent, total = self.rate.numerator, self.rate.denominator
        most = holders * max(sent, total - sent)
        if most <= above + 1:
            return max(most, above + 1)
        guess = max(above + 1, isqrt(4 * holders * sent * (total - sent)))
        law, known = Binomial(holders, self.rate), dict[tuple[int, int], bool]()

        def is_enough(error: int) -> bool:  # many errors in units of 1/u allow the same counts
            counts = self._allowed(holders, holders, error)
            if counts not in known:
                known[counts] = outside_at_most(law, *counts, self.beta)
            return known[counts]

        return least_integer(is_enough, guess, above=above, high=most)

    def _allowed(self, first: int, last: int, error: int) -> tuple[int, int]:
        """Return the least and the greatest count with an error of at most A, of all N from first to last."""
        sent, total = self.rate.numerator, self.rate.denominator
        highest = (first * sent + error) // total
        if first * sent <= error:
            return 0, max(self.threshold - 1, highest)
        return max(self.threshold, -((error - last * sent) // total)), highest

    def _is_enough(self, first: int, last: int, error: int) -> bool:
        """Whether the bound of P[error > A] for all N from first to last is at most beta; all above A, or none."""
        lowest, highest = self._allowed(first, last, error)
        if first == last:
            return outside_at_most(Binomial(last, self.rate), lowest, highest, self.beta)
        if lowest > highest:
            return False
        below = _below(Binomial(first, self.rate), Fraction(lowest)) if lowest else 0
        return below + _above(Binomial(last, self.rate), Fraction(highest)) <= self.beta


def _above(law: Binomial, place: Fraction) -> Fraction:
    """Return a number at least P[Y > place], and near it."""
    k = place.__floor__()
    if law.variance <= MAX_VARIANCE and law.mean <= k + 1 <= law.n and 0 < law.p < 1:
        return binomial_tail_bound(law.n, law.p, k + 1)
    return ends(law.sf(k, relative_bits=_TAIL_BITS))[1]


def _below(law: Binomial, place: Fraction) -> Fraction:
    """Return a number at least P[Y < place], and near it."""
    return _above(Binomial(law.n, 1 - law.p), law.n - place)
