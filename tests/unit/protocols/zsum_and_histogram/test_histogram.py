"""The histogram protocol: its view, its estimates, and its table."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp import AdditiveProtocol, Analyzer, Binomial, ShuffleProtocol, optimal_accuracy, protocols
from exactdp.bounds import zsum_rounded_gamma
from exactdp.errors import ExactDPError, HypothesisError, InvalidValueError, TooLargeError
from tests.together import together


@together(("n", "d"), [(1, 2), (2, 2), (3, 2), (1, 3), (2, 3)])
@together("gamma", ["1/3", "1/2", 0, 1])
def test_the_table_has_the_law_of_the_protocol(n, d, gamma):
    named, table = protocols.histogram(n, d, gamma=gamma), protocols.histogram_randomizer(d, gamma=gamma)
    for data in product(range(d), repeat=n):
        shuffled = ShuffleProtocol(table, n)
        order = [table.alphabet.index(j) for j in range(d)]
        law = shuffled.law(data).map(lambda counts, order=order: tuple(counts[i] for i in order))
        assert law == named.law(data)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_table_has_the_profile_of_the_protocol(n):
    named, table = protocols.histogram(n, 2, gamma="1/3"), protocols.histogram_randomizer(2, gamma="1/3")
    profile = ShuffleProtocol(table, n).privacy_profile()
    for exp_eps in (1, "3/2", 4, 9):
        assert named.privacy_profile().delta(exp_eps=exp_eps) == profile.delta(exp_eps=exp_eps)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_rows_are_independent_bins(d):
    gamma = Fraction(1, 5)
    for x, row in protocols.histogram_randomizer(d, gamma=gamma).table().items():
        assert len(row) == 2**d
        for sent, p in row.items():
            dummies = [sent.count(j) - (j == x) for j in range(d)]
            assert set(dummies) <= {0, 1}
            assert p == gamma ** dummies.count(0) * (1 - gamma) ** dummies.count(1)


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("d", [2, 3])
def test_estimates_are_zsum_in_each_bin(n, d):
    protocol, single = protocols.histogram(n, d, gamma="1/4"), protocols.zsum(n, gamma="1/4")
    for counts in product(range(0, 2 * n + 1, 2), repeat=d):
        assert protocol.estimate(counts) == tuple(single.estimate(count) for count in counts)
        assert protocol.estimate(list(counts)) == protocol.estimate(counts)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_empty_bins_are_estimated_as_zero(n):
    protocol = protocols.histogram(n, 3, gamma="1/3")
    for view in protocol.law([1] * n):
        estimates = protocol.estimate(view)
        assert estimates[0] == estimates[2] == 0


def test_one_bin_moves_the_sum_and_the_other():
    """The exact profile of two bins is above one bin's, and at twice the eps below twice its delta."""
    protocol, single = protocols.histogram(40, 5, gamma="1/4"), protocols.zsum(40, gamma="1/4")
    for exp_eps in (Fraction(3, 2), Fraction(2)):
        joint = protocol.privacy_profile().delta(exp_eps=exp_eps)
        assert joint > single.privacy_profile().delta(exp_eps=exp_eps)
        twice = 2 * single.privacy_profile().delta(exp_eps=exp_eps)
        assert protocol.privacy_profile().delta(exp_eps=exp_eps**2) < twice


def test_an_analyzer_reads_one_count():
    noise = Binomial(2, "1/2")
    analyzer = Analyzer({0: 2}, offset=-1)
    assert AdditiveProtocol(noise, analyzer=analyzer).estimate(3) == 5
    assert AdditiveProtocol(noise, bins=2, analyzer=analyzer).estimate([3, -1]) == (5, -3)
    with pytest.raises(InvalidValueError) as error:
        AdditiveProtocol(noise, bins=2, analyzer=Analyzer({0: 1, 1: 1})).estimate([3, 1])
    assert str(error.value) == (
        "the analyzer has a weight for 1, but it reads one count, the message 0. Pass Analyzer({0: weight})."
    )


def test_from_the_theorem():
    protocol = protocols.histogram_from_theorem(1451, 10, eps=1, delta="1e-6")
    gamma = zsum_rounded_gamma(1451, eps=1, delta="1e-6")
    assert protocol == protocols.histogram(1451, 10, gamma=gamma)
    assert protocol.bins == 10
    with pytest.raises(HypothesisError, match="Use n of at least 1451"):
        protocols.histogram_from_theorem(1450, 10, eps=1, delta="1e-6")


def test_a_table_that_is_too_long_is_refused():
    assert len(protocols.histogram_randomizer(10, gamma="1/2").inputs) == 10
    with pytest.raises(TooLargeError, match="which needs no table"):
        protocols.histogram_randomizer(11, gamma="1/2")


@pytest.mark.parametrize(
    "make",
    [
        lambda: protocols.histogram(0, 3, gamma="1/2"),
        lambda: protocols.histogram(3, 1, gamma="1/2"),
        lambda: protocols.histogram(3, 10**13, gamma="1/2"),
        lambda: protocols.histogram(3, 2, gamma="3/2"),
        lambda: protocols.histogram(3, 2, gamma=0.5),
        lambda: protocols.histogram_randomizer(0, gamma="1/2"),
        lambda: protocols.histogram_randomizer(2, gamma=-1),
        lambda: protocols.histogram(3, 2, gamma="1/2").estimate([1, 2, 3]),
        lambda: protocols.histogram(3, 2, gamma="1/2").estimate(1),
        lambda: protocols.histogram_from_theorem(2000, 1, eps=1, delta="1e-6"),
    ],
)
def test_parameters_outside_their_range(make):
    with pytest.raises(ExactDPError):
        make()


def test_a_billion_bins_need_no_list():
    n, d = 10**9, 10**9
    billion, two = (protocols.histogram(n, bins, gamma="1/1000000") for bins in (d, 2))
    assert billion.bins == d
    assert billion.privacy_profile().delta(eps="1/2") == two.privacy_profile().delta(eps="1/2")
    assert billion.privacy_profile().worst_pair(exp_eps=2) == two.privacy_profile().worst_pair(exp_eps=2)
    assert optimal_accuracy(billion, beta="1/20", simultaneous=True) == Fraction(293, 250000000)
    listed = "the records of bins=1000000000 are not listed, 1000000 is the limit. Ask for privacy, estimates and"
    with pytest.raises(TooLargeError, match=listed):
        billion.law({0: n})
    with pytest.raises(TooLargeError, match=r"bins=1000000000001 is more than the limit of 1000000000000\. Use fewer"):
        protocols.histogram(10, 10**12 + 1, gamma="1/2")
    with pytest.raises(TooLargeError, match=r"bins=100000 has 101\^100000 outcomes, more than the limit"):
        protocols.histogram(100, 10**5, gamma="1/2").law({0: 100})
