"""Divergences of two laws."""

from fractions import Fraction

import pytest
from hypothesis import given

from exactdp import Law, hockey_stick_divergence, total_variation_distance
from exactdp.errors import ExactDPError
from exactdp.testing import exact_laws, exp_epsilons
from tests.expensive import one_in
from tests.oracles.brute_force import hockey_stick


@one_in(2)
@given(exact_laws(), exact_laws(), exp_epsilons())
def test_the_definition(p, q, exp_eps):
    assert hockey_stick_divergence(p, q, exp_eps=exp_eps) == hockey_stick(dict(p.items()), dict(q.items()), exp_eps)
    below_one = 1 / exp_eps
    plain = hockey_stick(dict(p.items()), dict(q.items()), below_one)
    assert hockey_stick_divergence(p, q, exp_eps=below_one) == plain
    mirrored = exp_eps * hockey_stick_divergence(q, p, exp_eps=below_one)
    assert hockey_stick_divergence(p, q, exp_eps=exp_eps) == mirrored + 1 - exp_eps


def test_ties_and_ends():
    p, q = Law({0: "1/2", 1: "1/2"}), Law({0: "1/4", 1: "3/4"})
    assert hockey_stick_divergence(p, q, exp_eps=2) == 0
    assert hockey_stick_divergence(p, q, exp_eps=0) == 1
    assert total_variation_distance(p, q) == Fraction(1, 4)
    assert hockey_stick_divergence(p, Law({7: 1}), exp_eps=10**50) == 1


@pytest.mark.parametrize("exp_eps", [-1, "-1/2", 1.5, None, "nan"])
def test_orders_that_are_refused(exp_eps):
    with pytest.raises(ExactDPError):
        hockey_stick_divergence(Law({0: 1}), Law({0: 1}), exp_eps=exp_eps)


@pytest.mark.parametrize("other", [{0: 1}, None, 3])
def test_what_is_no_law_is_refused(other):
    for pair in ((Law({0: 1}), other), (other, Law({0: 1}))):
        with pytest.raises(ExactDPError):
            hockey_stick_divergence(*pair, exp_eps=1)
