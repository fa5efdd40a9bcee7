"""Where an answer goes: to stdout, or into a file that is either whole or untouched.

JSON is described in docs/json.md and, for programs, in exactdp/cli/output-1.schema.json: one object that begins with
``schema``, ``version`` and ``command``, or, of ``prove`` and ``verify``, a list of objects with ``schema``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import click

import exactdp as xdp
from exactdp.cli.failures import HOLDS
from exactdp.cli.wrapping import terminal_width, wrapped
from exactdp.errors import InvalidValueError
from exactdp.files.atomic_file import write_whole
from exactdp.files.spreadsheets import csv_lines
from exactdp.numbers.formats import decimal_text, ends, exact_text, number_json, number_text

FORMATS: Final = ("text", "json", "csv")
"""For people, for programs, and for spreadsheets."""
MARKDOWN: Final = "markdown"
"""The table of an answer for a page, where a command offers it."""
SCHEMA: Final = "exactdp-output-1"
"""Names what the fields of JSON mean; it changes with any change of meaning."""
_LARGEST_COUNT: Final = 2**53
"""Readers of JSON keep integers below it exactly."""
STDOUT: Final = "-"
"""What stands for standard output where a file can be named."""
POPULATION: Final = "users who follow the protocol"
"""Whom n counts, in JSON."""
RANDOM_POPULATION: Final = (
    f"{POPULATION} and take part: wherever n > 0 the user who differs takes part for sure, and the number of the "
    "others, n - 1, is random"
)
"""The same where n is random, which is no model of a user who may be away."""


def population(words: str) -> str:
    """Return whom n counts, where some of them may be away as words say."""
    return f"{POPULATION}, {words}" if words else POPULATION


HONEST_USERS: Final = f"n counts the {POPULATION}; with fewer of them there is less privacy."
"""What every answer about n users says."""
RANDOM_USERS: Final = f"n counts the {RANDOM_POPULATION}; with fewer of them there is less privacy."
"""The same where n is random."""


@dataclass(frozen=True, slots=True)
class Report:
    """One answer in its three forms, each made only when it is asked for."""

    text: Callable[[], Sequence[str]]
    """Lines to read."""
    data: Callable[[], Any]
    """JSON data."""
    table: Callable[[], Sequence[Sequence[str]]]
    """Rows for CSV, the header first."""
    status: int = HOLDS
    """The exit status of the command."""
    remarks: Sequence[str] = ()
    """Lines for stderr, after the answer."""

    def render(self, form: str) -> str:
        """Return the answer in one of ``FORMATS``, or in Markdown its table, or its text where it has none."""
        if form == "json":
            return json.dumps(_headed(self.data()), indent=2, ensure_ascii=True) + "\n"
        if form == "csv":
            return "".join(csv_lines(self.table()))
        if form == MARKDOWN and (table := self.table()):
            heads, *rows = ([cell.replace("|", "\\|") for cell in row] for row in table)
            return "".join(f"| {' | '.join(row)} |\n" for row in (heads, ["---"] * len(heads), *rows))
        return "\n".join(self.text()) + "\n"


def _headed(data: Any) -> Any:
    if isinstance(data, list):
        return [{"schema": SCHEMA, **entry} for entry in data]
    return head() | data


def head() -> dict[str, str]:
    """Return the fields that the JSON of the command that is running begins with."""
    context = click.get_current_context()
    while context.parent is not None and context.parent.parent is not None:
        context = context.parent  # `sweep show` is the command sweep
    return {"schema": SCHEMA, "version": xdp.__version__, "command": context.info_name or ""}


def count(value: int | None) -> int | str | None:
    """Return a count as JSON data: an integer below 2^53, else its digits as text; null for none.

    >>> count(10**6), count(10**16), count(None)
    (1000000, '10000000000000000', None)
    """
    return value if value is None or abs(value) < _LARGEST_COUNT else exact_text(value)


def number_data(value: Fraction | xdp.Interval | None, relative_bits: int = 53) -> dict[str, str | None] | None:
    """Return a number as JSON data; null for none."""
    return None if value is None else number_json(value, relative_bits=relative_bits)


def value_data(value: object) -> int | str | None:
    """Return a value of a searched instance as JSON data: counts as counts, and exact numbers as text."""
    return count(value) if isinstance(value, int) else exact_text(value) if isinstance(value, Fraction) else str(value)


def ends_text(value: Fraction | xdp.Interval | None, digits: int, none: str) -> str:
    """Return a number for a table: one decimal, or two ends, rounded outward, where these differ."""
    if value is None:
        return none
    low, high = (decimal_text(end, digits, up=up) for end, up in zip(ends(value), (False, True), strict=True))
    return low if low == high else f"[{low}, {high}]"


def cell(value: Any) -> str:
    """Return JSON data as one cell of CSV: empty for nothing, yes or no, a number by its exact value.

    >>> cell(None), cell(True), cell(0), cell(["a", "b"]), cell({"exact": "1/4", "lo": "0.25", "hi": "0.25"})
    ('', 'yes', '0', 'a; b', '1/4')
    """
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    if isinstance(value, dict):
        return cell(value.get("exact"))
    return "; ".join(map(cell, value)) if isinstance(value, list) else str(value)


def number_cells(name: str, number: Mapping[str, Any] | None, *, exact: bool = False) -> dict[str, str]:
    """Return JSON data of a number as columns of CSV: its ends, and before them its exact value where it is asked for.

    >>> number_cells("delta", {"exact": "1/4", "lo": "0.25", "hi": "0.25"}, exact=True)
    {'delta': '1/4', 'delta_lo': '0.25', 'delta_hi': '0.25'}
    """
    both = {f"{name}_{end}": (number or {}).get(end) or "" for end in ("lo", "hi")}
    return {name: (number or {}).get("exact") or "", **both} if exact else both


def records(*entries: Mapping[str, Any]) -> list[list[str]]:
    """Return JSON data as rows for CSV: the names of the fields, and the cells of each entry.

    >>> records({"n": 3, "holds": True}, {"n": 4, "holds": None})
    [['n', 'holds'], ['3', 'yes'], ['4', '']]
    """
    return [list(entries[0]), *(list(map(cell, entry.values())) for entry in entries)]


# --- Facts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of an answer: a field of JSON with its column of CSV, a line for people, or both."""

    name: str = ""
    """Of the field; empty where there is only a line."""
    data: Any = None
    label: str = ""
    """Of the line; empty where there is only a field."""
    text: str = ""
    cells: Mapping[str, Any] | None = None
    """Columns of CSV in place of the field: by the two ends of a number, say."""

    def said(self, label: str, text: str = "") -> Fact:
        """Return the fact with another line."""
        return replace(self, label=label, text=text)

    @property
    def columns(self) -> Mapping[str, Any]:
        """The columns of CSV; whom n counts is in none."""
        if self.cells is not None:
            return self.cells
        return {self.name: self.data} if self.name and self.name != "n_counts" else {}


