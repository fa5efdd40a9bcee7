"""Two bins judged together: the staircase against the definition, cell by cell, and against itself at other sizes."""

import time
from fractions import Fraction
from itertools import product

import pytest

from exactdp import (
    AdditiveProtocol,
    Binomial,
    BinomialSum,
    DiscreteGaussian,
    DiscreteLaplace,
    Geometric,
    Interval,
    Law,
    LogRational,
    NegativeBinomial,
    Neighbors,
    Poisson,
    Real,
    shift_profile,
)
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.balls import precision, real_ball
from exactdp.privacy.noise import two_bins as joint
from exactdp.privacy.noise.two_bins import FiniteJointShift, LatticeJointShift
from exactdp.privacy.planner import engine_of
from tests.thinned import thinned
from tests.together import together

PAIR = ((1, 0), (0, 1))
CHANCES = [Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1, 1000)]


def by_definition(law, exp_eps):
    """(P(T), Q(T)) of T = {P > E Q} for P = (W, W'+1) and Q = (W+1, W'); E = None: T = {Q = 0}."""
    first = {(t, u + 1): x * y for (t, x), (u, y) in product(law.items(), repeat=2)}
    second = {(t + 1, u): x * y for (t, x), (u, y) in product(law.items(), repeat=2)}
    event = [c for c, p in first.items() if (c not in second if exp_eps is None else p > exp_eps * second.get(c, 0))]
    return sum((first[c] for c in event), Fraction(0)), sum((second.get(c, 0) for c in event), Fraction(0))


