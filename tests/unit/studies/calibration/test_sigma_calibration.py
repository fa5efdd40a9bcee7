"""The deviation of Gaussian messages, left open in a name."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactdp import ShuffleProtocol, calibrate
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.gaussian_family import gaussian
from exactdp.studies.calibration.free_family import free_family

NAME = "@gaussian:sigma=?,delta0=1e-12"


def test_an_open_sigma_is_noise_whose_larger_values_are_safe_too() -> None:
    known, users = free_family(NAME, 1000)
    assert users == 1000
    assert (known.family.parameter, known.family.domain) == ("sigma", (Fraction(1, 2), Fraction(1024)))
    assert known.family.monotone
    assert not known.family.weakens
    assert known.scope(Fraction(2), Fraction(1, 64)) == "and every larger value up to 1024"
    assert known.family.protocol(Fraction(3, 2), 1000).randomizer == gaussian(sigma="3/2", delta0="1e-12")
    assert known.tenth_more(Fraction(1)) is None


def test_an_open_sigma_may_stand_in_a_product() -> None:
    known, _ = free_family(f"@product:of=({NAME[1:]}; krr:inputs=3,eps0=1)", 1000)
    assert known.family.monotone
    assert known.family.protocol(Fraction(2), 1000).randomizer.number == gaussian(sigma=2, delta0="1e-12")


def test_sigma_and_eps0_are_not_open_at_once() -> None:
    with pytest.raises(InvalidValueError, match=r"one number, the same wherever it is left open: .* or sigma"):
        free_family(f"@product:of=({NAME[1:]}; krr:inputs=3,eps0=?)", 1000)


@pytest.mark.slow
def test_the_least_sigma_of_a_grid_is_safe_and_the_step_before_is_refuted() -> None:
    found = calibrate(NAME, n=10**4, exp_eps="26/25", delta="1e-6", grid="1/2", certificates=False)
    assert (found.parameter, found.open_at, found.fails_at) == (Fraction(3, 2), 1, 1)
    at = {value: gaussian(sigma=value, delta0="1e-12") for value in (found.parameter, found.fails_at)}
    ends = {
        value: ShuffleProtocol(one, 10**4).privacy_profile().bracket(exp_eps="26/25", relative_bits=10)
        for value, one in at.items()
    }
    assert ends[found.parameter].upper.hi < Fraction("1e-6") < ends[found.fails_at].lower.lo


@pytest.mark.slow
def test_the_usual_grid_is_a_share_of_sigma() -> None:
    """However near to the least one it lies: at the end of the domain there is nothing left to look for."""
    found = calibrate(NAME, n=10**4, eps=1, delta="1e-6", certificates=False)
    assert found.open_at is not None
    assert found.parameter / 2**11 < found.parameter - found.open_at <= found.parameter / 2**10
    least = calibrate(NAME, n=10**6, eps=1, delta="1e-6", certificates=False)
    assert (least.parameter, least.open_at) == (Fraction(1, 2), None)
