"""Sums of numbers from 0 to a bound: noise of a curator, noise of which every user adds a share, and noisy numbers.

One replaced user moves the sum by at most the bound. Where users add shares of the noise, a user's number is so many
copies of the one message, and the analyzer subtracts the mean of the noise. Bits are summed by zsum, randomized
response, messages +1 and -1, sampling, and everything that sums larger numbers too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from pkgutil import resolve_name
from typing import Any, Final

from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.discrete_gaussian import DiscreteGaussian
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.finite import Law
from exactdp.laws.laplace import Laplace
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.negative_binomial import Geometric, NegativeBinomial
from exactdp.laws.poisson import Poisson
from exactdp.laws.tails import ends, least_reach
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.gaussian_family import DELTA0_RANGE
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import read_privacy_level
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.protocols.accuracy.laplace_sums import SumEstimate
from exactdp.protocols.accuracy.number_sums import NumberSum
from exactdp.protocols.accuracy.optimal import optimal_accuracy
from exactdp.protocols.accuracy.overlapping_sums import local_lower_bound
from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum, almost_central_sum
from exactdp.protocols.counting.counting_protocol import rounded_up
from exactdp.protocols.counting.counting_theorem import negative_binomial_mechanism, poisson_mechanism
from exactdp.protocols.k_ary_protocol import cheu_binary_sum_from_theorem, k_ary
from exactdp.protocols.mixing.component_bound import published_split_and_mix_messages, split_and_mix_messages
from exactdp.protocols.mixing.split_and_mix_protocol import split_and_mix
from exactdp.protocols.named_protocols import ENTRIES
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol, shift_profile
from exactdp.protocols.thresholded.sample_and_threshold_protocol import (
    SampleAndThreshold,
    sample_and_threshold,
    sample_and_threshold_from_theorem,
)
from exactdp.protocols.zsum_and_histogram.zsum_protocol import zsum_from_theorem
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_theorem_accuracy
from exactdp.studies.calibration.calibrated import Calibration
from exactdp.studies.calibration.grid_search import calibrate
from exactdp.studies.calibration.local_families import GAUSSIAN, LocalFamily, local_family
from exactdp.studies.calibration.two_ended_search import TwoEndedSearch
from exactdp.studies.survey.error_curves import (
    BITS,
    CENTRAL,
    LEAST,
    LOCAL,
    MESSAGES,
    ONE_MESSAGE,
    PUBLISHED,
    PURE,
    SUMS,
    THEOREM,
    Answer,
    Curve,
    Number,
    Question,
)

ENOUGH: Final = "enclosure"
"""What stands behind the least noise that is enough."""
_NOTHING: Final = Law({0: 1})
_WRAP: Final = 64
"""The modulus has room for the noise beyond the sum up to so many times its scale: e^-64 is below every beta asked."""


def answer_of(
    question: Question, protocol: Any, parameters: Mapping[str, Number | int], level: str, **more: Any
) -> Answer:
    """Return the answer of a protocol that says its error, what it sends, and how private it is."""
    error = optimal_accuracy(protocol, beta=question.beta)
    return Answer(error, protocol.communication(), parameters, level, protocol.privacy_profile(), **more)


def central(
    question: Question, bound: int, noise: LatticeLaw | Law, parameters: Mapping[str, Fraction], level: str
) -> Answer:
    """Return the answer of a curator who adds noise and subtracts its mean."""
    protocol = AdditiveProtocol(noise, shift=bound, analyzer=_unbiased(noise))
    error = optimal_accuracy(protocol, beta=question.beta)
    return Answer(error, Communication(Fraction(1), 1, bound + 1), parameters, level, protocol.privacy_profile())


def shared(
    question: Question, bound: int, noise: LatticeLaw | Law, parameters: Mapping[str, Fraction], level: str
) -> Answer:
    """Return the answer of users who add shares of the noise to their numbers."""
    protocol = AdditiveProtocol(noise, shift=bound, n=question.n, analyzer=_unbiased(noise))
    return answer_of(question, protocol, parameters, level)


def _unbiased(noise: LatticeLaw | Law) -> Analyzer:
    """Return the estimate that subtracts the mean of the noise, which is rational in all that is asked here."""
    mean = noise.mean if isinstance(noise, LatticeLaw) else noise.mean()
    assert isinstance(mean, Fraction)
    return Analyzer({0: 1}, offset=-mean)


def least_of(question: Question, family: Family) -> Fraction:
    """Return the least parameter of a family that is enough."""
    return calibrated(question, family).parameter


def calibrated(question: Question, family: Family | str) -> Calibration:
    """Return the least noise of a family that is enough, without certificates."""
    return calibrate(family, n=question.n, eps=question.eps, delta=question.delta, certificates=False)


# --- A curator ------------------------------------------------------------------------------------------------------


def discrete_laplace(question: Question, bound: int) -> Answer:
    """Two-sided geometric noise, P[z] proportional to e^(-eps |z| / bound)."""
    noise = DiscreteLaplace(Real.exp(question.eps / bound))
    answer = central(question, bound, noise, {}, ENOUGH)
    return replace(answer, profile=None, pure=question.eps)


def continuous_laplace(question: Question, bound: int) -> Answer:
    """Laplace noise of scale bound / eps, a statement about real numbers; its error is a quantile of the noise."""
    error = optimal_accuracy(Laplace(bound / question.eps), beta=question.beta)
    return Answer(error, Communication(Fraction(1), 1, bound + 1), {}, ENOUGH, pure=question.eps)


def geometric(question: Question, bound: int) -> Answer:
    """One-sided geometric noise: what is added is never below 0, and delta pays for the sums that give it away.

    Moved by s, noise of ratio p is outside its old support with the probability 1 - p^s; elsewhere the two are within a
    factor of p^-s. So the ratio is the least with 1 - p^s <= delta and p^-s <= e^eps, rounded up.
    """
    kept = rounded_up(Real.exp(Real.log(1 - question.delta) / bound))
    ratio = max(kept, rounded_up(Real.exp(-question.eps / bound)))
    return central(question, bound, Geometric(ratio), {"p": ratio}, ENOUGH)


def discrete_gaussian(question: Question, bound: int) -> Answer:
    """Discrete Gaussian noise; nothing is proved of larger sigma^2."""
    family = Family(lambda s, n: AdditiveProtocol(_gaussian(s), shift=bound), "sigma_squared", (0, None), False)
    sigma = least_of(question, family)
    return central(question, bound, _gaussian(sigma), {"sigma_squared": sigma}, ENOUGH)


def _gaussian(sigma_squared: Fraction) -> DiscreteGaussian | Law:
    return DiscreteGaussian(sigma_squared) if sigma_squared else _NOTHING


# --- Shares of the users --------------------------------------------------------------------------------------------


@relies_on("private_counting.counting_private")
def negative_binomial_published(question: Question, bound: int) -> Answer:
    """One-sided counting with the theorem's NB(r, p)."""
    law = negative_binomial_mechanism(eps=question.eps, delta=question.delta, sensitivity=bound)
    r, p = rounded_up(law.r), rounded_up(law.p)
    return shared(question, bound, NegativeBinomial(r, p), {"r": r, "p": p}, THEOREM)


