"""Tests of the view: what a node of the tree is made of, laws of scores, and what follows for a pair of data sets."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from math import ceil, floor
from types import SimpleNamespace
from typing import Any

from tests.certificates.probes.common import Checker, probe, refuses

F = Fraction
REJECTED, MALFORMED, NOTHING = "CertificateRejectedError", "MalformedCertificateError", "nothing"
Lists = tuple[int, list[list[int]]]  # the first place; coefficients of P, Q and R


def naive(first: list[int], second: list[int]) -> list[int]:
    found = [0] * (len(first) + len(second) - 1)
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            found[i + j] += x * y
    return found


# --- Trees of sums, as the page says ---------------------------------------------------------------------------------


def halved(lists: Lists) -> Lists:
    low, laws = lists
    found: list[list[int]] = []
    for law in laws:
        counted: Counter[int] = Counter()
        for place, weight in enumerate(law, low):
            counted[place // 2] += weight
        found.append([counted[place] for place in range(low // 2, (low + len(law) - 1) // 2 + 1)])
    return low // 2, found


def clamped(lists: Lists, cut: int) -> Lists:
    low, laws = lists
    last = len(laws[2])
    while last > 1 and laws[2][last - 1] < 2**cut:
        last -= 1
    first = 0
    while first < last - 1 and laws[2][first] < 2**cut:
        first += 1
    found = []
    for law in laws:
        kept = law[first:last]
        kept[0] += sum(law[:first])
        kept[-1] += sum(law[last:])
        found.append(kept)
    return low + first, found


def tree(classes: list[Any], n: int, at: Fraction, step: Fraction, bits: int, length: int, cut: int) -> Lists:
    scored: dict[int, list[Fraction]] = {}
    for p, q, r in classes:
        if r:
            sums = scored.setdefault(floor((p - at * q) / (r * step)), [F(0)] * 3)
            sums[:] = [a + b for a, b in zip(sums, (p, q, r), strict=True)]
    places = range(min(scored), max(scored) + 1)
    base = places.start, [[floor(2**bits * scored[i][side]) if i in scored else 0 for i in places] for side in range(3)]
    lists, level, s = base, 0, 1

    def short(found: Lists) -> tuple[Lists, int]:
        steps = 0
        while len(found[1][2]) > length:
            found, steps = halved(found), steps + 1
        return found, steps

    lists, level = short(lists)
    for digit in bin(n)[3:]:
        doubled = 2 * lists[0], [[w >> bits for w in naive(lists[1][2], law)] for law in lists[1]]
        lists, steps = short(clamped(doubled, cut))
        level, s = level + steps, 2 * s
        if digit == "1":
            leaf = base
            for _ in range(level):
                leaf = halved(leaf)
            others = lists[1][2]
            joined = []
            for side in (0, 1):
                pairs = zip(naive(lists[1][side], leaf[1][2]), naive(others, leaf[1][side]), strict=True)
                joined.append([floor(F(s * a + b, (s + 1) * 2**bits)) for a, b in pairs])
            joined.append([w >> bits for w in naive(others, leaf[1][2])])
            lists, steps = short(clamped((lists[0] + leaf[0], joined), cut))
            level, s = level + steps, s + 1
    return lists


def random_classes(rng: random.Random) -> list[Any]:
    size = rng.randint(1, 4)
    rows = [[rng.choice([0, 1, 2, rng.randint(1, 30)]) for _ in range(size)] for _ in range(3)]
    for row in rows:
        row[rng.randrange(size)] += 1
    return list(zip(*([F(w, sum(row)) for w in row] for row in rows), strict=True))


@probe
def trees_of_sums(checker: Checker) -> None:
    """Each coefficient, of few users and many, of few places and many, in few bits."""
    rng = random.Random(6)
    for _ in range(60):
        classes, n = random_classes(rng), rng.choice([1, 2, 3, 5, 6, 7, 13, 100, 1001])
        at, step = rng.choice([F(0), F(1), F(5, 3)]), rng.choice([F(1, 20), F(1, 3), F(2)])
        bits, length, cut = rng.choice([6, 12, 40]), rng.choice([2, 5, 16, 60]), rng.choice([1, 4, 6])
        laws = checker.Likelihood(at, step, bits, length, cut).laws(iter(classes), n, checker.Work())
        low, (first, second, _) = tree(classes, n, at, step, bits, length, cut)
        total = sum((q for _, q, r in classes if r), F(0))
        assert laws == (low, first, second, bits, total, [(p, q) for p, q, r in classes if not r])


@probe
def trees_of_too_many_places(checker: Checker) -> None:
    classes = [(F(1, 2), F(1, 4), F(1, 2)), (F(1, 2), F(3, 4), F(1, 2))]
    for steps, said in [(2**18 - 1, NOTHING), (2**18, MALFORMED)]:
        likelihood = checker.Likelihood(F(1), F(1, steps), 64, 2**18, 1)
        assert refuses(checker, lambda kept=likelihood: kept.laws(classes, 1, checker.Work())) == said


# --- Scores ----------------------------------------------------------------------------------------------------------


def kept(low: int, weights: list[int]) -> tuple[int, list[int]]:
    heavy = [i for i, w in enumerate(weights) if w >= 2**16] or [0]
    return low + heavy[0], weights[heavy[0] : heavy[-1] + 1]


@probe
def sums_of_scores(checker: Checker) -> None:
    """The users of each input by binary powering, in the order of the inputs; nothing is dropped of the last sum."""
    rng = random.Random(7)
    for _ in range(40):
        bits, scores, denominator = rng.choice([18, 24, 40]), [rng.randint(-4, 4) for _ in range(2)], 30
        rows: list[dict[tuple[int, ...], int]] = []
        for _ in range(3):
            shares = [0, *sorted(rng.sample(range(1, denominator), 2)), denominator]
            sent = rng.sample([(0, 0), (1, 0), (0, 1), (1, 1), (2, 1)], 3)
            rows.append({s: b - a for s, a, b in zip(sent, shares, shares[1:], strict=False)})
        others = [rng.choice([0, 1, 2, 3, 6, 7]) for _ in rows]
        ends = rng.sample(range(3), 2)
        placed = []
        for row in rows:
            law: Counter[int] = Counter()
            for counts, weight in row.items():
                law[scores[0] * counts[0] + scores[1] * counts[1]] += weight
            places = range(min(law), max(law) + 1)
            placed.append((places.start, [(law[i] << bits) // denominator for i in places]))

        def plus(one: Any, other: Any, bits: int = bits) -> tuple[int, list[int]]:
            return one[0] + other[0], [w >> bits for w in naive(one[1], other[1])]

        every: Any = (0, [2**bits])
        for law_of_row, users in zip(placed, others, strict=True):
            if users:
                power: Any = law_of_row
                for digit in bin(users)[3:]:
                    power = kept(*plus(power, power))
                    power = kept(*plus(power, law_of_row)) if digit == "1" else power
                every = kept(*plus(every, power))
        event = checker.ScoredEvent(tuple(ends), [tuple(others)], tuple(scores), bits)
        table = SimpleNamespace(rows=rows, denominator=denominator)
        laws = event.laws(table, [table], [sum(others)], checker.Work())
        for found, end in zip((laws.first, laws.second), ends, strict=True):
            low, weights = plus(every, placed[end])
            assert {i: w for i, w in enumerate(found, laws.low) if w} == {i: w for i, w in enumerate(weights, low) if w}
        lows, highs = zip(*((low, low + len(w)) for low, w in (plus(every, placed[end]) for end in ends)), strict=True)
        assert (laws.low, len(laws.first), len(laws.second)) == (min(lows), *[max(highs) - min(lows)] * 2)
        assert (laws.bits, laws.total, laws.apart) == (bits, 1, [])


@probe
def events_of_other_users(checker: Checker) -> None:
    table = SimpleNamespace(rows=[{(1,): 1}, {(0,): 1}], denominator=1)
    event = checker.ScoredEvent((0, 1), [(2, 1)], (5,), 20)
    for n, said in [(3, REJECTED), (4, NOTHING), (5, REJECTED)]:
        assert refuses(checker, lambda n=n: event.laws(table, [table], [n - 1], checker.Work())) == said
    laws = event.laws(table, [table], [3], checker.Work())
    assert laws == (10, [0] * 5 + [2**20], [2**20] + [0] * 5, 20, 1, [])


@probe
def places_of_a_sum(checker: Checker) -> None:
    coin = SimpleNamespace(rows=[{(1,): 1, (0,): 1}], denominator=2)
    for top, users, said in [
        (2**18 - 1, 0, NOTHING),
        (2**18, 0, MALFORMED),
        (2**17 - 1, 1, NOTHING),
        (2**17, 1, MALFORMED),
    ]:
        event = checker.ScoredEvent((0, 0), [(users,)], (top,), 20)
        assert refuses(checker, lambda kept=event, n=users: kept.laws(coin, [coin], [n], checker.Work())) == said
    table = SimpleNamespace(rows=[{(1,): 1}, {(0,): 1}], denominator=1)
    for top, said in [(2**18 - 1, NOTHING), (2**18, MALFORMED)]:  # of the two data sets together
        event = checker.ScoredEvent((0, 1), [(0, 0)], (top,), 20)
        assert refuses(checker, lambda kept=event: kept.laws(table, [table], [0], checker.Work())) == said


# --- What follows ----------------------------------------------------------------------------------------------------


@probe
def divergences_of_bounded_laws(checker: Checker) -> None:
    """P from below, Q from above with all that is missing of it, and what stands apart by the true e^eps."""
    rng = random.Random(8)
    for _ in range(40):
        bits, low = rng.randint(1, 9), rng.randint(-5, 5)
        first, second = ([rng.randrange(2**bits) for _ in range(4)] for _ in range(2))
        total = F(sum(second) + rng.randrange(9), 2**bits) + F(rng.randrange(2), 3)
        apart = [(F(rng.randrange(9), 8), F(rng.randrange(9), 16)) for _ in range(rng.randrange(3))]
        laws, ratio = checker.BoundedLaws(low, first, second, bits, total, apart), F(rng.randint(4, 12), 4)
        assert laws.missing == ceil(total * 2**bits) - sum(second)
        charge = sum(max(F(0), p - ratio * q) for p, q in apart)
        for threshold in range(low - 2, low + 7):
            above = [i for i in range(4) if low + i >= threshold]
            p = F(sum(first[i] for i in above), 2**bits)
            below = sum(second[i] for i in range(4) if i not in above)
            q = F(ceil(total * 2**bits) - below, 2**bits)
            assert laws.divergence(threshold, ratio, checker.Work()) == charge + p - ratio * q
        for other in (bits - 1, bits, bits + 5):
            listed = [
                (floor(F(p, 2**bits) * 2**other), ceil(F(q + laws.missing, 2**bits) * 2**other))
                for p, q in zip(first, second, strict=True)
            ]
            listed += [(floor(p * 2**other), ceil(q * 2**other)) for p, q in apart]
            assert laws.masses(other, checker.Work()) == listed


@probe
def products_with_a_short_list(checker: Checker) -> None:
    """Term by term up to so many terms; beyond, as one product."""
    rng = random.Random(9)
    for terms in (1, 2, checker.MAX_TERMS_ADDED, checker.MAX_TERMS_ADDED + 1, 40):
        for zeros in (0, 1, 3):
            short = [x for _ in range(terms) for x in [*[0] * zeros, rng.getrandbits(70) + 1]]
            for length in (1, terms, 50):
                long = [rng.choice([0, rng.getrandbits(90)]) for _ in range(length)]
                expected = naive(short, long)
                assert checker.multiplied(short, long, checker.Work()) == expected
                assert checker.multiplied(long, short, checker.Work()) == expected
