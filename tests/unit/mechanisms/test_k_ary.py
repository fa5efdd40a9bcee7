"""k-ary randomized response: the family against its table."""

from fractions import Fraction

import pytest

from exactdp import LogRational, Randomizer, Real, ShuffleProtocol, randomized_response
from exactdp.errors import ExactDPError, InexactNumberError, InvalidValueError, TooLargeError
from exactdp.numbers.balls import compare_reals
from exactdp.randomizers import KAryResponse
from tests.oracles.family_classes import covers_every_pair


def test_no_blanket_at_all():
    family = KAryResponse(4, gamma=0)
    assert family.local_epsilon().is_infinite
    assert family.table().table()[2] == {(2,): 1}
    assert covers_every_pair(family)


@pytest.mark.parametrize("k", [2, 3, 8, 257, 10**6])
@pytest.mark.parametrize("gamma", ["1/7", "9/10", 1])
def test_gamma_and_exp_eps0_name_the_same_family(k, gamma):
    family = KAryResponse(k, gamma=gamma)
    assert family == KAryResponse(k, exp_eps0=family.exp_eps0)
    assert family.gamma == Fraction(gamma)
    assert family.local_epsilon() == LogRational(family.exp_eps0)
    if family.has_small_table:
        assert family.table().local_epsilon() == family.local_epsilon()


def test_huge_alphabets_have_four_classes():
    (table,) = KAryResponse(10**9, exp_eps0=55).pair_tables()
    assert [len(c.others) for c in table.classes] == [3] * 4
    with pytest.raises(TooLargeError, match="the table has 1000000000 inputs and 1000000000 messages"):
        KAryResponse(10**9, exp_eps0=55).table()


def test_the_public_function_gives_a_table_where_it_is_small():
    assert isinstance(randomized_response(256, gamma="1/2"), Randomizer)
    assert randomized_response(16, exp_eps0=55) == KAryResponse(16, exp_eps0=55).table()
    assert randomized_response(257, gamma="1/2") == KAryResponse(257, gamma="1/2")
    assert randomized_response(2, exp_eps0="exp(1)") == KAryResponse(2, exp_eps0="exp(1)")


def test_a_protocol_takes_a_family():
    flips = ShuffleProtocol(KAryResponse(3, exp_eps0=5), 4)
    listed = ShuffleProtocol(randomized_response(3, exp_eps0=5), 4)
    assert flips.law([0, 1, 1, 2]) == listed.law([0, 1, 1, 2])
    assert flips.privacy_profile().delta(exp_eps=2) == listed.privacy_profile().delta(exp_eps=2)
    with pytest.raises(TooLargeError, match="the table has"):
        ShuffleProtocol(KAryResponse(10**6, exp_eps0=5), 4).law({0: 4})


def test_an_irrational_exp_eps0_has_members_on_both_sides():
    family = KAryResponse(16, exp_eps0="exp(1/2)")
    assert family.local_epsilon() == Real("1/2")
    for question in (family.pair_tables, family.table):
        with pytest.raises(InvalidValueError, match="irrational"):
            question()
    for bits in (1, 20, 400):
        low, high = family.at_most(bits).exp_eps0, family.at_least(bits).exp_eps0
        assert compare_reals(low, family.exp_eps0) < 0 < compare_reals(high, family.exp_eps0)
        assert high - low <= Fraction(4, 2**bits) * 2
    rational = KAryResponse(16, exp_eps0=3)
    assert rational.at_least() is rational.at_most() is rational


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"gamma": "1/2", "exp_eps0": 3},
        {"exp_eps0": "99/100"},
        {"exp_eps0": "exp(-1/2)"},
        {"exp_eps0": LogRational(3)},
        {"exp_eps0": LogRational(None)},
        {"exp_eps0": 3.0},
        {"gamma": 2},
    ],
)
def test_refused_parameters(arguments):
    with pytest.raises(ExactDPError):
        KAryResponse(3, **arguments)


def test_the_refusal_of_an_eps_names_its_exponential():
    with pytest.raises(InexactNumberError, match="Pass exp_eps0=3"):
        KAryResponse(3, exp_eps0=LogRational(3))
    with pytest.raises(InvalidValueError, match="k=1 is below 2"):
        KAryResponse(1, exp_eps0=3)
