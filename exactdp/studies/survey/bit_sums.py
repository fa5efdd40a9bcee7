"""Sums of bits: zsum, randomized response, correlated counting, and everything that sums larger numbers too."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from exactdp.errors import HypothesisError
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.protocols.accuracy.optimal import optimal_accuracy
from exactdp.protocols.accuracy.overlapping_sums import local_lower_bound
from exactdp.protocols.counting.correlated_counting_protocol import (
    CorrelatedCounting,
    correlated_counting_from_theorem,
)
from exactdp.protocols.k_ary_protocol import cheu_binary_sum_from_theorem, k_ary
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol
from exactdp.protocols.thresholded.sample_and_threshold_protocol import (
    SampleAndThreshold,
    sample_and_threshold,
    sample_and_threshold_from_theorem,
)
from exactdp.protocols.zsum_and_histogram.zsum_protocol import zsum_from_theorem
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_theorem_accuracy
from exactdp.studies.calibration.grid_search import calibrate
from exactdp.studies.survey.bounded_sums import ANY_BOUND, ENOUGH, WithBound, below_exp, calibrated
from exactdp.studies.survey.error_curves import BITS, LEAST, LOCAL, MESSAGES, ONE_MESSAGE, PUBLISHED, PURE, Curve
from exactdp.studies.survey.rows import THEOREM, Answer, Number
from exactdp.studies.survey.survey_question import Question

_SAMPLED: Final = Fraction(9, 10)
"""The share of the largest rate at which people are sampled: nearer to it the threshold grows without bound."""
_RATE_BITS: Final = 20
"""Rates are short fractions: nothing depends on more digits of them."""
_TOLD_APART: Final = 9
"""So many sums are told apart by the bound for local protocols: three percent less than the best at a million users."""


def in_people(frequency: Number, n: int) -> Number:
    """Return a part of all users as a number of users."""
    if isinstance(frequency, Interval):
        low, high = fraction_ends(frequency)
        return Interval.between(n * low, n * high, bits=DEFAULT_RELATIVE_BITS)
    return exact_answer(n * frequency)


# --- zsum -----------------------------------------------------------------------------------------------------------


def _zsum_published(question: Question) -> Answer:
    n, eps, delta = question.n, question.eps, question.delta
    protocol = zsum_from_theorem(n, eps=eps, delta=delta)
    try:
        promised = in_people(zsum_theorem_accuracy(n, eps=eps, delta=delta, beta=question.beta), n)
    except HypothesisError:  # beta is below the theorem's
        promised = None
    return _zsum(question, protocol, THEOREM, promised)


def _zsum_least(question: Question) -> Answer:
    least: Any = calibrated(question, "zsum")
    return _zsum(question, least.protocol, ENOUGH, None)


def _zsum(question: Question, protocol: AdditiveProtocol, level: str, promised: Number | None) -> Answer:
    error = in_people(optimal_accuracy(protocol, beta=question.beta), question.n)
    gamma = 1 - protocol.noise.p  # type: ignore[union-attr]
    profile = protocol.privacy_profile()
    return Answer(error, protocol.communication(), {"gamma": gamma}, level, profile, promised=promised)


# --- Randomized response --------------------------------------------------------------------------------------------


def _response_published(question: Question) -> Answer:
    protocol = cheu_binary_sum_from_theorem(question.n, eps=question.eps, delta=question.delta)
    return _response(question, protocol, THEOREM)


def _response_least(question: Question) -> Answer:
    least: Any = calibrated(question, "randomized-response")
    return _response(question, least.protocol, ENOUGH)


def _response_local(question: Question) -> Answer:
    gamma = 2 / (1 + below_exp(question.eps))
    return _response(question, k_ary(question.n, 2, gamma=gamma), ENOUGH, shuffled=False)


def _best_local(question: Question) -> Answer:
    """All local protocols: no error below what none of them has, and none above randomized response's, or n/2."""
    least = local_lower_bound(question.n, eps=question.eps, beta=question.beta, points=_TOLD_APART).error
    response = _response_local(question)
    most = min(Fraction(question.n, 2), fraction_ends(response.error)[1])
    error = Interval.between(least, most, bits=DEFAULT_RELATIVE_BITS) if least < most else exact_answer(most)
    return Answer(
        error,
        response.communication,
        {},
        ENOUGH,
        pure=question.eps,
        remark="the error lies between one that no local protocol stays below and that of randomized response",
    )


