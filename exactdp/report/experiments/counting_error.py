"""correlated-counting: the error and the messages of private counting with messages +1 and -1, drawn against exact.

n users with a bit each draw shares of G1, G2 and W, and the estimate is the true sum plus G1 - G2: discrete Laplace
noise of e^eps = 1/p1, the same on every data set and at every n. Beside his bit a user sends T/n messages on average,
T = G1 + G2 + 2W, so that

    E[T] = 2 (p1 / (1 - p1) + r p2 / (1 - p2)).

*An interval for the mean.* T has no largest value, but E[e^(tT)] = M(t) is known,

    ln M(t) = 2 ln((1 - p1) / (1 - p1 e^t)) + r ln((1 - p2) / (1 - p2 e^(2t))),   t < min(-ln p1, -(ln p2) / 2).

By Markov's inequality for e^(t (T_1 + ... + T_N)) the mean of N draws exceeds E[T] by more than
w = (ln M(t) + ln(2/risk)/N) / t - E[T] with probability at most risk/2, for every t > 0; for t < 0 it is so below E[T].
The t is chosen in floats, and the widths are enclosed at it. So an interval misses E[T] with probability at most the
risk if the views are drawn from these laws.

Source: GhaziKumarManurangsiPagh2020, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from typing import TYPE_CHECKING, Any, Final

import exactdp as xdp
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.real import as_real
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.report.experiments.drawn import RISK, Drawing, failure_frequency
from exactdp.report.experiments.experiment import BETA, BITS, DELTA, Finding, Point
from exactdp.report.experiments.plots import HEIGHT, bars, field, sample
from exactdp.report.figures.chart import Axis, Chart, Levels, Line, Mark, Panel
from exactdp.report.figures.data import number_words, power_words

if TYPE_CHECKING:
    from exactdp.report.experiments.drawn import Counts


GRID: Final = tuple(10**e for e in range(2, 10))
"""One n in each decade: the messages of a user fall as 1/n exactly."""
EPS: Final = Fraction(1)
"""Of the theorem and of the least noise."""
ERRORS: Final = 6
"""The law of the error is drawn from minus this to this."""
NOISES: Final = ("theorem’s noise", "least noise")
"""What r is: the theorem's, or the least that is private enough."""
_LAW, _TAIL, _MESSAGES = "P[error = k]", "P[|error| > k]", "messages of a user beside the bit"
_TILT_BITS: Final = 40
"""The t is a multiple of 2 to minus this, far below any t that is of use."""


@dataclass(frozen=True, slots=True)
class CountingPoint(Point):
    """One number of correlated counting.

    Args:
        quantity: what it is: a probability of the error, or the expected messages of a user.
        noise: one of ``NOISES``.
        n: number of users.
        k: the error, or None for messages.
        exact, drawn, draws: the number, the interval for it, and from how many draws.
    """

    compared = (("", "drawn", "exact"),)

    quantity: str
    noise: str
    n: int
    k: int | None
    exact: Fraction | xdp.Interval
    drawn: xdp.Interval
    draws: int

    def __str__(self) -> str:
        place = "" if self.k is None else f", k={self.k}"
        return f"{self.quantity}, {self.noise}, n={self.n}{place}"


