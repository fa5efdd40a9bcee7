"""Drawn supports of families against the exact law of the view of their tables. Seeds are fixed."""

import numpy as np
import pytest

from exactdp import ShuffleProtocol
from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.protocols.accuracy.frequencies import FrequencyEstimate
from exactdp.randomizers import (
    AnyRandomizer,
    BallsIntoBins,
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    Repetition,
    SubsetSelection,
    UnaryEncoding,
)
from exactdp.sampling import sample, sample_blocks, shuffled_messages, simulate
from exactdp.testing import assert_samples_match
from tests.thinned import thinned

SIZE = 4000

VIEWS = {
    "k-ary, the truth": (KAryResponse(3, gamma=0), [0, 0, 2, 1]),
    "subsets of three": (SubsetSelection(4, exp_eps0=2, size=3), [0, 1]),
    "whole sets": (SubsetSelection(3, exp_eps0=2, size=3), [0, 1]),
    "hadamard, five": (HadamardResponse(5, exp_eps0=4), [4, 1]),
    "hashing": (LocalHashing(2, exp_eps0=4, buckets=2), [0, 1, 1]),
    "balls": (BallsIntoBins(3, dummies=2), [0, 2]),
}
"""Beside the members of ``tests/interfaces/test_randomizers.py``."""


def supports(family, dataset):
    """The exact law of how many messages support each input."""
    protocol = ShuffleProtocol(family.table(), len(dataset))
    alphabet = protocol.randomizer.alphabet
    told = getattr(family, "supports", lambda message, value: message == value)
    matrix = [[told(message, value) for message in alphabet] for value in family.inputs]
    return protocol.law(dataset).map(
        lambda view: tuple(sum(c for c, yes in zip(view, row, strict=True) if yes) for row in matrix)
    )


@pytest.mark.parametrize(("family", "dataset"), thinned(VIEWS.values(), every=2), ids=VIEWS)
def test_the_supports_of_a_family(family, dataset):
    protocol = ShuffleProtocol(family, len(dataset))
    law = supports(family, dataset)
    assert_samples_match(
        lambda size, rng: [tuple(row) for row in sample(protocol, dataset, size=size, rng=rng).tolist()],
        law,
        size=SIZE,
        seed=1,
    )


@pytest.mark.slow
def test_columns_by_multinomials_are_columns_user_by_user():
    """With more users than columns the other way is taken."""
    family = HadamardResponse(2, exp_eps0=3)
    drawn = sample(ShuffleProtocol(family, 600), {0: 500, 1: 100}, size=SIZE, rng=np.random.default_rng(2))
    for value, holders in ((0, 500), (1, 100)):
        law = FrequencyEstimate(family, 600).law(holders=holders)
        assert_samples_match(lambda size, rng, value=value: drawn[:, value], law, size=SIZE, seed=1)


def test_repetition_counts_all_messages():
    family = Repetition(KAryResponse(3, exp_eps0=4), 2)
    drawn = sample(ShuffleProtocol(family, 3), [0, 0, 1], size=SIZE, rng=np.random.default_rng(3))
    assert set(drawn.sum(axis=1)) == {6}
    law = FrequencyEstimate(family, 3).law(holders=2)
    assert_samples_match(lambda size, rng: drawn[:, 0], law, size=SIZE, seed=1)


LARGE = [
    UnaryEncoding(1000, exp_eps0=9),
    LocalHashing(1000, exp_eps0=9),
    HadamardResponse(1000, exp_eps0=9),
    SubsetSelection(100, exp_eps0=9),
    KAryResponse(1000, exp_eps0=99),
]


@pytest.mark.parametrize("family", LARGE, ids=str)
def test_large_families_at_a_million_users(family):
    n, held = 10**6, {0: 400_000, 7: 600_000}
    estimate = FrequencyEstimate(family, n)
    (view,) = sample(ShuffleProtocol(family, n), held, size=1, rng=np.random.default_rng(4))
    assert view.shape == (len(family.inputs),)
    far = [
        (estimate.estimate(int(view[value])) - held.get(value, 0)) ** 2 / estimate.variance(holders=held.get(value, 0))
        for value in (0, 7, 8, 50)
    ]
    assert max(far) < 36  # six standard deviations


def test_rows_without_a_table():
    family = ClippedDiscreteLaplace(300, exp_eps0=27)
    (view,) = sample(ShuffleProtocol(family, 10**6), {100: 10**6}, size=1, rng=np.random.default_rng(5))
    total = sum(weight * int(view[y]) for y, weight in family.analyzer().weights)
    assert abs(total - 10**8) < 6 * float(10**6 * family.variance(100)) ** 0.5


def test_blocks_are_the_same_numbers():
    protocol = ShuffleProtocol(UnaryEncoding(1000, exp_eps0=9), 50)
    whole = sample(protocol, {0: 50}, size=200, rng=np.random.default_rng(6))
    blocks = sample_blocks(protocol, {0: 50}, size=200, rng=np.random.default_rng(6), block=7)
    assert np.array_equal(np.concatenate(list(blocks)), whole)


@pytest.mark.parametrize(
    "family", [SubsetSelection(10**4, exp_eps0=2), HadamardResponse(10**5, exp_eps0=2)], ids=lambda family: family.name
)
def test_too_many_numbers_are_refused(family):
    dataset = dict.fromkeys(range(len(family.inputs)), 10**6)
    with pytest.raises(TooLargeError, match="one view draws"):
        sample(ShuffleProtocol(family, sum(dataset.values())), dataset, size=1, rng=np.random.default_rng(1))


@pytest.mark.parametrize(
    "run", [lambda p, r: simulate(p, [0, 1], size=1, rng=r), lambda p, r: shuffled_messages(p, [0, 1], rng=r)]
)
def test_messages_that_are_not_listed(run):
    with pytest.raises(InvalidValueError, match="whose messages are not listed"):
        run(ShuffleProtocol(UnaryEncoding(2, exp_eps0=4), 2), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("family", "dataset"),
    [
        (AnyRandomizer(exp_eps0=2), []),
        (KAryResponse(3, exp_eps0="exp(1)"), [0, 1]),
        (UnaryEncoding(3, exp_eps0=4), [0, 5]),
        (Repetition(KAryResponse(3, exp_eps0=4), 10**4), {0: 2**50}),
    ],
)
def test_refusals(family, dataset):
    n = sum(dataset.values()) if isinstance(dataset, dict) else max(len(dataset), 1)
    with pytest.raises(ExactDPError):
        sample(ShuffleProtocol(family, n), dataset, size=1, rng=np.random.default_rng(1))
