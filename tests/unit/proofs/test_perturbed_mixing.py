"""Statements on split and mix, each changed in one place: false, and without proof."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from exactdp.protocols import split_and_mix
from exactdp.protocols.mixing.component_bound import component_colourings
from tests.unit.proofs.changed_statements import Change, both_tests_of


def excess(n, q, m):
    return component_colourings(n, modulus=q, messages=m) / q - 1


def two_users_are_further_apart():
    """Two users with three shares of bits: (0, 0) and (1, 1) are 1/4 apart."""
    apart = split_and_mix(2, modulus=2, messages=3).total_variation([0, 0], [1, 1])
    return 2 * excess(2, 2, 3) / 4 < apart**2 <= 2 * excess(2, 2, 3) / 2


def colourings_that_cancel():
    """Two users, shares in order: k and k' agree where they are equal. For (1, 0) and (0, 1) modulo 2 the sum is 0."""
    agreeing = list(product((0, 1), repeat=2))
    overlap = sum((-1) ** (k[1] - k[0]) for k in agreeing)
    return overlap < Fraction(2 * (5 - len(agreeing)), 2)


CHANGES = {
    "a distance smaller by the root of 2": Change(
        "components", "components_bound", "/ 2)", "/ 4)", two_users_are_further_apart
    ),
    "a bound without the other colours": Change(
        "components",
        "all_colourings",
        "orders * mean_colourings m n q",
        "orders * INR q",
        lambda: component_colourings(2, modulus=2, messages=3) > 2,
    ),
    "the coefficients of one power less": Change(
        "most_points", "power_recursion", "INR q + 1", "INR q", lambda: 1 * 1 != (1 * 1 - 1) * 1
    ),
    "half of the security": Change(
        "random_graph",
        "product_bounds",
        "(4 - colourings 2 rho) / 2",
        "(5 - colourings 2 rho) / 2",
        colourings_that_cancel,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
