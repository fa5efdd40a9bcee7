"""From the definition of a profile to the ordered pairs that are composed, against sums over all outcomes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, permutations, product
from math import exp, log

import pytest

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.privacy.composition import mechanisms, profile_pairs
from exactdp.privacy.composition.law_pairs import FinitePair, WindowPair
from exactdp.privacy.composition.mechanisms import DominatedByPairs, mechanisms_of
from exactdp.privacy.composition.profile_pairs import Fineness, Grid, level_near
from exactdp.privacy.planner import engine_of
from exactdp.privacy.shuffle.view_law import view_law

LEVELS = [Fraction(i, 7) for i in (1, 3, 7, 8, 10, 14, 20, 30, 70, 7**4)]
HALF = Fraction(1, 2)


def value(pair: FinitePair, exp_eps: Fraction) -> Fraction:
    """H_E of a pair by its classes."""
    rows = [*pair.classes, (pair.infinite, 0)]
    return sum((max(Fraction(0), p - exp_eps * q) for p, q in rows), Fraction(0)) / pair.total


def divergence(first: dict, second: dict, exp_eps: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - exp_eps * second.get(y, 0)) for y, p in first.items()), Fraction(0))


# --- noise ---


def laplace(ratio: Fraction, reach: int) -> dict[int, Fraction]:
    """Weights proportional to ratio^-abs(t), what is beyond ``reach`` gathered there, where all ratios are alike."""
    a = 1 / ratio
    law = {t: (1 - a) / (1 + a) * a ** abs(t) for t in range(-reach + 1, reach)}
    return {-reach: a**reach / (1 + a), **law, reach: a**reach / (1 + a)}


def shifted_laplace(ratio: Fraction, reach: int, shift: int) -> dict[int, Fraction]:
    """The same law moved up, gathered at the same places."""
    a = 1 / ratio
    law = {t: (1 - a) / (1 + a) * a ** abs(t - shift) for t in range(-reach + 1, reach)}
    return {-reach: a ** (reach + shift) / (1 + a), **law, reach: a ** (reach - shift) / (1 + a)}


@pytest.mark.parametrize("shift", [1, 2, 3, 5])
@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(4)])
def test_discrete_laplace_noise_against_its_outcomes(ratio, shift):
    law, moved = laplace(ratio, 12), shifted_laplace(ratio, 12, shift)
    (found,) = mechanisms_of(xdp.shift_profile(xdp.DiscreteLaplace(ratio), shift=shift).source)
    assert isinstance(found, DominatedByPairs)
    (pair,) = found.pairs
    for exp_eps in LEVELS:
        assert value(pair, exp_eps) == divergence(law, moved, exp_eps) == divergence(moved, law, exp_eps)


@pytest.mark.parametrize("shift", [1, 2, 4])
def test_geometric_noise_against_its_outcomes(shift):
    p, reach = Fraction(2, 3), 15
    law = {t: (1 - p) * p**t for t in range(reach)} | {reach: p**reach}
    moved = {t + shift: (1 - p) * p**t for t in range(reach - shift)} | {reach: p ** (reach - shift)}
    found = mechanisms._orders(xdp.Geometric(p), shift)
    for exp_eps in LEVELS:
        assert [value(pair, exp_eps) for pair in found] == [
            divergence(law, moved, exp_eps),
            divergence(moved, law, exp_eps),
        ]


@pytest.mark.parametrize(
    ("law", "top"),
    [
        (xdp.Binomial(500, "1/2"), 500),
        (xdp.Binomial(500, "1/3"), 500),
        (xdp.BinomialSum(300, "1/2", 250, "1/2"), 550),
        (xdp.BinomialSum(300, "1/4", 300, "3/4"), 600),
        (xdp.BinomialSum(300, "1/4", 300, "1/4"), 600),
        (xdp.BinomialSum(300, "1/4", 301, "3/4"), 601),
        (xdp.BinomialSum(300, "1/2", 300, "1/3"), 600),
        (xdp.BinomialSum(300, "1/3", 300, "1/2"), 600),
    ],
)
def test_one_order_stands_for_both_where_a_reflection_maps_one_to_the_other(law, top):
    """Whether w(t) is w(top - t), at a few places: both orders are needed where it is not."""
    mirrors = all(law.exact_pmf(t) == law.exact_pmf(top - t) for t in range(200, 302, 17))
    (found,) = mechanisms_of(xdp.shift_profile(law, shift=2).source)
    orders = {pair.backward for pair in found.pairs if isinstance(pair, WindowPair) and pair.shift == 2}
    assert orders == ({False} if mirrors else {False, True})
    assert xdp.shift_profile(law, shift=2).compose(2).is_tight == mirrors


@pytest.mark.parametrize("law", [xdp.Binomial(30, "1/3"), xdp.BinomialSum(500, 1, 15, "1/3")])
def test_short_noise_is_listed_whole(law):
    low, high = law.low, law.high
    weights = {t: law.exact_pmf(t) for t in range(low, high + 1)}
    moved = {t + 3: p for t, p in weights.items()}
    (found,) = mechanisms_of(xdp.shift_profile(law, shift=3).source)
    for exp_eps in LEVELS:
        truth = max(divergence(weights, moved, exp_eps), divergence(moved, weights, exp_eps))
        assert max(value(pair, exp_eps) for pair in found.pairs) == truth


def test_two_bins_are_both_orders_of_one():
    noise = xdp.Law({0: "1/2", 1: "1/3", 4: "1/6"})
    found = mechanisms_of(xdp.AdditiveProtocol(noise, bins=2).privacy_profile().source)
    law = {0: HALF, 1: Fraction(1, 3), 4: Fraction(1, 6)}
    moved = {t + 1: p for t, p in law.items()}
    for exp_eps in LEVELS:
        assert [value(*each.pairs, exp_eps) for each in found] == [
            divergence(law, moved, exp_eps),
            divergence(moved, law, exp_eps),
        ]


def test_noise_of_too_many_shifts_is_refused_before_they_are_compared():
    noise = xdp.Law({t: Fraction(1, 500) for t in range(500)})
    with pytest.raises(OverflowError, match=r"401 shifts of 500 outcomes are more than the limit of 200000 together"):
        xdp.shift_profile(noise, shift=401).compose(2)
    assert xdp.shift_profile(xdp.Law({0: HALF, 1: HALF}), shift=450).compose(2).delta(exp_eps=2) == 1


# --- shuffled views ---

ROWS = {
    "a": {("x",): "1/2", ("y",): "1/2"},
    "b": {("x",): "1/8", ("y",): "7/8"},
    "c": {("x",): "1/4", ("y",): "5/8", ("z",): "1/8"},
}


def view(data_set: tuple[str, ...]) -> dict[tuple[str, ...], Fraction]:
    """The law of the sorted messages of some users, one message each, by all their choices."""
    law = {(): Fraction(1)}
    for user in data_set:
        grown: dict[tuple[str, ...], Fraction] = {}
        for sent, mass in law.items():
            for message, chance in ROWS[user].items():
                key = tuple(sorted(sent + message))
                grown[key] = grown.get(key, Fraction(0)) + mass * Fraction(chance)
        law = grown
    return law


def neighbours(inputs: str, users: int, neighbors: xdp.Neighbors) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    others = list(combinations_with_replacement(inputs, users - 1))
    if neighbors is xdp.Neighbors.REPLACE_ONE:
        return [((x, *rest), (y, *rest)) for rest in others for x, y in permutations(inputs, 2)]
    one = [((x, *rest), rest) for rest in others for x in inputs]
    return one + [(q, p) for p, q in one]


@pytest.mark.parametrize(("inputs", "users"), [("ab", 1), ("ab", 2), ("ab", 3), ("abc", 1), ("abc", 2)])
def test_the_listed_pairs_of_data_sets_are_worst_at_every_level(inputs, users):
    profile = xdp.ShuffleProtocol(xdp.Randomizer({i: ROWS[i] for i in inputs}), users).privacy_profile()
    (found,) = mechanisms_of(profile.source)
    assert isinstance(found, DominatedByPairs)
    views = [(view(p), view(q)) for p, q in neighbours(inputs, users, xdp.Neighbors.REPLACE_ONE)]
    for exp_eps in LEVELS:
        truth = max(divergence(p, q, exp_eps) for p, q in views)
        assert max(value(pair, exp_eps) for pair in found.pairs) == truth
    for kept in found.pairs:  # none is needed beside another
        others = [pair for pair in found.pairs if pair != kept]
        assert not any(all(value(other, e) >= value(kept, e) for e in ratios(kept, other)) for other in others)


def ratios(*pairs: FinitePair) -> list[Fraction]:
    """Where divergences bend; and beyond, where they are constant."""
    return [*{Fraction(p, q) for pair in pairs for p, q in pair.classes}, Fraction(10**9)]


def test_both_relations_of_one_randomizer_that_may_send_nothing():
    rows = {"a": {("x",): HALF, (): HALF}, "b": {("x",): Fraction(1, 4), (): Fraction(3, 4)}}
    for neighbors in xdp.Neighbors:
        profile = xdp.ShuffleProtocol(xdp.Randomizer(rows), 3).privacy_profile(neighbors=neighbors)
        (found,) = mechanisms_of(profile.source)
        for exp_eps in (Fraction(1), Fraction(3, 2), Fraction(4), Fraction(100)):
            assert max(value(pair, exp_eps) for pair in found.pairs) == engine_of(profile.source).delta(exp_eps)


@pytest.mark.parametrize("p", [Fraction(1, 4), HALF])
def test_two_inputs_on_one_data_set_are_exact_and_mixtures_of_them_where_one_order_is_enough(p):
    """Where a third input is a mixture of two, its runs are a mixture of products of both orders."""
    low, high = {(): 1 - p, ("1",): p}, {("1",): 1 - p, ("1", "1"): p}
    mixed = {(): (1 - p) / 2, ("1",): HALF, ("1", "1"): p / 2}
    two, three = (
        xdp.ShuffleProtocol(xdp.Randomizer(rows), 2).privacy_profile().compose(2, notion="same data")
        for rows in ({0: low, 1: high}, {0: low, 1: high, 2: mixed})
    )
    counts = [{len(sent): p for sent, p in row.items()} for row in (low, high, mixed)]

    def twice(*inputs: int) -> dict[tuple[int, int], Fraction]:
        law: dict[int, Fraction] = {}
        for x, p in counts[inputs[0]].items():
            for y, q in counts[inputs[1]].items():
                law[x + y] = law.get(x + y, Fraction(0)) + p * q
        return {(x, y): p * q for x, p in law.items() for y, q in law.items()}

    def worst(inputs: int, exp_eps: Fraction) -> Fraction:
        changes = [(i, j, k) for i in range(inputs) for j, k in permutations(range(inputs), 2)]
        return max(divergence(twice(i, j), twice(i, k), exp_eps) for i, j, k in changes)

    assert two.is_exact
    assert three.is_tight == three.is_exact == (p == HALF)
    for exp_eps in (Fraction(1), Fraction(3, 2), Fraction(4)):
        assert two.delta(exp_eps=exp_eps) == worst(2, exp_eps)
        found = three.delta(exp_eps=exp_eps)
        assert worst(3, exp_eps) == found if three.is_exact else worst(3, exp_eps) in found


VARYING = {"a": {("x",): HALF, (): HALF}, "b": {("x", "y"): HALF, ("y",): HALF}}


@pytest.mark.parametrize("neighbors", list(xdp.Neighbors))
@pytest.mark.parametrize("users", [1, 2, 4])
def test_pairs_and_outcomes_are_counted_before_they_are_listed(users, neighbors):
    for rows in (ROWS, {i: ROWS[i] for i in "ab"}, VARYING):
        source = xdp.ShuffleProtocol(xdp.Randomizer(rows), users).privacy_profile(neighbors=neighbors).source
        sides = list(source.all_pairs())
        assert len({*sides, *(pair[::-1] for pair in sides)}) == 2 * len(sides) == source.ordered_pairs
        sent = {view_law(source.randomizer, data_set).support for pair in sides for data_set in pair}
        most = max(sum(outcome) for support in sent for outcome in support)
        bound, messages = source.outcomes, len(source.randomizer.alphabet)
        listed = [c for c in product(range(most + 1), repeat=messages) if sum(c) <= most]
        if rows is VARYING:
            assert bound == len(listed)
        else:
            assert bound == sum(1 for c in listed if sum(c) == users)
        assert bound >= max(map(len, sent))


def test_equal_laws_are_never_apart():
    same = xdp.ShuffleProtocol(xdp.Randomizer({"a": {("x",): 1}, "b": {("x",): 1}}), 4).privacy_profile()
    assert same.compose(3).delta(exp_eps=1) == 0
    (found,) = mechanisms_of(same.source)
    assert [value(pair, Fraction(1, 3)) for pair in found.pairs] == [Fraction(2, 3)]
    alone = xdp.ShuffleProtocol(xdp.Randomizer({"a": {("x",): 1}}), 4).privacy_profile()
    assert mechanisms_of(alone.source) == (DominatedByPairs((FinitePair(((1, 1),), 0, 1),)),)


# --- from the profile alone ---


TELLING = {"a": {("x",): HALF, ("y",): HALF}, "b": {("x",): HALF, ("y",): Fraction(1, 4), ("z",): Fraction(1, 4)}}


@pytest.mark.parametrize(
    ("randomizer", "users", "points"),
    [
        (xdp.randomized_response(2, gamma="1/2"), 3, 4),
        (xdp.randomized_response(2, gamma="1/2"), 40, 6),
        (xdp.Randomizer(TELLING), 1, 3),
        (xdp.Randomizer(TELLING), 3, 9),
    ],
)
def test_the_pair_of_a_profile_touches_it_at_its_points(randomizer, users, points):
    """It has the mass of two laws, and at every point, and at its inverse, the divergence that the profile has."""
    source = xdp.ShuffleProtocol(randomizer, users).privacy_profile().source
    last = profile_pairs.last_eps(source)
    masses = profile_pairs.dominating_pair(source, Grid(last / points, points, 96)).masses
    assert all(p >= 0 <= q for p, q in masses)
    for side in (0, 1):
        assert 0 <= sum(mass[side] for mass in masses) - 1 + (masses[-1][0] if side else 0) < Fraction(1, 2**80)
    for i in range(points + 1):
        level = level_near(last * Fraction(i, points))
        for exp_eps in (level, 1 / level):
            made = sum((max(Fraction(0), p - exp_eps * q) for p, q in masses), Fraction(0))
            worst = (
                engine_of(source).delta(level)
                if exp_eps >= 1
                else 1 - exp_eps + exp_eps * engine_of(source).delta(level)
            )
            assert worst <= made <= worst * (1 + Fraction(1, 2**70)) + Fraction(1, 2**90)


def test_a_value_of_a_profile_is_never_below_it():
    source = xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/7"), 4).privacy_profile().source
    for exp_eps in (Fraction(1), Fraction(9, 7), Fraction(12, 7), Fraction(10, 3)):
        exact, found = engine_of(source).delta(exp_eps), profile_pairs.value_above(source, exp_eps, 96)
        assert exact <= found <= exact * (1 + Fraction(1, 2**80))
    wide = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/3"), 200).privacy_profile().source
    ball = engine_of(wide).enclosed(Real(Fraction(3, 2)), 400)
    assert ball is not None
    assert (
        ball.delta.hi <= profile_pairs.value_above(wide, Fraction(3, 2), 96) <= ball.delta.hi * (1 + Fraction(1, 2**80))
    )


def test_levels_are_near_the_exponential():
    assert level_near(Fraction(0)) == 1
    for eps in (Fraction(1, 100), Fraction(1), Fraction(9)):
        interval = xdp.shift_profile(xdp.DiscreteLaplace(Real.exp(eps)))
        near = xdp.LogRational(level_near(eps)).enclose(60)
        assert abs(near.lo - eps) < Fraction(1, 2**36), interval


def test_the_pairs_that_bound_from_below_are_worst_where_they_are_asked_for():
    source = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 40).privacy_profile().source
    for exp_eps in (Fraction(1), Fraction(3, 2)):
        real = profile_pairs.worst_pairs(source, exp_eps)
        assert max(value(pair, exp_eps) for pair in real) == engine_of(source).delta(exp_eps)
        assert len(real) == 2
    long = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 10**4).privacy_profile().source
    assert profile_pairs.worst_pairs(long, Fraction(3, 2)) == ()


def test_the_points_of_a_profile_reach_its_end():
    source = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 40).privacy_profile().source
    last, limit = profile_pairs.last_eps(source), profile_pairs.value_above(source, Fraction(10**9), 96)
    least = limit * Fraction(1001, 1000) + Fraction(1, 2**190)
    assert profile_pairs.value_above(source, level_near(last), 96) <= least
    assert profile_pairs.value_above(source, level_near(last / 4), 96) > least
    for step, little in ((last / 8, 200), (last / 128, 200), (last / 64, 20)):
        found = profile_pairs.grid(source, Fineness(step, little, ()))
        assert found.step == step
        end, before = (profile_pairs.rough_value(source, level_near(i * step)) for i in (found.count, found.count - 1))
        assert end <= limit * Fraction(1001, 1000) + Fraction(1, 2**little) < before
    assert profile_pairs.grid(source, Fineness(last / 64, 2, ())).count == 1
    many = profile_pairs.grid(source, Fineness(last / 10**6, 200, ()))
    assert many.is_finest
    assert profile_pairs._MOST_POINTS / 4 <= many.count <= profile_pairs._MOST_POINTS
    assert profile_pairs.grid(source, Fineness(10 * last, 200, ())).count == 1


@pytest.mark.parametrize(("floor", "last", "falls"), [("1e-11", "1/2", (8,)), ("1e-5", "8", ()), ("0", "1/2", ())])
def test_the_points_of_a_flat_profile_end_where_it_has_fallen(monkeypatch, floor, last, falls):
    """A normal law of deviation 1/25, and a charge that is smaller from e^7 on."""

    def rough(source, level):
        eps, charge = log(level), Fraction(floor)
        return Fraction(exp(-((25 * eps) ** 2) / 2)) + (charge if eps < 7 else charge / 1000)

    source = object()
    monkeypatch.setattr(profile_pairs, "rough_value", rough)
    monkeypatch.setattr(profile_pairs, "_limit", lambda source: Fraction(floor) / 1000)
    found = profile_pairs.grid(source, Fineness(Fraction(1, 256), 60, (Fraction(1, 64),), thins=True))
    assert profile_pairs.last_eps(source, 60) == Fraction(last)
    assert found.far == falls
    assert found.levels == sorted(found.levels)
    assert found.step == (Fraction(1, 256) if Fraction(last) < 1 else Fraction(1, 32))


def test_points_are_fewer_where_the_profile_has_fallen_and_a_finer_step_keeps_them():
    source = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 4000).privacy_profile().source
    asked = Fineness(Fraction(1, 512), 60, (Fraction(1, 64),), thins=True)
    thin, even = profile_pairs.grid(source, asked), profile_pairs.grid(source, replace(asked, thins=False))
    assert (thin.step, thin.count, even.knees) == (even.step, even.count, ())
    assert len(thin.levels) < len(even.levels) / 2
    assert set(thin.levels[:-1]) <= set(even.levels)
    assert thin.levels[-1] >= even.levels[-1]
    places = [round(512 * log(level)) for level in thin.levels]
    strides = [after - before for before, after in pairwise(places)]
    assert strides[0] == 1
    assert all(after % before == 0 for before, after in pairwise(strides))
    assert all(place % stride == 0 for place, stride in zip(places, strides, strict=False))
    fine = profile_pairs.Grid(thin.step / 2, 2 * thin.count, thin.bits, tuple(2 * knee for knee in thin.knees))
    assert set(thin.levels[:-1]) <= set(fine.levels)
    pair = profile_pairs.dominating_pair(source, thin)
    for level in even.levels:
        assert (
            sum(max(Fraction(0), p - level * q) for p, q in pair.masses)
            >= engine_of(source).bracket(Real(level), 64).delta.lo
        )
