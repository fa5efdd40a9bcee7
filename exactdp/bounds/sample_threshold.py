"""Sample and threshold: each user is sampled with probability q, and an item reported fewer than tau times is dropped.

For an item that N users hold, X ~ Bin(N, q) is released where X >= tau, and 0 otherwise. Neighbours differ in one
user's presence: N against N + 1. With q = a (1 - e^-eps), 0 < a < 1, the published claim is (eps, delta)-DP with

    delta = e^(-C tau),    C = ln(1/a) - 1 / (1 + a)                      (vacuous where C <= 0, from a = 0.5174 on).

*A stronger bound with its proof.* Let rho = 1 - (1 - q) e^-eps > q, and KL the divergence of two coins. For
q <= 1 - e^-eps,

    delta <= e^(-tau KL(rho||q) / rho) <= e^(-tau (ln(1/a) - 1 + a)).

P[Bin(N+1, q) = t] / P[Bin(N, q) = t] = (N+1)(1-q) / (N+1-t) <= e^eps iff t <= (N+1) rho; in the other order the ratio
is at most 1 / (1 - q) <= e^eps, also of the dropped outcome. So only t >= max(tau, (N+1) rho) is lost, with
probability P[Bin(N+1, q) >= max(tau, (N+1) rho)]: it rises with N while (N+1) rho <= tau, and is at most
e^(-(N+1) KL(rho||q)) from there on. So the worst N is near tau / rho, and the exact delta, the supremum over all N, is
found by a finite scan: it ends where that exponential is below what has been found.

Source: BharadwajCormode2022, section 3 (as printed in secondary sources).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.bounds.hypotheses import NamedTheorem, shown
from exactdp.errors import TooLargeError
from exactdp.frozen import set_fields
from exactdp.kernel.balls import compare_reals, enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_fraction, as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

_THEOREM: Final = NamedTheorem("The sample-and-threshold bound")
_MAX_HOLDERS: Final = 5000
"""Most users of one value among whom the worst number is looked for: each takes a sum of that many terms."""


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
        TooLargeError: where the scan needs more than 5000 holders.

    Cost: about tau / rho binomial tails of so many trials.

    >>> sample_threshold_worst(2, alpha="1/2", exp_eps=2)
    SampleThreshold(holders=1, delta=Fraction(1, 16))

    Source: BharadwajCormode2022, section 3 (the protocol, the scan is the module docstring's).
    """
    threshold, rate = _read(tau, alpha)
    level = as_fraction(exp_eps, name="exp_eps")
    q, rho = _rates(rate, level)
    exponent, worst = _divergence(rho, q), SampleThreshold(0, Fraction(0))
    holders = 0
    while True:
        lost = _lost(threshold, q, level, rho, holders)
        if lost > worst.delta:
            worst = SampleThreshold(holders, lost)
        holders += 1
        beyond = (holders + 1) * rho >= threshold and worst.delta > 0
        if beyond and compare_reals(Real.exp(-(holders + 1) * exponent), worst.delta) <= 0:
            return worst
        if holders > _MAX_HOLDERS:
            raise TooLargeError(f"tau={short(threshold)} needs more than {_MAX_HOLDERS} holders. Use a smaller tau.")


def _lost(tau: int, q: Fraction, exp_eps: Fraction, rho: Fraction, holders: int) -> Fraction:
    """Return H_E of N + 1 holders against N: the sum of P - E Q over t >= tau, t > (N+1) rho."""
    more, send, stay = holders + 1, q.numerator, q.denominator - q.numerator
    first = max(tau, (more * rho).__floor__() + 1)
    weight = send**more  # of t = N + 1, over the denominator of q to the power N + 1
    up, down = exp_eps.numerator, exp_eps.denominator
    whole = 0
    for t in range(more, first - 1, -1):  # Q(t) / P(t) = (N+1-t) / ((N+1)(1-q))
        whole += weight * (down * stay * more - up * q.denominator * (more - t))
        weight = weight * t * stay // (send * (more - t + 1))
    return Fraction(whole, down * stay * more * q.denominator**more)


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
