"""The kernel's theorems on blankets, each on a concrete protocol: their numbers against the engines and enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.bounds import bennett_blanket_delta, hoeffding_blanket_delta
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.input_pairs import FamilyPairs
from exactdp.proofs.development import files
from tests.expensive import one_in
from tests.oracles.brute_force import shuffled_law
from tests.oracles.positive_parts import by_counts, divergence, k_ary

COQ = Path(__file__).parents[3] / "proofs" / "coq"
ORDER = Fraction(3, 2)


def row(*weights, sent="abcd"):
    """One message each, by weights."""
    return {(m,): Fraction(w, sum(weights)) for m, w in zip(sent, weights, strict=False)}


ZEROS = {0: row(3, 1, 0, 2), 1: row(1, 4, 1, 0), 2: row(2, 2, 2, 0)}
"""Messages that no blanket covers, and one that input 2 never sends."""
BUNDLES = {
    0: {("a", "a"): Fraction(1, 2), ("a", "b"): Fraction(1, 4), (): Fraction(1, 4)},
    1: {("a", "b"): Fraction(1, 2), ("b",): Fraction(1, 4), (): Fraction(1, 4)},
    2: {("a", "a"): Fraction(1, 4), ("a", "b"): Fraction(1, 4), (): Fraction(1, 2)},
}


def columns(table, x, y, reference):
    """(P, Q, c) of every outcome."""
    return [(*(table[v].get(m, Fraction(0)) for v in (x, y)), reference.get(m, Fraction(0))) for m in outcomes(table)]


def outcomes(table):
    return list(dict.fromkeys(m for law in table.values() for m in law))


def least(table, inputs):
    """The least of these rows."""
    return {m: min(table[v].get(m, Fraction(0)) for v in inputs) for m in outcomes(table)}


def mixed(table, weights):
    return {m: sum(w * table[v].get(m, Fraction(0)) for v, w in weights.items()) for m in outcomes(table)}


def excess(table, x, y, others, order=ORDER):
    """The divergence of the shuffled messages of x and the others against those of y and the others."""
    first, second = (shuffled_law(table, (v, *others)) for v in (x, y))
    views = first.keys() | second.keys()
    return sum((max(Fraction(0), first.get(u, 0) - order * second.get(u, 0)) for u in views), Fraction(0))


def exact_delta(table, users, order=ORDER):
    """By the package's exact engines."""
    randomizer = xdp.Randomizer(table)
    return xdp.ShuffleProtocol(randomizer, users).privacy_profile().exact_delta(exp_eps=order)


@pytest.mark.parametrize("table", [ZEROS, BUNDLES], ids=["zeros", "bundles"])
@pytest.mark.parametrize("order", [Fraction(1, 2), ORDER, Fraction(-1)])
def test_blanket_bound(table, order):
    """For every pair of inputs and all others; the blanket is the least row of those that the others hold."""
    for x, y, *others in product(table, repeat=4):
        bound = divergence(columns(table, x, y, least(table, others)), 3, order)
        assert excess(table, x, y, others, order) <= bound


@pytest.mark.parametrize("table", [ZEROS, BUNDLES, {0: row(5, 1, 1), 1: row(1, 5, 1)}], ids=["zeros", "bundles", "two"])
@pytest.mark.parametrize("users", [1, 2, 4])
def test_blanket_dp(table, users):
    pairs = product(table, repeat=2)
    bound = max(divergence(columns(table, x, y, least(table, table)), users, ORDER) for x, y in pairs)
    assert exact_delta(table, users) <= bound


@pytest.mark.parametrize("table", [ZEROS, BUNDLES], ids=["zeros", "bundles"])
def test_widest_pair_dp(table):
    """The largest of all rows against the least bounds every pair, and the exact delta."""
    low = least(table, table)
    wide = [(max(law.get(m, Fraction(0)) for law in table.values()), low[m], low[m]) for m in outcomes(table)]
    bound = divergence(wide, 3, ORDER)
    pairs = max(divergence(columns(table, x, y, low), 3, ORDER) for x, y in product(table, repeat=2))
    assert exact_delta(table, 3) <= pairs <= bound


@pytest.mark.parametrize("order", [Fraction(1, 2), ORDER, Fraction(-1)])
def test_homogeneous_exact(order):
    """Also where the others hold what x sends and y does not, and the other way round."""
    for x, y, v in product(ZEROS, repeat=3):
        for others in range(4):
            exact = divergence(columns(ZEROS, x, y, ZEROS[v]), others + 1, order)
            assert excess(ZEROS, x, y, [v] * others, order) == exact


def test_several_messages_show_less_than_their_bundles():
    """Why homogeneous_exact is about one message, or bundles."""
    gaps = [
        divergence(columns(BUNDLES, x, y, BUNDLES[v]), 3, ORDER) - excess(BUNDLES, x, y, [v, v])
        for x, y, v in product(BUNDLES, repeat=3)
    ]
    assert min(gaps) == 0 < max(gaps)


def test_homogeneous_others_attain_the_worst_case():
    """4-ary response, e^eps0 = 7, n = 5, e^eps = 2: a bracket that closes."""
    table = {x: {(m,): p for m, p in law.items()} for x, law in k_ary(4, Fraction(7)).items()}
    third = divergence(columns(table, 0, 1, table[2]), 5, Fraction(2))
    blanket = divergence(columns(table, 0, 1, least(table, table)), 5, Fraction(2))
    private = xdp.ShuffleProtocol(xdp.randomized_response(4, gamma=Fraction(4, 10)), 5).privacy_profile()
    assert third == blanket == private.exact_delta(exp_eps=2)


