"""Both ends of every (eps0, delta0)-DP randomizer: against all data sets of random tables, and those of the members."""

import math
import pickle
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

import pytest

import exactdp as xdp
from exactdp import Real, ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.named_randomizers import RANDOMIZERS
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.approximate_pairs import BESIDE_CLONES, BESIDE_SWAPS, ONE_USER, ApproximatePairs
from exactdp.privacy.amplification.input_pairs import EveryPairs
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.randomizers import AnyRandomizer, KAryResponse, any_randomizer
from tests.expensive import recorded
from tests.oracles.data_sets import divergence_of, worst_divergences
from tests.unit.privacy.amplification.swap_plans import check_pair, check_plans, random_plan
from tests.unit.privacy.amplification.test_swap_every import random_private_table

F = Fraction
SIZES = (10**3, 10**4, 10**5, 10**6)
EPS0 = ("exp(1/2)", "exp(1)", "exp(2)", "exp(4)")
MILLIONTH = F(1, 10**6)


def least_delta0(table, ratio):
    """The least delta0 with which a table is (ln ratio, delta0)-DP."""
    messages = {m for row in table.values() for m in row}
    return max(
        sum(max(F(0), one.get(m, F(0)) - ratio * other.get(m, F(0))) for m in messages)
        for one, other in permutations(table.values(), 2)
    )


def random_law(draw, messages):
    weights = [draw.choice([0, 0, 1, draw.randint(1, 9)]) for _ in messages]
    weights[draw.randrange(len(weights))] += 1
    return {m: F(w, sum(weights)) for m, w in zip(messages, weights, strict=True)}


def random_table(draw):
    """A table of up to three inputs, an E and its delta0 there: beside a private one each row has a law of its own."""
    while True:
        base, ratio = random_private_table(draw)
        base = dict(list(base.items())[:3])
        alphabet = [*dict.fromkeys(m for row in base.values() for m in row), ("first",), ("second",)]
        if len(alphabet) > 6:
            continue
        share = draw.choice([F(1, 1000), F(1, 100), F(1, 20), F(1, 5), F(1, 2)])
        table = {}
        for x, row in base.items():
            law, part = random_law(draw, alphabet), share * draw.choice([0, 1, F(1, 2)])
            mixed = {m: (1 - part) * row.get(m, F(0)) + part * law[m] for m in alphabet}
            table[x] = {m: p for m, p in mixed.items() if p}
        ratio = draw.choice([ratio, (1 + ratio) / 2, ratio * F(11, 10)])
        delta0 = least_delta0(table, ratio)
        if 0 < delta0 < 1:
            return table, ratio, delta0


def levels(draw, ratio):
    return 1 + (ratio - 1) * draw.choice([F(0), F(1, 10), F(1, 3), F(1, 2), F(4, 5), F(1), F(6, 5)])


def check_random(seeds):
    """Return how many points were looked at, and the shares of the least bound and of the swap bound in the truth."""
    points, shares, swapped = 0, [], []
    for seed in seeds:
        draw = random.Random(seed)
        table, ratio, delta0 = random_table(draw)
        pairs = ApproximatePairs(any_randomizer(exp_eps0=ratio, delta0=delta0))
        for users in (2, 3, 4):
            exp_eps = levels(draw, ratio)
            truth = max(worst_divergences(table, users, exp_eps).values())
            (least,) = pairs.bounds_at(users, Real(exp_eps))
            check_pair(least.swaps, users, exp_eps, truth, seed)
            for one in (least, least.clones):
                if one is not None:
                    end = one.divergence(users, Real(exp_eps), relative_bits=20)
                    assert truth <= end.hi, seed
                    assert truth <= one.bound(users, Real(exp_eps)).hi, seed
            if users > 2 and least.swaps.gamma and exp_eps <= ratio:
                choices = [random_plan(draw, least.swaps, users, exp_eps, own=False) for _ in range(3)]
                swapped.append(check_plans(least.swaps, choices, users, exp_eps, truth, seed))
            shares.append(float(least.divergence(users, Real(exp_eps), relative_bits=20).hi / truth) if truth else 1e9)
            points += 1
    return points, shares, swapped


def test_no_data_set_of_random_tables_is_above():
    """Each bound alone: of one user, of the clones, and that of swaps at random choices; they are also near enough."""
    points, shares, swapped = check_random(recorded(range(120), every=2))
    assert points >= 180
    assert sum(one < 1.1 for one in shares) > points / 20
    assert sum(one < 3 for one in swapped) > len(swapped) / 20


@pytest.mark.slow
def test_no_data_set_of_thousands_of_tables_is_above():
    """The recorded run had four thousand points."""
    check_random(recorded(range(1000, 2334)))


