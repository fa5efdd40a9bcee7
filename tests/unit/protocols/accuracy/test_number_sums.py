"""Errors of sums of numbers: normal and binomial quantiles, draws, integrals of densities."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom, laplace, norm

from exactdp import ShuffleProtocol, optimal_accuracy, randomizers
from exactdp.errors import InvalidValueError
from exactdp.protocols.accuracy.number_sums import NumberSum
from exactdp.randomizers import DuchiRandomizer

RNG = np.random.default_rng
KINDS: list[Callable[..., Any]] = [randomizers.piecewise, randomizers.hybrid, DuchiRandomizer]


def drawn(family: Any, x: float, size: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Messages by the definition of each randomizer, less the input."""
    top = float(family.exp_eps0)
    s = float(family.root) if hasattr(family, "root") else top**0.5
    ends = np.where(rng.random(size) < 0.5 + x * (top - 1) / (top + 1) / 2, 1, -1) * (top + 1) / (top - 1)
    if family.name == "duchi":
        return ends - x
    c = (s + 1) / (s - 1)
    left = ((c + 1) * x - (c - 1)) / 2
    inside = left + (c - 1) * rng.random(size)
    outside = -c + (c + 1) * rng.random(size)
    outside = np.where(outside > left, outside + c - 1, outside)
    windows = np.where(rng.random(size) < s / (s + 1), inside, outside)
    if family.name == "piecewise":
        return windows - x
    return np.where(rng.random(size) < float(family.alpha), windows, ends) - x


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("exp_eps0", [2, 25])
def test_sizes_are_those_of_draws(kind: Callable[..., Any], exp_eps0: int) -> None:
    family, rng = kind(exp_eps0=exp_eps0), RNG(exp_eps0)
    sizes = family.estimate_sizes
    largest = 0.0
    for x in (-1.0, 0.0, 0.5, 1.0):
        one = drawn(family, x, (400_000,), rng)
        square = (one**2).mean()
        assert abs(one.mean()) < 6 * (square / one.size) ** 0.5
        assert square < float(sizes.high) * 1.02
        assert (abs(one) ** 3).mean() / square < float(sizes.skew) * 1.02
        assert abs(one).max() <= float(sizes.most) + 1e-12
        largest = max(largest, square)
    assert largest > float(sizes.low) * 0.98


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("users", [20, 3000])
def test_drawn_sums_err_as_enclosed(kind: Callable[..., Any], users: int) -> None:
    family, rng, times = kind(exp_eps0=4), RNG(users), 4000
    error = NumberSum(family, users).error(beta="1/20")
    worst = 1.0 if family.name == "piecewise" else 0.0
    for x in (-1.0, 0.0, 0.3, 1.0):
        sums = sum(drawn(family, x, (times, users // 20), rng).sum(axis=1) for _ in range(20))
        quantile = np.quantile(abs(sums), [0.93, 0.97])
        assert quantile[0] <= float(error.hi)
        assert quantile[1] >= float(error.lo) or x != worst


def test_laplace_and_gaussian_sums() -> None:
    rng = RNG(5)
    scale = 1 / np.log(4)
    sums = laplace.rvs(scale=scale, size=(20_000, 200), random_state=rng).sum(axis=1)
    error = NumberSum(randomizers.laplace(exp_eps0=4), 200).error(beta="1/20", length=10)
    assert float(error.lo) <= 10 * np.quantile(abs(sums), 0.955)
    assert 10 * np.quantile(abs(sums), 0.945) <= float(error.hi)
    for beta in (0.9, 0.05, 1e-6, 1e-300):
        error = NumberSum(randomizers.gaussian(sigma=2, delta0="1e-9"), 300).error(beta=str(beta))
        assert float(error.lo) == pytest.approx(2 * 300**0.5 * norm.isf(beta / 2), rel=1e-7)
        assert error.hi / error.lo - 1 < Fraction(1, 2**20)


@given(st.integers(1, 2000), st.fractions(Fraction(5, 4), 100, max_denominator=8), st.fractions("1/50", "1/2"))
@settings(max_examples=60, deadline=None)
def test_the_error_of_duchis_at_0_is_binomial(users: int, exp_eps0: Fraction, beta: Fraction) -> None:
    error = NumberSum(DuchiRandomizer(exp_eps0=exp_eps0), users).error(beta=beta)
    size = float((exp_eps0 + 1) / (exp_eps0 - 1))
    quantile = 2 * binom.isf(float(beta) / 2, users, 0.5) - users
    assert float(error.lo) <= size * max(quantile, 0) * (1 + 1e-9) + size
    assert float(error.hi) >= size * (quantile - 2)


@pytest.mark.parametrize("exp_eps0", ["3/2", 4, 100])
def test_the_third_moment_of_a_staircase_is_an_integral(exp_eps0: Any) -> None:
    family = randomizers.staircase(exp_eps0=exp_eps0)
    b, g = float(family.root) ** -2, float(family.gamma)
    ends = [0.0, *(g + k for k in range(400))]
    density = [(1 - b) / (2 * (g + b * (1 - g))) * b**k for k in range(400)]
    moments = [
        2
        * sum(
            a * quad(lambda y, k=k: y**k, low, high)[0] for a, low, high in zip(density, ends, ends[1:], strict=False)
        )
        for k in (2, 3)
    ]
    assert float(family.estimate_sizes.high) == pytest.approx(moments[0], rel=1e-9)
    assert float(family.estimate_sizes.skew) == pytest.approx(moments[1] / moments[0], rel=1e-9)


def test_the_moments_of_laplace_noise_are_those_of_bernsteins_inequality() -> None:
    sizes = randomizers.laplace(exp_eps0=4).estimate_sizes
    assert sizes is not None
    assert sizes.most is not None
    for k in range(3, 9):
        moment = laplace.expect(lambda y, k=k: abs(y) ** k, scale=1 / np.log(4))
        assert moment <= float(np.prod(range(3, k + 1)) * (sizes.most / 3) ** (k - 2) * sizes.high) * (1 + 1e-6)


def test_a_larger_variance_or_skew_is_seen() -> None:
    """Ends would be wrong: the lower one above a quantile of draws, or the upper one below."""
    family, users = randomizers.gaussian(sigma=1, delta0="1e-9"), 100
    true = 10 * norm.isf(0.025)
    for wrong in (
        randomizers.gaussian(sigma="11/10", delta0="1e-9"),
        randomizers.gaussian(sigma="9/10", delta0="1e-9"),
    ):
        error = NumberSum(wrong, users).error(beta="1/20")
        assert not float(error.lo) - 1e-6 <= true <= float(error.hi) + 1e-6
    assert NumberSum(family, users).worst_variance() == 100


@pytest.mark.parametrize(
    "family", [randomizers.randomized_response(2, exp_eps0=2), randomizers.KAryResponse(3, exp_eps0=2)]
)
def test_what_is_no_randomizer_of_a_number_is_refused(family: Any) -> None:
    with pytest.raises(InvalidValueError, match=r"is no randomizer of a number\. Pass one of laplace"):
        NumberSum(family, 3)
    one = NumberSum(randomizers.piecewise(exp_eps0=4), 3)
    for options in ({"beta": 0}, {"beta": "1/2", "length": 0}):
        with pytest.raises(InvalidValueError, match="is not"):
            one.error(**options)


def test_duchis_of_an_irrational_eps0_lies_between_others_and_of_none_says_nothing() -> None:
    errors = [NumberSum(DuchiRandomizer(exp_eps0=e), 10**4).error(beta="1/20") for e in ("2.7182", "exp(1)", "2.7183")]
    assert errors[2].lo < errors[1].lo < errors[0].lo
    assert errors[2].hi < errors[1].hi < errors[0].hi
    protocol = ShuffleProtocol(randomizers.piecewise(exp_eps0="exp(1)"), 10**4)
    assert optimal_accuracy(protocol, beta="1/20") == NumberSum(protocol.randomizer, 10**4).error(beta="1/20")
    with pytest.raises(InvalidValueError, match="is no randomizer of a number"):
        NumberSum(DuchiRandomizer(exp_eps0=1), 10**4)
