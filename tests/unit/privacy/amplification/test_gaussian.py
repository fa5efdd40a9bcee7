"""Gaussian messages between two proved ends: spreads, cuts, bins, closed forms and draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.mechanisms import gaussian_family
from exactdp.mechanisms.density_family import Classes, Spreads
from exactdp.mechanisms.gaussian_cells import apart, between, beyond
from exactdp.mechanisms.gaussian_family import GaussianRandomizer, gaussian
from exactdp.numbers.balls import precision
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.bounds_of_pairs import FallingBound
from exactdp.privacy.amplification.input_pairs import SpreadPairs
from exactdp.privacy.amplification.positive_part import mixture_of
from exactdp.privacy.amplification.swap_bound import SmallestBound

ONE = GaussianRandomizer(sigma=1, delta0="1e-12")
SMALL = 1e-9
Row = Sequence[tuple[float, ...]]


@cache
def spreads() -> Spreads:
    return ONE.spreads(6)


def floats(rows: Sequence[Classes]) -> list[Row]:
    return [[tuple(map(float, message)) for message in row] for row in rows]


@cache
def float_rows(most: Fraction | None) -> list[Row]:
    return floats(ONE.spreads(6, most).rows)


@cache
def joint_rows() -> list[Row]:
    return floats(ONE.joint_spreads(12).rows)


def below(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def told(*inputs: float, cells: int = 400) -> Row:
    """The masses of fine cells, by the distribution function; both tails are cells."""
    ends = [-math.inf, *(-8 + 17 * k / cells for k in range(cells + 1)), math.inf]
    return [tuple(below(high - x) - below(low - x) for x in inputs) for low, high in pairwise(ends)]


def excess(row: Row, exp_eps: float, tau: float) -> float:
    left = 1 - sum(r for _, _, r in row)
    return sum(max(0.0, p - exp_eps * q - tau * r) for p, q, r in row) + left * max(0.0, -tau)


unit = st.floats(min_value=0, max_value=1, allow_subnormal=False)


@settings(max_examples=40, deadline=None)
@given(
    unit, unit, unit, st.sampled_from([1.0, 1.05, 1.5, 3.0]), st.sampled_from([-3.0, -1.0, -0.2, 0.0, 0.1, 0.5, 2.0])
)
def test_some_row_is_above_every_pair_beside_every_other_user(
    x: float, y: float, v: float, exp_eps: float, tau: float
) -> None:
    for level in (next((level for level in ONE.levels if exp_eps <= level), None), None):
        most = max(excess(row, exp_eps, tau) for row in float_rows(level))
        assert excess(told(x, y, v), exp_eps, tau) <= most + SMALL


def cell_rows(kind: str, place: float) -> list[Row]:
    """The rows of the cell in which another user, or an input, lies."""
    count, (whole, far) = (
        len(between(Fraction(1))) - 1,
        (joint_rows(), list(beyond(Fraction(1), Fraction(0), Fraction(1)))),
    )
    if kind == "between":
        at = next(k for k, (a, b) in enumerate(pairwise(between(Fraction(1)))) if a <= place <= b)
        return [whole[{0: 0, count - 1: 1}.get(at, at + 1)]]  # the two ends come first
    at = next(k for k, (a, b, _) in enumerate(far) if a <= place <= b)
    return [whole[count + at + (len(far) if kind == "swapped" else 0)]]


def exact_excess(first: float, second: float, exp_eps: float, tau: float) -> float:
    """E max(0, L - tau) beside 0, by the trapezoidal rule: far nearer than what is compared."""
    z = np.linspace(-9.0, 12.0, 40_001)
    normal = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    ratio = np.exp(first * z - first**2 / 2) - exp_eps * np.exp(second * z - second**2 / 2)
    return float(np.sum(normal * np.maximum(0.0, ratio - tau)) * (z[1] - z[0]))


@settings(max_examples=200, deadline=None)
@given(st.floats(0.02, 2), st.floats(0.01, 0.99), st.floats(0, 1), st.floats(-4, 4), st.booleans())
def test_inputs_in_between_have_the_spread_of_the_ends(
    length: float, share: float, over: float, tau: float, is_swapped: bool
) -> None:
    place = share * length
    size = share * math.exp(length * (length - place) / 2)
    if is_swapped and size <= 1:  # E from 1 to 1/h
        level = size**-over
        inner, outer = (length, place), (length, 0.0)
    else:  # E from max(1, h) on
        level = max(1.0, size) * (1 + over)
        inner, outer = (place, length), (0.0, length)
    assert exact_excess(*inner, level, tau) <= exact_excess(*outer, level, tau) + 1e-6


def test_inputs_in_between_have_no_such_spread_beyond_the_condition() -> None:
    taus = [k / 20 for k in range(-60, 40)]
    for inner, outer, level in [((1.0, 0.95), (1.0, 0.0), 2.0), ((1.5, 3.0), (0.0, 3.0), 1.0)]:
        worse = (exact_excess(*inner, level, tau) - exact_excess(*outer, level, tau) for tau in taus)
        assert max(worse) > 0.01


@pytest.mark.parametrize(("sigma", "most", "start"), [(1, 1, 1.0), (1, 2, 0.36), (Fraction(1, 2), 1, 0.406)])
def test_cells_begin_where_the_condition_ends(sigma: Fraction, most: int, start: float) -> None:
    end = 1 / Fraction(sigma)
    found = float(gaussian_family._inside(end, Fraction(most))[0])
    assert start - float(end) / 32 < found <= start + 0.01
    assert most * found / float(end) * math.exp(float(end) * (float(end) - found) / 2) <= 1 + SMALL


@given(st.fractions(Fraction(1, 2), 4, max_denominator=64), st.sampled_from(ONE.levels), st.booleans(), unit)
def test_no_cell_is_needed_outside(sigma: Fraction, level: Fraction, is_swapped: bool, share: float) -> None:
    """h(a) is at most 1/E2 there, or E1, at the place that is drawn and at that where h is largest."""
    end, most = 1 / sigma, level if is_swapped else 1 / level
    low, high = map(float, gaussian_family._inside(end, most))
    for place in (share * float(end), min(float(end), 2 / float(end))):
        if place <= low or high <= place < float(end):
            assert float(most) * place / float(end) * math.exp(float(end) * (float(end) - place) / 2) <= 1 + SMALL


@cache
def wide_rows(sigma: Fraction, level: Fraction | None) -> list[Row]:
    return floats(GaussianRandomizer(sigma=sigma, delta0="1e-9").spreads(8, level).rows)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(["1/2", "5/8", "4/5"]), unit, unit, st.booleans(), st.sampled_from([1, 1.1, 1.3, 1.45, 2.2, 6, 30])
)
def test_the_rows_between_two_levels_are_above_inputs_in_between(
    sigma: str, share: float, over: float, is_swapped: bool, exp_eps: float
) -> None:
    """Of little noise, where h(a) is above 1: the rows of a level are those of E from the one before it on."""
    length, tau = 1 / Fraction(sigma), -2 * exp_eps + 3 * exp_eps * over
    inner = (float(length), share * float(length)) if is_swapped else (share * float(length), float(length))
    level = next(level for level in ONE.levels if exp_eps <= level)
    rows = wide_rows(Fraction(sigma), level)
    assert exact_excess(*inner, exp_eps, tau) <= max(excess(row, exp_eps, tau) for row in rows) + 1e-6


def test_the_check_of_levels_fails_for_the_rows_of_a_little_more_noise() -> None:
    exact = {tau: exact_excess(1.0, 2.0, 2.2, tau) for tau in (-2.0, -0.5, 0.0, 0.5)}
    holds = {
        sigma: all(
            value <= max(excess(row, 2.2, tau) for row in wide_rows(sigma, Fraction(3))) + 1e-6
            for tau, value in exact.items()
        )
        for sigma in (Fraction(1, 2), Fraction(4, 5))
    }
    assert holds == {Fraction(1, 2): True, Fraction(4, 5): False}


@cache
def held_rows() -> tuple[list[Fraction], list[Row]]:
    """The cells of Q up to E = 3/2, and their rows, the last ones."""
    level, end = Fraction(3, 2), Fraction(1)
    places = apart(gaussian_family._inside(end, level)[0], end, level)
    return places, floats(ONE.spreads(6, level).rows[-2 * (len(places) - 1) :])


def mixed_excess(share: float, exp_eps: float, tau: float, weight: float) -> tuple[float, float]:
    """Excess of (l, a) beside 0, for an a in the first cell of Q, and of two rows with a weight of the second."""
    places, rows = held_rows()
    low, high = map(float, places[:2])
    mean = (1 - weight) * excess(rows[0], exp_eps, tau) + weight * excess(rows[1], exp_eps, tau)
    return excess(told(1.0, (1 - share) * low + share * high, 0.0), exp_eps, tau), mean


@settings(max_examples=40, deadline=None)
@given(unit, st.sampled_from([1.0, 1.1, 1.5, 3.0]), st.floats(-4, 4))
def test_a_cell_of_the_second_input_has_a_mean_of_two_spreads(share: float, exp_eps: float, tau: float) -> None:
    told_there, mean = mixed_excess(share, exp_eps, tau, share)
    assert told_there <= mean + SMALL


def test_a_cell_of_the_second_input_needs_both_of_its_ends() -> None:
    pairs = (mixed_excess(0.1, 1.25, k / 50, 1.0) for k in range(-100, 50))
    assert any(told_there > mean + 1e-3 for told_there, mean in pairs)


@pytest.mark.parametrize(("sigma", "count", "cell"), [("2", 4, (0, "1/2")), ("1", 32, ("1/4", "3/4"))])
def test_rays_that_two_cells_of_messages_share_are_no_mean_of_them(sigma: str, count: int, cell: Sequence[str]) -> None:
    """Beside the rays kept apart, each with what is left of Q in its own cell, none may be nearer together."""
    with precision(128):
        end, zero, reach = 1 / Fraction(sigma), Fraction(0), Fraction(10)
        low, high = Fraction(cell[0]), Fraction(cell[1])
        row = gaussian_family._row((end, low), (zero, zero), reach, count, (low, high))
        kept: list[tuple[float, float, float]] = []
        for near, far in pairwise(gaussian_family.grid(end, low, zero, reach, count)):
            share = math.exp(-(float(gaussian_family._away((low, high), near, far)) ** 2) / 8)
            for at_p, at_q, weight in gaussian_family._rays(end, low, near, far):
                p, q = (float(gaussian_family._ratio(*at)) for at in ((end, at_p), (low, at_q)))
                kept.append((float(weight) * p, share * float(weight) * q, float(weight)))
    for exp_eps, tau in ((1.0, 0.0), (1.25, 0.1), (1.5, 0.0027), (1.5, -0.1), (2.0, 0.5)):
        found = sum(max(0.0, float(p) - exp_eps * float(q) - tau * float(r)) for p, q, r in row)
        apart = sum(max(0.0, p - exp_eps * q - tau * r) for p, q, r in kept)
        assert found >= apart - SMALL


@pytest.mark.parametrize("users", [1000, 10**4])
def test_the_smallest_bound_is_none_of_those_that_rise(users: int) -> None:
    pairs, before = SpreadPairs(ONE), 1.0
    for over in (Fraction(1, 20), Fraction(1, 5)):
        bound = pairs.leading_bound(users, Real(1 + over))
        assert isinstance(bound, SmallestBound)
        level, found = Real(1 + over), bound.divergence(users, Real(1 + over), relative_bits=20)
        each = [one.divergence(users, level, relative_bits=20) for one in bound.given]
        assert min(one.lower for one in each) <= found.lower
        assert float(found.upper.fraction()) <= 1.01 * float(min(one.upper for one in each).fraction())
        assert float(found.lower.fraction()) < before
        before = float(found.upper.fraction())


def upper_ends(users: int, levels: Sequence[Fraction]) -> list[tuple[float, float]]:
    """The upper end at each E, and what the rows that are needed there say alone."""
    engine, found = Amplification(SpreadPairs(ONE), users), []
    for level in map(Real, levels):
        (bound,) = engine.pairs.bounds_at(users, level)
        here = bound.here if isinstance(bound, FallingBound) else bound
        ends = engine.upper_end(level, 20)[0], here.divergence(users, level, relative_bits=20)
        found.append((float(ends[0].hi), float(ends[1].hi)))
    return found


@pytest.mark.parametrize(
    ("users", "levels"),
    [(10**4, "1.25 1.26"), pytest.param(1000, "2 2.00001 2.5", marks=pytest.mark.slow)],
)
def test_the_upper_end_never_rises_though_the_rows_of_a_level_do(users: int, levels: str) -> None:
    ends = upper_ends(users, [Fraction(level) for level in levels.split()])
    assert all(after[0] <= before[0] for before, after in pairwise(ends))
    assert any(after[1] > before[1] for before, after in pairwise(ends))  # what the bound before holds down


def test_bounds_at_smaller_levels_are_asked_until_one_is_larger() -> None:
    class At:
        def __init__(self, value: int) -> None:
            self.value = value

        def divergence(self, users: int, exp_eps: Real, *, relative_bits: int) -> Interval:
            return Interval(Dyadic.of(self.value), Dyadic.of(self.value))

    asked = list[Fraction]()

    def at(users: int, level: Fraction) -> Any:
        asked.append(level)
        return At({3: 6, 2: 5, 1: 7}[int(level)])

    levels = tuple(map(Fraction, (3, 2, 1, 0)))
    falling = FallingBound(At(9), levels, at)  # type: ignore[arg-type]
    assert falling.divergence(10, Real(4), relative_bits=20).upper == Dyadic.of(5)
    assert asked == [3, 2, 1]
    asked.clear()
    for leading, passed in ((5, [3, 2]), (6, [3]), (9, []), (0, [3, 2, 1])):  # at most what is not smaller is left out
        led = FallingBound(At(9), levels, at, At(leading))  # type: ignore[arg-type]
        assert led.divergence(10, Real(4), relative_bits=20).upper == Dyadic.of({9: 9, 6: 6}.get(leading, 5))
        assert asked == passed
        asked.clear()


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["between", "beyond", "swapped"]), unit, st.sampled_from([1.0, 1.1, 2.0]), st.floats(-4, 4))
def test_the_row_of_a_cell_is_a_spread_of_all_of_it(kind: str, place: float, exp_eps: float, tau: float) -> None:
    inputs = {"between": (0.0, 1.0, place), "beyond": (place, 1.0, 0.0), "swapped": (1.0, place, 0.0)}[kind]
    (row,) = cell_rows(kind, place)
    assert excess(told(*inputs), exp_eps, tau) <= excess(row, exp_eps, tau) + SMALL


def test_the_check_of_spreads_fails_where_mass_is_wrong_or_tails_or_the_interior_are_dropped() -> None:
    taus = [k / 10 for k in range(-40, 11)]
    zero, exact = Fraction(0), told(0.0, 1.0, 0.0)
    with precision(128):
        fine = gaussian_family._row((zero, Fraction(1)), (zero, zero), Fraction(7), 300)
    row = [tuple(map(float, message)) for message in fine]

    def holds(wrong: Row) -> bool:
        return all(excess(exact, 1.05, tau) <= excess(wrong, 1.05, tau) + SMALL for tau in taus)

    assert holds(row)
    place = max(range(len(row)), key=lambda k: row[k][1])
    p, q, r = row[place]
    assert not holds([*row[:place], (p, q + 0.01, r), *row[place + 1 :]])  # mass of P on the wrong side
    assert not holds([message for message in row if message[2] > 1e-3])  # tails dropped
    middle, rest = told(0.0, 1.0, 0.5), [*cell_rows("between", 0.0), *cell_rows("between", 1.0)]
    assert any(  # without the interior: between the ends of L at both ends alone some excess is missed
        excess(middle, 1.05, tau) > min(excess(one, 1.05, tau) for one in rest) + SMALL for tau in taus
    )


def test_all_rows_are_laws_but_for_what_is_charged_and_thinned() -> None:
    for row in spreads().rows:
        p, q, r = (sum(column) for column in zip(*row, strict=True))
        assert 1 <= p < 1 + 1e-11
        assert 1 - 1e-5 < q <= 1
        assert 0.5 < r <= 1
    assert float(spreads().gamma) == pytest.approx(math.erfc(0.5 / math.sqrt(2)))


@given(st.floats(0.1, 400), st.integers(0, 13))
@settings(max_examples=40, deadline=None)
def test_a_cut_charges_what_it_takes(most: float, place: int) -> None:
    """Beside the same in fractions, at ratios that some atoms have as well."""
    row = mixture_of(spreads().rows[place])
    atom = row.atoms[int(most) % len(row.atoms)]
    for ratio in (Fraction(most), max(Fraction(1, 10), (atom.first - atom.second) / atom.weight)):
        cut = row.cut(ratio)
        kept = [min(a.first, a.second + ratio * a.weight) for a in row.atoms]
        assert [a.first for a in cut.atoms] == kept
        assert [(a.second, a.weight) for a in cut.atoms] == [(a.second, a.weight) for a in row.atoms]
        taken = sum(a.first for a in row.atoms) - sum(kept)
        assert sum(p for p, _ in cut.charges) == sum(p for p, _ in row.charges) + taken
        assert cut.charges[: len(row.charges)] == row.charges


def test_bins_are_laws_beside_those_of_the_distribution_function() -> None:
    (table,) = ONE.binned(6)
    first, second = ([getattr(c, name) for c in table.classes] for name in ("first", "second"))
    assert sum(first) == sum(second) == 1
    apart = sum(abs(p - q) for p, q in zip(first, second, strict=True)) / 2
    assert 0.97 * (2 * below(0.5) - 1) < apart <= 2 * below(0.5) - 1 + SMALL


@pytest.mark.parametrize("exp_eps", ["1", "3/2", "4"])
def test_one_user_has_the_closed_local_profile(exp_eps: str) -> None:
    delta = ShuffleProtocol(ONE, 1).privacy_profile().delta(exp_eps=exp_eps)
    level = float(Fraction(exp_eps))
    exact = below(0.5 - math.log(level)) - level * below(-0.5 - math.log(level))
    assert float(delta.lo) - SMALL <= exact <= float(delta.hi) + SMALL
    assert float(delta.hi - delta.lo) < 0.01 * exact


@pytest.mark.slow
@pytest.mark.parametrize(("users", "exp_eps"), [(10, 1.5), (100, 1.3)])
def test_draws_of_likelihood_ratios_lie_between_the_ends(users: int, exp_eps: float) -> None:
    rng, times = np.random.default_rng(users), 100_000
    z = rng.standard_normal((times, users))  # all others hold 0, and so does the second input of the user who differs
    values = np.maximum(0, (np.exp(z - 0.5) - exp_eps).sum(axis=1)) / users
    mean, error = values.mean(), values.std() / math.sqrt(times)
    bracket = ShuffleProtocol(ONE, users).privacy_profile().bracket(exp_eps=Fraction(str(exp_eps)))
    assert mean - 5 * error <= float(bracket.upper.hi)
    assert float(bracket.lower.hi) * 1.02 + 5 * error >= mean  # an end that is much too low is seen


@pytest.mark.slow
def test_draws_of_two_rounds_lie_between_the_ends() -> None:
    users, level, rng, values = 1000, Fraction(11, 10), np.random.default_rng(7), list[float]()
    for _ in range(200):
        z = rng.standard_normal((1000, 2, users))  # all others hold 0, and so does the second input
        ratios = np.exp(z - 0.5).mean(axis=2).prod(axis=1)
        values += np.maximum(0, ratios - float(level)).tolist()
    mean, error = np.mean(values), np.std(values) / math.sqrt(len(values))
    delta = ShuffleProtocol(ONE, users).privacy_profile().compose(2).delta(exp_eps=level, relative_width="1/20")
    assert mean - 5 * error <= float(delta.hi) < 1.2 * float(delta.lo)
    assert float(delta.lo) * 1.1 + 5 * error >= mean


@pytest.mark.slow
def test_the_ends_are_near() -> None:
    delta = ShuffleProtocol(ONE, 10**4).privacy_profile().delta(exp_eps="26/25")
    assert 1 < float(delta.hi / delta.lo) < 1.04  # eps within 0.3 %


def test_what_is_out_of_range_is_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"^sigma=1/4 is not from 1/2 to 2\^10\. Pass the deviation"):
        gaussian(sigma="1/4", delta0="1e-12")
    with pytest.raises(InvalidValueError, match=r"^delta0=1/2 is not from 2\^-80 to 1/4\. Pass how likely"):
        gaussian(sigma=1, delta0="1/2")
    assert below(-float(ONE.tau)) + below(-float(ONE.tau) - 1) <= 1e-12 < 4 * below(-float(ONE.tau))
