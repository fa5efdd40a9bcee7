"""Both ends of delta where users send several messages, against the exact scan of all data sets."""

import random
from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import TablePairs
from exactdp.privacy.planner import engine_of
from exactdp.randomizers import KAryResponse, Repetition, repeat
from tests.thinned import thinned

SENDS = [(), (0,), (1,), (0, 0), (0, 1), (1, 1), (2,), (0, 2)]


def random_table(seed):
    rng = random.Random(seed)
    rows = {}
    for x in range(rng.randrange(2, 4)):
        sends = rng.sample(SENDS, rng.randrange(2, 6))
        weights = [rng.choice([1, 1, 2, 3, 5]) for _ in sends]
        row = {send: Fraction(weight, sum(weights)) for send, weight in zip(sends, weights, strict=True)}
        if rng.random() < 0.7:
            row = {send: (row.get(send, Fraction(0)) + Fraction(1, len(SENDS))) / 2 for send in SENDS}
        rows[x] = row
    return xdp.Randomizer(rows), rng.randrange(1, 7), Fraction(rng.randrange(8, 20), 8)


@pytest.mark.parametrize("block", thinned(range(2), every=2))
def test_the_exact_worst_case_lies_between_the_ends(block):
    above = 0
    for seed in range(10 * block, 10 * block + 10):
        randomizer, users, exp_eps = random_table(seed)
        exact = xdp.ShuffleProtocol(randomizer, users).privacy_profile().delta(exp_eps=exp_eps)
        bracket = Amplification(TablePairs(randomizer), users).bracket(Real(exp_eps), 20)
        assert bracket.lower.lo <= exact <= bracket.upper.hi
        above += bracket.lower.lo > 0
    assert above >= 5


def test_repetition_is_answered_at_any_n_and_names_an_event():
    twice = repeat(xdp.randomized_response(4, exp_eps0=3), 2)
    for users in (10**3, 10**9, 10**18):
        profile = xdp.ShuffleProtocol(twice, users).privacy_profile()
        bracket = profile.bracket(exp_eps=1 + Fraction(1, int(users**0.5) // 3))
        assert 0 < bracket.lower.lo < bracket.upper.hi < 1
        assert "an event of a sum of message scores" in bracket.attained_by
        assert not profile.is_tight


def test_the_bundles_of_a_family_are_no_lower_end():
    """Two messages of each of two users: the divergence of bundles is above that of the view."""
    exact = xdp.ShuffleProtocol(repeat(xdp.randomized_response(3, exp_eps0=3), 2), 2).privacy_profile().delta(exp_eps=2)
    table = Repetition(KAryResponse(3, exp_eps0=3), 2).table()
    bracket = Amplification(TablePairs(table), 2).bracket(Real(2), 20)
    assert bracket.lower.lo <= exact <= bracket.upper.hi
    pure = Amplification(TablePairs(table), 2).exp_eps_range(Fraction(0))
    assert (pure.low, pure.high) == (1, 9)


def test_the_scan_is_preferred_where_it_reaches():
    twice = repeat(xdp.randomized_response(3, exp_eps0=3), 2)
    assert engine_of(xdp.ShuffleProtocol(twice, 3).privacy_profile().source).name == "pairwise scan"
