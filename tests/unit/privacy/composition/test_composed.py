"""What users hold: profiles of many runs, their notions, sizes and refusals."""

import pickle
from fractions import Fraction
from math import comb

import pytest

import exactdp as xdp
from exactdp.numbers.real import Real
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.composition.losses import LossPair
from exactdp.privacy.composition.mechanisms import mechanisms_of
from exactdp.privacy.composition.powers import LowerFactor, Tuning, lower_bound
from exactdp.privacy.composition.profile_pairs import Grid, dominating_pair
from tests.thinned import thinned


def two_valued(times: int, chance: Fraction, ratio: Fraction, exp_eps: Fraction) -> Fraction:
    """delta of runs whose loss is ln(ratio) with probability ``chance`` and else -ln(ratio)."""
    rest = 1 - chance
    return sum(
        (
            comb(times, j)
            * max(Fraction(0), chance**j * rest ** (times - j) - exp_eps * rest**j * chance ** (times - j))
            for j in range(times + 1)
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("times", thinned([1, 2, 3, 10, 100, 1000], every=2))
def test_randomized_response_is_exact(times):
    profile = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 1).privacy_profile().compose(times)
    assert profile.is_exact
    for exp_eps in (Fraction(1), Fraction(3), Fraction(10)):
        assert profile.delta(exp_eps=exp_eps) == two_valued(times, Fraction(3, 4), Fraction(3), exp_eps)


@pytest.mark.parametrize("times", [1, 4, 50])
def test_discrete_laplace_is_exact(times):
    profile = xdp.shift_profile(xdp.DiscreteLaplace("5/2")).compose(times)
    for exp_eps in (Fraction(1), Fraction(2), Fraction(9)):
        assert profile.delta(exp_eps=exp_eps) == two_valued(times, Fraction(5, 7), Fraction(5, 2), exp_eps)
    assert two_valued(times, Fraction(5, 7), Fraction(5, 2), Fraction(3)) in profile.delta(
        exp_eps=3, relative_width="1e-12"
    )


def test_eps_of_exact_runs_inverts_delta():
    profile = xdp.shift_profile(xdp.DiscreteLaplace(2)).compose(5)
    for target in (Fraction(1, 3), Fraction(1, 10), Fraction(1, 1000)):
        eps = profile.epsilon(target)
        assert profile.delta(exp_eps=eps.argument) == target
    assert profile.epsilon(0) == xdp.LogRational(32)
    assert profile.epsilon(1) == xdp.LogRational(1)
    limited = xdp.shift_profile(xdp.Geometric("1/2")).compose(2, notion="same data")
    assert limited.epsilon("1/100").is_infinite


def binomial_runs(n: int, times: int, exp_eps: Fraction) -> Fraction:
    """delta of runs of Bin(n, 1/2) against itself shifted by one, over multisets of outcomes."""
    rows = [(comb(n, t), comb(n, t - 1) if t else 0) for t in range(n + 1)]
    runs = {(1, 1): 1}
    for _ in range(times):
        grown: dict[tuple[int, int], int] = {}
        for (p, q), count in runs.items():
            for x, y in rows:
                grown[p * x, q * y] = grown.get((p * x, q * y), 0) + count
        runs = grown
    total = sum((count * max(Fraction(0), p - exp_eps * q) for (p, q), count in runs.items()), Fraction(0))
    return total / 2 ** (n * times)


@pytest.mark.parametrize("notion", ["adaptive", "non-adaptive", "same data"])
def test_three_runs_of_a_small_binomial_law(notion):
    profile = xdp.shift_profile(xdp.Binomial(20, "1/2")).compose(3, notion=notion)
    assert profile.is_tight
    for exp_eps in (Fraction(1), Fraction(2), Fraction(20)):
        truth = binomial_runs(20, 3, exp_eps)
        assert profile.delta(exp_eps=exp_eps) == truth
        found = profile.delta(exp_eps=exp_eps, relative_width="1e-6")
        assert truth in found
        assert found.hi - found.lo <= found.hi / 10**6


@pytest.mark.parametrize("exp_eps", thinned([Fraction(1), Fraction(3, 2), Fraction(3)], every=2))
def test_two_runs_of_a_large_one_against_one_run_after_each_outcome(exp_eps):
    """H_E of two runs is the sum over outcomes (p, q) of the first of p H_E', E' = E q / p: exact, by sorted sums."""
    n = 1000
    rows = [(comb(n, t), comb(n, t - 1) if t else 0) for t in range(n + 1)]  # by falling likelihood ratio
    sums = [(0, 0)]
    for p, q in rows:
        sums.append((sums[-1][0] + p, sums[-1][1] + q))
    truth, end = 0, 0
    above, below = exp_eps.numerator, exp_eps.denominator
    for x, y in reversed(rows):  # the level falls, so that ever more outcomes are above it
        while end <= n and below * x * rows[end][0] > above * y * rows[end][1]:
            end += 1
        truth += below * x * sums[end][0] - above * y * sums[end][1]
    exact = Fraction(truth, below * 4**n)
    found = xdp.shift_profile(xdp.Binomial(n, "1/2")).compose(2).delta(exp_eps=exp_eps, relative_width="1e-5")
    assert exact in found
    assert found.hi - found.lo <= found.hi / 10**5


@pytest.mark.parametrize(
    ("law", "times", "eps", "least", "most"),
    [
        (xdp.Binomial(1000, "1/2"), 10, 8, "9.33e-301", "9.34e-301"),
        pytest.param(xdp.Binomial(1000, "1/2"), 1000, 30, "9.78e-46", "9.79e-46", marks=pytest.mark.slow),
        pytest.param(xdp.Binomial(10**5, "1/100"), 10, 8, "3.3071e-436", "3.3072e-436", marks=pytest.mark.slow),
        (xdp.NegativeBinomial("1/2", "9/10"), 5, 1, "0.85", "0.851"),
        (xdp.DiscreteGaussian(100), 5, 1, "2.92e-7", "2.93e-7"),
    ],
)
def test_the_width_is_reached_far_out_and_where_one_run_decides(law, times, eps, least, most):
    found = xdp.shift_profile(law).compose(times).delta(eps=eps)
    assert found.hi - found.lo <= found.hi / 1000
    assert Fraction(least) < found.lo < found.hi < Fraction(most)


def test_one_run_is_the_profile():
    for law in (xdp.Binomial(1000, "1/2"), xdp.Binomial(60, "1/3"), xdp.Poisson(50), xdp.NegativeBinomial(3, "4/5")):
        profile = xdp.shift_profile(law, shift=2)
        truth, found = profile.delta(eps="1/2"), profile.compose(1).delta(eps="1/2", relative_width="1e-4")
        assert found.lo <= truth.hi
        assert truth.lo <= found.hi


def test_different_mechanisms():
    laws = [xdp.DiscreteLaplace(2), xdp.DiscreteLaplace(3)]
    profiles = [xdp.shift_profile(law) for law in laws]
    both = xdp.compose(*profiles, profiles[0])
    assert both.times == 3
    assert both == xdp.compose(profiles[0].compose(2), profiles[1])
    pair = [(Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))]
    other = [(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))]
    truth = sum(
        (max(Fraction(0), a * c * e - 2 * b * d * f) for a, b in pair for c, d in pair for e, f in other), Fraction(0)
    )
    assert both.delta(exp_eps=2) == truth
    mixed = xdp.compose(profiles[0], xdp.shift_profile(xdp.Binomial(1000, "1/2")))
    alone = profiles[0].delta(exp_eps=2)
    found = mixed.delta(exp_eps=2)
    assert found.lo > alone
    assert mixed.is_tight


