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

Sample and threshold: each user is sampled with probability q, and an item reported fewer than tau times is dropped
-------------------------------------------------------------------------------------------------------------------

For an item that N users hold, X ~ Bin(N, q) is released where X >= tau, and 0 otherwise. Neighbours differ in one
user's presence: N against N + 1. With q = a (1 - e^-eps), 0 < a < 1, the published claim is (eps, delta)-DP with

    delta = e^(-C tau),    C = ln(1/a) - 1 / (1 + a)                      (vacuous where C <= 0, from a = 0.5174 on).

*A stronger bound with its proof.* Let rho = 1 - (1 - q) e^-eps > q, and KL the divergence of two coins. For
q <= 1 - e^-eps,

    delta <= e^(-tau KL(rho||q) / rho) <= e^(-tau (ln(1/a) - 1 + a)).

With m = N + 1, P[Bin(m, q) = t] / P[Bin(N, q) = t] = m (1-q) / (m-t) <= e^eps iff t <= m rho; in the other order the
ratio is at most 1 / (1 - q) <= e^eps, also of the dropped outcome. So only s reports and more are lost, for an s with
s >= m rho and s >= tau. With y = e^eps rho / q > 1 and (1-q) / (1-rho) = e^eps, so 1 - q + q y = e^eps, the mean of
y^Bin(m, q) is e^(eps m), and by Markov's inequality what is lost is at most e^(eps m - s ln y). Now m <= s / rho, and
KL(rho||q) / rho = ln y - eps / rho >= 0: at most e^(-s KL / rho) <= e^(-tau KL / rho). That it is at most the last one
takes ln(1 + a v) - a + 1 >= (1-rho) eps / rho with v = e^-eps: by eps <= (1-v) / v the right side is at most
1 - a / (1 + a v), and by ln(1 + x) >= x / (1 + x) it is enough that a v (1 - a) >= 0. QED.

*Exact.* The worst of all numbers of holders is found without a search, as shown above.

Source: BharadwajCormode2022, section 3 (as printed in secondary sources).
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.laws.law_balls import enclose_half_line
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.numbers.balls import compare_reals, enclose_real, floor_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.curves import Curves, likelihood_curve
from exactdp.privacy.engine import Bound, Engine, Work, WorstEvent
from exactdp.privacy.half_lines import lower_event, upper_event
from exactdp.privacy.hypotheses import NamedTheorem, shown

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
    work = Work(2)

    @property
    def wait(self) -> NegativeBinomial:
        """The law of W."""
        return NegativeBinomial(self.threshold, 1 - self.rate)

    @property
    def encloses(self) -> bool:
        """Whether there is anything to enclose: all holders report with certainty at the rate 1."""
        return self.rate < 1

    @property
    def ratio_bits(self) -> int:
        """A b such that every finite likelihood ratio is below 2**b: those of W, and of the other order 1 / (1-q)."""
        silent = 1 - self.rate
        largest = self.threshold if not silent else max(self.threshold * silent, 1 / silent)
        return int(largest).bit_length() + 1

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

    def enclosed(self, exp_eps: Real | None, relative_bits: int) -> Bound[Interval]:
        """Enclose delta by the two orders of the worst pair."""
        if not self.encloses:
            return Engine.enclosed(self, exp_eps, relative_bits)
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


_THEOREM: Final = NamedTheorem("The sample-and-threshold bound")
_FLOAT_BITS: Final = 53
"""A rate is rounded to a multiple of 2 to minus this, which a float holds."""


@dataclass(frozen=True, slots=True)
class SampleThreshold:
    """The worst number of holders and its exact delta: ``holders`` against ``holders`` + 1."""

    holders: int
    delta: Fraction

    def __post_init__(self) -> None:
        set_fields(self, delta=exact_answer(self.delta))


def published_sample_threshold_delta(tau: int, *, alpha: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS) -> Interval:
    """Enclose e^(-C tau) with C = ln(1/alpha) - 1 / (1 + alpha), for the sampling rate q = alpha (1 - e^-eps).

    It does not depend on eps, and where it exceeds 1 it claims nothing.

    Args:
        tau: threshold, an integer of at least 1.
        alpha: exact, in (0, 1).
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> published_sample_threshold_delta(10, alpha="1/4")
    Interval[0.002842..., 0.002842...]

    Source: BharadwajCormode2022, section 3 (as printed in secondary sources).
    """
    threshold, rate = _read(tau, alpha)
    exponent = threshold * (Real.log(rate) + 1 / (1 + rate))
    return enclose_real(Real.exp(exponent), relative_bits=as_relative_bits(relative_bits))


