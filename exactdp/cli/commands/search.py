"""``search``: the least counterexample to a statement in a space of small instances, or that there is none in it.

The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.options import answer_options, options
from exactdp.cli.output import Report, cell, columns, count, listing, number_data, records
from exactdp.cli.progress_bars import Counter, working
from exactdp.errors import InvalidValueError, meant
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import decimal_text, exact_text

if TYPE_CHECKING:
    from exactdp.studies.counterexamples.catalogue import NamedSearch
    from exactdp.studies.counterexamples.comparison import Comparison, Grid, Summary


_PREFIX: Final = "gaps-"
"""Comparisons are named gaps- and the grid's name."""
_DIGITS: Final = 4
"""Of a ratio: it is compared with 1."""
_HELD: Final = ("bound", "compared", "held", "between", "below")
"""Columns that say how often a bound held."""
_RATIOS: Final = ("least_ratio", "median_ratio", "largest_ratio", "largest_gap")
"""Columns of published over exact."""


@click.command("search")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--large", is_flag=True, help="Search the larger space, which takes minutes.")
@click.option("--jobs", metavar="J", help="Compare in so many processes; default 1.")
@options(answer_options)
def search_command(name: str | None, large: bool, jobs: str | None) -> Report:
    """The least counterexample to a statement among small instances, or what published bounds give away.

    Without NAME the searches are listed. Instances come by the number of users, then by the sum of numerators and
    denominators; a search that finds none says which space it covered. A name that begins with gaps- compares published
    bounds with the exact worst case, or its two proved ends, on a grid that is stated before the run.

    Exit status: 0 no counterexample, 1 a counterexample.
    """
    if jobs is not None and not (name or _PREFIX).startswith(_PREFIX):
        raise InvalidValueError(f"--jobs is for {_PREFIX} comparisons: a search goes in order. Leave it out.")
    if name is None:
        for option, value in {"--large": large, "--jobs": jobs}.items():
            if value:
                raise InvalidValueError(f"{option} needs a name. `exactdp search` lists the names.")
        return _listing()
    from exactdp.studies.counterexamples.catalogue import SEARCHES
    from exactdp.studies.counterexamples.search import GRIDS

    grids = {_PREFIX + grid.name: grid for grid in GRIDS}
    kind, known = ("comparison", set(grids)) if name.startswith(_PREFIX) else ("search", set(SEARCHES))
    if name not in known:
        raise InvalidValueError(
            f"there is no {kind} {name!r}. {meant(name, [*SEARCHES, *grids])}`exactdp search` lists the names."
        )
    if name in grids:
        return _compare(grids[name], large, as_integer(jobs or "1", name="jobs", at_least=1))
    return _search(SEARCHES[name], large)


def _listing() -> Report:
    from exactdp.studies.counterexamples.catalogue import SEARCHES
    from exactdp.studies.counterexamples.search import GRIDS

    entries = [{"name": s.name, "kind": "statement", "statement": s.statement} for s in SEARCHES.values()]
    entries += [
        {"name": _PREFIX + grid.name, "kind": "comparison", "statement": f"Published bounds compared: {grid.stated}."}
        for grid in GRIDS
    ]
    return listing("searches", entries)


# --- A statement ----------------------------------------------------------------------------------------------------


def _search(named: NamedSearch, large: bool) -> Report:
    from exactdp.studies.counterexamples.catalogue import run_search

    watch = Counter(f"search {named.name}")
    with working(f"search {named.name}"):
        result = run_search(named, large=large, watch=partial(watch, words=" instances"))
        explanation = [] if result.counterexample is None else named.explain(**result.counterexample)
    watch.end()
    instance = None if result.counterexample is None else _shown(result.counterexample)
    data = {
        "name": named.name,
        "kind": "statement",
        "statement": named.statement,
        "space": result.space,
        "found": instance is not None,
        "counterexample": instance,
        "explanation": explanation,
        "tried": count(result.tried),
        "skipped": count(result.skipped),
    }
    status = HOLDS if instance is None else REFUTED
    return Report(lambda: _text(data), lambda: data, lambda: _cells(data), status)


