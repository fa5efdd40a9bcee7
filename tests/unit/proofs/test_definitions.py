"""Definitions and noise: wrong statements are not proved, and the statements hold where they are computed."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product
from math import exp, log

import mpmath
import pytest

import exactdp as xdp
from exactdp.claims.claim import Claim, Run
from exactdp.proofs import definitions
from exactdp.proofs import noise_definitions as noise
from exactdp.proofs.steps import at_least, equal, implies, positive_on, variables
from tests.together import together

Verdict = xdp.Verdict
FALSE = at_least(0, 0, strict=True)


def test_the_least_counterexamples():
    assert dict(definitions.least_ratio().counterexample) == {"a": Fraction(1, 4), "exp_eps": 2}
    assert definitions.least_range().counterexample["r"] == 2
    assert dict(definitions.least_leak().counterexample) == {"n": 1, "gamma": 0}
    assert dict(noise.least_domain(replace=False).counterexample) == {"below": 2, "high": 1}
    assert dict(noise.least_domain(replace=True).counterexample) == {"below": 1, "high": 1}
    assert dict(noise.least_cells().counterexample) == {"n": 1, "cells": 2}
    assert dict(noise.least_coordinates().counterexample) == {"k": 2, "beta": Fraction(1, 2)}
    assert noise.least_one_sided().counterexample["p"] == Fraction(1, 2)
    assert noise.least_choice().counterexample["m"] == 3


def _steps():
    b, c, p, q, r, d, e, m = variables("b c p q r d E m")
    yield "a bad event of any probability", implies(p <= e * q, then=c + p <= e * q + d)
    yield "delta at half of it", implies(c <= d, p <= e * q, then=c + p <= e * q + d / 2)
    yield "far from r = 1 on", implies(r >= 1, then=2 * (3 * r) * (3 * r + 1) > (4 * r + 1) ** 2)
    yield "an order of one message more as often as one of n", implies(equal(p * c, 1), then=equal(p * c * (d + 1), 1))
    yield "orders of unequal share", implies(equal(c * p, q), e >= 1, then=equal(c * (p - e * r), q - e * r))
    yield (
        "laws nearer than delta allows",
        implies(p <= e * q + d, 1 - q <= e * (1 - p) + d, e >= 1, d >= 0, then=(e + 1) * (p - q) <= e - 1 + d),
    )
    u, v, a, x, k, big_b = variables("u v a x k B")
    yield "half a triangle", implies(u >= a - b, v >= b - c, then=c - a <= u + v)
    yield "scale without r >= 0", implies(m - k <= d, then=r * (m - k) <= r * d)
    lo, hi, w = variables("lo hi w")
    yield "the sum without lo", implies(v >= lo, v <= hi, m >= hi, then=v >= -m)
    yield "replacing changes it by hi", implies(v >= lo, v <= hi, w >= lo, w <= hi, then=v - w <= hi)
    yield "two cells at E", implies(p <= e * q, a <= e * r, p >= 0, r >= 0, q >= 0, e >= 1, then=p * a <= e * q * r)
    yield "Bernoulli with x > 1", implies(big_b >= 1 - k * x, x >= 0, k >= 0, then=(1 - x) * big_b >= 1 - (k + 1) * x)
    yield (
        "Bernoulli the other way",
        implies(big_b <= 1 - k * x, x >= 0, x <= 1, k >= 0, then=(1 - x) * big_b <= 1 - (k + 1) * x),
    )
    yield (
        "Bernoulli strictly at k = 0",
        implies(big_b >= 1 - k * x, x > 0, x <= 1, k >= 0, then=(1 - x) * big_b > 1 - (k + 1) * x),
    )
    yield "the other law's mass doubled", implies(equal(e * w * w, 1), x >= 0, then=1 - x - e * (x * w * w) >= 1 - x)
    yield "a turn beyond c", implies(equal(u, v - b * d), d >= 0, b > 0, 2 * r <= u + b * d, then=v - 2 * r >= b * d)
    yield "within beta^2/3", positive_on({"b": (0, 1)}, (1 - b + b * b / 3, 0), (-1, -b))
    yield "one-sided at E < p^j", implies(p >= 0, e >= 0, r <= 1, then=r * p <= e * p)
    yield "one-sided: a loss of 1 - E r with E < 1", implies(e >= 0, r >= 0, then=1 - e * r <= 1 - r)
    lam, y, z = variables("lam y z")
    yield "exponential noise: the variance 1/lam", implies(equal(v * lam, 1), then=equal(v * (lam * d) ** 2, d**2))
    w, n = variables("w n")
    yield (
        "one term less of the mean",
        implies(equal((1 - p) * m, p), w >= 0, then=equal(w * (n + m), n * (1 - p) * w + p * w * (n + m))),
    )
    yield "a worse normaliser", implies(z <= a * y, w >= 0, then=w * z <= w * y)
    yield "utility without the best weight", implies(q >= 0, then=w * q <= z * q)
    f, g = variables("f g")
    yield (
        "a lead that falls by 2, and 1 more",
        implies(v >= u, f >= -1, f <= 1, g >= -1, g <= 1, then=v + f + 1 >= u + g),
    )
    yield "a wrong name with twice the least probability", implies(e > 0, 1 - p <= e * p, then=p * (1 + e) >= 2)
    yield "the last outcome with another variance", implies(equal((1 - p) * m, p), p >= 0, p <= 1, then=equal(m, p))


@together(("name", "claim"), list(_steps()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_wrong_step_is_not_proved(name, claim):
    assert xdp.certify(claim).verdict is Verdict.REFUTED


LAPLACE = xdp.DiscreteLaplace(2)
WRONG = {
    "ratio: a smaller delta": Claim.shift_dp(definitions._noise(Fraction(1, 4)), exp_eps=2, delta="74/100"),
    "ratio: bounded by a larger number": Claim.negation(
        Claim.smooth(definitions._noise(Fraction(1, 4)), k=1, exp_eps="31/10", delta="3/4")
    ),
    "near: r = 1 is far": Claim.tail(definitions._difference(4), low=-1, high=1, at_most="1/2"),
    "near: the range shows the data": Claim.never_dp(definitions._uniform(8), delta_below="1/1000"),
    "permutation: it shows the data": Claim.never_dp(definitions._permutation(3), delta_below="1/1000"),
    "order: it shows more": Claim.shuffle_dp(
        definitions.ordered(definitions._flip(2, Fraction(1, 2)), (0,)), exp_eps=1, delta="1/2", least="delta"
    ),
    "Laplace: sensitivity 5 at the noise of 4": Claim.shift_dp(LAPLACE, shift=5, exp_eps=16, delta=0),
    "Laplace: a larger least eps": Claim.shift_dp(LAPLACE, shift=2, exp_eps=5, delta=0, least="exp_eps"),
    "histogram: less than 2 eps": Claim.composed(Run(LAPLACE, times=2), exp_eps="39/10", delta=0),
    "one-sided: pure at any e^eps": Claim.shift_dp(xdp.Geometric("1/3"), exp_eps=10**9, delta="2/3", least="exp_eps"),
    "one-sided: less is lost": Claim.shift_dp(xdp.Geometric("1/3"), exp_eps=10**9, delta="66/100"),
    "one-sided: more is lost": Claim.never_dp(
        xdp.ShuffleProtocol(xdp.Randomizer({0: {("b",): "1/2", ("a",): "1/2"}, 1: {("a",): 1}}), 1),
        delta_below="51/100",
    ),
    "average: the shown bit is private": Claim.shuffle_dp(
        definitions._flip(1, Fraction(0)), exp_eps=10**9, delta="999/1000"
    ),
    "noisy votes: a smaller eps": Claim.pure_dp(xdp.ShuffleProtocol(noise._noisy_maximum(), 1), exp_eps="399/100"),
    "record: a smaller delta at no eps": Claim.shuffle_dp(
        definitions._published(10, 0), exp_eps=10**9, delta="99/1000"
    ),
    "record: a larger delta is needed": Claim.shuffle_dp(
        definitions._published(10, 4), exp_eps=1, delta="101/1000", least="delta"
    ),
    "three moves at two eps": Claim.composed(Run(LAPLACE, times=3), exp_eps=4, delta=0),
    "accuracy: .04876": Claim.tail(xdp.Binomial(1000, "1/20000"), low=1, at_most="0.04876"),
    "votes: named more often": Claim.accuracy(
        xdp.ShuffleProtocol(noise.exponential_mechanism([30, 29], [29, 30]), 1, analyzer=xdp.Analyzer({1: 1})),
        alpha="1/2",
        beta="33/100",
        values={0: 0, 1: 1},
    ),
    "exponential: less than eps": Claim.pure_dp(
        xdp.ShuffleProtocol(noise.exponential_mechanism([30, 29], [29, 30]), 1), exp_eps="19/10"
    ),
    "exponential: a utility of sensitivity 2": Claim.pure_dp(
        xdp.ShuffleProtocol(noise.exponential_mechanism([2, 0, 0], [0, 2, 2]), 1), exp_eps=4
    ),
}


@together("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    assert xdp.certify(WRONG[name]).verdict is Verdict.REFUTED


def test_a_bounded_ratio_gives_dp_on_random_pairs():
    """Over all events, for laws of three outcomes in sixths."""
    laws = [(a, b, 6 - a - b) for a in range(7) for b in range(7 - a)]
    e = Fraction(3, 2)
    for p, q in product(laws, repeat=2):
        delta = sum(a for a, b in zip(p, q, strict=True) if a > e * b)
        for event in (s for size in range(4) for s in combinations(range(3), size)):
            assert sum(p[i] for i in event) <= e * sum(q[i] for i in event) + delta


def test_the_ratio_of_the_counterexample_by_hand():
    """Y = 1 with probability 1/4: P = (3/4, 1/4, 0), Q = (0, 3/4, 1/4) on 0, 1, 2."""
    p, q = (Fraction(3, 4), Fraction(1, 4), Fraction(0)), (Fraction(0), Fraction(3, 4), Fraction(1, 4))
    for first, second in ((p, q), (q, p)):
        assert sum(max(Fraction(0), a - 2 * b) for a, b in zip(first, second, strict=True)) <= Fraction(3, 4)
    assert sum(b for a, b in zip(p, q, strict=True) if b > 2 * a) == 1


@pytest.mark.parametrize("r", [2, 3, 10])
def test_two_uniform_numbers_by_listing(r):
    pairs = list(product(range(4 * r + 1), repeat=2))
    assert 2 * sum(abs(a - b) > r for a, b in pairs) > len(pairs)


def test_the_ordered_output_by_listing():
    """Two users, the first holds 0: each pair of messages in both orders."""
    protocol = definitions._flip(2, Fraction(1, 2))
    law = definitions.ordered(protocol, (0,)).randomizer.table()[1]
    keep = {(x, y): Fraction(3 if x == y else 1, 4) for x in (0, 1) for y in (0, 1)}
    found = dict.fromkeys(product((0, 1), repeat=2), Fraction(0))
    for a, b in product((0, 1), repeat=2):
        for order in permutations((a, b)):
            found[order] += keep[0, a] * keep[1, b] / 2
    assert {send[0]: p for send, p in law.items()} == found


def test_each_order_of_six_messages_by_inserting_them():
    """Three users send two messages each: each message goes to any of the places among those before it."""
    shown = {(): Fraction(1)}
    for message in range(6):
        places = [(order, place, p) for order, p in shown.items() for place in range(message + 1)]
        shown = dict.fromkeys(permutations(range(message + 1)), Fraction(0))
        for order, place, p in places:
            shown[(*order[:place], message, *order[place:])] += p / (message + 1)
    assert len(shown) == 720
    assert set(shown.values()) == {Fraction(1, 720)}


@pytest.mark.parametrize(
    ("noise_law", "ties_to_the_right_one", "ties_to_the_other"),
    [
        (xdp.Geometric("1/2"), Fraction(1, 6), Fraction(1, 3)),
        (xdp.DiscreteLaplace(2), Fraction(7, 27), Fraction(11, 27)),
    ],
)
def test_the_wrong_name_of_30_and_29_by_adding_up_noises(noise_law, ties_to_the_right_one, ties_to_the_other):
    """The noise of both, within 40 of 0; what is left out is below 10^-9."""
    masses = {z: noise_law.exact_pmf(z) for z in range(-40, 41)}
    for lead, chance in ((-1, ties_to_the_right_one), (0, ties_to_the_other)):
        wrong = sum(p * q for a, p in masses.items() for b, q in masses.items() if 30 + a - (29 + b) <= lead)
        assert abs(wrong - chance) < Fraction(1, 10**9)


def test_every_sensitivity_by_listing_data_sets():
    for low, high in combinations(range(-4, 5), 2):
        data = list(product(range(low, high + 1), repeat=2))
        replaced = max(
            abs(sum(x) - sum(y)) for x in data for y in data if sum(a != b for a, b in zip(x, y, strict=True)) == 1
        )
        added = max(abs(sum(x) - sum(x[:1])) for x in data)
        assert (added, replaced) == (max(abs(low), abs(high)), high - low)
        assert added == noise._largest_change(low, high, replace=False)
        assert replaced == noise._largest_change(low, high, replace=True)


@pytest.mark.parametrize(("k", "beta"), list(product((1, 2, 10, 1000), (0.05, 0.5, 0.99))))
def test_the_laplace_accuracy_numerically(k, beta):
    """From the density of the Laplace law, at 40 digits."""
    with mpmath.workdps(40):
        beta = mpmath.mpf(beta)
        tail = mpmath.quad(lambda y: mpmath.exp(-y), [mpmath.log(k / beta), mpmath.inf])
        chance = 1 - (1 - tail) ** k
        assert 1 - mpmath.exp(-beta) <= chance <= beta + mpmath.mpf(10) ** -30
        assert beta - beta**2 / 2 <= chance
        assert (chance < beta - mpmath.mpf(10) ** -20) == (k > 1)


@pytest.mark.parametrize(("lam", "move", "eps"), list(product((0.5, 2.0), (1.0, 3.0), (0.0, 1.0, 5.0))))
def test_the_exponential_law_numerically(lam, move, eps):
    """The hockey-stick divergence of Exp(lam) and its shift, in both orders, by quadrature."""
    lost = 1 - exp(-lam * move)
    forward = mpmath.quad(lambda y: lam * mpmath.exp(-lam * y), [0, move])
    above = float(lam * mpmath.exp(-lam * move) - exp(eps) * lam)
    assert abs(forward - lost) < 1e-12
    assert above < 0
    backward = max(0.0, 1 - exp(eps) * exp(-lam * move))
    assert backward <= lost + 1e-12


@pytest.mark.parametrize("c", [0.1, 1.0, 3.0])
def test_the_utility_of_the_exponential_mechanism(c):
    utilities = [5, 5, 3, 1, 0, 0, -2]
    row = noise.exponential_mechanism(utilities).table()[0]
    least = 5 - (log(len(utilities)) + c) / log(2)
    assert sum(float(p) for (r,), p in row.items() if utilities[r] <= least) <= exp(-c)
