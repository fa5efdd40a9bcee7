"""The survey's plot: the error of a private mean against the number of users, in four models of trust.

One error for all: alpha, in units of the mean of n bits, that the error exceeds with probability at most beta on the
worst data set. For each n, at one eps and delta:

* central: two-sided geometric noise on the sum, P[k] proportional to e^(-eps abs(k)); eps-DP, optimal alpha.
* single-message shuffle: randomized response with the noise of the published theorem, its optimal alpha.
* zsum: the theorem's alpha, and the optimal one for the theorem's noise.
* local: randomized response that alone is eps-DP, its optimal alpha.

The optimal alpha of randomized response is enclosed between two bounds a quarter apart at most; these are bands.

Source: BalcerCheu2020, section 3.1; CheuSmithUllmanZeberZhilyaev2019, section 4; Warner1965, section 2;
GhoshRoughgardenSundararajan2012, section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.kernel.balls import enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, as_fraction, as_integer, as_probability
from exactdp.numbers.interval import fraction_ends
from exactdp.report.figures.data import DataTable
from exactdp.report.figures.scale import log10_ends, middle, number_words, power_words
from exactdp.report.figures.style import Picture, Series, Theme, end_labels, plot_series, power_axis, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Alpha = Fraction | xdp.Interval | None

MODELS: Final = ("local", "zsum, theorem", "zsum, optimal", "single-message shuffle", "central")
"""The rows of the plot; the order is that of the errors at many users."""

_LABELS: Final = ("local", "zsum: the theorem's α", "zsum: optimal α", "one message, shuffled", "central")
"""What the figure calls the models."""
_UNIT: Final = Fraction(1, 2**53)
"""Weights of blankets are rounded up to multiples of it, which a sampler's float holds."""


@dataclass(frozen=True, slots=True)
class SurveyPlot:
    """Model -> its alpha for each number of users, None if its theorem asks for more users."""

    eps: Fraction
    delta: Fraction
    beta: Fraction
    users: tuple[int, ...]
    alphas: tuple[tuple[str, tuple[Alpha, ...]], ...]

    def slope(self, model: str) -> float:
        """The slope of log alpha against log n between the last two numbers of users."""
        ends = [middle(log10_ends(value)) for value in dict(self.alphas)[model][-2:] if value is not None]
        steps = [middle(log10_ends(n)) for n in self.users[-2:]]
        return (ends[1] - ends[0]) / (steps[1] - steps[0])

    def table(self) -> DataTable:
        """The plot as a table: n, and a column for each model."""
        columns = [self.users, *(values for _, values in self.alphas)]
        about = {"eps": self.eps, "delta": self.delta, "beta": self.beta, "unit": "mean of n bits"}
        names = ("n", *(name for name, _ in self.alphas))
        return DataTable(names, tuple(zip(*columns, strict=True)), tuple((name, str(v)) for name, v in about.items()))


def survey_plot(users: Sequence[int], *, eps: xdp.Exact, delta: xdp.Exact, beta: xdp.Exact) -> SurveyPlot:
    """Return the error of each model for each number of users.

    Args:
        users: rising, at least two.
        eps: rational, in (0, 1).
        delta: in (0, 1).
        beta: probability of a larger error, in [delta^25, 1).

    Returns:
        Exact numbers, or enclosures; of randomized response of more than 2000 users enclosures of about a quarter.

    >>> plot = survey_plot([10**4, 10**5], eps="1/2", delta="1e-6", beta="1/20")
    >>> dict(plot.alphas)["central"]
    (Fraction(3, 5000), Fraction(3, 50000))

    Cost: 0.8 s for each number of users.

    Source: BalcerCheu2020, section 3.1; CheuSmithUllmanZeberZhilyaev2019, section 4; Warner1965, section 2.
    """
    level, target, failure = (
        as_fraction(eps, name="eps"),
        as_probability(delta, name="delta"),
        as_probability(beta, name="beta"),
    )
    sizes = tuple(as_integer(n, name="users", at_least=1) for n in users)
    if len(sizes) < 2 or any(b <= a for a, b in pairwise(sizes)):
        raise InvalidValueError(f"users has {len(sizes)} values, or does not rise. Pass two or more, sorted.")
    rows = [_row(n, level, target, failure) for n in sizes]
    return SurveyPlot(level, target, failure, sizes, tuple(zip(MODELS, zip(*rows, strict=True), strict=True)))


def _row(n: int, eps: Fraction, delta: Fraction, beta: Fraction) -> tuple[Alpha, ...]:
    return (
        _local(n, eps, beta),
        *_zsum(n, eps, delta, beta),
        _single_message(n, eps, delta, beta),
        _central(n, eps, beta),
    )


def _response(n: int, gamma: Fraction, beta: Fraction) -> Fraction | xdp.Interval:
    """Return the optimal alpha of randomized response for the mean."""
    alpha = xdp.optimal_accuracy(xdp.protocols.k_ary(n, 2, gamma=gamma), beta=beta)
    if isinstance(alpha, Fraction):
        return alpha / n
    return xdp.Interval.between(alpha.lo / n, alpha.hi / n, bits=DEFAULT_RELATIVE_BITS)


