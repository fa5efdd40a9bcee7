"""Local maxima of zsum's delta: none above a target is passed over, in either order."""

from fractions import Fraction

import pytest
from scipy import integrate, stats

from exactdp import Binomial, shift_profile
from exactdp.errors import TooLargeError
from exactdp.laws.tails import root_above
from exactdp.numbers.epsilon import PrivacyLevel, read_privacy_level
from exactdp.studies.calibration import zsum_safety
from exactdp.studies.calibration.grid_search import FAMILIES, family_named
from exactdp.studies.calibration.zsum_safety import _ROOT_BITS, LocalMaxima, _evaluate, _safe_ones, unsafe_points
from tests.thinned import thinned
from tests.together import together


def rises(n, exp_eps, backward):
    """Where delta of one order begins and ends to rise, from its formulas in the module docstring."""
    for i in range(1, n):
        if backward:
            yield i / (i + exp_eps * (n - i + 1)), i / (i + exp_eps * (n - i))
        else:
            yield exp_eps * i / (n - i + 1 + exp_eps * i), exp_eps * i / (n - i + exp_eps * i)


def delta(n, gamma, exp_eps):
    return shift_profile(Binomial(n, gamma)).exact_delta(exp_eps=exp_eps)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(
    ("n", "exp_eps"), thinned([(12, Fraction(3, 2)), (30, Fraction(2)), (25, Fraction(11, 10))], every=2)
)
def test_a_rise_above_the_target_is_found(n, exp_eps, backward):
    seen = 0
    for start, end in rises(n, exp_eps, backward):
        if not 0 < start < end <= Fraction(1, 2):
            continue
        low, high = delta(n, start, exp_eps), delta(n, end, exp_eps)
        if low >= high:
            continue
        seen += 1
        target = (low + high) / 2
        found = list(unsafe_points(n, PrivacyLevel(exp_eps), target, start, low))
        assert any(abs(place - end) < Fraction(1, 2**50) for place in found)
        assert all(delta(n, place, exp_eps) > target for place in found)
        assert not [
            p for p in unsafe_points(n, PrivacyLevel(exp_eps), 2 * high, start, low) if delta(n, p, exp_eps) <= 2 * high
        ]
    assert seen or backward


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("exp_eps", [Fraction(1), Fraction(101, 100), Fraction(2), Fraction(10)])
def test_the_bound_of_a_rise_is_above_it(exp_eps, backward):
    n = 40
    maxima = LocalMaxima(n, PrivacyLevel(exp_eps), backward)
    places = [(i, start, end) for i, (start, end) in enumerate(rises(n, exp_eps, backward), 1) if end <= Fraction(1, 2)]
    for i, start, end in places:
        law_before, law_after = Binomial(n, start), Binomial(n, end)

        def value(law, i=i):
            """The divergence of the order at the half-line that belongs to this rise."""
            if backward:
                i = n - i
                law = Binomial(n, 1 - law.p)
            return law.exact_cdf(i) - exp_eps * (law.exact_cdf(i - 1) if i else 0)

        risen = value(law_after) - value(law_before)
        assert risen <= maxima.rise(i, i)
        assert maxima.rise(i, i) <= 40 * max(abs(risen), Fraction(1, 10**12)) or exp_eps > 2
        if i + 3 < maxima.last:
            assert maxima.rise(i, i + 3) >= max(maxima.rise(j, j) for j in range(i, i + 4)) / 2


def test_the_families_that_are_called_monotone_are():
    """zsum's delta rises here and there as gamma grows: no larger value is safe because a smaller one is."""
    start, end = next(pair for pair in rises(12, Fraction(3, 2), backward=False) if pair[1] <= Fraction(1, 2))
    assert delta(12, start, Fraction(3, 2)) < delta(12, end, Fraction(3, 2))
    named = [name for name in FAMILIES if name != "sample-and-threshold"]
    families = {name: family_named(name, PrivacyLevel(Fraction(3, 2))) for name in named}
    assert not families["zsum"].monotone
    flipping = families["randomized-response"]
    assert flipping.monotone
    deltas = [flipping.build(Fraction(i, 20), 9).privacy_profile().exact_delta(exp_eps="3/2") for i in range(1, 11)]
    assert deltas == sorted(deltas, reverse=True)


@together("backward", [False, True])
@together("exp_eps", [Fraction(1), Fraction(3, 2), Fraction(5)])
@together("n", [2, 7, 30])
def test_the_maxima_are_counted_from_where_one_stands_to_one_half(n, exp_eps, backward):
    maxima = LocalMaxima(n, PrivacyLevel(exp_eps), backward)
    ends = [end for _, end in rises(n, exp_eps, backward)]
    assert [maxima.place(i, 60) for i in range(1, n)] == ends
    assert maxima.last == sum(end <= Fraction(1, 2) for end in [*ends, Fraction(1)])
    for i, end in enumerate(ends, 1):
        assert maxima.first_after(end) == i + 1
        assert maxima.first_after(end * Fraction(999, 1000)) == i
        assert maxima.first_after(end + (1 - end) / 1000) == i + 1


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(("first", "count"), [(1, 1), (1, 2), (2, 4), (3, 8)])
def test_maxima_are_passed_while_the_sum_of_the_rises_is_proved_to_fit(first, count, backward):
    maxima = LocalMaxima(60, PrivacyLevel(Fraction(3, 2)), backward)
    assert first + 2 * count - 1 < maxima.last
    value = Fraction(1, 10)
    fits = value + count * maxima.rise(first, first + count - 1)
    tiny = Fraction(1, 10**40)
    assert _safe_ones(maxima, first, value, fits) >= count
    assert _safe_ones(maxima, first, value, fits - tiny) < count
    assert _safe_ones(maxima, first, value, value) == 0
    all_of_them = maxima.last - first + 1
    everything = value + 2 * all_of_them * maxima.rise(1, maxima.last)
    assert _safe_ones(maxima, first, value, max(everything, Fraction(100))) == all_of_them


