"""What is known of delta, one record for all engines: its ends, its pair, its level, and the views that are read from
it."""

import importlib
import pkgutil
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

import exactdp as xdp
from exactdp import protocols as published
from exactdp import randomizers
from exactdp.laws.laplace import Laplace
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.composition.rounds import Round, ShuffledQuestion
from exactdp.privacy.engine import Bound, EnclosedEngine, Engine, Level
from exactdp.privacy.planner import engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.exponential.exponential_mechanism_protocol import exponential_mechanism

FLIP = xdp.randomized_response(2, gamma="1/4")
THREE = xdp.Randomizer({0: {(0,): "3/5", (1,): "2/5"}, 1: {(0,): "1/7", (1,): "6/7"}, 2: {(1,): "1/2", (2,): "1/2"}})
RESPONSE = xdp.randomized_response(3, exp_eps0=5)
BITS = randomizers.unary_encoding(3, exp_eps0=4)
NOISE = xdp.Law({0: "1/2", 1: "1/3", 2: "1/6"})
SCORES = {"a": {"x": 2, "y": 0}, "b": {"x": 1, "y": 1}, "c": {"x": 1, "y": 0}}
CLASSES = ((FLIP, 50), (xdp.randomized_response(2, exp_eps0=3), 70))
HELD = {"SureUsers", "OneClass"}
"""Engines that others hold and ask."""


def shuffled(*given, **options):
    return lambda: xdp.ShuffleProtocol(*given, **options).privacy_profile()


def a_round():
    alone = xdp.ShuffleProtocol(((FLIP, 5),), participation="1/2", absence="counted").privacy_profile(user_class=0)
    asked = ShuffledQuestion((FLIP,), 0)
    return PrivacyProfile(Round((asked, asked), (5,), 0, Fraction(1, 2), "counted", (alone.source,) * 2))


CASES = {
    "two messages": shuffled(xdp.Randomizer({0: {(0,): "5/9", (1,): "4/9"}, 1: {(0,): "1/9", (1,): "8/9"}}), 200),
    "a message that tells": shuffled(xdp.Randomizer({0: {(0,): 1}, 1: {(0,): "1/9", (1,): "8/9"}}), 200),
    "few users": shuffled(FLIP, 10),
    "all pairs": shuffled(THREE, 3),
    "one pair": lambda: xdp.ShuffleProtocol(THREE, 3).pair_profile({0: 1, 1: 1, 2: 1}, {0: 2, 2: 1}),
    "one input": shuffled(xdp.Randomizer({0: {(0,): 1}}), 3),
    "views without an overlap": lambda: xdp.ShuffleProtocol(FLIP, 5).privacy_profile(
        neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE
    ),
    "binomial noise": lambda: xdp.shift_profile(xdp.Binomial(20, "1/3"), shift=2),
    "irrational noise": lambda: xdp.shift_profile(xdp.DiscreteGaussian(9)),
    "finite noise": lambda: xdp.shift_profile(NOISE, shift=2),
    "two bins of finite noise": lambda: xdp.AdditiveProtocol(NOISE, bins=3).privacy_profile(),
    "two bins": lambda: xdp.AdditiveProtocol(xdp.Binomial(20, "1/3"), bins=3).privacy_profile(),
    "continuous noise": lambda: xdp.shift_profile(Laplace(3), shift=2),
    "correlated counts": lambda: published.correlated_counting(20, p1="1/2", p2="3/4", r="1/2").privacy_profile(),
    "flooded bins": lambda: published.flooding(1000, 10, noise=xdp.Poisson("1/10")).privacy_profile(),
    "rational scores": lambda: exponential_mechanism(SCORES, exp_eps=4).privacy_profile(),
    "irrational scores": lambda: exponential_mechanism(SCORES, eps="1/3").privacy_profile(),
    "bits under zero-sum noise": lambda: central(1),
    "numbers under zero-sum noise": lambda: central(2),
    "large numbers under zero-sum noise": lambda: central(60),
    "waiting times": lambda: published.sample_and_threshold(100, rate="1/10", threshold=3).privacy_profile(),
    "nobody is left out": lambda: published.sample_and_threshold(100, rate=1, threshold=3).privacy_profile(),
    "two waiting times": lambda: published.sample_and_threshold(
        9, rate="1/10", threshold=2, symbols=2
    ).privacy_profile(),
    "many waiting times": lambda: published.sample_and_threshold(
        1000, rate="1/50", threshold=2, symbols=2
    ).privacy_profile(),
    "vanishing bins": lambda: published.stability_histogram(100, 4, eps=1, delta="1/1000").privacy_profile(),
    "two sums": lambda: published.aggregate(BITS, 9).privacy_profile(),
    "two sums of many": lambda: published.aggregate(BITS, 300).privacy_profile(),
    "amplification": shuffled(RESPONSE, 1000),
    "classes of users": shuffled(CLASSES),
    "a list of who takes part": shuffled(RESPONSE, 100, participation="1/2", absence="listed"),
    "few who take part, listed": shuffled(RESPONSE, 3, participation="1/2", absence="listed"),
    "a round of questions": a_round,
    "a random number of users": shuffled(FLIP, xdp.Binomial(9, "1/2")),
    "a random number of many": shuffled(RESPONSE, xdp.Binomial(10**5, "1/2")),
}
LEVELS = (Real(Fraction(5, 4)), Real.exp(Fraction(1, 3)), None)
BITS_ASKED = 7