def _rounded_up(value: xdp.Interval, divisor: int = 1) -> Fraction:
    return (value.hi / divisor / _UNIT).__ceil__() * _UNIT


def _local(n: int, eps: Fraction, beta: Fraction) -> Alpha:
    """Randomized response with e^eps = (2 - gamma) / gamma, gamma rounded up: at least as private."""
    gamma = enclose_real(2 / (1 + xdp.Real.exp(eps)), relative_bits=DEFAULT_RELATIVE_BITS)
    return _response(n, _rounded_up(gamma), beta)


def _single_message(n: int, eps: Fraction, delta: Fraction, beta: Fraction) -> Alpha:
    """Randomized response with a random bit with probability lambda / n."""
    try:
        gamma = _rounded_up(bounds.binary_sum_lambda(n, eps=eps, delta=delta), n)
    except HypothesisError:
        return None
    return _response(n, gamma, beta)


def _zsum(n: int, eps: Fraction, delta: Fraction, beta: Fraction) -> tuple[Alpha, Alpha]:
    try:
        published = bounds.zsum_theorem_accuracy(n, eps=eps, delta=delta, beta=beta)
    except HypothesisError:
        return None, None
    return published, xdp.optimal_accuracy(xdp.protocols.zsum_from_theorem(n, eps=eps, delta=delta), beta=beta)


def _central(n: int, eps: Fraction, beta: Fraction) -> Alpha:
    noise = xdp.DiscreteLaplace(xdp.Real.exp(eps))
    return xdp.optimal_accuracy(xdp.AdditiveProtocol(noise, analyzer=xdp.Analyzer({0: Fraction(1, n)})), beta=beta)


def survey_picture(plot: SurveyPlot, *, name: str = "survey") -> Picture:
    """Return the picture, on two logarithmic axes, with the slopes of 1/n and 1/sqrt(n) marked."""
    shown = f"{plot.users[-1]:,}".replace(",", " ")
    errors = ", ".join(
        f"{model} {number_words(values[-1])}" for model, values in plot.alphas if values[-1] is not None
    )  # fmt: skip
    caption = (
        f"The error α of the mean of n private bits that the worst data set exceeds with probability "
        f"{number_words(plot.beta)}, against n, on logarithmic axes, for ε = {number_words(plot.eps)} and δ = "
        f"{number_words(plot.delta)} where a model has one. At n = {shown}: {errors}. The local error falls as "
        "1/√n, the others as 1/n. A line begins where its theorem has enough users; pale bands enclose α."
    )
    alphas = dict(plot.alphas)
    better = [
        n
        for n, local, shuffled in zip(plot.users, alphas["local"], alphas["zsum, optimal"], strict=True)
        if local is not None and shuffled is not None and _below(shuffled, local)
    ]
    title = "A shuffle restores the central rate, 1/n"
    if better:
        title += f"; zsum beats local at n = {power_words(middle(log10_ends(better[0])))}"
    return Picture(name, title, caption, (7.6, 4.5), plot.table(), lambda figure, theme: _paint(figure, theme, plot))


def _below(first: Fraction | xdp.Interval, second: Fraction | xdp.Interval) -> bool:
    """Whether the first is proved to be smaller."""
    return fraction_ends(first)[1] < fraction_ends(second)[0]


def _paint(figure: Figure, theme: Theme, plot: SurveyPlot) -> None:
    axes = figure.add_subplot()
    xs = [middle(log10_ends(n)) for n in plot.users]
    blue, orange, green, purple, yellow = theme.series
    looks = (purple, orange, blue, green, yellow)
    labels: list[tuple[float, str, Series]] = []
    all_heights: list[float] = []
    for (_, values), words, series in zip(plot.alphas, _LABELS, looks, strict=True):
        known = [(x, log10_ends(value)) for x, value in zip(xs, values, strict=True) if value is not None]
        if not known:
            continue
        places = [x for x, _ in known]
        (lows, highs), heights = zip(*(ends for _, ends in known), strict=True), [middle(ends) for _, ends in known]
        axes.fill_between(places, lows, highs, color=series.color, alpha=0.3, linewidth=0)
        plot_series(axes, places, heights, series)
        labels.append((heights[-1], words, series))
        all_heights += heights
    axes.set(xlim=(xs[0] - 0.08, xs[-1] + 0.08), ylim=(min(all_heights) - 0.3, min(0.0, max(all_heights) + 0.3)))
    axes.set(xlabel="number of users n", ylabel="error α of the mean")
    power_axis(axes, "x")
    power_axis(axes, "y", most=10)
    _mark_slope(axes, theme, plot, xs, 0, "∝ 1/√n")
    _mark_slope(axes, theme, plot, xs, 3, "∝ 1/n")
    end_labels(axes, theme, labels, gap=0.068)


def _mark_slope(axes: Axes, theme: Theme, plot: SurveyPlot, xs: list[float], row: int, words: str) -> None:
    ends = [log10_ends(v)[1] for v in plot.alphas[row][1][-2:] if v is not None]
    if len(ends) == 2:
        tag(axes, sum(xs[-2:]) / 2, sum(ends) / 2 + 0.3, words, theme, ha="left", va="bottom", color=theme.quiet)
