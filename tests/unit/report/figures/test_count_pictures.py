"""The pictures of almost central sums and of sample and threshold: what they show, against another arithmetic."""

from fractions import Fraction
from math import comb, exp

import pytest
from mpmath import mp, mpf

from exactdp.protocols import almost_central_sum, k_ary, sample_and_threshold
from exactdp.report.figures.almost_central_picture import (
    almost_central_error_picture,
    almost_central_point,
    almost_central_privacy_picture,
    curator_error,
)
from exactdp.report.figures.sampled_counts import equal_error_picture, threshold_deltas, threshold_picture
from exactdp.studies.calibration.equal_error import EqualError

EPS, DELTA = Fraction(1), Fraction(1, 10**6)


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1, 2)])
def test_the_messages_and_the_variance_are_those_of_the_shares(share: Fraction) -> None:
    point = almost_central_point(EPS, DELTA, share)
    part = mpf(share.numerator) / share.denominator
    p, first, second = mp.exp(part - 1), mp.exp(-part / 10), mp.exp(-part / 20)
    shape = 3 * (1 + mp.log(2 * 10**6))
    least = point.least.common[0][0]
    assert isinstance(least, Fraction)
    for shown, r in zip(point.messages, (shape, mpf(float(least))), strict=True):
        expected = 2 * (p / (1 - p) + r * (first / (1 - first) + second / (1 - second)))
        assert abs(float(shown) - expected) < 1e-9 * expected
    central = mp.exp(-1) / (1 - mp.exp(-1)) ** 2
    assert abs(float(point.variance) - p / (1 - p) ** 2 / central) < 1e-9


def test_the_least_shape_is_enough_and_a_little_less_is_not() -> None:
    point = almost_central_point(EPS, DELTA)
    r = point.least.common[0][0]
    assert isinstance(r, Fraction)
    less = almost_central_sum(7, bound=1, eps=EPS, delta=DELTA, r=r - Fraction(1, 10**6))
    enough = almost_central_sum(7, bound=1, eps=EPS, delta=DELTA, r=r)
    assert enough.privacy_profile().delta(eps=EPS) <= DELTA < less.privacy_profile().delta(eps=EPS)


def test_the_curator_errs_by_the_quantile_of_the_noise() -> None:
    for eps in (1.0, 0.5, 0.25):
        p, alpha = exp(-eps), int(float(curator_error(Fraction(eps), Fraction(1, 20))))
        outside = [2 * p ** (reach + 1) / (1 + p) for reach in (alpha, alpha - 1)]
        assert outside[0] <= 1 / 20 < outside[1]


def test_what_is_said_of_almost_central_sums_is_computed() -> None:
    picture = almost_central_privacy_picture(EPS, (4, 6))
    assert picture.title.endswith(" takes 18 to 22 times the noise messages that are enough")
    for promised, exact, theorem, least in picture.table.rows:
        assert exact < promised  # type: ignore[operator]
        assert theorem > least  # type: ignore[operator]
    error = almost_central_error_picture(EPS, DELTA, Fraction(1, 20), [Fraction(1, 10), Fraction(1, 2)])
    assert error.title == "1.26 times a curator’s variance, for 1260 noise messages of all users"
    assert error.table.column("alpha") == (3, 6)


def _released(holders: int, rate: Fraction, threshold: int) -> list[Fraction]:
    law = [comb(holders, t) * rate**t * (1 - rate) ** (holders - t) for t in range(holders + 1)]
    low = sum(law[:threshold], Fraction(0))
    return [low, *([Fraction(0)] * (threshold - 1)), *law[threshold:]]


@pytest.mark.parametrize("threshold", [1, 3])
def test_the_exact_delta_is_that_of_the_worst_number_of_holders(threshold: int) -> None:
    level, table = Fraction(2), threshold_deltas([threshold], alpha=Fraction(1, 4), exp_eps=Fraction(2))
    _, published, refined, exact = table.rows[0]
    worst = Fraction(0)
    for holders in range(12):
        pair = [_released(m, Fraction(1, 8), threshold) for m in (holders, holders + 1)]
        length = max(map(len, pair))
        few, more = ([*law, *([Fraction(0)] * (length - len(law)))] for law in pair)
        for one, other in ((few, more), (more, few)):
            worst = max(
                worst, sum((max(Fraction(0), p - level * q) for p, q in zip(one, other, strict=True)), Fraction(0))
            )
    assert exact == worst
    assert exact <= refined < published  # type: ignore[operator]


def test_the_least_thresholds_are_those_of_the_rows() -> None:
    picture = threshold_picture(DELTA, alpha=Fraction(1, 4), exp_eps=Fraction(2))
    least = [
        next(tau for tau, delta in zip(picture.table.column("threshold"), picture.table.column(name), strict=True)
             if delta <= DELTA)  # type: ignore[operator]
        for name in ("published", "refined", "exact")
    ]  # fmt: skip
    assert f"the refined bound needs {least[1]}" in picture.caption
    assert picture.title == f"For δ = 10⁻⁶ the published threshold is {least[0]}; {least[2]} is enough"


@pytest.mark.parametrize(("gamma", "count"), [("1/16", "1 of 4"), ("7/8", "4 of 4")])
def test_the_picture_says_where_randomized_response_gives_away_less(gamma: str, count: str) -> None:
    protocols = k_ary(10, 2, gamma=gamma), sample_and_threshold(10, rate="1/4", threshold=2)
    both = EqualError(Fraction(5), Fraction(1, 10), *protocols)
    picture = equal_error_picture(both, [Fraction(1), Fraction(3, 2), Fraction(2)])
    rows = [tuple(map(float, row)) for row in picture.table.rows]  # type: ignore[arg-type]
    assert sum(response < sampled for _, response, sampled in rows) == int(count[0])
    assert (f"less at {count} values" in picture.title) == (count[0] != count[-1])
    pure = 2 / Fraction(gamma) - 1
    assert all((response == 0) == (level >= pure) for level, response, _ in rows)
    assert all(sampled >= 1 / 16 for *_, sampled in rows)
