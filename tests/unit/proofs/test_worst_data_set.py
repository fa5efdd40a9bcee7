"""Worst data sets: the rows, the kernel's programs as they are written there, and all data sets by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.checker.two_messages import Coins, worst_counts
from exactdp.proofs import check, row, worst_data_set
from exactdp.proofs.worst_data_set import excesses, of_chances, ones_law, worst_excess
from tests.expensive import one_in

CHANCE = st.integers(0, 8).map(lambda c: Fraction(c, 8))
RATIO = st.integers(4, 12).map(lambda c: Fraction(c, 4))


@pytest.mark.parametrize("name", ["mixture-rows", "two-messages-worst", "two-messages-excluded"])
def test_the_rows_hold(name):
    assert check(row(name)).verdict is xdp.Verdict.PROVED


def test_a_wrong_statement_is_refuted(monkeypatch):
    def only_one_order(low, high, n, exp_eps):
        return max(Fraction(0), *list(excesses(low, high, n, exp_eps))[::2])

    monkeypatch.setattr(worst_data_set, "worst_excess", only_one_order)
    claims = xdp.Claim.conjunction(*list(worst_data_set._extreme_points.__wrapped__()))
    assert xdp.certify(claims).verdict is xdp.Verdict.REFUTED


def every_data_set(chances, n, exp_eps):
    """The divergence of n users by its definition: all inputs of all users, and all sets of numbers of ones."""
    worst = Fraction(0)
    for others in combinations_with_replacement(chances, n - 1):
        for p, q in product(chances, repeat=2):
            laws = [law_of([first, *others]) for first in (p, q)]
            worst = max(worst, sum(max(Fraction(0), u - exp_eps * v) for u, v in zip(*laws, strict=True)))
    return worst


def law_of(chances):
    """The law of the number of ones, by listing what everybody sends."""
    law = [Fraction(0)] * (len(chances) + 1)
    for sent in product((0, 1), repeat=len(chances)):
        law[sum(sent)] += prod((p if bit else 1 - p for bit, p in zip(sent, chances, strict=True)), start=Fraction(1))
    return law


@settings(max_examples=25)
@given(st.lists(CHANCE, min_size=2, max_size=3), st.integers(1, 4), RATIO)
def test_all_data_sets_by_hand(chances, n, exp_eps):
    assert every_data_set(chances, n, exp_eps) == worst_excess(min(chances), max(chances), n, exp_eps)


@one_in(2)
@given(CHANCE, CHANCE, RATIO)
def test_two_bundles_are_two_messages(p, q, exp_eps):
    """Either two messages a, or b and c; the second in either order."""
    rows = {u: {("a", "a"): c, ("b", "c"): (1 - c) / 3, ("c", "b"): (1 - c) * 2 / 3} for u, c in enumerate((p, q))}
    delta = xdp.ShuffleProtocol(xdp.Randomizer(rows), 3).privacy_profile().exact_delta(exp_eps=exp_eps)
    assert delta == worst_excess(*sorted((p, q)), 3, exp_eps)


# The programs of two_message_program.v, two_message_checked.v and two_message_event.v, line by line.


def visited(A, B, D, X, Y, N):
    """The place m for each k, with D^N P[G = m] and D^(N+1) P[G > m]."""
    gain, cost = Y * B - X * A, X * (D - A) - Y * (D - B)
    m, G0 = 0, (D - A) ** N
    G1 = N * A * (D - A) ** (N - 1) if N else 0
    U = D * D**N - D * G0
    for k in range(N + 1):
        while gain * G0 < cost * G1:
            slope = k * B * (D - A) + (N - k) * A * (D - B) - ((D - A) * B + (D - B) * A) * (m + 1)
            G2 = (slope * G1 + A * B * (N - m) * G0) // ((D - A) * (D - B) * (m + 2))
            m, G0, G1, U = m + 1, G1, G2, U - D * G1
        yield k, m, G0, U
        if k < N:
            W = (B * (N - m) * G0 - (D - B) * (m + 1) * G1) // (N - k)
            G0, G1, U = (B * G0 - W) // A, ((D - B) * G1 + W) // (D - A), U + W


def scan(A, B, D, X, Y, bound, N):
    gain = Y * B - X * A
    return not any(gain * G0 - (X - Y) * U > bound for _, _, G0, U in visited(A, B, D, X, Y, N))


def decided(A, B, D, X, Y, d1, d2, N):
    if A == 0 or B == D:
        return (B - A) * d2 <= d1 * D
    bound = d1 * Y * D ** (N + 1) // d2
    orders = [(A, B), (D - B, D - A)]
    return all(Y * high <= X * low or scan(low, high, D, X, Y, bound, N) for low, high in orders)


def event_above(A, B, D, X, Y, d1, d2, N, k, m):
    gain = Y * B - X * A
    if B == D:
        if not (A < D and k <= m):
            return False
        B, N, k, m = A, N - k, 0, m - k
    G0 = (D - B) ** k * (D - A) ** (N - k)
    G1 = (G0 // (D - B) * k * B if k else 0) + (G0 // (D - A) * (N - k) * A if k < N else 0)
    U = D * (D**N - G0)
    for t in range(1, m + 1):
        slope = k * B * (D - A) + (N - k) * A * (D - B) - ((D - A) * B + (D - B) * A) * t
        G2 = (slope * G1 + A * B * (N - t + 1) * G0) // ((D - A) * (D - B) * (t + 1))
        G0, G1, U = G1, G2, U - D * G1
    return gain * G0 - (X - Y) * U > d1 * Y * D ** (N + 1) // d2


@one_in(2)
@given(st.integers(1, 6), st.integers(1, 6), RATIO, st.integers(0, 6))
def test_the_checker_runs_the_program_on_exact_weights(A, more, exp_eps, N):
    B, D = A + more, A + more + 3
    if exp_eps * A < B:
        steps = list(visited(A, B, D, *exp_eps.as_integer_ratio(), N))
        counted = list(worst_counts(Coins(A, B, D), N, exp_eps))
        assert steps == [(counts.k, counts.m, counts.at, counts.above) for counts in counted]
        for k, m, at, above in steps:
            law = ones_law(Fraction(A, D), Fraction(B, D), N, k)
            assert (at, above) == (D**N * law[m], D ** (N + 1) * sum(law[m + 1 :]))


@one_in(2)
@given(CHANCE, CHANCE, RATIO, st.integers(1, 6))
def test_the_program_decides(p, q, exp_eps, n):
    low, high = sorted((p, q))
    delta = worst_excess(low, high, n, exp_eps)
    chances = (int(8 * low), int(8 * high), 8, exp_eps.numerator, exp_eps.denominator)
    assert decided(*chances, *delta.as_integer_ratio(), n - 1)
    less = delta - Fraction(1, 10**9)
    assert less < 0 or not decided(*chances, *less.as_integer_ratio(), n - 1)


def test_the_program_against_the_engine():
    table = of_chances(Fraction(1, 7), Fraction(2, 7), Fraction(3, 5))
    for n, exp_eps in ((14, Fraction(3, 2)), (20, Fraction(11, 10))):
        delta = xdp.ShuffleProtocol(table, n).privacy_profile().exact_delta(exp_eps=exp_eps)
        chances = (5, 21, 35, exp_eps.numerator, exp_eps.denominator)
        assert decided(*chances, *delta.as_integer_ratio(), n - 1)
        assert not decided(*chances, *(delta - Fraction(1, 10**30)).as_integer_ratio(), n - 1)


@one_in(2)
@given(CHANCE, CHANCE, RATIO, st.integers(1, 5), st.data())
def test_the_program_of_one_event(p, q, exp_eps, n, data):
    low, high = sorted((p, q))
    k, m = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    law = ones_law(low, high, n - 1, k)
    excess = (high - exp_eps * low) * law[m] - (exp_eps - 1) * sum(law[m + 1 :])
    chances = (int(8 * low), int(8 * high), 8, exp_eps.numerator, exp_eps.denominator)
    if low == high == 1 or (high == 1 and m < k):
        assert excess <= 0
    for delta, above in ((excess, False), (excess - Fraction(1, 10**9), True)):
        if delta >= 0:
            assert event_above(*chances, *delta.as_integer_ratio(), n - 1, k, m) is above


def test_every_number_of_holders_has_to_be_tried():
    """n = 3, a = 1/4, b = 3/4, e^eps = 17/10: the largest excess falls and rises with k."""
    low, high, order = Fraction(1, 4), Fraction(3, 4), Fraction(17, 10)
    largest = []
    for k in range(3):
        law = ones_law(low, high, 2, k)
        largest.append(max((high - order * low) * at - (order - 1) * sum(law[m + 1 :]) for m, at in enumerate(law)))
    assert largest[0] > largest[1] < largest[2]
    assert worst_excess(low, high, 3, order) == max(largest)
