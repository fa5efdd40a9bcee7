"""Check certificates of the schema exactdp-certificate-1, with Python's standard library only.

    python verify.py FILE...

One line per file. Exit status: 0 every file verified, 1 some check failed, 2 some file is malformed, unreadable or
beyond a limit. This file stands alone (Python 3.9 or newer) and shares no code with the prover. docs/certificates.md
describes the format and proves the lemmas that are named here, in asterisks.

How to read it. Numbers and shapes are read first, each once, and refused if written in any other way (``read_...``).
Each kind of claim is one class: it reads its specification, has words for it, and proves or refutes it with a witness.
Laws are integer weights over one denominator, and every comparison is between integers. A check returns the lemmas
that it rests on, or raises.
"""

# ruff: noqa: B905 (Python 3.9 has no zip(strict=...); lengths are checked where lists are read)

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import comb, factorial, lcm
from typing import ClassVar, NamedTuple, NoReturn, Protocol, cast

SCHEMA = "exactdp-certificate-1"

MAX_FILE_BYTES = 2**22
MAX_DEPTH = 32
MAX_BITS = 2**18  # of an integer, and of a common denominator
MAX_DECIMAL_BITS = 256
MAX_TOTAL_BITS = 2**22  # of the common denominator of a law of n users or trials
MAX_TAYLOR_BITS = 2**16
MAX_INEQUALITY_BITS = 4096
MAX_USERS = 10**6
MAX_TRIALS = 20_000
MAX_INPUTS = 256
MAX_MESSAGES = 256
MAX_SENT = 4096
MAX_LIST = 10**6
MAX_EPS = 64
MAX_TERMS = 1000
MAX_SHIFT = 1000
MAX_VARIABLES = 16
MAX_DEGREE = 64
MAX_PARTS = 1000
MAX_WORK = 3 * 10**8  # in short products
MAX_STEPS = 4 * 10**6  # of them in one convolution, so that no law is longer

THE_VIEW = "the view is the multiset of messages"
EQUAL_ROWS = "users with equal rows are interchangeable"
MOVED = "moving both views leaves their divergence"
ADDING = "adding a user is post-processing"
TAYLOR = "Taylor sums bound e^eps"
FALLS = "the divergence falls as e^eps grows"
AN_EVENT = "an event below forbids smaller e^eps"
A_VERTEX = "a vertex outcome arises in one way"
LOST = "what Q cannot show is lost at every e^eps"
SHIFT_DOWN = "a shift down is a shift up in the other order"
SHIFTS_ADD = "shifts add up"
A_MEAN = "a mean is at most the largest term"
PRODUCTS = "products of non-negative numbers are non-negative"

Object = dict[str, object]
Facts = list[str]
Vector = tuple[int, ...]  # counts per message, users per input, exponents per variable
Law = dict[Vector, int]  # outcome -> positive weight; the total stands beside it
Packed = dict[int, int]  # the same, each outcome written as one integer
Pair = tuple[int, int]  # the weights of one outcome under two laws, or an outcome and its weight
Polynomial = dict[Vector, Fraction]  # exponents -> coefficient


class CertificateRejectedError(Exception):
    """A well-formed certificate whose check failed."""


class MalformedCertificateError(Exception):
    """Not a certificate of this schema, or beyond a limit of this checker."""


class Result(NamedTuple):
    """What a verified certificate says, and the lemmas that this rests on."""

    verdict: str
    claim_id: str
    words: str
    facts: tuple[str, ...]


class Statement(Protocol):
    """A claim that has been read. Either check returns its lemmas, or raises."""

    @property
    def words(self) -> str: ...

    def prove(self, witness: Object, work: Work) -> Facts: ...

    def refute(self, witness: Object, work: Work) -> Facts: ...


