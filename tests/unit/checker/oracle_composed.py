"""The oracle's share of adaptive composition: the exact optimum over all adaptive strategies, where that is small.

With V_0(E) = max(0, 1 - E), what can be reached with one run more is the largest, over the pairs (p, q) of this run, of
the sum of p(y) V(E q(y) / p(y)): after the answer y, the rest is played for this e^eps. No lattice, no curve. Where
that is too long, or a law is not rational, strategies that always ask the same pair bound it from below: their losses
are put on a fine lattice, in floating point: any place gives an event, and the margin is a hundred times what a
million runs lose in twenty squarings.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, islice, pairwise, product
from math import comb, exp, lgamma, log
from typing import Any, NamedTuple

import numpy as np

from tests.unit.checker.oracle_ends import is_short, table, told_cells, told_ones
from tests.unit.checker.oracle_laws import TooLongError, compared, exp_eps_bounds, noise
from tests.unit.checker.oracle_views import Law, number, pairs, whole

LONGEST = 10**6  # runs, as many as the format allows
LONGEST_GAME = 50
MOST_INPUTS = 12  # of unary encoding that is listed
OFTEN = 200  # from so many runs on, few strategies are tried
MOST_STATES = 4000
MOST_VIEWS = 50_000
STRATEGIES, FEW_STRATEGIES = 64, 4
LATTICE, REACH = 1 / 2000, 12.0
MARGIN = 1e-9

Pair = tuple[tuple[Any, Any], ...]  # the probabilities (p, q) of the outcomes


class Part(NamedTuple):
    """One run of the list, without its pairs of equal laws."""

    pairs: tuple[Pair, ...]
    times: int
    exact: bool


class Skipped(NamedTuple):
    """How many claims were answered by the lower bound alone, or not at all."""

    counts: dict[str, int]

    def add(self, reason: str) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + 1


SKIPPED = Skipped({})


def merged(outcomes: list[tuple[Any, Any]], exact: bool) -> Pair:
    """Outcomes of one ratio are one; those that neither law has are none."""
    if not exact:
        return tuple((float(p), float(q)) for p, q in outcomes if p or q)
    found: dict[Any, tuple[Fraction, Fraction]] = {}
    for p, q in outcomes:
        if p or q:
            key = p / q if q else None
            old = found.get(key, (Fraction(0), Fraction(0)))
            found[key] = (old[0] + p, old[1] + q)
    return tuple(sorted(found.values()))


def part(run: Any) -> Part:
    if "law" in run:
        law = noise(run["law"])
        moves = [sign * j for j in range(1, whole(run["shift"]) + 1) for sign in (1, -1)]
        listed = [[(p, q) for _, p, q in compared(law, j)] for j in moves]
        exact = law.exact
    else:
        claimed, n = run["randomizer"], whole(run["n"])
        found, is_all = listed_or_told(claimed)
        exact = is_all and n <= LONGEST_GAME and (run["neighbors"] != "replace-one" or is_short(found, n))
        if exact:
            views = pairs(found, n, run["neighbors"])
            listed = [[(p.get(y, Fraction(0)), q.get(y, Fraction(0))) for y in p.keys() | q.keys()] for p, q in views]
        else:
            listed = list(homogeneous(found, n))
    every = [merged(outcomes, exact) for outcomes in listed]
    different = dict.fromkeys(pair for pair in every if any(p != q for p, q in pair))
    return Part(tuple(different), whole(run["times"]), exact)


def listed_or_told(claimed: Any) -> tuple[list[Law], bool]:
    """The rows of a randomizer, or a function of what two of its inputs send; and whether they are all of them."""
    if claimed.get("family") == "laplace":
        return told_cells(number(claimed["exp_eps0"])), False
    encoding = claimed["of"] if claimed.get("dummy") == "uniform" else {}
    if encoding.get("family") == "unary-encoding" and whole(encoding["inputs"]) > MOST_INPUTS:
        return told_ones(claimed), False
    return table(claimed), True


def homogeneous(found: list[Law], n: int) -> Iterator[list[tuple[float, float]]]:
    """The views of many users who send one message each and of whom all but one hold the same input: by how many sent
    messages of each of the few likelihood ratios there are."""
    messages = sorted({sent for row in found for sent in row})
    if any(len(sent) != 1 for sent in messages):
        raise TooLongError
    for x, y, held in product(range(len(found)), repeat=3):
        classes: dict[Any, list[float]] = {}
        for sent in messages:
            p, q, r = (found[user].get(sent, Fraction(0)) for user in (x, y, held))
            if r == 0 and (p or q):
                raise TooLongError
            if r:
                total = classes.setdefault((p / r, q / r), [float(p / r), float(q / r), 0.0])
                total[2] += float(r)
        if comb(n + len(classes) - 1, n) > MOST_VIEWS:
            raise TooLongError
        if x != y:
            yield [(p, q) for p, q in counted(list(classes.values()), n)]


def counted(classes: list[list[float]], n: int) -> Iterator[tuple[float, float]]:
    for ends in combinations(range(n + len(classes) - 1), len(classes) - 1):
        places = [-1, *ends, n + len(classes) - 1]
        counts = [b - a - 1 for a, b in pairwise(places)]
        weight = lgamma(n + 1) + sum(k * log(r) - lgamma(k + 1) for k, (_, _, r) in zip(counts, classes, strict=True))
        shares = [sum(k * ends[i] for k, ends in zip(counts, classes, strict=True)) / n for i in (0, 1)]
        yield exp(weight) * shares[0], exp(weight) * shares[1]


# --- Exactly ---------------------------------------------------------------------------------------------------------


class Game:
    """The value of the game in which the runs that are left are played for e^eps = E."""

    def __init__(self, parts: list[Part]) -> None:
        self.runs = [found.pairs for found in parts for _ in range(found.times)]
        if len(self.runs) > LONGEST_GAME:
            raise TooLongError
        self.known: dict[tuple[int, Fraction], Fraction] = {}

    def value(self, exp_eps: Fraction, played: int = 0) -> Fraction:
        if exp_eps == 0:
            return Fraction(1)
        if played == len(self.runs):
            return max(Fraction(0), 1 - exp_eps)
        key = (played, exp_eps)
        if key not in self.known:
            if len(self.known) > MOST_STATES:
                raise TooLongError
            self.known[key] = max(
                sum((p * self.value(exp_eps * q / p, played + 1) for p, q in pair if p), Fraction(0))
                for pair in self.runs[played]
            )
        return self.known[key]


# --- From below ------------------------------------------------------------------------------------------------------


class Losses(NamedTuple):
    """P and Q by the place of the loss, and the rest of P, where Q = 0."""

    low: int
    first: Any
    second: Any
    infinite: float


def placed(pair: Pair) -> Losses:
    end = int(REACH / LATTICE)
    first, second, infinite = np.zeros(2 * end + 1), np.zeros(2 * end + 1), 0.0
    for p, q in pair:
        if not q:
            infinite += float(p)
        elif p:
            place = max(-end, min(end, round(log(p / q) / LATTICE)))
            first[place + end] += float(p)
            second[place + end] += float(q)
    return trimmed(Losses(-end, first, second, infinite))


def trimmed(losses: Losses) -> Losses:
    """Without the ends where P has next to nothing: these outcomes are left out of the event."""
    kept = np.nonzero(losses.first > 1e-14)[0]
    if not len(kept):
        return Losses(0, np.zeros(1), np.zeros(1), losses.infinite)
    part = slice(kept[0], kept[-1] + 1)
    return Losses(losses.low + int(kept[0]), losses.first[part], losses.second[part], losses.infinite)


def both(one: Losses, other: Losses) -> Losses:
    length = len(one.first) + len(other.first) - 1
    if length > 2**22:
        raise TooLongError
    size = 1 << length.bit_length()
    first, second = (
        np.maximum(0, np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[:length])
        for a, b in ((one.first, other.first), (one.second, other.second))
    )
    infinite = one.infinite + other.infinite - one.infinite * other.infinite
    return trimmed(Losses(one.low + other.low, first, second, infinite))


def repeated(losses: Losses, times: int) -> Losses:
    found = losses
    for digit in bin(times)[3:]:
        found = both(found, found)
        found = both(found, losses) if digit == "1" else found
    return found


def lower_bound(parts: list[Part], exp_eps: Fraction) -> float:
    """The best of some strategies, each of which asks one pair of each run every time."""
    best = max(0.0, 1 - float(exp_eps))
    often = sum(found.times for found in parts) > OFTEN
    for choice in islice(strategies(parts, exp_eps), FEW_STRATEGIES if often else STRATEGIES):
        every = Losses(0, np.ones(1), np.ones(1), 0.0)
        for pair, found in zip(choice, parts, strict=True):
            every = both(every, repeated(placed(pair), found.times))
        excess = np.cumsum((every.first - float(exp_eps) * every.second)[::-1])
        best = max(best, every.infinite + max(0.0, float(excess.max())))
    return best - MARGIN * (1 + float(exp_eps))


def strategies(parts: list[Part], exp_eps: Fraction) -> Iterator[tuple[Pair, ...]]:
    """Those whose pairs alone do well first."""

    def alone(pair: Pair) -> float:
        return -sum(max(0.0, float(p) - float(q) * min(2.0, float(exp_eps))) for p, q in pair)

    yield from product(*(sorted(found.pairs, key=alone) for found in parts))


def composed(claim: Any) -> bool | None:
    delta = number(claim["delta"])
    parts = [found for found in map(part, claim["runs"]) if found.pairs]
    low, high = exp_eps_bounds(claim)
    if delta >= 1 or not parts:
        return True
    if sum(found.times for found in parts) > LONGEST:
        SKIPPED.add("too many runs")
        raise TooLongError
    if all(found.exact for found in parts):
        try:
            game = Game(parts)
            return True if game.value(low) <= delta else False if game.value(high) > delta else None
        except TooLongError:
            pass
    SKIPPED.add("from below only")
    return False if lower_bound(parts, high) > delta else None
