"""Why zsum's theorem says 5: the plot of alpha - eps/sqrt(s) for s = 4 and s = 5, alpha = tanh(eps/2).

The theorem needs alpha >= eps/sqrt(s) on (0, 1]. Both terms rise with eps, so between two neighbouring points a < b of
the grid the difference lies between tanh(a/2) - b/sqrt(s) and tanh(b/2) - a/sqrt(s): these are the bands, with the ends
enclosed and rounded outward. That the one for s = 4 falls below 0, and that no value for s = 5 does, are rows of the
ledger (zsum-sqrt4, zsum-sqrt5); the picture shows where.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Final

from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import Real
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.scale import float_ends, number_words
from exactdp.report.figures.style import LIGHT, Picture, Theme, key_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_BITS: Final = 64
"""Relative accuracy of tanh, far below what a pixel shows."""
_SCALE: Final = 2**_BITS
"""The square root is rounded to a multiple of 1 over this."""
_ROOTS: Final = (5, 4)
"""The published constant, and the next smaller integer."""


def alpha_bands(s: int, cells: int) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return (eps, low, high): for all eps' from eps - 1/cells to eps, alpha - eps'/sqrt(s) is in [low, high].

    >>> [(str(eps), low < 0 < high) for eps, low, high in alpha_bands(5, 2)]
    [('1/2', True), ('1', True)]
    """
    grid = [Fraction(i, cells) for i in range(cells + 1)]
    alphas = [_alpha(eps) for eps in grid]
    root = Fraction(isqrt(s * _SCALE**2), _SCALE)
    above = root if root**2 == s else root + Fraction(1, _SCALE)
    return [
        (right, low[0] - right / root, high[1] - left / above)
        for left, right, low, high in zip(grid, grid[1:], alphas, alphas[1:], strict=False)
    ]


def _alpha(eps: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of tanh(eps/2) = 1 - 2/(e^eps + 1)."""
    if eps == 0:
        return Fraction(0), Fraction(0)
    exp_eps = enclose_real(Real.exp(eps), relative_bits=_BITS)
    return 1 - 2 / (exp_eps.lo + 1), 1 - 2 / (exp_eps.hi + 1)


def alpha_picture(*, cells: int = 500) -> Picture:
    """Return the picture of both bands."""
    bands = {s: alpha_bands(s, cells) for s in _ROOTS}
    ends = {s: (low + high) / 2 for s, band in bands.items() for _, low, high in band[-1:]}
    rows = tuple((s, eps - Fraction(1, cells), eps, low, high) for s, band in bands.items() for eps, low, high in band)
    return Picture(
        "alpha",
        "zsum's constant: 5 is the least integer that works, 4 fails",
        "The difference α − ε/√s, α = tanh(ε/2), against ε from 0 to 1, as bands that provably contain it. For s = 5 "
        f"it rises and falls again, and ends near {number_words(ends[5])}. For s = 4 it falls from the start, to about "
        f"−{number_words(-ends[4])}.",
        2.7,
        DataTable(("s", "eps_from", "eps_to", "low", "high"), rows),
        lambda figure, theme: _paint(figure, theme, bands),
    )


def draw_alpha(path: str | Path, *, cells: int = 500, theme: Theme = LIGHT) -> None:
    """Draw both bands into an SVG or PNG file; the same picture, byte for byte, every time."""
    alpha_picture(cells=cells).draw(path, theme=theme)


def _paint(figure: Figure, theme: Theme, bands: dict[int, list[tuple[Fraction, Fraction, Fraction]]]) -> None:
    axes = figure.add_subplot()
    axes.set(xlim=(0, 1), xlabel="ε", ylabel="α − ε/√s")
    axes.axhline(0, color=theme.ink, linewidth=0.9)
    for (s, band), series in zip(bands.items(), theme.series, strict=False):
        axes.fill_between(
            [0.0, *(float(eps) for eps, _, _ in band)],
            [float_ends(band[0][1])[0], *(float_ends(low)[0] for _, low, _ in band)],
            [float_ends(band[0][2])[1], *(float_ends(high)[1] for _, _, high in band)],
            step="pre",
            facecolor=series.color,
            edgecolor=series.color,
            hatch=series.hatch,
            linewidth=0.6,
            label=f"s = {s}: {'never below 0' if band[-1][1] > 0 else 'below 0'}",
        )
    key_of(axes)
