"""Sums on a lattice that ask for much: long parameters, many values, many pairs, steep tilts, fine steps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import PROVED, composed, document, lattice, shuffle
from tests.certificates.shapes import SHAPES, Document, Grown, close_to_one, odd, row, shape, spelt

__all__ = ["SHAPES"]

LONG = 4095  # bits of a parameter, and of a step


def blanket(grown: Grown, bounds: int, step: Fraction, tilt: int) -> Any:
    sizes = {"bits": str(grown(4096, 64)), "length": str(grown(2**17, 16))}
    return {"blanket": {**sizes, "bounds": [[spelt(step), str(tilt)]] * bounds}}


def drawn_family(grown: Grown) -> dict[str, str]:
    """A family with long parameters."""
    level = spelt(1 + Fraction(odd(grown(LONG - 8)), odd(grown(LONG))))
    inputs, half = {"inputs": str(grown(10**9, 4))}, odd(grown(LONG - 8, 8))
    chances = {"one": spelt(Fraction(half, 2 * half + 1)), "other": spelt(Fraction(half - 1, 4 * half))}
    families: list[dict[str, str]] = [
        {"family": "k-ary", **inputs, "exp_eps0": level},
        {"family": "unary-encoding", **inputs, **chances},
        {"family": "subset-selection", **inputs, "size": str(int(inputs["inputs"]) // 3), "exp_eps0": level},
        {"family": "hadamard", **inputs, "exp_eps0": level},
        {"family": "local-hashing", **inputs, "buckets": str(grown(2**64, 2)), "exp_eps0": level},
    ]
    return grown.one_of(*families)


@shape
def blankets_of_families(grown: Grown) -> Document:
    """Of long parameters; or with a step and a tilt that suit the law, so that measures are as long as they may be."""
    if grown.one_of(True, False):
        suited = {"family": "k-ary", "inputs": "16", "exp_eps0": str(grown(10**4, 20))}
        witness = blanket(grown, 1, Fraction(1, grown(400)), 2**64 // grown(10**7, 100))
        return document(shuffle(suited, grown(10**12), spelt(close_to_one(grown(20))), "1"), PROVED, witness)
    family, n = drawn_family(grown), grown(10**12)
    step = Fraction(1, grown(10**5)) + Fraction(1, odd(grown(LONG // 2)))
    witness = blanket(grown, 1, step, 2 ** grown(71))
    if grown.one_of(True, False):
        eps = Fraction(1, odd(grown(200, 2)))
        return document(shuffle(family, n, eps=spelt(eps), delta="1"), PROVED, {**witness, "terms": str(grown(300))})
    return document(shuffle(family, n, spelt(close_to_one(grown(2**16))), "1"), PROVED, witness)


@shape
def blankets_of_many_values(grown: Grown) -> Document:
    """Two inputs whose outcomes all have ratios of their own."""
    outcomes, bits = grown(30_000, 2), grown(200)
    total = outcomes * 2 ** (bits + 1)
    weights = [2 ** (bits + 1) + odd(bits) % 2**bits - j for j in range(outcomes // 2)]
    first = [*weights, *(2 ** (bits + 2) - weight for weight in weights)]
    if outcomes % 2:
        first.append(2 ** (bits + 1))
    rows = [[Fraction(weight, total) for weight in law] for law in (first, list(reversed(first)))]
    table = {"messages": "200", "rows": [row(*law, sent=lambda j: [str(j % 200)] * (1 + j // 200)) for law in rows]}
    witness = blanket(grown, 2, Fraction(1, grown(10**4)), 2 ** grown(64))
    return document(shuffle(table, grown(10**6), "1", "1"), PROVED, witness)


@shape
def blankets_of_many_pairs(grown: Grown) -> Document:
    """All ordered pairs of many inputs; nearly all have a law of values of their own."""
    inputs, bits, n = grown(256, 2), grown(LONG - 8), grown(10**6)
    witness = blanket(grown, inputs * (inputs - 1), Fraction(1, grown(100)), 2 ** grown(64))
    if grown.one_of(True, False):
        ratio = spelt(Fraction(odd(bits), odd(bits) + 2 ** (bits // 2)))
        family = {"family": "clipped-discrete-laplace", "top": str(inputs - 1), "ratio": ratio}
        return document(shuffle(family, n**2, "11/10", "1"), PROVED, witness)
    messages, rows = grown(64, 2), []
    for x in range(inputs):
        weights = [2**30 + (x * (m + 1) * 7919 + m) % 2**30 for m in range(messages)]
        rows.append(row(*(Fraction(weight, sum(weights)) for weight in weights), sent=lambda j: [str(j)]))
    return document(shuffle({"messages": str(messages), "rows": rows}, n, "11/10", "1"), PROVED, witness)


@shape
def levels_of_blankets(grown: Grown) -> Document:
    levels = grown(300)
    family = {"family": "k-ary", "inputs": "8", "exp_eps0": "9"}
    witness = blanket(grown, 1, Fraction(1, grown(100)), 2**64 // grown(10**4))
    curve = {"deltas": [str(2**40)] * levels, "witness": {"levels": [witness] * levels}}
    one = {"randomizer": family, "n": str(grown(10**12)), "neighbors": "replace-one", "times": str(grown(10**6))}
    return document(composed(one, exp_eps="9", delta="1"), PROVED, lattice("201/200", 40, curves=[curve]))
