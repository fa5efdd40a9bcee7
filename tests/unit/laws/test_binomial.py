"""Exact binomial tails against sums of math.comb and against scipy."""

import subprocess
import sys
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from exactdp import Binomial
from exactdp.errors import ExactDPError, TooLargeError
from exactdp.testing import probabilities
from tests.expensive import one_in
from tests.together import together


def weights(n, p):
    return [comb(n, t) * p**t * (1 - p) ** (n - t) for t in range(n + 1)]


@one_in(2)
@given(st.integers(0, 40), probabilities(), st.integers(-3, 45))
def test_against_plain_sums(n, p, k):
    noise, law = Binomial(n, p), weights(n, p)
    assert noise.exact_pmf(k) == (law[k] if 0 <= k <= n else 0)
    assert noise.exact_cdf(k) == sum(law[: max(k + 1, 0)])
    assert noise.exact_sf(k) == sum(law[max(k + 1, 0) :])
    assert noise.exact_cdf(k) + noise.exact_sf(k) == 1
    assert dict(noise.law().items()) == {t: mass for t, mass in enumerate(law) if mass}
    assert noise.mean == noise.law().mean()
    assert noise.variance == noise.law().map(lambda t: (t - noise.mean) ** 2).mean()
    assert law[noise.mode] == max(law)


@pytest.mark.filterwarnings("ignore::exactdp.errors.FloatUnderflowWarning")
@pytest.mark.parametrize("n", [100, 1000, 3000])
@pytest.mark.parametrize("p", ["1/2", "1/100", "7/8"])
def test_against_scipy(n, p):
    noise, other = Binomial(n, p), stats.binom(n, float(Fraction(p)))
    for k in {0, n // 100, n // 2, 7 * n // 8, n - 1, n}:
        assert float(noise.exact_pmf(k)) == pytest.approx(other.pmf(k), rel=1e-8, abs=1e-300)
        assert float(noise.exact_cdf(k)) == pytest.approx(other.cdf(k), rel=1e-8, abs=1e-300)
        assert float(noise.exact_sf(k)) == pytest.approx(other.sf(k), rel=1e-8, abs=1e-300)


def test_the_comparison_with_scipy_fails_when_it_should():
    assert float(Binomial(1000, "1/2").exact_cdf(500)) != pytest.approx(stats.binom(1000, 0.5).cdf(501), rel=1e-8)


@together("k", [0.5, 2.0, 7.0, "1/2", Fraction(1, 2), True, None])
@together("name", ["exact_pmf", "exact_cdf", "exact_sf"])
def test_outcomes_that_are_not_integers_are_refused(name, k):
    with pytest.raises(ExactDPError):
        getattr(Binomial(5, "1/2"), name)(k)


def test_too_many_trials():
    with pytest.raises(TooLargeError):
        Binomial(10**6 + 1, "1/2").exact_cdf(1)


def test_a_finite_law_too_large_for_memory_is_refused():
    """10^6 weights of 10^6 bits each would be 125 gigabytes: in a process that may have two."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
        "from exactdp import Binomial\n"
        "try: Binomial(10**6, '1/2').law()\n"
        "except OverflowError as error: assert type(error).__name__ == 'TooLargeError', error\n"
        "else: raise SystemExit('not refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-300:]


@pytest.mark.parametrize(("n", "p"), [(-1, "1/2"), ("1/2", "1/2"), (3, "3/2"), (3, "-1/2"), (3.0, "1/2"), (3, 0.5)])
def test_parameters_outside_their_range(n, p):
    with pytest.raises(ExactDPError):
        Binomial(n, p)
