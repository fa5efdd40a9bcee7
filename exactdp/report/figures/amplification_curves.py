"""eps of a shuffled randomizer at a delta against n: both proved ends, the exact eps where it is had, published bounds.

At each number of users the eps at delta lies between two ends: at every eps below the lower one some data set has a
larger delta, at the upper one none has. Where an exact engine takes no longer, its eps is beside them. The published
bounds are those for every randomizer with the same eps0; of one randomizer also its own blanket, which certificates
state and the upper end never exceeds; for a family whose parameters are published, also the variation ratio, which may
be below the lower end: then a data set refutes it.

The picture has the band between the two ends above, and how far off published bounds are below. Both panels have the
number of users on a logarithmic axis. In the lower one everything is divided by the lower end, or by the exact eps
where that is had: the band begins at 1, and a bound below 1 is refuted by a data set. Hue tells where a bound comes
from, dashes and markers which one it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log10
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import HypothesisError, InvalidValueError, TooLargeError, UndecidedError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.numbers.balls import log_interval
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.privacy.planner import CheckableShufflePairs, ShufflePairs, engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.report.figures.data import DataTable, check_rising, log10_ends, middle, number_words, power_words
from exactdp.report.figures.style import Picture, Series, Theme, decimal_axis, key_below, plot_series, power_axis
from exactdp.studies.counterexamples.comparison import AT_EPS, ComparedProtocol, family_variation_ratio
from exactdp.studies.counterexamples.sizes import promised_exp_eps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_BITS: Final = 13
"""Accuracy of each end, 10^-4: the width of a line in a picture."""

_EXACT_STEPS: Final = 10**6
"""Pairs times outcomes of an exact scan that takes no longer than the two ends."""

_OF_ANY: Final = {
    "stronger clones": AT_EPS["stronger-clones"],
    "clones": AT_EPS["clones"],
    "variation ratio": family_variation_ratio,
    "Bennett": AT_EPS["bennett-blanket-generic"],
    "Hoeffding": AT_EPS["hoeffding-blanket-generic"],
}
"""What is published about every randomizer with one eps0, and about families with parameters."""

_OF_RESPONSES: Final = {**_OF_ANY, "Bennett": AT_EPS["bennett-blanket"], "Hoeffding": AT_EPS["hoeffding-blanket"]}
"""The same, where the closed forms are those of k-ary response."""

USUAL_USERS: Final = (3, 10, 100, 10**3, 10**4, 10**5, 10**6)
"""From a handful, where exact engines reach, to a country."""


@dataclass(frozen=True, slots=True)
class AmplificationPoint:
    """One number of users.

    Args:
        n: number of users.
        ends: from the lower end of eps to the upper one; None where no finite eps is proved to be enough.
        exact: encloses eps, where an exact engine gives it.
    """

    n: int
    ends: Interval | None
    exact: Interval | None

    @property
    def least(self) -> Fraction | None:
        """A proved lower end of eps, the best that is known."""
        known = [value.lo for value in (self.ends, self.exact) if value is not None]
        return max(known, default=None)

    @property
    def is_drawn(self) -> bool:
        """Whether a positive eps is known."""
        return any(value is not None and value.lo > 0 for value in (self.ends, self.exact))

    @property
    def most(self) -> Fraction | None:
        """A proved upper end of eps, the best that is known."""
        known = [value.hi for value in (self.ends, self.exact) if value is not None]
        return min(known, default=None)


@dataclass(frozen=True, slots=True)
class AmplificationCurves:
    """eps at ``delta`` against n, and what published bounds promise.

    Args:
        subject: the randomizer with its parameters, in words.
        delta: the target.
        exp_eps0: e^eps0 of one user's messages, or a number at most 2^-64 of it above; None where it is infinite.
        points: for rising n.
        bounds: name -> the eps that the bound promises at each n.
    """

    subject: str
    delta: Fraction
    exp_eps0: Fraction | None
    points: tuple[AmplificationPoint, ...]
    bounds: tuple[tuple[str, tuple[Interval, ...]], ...]

    def refuted(self) -> dict[str, tuple[int, ...]]:
        """Return bound -> the n at which it promises less than the proved lower end."""
        ends = [(point.n, point.least) for point in self.points]
        return {
            name: tuple(n for (n, low), eps in zip(ends, values, strict=True) if low is not None and eps.hi < low)
            for name, values in self.bounds
        }

    def table(self) -> DataTable:
        """The curves as a table: n, both ends, the exact eps where it is had, and a column for each bound."""
        names = ("n", "lower_end", "upper_end", "exact", *(name for name, _ in self.bounds))
        rows = tuple(
            (p.n, *((None, None) if p.ends is None else (p.ends.lo, p.ends.hi)), p.exact, *published)
            for p, *published in zip(self.points, *(values for _, values in self.bounds), strict=True)
        )
        return DataTable(names, rows, (("randomizer", self.subject), ("delta", str(self.delta))))


def amplification_curves(
    randomizer: UserRandomizer, *, subject: str, delta: Exact, users: Sequence[int] = USUAL_USERS
) -> AmplificationCurves:
    """Return eps at ``delta`` of a shuffled randomizer between its two proved ends for each number of users.

    Args:
        randomizer: a table, or a family.
        subject: what it is, in words.
        delta: in (0, 1).
        users: rising numbers of users who follow the protocol, at least two.

    Returns:
        Ends to 10^-4; exact eps where a scan has at most 10^5 steps, or each user sends one of two messages.

    >>> from exactdp import randomized_response
    >>> curves = amplification_curves(
    ...     randomized_response(4, exp_eps0="7389/1000"), subject="4-ary", delta="1e-6", users=(2, 10)
    ... )
    >>> [(float(point.least), float(point.most)) for point in curves.points]
    [(1.9999..., 1.9999...), (1.9999..., 1.9999...)]
    >>> curves.refuted()["variation ratio"]
    (2, 10)

    Cost: some 0.8 s for each number of users.

    Source: BalleBellGasconNissim2019, Theorem 5.1 (the blanket).
    """
    target = as_probability(delta, name="delta")
    if not 0 < target < 1:
        raise InvalidValueError(f"delta={target} is not between 0 and 1. Pass for example 1e-6.")
    sizes = tuple(as_integer(n, name="users", at_least=1) for n in users)
    check_rising("users", sizes)
    points = tuple(AmplificationPoint(n, _ends(randomizer, n, target), _exact(randomizer, n, target)) for n in sizes)
    if not any(point.is_drawn for point in points):
        raise InvalidValueError(
            f"{subject}: at delta={short(target)} eps is 0, or proved to be no finite number, at every n. Ask for "
            "another delta, or other numbers of users."
        )
    exp_eps0 = _local_exp_eps(randomizer)
    lines = () if exp_eps0 is None or exp_eps0 == 1 else _published(randomizer, sizes, exp_eps0, target)
    return AmplificationCurves(subject, target, exp_eps0, points, lines)


def _published(
    randomizer: UserRandomizer, users: Sequence[int], exp_eps0: Fraction, delta: Fraction
) -> tuple[tuple[str, tuple[Interval, ...]], ...]:
    """Return the eps that published bounds promise at each n: those that say something about the randomizer."""
    family = _family(randomizer, exp_eps0)
    k = None if family is None else family.response_size
    cases = [ComparedProtocol(f"n={n}", family or randomizer, n, exp_eps0, k) for n in users]
    lines: list[tuple[str, tuple[Interval, ...]]] = []
    for name, bound in (_OF_RESPONSES if k else _OF_ANY).items():
        with suppress(HypothesisError, TooLargeError):
            lines.append((name, tuple(_eps_between(*promised_exp_eps(bound, case, delta)) for case in cases)))
    if randomizer.pairs_by != "every":  # of every randomizer the stronger clones are the blanket
        lines.append(("blanket", tuple(_blanket(randomizer, n, exp_eps0, delta) for n in users)))
    return tuple(lines)


def _blanket(randomizer: UserRandomizer, n: int, exp_eps0: Fraction, delta: Fraction) -> Interval:
    """Return what the bounds by blankets promise, at most eps0."""
    engine = CheckableShufflePairs(randomizer, n, Neighbors.REPLACE_ONE, only_blankets=True).amplification()
    try:
        high = engine.exp_eps_range(delta, _BITS).high
    except UndecidedError:
        high = None
    promised = exp_eps0 if high is None else min(high, exp_eps0)
    return _eps_between(promised, promised)


def _ends(randomizer: UserRandomizer, n: int, delta: Fraction) -> Interval | None:
    engine = ShufflePairs(randomizer, n, Neighbors.REPLACE_ONE).amplification()
    try:
        found = engine.exp_eps_range(delta, _BITS)
    except UndecidedError:
        return None
    if found.high is None:
        return None
    return _eps_between(found.low, found.high)


def _eps_between(low: Fraction, high: Fraction) -> Interval:
    """Return the interval of eps between two numbers e^eps."""
    ends = [log_interval(end, relative_bits=2 * _BITS) for end in (low, high)]
    return Interval(ends[0].lower, ends[1].upper)


def _exact(randomizer: UserRandomizer, n: int, delta: Fraction) -> Interval | None:
    source = ShufflePairs(randomizer, n, Neighbors.REPLACE_ONE, _EXACT_STEPS)
    try:
        if not engine_of(source).is_tight:
            return None
        eps = PrivacyProfile(source).epsilon(delta, relative_bits=2 * _BITS)
    except TooLargeError:
        return None
    if isinstance(eps, Interval):
        return eps
    return None if eps.is_infinite else eps.enclose(relative_bits=2 * _BITS)


def _local_exp_eps(randomizer: UserRandomizer) -> Fraction | None:
    """Return e^eps0 of one user's messages, or a rational number just above; None if it is infinite."""
    eps0 = randomizer.at_least(64).local_epsilon()
    assert isinstance(eps0, LogRational)
    return None if eps0.is_infinite else eps0.argument


