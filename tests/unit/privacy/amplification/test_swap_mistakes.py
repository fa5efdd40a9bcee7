"""What a slip in the swap bound would look like: a copy of the formula with one in it, seen by the independent sums.

Of slips that make the bound false a data set is named that lies above it, by brute force; of a wrong gamma, one above
the step in which it is used.
"""

import cmath
import random
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, permutations
from math import exp, pi

import pytest

from exactdp.privacy.amplification.swap_choices import Plan
from exactdp.reference.shuffled_counts import Nodes, table_bound
from tests.expensive import recorded
from tests.oracles.data_sets import divergence_of, worst_divergences
from tests.oracles.swaps import swap_bound
from tests.unit.privacy.amplification.swap_plans import good_plan

F = Fraction

MISTAKES = (
    "gamma from all rows but one",
    "t - 1 for t",
    "r + 1 for r",
    "one row left out of the maximum",
    "abs(M)^(r-1)",
    "one order only",
    "s left out",
    "one node less",
    "rest left out",
)


def copied(rows, users, exp_eps, plan, mistake="", pairs=None):
    """The bound of a table in floats, in other words than in the product, with a mistake if one is named.

    Of all ordered pairs, or of ``pairs``.
    """
    level, columns = float(exp_eps), list(zip(*rows, strict=True))
    seen = rows[:-1] if mistake == "gamma from all rows but one" else rows
    gamma = float(sum(map(min, zip(*seen, strict=True))))
    if mistake == "one order only":
        pairs = [(0, 1)]
    pairs = pairs or permutations(range(len(rows)), 2)
    others = rows[:-1] if mistake == "one row left out of the maximum" else rows
    exponents = [lost - 1 for lost in plan.stages] if mistake == "t - 1 for t" else plan.stages
    left = [(1 - gamma) ** exponent for exponent in (0, *exponents)]
    bounds = []
    for first, second in pairs:
        excess = [float(column[first]) - level * float(column[second]) for column in columns]
        sums = [
            sum(
                (w - x) * _height(excess, row, users - lost, plan, mistake)
                for (w, x), lost in zip(pairwise(left), plan.stages, strict=True)
            )
            for row in others
        ]
        bounds.append(max(sums) + left[-1] * sum(max(0.0, mu) for mu in excess))
    return max(bounds)


def _height(excess, row, users, plan, mistake):
    """B + s."""
    alone = sum(max(0.0, mu) for mu, p in zip(excess, row, strict=True) if not p)
    values = [(mu / float(p), float(p)) for mu, p in zip(excess, row, strict=True) if p]
    tilt, smoothing, step = float(plan.tilt), float(plan.smoothing), float(plan.step)
    users += mistake == "r + 1 for r"
    power = users - (mistake == "abs(M)^(r-1)")
    last = plan.nodes - (mistake == "one node less")

    def moment(y):
        return abs(sum(p * cmath.exp(value * complex(tilt, y)) for value, p in values)) ** power

    inner = sum(
        moment(k * step) * exp(-((smoothing * k * step) ** 2) / 2) / (tilt**2 + (k * step) ** 2)
        for k in range(-last, last + 1)
    )
    end = plan.nodes * step
    rest = 0 if mistake == "rest left out" else 2 * moment(0) * exp(-((smoothing * end) ** 2) / 2) / end
    scale = exp((smoothing * tilt) ** 2 / 2) / (2 * pi * users)
    return scale * (step * inner + rest) + (0 if mistake == "s left out" else alone)


def independent(rows, users, exp_eps, plan):
    tables = [{m: p for m, p in enumerate(row) if p} for row in rows]
    nodes = Nodes(plan.tilt, plan.smoothing, plan.step, plan.nodes)
    return float(table_bound(tables, users, exp_eps, plan.stages, nodes))


def random_case(seed):
    """A table of two or three rows with something in common, n, E and a plan."""
    draw = random.Random(seed)
    messages = draw.choice([2, 3, 4])
    weights = [
        [draw.choice([0, 1, 2, draw.randint(1, 9)]) for _ in range(messages)] for _ in range(draw.choice([2, 3]))
    ]
    rows = [[F(w + (m == 0), sum(row) + 1) for m, w in enumerate(row)] for row in weights]
    users, exp_eps = draw.randint(4, 40), 1 + F(draw.randint(0, 20), 20)
    possible = range(2 - users % 2, users - 1, 2)
    stages = tuple(sorted(draw.sample(possible, min(len(possible), 3))))
    tilt = F(draw.randint(1, 30), 30)
    return rows, users, exp_eps, Plan(tilt, F(draw.randint(1, 20), 20) / tilt, tilt / 2, draw.randint(1, 6), stages)


