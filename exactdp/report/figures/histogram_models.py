"""The users that a histogram of all bins at once takes, against the number of bins, in three models of trust.

*Local*: between the number that is too small for every protocol and the one that is enough for unary encoding, both by
theorems of the Coq development. *Shuffled*: zsum in every bin, at the least gamma for (eps, delta). *Central*: the
stability histogram. At most n bins hold a user and the others are exact, so the last two do not depend on the bins.

Source: BalcerCheu2020, section 3.2 (the claim that the gap grows with the bins).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log10
from typing import TYPE_CHECKING, Any, Final

import exactdp as xdp
from exactdp.numbers.bisection import bisect, gallop
from exactdp.protocols.accuracy.local_histograms import unary_encoding_users
from exactdp.protocols.accuracy.optimal import histogram_optimum
from exactdp.report.figures.data import DataTable, number_words
from exactdp.report.figures.style import Picture, Theme, key_below, plot_series, power_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BINS: Final = 10**12
"""More than there are users: as many bins as there may be."""


@dataclass(frozen=True, slots=True)
class HistogramUsers:
    """What is asked, and the users that it takes.

    Args:
        eps, delta: the privacy, of which local protocols have eps alone.
        alpha: the error of all bins at once, as a share of the users; beta: the probability of a larger one.
        bits: d = 2 to these.
        too_few: for each, a number of users too small for every local protocol, as is every smaller one.
        enough: for each, one that is enough for unary encoding, as is every larger one.
        shuffled, central: numbers that are enough, for every d; of the curator the least one.
    """

    eps: Fraction
    delta: Fraction
    alpha: Fraction
    beta: Fraction
    bits: tuple[int, ...]
    too_few: tuple[int, ...]
    enough: tuple[int, ...]
    shuffled: int
    central: int


def histogram_users(
    bits: Sequence[int], *, eps: Fraction, delta: Fraction, alpha: Fraction, beta: Fraction
) -> HistogramUsers:
    """Return the users needed in the three models, for 2^k bins with each k of ``bits``.

    >>> tenth = Fraction(1, 10)
    >>> asked = histogram_users([1, 100], eps=Fraction(1), delta=tenth, alpha=tenth, beta=tenth)
    >>> asked.too_few[0] < asked.central < asked.shuffled < asked.too_few[1] < asked.enough[1]
    True

    Cost: some seconds, for the least gamma.

    Source: BalcerCheu2020, section 3.2.
    """
    asked: dict[str, Any] = {"eps": eps, "alpha": alpha, "beta": beta}
    users = 1000
    while True:  # the error in users hardly depends on them
        gamma = xdp.calibrate("histogram", n=users, eps=eps, delta=delta, inputs=users).parameter
        least = histogram_optimum(users, users, gamma, beta)
        high = least if isinstance(least, Fraction) else least.hi
        if high <= alpha:
            break
        users = max(users + 1, ceil(users * high / alpha))

    def is_enough(n: int) -> bool:
        central = xdp.protocols.stability_histogram(n, _BINS, eps=eps, delta=delta)
        error: Any = xdp.optimal_accuracy(central, beta=beta, simultaneous=True)
        return bool(error <= alpha * n)

    return HistogramUsers(
        eps,
        delta,
        alpha,
        beta,
        tuple(bits),
        tuple(xdp.local_histogram_users(2**k, **asked) for k in bits),
        tuple(unary_encoding_users(2**k, **asked) for k in bits),
        users,
        bisect(*gallop(1, 1, is_enough), is_enough),
    )


def histogram_models_picture(asked: HistogramUsers, *, name: str = "histogram-models") -> Picture:
    """Return the picture of the users needed against the number of bins."""
    last, words = _power_of_2(asked.bits[-1]), number_words
    caption = (
        f"The users that a histogram takes if all bins at once are to be within {words(asked.alpha)} of them with "
        f"probability {words(1 - asked.beta)}, at ε = {words(asked.eps)} and δ = {words(asked.delta)}, against the "
        "number of bins, on logarithmic scales. With the local model's users in the band it is not known whether some "
        "protocol is enough; below it none is, above it unary encoding is, and both are theorems. Two bins take more "
        f"than {words(asked.too_few[0])} users and at most {words(asked.enough[0])}, {last} bins more than "
        f"{words(asked.too_few[-1], 4, up=False)} and at most {words(asked.enough[-1], 4)}. In the shuffle model "
        f"{words(asked.shuffled)} users are enough for P^hist, and {words(asked.central)} for a curator's stability "
        "histogram, whatever the number of bins."
    )
    title = (
        f"Users for {last} bins: more than {words(asked.too_few[-1], 3, up=False)} locally, "
        f"{words(asked.shuffled)} shuffled, {words(asked.central)} with a curator"
    )
    rows = tuple(
        (k, low, high, asked.shuffled, asked.central)
        for k, low, high in zip(asked.bits, asked.too_few, asked.enough, strict=True)
    )
    about = tuple((word, str(getattr(asked, word))) for word in ("eps", "delta", "alpha", "beta"))
    table = DataTable(("log2_bins", "local_too_few", "local_enough", "shuffled", "central"), rows, about)
    return Picture(name, title, caption, 3.2, table, lambda figure, theme: _paint(figure, theme, asked))


def _paint(figure: Figure, theme: Theme, asked: HistogramUsers) -> None:
    axes = figure.add_subplot()
    xs = [log10(k) for k in asked.bits]
    curves = (
        ("local, enough for unary encoding", asked.enough, theme.series[1]),
        ("local, too few for all", asked.too_few, theme.series[2]),
        ("shuffled, P^hist", [asked.shuffled] * len(xs), theme.series[0]),
        ("a curator", [asked.central] * len(xs), theme.series[3]),
    )
    labels = []
    for said, users, series in curves:
        heights = [log10(max(1, n)) for n in users]
        plot_series(axes, xs, heights, series)
        labels.append((heights[-1], said, series))
    few, many = ([log10(max(1, n)) for n in users] for users in (asked.too_few, asked.enough))
    axes.fill_between(xs, few, many, color=theme.colors[1], alpha=0.13, linewidth=0)
    axes.set(xlim=(xs[0] - 0.05, xs[-1] + 0.05), xlabel="bins", ylabel="users")
    axes.set_xticks([log10(k) for k in _TICKS], [_power_of_2(k) for k in _TICKS])
    power_axis(axes, "y")
    key_below(axes, labels)


_TICKS: Final = (1, 2, 5, 10, 20, 50, 100)
"""Exponents that the axis of bins names."""


def _power_of_2(exponent: int) -> str:
    return "2" + str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