def _family(randomizer: UserRandomizer, exp_eps0: Fraction) -> FamilyRandomizer | None:
    """Return the family itself, or k-ary response where a table is the one of that family."""
    if (family := randomizer.family) is not None:
        return family.at_least(64)
    response = KAryResponse(len(randomizer.inputs), exp_eps0=exp_eps0)
    return response if response.has_small_table and response.table() == randomizer else None


_HUES: Final = {"stronger clones": 1, "clones": 1, "variation ratio": 2, "blanket": 3, "Bennett": 3, "Hoeffding": 3}
"""Bound -> the series whose hue it has: for clones, for the variation ratio, for the blanket and its closed forms."""

_FORMS: Final = {"stronger clones": 1, "clones": 2, "variation ratio": 3, "blanket": 2, "Bennett": 4, "Hoeffding": 1}
"""Bound -> the series whose dashes and marker it has: bounds of one hue have different ones."""

_FACTORS: Final = (0.5, 0.8, 0.9, 0.95, 1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2, 3, 5, 10, 20, 50, 100)
"""Ticks of factors; those are shown that have room."""

_LEAST_GAP: Final = 0.09
"""Of the height of the axes, between two ticks."""


def amplification_picture(curves: AmplificationCurves, *, name: str = "amplification") -> Picture:
    """Return the picture of eps against n; its title has both ends at the most users."""
    return Picture(
        name,
        _title(curves),
        _caption(curves),
        4.6 if curves.bounds else 2.8,
        curves.table(),
        lambda figure, theme: _paint(figure, theme, curves),
    )


