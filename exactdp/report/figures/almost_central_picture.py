"""Sums in almost one message: what the theorem's constants give away, the messages that they cost, and the error.

Of bits, where the view's divergence is enclosed to any accuracy; nothing here depends on the number of users, whose
shares add up to the same noise. Two pictures: the exact delta of the theorem's constants beside the delta that they
promise, with the noise messages of the theorem's shape and of the least one, against delta; and those messages against
the variance of the error over a curator's, along the share of eps that is left for the noise that cancels.

Source: GhaziKumarManurangsiPaghSinha2021, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log10
from typing import TYPE_CHECKING, Final

import exactdp as xdp
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import fraction_ends
from exactdp.numbers.real import Real
from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum
from exactdp.protocols.one_parameter_families import Family
from exactdp.report.figures.data import DataTable, Number, log10_ends, middle, number_words
from exactdp.report.figures.style import Picture, Theme, decimal_axis, key_below, plot_series, power_axis, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_USERS: Final = 10**6
"""Any number: nothing that is drawn depends on it."""
_TICKS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Of the axis of variances."""


@dataclass(frozen=True, slots=True)
class AlmostCentralPoint:
    """The theorem's constants for bits at one eps, delta and share, and the least shape that is enough instead.

    Args:
        delta: promised.
        share: of eps, for the noise that cancels.
        theorem: the protocol with the theorem's constants.
        least: the one with its ratios, and the least shape r, from 1 on, on the grid of ``calibrate``.
    """

    eps: Fraction
    delta: Fraction
    share: Fraction
    theorem: AlmostCentralSum
    least: AlmostCentralSum

    @property
    def exact(self) -> Number:
        """What the theorem's constants give away at eps."""
        return self.theorem.privacy_profile().delta(eps=self.eps)

    @property
    def messages(self) -> tuple[Number, Number]:
        """The expected noise messages of all users together: by the theorem, and with the least shape."""
        return _of_all(self.theorem), _of_all(self.least)

    @property
    def variance(self) -> xdp.Interval:
        """The variance of the error, which is the same for both, over a curator's."""
        return self.theorem.variance_over_central(eps=self.eps)


def _of_all(protocol: AlmostCentralSum) -> Number:
    mean = protocol.noise_messages
    if isinstance(mean, Fraction):
        return _USERS * mean
    return xdp.Interval.between(_USERS * mean.lo, _USERS * mean.hi, bits=DEFAULT_RELATIVE_BITS)


def almost_central_point(eps: Fraction, delta: Fraction, share: Fraction = Fraction(1, 2)) -> AlmostCentralPoint:
    """Return the theorem's constants for bits, and the least shape with its ratios.

    >>> point = almost_central_point(Fraction(1), Fraction(1, 10**6))
    >>> [round(float(messages)) for messages in point.messages], round(float(point.variance), 3)
    ([5494, 295], 4.255)

    Cost: 0.05 s.

    Source: GhaziKumarManurangsiPaghSinha2021, section 3.
    """

    def build(r: Fraction | None, n: int | None) -> AlmostCentralSum:
        return xdp.protocols.almost_central_sum(_USERS, bound=1, eps=eps, delta=delta, share=share, r=r)

    family = Family(build, "r", (1, None), True)
    least = xdp.calibrate(family, n=_USERS, eps=eps, delta=delta, certificates=False)
    return AlmostCentralPoint(eps, delta, share, build(None, None), build(least.parameter, None))


def curator_error(eps: Fraction, beta: Fraction) -> Fraction | xdp.Interval:
    """Return the error of a curator who adds discrete Laplace noise of e^eps to a sum of bits.

    >>> curator_error(Fraction(1), Fraction(1, 20))
    Fraction(3, 1)

    Source: GhoshRoughgardenSundararajan2012, section 2.
    """
    noise = xdp.DiscreteLaplace(Real.exp(Real(eps)))
    return xdp.optimal_accuracy(xdp.AdditiveProtocol(noise, analyzer=xdp.Analyzer({0: 1})), beta=beta)


# --- Against delta --------------------------------------------------------------------------------------------------


def almost_central_privacy_picture(
    eps: Fraction, powers: Sequence[int], *, name: str = "almost-central-privacy"
) -> Picture:
    """Return the picture of exact and promised delta, and of the messages, for each delta = 10^-power."""
    points = [almost_central_point(eps, Fraction(1, 10**power)) for power in powers]
    exact, messages = [point.exact for point in points], [point.messages for point in points]
    parts = [
        f"at δ = {number_words(point.delta)} the theorem's constants give away {number_words(delta)}, with "
        f"{number_words(theorem, 3)} messages, and {number_words(least, 3)} are enough"
        for point, delta, (theorem, least) in list(zip(points, exact, messages, strict=True))[:: len(points) - 1]
    ]
    caption = (
        f"The sum of bits in almost one message at ε = {number_words(eps)}, at any number of users, against 1/δ. "
        "Above, on a logarithmic scale: the δ that the theorem promises, and the exact one of its constants. Below: "
        "the expected noise messages of all users together, to be divided by n, by the theorem and with the least "
        "shape r, "
        f"from 1 on, of the noise that cancels: {'; '.join(parts)}. The error is the same for both."
    )
    ratios = sorted(fraction_ends(theorem)[0] / fraction_ends(least)[1] for theorem, least in messages)
    few, many = (number_words(ratio, 2, up=False) for ratio in (ratios[0], ratios[-1]))
    title = f"Almost central: the theorem takes {few} to {many} times the noise messages that are enough"
    rows = tuple((point.delta, delta, *both) for point, delta, both in zip(points, exact, messages, strict=True))
    names = ("delta", "exact_delta", "theorem_messages", "least_messages")
    return Picture(
        name,
        title,
        caption,
        4.8,
        DataTable(names, rows, (("eps", str(eps)), ("bound", "1"), ("share", "1/2"))),
        lambda figure, theme: _paint_privacy(figure, theme, points, exact, messages),
    )


