"""The negative binomial and the Poisson mechanism against the exact hockey-stick divergence."""

from fractions import Fraction

import mpmath
import pytest

from exactdp.bounds import negative_binomial_mechanism, poisson_mechanism
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.kernel.balls import enclose_real
from exactdp.laws import NegativeBinomial
from exactdp.numbers.real import Real, as_real
from exactdp.privacy.epsilon import LogRational
from exactdp.protocol import shift_profile
from tests.oracles.high_precision import contains, sixty_digits

EPS = [1, "1/2", "1/100", LogRational("3/2")]
DELTAS = [1, "9/10", "1/10", "1e-9", "1e-60"]


@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("delta", DELTAS)
def test_negative_binomial_noise_is_enough(eps, delta):
    law = negative_binomial_mechanism(eps=eps, delta=delta)
    assert law.is_log_concave
    assert shift_profile(law).delta(eps=eps) <= Fraction(delta)


@pytest.mark.parametrize("sensitivity", [2, 5])
@pytest.mark.parametrize("delta", ["1/10", "1e-9"])
def test_negative_binomial_noise_is_enough_for_larger_sensitivities_tried(sensitivity, delta):
    law = negative_binomial_mechanism(eps=1, delta=delta, sensitivity=sensitivity)
    assert shift_profile(law, shift=sensitivity).delta(eps=1) <= Fraction(delta)


@pytest.mark.parametrize("eps", [*EPS, 3])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("sensitivity", [1, 4])
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
    """a <= E[W] / 6, f falls in v and is at most -0.66 where it begins; 3 * 0.66 >= 1."""
    with sixty_digits():
        for eps in map(mpmath.mpf, ("1e-6", "0.1", "0.5", "1")):
            p = mpmath.exp(-eps / 5)
            assert (1 - p) / (mpmath.exp(eps) - p) <= mpmath.mpf(1) / 6

        c = mpmath.mpf(1) / 6

        def f(v):
            q = (1 + c * v) / (1 + v)
            return mpmath.log(q) + c * v * mpmath.log(q / c)

        values = [f(v) for v in (1 / (mpmath.exp(mpmath.mpf(1) / 5) - 1), 5, 10, 100, 10**6)]
        assert values == sorted(values, reverse=True)
        assert values[0] <= mpmath.mpf("-0.66")


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
