"""Theorems on swapped messages, waves and the five randomizers, each changed in one place."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import prod

from exactdp.proofs.privacy_blanket import mean_excess
from exactdp.proofs.swap_bounds import (
    divergence,
    five_tables,
    in_stages,
    never_sent,
    shared_excess,
    swapped,
    values_of,
    wave_bound,
)
from tests.unit.proofs.changed_statements import Change, both_tests_of
from tests.unit.proofs.test_blanket_theorems import excess, row

HALF, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)
ANSWERS = row(8, 4, 1), row(4, 8, 1)
SILENT = {("c",): ONE}
"""A user who never sends what tells the two apart."""


def above_one_row():
    """Two others who always send a, and b, tell what the third sends: nothing lies below both of their rows."""
    table = {0: row(3, 1), 1: row(1, 3), 2: {("a",): ONE}, 3: {("b",): ONE}}
    shared = {m: Fraction(1, 4) for m in table[0]}
    bound = swapped((table[0], table[1]), TWO, [table[2], table[3]], shared, [1])
    return excess(table, 0, 1, [2, 3], TWO) > bound


def with_a_later_weight():
    """The event of all at e^eps = 0, one other: gamma (1 - gamma) in place of gamma, for one step."""
    gamma = HALF
    return (1 - gamma) * ONE + gamma * (1 - gamma) * ONE < ONE


def as_if_more_were_left():
    """One user hides less than two."""
    first, second = ANSWERS
    return shared_excess(first, second, ONE, [first] * 2) < shared_excess(first, second, ONE, [first])


def without_what_is_never_sent():
    """Two who never send a or b at e^eps = 3/2: their value is -1/26, and H is 2/13."""
    pair, order = ANSWERS, Fraction(3, 2)
    bound = wave_bound(values_of(*pair, order, SILENT), 2, Fraction(1, 26), HALF, 4)
    return shared_excess(*pair, order, [SILENT] * 2) == never_sent(*pair, order, SILENT) > bound


def without_the_first_row():
    """One is silent, the other holds the first input, and only the row of the latter is looked at; c draws c alone."""
    first, second = ANSWERS
    shared = {("c",): Fraction(1, 13)}
    seen = wave_bound(values_of(first, second, ONE, first), 2, HALF, HALF, 6)
    bound = in_stages([1], Fraction(1, 13), divergence(first, second, ONE), {1: seen})
    return swapped((first, second), ONE, [SILENT, first], shared, [1]) > bound


def with_one_factor_more():
    """One number 1/2."""
    return HALF > HALF**2


def without_one_square():
    """h = 1, q = 1/2, M = 1: the pair (0, 1) alone."""
    q = HALF
    return q != q * (1 - q) / (1 - 2 * q + q * q)


def with_nothing_beyond():
    """K = 0, of which Coq takes what lies beyond for 0: lam = 1 and h = 1/1000, at s = 1, since 2 pi > 6 and e < 3."""
    return Fraction(1, 1000) / 6 * 3 < ONE


def below_one():
    """E = 0: the divergence is 1, and p = 2."""
    return ONE > TWO / 3


def of_others_who_are_not_alike():
    """Each randomizer of the two others is (ln 2)-DP, and they never send what P and Q send."""
    first, second = row(2, 1), row(1, 2)
    others = [{("c",): HALF, ("d",): HALF}] * 2
    laws = [values_of(*rows[:2], ONE, rows[2]) for rows in five_tables(TWO)]
    worst = max(wave_bound(law, 2, HALF, Fraction(3, 5), 6) for law in laws)
    bound = in_stages([1], HALF, Fraction(1, 3), {1: worst})
    half_of_first = {m: p / 2 for m, p in first.items()}
    return swapped((first, second), ONE, others, half_of_first, [1]) > bound


def attained_by_one_more():
    """The first of the five at one user: the divergence of its rows."""
    rows = next(five_tables(TWO))
    law = values_of(*rows[:2], ONE, rows[2])
    return divergence(*rows[:2], ONE) == mean_excess(law, 1) != mean_excess(law, 2)


def own_slot(slots):
    """The bound with so many messages of c in slots of one's own, e^eps0 = 3, two inputs, at E = 1 and 2."""
    pair = row(3, 1), row(1, 3)
    base, gamma = row(1, 1), HALF
    hidden = [shared_excess(*pair, order, [base] * slots + [pair[0]]) for order in (ONE, TWO)]
    alone = [divergence(*pair, order) for order in (ONE, TWO)]
    return [(1 - gamma) / (1 + gamma) * a + 2 * gamma / (1 + gamma) * u for a, u in zip(alone, hidden, strict=True)]


