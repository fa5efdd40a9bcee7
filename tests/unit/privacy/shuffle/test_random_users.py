"""A random number of users: both ends against every data set at every n, written out; cells, cuts and refusals."""

import pickle
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, permutations, product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.errors import InvalidLawError, InvalidValueError, TooLargeError
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import FamilyPairs
from exactdp.privacy.planner import RandomUsersPairs, engine_of
from exactdp.privacy.shuffle import random_users
from exactdp.randomizers import KAryResponse, UnaryEncoding
from tests.oracles.small_tables import small_tables
from tests.thinned import thinned

FLIP = xdp.Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
TWINS = xdp.randomized_response(3, exp_eps0=5)  # every n has a worst pair of its own name
SKEWED = xdp.Randomizer(
    {0: {(0,): "1/2", (1,): "1/3", (2,): "1/6"}, 1: {(0,): "1/8", (1,): "7/8"}, 2: {(1,): "1/5", (2,): "4/5"}}
)


def worst_at(table, n, first, second, exp_eps):
    """The largest divergence with n users over the inputs of the others, from the laws of the views."""
    protocol = xdp.ShuffleProtocol(table, n)
    return max(
        xdp.hockey_stick_divergence(protocol.law([first, *others]), protocol.law([second, *others]), exp_eps=exp_eps)
        for others in combinations_with_replacement(table.inputs, n - 1)
    )


def worst_mean(table, law, exp_eps):
    """The largest mean over ordered pairs of inputs: the definition."""
    return max(
        sum((p * worst_at(table, n, first, second, exp_eps) for n, p in law.items() if n), Fraction(0))
        for first, second in permutations(table.inputs, 2)
    )


