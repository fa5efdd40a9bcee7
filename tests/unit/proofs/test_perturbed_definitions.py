"""Statements on definitions and noise, each changed in one place: it is false, and its proof fails."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import mpmath

import exactdp as xdp
from exactdp.proofs.noise_definitions import exponential_mechanism
from tests.unit.proofs.changed_statements import Change, both_tests_of

HALF = Fraction(1, 2)


def an_order_tells_more():
    """The lists (0, 1) and (1, 0) of messages: "the first is 0" tells them apart as they are, and shuffled does not."""
    first, second = ((0, 1), (1, 0))
    shuffled = [sum(Fraction(order[0] == 0, 2) for order in permutations(sent)) for sent in (first, second)]
    return shuffled[0] == shuffled[1] and (first[0] == 0) > (second[0] == 0)


def is_bad_too_often():
    """One answer of score 1, three of 0, e^(eps/2) = 2: at c = ln 2 those of score 0 are bad, and e^-c is 1/2."""
    row = exponential_mechanism([1, 0, 0, 0]).table()[0]
    return sum(p for (r,), p in row.items() if r > 0) > HALF


def a_larger_variance():
    """p = 1/2: the first 60 terms alone are more than p/(1-p) = 1."""
    return sum((t - 1) ** 2 * HALF ** (t + 1) for t in range(60)) > 1


def two_cells():
    """Noise of ratio 1/2 on two cells: at (0, 0) the answer (0, 0) is 4 times as likely as (1, 1)."""
    law = xdp.DiscreteLaplace(2)
    return (law.exact_pmf(0) / law.exact_pmf(1)) ** 2 == 4


def the_middle_is_nearer():
    """One bit, eps = 1: the constant answer 1/2 is private, and errs by 1/2."""
    return max(abs(HALF - bit) for bit in (0, 1)) < 1


def below_zero(z):
    """The probability of [-2, -1] around z at scale 1."""
    return mpmath.quad(lambda t: mpmath.exp(-abs(t - z)) / 2, [-2, -1])


def laplace_density_at(z):
    return mpmath.exp(-abs(z)) / 2


def a_random_record(n):
    """The record of one of n users who hold 0, or of whom one holds 1."""
    rows = {x: {(1,): Fraction(x, n), (0,): 1 - Fraction(x, n)} for x in (0, 1)}
    return xdp.ShuffleProtocol(xdp.Randomizer(rows), 1).privacy_profile()


def wrong_name(lead, ratio, tie):
    """How often the noise of the one behind makes up for the lead, and for one more if ties go to the other."""
    return sum((1 - ratio) * ratio**t * ratio ** (t + lead + tie) for t in range(60))


def near_pairs(r):
    pairs = list(product(range(4 * r + 1), repeat=2))
    return 2 * sum(abs(a - b) > r for a, b in pairs) <= len(pairs)


def far_laws():
    """(0, 1/2)-DP: (1/2, 1/2, 0) against (0, 1/2, 1/2)."""
    first, second = xdp.Law({0: HALF, 1: HALF}), xdp.Law({1: HALF, 2: HALF})
    return xdp.total_variation_distance(first, second) == HALF > HALF / 2


CHANGES = {
    "the order of the messages as they were sent": Change(
        "shuffler", "ordered_output", "forall T, symmetric T -> Pr P T", "forall T, Pr P T", an_order_tells_more
    ),
    "an order as likely as the place of one message": Change(
        "shuffler",
        "shuffler_uniform",
        "(fact (length u))",
        "(length u)",
        lambda: Fraction(1, len(list(permutations(range(3))))) < Fraction(1, 3),
    ),
    "a random record at a smaller delta": Change(
        "published_record",
        "published_record_private",
        "(1 / INR n)",
        "(1 / INR (S n))",
        lambda: a_random_record(10).delta(exp_eps=1) > Fraction(1, 11),
    ),
    "a random record at twice the delta only": Change(
        "published_record",
        "published_record_needs",
        "1 / INR n <= delta",
        "2 / INR n <= delta",
        lambda: a_random_record(10).delta(exp_eps=1) < Fraction(2, 10),
    ),
    "the largest of noisy scores at half its eps": Change(
        "noisy_maximum",
        "noisy_maximum_private",
        "p <= e ^ 2 * q",
        "p <= e * q",
        lambda: (
            1 - wrong_name(1, HALF, 0) > 2 * wrong_name(1, HALF, 1)
        ),  # the second, ahead by a vote and behind by one
    ),
    "a lead with the other's ties": Change(
        "noisy_maximum_errs",
        "noisy_maximum_errs",
        "(a ^ (m + 1) / (1 + a)) /",
        "(a ^ m / (1 + a)) /",
        lambda: wrong_name(1, HALF, 1) < HALF / (1 + HALF),
    ),
    "a private winner who is wrong half of the time": Change(
        "private_winner",
        "private_winner",
        "(1 - delta) / (1 + exp eps)",
        "(1 - delta) / 2",
        lambda: exponential_mechanism([1, 0]).table()[0][(1,)] == Fraction(1, 3) < HALF,  # k = 0, e^eps = 2
    ),
    "the exponential mechanism at half its eps": Change(
        "exponential_mechanism",
        "exponential_mechanism_private",
        "p <= exp eps * q",
        "p <= exp (eps / 2) * q",
        lambda: exponential_mechanism([1, 0, 0], [0, 1, 1]).local_epsilon().argument > 2,
    ),
    "utility without the number of answers": Change(
        "exponential_mechanism",
        "exponential_mechanism_useful",
        "(ln (INR (length answers)) + c)",
        "c",
        is_bad_too_often,
    ),
    "one-sided noise that loses one outcome": Change(
        "one_sided_noise",
        "one_sided_least_delta",
        "1 - x ^ Z.to_nat j <= delta",
        "1 - x <= delta",
        lambda: xdp.shift_profile(xdp.Geometric("1/2"), shift=2).delta(exp_eps=1) > HALF,
    ),
    "exponential noise that loses less at eps": Change(
        "exponential_noise",
        "exponential_least_delta",
        "delta <= 1 - exp (- lam * Df)",
        "delta <= 1 - exp (eps - lam * Df)",
        lambda: mpmath.quad(lambda t: mpmath.exp(-t), [0, 1]) > 1 - mpmath.exp(mpmath.mpf(1) / 2 - 1),
    ),
    "exponential noise with the variance of its mean": Change(
        "exponential_noise",
        "exponential_moments",
        "(1 / lam ^ 2)",
        "(1 / lam)",
        lambda: mpmath.quad(lambda t: (t - 2) ** 2 * mpmath.exp(-t / 2) / 2, [0, 20]) > 3,
    ),
    "the geometric law with the variance of its mean": Change(
        "geometric_moments", "geometric_moments", "(p / (1 - p) ^ 2)", "(p / (1 - p))", a_larger_variance
    ),
    "noise for one coordinate on many": Change(
        "sensitivity", "geometric_noise_exact", "(/ a) ^ Z.to_nat (l1_distance f g) <= E", "/ a <= E", two_cells
    ),
    "a replaced record that changes a sum by the largest value": Change(
        "sensitivity",
        "sum_sensitivity",
        "<= hi - lo) /",
        "<= Rmax (Rabs lo) (Rabs hi)) /",
        lambda: abs(1 - (-1)) > max(abs(-1), abs(1)),
    ),
    "a histogram of sensitivity 1": Change(
        "sensitivity",
        "histogram_sensitivity",
        "<= 2)%Z",
        "<= 1)%Z",
        lambda: sum(abs(a - b) for a, b in zip((1, 0), (0, 1), strict=True)) > 1,
    ),
    "Laplace noise at half its eps": Change(
        "laplace_noise",
        "laplace_private",
        "exp eps *",
        "exp (eps / 2) *",
        lambda: laplace_density_at(0) / laplace_density_at(1) > mpmath.exp(mpmath.mpf(1) / 2),
    ),
    "the tails of Laplace noise without the half": Change(
        "laplace_noise",
        "laplace_tail",
        "(Rbar_locally p_infty) (exp (- r / b) / 2)",
        "(Rbar_locally p_infty) (exp (- r / b))",
        lambda: mpmath.quad(laplace_density_at, [0, mpmath.inf]) < mpmath.mpf(3) / 4,
    ),
    "events of Laplace noise at half its eps": Change(
        "laplace_boxes",
        "laplace_boxes_private",
        "exp eps *",
        "exp (eps / 2) *",
        lambda: below_zero(0) / below_zero(1) > mpmath.exp(mpmath.mpf(1) / 2),
    ),
    "all coordinates near with probability 1 - beta": Change(
        "laplace_boxes",
        "laplace_all_near",
        "(1 - beta / k) ^ length z",
        "1 - beta",
        lambda: (1 - HALF / 2) ** 2 > 1 - HALF,
    ),
    "an error of the whole distance": Change(
        "noise_is_needed",
        "noise_needed",
        "(f x - f y) / 2 <=",
        "(f x - f y) <=",
        the_middle_is_nearer,
    ),
    "an error of the sensitivity over eps": Change(
        "noise_is_needed",
        "noise_needed_order",
        "/ (4 * eps) <=",
        "/ eps <=",
        the_middle_is_nearer,
    ),
    "some coordinate is off with probability beta": Change(
        "laplace_accuracy",
        "laplace_some_off",
        "chance <= beta",
        "chance = beta",
        lambda: xdp.Binomial(2, "1/4").exact_sf(0) < HALF,
    ),
    "outputs that are far from r = 1 on": Change(
        "definitions_printed", "private_outputs_are_far", "(2 <= r)%nat", "(1 <= r)%nat", lambda: near_pairs(1)
    ),
    "laws that are near at one delta": Change(
        "definitions_printed", "private_laws_are_near", "1 + 2 * delta", "1 + delta", far_laws
    ),
    "the noisy bit at delta = 1/2": Change(
        "definitions_printed",
        "dp_ratio_counterexample",
        "(ln 2) (3 / 4)",
        "(ln 2) (1 / 2)",
        lambda: xdp.shift_profile(xdp.Law({0: Fraction(3, 4), 1: Fraction(1, 4)})).delta(exp_eps=2) > HALF,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
