"""Statements on many runs, groups and mixtures, each changed in one place: it is false, and its proof fails."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import exactdp as xdp
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.proofs.composed_privacy import composed_delta, dominating_response
from tests.unit.proofs.changed_statements import Change, both_tests_of

HALF = Fraction(1, 2)
NEW_DELTA = "INR T * delta + delta'"


def answers(times, level, delta):
    """The view of so many runs of randomized response on one bit."""
    return xdp.ShuffleProtocol(dominating_response(*[(Fraction(level), Fraction(delta))] * times), 1).privacy_profile()


def divergence(first, second, exp_eps):
    return sum(max(Fraction(0), p - exp_eps * q) for p, q in zip(first, second, strict=True))


def more_runs_lose_more():
    """Two runs at e^eps = 2 lose at e^eps' = 1 what one run does not."""
    return answers(2, 2, "1/8").delta(exp_eps=1) > composed_delta(1, Fraction(2), Fraction(1, 8), Fraction(1))


def without_the_mean_loss():
    """Four runs at e^eps = 9: e^(sqrt(8 ln 2) eps) is below 9^(5/2) = 243, where more than 1/2 is lost."""
    root = Real.exp(Real.log(8 * Real.log(2)) / 2)
    assert enclose_real(root, relative_bits=32).hi < Fraction(5, 2)
    return answers(4, 9, 0).delta(exp_eps=243) > HALF


def one_delta_for_two_runs():
    """eps = 0 and delta = 1/4, with a slack of 1/8."""
    return answers(2, 1, "1/4").delta(exp_eps=1) > Fraction(1, 4) + Fraction(1, 8)


def a_curve_of_one_order():
    """P = (1, 0), Q = (1/2, 1/2): by P's curve alone, which is 0 at 2, P would lose 1/2 at E = 1/2."""
    first, second = (Fraction(1), Fraction(0)), (HALF, HALF)
    from_other_order = 1 - HALF * (1 - divergence(first, second, 2))
    return divergence(first, second, HALF) > from_other_order and divergence(second, first, 2) == HALF


def noisy_count(shift, exp_eps):
    return xdp.shift_profile(xdp.Binomial(2, HALF), shift=shift).delta(exp_eps=exp_eps)


def two_steps_of_geometric_noise():
    """Noise of ratio 1/2 is pure at e^eps = 2 for one record, and not for two."""
    noise = xdp.DiscreteLaplace(2)
    one, two = (xdp.shift_profile(noise, shift=shift).delta(exp_eps=2) for shift in (1, 2))
    return one == 0 < two


def a_higher_power_of_the_ratio():
    """Randomized response at e^eps0 = 2, h = 1: P has a mean P/Q of 3/2, and loses 1/4 at E = 5/4."""
    level = Fraction(5, 4)
    return answers(1, 2, 0).delta(exp_eps=level) > Fraction(1, 4) * Fraction(3, 2) / level**2


def half_the_divergence_of_a_pure_pair():
    """The mean P/Q of 3/2 at e^eps = 2 is more than e^((ln 2)^2 / 2)."""
    return enclose_real(Real.exp(Real.log(2) * Real.log(2) / 2), relative_bits=32).hi < Fraction(3, 2)


def moments_that_multiply():
    """The mean of P/Q of two runs is (3/2)^2."""
    one = (Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))
    mean = sum(a * b * (a * b) / (c * d) for (a, c), (b, d) in product(zip(*one, strict=True), repeat=2))
    return mean == Fraction(3, 2) ** 2 > Fraction(3, 2)


def the_second_level_counts():
    """A first mechanism that shows nothing, then one that tells all."""
    both = xdp.ShuffleProtocol(dominating_response((Fraction(1), Fraction(0)), (Fraction(1), Fraction(1))), 1)
    first = xdp.ShuffleProtocol(dominating_response((Fraction(1), Fraction(0))), 1)
    return both.privacy_profile().delta(exp_eps=1) == 1 > first.privacy_profile().delta(exp_eps=1)


def equal_laws_at_0_and_at_1():
    """Equal laws lose nothing at E = 1; at E = 0 all their mass is an excess."""
    law = (HALF, HALF)
    return divergence(law, law, 1) == 0 < divergence(law, law, 0)


