"""Claims and documents as plain JSON values, for the corpora of make_corpus.py: written out, nothing computed."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from itertools import product
from typing import Any

SCHEMAS = ("exactdp-certificate-1", "exactdp-certificate-2", "exactdp-certificate-3")
PROVED, REFUTED = "PROVED", "REFUTED"

Case = tuple[Any, str, Any]  # claim, verdict, witness


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def document(claim: Any, verdict: str, witness: Any, schema: str = SCHEMAS[-1]) -> dict[str, Any]:
    """Return the sealed document."""
    claim_id = hashlib.sha256(canonical(claim).encode()).hexdigest()
    return {"schema": schema, "claim": claim, "claim_id": claim_id, "verdict": verdict, "witness": witness}


def write(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


# --- Tables and claims ----------------------------------------------------------------------------------------------


def randomizer(messages: int, *rows: dict[str, str]) -> dict[str, Any]:
    """Rows as {"0 1": "1/2"}: the messages sent, and the probability."""
    listed = [[{"send": sent.split(), "prob": p} for sent, p in row.items()] for row in rows]
    return {"messages": str(messages), "rows": listed}


RESPONSE = randomizer(2, {"0": "3/4", "1": "1/4"}, {"0": "1/4", "1": "3/4"})
CLEARER_RESPONSE = randomizer(2, {"0": "4/5", "1": "1/5"}, {"0": "1/5", "1": "4/5"})
COMPLEMENT = randomizer(2, {"0 1": "1"}, {"1 0": "1"})
COMPLEMENT_LOCAL = randomizer(2, {"0": "1"}, {"1": "1"})
BITS = [" ".join(bits) for bits in product("01", repeat=4)]
GAP = randomizer(2, dict.fromkeys(BITS, "1/16"), dict.fromkeys((b for b in BITS if b.count("1") != 2), "1/10"))
GAP_LOCAL = randomizer(
    16,
    {str(m): "1/16" for m in range(16)},
    {str(m): "1/10" for m, bits in enumerate(BITS) if bits.count("1") != 2},
)
ZSUM = randomizer(1, {"": "1/8", "0": "7/8"}, {"0": "1/8", "0 0": "7/8"})
ONE_SIDED = randomizer(2, {"0": "1"}, {"0": "1/2", "1": "1/2"})
THREE = randomizer(
    2,
    {"0": "1/2", "1": "1/3", "": "1/6"},
    {"0": "1/4", "1": "1/4", "0 1": "1/2"},
    {"0": "1/4", "1": "1/2", "": "1/4"},
)
SILENT = randomizer(0, {"": "1"}, {"": "1"})

WORKED = {"first": ["2", "0"], "second": ["1", "1"]}  # the worst pair of RESPONSE at n = 2, e^eps = 2
VERTEX = {"differing": ["0", "1"], "bystander": "0", "outcome": ["0", "4"], "functional": ["0", "1"]}


def shuffle(table: Any = RESPONSE, n: int | str = 2, exp_eps: str = "2", delta: str = "3/16", **changes: str) -> Any:
    claim = {
        "kind": "shuffle_dp",
        "randomizer": table,
        "n": str(n),
        "scope": "this n",
        "neighbors": "replace-one",
        "exp_eps": exp_eps,
        "delta": delta,
        "least": "none",
    }
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def two_messages(
    table: Any = RESPONSE, n: int | str = 2, exp_eps: str = "2", delta: str = "3/16", **changes: str
) -> Any:
    """Of schema 3."""
    claim = {"kind": "two_message_dp", "randomizer": table, "n": str(n), "scope": "this n"}
    claim |= {"exp_eps": exp_eps, "delta": delta}
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def never(table: Any, n: int, delta_below: str, neighbors: str = "replace-one") -> Any:
    base = {"kind": "never_dp", "randomizer": table, "n": str(n), "neighbors": neighbors}
    return {**base, "delta_below": delta_below}


def binomial(n: int, p: Any) -> Any:
    return {"family": "binomial", "n": str(n), "p": p}


def finite(**weights: str) -> Any:
    return {
        "family": "finite",
        "weights": [[k.removeprefix("at").replace("minus", "-"), p] for k, p in weights.items()],
    }


def shift(law: Any, exp_eps: str = "2", delta: str = "1/4", reach: int = 1, **changes: str) -> Any:
    claim = {
        "kind": "shift_dp",
        "law": law,
        "shift": str(reach),
        "exp_eps": exp_eps,
        "delta": delta,
        "least": "none",
    }
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def additive(base: Any = None, shifts: Any = None) -> Any:
    law = [["0", "1/8"], ["1", "7/8"]] if base is None else base
    return {"kind": "additive_view", "randomizer": ZSUM, "base": law, "shifts": shifts or ["0", "1"]}


def zero(held: str = "0", threshold: str = "1", table: Any = ZSUM, weights: Any = None) -> Any:
    claim = {"kind": "zero_estimate", "randomizer": table, "weights": weights or ["1"]}
    return {**claim, "zero_unless_above": threshold, "input": held}


def condition(*terms: tuple[str, str], strict: str = "no") -> Any:
    """Terms as (coefficient, "exponent exponent")."""
    return {"polynomial": [[coefficient, powers.split()] for coefficient, powers in terms], "strict": strict}


def inequality(hypotheses: list[Any], conclusion: Any, variables: str = "x") -> Any:
    return {
        "kind": "inequality",
        "variables": variables.split(),
        "hypotheses": hypotheses,
        "conclusion": conclusion,
    }


def both(*claims: Any) -> Any:
    return {"kind": "conjunction", "claims": list(claims)}


def negation(claim: Any) -> Any:
    return {"kind": "not", "claim": claim}


X, ONE_MINUS_X = condition(("1", "1")), condition(("1", "0"), ("-1", "1"))
SQUARE_BELOW = inequality([X, ONE_MINUS_X], condition(("1", "1"), ("-1", "2")))  # x - x^2 = x (1 - x)
SQUARE_TERMS = {"terms": [{"coefficient": "1", "powers": ["1", "1"]}]}
COIN = binomial(2, "1/2")  # 1/4, 1/2, 1/4
TRUE = shuffle()
FALSE = shuffle(delta="1/8")


# --- Claims of schema 2 ---------------------------------------------------------------------------------------------


def law(family: str, **parameters: Any) -> Any:
    return {"family": family, **parameters}


def binomial_sum(n1: int, p1: Any, n2: int, p2: Any) -> Any:
    return law("binomial-sum", n1=str(n1), p1=p1, n2=str(n2), p2=p2)


def negative_binomial(r: Any, p: Any) -> Any:
    return law("negative-binomial", r=r, p=p)


def geometric(p: Any) -> Any:
    return law("geometric", p=p)


def laplace(exp_eps: Any) -> Any:
    return law("discrete-laplace", exp_eps=exp_eps)


def gaussian(sigma_squared: str) -> Any:
    return law("discrete-gaussian", sigma_squared=sigma_squared)


def poisson(mu: Any) -> Any:
    return law("poisson", mu=mu)


def uniform(low: int, high: int) -> Any:
    """Of schema 3."""
    ends = [str(end) if abs(end).bit_length() <= 256 else hex(end) for end in (low, high)]
    return law("discrete-uniform", low=ends[0], high=ends[1])


def view(table: Any, dataset: str, weights: str) -> Any:
    return law("view", randomizer=table, dataset=dataset.split(), weights=weights.split())


def smooth(noise: Any, k: int = 1, exp_eps: str = "2", delta: str = "1/4", **changes: str) -> Any:
    claim = {"kind": "smooth", "law": noise, "k": str(k), "exp_eps": exp_eps, "delta": delta}
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def tail(noise: Any, start: str, end: str, bound: str, probability: str) -> Any:
    return {"kind": "tail", "law": noise, "from": start, "to": end, "bound": bound, "probability": probability}


def count_accuracy(noise: Any, alpha: str, beta: str, **changes: str) -> Any:
    claim = {"kind": "accuracy", "law": noise, "least": "0", "most": "10", "weight": "1", "offset": "0"}
    return {**claim, "zero_unless_above": "none", "alpha": alpha, "beta": beta, **changes}


def view_accuracy(n: int, dataset: Any, alpha: str, beta: str, **changes: Any) -> Any:
    """The mean of the bits, estimated from RESPONSE: 2 (ones) / n - 1/2, each user's value being its bit / n."""
    claim = {"kind": "accuracy", "randomizer": RESPONSE, "n": str(n), "dataset": dataset}
    claim |= {"weights": ["0", fraction(2, n)], "offset": "-1/2", "zero_unless_above": "none"}
    return {**claim, "values": ["0", fraction(1, n)], "alpha": alpha, "beta": beta, **changes}


