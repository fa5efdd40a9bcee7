"""The two ends of families that stand for many randomizers, and of those whose e^eps0 is rounded."""

import itertools
from fractions import Fraction

import pytest

from exactdp import Real, ShuffleProtocol
from exactdp.bounds import clones_delta, stronger_clones_delta
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import Candidate, RangedPairs
from exactdp.randomizers import ClippedDiscreteLaplace, KAryResponse, any_randomizer, clipped_discrete_laplace


def test_any_randomizer_lies_between_its_members_and_the_clones():
    users, exp_eps = 10**5, "103/100"
    bracket = ShuffleProtocol(any_randomizer(exp_eps0=3), users).privacy_profile().bracket(exp_eps=exp_eps)
    assert str(bracket.attained_by).endswith("of randomized-response:inputs=3 with this eps0")
    assert not bracket.is_closed
    for k in (2, 3, 10):
        member = ShuffleProtocol(KAryResponse(k, exp_eps0=3), users).privacy_profile().delta(exp_eps=exp_eps)
        assert (member.lo if k > 2 else member) <= bracket.upper.hi
        assert k == 10 or bracket.lower.hi >= (member.lo if k > 2 else member)
    clones = {"exp_eps0": 3, "exp_eps": exp_eps, "relative_bits": 30}
    assert bracket.upper.hi < stronger_clones_delta(users, **clones).lo < clones_delta(users, **clones).lo
    assert "five extreme randomizers" in bracket.theorem


def test_a_bound_of_other_rows_closes_no_bracket():
    """The upper end is that of a larger e^eps0, the lower end that of a smaller one: they differ."""
    for exp_eps0, closes in ((55, True), ("exp(4)", False)):
        profile = ShuffleProtocol(KAryResponse(300, exp_eps0=exp_eps0), 10).privacy_profile()
        bracket = profile.bracket(exp_eps="11/10", relative_bits=100)
        assert bracket.is_closed is closes
        assert bracket.lower.lo <= bracket.upper.hi


@pytest.mark.parametrize(("top", "ranges"), [(2, 2), (5, 5), (5, 3), (7, 16)])
def test_ranges_of_clipped_laplace(top, ranges):
    """The masses of ranges are the sums of those of the messages."""
    family = ClippedDiscreteLaplace(top, exp_eps0=5)
    rows = list(family.rows())
    cuts = sorted({0, *(top * place // ranges for place in range(1, ranges)), top + 1})
    table = family.ranged_table(0, top, (0, 1, top), ranges)
    for place, x in enumerate((0, 1, top)):
        masses = sorted(sum(rows[x][a:b]) for a, b in itertools.pairwise(cuts))
        assert sum(masses) == sum(c.others[place] for c in table.classes) == 1
        assert len(table.classes) == len(masses)
        assert sorted(c.others[place] for c in table.classes) == masses


@pytest.mark.parametrize("users", [1, 2, 4])
def test_ranges_and_clones_enclose_the_worst_case_of_clipped_laplace(users):
    family = ClippedDiscreteLaplace(3, exp_eps0=5)
    for level in ("1", "5/4", "2"):
        exact = ShuffleProtocol(family, users).privacy_profile().delta(exp_eps=level)
        bracket = Amplification(RangedPairs(family), users).bracket(Real(Fraction(level)), 20)
        assert bracket.lower.lo <= exact <= bracket.upper.hi


@pytest.mark.slow
def test_a_family_whose_pairs_are_all_unlike_has_two_ends():
    profile = ShuffleProtocol(clipped_discrete_laplace(400, exp_eps0=5), 1000).privacy_profile()
    bracket = profile.bracket(exp_eps="5/4")
    assert 0 < bracket.lower.lo < bracket.upper.hi < 1
    equal = ShuffleProtocol(clipped_discrete_laplace(400, exp_eps0=1), 1000).privacy_profile()
    assert equal.delta(exp_eps=1).hi == 0
    assert bracket.upper.hi < profile.by_blankets.bracket(exp_eps="5/4").upper.lo
    assert "five extreme randomizers" in bracket.theorem
    assert profile.by_blankets.bracket(exp_eps="5/4").theorem.startswith("stronger clones of the two inputs")
    assert "by an event of ranges of messages" in bracket.attained_by
    far = ShuffleProtocol(clipped_discrete_laplace(10**4, exp_eps0="exp(1)"), 1000).privacy_profile()
    assert far.bracket(exp_eps="3/2").upper.hi < 1


def test_values_of_all_rates_of_which_few_are_rare_and_huge():
    """Nine values, from 1 to -2999, the farthest of which occurs in half of all sums of 1000: 2 10^6 draws, 0.1392."""
    (table,) = (t for t in ClippedDiscreteLaplace(8, exp_eps0=1000).pair_tables() if (t.first, t.second) == (0, 8))
    alone = Candidate.homogeneous(table, table.others.index(0)).mixture
    delta = alone.divergence(1000, Real(Fraction(3)), relative_bits=20)
    assert delta.hi < delta.lo * (1 + Fraction(1, 10**6))
    assert Fraction("0.1390") < delta.lo < Fraction("0.1394")
