"""Tests of the view that ask for much: long lists, long scores, many users, many pairs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import REFUTED, composed, document, lattice, shuffle
from tests.certificates.shapes import SHAPES, Document, Grown, close_to_one, odd, row, shape, spelt
from tests.certificates.shapes_of_sums import drawn_family

__all__ = ["SHAPES"]

LONG = 4095  # bits of a parameter, and of a step


def likelihood(grown: Grown, others: Any, at: Fraction, step: Fraction, **more: str) -> Any:
    bits = grown(4096, 64)
    sizes = {"bits": str(bits), "length": str(grown(2**17, 16)), "cut": str(grown.one_of(1, bits // 2, bits))}
    return {"likelihood": {"others": others, **sizes, "at": spelt(at), "step": spelt(step), **more}}


def refuted(witness: Any) -> Any:
    """With a threshold that decides nothing."""
    ((name, test),) = witness.items()
    return {name: {**test, "threshold": "0"}}


@shape
def likelihoods_of_families(grown: Grown) -> Document:
    """With a step that suits the law, so that lists are as long as they may be; or of long parameters."""
    if grown.one_of(True, False):
        level = grown(10**4, 20)
        suited = {"family": "k-ary", "inputs": "16", "exp_eps0": str(level)}
        witness = likelihood(grown, "third", Fraction(1), Fraction(level, grown(10**5)))
        return document(shuffle(suited, grown(10**12), spelt(close_to_one(grown(20))), "1"), REFUTED, refuted(witness))
    step = Fraction(1, grown(10**4)) + Fraction(1, odd(grown(LONG // 2)))
    at = Fraction(odd(grown(LONG)), odd(grown(LONG)))
    witness = refuted(likelihood(grown, grown.one_of("third", "first"), at, step))
    if grown.one_of(True, False):
        eps = Fraction(1, odd(grown(200, 2)))
        claim = shuffle(drawn_family(grown), grown(10**12), eps=spelt(eps), delta="1")
        return document(claim, REFUTED, {**witness, "terms": str(grown(300))})
    return document(shuffle(drawn_family(grown), grown(10**12), "2", "1"), REFUTED, witness)


@shape
def likelihoods_of_tables(grown: Grown) -> Document:
    """Many messages, each with a ratio of its own, and weights of the others over a long denominator."""
    inputs, messages, bits = grown(256, 2), grown(250, 2), grown(400, 40)
    rows = []
    for x in range(inputs):
        weights = [2**bits + (x * (m + 1) * 7919 + m) % 2**30 for m in range(messages)]
        rows.append(row(*(Fraction(weight, sum(weights)) for weight in weights), sent=lambda j: [str(j)]))
    total = odd(grown(LONG))
    shares = [Fraction(total // inputs, total)] * (inputs - 1)
    others = [spelt(share) for share in [*shares, 1 - sum(shares)]]
    step = Fraction(1, 2 ** grown(40)) / grown(10**5)
    witness = refuted(likelihood(grown, others, Fraction(1), step, first="0", second="1"))
    table = {"messages": str(messages), "rows": rows}
    return document(shuffle(table, grown(10**6), "11/10", "1"), REFUTED, witness)


@shape
def events_of_wide_scores(grown: Grown) -> Document:
    """Users of every input, scores that reach as far as places may."""
    inputs, messages, bits = grown(200, 2), grown(200, 2), grown(2000)
    chance = Fraction(odd(bits), odd(bits + 2))
    laws = [[chance / 2, chance / 2, 1 - chance], [1 - chance, chance]]
    sent = [[str(messages - 1)], ["0"], ["0", str(messages - 1)] * grown(2000)]
    rows = [row(*laws[x % 2], sent=lambda j: sent[j]) for x in range(inputs)]
    n = grown(10**6, inputs + 1)
    many = (n - 1) // inputs
    others = [str(many)] * (inputs - 1) + [str(n - 1 - many * (inputs - 1))]
    scores = ["0"] * (messages - 1) + [str(grown.one_of(grown(2**17), -grown(2**10)))]
    event = {"others": others, "scores": scores, "bits": str(grown(4096, 16)), "threshold": "0"}
    claim = shuffle({"messages": str(messages), "rows": rows}, n, "11/10", "1")
    return document(claim, REFUTED, {"event": {"first": "0", "second": "1", **event}})


@shape
def tests_of_many_runs(grown: Grown) -> Document:
    runs = grown(300)
    family = {"family": "k-ary", "inputs": "8", "exp_eps0": "9"}
    one = {"randomizer": family, "n": str(grown(10**12)), "neighbors": "replace-one", "times": str(grown(10**6))}
    pair = likelihood(grown, "third", Fraction(1), Fraction(1, grown(1000)))
    ratio = 1 + Fraction(1, grown(10**6))
    claim = composed(*[one] * runs, exp_eps="9", delta="0")
    return document(claim, REFUTED, lattice(spelt(ratio), grown(2**14, 16), pairs=[pair] * runs))