LAWS = [
    xdp.Law({1: "1/2", 3: "1/2"}),
    xdp.Law({0: "1/4", 2: "1/4", 4: "1/2"}),
    xdp.Binomial(4, "3/5"),
    xdp.DiscreteUniform(1, 3),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("table", [FLIP, TWINS, SKEWED], ids=["flip", "twins", "skewed"])
@pytest.mark.parametrize("exp_eps", thinned([Fraction(3, 2), Fraction(1), Fraction(4)], every=3))
def test_every_data_set_at_every_n(table, law, exp_eps):
    profile = xdp.ShuffleProtocol(table, law).privacy_profile()
    bracket = profile.bracket(exp_eps=exp_eps, relative_bits=40)
    truth = worst_mean(table, law.law(), exp_eps)
    assert bracket.lower.lo <= truth <= bracket.upper.hi
    if bracket.is_closed:
        assert bracket.upper.hi - bracket.lower.lo <= truth / 2**38
    assert table is SKEWED or bracket.is_closed
    assert profile.delta(exp_eps=exp_eps) == profile.bracket(exp_eps=exp_eps).delta


def view_of_some(table, dataset, chances):
    """The law of the view where each user takes part by a coin of his own: a sum over all subsets."""
    view = {}
    for coins in product((0, 1), repeat=len(dataset)):
        weight = prod(p if coin else 1 - p for p, coin in zip(chances, coins, strict=True))
        there = [held for held, coin in zip(dataset, coins, strict=True) if coin]
        law = xdp.ShuffleProtocol(table, len(there)).law(there) if there else {(0,) * len(table.alphabet): 1}
        for counts, p in law.items():
            view[counts] = view.get(counts, 0) + weight * p
    return view


def worst_of_some(table, n, own, others, exp_eps):
    """The least delta where the user who differs takes part with probability ``own``, each of the others ``others``."""
    deltas = []
    for pair in permutations(table.inputs, 2):
        for held in combinations_with_replacement(table.inputs, n - 1):
            one, other = (view_of_some(table, [x, *held], [own] + [others] * (n - 1)) for x in pair)
            deltas.append(sum(max(0, p - exp_eps * other.get(counts, 0)) for counts, p in one.items()))
    return max(deltas)


@pytest.mark.parametrize("table", [FLIP, TWINS, SKEWED], ids=["flip", "twins", "skewed"])
def test_the_user_who_differs_takes_part_for_sure(table):
    """Against a sum over all subsets of three users: the others away by chance, or he too, which is another number."""
    n, p, exp_eps = 3, Fraction(3, 4), Fraction(3, 2)
    sure, away = (worst_of_some(table, n, own, p, exp_eps) for own in (1, p))
    beside = xdp.Law({1 + k: xdp.Binomial(n - 1, p).law().prob(k) for k in range(n)})
    bracket = xdp.ShuffleProtocol(table, beside).privacy_profile().bracket(exp_eps=exp_eps, relative_bits=40)
    assert bracket.lower.lo <= sure <= bracket.upper.hi <= sure * (1 + Fraction(1, 2**38))
    assert "of a user who takes part for sure," in bracket.attained_by
    assert away <= p * sure < bracket.lower.lo
    of_all = xdp.ShuffleProtocol(table, xdp.Binomial(n, p)).privacy_profile().bracket(exp_eps=exp_eps)
    assert away < of_all.lower.lo
    assert sure <= of_all.upper.hi + (1 - p) ** n


@settings(max_examples=12)
@given(small_tables(), st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(lambda w: any(w[1:])), st.booleans())
def test_random_tables_with_and_without_exact_engines(table, weights, exact):
    law = xdp.Law({n: Fraction(w, sum(weights)) for n, w in enumerate(weights) if w})
    if isinstance(xdp.ShuffleProtocol(table, law).users, int):
        return
    source = RandomUsersPairs(table, law)
    engine = source.plan()
    if not exact:  # only the bounds that hold at any n
        engine = random_users.RandomUsers(engine.pairs, law, lambda users: None)
    truth = worst_mean(table, law, Fraction(3, 2))
    ends = engine.bracket(xdp.Real(Fraction(3, 2)), 20)
    assert ends.lower.lo <= truth <= ends.upper.hi


def test_the_mean_of_the_ends_at_each_n_where_cells_hold_many(monkeypatch):
    """Eight values of n, in cells of one and in a few cells: the ends of the first are inside those of the second."""
    law, level = xdp.DiscreteUniform(40, 47), xdp.Real(Fraction(5, 2))
    engine = random_users.RandomUsers(FamilyPairs(KAryResponse(9, exp_eps0=9)), law, lambda users: None)
    single = engine.bracket(level, 12)
    at_each = [Amplification(engine.pairs, n) for n in range(40, 48)]
    uppers = [one.upper_end(level, 14)[0] for one in at_each]
    lowers = [one.lower_end(level, 14)[0] for one in at_each]
    assert sum(one.lo for one in uppers) / 8 <= single.upper.hi
    assert single.upper.hi <= sum(one.hi for one in uppers) / 8 * (1 + Fraction(1, 2**12))
    assert single.lower.lo <= sum(one.hi for one in lowers) / 8
    assert single.lower.lo >= sum(one.lo for one in lowers) / 8 * (1 - Fraction(1, 2**12))
    monkeypatch.setattr(random_users, "_FEW", 3)
    monkeypatch.setattr(random_users, "_HALVED", 1)
    cells = random_users.first_ranges(law)
    assert len(cells) < 8
    assert (cells[0][0], cells[-1][1]) == (40, 47)
    assert all(one[1] + 1 == other[0] for one, other in pairwise(cells))
    wide = random_users._kept_bracket.__wrapped__(engine, level, 12)
    assert wide.lower.lo <= single.lower.lo <= single.upper.hi <= wide.upper.hi
    assert not wide.is_closed


@pytest.mark.parametrize(
    "law", [xdp.Binomial(2000, "9/10"), xdp.Poisson(1000), xdp.NegativeBinomial(2, "99/100")], ids=repr
)
def test_the_cells_leave_nothing_of_the_law_out(law):
    """The masses of the cells cover all n >= 1: without the last cell, or the first, less than everything is left."""
    engine = engine_of(RandomUsersPairs(FLIP, law))
    masses = [engine.mass(*ends) for ends in random_users.first_ranges(law)]
    nobody = law.pmf(0)
    low, high = (sum((getattr(mass, side).fraction() for mass in masses), Fraction(0)) for side in ("lower", "upper"))
    assert low <= 1 - nobody.lo <= high + Fraction(1, 2**50)
    assert high - low < Fraction(1, 2**40)
    assert all(mass.upper.mantissa > 0 for mass in masses)


@pytest.mark.slow
def test_users_who_stay_away_by_chance():
    """Close ends for a million users of whom nine tenths take part."""
    profile = xdp.ShuffleProtocol(KAryResponse(16, exp_eps0=55), xdp.Binomial(10**6, "9/10")).privacy_profile()
    bracket = profile.bracket(exp_eps="21/20")
    assert bracket.upper.hi < bracket.lower.lo * Fraction(102, 100)
    fixed = xdp.ShuffleProtocol(KAryResponse(16, exp_eps0=55), 9 * 10**5).privacy_profile().bracket(exp_eps="21/20")
    assert fixed.lower.hi < bracket.lower.lo  # at the mean n there is more privacy: delta is convex in n, about
    assert bracket.upper.hi < fixed.upper.hi * Fraction(101, 100)
    assert "users who hold" in bracket.attained_by
    assert not bracket.is_closed
    assert not profile.is_tight


def test_questions_of_a_profile():
    law = xdp.Law({3: "1/2", 4: "1/2"})
    profile = xdp.ShuffleProtocol(FLIP, law).privacy_profile()
    eps = profile.epsilon("1/100")
    for side, above in ((eps.lo, True), (eps.hi, False)):
        delta = profile.bracket(eps=side)
        assert (delta.upper.hi >= Fraction(1, 100)) if above else (delta.lower.lo <= Fraction(1, 100))
    assert eps.hi - eps.lo < Fraction(1, 10**4)
    assert profile.epsilon(0).hi >= 1
    assert profile.worst_pair(exp_eps=2).first in ({0: 3}, {1: 3}, {0: 4}, {1: 4}, {0: 3, 1: 1}, {0: 2, 1: 1})
    assert xdp.is_private(xdp.ShuffleProtocol(FLIP, law), exp_eps=2, delta="1/2") is True
    assert xdp.is_private(xdp.ShuffleProtocol(FLIP, law), exp_eps=2, delta="1/1000") is False
    once = profile.delta(eps=1).hi
    assert once <= profile.compose(2).delta(eps=1).hi <= 1
    with pytest.raises(TooLargeError, match="in the mean over n are out of reach"):
        profile.exact_tradeoff()
    infinite = profile.delta(eps=xdp.LogRational(None))
    assert infinite.hi == 0


def test_the_law_is_kept_as_it_is():
    protocol = xdp.ShuffleProtocol(UnaryEncoding(30, exp_eps0=4), xdp.Poisson(50))
    assert pickle.loads(pickle.dumps(protocol)) == protocol
    assert "n=Poisson('50')" in repr(protocol)
    assert xdp.ShuffleProtocol(FLIP, xdp.Law({5: 1})) == xdp.ShuffleProtocol(FLIP, 5)
    assert xdp.ShuffleProtocol(FLIP, xdp.Binomial(5, 1)).n == 5


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: xdp.ShuffleProtocol(FLIP, xdp.DiscreteLaplace(2)), InvalidLawError, "has outcomes below 0"),
        (lambda: xdp.ShuffleProtocol(FLIP, xdp.Law({-1: "1/2", 2: "1/2"})), InvalidLawError, "has outcomes below 0"),
        (lambda: xdp.ShuffleProtocol(FLIP, xdp.Law({0: 1})), InvalidLawError, "is always 0"),
        (lambda: xdp.ShuffleProtocol(FLIP, xdp.Law({"a": 1})), InvalidLawError, "outcomes that are not ints"),
        (lambda: xdp.ShuffleProtocol(FLIP, xdp.Poisson(5)).law([0]), InvalidValueError, "needs one n"),
        (
            lambda: xdp.ShuffleProtocol(FLIP, xdp.Poisson(5)).privacy_profile(
                neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE
            ),
            InvalidValueError,
            "not defined where n is random",
        ),
        (
            lambda: xdp.Claim.shuffle_dp(xdp.ShuffleProtocol(FLIP, xdp.Poisson(5)), eps=1, delta=0),
            InvalidValueError,
            "no certificate speaks of that",
        ),
    ],
)
def test_what_is_refused(call, kind, message):
    with pytest.raises(kind, match=message) as refused:
        call()
    assert "\n" not in str(refused.value)
