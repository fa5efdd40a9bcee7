"""The negative binomial and the Poisson mechanism against the exact hockey-stick divergence."""

from fractions import Fraction
from itertools import product
from math import exp, log

import mpmath
import pytest

from exactdp.bounds import negative_binomial_mechanism, poisson_mechanism
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.laws import NegativeBinomial, Poisson
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.real import Real, as_real
from exactdp.protocols.protocol import shift_profile
from tests.oracles.high_precision import contains, sixty_digits
from tests.together import together

EPS = [1, "1/2", "1/100", LogRational("3/2")]
DELTAS = [1, "9/10", "1/10", "1e-9", "1e-60"]


@together("eps", EPS)
@together("delta", DELTAS)
def test_negative_binomial_noise_is_enough(eps, delta):
    law = negative_binomial_mechanism(eps=eps, delta=delta)
    assert law.is_log_concave
    assert shift_profile(law).delta(eps=eps) <= Fraction(delta)


@pytest.mark.parametrize("sensitivity", [2, 5])
@pytest.mark.parametrize("delta", ["1/10", "1e-9"])
def test_negative_binomial_noise_is_enough_for_larger_sensitivities(sensitivity, delta):
    law = negative_binomial_mechanism(eps=1, delta=delta, sensitivity=sensitivity)
    assert shift_profile(law, shift=sensitivity).delta(eps=1) <= Fraction(delta)


@together("eps", [*EPS, 3])
@together("delta", DELTAS)
@together("sensitivity", [1, 4])
def test_poisson_noise_is_enough(eps, delta, sensitivity):
    law = poisson_mechanism(eps=eps, delta=delta, sensitivity=sensitivity)
    assert shift_profile(law, shift=sensitivity).delta(eps=eps) <= Fraction(delta)


def test_the_constants():
    with sixty_digits():
        law = negative_binomial_mechanism(eps="1/2", delta="1/100", sensitivity=3)
        assert contains(enclose_real(as_real(law.r, name="r"), relative_bits=150), 3 * (1 + mpmath.log(100)))
        assert contains(enclose_real(as_real(law.p, name="p"), relative_bits=150), mpmath.exp(mpmath.mpf(-1) / 30))
        gap = 1 - mpmath.exp(mpmath.mpf(-1) / 6)
        mean = 16 * mpmath.log(1000) / gap**2 + 6 / gap
        law = poisson_mechanism(eps="1/2", delta="1/100", sensitivity=3)
        assert contains(enclose_real(as_real(law.mu, name="mu"), relative_bits=150), mean)


def test_other_constants_are_not_enough():
    """A fifth of r, or p = e^-eps in the place of e^(-eps/5), misses delta = 10^-9 at eps = 1."""
    size = 1 + Real.log(10**9)
    for law in (NegativeBinomial(Fraction(3, 5) * size, Real.exp("-1/5")), NegativeBinomial(3 * size, Real.exp(-1))):
        assert shift_profile(law).delta(eps=1) > Fraction(1, 10**9)


def test_the_steps_of_the_proof():
    """a <= E[W] / 6, v >= 5 Delta - 1, f is below -1/3, and Poisson's exponent of the upper tail."""
    with sixty_digits():
        for eps, change in product(map(mpmath.mpf, ("1e-6", "0.1", "0.5", "1")), (1, 2, 7)):
            p = mpmath.exp(-eps / (5 * change))
            assert 6 * (1 - p) <= mpmath.exp(eps / change) - p
            assert p / (1 - p) >= 5 * change - 1
            gap = 1 - mpmath.exp(-eps / change)
            assert (gap / 2) ** 2 / (2 + gap / 2) >= gap**2 / 10
        for v in (4, 5, 10, 100, 10**6):
            x = mpmath.mpf(3) / (1 + v)
            assert mpmath.log(1 + x) <= x * (x + 2) / (2 * (1 + x))
            assert -mpmath.log(4) + (1 + mpmath.mpf(v) / 4) * mpmath.log(1 + x) <= -mpmath.mpf(1) / 3


@pytest.mark.parametrize("delta", ["9/10", "1/10", "1e-9"])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_less_noise_is_enough(delta, sensitivity):
    """The least parameters that are proved to be, below those that are printed, rounded up."""
    size = log(1 / Fraction(delta))
    r, p = Fraction(max(3, 3 * size)) * (1 + Fraction(1, 10**9)), Real.exp(Fraction(-1, 5 * sensitivity))
    assert shift_profile(NegativeBinomial(r, p), shift=sensitivity).delta(eps=1) <= Fraction(delta)
    gap = 1 - exp(-1 / sensitivity)
    mu = Fraction(max(10 * size / gap**2, 2 * sensitivity / gap)) * (1 + Fraction(1, 10**9))
    assert shift_profile(Poisson(mu), shift=sensitivity).delta(eps=1) <= Fraction(delta)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: negative_binomial_mechanism(eps=0, delta="1/2"),
            "The negative binomial mechanism needs 0 < eps <= 1, but eps=0. Pass eps in (0, 1].",
        ),
        (
            lambda: negative_binomial_mechanism(eps=2, delta="1/2"),
            "The negative binomial mechanism needs 0 < eps <= 1, but eps=2. Pass eps in (0, 1].",
        ),
        (
            lambda: negative_binomial_mechanism(eps=1, delta=0),
            "The negative binomial mechanism needs 0 < delta <= 1, but delta=0. Pass delta in (0, 1].",
        ),
        (
            lambda: poisson_mechanism(eps=0, delta="1/2"),
            "The Poisson mechanism needs 0 < eps < infinity, but eps=0. Pass a positive number.",
        ),
        (
            lambda: poisson_mechanism(eps=1, delta=2),
            "The Poisson mechanism needs 0 < delta <= 1, but delta=2. Pass delta in (0, 1].",
        ),
    ],
)
def test_the_hypothesis_that_fails_is_named(call, message):
    with pytest.raises(HypothesisError) as error:
        call()
    assert str(error.value) == message


def test_a_sensitivity_is_a_positive_integer():
    with pytest.raises(InvalidValueError, match="sensitivity=0"):
        negative_binomial_mechanism(eps=1, delta="1/2", sensitivity=0)
