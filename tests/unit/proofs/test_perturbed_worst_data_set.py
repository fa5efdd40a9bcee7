"""Statements on worst data sets, each changed in one place: it is false, and its proof fails."""

from __future__ import annotations

from fractions import Fraction

import exactdp as xdp
from exactdp.privacy.shuffle.structure import Structure
from exactdp.proofs.worst_data_set import of_chances, ones_law
from tests.unit.proofs.changed_statements import Change, both_tests_of

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def delta(low, high, n, order):
    """The divergence of n users, from the engine."""
    return xdp.ShuffleProtocol(of_chances(low, high), n).privacy_profile().exact_delta(exp_eps=order)


def up(low, high, n, order, holders):
    """The largest excess of "more than m ones", with so many of n - 1 others at the greatest chance."""
    law = ones_law(low, high, n - 1, holders)
    gain = high - order * low
    return max(gain * at - (order - 1) * sum(law[m + 1 :]) for m, at in enumerate(law))


def up_to(low, high, n, order, most):
    """The divergence, but for the numbers of holders above ``most``."""
    both = ((low, high, range(most + 1)), (1 - high, 1 - low, range(n - 1 - most, n)))
    return max(up(p, q, n, order, k) for p, q, holders in both for k in holders)


def one_order_is_less():
    """One user, a = 1/2, b = 3/4, e^eps = 3/2: "no ones" has 1/2 - 3/2 * 1/4, and "more than m ones" nothing."""
    order = Fraction(3, 2)
    return up(HALF, 3 * QUARTER, 1, order, 0) <= 0 < Fraction(1, 8) == delta(HALF, 3 * QUARTER, 1, order)


def all_others_count():
    """Three users, a = 1/4, b = 9/10, e^eps = 3/2: without data sets in which all others hold b it is less."""
    low, high, order = QUARTER, Fraction(9, 10), Fraction(3, 2)
    worst = delta(low, high, 3, order)
    return up_to(low, high, 3, order, 2) == worst > up_to(low, high, 3, order, 1)


def others_of_one_kind():
    """The same where all others hold a: those who differ may hold both inputs, and V alone has all mixtures."""
    low, high, order = QUARTER, Fraction(9, 10), Fraction(3, 2)
    return delta(low, high, 3, order) > up_to(low, high, 3, order, 0)


def another_sign():
    """A = 1, B = 2, D = 3, no other coins, m = 0: G = 2, V = 3 and G' = 1."""
    before, after = (3 * ones_law(Fraction(p, 3), HALF, 1, 0)[0] for p in (1, 2))
    difference = 3 * (2 - 1)
    return 2 * before - difference == after != 2 * before + difference


def without_the_place_itself():
    """One user, a = 1/4, b = 3/4, e^eps = 2, delta = 0: with P[G >= m] the condition holds, and 1/4 is right."""
    gain, cost = 3 * QUARTER - 2 * QUARTER, 2 - 1
    return max(-cost, gain - cost, 0) == 0 < delta(QUARTER, 3 * QUARTER, 1, 2)


def silence_hides_users():
    """One user who sends a message looks like two of whom one sends none; of bits there would be two."""
    distances = []
    for table in (xdp.Randomizer({0: {(): 1}, 1: {("m",): 1}}), of_chances(Fraction(0), Fraction(1))):
        one, two = xdp.ShuffleProtocol(table, 1).law([1]), xdp.ShuffleProtocol(table, 2).law([1, 0])
        distances.append(xdp.total_variation_distance(one, two))
    return distances == [0, 1]


CHANGES = {
    "two messages in one order": Change(
        "two_messages",
        "two_messages_private",
        "up_excess a b E N k (Z.of_nat m) <= delta /\\ down_excess a b E N k (Z.of_nat m) <= delta",
        "up_excess a b E N k (Z.of_nat m) <= delta",
        one_order_is_less,
    ),
    "two messages without others who all hold b": Change(
        "two_messages", "two_messages_private", "(k <= N)%nat", "(k < N)%nat", all_others_count
    ),
    "an excluded message at e^eps below 1": Change(
        "exchanged_messages",
        "excluded_message",
        "1 <= E",
        "0 <= E",
        lambda: 1 - HALF * 1 > 0 == delta(Fraction(0), Fraction(0), 2, 1),
    ),
    "a message that is excluded and its difference halved": Change(
        "exchanged_messages",
        "excluded_message",
        "chance (send hi) - chance (send lo) <= delta",
        "chance (send hi) - chance (send lo) <= 2 * delta",
        lambda: delta(Fraction(0), HALF, 3, 2) == HALF > QUARTER,
    ),
    "others whose rows are no mixtures": Change(
        "mixture_rows",
        "mixtures_dropped",
        "(forall x, row_mixture R V x) -> (forall x, row_mixture R B x) ->",
        "(forall x, row_mixture R V x) ->",
        others_of_one_kind,
    ),
    "a check that answers for one user less": Change(
        "two_message_checked",
        "two_message_proved",
        "(S N <= n)%nat",
        "(N <= n)%nat",
        lambda: delta(QUARTER, 3 * QUARTER, 1, 2) > delta(QUARTER, 3 * QUARTER, 2, 2),
    ),
    "a check that refutes one user more": Change(
        "two_message_checked",
        "two_message_refuted",
        "~ shuffle_dp (S N)",
        "~ shuffle_dp (S (S N))",
        lambda: delta(QUARTER, 3 * QUARTER, 2, 2) > delta(QUARTER, 3 * QUARTER, 3, 2),
    ),
    "one coin changed with the other sign": Change(
        "head_weights",
        "one_coin_changed",
        "B * G m - V = A * G' m",
        "B * G m + V = A * G' m",
        another_sign,
    ),
    "bundles of unequal numbers of users": Change(
        "two_bundles", "two_bundles", "length xs = length ys ->\n  ", "", silence_hides_users
    ),
    "a row that is a mixture of the others": Change(
        "mixture_rows",
        "dropped_one_at_a_time",
        "row_mixture R V x",
        "row_mixture R (fun v => V v /\\ v <> x) x",
        lambda: len(Structure.of(of_chances(QUARTER, HALF), xdp.Neighbors.REPLACE_ONE).differing) == 2,
    ),
    "a half-line that is shifted": Change(
        "number_of_heads",
        "two_rows_up",
        "Pr G (Z.ltb m)",
        "Pr G (Z.leb m)",
        without_the_place_itself,
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
