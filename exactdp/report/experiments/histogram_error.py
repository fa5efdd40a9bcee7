"""histogram-error: the largest error of all bins together, against their number d from 2 to 10^6.

Errors are counted in users: n times the error of a frequency. An empty bin is estimated as exactly 0 whatever its
noise, because the analyzer answers 0 unless a bin has more than n messages; so only bins with users can err, and there
are at most n of them. The worst data set for an error of more than A >= mu puts c = A + 1 users into each of m bins and
the rest into one more, with m as large as n and d allow (:mod:`exactdp.protocols.accuracy.optimal`). Such a bin errs by
more than A iff more than A users are silent in it, with T = P[Bin(n, gamma) > A], and the bins are independent:

    P[some bin errs by more than A] = 1 - (1 - T)^m (1 - T'),

T' being the same probability for the bin of the rest. Nothing in it grows with d once d is above n/c.

Two kinds of draws are made. The views of the bins that hold users, as many as asked for: the largest number of silent
users in one of the m bins has an exact quantile, and failures are counted with the analyzer. And views of all d bins, a
few of them, in which the empty bins that are not estimated as 0 are counted.

Source: BalcerCheu2020, section 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.numbers.interval import fraction_ends
from exactdp.protocols.accuracy.optimal import histogram_optimum
from exactdp.report.experiments.drawn import (
    Drawing,
    Sampled,
    blocks,
    failure_frequency,
    sampled_quantile,
)
from exactdp.report.experiments.experiment import BETA, BITS, DELTA, Finding, Point
from exactdp.report.experiments.plots import curve, errors_chart
from exactdp.report.experiments.zsum_error import errs, multiple
from exactdp.report.figures.chart import Axis, Chart
from exactdp.report.figures.data import number_words

if TYPE_CHECKING:
    from exactdp.report.experiments.drawn import Counts


GRID: Final = tuple((d, 10**6) for d in (2, 10, 100, 10**3, 10**4, 10**5, 10**6))
"""Bins and users: from two bins to as many as users, of whom the theorem needs far fewer."""
EPS: Final = Fraction(1)
"""The largest eps of the theorem, in one bin."""


@dataclass(frozen=True, slots=True)
class HistogramPoint(Point):
    """The histogram of d bins; all errors in users.

    Args:
        d: number of bins.
        theorem: its alpha for all bins at once, for every beta >= n delta^25.
        closed_form: the published closed form at beta.
        least: n times the optimal simultaneous accuracy at beta, or an interval around it.
        bins: m, the bins that hold ``users_each`` users each on the data set that is drawn.
        level: the exact (1 - beta)-quantile of the largest number of silent users in one of them.
        sampled: what was drawn for ``level``.
        failure: the probability that some bin errs by more than ``least`` (its upper end) on this data set.
        draws, failures, frequency: how often one did.
        whole_draws: views drawn of all d bins.
        answered: empty bins in them whose estimate was not 0.
    """

    compared = ((", silent users", "sampled", "level"), (", failures", "frequency", "failure"))

    d: int
    theorem: xdp.Interval
    closed_form: xdp.Interval
    least: Fraction | xdp.Interval
    bins: int
    users_each: int
    level: int
    sampled: Sampled
    failure: xdp.Interval
    draws: int
    failures: int
    frequency: xdp.Interval
    whole_draws: int
    answered: int

    def __str__(self) -> str:
        return f"d={self.d}"

    def misses(self) -> list[str]:
        """The drawn intervals without the exact number, and empty bins that were answered."""
        answered = [f"{self}: {self.answered} empty bins have an estimate other than 0"] if self.answered else []
        return [*Point.misses(self), *answered]


@dataclass(frozen=True, slots=True)
class HistogramError(Finding):
    """The largest errors of the histogram with the theorem's noise at eps = 1, delta = 10^-6, beta = 1/20.

    >>> findings = HistogramError.run(seed=1, draws=200, grid=((100, 10**5), (10**4, 10**5)))
    >>> [(p.d, p.least, p.bins) for p in findings.points], findings.misses()
    ([(100, Fraction(815, 1), 99), (10000, Fraction(817, 1), 122)], ())
    """

    name = "histogram-error"
    statement = "The largest error of all bins does not grow with their number, from 2 to 10^6."
    usual_draws = 10_000
    grid = GRID
    few = GRID[::3]
    place = "d={}"
    given = (("eps", EPS), ("delta", DELTA), ("beta", BETA))

    points: tuple[HistogramPoint, ...]
    n: int
    eps: Fraction
    delta: Fraction
    beta: Fraction
    gamma: Fraction
    seed: int

    def title(self) -> str:
        """The largest error from which number of bins on, and the theorem's."""
        last = self.points[-1]
        settled = next(p for p in self.points if p.least == last.least)
        where = f"at d = {number_words(last.d)}"
        if settled.d < last.d:
            where = f"from d = {number_words(settled.d)} to {number_words(last.d)}"
        return (
            f"The histogram’s largest error: {_words(last.least)} users {where}, the theorem’s "
            f"{number_words(last.theorem, 4)}"
        )

    def caption(self) -> str:
        """The parameters, and what was seen of empty bins."""
        whole, answered = sum(p.whole_draws for p in self.points), sum(p.answered for p in self.points)
        return (
            f"n = {number_words(self.n)} users, the theorem's noise for ε = {number_words(self.eps)} and δ = "
            f"{number_words(self.delta)}. In {whole} views of all bins {answered} empty bins had an estimate."
        )

    def chart(self) -> Chart:
        """The errors, and below them how often the exact one is exceeded."""
        words = number_words(self.beta)
        published = [
            curve(self.points, "d", "theorem", "theorem, every β ≥ n δ²⁵", 1, "dashed"),
            curve(self.points, "d", "closed_form", f"closed form at β = {words}", 1, "dotted"),
        ]
        return errors_chart(
            {f"exact at β = {words}, and drawn": self.points},
            {"least": ("solid", "")},
            across=Axis("d, bins", is_log=True),
            ylabel="n × largest error of all bins, users",
            finding=self,
            more=published,
            is_log=False,
        )

    @classmethod
    def shared(cls, drawing: Drawing) -> Mapping[str, Any]:
        """Return the parameters, and the theorem's gamma."""
        n = drawing.places[0][1]
        return {**dict(cls.given), "n": n, "gamma": bounds.zsum_rounded_gamma(n, eps=EPS, delta=DELTA)}

    @classmethod
    def points_at(cls, place: tuple[int, int], drawing: Drawing) -> Iterator[HistogramPoint]:
        """Draw d bins: 0.2 microseconds for each count, 10^3 counts in a draw from d = 10^3 on."""
        d, n = place
        gamma = bounds.zsum_rounded_gamma(n, eps=EPS, delta=DELTA)
        optimum = histogram_optimum(n, d, gamma, BETA)
        reach = (n * fraction_ends(optimum)[1]).__floor__()
        counts = worst_counts(n, d, reach + 1)
        equal = sum(1 for count in counts if count == reach + 1)
        largest, failures = _draws(counts, n, gamma, reach, equal, drawing, 2, d, n)
        law = xdp.Binomial(n, gamma)
        whole = next(blocks(drawing.draws, d))
        yield HistogramPoint(
            d,
            theorem=multiple(bounds.histogram_theorem_accuracy(n, eps=EPS, delta=DELTA, beta=BETA), n),
            closed_form=multiple(bounds.histogram_accuracy(n, gamma=gamma, beta=BETA), n),
            least=n * optimum if isinstance(optimum, Fraction) else _users(optimum, n),
            bins=equal,
            users_each=reach + 1,
            level=_largest_silent(law, equal, reach),
            sampled=sampled_quantile(largest, BETA),
            failure=some_bin_fails(law, counts, reach),
            draws=drawing.draws,
            failures=failures,
            frequency=failure_frequency(failures, drawing.draws),
            whole_draws=whole,
            answered=_answered(counts, d, n, gamma, whole, drawing),
        )