def negative_binomial_least(question: Question, bound: int) -> Answer:
    """One-sided counting with the theorem's p, rounded up, and the least r."""
    ratio = rounded_up(Real.exp(-question.eps / (5 * bound)))
    family = Family(
        lambda r, n: AdditiveProtocol(NegativeBinomial(r, ratio) if r else _NOTHING, shift=bound), "r", (0, None), True
    )
    r = least_of(question, family)
    return shared(question, bound, NegativeBinomial(r, ratio), {"r": r, "p": ratio}, ENOUGH)


@relies_on("private_counting.poisson_counting_private")
def poisson_published(question: Question, bound: int) -> Answer:
    """Poisson noise with the theorem's mean."""
    mu = rounded_up(poisson_mechanism(eps=question.eps, delta=question.delta, sensitivity=bound).mu)
    return shared(question, bound, Poisson(mu), {"mu": mu}, THEOREM)


def poisson_least(question: Question, bound: int) -> Answer:
    """Poisson noise with the least mean."""
    family = Family(lambda mu, n: AdditiveProtocol(Poisson(mu), shift=bound), "mu", (0, None), True)
    mu = least_of(question, family)
    return shared(question, bound, Poisson(mu), {"mu": mu}, ENOUGH)


# --- Almost central -------------------------------------------------------------------------------------------------


def almost_central_published(question: Question, bound: int) -> Answer:
    """Noise that mostly cancels in the sum, with the theorem's shapes."""
    protocol = almost_central_sum(question.n, bound=bound, eps=question.eps, delta=question.delta)
    return answer_of(question, protocol, {}, THEOREM)


def almost_central_least(question: Question, bound: int) -> Answer:
    """The same with the theorem's ratios, and the least shape of what cancels that is shown to be enough."""

    def build(r: Fraction, n: int | None) -> AlmostCentralSum:
        return almost_central_sum(question.n, bound=bound, eps=question.eps, delta=question.delta, r=r)

    r = least_of(question, Family(build, "r", (1, None), True))
    return answer_of(question, build(r, None), {"r": r}, ENOUGH)


