"""Weights, divergences and masses of the noise laws."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, factorial, prod
from types import SimpleNamespace
from typing import Any

from mpmath import mp, mpf

from tests.certificates.probes.common import TINY, Checker, probe, refuses, walked_noise


def gamma_ratio(r: Any, t: int) -> Any:
    return mp.gammaprod([r + t], [r, t + 1])


LAWS: list[tuple[dict[str, Any], Callable[[int], Any], range]] = [
    (
        {"family": "binomial", "n": "12", "p": "1/3"},
        lambda t: mpf(comb(12, t)) * mpf(2) ** (12 - t) / 3**12,
        range(13),
    ),
    ({"family": "binomial", "n": "3", "p": "1"}, lambda t: mpf(t == 3), range(4)),
    ({"family": "binomial", "n": "3", "p": "0"}, lambda t: mpf(t == 0), range(4)),
    ({"family": "binomial", "n": "0", "p": "1/2"}, lambda t: mpf(1), range(1)),
    (
        {"family": "binomial", "n": "9", "p": {"exp": "-1"}},
        lambda t: comb(9, t) * mp.exp(-t) * (1 - mp.exp(-1)) ** (9 - t),
        range(10),
    ),
    (
        {"family": "binomial-sum", "n1": "4", "p1": "1/3", "n2": "5", "p2": "3/4"},
        lambda t: mp.fsum(
            mpf(comb(4, i) * comb(5, t - i)) * mpf(2) ** (4 - i) / 3**4 * mpf(3) ** (t - i) / 4**5
            for i in range(max(0, t - 5), min(4, t) + 1)
        ),
        range(10),
    ),
    (
        {"family": "negative-binomial", "r": "5/2", "p": "2/3"},
        lambda t: gamma_ratio(mpf(5) / 2, t) * (mpf(2) / 3) ** t * (mpf(1) / 3) ** (mpf(5) / 2),
        range(40),
    ),
    (
        {"family": "negative-binomial", "r": "1/2", "p": "2/3"},
        lambda t: gamma_ratio(mpf(1) / 2, t) * (mpf(2) / 3) ** t * (mpf(1) / 3) ** (mpf(1) / 2),
        range(40),
    ),
    (
        {"family": "negative-binomial", "r": {"log": "20"}, "p": {"exp": "-1/2"}},
        lambda t: gamma_ratio(mp.log(20), t) * mp.exp(-mpf(t) / 2) * (1 - mp.exp(-mpf(1) / 2)) ** mp.log(20),
        range(40),
    ),
    ({"family": "geometric", "p": "3/4"}, lambda t: (mpf(3) / 4) ** t / 4, range(40)),
    ({"family": "discrete-laplace", "exp_eps": "3/2"}, lambda t: (mpf(2) / 3) ** abs(t) / 5, range(-30, 31)),
    (
        {"family": "discrete-laplace", "exp_eps": {"exp": "1/3"}},
        lambda t: mp.exp(-mpf(abs(t)) / 3) * mp.tanh(mpf(1) / 6),
        range(-30, 31),
    ),
    (
        {"family": "discrete-gaussian", "sigma_squared": "5/2"},
        lambda t: mp.exp(-mpf(t * t) / 5) / mp.nsum(lambda s: mp.exp(-(s**2) / 5), [-mp.inf, mp.inf]),
        range(-12, 13),
    ),
    ({"family": "poisson", "mu": "7/2"}, lambda t: mp.exp(-3.5) * mpf(3.5) ** t / factorial(t), range(30)),
    (
        {"family": "poisson", "mu": {"log": "30"}},
        lambda t: mp.log(30) ** t / factorial(t) / 30,
        range(30),
    ),
]


def sides(checker: Checker, law: dict[str, Any], bits: int) -> Any:
    return checker.Noise.read(law, checker.Work()).sides(bits, checker.Work())


@probe
def walked_weights(checker: Checker) -> None:
    """Each weight is enclosed, relative to the one at the start, and what was not reached is at most the rest."""
    with mp.workprec(300):
        for law, pmf, support in LAWS:
            if law["family"] == "binomial-sum":
                continue
            for bits in (16, 60):
                start, above, below = sides(checker, law, bits)
                up, down = list(above), list(below)
                unit = mpf(2) ** bits / pmf(start)
                for t, (low, high) in [*enumerate(up, start), *((start - 1 - i, w) for i, w in enumerate(down))]:
                    weight = pmf(t) * unit
                    assert low <= weight * (1 + TINY), (law, t)
                    assert weight * (1 - TINY) <= high, (law, t)
                    assert high - low <= 3 * len(up + down) + 8, (law, t)
                for rest, beyond in (
                    (above.rest, [t for t in support if t >= start + len(up)]),
                    (below.rest, [t for t in support if t < start - len(down)]),
                ):
                    missing = mp.fsum(pmf(t) for t in beyond) * unit
                    assert missing <= rest, law
                    assert rest <= 10**5


@probe
def walks_end(checker: Checker) -> None:
    """The number of weights to both sides, and the rests, as they follow from the ratios by hand."""
    found = {}
    for law, _, _ in LAWS:
        start, above, below = sides(checker, law, 16)
        found[json.dumps(law)] = (start, len(list(above)), len(list(below)), above.rest, below.rest)
    for text, (start, up, down, above, below) in found.items():
        law = json.loads(text)
        if law["family"] == "binomial":
            n = int(law["n"])
            assert (start, up + down) == (start, n + 1) or law["p"] in ("0", "1")
            if law["p"] == "1/3":
                assert start == 13 // 3
            assert below == 0 or law["p"] == "0"
        if law["family"] in ("geometric", "poisson", "negative-binomial"):
            assert below == 0
            assert down == start
        if law["family"] in ("discrete-laplace", "discrete-gaussian"):
            assert (start, up, above) == (0, down + 1, below)
    geometric = found[json.dumps({"family": "geometric", "p": "3/4"})]
    low = high = 2**16
    steps = 0
    while low:
        low, high, steps = low * 3 // 4, -(-high * 3 // 4), steps + 1
    assert geometric == (0, steps + 1, 0, high * 3, 0)
    half = checker.Noise.read({"family": "negative-binomial", "r": "1/2", "p": "2/3"}, checker.Work())
    _, above, _ = half.sides(16, checker.Work())
    weights = list(above)
    assert above.rest == weights[-1][1] * 2


@probe
def weights_of_a_sum(checker: Checker) -> None:
    law, pmf, _ = next(entry for entry in LAWS if entry[0]["family"] == "binomial-sum")
    with mp.workprec(300):
        start, above, below = sides(checker, law, 40)
        weights = [*enumerate(above, start), *((start - 1 - i, w) for i, w in enumerate(below))]
        assert {t for t, _ in weights} == set(range(10))
        assert (above.rest, below.rest) == (0, 0)
        scale = [low / pmf(t) for t, (low, high) in weights], [high / pmf(t) for t, (low, high) in weights]
        assert max(scale[0]) <= min(scale[1])
        assert min(scale[0]) >= max(scale[1]) * (1 - mpf(2) ** -30)
    wide = {"family": "binomial-sum", "n1": "4000", "p1": "1/3", "n2": "5000", "p2": "3/4"}
    with mp.workprec(300):
        start, above, below = sides(checker, wide, 16)
        up, down = list(above), list(below)
        assert above.rest == below.rest > 0
        exact = {}
        first = {t: comb(4000, t) * 2 ** (4000 - t) for t in range(1200, 1470)}
        second = {t: comb(5000, t) * 3**t for t in range(3600, 3900)}
        for t in (start - len(down), start - 20, start, start + 20, start + len(up) - 1):
            exact[t] = Fraction(sum(first.get(t - u, 0) * w for u, w in second.items()))
        unit = Fraction(2**32) / (first[4001 // 3] * second[5001 * 3 // 4])
        for t, weight in exact.items():
            low, high = up[t - start] if t >= start else down[start - 1 - t]
            assert low <= weight * unit <= high, t


@probe
def shifted_pairs(checker: Checker) -> None:
    """Y and Y + shift at every outcome: each weight stands once on either side, in its place."""
    witness = {"bits": "40"}
    for law, _, _ in LAWS:
        start, above, below = sides(checker, law, 40)
        weights = dict(enumerate(above, start))
        weights |= {start - 1 - i: w for i, w in enumerate(below)}
        ends = (min(weights), max(weights))
        for shift in (1, 2, 5, 20):
            noise = checker.Noise.read(law, checker.Work())
            pairs = list(checker.enclosed_pairs(noise, shift, 64, witness, checker.Work()))
            placed = {t: (p, q) for t, p, q in pairs if t is not None}
            lumps = [(p, q) for t, p, q in pairs if t is None]
            assert set(placed) <= set(weights)
            for t, (p, q) in placed.items():
                assert p == weights[t]
                if t - shift in weights:
                    assert q == weights[t - shift], (law, t, shift)
                else:
                    assert q == (0, below.rest)
            alone = sorted(q for p, q in lumps if q != (0, above.rest) and q != (0, below.rest))
            waiting = sorted(weights[t] for t in range(ends[1] + 1 - shift, ends[1] + 1) if t in weights)
            assert [w for w in alone if w in waiting] == [w for w in waiting if w in alone]
            assert sum(q == (0, above.rest) or q == (0, below.rest) for _, q in lumps) >= 2
            assert len(pairs) == len(weights) + shift + 2


def exact_weights(law: dict[str, Any]) -> dict[int, Fraction]:
    n, p = int(law["n"]), Fraction(law["p"])
    return {t: comb(n, t) * p**t * (1 - p) ** (n - t) for t in range(n + 1)}


@probe
def divergences(checker: Checker) -> None:
    law = {"family": "binomial", "n": "12", "p": "1/3"}
    weights = exact_weights(law)
    noise = checker.Noise.read(law, checker.Work())
    for shift, ratio in product((1, 2, 13), (Fraction(1), Fraction(3, 2), Fraction(7))):
        at = [(weights.get(t, Fraction(0)), weights.get(t - shift, Fraction(0))) for t in range(13 + shift)]
        exact = {
            "forward": sum((max(Fraction(0), p - ratio * q) for p, q in at), Fraction(0)),
            "backward": sum((max(Fraction(0), q - ratio * p) for p, q in at), Fraction(0)),
        }
        for bits in ("16", "80"):
            high = checker.bound_divergences(noise, shift, ratio, {"bits": bits}, checker.Work(), True)
            low = checker.bound_divergences(noise, shift, ratio, {"bits": bits}, checker.Work(), False)
            for order, value in exact.items():
                assert low[order] <= value <= high[order]
                assert high[order] - low[order] < Fraction(2000, 2 ** int(bits))


@probe
def masses_of_ranges(checker: Checker) -> None:
    law = {"family": "binomial", "n": "12", "p": "1/3"}
    weights, noise = exact_weights(law), checker.Noise.read(law, checker.Work())
    for first, last in ((0, 12), (3, 5), (5, 5), (-4, 0), (12, 40), (13, 20)):
        exact = sum((p for t, p in weights.items() if first <= t <= last), Fraction(0))
        event = checker.Event([(first, last)])
        inside = checker.probability(noise, event, {}, checker.Work())
        assert inside == (exact, exact)
        for bits in ("16", "80"):
            witness = {"bits": bits}
            low, high = checker.probability(noise, event, witness, checker.Work())
            assert low <= exact <= high
            assert high - low < Fraction(200, 2 ** int(bits))
    poisson = checker.Noise.read({"family": "poisson", "mu": "7/2"}, checker.Work())
    with mp.workprec(200):
        for k in range(12):
            low, high = checker.probability(poisson, checker.Event([(k, None)]), {"bits": "64"}, checker.Work())
            exact = mp.gammainc(k, 0, 3.5, regularized=True) if k else mpf(1)
            assert mpf(low.numerator) / low.denominator <= exact <= mpf(high.numerator) / high.denominator
            assert high - low < Fraction(1, 2**50)
    assert checker.shares([1, 3], [5, 9]) == (Fraction(1, 10), Fraction(3, 8))
    assert checker.shares([0, 3], [5, 9]) == (Fraction(0), Fraction(3, 8))
    assert refuses(checker, lambda: checker.shares([0, 3], [0, 9])) == "CertificateRejectedError"


@probe
def events_of_ranges(checker: Checker) -> None:
    """Whether an integer is in an event, and how many of some integers are, against a set that is listed."""
    ranges = [(None, -4), (-2, 1), (5, 3), (6, 6), (9, None)]
    inside = {t for t in range(-40, 41) if t <= -4 or -2 <= t <= 1 or t == 6 or t >= 9}
    for is_outside in (False, True):
        event = checker.Event(ranges, is_outside)
        for t in range(-40, 41):
            assert event.holds(t) == ((t in inside) != is_outside)
        for low, high in product(range(-8, 12), range(-8, 12)):
            if low <= high:
                count = sum((t in inside) != is_outside for t in range(low, high + 1))
                assert event.among(low, high) == count, (low, high, is_outside)
    assert checker.Event([(None, None)]).among(3, 7) == 5
    assert not checker.Event([]).holds(0)


@probe
def uniform_laws(checker: Checker) -> None:
    """Against a list of the outcomes: pairs, shares, the list, and how many outcomes there are."""
    for low, high in ((0, 0), (-3, 4), (5, 9)):
        law = {"family": "discrete-uniform", "low": str(low), "high": str(high)}
        noise, size = checker.Noise.read(law, checker.Work()), high - low + 1
        assert list(noise.table(checker.Work()).stream()) == [(t, 1) for t in range(low, high + 1)]
        assert (noise.table(checker.Work()).total, noise.table(checker.Work()).outcomes) == (size, size)
        assert noise.table(checker.Work()).bits == size.bit_length()
        assert not noise.is_walked
        for shift in range(1, size + 3):
            ends = noise.exact(shift, checker.Work())
            assert (ends.total, ends.bits, ends.step) == (size, size.bit_length(), 0)
            listed = [(int(low <= t <= high), int(low <= t - shift <= high)) for t in range(low - 1, high + shift + 2)]
            pairs = list(ends.pairs(shift))
            assert len(pairs) == ends.outcomes
            for pair in ((1, 0), (1, 1), (0, 1)):
                assert sum(max(p, q) for p, q in pairs if (bool(p), bool(q)) == pair) == listed.count(pair)
            assert all(p == q for p, q in pairs if p and q)
        for first, last in ((low - 2, low), (low, high), (high, high + 5), (high + 1, high + 2), (low + 1, high - 1)):
            share = Fraction(len(range(max(first, low), min(last, high) + 1)), size)
            assert noise.share(checker.Event([(first, last)]), checker.Work()) == share
    long = {"family": "discrete-uniform", "low": "1", "high": hex(2**262143)}
    work = checker.Work()
    assert checker.Noise.read(long, work).share(checker.Event([(1, 1)]), work) == Fraction(1, 2**262143)
    assert 10**3 < checker.MAX_WORK - work.left < 10**6  # paid for by the length of the numbers
    assert refuses(checker, lambda: checker.Noise.read(long, work).table(work).stream()) == "nothing"


@probe
def schemas_that_can_say_it(checker: Checker) -> None:
    """The first schema that has all that a document says, at any depth."""
    die = {"family": "discrete-uniform", "low": "1", "high": "6"}
    coin, wave = {"family": "binomial", "n": "2", "p": "1/2"}, {"family": "poisson", "mu": "1"}
    for place, value in (
        (0, "text"),
        (0, []),
        (0, {"kind": "shift_dp", "law": coin}),
        (1, {"kind": "shift_dp", "law": wave}),
        (1, {"kind": "tail", "law": coin}),
        (1, {"kind": "shift_dp", "law": {**coin, "p": {"exp": "-1"}}}),
        (2, {"kind": "shift_dp", "law": die}),
        (2, [{"kind": "tail", "law": wave}, {"kind": "not", "claim": {"kind": "tail", "law": die}}]),
        (2, {"kind": "equal_laws", "first": die, "second": wave}),
        (2, {"kind": "equal_laws", "first": wave, "second": die}),
    ):
        assert checker.first_schema(value) == place, value


@probe
def smooth_events(checker: Checker) -> None:
    """The mass of {w(Y) >= E w(Y + by)}, with ties, listed and enclosed."""
    for law, e in product(
        ({"family": "binomial", "n": "12", "p": "1/3"}, {"family": "binomial", "n": "9", "p": "1/2"}),
        (Fraction(1), Fraction(2), Fraction(4), Fraction(3, 2), Fraction(14, 5)),
    ):
        weights = exact_weights(law)
        claim = {"kind": "smooth", "law": law, "k": "3", "exp_eps": str(e), "delta": "0"}
        smooth = checker.Smooth.read(claim, checker.Work())
        for by in (-3, -2, -1, 1, 2, 3):
            ratio = e ** abs(by)
            exact = sum((p for t, p in weights.items() if p >= ratio * weights.get(t + by, Fraction(0))), Fraction(0))
            assert smooth.mass(by, ratio, {}, checker.Work()) == (exact, exact), (law, e, by)
            for bits in ("60", "80"):
                low, high = smooth.mass(by, ratio, {"bits": bits}, checker.Work())
                assert low <= exact <= high, (law, e, by)
                assert high - low < Fraction(1, 2**40), (law, e, by)


def rising(r: Fraction, t: int) -> Fraction:
    """r (r + 1) ... (r + t - 1) / t!."""
    return prod((r + i for i in range(t)), start=Fraction(1)) / factorial(t)


@probe
def ties_of_neighbours(checker: Checker) -> None:
    """Whether an outcome is in a smooth event, by the exact ratio alone."""
    binomial = {"family": "binomial", "n": "9", "p": "2/5"}
    laws: list[tuple[dict[str, str], Callable[[int], Fraction]]] = [
        (binomial, lambda t: exact_weights(binomial)[t]),
        (
            {"family": "negative-binomial", "r": "5/2", "p": "2/3"},
            lambda t: rising(Fraction(5, 2), t) * Fraction(2, 3) ** t,
        ),
        ({"family": "geometric", "p": "2/3"}, lambda t: Fraction(2, 3) ** t),
        ({"family": "poisson", "mu": "7/2"}, lambda t: Fraction(7, 2) ** t / factorial(t)),
        ({"family": "discrete-laplace", "exp_eps": "3"}, lambda t: Fraction(1, 3) ** abs(t - 5)),
    ]
    for law, weight in laws:
        smooth = checker.Smooth.read(
            {"kind": "smooth", "law": law, "k": "3", "exp_eps": "2", "delta": "0"}, checker.Work()
        )
        origin = 5 if law["family"] == "discrete-laplace" else 0
        for by, t in product((-3, -2, -1, 1, 2, 3), range(3, 10)):
            own, other = (t - by, t) if by > 0 else (t, t + by)
            tie = weight(own) / weight(other)
            for ratio in (tie * Fraction(99, 100), tie, tie * Fraction(101, 100)):
                is_in = weight(own) >= ratio * weight(other)
                place = "inside" if is_in else "outside"
                assert smooth.exact_place(t - origin, by, ratio, checker.Work()) == place, (law, by, t)


def stub(checker: Checker, weights: list[tuple[int, int]], rest: int) -> Any:
    """A law with these enclosed weights at 0, 1, ..., and a rest that was not reached."""

    def side(listed: list[tuple[int, int]], unreached: int) -> Any:
        yield from listed
        return unreached

    def sides(bits: int, work: Any) -> Any:
        return checker.Sides(0, checker.Side(side(weights, rest)), checker.Side(side([], 0)))

    return walked_noise(checker, sides)


@probe
def an_enclosure_that_may_be_a_tie(checker: Checker) -> None:
    """w(0) from 3 to 4 against 2 w(1) from 4 to 6: only the upper bound holds the tie."""
    level = checker.Level(Fraction(2), Fraction(0), Fraction(0), "none")
    smooth = checker.Smooth(stub(checker, [(3, 4), (2, 3)], 0), 1, level)
    low, high = smooth.mass(1, Fraction(2), {"bits": "16"}, checker.Work())
    assert (low, high) == (Fraction(2, 6), Fraction(1))  # w(1), which has nothing beyond it, is in for certain
    wide = checker.Smooth(stub(checker, [(3, 6), (2, 3)], 0), 1, level)  # 6 >= 2 * 3, but w(0) may be 3 alone
    assert wide.mass(1, Fraction(2), {"bits": "16"}, checker.Work()) == (Fraction(2, 8), Fraction(1))


@probe
def what_a_sum_has_not_reached(checker: Checker) -> None:
    """8 and a rest of 3, plus 4 or 5 and a rest of 7: at most 3 (5 + 7) + 7 * 8 are missing."""
    sides = checker.summed((0, [(8, 8)], 3), (0, [(4, 5)], 7), checker.Work())
    assert list(sides.above) == [(32, 40 + 92)]
    assert list(sides.below) == []
    assert (sides.above.rest, sides.below.rest) == (92, 92)


@probe
def what_was_not_reached_may_be_anywhere(checker: Checker) -> None:
    """8, 4 and a rest of 3: the outcome 0 has a share from 8/15 to 11/15."""
    noise, point = stub(checker, [(8, 8), (4, 4)], 3), stub(checker, [(8, 8), (4, 4)], 0)
    for law, low, high in ((noise, Fraction(8, 15), Fraction(11, 15)), (point, Fraction(2, 3), Fraction(2, 3))):
        found = checker.probability(law, checker.Event([(0, 0)]), {"bits": "16"}, checker.Work())
        assert found == (low, high)
    both = checker.Sides(0, checker.Side(ended(5)), checker.Side(ended(7)))
    assert list(checker.enclosed_weights(both)) == [(None, (0, 12))]


def ended(rest: int) -> Any:
    yield from ()
    return rest


@probe
def powers_of_a_gaussian_ratio(checker: Checker) -> None:
    """q^(2t+1) before it is rounded to the weights."""
    noise = checker.Noise.read({"family": "discrete-gaussian", "sigma_squared": "9"}, checker.Work())
    ratios = noise.ratios(16, checker.Work())
    with mp.workprec(400):
        q = mp.exp(mpf(-1) / 18)
        for t, (low, high, whole) in zip(range(200), ratios, strict=False):
            assert low <= q ** (2 * t + 1) * whole <= high
            assert high - low <= 64 * (t + 1)


@probe
def constant_ratios(checker: Checker) -> None:
    for x, is_even, most in product((Fraction(1, 2), Fraction(2, 3), Fraction(0)), (False, True), (1, 2, 4)):
        if is_even and x == 0:
            continue
        steps = checker.Steps(x, is_even, most)
        reach = 60
        unit = (1 - x) / (1 + x) if is_even else 1 - x
        for shift in range(1, most + 1):
            pairs = list(steps.pairs(shift))
            assert len(pairs) <= steps.outcomes
            assert sum(p for p, _ in pairs) == steps.total
            for ratio in (Fraction(1), Fraction(4, 3), Fraction(3)):
                low, high = (-reach, reach) if is_even else (0, reach)
                at = [
                    (
                        unit * x ** abs(t) if t >= low else 0,
                        unit * x ** abs(t - shift) if is_even or t >= shift else 0,
                    )
                    for t in range(low, high + 1)
                ]
                for i in (0, 1):
                    near = sum(max(Fraction(0), each[i] - ratio * each[1 - i]) for each in at)
                    found = sum(max(Fraction(0), pair[i] - ratio * pair[1 - i]) for pair in pairs)
                    assert abs(found / steps.total - near) < Fraction(1, 10**8)
        assert steps.bits >= (max(p for p, _ in steps.pairs(most))).bit_length()


@probe
def laws_that_are_not_shown_to_differ(checker: Checker) -> None:
    """The share of an outcome from 8/15 to 11/15 in one law, and 2/3 in the other, in either order."""
    wide, point = stub(checker, [(8, 8), (4, 4)], 3), stub(checker, [(8, 8), (4, 4)], 0)
    other, witness = stub(checker, [(4, 4), (8, 8)], 0), {"outcome": "0", "bits": "16"}
    for pair, expected in (((wide, point), "CertificateRejectedError"), ((wide, other), "nothing")):
        for first, second in (pair, pair[::-1]):
            claim = checker.EqualLaws(first, second, False)
            assert refuses(checker, partial(claim.refute, witness, checker.Work())) == expected


@probe
def vertices_that_do_not_arise(checker: Checker) -> None:
    """The outcome has to arise from the first user with the ratio, and from the second and the bystander at all."""
    top, low = (1, 0), (0, 1)
    rows = [{top: 6, low: 2}, {top: 3, low: 5}, {low: 8}, {top: 1, low: 7}]
    view = SimpleNamespace(randomizer=SimpleNamespace(rows=rows, messages=2, denominator=8))

    def found(x: int, y: int, z: int, ratio: Fraction) -> str:
        witness = {"differing": [str(x), str(y)], "bystander": str(z), "outcome": ["1", "0"], "functional": ["1", "0"]}
        return refuses(checker, lambda: checker.check_vertex(view, ratio, witness, checker.Work()))

    assert found(0, 1, 3, Fraction(2)) == found(0, 1, 0, Fraction(2)) == "nothing"
    for x, y, z, ratio in ((0, 1, 2, 2), (0, 2, 0, 2), (0, 2, 2, 2), (2, 3, 0, 1), (2, 3, 0, -1)):
        assert found(x, y, z, Fraction(ratio)) == "CertificateRejectedError"


@probe
def views_of_all_bystanders(checker: Checker) -> None:
    """Every multiset of users once, with the law of its view: on a line or not, and at the largest weights."""
    rng, most = random.Random(7), 2**64 - 1
    rows = [[{3: 1}, {3: 0, 5: 2, 11: 1}], [{-4: 3, 2: 1}, {8: 4}, {2: 1, 8: 3}], [{0: most}, {0: 1, 7: most - 1}]]
    rows += [[{0: 1, 1: 1}, {100: 2}], [{0: 2**64, 1: 1}, {1: 5}], [{0: -1, 1: 3}, {1: 2}]]  # a dict for each of these
    rows += [[{rng.randrange(-9, 9): rng.randrange(1, 99) for _ in range(4)} for _ in range(3)] for _ in range(8)]
    for table, users in product(rows, (0, 1, 2, 5)):
        found = dict(checker.bystander_laws(table, users, 65 * users, checker.Work()))
        assert set(found) == {c for c in product(range(users + 1), repeat=len(table)) if sum(c) == users}
        for counts, law in found.items():
            views: dict[int, int] = {0: 1}
            for row in (row for row, copies in zip(table, counts, strict=True) for _ in range(copies)):
                added: dict[int, int] = {}
                for (view, weight), (outcome, factor) in product(views.items(), row.items()):
                    added[view + outcome] = added.get(view + outcome, 0) + weight * factor
                views = added
            assert {view: weight for view, weight in law.items() if weight} == {v: w for v, w in views.items() if w}
    assert [checker.Line.of(table, 3) is not None for table in rows[:6]] == [True, True, True, False, False, False]
