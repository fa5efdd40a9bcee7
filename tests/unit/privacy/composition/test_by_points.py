"""Runs of which points of a profile are all that is known, against exact products of real pairs of data sets."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from random import Random

import pytest

import exactdp as xdp
from exactdp.errors import InvalidValueError
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification, HomogeneousPair, best_homogeneous
from exactdp.privacy.composition import profile_pairs
from exactdp.privacy.composition.heuristics import is_worth_more
from exactdp.privacy.planner import ShufflePairs
from tests.expensive import recorded
from tests.thinned import thinned

F = Fraction
Law = dict[tuple[str, ...], Fraction]
Pair = list[tuple[Fraction, Fraction]]
SEEDS = (5, 12, 14, 23)


@pytest.fixture(autouse=True)
def _few_points(monkeypatch):
    monkeypatch.setattr(profile_pairs, "_MOST_POINTS", 40)


ONE_MESSAGE = [[("a",), ("b",)], [("a",), ("b",), ("c",)]]
TWO_MESSAGES = [[("a", "a"), ("a", "b"), ("b", "b")]]


def random_rows(random: Random, sent) -> dict[int, dict[tuple[str, ...], Fraction]]:
    """Two or three inputs, and messages of which some may be missing."""
    sends, rows = random.choice(sent), {}
    for x in range(random.choice([2, 3])):
        weights = [random.choice([0, 1, 2, 3, random.randint(1, 20)]) for _ in sends]
        weights[random.randrange(len(sends))] += 1
        rows[x] = {send: F(w, sum(weights)) for send, w in zip(sends, weights, strict=True) if w}
    return rows if any(row != rows[0] for row in rows.values()) else random_rows(random, sent)


def view(rows, users: tuple[int, ...]) -> Law:
    """The law of all messages, sorted, by all choices of the users."""
    law: Law = {(): F(1)}
    for user in users:
        grown: Law = {}
        for sent, mass in law.items():
            for more, chance in rows[user].items():
                key = tuple(sorted(sent + more))
                grown[key] = grown.get(key, F(0)) + mass * chance
        law = grown
    return law


def all_pairs(rows, users: int) -> list[Pair]:
    pairs = []
    for others in combinations_with_replacement(rows, users - 1):
        views = {x: view(rows, (x, *others)) for x in rows}
        for x, y in permutations(rows, 2):
            pairs.append([(views[x].get(o, F(0)), views[y].get(o, F(0))) for o in {*views[x], *views[y]}])
    return pairs


def best_strategy(pairs: list[Pair], runs: int, level: Fraction) -> Fraction:
    """The largest divergence where each run's pair is chosen after seeing the runs before."""
    if runs == 0:
        return max(F(0), 1 - level)
    return max(
        sum((p if not q else p * best_strategy(pairs, runs - 1, level * q / p) for p, q in pair if p), F(0))
        for pair in pairs
    )


def of_both_ends(rows, users: int) -> xdp.PrivacyProfile:
    """The profile of which only both ends are known."""
    profile = xdp.PrivacyProfile(ShufflePairs(xdp.Randomizer(rows), users, xdp.Neighbors.REPLACE_ONE, limit=0))
    assert profile.engine == "amplification"
    return profile


def checked(seed: int, sent=ONE_MESSAGE) -> xdp.Interval:
    """Some runs: the upper end is at least the best strategy, the lower end at most the best pair in all of them."""
    random = Random(seed)
    rows, users = random_rows(random, sent), random.choice([1, 2, 3])
    runs = 3 if users == 1 else 2
    level = random.choice([F(1), F(5, 4), F(2), F(4)])
    pairs = all_pairs(rows, users)
    same = max(best_strategy([pair], runs, level) for pair in pairs)
    found = of_both_ends(rows, users).compose(runs).delta(exp_eps=level, relative_width="1/20")
    assert isinstance(found, xdp.Interval)
    assert found.lo <= same, (seed, found, same)
    assert best_strategy(pairs, runs, level) <= found.hi, (seed, found)
    return found


@pytest.mark.parametrize("seed", thinned(SEEDS, every=4))
def test_two_runs_of_small_tables_are_between_the_ends(seed):
    ends = checked(seed)
    assert ends.hi - ends.lo < ends.hi / 5


def test_two_runs_of_users_with_two_messages_are_between_the_ends():
    assert any(checked(seed, TWO_MESSAGES).lo > 0 for seed in range(3))


def divergence(masses, ratio: Fraction) -> Fraction:
    return sum((max(F(0), p - ratio * q) for p, q in masses), F(0))


