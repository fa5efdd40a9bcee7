"""The theorems on the classes of families at instances: the programs of the development, beside the exact engine."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import pytest

from exactdp import Randomizer, ShuffleProtocol, hockey_stick_divergence
from exactdp.checker.budget import Work
from exactdp.checker.families import read_family
from exactdp.proofs.response_ends import lower_sum, upper_sum

F = Fraction
E0, P, Q = F(7, 3), F(3, 5), F(1, 4)
LEVEL = F(9, 8)
USERS = 3


def k_ary_response(k, exp_eps0=E0):
    low = 1 / (exp_eps0 + k - 1)
    return [{m: exp_eps0 * low if m == x else low for m in range(k)} for x in range(k)]


def unary_encoding(d):
    rows = []
    for x in range(d):
        row = {}
        for bits in product((0, 1), repeat=d):
            chance = F(1)
            for i, bit in enumerate(bits):
                one = P if i == x else Q
                chance *= one if bit else 1 - one
            row[bits] = chance
        rows.append(row)
    return rows


def local_hashing(d, g):
    answers = k_ary_response(g)
    functions = list(product(range(g), repeat=d))
    return [{(h, y): answers[h[x]][y] / len(functions) for h in functions for y in range(g)} for x in range(d)]


def hadamard_response(d):
    columns = 1 << d.bit_length()
    low = 2 / (columns * (E0 + 1))
    even = [[(x + 1 & m).bit_count() % 2 == 0 for m in range(columns)] for x in range(d)]
    return [{m: E0 * low if row[m] else low for m in range(columns)} for row in even]


def subset_selection(d, w):
    subsets = list(combinations(range(d), w))
    low = d / (w * E0 + d - w)
    return [{s: (E0 * low if x in s else low) / len(subsets) for s in subsets} for x in range(d)]


def merged(rows):
    """Messages that every input sends equally often are one: which of them it is says nothing."""
    columns = {m: tuple(row[m] for row in rows) for m in rows[0]}
    kinds = {column: f"m{place}" for place, column in enumerate(dict.fromkeys(columns.values()))}
    table = {v: dict.fromkeys(((kind,) for kind in kinds.values()), F(0)) for v in range(len(rows))}
    for column in columns.values():
        for v, weight in enumerate(column):
            table[v][kinds[column],] += weight
    return Randomizer(table)


LEVELS = {"exp_eps0": str(E0)}
FAMILIES = [
    ({"family": "k-ary", "inputs": "3", **LEVELS}, k_ary_response(3)),
    ({"family": "k-ary", "inputs": "4", **LEVELS}, k_ary_response(4)),
    ({"family": "unary-encoding", "inputs": "3", "one": str(P), "other": str(Q)}, unary_encoding(3)),
    ({"family": "local-hashing", "inputs": "3", "buckets": "2", **LEVELS}, local_hashing(3, 2)),
    ({"family": "hadamard", "inputs": "4", **LEVELS}, hadamard_response(4)),
    ({"family": "subset-selection", "inputs": "4", "size": "2", **LEVELS}, subset_selection(4, 2)),
]


def class_bound(n, level, classes):
    """The formula over classes, by listing all draws."""
    uncovered = sum((max(F(0), p - level * q) for p, q, c in classes if c == 0), F(0))
    law = [(c, (p - level * q) / c) for p, q, c in classes if c]
    law.append((1 - sum(weight for weight, _ in law), F(0)))
    sums = {F(0): F(1)}
    for _ in range(n):
        longer = {}
        for (total, chance), (weight, value) in product(sums.items(), law):
            longer[total + value] = longer.get(total + value, F(0)) + chance * weight
        sums = longer
    return uncovered + sum(max(F(0), total) * chance for total, chance in sums.items()) / n


def reference_bound(n, level, first, second, reference):
    """The same of laws, message by message."""
    return class_bound(n, level, [(first[m], second[m], reference[m]) for m in first])


@pytest.mark.parametrize(("claimed", "rows"), FAMILIES, ids=[" ".join(claimed.values()) for claimed, _ in FAMILIES])
def test_the_classes_have_the_bound_of_the_program(claimed, rows):
    family = read_family(claimed, Work())
    least = {m: min(row[m] for row in rows) for m in rows[0]}
    for x, y in permutations(range(len(rows)), 2):
        assert sum(rows[x].values()) == 1
        assert class_bound(2, LEVEL, family.blanket()) == reference_bound(2, LEVEL, rows[x], rows[y], least)
        for where, z in (("first", x), ("second", y)):
            assert class_bound(2, LEVEL, family.others(where)) == reference_bound(2, LEVEL, rows[x], rows[y], rows[z])


@pytest.mark.parametrize(("claimed", "rows"), FAMILIES, ids=[" ".join(claimed.values()) for claimed, _ in FAMILIES])
def test_the_classes_of_a_third_input_have_the_divergence_of_the_views(claimed, rows):
    family = read_family(claimed, Work())
    tried = set()
    for x, y, z in permutations(range(len(rows)), 3):
        is_product = claimed["family"] == "hadamard" and x + 1 ^ y + 1 == z + 1
        where = "xor" if is_product else "third"
        if x < y and where not in tried:
            tried.add(where)
            protocol = ShuffleProtocol(merged(rows), USERS)
            laws = [protocol.law({v: 1, z: USERS - 1}) for v in (x, y)]
            divergence = hockey_stick_divergence(*laws, exp_eps=LEVEL)
            assert class_bound(USERS, LEVEL, family.others(where)) == divergence
    assert tried == {"third", "xor"} if claimed["family"] == "hadamard" else tried == {"third"}


@pytest.mark.parametrize(
    ("k", "exp_eps0", "n", "level"), [(3, F(3), 4, F(5, 4)), (4, F(5), 3, F(2)), (3, F(2), 2, F(1))]
)
def test_the_sums_over_three_counts(k, exp_eps0, n, level):
    rows = k_ary_response(k, exp_eps0)
    least = dict.fromkeys(range(k), 1 / (exp_eps0 + k - 1))
    assert upper_sum(k, exp_eps0, n, level) == reference_bound(n, level, rows[0], rows[1], least)
    assert lower_sum(k, exp_eps0, n, level) == reference_bound(n, level, rows[0], rows[1], rows[2])


def test_two_symbols_have_the_sum_of_the_blanket():
    """k = 2: the weight of the third atom is 0."""
    rows = k_ary_response(2, F(3))
    least = dict.fromkeys(range(2), F(1, 4))
    assert upper_sum(2, F(3), 4, F(3, 2)) == reference_bound(4, F(3, 2), rows[0], rows[1], least)
