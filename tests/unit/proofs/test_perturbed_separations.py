"""Statements on histograms, shuffling and R^gap, each changed in one place: it is false, and its proof fails."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import exactdp as xdp
from exactdp import protocols
from exactdp.proofs import histogram, pure_dp_facts
from exactdp.proofs.zsum_accuracy import DEVIATION
from tests.unit.proofs.changed_statements import Change, both_tests_of, exp

HALF = Fraction(1, 2)


def never_certain():
    """At every n some coins fall so that no bin errs, so no probability of failure is above beta = 1."""
    at = histogram.one_bin_instance()
    return 1 - (1 - at.one_bin) ** at.bins < 1


def more_than_delta_to_the_25_over_4():
    """eps = 1, delta = 1/2: a bin of K users, K the first above n alpha, errs where W >= K, for small n and large."""
    found = []
    for n in (10**3, 10**6, 10**12):
        gamma = histogram.noise(n, HALF)
        reach = int(n * gamma * (1 + DEVIATION)) + 1
        found.append(xdp.Binomial(n, gamma).sf(reach - 1) > Fraction(1, 8**25))
    return all(found)


def alone(randomizer):
    return xdp.ShuffleProtocol(randomizer.local(), 1).privacy_profile().delta(exp_eps=1)


def messages_in_order_tell():
    """One user who holds 1 sends (1, 0) for certain, and pre-shuffled with probability 1/2."""
    sent = protocols.complement_randomizer()
    return dict(sent.table()[1]) == {(1, 0): 1} and dict(sent.preshuffle().table()[1]) == {(1, 0): HALF, (0, 1): HALF}


def reports_in_order_tell():
    """Two users who say that they hold 1 and 0: what they send is (1, 0), and the shuffled list half the time."""
    return pure_dp_facts.shuffled((1, 0), Fraction(0)).prob(1) == HALF


def a_delta_hides():
    """Ten users of randomized response: (0, 1/4)-DP shuffled, and ln 3 for the randomizer."""
    table = xdp.randomized_response(2, gamma=HALF)
    shuffled = xdp.ShuffleProtocol(table, 10).privacy_profile().delta(exp_eps=1)
    return shuffled <= Fraction(1, 4) and table.local_epsilon().argument == 3


def both_send_at_most_one():
    """Both inputs send one string of the five: (0, 0)-DP."""
    few = {s: Fraction(1, 5) for s in product((0, 1), repeat=4) if sum(s) <= 1}
    return xdp.ShuffleProtocol(xdp.Randomizer({0: few, 1: few}), 2).privacy_profile().delta(exp_eps=1) == 0


def two_bins_follow_from_the_sum():
    """Of records 0 and 1 the sum s of n gives the counts n - s and s."""
    n = 3
    return all((xs.count(0), xs.count(1)) == (n - sum(xs), sum(xs)) for xs in product((0, 1), repeat=n))


def record_in_no_bin():
    """The record d = 2 adds 2 to the sum and nothing to the counts of the bins 0 and 1."""
    xs = [2]
    return sum(xs) != sum(j * xs.count(j) for j in range(2))


def half_of_delta_is_too_little():
    """One user, gamma = 1/2: at E = 1 the two laws of the number of messages differ by 1/2."""
    noise = xdp.shift_profile(xdp.Binomial(1, HALF)).delta(exp_eps=1)
    return noise == protocols.zsum(1, gamma=HALF).privacy_profile().delta(exp_eps=1) == HALF


def two_bins_err_more_often():
    """n = d = 2, gamma = 1/4, h = 0, one user in each bin: it errs by 1/2 where one of its two coins is 1, 7/16."""
    one = 1 - Fraction(3, 4) ** 2
    return 1 - (1 - one) ** 2 > one


def unary_encoding_is_nearer():
    """e^eps = 4, d = 16: 32 e^(-2 t^2 ((2-1)/(2+1))^2/n) < 1/8 for t = 5 sqrt(n ln 16) 2/3: 256 < 16^(200/81)."""
    return 2 * (5 * Fraction(2, 3)) ** 2 / 9 == Fraction(200, 81) > 2


def half_of_one_user():
    """n = 1: the estimate 1/2 of every bin is 1/2 off, whatever is held."""
    return all(abs(HALF - held) < 1 for held in (0, 1))


def many_answers_tell():
    """e^eps = 3, two bins, n = 300 answers of randomized response: 2 e^(-2 (n/5)^2 (1/2)^2/n) = 2 e^-6 < 1/8."""
    return exp(6).lo > 16


def a_bit_alone_errs():
    """n = d = 1, e^eps = 4: the error is 1 or 2, and 1 >= sqrt(ln(2/beta)/2) for beta = 9/10, as 20/9 <= e^2."""
    return Fraction(20, 9) <= exp(2).lo


def seven_bins_err():
    """a = 1/2, h = A = 1, seven users alone in their bins: each is more than 1 off where the noise is 2 or more."""
    noise = xdp.DiscreteLaplace(2)
    one = 1 - sum(noise.exact_pmf(z) for z in (-1, 0, 1)) - sum(noise.exact_pmf(-z) for z in range(2, 60))
    return 1 - (1 - one) ** 7 > Fraction(2, 3)


def third_record_tells():
    """Two users, 0 and 2 against 0 and 0: two ones have 1/2 against 1/4."""
    fair = {(0,): HALF, (1,): HALF}
    two = xdp.ShuffleProtocol(xdp.Randomizer({0: fair, 2: {(1,): 1}}), 2)
    return two.law([0, 2]).prob((0, 2)) == HALF != two.law([0, 0]).prob((0, 2))


def below_the_chord():
    """Two fair coins and one more: 1/2 at E = 1, and 1/4 at E = 2 and 3."""
    one, two, three = (xdp.shift_profile(xdp.Binomial(2, HALF)).delta(exp_eps=at) for at in (1, 2, 3))
    return (one, two, three) == (HALF, HALF / 2, HALF / 2) and 2 * two < one + three


def first_line_is_below_a_record_that_stays():
    """n = 2, e^eps = 1/2: a record replaced by itself needs delta = 1/2; the first line is from e^eps = 1 to 5/2."""
    first = protocols.gap(2).privacy_profile().exact_delta(exp_eps=1)
    return first + first * Fraction(1, 2) / Fraction(3, 2) < Fraction(1, 2)


CHANGES = {
    "all bins fail for certain": Change(
        "histogram_many_bins", "histogram_bins_fail", "beta < 1", "beta <= 1", never_certain
    ),
    "zsum, with half of the delta of its noise": Change(
        "zsum_noise",
        "zsum_of_shift",
        "(zsum_randomizer gamma) (ln E) delta",
        "(zsum_randomizer gamma) (ln E) (delta / 2)",
        half_of_delta_is_too_little,
    ),
    "all bins as seldom as one": Change(
        "zsum_noise", "histogram_of_tail", "xs) <= INR n * p", "xs) <= p", two_bins_err_more_often
    ),
    "one bin at a smaller probability": Change(
        "histogram_many_bins",
        "histogram_right_for_one_bin",
        "<= delta ^ 25",
        "<= (delta / 4) ^ 25",
        more_than_delta_to_the_25_over_4,
    ),
    "pre-shuffled, without the shuffler": Change(
        "preshuffle",
        "preshuffle_view",
        "(bind (messages (preshuffled R) xs) shuffler) (bind (messages R xs) shuffler)",
        "(messages (preshuffled R) xs) (messages R xs)",
        messages_in_order_tell,
    ),
    "pre-shuffled, as a local randomizer": Change(
        "preshuffle",
        "preshuffle_shuffle_dp",
        "shuffle_dp n (preshuffled R) eps delta <-> shuffle_dp n R eps delta",
        "local_dp (preshuffled R) eps delta <-> local_dp R eps delta",
        lambda: alone(protocols.complement_randomizer().preshuffle()) == 0 < alone(protocols.complement_randomizer()),
    ),
    "an aggregator that does not shuffle": Change(
        "local_simulation",
        "local_simulation",
        "(simulated analyzer)",
        "(fun received => analyzer (concat received))",
        reports_in_order_tell,
    ),
    "an equivalent local protocol at delta = 1/4": Change(
        "local_simulation",
        "equivalent_local_protocol",
        "shuffle_dp n (one_message R) eps 0",
        "shuffle_dp n (one_message R) eps (1 / 4)",
        a_delta_hides,
    ),
    "input 0 need not send four ones": Change(
        "gap_any_weights",
        "gap_at_most_one_one",
        "0 < Pr (send false) (fun u => Nat.eqb (ones u) 4)",
        "0 < Pr (send false) (fun u => Nat.eqb (ones u) 1)",
        both_send_at_most_one,
    ),
    "less than no privacy": Change(
        "gap_curve", "gap_whole_curve", "0 <= eps", "-1 <= eps", first_line_is_below_a_record_that_stays
    ),
    "two bins": Change("sum_of_histogram", "histogram_not_of_sum", "3 <= d", "2 <= d", two_bins_follow_from_the_sum),
    "a record in no bin": Change("sum_of_histogram", "sum_of_histogram", "x < d", "x <= d", record_in_no_bin),
    "a local error of 20 times the order": Change(
        "local_histogram", "local_histogram_constant", "/ K) / 4) xs", "/ K) * 5) xs", unary_encoding_is_nearer
    ),
    "a local error of all users": Change(
        "local_histogram", "local_histogram_few_users", "(INR n / 4) xs", "(INR n) xs", half_of_one_user
    ),
    "answers that tell nothing": Change(
        "local_histogram",
        "local_histogram_error",
        "(1 + theta ^ 2 * ((exp eps - 1) ^ 2 / exp eps)) ^ n * b",
        "b",
        many_answers_tell,
    ),
    "an estimate that need not be scaled": Change(
        "local_histogram_attained",
        "local_histogram_attained",
        "((F + 1) / (F - 1) * sqrt",
        "(sqrt",
        a_bit_alone_errs,
    ),
    "two bins need many users": Change(
        "histogram_separation",
        "separation",
        "(forall d n, (d0 <= d)%nat",
        "(forall d n, (2 <= d)%nat",
        many_answers_tell,
    ),
    "the errors of all bins as of one": Change(
        "stability_histogram", "stability_histogram_errors", "INR (length xs) * (2 * a", "(2 * a", seven_bins_err
    ),
    "all three records look the same": Change(
        "single_message", "single_message_some_pairs", "(x < 2)", "(x < 3)", third_record_tells
    ),
    "convex from below": Change(
        "hockey_stick_curve",
        "stick_convex",
        "(F - E) * stick x <= (F - x)",
        "(F - E) * stick x >= (F - x)",
        below_the_chord,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
