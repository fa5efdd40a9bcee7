"""The checker against the oracle: random claims about noise laws, accuracy and boxes, at the edge of truth."""

import json
from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactdp.certificates import verify as checker
from tests.certificates import claims
from tests.certificates.claims import PROVED, REFUTED
from tests.expensive import one_in
from tests.unit.checker import oracle, oracle_laws

TINY = Fraction(1, 2**40)
BITS = {"bits": "200"}
ORDERS = {1: "forward", -1: "backward"}
FEW = settings(max_examples=settings().max_examples * 2 // 5)
"""Of laws that mpmath encloses outcome by outcome, which takes a tenth of a second each; a thorough run takes more."""


def is_verified(claim: Any, verdict: str, witness: Any) -> bool:
    try:
        checker.verify_text(json.dumps(claims.document(claim, verdict, witness)))
    except checker.CertificateRejectedError:
        return False
    return True


def fractions(low: str, high: str) -> st.SearchStrategy[str]:
    return st.fractions(Fraction(low), Fraction(high), max_denominator=12).map(str)


EXACT = st.one_of(
    st.builds(claims.binomial, st.integers(0, 8), fractions("0", "1")),
    st.builds(claims.binomial_sum, st.integers(0, 4), fractions("0", "1"), st.integers(0, 3), fractions("0", "1")),
    st.builds(
        lambda c, w: claims.view(claims.THREE, f"1 {c}", w), st.just("1 1"), st.sampled_from(["0 1", "-1 2", "3 3"])
    ),
)
STEPPED = st.one_of(
    st.builds(claims.geometric, fractions("0", "9/10")),
    st.builds(claims.laplace, fractions("11/10", "5")),
)
REALS = st.sampled_from(["1/2", {"exp": "-1/3"}, {"inverse": {"sum": ["1", {"exp": "1/2"}]}}, {"log": "2"}])
LEVELS: Any = st.sampled_from([{"exp_eps": "1"}, {"exp_eps": "3/2"}, {"exp_eps": "3"}, {"eps": "1/2"}, {"eps": "0"}])
ENCLOSED = st.one_of(
    st.builds(claims.binomial, st.integers(0, 30), REALS),
    st.builds(claims.binomial_sum, st.integers(0, 9), REALS, st.integers(0, 9), REALS),
    st.builds(claims.negative_binomial, st.one_of(REALS, fractions("1/4", "5")), REALS),
    st.builds(claims.geometric, REALS),
    st.builds(lambda x: claims.laplace({"sum": ["1", x]}), REALS),
    st.builds(claims.gaussian, fractions("1/2", "9")),
    st.builds(lambda x: claims.poisson({"product": ["3", x]}), REALS),
)


def level(claim: Any, parameter: dict[str, str]) -> Any:
    return {**{k: v for k, v in claim.items() if k != "exp_eps"}, **parameter}


def near(value: Any) -> Fraction:
    """A short rational close to a number, within [0, 1]."""
    return min(Fraction(1), max(Fraction(0), Fraction(mpmath.nstr(oracle_laws.inexact(value), 15))))


# --- Exactly at the edge --------------------------------------------------------------------------------------------


def exact_divergences(law: Any, reach: int, exp_eps: str) -> dict[tuple[int, int], Fraction]:
    noise, found = oracle.noise(law), {}
    for j in range(1, reach + 1):
        for sign in (1, -1):
            pairs = oracle_laws.compared(noise, sign * j)
            found[j, sign] = sum((max(Fraction(0), p - Fraction(exp_eps) * q) for _, p, q in pairs), Fraction(0))
    return found


@one_in(4)
@given(st.one_of(EXACT, STEPPED), st.integers(1, 3), st.sampled_from(["1", "3/2", "2", "4"]))
def test_divergences_of_shifts_are_exactly_where_the_oracle_puts_them(law: Any, reach: int, exp_eps: str) -> None:
    found = exact_divergences(law, reach, exp_eps)
    (j, sign), delta = max(found.items(), key=lambda item: item[1])
    witness = {"shift": str(j), "order": ORDERS[sign]}
    claim = claims.shift(law, exp_eps=exp_eps, delta=str(delta), reach=reach)
    assert is_verified(claim, PROVED, {})
    assert is_verified({**claim, "least": "delta"}, PROVED, witness if delta else {})
    for (other, side), value in found.items():
        named = {"shift": str(other), "order": ORDERS[side]}
        assert not is_verified(claim, REFUTED, named)
        assert not delta or is_verified({**claim, "least": "delta"}, PROVED, named) == (value == delta)
    if delta:
        below = {**claim, "delta": str(delta - TINY)}
        assert not is_verified(below, PROVED, {})
        assert is_verified(below, REFUTED, witness)


@one_in(3)
@given(STEPPED, st.integers(1, 3))
def test_the_least_exp_eps_of_constant_ratios(law: Any, reach: int) -> None:
    fall = oracle.noise(law).fall or Fraction(0)
    assume(fall > 0)
    exp_eps = str(1 / fall**reach)
    delta = max(exact_divergences(law, reach, exp_eps).values())
    claim = claims.shift(law, exp_eps=exp_eps, delta=str(delta), reach=reach, least="exp_eps")
    expected = oracle.truth(claim, [])
    witnesses = [{"shift": str(reach), "order": order} for order in ORDERS.values()]
    assert any(is_verified(claim, PROVED, witness) for witness in witnesses) == expected
    assert not is_verified({**claim, "exp_eps": str(1 / fall**reach + TINY)}, PROVED, witnesses[0])


@one_in(2)
@given(st.one_of(EXACT, STEPPED), st.integers(1, 3), st.data())
def test_smoothness_is_exactly_where_the_oracle_puts_it(law: Any, k: int, data: st.DataObject) -> None:
    """At a ratio of the law itself, where the event changes, and next to it."""
    noise = oracle.noise(law)
    pairs = [(p, q) for _, p, q in oracle_laws.compared(noise, -1) if p and q]
    ratios = sorted({ratio for p, q in pairs if (ratio := p / q) >= 1} | {Fraction(1)})
    exp_eps = data.draw(st.sampled_from(ratios)) + data.draw(st.sampled_from([0, 0, TINY]))
    claim = claims.smooth(law, k=k, exp_eps=str(exp_eps), delta="0")
    moves = [sign * j for j in range(1, k + 1) for sign in (1, -1)]
    found = {by: oracle_laws.smooth_bounds(noise, by, claim)[0] for by in moves}
    by, delta = max(found.items(), key=lambda item: item[1])
    claim["delta"] = str(delta)
    assert is_verified(claim, PROVED, {})
    assert not is_verified(claim, REFUTED, {"by": str(by)})
    if delta:
        below = {**claim, "delta": str(delta - min(delta, TINY))}
        assert not is_verified(below, PROVED, {})
        assert is_verified(below, REFUTED, {"by": str(by)})


@one_in(2)
@given(EXACT, st.integers(-3, 9), st.integers(0, 9))
def test_tails_are_exactly_where_the_oracle_puts_them(law: Any, start: int, width: int) -> None:
    mass, _ = oracle_laws.interval_bounds(oracle.noise(law), start, start + width)
    for bound, beyond in (("at most", mass - TINY), ("at least", mass + TINY)):
        claim = claims.tail(law, str(start), str(start + width), bound, str(mass))
        assert is_verified(claim, PROVED, {})
        assert not is_verified(claim, REFUTED, {})
        if 0 <= beyond <= 1:
            outside = {**claim, "probability": str(beyond)}
            assert not is_verified(outside, PROVED, {})
            assert is_verified(outside, REFUTED, {})


# --- By enclosure: 10^-12 from the edge -----------------------------------------------------------------------------


@pytest.mark.slow
@FEW
@given(ENCLOSED, st.integers(1, 3), LEVELS)
def test_enclosed_divergences_are_where_the_oracle_puts_them(law: Any, reach: int, parameter: dict[str, str]) -> None:
    claim = level(claims.shift(law, reach=reach, delta="0"), parameter)
    low, high = oracle_laws.exp_eps_bounds(claim)
    moves = [(j, sign) for j in range(1, reach + 1) for sign in (1, -1)]
    found = {move: oracle_laws.divergence_bounds(oracle.noise(law), move[0] * move[1], low, high)[1] for move in moves}
    (j, sign), worst = max(found.items(), key=lambda item: item[1])
    witness = {"shift": str(j), "order": ORDERS[sign], **BITS}
    around(claim, "delta", near(worst), BITS, witness)


def has_tie(law: Any, by: int, claim: Any) -> bool:
    """Whether some ratio is e^(abs(by) eps), as far as one can see."""
    at = oracle_laws.inexact(oracle_laws.exp_eps_bounds(claim)[0]) ** abs(by)
    pairs = [map(oracle_laws.inexact, pair[1:]) for pair in oracle_laws.compared(oracle.noise(law), -by)]
    return any(p and q and abs(p / q / at - 1) < 1e-30 for p, q in pairs)


@FEW
@given(ENCLOSED, st.integers(1, 3), LEVELS)
def test_enclosed_smoothness_is_where_the_oracle_puts_it(law: Any, k: int, parameter: dict[str, str]) -> None:
    claim = level(claims.smooth(law, k=k, delta="0"), parameter)
    moves = [sign * j for j in range(1, k + 1) for sign in (1, -1)]
    is_rational = all(isinstance(value, str) for value in law.values())
    is_rational = is_rational and law["family"] not in (
        "discrete-gaussian",
        "binomial-sum",
    )  # a sum has no ratio to walk
    assume((is_rational and "exp_eps" in parameter) or not any(has_tie(law, by, claim) for by in moves))
    bounds = {by: oracle_laws.smooth_bounds(oracle.noise(law), by, claim)[1] for by in moves}
    by, worst = max(bounds.items(), key=lambda item: item[1])
    around(claim, "delta", near(worst), BITS, {"by": str(by), **BITS})


@one_in(2)
@given(ENCLOSED, st.integers(-6, 9), st.one_of(st.none(), st.integers(0, 12)))
def test_enclosed_tails_are_where_the_oracle_puts_them(law: Any, start: int, width: int | None) -> None:
    end = None if width is None else start + width
    _, mass = oracle_laws.interval_bounds(oracle.noise(law), start, end)
    claim = claims.tail(law, str(start), "infinity" if end is None else str(end), "at most", "0")
    around(claim, "probability", near(mass), BITS, BITS)


@pytest.mark.slow
@FEW
@given(
    st.one_of(EXACT, ENCLOSED),
    st.sampled_from(["1", "1/3", "5/2"]),
    fractions("-4", "4"),
    st.one_of(st.just("none"), fractions("-2", "8")),
    fractions("0", "4"),
    st.integers(0, 5),
    st.integers(0, 6),
)
def test_the_accuracy_of_noisy_counts_is_where_the_oracle_puts_it(
    law: Any, weight: str, offset: str, threshold: str, alpha: str, least: int, more: int
) -> None:
    claim = claims.count_accuracy(law, alpha, "0", weight=weight, offset=offset, zero_unless_above=threshold)
    claim |= {"least": str(least), "most": str(least + more)}
    edge = max(high for _, high in oracle_laws.error_bounds(claim).values())
    noise = oracle.noise(law)
    is_exact = noise.exact and noise.fall is None and law["family"] in ("view", "binomial", "binomial-sum")
    bits = BITS if not is_exact or "{" in json.dumps([v for k, v in law.items() if k != "randomizer"]) else {}
    around(claim, "beta", near(edge), bits, bits)


def around(claim: Any, key: str, edge: Fraction, proof: Any, refutation: Any) -> None:
    """PROVED a little above the edge and REFUTED a little below it, never the other way round."""
    for value, expected in ((edge + TINY, True), (edge - TINY, False)):
        if 0 <= value <= 1:
            moved = {**claim, key: str(value)}
            answer = oracle.truth(moved, [])
            assert answer is expected
            assert is_verified(moved, PROVED, proof) is expected
            assert is_verified(moved, REFUTED, refutation) is not expected


# --- Accuracy of a protocol, boxes ----------------------------------------------------------------------------------


@FEW
@given(
    st.integers(1, 4),
    st.lists(fractions("-2", "2"), min_size=2, max_size=2),
    fractions("-2", "2"),
    st.one_of(st.just("none"), fractions("-1", "2")),
    fractions("0", "2"),
)
def test_the_accuracy_of_a_protocol_is_exactly_where_the_oracle_puts_it(
    n: int, weights: list[str], offset: str, threshold: str, alpha: str
) -> None:
    claim = claims.view_accuracy(n, "worst", alpha, "0", weights=weights, offset=offset, zero_unless_above=threshold)
    tables = oracle.rows(claim["randomizer"])
    masses: dict[int, Fraction] = {}
    for ones in range(n + 1):
        low, high = Fraction(0), Fraction(1)
        dataset = (0,) * (n - ones) + (1,) * ones
        for _ in range(2 * n + 3):  # probabilities are multiples of 4^-n
            middle = (low + high) / 2
            holds = oracle_laws.data_set_accuracy({**claim, "beta": str(middle)}, tables, dataset)
            low, high = (low, middle) if holds else (middle, high)
        masses[ones] = Fraction(round(high * 4**n), 4**n) if high > Fraction(1, 4**n) / 2 else Fraction(0)
    ones, beta = max(masses.items(), key=lambda item: item[1])
    named = {"dataset": [str(n - ones), str(ones)]}
    assert is_verified({**claim, "beta": str(beta)}, PROVED, {})
    assert not is_verified({**claim, "beta": str(beta)}, REFUTED, named)
    if beta:
        assert not is_verified({**claim, "beta": str(beta - TINY)}, PROVED, {})
        assert is_verified({**claim, "beta": str(beta - TINY)}, REFUTED, named)


@one_in(3)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(-2, 2)), min_size=1, max_size=3),
    st.sampled_from(["low", "high"]),
    st.sampled_from(["2", "6", "10"]),
    st.sampled_from(["yes", "no"]),
    st.sampled_from(["closed closed", "open closed", "closed open", "open open"]),
    st.booleans(),
)
def test_a_proved_box_has_no_counterexample(
    terms: list[tuple[int, int, int]], corner: str, taylor: str, strict: str, ends: str, is_cut: bool
) -> None:
    """Sums of c x^k e^(a x) on [-1, 1], many of them with a zero at 0 or at an end."""
    listed = [(f"{c} @ {k}" if c else "", f"{a} @ 1" if a else "") for c, k, a in terms]
    total = sum(c * Fraction(1) ** k for c, k, _ in terms if k == 0)
    listed += [(f"{-total} @ 0", "")] if total else []
    claim = claims.box("x", [claims.side("-1", "1", ends)], listed, strict)
    leaf = {"corner": [corner], "taylor": taylor, "bits": "64"}
    tree = claims.cut(0, "0", leaf, leaf) if is_cut else leaf
    if is_verified(claim, PROVED, tree):
        assert oracle.truth(claim, []) is not False
    for x in ("-1", "-1/2", "0", "1/3", "1"):
        if is_verified(claim, REFUTED, {"point": [x], "bits": "64"}):
            assert oracle.truth(claim, [Fraction(x)]) is False


