"""Real messages between two proved ends: bins, spreads, closed forms, exact scans and draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import Randomizer, ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.mechanisms import duchi_family, laplace_cells, laplace_family
from exactdp.mechanisms.clipped_discrete_laplace_family import ClippedDiscreteLaplace
from exactdp.mechanisms.density_family import DensityFamily, StepFamily
from exactdp.mechanisms.duchi_family import duchi
from exactdp.mechanisms.hybrid_family import HybridRandomizer, hybrid
from exactdp.mechanisms.laplace_family import LaplaceRandomizer, laplace
from exactdp.mechanisms.piecewise_family import PiecewiseRandomizer, piecewise
from exactdp.mechanisms.staircase_family import StaircaseRandomizer, staircase
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.input_pairs import SpreadPairs
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of

ONE = Fraction(1)
Classes = Sequence[tuple[Fraction, ...]]


def kernel(one: Fraction, other: Fraction) -> Fraction:
    return min(one / other, other / one)


def cells(points: Sequence[Fraction], *inputs: Fraction) -> list[tuple[Fraction, ...]]:
    """The masses of the cells between points, and beyond, by the distribution function of Laplace's law."""

    def below(u: Fraction, point: Fraction) -> Fraction:
        return kernel(u, point) / 2 if point <= u else 1 - kernel(u, point) / 2

    ends = [[Fraction(0), *(below(u, point) for point in points), ONE] for u in inputs]
    return list(zip(*([high - low for low, high in pairwise(row)] for row in ends), strict=True))


def excess(classes: Iterable[tuple[Fraction, ...]], exp_eps: Fraction, tau: Fraction) -> Fraction:
    """E max(0, L - tau), with 0 where the weights leave something over."""
    listed = list(classes)
    left = 1 - sum(r for _, _, r in listed)
    return sum((max(Fraction(0), p - exp_eps * q - tau * r) for p, q, r in listed), Fraction(0)) + left * max(
        Fraction(0), -tau
    )


def fine(top: Fraction, *inputs: Fraction, count: int = 60) -> list[Fraction]:
    scale = 2**20
    return sorted({*(Fraction(round(scale * float(top) ** (j / count)), scale) for j in range(count)), top, *inputs})


@cache
def spread_rows(top: Fraction) -> frozenset[object]:
    """What the family says, of 8 cells."""
    return frozenset(laplace_family.laplace(exp_eps0=top).spreads(8).rows)


fractions = st.fractions(min_value=0, max_value=1, max_denominator=64)


@settings(max_examples=150, deadline=None)
@given(
    top=st.sampled_from([Fraction(3, 2), Fraction(3), Fraction(20), Fraction(2**20)]),
    places=st.tuples(fractions, fractions, fractions),
    level=fractions,
    over=st.fractions(min_value=-1, max_value=1, max_denominator=32),
)
def test_a_row_is_a_spread_of_every_pair_beside_every_other_user(
    top: Fraction, places: tuple[Fraction, ...], level: Fraction, over: Fraction
) -> None:
    x, y, v = (1 + (top - 1) * place for place in places)
    x, y = min(x, y), max(x, y)
    exp_eps = 1 + (y / x - 1) * level * Fraction(15, 16)
    told = cells(fine(top, x, y, v), x, y, v)
    points = laplace_family._from_end_to_end(laplace_cells.grid(top, 8), top)
    if x <= v <= y:
        between = laplace_family._from_end_to_end(laplace_cells.places(top), top)
        shares = list(laplace_family._shares(between))
        near = [place for place, point in enumerate(between) if point <= v][-1]
        rows = [
            laplace_family._thinned(laplace_family._rows(points, ONE, top, between[place]), shares[place])
            for place in (near, min(near + 1, len(between) - 1))
        ]
    else:
        distance = x / v if v < x else v / y
        ends = laplace_family._from_end_to_end(laplace_cells.distances(top), top)
        near, far = next(cell for cell in pairwise(ends) if cell[0] <= distance <= cell[1])
        pairs = [tuple(laplace_family._rows(points, place, top, ONE)) for place in (near, far)]
        pairs += laplace_family._moved(points, near, far, top)
        rows = [pair if v < x else tuple((q, p, r) for p, q, r in pair) for pair in pairs]
    assert set(rows) <= spread_rows(top)
    values = [(p - exp_eps * q) / r for p, q, r in told]
    tau = (max(values) + min(values) + over * (max(values) - min(values))) / 2
    assert excess(told, exp_eps, tau) <= max(excess(row, exp_eps, tau) for row in rows)


