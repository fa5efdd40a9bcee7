"""The claim for_all: a claim whose probabilities and bounds are functions of parameters, for a whole box of them.

Trusted for: the claim is shown on every cell of the box, and what makes it a claim there; or a point refutes it.

It rests on these facts, with their theorems of the Coq kernel:

- a Bernstein form shows the sign on a cube: bernstein.bernstein_sound, box_inequality.box_inequality_proved
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol, cast

from .accuracy import Tail
from .boxes import Box, read_inside
from .budget import Work, rejected
from .cells import Cell, check_cells
from .equal_laws import EqualLaws
from .facts import BERNSTEIN, Facts
from .functions_of_parameters import Function, spelled
from .inequalities import evaluate
from .limits import MAX_BOX_VARIABLES
from .noise_privacy import ShiftPrivacy, Smooth
from .privacy import Privacy
from .reading import Object, any_object, read_choice, read_object
from .symbolic_claims import (
    EqualOnCells,
    Inner,
    ParameterBox,
    ShiftsOnCells,
    SmoothOnCells,
    TailOnCells,
    ViewsOnCells,
    check_signs,
)

FUNCTIONS = ["prob", "p", "exp_eps", "delta", "probability"]
"""The keys under which a claim may have a function."""
ON_CELLS: dict[str, Callable[[Object, ParameterBox, Work], Inner]] = {
    "shuffle_dp": ViewsOnCells.read,
    "shift_dp": ShiftsOnCells.read,
    "smooth": SmoothOnCells.read,
    "tail": TailOnCells.read,
    "equal_laws": EqualOnCells.read,
}


class Plain(Protocol):
    """A claim at one point."""

    def prove(self, witness: Object, work: Work) -> Facts: ...

    def refute(self, witness: Object, work: Work) -> Facts: ...


AT_A_POINT: dict[str, Callable[[Object, Work], Plain]] = {
    "shuffle_dp": Privacy.read_shuffle,
    "shift_dp": ShiftPrivacy.read,
    "smooth": Smooth.read,
    "tail": Tail.read,
    "equal_laws": EqualLaws.read,
}


def at_point(value: object, point: Sequence[Fraction], work: Work) -> object:
    """A claim that has been read, or a part of one, with the values of its functions; what has probability 0 is out."""

    def number(function: object) -> str:
        listed = cast(Object, function)["max"] if isinstance(function, dict) and "max" in function else [function]
        functions = [Function.read(entry, "a function", len(point)) for entry in cast(list[object], listed)]
        return spelled(max(function.at(point, work) for function in functions))

    if isinstance(value, list):
        entries = [at_point(entry, point, work) for entry in cast(list[object], value)]
        return [entry for entry in entries if not isinstance(entry, dict) or cast(Object, entry).get("prob") != "0"]
    if not isinstance(value, dict):
        return value
    fields = cast(Object, value)
    if fields.get("family") == "finite":
        pairs = [(outcome, number(function)) for outcome, function in cast(list[list[object]], fields["weights"])]
        return {"family": "finite", "weights": [[outcome, p] for outcome, p in pairs if p != "0"]}
    return {key: number(part) if key in FUNCTIONS else at_point(part, point, work) for key, part in fields.items()}


class ForAll(NamedTuple):
    """At every point of the box the claim holds."""

    parameters: ParameterBox
    kind: str
    claim: Object
    inner: Inner

    @classmethod
    def read(cls, claim: Object, work: Work) -> ForAll:
        read_object(claim, "the claim", ["kind", "parameters", "box", "claim"])
        parameters = ParameterBox.read(claim, MAX_BOX_VARIABLES)
        fields = any_object(claim["claim"], "the claim for all parameters")
        kind = read_choice(fields.get("kind"), "kind", list(ON_CELLS))
        return cls(parameters, kind, fields, ON_CELLS[kind](fields, parameters, work))

    @property
    def words(self) -> str:
        return f"{self.parameters.words}: {self.inner.words}"

    @property
    def is_least(self) -> bool:
        """Whether no smaller delta will do."""
        return self.claim.get("least") == "delta"

    def check_cell(self, box: Box, work: Work) -> None:
        cell = Cell(box)
        check_signs(self.inner.signs, cell, work)
        self.inner.check(cell, work)

    def prove(self, witness: Object, work: Work) -> Facts:
        """By cells; where delta is the least, also by events that reach it."""
        if isinstance(self.inner, (ViewsOnCells, ShiftsOnCells)) and self.is_least:
            read_object(witness, "the witness", ["cells", "reached"])
            self.inner.check_reached(Cell(self.parameters.box), witness["reached"], work)
            witness = any_object(witness["cells"], "cells")
        check_cells(witness, self.parameters.box, lambda box: self.check_cell(box, work))
        return [*self.inner.facts, BERNSTEIN]

    def plain(self, point: Sequence[Fraction], work: Work) -> Plain:
        """The claim with the values of its functions at a point."""
        return AT_A_POINT[self.kind](any_object(at_point(self.claim, point, work), "the claim at the point"), work)

    def is_none_at(self, point: Sequence[Fraction], work: Work) -> bool:
        """Whether something at the point is below 0 that has to be at least 0, or a bottom is not positive."""
        values = [(evaluate(polynomial, point, work), is_strict) for polynomial, is_strict, _ in self.inner.signs]
        bounds = [evaluate(polynomial, point, work) for polynomial in self.inner.bounds]
        return any(v < 0 or (v == 0 and is_strict) for v, is_strict in values) or (bounds != [] and max(bounds) < 0)

    def refute(self, witness: Object, work: Work) -> Facts:
        """The claim fails at a point, as its own kind is refuted, or because it is none there."""
        read_object(witness, "the witness", ["point", "witness"] if "witness" in witness else ["point"])
        point = read_inside(witness["point"], self.parameters.box)
        if "witness" in witness:
            return self.plain(point, work).refute(any_object(witness["witness"], "the witness at the point"), work)
        if not self.is_none_at(point, work):
            rejected("all probabilities and bounds are in order at the point of the witness")
        return []
