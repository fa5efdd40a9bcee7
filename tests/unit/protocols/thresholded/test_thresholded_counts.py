"""The optimal accuracy of sample and threshold: against the errors of every number of holders, and both ends."""

from fractions import Fraction

import pytest

from exactdp import optimal_accuracy, protocols
from exactdp.errors import InvalidValueError
from exactdp.protocols.thresholded import sample_and_threshold_protocol
from exactdp.protocols.thresholded.sample_and_threshold_protocol import thresholded_accuracy
from tests.oracles.releases import release
from tests.thinned import thinned


def listed_accuracy(n: int, rate: Fraction, threshold: int, beta: Fraction) -> Fraction:
    """The least error that is enough, by the law of the error for every number of holders."""
    worst = Fraction(0)
    for holders in range(n + 1):
        law = {count: p for count, p in release(holders, threshold, rate).items() if p}
        errors = [(abs(count / rate - holders), p) for count, p in law.items()]
        reached = {Fraction(0), *(error for error, _ in errors)}
        worst = max(worst, min(a for a in reached if sum(p for error, p in errors if error > a) <= beta))
    return worst


CASES = [
    (1, Fraction(1, 2), 1, Fraction(1, 20)),
    (9, Fraction(1, 3), 2, Fraction(1, 4)),  # the count is dropped
    (18, Fraction(3, 4), 2, Fraction(1, 20)),
    (24, Fraction(5, 12), 1, Fraction(1, 5)),  # the count is sampled
    (24, Fraction(11, 12), 6, Fraction(2, 5)),
    (12, Fraction(1, 2), 3, Fraction(0)),
    (12, Fraction(1, 2), 3, Fraction(1)),
    (7, Fraction(1), 3, Fraction(1, 10)),
    (11, Fraction(1, 2), 2, Fraction(1, 2**9)),  # ties: sums of a few weights are beta
]


@pytest.mark.parametrize(("n", "rate", "threshold", "beta"), thinned(CASES, every=2))
def test_it_is_the_worst_of_all_numbers_of_holders(n, rate, threshold, beta):
    listed = listed_accuracy(n, rate, threshold, beta)
    assert thresholded_accuracy(n, rate, threshold, beta) == listed
    protocol = protocols.sample_and_threshold(n, rate=rate, threshold=threshold, symbols=5)
    assert optimal_accuracy(protocol, beta=beta) == listed


@pytest.mark.parametrize(
    ("n", "rate", "threshold", "beta"), thinned([*CASES, (90, Fraction(1, 2), 5, Fraction(1, 20))], every=2)
)
def test_two_ends_contain_it(monkeypatch, n, rate, threshold, beta):
    exact = thresholded_accuracy(n, rate, threshold, beta)
    for tests in (1000, 0):  # by long blocks, and by Bernstein's inequality
        monkeypatch.setattr(sample_and_threshold_protocol, "_TESTS", tests)
        ends = sample_and_threshold_protocol._Counts(n, rate, threshold, beta).two_ends()
        assert ends.lo <= exact <= ends.hi


def test_very_many_users_have_two_ends_two_percent_apart():
    protocol = protocols.sample_and_threshold(10**9, rate="1/10", threshold=10**5)
    ends = optimal_accuracy(protocol, beta="1/20")
    assert ends.hi <= ends.lo * Fraction(103, 100)
    assert 10**6 < ends.lo < 102 * 10**4  # tau / q, and two standard deviations of what a tau of reports is


def test_all_symbols_together_are_refused():
    with pytest.raises(InvalidValueError, match="simultaneous=True"):
        optimal_accuracy(protocols.sample_and_threshold(9, rate="1/2", threshold=2), beta="1/2", simultaneous=True)
