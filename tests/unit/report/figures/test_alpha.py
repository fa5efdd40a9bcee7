"""The plot of alpha - eps/sqrt(s): its bands contain the curve, and the picture is the same every time."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from exactdp.report.figures.calibration_curves import alpha_bands, draw_alpha
from tests.expensive import one_in


@one_in(2)
@given(st.sampled_from([2, 4, 5, 9]), st.integers(1, 12), st.fractions(0, 1, max_denominator=997))
def test_the_bands_contain_the_curve(s: int, cells: int, x: Fraction) -> None:
    bands = alpha_bands(s, cells)
    assert [eps for eps, _, _ in bands] == [Fraction(i, cells) for i in range(1, cells + 1)]
    _, low, high = next(band for band in bands if x <= band[0])
    with mp.workdps(50):
        exact = mp.tanh(mpf(x.numerator) / x.denominator / 2) - mpf(x.numerator) / x.denominator / mp.sqrt(s)
        assert mpf(low.numerator) / low.denominator <= exact <= mpf(high.numerator) / high.denominator
    assert high - low < Fraction(2, cells)


def test_four_falls_below_zero_and_five_does_not() -> None:
    assert alpha_bands(4, 100)[-1][2] < 0
    assert all(low > 0 for eps, low, _ in alpha_bands(5, 100) if eps > Fraction(1, 3))


@pytest.mark.parametrize("name", ["alpha.svg", "alpha.png"])
def test_the_picture_is_reproducible(name: str, tmp_path: Path) -> None:
    first, second = tmp_path / name, tmp_path / f"again_{name}"
    for path in (first, second):
        draw_alpha(path, cells=40)
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) > 5000