def refined_sample_threshold_delta(
    tau: int, *, alpha: Exact, exp_eps: Exact | None = None, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> Interval:
    """Enclose e^(-tau KL(rho||q) / rho), or without ``exp_eps`` its bound for every eps.

    That is e^(-tau (ln(1/alpha) - 1 + alpha)).

    Args:
        tau: threshold, an integer of at least 1.
        alpha: exact, in (0, 1).
        exp_eps: e^eps, exact, above 1; then q = alpha (1 - 1/e^eps).
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> refined_sample_threshold_delta(10, alpha="1/4", exp_eps=2) < refined_sample_threshold_delta(10, alpha="1/4")
    True

    Source: BharadwajCormode2022, section 3 (the protocol, the bound is the module docstring's).
    """
    threshold, rate = _read(tau, alpha)
    bits = as_relative_bits(relative_bits)
    if exp_eps is None:
        return enclose_real(Real.exp(threshold * (Real.log(rate) + 1 - rate)), relative_bits=bits)
    q, rho = _rates(rate, exp_eps)
    return enclose_real(Real.exp(-threshold / rho * _divergence(rho, q)), relative_bits=bits)


def sample_threshold_worst(tau: int, *, alpha: Exact, exp_eps: Exact) -> SampleThreshold:
    """Return the exact delta, the supremum over all numbers of holders, and where it is attained first.

    Args:
        tau: threshold, an integer of at least 1.
        alpha: exact, in (0, 1).
        exp_eps: e^eps, exact, above 1; q = alpha (1 - 1/e^eps).

    Raises:
        HypothesisError: names the hypothesis that fails.
        TooLargeError: where the fraction is too long to be built.

    Cost: two binomial tails of about tau / rho trials.

    >>> sample_threshold_worst(2, alpha="1/2", exp_eps=2)
    SampleThreshold(holders=1, delta=Fraction(1, 16))

    Source: BharadwajCormode2022, section 3 (the protocol, the theorem is exactdp.protocols.thresholded.waiting_times').
    """
    threshold, rate = _read(tau, alpha)
    level = as_fraction(exp_eps, name="exp_eps")
    q, rho = _rates(rate, level)
    every = WaitingTimes((threshold / rho).__ceil__() + 1, q, threshold, False)
    worst = every.worst(level)
    return SampleThreshold(worst.second[1], worst.delta(level))


def sample_threshold_parameters(
    *, eps: Exact | LogRational, delta: Exact, alpha: Exact = "1/4"
) -> tuple[Fraction, int]:
    """Return the published sampling rate, and the least threshold for (eps, delta)-DP at it.

    The rate alpha (1 - e^-eps) is rounded down to a multiple of 2^-53: that is a smaller alpha, where C is larger.

    Args:
        eps: above 0, a rational number or a LogRational.
        delta: in (0, 1], exact.
        alpha: exact, above 0 and below 0.5174, where C is 0.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> rate, threshold = sample_threshold_parameters(eps=1, delta="1e-6")
    >>> float(rate), threshold
    (0.158..., 24)

    Source: BharadwajCormode2022, section 3 (as printed in secondary sources).
    """
    target = _THEOREM.read_target(eps=eps, delta=delta, largest_eps=None)
    _, part = _read(1, alpha)
    exponent = -Real.log(part) - 1 / (1 + part)
    _THEOREM.require(
        compare_reals(exponent, Fraction(0)) > 0,
        "ln(1/alpha) > 1 / (1 + alpha)",
        f"alpha={shown(part)}",
        "Pass alpha below 0.5174.",
    )
    rate = Fraction(floor_real(2**_FLOAT_BITS * part * (1 - 1 / target.exp_eps)), 2**_FLOAT_BITS)
    _THEOREM.require(rate > 0, "alpha (1 - e^-eps) >= 2^-53", f"alpha={shown(part)}", "Pass a larger eps or alpha.")
    return exact_answer(rate), max(1, -floor_real(Real.log(target.delta) / exponent))


def _rates(alpha: Fraction, exp_eps: Exact) -> tuple[Fraction, Fraction]:
    """Return q and rho."""
    level = as_fraction(exp_eps, name="exp_eps")
    _THEOREM.require(level > 1, "e^eps > 1", f"exp_eps={short(level)}", "Pass e^eps above 1.")
    q = alpha * (1 - 1 / level)
    return q, 1 - (1 - q) / level


def _divergence(rho: Fraction, q: Fraction) -> Real:
    """Return KL(rho || q) of two coins."""
    return rho * Real.log(rho / q) + (1 - rho) * Real.log((1 - rho) / (1 - q))


def _read(tau: object, alpha: Exact) -> tuple[int, Fraction]:
    threshold, rate = as_integer(tau, name="tau"), as_fraction(alpha, name="alpha")
    _THEOREM.require(threshold >= 1, "tau >= 1", f"tau={short(threshold)}", "Pass a threshold of at least 1.")
    _THEOREM.require(0 < rate < 1, "0 < alpha < 1", f"alpha={shown(rate)}", "Pass alpha in (0, 1).")
    return threshold, rate
