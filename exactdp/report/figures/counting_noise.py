"""Correlated counting: its exact delta beside the promise, the least noise against the theorem's, and the slack.

Nothing here depends on the number of users: their shares add up to the same noise, and r is its shape. Three pictures:
delta(eps) with the theorem's r and with the least one; both r, and the messages of all users together, against delta;
and the r that each step of the theorem's proof needs.

Source: GhaziKumarManurangsiPagh2020, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import exactdp as xdp
from exactdp import bounds
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS
from exactdp.numbers.interval import fraction_ends
from exactdp.numbers.real import as_real
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.report.figures.chart import Area, Axis, Bars, Chart, Color, Line, Note, Panel, Value, lines_of, one_panel
from exactdp.report.figures.data import DataTable, number_words
from exactdp.report.figures.picture import Picture
from exactdp.report.figures.privacy_curve import eps_grid

_USERS: Final = 10**6
"""Any number: nothing that is drawn depends on it."""
_REACH: Final = Fraction(3, 2)
"""The privacy curve is drawn to so many times the eps that is promised."""
_CELLS: Final = 45
"""Points of the privacy curve."""


def _calibrated(eps: Fraction, delta: Fraction) -> CorrelatedCounting:
    protocol: Any = xdp.calibrate("correlated-counting", n=_USERS, eps=eps, delta=delta).protocol
    return protocol  # type: ignore[no-any-return]


def _shape(protocol: CorrelatedCounting) -> xdp.Interval:
    return enclose_real(as_real(protocol.r, name="r"), relative_bits=DEFAULT_RELATIVE_BITS)


def _messages(protocol: CorrelatedCounting) -> Fraction | xdp.Interval:
    """Return the expected messages of all users together, beside those of their bits."""
    mean = protocol.noise_messages
    if isinstance(mean, Fraction):
        return _USERS * mean
    return xdp.Interval.between(_USERS * mean.lo, _USERS * mean.hi, bits=DEFAULT_RELATIVE_BITS)


# --- The privacy curve ----------------------------------------------------------------------------------------------


def counting_curve_picture(eps: Fraction, delta: Fraction, *, name: str = "counting-curve") -> Picture:
    """Return the picture of delta(eps) with the theorem's r and with the least one, and of what is promised."""
    grid = eps_grid(eps * _REACH, _CELLS)
    theorem = xdp.protocols.correlated_counting_from_theorem(_USERS, eps=eps, delta=delta)
    least = _calibrated(eps, delta)
    curves = [[protocol.privacy_profile().delta(eps=e) for e in grid] for protocol in (theorem, least)]
    shapes = [number_words(_shape(protocol), 3) for protocol in (theorem, least)]
    about = {"eps wanted": eps, "delta wanted": delta, "r of the theorem": shapes[0], "least r": shapes[1]}
    table = DataTable.of(("eps", "theorem", "least"), zip(grid, *curves, strict=True), **about)
    given = number_words(curves[0][grid.index(eps)])
    chart = one_panel(
        *lines_of(
            table, "eps", ("theorem", "exact, theorem’s r", 0), ("least", "exact, least r", 1), every=_CELLS // 6
        ),
        Area(grid, curves[0], curves[1], 1),
        Line([eps], [delta], color="ink", form="none", marker="P", size=11, layer=6),
        Note(eps, delta, "wanted", ha="right", va="top", dx=-8, dy=-6),
        x=Axis("ε"),
        y=Axis("δ", is_log=True, most=6),
    )
    return Picture(
        name,
        f"Correlated counting: δ = {number_words(delta)} is promised at ε = {number_words(eps)}, it is {given}",
        f"Exact δ against ε, at any number of users: with the theorem's r = {shapes[0]}, and with the least that is "
        f"enough, {shapes[1]}.",
        table,
        chart,
    )


# --- The least noise ------------------------------------------------------------------------------------------------


