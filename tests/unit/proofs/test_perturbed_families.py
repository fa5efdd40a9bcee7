"""Statements on the classes of families, each changed in one place: it is false, and its proof fails."""

from __future__ import annotations

from fractions import Fraction

from exactdp import ShuffleProtocol
from exactdp.checker.budget import Work
from exactdp.checker.families import read_family
from exactdp.privacy.amplification.amplification import k_ary_bracket_closes
from exactdp.proofs.response_ends import lower_sum, upper_sum
from exactdp.randomizers import KAryResponse
from tests.unit.proofs.changed_statements import Change, both_tests_of
from tests.unit.proofs.test_families_theorems import (
    E0,
    FAMILIES,
    LEVEL,
    P,
    Q,
    class_bound,
    k_ary_response,
    reference_bound,
)

F = Fraction
HALF = F(1, 2)
PROGRAMS = {claimed["family"]: (claimed, rows) for claimed, rows in FAMILIES}


def least_delta(k, exp_eps0, n, level):
    return ShuffleProtocol(KAryResponse(k, exp_eps0=exp_eps0).table(), n).privacy_profile().delta(exp_eps=level)


def unlike_merged():
    """Classes of different ratios as one: the bound falls, from that of 3-ary response to 0."""
    first, second = k_ary_response(3)[:2]
    least = dict.fromkeys(first, min(first.values()))
    merged = [(sum(first.values()), sum(second.values()), sum(least.values()))]
    return class_bound(2, LEVEL, merged) < reference_bound(2, LEVEL, first, second, least)


def everyone_off(name, mass, level):
    """With another mass in the class of messages that support every input the bound is another one."""
    claimed, rows = PROGRAMS[name]
    family = read_family(claimed, Work())
    least = {m: min(row[m] for row in rows) for m in rows[0]}
    true = reference_bound(2, level, rows[0], rows[1], least)
    others = [class_bound(2, level, family._replace(everyone=each).blanket()) for each in (family.everyone, mass)]
    return others[0] == true != others[1]


def a_third_row_that_is_a_product():
    """The rows 1, 2 and 3: the classes of independent signs have another bound."""
    claimed, rows = PROGRAMS["hadamard"]
    third = class_bound(2, LEVEL, read_family(claimed, Work()).others("third"))
    return third != reference_bound(2, LEVEL, rows[0], rows[1], rows[2])


def two_symbols_and_a_third():
    """Two users, e^eps0 = 3, e^eps = 3/2: no t is in between, and the sum is not the least delta of binary response."""
    exp_eps0, level, n = F(3), F(3, 2), 2
    between = [
        0 < a * (exp_eps0 - level) - b * (level * exp_eps0 - 1) < (level - 1) * (n - a - b)
        for a in range(n + 1)
        for b in range(n + 1 - a)
    ]
    q = 1 / (exp_eps0 + 1)
    values = [(q, exp_eps0 - level), (q, 1 - level * exp_eps0), (exp_eps0 * q, (1 - level) / exp_eps0)]
    sums = sum(v * w * max(F(0), s + t) for v, s in values for w, t in values) / n
    return not any(between) and sums != least_delta(2, exp_eps0, n, level)


CHANGES = {
    "classes whose ratios to the reference differ": Change(
        "classes",
        "reference_bound_classes",
        "(forall f, mean c f = mean u (fun a => r (kind a) * f a))",
        "(mean c (fun _ => 1) = mean u (fun a => r (kind a)))",
        unlike_merged,
    ),
    "one symbol": Change(
        "k_ary_classes",
        "k_ary_blanket",
        "(2 <= k)%nat",
        "(1 <= k)%nat",
        lambda: k_ary_response(1)[0][0] > 1 / (E0 + 1 - 1),
    ),
    "a third row that is the product of the others": Change(
        "hadamard_classes",
        "hadamard_others",
        "(fun x y z => S z <> Nat.lxor (S x) (S y))",
        "(fun _ _ _ => True)",
        a_third_row_that_is_a_product,
    ),
    "no column that supports every input": Change(
        "hadamard_classes",
        "hadamard_blanket",
        "(hadamard_low d E) 1 (independent_bits",
        "(hadamard_low d E) 0 (independent_bits",
        lambda: everyone_off("hadamard", F(0), F(3, 2)),
    ),
    "one more bit that is 1 in the message of all ones": Change(
        "unary_classes", "unary_blanket", "(q ^ d)", "(q ^ S d)", lambda: everyone_off("unary-encoding", Q**4, F(2))
    ),
    "a unary encoding that prefers zeros": Change(
        "unary_classes", "unary_others", "0 < q < p", "0 < p < q", lambda: (1 - P) / (1 - Q) < 1 < P / Q
    ),
    "one more function value that is the bucket": Change(
        "hashing_classes",
        "hashing_blanket",
        "((/ INR g) ^ (d - 1))",
        "((/ INR g) ^ d)",
        lambda: everyone_off("local-hashing", F(1, 8), F(3, 2)),
    ),
    "all inputs in the subset": Change(
        "subset_classes", "subset_blanket", "(w < d)%nat", "(w <= d)%nat", lambda: F(4) / (4 * E0 + 4 - 4) < 1
    ),
    "an upper end of one user more": Change(
        "k_ary_worst",
        "k_ary_upper",
        "k_ary_upper_sum n k",
        "k_ary_upper_sum (S n) k",
        lambda: upper_sum(4, F(7), 6, F(2)) < least_delta(4, F(7), 5, F(2)),
    ),
    "a lower end of one user less": Change(
        "k_ary_worst",
        "k_ary_lower",
        "k_ary_lower_sum n k",
        "k_ary_lower_sum (n - 1) k",
        lambda: lower_sum(4, F(7), 4, F(2)) > least_delta(4, F(7), 5, F(2)),
    ),
    "a bracket that always closes": Change(
        "closing",
        "k_ary_closes",
        "no_pair_between n E e ->",
        "(1 <= n)%nat ->",
        lambda: lower_sum(3, F(3), 6, F(3, 2)) < upper_sum(3, F(3), 6, F(3, 2)),
    ),
    "ends that are equal below e^eps = 1": Change(
        "closing_exactly",
        "k_ary_closes_exactly",
        "1 <= e ->",
        "0 <= e ->",
        lambda: lower_sum(3, F(3), 3, HALF) != upper_sum(3, F(3), 3, HALF),
    ),
    "a bound of e in place of e - 1": Change(
        "closing_program",
        "k_ary_closing_correct",
        "(c * (e - 1) = IZR width)%R",
        "(c * e = IZR width)%R",
        lambda: k_ary_bracket_closes(F(7), F(2), 5) and 0 < 1 * (7 - 2) - 0 * (2 * 7 - 1) < 2 * (5 - 1 - 0),
    ),
    "two symbols and a third input": Change(
        "k_ary_worst", "k_ary_worst", "(3 <= k)%nat", "(2 <= k)%nat", two_symbols_and_a_third
    ),
    "the blanket's sum with a wrong symbol more": Change(
        "k_ary_ends",
        "k_ary_upper_end",
        "k_ary_upper_sum n k E e",
        "k_ary_upper_sum n (S k) E e",
        lambda: upper_sum(3, F(3), 3, F(3, 2)) != upper_sum(4, F(3), 3, F(3, 2)),
    ),
}


test_a_changed_statement_has_no_proof, test_a_changed_statement_is_false = both_tests_of(CHANGES)