def number_fact(
    name: str,
    value: Fraction | xdp.Interval | None,
    label: str | None = None,
    text: str | None = None,
    *,
    bits: int = 53,
    column: str = "",
    exact: bool = False,
) -> Fact:
    """Return a number, which CSV has by its two ends, and by its value before them where it is asked for.

    ``text`` is what people read, if not the number.
    """
    data = number_data(value, bits)
    shown = text or ("none" if value is None else number_text(value))
    return Fact(name, data, name if label is None else label, shown, number_cells(column or name, data, exact=exact))


def exact_fact(name: str, value: Fraction) -> Fact:
    """Return a number that is given, and so exact."""
    return Fact(name, exact_text(value), name, number_text(value))


def users_facts(n: int | None) -> tuple[Fact, Fact]:
    """Return a number of users, and whom it counts."""
    return Fact("n", count(n)), Fact("n_counts", None if n is None else POPULATION)


def answer(
    *facts: Fact,
    rows: Sequence[Sequence[Fact]] = (),
    listed: str = "",
    after: Sequence[Fact] = (),
    notes: Sequence[str] = (),
    status: int = HOLDS,
) -> Report:
    """Return facts as a report.

    Args:
        facts: in the order of JSON and of the lines.
        rows: a table of facts, with one label for each column; CSV has the facts before in each row.
        listed: the field of JSON that has the rows; by default "rows", where there are any.
        after: facts that JSON alone has, after the rows.
        notes: lines for people at the end.
        status: the exit status of the command.
    """

    def text() -> list[str]:
        lines, table = columns([(fact.label, fact.text) for fact in facts if fact.label]), table_lines(rows)
        return [*lines, *([""] if lines and table else []), *table, *([""] if table and notes else []), *notes]

    def data() -> dict[str, Any]:
        table = {listed or "rows": list(map(fields, rows))} if rows or listed else {}
        return {**fields(facts), **table, **fields(after)}

    return Report(text, data, lambda: records(*(_columns((*facts, *row)) for row in rows or [()])), status)


