"""Laws that are listed exactly, as integer weights over one denominator.

The law of one user's message counts and of the view of many users; a law on the integers; a binomial law; the law of a
walk with constant ratios, as finitely many steps; and a uniform law against itself, as three outcomes.

Trusted for: the law of what the users send, listed exactly.

It rests on these facts, with their theorems of the Coq kernel:

- the view is the multiset of messages: shuffler.shuffle_dp_iff_shuffled
- constant ratios are one outcome: steps.constant_ratios, steps_geometric.two_sided_steps,
  steps_one_sided.one_sided_steps
- a uniform law differs from itself at its ends: uniform_ends.uniform_law, uniform_ends.uniform_ends
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, repeat
from math import comb, gcd
from operator import mul
from typing import Any, NamedTuple, TypeVar

from .budget import Work, malformed, size
from .limits import (
    MAX_DECIMAL_BITS,
    MAX_INPUTS,
    MAX_LAW_BITS,
    MAX_LIST,
    MAX_MESSAGES,
    MAX_SENT,
    MAX_STEPS,
    MAX_SUMS,
    MAX_TERMS_ADDED,
    MAX_TOTAL_BITS,
    MAX_TRIALS,
)
from .reading import (
    Vector,
    as_weights,
    common_denominator,
    read_integer,
    read_list,
    read_object,
    read_probability,
    sha256,
    show,
)

Chance = TypeVar("Chance")
Law = dict[Vector, int]  # outcome -> positive weight; the total stands beside it
Packed = dict[int, int]  # the same, each outcome written as one integer
Pair = tuple[int, int]  # the weights of one outcome under two laws, or an outcome and its weight


class Randomizer(NamedTuple):
    """For each input the law of one user's message counts, over one denominator: *the view is the multiset*."""

    messages: int
    denominator: int
    rows: list[Law]
    words: str
    facts: tuple[str, ...] = ()  # what makes the table that of the users that it is said to be of

    @classmethod
    def read(cls, value: object, work: Work) -> Randomizer:
        fields = read_object(value, "the randomizer", ["messages", "rows"])
        messages = read_integer(fields["messages"], "messages", 0, MAX_MESSAGES)
        rows_read = read_list(fields["rows"], "rows", 1, MAX_INPUTS)
        tables = [read_row(row, f"row {x}", messages, read_probability) for x, row in enumerate(rows_read)]
        if messages * sum(map(len, tables)) > MAX_STEPS:
            malformed(f"more than {MAX_STEPS} counts in the rows of the randomizer")
        denominator = common_denominator([p for table in tables for p in table.values()], "the randomizer", work)
        rows = [count_law(table, messages, denominator, f"row {x}") for x, table in enumerate(tables)]
        words = f"table {sha256(value)[:12]}, inputs: {len(rows)}, outcomes: {sum(map(len, tables))}"
        if sum(len(send) + 1 for table in tables for send in table) <= 16:
            words = "; ".join(f"{x}: {show_row(table)}" for x, table in enumerate(tables))
        return cls(messages, denominator, rows, f"randomizer {{{words}}}")

    def base(self, users: int) -> int:
        """Above every count of these many users."""
        return users * max(sum(outcome) for row in self.rows for outcome in row) + 1


def read_row(value: object, where: str, messages: int, read: Callable[[object, str], Chance]) -> dict[Vector, Chance]:
    """One row of the table: tuple of messages -> probability, as it is read."""
    table: dict[Vector, Chance] = {}
    for entry in read_list(value, where, 1, MAX_LIST):
        outcome = read_object(entry, f"an outcome of {where}", ["send", "prob"])
        sent = read_list(outcome["send"], f"send in {where}", 0, MAX_SENT)
        send = tuple(read_integer(m, f"a message in {where}", 0, messages - 1) for m in sent)
        if send in table:
            malformed(f"{where} has the same tuple of messages twice")
        table[send] = read(outcome["prob"], f"a probability in {where}")
    return table


