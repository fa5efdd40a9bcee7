"""Whatever a public function answers by default can be printed, formatted and turned into a float, at every size."""

import warnings
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache

import pytest

import exactdp as xdp
from exactdp import bounds, protocols
from exactdp.errors import FloatUnderflowWarning, TooLargeError
from exactdp.numbers.exact_fraction import ExactFraction
from tests.together import together

LARGE = 10**6
LONG = Fraction(3**9000, 7**9000 + 2)
"""Its numerator and its denominator have thousands of digits, as a user may pass them."""


@cache
def response(n, gamma="1/2"):
    return protocols.k_ary(n, 2, gamma=gamma)


@cache
def ternary(n):
    return xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/2"), n)


def every_answer(profile, exp_eps="21/20"):
    """What a profile answers with exact numbers."""
    pair = profile.worst_pair(exp_eps=exp_eps)
    return [profile.delta(exp_eps=exp_eps), profile.exact_delta(exp_eps=exp_eps), pair, pair.exp_eps, pair.delta]


def interval_ends():
    interval = xdp.Binomial(LARGE, "1/1000").sf(3000)
    return [interval, interval.lo, interval.hi]


ANSWERS = {
    # profiles and divergences
    "PrivacyProfile": lambda: every_answer(response(10**4).privacy_profile()),
    "PrivacyProfile of one pair": lambda: every_answer(response(20000).pair_profile({0: 19999, 1: 1}, {0: 20000})),
    "PrivacyProfile of noise": lambda: every_answer(protocols.zsum(2 * 10**4, gamma="1/2").privacy_profile()),
    "PrivacyProfile at a million": lambda: [response(LARGE).privacy_profile().delta(exp_eps="21/20")],
    "PrivacyProfile.epsilon": lambda: [response(300).privacy_profile().epsilon("1e-6").argument],
    "TradeoffBounds": lambda: (t := xdp.shift_profile(xdp.DiscreteGaussian(100)).tradeoff(), t(LONG), t.lower(LONG)),
    "TradeoffFunction": lambda: (t := ternary(5).privacy_profile().tradeoff(), t.vertices, t(LONG)),
    "WorstPair": lambda: ternary(300).pair_profile({0: 300}, {0: 299, 1: 1}).worst_pair(exp_eps=2),
    "Bracket": lambda: (b := ternary(300).privacy_profile().bracket(exp_eps=2), b.lower, b.upper, b.attained_by),
    "ComposedProfile": lambda: xdp.shift_profile(xdp.DiscreteLaplace(2)).compose(5000).delta(exp_eps=2),
    "compose": lambda: xdp.compose(ternary(2).privacy_profile(), ternary(3).privacy_profile()).delta(exp_eps=2),
    "shift_profile": lambda: every_answer(xdp.shift_profile(xdp.Binomial(2 * 10**4, "1/2"))),
    "hockey_stick_divergence": lambda: xdp.hockey_stick_divergence(*two_laws(), exp_eps="21/20"),
    "total_variation_distance": lambda: xdp.total_variation_distance(*two_laws()),
    "smoothness_delta": lambda: xdp.smoothness_delta(xdp.Binomial(10**5, "1/3"), k=1, exp_eps="101/100"),
    # laws
    "Law": lambda: (law := two_laws()[0], law.prob((750, 750)), [law.prob((1500, 0))], law.map(lambda c: c[0]).mean()),
    "Binomial": lambda: law_answers(xdp.Binomial(LARGE, "1/2"), 1000, xdp.Binomial(9, LONG)),
    "BinomialSum": lambda: law_answers(xdp.BinomialSum(10**4, "1/2", 10**4, "1/3"), 9000),
    "NegativeBinomial": lambda: law_answers(xdp.NegativeBinomial(5, "1/2"), 10**5, xdp.NegativeBinomial(2, LONG)),
    "Geometric": lambda: law_answers(xdp.Geometric("1/2"), 10**5),
    "DiscreteLaplace": lambda: law_answers(xdp.DiscreteLaplace(2), 10**4),
    "Laplace": lambda: (law := xdp.Laplace(LONG), law.mean, law.variance, law.sf(LONG), law.accuracy("1/20")),
    "DiscreteUniform": lambda: law_answers(xdp.DiscreteUniform(0, 10**5), 10**4),
    "DiscreteGaussian": lambda: (xdp.DiscreteGaussian(LARGE).pmf(3), xdp.DiscreteGaussian(LARGE).mean),
    "Poisson": lambda: (xdp.Poisson(LONG).mean, xdp.Poisson(LARGE).sf(LARGE), xdp.Poisson(0).exact_cdf(3)),
    # protocols
    "Randomizer": lambda: xdp.randomized_response(2, gamma=LONG).table(),
    "randomized_response": lambda: xdp.randomized_response(3, gamma=LONG).local_epsilon().argument,
    "LogRational": lambda: xdp.LogRational(1 / LONG).argument,
    "Interval": interval_ends,
    "Analyzer": lambda: xdp.Analyzer({0: LONG}, offset=LONG).estimate({0: LARGE}),
    "ShuffleProtocol": lambda: response(LARGE, LONG).estimate([3, LARGE - 3]),
    "AdditiveProtocol": lambda: xdp.AdditiveProtocol(xdp.Binomial(3, "1/2"), analyzer=xdp.Analyzer({0: LONG})).estimate(
        2
    ),
    "ExponentialMechanism": lambda: (m := long_scores()) and (m.scores, m.sensitivity, m.accuracy("1/20")),
    "exponential_mechanism": lambda: (long_scores().utility("1/20"), long_scores().probability(0, "x")),
    "Sensitivity": lambda: xdp.sensitivity(lambda x: LONG * len(set(x)), "ab", 3),
    "sensitivity": lambda: xdp.sensitivity(lambda x: (LONG, x.count("a")), "ab", 3).value,
    "optimal_accuracy": lambda: xdp.optimal_accuracy(protocols.zsum(LARGE, gamma=LONG), beta="1/20"),
    "least_local_error": lambda: xdp.least_local_error(6, exp_eps="29/7"),
    "local_lower_bound": lambda: xdp.local_lower_bound(20, exp_eps=3, beta="1/20", points=3),
    "calibrate": lambda: (
        (c := xdp.calibrate("zsum", n=500, eps=1, delta="1e-3", grid="1/1024")) and (c.parameter, c.grid)
    ),
}

