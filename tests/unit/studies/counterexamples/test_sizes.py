"""Bounds beside proved ends at real sizes: the eps that each promises, by exact sums, and words that are true."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

from exactdp import Interval
from exactdp.bounds import clones_delta, stronger_clones_delta, variation_ratio_delta
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.privacy.amplification.variation_ratio import response_parameters
from exactdp.randomizers import ClippedDiscreteLaplace, HadamardResponse, KAryResponse, LocalHashing, UnaryEncoding
from exactdp.studies.counterexamples import comparison, sizes
from exactdp.studies.counterexamples.comparison import AT_DELTA, AT_EPS, Promise, family_case, response_case
from exactdp.studies.counterexamples.promises import FORMULAS
from exactdp.studies.counterexamples.sizes import SIZE_GRIDS, compared_at, promised_exp_eps
from tests.thinned import thinned

DELTA = Fraction(1, 10**6)
E2 = Fraction(7389, 1000)


def by_name(case, delta=DELTA):
    return {one.bound: one for one in compared_at(case, delta)}


@pytest.fixture(autouse=True, scope="module")
def four_digits():
    """Enough for each statement here, and some times faster; tests/unit/cli/test_search.py asks as the page does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "_BITS", 13)
        yield


@pytest.fixture(scope="module")
def four():
    """What is said of 4-ary response of a thousand users with eps0 = 2."""
    return by_name(family_case(1000, KAryResponse(4, exp_eps0=E2)))


def test_the_published_number_of_4_ary_response_is_below(four):
    assert [name for name, one in four.items() if one.is_below] == ["variation-ratio-response"]
    assert all(one.holds for one in four.values() if one.bound != "variation-ratio-response")
    one = four["variation-ratio-response"]
    assert Fraction("0.35100") < one.published.lo < Fraction("0.351048") < one.published.hi < Fraction("0.3511")
    assert Fraction("0.3512") < one.exact.lo < Fraction("0.351244") < Fraction("0.351502") < one.exact.hi
    assert Fraction("0.998") < one.ratio < 1
    assert set(AT_EPS) - set(four) == {"binary-sum-proved"}  # of bits only


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("clones", lambda level: clones_delta(1000, exp_eps0=E2, exp_eps=level)),
        ("stronger-clones", lambda level: stronger_clones_delta(1000, exp_eps0=E2, exp_eps=level)),
        (
            "variation-ratio-response",
            lambda level: variation_ratio_delta(1000, response_parameters(4, exp_eps0=E2), exp_eps=level),
        ),
    ],
)
def test_a_promise_by_exact_sums(name, exact):
    low, high = promised_exp_eps(AT_EPS[name], response_case(1000, 4, E2), DELTA)
    assert 1 < low < high < low + Fraction(1, 10**4)
    assert exact(low) > DELTA >= exact(high)


def test_a_closed_form_by_another_program():
    """4 (E0 - 1) sqrt(2 ln(4/delta) / ((E0 + 1) n)) + 4 (E0 - 1) / n, by 40-digit floats."""
    n, ratio = 10**5, mpmath.mpf(3)
    root = mpmath.sqrt(2 * mpmath.log(4 / mpmath.mpf("1e-6")) / ((ratio + 1) * n))
    eps = mpmath.log(1 + (ratio - 1) * (4 * root + mpmath.mpf(4) / n))
    told = sizes.level_of(Promise.published("stronger-clones-closed"))
    low, high = told(family_case(n, KAryResponse(3, exp_eps0=3)), DELTA)
    assert low < Fraction(str(mpmath.exp(eps))) + Fraction(1, 10**12)
    assert high > Fraction(str(mpmath.exp(eps))) - Fraction(1, 10**12)
    assert high - low < Fraction(1, 10**12)


def test_bounds_that_say_nothing_promise_eps0():
    case = family_case(10**3, KAryResponse(4, exp_eps0=E2))
    low, high = promised_exp_eps(AT_EPS["hoeffding-blanket-generic"], case, DELTA)
    assert low < E2 <= high
    assert (E2 - low) * 2**12 < E2
    assert promised_exp_eps(lambda case, level, relative_bits: Fraction(2), case, DELTA)[1] == E2


@pytest.mark.slow
def test_a_bound_with_a_tenth_less_is_below(monkeypatch):
    """The upper end itself holds, or is within the enclosures; nine tenths of it are below the lower end."""
    case = family_case(10**5, KAryResponse(4, exp_eps0=3))
    profile, eps = case.profile(), sizes._true_eps(case, DELTA)

    def part(share):
        def bound(case, exp_eps, relative_bits):
            upper = profile.bracket(exp_eps=exp_eps, relative_bits=relative_bits).upper
            return Interval.between(upper.lo * share, upper.hi * share, bits=40)

        return bound

    monkeypatch.setattr(sizes, "_true_eps", lambda case, delta: eps)
    for share, below in ((Fraction(1), False), (Fraction(9, 10), True)):
        monkeypatch.setattr(sizes, "AT_EPS", {"stronger-clones": part(share)})
        assert by_name(case)["stronger-clones"].is_below is below