# --- Split and mix --------------------------------------------------------------------------------------------------


def _modulus(question: Question, bound: int) -> int:
    """Return a power of two with room for the sum, and for the noise on both sides of it."""
    reach = bound * question.n + 2 * (_WRAP * bound / question.eps).__ceil__()
    return 1 << (2 * reach).bit_length()


def _security(question: Question) -> int:
    """Return bits of security sigma with (1 + e^eps) 2^-sigma at most delta: so much the view adds to delta."""
    both = 1 + enclose_real(Real.exp(question.eps), relative_bits=DEFAULT_RELATIVE_BITS).hi
    return (both / question.delta).__ceil__().bit_length()


@relies_on("split_and_mix_laplace.laplace_split_private", "split_and_mix_laplace.laplace_split_error")
def split_and_mix_published(question: Question, bound: int) -> Answer:
    """Split and mix with the published number of messages, discrete Laplace noise in shares on the inputs."""
    modulus = _modulus(question, bound)
    messages = published_split_and_mix_messages(question.n, modulus=modulus, sigma=_security(question))
    return _split_and_mix(question, bound, modulus, messages, THEOREM)


@relies_on("split_and_mix_laplace.laplace_split_private", "split_and_mix_laplace.laplace_split_error")
def split_and_mix_least(question: Question, bound: int) -> Answer:
    """Split and mix with the least number of messages that the bound by components shows to be enough."""
    modulus = _modulus(question, bound)
    messages = split_and_mix_messages(question.n, modulus=modulus, sigma=_security(question), simulator=True)
    return _split_and_mix(question, bound, modulus, messages, ENOUGH)


def _split_and_mix(question: Question, bound: int, modulus: int, messages: int, level: str) -> Answer:
    noise = DiscreteLaplace(Real.exp(question.eps / bound))
    delta, view = None, split_and_mix(question.n, modulus=modulus, messages=messages)
    if question.with_privacy:
        delta = view.with_noise(shift_profile(noise, shift=bound)).delta(eps=question.eps)
    return Answer(
        _wrapped_error(noise, modulus - bound * question.n, question.beta),
        view.communication(),
        {"messages": messages, "modulus": modulus},
        level,
        delta=delta,
        remark="delta is an upper bound: that of the noisy sum and of all that the view shows beside it",
    )


def _wrapped_error(noise: DiscreteLaplace, residues: int, beta: Fraction) -> Number:
    """Return the error of noise z on a sum that is read modulo q, with so many residues beyond the largest sum.

    Half of them stand below 0. The error is |z| where |z| <= residues/2 - 1, whatever it is elsewhere; so the least
    error A that is exceeded with probability beta is at most that of the noise alone, and at least that for
    beta + P[|z| >= residues/2].
    """
    half = residues // 2 - 1
    most = least_reach(noise, Fraction(0), Fraction(0), beta)
    if most > half:
        raise InvalidValueError(f"beta={beta} is so small that the noise wraps around. Use a larger beta.")
    beyond = 2 * ends(noise.sf(half))[1]
    least = least_reach(noise, Fraction(0), Fraction(0), beta + beyond) if beta + beyond < 1 else Fraction(0)
    return most if least == most else Interval.between(least, most, bits=DEFAULT_RELATIVE_BITS)


# --- Noisy numbers --------------------------------------------------------------------------------------------------


def _numbers(question: Question, exp_eps0: Fraction, level: str, *, shuffled: bool) -> Answer:
    """Return the answer of users who send their numbers with clipped discrete Laplace noise, one message each."""
    family = ClippedDiscreteLaplace(question.bound, exp_eps0=exp_eps0)
    most = SumEstimate(family, question.n).error_bound(beta=question.beta).hi
    return Answer(
        Interval.between(Fraction(0), most, bits=DEFAULT_RELATIVE_BITS),
        family.communication(),
        {"exp_eps0": exp_eps0},
        level,
        ShuffleProtocol(family, question.n).privacy_profile() if shuffled else None,
        None if shuffled else question.eps,
        remark="the error is an upper bound, by Bernstein's inequality",
    )


def below_exp(eps: Fraction) -> Fraction:
    """Return a rational number just below e^eps, at least 1: randomizers with it as e^eps0 are eps-private."""
    return max(Fraction(1), enclose_real(Real.exp(eps), relative_bits=DEFAULT_RELATIVE_BITS).lo)


