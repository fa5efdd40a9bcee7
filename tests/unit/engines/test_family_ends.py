"""The two ends of families that stand for many randomizers, and of those whose e^eps0 is rounded."""

import pytest

from exactdp import ShuffleProtocol
from exactdp.errors import TooLargeError
from exactdp.randomizers import KAryResponse, any_randomizer, clipped_discrete_laplace


def test_any_randomizer_lies_between_its_members_and_the_clones():
    users, exp_eps = 10**5, "103/100"
    bracket = ShuffleProtocol(any_randomizer(exp_eps0=3), users).privacy_profile().bracket(exp_eps=exp_eps)
    assert str(bracket.attained_by).endswith("of k-ary randomized response with this eps0")
    assert not bracket.is_closed
    for k in (2, 3, 10):
        member = ShuffleProtocol(KAryResponse(k, exp_eps0=3), users).privacy_profile().delta(exp_eps=exp_eps)
        assert (member.lo if k > 2 else member) <= bracket.upper.hi
        assert k == 10 or bracket.lower.hi >= (member.lo if k > 2 else member)


def test_a_bound_of_other_rows_closes_no_bracket():
    """The upper end is that of a larger e^eps0, the lower end that of a smaller one: they differ."""
    for exp_eps0, closes in ((55, True), ("exp(4)", False)):
        profile = ShuffleProtocol(KAryResponse(300, exp_eps0=exp_eps0), 10).privacy_profile()
        bracket = profile.bracket(exp_eps="11/10", relative_bits=100)
        assert bracket.is_closed is closes
        assert bracket.lower.lo <= bracket.upper.hi


def test_a_family_whose_pairs_are_all_unlike_says_how_many_it_compares():
    profile = ShuffleProtocol(clipped_discrete_laplace(400, exp_eps0=5), 1000).privacy_profile()
    with pytest.raises(TooLargeError, match=r"top=400 is more than the limit of 255, .* Use a smaller top\."):
        profile.delta(eps=1)
