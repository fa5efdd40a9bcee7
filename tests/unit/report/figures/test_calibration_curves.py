"""Calibration curves: the theorem's noise, the least noise and the errors against independent computation."""

from fractions import Fraction
from functools import cache

import pytest
from mpmath import mp, mpf
from scipy.stats import binom

from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.report.figures.calibration_curves import calibration_curves, calibration_picture

N, DELTA, BETA = 2000, Fraction(1, 10**4), Fraction(1, 20)


@cache
def curves():
    return calibration_curves(N, eps=["3/4", 1], delta=DELTA, beta=BETA)


def _delta(gamma: Fraction, eps: Fraction) -> mpf:
    """The larger divergence of Bin(n, gamma) and its shift, by the falling ratio of neighbouring weights."""
    p, ratio = mpf(gamma.numerator) / gamma.denominator, mp.exp(mpf(eps.numerator) / eps.denominator)
    weight, before, first, second = (1 - p) ** N, mpf(0), mpf(0), mpf(0)
    for t in range(N + 1):
        first += max(mpf(0), weight - ratio * before)
        second += max(mpf(0), before - ratio * weight)
        before, weight = weight, weight * (N - t) * p / ((t + 1) * (1 - p))
    return max(first, second + max(mpf(0), before))


def test_noise_is_the_theorems_and_the_least() -> None:
    step = Fraction(1, 2**30)
    with mp.workdps(40):
        for level, theorem, least, evidence, *_ in curves().rows:
            eps = mpf(level.numerator) / level.denominator
            exact = 50 * mp.log(2 / mpf("1e-4")) / eps**2
            assert 0 <= mpf(theorem.numerator) / theorem.denominator - exact < 1e-9
            assert _delta(least / N, level) <= mpf("1e-4") < _delta(least / N - step, level)
            assert evidence == "certificate"


def test_errors_are_quantiles_of_the_noise() -> None:
    for _, theorem, least, _, published, theorem_alpha, least_alpha in curves().rows:
        for noise, alpha in ((theorem, theorem_alpha), (least, least_alpha)):
            assert isinstance(alpha, Fraction)
            t = alpha * N
            assert t.denominator == 1
            assert binom.sf(int(t), N, float(noise / N)) <= 0.05 < binom.sf(int(t) - 1, N, float(noise / N))
        assert least_alpha < theorem_alpha < published.lo


def test_the_theorem_takes_more_the_smaller_eps_is() -> None:
    (_, theorem, least, *_), (_, last_theorem, last_least, *_) = curves().rows
    assert theorem > last_theorem > last_least
    assert least > last_least
    assert theorem / least > last_theorem / last_least > 15


def test_the_picture_says_it() -> None:
    picture = calibration_picture(curves())
    high, low = (int(theorem / least) for _, theorem, least, *_ in curves().rows)
    assert picture.title == f"zsum's theorem takes {low} to {high} times the noise that is enough"
    assert "each with a certificate" in picture.caption
    assert picture.table is curves()
    assert "nan" not in picture.svg()


def test_what_is_refused() -> None:
    with pytest.raises(HypothesisError, match="needs n >= 100"):
        calibration_curves(100, eps=["1/2", 1], delta=DELTA, beta=BETA)
    with pytest.raises(InvalidValueError, match="eps=3/4 comes after eps=1, but"):
        calibration_curves(N, eps=[1, "3/4"], delta=DELTA, beta=BETA)
