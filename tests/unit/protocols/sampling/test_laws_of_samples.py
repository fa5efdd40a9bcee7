"""Both samplers against the exact engine: every protocol's draws follow ``protocol.law(dataset)``.

Each comparison is by `assert_samples_match`, which fails a right sampler with probability at most 1e-9. Seeds are
fixed.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

import exactdp as xdp
from exactdp import AdditiveProtocol, Law, Randomizer, Real, ShuffleProtocol, protocols
from exactdp.sampling import sample, simulate
from exactdp.testing import assert_samples_match
from tests.thinned import thinned

SIZE = 50_000
THIRDS = Randomizer({"a": {("x", "x"): "1/3", (): "2/3"}, "b": {("y",): "1/3", ("x", "y"): "1/3", ("y", "x"): "1/3"}})

SHUFFLED = {
    "randomized response": (ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 9), [0] * 4 + [1] * 5),
    "4-ary": (ShuffleProtocol(xdp.randomized_response(4, gamma="1/2"), 6), {0: 3, 2: 2, 3: 1}),
    "3-ary, 1/3": (ShuffleProtocol(xdp.randomized_response(3, gamma="1/3"), 7), {0: 3, 1: 4}),
    "20-ary, two users": (ShuffleProtocol(xdp.randomized_response(20, gamma="1/2"), 2), {0: 1, 1: 1}),
    "complement": (protocols.complement(5), [0, 1, 1, 0, 1]),
    "gap": (protocols.gap(4), [0, 1, 1, 0]),
    "gap, one user": (protocols.gap(1), [1]),
    "zsum per user": (ShuffleProtocol(protocols.zsum_randomizer(gamma="1/4"), 12), {0: 5, 1: 7}),
    "histogram per user": (ShuffleProtocol(protocols.histogram_randomizer(3, gamma="1/4"), 4), {0: 1, 2: 3}),
    "lengths that vary": (ShuffleProtocol(THIRDS, 6), {"a": 3, "b": 3}),
}
LONG = ("20-ary, two users", "3-ary, 1/3", "complement", "zsum per user")
NARROW_FIRST = [pytest.param(*case, marks=[pytest.mark.slow] * (name in LONG)) for name, case in SHUFFLED.items()]
"""A view of many columns takes long, where every column or two of them are looked at; others take it by their users."""

ADDITIVE = {
    "zsum": (protocols.zsum(20, gamma="1/8"), {0: 13, 1: 7}),
    "histogram": (protocols.histogram(8, 3, gamma="1/4"), {0: 5, 2: 3}),
    "finite noise": (AdditiveProtocol(Law({-3: "1/7", 0: "2/7", 10: "4/7"}), n=2), [0, 1]),
    "several shifts": (AdditiveProtocol(xdp.Binomial(6, "1/2"), shift=4), [4, 4, 1, 0]),
    "binomial sum": (AdditiveProtocol(xdp.BinomialSum(9, "1/4", 5, "3/4")), [1, 1]),
    "two bins": (AdditiveProtocol(xdp.Binomial(5, "1/2"), bins=2), [0, 0, 1]),
}

NOISE = [
    xdp.Binomial(10**9, "7/8"),
    xdp.Binomial(10**9, Fraction(1, 2**29)),
    xdp.Binomial(40, 0),
    xdp.Binomial(40, 1),
    xdp.BinomialSum(10**6, "3/4", 10**6, "1/4"),
    xdp.Geometric("1/2"),
    xdp.Geometric(1 - Fraction(1, 2**12)),
    xdp.Geometric(0),
    xdp.NegativeBinomial("5/2", "3/4"),
    xdp.NegativeBinomial("1/64", "1/2"),
    xdp.NegativeBinomial(2, 0),
    xdp.Poisson("1/4"),
    xdp.Poisson(10**6),
    xdp.Poisson(0),
    xdp.DiscreteLaplace(2),
    xdp.DiscreteLaplace("1024/1023"),
    xdp.DiscreteGaussian(4),
    xdp.DiscreteUniform(-3, 11),
    xdp.DiscreteUniform(10**15, 10**15 + 10**9),
    xdp.DiscreteGaussian("1/8"),
    xdp.DiscreteGaussian(10**6),
]
ROUNDED = [
    xdp.Binomial(100, "1/3"),
    xdp.Geometric(Real.exp("-1/5")),
    xdp.NegativeBinomial(3 * (1 + Real.log(10**6)), Real.exp("-1/10")),
    xdp.Poisson(Real.log(10)),
    xdp.DiscreteLaplace(Real.exp("1/10")),
    xdp.DiscreteGaussian("1/3"),
    Law({k: Fraction(1, 3**41) if k else 1 - Fraction(2, 3**41) for k in (-1, 0, 1)}),
]


@pytest.mark.parametrize(("protocol", "dataset"), thinned(SHUFFLED.values(), every=2), ids=SHUFFLED)
def test_the_fast_path_of_a_randomizer(protocol, dataset):
    law = protocol.law(dataset)
    assert_samples_match(lambda size, rng: rows(sample(protocol, dataset, size=size, rng=rng)), law, size=SIZE, seed=1)


@pytest.mark.parametrize(("protocol", "dataset"), NARROW_FIRST, ids=SHUFFLED)
def test_the_users_themselves(protocol, dataset):
    law = protocol.law(dataset)
    assert_samples_match(
        lambda size, rng: rows(simulate(protocol, dataset, size=size, rng=rng)), law, size=3000, seed=2
    )


def rows(drawn):
    """Rows as tuples, for an alphabet of one message too."""
    return list(map(tuple, drawn.tolist())) if drawn.shape[1] == 1 else drawn


@pytest.mark.parametrize(("protocol", "dataset"), thinned(ADDITIVE.values(), every=2), ids=ADDITIVE)
def test_additive_protocols(protocol, dataset):
    law = protocol.law(dataset)
    assert_samples_match(lambda size, rng: sample(protocol, dataset, size=size, rng=rng), law, size=SIZE, seed=3)


@pytest.mark.parametrize("law", thinned(NOISE, every=2), ids=repr)
def test_noise(law):
    assert_samples_match(
        lambda size, rng: sample(AdditiveProtocol(law), [], size=size, rng=rng), law, size=SIZE, seed=4
    )


def test_a_width_off_by_one_percent_would_be_seen():
    """The discrete Gaussian is drawn by rejection, written here and not in NumPy: 10^6 draws see 1 % of its width."""
    protocol, law = AdditiveProtocol(xdp.DiscreteGaussian(4)), xdp.DiscreteGaussian(4)
    assert_samples_match(lambda size, rng: sample(protocol, [], size=size, rng=rng), law, size=10**6, seed=14)
    wider = AdditiveProtocol(xdp.DiscreteGaussian(Fraction(4 * 51, 50)))
    with pytest.raises(AssertionError, match="do not match the law"):
        assert_samples_match(
            lambda size, rng: sample(wider, [], size=size, rng=rng, nearest=True), law, size=10**6, seed=14
        )


@pytest.mark.parametrize("law", thinned(ROUNDED, every=2), ids=repr)
def test_noise_with_the_nearest_floats(law):
    protocol = AdditiveProtocol(law)
    assert_samples_match(
        lambda size, rng: sample(protocol, [], size=size, rng=rng, nearest=True), law, size=SIZE, seed=5
    )


def test_zsum_and_the_users_of_zsum_agree():
    """The view of zsum as count plus noise, and as what its users send."""
    users = ShuffleProtocol(protocols.zsum_randomizer(gamma="1/8"), 20)
    law = protocols.zsum(20, gamma="1/8").law({0: 13, 1: 7})
    assert_samples_match(lambda size, rng: simulate(users, {0: 13, 1: 7}, size=size, rng=rng), law, size=5000, seed=6)


@pytest.mark.slow
def test_a_billion_users_of_a_finite_randomizer():
    """The count of each message is a sum of two binomial counts, whatever n is."""
    n = 10**9
    flip = ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), n)
    law = xdp.BinomialSum(n // 4, "3/4", 3 * n // 4, "1/4")
    assert_samples_match(
        lambda size, rng: sample(flip, {0: n // 4, 1: 3 * n // 4}, size=size, rng=rng)[:, 0], law, size=SIZE, seed=7
    )


def test_a_billion_users_of_a_million_bins():
    """All bins of one draw: empty bins are independent draws of the noise, and full ones of the noise shifted."""
    n, d = 10**9, 10**6
    protocol = protocols.histogram(n, d, gamma=Fraction(1, 2**20))
    counts = np.zeros(d, np.int64)
    counts[: d // 2] = 2 * n // d
    noise = xdp.Binomial(n, 1 - Fraction(1, 2**20))
    assert_samples_match(lambda size, rng: sample(protocol, counts, size=1, rng=rng)[0] - counts, noise, size=d, seed=8)


def test_noise_that_depends_on_n_is_drawn_for_each_bin():
    """No two bins share their noise: the pair of two bins follows its joint law."""
    protocol = protocols.histogram(5, 2, gamma="1/2")
    with pytest.raises(AssertionError, match="G-test"):
        assert_samples_match(
            lambda size, rng: np.repeat(sample(protocols.zsum(5, gamma="1/2"), [0] * 5, size=size, rng=rng), 2, axis=1),
            protocol.law([0] * 5).map(lambda counts: (counts[0] - 5, counts[1])),
            size=5000,
            seed=9,
        )


# --- Moments ---------------------------------------------------------------------------------------------------------


def bernstein(values, law, reach):
    """Bound P[|mean - E| >= what was seen], for values within ``reach`` of their expectation (Bernstein)."""
    mean = law.mean()
    variance = law.map(lambda y: (y - mean) ** 2).mean()
    size = len(values)
    away = abs(Fraction(sum(map(int, values)), size) - mean)
    return 2 * math.exp(-float(size * away**2 / (2 * (variance + reach * away / 3)))) if away else 1.0


@pytest.mark.parametrize(("protocol", "dataset"), NARROW_FIRST, ids=SHUFFLED)
@pytest.mark.parametrize("power", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_moments_of_the_counts(protocol, dataset, power):
    """Mean and mean square of every message's count, and of every two together; false alarm 1e-11 each."""
    law, drawn = protocol.law(dataset), sample(protocol, dataset, size=SIZE, rng=np.random.default_rng(10))
    wide = drawn.shape[1]
    for i in range(wide):
        for j in range(i, wide):
            one = law.map(lambda counts, i=i, j=j: (counts[i] + counts[j]) ** power)
            reach = max(one.support) - min(one.support)
            assert bernstein((drawn[:, i] + drawn[:, j]) ** power, one, reach) > 1e-11