def _response(question: Question, protocol: ShuffleProtocol, level: str, *, shuffled: bool = True) -> Answer:
    told = protocol.communication()
    gamma = 2 * min(p for _, p in protocol.tabulated.rows[0])
    error = optimal_accuracy(protocol, beta=question.beta)
    if not shuffled:
        return Answer(error, told, {"gamma": gamma}, level, pure=question.eps)
    return Answer(error, told, {"gamma": gamma}, level, protocol.privacy_profile())


# --- Correlated counting --------------------------------------------------------------------------------------------


def _correlated_published(question: Question) -> Answer:
    return _correlated(
        question, correlated_counting_from_theorem(question.n, eps=question.eps, delta=question.delta), THEOREM
    )


def _correlated_least(question: Question) -> Answer:
    least: Any = calibrated(question, "correlated-counting")
    return _correlated(question, least.protocol, ENOUGH)


def _correlated(question: Question, protocol: CorrelatedCounting, level: str) -> Answer:
    error = optimal_accuracy(protocol, beta=question.beta)
    shape = {"r": protocol.r} if isinstance(protocol.r, Fraction) else {}
    return Answer(error, protocol.communication(), shape, level, protocol.privacy_profile())


# --- Sample and threshold -------------------------------------------------------------------------------------------


def _sampled_published(question: Question) -> Answer:
    protocol = sample_and_threshold_from_theorem(question.n, eps=question.eps, delta=question.delta)
    return _sampled(question, protocol, THEOREM)


def _sampled_least(question: Question) -> Answer:
    """The least threshold at nine tenths of 1 - e^-eps, beyond which no threshold is enough."""
    most = 1 - 1 / below_exp(question.eps)
    rate = Fraction(int(_SAMPLED * most * 2**_RATE_BITS), 2**_RATE_BITS)
    asked: dict[str, Any] = {"eps": question.eps, "delta": question.delta}
    least = calibrate("sample-and-threshold", n=question.n, rate=rate, certificates=False, **asked)
    return _sampled(question, sample_and_threshold(question.n, rate=rate, threshold=int(least.parameter)), ENOUGH)


def _sampled(question: Question, protocol: SampleAndThreshold, level: str) -> Answer:
    error = optimal_accuracy(protocol, beta=question.beta)
    parameters: dict[str, Fraction | int] = {"rate": protocol.rate, "threshold": protocol.threshold}
    profile = protocol.privacy_profile()
    return Answer(error, protocol.communication(), parameters, level, profile, is_coarse=True)


BIT_CURVES: Final = (
    *(Curve(BITS, model, system, noise, WithBound(answer, bits=True)) for model, system, noise, answer in ANY_BOUND),
    Curve(BITS, MESSAGES, "correlated counting", PUBLISHED, _correlated_published),
    Curve(BITS, MESSAGES, "correlated counting", LEAST, _correlated_least),
    Curve(BITS, MESSAGES, "zsum", PUBLISHED, _zsum_published),
    Curve(BITS, MESSAGES, "zsum", LEAST, _zsum_least),
    Curve(BITS, ONE_MESSAGE, "sample and threshold", PUBLISHED, _sampled_published),
    Curve(BITS, ONE_MESSAGE, "sample and threshold", LEAST, _sampled_least),
    Curve(BITS, ONE_MESSAGE, "randomized response", PUBLISHED, _response_published),
    Curve(BITS, ONE_MESSAGE, "randomized response", LEAST, _response_least),
    Curve(BITS, LOCAL, "local randomized response", PURE, _response_local),
    Curve(BITS, LOCAL, "best of all local protocols", PURE, _best_local),
)
