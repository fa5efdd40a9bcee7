"""The survey's plot: each model's error against a formula or a simulation-free check of its own."""

from fractions import Fraction
from math import exp, log, sqrt

import pytest
from scipy.stats import binom

from exactdp.errors import InvalidValueError
from exactdp.numbers.interval import Interval
from exactdp.report.figures.survey_plot import MODELS, SurveyPlot, survey_picture, survey_plot

EPS, DELTA, BETA = Fraction(1, 2), Fraction(1, 10**6), Fraction(1, 20)
USERS = (1000, 10**5, 10**7)
PLOT: SurveyPlot = survey_plot(USERS, eps=EPS, delta=DELTA, beta=BETA)
ALPHAS = dict(PLOT.alphas)


def _ends(value: object) -> tuple[float, float]:
    if isinstance(value, Interval):
        return float(value.lo), float(value.hi)
    assert isinstance(value, Fraction)
    return float(value), float(value)


def test_central_noise() -> None:
    ratio = exp(-0.5)
    for n, alpha in zip(USERS, ALPHAS["central"], strict=True):
        low, _ = _ends(alpha)
        reach = round(low * n)
        tail = 2 * ratio ** (reach + 1) / (1 + ratio)
        assert abs(low * n - reach) < 1e-9
        assert tail <= 0.05 < tail / ratio


@pytest.mark.parametrize("model", ["local", "single-message shuffle"])
def test_randomized_response_is_near_its_normal_limit(model: str) -> None:
    for n, alpha in zip(USERS, ALPHAS[model], strict=True):
        if alpha is None:
            continue
        flip = 1 / (exp(0.5) + 1) if model == "local" else 64 * log(4e6) / 0.25 / n / 2
        normal = 1.959964 * sqrt(flip * (1 - flip) / n) / (1 - 2 * flip)
        low, high = _ends(alpha)
        assert 0.95 * normal < low <= high < 1.35 * normal


def test_zsum_is_a_quantile_below_the_theorems_bound() -> None:
    mu = 50 * log(2e6) / 0.25
    for n, alpha, published in zip(USERS[1:], ALPHAS["zsum, optimal"][1:], ALPHAS["zsum, theorem"][1:], strict=True):
        low, high = _ends(alpha)
        t = round(low * n)
        assert low == high
        assert binom.sf(t, n, mu / n) <= 0.05 < binom.sf(t - 1, n, mu / n)
        assert _ends(published)[0] == pytest.approx(mu / n * (1 + 0.5 * (1 + sqrt(17)) / 4))
        assert high < _ends(published)[0]


def test_a_theorem_without_enough_users_says_nothing() -> None:
    assert [ALPHAS[model][0] is None for model in MODELS] == [False, True, True, True, False]


def test_slopes_are_the_rates() -> None:
    assert PLOT.slope("local") == pytest.approx(-0.5, abs=0.01)
    for model in ("zsum, theorem", "zsum, optimal", "central"):
        assert PLOT.slope(model) == pytest.approx(-1, abs=0.01)
    assert PLOT.slope("single-message shuffle") == pytest.approx(-1, abs=0.02)


def test_the_picture_says_where_zsum_begins_to_win() -> None:
    picture = survey_picture(PLOT)
    assert picture.title.endswith("zsum beats local at n = 10⁷")
    assert picture.table.column("n") == USERS
    assert "nan" not in picture.svg()
    early = survey_picture(survey_plot(USERS[:2], eps=EPS, delta=DELTA, beta=BETA))
    assert early.title == "A shuffle restores the central rate, 1/n"


def test_what_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="does not rise"):
        survey_plot([10, 10], eps=EPS, delta=DELTA, beta=BETA)