@given(
    top=st.sampled_from([Fraction(3), Fraction(20)]), place=fractions, other=fractions, level=fractions, over=fractions
)
@settings(max_examples=100, deadline=None)
def test_the_blanket_is_a_spread_of_every_pair(
    top: Fraction, place: Fraction, other: Fraction, level: Fraction, over: Fraction
) -> None:
    x, y = sorted(1 + (top - 1) * one for one in (place, other))
    exp_eps = 1 + (y / x - 1) * level
    rows = cells(fine(top, x, y), x, y, ONE, top)
    told = [(p, q, min(r, s)) for p, q, r, s in rows]
    values = [(p - exp_eps * q) / r for p, q, r in told]
    tau = min(values) + over * (max(values) - min(values))
    spread = LaplaceRandomizer(exp_eps0=top).spreads(8).blanket
    assert sum(c for _, _, c in spread) <= sum(c for _, _, c in told)
    for sign in (1, -1):  # both sides of the convex order; what is left over counts for 0
        both = [[(sign * p, sign * q, r) for p, q, r in one] for one in (told, spread)]
        if sign * tau >= 0:
            assert excess(both[0], exp_eps, sign * tau) <= excess(both[1], exp_eps, sign * tau)


def test_the_checks_of_spreads_fail_where_a_cell_is_wrong() -> None:
    top = Fraction(3)
    points = [ONE, *laplace_cells.grid(top, 8), top]
    told = cells(fine(top), ONE, top, ONE)
    row = laplace_family._rows(points, ONE, top, ONE)
    taus = [Fraction(k, 8) for k in range(-24, 8)]

    def holds(wrong: Classes) -> bool:
        return all(excess(told, ONE, tau) <= excess(wrong, ONE, tau) for tau in taus)

    assert holds(row)
    left, right = row[3], row[4]  # all of a ray's weight goes to the other end of the cell, where L is smaller
    wrong = [*row[:3], tuple(w + left[2] / right[2] * w for w in right), *row[5:]]
    assert not holds(wrong)
    assert sum(q for _, q, _ in wrong) != 1  # the rays have other ratios, so that Q is no law any more
    without = [tuple(w - Fraction(1, 2) * k for w, k in zip(row[0], (ONE, 1 / top, ONE), strict=True)), *row[1:]]
    assert not holds(without)


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_a_pair_inside_a_cell_of_distances_needs_the_mass_that_is_moved(is_mirrored: bool) -> None:
    """Neither the pairs at both ends alone nor those with the mass at the other end of the cell are enough."""
    top, near, far = Fraction(9), Fraction(2), Fraction(4)
    points = [ONE, *laplace_cells.grid(top, 40), near, far, top]
    told = cells(fine(top, near, far, Fraction(3), count=300), Fraction(3), top, ONE)
    alone = [laplace_family._rows(points, place, top, ONE) for place in (near, far)]
    moved = list(laplace_family._moved(points, near, far, top))

    def is_missed(level: Fraction, rows: Sequence[Classes]) -> bool:
        both = [[(q, p, r) if is_mirrored else (p, q, r) for p, q, r in one] for one in (told, *rows)]
        values = [(p - level * q) / r for p, q, r in both[0]]
        taus = [min(values) + (max(values) - min(values)) * k / 40 for k in range(41)]
        return any(excess(both[0], level, t) > max(excess(row, level, t) for row in both[1:]) for t in taus)

    levels = [ONE + Fraction(k, 5) for k in range(6)]
    assert not any(is_missed(level, [*alone, *moved]) for level in levels)
    assert any(is_missed(level, alone) for level in levels)


def test_the_cells_of_a_grid_of_equal_steps_are_the_clipped_discrete_laplace_table() -> None:
    family = ClippedDiscreteLaplace.stated(top=4, ratio=Fraction(2, 3))
    points = [Fraction(3, 2) ** place for place in range(5)]
    table = laplace_family._rows(points, *points)
    assert [list(column) for column in zip(*table, strict=True)] == list(family.rows())