def test_the_true_eps_lies_between_proved_ends_of_delta(four):
    """Just below the lower end some data set has more than the target, and just above the upper end none has."""
    profile, eps = family_case(1000, KAryResponse(4, exp_eps0=E2)).profile(), four["clones"].exact
    low, high = (Fraction(str(mpmath.exp(float(end)))) for end in (eps.lo, eps.hi))
    slack = Fraction(1, 10**4)
    below, above = (profile.bracket(exp_eps=level, relative_bits=12) for level in (low - slack, high + slack))
    assert below.lower.lo > DELTA > above.upper.hi


@pytest.mark.parametrize(
    "family",
    thinned(
        [UnaryEncoding(16, exp_eps0=9), LocalHashing(16, exp_eps0=3), ClippedDiscreteLaplace(1, exp_eps0=3)], every=3
    ),
    ids=lambda family: family.name,
)
def test_families_have_the_bounds_that_are_published_for_them(family):
    compared = by_name(family_case(10**5, family))
    generic = {"clones", "stronger-clones", "hoeffding-blanket-generic", "bennett-blanket-generic"}
    closed = {"clones-closed", "stronger-clones-closed", "stronger-clones-refined"}
    own = set() if isinstance(family, ClippedDiscreteLaplace) else {f"variation-ratio-{family.name}"}
    assert set(compared) == generic | closed | own
    assert all(compared[name].holds for name in generic | closed)
    assert compared["clones"].exact.lo < compared["clones"].exact.hi


def test_what_is_promised_to_all_randomizers_is_computed_once(monkeypatch):
    asked, kept, right = [], {}, AT_EPS["clones"]
    monkeypatch.setitem(AT_EPS, "clones", lambda case, level, **bits: asked.append(level) or right(case, level, **bits))
    asked_after = []
    for family in (KAryResponse(2, exp_eps0=3), KAryResponse(3, exp_eps0=3)):
        compared = list(compared_at(family_case(9, family), DELTA, kept))
        assert "clones" in {one.bound for one in compared}
        asked_after.append(len(asked))
    assert asked_after[0] == asked_after[1] > 5


@pytest.mark.slow
def test_a_published_number_of_hadamard_response_is_below():
    one = by_name(family_case(1000, HadamardResponse(15, exp_eps0=3)))["variation-ratio-hadamard"]
    assert one.is_below
    assert Fraction("0.1155") < one.published.lo < one.exact.lo < Fraction("0.1157")


def test_cases_of_families():
    assert family_case(10, KAryResponse(4, exp_eps0=3)).label == response_case(10, 4, Fraction(3)).label
    assert family_case(10, UnaryEncoding(4, exp_eps0=9, optimized=True)).label == (
        "unary-encoding d=4 optimized=True, n=10, e^eps0=9"
    )
    with pytest.raises(InvalidValueError, match="irrational"):
        family_case(10, KAryResponse(4, exp_eps0="exp(1)"))
    with pytest.raises(HypothesisError, match="needs a family"):
        comparison.family_variation_ratio(response_case(2, 3, Fraction(2)), Fraction(3, 2))


def test_the_grids_are_stated():
    for grid in SIZE_GRIDS:
        assert grid.stated != grid.larger
        assert grid.ratio == "published eps over the upper end of the true one"
        assert "1000, 10000, 100000, 1000000" in grid.stated
        assert "; e^eps0 = " in grid.stated
    assert SIZE_GRIDS[0].stated.startswith("k-ary randomized response, k = 2, 3, 4, 16, 100; ")
    assert set(AT_DELTA) >= set(sizes._CLOSED_OF_ANY)


def test_words_say_what_is_decided(four):
    promised, below = sizes._in_words(list(four.values()))
    at = "4-ary randomized response, n=1000, e^eps0=7389/1000, delta=1/1000000"
    assert promised.startswith(f"{at}: eps lies from 0.3512")
    assert "stronger-clones 0.397" in promised
    assert "variation-ratio-response 0.3510" in promised
    assert promised.count("(below)") == 1
    assert below.startswith(f"{at}: variation-ratio-response promises eps = 0.3510")
    assert "; some data set has more than 0.3512" in below


def test_formulas_of_programs_are_below_and_those_of_theorems_hold(monkeypatch):
    """At two of the sizes, beside the published bounds, of which each holds too."""
    monkeypatch.setattr(sizes, "_ANY_USERS", (100, 1000))
    compared = list(SIZE_GRIDS[2].comparisons(False))
    below = {one.bound for one in compared if one.is_below}
    assert below == {name for name in FORMULAS if name.startswith("in-code")}
    same = {(one.label, one.delta): one.published for one in compared if one.bound == "clones-closed"}
    stored = {(one.label, one.delta): one.published for one in compared if one.bound == "clones-closed-in-words"}
    assert same.keys() == stored.keys()
    for key, published in same.items():
        assert abs(published.hi - stored[key].hi) < Fraction(1, 10**12)
    words = sizes._in_words_of_any(compared)
    assert any(line.startswith("clones at e^eps0=7389/1000, n: 100: 1.199, 1000: 1.460") for line in words)
    assert "in-code-without-delta is eps = E*sqrt(ln(n)/n)" in words


def test_words_tell_near_numbers_apart(four):
    near = replace(
        four["clones"], published=Fraction("0.1019563"), exact=Interval.around(Fraction("0.1019571"), relative_bits=40)
    )
    assert near.is_below
    words = sizes._below_in_words(near)
    assert words.endswith("clones promises eps = 0.1019563; some data set has more than 0.1019570")