def with_two_slots():
    """The other holds the first input: one slot of one's own gives the divergence itself, and two less."""
    exact = [excess({0: row(3, 1), 1: row(1, 3)}, 0, 1, [0], order) for order in (ONE, TWO)]
    return own_slot(1) == exact > own_slot(2)


def over_subsets(size, entries, f):
    """The mean of f over all subsets of this size, 0 if there is none."""
    values = [f(chosen) for chosen in combinations(entries, size)]
    return sum(values, Fraction(0)) / max(1, len(values))


def out_of_all_entries():
    """One entry of value 1: nothing is left to take a subset of."""
    entries = (1,)
    left = [over_subsets(1, entries[:i] + entries[i + 1 :], sum) for i in range(len(entries))]
    return sum(left) / len(left) < over_subsets(1, entries, sum)


def with_fixed_exponents():
    """Half of the users with 1, half with 4: the mean product over one of them, squared, against 1 * 4."""
    return over_subsets(1, (1, 4), prod) ** 2 > prod((1, 4))


def classes_without_the_first():
    """The square 1 for the user of the first class and 4 for that of the other, h = 1: the mean, and that of one."""
    return over_subsets(1, (1, 4), sum) > over_subsets(1, (1,), sum)


def above_e_to_the_eps():
    """Binary response with e^eps0 = 3 has no divergence at E = 3, and one at eps = 0."""
    return divergence(row(3, 1), row(1, 3), Fraction(3)) == 0 < excess({0: row(3, 1), 1: row(1, 3)}, 0, 1, [0, 1], ONE)


def without_the_law_of_who_is_away():
    """q = 0: he never sends a, of which c has mass 1."""
    q, c, row_of_a, dummy = Fraction(0), ONE, ONE, Fraction(0)
    return c > q * row_of_a + (1 - q) * dummy


def half_of_the_mean():
    """One list, for sure: its delta, which is not 0, is needed."""
    first, second = ANSWERS
    return divergence(first, second, ONE) > divergence(first, second, ONE) / 2


def without_what_wraps_around():
    """h = 1, q = 1/2, M = 1, m = 0: the pair (0, 1) adds q up to a sum of 0."""
    return sum(HALF ** (i + j) for i in range(1) for j in range(1, 2)) > 0


def falling_by_the_variance_alone():
    """The values 1 and -1, alike: from 0 to 2 a square of a modulus, which is at most 1, would fall by 4."""
    variance = (ONE + ONE) / 2
    return variance * 2**2 > 1


def an_angle_on_a_line():
    """1 with probability 1/4, and 0: at pi/2 the angle has tangent 1/3, and pi/2 times the mean is pi/8."""
    tangent = Fraction(1, 4) / Fraction(3, 4)
    return 2 * tangent / (1 - tangent**2) != 1


def nearly_homogeneous_with_nobody_to_hide_among():
    """The ten billion users of the example, of whom all may say yes, and c = 0: the bound would be 0."""
    order, yes = 1 + Fraction(29, 600_000), Fraction(3, 4)
    return (yes - order * (1 - yes)) > 0


