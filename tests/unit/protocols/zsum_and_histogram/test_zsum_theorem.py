"""zsum with the theorem's noise."""

from fractions import Fraction

import pytest

from exactdp import LogRational, protocols
from exactdp.bounds import zsum_gamma, zsum_least_n
from exactdp.errors import ExactDPError, HypothesisError


@pytest.mark.parametrize(("eps", "delta"), [(1, "1e-6"), ("1/2", 1), (LogRational(2), "1/3"), ("1/100", "1e-30")])
def test_the_noise_is_the_theorems_rounded_up(eps, delta):
    least = zsum_least_n(eps=eps, delta=delta)
    for n in (least, 10**9, 10**15):
        protocol = protocols.zsum_from_theorem(n, eps=eps, delta=delta)
        gamma = 1 - protocol.noise.p
        exact = zsum_gamma(n, eps=eps, delta=delta, relative_bits=120)
        assert exact <= gamma < exact.hi + Fraction(1, 2**53)
        assert float(gamma) == gamma <= Fraction(1, 2)
        assert protocol == protocols.zsum(n, gamma=gamma)
        assert protocol.privacy_profile().delta(eps=eps) <= Fraction(delta)


@pytest.mark.parametrize(
    ("n", "eps", "delta", "message"),
    [
        (0, 1, "1e-6", "The zsum theorem needs n >= 1, but n=0."),
        (1450, 1, "1e-6", "The zsum theorem needs n >= 100 ln(2/delta) / eps^2, but n=1450 and"),
        (2000, 0, "1e-6", "The zsum theorem needs 0 < eps <= 1, but eps=0."),
        (2000, "3/2", "1e-6", "The zsum theorem needs 0 < eps <= 1, but eps=3/2."),
        (2000, 1, 0, "The zsum theorem needs 0 < delta <= 1, but delta=0."),
        (2000, 1, 2, "The zsum theorem needs 0 < delta <= 1, but delta=2."),
    ],
)
def test_the_hypothesis_that_fails_is_named(n, eps, delta, message):
    with pytest.raises(HypothesisError) as error:
        protocols.zsum_from_theorem(n, eps=eps, delta=delta)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("arguments", [(2000, 0.5, "1e-6"), (2000, 1, 1e-6), ("many", 1, "1e-6"), (2000.0, 1, "1e-6")])
def test_other_arguments_are_refused(arguments):
    n, eps, delta = arguments
    with pytest.raises(ExactDPError):
        protocols.zsum_from_theorem(n, eps=eps, delta=delta)
