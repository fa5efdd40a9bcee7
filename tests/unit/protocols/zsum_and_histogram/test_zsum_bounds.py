"""The zsum theorem's constants, privacy and accuracy, against exact probabilities."""

from fractions import Fraction
from itertools import pairwise
from math import floor

import mpmath
import pytest

from exactdp import protocols
from exactdp.bounds import (
    PrivacyBound,
    least_tanh_integer,
    published_zsum_delta,
    refined_zsum_delta,
    refined_zsum_mu,
    tanh_constant,
    zsum_accuracy,
    zsum_constant,
    zsum_expected_messages,
    zsum_gamma,
    zsum_least_n,
    zsum_most_messages,
    zsum_mu,
    zsum_privacy_bound,
    zsum_rounded_gamma,
    zsum_theorem_accuracy,
    zsum_vacuity_bound,
)
from exactdp.errors import HypothesisError, TooLargeError
from exactdp.laws import Binomial
from exactdp.numbers.epsilon import LogRational
from exactdp.protocols.protocol import shift_profile
from tests.oracles.high_precision import contains, number, sixty_digits
from tests.thinned import thinned
from tests.together import together
from tests.unit.protocols.zsum_and_histogram.error_law import binomial_weights, failures, worst_failure

HALF = Fraction(1, 2)
GOALS = [
    (1, "1e-6"),
    (1, 1),
    (1, "1/2"),
    ("1/2", "1e-9"),
    ("1/100", "1/100"),
    ("99/100", "999/1000"),
    (LogRational(2), "1e-5"),
    (LogRational("5/4"), "1/10"),
]


def eps_number(eps):
    return mpmath.log(number(eps.argument)) if isinstance(eps, LogRational) else number(Fraction(eps))


def theorem_mu(eps, delta):
    return 50 * mpmath.log(2 / number(Fraction(delta))) / eps_number(eps) ** 2


# --- Constants ------------------------------------------------------------------------------------------------------


def test_five_is_the_least_integer_and_four_fails_at_one():
    assert least_tanh_integer() == 5
    assert zsum_constant() == 50
    with sixty_digits():
        real = 1 / mpmath.tanh(HALF) ** 2
        assert contains(tanh_constant(relative_bits=200), real)
        for eps in map(mpmath.mpf, ("1e-9", "0.1", "0.5", "0.9", "1")):
            assert mpmath.tanh(eps / 2) >= eps / mpmath.sqrt(5)
            assert mpmath.tanh(eps / 2) >= eps / mpmath.sqrt(real) - mpmath.mpf(10) ** -60
        assert mpmath.tanh(HALF) < 1 / mpmath.sqrt(4)
        ratios = [mpmath.tanh(x) / x for x in mpmath.linspace("0.001", "0.5", 200)]
        assert all(a > b for a, b in pairwise(ratios))


@pytest.mark.parametrize(("eps", "delta"), GOALS)
def test_noise(eps, delta):
    with sixty_digits():
        mu = theorem_mu(eps, delta)
        assert contains(zsum_mu(eps=eps, delta=delta), mu)
        least = zsum_least_n(eps=eps, delta=delta)
        assert least - 1 < 2 * mu <= least
        assert zsum_privacy_bound(least, eps=eps, delta=delta).delta == Fraction(delta)
        for n in (least, least + 1, 10**9, 10**18):
            assert contains(zsum_gamma(n, eps=eps, delta=delta), mu / n)
            rounded = zsum_rounded_gamma(n, eps=eps, delta=delta)
            assert 0 <= number(rounded) - mu / n < mpmath.mpf(2) ** -53
            assert (rounded * 2**53).denominator == 1
            assert 0 < rounded <= HALF
        with pytest.raises(HypothesisError, match=f"Use n of at least {least}, or a larger eps or delta"):
            zsum_gamma(least - 1, eps=eps, delta=delta)