@pytest.mark.parametrize(("top", "cells_of"), [(5, 8), (5, 40), (2**20, 8), (1 + Fraction(1, 2**20), 8)])
def test_all_rows_are_laws_and_bins_are_those_of_the_distribution_function(top: Fraction, cells_of: int) -> None:
    family = LaplaceRandomizer(exp_eps0=top)
    spreads = family.spreads(cells_of)
    for row in spreads.rows:
        assert sum(p for p, _, _ in row) == sum(q for _, q, _ in row) == 1
        assert 0 < sum(r for _, _, r in row) <= 1
        assert all(min(p, q, r) > 0 for p, q, r in row)
    (table,) = family.binned(cells_of)
    told = cells([ONE, *laplace_cells.grid(Fraction(top), cells_of), Fraction(top)], ONE, Fraction(top))
    assert sorted(told) == sorted((c.first, c.second) for c in table.classes) or len(table.classes) < len(told)
    assert sum(c.first for c in table.classes) == sum(c.second for c in table.classes) == 1


@pytest.mark.parametrize("exp_eps", ["1", "5/4", "2", "3"])
def test_one_user_has_the_closed_local_profile(exp_eps: str) -> None:
    delta = ShuffleProtocol(laplace(exp_eps0=3), 1).privacy_profile().delta(exp_eps=exp_eps)
    exact = max(0.0, 1 - math.sqrt(float(Fraction(exp_eps)) / 3))
    assert float(delta.lo) - 1e-12 <= exact <= float(delta.hi) + 1e-12
    assert delta.hi - delta.lo < Fraction(1, 5000)


@pytest.mark.parametrize("users", [2, 3])
@pytest.mark.parametrize("top", [Fraction(2), Fraction(9)])
def test_no_data_set_of_a_table_of_cells_exceeds_the_upper_end(users: int, top: Fraction) -> None:
    held = [ONE, 1 + (top - 1) / 6, (1 + top) / 2, top]
    told = cells([ONE, *held[1:3], top], *held)
    table = Randomizer({place: {(m,): row[place] for m, row in enumerate(told)} for place in range(len(held))})
    exact = ShuffleProtocol(table, users).privacy_profile()
    ends = ShuffleProtocol(laplace(exp_eps0=top), users).privacy_profile()
    for exp_eps in (1, Fraction(5, 4), Fraction(3, 2)):
        assert exact.delta(exp_eps=exp_eps) <= ends.bracket(exp_eps=exp_eps).upper.hi


def sides(users: int, exp_eps: Fraction, top: Fraction, count: int) -> tuple[Mixture, Mixture]:
    """The divergence of 0 and 1 beside others who hold 0: of a table of cells, and of their rays."""
    points = fine(top, count=count)
    return mixture_of(cells(points, ONE, top, ONE)), mixture_of(laplace_family._rows(points, ONE, top, ONE))


@pytest.mark.slow
@pytest.mark.parametrize(("users", "exp_eps"), [(100, Fraction(3, 2)), (10**4, Fraction(31, 30))])
def test_a_table_of_a_thousand_cells_lies_between_the_ends(users: int, exp_eps: Fraction) -> None:
    top = Fraction(3)
    below, above = (one.divergence(users, Real(exp_eps), relative_bits=12) for one in sides(users, exp_eps, top, 1000))
    bracket = ShuffleProtocol(laplace(exp_eps0=top), users).privacy_profile().bracket(exp_eps=exp_eps)
    assert bracket.lower.lo <= below.hi
    assert above.lo <= bracket.upper.hi
    assert below.lo <= above.hi
    assert float(above.hi / below.lo) < 1.001


@pytest.mark.parametrize(("users", "exp_eps"), [(10, 1.5), (30, 1.2), (100, 1.1)])
def test_draws_of_likelihood_ratios_lie_between_the_ends(users: int, exp_eps: float) -> None:
    rng, top, times = np.random.default_rng(users), 3.0, 200_000
    rate = math.log(top)
    y = rng.laplace(0, 1 / rate, (times, users))  # others at 0, as all of them: the mean of max(0, sum of ratios)
    ratios = 1 - exp_eps * np.exp(rate * (np.abs(y) - np.abs(1 - y)))
    values = np.maximum(0, ratios.sum(axis=1)) / users
    mean, error = values.mean(), values.std() / math.sqrt(times)
    bracket = ShuffleProtocol(laplace(exp_eps0=3), users).privacy_profile().bracket(exp_eps=Fraction(str(exp_eps)))
    assert float(bracket.lower.lo) <= mean + 5 * error
    assert mean - 5 * error <= float(bracket.upper.hi)
    assert error < mean / 50
    assert float(bracket.lower.lo) * 1.06 + 5 * error >= mean  # the worst side: an end that is much too low is seen


