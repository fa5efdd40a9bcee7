"""Theorems on the survey, on geometric noise, on sampling and on published bounds, each changed in one place."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import exactdp as xdp
from exactdp import bounds
from exactdp.proofs.geometric import best_remapping, geometric_table
from exactdp.proofs.sampled_sums import release
from exactdp.proofs.survey import error_law
from exactdp.protocols.almost_central.zero_sum_views import coefficients, spread, zero_sum_multiset
from exactdp.protocols.stable.stability_histogram_protocol import StabilityHistogram
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


def least_error(users, ratio):
    """The least sum over the counts of the mean absolute error after a remapping."""
    weights = [[abs(i - r) for r in range(users + 1)] for i in range(users + 1)]
    return best_remapping(geometric_table(users, ratio), weights)[0]


def largest_risk(threshold):
    """Of an error above 16 at the rate 1/2, over the data sets of 40 bits."""
    return max(
        sum(Fraction(comb(s, c), 2**s) for c in range(s + 1) if abs(2 * c * (c >= threshold) - s) > 16)
        for s in range(41)
    )


def rounded(h, distance):
    """The mass at a distance from an integer with Laplace noise, h = e^(-eps/2)."""
    return h ** (2 * distance - 1) * (1 - h * h) / 2 if distance else 1 - h


def one_holder_leaves_too_little():
    """n = 1, f = 1/4, q = 1/2: nobody sends a one with 1/4, and at least (1-q) 3/4 is left of the 3/4 of no holder."""
    return (1 - HALF) * Fraction(3, 4) > QUARTER


def a_tail_that_falls_too_fast():
    """e^eps = 2, a = 1/2: q = 1/4, rho = 5/8 and e^(-20 KL/q) = (2/5)^50 2^30, below the exact delta at tau = 20."""
    exact = bounds.sample_threshold_worst(20, alpha=HALF, exp_eps=2).delta
    return exact > Fraction(2, 5) ** 50 * 2**30


def lost(rate, held, more, ratio):
    """The divergence of the release of ``more`` holders from that of ``held`` with the threshold 1."""
    before, after = (dict(row) for row in release(rate, 1, (held, more)).rows)
    return sum(max(Fraction(0), chance - ratio * before.get(sent, Fraction(0))) for sent, chance in after.items())


def nobody_else_is_seen(eps=Fraction(1, 100)):
    """e1 = 10, e2 = 1/100, delta = 1/2: 1 - e^-10 of all outcomes have more true than false messages only for a 1."""
    tail = exp(-10).hi / (1 + exp(-10).lo)
    return 1 - 2 * tail > exp(eps).hi * tail + HALF


def few_messages_but_for_those_of_one_sign():
    """n = Delta = Gamma = 1, e0 = 1/100, e1 = e2 = 1, r1 = r2 = 1/100: a user of a 1 sends 2/(e^e0 - 1) more."""
    return 2 / (exp(Fraction(1, 100)).hi - 1) > 100 + Fraction(10, 100) + Fraction(80, 100)


def who_is_alone_is_seen():
    """a = 1/2, h = 3: delta at e^eps = 4 is s, and s = 1/12 <= 1 - a."""
    central = StabilityHistogram(9, 3, exp_noise=2, threshold=2)
    return central.privacy_profile().delta(exp_eps=4) == Fraction(1, 12)


def sum_of_two_answers(k):
    """The mean error of the number of ones among two answers at E = 3, with k ones among the bits."""
    right = Fraction(3, 4)
    chances = [right if user < k else 1 - right for user in range(2)]
    law = [(1 - chances[0]) * (1 - chances[1]), sum(chances) - 2 * chances[0] * chances[1], chances[0] * chances[1]]
    return sum(p * abs(s - k) for s, p in enumerate(law))


CHANGES = {
    "Laplace noise for twice the sensitivity": Change(
        "laplace_delta",
        "laplace_least_delta",
        "Rabs (c - d) <= s",
        "Rabs (c - d) <= 2 * s",
        lambda: (
            xdp.shift_profile(xdp.Laplace(1), shift=2).delta(eps=1) > xdp.shift_profile(xdp.Laplace(1)).delta(eps=1)
        ),
    ),
    "rounded noise for twice the sensitivity": Change(
        "laplace_rounded",
        "laplace_rounded_private",
        "(y - z) <= 1",
        "(y - z) <= 2",
        lambda: rounded(HALF, 0) > 4 * rounded(HALF, 2),
    ),
    "a bit that is rounded too seldom": Change(
        "laplace_rounded",
        "rounded_bit_private",
        "(at_point (1 / 2))",
        "(at_point 1)",
        lambda: 1 - QUARTER / 2 > 4 * QUARTER / 2,
    ),
    "a threshold of 1 at a smaller rate": Change(
        "one_report", "response_from_reports", "q * (1 - f)", "q", one_holder_leaves_too_little
    ),
    "a smaller delta of what is dropped": Change(
        "dropped_counts",
        "dropped_counts_private",
        "rho q / rho",
        "rho q / q",
        a_tail_that_falls_too_fast,
    ),
    "half of what a first holder shows": Change(
        "sampled_counts",
        "more_holders",
        "q * binom n q b -",
        "q * binom n q b / 2 -",
        lambda: lost(HALF, 0, 1, 1) == HALF > QUARTER,
    ),
    "a holder who leaves without a trace": Change(
        "sampled_counts",
        "fewer_holders",
        "E * q * binom n q c -",
        "q * binom n q c -",
        lambda: lost(1 - QUARTER, 1, 0, 2) == HALF > 1 - QUARTER - 1,
    ),
    "many holders who hide more than a tail": Change(
        "sampled_counts",
        "many_holders",
        "(1 - (1 - q) / E) q",
        "1 q",
        lambda: lost(HALF, 2, 3, 1) == QUARTER > HALF**3,
    ),
    "few holders who are told apart by half a tail": Change(
        "sampled_counts",
        "many_fewer_holders",
        "((1 / (1 - q) - E)",
        "((1 / (1 - q) - E) / 4",
        lambda: lost(HALF, 1, 0, 1) == HALF > QUARTER,
    ),
    "correlated noise with twice the delta": Change(
        "correlated_exactly",
        "correlated_exactly",
        "(shares D2 n) E delta",
        "(shares D2 n) E (2 * delta)",
        lambda: xdp.shift_profile(xdp.Geometric(HALF)).delta(exp_eps=1) == HALF,
    ),
    "correlated noise with the second eps alone": Change(
        "correlated_counting",
        "correlated_private",
        "(e1 + e2) delta",
        "e2 delta",
        nobody_else_is_seen,
    ),
    "shares of a smaller noise": Change(
        "counting_programs",
        "negative_binomial_counting",
        "is_negative_binomial (r / INR n)",
        "is_negative_binomial (r / INR n / 100)",
        lambda: (
            xdp.shift_profile(xdp.NegativeBinomial(Fraction(3, 100), "91/100")).delta(eps=HALF).lo > Fraction(4, 10)
        ),
    ),
    "negative binomial noise that is moved too far": Change(
        "negative_binomial_privacy",
        "negative_binomial_moved",
        "(c1 - c2) <= Z.of_nat d)",
        "(c1 - c2) <= Z.of_nat (100 * d))",
        lambda: (
            exp(Fraction(-3, 20)).hi < Fraction(87, 100)
            and xdp.shift_profile(xdp.NegativeBinomial(3, "87/100"), shift=100).delta(eps=HALF).lo > HALF
        ),
    ),
    "the bundles of one user for those of all": Change(
        "bundled_noise",
        "sent_bundles",
        "(pooled (length xs) parts)",
        "(pooled 1 parts)",
        lambda: xdp.NegativeBinomial(2, HALF).exact_pmf(0) < xdp.Geometric(HALF).exact_pmf(0),
    ),
    "bundles that do not cancel": Change(
        "bundled_noise",
        "zero_sum_error",
        "added (snd part) = 0%Z",
        "added (snd part) = 1%Z",
        lambda: xdp.Geometric(HALF).exact_pmf(0) == HALF < 1,
    ),
    "a number that is written without its own multiset": Change(
        "zero_sum_multisets",
        "written",
        "(x <= Delta)%nat",
        "(x <= S Delta)%nat",
        lambda: coefficients(2) == {2: 1, -1: -2},
    ),
    "half of what the parts lose": Change(
        "moved_bundles",
        "moved_bundles",
        "+ total l lost",
        "+ total l lost / 2",
        lambda: xdp.shift_profile(xdp.Geometric(HALF)).delta(exp_eps=1) == HALF > QUARTER,
    ),
    "almost central noise without the noise of each sign": Change(
        "almost_central",
        "almost_central_private",
        "(e0 + e1 + e2)",
        "(e1 + e2)",
        lambda: nobody_else_is_seen(Fraction(1, 50)),
    ),
    "a width that is the number": Change(
        "almost_central",
        "printed_width",
        "ln (INR Delta) <= INR k",
        "0 <= INR k",
        lambda: 2 * spread(4) > 3 * 4,
    ),
    "an almost central error of a lighter tail": Change(
        "almost_central",
        "almost_central_error",
        "geometric p z",
        "geometric (p * p) z",
        lambda: xdp.DiscreteLaplace(2).exact_pmf(0) < xdp.DiscreteLaplace(4).exact_pmf(0),
    ),
    "an almost central error on one side only": Change(
        "almost_central",
        "almost_central_tail",
        "= 2 * p ^ k",
        "= p ^ k",
        lambda: 2 * xdp.DiscreteLaplace(2).exact_sf(0) > HALF / (1 + HALF),
    ),
    "multisets of five messages in two": Change(
        "almost_central_messages",
        "almost_central_messages",
        "6 * total",
        "5 * total",
        lambda: sum(sum(zero_sum_multiset(i).values()) for i in (2, -2)) == 6,
    ),
    "messages of one sign for those of both": Change(
        "almost_central_messages",
        "almost_central_few_messages",
        "(2 * INR Delta / e0",
        "(INR Delta / e0",
        few_messages_but_for_those_of_one_sign,
    ),
    "a width that is reached exactly": Change(
        "almost_central_width",
        "width_below_spread",
        "(65 <= Delta)",
        "(64 <= Delta)",
        lambda: exp(4).hi < 64 and spread(64) == 64 * (5 + 1),
    ),
    "an error on one side only": Change(
        "correlated_counting",
        "correlated_error",
        "= 2 * exp (- e1)",
        "= exp (- e1)",
        lambda: 2 * xdp.DiscreteLaplace(2).exact_sf(0) > HALF / (1 + HALF),
    ),
    "a waiting time that is moved by 2": Change(
        "waiting_times",
        "waiting_time",
        "(c - d) <= 1",
        "(c - d) <= 2",
        lambda: (
            bounds.sample_threshold_worst(2, alpha=HALF, exp_eps=2).delta
            < xdp.shift_profile(xdp.NegativeBinomial(2, 1 - QUARTER), shift=2).delta(exp_eps=2)
        ),
    ),
    "sums that overlap by three tails": Change(
        "overlapping_answers",
        "middle_overlap",
        "1 - 2 * Pr",
        "1 - 3 * Pr",
        lambda: 3 * xdp.BinomialSum(10, "3/4", 10, "1/4").cdf(9).lo > 1,
    ),
    "a threshold that is the largest already": Change(
        "equal_error", "equal_errors", "(7 <= tau)", "(6 <= tau)", lambda: largest_risk(6) <= Fraction(1, 10)
    ),
    "a threshold that only all together reach": Change(
        "equal_error",
        "less_given_away",
        "(sample_and_threshold (1 / 2) 6)",
        "(sample_and_threshold (1 / 2) 40)",
        lambda: xdp.protocols.k_ary(40, 2, gamma="11/16").privacy_profile().delta(exp_eps=1) > Fraction(1, 2**40),
    ),
    "half the delta of a user who is alone": Change(
        "stability_histogram",
        "stability_histogram_private",
        "exp eps * q + s",
        "exp eps * q + s / 2",
        who_is_alone_is_seen,
    ),
    "a larger least error of two bits": Change(
        "local_least_error",
        "local_least_error",
        "eps 2 (2 / (E + 1))",
        "eps 2 (3 / (E + 1))",
        lambda: max(map(sum_of_two_answers, range(3))) == HALF < Fraction(3, 4),
    ),
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
    "any number of users with half the eps": Change(
        "geometric_optimal",
        "geometric_optimal",
        "clamped_counts n (exp (- eps)) i",
        "clamped_counts n (exp (- (eps / 2))) i",
        lambda: least_error(2, HALF) > least_error(2, QUARTER),
    ),
    "a remapping with half the eps": Change(
        "geometric_optimal",
        "geometric_remapping",
        "geometric_remapped n (exp (- eps))",
        "geometric_remapped n (exp (- (eps / 2)))",
        lambda: least_error(3, HALF) > least_error(3, QUARTER),
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