def _text(data: dict[str, Any]) -> list[str]:
    counts = f"{data['tried']} instances, {data['skipped']} outside the hypotheses"
    rows = [("statement", data["statement"]), ("space", data["space"])]
    if data["counterexample"] is None:
        rows.append(("answer", f"no counterexample in this space: {counts}"))
    else:
        rows.append(("answer", f"counterexample, the least one in this space; looked at {counts}"))
        rows += [("", f"{axis} = {value}") for axis, value in data["counterexample"].items()]
        rows += [("", line) for line in data["explanation"]]
    return columns(rows)


def _cells(data: dict[str, Any]) -> list[list[str]]:
    instance = [f"{axis}={value}" for axis, value in (data["counterexample"] or {}).items()]
    last = {"counterexample": instance, "explanation": data["explanation"]}
    return records({name: value for name, value in data.items() if name not in last} | last)


def _shown(instance: Mapping[str, Any]) -> dict[str, Any]:
    """Return counts as counts, and exact numbers as text."""
    return {
        axis: count(value)
        if isinstance(value, int)
        else exact_text(value)
        if isinstance(value, Fraction)
        else str(value)
        for axis, value in instance.items()
    }


# --- A comparison ---------------------------------------------------------------------------------------------------


def _compare(grid: Grid, large: bool, jobs: int) -> Report:
    from exactdp.studies.counterexamples.comparison import summaries

    compared: list[Comparison] = []
    watch = Counter(f"search {_PREFIX}{grid.name}")
    with working(f"comparison {grid.name}"):
        for comparison in grid.comparisons(large, jobs):
            compared.append(comparison)
            watch(len(compared), " instances")
        rows = summaries(grid, compared)
        explanation = _explained(grid, compared, rows)
    watch.end()
    below = any(row.below for row in rows)
    data = {
        "name": _PREFIX + grid.name,
        "kind": "comparison",
        "statement": "Each published bound is at least the exact number.",
        "space": grid.larger if large else grid.stated,
        "ratio": grid.ratio,
        "found": below,
        "rows": [_row(row) for row in rows],
        "explanation": explanation,
    }
    status = REFUTED if below else HOLDS
    return Report(lambda: _table_text(data), lambda: data, lambda: _table(data), status)


def _explained(grid: Grid, compared: Sequence[Comparison], rows: Sequence[Summary]) -> list[str]:
    """Return where a bound fails first, and what the grid says in words."""
    from exactdp.studies.counterexamples.comparison import is_quoted

    lines = []
    for row in rows:
        if (first := row.first_below) is not None:
            at = f"e^eps={exact_text(first.exp_eps)}" if isinstance(first.exp_eps, Fraction) else ""
            at = at if first.delta is None else f"delta={exact_text(first.delta)}"
            lines.append(f"{row.bound} fails first at {first.label}" + (f", {at}" if at else ""))
            if is_quoted(row.bound):
                lines.append(f"{row.bound} is what secondary sources quote: the published theorem was not at hand")
    return [*lines, *grid.in_words(compared)]


def _row(row: Summary) -> dict[str, Any]:
    ratios = {name: number_data(getattr(row, name)) for name in _RATIOS}
    return {
        "bound": row.bound,
        **{name: count(getattr(row, name)) for name in _HELD[1:]},
        **{name: None if ratio is None else {**ratio, "exact": None} for name, ratio in ratios.items()},
        "first_below": None if row.first_below is None else row.first_below.label,
    }


def _table_text(data: dict[str, Any]) -> list[str]:
    heads = (*_HELD, *(name.replace("_", " ") for name in _RATIOS))
    cells = [(*(cell(row[name]) for name in _HELD), *(_brief(row[name]) for name in _RATIOS)) for row in data["rows"]]
    head = columns([("grid", data["space"]), ("ratio", data["ratio"])])
    return [*head, "", *columns([heads, *cells]), *([""] if data["explanation"] else []), *data["explanation"]]


def _brief(value: dict[str, str] | None) -> str:
    return "none" if value is None else decimal_text(Fraction(value["lo"]), _DIGITS, up=False)


def _table(data: dict[str, Any]) -> list[list[str]]:
    rows = [row | {name: (row[name] or {}).get("lo") for name in _RATIOS} for row in data["rows"]]
    return records(*({"name": data["name"], **row} for row in rows))
