"""Runs of discrete Gaussian noise as one sum of outcomes: against sums over all outcomes in mpmath, and the lattice."""

from fractions import Fraction

import mpmath
import pytest

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.privacy.composition.bracket import Question, bracket
from exactdp.privacy.composition.law_pairs import SummedRuns, WindowPair

REACH = 40
"""Outcomes further out have weights below 1e-60 in every case here."""


def listed_delta(sigma_squared: Fraction, shift: int, times: int, eps: Fraction) -> mpmath.mpf:
    """Convolve the weights and the loss that each vector of outcomes has, and sum max(0, P - e^eps Q)."""
    variance = mpmath.mpf(sigma_squared.numerator) / sigma_squared.denominator
    weights = {t: mpmath.exp(-(t**2) / (2 * variance)) for t in range(-REACH, REACH + 1)}
    total = mpmath.fsum(weights.values())
    one = {t: (w / total, weights.get(t - shift, mpmath.mpf(0)) / total) for t, w in weights.items()}
    all_runs = {0: (mpmath.mpf(1), mpmath.mpf(1))}
    for _ in range(times):
        grown: dict[int, tuple[mpmath.mpf, mpmath.mpf]] = {}
        for t, (p, q) in all_runs.items():
            for u, (a, b) in one.items():
                before = grown.get(t + u, (0, 0))
                grown[t + u] = before[0] + p * a, before[1] + q * b
        all_runs = grown
    level = mpmath.exp(mpmath.mpf(eps.numerator) / eps.denominator)
    return mpmath.fsum(max(mpmath.mpf(0), p - level * q) for p, q in all_runs.values())


@pytest.mark.parametrize(
    ("sigma_squared", "shift", "times", "eps"),
    [("4", 1, 2, "1"), ("9/4", 2, 3, "5/2"), ("1/3", 1, 5, "3"), ("5", 3, 4, "0"), ("3", 1, 6, "10")],
)
def test_against_all_outcomes(sigma_squared, shift, times, eps):
    profile = xdp.shift_profile(xdp.DiscreteGaussian(sigma_squared), shift=shift).compose(times)
    delta = profile.delta(eps=eps, relative_width="1e-15")
    with mpmath.workdps(60):
        expected = listed_delta(Fraction(sigma_squared), shift, times, Fraction(eps))
        ends = [mpmath.mpf(end.numerator) / end.denominator for end in (delta.lo, delta.hi)]
        assert ends[0] * (1 - mpmath.mpf(10) ** -40) <= expected <= ends[1] * (1 + mpmath.mpf(10) ** -40)
    assert delta.hi - delta.lo <= delta.hi / 10**15


@pytest.mark.parametrize(("times", "eps"), [(10, 1), (100, 4), (100, 12)])
def test_inside_the_bracket_on_a_lattice(times, eps):
    """The general way is another one: a product of measures on a lattice of losses."""
    pair = WindowPair(xdp.DiscreteGaussian(100), 1, False)
    question = Question(Real.exp(eps), Fraction(eps), Fraction(1, 1000))
    found = bracket([((pair,), times)], [((pair, times),)], question, meets=True).delta
    delta = SummedRuns(Fraction(100), 1, times).delta(Real.exp(eps), 53)
    assert found.lower <= delta.lower
    assert delta.upper <= found.upper
    beside = SummedRuns(Fraction(101), 1, times).delta(Real.exp(eps), 53)
    assert not found.lower <= beside.lower  # the bracket tells another noise apart


def test_only_equal_noise_and_shifts_are_summed():
    gaussian = xdp.DiscreteGaussian(100)
    forward, backward, further = (WindowPair(gaussian, *how) for how in ((1, False), (1, True), (2, False)))
    assert SummedRuns.of([(forward, 3), (backward, 2)]) == SummedRuns(Fraction(100), 1, 5)
    assert SummedRuns.of([(forward, 3), (further, 2)]) is None
    assert SummedRuns.of([(forward, 3), (WindowPair(xdp.DiscreteGaussian(99), 1, False), 1)]) is None
    assert SummedRuns.of([(WindowPair(xdp.Binomial(1000, "1/2"), 1, False), 3)]) is None
    mixed = xdp.compose(xdp.shift_profile(gaussian).compose(5), xdp.shift_profile(xdp.DiscreteGaussian(81)))
    assert mixed.delta(eps=1).lo > 0


def test_noise_too_wide_for_a_list_and_many_runs():
    """Their tails are enclosed: a list of the outcomes would be beyond its limit."""
    profile = xdp.shift_profile(xdp.DiscreteGaussian(10**12), shift=10**4).compose(10**5)
    delta = profile.delta(eps=30)
    assert delta.lo > 0
    assert delta.hi - delta.lo <= delta.hi / 1000
    eps = profile.epsilon("1e-9")
    assert profile.delta(eps=eps.hi).hi <= Fraction(1, 10**9) <= profile.delta(eps=eps.lo).hi


def test_a_histogram_is_two_orders_at_once():
    """Both orders of one bin, which mirror each other: as many runs of one bin, twice."""
    gaussian = xdp.DiscreteGaussian(100)
    both = xdp.AdditiveProtocol(gaussian, bins=7).privacy_profile().compose(5)
    assert both.delta(eps=1) == xdp.shift_profile(gaussian).compose(10).delta(eps=1)


def test_eps_zero_at_many_runs_is_at_most_1():
    profile = xdp.shift_profile(xdp.DiscreteGaussian(1)).compose(10**4)
    assert profile.delta(eps=0).hi <= 1
