"""What the checker's numbers must satisfy, as functions of a checker: for its tests, and for mutation testing.

The corpus asks for verdicts; these ask for the enclosures behind them, at precisions so low that every rounding shows,
against mpmath, exact fractions and brute force.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import comb, factorial
from typing import Any

from mpmath import mp, mpf

Checker = Any
TINY = mpf(2) ** -200
PROBES: list[Callable[[Checker], None]] = []


def probe(function: Callable[[Checker], None]) -> Callable[[Checker], None]:
    PROBES.append(function)
    return function


def real(value: Any) -> Any:
    """A real of the format, by mpmath."""
    if isinstance(value, str):
        top, _, bottom = value.partition("/")
        return mpf(int(top)) / int(bottom or 1)
    ((name, inner),) = value.items()
    if name in ("exp", "log", "inverse"):
        x = real(inner)
        return mp.exp(x) if name == "exp" else mp.log(x) if name == "log" else 1 / x
    if name == "power":
        return real(inner[0]) ** int(inner[1])
    terms = [real(term) for term in inner]
    return mp.fsum(terms) if name == "sum" else mp.fprod(terms)


def contains(bounds: tuple[int, int], value: Any, slack: int) -> bool:
    """Whether integer bounds enclose a number, and no more than ``slack`` units too widely at each end."""
    low, high = bounds
    return low <= value <= high and value - low < slack and high - value < slack


def refuses(checker: Checker, call: Callable[[], Any]) -> str:
    """The name of the exception with which the checker declines."""
    try:
        call()
    except (checker.MalformedCertificateError, checker.CertificateRejectedError) as error:
        return type(error).__name__
    return "nothing"


@probe
def exponentials(checker: Checker) -> None:
    with mp.workprec(400):
        for bits in (16, 17, 64):
            for x in (0, 1, 2**bits // 3, 2**bits // 2, 2**bits - 1, 2**bits, 2**bits + 1, 5 * 2**bits // 2):
                for sign in (1, -1):
                    exact = mp.exp(mpf(sign * x) / 2**bits) * 2**bits
                    assert contains(checker.exp_bounds(sign * x, bits), exact, 2), (sign * x, bits)
        assert contains(checker.exp_bounds(40 << 16, 16), mp.exp(40) * 2**16, 2**20)
        assert checker.exp_bounds(0, 16)[0] <= 2**16 <= checker.exp_bounds(0, 16)[1]
    edge = checker.MAX_EXPONENT << 16
    assert refuses(checker, lambda: checker.exp_bounds(edge + 1, 16)) == "MalformedCertificateError"
    assert refuses(checker, lambda: checker.exp_bounds(-edge - 1, 16)) == "MalformedCertificateError"
    assert refuses(checker, lambda: checker.exp_bounds(edge, 16)) == "nothing"


@probe
def logarithms(checker: Checker) -> None:
    with mp.workprec(400):
        for bits in (16, 17, 64):
            for x in (1, 2, 3, 2**bits // 3, 2**bits - 1, 2**bits, 2**bits + 1, 3 * 2**bits, 2 ** (3 * bits) + 1):
                exact = mp.log(mpf(x) / 2**bits) * 2**bits
                assert contains(checker.log_bounds(x, bits), exact, 2), (x, bits)
        for top, bottom in ((0, 1), (1, 3), (1, 7), (1, 1000), (333, 1000)):
            exact = mp.atanh(mpf(top) / bottom) * 2**40
            assert contains(checker.artanh_bounds(top, bottom, 40), exact, 100)


REALS = [
    "2/3",
    "-2/3",
    "5",
    {"exp": "-1/5"},
    {"log": "7/2"},
    {"log": "2/7"},
    {"inverse": {"exp": "1"}},
    {"inverse": {"sum": ["-3", {"exp": "-1"}]}},
    {"sum": ["3", {"product": ["3", {"log": "100"}]}, {"exp": "-2"}]},
    {"product": [{"log": "1/2"}, {"exp": "1"}, "-1/3"]},
    {"product": [{"log": "1/2"}, {"log": "3"}]},
    {"power": [{"exp": "1/2"}, "3"]},
    {"power": [{"log": "1/2"}, "2"]},
    {"exp": {"log": {"sum": ["1", "1/3"]}}},
]


@probe
def reals(checker: Checker) -> None:
    with mp.workprec(400):
        for value in REALS:
            for bits in (16, 40):
                found = checker.Real.read(value, "x").enclose(bits, checker.Work())
                assert contains(found, real(value) * 2**bits, 400), (value, bits)
        third = checker.Real.read("2/3", "x")
        assert third.enclose(4, checker.Work()) == (10, 11)
        assert checker.Real.read("-2/3", "x").enclose(4, checker.Work()) == (-11, -10)
        assert checker.Real.read({"product": ["2/3", "2/3"]}, "x").enclose(4, checker.Work()) == (6, 8)
        assert checker.Real.read({"product": ["-2/3", "2/3"]}, "x").enclose(4, checker.Work()) == (-8, -6)
        assert checker.Real.read({"power": ["2/3", "3"]}, "x").enclose(4, checker.Work()) == (3, 6)
        assert checker.Real.read({"inverse": "2/3"}, "x").enclose(4, checker.Work()) == (23, 26)
        assert checker.Real.read({"inverse": "-2/3"}, "x").enclose(4, checker.Work()) == (-26, -23)
        assert checker.Real.read({"sum": ["2/3", "2/3"]}, "x").enclose(4, checker.Work()) == (20, 22)


@probe
def reals_that_are_not_decided(checker: Checker) -> None:
    zero = {"sum": ["1", "-1"]}
    for value in (
        {"log": "-1"},
        {"log": zero},
        {"inverse": zero},
        {"inverse": {"sum": [{"log": "2"}, {"log": "1/2"}]}},
    ):
        found = checker.Real.read(value, "x")
        assert refuses(checker, lambda found=found: found.enclose(20, checker.Work())) == "CertificateRejectedError"
    for base in ("2", "-2"):
        tower = {"power": [{"power": [{"power": [base, "1000"]}, "1000"]}, "1000"]}
        found = checker.Real.read(tower, "x")
        assert refuses(checker, lambda found=found: found.enclose(20, checker.Work())) == "MalformedCertificateError"


@probe
def parameters_stay_inside_their_domains(checker: Checker) -> None:
    def read(value: Any, low: int, high: int | None, ends: tuple[int, ...] = ()) -> Any:
        return checker.Parameter.read({"p": value}, "p", low, high, ends)

    assert read("1/2", 0, 1).bounds(16, checker.Work()) == (1, 1, 2)
    low, high, whole = read({"exp": "-1"}, 0, 1).bounds(16, checker.Work())
    assert whole == 2**16
    assert contains((low, high), mp.exp(-1) * 2**16, 2)
    assert read("0", 0, 1, (0,)).real.number == 0
    for value, high_end in (("0", 1), ("1", 1), ("-1/2", 1), ("3/2", 1), ("0", None), ("-1", None)):
        assert refuses(checker, lambda v=value, h=high_end: read(v, 0, h)) == "MalformedCertificateError"
    one, zero = {"inverse": {"sum": ["1/2", "1/2"]}}, {"sum": ["1/2", "-1/2"]}
    for value in (one, zero, {"exp": "1"}, {"log": "1/2"}):
        parameter = read(value, 0, 1)
        assert refuses(checker, lambda p=parameter: p.bounds(16, checker.Work())) == "CertificateRejectedError"


# --- Laws -----------------------------------------------------------------------------------------------------------


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
    return checker.Noise.read(law).sides(bits, checker.Work())


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
    half = checker.Noise.read({"family": "negative-binomial", "r": "1/2", "p": "2/3"})
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
def products_of_lists(checker: Checker) -> None:
    for first, second in (([1], [1]), ([1, 2, 3], [4, 5]), ([0, 255], [255, 0, 256]), ([2**40, 1], [1, 2**50, 7])):
        expected = [0] * (len(first) + len(second) - 1)
        for (i, x), (j, y) in product(enumerate(first), enumerate(second)):
            expected[i + j] += x * y
        assert checker.multiply_lists(first, second, checker.Work()) == expected
    long = [2**60] * 200_000
    assert refuses(checker, lambda: checker.multiply_lists(long, long, checker.Work())) == "MalformedCertificateError"


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
            noise = checker.Noise.read(law)
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
    noise = checker.Noise.read(law)
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
    weights, noise = exact_weights(law), checker.Noise.read(law)
    for first, last in ((0, 12), (3, 5), (5, 5), (-4, 0), (12, 40), (13, 20)):
        exact = sum((p for t, p in weights.items() if first <= t <= last), Fraction(0))
        inside = checker.probability(noise, lambda t, a=first, b=last: a <= t <= b, {}, checker.Work())
        assert inside == (exact, exact)
        for bits in ("16", "80"):
            witness = {"bits": bits}
            low, high = checker.probability(noise, lambda t, a=first, b=last: a <= t <= b, witness, checker.Work())
            assert low <= exact <= high
            assert high - low < Fraction(200, 2 ** int(bits))
    poisson = checker.Noise.read({"family": "poisson", "mu": "7/2"})
    with mp.workprec(200):
        for k in range(12):
            low, high = checker.probability(poisson, lambda t, k=k: t >= k, {"bits": "64"}, checker.Work())
            exact = mp.gammainc(k, 0, 3.5, regularized=True) if k else mpf(1)
            assert mpf(low.numerator) / low.denominator <= exact <= mpf(high.numerator) / high.denominator
            assert high - low < Fraction(1, 2**50)
    assert checker.shares([1, 3], [5, 9]) == (Fraction(1, 10), Fraction(3, 8))
    assert checker.shares([0, 3], [5, 9]) == (Fraction(0), Fraction(3, 8))
    assert refuses(checker, lambda: checker.shares([0, 3], [0, 9])) == "CertificateRejectedError"


@probe
def smooth_events(checker: Checker) -> None:
    """The mass of {w(Y) >= E w(Y + by)}, with ties, listed and enclosed."""
    for law, e in product(
        ({"family": "binomial", "n": "12", "p": "1/3"}, {"family": "binomial", "n": "9", "p": "1/2"}),
        (Fraction(1), Fraction(2), Fraction(4), Fraction(3, 2), Fraction(14, 5)),
    ):
        weights = exact_weights(law)
        claim = {"kind": "smooth", "law": law, "k": "3", "exp_eps": str(e), "delta": "0"}
        smooth = checker.Smooth.read(claim)
        for by in (-3, -2, -1, 1, 2, 3):
            ratio = e ** abs(by)
            exact = sum((p for t, p in weights.items() if p >= ratio * weights.get(t + by, Fraction(0))), Fraction(0))
            assert smooth.mass(by, ratio, {}, checker.Work()) == (exact, exact), (law, e, by)
            for bits in ("60", "80"):
                low, high = smooth.mass(by, ratio, {"bits": bits}, checker.Work())
                assert low <= exact <= high, (law, e, by)
                assert high - low < Fraction(1, 2**40), (law, e, by)


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


# --- Polynomials on a cube ------------------------------------------------------------------------------------------


def points(variables: int) -> Iterator[tuple[Fraction, ...]]:
    yield from product([Fraction(i, 6) for i in range(7)], repeat=variables)


@probe
def exponentials_on_a_cube(checker: Checker) -> None:
    powers: list[dict[tuple[int, ...], Fraction]] = [
        {},
        {(0,): Fraction(-1)},
        {(1,): Fraction(1)},
        {(0,): Fraction(1, 3), (1,): Fraction(-2)},
        {(1,): Fraction(2), (2,): Fraction(-1)},
    ]
    with mp.workprec(200):
        for power, order in product(powers, (2, 4, 8)):
            lower, upper = checker.exponential_bounds(power, order, 40, (0,), checker.Work())
            for point in points(1):
                u = sum((c * point[0] ** e[0] for e, c in power.items()), Fraction(0))
                exact = mp.exp(mpf(u.numerator) / u.denominator)
                low, high = (checker.evaluate(p, point, checker.Work()) for p in (lower, upper))
                assert mpf(low.numerator) / low.denominator <= exact, (power, order, point)
                assert exact <= mpf(high.numerator) / high.denominator, (power, order, point)
                varying = sum((c for e, c in power.items() if e != (0,)), Fraction(0))
                if not varying:
                    assert high - low < Fraction(1, 2**38)
                    assert all(not c for e, c in [*lower.items(), *upper.items()] if e != (0,))
        lower, upper = checker.exponential_bounds({(1,): Fraction(1)}, 2, 16, (0,), checker.Work())
        assert {e: c for e, c in lower.items() if c} == {(0,): 1, (1,): 1}
        assert upper[(0,)] == upper[(1,)] == 1
        assert Fraction(271828, 200000) < upper[(2,)] < Fraction(271900, 200000)


@probe
def bernstein_forms(checker: Checker) -> None:
    f = Fraction

    def sign(polynomial: dict[tuple[int, ...], Fraction], closed: list[tuple[bool, bool]], strict: bool) -> str:
        return refuses(checker, lambda: checker.check_bernstein(polynomial, closed, strict, checker.Work()))

    rejected = "CertificateRejectedError"
    both, neither = [(True, True)], [(False, False)]
    assert sign({(0,): f(1), (1,): f(-1)}, both, False) == "nothing"
    assert sign({(0,): f(1), (1,): f(-1)}, both, True) == rejected
    assert sign({(0,): f(1), (1,): f(-1)}, [(True, False)], True) == "nothing"
    assert sign({(0,): f(1), (1,): f(-1)}, [(False, True)], True) == rejected
    assert sign({(1,): f(1)}, [(False, True)], True) == "nothing"
    assert sign({(1,): f(1)}, [(True, False)], True) == rejected
    assert sign({(0,): f(1), (1,): f(-2), (2,): f(1)}, neither, True) == "nothing"
    assert sign({(0,): f(1), (1,): f(-2), (2,): f(1)}, both, True) == rejected
    assert sign({(0,): f(1), (1,): f(-3), (2,): f(3)}, both, False) == rejected
    assert sign({(0,): f(3), (1,): f(-3), (2,): f(1)}, both, True) == "nothing"
    assert sign({(0,): f(1), (1,): f(-1, 2)}, both, True) == "nothing"
    assert sign({(0,): f(1), (1,): f(-11, 10)}, both, False) == rejected
    assert sign({}, both, False) == "nothing"
    assert sign({}, neither, True) == rejected
    square = {(1, 1): f(1)}
    assert sign(square, [(False, True), (False, True)], True) == "nothing"
    assert sign(square, [(True, True), (False, True)], True) == rejected
    assert sign(square, [(True, True), (True, True)], False) == "nothing"
    assert sign({(0, 0): f(1), (1, 0): f(-1), (0, 1): f(-1), (1, 1): f(1)}, [(True, False)] * 2, True) == "nothing"
    assert sign({(0, 0): f(1), (1, 1): f(-2)}, [(True, True)] * 2, False) == rejected
    assert sign({(0, 0): f(1), (2, 1): f(-1)}, [(True, True)] * 2, False) == "nothing"
    large = {(60, 60, 60): f(1)}
    assert sign(large, [(True, True)] * 3, False) == "MalformedCertificateError"


@probe
def composed_polynomials(checker: Checker) -> None:
    lines = [{(0, 0): Fraction(1), (1, 0): Fraction(-2)}, {(0, 0): Fraction(1, 2), (0, 1): Fraction(3)}]
    polynomial = {(2, 1): Fraction(5), (0, 0): Fraction(-1), (1, 0): Fraction(2)}
    found = checker.compose(polynomial, lines, checker.Work())
    assert all(found.values())
    for t in points(2):
        x, y = 1 - 2 * t[0], Fraction(1, 2) + 3 * t[1]
        assert checker.evaluate(found, t, checker.Work()) == 5 * x * x * y - 1 + 2 * x


LIMITS = {
    "MAX_FILE_BYTES": 2**22,
    "MAX_DEPTH": 32,
    "MAX_BITS": 2**18,
    "MAX_DECIMAL_BITS": 256,
    "MAX_TOTAL_BITS": 2**22,
    "MAX_TAYLOR_BITS": 2**16,
    "MAX_INEQUALITY_BITS": 4096,
    "MAX_USERS": 10**6,
    "MAX_TRIALS": 20_000,
    "MAX_INPUTS": 256,
    "MAX_MESSAGES": 256,
    "MAX_SENT": 4096,
    "MAX_LIST": 10**6,
    "MAX_WALKED": 10**18,
    "MIN_PRECISION": 16,
    "MAX_PRECISION": 2**14,
    "MAX_EXPONENT": 4096,
    "MAX_PRODUCT_BITS": 2**24,
    "SHARP_BITS": 16,
    "MAX_BOX_VARIABLES": 6,
    "MAX_BOX_TERMS": 64,
    "MAX_BOX_PRECISION": 1024,
    "MAX_BERNSTEIN": 20_000,
    "MAX_LAW_BITS": 2**33,
    "MAX_WINDOW": 2 * 10**5,
    "MAX_EPS": 64,
    "MAX_TERMS": 1000,
    "MAX_SHIFT": 1000,
    "MAX_VARIABLES": 16,
    "MAX_DEGREE": 64,
    "MAX_PARTS": 1000,
    "MAX_WORK": 3 * 10**8,
    "MAX_STEPS": 4 * 10**6,
}


@probe
def limits(checker: Checker) -> None:
    """The limits are those of the format page."""
    found = {name: getattr(checker, name) for name in dir(checker) if name.startswith(("MAX_", "MIN_", "SHARP_"))}
    assert found == LIMITS


# --- Work -----------------------------------------------------------------------------------------------------------


@probe
def work_is_paid_for(checker: Checker) -> None:
    """Each unit is one product of short numbers; longer numbers cost in proportion to school multiplication."""
    for steps, bits, factor, cost in (
        (10, 1, 64, 10),
        (10, 2**14, 64, 10 * (1 + 2**14 * 576 // 2**19)),
        (3, 2**19, 512, 3 * 1025),
    ):
        work = checker.Work()
        work.spend(steps, bits, factor)
        assert checker.MAX_WORK - work.left == cost
    work = checker.Work()
    assert refuses(checker, lambda: work.spend(checker.MAX_STEPS, 1)) == "nothing"
    assert refuses(checker, lambda: work.spend(checker.MAX_STEPS + 1, 1)) == "MalformedCertificateError"
    work.left = 10
    assert refuses(checker, lambda: work.expect(10, 1)) == "nothing"
    assert refuses(checker, lambda: work.expect(11, 1)) == "MalformedCertificateError"
    assert refuses(checker, lambda: work.expect(3, 2**11)) == "nothing"
    assert refuses(checker, lambda: work.expect(3, 2**12)) == "MalformedCertificateError"
    assert refuses(checker, lambda: work.spend(10, 1)) == "nothing"
    assert refuses(checker, lambda: work.spend(1, 1)) == "MalformedCertificateError"


@probe
def shown_numbers(checker: Checker) -> None:
    for top, bottom in ((10**40, 1), (-(10**40), 3), (2**90 + 1, 7), (5, 3**90), (2**64, 2**300 + 1), (10**25 - 1, 1)):
        value = Fraction(top, bottom)
        words = checker.show(value)
        digits, exponent = words.split(" ")[0].split("e")
        shown = Fraction(digits) * Fraction(10) ** int(exponent)
        assert shown * value > 0
        assert 0 <= abs(value) - abs(shown) < Fraction(10) ** (int(exponent) - 6)
        assert 1 <= abs(Fraction(digits)) < 10
        assert words.endswith(f"{abs(top if bottom == 1 else value.numerator).bit_length()} bits)") or "/" in words
    assert checker.show(Fraction(2**64 - 1)) == str(2**64 - 1)
    assert checker.show(Fraction(2**64)).endswith("(65 bits)")


# --- Reading --------------------------------------------------------------------------------------------------------


def message(checker: Checker, call: Callable[[], Any]) -> str:
    """What the checker says when it declines, else nothing."""
    try:
        call()
    except (checker.MalformedCertificateError, checker.CertificateRejectedError) as error:
        return str(error)
    return ""


@probe
def integers_have_one_spelling(checker: Checker) -> None:
    edge = 2**256
    for value in (0, 1, -1, 9, 10, edge - 1, 1 - edge, 2**255, 2**255 - 1):
        assert checker.parse_integer(str(value), "x") == value
        assert value == 0 or refuses(checker, lambda v=value: checker.parse_integer(hex(v), "x")) != "nothing"
    for value in (edge, -edge, edge + 1, 2**300, 2**257 - 1, 16**65536 - 1, -(16**65536) + 1):
        assert checker.parse_integer(hex(value), "x") == value
    for value in (edge, -edge, 10**77 * 2, 10**78 - 1):
        assert (value < edge and value > -edge) == (
            refuses(checker, lambda v=value: checker.parse_integer(str(v), "x")) == "nothing"
        )
    assert message(checker, lambda: checker.parse_integer("0x1" + "0" * 65536, "x")) == "x has more than 262144 bits"
    wrong = ["", "-", "+1", "01", "-0", "00", "0x0", "0X1f", "0x", "1_0", " 1", "1 ", "0xg" + "1" * 70, "1" * 79, "٣"]
    for text in wrong:
        said = message(checker, lambda t=text: checker.parse_integer(t, "x"))
        assert said == f"x is {text[:40]!r}, not an integer as this format writes it"


@probe
def rationals_are_in_lowest_terms(checker: Checker) -> None:
    assert checker.read_rational("3/4", "x") == Fraction(3, 4)
    assert checker.read_rational("-3/2", "x") == Fraction(-3, 2)
    for text, said in (
        ("3/1", "x has a denominator below 2"),
        ("3/0", "x has a denominator below 2"),
        ("3/-4", "x has a denominator below 2"),
        ("2/4", "x is not in lowest terms"),
        ("0/2", "x is not in lowest terms"),
    ):
        assert message(checker, lambda t=text: checker.read_rational(t, "x")) == said
    assert checker.read_rational("0", "x", 0, 1) == 0
    assert checker.read_rational("1", "x", 0, 1) == 1
    assert message(checker, lambda: checker.read_rational("-1/9", "x", 0, 1)) == "x is -1/9, outside 0 to 1"
    assert message(checker, lambda: checker.read_rational("10/9", "x", 0)) == ""
    assert message(checker, lambda: checker.read_rational("-1", "x", 0)) == "x is -1, outside 0 to infinity"
    assert message(checker, lambda: checker.read_probability("0", "x")) == "x is 0"
    longest = hex(2**4096 - 1)
    assert checker.read_short(longest, "x") == 2**4096 - 1
    assert message(checker, lambda: checker.read_short(hex(2**4096), "x")) == "x has more than 4096 bits"


@probe
def denominators_stay_short(checker: Checker) -> None:
    assert checker.common_denominator([], "x") == 1
    assert checker.common_denominator([Fraction(1, 4), Fraction(1, 6)], "x") == 12
    assert checker.common_denominator([Fraction(1, 2 ** (2**18 - 1))], "x") == 2 ** (2**18 - 1)
    long = [Fraction(1, 2 ** (2**18))]
    assert "has more than 262144 bits" in message(checker, lambda: checker.common_denominator(long, "x"))
    assert checker.as_weights([Fraction(1, 4), Fraction(3, 4)], 8, "x") == [2, 6]
    off = [Fraction(1, 4), Fraction(1, 4)]
    assert message(checker, lambda: checker.as_weights(off, 4, "x")) == "x sums to 1/2, not 1"


@probe
def shapes_are_exact(checker: Checker) -> None:
    keys = [f"key{i}" for i in range(90)]
    said = message(checker, lambda: checker.read_object(dict.fromkeys(keys), "x", ["a"]))
    assert said == f"x has the keys {sorted(keys)}, not ['a']"[:300]
    assert message(checker, lambda: checker.read_choice("b" * 60, "x", ["a"])) == f"x is {'b' * 40!r}, not one of a"
    assert message(checker, lambda: checker.refuse_number("1" * 60)) == (
        f"the JSON number {'1' * 20}; numbers are strings here"
    )
    assert checker.read_list([1, 2], "x", 2, 2) == [1, 2]
    for length in (1, 3):
        wrong = [0] * length
        assert message(checker, lambda w=wrong: checker.read_list(w, "x", 2, 2)) == (
            f"x has {length} entries, outside 2 to 2"
        )
    assert checker.canonical({"b": ["1"], "a": "2"}) == '{"a":"2","b":["1"]}'


@probe
def documents_are_bounded(checker: Checker) -> None:
    def nested(depth: int) -> str:
        return '{"x":' * (depth - 1) + "{}" + "}" * (depth - 1)

    assert "nested" not in message(checker, lambda: checker.read_document(nested(32)))
    assert message(checker, lambda: checker.read_document(nested(33))) == "nested deeper than 32"
    assert "nested" not in message(checker, lambda: checker.read_document("[]" * 40))
    strings = '{"x":"' + "[" * 50 + '"}'
    assert "nested" not in message(checker, lambda: checker.read_document(strings))
    full = "{}" + " " * (2**22 - 2)
    assert "longer" not in message(checker, lambda: checker.read_document(full))
    assert message(checker, lambda: checker.read_document(full + " ")) == "longer than 4194304 bytes"


@probe
def numbers_are_shown_to_seven_digits(checker: Checker) -> None:
    for exponent in range(-60, 61):
        for digits in (1_000_000, 1_234_567, 9_999_999):
            value = Fraction(digits) * Fraction(10) ** (exponent - 6) * (1 + Fraction(1, 10**30))
            words = checker.show(value)
            if "e" in words:
                assert words.startswith(f"{digits // 10**6}.{digits % 10**6:06}e{exponent} ("), (
                    words,
                    digits,
                    exponent,
                )
                assert checker.show(-value) == "-" + words
    assert checker.show(Fraction(-1, 2**70)).startswith("-8.470329e-22 (1/71 bits)")
    assert checker.show(Fraction(1, 2**64)) != str(Fraction(1, 2**64))
    assert checker.show(Fraction(1, 2**64 - 1)) == str(Fraction(1, 2**64 - 1))