def test_skewed_noise_has_a_gap_between_notions():
    profile = xdp.shift_profile(xdp.Poisson(30))
    adaptive, chosen, same = (profile.compose(3, notion=n) for n in ("adaptive", "non-adaptive", "same data"))
    assert [p.is_tight for p in (adaptive, chosen, same)] == [False, True, True]
    values = [p.delta(eps=1) for p in (same, chosen, adaptive)]
    assert values[0].lo <= values[1].hi <= values[2].hi
    assert values[2].lo >= values[0].lo * Fraction(999, 1000)


def test_a_histogram_counts_every_run_twice():
    law = xdp.Binomial(12, "1/2")
    histogram = xdp.AdditiveProtocol(law, bins=3).privacy_profile()
    one = histogram.compose(1)
    assert one.delta(exp_eps=2, relative_width="1e-6").lo <= histogram.delta(exp_eps=2)
    assert histogram.delta(exp_eps=2) <= one.delta(exp_eps=2, relative_width="1e-6").hi
    assert binomial_runs(12, 4, Fraction(2)) in histogram.compose(2).delta(exp_eps=2, relative_width="1e-6")


def test_users_of_a_randomizer():
    randomizer = xdp.randomized_response(2, gamma="1/2")
    profile = xdp.ShuffleProtocol(randomizer, 4).privacy_profile()
    chosen = profile.compose(2, notion="non-adaptive")
    assert chosen.is_exact
    found = profile.compose(2).delta(exp_eps=2)
    assert found.lo <= chosen.delta(exp_eps=2) <= found.hi
    many = xdp.ShuffleProtocol(randomizer, 30).privacy_profile().compose(3)
    assert not many.is_tight
    found = many.delta(exp_eps=2, relative_width="1/50")
    assert 0 < found.lo < found.hi < 1
    assert profile.compose(1, notion="same data").delta(exp_eps=2) == profile.delta(exp_eps=2)