def test_a_wrong_mean_is_caught():
    law = xdp.Binomial(100, "1/2").law()
    drawn = np.random.default_rng(1).binomial(100, 0.505, SIZE)
    assert bernstein(drawn, law, 100) < 1e-11
    assert bernstein(drawn**2, law.map(lambda t: t**2), 10**4) < 1e-11


@pytest.mark.parametrize(
    ("law", "total"),
    [
        (xdp.Binomial(10**6, "1/8"), xdp.Binomial(10**6 * SIZE, "1/8")),
        (xdp.BinomialSum(90, "1/4", 70, "3/4"), xdp.BinomialSum(90 * SIZE, "1/4", 70 * SIZE, "3/4")),
        (xdp.Poisson(1000), xdp.Poisson(1000 * SIZE)),
        (xdp.Geometric("15/16"), xdp.NegativeBinomial(SIZE, "15/16")),
        (xdp.NegativeBinomial("1/64", "1/2"), xdp.NegativeBinomial(Fraction(SIZE, 64), "1/2")),
    ],
    ids=repr,
)
def test_the_mean_by_the_exact_law_of_the_sum(law, total):
    """The sum of all draws is one draw from a law of the same family: a test of the mean at false alarm 1e-10."""
    found = int(sample(AdditiveProtocol(law), [], size=SIZE, rng=np.random.default_rng(11)).sum())
    assert min(total.cdf(found), total.sf(found - 1)) > Fraction(1, 2 * 10**10)


