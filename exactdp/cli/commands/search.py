"""``search``: the least counterexample to a statement in a space of small instances, or that there is none in it.

The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from exactdp.cli.completion import named
from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.options import answer_options, options
from exactdp.cli.output import Fact, Report, answer, count, listing, number_data, value_data
from exactdp.cli.progress_bars import Counter, working
from exactdp.cli.values import Text
from exactdp.errors import InvalidValueError, meant
from exactdp.numbers.formats import decimal_text, exact_text
from exactdp.studies.counterexamples import NAMES

if TYPE_CHECKING:
    from exactdp.studies.counterexamples.catalogue import NamedSearch
    from exactdp.studies.counterexamples.comparison import Comparison, Grid, Summary


_PREFIX: Final = "gaps-"
"""Comparisons are named gaps- and the grid's name."""
_DIGITS: Final = 4
"""Of a ratio: it is compared with 1."""
_HELD: Final = ("compared", "held", "between", "below")
"""Columns that say how often a bound held."""
_RATIOS: Final = ("least_ratio", "median_ratio", "largest_ratio", "largest_gap")
"""Columns of published over exact."""


@click.command("search")
@click.argument("name", required=False, metavar="[NAME]", type=Text(named(lambda: NAMES)))
@click.option("--large", is_flag=True, help="Search the larger space, which takes minutes.")
@options(answer_options)
def search_command(name: str | None, large: bool) -> Report:
    """The least counterexample to a statement among small instances, or what published bounds give away.

    Without NAME the searches are listed. Instances come by the number of users, then by the sum of numerators and
    denominators; a search that finds none says which space it covered. A name that begins with gaps- compares published
    bounds with the exact worst case, or its two proved ends, on a grid that is stated before the run.

    Exit status: 0 no counterexample, 1 a counterexample.
    """
    if name is None:
        if large:
            raise InvalidValueError("--large needs a name. `exactdp search` lists the names.")
        return _listing()
    from exactdp.studies.counterexamples.catalogue import SEARCHES
    from exactdp.studies.counterexamples.search import GRIDS

    grids = {_PREFIX + grid.name: grid for grid in GRIDS}
    kind, known = ("comparison", set(grids)) if name.startswith(_PREFIX) else ("search", set(SEARCHES))
    if name not in known:
        raise InvalidValueError(
            f"there is no {kind} {name!r}. {meant(name, [*SEARCHES, *grids])}`exactdp search` lists the names."
        )
    return _compare(grids[name], large) if name in grids else _search(SEARCHES[name], large)


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
    found = result.counterexample
    instance = None if found is None else {axis: value_data(value) for axis, value in found.items()}
    shown = [] if instance is None else [f"{axis} = {value}" for axis, value in instance.items()]
    counts = f"{result.tried} instances, {result.skipped} outside the hypotheses"
    words = f"no counterexample in this space: {counts}"
    if found is not None:
        words = f"counterexample, the least one in this space; looked at {counts}"
    return answer(
        Fact("name", named.name),
        Fact("kind", "statement"),
        Fact("statement", named.statement, "statement", named.statement),
        Fact("space", result.space, "space", result.space),
        Fact("found", found is not None, "answer", words),
        *(Fact(label=" ", text=line) for line in (*shown, *explanation)),
        Fact("counterexample", instance, cells={}),
        Fact("explanation", explanation, cells={}),
        Fact("tried", count(result.tried)),
        Fact("skipped", count(result.skipped)),
        Fact(cells={"counterexample": [line.replace(" = ", "=", 1) for line in shown], "explanation": explanation}),
        status=HOLDS if found is None else REFUTED,
    )


# --- A comparison ---------------------------------------------------------------------------------------------------


def _compare(grid: Grid, large: bool) -> Report:
    from exactdp.studies.counterexamples.comparison import summaries

    compared: list[Comparison] = []
    space = grid.larger if large else grid.stated
    watch = Counter(f"search {_PREFIX}{grid.name}")
    with working(f"comparison {grid.name}"):
        for comparison in grid.comparisons(large):
            compared.append(comparison)
            watch(len(compared), " instances")
        rows = summaries(grid, compared)
        explanation = _explained(grid, compared, rows)
    watch.end()
    below = any(row.below for row in rows)
    return answer(
        Fact("name", _PREFIX + grid.name),
        Fact("kind", "comparison", cells={}),
        Fact("statement", "Each published bound is at least the exact number.", cells={}),
        Fact("space", space, "grid", space, {}),
        Fact("ratio", grid.ratio, "ratio", grid.ratio, {}),
        Fact("found", below, cells={}),
        rows=list(map(_row, rows)),
        listed="rows",
        after=[Fact("explanation", explanation)],
        notes=explanation,
        status=REFUTED if below else HOLDS,
    )


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


def _row(row: Summary) -> list[Fact]:
    counts = [Fact(name, count(getattr(row, name)), name, str(getattr(row, name))) for name in _HELD]
    first = Fact("first_below", None if row.first_below is None else row.first_below.label)
    return [Fact("bound", row.bound, "bound", row.bound), *counts, *(_ratio(row, name) for name in _RATIOS), first]


def _ratio(row: Summary, name: str) -> Fact:
    """Return a ratio rounded down, of which CSV has the lower end."""
    value = getattr(row, name)
    data = None if value is None else {**(number_data(value) or {}), "exact": None}
    low = None if data is None else data["lo"]
    text = "none" if low is None else decimal_text(Fraction(low), _DIGITS, up=False)
    return Fact(name, data, name.replace("_", " "), text, {name: low})
