"""Properties of the swap bound that hold whatever the table, the number of users and the choices are."""

from fractions import Fraction
from math import isqrt, sqrt

from hypothesis import assume, given
from hypothesis import strategies as st

from exactdp import Randomizer, Real
from exactdp.mechanisms.pair_table import pair_table
from exactdp.privacy.amplification.input_pairs import Candidate
from exactdp.privacy.amplification.swap_bound import PairBound
from exactdp.privacy.amplification.swap_choices import Plan
from tests.expensive import one_in
from tests.unit.privacy.amplification.swap_plans import enclosed_at, largest_value

F = Fraction


@st.composite
def tables(draw):
    """Rows of integer weights for two to four inputs; the first message is sent under every input."""
    size = draw(st.integers(2, 4))
    weights = st.lists(st.integers(0, 12), min_size=size, max_size=size)
    rows = [[1 + row[0], *row[1:]] for row in draw(st.lists(weights, min_size=2, max_size=4))]
    return [[F(w, sum(row)) for w in row] for row in rows]


def randomizer(rows):
    return Randomizer({x: {(m,): p for m, p in enumerate(row) if p} for x, row in enumerate(rows)})


def bound_of(rows, first=0, second=1):
    return PairBound.of(pair_table(randomizer(rows), first, second))


@st.composite
def plans(draw, pair, users, exp_eps):
    """Any tilt within a factor of 100 of what suits n, any smoothing, step, nodes and stages."""
    largest = largest_value(pair, exp_eps)
    tilt = F(10 ** draw(st.floats(-1, 1)) / sqrt(users)) / (largest if largest > 0 else 1)
    step, smoothing = (F(10 ** draw(st.floats(*ends))) for ends in ((-1, 0.5), (-2, 0.5)))
    own = draw(st.booleans()) and users <= 1000
    first = 2 - (users + own) % 2
    stages = draw(st.sets(st.integers(0, (users + own - 2 - first) // 2), min_size=1, max_size=6))
    lost = tuple(first + 2 * k for k in sorted(stages))
    return Plan(tilt, smoothing / tilt, step * tilt, draw(st.integers(1, 40)), lost, own)


users = st.one_of(st.integers(4, 60), st.integers(4, 10**4), st.integers(4, 10**6))


def level(deviations, n):
    """E, so many quarters of 1/sqrt(n) above 1: that is where divergences of n users fall."""
    return 1 + F(deviations, 4 * isqrt(n))


levels = st.integers(0, 16)


@given(st.data(), tables(), users, levels)
@one_in(5)
def test_at_every_tilt_the_upper_end_is_at_least_every_lower_end(data, rows, n, deviations):
    """Others who all hold one input, or draw theirs."""
    exp_eps = level(deviations, n)
    table = pair_table(randomizer(rows), 0, 1)
    pair = PairBound.of(table)
    assume(pair.rows)
    bound = enclosed_at(pair, data.draw(plans(pair, n, exp_eps)), n, exp_eps, 40)
    shares = data.draw(st.lists(st.integers(0, 3), min_size=len(table.others), max_size=len(table.others)).filter(any))
    lower = [Candidate.homogeneous(table, place) for place in range(len(table.others))]
    lower.append(Candidate.of(table, tuple(F(share, sum(shares)) for share in shares)))
    for one in lower:
        assert one.mixture.divergence(n, Real(exp_eps), relative_bits=20).lo <= bound.hi


@one_in(2)
@given(st.data(), tables(), users, levels, st.randoms(use_true_random=False))
def test_names_of_inputs_and_messages_do_not_matter(data, rows, n, deviations, order):
    exp_eps = level(deviations, n)
    inputs, messages = list(range(len(rows))), list(range(len(rows[0])))
    plan = data.draw(plans(bound_of(rows), n, exp_eps))
    order.shuffle(inputs)
    order.shuffle(messages)
    other = [[rows[x][m] for m in messages] for x in inputs]
    renamed = bound_of(other, inputs.index(0), inputs.index(1))
    one, same = (enclosed_at(bound, plan, n, exp_eps, 40) for bound in (bound_of(rows), renamed))
    assert one.lo <= same.hi
    assert same.lo <= one.hi
    assert abs(one.lo - same.lo) <= one.hi / 2**39


@given(tables(), users, levels)
@one_in(5)
def test_enclosures_of_higher_accuracy_are_within(rows, n, deviations):
    """At the choices of the product."""
    exp_eps = level(deviations, n)
    pair = bound_of(rows)
    assume(pair.plan(n, Real(exp_eps)) is not None)
    coarse, middle, fine = (pair.swapped(n, Real(exp_eps), bits) for bits in (20, 40, 80))
    assert coarse.lo <= middle.lo <= fine.lo <= fine.hi <= middle.hi <= coarse.hi
    assert fine.hi - fine.lo <= fine.hi / 2**80


@given(tables(), st.integers(1000, 10**6), st.tuples(levels, levels).map(sorted))
@one_in(3)
def test_the_bound_falls_in_exp_eps(rows, n, deviations):
    """At the choices of the product: but for the share of 1/1000 that they may be worse at the larger one."""
    pair = bound_of(rows)
    low, high = (level(one, n) for one in deviations)
    ends = [pair.swapped(n, Real(exp_eps), 20) for exp_eps in (low, high)]
    assume(all(end is not None for end in ends))
    assert ends[1].lo <= ends[0].hi * (1 + F(1, 1000))
