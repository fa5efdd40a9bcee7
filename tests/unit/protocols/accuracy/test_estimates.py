"""Estimates from families of randomizers, against the tables of small ones."""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.errors import ExactDPError, InvalidValueError
from exactdp.protocols.accuracy.frequencies import FrequencyEstimate
from exactdp.protocols.accuracy.laplace_sums import SumEstimate
from exactdp.randomizers import (
    AnyRandomizer,
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    Repetition,
    SubsetSelection,
    UnaryEncoding,
    repeat,
)
from tests.thinned import thinned
from tests.together import together

FAMILIES = [
    KAryResponse(3, exp_eps0=4),
    KAryResponse(3, gamma=0),
    UnaryEncoding(3, exp_eps0=4),
    UnaryEncoding(3, exp_eps0=4, optimized=True),
    SubsetSelection(4, exp_eps0=4, size=2),
    HadamardResponse(3, exp_eps0=4),
    LocalHashing(2, exp_eps0=4, buckets=2),
    Repetition(KAryResponse(3, exp_eps0=4), 2),
]


def table_of(family):
    return repeat(family.base, family.times) if isinstance(family, Repetition) else family.table()


@together("family", FAMILIES, ids=str)
@together("dataset", [[0, 0], [0, 1], [1, 1, 0]], ids=str)
def test_the_law_variance_and_quantiles_of_the_estimate(family, dataset):
    """By listing all views of the table."""
    n, value = len(dataset), 0
    estimate, holders = FrequencyEstimate(family, n), dataset.count(value)
    protocol = xdp.ShuffleProtocol(table_of(family), n, analyzer=estimate.analyzer(value))
    law = protocol.estimate_law(dataset)
    assert law.mean() == holders
    assert sum(p * (e - holders) ** 2 for e, p in law.items()) == estimate.variance(holders=holders)
    counts = estimate.law(holders=holders)
    listed = {estimate.estimate(c): counts.exact_pmf(c) for c in range(counts.low, counts.high + 1)}
    assert {e: p for e, p in listed.items() if p} == dict(law.items())
    for beta in ("1/1000", "1/50", "1/4", "3/4"):
        found = estimate.error_quantile(holders=holders, beta=beta)
        assert sum(p for e, p in law.items() if abs(e - holders) > found) <= Fraction(beta)
        assert found == 0 or sum(p for e, p in law.items() if abs(e - holders) >= found) > Fraction(beta)


@pytest.mark.parametrize("family", thinned(FAMILIES[:-1], every=2), ids=str)
def test_the_optimal_accuracy_is_that_of_the_worst_number_of_holders(family):
    n, beta = 5, Fraction(1, 20)
    estimate = FrequencyEstimate(family, n)
    worst = max(estimate.error_quantile(holders=h, beta=beta) for h in range(n + 1))
    assert estimate.optimal_accuracy(beta=beta) == worst
    assert xdp.optimal_accuracy(xdp.ShuffleProtocol(family, n), beta=beta) == worst
    with_table = xdp.ShuffleProtocol(family.table(), n, analyzer=estimate.analyzer(1))
    assert xdp.optimal_accuracy(with_table, beta=beta) == worst


def test_engineers_can_choose():
    """At one eps0 and 1000 inputs the optimized encodings and subsets are within a few percent; k-ary is far off."""
    n, families = 10**6, (UnaryEncoding, LocalHashing, SubsetSelection, HadamardResponse, KAryResponse)
    found = {f.name: FrequencyEstimate(f(1000, exp_eps0=9), n).variance(holders=0) for f in families}
    optimized = FrequencyEstimate(UnaryEncoding(1000, exp_eps0=9, optimized=True), n).variance(holders=0)
    assert optimized == Fraction(4 * 9 * n, 64)  # 4 E / (E - 1)^2 for each user
    assert found["subset-selection"] < optimized < found["unary-encoding"] < found["hadamard"] < found["k-ary"]
    assert found["local-hashing"] < optimized * Fraction(21, 20)


@together(
    "ask",
    [
        lambda: FrequencyEstimate(ClippedDiscreteLaplace(3, exp_eps0=2), 5),
        lambda: FrequencyEstimate(AnyRandomizer(exp_eps0=2), 5),
        lambda: FrequencyEstimate(KAryResponse(3, exp_eps0=2).table(), 5),
        lambda: FrequencyEstimate(KAryResponse(3, exp_eps0="exp(1)"), 5),
        lambda: FrequencyEstimate(KAryResponse(3, exp_eps0=1), 5),
        lambda: FrequencyEstimate(SubsetSelection(3, exp_eps0=2, size=3), 5),
        lambda: FrequencyEstimate(KAryResponse(3, exp_eps0=2), 0),
        lambda: FrequencyEstimate(KAryResponse(3, exp_eps0=2), 5).variance(holders=6),
        lambda: FrequencyEstimate(KAryResponse(3, exp_eps0=2), 5).estimate(6),
        lambda: FrequencyEstimate(UnaryEncoding(1000, exp_eps0=2), 5).analyzer(0),
        lambda: FrequencyEstimate(Repetition(KAryResponse(3, exp_eps0=2), 2), 5).optimal_accuracy(beta="1/2"),
        lambda: SumEstimate(KAryResponse(3, exp_eps0=2), 5),
        lambda: SumEstimate(ClippedDiscreteLaplace(3, exp_eps0=1), 5),
        lambda: SumEstimate(ClippedDiscreteLaplace(3, exp_eps0=2), 5).variance([0]),
        lambda: SumEstimate(ClippedDiscreteLaplace(3, exp_eps0=2), 5).error_bound(beta=0),
        lambda: ClippedDiscreteLaplace(3, exp_eps0=2).variance(4),
    ],
)
def test_refusals(ask):
    with pytest.raises(ExactDPError):
        ask()


def test_equal_rows_are_named():
    with pytest.raises(InvalidValueError, match="has equal rows: its messages say nothing"):
        FrequencyEstimate(HadamardResponse(3, exp_eps0=1), 5)


# --- Sums -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("top", [1, 2, 3, 6])
@pytest.mark.parametrize("exp_eps0", ["9/8", 3, 64])
def test_clipped_laplace_is_unbiased_with_this_variance(top, exp_eps0):
    family = ClippedDiscreteLaplace(top, exp_eps0=exp_eps0)
    weights = dict(family.analyzer().weights)
    variances = []
    for x, row in enumerate(family.rows()):
        mean = sum(p * weights[y] for y, p in enumerate(row))
        variances.append(sum(p * weights[y] ** 2 for y, p in enumerate(row)) - mean**2)
        assert mean == x
        assert variances[-1] == family.variance(x)
    assert SumEstimate(family, 7).worst_variance() == 7 * max(variances)


def test_sums_of_data_sets():
    family = ClippedDiscreteLaplace(2, exp_eps0=4)
    estimate = SumEstimate(family, 3)
    law = xdp.ShuffleProtocol(family, 3, analyzer=estimate.analyzer()).estimate_law([0, 2, 2])
    assert law.mean() == 4
    assert sum(p * (e - 4) ** 2 for e, p in law.items()) == estimate.variance([0, 2, 2])
    for dataset in ([0, 0, 0], [1, 1, 1], [0, 2, 2], [2, 1, 0]):
        truth = sum(dataset)
        law = xdp.ShuffleProtocol(family, 3, analyzer=estimate.analyzer()).estimate_law(dataset)
        for beta in ("1/100", "1/4", "9/10"):
            bound = estimate.error_bound(beta=beta)
            assert sum(p for e, p in law.items() if abs(e - truth) > bound.lo) <= Fraction(beta)
