"""Bernstein forms and bounds on a cube."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from mpmath import mp, mpf

from tests.certificates.probes.common import Checker, probe, refuses


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


@probe
def signs_of_exponentials(checker: Checker) -> None:
    """A refutation at x = 1 takes the upper end of e^x where its factor is positive, the lower end elsewhere."""
    bits = checker.MIN_PRECISION
    low, high = checker.exp_fractions(Fraction(1), bits, checker.Work())
    for factor in (Fraction(1), Fraction(1, 3), Fraction(-1, 3), Fraction(-1)):
        largest = factor * (high if factor > 0 else low)
        for constant, expected in ((-largest, "CertificateRejectedError"), (-largest - Fraction(1, 2**99), "nothing")):
            terms = [({(0,): factor}, {(1,): Fraction(1)}), ({(0,): constant}, {})]
            ends = (checker.End(Fraction(0), True), checker.End(Fraction(2), True))
            box, witness = checker.BoxInequality(["x"], [ends], terms, False), {"point": ["1"], "bits": str(bits)}
            assert refuses(checker, partial(box.refute, witness, checker.Work())) == expected
