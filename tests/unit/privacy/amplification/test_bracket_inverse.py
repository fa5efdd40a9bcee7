"""eps where delta is known between two ends: delta at the ends that are returned decides."""

import random
from fractions import Fraction
from itertools import pairwise
from math import log

import pytest

from exactdp import Randomizer, Real, randomized_response
from exactdp.errors import UndecidedError
from exactdp.privacy.amplification import guesses
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.input_pairs import FamilyPairs, TablePairs
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.privacy.amplification.tilted import Atom
from exactdp.randomizers import KAryResponse
from tests.oracles import positive_parts as exact
from tests.oracles.brute_force import Oracle

F = Fraction
FOUR = Amplification(TablePairs(randomized_response(4, gamma="1/2")), 20)


@pytest.mark.parametrize("share", [F(0), F(1, 2), F(1)])
def test_a_target_within_the_enclosure_at_eps_0_is_not_taken_for_reached_there(share):
    upper = FOUR.bracket(Real(1), 20).upper
    target = upper.lo + share * (upper.hi - upper.lo)
    found = FOUR.exp_eps_range(target)
    assert found.low == 1
    assert found.high is not None
    assert FOUR.bracket(Real(found.high), 20).upper <= target
    assert found.high < 1 + F(1, 1000)


@pytest.mark.parametrize("digits", [160, pytest.param(400, marks=pytest.mark.slow)])
def test_tiny_probabilities_are_no_division_by_zero(digits):
    tiny = F(1, 10**digits)
    rows = {0: {(0,): 1 - tiny, (1,): tiny}, 1: {(0,): tiny, (1,): 1 - tiny}, 2: {(0,): F(1, 2), (1,): F(1, 2)}}
    engine = Amplification(TablePairs(Randomizer(rows)), 10)
    assert engine.bracket(Real(2), 20).upper > F(1, 10)
    found = engine.exp_eps_range(tiny**2)
    assert found.high is not None
    assert engine.bracket(Real(found.high), 20).upper <= tiny**2 < engine.bracket(Real(found.low), 20).lower


ENGINES = [
    Amplification(FamilyPairs(KAryResponse(16, exp_eps0=55)), 10**4),
    Amplification(FamilyPairs(KAryResponse(4, exp_eps0="exp(2)")), 10**6),
    Amplification(TablePairs(randomized_response(3, exp_eps0=3)), 6),
    Amplification(TablePairs(Randomizer({0: {(0,): "1/3", (1,): "2/3"}, 1: {(1,): "1/2", (0,): "1/2"}})), 12),
]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_delta_at_both_ends_decides_and_eps_falls_in_delta(engine):
    found = []
    for target in (F(1, 10**6), F(1, 10**5)):
        ends = engine.exp_eps_range(target)
        assert engine.bracket(Real(ends.high), 20).upper.compare(target) in (-1, 0)
        assert ends.low == 1 or engine.bracket(Real(ends.low), 20).lower.compare(target) == 1
        assert 1 <= ends.low <= ends.high
        found.append(ends)
    for tight, loose in pairwise(found):
        assert loose.low <= tight.low
        assert loose.high <= tight.high


def test_ends_are_as_near_as_is_asked():
    ends = ENGINES[0].exp_eps_range(F(1, 10**6))
    assert F("0.3634") < log(ends.low) <= log(ends.high) < F("0.36342")
    assert (ends.high - ends.low) / (ends.low - 1) < F(4, 10**5)


@pytest.mark.slow
def test_random_lines_choose_slower_and_no_worse(monkeypatch):
    draw = random.Random(5)
    monkeypatch.setattr(guesses, "_log", lambda value: draw.gauss(0, 5))
    target, engine = F(1, 50), ENGINES[2]
    ends = engine.exp_eps_range(target)
    monkeypatch.undo()  # which of two bounds is computed is guessed as well
    assert engine.bracket(Real(ends.high), 20).upper.compare(target) in (-1, 0)
    assert ends.low == 1 or engine.bracket(Real(ends.low), 20).lower.compare(target) == 1


