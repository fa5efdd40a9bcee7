"""Theorems on clones and on the variation ratio, each changed in one place."""

from __future__ import annotations

from fractions import Fraction

import exactdp as xdp
from exactdp.proofs.clone_bounds import clone_values, mean_excess, response_values
from exactdp.proofs.published_bounds import pair_divergence, published
from tests.unit.proofs.changed_statements import Change, both_tests_of

P, E = Fraction(3), Fraction(2)
"""e^eps0 and e^eps of the bits below."""


def response(n, k, p, order):
    """The exact delta of n users of k-ary randomized response, over all data sets."""
    flip = xdp.randomized_response(k, gamma=Fraction(k) / (p + k - 1))
    return xdp.ShuffleProtocol(flip, n).privacy_profile().delta(exp_eps=order)


def clones(n, share):
    return mean_excess(n, clone_values(P, share, E))


def others_below_one_row_only():
    """Both users hold P = (3/4, 1/4), which is at least P/q but not Q/q with q = 3/2, so that r = 1/2."""
    real = max(Fraction(0), Fraction(9, 16) - E * Fraction(3, 16))
    return real > clones(2, P / ((P + 1) * Fraction(3, 2)))


def one_order_only():
    """One user with P = (1, 0) and Q = (1/2, 1/2): P <= 2Q, and Q is not at most 2P. At E = 1."""
    return Fraction(1, 2) > mean_excess(1, clone_values(Fraction(2), Fraction(1, 4), Fraction(1)))


def a_negative_value_that_is_too_small():
    """n = 2: 1 with probability 1/2, else -1/2."""
    return mean_excess(2, ((Fraction(1, 2), Fraction(1)), (Fraction(1, 2), Fraction(-1, 2)))) > Fraction(1, 4)


def third_label_with_all_that_remains():
    """k = 3, e^eps0 = 4, e^eps = 3: the published number; al = w = 1/6 and q = 4 make it that of two rows."""
    w, p, order = Fraction(1, 6), Fraction(4), Fraction(3)
    rest = (1 - (p + 1) * w) / (1 - 2 * w)
    labels = ((w, p - order), (w, 1 - order * p), (1 - 2 * w, rest * (1 - order)))
    assert mean_excess(2, labels) == pair_divergence(2, p, w, w, order) == published(2, 3, p, order)
    return response(2, 3, p, order) > mean_excess(2, labels)


def published_a_little_farther():
    """n = 2, k = 3, e^eps0 = 2, e^eps = 3/2: two terms are left of the published number."""
    return published(2, 3, Fraction(2), Fraction(3, 2)) > Fraction(1, 2) / 16


CHANGES = {
    "labels of one user more": Change(
        "label_reduction",
        "label_reduction",
        "labels_below (length (before ++ x :: after))",
        "labels_below (S (length (before ++ x :: after)))",
        lambda: response(1, 2, P, E) > clones(2, 1 / (P + 1)),
    ),
    "the mean excess of one copy more": Change(
        "label_divergence",
        "label_divergence",
        "mean_excess n (label_values",
        "mean_excess (S n) (label_values",
        lambda: clones(1, 1 / (P + 1)) > clones(2, 1 / (P + 1)),
    ),
    "a negative value that outweighs one less": Change(
        "one_positive_value",
        "mean_excess_one_value",
        "(INR n - 1) * a",
        "(INR n - 2) * a",
        a_negative_value_that_is_too_small,
    ),
    "clones of rows that are close in one order": Change(
        "clones", "clones_of_share", "below (R y) (R x) p 0 -> ", "", one_order_only
    ),
    "twice as many clones": Change(
        "clones",
        "clones_2021",
        "/ (2 * exp eps0)",
        "/ exp eps0",
        lambda: response(2, 2, P, E) > clones(2, 1 / P),
    ),
    "a third label with all that remains": Change(
        "row_sides",
        "sides_reduction",
        "((1 - (p + 1) * al) / q)",
        "(1 - 2 * (al * p / q))",
        third_label_with_all_that_remains,
    ),
    "others who have one row only": Change(
        "stronger_clones",
        "clones_of_ratio",
        " /\\ mass (R y) m <= q * mass (R z) m",
        "",
        others_below_one_row_only,
    ),
    "stronger clones with p in place of p + 1": Change(
        "stronger_clones",
        "stronger_clones",
        "/ (exp eps0 + 1)",
        "/ exp eps0",
        lambda: response(2, 2, P, E) > clones(2, 1 / P),
    ),
    "the variation ratio as published": Change(
        "variation_ratio_repaired",
        "k_ary_repaired",
        "((INR k - 2) * w)",
        "(1 - 2 * w)",
        third_label_with_all_that_remains,
    ),
    "one factor more": Change(
        "variation_ratio_near",
        "k_ary_near",
        "p ^ (n - 1)",
        "p ^ n",
        lambda: response(2, 3, Fraction(3), Fraction(5, 2)) < 9 * Fraction(1, 2) / 25,
    ),
    "the published number a little farther": Change(
        "variation_ratio_near",
        "published_near",
        "(E - 1) * (INR k - 2)",
        "(E - 1) * (INR k - 2) * 2",
        published_a_little_farther,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)


def test_rows_of_three_users_need_not_have_the_share_of_two():
    """P = Q: a third row may be P/p, below (P + Q)/(p + 1); the stronger clones hold for three rows all the same."""
    p = Fraction(3)
    assert p / (p + 1) < 2 * p / (p + 1)
    table = xdp.Randomizer({x: {("a",): a, ("b",): 1 - a} for x, a in enumerate(map(Fraction, ("3/4", "3/4", "1/4")))})
    for n in (1, 2, 3):
        exact = xdp.ShuffleProtocol(table, n).privacy_profile().delta(exp_eps=2)
        assert exact <= mean_excess(n, clone_values(p, 1 / (p + 1), Fraction(2)))


def test_close_to_the_local_epsilon_the_answer_has_one_term():
    for n, k, p in ((1, 3, Fraction(2)), (2, 3, Fraction(3)), (3, 4, Fraction(2)), (4, 3, Fraction(4))):
        order = p - (p - 1) / (8 * n)
        assert (n - 1) * (p - order) <= order - 1
        least = p ** (n - 1) * (p - order) / (p + k - 1) ** n
        assert response(n, k, p, order) == least == mean_excess(n, response_values(k, p, order))
