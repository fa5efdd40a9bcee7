"""The picture of flooding: what it shows, against floating-point sums over both counts."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exactdp.numbers.interval import Interval
from exactdp.report.figures.flooded_frequencies import FloodedFrequencies, flooded_frequencies, flooding_picture

D, EPS, DELTA = 10, Fraction(1), Fraction(1, 1000)


@pytest.fixture(scope="module")
def asked() -> FloodedFrequencies:
    return flooded_frequencies(D, eps=EPS, delta=DELTA, users=[100, 1000])


def poisson(mean: float, most: int) -> np.ndarray:
    law = np.empty(most)
    law[0] = np.exp(-mean)
    for k in range(1, most):
        law[k] = law[k - 1] * mean / k
    return law


def binomial(slots: int, chance: float) -> np.ndarray:
    law = np.empty(slots + 1)
    law[0] = (1 - chance) ** slots
    for k in range(1, slots + 1):
        law[k] = law[k - 1] * (slots - k + 1) / k * chance / (1 - chance)
    return law


def moved(law: np.ndarray) -> float:
    """delta of one message that moves between two independent counts of the same law, summed over both."""
    both = np.outer(law, law)
    padded = np.pad(both, 1)
    return float(np.maximum(padded[:-1, 1:] - np.exp(float(EPS)) * padded[1:, :-1], 0).sum())


def exceeded(law: np.ndarray, mean: float, error: float) -> float:
    return float(law[np.abs(np.arange(len(law)) - mean) > error + 1e-9].sum())


@pytest.mark.slow
def test_the_noise_of_flooding_is_the_least_and_its_error_too(asked: FloodedFrequencies) -> None:
    mean = float(asked.noise / D)
    assert moved(poisson(mean, 150)) <= float(DELTA) * (1 + 1e-9)
    assert moved(poisson(mean * 0.999999, 150)) > float(DELTA)
    law, error = poisson(mean, 150), float(asked.error)
    assert exceeded(law, mean, error) <= 0.05 < exceeded(law, mean, error - 1e-6)


@pytest.mark.slow
def test_neither_depends_on_the_number_of_users(asked: FloodedFrequencies) -> None:
    more = flooded_frequencies(D, eps=EPS, delta=DELTA, users=[5000])
    assert abs(float(more.noise / asked.noise) - 1) < 1e-8
    assert abs(float(more.error) - float(asked.error)) < 1e-6


def test_balls_into_bins_errs_as_its_dummies_say(asked: FloodedFrequencies) -> None:
    for n, row in zip(asked.users, asked.balls, strict=True):
        assert row.parameter is not None
        assert isinstance(row.error, Fraction)
        dummies = int(row.parameter[1])
        assert n * dummies >= 0.9 * asked.noise  # no whole number below the least noise is enough
        law, mean = binomial(n * dummies, 1 / D), n * dummies / D
        assert exceeded(law, mean, float(row.error)) <= 0.05 < exceeded(law, mean, float(row.error) - 0.01)
    assert asked.single == 1000


def test_the_caption_says_what_was_computed(asked: FloodedFrequencies) -> None:
    picture = flooding_picture(asked)
    assert picture.title.endswith("at n\u00a0=\u00a01000 a user adds 0.16 messages")
    assert 0.159 < asked.noise / 1000 <= 0.16
    balls = [row.error for row in asked.balls]
    assert f"1 and {balls[-1]} at n = 1000. At n = 1000 one is enough" in picture.caption
    assert picture.table.column("balls_error") == tuple(balls)
    assert "Mixed" not in picture.caption
    assert "nan" not in picture.svg()
    few = flooding_picture(replace(asked, users=asked.users[:1], balls=asked.balls[:1]))
    assert "one is enough" not in few.caption


@pytest.mark.slow
def test_mixed_dummies_err_more_at_the_lower_end() -> None:
    asked = flooded_frequencies(D, eps=EPS, delta=DELTA, users=[100], mixed=[100])
    mixed, picture = asked.mixed[100].error, flooding_picture(asked)
    assert isinstance(mixed, Interval)
    assert mixed.lo > asked.error
    assert picture.table.column("mixed_error") == (mixed,)
    assert "known between two ends, 10.1 and 15.7 at n = 100" in picture.caption
