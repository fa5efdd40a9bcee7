"""The sums in mpmath against enumeration and closed forms: they are the oracle of others, so they have their own."""

from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.reference import hockey_stick_sums, shuffled_counts, summed_laws
from exactdp.reference.hockey_stick_sums import far_enough, hockey_stick, laplace_shift, number, shifted, two_counts
from exactdp.reference.summed_laws import Steps, TooManySteps
from exactdp.testing import randomizers
from tests.oracles import brute_force

PLENTY = 10**7
HALF = Fraction(1, 2)


@pytest.fixture(autouse=True)
def fifty_digits():
    with mpmath.workdps(50):
        yield


def near(value, exact, digits=40):
    return abs(value - number(Fraction(exact))) <= mpmath.mpf(10) ** -digits


def mpf_table(table):
    return {i: {send: number(p) for send, p in row.items()} for i, row in table.items()}


@settings(max_examples=15)
@given(randomizers(max_inputs=3, max_messages=3), st.fractions(1, 4, max_denominator=6), st.booleans())
def test_the_worst_pair_is_that_of_listing_all_outputs(randomizer, exp_eps, removes):
    table = randomizer.table()
    event = shuffled_counts.neighbors_worst(mpf_table(table), 3, number(exp_eps), Steps(PLENTY), removes=removes)
    oracle = brute_force.Oracle(table, 3, brute_force.ADD_OR_REMOVE if removes else brute_force.REPLACE)
    assert near(event.delta(number(exp_eps)), oracle.delta(exp_eps))


@settings(max_examples=15)
@given(*[st.fractions(0, 1, max_denominator=7)] * 2, st.integers(1, 5), st.fractions(1, 4, max_denominator=6))
def test_the_scan_of_two_messages_is_that_of_listing_all_outputs(p, q, users, exp_eps):
    table = {0: {("a",): 1 - p, ("b",): p}, 1: {("a",): 1 - q, ("b",): q}}
    event = shuffled_counts.two_message_scan(number(p), number(q), users, number(exp_eps), Steps(PLENTY))
    assert near(event.delta(number(exp_eps)), brute_force.Oracle(table, users).delta(exp_eps))


@pytest.mark.parametrize("exp_eps", [Fraction(1), Fraction(7, 5)])
def test_sampled_counts_are_those_of_listing_who_is_sampled(exp_eps):
    views = []
    for holders in range(4):
        view = {}
        for sampled in product((0, 1), repeat=holders):
            shown = sum(sampled) if sum(sampled) >= 2 else 0
            mass = Fraction(1, 3) ** sum(sampled) * Fraction(2, 3) ** (holders - sum(sampled))
            view[shown] = view.get(shown, 0) + mass
        views.append(view)
    pairs = [(views[c + a], views[c + 1 - a]) for c in range(3) for a in (0, 1)]
    event = shuffled_counts.sampled_worst(3, number(Fraction(1, 3)), 2, number(exp_eps), Steps(PLENTY))
    assert near(event.delta(number(exp_eps)), max(brute_force.hockey_stick(p, q, exp_eps) for p, q in pairs))


def test_one_pair_of_data_sets():
    table = {0: {("a",): Fraction(3, 4), ("b",): Fraction(1, 4)}, 1: {("a",): HALF, ("b",): HALF}}
    event = shuffled_counts.pair_worst(mpf_table(table), [(2, 1), (3, 0)], 1, Steps(PLENTY))
    first, second = (brute_force.shuffled_law(table, data) for data in ((0, 0, 1), (0, 0, 0)))
    assert near(event.delta(1), max(brute_force.hockey_stick(p, q, 1) for p, q in ((first, second), (second, first))))


@settings(max_examples=15)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=3), st.integers(1, 4), st.integers(1, 3))
def test_u_n_is_the_mean_of_all_sums(drawn, n, exp_eps):
    total = sum(weight + 1 for _, _, weight in drawn)
    atoms = [(Fraction(a), Fraction(b), Fraction(weight + 1, total)) for a, b, weight in drawn]
    mean = Fraction(0)
    for copies in product(atoms, repeat=n):
        value = sum((a - exp_eps * b for a, b, _ in copies), Fraction(0))
        weight = Fraction(1)
        for _, _, probability in copies:
            weight *= probability
        mean += weight * max(Fraction(0), value)
    plain = [tuple(map(number, atom)) for atom in atoms]
    event = hockey_stick_sums.positive_mean(plain, n, exp_eps, Steps(PLENTY))
    assert near(event.delta(exp_eps), mean / n)


@settings(max_examples=15)
@given(randomizers(max_inputs=3, max_messages=3, max_sends=1, min_sends=1), st.fractions(1, 4, max_denominator=6))
def test_the_blanket_is_above_all_data_sets_and_equal_others_are_exact(randomizer, exp_eps):
    table, n = randomizer.table(), 3
    rows, level = list(table.values()), number(exp_eps)
    upper = hockey_stick_sums.blanket_bound(rows, n, level, Steps(PLENTY)).delta(level)
    assert upper >= number(brute_force.Oracle(table, n).delta(exp_eps)) - mpmath.mpf(10) ** -40
    values = list(table)
    for first, second, other in product(range(len(rows)), repeat=3):
        event = hockey_stick_sums.against(rows[first], rows[second], rows[other], n, level, Steps(PLENTY))
        views = [brute_force.shuffled_law(table, (values[own], *[values[other]] * (n - 1))) for own in (first, second)]
        assert near(event.delta(level), brute_force.hockey_stick(*views, exp_eps))


