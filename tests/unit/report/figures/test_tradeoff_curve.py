"""Trade-off pictures: the promised corners solve their equations, and exact polygons are those of all tests."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from exactdp import protocols
from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.privacy.hypotheses import PrivacyBound
from exactdp.report.figures.privacy_curve import promised_corners, tradeoff_curves, tradeoff_picture
from tests.expensive import one_in

deltas = st.fractions(0, "99/100", max_denominator=1000)


@one_in(2)
@given(st.fractions(1, 50, max_denominator=100), deltas)
def test_corners_of_a_rational_promise(ratio: Fraction, delta: Fraction) -> None:
    (_, top), (x, y), (right, bottom) = promised_corners(PrivacyBound(LogRational(ratio), delta))
    assert x == y
    assert x == 1 - delta - ratio * x
    assert (top, right, bottom) == (1 - delta, 1 - delta, 0)


@one_in(2)
@given(st.fractions("1/100", 5, max_denominator=100), deltas)
def test_corners_of_an_irrational_promise(eps: Fraction, delta: Fraction) -> None:
    corner = promised_corners(PrivacyBound(eps, delta))[1][0]
    assert isinstance(corner, Interval)
    with mp.workdps(40):
        exact = (1 - mpf(delta.numerator) / delta.denominator) / (1 + mp.exp(mpf(eps.numerator) / eps.denominator))
        low, high = (mpf(end.numerator) / end.denominator for end in (corner.lo, corner.hi))
        assert low <= exact <= high
        assert high - low < exact * mpf(10) ** -13


def _all_tests(n: int) -> list[tuple[Fraction, Fraction]]:
    """(type I, type II) of every deterministic test between neighbouring data sets of R^gap, in both orders."""
    found = []
    protocol = protocols.gap(n)
    laws = [protocol.law({0: n - k, 1: k}) for k in range(n + 1)]
    for k in range(n):
        for first, second in ((laws[k], laws[k + 1]), (laws[k + 1], laws[k])):
            support = sorted(set(first) | set(second))
            for chosen in product((False, True), repeat=len(support)):
                event = [outcome for outcome, taken in zip(support, chosen, strict=True) if taken]
                found.append((sum(map(second.prob, event), Fraction(0)), 1 - sum(map(first.prob, event), Fraction(0))))
    return found


@pytest.mark.parametrize("n", [1, 2])
def test_the_polygon_is_the_hull_of_all_tests(n: int) -> None:
    function = tradeoff_curves(
        {"gap": protocols.gap(n).privacy_profile().tradeoff()}, {}, subject="R^gap"
    ).exact[0][1]  # fmt: skip
    errors = _all_tests(n)
    assert all(function(one) <= two for one, two in errors)
    reached = set(errors) | {(two, one) for one, two in errors}
    assert set(function.vertices) <= reached


def test_a_promise_that_holds_is_never_above() -> None:
    profile = protocols.gap(3).privacy_profile()
    function = profile.tradeoff()
    delta = profile.exact_delta(exp_eps="3/2")
    (_, top), (x, y), _ = promised_corners(PrivacyBound(LogRational("3/2"), delta))
    assert function(0) >= top
    assert function(x) >= y
    tight = promised_corners(PrivacyBound(LogRational("3/2"), delta * Fraction(99, 100)))
    promised = tight[1][0]
    assert any(b < max(1 - delta * Fraction(99, 100) - Fraction(3, 2) * a, Fraction(0)) for a, b in function.vertices)
    assert isinstance(promised, Fraction)


def test_the_picture_names_its_curves() -> None:
    curves = tradeoff_curves(
        {f"n = {n}": protocols.gap(n).privacy_profile().tradeoff() for n in (1, 2, 3)},
        {"promise": PrivacyBound(LogRational(2), Fraction(1, 10))},
        subject="R^gap",
    )
    picture = tradeoff_picture(curves, title="More users, less to see")
    text = picture.svg()
    assert all(f">{name}<" in text for name in ("n = 1", "n = 2", "n = 3", "promise"))
    assert "Both errors are equal at 0" in picture.caption
    kinds = curves.table().column("kind")
    assert kinds.count("promise") == 3
    assert kinds.count("exact") == sum(len(function.vertices) for _, function in curves.exact)


def test_bad_promises_and_counts_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="eps is infinite"):
        promised_corners(PrivacyBound(LogRational(None), Fraction(0)))
    with pytest.raises(InvalidValueError, match="Pass its upper end"):
        promised_corners(PrivacyBound(Fraction(1), Interval.around(Fraction(1, 3), relative_bits=9)))
    with pytest.raises(InvalidValueError, match="Pass one to 3"):
        tradeoff_curves({}, {}, subject="nothing")
