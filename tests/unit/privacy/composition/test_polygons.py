"""Pairs above and below a divergence of which points are known, against the divergence itself, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from exactdp.privacy.composition import profile_pairs
from exactdp.privacy.composition.profile_pairs import Point, both_sides, masses_above, masses_below, masses_of_events

F = Fraction
SEEDS = range(30)
Masses = list[tuple[Fraction, Fraction]]


def divergence(masses, ratio: Fraction) -> Fraction:
    return sum((max(F(0), p - ratio * q) for p, q in masses), F(0))


def random_pair(random: Random) -> Masses:
    sides = [[random.choice([0, 1, 2, 5, random.randint(1, 40)]) for _ in range(random.randint(2, 6))] + [1]]
    sides.append([random.choice([0, 1, 3, random.randint(1, 40)]) for _ in sides[0][1:]] + [1])
    return [(F(p, sum(sides[0])), F(q, sum(sides[1]))) for p, q in zip(*sides, strict=True)]


def known(masses: Masses, ratio: Fraction, random: Random, blur: Fraction) -> Point:
    value = divergence(masses, ratio)
    low, high = (blur * random.randint(0, 3) for _ in "lh")
    return Point(ratio, max(F(0), value * (1 - low)), value * (1 + high) + high / 9)


def points_of(masses: Masses, random: Random, blur: Fraction) -> list[Point]:
    ratios = sorted({F(1), *(1 + F(random.randint(1, 60), random.randint(1, 20)) for _ in range(random.randint(1, 9)))})
    swapped = [(q, p) for p, q in masses]
    return both_sides(*([known(side, ratio, random, blur) for ratio in ratios] for side in (masses, swapped)))


def limit(masses: Masses) -> Fraction:
    return sum((p for p, q in masses if not q), F(0))


def checked(seed: int) -> bool:
    """Whether both pairs are on their sides, everywhere; and that they are sub-laws with all of P."""
    random = Random(seed)
    masses = random_pair(random)
    points = points_of(masses, random, F(random.choice([0, 0, 1, 10]), 300))
    above, below = masses_above(points), masses_below(points, limit(masses))
    for made in (above, below):
        assert all(p >= 0 <= q for p, q in made)
        assert sum(p for p, _ in made) == 1 >= sum(q for _, q in made)
    grid = [F(i, 7) for i in range(36)] + [point.ratio for point in points] + [F(10**6)]
    return all(divergence(below, x) <= divergence(masses, x) <= divergence(above, x) for x in grid)


def test_both_pairs_are_on_their_sides_everywhere():
    assert all(map(checked, SEEDS))


@pytest.mark.slow
def test_both_pairs_of_many_are_on_their_sides():
    assert all(map(checked, range(1000, 2000)))


def perturbed(monkeypatch, name, change):
    original = getattr(profile_pairs, name)
    monkeypatch.setattr(profile_pairs, name, lambda *given: change(original, *given))
    return not all(map(checked, SEEDS))


def test_chords_drawn_on_with_ends_on_the_wrong_sides_are_noticed(monkeypatch):
    assert perturbed(monkeypatch, "_line", lambda line, near, far: line(near._replace(low=near.high), far))
    monkeypatch.undo()
    assert perturbed(monkeypatch, "_line", lambda line, near, far: line(near, far._replace(high=far.low)))


def test_chords_inside_instead_of_drawn_on_are_noticed(monkeypatch):
    """The chord between two points is an upper bound there."""
    monkeypatch.setattr(profile_pairs, "_between", lambda known, place: (known[place].ratio, known[place].low))
    monkeypatch.setattr(profile_pairs, "_hull", lambda corners: list(dict(corners).items()))
    with pytest.raises(AssertionError):
        assert all(map(checked, SEEDS))


def test_upper_points_from_below_are_noticed(monkeypatch):
    lowered = profile_pairs.masses_above
    monkeypatch.setitem(globals(), "masses_above", lambda points: lowered([p._replace(high=p.low) for p in points]))
    assert not all(map(checked, SEEDS))


def test_a_limit_that_is_too_large_is_noticed():
    masses = [(F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))]
    points = [Point(x, divergence(masses, x), divergence(masses, x)) for x in (F(1), F(2))]
    honest, wrong = (masses_below(both_sides(points, points), end) for end in (F(0), points[-1].low))
    assert divergence(honest, F(10)) <= divergence(masses, F(10)) == 0 < divergence(wrong, F(10))


def test_what_chords_lose_is_of_the_second_order():
    """f(E) = 1/(1 + E), which is its own reflection: half the distance of the points, a quarter of what is lost."""
    lost: list[list[Fraction]] = []
    for steps in (4, 8, 16):
        points = [Point(x, 1 / (1 + x), 1 / (1 + x)) for x in (1 + F(i, steps) for i in range(6 * steps))]
        above, below = masses_above(both_sides(points, points)), masses_below(both_sides(points, points), F(0))
        places = [1 + F(10 * i + 1, 97) for i in range(15)]
        lost.append([sum(abs(divergence(made, x) - 1 / (1 + x)) for x in places) for made in (above, below)])
    for before, after in pairwise(lost):
        assert all(3 < old / new < 5 for old, new in zip(before, after, strict=True))
    assert all(2 < below / above < 5 for above, below in lost)


def test_events_are_below_and_the_best_of_them_are_the_pair_itself():
    random = Random(5)
    for _ in range(12):
        masses = random_pair(random)
        events = []
        for _ in range(6):
            chosen = [pair for pair in masses if random.random() < 0.5]
            events.append((sum((p for p, _ in chosen), F(0)), sum((q for _, q in chosen), F(0))))
        made = masses_of_events((p, q) for p, q in events if q)
        assert (sum(p for p, _ in made), sum(q for _, q in made)) == (1, 1)
        for x in [F(i, 7) for i in range(30)]:
            assert divergence(made, x) <= divergence(masses, x)
            assert all(p - x * q <= divergence(made, x) for p, q in events if q)
    coin = [(F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))]
    assert masses_of_events([coin[0]]) == tuple(coin)