@pytest.mark.parametrize(
    ("eps0", "users", "gap"),
    [(1, 1000, 0.005), (1, 10**4, 0.001), (1, 10**6, 0.001), pytest.param(4, 10**4, 0.001, marks=pytest.mark.slow)],
)
def test_ends_are_near(eps0: int, users: int, gap: float) -> None:
    eps = ShuffleProtocol(laplace(exp_eps0=f"exp({eps0})"), users).privacy_profile().epsilon("1/1000000")
    assert float(eps.hi / eps.lo) - 1 < gap
    if (eps0, users) == (1, 10**4):
        assert eps.lo < Fraction("0.0313029") * (1 + Fraction(1, 10**5)) < eps.hi


def test_eps_falls_as_the_root_of_the_users() -> None:
    first, second = (
        ShuffleProtocol(laplace(exp_eps0=2), users).privacy_profile().delta(exp_eps=1) for users in (10**6, 10**8)
    )
    assert 9.8 < float(first.lo / second.hi) < float(first.hi / second.lo) < 10.2


def test_an_irrational_eps0_lies_between_rational_ones() -> None:
    deltas = [
        ShuffleProtocol(laplace(exp_eps0=one), 500).privacy_profile().delta(exp_eps="11/10")
        for one in ("2.71", "exp(1)", "2.73")
    ]
    assert deltas[0].lo < deltas[1].hi
    assert deltas[1].lo < deltas[2].hi


def test_upper_ends_without_the_distances_would_be_lower() -> None:
    """The supremum over the others' inputs needs all rows: those beside 0 and 1 are the worst, and not left out."""
    pairs = SpreadPairs(laplace(exp_eps0=3))
    (bound,) = pairs.bounds
    level = Real(Fraction(31, 30))
    middle = [row for row in bound.rows if row is not bound.rows[0]][2:4]
    less = replace(bound, rows=tuple(middle))
    assert less.divergence(10**4, level, relative_bits=16).hi < bound.divergence(10**4, level, relative_bits=16).lo


