"""The smoothness picture: ratios, masses and G against the definition, term by term."""

from fractions import Fraction
from math import comb

import pytest

from exactdp.errors import HypothesisError, TooLargeError
from exactdp.report.figures.likelihood_ratios import smoothness_event, smoothness_picture

CASES = pytest.mark.parametrize(
    ("n", "gamma", "alpha", "k"), [(60, "1/3", "1/2", 1), (60, "1/3", "1/2", 5), (40, "1/2", "9/10", 3)]
)


def _mass(n: int, gamma: Fraction, y: int) -> Fraction:
    return comb(n, y) * gamma**y * (1 - gamma) ** (n - y) if 0 <= y <= n else Fraction(0)


@CASES
def test_the_data_is_the_definition(n: int, gamma: str, alpha: str, k: int) -> None:
    event = smoothness_event(n, gamma=gamma, alpha=alpha, k=k)
    p, half = Fraction(gamma), Fraction(alpha)
    mu = n * p
    assert event.good == ((1 - half) * mu + k, (1 + half) * mu - k)
    assert event.eps.argument == (1 + half) / (1 - half)
    for y, up, down, mass in event.outcomes:
        assert _mass(n, p, y) in mass
        for ratio, other in ((up, y + k), (down, y - k)):
            below = _mass(n, p, other)
            assert ratio == (_mass(n, p, y) / below if below else None)
    shown = [row[0] for row in event.outcomes]
    assert shown == list(range(shown[0], shown[-1] + 1))
    assert max(0, event.good[0] - 1) >= shown[0]
    assert event.good[1] <= shown[-1]


@CASES
def test_lemma_three_is_seen(n: int, gamma: str, alpha: str, k: int) -> None:
    event = smoothness_event(n, gamma=gamma, alpha=alpha, k=k)
    level, p = event.eps.argument**k, Fraction(gamma)
    for y, up, down, _ in event.outcomes:
        if event.is_good(y):
            assert up is not None
            assert down is not None
            assert max(up, down) < level
    outside = sum(_mass(n, p, y) for y in range(n + 1) if not event.is_good(y))
    assert outside in event.outside
    assert event.outside.hi <= event.lemma.lo
    assert event.exact.lo <= event.outside.hi
    bad = {
        sign: sum(
            _mass(n, p, y) for y in range(n + 1) if _mass(n, p, y) >= level * _mass(n, p, y + sign * k)
        )
        for sign in (-1, 1)
    }  # fmt: skip
    assert max(bad.values()) in event.exact


def test_outside_g_some_ratio_reaches_the_level() -> None:
    event = smoothness_event(60, gamma="1/3", alpha="1/2", k=1)
    level = event.eps.argument
    assert any((up is None or up >= level) or (down is None or down >= level) for _, up, down, _ in event.outcomes)


def test_the_picture_and_its_table() -> None:
    event = smoothness_event(60, gamma="1/3", alpha="1/2", k=5)
    picture = smoothness_picture(event)
    assert "5ε = " in picture.svg()
    assert "D(y)/D(y+5)" in picture.svg()
    table = picture.table
    assert [flag == "yes" for flag in table.column("in_good_set")] == [event.is_good(row[0]) for row in event.outcomes]
    assert dict(table.about) == {"n": "60", "gamma": "1/3", "alpha": "1/2", "k": "5", "exp_eps": "3"}


def test_what_is_refused() -> None:
    with pytest.raises(HypothesisError, match="k <= alpha gamma n / 2"):
        smoothness_event(10, gamma="1/2", alpha="1/2", k=2)
    with pytest.raises(TooLargeError, match="more than the limit of 2000"):
        smoothness_event(10**6, gamma="1/2", alpha="1/2", k=2)
