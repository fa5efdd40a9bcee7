"""The mean of q^C: against all matchings, and the proved tail against all coefficients."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp.errors import TooLargeError
from exactdp.kernel import components
from exactdp.kernel.balls import precision
from exactdp.kernel.components import Structure, component_excess, component_mean, least_excess
from exactdp.kernel.rationals import ratio
from tests.oracles.shares import colourings

SIZES = [(2, 2, 2), (2, 2, 3), (2, 3, 3), (3, 2, 2), (3, 2, 3)]
"""n, m, q, with at most 36 matchings where there are separate ones, and 6! of all stubs."""


@pytest.mark.parametrize(("n", "m", "q"), SIZES)
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("separate", [False, True])
def test_the_generating_function_counts_every_matching(n, m, q, average, separate):
    structure = Structure(m, separate=separate, average=average)
    assert component_mean(structure, n, q) == colourings(n, q, m, average=average, separate=separate)


def test_published_values():
    values = [component_mean(Structure(m, separate=True, average=False), n, q) for n, m, q in [(3, 3, 2), (3, 4, 3)]]
    assert values == [Fraction(8, 3), Fraction(133, 36)]


STRUCTURES = [Structure(m, separate, average) for m, separate, average in product((3, 5), (False, True), (False, True))]
STRUCTURES += [Structure(2, separate, True) for separate in (False, True)]


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
@pytest.mark.parametrize(("n", "q", "length"), [(18, 2, 8), (40, 3, 8), (40, 3, 16), (150, 20, 12), (70, 5, 32)])
def test_the_proved_ends_contain_what_all_coefficients_give(structure, n, q, length):
    exact = component_mean(structure, n, q) / q - 1
    with precision(300):
        ends = components._ends(structure, n, q, length)
        low = _fraction(ends.lower)
        assert low <= exact
        assert exact - low < exact / 50
        if ends.upper is not None:
            assert exact <= _fraction(ends.upper)


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_an_upper_end_is_proved_and_near(structure):
    n, q = 200, 7
    answer = component_excess(structure, n, q, relative_bits=16, enough=4)
    assert component_mean(structure, n, q) / q - 1 in answer
    assert answer.hi - answer.lo < answer.lo / 2**15


def test_the_end_needs_the_far_terms(monkeypatch):
    structure, n, q = Structure(3, separate=True, average=False), 100, 3
    exact = component_mean(structure, n, q) / q - 1
    recursion = components._recursion
    monkeypatch.setattr(components, "_recursion", lambda *at: (recursion(*at)[0] * 0, recursion(*at)[1] * 0))
    with precision(200):
        assert _fraction(components._ends(structure, n, q, 16).upper) < exact


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_the_first_term_is_below_the_sum(structure):
    exact = component_mean(structure, 50, 3) / 3 - 1
    assert exact / 2 < least_excess(structure, 50, 3) <= exact


def test_what_bounds_nothing_is_said_without_work():
    assert component_excess(Structure(3, False, False), 10**6, 2**64, relative_bits=20, enough=4) is None
    assert component_excess(Structure(3, False, False), 20, 10**6, relative_bits=20, enough=4) is None


def test_a_modulus_near_the_number_of_users_is_refused(monkeypatch):
    monkeypatch.setattr(components, "_MAX_WORK", 10**8)
    with pytest.raises(TooLargeError, match="Use more messages, a smaller modulus, or fewer users"):
        component_excess(Structure(4, False, False), 10**5, 2**33, relative_bits=20, enough=4)


def _fraction(ball):
    middle, radius = ball.mid().fmpq(), ball.rad().fmpq()
    assert int(radius.numerator) * 2**100 < int(radius.denominator)
    return ratio(int(middle.p), int(middle.q))