# --- The oracle against closed forms --------------------------------------------------------------------------------


@pytest.mark.parametrize("j", [1, 2, 5])
def test_the_oracle_knows_the_geometric_and_the_laplace_law(j: int) -> None:
    x, e = Fraction(2, 3), Fraction(5, 4)
    one_sided = exact_divergences(claims.geometric("2/3"), j, "5/4")
    assert one_sided[j, 1] == 1 - x**j
    assert one_sided[j, -1] == max(Fraction(0), 1 - e * x**j)
    two_sided = exact_divergences(claims.laplace("3/2"), j, "5/4")
    weights = {t: x ** abs(t) * (1 - x) / (1 + x) for t in range(-300, 301)}
    brute = sum(max(Fraction(0), weights[t] - e * weights.get(t - j, Fraction(0))) for t in range(-200, 301))
    assert abs(two_sided[j, 1] - brute) < Fraction(1, 10**30)
    assert two_sided[j, 1] == two_sided[j, -1]


def test_the_oracle_knows_sums_and_limits() -> None:
    mp = oracle_laws.MP
    poisson = oracle.noise(claims.poisson("5")).weights
    assert abs(poisson[0] - mp.exp(-5)) < oracle_laws.CLOSE
    negative = oracle.noise(claims.negative_binomial("3", "1/2")).weights
    assert abs(negative[2] - mp.mpf(6) / 32) < oracle_laws.CLOSE
    gaussian = oracle.noise(claims.gaussian("4")).weights
    assert abs(gaussian[3] / gaussian[0] - mp.exp(mp.mpf(-9) / 8)) < oracle_laws.CLOSE
    sum_of_two = oracle.noise(claims.binomial_sum(4, "1/3", 6, "1/3"))
    assert sum_of_two.weights == oracle.noise(claims.binomial(10, "1/3")).weights
    assert oracle_laws.real({"power": [{"sum": ["1/2", {"inverse": "4"}]}, "2"]}) == Fraction(9, 16)
    assert abs(oracle_laws.real({"exp": {"log": "7"}}) - 7) < oracle_laws.CLOSE
    for no_law in (claims.laplace({"exp": "-1"}), claims.poisson({"log": "1/2"}), claims.geometric({"exp": "0"})):
        with pytest.raises(oracle_laws.NoLawError):
            oracle.noise(no_law)
