"""The claim monotone: the worst divergence of shuffled views never rises, or never falls, as a parameter rises.

Trusted for: the channel turns the one table into the other at all pairs of points; two plain claims contradict.

It rests on these facts, with their theorems of the Coq kernel:

- a channel on every message does not raise a divergence: channel.channel_below, channel.channel_shuffle_dp,
  channel.channel_add_or_remove
- a Bernstein form shows the sign on a cube: bernstein.bernstein_sound, box_inequality.box_inequality_proved
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .boxes import Box, End, compose, read_inside
from .budget import Work, rejected
from .cells import Cell, check_cells
from .facts import BERNSTEIN, CHANNEL, Facts
from .for_all import at_point
from .functions_of_parameters import Function, OverOne
from .inequalities import Polynomial, add, multiply
from .limits import MAX_BOX_VARIABLES
from .privacy import Privacy
from .reading import Object, Vector, any_object, read_choice, read_integer, read_list, read_object
from .symbolic_claims import ParameterBox, Signed, are_probabilities, check_signs
from .symbolic_laws import Row, SymbolicRandomizer

SentLaw = dict[Vector, Polynomial]  # message counts -> a polynomial in the parameters and the share


class Monotone(NamedTuple):
    """For all numbers of users, neighbours and e^eps: the worst divergence moves one way with a parameter."""

    parameters: ParameterBox
    moved: int
    falls: bool
    randomizer: SymbolicRandomizer
    table: object

    @classmethod
    def read(cls, claim: Object, work: Work) -> Monotone:
        read_object(claim, "the claim", ["kind", "parameters", "box", "parameter", "delta", "randomizer"])
        parameters = ParameterBox.read(claim, MAX_BOX_VARIABLES - 1)
        moved = read_integer(claim["parameter"], "parameter", 0, len(parameters.names) - 1)
        falls = read_choice(claim["delta"], "delta", ["falls", "rises"]) == "falls"
        randomizer = SymbolicRandomizer.read(claim["randomizer"], parameters.names, parameters.function, work)
        return cls(parameters, moved, falls, randomizer, claim["randomizer"])

    @property
    def words(self) -> str:
        name, moves = self.parameters.names[self.moved], "rises" if self.falls else "falls"
        worst = f"the worst delta at every e^eps never {moves} as {name} rises"
        return f"{self.parameters.words}: shuffled {self.randomizer.words}, every n >= 1, both relations: {worst}"

    # --- Proved by a channel

    def prove(self, witness: Object, work: Work) -> Facts:
        """*A channel on every message does not raise a divergence.*"""
        read_object(witness, "the witness", ["channel", "cells"])
        channel = self.channel(witness["channel"], work)
        signs = self.signs(channel)
        end = End(Fraction(1), self.parameters.box[self.moved][1].is_closed)
        box: Box = [*self.parameters.box, (End(Fraction(0), True), end)]
        check_cells(any_object(witness["cells"], "cells"), box, lambda part: check_part(signs, part, work))
        self.check_channel(channel, work)
        return [BERNSTEIN, CHANNEL]

    def channel(self, value: object, work: Work) -> list[Function]:
        """For each message in turn the probabilities of what it becomes."""
        messages, channel = self.randomizer.messages, list[Function]()
        for i, row in enumerate(read_list(value, "channel", messages, messages)):
            entries = read_list(row, f"row {i} of the channel", messages, messages)
            channel += [Function.read(entry, "an entry of the channel", len(self.zero)) for entry in entries]
        group = OverOne.of(channel, "the channel", work) if channel else None
        for i in range(messages if group else 0):
            if group and not group.is_one(range(i * messages, (i + 1) * messages), work):
                rejected(f"row {i} of the channel does not sum to 1 identically")
        return channel

    def signs(self, channel: list[Function]) -> list[Signed]:
        """What shows that table and channel are ones."""
        table = [self.extended(function) for function in self.randomizer.functions]
        return [*are_probabilities(table), *are_probabilities(channel)]

    def extended(self, function: Function) -> Function:
        """The same with one more variable, the share."""
        return Function(*({(*e, 0): c for e, c in polynomial.items()} for polynomial in function))

    def check_channel(self, channel: list[Function], work: Work) -> None:
        """Both tables with one bottom each; the channel with one, once for each message that is sent."""
        table, lines = [self.extended(function) for function in self.randomizer.functions], self.lines()
        at_larger = [Function(compose(f.top, lines, work), compose(f.bottom, lines, work)) for f in table]
        before, after = one_bottom(table, work), one_bottom(at_larger, work)
        if not self.falls:
            before, after = after, before
        turns, bottom = one_bottom(channel, work) if channel else ([], self.one)
        most = max(len(send) for row in self.randomizer.rows for send, _ in row)
        for x, row in enumerate(self.randomizer.rows):
            left = self.exchanged(row, before[0], turns, bottom, most, work)
            right = self.counts_law(x, after[0], work)
            scale = after[1], multiply(before[1], power(bottom, most, self.one, work), work)
            for counts in {**left, **right}:
                total = multiply(left.get(counts, {}), scale[0], work)
                add(
                    total,
                    multiply(right.get(counts, {}), multiply(scale[1], {self.zero: Fraction(-1)}, work), work),
                    work,
                )
                if any(total.values()):
                    rejected(f"the channel does not turn row {x} at one point into that at the other")

    @property
    def zero(self) -> Vector:
        return (0,) * (len(self.parameters.names) + 1)

    @property
    def one(self) -> Polynomial:
        return {self.zero: Fraction(1)}

    def lines(self) -> list[Polynomial]:
        """The larger value x + s (high - x) in the place of x."""
        size = len(self.zero)
        unit = [tuple(int(i == j) for j in range(size)) for i in range(size)]
        lines: list[Polynomial] = [{e: Fraction(1)} for e in unit]
        x, s = unit[self.moved], unit[-1]
        both = tuple(a + b for a, b in zip(x, s))
        lines[self.moved] = {x: Fraction(1), s: self.parameters.box[self.moved][1].value, both: Fraction(-1)}
        return lines

    def counts_law(self, x: int, tops: list[Polynomial], work: Work) -> SentLaw:
        """The law of the message counts of one user."""
        law: SentLaw = {}
        for counts, places in self.randomizer.laws[x].items():
            law[counts] = {}
            for place in places:
                add(law[counts], tops[place], work)
        return law

    def exchanged(
        self, row: Row, tops: list[Polynomial], turns: list[Polynomial], bottom: Polynomial, most: int, work: Work
    ) -> SentLaw:
        """The same after the channel, over as many bottoms of the channel as the longest bundle has messages."""
        messages, law = self.randomizer.messages, SentLaw()
        for send, place in row:
            reached: SentLaw = {
                (0,) * messages: multiply(tops[place], power(bottom, most - len(send), self.one, work), work)
            }
            for message in send:
                further: SentLaw = {}
                for counts, polynomial in reached.items():
                    for m in range(messages):
                        turn = turns[message * messages + m]
                        if turn:
                            moved = (*counts[:m], counts[m] + 1, *counts[m + 1 :])
                            add(further.setdefault(moved, {}), multiply(polynomial, turn, work), work)
                reached = further
            for counts, polynomial in reached.items():
                add(law.setdefault(counts, {}), polynomial, work)
        return law

    # --- Refuted by two claims at two points

    def refute(self, witness: Object, work: Work) -> Facts:
        """A level that holds at one point and fails at the other."""
        level = ["neighbors", "n", "exp_eps", "delta"]
        read_object(witness, "the witness", ["low", "high", "proof", "refutation", *level])
        low, high = (read_inside(witness[key], self.parameters.box) for key in ("low", "high"))
        for i, (first, second) in enumerate(zip(low, high)):
            if (first >= second) if i == self.moved else (first != second):
                rejected("the two points of the witness do not differ in the parameter alone, from low to high")
        facts: Facts = []
        for point, key in zip((low, high), ("proof", "refutation") if self.falls else ("refutation", "proof")):
            plain = Privacy.read_shuffle(self.claim_at(point, {name: witness[name] for name in level}, work), work)
            inner = any_object(witness[key], f"the {key}")
            facts += plain.prove(inner, work) if key == "proof" else plain.refute(inner, work)
        return facts

    def claim_at(self, point: Sequence[Fraction], level: Mapping[str, object], work: Work) -> Object:
        """The plain claim of the table at a point, at the level of a witness."""
        fields = {"kind": "shuffle_dp", "scope": "this n", "least": "none", **level}
        return {**fields, "randomizer": at_point(self.table, point, work)}


def check_part(signs: list[Signed], part: Box, work: Work) -> None:
    check_signs(signs, Cell(part), work)


def one_bottom(functions: list[Function], work: Work) -> tuple[list[Polynomial], Polynomial]:
    """Tops over one bottom."""
    tops, bottom, _ = OverOne.of(functions, "the table", work)
    return [{e: Fraction(c) for e, c in top.items()} for top in tops], {e: Fraction(c) for e, c in bottom.items()}


def power(base: Polynomial, exponent: int, one: Polynomial, work: Work) -> Polynomial:
    result = one
    for _ in range(exponent):
        result = multiply(result, base, work)
    return result
