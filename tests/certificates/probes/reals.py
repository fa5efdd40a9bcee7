"""Enclosures of exponentials, logarithms and expressions of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from tests.certificates.probes.common import Checker, contains, probe, real, refuses


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


@probe
def a_logarithm_of_one_unit(checker: Checker) -> None:
    low, high = checker.Real.read({"log": "1/65536"}, "x").enclose(16, checker.Work())
    assert contains((low, high), -16 * mp.log(2) * 2**16, 4)


@probe
def taylor_sums(checker: Checker) -> None:
    """Bounds of e^eps by so few terms that the remainder is not lost in anything."""
    with mp.workprec(200):
        for eps in ("1/2", "1", "2", "7/2"):
            level = checker.Level.read({"eps": eps, "delta": "0", "least": "none"})
            exact = mp.exp(real(eps))
            for terms in range(3, 12):
                low, high = (
                    real(str(bound({"terms": str(terms)}, checker.Work()))) for bound in (level.below, level.above)
                )
                assert low < exact < high
                assert terms == 3 or high - exact < (exact - low) / 2


@probe
def an_inverse_of_one_unit_below_zero(checker: Checker) -> None:
    bounds = checker.Real.read({"inverse": {"sum": ["-1/65536", "0"]}}, "x").enclose(16, checker.Work())
    assert bounds == (-(2**32), -(2**32))


@probe
def sums_of_odd_powers(checker: Checker) -> None:
    """The bounds of z + z^3/3 + z^5/5 + ... are three units a term apart, and three more."""
    for top, bottom, terms in ((1, 3, 20), (1, 10, 10), (0, 1, 0)):
        low, high = checker.artanh_bounds(top, bottom, 64)
        exact = sum(Fraction(top, bottom) ** (2 * k + 1) / (2 * k + 1) for k in range(60)) * 2**64
        assert low <= exact <= high
        assert exact - low < 2 * terms + 2
        assert high - low == 3 * terms + 3
