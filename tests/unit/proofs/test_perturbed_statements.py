"""Statements of the Coq development, each changed in one place: the proof fails, and the changed statement is false.

A proof that fails is no proof of the contrary, so every change comes with an exact counterexample, which is computed
here without Coq. The proofs are run where Coq is installed; the counterexamples everywhere.
"""

from __future__ import annotations

import math
from fractions import Fraction

import exactdp as xdp
from exactdp import protocols
from exactdp.bounds import binomial_smoothness_bound
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.proofs.development import files
from tests.unit.proofs.changed_statements import COQ, Change, both_tests_of, compiled, exp, needs_coq

HALF = Fraction(1, 2)


def likelihood(n, ones, q):
    """The probability of so many ones, in one order, of n bits that are 1 with the probability q."""
    return q**ones * (1 - q) ** (n - ones)


def answer(theta):
    """The probability of the answer 1 for a bit that is 1 with the probability theta; lambda = n/2."""
    return Fraction(1, 4) + theta / 2


def zsum_with_constant(c, n):
    """eps = 1, gamma = c ln(2/delta)/n = 1/2, that is delta = 2 e^(-n/(2c)), and n >= 2c ln(2/delta)."""
    private = protocols.zsum(n, gamma=HALF).privacy_profile().delta(eps=1, relative_bits=64)
    return private > enclose_real(2 * Real.exp(Fraction(-n, 2 * c)), relative_bits=64)


def closed_form_with_n_in_place_of_n_plus_1():
    """n = 3, gamma = 2/3, e^eps = 3/2: a = floor(12/7) = 1 where floor(16/7) = 2 is right, and b = 3."""
    w, order = [Fraction(math.comb(3, t) * 2**t, 27) for t in range(4)], Fraction(3, 2)
    promised = max(w[0] + w[1] - order * w[0], w[2] + w[3] - order * w[3])
    return protocols.zsum(3, gamma="2/3").privacy_profile().delta(exp_eps=order) > promised


def lemma_3_at(n, gamma, alpha, k):
    """The formula of Lemma 3's delta is evaluated here: its function refuses what is outside its hypotheses."""
    eps = (1 + alpha) / (1 - alpha)
    first, second = alpha**2 * gamma * n / 8, alpha**2 * gamma * n / (8 + 2 * alpha)
    promised = enclose_real(Real.exp(-first) + Real.exp(-second), relative_bits=64)
    return xdp.smoothness_delta(xdp.Binomial(n, gamma), k=k, exp_eps=eps) > promised.hi


def eps_of_gap(n):
    return protocols.gap(n).privacy_profile().epsilon(0).argument


def two_coordinates_of_uniform_noise():
    """(0, 0) and (1, 1) plus noise on {0, 1, 2, 3}: what the second cannot show has more than 1/4."""
    noise = range(4)
    shown = {(a + 1, b + 1) for a in noise for b in noise}
    lost = Fraction(sum((a, b) not in shown for a in noise for b in noise), 16)
    return lost > Fraction(1, 4)


def shuffling_helps():
    """eps of the shuffled protocol at the delta given away is below the local eps."""
    flip = xdp.randomized_response(2, gamma=HALF)
    local, shuffled = xdp.ShuffleProtocol(flip, 1), xdp.ShuffleProtocol(flip, 10)
    given = shuffled.privacy_profile().delta(exp_eps=2)
    return local.privacy_profile().delta(exp_eps=2) > given > 0


def complement_at_one():
    """Where delta is 1 everything is private, and no less will do."""
    alone = xdp.ShuffleProtocol(protocols.complement_randomizer().local(), 1)
    return alone.privacy_profile().delta(exp_eps=100) == 1


def histogram_at_zero():
    """One user, gamma = 1/2, two bins, eps = 0: a joint distance of 3/4 where one bin has 1/2."""
    one = protocols.zsum(1, gamma=HALF).privacy_profile().delta(exp_eps=1)
    return protocols.histogram(1, 2, gamma=HALF).privacy_profile().delta(exp_eps=1) > one


def binary_sums_with_constant(c, n):
    """eps = 1, lambda = n/3 = c ln(4/delta)."""
    flip = xdp.randomized_response(2, gamma=Fraction(1, 3))
    private = xdp.ShuffleProtocol(flip, n).privacy_profile().delta(eps=1)
    return private > enclose_real(4 * Real.exp(Fraction(-n, 3 * c)), relative_bits=64)


def die_at_a_half():
    """E = 1/2 and a shift by 1: what both dice show counts too, and more than 1/6 is left."""
    shown = [(Fraction(1 <= t <= 6, 6), Fraction(2 <= t <= 7, 6)) for t in range(1, 8)]
    return sum(max(Fraction(0), p - q / 2) for p, q in shown) > Fraction(1, 6)


