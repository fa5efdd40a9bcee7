"""Privacy by a swap: cosines, tilted masses, sizes at nodes, nodes, chances, powers, sums and the limits of a plan."""

from __future__ import annotations

import functools
import itertools
import math
import random
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from tests.certificates.probes.common import Checker, probe, refuses, refuses_beyond

F = Fraction
REJECTED, MALFORMED, NOTHING = "CertificateRejectedError", "MalformedCertificateError", "nothing"
DIGITS = 60
SHORT = 10  # bits at which every rounding shows


def number(value: Fraction) -> Any:
    return mpf(value.numerator) / value.denominator


def plan(
    checker: Checker, nodes: int = 12, stages: tuple[int, ...] = (2, 4), owns: bool = False, **changes: Fraction
) -> Any:
    fields = {"tilt": F(3, 4), "smoothing": F(1, 3), "step": F(2, 5), **changes}
    return checker.Plan(*fields.values(), nodes, list(stages), owns)


def drawn_classes(rng: random.Random, size: int = 4) -> Any:
    """With zeros, and masses of the reference that may not add up to 1."""
    rows = [[rng.randint(0, 5) for _ in range(size)] for _ in range(3)]
    total = max(map(sum, rows)) + 1
    return [tuple(F(weight, total) for weight in column) for column in zip(*rows, strict=True)]


def values_of(classes: Any, ratio: Fraction) -> tuple[Fraction, dict[Fraction, Fraction]]:
    charge, law = F(0), {F(0): F(1)}
    for p, q, r in classes:
        if r == 0:
            charge += max(F(0), p - ratio * q)
        else:
            value = (p - ratio * q) / r
            law[value] = law.get(value, F(0)) + r
            law[F(0)] -= r
    return charge, law


def moment(law: dict[Fraction, Fraction], tilt: Fraction, y: Fraction) -> Any:
    """The mean of e^((tilt + iy) value)."""
    z = mp.mpc(number(tilt), number(y))
    return mp.fsum(number(mass) * mp.exp(z * number(value)) for value, mass in law.items())


@probe
def unit_numbers(checker: Checker) -> None:
    """By less than 4 units, in every quadrant, small and up to the limit."""
    rng = random.Random(1)
    angles = [F(0), F(1, 8), F(-1, 8), F(1, 2**80), F(355, 113), F(2**20) - F(1, 7), F(-(2**20)) + F(1, 3)]
    angles += [F(rng.randint(-(10**9), 10**9), rng.randint(1, 10**9)) for _ in range(60)]
    with mp.workdps(400):
        for bits in (4, SHORT, 128, 900):
            for angle in angles:
                for found, exact in zip(checker.unit_number(angle, bits), (mp.cos, mp.sin), strict=True):
                    assert abs(found - exact(number(angle)) * 2**bits) < 4
    for angle, said in ((F(2**20) - F(1, 9), NOTHING), (F(2**20), MALFORMED), (F(-(2**21)), MALFORMED)):
        assert refuses(checker, lambda angle=angle: checker.unit_number(angle, 64)) == said


@probe
def exponentials_of_a_tilt(checker: Checker) -> None:
    with mp.workdps(DIGITS):
        for exponent in (F(0), F(1, 3), F(-7, 5), F(20), 20 + F(2**30 - 1, 2**40), F(-20), F(-1, 2**90)):
            for bits in (SHORT, 64):
                low, high = checker.tilted_bounds(exponent, bits)
                exact = mp.exp(number(exponent)) * 2**bits
                assert low <= exact <= high <= exact * (1 + mpf(2) ** (4 - bits)) + 4
                assert low >= exact * (1 - mpf(2) ** (4 - bits)) - 4
                assert exact <= checker.exp_above(exponent, bits) <= exact * (1 + mpf(2) ** (2 - bits)) + 3
    assert checker.tilted_bounds(F(-5000), 64)[0] == 0
    assert checker.exp_above(F(-5000), 64) >= 1


@probe
def tilted_rows(checker: Checker) -> None:
    """Masses above, their excess, the charge; and sizes at least the absolute values, and little more."""
    rng = random.Random(2)
    with mp.workdps(DIGITS):
        for _ in range(40):
            classes, ratio = drawn_classes(rng), rng.choice([F(1), F(5, 4), F(3)])
            charge, law = values_of(classes, ratio)
            for bits in (SHORT, 96):
                chosen = plan(checker)
                row = checker.Tilted.of(classes, ratio, chosen.tilt, bits, checker.Work())
                assert row.charge == charge
                exact = [number(law[v]) * mp.exp(number(chosen.tilt * v)) * 2**bits for v in row.values]
                assert all(mass >= least for mass, least in zip(row.masses, exact, strict=True))
                assert row.moment == sum(row.masses)
                assert row.moment - mp.fsum(exact) <= row.excess <= 8 * len(exact) + row.moment * mpf(2) ** (3 - bits)
                sizes = row.sizes(chosen, bits, checker.Work())
                for k, size in enumerate(sizes):
                    least = abs(moment(law, chosen.tilt, k * chosen.step * chosen.tilt)) * 2**bits
                    assert least <= size <= least + 2 * row.excess + row.moment * mpf(2) ** (2 - bits) + 4
                assert len(sizes) == chosen.nodes + 1