def fraction(top: int, bottom: int) -> str:
    return str(Fraction(top, bottom))


def equal_laws(first: Any, second: Any) -> Any:
    return {"kind": "equal_laws", "first": first, "second": second}


def side(low: str = "0", high: str = "1", ends: str = "closed closed") -> Any:
    low_end, high_end = ends.split()
    return {"low": low, "low_end": low_end, "high": high, "high_end": high_end}


def polynomial(text: str) -> Any:
    """As "1 @ 0, -1/2 @ 1 2": coefficients at exponents; "" is 0."""
    terms = [term.split("@") for term in text.split(",") if term]
    return [[coefficient.strip(), exponents.split()] for coefficient, exponents in terms]


def box(variables: str, sides: list[Any], terms: list[tuple[str, str]], strict: str = "no") -> Any:
    """Terms as (polynomial, exponent)."""
    listed = [{"polynomial": polynomial(p), "exponent": polynomial(e)} for p, e in terms]
    return {
        "kind": "box_inequality",
        "variables": variables.split(),
        "box": sides,
        "terms": listed,
        "strict": strict,
    }


def leaf(corner: str, taylor: int = 2, bits: int = 64) -> Any:
    return {"corner": corner.split(), "taylor": str(taylor), "bits": str(bits)}


def cut(variable: int, at: str, low: Any, high: Any) -> Any:
    return {"variable": str(variable), "at": at, "low": low, "high": high}


