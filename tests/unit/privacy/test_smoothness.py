"""The smoothness event: against the definition on finite laws, and the claims behind looking at one k' only."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
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
    shift_profile,
    smoothness_delta,
)
from exactdp.errors import ExactDPError, TooLargeError
from exactdp.numbers.balls import compare_reals
from exactdp.privacy import smoothness
from exactdp.testing import exact_laws, exp_epsilons, probabilities
from tests.expensive import one_in
from tests.together import together


def by_definition(weights, k, exp_eps):
    """sup over 1 <= |k'| <= k of P[w(Y) / w(Y+k') >= E^|k'|], 0 in the denominator counting as infinity."""
    worst = Fraction(0)
    for shift in [j for j in range(-k, k + 1) if j]:
        bound = exp_eps ** abs(shift)
        bad = [y for y in weights if weights[y] >= bound * weights.get(y + shift, 0)]
        worst = max(worst, sum((weights[y] for y in bad), Fraction(0)))
    return worst


@one_in(2)
@given(exact_laws(max_outcomes=8), st.integers(1, 6), exp_epsilons())
def test_finite_laws(law, k, exp_eps):
    assert smoothness_delta(law, k=k, exp_eps=exp_eps) == by_definition(dict(law.items()), k, exp_eps)


@one_in(2)
@given(st.integers(0, 30), probabilities(), st.integers(1, 8), exp_epsilons())
def test_binomial_laws(n, p, k, exp_eps):
    law = Binomial(n, p)
    exact = by_definition(dict(law.law().items()), k, exp_eps)
    assert smoothness_delta(law, k=k, exp_eps=exp_eps) == exact
    enclosed = smoothness_delta(law, k=k, exp_eps=exp_eps, relative_bits=60)
    assert enclosed.lo <= exact <= enclosed.hi
    assert (enclosed.hi - enclosed.lo) * 2**60 <= exact


@together(
    "law",
    [
        NegativeBinomial("1/3", "1/2"),
        NegativeBinomial("5/2", "1/2"),
        Geometric("1/2"),
        DiscreteLaplace(2),
        DiscreteGaussian(3),
        Poisson(4),
    ],
    ids=repr,
)
@together("exp_eps", ["1", "5/4", "4"])
@together("k", [1, 3])
def test_laws_without_end(law, exp_eps, k):
    """The definition on a window of 160 outcomes; the rest of the law is below 10^-20."""
    window = range(-80, 81)
    weights = {y: law.pmf(y, relative_bits=80).lo for y in window if law.holds(y)}
    worst = Fraction(0)
    for shift in [j for j in range(-k, k + 1) if j]:
        bound = Real(exp_eps) ** abs(shift)
        bad = [y for y in weights if not law.holds(y + shift) or compare_reals(law.ratio(y, y + shift), bound) >= 0]
        worst = max(worst, sum((weights[y] for y in bad), Fraction(0)))
    value = smoothness_delta(law, k=k, exp_eps=exp_eps)
    low, high = (value.lo, value.hi) if isinstance(value, Interval) else (value, value)
    assert abs(worst - low) < Fraction(1, 10**15) > abs(worst - high)


def test_the_zero_shift_is_left_out():
    """With it, nothing would be smooth: claim 1 of the reading notes."""
    assert smoothness_delta(Law(dict.fromkeys(range(4), "1/4")), k=1, exp_eps=2) == Fraction(1, 4)


def test_ties_are_bad():
    """Uniform weights at e^eps = 1: the ratio is 1 >= 1 everywhere."""
    assert smoothness_delta(Law({0: "1/2", 1: "1/2"}), k=1, exp_eps=1) == 1
    law = Binomial(10, "1/3")
    ratio = law.ratio(2, 1).coefficient  # w(2) / w(1) > 1, so the event k' = -1 holds up to y = 2
    assert smoothness_delta(law, k=1, exp_eps=ratio) >= law.exact_cdf(2)
    assert smoothness_delta(law, k=1, exp_eps=ratio * Fraction(1001, 1000)) < law.exact_cdf(2)


@one_in(2)
@given(st.integers(1, 40), probabilities(), st.integers(1, 4), exp_epsilons())
def test_noise_from_a_smooth_law_is_private(n, p, k, exp_eps):
    """Lemma 2 for one count: a shift by k' <= k has divergence at most delta at k' eps."""
    law = Binomial(n, p)
    smooth = smoothness_delta(law, k=k, exp_eps=exp_eps)
    assert shift_profile(law, shift=k).exact_delta(exp_eps=exp_eps**k) <= smooth


def test_any_size():
    small = smoothness_delta(Binomial(10**15, "1/2"), k=1000, eps="1/100000")
    assert isinstance(small, Interval)
    assert 0 < small < 1
    assert small == smoothness_delta(Binomial(10**15, "1/2"), k=1000, eps="1/100000", relative_bits=53)
    log = smoothness_delta(Binomial(20, "1/2"), k=1, eps=LogRational(2))
    assert log.lo <= smoothness_delta(Binomial(20, "1/2"), k=1, exp_eps=2) <= log.hi


