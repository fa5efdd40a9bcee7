"""Lemmas 2 and 3 against exact probabilities, at their edges, and what happens outside their hypotheses."""

from fractions import Fraction
from itertools import product
from math import comb, floor

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.bounds import PrivacyBound, binomial_smoothness_bound, smooth_noise_bound
from exactdp.errors import ExactDPError, HypothesisError, InvalidValueError, TooLargeError
from exactdp.laws import Binomial, Law
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.privacy.smoothness import smoothness_delta
from tests.expensive import one_in
from tests.oracles.high_precision import contains, number, sixty_digits
from tests.together import together

HALF = Fraction(1, 2)


def not_smooth(weights, k, exp_eps):
    """The definition: the largest P[D(Y) / D(Y + k') >= E^|k'|] over 1 <= |k'| <= k; weights from 0 on, unscaled."""
    worst = 0
    for shift in (s for d in range(1, k + 1) for s in (-d, d)):
        bound = exp_eps ** abs(shift)
        bad = 0
        for y, weight in enumerate(weights):
            other = weights[y + shift] if 0 <= y + shift < len(weights) else 0
            if weight and weight >= bound * other:
                bad += weight
        worst = max(worst, bad)
    return Fraction(worst) / sum(weights)


def binomial_weights(n, gamma):
    p, q = gamma.numerator, gamma.denominator - gamma.numerator
    return [comb(n, t) * p**t * q ** (n - t) for t in range(n + 1)]


# --- Lemma 3 --------------------------------------------------------------------------------------------------------


@together("gamma", [HALF, Fraction(1, 3), Fraction(1, 10), Fraction(1, 2**53)])
@together("alpha", [Fraction(1, 10), HALF, Fraction(9, 10), Fraction(999, 1000)])
def test_lemma_three_covers_the_definition(gamma, alpha):
    for n in (1, 5, 20, 60, 100):
        for k in {1, floor(alpha * gamma * n / 2)} - {0}:
            if k > alpha * gamma * n / 2:
                continue
            bound = binomial_smoothness_bound(n, gamma=gamma, alpha=alpha, k=k)
            exact = not_smooth(binomial_weights(n, gamma), k, bound.eps.argument)
            assert exact == smoothness_delta(Binomial(n, gamma), k=k, exp_eps=bound.eps.argument)
            assert bound.delta >= exact


@together("n", [10**3, 10**4, 10**6, 10**9])
@together("gamma", [HALF, Fraction(1, 7), Fraction(1, 100)])
@together("eps", ["1/10", 1, 3, LogRational(2)])
def test_lemma_three_covers_exact_smoothness(n, gamma, eps):
    alpha = mpmath.tanh(mpmath.log(2) / 2 if isinstance(eps, LogRational) else number(Fraction(eps)) / 2)
    for k in {1, min(int(alpha * n * number(gamma) / 2), 10**5)} - {0}:
        if k > alpha * n * number(gamma) / 2:
            continue
        bound = binomial_smoothness_bound(n, gamma=gamma, eps=eps, k=k)
        assert bound.delta >= smoothness_delta(Binomial(n, gamma), k=k, eps=eps)


def test_lemma_three_has_its_constants():
    """8, and 8 + 2 alpha: the values of the printed formula at 60 digits."""
    with sixty_digits():
        for n, gamma, alpha in product((10, 1000), (HALF, Fraction(1, 5)), (Fraction(99, 100), HALF)):
            if alpha * gamma * n < 2:
                continue
            bound = binomial_smoothness_bound(n, gamma=gamma, alpha=alpha, k=1)
            a, mu = number(alpha), number(gamma) * n
            assert contains(bound.delta, mpmath.exp(-a * a * mu / 8) + mpmath.exp(-a * a * mu / (8 + 2 * a)))
            assert bound.eps == LogRational((1 + alpha) / (1 - alpha))


def test_lemma_three_from_eps():
    """alpha = tanh(eps/2): exact where e^eps is rational, and the same bound."""
    same = binomial_smoothness_bound(1000, gamma="1/4", alpha="1/2", k=62)
    assert binomial_smoothness_bound(1000, gamma="1/4", eps=LogRational(3), k=62) == same
    bound = binomial_smoothness_bound(1000, gamma="1/4", eps="1/3", k=1)
    assert bound.eps == Fraction(1, 3)
    with sixty_digits():
        alpha = mpmath.tanh(mpmath.mpf(1) / 6)
        assert contains(enclose_real(bound.alpha, relative_bits=100), alpha)
        exponent = alpha**2 * 250
        assert contains(bound.delta, mpmath.exp(-exponent / 8) + mpmath.exp(-exponent / (8 + 2 * alpha)))


