"""Measures on a lattice of losses that are multiples of ln 2, where all their profiles are fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from random import Random

import pytest
from flint import arb

from exactdp.numbers.balls import precision, rational_ball
from exactdp.numbers.dyadic import Dyadic
from exactdp.privacy.composition import losses
from exactdp.privacy.composition.losses import WORKING_BITS, LossPair, Measure, dominating_measure

Exact = tuple[dict[int, Fraction], Fraction]
LEVELS = [Fraction(2) ** j * Fraction(i, 8) for j in range(-4, 7) for i in (8, 11)]
SLACK = Fraction(1, 2**200)


def profile(measure: Exact, exp_eps: Fraction) -> Fraction:
    """E -> infinite + the sum of nu(j) (1 - E 2^-j)_+."""
    masses, infinite = measure
    return infinite + sum(
        (m * max(Fraction(0), 1 - exp_eps / Fraction(2) ** j) for j, m in masses.items()), Fraction(0)
    )


def exact(ball: arb) -> Fraction:
    with precision(2 * WORKING_BITS):
        mantissa, exponent = map(int, ball.upper().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def read(measure: Measure) -> Exact:
    return {j: exact(mass) for j, mass in measure.masses.items()}, exact(measure.infinite)


def random_measure(random: Random, places: range) -> Exact:
    chosen = random.sample(places, random.randint(1, 4))
    return {j: Fraction(random.randint(1, 60), 64) for j in chosen}, Fraction(random.randint(0, 9), 64)


def made(measure: Exact) -> Measure:
    masses, infinite = measure
    return Measure({j: rational_ball(mass) for j, mass in masses.items()}, rational_ball(infinite))


@pytest.mark.parametrize("places", [range(-2, 3), range(-4, 6)], ids=["near", "far apart"])
def test_the_envelope_is_above_every_profile_and_touches_the_largest(places):
    random = Random(len(places))
    for _ in range(20):
        measures = [random_measure(random, places) for _ in range(random.randint(2, 3))]
        with precision(WORKING_BITS):
            found = read(losses._envelope([made(each) for each in measures], arb(2).log()))
        ends = sorted({j for masses, _ in measures for j in masses})
        for exp_eps in LEVELS:
            assert profile(found, exp_eps) >= max(profile(each, exp_eps) for each in measures)
        for j in ends:
            largest = max(profile(each, Fraction(2) ** j) for each in measures)
            assert profile(found, Fraction(2) ** j) <= largest + SLACK
        whole = max(sum(masses.values(), infinite) for masses, infinite in measures)
        assert profile(found, Fraction(0)) <= whole + SLACK
        for low, high in pairwise(ends):  # profiles are straight there: beside a crossing the polygon is the largest
            for level in (Fraction(2) ** j for j in range(low + 1, high) if j in found[0]):
                assert profile(found, level) <= max(profile(each, level) for each in measures) + SLACK


def test_the_envelope_of_two_lines_that_cross_far_from_other_places():
    """4 - E/2 and 13/4 - E/2048 agree near E = 3/2: the polygon touches the larger one at 1, at 2 and at the ends."""
    measures: list[Exact] = [({-6: Fraction(1, 64), 3: Fraction(4)}, Fraction(0)), ({9: Fraction(1, 4)}, Fraction(3))]
    with precision(WORKING_BITS):
        found = read(losses._envelope([made(each) for each in measures], arb(2).log()))
    assert {0, 1} <= found[0].keys() <= {-6, 0, 1, 3, 9}
    for j in (-6, 0, 1, 3, 9):
        level = Fraction(2) ** j
        largest = max(profile(each, level) for each in measures)
        assert largest <= profile(found, level) <= largest + SLACK


def test_nothing_finite_has_the_largest_mass_at_infinity():
    with precision(WORKING_BITS):
        found = losses._envelope([Measure({}, arb("0.25")), Measure({}, arb("0.5"))], arb(1))
    assert read(found) == ({}, Fraction(1, 2))


def test_a_profile_at_the_places_of_others():
    random = Random(3)
    for _ in range(40):
        measure, places = random_measure(random, range(-3, 5)), sorted(random.sample(range(-5, 8), 4))
        places = sorted({*places, *measure[0]})
        with precision(WORKING_BITS):
            found = losses._profile(made(measure), places, arb(2).log())
        for j, value in zip(places, found, strict=True):
            assert abs(exact(value) - profile(measure, Fraction(2) ** j)) < SLACK


@pytest.mark.parametrize("cap", [None, Fraction(-2), Fraction(1, 2), Fraction(9)])
def test_one_pair_is_interpolated_at_the_lattice(cap):
    """At the lattice points the profile is the pair's, between them above it; losses above the cap are infinite."""
    random = Random(4)
    for _ in range(12):
        rows = [(Fraction(random.randint(1, 20), 32), Fraction(random.randint(1, 20), 32)) for _ in range(3)]
        infinite = Fraction(random.randint(0, 4), 32)
        with precision(WORKING_BITS):
            found = read(
                dominating_measure([LossPair.of([*rows, (infinite, Fraction(0))])], arb(2).log(), cap),
            )
        highest = None if cap is None else {-2: Fraction(135, 1000), 9: Fraction(8103)}.get(cap, Fraction(1648, 1000))
        raised = sum((p for p, q in rows if highest is not None and p / q > highest), Fraction(0))
        kept = [(p, q) for p, q in rows if highest is None or p / q <= highest]
        for exp_eps in LEVELS:
            truth = infinite + raised + sum((max(Fraction(0), p - exp_eps * q) for p, q in kept), Fraction(0))
            value = profile(found, exp_eps)
            assert value >= truth
            if (exp_eps.numerator & (exp_eps.numerator - 1)) == 0:
                assert value <= truth + SLACK * exp_eps.denominator * 8


