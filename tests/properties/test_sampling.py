"""Any randomizer, any data set: both samplers follow the exact law, and no block or bit stream matters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from exactdp import AdditiveProtocol, Law
from exactdp.sampling import sample, sample_blocks, shuffled_messages, simulate
from exactdp.testing import assert_samples_match, exact_laws, protocols, randomizers
from tests.expensive import one_in

SEEDS = st.integers(0, 2**32)


@st.composite
def cases(draw):
    """A protocol of few users and one of its data sets."""
    protocol = draw(protocols(randomizers(max_messages=3), max_users=3))
    held = st.lists(st.sampled_from(protocol.randomizer.inputs), min_size=protocol.n, max_size=protocol.n)
    return protocol, draw(held)


def rows(drawn):
    return list(map(tuple, drawn.tolist()))


@one_in(3)
@given(cases(), SEEDS)
def test_both_samplers_follow_the_exact_law(case, seed):
    """40 comparisons and more, each with a false alarm of 1e-12."""
    protocol, dataset = case
    for draws, size in ((sample, 2000), (simulate, 200)):
        assert_samples_match(
            lambda size, rng, draws=draws: rows(draws(protocol, dataset, size=size, rng=rng)),
            protocol.law(dataset),
            size=size,
            seed=seed,
            false_alarm="1e-12",
        )


@one_in(3)
@given(exact_laws(), st.integers(1, 3), SEEDS, st.data())
def test_finite_noise_follows_the_exact_law(noise, bins, seed, data):
    protocol = AdditiveProtocol(noise, bins=bins)
    dataset = data.draw(st.lists(st.sampled_from(protocol.records), max_size=4))
    assert_samples_match(
        lambda size, rng: sample(protocol, dataset, size=size, rng=rng),
        protocol.law(dataset),
        size=2000,
        seed=seed,
        false_alarm="1e-12",
    )


@one_in(2)
@given(cases(), st.integers(0, 40), st.integers(1, 50), SEEDS)
def test_blocks_hold_the_rows_of_the_sample(case, size, block, seed):
    protocol, dataset = case
    whole = sample(protocol, dataset, size=size, rng=np.random.default_rng(seed))
    blocks = list(sample_blocks(protocol, dataset, size=size, rng=np.random.default_rng(seed), block=block))
    assert [row for each in blocks for row in each.tolist()] == whole.tolist()


@one_in(2)
@given(cases(), SEEDS)
def test_every_view_is_in_the_support(case, seed):
    """The counts of shuffled messages, of simulated users and of the fast path."""
    protocol, dataset = case
    law, rng = protocol.law(dataset), np.random.default_rng(seed)
    sent = shuffled_messages(protocol, dataset, rng=rng)
    views = [tuple(sent.count(message) for message in protocol.randomizer.alphabet)]
    views += rows(simulate(protocol, dataset, size=3, rng=rng)) + rows(sample(protocol, dataset, size=3, rng=rng))
    assert all(law.prob(view) > 0 for view in views)


@one_in(2)
@given(exact_laws(), SEEDS, st.integers(1, 300))
def test_draws_of_the_law_itself_pass(law, seed, size):
    """A right sampler of any finite law, written down here and not in the package."""

    def inversion(size, rng):
        ends = np.cumsum(list(law.weights.values()))
        return np.array(law.support)[np.searchsorted(ends, rng.integers(law.total, size=size), side="right")]

    assert_samples_match(inversion, law, size=size, seed=seed, false_alarm="1e-12")


@one_in(2)
@given(exact_laws(max_outcomes=4), exact_laws(max_outcomes=4), SEEDS)
def test_draws_of_another_law_fail(law, other, seed):
    """Two laws on few outcomes with small weights differ by 1/64 or more somewhere: 10^5 draws show it."""
    again = Law(dict(other.items()))

    def inversion(size, rng):
        ends = np.cumsum(list(again.weights.values()))
        return np.array(again.support)[np.searchsorted(ends, rng.integers(again.total, size=size), side="right")]

    try:
        assert_samples_match(inversion, law, size=10**5, seed=seed)
        matched = True
    except AssertionError:
        matched = False
    assert matched == (law == other)