@probe
def weights_of_nodes(checker: Checker) -> None:
    with mp.workdps(DIGITS):
        for smoothing, step, nodes in ((F(1, 3), F(2, 5), 12), (F(1, 8), F(1, 2), 1), (F(3), F(2), 40)):
            for bits in (SHORT, 96):
                chosen = plan(checker, nodes, smoothing=smoothing, step=step)
                found = checker.Nodes.of(chosen, bits, checker.Work())
                h, s = number(step), number(smoothing)
                falls = [mp.exp(-((s * h * k) ** 2) / 2) for k in range(nodes + 1)]
                for k, (weight, fall) in enumerate(zip(found.weights, falls, strict=True)):
                    exact = h * fall / (1 + (h * k) ** 2) * (2 if k else 1) * 2**bits
                    assert exact <= weight <= exact + 2 * h + 2
                rest = 2 * falls[-1] / (h * nodes) * 2**bits
                assert rest <= found.rest <= rest + 4 / (h * nodes) + 2
                factor = mp.exp(s**2 / 2) / (2 * mp.pi * number(chosen.tilt))
                assert factor < number(found.factor) < factor * (1 + mpf(2) ** (3 - bits) + mpf(10) ** -13)


@probe
def chances_of_stages(checker: Checker) -> None:
    with mp.workdps(DIGITS):
        settings = itertools.product((F(0), F(1, 3), F(999, 1000), F(1)), (SHORT, 96), (False, True), (10, 14))
        for gamma, bits, owns, others in settings:
            chosen = plan(checker, stages=(2, 4, 10), owns=owns)
            weights, left = checker.AtPlan(chosen, bits, F(1), checker.Work()).left(gamma, others)
            ends = []
            for t in (0, *chosen.stages):
                asked = range(others, others - t, -1) if owns else ()
                end = (1 - gamma) ** t * math.prod((s / (s + gamma) for s in asked), start=F(1))
                ends.append(number(end) * 2**bits)
            assert ends[-1] <= left <= ends[-1] + 40
            for weight, before, after in zip(weights, ends, ends[1:], strict=False):
                assert before - after <= weight <= before - after + 80


