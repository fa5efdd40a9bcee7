"""The swap bound of every eps0-DP randomizer: against all data sets of random ones, and of the five extremes."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from exactdp import Real
from exactdp.numbers.balls import precision
from exactdp.privacy.amplification.input_pairs import EveryPairs
from exactdp.privacy.amplification.positive_part import Mixture, mixture_of
from exactdp.privacy.amplification.swap_bound import PairBound
from exactdp.privacy.amplification.swap_choices import Plan
from exactdp.randomizers import any_randomizer
from tests.expensive import recorded
from tests.oracles.data_sets import divergence_of, worst_divergences
from tests.oracles.positive_parts import divergence
from tests.thinned import thinned
from tests.unit.privacy.amplification.swap_plans import (
    BITS,
    at_plan,
    check_pair,
    check_plans,
    enclosed_at,
    good_plan,
    random_plan,
)

F = Fraction
RATIOS = (F(11, 10), F(3, 2), F(2), F(3), F(5), F(20))


def bound_of_every(ratio):
    (bound,) = EveryPairs(any_randomizer(exp_eps0=ratio)).bounds
    return bound


def extreme_tables(ratio):
    """The five extreme randomizers as tables of three inputs."""
    return [
        {x: {(m,): message[x] for m, message in enumerate(messages)} for x in range(3)}
        for messages in any_randomizer(exp_eps0=ratio).extremes()
    ]


def subsets(inputs, size, ratio):
    """Each message is likelier by the ratio under ``size`` of the inputs."""
    messages = list(combinations(range(inputs), size))
    totals = sum(ratio if 0 in chosen else F(1) for chosen in messages)
    return {
        x: {(m,): (ratio if x in chosen else F(1)) / totals for m, chosen in enumerate(messages)} for x in range(inputs)
    }


def generic(draw, inputs, messages):
    """Any rows without zeros, and their own largest ratio."""
    weights = [[draw.randint(1, 9) for _ in range(messages)] for _ in range(inputs)]
    rows = [[F(w, sum(row)) for w in row] for row in weights]
    ratio = max(max(column) / min(column) for column in zip(*rows, strict=True))
    return {x: {(m,): p for m, p in enumerate(row)} for x, row in enumerate(rows)}, ratio


def mixed(one, other, share):
    """The randomizer that follows one with a probability, else the other, and says which."""
    return {
        x: {("one", *m): share * p for m, p in one[x].items()}
        | {("other", *m): (1 - share) * p for m, p in other[x].items()}
        for x in one
    }


def random_private_table(draw):
    """A randomizer and an E0 > 1 within which all its rows lie: most reach it everywhere."""
    ratio = draw.choice(RATIOS)
    kind = draw.choice(["generic", "extreme", "subsets", "mixed"])
    if kind == "generic":
        table, ratio = generic(draw, draw.choice([2, 3]), draw.choice([2, 3]))
        return (table, ratio) if ratio > 1 else random_private_table(draw)
    if kind == "extreme":
        return draw.choice(extreme_tables(ratio)), ratio
    inputs = draw.choice([2, 3, 4])
    one = subsets(inputs, draw.randint(1, inputs - 1), ratio)
    if kind == "subsets":
        return one, ratio
    other = subsets(inputs, draw.randint(1, inputs - 1), draw.choice([ratio, (1 + ratio) / 2]))
    table = mixed(one, other, F(draw.randint(1, 9), 10))
    return {x: {(sent,): p for sent, p in row.items()} for x, row in table.items()}, ratio


def check_random(seeds):
    shares = []
    for seed in seeds:
        draw = random.Random(seed)
        table, ratio = random_private_table(draw)
        users = draw.randint(3, 10 if len(table) == 2 else 6 if len(table[0]) < 5 else 4)
        exp_eps = 1 + (ratio - 1) * draw.choice([F(0), F(1, 10), F(1, 3), F(1, 2), F(4, 5), F(1), F(6, 5)])
        truth = max(worst_divergences(table, users, exp_eps).values())
        bound = bound_of_every(ratio)
        check_pair(bound, users, exp_eps, truth, seed)
        choices = [random_plan(draw, bound, users, exp_eps) for _ in range(3)]
        shares.append(check_plans(bound, choices, users, exp_eps, truth, seed))
    return shares


def test_no_data_set_of_random_private_randomizers_is_above():
    seeds = recorded(range(60), every=3)
    shares = check_random(seeds)
    assert sum(one < 3 for one in shares) > len(seeds) / 12  # near enough for a gross mistake to show; finer ones below


@pytest.mark.slow
def test_no_data_set_of_a_thousand_private_randomizers_is_above():
    """The recorded run had four thousand."""
    check_random(recorded(range(1000, 2000)))


@pytest.mark.parametrize("users", [3, 4, 7])
@pytest.mark.parametrize("ratio", thinned(RATIOS, every=3))
def test_each_extreme_beside_a_third_input_is_below_its_own_bound(ratio, users):
    """Brute force is the closed form of the lower end; and it is at most the bound beside that one row."""
    draw = random.Random(users)
    whole = bound_of_every(ratio)
    for exp_eps in (F(1), (2 + ratio) / 3, (1 + 9 * ratio) / 10):
        for messages, table in zip(any_randomizer(exp_eps0=ratio).extremes(), extreme_tables(ratio), strict=True):
            truth = divergence_of(table, (0, 1), [2] * (users - 1), exp_eps)
            assert truth == divergence(messages, users, exp_eps)
            own = replace(whole, rows=(mixture_of(messages),))
            choices = [random_plan(draw, own, users, exp_eps, own=False) for _ in range(4)]
            check_plans(own, choices, users, exp_eps, truth, messages)
            assert truth <= whole.divergence(users, Real(exp_eps), relative_bits=20).hi


@pytest.mark.parametrize("ratio", RATIOS[:4])
def test_the_bound_is_just_above_the_worst_extreme(ratio):
    """Thirty users at E = 1, each extreme by brute force: at most 15 % above, at the choices of the product."""
    truth = max(divergence_of(table, (0, 1), [2] * 29, F(1)) for table in extreme_tables(ratio))
    swapped = bound_of_every(ratio).swapped(30, Real(1), 20)
    assert truth < swapped.lo
    assert swapped.hi < truth * F(23, 20)


@pytest.mark.parametrize("ratio", thinned([F(11, 10), F(2)], every=2))
def test_no_data_set_of_many_users_of_an_extreme_is_above(ratio):
    """All 91 multisets of twelve others, for each of the five and every pair of inputs."""
    for table in extreme_tables(ratio):
        for exp_eps in (F(1), (4 + ratio) / 5):
            truth = max(worst_divergences(table, 13, exp_eps).values())
            check_pair(bound_of_every(ratio), 13, exp_eps, truth, table)


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_extremes_are_those_of_the_six_rays(ratio):
    """Each message is one of the rays; rows are laws; and only the third has P = Q."""
    extremes = any_randomizer(exp_eps0=ratio).extremes()
    for messages in extremes:
        assert [sum(column) for column in zip(*messages, strict=True)] == [1, 1, 1]
        assert all({max(m) / min(m)} == {ratio} and len(set(m)) == 2 for m in messages)
    assert [all(p == q for p, q, _ in messages) for messages in extremes] == [False, False, True, False, False]
    assert len(set(extremes)) == 5


def vertex_sum(messages, exp_eps, plan):
    """B of one row for four users: with gamma = 1 the swap bound of five is that alone."""
    one = PairBound(Mixture((), ()), F(1), (mixture_of(messages),), None)
    return enclosed_at(one, plan, 5, exp_eps, 20)


def test_messages_are_split_before_absolute_values_are_taken():
    """B does not rise with the convex order: a table may have a larger one than all five, here P = Q = R at E0 = 2.

    The theorem splits each message first, which raises E max(0, S), and takes absolute values of the split law.
    """
    tilt, exp_eps = F(1, 20), F(8, 5)
    plan = Plan(tilt, F(1, 100), F(1, 80), 40000, (1,), own=False)
    constant = vertex_sum([(F(1), F(1), F(1))], exp_eps, plan)
    extremes = [vertex_sum(messages, exp_eps, plan) for messages in any_randomizer(exp_eps0=2).extremes()]
    assert abs(constant.lo - F("2.2173")) < F(1, 1000)
    assert abs(max(one.hi for one in extremes) - F("2.1529")) < F(1, 1000)
    assert constant.lo > max(one.hi for one in extremes)


def test_the_extreme_whose_two_inputs_are_alike_may_decide():
    """At a small tilt the third one, with P = Q, has the largest B: without it the theorem would not be the theorem."""
    plan = good_plan(F(1, 20), (1,), F(1, 5), 40)
    extremes = [vertex_sum(messages, F(8, 5), plan) for messages in any_randomizer(exp_eps0=2).extremes()]
    assert extremes[2].lo > max(one.hi for place, one in enumerate(extremes) if place != 2)
    with precision(BITS):
        bound = bound_of_every(F(2))
        without = replace(bound, rows=bound.rows[:2] + bound.rows[3:])
        assert at_plan(without, plan, 5, F(8, 5)) < at_plan(bound, plan, 5, F(8, 5))
