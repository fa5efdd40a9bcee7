"""Claims for whole boxes of parameters: by cells on which the checker shows them, or by a point.

*Events that reach the least delta* for a whole box, one for each function of delta. At a point where a function is
delta, the outcomes with P > e^eps Q of a worst pair are an event that reaches it there. If P(event) - e^eps Q(event) is
the function identically, the event does so wherever it is delta. More and more points are tried. The function 0 is
reached by the event of no outcomes, also where it is nowhere the largest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Final

from exactdp.checker import for_all
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work
from exactdp.checker.cells import Cell
from exactdp.checker.functions_of_parameters import OverOne
from exactdp.checker.neighboring_laws import View
from exactdp.checker.noise_privacy import ShiftPrivacy
from exactdp.checker.privacy import Privacy
from exactdp.checker.reading import canonical
from exactdp.checker.symbolic_claims import ShiftsOnCells, ViewsOnCells
from exactdp.claims.encoding import JsonObject, write_integer, write_integers, write_rational
from exactdp.claims.open_claims import at_box, is_open
from exactdp.claims.parameter_cells import Cells, Point, cells_that_show, places
from exactdp.claims.statement import Decision, OpenPart, Statement, Verdict, read_statement, undecided
from exactdp.errors import InvalidValueError
from exactdp.numbers.formats import short
from exactdp.symbolic.box import Box
from exactdp.symbolic.symbolic_randomizer import BoxLike, read_box

_GRID: Final = {1: 16, 2: 4}
"""Steps to a side between the points that are tried first; 2 for more parameters."""


@dataclass(frozen=True, slots=True)
class ForAll(Statement, kind="for_all"):
    """A claim whose numbers are functions of parameters holds at every point of a box."""

    parameters: tuple[str, ...]
    box: Box
    claim: OpenPart

    @classmethod
    def of(cls, box: BoxLike, claim: JsonObject) -> ForAll:
        """Return that a claim, given as data with functions of parameters, holds at every point of a box."""
        names, sides = read_box(box)
        statement = cls(names, sides, canonical(at_box(claim, names, sides)))
        if not is_open(claim):  # then nobody has seen yet that it is one of those that a box may have
            try:
                for_all.ForAll.read(statement.data, Work())
            except MalformedCertificateError as error:
                raise InvalidValueError(
                    f"the claim is none that a box of parameters may have: {error}. Certify it by itself, or give it "
                    "laws and tables by their probabilities."
                ) from None
        return statement

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether the claim holds at every point of the box."""
        search = _Search(self)
        found = search.point_on_a_grid() or search.cells()
        if isinstance(found, str):
            return undecided(found)
        if isinstance(found, Cells):
            witness = search.witness(found)
            if isinstance(witness, str):
                return undecided(witness)
            return self.first_verified(Verdict.PROVED, found.words, [witness])
        point = ", ".join(f"{name} = {short(x)}" for name, x in zip(self.parameters, found, strict=True))
        if search.read.is_none_at(found, Work()):
            reason = f"It is none at {point}: a probability or a bound is not in its domain."
            return self.first_verified(Verdict.REFUTED, reason, [{"point": list(map(write_rational, found))}])
        inner = read_statement(search.at(found)).decide()
        reason = f"It fails at {point}. {inner.reason}"
        witnesses: list[JsonObject] = []
        if inner.verdict is Verdict.REFUTED and inner.witness is not None:
            witnesses.append({"point": list(map(write_rational, found)), "witness": inner.witness})
        return self.first_verified(Verdict.REFUTED, reason, witnesses)


class _Search:
    """The claim as the checker has read it."""

    def __init__(self, claim: ForAll) -> None:
        self.claim = claim
        self.read = for_all.ForAll.read(claim.data, Work())

    def at(self, point: Point) -> JsonObject:
        """Return the claim at a point."""
        plain: JsonObject = json.loads(canonical(for_all.at_point(self.read.claim, point, Work())))
        return plain

    def fails_at(self, point: Point) -> bool:
        """Whether the exact check of the claim at a point fails."""
        try:
            if self.read.is_none_at(point, Work()):
                return True
            plain = self.read.plain(point, Work())
            if self.read.is_least:
                return read_statement(self.at(point)).decide().verdict is Verdict.REFUTED
            plain.prove({}, Work())
        except CertificateRejectedError:
            return True
        except MalformedCertificateError:  # too large, or no claim there
            return False
        return False

    def point_on_a_grid(self) -> Point | None:
        """Return a point of a coarse grid where the claim fails."""
        steps = _GRID.get(len(self.claim.box), 2)
        sides = [list(places(side, steps)) for side in self.claim.box]
        return next((point for point in product(*sides) if self.fails_at(point)), None)

    def cells(self) -> Cells | Point | str:
        """Return cells on which the claim is shown, or a point where it fails, or why neither."""
        return cells_that_show(self.claim.box, lambda box: self.read.check_cell(box, Work()), self.fails_at)

    def witness(self, cells: Cells) -> JsonObject | str:
        """Return what proves the claim by these cells, or why there is nothing."""
        if not self.read.is_least:
            return cells.written()
        reached = reached_deltas(self.read, self.claim.box, self.at)
        return reached if isinstance(reached, str) else {"cells": cells.written(), "reached": reached}


_STEPS: Final = {1: (8, 64, 512), 2: (5, 20)}
"""Steps to a side between the points that are tried, in turn; 3 for more parameters."""


def reached_deltas(read: for_all.ForAll, box: Box, at: Callable[[Point], JsonObject]) -> list[JsonObject] | str:
    """Return an event for each function of delta, or which function none was found for.

    Args:
        read: the claim, as the checker has read it.
        box: the box of the parameters.
        at: the claim at a point, as data.
    """
    inner = read.inner
    assert isinstance(inner, ViewsOnCells | ShiftsOnCells)
    deltas, found = inner.level.deltas, dict[int, JsonObject]()
    for point in _points(box):
        values = [delta.at(point, Work()) for delta in deltas]
        wanted = [j for j, value in enumerate(values) if value == max(values) and j not in found]
        if not wanted:
            continue
        entry = _entry(read, point, read_statement(at(point)).decide())
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


def _reaches(read: for_all.ForAll, inner: ViewsOnCells | ShiftsOnCells, place: int, entry: JsonObject) -> bool:
    """Whether the checker sees the event reach this function of delta."""
    delta = inner.level.deltas[place]
    alone = inner._replace(level=inner.level._replace(bounds=OverOne.of([delta], "a level", Work())))
    try:
        alone.check_reached(Cell(read.parameters.box), [entry], Work())
    except (CertificateRejectedError, MalformedCertificateError):
        return False
    return True


def _entry(read: for_all.ForAll, point: Point, decision: Decision) -> JsonObject | None:
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


def _plain(read: for_all.ForAll, point: Point) -> Privacy | ShiftPrivacy:
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
