"""The figure of randomized response: the guide of the slope and every text are whole, on each grid."""

from fractions import Fraction
from itertools import combinations
from math import isqrt

import pytest

from exactdp.numbers.interval import Interval
from exactdp.report.experiments.drawn import Sampled
from exactdp.report.experiments.response_error import BETA, GRID, LEVELS, ResponseError, ResponsePoint
from exactdp.report.figures.picture import painted
from exactdp.report.figures.style import LIGHT


def _point(exp_eps: Fraction, n: int) -> ResponsePoint:
    """Numbers of the size of the real ones: the figure is tested, not the experiment."""
    flip = 1 / (1 + exp_eps)
    level = Fraction(2 * isqrt(n)) / (1 - 2 * flip)
    near = Interval.between(Fraction(49, 1000), Fraction(50, 1000), bits=64)
    return ResponsePoint(
        exp_eps=exp_eps,
        n=n,
        flip=flip,
        hoeffding=Interval.between(level * 3 / 2, level * 3 / 2, bits=64),
        least=Interval.between(level, level * 5 / 4, bits=64),
        level=level,
        sampled=Sampled(level * Fraction(99, 100), level * Fraction(101, 100)),
        failure=near,
        draws=1000,
        failures=50,
        frequency=Interval.between(Fraction(45, 1000), Fraction(55, 1000), bits=64),
    )


@pytest.mark.parametrize(
    "grid", [GRID[1::3], pytest.param(GRID, marks=pytest.mark.slow), (10**6,)], ids=["quick", "whole", "one point"]
)
def test_the_guide_of_the_slope_is_inside_the_axes_with_its_name(grid: tuple[int, ...]) -> None:
    found = ResponseError(tuple(_point(exp_eps, n) for exp_eps in LEVELS for n in grid), BETA, 1)
    with painted(found.picture(), LIGHT) as figure:
        figure.draw_without_rendering()
        upper, lower = figure.axes
        (name,) = [text for text in upper.texts if text.get_text().strip() == "√n"]
        (guide,) = [line for line in upper.lines if line.get_color() == LIGHT.quiet and len(line.get_xdata()) == 2]
        for values, (low, high) in ((guide.get_xdata(), upper.get_xlim()), (guide.get_ydata(), upper.get_ylim())):
            assert low <= min(values) < max(values) <= high
        frame, box = upper.get_window_extent(), name.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1 + 1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
        legend = upper.get_legend()
        texts = [*upper.texts, *lower.texts, *legend.get_texts(), upper.xaxis.label, lower.xaxis.label]
        boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
        assert [(a, b) for (a, p), (b, q) in combinations(boxes, 2) if p.overlaps(q)] == []
        assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for _, box in boxes)
        assert lower.get_window_extent().y1 < min(text.get_window_extent().y0 for text in legend.get_texts())