@pytest.mark.parametrize(("eps", "delta"), [*GOALS, (5, "1e-6"), (LogRational(1000), "1e-3")])
def test_refined_noise(eps, delta):
    with sixty_digits():
        mu = 10 / mpmath.tanh(eps_number(eps) / 2) ** 2 * mpmath.log(2 / number(Fraction(delta)))
        least = int(mpmath.ceil(2 * mu))
        assert contains(refined_zsum_mu(least, eps=eps, delta=delta), mu)
        with pytest.raises(HypothesisError, match="The refined zsum bound needs n >= 2 mu"):
            refined_zsum_mu(least - 1, eps=eps, delta=delta)


# --- Privacy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("eps", "delta"), GOALS)
def test_the_theorem_covers_the_exact_delta(eps, delta):
    least = zsum_least_n(eps=eps, delta=delta)
    for n in (least, 2 * least + 1, 10**9, 10**15):
        bound = zsum_privacy_bound(n, eps=eps, delta=delta)
        assert bound == PrivacyBound(eps if isinstance(eps, LogRational) else Fraction(eps), Fraction(delta))
        exact = protocols.zsum_from_theorem(n, eps=eps, delta=delta).privacy_profile().delta(eps=eps)
        assert exact <= bound.delta


@pytest.mark.parametrize(("eps", "delta"), [*GOALS, (5, "1e-6"), (LogRational(1000), "1e-3")])
def test_the_refined_noise_covers_the_exact_delta(eps, delta):
    mu = 10 / mpmath.tanh(eps_number(eps) / 2) ** 2 * mpmath.log(2 / number(Fraction(delta)))
    for n in (int(mpmath.ceil(2 * mu)), 10**8):
        gamma = min(HALF, refined_zsum_mu(n, eps=eps, delta=delta).hi / n)
        assert shift_profile(Binomial(n, gamma)).delta(eps=eps) <= Fraction(delta)


@together("n", [1, 2, 10, 70, 139, 1000, 10**5, 10**9])
@together("gamma", [HALF, Fraction(1, 5), Fraction(1, 1000), Fraction(1, 2**53)])
@together("eps", ["1/1000", "1/2", 1, LogRational(2), 3, 20])
def test_closed_forms_cover_the_exact_delta_and_each_other(n, gamma, eps):
    """Also where n gamma is so small that they claim nothing, and no further hypothesis is needed."""
    exact = shift_profile(Binomial(n, gamma)).delta(eps=eps)
    refined = refined_zsum_delta(n, gamma=gamma, eps=eps, relative_bits=200)
    assert exact <= refined
    if isinstance(eps, LogRational) or Fraction(eps) <= 1:
        assert refined <= published_zsum_delta(n, gamma=gamma, eps=eps, relative_bits=200)


def test_closed_forms_have_their_constants():
    with sixty_digits():
        for n, gamma, eps in ((1000, HALF, 1), (500, Fraction(1, 7), Fraction(1, 3))):
            mu, half = number(gamma) * n, number(eps) / 2
            assert contains(published_zsum_delta(n, gamma=gamma, eps=eps), 2 * mpmath.exp(-4 * half**2 * mu / 50))
            assert contains(
                refined_zsum_delta(n, gamma=gamma, eps=eps), 2 * mpmath.exp(-(mpmath.tanh(half) ** 2) * mu / 10)
            )


def test_a_smaller_constant_breaks_the_chain_at_one():
    """With 46 in the place of 50 (4.6 for 5) the published form falls below the refined one at eps = 1; 47 does not."""
    with sixty_digits():
        mu = mpmath.mpf(500)
        refined = refined_zsum_delta(1000, gamma=HALF, eps=1, relative_bits=100)
        assert 2 * mpmath.exp(-mu / 40) < 2 * mpmath.exp(-mu / 46) < number(refined.lo)
        assert number(refined.hi) < 2 * mpmath.exp(-mu / 47)


