"""The checker against the oracle on adaptive composition, and the oracle against all strategies written out."""

import json
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from exactdp.certificates import verify as checker
from tests.certificates.claims import composed, curve, document, lattice, law, randomizer, run, views
from tests.certificates.corpus_v2_composed import RESPONSE
from tests.expensive import one_in
from tests.unit.checker import oracle
from tests.unit.checker.oracle_composed import Game, Pair, Part, lower_bound, part

TINY = Fraction(1, 2**30)
BITS = 60


def is_verified(claim: Any, verdict: str, witness: Any) -> bool:
    try:
        checker.verify_text(json.dumps(document(claim, verdict, witness)))
    except checker.CertificateRejectedError:
        return False
    return True


# --- The oracle -----------------------------------------------------------------------------------------------------


@st.composite
def laws(draw: st.DrawFn) -> list[Pair]:
    """One or two pairs on three outcomes, in both orders."""
    found: list[Pair] = []
    for _ in range(draw(st.integers(1, 2))):
        weights = [[draw(st.integers(0, 4)) for _ in range(3)] for _ in range(2)]
        p, q = ([Fraction(w, max(1, sum(law))) if sum(law) else Fraction(1, 3) for w in law] for law in weights)
        found += [tuple(zip(p, q, strict=True)), tuple(zip(q, p, strict=True))]
    return found


def over_all_strategies(first: list[Pair], second: list[Pair], exp_eps: Fraction) -> Fraction:
    """The divergence of two answers: a strategy is the first pair, and a second one for each first answer."""
    best = Fraction(0)
    for pair in first:
        for plan in product(second, repeat=len(pair)):
            cells = [(p * r, q * s) for (p, q), then in zip(pair, plan, strict=True) for r, s in then]
            best = max(best, sum((max(Fraction(0), p - exp_eps * q) for p, q in cells), Fraction(0)))
    return best


@one_in(2)
@given(laws(), laws(), st.sampled_from(["1", "3/2", "4"]))
def test_the_game_is_the_best_strategy(first: list[Pair], second: list[Pair], exp_eps: str) -> None:
    game = Game([Part(tuple(first), 1, True), Part(tuple(second), 1, True)])
    assert game.value(Fraction(exp_eps)) == over_all_strategies(first, second, Fraction(exp_eps))


@one_in(3)
@given(laws(), st.integers(1, 4), st.sampled_from(["1", "3/2", "4"]))
def test_the_lower_bound_is_below_the_game(pairs: list[Pair], times: int, exp_eps: str) -> None:
    parts = [Part(tuple(pairs), times, True)]
    value = float(Game(parts).value(Fraction(exp_eps)))
    assert lower_bound(parts, Fraction(exp_eps)) <= value
    if len(pairs) == 2 and times == 1:
        assert lower_bound(parts, Fraction(exp_eps)) > value - 1e-3


def test_the_order_of_the_answers_is_played() -> None:
    """Randomized response, ten times: the losses are binomial."""
    found = part(views(RESPONSE, 1, 10))
    expected = sum(
        (max(Fraction(0), Fraction(3**k - 27 * 3 ** (10 - k), 4**10)) * Fraction(count) for k, count in BINOMIAL),
        Fraction(0),
    )
    assert Game([found]).value(Fraction(27)) == expected


BINOMIAL = list(enumerate((1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1)))


# --- The checker ----------------------------------------------------------------------------------------------------

OUTCOMES = st.lists(st.integers(0, 3), min_size=2, max_size=4).filter(lambda w: w[0] > 0 and w[-1] > 0)


@st.composite
def runs(draw: st.DrawFn) -> Any:
    times = draw(st.integers(1, 3))
    if draw(st.booleans()):
        weights = draw(OUTCOMES)
        listed = [[str(t), str(Fraction(w, sum(weights)))] for t, w in enumerate(weights) if w]
        return run({"family": "finite", "weights": listed}, times, draw(st.integers(1, 2)))
    p, q = (draw(st.integers(1, 5)) for _ in range(2))
    rows = [[{"send": [m], "prob": str(Fraction(w, 6))} for m, w in (("0", x), ("1", 6 - x))] for x in (p, q)]
    table = {"messages": "2", "rows": rows}
    return views(table, draw(st.integers(1, 2)), times, draw(st.sampled_from(["replace-one", "add-or-remove-one"])))