# --- Wrong samplers --------------------------------------------------------------------------------------------------

RESPONSE = ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 100)
WRONG = {
    "p off by 1 %": lambda size, rng: sample(
        ShuffleProtocol(xdp.randomized_response(2, gamma="101/200"), 100), {0: 10, 1: 90}, size=size, rng=rng
    ),
    "shifted by one": lambda size, rng: sample(RESPONSE, {0: 10, 1: 90}, size=size, rng=rng) + np.array([1, -1]),
    "one user in the wrong group": lambda size, rng: sample(RESPONSE, {0: 11, 1: 89}, size=size, rng=rng),
    "all users in the wrong group": lambda size, rng: sample(RESPONSE, {0: 90, 1: 10}, size=size, rng=rng),
    "one user missing": lambda size, rng: sample(
        ShuffleProtocol(RESPONSE.randomizer, 99), {0: 10, 1: 89}, size=size, rng=rng
    ),
}


@pytest.mark.parametrize("wrong", thinned(WRONG.values(), every=2), ids=WRONG)
def test_a_wrong_sampler_of_randomized_response_is_caught(wrong):
    law = RESPONSE.law({0: 10, 1: 90})
    right = {0: 10, 1: 90}
    assert_samples_match(lambda size, rng: sample(RESPONSE, right, size=size, rng=rng), law, size=100_000, seed=12)
    with pytest.raises(AssertionError, match="do not match the law"):
        assert_samples_match(wrong, law, size=100_000, seed=12)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda size, rng: 7 + rng.binomial(100, 0.875 * 1.01, size),
        lambda size, rng: 7 + rng.binomial(100, 0.875 * 0.99, size),
        lambda size, rng: 8 + rng.binomial(100, 0.875, size),
        lambda size, rng: 6 + rng.binomial(100, 0.875, size),
        lambda size, rng: 7 + rng.binomial(99, 0.875, size),
        lambda size, rng: 107 - rng.binomial(100, 0.875, size),
        lambda size, rng: np.rint(rng.normal(94.5, math.sqrt(100 * 7 / 64), size)).astype(int),
    ],
    ids=["p + 1 %", "p - 1 %", "+ 1", "- 1", "a user missing", "wrong side", "normal"],
)
def test_a_wrong_sampler_of_zsum_is_caught(wrong):
    law = protocols.zsum(100, gamma="1/8").law({0: 93, 1: 7})
    assert_samples_match(lambda size, rng: 7 + rng.binomial(100, 0.875, size), law, size=50_000, seed=13)
    with pytest.raises(AssertionError, match="do not match the law"):
        assert_samples_match(wrong, law, size=50_000, seed=13)
