"""The answer of ``survey`` for readers and for programs: a table for each task and number of users, and crossings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from exactdp.cli.output import columns, count, number_data
from exactdp.numbers.formats import about, decimal_text, ends
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.studies.survey.error_curves import MODELS, TASKS, Curve, Row, Stated, Unanswered, stated

if TYPE_CHECKING:
    from exactdp.studies.survey.crossings import Crossing, MeasuredOrder
    from exactdp.studies.survey.measured import Survey

_DIGITS: Final = 5
"""Of a decimal in a table of ten columns."""
_NARROW: Final = Fraction(1, 10**4)
"""Ends that differ by less are one number in the table."""
_HEADS: Final = ("protocol", "noise", "messages", "bits", "delta at eps", "eps at delta", "error", "theorem", "levels")
"""Of the columns of text."""


def task_lines(answered: Survey) -> list[str]:
    """Return the tables, each under a sentence that says what is compared."""
    lines: list[str] = []
    for n in answered.users:
        for task, words in TASKS.items():
            asked = [curve for curve in answered.curves if curve.task == task]
            if asked:
                lines += ["", f"{task}, n = {about(n)}: {words}.", *_table(answered, asked, n)]
    return lines


def _table(answered: Survey, curves: Sequence[Curve], n: int) -> list[str]:
    rows: list[tuple[str, ...]] = []
    missing: list[str] = []
    for model in MODELS:
        lines = []
        for curve in curves:
            row = answered.rows[curve.key][n]
            if curve.model != model:
                continue
            if isinstance(row, Unanswered):
                missing.append(f"  no row: {curve.name}: {row.reason}")
            else:
                lines.append(_line(curve, row))
        if lines:
            rows += [(model, *[""] * (len(_HEADS) - 1)), *lines]
    return [*(columns([_HEADS, *rows], indent="  ") if rows else ()), *missing]


def _line(curve: Curve, row: Row) -> tuple[str, ...]:
    levels = dict.fromkeys(number.level for number in (row.error, row.delta) if number is not None)
    return (
        f"  {curve.system}",
        curve.noise,
        brief(row.messages),
        str(row.bits),
        brief(row.delta),
        brief(row.eps),
        brief(row.error),
        brief(row.promised),
        ", ".join(levels),
    )


def brief(number: Stated | None) -> str:
    """Return a number for a table: one decimal, rounded up, where both ends are near, else the two ends.

    >>> brief(Stated(Fraction(1, 3), "exact")), brief(None)
    ('0.33334', '-')
    """
    if number is None:
        return "-"
    low, high = ends(number.value)
    most = decimal_text(high, _DIGITS, up=True)
    least = decimal_text(low, _DIGITS, up=False)
    if isinstance(number.value, Fraction) or _is_narrow(number):
        return most
    return f"at most {most}" if least == "0" else f"{least}..{most}"


def _is_narrow(number: Stated) -> bool:
    low, high = ends(number.value)
    if getattr(high, "magnitude", 0) < -(10**4):  # a tiny delta, of which the decimals tell enough
        return decimal_text(low, 2, up=False)[:1] == decimal_text(high, 2, up=True)[:1]
    least, most = fraction_ends(number.value)
    return most - least <= _NARROW * abs(most)


def crossing_lines(places: Sequence[Crossing]) -> list[str]:
    """Return where errors cross, each with the two numbers of users at which the order is proved."""
    if not places:
        return []
    head = ("task", "smaller error before", "smaller error after", "proved at n", "and at n")
    rows = [(one.task, one.before.name, one.after.name, about(one.low), about(one.high)) for one in places]
    words = "Where errors cross: at the first n the one error is proved smaller, at the second the other."
    return ["", words, *columns([head, *rows], indent="  ")]


def crossing_data(place: Crossing) -> dict[str, Any]:
    """Return a crossing as JSON data."""
    names = {"task": place.task, "before": place.before.name, "after": place.after.name}
    return {**names, "low": count(place.low), "high": count(place.high)}


def order_lines(orders: Sequence[MeasuredOrder]) -> list[str]:
    """Return the printed table of orders, measured."""
    if not orders:
        return []
    heads = ("protocol", "quantity", "printed order", "change", "printed factor", "measured factor")
    rows = [
        (
            one.protocol,
            one.quantity,
            one.printed,
            one.change,
            _factor(one.expected),
            _factor(one.measured) or one.reason,
        )
        for one in orders
    ]
    words = (
        "What the printed table of orders says: the factor of a quantity by its order, and the one that is measured."
    )
    return ["", words, *columns([heads, *rows], indent="  ")]


def order_data(one: MeasuredOrder) -> dict[str, Any]:
    """Return a line of the printed table as JSON data."""
    return {
        "model": one.model,
        "protocol": one.protocol,
        "quantity": one.quantity,
        "printed": one.printed,
        "change": one.change,
        "printed_factor": number_data(one.expected),
        "measured_factor": number_data(one.measured),
        "reason": one.reason or None,
    }


def _factor(value: Fraction | Interval | None) -> str:
    return "" if value is None else brief(stated(value))


def row_data(curve: Curve, row: Row | Unanswered) -> dict[str, Any]:
    """Return a row as JSON data."""
    named = {"task": curve.task, "model": curve.model, "protocol": curve.system, "noise": curve.noise}
    if isinstance(row, Unanswered):
        empty = dict.fromkeys(("messages", "most", "bits", "delta_at_eps", "eps_at_delta", "error", "theorem_error"))
        further: dict[str, Any] = {"levels": {}, "remark": None, "reason": row.reason}
        return {**named, "n": count(row.n), "parameters": [], **empty, **further}
    numbers = {
        "messages": row.messages,
        "delta_at_eps": row.delta,
        "eps_at_delta": row.eps,
        "error": row.error,
        "theorem_error": row.promised,
    }
    data = {name: None if number is None else number_data(number.value) for name, number in numbers.items()}
    return {
        **named,
        "n": count(row.n),
        "parameters": [
            {"name": name, "value": number_data(number.value), "level": number.level} for name, number in row.parameters
        ],
        "messages": data["messages"],
        "most": count(row.most),
        "bits": count(row.bits),
        **{name: data[name] for name in numbers if name != "messages"},
        "levels": {name: number.level for name, number in numbers.items() if number is not None},
        "remark": row.remark or None,
        "reason": None,
    }
