"""Binary sums by randomized response, and private counting: what they are, and their theorems."""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.bounds import binary_sum_lambda, negative_binomial_mechanism
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.balls import enclose_real


def test_a_user_tosses_a_coin_with_probability_lambda_over_n():
    protocol = protocols.cheu_binary_sum(10, lam=4)
    assert protocol.randomizer.table() == {
        0: {(0,): Fraction(4, 5), (1,): Fraction(1, 5)},
        1: {(0,): Fraction(1, 5), (1,): Fraction(4, 5)},
    }


@pytest.mark.parametrize("ones", [0, 1, 3])
def test_the_estimate_is_unbiased(ones):
    protocol = protocols.cheu_binary_sum(3, lam="1/2")
    law = protocol.estimate_law({0: 3 - ones, 1: ones})
    assert sum(value * weight for value, weight in law.items()) == ones


def test_lambda_of_the_theorem_is_rounded_up_and_private():
    n, delta = 2000, Fraction(1, 10**4)
    gamma = 2 * protocols.cheu_binary_sum_from_theorem(n, eps="9/10", delta=delta).randomizer.table()[0][(1,)]
    least = binary_sum_lambda(n, eps="9/10", delta=delta)
    assert least.lo <= gamma * n
    assert gamma - least.lo / n < Fraction(1, 2**52)
    assert (gamma * 2**53).denominator == 1
    private = protocols.cheu_binary_sum_from_theorem(n, eps="9/10", delta=delta).privacy_profile()
    assert private.delta(eps="9/10") < delta


@pytest.mark.parametrize("lam", [-1, 5, 6])
def test_coins_for_more_than_all_users_are_refused(lam):
    with pytest.raises(InvalidValueError, match=r"^lam=-?\d is outside \[0, n\) for n=5\. Pass fewer coins than users"):
        protocols.cheu_binary_sum(5, lam=lam)


def test_counting_subtracts_the_mean_of_its_noise():
    protocol = protocols.private_counting(20, r="5/2", p="1/4")
    assert protocol.noise == xdp.NegativeBinomial("5/2", "1/4")
    assert protocol.estimate(7) == 7 - Fraction(5, 6)
    assert protocol.noise.mean == Fraction(5, 6)


def test_parameters_of_the_counting_theorem_are_rounded_up_and_private():
    delta = Fraction(1, 10**6)
    protocol = protocols.private_counting_from_theorem(100, eps="1/2", delta=delta)
    published = negative_binomial_mechanism(eps="1/2", delta=delta)
    assert (protocol.noise.r * 2**53).denominator == (protocol.noise.p * 2**53).denominator == 1
    for rounded, exact in ((protocol.noise.r, published.r), (protocol.noise.p, published.p)):
        assert float(rounded) == rounded
        assert 0 <= rounded - enclose_real(exact, relative_bits=100).lo < Fraction(max(1, int(rounded)), 2**52)
    ours, theirs = protocol.privacy_profile(), xdp.shift_profile(published)
    assert ours.delta(eps="1/2").hi <= theirs.delta(eps="1/2").hi * (1 + Fraction(1, 10**9))
    assert ours.delta(eps="1/2") < delta


@pytest.mark.parametrize(("r", "p"), [(0, "1/2"), (-1, "1/2"), (1, 1)])
def test_counting_without_a_law_is_refused(r, p):
    with pytest.raises(InvalidValueError, match=r"give no noise law\. Pass r above 0, p below 1\.$"):
        protocols.private_counting(5, r=r, p=p)


def test_hypotheses_are_named():
    with pytest.raises(HypothesisError, match=r"eps > sqrt\(3456\) ln\(4/delta\) / n"):
        protocols.cheu_binary_sum_from_theorem(100, eps="1/2", delta="1/10")
    with pytest.raises(HypothesisError, match="eps"):
        protocols.private_counting_from_theorem(100, eps=2, delta="1/10")