@pytest.mark.parametrize("weights", [{0: Fraction(1, 3), 2: Fraction(2, 3)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}])
def test_random_others(weights):
    for x, y in product(ZEROS, repeat=2):
        worst = max(excess(ZEROS, x, y, others) for others in product(weights, repeat=3))
        assert divergence(columns(ZEROS, x, y, mixed(ZEROS, weights)), 4, ORDER) <= worst


def test_tree_in_random_order():
    """One user has the row 0, beside two with the row 2; sums are clamped to 3 and halved on the way."""
    scores = dict(zip("abcd", (0, 1, 3, 6), strict=True))

    def pair(left, right):
        return min(left + right, 3)

    def all_three(left, right):
        return (left + right) // 2

    def law_of(first, second, join):
        law = {}
        for (s, p), (t, q) in product(first.items(), second.items()):
            law[join(s, t)] = law.get(join(s, t), 0) + p * q
        return law

    leaf, other = ({scores[m]: p for (m,), p in ZEROS[v].items() if p} for v in (0, 2))
    two = law_of(leaf, other, pair)
    with_him_left, with_him_right = law_of(two, other, all_three), law_of(law_of(other, other, pair), leaf, all_three)
    recursion = {
        s: (2 * with_him_left.get(s, 0) + with_him_right.get(s, 0)) / 3
        for s in with_him_left.keys() | with_him_right.keys()
    }
    root = {}
    for one, left, right in product(leaf, other, other):
        chance = leaf[one] * other[left] * other[right]
        for a, b, c in permutations((one, left, right)):
            value = all_three(pair(a, b), c)
            root[value] = root.get(value, 0) + chance / 6
    assert root == recursion


def test_score_event():
    """Bundles of three users: the event that the scores add up to at least two is no worse than the divergence."""
    first, second = (shuffled_law(BUNDLES, (v, 0, 2)) for v in (0, 1))
    p = sum(chance for view, chance in first.items() if view.count("a") >= 2)
    q = sum(chance for view, chance in second.items() if view.count("a") < 2)
    assert 0 < p - (1 - q) <= excess(BUNDLES, 0, 1, [0, 2], 1)


values = st.integers(-12, 12).map(lambda v: Fraction(v, 4))


@one_in(2)
@given(st.dictionaries(values, st.integers(1, 5), min_size=2, max_size=4), st.integers(1, 6), st.integers(0, 5))
def test_closed_forms_of_the_mean_excess(weights, copies, nobody):
    """A reference of the sum gamma, with values in [lo, hi]; both closed forms are e times below the published ones."""
    whole = sum(weights.values())
    gamma = Fraction(whole, whole + nobody)
    law = [(Fraction(w, whole), v) for v, w in weights.items()]
    a = -sum(p * v for p, v in law)
    b, b_plus, c = max(weights) - min(weights), max(weights), sum(p * v * v for p, v in law)
    if a <= 0:
        return
    excess = by_counts([*((gamma * p, v / gamma) for p, v in law), (1 - gamma, Fraction(0))], copies)
    t = Real.exp(-2 * a * a / b**2)
    front = Fraction(b**2) / (4 * a) / (gamma * copies)
    hoeffding = front * (1 - gamma * (1 - t)) ** copies * Real.exp(-1)
    assert enclose_real(hoeffding, relative_bits=40).hi >= excess
    if b_plus > 0:
        u = a * b_plus / c
        log = Real.log(1 + u)
        t = Real.exp(-(c / b_plus**2) * ((1 + u) * log - u))
        front = b_plus / log / (gamma * copies) * Real.exp(-1)
        bennett = front * ((1 - gamma * (1 - t)) ** copies - (1 - gamma) ** copies)
        assert enclose_real(bennett, relative_bits=40).hi >= excess
    else:
        assert excess == 0


@pytest.mark.parametrize("bound", [hoeffding_blanket_delta, bennett_blanket_delta])
@pytest.mark.parametrize(("k", "users"), [(2, 200), (3, 12), (5, 5)])
def test_closed_forms_of_k_ary_response(bound, k, users):
    randomizer = xdp.randomized_response(k, gamma=Fraction(k, k + 2))
    private = xdp.ShuffleProtocol(randomizer, users).privacy_profile().exact_delta(exp_eps=2)
    assert private <= bound(users, exp_eps0=3, exp_eps=2, k=k).lo <= bound(users, exp_eps0=3, exp_eps=2).lo


@pytest.mark.parametrize("bound", [hoeffding_blanket_delta, bennett_blanket_delta])
def test_generic_closed_forms_hold_for_several_messages(bound):
    table = {
        0: {("a", "a"): Fraction(3, 6), ("b",): Fraction(1, 6), (): Fraction(2, 6)},
        1: {("a", "a"): Fraction(1, 6), ("b",): Fraction(3, 6), (): Fraction(2, 6)},
    }
    for users in (1, 4, 9):
        assert exact_delta(table, users, Fraction(2)) <= bound(users, exp_eps0=3, exp_eps=2).lo


def test_the_answer_names_a_theorem_of_the_development():
    said = FamilyPairs(xdp.randomizers.unary_encoding(1000, exp_eps0=7)).theorem
    file, _, theorem = said.partition("kernel: ")[2].rstrip(")").partition(".")
    assert f"Theorem {theorem} " in (COQ / files()[file]).read_text("utf-8")