def mean_excess(laws):
    """(1/r) E max(0, sum of independent values), each law a list of (value, probability)."""
    total = F(0)
    for chosen in product(*laws):
        total += prod(p for _, p in chosen) * max(F(0), sum(value for value, _ in chosen))
    return total / len(laws)


def beside_rows(mu, rows):
    """The same for mu/R under R, and the mean of s."""
    charges = sum(max(F(0), gain) for row in rows for gain, r in zip(mu, row, strict=True) if not r)
    laws = [[(gain / r, r) for gain, r in zip(mu, row, strict=True) if r] for row in rows]
    return mean_excess(laws) + charges / len(rows)


def thinned_laws(first, second, rows, ratio, delta0, exp_eps):
    """(P* - x Q*)/R* with the probabilities m R*, else 0, for each row; the three laws are within e^eps0/m."""
    kept, laws = 1 - 2 * delta0, []
    for row in rows:
        messages = list(zip(first, second, row, strict=True))
        parts = [[min(three[k], *(ratio * one for one in three)) for three in messages] for k in range(3)]
        assert all(sum(part) >= kept for part in parts)
        laws.append([(F(0), 1 - kept)])
        for p, q, r in zip(*([mass / sum(part) for mass in part] for part in parts), strict=True):
            assert kept * max(p, q, r) <= ratio * min(p, q, r)
            laws[-1] += [((p - exp_eps * q) / r, kept * r)] if r else []
    return laws


def check_steps(seed):
    """Return whether there was a delta0 in the domain of the swap bound."""
    draw = random.Random(seed)
    others, ratio = draw.choice([1, 2, 3]), draw.choice([F(101, 100), F(11, 10), F(3, 2), F(3)])
    common, share = [draw.randint(1, 6) for _ in range(3)], draw.choice([F(1, 50), F(1, 10), F(1, 4)])
    rows = []
    for _ in range(others + 2):
        near = [w * draw.choice([F(1), F(1), F(draw.randint(8, 14), 10)]) for w in common]
        far = list(random_law(draw, range(3)).values())
        rows.append([(1 - share) * w / sum(near) + share * p for w, p in zip(near, far, strict=True)])
    table = {x: {(m,): p for m, p in enumerate(row)} for x, row in enumerate(rows)}
    delta0, exp_eps = least_delta0(table, ratio), levels(draw, ratio)
    if not 0 < delta0 < F(1, 2):
        return False
    first, second, *held = rows
    mu = [p - exp_eps * q for p, q in zip(first, second, strict=True)]
    alone, missed = sum(max(F(0), gain) for gain in mu), sum(max(F(0), -gain) for gain in mu)
    assert alone <= delta0 + (1 - delta0) * max(F(0), ratio - exp_eps) / (ratio + 1)
    kept = 1 - 2 * delta0
    gamma = kept / ratio
    plain = last = (1 - gamma) ** others * alone
    for lost in range(others):
        sets = list(combinations(held, others - lost))
        exact = sum(beside_rows(mu, unseen) for unseen in sets) / len(sets)
        spread = sum(mean_excess(thinned_laws(first, second, unseen, ratio, delta0, exp_eps)) for unseen in sets) / len(
            sets
        )
        assert exact <= kept * spread + 2 * delta0
        plain += (1 - gamma) ** lost * (exact + delta0 * missed) / ratio
        last += gamma * (1 - gamma) ** lost * (spread + (2 + exp_eps) * delta0 / kept)
    assert divergence_of(table, (0, 1), range(2, others + 2), exp_eps) <= plain <= last
    return True


def test_each_step_of_the_swap():
    """The rows of all others differ; what stands between the divergence and the bound is made of exact sums."""
    assert sum(map(check_steps, recorded(range(600), every=3))) > 100


def starred(ratio, delta0, inputs):
    """The members that attain the lower end: of each input one with a star, that is shown with probability delta0."""
    base = KAryResponse(inputs, exp_eps0=ratio).table().table()
    plain = {("plain", v): dict(row) for v, row in base.items()}
    shown = {
        ("star", v): {(f"star {v}",): delta0} | {m: (1 - delta0) * p for m, p in row.items()} for v, row in base.items()
    }
    return plain | shown


