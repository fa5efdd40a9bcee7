"""The arithmetic of composed bounds, step by step: what is rounded or cut is paid for, and no more than that."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, floor
from random import Random

import mpmath
import pytest
from flint import arb, fmpz, fmpz_poly

from exactdp.errors import TooLargeError
from exactdp.numbers.balls import precision
from exactdp.numbers.real import Real
from exactdp.privacy.composition import powers
from exactdp.privacy.composition.losses import WORKING_BITS, LossPair
from exactdp.privacy.composition.powers import Factor, LowerFactor, Tuning, lower_bound, upper_bound
from tests.oracles import high_precision

BITS = 12
ONE = 2**BITS
EIGHTH = Fraction(1, 8)
FINE = Tuning(Fraction(1, 1000), Fraction(0), 200, 190, 10**6)


def lattice(theta: Fraction = Fraction(0), cut: int = BITS, step: Fraction = Fraction(1, 4)) -> powers._TiltedLattice:
    return powers._TiltedLattice(Tuning(step, theta, BITS, cut, 10**6))


def halving_ladder(theta: int) -> powers._TiltedLattice:
    """Losses at multiples of ln 2, so that all their exponentials are powers of two."""
    found = lattice(Fraction(theta))
    found.step = arb(2).log()
    return found


def coefficients(poly: fmpz_poly) -> list[int]:
    return [int(c) for c in poly.coeffs()]


def numbers(random: Random, size: int, most: int = 2 * ONE) -> list[int]:
    return [random.choice([0, 1, random.randint(0, most), random.randint(0, most)]) for _ in range(size)]


def convolved(left: list[int], right: list[int]) -> list[int]:
    found = [0] * (len(left) + len(right) - 1)
    for (i, x), (j, y) in product(enumerate(left), enumerate(right)):
        found[i + j] += x * y
    return found


def placed(poly: fmpz_poly, offset: int) -> dict[int, int]:
    return {offset + i: c for i, c in enumerate(coefficients(poly)) if c}


def exact_ends(ball: arb) -> tuple[Fraction, Fraction]:
    ends = []
    for end in (ball.lower(), ball.upper()):
        mantissa, exponent = map(int, end.man_exp())
        ends.append(Fraction(mantissa) * Fraction(2) ** exponent)
    return ends[0], ends[1]


# --- rounding and cutting ---


def test_balls_are_rounded_outward_to_integers_of_at_least_0():
    for middle, radius, low, high in [
        (2.5, 0.75, 1, 4),
        (3, 0, 3, 3),
        (-2.5, 0.25, 0, 0),
        (0.5, 1, 0, 2),
        (0, 0, 0, 0),
    ]:
        assert powers._down(arb(middle, radius)) == low
        assert powers._up(arb(middle, radius)) in {high, high + (radius > 0 and high == middle + radius)}


def test_quotients_are_rounded_up():
    random = Random(1)
    for _ in range(100):
        value = random.randint(0, 2**30)
        assert powers._ceil_shift(fmpz(value), BITS) == ceil(Fraction(value, ONE))
    values = [0, 1, ONE - 1, ONE, ONE + 1, *numbers(random, 20, 2**30)]
    for size in (1, 3, len(values)):  # the longest last: what serves shorter ones is kept
        found = coefficients(lattice().ceiling(fmpz_poly(values[:size])))
        expected = [ceil(Fraction(value, ONE)) for value in values[:size]]
        assert found == expected[: len(found)]
        assert not any(expected[len(found) :])


def test_the_range_that_is_kept():
    """Both ends lose as much as ``cut`` allows, one value stays, and what is left out is told."""
    random = Random(2)
    for _ in range(500):
        values, cut = [random.randint(0, 4) for _ in range(random.randint(1, 7))], random.randint(0, 6)
        (low, high), lost = powers._ends([fmpz(v) for v in values], fmpz(cut))
        assert 0 <= low < high <= len(values)
        assert lost == sum(values[:low]) + sum(values[high:])
        assert sum(values[:low]) <= cut >= sum(values[high:])
        assert low == len(values) - 1 or sum(values[: low + 1]) > cut
        assert high == low + 1 or sum(values[high - 1 :]) > cut


def test_sparse_entries_become_dense():
    assert coefficients(powers._dense([(-2, fmpz(5)), (1, fmpz(7))])) == [5, 0, 0, 7]
    assert coefficients(powers._dense([(3, fmpz(5))])) == [5]
    assert powers._dense([(1, fmpz(1)), (powers.MAX_COEFFICIENTS, fmpz(1))]).length() == powers.MAX_COEFFICIENTS
    with pytest.raises(TooLargeError, match=rf"take {powers.MAX_COEFFICIENTS + 1} lattice points"):
        powers._dense([(0, fmpz(1)), (powers.MAX_COEFFICIENTS, fmpz(1))])


@pytest.mark.parametrize("offset", [-3, -2, 0, 1])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_halves_are_the_even_and_the_odd_places(offset, size):
    values = list(range(1, size + 1))
    even, odd, half = powers._halves(fmpz_poly(values), offset)
    found = {2 * place: c for place, c in placed(even, half).items()}
    found |= {2 * place + 1: c for place, c in placed(odd, half).items()}
    assert found == placed(fmpz_poly(values), offset)


# --- products ---


@pytest.mark.parametrize("cut", [1, 4, BITS])
def test_a_product_from_above_pays_for_all_that_is_lost(cut):
    """(A + a)(B + b) - A B is lost where a and b were before, and what the ends lose now."""
    random, rule = Random(cut), lattice(cut=cut)
    for _ in range(60):
        (left, right), lost = [numbers(random, random.randint(1, 5)) for _ in "ab"], numbers(random, 2, ONE)
        left[0] += 1
        right[-1] += 1
        found = powers._Above(fmpz_poly(left), -3, fmpz(lost[0]), 2).times(
            powers._Above(fmpz_poly(right), 5, fmpz(lost[1]), 2), rule
        )
        before = (sum(left) + lost[0]) * (sum(right) + lost[1]) - sum(left) * sum(right)
        exact = {2 + i: ceil(Fraction(c, ONE)) for i, c in enumerate(convolved(left, right)) if c}
        kept = placed(found.poly, found.offset)
        assert kept.items() <= exact.items()
        left_out = sum(c for place, c in exact.items() if place not in kept)
        assert found.lost == ceil(Fraction(before, ONE)) + left_out
        assert found.level == 2
        assert left_out <= 2 * max(1, ONE >> cut)


def test_a_product_from_below_rounds_one_side_down_and_the_other_up():
    random = Random(5)
    for cut in (1, 4, BITS):
        rule = lattice(cut=cut)
        for _ in range(40):
            sides = [[x + 1 for x in numbers(random, 4)] for _ in range(4)]
            found = powers._Below(*map(fmpz_poly, sides[:2]), -3, 1).times(
                powers._Below(*map(fmpz_poly, sides[2:]), 5, 1), rule
            )
            first, second = placed(found.poly, found.offset), placed(found.second, found.offset)
            firsts = {2 + i: floor(Fraction(c, ONE)) for i, c in enumerate(convolved(sides[0], sides[2]))}
            seconds = {2 + i: ceil(Fraction(c, ONE)) for i, c in enumerate(convolved(sides[1], sides[3]))}
            inside = range(found.offset, found.offset + found.poly.length())
            assert first == {place: firsts[place] for place in inside if firsts[place]}
            assert second == {place: seconds[place] for place in inside}
            assert sum(firsts.values()) - sum(first.values()) <= 2 * max(1, ONE >> cut)
            assert found.level == 1


@pytest.mark.parametrize("theta", [0, 1, 3])
@pytest.mark.parametrize("level", [0, 1])
def test_a_wider_lattice_spreads_odd_losses_to_both_sides(theta, level):
    """A mass at (2j+1) h goes to 2jh and (2j+2) h in the shares 1 / (1 + e^h) and 1 / (1 + e^-h)."""
    random, ratio = Random(theta), Fraction(2) ** 2**level  # e^h
    with precision(WORKING_BITS):
        rule = halving_ladder(theta)
        for offset in (-3, 0, 2):
            values = numbers(random, 6)
            found = powers._Above(fmpz_poly(values), offset, fmpz(17), level).coarsened(rule)
            exact: dict[int, Fraction] = {}
            for place, mass in placed(fmpz_poly(values), offset).items():
                at = place // 2
                if place % 2:
                    exact[at] = exact.get(at, Fraction(0)) + mass / ratio**theta / (1 + ratio)
                    exact[at + 1] = exact.get(at + 1, Fraction(0)) + mass * ratio**theta / (1 + 1 / ratio)
                else:
                    exact[at] = exact.get(at, Fraction(0)) + mass
            kept = placed(found.poly, found.offset)
            assert exact.keys() == kept.keys()
            assert all(
                exact[place] <= kept[place] < exact[place] + Fraction(values_above(values), ONE) + 1 for place in exact
            )
            assert (found.lost, found.level) == (17, level + 1)


def values_above(values: list[int]) -> int:
    """What factors of one bit too much add at most: one unit for each unit of two neighbours."""
    return 2 * max(values)


@pytest.mark.parametrize("theta", [0, 1, 3])
@pytest.mark.parametrize("level", [0, 1])
def test_wider_buckets_hold_both_outcomes(theta, level):
    """The outcome at 2j+1 goes to 2j: P is tilted by theta and Q by theta + 1, rounded down and up."""
    random, ratio = Random(theta), Fraction(2) ** 2**level
    with precision(WORKING_BITS):
        rule = halving_ladder(theta)
        for offset in (-3, 0, 2):
            sides = [[x + 1 for x in numbers(random, 6)] for _ in "pq"]
            found = powers._Below(*map(fmpz_poly, sides), offset, level).coarsened(rule)
            exact = [dict[int, Fraction](), dict[int, Fraction]()]
            for side, tilt in ((0, theta), (1, theta + 1)):
                for place, mass in placed(fmpz_poly(sides[side]), offset).items():
                    moved = mass / ratio**tilt if place % 2 else Fraction(mass)
                    exact[side][place // 2] = exact[side].get(place // 2, Fraction(0)) + moved
            slack = Fraction(max(map(max, sides)), ONE) + 1
            first, second = placed(found.poly, found.offset), placed(found.second, found.offset)
            assert all(p - slack < first.get(place, 0) <= p for place, p in exact[0].items())
            assert all(q <= second[place] < q + slack for place, q in exact[1].items())
            assert found.level == level + 1


@pytest.mark.parametrize("times", [1, 2, 3, 6, 7])
def test_powers_and_products_of_different_lattices(times):
    """Without rounding a power is the repeated convolution; a product is on the wider lattice."""
    with precision(WORKING_BITS):
        rule = halving_ladder(0)
        base = powers._Above(fmpz_poly([ONE, 0, 2 * ONE]), -1, fmpz(0))
        found = rule.power(base, times)
        values = [1]
        for _ in range(times):
            values = convolved(values, [1, 0, 2])
        assert placed(found.poly, found.offset) == {i - times: ONE * c for i, c in enumerate(values) if c}
        wide = base.coarsened(rule)
        for left, right in ((base, wide), (wide, base)):
            joined = rule.join(left, right)
            both = wide.times(wide, rule)
            assert (placed(joined.poly, joined.offset), joined.level) == (placed(both.poly, both.offset), 1)


def test_long_products_are_shortened():
    with precision(WORKING_BITS):
        rule = powers._TiltedLattice(Tuning(Fraction(1, 4), Fraction(0), BITS, BITS, 9))
        above = powers._Above(fmpz_poly([ONE // 8] * 8), 0, fmpz(0))
        below = powers._Below(fmpz_poly([ONE // 8] * 8), fmpz_poly([ONE // 8] * 8), 0)
        found = rule.power(above, 2)
        assert (found.level, 7 <= found.poly.length() <= 9) == (1, True)
        both = rule.power(below, 2)
        assert (both.level, 7 <= both.poly.length() <= 9) == (1, True)


# --- what a product says ---


@pytest.mark.parametrize("exp_eps", [Real(1), Real("7/4"), Real(9), Real.exp("1/2"), Real.exp(40)])
@pytest.mark.parametrize(
    ("theta", "level", "offset"), [(Fraction(0), 0, -3), (Fraction(3, 2), 1, -2), (Fraction(5), 0, 4)]
)
def test_the_value_of_a_measure_is_the_sum_above_eps(exp_eps, theta, level, offset):
    values, step = [300, 0, 17, 4000, 5, 90], Fraction(1, 4) * 2**level
    poly = fmpz_poly(values)
    with precision(WORKING_BITS):
        found = lattice(theta).value(powers._Above(poly, offset, fmpz(0), level), exp_eps, arb(3))
        lo, hi = exact_ends(found)
    with high_precision.sixty_digits():
        number = high_precision.number
        order = mpmath.exp(number(exp_eps.exponent)) * number(exp_eps.coefficient)
        truth = 3 * sum(
            number(Fraction(c, ONE)) * mpmath.exp(-number(theta * s)) * max(0, 1 - order * mpmath.exp(-number(s)))
            for i, c in enumerate(values)
            for s in [step * (offset + i)]
        )
        slack = mpmath.mpf(10) ** -55
        assert number(lo) - slack <= truth <= number(hi) + slack
        assert number(hi - lo) <= mpmath.mpf(10) ** -55


@pytest.mark.parametrize("order", [1, 2, 5, 400])
def test_the_difference_from_below_is_the_sum_where_it_is_positive(order):
    """P_s - E Q_s from the first s on where it is positive, for ratios that rise."""
    firsts, seconds = [40, 0, 300, 2000, 900, 60], [300, 7, 700, 1500, 200, 1]
    for theta, level, offset in ((Fraction(0), 0, -2), (Fraction(3, 2), 1, 1)):
        step = Fraction(1, 4) * 2**level
        side = powers._Below(fmpz_poly(firsts), fmpz_poly(seconds), offset, level)
        with precision(WORKING_BITS):
            rule = lattice(theta)
            first = rule._threshold(side, arb(order))
            lo, hi = exact_ends(rule.difference(side, Real(order), arb(3)))
        with high_precision.sixty_digits():
            number, terms = high_precision.number, []
            for i, (p, q) in enumerate(zip(firsts, seconds, strict=True)):
                s = number(step * (offset + i))
                left = p * mpmath.exp(-number(theta) * s) / ONE
                terms.append((left - order * q * mpmath.exp(-(number(theta) + 1) * s) / ONE, p))
            positive = [i for i, (term, p) in enumerate(terms) if term > 0 and p]
            assert first == (positive[0] if positive else len(firsts))
            truth = 3 * sum(term for term, _ in terms[first:])
            assert number(lo) - mpmath.mpf(10) ** -55 <= truth <= number(hi) + mpmath.mpf(10) ** -55
            assert number(hi - lo) <= mpmath.mpf(10) ** -55


def pair(*masses: tuple[str, str]) -> LossPair:
    return LossPair.of([(Fraction(p), Fraction(q)) for p, q in masses])


@pytest.mark.parametrize("theta", [Fraction(1, 4), Fraction(1), Fraction(2), Fraction(6)])
def test_what_is_cut_counts_as_much_as_it_can(theta):
    """A rare loss where (1 - E e^-x) e^(-theta x) is largest is cut: the bound of it is its share, and hardly more."""
    exp_eps, rare = Fraction(2), Fraction(1, 2**60)
    ratio = exp_eps * (1 + theta) / theta  # e^x at the maximum: E e^-x = theta / (1 + theta)
    told = [(rare, rare / ratio), (Fraction(1), Fraction(1))]
    tuning = Tuning(Fraction(1, 4000), theta, 400, 20, 10**6)
    found = upper_bound([Factor((LossPair.of(told),), 1, None)], Real(exp_eps), tuning)
    truth = rare * (1 - exp_eps / ratio)
    assert truth <= found.cut.fraction() <= found.value.fraction() <= truth * Fraction(101, 100)


def test_without_a_tilt_all_that_is_cut_counts():
    rare = Fraction(1, 2**60)
    told = LossPair.of([(rare, rare / 2**30), (Fraction(1), Fraction(1))])
    tuning = Tuning(Fraction(1, 100), Fraction(0), 200, 20, 10**6)
    found = upper_bound([Factor((told,), 1, None)], Real(2), tuning)
    assert rare <= found.cut.fraction() <= rare * Fraction(101, 100)


def test_beyond_the_largest_loss_only_the_mass_at_infinity_counts():
    told = pair(("5/8", "3/8"), ("1/4", "5/8"), ("1/8", "0"))
    for times, exp_eps in ((1, 2), (2, 3), (3, 5)):  # the largest finite ratio is 5/3
        infinite = 1 - (1 - EIGHTH) ** times
        found = upper_bound([Factor((told,), times, None)], Real(exp_eps), FINE)
        assert infinite <= found.value.fraction() <= infinite * (1 + Fraction(1, 2**100))
        assert found.infinite == found.value
        assert found.cut.mantissa == 0
        lower = lower_bound([LowerFactor(told, times, None)], Real(exp_eps), FINE).fraction()
        assert infinite * (1 - Fraction(1, 2**100)) <= lower <= infinite
    both = upper_bound([Factor((told,), 1, None), Factor((told,), 1, None)], Real(3), FINE)
    assert both.value.fraction() >= 1 - (1 - EIGHTH) ** 2
    inside = upper_bound([Factor((told,), 2, None)], Real(Fraction(26, 10)), FINE)  # below 25/9
    assert inside.value.fraction() > 1 - (1 - EIGHTH) ** 2


def test_all_of_the_mass_at_infinity_is_delta_1():
    told = pair(("1", "0"))
    assert upper_bound([Factor((told,), 3, None)], Real(7), FINE).value.fraction() == 1
    assert lower_bound([LowerFactor(told, 3, None)], Real(7), FINE).fraction() == 1


@pytest.mark.parametrize("exp_eps", [Fraction(1), Fraction(3, 2), Fraction(2)])
@pytest.mark.parametrize("cap", [None, Fraction(-1), Fraction(1, 4), Fraction(2)])
def test_outcomes_above_a_cap_are_set_aside_or_infinite(cap, exp_eps):
    """From above they count as infinite, from below in the event with all their mass; two runs, by all outcomes."""
    rows = [
        (Fraction(5, 8), Fraction(3, 8)),
        (Fraction(1, 8), Fraction(1, 16)),
        (EIGHTH, Fraction(9, 16)),
        (EIGHTH, Fraction(0)),
    ]
    told = LossPair.of(rows)
    aside = [p for p, q in rows if cap is not None and p and (not q or Fraction(p, q) > limit(cap))]
    upper = upper_bound([Factor((told,), 2, cap)], Real(exp_eps), FINE)
    lower = lower_bound([LowerFactor(told, 2, cap)], Real(exp_eps), FINE)
    joint = [(p * r, q * s) for (p, q), (r, s) in product(rows, rows)]
    truth = sum((max(Fraction(0), p - exp_eps * q) for p, q in joint), Fraction(0))
    assert lower.fraction() <= truth <= upper.value.fraction()
    infinite = 1 - (1 - sum(aside, Fraction(0)) if cap is not None else 1 - EIGHTH) ** 2
    assert infinite <= upper.infinite.fraction() <= infinite + Fraction(1, 2**100)
    if cap is None or cap > 1:
        assert upper.value.fraction() <= truth + Fraction(1, 100)
        assert lower.fraction() >= truth - Fraction(1, 100)
    else:  # the event holds every outcome with one that is set aside
        seconds = sum((q for p, q in rows if q and p / q > limit(cap)), Fraction(0))
        event = 1 - (1 - sum(aside)) ** 2 - exp_eps * (1 - (1 - seconds) ** 2)
        assert lower.fraction() >= max(event, 1 - (1 - EIGHTH) ** 2) - Fraction(1, 2**100)


def limit(cap: Fraction) -> Fraction:
    """A number near e^cap: no ratio of the test is nearer."""
    return Fraction(round(float(mpmath.exp(float(cap))) * 1000), 1000)


def test_products_of_different_factors_hold_all_of_them():
    """Three mechanisms, the second one twice, by all outcomes: between both bounds, which are near."""
    listed = [
        ([(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))], 1),
        ([(Fraction(1, 2), Fraction(1, 3)), (Fraction(1, 2), Fraction(2, 3))], 2),
        ([(Fraction(7, 8), Fraction(1, 2)), (EIGHTH, Fraction(1, 2))], 1),
    ]
    joint = [(Fraction(1), Fraction(1))]
    for rows, times in listed:
        for _ in range(times):
            joint = [(p * r, q * s) for (p, q), (r, s) in product(joint, rows)]
    for exp_eps in (Fraction(1), Fraction(2), Fraction(6)):
        truth = sum((max(Fraction(0), p - exp_eps * q) for p, q in joint), Fraction(0))
        upper = upper_bound([Factor((LossPair.of(rows),), times, None) for rows, times in listed], Real(exp_eps), FINE)
        lower = lower_bound(
            [LowerFactor(LossPair.of(rows), times, None) for rows, times in listed], Real(exp_eps), FINE
        )
        assert truth * Fraction(99, 100) <= lower.fraction() <= truth <= upper.value.fraction()
        assert upper.value.fraction() <= truth + Fraction(1, 1000)
