"""Sample and threshold: the privacy of one count that is sampled and dropped below a threshold, at any number of users.

Each of N holders of a symbol reports with probability q, independently; the number X_N of reports is released if it is
at least tau, else 0. Neighbours differ in one holder: N + 1 against N, for N = 0, ..., n - 1.

**Theorem.** Number the holders, and let M be the number of the one who makes the tau-th report: M = tau + W, with W
negative binomial, P[W = t] = C(tau + t - 1, t) q^tau (1-q)^t. For every E >= 1 and n >= 1

    sup over N < n of H_E(N + 1 || N) = H_E(min(M, n+1) || min(M + 1, n+1)),

and so in the other order. As n grows it is H_E(W || W + 1), and H_E(W + 1 || W): over all numbers of holders the
release is exactly as private as a count with the noise W.

*Proof.* For j <= n let K_m(j) = tau + Bin(m - j, q) for j <= m, and 0 for j > m. With m = N + 1 holders in line, M is
the one of the tau-th report, and the m - M after him report independently: K_m(M) has the law of the release of N + 1
holders. With the last m - 1 of them in line, which are N, the places are one further on: K_m(M + 1) has the law of the
release of N. So the pair is a post-processing of (M, M + 1), and for m <= n of these numbers cut off at n + 1: no N
exceeds the right side. For the other side: the law of W is log-concave, since tau >= 1. So P[M = j] / P[M + 1 = j] does
not rise with j up to n; and the ratio at n + 1, of what is cut off, is a mean of ratios beyond. The best events
of (M, M + 1) are {M <= m} for an m <= n, those of the other order {M > m}. And

    P[M <= m] - E P[M + 1 <= m] = P[X_m >= tau] - E P[X_(m-1) >= tau],

the same event of the release of m holders against m - 1, and so for {M > m}. QED.

So the worst pair has m = min(tau + a, n) and m - 1 holders, where {W <= a} is the best event of W against W + 1: the
largest t with (tau + t - 1) (1-q) > E t is a. In the other order it is {W + 1 >= s}, and m = min(tau + s - 1, n).

Source: BharadwajCormode2022, section 3 (the mechanism, while the theorem is this page's).
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.laws.law_intervals import enclose_half_line
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.curves import Curves, likelihood_curve
from exactdp.privacy.engine import DeltaBounds, Engine, Work, WorstEvent
from exactdp.privacy.half_lines import lower_event, upper_event

_ZERO: Final = Interval.around(0, relative_bits=1)
_NOTHING: Final = (Fraction(0), Fraction(0))

_SHORT_BITS: Final = 2**14
"""Masses of so few bits are built, and a difference of two may be 0; longer ones are enclosed."""

_LISTED: Final = 2000
"""Most holders whose events are listed one by one."""


@dataclass(frozen=True, eq=False)
class WaitingTimes(Engine):
    """The engine for one count of up to ``users`` holders, sampled at ``rate`` and dropped below ``threshold``.

    ``keeps_users`` says whether the neighbours have as many users, one of whom holds nothing in the second.
    """

    users: int
    rate: Fraction
    threshold: int
    keeps_users: bool

    name = "sample and threshold"
    method = "reduces the released count to the waiting time of the report that reaches the threshold"

    @property
    def wait(self) -> NegativeBinomial:
        """The law of W."""
        return NegativeBinomial(self.threshold, 1 - self.rate)

    @property
    def encloses_faster(self) -> bool:
        """Whether there is anything to enclose: all holders report with certainty at the rate 1."""
        return self.rate < 1

    @property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio is below 2**b: those of W, and of the other order 1 / (1-q)."""
        silent = 1 - self.rate
        largest = self.threshold if not silent else max(self.threshold * silent, 1 / silent)
        return int(largest).bit_length() + 1

    @property
    def work(self) -> Work:
        """The two orders; tails are read, and no outcomes are visited."""
        return Work(2)

    def curves(self) -> Curves | None:
        """Return the curves of the pair that dominates all others; None for many holders."""
        most = self.users - self.threshold
        if most >= _LISTED:
            return None
        scale, silent = self.rate.denominator**self.users, self.rate.denominator - self.rate.numerator
        weight = self.rate.numerator**self.threshold * self.rate.denominator ** max(0, most)
        first: list[int] = []
        for t in range(most + 1):
            first.append(weight)
            weight = weight * (self.threshold + t) * silent // ((t + 1) * self.rate.denominator)
        first, second = [*first, scale - sum(first)], [0, *first[:-1], scale - sum(first[:-1])]
        if most < 0:
            first, second = [scale], [scale]
        orders = (zip(first, second, strict=True), zip(second, first, strict=True))
        return Curves(scale, 2, (likelihood_curve(order) for order in orders))

    def answer_bits(self, exp_eps: Fraction | None) -> int:
        """Return about how long the probabilities of the worst events at ``exp_eps`` (None: infinity) are."""
        bound = None if exp_eps is None else Real(exp_eps)
        most = max(self.holders(bound, upper=upper) or 0 for upper in (False, True))
        return most * self.rate.denominator.bit_length()

    def holders(self, exp_eps: Real | None, *, upper: bool) -> int | None:
        """Return the m of the worst pair, m against m - 1 holders, or in the other order; None where no event is."""
        if self.users < self.threshold:
            return None
        if upper:
            event = upper_event(self.wait, 1, exp_eps)
            return None if event is None or event.first is None else min(self.threshold + event.first - 1, self.users)
        event = lower_event(self.wait, 1, exp_eps)
        assert event is not None
        assert event.last is not None
        return min(self.threshold + event.last, self.users)

    def search(self, exp_eps: Fraction | None, executor: Executor | None = None) -> WorstEvent:
        """Return the worse order and its worst event, exactly."""
        level = None if exp_eps is None else Real(exp_eps)
        events = [self._event(self.holders(level, upper=upper), upper=upper) for upper in (False, True)]
        return max(events, key=lambda event: event.delta(exp_eps))

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> DeltaBounds | None:
        """Enclose delta by the two orders of the worst pair; None where there is nothing to enclose."""
        if not self.encloses_faster:
            return None
        both = [self._enclosed_delta(exp_eps, relative_bits, upper=upper) for upper in (False, True)]
        is_upper = both[1].compare(both[0]) == 1
        first, second = self._data_sets(self.holders(exp_eps, upper=is_upper))
        return self.known(*((second, first) if is_upper else (first, second)), Interval.maximum(*both))

    def _enclosed_delta(self, exp_eps: Real | None, relative_bits: int, *, upper: bool) -> Interval:
        holders, wait = self.holders(exp_eps, upper=upper), self.wait
        if holders is None:
            return _ZERO
        if exp_eps is None:
            return wait.cdf(holders - self.threshold, relative_bits=relative_bits)
        if exp_eps.is_rational and holders * self.rate.denominator.bit_length() <= _SHORT_BITS:
            value = self._event(holders, upper=upper).delta(exp_eps.coefficient)
            return Interval.around(max(Fraction(0), value), relative_bits=relative_bits)
        assert wait.enclosed is not None
        end = holders - self.threshold + (1 if upper else 0)
        value_enclosed = enclose_half_line(wait.enclosed, end, 1, exp_eps, relative_bits, upper=upper)
        return Interval.maximum(_ZERO, value_enclosed)

    def _event(self, holders: int | None, *, upper: bool) -> WorstEvent:
        """Return what at least (``upper``: fewer than) tau reports tell apart, of so many holders and one less."""
        first, second = self._data_sets(holders)
        if upper:
            first, second = second, first
        if holders is None:
            return WorstEvent(first, second, *_NOTHING)
        more, fewer = (self.wait.exact_cdf(holders - self.threshold - less) for less in (0, 1))
        masses = (1 - fewer, 1 - more) if upper else (more, fewer)
        return WorstEvent(first, second, *masses)

    def _data_sets(self, holders: int | None) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the data sets with so many holders and one less: who holds nothing, and who holds the symbol."""
        held = min(self.users, 1) if holders is None else holders
        rest = self.users - held
        return (rest, held), (rest + 1 if self.keeps_users else rest, held - 1)
