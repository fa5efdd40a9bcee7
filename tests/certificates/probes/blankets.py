"""Privacy by a blanket: tilts, measures on a lattice, the bound of a pair, and the order of pairs."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations, product
from math import ceil, floor, gcd, lcm, prod
from typing import Any

from tests.certificates.probes.common import Checker, probe, refuses

F = Fraction
REJECTED, MALFORMED, NOTHING = "CertificateRejectedError", "MalformedCertificateError", "nothing"
BITS = 64
FINE = BITS + 64


def rho(tilt: int, level: int = 0) -> Fraction:
    return (1 + F(tilt, 2**64)) ** 2**level


def binary_power(base: int, exponent: int) -> int:
    """An upper bound of a power in units of 2^-FINE, as the page says."""
    reached = 2**FINE
    for digit in bin(exponent)[2:]:
        reached = ceil(F(reached * reached, 2**FINE))
        reached = ceil(F(reached * base, 2**FINE)) if digit == "1" else reached
    return reached


def divergence(values: Any, n: int) -> Fraction:
    """E[max(0, sum of n independent values)] / n, from how often each value occurs."""
    law = {F(0): F(1)}
    for _ in range(n):
        grown: dict[Fraction, Fraction] = {}
        for (total, p), (value, q) in product(law.items(), values):
            grown[total + value] = grown.get(total + value, F(0)) + p * q
        law = grown
    return sum((p * total for total, p in law.items() if total > 0), F(0)) / n


# --- Tilts -----------------------------------------------------------------------------------------------------------


@probe
def tilts_of_levels(checker: Checker) -> None:
    for tilt in (1, 3, 2**40 + 1, 2**58 - 1, 2**64, 2**72 - 1):
        reached = checker.Tilt.first(F(1, 3), tilt, BITS)
        low = high = 2**FINE + tilt * 2**BITS
        for level in range(4):
            assert reached == (FINE, F(1, 3), level, low, high)
            assert low <= rho(tilt, level) * 2**FINE <= high
            assert reached.inverse == ceil(F(4**FINE, low))
            for place in (-9, -8, -3, -1, 0, 1, 2, 5, 12):
                power = reached.power(place, checker.Work())
                assert power == binary_power(high if place >= 0 else ceil(F(4**FINE, low)), abs(place))
                assert power >= rho(tilt, level) ** place * 2**FINE
            low, high = floor(F(low * low, 2**FINE)), ceil(F(high * high, 2**FINE))
            reached = reached.next(checker.Work())


@probe
def tilts_that_are_too_long(checker: Checker) -> None:
    tilt = checker.Tilt.first(F(1), 1, BITS)
    for place, said in [(2**20, NOTHING), (-(2**20), NOTHING), (2**20 + 1, MALFORMED), (-(2**20) - 1, MALFORMED)]:
        assert refuses(checker, lambda place=place: tilt.power(place, checker.Work())) == said
    steep = checker.Tilt.first(F(1), 2**64, BITS)  # 2 for each place
    longest = checker.MAX_POWER_BITS - FINE - 1
    assert steep.power(longest, checker.Work()) == 2 ** (longest + FINE)
    assert refuses(checker, lambda: steep.power(longest + 1, checker.Work())) == MALFORMED
    for _ in range(13):
        steep = steep.next(checker.Work())  # 2^8192
    assert refuses(checker, lambda: steep.next(checker.Work())) == MALFORMED


# --- Measures --------------------------------------------------------------------------------------------------------


def random_measure(checker: Checker, rng: random.Random) -> Any:
    masses = [rng.choice([0, 1, rng.getrandbits(10), rng.getrandbits(BITS - 1)]) for _ in range(rng.randint(1, 9))]
    masses[0] += 1
    lost = rng.choice([0, rng.getrandbits(20), rng.getrandbits(BITS + 6)])
    return checker.Measure(rng.randint(-9, 9), masses, lost, rng.randint(-5, 90))


@probe
def measures_that_are_normalised(checker: Checker) -> None:
    """The sum of all has BITS bits; what is cut has at most BITS - 48, and is lost."""
    rng = random.Random(1)
    for _ in range(60):
        measure = random_measure(checker, rng)
        reached = measure.normalised(BITS, checker.Work())
        shift = max(0, (sum(measure.masses) + measure.lost).bit_length() - BITS)
        masses = [ceil(F(mass, 2**shift)) for mass in measure.masses]
        long = [i for i, mass in enumerate(masses) if mass.bit_length() > BITS - 48] or [masses.index(max(masses))]
        first, last = long[0], long[-1] + 1
        assert reached.masses == masses[first:last]
        assert (reached.low, reached.scale) == (measure.low + first, measure.scale - shift)
        assert reached.lost == ceil(F(measure.lost, 2**shift)) + sum(masses[:first] + masses[last:])
    edge = checker.Measure(0, [2**16 - 1, 2**16, 2**60, 2**16, 2**16 - 1], 0, 0).normalised(BITS, checker.Work())
    assert edge == (1, [2**16, 2**60, 2**16], 2**17 - 2, 0)
    assert checker.Measure(5, [1, 7, 7], 0, 0).normalised(BITS, checker.Work()) == (6, [7], 8, 0)


@probe
def products_of_measures(checker: Checker) -> None:
    rng = random.Random(2)
    for _ in range(40):
        one, two = random_measure(checker, rng), random_measure(checker, rng)
        masses = [0] * (len(one.masses) + len(two.masses) - 1)
        for (i, x), (j, y) in product(enumerate(one.masses), enumerate(two.masses)):
            masses[i + j] += x * y
        sums = sum(one.masses), sum(two.masses)
        lost = sums[0] * two.lost + one.lost * sums[1] + one.lost * two.lost
        whole = checker.Measure(one.low + two.low, masses, lost, one.scale + two.scale)
        assert one.times(two, BITS, checker.Work()) == whole.normalised(BITS, checker.Work())


@probe
def measures_on_the_next_level(checker: Checker) -> None:
    rng = random.Random(3)
    for tilt in (2**30, 2**57 + 5, 2**64, 2**70):
        level = checker.Tilt.first(F(1), tilt, BITS).next(checker.Work())
        for _ in range(20):
            measure = random_measure(checker, rng)
            reached = measure.halved(level, checker.Work())
            places = range(measure.low, measure.low + len(measure.masses))
            expected = dict.fromkeys(range(places[0] // 2, (places[-1] + 1) // 2 + 1), 0)
            for place, mass in zip(places, measure.masses, strict=True):
                if place % 2:
                    expected[place // 2] += ceil(F(mass * 2**FINE, 2 * level.low))
                    expected[place // 2 + 1] += ceil(F(mass * level.high, 2 ** (FINE + 1)))
                else:
                    expected[place // 2] += mass
            assert reached == (min(expected), list(expected.values()), measure.lost, measure.scale)


@probe
def measures_of_values(checker: Checker) -> None:
    rng = random.Random(4)
    for _ in range(30):
        values = sorted({F(rng.randint(-60, 60), rng.choice([1, 2, 7, 12])) for _ in range(rng.randint(1, 5))})
        weights = [rng.randint(1, 50) for _ in values]
        law = tuple((value, F(weight, sum(weights))) for value, weight in zip(values, weights, strict=True))
        tilt = checker.Tilt.first(F(rng.randint(1, 4), 3), 2**60, BITS).next(checker.Work())
        masses: dict[int, int] = {}
        for value, mass in law:
            t = value / (2 * tilt.step)
            for place, share in ((floor(t), 1 - t + floor(t)), (floor(t) + 1, t - floor(t))):
                if share:
                    factor = tilt.power(place, checker.Work())
                    masses[place] = masses.get(place, 0) + ceil(mass * share * factor / 2**64)
        low = min(masses)
        listed = [masses.get(place, 0) for place in range(low, max(masses) + 1)]
        expected = checker.Measure(low, listed, 0, BITS).normalised(BITS, checker.Work())
        assert checker.Measure.of(law, tilt, BITS, checker.Work()) == expected


@probe
def places_of_values(checker: Checker) -> None:
    tilt = checker.Tilt.first(F(1), 1, BITS)
    for last, said in [(2**18 - 1, NOTHING), (2**18, MALFORMED)]:
        law = ((F(0), F(1, 2)), (F(last), F(1, 2)))
        assert refuses(checker, lambda law=law: checker.Measure.of(law, tilt, BITS, checker.Work())) == said
    law = ((F(0), F(1, 2)), (F(2 * 2**18 - 3, 2), F(1, 2)))  # spread to the last place and the one after it
    assert refuses(checker, lambda: checker.Measure.of(law, tilt, BITS, checker.Work())) == NOTHING
    law = ((F(0), F(1, 2)), (F(2 * 2**18 - 1, 2), F(1, 2)))
    assert refuses(checker, lambda: checker.Measure.of(law, tilt, BITS, checker.Work())) == MALFORMED


@probe
def what_is_left_of_a_measure(checker: Checker) -> None:
    """The mean of the positive part, with what was cut."""
    rng = random.Random(5)
    for level in (0, 2):
        tilt = checker.Tilt.first(F(3, 7), 2**59, BITS)
        for _ in range(level):
            tilt = tilt.next(checker.Work())
        for _ in range(20):
            measure = random_measure(checker, rng)
            start = max(1, measure.low)
            weight, total = binary_power(ceil(F(4**FINE, tilt.low)), start), F(0)
            for place in range(start, measure.low + len(measure.masses)):
                total += F(place * measure.masses[place - measure.low] * weight, 2**FINE)
                weight = ceil(F(weight * ceil(F(4**FINE, tilt.low)), 2**FINE))
            total += F(measure.lost * tilt.low * 10**9, (tilt.low - 2**FINE) * 2718281828)
            expected = total * F(3, 7) * 2**level * F(2) ** -measure.scale
            assert measure.positive_part(tilt, checker.Work()) == expected
    for scale, said in [(2**18, NOTHING), (-(2**18), NOTHING), (2**18 + 1, MALFORMED), (-(2**18) - 1, MALFORMED)]:
        measure = checker.Measure(1, [1], 0, scale)
        assert refuses(checker, lambda m=measure: m.positive_part(tilt, checker.Work())) == said


# --- Laws of values, and pairs ---------------------------------------------------------------------------------------


def random_classes(rng: random.Random) -> list[tuple[Fraction, Fraction, Fraction]]:
    size = rng.randint(2, 4)
    rows = [[rng.choice([0, 1, 2, 4]) for _ in range(size)] for _ in range(3)]
    rows = [[*row, 16 - sum(row)] for row in rows]
    columns = [[F(weight, 16) for weight in column] for column in zip(*rows, strict=True)]
    return [(p, q, min(p, q, r)) for p, q, r in columns]


@probe
def laws_of_values(checker: Checker) -> None:
    rng = random.Random(6)
    for _ in range(60):
        classes, ratio = random_classes(rng), rng.choice([F(1), F(4, 3), F(3)])
        charge = sum((max(F(0), p - ratio * q) for p, q, c in classes if c == 0), F(0))
        law: dict[Fraction, Fraction] = {}
        for p, q, c in classes:
            if c and p != ratio * q:
                law[(p - ratio * q) / c] = law.get((p - ratio * q) / c, F(0)) + c
        mean = sum((value * mass for value, mass in law.items()), F(0))
        if rest := 1 - sum(law.values()):
            law[F(0)] = rest
        if mean > 0:
            charge, law = charge + mean, {-value: mass for value, mass in law.items()}
        assert checker.least_values(classes, ratio, checker.Work()) == (charge, tuple(sorted(law.items())))


@probe
def bounds_of_pairs(checker: Checker) -> None:
    """On a lattice that has every value nothing is spread, and what is above the truth is rounding; at the lowest
    precision every rounding shows. Coarser lattices are above it, also after many levels."""
    rng = random.Random(7)
    for n in (1, 2, 3, 4, 5, 6, 7, 11):
        for _ in range(6):
            _, values = checker.least_values(random_classes(rng), rng.choice([F(1), F(4, 3), F(3)]), checker.Work())
            truth = divergence(values, n)
            common = lcm(*(value.denominator for value, _ in values))
            spacing = F(gcd(*(int(value * common) for value, _ in values)) or 1, common)
            fine = checker.Lattice(BITS, 2**17, []).mean_positive_part(values, n, (spacing, 2**60), checker.Work())
            assert truth <= fine <= truth + F(1, 10**6)
            for step, tilt, near in ((F(1, 5), 2**60, 1), (F(1), 2**63, 4)):
                lattice = checker.Lattice(BITS, 16, [])
                assert truth <= lattice.mean_positive_part(values, n, (step, tilt), checker.Work()) <= truth + near


@probe
def what_is_cut_is_charged(checker: Checker) -> None:
    """Rare large values, of which more is cut than rounding adds."""
    values = ((F(-1), 1 - F(1, 2**50)), (F(3), F(1, 2**50)))
    for n in (1, 2, 3, 5):
        reached = checker.Lattice(BITS, 16, []).mean_positive_part(values, n, (F(1), 2**40), checker.Work())
        assert divergence(values, n) <= reached < F(1, 2**20)


@probe
def pairs_of_a_table(checker: Checker) -> None:
    """Both orders of every two different rows, in lexicographic order; equal ones are one, as are equal laws."""
    rows = [{"0": "1/2", "1": "1/2"}, {"0": "1/4", "2": "3/4"}, {"1": "1/2", "0": "1/2"}, {"0": "1", "": "0"}]
    listed = [[{"send": sent.split(), "prob": p} for sent, p in row.items() if p != "0"] for row in rows]
    randomizer = checker.Randomizer.read({"messages": "3", "rows": listed}, checker.Work())
    columns = checker.Columns.of(randomizer, checker.Work())
    different = [(x, y) for x, y in permutations(range(4), 2) if {x, y} != {0, 2}]
    assert columns.different_pairs() == different
    numbers = [{sent: F(p) for sent, p in row.items()} for row in rows]
    sent = ["0", "1", "2", ""]
    least = {m: min(row.get(m, F(0)) for row in numbers) for m in sent}
    weights = [F(1, 6), F(1, 3), F(0), F(1, 2)]
    mixed = {m: sum(w * row.get(m, F(0)) for w, row in zip(weights, numbers, strict=True)) for m in sent}
    for x, y in different:
        for reference, classes in (
            (least, columns.blanket(x, y, checker.Work())),
            (mixed, columns.weighted(x, y, weights, checker.Work())),
        ):
            expected = [(numbers[x].get(m, F(0)), numbers[y].get(m, F(0)), reference[m]) for m in sent[:3]]
            law = checker.law_of_values(expected, F(3, 2), checker.Work())
            assert checker.law_of_values(classes, F(3, 2), checker.Work()) == law
    view = checker.View(randomizer, 5, "replace-one", False)
    assert list(view.blankets(checker.Work())) == [columns.blanket(x, y, checker.Work()) for x, y in different]


@probe
def bounds_that_are_taken(checker: Checker) -> None:
    """Each new law of values takes the next bound, and all are taken; a pair that is known takes none."""
    likely = [(F(2, 3), F(1, 3), F(1, 3)), (F(1, 3), F(2, 3), F(1, 3))]
    mirrored = [(q, p, c) for p, q, c in likely]
    other = [(F(3, 4), F(1, 4), F(1, 4)), (F(1, 4), F(3, 4), F(1, 4))]
    nothing = [(F(1, 2), F(1, 2), F(1, 2))] * 2
    bound, one = (F(1, 8), 2**60), F(1)

    def said(pairs: list[Any], bounds: int, delta: Fraction = one) -> str:
        lattice = checker.Lattice(BITS, 64, [bound] * bounds)
        return refuses(checker, lambda: lattice.check(pairs, 4, F(1), delta, checker.Work()))

    assert said([likely], 1) == said([likely, mirrored, likely], 1) == said([likely, other], 2) == NOTHING
    assert said([nothing], 0) == said([], 0) == NOTHING
    assert said([likely], 0) == said([likely, other], 1) == REJECTED
    assert said([likely], 2) == said([nothing], 1) == said([], 1) == REJECTED
    values = checker.least_values(other, F(1), checker.Work())[1]
    reached = checker.Lattice(BITS, 64, []).mean_positive_part(values, 4, bound, checker.Work())
    assert said([likely, other], 2, reached) == NOTHING
    assert said([likely, other], 2, reached - F(1, 10**30)) == REJECTED
    apart = [(F(1, 3), F(0), F(0)), (F(2, 3), F(1), F(2, 3))]  # charged, and of no positive value
    assert said([apart], 0, F(1, 3)) == NOTHING
    assert said([apart], 0, F(333, 1000)) == REJECTED


# --- Families --------------------------------------------------------------------------------------------------------


def hadamard_sign(row: int, column: int) -> bool:
    return bin(row & column).count("1") % 2 == 0


def supports(family: str, inputs: int, size: int) -> list[list[bool]]:
    """For each message, by listing them, the inputs that it supports."""
    if family == "k-ary":
        return [[m == x for x in range(inputs)] for m in range(inputs)]
    if family == "unary-encoding":
        return [list(bits) for bits in product((False, True), repeat=inputs)]
    if family == "subset-selection":
        return [list(bits) for bits in product((False, True), repeat=inputs) if sum(bits) == size]
    if family == "hadamard":
        columns = next(k for k in (2**i for i in range(9)) if k > inputs)
        return [[hadamard_sign(x + 1, column) for x in range(inputs)] for column in range(columns)]
    hashes = product(range(size), repeat=inputs)
    return [[h[x] == sent for x in range(inputs)] for h in hashes for sent in range(size)]


def listed_rows(family: str, inputs: int, size: int) -> list[list[Fraction]]:
    """For each input its law, the messages in one order: from the definition."""
    messages, exp_eps0, one, other = supports(family, inputs, size), F(7, 2), F(3, 5), F(2, 9)
    if family == "unary-encoding":
        return [
            [
                prod(chance if bit else 1 - chance for bit, chance in zip(bits, own, strict=True))
                for bits in messages
                for own in [[one if i == x else other for i in range(inputs)]]
            ]
            for x in range(inputs)
        ]
    rows = [[exp_eps0 if bits[x] else F(1) for bits in messages] for x in range(inputs)]
    return [[weight / sum(row) for weight in row] for row in rows]


SHAPES = [("k-ary", d, 0) for d in (2, 3, 4, 5)] + [("unary-encoding", d, 0) for d in (2, 3, 4)]
SHAPES += [("subset-selection", d, w) for d, w in ((2, 1), (3, 2), (4, 2), (5, 3))] + [
    ("hadamard", d, 0) for d in (2, 3, 4, 8)
]
SHAPES += [("local-hashing", d, g) for d, g in ((2, 2), (2, 3), (3, 2), (3, 3), (4, 2))]
KEYS = {"subset-selection": "size", "local-hashing": "buckets"}


def written(family: str, inputs: int, size: int) -> dict[str, str]:
    numbers = {"one": "3/5", "other": "2/9"} if family == "unary-encoding" else {"exp_eps0": "7/2"}
    sizes = {KEYS[family]: str(size)} if family in KEYS else {}
    return {"family": family, "inputs": str(inputs), **sizes, **numbers}


@probe
def classes_of_families(checker: Checker) -> None:
    for family, inputs, size in SHAPES:
        rows = listed_rows(family, inputs, size)
        read = checker.read_family(written(family, inputs, size), checker.Work())
        least = [min(column) for column in zip(*rows, strict=True)]
        for ratio in (F(1), F(3, 2)):

            def law(classes: Any, ratio: Fraction = ratio) -> Any:
                charge, values = checker.law_of_values(classes, ratio, checker.Work())
                return charge, {value: masses for value, masses in values.items() if value}

            for x, y in permutations(range(inputs), 2):
                assert law(read.blanket()) == law(zip(rows[x], rows[y], least, strict=True))
            thirds = {"third": 3 if family == "hadamard" else 2, "xor": 2, "first": 0, "second": 1}
            there = ["first", "second"] + ["third"] * (inputs > 2 + (family == "hadamard"))
            there += ["xor"] * (inputs > 2 and family == "hadamard")
            for word, held in thirds.items():
                if word in there:
                    expected = law(zip(rows[0], rows[1], rows[held], strict=True))
                    assert law(read.others(word)) == expected
                else:
                    assert refuses(checker, lambda read=read, word=word: read.others(word)) == MALFORMED


@probe
def tables_of_a_family(checker: Checker) -> None:
    for top, ratio in ((1, F(1, 3)), (4, F(2, 5))):
        written = {"family": "clipped-discrete-laplace", "top": str(top), "ratio": str(ratio)}
        read = checker.read_family(written, checker.Work())
        assert read.messages == top + 1
        for x, row in enumerate(read.rows):
            ends = {0: ratio**x / (1 + ratio), top: ratio ** (top - x) / (1 + ratio)}
            for y, (outcome, weight) in enumerate(row.items()):
                assert outcome == tuple(int(i == y) for i in range(top + 1))
                inside = (1 - ratio) / (1 + ratio) * ratio ** abs(x - y)
                assert F(weight, read.denominator) == ends.get(y, inside)
            assert sum(row.values()) == read.denominator


@probe
def limits_of_families(checker: Checker) -> None:
    def said(**changes: str) -> str:
        family = {"family": "k-ary", "inputs": "3", "exp_eps0": "2"}
        if "other" in changes or "one" in changes:
            family = {"family": "unary-encoding", "inputs": "3", "one": "1/2", "other": "1/3"}
        if "size" in changes:
            family = {"family": "subset-selection", "inputs": "3", "size": "1", "exp_eps0": "2"}
        if "buckets" in changes:
            family = {"family": "local-hashing", "inputs": "3", "buckets": "2", "exp_eps0": "2"}
        if "ratio" in changes or "top" in changes:
            family = {"family": "clipped-discrete-laplace", "top": "3", "ratio": "1/2"}
        return refuses(checker, lambda: checker.read_family({**family, **changes}, checker.Work()))

    taken = [{"inputs": "2"}, {"inputs": str(10**9)}, {"exp_eps0": "1001/1000"}, {"one": "2/3"}, {"other": "1/9"}]
    taken += [{"size": "2"}, {"buckets": "2"}, {"buckets": str(2**64)}, {"top": "1"}, {"top": "255"}]
    refused = [{"inputs": "1"}, {"inputs": str(10**9 + 1)}, {"exp_eps0": "1"}, {"exp_eps0": "-2"}, {"one": "1/3"}]
    refused += [{"other": "1/2"}, {"other": "0"}, {"one": "1"}, {"size": "0"}, {"size": "3"}, {"buckets": "1"}]
    refused += [{"buckets": str(2**64 + 1)}, {"top": "0"}, {"top": "256"}, {"ratio": "0"}, {"ratio": "1"}]
    refused += [{"exp_eps0": hex(2**4096)}, {"more": "1"}, {"ratio": f"1/{hex(2**1100)}", "top": "255"}]
    refused += [{"size": "1", "exp_eps0": "1"}, {"buckets": "2", "exp_eps0": "1"}]
    columns = {"family": "hadamard", "inputs": "3", "exp_eps0": "1"}
    assert refuses(checker, lambda: checker.read_family(columns, checker.Work())) == MALFORMED
    assert [said(**changes) for changes in taken] == [NOTHING] * len(taken)
    assert [said(**changes) for changes in refused] == [MALFORMED] * len(refused)
    for inputs, classes in ((2048, 5), (2049, 4)):  # the mass of all ones has 4096 bits, or more
        family = {"family": "unary-encoding", "inputs": str(inputs), "one": "1/2", "other": "1/3"}
        assert len(checker.read_family(family, checker.Work()).blanket()) == classes
    for inputs, classes in ((2049, 5), (2050, 4)):
        family = {"family": "local-hashing", "inputs": str(inputs), "buckets": "3", "exp_eps0": "2"}
        assert len(checker.read_family(family, checker.Work()).blanket()) == classes
