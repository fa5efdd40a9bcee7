"""Draws of split and mix against its exact law."""

import numpy as np
import pytest

from exactdp import protocols, sample
from exactdp.errors import TooLargeError
from exactdp.testing import assert_samples_match

PROTOCOL = protocols.split_and_mix(3, modulus=4, messages=3)


def sampler(dataset, protocol=PROTOCOL):
    return lambda size, rng: sample(protocol, dataset, size=size, rng=rng)


@pytest.mark.parametrize("dataset", [[0, 1, 3], {2: 3}])
def test_draws_follow_the_exact_law(dataset):
    assert_samples_match(sampler(dataset), PROTOCOL.law(dataset), size=4000, seed=1)


def test_draws_of_other_inputs_do_not():
    with pytest.raises(AssertionError):
        assert_samples_match(sampler([0, 0, 2]), PROTOCOL.law([1, 0, 1]), size=4000, seed=1)


def test_a_large_view_has_the_sum_of_the_inputs():
    protocol = protocols.split_and_mix(3000, modulus=101, messages=5)
    dataset = {5: 1000, 100: 2000}
    draws = sample(protocol, dataset, size=2, rng=np.random.default_rng(1))
    assert draws.shape == (2, 101)
    assert draws.sum(axis=1).tolist() == [15000, 15000]
    assert {protocol.estimate(view) for view in draws} == {(5 * 1000 + 100 * 2000) % 101}
    assert (abs(draws - 15000 / 101) < 8 * (15000 / 101) ** 0.5).all()


def test_too_many_shares_are_refused():
    protocol = protocols.split_and_mix(10**8, modulus=2, messages=3)
    with pytest.raises(TooLargeError, match=r"ShuffleProtocol\(protocol.randomizer, n\) draws any number"):
        sample(protocol, {0: 10**8}, size=1, rng=np.random.default_rng(1))


@pytest.mark.parametrize(("n", "held"), [(4, [0, 2, 2, 1]), (1, [2])])
def test_shares_of_the_noise_add_up_to_discrete_laplace_noise(n, held):
    """What is read off the views is the sum of the inputs and noise of the law, whatever the number of users."""
    protocol = protocols.fixed_point_sum(n, levels=2, eps=2, messages=2, modulus=512)
    draws = sample(protocol, held, size=3000, rng=np.random.default_rng(5), nearest=True)
    residues = draws @ np.arange(512)
    assert protocol.estimate(draws[0]) == protocol.decoded(int(residues[0]))
    errors = np.array([int(2 * protocol.decoded(int(residue))) - sum(held) for residue in residues])
    for z in (-2, -1, 0, 1, 2):
        chance = float(protocol.noise.pmf(z))
        assert abs((errors == z).mean() - chance) < 5 * (chance * (1 - chance) / 3000) ** 0.5
