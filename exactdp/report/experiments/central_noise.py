"""central: is the union bound of the Laplace mechanism tight? k counts with Laplace and with geometric noise.

k counts of sensitivity 1 in the l1 norm together get independent noise: Laplace of scale 1/eps, or the two-sided
geometric (discrete Laplace) law with a = e^(-eps). For the published radius t = ln(k/beta) / eps the union bound is
beta.

*Laplace:* P[max |noise| >= t] = 1 - (1 - beta/k)^k exactly: beta for k = 1, and 1 - e^(-beta) in the limit. So the
bound is tight for one count, and 2.5% above the truth for many, at beta = 1/20.

*Geometric:* P[|noise| >= t] = 2 a^m / (1 + a), m the least integer >= t. It can be above or below beta/k, so the
published radius may fail for integers. The least integer A with P[max |noise| > A] <= beta is found exactly.

Laplace noise is drawn in floats, which cannot tell the event apart from one with a threshold off by 10^-15 or so: the
probability changes by as much, and nothing is rounded otherwise.

Source: DworkRoth2014, Theorem 3.8; GhoshRoughgardenSundararajan2012, section 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias, Unpack

import exactdp as xdp
from exactdp.laws.tails import least_integer
from exactdp.numbers.balls import enclose_real, floor_real
from exactdp.report.experiments.drawn import Drawing, DrawingOptions, blocks, failure_frequency
from exactdp.report.experiments.experiment import BETA, BITS, Finding, Point
from exactdp.report.experiments.plots import DASHED, Panel, count_ticks, nearest, on_log_axis
from exactdp.report.figures.data import float_ends, number_words
from exactdp.report.figures.style import Theme, key_of

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


GRID: Final = tuple(sorted({m * 10**e for e in range(4) for m in (1, 2, 5)} | {10**4}))
"""Three values of k in each decade, from one count to 10^4."""
EPS: Final = Fraction(1)
"""The radius scales with 1/eps, so one eps says all."""
_MAX_COUNTS: Final = 4 * 10**7
"""Most counts drawn at one point, of each noise."""

DrawLaplace: TypeAlias = "Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]"


@dataclass(frozen=True, slots=True)
class CentralPoint(Point):
    """k counts; radii in users.

    Args:
        k: number of counts.
        radius: the published ln(k/beta) / eps, whose union bound is beta.
        laplace_radius: the radius with failure probability beta exactly, for Laplace noise.
        geometric_radius: the least integer A with P[max > A] <= beta, for geometric noise.
        laplace, geometric: P[max |noise| >= radius], exactly.
        draws: of each noise; None if none are made.
        laplace_failures, laplace_frequency, geometric_failures, geometric_frequency: how often it was.
    """

    compared = (
        (", Laplace", "laplace_frequency", "laplace"),
        (", geometric", "geometric_frequency", "geometric"),
    )

    k: int
    radius: xdp.Interval
    laplace_radius: xdp.Interval
    geometric_radius: int
    laplace: xdp.Interval
    geometric: xdp.Interval
    draws: int | None
    laplace_failures: int | None
    laplace_frequency: xdp.Interval | None
    geometric_failures: int | None
    geometric_frequency: xdp.Interval | None

    def __str__(self) -> str:
        return f"k={self.k}"


@dataclass(frozen=True, slots=True)
class CentralNoise(Finding):
    """What ``central_noise`` found."""

    name = "central"
    statement = "Is the union bound of the Laplace mechanism tight? From 1 to 10^4 counts, and with geometric noise."
    usual_draws = 100_000

    points: tuple[CentralPoint, ...]
    eps: Fraction
    beta: Fraction
    seed: int

    def title(self) -> str:
        """How far the union bound is from either probability."""
        gap = max(float(self.beta / p.laplace.lo - 1) for p in self.points)
        over = float(self._worst().geometric.hi / self.beta - 1)
        return f"Laplace’s union bound is within {gap:.1%}; geometric noise exceeds it by up to {over:.0%}"

    def caption(self) -> str:
        """The failure probabilities at the published radius, and the radii."""
        first, last, worst = self.points[0], self.points[-1], self._worst()
        beta = number_words(self.beta)
        return (
            f"Above: the probability that the largest of k noises reaches the published radius ln(k/β)/ε, against k, "
            f"for ε = {number_words(self.eps)} and β = {beta}. The union bound is {beta}. With Laplace noise the exact "
            f"probability falls from {nearest(first.laplace, 4)} at k = {first.k} to "
            f"{nearest(last.laplace, 4)} at k = {number_words(last.k)}. With geometric noise it jumps, because the "
            f"noise is an integer, and is largest at k = {worst.k}, with {nearest(worst.geometric, 3)}. "
            "Below: the radius that fails with probability β: published, exact for Laplace, and the least integer for "
            "geometric noise."
        )

    def _worst(self) -> CentralPoint:
        return max(self.points, key=lambda p: p.geometric.hi)

    def paint(self, figure: Figure, theme: Theme) -> None:
        """Paint the probabilities, and below them the radii."""
        upper, lower = figure.subplots(2, 1)
        failures, radii = (Panel(axes, self.points, on_log_axis("k"), log_y=False) for axes in (upper, lower))
        laplace, geometric = theme.series[0], theme.series[1]
        upper.axhline(float(self.beta), color=theme.ink, linewidth=1.0, linestyle=DASHED, label="union bound, β")
        failures.curve("laplace", laplace.color, "solid", label="Laplace, exact")
        failures.bars("laplace_frequency", laplace, aside=-0.05)
        failures.marks("geometric", geometric)
        upper.plot([], [], color=geometric.color, linewidth=2.2, label="geometric, exact")
        failures.bars("geometric_frequency", geometric, aside=0.05)
        seen = [
            float(drawn.hi)
            for p in self.points
            for drawn in (p.laplace_frequency, p.geometric_frequency)
            if drawn is not None
        ]
        upper.set_ylim(
            0, max(1.32 * max(float_ends(p.geometric)[1] for p in self.points), *(1.15 * top for top in seen))
        )
        upper.set(xlabel="k, counts", ylabel="P[largest noise ≥ ln(k/β) / ε]")
        key_of(upper)
        radii.curve("radius", theme.ink, DASHED, label="published, ln(k/β) / ε")
        radii.curve("laplace_radius", laplace.color, "solid", label="Laplace, exact")
        radii.marks("geometric_radius", geometric)
        lower.plot([], [], color=geometric.color, linewidth=2.2, label="geometric, least integer")
        lower.set(xlabel="k, counts", ylabel=f"radius that fails with probability {number_words(self.beta)}")
        lower.set_ylim(0, 1.1 * float_ends(self.points[-1].radius)[1])
        key_of(lower)
        for axes in (upper, lower):
            count_ticks(axes, [p.k for p in self.points])


def central_noise(
    *, draw_laplace: DrawLaplace | None = None, grid: tuple[int, ...] | None = None, **asked: Unpack[DrawingOptions]
) -> CentralNoise:
    """Return the failure probabilities and radii of k counts with Laplace and geometric noise, eps = 1, beta = 1/20.

    Args:
        draw_laplace: draws Laplace noise of scale 1 with (rng, shape); by default NumPy's.
        grid: the k; by default 13 from 1 to 10^4.
        asked: as of :class:`exactdp.report.experiments.drawn.Drawing`; ``draws`` of each noise, for k that are powers
            of ten, and at most 4 10^7 counts.

    >>> findings = central_noise(seed=1, draws=1000, grid=(1, 10))
    >>> [(p.laplace, p.geometric_radius) for p in findings.points], findings.misses()
    ([(Interval[0.04999999999, 0.05000000001], 3), (Interval[0.04888986953, 0.04888986954], 5)], ())

    Cost: 0.15 microseconds for each count drawn.

    Source: DworkRoth2014, Theorem 3.8; GhoshRoughgardenSundararajan2012, section 2.
    """
    drawing = Drawing(**asked)
    sizes = drawing.watched(grid or (GRID[::3] if drawing.quick else GRID), "k={}".format)
    return CentralNoise(tuple(_point(k, drawing, draw_laplace) for k in sizes), EPS, BETA, drawing.seed)


def _point(k: int, drawing: Drawing, draw_laplace: DrawLaplace | None) -> CentralPoint:
    radius, noise = xdp.Real.log(k / BETA) / EPS, xdp.Laplace(1 / EPS)
    reach = floor_real(radius) + 1  # ln of a rational above 1 is irrational: the least integer above
    count = min(drawing.draws, _MAX_COUNTS // k) if str(k).strip("0") == "1" else None
    seen: tuple[int | None, ...] = (None, None)
    drawn: tuple[xdp.Interval | None, ...] = (None, None)
    if count is not None:
        laplace = _laplace_failures(k, radius, count, drawing, draw_laplace)
        seen = laplace, _geometric_failures(k, reach, count, drawing)
        drawn = tuple(failure_frequency(failures, count) for failures in seen if failures is not None)
    return CentralPoint(
        k,
        radius=noise.accuracy_bound(BETA, coordinates=k, relative_bits=BITS),
        laplace_radius=noise.accuracy(BETA, coordinates=k, relative_bits=BITS),
        geometric_radius=geometric_radius(k, EPS, BETA),
        laplace=laplace_failure(k, BETA),
        geometric=geometric_failure(k, EPS, reach - 1),
        draws=count,
        laplace_failures=seen[0],
        laplace_frequency=drawn[0],
        geometric_failures=seen[1],
        geometric_frequency=drawn[1],
    )


def laplace_failure(k: int, beta: Fraction) -> xdp.Interval:
    """Enclose 1 - (1 - beta/k)^k, the probability that Laplace noise on k counts reaches ln(k/beta) / eps.

    >>> laplace_failure(10, Fraction(1, 20))
    Interval[0.04888986..., 0.04888986...]

    Source: DworkRoth2014, Theorem 3.8 (whose bound is beta).
    """
    return xdp.Laplace(1).outside(xdp.Real.log(k / beta), coordinates=k, relative_bits=BITS)


def geometric_failure(k: int, eps: Fraction, reach: int) -> xdp.Interval:
    """Enclose P[max |noise| > reach] for k geometric noises: 1 - (1 - 2 a^(reach + 1) / (1 + a))^k, a = e^(-eps).

    >>> geometric_failure(1, Fraction(1), 3) < Fraction(1, 20) < geometric_failure(1, Fraction(1), 2)
    True

    Source: GhoshRoughgardenSundararajan2012, section 2.
    """
    tail = xdp.DiscreteLaplace(xdp.Real.exp(eps)).sf(reach)
    return xdp.Interval.between(1 - (1 - 2 * tail.lo) ** k, 1 - (1 - 2 * tail.hi) ** k, bits=BITS)


def geometric_radius(k: int, eps: Fraction, beta: Fraction) -> int:
    """Return the least integer A with P[max |noise| > A] <= beta for k geometric noises.

    >>> geometric_radius(1, Fraction(1), Fraction(1, 20))
    3

    Source: GhoshRoughgardenSundararajan2012, section 2.
    """
    guess = floor_real(xdp.Real.log(k / beta) / eps)
    return least_integer(lambda reach: geometric_failure(k, eps, reach) <= beta, guess, above=-1, high=None)


def _laplace_failures(k: int, radius: xdp.Real, draws: int, drawing: Drawing, draw: DrawLaplace | None) -> int:
    """Count the draws of k Laplace noises whose largest reaches the radius."""
    import numpy as np

    rng, limit, failures = drawing.generator(5, k), float(enclose_real(radius, relative_bits=BITS)), 0
    for size in blocks(draws, k):
        noise = (rng.laplace(size=(size, k)) if draw is None else draw(rng, (size, k))) / float(EPS)
        failures += int((np.abs(noise).max(axis=1) >= limit).sum())
    return failures


def _geometric_failures(k: int, reach: int, draws: int, drawing: Drawing) -> int:
    """Count the views of k empty counts with geometric noise whose largest is at least ``reach``."""
    import numpy as np

    protocol = xdp.AdditiveProtocol(xdp.DiscreteLaplace(xdp.Real.exp(EPS)), bins=k)
    empty, rng, failures = np.zeros(max(2, k), np.int64), drawing.generator(6, k), 0
    for size in blocks(draws, k):
        seen = drawing.draw(protocol, empty, size=size, rng=rng, nearest=True)
        failures += int((np.abs(seen).max(axis=1) >= reach).sum())
    return failures
