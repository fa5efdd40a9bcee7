"""Boxes of parameters that ask for much: users, degrees, cuts, bottoms, long numbers and ends, and long tuples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import PROVED, REFUTED, document
from tests.certificates.shapes import Document, Grown, odd, shape, spelt
from tests.certificates.shapes_of_two_messages import SHAPES

__all__ = ["SHAPES"]

BITS = 4096  # of a number in a function


def side(low: Fraction, high: Fraction) -> dict[str, str]:
    return {"low": spelt(low), "low_end": "closed", "high": spelt(high), "high_end": "open"}


def monomial(c: Fraction | int, *exponents: int) -> list[Any]:
    return [spelt(Fraction(c)), [str(e) for e in exponents]]


def for_all(claim: Any, *sides: Any) -> Any:
    sides = sides or (side(Fraction(1, 10), Fraction(9, 10)),)
    return {"kind": "for_all", "parameters": [f"x{i}" for i in range(len(sides))], "box": list(sides), "claim": claim}


def private(rows: Any, messages: int, n: int, exp_eps: Any = "2", neighbors: str = "replace-one") -> Any:
    table = {"messages": str(messages), "rows": rows}
    claim = {"kind": "shuffle_dp", "randomizer": table, "n": str(n), "scope": "this n", "neighbors": neighbors}
    return {**claim, "exp_eps": exp_eps, "delta": "1", "least": "none"}


def coin(power: int, parameters: int, place: int = 0) -> list[Any]:
    """x^power and 1 - x^power, of a parameter between 0 and 1."""
    exponents = [power * (i == place) for i in range(parameters)]
    return [[monomial(1, *exponents)], [monomial(1, *[0] * parameters), monomial(-1, *exponents)]]


def rows_of(*lists: Any) -> list[Any]:
    return [[{"send": [str(m)], "prob": p} for m, p in enumerate(probabilities)] for probabilities in lists]


def many_users(grown: Grown) -> Document:
    degree, n = grown(8), grown(grown.one_of(10**6, 300, 60))
    chances = coin(degree, 1)
    neighbors = grown.one_of("replace-one", "add-or-remove-one")
    return document(for_all(private(rows_of(chances, chances[::-1]), 2, n, neighbors=neighbors)), PROVED, {})


def many_parameters(grown: Grown) -> Document:
    """Rows of a parameter each, of high degrees: a form of many places."""
    number = grown(6)
    rows = rows_of(*(coin(grown(64), number, place) for place in range(number)))
    level = [monomial(2, *[0] * number), monomial(1, *[grown(64)] * number)]
    sides = [side(Fraction(1, 10), Fraction(1, 2))] * number
    return document(for_all(private(rows, 2, grown(20), level), *sides), PROVED, {})


def many_cuts(grown: Grown) -> Document:
    def tree(low: Fraction, high: Fraction, leaves: int) -> Any:
        if leaves == 1:
            return {}
        at = (low + high) / 2
        parts = tree(low, at, leaves // 2), tree(at, high, leaves - leaves // 2)
        return {"variable": "0", "at": spelt(at), "low": parts[0], "high": parts[1]}

    chances = coin(grown(grown.one_of(1, 64)), 1)
    cells = tree(Fraction(1, 10), Fraction(9, 10), grown(30_000))
    return document(for_all(private(rows_of(chances, chances[::-1]), 2, grown(20))), PROVED, cells)


def many_bottoms(grown: Grown) -> Document:
    """Each row of its own bottom, so that the common one has their degrees together."""
    length = grown(1000)
    bottoms = [[monomial(k + 1, 0), monomial(1, grown(64))] for k in range(grown(256))]
    rows = rows_of(*([{"top": [b[0]], "bottom": b}, {"top": [b[1]], "bottom": b}] for b in bottoms))
    return document(for_all(private(rows, 2, grown(min(length, 50)))), PROVED, {})


def long_numbers(grown: Grown) -> Document:
    bits = grown(BITS, 8)
    low, high = Fraction(odd(bits - 3), 2 * odd(bits)), Fraction(odd(bits - 2), odd(bits))
    p = [monomial(Fraction(1, odd(grown(BITS, 4))), grown(64))]
    law: Any = {"family": "binomial", "n": str(grown(20_000)), "p": p}
    reach = str(grown(1000))
    level = spelt(1 + Fraction(1, odd(grown(BITS, 4))))
    claim = grown.one_of(
        {"kind": "tail", "law": law, "from": "1", "to": "infinity", "bound": "at most", "probability": "1"},
        {"kind": "shift_dp", "law": law, "shift": reach, "exp_eps": level, "delta": "1", "least": "none"},
        {"kind": "smooth", "law": law, "k": reach, "exp_eps": level, "delta": "1"},
        {"kind": "equal_laws", "first": law, "second": law},
    )
    if grown.one_of(True, False):
        return document(for_all(claim, side(low, high)), PROVED, {})
    witness: Any = {"shift": "1", "order": "forward"} if claim["kind"] == "shift_dp" else {}
    witness = {"by": "1"} if claim["kind"] == "smooth" else witness
    witness = {"outcome": "1"} if claim["kind"] == "equal_laws" else witness
    return document(for_all(claim, side(low, high)), REFUTED, {"point": [spelt(low)], "witness": witness})


def many_views(grown: Grown) -> Document:
    messages = grown(256)
    share = [monomial(Fraction(1, messages), 0)]
    rows = [[{"send": [str(m)], "prob": share} for m in range(messages)] for _ in range(grown(16))]
    law: dict[str, Any] = {"family": "view", "randomizer": {"messages": str(messages), "rows": rows}}
    law |= {"dataset": [str(grown(10**4)) for _ in rows], "weights": [str(grown(2**64)) for _ in range(messages)]}
    claim = {"kind": "tail", "law": law, "from": "0", "to": "infinity", "bound": "at most", "probability": "1"}
    return document(for_all(claim), PROVED, {})


def long_tuples(grown: Grown) -> Document:
    messages, length = grown(16), grown(4096)
    chances = coin(grown(64), 1)
    sent = [[str(i % messages) for i in range(length)], []]
    rows = [
        [{"send": tuple_, "prob": p} for tuple_, p in zip(sent, order, strict=True)]
        for order in (chances, chances[::-1])
    ]
    shares = [{"top": [monomial(1, 0, 0)], "bottom": [monomial(messages, 0, 0)]}] * messages
    claim: dict[str, Any] = {
        "kind": "monotone",
        "parameters": ["x"],
        "box": [side(Fraction(1, 10), Fraction(9, 10))],
        "parameter": "0",
    }
    claim |= {"delta": grown.one_of("falls", "rises"), "randomizer": {"messages": str(messages), "rows": rows}}
    return document(claim, PROVED, {"channel": [shares] * messages, "cells": {}})


def high_degrees(grown: Grown) -> Document:
    number, messages = grown(5), grown(64, 2)
    bottom = [monomial(1, *[0] * number), monomial(1, *[grown(64)] * number)]
    first, last = [{"top": [part], "bottom": bottom} for part in bottom]
    rows = [[{"send": ["0"], "prob": first}, {"send": ["1"], "prob": last}] for _ in range(grown(16))]
    claim: dict[str, Any] = {
        "kind": "monotone",
        "parameters": [f"x{i}" for i in range(number)],
        "parameter": "0",
        "delta": "falls",
    }
    claim |= {"box": [side(Fraction(1, odd(grown(BITS, 4))), Fraction(1))] * number}
    claim |= {"randomizer": {"messages": str(messages), "rows": rows}}
    unit = [[str(int(i == j)) for j in range(messages)] for i in range(messages)]
    return document(claim, PROVED, {"channel": unit, "cells": {}})


@shape
def box_of_many_users_or_cuts(grown: Grown) -> Document:
    found: Document = grown.one_of(many_users, many_cuts)(grown)
    return found


@shape
def box_of_many_parameters_or_bottoms(grown: Grown) -> Document:
    found: Document = grown.one_of(many_parameters, many_bottoms)(grown)
    return found


@shape
def box_of_long_numbers_or_many_views(grown: Grown) -> Document:
    found: Document = grown.one_of(long_numbers, many_views)(grown)
    return found


@shape
def monotone_of_long_tuples_or_high_degrees(grown: Grown) -> Document:
    found: Document = grown.one_of(long_tuples, high_degrees)(grown)
    return found
