"""What is sent in the place of a message by who is away, and the kinds of two inputs of a randomizer beside it.

A dummy is a law over the messages: of a table any, of a family a uniform message or that of one input. A kind has its
classes against the blanket, and against each row that others may have, with the mass of the dummy in each class: so
that products of independent messages, and of their dummies, are made of these.

Trusted for: every two inputs of a randomizer, equal ones too, are of a kind that is listed, and so is every third one.

It rests on these facts, with their theorems of the Coq kernel:

- who is away adds a message, a dummy or a name on a list: no theorem of the kernel yet
- fewer numbers of ones may tell more: no theorem of the kernel yet
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

from .budget import Work, malformed, size
from .families import Family
from .finite_laws import Law, Randomizer
from .limits import MAX_COUNTS, MAX_FAIR_BITS, MAX_SPLIT_BITS
from .pair_classes import Columns
from .reading import (
    Vector,
    as_weights,
    common_denominator,
    read_integer,
    read_list,
    read_object,
    read_rational,
    show,
)

Beside = tuple[Fraction, Fraction, Fraction, Fraction]  # of a class, as in pair_classes, and under the dummy
FAIR_BITS = 128
"""Of the least probability of a number of ones."""
CELL_BITS = 96
NAMED = 3
"""So many inputs of a family are told apart where classes of users meet."""
RARE_BITS = 40
"""A number of ones that is so rare among own or fair bits is not told from others."""


class Kind(NamedTuple):
    """Two inputs, equal or not: their classes against the blanket, and against each row of others."""

    blanket: list[Beside]
    others: list[list[Beside]]
    is_equal: bool


class Dummy(NamedTuple):
    """A law over messages: "none", "uniform", that of an "input", or "listed" with weights of the messages."""

    words: str
    form: str
    law: Law
    scale: int = 1
    tells_less: bool = False  # whether numbers of ones that are not told are two classes, with less than their masses


NO_DUMMY = Dummy("", "none", {})


def read_dummy(value: object, of: Randomizer | Family, work: Work) -> Dummy:
    """A dummy of a table whose users send one message each, or of a family."""
    if isinstance(of, Family):
        if value == "uniform":
            return Dummy(", uniform", "uniform", {})
        held = read_integer(read_object(value, "the dummy", ["input"])["input"], "input", 0, of.inputs - 1)
        return Dummy(f" of the input {held}", "input", {})
    if any(sum(outcome) != 1 for row in of.rows for outcome in row):
        malformed("a dummy hides users of a table who send one message each, or those of a family")
    chances = [Fraction(1, of.messages)] * of.messages
    if value != "uniform":
        listed = read_list(value, "dummy", of.messages, of.messages)
        chances = [read_rational(chance, "a probability of the dummy", 0) for chance in listed]
    scale = common_denominator(chances, "dummy", work)
    weights = as_weights(chances, scale, "dummy")
    law = {tuple(int(m == sent) for m in range(of.messages)): w for sent, w in enumerate(weights) if w}
    words = ", uniform" if value == "uniform" else f" with the probabilities {', '.join(map(show, chances))}"
    return Dummy(words, "listed", law, scale)


def is_attained(of: Randomizer | Family, dummy: Dummy) -> bool:
    """Whether every kind is one of inputs that there are."""
    if isinstance(of, Randomizer) or not of.has_products or dummy.form != "input":
        return True
    return of.inputs + 1 == 1 << of.rank


def tells_fewer(of: Randomizer | Family, dummy: Dummy) -> bool:
    """Whether there are more numbers of ones than are told."""
    if isinstance(of, Randomizer) or dummy.form != "uniform" or of.noise in (None, Fraction(1, 2)):
        return False
    return of.noise is not None and not are_listed(of.noise, of.inputs)


# --- Tables ----------------------------------------------------------------------------------------------------------


def kinds_of_table(table: Randomizer, dummy: Dummy, work: Work) -> Iterator[Kind]:
    """The ordered pairs of inputs in lexicographic order, those of equal rows left out unless it is one input."""
    listed = [table, *([Randomizer(table.messages, dummy.scale, [dummy.law], "", ())] if dummy.law else [])]
    columns, *away = Columns.union(listed, work)
    rows, places = columns.rows, range(len(columns.rows))
    sent = away[0].rows[0] if away else [0] * len(columns.least)
    chosen = [(x, y) for x in places for y in places if x == y or rows[x] != rows[y]]
    bits = columns.denominator.bit_length()
    work.hold(4 * len(chosen) * (1 + len(places)) * len(sent), 2 * bits + 1024)

    def beside(x: int, y: int, reference: list[int]) -> list[Beside]:
        work.spend(10 * len(sent), bits, bits)
        counts = Counter(zip(rows[x], rows[y], reference, sent))
        p_q_r = (tuple(Fraction(k * weight, columns.denominator) for weight in one) for one, k in counts.items())
        return [(p, q, r, d) for p, q, r, d in p_q_r]

    for x, y in chosen:
        yield Kind(beside(x, y, columns.least), [beside(x, y, row) for row in rows], x == y)


# --- Families --------------------------------------------------------------------------------------------------------


def kinds_of_family(family: Family, dummy: Dummy, work: Work) -> Iterator[Kind]:
    """Inputs are numbered 1, 2, 4, ..., that of the dummy first, and the row of a sum of these is their product.

    Equal inputs come last, and of the rows of others those of sums."""
    apart, equal = [(1, 2)], [(1, 1)]
    if dummy.form == "input":
        apart = [(1, 2), (2, 1), (2, 4), *([(2, 3)] if family.has_products else [])]
        equal = [(1, 1), (2, 2)]
    for x, y in apart + equal:
        length = max(x, y).bit_length()
        if length <= family.rank:
            held = [1 << place for place in range(min(length + 1, family.rank))]
            if family.has_products:
                held += [row for row in range(3, 1 << length) if row & (row - 1)]
            others = [beside_row(family, x, y, row, dummy, work) for row in held]
            yield Kind(beside_row(family, x, y, 0, dummy, work), others, x == y)


def beside_row(family: Family, first: int, second: int, held: int, dummy: Dummy, work: Work) -> list[Beside]:
    """The classes of two inputs against the row of a third one, or for 0 the blanket."""
    length, whole = max(first, second, held).bit_length(), sum(family.pair.values(), Fraction(0))
    fair_noise = family.noise if dummy.form == "uniform" and family.noise != Fraction(1, 2) else None
    cells = [(Fraction(1), Fraction(1))]
    if fair_noise is not None:
        cells = numbers_of_ones(fair_noise, family.inputs - length, family.inputs, work, dummy.tells_less)
    all_listed = fair_noise is None or are_listed(fair_noise, family.inputs)
    ones, is_shared = (1,) * length, held == 0 and family.everyone > 0 and all_listed
    parts = [(bits, mass, family.low) for bits, mass in family.patterns(length).items()]
    if is_shared and len(cells) == 1:
        parts = [(bits, mass - (family.everyone if bits == ones else 0), low) for bits, mass, low in parts]
        parts.append((ones, family.everyone, family.high))
    found = list[Beside]()
    for bits, mass, least in parts:
        p, q, r, own = (mass * density(family, bits, row) for row in (first, second, held, 1))
        away = {"none": Fraction(0), "input": own, "uniform": mass / whole}[dummy.form]
        if fair_noise is not None:
            away = Fraction(1, 2**length)
        if mass:
            r = r if held else mass * least
            found += [(p * of_own, q * of_own, r * of_own, away * fair) for of_own, fair in cells]
            if is_shared and bits == ones and len(cells) > 1:  # the last message, of ones alone, supports every input
                p, q, r, away = found.pop()
                found.append((p, q, r / family.low * family.high, away))
    return found


def density(family: Family, bits: Sequence[int], row: int) -> Fraction:
    """Of a pattern under a row: a message supports a product where an even number of its factors do not have it."""
    missing = sum(1 - bit for place, bit in enumerate(bits) if row >> place & 1)
    return family.low if missing % 2 else family.high


def are_listed(noise: Fraction, inputs: int) -> bool:
    """Whether all numbers of ones are told, exactly."""
    return inputs <= MAX_COUNTS and inputs * noise.denominator.bit_length() <= MAX_SPLIT_BITS


def numbers_of_ones(
    noise: Fraction, bits: int, inputs: int, work: Work, tells_less: bool = False
) -> list[tuple[Fraction, Fraction]]:
    """Masses of the numbers of ones in so many bits, of own and of fair ones; or of fewer that tell more, or less."""
    if not bits:
        return [(Fraction(1), Fraction(1))]
    if are_listed(noise, inputs):
        work.spend(4 * bits, MAX_SPLIT_BITS, MAX_SPLIT_BITS)
        fair = Fraction(1, 2**bits)
        return [
            (comb(bits, ones) * noise**ones * (1 - noise) ** (bits - ones), comb(bits, ones) * fair)
            for ones in range(bits + 1)
        ]
    cells, merged = list[tuple[Fraction, Fraction]](), [(Fraction(0), Fraction(0))] * 2
    if tells_less or bits <= MAX_FAIR_BITS:
        rare, unit = 1 << CELL_BITS - RARE_BITS, 1 << CELL_BITS
        for own, fair_ones in zip(*(chances_of_ones(of, bits, work) for of in (min(noise, 1 - noise), Fraction(1, 2)))):
            cell = Fraction(own, unit), Fraction(fair_ones, unit)
            if min(own, fair_ones) >= rare:
                cells.append(cell)
            elif tells_less:
                before = merged[own < fair_ones]
                merged[own < fair_ones] = before[0] + cell[0], before[1] + cell[1]
    if tells_less:
        return [*cells, *merged]
    rest = [1 - sum(column, Fraction(0)) for column in zip(*cells)] or [Fraction(1)] * 2
    return [*cells, (rest[0], Fraction(0)), (Fraction(0), rest[1])]


def chances_of_ones(noise: Fraction, bits: int, work: Work) -> list[int]:
    """At most the probability of each number of ones, in units of 2^-CELL_BITS."""
    if bits > MAX_FAIR_BITS:
        malformed(f"no test refutes by the numbers of ones of more than {MAX_FAIR_BITS} bits")
    less, wide = min(noise, 1 - noise), bits + FAIR_BITS
    hit, miss = less.numerator, less.denominator - less.numerator
    work.spend(4 * bits, wide, size(noise))
    found, chance = list[int](), 1 << wide
    for _ in range(bits):
        chance = chance * miss // less.denominator
    for ones in range(bits + 1):
        found.append(chance >> wide - CELL_BITS)
        chance = chance * (bits - ones) * hit // ((ones + 1) * miss)
    return found if noise == less else found[::-1]


# --- Classes of users ------------------------------------------------------------------------------------------------


def named_table(family: Family, cuts: Vector, bits: int, work: Work) -> Randomizer:
    """Which of up to three inputs a message supports and, of bits, between which cuts the number of other ones lies: at
    most the probabilities, in units of 2^-bits, for each of these inputs and for products of them."""
    length, cells = min(NAMED, family.rank), [1 << CELL_BITS]
    if cuts:
        if family.noise is None:
            malformed("cuts are of the numbers of ones of unary encoding")
        ones = chances_of_ones(family.noise, family.inputs - length, work)
        cells = [sum(ones[low:high]) for low, high in zip([0, *cuts], [*cuts, len(ones)])]
    patterns = family.patterns(length)
    held = [row for row in range(1, 1 << length) if row & (row - 1) == 0 or family.has_products]
    messages = len(patterns) * len(cells)
    work.spend(8 * len(held) * messages, 2 * bits + 64, 2 * max(map(size, patterns.values())))
    work.hold(messages**2, 64)
    sent = [tuple(int(m == one) for m in range(messages)) for one in range(messages)]
    rows: list[Law] = []
    for row in held:
        is_input = not family.has_products or row <= family.inputs  # a number beyond the inputs is nobody's
        own = ((mass * density(family, pattern, row) * is_input) for pattern, mass in patterns.items())
        masses = (mass * cell for mass in own for cell in cells)
        floors = ((mass.numerator << bits) // (mass.denominator << CELL_BITS) for mass in masses)
        rows.append(dict(zip(sent, floors)))
    return Randomizer(messages, 1 << bits, rows, family.words, ())
