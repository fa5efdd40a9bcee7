"""Both ends in the mean over many numbers of users: against exact engines at every n, and every view of few users."""

from fractions import Fraction
from itertools import permutations
from math import comb

import pytest

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.privacy.amplification import mean_bounds
from exactdp.privacy.planner import RandomUsersPairs, ShufflePairs, engine_of
from exactdp.privacy.shuffle import many_random_users
from exactdp.privacy.shuffle.many_random_users import ManyRandomUsers, SureUsers
from exactdp.randomizers import KAryResponse

FLIP = xdp.Randomizer({0: {(0,): "3/4", (1,): "1/4"}, 1: {(0,): "1/4", (1,): "3/4"}})
THREE = xdp.randomized_response(3, exp_eps0=5)


def exact_mean(table, law, exp_eps):
    """The mean over n of the exact worst divergence with n users."""
    engines = {n: engine_of(ShufflePairs(table, n, xdp.Neighbors.REPLACE_ONE)) for n in law.support if n}
    return sum((law.prob(n) * engine.delta(exp_eps) for n, engine in engines.items()), Fraction(0))


@pytest.fixture
def at_few(monkeypatch):
    """The engine of many numbers of users, where there are few of them."""
    monkeypatch.setattr(many_random_users, "_FROM", 1)


@pytest.mark.parametrize(
    ("law", "exp_eps"), [(xdp.Binomial(150, "1/2"), Fraction(3, 2)), (xdp.Binomial(120, "9/10"), Fraction(5, 4))]
)
def test_the_exact_mean_is_between_the_ends(at_few, law, exp_eps):
    engine = engine_of(RandomUsersPairs(FLIP, law, 10**7))
    assert isinstance(engine, ManyRandomUsers)
    ends = engine.bracket(Real(exp_eps), 20)
    truth = exact_mean(FLIP, law.law(), exp_eps)
    assert ends.lower.lo <= truth <= ends.upper.hi
    assert ends.upper.hi < truth * Fraction(3, 2)  # of so few users
    assert ends.lower.lo > truth * Fraction(9, 10)
    assert engine.lower(Real(exp_eps), 20).lo == ends.lower.lo
    assert engine.upper_bound(exp_eps, 16).fraction() >= truth
    assert engine.rough_upper_bound(exp_eps).fraction() >= truth
    assert not ends.is_closed
    assert "at every n" in ends.among


def test_knots_that_leave_out_the_smaller_numbers_would_be_no_bound(at_few, monkeypatch):
    """The line below the first knot is needed: with what it adds left out, the bound falls below the truth."""
    law, exp_eps = xdp.Binomial(150, "1/2"), Fraction(3, 2)
    monkeypatch.setattr(mean_bounds, "_LEAST_KNOTS", 1)
    monkeypatch.setattr(mean_bounds, "_KNOTS", (2, 3, 4))
    engine = engine_of(RandomUsersPairs(FLIP, law, 10**7 + 1))
    truth = exact_mean(FLIP, law.law(), exp_eps)
    assert engine.upper(Real(exp_eps), 20).lo >= truth
    monkeypatch.setattr(mean_bounds, "shortfall", lambda law, k: Fraction(0))
    assert engine.upper(Real(exp_eps), 21).hi < truth  # the other accuracy is kept


@pytest.mark.parametrize("law", [xdp.Binomial(9, "2/3"), xdp.Poisson("7/2"), xdp.NegativeBinomial("5/2", "1/2")])
def test_the_shortfall_is_the_mean_of_what_is_missing(law):
    for k in (1, 3, 8, 20):
        low, high = (sum(getattr(law.pmf(y), side) * (k - y) for y in range(k)) for side in ("lo", "hi"))
        found = mean_bounds.shortfall(law, k)
        assert low <= found
        assert found <= high * (1 + Fraction(1, 2**40))
    listed = xdp.Law({2: "1/4", 5: "3/4"})
    assert mean_bounds.shortfall(listed, 4) == Fraction(1, 2)
    assert not mean_bounds.has_shortfall(xdp.DiscreteUniform(1, 9))


def sure_pair(table, others, chance, held, pair, nobody):
    """The laws of (n, view) where n is 1 more than binomial, all others hold one input, and with a chance nothing."""
    laws = []
    for own in pair:
        law = {"nothing": nobody}
        for k in range(others + 1):
            weight = comb(others, k) * chance**k * (1 - chance) ** (others - k) * (1 - nobody)
            for view, p in xdp.ShuffleProtocol(table, k + 1).law([own] + [held] * k).items():
                law[k + 1, view] = weight * p
        laws.append(xdp.Law({str(outcome): p for outcome, p in law.items() if p}))
    return laws