@given(st.lists(st.fractions(min_value=-1, max_value=5, max_denominator=8), max_size=5))
@settings(max_examples=25, deadline=None)
def test_any_choice_of_cells_covers_all_inputs(points: list[Fraction]) -> None:
    ends = laplace_family._from_end_to_end(points, Fraction(3))
    assert ends[0] == 1
    assert ends[-1] == 3
    assert all(low < high for low, high in pairwise(ends))
    assert all(0 < share <= 1 for share in laplace_family._shares(ends))


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [[], [Fraction(2)], [Fraction(11, 10), Fraction(5, 2)]])
def test_poor_choices_of_cells_give_larger_upper_ends(chosen: list[Fraction], monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = ShuffleProtocol(laplace(exp_eps0=3), 2000)
    good = protocol.privacy_profile().bracket(exp_eps="11/10")
    for name in ("grid", "places", "distances"):
        monkeypatch.setattr(laplace_family, name, lambda *asked: chosen)
    poor = SpreadPairs(laplace(exp_eps0=3)).bounds[0].divergence(2000, Real(Fraction(11, 10)), relative_bits=16)
    assert good.lower.hi < poor.lo
    assert good.upper.lo < poor.hi


def test_what_has_no_table_says_so() -> None:
    protocol = ShuffleProtocol(laplace(exp_eps0=3), 100)
    for ask in (protocol.law, protocol.estimate_law):
        with pytest.raises(InvalidValueError, match="sends real numbers"):
            ask({0: 100})
    with pytest.raises(InvalidValueError, match="not from 1 \\+ 2\\^-20"):
        laplace(exp_eps0=1)
    assert float(laplace(exp_eps0=3).noise.variance) == pytest.approx(2 / math.log(3) ** 2)


def windows(root: Fraction, *held: Fraction) -> list[tuple[Fraction, ...]]:
    """The masses of the cells between the ends of the windows of some inputs, by their definition on [-C, C]."""
    c = (root + 1) / (root - 1)
    starts = [((c + 1) * x - (c - 1)) / 2 for x in held]
    cuts = sorted({-c, c, *starts, *(start + c - 1 for start in starts)})
    high = root / (root + 1) / (c - 1)
    low = 1 / (root + 1) / (c + 1)
    return [
        tuple((b - a) * (high if start <= a < start + c - 1 else low) for start in starts) for a, b in pairwise(cuts)
    ]


signed = st.fractions(min_value=-1, max_value=1, max_denominator=16)


STEPS = [kind(exp_eps0=top) for kind in (piecewise, staircase, hybrid) for top in ("25/16", 4, 25)]


def placed(family: StepFamily, *shares: Fraction) -> list[Fraction]:
    """Inputs, by their share of the way from the least to the largest."""
    low, high, _ = family.places
    return [low + (high - low) * share for share in shares]


@cache
def step_rows(family: StepFamily) -> tuple[Classes, ...]:
    """What the family says, each row a law."""
    rows = family.spreads(8).rows
    assert all(sum(column) == 1 for row in rows for column in zip(*row, strict=True))
    return rows


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(STEPS), st.tuples(fractions, fractions, fractions), fractions, st.integers(0, 6))
def test_steps_are_means_of_vertices(
    family: StepFamily, shares: tuple[Fraction, ...], level: Fraction, place: int
) -> None:
    told, exp_eps = list(family.steps(placed(family, *shares))), 1 + (family.root**2 - 1) * level
    values = sorted({(p - exp_eps * q) / r for p, q, r in told})
    tau = values[min(place, len(values) - 1)]
    assert excess(told, exp_eps, tau) <= max(excess(row, exp_eps, tau) for row in step_rows(family))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(STEPS), fractions, fractions, fractions)
def test_steps_beside_the_blanket_are_spread(
    family: StepFamily, one: Fraction, other: Fraction, level: Fraction
) -> None:
    rows = list(family.steps(placed(family, one, other, Fraction(0), ONE)))
    told, spread = [(p, q, min(low, high)) for p, q, low, high in rows], family.spreads(8).blanket
    assert sum(c for _, _, c in told) == sum(c for _, _, c in spread)
    assert all(c <= min(row) for (_, _, c), row in zip(told, rows, strict=True))
    exp_eps = 1 + (family.root**2 - 1) * level
    for tau in {(p - exp_eps * q) / c for p, q, c in (*spread, *told)}:
        assert excess(told, exp_eps, tau) <= excess(spread, exp_eps, tau)


@pytest.mark.parametrize("family", STEPS[1::3], ids=lambda family: family.name)
def test_without_others_at_the_ends_an_excess_is_missed(family: StepFamily) -> None:
    low, *between, high = family.ends()
    fewer = [list(family.steps((low, high, other))) for other in between]
    taus = {(p - 2 * q) / r for row in step_rows(family) for p, q, r in row}
    most, less = (
        [max(excess(row, Fraction(2), tau) for row in rows) for tau in taus] for rows in (step_rows(family), fewer)
    )
    assert any(a > b for a, b in zip(most, less, strict=True))


@given(st.sampled_from(STEPS[3:6]), fractions, fractions, fractions)
@settings(max_examples=50, deadline=None)
def test_the_masses_of_a_staircase_are_integrals_of_its_density(
    family: StaircaseRandomizer, one: Fraction, other: Fraction, level: Fraction
) -> None:
    """By the definition of the density, at the middle of each of many short intervals, far out on both sides."""
    b, g = float(family.root) ** -2, float(family.gamma)
    x, z = placed(family, one, other)
    exp_eps = 1 + (family.root**2 - 1) * level
    cuts = sorted({float(place) + sign * (g + k) for place in (x, z) for sign in (-1, 1) for k in range(80)})

    def density(y: float, place: Fraction) -> float:
        return (1 - b) / (2 * (g + b * (1 - g))) * b ** math.floor(abs(y - float(place)) + 1 - g)

    middles = [((low + high) / 2, high - low) for low, high in pairwise(cuts) if high > low]
    expected = sum(w * max(0.0, density(y, x) - float(exp_eps) * density(y, z)) for y, w in middles)
    found = sum(max(Fraction(0), p - exp_eps * q) for p, q in family.steps((x, z)))
    assert float(found) == pytest.approx(expected, abs=1e-9)
    total = sum(w * density(y, x) * (y - float(x)) ** 2 for y, w in middles)  # of the middles, but for the widths
    inside = sum(w**3 / 12 * density(y, x) for y, w in middles)
    assert float(family.variance) == pytest.approx(total + inside, rel=1e-6)


