"""Counts plus lattice noise: delta and eps against sums over outcomes, and against the engine for finite noise."""

from fractions import Fraction
from functools import cache

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import (
    AdditiveProtocol,
    Binomial,
    BinomialSum,
    DiscreteGaussian,
    DiscreteLaplace,
    Geometric,
    Interval,
    Law,
    LogRational,
    NegativeBinomial,
    Poisson,
    Real,
    hockey_stick_divergence,
    protocols,
    shift_profile,
)
from exactdp.errors import ExactDPError, InvalidLawError, UndecidedError
from exactdp.numbers.balls import enclose_real
from exactdp.privacy.noise.lattice_shift import LatticeShift
from exactdp.privacy.planner import engine_of
from exactdp.testing import exp_epsilons, probabilities
from tests.expensive import one_in
from tests.thinned import thinned

WINDOW = range(-150, 260)
UNBOUNDED = [
    NegativeBinomial("1/3", "1/2"),
    NegativeBinomial(2, "2/3"),
    NegativeBinomial("7/2", Real.exp("-1/5")),
    NegativeBinomial("1/5", Real.exp("-1/2")),
    Geometric("1/2"),
    Geometric(Real.exp("-1/2")),
    DiscreteLaplace(2),
    DiscreteLaplace(Real.exp("1/5")),
    DiscreteGaussian(9),
    Poisson(12),
    Poisson(8 * Real.log(3)),
]


@cache
def weights_of(law):
    with mpmath.workdps(40):
        return {t: mpmath.mpf(law.pmf(t, relative_bits=140).decimals(40)[0]) for t in WINDOW if law.holds(t)}


def summed(law, shift, exp_eps):
    """max of the two divergences as a sum over outcomes, at 40 digits."""
    weights = weights_of(law)
    with mpmath.workdps(40):
        order = mpmath.mpf(exp_eps.numerator) / exp_eps.denominator
        sums = [mpmath.mpf(0), mpmath.mpf(0)]
        for t in WINDOW:
            here, moved = weights.get(t, 0), weights.get(t - shift, 0)
            sums[0] += max(0, here - order * moved)
            sums[1] += max(0, moved - order * here)
        return max(sums)


@pytest.mark.parametrize("law", thinned(UNBOUNDED, every=2), ids=repr)
@pytest.mark.parametrize("shift", [1, pytest.param(3, marks=pytest.mark.slow), 20])
def test_delta_against_a_sum_over_outcomes(law, shift):
    profile = shift_profile(law, shift=shift)
    for exp_eps in (Fraction(1), Fraction(9, 8), Fraction(2), Fraction(5)):
        with mpmath.workdps(40):
            expected = summed(law, shift, exp_eps)
            low, high = map(mpmath.mpf, profile.delta(exp_eps=exp_eps, relative_bits=80).decimals(30))
            slack = mpmath.mpf(10) ** -12
            assert low - slack <= expected <= high + slack
            assert high - low <= high * mpmath.mpf(2) ** -79


def test_the_comparison_fails_when_it_should():
    law = Poisson(12)
    with mpmath.workdps(40):
        wrong = mpmath.mpf(shift_profile(Poisson("1201/100")).delta(exp_eps=2, relative_bits=80).decimals(30)[0])
        assert abs(wrong - summed(law, 1, Fraction(2))) > mpmath.mpf(10) ** -8


@one_in(2)
@given(st.integers(1, 25), probabilities(), st.integers(1, 12), exp_epsilons())
def test_binomial_noise_against_the_engine_for_finite_noise(n, p, shift, exp_eps):
    law = Binomial(n, p)
    assert shift_profile(law, shift=shift).delta(exp_eps=exp_eps) == shift_profile(law.law(), shift=shift).delta(
        exp_eps=exp_eps
    )


