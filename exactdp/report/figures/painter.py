"""The painter of every chart: from panels and marks to a matplotlib figure in a theme.

Logarithms are painted as log10 of the numbers on linear axes: no float holds a delta of 10^-100000. The name of a
vertical axis stands above it, what the lines are is said in a key below, in the order in which they end, or at their
ends; a figure grows by what its words need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor, inf, isfinite, log10
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from exactdp.report.figures.chart import (
    Area,
    Axis,
    Bars,
    Chart,
    Color,
    Columns,
    Dots,
    Drawn,
    Levels,
    Line,
    Mark,
    Note,
    Panel,
    Rule,
    Slope,
    Value,
)
from exactdp.report.figures.data import Number, float_ends, log10_ends, middle, number_words, power_words
from exactdp.report.figures.style import EDGE, FONT, WIDTH, Theme, filled, heighten, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_Known: TypeAlias = Number | float
"""A value that is known."""
_LINE: Final = 1.3 * FONT
"""Height of a line of text, in points."""
_BELOW: Final = 8
"""Between the names below the axes and their key, in points."""
_NAME: Final = 92
"""Width of a name at the end of a line, in points."""
_MARGIN: Final = 0.05
"""Of an axis, beyond what is drawn."""
_SEEN: Final = 1e-6
"""Intervals of this width, or of so many decades, are seen as bands."""
_WIDE: Final = 3
"""Decades from which on an axis has powers of ten."""
_SHORT: Final = 1.5
"""Decades up to which it has 1, 2 and 5 times each of them, and else 1 and 3 times."""
_LONG: Final = 3.9
"""Decades from which on round numbers are written with a power of ten."""
_FACTORS: Final = (1, 2, 5, 0.5, 10, 20, 50, 100, 3, 1.1, 1.2, 1.5, 1.3, 0.8, 0.9, 1.01, 1.02, 1.05, 0.95)
"""Ticks of factors, the roundest first; those are shown that have room."""
_LEAST_GAP: Final = 0.09
"""Of an axis, between two ticks of factors."""


def paint(figure: Figure, theme: Theme, chart: Chart) -> None:
    """Paint all panels of a chart on an empty figure."""
    ratios = [panel.height for panel in chart.panels]
    drawn = figure.subplots(len(ratios), 1, squeeze=False, sharex=chart.is_shared, height_ratios=ratios)
    for axes, panel in zip(drawn.flat, chart.panels, strict=True):
        _Painted(axes, theme, panel).paint()
    groups = [(axes, panel.marks) for axes, panel in zip(drawn.flat, chart.panels, strict=True) if not panel.is_direct]
    if chart.is_shared:
        for axes in drawn.flat[:-1]:
            axes.tick_params(labelbottom=False)
            axes.set_xlabel("")
        groups = [(drawn.flat[-1], tuple(mark for panel in chart.panels for mark in panel.marks))]
    for axes, marks in groups:
        _key_below(axes, theme, marks, chart.panels[0].y.is_log)
    for axes in figure.axes:
        _name_above(axes)
        _place_key(axes)


class _Painted:
    """One panel while it is painted: values become floats, and where a logarithm has none, the end of the axis."""

    def __init__(self, axes: Axes, theme: Theme, panel: Panel) -> None:
        self.axes, self.theme, self.panel = axes, theme, panel
        points = [point for mark in panel.marks for point in _extent(mark)]
        self.x = _range([x for x, _ in points], panel.x, margin=0.04 if panel.x.is_log else 0.02)
        self.y = _range([y for _, y in points], panel.y, margin=_MARGIN)

    def paint(self) -> None:
        """Paint the axes, then the marks."""
        axes, panel = self.axes, self.panel
        across = self.x[::-1] if panel.x.is_falling else self.x
        axes.set(xlim=across, ylim=self.y, xlabel=panel.x.name, ylabel=panel.y.name)
        axes.set_title(panel.title)
        if panel.is_square:
            axes.set_aspect("equal")
        for mark in panel.marks:
            getattr(self, f"_{type(mark).__name__.lower()}")(mark)
        for axis, spec, ends in ((axes.xaxis, panel.x, self.x), (axes.yaxis, panel.y, self.y)):
            _tick(axis, spec, ends)
        if panel.is_direct:
            self._name_lines()

    def _at(self, value: Value, axis: str, *, up: bool | None = None) -> float:
        """Return where a value is: at its middle, or its lower or upper end."""
        is_log, ends = (self.panel.x.is_log, self.x) if axis == "x" else (self.panel.y.is_log, self.y)
        place = _places(value, is_log=is_log)
        found = middle(place) if up is None else place[up]
        return found if found > -inf else ends[0]

    def _along(self, xs: Sequence[Value], aside: float = 0.0) -> list[float]:
        return [self._at(x, "x") + aside for x in xs]

    def _color(self, color: Color) -> str:
        return color_of(self.theme, color)

    def _line(self, line: Line) -> None:
        known = [(x, y) for x, y in zip(line.xs, line.ys, strict=True) if x is not None and y is not None]
        if self.panel.y.is_log:
            known = _until_zero(known)
        xs = self._along([x for x, _ in known], line.aside)
        lows, highs = ([self._at(y, "y", up=up) for _, y in known] for up in (False, True))
        is_band = any(high - low > _SEEN * (1 + abs(high)) for low, high in zip(lows, highs, strict=True))
        look = _look(self.theme, line)
        if is_band:
            bare = _places(Fraction(0), is_log=True)[0] if self.panel.y.is_log else None
            lows = [
                high if bare is not None and _places(y, is_log=True)[0] == bare else low
                for low, high, (_, y) in zip(lows, highs, known, strict=True)
            ]
            self.axes.fill_between(xs, lows, highs, color=look["color"], alpha=0.2, linewidth=0)
            self.axes.plot(xs, lows, **{**look, "marker": "", "linewidth": 1.0, "zorder": line.layer})
        else:
            highs = [(low + high) / 2 for low, high in zip(lows, highs, strict=True)]
        self.axes.plot(xs, highs, **look, linewidth=line.width, markevery=line.every, zorder=line.layer)

    def _area(self, area: Area) -> None:
        lows, highs = ([self._at(y, "y", up=up) for y in ys] for ys, up in ((area.lows, False), (area.highs, True)))
        xs = self._along(area.xs)
        if area.in_steps:
            lows, highs = [lows[0], *lows], [highs[0], *highs]
            xs = [self.x[0] if self.x[0] < xs[0] else xs[0], *xs][-len(lows) :]
        color = self._color(area.color)
        if area.hatch:
            how: dict[str, Any] = {"facecolor": "none", "edgecolor": color, "hatch": area.hatch, "linewidth": 0.0}
        else:
            how = {"color": color, "alpha": area.alpha, "linewidth": 0}
        self.axes.fill_between(xs, lows, highs, step="pre" if area.in_steps else None, **how)

    def _rule(self, rule: Rule) -> None:
        draw = self.axes.axhline if rule.axis == "y" else self.axes.axvline
        draw(self._at(rule.at, rule.axis), color=self._color(rule.color), linewidth=0.9, linestyle=_dashes(rule.form))

    def _note(self, note: Note) -> None:
        patch = {"facecolor": self.theme.page, "edgecolor": "none", "alpha": 0.85, "pad": 1.2}
        self.axes.annotate(
            note.words, (self._at(note.x, "x"), self._at(note.y, "y")), (note.dx, note.dy),
            textcoords="offset points", annotation_clip=False, ha=note.ha, va=note.va, rotation=note.rotation,
            color=self._color(note.color), bbox=patch, zorder=5,
        )  # fmt: skip

    def _drawn(self, drawn: Drawn) -> None:
        look = self.theme.series[drawn.color] if isinstance(drawn.color, int) else self.theme.series[0]
        for x, (low, high) in zip(self._along(drawn.xs, drawn.aside), drawn.ends, strict=True):
            if low is None or high is None:
                continue
            ends = self._at(low, "y"), self._at(high, "y")
            place = sum(ends) / 2 if ends[0] > self.y[0] else ends[1]
            self.axes.errorbar(
                [x], [place], yerr=[[place - ends[0]], [ends[1] - place]], color=look.color, marker=look.marker,
                markersize=4.2, markerfacecolor="none", linewidth=1.1, capsize=2.2, zorder=4,
            )  # fmt: skip

    def _levels(self, levels: Levels) -> None:
        for x, y in zip(levels.xs, levels.ys, strict=True):
            if x is not None and y is not None:
                place = self._at(x, "x") + levels.aside
                ends = [place - levels.half, place + levels.half]
                height = self._at(y, "y")
                self.axes.plot(ends, [height] * 2, color=self._color(levels.color), linewidth=2.2, zorder=5)

    def _columns(self, columns: Columns) -> None:
        hatch = self.theme.series[columns.color].hatch if isinstance(columns.color, int) else ""
        heights = [self._at(y, "y", up=True) - self.y[0] for y in columns.ys]
        self.axes.bar(
            self._along(columns.xs), heights, 0.78, bottom=self.y[0], facecolor=self._color(columns.color),
            edgecolor=self.theme.page, hatch=hatch, linewidth=0,
        )  # fmt: skip

    def _bars(self, bars: Bars) -> None:
        for k, (words, low, high, color) in enumerate(bars.rows):
            left, right = self._at(low, "x", up=False), self._at(high, "x", up=True)
            least = 0.004 * (self.x[1] - self.x[0])  # what is known better is drawn as wide as can be seen
            left, right = min(left, (left + right) / 2 - least), max(right, (left + right) / 2 + least)
            hatch = self.theme.series[color].hatch if isinstance(color, int) else ""
            self.axes.barh(
                -k, right - left, 0.3, left=left, facecolor=self._color(color), edgecolor=self.theme.page,
                hatch=hatch, linewidth=0, zorder=2,
            )  # fmt: skip
            x = self.x[0] + 0.01 * (self.x[1] - self.x[0])
            self.axes.text(x, 0.2 - k, words, va="bottom", ha="left", linespacing=1.25)
        self.axes.grid(visible=False)

    def _dots(self, dots: Dots) -> None:
        heights = [self._at(y, "y") for y in dots.ys]
        self.axes.scatter(
            self._along(dots.xs), heights, s=list(dots.areas), color=self._color(dots.color), linewidths=0, zorder=3
        )

    def _slope(self, slope: Slope) -> None:
        (low, high), (bottom, top) = self.x, self.y
        start, length = low + 0.5 * (high - low), 0.35 * (high - low)
        begun = self._at(slope.y, "y") + slope.slope * (start - self._at(slope.x, "x")) - 0.1 * (top - bottom)
        rise, inside = slope.slope * length, 0.08 * (top - bottom)
        height = max(bottom + inside, min(begun, top - rise - inside))
        ends = [start, start + length], [height, height + rise]
        self.axes.plot(*ends, color=self.theme.quiet, linewidth=1.0, zorder=1)
        patch = {"facecolor": self.theme.page, "edgecolor": "none", "alpha": 0.85, "pad": 1.2}
        place = ends[0][1], ends[1][1]
        self.axes.text(*place, f" {slope.words}", color=self.theme.quiet, va="center", bbox=patch, zorder=5)

    def _name_lines(self) -> None:
        """Name each line that reaches the right end of the axis there: in their order, none over another."""
        lines = [mark for mark in self.panel.marks if isinstance(mark, Line) and mark.label and mark.ys]
        ends = {id(line): self._at(line.ys[-1], "y", up=True) for line in lines}
        lines.sort(key=lambda line: ends[id(line)])
        words = [filled(line.label, width=_NAME) for line in lines]
        step = (self.y[1] - self.y[0]) * _LINE / (72 * self.panel.height - 3.5 * _LINE)
        sizes = [step * (1 + text.count("\n")) for text in words]
        places = [ends[id(line)] for line in lines]
        for _ in range(200):  # neighbours that are too near push each other apart, and the ends of the axis push back
            for k in range(len(places) - 1):
                lack = max(0.0, (sizes[k] + sizes[k + 1]) / 2 - (places[k + 1] - places[k]))
                places[k] -= lack / 2
                places[k + 1] += lack / 2
            places = [min(max(place, self.y[0]), self.y[1]) for place in places]
        right, gap = self.x[1], 0.1 * (self.x[1] - self.x[0])
        for place, line, text in zip(places, lines, words, strict=True):
            leader = [self._at(line.xs[-1], "x"), right + gap], [ends[id(line)], place]
            self.axes.plot(*leader, color=self._color(line.color), linewidth=0.8, clip_on=False, zorder=2)
            self.axes.text(right + 1.15 * gap, place, text, va="center", ha="left", linespacing=1.1)


# --- Where things are -----------------------------------------------------------------------------------------------


def _places(value: Value, *, is_log: bool) -> tuple[float, float]:
    """Return both ends of a value on its axis."""
    if value is None:
        return -inf, -inf
    if isinstance(value, float):
        value = (log10(value) if value > 0 else -inf) if is_log else value
        return value, value
    return log10_ends(value) if is_log else float_ends(value)


def _until_zero(points: list[tuple[_Known, _Known]]) -> list[tuple[_Known, _Known]]:
    """Return the points of a line on a logarithmic axis from its first place to the first 0 after it."""
    places = [_places(y, is_log=True)[1] > -inf for _, y in points]
    begins = next((k for k, has_place in enumerate(places) if has_place), len(points))
    ends = next((k for k in range(begins, len(points)) if not places[k]), len(points))
    return points[begins : ends + 1]


def _extent(mark: Mark) -> Iterator[tuple[Value, Value]]:
    """Yield the points between which the axes have to reach."""
    match mark:
        case Line() | Levels() | Columns() | Dots():
            yield from zip(mark.xs, mark.ys, strict=True)
        case Area():
            yield from (point for ys in (mark.lows, mark.highs) for point in zip(mark.xs, ys, strict=True))
        case Drawn():
            yield from ((x, end) for x, ends in zip(mark.xs, mark.ends, strict=True) for end in ends)
        case Rule():
            yield (None, mark.at) if mark.axis == "y" else (mark.at, None)
        case Note() | Slope():
            yield mark.x, mark.y
        case Bars():
            yield from ((end, float(-k)) for k, (_, low, high, _) in enumerate(mark.rows) for end in (low, high))
            yield None, 1.0
            yield None, 0.75 - len(mark.rows)


def _range(values: Sequence[Value], axis: Axis, *, margin: float) -> tuple[float, float]:
    """Return where an axis ends: where that is given, or a margin beyond what is drawn."""
    known = [end for value in values for end in _places(value, is_log=axis.is_log) if isfinite(end)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = margin * (high - low) or 0.05
    if axis.low is not None:
        low, room_below = middle(_places(axis.low, is_log=axis.is_log)), 0.0
    else:
        room_below = room
    if axis.high is not None:
        return low - room_below, middle(_places(axis.high, is_log=axis.is_log))
    return low - room_below, high + room


def _tick(axis: Any, spec: Axis, ends: tuple[float, float]) -> None:
    """Choose and write the numbers of an axis."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, MultipleLocator

    low, high = ends
    if not isinstance(spec.ticks, str):
        places = [middle(_places(value, is_log=spec.is_log)) for value, _ in spec.ticks]
        named = [(x, words) for x, (_, words) in zip(places, spec.ticks, strict=True) if low <= x <= high]
        axis.set_ticks([x for x, _ in named], [words for _, words in named])
    elif spec.ticks == "whole":
        axis.set_major_locator(MaxNLocator(integer=True))
    elif spec.ticks == "factors":
        chosen: list[float] = []
        for place in map(log10, _FACTORS):
            if low <= place <= high and all(abs(place - other) > _LEAST_GAP * (high - low) for other in chosen):
                chosen.append(place)
        axis.set_major_locator(FixedLocator(sorted(chosen)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"×{10**value:.3g}"))
    elif spec.is_log and high - low > _WIDE:
        step = max(1, ceil((high - low) / spec.most))
        magnitude = 10 ** (len(str(step)) - 1)
        axis.set_major_locator(MultipleLocator(next(f * magnitude for f in (1, 2, 5, 10) if f * magnitude >= step)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: power_words(value)))
    elif spec.is_log:
        shown = (1, 2, 5) if high - low <= _SHORT else (1, 3)
        ticks = [k + log10(m) for k in range(floor(low), ceil(high) + 1) for m in shown]
        axis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: _round(value)))


