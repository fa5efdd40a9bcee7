"""Theorems on blankets, each changed in one place."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import exactdp as xdp
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from tests.oracles.positive_parts import by_powers, divergence
from tests.unit.proofs.changed_statements import Change, both_tests_of
from tests.unit.proofs.test_blanket_theorems import BUNDLES, ZEROS, columns, exact_delta, excess, least, mixed, row

HALF, TWO = Fraction(1, 2), Fraction(2)
RESPONSE = {0: row(3, 1), 1: row(1, 3)}
"""Binary response with e^eps0 = 3."""
SLANTED = {0: row(1, 3), 1: row(2, 2)}
"""One order is worse than the other."""
INNER = {0: row(1, 1, 2, 1), 1: row(1, 1, 1, 1), 2: row(1, 1, 8, 1)}
"""Four users at e^eps = 5/4: others of different inputs are worse than all that hold one of the two."""


def without_one_row():
    """The blanket of the rows of x and y alone, beside a user who holds 2 and never sends what tells them apart."""
    table = {**RESPONSE, 2: row(0, 1)}
    return excess(table, 0, 1, [2], TWO) > divergence(columns(table, 0, 1, least(table, (0, 1))), 2, TWO)


def with_the_bound_of_one_more():
    """Two users of binary response: with the blanket it is exact, and the bound for three is less."""
    three = divergence(columns(RESPONSE, 0, 1, least(RESPONSE, RESPONSE)), 3, TWO)
    return exact_delta(RESPONSE, 2, TWO) > three


def in_one_order():
    """One user at e^eps = 1.1: the divergences of the two orders differ."""
    order = Fraction(11, 10)
    bounds = [divergence(columns(SLANTED, x, y, least(SLANTED, SLANTED)), 1, order) for x, y in ((0, 1), (1, 0))]
    return exact_delta(SLANTED, 1, order) > min(bounds)


def without_what_is_never_drawn():
    """One user: the covered part alone is less than the divergence of rows with zeros."""
    listed = columns(ZEROS, 0, 1, least(ZEROS, ZEROS))
    charged = sum(max(Fraction(0), p - TWO * q) for p, q, c in listed if not c)
    return excess(ZEROS, 0, 1, [], TWO) > divergence(listed, 1, TWO) - charged


def with_one_message_of_two():
    """Three users of bundles: for some inputs the shuffled messages show less than the bundles."""
    return any(
        excess(BUNDLES, x, y, [v, v], Fraction(3, 2))
        < divergence(columns(BUNDLES, x, y, BUNDLES[v]), 3, Fraction(3, 2))
        for x, y, v in product(BUNDLES, repeat=3)
    )


def random_others_of_one_input():
    """Others who all hold one input against weights on two."""
    references = [mixed(INNER, {0: HALF, 1: HALF}), INNER[0], INNER[1]]
    half, *alike = (divergence(columns(INNER, 0, 1, c), 4, Fraction(5, 4)) for c in references)
    return half > max(alike)


def coin_above(bound):
    """A hundred values that are 1 with probability 1/4 and else -1: a = 1/2, b = 2, b+ = 1, E[L^2] = 1."""
    mean = by_powers([(Fraction(1, 4), Fraction(1)), (Fraction(3, 4), Fraction(-1))], 100)
    return mean > enclose_real(bound, relative_bits=64).hi


def hoeffding_with_three():
    return coin_above(Fraction(2) / 100 * Real.exp(-Fraction(3, 16) * 100) * Real.exp(-1))


def bennett_with_half_the_moment():
    """s = 1/2, so that u = 1."""
    log = Real.log(2)
    return coin_above(1 / log / 100 * Real.exp(-HALF * (2 * log - 1) * 100) * Real.exp(-1))


def response_with_a_smaller_range():
    """b without k: gamma = 1/2 and b = 3/2 at e^eps = 2, sixty users of binary response with e^eps0 = 3."""
    t = Real.exp(-TWO / Fraction(9, 4))
    bound = Fraction(9, 16) / 30 * (1 - HALF * (1 - t)) ** 60
    private = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma=HALF), 60).privacy_profile()
    return private.exact_delta(exp_eps=2) > enclose_real(bound, relative_bits=64).hi


def wider_where_it_should_be_narrower():
    """One user, P = (3/4, 1/4), Q = 0 and Q' = P at e^eps = 2, c = (1/4, 1/4): the bound falls from 1 to 0."""
    quarter = Fraction(1, 4)
    less, more = ([(p, q * p, quarter) for p in RESPONSE[0].values()] for q in (0, 1))
    return divergence(less, 1, TWO) > divergence(more, 1, TWO)