COIN = {0: Fraction(3, 4), 1: Fraction(1, 4)}
FLIP = {0: Fraction(1, 4), 1: Fraction(3, 4)}
SKEW = {0: Fraction(1, 8), 1: Fraction(7, 8)}


def power(law, times):
    views = {}
    for outcome in product(law, repeat=times):
        mass = Fraction(1)
        for y in outcome:
            mass *= law[y]
        views[outcome] = mass
    return views


@pytest.mark.parametrize("exp_eps", [Fraction(1), Fraction(3, 2), Fraction(4)])
def test_composition_is_that_of_listing_all_outcomes(exp_eps):
    pair, level = hockey_stick_sums.ratios(COIN, SKEW), number(exp_eps)
    listed = brute_force.hockey_stick(power(COIN, 3), power(SKEW, 3), exp_eps)
    assert near(hockey_stick_sums.same_data([pair], 3, level, Steps(PLENTY)).delta(level), listed)
    back = hockey_stick_sums.ratios(SKEW, COIN)
    beforehand = hockey_stick_sums.non_adaptive([([pair, back], 2)], level, Steps(PLENTY)).delta(level)
    strategies = [
        brute_force.hockey_stick(joint(first, other), joint(second, another), exp_eps)
        for first, second in ((COIN, SKEW), (SKEW, COIN))
        for other, another in ((COIN, SKEW), (SKEW, COIN))
    ]
    assert near(beforehand, max(strategies))
    # a strategy: the second run's order depends on the first run's outcome
    adaptive = hockey_stick_sums.adaptive([[pair, back]] * 2, level, Steps(PLENTY)).delta(level)
    after = [((COIN, SKEW), (SKEW, COIN))[k] for k in (0, 1)]
    best = max(
        sum(
            brute_force.hockey_stick(
                {y: p * first[x] for y, p in after[choice[x]][0].items()},
                {y: q * second[x] for y, q in after[choice[x]][1].items()},
                exp_eps,
            )
            for x in first
        )
        for first, second in ((COIN, SKEW), (SKEW, COIN))
        for choice in product((0, 1), repeat=2)
    )
    assert near(adaptive, best)


def joint(first, second):
    return {(x, y): p * q for x, p in first.items() for y, q in second.items()}


def test_noise_against_closed_forms():
    laplace = summed_laws.discrete_laplace(HALF)
    # ratios are 2 or 1/2 but at outcomes between the two: 1 - delta at e^eps = 1 is P[Y > 0] + P[Y <= 0] shifted
    event = far_enough(laplace, lambda listed: shifted(listed, 1, 1, (None, None)), 1, Steps(PLENTY))
    assert near(event.delta(1), Fraction(1, 3))  # P[Y = 0]
    coins = {k: number(Fraction(comb(6, k), 2**6)) for k in range(7)}
    assert near(shifted(coins, 1, 1).delta(1), Fraction(20, 64))  # the largest weight
    first = {(x, y): coins[x] * coins[y] for x in coins for y in coins}
    second = {(x + 1, y - 1): mass for (x, y), mass in first.items()}
    assert abs(two_counts(coins, 2).delta(2) - hockey_stick(first, second, 2).delta(2)) < mpmath.mpf(10) ** -40


def test_continuous_noise_is_the_integral_of_its_density():
    def above(x):
        return max(0, mpmath.exp(-abs(x) / 2) / 4 - mpmath.mpf("1.1") * mpmath.exp(-abs(x - 1) / 2) / 4)

    with mpmath.workdps(20):
        end = mpmath.mpf(1) / 2 - mpmath.log(mpmath.mpf("1.1"))
        integral = mpmath.quad(above, [-60, -10, 0, end, 1])
        level = mpmath.mpf("1.1")
        assert abs(laplace_shift(mpmath.mpf(2), mpmath.mpf(1), level).delta(level) - integral) < mpmath.mpf(10) ** -12


@pytest.mark.parametrize(
    "make",
    [
        lambda: summed_laws.binomial(9, Fraction(1, 3)),
        lambda: summed_laws.binomial_sum(4, Fraction(1, 3), 5, Fraction(3, 4)),
        lambda: summed_laws.negative_binomial(Fraction(5, 2), HALF),
        lambda: summed_laws.geometric(HALF),
        lambda: summed_laws.poisson(3),
        lambda: summed_laws.discrete_laplace(HALF),
        lambda: summed_laws.discrete_uniform(2, 5),
    ],
)
def test_ratios_are_those_of_the_weights_and_weights_add_up(make):
    law = make()
    for t, u in ((3, 4), (4, 3), (3, 3), (2, 5)):
        assert abs(law.ratio(t, u) * law.pmf(u) - law.pmf(t)) < mpmath.mpf(10) ** -45
    assert abs(law.cdf(3) + law.sf(3) - 1) < mpmath.mpf(10) ** -45
    assert law.ratio(-1, 3) == 0 or law.low is None


def test_sums_that_are_too_long_are_not_begun():
    with pytest.raises(TooManySteps):
        shuffled_counts.two_message_scan(number(HALF), number(HALF), 10**6, 2, Steps(10**6))
    with pytest.raises(TooManySteps):
        hockey_stick_sums.positive_mean([(1, 0, number(HALF)), (0, 1, number(HALF))], 10**9, 2, Steps(10**6))
    with pytest.raises(TooManySteps):
        summed_laws.poisson(10**9).sf(0, Steps(100))