def test_lemma_three_is_false_beyond_its_hypotheses():
    """k far above alpha gamma n / 2, and gamma above 1/2: the same formula is below the exact probability."""
    for n, gamma, alpha, k in ((100, HALF, Fraction(9, 10), 41), (100, Fraction(19, 20), Fraction(3, 4), 1)):
        exact = not_smooth(binomial_weights(n, gamma), k, (1 + alpha) / (1 - alpha))
        a, mu = number(alpha), number(gamma * n)
        assert number(exact) > 1.1 * (mpmath.exp(-a * a * mu / 8) + mpmath.exp(-a * a * mu / (8 + 2 * a)))
        with pytest.raises(HypothesisError):
            binomial_smoothness_bound(n, gamma=gamma, alpha=alpha, k=k)


LEMMA_3 = {"n": 100, "gamma": "1/2", "alpha": "1/2", "k": 1}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n": 0}, "Lemma 3 needs n >= 1, but n=0. Pass n of at least 1."),
        ({"n": -5}, "Lemma 3 needs n >= 1, but n=-5. Pass n of at least 1."),
        (
            {"gamma": 0},
            "Lemma 3 needs 0 < gamma <= 1/2, but gamma=0. Pass gamma in (0, 1/2], or count the failures.",
        ),
        (
            {"gamma": "501/1000"},
            ("Lemma 3 needs 0 < gamma <= 1/2, but gamma=501/1000. Pass gamma in (0, 1/2], or count the failures."),
        ),
        ({"alpha": 0}, "Lemma 3 needs 0 < alpha < 1, but alpha=0. Pass alpha in (0, 1)."),
        ({"alpha": 1}, "Lemma 3 needs 0 < alpha < 1, but alpha=1. Pass alpha in (0, 1)."),
        ({"k": 0}, "Lemma 3 needs k >= 1, but k=0. Pass k of at least 1."),
        (
            {"n": 20, "k": 5},
            (
                "Lemma 3 needs k <= alpha gamma n / 2, but k=5 and alpha gamma n / 2 = 5/2. "
                "Use a smaller k, or more noise."
            ),
        ),
        (
            {"n": 20, "k": 5, "alpha": None, "eps": 1},
            (
                "Lemma 3 needs k <= alpha gamma n / 2, but k=5 and alpha gamma n / 2 = 2.3105857.... "
                "Use a smaller k, or more noise."
            ),
        ),
        ({"alpha": None, "eps": 0}, "Lemma 3 needs 0 < eps < infinity, but eps=0. Pass a positive number."),
        (
            {"alpha": None, "eps": LogRational(None)},
            "Lemma 3 needs 0 < eps < infinity, but eps=infinity. Pass a positive number.",
        ),
    ],
)
def test_lemma_three_names_the_hypothesis_that_fails(changed, message):
    arguments = {**LEMMA_3, **changed}
    with pytest.raises(HypothesisError) as error:
        binomial_smoothness_bound(arguments.pop("n"), **arguments)
    assert str(error.value) == message


def test_lemma_three_is_decided_at_its_edge():
    """alpha gamma n / 2 = 13 at n = 104: equality is allowed."""
    assert binomial_smoothness_bound(104, gamma="1/2", alpha="1/2", k=13).k == 13
    with pytest.raises(HypothesisError):
        binomial_smoothness_bound(103, gamma="1/2", alpha="1/2", k=13)


@pytest.mark.parametrize("changed", [{"alpha": None}, {"eps": 1}, {"alpha": 0.5}, {"n": "x"}, {"relative_bits": 0}])
def test_lemma_three_refuses_other_arguments(changed):
    arguments = {**LEMMA_3, **changed}
    with pytest.raises(ExactDPError):
        binomial_smoothness_bound(arguments.pop("n"), **arguments)


# --- Lemma 2 --------------------------------------------------------------------------------------------------------


