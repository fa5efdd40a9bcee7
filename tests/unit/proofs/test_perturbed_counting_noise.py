"""Statements on noise that users share and on local protocols, each changed in one place: false, and without proof."""

from __future__ import annotations

from fractions import Fraction

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.proofs.noise_definitions import exponential_mechanism
from tests.unit.proofs.changed_statements import Change, both_tests_of, exp

HALF = Fraction(1, 2)
BILLIONTH = Fraction(1, 10**9)
"""ln(10^9) is between 20 and 21."""


def negative_binomial_delta(r, p, shift=1):
    """The least delta at eps = 1."""
    return xdp.shift_profile(xdp.NegativeBinomial(r, p), shift=shift).delta(eps=1)


def poisson_delta(mu, exp_eps, shift=1):
    return xdp.shift_profile(xdp.Poisson(mu), shift=shift).delta(exp_eps=exp_eps)


def flooded_delta(lam, exp_eps):
    """One user and two bins, in each of which noise of this mean is expected."""
    return xdp.protocols.flooding(1, 2, noise=xdp.Poisson(2 * lam)).privacy_profile().delta(exp_eps=exp_eps)


def answers(exp_eps):
    """Randomized response: bit -> answer -> probability."""
    return {x: {y: Fraction(exp_eps if x == y else 1, exp_eps + 1) for y in (0, 1)} for x in (0, 1)}


def squared_error_of_one_user(exp_eps):
    """The answer 1 is estimated as E/(E+1), the answer 0 as 1/(E+1): the squared error is the same for both bits."""
    estimate = answers(exp_eps)[1]
    return {sum(p * (estimate[y] - x) ** 2 for y, p in row.items()) for x, row in answers(exp_eps).items()}


def one_user_is_seldom_wrong():
    """n = 1, e^eps = 9: the answer errs, by 1, with probability 1/10, and sqrt(9)/20 is above 0."""
    return {row[1 - x] for x, row in answers(9).items()} == {Fraction(1, 10)} and Fraction(1, 10) < Fraction(1, 6)


