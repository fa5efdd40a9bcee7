"""Randomizers and laws on the integers whose probabilities are functions of parameters; on a cell they are plain ones.

Trusted for: on a cell the weights are the functions times one positive factor, packed as integers.

It rests on these facts, with their theorems of the Coq kernel:

- the view is the multiset of messages: shuffler.shuffle_dp_iff_shuffled
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from .budget import Work, malformed
from .cells import Cell, Packing
from .finite_laws import Packed, Randomizer, Table, law_of_users, read_row
from .functions_of_parameters import Function, OverOne, Reader, difference, read_positive
from .limits import MAX_INPUTS, MAX_LIST, MAX_MESSAGES, MAX_STEPS, MAX_TRIALS
from .noise_laws import Noise
from .reading import (
    Object,
    Vector,
    any_object,
    read_choice,
    read_counts,
    read_integer,
    read_integers,
    read_list,
    read_object,
    sha256,
    show,
    show_vector,
)

SHOWN = 8
"""Probabilities that a claim in words has written out."""
Row = list[tuple[Vector, int]]  # messages sent -> place of the probability among all functions


class SymbolicRandomizer(NamedTuple):
    """For each input the messages sent, with functions for probabilities."""

    messages: int
    rows: list[Row]
    laws: list[dict[Vector, list[int]]]  # message counts -> the places of their probabilities
    functions: list[Function]
    group: OverOne
    words: str

    @classmethod
    def read(cls, value: object, names: Sequence[str], read: Reader, work: Work) -> SymbolicRandomizer:
        fields = read_object(value, "the randomizer", ["messages", "rows"])
        messages = read_integer(fields["messages"], "messages", 0, MAX_MESSAGES)
        functions: list[Function] = []
        rows: list[Row] = []
        for x, listed in enumerate(read_list(fields["rows"], "rows", 1, MAX_INPUTS)):
            table = read_row(listed, f"row {x}", messages, partial(read_positive, read=read))
            rows.append(list(zip(table, range(len(functions), len(functions) + len(table)))))
            functions += table.values()
        if messages * len(functions) > MAX_STEPS:
            malformed(f"more than {MAX_STEPS} counts in the rows of the randomizer")
        group = OverOne.of(functions, "the randomizer", work)
        for x, row in enumerate(rows):
            if not group.is_one([place for _, place in row], work):
                malformed(f"row {x} does not sum to 1 identically")
        words = f"table {sha256(value)[:12]}, inputs: {len(rows)}, outcomes: {len(functions)}"
        if len(functions) <= SHOWN and sum(len(send) for row in rows for send, _ in row) <= SHOWN:
            words = "; ".join(f"{x}: {row_words(row, functions, names)}" for x, row in enumerate(rows))
        laws = [count_places(row, messages) for row in rows]
        return cls(messages, rows, laws, functions, group, f"randomizer {{{words}}}")

    def norm_bits(self, cell: Cell, work: Work) -> int:
        """Of the sum of all coefficients of one user's law, and of the bottom."""
        tops, bottom, degrees = self.group
        rows = [cell.norm([tops[place] for _, place in row], degrees, work) for row in self.rows]
        return max(*rows, cell.norm([bottom], degrees, work)).bit_length()

    def on(self, packing: Packing, work: Work) -> Randomizer:
        """The law of each row's message counts, on a cell."""
        tops, bottom, degrees = self.group
        weights = packing.pack([*tops, bottom], degrees, work)
        work.spend(2 * len(weights), 64)
        rows = [{counts: sum(weights[i] for i in places) for counts, places in law.items()} for law in self.laws]
        return Randomizer(self.messages, weights[-1], rows, self.words)


def count_places(row: Row, messages: int) -> dict[Vector, list[int]]:
    """The message counts of a row, each with the places of its probabilities."""
    law: dict[Vector, list[int]] = {}
    for send, place in row:
        counts = [0] * messages
        for message in send:
            counts[message] += 1
        law.setdefault(tuple(counts), []).append(place)
    return law


def row_words(row: Row, functions: list[Function], names: Sequence[str]) -> str:
    return ", ".join(f"({' '.join(map(str, send))}) {functions[place].words(names)}" for send, place in row)


class ListedNoise(Noise):
    """A law that is listed already."""

    def __init__(self, table: Table) -> None:
        self.listed = table

    def table(self, work: Work) -> Table:
        return self.listed