CHANGES = {
    "waves that do not wrap around": Change(
        "wave_angles", "lattice_exact", " + h * INR M * q ^ M", "", without_what_wraps_around
    ),
    "a modulus that falls as its variance says": Change(
        "main_lobe",
        "square_modulus_falls",
        "(variance K - fourth K * top ^ 2 / 12)",
        "variance K",
        falling_by_the_variance_alone,
    ),
    "an angle that is linear": Change(
        "main_lobe", "angle_of_law", "<= y ^ 3 * third K / 3", "<= 0", an_angle_on_a_line
    ),
    "nearly homogeneous without a tail": Change(
        "near_vertex",
        "near_vertex",
        "(1 - weight c) ^ t * hockey_stick (R x) (R y) E",
        "0",
        nearly_homogeneous_with_nobody_to_hide_among,
    ),
    "a measure that who is away may leave": Change(
        "absent_users",
        "away_below",
        "lies_below (away q c D) (away q d D)",
        "lies_below c (away q d D)",
        without_the_law_of_who_is_away,
    ),
    "half of the mean over lists": Change(
        "absent_users", "listed_below", "E (mean W delta)", "E (mean W delta / 2)", half_of_the_mean
    ),
    "less than the mean over lists": Change(
        "absent_users", "listed_exactly", "<= delta", "<= delta / 2", half_of_the_mean
    ),
    "two slots of one's own": Change(
        "swapped_messages", "swap_with_own_slot", "(base :: s)", "(base :: base :: s)", with_two_slots
    ),
    "a subset of all entries": Change(
        "uniform_subsets", "sublists_pick", "(r < length l)%nat", "(r <= length l)%nat", out_of_all_entries
    ),
    "fixed exponents": Change(
        "uniform_subsets",
        "maclaurin",
        "average l f ^ r",
        "exp (INR r * average l (fun a => ln (f a)))",
        with_fixed_exponents,
    ),
    "users of the first class alone": Change(
        "class_vertices",
        "class_vertices",
        "squares (before ++ concat classes) <= squares (before ++ alike_classes classes rows)",
        "squares (before ++ concat classes) <= squares (before ++ alike_classes (firstn 1 classes) rows)",
        classes_without_the_first,
    ),
    "a level above e^eps": Change(
        "table_swap", "swap_check_dp", "Q2R E <= exp eps", "exp eps <= Q2R E", above_e_to_the_eps
    ),
    "a measure above one row": Change(
        "swapped_stages",
        "swap_bound",
        "(forall v, In v others -> lies_below c (R v))",
        "lies_below c (R x) -> lies_below c (R y)",
        above_one_row,
    ),
    "the weight of a later step": Change(
        "swapped_messages", "swap_of_laws", "gamma * (1 - gamma) ^ i", "gamma * (1 - gamma) ^ S i", with_a_later_weight
    ),
    "more users hide less": Change(
        "swapped_stages", "fewer_hide_less", "(1 <= r <= s)%nat", "(1 <= s <= r)%nat", as_if_more_were_left
    ),
    "what is never sent is free": Change(
        "wave_bounds",
        "vertex_mean",
        "wave_bound waves r (law_of row) + uncovered P Q E row)",
        "wave_bound waves r (law_of row))",
        without_what_is_never_sent,
    ),
    "without the first row": Change(
        "swap_vertices",
        "swap_vertices",
        "(forall row, In row rows -> vertex",
        "(forall row, In row (tl rows) -> vertex",
        without_the_first_row,
    ),
    "one factor more": Change(
        "uniform_subsets", "maclaurin", "average l f ^ r", "average l f ^ S r", with_one_factor_more
    ),
    "a size without a square": Change(
        "lattice_waves", "lattice_wave_size", "(1 - q ^ M) ^ 2", "(1 - q ^ M)", without_one_square
    ),
    "no node but the first": Change(
        "node_waves", "nodes_majorant", "(1 <= K)%nat -> majorant", "majorant", with_nothing_beyond
    ),
    "a level below 1": Change("five_randomizers", "divergence_at_most", "1 <= E", "0 <= E", below_one),
    "others who are not alike": Change(
        "five_randomizers",
        "every_randomizer_of_laws",
        "proper row /\\ alike P Q row",
        "proper row /\\ alike P Q P",
        of_others_who_are_not_alike,
    ),
    "the number of one user more": Change(
        "five_randomizers", "basic_attains", "mean_excess n (basic", "mean_excess (S n) (basic", attained_by_one_more
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
