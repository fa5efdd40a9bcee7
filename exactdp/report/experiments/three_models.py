"""models: local against shuffled against central, the error of a binary sum at the same (eps, delta).

| model | protocol | error of the sum |
| --- | --- | --- |
| local | randomized response, each bit eps-DP alone | sqrt(n) / eps |
| shuffled | randomized response, at the least flip probability | sqrt(log(1/delta)) / eps |
| shuffled | zsum, at the least gamma, and at the theorem's | log(1/delta) / eps^2 |
| central | geometric noise | 1 / eps |

The error is the one that is exceeded with probability beta, exactly: on the worst data set for zsum and geometric
noise, and on the one where nobody holds 1 for randomized response. By the bracket of
:mod:`exactdp.protocols.accuracy.response` the worst data set has at most 1.26 times that error in the local model,
and at most 1.45 times for the least shuffled noise here; an exact scan of 1000 users gives 1.03.

All noises but the theorem's are the least that a grid allows, found with the exact delta. *Local:* a bit flipped with
probability f is eps-DP alone iff f >= 1 / (1 + e^eps). *Shuffled:* the same bit after a shuffler needs less; delta of n
users falls as f grows, because a flip with f' > f is a flip with f and then another, so the least f on a grid has one
grid step less that fails. *zsum:* the least gamma on a grid with every larger one up to 1/2 (eps, delta)-DP as well, by
:func:`exactdp.studies.calibration.grid_search.calibrate`.

All three are multiples of powers of two, so that a sampler's float is the number itself.

Source: Warner1965, section 2; BalcerCheu2020, section 3.1; GhoshRoughgardenSundararajan2012, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import log, log10
from typing import Final

import exactdp as xdp
from exactdp import bounds
from exactdp.errors import UndecidedError
from exactdp.laws.tails import DECIDING_BITS, least_integer
from exactdp.numbers.balls import floor_real
from exactdp.protocols.accuracy.optimal import zsum_optimum
from exactdp.report.experiments.central_noise import geometric_radius
from exactdp.report.experiments.drawn import Drawing, Sampled, distances, sampled_quantile
from exactdp.report.experiments.experiment import BETA, DELTA, Finding, Point, drawn_ends
from exactdp.report.experiments.plots import field
from exactdp.report.experiments.response_error import response_level, sampled_response
from exactdp.report.experiments.zsum_error import drawn_zsum
from exactdp.report.figures.chart import Axis, Chart, Drawn, Line, Mark, Panel, Slope, Value
from exactdp.report.figures.data import number_words, power_words

_LOCAL_GRID: Final = 2**20
"""A flip probability to six digits."""
_STEPS: Final = 64
"""The grid of a flip probability has at least so many steps up to the guess."""
_EXTRA_BITS: Final = 8
"""The grid of gamma has steps of at most 1/128 of a silent user."""


def local_flip(eps: Fraction) -> Fraction:
    """Return the least multiple of 2^-20 that is at least 1 / (1 + e^eps), for a rational eps above 0.

    >>> local_flip(Fraction(1))
    Fraction(141003, 524288)

    Source: Warner1965, section 2.
    """
    return Fraction(floor_real(_LOCAL_GRID / (xdp.Real(1) + xdp.Real.exp(eps))) + 1, _LOCAL_GRID)


@cache
def least_gamma(n: int, eps: Fraction, delta: Fraction) -> Fraction:
    """Return zsum's least safe gamma on a grid of at most 1/128 of a silent user, as a multiple of 2^-53.

    >>> least_gamma(10**4, Fraction(1), Fraction(1, 10**6)) * 10**4 // 1
    34

    Cost: 0.6 s.

    Source: BalcerCheu2020, section 3.1 (of the protocol).
    """
    grid = Fraction(1, 2 ** min(53, n.bit_length() + _EXTRA_BITS))
    return xdp.calibrate("zsum", n=n, eps=eps, delta=delta, grid=grid).parameter


@cache
def least_flip(n: int, eps: Fraction, delta: Fraction, *, guess: Fraction) -> tuple[Fraction, Fraction]:
    """Return the least flip probability on a grid with which n shuffled bits are (eps, delta)-DP, and the grid's step.

    Args:
        n: number of users; a delta of 10^5 of them takes 2 s.
        guess: about the answer, above 0; the step is a power of two of at most guess / 64.

    >>> flip, step = least_flip(100, Fraction(1), Fraction(1, 100), guess=Fraction(1, 10))
    >>> [flip_holds(100, f, Fraction(1), Fraction(1, 100)) for f in (flip - step, flip)]
    [False, True]

    Cost: some 5 deltas of binary randomized response; 0.4 s each at 10^4 users.

    Source: Warner1965, section 2 (of the protocol, while the monotonicity is shown above).
    """
    step = Fraction(1, 2 ** (_STEPS / guess).__ceil__().bit_length())
    top = int(Fraction(1, 2) / step)
    index = least_integer(lambda k: flip_holds(n, k * step, eps, delta), round(guess / step), above=0, high=top)
    return index * step, step


def flip_holds(n: int, flip: Fraction, eps: Fraction, delta: Fraction) -> bool:
    """Decide whether n shuffled bits, each flipped with probability ``flip``, are (eps, delta)-DP.

    >>> flip_holds(10, Fraction(1, 2), Fraction(1), Fraction(0))
    True

    Raises:
        UndecidedError: where the two deltas agree to 1024 bits.

    Source: Warner1965, section 2 (of the protocol).
    """
    if 2 * flip == 1:
        return True
    profile = xdp.protocols.k_ary(n, 2, gamma=2 * flip).privacy_profile()
    for bits in (20, *DECIDING_BITS):
        if (order := profile.delta(eps=eps, relative_bits=bits).compare(delta)) is not None:
            return order <= 0
    raise UndecidedError(
        f"delta at flip={flip} and delta={delta} agree to {DECIDING_BITS[-1]} bits. Use another delta."
    )


MODELS: Final = ("local", "zsum, theorem’s noise", "zsum, least noise", "shuffled, least noise", "central")
"""The curves, in the order of the series of a theme."""
EPS: Final = Fraction(1)
"""Of the panels in which it does not change."""
USERS: Final = 10**4
"""Of the panels in which n does not change: the shuffled noise takes seconds there."""
_FLAT: Final = 0.05
"""Slopes up to this are flat to the eye."""
_MOST_SHUFFLED: Final = 10**5
"""Most users whose shuffled bits are calibrated."""


@dataclass(frozen=True, slots=True)
class Case:
    """One place on one axis."""

    axis: str
    n: int
    eps: Fraction
    delta: Fraction

    def __str__(self) -> str:
        return f"{self.axis}: n={self.n}, eps={self.eps}, delta={float(self.delta):.0e}"


CASES: Final = (
    *(Case("n", 10**e, EPS, DELTA) for e in range(3, 10)),
    *(Case("delta", USERS, EPS, Fraction(1, 10**e)) for e in (2, 4, 6, 12)),
    *(Case("eps", USERS, Fraction(1, m), DELTA) for m in (1, 2, 4, 8)),
)
"""One decade of n after the other, four delta and four eps."""
QUICK: Final = (
    *(Case("n", n, EPS, DELTA) for n in (10**3, 10**9)),
    *(Case("delta", 1000, EPS, Fraction(1, 10**e)) for e in (2, 4)),
    *(Case("eps", 1000, Fraction(1, m), DELTA) for m in (1, 2)),
)
"""The ends of each axis."""


@dataclass(frozen=True, slots=True)
class ModelPoint(Point):
    """One model in one case; the error is of the sum, in users.

    Args:
        axis: what changes in this part of the figure: n, delta or eps.
        model: one of ``MODELS``.
        n, eps, delta: the case.
        note: why there are no numbers, or empty.
        noise: flip probability, gamma, or eps of the geometric noise.
        error: exceeded with probability at most beta, and no less is.
        sampled: what was drawn for it.
        draws: how many.
    """

    compared = (("", "sampled", "error"),)

    axis: str
    model: str
    n: int
    eps: Fraction
    delta: Fraction
    note: str = ""
    noise: Fraction | None = None
    error: Fraction | None = None
    sampled: Sampled | None = None
    draws: int | None = None

    def __str__(self) -> str:
        return f"{self.model}, n={self.n}, eps={self.eps}, delta={self.delta}"


@dataclass(frozen=True, slots=True)
class ModelError(Finding):
    """The errors of a binary sum in the local, shuffled and central model at beta = 1/20.

    >>> findings = ModelError.run(seed=1, draws=1000, grid=(Case("n", 10**3, Fraction(1), Fraction(1, 100)),))
    >>> [(p.model, float(p.error)) for p in findings.points if p.error][-1], findings.misses()
    (('central', 3.0), ())
    """

    name = "models"
    statement = "Local against shuffled against central: one binary sum, against n, log(1/delta) and 1/eps."
    usual_draws = 100_000
    grid = CASES
    few = QUICK
    place = "{}"
    given = (("beta", BETA),)
    remarks = (("data set", "the worst one; for randomized response, local or shuffled, the one where nobody holds 1"),)

    points: tuple[ModelPoint, ...]
    beta: Fraction
    seed: int

    def series(self, axis: str, model: str) -> list[ModelPoint]:
        """The points of one curve that have numbers."""
        return [p for p in self.points if p.axis == axis and p.model == model and p.error is not None]

    def slope(self, axis: str, model: str) -> float:
        """The mean slope of a curve on the logarithmic axes, for the eye: in log n, log log(1/delta) or log(1/eps)."""
        points = self.series(axis, model)
        (x0, y0), (x1, y1) = ((_place(p), float(p.error or 1)) for p in (points[0], points[-1]))
        return log(y1 / y0) / log(x1 / x0)

    def title(self) -> str:
        """Which errors grow with n, by the eye."""
        growing = [m for m in MODELS if len(self.series("n", m)) > 1 and self.slope("n", m) > _FLAT]
        only = "only the error of the local one" if growing == ["local"] else ", ".join(growing) or "no error"
        return f"One binary sum in three models: {only} grows with n"

    def caption(self) -> str:
        """What the lines and the gray guides are."""
        return (
            f"Exceeded with probability β = {number_words(self.beta)}; the least noise that is private, and zsum’s "
            f"theorem’s. Gray: published rates. {self.misses_words()}"
        )

    def chart(self) -> Chart:
        """A panel for each axis."""
        panels = []
        for axis, words in _AXES:
            spots = {_place(p): p for p in self.points if p.axis == axis}
            ticks: str | Sequence[tuple[Value, str]] = ""
            if axis != "n":
                named = {
                    x: power_words(log10(p.delta)) if axis == "delta" else str(1 / p.eps) for x, p in spots.items()
                }
                ticks = list(named.items())
            marks: list[Mark] = []
            for color, model in enumerate(MODELS):
                points = self.series(axis, model)
                xs = [_place(p) for p in points]
                label = model if axis == _AXES[-1][0] else ""
                marks.append(Line(xs, field(points, "error"), label, color, marker="", width=1.5))
                marks.append(Drawn(xs, [drawn_ends(p.sampled) for p in points if p.sampled is not None], color))
            for where, model, slope, rate in _GUIDES:
                if where == axis and len(points := self.series(axis, model)) > 1:
                    marks.append(Slope(_place(points[0]), points[0].error, slope, rate))
            across = Axis(words, is_log=True, ticks=ticks)
            panels.append(Panel(tuple(marks), across, Axis("error of the sum, users", is_log=True, low=1), height=2.3))
        return Chart(tuple(panels))

    @classmethod
    def points_at(cls, place: Case, drawing: Drawing) -> Iterator[ModelPoint]:
        """Calibrate and draw each model: 0.6 s for zsum, 2 s for randomized response of 10^4 users."""
        n, eps, delta = place.n, place.eps, place.delta
        least, needed = least_gamma(n, eps, delta), bounds.zsum_least_n(eps=eps, delta=delta)
        theorem = bounds.zsum_rounded_gamma(n, eps=eps, delta=delta) if n >= needed else None
        flip = least_flip(n, eps, delta, guess=least)[0] if n <= _MOST_SHUFFLED else None
        noises = (local_flip(eps), theorem, least, flip, eps)
        notes = ("", f"the theorem needs n >= {needed}", "", f"calibrated up to {_MOST_SHUFFLED} users", "")
        for model, noise, note in zip(MODELS, noises, notes, strict=True):
            at = place.axis, model, n, eps, delta
            if noise is None:
                yield ModelPoint(*at, note)
            else:
                yield ModelPoint(*at, "", noise, *_error(model, n, noise, drawing), drawing.draws)


def _error(model: str, n: int, noise: Fraction, drawing: Drawing) -> tuple[Fraction, Sampled]:
    """Return the exact error, and what was drawn for it."""
    import numpy as np

    if model == "central":
        protocol = xdp.AdditiveProtocol(xdp.DiscreteLaplace(xdp.Real.exp(noise)))
        rng = drawing.generator(7, n, noise.numerator, noise.denominator)
        seen = drawing.draw(protocol, np.zeros(2, np.int64), size=drawing.draws, rng=rng, nearest=True)[:, 0]
        return Fraction(geometric_radius(1, noise, BETA)), sampled_quantile(distances(seen, Fraction(0))[0], BETA)
    if model.startswith("zsum"):
        least = n * zsum_optimum(n, noise, BETA)
        holders, seen = drawn_zsum(n, noise, least, drawing, 8, n, noise.numerator, noise.denominator)
        return least, sampled_quantile(holders + n - seen, BETA)
    level = response_level(n, noise, BETA)
    return level, sampled_response(n, noise, BETA, level, drawing)[0]


_AXES: Final = (("n", "n, users"), ("delta", "log(1/δ), marked at δ"), ("eps", "1/ε"))
"""What changes in each panel, and the words below it."""
_GUIDES: Final = (
    ("n", "local", 0.5, "√n"),
    ("delta", "zsum, least noise", 1.0, "log(1/δ)"),
    ("delta", "shuffled, least noise", 0.5, "√log(1/δ)"),
    ("eps", "zsum, theorem’s noise", 2.0, "1/ε²"),
    ("eps", "shuffled, least noise", 1.0, "1/ε"),
    ("eps", "central", 1.0, "1/ε"),
)
"""Axis, model, slope and words of the published rates that are drawn."""


def _place(point: ModelPoint) -> float:
    """Return where a point is on its horizontal axis."""
    return {"n": float(point.n), "delta": log(1 / point.delta), "eps": float(1 / point.eps)}[point.axis]
