"""zsum-error: the error of zsum on its worst data set, against its theorem, from 10^3 to 10^9 users.

Errors are counted in users: n times the error of the mean. W ~ Bin(n, gamma) is the number of silent users,
mu = n gamma, and by :mod:`exactdp.protocols.accuracy.optimal` the data set with k = A + 1 ones errs by more than A with
the probability

    P[W < mu - A or W > A],

which no data set exceeds. So n times the optimal accuracy at beta is an upper quantile of W, and a draw of the view of
that data set shows both: W = k + n - view, and whether the analyzer's error is above A.

The theorem's alpha is for every beta >= delta^25, so beside the error at beta there is the one at delta^25, and the
closed form at beta.

Source: BalcerCheu2020, section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.protocols.accuracy.optimal import zsum_optimum
from exactdp.report.experiments.drawn import Drawing, Sampled, failure_frequency, sampled_quantile
from exactdp.report.experiments.experiment import BETA, BITS, DELTA, Finding, Point
from exactdp.report.experiments.plots import errors_chart
from exactdp.report.figures.chart import Axis, Chart
from exactdp.report.figures.data import number_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from exactdp.report.experiments.drawn import Counts


GRID: Final = tuple(sorted({10**3, 3 * 10**3, *(m * 10**e for e in range(4, 9) for m in (1, 3)), 10**9}))
"""Two n in each decade, from below the least n of the theorem on."""
EPS: Final = (Fraction(1), Fraction(1, 2), Fraction(1, 10))
"""The largest eps of the theorem, its half and its tenth."""
_POWER: Final = 25
"""The theorem's alpha is for every beta of at least delta to this power."""


@dataclass(frozen=True, slots=True)
class ZsumPoint(Point):
    """zsum at one eps and n, with the theorem's gamma; all errors in users, None if the theorem does not apply.

    Args:
        eps, n: the parameters.
        note: why there are no numbers, or empty.
        gamma: probability of no dummy.
        theorem: its alpha, for every beta >= delta^25.
        closed_form: the published closed form at beta.
        least: n times the optimal accuracy at beta.
        least_at_power: the same at delta^25.
        sampled: what was drawn for ``least``.
        holders: k of the worst data set, least + 1.
        failure: the probability that its error is above ``least``: at most beta.
        draws, failures, frequency: how often it was, with the Clopper-Pearson interval.
    """

    compared = ((", error", "sampled", "least"), (", failures", "frequency", "failure"))

    eps: Fraction
    n: int
    note: str = ""
    gamma: Fraction | None = None
    theorem: xdp.Interval | None = None
    closed_form: xdp.Interval | None = None
    least: Fraction | None = None
    least_at_power: Fraction | None = None
    sampled: Sampled | None = None
    holders: int | None = None
    failure: xdp.Interval | None = None
    draws: int | None = None
    failures: int | None = None
    frequency: xdp.Interval | None = None

    def __str__(self) -> str:
        return f"eps={self.eps}, n={self.n}"