# --- Accuracy -------------------------------------------------------------------------------------------------------


def failure(n, gamma, k, alpha):
    """P[|estimate - k/n| > alpha] where k users hold 1, by listing W ~ Bin(n, gamma), the number of silent users."""
    protocol = protocols.zsum(n, gamma=gamma)
    wrong = 0
    weights = binomial_weights(n, gamma)
    for silent, weight in enumerate(weights):
        if abs(protocol.estimate(k + n - silent) - Fraction(k, n)) > alpha:
            wrong += weight
    return Fraction(wrong, sum(weights))


@pytest.mark.parametrize("gamma", [Fraction(1, 10), HALF])
@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 3), Fraction(7, 10)])
def test_the_exact_error_law(gamma, alpha):
    for n in (1, 8, 15):
        wrong, total = failures(n, gamma, alpha)
        assert [Fraction(each, total) for each in wrong] == [failure(n, gamma, k, alpha) for k in range(n + 1)]


@together("n", [1, 2, 7, 25, 40, 200])
@together("gamma", [Fraction(1, 50), Fraction(1, 6), HALF, Fraction(9, 10), Fraction(1)])
@together("beta", ["999/1000", "1/2", "1/20", "1/10000"])
def test_accuracy_for_every_beta(n, gamma, beta):
    alpha = zsum_accuracy(n, gamma=gamma, beta=beta).lo
    assert worst_failure(n, gamma, alpha) <= Fraction(beta)


def test_accuracy_has_its_constants():
    with sixty_digits():
        level = mpmath.log(20) / 100
        h = (level + mpmath.sqrt(level**2 + 8 * level)) / 2
        assert contains(zsum_accuracy(1000, gamma="1/10", beta="1/20"), (1 + h) / 10)
        assert abs(h**2 / (2 + h) - level) < mpmath.mpf(10) ** -60


@pytest.mark.parametrize("eps", thinned([1, "3/4", "1/2"], every=2))
@pytest.mark.parametrize("delta", ["9/10", "1/2"])
def test_accuracy_for_beta_from_a_power_of_delta(eps, delta):
    """From the least n that the theorem admits, for every true count, at beta = delta^25; gamma alone is too small."""
    beta = Fraction(delta) ** 25
    for times in (1, 3):
        n = times * zsum_least_n(eps=eps, delta=delta)
        gamma = zsum_rounded_gamma(n, eps=eps, delta=delta)
        alpha = zsum_theorem_accuracy(n, eps=eps, delta=delta, beta=beta)
        with sixty_digits():
            constant = 1 + (1 + mpmath.sqrt(17)) / 4 * number(Fraction(eps))
            assert contains(alpha, number(gamma) * constant)
        assert zsum_accuracy(n, gamma=gamma, beta=beta) <= alpha
        assert alpha == zsum_theorem_accuracy(n, eps=eps, delta=delta)
        assert worst_failure(n, gamma, alpha.lo) <= beta < worst_failure(n, gamma, gamma)


@pytest.mark.parametrize("n", [12, 30])
@pytest.mark.parametrize("gamma", [Fraction(1, 10), Fraction(1, 3), HALF])
def test_a_large_error_needs_many_silent_users_and_a_large_count(n, gamma):
    """The deterministic step of the proof, at every outcome."""
    for h in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(2)):
        bar = (1 + h) * gamma
        for k in range(n + 1):
            for silent in range(n + 1):
                estimate = Fraction(k - silent, n) + gamma if silent < k else Fraction(0)
                if abs(estimate - Fraction(k, n)) > bar:
                    assert silent > bar * n
                    assert k > bar * n


@pytest.mark.parametrize("gamma", [Fraction(1, 4), HALF])
def test_the_term_gamma_is_needed(gamma):
    """With k = floor(mu/2) ones the error is at least k/n with certainty."""
    n = 40
    k = floor(n * gamma / 2)
    wrong, total = failures(n, gamma, Fraction(k, n) - Fraction(1, 10**9))
    assert wrong[k] == total


