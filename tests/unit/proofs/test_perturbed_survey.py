"""Theorems on the survey, on geometric noise, on sampling and on published bounds, each changed in one place."""

from __future__ import annotations

from fractions import Fraction

import exactdp as xdp
from exactdp.proofs.geometric import geometric_table
from exactdp.proofs.sampled_sums import release
from exactdp.proofs.survey import error_law
from tests.unit.proofs.changed_statements import Change, both_tests_of, exp

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def a_larger_chance_of_a_large_error():
    """One user, g = 1/4, C = 3/4: the error is 3/2 with probability 1/4 only."""
    outside = sum(chance for error, chance in error_law(1, 0, QUARTER).items() if abs(error) > Fraction(3, 4))
    return outside == HALF - QUARTER < HALF + QUARTER


def a_radius_without_two():
    """One user, g = 1/8: never within 3/2, and sqrt(ln(8/7)/8)/g is below that, as ln(8/7) <= 1/7."""
    nearest = min(abs(error) for error in error_law(1, 0, Fraction(1, 8)))
    return nearest**2 > 64 * Fraction(1, 7) / 8


def a_count_with_too_many_bits():
    """One user who holds 1: the answer has no second bit."""
    return len(error_law(1, 1, QUARTER)) == 2


def messages_above(constant):
    """e1 = 10, e2 = 1/100, delta = 1, r = 3: twice both means, from above by their logarithms."""
    mean = 2 / (exp(10).hi - 1) + 6 / (exp(Fraction(1, 500)).hi - 1)
    return mean > Fraction(2, 10) + 100 * constant


def a_sharper_mechanism():
    """e^eps = 4: the mechanism with ratio 1/2 in place of 1/4 would need a negative probability."""
    sharp = geometric_table(1, QUARTER)
    return sharp[0][1] - HALF * sharp[1][1] < 0


def two_users(p, k, order):
    flip = xdp.randomized_response(k, gamma=Fraction(k, p + k - 1))
    return xdp.ShuffleProtocol(flip, 2).privacy_profile().delta(exp_eps=order)


def a_release_that_is_constant():
    """tau = 2 with one user: 0 whatever he holds, which every function that is 0 gives."""
    return release(HALF, 2, (0, 1)).local_epsilon().argument == 1


def a_release_that_hides_nothing():
    """tau = 1 and q = 1: the release is the number of ones, from which anything can be drawn."""
    return all(
        release(Fraction(1), 1, (s, s + 1)).rows[1] != release(Fraction(1), 1, (s, s + 1)).rows[0] for s in (0, 1)
    )


CHANGES = {
    "a larger chance of a large error": Change(
        "survey_rate", "no_faster_rate", "1 / 2 - g <= Pr", "1 / 2 + g <= Pr", a_larger_chance_of_a_large_error
    ),
    "the mean within ln(1/delta)": Change(
        "survey_rate", "mean_radius", "ln (2 / delta)", "ln (1 / delta)", a_radius_without_two
    ),
    "as many zeros as users": Change(
        "survey_count", "survey_count", "(length xs - ones xs)", "(length xs)", a_count_with_too_many_bits
    ),
    "half the mean error": Change(
        "geometric_error",
        "geometric_mean_error",
        "2 * a / (1 - a ^ 2)",
        "a / (1 - a ^ 2)",
        lambda: sum(2 * k * xdp.DiscreteLaplace(2).exact_pmf(k) for k in (1, 2, 3)) > HALF / (1 - HALF**2),
    ),
    "messages with 29 in place of 30": Change(
        "negative_binomial_mean", "correlated_messages", "30 *", "29 *", lambda: messages_above(29)
    ),
    "a mechanism with half the eps": Change(
        "geometric_one_user",
        "geometric_one_user",
        "clamped_geometric (exp (- eps)) count",
        "clamped_geometric (exp (- (eps / 2))) count",
        a_sharper_mechanism,
    ),
    "uniform noise against a lighter law": Change(
        "truncated_noise",
        "truncated_beats_geometric",
        "geometric (2 / 3)",
        "geometric (1 / 3)",
        lambda: 2 * xdp.DiscreteLaplace(3).exact_sf(0) < Fraction(2, 3),
    ),
    "a real pair with twice the divergence": Change(
        "variation_ratio",
        "real_pair",
        "p * (p - E)",
        "2 * p * (p - E)",
        lambda: two_users(4, 3, 3) < Fraction(2 * 4, 36),
    ),
    "a release that nobody reaches": Change(
        "sample_and_threshold",
        "threshold_not_from_response",
        "(1 <= tau <= n)%nat",
        "(1 <= tau)%nat",
        a_release_that_is_constant,
    ),
    "a threshold that hides nothing": Change(
        "sample_and_threshold",
        "response_not_from_threshold",
        "(2 <= tau)%nat",
        "(1 <= tau)%nat",
        a_release_that_hides_nothing,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)


def test_thirty_messages_are_enough():
    assert not messages_above(30)