def clones_exp_eps0(question: Question) -> Fraction:
    """Return the largest e^eps0 on the grid that the stronger clones allow to every randomizer."""
    return _clones(question.n, question.eps, question.delta)


@lru_cache(maxsize=64)
def _clones(n: int, eps: Fraction, delta: Fraction) -> Fraction:
    return replace(
        _search(local_family("any-randomizer", {}), n, eps, delta), ends=attrgetter("by_blankets")
    ).safe_value()


def _search(family: LocalFamily, n: int, eps: Fraction, delta: Fraction) -> TwoEndedSearch:
    """Return the search for the parameter with the least noise that the upper end of delta shows safe."""
    return TwoEndedSearch(family, n, read_privacy_level(eps=eps, exp_eps=None), delta, None)


def _local_numbers(question: Question) -> Answer:
    return _numbers(question, below_exp(question.eps), ENOUGH, shuffled=False)


def _published_numbers(question: Question) -> Answer:
    return _numbers(question, clones_exp_eps0(question), THEOREM, shuffled=True)


def _least_numbers(question: Question) -> Answer:
    family = Family(
        lambda exp_eps0, n: ClippedDiscreteLaplace(question.bound, exp_eps0=exp_eps0),
        "exp_eps0",
        (1, None),
        False,
        weakens=True,
    )
    least = _search(LocalFamily(family), question.n, question.eps, question.delta).safe_value()
    return _numbers(question, least, ENOUGH, shuffled=True)


@dataclass(frozen=True, slots=True)
class OfNumbers:
    """Users who send unbiased estimates of their numbers, one message each, by a randomizer of a number."""

    name: str
    is_local: bool = False
    tail: Fraction | None = None
    """The share of delta that may be the probability of a message out of range; None where all are in range."""

    def __call__(self, question: Question) -> Answer:
        tail = {} if self.tail is None else {"delta0": max(DELTA0_RANGE[0], self.tail * question.delta)}
        known = local_family(self.name, tail)
        value = below_exp(question.eps) if self.is_local else self._least(known, question)
        family: Any = known.family.build(value, question.n)
        is_real = family.density is not None
        length = Fraction(question.bound, 1 - family.least_input)
        return Answer(
            NumberSum(family, question.n).error(beta=question.beta, length=length),
            None if is_real else family.communication(),
            {known.family.parameter: value},
            ENOUGH,
            None if self.is_local else ShuffleProtocol(family, question.n).privacy_profile(),
            question.eps if self.is_local else None,
            remark=self._remark(known, value, is_real=is_real),
        )

    def _remark(self, known: LocalFamily, value: Fraction, *, is_real: bool) -> str:
        end = known.family.domain[0]
        if not known.family.weakens and value == end:
            return f"{_FLOATS}; no smaller {known.family.parameter} is bounded, be it enough or not"
        return _FLOATS if is_real else ""

    def _least(self, known: LocalFamily, question: Question) -> Fraction:
        return _search(known, question.n, question.eps, question.delta).safe_value()


_FLOATS: Final = "messages are real numbers, and floats may give an input away"

_OF_A_NUMBER: Final = (
    ("Laplace", "laplace-randomizer"),
    ("staircase", "staircase"),
    ("Duchi", "duchi"),
    ("piecewise", "piecewise"),
    ("hybrid", "hybrid"),
)

_TAIL: Final = Fraction(1, 2**20)
"""Of delta, the probability of a Gaussian message out of range, which is charged."""


# --- The curves -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WithBound:
    """An answer about sums of any bound, asked about that of the question, or about bits."""

    answer: Callable[[Question, int], Answer]
    bits: bool = False

    def __call__(self, question: Question) -> Answer:
        return self.answer(question, 1 if self.bits else question.bound)


ANY_BOUND: Final[tuple[tuple[str, str, str, Callable[[Question, int], Answer]], ...]] = (
    (CENTRAL, "discrete Laplace", PURE, discrete_laplace),
    (CENTRAL, "continuous Laplace", PURE, continuous_laplace),
    (CENTRAL, "discrete Gaussian", LEAST, discrete_gaussian),
    (CENTRAL, "one-sided geometric", LEAST, geometric),
    (MESSAGES, "one-sided counting", PUBLISHED, negative_binomial_published),
    (MESSAGES, "one-sided counting", LEAST, negative_binomial_least),
    (MESSAGES, "Poisson counting", PUBLISHED, poisson_published),
    (MESSAGES, "Poisson counting", LEAST, poisson_least),
    (MESSAGES, "almost central", PUBLISHED, almost_central_published),
    (MESSAGES, "almost central", LEAST, almost_central_least),
    (MESSAGES, "split and mix", PUBLISHED, split_and_mix_published),
    (MESSAGES, "split and mix", LEAST, split_and_mix_least),
)
"""Model, protocol, noise and answer of what sums bits and larger numbers alike."""

