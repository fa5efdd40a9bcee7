"""Protocols for frequencies at one (eps, delta): the least noise of each, and the comparison of all."""

from fractions import Fraction as F

import pytest

import exactdp as xdp
from exactdp import calibrate, protocols
from exactdp.errors import InvalidValueError
from exactdp.laws import Binomial, Poisson
from exactdp.studies.calibration.frequency_comparison import compare_frequencies


def test_the_least_flooding_holds_and_one_step_less_does_not():
    for slots, noise in ((None, Poisson), (2, lambda mean: Binomial(2, mean / 2))):
        least = calibrate("flooding", n=1000, inputs=50, eps=1, delta="1e-4", slots=slots, grid="1/1024")
        at, less = (
            protocols.flooding(1000, 50, noise=noise(mean)).privacy_profile().delta(eps=1)
            for mean in (least.parameter, least.parameter - F(1, 1024))
        )
        assert at.hi <= F(1, 10**4) < less.lo
        assert least.is_least
        assert least.scope.startswith("and every larger value")


def test_the_least_number_of_dummies_is_an_integer():
    least = calibrate("balls-into-bins", n=100, inputs=40, eps=1, delta="1e-6")
    at, less = (
        xdp.ShuffleProtocol(xdp.randomizers.BallsIntoBins(40, dummies=dummies), 100).privacy_profile().delta(eps=1)
        for dummies in (int(least.parameter), int(least.parameter) - 1)
    )
    assert at.hi <= F(1, 10**6) < less.lo


def test_the_histogram_is_calibrated_for_two_bins_together():
    least = calibrate("histogram", n=5000, inputs=20, eps=1, delta="1e-5", grid=F(1, 2**20))
    at, less = (
        protocols.histogram(5000, 20, gamma=gamma).privacy_profile().delta(eps=1)
        for gamma in (least.parameter, least.parameter - F(1, 2**20))
    )
    assert at.hi <= F(1, 10**5) < less.lo
    assert (least.scope, least.level) == ("local", "enclosure")
    assert least.parameter > calibrate("zsum", n=5000, eps=1, delta="1e-5").parameter


@pytest.mark.slow
def test_all_are_private_and_each_says_what_it_sends():
    rows = {row.name: row for row in compare_frequencies(2500, 20, eps=1, delta="1e-4", beta="1/10")}
    assert len(rows) == 12
    for row in rows.values():
        assert row.reason == "" or row.delta is None
        if row.delta is not None:
            high = row.delta if isinstance(row.delta, F) else row.delta.hi
            assert high <= F(1, 10**4)
            assert row.communication.messages >= 1
    assert rows["histogram protocol, by its theorem"].reason.startswith("The zsum theorem needs n")
    assert rows["flooding"].levels == {"delta": "enclosure", "error": "exact", "simultaneous": "exact"}
    assert rows["flooding"].error < rows["balls into bins"].error
    assert rows["k-ary response"].communication.bits == 5
    assert rows["unary encoding"].communication.bits == 20


@pytest.mark.slow
def test_a_few_users_get_reasons_and_not_errors():
    rows = compare_frequencies(4, 2, exp_eps=2, delta="1e-9")
    assert any("no gamma" in row.reason for row in rows)


def test_options_say_what_they_belong_to():
    with pytest.raises(InvalidValueError, match="needs inputs"):
        calibrate("flooding", n=10, eps=1, delta="1e-6")
    with pytest.raises(InvalidValueError, match="does not take slots"):
        calibrate("histogram", n=10, inputs=3, slots=2, eps=1, delta="1e-6")
