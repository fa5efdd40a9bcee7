"""Privacy curves: the bands contain delta, refuted bounds are seen, and no delta is too small to draw."""

from fractions import Fraction
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.interval import Interval
from exactdp.report.figures.data import log10_ends
from exactdp.report.figures.privacy_curve import eps_grid, privacy_curve, privacy_curve_picture
from tests.expensive import one_in

N, GAMMA = 12, Fraction(1, 3)
PROFILE = protocols.zsum(N, gamma=GAMMA).privacy_profile()
CURVE = privacy_curve(PROFILE, subject="zsum", eps=eps_grid(3, 15))


def _delta(eps: mpf) -> mpf:
    """The hockey-stick divergence of Bin(n, gamma) and its shift by one, term by term, the larger of both orders."""
    gamma = mpf(GAMMA.numerator) / GAMMA.denominator
    weights = [mp.binomial(N, t) * gamma**t * (1 - gamma) ** (N - t) for t in range(N + 1)]
    first, second = [*weights, mpf(0)], [mpf(0), *weights]
    ratio = mp.exp(eps)
    return max(
        sum(max(mpf(0), p - ratio * q) for p, q in zip(a, b, strict=True))
        for a, b in ((first, second), (second, first))
    )


@one_in(2)
@given(st.fractions(0, 3, max_denominator=500))
def test_the_bands_contain_delta(eps: Fraction) -> None:
    _, _, (low, high) = next(band for band in CURVE.bands() if band[0] <= eps <= band[1])
    with mp.workdps(40):
        exact = mp.log10(_delta(mpf(eps.numerator) / eps.denominator))
        assert mpf(low) <= exact <= mpf(high)


def test_the_points_are_delta_and_fall() -> None:
    with mp.workdps(40):
        for eps, value in zip(CURVE.eps, CURVE.exact, strict=True):
            exact = _delta(mpf(eps.numerator) / eps.denominator)
            assert abs(mpf(value.hi.numerator) / value.hi.denominator - exact) < exact * mpf(10) ** -14
    assert all(a.hi >= b.lo for a, b in zip(CURVE.exact, CURVE.exact[1:], strict=False))
    assert len(CURVE.bands()) == len(CURVE.eps) - 1


def test_a_bound_below_delta_is_refuted_and_one_above_is_not() -> None:
    def half(eps: Fraction) -> Interval:
        value = PROFILE.delta(eps=eps)
        return Interval.between(value.lo / 2, value.hi / 2, bits=53)

    def double(eps: Fraction) -> Fraction:
        return 2 * PROFILE.delta(eps=eps).hi

    def late(eps: Fraction) -> Fraction:
        if eps < 2:
            raise HypothesisError("it is for eps >= 2")
        return Fraction(0)

    curve = privacy_curve(PROFILE, subject="zsum", eps=eps_grid(3, 6), bounds={"2": double, "half": half, "late": late})
    assert curve.refuted() == {"2": (), "half": curve.eps, "late": curve.eps[4:]}
    assert dict(curve.bounds)["late"][:4] == (None,) * 4
    factor = curve.largest_factor("2")
    assert factor is not None
    assert abs(factor - 2) < Fraction(1, 10**12)
    picture = privacy_curve_picture(curve)
    assert picture.title == "Refuted: the half bound falls below the exact δ"
    assert "at 7 points the exact δ is above the half" in picture.caption
    assert "refuted" in picture.svg()
    sound = privacy_curve(PROFILE, subject="zsum", eps=eps_grid(3, 6), bounds={"2": double})
    assert "refuted" not in privacy_curve_picture(sound).svg().lower()


@pytest.mark.slow
def test_a_delta_below_every_float_is_drawn(tmp_path: Path) -> None:
    curve = privacy_curve(
        xdp.shift_profile(xdp.Binomial(10**9, "1/2")), subject="a count", eps=eps_grid("1/10", 4),
        bounds={"one": lambda eps: Fraction(1)},
    )  # fmt: skip
    assert log10_ends(curve.exact[-1])[1] < -100_000
    assert all(-inf < low <= high for _, _, (low, high) in curve.bands())
    text = privacy_curve_picture(curve).svg()
    assert "10⁻²⁰⁰⁰⁰⁰" in text
    assert "nan" not in text
    privacy_curve_picture(curve).draw(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_delta_zero_is_said() -> None:
    curve = privacy_curve(protocols.gap(2).privacy_profile(), subject="R^gap", eps=eps_grid(2, 8))
    first = next(eps for eps, value in zip(curve.eps, curve.exact, strict=True) if not value.hi)
    assert first == 1  # the least eps is ln(5/2) = 0.916
    text = privacy_curve_picture(curve).svg()
    assert "at ε ≥ 1<" in text
    assert "nan" not in text
    assert log10_ends(curve.exact[-1]) == (-inf, -inf)


def test_a_protocol_without_any_leak_is_drawn() -> None:
    curve = privacy_curve(protocols.complement(3).privacy_profile(), subject="(x, 1-x)", eps=eps_grid(1, 2))
    assert all(value.hi == 0 for value in curve.exact)
    assert "nan" not in privacy_curve_picture(curve).svg()


def test_several_runs_together_have_a_curve() -> None:
    curve = privacy_curve(PROFILE.compose(2), subject="zsum twice", eps=["1/2", 1])
    one = privacy_curve(PROFILE, subject="zsum", eps=["1/2", 1])
    assert all(two.hi >= single.lo for two, single in zip(curve.exact, one.exact, strict=True))


@pytest.mark.parametrize(
    ("eps", "said"),
    [
        ([1], "one value, eps=1"),
        ([1, 1], "eps=1 comes after eps=1"),
        ([-1, 1], "eps=-1 is below 0"),
        ([2, 1], "sorted, each once"),
    ],
)
def test_bad_grids_are_refused(eps: list[int], said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        privacy_curve(PROFILE, subject="zsum", eps=eps)


def test_too_many_bounds_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="more than the 4 of a figure"):
        privacy_curve(PROFILE, subject="zsum", eps=[0, 1], bounds={str(k): Fraction for k in range(5)})


def test_the_table_is_the_curve() -> None:
    assert CURVE.table().column("eps") == CURVE.eps
    assert CURVE.table().column("delta") == CURVE.exact
