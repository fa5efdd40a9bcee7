"""What the charts of experiments share: a field of points as a curve, what was drawn for it, the panels of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from exactdp.numbers.interval import Interval
from exactdp.report.experiments.experiment import drawn_ends
from exactdp.report.figures.chart import Axis, Chart, Color, Drawn, Levels, Line, Mark, Panel, Rule, Value
from exactdp.report.figures.data import number_words

HEIGHT: Final = 2.6
"""Of each of two panels, in inches."""


def nearest(value: int | Fraction | Interval, digits: int) -> str:
    """Return a number rounded to the nearest, for reading.

    >>> nearest(Fraction(1, 3), 3)
    '0.333'
    """
    return f"{float(value):.{digits}g}"


def field(points: Sequence[Any], name: str) -> list[Value]:
    """Return one field of all points."""
    return [getattr(point, name) for point in points]


def curve(
    points: Sequence[Any], across: str, name: str, label: str = "", color: Color = 0, form: str = "solid", **how: Any
) -> Line:
    """Return a field of exact numbers against another field, as a line without markers."""
    return Line(field(points, across), field(points, name), label, color, form, "", **{"width": 1.5, **how})


def bars(points: Sequence[Any], across: str, name: str, color: int, aside: float = 0.0) -> Drawn:
    """Return a field of drawn intervals against another field."""
    known = [(point, drawn) for point in points if (drawn := getattr(point, name)) is not None]
    return Drawn(field([point for point, _ in known], across), [drawn_ends(drawn) for _, drawn in known], color, aside)


def sample(label: str, color: Color, form: str = "solid", **how: Any) -> Line:
    """Return words for the key alone."""
    return Line([], [], label, color, form, **how)


def errors_chart(
    groups: Mapping[str, Sequence[Any]],
    curves: Mapping[str, tuple[str, str]],
    *,
    across: Axis,
    ylabel: str,
    finding: Any,
    more: Sequence[Mark] = (),
    is_log: bool = True,
) -> Chart:
    """Return errors, and below them how often the exact one is exceeded; both against n, or d.

    Args:
        groups: words -> points with the fields sampled, failure and frequency, in one colour each.
        curves: field -> its dashes, and what they mean.
        across: the axis, whose name begins with the field.
        ylabel: of the errors.
        finding: has beta.
        more: marks beside the errors.
        is_log: whether errors are on a logarithmic axis.
    """
    name, step = across.name[0], 0.16
    errors: list[Mark] = []
    failures: list[Mark] = [Rule(finding.beta, f"β = {number_words(finding.beta)}", form="dashed")]
    for color, (words, points) in enumerate(groups.items()):
        aside = (color - (len(groups) - 1) / 2) * step
        errors += [curve(points, name, each, "", color, form) for each, (form, _) in curves.items()]
        errors += [bars(points, name, "sampled", color), sample(words, color, is_hollow=True)]
        failures += [
            Levels(field(points, name), field(points, "failure"), "exact" if not color else "", color, aside),
            bars(points, name, "frequency", color, aside),
        ]
    errors += [sample(words, "quiet", form) for form, words in curves.values()]
    return Chart(
        (
            Panel((*errors, *more), across, Axis(ylabel, is_log=is_log, low=None if is_log else 0), height=HEIGHT),
            Panel(tuple(failures), across, Axis("probability of a larger error"), height=HEIGHT),
        )
    )
