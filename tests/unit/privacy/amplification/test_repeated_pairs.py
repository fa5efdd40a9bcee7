"""Both ends for families that users repeat, against the exact scan of their tables."""

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.repeated_pairs import RepeatedPairs, root_below
from exactdp.randomizers import KAryResponse, Repetition, UnaryEncoding, repeat
from tests.oracles import positive_parts

F = Fraction


@pytest.mark.parametrize(
    ("family", "users"),
    [
        (Repetition(KAryResponse(2, exp_eps0=3), 2), 5),
        (Repetition(KAryResponse(2, exp_eps0=3), 3), 4),
        (Repetition(KAryResponse(3, exp_eps0=5), 2), 3),
        (Repetition(UnaryEncoding(2, exp_eps0=4), 2), 2),
        (Repetition(KAryResponse(3, gamma=0), 2), 2),
        (Repetition(KAryResponse(4, exp_eps0=2), 2), 1),
    ],
    ids=str,
)
def test_the_exact_worst_case_lies_between_the_ends(family, users):
    table = repeat(family.base.table(), family.times)
    for level in (F(1), F(9, 8), F(3, 2), F(3)):
        exact = xdp.ShuffleProtocol(table, users).privacy_profile().delta(exp_eps=level)
        bracket = Amplification(RepeatedPairs(family), users).bracket(Real(level), 20)
        assert bracket.lower.lo <= exact <= bracket.upper.hi


@pytest.mark.parametrize("times", [2, 5, 30])
def test_each_of_the_two_bounds_is_one(times):
    """Without bundles the bound of separate shuffles stands alone; both are above the truth of one user."""
    family = Repetition(KAryResponse(3, exp_eps0=3), times)
    (bound,) = RepeatedPairs(family).blankets
    assert (bound.bundles is None) == (times == 30)
    alone = type(bound)(bound.single, times, None)
    level = Real(F(3, 2))
    both, separate = (one.divergence(1, level, relative_bits=20).hi for one in (bound, alone))
    rows = [{0: F(3, 5), 1: F(1, 5), 2: F(1, 5)}, {0: F(1, 5), 1: F(3, 5), 2: F(1, 5)}]
    truth = sum(max(F(0), mass * (F(3) ** i - F(3, 2) * F(3) ** j)) for i, j, mass in _bundles(times, rows[0][2]))
    assert truth <= both <= separate


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("users", [1, 2, 4])
def test_no_bound_is_below_the_number_it_stands_for(times, users):
    """The two bounds in exact fractions: of the shuffle of bundles, and m times that of one message."""
    rows = [{0: F(3, 5), 1: F(1, 5), 2: F(1, 5)}, {0: F(1, 5), 1: F(3, 5), 2: F(1, 5)}]
    once = [(rows[0][m], rows[1][m], F(1, 5)) for m in range(3)]
    bundles = [(F(3) ** i * chance, F(3) ** j * chance, chance) for i, j, chance in _bundles(times, F(1, 5))]
    (bound,) = RepeatedPairs(Repetition(KAryResponse(3, exp_eps0=3), times)).blankets
    alone = replace(bound, bundles=None)
    for level in (F(1), F(9, 8), F(4, 3), F(3, 2), F(2)):
        separate = times * positive_parts.divergence(once, users, root_below(Real(level), times))
        together = positive_parts.divergence(bundles, users, level)
        for one, least in ((alone, separate), (bound, min(separate, together))):
            assert one.divergence(users, Real(level), relative_bits=20).lo >= least
            assert one.bound(users, Real(level)).hi >= least


def _bundles(times, chance):
    """How often the first two symbols occur among several messages, with the weight of all these sequences."""
    counts = ((i, j) for i in range(times + 1) for j in range(times - i + 1))
    return [(i, j, comb(times, i) * comb(times - i, j) * chance**times) for i, j in counts]


def test_roots_are_below():
    assert root_below(Real(4), 2) == 2
    assert root_below(Real(1), 5) == 1
    for level, times in ((F(101, 100), 2), (F(3), 7), (F(10**9 + 1, 10**9), 40), (F(10**6), 3)):
        root = root_below(Real(level), times)
        assert root**times <= level < (1 + (root - 1) * (1 + F(1, 2**11))) ** times


def test_a_family_too_large_for_a_table_is_answered():
    profile = xdp.ShuffleProtocol(repeat(KAryResponse(1000, exp_eps0=4), 2), 10**5).privacy_profile()
    bracket = profile.bracket(exp_eps="1003/1000")
    assert bracket.lower.lo < bracket.upper.hi < bracket.lower.lo * F(6, 5)
    assert "of m separate shuffles" in bracket.theorem
    assert "an event of a sum of message scores" in bracket.attained_by
    assert not profile.is_tight
    more = xdp.ShuffleProtocol(repeat(UnaryEncoding(1000, exp_eps0="exp(1)"), 100), 10**5).privacy_profile()
    assert 0 < more.bracket(eps="1/2").upper.hi <= 1
    assert profile.epsilon(0).hi < F("2.7726")