def test_one_pair_and_disjoint_views():
    protocol = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 3)
    pair = protocol.pair_profile([0, 0, 0], [0, 0, 1]).compose(2, notion="same data")
    assert pair.delta(exp_eps=2) <= protocol.privacy_profile().compose(2, notion="same data").delta(exp_eps=2)
    told = protocol.privacy_profile(neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE).compose(2)
    assert told.delta(exp_eps=10) == 1


def test_eps_of_enclosed_runs():
    profile = xdp.shift_profile(xdp.Binomial(200, "1/2")).compose(4)
    found = profile.epsilon("1e-8")
    assert found.hi - found.lo <= found.hi / 1000
    assert profile.delta(eps=found.lo).hi >= Fraction(1, 10**8)
    assert profile.delta(eps=found.hi).lo <= Fraction(1, 10**8)
    assert profile.epsilon("9/10") == xdp.LogRational(1)


def test_values_are_values():
    profile = xdp.shift_profile(xdp.Binomial(1000, "1/2")).compose(10)
    assert pickle.loads(pickle.dumps(profile)) == profile
    assert hash(profile) == hash(xdp.shift_profile(xdp.Binomial(1000, "1/2")).compose(10))
    assert repr(profile) == "ComposedProfile(10 x shift, notion='adaptive')"
    assert (profile.times, profile.notion, profile.is_exact, profile.is_tight) == (10, "adaptive", False, True)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda p: p.compose(0), xdp.ExactDPError, r"times=0 is below 1\. Pass times of at least 1\."),
        (lambda p: p.compose(1.5), TypeError, r"times=1\.5 is a float"),
        (lambda p: p.compose(10**6), OverflowError, r"times=1000000 is more than the limit of 100000"),
        (lambda p: p.compose(2, notion="parallel"), ValueError, r"'parallel' is no notion .* 'same data'"),
        (lambda p: xdp.compose(), ValueError, r"no profile is given"),
        (lambda p: xdp.compose(p, 3), ValueError, r"has the type int"),
        (
            lambda p: xdp.compose(p, xdp.shift_profile(xdp.Poisson(3)), notion="same data"),
            ValueError,
            r"about one mechanism, and 2 are given",
        ),
        (lambda p: p.compose(2).delta(), ValueError, r"neither of eps and exp_eps given"),
        (lambda p: p.compose(2).delta(eps=-1), ValueError, r"eps=-1 is below 0"),
        (lambda p: p.compose(2).delta(eps=1, relative_width=1), ValueError, r"relative_width=1 is outside \(0, 1\)"),
        (lambda p: p.compose(2).epsilon(0), ValueError, r"delta=0 has no eps here"),
        (
            lambda p: p.compose(9).delta(eps=1, relative_width="1e-18"),
            OverflowError,
            r"composition: .* the limit.* Ask for a larger relative_width\.",
        ),
        (
            lambda p: xdp.shift_profile(xdp.Binomial(10**12, "1/2")).compose(2).delta(eps=1),
            OverflowError,
            r"outcomes that matter, more than the limit of 131072\. Use noise with a smaller variance\.",
        ),
    ],
)
def test_refusals(ask, error, message):
    with pytest.raises(error, match=message):
        ask(xdp.shift_profile(xdp.Binomial(1000, "1/2")))


def test_parts_are_merged_and_read():
    source = xdp.shift_profile(xdp.Binomial(10, "1/2")).source
    assert ComposedProfile(((source, 2), (source, 3))).parts == ((source, 5),)


def test_one_input_has_no_neighbours_and_masses_just_below_1_are_not_1():
    alone = xdp.ShuffleProtocol(xdp.Randomizer({"a": {("x",): 1}}), 3).privacy_profile()
    assert alone.compose(2).delta(exp_eps=1) == 0
    little = Fraction(1, 2**400)
    told = [(1 - little, Fraction(0)), (little, Fraction(1))]
    tuning = Tuning(Fraction(1, 8), Fraction(0), 64, 60, 100)
    lower = lower_bound([LowerFactor(LossPair.of(told), 1, None)], Real(1), tuning)
    assert lower.fraction() <= 1 - little


def test_the_profile_alone_dominates_all_pairs():
    """What is made of a profile at some points is above every pair's divergence, for E below 1 too."""
    profile = xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/2"), 3).privacy_profile()
    (listed,) = mechanisms_of(profile.source)
    made = dominating_pair(profile.source, Grid(Fraction(1, 2), 5, 96)).masses
    assert sum(p for p, _ in made) >= 1
    for exp_eps in [Fraction(i, 7) for i in range(1, 40)]:
        above = sum(max(Fraction(0), p - exp_eps * q) for p, q in made)
        for pair in listed.pairs:
            rows = [*pair.classes, (pair.infinite, 0)]
            value = sum(max(Fraction(0), p - exp_eps * q) for p, q in rows) / pair.total
            assert value <= above * (1 + Fraction(1, 2**80))
