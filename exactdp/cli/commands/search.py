"""``search``: the least counterexample to a statement in a space of small instances, or that there is none in it.

The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli.completion import named
from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.options import folder_option, option_of, options, table_options
from exactdp.cli.output import Fact, Report, answer, count, listing, number_data, value_data, write_certificates
from exactdp.cli.progress_bars import Counter, working
from exactdp.cli.values import COUNT, Text
from exactdp.errors import InvalidValueError, meant
from exactdp.numbers.formats import decimal_text, exact_text
from exactdp.studies.counterexamples import NAMES

if TYPE_CHECKING:
    from exactdp.studies.counterexamples.bounds_in_use import BoundInUse
    from exactdp.studies.counterexamples.catalogue import NamedSearch
    from exactdp.studies.counterexamples.comparison import Comparison, Grid, Summary
    from exactdp.studies.counterexamples.refutation import Refutation


_PREFIX: Final = "gaps-"
"""Comparisons are named gaps- and the grid's name."""
_IN_USE: Final = "bounds-in-use"
"""The table of the amplification bounds that people use."""
_DIGITS: Final = 4
"""Of a ratio: it is compared with 1."""
_HELD: Final = ("compared", "held", "between", "below")
"""Columns that say how often a bound held."""
_RATIOS: Final = ("least_ratio", "median_ratio", "largest_ratio", "largest_gap")
"""Columns of published over exact."""


@click.command("search")
@click.argument("name", required=False, metavar="[NAME]", type=Text(named(lambda: NAMES)))
@click.option("--large", is_flag=True, help="Search the larger space, which takes minutes.")
@option_of(COUNT, "J", "--jobs", help="Compare in so many processes; default 1.")
@click.option("--only", metavar="BOUND", multiple=True, help="Of bounds-in-use, these alone; repeatable.")
@folder_option("--certificates", "folder", help="Write what refutes bounds-in-use into DIR.")
@options(table_options)
def search_command(
    name: str | None, large: bool, jobs: int | None, only: tuple[str, ...], folder: str | None
) -> Report:
    """The least counterexample to a statement among small instances, or what published bounds give away.

    Without NAME the searches are listed. Instances come by the number of users, then by the sum of numerators and
    denominators; a search that finds none says which space it covered. A name that begins with gaps- compares published
    bounds with the exact worst case, or its two proved ends, on a grid that is stated before the run. bounds-in-use
    says in some minutes of the amplification bounds that people use whether each holds, by what, where, and how loose
    it is; also with --format markdown.

    Exit status: 0 no counterexample, 1 a counterexample.
    """
    if jobs is not None and not (name or _PREFIX).startswith(_PREFIX):
        raise InvalidValueError(f"--jobs is for {_PREFIX} comparisons: a search goes in order. Leave it out.")
    if name is None:
        for option, value in {"--large": large, "--jobs": jobs}.items():
            if value:
                raise InvalidValueError(f"{option} needs a name. `exactdp search` lists the names.")
        return _listing()
    if name == _IN_USE:
        return _in_use(only, folder, large)
    if only or folder:
        raise InvalidValueError(f"--only and --certificates belong to {_IN_USE}. Leave them out.")
    from exactdp.studies.counterexamples.catalogue import SEARCHES
    from exactdp.studies.counterexamples.search import GRIDS

    grids = {_PREFIX + grid.name: grid for grid in GRIDS}
    kind, known = ("comparison", set(grids)) if name.startswith(_PREFIX) else ("search", set(SEARCHES))
    if name not in known:
        raise InvalidValueError(
            f"there is no {kind} {name!r}. {meant(name, [*SEARCHES, *grids, _IN_USE])}`exactdp search` lists the names."
        )
    if name in grids:
        return _compare(grids[name], large, jobs or 1)
    return _search(SEARCHES[name], large)


def _listing() -> Report:
    from exactdp.studies.counterexamples.catalogue import SEARCHES
    from exactdp.studies.counterexamples.search import GRIDS

    entries = [{"name": s.name, "kind": "statement", "statement": s.statement} for s in SEARCHES.values()]
    entries += [
        {"name": _PREFIX + grid.name, "kind": "comparison", "statement": f"Published bounds compared: {grid.stated}."}
        for grid in GRIDS
    ]
    entries.append({"name": _IN_USE, "kind": "bounds", "statement": "The amplification bounds that people use hold."})
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


def _compare(grid: Grid, large: bool, jobs: int) -> Report:
    from exactdp.studies.counterexamples.comparison import summaries

    compared: list[Comparison] = []
    space = grid.larger if large else grid.stated
    watch = Counter(f"search {_PREFIX}{grid.name}")
    with working(f"comparison {grid.name}"):
        for comparison in grid.comparisons(large, jobs):
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