def hockey_stick_of_moved_coordinates(law, moves, exp_eps):
    """H_E of independent copies of the law against the copies moved by ``moves``, by listing all outcomes."""
    low, high = min(law), max(law)
    reach = max(map(abs, moves))
    points = range(low - reach, high + reach + 1)
    total = Fraction(0)
    for outcome in product(points, repeat=len(moves)):
        p = q = Fraction(1)
        for v, move in zip(outcome, moves, strict=True):
            p, q = p * law.prob(v), q * law.prob(v - move)
        total += max(Fraction(0), p - exp_eps * q)
    return total


@one_in(2)
@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=5),
    st.sampled_from([(1,), (-1,), (1, 1), (1, -1), (2, 1), (-1, -1), (2,), (1, 0, 1)]),
    st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)]),
)
def test_lemma_two_covers_the_exact_divergence(weights, moves, exp_eps):
    law = Law.from_weights(dict(enumerate(weights)), sum(weights))
    k, total = max(map(abs, moves)), sum(map(abs, moves))
    smooth = smoothness_delta(law, k=k, exp_eps=exp_eps)
    bound = smooth_noise_bound(eps=LogRational(exp_eps), delta=smooth, k=k, linf=k, l1=total)
    assert bound == PrivacyBound(LogRational(exp_eps**total), total * smooth)
    assert hockey_stick_of_moved_coordinates(law, moves, bound.eps.argument) <= bound.delta


def test_lemma_two_needs_the_factor_for_the_coordinates():
    """Uniform{0..3}, two coordinates up by one: 7/16, more than the one-coordinate delta 1/4, at most 2/4."""
    law = Law.from_weights(dict.fromkeys(range(4), 1), 4)
    just_above = Fraction(1001, 1000)
    assert smoothness_delta(law, k=1, exp_eps=just_above) == Fraction(1, 4)
    assert hockey_stick_of_moved_coordinates(law, (1, 1), Fraction(1)) == Fraction(7, 16)
    assert smooth_noise_bound(eps=0, delta="1/4", k=1, linf=1, l1=2).delta == Fraction(1, 2)


def test_lemma_two_after_lemma_three():
    smooth = binomial_smoothness_bound(1000, gamma="1/4", alpha="1/2", k=1)
    bound = smooth_noise_bound(eps=smooth.eps, delta=smooth.delta, k=smooth.k, linf=1, l1=2)
    assert bound.eps == LogRational(9)
    assert isinstance(bound.delta, Interval)
    assert bound.delta.lo == 2 * smooth.delta.lo
    assert bound.delta.hi == 2 * smooth.delta.hi


def test_lemma_two_of_a_constant_query():
    assert smooth_noise_bound(eps=1, delta="1/2", k=1, linf=0, l1=0) == PrivacyBound(Fraction(0), Fraction(0))


LEMMA_2 = {"eps": 1, "delta": "1/100", "k": 1, "linf": 1, "l1": 1}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"eps": "-1/2"}, "Lemma 2 needs eps >= 0, but eps=-1/2. Pass an eps of at least 0."),
        (
            {"eps": LogRational(None)},
            "Lemma 2 needs a finite eps, but eps=infinity. Pass the eps of a smooth law.",
        ),
        ({"delta": -1}, "Lemma 2 needs delta >= 0, but delta=-1. Pass a delta of at least 0."),
        ({"k": 0}, "Lemma 2 needs k >= 1, but k=0. Use noise that is smooth for k of at least 1."),
        (
            {"linf": 2, "l1": 2},
            "Lemma 2 needs ||f(X) - f(X')||_inf <= k, but linf=2 and k=1. Use noise that is smooth for a larger k.",
        ),
    ],
)
def test_lemma_two_names_the_hypothesis_that_fails(changed, message):
    with pytest.raises(HypothesisError) as error:
        smooth_noise_bound(**{**LEMMA_2, **changed})
    assert str(error.value) == message


def test_lemma_two_refuses_what_cannot_be():
    with pytest.raises(InvalidValueError, match="l1=1 is below linf=2"):
        smooth_noise_bound(eps=1, delta=0, k=2, linf=2, l1=1)
    with pytest.raises(TooLargeError, match="Pass a rational eps"):
        smooth_noise_bound(eps=LogRational(3), delta=0, k=1, linf=1, l1=10**9)