def _users(n: int) -> str:
    exponent = len(str(n)) - 1
    return power_words(exponent) if n == 10**exponent and n >= 10**3 else str(n)


def _between(point: AmplificationPoint) -> str:
    """Return eps, or both ends, of a point where they are known."""
    assert point.least is not None
    assert point.most is not None
    texts = number_words(point.least, 3, up=False), number_words(point.most, 3)
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def _title(curves: AmplificationCurves) -> str:
    last = [point for point in curves.points if point.is_drawn][-1]
    return f"{curves.subject}: ε is {_between(last)} at n\u00a0=\u00a0{_users(last.n)}"


def _caption(curves: AmplificationCurves) -> str:
    last = curves.points[-1]
    alone = "" if curves.exp_eps0 is None else f", alone e^ε₀ = {number_words(curves.exp_eps0, 4)}"
    parts = [
        f"{curves.subject}{alone}: ε at δ = {number_words(curves.delta)} against the number of users n.",
        "Both axes are logarithmic.",
    ]
    if any(point.ends is not None for point in curves.points):
        parts.append(
            "The band lies between two proved ends: at every smaller ε some pair of data sets has a larger δ, at the "
            "upper end no pair has. Where both agree it is as thin as a line."
        )
    ends = [f"{_between(point)} at n = {_users(point.n)}" for point in curves.points if point.least is not None]
    parts.append(f"ε is {', '.join(ends)}.")
    if exact := [_users(point.n) for point in curves.points if point.exact is not None]:
        parts.append(f"An exact engine gives ε itself at n = {', '.join(exact)} (rings).")
    if curves.bounds:
        promised = ", ".join(f"{name} {number_words(values[-1], 3)}" for name, values in curves.bounds)
        parts.append(f"Published bounds promise, at n = {_users(last.n)}: {promised}. Below, each over the lower end.")
        parts.append("No bound is drawn above ε₀, which holds without any.")
    for name, sizes in curves.refuted().items():
        if sizes:
            shown = ", ".join(map(_users, sizes))
            parts.append(f"At n = {shown} (crosses) {name} promises less than the lower end: a data set refutes it.")
    return " ".join(parts)


