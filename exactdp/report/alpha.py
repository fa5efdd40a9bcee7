"""Why zsum's theorem says 5: the plot of alpha - eps/sqrt(s) for s = 4 and s = 5, alpha = tanh(eps/2).

The theorem needs alpha >= eps/sqrt(s) on (0, 1]. Both terms rise with eps, so between two neighbouring points a < b of
the grid the difference lies between tanh(a/2) - b/sqrt(s) and tanh(b/2) - a/sqrt(s): these are the bands, with the ends
enclosed and rounded outward. That the one for s = 4 falls below 0, and that no value for s = 5 does, are rows of the
ledger (zsum-sqrt4, zsum-sqrt5); the picture shows where.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isqrt, nextafter
from pathlib import Path
from typing import Final

from exactdp.kernel.balls import enclose_real
from exactdp.numbers.real import Real

__all__ = ["alpha_bands", "draw_alpha"]

_BITS: Final = 64
_SCALE: Final = 2**_BITS
_ROOTS: Final = (4, 5)


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
    found = enclose_real(Real.exp(eps), relative_bits=_BITS)
    return 1 - 2 / (found.lo + 1), 1 - 2 / (found.hi + 1)


def draw_alpha(path: str | Path, *, cells: int = 500) -> None:
    """Draw both bands into an SVG or PNG file; the same picture, byte for byte, every time."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "exactdp", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        for s, color, hatch in zip(_ROOTS, ("#b35900", "#004d99"), ("//", ""), strict=True):
            bands = alpha_bands(s, cells)
            axes.fill_between(
                [0.0, *(float(eps) for eps, _, _ in bands)],
                [_down(bands[0][1]), *(_down(low) for _, low, _ in bands)],
                [_up(bands[0][2]), *(_up(high) for _, _, high in bands)],
                step="pre",
                color=color,
                hatch=hatch,
                linewidth=0.4,
                alpha=0.8,
                label=f"alpha - eps/sqrt({s})",
            )
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set(xlim=(0, 1), xlabel="eps", ylabel="difference", title="alpha = tanh(eps/2) against eps/sqrt(s)")
        axes.legend(loc="upper left")
        figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def _down(value: Fraction) -> float:
    return nextafter(float(value), -inf)


def _up(value: Fraction) -> float:
    return nextafter(float(value), inf)