def test_masses_at_one_place_are_added_up():
    """Two atoms, a hidden mass and two raised ones; a raised loss goes to the next place at or above it."""
    with precision(WORKING_BITS):
        one, two = arb("0.25"), arb("0.125")
        pair = LossPair(
            [], arb("0.5"), [(arb("0.0625"), None), (one, arb(3) / 2), (two, arb("1.25")), (arb(0), arb(50))]
        )
        found = read(dominating_measure([pair], arb(1), None))
    assert found == ({2: Fraction(3, 8)}, Fraction(9, 16))


def test_what_is_hidden_is_compared_with_a_bound():
    """Hidden mass, and raised mass of losses above 0, each run: above the bound or not."""
    raised = [(arb("0.25"), arb("0.5")), (arb(7), arb(0)), (arb(9), arb(-1))]
    pair = LossPair([], arb(5), [(arb("0.125"), None), *raised])
    for times, bound, hides in [
        (1, Dyadic.of(3, -3), False),
        (1, Dyadic.of(383, -10), True),
        (4, Dyadic.of(3, -1), False),
        (4, Dyadic.of(1535, -10), True),
        (1, Dyadic.of(1), False),
    ]:
        assert pair.hides_more_than(bound, times) == hides
    assert not LossPair([], arb(1)).hides_more_than(Dyadic.of(0), 10**5)
    unknown = LossPair([], arb(0), [(arb("0.25"), arb(0, 1))])
    assert unknown.hides_more_than(Dyadic.of(1, -3), 1)


def test_integers_near_balls():
    random = Random(6)
    with precision(WORKING_BITS):
        for _ in range(100):
            value = Fraction(random.randint(-999, 999), random.choice([1, 2, 7, 100]))
            ball = rational_ball(value)
            assert losses.integer(ball) in {floor(value), ceil(value) - 1}
            assert losses._ceiling(ball) - ceil(value) in {0, 0 if value.denominator > 1 else 1}
        assert losses._ceiling(arb(2, 0.25)) == 3
        assert exact(losses._largest([arb(1), arb(2, 0.5), arb("2.25")])) >= Fraction(5, 2)
        assert exact(losses._largest([arb(1), arb("2.25"), arb(2)])) == Fraction(9, 4)
        assert losses._greatest([arb(1), arb(3), arb(2, 5)]) == 1
