"""The geometric mechanism: its rows, wrong statements beside them, SciPy's optima, and the proof carried out."""

from fractions import Fraction
from itertools import pairwise, product
from random import Random

import pytest
from scipy.optimize import linprog

import exactdp as xdp
from exactdp.proofs.geometric import (
    LOSSES,
    _geometric_is_private,
    best_remapping,
    expected_loss_is_at_least,
    geometric_table,
    least_truncation,
    least_without_remapping,
    truncated_noise,
)
from exactdp.proofs.steps import equal, implies, variables
from exactdp.symbolic.handelman import Inequality, handelman_terms
from tests.together import together

Verdict = xdp.Verdict
HALF = Fraction(1, 2)
RATIOS = (Fraction(1, 4), Fraction(1, 2), Fraction(9, 10))
PRIORS = {1: [(1, 1), (3, 1)], 2: [(1, 1, 1), (5, 2, 1)], 3: [(1, 1, 1, 1), (4, 3, 2, 1), (1, 9, 0, 2)]}
CASES = [
    (n, prior, name, a) for n, priors in PRIORS.items() for prior, name, a in product(priors, LOSSES, RATIOS)
]  # fmt: skip


def weights_of(prior, loss):
    counts = range(len(prior))
    return [[Fraction(p * loss(abs(i - r)), sum(prior)) for r in counts] for i, p in enumerate(prior)]