@pytest.mark.parametrize("family", STEPS[3:6], ids=lambda family: str(family.exp_eps0))
def test_the_first_step_of_a_staircase_makes_the_mean_size_least(family: StaircaseRandomizer) -> None:
    """By sums over steps, at this half length and at others beside it."""
    b = family.root**-2

    def size(half: Fraction) -> Fraction:
        sums = half**2 / 2, sum(b**j * (half + j - Fraction(1, 2)) for j in range(1, 400))
        return sum(sums) / (half + b / (1 - b))

    others = (family.gamma + Fraction(k, 1000) for k in (-50, -1, 1, 50))
    assert all(size(family.gamma) < size(half) for half in others)


def test_duchis_estimate_is_refused_where_it_is_none() -> None:
    with pytest.raises(InvalidValueError, match=r"^exp_eps0=1: the message says nothing of the input\."):
        duchi_family.DuchiRandomizer(exp_eps0=1).variance(0)
    with pytest.raises(InvalidValueError, match=r"^value=2 is not from -1 to 1\. Pass an input\.$"):
        duchi_family.DuchiRandomizer(exp_eps0=3).variance(2)


@given(signed, st.sampled_from(STEPS[6:]))
def test_the_hybrid_message_is_an_unbiased_estimate(x: Fraction, family: HybridRandomizer) -> None:
    top = family.root**2
    *windows_of, (plus,), (minus,) = family.steps((x,))
    ends = (plus - minus) * (top + 1) / (top - 1)
    assert sum(row[0] for row in windows_of) == family.alpha
    assert plus + minus == 1 - family.alpha
    assert ends == (1 - family.alpha) * x
    both = piecewise(exp_eps0=top).variance(x), duchi_family.DuchiRandomizer(exp_eps0=top).variance(x)
    assert family.variance(x) == family.alpha * both[0] + (1 - family.alpha) * both[1]


def test_a_small_eps0_is_duchis_alone() -> None:
    alone, mixed = hybrid(exp_eps0="exp(6/10)"), hybrid(exp_eps0="exp(62/100)")
    assert alone.alpha == 0 < mixed.alpha
    ends = ShuffleProtocol(alone, 50).privacy_profile().bracket(exp_eps="11/10")
    exact = ShuffleProtocol(duchi(exp_eps0=alone.root**2), 50).privacy_profile().delta(exp_eps="11/10")
    assert ends.lower.lo <= exact <= ends.upper.hi < exact * Fraction(6, 5)


@given(signed, signed, signed, st.sampled_from([Fraction(1), Fraction(5, 4), Fraction(2)]))
@settings(max_examples=30, deadline=None)
def test_the_ends_are_the_worst_inputs_of_duchis(x: Fraction, y: Fraction, v: Fraction, exp_eps: Fraction) -> None:
    ends = ShuffleProtocol(duchi(exp_eps0=3), 3).privacy_profile().delta(exp_eps=exp_eps)
    rows = {place: {(s,): (1 + s * held / 2) / 2 for s in (-1, 1)} for place, held in enumerate((x, y, v))}
    assert ShuffleProtocol(Randomizer(rows), 3).privacy_profile().delta(exp_eps=exp_eps) <= ends


@given(signed, st.sampled_from([Fraction(5, 4), Fraction(2), Fraction(5)]))
def test_the_piecewise_message_is_an_unbiased_estimate(x: Fraction, root: Fraction) -> None:
    c = (root + 1) / (root - 1)
    start = ((c + 1) * x - (c - 1)) / 2
    cuts = sorted({-c, start, start + c - 1, c})
    masses = [row[0] for row in windows(root, x)]
    mean = sum(m * (a + b) / 2 for m, (a, b) in zip(masses, pairwise(cuts), strict=True))
    square = sum(m * (a * a + a * b + b * b) / 3 for m, (a, b) in zip(masses, pairwise(cuts), strict=True))
    assert mean == x
    assert square - x * x == PiecewiseRandomizer(exp_eps0=root**2).variance(x)