@pytest.mark.parametrize("delta0", [F(1, 1000), F(1, 7), F(3, 4)])
@pytest.mark.parametrize("ratio", [F(1), F(3, 2), F(7)])
def test_the_lower_end_is_attained(ratio, delta0):
    """The members are (eps0, delta0)-DP, and exact masses of their views are delta0 and 1 - delta0 of those of eps0."""
    family = any_randomizer(exp_eps0=ratio, delta0=delta0)
    tables = [starred(ratio, delta0, inputs) for inputs in (2, 3)]
    assert all(least_delta0(table, ratio) == delta0 for table in tables)
    for users in (1, 2, 4):
        engine = Amplification(ApproximatePairs(family), users)
        for exp_eps in {F(1), (1 + ratio) / 2, (1 + 9 * ratio) / 10, ratio, ratio + 1}:
            best = F(0)
            for inputs, table in zip((2, 3), tables, strict=True):
                for others in ([("plain", held)] * (users - 1) for held in range(inputs)):
                    plain = divergence_of(table, (("plain", 0), ("plain", 1)), others, exp_eps)
                    attained = divergence_of(table, (("star", 0), ("star", 1)), others, exp_eps)
                    assert attained == delta0 + (1 - delta0) * plain
                    best = max(best, attained)
            bracket = engine.bracket(Real(exp_eps), 30)
            assert bracket.lower.lo <= best <= bracket.lower.hi
            assert best <= bracket.upper.hi
            if exp_eps >= ratio:
                assert best == delta0
                assert bracket.upper.hi < delta0 * (1 + F(1, 10**6))


@pytest.mark.parametrize("users", [2, 3])
def test_no_data_set_of_the_members_is_above(users):
    """Starred inputs among the others too."""
    for ratio, delta0 in ((F(3, 2), F(1, 10)), (F(3), F(1, 100))):
        pairs = ApproximatePairs(any_randomizer(exp_eps0=ratio, delta0=delta0))
        for exp_eps in (F(1), (1 + ratio) / 2, ratio):
            truth = max(worst_divergences(starred(ratio, delta0, 2), users, exp_eps).values())
            (least,) = pairs.bounds_at(users, Real(exp_eps))
            assert truth <= least.divergence(users, Real(exp_eps), relative_bits=20).hi


def test_without_a_charge_the_members_are_above():
    """At n = 1000 and x just below e^eps0: each bound falls below what is attained when its charge is left out."""
    ratio, delta0, users, exp_eps = F(3), F(1, 1000), 1000, F(29, 10)
    engine = Amplification(ApproximatePairs(any_randomizer(exp_eps0=ratio, delta0=delta0)), users)
    lower = engine.bracket(Real(exp_eps), 20).lower
    assert lower.lo >= delta0 * (1 - F(1, 10**6))
    (least,) = engine.pairs.bounds_at(users, Real(exp_eps))
    swaps = replace(least.swaps, rows=tuple(Mixture((), row.atoms) for row in least.swaps.rows))
    assert least.swaps.swapped(users, Real(exp_eps), 20).lo > lower.hi > swaps.swapped(users, Real(exp_eps), 20).hi
    clones = Mixture((), least.clones.atoms)
    ends = [one.divergence(users, Real(exp_eps), relative_bits=20) for one in (least.clones, clones)]
    assert ends[0].lo > lower.hi > ends[1].hi


def test_without_delta0_nothing_changes():
    plain, zero = any_randomizer(exp_eps0=3), any_randomizer(exp_eps0=3, delta0="0.0")
    assert plain == zero
    assert hash(plain) == hash(zero)
    assert repr(zero) == "AnyRandomizer(exp_eps0=Fraction(3, 1))"
    assert (zero.parameters, zero.pairs_by) == ({"exp_eps0": 3}, "every")
    assert plain != any_randomizer(exp_eps0=3, delta0=MILLIONTH)
    brackets = [ShuffleProtocol(one, 50).privacy_profile().bracket(exp_eps=2) for one in (plain, zero)]
    assert brackets[0] == brackets[1]


@pytest.mark.parametrize("exp_eps0", EPS0)
@pytest.mark.parametrize("users", SIZES)
def test_the_upper_end_is_near_that_of_eps0(exp_eps0, users):
    """Where n delta0 = delta/10: at most 1.2 times, and where swaps bound 1.02 times."""
    plain = any_randomizer(exp_eps0=exp_eps0)
    level = Real.exp(ShuffleProtocol(plain, users).privacy_profile().epsilon(MILLIONTH).hi)
    (pure,) = EveryPairs(plain).bounds_at(users, level)
    pairs = ApproximatePairs(any_randomizer(exp_eps0=exp_eps0, delta0=MILLIONTH / 10 / users))
    (least,) = pairs.bounds_at(users, level)
    before, now = (one.divergence(users, level, relative_bits=20) for one in (pure, least))
    assert F(99, 100) * MILLIONTH < before.hi < F(101, 100) * MILLIONTH
    assert before.lo < now.hi
    is_by_swaps = least.theorem(users, level) == BESIDE_SWAPS
    assert is_by_swaps == ((exp_eps0, users) != ("exp(4)", 1000))
    assert now.hi < before.lo * (F(102, 100) if is_by_swaps else F(12, 10))