@pytest.mark.parametrize("sent", thinned([ONE_MESSAGE, TWO_MESSAGES], every=2))
def test_pairs_of_rough_points_are_on_their_sides_of_real_ones(sent):
    """Of values to 4 bits and events at 5 points, below both orders of one pair and above those of all, at every E."""
    for seed in range(4):
        rows = random_rows(Random(seed), sent)
        source = of_both_ends(rows, 3).source
        pair, points = best_homogeneous(source.amplifications(), F(3, 2)), profile_pairs.Grid(F(1, 4), 5, 4)
        above = profile_pairs.dominating_pair(source, points).masses
        for one in (pair, pair.reversed()):
            sides = one.engine.data_sets(one.candidate)
            first, second = (
                view(rows, [x for x, users in zip(rows, side, strict=True) for _ in range(users)]) for side in sides
            )
            real = [(first.get(sent, F(0)), second.get(sent, F(0))) for sent in {*first, *second}]
            below = profile_pairs.polygon_of(one, points).masses
            for ratio in (F(i, 8) for i in range(40)):
                assert divergence(below, ratio) <= divergence(real, ratio) <= divergence(above, ratio)
                assert divergence(below, ratio) >= divergence(real, ratio) - F(1, 4)


@pytest.mark.parametrize("noise_first", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_runs_beside_noise_are_between_the_ends(noise_first):
    """Two runs of a table and one of noise: the upper end is above the best strategy, the lower above noise alone."""
    rows, level, noise = random_rows(Random(5), ONE_MESSAGE), F(2), xdp.shift_profile(xdp.DiscreteLaplace(3))
    laplace = [(F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))]
    best = sum((p * best_strategy(all_pairs(rows, 2), 2, level * q / p) for p, q in laplace), F(0))
    alone = noise.delta(exp_eps=level)
    mixed = of_both_ends(rows, 2).compose(2), noise
    ends = xdp.compose(*(reversed(mixed) if noise_first else mixed)).bracket(exp_eps=level, relative_width="1/20")
    assert alone < ends.lower.lo <= best <= ends.upper.hi
    assert (ends.attained_by, ends.is_closed) == ("some of the neighbouring data sets that were tried", False)


def test_the_pair_of_a_lower_end_is_named():
    """Two runs of it are between the ends too, at any E; and there is none for a lower end of 0."""
    rows = {0: {("a",): F(3, 4), ("b",): F(1, 4)}, 1: {("a",): F(1, 3), ("b",): F(2, 3)}}
    runs = of_both_ends(rows, 3).compose(2)
    named = runs.bracket(exp_eps=F(3, 2), relative_width="1/20")
    assert named.attained_by == "the data sets 0=3 and 0=2,1=1 in all runs"
    assert named.theorem.endswith(
        "of one run: the swap bound, all others at their worst input (proved in "
        "exactdp.privacy.amplification.swap_bound), or where that is smaller the blanket of all rows "
        "(BalleBellGasconNissim2019, Theorem 5.1; kernel: blanket.blanket_bound)"
    )
    views = view(rows, (0, 0, 0)), view(rows, (0, 0, 1))
    pair = [(views[0][sent], views[1][sent]) for sent in views[0]]
    for level in (F(1), F(3, 2), F(3)):
        ends = runs.bracket(exp_eps=level, relative_width="1/20")
        assert ends.lower.lo * F(9, 10) < best_strategy([pair], 2, level) <= ends.upper.hi
        assert (ends.attained_by is None) == (ends.lower.lo == 0)
    none = runs.bracket(exp_eps=10**4)
    assert (none.upper.hi, none.attained_by) == (0, None)


@pytest.mark.slow
def test_runs_of_many_tables_are_between_the_ends():
    for seed in recorded(range(100, 400)):
        checked(seed, ONE_MESSAGE if seed % 3 else TWO_MESSAGES)


def test_a_lower_end_from_no_real_pair_is_noticed(monkeypatch):
    """The bound by the blanket, taken for the divergence of a pair of data sets."""
    monkeypatch.setattr(HomogeneousPair, "divergence", lambda pair, level, _: pair.engine.upper_end(Real(level), 16)[0])
    with pytest.raises(AssertionError):
        list(map(checked, range(30, 34)))


def test_an_upper_end_from_one_pair_is_noticed(monkeypatch):
    monkeypatch.setattr(Amplification, "upper_bound", lambda one, level, _: one.lower_end(Real(level), 16)[0].lower)
    with pytest.raises((AssertionError, InvalidValueError)):
        list(map(checked, range(40, 44)))


def test_more_points_are_asked_for_while_they_help():
    def between(low: str, high: str) -> Interval:
        return Interval(Dyadic.below(F(low), 60), Dyadic.above(F(high), 60))

    assert is_worth_more(between("0", "1"), between("1e-6", "1e-5"), F("1/1000"))
    assert is_worth_more(between("1e-6", "2e-6"), between("1.3e-6", "1.7e-6"), F("1/1000"))
    assert not is_worth_more(between("1e-7", "1.01e-6"), between("1.01e-7", "1e-6"), F("1/1000"))
    assert not is_worth_more(between("1e-6", "1.0004e-6"), between("1e-6", "1.0001e-6"), F("1/1000"))
    assert is_worth_more(between("0", "2e-6"), between("0", "1e-6"), F("1/1000"))
    assert not is_worth_more(between("0", "1e-6"), between("0", "0.9999e-6"), F("1/1000"))