def _paint_privacy(
    figure: Figure,
    theme: Theme,
    points: Sequence[AlmostCentralPoint],
    exact: Sequence[Number],
    messages: Sequence[tuple[Number, Number]],
) -> None:
    xs = [-log10(point.delta) for point in points]
    sides: list[Axes] = list(figure.subplots(2, 1))
    blue, orange = theme.series[:2]
    panels: tuple[tuple[str, Sequence[Number], str, Sequence[Number], str], ...] = (
        ("δ at the same ε", [point.delta for point in points], "promised", exact, "exact"),
        (
            "noise messages of all users",
            [most for most, _ in messages],
            "theorem",
            [few for _, few in messages],
            "least",
        ),
    )
    for axes, (ylabel, published, name, found, other) in zip(sides, panels, strict=True):
        labels = []
        for values, words, series in ((published, name, orange), (found, other, blue)):
            heights = [middle(log10_ends(value)) for value in values]
            plot_series(axes, xs, heights, series)
            labels.append((heights[-1], words, series))
        axes.set(xlim=(xs[0] - 0.4, xs[-1] + 0.4), xlabel="1/δ, promised", ylabel=ylabel)
        low, high = axes.get_ylim()
        axes.set_ylim(low - 0.04 * (high - low), high + 0.06 * (high - low))
        power_axis(axes, "x", most=5)
        key_below(axes, labels)
    power_axis(sides[0], "y", most=6)
    decimal_axis(sides[1])


# --- Against a curator's error --------------------------------------------------------------------------------------


def almost_central_error_picture(
    eps: Fraction, delta: Fraction, beta: Fraction, shares: Sequence[Fraction], *, name: str = "almost-central-error"
) -> Picture:
    """Return the picture of the messages against the variance over a curator's, for each share of eps."""
    points = [almost_central_point(eps, delta, share) for share in shares]
    central = curator_error(eps, beta)
    errors = [xdp.optimal_accuracy(point.theorem, beta=beta) for point in points]
    parts = [
        f"with the share {point.share} the variance is {number_words(point.variance, 3)} times the curator's and the "
        f"error {number_words(error, 3)}, for {number_words(point.messages[0], 3)} messages by the theorem and "
        f"{number_words(point.messages[1], 3)} with the least shape"
        for point, error in list(zip(points, errors, strict=True))[:: len(points) - 1]
    ]
    caption = (
        f"The sum of bits in almost one message at ε = {number_words(eps)} and δ = {number_words(delta)}, at any "
        "number of users, on logarithmic axes: the expected noise messages of all users together against the variance "
        "of the error over that of a curator's discrete Laplace noise at the same ε. Each point is a share of ε that "
        f"is left for the noise that cancels, the rest is for the noise that stays: {'; '.join(parts)}. The error is "
        f"the least one that is kept with probability {number_words(1 - beta)}; the curator's is "
        f"{number_words(central, 3)}."
    )
    first = points[0]
    title = (
        f"{number_words(first.variance, 3)} times a curator’s variance, for "
        f"{number_words(first.messages[1], 3)} noise messages of all users"
    )
    rows = tuple(
        (point.share, point.variance, error, *point.messages) for point, error in zip(points, errors, strict=True)
    )
    names = ("share", "variance_over_central", "alpha", "theorem_messages", "least_messages")
    about = (("eps", str(eps)), ("delta", str(delta)), ("beta", str(beta)), ("alpha of a curator", str(central)))
    return Picture(
        name,
        title,
        caption,
        2.9,
        DataTable(names, rows, about),
        lambda figure, theme: _paint_error(figure, theme, points),
    )


def _paint_error(figure: Figure, theme: Theme, points: Sequence[AlmostCentralPoint]) -> None:
    axes = figure.add_subplot()
    xs = [middle(log10_ends(point.variance)) for point in points]
    labels = []
    for side, words, series in ((0, "theorem’s r", theme.series[1]), (1, "least r", theme.series[0])):
        heights = [middle(log10_ends(point.messages[side])) for point in points]
        plot_series(axes, xs, heights, series)
        labels.append((heights[-1], words, series))
    axes.set(
        xlim=(0, 1.05 * xs[-1]),
        xlabel="variance of the error, 1 = a curator’s",
        ylabel="noise messages of all users",
    )
    for point, x in zip(points, xs, strict=True):
        words = f"share {point.share}" if point is points[0] else str(point.share)
        tag(axes, x + 0.01, middle(log10_ends(point.messages[0])) + 0.05, words, theme, ha="left", va="bottom")
    ticks = [tick for tick in _TICKS if log10(tick) <= xs[-1] * 1.05]
    axes.set_xticks([log10(tick) for tick in ticks], [str(tick) for tick in ticks])
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.1 * (high - low))  # the word at the first point stays below the name of the axis
    decimal_axis(axes)
    key_below(axes, labels)