@dataclass(frozen=True, slots=True)
class CountingError(Finding):
    """The law of the error of correlated counting, and the messages of a user, at eps = 1 and delta = 10^-6.

    >>> findings = CountingError.run(seed=1, draws=1000, grid=(10**6,))
    >>> [(p.k, p.exact) for p in findings.points if p.quantity == "P[|error| > k]"]
    [(6, Interval[0.03759328617, 0.03759328618])]
    >>> findings.points[-1].noise, findings.points[-1].exact, findings.misses()
    ('least noise', Interval[0.0001702272040, 0.0001702272041], ())
    """

    name = "correlated-counting"
    statement = "The error of correlated counting, and how many messages its users send, from 10^2 to 10^9 users."
    usual_draws = 200_000
    grid = GRID
    few = (GRID[0], GRID[4], GRID[-1])
    place = "n={}"
    given = (("eps", EPS), ("delta", DELTA), ("beta", BETA))

    points: tuple[CountingPoint, ...]
    eps: Fraction
    delta: Fraction
    beta: Fraction
    seed: int

    def of(self, quantity: str, noise: str) -> list[CountingPoint]:
        """The points of one panel, in their order."""
        return [p for p in self.points if p.quantity == quantity and p.noise == noise]

    def title(self) -> str:
        """How many messages a user sends where there are most users, and the error that he sees."""
        last, (tail,) = self.of(_MESSAGES, NOISES[0])[-1], self.of(_TAIL, NOISES[0])
        return (
            f"{number_words(last.exact)} messages beside the bit at n = {_power(last.n)}; "
            f"19 of 20 sums err by at most {tail.k}"
        )

    def caption(self) -> str:
        """The parameters, and what is drawn."""
        (tail,) = self.of(_TAIL, NOISES[0])
        return (
            f"ε = {number_words(self.eps)}, δ = {number_words(self.delta)}; the law at n = {_power(tail.n)}. "
            f"{self.misses_words()}"
        )

    def chart(self) -> Chart:
        """The law of the error, and below it the messages."""
        law = self.of(_LAW, NOISES[0])
        errors = (
            Levels(field(law, "k"), field(law, "exact"), "exact", 0, half=0.36),
            bars(law, "k", "drawn", 1),
            sample("drawn", 1, is_hollow=True),
        )
        messages: list[Mark] = []
        for noise, color in zip(NOISES, (0, 2), strict=True):
            points = self.of(_MESSAGES, noise)
            messages += [Line(field(points, "n"), field(points, "exact"), noise, color, marker="", width=1.5)]
            messages += [bars(points, "n", "drawn", color)]
        return Chart(
            (
                Panel(errors, Axis("error of the sum", ticks="whole"), Axis("probability", low=0), height=HEIGHT),
                Panel(tuple(messages), Axis("n, users", is_log=True), Axis(_MESSAGES, is_log=True), height=HEIGHT),
            )
        )

    @classmethod
    def points_at(cls, place: int, drawing: Drawing) -> Iterator[CountingPoint]:
        """Draw n users with both noises; the law of the error at the middle of the grid."""
        n = place
        published = xdp.protocols.correlated_counting_from_theorem(n, eps=EPS, delta=DELTA)
        least: Any = xdp.calibrate("correlated-counting", n=n, eps=EPS, delta=DELTA).protocol
        for index, (noise, protocol) in enumerate(zip(NOISES, (published, least), strict=True)):
            holders, rng = n // 2, drawing.generator(9, n, index)
            seen = drawing.draw(protocol, {0: n - holders, 1: holders}, size=drawing.draws, rng=rng, nearest=True)
            if index == 0 and n == drawing.places[len(drawing.places) // 2]:
                yield from _errors(protocol, noise, seen[:, 0] - seen[:, 1] - holders)
            mean = Fraction(int((seen.sum(axis=1) - holders).sum()), len(seen))
            below, above = mean_deviations(protocol, len(seen))
            drawn = xdp.Interval.between((mean - above) / n, (mean + below) / n, bits=BITS)
            yield CountingPoint(_MESSAGES, noise, n, None, protocol.noise_messages, drawn, len(seen))


def _power(n: int) -> str:
    exponent = len(str(n)) - 1
    return power_words(exponent) if n == 10**exponent else str(n)


def _errors(protocol: CorrelatedCounting, noise: str, errors: Counts) -> Iterator[CountingPoint]:
    """Yield the probability of each error of the sum, and of one above the optimal accuracy."""
    level = xdp.optimal_accuracy(protocol, beta=BETA)
    assert isinstance(level, Fraction)
    reach, draws, law = int(level), len(errors), protocol.error
    for k in range(-ERRORS, ERRORS + 1):
        drawn = failure_frequency(int((errors == k).sum()), draws)
        yield CountingPoint(_LAW, noise, protocol.n, k, law.pmf(k), drawn, draws)
    above = law.sf(reach)
    failure = xdp.Interval.between(2 * above.lo, 2 * above.hi, bits=BITS)
    drawn = failure_frequency(int((abs(errors) > reach).sum()), draws)
    yield CountingPoint(_TAIL, noise, protocol.n, reach, failure, drawn, draws)


def mean_deviations(protocol: CorrelatedCounting, draws: int, *, risk: Fraction = RISK) -> tuple[Fraction, Fraction]:
    """Return how far the mean of T over so many draws may be below and above E[T]: further with probability <= risk.

    >>> small = xdp.protocols.correlated_counting(10, p1="1/2", p2="9/10", r=20)
    >>> [float(width) for width in mean_deviations(small, 10**4)]
    [5.528..., 5.582...]

    Source: GhaziKumarManurangsiPagh2020, section 3 (the protocol, the bound is the module docstring's).
    """
    p1, p2, r = (as_real(value, name="a ratio") for value in (protocol.p1, protocol.p2, protocol.r))
    mean = 2 * (p1 / (1 - p1) + r * p2 / (1 - p2))
    rate = xdp.Real.log(2 / risk) / draws
    below, above = (
        enclose_real((_log_moment(p1, p2, r, sign * tilt) + rate) / tilt - sign * mean, relative_bits=BITS).hi
        for sign, tilt in zip((-1, 1), _tilts(protocol, draws, risk), strict=True)
    )
    return below, above


def _log_moment(p1: xdp.Real, p2: xdp.Real, r: xdp.Real, t: Fraction) -> xdp.Real:
    """Return ln E[e^(tT)]."""
    one = xdp.Real.log((1 - p1) / (1 - p1 * xdp.Real.exp(t)))
    return 2 * one + r * xdp.Real.log((1 - p2) / (1 - p2 * xdp.Real.exp(2 * t)))


def _tilts(protocol: CorrelatedCounting, draws: int, risk: Fraction) -> tuple[Fraction, Fraction]:
    """Choose |t| for both sides, in floats: by the variance, and inside the domain of M."""
    p1, p2, r = (
        float(enclose_real(as_real(v, name="v"), relative_bits=BITS)) for v in (protocol.p1, protocol.p2, protocol.r)
    )
    variance = 2 * p1 / (1 - p1) ** 2 + 4 * r * p2 / (1 - p2) ** 2
    best = sqrt(2 * log(2 / risk) / (draws * variance))
    small = min(best, min(-log(p1), -log(p2) / 2) / 2)
    unit = Fraction(1, 2**_TILT_BITS)
    return max(1, round(best / unit)) * unit, max(1, round(small / unit)) * unit