@together(("n", "prior", "name", "a"), CASES)
def test_the_remapped_geometric_mechanism_is_the_optimum_of_the_linear_program(n, prior, name, a):
    weights = weights_of(prior, LOSSES[name])
    value, _ = best_remapping(geometric_table(n, a), weights)
    size = n + 1
    rows = []
    for i, r in product(range(n), range(size)):
        for big, small in ((i, i + 1), (i + 1, i)):
            row = [0.0] * size**2
            row[big * size + r], row[small * size + r] = float(a), -1.0
            rows.append(row)
    sums = [[float(k // size == i) for k in range(size**2)] for i in range(size)]
    costs = [float(w) for line in weights for w in line]
    found = linprog(costs, A_ub=rows, b_ub=[0] * len(rows), A_eq=sums, b_eq=[1] * size)
    assert found.fun == pytest.approx(float(value), abs=1e-9)


def is_shown_by_duality(claim, *, without=None):
    """Whether a combination of the hypotheses (but one) gives the conclusion: exact, and by Farkas' lemma complete."""
    data = claim.data
    read = [
        Inequality({tuple(map(int, e)): Fraction(c) for c, e in each["polynomial"]}, each["strict"] == "yes")
        for each in (*data["hypotheses"], data["conclusion"])
    ]
    hypotheses = [each for i, each in enumerate(read[:-1]) if i != without]
    return handelman_terms(hypotheses, read[-1], len(data["variables"]), degrees=range(2)) is not None


@pytest.mark.parametrize(("n", "prior"), [(1, (1, 1)), (2, (5, 2, 1)), (3, (4, 3, 2, 1))])
def test_the_lower_bound_is_sharp_and_needs_its_hypotheses(n, prior):
    a = Fraction(1, 2)
    weights = weights_of(prior, LOSSES["abs(r-i)"])
    value, _ = best_remapping(geometric_table(n, a), weights)
    assert is_shown_by_duality(expected_loss_is_at_least(value, weights, a))
    assert not is_shown_by_duality(expected_loss_is_at_least(value + Fraction(1, 1000), weights, a))
    assert not is_shown_by_duality(expected_loss_is_at_least(value, weights, Fraction(2, 5)))
    if n == 3:
        return
    needed = [
        i
        for i in range(2 * (n + 1) + 2 * n * (n + 1))
        if not is_shown_by_duality(expected_loss_is_at_least(value, weights, a), without=i)
    ]
    assert needed


def wrong_statements():
    a, u, v, w, z, X, Y, Z = variables("a u v w z X Y Z")
    yield (
        "every column is a mixture",
        implies(a > 0, a < 1, u >= a * v, w >= a * v, v >= a * u, v >= a * w, then=(1 + a**2) * v - a * (u + w) >= 0),
    )
    yield (
        "filled beyond t1 = 0",
        implies(
            a > 0, u >= a**2 * w, u >= 0, w >= 0, (1 + a**2) * z <= 2 * a * (u + w), then=(1 + a**2) * (u - a * z) >= 0
        ),
    )
    yield "drained upwards", implies(a > 0, a < 1, u >= a * v, v >= a * u, z >= v, then=u - a * z >= 0)
    yield (
        "an end row without privacy",
        implies(a > 0, a < 1, equal(a * z, (1 + a**2) * v - a * u), then=a * (z - a * v) >= 0),
    )
    yield "enough to fill at a = 1", implies(a > 0, equal(X + Y + Z, (1 - a) ** 2), Y <= 0, then=X + Z > -Y)
    V, S, b = variables("V S b")
    yield (
        "the sum of t1 is (1+a)^2",
        implies(a > 0, b > 0, equal(V, 1), equal(S, 2), then=(1 + b) * V - a * S >= 1 + 2 * a + b),
    )
    k, o, m, x0, x2, y0, y2 = variables("k o m x0 x2 y0 y2")
    yield "a loss that is not monotone", implies(
        m >= o, y0 >= x0, y2 <= x2,
        then=k * y0 + o * (1 - y0 - y2) + m * y2 <= k * x0 + o * (1 - x0 - x2) + m * x2,
    )  # fmt: skip


WRONG = dict(wrong_statements())


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_statement_is_not_proved(name):
    assert xdp.certify(WRONG[name]).verdict is not Verdict.PROVED


def random_mechanism(rng, a):
    """Any eps-DP table of three counts and outputs is one of these.

    Its columns are mixtures of the extreme private ones, whose weights add up to p, p, c and d with p + c = 1/(1+a) and
    d = 1/(1+a) - a p, because the rows sum to 1.
    """
    extreme = ((1, a, a**2), (a**2, a, 1), (1, a, 1), (a, 1, a))
    p = Fraction(rng.randrange(5), 4) / (1 + a)
    rows = [[Fraction(0)] * 3 for _ in range(3)]
    for column, total in zip(extreme, (p, p, 1 / (1 + a) - p, 1 / (1 + a) - a * p), strict=True):
        shares = rng.choice([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 2, 1), (1, 0, 3), (1, 2, 3)])
        for i, r in product(range(3), range(3)):
            rows[i][r] += total * shares[r] / sum(shares) * column[i]
    return rows


def private(rows, a):
    return all(p >= a * q and q >= a * p for x, y in pairwise(rows) for p, q in zip(x, y, strict=True))


def middle(rows, a):
    return [(1 + a**2) * rows[1][r] - a * (rows[0][r] + rows[2][r]) for r in range(3)]


def improved(rows, a):
    """Carry out the proof for n = 2."""
    rows = [list(row) for row in rows]

    def pour(source, target):
        T = middle(rows, a)
        mass = min(T[source], -T[target]) / (1 + a**2)
        if mass > 0:
            rows[1][source] -= mass
            rows[1][target] += mass

    T = middle(rows, a)
    givers = (0, 2) if T[1] < 0 else tuple(r for r in (0, 2) if T[r] > 0)
    for target in range(3):
        for source in givers:
            if middle(rows, a)[target] < 0 < middle(rows, a)[source]:
                pour(source, target)
    for column, row in ((0, 2), (2, 0)):
        if (lack := middle(rows, a)[column]) < 0:
            rows[row][column] += lack / a
            rows[row][1] -= lack / a
    return rows


@pytest.mark.parametrize("a", RATIOS)
def test_the_proof_for_two_users_carried_out_on_random_mechanisms(a):
    rng = Random(7)
    changed = lowered = 0
    for _ in range(300):
        before = random_mechanism(rng, a)
        assert private(before, a)
        assert [sum(row) for row in before] == [1, 1, 1]
        after = improved(before, a)
        assert [sum(row) for row in after] == [1, 1, 1]
        assert private(after, a)
        assert min(middle(after, a)) >= 0
        assert after[0][0] >= before[0][0]
        assert after[0][2] <= before[0][2]
        assert after[1][1] >= before[1][1]
        assert after[2][2] >= before[2][2]
        assert after[2][0] <= before[2][0]
        changed += after != before
        lowered += after[0] != before[0] or after[2] != before[2]
        inverse = 1 / (1 - a**2)
        for r in range(3):
            u, v, w = (row[r] for row in after)
            t = (u - a * v, (1 + a**2) * v - a * (u + w), w - a * v)
            assert min(t) >= 0
            assert [sum(t[j] * a ** abs(i - j) for j in range(3)) * inverse for i in range(3)] == [u, v, w]
    assert changed > 30
    assert lowered > 3


def test_the_mechanism_for_three_users_is_private_and_a_smaller_eps_is_refuted():
    for a in (Fraction(1, 4), Fraction(2, 3)):
        for claim in _geometric_is_private(a):
            assert xdp.certify(claim).verdict is Verdict.PROVED
    table = geometric_table(3, Fraction(1, 2))
    pair = xdp.Randomizer({i: {(r,): p for r, p in enumerate(table[i])} for i in (1, 2)})
    assert xdp.certify(xdp.Claim.pure_dp(xdp.ShuffleProtocol(pair, 1), exp_eps="199/100")).verdict is Verdict.REFUTED


@pytest.mark.parametrize("a", RATIOS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_table_is_that_of_clamped_noise(n, a):
    noise = xdp.DiscreteLaplace(1 / a)
    for count, row in enumerate(geometric_table(n, a)):
        inside = [noise.exact_pmf(r - count) for r in range(1, n)]
        assert row == [noise.exact_cdf(-count), *inside, noise.exact_sf(n - count - 1)]


def test_what_the_kernel_states_by_exact_numbers():
    """One user: the masses of K, the counterexample to the printed statement, and noise on {-1, 0, 1}."""
    a, rng = Fraction(1, 3), Random(3)
    for _ in range(50):
        first = [rng.randrange(1, 5) for _ in range(3)]
        law = [[Fraction(w, sum(first)) for w in first], []]
        law[1] = [(law[0][0] + law[0][1]) * Fraction(1, 2), (law[0][0] + law[0][1]) * Fraction(1, 2), law[0][2]]
        if not all(p >= a * q and q >= a * p for p, q in zip(*law, strict=True)):
            continue
        remapped = [[(p - a * q) / (1 - a) for p, q in zip(law[i], law[1 - i], strict=True)] for i in (0, 1)]
        assert min(map(min, remapped)) >= 0
        table = geometric_table(1, a)
        for i in (0, 1):
            assert [sum(table[i][b] * remapped[b][v] for b in (0, 1)) for v in range(3)] == law[i]
    error = Fraction(1, 10) * geometric_table(1, HALF)[1][0] + Fraction(9, 10) * geometric_table(1, HALF)[0][1]
    assert error == Fraction(1, 3) > Fraction(1, 10)
    uniform = xdp.Law({z: Fraction(1, 3) for z in (-1, 0, 1)})
    assert xdp.shift_profile(uniform).delta(exp_eps="3/2") == Fraction(1, 3)
    noise = xdp.DiscreteLaplace("3/2")
    assert 2 * noise.exact_sf(0) == Fraction(4, 5) > Fraction(2, 3)


def test_where_the_printed_statement_fails():
    at = least_without_remapping().counterexample
    assert min(at["prior"], 1 - at["prior"]) < at["a"] / (1 + at["a"])
    at = least_truncation().counterexample
    noise = truncated_noise(at["exp_eps"], at["reach"])
    assert xdp.shift_profile(noise).delta(exp_eps=at["exp_eps"]) <= at["delta"]
    a = 1 / at["exp_eps"]
    assert sum(abs(k) * p for k, p in noise.items()) < 2 * a / (1 - a**2)
