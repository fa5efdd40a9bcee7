"""The swap bound against the worst of all data sets, listed in integers, at every choice of tilt, nodes and stages."""

import random
from fractions import Fraction
from itertools import permutations

import pytest

from exactdp import Randomizer, Real
from exactdp.mechanisms.pair_table import pair_table
from exactdp.numbers.balls import precision, rational_ball, real_ball
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import TablePairs
from exactdp.privacy.amplification.swap_bound import PairBound, _AtPlan
from exactdp.privacy.amplification.swap_choices import Plan
from tests.oracles.brute_force import Oracle
from tests.oracles.data_sets import worst_divergences

F = Fraction
BITS = 192
"""At which bounds are compared with exact worst cases; nodes that hardly matter leave an accuracy of some 80 bits."""

SIZES = ((2, 2, 10), (3, 3, 6), (5, 5, 4), (2, 3, 7), (3, 2, 7))
"""Inputs, messages and the most users."""


def random_row(draw, size, one_positive):
    """Weights of which some are 0 and some rare; the first is not 0 where that is asked for."""
    while True:
        weights = [draw.choice([0, 1, 1, 2, 3, draw.randint(1, 9), draw.randint(1, 99)]) for _ in range(size)]
        weights[0] += one_positive and not weights[0]
        if total := sum(weights):
            return [F(weight, total) for weight in weights]


def random_table(draw, inputs, messages):
    """A plain table whose users send one message each, or bundles of up to three; mostly with something in common."""
    bundles = [(m,) for m in range(messages)]
    if draw.random() < 0.25:
        alphabet = "abc"[: draw.randint(1, 3)]
        drawn = {tuple(sorted(draw.choice(alphabet) for _ in range(draw.randint(0, 3)))) for _ in range(messages)}
        bundles = [*drawn]
    common = draw.random() < 0.9
    rows = [random_row(draw, len(bundles), common) for _ in range(inputs)]
    if draw.random() < 0.4:  # rows much alike: tight bounds
        near = random_row(draw, len(bundles), True)
        rows = [[(p + 4 * q) / 5 for p, q in zip(row, near, strict=True)] for row in rows]
    return {x: {sent: p for sent, p in zip(bundles, row, strict=True) if p} for x, row in enumerate(rows)}


def random_exp_eps(draw):
    return 1 + draw.choice([F(0), F(draw.randint(1, 20), 20), F(draw.randint(1, 30), 10), F(1, draw.randint(2, 200))])


def random_stages(draw, users):
    """Rising numbers of users that are given up, each leaving an even number of slots; and whether one is his own."""
    own = users == 2 or draw.random() < 0.5
    possible = [lost for lost in range(1, users + own - 1) if (users + own - lost) % 2 == 0]
    return tuple(sorted(draw.sample(possible, draw.randint(1, len(possible))))), own


def largest_value(pair, exp_eps):
    """The largest L under any row."""
    atoms = (atom for row in pair.rows for atom in row.atoms)
    return max(((atom.first - exp_eps * atom.second) / atom.weight for atom in atoms), default=F(0))


def random_plan(draw, pair, users, exp_eps):
    """Any choices: half of them near what is good, the others far from it."""
    tilt = F(10 ** draw.uniform(-0.6, 0.6)) / (largest_value(pair, exp_eps) or 1)
    if draw.random() < 0.5:
        tilt *= F(10 ** draw.uniform(-1, 1))
        step, nodes = tilt * F(10 ** draw.uniform(-1.5, 1)), draw.choice([1, 2, 5, 40])
        return Plan(tilt, F(10 ** draw.uniform(-2, 2)) / tilt, step, nodes, *random_stages(draw, users))
    step, scale = tilt * F(draw.uniform(0.1, 0.6)), draw.choice([8, 24, 60])
    return Plan(tilt, 1 / (scale * tilt), step, 1 + int(4 * scale * tilt / step), *random_stages(draw, users))