@pytest.mark.parametrize("table", [FLIP, THREE], ids=["flip", "three"])
@pytest.mark.parametrize("exp_eps", [Fraction(1), Fraction(3, 2), Fraction(3)])
def test_the_lower_end_is_the_divergence_of_data_sets(table, exp_eps):
    """Against every view of up to four users; it is below the mean with the number of the law itself."""
    users, chance = 4, Fraction(3, 5)
    nobody = (1 - chance) ** users
    engine = SureUsers.of(table, xdp.Binomial(users, chance))
    end, best = engine.lower_end(Real(exp_eps), 30)
    deltas = {
        (pair, held): xdp.hockey_stick_divergence(
            *sure_pair(table, users - 1, chance, held, pair, nobody), exp_eps=exp_eps
        )
        for pair in permutations(table.inputs, 2)
        for held in table.inputs
    }
    truth = deltas[(best.table.first, best.table.second), best.inputs[0]]
    assert truth == max(deltas.values())
    assert abs(end.lo - truth) <= truth / 2**14
    assert end.lo <= truth * (1 + Fraction(1, 2**20))
    law = xdp.Binomial(users, chance).law()
    assert end.lo <= exact_mean(table, law, exp_eps)


def test_a_poisson_number_is_as_good_as_binomial():
    exp_eps, law = Fraction(3, 2), xdp.Poisson(3)
    engine = SureUsers.of(FLIP, law)
    end, best = engine.lower_end(Real(exp_eps), 30)
    pair, held = (best.table.first, best.table.second), best.inputs[0]
    low = high = Fraction(0)
    for n in range(1, 40):  # one more than Poisson, times what is not 0
        views = [xdp.ShuffleProtocol(FLIP, n).law([own] + [held] * (n - 1)) for own in pair]
        delta, weight = xdp.hockey_stick_divergence(*views, exp_eps=exp_eps), law.pmf(n - 1)
        low, high = low + weight.lo * delta, high + weight.hi * delta
    some = law.sf(0)
    assert end.lo <= some.hi * (high + Fraction(1, 10**20))
    assert end.lo >= some.lo * low * (1 - Fraction(1, 2**14))


@pytest.mark.parametrize("by_cells", [False, True])
def test_runs_are_between_the_ends(by_cells, request, monkeypatch):
    """Two runs of few users against every view: the lower end is below the best pair, the upper end above it."""
    if not by_cells:
        request.getfixturevalue("at_few")
        monkeypatch.setattr(many_random_users, "first_ranges", lambda law: [(1, None)])
    users, chance, exp_eps = 4, Fraction(3, 5), Fraction(2)
    profile = xdp.PrivacyProfile(RandomUsersPairs(THREE, xdp.Binomial(users, chance), 10**7 + 2 + by_cells))
    bracket = profile.compose(2).bracket(exp_eps=exp_eps)
    deltas = []
    for pair in permutations(THREE.inputs, 2):
        for held in THREE.inputs:
            first, second = sure_pair(THREE, users - 1, chance, held, pair, (1 - chance) ** users)
            twice = [
                xdp.Law({f"{one}|{two}": p * q for one, p in law.items() for two, q in law.items()})
                for law in (first, second)
            ]
            deltas.append(xdp.hockey_stick_divergence(*twice, exp_eps=exp_eps))
    best = max(deltas)
    assert bracket.lower.lo <= best <= bracket.upper.hi
    assert bracket.lower.lo >= best * Fraction(98, 100)
    assert "of a user who takes part for sure" in bracket.attained_by


@pytest.mark.slow
def test_one_run_of_many_is_one_run():
    profile = xdp.ShuffleProtocol(KAryResponse(8, exp_eps0=4), xdp.Binomial(2000, "4/5")).privacy_profile()
    once, run = profile.bracket(exp_eps="6/5"), profile.compose(1).bracket(exp_eps="6/5")
    assert run.lower.lo <= once.lower.lo
    assert once.upper.hi <= run.upper.hi
    assert run.lower.lo > once.lower.lo * Fraction(9, 10)
    assert run.upper.hi < once.upper.hi * Fraction(11, 10)
    fixed = xdp.ShuffleProtocol(KAryResponse(8, exp_eps0=4), 1600).privacy_profile().bracket(exp_eps="6/5")
    assert fixed.lower.lo < once.upper.hi < fixed.upper.hi * Fraction(11, 10)
    many = profile.compose(52).bracket(exp_eps=3)
    assert 0 < many.lower.lo < many.upper.hi < many.lower.lo * Fraction(5, 4)
    assert "in the mean over the number of users" in many.theorem