def test_vacuity():
    with sixty_digits():
        for eps, delta in GOALS:
            constant = 1 + (1 + mpmath.sqrt(17)) / 4 * eps_number(eps)
            bound = zsum_vacuity_bound(eps=eps, delta=delta)
            assert contains(bound, constant * theorem_mu(eps, delta))
            if Fraction(delta) == 1:
                continue
            for n in (floor(bound.lo), floor(bound.hi) + 2):
                if n >= zsum_least_n(eps=eps, delta=delta):
                    alpha = zsum_theorem_accuracy(n, eps=eps, delta=delta)
                    assert alpha.compare(1) == (1 if n <= bound.lo else -1)
    assert zsum_vacuity_bound(eps="3/4", delta="1/2") < zsum_least_n(eps="3/4", delta="1/2")
    assert zsum_vacuity_bound(eps="4/5", delta="1e-9") > zsum_least_n(eps="4/5", delta="1e-9")


def test_messages():
    gamma = Fraction(1, 7)
    table = protocols.zsum_randomizer(gamma=gamma).table()
    for x in (0, 1):
        assert sum(len(sent) * p for sent, p in table[x].items()) == zsum_expected_messages(x, gamma=gamma)
    assert max(len(sent) for row in table.values() for sent in row) == zsum_most_messages() == 2


# --- Hypotheses -----------------------------------------------------------------------------------------------------

N = 2000
RANGES = [
    ({"eps": 0}, "The zsum theorem needs 0 < eps <= 1, but eps=0. Pass eps in (0, 1]."),
    ({"eps": "-1/2"}, "The zsum theorem needs 0 < eps <= 1, but eps=-1/2. Pass eps in (0, 1]."),
    ({"eps": "1001/1000"}, "The zsum theorem needs 0 < eps <= 1, but eps=1001/1000. Pass eps in (0, 1]."),
    ({"eps": LogRational(3)}, "The zsum theorem needs 0 < eps <= 1, but eps=ln(3). Pass eps in (0, 1]."),
    ({"eps": LogRational(1)}, "The zsum theorem needs 0 < eps <= 1, but eps=ln(1). Pass eps in (0, 1]."),
    ({"eps": LogRational(None)}, "The zsum theorem needs 0 < eps <= 1, but eps=infinity. Pass eps in (0, 1]."),
    ({"delta": 0}, "The zsum theorem needs 0 < delta <= 1, but delta=0. Pass delta in (0, 1]."),
    ({"delta": "3/2"}, "The zsum theorem needs 0 < delta <= 1, but delta=3/2. Pass delta in (0, 1]."),
]
SIZES = [
    ({"n": 0}, "The zsum theorem needs n >= 1, but n=0. Pass n of at least 1."),
    (
        {"n": 1450},
        (
            "The zsum theorem needs n >= 100 ln(2/delta) / eps^2, but n=1450 and 100 ln(2/delta) / eps^2 = "
            "1450.8657.... Use n of at least 1451, or a larger eps or delta."
        ),
    ),
]


@together(("changed", "message"), RANGES + SIZES)
@together(
    "bound", [zsum_gamma, zsum_rounded_gamma, zsum_privacy_bound, zsum_theorem_accuracy, protocols.zsum_from_theorem]
)
def test_the_theorem_names_the_hypothesis_that_fails(bound, changed, message):
    arguments = {"n": N, "eps": 1, "delta": "1e-6", **changed}
    with pytest.raises(HypothesisError) as error:
        bound(arguments.pop("n"), **arguments)
    assert str(error.value) == message