@pytest.mark.parametrize("users", [2, 3])
@pytest.mark.parametrize("family", STEPS[1::3], ids=lambda family: family.name)
def test_no_data_set_of_steps_exceeds_the_upper_end(family: StepFamily, users: int) -> None:
    told = list(family.steps(placed(family, Fraction(0), Fraction(1, 2), Fraction(3, 4), ONE)))
    table = Randomizer({place: {(m,): row[place] for m, row in enumerate(told)} for place in range(4)})
    exact, ends = (ShuffleProtocol(one, users).privacy_profile() for one in (table, family))
    for exp_eps in (1, Fraction(3, 2), 3):
        assert exact.delta(exp_eps=exp_eps) <= ends.bracket(exp_eps=exp_eps).upper.hi
    alone = ShuffleProtocol(family, 1).privacy_profile().delta(exp_eps=2)
    rows = list(family.steps(family.places[:2]))
    assert alone.lo <= sum(max(Fraction(0), p - 2 * q) for p, q in rows) <= alone.hi


@pytest.mark.parametrize(
    ("exp_eps0", "users", "gap"),
    [("exp(1)", 10**5, 1e-4), (9, 1000, 3e-3), pytest.param(25, 1000, 6e-3, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("kind", [piecewise, staircase, hybrid], ids=lambda kind: kind.__name__)
def test_the_ends_of_steps_are_near(kind: Callable[..., StepFamily], exp_eps0: str, users: int, gap: float) -> None:
    eps = ShuffleProtocol(kind(exp_eps0=exp_eps0), users).privacy_profile().epsilon("1/1000000")
    assert 1 < float(eps.hi / eps.lo) < 1 + gap


def test_the_worst_pair_of_the_hybrid_randomizer_is_not_of_both_ends() -> None:
    pairs = SpreadPairs(hybrid(exp_eps0=9))
    level, found = Real(Fraction(3, 2)), pairs.candidates(1000, 1)
    best = max(found, key=lambda one: one.mixture.divergence(1000, level, relative_bits=16).lo)
    assert abs(best.table.first - best.table.second) < 2


@pytest.mark.slow
@pytest.mark.parametrize("family", [piecewise(exp_eps0=4), staircase(exp_eps0=4)], ids=lambda family: family.name)
def test_runs_together_lie_beside_those_of_the_table_of_cells(family: StepFamily) -> None:
    """What both ends of one run say is composed; of cells of messages, whose users hold a few inputs, it is less."""
    table = family.binned(8)[0]
    rows = zip(table.others, zip(*(c.others for c in table.classes), strict=True), strict=True)
    told = Randomizer({v: {(m,): p for m, p in enumerate(row) if p} for v, row in rows})
    numbers, cells = (ShuffleProtocol(one, 500).privacy_profile().compose(3) for one in (family, told))
    whole, less = (one.epsilon("1/10000") for one in (numbers, cells))
    assert less.lo <= whole.hi
    assert 1 < float(whole.hi / whole.lo) < 1.01
    one = ShuffleProtocol(family, 500).privacy_profile().epsilon("1/10000")
    assert one.hi < whole.lo < 3 * one.hi


@pytest.mark.parametrize("family", [piecewise(exp_eps0=49), hybrid(exp_eps0=100), staircase(exp_eps0=100)])
@pytest.mark.parametrize("users", [2, 3, 4, 8, 12])
def test_few_users_have_at_most_the_divergence_of_the_blanket(family: DensityFamily, users: int) -> None:
    for over in (Fraction(1, 10), Fraction(1)):
        level = Real(1 + over)
        blanket = SpreadPairs(family).blankets_at(users, level)[0].divergence(users, level, relative_bits=20)
        assert ShuffleProtocol(family, users).privacy_profile().delta(exp_eps=1 + over).lo <= blanket.hi
        (bound,) = SpreadPairs(family).bounds_at(users, level)
        assert bound.divergence(users, level, relative_bits=20).hi <= blanket.hi
