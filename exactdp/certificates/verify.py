"""Check certificates of the schemas exactdp-certificate-1 and 2, with Python's standard library only.

    python verify.py FILE...

One line per file. Exit status: 0 every file verified, 1 some check failed, 2 some file is malformed, unreadable or
beyond a limit. This file stands alone (Python 3.9 or newer) and shares no code with the prover. docs/certificates.md
describes the format and proves the lemmas that are named here, in asterisks.

How to read it. Numbers and shapes are read first, each once, and refused if written in any other way (``read_...``).
Each kind of claim is one class: it reads its specification, has words for it, and proves or refutes it with a witness.
Laws are integer weights over one denominator, or integers that enclose them, rounded outward; every comparison is
between integers or fractions. A check returns the lemmas that it rests on, or raises.
"""

# ruff: noqa: B905 (Python 3.9 has no zip(strict=...); lengths are checked where lists are read)

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import stat
import sys
from bisect import bisect
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact
from fractions import Fraction
from functools import partial
from itertools import accumulate, count, islice, permutations, product, repeat, takewhile, zip_longest
from math import ceil, comb, factorial, floor, isqrt, lcm, prod
from operator import add as plus
from operator import mul
from typing import Any, ClassVar, NamedTuple, NoReturn, Protocol, TypeVar, cast

SCHEMA = "exactdp-certificate-2"
SCHEMAS = ["exactdp-certificate-1", SCHEMA]  # what the first one can say means the same in the second
FIRST_KINDS = ["shuffle_dp", "never_dp", "shift_dp", "additive_view", "zero_estimate", "inequality"]
FIRST_KINDS += ["conjunction", "not"]
FIRST_FAMILIES = ["finite", "binomial"]

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
MAX_WALKED = 10**18  # trials of a binomial that is enclosed
MIN_PRECISION = 16
MAX_PRECISION = 2**14  # of fixed-point numbers, in bits
MAX_EXPONENT = 4096
MAX_PRODUCT_BITS = 2**27  # of all coefficients of a product of two polynomials
MAX_SLOT_BITS = 2**16  # of one coefficient of such a product
MAX_DIGITS = 600  # of a decimal that Python converts at once
DOMAIN_BITS = 256  # with which the parameters of a law are shown to lie in their domains
SHARP_BITS = 16  # of enclosed weights that are compared exactly where they leave a ratio open
MAX_BOX_VARIABLES = 6
MAX_BOX_TERMS = 64
MAX_BOX_PRECISION = 1024
MAX_BERNSTEIN = 20_000
MAX_LAW_BITS = 2**33  # of the products that make the weights of a law
MAX_HELD_BITS = 2**31  # of numbers that are held at once
MAX_WINDOW = 2 * 10**5  # weights of a summand of two binomials, to each side
MAX_EPS = 64
MAX_TERMS = 1000
MAX_SHIFT = 1000
MAX_VARIABLES = 16
MAX_DEGREE = 64
MAX_PARTS = 1000
MAX_WORK = 2 * 10**8  # in short products, of which the dearest was measured to take half a microsecond
MAX_STEPS = 4 * 10**6  # of them in one convolution, so that no law is longer
MAX_SUMS = 2**14  # that are listed to see that a sweep is too long
MAX_RUNS = 10**6
MAX_MEMORY = 10**9  # bytes of the process, and seconds of its time for one file, should a price be too low
MAX_SECONDS = 110
LATTICE_BITS = 64  # of the numbers just below the powers of a lattice ratio, where a curve is checked
TRIM_BITS = 16  # losses at either end of a lattice that weigh less are moved, or not counted
EXACTLY = Context(MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[Inexact])

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
FIXED_POINT = "fixed-point weights with directed rounding"
GEOMETRIC = "a falling ratio leaves a geometric remainder"
SERIES = "exponentials and logarithms by series"
STEPS = "constant ratios are one outcome"
LIPSCHITZ = "a Lipschitz law is pure"
LONGER = "a longer shift moves a log-concave law further"
ONE_COUNT = "one count is worst for every outcome of the noise"
TWO_POINTS = "two points decide a linear ratio"
BERNSTEIN = "a Bernstein form shows the sign on a cube"
ON_CUBE = "Taylor sums bound e^u on a cube"
CURVE = "a privacy curve on a lattice composes"
MERGED = "losses may be merged in an event"
PRODUCTS = "products of non-negative numbers are non-negative"

ASSUMED = {
    "markov": "Markov's inequality",
    "independence": "the mean of a product of independent variables is the product of their means",
    "union": "a union bound",
    "post-processing": "post-processing does not raise a divergence",
    "composition": "basic composition",
    "taylor": "Taylor's theorem with Lagrange's remainder",
    "monotone-convergence": "limits of increasing sequences pass into sums of non-negative terms",
}
REALS = ["exp", "log", "inverse", "sum", "product", "power"]
ENDS = ["closed", "open"]
NOT_SHOWN = "the bound is not shown to be at most"

Object = dict[str, object]
Facts = list[str]
Vector = tuple[int, ...]  # counts per message, users per input, exponents per variable
Law = dict[Vector, int]  # outcome -> positive weight; the total stands beside it
Packed = dict[int, int]  # the same, each outcome written as one integer
Pair = tuple[int, int]  # the weights of one outcome under two laws, or an outcome and its weight
Bounds = tuple[int, int]  # around a weight, or around 2^bits times a number
Ratio = tuple[int, int, int]  # a number of at least 0 lies in [first / third, second / third]
Polynomial = dict[Vector, Fraction]  # exponents -> coefficient
Words = Sequence[object]  # to be joined where they are needed
Composable = TypeVar("Composable")
Entry = TypeVar("Entry")


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
    """The work that is left for one document; each piece is paid for before it is done, and room asked for."""

    def __init__(self) -> None:
        self.left = MAX_WORK

    def spend(self, steps: int, bits: int, factor_bits: int = 64) -> None:
        """Pay for ``steps`` products of a number of ``bits`` and one of ``factor_bits``; a short one costs a unit."""
        self.left -= steps * (1 + bits * (512 + factor_bits) // 2**19)
        if self.left < 0 or steps > MAX_STEPS:
            malformed(f"the check is too large: beyond MAX_WORK = {MAX_WORK} or MAX_STEPS = {MAX_STEPS}")

    def expect(self, steps: int, bits: int) -> None:
        """Refuse at once where at least these steps are to come."""
        total = MAX_WORK - self.left + steps * (1 + bits * 576 // 2**19)
        if total > MAX_WORK:
            shown = str(total) if total < 10**12 else f"about 1e{total.bit_length() * 30103 // 100000}"
            malformed(f"the check is too large: {shown} units of work or more, beyond MAX_WORK = {MAX_WORK}")

    def power(self, base: Fraction, exponent: int) -> Fraction:
        """A power, paid for as by school multiplication."""
        self.spend(exponent, exponent * size(base), size(base))
        return base**exponent


def hold(numbers: int, bits: int) -> None:
    """Ask for the room of so many numbers of these bits, and 128 bytes for the place of each."""
    if numbers * (bits + 1024) > MAX_HELD_BITS:
        malformed(f"the check is too large: {numbers} numbers of {bits} bits, beyond MAX_HELD_BITS = {MAX_HELD_BITS}")


def listed(entries: Iterable[Entry], bits: int) -> list[Entry]:
    """All entries, of these bits each, as long as there is room."""
    found: list[Entry] = []
    for entry in entries:
        found.append(entry)
        if len(found) % 1024 == 0:
            hold(len(found), bits)
    return found


def malformed(reason: str) -> NoReturn:
    raise MalformedCertificateError(reason)


def rejected(reason: str) -> NoReturn:
    raise CertificateRejectedError(reason)


# --- Reading and showing: documents, shapes, numbers ----------------------------------------------------------------


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
        refused: Any = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), refuse_number)
        value = json.loads(text, object_pairs_hook=read_pairs, **refused)
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


def is_first_schema(value: object) -> bool:
    """Whether a document, or a part of one, says nothing that came with the second schema."""
    if isinstance(value, list):
        return all(map(is_first_schema, cast(list[object], value)))
    found = cast(Object, value) if isinstance(value, dict) else {}
    is_known = found.get("kind", "not") in FIRST_KINDS and found.get("family", "finite") in FIRST_FAMILIES
    return is_known and not {"assuming", "bits", *REALS} & set(found) and all(map(is_first_schema, found.values()))


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
        ends = [show(Fraction(end)) if end is not None else "infinity" for end in (low, high)]
        malformed(f"{where} is {show(found)}, outside {' to '.join(ends)}")


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


def common_denominator(values: Collection[Fraction], where: str) -> int:
    """Over which all of the values are about to be written."""
    found = 1
    for value in values:
        found = lcm(found, value.denominator)
        if found.bit_length() > MAX_BITS:
            malformed(f"the common denominator of {where} has more than {MAX_BITS} bits")
    hold(len(values), found.bit_length())
    return found