@pytest.mark.parametrize("users", [10**6, 10**9])
def test_the_charge_does_not_grow_with_the_users(users):
    """Here n delta0 is 1 or 1000 times delta, or more."""
    delta0 = MILLIONTH / 1000
    (bound,) = ApproximatePairs(any_randomizer(exp_eps0=3, delta0=delta0)).bounds_at(users, Real(F(11, 10)))
    end = bound.divergence(users, Real(F(11, 10)), relative_bits=20)
    assert delta0 < end.lo
    assert end.hi < F(32, 10) * delta0


def test_each_bound_is_the_least_somewhere():
    asked = [(1, F(2), ONE_USER), (30, F(2), BESIDE_CLONES), (10**4, F(21, 20), BESIDE_SWAPS), (10**4, F(3), ONE_USER)]
    family = any_randomizer(exp_eps0=3, delta0=MILLIONTH)
    for users, exp_eps, theorem in asked:
        assert ShuffleProtocol(family, users).privacy_profile().bracket(exp_eps=exp_eps).theorem == theorem


def test_large_delta0():
    """From 1/2 on there are no swaps, and beyond many users no clones: one user is left."""
    profile = ShuffleProtocol(any_randomizer(exp_eps0=2, delta0="3/4"), 10**5).privacy_profile()
    bracket = profile.bracket(exp_eps="3/2")
    assert bracket.theorem == ONE_USER
    assert bracket.lower.lo >= F(3, 4) * (1 - F(1, 10**6))
    assert abs(bracket.upper.hi - (F(3, 4) + F(1, 4) * F(1, 2) / 3)) < F(1, 10**6)


def test_levels_of_eps():
    profile = ShuffleProtocol(any_randomizer(exp_eps0=3, delta0=MILLIONTH), 1000).privacy_profile()
    assert profile.epsilon(0).is_infinite
    at_delta0 = profile.epsilon(MILLIONTH)
    assert abs(at_delta0.lo - F(math.log(3))) < F(1, 10**6)
    assert abs(at_delta0.hi - F(math.log(3))) < F(1, 10**6)
    assert profile.epsilon(4 * MILLIONTH).hi < F(1, 2)


def test_composition():
    """Runs show an input with probability delta0 each: at a large eps that is all there is."""
    composed = ShuffleProtocol(any_randomizer(exp_eps0=2, delta0="1/100"), 100).privacy_profile().compose(2)
    shown = 1 - F(99, 100) ** 2
    bracket = composed.bracket(exp_eps=5)
    assert bracket.lower.lo <= shown * (1 + MILLIONTH)
    assert shown * (1 - MILLIONTH) <= bracket.upper.hi <= shown * F(101, 100)


def test_calibration():
    """The largest e^eps0 beside a delta0 that stays: no certificate, and every smaller value."""
    found = xdp.calibrate("@any-randomizer:exp-eps0=?,delta0=1e-9", n=100, eps=1, delta=MILLIONTH, grid="1/64")
    assert found.protocol.randomizer == any_randomizer(exp_eps0=found.parameter, delta0="1e-9")
    assert (found.scope, found.holds) == ("and every smaller value", None)
    plain = xdp.calibrate("any-randomizer", n=100, eps=1, delta=MILLIONTH, grid="1/64")
    assert plain.parameter - F(1, 16) <= found.parameter <= plain.parameter


def test_certificates_are_refused():
    protocol = ShuffleProtocol(any_randomizer(exp_eps0=3, delta0="1e-9"), 1000)
    with pytest.raises(InvalidValueError, match=r"holds its e\^eps0 and no delta0, so that there is no certificate"):
        xdp.Claim.shuffle_dp(protocol, exp_eps=2, delta=MILLIONTH)


@pytest.mark.parametrize("delta0", [-1, 1, "3/2"])
def test_delta0_is_a_probability_below_1(delta0):
    with pytest.raises(InvalidValueError, match="not from 0 to below 1"):
        any_randomizer(exp_eps0=3, delta0=delta0)


def test_the_family_as_a_value():
    family = any_randomizer(exp_eps0=3, delta0="1e-12")
    assert repr(family) == "AnyRandomizer(exp_eps0=Fraction(3, 1), delta0=Fraction(1, 1000000000000))"
    assert pickle.loads(pickle.dumps(family)) == family
    assert family.local_epsilon().is_infinite
    assert any_randomizer(exp_eps0="exp(1)", delta0="1e-12").at_least(64).delta0 == family.delta0
    assert [one.name for one in RANDOMIZERS[AnyRandomizer.name].parameters] == ["exp-eps0", "delta0"]


def test_a_value_that_was_kept_before_there_was_a_delta0():
    old = AnyRandomizer.__new__(AnyRandomizer)
    old.__setstate__([F(3)])
    assert old == any_randomizer(exp_eps0=3)
