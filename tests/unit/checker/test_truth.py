"""The checker against the oracle: random claims about views and finite noise, at the edge of truth."""

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from exactdp.certificates import verify as checker
from tests.certificates.claims import document
from tests.expensive import one_in
from tests.unit.checker import oracle

TINY = Fraction(1, 2**40)
NEIGHBORS = ("replace-one", "add-or-remove-one")


def is_verified(claim: Any, verdict: str, witness: Any) -> bool:
    try:
        checker.verify_text(json.dumps(document(claim, verdict, witness)))
    except checker.CertificateRejectedError:
        return False
    return True


# --- Random claims at the edge of truth -----------------------------------------------------------------------------

TUPLES = [[], ["0"], ["1"], ["0", "0"], ["0", "1"], ["1", "0"]]


@st.composite
def rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    sent = draw(st.lists(st.sampled_from(TUPLES), min_size=1, max_size=3, unique_by=tuple))
    weights = [draw(st.integers(1, 4)) for _ in sent]
    return [{"send": s, "prob": str(Fraction(w, sum(weights)))} for s, w in zip(sent, weights, strict=True)]


@st.composite
def views(draw: st.DrawFn) -> dict[str, Any]:
    table = draw(st.lists(rows(), min_size=1, max_size=3))
    return {
        "randomizer": {"messages": "2", "rows": table},
        "n": str(draw(st.integers(1, 3))),
        "neighbors": draw(st.sampled_from(NEIGHBORS)),
    }


def histograms(view: Any) -> Iterator[tuple[dict[str, list[str]], oracle.Law, oracle.Law]]:
    """Every neighbouring pair as a witness, with its laws found by listing all outputs of all users."""
    inputs, n = len(view["randomizer"]["rows"]), int(view["n"])
    table = oracle.rows(view["randomizer"])
    data = [d for k in (n - 1, n) for d in product(range(inputs), repeat=k) if tuple(sorted(d)) == d]
    for first in data:
        for second in data:
            counts = [[d.count(x) for x in range(inputs)] for d in (first, second)]
            moved = sorted(b - a for a, b in zip(*counts, strict=True) if a != b)
            replaced = len(first) == len(second) == n and moved == [-1, 1]
            if replaced if view["neighbors"] == "replace-one" else moved in ([-1], [1]):
                witness: dict[str, list[str]] = {
                    name: [str(c) for c in h] for name, h in zip(("first", "second"), counts, strict=True)
                }
                yield (
                    witness,
                    oracle.view_over_all_outputs(table, first),
                    oracle.view_over_all_outputs(table, second),
                )


@one_in(2)
@given(views(), st.sampled_from(["1", "5/4", "2", "3", "100"]))
def test_delta_is_exactly_where_the_oracle_puts_it(view: dict[str, Any], exp_eps: str) -> None:
    pairs = list(histograms(view))
    if not pairs:
        return
    worst, p, q = max(pairs, key=lambda pair: oracle.divergence(pair[1], pair[2], Fraction(exp_eps)))
    delta = oracle.divergence(p, q, Fraction(exp_eps))
    base = {"kind": "shuffle_dp", **view, "scope": "this n", "exp_eps": exp_eps, "least": "none"}

    assert is_verified({**base, "delta": str(delta)}, "PROVED", {})
    assert not is_verified({**base, "delta": str(delta)}, "REFUTED", worst)
    assert is_verified({**base, "delta": str(delta), "least": "delta"}, "PROVED", worst if delta else {})
    if delta:
        below = str(delta - TINY)
        assert not is_verified({**base, "delta": below}, "PROVED", {})
        assert is_verified({**base, "delta": below}, "REFUTED", worst)
    if delta < 1:
        above = {**base, "delta": str(delta + TINY), "least": "delta"}
        assert not any(is_verified(above, "PROVED", witness) for witness, _, _ in pairs)
        assert is_verified(above, "REFUTED", {"smaller": str(delta)})


