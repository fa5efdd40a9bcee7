"""The enclosed swap bound against the same formula in mpmath, which shares no code, and against the integral."""

import random
from dataclasses import replace
from fractions import Fraction
from math import ceil, isqrt, sqrt

import mpmath
import pytest

from exactdp import Real
from exactdp.mechanisms.pair_table import PairTable
from exactdp.privacy.amplification.positive_part import mixture_of
from exactdp.privacy.amplification.swap_bound import PairBound
from exactdp.privacy.amplification.swap_choices import Plan
from exactdp.reference.shuffled_counts import Nodes, Swaps, alone, beside, by_integral, by_nodes, number
from tests.expensive import recorded
from tests.unit.privacy.amplification.swap_plans import enclosed_at

F = Fraction
MOST_PIECES = 300
"""Of a main lobe's width: beyond, next to nothing is left of the integral."""

MOST_SLOTS = 1000
"""The product over stages with a slot of his own is written out."""

DIGITS = 50
"""Of the independent sums: powers of 10^6 users lose some 7."""


@pytest.fixture(autouse=True)
def many_digits():
    with mpmath.workdps(DIGITS):
        yield


def random_rows(draw):
    """The rows of two to four inputs over two to five messages: some entries 0, some rare."""
    size = draw.randint(2, 5)
    rows = []
    for _ in range(draw.randint(2, 4)):
        weights = [draw.choice([0, 1, 2, draw.randint(1, 20), draw.randint(1, 1000)]) for _ in range(size)]
        weights[0] += 1
        rows.append({m: F(weight, sum(weights)) for m, weight in enumerate(weights) if weight})
    return rows


def least_mass(rows):
    return sum((min(row.get(m, F(0)) for row in rows) for m in {m for row in rows for m in row}), F(0))


def pair_bound(rows, first, second):
    """The product's bound of a pair of rows, from the rows alone."""
    messages = sorted({m for row in rows for m in row})
    classes = [
        [rows[first].get(m, F(0)), rows[second].get(m, F(0)), min(row.get(m, F(0)) for row in rows)]
        + [row.get(m, F(0)) for row in rows]
        for m in messages
    ]
    return PairBound.of(PairTable.merged(first, second, range(len(rows)), classes))


def random_choice(draw, users, values):
    """E, and a tilt, a smoothing, few nodes and stages that suit the values of L under rows, or do not."""
    exp_eps = 1 + F(draw.choice([0, draw.uniform(0, 4), draw.uniform(0, 9) / sqrt(users)]))
    largest = max((value(exp_eps) for value in values), default=F(1))
    tilt = F(10 ** draw.uniform(-1, 1) / sqrt(users)) / (largest if largest > 0 else F(1))
    step = tilt * F(10 ** draw.uniform(-1, 1))
    smoothing = F(10 ** draw.uniform(-2, 1)) / tilt
    own = users <= MOST_SLOTS and draw.random() < 0.5
    possible = range(2 - (users + own) % 2, users + own - 1, 2)
    stages = tuple(sorted(draw.sample(possible, min(len(possible), draw.randint(1, 4)))))
    return exp_eps, Plan(tilt, smoothing, step, draw.randint(1, 12), stages, own)


def random_users(draw):
    return draw.choice([draw.randint(3, 12), draw.randint(3, 1000), draw.randint(3, 10**6)])


def direct(rows, first, second, users, exp_eps, plan):
    """The same number from the reference sums."""
    gamma = least_mass(rows)
    shared = {m: min(row.get(m, F(0)) for row in rows) / gamma for row in rows for m in row}
    own = beside(rows[first], rows[second], shared) if plan.own else None
    swaps = Swaps(exp_eps, users, gamma, alone(rows[first], rows[second], exp_eps), plan.stages, own)
    nodes = Nodes(plan.tilt, plan.smoothing, plan.step, plan.nodes)
    others = [beside(rows[first], rows[second], row) for row in rows]
    return swaps.bound(others, lambda row, left: by_nodes(row, left, exp_eps, nodes))


def random_case(seed):
    """Rows, a pair, n, E and a plan."""
    draw = random.Random(seed)
    rows, users = random_rows(draw), random_users(draw)
    first, second = draw.sample(range(len(rows)), 2)
    values = [
        lambda exp_eps, p=p, q=q, r=r: (p - exp_eps * q) / r
        for row in rows
        for p, q, r in beside(rows[first], rows[second], row)
        if r
    ]
    return rows, first, second, users, *random_choice(draw, users, values)


def check_sums(seeds):
    for seed in seeds:
        rows, first, second, users, exp_eps, plan = random_case(seed)
        value = direct(rows, first, second, users, exp_eps, plan)
        bound = pair_bound(rows, first, second)
        coarse, middle, fine = (enclosed_at(bound, plan, users, exp_eps, bits) for bits in (20, 40, 60))
        assert number(fine.lo) <= value <= number(fine.hi), seed
        assert coarse.lo <= middle.lo <= fine.lo <= fine.hi <= middle.hi <= coarse.hi, seed
        assert fine.hi - fine.lo <= fine.hi / 2**60, seed
        assert middle.hi - middle.lo <= middle.hi / 2**40, seed