CASES = [random_case(seed) for seed in recorded(range(40), every=2)]


def differ(one, other):
    return abs(one - other) > 1e-9 * other


@pytest.fixture(scope="module")
def truths():
    return [independent(*case) for case in CASES]


def test_the_copy_without_a_mistake_is_the_formula(truths):
    assert not any(differ(copied(*case), value) for case, value in zip(CASES, truths, strict=True))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_comparison_sees_the_mistake(mistake, truths):
    seen = sum(differ(copied(*case, mistake), value) for case, value in zip(CASES, truths, strict=True))
    assert seen >= 3


THIRD_INPUT_TELLS = [[F(1, 2), F(3, 10), F(1, 5)], [F(3, 10), F(1, 2), F(1, 5)], [F(1, 10), F(1, 10), F(4, 5)]]
NEVER_SENT_BY_THE_THIRD = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 4), F(1, 2)], [F(0), F(1, 2), F(1, 2)]]
ONE_WAY = [[F(0), F(1)], [F(1, 4), F(3, 4)]]

FALSE = {
    "one row left out of the maximum": (
        THIRD_INPUT_TELLS,
        [2] * 20,
        F(1),
        good_plan(F(1, 2), (1, 3, 5, 9, 13), F(1, 5), 40),
    ),
    "s left out": (NEVER_SENT_BY_THE_THIRD, [2] * 40, F(1), good_plan(F(1, 4), (1, 3, 5, 9, 13), F(1, 5), 40)),
    "one order only": (ONE_WAY, [0] * 6, F(2), good_plan(F(1, 2), (1, 3), F(1, 5), 40)),
    "rest left out": (THIRD_INPUT_TELLS, [2] * 8, F(1), Plan(F(1, 4), F(1, 400), F(1, 80), 2, (1, 3, 5))),
}
"""A table, what the others hold, E, and a plan at which the bound of a pair of inputs is false with the mistake."""


@pytest.mark.parametrize("mistake", FALSE)
def test_a_data_set_is_above_the_bound_with_the_mistake(mistake):
    rows, held, exp_eps, plan = FALSE[mistake]
    table = {x: {(m,): p for m, p in enumerate(row) if p} for x, row in enumerate(rows)}
    pair = (1, 0) if mistake == "one order only" else (0, 1)
    truth = float(divergence_of(table, pair, held, exp_eps))
    assert copied(rows, len(held) + 1, exp_eps, plan, mistake, [pair]) < 0.95 * truth
    assert truth <= copied(rows, len(held) + 1, exp_eps, plan, pairs=[pair])


def random_rows(draw):
    messages = draw.choice([2, 3])
    weights = [
        [draw.choice([0, 1, 2, draw.randint(1, 30)]) for _ in range(messages)] for _ in range(draw.choice([2, 3]))
    ]
    return [[F(w + (m == 0), sum(row) + 1) for m, w in enumerate(row)] for row in weights]


@pytest.mark.parametrize("seed", range(8))
def test_the_swap_itself_holds_for_each_data_set(seed):
    """Before absolute values and nodes, in fractions, at the largest gamma: what the others send least."""
    draw = random.Random(seed)
    rows, exp_eps = random_rows(draw), 1 + F(draw.randint(0, 12), 10)
    table = {x: {(m,): p for m, p in enumerate(row) if p} for x, row in enumerate(rows)}
    for held in combinations_with_replacement(table, draw.choice([2, 3, 4])):
        others = [rows[x] for x in held]
        gamma = sum(map(min, zip(*others, strict=True)))
        for first, second in permutations(table, 2):
            truth = divergence_of(table, (first, second), held, exp_eps)
            assert truth <= swap_bound(rows[first], rows[second], others, gamma, exp_eps)


def test_the_swap_is_false_with_gamma_from_all_rows_but_one():
    """Binary response with one answer in twenty wrong, ten others of each input: gamma is 1/10; one row alone has 1.

    Absolute values and the maximum over rows happen to cover the mistake here, and in all tables that were tried; the
    step before them does not.
    """
    rows = [[F(19, 20), F(1, 20)], [F(1, 20), F(19, 20)]]
    table = {x: {(m,): p for m, p in enumerate(row)} for x, row in enumerate(rows)}
    held = [0] * 10 + [1] * 10
    truth = divergence_of(table, (0, 1), held, F(1))
    assert swap_bound(*rows, [rows[x] for x in held], F(1), F(1)) < truth * F(4, 5)
    assert truth == max(worst_divergences(table, 21, F(1)).values())
