"""Sample and threshold: each user is sampled with probability q, and an item reported fewer than tau times is dropped.

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

*Exact.* The worst of all numbers of holders is found without a search:
:mod:`exactdp.protocols.thresholded.waiting_times`.

Source: BharadwajCormode2022, section 3 (as printed in secondary sources).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.numbers.balls import compare_reals, enclose_real, floor_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem, shown
from exactdp.protocols.thresholded.waiting_times import WaitingTimes

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