def zsum_error_above_gamma():
    """eps = 1, delta = 2/e, n = 100, gamma = 1/2, 61 users hold 1: where W > 60 the estimate is 0, 0.61 too low."""
    return xdp.Binomial(100, HALF).sf(60) > exp(-25)


def histogram_with_one_delta():
    """One user, two bins, a fair coin, e^eps = 2: the coin is smooth with delta = 1/2, and 3/4 is lost at e^(2 eps)."""
    smooth = xdp.smoothness_delta(xdp.Binomial(1, HALF), k=1, exp_eps=2)
    return protocols.histogram(1, 2, gamma=HALF).privacy_profile().delta(exp_eps=4) == Fraction(3, 4) > smooth


def gaussian_beyond(point):
    """sigma^2 = 25, eps = 19/50, k = 8: whether P[Y >= point] is more than the delta of smoothness."""
    law = xdp.DiscreteGaussian(25)
    return law.sf(math.ceil(point) - 1) > xdp.smoothness_delta(law, k=8, eps="19/50")


CHANGES = {
    "zsum with 2 in place of 50": Change(
        "zsum_privacy",
        "zsum_privacy",
        "100 * ln (2 / delta) / eps ^ 2 <= INR n ->\n  shuffle_dp n (zsum_randomizer (zsum_gamma n eps delta))",
        "4 * ln (2 / delta) / eps ^ 2 <= INR n ->\n  shuffle_dp n (zsum_randomizer "
        "(2 * ln (2 / delta) / (eps ^ 2 * INR n)))",
        lambda: zsum_with_constant(2, 36),
    ),
    "zsum with 3 in place of 50": Change(
        "zsum_privacy",
        "zsum_privacy",
        "100 * ln (2 / delta) / eps ^ 2 <= INR n ->\n  shuffle_dp n (zsum_randomizer (zsum_gamma n eps delta))",
        "6 * ln (2 / delta) / eps ^ 2 <= INR n ->\n  shuffle_dp n (zsum_randomizer "
        "(3 * ln (2 / delta) / (eps ^ 2 * INR n)))",
        lambda: zsum_with_constant(3, 108),
    ),
    "zsum's closed form with n in place of n + 1": Change(
        "zsum_closed_form",
        "zsum_closed_form",
        "(INR n + 1) * gamma / (gamma",
        "INR n * gamma / (gamma",
        closed_form_with_n_in_place_of_n_plus_1,
    ),
    "zsum's least delta falls at n = 2 too": Change(
        "zsum_closed_form",
        "zsum_delta_not_monotone",
        "~ shuffle_dp",
        "shuffle_dp",
        lambda: protocols.zsum(2, gamma=HALF).privacy_profile().delta(exp_eps=1) > Fraction(4, 9),
    ),
    "R^gap from n = 3 on": Change(
        "gap", "gap_private", "(4 <= n)%nat", "(3 <= n)%nat", lambda: eps_of_gap(3) > Fraction(8, 5) == eps_of_gap(4)
    ),
    "Lemma 3 with twice the reach": Change(
        "binomial_smoothness",
        "lemma3",
        "alpha * gamma * INR n / 2",
        "alpha * gamma * INR n",
        lambda: lemma_3_at(31, HALF, Fraction(499, 500), 15),
    ),
    "Lemma 3 with gamma above one half": Change(
        "binomial_smoothness",
        "lemma3",
        "gamma <= 1 / 2",
        "gamma < 1",
        lambda: lemma_3_at(18, Fraction(3, 4), Fraction(9, 10), 6),
    ),
    "Lemma 2 without the union factor": Change(
        "smooth_noise_privacy", "lemma2_masses", "(INR Delta * delta)", "delta", two_coordinates_of_uniform_noise
    ),
    "single message, not pure": Change(
        "single_message",
        "single_message_theorem",
        "eps 0 -> local_dp R eps 0",
        "eps (1 / 50) -> local_dp R eps (1 / 50)",
        shuffling_helps,
    ),
    "R^gap locally at its total variation": Change(
        "gap_local",
        "gap_local",
        "delta < 3 / 8",
        "delta <= 3 / 8",
        lambda: xdp.ShuffleProtocol(protocols.gap_randomizer(), 1).privacy_profile().delta(exp_eps=1) == Fraction(3, 8),
    ),
    "(x, 1-x) locally at delta = 1": Change(
        "complement", "complement_local", "delta < 1", "delta <= 1", complement_at_one
    ),
    "the Taylor bound without its remainder": Change(
        "exponential",
        "exp_below_taylor_sum",
        " + x ^ K / INR (fact K) / (1 - x / (INR K + 1))",
        "",
        lambda: exp(1) > Fraction(1),
    ),
    "the histogram for 2 eps and one delta": Change(
        "histogram", "histogram_privacy", "(2 * delta)", "delta", histogram_at_zero
    ),
    "the histogram for smooth noise, 2 eps and one delta": Change(
        "histogram_smooth", "histogram_smooth_private", "(2 * delta)", "delta", histogram_with_one_delta
    ),
    "smooth for every k with delta above 0": Change(
        "smooth_laws",
        "smooth_every_k",
        "smooth D eps 0 1",
        "smooth D eps (1 / 4) 1",
        lambda: xdp.smoothness_delta(xdp.Law(dict.fromkeys(range(4), Fraction(1, 4))), k=1, exp_eps=2) > 0,
    ),
    "geometric tails at eps = ln(1/a)": Change(
        "smooth_laws",
        "geometric_smooth_iff",
        "ln (/ a) < eps",
        "ln (/ a) <= eps",
        lambda: xdp.smoothness_delta(xdp.DiscreteLaplace(2), k=1, exp_eps=2) > 0,
    ),
    "Gaussian tails with all of k": Change(
        "smooth_laws",
        "gaussian_smooth_iff",
        "IZR k / 2",
        "IZR k",
        lambda: gaussian_beyond(25 * Fraction(19, 50) - 8),
    ),
    "a law that ends, one point more": Change(
        "smooth_laws",
        "bounded_smooth",
        "(y < m + k)%Z",
        "(y <= m + k)%Z",
        lambda: xdp.Geometric(HALF).exact_cdf(1) > xdp.smoothness_delta(xdp.Geometric(HALF), k=1, exp_eps=100),
    ),
    "the upper Chernoff bound with the lower one's exponent": Change(
        "chernoff",
        "chernoff_upper",
        "h ^ 2 / (2 + h)",
        "h ^ 2 / 2",
        lambda: Fraction(1, 100) > exp(Fraction(-(99**2), 200)),
    ),
    "removing a user": Change(
        "adding_a_user",
        "adding_a_user",
        "shuffle_dp n R eps delta -> shuffle_dp (S n) R eps delta",
        "shuffle_dp (S n) R eps delta -> shuffle_dp n R eps delta",
        lambda: eps_of_gap(2) > eps_of_gap(3),
    ),
    "binary sums with 2 in place of 64": Change(
        "binary_sums_branches",
        "rr_sum_first_branch",
        "64 * ln",
        "2 * ln",
        lambda: binary_sums_with_constant(2, 90),
    ),
    "a share of the answers that is too small": Change(
        "likelihood",
        "share_most_likely",
        "INR (ones y) / INR (length y)",
        "INR (ones y) / INR (S (length y))",
        lambda: likelihood(1, 1, 1) > likelihood(1, 1, HALF),
    ),
    "the answers' share as the bits'": Change(
        "likelihood",
        "rr_sum_most_likely",
        "(rr_estimate lambda n y / INR n)",
        "(INR (ones y) / INR n)",
        lambda: likelihood(3, 2, answer(Fraction(5, 6))) > likelihood(3, 2, answer(Fraction(2, 3))),
    ),
    "an estimate that is never the answers' sum": Change(
        "likelihood",
        "rr_sum_most_likely_bits",
        "INR (ones y) = INR n / 2",
        "INR (ones y) = 0",
        lambda: Fraction(2, 2 - 1) * (1 - HALF) == 1,  # n = 2, lambda = 1, one answer is 1
    ),
    "an estimate out of range without noise": Change(
        "likelihood",
        "rr_sum_leaves_range",
        "0 < lambda < INR n",
        "0 <= lambda < INR n",
        lambda: all(0 <= Fraction(1, 1 - 0) * (ones - 0) <= 1 for ones in (0, 1)),  # n = 1, lambda = 0
    ),
    "a uniform law at e^eps below 1": Change("uniform_ends", "uniform_ends", "1 <= E", "0 <= E", die_at_a_half),
    "zsum's error within gamma (1 + eps/5)": Change(
        "zsum_accuracy_theorem", "zsum_accuracy", "12808 / 10000 * eps", "1 / 5 * eps", zsum_error_above_gamma
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)


@needs_coq
def test_an_unchanged_file_compiles_alone(tmp_path, built):
    assert compiled(tmp_path, (COQ / files()["gap_local"]).read_text("utf-8"), built) is None


def test_the_formula_of_lemma_3_is_the_packages():
    bound = binomial_smoothness_bound(100, gamma=HALF, k=1, alpha=HALF)
    assert math.isclose(float(bound.delta), math.exp(-100 / 64) + math.exp(-12.5 / 9), rel_tol=1e-12)
    assert not lemma_3_at(100, HALF, HALF, 1)
