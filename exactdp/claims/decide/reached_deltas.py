"""Finds the events that reach the least delta of a claim for a whole box: one for each function of delta.

At a point where a function is delta, the outcomes with P > e^eps Q of a worst pair are an event that reaches it there.
If P(event) - e^eps Q(event) is the function identically, the event does so wherever it is delta. More and more points
are tried. The function 0 is reached by the event of no outcomes, also where it is nowhere the largest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final, TypeAlias

from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work
from exactdp.checker.cells import Cell
from exactdp.checker.for_all import ForAll
from exactdp.checker.functions_of_parameters import OverOne
from exactdp.checker.neighboring_laws import View
from exactdp.checker.noise_privacy import ShiftPrivacy
from exactdp.checker.privacy import Privacy
from exactdp.checker.symbolic_claims import ShiftsOnCells, ViewsOnCells
from exactdp.claims.decide.decision import Decision
from exactdp.claims.decide.parameter_cells import Point, places
from exactdp.claims.encoding import JsonObject, write_integer, write_integers
from exactdp.claims.kinds import Statement, read_statement
from exactdp.symbolic.box import Box

_STEPS: Final = {1: (8, 64, 512), 2: (5, 20)}
"""Steps to a side between the points that are tried, in turn; 3 for more parameters."""

Decide: TypeAlias = Callable[[Statement], Decision]


def reached_deltas(read: ForAll, box: Box, at: Callable[[Point], JsonObject], decide: Decide) -> list[JsonObject] | str:
    """Return an event for each function of delta, or which function none was found for.

    Args:
        read: the claim, as the checker has read it.
        box: the box of the parameters.
        at: the claim at a point, as data.
        decide: decides a claim.
    """
    inner = read.inner
    assert isinstance(inner, ViewsOnCells | ShiftsOnCells)
    deltas, found = inner.level.deltas, dict[int, JsonObject]()
    for point in _points(box):
        values = [delta.at(point, Work()) for delta in deltas]
        wanted = [j for j, value in enumerate(values) if value == max(values) and j not in found]
        if not wanted:
            continue
        entry = _entry(read, point, decide(read_statement(at(point))))
        found.update((j, entry) for j in wanted if entry is not None and _reaches(read, inner, j, entry))
        if len(found) == len(deltas):
            return [found[j] for j in range(len(deltas))]
    nothing = {**_any_pair(_mechanism(_plain(read, next(_points(box))))), "event": []}
    found.update((j, nothing) for j in range(len(deltas)) if j not in found and _reaches(read, inner, j, nothing))
    missing = [j for j in range(len(deltas)) if j not in found]
    if not missing:
        return [found[j] for j in range(len(deltas))]
    shown = deltas[missing[0]].words(read.parameters.names)
    return f"No event was found whose delta is {shown} identically. Leave it out if it is nowhere the largest."


def _points(box: Box) -> Iterator[Point]:
    for steps in _STEPS.get(len(box), (3,)):
        yield from product(*(tuple(places(side, steps)) for side in box))


def _reaches(read: ForAll, inner: ViewsOnCells | ShiftsOnCells, place: int, entry: JsonObject) -> bool:
    """Whether the checker sees the event reach this function of delta."""
    delta = inner.level.deltas[place]
    alone = inner._replace(level=inner.level._replace(bounds=OverOne.of([delta], "a level", Work())))
    try:
        alone.check_reached(Cell(read.parameters.box), [entry], Work())
    except (CertificateRejectedError, MalformedCertificateError):
        return False
    return True


def _entry(read: ForAll, point: Point, decision: Decision) -> JsonObject | None:
    """Return the worst pair at a point and its best event, if the claim holds there."""
    if decision.witness is None:
        return None
    plain = _plain(read, point)
    ratio, mechanism = plain.level.exp_eps or Fraction(1), _mechanism(plain)
    pair: dict[str, Any] = {key: decision.witness[key] for key in mechanism.keys if key in decision.witness}
    pair = pair or _any_pair(mechanism)
    if isinstance(mechanism, View):
        first, second = (mechanism.law(users, Work()) for users in mechanism.data_sets(pair))
        outcomes = sorted(_counts(mechanism, o) for o, p in first.items() if p > ratio * second.get(o, 0))
        return {**pair, "event": [write_integers(counts) for counts in outcomes]}
    here = dict(mechanism.noise.table(Work()).stream())
    shift, order = mechanism.read_pair(pair)
    moved = {t + shift: weight for t, weight in here.items()}
    p, q = (here, moved) if order == "forward" else (moved, here)
    return {**pair, "event": [write_integer(t) for t in sorted(p) if p[t] > ratio * q.get(t, 0)]}


def _plain(read: ForAll, point: Point) -> Privacy | ShiftPrivacy:
    """Return the claim at a point, as the checker reads it."""
    plain = read.plain(point, Work())
    assert isinstance(plain, Privacy | ShiftPrivacy)
    return plain


def _mechanism(plain: Privacy | ShiftPrivacy) -> Any:
    return plain.shift if isinstance(plain, ShiftPrivacy) else plain.mechanism


def _any_pair(mechanism: Any) -> dict[str, Any]:
    """Return two neighbours, where any will do: for an event without outcomes."""
    if not isinstance(mechanism, View):
        return {"shift": "1", "order": "forward"}
    n, rest = mechanism.n, [0] * (len(mechanism.randomizer.rows) - 1)
    first = [n, *rest]
    second = [n - 1, 1, *rest[1:]] if mechanism.neighbors == "replace-one" else [n - 1, *rest]
    return {"first": write_integers(first), "second": write_integers(second)}


def _counts(view: View, outcome: int) -> tuple[int, ...]:
    """Return the message counts of an outcome that is packed into one integer."""
    base, counts = view.randomizer.base(view.n), list[int]()
    for _ in range(view.randomizer.messages):
        outcome, count = divmod(outcome, base)
        counts.append(count)
    return tuple(counts)
