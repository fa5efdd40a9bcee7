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

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import nan
from typing import Final

import exactdp as xdp
from exactdp.laws.tails import least_reach
from exactdp.protocols.accuracy.response import response_accuracy_bound
from exactdp.report.experiments.drawn import (
    Drawing,
    Sampled,
    distances,
    failure_frequency,
    sampled_quantile,
)
from exactdp.report.experiments.experiment import BETA, BITS, Finding, Point
from exactdp.report.experiments.plots import errors_chart
from exactdp.report.figures.chart import Axis, Chart, Slope
from exactdp.report.figures.data import log10_ends, number_words

GRID: Final = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
"""One n in each decade: on logarithmic axes the curves are lines."""
LEVELS: Final = (Fraction(3), Fraction(9, 7))
"""e^eps of one user alone: eps = 1.0987 and 0.2514."""


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
    """The errors of randomized response at beta = 1/20, for e^eps = 3 and 9/7.

    >>> findings = ResponseError.run(seed=1, draws=1000, grid=((3, 10**6),))
    >>> first = findings.points[0]
    >>> first.level, first.least, first.hoeffding, findings.misses()
    (Fraction(1698, 1), Interval[1698, 1714.147494], Interval[2716.203031, 2716.203032], ())
    """

    name = "randomized-response"
    statement = "The error of randomized response against Hoeffding's radius, from 10^3 to 10^9 users."
    usual_draws = 200_000
    grid = tuple(product(LEVELS, GRID))
    few = tuple(product(LEVELS, GRID[1::3]))
    place = "e^eps={}, n={}"
    given = (("beta", BETA),)

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
        """What the bands and the lower panel are."""
        return (
            "Bands reach over all data sets from the one where nobody holds 1, whose views were drawn. "
            f"{self.misses_words()}"
        )

    def chart(self) -> Chart:
        """The errors, and below them how often the exact one is exceeded."""
        first = self.points[0]
        levels = dict.fromkeys(p.exp_eps for p in self.points)
        return errors_chart(
            {f"ε = ln({level})": [p for p in self.points if p.exp_eps == level] for level in levels},
            {
                "hoeffding": ("dashed", "Hoeffding’s radius"),
                "least": ("solid", f"exact at β = {number_words(self.beta)} (bracket), and drawn"),
            },
            across=Axis("n, users", is_log=True),
            ylabel="error of the sum, users",
            finding=self,
            more=(Slope(first.n, first.level, 0.5, "√n"),),
        )

    @classmethod
    def points_at(cls, place: tuple[Fraction, int], drawing: Drawing) -> Iterator[ResponsePoint]:
        """Draw one eps and n: a second for the bracket."""
        exp_eps, n = place
        flip = 1 / (1 + Fraction(exp_eps))
        level = response_level(n, flip, BETA)
        sampled, failures = sampled_response(n, flip, BETA, level, drawing)
        yield ResponsePoint(
            Fraction(exp_eps),
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
