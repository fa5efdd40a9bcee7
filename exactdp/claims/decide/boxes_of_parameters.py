"""Decides claims for whole boxes of parameters: by cells on which the checker shows them, or by a point."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Final

from exactdp.checker import for_all
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work
from exactdp.checker.reading import canonical
from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.decision import Decision, first_verified, undecided
from exactdp.claims.decide.parameter_cells import Cells, Point, cells_that_show, places
from exactdp.claims.decide.reached_deltas import reached_deltas
from exactdp.claims.encoding import JsonObject, write_rational
from exactdp.claims.kinds import ForAll, Statement, read_statement
from exactdp.numbers.formats import short

_GRID: Final = {1: 16, 2: 4}
"""Steps to a side between the points that are tried first; 2 for more parameters."""


def decide_for_all(claim: ForAll, decide: Callable[[Statement], Decision]) -> Decision:
    """Decide whether a claim holds at every point of a box; ``decide`` decides it at one."""
    search = _Search(claim, decide)
    found = search.point_on_a_grid() or search.cells()
    if isinstance(found, str):
        return undecided(found)
    if isinstance(found, Cells):
        witness = search.witness(found)
        if isinstance(witness, str):
            return undecided(witness)
        return first_verified(claim, Verdict.PROVED, found.words, [witness])
    point = ", ".join(f"{name} = {short(x)}" for name, x in zip(claim.parameters, found, strict=True))
    if search.read.is_none_at(found, Work()):
        reason = f"It is none at {point}: a probability or a bound is not in its domain."
        return first_verified(claim, Verdict.REFUTED, reason, [{"point": list(map(write_rational, found))}])
    inner = decide(read_statement(search.at(found)))
    reason = f"It fails at {point}. {inner.reason}"
    witnesses: list[JsonObject] = []
    if inner.verdict is Verdict.REFUTED and inner.witness is not None:
        witnesses.append({"point": list(map(write_rational, found)), "witness": inner.witness})
    return first_verified(claim, Verdict.REFUTED, reason, witnesses)


class _Search:
    """The claim as the checker has read it."""

    def __init__(self, claim: ForAll, decide: Callable[[Statement], Decision]) -> None:
        self.claim, self.decide = claim, decide
        self.read = for_all.ForAll.read(json.loads(canonical(claim.encode())), Work())

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
                return self.decide(read_statement(self.at(point))).verdict is Verdict.REFUTED
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
        reached = reached_deltas(self.read, self.claim.box, self.at, self.decide)
        return reached if isinstance(reached, str) else {"cells": cells.written(), "reached": reached}