@one_in(3)
@given(views())
def test_the_least_exp_eps_is_where_the_oracle_puts_it(view: dict[str, Any]) -> None:
    pairs = list(histograms(view))
    ratios = [Fraction(1)] + [w / q[o] for _, p, q in pairs for o, w in p.items() if o in q]
    exp_eps = max(ratios)
    laws = [(p, q) for _, p, q in pairs]
    delta = oracle.worst(laws, exp_eps)
    claim = {
        "kind": "shuffle_dp",
        **view,
        "scope": "this n",
        "exp_eps": str(exp_eps),
        "delta": str(delta),
        "least": "exp_eps",
    }
    expected = oracle.truth(claim, [])
    witnesses = [witness for witness, _, _ in pairs] if exp_eps > 1 else [{}]
    assert any(is_verified(claim, "PROVED", witness) for witness in witnesses) == expected
    larger = {**claim, "exp_eps": str(exp_eps + TINY)}
    assert is_verified(larger, "REFUTED", {"smaller": str(exp_eps)}) == (oracle.worst(laws, exp_eps) <= delta)


@one_in(2)
@given(views(), st.sampled_from(["1/10", "1/2", "1", "2"]), st.integers(-1, 1))
def test_a_rational_eps_is_decided_with_enough_terms(view: dict[str, Any], eps: str, side: int) -> None:
    pairs = list(histograms(view))
    if not pairs:
        return
    low, _ = oracle.exp_bounds(Fraction(eps))
    worst, p, q = max(pairs, key=lambda pair: oracle.divergence(pair[1], pair[2], low))
    delta = min(Fraction(1), max(Fraction(0), oracle.divergence(p, q, low).limit_denominator(10**6) + side * TINY))
    claim = {"kind": "shuffle_dp", **view, "scope": "this n", "eps": eps, "delta": str(delta), "least": "none"}
    expected = oracle.truth(claim, [])
    assert is_verified(claim, "PROVED", {"terms": "40"}) == (expected is True)
    assert is_verified(claim, "REFUTED", {**worst, "terms": "40"}) == (expected is False)


@one_in(2)
@given(views())
def test_never_dp_is_exactly_where_the_oracle_puts_it(view: dict[str, Any]) -> None:
    pairs = list(histograms(view))
    if not pairs:
        return
    worst, p, q = max(pairs, key=lambda pair: oracle.lost(pair[1], pair[2]))
    bound = oracle.lost(p, q)
    base = {"kind": "never_dp", **view}
    if bound:
        assert is_verified({**base, "delta_below": str(bound)}, "PROVED", worst)
        assert not is_verified({**base, "delta_below": str(bound)}, "REFUTED", {})
    if bound < 1:
        above = {**base, "delta_below": str(bound + TINY)}
        assert is_verified(above, "REFUTED", {})
        assert not any(is_verified(above, "PROVED", witness) for witness, _, _ in pairs)


@st.composite
def noises(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.booleans()):
        return {"family": "binomial", "n": str(draw(st.integers(0, 8))), "p": draw(st.sampled_from(["0", "1/3", "1"]))}
    outcomes = sorted(draw(st.sets(st.integers(-4, 4), min_size=1, max_size=5)))
    weights = [draw(st.integers(1, 4)) for _ in outcomes]
    law = [[str(k), str(Fraction(w, sum(weights)))] for k, w in zip(outcomes, weights, strict=True)]
    return {"family": "finite", "weights": law}


@one_in(2)
@given(noises(), st.integers(1, 3), st.sampled_from(["1", "3/2", "4"]))
def test_shifted_noise_is_exactly_where_the_oracle_puts_it(law: dict[str, Any], reach: int, exp_eps: str) -> None:
    weights = oracle.noise(law).weights
    found = {}
    for j in range(1, reach + 1):
        moved = {k + j: p for k, p in weights.items()}
        found[j, "forward"] = oracle.divergence(weights, moved, Fraction(exp_eps))
        found[j, "backward"] = oracle.divergence(moved, weights, Fraction(exp_eps))
    (shift, order), delta = max(found.items(), key=lambda item: item[1])
    witness = {"shift": str(shift), "order": order}
    base = {"kind": "shift_dp", "law": law, "shift": str(reach), "exp_eps": exp_eps, "least": "none"}
    assert is_verified({**base, "delta": str(delta)}, "PROVED", {})
    assert is_verified({**base, "delta": str(delta), "least": "delta"}, "PROVED", witness if delta else {})
    if delta:
        assert not is_verified({**base, "delta": str(delta - TINY)}, "PROVED", {})
        assert is_verified({**base, "delta": str(delta - TINY)}, "REFUTED", witness)