def _paint(figure: Figure, theme: Theme, curves: AmplificationCurves) -> None:
    if not curves.bounds:
        axes = figure.add_subplot()
        key = _paint_eps(axes, theme, curves)
        _finish(axes, key)
        return
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    key = _paint_eps(above, theme, curves)
    above.tick_params(labelbottom=False)
    _paint_factors(below, theme, curves)
    _finish(below, key)


def _finish(axes: Axes, key: list[tuple[float, str, Series]]) -> None:
    axes.set_xlabel("number of users n")
    power_axis(axes, "x")
    key_below(axes, key)


def _looks(theme: Theme, curves: AmplificationCurves) -> list[Series]:
    """Return the look of each bound."""
    series = theme.series
    return [
        Series(series[_HUES[name]].color, series[_FORMS[name]].dashes, series[_FORMS[name]].marker, "")
        for name, _ in curves.bounds
    ]


def _height(value: Fraction | Interval) -> float:
    return middle(log10_ends(value))


def _band(curves: AmplificationCurves) -> tuple[list[float], list[float], list[float]]:
    """Return log10 of n and of both ends, where they are known and above 0."""
    known = [(p.n, p.ends) for p in curves.points if p.ends is not None and p.ends.lo > 0]
    xs, lows = [log10(n) for n, _ in known], [_height(ends.lo) for _, ends in known]
    return xs, lows, [_height(ends.hi) for _, ends in known]