CHANGES = {
    "shares of the whole shape": Change(
        "negative_binomial_sums",
        "negative_binomial_divisible",
        "(r / INR n)",
        "r",
        lambda: xdp.NegativeBinomial(1, HALF).exact_pmf(0) ** 2 < xdp.NegativeBinomial(1, HALF).exact_pmf(0),
    ),
    "shapes that multiply": Change(
        "negative_binomial_sums",
        "negative_binomial_convolved",
        "(r + s)",
        "(r * s)",
        lambda: xdp.NegativeBinomial(1, HALF).exact_pmf(0) ** 2 < xdp.NegativeBinomial(1, HALF).exact_pmf(0),
    ),
    "Vandermonde's identity for the product": Change(
        "negative_binomial_sums", "rising_vandermonde", "(r + s)", "(r * s)", lambda: 1 * 1 + 1 * 1 != 1 * 1
    ),
    "a tail that falls with the wrong ratio": Change(
        "negative_binomial_law",
        "negative_binomial_lower_tail",
        "a * ln (p / q)",
        "a * ln (q / p)",
        lambda: xdp.NegativeBinomial(1, HALF).exact_cdf(1) > HALF / (1 - HALF**2) * HALF,
    ),
    "negative binomial noise with a sixth of its shape": Change(
        "negative_binomial_privacy",
        "negative_binomial_private",
        "3 * ln (1 / delta) <= r",
        "ln (1 / delta) / 2 <= r",
        lambda: negative_binomial_delta(11, Real.exp("-1/5")) > BILLIONTH,
    ),
    "negative binomial noise for any sensitivity": Change(
        "negative_binomial_privacy",
        "negative_binomial_private",
        "(5 * INR Delta)",
        "5",
        lambda: negative_binomial_delta(9, Real.exp("-1/5"), shift=100) > Fraction(1, 20),
    ),
    "counting with p = e^-eps": Change(
        "private_counting",
        "counting_private",
        "exp (- (eps / (5 * INR Delta))) <= p",
        "exp (- eps) <= p",
        lambda: negative_binomial_delta(63, Real.exp(-1)) > BILLIONTH,
    ),
    "Poisson shares of the whole mean": Change(
        "poisson_sums",
        "poisson_divisible",
        "(mu / INR n)",
        "mu",
        lambda: xdp.Poisson(2).pmf(0) < xdp.Poisson(1).pmf(0),  # two draws of mean 1 are one of mean 2
    ),
    "Poisson noise with a tenth of its mean": Change(
        "poisson_noise",
        "poisson_private",
        "10 * ln (1 / delta)",
        "ln (1 / delta)",
        lambda: poisson_delta(4 * 21, 2) > BILLIONTH,
    ),
    "Poisson noise of a mean that does not grow with Delta": Change(
        "poisson_noise",
        "poisson_private",
        "2 * INR Delta / g <= mu",
        "0 <= mu",
        lambda: poisson_delta(5, 2**100, shift=100) > Fraction(9, 10),  # 40 ln(10/9) is below 5
    ),
    "letters that keep the whole mean": Change(
        "poisson_splitting",
        "poisson_split",
        "(poisson ((1 - q) * T))",
        "(poisson T)",
        lambda: xdp.Poisson(1).pmf(0).hi < 1,  # T = q = 1: t - i is 0
    ),
    "the noise of one bin in each": Change(
        "poisson_splitting",
        "poisson_letters",
        "(mu / INR (length bins))",
        "mu",
        lambda: xdp.Poisson(2).pmf(0) < xdp.Poisson(1).pmf(0),  # two bins: that nothing is drawn
    ),
    "flooding that only counts the noise of one user": Change(
        "flooding",
        "flooded_sent",
        "INR (length xs) * m",
        "m",
        lambda: xdp.Poisson(2).pmf(0) < xdp.Poisson(1).pmf(0),  # two users, one bin
    ),
    "a message that is hidden by more noise than there is": Change(
        "flooding",
        "flooding_below",
        "- 2)) <= delta",
        "- 4)) <= delta",
        lambda: flooded_delta(1, 4) > exp(2 + 0.5 - 4).hi,  # s = 1/2: e^s + e^-2 is below 2
    ),
    "flooding with a tenth of its noise": Change(
        "flooding",
        "flooding_private",
        "<= lambda * (t ^ 2",
        "<= 10 * lambda * (t ^ 2",
        lambda: flooded_delta(Fraction(6, 10), 9) > Fraction(1, 20),  # ln 20 is below 3
    ),
    "a count without the noise": Change(
        "flooding_error",
        "flooding_counts",
        "expectation (poisson lambda)",
        "expectation (poisson (2 * lambda))",
        lambda: xdp.Poisson(2).pmf(0) < xdp.Poisson(1).pmf(0),
    ),
    "a count that is unbiased as it is": Change(
        "flooding_error",
        "flooding_mean",
        "(INR (named v xs) + lambda)",
        "(INR (named v xs))",
        lambda: xdp.Poisson(1).mean > 0,
    ),
    "half of the variance": Change(
        "flooding_error",
        "flooding_variance",
        "^ 2) lambda.",
        "^ 2) (lambda / 2).",
        lambda: xdp.Poisson(1).variance == 1,
    ),
    "an error on one side only": Change(
        "flooding_error",
        "flooding_tail",
        "2 * exp (-",
        "exp (-",
        lambda: exp(Fraction(-1, 6)).hi < 1,  # lambda = r = 1/2, which every number is off by: r^2/(2 lambda + r) = 1/6
    ),
    "a user without his own message": Change(
        "flooding_error",
        "flooding_messages",
        "(1 + m)",
        "m",
        lambda: xdp.protocols.flooding(3, 2, noise=xdp.Poisson(1)).communication().messages == 2,
    ),
    "randomized response of half the eps": Change(
        "local_randomized_response",
        "randomized_response_is_all",
        "(exp eps)",
        "(exp (eps / 2))",
        lambda: (
            xdp.Randomizer({x: {(y,): p for y, p in row.items()} for x, row in answers(4).items()})
            .local_epsilon()
            .argument
            > 2
        ),
    ),
    "a squared error above that of one user": Change(
        "local_error",
        "local_squared_error",
        "INR n * exp eps",
        "(INR n * exp eps + 1 / 100)",
        lambda: squared_error_of_one_user(3) == {Fraction(3, 16)},
    ),
    "m + 1 sums that count as m": Change(
        "local_overlap",
        "local_overlap",
        "/ INR (S m)",
        "/ INR m",
        lambda: answers(3)[0][1] < min(answers(3)[1][0] + answers(3)[0][1], 1),  # n = m = D = 1: o_0 is the right side
    ),
    "a finite exponential mechanism at half its eps": Change(
        "finite_exponential_mechanism",
        "finite_exponential_private",
        "(exp eps) 0",
        "(exp (eps / 2)) 0",
        lambda: exponential_mechanism([1, 0, 0], [0, 1, 1]).local_epsilon().argument > 2,  # weights 2^u: eps is ln 4
    ),
    "utility of a finite mechanism without the number of answers": Change(
        "finite_exponential_mechanism",
        "finite_exponential_useful",
        "(ln (INR (length answers)) + c)",
        "c",
        lambda: exponential_mechanism([1, 0, 0, 0]).table()[0][(0,)] < HALF,  # c = ln 2: the others have score 1 - 1
    ),
    "half-lines that overlap by too little": Change(
        "overlapping_answers",
        "half_lines_overlap",
        "1 (1 - o)",
        "1 (1 / 2 - o)",
        lambda: answers(3)[1][1] - answers(3)[0][1] > HALF - answers(3)[0][1] * 2,  # n = 1, o = 1/2: 1/2 apart, not 0
    ),
    "an error of order sqrt(n) from one user on": Change(
        "local_error",
        "local_error_constant",
        "36 * (exp eps + 1) ^ 2 / exp eps <= INR n",
        "1 <= INR n",
        one_user_is_seldom_wrong,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