class SymbolicLaw(NamedTuple):
    """A law on the integers: the sum of what some users show, each with the law of his row; or one row, listed."""

    rows: list[dict[int, list[int]]]  # outcome -> the places of its probabilities among the functions
    users: Vector
    functions: list[Function]
    group: OverOne
    words: str

    @classmethod
    def read(cls, value: object, names: Sequence[str], read: Reader, work: Work) -> SymbolicLaw:
        law = any_object(value, "the law")
        readers = {"finite": cls.read_finite, "view": cls.read_view, "binomial": cls.read_binomial}
        return readers[read_choice(law.get("family"), "family", list(readers))](law, names, read, work)

    @classmethod
    def read_finite(cls, law: Object, names: Sequence[str], read: Reader, work: Work) -> SymbolicLaw:
        read_object(law, "the law", ["family", "weights"])
        row: dict[int, list[int]] = {}
        functions: list[Function] = []
        for place, entry in enumerate(read_list(law["weights"], "the law", 1, MAX_LIST)):
            outcome, probability = read_list(entry, "an entry of the law", 2, 2)
            k = read_integer(outcome, "an outcome of the law")
            if row and k <= next(reversed(row)):
                malformed("the outcomes of the law do not ascend")
            row[k] = [place]
            functions.append(read_positive(probability, "a probability of the law", read))
        group = OverOne.of(functions, "the law", work)
        if not group.is_one(range(len(functions)), work):
            malformed("the law does not sum to 1 identically")
        words = f"table {sha256(law['weights'])[:12]}, outcomes: {len(row)}"
        if len(row) <= SHOWN:
            words = ", ".join(f"{show(Fraction(k))}: {f.words(names)}" for k, f in zip(row, functions))
        return cls([row], (1,), functions, group, f"law {{{words}}}")

    @classmethod
    def read_view(cls, law: Object, names: Sequence[str], read: Reader, work: Work) -> SymbolicLaw:
        read_object(law, "the law", ["family", "randomizer", "dataset", "weights"])
        randomizer = SymbolicRandomizer.read(law["randomizer"], names, read, work)
        users = read_counts(law["dataset"], "dataset", len(randomizer.rows))
        weights = read_integers(law["weights"], "weights", randomizer.messages)
        rows: list[dict[int, list[int]]] = []
        for row in randomizer.rows:
            rows.append({})
            for send, place in row:
                rows[-1].setdefault(sum(weights[m] for m in send), []).append(place)
        summed = f"law of the message weights {show_vector(weights)} summed"
        words = f"{summed}, {randomizer.words}, data set {show_vector(users)}"
        return cls(rows, users, randomizer.functions, randomizer.group, words)

    @classmethod
    def read_binomial(cls, law: Object, names: Sequence[str], read: Reader, work: Work) -> SymbolicLaw:
        read_object(law, "the law", ["family", "n", "p"])
        n, p = read_integer(law["n"], "the n of the law", 0, MAX_TRIALS), read(law["p"], "p")
        functions = [Function(difference(p.bottom, p.top, work), p.bottom), p]
        group = OverOne.of(functions, "the law", work)
        return cls([{0: [0], 1: [1]}], (n,), functions, group, f"Bin({n}, {p.words(names)})")

    @property
    def degrees(self) -> Vector:
        """Of the weights of the law, and of their total."""
        return tuple(sum(self.users) * d for d in self.group.degrees)

    def norm_bits(self, cell: Cell, work: Work) -> int:
        """Of the sum of all coefficients of the law, and of the total."""
        tops, bottom, degrees = self.group
        norms = [cell.norm([tops[i] for places in row.values() for i in places], degrees, work) for row in self.rows]
        return sum(self.users) * max(*norms, cell.norm([bottom], degrees, work)).bit_length()

    def on(self, packing: Packing, work: Work) -> Table:
        """The law on a cell."""
        tops, bottom, degrees = self.group
        *weights, total = packing.pack([*tops, bottom], degrees, work)
        rows: list[Packed] = [{k: sum(weights[i] for i in places) for k, places in row.items()} for row in self.rows]
        users = sum(self.users)
        bits = packing.packed_bits(users * total.bit_length())
        return Table.of(law_of_users(rows, self.users, bits, work), total**users)