BOUNDS = {
    "PrivacyBound": lambda: bounds.smooth_noise_bound(eps=LONG, delta=LONG, k=1, linf=1, l1=2),
    "VariationRatio": lambda: (v := bounds.VariationRatio(1 / LONG, "1/3", 2), v.alpha, v.r),
    "SampleThreshold": lambda: bounds.sample_threshold_worst(400, alpha="1/4", exp_eps=2),
    "clones_delta": lambda: bounds.clones_delta(3000, exp_eps0=3, exp_eps="11/10"),
    "stronger_clones_delta": lambda: bounds.stronger_clones_delta(3000, exp_eps0=3, exp_eps="11/10"),
    "variation_ratio_delta": lambda: bounds.variation_ratio_delta(
        3000, bounds.response_parameters(3, exp_eps0=3), exp_eps="11/10"
    ),
    "zsum_rounded_gamma": lambda: bounds.zsum_rounded_gamma(LARGE, eps=1, delta=LONG),
    "zsum_expected_messages": lambda: bounds.zsum_expected_messages(1, gamma=LONG),
    "histogram_expected_messages": lambda: bounds.histogram_expected_messages(10, gamma=LONG),
    "smooth_noise_bound": lambda: bounds.smooth_noise_bound(eps=LONG, delta=LONG, k=1, linf=1, l1=2),
    "component_colourings": lambda: bounds.component_colourings(300, modulus=3, messages=3),
    "split_and_mix_excess": lambda: bounds.split_and_mix_excess(300, modulus=3, messages=3),
    "sample_threshold_parameters": lambda: bounds.sample_threshold_parameters(eps=1, delta="1e-6"),
    "correlated_counting_slack": lambda: bounds.correlated_counting_slack(eps=1, delta="1e-6"),
    "zsum_slack": lambda: bounds.zsum_slack(LARGE, eps=1, delta="1e-6"),
}


