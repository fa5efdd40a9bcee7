"""Composition, group privacy and convexity on concrete protocols, against the exact engine and against plain sums."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.privacy.composition.profile_pairs import Point, both_sides, masses_above, masses_below
from exactdp.proofs.composed_privacy import advanced_level, composed_delta, dominating_response, losses_delta

HALF = Fraction(1, 2)
LEVELS = [Fraction(1), Fraction(6, 5), Fraction(2), Fraction(5, 2), Fraction(7)]


def divergence(pairs, exp_eps):
    return sum((max(Fraction(0), p - exp_eps * q) for p, q in pairs), Fraction(0))


def times(first, second):
    """All pairs of chances of two independent draws."""
    return [(a * c, b * d) for (a, b), (c, d) in product(first, second)]


@st.composite
def laws(draw, size=3):
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return [Fraction(w, sum(weights)) for w in weights]


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 7)])
@pytest.mark.parametrize("runs", [1, 2, 4])
def test_the_optimal_bound_is_what_randomized_response_loses(runs, delta):
    whole = xdp.ShuffleProtocol(dominating_response(*[(Fraction(2), delta)] * runs), 1).privacy_profile()
    one = xdp.ShuffleProtocol(dominating_response((Fraction(2), delta)), 1).privacy_profile()
    for exp_eps in LEVELS:
        bound = composed_delta(runs, Fraction(2), delta, exp_eps)
        assert whole.delta(exp_eps=exp_eps) == bound
        assert one.compose(runs).delta(exp_eps=exp_eps) == bound


@given(laws(), laws(), laws(), laws(), st.sampled_from(LEVELS), st.sampled_from([Fraction(1, 3), *LEVELS]))
@settings(max_examples=25)
def test_no_two_mechanisms_lose_more_than_the_optimal_bound(p, q, r, s, level, exp_eps):
    pairs = list(zip(p, q, strict=True)), list(zip(r, s, strict=True))
    orders = [*pairs, *([(b, a) for a, b in pair] for pair in pairs)]
    delta = max(divergence(pair, level) for pair in orders)
    assert divergence(times(*pairs), exp_eps) <= composed_delta(2, level, delta, exp_eps)


def test_different_levels_lose_what_their_answers_do():
    levels = [(Fraction(2), Fraction(1, 9)), (Fraction(3, 2), Fraction(0)), (Fraction(1), Fraction(1, 5))]
    whole = xdp.ShuffleProtocol(dominating_response(*levels), 1).privacy_profile()
    parts = [xdp.ShuffleProtocol(dominating_response(level), 1).privacy_profile() for level in levels]
    for exp_eps in LEVELS:
        bound = losses_delta(levels, exp_eps)
        assert whole.delta(exp_eps=exp_eps) == bound == xdp.compose(*parts).delta(exp_eps=exp_eps)
        assert losses_delta([(Fraction(2), Fraction(1, 9))] * 3, exp_eps) == composed_delta(
            3, Fraction(2), Fraction(1, 9), exp_eps
        )


@given(laws(4), laws(4), st.sampled_from(LEVELS[1:]), st.integers(1, 3), st.integers(1, 2))
@settings(max_examples=25)
def test_runs_lose_no_more_than_renyi_divergences_allow(p, q, exp_eps, h, runs):
    q = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    one = list(zip(p, q, strict=True))
    moment = sum((a * (a / b) ** h for a, b in one if a), Fraction(0))
    bound = Fraction(h**h, (h + 1) ** (h + 1)) * moment**runs / exp_eps**h
    assert divergence(one if runs == 1 else times(one, one), exp_eps) <= bound


@given(laws(4), laws(4), st.sampled_from(LEVELS[1:]), st.integers(1, 3))
@settings(max_examples=25)
def test_the_moments_of_a_pure_pair_are_below_those_of_randomized_response(p, q, level, h):
    """Two laws mixed with a uniform one until they are pure at the level."""
    share = Fraction(level - 1, level + 3)
    pair = [(share * a + (1 - share) / 4, share * b + (1 - share) / 4) for a, b in zip(p, q, strict=True)]
    assert divergence(pair, level) == 0 == divergence([(b, a) for a, b in pair], level)
    moment = sum(a * (a / b) ** h for a, b in pair)
    assert moment <= (level ** (h + 1) + Fraction(1) / level**h) / (level + 1)


@pytest.mark.parametrize("runs", [1, 5, 60])
@pytest.mark.parametrize("slack", [Fraction(1, 10), Fraction(1, 10**6)])
def test_the_closed_form_is_above_the_optimal_bound(runs, slack):
    level = Fraction(5, 4)
    assert composed_delta(runs, level, Fraction(0), advanced_level(runs, level, slack)) <= slack
    delta = Fraction(1, 50)
    whole = 1 - (1 - delta) ** runs * (1 - slack)
    assert composed_delta(runs, level, delta, advanced_level(runs, level, slack)) <= whole <= runs * delta + slack


@pytest.mark.parametrize("noise", [xdp.Binomial(6, "1/3"), xdp.DiscreteLaplace(2), xdp.Geometric("1/2")], ids=str)
def test_a_group_loses_no_more_than_its_bound(noise):
    level = Fraction(3, 2)
    one = xdp.shift_profile(noise, shift=1).delta(exp_eps=level)
    for k in (1, 2, 3):
        group = xdp.shift_profile(noise, shift=k).delta(exp_eps=level**k)
        assert group <= one * (level**k - 1) / (level - 1)


def test_a_group_of_two_loses_all_of_its_bound():
    noise = xdp.Binomial(2, HALF)
    one, two = (xdp.shift_profile(noise, shift=k).delta(exp_eps=2**k) for k in (1, 2))
    assert (one, two) == (Fraction(1, 4), Fraction(1, 4) * (1 + 2))


@given(laws(), laws(), laws(), laws(), st.sampled_from([Fraction(0), *LEVELS]), st.integers(0, 4))
@settings(max_examples=25)
def test_a_mixture_is_no_worse_than_the_mean_and_the_worst(p, q, r, s, exp_eps, quarters):
    t = Fraction(quarters, 4)
    first, second = list(zip(p, q, strict=True)), list(zip(r, s, strict=True))
    mixed = [(t * a + (1 - t) * c, t * b + (1 - t) * d) for (a, b), (c, d) in zip(first, second, strict=True)]
    ends = divergence(first, exp_eps), divergence(second, exp_eps)
    assert divergence(mixed, exp_eps) <= t * ends[0] + (1 - t) * ends[1] <= max(ends)


# Two shuffled rounds of two users: the second round's randomizer depends on what the first one showed.


def view(table, dataset):
    """The law of the multiset of the messages, one for each user."""
    law = {}
    for drawn in product(*(table[x].items() for x in dataset)):
        shown, chance = tuple(sorted(m for m, _ in drawn)), Fraction(1)
        for _, p in drawn:
            chance *= p
        law[shown] = law.get(shown, Fraction(0)) + chance
    return law


def response(level):
    right = level / (1 + level)
    return {x: {x: right, 1 - x: 1 - right} for x in (0, 1)}


def uneven(level):
    """A bit 1 is told now and then."""
    return {0: {0: 1, 1: Fraction(0)}, 1: {0: 1 / level, 1: 1 - 1 / level}}


def neighbors():
    pairs = [((x, other), (y, other)) for x, y, other in product((0, 1), repeat=3) if x != y]
    return pairs + [(xs[::-1], ys[::-1]) for xs, ys in pairs]


def aligned(first, second):
    return [(first.get(shown, Fraction(0)), second.get(shown, Fraction(0))) for shown in first | second]


def curve(tables, exp_eps):
    """The largest divergence of all ordered pairs of neighbours, and of all randomizers that may be chosen."""
    pairs = [aligned(view(table, xs), view(table, ys)) for table in tables for xs, ys in neighbors()]
    return max(divergence(pair, exp_eps) for pair in pairs)


def two_rounds(choice, dataset):
    first = view(response(Fraction(2)), dataset)
    return {(shown, then): p * q for shown, p in first.items() for then, q in view(choice(shown), dataset).items()}


def test_two_adaptive_rounds_lose_no_more_than_the_product_of_their_chords():
    options = [response(Fraction(3)), uneven(Fraction(4, 3))]
    measures = []
    for tables in ([response(Fraction(2))], options):
        known = [Point(exp_eps, Fraction(0), curve(tables, exp_eps)) for exp_eps in LEVELS]
        measures.append(masses_above(both_sides(known, known)))
        for exp_eps in (Fraction(0), Fraction(1, 5), HALF, Fraction(11, 10), Fraction(4), Fraction(9)):
            assert divergence(measures[-1], exp_eps) >= curve(tables, exp_eps)
    bound = times(*measures)
    for choices in product(options, repeat=3):
        chosen = dict(zip([(0, 0), (0, 1), (1, 1)], choices, strict=True))
        for (xs, ys), exp_eps in product(neighbors(), (HALF, Fraction(1), Fraction(2), Fraction(5))):
            lost = divergence(aligned(two_rounds(chosen.get, xs), two_rounds(chosen.get, ys)), exp_eps)
            assert lost <= divergence(bound, exp_eps)


def blanket_bound(table, x, y, n, exp_eps):
    """The bound of the least of all rows: what it lacks to 1 has the value 0."""
    values = [(1 - sum(min(row[m] for row in table) for m in range(len(table))), Fraction(0))]
    for m in range(len(table)):
        c = min(row[m] for row in table)
        values.append((c, (table[x][m] - exp_eps * table[y][m]) / c))
    total = Fraction(0)
    for drawn in product(values, repeat=n):
        chance = Fraction(1)
        for p, _ in drawn:
            chance *= p
        total += chance * max(Fraction(0), sum(value for _, value in drawn))
    return total / n


def test_three_rounds_under_a_blanket_lose_no_more_than_its_chords():
    """Ternary response, e^eps0 = 4, three users: chords of the blanket against the exact rounds, composed."""
    n, level = 3, Fraction(4)
    table = [[Fraction(level if x == m else 1, level + 2) for m in range(3)] for x in range(3)]
    grid = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4)]
    known = [Point(exp_eps, Fraction(0), blanket_bound(table, 0, 1, n, exp_eps)) for exp_eps in grid]
    measure = masses_above(both_sides(known, known))
    randomizer = xdp.Randomizer({x: {(m,): table[x][m] for m in range(3)} for x in range(3)})
    profile = xdp.ShuffleProtocol(randomizer, n).privacy_profile()
    for exp_eps in (Fraction(1), Fraction(7, 4), Fraction(5, 2)):
        assert profile.delta(exp_eps=exp_eps) <= divergence(measure, exp_eps)
        composed = profile.compose(3).delta(exp_eps=exp_eps)
        assert composed.lo <= divergence(times(times(measure, measure), measure), exp_eps)


def test_a_polygon_below_one_run_is_below_three():
    """One pair of data sets: points of both orders, and three runs of it."""
    one = aligned(view(response(Fraction(3)), (0, 0)), view(response(Fraction(3)), (1, 0)))
    orders = (one, [(q, p) for p, q in one])
    above, backward = ([Point(e, *[divergence(pair, e)] * 2) for e in LEVELS] for pair in orders)
    below = masses_below(both_sides(above, backward), Fraction(0))
    for exp_eps in (Fraction(1, 3), HALF, Fraction(1), Fraction(3, 2), Fraction(4)):
        assert divergence(below, exp_eps) <= divergence(one, exp_eps)
        three = divergence(times(times(below, below), below), exp_eps)
        assert three <= divergence(times(times(one, one), one), exp_eps)
        assert exp_eps > Fraction(3, 2) or three > 0
