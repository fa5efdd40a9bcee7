"""The rows on sample and threshold: their numbers are those of the package, and wrong ones are not proved."""

from fractions import Fraction

import mpmath
import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.bounds import refined_sample_threshold_delta
from exactdp.claims.certificate import Verdict
from exactdp.proofs import check, dropped_counts, row
from exactdp.studies.calibration.equal_error import equal_error
from tests.oracles.high_precision import contains, sixty_digits
from tests.oracles.releases import divergence, release

LEVELS = {
    "sample-threshold-published": "kernel",  # it holds the steps of the refined bound
    "sample-threshold-waiting-time": "kernel",
    "sampling-one-report": "kernel",
    "sampling-equal-error": "kernel",
}


@pytest.mark.parametrize("name", LEVELS)
def test_the_rows_are_proved(name):
    outcome = check(row(name))
    assert (outcome.verdict, outcome.level) == (Verdict.PROVED, LEVELS[name])


@pytest.mark.slow
def test_the_row_at_equal_error_is_what_the_package_finds():
    numbers = dropped_counts.NUMBERS
    both = equal_error(numbers["users"], alpha=numbers["error"], beta=numbers["failure"], rate=numbers["rate"])
    assert both.sampled.threshold == numbers["threshold"]
    assert 0 <= both.gamma - numbers["gamma"] < Fraction(1, 1024)
    levels = [1, "9/8", "5/4", "3/2", 2, 4]
    assert all(one.response < one.sampled for one in both.curves(levels))


@pytest.mark.parametrize(("name", "value"), [("_GAMMA", Fraction(705, 1024)), ("_THRESHOLD", 7)])
def test_other_numbers_are_not_proved(monkeypatch, name, value):
    monkeypatch.setattr(dropped_counts, name, value)
    assert xdp.certify(dropped_counts._equal_error()).verdict is Verdict.REFUTED


def test_one_report_is_enough_exactly_from_the_rate_of_the_row_on():
    """The randomized function of the proof, on all data sets, and the pure eps that it needs below that rate."""
    n, flip = 4, Fraction(1, 5)
    least = (1 - 2 * flip) / (1 - flip)
    for rate in (least, Fraction(9, 10)):
        kept = (1 - flip - (1 - rate) * flip) / rate
        assert 0 <= kept <= 1
        for held in range(n + 1):
            made: dict[int, Fraction] = {}
            for reports, chance in release(held, 1, rate).items():
                for ones, p in release(reports, 0, kept).items():
                    for more, q in release(n - reports, 0, flip).items():
                        made[ones + more] = made.get(ones + more, 0) + chance * p * q
            view = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma=2 * flip), n).law({0: n - held, 1: held})
            assert {count: p for count, p in made.items() if p} == dict(view.map(lambda counts: counts[1]).items())
    below = least - Fraction(1, 100)
    removed = [release(held, 1, below) for held in (1, 0)]
    assert divergence(*removed[::-1], (1 - flip) / flip) == 0  # it is private at less than randomized response needs
    assert divergence(*removed[::-1], 1 / (1 - below)) == 0
    assert 1 / (1 - below) < (1 - flip) / flip


def test_the_bound_is_the_one_of_the_steps():
    """The exponent by the docstring's y, at 60 digits."""
    alpha, tau, level = Fraction(1, 3), 7, Fraction(5, 2)
    with sixty_digits():
        a, e = mpmath.mpf(1) / 3, mpmath.mpf(5) / 2
        q = a * (1 - 1 / e)
        rho = 1 - (1 - q) / e
        exponent = mpmath.log(e * rho / q) - mpmath.log(e) / rho
        bound = refined_sample_threshold_delta(tau, alpha=alpha, exp_eps=level)
        assert contains(bound, mpmath.exp(-tau * exponent))
    exact = protocols.sample_and_threshold(1000, rate=alpha * (1 - 1 / level), threshold=tau).privacy_profile()
    assert exact.delta(exp_eps=level) < bound.lo
