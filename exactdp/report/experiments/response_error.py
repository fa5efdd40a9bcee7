"""randomized-response: the error of the estimated sum, against the exact law and Hoeffding's radius.

n users send their bit, flipped with probability f, e^eps = (1 - f) / f; the estimate of the sum is
(Y - n f) / (1 - 2f). If nobody holds 1, Y ~ Bin(n, f), and the error is above A with the probability

    P[|Y - n f| > A (1 - 2f)],

exactly. That data set is a worst one but for a part of the bracket of :mod:`exactdp.protocols.accuracy.response`,
whose lower end it is; Hoeffding's radius sqrt(n ln(2/beta) / 2) / (1 - 2f) bounds every data set. All three grow as
sqrt(n).

Source: Warner1965, section 2; Hoeffding1963, Theorem 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import nan
from typing import TYPE_CHECKING, Final, Unpack

import exactdp as xdp
from exactdp.laws.tails import least_reach
from exactdp.protocols.accuracy.response import response_accuracy_bound
from exactdp.report.experiments import plots
from exactdp.report.experiments.drawn import (
    Drawing,
    DrawingOptions,
    Sampled,
    distances,
    failure_frequency,
    sampled_quantile,
)
from exactdp.report.experiments.experiment import BETA, BITS, Finding, Point
from exactdp.report.figures.data import log10_ends, number_words
from exactdp.report.figures.style import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


GRID: Final = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
"""One n in each decade: on logarithmic axes the curves are lines."""
FLIPS: Final = (Fraction(1, 4), Fraction(7, 16))
"""e^eps = 3 and 9/7: eps = 1.0987 and 0.2514."""


@dataclass(frozen=True, slots=True)
class ResponsePoint(Point):
    """Randomized response of n users; all errors are of the sum, in users.

    Args:
        exp_eps: e^eps, of one user alone.
        n, flip: the parameters.
        hoeffding: Hoeffding's radius at beta.
        least: the optimal accuracy at beta over all data sets, exact or bracketed.
        level: the exact (1 - beta)-quantile of the error where nobody holds 1.
        sampled: what was drawn for ``level``.
        failure: the exact probability there of an error above ``level``.
        draws, failures, frequency: how often it was.
    """

    compared = ((", error", "sampled", "level"), (", failures", "frequency", "failure"))

    exp_eps: Fraction
    n: int
    flip: Fraction
    hoeffding: xdp.Interval
    least: Fraction | xdp.Interval
    level: Fraction
    sampled: Sampled
    failure: xdp.Interval
    draws: int
    failures: int
    frequency: xdp.Interval

    def __str__(self) -> str:
        return f"e^eps={self.exp_eps}, n={self.n}"


@dataclass(frozen=True, slots=True)
class ResponseError(Finding):
    """What ``response_error`` found."""

    name = "randomized-response"
    statement = "The error of randomized response against Hoeffding's radius, from 10^3 to 10^9 users."
    usual_draws = 200_000

    points: tuple[ResponsePoint, ...]
    beta: Fraction
    seed: int

    def slope(self) -> float:
        """The mean slope of log error in log n of the first eps; for the eye."""
        points = [p for p in self.points if p.exp_eps == self.points[0].exp_eps]
        ends = [(log10_ends(p.n)[0], log10_ends(p.level)[0]) for p in (points[0], points[-1])]
        return (ends[1][1] - ends[0][1]) / (ends[1][0] - ends[0][0]) if ends[1] != ends[0] else nan

    def title(self) -> str:
        """The slope of the error."""
        return f"The error of randomized response grows as n to the {self.slope():.3f}, as Hoeffding’s does"

    def caption(self) -> str:
        """The errors against n, and how often the exact one is exceeded."""
        errors = "; ".join(
            f"at ε = ln({p.exp_eps}) and n = {number_words(p.n)} the exact error is {_words(p.least)}, Hoeffding's "
            f"radius {number_words(p.hoeffding, 5)}"
            for p in self.points
            if p.n == max(point.n for point in self.points)
        )
        return (
            "Above: the error of the sum that randomized response of n users exceeds with probability β = "
            f"{number_words(self.beta)}, against n, for two ε: {errors}. The band is a bracket over all data "
            "sets, its lower end the data set where nobody holds 1, from which views were drawn. Below: the exact "
            "probability there of an error above the exact one (short lines), and how often it was, with intervals of "
            f"confidence 1 − 10⁻⁹. {len(self.misses())} drawn intervals miss the exact number."
        )

    def paint(self, figure: Figure, theme: Theme) -> None:
        """Paint the errors, and below them how often the exact one is exceeded."""
        levels = dict.fromkeys(p.exp_eps for p in self.points)
        upper = plots.paint_errors(
            figure,
            theme,
            {f"ε = ln({level})": [p for p in self.points if p.exp_eps == level] for level in levels},
            {"hoeffding": plots.DASHED, "least": "solid"},
            asides=(-0.13, 0.13),
            ylabel="error of the sum, users",
            finding=self,
        )
        _guide(upper, self.points[0], theme)
        kinds = {
            "Hoeffding’s radius": plots.DASHED,
            f"exact at β = {number_words(self.beta)} (bracket), and drawn": "solid",
        }
        plots.kinds_below(upper, theme, kinds)


def _words(value: Fraction | xdp.Interval) -> str:
    if isinstance(value, Fraction):
        return number_words(value, 5)
    return f"between {number_words(value.lo, 5)} and {number_words(value.hi, 5)}"


def response_error(*, grid: tuple[int, ...] | None = None, **asked: Unpack[DrawingOptions]) -> ResponseError:
    """Return the errors of randomized response at beta = 1/20, for e^eps = 3 and 9/7.

    Args:
        asked: as of :class:`exactdp.report.experiments.drawn.Drawing`.
        grid: the n; by default the powers of ten from 10^3 to 10^9.

    >>> findings = response_error(seed=1, draws=1000, grid=(10**6,))
    >>> first = findings.points[0]
    >>> first.level, first.least, first.hoeffding, findings.misses()
    (Fraction(1698, 1), Interval[1698, 1714.147494], Interval[2716.203031, 2716.203032], ())

    Cost: 1 s for each point: the bracket.

    Source: Warner1965, section 2.
    """
    drawing = Drawing(**asked)
    places = product(FLIPS, grid or (GRID[1::3] if drawing.quick else GRID))
    named = drawing.watched(places, lambda place: f"e^eps={(1 - place[0]) / place[0]}, n={place[1]}")
    return ResponseError(tuple(_point(flip, n, drawing) for flip, n in named), BETA, drawing.seed)


def _point(flip: Fraction, n: int, drawing: Drawing) -> ResponsePoint:
    level = response_level(n, flip, BETA)
    sampled, failures = sampled_response(n, flip, BETA, level, drawing)
    return ResponsePoint(
        (1 - flip) / flip,
        n,
        flip,
        hoeffding=response_accuracy_bound(n, flip, BETA),
        least=xdp.optimal_accuracy(xdp.protocols.k_ary(n, 2, gamma=2 * flip), beta=BETA),
        level=level,
        sampled=sampled,
        failure=response_failure(n, flip, level),
        draws=drawing.draws,
        failures=failures,
        frequency=failure_frequency(failures, drawing.draws),
    )


def response_level(n: int, flip: Fraction, beta: Fraction) -> Fraction:
    """Return the least A with P[error > A] <= beta, exactly, where nobody holds 1.

    >>> response_level(10**6, Fraction(1, 4), Fraction(1, 20))
    Fraction(1698, 1)

    Source: Warner1965, section 2 (the law is in the module docstring).
    """
    law = xdp.Binomial(n, flip)
    return least_reach(law, law.mean, law.mean, beta) / (1 - 2 * flip)


def response_failure(n: int, flip: Fraction, error: Fraction) -> xdp.Interval:
    """Enclose the probability of an error above ``error``, where nobody holds 1.

    >>> response_failure(10**6, Fraction(1, 4), Fraction(1698)) < Fraction(1, 20)
    True

    Source: Warner1965, section 2 (the law is in the module docstring).
    """
    law, reach = xdp.Binomial(n, flip), error * (1 - 2 * flip)
    below, above = law.cdf((law.mean - reach).__ceil__() - 1), law.sf((law.mean + reach).__floor__())
    return xdp.Interval.between(below.lo + above.lo, below.hi + above.hi, bits=BITS)


def sampled_response(n: int, flip: Fraction, beta: Fraction, level: Fraction, drawing: Drawing) -> tuple[Sampled, int]:
    """Draw views of n users who all hold 0: the interval of the error, and how many errors are above ``level``."""
    protocol = xdp.protocols.k_ary(n, 2, gamma=2 * flip)
    rng = drawing.generator(4, n, flip.numerator, flip.denominator)
    seen = drawing.draw(protocol, {0: n, 1: 0}, size=drawing.draws, rng=rng)[:, protocol.tabulated.alphabet.index(1)]
    far, scale = distances(seen, n * flip)
    unit = 1 / (scale * (1 - 2 * flip))
    return sampled_quantile(far, beta).times(unit), int((far > (level / unit).__floor__()).sum())


def _guide(axes: Axes, first: ResponsePoint, theme: Theme) -> None:
    """Mark the slope of √n below the lowest curve, inside the axes whatever the grid is."""
    low, high = axes.get_xlim()
    bottom, top = axes.get_ylim()
    start, length = low + 0.5 * (high - low), 0.35 * (high - low)
    height = log10_ends(first.level)[0] + 0.5 * (start - log10_ends(first.n)[0]) - 0.12 * (top - bottom)
    plots.marked_slope(axes, start, max(height, bottom + 0.02 * (top - bottom)), 0.5, "√n", theme, length=length)