def exact_curve(found: Any, ratio: Fraction, places: int) -> list[int]:
    """What the run shows once, at powers of the ratio and rounded down as the format has them."""
    game, level, deltas = Game([part({**found, "times": "1"})._replace(times=1)]), 2**64, []
    for _ in range(places):
        value = game.value(Fraction(level, 2**64)) if game.runs[0] else Fraction(0)
        deltas.append(-(-value.numerator * 2**BITS // value.denominator))
        level = level * ratio.numerator // ratio.denominator
    return deltas


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(runs(), min_size=1, max_size=2),
    st.sampled_from(["3/2", "2", "5/4"]),
    st.sampled_from(["1", "2", "5/2"]),
    st.integers(1, 7),
)
def test_what_a_lattice_proves_is_true_and_a_unit_less_is_not_proved(
    listed: list[Any], ratio: str, exp_eps: str, places: int
) -> None:
    curves = [exact_curve(found, Fraction(ratio), places) for found in listed]
    witness = lattice(ratio, BITS, curves=[curve(deltas) for deltas in curves])
    low, high = Fraction(-1), Fraction(1)  # the least delta that is proved lies between
    if not is_verified(composed(*listed, exp_eps=exp_eps, delta="1"), "PROVED", witness):
        return  # the infinite masses are 1, rounded up
    while high - low > TINY and high > 0:
        middle = (low + high) / 2
        if middle >= 0 and is_verified(composed(*listed, exp_eps=exp_eps, delta=str(middle)), "PROVED", witness):
            high = middle
        else:
            low = middle
    claim = composed(*listed, exp_eps=exp_eps, delta=str(high))
    assert oracle.truth(claim, []) is True
    for index, deltas in enumerate(curves):
        for place, delta in enumerate(deltas):
            if delta:
                less = [d - (j == place) for j, d in enumerate(deltas)]
                changed = [curve(less if i == index else other) for i, other in enumerate(curves)]
                assert not is_verified(claim, "PROVED", lattice(ratio, BITS, curves=changed))


@one_in(2)
@given(
    st.lists(runs(), min_size=1, max_size=2),
    st.sampled_from(["9/8", "2"]),
    st.sampled_from(["1", "2", "5/2"]),
    st.sampled_from([-1, 0, 1]),
)
def test_what_a_lattice_refutes_is_false(listed: list[Any], ratio: str, exp_eps: str, side: int) -> None:
    parts = [found for found in map(part, listed) if found.pairs]
    value = Game(parts).value(Fraction(exp_eps))
    delta = min(Fraction(1), max(Fraction(0), value + side * TINY))
    claim = composed(*listed, exp_eps=exp_eps, delta=str(delta))
    assert oracle.truth(claim, []) is (delta >= value)
    pairs = [{"shift": "1", "order": "forward"} if "law" in found else NEIGHBOURS[found["n"]] for found in listed]
    for found, witness in zip(listed, pairs, strict=True):
        if found.get("neighbors") == "add-or-remove-one":
            witness |= {"second": [str(int(found["n"]) - 1), "0"]}
    refuted = is_verified(claim, "REFUTED", lattice(ratio, BITS, pairs=[dict(pair) for pair in pairs]))
    assert not (refuted and delta >= value)


NEIGHBOURS = {"1": {"first": ["1", "0"], "second": ["0", "1"]}, "2": {"first": ["2", "0"], "second": ["1", "1"]}}


# --- Beyond what a game plays out ------------------------------------------------------------------------------------


def close(bits: int) -> Any:
    """One user's bit, told with a probability just above one half."""
    likely, other = f"{2**bits + 1}/{2 ** (bits + 1)}", f"{2**bits - 1}/{2 ** (bits + 1)}"
    return randomizer(2, {"0": likely, "1": other}, {"0": other, "1": likely})


LONG_RUNS: dict[str, tuple[Any, str]] = {
    "just beyond": (run(law("binomial", n="10000", p="1/2"), 201), "9/8"),
    "a thousand": (views(close(6), 1, 1000), "3/2"),
    "a million": (views(close(10), 1, 10**6), "3/2"),
}


@pytest.mark.parametrize("name", LONG_RUNS)
def test_a_false_claim_of_many_runs_is_seen(name: str) -> None:
    """A hundredth below what a strategy reaches is false; a little above it is not called so."""
    listed, exp_eps = LONG_RUNS[name]
    reached = lower_bound([part(listed)], Fraction(exp_eps))
    assert 1e-6 < reached < 1
    below, above = (str(Fraction(reached * share).limit_denominator(10**12)) for share in (0.99, 1.02))
    claim = composed(listed, exp_eps=exp_eps, delta=below)
    assert not oracle.agrees(claim, "PROVED", [])
    assert oracle.agrees(claim, "REFUTED", [])
    assert oracle.agrees(composed(listed, exp_eps=exp_eps, delta=above), "PROVED", [])


@pytest.mark.parametrize("times", [201, 5000])
def test_the_lower_bound_of_many_runs_is_below_the_truth(times: int) -> None:
    """One bit that is kept with probability p: the sum over runs of a binomial law, exactly and by logarithms."""
    step = Fraction(1, 2 * isqrt(times))
    p = Fraction(1, 2) + step / 2
    coin: Pair = ((p, 1 - p), (1 - p, p))
    exp_eps = Fraction(3, 2)
    with mp.workprec(120):
        weight, exact = (mpf(p.numerator) / p.denominator) ** times, mpf(0)
        ratio = mpf((1 - p).numerator) / p.numerator
        for kept in range(times, -1, -1):
            exact += weight * max(mpf(0), 1 - mpf(3) / 2 * ratio ** (2 * kept - times))
            weight *= ratio * kept / (times - kept + 1)
    reached = lower_bound([Part((coin,), times, True)], exp_eps)
    assert reached <= exact
    assert reached >= exact * 0.98
