"""The picture of flooding: what it shows, against floating-point sums over both counts."""

from fractions import Fraction

import numpy as np
import pytest

from exactdp.numbers.interval import Interval
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.flooded_frequencies import flooded_frequencies, flooding_picture

D, EPS, DELTA = 10, Fraction(1), Fraction(1, 1000)


@pytest.fixture(scope="module")
def asked() -> DataTable:
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


def _only(asked: DataTable, name: str) -> float:
    (value,) = set(asked.column(name))
    return float(value)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_noise_of_flooding_is_the_least_and_its_error_too(asked: DataTable) -> None:
    mean = 100 * float(asked.rows[0][2]) / D  # type: ignore[arg-type]
    assert moved(poisson(mean, 150)) <= float(DELTA) * (1 + 1e-9)
    assert moved(poisson(mean * 0.999999, 150)) > float(DELTA)
    law, error = poisson(mean, 150), _only(asked, "flooding_error")
    assert exceeded(law, mean, error) <= 0.05 < exceeded(law, mean, error - 1e-6)


@pytest.mark.slow
def test_neither_depends_on_the_number_of_users(asked: DataTable) -> None:
    more = flooded_frequencies(D, eps=EPS, delta=DELTA, users=[5000])
    noise, other = (float(n * sent) for n, _, sent, *_ in (asked.rows[0], more.rows[0]))  # type: ignore[operator]
    assert abs(other / noise - 1) < 1e-8
    assert abs(_only(more, "flooding_error") - _only(asked, "flooding_error")) < 1e-6


def test_balls_into_bins_errs_as_its_dummies_say(asked: DataTable) -> None:
    for n, _, sent, error, dummies, _ in asked.rows:
        assert isinstance(n, int)
        assert isinstance(dummies, int)
        assert isinstance(error, Fraction)
        assert dummies >= 0.9 * sent  # type: ignore[operator]  # no whole number below the least noise is enough
        law, mean = binomial(n * dummies, 1 / D), n * dummies / D
        assert exceeded(law, mean, float(error)) <= 0.05 < exceeded(law, mean, float(error) - 0.01)
    assert asked.column("balls_messages") == (2, 1)


def test_the_picture_says_what_was_computed(asked: DataTable) -> None:
    picture = flooding_picture(asked)
    assert picture.title.endswith("at n\u00a0=\u00a01000 a user adds 0.16 messages")
    assert 0.159 < float(asked.rows[1][2]) <= 0.16  # type: ignore[arg-type]
    assert picture.table is asked
    svg = picture.svg()
    assert "nan" not in svg
    assert "balls into bins" in svg


@pytest.mark.slow
def test_mixed_dummies_err_more_at_the_lower_end() -> None:
    (row,) = flooded_frequencies(D, eps=EPS, delta=DELTA, users=[100], mixed=[100]).rows
    _, error, *_, mixed = row
    assert isinstance(mixed, Interval)
    assert mixed.lo > error  # type: ignore[operator]
    assert (round(float(mixed.lo), 1), round(float(mixed.hi), 1)) == (10.1, 15.7)
