"""The page of one randomizer: eps against n as a table and as a figure, whatever the randomizer is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from exactdp.mechanisms.family import UserRandomizer
from exactdp.numbers.exact import Exact
from exactdp.report.figures.amplification_curves import USUAL_USERS, AmplificationCurves, amplification_curves
from exactdp.report.figures.amplification_picture import amplification_picture
from exactdp.report.figures.scale import number_words
from exactdp.report.page.cells import NumberTable, Value
from exactdp.report.page.html import DrawnFigure, report_page
from exactdp.report.page.made import Made
from exactdp.report.page.protocols import AMPLIFICATION, AMPLIFICATION_SOURCES, ProtocolPage

_KEY: Final = "subject"
"""Of the only page."""


def subject_report(
    randomizer: UserRandomizer,
    *,
    name: str,
    delta: Exact,
    users: Sequence[int] = USUAL_USERS,
    made: Made | None = None,
) -> str:
    """Return the report of one randomizer as HTML that loads nothing.

    Args:
        randomizer: a table, or a family.
        name: what it is called.
        delta: in (0, 1).
        users: rising numbers of users who follow the protocol, at least two.
        made: what the foot of the page says.

    >>> from exactdp.randomizers import KAryResponse
    >>> page = subject_report(KAryResponse(3, exp_eps0=3), name="my randomizer", delta="1e-4", users=(2, 5))
    >>> "my randomizer" in page, "variation ratio is refuted at n = 2, 5." in page
    (True, True)

    Cost: that of :func:`exactdp.report.figures.amplification_curves.amplification_curves`, and a second to draw.
    """
    curves = amplification_curves(randomizer, subject=name, delta=delta, users=users)
    picture = amplification_picture(curves)
    page = ProtocolPage(_KEY, name, AMPLIFICATION, AMPLIFICATION_SOURCES)
    return report_page([], {_KEY: [ends_table(curves)]}, [DrawnFigure.of(picture, _KEY)], pages=(page,), made=made)


def ends_table(curves: AmplificationCurves) -> NumberTable:
    """Return the ends, the exact eps where it is had, and the published bounds, for each number of users."""
    heads = ("n", "lower end of ε", "upper end of ε", "exact ε", *(name for name, _ in curves.bounds))
    rows: list[tuple[Value, ...]] = []
    for k, point in enumerate(curves.points):
        ends = (None, None) if point.ends is None else (point.ends.lo, point.ends.hi)
        rows.append((point.n, *ends, point.exact, *(values[k] for _, values in curves.bounds)))
    wrong = [f"{name} is refuted at n = {', '.join(map(str, at))}" for name, at in curves.refuted().items() if at]
    return NumberTable(
        f"ε at δ = {number_words(curves.delta)}: between two proved ends, and as published bounds promise it",
        heads,
        tuple(rows),
        "; ".join(["enclosure: both ends proved, rounded outward", *wrong]),
    )