class Work:
    """The work that is left for one document; each piece is paid for before it is done."""

    def __init__(self) -> None:
        self.left = MAX_WORK

    def spend(self, steps: int, bits: int, factor_bits: int = 64) -> None:
        """Pay for ``steps`` products of a number of ``bits`` and one of ``factor_bits``; a short one costs a unit."""
        self.left -= steps * (1 + bits * (512 + factor_bits) // 2**19)
        if self.left < 0 or steps > MAX_STEPS:
            malformed(f"the check is too large: beyond MAX_WORK = {MAX_WORK} or MAX_STEPS = {MAX_STEPS}")

    def expect(self, steps: int, bits: int) -> None:
        """Refuse at once where at least these steps are to come."""
        if steps * (1 + bits * 576 // 2**19) > self.left:
            malformed(f"the check is too large: {steps} steps or more, beyond MAX_WORK = {MAX_WORK}")


def malformed(reason: str) -> NoReturn:
    raise MalformedCertificateError(reason)


def rejected(reason: str) -> NoReturn:
    raise CertificateRejectedError(reason)


# --- Reading: documents, shapes, numbers ----------------------------------------------------------------------------


def read_document(text: str) -> Object:
    """Parse the text, refusing what JSON allows and the format does not."""
    if len(text) > MAX_FILE_BYTES:
        malformed(f"longer than {MAX_FILE_BYTES} bytes")
    if not text.isascii() or "\\" in text:
        malformed("a certificate is ASCII without backslashes")
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"[^"]*"', "", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            malformed(f"nested deeper than {MAX_DEPTH}")
    try:
        value = json.loads(
            text,
            object_pairs_hook=read_pairs,
            parse_int=refuse_number,
            parse_float=refuse_number,
            parse_constant=refuse_number,
        )
    except ValueError as error:
        malformed(f"not JSON: {error}")
    return read_object(value, "the document", ["schema", "claim", "claim_id", "verdict", "witness"])


def refuse_number(written: str) -> NoReturn:
    malformed(f"the JSON number {written[:20]}; numbers are strings here")


def read_pairs(pairs: list[tuple[str, object]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        malformed("a key stands twice in one object")
    return found


def canonical(value: object) -> str:
    """The one spelling of a JSON value whose id is taken."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def sha256(value: object) -> str:
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def any_object(value: object, where: str) -> Object:
    if not isinstance(value, dict):
        malformed(f"{where} is not an object")
    return cast(Object, value)


def read_object(value: object, where: str, keys: Sequence[str]) -> Object:
    found = any_object(value, where)
    if set(found) != set(keys):
        malformed(f"{where} has the keys {sorted(found)}, not {sorted(keys)}"[:300])
    return found


def read_list(value: object, where: str, at_least: int, at_most: int) -> list[object]:
    if not isinstance(value, list):
        malformed(f"{where} is not a list")
    found = cast(list[object], value)
    if not at_least <= len(found) <= at_most:
        malformed(f"{where} has {len(found)} entries, outside {at_least} to {at_most}")
    return found


def read_text(value: object, where: str) -> str:
    if not isinstance(value, str):
        malformed(f"{where} is not a string")
    return value


def read_choice(value: object, where: str, choices: Sequence[str]) -> str:
    found = read_text(value, where)
    if found not in choices:
        malformed(f"{where} is {found[:40]!r}, not one of {', '.join(choices)}")
    return found


def read_integer(value: object, where: str, low: int | None = None, high: int | None = None) -> int:
    found = parse_integer(read_text(value, where), where)
    check_range(Fraction(found), where, low, high)
    return found


def check_range(found: Fraction, where: str, low: int | None, high: int | None) -> None:
    if (low is not None and found < low) or (high is not None and found > high):
        malformed(f"{where} is {show(found)}, outside {low} to {'infinity' if high is None else high}")


def parse_integer(written: str, where: str) -> int:
    """Decimal up to 256 bits (78 digits), lowercase hexadecimal above: every integer has one spelling."""
    digits = written[1:] if written.startswith("-") else written
    magnitude = -1
    if re.fullmatch(r"0|[1-9][0-9]{0,77}", digits) and written != "-0":
        magnitude = int(digits)
        magnitude = magnitude if magnitude.bit_length() <= MAX_DECIMAL_BITS else -1
    elif re.fullmatch(r"0x[1-9a-f][0-9a-f]*", digits):
        if 4 * (len(digits) - 2) > MAX_BITS:
            malformed(f"{where} has more than {MAX_BITS} bits")
        magnitude = int(digits[2:], 16)
        magnitude = magnitude if magnitude.bit_length() > MAX_DECIMAL_BITS else -1
    if magnitude < 0:
        malformed(f"{where} is {written[:40]!r}, not an integer as this format writes it")
    return -magnitude if digits != written else magnitude


def read_rational(value: object, where: str, low: int | None = None, high: int | None = None) -> Fraction:
    """An integer, or p/q in lowest terms with q > 1."""
    numerator, slash, denominator = read_text(value, where).partition("/")
    top = parse_integer(numerator, where)
    bottom = parse_integer(denominator, where) if slash else 1
    if slash and bottom < 2:
        malformed(f"{where} has a denominator below 2")
    found = Fraction(top, bottom)
    if found.denominator != bottom:
        malformed(f"{where} is not in lowest terms")
    check_range(found, where, low, high)
    return found


def read_short(value: object, where: str) -> Fraction:
    """A rational of an inequality: products of these are taken, so they are shorter than elsewhere."""
    found = read_rational(value, where)
    if size(found) > MAX_INEQUALITY_BITS:
        malformed(f"{where} has more than {MAX_INEQUALITY_BITS} bits")
    return found


def read_probability(value: object, where: str) -> Fraction:
    found = read_rational(value, where, 0, 1)
    if found == 0:
        malformed(f"{where} is 0")
    return found


def read_integers(value: object, where: str, length: int) -> Vector:
    return tuple(read_integer(entry, where) for entry in read_list(value, where, length, length))


def common_denominator(values: Iterable[Fraction], where: str) -> int:
    found = 1
    for value in values:
        found = lcm(found, value.denominator)
        if found.bit_length() > MAX_BITS:
            malformed(f"the common denominator of {where} has more than {MAX_BITS} bits")
    return found


def as_weights(values: Iterable[Fraction], denominator: int, where: str) -> list[int]:
    """The probabilities as integers over the denominator; their sum is checked to be 1."""
    weights = [value.numerator * (denominator // value.denominator) for value in values]
    if sum(weights) != denominator:
        malformed(f"{where} sums to {show(Fraction(sum(weights), denominator))}, not 1")
    return weights


# --- Words ----------------------------------------------------------------------------------------------------------


def show(value: Fraction) -> str:
    """The number itself where it is short, else seven digits of it, cut, and its size."""
    top, bottom = abs(value.numerator), value.denominator
    if max(top.bit_length(), bottom.bit_length()) <= 64:
        return str(value)
    size = f"{top.bit_length()} bits" if bottom == 1 else f"{top.bit_length()}/{bottom.bit_length()} bits"
    exponent = (top.bit_length() - bottom.bit_length()) * 30103 // 100_000 - 2
    while top * 10 ** max(6 - exponent, 0) // (bottom * 10 ** max(exponent - 6, 0)) >= 10**7:
        exponent += 1
    digits = top * 10 ** max(6 - exponent, 0) // (bottom * 10 ** max(exponent - 6, 0))
    sign = "-" if value < 0 else ""
    return f"{sign}{digits // 10**6}.{digits % 10**6:06}e{exponent} ({size})"


def show_vector(vector: Sequence[int]) -> str:
    return "[" + ", ".join(show(Fraction(entry)) for entry in vector) + "]"


# --- Laws on count vectors ------------------------------------------------------------------------------------------


class Randomizer(NamedTuple):
    """For each input the law of one user's message counts, over one denominator: *the view is the multiset*."""

    messages: int
    denominator: int
    rows: list[Law]
    words: str

    @classmethod
    def read(cls, value: object) -> Randomizer:
        found = read_object(value, "the randomizer", ["messages", "rows"])
        messages = read_integer(found["messages"], "messages", 0, MAX_MESSAGES)
        listed = read_list(found["rows"], "rows", 1, MAX_INPUTS)
        tables = [read_row(row, f"row {x}", messages) for x, row in enumerate(listed)]
        if messages * sum(map(len, tables)) > MAX_STEPS:
            malformed(f"more than {MAX_STEPS} counts in the rows of the randomizer")
        denominator = common_denominator((p for table in tables for p in table.values()), "the randomizer")
        rows = [count_law(table, messages, denominator, f"row {x}") for x, table in enumerate(tables)]
        words = f"table {sha256(value)[:12]}, inputs: {len(rows)}, outcomes: {sum(map(len, tables))}"
        if sum(len(send) + 1 for table in tables for send in table) <= 16:
            words = "; ".join(f"{x}: {show_row(table)}" for x, table in enumerate(tables))
        return cls(messages, denominator, rows, f"randomizer {{{words}}}")

    def base(self, users: int) -> int:
        """Above every count of these many users."""
        return users * max(sum(outcome) for row in self.rows for outcome in row) + 1


def read_row(value: object, where: str, messages: int) -> dict[Vector, Fraction]:
    """One row of the table: tuple of messages -> probability."""
    table: dict[Vector, Fraction] = {}
    for entry in read_list(value, where, 1, MAX_LIST):
        outcome = read_object(entry, f"an outcome of {where}", ["send", "prob"])
        sent = read_list(outcome["send"], f"send in {where}", 0, MAX_SENT)
        send = tuple(read_integer(m, f"a message in {where}", 0, messages - 1) for m in sent)
        if send in table:
            malformed(f"{where} has the same tuple of messages twice")
        table[send] = read_probability(outcome["prob"], f"a probability in {where}")
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
    return {sum(count * base**j for j, count in enumerate(outcome)): weight for outcome, weight in law.items()}


def at_zero(law: Law) -> Law:
    """The law, moved so that the least value of each count is 0."""
    least = [min(column) for column in zip(*law)]
    return {tuple(count - low for count, low in zip(outcome, least)): weight for outcome, weight in law.items()}


def distinct(laws: Iterable[Law], base: int) -> list[Packed]:
    packed = [pack(law, base) for law in laws]
    return [law for i, law in enumerate(packed) if law not in packed[:i]]


def convolve(law: Packed, row: Packed, bits: int, work: Work) -> Packed:
    """The law of the sum of two independent outcomes; ``bits`` is the size of the weights."""
    work.spend(len(law) * len(row), bits)
    found: Packed = {}
    for step, factor in row.items():
        for outcome, weight in law.items():
            reached = outcome + step
            found[reached] = found.get(reached, 0) + weight * factor
    return found


def bystander_laws(rows: list[Packed], users: int, bits: int, work: Work) -> Iterator[tuple[Vector, Packed]]:
    """For every multiset of ``users`` users: how many hold each row, and the law of their view.

    Users are added one at a time, in the order of their rows; an entry waits as (users so far, their law, row to add).
    """
    waiting: list[tuple[Vector, Packed, int]] = []
    counts, law, first = (0,) * len(rows), {0: 1}, 0
    while True:
        if sum(counts) == users:
            yield counts, law
        else:
            waiting.extend((counts, law, i) for i in range(first, len(rows)))
        if not waiting:
            return
        counts, law, first = waiting.pop()
        counts = (*counts[:first], counts[first] + 1, *counts[first + 1 :])
        law = convolve(law, rows[first], bits, work)


def expect_sweep(rows: list[Packed], users: int, bits: int, work: Work) -> None:
    """Refuse at once what ``bystander_laws`` cannot afford: the view of m users has at least as many outcomes as there
    are sums of m outcomes that all rows share, and is extended once for every multiset of m + 1 users."""
    shared, least = set(rows[0]).intersection(*rows), min(map(len, rows))
    sums, steps = {0}, 0
    for m in range(users):
        steps += comb(m + len(rows), m + 1) * len(sums or {0}) * least
        work.expect(steps, bits)
        sums = {total + outcome for total in sums for outcome in shared}


# --- Mechanisms -----------------------------------------------------------------------------------------------------

# A mechanism is a family of pairs of laws (P, Q), each pair given as the weights (p, q) of the outcomes over ``total``:
# ``pairs`` gives every pair that a claim speaks about and what to call it, ``pair`` the one that a witness names with
# ``keys``; the work of comparing them at e^eps = ``ratio`` is paid for there.


@dataclass(frozen=True)
class View:
    """The shuffled views of neighbouring data sets."""

    randomizer: Randomizer
    n: int
    neighbors: str
    all_n: bool
    keys: ClassVar[Sequence[str]] = ("first", "second")
    bound_facts: ClassVar[Sequence[str]] = (THE_VIEW, EQUAL_ROWS, MOVED)
    witness_facts: ClassVar[Sequence[str]] = (THE_VIEW,)

    @classmethod
    def read(cls, claim: Object, all_n: bool = False) -> View:
        neighbors = read_choice(claim["neighbors"], "neighbors", ["replace-one", "add-or-remove-one"])
        n = read_integer(claim["n"], "n", 1, MAX_USERS)
        found = cls(Randomizer.read(claim["randomizer"]), n, neighbors, all_n)
        if found.bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the view have more than {MAX_TOTAL_BITS} bits")
        return found

    @property
    def words(self) -> str:
        users = f"every n >= {self.n}" if self.all_n else f"n = {self.n}"
        return f"shuffled {self.randomizer.words}, {users}, {self.neighbors.replace('-', ' ')}"

    @property
    def total(self) -> int:
        return int(self.randomizer.denominator**self.n)

    @property
    def bits(self) -> int:
        return self.n * self.randomizer.denominator.bit_length()

    @property
    def absent(self) -> Packed:
        """The row of a user who is not there: no message, with certainty."""
        return {0: self.randomizer.denominator}

    def pairs(self, ratio: Fraction | None, work: Work) -> Iterator[tuple[Iterable[Pair], str]]:
        """Every two neighbouring data sets, in both orders: n - 1 bystanders and two different rows, one of them
        ``absent`` if a user is added or removed. Of equal rows one is taken: *such users are interchangeable*. So are
        bystanders whose rows are equal after a move: *moving both views leaves their divergence*."""
        base = self.randomizer.base(self.n)
        rows = distinct(self.randomizer.rows, base)
        ends = rows if self.neighbors == "replace-one" else [*rows, self.absent]
        if len(ends) == 1:
            return
        classes = distinct(map(at_zero, self.randomizer.rows), base)
        expect_sweep(classes, self.n - 1, self.bits, work)
        for bystanders, law in bystander_laws(classes, self.n - 1, self.bits, work):
            views = [convolve(law, row, self.bits, work) for row in ends]
            for i, j in permutations(range(len(ends)), 2):
                if ends is rows or len(rows) in (i, j):
                    words = f"bystanders {show_vector(bystanders)} by class of rows, row {i} against {j}"
                    yield self.aligned(views[i], views[j], ratio, work), words

    def aligned(self, first: Packed, second: Packed, ratio: Fraction | None, work: Work) -> Iterator[Pair]:
        """The weights (p, q) on the support of P; elsewhere P = 0 adds nothing to a divergence."""
        work.spend(len(first), self.bits, size(ratio))
        return ((weight, second.get(outcome, 0)) for outcome, weight in first.items())

    def pair(self, witness: Object, ratio: Fraction | None, work: Work) -> Iterable[Pair]:
        """The two data sets of a witness, which are checked to be neighbours."""
        first, second = self.read_histogram(witness, "first"), self.read_histogram(witness, "second")
        moved = sorted(b - a for a, b in zip(first, second) if a != b)
        sizes = sorted([sum(first), sum(second)])
        if self.neighbors == "replace-one":
            are_neighbors = moved == [-1, 1] and sizes == [self.n, self.n]
        else:
            are_neighbors = moved in ([-1], [1]) and sizes == [self.n - 1, self.n]
        if not are_neighbors:
            rejected(f"{show_vector(first)} and {show_vector(second)} are not neighbouring data sets of this claim")
        return self.aligned(self.law(first, work), self.law(second, work), ratio, work)

    def read_histogram(self, witness: Object, key: str) -> Vector:
        inputs = len(self.randomizer.rows)
        return tuple(read_integer(c, key, 0, MAX_USERS) for c in read_list(witness[key], key, inputs, inputs))

    def law(self, histogram: Vector, work: Work) -> Packed:
        """The view of one data set, of n users or n - 1."""
        law: Packed = {0: 1}
        for row, users in zip(self.randomizer.rows, histogram):
            packed = pack(row, self.randomizer.base(self.n))
            for _ in range(users):
                law = convolve(law, packed, self.bits, work)
        return law if sum(histogram) == self.n else convolve(law, self.absent, self.bits, work)


class Noise(NamedTuple):
    """A law on the integers: ``stream()`` gives its outcomes, ascending, with their weights over ``total``."""

    words: str
    total: int
    outcomes: int
    bits: int
    stream: Callable[[], Iterator[Pair]]

    @classmethod
    def read(cls, value: object) -> Noise:
        family = read_choice(any_object(value, "the law").get("family"), "family", ["binomial", "finite"])
        if family == "finite":
            return cls.finite(read_object(value, "the law", ["family", "weights"])["weights"], "the law")
        found = read_object(value, "the law", ["family", "n", "p"])
        n = read_integer(found["n"], "the n of the law", 0, MAX_TRIALS)
        p = read_rational(found["p"], "the p of the law", 0, 1)
        bits = n * p.denominator.bit_length()
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the law have more than {MAX_TOTAL_BITS} bits")
        return cls(f"Bin({n}, {show(p)})", int(p.denominator**n), n + 1, bits, lambda: binomial_weights(n, p))

    @classmethod
    def finite(cls, value: object, where: str) -> Noise:
        law: dict[int, Fraction] = {}
        for entry in read_list(value, where, 1, MAX_LIST):
            outcome, probability = read_list(entry, f"an entry of {where}", 2, 2)
            k = read_integer(outcome, f"an outcome of {where}")
            if law and k <= next(reversed(law)):
                malformed(f"the outcomes of {where} do not ascend")
            law[k] = read_probability(probability, f"a probability of {where}")
        total = common_denominator(law.values(), where)
        weights = list(zip(law, as_weights(law.values(), total, where)))
        words = f"table {sha256(value)[:12]}, outcomes: {len(law)}"
        if len(law) <= 8:
            words = ", ".join(f"{show(Fraction(k))}: {show(p)}" for k, p in law.items())
        return cls(f"law {{{words}}}", total, len(law), total.bit_length(), lambda: iter(weights))


def binomial_weights(n: int, p: Fraction) -> Iterator[Pair]:
    """C(n, t) s^t f^(n-t) for p = s/(s+f): each from the one before, with an exact division."""
    success, failure = p.numerator, p.denominator - p.numerator
    weight = failure**n
    for t in range(n if failure else 0):
        yield t, weight
        weight = weight * ((n - t) * success) // ((t + 1) * failure)
    yield n, weight if failure else 1


@dataclass(frozen=True)
class Shift:
    """The noise Y against Y + j (forward) and Y + j against Y (backward), for 1 <= j <= ``most``."""

    noise: Noise
    most: int
    keys: ClassVar[Sequence[str]] = ("shift", "order")
    bound_facts: ClassVar[Sequence[str]] = (SHIFT_DOWN,)
    witness_facts: ClassVar[Sequence[str]] = ()

    @property
    def words(self) -> str:
        return f"count + {self.noise.words}, {'shift 1' if self.most == 1 else f'shifts 1 to {self.most}'}"

    @property
    def total(self) -> int:
        return self.noise.total

    def pairs(self, ratio: Fraction | None, work: Work) -> Iterator[tuple[Iterable[Pair], str]]:
        for shift in range(1, self.most + 1):
            for order in ("forward", "backward"):
                yield self.shifted(shift, order, ratio, work), f"shift {shift}, {order}"

    def pair(self, witness: Object, ratio: Fraction | None, work: Work) -> Iterable[Pair]:
        shift = read_integer(witness["shift"], "shift", 1, self.most)
        return self.shifted(shift, read_choice(witness["order"], "order", ["forward", "backward"]), ratio, work)

    def shifted(self, shift: int, order: str, ratio: Fraction | None, work: Work) -> Iterator[Pair]:
        """The weights at each t of either support; a weight of Y waits until t has come to its shifted place."""
        work.spend(4 * self.noise.outcomes, self.noise.bits, size(ratio))
        forward = order == "forward"
        waiting: deque[Pair] = deque()
        for t, weight in self.noise.stream():
            while waiting and waiting[0][0] < t:
                moved = waiting.popleft()[1]
                yield (0, moved) if forward else (moved, 0)
            moved = waiting.popleft()[1] if waiting and waiting[0][0] == t else 0
            yield (weight, moved) if forward else (moved, weight)
            waiting.append((t + shift, weight))
        for _, moved in waiting:
            yield (0, moved) if forward else (moved, 0)


# --- Divergences and levels of privacy ------------------------------------------------------------------------------


def compare_divergence(pairs: Iterable[Pair], total: int, ratio: Fraction | None, delta: Fraction) -> tuple[int, int]:
    """The sign of H_E(P||Q) - delta and the weight Q(P >= E Q), from the weights (p, q) of the outcomes over ``total``.

    H_E is the sum of max(0, P - E Q); with E = a/b, the sum of max(0, b p - a q) over b times the total. E = None is
    infinite, where P(Q = 0) is left.
    """
    positive = at_least = 0
    a, b = (1, 1) if ratio is None else (ratio.numerator, ratio.denominator)
    for p, q in pairs:
        excess = b * p - a * q
        if excess >= 0 and (ratio is not None or q == 0):
            positive += excess
            at_least += q
    difference = positive * delta.denominator - delta.numerator * b * total
    return (difference > 0) - (difference < 0), at_least


def size(value: Fraction | None) -> int:
    """The bits of a number; the infinite e^eps costs as 1."""
    return 1 if value is None else max(value.numerator.bit_length(), value.denominator.bit_length())


class Level(NamedTuple):
    """(eps, delta), e^eps being given exactly or through a rational eps (then ``exp_eps`` is None); what is least."""

    exp_eps: Fraction | None
    eps: Fraction
    delta: Fraction
    least: str

    @classmethod
    def read(cls, claim: Object) -> Level:
        delta = read_rational(claim["delta"], "delta", 0, 1)
        least = read_choice(claim["least"], "least", ["none", "delta", "exp_eps"])
        if "exp_eps" in claim:
            return cls(read_rational(claim["exp_eps"], "exp_eps", 1), Fraction(0), delta, least)
        if least != "none":
            malformed("'least' needs exp_eps")
        return cls(None, read_rational(claim["eps"], "eps", 0, MAX_EPS), delta, least)

    @staticmethod
    def keys(claim: Object) -> list[str]:
        return ["exp_eps" if "exp_eps" in claim else "eps", "delta", "least"]

    @property
    def words(self) -> str:
        parameter = f"eps = {show(self.eps)}" if self.exp_eps is None else f"e^eps = {show(self.exp_eps)}"
        least = {"none": "", "delta": ", no smaller delta", "exp_eps": ", no smaller e^eps"}[self.least]
        return f"({parameter}, delta = {show(self.delta)})-DP, both orders{least}"

    @property
    def terms_keys(self) -> list[str]:
        return ["terms"] if self.exp_eps is None else []

    @property
    def facts(self) -> Facts:
        return [TAYLOR, FALLS] if self.exp_eps is None else []

    @property
    def has_smaller(self) -> bool:
        """Whether the claim says that something is least, and anything is smaller than that."""
        return (self.least == "delta" and self.delta > 0) or (self.least == "exp_eps" and self.exp_eps != 1)

    def smaller(self, witness: Object) -> Level:
        """The same level with the smaller parameter that the witness offers."""
        if self.least == "none":
            malformed("'smaller' refutes only claims that something is least")
        if self.least == "delta":
            found = self._replace(delta=read_rational(witness["smaller"], "smaller", 0))
        else:
            found = self._replace(exp_eps=read_rational(witness["smaller"], "smaller", 1))
        if found >= self:  # in the order of (exp_eps, eps, delta)
            rejected(f"the {self.least} of the witness is not smaller than that of the claim")
        return found

    def below(self, witness: Object) -> Fraction:
        """E, or a rational at most e^eps: a divergence at most delta there is at most delta at e^eps."""
        if self.exp_eps is not None:
            return self.exp_eps
        return taylor_sum(self.eps, read_integer(witness["terms"], "terms", 1, MAX_TERMS))

    def above(self, witness: Object) -> Fraction:
        """E, or a rational at least e^eps: a divergence above delta there is above delta at e^eps."""
        if self.exp_eps is not None:
            return self.exp_eps
        terms = read_integer(witness["terms"], "terms", 1, MAX_TERMS)
        if terms + 1 <= self.eps:
            rejected("too few terms to bound the rest of the Taylor series")
        rest = self.eps**terms / factorial(terms) / (1 - self.eps / (terms + 1))
        return taylor_sum(self.eps, terms) + rest


def taylor_sum(eps: Fraction, terms: int) -> Fraction:
    """The sum of eps^k / k! over k < terms."""
    if terms * (size(eps) + 10) > MAX_TAYLOR_BITS:
        malformed(f"a Taylor sum of more than {MAX_TAYLOR_BITS} bits")
    total = power = scale = 1
    for k in range(1, terms):
        power *= eps.numerator
        total = total * eps.denominator * k + power
        scale *= eps.denominator * k
    return Fraction(total, scale)


# --- shuffle_dp, shift_dp and never_dp ------------------------------------------------------------------------------


class Privacy(NamedTuple):
    """Every pair of laws of the mechanism has a divergence of at most delta."""

    mechanism: View | Shift
    level: Level

    @classmethod
    def read_shuffle(cls, claim: Object) -> Privacy:
        read_object(claim, "the claim", ["kind", "randomizer", "n", "scope", "neighbors", *Level.keys(claim)])
        level = Level.read(claim)
        all_n = read_choice(claim["scope"], "scope", ["this n", "all n from n"]) == "all n from n"
        view = View.read(claim, all_n)
        if all_n and level.least != "none" and (level.least, level.delta, view.neighbors) != LEAST_FOR_ALL_N:
            malformed("with the scope 'all n from n', 'least' is none, or exp_eps for replace-one and delta 0")
        return cls(view, level)

    @classmethod
    def read_shift(cls, claim: Object) -> Privacy:
        read_object(claim, "the claim", ["kind", "law", "shift", *Level.keys(claim)])
        shift = Shift(Noise.read(claim["law"]), read_integer(claim["shift"], "shift", 1, MAX_SHIFT))
        return cls(shift, Level.read(claim))

    @property
    def words(self) -> str:
        return f"{self.mechanism.words}: {self.level.words}"

    def prove(self, witness: Object, work: Work) -> Facts:
        view = self.mechanism if isinstance(self.mechanism, View) and self.mechanism.all_n else None
        attained: Sequence[str] = ()
        if self.level.has_smaller:
            attained = VERTEX_KEYS if view else self.mechanism.keys
        read_object(witness, "the witness", [*self.level.terms_keys, *attained])
        ratio = self.level.below(witness)
        facts = self.bound_all(self.level, ratio, work) + ([ADDING] if view else []) + self.level.facts
        if attained and view:
            check_vertex(view, ratio, witness)
            facts.append(A_VERTEX)
        elif attained:
            facts += self.check_attained(witness, ratio, work)
        return facts

    def bound_all(self, level: Level, ratio: Fraction, work: Work) -> Facts:
        total = self.mechanism.total
        for pairs, words in self.mechanism.pairs(ratio, work):
            if compare_divergence(pairs, total, ratio, level.delta)[0] > 0:
                rejected(f"the divergence exceeds delta = {show(level.delta)}: {words}")
        return list(self.mechanism.bound_facts)

    def check_attained(self, witness: Object, ratio: Fraction, work: Work) -> Facts:
        """This pair has divergence delta exactly; for the least e^eps, *an event below* it as well."""
        pairs = self.mechanism.pair(witness, ratio, work)
        sign, at_least = compare_divergence(pairs, self.mechanism.total, ratio, self.level.delta)
        if sign != 0:
            rejected("the divergence of the witness is not delta")
        if self.level.least == "exp_eps" and at_least == 0:
            rejected("Q(P >= E Q) = 0 for the witness, so a smaller e^eps may do")
        return [AN_EVENT] if self.level.least == "exp_eps" else []

    def refute(self, witness: Object, work: Work) -> Facts:
        """One divergence above delta; or, where a parameter is claimed to be least, a smaller one that will do."""
        if "smaller" in witness:
            read_object(witness, "the witness", ["smaller"])
            level = self.level.smaller(witness)
            return self.bound_all(level, level.below(witness), work)
        read_object(witness, "the witness", [*self.mechanism.keys, *self.level.terms_keys])
        ratio = self.level.above(witness)
        pairs = self.mechanism.pair(witness, ratio, work)
        if compare_divergence(pairs, self.mechanism.total, ratio, self.level.delta)[0] <= 0:
            rejected("the divergence of the witness is not above delta")
        return [*self.mechanism.witness_facts, *self.level.facts]


LEAST_FOR_ALL_N = ("exp_eps", Fraction(0), "replace-one")
VERTEX_KEYS = ("differing", "bystander", "outcome", "functional")


def check_vertex(view: View, exp_eps: Fraction, witness: Object) -> None:
    """*A vertex outcome arises in one way*, at every number of users: its ratio is always exp_eps."""
    rows = view.randomizer.rows
    ends = [*read_list(witness["differing"], "differing", 2, 2), witness["bystander"]]
    at_x, at_y, at_z = (rows[read_integer(end, "a user of the witness", 0, len(rows) - 1)] for end in ends)
    outcome = read_integers(witness["outcome"], "outcome", view.randomizer.messages)
    functional = read_integers(witness["functional"], "functional", view.randomizer.messages)
    if outcome not in at_y or outcome not in at_z or at_x.get(outcome, 0) != exp_eps * at_y[outcome]:
        rejected("the outcome of the witness does not have the ratio exp_eps, or the bystander does not show it")
    top = sum(w * v for w, v in zip(functional, outcome))
    for other in {*at_x, *at_y, *at_z} - {outcome}:
        if sum(w * u for w, u in zip(functional, other)) >= top:
            rejected("the outcome of the witness is not the only one where the functional is largest")


class NeverDP(NamedTuple):
    """For no finite eps and no delta < delta_below is the protocol (eps, delta)-DP."""

    view: View
    delta_below: Fraction

    @classmethod
    def read(cls, claim: Object) -> NeverDP:
        read_object(claim, "the claim", ["kind", "randomizer", "n", "neighbors", "delta_below"])
        return cls(View.read(claim), read_probability(claim["delta_below"], "delta_below"))

    @property
    def words(self) -> str:
        return f"{self.view.words}: not (eps, delta)-DP for any finite eps and any delta < {show(self.delta_below)}"

    def prove(self, witness: Object, work: Work) -> Facts:
        """*What Q cannot show is lost*: this pair has P(Q = 0) >= delta_below."""
        read_object(witness, "the witness", self.view.keys)
        pairs = self.view.pair(witness, None, work)
        if compare_divergence(pairs, self.view.total, None, self.delta_below)[0] < 0:
            rejected("P(Q = 0) is below delta_below for the witness")
        return [THE_VIEW, LOST]

    def refute(self, witness: Object, work: Work) -> Facts:
        """Every pair has P(Q = 0) < delta_below, which is its divergence at all large e^eps."""
        read_object(witness, "the witness", [])
        for pairs, words in self.view.pairs(None, work):
            if compare_divergence(pairs, self.view.total, None, self.delta_below)[0] >= 0:
                rejected(f"P(Q = 0) is not below delta_below: {words}")
        return [*self.view.bound_facts, LOST]


# --- additive_view and zero_estimate --------------------------------------------------------------------------------


class AdditiveView(NamedTuple):
    """The view is the sum of the users' shifts plus one independent copy of the base law per user."""

    randomizer: Randomizer
    base: Noise
    shifts: list[int]

    @classmethod
    def read(cls, claim: Object) -> AdditiveView:
        read_object(claim, "the claim", ["kind", "randomizer", "base", "shifts"])
        randomizer = Randomizer.read(claim["randomizer"])
        if randomizer.messages != 1:
            malformed("the randomizer of an additive view has one message type")
        inputs = len(randomizer.rows)
        shifts = [read_integer(s, "a shift", 0) for s in read_list(claim["shifts"], "shifts", inputs, inputs)]
        return cls(randomizer, Noise.finite(claim["base"], "the base"), shifts)

    @property
    def words(self) -> str:
        law = f"the sum of the shifts {show_vector(self.shifts)} plus n independent copies of {self.base.words}"
        return f"shuffled {self.randomizer.words}, every n >= 1, every data set: the view is {law}"

    def is_shifted(self, x: int) -> bool:
        """Whether row x is the base, moved by its shift: the weights agree when the two denominators are crossed."""
        row = {(k + self.shifts[x],): w * self.randomizer.denominator for k, w in self.base.stream()}
        return row == {outcome: weight * self.base.total for outcome, weight in self.randomizer.rows[x].items()}

    def prove(self, witness: Object, work: Work) -> Facts:
        """*Shifts add up*."""
        read_object(witness, "the witness", [])
        for x in range(len(self.shifts)):
            if not self.is_shifted(x):
                rejected(f"row {x} is not the base moved by {show(Fraction(self.shifts[x]))}")
        return [THE_VIEW, SHIFTS_ADD]

    def refute(self, witness: Object, work: Work) -> Facts:
        """A data set of one user whose row is another law."""
        read_object(witness, "the witness", ["input"])
        if self.is_shifted(read_integer(witness["input"], "input", 0, len(self.shifts) - 1)):
            rejected("the row of the witness is the base moved by its shift")
        return [THE_VIEW]


class ZeroEstimate(NamedTuple):
    """If all users hold ``input``, the mean of the summed weights is at most the threshold with certainty."""

    randomizer: Randomizer
    weights: list[int]
    threshold: int
    input: int
    mean: str

    @classmethod
    def read(cls, claim: Object) -> ZeroEstimate:
        read_object(claim, "the claim", ["kind", "randomizer", "weights", "zero_unless_above", "input"])
        randomizer = Randomizer.read(claim["randomizer"])
        listed = read_list(claim["weights"], "weights", randomizer.messages, randomizer.messages)
        weights = [read_rational(w, "a weight") for w in listed]
        threshold = read_rational(claim["zero_unless_above"], "zero_unless_above")
        scale = common_denominator([*weights, threshold], "the weights")
        mean = (
            f"the mean over users of the message weights [{', '.join(map(show, weights))}] is at most {show(threshold)}"
        )
        held = read_integer(claim["input"], "input", 0, len(randomizer.rows) - 1)
        return cls(randomizer, [int(w * scale) for w in weights], int(threshold * scale), held, mean)

    @property
    def words(self) -> str:
        return f"shuffled {self.randomizer.words}, every n >= 1: if all users hold {self.input}, {self.mean}, certainly"

    def is_above(self, outcome: Vector) -> bool:
        return sum(w * c for w, c in zip(self.weights, outcome)) > self.threshold

    def prove(self, witness: Object, work: Work) -> Facts:
        """*A mean is at most the largest term*."""
        read_object(witness, "the witness", [])
        for outcome in self.randomizer.rows[self.input]:
            if self.is_above(outcome):
                rejected(f"the outcome {show_vector(outcome)} has a weight above the threshold")
        return [THE_VIEW, A_MEAN]

    def refute(self, witness: Object, work: Work) -> Facts:
        """A single user shows this outcome with positive probability, and it is above the threshold."""
        read_object(witness, "the witness", ["outcome"])
        outcome = read_integers(witness["outcome"], "outcome", self.randomizer.messages)
        if outcome not in self.randomizer.rows[self.input] or not self.is_above(outcome):
            rejected("the outcome of the witness is not possible, or not above the threshold")
        return [THE_VIEW]


# --- inequality -----------------------------------------------------------------------------------------------------


class Condition(NamedTuple):
    """A polynomial that is at least 0, or above 0 where strict."""

    polynomial: Polynomial
    strict: bool

    @classmethod
    def read(cls, value: object, where: str, variables: int) -> Condition:
        found = read_object(value, where, ["polynomial", "strict"])
        polynomial: Polynomial = {}
        for entry in read_list(found["polynomial"], where, 0, MAX_LIST):
            coefficient, powers = read_list(entry, f"a term of {where}", 2, 2)
            listed = read_list(powers, f"the exponents of {where}", variables, variables)
            exponents = tuple(read_integer(e, f"an exponent of {where}", 0, MAX_DEGREE) for e in listed)
            if exponents in polynomial:
                malformed(f"{where} has the same exponents twice")
            polynomial[exponents] = read_short(coefficient, f"a coefficient of {where}")
            if polynomial[exponents] == 0:
                malformed(f"a coefficient of {where} is 0")
        return cls(polynomial, read_choice(found["strict"], f"strict of {where}", ["yes", "no"]) == "yes")

    def words(self, names: Sequence[str]) -> str:
        terms: list[str] = []
        for exponents, coefficient in self.polynomial.items():
            factors = [f"{name}^{e}" if e > 1 else name for name, e in zip(names, exponents) if e]
            terms.append("*".join([show(coefficient), *factors]))
        shown = " + ".join(terms[:12]) + (f" + ... ({len(terms)} terms)" if len(terms) > 12 else "")
        return f"{shown or '0'} {'>' if self.strict else '>='} 0"

    def holds_at(self, point: Sequence[Fraction], work: Work) -> bool:
        bits = MAX_DEGREE * sum(map(size, point)) + max([0, *map(size, self.polynomial.values())])
        work.spend(16 * len(self.polynomial) * len(point), bits, bits)
        value = Fraction(0)
        for exponents, coefficient in self.polynomial.items():
            for coordinate, power in zip(point, exponents):
                coefficient *= coordinate**power
            value += coefficient
        return value > 0 or (value == 0 and not self.strict)


def multiply(first: Polynomial, second: Polynomial, work: Work) -> Polynomial:
    bits = max([0, *map(size, first.values())]) + max([0, *map(size, second.values())])
    work.spend(16 * (1 + len(first) * len(second)), bits, bits)
    product: Polynomial = {}
    for e, a in first.items():
        for f, b in second.items():
            exponents = tuple(i + j for i, j in zip(e, f))
            product[exponents] = product.get(exponents, Fraction(0)) + a * b
    return product


class Inequality(NamedTuple):
    """For all real values: if every hypothesis holds, so does the conclusion."""

    variables: list[str]
    hypotheses: list[Condition]
    conclusion: Condition

    @classmethod
    def read(cls, claim: Object) -> Inequality:
        read_object(claim, "the claim", ["kind", "variables", "hypotheses", "conclusion"])
        listed = read_list(claim["variables"], "variables", 0, MAX_VARIABLES)
        names = [read_text(name, "a variable") for name in listed]
        if len(set(names)) < len(names) or not all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", name) for name in names):
            malformed("the variables are not distinct names of at most 32 letters, digits and _")
        hypotheses = read_list(claim["hypotheses"], "hypotheses", 0, MAX_LIST)
        conditions = [Condition.read(h, f"hypothesis {i}", len(names)) for i, h in enumerate(hypotheses)]
        return cls(names, conditions, Condition.read(claim["conclusion"], "the conclusion", len(names)))

    @property
    def words(self) -> str:
        names = f"for all real {', '.join(self.variables)}: " if self.variables else ""
        given = " and ".join(condition.words(self.variables) for condition in self.hypotheses)
        return f"{names}{f'if {given} then ' if given else ''}{self.conclusion.words(self.variables)}"

    def prove(self, witness: Object, work: Work) -> Facts:
        """f = sum of coefficient * product of g_i^power: *products of non-negative numbers are non-negative*."""
        read_object(witness, "the witness", ["terms"])
        rest = dict(self.conclusion.polynomial)
        is_positive = False
        for entry in read_list(witness["terms"], "terms", 0, MAX_LIST):
            product, is_strict = self.read_term(entry, work)
            is_positive = is_positive or is_strict
            for exponents, coefficient in product.items():
                rest[exponents] = rest.get(exponents, Fraction(0)) - coefficient
                work.spend(16, size(rest[exponents]), size(rest[exponents]))
        if any(rest.values()):
            rejected("the conclusion is not the sum of the terms")
        if self.conclusion.strict and not is_positive:
            rejected("the conclusion is strict, and no term is known to be positive")
        return [PRODUCTS]

    def read_term(self, entry: object, work: Work) -> tuple[Polynomial, bool]:
        """The expanded term, and whether it is positive wherever the hypotheses hold."""
        found = read_object(entry, "a term", ["coefficient", "powers"])
        coefficient = read_short(found["coefficient"], "the coefficient of a term")
        if coefficient <= 0:
            rejected("a term has a coefficient that is not positive")
        powers = read_integers(found["powers"], "the powers of a term", len(self.hypotheses))
        if min([0, *powers]) < 0 or sum(powers) > MAX_DEGREE:
            malformed(f"the powers of a term are negative, or sum to more than {MAX_DEGREE}")
        product: Polynomial = {(0,) * len(self.variables): coefficient}
        is_strict = True
        for condition, power in zip(self.hypotheses, powers):
            is_strict = is_strict and (condition.strict or power == 0)
            for _ in range(power):
                product = multiply(product, condition.polynomial, work)
        return product, is_strict

    def refute(self, witness: Object, work: Work) -> Facts:
        """A point where every hypothesis holds and the conclusion does not."""
        read_object(witness, "the witness", ["point"])
        listed = read_list(witness["point"], "point", len(self.variables), len(self.variables))
        point = [read_short(value, "a coordinate of the point") for value in listed]
        if not all(condition.holds_at(point, work) for condition in self.hypotheses):
            rejected("a hypothesis does not hold at the point of the witness")
        if self.conclusion.holds_at(point, work):
            rejected("the conclusion holds at the point of the witness")
        return []


# --- conjunction and not --------------------------------------------------------------------------------------------


class Conjunction(NamedTuple):
    """All of the claims."""

    parts: list[Statement]

    @classmethod
    def read(cls, claim: Object) -> Conjunction:
        read_object(claim, "the claim", ["kind", "claims"])
        return cls([read_claim(part) for part in read_list(claim["claims"], "claims", 1, MAX_PARTS)])

    @property
    def words(self) -> str:
        return " AND ".join(f"({part.words})" for part in self.parts)

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["parts"])
        listed = read_list(witness["parts"], "parts", len(self.parts), len(self.parts))
        facts: Facts = []
        for part, each in zip(self.parts, listed):
            facts += part.prove(any_object(each, "a part of the witness"), work)
        return facts

    def refute(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["part", "witness"])
        part = self.parts[read_integer(witness["part"], "part", 0, len(self.parts) - 1)]
        return part.refute(any_object(witness["witness"], "the witness of the part"), work)


class Negation(NamedTuple):
    """The claim is false."""

    inner: Statement

    @classmethod
    def read(cls, claim: Object) -> Negation:
        read_object(claim, "the claim", ["kind", "claim"])
        return cls(read_claim(claim["claim"]))

    @property
    def words(self) -> str:
        return f"NOT ({self.inner.words})"

    def prove(self, witness: Object, work: Work) -> Facts:
        return self.inner.refute(witness, work)

    def refute(self, witness: Object, work: Work) -> Facts:
        return self.inner.prove(witness, work)


KINDS: dict[str, Callable[[Object], Statement]] = {
    "shuffle_dp": Privacy.read_shuffle,
    "never_dp": NeverDP.read,
    "shift_dp": Privacy.read_shift,
    "additive_view": AdditiveView.read,
    "zero_estimate": ZeroEstimate.read,
    "inequality": Inequality.read,
    "conjunction": Conjunction.read,
    "not": Negation.read,
}


def read_claim(value: object) -> Statement:
    claim = any_object(value, "the claim")
    return KINDS[read_choice(claim.get("kind"), "kind", list(KINDS))](claim)


# --- Documents and files --------------------------------------------------------------------------------------------


def verify_text(text: str) -> Result:
    """Check one certificate, or raise CertificateRejectedError or MalformedCertificateError."""
    document = read_document(text)
    read_choice(document["schema"], "schema", [SCHEMA])
    verdict = read_choice(document["verdict"], "verdict", ["PROVED", "REFUTED"])
    statement = read_claim(document["claim"])
    witness = any_object(document["witness"], "the witness")
    claim_id = sha256(document["claim"])
    if read_text(document["claim_id"], "claim_id") != claim_id:
        rejected("claim_id is not the sha256 of the claim")
    check = statement.prove if verdict == "PROVED" else statement.refute
    facts = check(witness, Work())
    return Result(verdict, claim_id, statement.words, tuple(dict.fromkeys(facts)))


def read_file(path: str) -> str:
    """The text of a file, of which no more than the limit is read."""
    try:
        with open(path, "rb") as file:
            return file.read(MAX_FILE_BYTES + 1).decode("ascii")
    except OSError as error:
        malformed(f"cannot be read: {error.strerror}")
    except ValueError:  # not ASCII, or a path with a null character
        malformed("a certificate is ASCII without backslashes")


def verify_file(path: str) -> Result:
    """Check the certificate in a file."""
    return verify_text(read_file(path))


def report(path: str) -> tuple[int, str]:
    """The exit status and the line for one file."""
    try:
        result = verify_file(path)
    except CertificateRejectedError as error:
        return 1, f"REJECTED {path!a}: {error}"
    except MalformedCertificateError as error:
        return 2, f"MALFORMED {path!a}: {error}"
    facts = "; ".join(result.facts) or "arithmetic alone"
    return 0, f"{result.verdict} {result.claim_id[:12]} {result.words} [rests on: {facts}]"


def main(paths: Sequence[str]) -> int:
    if not paths:
        print("usage: python verify.py FILE...", file=sys.stderr)
        return 2
    worst = 0
    for path in paths:
        status, line = report(path)
        worst = max(worst, status)
        print(line, flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