def count_law(table: dict[Vector, Fraction], messages: int, denominator: int, where: str) -> Law:
    """The law of the message counts, adding up tuples that differ in order only."""
    law: Law = {}
    for send, weight in zip(table, as_weights(table.values(), denominator, where)):
        counts = [0] * messages
        for message in send:
            counts[message] += 1
        law[tuple(counts)] = law.get(tuple(counts), 0) + weight
    return law


def show_row(table: dict[Vector, Fraction]) -> str:
    return ", ".join(f"({' '.join(map(str, send))}) {show(p)}" for send, p in table.items())


def pack(law: Law, base: int) -> Packed:
    """Each outcome as one integer in this base: adding integers adds count vectors, without a carry."""
    powers = list(accumulate(repeat(base, len(next(iter(law)))), mul, initial=1))
    return {sum(map(mul, outcome, powers)): weight for outcome, weight in law.items()}


def at_zero(law: Law) -> Law:
    """The law, moved so that the least value of each count is 0."""
    least = [min(column) for column in zip(*law)]
    return {tuple(count - low for count, low in zip(outcome, least)): weight for outcome, weight in law.items()}


def distinct(laws: Iterable[Law], base: int) -> list[Packed]:
    packed = [pack(law, base) for law in laws]
    return [law for i, law in enumerate(packed) if law not in packed[:i]]


def convolve(law: Packed, row: Packed, bits: int, work: Work) -> Packed:
    """The law of the sum of two independent outcomes; ``bits`` is the size of the weights."""
    work.spend(16 + len(law) * len(row), bits, max(64, *(weight.bit_length() for weight in row.values())))
    if len(law) * len(row) * bits > MAX_LAW_BITS:
        malformed(f"a law of more than {MAX_LAW_BITS} bits")
    sums: Packed = {}
    longest = bits + max(*law, *row).bit_length()
    for step, factor in row.items():
        work.hold(len(sums) + len(law), longest)
        for outcome, weight in law.items():
            reached = outcome + step
            sums[reached] = sums.get(reached, 0) + weight * factor
    return sums


class Listed(NamedTuple):
    """Laws of the users so far as they are listed elsewhere: outcome by outcome."""

    rows: list[Packed]
    bits: int

    @property
    def nobody(self) -> Packed:
        return {0: 1}

    def added(self, law: Packed, row: int, users: int, work: Work) -> Packed:
        """The law of ``users``, the last of them with this row."""
        reached = convolve(law, self.rows[row], self.bits, work)
        work.hold(users * len(reached), self.bits + max(reached).bit_length())  # those that wait are no longer
        return reached

    def listed(self, law: Packed, users: int, work: Work) -> Packed:
        return law