@pytest.mark.parametrize(
    "arguments",
    [
        {"k": 0, "exp_eps": 2},
        {"k": "1/2", "exp_eps": 2},
        {"k": 1},
        {"k": 1, "eps": 1, "exp_eps": 2},
        {"k": 1, "exp_eps": "1/2"},
        {"k": 1, "eps": 0.5},
    ],
)
def test_refusals(arguments):
    with pytest.raises(ExactDPError):
        smoothness_delta(Binomial(3, "1/2"), **arguments)


def test_what_is_no_law_of_integers_is_refused():
    with pytest.raises(ExactDPError, match="law has the type int"):
        smoothness_delta(7, k=1, exp_eps=2)
    with pytest.raises(ExactDPError, match="outcomes that are not ints"):
        smoothness_delta(Law({"a": 1}), k=1, exp_eps=2)
    wide = Law({0: "1/2", 10**7: "1/2"})
    with pytest.raises(TooLargeError, match="make more than 1000000 ratios, the limit"):
        smoothness_delta(wide, k=10**6, exp_eps=2)


def test_the_largest_k_is_answered_and_the_next_one_is_not():
    law = Poisson(10)
    assert smoothness_delta(law, k=10**6, eps=1).lo > 0
    with pytest.raises(TooLargeError, match="k=1000001 is more than the limit of 1000000"):
        smoothness_delta(law, k=10**6 + 1, eps=1)
    assert smoothness_delta(law, k=2**8, exp_eps=1 + Fraction(1, 2**8190)).lo > 0
    for exp_eps in (1 + Fraction(1, 2**8191), 2**8191):
        with pytest.raises(TooLargeError, match="has more than 2097152 bits"):
            smoothness_delta(law, k=2**8 + 1, exp_eps=exp_eps)


def test_the_largest_finite_law_is_answered_and_the_next_one_is_not(monkeypatch):
    law = Law({0: "1/2", 10**6 - 1: "1/2"})
    with pytest.raises(TooLargeError, match="2 outcomes and k=500001 make more than 1000000 ratios"):
        smoothness_delta(law, k=5 * 10**5 + 1, exp_eps=1)
    monkeypatch.setattr(smoothness, "_MAX_RATIOS", 8)
    assert smoothness_delta(law, k=4, exp_eps=1) == 1
    with pytest.raises(TooLargeError, match="2 outcomes and k=5 make more than 8 ratios"):
        smoothness_delta(law, k=5, exp_eps=1)


def test_of_a_log_convex_law_the_shift_by_one_can_be_the_worst():
    """w(0)/w(1), w(1)/w(2), ... = 6, 3, 18/7, 12/5, ...: three ratios reach E = 5/2, and only two products E^2."""
    law = NegativeBinomial("1/3", "1/2")
    for k in (1, 2, 3):
        value = smoothness_delta(law, k=k, exp_eps="5/2")
        assert value.compare(law.cdf(2, relative_bits=80).lower.fraction()) != -1
        assert value.compare(law.cdf(2, relative_bits=80).upper.fraction()) != 1


def test_the_digits_of_a_law_count_too():
    with pytest.raises(TooLargeError, match="has more than 2097152 bits"):
        smoothness_delta(Geometric(Fraction(1, 2**8191)), k=2**8 + 1, eps="1/10")


@pytest.mark.parametrize(
    "law", [NegativeBinomial("1/3", 0), NegativeBinomial(3, 0), Poisson(0), Binomial(4, 0)], ids=repr
)
@pytest.mark.parametrize("k", [1, 3])
def test_a_single_outcome_is_never_smooth(law, k):
    assert smoothness_delta(law, k=k, exp_eps=2) == 1
    assert smoothness_delta(law, k=k, eps="1/2").compare(1) == 0
    assert law.is_log_concave


def test_a_shift_beyond_a_support_that_does_not_begin_at_0_is_cut_to_its_length():
    for law in (Binomial(10**7, 1), BinomialSum(10**7, 1, 2, "1/4")):
        assert smoothness_delta(law, k=10**8, eps=2).compare(1) == 0


def test_a_finite_law_is_answered_by_a_fraction_where_one_is_asked_for():
    law = Law({0: "1/3", 1: "1/3", 3: "1/3"})
    assert smoothness_delta(law, k=1, exp_eps=2) == Fraction(2, 3)
    for asked in ({"exp_eps": 2, "relative_bits": 60}, {"eps": "1/2"}, {"eps": "1/2", "relative_bits": 60}):
        enclosed = smoothness_delta(law, k=1, **asked)
        assert isinstance(enclosed, Interval)
        assert enclosed.lo <= Fraction(2, 3) <= enclosed.hi
        assert (enclosed.hi - enclosed.lo) * 2 ** asked.get("relative_bits", 53) <= 1