SLOW = ("a round of questions", "two sums of many", "numbers under zero-sum noise", "classes of users")
EACH = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in CASES]
)


def central(bound):
    return published.almost_central_sum(100, bound=bound, eps=1, delta="1/1000").privacy_profile()


@cache
def profile_of(name):
    return CASES[name]()


def ends(bound, bits=BITS_ASKED):
    """The two ends as Fractions, outward."""
    bound = bound.enclosed(bits)
    return bound.lower.lo, bound.upper.hi


def test_every_engine_is_asked():
    for room in ("privacy", "protocols"):
        package = importlib.import_module(f"exactdp.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    kinds, found = [Engine], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if not kind.__abstractmethods__ and kind.__module__.startswith("exactdp."):
            found.add(kind)
    asked = {type(engine_of(profile_of(name).source)).__name__ for name in CASES}
    assert {kind.__name__ for kind in found} - HELD == asked


@EACH
def test_what_is_known_is_what_the_level_says(name):
    engine = engine_of(profile_of(name).source)
    for level in LEVELS:
        bound = engine.bound(level, BITS_ASKED)
        kind = Fraction if bound.level is Level.EXACT else Interval
        assert isinstance(bound.lower, kind)
        assert isinstance(bound.upper, kind)
        assert isinstance(bound.delta, kind)
        assert bound.is_closed == (bound.level is not Level.TWO_ENDS)
        assert bound.theorem
        assert len(bound.pair) == 2
        low, high = ends(bound)
        assert 0 <= low <= high <= 1 + Fraction(1, 2**BITS_ASKED)
        own = bound.pair_delta if isinstance(bound.pair_delta, Fraction) else bound.pair_delta.lo
        assert own <= high  # no pair is above what is proved of all
        if engine.is_bracket:
            assert bound.level is not Level.EXACT
        elif level is None or level.is_rational:
            assert bound.level is (Level.ENCLOSED if engine.encloses else Level.EXACT)
        else:
            assert bound.level is Level.ENCLOSED


@EACH
def test_exact_answers_are_within_what_is_enclosed(name):
    engine = engine_of(profile_of(name).source)
    if not engine.is_exact:
        assert isinstance(engine, EnclosedEngine) or engine.refusal
        return
    for level in LEVELS:
        exact = None if level is None else level.coefficient
        if level is not None and not level.is_rational:
            continue
        bound = engine.bound(level, None)
        assert (bound.level, bound.lower) == (Level.EXACT, bound.upper)
        assert bound.delta == max(Fraction(0), engine.worst(exact).delta(exact))
        assert bound.pair == (engine.worst(exact).first, engine.worst(exact).second)
        low, high = ends(engine.bound(level, BITS_ASKED))
        assert low <= bound.delta <= high
        if exact is not None:
            assert bound.delta == engine.delta(exact)


@EACH
def test_all_answers_of_an_engine_are_views_of_one(name):
    engine = engine_of(profile_of(name).source)
    for level in LEVELS:
        bound, bracket = engine.bound(level, BITS_ASKED), engine.bracket(level, BITS_ASKED)
        assert bracket == bound.enclosed(BITS_ASKED)
        assert bracket.delta == Interval(bracket.lower.lower, bracket.upper.upper)
        if level is None:
            continue
        lower, upper = engine.lower(level, BITS_ASKED), engine.upper(level, BITS_ASKED)
        assert lower.lower <= bracket.upper.upper
        assert upper.upper >= bracket.lower.lower
        if level.is_rational:
            assert engine.upper_bound(level.coefficient, BITS_ASKED) >= bracket.lower.lower
            assert engine.rough_upper_bound(level.coefficient) >= bracket.lower.lower


@EACH
def test_all_answers_of_a_profile_are_views_of_one(name):
    profile = profile_of(name)
    engine = engine_of(profile.source)
    for asked in ({"exp_eps": "5/4"}, {"eps": "1/3"}):
        level = Real(Fraction(5, 4)) if "exp_eps" in asked else Real.exp(Fraction(1, 3))
        delta, bracket = profile.delta(**asked), profile.bracket(**asked)
        with_pair, pair = profile.delta_with_pair(**asked)
        assert delta == with_pair == (bracket.lower if bracket.is_closed and profile.is_tight else bracket.delta)
        bound = engine.bound(level, engine.usual_bits).enclosed(engine.usual_bits)
        assert (bracket.theorem, bracket.is_closed) == (bound.theorem, bound.is_closed)
        if isinstance(delta, Fraction):
            assert delta in bound.delta
        else:
            assert delta == bound.delta
        if pair is None:
            assert delta == 0 or delta.hi == 0
        else:
            assert (pair.first, pair.second) == profile.source.shown(*bound.pair)
            worst = bracket.attained_by
            assert isinstance(worst, str) or (worst.first, worst.second) == (pair.first, pair.second)
    worst = profile.worst_pair(exp_eps="5/4")
    assert (worst.first, worst.second) == profile.source.shown(*engine.bound(Real("5/4"), engine.usual_bits).pair)
    limit, infinite = engine.bracket(None, engine.usual_bits).delta, profile.delta(eps=xdp.LogRational(None))
    assert limit.lower <= infinite.upper
    assert infinite.lower <= limit.upper
    if profile.is_exact:
        assert profile.exact_limit() in infinite
        assert profile.exact_delta(exp_eps="5/4") == profile.delta(exp_eps="5/4")


def test_where_delta_is_0_no_eps_is_too_large_for_a_bracket():
    for name in ("two messages", "few users"):
        bracket = profile_of(name).bracket(eps=10**9)
        assert (bracket.lower.hi, bracket.upper.hi, bracket.attained_by) == (0, 0, None)


ONE, HALF = Interval.around(1, relative_bits=4), Interval.around(Fraction(1, 2), relative_bits=4)
PAIR = ((1, 0), (0, 1))
WRONG = {
    "exact, with two ends": (Fraction(1, 3), Fraction(1, 2), Level.EXACT),
    "exact, with an Interval": (ONE, ONE, Level.EXACT),
    "exact at one end": (Fraction(1), ONE, Level.EXACT),
    "enclosed, with a Fraction": (Fraction(1), Fraction(1), Level.ENCLOSED),
    "enclosed, with two ends": (HALF, ONE, Level.ENCLOSED),
    "two ends that contradict each other": (ONE, HALF, Level.TWO_ENDS),
    "two ends that are Fractions": (Fraction(1, 3), Fraction(1, 2), Level.TWO_ENDS),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_record_that_says_more_than_its_ends_is_refused(name):
    lower, upper, level = WRONG[name]
    with pytest.raises(AssertionError, match=r"^a theorem: the two ends of delta are not what is "):
        Bound(lower, upper, PAIR, "a theorem", level)


@pytest.mark.parametrize("name", ["one pair", "binomial noise", "correlated counts", "amplification"])
def test_the_records_of_engines_are_refused_where_an_end_is_changed(name):
    engine = engine_of(profile_of(name).source)
    bound = engine.bound(Real(Fraction(5, 4)), BITS_ASKED)
    if bound.level is Level.TWO_ENDS:
        changed = {"lower": Interval(bound.upper.upper, Dyadic.of(1)), "upper": Interval(Dyadic.of(0), Dyadic.of(0))}
    else:
        changed = {"upper": bound.upper / 2 if bound.level is Level.EXACT else Interval.maximum(bound.upper, ONE)}
    with pytest.raises(AssertionError, match=re.escape(f"{bound.theorem}: the two ends of delta are not")):
        replace(bound, **changed)


def test_two_ends_that_touch_are_no_contradiction():
    bound = Bound(HALF, HALF, PAIR, "a theorem", Level.TWO_ENDS)
    assert (bound.is_closed, bound.pair_delta, bound.above(4)) == (False, HALF, HALF.upper)
    assert bound.enclosed(4) is bound
    assert replace(bound, upper=ONE).pair_delta == HALF
    assert replace(bound, lower=ONE, upper=ONE, of_pair=HALF).pair_delta == HALF
    exact = Bound(Fraction(1, 3), Fraction(1, 3), PAIR, "a theorem", Level.EXACT)
    assert Fraction(1, 3) in exact.enclosed(10).delta
    assert exact.above(10) == Dyadic.above(Fraction(1, 3), 10)