def counting_noise(eps: Fraction, powers: Sequence[int]) -> DataTable:
    """Return the theorem's r and the least one at delta = 10^-power, and the messages of all users beside their bits.

    >>> table = counting_noise(Fraction(1), [2, 6])
    >>> [round(float(most) / float(few), 2) for _, most, few, *_ in table.rows]
    [10.25, 5.06]

    Cost: 0.1 s for each power.

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    rows = []
    for delta in (Fraction(1, 10**power) for power in powers):
        both = xdp.protocols.correlated_counting_from_theorem(_USERS, eps=eps, delta=delta), _calibrated(eps, delta)
        rows.append((delta, *map(_shape, both), *map(_messages, both)))
    return DataTable.of(("delta", "theorem_r", "least_r", "theorem_messages", "least_messages"), rows, eps=eps)


def counting_noise_picture(eps: Fraction, powers: Sequence[int], *, name: str = "counting-noise") -> Picture:
    """Return the picture of both r and of both numbers of messages against delta."""
    table = counting_noise(eps, powers)
    shapes = [(fraction_ends(most)[0], fraction_ends(few)[1]) for _, most, few, *_ in table.rows]  # type: ignore[arg-type]
    first, last = (number_words(most / few, 2, up=False) for most, few in (shapes[0], shapes[-1]))
    return Picture(
        name,
        f"The theorem of correlated counting takes {last} to {first} times the r that is enough",
        f"At ε = {number_words(eps)} and any number of users; the error of the sum is the same for both.",
        table,
        against_delta(table, {"shape r": "r", "noise messages of all users": "messages"}),
    )


def against_delta(table: DataTable, panels: Mapping[str, str]) -> Chart:
    """Return a panel for each quantity, of the columns theorem_QUANTITY and least_QUANTITY against delta.

    Args:
        table: with the column delta.
        panels: the name of each vertical axis, and its quantity.
    """
    return Chart(
        tuple(
            Panel(
                lines_of(table, "delta", (f"theorem_{what}", "theorem", 1), (f"least_{what}", "least", 0)),
                Axis("δ", is_log=True, is_falling=True),
                Axis(words, is_log=True),
                height=2.2,
            )
            for words, what in panels.items()
        ),
        is_shared=True,
    )


# --- The slack ------------------------------------------------------------------------------------------------------

_STEPS: Final = ("theorem", "Chernoff’s bound", "noise of both counts, exact", "both counts, exact")
"""The steps of ``bounds.correlated_counting_slack``, as the picture names them."""


def counting_slack_picture(eps: Fraction, delta: Fraction, *, name: str = "counting-slack") -> Picture:
    """Return the picture of the r that each step of the proof needs, and of the delta that it grants."""
    steps = bounds.correlated_counting_slack(eps=eps, delta=delta)
    needed = [number_words(step.needed, 3) for step in steps]
    rows: list[tuple[str, Value, Value, Color]] = []
    for words, step, r, color in zip(_STEPS, steps, needed, (1, 2, 3, 0), strict=True):
        part = f", 1/{number_words(step.ratio, 3)} of it" if rows and step.ratio is not None else ""
        granted = number_words(delta if delta in step.delta else step.delta)
        rows.append((f"{words}:\nr = {r}{part}; δ = {granted}", 0, step.needed, color))
    names = ("step", "delta", "needed_r", "theorem_over_needed")
    cells = [(step.name, step.delta, step.needed, step.ratio) for step in steps]
    x, y = (
        Axis("shape r that the step needs", low=0),
        Axis(f"the steps, and the δ that they grant at r = {needed[0]}", ticks=()),
    )
    return Picture(
        name,
        f"Of the theorem’s r = {needed[0]} a proof by Chernoff needs {needed[1]}, the truth {needed[-1]}",
        f"What each step of the theorem's proof needs for ε = {number_words(eps)} and δ = {number_words(delta)}, half "
        "of ε for the noise of both counts.",
        DataTable.of(names, cells, eps=eps, delta=delta),
        one_panel(Bars(rows), x=x, y=y, height=3.6),
    )
