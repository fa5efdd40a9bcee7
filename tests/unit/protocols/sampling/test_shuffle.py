"""The shuffle of the reference: given the counts, every order of the messages is equally likely.

So the first message, and the first two, follow laws that the exact engine gives: P[a] = E[C_a / m] and
P[a, b] = E[C_a (C_b - [a = b]) / (m (m-1))], for the counts C of m messages.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from exactdp import Law, Randomizer, ShuffleProtocol, protocols, randomized_response
from exactdp.sampling import shuffled_messages
from exactdp.testing import assert_samples_match
from tests.thinned import thinned

PROTOCOLS = {
    "complement": (protocols.complement(4), [0, 0, 0, 1]),
    "randomized response": (ShuffleProtocol(randomized_response(3, gamma="1/2"), 5), [0, 0, 0, 1, 2]),
    "gap": (protocols.gap(3), [0, 0, 1]),
    "lengths that vary": (
        ShuffleProtocol(Randomizer({0: {("b", "a"): "1/2", ("c",): "1/2"}, 1: {("a", "a", "c"): 1}}), 4),
        [0, 0, 0, 1],
    ),
}


def prefixes(protocol, dataset, length):
    """The law of the first ``length`` messages, by the counts."""
    alphabet, weights = protocol.randomizer.alphabet, {}
    for counts, p in protocol.law(dataset).items():
        for chosen in itertools.product(range(len(alphabet)), repeat=length):
            left, weight, total = list(counts), p, sum(counts)
            for message in chosen:
                weight *= Fraction(left[message], total)
                left[message] -= 1
                total -= 1
            shown = tuple(alphabet[message] for message in chosen)
            weights[shown] = weights.get(shown, Fraction(0)) + weight
    return Law(weights)


def drawn(protocol, dataset, keep):
    return lambda size, rng: [tuple(keep(shuffled_messages(protocol, dataset, rng=rng))) for _ in range(size)]


@pytest.mark.parametrize("length", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("protocol", "dataset"), thinned(PROTOCOLS.values(), every=2), ids=PROTOCOLS)
def test_the_first_messages(protocol, dataset, length):
    law = prefixes(protocol, dataset, length)
    assert_samples_match(drawn(protocol, dataset, lambda sent: sent[:length]), law, size=1500, seed=1)


@pytest.mark.parametrize(("protocol", "dataset"), thinned(PROTOCOLS.values(), every=2), ids=PROTOCOLS)
def test_the_first_and_the_last_message(protocol, dataset):
    """The pair of any two places follows the same law."""
    law = prefixes(protocol, dataset, 2)
    assert_samples_match(drawn(protocol, dataset, lambda sent: (sent[-1], sent[0])), law, size=1500, seed=2)


def test_every_order_is_equally_likely():
    """Three zeros and three ones stand in each of the 20 orders with the same probability, whatever the data."""
    orders = {tuple(int(i in ones) for i in range(6)) for ones in itertools.combinations(range(6), 3)}
    law = Law(dict.fromkeys(sorted(orders), "1/20"))
    for dataset in ([0, 0, 0], [0, 1, 1]):
        assert_samples_match(drawn(protocols.complement(3), dataset, list), law, size=2500, seed=3)


def unshuffled(protocol, dataset, rng):
    """Every user's messages in the order of the users: a shuffler that forgot to shuffle."""
    table, sent = protocol.randomizer.table(), []
    for held in dataset:
        tuples, probabilities = zip(*table[held].items(), strict=True)
        sent += tuples[rng.choice(len(tuples), p=[float(p) for p in probabilities])]
    return sent


def shuffled_within_each_user(protocol, dataset, rng):
    sent = unshuffled(protocol, dataset, rng)
    return [message for i in range(0, len(sent), 2) for message in rng.permutation(sent[i : i + 2]).tolist()]


def rotated(protocol, dataset, rng):
    """Each place is right by itself: only pairs of places show that this is no shuffle."""
    sent = unshuffled(protocol, dataset, rng)
    turn = int(rng.integers(len(sent)))
    return sent[turn:] + sent[:turn]


@pytest.mark.parametrize("wrong", [unshuffled, shuffled_within_each_user, rotated])
def test_messages_that_are_not_shuffled_are_caught(wrong):
    protocol, dataset = protocols.complement(4), [0, 0, 0, 1]
    with pytest.raises(AssertionError, match="do not match the law"):
        assert_samples_match(
            lambda size, rng: [tuple(wrong(protocol, dataset, rng)[:2]) for _ in range(size)],
            prefixes(protocol, dataset, 2),
            size=1500,
            seed=4,
        )


def test_the_counts_of_unshuffled_messages_are_right():
    """What the tests of counts cannot see, the tests above do."""
    protocol, dataset = protocols.gap(2), [0, 1]
    assert_samples_match(
        lambda size, rng: [
            tuple(np.bincount(unshuffled(protocol, dataset, rng), minlength=2).tolist()) for _ in range(size)
        ],
        protocol.law(dataset),
        size=1000,
        seed=5,
    )