def test_enclosures_contain_the_direct_sums():
    check_sums(range(40))


@pytest.mark.slow
def test_enclosures_contain_two_thousand_direct_sums():
    check_sums(recorded(range(1000, 3000)))


def k_ary(k, ratio):
    return [{m: F(ratio if m == x else 1, k - 1 + ratio) for m in range(k)} for x in range(k)]


RANDOMIZERS = {
    "binary response": k_ary(2, 3),
    "ternary response": k_ary(3, 5),
    "a third input tells more": [
        {0: F(1, 2), 1: F(3, 10), 2: F(1, 5)},
        {0: F(3, 10), 1: F(1, 2), 2: F(1, 5)},
        {0: F(1, 10), 1: F(1, 10), 2: F(4, 5)},
    ],
    "no lattice": [
        {0: F(31, 97), 1: F(53, 97), 2: F(13, 97)},
        {0: F(41, 101), 1: F(37, 101), 2: F(23, 101)},
        {0: F(29, 89), 1: F(17, 89), 2: F(43, 89)},
    ],
    "zeros": [{0: F(1, 2), 1: F(1, 2)}, {0: F(1, 3), 2: F(2, 3)}, {0: F(3, 4), 1: F(1, 4)}],
}


def pieces(row, users, exp_eps, plan):
    """Rising y from 0: pieces of a main lobe's width, to the last node or to where thousands would be needed."""
    values = [((p - exp_eps * q) / r, r) for p, q, r in row if r]
    masses = [(float(v), float(r) * float(mpmath.exp(number(plan.tilt * v)))) for v, r in values]
    total = sum(mass for _, mass in masses)
    mean = sum(v * mass for v, mass in masses) / total
    variance = sum((v - mean) ** 2 * mass for v, mass in masses) / total
    width = 2 / sqrt(users * variance + 1 / float(plan.tilt) ** 2)
    count = ceil(plan.nodes * float(plan.step) / width)
    return [width * k for k in range(min(count, MOST_PIECES) + 1)]


def beside_integrals(rows, users, exp_eps, plan):
    """B of the row that decides, at the first stage: over the integral of the smoothed law, and over the plain one."""
    bound = pair_bound(rows, 0, 1)
    lost = plan.stages[0]
    others = [beside(rows[0], rows[1], row) for row in rows]
    nodes = Nodes(plan.tilt, plan.smoothing, plan.step, plan.nodes)
    heights = [by_nodes(row, users - lost, exp_eps, nodes) for row in others]
    deciding = others[heights.index(max(heights))]
    one = PairBound(bound.blanket, bound.gamma, (mixture_of(deciding),), bound.own)
    whole = enclosed_at(one, replace(plan, stages=(lost,)), users, exp_eps, 40)
    swaps = Swaps(exp_eps, users, bound.gamma, alone(rows[0], rows[1], exp_eps), (lost,))
    weight = 1 - (1 - number(bound.gamma)) ** lost
    height = (number(whole.lo) - swaps.bound([deciding], lambda row, left: 0)) / weight
    ends = pieces(deciding, users, exp_eps, plan)
    with mpmath.workdps(15):
        laws = nodes, Nodes(plan.tilt)
        smooth, plain = (by_integral(deciding, users - lost, exp_eps, law, ends) for law in laws)
    return height / smooth, height / plain


CASES = [(name, exponent, deviations) for deviations in (0, 2) for exponent in (2, 3, 4, 6) for name in RANDOMIZERS]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "exponent", "deviations"), CASES)
def test_the_nodes_are_above_the_integral_and_near_it(name, exponent, deviations):
    """At the choices of the product: never below the smoothed integral, and by less than 0.1 % above the plain one.

    The plain integral may be the larger one: smoothing takes away what a lattice, or a tail, adds to absolute values.
    """
    rows, users = RANDOMIZERS[name], 10**exponent
    exp_eps = 1 + F(deviations) / F(sqrt(users))
    chosen = pair_bound(rows, 0, 1).plan(users, Real(exp_eps))
    lost = chosen.stages[0] + chosen.own  # an even number of users is left
    plan = replace(chosen, stages=(lost,), own=False)
    over_smooth, over_plain = beside_integrals(rows, users, exp_eps, plan)
    assert 1 <= over_smooth <= 1.0001
    assert over_plain <= 1.001


@pytest.mark.parametrize("users", [10**10, 10**12, 10**18])
@pytest.mark.parametrize("exp_eps", [F(11, 10), F(3, 2)])
def test_a_sum_far_from_0_has_no_more_nodes_but_a_larger_smoothing(users, exp_eps):
    """At the same E nodes would grow with sqrt(n), and fill the memory."""
    for rows in RANDOMIZERS.values():
        plan = pair_bound(rows, 0, 1).plan(users, Real(exp_eps))
        assert plan is None or plan.nodes <= 2**13 + 100
    near = 1 + F(3, isqrt(users))
    assert pair_bound(RANDOMIZERS["no lattice"], 0, 1).plan(users, Real(near)).nodes < 5000