@settings(max_examples=settings().max_examples * 2 // 5)
@given(st.integers(0, 5), probabilities(), st.integers(0, 5), probabilities(), st.integers(1, 5), exp_epsilons())
def test_sums_of_two_binomials_against_the_divergence(n1, p1, n2, p2, shift, exp_eps):
    law = BinomialSum(n1, p1, n2, p2)
    finite = law.law()
    moved = finite.map(lambda t: t + shift)
    expected = max(
        hockey_stick_divergence(finite, moved, exp_eps=exp_eps), hockey_stick_divergence(moved, finite, exp_eps=exp_eps)
    )
    profile = shift_profile(law, shift=shift)
    assert profile.exact_delta(exp_eps=exp_eps) == expected
    enclosed = profile.delta(exp_eps=exp_eps, relative_bits=53)
    assert enclosed.lo <= expected <= enclosed.hi


@one_in(2)
@given(st.integers(1, 12), probabilities(), st.integers(1, 3), st.fractions(0, 1, max_denominator=60))
def test_epsilon_of_binomial_noise_is_exact(n, p, shift, delta):
    law = Binomial(n, p)
    assert shift_profile(law, shift=shift).epsilon(delta) == shift_profile(law.law(), shift=shift).epsilon(delta)


@one_in(2)
@given(st.integers(2, 9), st.fractions(0, 1, max_denominator=40))
def test_epsilon_of_discrete_laplace_noise(exp_eps, delta):
    profile = shift_profile(DiscreteLaplace(exp_eps))
    eps = profile.exact_epsilon(delta)
    assert profile.exact_delta(exp_eps=eps.argument) <= delta
    if eps.argument > 1:
        assert profile.exact_delta(exp_eps=1 + (eps.argument - 1) * Fraction(999, 1000)) > delta


def test_discrete_laplace_noise_is_pure():
    assert shift_profile(DiscreteLaplace(3)).epsilon(0) == LogRational(3)
    assert shift_profile(DiscreteLaplace(3), shift=2).epsilon(0) == LogRational(9)
    profile = shift_profile(DiscreteLaplace(Real.exp("1/5")))
    assert not profile.is_exact
    eps = profile.epsilon(0)
    assert isinstance(eps, Interval)
    assert eps.lo <= Fraction(1, 5) <= eps.hi
    assert profile.delta(eps="1/5").hi == 0 < profile.delta(eps="19/100").lo


@pytest.mark.parametrize(
    ("law", "delta"),
    thinned(
        [
            (DiscreteGaussian(10**6), "1e-9"),
            (DiscreteGaussian(2), "1e-300"),
            (Poisson(10**5), "1e-12"),
            (NegativeBinomial(60, Real.exp("-1/5")), "1e-9"),
            (Binomial(10**9, "1/1000"), "1e-40"),
        ],
        every=2,
    ),
    ids=repr,
)
def test_enclosed_eps_is_where_delta_falls_to_the_target(law, delta):
    profile = shift_profile(law)
    eps = profile.epsilon(delta)
    assert isinstance(eps, Interval)
    assert 0 < eps.hi - eps.lo <= eps.lo / 2**53
    assert profile.delta(eps=eps.hi) <= Fraction(delta)
    below = eps.lo * (1 - Fraction(1, 2**40))
    assert profile.delta(eps=below) > Fraction(delta)


@pytest.mark.parametrize(
    ("law", "delta", "infinite"),
    [
        (Poisson(5), 0, True),
        (DiscreteGaussian(5), 0, True),
        (NegativeBinomial("1/3", "1/2"), "1/2", True),  # P[Y = 0] = 0.79
        (NegativeBinomial("1/3", "1/2"), "4/5", False),
        (Geometric("1/2"), "1/2", False),  # P[Y = 0] exactly
        (Geometric("1/2"), "49999/100000", True),
    ],
    ids=repr,
)
def test_where_no_eps_is_enough(law, delta, infinite):
    assert (shift_profile(law).epsilon(delta) == LogRational(None)) is infinite


def test_a_large_delta_needs_no_eps():
    assert shift_profile(Poisson(5)).epsilon("9/10") == LogRational(1)


def test_limits_and_far_orders():
    profile = shift_profile(Binomial(10**9, "1/1000"))
    limit = profile.delta(eps=LogRational(None))
    assert limit.compare(profile.delta(eps=10**6)) is None  # the same number, enclosed twice
    assert limit.decimals(4)[0] == "1.682e-434512"
    assert shift_profile(DiscreteGaussian(4)).delta(eps=LogRational(None)).hi == 0
    assert shift_profile(DiscreteGaussian(4)).delta(eps=10**6) > 0


def test_one_outcome():
    for law in (Binomial(0, "1/2"), Binomial(5, 1), Poisson(0), Geometric(0), NegativeBinomial("1/2", 0)):
        assert shift_profile(law).delta(exp_eps=100) == 1


def test_the_worse_order_is_reported_without_exact_masses():
    law = Poisson(10)
    protocol = AdditiveProtocol(law, n=3)
    profile = protocol.privacy_profile()
    pair = profile.worst_pair(exp_eps=2)
    assert isinstance(pair.delta, Interval)
    assert (pair.first, pair.second) == ({0: 3}, {0: 2, 1: 1})
    forward = [law.pmf(t).lo - 2 * law.pmf(t - 1).hi for t in range(60)]
    backward = [law.pmf(t - 1).lo - 2 * law.pmf(t).hi for t in range(60)]
    assert sum(x for x in forward if x > 0) > sum(x for x in backward if x > 0)


def test_the_engine_is_chosen_by_structure():
    assert isinstance(engine_of(shift_profile(Poisson(3)).source), LatticeShift)
    by_name = protocols.zsum(40, gamma="1/8").privacy_profile()
    assert isinstance(engine_of(by_name.source), LatticeShift)
    assert not isinstance(engine_of(shift_profile(Law({0: "1/2", 1: "1/2"})).source), LatticeShift)


def test_larger_sums_of_two_binomials_are_enclosed():
    profile = shift_profile(BinomialSum(10**6, "1/3", 10**6, "2/3"))
    narrow, wide = profile.delta(eps="1/100", relative_bits=120), profile.delta(eps="1/100")
    assert wide.lo <= narrow.lo <= narrow.hi <= wide.hi


@pytest.mark.slow
def test_a_tie_that_no_enclosure_decides_is_undecided():
    """Bin(n, 1/2) + Bin(n, 1/2) written with two different parameters is rational and too large to compare exactly."""
    law = BinomialSum(10**6, "1/2", 10**6, "1/2")
    with pytest.raises(UndecidedError, match="agrees with 1 to 4096 bits"):
        law.compare_ratio(10**6 + 5, 10**6 - 5, Real(1))


def test_an_expression_that_nothing_decides_is_undecided():
    tie = Real.log(2) + Real.log(3) - Real.log(6)
    with pytest.raises(UndecidedError, match="nothing decides which is larger"):
        Poisson(tie)
    assert enclose_real(Real.log(6), relative_bits=20) > 1


def test_refusals():
    with pytest.raises(InvalidLawError, match="noise has the type int"):
        shift_profile(5)
    for shift in (0, -1, "1/2", 0.5, None):
        with pytest.raises(ExactDPError):
            shift_profile(Poisson(1), shift=shift)