def rounds_that_add_up():
    """Two rounds of binary response, one user, e^eps = 2: at 2 they lose something, and one round nothing."""
    return answers(2, 2, 0).delta(exp_eps=2) > answers(1, 2, 0).delta(exp_eps=2) == 0


def two_rounds_against_the_last_curve():
    """The first round shows the bit with probability 1/2, the second shows a constant, whose curve is 0 at 1."""
    first, second = (HALF, Fraction(0), HALF), (Fraction(0), HALF, HALF)
    constant = (Fraction(1),)
    both = ([p * q for p, q in product(row, constant)] for row in (first, second))
    return divergence(*both, 1) == HALF > divergence(constant, constant, 1)


CHANGES = {
    "T runs at the price of T - 1": Change(
        "optimal_composition",
        "optimal_composition",
        "mass_below P Q E (composed_delta T E)",
        "mass_below P Q E (composed_delta (T - 1) E)",
        more_runs_lose_more,
    ),
    "advanced composition without the mean loss": Change(
        "advanced_composition",
        "advanced_composition_printed",
        " + INR T * eps * (exp eps - 1)",
        "",
        without_the_mean_loss,
    ),
    "advanced composition with one delta": Change(
        "advanced_composition",
        "advanced_composition_printed",
        f"({NEW_DELTA})",
        f"({NEW_DELTA.removeprefix('INR T * ')})",
        one_delta_for_two_runs,
    ),
    "Rényi's conversion with a power more": Change(
        "renyi",
        "renyi_conversion",
        "Rpower E (- h))",
        "Rpower E (- (h + 1)))",
        a_higher_power_of_the_ratio,
    ),
    "Rényi divergences that do not add up": Change(
        "renyi",
        "renyi_runs",
        "h (total (seq 0 T) rho)",
        "h (rho 0%nat)",
        moments_that_multiply,
    ),
    "half the Rényi divergence of a pure pair": Change(
        "pure_renyi",
        "pure_is_renyi",
        "((1 + h) * eps ^ 2 / 2)",
        "((1 + h) * eps ^ 2 / 4)",
        half_the_divergence_of_a_pure_pair,
    ),
    "different levels at the price of the first": Change(
        "different_levels",
        "different_levels",
        "(map level_losses levels)",
        "(map level_losses (firstn 1 levels))",
        the_second_level_counts,
    ),
    "a curve of one order": Change(
        "corners",
        "dominates_from_above_1",
        "mass_below P Q E (d E) /\\ mass_below Q P E (d E)",
        "mass_below P Q E (d E)",
        a_curve_of_one_order,
    ),
    "what runs need at a larger E": Change(
        "from_below",
        "runs_need",
        "divergence (product (map snd all)) E <= delta",
        "divergence (product (map snd all)) 0 <= delta",
        equal_laws_at_0_and_at_1,
    ),
    "a measure that is too light": Change(
        "corners",
        "dominates_at_corners",
        "1 <= divergence nu 0 ->",
        "",
        lambda: divergence((Fraction(1),), (Fraction(1),), 0) > 0,
    ),
    "group privacy with the deltas added": Change(
        "group_privacy",
        "group_privacy",
        "(group_loss eps delta k)",
        "(INR k * delta)",
        lambda: noisy_count(1, 2) == Fraction(1, 4) and noisy_count(2, 4) > 2 * Fraction(1, 4),
    ),
    "group privacy at the eps of one record": Change(
        "group_privacy",
        "group_privacy_masses",
        "(exp (INR k * eps))",
        "(exp eps)",
        two_steps_of_geometric_noise,
    ),
    "a mixture without its second part": Change(
        "joint_convexity",
        "joint_convexity",
        " + (1 - t) * hockey_stick P' Q' E",
        "",
        lambda: divergence((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)), 1) > 0,
    ),
    "two shuffled rounds at the price of one": Change(
        "composed_rounds",
        "rounds_optimal",
        "delta T (exp eps')",
        "delta (T - 1) (exp eps')",
        rounds_that_add_up,
    ),
    "rounds by the curve of the last one": Change(
        "composed_rounds",
        "shuffled_rounds",
        "(divergence (product (map nu (seq 0 T))) E)",
        "(divergence (nu (T - 1)%nat) E)",
        two_rounds_against_the_last_curve,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
