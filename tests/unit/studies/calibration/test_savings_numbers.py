"""Roots of what a calibration saves."""

from fractions import Fraction
from math import exp, log, sqrt

import pytest

from exactdp import AdditiveProtocol, Binomial, Family, Law, calibrate, optimal_accuracy
from exactdp.numbers.interval import Interval
from exactdp.protocols.saving import root as _root
from exactdp.studies.calibration.savings import factor, savings


@pytest.mark.parametrize(
    "value", [Fraction(2), Fraction(1, 10**60), Fraction(1, 3 * 10**6), Fraction(10**60, 3), Fraction(9, 4)]
)
def test_a_root_is_enclosed_to_53_bits(value):
    around = Interval.around(value, relative_bits=80)
    for root in (_root(value), _root(around)):
        assert root.lo**2 <= value <= root.hi**2
        assert (root.hi - root.lo) * 2**50 <= root.hi
    assert _root(Fraction(0)).lo == 0
    assert _root(Fraction(0)).hi <= Fraction(1, 2**52)


@pytest.mark.parametrize(
    ("published", "exact"), [(Fraction(7, 3), Fraction(2, 5)), (Fraction(1, 9), Fraction(10**9, 7))]
)
def test_a_factor_is_the_quotient_and_contains_it_for_intervals(published, exact):
    ends = [Interval.around(value, relative_bits=20) for value in (published, exact)]
    for first, second in ((published, exact), (ends[0], exact), (published, ends[1]), tuple(ends)):
        found = factor(first, second)
        assert found.lo <= published / exact <= found.hi
        assert (found.hi - found.lo) * 2**17 <= found.hi
    assert factor(ends[0], ends[1]).hi >= ends[0].hi / ends[1].lo
    assert factor(ends[0], ends[1]).lo <= ends[0].lo / ends[1].hi
    assert factor(None, exact) is factor(published, None) is factor(published, Fraction(0)) is None


def near(found, value):
    """Whether an interval, or a number, is a known float to 12 digits."""
    middle = (found.lo + found.hi) / 2 if isinstance(found, Interval) else found
    return float(middle) == pytest.approx(value, rel=1e-12)


def rows_of(found, **question):
    told = savings(found, **{"eps": Fraction(1), "delta": Fraction(1, 10**6), "beta": Fraction(1, 20), **question})
    return {row.name: row for row in told.rows}, told.note


def test_zsum_is_compared_in_its_noise_its_deviation_and_its_error():
    n, delta = 20_000, Fraction(1, 10**6)
    found = calibrate("zsum", n=n, eps=1, delta=delta)
    rows, note = rows_of(found)
    assert note is None
    assert all(row.factor.compare(1) == 1 for row in rows.values())
    gamma, theorem = found.parameter, rows["gamma"].theorem
    assert list(rows) == ["gamma", "n gamma", "standard deviation", "alpha"]
    assert theorem >= min(1, 25 * log(1 / delta) / n)
    for share, column in ((gamma, "exact"), (theorem, "theorem")):
        assert getattr(rows["n gamma"], column) == n * share
        assert near(getattr(rows["standard deviation"], column), sqrt(n * share * (1 - share)))
    assert rows["alpha"].exact == optimal_accuracy(found.protocol, beta="1/20")
    rows, note = rows_of(calibrate("zsum", n=200, eps=1, delta="1/100"), delta=Fraction(1, 100))
    assert rows["gamma"].theorem is None
    assert "n" in note


def test_randomized_response_has_no_theorem_but_its_deviation_and_its_error():
    found = calibrate("randomized-response", n=30, eps=1, delta="1e-3", grid="1/1024")
    rows, note = rows_of(found, delta=Fraction(1, 1000))
    flip = found.parameter
    assert note == "no theorem is compared for a shuffled randomizer."
    assert list(rows) == ["flip", "standard deviation", "alpha"]
    assert rows["flip"].exact == flip
    assert near(rows["standard deviation"].exact, sqrt(30 * flip * (1 - flip)) / (1 - 2 * flip))
    assert rows["alpha"].exact == optimal_accuracy(found.protocol, beta="1/20")
    assert all(row.theorem is None is row.factor for row in rows.values())


def test_noise_on_a_count_is_compared_where_it_is_the_theorems():
    found = calibrate("counting", eps=1, delta="1e-6", grid="1/4")
    rows, note = rows_of(found)
    r, p = found.parameter, exp(-1 / 5)
    assert note is None
    assert list(rows) == ["r", "mean", "standard deviation"]
    for shape, column in ((r, "exact"), (3 * (1 + log(10**6)), "theorem")):
        assert near(getattr(rows["r"], column), float(shape))
        assert near(getattr(rows["mean"], column), float(shape) * p / (1 - p))
        assert near(getattr(rows["standard deviation"], column), sqrt(shape * p) / (1 - p))


def test_what_has_no_theorem_says_so():
    rows, note = rows_of(calibrate("discrete-gaussian", eps=1, delta="1/100", grid="1/4"), delta=Fraction(1, 100))
    assert note == "no theorem is compared for this noise."
    assert rows["standard deviation"].theorem is None
    family = Family(lambda mu, n: AdditiveProtocol(Binomial(int(mu), "1/2"), n=n), "mu", (1, None), False)
    found = calibrate(family, n=7, eps=1, delta="1/10", grid=1)
    rows, note = rows_of(found, delta=Fraction(1, 10))
    assert list(rows) == ["mu", "mean", "standard deviation"]
    assert rows["mean"].exact == found.parameter / 2
    assert note == "no theorem is compared for this noise."
    finite = Family(lambda x, n: AdditiveProtocol(Law({0: 1 - x, 1: x})), "share", (0, "1/2"), False)
    rows, note = rows_of(calibrate(finite, eps=1, delta="1/2", grid="1/8"), delta=Fraction(1, 2))
    assert (list(rows), note) == (["share"], "no theorem is compared for a finite noise law.")