def _round(exponent: float) -> str:
    """Return a round number by its logarithm, short from ten thousand on."""
    if exponent < _LONG:
        return number_words(Fraction(f"{10**exponent:.1g}"))
    digit = round(10 ** (exponent % 1))
    return power_words(round(exponent)) if digit in (1, 10) else f"{digit}×{power_words(floor(exponent))}"


# --- Looks ----------------------------------------------------------------------------------------------------------


def color_of(theme: Theme, color: Color) -> str:
    """Return a colour of the theme."""
    return theme.colors[color] if isinstance(color, int) else {"ink": theme.ink, "quiet": theme.quiet}[color]


def _dashes(form: str) -> Any:
    return {"dashed": (0, (5, 1.8)), "short": (0, (3, 2))}.get(form, form)


def _look(theme: Theme, line: Line | Levels | Rule) -> dict[str, Any]:
    """Return how a line looks, as matplotlib takes it."""
    if not isinstance(line, Line):
        form = line.form if isinstance(line, Rule) else "solid"
        width = 2.2 if isinstance(line, Levels) else 0.9
        return {"color": color_of(theme, line.color), "linestyle": _dashes(form), "linewidth": width}
    by = line.form if line.form is not None else line.color
    series = theme.series[by] if isinstance(by, int) else None
    shape = by if isinstance(by, int) else line.color
    marker = line.marker if line.marker is not None else theme.series[shape].marker if isinstance(shape, int) else ""
    look = {
        "color": color_of(theme, line.color),
        "linestyle": series.dashes if series else _dashes(str(by)) if line.form is not None else "solid",
        "marker": marker,
        "markersize": line.size,
    }
    if marker in ("x", "+"):
        look["markeredgewidth"] = 1.8
    return {**look, "markerfacecolor": "none"} if line.is_hollow else look