def _paint_eps(axes: Axes, theme: Theme, curves: AmplificationCurves) -> list[tuple[float, str, Series]]:
    """Draw eps against n; return what is to be said of its lines."""
    xs = [log10(p.n) for p in curves.points]
    labels: list[tuple[float, str, Series]] = []
    heights: list[float] = []
    for (name, values), series in zip(curves.bounds, _looks(theme, curves), strict=True):
        line = [(x, y) for x, value in zip(xs, values, strict=True) if (y := _height(value)) > -inf]
        plot_series(axes, [x for x, _ in line], [y for _, y in line], series)
        heights += [y for _, y in line]
        if line:
            labels.append((line[-1][1], name, series))
    places, lows, highs = _band(curves)
    blue = theme.series[0]
    axes.fill_between(places, lows, highs, color=blue.color, alpha=0.25, linewidth=0)
    for ends in (lows, highs):
        axes.plot(places, ends, color=blue.color, linewidth=1.4, zorder=4)
    rings = [(log10(p.n), _height(p.exact)) for p in curves.points if p.exact is not None and p.exact.lo > 0]
    ring: dict[str, Any] = {
        "marker": "o",
        "markersize": 7,
        "markerfacecolor": "none",
        "markeredgecolor": theme.ink,
        "zorder": 5,
    }
    axes.plot([x for x, _ in rings], [y for _, y in rings], linestyle="none", **ring)
    heights += [*lows, *highs, *(y for _, y in rings)]
    axes.set(xlim=(xs[0] - 0.1, xs[-1] + 0.1), ylim=(min(heights) - 0.12, max(heights) + 0.12), ylabel="ε")
    decimal_axis(axes)
    if places:
        labels.append(((lows[-1] + highs[-1]) / 2, "between proved ends", Series(blue.color, "solid", "", "")))
    if rings:
        labels.append((rings[-1][1], "exact", Series(theme.ink, "none", "o", "")))
    if any(curves.refuted().values()):
        labels.append((-inf, "refuted there", Series(theme.ink, "none", "x", "")))
    return labels


def _paint_factors(axes: Axes, theme: Theme, curves: AmplificationCurves) -> None:
    """Draw everything over the best lower end, on a logarithmic axis."""
    points = [(k, log10(p.n), _height(p.least)) for k, p in enumerate(curves.points) if p.least]
    heights = [0.0]
    for (name, values), series in zip(curves.bounds, _looks(theme, curves), strict=True):
        line = [(k, x, y - low) for k, x, low in points if (y := _height(values[k])) > -inf]
        plot_series(axes, [x for _, x, _ in line], [y for _, _, y in line], series)
        heights += [y for _, _, y in line]
        wrong = curves.refuted()[name]
        crosses = [(x, y) for k, x, y in line if curves.points[k].n in wrong]
        cross: dict[str, Any] = {
            "marker": "x",
            "markersize": 8,
            "markeredgewidth": 1.8,
            "color": theme.ink,
            "zorder": 6,
        }
        axes.plot([x for x, _ in crosses], [y for _, y in crosses], linestyle="none", **cross)
    ends = [curves.points[k].ends for k, _, _ in points]
    highs = [0.0 if end is None else _height(end.hi) - low for end, (_, _, low) in zip(ends, points, strict=True)]
    axes.fill_between([x for _, x, _ in points], 0, highs, color=theme.colors[0], alpha=0.25, linewidth=0)
    for edge in ([0.0] * len(points), highs):
        axes.plot([x for _, x, _ in points], edge, color=theme.colors[0], linewidth=1.4, zorder=4)
    bottom, top = min(heights), max(*heights, *highs)
    margin = 0.08 * (top - bottom) or 0.01
    axes.set(ylim=(bottom - margin, top + margin), ylabel="ε over the lower end")
    _factor_axis(axes)


def _factor_axis(axes: Axes) -> None:
    """Label factors on an axis of their logarithms, as many as have room."""
    from matplotlib.ticker import FixedLocator, FuncFormatter

    low, high = axes.get_ylim()
    ticks: list[float] = []
    for factor in sorted(_FACTORS, key=lambda factor: (factor != 1, _roundness(factor))):
        place = log10(factor)
        if low <= place <= high and all(abs(place - other) > _LEAST_GAP * (high - low) for other in ticks):
            ticks.append(place)
    axes.yaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"×{10**value:.3g}"))


def _roundness(factor: float) -> int:
    """Return how late a factor is chosen: powers of ten, then 2 and 5, then the others."""
    digits = f"{factor:g}".replace(".", "").strip("0")
    return {"1": 0, "2": 1, "5": 1, "3": 2}.get(digits, 3 + len(digits))