def sums_below_a_score():
    """One user and the score 1 of message a, at e^eps = 2: P[a] - 2 P'[not a] in place of P[a] - 2 P'[a]."""
    table = {0: row(3, 1), 1: row(4, 1)}
    return excess(table, 0, 1, [], TWO) < table[0][("a",)] - TWO * table[1][("b",)]


CHANGES = {
    "a blanket of all rows but some": Change(
        "blanket",
        "blanket_bound",
        "(forall v, In v others -> lies_below c (R v))",
        "lies_below c (R x) -> lies_below c (R y)",
        without_one_row,
    ),
    "the bound of one user more": Change(
        "blanket", "blanket_dp", "reference_bound n (R x)", "reference_bound (S n) (R x)", with_the_bound_of_one_more
    ),
    "one order only": Change(
        "blanket",
        "blanket_dp",
        "(forall x y, reference_bound n (R x) (R y) E (c x y) <= delta)",
        "(forall x y, reference_bound n (R x) (R y) E (c x y) <= delta \\/ "
        "reference_bound n (R y) (R x) E (c y x) <= delta)",
        in_one_order,
    ),
    "outcomes that are never drawn are free": Change(
        "blanket",
        "blanket_bound",
        "(reference_bound (S (length others)) (R x) (R y) E c)",
        "(mean_excess (S (length others)) (values_against (R x) (R y) E c))",
        without_what_is_never_drawn,
    ),
    "exact for several messages": Change(
        "homogeneous",
        "homogeneous_exact",
        "(R : X -> dist A) (view : list A -> V) x y v j E :\n  complete_view view -> proper (R v) ->\n"
        "  hockey_stick (dmap view (messages (one_message R) (x :: repeat v j)))\n"
        "    (dmap view (messages (one_message R) (y :: repeat v j))) E",
        "(R : X -> dist (list A)) (view : list A -> V) x y v j E :\n  complete_view view -> proper (R v) ->\n"
        "  hockey_stick (dmap view (messages R (x :: repeat v j)))\n"
        "    (dmap view (messages R (y :: repeat v j))) E",
        with_one_message_of_two,
    ),
    "random others of one input": Change(
        "random_others",
        "random_others",
        "(forall others, length others = j -> (forall v, In v others -> In v (map snd w)) ->\n"
        "   shuffle_below (one_message R) (x :: others) (y :: others) E delta)",
        "(forall v, In v (map snd w) ->\n   shuffle_below (one_message R) (x :: repeat v j) (y :: repeat v j) E delta)",
        random_others_of_one_input,
    ),
    "a wider second row": Change(
        "widest_pair",
        "widest_pair",
        "mass Q' a <= mass Q a",
        "mass Q a <= mass Q' a",
        wider_where_it_should_be_narrower,
    ),
    "an event and its complement": Change(
        "score_event", "score_event", "p - E * (1 - q) <= delta", "p - E * q <= delta", sums_below_a_score
    ),
    "Hoeffding with 3 in place of 2": Change(
        "blanket_hoeffding", "mean_excess_hoeffding", "exp (-2 *", "exp (-3 *", hoeffding_with_three
    ),
    "Bennett with half the second moment": Change(
        "blanket_bennett",
        "mean_excess_bennett",
        "(fun v => v ^ 2) <= s",
        "(fun v => v ^ 2) <= 2 * s",
        bennett_with_half_the_moment,
    ),
    "k-ary response with a smaller range": Change(
        "k_ary_blanket",
        "k_ary_hoeffding",
        "(1 - gamma) * INR k * (E + 1)",
        "(1 - gamma) * (E + 1)",
        response_with_a_smaller_range,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
