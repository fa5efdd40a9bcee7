"""Statements on split and mix, each changed in one place: false, and without proof."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import exactdp as xdp
from exactdp.protocols import split_and_mix
from exactdp.protocols.mixing.component_bound import component_colourings
from tests.unit.proofs.changed_statements import Change, both_tests_of, exp

HALF = Fraction(1, 2)


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


def nearer_than_twice():
    """174 users: the numbers of ones, 2 Bin(174, 3/4) and 174 + 2 Bin(174, 1/4), are less than 2 e/174 apart."""
    n, apart = 174, 0
    for ones in range(n + 1):
        twos = comb(n, ones) * 3**ones
        moved = ones - n // 2
        apart += max(0, twos - (comb(n, moved) * 3 ** (n - moved) if moved >= 0 else 0))
    return Fraction(apart, 4**n) * n < 2 * exp(1).lo


def a_view_that_costs_more_than_the_sum():
    """Two users who turn their bits with probability 1/4, two shares each: the sums are 1/4 apart, the views 5/16."""
    noise, n, q = [Fraction(3, 4), Fraction(1, 4)], 2, 2
    rows = {x: {(a, b): noise[(a + b - x) % q] / q for a, b in product(range(q), repeat=2)} for x in range(q)}
    exact = xdp.ShuffleProtocol(xdp.Randomizer(rows), n).privacy_profile().delta(exp_eps=1)
    return exact > (noise[0] - noise[1]) ** 2


def wrapped(p, q):
    """The masses of discrete Laplace noise modulo q: a residue z is that, or z - q, or further by multiples of q."""
    return [(1 - p) / (1 + p) * (p**z + p ** (q - z)) / (1 - p**q) for z in range(q)]


def a_window_without_room():
    """One user holds 0: read from 0 to 4, the noise -1 is an error of 4."""
    p, q, k = HALF, 5, 2
    return sum(wrapped(p, q)[k:]) > 2 * p**k / (1 + p)


CHANGES = {
    "two views as far apart as twice e over n": Change(
        "average_case", "average_case_apart", "sqrt 2 * exp 1 / INR 174", "2 * exp 1 / INR 174", nearer_than_twice
    ),
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
    "a simulator that is nearer by half": Change(
        "simulator",
        "simulator_bound",
        "/ 2.",
        "/ 4.",
        lambda: excess(2, 2, 3) / 16 < split_and_mix(2, modulus=2, messages=3).distances().simulator ** 2,
    ),
    "a view that costs nothing": Change(
        "noisy_sum",
        "noisy_split_private",
        "(delta + (1 + exp eps) * (sqrt (excess m n q) / 2))",
        "delta",
        a_view_that_costs_more_than_the_sum,
    ),
    "differences of half the ratio": Change(
        "split_and_mix_laplace",
        "differences_add_up",
        "geometric p z",
        "geometric (p / 2) z",
        lambda: (1 - HALF) / (1 + HALF) != (1 - HALF / 2) / (1 + HALF / 2),
    ),
    "Laplace noise for half the eps": Change(
        "split_and_mix_laplace",
        "laplace_split_private",
        "Delta D) eps (",
        "Delta D) (eps / 2) (",
        lambda: wrapped(HALF, 100)[0] ** 2 > 2 * wrapped(HALF, 100)[1] ** 2,
    ),
    "a window that begins one later": Change(
        "split_and_mix_laplace", "laplace_split_error", "(l <= h + 1)", "(l <= h + 2)", a_window_without_room
    ),
    "an error on one side only": Change(
        "split_and_mix_laplace",
        "laplace_split_error",
        "<=\n    2 * p ^ k",
        "<=\n    p ^ k",
        lambda: sum(wrapped(HALF, 100)[1:100]) > HALF / (1 + HALF),
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
