"""A chart as data: panels with two axes each, and marks at exact numbers.

A number is placed as the table has it, whatever its size: on a logarithmic axis by an enclosed logarithm, so that a
delta of 10^-100000 is drawn like any other. An interval is drawn as such: a band below a line at its upper end. What is
0 has no place on a logarithmic axis: there a line ends at the axis. The only painter is
:mod:`exactdp.report.figures.painter`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from exactdp.report.figures.data import DataTable, Number

Value: TypeAlias = Number | float | None
"""Where something is, in the unit of its axis; a float where nothing is proved of it; None where nothing is known."""
Color: TypeAlias = int | str
"""A series of the theme by its place, or "ink" or "quiet"."""


@dataclass(frozen=True, slots=True)
class Line:
    """Points with a line through them, in the look of a series.

    Args:
        xs, ys: as many of each; a point with a None is left out. Without points it is a sample in the key.
        label: what it is, in the key.
        color: of the series.
        form: the series that dashes and marker are of, where it is another; or dashes as matplotlib names them.
        marker: where it is not that of the form, or of the colour; empty for none.
        width, size: of the line and of its markers, in points.
        every: one marker for so many points.
        aside: to the right, in units of the axis, decades where it is logarithmic.
    """

    xs: Sequence[Value]
    ys: Sequence[Value]
    label: str = ""
    color: Color = 0
    form: int | str | None = None
    marker: str | None = None
    width: float = 1.8
    size: float = 4.5
    every: int = 1
    is_hollow: bool = False
    aside: float = 0.0
    layer: float = 3.0


@dataclass(frozen=True, slots=True)
class Area:
    """What is between two lines: tinted, or hatched; in steps, each cell from its left to its right end."""

    xs: Sequence[Value]
    lows: Sequence[Value]
    highs: Sequence[Value]
    color: Color = 0
    label: str = ""
    hatch: str = ""
    alpha: float = 0.15
    in_steps: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line across the panel at a value of one axis."""

    at: Value
    label: str = ""
    axis: str = "y"
    color: Color = "ink"
    form: str = "solid"


@dataclass(frozen=True, slots=True)
class Note:
    """Words in the panel, ``dx`` and ``dy`` points beside their place, on a patch of the page's colour."""

    x: Value
    y: Value
    words: str
    ha: str = "left"
    va: str = "center"
    color: Color = "ink"
    dx: float = 0.0
    dy: float = 0.0
    rotation: float = 0.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """Intervals that were drawn, as bars with a hollow marker in the middle; one with an unknown end is left out."""

    xs: Sequence[Value]
    ends: Sequence[tuple[Value, Value]]
    color: Color = 0
    aside: float = 0.0


@dataclass(frozen=True, slots=True)
class Levels:
    """Exact numbers as short lines of ``half`` a width to either side."""

    xs: Sequence[Value]
    ys: Sequence[Value]
    label: str = ""
    color: Color = 0
    aside: float = 0.0
    half: float = 0.11


@dataclass(frozen=True, slots=True)
class Columns:
    """A column from the axis up to each value."""

    xs: Sequence[Value]
    ys: Sequence[Value]
    label: str = ""
    color: Color = 0


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars below each other, each with its words above it: (words, low, high, color)."""

    rows: Sequence[tuple[str, Value, Value, Color]]


@dataclass(frozen=True, slots=True)
class Dots:
    """Dots of so many square points each."""

    xs: Sequence[Value]
    ys: Sequence[Value]
    areas: Sequence[float]
    color: Color = 0


@dataclass(frozen=True, slots=True)
class Slope:
    """A guide of a published rate, in decades of y for one of x, a little below (x, y) and inside the panel."""

    x: Value
    y: Value
    slope: float
    words: str


Mark: TypeAlias = Line | Area | Rule | Note | Drawn | Levels | Columns | Bars | Dots | Slope


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its name, its scale, and what its numbers are.

    Args:
        name: with its unit; that of the vertical axis stands above it.
        is_log: logarithmic.
        low, high: where it ends, instead of around what is drawn.
        ticks: (value, words) of each, or one of "factors", "whole"; by default round numbers, powers of ten on a long
            logarithmic axis.
        most: about so many powers of ten.
        is_falling: from large to small.
    """

    name: str = ""
    is_log: bool = False
    low: Value = None
    high: Value = None
    ticks: Sequence[tuple[Value, str]] | str = ""
    most: int = 5
    is_falling: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Marks on two axes.

    Args:
        marks: in the order in which they are painted.
        x, y: the axes.
        title: stands before the name of the vertical axis.
        height: with the numbers and names of the axes, in inches.
        is_direct: each line is named at its end, and not in a key.
        is_square: both axes have one unit.
    """

    marks: tuple[Mark, ...]
    x: Axis
    y: Axis
    title: str = ""
    height: float = 2.9
    is_direct: bool = False
    is_square: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Panels above each other; where they share the horizontal axis, its name and one key stand below the last."""

    panels: tuple[Panel, ...]
    is_shared: bool = False

    @property
    def height(self) -> float:
        """Of all panels, in inches; titles and keys come on top of it."""
        return sum(panel.height for panel in self.panels)


def one_panel(*marks: Mark, x: Axis, y: Axis, height: float = 2.9) -> Chart:
    """Return the chart of one panel."""
    return Chart((Panel(marks, x, y, height=height),))


def lines_of(table: DataTable, x: str, *shown: tuple[str, str, Color], every: int = 1) -> tuple[Line, ...]:
    """Return a line for each of (column, label, colour), against the column ``x``."""
    xs = table.numbers(x)
    return tuple(Line(xs, table.numbers(name), label, color, every=every) for name, label, color in shown)
