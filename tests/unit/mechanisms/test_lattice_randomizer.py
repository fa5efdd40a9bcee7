"""Randomizers with shares of noise: probabilities of one user's messages, and what n users send together."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp import NegativeBinomial, Real, protocols
from exactdp.errors import InvalidDataSetError, InvalidRandomizerError, InvalidValueError, TooLargeError
from exactdp.laws import DiscreteLaplace, Geometric, Poisson
from exactdp.mechanisms import lattice_randomizer
from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer

ONE = protocols.correlated_counting(1, p1="1/2", p2="1/3", r=2).randomizer
"""Of a single user, whose shares are the whole noise: all probabilities are rational."""


def test_the_shares_of_a_user():
    randomizer = protocols.correlated_counting(10, p1="1/2", p2="exp(-1/10)", r=20).randomizer
    assert (randomizer.inputs, randomizer.alphabet) == ((0, 1), (1, -1))
    assert randomizer.sent == ((0, 0), (1, 0))
    assert [(share.law, share.messages) for share in randomizer.shares] == [
        (NegativeBinomial("1/10", "1/2"), (1, 0)),
        (NegativeBinomial("1/10", "1/2"), (0, 1)),
        (NegativeBinomial(2, Real.exp("-1/10")), (1, 1)),
    ]


@pytest.mark.parametrize("bit", [0, 1])
def test_a_probability_is_the_sum_over_what_was_drawn(bit):
    own, common = Geometric("1/2"), NegativeBinomial(2, "1/3")
    for plus, minus in product(range(4), repeat=2):
        exact = sum(
            common.exact_pmf(w) * own.exact_pmf(plus - bit - w) * own.exact_pmf(minus - w)
            for w in range(min(plus - bit, minus) + 1)
        )
        value = ONE.probability(bit, {1: plus, -1: minus})
        assert value.lo <= exact <= value.hi
        assert (value.hi - value.lo) * 2**53 <= value.lo


def test_the_users_of_two_make_the_view():
    """The sum over what either of two users sends is the probability of one user with the whole noise."""
    two = protocols.correlated_counting(2, p1="1/2", p2="1/3", r=2).randomizer
    for plus, minus in ((0, 0), (1, 2), (3, 1)):
        together = [Fraction(0), Fraction(0)]
        for first in product(range(plus + 1), range(minus + 1)):
            parts = (
                two.probability(1, {1: first[0], -1: first[1]}),
                two.probability(0, {1: plus - first[0], -1: minus - first[1]}),
            )
            together[0] += parts[0].lo * parts[1].lo
            together[1] += parts[0].hi * parts[1].hi
        whole = ONE.probability(1, {1: plus, -1: minus})
        assert together[0] <= whole.hi
        assert whole.lo <= together[1]
        assert together[1] - together[0] < Fraction(1, 2**48)


def test_units_of_several_messages():
    """A share that is sent in pairs, one that begins above 0 and a fixed message."""
    randomizer = LatticeRandomizer({"a": {"x": 1}}, [(Poisson(1), {"x": 2}), (Geometric(0), {"x": 1, "y": 1})])
    assert randomizer.probability("a", {"x": 2}).hi == 0
    assert randomizer.probability("a", {"x": 5, "y": 1}).hi == 0
    exact = Poisson(1).pmf(2)
    value = randomizer.probability("a", {"x": 5})
    assert value.lo <= exact.hi
    assert exact.lo <= value.hi


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: LatticeRandomizer({}, []), InvalidRandomizerError, r"sent is empty\. Give at least one input"),
        (
            lambda: LatticeRandomizer({0: {}}, [(DiscreteLaplace(2), {"x": 1})]),
            InvalidRandomizerError,
            r"the law of a share is DiscreteLaplace\('2'\)\. Pass a lattice law from 0 on",
        ),
        (lambda: LatticeRandomizer({0: {}}, [(Poisson(1), {})]), InvalidRandomizerError, r"sent as no message"),
        (lambda: LatticeRandomizer({0: {"x": -1}}, []), InvalidValueError, r"messages 'x' of input 0"),
        (lambda: ONE.probability(2, {}), InvalidDataSetError, r"2 is no input of this randomizer"),
        (lambda: ONE.probability(0, {"z": 1}), InvalidRandomizerError, r"unknown message 'z'"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_too_many_terms_are_refused(monkeypatch):
    monkeypatch.setattr(lattice_randomizer, "_MAX_TERMS", 40)
    assert ONE.probability(0, {1: 39, -1: 1000}).hi > 0
    with pytest.raises(TooLargeError, match=r"is a sum of more than 40 terms, the limit"):
        ONE.probability(0, {1: 40, -1: 1000})
