"""The mean of q^C: against all matchings, and the proved tail against all coefficients."""

import math
from fractions import Fraction
from itertools import product

import pytest
from flint import arb, fmpq

from exactdp.errors import TooLargeError
from exactdp.numbers.balls import precision
from exactdp.numbers.rationals import ratio
from exactdp.protocols.mixing import components
from exactdp.protocols.mixing.components import Structure, component_excess, component_mean, least_excess
from tests.oracles.shares import colourings
from tests.together import together

SIZES = [(2, 2, 2), (2, 2, 3), (2, 3, 3), (3, 2, 2), (3, 2, 3)]
"""n, m, q, with at most 36 matchings where there are separate ones, and 6! of all stubs."""


@together(("n", "m", "q"), SIZES)
@together("average", [False, True])
@together("separate", [False, True])
def test_the_generating_function_counts_every_matching(n, m, q, average, separate):
    structure = Structure(m, separate=separate, average=average)
    assert component_mean(structure, n, q) == colourings(n, q, m, average=average, separate=separate)


def test_published_values():
    values = [component_mean(Structure(m, separate=True, average=False), n, q) for n, m, q in [(3, 3, 2), (3, 4, 3)]]
    assert values == [Fraction(8, 3), Fraction(133, 36)]


STRUCTURES = [Structure(m, separate, average) for m, separate, average in product((3, 5), (False, True), (False, True))]
STRUCTURES += [Structure(2, separate, True) for separate in (False, True)]


@together("structure", STRUCTURES, ids=str)
@together(
    ("n", "q", "length"),
    [(18, 2, 8), (40, 3, 8), (40, 3, 16), (150, 20, 12), (70, 5, 32), (150, 300, 16), (90, 200, 40)],
)
def test_the_proved_ends_contain_what_all_coefficients_give(structure, n, q, length):
    exact = component_mean(structure, n, q) / q - 1
    with precision(300):
        ends = components._ends(structure, n, q, length)
        low = _fraction(ends.lower)
        assert low <= exact
        assert exact - low < exact / 50
        assert ends.upper >= _ball(exact) >= components._isolated(structure, n, q)


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_an_upper_end_is_proved_and_near(structure):
    n, q = 200, 7
    answer = component_excess(structure, n, q, relative_bits=16, enough=4)
    assert component_mean(structure, n, q) / q - 1 in answer
    assert answer.hi - answer.lo < answer.lo / 2**15


@pytest.mark.parametrize(("n", "length"), [(100, 1), (4, 1)])
def test_the_end_needs_both_bounds(monkeypatch, n, length):
    """That of the terms which are not listed, and, alone at 4 users, that of no large colour."""
    structure, q = Structure(3, separate=True, average=False), 3
    exact = component_mean(structure, n, q) / q - 1
    with precision(200):
        assert components._ends(structure, n, q, length).upper >= _ball(exact)
        monkeypatch.setattr(components, "_log_sum", lambda *at: arb(-100))
        assert components._ends(structure, n, q, length).upper < _ball(exact)


@pytest.mark.parametrize("m", [3, 5])
@pytest.mark.parametrize("separate", [False, True])
def test_a_modulus_near_the_number_of_random_cuts_is_enclosed(m, separate):
    """Beside all coefficients at 150 users, and nearly Poisson many isolated points at 10^9."""
    structure = Structure(m, separate, False)
    for n, bits in ((150, 30), (10**9, 20)):
        up, down = structure.step(n - 1)
        q = up // (down * structure.step(0)[0]) + 2
        answer = component_excess(structure, n, q, relative_bits=bits, enough=4)
        assert answer.hi - answer.lo < answer.lo / 2 ** (bits - 1)
        if n == 150:
            assert component_mean(structure, n, q) / q - 1 in answer
        else:
            assert abs(float(answer.lo) - (math.e - 1)) < 1e-3


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_the_first_term_is_below_the_sum(structure):
    exact = component_mean(structure, 50, 3) / 3 - 1
    assert exact / 2 < least_excess(structure, 50, 3) <= exact


def test_what_bounds_nothing_is_said_without_work():
    assert component_excess(Structure(3, False, False), 10**6, 2**64, relative_bits=20, enough=4) is None
    assert component_excess(Structure(3, False, False), 20, 10**6, relative_bits=20, enough=4) is None


@pytest.mark.parametrize(("n", "m"), [(60, 7), (3000, 10)])
def test_rare_graphs_that_fall_apart_can_make_the_mean_large(n, m):
    """About one isolated point, and yet q^C has a mean far above 4, as all coefficients show at 60 users."""
    structure = Structure(m, True, False)
    q = n ** (m - 2)
    assert component_excess(structure, n, q, relative_bits=20, enough=4) is None
    if n == 60:
        assert component_mean(structure, n, q) / q > 10**30


def test_where_little_is_computed_both_ends_are_stated(monkeypatch):
    """A thousand users and a modulus of 10^24 with few coefficients: the upper end may be far."""
    monkeypatch.setattr(components, "_MOST_LENGTH", 16)
    structure = Structure(10, False, False)
    answer = component_excess(structure, 900, 10**23, relative_bits=20, enough=4)
    monkeypatch.undo()
    truth = component_excess(structure, 900, 10**23, relative_bits=20, enough=4)
    assert answer.lower.compare(truth.lo) <= 0
    assert answer.upper.compare(truth.hi) >= 0
    assert truth.hi - truth.lo < truth.lo / 2**19


def test_exact_means_of_many_points_are_refused():
    with pytest.raises(TooLargeError, match="Ask for the bound, which is enclosed at any size"):
        component_mean(Structure(4, False, False), 10**5, 2**33)


def _ball(value):
    return arb(fmpq(value.numerator, value.denominator))


def _fraction(ball):
    middle, radius = ball.mid().fmpq(), ball.rad().fmpq()
    assert int(radius.numerator) * 2**100 < int(radius.denominator)
    return ratio(int(middle.p), int(middle.q))
