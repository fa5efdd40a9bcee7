"""Real rows as randomizers: sums, eps0 and distances against what plain fractions say."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import exactdp as xdp
from exactdp import LogRational, errors
from exactdp.randomizers import from_density, from_floats


@st.composite
def float_rows(draw):
    """Rows of floats that about sum to 1, some of them with zeros and some with tiny numbers."""
    inputs, messages = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    weight = st.one_of(st.floats(0.01, 1), st.floats(0, 1e-12), st.just(0.0))
    rows = []
    for _ in range(inputs):
        row = draw(st.lists(weight, min_size=messages, max_size=messages))
        assume(sum(row) > 0.01)
        rows.append([q / sum(row) for q in row])
    return rows


def ratio(rows):
    """The largest ratio of rows divided by their sums; None where it is infinite."""
    exact = [[Fraction(q) / sum(map(Fraction, row)) for q in row] for row in rows]
    largest = Fraction(1)
    for column in zip(*exact, strict=True):
        if max(column) and not min(column):
            return None
        if max(column):
            largest = max(largest, max(column) / min(column))
    return largest


def columns(rounded, messages):
    return [[law.get((y,), Fraction(0)) for y in range(messages)] for law in rounded.randomizer.table().values()]


def check(rows, rounded):
    """Rows sum to 1, what is positive stays so, and the distances are those of the definition."""
    found = columns(rounded, len(rows[0]))
    for row, law, moved in zip(rows, found, rounded.moved.values(), strict=True):
        assert sum(law) == 1
        assert all(p > 0 for p, q in zip(law, row, strict=True) if q)
        given_ = [Fraction(q) for q in row]
        assert moved == (sum(abs(p - q) for p, q in zip(law, given_, strict=True)) + abs(1 - sum(given_))) / 2
    largest = ratio(found)
    assert rounded.local_epsilon == LogRational(largest)


@given(float_rows(), st.sampled_from([8, 20, 53, 200]))
def test_rows_as_they_are(rows, bits):
    """eps0 is not above that of the rows given, whatever the accuracy, and more bits move less."""
    rounded = from_floats(rows, bits=bits)
    check(rows, rounded)
    asked = ratio(rows)
    assert asked is None or rounded.local_epsilon <= LogRational(asked)
    tiny = any(0 < q < 2.0**-bits for row in rows for q in row)
    if not tiny and (asked is None or asked > Fraction(3, 2)):
        assert max(rounded.distances) <= Fraction(40, 2**bits) + Fraction(1, 2**50)


@given(float_rows(), st.one_of(st.fractions(Fraction(101, 100), 50), st.sampled_from(["exp(1/3)", "exp(2)"])))
def test_never_above_what_is_asked(rows, exp_eps0):
    rounded = from_floats(rows, exp_eps0=exp_eps0)
    check(rows, rounded)
    if isinstance(exp_eps0, Fraction):
        assert rounded.local_epsilon <= LogRational(exp_eps0)
    else:
        assert rounded.local_epsilon.enclose().hi <= Fraction(exp_eps0[4:-1])
    if len(rows) > 1 and isinstance(exp_eps0, Fraction):
        excess = [
            max(Fraction(0), max(column) - exp_eps0 * min(column)) / (exp_eps0 - 1)
            for column in zip(*([Fraction(q) for q in row] for row in rows), strict=True)
        ]
        assert max(rounded.distances) <= sum(excess) + Fraction(1, 2**40)  # no more is mixed in than is needed


@given(float_rows())
def test_nearest(rows):
    rounded = from_floats(rows, direction="nearest")
    check(rows, rounded)
    assert max(rounded.distances) < Fraction(1, 2**48)


def test_without_what_is_added_eps0_would_be_above():
    """What the rule is for: the nearest table exceeds eps0 here, and is refused when that is asked for."""
    rows = [[0.9, 0.1], [0.1, 0.9]]
    asked = ratio(rows)
    assert from_floats(rows, direction="nearest", bits=9).local_epsilon > LogRational(asked)
    assert from_floats(rows, bits=9).local_epsilon <= LogRational(asked)
    with pytest.raises(errors.InvalidValueError, match=r"above the one asked for\. Pass 'below'"):
        from_floats(rows, direction="nearest", exp_eps0=asked, bits=9)


def test_what_rows_may_be():
    by_list = from_floats([[0.75, 0.25], [0.25, 0.75]])
    assert by_list.randomizer.table() == {
        0: {(0,): Fraction(3, 4), (1,): Fraction(1, 4)},
        1: {(0,): Fraction(1, 4), (1,): Fraction(3, 4)},
    }
    assert by_list.distances == (0, 0)
    assert by_list.local_epsilon == LogRational(3)
    for rows in (
        np.array([[0.75, 0.25], [0.25, 0.75]]),
        np.array([[0.75, 0.25], [0.25, 0.75]], dtype=np.float32),
        [[Decimal("0.75"), Fraction(1, 4)], (mpmath.mpf("0.25"), 0.75)],
        {0: {0: 0.75, 1: 0.25}, 1: {(0,): 0.25, (1,): 0.75}},
    ):
        assert from_floats(rows) == by_list
    pairs = from_floats({"x": {("a", "b"): 0.5, (): 0.5}, "y": {("a", "b"): 0.25, (): 0.75}})
    assert pairs.randomizer.alphabet == ("a", "b")
    assert xdp.ShuffleProtocol(by_list.randomizer, 10).privacy_profile().delta(exp_eps=3) == 0


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: from_floats([[0.5, 0.4]]), "row 0 sums to 0.9000000, not to 1. Divide it by its sum"),
        (lambda: from_floats([[1.5, -0.5]]), "input 0, message 1: -0.5 is negative"),
        (lambda: from_floats([[math.nan, 1]]), "input 0, message 0: nan is no finite real number"),
        (lambda: from_floats([["a", 1]]), "input 0, message 0: 'a' is no finite real number"),
        (lambda: from_floats([[True, 0]]), "message 0: True is no finite real number"),
        (lambda: from_floats([]), "no rows"),
        (lambda: from_floats([[], [1.0]]), "an empty row"),
        (lambda: from_floats([[0.5, 0.5]], direction="up"), "direction='up' is none. Pass 'below' or 'nearest'"),
        (lambda: from_floats([[0.5, 0.5], [0.4, 0.6]], eps0=0), "eps0=0 is asked of rows that differ"),
        (lambda: from_floats([[0.5, 0.5]], eps0=1, exp_eps0=2), "both of eps0 and exp_eps0"),
        (lambda: from_floats([[0.5, 0.5]], bits=4), "bits=4"),
        (lambda: from_floats([[0.5, 0.5]], bits=2000), "bits=2000 is more than 1024"),
        (lambda: from_floats([[1 / 100] * 100], bits=8), "bits=8 are too few for 100 messages"),
        (lambda: from_density(lambda x, y: 1, [0, 0], [0, 1, 2]), "names an input twice"),
        (lambda: from_density(lambda x, y: 1, [0], [0, 2, 1]), "do not rise"),
        (lambda: from_density(lambda x, y: 1, [0], [0, "a", 1]), "Pass rising numbers"),
        (lambda: from_density(lambda x, y: 1 / 4, [0], [0, 1, 2]), "let the cells cover the law"),
        (lambda: from_density(lambda x, y: 1, range(1000), range(1000)), "more than the limit of 65536"),
    ],
)
def test_refusals(ask, message):
    with pytest.raises(errors.ExactDPError) as refused:
        ask()
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_density_and_its_distribution_function():
    """Laplace noise in cells: the masses against closed forms, and eps0 not above 1."""

    def cdf(x, y):
        return math.exp(y - x) / 2 if y < x else 1 - math.exp(x - y) / 2

    edges = [-math.inf, -1, 0, 0.25, 0.5, 0.75, 1, 2, math.inf]
    by_density = from_density(lambda x, y: math.exp(-abs(x - y)) / 2, [0, 0.5, 1], edges, eps0=1)
    by_cdf = from_density(cdf, [0, 0.5, 1], edges, cumulative=True, eps0=1)
    for rounded in (by_density, by_cdf):
        assert rounded.local_epsilon.enclose().hi <= 1
        assert max(rounded.distances) < Fraction(1, 10**9)
        for x, law in rounded.randomizer.table().items():
            assert sum(law.values()) == 1
            for i, (low, high) in enumerate(pairwise(edges)):
                mass = (1 if high == math.inf else cdf(x, high)) - (0 if low == -math.inf else cdf(x, low))
                assert abs(float(law[(i,)]) - mass) < 1e-9


def test_a_gaussian_law_by_its_distribution_function():
    """Of mpmath's numbers; eps0 is that of the cells, which the tails make large, unless a smaller one is asked."""
    edges = [-math.inf, *range(-3, 5), math.inf]
    free = from_density(lambda x, y: mpmath.ncdf(y, x, 2), [0, 1], edges, cumulative=True)
    asked = from_density(lambda x, y: mpmath.ncdf(y, x, 2), [0, 1], edges, cumulative=True, eps0="1/2")
    assert free.local_epsilon.enclose().lo > Fraction(1, 2) >= asked.local_epsilon.enclose().hi
    assert max(free.distances) < Fraction(1, 10**12) < max(asked.distances) < Fraction(1, 4)


def test_what_lies_outside_the_cells_counts_as_moved():
    rounded = from_density(lambda x, y: 0.995 / 2, [0, 1], [0, 1, 2])
    assert abs(max(rounded.distances) - Fraction(5, 1000)) < Fraction(1, 10**12)
