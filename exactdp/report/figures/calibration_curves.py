"""What zsum's theorem takes: its noise against eps beside the noise that is enough, with their errors, and its constant
5.

For each eps the noise mu = n gamma is the theorem's, 50 ln(2/delta) / eps^2, beside the least safe one on a grid, found
and certified by :func:`exactdp.studies.calibration.grid_search.calibrate`. The error is alpha, which the worst data set
exceeds with probability at most beta: by the theorem's formula, and optimal, for either noise.

Source: BalcerCheu2020, section 3.1.

Why the theorem says 5 is seen in the plot of alpha - eps/sqrt(s) for s = 4 and s = 5, alpha = tanh(eps/2). It needs
alpha >= eps/sqrt(s) on (0, 1]. Both terms rise with eps, so between two neighbouring points a < b of the grid the
difference lies between tanh(a/2) - b/sqrt(s) and tanh(b/2) - a/sqrt(s): these are the bands, with the ends enclosed and
rounded outward. That the one for s = 4 falls below 0, and that no value for s = 5 does, are rows of the ledger
(zsum-sqrt4, zsum-sqrt5); the picture shows where.

The picture of a choice: both ends of each family's error, or at equal error of its delta, on one logarithmic axis
------------------------------------------------------------------------------------------------------------------

A bar is what the proved ends leave open, with its upper end in numbers. Families whose bars overlap have no proved
order.

Source: WangBlockiLiJha2017, section 4 (the families).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.real import Real
from exactdp.report.figures.chart import (
    Area,
    Axis,
    Bars,
    Chart,
    Line,
    Mark,
    Note,
    Panel,
    Rule,
    lines_of,
    one_panel,
)
from exactdp.report.figures.data import Cell, DataTable, check_rising, number_words
from exactdp.report.figures.picture import Picture
from exactdp.report.figures.style import LIGHT, Theme

if TYPE_CHECKING:
    from exactdp.studies.calibration.choice import Choices

_TANH_BITS: Final = 64
"""Relative accuracy of tanh, far below what a pixel shows."""
_SCALE: Final = 2**_TANH_BITS
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
    exp_eps = enclose_real(Real.exp(eps), relative_bits=_TANH_BITS)
    return 1 - 2 / (exp_eps.lo + 1), 1 - 2 / (exp_eps.hi + 1)


def alpha_picture(*, cells: int = 500) -> Picture:
    """Return the picture of both bands."""
    marks: list[Mark] = [Rule(0)]
    rows: list[tuple[Cell, ...]] = []
    for color, s in enumerate(_ROOTS):
        band = alpha_bands(s, cells)
        eps, lows, highs = zip(*band, strict=True)
        rows += [(s, right - Fraction(1, cells), right, low, high) for right, low, high in band]
        label = f"s = {s}: {'never below 0' if highs[-1] > 0 else 'below 0'}"
        starts = [end - Fraction(1, cells) for end in eps]
        marks.append(Area([*starts, 1], [*lows, lows[-1]], [*highs, highs[-1]], color, label, alpha=1, in_steps=True))
    return Picture(
        "alpha",
        "zsum's constant: 5 is the least integer that works, 4 fails",
        "The difference α − ε/√s, with α = tanh(ε/2), as bands that provably contain it.",
        DataTable.of(("s", "eps_from", "eps_to", "low", "high"), rows),
        one_panel(*marks, x=Axis("ε", low=0, high=1), y=Axis("α − ε/√s"), height=2.7),
    )


def draw_alpha(path: str | Path, *, cells: int = 500, theme: Theme = LIGHT) -> None:
    """Draw both bands into an SVG or PNG file; the same picture, byte for byte, every time."""
    alpha_picture(cells=cells).draw(path, theme=theme)


_STEPS: Final = 2**28
"""The grid has so many steps to gamma = 1/2, times the number of users rounded up to a power of two."""


def calibration_curves(n: int, *, eps: Sequence[xdp.Exact], delta: xdp.Exact, beta: xdp.Exact) -> DataTable:
    """Return the theorem's and the least noise n gamma of zsum, and their errors, for each eps.

    Args:
        n: number of users who follow the protocol, enough for the theorem at the least eps.
        eps: rising rational numbers in (0, 1], at least two.
        delta: in (0, 1).
        beta: probability of a larger error, in [delta^25, 1).

    Returns:
        A row for each eps: the theorem's noise (gamma rounded up to a multiple of 2^-53) and the least safe one with
        what stands behind it, the theorem's alpha, and the optimal alpha with either noise.

    Raises:
        HypothesisError: where the theorem does not apply.

    >>> curves = calibration_curves(2000, eps=["9/10", 1], delta="1e-6", beta="1/20")
    >>> [round(theorem / least) for _, theorem, least, *_ in curves.rows]
    [23, 21]

    Cost: 0.5 s for each eps.

    Source: BalcerCheu2020, section 3.1.
    """
    users, target = as_integer(n, name="n", at_least=1), as_probability(delta, name="delta")
    failure, grid = as_probability(beta, name="beta"), tuple(as_fraction(value, name="eps") for value in eps)
    check_rising("eps", grid)
    rows = [(value, *_noises(users, value, target, failure)) for value in grid]
    names = ("eps", "theorem_noise", "least_noise", "level", "published_alpha", "theorem_alpha", "least_alpha")
    return DataTable.of(names, rows, protocol="zsum", n=users, delta=target, beta=failure)


def _noises(n: int, eps: Fraction, delta: Fraction, beta: Fraction) -> tuple[Cell, ...]:
    gamma = bounds.zsum_rounded_gamma(n, eps=eps, delta=delta)
    published = bounds.zsum_theorem_accuracy(n, eps=eps, delta=delta, beta=beta)
    least = xdp.calibrate("zsum", n=n, eps=eps, delta=delta, grid=Fraction(1, _STEPS << n.bit_length()))
    alphas = [xdp.optimal_accuracy(xdp.protocols.zsum(n, gamma=g), beta=beta) for g in (gamma, least.parameter)]
    return n * gamma, n * least.parameter, least.level, published, *alphas


def calibration_picture(table: DataTable, *, name: str = "calibration") -> Picture:
    """Return the picture: noise above, error below, both logarithmic."""
    about, levels = dict(table.about), sorted(set(map(str, table.column("level"))))
    noises: list[Any] = [row[:3] for row in table.rows]
    factors = [theorem / least for _, theorem, least in noises]
    level = "each with a certificate" if levels == ["certificate"] else f"evidence: {' and '.join(levels)}"
    marks: list[Mark] = [*lines_of(table, "eps", ("theorem_noise", "theorem", 1), ("least_noise", "least", 0))]
    for k in sorted({0, len(noises) // 2, len(noises) - 1}):
        eps, theorem, least = noises[k]
        marks.append(Line([eps] * 2, [least, theorem], color="quiet", form="solid", width=0.9, layer=2))
        side = -5 if k == len(noises) - 1 else 5
        middle = (float(theorem) * float(least)) ** 0.5
        marks.append(Note(eps, middle, f"×{float(theorem / least):.0f}", ha="right" if side < 0 else "left", dx=side))
    alphas = lines_of(
        table,
        "eps",
        ("published_alpha", "theorem's formula", 1),
        ("theorem_alpha", "its noise, optimal", 2),
        ("least_alpha", "least noise, optimal", 0),
    )
    return Picture(
        name,
        f"zsum's theorem takes {min(factors).__floor__()} to {max(factors).__floor__()} times the noise that is enough",
        f"zsum of n = {about['n']} users, δ = {number_words(Fraction(about['delta']))}; least noise {level}. The "
        f"worst data set exceeds the error with probability {number_words(Fraction(about['beta']))}.",
        table,
        Chart(
            (
                Panel(tuple(marks), Axis("ε"), Axis("noise nγ", is_log=True), height=2.5),
                Panel(alphas, Axis("ε"), Axis("error α of the mean", is_log=True), height=2.5),
            )
        ),
    )


def choice_table(found: Choices) -> DataTable:
    """Return the rows with an answer, in their order: places, e^eps0, and both ends of error and delta."""
    question = found.question
    about = {
        "n": question.n,
        "inputs": question.inputs,
        "e^eps" if question.level.eps is None else "eps": question.level.exp_eps or question.level.eps,
        "delta": question.delta,
        "times": question.times,
        "beta": question.beta,
        "equal": "privacy" if question.error is None else f"error of {question.error}",
    }
    rows = []
    for row in found.rows:
        if (places := found.places(row)) is not None:
            rows.append((row.family, row.name, *places, row.exp_eps0, row.error, row.delta))
    names = ("family", "randomizer", "first place", "last place", "exp_eps0", "error", "delta")
    return DataTable.of(names, rows, **about)


def choice_picture(found: Choices) -> Picture:
    """Return the picture of a choice: of each family a bar between its proved ends, with its upper end in numbers."""
    question, by_error = found.question, found.question.error is None
    placed = [(row, places, ends) for row in found.rows if (places := found.places(row)) and (ends := found.ends(row))]
    first = [row.family for row, places, _ in placed if places[0] == 1]
    best = " or ".join([", ".join(first[:-1]), first[-1]] if len(first) > 1 else first) if first else "no family"
    runs = f", {question.times} releases together" if question.times > 1 else ""
    equal = f"δ = {number_words(question.delta)}" if by_error else f"an error of {number_words(question.error or 0)}"
    # an end of 0 has no logarithm: the bar is then its upper end
    bars = [
        (f"{row.family}: {number_words(high)}", low or high, high, 0 if places[0] == 1 else 1)
        for row, places, (low, high) in placed
    ]
    x, y = (
        Axis("error in users" if by_error else "δ at ε", is_log=True),
        Axis("families, and their upper ends", ticks=()),
    )
    return Picture(
        "choose",
        f"{'The least error' if by_error else 'The least δ'}: {best}",
        f"Frequencies of {question.inputs} inputs, n = {question.n}, at {equal}{runs}. Where two bars overlap, the "
        "order is open.",
        choice_table(found),
        one_panel(Bars(bars), x=x, y=y, height=1.0 + 0.36 * len(bars)),
    )