class Line(NamedTuple):
    """Laws on a line, users * low + i * unit, each as one integer with ``slot`` bits for the weight at i.

    No weight is negative, and none is above the product of the totals of the users' rows, which a slot holds.
    """

    low: int
    unit: int
    slot: int
    rows: list[list[Pair]]  # places in bits, and weights
    nobody: int = 1

    @classmethod
    def of(cls, rows: list[Packed], users: int) -> Line | None:
        """Where weights are short, and the steps from one outcome to another few of one unit."""
        outcomes = set[int]().union(*rows)
        low, total = min(outcomes), max(sum(row.values()) for row in rows)
        unit = gcd(*(outcome - low for outcome in outcomes)) or 1
        if max(outcomes) - low >= MAX_TERMS_ADDED * unit or total >> 64 or min(min(row.values()) for row in rows) < 0:
            return None
        slot = 8 * (users * total.bit_length() // 8 + 1)
        return cls(low, unit, slot, [[((o - low) // unit * slot, w) for o, w in row.items()] for row in rows])

    def added(self, law: int, row: int, users: int, work: Work) -> int:
        steps = self.rows[row]
        reached = law.bit_length() + MAX_TERMS_ADDED * self.slot
        work.spend(8 + len(steps), reached, max(64, *(weight.bit_length() for _, weight in steps)))
        if reached * len(steps) > MAX_LAW_BITS:
            malformed(f"a law of more than {MAX_LAW_BITS} bits")
        work.hold(users + len(steps), reached)
        return sum(law * weight << place for place, weight in steps)

    def listed(self, law: int, users: int, work: Work) -> Packed:
        width = self.slot // 8
        work.spend(law.bit_length() // self.slot + 1, self.slot)
        written = law.to_bytes(-(-law.bit_length() // self.slot) * width, "little")
        weights = (int.from_bytes(written[i : i + width], "little") for i in range(0, len(written), width))
        return {users * self.low + i * self.unit: weight for i, weight in enumerate(weights) if weight}


def bystander_laws(rows: list[Packed], users: int, bits: int, work: Work) -> Iterator[tuple[Vector, Packed]]:
    """For every multiset of ``users`` users: how many hold each row, and the law of their view.

    Users are added one at a time, in the order of their rows; an entry waits as (users so far, their law, row to add).
    """
    laws: Any = Line.of(rows, users) or Listed(rows, bits)
    waiting: list[tuple[Vector, Any, int]] = []
    counts, law, first = (0,) * len(rows), laws.nobody, 0
    while True:
        if sum(counts) == users:
            yield counts, laws.listed(law, users, work)
        else:
            waiting.extend((counts, law, i) for i in range(first, len(rows)))
        if not waiting:
            return
        counts, law, first = waiting.pop()
        counts = (*counts[:first], counts[first] + 1, *counts[first + 1 :])
        work.spend(len(rows), 1)
        law = laws.added(law, first, sum(counts), work)


def expect_sweep(rows: list[Packed], users: int, bits: int, work: Work) -> None:
    """Refuse at once what ``bystander_laws`` cannot afford: the view of m users has at least as many outcomes as there
    are sums of m outcomes that all rows share, and is extended once for every multiset of m + 1 users. Where these
    are too many to be listed, those of fewer users are counted."""
    shared, least = set(rows[0]).intersection(*rows), min(map(len, rows))
    sums, steps = {0}, 0
    for m in range(users):
        steps += comb(m + len(rows), m + 1) * len(sums or {0}) * least
        work.expect(steps, bits)
        if len(sums) * len(shared) <= MAX_SUMS:
            work.spend(1 + len(sums) * len(shared), 64)
            sums = {total + outcome for total in sums for outcome in shared}


class Table(NamedTuple):
    """A law on the integers: ``stream()`` gives its outcomes, ascending, with their weights over ``total``."""

    words: str
    total: int
    outcomes: int
    bits: int
    stream: Callable[[], Iterator[Pair]]
    step: int = 0  # the bits with which each weight is made from the one before

    @classmethod
    def read(cls, value: object, where: str, work: Work) -> Table:
        law: dict[int, Fraction] = {}
        for entry in read_list(value, where, 1, MAX_LIST):
            outcome, probability = read_list(entry, f"an entry of {where}", 2, 2)
            k = read_integer(outcome, f"an outcome of {where}")
            if law and k <= next(reversed(law)):
                malformed(f"the outcomes of {where} do not ascend")
            law[k] = read_probability(probability, f"a probability of {where}")
        total = common_denominator(law.values(), where, work)
        weights = list(zip(law, as_weights(law.values(), total, where)))
        words = f"table {sha256(value)[:12]}, outcomes: {len(law)}"
        if len(law) <= 8:
            words = ", ".join(f"{show(Fraction(k))}: {show(p)}" for k, p in law.items())
        return cls(f"law {{{words}}}", total, len(law), total.bit_length(), lambda: iter(weights))

    @classmethod
    def of(cls, law: Packed, total: int) -> Table:
        return cls("", total, len(law), total.bit_length(), lambda: iter(sorted(law.items())))

    @classmethod
    def binomial(cls, n: int, p: Fraction) -> Table:
        bits = n * p.denominator.bit_length()
        if n > MAX_TRIALS or bits > MAX_TOTAL_BITS:
            malformed(
                f"beyond {MAX_TRIALS} trials or {MAX_TOTAL_BITS} bits a binomial law is checked by enclosure only"
            )
        return cls("", int(p.denominator**n), n + 1, bits, lambda: binomial_weights(n, p), size(p))

    def pairs(self, shift: int) -> Iterator[Pair]:
        """The weights of Y and Y + shift at each t of either support; a weight of Y waits for its shifted place."""
        waiting: deque[Pair] = deque()
        for t, weight in self.stream():
            while waiting and waiting[0][0] < t:
                yield 0, waiting.popleft()[1]
            yield weight, waiting.popleft()[1] if waiting and waiting[0][0] == t else 0
            waiting.append((t + shift, weight))
        for _, moved in waiting:
            yield 0, moved


def binomial_weights(n: int, p: Fraction) -> Iterator[Pair]:
    """C(n, t) s^t f^(n-t) for p = s/(s+f): each from the one before, with an exact division."""
    success, failure = p.numerator, p.denominator - p.numerator
    weight = failure**n
    for t in range(n if failure else 0):
        yield t, weight
        weight = weight * ((n - t) * success) // ((t + 1) * failure)
    yield n, weight if failure else 1


class Steps(NamedTuple):
    """*Constant ratios are one outcome*: w(t) = x^t for t >= 0, or x^|t|, against itself moved by at most ``most``."""

    x: Fraction
    is_even: bool
    most: int

    @property
    def outcomes(self) -> int:
        return self.most + 2

    @property
    def step(self) -> int:
        return size(self.x)

    @property
    def bits(self) -> int:
        return (self.most + 1) * self.x.denominator.bit_length()

    @property
    def total(self) -> int:
        """The sum of the weights, scaled by 1 - x and denominator^most."""
        c, d = self.x.numerator, self.x.denominator
        return int(d**self.most + (c * d ** (self.most - 1) if self.is_even else 0))

    def pairs(self, shift: int) -> Iterator[Pair]:
        c, d, scale = self.x.numerator, self.x.denominator, self.x.denominator ** (self.most - shift)
        if self.is_even:
            yield scale * d**shift, scale * c**shift
        weight = scale * (d - c) * (c * d ** (shift - 1) if self.is_even else d**shift)
        moved = scale * (d - c) * c ** (shift - 1) if self.is_even else 0
        for _ in range(1 if self.is_even else 0, shift):
            yield weight // d, moved
            weight, moved = weight // d * c, moved // c * d if self.is_even else 0
        yield scale * c**shift, scale * d**shift


class Ends(NamedTuple):
    """*A uniform law differs from itself at its ends*: ``total`` outcomes of weight 1, against themselves moved."""

    total: int
    outcomes: int = 3
    step: int = 0

    @property
    def bits(self) -> int:
        return self.total.bit_length()

    def pairs(self, shift: int) -> Iterator[Pair]:
        moved = min(shift, self.total)
        yield moved, 0
        yield self.total - moved, self.total - moved
        yield 0, moved


def sum_rows(randomizer: Randomizer, weights: Sequence[int]) -> list[Packed]:
    """For each input the law of the sum of the weights of one user's messages."""
    if any(weight.bit_length() > MAX_DECIMAL_BITS for weight in weights):
        malformed(f"a weight of more than {MAX_DECIMAL_BITS} bits, over the common denominator of the analyzer")
    rows: list[Packed] = []
    for row in randomizer.rows:
        law: Packed = {}
        for outcome, weight in row.items():
            reached = sum(w * c for w, c in zip(weights, outcome))
            law[reached] = law.get(reached, 0) + weight
        rows.append(law)
    return rows


def law_of_users(rows: list[Packed], users: Sequence[int], bits: int, work: Work) -> Packed:
    """The law of what all users show together, each with the law of his row."""
    law: Packed = {0: 1}
    for row, copies in zip(rows, users):
        for _ in range(copies):
            law = convolve(law, row, bits, work)
    return law


def sum_law(rows: list[Packed], users: Sequence[int], randomizer: Randomizer, work: Work) -> tuple[Packed, int]:
    """The law of the sum over all users, each with the law of his row, and its total."""
    n = sum(users)
    bits = n * randomizer.denominator.bit_length()
    if bits > MAX_TOTAL_BITS:
        malformed(f"the weights of the view have more than {MAX_TOTAL_BITS} bits")
    return law_of_users(rows, users, bits, work), int(randomizer.denominator**n)
