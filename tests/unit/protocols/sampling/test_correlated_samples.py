"""Samples of correlated counting: of the whole view, and user by user, against the law of both counts."""

from fractions import Fraction

import numpy as np
import pytest

from exactdp import Law, protocols
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.sampling import sample, simulate
from exactdp.testing import assert_samples_match
from tests.oracles.two_counts import two_counts

CUT = 24
"""Counts are told apart below this; what is above is one outcome."""

BEYOND = (-1, -1)

PROTOCOL = protocols.correlated_counting(4, p1="1/2", p2="1/4", r=2)
PEOPLE = {0: 1, 1: 3}


def law() -> Law:
    """The law of both counts, with one outcome for all that is beyond the table."""
    weights = [(t + 1) * Fraction(9, 16) / 4**t for t in range(CUT)]  # NB(2, 1/4)
    known = two_counts(Fraction(1, 2), weights, PEOPLE[1])
    return Law(known | {BEYOND: 1 - sum(known.values())})


def cut(drawn):
    far = (drawn[:, 0] >= CUT + PEOPLE[1]) | (drawn[:, 1] >= CUT)
    return np.where(far[:, None], np.array(BEYOND), drawn)


def test_the_view():
    assert_samples_match(
        lambda size, rng: cut(sample(PROTOCOL, PEOPLE, size=size, rng=rng)), law(), size=20_000, seed=1
    )


def test_the_users_themselves():
    assert_samples_match(
        lambda size, rng: cut(simulate(PROTOCOL, PEOPLE, size=size, rng=rng)), law(), size=20_000, seed=2
    )


WRONG = {
    "noise that is not common": lambda size, rng: np.stack(  # two views, of which one count each
        [sample(PROTOCOL, PEOPLE, size=size, rng=rng)[:, i] for i in range(2)], axis=1
    ),
    "another p1": lambda size, rng: sample(
        protocols.correlated_counting(4, p1="9/16", p2="1/4", r=2), PEOPLE, size=size, rng=rng
    ),
    "another sum": lambda size, rng: sample(PROTOCOL, {0: 2, 1: 2}, size=size, rng=rng),
    "counts exchanged": lambda size, rng: sample(PROTOCOL, PEOPLE, size=size, rng=rng)[:, ::-1],
    "users with whole shares": lambda size, rng: sum(
        simulate(protocols.correlated_counting(1, p1="1/2", p2="1/4", r=2), {1: 1}, size=size, rng=rng)
        for _ in range(3)
    ),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_wrong_sampler_is_caught(wrong):
    with pytest.raises(AssertionError, match=r"match|support"):
        assert_samples_match(lambda size, rng: cut(wrong(size, rng)), law(), size=20_000, seed=3)


def test_a_billion_users_cost_no_more_than_four():
    n = 10**9
    protocol = protocols.correlated_counting_from_theorem(n, eps=1, delta="1e-6")
    drawn = sample(protocol, {0: n // 4, 1: 3 * n // 4}, size=1000, rng=np.random.default_rng(4))
    assert drawn.shape == (1000, 2)
    assert_samples_match(lambda size, rng: drawn[:, 0] - drawn[:, 1] - 3 * n // 4, protocol.error, size=1000, seed=5)


def test_what_is_refused():
    rng = np.random.default_rng(1)
    irrational = protocols.correlated_counting(3, p1="exp(-1)", p2="1/2", r=2)
    with pytest.raises(InvalidValueError, match=r"p=e\^\(-1\) of Geometric\(.*\) is not a float"):
        sample(irrational, [0, 1, 1], size=1, rng=rng)
    with pytest.raises(InvalidValueError, match=r"r=1/3 of NegativeBinomial\(.*\) is not a float"):
        simulate(irrational, [0, 1, 1], size=1, rng=rng)
    assert sample(irrational, [0, 1, 1], size=2, rng=rng, nearest=True).shape == (2, 2)
    assert simulate(irrational, [0, 1, 1], size=2, rng=rng, nearest=True).shape == (2, 2)
    with pytest.raises(TooLargeError, match=r"size=1000000 draws of n=1000 users are more than the limit"):
        simulate(protocols.correlated_counting(1000, p1="1/2", p2="1/2", r=2), {0: 1000}, size=10**6, rng=rng)