# --- Words beside the axes ------------------------------------------------------------------------------------------


def _key_below(axes: Axes, theme: Theme, marks: Sequence[Mark], is_log: bool) -> None:
    """Say below the axes what the marks are, each label once: lines in the order in which they end, then the others."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    lines = [mark for mark in marks if isinstance(mark, Line) and mark.label]
    ends = {id(line): _places(_last(line.ys), is_log=is_log)[1] for line in lines}
    lines.sort(key=lambda line: -ends[id(line)])
    handles: dict[str, Any] = {}
    for mark in (*lines, *marks):
        if isinstance(mark, Line | Levels | Rule) and mark.label:
            handles.setdefault(mark.label, Line2D([], [], label=mark.label, **_look(theme, mark)))
        elif isinstance(mark, Area | Columns) and mark.label:
            handles.setdefault(mark.label, Patch(label=mark.label, facecolor=color_of(theme, mark.color), linewidth=0))
    if handles:
        key_of(axes, list(handles.values()))


def _last(values: Sequence[Value]) -> Value:
    return next((value for value in reversed(values) if value is not None), None)


def key_of(axes: Axes, samples: Sequence[Any]) -> None:
    """Write the words of these samples below the axes: in as many columns as have room."""
    from matplotlib import rcParams

    width = 72 * (WIDTH - 2 * EDGE)
    texts = [filled(str(sample.get_label()), width=width - 3.6 * FONT) for sample in samples]
    widest = 3.4 * FONT + max(width_of(line) for text in texts for line in text.split("\n"))
    gap = rcParams["legend.columnspacing"] * FONT
    columns = max(1, min(len(samples), int((width + gap) / (widest + gap))))
    axes.legend(samples, texts, loc="upper left", ncols=columns)
    rows = [texts[k :: -(-len(texts) // columns)] for k in range(-(-len(texts) // columns))]
    lines = sum(max(1 + text.count("\n") for text in row) for row in rows)
    heighten(axes.figure, _BELOW + _LINE * lines + rcParams["legend.labelspacing"] * FONT * (len(rows) - 1))


def _place_key(axes: Axes) -> None:
    """Move the key of the axes below their numbers and their name, and to the left edge of the figure."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    key, figure = axes.get_legend(), axes.figure
    if key is None:
        return
    numbers = axes.xaxis.get_tick_params().get("labelbottom", True) and len(axes.get_xticks())
    below = _BELOW + 1.25 * FONT * bool(numbers) + (1.25 * FONT + 5) * bool(axes.get_xlabel())
    lower = axes.transAxes + ScaledTranslation(0, -below / 72, figure.dpi_scale_trans)
    key.set_bbox_to_anchor((EDGE / WIDTH, 0), blended_transform_factory(figure.transFigure, lower))


def _name_above(axes: Axes) -> None:
    """Write the name of the vertical axis above the axes, after their title, from the left edge of the figure on."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    words = ": ".join(filter(None, (axes.get_title(loc="left"), axes.get_ylabel())))
    axes.set_title("", loc="left")
    axes.set_ylabel("")
    if not words:
        return
    text = filled(words)
    upper = axes.transAxes + ScaledTranslation(0, 6 / 72, axes.figure.dpi_scale_trans)
    place = blended_transform_factory(axes.figure.transFigure, upper)
    axes.text(EDGE / WIDTH, 1, text, va="bottom", ha="left", linespacing=1.15, transform=place)
    heighten(axes.figure, 6 + _LINE * (1 + text.count("\n")))
