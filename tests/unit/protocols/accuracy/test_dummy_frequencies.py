"""Estimates from users who add dummies, against the tables of small ones."""

from fractions import Fraction

import numpy as np
import pytest

import exactdp as xdp
from exactdp.errors import ExactDPError
from exactdp.protocols.accuracy.frequencies import FrequencyEstimate
from exactdp.randomizers import BallsIntoBins, MixedDummies
from exactdp.sampling import sample
from tests.together import together

FAMILIES = [
    BallsIntoBins(2, dummies=1),
    BallsIntoBins(3, dummies=2),
    MixedDummies(3, exp_eps0=4, dummies=1),
    MixedDummies(2, exp_eps0=4, dummies=2),
]


@together("family", FAMILIES, ids=str)
@together("dataset", [[1, 1], [0, 1], [0, 0], [1, 1, 0]], ids=str)
def test_the_law_variance_and_errors_of_the_estimate(family, dataset):
    """By listing all views of the table."""
    n, holders = len(dataset), dataset.count(0)
    estimate = FrequencyEstimate(family, n)
    protocol = xdp.ShuffleProtocol(family.table(), n, analyzer=estimate.analyzer(0))
    law = protocol.estimate_law(dataset)
    assert law.mean() == holders
    assert sum(p * (e - holders) ** 2 for e, p in law.items()) == estimate.variance(holders=holders)
    view = next(iter(protocol.law(dataset).support))
    assert protocol.estimate(view) == estimate.estimate(view[protocol.randomizer.alphabet.index(0)])
    for beta in ("1/1000", "1/50", "1/4", "3/4"):
        bound = estimate.error_bound(holders=holders, beta=beta)
        assert sum(p for e, p in law.items() if abs(e - holders) > bound.lo) <= Fraction(beta)
        if family.lie == 0 or holders in (0, n):
            least = estimate.error_quantile(holders=holders, beta=beta)
            assert sum(p for e, p in law.items() if abs(e - holders) > least) <= Fraction(beta)
            assert least == 0 or sum(p for e, p in law.items() if abs(e - holders) >= least) > Fraction(beta)


def test_the_error_of_fixed_messages_does_not_depend_on_the_data():
    estimate = FrequencyEstimate(BallsIntoBins(1000, dummies=2), 10**6)
    errors = {estimate.error_quantile(holders=h, beta="1/20") for h in (0, 7, 10**6)}
    assert len(errors) == 1
    assert errors.pop() < estimate.error_bound(holders=7, beta="1/20").lo


@pytest.mark.parametrize(
    "family", [BallsIntoBins(1000, dummies=3), MixedDummies(1000, exp_eps0=99, dummies=2)], ids=str
)
def test_a_million_users(family):
    n, held = 10**6, {0: 400_000, 7: 600_000}
    estimate = FrequencyEstimate(family, n)
    (view,) = sample(xdp.ShuffleProtocol(family, n), held, size=1, rng=np.random.default_rng(4))
    assert view.sum() == n * family.messages_per_user
    for value in (0, 7, 8):
        holders = held.get(value, 0)
        error = estimate.estimate(int(view[value])) - holders
        assert error**2 < 36 * estimate.variance(holders=holders)  # six standard deviations


@pytest.mark.parametrize(
    "ask",
    [
        lambda: FrequencyEstimate(MixedDummies(3, exp_eps0=1, dummies=1), 5),
        lambda: FrequencyEstimate(MixedDummies(3, exp_eps0="exp(1)", dummies=1), 5),
        lambda: FrequencyEstimate(BallsIntoBins(3, dummies=1), 0),
        lambda: FrequencyEstimate(BallsIntoBins(3, dummies=1), 5).variance(holders=6),
        lambda: FrequencyEstimate(BallsIntoBins(3, dummies=1), 5).estimate(11),
        lambda: FrequencyEstimate(BallsIntoBins(3, dummies=1), 5).error_bound(holders=1, beta=0),
        lambda: FrequencyEstimate(MixedDummies(3, exp_eps0=2, dummies=1), 5).error_quantile(holders=2, beta="1/2"),
        lambda: sample(xdp.ShuffleProtocol(BallsIntoBins(3, dummies=10**9), 10**7), {0: 10**7}, size=1, rng=None),
    ],
)
def test_refusals(ask):
    with pytest.raises(ExactDPError):
        ask()