def as_weights(values: Iterable[Fraction], denominator: int, where: str) -> list[int]:
    """The probabilities as integers over the denominator; their sum is checked to be 1."""
    weights = [value.numerator * (denominator // value.denominator) for value in values]
    if sum(weights) != denominator:
        malformed(f"{where} sums to {show(Fraction(sum(weights), denominator))}, not 1")
    return weights


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
        denominator = common_denominator([p for table in tables for p in table.values()], "the randomizer")
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
    found: Packed = {}
    longest = bits + max(*law, *row).bit_length()
    for step, factor in row.items():
        hold(len(found) + len(law), longest)
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
        work.spend(len(rows), 1)
        law = convolve(law, rows[first], bits, work)
        hold(sum(counts) * len(law), bits + max(law).bit_length())  # the laws of fewer users wait, none of them longer


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


# --- Real parameters, in fixed point --------------------------------------------------------------------------------


class Real(NamedTuple):
    """A parameter of a noise law: a rational, or an expression that is enclosed when a precision is known."""

    name: str
    number: Fraction  # the rational, or the exponent of a power
    terms: tuple[Real, ...]
    words: str

    @classmethod
    def read(cls, value: object, where: str) -> Real:
        if isinstance(value, str):
            number = read_rational(value, where)
            return cls("rational", number, (), show(number))
        found = any_object(value, where)
        name = read_choice(next(iter(found), ""), f"the key of {where}", REALS)
        if len(found) > 1:
            malformed(f"{where} has more than one key")
        if name in ("sum", "product"):
            terms = [cls.read(term, where) for term in read_list(found[name], where, 2, MAX_PARTS)]
            words = (" + " if name == "sum" else " * ").join(term.words for term in terms)
            return cls(name, Fraction(0), tuple(terms), f"({words})")
        if name == "power":
            base, exponent = read_list(found[name], where, 2, 2)
            term, power = cls.read(base, where), read_integer(exponent, f"the power in {where}", 2, MAX_TERMS)
            return cls(name, Fraction(power), (term,), f"{term.words}^{power}")
        term = cls.read(found[name], where)
        words = {"exp": f"e^({term.words})", "log": f"ln({term.words})", "inverse": f"(1 / {term.words})"}[name]
        return cls(name, Fraction(0), (term,), words)

    @property
    def is_rational(self) -> bool:
        return self.name == "rational"

    def enclose(self, bits: int, work: Work) -> Bounds:
        """Integers around 2^bits times the number: *exponentials and logarithms by series*."""
        ends = [term.enclose(bits, work) for term in self.terms]
        longest = max([bits, size(self.number), *(abs(end).bit_length() for pair in ends for end in pair)])
        work.spend(4 * bits if self.name in ("exp", "log") else 16 * max(1, len(self.terms)), bits, longest)
        if self.is_rational:
            return floor_shift(self.number, bits), -floor_shift(-self.number, bits)
        low, high = ends[0]
        if self.name == "sum":
            return sum(end[0] for end in ends), sum(end[1] for end in ends)
        if self.name in ("product", "power"):
            for factor in ends[1:] if self.name == "product" else ends * (int(self.number) - 1):
                products = [x * y for x in (low, high) for y in factor]
                low, high = min(products) >> bits, -(-max(products) >> bits)
                work.spend(8, high.bit_length() + bits, high.bit_length() + bits)
                if max(-low, high).bit_length() > MAX_BITS:
                    malformed(f"a product of more than {MAX_BITS} bits")
            return low, high
        if self.name == "exp":
            return exp_bounds(low, bits)[0], exp_bounds(high, bits)[1]
        if low <= 0 and (self.name == "log" or high >= 0):
            rejected(f"{bits} bits do not show that {self.terms[0].words} is positive, or not 0")
        if self.name == "log":
            return log_bounds(low, bits)[0], log_bounds(high, bits)[1]
        return (1 << 2 * bits) // high, -((-1 << 2 * bits) // low)


def exponential(x: Fraction) -> Real:
    """e^x."""
    return Real("exp", Fraction(0), (Real("rational", x, (), ""),), "")


class Parameter(NamedTuple):
    """A real in a domain, which a rational is checked to lie in at once, and an enclosure strictly inside."""

    real: Real
    where: str
    low: int
    high: int | None

    @classmethod
    def read(cls, law: Object, key: str, low: int, high: int | None = None, ends: Sequence[int] = ()) -> Parameter:
        real, where = Real.read(law[key], f"the {key} of the law"), f"the {key} of the law"
        is_inside = real.number > low and (high is None or real.number < high)
        if real.is_rational and not is_inside and real.number not in ends:
            malformed(f"{where} is {real.words}, outside its domain")
        return cls(real, where, low, high)

    def bounds(self, bits: int, work: Work) -> Ratio:
        if self.real.is_rational:
            return self.real.number.numerator, self.real.number.numerator, self.real.number.denominator
        low, high = self.real.enclose(bits, work)
        if low <= self.low << bits or (self.high is not None and high >= self.high << bits):
            rejected(f"{bits} bits do not show that {self.where} lies inside its domain")
        return low, high, 1 << bits


def floor_shift(value: Fraction, bits: int) -> int:
    return (value.numerator << bits) // value.denominator


def exp_bounds(x: int, bits: int) -> Bounds:
    """Integers around 2^bits e^(x / 2^bits): a Taylor sum at x / 2^h below 1/2, squared h times."""
    if abs(x) > MAX_EXPONENT << bits:
        malformed(f"an exponential of more than {MAX_EXPONENT}")
    if x < 0:
        low, high = exp_bounds(-x, bits)
        return (1 << 2 * bits) // high, -((-1 << 2 * bits) // low)
    halvings = max(0, x.bit_length() - bits + 1)
    guard = 3 * halvings + 32
    precision = bits + guard
    y, low, term, terms = x << (guard - halvings), 0, 1 << precision, 0
    while term:
        low, terms = low + term, terms + 1
        term = term * y // (terms << precision)
    high = low + 2 * terms + 4  # each term is less than 2 too small, and those left out are less than 2, 1, 1/2, ...
    for _ in range(halvings):
        low, high = low * low >> precision, -(-high * high >> precision)
    return low >> guard, -(-high >> guard)


def artanh_bounds(numerator: int, denominator: int, precision: int) -> Bounds:
    """Integers around 2^precision (z + z^3/3 + z^5/5 + ...) for z = numerator / denominator in [0, 1/3]."""
    low, terms, power = 0, 0, (numerator << precision) // denominator
    factor, divisor = numerator**2, denominator**2
    while power:
        low, terms = low + power // (2 * terms + 1), terms + 1
        power = power * factor // divisor
    return low, low + 3 * terms + 3  # powers are less than 9/8 too small; those left out are less than 9/8, 1/8, ...


def log_bounds(x: int, bits: int) -> Bounds:
    """Integers around 2^bits ln(x / 2^bits), for x > 0: k ln 2 and ln of a number from 1 to 2."""
    top = x.bit_length() - 1
    guard = 32 + abs(top - bits).bit_length()
    two_low, two_high = artanh_bounds(1, 3, bits + guard)
    low, high = artanh_bounds(x - (1 << top), x + (1 << top), bits + guard)
    k = top - bits
    low, high = low + min(k * two_low, k * two_high), high + max(k * two_low, k * two_high)
    return 2 * low >> guard, -(-2 * high >> guard)


def inverse(ratio: Ratio) -> Ratio:
    low, high, denominator = ratio
    if low == high:
        return denominator, denominator, low
    return denominator * low, denominator * high, low * high


# --- Noise laws, exactly --------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """A law on the integers: ``stream()`` gives its outcomes, ascending, with their weights over ``total``."""

    words: str
    total: int
    outcomes: int
    bits: int
    stream: Callable[[], Iterator[Pair]]
    step: int = 0  # the bits with which each weight is made from the one before

    @classmethod
    def read(cls, value: object, where: str) -> Table:
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


class Noise(NamedTuple):
    """A noise law: its weights where they can be listed, its sides where it can be walked (*fixed-point weights*)."""

    words: str
    table: Callable[[Work], Table] | None = None
    sides: Callable[[int, Work], Sides] | None = None
    ratio: Callable[[int], Fraction] | None = None  # w(t+1) / w(t), where rational
    constant: tuple[Fraction, bool] | None = None  # the x and is_even of Steps
    exp_eps: Real | None = None  # of a discrete Laplace law
    is_log_concave: bool = True
    is_linear: bool = False  # the ratio is (A t + B) / (t + 1) for every t >= 0

    @classmethod
    def read(cls, value: object) -> Noise:
        family = read_choice(any_object(value, "the law").get("family"), "family", list(FAMILIES))
        keys, read = FAMILIES[family]
        return read(read_object(value, "the law", ["family", *keys]))

    def exact(self, most: int, work: Work) -> Table | Steps:
        """The law against itself moved by at most ``most``, listed exactly."""
        if self.constant is not None:
            steps = Steps(*self.constant, most)
            if steps.bits > MAX_BITS:
                malformed(f"the weights of the law have more than {MAX_BITS} bits")
            return steps
        return self.listed(work)

    def listed(self, work: Work) -> Table:
        if self.table is None:
            malformed("this law is checked by enclosure: the witness has no 'bits'")
        return self.table(work)

    def enclosed(self, witness: Object, work: Work) -> tuple[int, Sides]:
        """The precision that the witness asks for, and the enclosed weights."""
        if self.sides is None:
            malformed("this law is checked exactly: the witness has 'bits'")
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_PRECISION)
        return bits, self.sides(bits, work)

    @property
    def enclosed_facts(self) -> Facts:
        is_irrational = self.ratio is None and self.table is None
        return [FIXED_POINT, GEOMETRIC, *([SERIES] if is_irrational else [])]

    def worst_shifts(self, most: int) -> Iterable[int]:
        """*A longer shift moves a log-concave law further.*"""
        return [most] if self.is_log_concave else range(1, most + 1)


def finite_noise(law: Object) -> Noise:
    table = Table.read(law["weights"], "the law")
    return Noise(table.words, table=lambda work: table, is_log_concave=False)


def view_noise(law: Object) -> Noise:
    """The law of the sum of integer weights of all messages of one data set."""
    randomizer = Randomizer.read(law["randomizer"])
    inputs = len(randomizer.rows)
    users = [read_integer(c, "dataset", 0, MAX_USERS) for c in read_list(law["dataset"], "dataset", inputs, inputs)]
    weights = read_integers(law["weights"], "weights", randomizer.messages)
    words = (
        f"law of the message weights {show_vector(weights)} summed, {randomizer.words}, data set {show_vector(users)}"
    )
    sums = sum_rows(randomizer, weights)
    return Noise(words, lambda work: Table.of(*sum_law(sums, users, randomizer, work)), is_log_concave=False)


def binomial_noise(law: Object) -> Noise:
    n, p = read_integer(law["n"], "the n of the law", 0, MAX_WALKED), Parameter.read(law, "p", 0, 1, (0, 1))
    return binomial(n, p)


def binomial(n: int, p: Parameter) -> Noise:
    def ratios(bits: int, work: Work) -> Ratios:
        low, high, whole = p.bounds(bits, work)
        odds = (low, high, whole - low)
        if low != high:
            odds = (low * (whole - high), high * (whole - low), (whole - low) * (whole - high))
        start = min(n, (n + 1) * low // whole)
        return neighbors(start, 0, n, lambda t: ((n - t) * odds[0], (n - t) * odds[1], (t + 1) * odds[2]))

    x, words = p.real.number, f"Bin({n}, {p.real.words})"
    if not p.real.is_rational:
        return Noise(words, sides=partial(walked, ratios))
    ratio = None if x == 1 else lambda t: (n - t) * x / ((t + 1) * (1 - x))
    return Noise(words, lambda work: Table.binomial(n, x), partial(walked, ratios), ratio)


def binomial_sum_noise(law: Object) -> Noise:
    parts = [
        binomial(read_integer(law[n], f"the {n} of the law", 0, MAX_WALKED), Parameter.read(law, p, 0, 1, (0, 1)))
        for n, p in (("n1", "p1"), ("n2", "p2"))
    ]
    words, tables = " + ".join(part.words for part in parts), [part.table for part in parts]

    def table(work: Work) -> Table:
        first, second = (part.listed(work) for part in parts)
        bits = first.bits + second.bits
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the law have more than {MAX_TOTAL_BITS} bits")
        work.expect(first.outcomes * second.outcomes, bits)
        hold(first.outcomes, first.bits)
        hold(second.outcomes, second.bits)
        law = convolve(dict(first.stream()), dict(second.stream()), bits, work)
        return Table.of({t: weight for t, weight in law.items() if weight}, first.total * second.total)

    return Noise(words, None if None in tables else table, lambda bits, work: summed(parts[0], parts[1], bits, work))


def negative_binomial_noise(law: Object) -> Noise:
    r, p = Parameter.read(law, "r", 0), Parameter.read(law, "p", 0, 1, (0,))
    return negative_binomial(r, p, f"NB({r.real.words}, {p.real.words})")


def geometric_noise(law: Object) -> Noise:
    p = Parameter.read(law, "p", 0, 1, (0,))
    one = Parameter(Real("rational", Fraction(1), (), "1"), "r", 0, None)
    noise = negative_binomial(one, p, f"Geometric({p.real.words})")
    return noise._replace(constant=(p.real.number, False) if p.real.is_rational else None)


def negative_binomial(r: Parameter, p: Parameter, words: str) -> Noise:
    def ratios(bits: int, work: Work) -> Ratios:
        (r_low, r_high, r_whole), (low, high, whole) = r.bounds(bits, work), p.bounds(bits, work)
        start = max(0, (r_low - r_whole) * low // (r_whole * (whole - low)))

        def ratio(t: int) -> Ratio:
            return (r_low + t * r_whole) * low, (r_high + t * r_whole) * high, r_whole * whole * (t + 1)

        return neighbors(start, 0, None, ratio, later=(low, high, whole))

    x, y = r.real.number, p.real.number
    is_rational = r.real.is_rational and p.real.is_rational
    ratio = (lambda t: (x + t) * y / (t + 1)) if is_rational else None
    is_log_concave = r.real.is_rational and x >= 1
    table = (lambda work: Table.of({0: 1}, 1)) if p.real.is_rational and y == 0 else None
    return Noise(words, table, partial(walked, ratios), ratio, None, None, is_log_concave, is_rational)


def discrete_laplace_noise(law: Object) -> Noise:
    exp_eps = Parameter.read(law, "exp_eps", 1)
    real = exp_eps.real

    def ratios(bits: int, work: Work) -> Ratios:
        ratio = inverse(exp_eps.bounds(bits, work))
        return Ratios(0, repeat(ratio), repeat(ratio))

    words = f"DiscreteLaplace({real.words})"
    if not real.is_rational:
        return Noise(words, sides=partial(walked, ratios), exp_eps=real)
    x = 1 / real.number
    return Noise(words, None, partial(walked, ratios), lambda t: x if t >= 0 else 1 / x, (x, True), real)


def discrete_gaussian_noise(law: Object) -> Noise:
    sigma_squared = read_rational(law["sigma_squared"], "the sigma_squared of the law", 0)
    if sigma_squared == 0:
        malformed("the sigma_squared of the law is 0")

    def powers(bits: int, work: Work) -> Iterator[Ratio]:
        """q^(2t+1) for t = 0, 1, ... with q = e^(-1 / (2 sigma_squared))."""
        bits += 64
        low, high = exponential(-1 / (2 * sigma_squared)).enclose(bits, work)
        square = (low * low >> bits, -(-high * high >> bits))
        while True:
            yield low, high, 1 << bits
            low, high = low * square[0] >> bits, -(-high * square[1] >> bits)

    return Noise(
        f"DiscreteGaussian({show(sigma_squared)})",
        sides=partial(walked, lambda bits, work: Ratios(0, powers(bits, work), powers(bits, work))),
    )


def poisson_noise(law: Object) -> Noise:
    mu = Parameter.read(law, "mu", 0, None, (0,))

    def ratios(bits: int, work: Work) -> Ratios:
        low, high, whole = mu.bounds(bits, work)
        return neighbors(low // whole, 0, None, lambda t: (low, high, whole * (t + 1)))

    x, is_rational = mu.real.number, mu.real.is_rational
    ratio = (lambda t: x / (t + 1)) if is_rational else None
    table = (lambda work: Table.of({0: 1}, 1)) if is_rational and x == 0 else None
    return Noise(f"Poisson({mu.real.words})", table, partial(walked, ratios), ratio, is_linear=is_rational)


FAMILIES: dict[str, tuple[list[str], Callable[[Object], Noise]]] = {
    "finite": (["weights"], finite_noise),
    "view": (["randomizer", "dataset", "weights"], view_noise),
    "binomial": (["n", "p"], binomial_noise),
    "binomial-sum": (["n1", "p1", "n2", "p2"], binomial_sum_noise),
    "negative-binomial": (["r", "p"], negative_binomial_noise),
    "geometric": (["p"], geometric_noise),
    "discrete-laplace": (["exp_eps"], discrete_laplace_noise),
    "discrete-gaussian": (["sigma_squared"], discrete_gaussian_noise),
    "poisson": (["mu"], poisson_noise),
}


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


def sum_law(rows: list[Packed], users: Sequence[int], randomizer: Randomizer, work: Work) -> tuple[Packed, int]:
    """The law of the sum over all users, each with the law of his row, and its total."""
    n = sum(users)
    bits = n * randomizer.denominator.bit_length()
    if bits > MAX_TOTAL_BITS:
        malformed(f"the weights of the view have more than {MAX_TOTAL_BITS} bits")
    law: Packed = {0: 1}
    for row, copies in zip(rows, users):
        for _ in range(copies):
            law = convolve(law, row, bits, work)
    return law, int(randomizer.denominator**n)


# --- Noise laws, enclosed -------------------------------------------------------------------------------------------


class Ratios(NamedTuple):
    """The ratios of neighbouring weights, upward and downward from the start; none after one exceeds max(it, later)."""

    start: int
    up: Iterable[Ratio]
    down: Iterable[Ratio]
    later: Ratio = (0, 0, 1)


def neighbors(
    start: int, low: int, high: int | None, ratio: Callable[[int], Ratio], later: Ratio = (0, 0, 1)
) -> Ratios:
    """The ratios of a law on low, ..., high whose w(t+1)/w(t) is ratio(t)."""
    up = map(ratio, range(start, high) if high is not None else count(start))
    return Ratios(start, up, (inverse(ratio(t - 1)) for t in range(start, low, -1)), later)


class Side:
    """Enclosed weights, outward; when all have been taken, ``rest`` bounds the sum of those that were not reached."""

    def __init__(self, weights: Generator[Bounds, None, int]) -> None:
        self.weights = weights
        self.rest = 0

    def __iter__(self) -> Iterator[Bounds]:
        self.rest = yield from self.weights


class Sides(NamedTuple):
    """The weights at start, start + 1, ... and at start - 1, start - 2, ..."""

    start: int
    above: Side
    below: Side


def walked(ratios: Callable[[int, Work], Ratios], bits: int, work: Work) -> Sides:
    """*Fixed-point weights with directed rounding*, from 2^bits at the start."""
    start, up, down, later = ratios(bits, work)

    def above() -> Generator[Bounds, None, int]:
        yield 1 << bits, 1 << bits
        return (yield from outward(bits, up, later, work))

    return Sides(start, Side(above()), Side(outward(bits, down, later, work)))


def outward(bits: int, ratios: Iterable[Ratio], later: Ratio, work: Work) -> Generator[Bounds, None, int]:
    """The weights next to the one at the start; *a falling ratio leaves a geometric remainder*."""
    low = high = 1 << bits
    for step, (a, b, whole) in enumerate(ratios):
        if step % 1024 == 0:
            longest = max(bits, b.bit_length(), whole.bit_length())
            work.spend(8 * 1024, longest, b.bit_length() + whole.bit_length())
            work.expect(4 * step * isqrt((low << 1 >> bits) * (bits << bits) // (abs((1 << bits) - low) or 1)), bits)
        if high >> 2 * bits:
            rejected(f"{bits} bits do not show that the weights fall")
        if low == 0 and b < whole:
            return max(-(-high * x // (y - x)) for x, y in ((b, whole), later[1:]))
        low, high = low * a // whole, -(-high * b // whole)
        yield low, high
    return 0


def summed(first: Noise, second: Noise, bits: int, work: Work) -> Sides:
    """The sum of two independent variables, whose weights outside two windows have together at most ``missing``."""
    windows = []
    for noise in (first, second):
        start, above, below = cast(Callable[[int, Work], Sides], noise.sides)(bits, work)
        most = min(MAX_WINDOW, MAX_PRODUCT_BITS // (2 * bits))  # of which the product can be made
        up, down = (list(islice(side, most + 1)) for side in (above, below))
        if max(len(up), len(down)) > most:
            malformed(f"the check is too large: more than {most} weights of a summand to one side")
        windows.append((start - len(down), [*reversed(down), *up], above.rest + below.rest))
    (low_a, a, rest_a), (low_b, b, rest_b) = windows
    missing = rest_a * (sum(high for _, high in b) + rest_b) + rest_b * sum(high for _, high in a)
    lows, highs = (multiply_lists([x[end] for x in a], [y[end] for y in b], work) for end in (0, 1))
    weights = [(low, high + missing) for low, high in zip(lows, highs)]
    middle = len(weights) // 2

    def side(part: Iterable[Bounds]) -> Generator[Bounds, None, int]:
        yield from part
        return missing

    return Sides(low_a + low_b + middle, Side(side(weights[middle:])), Side(side(reversed(weights[:middle]))))


def multiply_lists(first: list[int], second: list[int], work: Work) -> list[int]:
    """The product of two polynomials with coefficients >= 0, as one exact product of long decimals."""
    length = len(first) + len(second) - 1
    bits = max(first).bit_length() + max(second).bit_length() + length.bit_length()
    if bits > MAX_SLOT_BITS or bits * length > MAX_PRODUCT_BITS:
        malformed(f"the check is too large: a product beyond {MAX_SLOT_BITS} or, in all, {MAX_PRODUCT_BITS} bits")
    work.spend(length, 64 * bits, 512)
    width = bits * 30103 // 100_000 + 1
    x, y = (Decimal("".join(digits(entry, width) for entry in reversed(entries))) for entries in (first, second))
    shown = str(EXACTLY.multiply(x, y)).rjust(width * length, "0")
    return [number(shown[i : i + width]) for i in range(width * (length - 1), -1, -width)]


def digits(value: int, width: int) -> str:
    """A number of at most ``width`` digits, in pieces that are not too long to be converted."""
    if width <= MAX_DIGITS:
        return f"{value:0{width}d}"
    high, low = divmod(value, 10**MAX_DIGITS)
    return digits(high, width - MAX_DIGITS) + digits(low, MAX_DIGITS)


def number(shown: str) -> int:
    if len(shown) <= MAX_DIGITS:
        return int(shown)
    return number(shown[:-MAX_DIGITS]) * int(10**MAX_DIGITS) + int(shown[-MAX_DIGITS:])


def enclosed_weights(sides: Sides) -> Iterator[tuple[int | None, Bounds]]:
    """Every outcome with its weight, enclosed; None stands for those that were not reached."""
    yield from enumerate(sides.above, sides.start)
    yield from ((sides.start - 1 - i, weight) for i, weight in enumerate(sides.below))
    yield None, (0, sides.above.rest + sides.below.rest)


def enclosed_pairs(
    noise: Noise, shift: int, ratio_bits: int, witness: Object, work: Work
) -> Iterator[tuple[int | None, Bounds, Bounds]]:
    """At each t of either support the weights of Y and of Y + shift, enclosed, to be multiplied by a ratio; None where
    one was not reached."""
    bits, sides = noise.enclosed(witness, work)
    for step, found in enumerate(aligned_pairs(sides, shift)):
        if step % 1024 == 0:
            work.spend(4 * 1024, bits + 64, ratio_bits)
        yield found


def aligned_pairs(sides: Sides, shift: int) -> Iterator[tuple[int | None, Bounds, Bounds]]:
    """Outward from the start; a weight waits until its shifted place has come."""
    below = iter(sides.below)
    near = list(islice(below, shift))
    unreached = [(0, sides.below.rest)] * (shift - len(near))
    waiting = deque([*unreached, *reversed(near)])
    for t, weight in enumerate(sides.above, sides.start):
        waiting.append(weight)
        yield t, weight, waiting.popleft()
    rest = (0, sides.above.rest)
    yield from ((None, rest, moved) for moved in [*waiting, rest])
    waiting = deque(near)
    for t, moved in enumerate(below):
        waiting.append(moved)
        yield sides.start - 1 - t, waiting.popleft(), moved
    rest = (0, sides.below.rest)
    yield from ((None, weight, rest) for weight in [*waiting, rest])


def probability(noise: Noise, holds: Callable[[int], bool], witness: Object, work: Work) -> tuple[Fraction, Fraction]:
    """Bounds of the probability of an event, equal if the law is listed."""
    if "bits" not in witness:
        table = noise.listed(work)
        work.spend(2 * table.outcomes, table.bits, 64 + table.step)
        exact = Fraction(sum(weight for t, weight in table.stream() if holds(t)), table.total)
        return exact, exact
    inside, outside = [0, 0], [0, 0]
    for t, (low, high) in enclosed_weights(noise.enclosed(witness, work)[1]):
        for part in [inside, outside] if t is None else [inside] if holds(t) else [outside]:
            part[0] += low
            part[1] += high
    return shares(inside, outside)


def shares(inside: Sequence[int], outside: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Bounds of inside / (inside + outside), from bounds of both."""
    if inside[0] + outside[0] == 0:
        rejected("the precision does not show that any weight is positive")
    low = Fraction(inside[0], max(1, inside[0] + outside[1]))
    return low, Fraction(inside[1], max(1, inside[1] + outside[0]))


# --- Mechanisms -----------------------------------------------------------------------------------------------------

# A mechanism is a family of pairs of laws (P, Q), each pair given as the weights (p, q) of the outcomes over a total:
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
    witness_facts: ClassVar[Sequence[str]] = (THE_VIEW, EQUAL_ROWS)

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

    def pairs(self, ratio: Fraction | None, work: Work) -> Iterator[tuple[Iterable[Pair], int, Words]]:
        """Every two neighbouring data sets, in both orders: n - 1 bystanders and two different rows, one of them
        without messages if a user is added or removed. Of equal rows one is taken: *such users are interchangeable*.
        So are bystanders whose rows are equal after a move: *moving both views leaves their divergence*."""
        base = self.randomizer.base(self.n)
        work.spend(self.randomizer.messages * sum(map(len, self.randomizer.rows)), 4096)
        rows = distinct(self.randomizer.rows, base)
        ends = rows if self.neighbors == "replace-one" else [*rows, {0: self.randomizer.denominator}]
        if len(ends) == 1:
            return
        classes = distinct(map(at_zero, self.randomizer.rows), base)
        expect_sweep(classes, self.n - 1, self.bits, work)
        orders = [(i, j) for i, j in permutations(range(len(ends)), 2) if ends is rows or len(rows) in (i, j)]
        total = self.total
        for bystanders, law in bystander_laws(classes, self.n - 1, self.bits, work):
            views, outcomes = list[Packed](), 0
            for row in ends:
                views.append(convolve(law, row, self.bits, work))
                outcomes += len(views[-1])
                hold(outcomes, self.bits + max(views[-1]).bit_length())
            for i, j in orders:
                words = ("bystanders", list(bystanders), "by class of rows, row", i, "against", j)
                yield self.aligned(views[i], views[j], ratio, work), total, words

    def aligned(self, first: Packed, second: Packed, ratio: Fraction | None, work: Work) -> Iterator[Pair]:
        """The weights (p, q) on the support of P; elsewhere P = 0 adds nothing to a divergence."""
        work.spend(16 + len(first), self.bits, size(ratio))
        return ((weight, second.get(outcome, 0)) for outcome, weight in first.items())

    def pair(self, witness: Object, ratio: Fraction | None, work: Work) -> tuple[Iterable[Pair], int]:
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
        return self.aligned(self.law(first, work), self.law(second, work), ratio, work), self.total

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
        return law if sum(histogram) == self.n else convolve(law, {0: self.randomizer.denominator}, self.bits, work)


@dataclass(frozen=True)
class Shift:
    """The noise Y against Y + j (forward) and Y + j against Y (backward), for 1 <= j <= ``most``, listed exactly."""

    noise: Noise
    most: int
    keys: ClassVar[Sequence[str]] = ("shift", "order")

    @property
    def words(self) -> str:
        return f"count + {self.noise.words}, {'shift 1' if self.most == 1 else f'shifts 1 to {self.most}'}"

    @property
    def bound_facts(self) -> Sequence[str]:
        return [SHIFT_DOWN, *self.witness_facts]

    @property
    def witness_facts(self) -> Sequence[str]:
        return [STEPS] if self.noise.constant else []

    def pairs(self, ratio: Fraction | None, work: Work) -> Iterator[tuple[Iterable[Pair], int, Words]]:
        law = self.noise.exact(self.most, work)
        total = law.total
        for shift in range(1, self.most + 1):
            for order in ("forward", "backward"):
                yield self.shifted(law, shift, order, ratio, work), total, (f"shift {shift},", order)

    def pair(self, witness: Object, ratio: Fraction | None, work: Work) -> tuple[Iterable[Pair], int]:
        law = self.noise.exact(self.most, work)
        shift = read_integer(witness["shift"], "shift", 1, self.most)
        order = read_choice(witness["order"], "order", ["forward", "backward"])
        return self.shifted(law, shift, order, ratio, work), law.total

    def shifted(self, law: Table | Steps, shift: int, order: str, ratio: Fraction | None, work: Work) -> Iterable[Pair]:
        work.spend(4 * law.outcomes, law.bits, size(ratio) + law.step)
        return law.pairs(shift) if order == "forward" else ((q, p) for p, q in law.pairs(shift))


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
    def parameter(self) -> str:
        return f"eps = {show(self.eps)}" if self.exp_eps is None else f"e^eps = {show(self.exp_eps)}"

    @property
    def words(self) -> str:
        least = {"none": "", "delta": ", no smaller delta", "exp_eps": ", no smaller e^eps"}[self.least]
        return f"({self.parameter}, delta = {show(self.delta)})-DP, both orders{least}"

    @property
    def terms_keys(self) -> list[str]:
        return ["terms"] if self.exp_eps is None else []

    @property
    def facts(self) -> Facts:
        return [TAYLOR, FALLS] if self.exp_eps is None else []

    @property
    def enclosed_facts(self) -> Facts:
        return [SERIES, FALLS] if self.exp_eps is None else []

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

    def below(self, witness: Object, work: Work) -> Fraction:
        """E, or a rational at most e^eps: a divergence at most delta there is at most delta at e^eps."""
        if self.exp_eps is not None:
            return self.exp_eps
        if "bits" in witness:
            return self.enclosed(witness, work)[0]
        return taylor_sum(self.eps, read_integer(witness["terms"], "terms", 1, MAX_TERMS), work)

    def above(self, witness: Object, work: Work) -> Fraction:
        """E, or a rational at least e^eps: a divergence above delta there is above delta at e^eps."""
        if self.exp_eps is not None:
            return self.exp_eps
        if "bits" in witness:
            return self.enclosed(witness, work)[1]
        terms = read_integer(witness["terms"], "terms", 1, MAX_TERMS)
        if terms + 1 <= self.eps:
            rejected("too few terms to bound the rest of the Taylor series")
        low = taylor_sum(self.eps, terms, work)
        return low + self.eps**terms / factorial(terms) / (1 - self.eps / (terms + 1))

    def enclosed(self, witness: Object, work: Work) -> tuple[Fraction, Fraction]:
        """Rationals around e^eps, in fixed point."""
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_PRECISION)
        return exp_fractions(self.eps, bits, work)


def taylor_sum(eps: Fraction, terms: int, work: Work) -> Fraction:
    """The sum of eps^k / k! over k < terms."""
    bits = terms * (size(eps) + 10)
    if bits > MAX_TAYLOR_BITS:
        malformed(f"a Taylor sum of more than {MAX_TAYLOR_BITS} bits")
    work.spend(4 * terms, bits, bits // 32)
    total = power = scale = 1
    for k in range(1, terms):
        power *= eps.numerator
        total = total * eps.denominator * k + power
        scale *= eps.denominator * k
    return Fraction(total, scale)


# --- shuffle_dp, never_dp, shift_dp and smooth ----------------------------------------------------------------------


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

    @property
    def words(self) -> str:
        return f"{self.mechanism.words}: {self.level.words}"

    def prove(self, witness: Object, work: Work) -> Facts:
        view = self.mechanism if isinstance(self.mechanism, View) and self.mechanism.all_n else None
        attained: Sequence[str] = ()
        if self.level.has_smaller:
            attained = VERTEX_KEYS if view else self.mechanism.keys
        read_object(witness, "the witness", [*self.level.terms_keys, *attained])
        ratio = self.level.below(witness, work)
        facts = self.bound_all(self.level, ratio, work) + ([ADDING] if view else []) + self.level.facts
        if attained and view:
            check_vertex(view, ratio, witness)
            facts.append(A_VERTEX)
        elif attained:
            facts += self.check_attained(witness, ratio, work)
        return facts

    def bound_all(self, level: Level, ratio: Fraction, work: Work) -> Facts:
        for pairs, total, words in self.mechanism.pairs(ratio, work):
            if compare_divergence(pairs, total, ratio, level.delta)[0] > 0:
                rejected(f"the divergence exceeds delta = {show(level.delta)}: {' '.join(map(str, words))}")
        return list(self.mechanism.bound_facts)

    def check_attained(self, witness: Object, ratio: Fraction, work: Work) -> Facts:
        """This pair has divergence delta exactly; for the least e^eps, *an event below* it as well."""
        pairs, total = self.mechanism.pair(witness, ratio, work)
        sign, at_least = compare_divergence(pairs, total, ratio, self.level.delta)
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
            return self.bound_all(level, level.below(witness, work), work)
        read_object(witness, "the witness", [*self.mechanism.keys, *self.level.terms_keys])
        ratio = self.level.above(witness, work)
        pairs, total = self.mechanism.pair(witness, ratio, work)
        if compare_divergence(pairs, total, ratio, self.level.delta)[0] <= 0:
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
        pairs, total = self.view.pair(witness, None, work)
        if compare_divergence(pairs, total, None, self.delta_below)[0] < 0:
            rejected("P(Q = 0) is below delta_below for the witness")
        return [*self.view.witness_facts, LOST]

    def refute(self, witness: Object, work: Work) -> Facts:
        """Every pair has P(Q = 0) < delta_below, which is its divergence at all large e^eps."""
        read_object(witness, "the witness", [])
        for pairs, total, words in self.view.pairs(None, work):
            if compare_divergence(pairs, total, None, self.delta_below)[0] >= 0:
                rejected(f"P(Q = 0) is not below delta_below: {' '.join(map(str, words))}")
        return [*self.view.bound_facts, LOST]


class ShiftPrivacy(NamedTuple):
    """Every shift of the noise by 1 to ``shift.most``, in both orders, has a divergence of at most delta."""

    shift: Shift
    level: Level

    @classmethod
    def read(cls, claim: Object) -> ShiftPrivacy:
        read_object(claim, "the claim", ["kind", "law", "shift", *Level.keys(claim)])
        shift = Shift(Noise.read(claim["law"]), read_integer(claim["shift"], "shift", 1, MAX_SHIFT))
        return cls(shift, Level.read(claim))

    @property
    def words(self) -> str:
        return f"{self.shift.words}: {self.level.words}"

    def prove(self, witness: Object, work: Work) -> Facts:
        if "pure" in witness:
            return self.prove_pure(witness, work)
        if "bits" not in witness:
            return Privacy(self.shift, self.level).prove(witness, work)
        self.read_enclosed(witness, ["bits"])
        noise, ratio = self.shift.noise, self.level.below(witness, work)
        for shift in noise.worst_shifts(self.shift.most):
            for order, bound in bound_divergences(noise, shift, ratio, witness, work, above=True).items():
                if bound > self.level.delta:
                    rejected(f"{NOT_SHOWN} delta = {show(self.level.delta)} for shift {shift}, {order}")
        longest = [LONGER] if noise.is_log_concave else []
        return [SHIFT_DOWN, *longest, *noise.enclosed_facts, *self.level.enclosed_facts]

    def prove_pure(self, witness: Object, work: Work) -> Facts:
        """*A Lipschitz law is pure*: e^eps is at least exp_eps^most."""
        read_object(witness, "the witness", ["pure"])
        read_choice(witness["pure"], "pure", ["yes"])
        ratio, most, level = self.shift.noise.exp_eps, self.shift.most, self.level
        if ratio is None or level.least != "none":
            malformed("'pure' proves privacy of discrete Laplace laws, without 'least'")
        if ratio.is_rational and level.exp_eps is not None:
            is_pure = level.exp_eps >= work.power(ratio.number, most)
        elif ratio.name == "exp" and ratio.terms[0].is_rational and level.exp_eps is None:
            if ratio.terms[0].number <= 0:
                rejected("the exp_eps of the law is not above 1")
            is_pure = level.eps >= most * ratio.terms[0].number
        else:
            malformed("'pure' compares e^eps of rational eps, or rationals")
        if not is_pure:
            rejected("e^eps is below exp_eps^shift")
        return [LIPSCHITZ]

    def refute(self, witness: Object, work: Work) -> Facts:
        if "bits" not in witness:
            return Privacy(self.shift, self.level).refute(witness, work)
        self.read_enclosed(witness, ["shift", "order", "bits"])
        shift = read_integer(witness["shift"], "shift", 1, self.shift.most)
        order = read_choice(witness["order"], "order", ["forward", "backward"])
        ratio = self.level.above(witness, work)
        bounds = bound_divergences(self.shift.noise, shift, ratio, witness, work, above=False)
        if bounds[order] <= self.level.delta:
            rejected(f"the divergence of the witness is not shown to be above delta = {show(self.level.delta)}")
        return [*self.shift.noise.enclosed_facts, *self.level.enclosed_facts]

    def read_enclosed(self, witness: Object, keys: Sequence[str]) -> None:
        read_object(witness, "the witness", keys)
        if self.level.least != "none":
            malformed("'least' is checked exactly: the witness has 'bits'")


def bound_divergences(
    noise: Noise, shift: int, ratio: Fraction, witness: Object, work: Work, above: bool
) -> dict[str, Fraction]:
    """H_E of Y against Y + shift and the other way round, both from above or both from below."""
    a, b = ratio.numerator, ratio.denominator
    forward = backward = total = 0
    for _, (p, p_high), (q, q_high) in enclosed_pairs(noise, shift, size(ratio), witness, work):
        if above:
            forward += max(0, b * p_high - a * q)
            backward += max(0, b * q_high - a * p)
            total += p
        else:
            forward += max(0, b * p - a * q_high)
            backward += max(0, b * q - a * p_high)
            total += p_high
    if total == 0:
        rejected("the precision does not show that any weight is positive")
    return {"forward": Fraction(forward, b * total), "backward": Fraction(backward, b * total)}


class Smooth(NamedTuple):
    """P[w(Y) / w(Y + k') >= e^(|k'| eps)] is at most delta for 1 <= |k'| <= k."""

    noise: Noise
    k: int
    level: Level

    @classmethod
    def read(cls, claim: Object) -> Smooth:
        read_object(claim, "the claim", ["kind", "law", "k", "exp_eps" if "exp_eps" in claim else "eps", "delta"])
        level = Level.read({**claim, "least": "none"})
        return cls(Noise.read(claim["law"]), read_integer(claim["k"], "k", 1, MAX_SHIFT), level)

    @property
    def words(self) -> str:
        return f"{self.noise.words} is ({self.level.parameter}, delta = {show(self.level.delta)}, k = {self.k})-smooth"

    def keys(self, witness: Object) -> list[str]:
        return ["bits"] if "bits" in witness else self.level.terms_keys

    def facts(self, witness: Object) -> Facts:
        if "bits" in witness:
            return [*self.noise.enclosed_facts, *self.level.enclosed_facts]
        return [*([STEPS] if self.noise.constant else []), *([TAYLOR] if self.level.exp_eps is None else [])]

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", self.keys(witness))
        ratio = self.level.below(witness, work)
        for shift in self.noise.worst_shifts(self.k):
            for by in (shift, -shift):
                if self.mass(by, work.power(ratio, shift), witness, work)[1] > self.level.delta:
                    rejected(f"{NOT_SHOWN} delta = {show(self.level.delta)} for k' = {by}")
        return [*([LONGER] if self.noise.is_log_concave else []), *self.facts(witness)]

    def refute(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["by", *self.keys(witness)])
        by = read_integer(witness["by"], "by", -self.k, self.k)
        if by == 0:
            malformed("by is 0")
        ratio = work.power(self.level.above(witness, work), abs(by))
        if self.mass(by, ratio, witness, work)[0] <= self.level.delta:
            rejected(f"the event of the witness is not shown to be above delta = {show(self.level.delta)}")
        return self.facts(witness)

    def mass(self, by: int, ratio: Fraction, witness: Object, work: Work) -> tuple[Fraction, Fraction]:
        """Bounds of P[w(Y) >= ratio w(Y + by)]."""
        inside, outside = [0, 0], [0, 0]
        a, b = ratio.numerator, ratio.denominator
        for t, first, second in self.pairs(abs(by), size(ratio), witness, work):
            (low, high), (other, other_high) = (second, first) if by > 0 else (first, second)
            is_in = True if b * low >= a * other_high else None if b * high >= a * other else False
            if is_in is None and t is not None and min(low, other) >> SHARP_BITS:
                is_in = self.is_in(t, by, ratio, work)
            for part in [inside, outside] if is_in is None else [inside] if is_in else [outside]:
                part[0] += 0 if is_in is None else low
                part[1] += high
        return shares(inside, outside)

    def pairs(self, shift: int, bits: int, witness: Object, work: Work) -> Iterator[tuple[int | None, Bounds, Bounds]]:
        if "bits" in witness:
            yield from enclosed_pairs(self.noise, shift, bits, witness, work)
            return
        exact = self.noise.exact(shift, work)
        work.spend(4 * exact.outcomes, exact.bits, bits + exact.step)
        yield from ((None, (p, p), (q, q)) for p, q in exact.pairs(shift))

    def is_in(self, t: int, by: int, ratio: Fraction, work: Work) -> bool | None:
        """The same by the exact ratio of w(t) and w(t - shift), where that is rational; else left open."""
        if self.noise.ratio is None:
            return None
        exact = Fraction(1)
        for i in range(1, abs(by) + 1):
            step = self.noise.ratio(t - i)
            work.spend(64, size(exact) + size(step), size(step) + size(ratio))
            exact *= step
        return exact * ratio <= 1 if by > 0 else exact >= ratio


# --- composed -------------------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """A mechanism, held as its claim at a level that is replaced, and the number of times that it is run."""

    claim: Privacy | ShiftPrivacy
    times: int

    @classmethod
    def read(cls, value: object) -> Run:
        keys = ["randomizer", "n", "neighbors"] if "randomizer" in any_object(value, "a run") else ["law", "shift"]
        found = read_object(value, "a run", [*keys, "times"])
        times = read_integer(found["times"], "times", 1, MAX_RUNS)
        claim: Object = {"exp_eps": "1", "delta": "1", "least": "none", **{key: found[key] for key in keys}}
        if "law" in found:
            return cls(ShiftPrivacy.read({"kind": "shift_dp", **claim}), times)
        return cls(Privacy.read_shuffle({"kind": "shuffle_dp", "scope": "this n", **claim}), times)

    @property
    def mechanism(self) -> View | Shift:
        return self.claim.shift if isinstance(self.claim, ShiftPrivacy) else self.claim.mechanism

    @property
    def words(self) -> str:
        return f"{self.times} x ({self.mechanism.words})"

    def check_curve(self, curve: list[int], rho: Fraction, bits: int, witness: Object, work: Work) -> Facts:
        """The mechanism is (eps, delta)-DP at each power of rho, or just below it."""
        facts: Facts = []
        read_object(witness, "a witness", ["bits"] if "bits" in witness else [])
        for delta, exp_eps in zip(curve, powers_below(rho)):
            work.spend(64, exp_eps.bit_length(), size(rho))
            if exp_eps.bit_length() > MAX_INEQUALITY_BITS:
                malformed(f"a curve beyond an e^eps of {MAX_INEQUALITY_BITS} bits")
            level = Level(Fraction(exp_eps, 1 << LATTICE_BITS), Fraction(0), Fraction(delta, 1 << bits), "none")
            facts = self.claim._replace(level=level).prove(witness, work)
        return facts

    def masses(self, witness: Object, bits: int, work: Work) -> tuple[list[Pair], Facts]:
        """Of the outcomes of the pair of a witness, lower bounds of P and upper bounds of Q, in units of 2^-bits."""
        if "bits" not in witness or isinstance(self.mechanism, View):
            read_object(witness, "a pair", self.mechanism.keys)
            pairs, total = self.mechanism.pair(witness, None, work)
            scaled = (((p << bits) // total, -((-q << bits) // total)) for p, q in pairs)
            found = listed(scaled, 2 * bits)
            work.spend(2 * len(found), total.bit_length(), bits)
            return found, list(self.mechanism.witness_facts)
        read_object(witness, "a pair", [*self.mechanism.keys, "bits"])
        shift = read_integer(witness["shift"], "shift", 1, self.mechanism.most)
        order = [0, 1] if read_choice(witness["order"], "order", ["forward", "backward"]) == "forward" else [1, 0]
        reached = listed(enclosed_pairs(self.mechanism.noise, shift, bits, witness, work), 4 * bits)
        low, high = (sum(weight[end] for _, weight, _ in reached) for end in (0, 1))
        if low == 0:
            rejected("the precision does not show that any weight is positive")
        found = [(weights[order[0]][0], weights[order[1]][1]) for _, *weights in reached]
        return [((p << bits) // high, -((-q << bits) // low)) for p, q in found], self.mechanism.noise.enclosed_facts


class Composed(NamedTuple):
    """All runs together are (eps, delta)-DP, each on data that may depend on the answers before it."""

    runs: list[Run]
    level: Level

    @classmethod
    def read(cls, claim: Object) -> Composed:
        read_object(claim, "the claim", ["kind", "runs", "exp_eps" if "exp_eps" in claim else "eps", "delta"])
        runs = [Run.read(run) for run in read_list(claim["runs"], "runs", 1, MAX_PARTS)]
        return cls(runs, Level.read({**claim, "least": "none"}))

    @property
    def words(self) -> str:
        return f"{' and '.join(run.words for run in self.runs)}, composed adaptively: {self.level.words}"

    def read_lattice(self, witness: Object, key: str) -> tuple[Fraction, int, list[object]]:
        read_object(witness, "the witness", [*self.level.terms_keys, "ratio", "precision", key])
        rho = read_short(witness["ratio"], "ratio")
        if rho <= 1:
            malformed("the ratio of the lattice is not above 1")
        bits = read_integer(witness["precision"], "precision", MIN_PRECISION, MAX_PRECISION)
        return rho, bits, read_list(witness[key], key, len(self.runs), len(self.runs))

    def prove(self, witness: Object, work: Work) -> Facts:
        """*A privacy curve on a lattice composes*: each run's losses are at most those that its curve has."""
        rho, bits, listed = self.read_lattice(witness, "curves")
        facts, every = [CURVE], Losses(0, [1 << bits], 0)
        for run, entry in zip(self.runs, listed):
            found = read_object(entry, "a curve", ["deltas", "witness"])
            deltas = read_list(found["deltas"], "deltas", 1, MAX_LIST)
            curve = [read_integer(delta, "a delta", 0, 1 << bits) for delta in deltas]
            facts += run.check_curve(curve, rho, bits, any_object(found["witness"], "a witness"), work)
            times = partial(Losses.times, bits=bits, work=work)
            every = times(every, power(Losses.of_curve(curve, rho, bits, work), run.times, times))
        if min(Fraction(1), every.divergence(self.level.below(witness, work), rho, bits, work)) > self.level.delta:
            rejected(f"{NOT_SHOWN} delta = {show(self.level.delta)}")
        return [*facts, *self.level.facts]

    def refute(self, witness: Object, work: Work) -> Facts:
        """*Losses may be merged in an event*: some event that the lattice knows is too likely under P."""
        rho, bits, listed = self.read_lattice(witness, "pairs")
        facts, every = [MERGED], Merged(0, [1 << bits], [1 << bits], 0)
        for run, entry in zip(self.runs, listed):
            masses, more = run.masses(any_object(entry, "a pair"), bits, work)
            facts += more
            times = partial(Merged.times, bits=bits, work=work)
            every = times(every, power(Merged.of_masses(masses, rho, bits, work), run.times, times))
        ratio = self.level.above(witness, work)
        reached = largest = 0
        for p, q in zip(reversed(every.first), reversed(every.second)):
            reached += p * ratio.denominator - q * ratio.numerator
            largest = max(largest, reached)
        work.spend(len(every.first), bits, size(ratio))
        if Fraction(largest + every.infinite * ratio.denominator, ratio.denominator << bits) <= self.level.delta:
            rejected(f"the divergence of the witness is not shown to be above delta = {show(self.level.delta)}")
        return [*facts, *self.level.facts]


def powers_below(rho: Fraction) -> Iterator[int]:
    """Numbers of at least 2^LATTICE_BITS and at most 2^LATTICE_BITS rho^j, for j = 0, 1, ..."""
    power = 1 << LATTICE_BITS
    while True:
        yield power
        power = power * rho.numerator // rho.denominator


def power(base: Composable, exponent: int, times: Callable[[Composable, Composable], Composable]) -> Composable:
    half = power(base, exponent // 2, times) if exponent > 1 else base
    square = times(half, half) if exponent > 1 else base
    return times(square, base) if exponent > 1 and exponent % 2 else square


def trimmed(weights: list[int]) -> tuple[int, int]:
    """The places from the first to after the last weight of more than TRIM_BITS bits; one place at least."""
    first, last = 0, len(weights)
    while last > 1 and weights[last - 1] >> TRIM_BITS == 0:
        last -= 1
    while first < last - 1 and weights[first] >> TRIM_BITS == 0:
        first += 1
    return first, last


class Losses(NamedTuple):
    """Upper bounds, in units of 2^-bits, of the masses at the losses ln rho^j for j = low, low + 1, ..., and at
    infinity."""

    low: int
    masses: list[int]
    infinite: int

    @classmethod
    def of_curve(cls, curve: list[int], rho: Fraction, bits: int, work: Work) -> Losses:
        """The measure whose divergence is 1 at 0, curve[|j|] at rho^j or what symmetry makes of it, linear between."""
        a, b, d = rho.numerator, rho.denominator, [*curve, curve[-1]]
        work.spend(8 * len(d), bits, bits)
        bends = [b * (d[j + 1] - d[j]) - a * (d[j] - d[j - 1]) for j in range(1, len(curve))]
        zero = ((a - b) << bits) + 2 * b * d[1] - (a + b) * d[0]
        above = [-(-max(0, bend) // (a - b)) for bend in bends]
        inverse, below = 1 << bits, []
        for mass in above:
            inverse = -(-inverse * b // a)
            below.append(-(-mass * inverse >> bits))
        return cls(-len(above), [*reversed(below), -(-max(0, zero) // (a - b)), *above], curve[-1])

    def times(self, other: Losses, bits: int, work: Work) -> Losses:
        """The sum of two independent losses. Small ones are raised at either end: above, to infinity."""
        products = multiply_lists(self.masses, other.masses, work)
        infinite = self.infinite * (sum(other.masses) + other.infinite) + sum(self.masses) * other.infinite
        masses = [-(-product >> bits) for product in products]
        first, last = trimmed(masses)
        masses[first] += sum(masses[:first])
        low = self.low + other.low + first
        return Losses(low, masses[first:last], -(-infinite >> bits) + sum(masses[last:]))

    def divergence(self, ratio: Fraction, rho: Fraction, bits: int, work: Work) -> Fraction:
        """An upper bound of the sum of mass * max(0, 1 - ratio / rho^j), for ratio >= 1."""
        fine = bits + LATTICE_BITS
        bound, inverse, total = floor_shift(ratio, fine), 1 << fine, self.infinite << 2 * fine
        work.spend(4 * max(0, self.low + len(self.masses)), fine, max(fine, bound.bit_length()))
        for j in range(1, self.low + len(self.masses)):
            inverse = inverse * rho.denominator // rho.numerator
            excess = (1 << 2 * fine) - bound * inverse
            if j >= self.low and excess > 0 and (excess >> 2 * fine - MIN_PRECISION or not is_power(ratio, rho, j)):
                total += self.masses[j - self.low] * excess
        return Fraction(total, 1 << bits + 2 * fine)


def is_power(ratio: Fraction, rho: Fraction, j: int) -> bool:
    """Whether ratio = rho^j, for numbers that are not too long; those of as many bits are compared."""
    bits, length = ratio.numerator.bit_length(), rho.numerator.bit_length()
    return j * (length - 1) < bits <= min(MAX_BITS, j * length) and ratio == rho**j


class Merged(NamedTuple):
    """Lower bounds of P and upper bounds of Q, in units of 2^-bits, on disjoint events at places low, low + 1, ...;
    and a lower bound of P where Q = 0."""

    low: int
    first: list[int]
    second: list[int]
    infinite: int

    @classmethod
    def of_masses(cls, masses: list[Pair], rho: Fraction, bits: int, work: Work) -> Merged:
        """An outcome is put at the j for which p / q is just above rho^j; any place would do."""
        finite = [(p, q, (max(p, q) << LATTICE_BITS) // min(p, q)) for p, q in masses if q and p >> TRIM_BITS]
        most = min(1 << 2 * LATTICE_BITS, 2 * max((ratio for _, _, ratio in finite), default=0))
        powers = list(takewhile(lambda power: power <= most, islice(powers_below(rho), MAX_LIST)))
        work.spend(4 * len(powers), 4 * LATTICE_BITS, size(rho))
        work.spend(8 * len(masses), bits, bits)
        places: dict[int, list[int]] = {0: [0, 0]}
        for p, q, ratio in finite:
            j = bisect(powers, ratio + (ratio >> LATTICE_BITS // 2)) - 1  # a tie may have been rounded down
            entry = places.setdefault(j if p >= q else -j, [0, 0])
            entry[0] += p
            entry[1] += q
        every = range(min(places), max(places) + 1)
        first, second = ([places[j][i] if j in places else 0 for j in every] for i in (0, 1))
        return cls(every.start, first, second, sum(p for p, q in masses if q == 0))

    def times(self, other: Merged, bits: int, work: Work) -> Merged:
        """The outcomes of two independent runs; those of little mass are left out at either end."""
        first = [product >> bits for product in multiply_lists(self.first, other.first, work)]
        second = [-(-product >> bits) for product in multiply_lists(self.second, other.second, work)]
        start, end = trimmed(first)
        infinite = self.infinite + other.infinite - (-(-self.infinite * other.infinite >> bits))
        return Merged(self.low + other.low + start, first[start:end], second[start:end], infinite)


# --- tail, accuracy, equal_laws, additive_view and zero_estimate ----------------------------------------------------


def exact_or_enclosed(witness: Object, noise: Noise, keys: Sequence[str] = ()) -> Facts:
    """The facts behind probabilities of a law, for a witness with these keys, and ``bits`` or not."""
    read_object(witness, "the witness", [*keys, "bits"] if "bits" in witness else keys)
    return noise.enclosed_facts if "bits" in witness else []


class Tail(NamedTuple):
    """P[first <= Y <= last] is at most, or at least, a probability."""

    noise: Noise
    first: int | None
    last: int | None
    is_upper: bool
    bound: Fraction

    @classmethod
    def read(cls, claim: Object) -> Tail:
        read_object(claim, "the claim", ["kind", "law", "from", "to", "bound", "probability"])
        first = None if claim["from"] == "-infinity" else read_integer(claim["from"], "from")
        last = None if claim["to"] == "infinity" else read_integer(claim["to"], "to")
        is_upper = read_choice(claim["bound"], "bound", ["at most", "at least"]) == "at most"
        return cls(Noise.read(claim["law"]), first, last, is_upper, read_rational(claim["probability"], "it", 0, 1))

    @property
    def words(self) -> str:
        low = "" if self.first is None else f"{show(Fraction(self.first))} <= "
        high = "" if self.last is None else f" <= {show(Fraction(self.last))}"
        return f"Y = {self.noise.words}: P[{low}Y{high}] {'<=' if self.is_upper else '>='} {show(self.bound)}"

    def holds(self, t: int) -> bool:
        return (self.first is None or self.first <= t) and (self.last is None or t <= self.last)

    def prove(self, witness: Object, work: Work) -> Facts:
        facts = exact_or_enclosed(witness, self.noise)
        low, high = probability(self.noise, self.holds, witness, work)
        if high > self.bound if self.is_upper else low < self.bound:
            rejected(f"the probability is not shown to be on this side of {show(self.bound)}")
        return facts

    def refute(self, witness: Object, work: Work) -> Facts:
        facts = exact_or_enclosed(witness, self.noise)
        low, high = probability(self.noise, self.holds, witness, work)
        if low <= self.bound if self.is_upper else high >= self.bound:
            rejected(f"the probability is not shown to be beyond {show(self.bound)}")
        return facts


class NoisyCount(NamedTuple):
    """A count c from least to most, plus noise, estimated as weight (c + Y) + offset, errs above alpha rarely."""

    noise: Noise
    least: int
    most: int
    weight: Fraction
    offset: Fraction
    threshold: Fraction | None
    alpha: Fraction
    beta: Fraction

    @classmethod
    def read(cls, claim: Object) -> NoisyCount:
        keys = ["kind", "law", "least", "most", "weight", "offset", "zero_unless_above", "alpha", "beta"]
        read_object(claim, "the claim", keys)
        least = read_integer(claim["least"], "least", 0)
        weight = read_rational(claim["weight"], "weight", 0)
        if weight == 0:
            malformed("weight is 0")
        noise, most = Noise.read(claim["law"]), read_integer(claim["most"], "most", least)
        offset, threshold = read_rational(claim["offset"], "offset"), read_threshold(claim)
        alpha, beta = read_rational(claim["alpha"], "alpha", 0), read_rational(claim["beta"], "beta", 0, 1)
        return cls(noise, least, most, weight, offset, threshold, alpha, beta)

    @property
    def words(self) -> str:
        least, most = show(Fraction(self.least)), show(Fraction(self.most))
        counts = least if self.least == self.most else f"every c from {least} to {most}"
        unless = "" if self.threshold is None else f" (0 unless above {show(self.threshold)} before the offset)"
        estimate = f"{show(self.weight)} (c + Y) + {show(self.offset)}{unless}"
        error = f"P[|estimate - {show(self.weight)} c| > {show(self.alpha)}] <= {show(self.beta)}"
        return f"c = {counts}, Y = {self.noise.words}, estimate {estimate}: {error}"

    def check(self, witness: Object, work: Work) -> tuple[Fraction, Fraction, Facts]:
        """Bounds of the probability of an error at the worst count: *one count is worst*."""
        facts = exact_or_enclosed(witness, self.noise)
        worst = min(max(self.alpha // self.weight + 1, self.least), self.most)
        is_small = self.weight * worst <= self.alpha
        low = ceil((-self.alpha - self.offset) / self.weight)
        high = floor((self.alpha - self.offset) / self.weight)
        zero = None if self.threshold is None else self.threshold // self.weight - worst

        def is_wrong(y: int) -> bool:
            return not is_small if zero is not None and y <= zero else not low <= y <= high

        return (*probability(self.noise, is_wrong, witness, work), [ONE_COUNT, *facts])

    def prove(self, witness: Object, work: Work) -> Facts:
        _, high, facts = self.check(witness, work)
        if high > self.beta:
            rejected(f"the probability of an error is not shown to be at most beta = {show(self.beta)}")
        return facts

    def refute(self, witness: Object, work: Work) -> Facts:
        low, _, facts = self.check(witness, work)
        if low <= self.beta:
            rejected(f"the probability of an error is not shown to be above beta = {show(self.beta)}")
        return facts


def read_threshold(claim: Object) -> Fraction | None:
    value = claim["zero_unless_above"]
    return None if value == "none" else read_rational(value, "zero_unless_above")


class ViewAccuracy(NamedTuple):
    """An affine estimate from the shuffled view errs by more than alpha with a probability of at most beta."""

    randomizer: Randomizer
    n: int
    dataset: list[int] | None
    scale: int  # of the integers below, and of the sums of the weights
    rows: list[Packed]
    offset: int
    threshold: int | None
    values: list[int]
    alpha: int
    beta: Fraction
    estimate: str

    @classmethod
    def read(cls, claim: Object) -> ViewAccuracy:
        keys = ["kind", "randomizer", "n", "dataset", "weights", "offset", "zero_unless_above", "values"]
        read_object(claim, "the claim", [*keys, "alpha", "beta"])
        randomizer, n = Randomizer.read(claim["randomizer"]), read_integer(claim["n"], "n", 1, MAX_USERS)
        inputs = len(randomizer.rows)
        weights = [
            read_rational(w, "a weight")
            for w in read_list(claim["weights"], "weights", randomizer.messages, randomizer.messages)
        ]
        values = [read_rational(v, "a value") for v in read_list(claim["values"], "values", inputs, inputs)]
        offset, alpha = read_rational(claim["offset"], "offset"), read_rational(claim["alpha"], "alpha", 0)
        threshold = read_threshold(claim)
        limits = [] if threshold is None else [threshold]
        scale = common_denominator([*weights, *values, *limits, offset, alpha], "the analyzer")
        dataset = None if claim["dataset"] == "worst" else read_users(claim["dataset"], inputs, n)
        unless = "" if threshold is None else f" (0 unless above {show(threshold)} before the offset)"
        estimate = (
            f"estimate of the summed values [{', '.join(map(show, values))}] from the message weights "
            f"[{', '.join(map(show, weights))}] + {show(offset)}{unless}"
        )
        rows = sum_rows(randomizer, [int(w * scale) for w in weights])
        limit, beta = None if threshold is None else int(threshold * scale), read_rational(claim["beta"], "beta", 0, 1)
        scaled = int(offset * scale), limit, [int(v * scale) for v in values], int(alpha * scale)
        return cls(randomizer, n, dataset, scale, rows, *scaled, beta, estimate)

    @property
    def words(self) -> str:
        users = "every data set" if self.dataset is None else f"data set {show_vector(self.dataset)}"
        error = f"P[error > {show(Fraction(self.alpha, self.scale))}] <= {show(self.beta)}"
        return f"shuffled {self.randomizer.words}, n = {self.n}, {users}, {self.estimate}: {error}"

    def is_rare(self, users: Sequence[int], law: Packed, total: int, work: Work) -> bool:
        """Whether the error exceeds alpha with a probability of at most beta, for this data set and law of the sum."""
        work.spend(8 * len(users) + 4 * len(law), total.bit_length() + self.scale.bit_length())
        truth = sum(count * value for count, value in zip(users, self.values))
        wrong = 0
        for s, weight in law.items():
            estimate = 0 if self.threshold is not None and s <= self.threshold else s + self.offset
            wrong += weight if abs(estimate - truth) > self.alpha else 0
        return wrong * self.beta.denominator <= self.beta.numerator * total

    def is_rare_for(self, users: Sequence[int], work: Work) -> bool:
        law, total = sum_law(self.rows, users, self.randomizer, work)
        return self.is_rare(users, law, total, work)

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", [])
        if self.dataset is not None:
            if not self.is_rare_for(self.dataset, work):
                rejected("the probability of an error is above beta")
            return [THE_VIEW, EQUAL_ROWS]
        bits = self.n * self.randomizer.denominator.bit_length()
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the view have more than {MAX_TOTAL_BITS} bits")
        expect_sweep(self.rows, self.n, bits, work)
        total = int(self.randomizer.denominator**self.n)
        for users, law in bystander_laws(self.rows, self.n, bits, work):
            if not self.is_rare(users, law, total, work):
                rejected(f"the probability of an error is above beta for the data set {show_vector(users)}")
        return [THE_VIEW, EQUAL_ROWS]

    def refute(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["dataset"] if self.dataset is None else [])
        users = self.dataset
        if users is None:
            users = read_users(witness["dataset"], len(self.values), self.n)
        if self.is_rare_for(users, work):
            rejected("the probability of an error is at most beta for the data set of the witness")
        return [THE_VIEW, EQUAL_ROWS]


def read_users(value: object, inputs: int, n: int) -> list[int]:
    users = [read_integer(c, "dataset", 0, MAX_USERS) for c in read_list(value, "dataset", inputs, inputs)]
    if sum(users) != n:
        malformed(f"dataset has {sum(users)} users, not n = {n}")
    return users


def read_accuracy(claim: Object) -> Statement:
    return NoisyCount.read(claim) if "law" in claim else ViewAccuracy.read(claim)


class EqualLaws(NamedTuple):
    """The two laws are one."""

    first: Noise
    second: Noise
    are_written_alike: bool

    @classmethod
    def read(cls, claim: Object) -> EqualLaws:
        read_object(claim, "the claim", ["kind", "first", "second"])
        laws = [Noise.read(claim[key]) for key in ("first", "second")]
        return cls(laws[0], laws[1], canonical(claim["first"]) == canonical(claim["second"]))

    @property
    def words(self) -> str:
        return f"{self.first.words} and {self.second.words} are the same law"

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", [])
        first, second = self.first, self.second
        if self.are_written_alike:
            if first.sides is not None:
                first.sides(DOMAIN_BITS, work)  # shows that its parameters lie in their domains
            return []
        if first.is_linear and second.is_linear and first.ratio and second.ratio:
            if any(first.ratio(t) != second.ratio(t) for t in (0, 1)):
                rejected("the ratios of neighbouring weights differ")
            return [TWO_POINTS]
        one, other = first.listed(work), second.listed(work)
        work.spend(4 * (one.outcomes + other.outcomes), one.bits + other.bits, max(one.bits, other.bits))
        streams = [(entry for entry in law.stream() if entry[1]) for law in (one, other)]
        for (t, weight), (u, moved) in zip_longest(*streams, fillvalue=(None, 0)):
            if t != u or weight * other.total != moved * one.total:
                rejected("the probabilities of an outcome differ")
        return []

    def refute(self, witness: Object, work: Work) -> Facts:
        keys = ["outcome", "bits"] if "bits" in witness else ["outcome"]
        read_object(witness, "the witness", keys)
        outcome = read_integer(witness["outcome"], "outcome")
        bounds: list[tuple[Fraction, Fraction]] = []
        facts: Facts = []
        for noise in (self.first, self.second):
            is_enclosed = "bits" in witness and noise.sides is not None
            bounds.append(probability(noise, lambda t: t == outcome, witness if is_enclosed else {}, work))
            facts += noise.enclosed_facts if is_enclosed else []
        if bounds[0][0] <= bounds[1][1] and bounds[1][0] <= bounds[0][1]:
            rejected("the probabilities of the outcome are not shown to differ")
        return facts


class AdditiveView(NamedTuple):
    """The view is the sum of the users' shifts plus one independent copy of the base law per user."""

    randomizer: Randomizer
    base: Table
    shifts: list[int]

    @classmethod
    def read(cls, claim: Object) -> AdditiveView:
        read_object(claim, "the claim", ["kind", "randomizer", "base", "shifts"])
        randomizer = Randomizer.read(claim["randomizer"])
        if randomizer.messages != 1:
            malformed("the randomizer of an additive view has one message type")
        inputs = len(randomizer.rows)
        shifts = [read_integer(s, "a shift", 0) for s in read_list(claim["shifts"], "shifts", inputs, inputs)]
        return cls(randomizer, Table.read(claim["base"], "the base"), shifts)

    @property
    def words(self) -> str:
        law = f"the sum of the shifts {show_vector(self.shifts)} plus n independent copies of {self.base.words}"
        return f"shuffled {self.randomizer.words}, every n >= 1, every data set: the view is {law}"

    def is_shifted(self, x: int) -> bool:
        """Whether row x is the base, moved by its shift: the weights agree when the two denominators are crossed."""
        row, total = self.randomizer.rows[x], self.base.total
        return len(row) == self.base.outcomes and all(
            row.get((k + self.shifts[x],), 0) * total == w * self.randomizer.denominator for k, w in self.base.stream()
        )

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


# --- inequality, box_inequality, conjunction and not ----------------------------------------------------------------


def read_names(value: object, most: int) -> list[str]:
    names = [read_text(name, "a variable") for name in read_list(value, "variables", 0, most)]
    if len(set(names)) < len(names) or not all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", name) for name in names):
        malformed("the variables are not distinct names of at most 32 letters, digits and _")
    return names


def read_polynomial(value: object, where: str, variables: int) -> Polynomial:
    polynomial: Polynomial = {}
    for entry in read_list(value, where, 0, MAX_LIST):
        coefficient, powers = read_list(entry, f"a term of {where}", 2, 2)
        listed = read_list(powers, f"the exponents of {where}", variables, variables)
        exponents = tuple(read_integer(e, f"an exponent of {where}", 0, MAX_DEGREE) for e in listed)
        if exponents in polynomial:
            malformed(f"{where} has the same exponents twice")
        polynomial[exponents] = read_short(coefficient, f"a coefficient of {where}")
        if polynomial[exponents] == 0:
            malformed(f"a coefficient of {where} is 0")
    return polynomial


def show_polynomial(polynomial: Polynomial, names: Sequence[str]) -> str:
    terms: list[str] = []
    for exponents, coefficient in polynomial.items():
        factors = [f"{name}^{e}" if e > 1 else name for name, e in zip(names, exponents) if e]
        terms.append("*".join([show(coefficient), *factors]))
    return (" + ".join(terms[:12]) + (f" + ... ({len(terms)} terms)" if len(terms) > 12 else "")) or "0"


def evaluate(polynomial: Polynomial, point: Sequence[Fraction], work: Work) -> Fraction:
    bits = MAX_DEGREE * sum(map(size, point)) + max([0, *map(size, polynomial.values())])
    work.spend(16 * len(polynomial) * len(point), bits, bits)
    value = Fraction(0)
    for exponents, coefficient in polynomial.items():
        for coordinate, power in zip(point, exponents):
            coefficient *= coordinate**power
        value += coefficient
        work.spend(16, size(value), size(value))
    return value


class Condition(NamedTuple):
    """A polynomial that is at least 0, or above 0 where strict."""

    polynomial: Polynomial
    strict: bool

    @classmethod
    def read(cls, value: object, where: str, variables: int) -> Condition:
        found = read_object(value, where, ["polynomial", "strict"])
        polynomial = read_polynomial(found["polynomial"], where, variables)
        return cls(polynomial, read_choice(found["strict"], f"strict of {where}", ["yes", "no"]) == "yes")

    def words(self, names: Sequence[str]) -> str:
        return f"{show_polynomial(self.polynomial, names)} {'>' if self.strict else '>='} 0"

    def holds_at(self, point: Sequence[Fraction], work: Work) -> bool:
        value = evaluate(self.polynomial, point, work)
        return value > 0 or (value == 0 and not self.strict)


def multiply(first: Polynomial, second: Polynomial, work: Work) -> Polynomial:
    bits = max([0, *map(size, first.values())]) + max([0, *map(size, second.values())])
    work.spend(16 * (1 + len(first) * len(second)), bits, bits)
    product: Polynomial = {}
    for e, a in first.items():
        add(product, {tuple(map(plus, e, f)): a * b for f, b in second.items()}, work)
    return product


def add(total: Polynomial, term: Polynomial, work: Work) -> None:
    """Add to a polynomial; sums of unlike fractions grow long, and are paid for as they do."""
    for exponents, coefficient in term.items():
        if exponents in total:
            coefficient += total[exponents]
            work.spend(4, size(coefficient), size(coefficient))
        total[exponents] = coefficient
    hold(len(total), 2048 + 2 * max([0, *map(size, term.values())]))


class Inequality(NamedTuple):
    """For all real values: if every hypothesis holds, so does the conclusion."""

    variables: list[str]
    hypotheses: list[Condition]
    conclusion: Condition

    @classmethod
    def read(cls, claim: Object) -> Inequality:
        read_object(claim, "the claim", ["kind", "variables", "hypotheses", "conclusion"])
        names = read_names(claim["variables"], MAX_VARIABLES)
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
            add(rest, {exponents: -coefficient for exponents, coefficient in product.items()}, work)
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


class End(NamedTuple):
    """An end of an interval."""

    value: Fraction
    is_closed: bool


Box = list[tuple[End, End]]


class BoxInequality(NamedTuple):
    """On the whole box, the sum of polynomial * e^exponent is >= 0, or > 0 where strict."""

    variables: list[str]
    box: Box
    terms: list[tuple[Polynomial, Polynomial]]
    is_strict: bool

    @classmethod
    def read(cls, claim: Object) -> BoxInequality:
        read_object(claim, "the claim", ["kind", "variables", "box", "terms", "strict"])
        names = read_names(claim["variables"], MAX_BOX_VARIABLES)
        box = [cls.read_interval(entry) for entry in read_list(claim["box"], "box", len(names), len(names))]
        terms: list[tuple[Polynomial, Polynomial]] = []
        for entry in read_list(claim["terms"], "terms", 0, MAX_LIST):
            found = read_object(entry, "a term", ["polynomial", "exponent"])
            polynomial = read_polynomial(found["polynomial"], "a polynomial", len(names))
            terms.append((polynomial, read_polynomial(found["exponent"], "an exponent", len(names))))
        return cls(names, box, terms, read_choice(claim["strict"], "strict", ["yes", "no"]) == "yes")

    @staticmethod
    def read_interval(value: object) -> tuple[End, End]:
        found = read_object(value, "an interval of the box", ["low", "low_end", "high", "high_end"])
        low, high = (
            End(read_short(found[key], key), read_choice(found[f"{key}_end"], f"{key}_end", ENDS) == "closed")
            for key in ("low", "high")
        )
        if low.value >= high.value:
            malformed("an interval of the box is empty")
        return low, high

    @property
    def words(self) -> str:
        intervals = [
            f"{name} in {'[' if low.is_closed else '('}{show(low.value)}, {show(high.value)}"
            f"{']' if high.is_closed else ')'}"
            for name, (low, high) in zip(self.variables, self.box)
        ]
        terms = [show_polynomial(polynomial, self.variables) for polynomial, _ in self.terms]
        powers = [show_polynomial(exponent, self.variables) if exponent else "" for _, exponent in self.terms]
        shown = " + ".join(f"({term}) e^({power})" if power else f"({term})" for term, power in zip(terms, powers))
        return f"for all {', '.join(intervals)}: {shown or '0'} {'>' if self.is_strict else '>='} 0"

    def prove(self, witness: Object, work: Work) -> Facts:
        self.check(witness, self.box, work)
        return [BERNSTEIN, ON_CUBE, SERIES]

    def check(self, tree: Object, box: Box, work: Work) -> None:
        if "variable" not in tree:
            self.check_leaf(tree, box, work)
            return
        read_object(tree, "a cut", ["variable", "at", "low", "high"])
        i = read_integer(tree["variable"], "variable", 0, len(box) - 1)
        at, (low, high) = read_short(tree["at"], "at"), box[i]
        if not low.value < at < high.value:
            rejected("a cut lies outside its box")
        for key, part in (("low", (low, End(at, True))), ("high", (End(at, True), high))):
            self.check(any_object(tree[key], "a part of the tree"), [*box[:i], part, *box[i + 1 :]], work)

    def check_leaf(self, leaf: Object, box: Box, work: Work) -> None:
        """x = corner + width t on the unit cube; the sum is bounded below by a polynomial in t."""
        read_object(leaf, "a leaf", ["corner", "taylor", "bits"])
        corners = [
            read_choice(c, "a corner", ["low", "high"]) for c in read_list(leaf["corner"], "corner", len(box), len(box))
        ]
        order = read_integer(leaf["taylor"], "taylor", 2, MAX_BOX_TERMS)
        bits = read_integer(leaf["bits"], "bits", MIN_PRECISION, MAX_BOX_PRECISION)
        if order % 2:
            malformed("taylor is odd")
        oriented = [ends if corner == "low" else (ends[1], ends[0]) for corner, ends in zip(corners, box)]
        unit = [tuple(int(i == j) for j in range(len(box))) for i in range(len(box))]
        zero = (0,) * len(box)
        lines = [{zero: first.value, unit[i]: last.value - first.value} for i, (first, last) in enumerate(oriented)]
        below: Polynomial = {}
        for polynomial, exponent in self.terms:
            shape, power = compose(polynomial, lines, work), compose(exponent, lines, work)
            lower, upper = exponential_bounds(power, order, bits, zero, work)
            for is_positive, bound in ((True, lower), (False, upper)):
                part = {e: c for e, c in shape.items() if (c > 0) == is_positive}
                add(below, multiply(part, bound, work), work)
        closed = [(first.is_closed, last.is_closed) for first, last in oriented]
        check_bernstein(below, closed, self.is_strict, work)

    def refute(self, witness: Object, work: Work) -> Facts:
        """A point of the box where an upper bound of the sum is negative, or not positive."""
        read_object(witness, "the witness", ["point", "bits"])
        bits = read_integer(witness["bits"], "bits", MIN_PRECISION, MAX_BOX_PRECISION)
        listed = read_list(witness["point"], "point", len(self.box), len(self.box))
        point = [read_short(value, "a coordinate of the point") for value in listed]
        for x, (low, high) in zip(point, self.box):
            if not low.value <= x <= high.value or x in [end.value for end in (low, high) if not end.is_closed]:
                rejected("the point of the witness lies outside the box")
        above = Fraction(0)
        for polynomial, exponent in self.terms:
            factor, power = (evaluate(each, point, work) for each in (polynomial, exponent))
            above += factor * exp_fractions(power, bits, work)[factor > 0]
        if above > 0 or (above == 0 and not self.is_strict):
            rejected("the inequality is not shown to fail at the point of the witness")
        return [SERIES]


def exponential_bounds(
    power: Polynomial, order: int, bits: int, zero: Vector, work: Work
) -> tuple[Polynomial, Polynomial]:
    """Polynomials around e^power on the unit cube: *Taylor sums bound e^u on a cube*."""
    rest = {e: c for e, c in power.items() if e != zero and c}
    low, high = exp_fractions(power.get(zero, Fraction(0)), bits, work)
    largest = sum((c for c in rest.values() if c > 0), Fraction(0))
    term: Polynomial = {zero: Fraction(1)}
    total: Polynomial = {}
    for k in range(1, order + 1):
        add(total, term, work)
        term = multiply(term, {e: c / k for e, c in rest.items()}, work)
    upper = dict(total)
    add(upper, multiply(term, {zero: exp_fractions(largest, bits, work)[1]}, work), work)
    return multiply(total, {zero: low}, work), multiply(upper, {zero: high}, work)


def exp_fractions(x: Fraction, bits: int, work: Work) -> tuple[Fraction, Fraction]:
    """Rationals around e^x; 1 exactly for x = 0."""
    if x == 0:
        return Fraction(1), Fraction(1)
    low, high = exponential(x).enclose(bits, work)
    return Fraction(low, 1 << bits), Fraction(high, 1 << bits)


def compose(polynomial: Polynomial, lines: list[Polynomial], work: Work) -> Polynomial:
    """The polynomial with a polynomial in place of each variable."""
    zero = (0,) * len(lines)
    found: Polynomial = {}
    for exponents, coefficient in polynomial.items():
        term: Polynomial = {zero: coefficient}
        for line, exponent in zip(lines, exponents):
            for _ in range(exponent):
                term = multiply(term, line, work)
        add(found, term, work)
    return {e: c for e, c in found.items() if c}


def check_bernstein(polynomial: Polynomial, closed: list[tuple[bool, bool]], is_strict: bool, work: Work) -> None:
    """*A Bernstein form shows the sign on a cube.*"""
    degrees = [max([0, *(e[i] for e in polynomial)]) for i in range(len(closed))]
    size_of_form = prod(d + 1 for d in degrees)
    if size_of_form > MAX_BERNSTEIN:
        malformed(f"a Bernstein form of more than {MAX_BERNSTEIN} coefficients")
    sizes = [0, *map(size, polynomial.values())]
    work.spend(4 * len(sizes), min(MAX_BITS, sum(sizes)), max(sizes))
    scale = common_denominator(polynomial.values(), "a Bernstein form")
    form = dict.fromkeys(product(*(range(d + 1) for d in degrees)), 0)
    form.update((e, c.numerator * (scale // c.denominator)) for e, c in polynomial.items())
    bits = max(sizes) + scale.bit_length()
    for i, d in enumerate(degrees):
        bits += 3 * d  # enough for the sums of d + 1 products of a number, comb(j, k) and these factors
        hold(size_of_form, bits)
        work.spend(8 * size_of_form * (d + 1), bits, 64 + d)
        factors = [lcm(*(comb(d, k) for k in range(d + 1))) // comb(d, k) for k in range(d + 1)]
        form = {
            e: sum(comb(e[i], k) * factors[k] * form[(*e[:i], k, *e[i + 1 :])] for k in range(e[i] + 1)) for e in form
        }
    if min(form.values()) < 0:
        rejected("a Bernstein coefficient is negative on a leaf")
    ends = [[[j] for j, is_end in zip((0, d), pair) if is_end] for d, pair in zip(degrees, closed)]
    anywhere = [[list(range(d + 1))] for d in degrees]
    for face in product(*(each or free for each, free in zip(ends, anywhere))) if is_strict else ():
        if not any(c > 0 for e, c in form.items() if all(j in allowed for j, allowed in zip(e, face))):
            rejected("no Bernstein coefficient is positive on a face of a leaf")


class Conjunction(NamedTuple):
    """All of the claims."""

    parts: list[Statement]
    assumed: Facts

    @classmethod
    def read(cls, claim: Object) -> Conjunction:
        names = list(ASSUMED)
        read_object(claim, "the claim", ["kind", "claims", *(["assuming"] if "assuming" in claim else [])])
        listed = read_list(claim["assuming"], "assuming", 1, len(names)) if "assuming" in claim else []
        places = [names.index(read_choice(name, "assuming", names)) for name in listed]
        if places != sorted(set(places)):
            malformed("assuming names a fact twice, or out of order")
        parts = [read_claim(part) for part in read_list(claim["claims"], "claims", 1, MAX_PARTS)]
        return cls(parts, [f"assumed: {ASSUMED[names[i]]}" for i in places])

    @property
    def words(self) -> str:
        return " AND ".join(f"({part.words})" for part in self.parts)

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["parts"])
        listed = read_list(witness["parts"], "parts", len(self.parts), len(self.parts))
        facts = list(self.assumed)
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
    "shift_dp": ShiftPrivacy.read,
    "composed": Composed.read,
    "smooth": Smooth.read,
    "tail": Tail.read,
    "accuracy": read_accuracy,
    "equal_laws": EqualLaws.read,
    "additive_view": AdditiveView.read,
    "zero_estimate": ZeroEstimate.read,
    "inequality": Inequality.read,
    "box_inequality": BoxInequality.read,
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
    if read_choice(document["schema"], "schema", SCHEMAS) != SCHEMA and not is_first_schema(document):
        malformed(f"a document of the schema {SCHEMAS[0]} says what only {SCHEMA} can say")
    verdict = read_choice(document["verdict"], "verdict", ["PROVED", "REFUTED"])
    statement = read_claim(document["claim"])
    witness = any_object(document["witness"], "the witness")
    claim_id = sha256(document["claim"])
    if read_text(document["claim_id"], "claim_id") != claim_id:
        rejected("claim_id is not the sha256 of the claim")
    facts = (statement.prove if verdict == "PROVED" else statement.refute)(witness, Work())
    return Result(verdict, claim_id, statement.words, tuple(dict.fromkeys(facts)))


def read_file(path: str) -> str:
    """The text of a file, if it is one that ends, of which no more than the limit is read."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            malformed("not a regular file")
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
    except MemoryError:
        return 2, f"MALFORMED {path!a}: the check is too large: beyond the memory there is"
    facts = "; ".join(result.facts) or "arithmetic alone"
    return 0, f"{result.verdict} {result.claim_id[:12]} {result.words} [rests on: {facts}]"


def main(paths: Sequence[str], begin: Callable[[], object] = tuple) -> int:
    """Answer in one line for each file, after a call of ``begin``."""
    if not paths:
        print("usage: python verify.py FILE...", file=sys.stderr)
        return 2
    worst = 0
    for path in paths:
        begin()
        status, line = report(path)
        worst = max(worst, status)
        try:
            print(line, flush=True)
        except OSError as error:  # nobody reads on, or there is no room to write
            print(f"the answer cannot be written: {error.strerror}", file=sys.stderr)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 2
    return worst


def limit_the_process() -> Callable[[], object]:
    """Give this process MAX_MEMORY, and each file MAX_SECONDS from a call of what is returned: below the prices."""
    if os.name != "posix":
        return tuple
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY if most < 0 else min(MAX_MEMORY, most), most))
    signal.signal(signal.SIGPROF, lambda *_: malformed(f"the check is too large: beyond {MAX_SECONDS} s"))
    return partial(signal.setitimer, signal.ITIMER_PROF, MAX_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], limit_the_process()))
