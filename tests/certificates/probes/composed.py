"""Losses on a lattice: bends of a curve, products of measures, what is moved and what is left out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import islice, pairwise, product
from math import ceil, comb, floor
from types import SimpleNamespace
from typing import Any

from mpmath import mp, mpf

from tests.certificates.probes.common import Checker, probe, refuses, walked_noise

F = Fraction
RATIOS = [F(2), F(3, 2), F(3), F(7, 5), F(1001, 1000)]
REJECTED, MALFORMED, NOTHING = "CertificateRejectedError", "MalformedCertificateError", "nothing"


def naive(first: list[int], second: list[int]) -> list[int]:
    found = [0] * (len(first) + len(second) - 1)
    for (i, x), (j, y) in product(enumerate(first), enumerate(second)):
        found[i + j] += x * y
    return found


# --- Long products ---------------------------------------------------------------------------------------------------


@probe
def products_of_lists(checker: Checker) -> None:
    rng = random.Random(5)
    lists = [[0], [1], [0, 0], [7, 0, 3], [9] * 11, [2**64 - 1] * 8, [0, 0, 2**200, 0], [10**9, 1, 0, 10**18 - 1]]
    lists += [[rng.getrandbits(rng.choice([0, 1, 3, 40, 130])) for _ in range(rng.randrange(1, 30))] for _ in range(12)]
    for first, second in product(lists, lists):
        assert checker.multiply_lists(first, second, checker.Work()) == naive(first, second)
    for size in (6000, 13_250, 13_300, 27_000):
        first, second = ([rng.getrandbits(size), 0, 2**size - 1, 1], [2**size - 1, rng.getrandbits(size // 2)])
        assert checker.multiply_lists(first, second, checker.Work()) == naive(first, second)
        assert checker.multiply_lists([10**4000], [10**4000, 0], checker.Work()) == [10**8000, 0]
    for k in range(1, 400):  # the largest coefficients that a slot can have
        assert checker.multiply_lists([2**k - 1] * 3, [2**k - 1] * 3, checker.Work())[2] == 3 * (2**k - 1) ** 2


@probe
def slots_of_many_digits(checker: Checker) -> None:
    """The width of a slot comes from the bits of the largest coefficient there can be, of which one bit is spare."""
    for bits in (30_000, 30_001):
        first, second = 2**bits - 1, 2 ** (bits + 1) - 1
        assert checker.multiply_lists([first], [second, 0, first], checker.Work()) == [first * second, 0, first**2]


@probe
def products_that_are_too_long(checker: Checker) -> None:
    half = 1 << (checker.MAX_SLOT_BITS // 2 - 1)
    assert refuses(checker, lambda: checker.multiply_lists([half], [half // 2], checker.Work())) == "nothing"
    assert refuses(checker, lambda: checker.multiply_lists([2 * half], [2 * half], checker.Work())) == MALFORMED
    many = [half] * (checker.MAX_PRODUCT_BITS // checker.MAX_SLOT_BITS // 2 + 1)
    assert refuses(checker, lambda: checker.multiply_lists(many, [*many[:-1], 1], checker.Work())) == MALFORMED
    assert refuses(checker, lambda: checker.multiply_lists([1], [1] * 4_000_001, checker.Work())) == MALFORMED


@probe
def the_price_of_a_product(checker: Checker) -> None:
    """For each coefficient an eighth of its bits, and one."""
    for first, second in (([1] * 20, [1] * 10), ([2**200] * 5, [2**300] * 7), ([2**6000], [2**6000, 1, 1])):
        work = checker.Work()
        checker.multiply_lists(first, second, work)
        length = len(first) + len(second) - 1
        bits = max(first).bit_length() + max(second).bit_length() + length.bit_length()
        assert checker.MAX_WORK - work.left == length * (1 + bits // 8)


@probe
def digits_in_pieces(checker: Checker) -> None:
    longest = checker.MAX_DIGITS
    for width in (1, 2, longest - 1, longest, longest + 1, 2 * longest, 2 * longest + 17):
        for value in (0, 1, 7, 10 ** (width - 1), 10**width - 1, 3 * 10 ** (width - 1) + 5):
            if value < 10**width:
                shown = checker.to_decimal(value, width)
                assert len(shown) == width
                assert checker.from_decimal(shown) == value
                assert sum(int(shown[-i - 1]) * 10**i for i in range(min(width, 30))) == value % 10 ** min(width, 30)
    assert checker.to_decimal(42, 5) == "00042"
    assert checker.from_decimal("0" * longest + "12") == 12


# --- The lattice -----------------------------------------------------------------------------------------------------


@probe
def powers_of_a_ratio(checker: Checker) -> None:
    for rho in [*RATIOS, F(2**70 + 1, 2**70), F(10**30, 7)]:
        level = 2**64
        for found in islice(checker.powers_below(rho), 40):
            assert found == level
            level = floor(level * rho)
        below = list(islice(checker.powers_below(rho), 40))
        assert all(2**64 <= level <= 2**64 * rho**j for j, level in enumerate(below))
        assert rho > 2 or all(2**64 * rho**j - level < 40 * rho**j for j, level in enumerate(below))
    for rho in RATIOS:
        for j in (1, 2, 5, 17):
            assert checker.is_power(rho**j, rho, j)
            assert not any(checker.is_power(rho**i, rho, j) for i in (j - 1, j + 1))
            assert not checker.is_power(rho**j + F(1, 10**9), rho, j)
    assert checker.is_power(F(2) ** (checker.MAX_BITS - 1), F(2), checker.MAX_BITS - 1)
    assert not checker.is_power(F(2) ** checker.MAX_BITS, F(2), checker.MAX_BITS)


@probe
def powers_by_squaring(checker: Checker) -> None:
    for exponent in range(1, 70):
        assert checker.self_composed("x", exponent, lambda a, b: a + b) == "x" * exponent
    calls: list[int] = []

    def times(a: int, b: int) -> int:
        calls.append(a + b)
        return a + b

    assert checker.self_composed(1, 10**6, times) == 10**6
    assert len(calls) < 40


@probe
def ends_of_little_weight(checker: Checker) -> None:
    small, large = 2**16 - 1, 2**16
    for weights, expected in (
        ([large], (0, 1)),
        ([small], (0, 1)),
        ([small, small], (0, 1)),
        ([large, small], (0, 1)),
        ([small, large], (1, 2)),
        ([small, 0, large, small, large, 0, small], (2, 5)),
        ([large, 0, 0, large], (0, 4)),
        ([0, 0, 0], (0, 1)),
        ([small, large, large], (1, 3)),
        ([large, large, small], (0, 2)),
    ):
        assert checker.trimmed(weights) == expected, weights


def curve_value(curve: list[int], rho: Fraction, bits: int, e: Fraction) -> Fraction:
    """The piecewise linear function through the curve, its mirror image below 1, and 1 at 0."""
    d = [F(delta, 2**bits) for delta in curve]
    places = [rho**j for j in range(len(d))]
    if e > places[-1]:
        return d[-1]
    points = [(F(0), F(1)), *((1 / x, 1 - (1 - y) / x) for x, y in zip(places[::-1], d[::-1], strict=True))]
    points += list(zip(places, d, strict=True))[1:]
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= e <= x1:
            return y0 + (y1 - y0) * (e - x0) / (x1 - x0)
    raise AssertionError


def measure_value(losses: Any, rho: Fraction, bits: int, e: Fraction) -> Fraction:
    found = F(losses.infinite)
    for i, mass in enumerate(losses.masses):
        found += mass * max(F(0), 1 - e / rho ** (losses.low + i))
    return found / 2**bits


def curves(rng: random.Random, bits: int) -> Iterator[list[int]]:
    whole = 2**bits
    yield from ([whole], [0], [whole // 3], [whole, 0], [0, whole], [whole // 2, 0], [whole // 2, whole // 2, 0])
    yield from ([whole // 2, whole // 4, whole // 8, 1], [5, 5, 5], [0, whole, 0, whole])
    for _ in range(5):
        falling = sorted((rng.randrange(whole + 1) for _ in range(rng.randrange(1, 8))), reverse=True)
        yield falling
        yield rng.sample(falling, len(falling))


def bend(curve: list[int], rho: Fraction, bits: int, j: int) -> Fraction:
    """rho^j times the rise of the slope at rho^j, in units."""
    last = len(curve)

    def value(i: int) -> Fraction:
        return curve_value(curve, rho, bits, rho**i)

    left = (value(j) - value(j - 1)) / (rho**j - rho ** (j - 1)) if j > -last else F(0)
    right = (value(j + 1) - value(j)) / (rho ** (j + 1) - rho**j) if j < last else F(0)
    return rho**j * (right - left) * 2**bits


@probe
def bends_of_a_curve(checker: Checker) -> None:
    rng = random.Random(11)
    for bits, rho in product((16, 24), RATIOS[:-1]):
        for curve in curves(rng, bits):
            losses = checker.Losses.of_curve(curve, rho, bits, checker.Work())
            last = len(curve) - 1
            assert losses.low == -last
            assert len(losses.masses) == 2 * last + 1
            assert losses.infinite == curve[-1]
            for j in range(-last, last + 1):
                exact, found = max(F(0), bend(curve, rho, bits, j)), losses.masses[j + last]
                if j >= 0:
                    assert found == ceil(exact), (curve, rho, j)
                else:
                    up = max(0, ceil(bend(curve, rho, bits, -j)))
                    inverse = F(up) * rho**j
                    assert inverse <= found < inverse + 2 + abs(j) * up / 2**bits, (curve, rho, j)
            for e in [F(0), F(1, 50), *(rho ** F(i) for i in range(-9, 10)), F(9, 10), F(11, 10), F(5), F(10**6)]:
                value = measure_value(losses, rho, bits, e)
                assert value >= curve_value(curve, rho, bits, e), (curve, rho, e)
            if curve == sorted(curve, reverse=True) and convex(curve, rho):
                assert measure_value(losses, rho, bits, F(1)) < curve_value(curve, rho, bits, F(1)) + F(60, 2**bits)


def convex(curve: list[int], rho: Fraction) -> bool:
    return all(bend(curve, rho, 16, j) >= 0 for j in range(len(curve)))


@probe
def the_price_of_a_curve(checker: Checker) -> None:
    work = checker.Work()
    checker.Losses.of_curve([1] * 100, F(2), 2**14, work)
    assert checker.MAX_WORK - work.left == 8 * 101 * (1 + 2**14 * (512 + 2**14) // 2**19)


def measures(rng: random.Random, checker: Checker, bits: int) -> list[Any]:
    found = [checker.Losses(0, [2**bits], 0), checker.Losses(-1, [2**bits // 3, 5, 2**bits // 2], 3)]
    found += [checker.Losses(-2, [0, 3, 2**bits // 2, 9, 2**bits], 2**bits // 5), checker.Losses(0, [0], 2**bits)]
    for _ in range(6):
        masses = [rng.choice([0, 1, 2**20, rng.randrange(2**bits)]) for _ in range(rng.randrange(1, 6))]
        found.append(checker.Losses(rng.randrange(-3, 4), masses, rng.randrange(2**bits)))
    return found


@probe
def products_of_losses(checker: Checker) -> None:
    rng, bits = random.Random(3), 30
    for one, other in product(measures(rng, checker, bits), repeat=2):
        masses = [-(-mass // 2**bits) for mass in naive(one.masses, other.masses)]
        everything = (sum(one.masses) + one.infinite) * (sum(other.masses) + other.infinite)
        infinite = ceil(F(everything - sum(one.masses) * sum(other.masses), 2**bits))
        low = one.low + other.low
        while len(masses) > 1 and masses[-1] < 2**16:
            infinite += masses.pop()
        moved = 0
        while len(masses) > 1 and masses[0] + 0 < 2**16:
            moved += masses.pop(0)
            low += 1
        masses[0] += moved
        assert one.times(other, bits, checker.Work()) == (low, masses, infinite)


@probe
def divergences_of_losses(checker: Checker) -> None:
    rng, bits = random.Random(4), 20
    for rho in RATIOS:
        for losses in measures(rng, checker, bits):
            ratios = [F(1), F(9, 8), F(22, 7), rho, rho**2, rho**2 - F(1, 10**9), rho**5, F(1000)]
            for ratio in [r for r in ratios if r >= 1]:
                exact = measure_value(losses, rho, bits, ratio)
                found = losses.divergence(ratio, rho, bits, checker.Work())
                assert exact <= found, (rho, losses, ratio)
                assert found - exact < ratio * (len(losses.masses) + 12) ** 2 * F(2, 2 ** (bits + 60)), (rho, losses)
    for j in range(1, 40):  # a loss of ln E exactly counts as nothing, and one that is a little larger does not
        losses = checker.Losses(j, [2**bits], 0)
        assert losses.divergence(F(3, 2) ** j, F(3, 2), bits, checker.Work()) == 0
        assert losses.divergence(F(3, 2) ** j * F(10**9 - 1, 10**9), F(3, 2), bits, checker.Work()) > 0
        assert losses.divergence(F(3, 2) ** j * F(10**9 + 1, 10**9), F(3, 2), bits, checker.Work()) == 0
    unit = 2 ** (bits + 64)  # an excess that is the least that can be seen
    excess = checker.Losses(1, [2**bits], 0).divergence(F(unit + 1, unit), F(unit, unit - 1), bits, checker.Work())
    assert excess == F(1, unit**2)
    assert checker.Losses(-3, [2**bits] * 3, 7).divergence(F(1), F(2), bits, checker.Work()) == F(7, 2**bits)
    assert checker.Losses(-3, [2**bits] * 4, 7).divergence(F(1), F(2), bits, checker.Work()) == F(7, 2**bits)


# --- Events ----------------------------------------------------------------------------------------------------------


@probe
def places_of_outcomes(checker: Checker) -> None:
    """p / q from rho^j to rho^(j+1), or the mirror image; little p is left out, unless q is 0."""
    unit = 2**16
    for rho in (F(2), F(3, 2)):
        masses = [
            (unit, unit),
            (2 * unit, unit),
            (2 * unit - 1, unit),
            (unit, 2 * unit),
            (unit, 2 * unit - 1),
            (9 * unit, 2 * unit),
            (2 * unit, 9 * unit),
            (unit - 1, 1),
            (unit - 1, 0),
            (3 * unit, 0),
            (0, unit),
            (0, 0),
        ]
        found = checker.Merged.of_masses(masses, rho, 20, checker.Work())
        expected: dict[int, tuple[int, int]] = {0: (0, 0)}
        for p, q in masses:
            if q and p >= unit:
                j, level = 0, F(1)
                while level * rho <= F(max(p, q), min(p, q)):
                    j, level = j + 1, level * rho
                j = j if p >= q else -j
                old = expected.get(j, (0, 0))
                expected[j] = (old[0] + p, old[1] + q)
        least, most = min(expected), max(expected)
        assert found.low == least
        assert found.first == [expected.get(j, (0, 0))[0] for j in range(least, most + 1)]
        assert found.second == [expected.get(j, (0, 0))[1] for j in range(least, most + 1)]
        assert found.infinite == unit - 1 + 3 * unit
    assert checker.Merged.of_masses([], F(2), 20, checker.Work()) == (0, [0], [0], 0)
    far = checker.Merged.of_masses([(2**250, 1), (2**20, 2**20)], F(2), 260, checker.Work())
    assert (far.low, len(far.first), far.infinite) == (0, 65, 0)  # no further than the 64th power
    near = checker.Merged.of_masses([(2**17, 2**16)], F(2**80 + 1, 2**80), 20, checker.Work())
    assert sum(near.first) == 2**17


@probe
def products_of_events(checker: Checker) -> None:
    rng, bits = random.Random(8), 30
    found = [checker.Merged(0, [2**bits], [2**bits], 0), checker.Merged(-1, [2**28, 0, 2**29], [2**29, 1, 2**28], 5)]
    for _ in range(8):
        length = rng.randrange(1, 6)
        first, second = ([rng.choice([0, 1, 2**18, rng.randrange(2**28)]) for _ in range(length)] for _ in range(2))
        found.append(checker.Merged(rng.randrange(-3, 4), first, second, rng.randrange(2**bits)))
    for one, other in product(found, repeat=2):
        first = [mass // 2**bits for mass in naive(one.first, other.first)]
        second = [-(-mass // 2**bits) for mass in naive(one.second, other.second)]
        low = one.low + other.low
        while len(first) > 1 and first[-1] < 2**16:
            first.pop()
            second.pop()
        while len(first) > 1 and first[0] < 2**16:
            first.pop(0)
            second.pop(0)
            low += 1
        lost = 1 - (1 - F(one.infinite, 2**bits)) * (1 - F(other.infinite, 2**bits))
        assert one.times(other, bits, checker.Work()) == (low, first, second, floor(lost * 2**bits))


@probe
def masses_of_a_pair(checker: Checker) -> None:
    """P rounded down and Q rounded up, exactly or by enclosure, in either order."""
    bits = 20
    law = {"family": "binomial", "n": "5", "p": "1/3"}
    run = checker.Run.read({"law": law, "shift": "2", "times": "1"}, checker.Work())
    weights = {t: F(comb(5, t) * 2 ** (5 - t), 3**5) for t in range(6)}
    for shift, order in product((1, 2), ("forward", "backward")):
        pairs = {t: (weights.get(t, F(0)), weights.get(t - shift, F(0))) for t in range(6 + shift)}
        exact = [pair if order == "forward" else pair[::-1] for pair in pairs.values()]
        found, facts = run.masses({"shift": str(shift), "order": order}, bits, checker.Work())
        assert found == [(floor(p * 2**bits), ceil(q * 2**bits)) for p, q in exact]
        assert facts == []
        found, facts = run.masses({"shift": str(shift), "order": order, "bits": "64"}, bits, checker.Work())
        assert facts
        reached = sorted(((p, q) for p, q in found if p), reverse=True)
        wanted = sorted(((p * 2**bits, q * 2**bits) for p, q in exact if p), reverse=True)
        assert len(reached) == len(wanted) == 6
        for (p, q), (x, y) in zip(reached, wanted, strict=True):
            assert x - 2 < p <= x
            assert y <= q < y + 2
            assert (q == 0) == (y == 0)
    run = checker.Run.read({"law": {"family": "poisson", "mu": "7/2"}, "shift": "1", "times": "1"}, checker.Work())
    for own, order in ((0, "forward"), (1, "backward")):
        found, _ = run.masses({"shift": "1", "order": order, "bits": "40"}, 30, checker.Work())
        with mp.workprec(200):
            weights = [(poisson(t - own), poisson(t + own - 1)) for t in range(60)]
            pairs = sorted(((p * 2**30, q * 2**30) for p, q in weights if p * 2**30 > 40), reverse=True)
            reached = sorted(((p, q) for p, q in found if p > 40), reverse=True)
            assert len(reached) == len(pairs) > 15
            assert all(x - 8 < p <= x and y <= q < y + 8 for (p, q), (x, y) in zip(reached, pairs, strict=True))
            assert [q for p, q in found if p and not q] == ([0] if order == "forward" else [])
    stubbed = run._replace(claim=run.claim._replace(shift=checker.Shift(small_noise(checker, [(3, 4), (8, 8)]), 1)))
    low, high = ([floor(F(w, 12) * 2**20) for w in (3, 8)], [ceil(F(w, 11) * 2**20) for w in (4, 8)])
    found, _ = stubbed.masses({"shift": "1", "order": "forward", "bits": "16"}, 20, checker.Work())
    assert [pair for pair in found if pair[0]] == [(low[0], 0), (low[1], high[0])]
    found, _ = stubbed.masses({"shift": "1", "order": "backward", "bits": "16"}, 20, checker.Work())
    assert [pair for pair in found if pair[0]] == [(low[0], high[1]), (low[1], 0)]
    nothing = run._replace(claim=run.claim._replace(shift=checker.Shift(small_noise(checker, [(0, 4)]), 1)))
    witness = {"shift": "1", "order": "forward", "bits": "16"}
    assert refuses(checker, lambda: nothing.masses(witness, 20, checker.Work())) == REJECTED


def poisson(t: int) -> Any:
    return mp.exp(-mpf(7) / 2) * (mpf(7) / 2) ** t / mp.factorial(t) if t >= 0 else mpf(0)


def small_noise(checker: Checker, weights: list[tuple[int, int]]) -> Any:
    """A law with these enclosed weights at 0, 1, ..."""

    def side(listed: list[tuple[int, int]]) -> Any:
        yield from listed
        return 0

    return walked_noise(
        checker, lambda bits, work: checker.Sides(0, checker.Side(side(weights)), checker.Side(side([])))
    )


@probe
def masses_of_views(checker: Checker) -> None:
    rows = [[{"send": ["0"], "prob": "3/4"}, {"send": [], "prob": "1/4"}], [{"send": [], "prob": "1"}]]
    run = checker.Run.read(
        {"randomizer": {"messages": "1", "rows": rows}, "n": "1", "neighbors": "replace-one", "times": "1"},
        checker.Work(),
    )
    found, _ = run.masses({"first": ["1", "0"], "second": ["0", "1"]}, 17, checker.Work())
    assert sorted(found) == [(2**15, 2**17), (3 * 2**15, 0)]


# --- Claims ----------------------------------------------------------------------------------------------------------


@probe
def levels_of_a_curve(checker: Checker) -> None:
    """Each delta is claimed at its power of rho, in units of 2^-bits, without 'least'."""
    seen: list[Any] = []

    def replaced(level: Any) -> Any:
        seen.append(level)
        return SimpleNamespace(prove=lambda witness, work: [f"{witness} {len(seen)}"])

    run = checker.Run(SimpleNamespace(_replace=replaced), 1)
    facts = run.check_curve([9, 5, 0], F(7, 5), 4, {"bits": "16"}, checker.Work())
    second = floor(F(7, 5) * 2**64)
    exp_eps = [F(1), F(second, 2**64), F(floor(F(7, 5) * second), 2**64)]
    assert seen == [(e, F(0), F(d, 16), "none") for e, d in zip(exp_eps, (9, 5, 0), strict=True)]
    assert facts == ["{'bits': '16'} 1", "{'bits': '16'} 2", "{'bits': '16'} 3"]
    seen.clear()
    facts = run.check_curve([9, 5, 0], F(7, 5), 4, {"levels": [{"a": "0"}, {}, {"b": "1"}]}, checker.Work())
    assert facts == ["{'a': '0'} 1", "{} 2", "{'b': '1'} 3"]
    assert [level[2] for level in seen] == [F(d, 16) for d in (9, 5, 0)]


@probe
def claims_at_their_edges(checker: Checker) -> None:
    """Half of the mass is lost, whatever e^eps is: a bound of 1/2 is proved, and anything less is refuted."""
    law, half, tiny = {"family": "geometric", "p": "1/2"}, F(1, 2), F(1, 2**50)
    runs, curve = [{"law": law, "shift": "1", "times": "1"}], {"deltas": [str(2**39)], "witness": {}}
    proof = {"ratio": "2", "precision": "40", "curves": [curve]}
    refutation = {"ratio": "2", "precision": "40", "pairs": [{"shift": "1", "order": "forward"}]}

    def answers(delta: Fraction, listed: list[Any], **more: str) -> tuple[str, str]:
        claim = {"kind": "composed", "runs": listed, "delta": str(delta), **(more or {"exp_eps": "5"})}
        terms = {"terms": "40"} if more else {}
        found = checker.Composed.read(claim, checker.Work())
        return (
            refuses(checker, partial(found.prove, {**proof, "curves": [curve] * len(listed), **terms}, checker.Work())),
            refuses(
                checker,
                partial(
                    found.refute, {**refutation, "pairs": refutation["pairs"] * len(listed), **terms}, checker.Work()
                ),
            ),
        )

    for more in ({}, {"eps": "1"}):
        assert answers(half - tiny, runs, **more) == (REJECTED, NOTHING)
        assert answers(half, runs, **more) == (NOTHING, REJECTED)
        assert answers(half + tiny, runs, **more) == (NOTHING, REJECTED)
    for times in (2, 3, 4):
        lost, repeated = 1 - half**times, [{**runs[0], "times": str(times)}]
        for listed in (repeated, runs * times):
            assert answers(lost - tiny, listed) == (REJECTED, NOTHING)
            assert answers(lost, listed) == (NOTHING, REJECTED)


@probe
def the_best_event(checker: Checker) -> None:
    """Of two answers with losses -1, 0 and 1 those are taken that are worth their price; a tie is worth nothing."""
    table = {"messages": "3", "rows": []}
    for row in (("4/7", "2/7", "1/7"), ("1/7", "2/7", "4/7")):
        table["rows"].append([{"send": [str(m)], "prob": p} for m, p in enumerate(row)])
    runs = [{"randomizer": table, "n": "1", "neighbors": "replace-one", "times": "2"}]
    laws = ([F(4, 7), F(2, 7), F(1, 7)], [F(1, 7), F(2, 7), F(4, 7)])
    witness = {"ratio": "4", "precision": "60", "pairs": [{"first": ["1", "0"], "second": ["0", "1"]}]}
    for exp_eps in (F(1), F(3, 2), F(2), F(4), F(5), F(15), F(16), F(17)):
        cells = [(p * r, q * s) for (p, q), (r, s) in product(zip(*laws, strict=True), repeat=2)]
        exact = sum((max(F(0), p - exp_eps * q) for p, q in cells), F(0))
        for delta, expected in ((exact, REJECTED), (exact - F(1, 2**50), NOTHING)):
            if delta >= 0:
                claim = {"kind": "composed", "runs": runs, "exp_eps": str(exp_eps), "delta": str(delta)}
                refute = partial(checker.Composed.read(claim, checker.Work()).refute, witness, checker.Work())
                assert refuses(checker, refute) == expected, exp_eps
