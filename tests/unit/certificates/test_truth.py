"""The checker against the oracle: random claims at the edge of truth, and mutated certificates."""

import copy
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.certificates import verify as checker
from tests.certificates import make_corpus
from tests.unit.certificates import oracle

TINY = Fraction(1, 2**40)
NEIGHBORS = ("replace-one", "add-or-remove-one")


def is_verified(claim: Any, verdict: str, witness: Any) -> bool:
    try:
        checker.verify_text(json.dumps(make_corpus.document(claim, verdict, witness)))
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


@given(noises(), st.integers(1, 3), st.sampled_from(["1", "3/2", "4"]))
def test_shifted_noise_is_exactly_where_the_oracle_puts_it(law: dict[str, Any], reach: int, exp_eps: str) -> None:
    weights = oracle.noise(law)
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


# --- Mutated certificates -------------------------------------------------------------------------------------------

SEEDS = [make_corpus.document(*parts) for name, parts in make_corpus.CORRECT.items() if name != "shuffle_no_messages"]
NUMBERS = ["0", "1", "2", "3", "-1", "1/2", "1/3", "2/3", "3/16", "1/8", "5/16", "8/5", "5/2", "1/1000", "999/1000"]
STRANGE = ["", "01", "-0", "+1", "1_000", "1e999", "NaN", "2/4", "3/1", "1/0", "0x10", "٢", "true", " 1", "1.5"]
WORDS = ["none", "delta", "exp_eps", "this n", "all n from n", *NEIGHBORS, "forward", "backward", "yes", "no"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside a document."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def mutated(seed: Any, rng: random.Random) -> Any:
    """A copy with one change, sealed again: most often one that leaves a certificate, wildly otherwise."""
    document = copy.deepcopy(seed)
    change = rng.choice([_change_parameter] * 5 + [_move_mass] * 2 + [_graft, _graft, _change_anything])
    path = change(document, rng)
    if not path or path[0] == "claim":
        document["claim_id"] = checker.sha256(document["claim"])
    return document


def _change_parameter(document: Any, rng: random.Random) -> tuple[Any, ...]:
    """Another verdict, or another value in the claim or the witness, outside the tables of probabilities."""
    tables = {"rows", "weights", "base", "kind", "family"}
    texts = [p for p in places(document) if p and not tables & set(p) and isinstance(_at(document, p), str)]
    path = rng.choice([p for p in texts if p[0] in ("claim", "witness", "verdict")])
    old = _at(document, path)
    _at(document, path[:-1])[path[-1]] = _near(old, rng)
    return path


def _near(old: str, rng: random.Random) -> str:
    if old in ("PROVED", "REFUTED"):
        return "REFUTED" if old == "PROVED" else "PROVED"
    for words in (
        ("none", "delta", "exp_eps"),
        NEIGHBORS,
        ("this n", "all n from n"),
        ("forward", "backward"),
        ("yes", "no"),
    ):
        if old in words:
            return rng.choice(words)
    try:
        value = oracle.number(old)
    except ValueError:
        return old
    if value.denominator == 1:
        return str(value + rng.choice([-1, 1, 1, 2]))
    return str(value + rng.choice([-1, 1]) * rng.choice([TINY, Fraction(1, value.denominator)]))


def _move_mass(document: Any, rng: random.Random) -> tuple[Any, ...]:
    """Half of an outcome's probability goes to another one, or two tuples or two rows change places."""
    claim = document["claim"]
    lists = [_at(claim, p) for p in places(claim) if isinstance(_at(claim, p), list) and len(_at(claim, p)) > 1]
    lists = [found for found in lists if isinstance(found[0], list | dict)]
    if not lists:
        return _change_parameter(document, rng)
    i, j = rng.sample(range(len(found := rng.choice(lists))), 2)
    entries = found[i], found[j]
    key = "prob" if isinstance(entries[0], dict) else 1
    try:
        masses = [oracle.number(entry[key]) for entry in entries]
    except (AttributeError, KeyError, IndexError, TypeError):
        found[i], found[j] = found[j], found[i]
        return ()
    if rng.randrange(2):
        entries[0][key], entries[1][key] = entries[1][key], entries[0][key]
    else:
        entries[0][key], entries[1][key] = str(masses[0] / 2), str(masses[1] + masses[0] / 2)
    return ()


def _graft(document: Any, rng: random.Random) -> tuple[Any, ...]:
    """The witness, or one field of the claim, of another certificate of the same kind."""
    others = [seed for seed in SEEDS if seed["claim"]["kind"] == document["claim"]["kind"]]
    other = copy.deepcopy(rng.choice(others))
    if rng.randrange(2):
        document["witness"], document["verdict"] = other["witness"], other["verdict"]
        return ("witness",)
    key = rng.choice(sorted(document["claim"].keys() & other["claim"].keys()))
    document["claim"][key] = other["claim"][key]
    return ()


def _change_anything(document: Any, rng: random.Random) -> tuple[Any, ...]:
    path = rng.choice([p for p in places(document) if p])
    parent, key = _at(document, path[:-1]), path[-1]
    old = parent[key]
    if isinstance(old, str):
        parent[key] = rng.choice([*STRANGE, *NUMBERS, *WORDS])
    elif isinstance(old, list) and old:
        i, j = rng.randrange(len(old)), rng.randrange(len(old))
        if rng.randrange(2):
            del old[i]
        else:
            old.insert(j, copy.deepcopy(old[i]))
    elif isinstance(old, dict) and old:
        name = rng.choice(sorted(old))
        value = old.pop(name)
        if rng.randrange(2):
            old[name + "_"] = value
    else:
        parent[key] = rng.choice([{}, [], "0", None, True, 7])
    return path if path[0] != "claim" else ()


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def reached(document: Any) -> str:
    """How far the checker got: and if it verified, whether the oracle agrees."""
    try:
        checker.verify_text(json.dumps(document))
    except checker.MalformedCertificateError as error:
        return "limits" if "too large" in str(error) or "more than" in str(error) else "schema"
    except checker.CertificateRejectedError as error:
        return "seal" if "sha256" in str(error) else "arithmetic, rejected"
    values = [oracle.number(v) for v in document["witness"].get("point", [])]
    agrees = oracle.agrees(document["claim"], document["verdict"], values)
    return "arithmetic, verified and true" if agrees else "VERIFIED AND FALSE"


def fuzz(mutants: int, seed: int) -> Counter[str]:
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    for _ in range(mutants):
        document = mutated(rng.choice(SEEDS), rng)
        result = reached(document)
        counts[result] += 1
        assert result != "VERIFIED AND FALSE", json.dumps(document)
    return counts


def test_no_mutant_is_verified_unless_its_claim_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    """``MUTANTS=100000 python -m pytest tests/unit/certificates/test_truth.py -k mutant -s`` searches further."""
    mutants = int(os.environ.get("MUTANTS", "1000"))
    counts = fuzz(mutants, seed=1)
    with capsys.disabled():
        if "MUTANTS" in os.environ:
            sys.stdout.write("".join(f"\n{count:7} {name}" for name, count in counts.most_common()))
    assert counts["arithmetic, rejected"] + counts["arithmetic, verified and true"] >= mutants // 2
    assert counts["arithmetic, verified and true"] >= mutants // 20
