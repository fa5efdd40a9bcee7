"""Refusals are short, whatever was asked: what is too large by how much, the limit, and the largest n within it."""

import pickle

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.bounds import clones_delta
from exactdp.errors import ScanTooLargeError, TooLargeError
from exactdp.numbers.formats import about

HUGE = 10**500
TWO, THREE, FOUR = (xdp.randomized_response(k, gamma="1/2") for k in (2, 3, 4))
SOMETIMES = xdp.Randomizer({x: {(y,): "1/2" if x == y else "1/8" for y in range(3)} | {(): "1/4"} for x in range(3)})


def scan_of_added(users, limit):
    """The profile over added or removed users, whose number of messages tells nothing: beyond a scan it is refused."""
    protocol = xdp.ShuffleProtocol(SOMETIMES, users)
    return protocol.privacy_profile(neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE, limit=limit)


REFUSED = {
    "scan": lambda: scan_of_added(HUGE, 10**8),
    "amplification": lambda: xdp.ShuffleProtocol(THREE, HUGE).privacy_profile(),
    "two messages": lambda: xdp.ShuffleProtocol(TWO, HUGE).privacy_profile().delta(exp_eps=2),
    "coins": lambda: xdp.ShuffleProtocol(TWO, HUGE).pair_profile({0: HUGE}, {0: HUGE - 1, 1: 1}),
    "multinomial": lambda: xdp.ShuffleProtocol(FOUR, HUGE).pair_profile({0: HUGE}, {0: HUGE - 1, 1: 1}),
    "packed": lambda: (
        xdp.ShuffleProtocol(FOUR, HUGE).pair_profile({0: HUGE - 1, 1: 1}, {0: HUGE - 2, 1: 2}).delta(exp_eps=2)
    ),
    "view": lambda: xdp.ShuffleProtocol(TWO, HUGE).law({0: HUGE}),
    "binomial": lambda: xdp.Binomial(HUGE, "1/2").exact_cdf(3),
    "binomial law": lambda: xdp.Binomial(HUGE, "1/2").law(),
    "sum of binomials": lambda: xdp.BinomialSum(HUGE, "1/2", HUGE, "1/3").exact_pmf(3),
    "lattice law": lambda: xdp.BinomialSum(HUGE, "1/2", HUGE, "1/3").law(),
    "bins": lambda: protocols.histogram(HUGE, 100, gamma="1/2").law({0: HUGE}),
    "clones": lambda: clones_delta(HUGE, exp_eps0=3, exp_eps=2),
    "accuracy": lambda: xdp.optimal_accuracy(protocols.k_ary(HUGE, 3, gamma="1/2"), beta="1/20"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_no_refusal_is_long_or_hopeless(name):
    with pytest.raises(TooLargeError) as error:
        REFUSED[name]()
    words = str(error.value)
    assert len(words) <= 300
    assert max(len(word) for word in words.split()) <= 60
    assert "raise the limit" not in words
    assert "limit" in words


@pytest.mark.parametrize(("users", "limit"), [(8, 1000), (30, 10**5), (60, 10**7)])
def test_the_largest_n_is_within_the_limit_and_the_next_is_not(users, limit):
    with pytest.raises(ScanTooLargeError) as error:
        scan_of_added(users, limit)
    largest, work = error.value.largest_n, error.value.work
    assert f"the largest n here is {largest}." in str(error.value)
    assert f"pass limit={work}, or" in str(error.value)
    assert "pass limit" not in error.value.plain
    scan_of_added(largest, limit)
    with pytest.raises(ScanTooLargeError):
        scan_of_added(largest + 1, limit)
    assert scan_of_added(users, work).engine == "pairwise scan"
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.work, again.largest_n) == (str(error.value), work, largest)


def test_a_hopeless_limit_is_not_offered():
    with pytest.raises(ScanTooLargeError) as error:
        scan_of_added(3000, 10**8)
    assert "pass limit" not in str(error.value)
    assert "ask for one pair" in str(error.value)


def test_counts_in_messages():
    assert [about(x) for x in (7, 10**12 - 1, 10**12, 2999 * 10**21, 9999 * 10**20, 10**5000)] == [
        *("7", "999999999999", "about 1e12", "about 3e24", "about 1e24", "about 1e5000")
    ]


def test_equal_rows_need_no_scan_at_any_size():
    silent = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma=1), 10**9)
    assert silent.privacy_profile().delta(exp_eps=1) == 0