# --- The bounds in use ----------------------------------------------------------------------------------------------


def _in_use(only: Sequence[str], folder: str | None, large: bool) -> Report:
    from exactdp.studies.counterexamples.bounds_in_use import GRID, chosen

    if large:
        raise InvalidValueError(f"--large has no meaning for {_IN_USE}. Leave it out.")
    tried: list[tuple[BoundInUse, Refutation]] = []
    watch = Counter(f"search {_IN_USE}")
    with working(f"search {_IN_USE}"):
        for bound in chosen(only):
            tried.append((bound, bound.tried()))
            watch(len(tried), " bounds")
    watch.end()
    if folder is not None:
        found = ((bound.name, result.certificate) for bound, result in tried)
        write_certificates(folder, {name: certificate.to_json() for name, certificate in found if certificate})
    rows = [_bound_row(bound, result) for bound, result in tried]
    refuted = any(result.is_refuted for _, result in tried)
    notes = [_bound_note(bound, result) for bound, result in tried]
    return answer(
        Fact("name", _IN_USE, cells={}),
        Fact("kind", "bounds", cells={}),
        Fact("statement", "Each bound is at least the exact number.", cells={}),
        Fact("space", GRID, "grid", GRID, cells={}),
        Fact("ratio", _RATIO, "ratio", _RATIO, cells={}),
        Fact("found", refuted, cells={}),
        rows=rows,
        notes=notes,
        status=REFUTED if refuted else HOLDS,
    )


_RATIO: Final = "promised eps over the upper end of the true one, at delta = 1/1000000 and six numbers of users"


def _bound_row(bound: BoundInUse, result: Refutation) -> list[Fact]:
    from exactdp.studies.counterexamples.bounds_in_use import SIZES

    verdict = "refuted" if result.is_refuted else "holds" if bound.theorems else "nothing found"
    certificate = result.certificate
    instance = None if result.instance is None else {a: value_data(b) for a, b in result.instance.items()}
    by = [certificate.claim.digest()] if certificate else [] if result.is_refuted else list(bound.theorems)
    looseness = {one.n: one for one in result.sizes}
    return [
        Fact("bound", bound.name, "bound", bound.name),
        Fact("year", count(bound.year), "year", str(bound.year)),
        Fact("randomizer", bound.scope),
        Fact("exp_eps0", exact_text(bound.exp_eps0), "e^eps0", exact_text(bound.exp_eps0)),
        Fact("verdict", verdict, "verdict", verdict),
        Fact("by", by),
        Fact("instance", instance, cells={"instance": [f"{a}={b}" for a, b in (instance or {}).items()]}),
        Fact("condition", bound.condition),
        Fact("looseness", [_ratio_at(n, looseness.get(n)) for n in SIZES], cells={}),
        *(_ratio_cell(n, looseness.get(n)) for n in SIZES),
        Fact("source", bound.source),
    ]


def _ratio_at(n: int, one: Comparison | None) -> dict[str, Any]:
    ratio = None if one is None or one.ratio is None else {**(number_data(one.ratio) or {}), "exact": None}
    return {"n": count(n), "ratio": ratio, "verdict": None if one is None else _verdict(one)}


def _verdict(one: Comparison) -> str:
    return "holds" if one.holds else "below" if one.is_below else "between"


def _ratio_cell(n: int, one: Comparison | None) -> Fact:
    text = "-"
    if one is not None and one.ratio is not None:
        mark = "" if one.holds else f" {_verdict(one)}"
        text = f"{decimal_text(one.ratio, _DIGITS, up=False)}{mark}"
    return Fact(label=str(n), text=text, cells={f"ratio_{n}": text})


def _bound_note(bound: BoundInUse, result: Refutation) -> str:
    """Return what stands behind a verdict, in one line."""
    where = bound.scope
    if bound.searched is not None:
        scope, ratios = bound.searched
        where += (
            f" (on the grid {scope} with e^eps0 = {', '.join(map(exact_text, ratios))})" if ratios else " (no grid)"
        )
    if (least := result.instance) is not None:
        at = ", ".join(f"{name}={value_data(value)}" for name, value in least.items())
        certificate = result.certificate
        claim = "without a certificate" if certificate is None else f"claim {certificate.claim.digest()}"
        by = f"refuted at {at}, {claim}"
    else:
        by = f"holds by {', '.join(bound.theorems)}" if bound.theorems else "nothing found"
    return f"{bound.name}: of {where}; condition: {bound.condition}; {by}; {bound.source}"