def assuming(names: str, *claims: Any) -> Any:
    return {**both(*claims), "assuming": names.split()}


# --- Counts, of schema 3 ---------------------------------------------------------------------------------------------


def counting(p1: Any = "1/2", *noise: Any, exp_eps: str = "2", delta: str = "1/4", **changes: Any) -> Any:
    laws = list(noise) or [negative_binomial("2", "1/2")]
    claim = {"kind": "counting_dp", "p1": p1, "noise": laws, "exp_eps": exp_eps, "delta": delta}
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def sampled(rate: str = "1/4", threshold: int = 2, exp_eps: str = "2", delta: str = "1/16", **changes: str) -> Any:
    claim = {"kind": "sample_threshold_dp", "rate": rate, "threshold": str(threshold), "users": "any"}
    claim |= {"exp_eps": exp_eps, "delta": delta}
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def mixed(n: int, modulus: int, messages: int, distance: str) -> Any:
    order = str(modulus) if modulus.bit_length() <= 256 else hex(modulus)
    return {
        "kind": "split_and_mix",
        "n": str(n),
        "modulus": order,
        "messages": str(messages),
        "distance": distance,
    }


# --- Boxes of parameters, of schema 3 --------------------------------------------------------------------------------


def quotient(top: str, bottom: str) -> Any:
    return {"top": polynomial(top), "bottom": polynomial(bottom)}


def for_all(parameters: str, sides: list[Any], claim: Any) -> Any:
    return {"kind": "for_all", "parameters": parameters.split(), "box": sides, "claim": claim}


def monotone(parameters: str, sides: list[Any], table: Any, delta: str = "falls", parameter: int = 0) -> Any:
    claim = {"kind": "monotone", "parameters": parameters.split(), "box": sides, "parameter": str(parameter)}
    return {**claim, "delta": delta, "randomizer": table}


# --- Composition ----------------------------------------------------------------------------------------------------


def run(noise: Any, times: int, reach: int = 1) -> Any:
    return {"law": noise, "shift": str(reach), "times": str(times)}


def views(table: Any, n: int, times: int, neighbors: str = "replace-one") -> Any:
    return {"randomizer": table, "n": str(n), "neighbors": neighbors, "times": str(times)}


def composed(*runs: Any, exp_eps: str = "2", delta: str = "1/4", **changes: Any) -> Any:
    claim = {"kind": "composed", "runs": list(runs), "exp_eps": exp_eps, "delta": delta}
    if "eps" in changes:
        del claim["exp_eps"]
    return {**claim, **changes}


def curve(deltas: list[int], **witness: str) -> Any:
    return {"deltas": [str(delta) for delta in deltas], "witness": witness}


def lattice(ratio: str, precision: int, **listed: Any) -> Any:
    """The witness of a composition: ``curves`` or ``pairs``, and ``terms``."""
    return {"ratio": ratio, "precision": str(precision), **listed}