SUM_CURVES: Final = (
    *(Curve(SUMS, model, system, noise, WithBound(answer)) for model, system, noise, answer in ANY_BOUND),
    Curve(SUMS, ONE_MESSAGE, "clipped discrete Laplace", PUBLISHED, _published_numbers),
    Curve(SUMS, ONE_MESSAGE, "clipped discrete Laplace", LEAST, _least_numbers),
    *(Curve(SUMS, ONE_MESSAGE, title, LEAST, OfNumbers(name)) for title, name in _OF_A_NUMBER),
    Curve(SUMS, ONE_MESSAGE, "Gaussian", LEAST, OfNumbers(GAUSSIAN, tail=_TAIL)),  # and none is purely local
    Curve(SUMS, LOCAL, "local clipped discrete Laplace", PURE, _local_numbers),
    *(Curve(SUMS, LOCAL, f"local {title}", PURE, OfNumbers(name, is_local=True)) for title, name in _OF_A_NUMBER),
)


_SAMPLED: Final = Fraction(9, 10)
"""The share of the largest rate at which people are sampled: nearer to it the threshold grows without bound."""
_RATE_BITS: Final = 20
"""Rates are short fractions: nothing depends on more digits of them."""
_LOCAL_POINTS: Final = 9
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
    gamma = 1 - protocol.noise.p  # type: ignore[union-attr]
    answer = answer_of(question, protocol, {"gamma": gamma}, level, promised=promised)
    return replace(answer, error=in_people(answer.error, question.n))


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
    least = local_lower_bound(question.n, eps=question.eps, beta=question.beta, points=_LOCAL_POINTS).error
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
    parameters = {"gamma": 2 * min(p for _, p in protocol.tabulated.rows[0])}
    if shuffled:
        return answer_of(question, protocol, parameters, level)
    error = optimal_accuracy(protocol, beta=question.beta)
    return Answer(error, protocol.communication(), parameters, level, pure=question.eps)


# --- Any protocol whose table of names says that it sums bits -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _OfName:
    """The answer of a protocol by its entry in the table of names, with the noise of its theorem or the least."""

    name: str
    by_theorem: bool

    def __call__(self, question: Question) -> Answer:
        entry = ENTRIES[self.name]
        protocol: Any
        if self.by_theorem:
            protocol = resolve_name(entry.from_theorem)(question.n, eps=question.eps, delta=question.delta)
        else:
            protocol = calibrated(question, entry.calibrated_as or entry.name).protocol
        values = {name: getattr(protocol, name) for name in entry.shown}
        shown = {name: value for name, value in values.items() if isinstance(value, Fraction | int)}
        return answer_of(question, protocol, shown, THEOREM if self.by_theorem else ENOUGH)


def _of_names() -> Iterator[Curve]:
    for entry in ENTRIES.values():
        system = entry.name.replace("-", " ")
        if entry.sums_bits and entry.from_theorem:
            yield Curve(BITS, entry.sums_bits, system, PUBLISHED, _OfName(entry.name, by_theorem=True))
        if entry.sums_bits and entry.family:
            yield Curve(BITS, entry.sums_bits, system, LEAST, _OfName(entry.name, by_theorem=False))


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
    parameters: dict[str, Number | int] = {"rate": protocol.rate, "threshold": protocol.threshold}
    return answer_of(question, protocol, parameters, level, is_coarse=True)


BIT_CURVES: Final = (
    *(Curve(BITS, model, system, noise, WithBound(answer, bits=True)) for model, system, noise, answer in ANY_BOUND),
    *_of_names(),
    Curve(BITS, MESSAGES, "zsum", PUBLISHED, _zsum_published),
    Curve(BITS, MESSAGES, "zsum", LEAST, _zsum_least),
    Curve(BITS, ONE_MESSAGE, "sample and threshold", PUBLISHED, _sampled_published),
    Curve(BITS, ONE_MESSAGE, "sample and threshold", LEAST, _sampled_least),
    Curve(BITS, ONE_MESSAGE, "randomized response", PUBLISHED, _response_published),
    Curve(BITS, ONE_MESSAGE, "randomized response", LEAST, _response_least),
    Curve(BITS, LOCAL, "local randomized response", PURE, _response_local),
    Curve(BITS, LOCAL, "best of all local protocols", PURE, _best_local),
)