def test_as_many_maxima_are_evaluated_as_the_limit_says(monkeypatch):
    question = (16, PrivacyLevel(Fraction(2)), Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 10**7))
    evaluated = []
    evaluate = zsum_safety._evaluate
    monkeypatch.setattr(zsum_safety, "_evaluate", lambda *asked: evaluated.append(asked[:2]) or evaluate(*asked))
    points = list(unsafe_points(*question))
    most = max(sum(maxima.backward is side for maxima, _ in evaluated) for side in (False, True))
    monkeypatch.setattr(zsum_safety, "_MAX_EVALUATIONS", most)
    assert list(unsafe_points(*question)) == points
    monkeypatch.setattr(zsum_safety, "_MAX_EVALUATIONS", most - 1)
    with pytest.raises(TooLargeError, match=f"more than {most - 1} local maxima"):
        list(unsafe_points(*question))


@pytest.mark.parametrize("step", [-1, 1])
def test_a_maximum_of_many_users_near_the_target_is_enclosed_more_narrowly(step):
    """Ten million users: no exact value is there, and 60 bits do not tell the two apart."""
    maxima = LocalMaxima(10**7, PrivacyLevel(Fraction(3, 2)), False)
    law = Binomial(10**7, maxima.place(1000, 60))
    peak = shift_profile(law).delta(exp_eps=Fraction(3, 2), relative_bits=150)
    target = peak.hi * (1 + step * Fraction(1, 2**100))
    place, bound, is_above = _evaluate(maxima, 1000, target)
    assert place == law.p
    assert is_above == (step < 0)
    assert bound >= peak.lo
    assert is_above or bound <= target


def test_a_maximum_equal_to_the_target_is_not_above_it():
    maxima = LocalMaxima(12, PrivacyLevel(Fraction(3, 2)), False)
    peak = delta(12, maxima.place(2, 60), Fraction(3, 2))
    assert _evaluate(maxima, 2, peak) == (maxima.place(2, 60), peak, False)
    assert _evaluate(maxima, 2, peak - Fraction(1, 2**400))[2]
    _, bound, is_above = _evaluate(maxima, 2, 2 * peak)
    assert not is_above
    assert peak <= bound <= peak * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(("n", "exp_eps"), [(200, 5), (150, 2), (150, 30)])
def test_the_bound_of_a_rise_is_above_it_for_late_maxima_too(n, exp_eps, backward):
    """To double precision: with b(a) the binomial weight, dh_a/dg = b(a) (E a/g - (n-a)/(1-g)), integrated by parts."""
    maxima = LocalMaxima(n, PrivacyLevel(Fraction(exp_eps)), backward)
    places = list(rises(n, Fraction(exp_eps), backward))
    for i in sorted({2, maxima.last // 3, maxima.last - 1, maxima.last} - {0, 1}):
        start, end = (float(1 - g) if backward else float(g) for g in places[i - 1])
        a = n - i if backward else i

        def slope(g, a=a):
            return stats.binom.pmf(a, n, g) * (exp_eps * a / g - (n - a) / (1 - g))

        risen, error = integrate.quad(slope, start, end, epsabs=0)
        assert risen > 1e3 * error
        assert float(maxima.rise(i, i)) >= risen


@pytest.mark.parametrize("step", [-2, Fraction(1, 4), Fraction(1, 2), 2, 100])
def test_what_is_said_to_be_safe_is_at_most_the_target(step):
    """At an irrational order the maximum may be elsewhere: what the place costs is added before the comparison."""
    maxima = LocalMaxima(50, read_privacy_level(eps="2/5", exp_eps=None), backward=False)
    place, _, _ = _evaluate(maxima, 10, Fraction(1, 2))
    enclosed = shift_profile(Binomial(50, place)).delta(eps="2/5", relative_bits=64)
    target = enclosed.hi * (1 + step * Fraction(1, 2**60))
    _, bound, is_above = _evaluate(maxima, 10, target)
    assert is_above == (step < 0)
    assert is_above or bound <= target
    assert bound >= enclosed.lo


@pytest.mark.parametrize("value", [Fraction(2), Fraction(1, 3), Fraction(5, 10**21), Fraction(10**15 + 1, 7)])
def test_an_upper_bound_of_a_root_is_one_and_near(value):
    bound = root_above(value, _ROOT_BITS)
    assert value < bound**2 < value * (1 + Fraction(1, 2**14))
