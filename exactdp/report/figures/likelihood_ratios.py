"""The smoothness event of binomial noise: where the likelihood ratios are small, and how much mass is elsewhere.

Lemma 3: for Y ~ Bin(n, gamma), mu = n gamma and 1 <= k <= alpha mu / 2 the ratios D(y) / D(y + k') with |k'| <= k are
below e^(|k'| eps), eps = ln((1 + alpha) / (1 - alpha)), for every y in G = [(1 - alpha) mu + k, (1 + alpha) mu - k],
and P[Y not in G] <= delta. The picture shows k' = k and k' = -k, which decide (:mod:`exactdp.privacy.smoothness`).

Source: GhaziGolowichKumarPaghVelingker2021, section 4 (Lemma 3 of the reading notes).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.errors import TooLargeError
from exactdp.numbers.balls import log_interval
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.report.figures.data import DataTable, float_ends, log10_ends, middle, number_words
from exactdp.report.figures.style import Picture, Theme, key_of, plot_series, power_axis, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_MOST_OUTCOMES: Final = 2000
"""More bars are no longer told apart."""
_MARGIN: Final = Fraction(3, 10)
"""How far beyond G the picture reaches, as a part of its distance from the mean."""


@dataclass(frozen=True, slots=True)
class SmoothnessEvent:
    """The likelihood ratios of Bin(n, gamma) around G.

    Args:
        n, gamma, alpha, k: as in Lemma 3.
        eps: ln((1 + alpha) / (1 - alpha)).
        good: the ends of G.
        outcomes: y -> (D(y) / D(y + k), D(y) / D(y - k), D(y)); a ratio is None if its denominator is 0.
        outside: encloses P[Y not in G].
        lemma: encloses Lemma 3's delta.
        exact: encloses the least delta for which the law is (eps, delta, k)-smooth.
    """

    n: int
    gamma: Fraction
    alpha: Fraction
    k: int
    eps: xdp.LogRational
    good: tuple[Fraction, Fraction]
    outcomes: tuple[tuple[int, Fraction | None, Fraction | None, xdp.Interval], ...]
    outside: xdp.Interval
    lemma: xdp.Interval
    exact: xdp.Interval

    def is_good(self, y: int) -> bool:
        """Whether y is in G."""
        return self.good[0] <= y <= self.good[1]

    def table(self) -> DataTable:
        """The outcomes as a table: y, both ratios, the mass, and whether y is in G."""
        names = ("y", "ratio_up", "ratio_down", "mass", "in_good_set")
        rows = tuple((*row, "yes" if self.is_good(row[0]) else "no") for row in self.outcomes)
        about = {"n": self.n, "gamma": self.gamma, "alpha": self.alpha, "k": self.k, "exp_eps": self.eps.argument}
        return DataTable(names, rows, tuple((name, str(value)) for name, value in about.items()))


def smoothness_event(n: int, *, gamma: xdp.Exact, alpha: xdp.Exact, k: int) -> SmoothnessEvent:
    """Return the likelihood ratios and masses of Bin(n, gamma) on G and a little beyond.

    Args:
        n: number of trials, at least 1.
        gamma: exact, in (0, 1/2].
        alpha: exact, in (0, 1).
        k: from 1 to alpha gamma n / 2.

    Raises:
        HypothesisError: where Lemma 3 does not apply.
        TooLargeError: where more than 2000 outcomes would be shown.

    >>> event = smoothness_event(200, gamma="1/4", alpha="1/2", k=1)
    >>> event.good, event.eps, event.outside < event.lemma
    ((Fraction(26, 1), Fraction(74, 1)), LogRational('3'), True)

    Cost: a probability for each outcome; 0.1 s for 70 of them.

    Source: GhaziGolowichKumarPaghVelingker2021, section 4.
    """
    bound = bounds.binomial_smoothness_bound(n, gamma=gamma, alpha=alpha, k=k)
    assert isinstance(bound.alpha, Fraction)
    assert isinstance(bound.eps, xdp.LogRational)
    law, mu = xdp.Binomial(bound.n, bound.gamma), bound.n * bound.gamma
    reach = bound.alpha * mu * (1 + _MARGIN)
    first, last = max(0, (mu - reach).__floor__()), min(bound.n, (mu + reach).__ceil__())
    if last - first > _MOST_OUTCOMES:
        raise TooLargeError(
            f"n={n} and alpha={alpha} show {last - first} outcomes, more than the limit of {_MOST_OUTCOMES}. "
            "Use a smaller n or alpha."
        )
    good = ((1 - bound.alpha) * mu + k, (1 + bound.alpha) * mu - k)
    rows = tuple((y, _ratio(law, y, y + k), _ratio(law, y, y - k), law.pmf(y)) for y in range(first, last + 1))
    exact = xdp.smoothness_delta(law, k=k, eps=bound.eps, relative_bits=DEFAULT_RELATIVE_BITS)
    outside = _outside(law, good[0].__ceil__(), good[1].__floor__())
    return SmoothnessEvent(
        bound.n, bound.gamma, bound.alpha, bound.k, bound.eps, good, rows, outside, bound.delta, exact
    )  # fmt: skip


def _ratio(law: xdp.Binomial, y: int, other: int) -> Fraction | None:
    return law.ratio(y, other).coefficient if 0 <= other <= law.n else None


def _outside(law: xdp.Binomial, first: int, last: int) -> xdp.Interval:
    below, above = law.cdf(first - 1), law.sf(last)
    return xdp.Interval.between(below.lo + above.lo, below.hi + above.hi, bits=DEFAULT_RELATIVE_BITS)


def smoothness_picture(event: SmoothnessEvent, *, name: str = "smoothness") -> Picture:
    """Return the picture: the logarithms of the ratios above, the masses below."""
    lemma, outside = number_words(event.lemma), number_words(event.outside)
    caption = (
        f"Binomial noise, n = {event.n}, γ = {event.gamma}. Above: ln D(y)/D(y+{event.k}) rises and ln D(y)/D(y−"
        f"{event.k}) falls with y; on the shaded set G, from {number_words(event.good[0], 3)} to "
        f"{number_words(event.good[1], 3)}, both are below {_times(event.k)}ε = {_level(event, 3)}. Below: the masses "
        f"D(y) on a logarithmic scale, hatched outside G. P[Y ∉ G] = {outside}; Lemma 3 grants {lemma}; the exact "
        f"smoothness is {number_words(event.exact)}."
    )
    title = f"Lemma 3 grants P[Y\u00a0∉\u00a0G] = {lemma}: it is {outside}"
    return Picture(name, title, caption, 4.6, event.table(), lambda figure, theme: _paint(figure, theme, event))


def _times(k: int) -> str:
    return "" if k == 1 else f"{k}"


def _level(event: SmoothnessEvent, digits: int) -> str:
    return number_words(log_interval(event.eps.argument**event.k, relative_bits=DEFAULT_RELATIVE_BITS), digits)


def _paint(figure: Figure, theme: Theme, event: SmoothnessEvent) -> None:
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    low, high = map(float, event.good)
    for axes in (upper, lower):
        axes.axvspan(low, high, color=theme.colors[2], alpha=0.15, linewidth=0)
    _paint_ratios(upper, theme, event)
    _paint_masses(lower, theme, event)
    upper.set_xlim(event.outcomes[0][0] - 0.7, event.outcomes[-1][0] + 0.7)


def _paint_ratios(axes: Axes, theme: Theme, event: SmoothnessEvent) -> None:
    level = middle(float_ends(event.eps.enclose())) * event.k
    axes.set_ylim(-1.75 * level, 1.75 * level)
    axes.set(ylabel="logarithm of the likelihood ratio")
    axes.axhline(level, color=theme.ink, linewidth=1.1)
    axes.axhline(0, color=theme.quiet, linewidth=0.7)
    names = (f"ln D(y)/D(y+{event.k})", f"ln D(y)/D(y−{event.k})")
    for side, words, series in zip((0, 1), names, theme.series, strict=False):
        points = [(y, _log(ratio)) for y, *ratios, _ in event.outcomes if (ratio := ratios[side]) is not None]
        xs, heights = zip(*points, strict=True)
        plot_series(axes, xs, heights, series, markersize=3.4, markevery=4, label=words)
    key_of(axes)
    tag(axes, float(sum(event.good)) / 2, level * 1.32, "G", theme, ha="center", va="center", fontweight="bold")
    words = f"{_times(event.k)}ε = {_level(event, 3)}"
    tag(axes, event.outcomes[-1][0], level * 0.97, words, theme, ha="right", va="top")


def _log(ratio: Fraction) -> float:
    return middle(float_ends(log_interval(ratio, relative_bits=DEFAULT_RELATIVE_BITS)))


def _paint_masses(axes: Axes, theme: Theme, event: SmoothnessEvent) -> None:
    heights = [log10_ends(row[3])[1] for row in event.outcomes]
    floor = min(y for y in heights if y > -inf) * 1.06
    axes.set(xlabel="y", ylabel="mass D(y), hatched outside G", ylim=(floor, 0))
    for is_good, series in ((True, theme.series[0]), (False, theme.series[1])):
        bars = [(row[0], y) for row, y in zip(event.outcomes, heights, strict=True) if event.is_good(row[0]) is is_good]
        axes.bar(
            [x for x, _ in bars], [y - floor for _, y in bars], 0.78, bottom=floor, facecolor=series.color,
            edgecolor=theme.page, hatch=series.hatch, linewidth=0,
        )  # fmt: skip
    power_axis(axes, "y", most=5)
