"""Contours in floating-point numbers, against balls of a high precision and exact fractions."""

import random
from fractions import Fraction
from itertools import product

import pytest
from flint import acb, arb

from exactdp import Randomizer, ShuffleProtocol
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import precision, rational_ball
from exactdp.privacy.amplification import float_contour
from exactdp.privacy.amplification.float_contour import FloatContour, FloatNodes
from exactdp.privacy.amplification.tilted import CopySum, FewValues
from exactdp.randomizers import clipped_discrete_laplace
from tests.expensive import recorded
from tests.oracles import positive_parts as exact

F = Fraction


def random_nodes(draw):
    several = draw.randint(2, 6)
    masses = [draw.randint(1, 50) for _ in range(several)]
    values = tuple(rational_ball(F(draw.randint(-300, 300), draw.randint(1, 30))) for _ in masses)
    weights = tuple(rational_ball(F(mass, sum(masses))) for mass in masses)
    step, tilt = F(1, draw.randint(50, 5000)), F(draw.randint(1, 40), 20)
    smoothing = F(draw.randint(0, 20), 5000)
    nodes = (rational_ball(number) for number in (step, tilt, smoothing))
    return FloatNodes(FewValues(values, weights), draw.choice([3, 12, 40, 999, 1000, 50_000]), *nodes)


def summed_in_balls(nodes, start, count):
    """The sum that is meant, term by term."""
    total = acb(0)
    for place in range(start, start + count):
        angle = place * nodes.step
        phi = sum((w * acb(0, angle * v).exp() for v, w in nodes.law.items), acb(0))
        term = phi**nodes.copies * acb(0, nodes.smoothing**2 * nodes.tilt * angle).exp()
        term *= (-((nodes.smoothing * angle) ** 2) / 2).exp()
        total += acb((term / acb(1, angle / nodes.tilt) ** 2).real, term.real)
    return total


def check(seeds, count):
    for seed in seeds:
        draw = random.Random(seed)
        with precision(200):
            nodes = random_nodes(draw)
            start = draw.choice([0, 1, 4096, 10**6])
            ball, truth = nodes.summed(start, count), summed_in_balls(nodes, start, count)
            assert ball.real.contains(truth.real), seed
            assert ball.imag.contains(truth.imag), seed


def test_sums_of_nodes_contain_the_truth():
    check(range(20), 8)


@pytest.mark.slow
def test_many_sums_of_nodes_contain_the_truth():
    check(range(100, 200), 4096)


def test_rounding_that_is_charged_nothing(monkeypatch):
    monkeypatch.setattr(FloatNodes, "error", arb(0))
    with pytest.raises(AssertionError):
        check(range(20), 8)


@pytest.mark.parametrize("lost", ["_first_damping", "_drifts"])
def test_a_factor_left_out(monkeypatch, lost):
    monkeypatch.setattr(FloatNodes, lost, 1)
    with pytest.raises(AssertionError):
        check(range(20), 8)


LAW = [(F(1, 3), F(7, 5)), (F(1, 6), F(-11, 7)), (F(1, 2), F(-1, 2))]


def contour_of(law, copies, bits):
    values = FewValues(tuple(rational_ball(v) for _, v in law), tuple(rational_ball(p) for p, _ in law))
    return FloatContour.chosen(CopySum(values, arb(0), arb(0), copies, arb(1)), bits)


@pytest.mark.parametrize(("copies", "bits"), [(12, 22), (40, 16), (60, 22)])
def test_the_truth_is_found(copies, bits):
    truth = exact.by_counts(LAW, copies) * copies
    with precision(120):
        ball = contour_of(LAW, copies, bits).positive_part()
        assert ball.contains(rational_ball(truth))
        assert ball.rel_accuracy_bits() >= bits - 4


def test_node_zero_counted_twice(monkeypatch):
    truth = exact.by_counts(LAW, 40) * 40
    monkeypatch.setattr(float_contour, "acb", lambda *parts: acb(0) if parts == (-1, -1) else acb(*parts))
    with precision(120):
        assert not contour_of(LAW, 40, 16).positive_part().contains(rational_ball(truth))


def test_more_bits_than_floats_have_are_not_promised():
    with precision(400):
        assert contour_of(LAW, 200, 48) is None
        assert contour_of(LAW, 10**13, 8) is None


def ends(top, exp_eps0, n, exp_eps):
    profile = ShuffleProtocol(clipped_discrete_laplace(top, exp_eps0=exp_eps0), n).privacy_profile()
    return profile.bracket(exp_eps=exp_eps)


def relative_width(interval):
    return (interval.hi - interval.lo) / interval.hi


@pytest.mark.slow
@pytest.mark.parametrize("question", [(8, 1000, 3000, F(3)), (8, 10**6, 1000, F(3))])
def test_values_of_all_kinds_of_rates(question):
    """A few rare and huge ones among frequent small ones: the width of both ends is what was promised."""
    bracket = ends(*question)
    assert relative_width(bracket.lower) <= F(1, 2**20)
    assert relative_width(bracket.upper) <= F(1, 2**20)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("top", "exp_eps0", "n"),
    recorded(list(product([8, 16], [20, 1000, 10**6], [300, 1000, 3000, 10**5])), every=5),
)
def test_values_of_all_kinds_of_rates_on_a_grid(top, exp_eps0, n):
    for exp_eps in (F(11, 10), F(3)):
        bracket = ends(top, exp_eps0, n, exp_eps)
        assert relative_width(bracket.lower) <= F(1, 2**20)
        assert relative_width(bracket.upper) <= F(1, 2**20)


def table_of_many_scales(draw):
    """Rows whose probabilities are of all orders of magnitude."""
    messages, decades = draw.randint(6, 12), draw.choice([3, 6, 9])
    rows = {}
    for name in "012"[: draw.randint(2, 3)]:
        weights = [draw.randint(1, 9) * 10 ** draw.randint(0, decades) for _ in range(messages)]
        rows[name] = {(str(m),): F(weight, sum(weights)) for m, weight in enumerate(weights)}
    return Randomizer(rows)


@pytest.mark.slow
def test_tables_of_many_scales():
    for seed in recorded(range(30)):
        draw = random.Random(seed)
        protocol = ShuffleProtocol(table_of_many_scales(draw), draw.choice([100, 300, 3000, 10**5]))
        bracket = protocol.privacy_profile().bracket(exp_eps=draw.choice([F(11, 10), F(3, 2), F(5)]))
        assert all(not end.hi or relative_width(end) <= F(1, 2**20) for end in (bracket.lower, bracket.upper)), seed


def test_balls_that_are_too_wide_are_not_rounded():
    """Their radius would count for more than what rounding changes."""
    with precision(66):
        nodes = random_nodes(random.Random(1))
        assert not nodes.are_narrow(10**9)
        with pytest.raises(TooLargeError, match="narrower balls"):
            nodes.summed(10**9, 1)