@probe
def powers_and_sums(checker: Checker) -> None:
    """The whole bound of a vertex, which the formula gives; at few bits above it, at many next to it."""
    rng = random.Random(3)
    with mp.workdps(DIGITS):
        for _ in range(12):
            ratio, shares = F(3, 2), [F(1, 3), F(2, 3)]
            rows = [drawn_classes(rng) for _ in shares]
            laws = [values_of(classes, ratio)[1] for classes in rows]
            for bits in (SHORT, 96):
                chosen, copies = plan(checker), [8, 6]
                taken = checker.AtPlan(chosen, bits, ratio, checker.Work())
                taken.nodes = checker.Nodes.of(chosen, bits, taken.work)
                forms = [(share, taken.row(classes)) for share, classes in zip(shares, rows, strict=True)]
                square = checker.up(sum(-(-share * form.moment**2 // 1) for share, form in forms), bits)
                squares = [
                    mp.fsum(
                        number(share) * abs(moment(law, chosen.tilt, k * chosen.step * chosen.tilt)) ** 2
                        for share, law in zip(shares, laws, strict=True)
                    )
                    for k in range(chosen.nodes + 1)
                ]
                powers, sums = taken.powers(square, copies), taken.sums(forms, square, copies)
                for r, power, total in zip(copies, powers, sums, strict=True):
                    exact = mp.fsum(
                        mpf(w) / 2**bits * of ** (r // 2) for w, of in zip(taken.nodes.weights, squares, strict=True)
                    )
                    exact += mpf(taken.nodes.rest) / 2**bits * squares[0] ** (r // 2)
                    reached = mpf(power) * total / 4**bits
                    assert exact <= reached
                    assert bits == SHORT or reached <= exact * (1 + mpf(10) ** -20)


@probe
def powers_for_many_users(checker: Checker) -> None:
    """Where a logarithm that is a unit too small would show."""
    rng = random.Random(6)
    with mp.workdps(DIGITS):
        for _ in range(12):
            square, r = (1 << 64) - rng.randrange(1 << 26), 2 * rng.randrange(1 << 38, 1 << 39)
            (power,) = checker.AtPlan(plan(checker), 64, F(1), checker.Work()).powers(square, [r])
            assert (mpf(square) / 2**64) ** (r // 2) * 2**64 <= power


@probe
def moments_that_are_too_large(checker: Checker) -> None:
    taken = checker.AtPlan(plan(checker), 64, F(1), checker.Work())
    assert refuses(checker, lambda: taken.powers(3 << 64, [2 * 3728])) == NOTHING
    assert refuses(checker, lambda: taken.powers(3 << 64, [2 * 3729])) == REJECTED


@probe
def numbers_of_ones(checker: Checker) -> None:
    """What is told has at most its masses; all else is kept as what one side alone sends, or merged and less."""
    unit = F(1, 2**checker.CELL_BITS)
    for noise, bits in ((F(1, 4), 9), (F(9, 10), 80), (F(1, 1000), 12), (F(2, 5), 200)):
        less = min(noise, 1 - noise)
        own = [math.comb(bits, j) * less**j * (1 - less) ** (bits - j) for j in range(bits + 1)]
        fair = [F(math.comb(bits, j), 2**bits) for j in range(bits + 1)]
        told = [j for j in range(bits + 1) if min(own[j], fair[j]) > F(1, 2**checker.RARE_BITS)]
        rest = [[j for j in range(bits + 1) if j not in told and (own[j] < fair[j]) == side] for side in (False, True)]
        sums = [
            (sum((own[j] for j in js), F(0)), sum((fair[j] for j in js), F(0))) for js in [[j] for j in told] + rest
        ]
        found = checker.numbers_of_ones(noise, bits, checker.MAX_COUNTS + 1, checker.Work(), True)
        assert len(found) == len(sums)
        for cell, exact in zip(found, sums, strict=True):
            assert all(0 <= e - c <= 2 * bits * unit for c, e in zip(cell, exact, strict=True))
        *cells, first, second = checker.numbers_of_ones(noise, bits, checker.MAX_COUNTS + 1, checker.Work())
        assert cells == found[: len(told)]
        assert (first[1], second[0]) == (0, 0)
        assert all(sum(column) == 1 for column in zip(*cells, first, second, strict=True))
    for bits in range(1, 6):
        listed = checker.numbers_of_ones(F(2, 7), bits, bits, checker.Work())
        assert listed == [
            (F(math.comb(bits, j) * 2**j * 5 ** (bits - j), 7**bits), F(math.comb(bits, j), 2**bits))
            for j in range(bits + 1)
        ]
    for bits, said in ((checker.MAX_FAIR_BITS, NOTHING), (checker.MAX_FAIR_BITS + 1, MALFORMED)):
        asked = functools.partial(checker.numbers_of_ones, F(1, 3), bits, bits, checker.Work(), True)
        assert refuses(checker, asked) == said


@probe
def closed_brackets(checker: Checker) -> None:
    """Against the sum over both counts, in fractions; and where a positive t is too small."""
    for k, e, n, ratio in itertools.product((3, 6), (F(7), F(19, 2)), range(1, 7), (F(1), F(3, 2), F(4), F(8))):
        family = checker.read_family({"family": "k-ary", "inputs": str(k), "exp_eps0": str(e)}, checker.Work())
        q, is_open, total = 1 / (e + k - 1), False, F(0)
        for a, b in itertools.product(range(n + 1), repeat=2):
            t, left = a * (e - ratio) - b * (e * ratio - 1), n - a - b
            if left < 0 or t <= 0:
                continue
            is_open |= t < (ratio - 1) * left
            ways = F(math.factorial(n), math.factorial(a) * math.factorial(b) * math.factorial(left))
            share = ways * q ** (a + b) * (1 - 2 * q) ** left
            total += share * (t - (ratio - 1) * left * (k - 2) * q / (1 - 2 * q))
        asked = functools.partial(checker.closed_divergence, family, n, ratio, checker.Work())
        if is_open:
            assert refuses(checker, asked) == REJECTED
        else:
            assert asked() == total / n


@probe
def limits_of_a_plan(checker: Checker) -> None:
    fields = {"tilt": "1", "smoothing": "1", "step": "1", "nodes": "8", "stages": ["2", "4", "6"]}
    owning = {"own_stages" if key == "stages" else key: value for key, value in fields.items()}
    written = {"bits": "64", "plans": [fields] * 5, "pairs": ["0"]}
    refuses_beyond(
        checker,
        [
            ("MAX_NODES", 8, lambda: checker.Plan.read(fields)),
            ("MAX_STAGES", 3, lambda: checker.Plan.read(fields)),
            ("MAX_STAGES", 3, lambda: checker.Plan.read(owning)),
            ("MAX_PLANS", 5, lambda: checker.Swap.read(written, False)),
            ("MAX_FACTORS", 2, lambda: checker.read_places(["0", "1"])),
            ("MAX_PHASE_BITS", 8, lambda: checker.unit_number(F(255), 64)),
        ],
    )


@probe
def dummies_of_one_input(checker: Checker) -> None:
    """Of Hadamard response every kind is one of inputs where these are all numbers of some bits but 0."""
    for inputs, said in ((3, True), (4, False), (6, False), (7, True)):
        fields = {"family": "hadamard", "inputs": str(inputs), "exp_eps0": "4"}
        family = checker.read_family(fields, checker.Work())
        assert checker.is_attained(family, checker.Dummy("", "input", {})) is said