def _words(value: Fraction | xdp.Interval) -> str:
    if isinstance(value, Fraction):
        return number_words(value, 6)
    return f"{number_words(value.lo.__ceil__(), 6)} to {number_words(value.hi.__floor__(), 6)}"


def _users(optimum: xdp.Interval, n: int) -> xdp.Interval:
    """Return the interval of an integer of users, without the rounding of the division by n."""
    low, high = (n * optimum.lo).__ceil__(), (n * optimum.hi).__floor__()
    return xdp.Interval.between(Fraction(low), Fraction(high), bits=BITS)


def worst_counts(n: int, d: int, users: int) -> list[int]:
    """Return the data set with ``users`` in as many bins as n and d allow, and the rest, if any, in one more.

    >>> worst_counts(10, 7, 4), worst_counts(10, 2, 4), worst_counts(8, 2, 4)
    ([4, 4, 2], [4, 6], [4, 4])
    """
    full = min(d, n // users)
    if full == d and n > d * users:
        full -= 1
    rest = n - full * users
    return [users] * full + ([rest] if rest else [])


def some_bin_fails(law: xdp.Binomial, counts: list[int], reach: int) -> xdp.Interval:
    """Enclose the probability that some bin errs by more than A = ``reach`` >= mu users, for bins with these users.

    A bin of k <= A users never does; one of more does iff min(k - 1, floor(mu + A)) or more than that are silent.

    >>> some_bin_fails(xdp.Binomial(100, Fraction(1, 10)), [20, 20, 60], 19)
    Interval[0.00...

    Source: BalcerCheu2020, section 3.2 (the proof is in the module docstring).
    """
    safe = [Fraction(1), Fraction(1)]
    for k in set(counts):
        if k > reach:
            tail = law.sf(min(k - 1, (law.mean + reach).__floor__()))
            power = counts.count(k)
            safe = [safe[0] * (1 - tail.hi) ** power, safe[1] * (1 - tail.lo) ** power]
    return xdp.Interval.between(1 - safe[1], 1 - safe[0], bits=BITS)


def _largest_silent(law: xdp.Binomial, bins: int, reach: int) -> int:
    """Return the least t with P[max of ``bins`` counts of silent users > t] <= beta, at most ``reach``."""
    t = reach
    while some_bin_fails(law, [t] * bins, t - 1).compare(BETA) in (-1, 0):
        t -= 1
    return t


def _draws(
    counts: list[int], n: int, gamma: Fraction, reach: int, equal: int, drawing: Drawing, *place: int
) -> tuple[Counts, int]:
    """Draw the bins with users; return the largest silent number of each draw, and how many draws failed."""
    import numpy as np

    users = np.array([*counts, 0] if len(counts) == 1 else counts)
    protocol, rng = xdp.protocols.histogram(n, len(users), gamma=gamma), drawing.generator(*place)
    largest, failures = [], 0
    for size in blocks(drawing.draws, len(users)):
        seen = drawing.draw(protocol, users, size=size, rng=rng)
        largest.append((users[:equal] + n - seen[:, :equal]).max(axis=1))
        failing = np.zeros(len(seen), bool)
        for column, k in enumerate(counts):
            failing |= errs(seen[:, column], n, gamma, k, Fraction(reach))
        failures += int(failing.sum())
    return np.concatenate(largest), failures


def _answered(counts: list[int], d: int, n: int, gamma: Fraction, whole: int, drawing: Drawing) -> int:
    """Draw all d bins, and count the empty ones whose estimate is not 0."""
    import numpy as np

    users = np.zeros(d, np.int64)
    users[: len(counts)] = counts
    seen = drawing.draw(xdp.protocols.histogram(n, d, gamma=gamma), users, size=whole, rng=drawing.generator(3, d, n))
    return int((seen[:, len(counts) :] > n).sum())