@together(("changed", "message"), RANGES)
@together("bound", [zsum_mu, zsum_least_n, zsum_vacuity_bound])
def test_its_numbers_name_the_range(bound, changed, message):
    with pytest.raises(HypothesisError) as error:
        bound(**{"eps": 1, "delta": "1e-6", **changed})
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: zsum_theorem_accuracy(N, eps=1, delta=1),
            (
                "The zsum theorem needs some beta with delta^25 <= beta < 1, but delta^25 = 1 for delta=1. "
                "Use a smaller delta, or the accuracy bound for every beta."
            ),
        ),
        (
            lambda: zsum_theorem_accuracy(N, eps=1, delta="1/2", beta="1/33554433"),
            (
                "The zsum theorem needs beta >= delta^25, but beta=1/33554433 and delta^25 = 1/33554432. "
                "Use a larger beta, or the accuracy bound for every beta."
            ),
        ),
        (
            lambda: zsum_theorem_accuracy(N, eps=1, delta="1/2", beta=1),
            "The zsum theorem needs 0 < beta < 1, but beta=1. Pass beta in (0, 1).",
        ),
        (
            lambda: zsum_accuracy(N, gamma="1/2", beta=0),
            "The accuracy bound needs 0 < beta < 1, but beta=0. Pass beta in (0, 1).",
        ),
        (
            lambda: zsum_accuracy(N, gamma=0, beta="1/2"),
            "The accuracy bound needs 0 < gamma <= 1, but gamma=0. Pass gamma in (0, 1].",
        ),
        (
            lambda: zsum_accuracy(0, gamma=1, beta="1/2"),
            "The accuracy bound needs n >= 1, but n=0. Pass n of at least 1.",
        ),
        (
            lambda: published_zsum_delta(10, gamma="3/5", eps=1),
            "The zsum bound needs 0 < gamma <= 1/2, but gamma=3/5. Pass gamma in (0, 1/2].",
        ),
        (
            lambda: published_zsum_delta(10, gamma="1/2", eps=2),
            "The zsum bound needs 0 < eps <= 1, but eps=2. Pass eps in (0, 1].",
        ),
        (
            lambda: refined_zsum_delta(10, gamma=0, eps=2),
            "The zsum bound needs 0 < gamma <= 1/2, but gamma=0. Pass gamma in (0, 1/2].",
        ),
        (
            lambda: refined_zsum_delta(10, gamma="1/2", eps=0),
            "The zsum bound needs 0 < eps < infinity, but eps=0. Pass a positive number.",
        ),
        (
            lambda: refined_zsum_mu(10, eps=1, delta="1/2"),
            (
                "The refined zsum bound needs n >= 2 mu, mu = 10 coth(eps/2)^2 ln(2/delta), but n=10 and "
                "2 mu = 129.83185.... Use a larger n, eps or delta."
            ),
        ),
        (
            lambda: zsum_expected_messages(2, gamma="1/2"),
            "The message count needs x in {0, 1}, but x=2. Pass a bit.",
        ),
    ],
)
def test_other_hypotheses_are_named(call, message):
    with pytest.raises(HypothesisError) as error:
        call()
    assert str(error.value) == message


def test_a_delta_that_is_too_long_is_refused():
    with pytest.raises(TooLargeError, match="delta\\^25 is longer than the limit"):
        zsum_theorem_accuracy(10**9, eps=1, delta=HALF + Fraction(1, 2**200000))


def test_the_edge_of_beta_is_allowed():
    assert zsum_theorem_accuracy(N, eps=1, delta="1/2", beta="1/33554432") < 1


def test_a_number_of_users_that_is_too_long_is_refused():
    with pytest.raises(TooLargeError) as error:
        zsum_least_n(eps="1e-3000", delta="1/2")
    assert str(error.value) == (
        "100 ln(2/delta) / eps^2 = 1.3862943e+6002... users are more than the limit of 10^1000. "
        "Use a larger eps or delta."
    )
    with pytest.raises(HypothesisError, match="Use a larger eps"):
        zsum_gamma(N, eps="1e-3000", delta="1/2")