@dataclass(frozen=True, slots=True)
class ZsumError(Finding):
    """The errors of zsum with the theorem's noise at delta = 10^-6, beta = 1/20, for three eps.

    >>> findings = ZsumError.run(seed=1, draws=1000, grid=tuple((EPS[0], n) for n in (10**3, 10**6)))
    >>> first, second = findings.points
    >>> first.note, second.least, second.least_at_power, second.theorem
    ('the theorem needs n >= 1451', Fraction(770, 1), Fraction(1535, 1), Interval[1654.550212, 1654.550213])
    >>> findings.misses()
    ()
    """

    name = "zsum-error"
    statement = "zsum's error against its theorem, from 10^3 to 10^9 users."
    usual_draws = 500_000
    grid = tuple(product(EPS, GRID))
    few = tuple(product(EPS, GRID[::4]))
    place = "eps={}, n={}"
    given = (("delta", DELTA), ("beta", BETA))

    points: tuple[ZsumPoint, ...]
    delta: Fraction
    beta: Fraction
    seed: int

    def largest_ratio(self) -> xdp.Interval:
        """Enclose the largest ratio of the theorem's alpha to the optimal accuracy at beta."""
        ratios = [
            xdp.Interval.between(p.theorem.lo / p.least, p.theorem.hi / p.least, bits=BITS)
            for p in self.points
            if p.theorem is not None and p.least
        ]
        return reduce(xdp.Interval.maximum, ratios)

    def largest_change(self) -> float:
        """By which part of it the exact error changes with n, at the eps where it does most; for the eye."""
        levels = [[p.least for p in self.points if p.eps == eps and p.least] for eps in self.levels()]
        return max(float(max(errors) / min(errors)) - 1 for errors in levels)

    def levels(self) -> list[Fraction]:
        """The eps with at least one point inside the theorem."""
        return list(dict.fromkeys(p.eps for p in self.points if p.least is not None))

    def title(self) -> str:
        """How the exact error changes with n, and how far above it the theorem is."""
        change, ratio = self.largest_change(), number_words(self.largest_ratio(), 3)
        return f"zsum’s error in users changes by {change:.1%} with n; the theorem’s is up to {ratio} times it"

    def caption(self) -> str:
        """What the two panels are."""
        return (
            f"Worst data set, the theorem's noise for δ = {number_words(self.delta)}; curves begin where the theorem "
            f"does. {self.misses_words()}"
        )

    def chart(self) -> Chart:
        """The errors, and below them how often the exact one is exceeded."""
        inside = [p for p in self.points if p.least is not None]
        return errors_chart(
            {f"ε = {number_words(eps)}": [p for p in inside if p.eps == eps] for eps in self.levels()},
            {
                "theorem": ("dashed", "theorem, every β ≥ δ²⁵"),
                "least_at_power": ("dotted", "exact at β = δ²⁵"),
                "least": ("solid", f"exact at β = {number_words(self.beta)}, and drawn"),
            },
            across=Axis("n, users", is_log=True),
            ylabel="n × error on the worst data set, users",
            finding=self,
        )

    @classmethod
    def points_at(cls, place: tuple[Fraction, int], drawing: Drawing) -> Iterator[ZsumPoint]:
        """Draw one eps and n: 0.2 s with 10^5 draws."""
        eps, n = place
        least_n = bounds.zsum_least_n(eps=eps, delta=DELTA)
        if n < least_n:
            yield ZsumPoint(eps, n, f"the theorem needs n >= {least_n}")
            return
        gamma = bounds.zsum_rounded_gamma(n, eps=eps, delta=DELTA)
        least = n * zsum_optimum(n, gamma, BETA)
        holders, seen = drawn_zsum(n, gamma, least, drawing, 1, eps.denominator, n)
        failures = int(errs(seen, n, gamma, holders, least).sum())
        yield ZsumPoint(
            eps,
            n,
            gamma=gamma,
            theorem=multiple(bounds.zsum_theorem_accuracy(n, eps=eps, delta=DELTA, beta=BETA), n),
            closed_form=multiple(bounds.zsum_accuracy(n, gamma=gamma, beta=BETA), n),
            least=least,
            least_at_power=n * zsum_optimum(n, gamma, DELTA**_POWER),
            sampled=sampled_quantile(holders + n - seen, BETA),
            holders=holders,
            failure=zsum_failure(n, gamma, least),
            draws=drawing.draws,
            failures=failures,
            frequency=failure_frequency(failures, drawing.draws),
        )


def drawn_zsum(n: int, gamma: Fraction, reach: Fraction, drawing: Drawing, *place: int) -> tuple[int, Counts]:
    """Return k of the worst data set for errors above ``reach`` users, and the number of messages in each draw."""
    holders, rng = reach.__floor__() + 1, drawing.generator(*place)
    seen = drawing.draw(xdp.protocols.zsum(n, gamma=gamma), {0: n - holders, 1: holders}, size=drawing.draws, rng=rng)
    return holders, seen[:, 0]


def errs(seen: Counts, n: int, gamma: Fraction, holders: int, reach: Fraction) -> NDArray[np.bool_]:
    """Return for each drawn count of messages whether n times the error of zsum's estimate is above ``reach``.

    The estimate is (count - n (1 - gamma)) / n where the count is above n, else 0; everything is compared in integers.

    >>> import numpy as np
    >>> errs(np.array([10, 12, 14]), 10, Fraction(1, 4), 3, Fraction(2)).tolist()  # errors of 3, 3/2 and 7/2 users
    [True, False, True]
    """
    center = holders + n * (1 - gamma)
    far = (seen > (center + reach).__floor__()) | (seen < (center - reach).__ceil__())
    silent = seen <= n
    return (silent & (holders > reach)) | (~silent & far)


def zsum_failure(n: int, gamma: Fraction, reach: Fraction) -> xdp.Interval:
    """Enclose P[W < mu - A or W > A], what the worst data set errs by more than A = ``reach`` users with.

    >>> zsum_failure(10, Fraction(1, 4), Fraction(5))
    Interval[0.01972770690, 0.01972770691]

    Source: BalcerCheu2020, section 3.1 (the theorem is in exactdp.protocols.accuracy.optimal).
    """
    law = xdp.Binomial(n, gamma)
    above, low = law.sf(reach.__floor__()), (law.mean - reach).__ceil__()
    if low <= 0:
        return above
    below = law.cdf(low - 1)
    return xdp.Interval.between(below.lo + above.lo, below.hi + above.hi, bits=BITS)


def multiple(value: xdp.Interval, factor: int) -> xdp.Interval:
    """Enclose a multiple."""
    return xdp.Interval.between(factor * value.lo, factor * value.hi, bits=BITS)