def test_targets_0_and_1():
    for engine in ENGINES[2:]:
        exact, one = engine.exp_eps_range(F(0)), engine.exp_eps_range(F(1))
        assert one.low == one.high == 1
        assert exact.low == exact.high == engine.pairs.local_epsilons[0].argument
        assert engine.bracket(Real(exact.high), 20).upper.hi == 0
        assert engine.bracket(Real(exact.high * F(999, 1000)), 20).lower.lo > 0
    irrational = ENGINES[1].exp_eps_range(F(0))
    assert irrational.low < irrational.high < irrational.low * (1 + F(1, 2**60))


def test_a_probability_that_no_eps_brings_down():
    telling = Amplification(TablePairs(Randomizer({0: {(0,): "1/2", (1,): "1/2"}, 1: {(1,): 1}})), 10)
    assert telling.exp_eps_range(F(1, 3)).high is None
    assert telling.exp_eps_range(F(0)).high is None
    assert telling.exp_eps_range(F(1, 2)).high == 1  # the other order, and E = 1: not above 1/2 either


ENCODED = {0: {(0,): "2/3", (1,): "1/3"}, 1: {(1,): "1/2", (2,): "1/2"}, 2: {(2,): "1/3", (1,): "2/3"}}
SILENT = {0: {(0,): "1/3", (1,): "2/3"}, 1: {(1,): "1/2", (2,): "1/2"}, 2: {(0,): "1/7", (1,): "5/7", (2,): "1/7"}}


@pytest.mark.parametrize(("rows", "users"), [(ENCODED, 3), (SILENT, 1), (SILENT, 2), (SILENT, 3)])
def test_a_target_that_is_delta_at_infinite_eps(rows, users):
    """No dyadic number: enclosures never decide, fractions do."""
    engine = Amplification(TablePairs(Randomizer(rows)), users)
    oracle = Oracle({x: {send: F(p) for send, p in row.items()} for x, row in rows.items()}, users)
    limit = engine.bracket(None, 20)
    target = oracle.limit()
    assert limit.is_closed  # others who hold the second input hide nothing of what it never sends
    assert target in limit.lower
    ends = engine.exp_eps_range(target)
    assert ends.low <= oracle.exp_epsilon(target) <= ends.high
    assert ends.high < 100
    assert engine.exp_eps_range(target - F(1, 10**9)).high is None
    assert engine.exp_eps_range(target + F(1, 10**9)).high <= ends.high * F(1001, 1000)


def test_a_target_between_the_ends_at_infinite_eps_is_refused():
    """Where users send several messages, nothing is known of the lower end at infinite eps."""
    rows = {0: {(0, 0): "2/3", (1,): "1/3"}, 1: {(1,): "1/2", (2,): "1/2"}}
    engine = Amplification(TablePairs(Randomizer(rows)), 3)
    limit = engine.bracket(None, 20)
    assert limit.lower.hi < limit.upper.lo
    with pytest.raises(UndecidedError, match="the two ends at infinite eps"):
        engine.exp_eps_range((limit.lower.hi + limit.upper.lo) / 2)
    assert 1 <= engine.exp_eps_range(F(2, 3)).high < F(11, 10)


def test_a_limit_too_long_to_be_written_is_exceeded():
    """At 10^7 users it is 1/4 and a number that nobody writes out."""
    columns = [(F(1, 2), F(0), F(1, 4)), (F(1, 4), F(1, 2), F(1, 4)), (F(1, 4), F(0), F(0)), (F(0), F(1, 2), F(0))]
    mixture = Mixture(tuple((p, q) for p, q, c in columns if not c), tuple(Atom(c, p, q) for p, q, c in columns if c))
    assert mixture.exceeds_limit(10**7)
    assert not mixture.exceeds_limit(100)
    for n in (1, 2, 5):
        settled = mixture.settled(n)
        assert exact.divergence(columns, n, settled) == mixture.limit(n)
        assert exact.divergence(columns, n, settled * F(999, 1000)) > mixture.limit(n)
