"""Laws that are enclosed: integers around their weights, walked outward from the start by the ratios of neighbours.

Trusted for: each weight lies between its two bounds, and ``rest`` bounds the sum of those that were not reached.

It rests on these facts, with their theorems of the Coq kernel:

- fixed-point weights with directed rounding: fixed_point_weights.walked_enclose, fixed_point_weights.shares_bound
- a falling ratio leaves a geometric remainder: geometric_tail.geometric_tail_of_bounds
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact
from itertools import count, islice
from math import isqrt
from typing import NamedTuple

from .budget import Work, malformed, rejected
from .limits import MAX_DIGITS, MAX_PRODUCT_BITS, MAX_SLOT_BITS, MAX_TERMS_ADDED
from .reals import Bounds, Ratio, inverse

EXACTLY = Context(MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[Inexact])
"""Decimals of any length, of which no digit is lost."""


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


def walked(ratios: Ratios, bits: int, work: Work) -> Sides:
    """*Fixed-point weights with directed rounding*, from 2^bits at the start."""
    start, up, down, later = ratios

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
            work.expect(4 * steps_of_a_slow_fall(step, low, bits), bits)
        if high >> 2 * bits:
            rejected(f"{bits} bits do not show that the weights fall")
        if low == 0 and b < whole:
            return max(-(-high * x // (y - x)) for x, y in ((b, whole), later[1:]))
        low, high = low * a // whole, -(-high * b // whole)
        yield low, high
    return 0


def steps_of_a_slow_fall(step: int, weight: int, bits: int) -> int:
    """How far a walk is to go that has come to this weight, if it falls as the weights of a Gaussian law do: its bits
    grow with the square of the steps. 0 where half of the weight at the start is lost."""
    halves = 2 * weight >> bits
    lost = max(1, abs((1 << bits) - weight))
    return step * isqrt(halves * (bits << bits) // lost)


def multiply_lists(first: list[int], second: list[int], work: Work) -> list[int]:
    """The product of two polynomials with coefficients >= 0, as one exact product of long decimals."""
    return multiply_each(first, [second], work)[0]


def multiply_each(first: list[int], seconds: list[list[int]], work: Work) -> list[list[int]]:
    """The products of a polynomial with others, likewise; it is converted once.

    A slot is as wide as the largest coefficient of one polynomial times the sum of the other one.
    """
    for second in seconds:
        length = len(first) + len(second) - 1
        bits = max(first).bit_length() + max(second).bit_length() + length.bit_length()
        if bits > MAX_SLOT_BITS or bits * length > MAX_PRODUCT_BITS:
            malformed(f"the check is too large: a product beyond {MAX_SLOT_BITS} or, in all, {MAX_PRODUCT_BITS} bits")
        work.spend(length, 64 * bits, 512)
    slot = max(min(max(first) * sum(second), sum(first) * max(second)) for second in seconds)
    width = slot.bit_length() * 30103 // 100_000 + 1
    x = packed(first, width)
    found: list[list[int]] = []
    for second in seconds:
        product = EXACTLY.multiply(x, x if second is first else packed(second, width))
        places = width * (len(first) + len(second) - 1)
        shown = str(product).rjust(places, "0")
        read = int if width <= MAX_DIGITS else from_decimal
        found.append([read(shown[i - width : i]) for i in range(places, 0, -width)])
    return found


def packed(entries: list[int], width: int) -> Decimal:
    """A polynomial at 10^width."""
    if width <= MAX_DIGITS:
        return Decimal((f"%0{width}d" * len(entries)) % tuple(reversed(entries)))
    return Decimal("".join(to_decimal(entry, width) for entry in reversed(entries)))


def multiplied(first: list[int], second: list[int], work: Work) -> list[int]:
    """The product of two polynomials, term by term where one of the two has few of them."""
    short, long = sorted((first, second), key=len)
    if has_many_terms(short):
        return multiply_lists(first, second, work)
    terms = [(place, factor) for place, factor in enumerate(short) if factor]
    bits = max(first).bit_length() + max(second).bit_length()
    work.spend((1 + len(terms)) * len(long), bits, max(short).bit_length())
    work.hold(len(first) + len(second), bits)
    sums = [0] * (len(first) + len(second) - 1)
    for place, factor in terms:
        sums[place : place + len(long)] = map(int.__add__, sums[place : place + len(long)], map(factor.__mul__, long))
    return sums


def products(first: list[int], seconds: list[list[int]], work: Work) -> list[list[int]]:
    """The products of a polynomial with others, each of them that."""
    if all(has_many_terms(min(first, second, key=len)) for second in seconds):
        return multiply_each(first, seconds, work)
    return [multiplied(first, second, work) for second in seconds]


def has_many_terms(entries: list[int]) -> bool:
    return len(entries) - entries.count(0) > MAX_TERMS_ADDED


def to_decimal(value: int, width: int) -> str:
    """A number of at most ``width`` digits, in pieces that are not too long to be converted."""
    if width <= MAX_DIGITS:
        return f"{value:0{width}d}"
    high, low = divmod(value, 10**MAX_DIGITS)
    return to_decimal(high, width - MAX_DIGITS) + to_decimal(low, MAX_DIGITS)


def from_decimal(shown: str) -> int:
    if len(shown) <= MAX_DIGITS:
        return int(shown)
    return from_decimal(shown[:-MAX_DIGITS]) * int(10**MAX_DIGITS) + int(shown[-MAX_DIGITS:])


def enclosed_weights(sides: Sides) -> Iterator[tuple[int | None, Bounds]]:
    """Every outcome with its weight, enclosed; None stands for those that were not reached."""
    yield from enumerate(sides.above, sides.start)
    yield from ((sides.start - 1 - i, weight) for i, weight in enumerate(sides.below))
    yield None, (0, sides.above.rest + sides.below.rest)


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