def orders_of(n):
    """E with and without ties: the likelihood ratios (n-t+1) u / (t (n-u+1)) themselves are among them."""
    ratios = {Fraction((n - t + 1) * u, t * (n - u + 1)) for t, u in product(range(1, n + 1), repeat=2)}
    chosen = sorted(r for r in ratios if r >= 1)[:: max(1, n // 2)]
    return [Fraction(1), *chosen, Fraction(n * n), Fraction(n * n + 1), Fraction(3, 2), 1 + Fraction(1, 10**6)]


def agrees_with_the_definition(n, p, exp_eps):
    masses = by_definition(Binomial(n, p).law(), exp_eps)
    event = LatticeJointShift(Binomial(n, p), *PAIR).worst(exp_eps)
    assert (event.first, event.second) == PAIR
    return (event.mass_first, event.mass_second) == masses


@together("n", range(1, 9))
@together("p", CHANCES, ids=str)
def test_exact_masses_are_those_of_the_definition(n, p):
    for exp_eps in [None, *orders_of(n)]:
        assert agrees_with_the_definition(n, p, exp_eps)


@pytest.mark.parametrize("by", [-1, 1])
def test_an_end_that_is_off_by_one_is_caught(monkeypatch, by):
    right = joint._binomial_end

    def wrong(n, exp_eps):
        return lambda u: max(0, min(n, right(n, exp_eps)(u) + (by if 1 < u <= n else 0)))

    monkeypatch.setattr(joint, "_binomial_end", wrong)
    found = [agrees_with_the_definition(n, Fraction(1, 3), Fraction(3, 2)) for n in (3, 4, 5, 6)]
    assert not any(found)


@together("n", range(1, 7))
@together("p", CHANCES, ids=str)
def test_enclosures_contain_the_definition(n, p):
    engine = LatticeJointShift(Binomial(n, p), *PAIR)
    for exp_eps in [None, *orders_of(n)]:
        first, second = by_definition(Binomial(n, p).law(), exp_eps)
        delta = first - (exp_eps or 0) * second
        found = engine.enclosed(None if exp_eps is None else Real(exp_eps), 100).delta
        assert delta in found
        assert (found.hi - found.lo) * 2**100 <= delta


LOG_CONCAVE = [
    Law({4: 1}),
    Law({-1: "1/2", 0: "1/2"}),
    Law({t: Fraction(1, 7) for t in range(-3, 4)}),
    Law({0: "1/10", 1: "3/10", 2: "4/10", 3: "2/10"}),
    BinomialSum(4, "1/3", 3, "3/4").law(),
]
OTHERS = [
    Law({0: "1/2", 2: "1/2"}),
    Law({0: "2/5", 1: "1/5", 2: "2/5"}),
    Law({0: "1/3", 10**9: "2/3"}),
]


@together("law", LOG_CONCAVE + OTHERS, ids=repr)
@together("exp_eps", [None, 1, Fraction(3, 2), Fraction(16, 9), 2, 4, 100])
def test_finite_laws(law, exp_eps):
    exp_eps = exp_eps and Fraction(exp_eps)
    engine = FiniteJointShift(law, *PAIR, 10**8)
    assert (engine._weights is None) == (law in OTHERS)
    event = engine.worst(exp_eps)
    assert (event.mass_first, event.mass_second) == by_definition(law, exp_eps)


def test_noise_with_one_outcome_hides_nothing():
    for noise in (Binomial(5, 0), Binomial(5, 1), Poisson(0), NegativeBinomial(2, 0)):
        profile = AdditiveProtocol(noise, bins=2).privacy_profile()
        assert profile.engine == "joint shift"
        assert profile.delta(exp_eps=7) == 1
        assert profile.epsilon("1/2").is_infinite


@pytest.mark.parametrize("n", thinned([20, 71, 150, 300], every=2))
@pytest.mark.parametrize("p", ["1/3", "99/100"])
def test_enclosures_contain_the_exact_value(n, p):
    profile = AdditiveProtocol(Binomial(n, p), bins=3).privacy_profile()
    assert profile.is_exact
    for exp_eps in (1, "101/100", "3/2", 4, 1000, n * n - 1):
        exact = profile.delta(exp_eps=exp_eps)
        assert isinstance(exact, Fraction)
        for bits in (10, 53, 300):
            found = profile.delta(exp_eps=exp_eps, relative_bits=bits)
            assert exact in found
            assert (found.hi - found.lo) * 2**bits <= exact


@pytest.mark.parametrize(
    "law",
    [
        Binomial(10**6, 1 - Fraction(725, 10**6)),
        Binomial(10**12, "1/1000000000"),
        Poisson(725),
        Poisson(3 * Real.log(50)),
        NegativeBinomial(3 * (1 + Real.log(100)), Real.exp("-1/5")),
        DiscreteGaussian(50),
        DiscreteLaplace(Real.exp("1/5")),
        Geometric(Real.exp("-1/5")),
        BinomialSum(30, "1/3", 40, "2/3"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("eps", thinned(["1", "0", "1/10", "3"], every=4))
def test_more_bits_are_inside(law, eps):
    profile = AdditiveProtocol(law, bins=2).privacy_profile()
    wide, narrow = profile.delta(eps=eps, relative_bits=53), profile.delta(eps=eps, relative_bits=212)
    assert wide.lo <= narrow.lo
    assert narrow.hi <= wide.hi
    assert (narrow.hi - narrow.lo) * 2**212 <= narrow.hi


WINDOWED = [
    (Poisson("3/2"), range(45)),
    (Geometric("1/2"), range(70)),
    (Geometric(Real.exp(-1)), range(50)),
    (NegativeBinomial("5/2", "1/3"), range(50)),
    (DiscreteLaplace(3), range(-40, 41)),
    (DiscreteLaplace(Real.exp("3/2")), range(-30, 31)),
    (DiscreteGaussian(2), range(-18, 19)),
    (BinomialSum(3, "1/3", 5, "3/4"), range(9)),
]


@together(("law", "window"), WINDOWED, ids=lambda x: repr(x) if not isinstance(x, range) else "")
@together("order", [Real(1), Real.exp("1/2"), Real(3), Real(9), Real.exp(3), Real(40)], ids=repr)
def test_every_law_against_a_sum_over_all_cells(law, window, order):
    """max(0, P - E Q) over a window that holds all but 2^-40 of the law."""
    with precision(200):
        weights = {t: _ball(law.pmf(t, relative_bits=150)) for t in window}
        weights |= {window[0] - 1: 0 * weights[window[0]], window[-1] + 1: 0 * weights[window[0]]}
        total, factor = 0 * weights[window[0]], real_ball(order)
        for t, u in product([*window, window[-1] + 1], repeat=2):
            cell = weights[t] * weights[u - 1] - factor * weights[t - 1] * weights[u]
            total += cell if cell > 0 else 0
        expected = Fraction(str(total.mid().fmpq()))
    found = LatticeJointShift(law, *PAIR).enclosed(order, 60).delta
    assert abs(found.lo - expected) < Fraction(1, 2**35)
    assert abs(found.hi - expected) < Fraction(1, 2**35)


def _ball(interval):
    return real_ball(Real((interval.lo + interval.hi) / 2))


def test_closed_forms():
    """Geometric noise: only t = 0 is ever worth a bet. Laplace noise: the quadrant t <= 0 < u, up to E = a^-2."""
    geometric = AdditiveProtocol(Geometric("1/3"), bins=2).privacy_profile()
    laplace = AdditiveProtocol(DiscreteLaplace(3), bins=2).privacy_profile()
    for exp_eps in (1, 2, Fraction(17, 2), 8, Fraction(899, 100)):
        assert Fraction(2, 3) in geometric.delta(exp_eps=exp_eps)
        half = Fraction(3, 4)  # P[Y <= 0]
        assert half**2 - exp_eps * (1 - half) ** 2 in laplace.delta(exp_eps=exp_eps)
    for exp_eps in (9, 10, 10**9):
        assert laplace.delta(exp_eps=exp_eps) == Interval.around(0, relative_bits=1)
    assert laplace.delta(eps=LogRational(None)) == Interval.around(0, relative_bits=1)
    assert LogRational(9).enclose().lo in laplace.epsilon(0) or LogRational(9).enclose().hi in laplace.epsilon(0)
    assert geometric.epsilon("1/2").is_infinite


def test_noise_without_bounded_ratios_never_reaches_zero():
    profile = AdditiveProtocol(DiscreteGaussian(3), bins=2).privacy_profile()
    assert profile.delta(eps=10**3) > 0
    assert profile.epsilon(0).is_infinite


def test_an_eps_above_all_finite_ratios_is_infinite():
    for n in (50, 10**9):
        profile = AdditiveProtocol(Binomial(n, "1/2"), bins=2).privacy_profile()
        assert profile.delta(eps=10**6, relative_bits=53) == profile.delta(eps=LogRational(None), relative_bits=53)


@pytest.mark.parametrize(
    ("law", "eps"),
    [
        (Binomial(1451, "1/2"), "1/2"),
        (Binomial(10**6, 1 - Fraction(725, 10**6)), "1"),
        (Binomial(40, "1/5"), "1/3"),
        (Poisson(50), "1/4"),
        (DiscreteGaussian(30), "1/4"),
        (DiscreteLaplace(Real.exp("1/4")), "1/8"),
    ],
    ids=repr,
)
def test_the_joint_view_is_better_than_basic_composition(law, eps):
    both = AdditiveProtocol(law, bins=2).privacy_profile().delta(eps=2 * Fraction(eps))
    one = shift_profile(law).delta(eps=eps)
    assert both.hi < 2 * one.lo
    assert isinstance(law, DiscreteLaplace) or both.hi < one.lo


def test_the_joint_view_is_never_worse_than_basic_composition():
    for n, p, exp_eps in product((1, 2, 5, 9), CHANCES, (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(5))):
        both = AdditiveProtocol(Binomial(n, p), bins=2).privacy_profile().exact_delta(exp_eps=exp_eps**2)
        one = shift_profile(Binomial(n, p)).exact_delta(exp_eps=exp_eps)
        assert one <= AdditiveProtocol(Binomial(n, p), bins=2).privacy_profile().exact_delta(exp_eps=exp_eps)
        assert both <= 2 * one


@pytest.mark.parametrize("target", ["1/100", "1/1000000"])
def test_epsilon_is_exact_for_short_laws(target):
    profile = AdditiveProtocol(Binomial(200, "1/3"), bins=2).privacy_profile()
    exp_eps = profile.epsilon(target).argument
    assert profile.delta(exp_eps=exp_eps) == Fraction(target)
    assert profile.delta(exp_eps=exp_eps - Fraction(1, 10**30)) > Fraction(target)


@pytest.mark.parametrize(
    "law", thinned([Binomial(10**6, 1 - Fraction(725, 10**6)), Poisson(300), DiscreteGaussian(80)], every=2), ids=repr
)
def test_epsilon_is_enclosed_for_long_laws(law):
    profile = AdditiveProtocol(law, bins=2).privacy_profile()
    assert not profile.is_exact
    found = profile.epsilon("1e-6")
    assert isinstance(found, Interval)
    assert 0 < found.hi - found.lo < found.lo / 2**50
    width = found.hi / 10**9
    assert profile.delta(eps=found.lo - width) > Fraction(1, 10**6)
    assert profile.delta(eps=found.hi + width) < Fraction(1, 10**6)


@pytest.mark.slow
def test_a_wide_law_is_judged_near_its_eps():
    """The search for eps begins at basic composition, not at e^eps = 2, where too many terms would matter."""
    profile = AdditiveProtocol(Binomial(4 * 10**7, "1/2"), bins=2).privacy_profile()
    assert Fraction(1, 2000) < profile.epsilon("1e-6").lo < Fraction(1, 300)


def test_precision_is_raised_until_the_promise_is_kept():
    staircase = joint.Staircase
    for law in (Poisson(40), Binomial(10**5, "1/1000")):
        engine = LatticeJointShift(law, *PAIR)
        usual = engine.enclosed(Real(2), 400).delta
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(joint, "Staircase", lambda *args: staircase(*args[:-1], -60))
            hasty = engine.enclosed(Real(2), 400).delta
        assert (hasty.hi - hasty.lo) * 2**400 <= hasty.hi
        assert max(usual.lo, hasty.lo) <= min(usual.hi, hasty.hi)


def test_what_is_refused():
    with pytest.raises(InvalidValueError, match="not log-concave"):
        AdditiveProtocol(NegativeBinomial("1/2", "1/2"), bins=2).privacy_profile()
    began = time.monotonic()
    with pytest.raises(TooLargeError, match="terms that matter"):
        AdditiveProtocol(Binomial(10**15, "1/2"), bins=2).privacy_profile().delta(eps=1)
    with pytest.raises(TooLargeError, match="two bins have 25 outcomes, the limit is 24"):
        AdditiveProtocol(LOG_CONCAVE[3], bins=2).privacy_profile(limit=24)
    gaps = Law({2 * t: Fraction(1, 2000) for t in range(2000)})
    with pytest.raises(TooLargeError, match="the limit is 4000000"):
        AdditiveProtocol(gaps, bins=2).privacy_profile()
    assert time.monotonic() - began < 2


def test_an_added_record_changes_one_bin():
    profile = AdditiveProtocol(Binomial(9, "1/3"), bins=2).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    assert profile.engine == "shift"
    assert profile.delta(exp_eps=2) == shift_profile(Binomial(9, "1/3")).delta(exp_eps=2)


def test_speed():
    grid = 1 - Fraction(725 * 2**53 // 2000, 2**53)
    for law, limit, ask in (
        (Binomial(10**6, 1 - Fraction(725, 10**6)), 1, lambda profile: profile.delta(eps=1)),
        (Binomial(2000, grid), 3, lambda profile: profile.delta(exp_eps=2)),
    ):
        began = time.monotonic()
        ask(AdditiveProtocol(law, bins=2).privacy_profile())
        assert time.monotonic() - began < limit


def test_the_planner_chooses_by_the_noise():
    assert isinstance(engine_of(AdditiveProtocol(Poisson(3), bins=2).privacy_profile().source), LatticeJointShift)
    assert isinstance(engine_of(AdditiveProtocol(LOG_CONCAVE[1], bins=2).privacy_profile().source), FiniteJointShift)
