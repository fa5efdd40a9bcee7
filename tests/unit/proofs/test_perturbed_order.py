"""Theorems on the order of mean excesses and on the checker's lattice, each changed in one place."""

from __future__ import annotations

from fractions import Fraction

from exactdp.proofs.order import on_a_lattice
from tests.oracles.positive_parts import by_counts, by_sequences, divergence
from tests.unit.proofs.changed_statements import Change, both_tests_of, exp
from tests.unit.proofs.test_order_theorems import by_checker, spread

ZERO, HALF, ONE, TWO = Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)
COIN = [(HALF, ONE), (HALF, -ONE)]
"""U_1 = 1/2, U_2 = 1/4, U_3 = 1/4, U_4 = 3/16."""
VALUES = ((-ONE, HALF), (ONE, HALF))


def more_copies_are_more():
    return by_counts(COIN, 2) < by_counts(COIN, 1)


def from_more_users_to_fewer():
    """P = (1, 0), Q = (0, 1), c = (1/2, 1/2), E = 1: half of the values are 2 and half are -2."""
    classes = [(ONE, ZERO, HALF), (ZERO, ONE, HALF)]
    return divergence(classes, 2, ONE) < divergence(classes, 1, ONE)


def means_below():
    """1 replaced by 0, which is no spread."""
    return by_counts([(ONE, ONE)], 1) > by_counts([(ONE, ZERO)], 1)


def a_finer_lattice():
    """The coin stands on the lattice of step 1, and that of step 2 spreads it to -2, 0 and 2."""
    return by_sequences(spread(COIN, ONE), 2) < by_sequences(spread(spread(COIN, ONE), TWO), 2)


def without_the_mean():
    """A value of 1: E[max(0, 1)] = 1 and E[max(0, -1)] = 0."""
    return by_counts([(ONE, ONE)], 1) != by_counts([(ONE, -ONE)], 1)


def a_larger_reference():
    """P = (1, 0), Q = (0, 1), E = 1, n = 2: c = (1/2, 1/2) against its half."""
    full, half = ([(ONE, ZERO, weight), (ZERO, ONE, weight)] for weight in (HALF, HALF / 2))
    return divergence(full, 2, ONE) < divergence(half, 2, ONE)


def one_copy_less():
    """At n = 2 the checker has 1/4 and little more; one copy has 1/2."""
    return by_checker(VALUES, 2, HALF, 2**60, 64, 64) < HALF == by_counts(COIN, 1)


def what_is_cut_is_charged_less():
    """theta = 1, v = 1, t = 0: e^-1 on the left, and the charge is e^-1."""
    return exp(-1).lo > exp(-1).hi / 2


def a_lattice_that_is_not_above():
    """One user, classes (1, 0, 1/2) and (0, 1, 1/2) at E = 1: the bound is 1, and twice the number is above it."""
    classes = [(ONE, ZERO, HALF), (ZERO, ONE, HALF)]
    return on_a_lattice(classes, 1, ONE) < 2 * divergence(classes, 1, ONE)


def values_of_half_the_users():
    """The charge and the law are exact at one n: at n = 1 they are 1, at n = 2 they are 1/2."""
    return from_more_users_to_fewer()


CHANGES = {
    "one copy more, and no less": Change(
        "mean_excess_order",
        "mean_excess_falls",
        "mean_excess (S n) L <= mean_excess n L",
        "mean_excess n L <= mean_excess (S n) L",
        more_copies_are_more,
    ),
    "a blanket of more users": Change(
        "mean_excess_order",
        "reference_bound_falls",
        "reference_bound n P Q E c <= reference_bound n0 P Q E c",
        "reference_bound n0 P Q E c <= reference_bound n P Q E c",
        from_more_users_to_fewer,
    ),
    "a larger reference for a smaller": Change(
        "mean_excess_order",
        "reference_bound_larger",
        "reference_bound n P Q E c <= reference_bound n P Q E c'",
        "reference_bound n P Q E c' <= reference_bound n P Q E c",
        a_larger_reference,
    ),
    "the other sign without the mean": Change(
        "mean_excess_order",
        "mean_excess_other_sign",
        "mean L (fun v => v) + mean_excess n (negated L)",
        "mean_excess n (negated L)",
        without_the_mean,
    ),
    "a spread with smaller means": Change(
        "increasing_convex_order",
        "mean_preserving_spread",
        "v <= mean (K v) (fun w => w)",
        "mean (K v) (fun w => w) <= v",
        means_below,
    ),
    "twice the step lowers": Change(
        "lattice_spread",
        "lattice_doubled",
        "mean_excess n (spread h L) <= mean_excess n (spread (2 * h) (spread h L))",
        "mean_excess n (spread (2 * h) (spread h L)) <= mean_excess n (spread h L)",
        a_finer_lattice,
    ),
    "half of the charge": Change(
        "tilted_measures", "test_at_most", "f v <= charge", "f v <= charge / 2", what_is_cut_is_charged_less
    ),
    "the program for one copy less": Change(
        "tilted_sound",
        "mean_positive_part_above",
        "mean_excess (Pos.to_nat n)",
        "mean_excess (pred (Pos.to_nat n))",
        one_copy_less,
    ),
    "values for half the users": Change(
        "least_values",
        "least_values_exact",
        "class_bound n (Q2R E)",
        "class_bound (2 * n) (Q2R E)",
        values_of_half_the_users,
    ),
    "twice the bound of the classes": Change(
        "pair_bound",
        "pair_bound_above",
        "class_bound (Pos.to_nat n)",
        "2 * class_bound (Pos.to_nat n)",
        a_lattice_that_is_not_above,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
