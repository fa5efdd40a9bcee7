"""What is right passes: the survey's privacy, its sampler, and the noisy count."""

from exactdp import DiscreteLaplace, LogRational, Real, ShuffleProtocol, randomized_response, shift_profile
from exactdp.testing import assert_dp_curve, assert_not_refuted, assert_samples_match, assert_shuffle_dp
from tested_sampler import noisy_count, reports, two_sided

ANSWERS = [0, 0, 1, 2]
SURVEY = randomized_response(3, gamma="1/2")


def test_the_survey_is_as_private_as_we_say():
    """1000 honest users, shuffled: (1/2, 10^-6)-DP, for all answers that they may have."""
    assert_shuffle_dp(SURVEY, 1000, eps="1/2", delta="1e-6")


def test_the_survey_has_the_law_that_was_analysed():
    """So many draws that every law at total variation 1/10 is found with probability 0.99."""
    law = ShuffleProtocol(SURVEY, len(ANSWERS)).law(ANSWERS)
    assert_samples_match(lambda size, rng: reports(ANSWERS, 0.5, size, rng), law, total_variation="1/10")


def test_the_noise_has_the_law_that_was_analysed():
    law = DiscreteLaplace(Real.exp("1/2"))
    assert_samples_match(lambda size, rng: two_sided(2, size, rng), law, size=20_000)


def test_the_noise_is_as_private_as_we_say():
    assert_dp_curve(shift_profile(DiscreteLaplace(2)), {LogRational(2): 0, "1/2": "1/8", "1/4": "1/4"})


def test_the_count_is_not_refuted():
    """A black box: only draws are looked at."""
    assert_not_refuted(
        lambda size, rng: noisy_count(10, 0.5, size, rng),
        lambda size, rng: noisy_count(11, 0.5, size, rng),
        eps="1/2",
        delta=0,
    )