@cache
def long_scores():
    table = {"x": {0: 2000 + LONG, 1: LONG}, "y": {0: 1999 + LONG, 1: 1 + LONG}}
    return xdp.exponential_mechanism(table, exp_eps=4)


@cache
def two_laws():
    return view(1500, 0), view(1500, 1)


def view(n, ones):
    protocol = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), n)
    return protocol.law({0: n - ones, 1: ones})


def law_answers(law, k, *others):
    exact = [law.exact_pmf(k), law.exact_cdf(k), law.exact_sf(k)]
    return [
        law,
        *exact,
        law.mean,
        law.variance,
        *((other.mean, other.variance, other.exact_pmf(1)) for other in others),
    ]


def numbers_in(value):
    """All numbers of an answer, however it holds them."""
    if isinstance(value, (Fraction, xdp.Interval)):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from numbers_in(entry)
    elif isinstance(value, (tuple, list)):
        for entry in value:
            yield from numbers_in(entry)
    elif is_dataclass(value) and not isinstance(value, (xdp.Law, xdp.Randomizer, xdp.LogRational)):
        if type(value).__module__.startswith("exactdp.laws"):
            return
        for field in fields(value):
            yield from numbers_in(getattr(value, field.name))


@together("name", [*ANSWERS, *BOUNDS])
def test_every_default_answer_prints_formats_and_goes_to_float(name):
    answer = {**ANSWERS, **BOUNDS}[name]()
    found = list(numbers_in(answer))
    assert found or isinstance(answer, xdp.Interval)
    for number in found:
        assert isinstance(number, (ExactFraction, xdp.Interval)), f"{name} answers with a {type(number).__name__}"
        texts = repr(number), str(number), f"{number}", *([f"{number:.3e}"] if isinstance(number, Fraction) else [])
        assert all(0 < len(text) <= 80 for text in texts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloatUnderflowWarning)
            if not isinstance(number, Fraction) or number < 10**308:
                assert isinstance(float(number), float)
            else:
                with pytest.raises(TooLargeError, match="is above every float"):
                    float(number)
    for value in answer if isinstance(answer, (tuple, list)) else [answer]:
        assert repr(value)
        assert str(value)


def test_every_public_name_is_asked_or_answers_with_no_exact_number():
    silent = {
        *("Calibration", "Certificate", "Claim", "Exact", "ExactDPError", "ExactFraction", "Family", "Neighbors"),
        "OpenClaim",
        *("Real", "Verdict", "certify", "verify", "find_counterexample", "protocols", "sample", "sample_blocks"),
        *("is_private", "PrivacyDecision", "CrossCheck", "cross_check", "local_histogram_users"),
    }
    assert set(xdp.__all__) <= {*ANSWERS, *silent}
    by_interval = {
        name
        for name in bounds.__all__
        if getattr(bounds, name).__annotations__.get("return") in ("Interval", "int", "bool")
    }
    assert set(bounds.__all__) - by_interval <= {
        *BOUNDS,
        *("SlackRow", "SmoothnessBound"),  # what zsum_slack and binomial_smoothness_bound return
        *("binomial_smoothness_bound", "histogram_privacy_bound", "zsum_privacy_bound", "sample_threshold_worst"),
        *("CorrelatedNoise", "correlated_counting_noise", "negative_binomial_mechanism", "poisson_mechanism"),
        *("family_parameters", "response_parameters", "split_and_mix_message_counts"),
    }
