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

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import exactdp as xdp
from exactdp.laws.tails import least_integer
from exactdp.numbers.balls import enclose_real, floor_real
from exactdp.report.experiments.drawn import Drawing, blocks, failure_frequency
from exactdp.report.experiments.experiment import BETA, BITS, Finding, Point
from exactdp.report.experiments.plots import HEIGHT, bars, curve, field
from exactdp.report.figures.chart import Axis, Chart, Levels, Panel, Rule
from exactdp.report.figures.data import number_words

GRID: Final = tuple(sorted({m * 10**e for e in range(4) for m in (1, 2, 5)} | {10**4}))
"""Three values of k in each decade, from one count to 10^4."""
EPS: Final = Fraction(1)
"""The radius scales with 1/eps, so one eps says all."""
_MAX_COUNTS: Final = 4 * 10**7
"""Most counts drawn at one point, of each noise."""


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
    """The failure probabilities and radii of k counts with Laplace and geometric noise at eps = 1, beta = 1/20.

    Views are drawn for k that are powers of ten, at most 4 10^7 counts of each noise.

    >>> findings = CentralNoise.run(seed=1, draws=1000, grid=(1, 10))
    >>> [(p.laplace, p.geometric_radius) for p in findings.points], findings.misses()
    ([(Interval[0.04999999999, 0.05000000001], 3), (Interval[0.04888986953, 0.04888986954], 5)], ())
    """

    name = "central"
    statement = "Is the union bound of the Laplace mechanism tight? From 1 to 10^4 counts, and with geometric noise."
    usual_draws = 100_000
    grid = GRID
    few = GRID[::3]
    place = "k={}"
    given = (("eps", EPS), ("beta", BETA))

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
        """What the panels are."""
        return (
            f"ε = {number_words(self.eps)}. Above: at the published radius. Below: the radius that fails with "
            f"probability β. {self.misses_words()}"
        )

    def _worst(self) -> CentralPoint:
        return max(self.points, key=lambda p: p.geometric.hi)

    def chart(self) -> Chart:
        """The probabilities, and below them the radii."""
        points, words = self.points, number_words(self.beta)
        failures = (
            Rule(self.beta, f"union bound, β = {words}", form="dashed"),
            curve(points, "k", "laplace", "Laplace, exact"),
            bars(points, "k", "laplace_frequency", 0, -0.05),
            Levels(field(points, "k"), field(points, "geometric"), "geometric, exact", 1),
            bars(points, "k", "geometric_frequency", 1, 0.05),
        )
        radii = (
            curve(points, "k", "radius", "published, ln(k/β) / ε", "ink", "dashed"),
            curve(points, "k", "laplace_radius", "Laplace, exact"),
            Levels(field(points, "k"), field(points, "geometric_radius"), "geometric, least integer", 1),
        )
        x = Axis("k, counts", is_log=True)
        return Chart(
            (
                Panel(failures, x, Axis("P[largest noise ≥ ln(k/β) / ε]", low=0), height=HEIGHT),
                Panel(radii, x, Axis(f"radius that fails with probability {words}", low=0), height=HEIGHT),
            )
        )

    @classmethod
    def points_at(cls, place: int, drawing: Drawing) -> Iterator[CentralPoint]:
        """Draw k counts: 0.15 microseconds for each count."""
        k = place
        radius, noise = xdp.Real.log(k / BETA) / EPS, xdp.Laplace(1 / EPS)
        reach = floor_real(radius) + 1  # ln of a rational above 1 is irrational: the least integer above
        count = min(drawing.draws, _MAX_COUNTS // k) if str(k).strip("0") == "1" else None
        seen: tuple[int | None, ...] = (None, None)
        drawn: tuple[xdp.Interval | None, ...] = (None, None)
        if count is not None:
            seen = _laplace_failures(k, radius, count, drawing), _geometric_failures(k, reach, count, drawing)
            drawn = tuple(failure_frequency(failures, count) for failures in seen if failures is not None)
        yield CentralPoint(
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


def _laplace_failures(k: int, radius: xdp.Real, draws: int, drawing: Drawing) -> int:
    """Count the draws of k Laplace noises whose largest reaches the radius."""
    import numpy as np

    rng, limit, failures = drawing.generator(5, k), float(enclose_real(radius, relative_bits=BITS)), 0
    draw = drawing.draw_laplace or (lambda rng, shape: rng.laplace(size=shape))
    for size in blocks(draws, k):
        noise = draw(rng, (size, k)) / float(EPS)
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
