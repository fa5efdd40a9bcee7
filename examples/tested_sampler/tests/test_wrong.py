"""What is wrong fails, and the failure says what is wrong. In a project of yours these tests would be red."""

import pytest

from exactdp import DiscreteLaplace, LogRational, ShuffleProtocol, randomized_response, shift_profile
from exactdp.testing import assert_dp_curve, assert_not_refuted, assert_samples_match, assert_shuffle_dp
from tested_sampler import noisy_count_with_half_the_scale, reports_that_forget_the_coin

ANSWERS = [0, 0, 1, 2]
SURVEY = randomized_response(3, gamma="1/2")


def test_too_few_users():
    """Ten users are not enough: the two data sets, the views that tell them apart, and the exact value."""
    with pytest.raises(AssertionError) as failure:
        assert_shuffle_dp(SURVEY, 10, exp_eps="3/2", delta="1/100")
    print(failure.value)
    assert "  D  = {0: 9, 1: 1}\n  D' = {0: 9, 2: 1}\n" in str(failure.value)
    assert "above delta = 1/100." in str(failure.value)


def test_a_wrong_sampler():
    """The worst of its outcomes are named."""
    law = ShuffleProtocol(SURVEY, len(ANSWERS)).law(ANSWERS)
    with pytest.raises(AssertionError) as failure:
        assert_samples_match(
            lambda size, rng: reports_that_forget_the_coin(ANSWERS, 0.5, size, rng), law, total_variation="1/10"
        )
    print(failure.value)
    assert "the worst outcomes: observed, expected, by how much" in str(failure.value)
    assert "draws find every law at total variation" in str(failure.value)


def test_a_wrong_noise_scale_by_its_law():
    """The law of half the scale is less private than is said, exactly."""
    with pytest.raises(AssertionError) as failure:
        assert_dp_curve(shift_profile(DiscreteLaplace(4)), {LogRational(2): 0})
    print(failure.value)
    assert "exact value: the divergence of this pair is 2/5 (0.4), above delta = 0." in str(failure.value)


def test_a_wrong_noise_scale_by_its_draws():
    """The same, found without knowing the law: an event, and a lower bound of delta."""
    with pytest.raises(AssertionError) as failure:
        assert_not_refuted(
            lambda size, rng: noisy_count_with_half_the_scale(10, 0.5, size, rng),
            lambda size, rng: noisy_count_with_half_the_scale(11, 0.5, size, rng),
            eps="1/2",
            delta=0,
        )
    print(failure.value)
    assert "  event: outcome at most 10\n" in str(failure.value)
    assert "so delta is at least 0.2" in str(failure.value)