def at_plan(pair, plan, users, exp_eps):
    """The bound at a plan, as a ball; to be used at the precision that is set."""
    return _AtPlan(pair, plan, users, real_ball(Real(exp_eps))).bound()


def is_below(truth, ball):
    """Whether a rational number is at most the number in a narrow ball, as far as the ball tells."""
    assert ball.rel_accuracy_bits() > 60 or not ball
    return not rational_ball(truth) > ball


def share(truth, ball):
    """About how many times as large the bound is."""
    return float(ball.mid()) / float(truth) if truth else float("inf")


def check_tables(seeds, plans):
    """Compare every ordered pair of random tables; return how many times as large the smallest bounds are."""
    shares = []
    for seed in seeds:
        draw = random.Random(seed)
        inputs, messages, most = draw.choice(SIZES)
        table, users, exp_eps = random_table(draw, inputs, messages), draw.randint(2, most), random_exp_eps(draw)
        truths, randomizer = worst_divergences(table, users, exp_eps), Randomizer(table)
        if seed % 3 == 0:
            check_engine(randomizer, users, exp_eps, max(truths.values()))
        for first, second in draw.sample(sorted(truths), min(len(truths), 3)):
            truth, pair = truths[first, second], PairBound.of(pair_table(randomizer, first, second))
            check_pair(pair, users, exp_eps, truth, seed)
            if pair.gamma:
                choices = [random_plan(draw, pair, users, exp_eps) for _ in range(plans)]
                shares.append(check_plans(pair, choices, users, exp_eps, truth, seed))
    return shares


def check_plans(pair, plans, users, exp_eps, truth, seed):
    """The bound of a pair at each of some plans; return how many times as large the smallest is."""
    with precision(BITS):
        balls = [at_plan(pair, plan, users, exp_eps) for plan in plans]
        assert all(is_below(truth, ball) for ball in balls), seed
        return min(share(truth, ball) for ball in balls)


def check_engine(randomizer, users, exp_eps, truth):
    """Both ends of the whole answer, around the worst over all pairs."""
    engine = Amplification(TablePairs(randomizer), users)
    bracket = engine.bracket(Real(exp_eps), 20)
    assert bracket.lower.lo <= truth <= bracket.upper.hi
    assert engine.lower_end(Real(exp_eps), 20)[0].lo <= truth <= engine.upper_end(Real(exp_eps), 20)[0].hi


def check_pair(pair, users, exp_eps, truth, seed):
    """The answer of one pair: the smaller bound, the swap bound where there is one, and their coarse bounds."""
    assert truth <= pair.divergence(users, Real(exp_eps), relative_bits=20).hi, seed
    assert truth <= pair.bound(users, Real(exp_eps)).hi, seed
    if (swapped := pair.swapped(users, Real(exp_eps), 20)) is not None:
        assert truth <= swapped.hi, seed


def test_no_data_set_of_random_tables_is_above():
    shares = check_tables(range(150), plans=4)
    assert len(shares) > 250
    assert sum(one < 1.25 for one in shares) > 15  # the bounds are near enough for a mistake to show


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(1, 11))
def test_no_data_set_of_very_many_random_tables_is_above(thousand):
    shares = check_tables(range(1000 * thousand, 1000 * thousand + 1000), plans=4)
    assert sum(one < 1.25 for one in shares) > 100


def test_listing_counts_is_listing_every_output_of_every_user():
    """The oracle above against the one that lists all k^n outputs and all sequences of inputs."""
    for seed in range(12):
        draw = random.Random(seed)
        table, users, exp_eps = random_table(draw, 2, draw.choice([2, 3])), draw.choice([2, 3]), random_exp_eps(draw)
        plain = Oracle(table, users)
        by_pair = worst_divergences(table, users, exp_eps)
        for first, second in permutations(table, 2):
            pairs = [(one, other) for one, other in plain.pairs if (one[-1], other[-1]) == (first, second)]
            assert by_pair[first, second] == plain.delta(exp_eps, pairs)