def table_lines(rows: Iterable[Iterable[Fact]], *, indent: str = "") -> list[str]:
    """Return rows for reading, under the labels of the first; what has no label is left out."""
    shown = [said for row in rows if (said := [fact for fact in row if fact.label])]
    heads = [[fact.label for fact in row] for row in shown[:1]]
    return columns([*heads, *([fact.text for fact in row] for row in shown)], indent=indent)


def fields(facts: Iterable[Fact]) -> dict[str, Any]:
    """Return facts as JSON data."""
    return {fact.name: fact.data for fact in facts if fact.name}


def _columns(facts: Iterable[Fact]) -> dict[str, Any]:
    return {name: value for fact in facts for name, value in fact.columns.items()}


def listing(kind: str, entries: Sequence[Mapping[str, Any]]) -> Report:
    """Return the list of what the running command can be asked by name."""
    command = click.get_current_context().info_name
    lines = [(entry["name"], entry["statement"]) for entry in entries]
    return Report(
        lambda: [*columns(lines), "", f"Run one: exactdp {command} NAME"],
        lambda: {kind: list(entries)},
        lambda: records(*entries),
    )


def deliver(report: Report, *, form: str, output: str | None) -> int:
    """Print the report, or write it into the file ``output`` (``-`` is stdout), and return its exit status.

    On a terminal, text and remarks are broken at its width.
    """
    rendered = report.render(form)
    if form == "text" and output in (None, STDOUT):
        rendered = wrapped(rendered, terminal_width(sys.stdout))
    write_out([rendered], output)
    for remark in report.remarks:
        print(wrapped(remark, terminal_width(sys.stderr)), file=sys.stderr)
    return report.status


def say_written(paths: Iterable[object]) -> None:
    """Say on stderr which files are written."""
    for path in paths:
        print(f"wrote {printable(path)}", file=sys.stderr)


def write_out(parts: Iterable[str], output: str | None) -> None:
    """Print the parts of a text, or write them into the file ``output`` (``-`` is stdout) and say so on stderr."""
    if output is None or output == STDOUT:
        sys.stdout.writelines(parts)
        sys.stdout.flush()
        return
    write_whole(output, parts)
    say_written([output])


def write_certificates(folder: str, certificates: Mapping[str, str]) -> None:
    """Write certificates by name into a folder, which is made if it is not there."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InvalidValueError(f"certificates={folder!r} cannot be made: {error.strerror}. Name a folder.") from None
    for name, text in certificates.items():
        write_whole(os.path.join(folder, f"{name}.json"), text)


def kept_in(store: str, what: str) -> KeyboardInterrupt:
    """Return an interrupt that says what is in a store, where others say that nothing was written."""
    return KeyboardInterrupt(f"{what} are in {printable(store)}; the same command goes on from there.")


def printable(label: object) -> str:
    """Return a label for people: as it is, or quoted if it would move the cursor or be invisible."""
    text = str(label)
    return text if text and text.isprintable() else repr(text)


def columns(rows: Sequence[Sequence[str]], *, indent: str = "") -> list[str]:
    """Return the rows as lines with aligned columns, two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]
