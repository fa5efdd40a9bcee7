"""Swaps that ask for much: plans, nodes, stages, bits, phases, long products, large tables, classes of users."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import PROVED, REFUTED, composed, document, lattice, shuffle
from tests.certificates.corpus_v4 import SCHEMA, any_of, away, classes, product
from tests.certificates.shapes import Document, Grown, close_to_one, odd, row, shape, spelt
from tests.certificates.shapes_of_boxes import SHAPES
from tests.certificates.shapes_of_sums import drawn_family

__all__ = ["SHAPES"]

LONG = 4095  # bits of a parameter, and of the numbers of a plan
LEAST = f"1/{10**12}"  # a delta for which nodes are needed, and are mostly not enough


def plan(grown: Grown, slots: int, tilt: Fraction) -> Any:
    """That suits sums of so many users, or has long numbers, or phases that turn far."""
    step, smoothing = Fraction(1, grown(8)), Fraction(1, grown(64))
    kind = grown.one_of("suited", "suited", "suited", "long", "far")
    if kind == "long":
        tilt *= Fraction(odd(grown(LONG // 2)), odd(grown(LONG // 2)))
        step, smoothing = (Fraction(odd(grown(LONG - 1)), odd(grown(LONG))) for _ in range(2))
    elif kind == "far":
        step = Fraction(2 ** grown(20)) / tilt
    owns = grown.one_of(0, 0, 1)
    first = 2 - (slots + owns) % 2
    stages = [str(first + 2 * j) for j in range(max(1, min(grown(1000), (slots - 3) // 2)))]
    if owns and grown.one_of(False, True):  # each user looked at is a step
        stages[-1] = str(max(int(stages[-1]), first + 2 * (grown(10**8) // 2)))
    fields = {"tilt": spelt(tilt), "smoothing": spelt(smoothing), "step": spelt(step), "nodes": str(grown(2**14))}
    return {**fields, "own_stages" if owns else "stages": stages}


def swap(grown: Grown, slots: int, pairs: int, tilt: Fraction, used: list[list[str]] | None = None) -> Any:
    """With a plan of its own for each of some pairs."""
    plans = [plan(grown, slots, tilt * (place + 1) / (place + 2)) for place in range(grown(min(pairs, 200)))]
    places = [str(place % len(plans)) for place in range(pairs)]
    beside = {} if used is None else {"used": used}
    return {"swap": {"bits": str(grown(grown.one_of(200, 4096), 64)), "plans": plans, "pairs": places, **beside}}


def many_rows(grown: Grown, inputs: int, messages: int) -> Any:
    rows = []
    for x in range(inputs):
        weights = [2**30 + (x * (m + 1) * 7919 + m) % 2**30 for m in range(messages)]
        rows.append(row(*(Fraction(weight, sum(weights)) for weight in weights), sent=lambda j: [str(j)]))
    return {"messages": str(messages), "rows": rows}


@shape
def swaps_of_families(grown: Grown) -> Document:
    n = grown(10**12, 4)
    tilt = Fraction(1, 2 ** (n.bit_length() // 2))
    witness, level = swap(grown, n, 1, tilt), spelt(1 + Fraction(1, 2 ** (n.bit_length() // 2)))
    family = grown.one_of({"family": "k-ary", "inputs": "16", "exp_eps0": "9"}, drawn_family(grown), any_of("8"))
    if grown.one_of(False, True):
        family = away(grown.one_of("counted", "listed"), spelt(Fraction(1, odd(grown(LONG, 2)))), family)
    if grown.one_of(False, True):
        claim = shuffle(family, n, eps=spelt(Fraction(1, odd(grown(200, 2)))), delta="1")
        return document(claim, PROVED, {**witness, "terms": str(grown(300))}, SCHEMA)
    return document(shuffle(family, n, level, grown.one_of(LEAST, "1")), PROVED, witness, SCHEMA)


@shape
def swaps_of_cells(grown: Grown) -> Document:
    """Of real messages: many ends of cells, or long ones, as few as will not be refused at once among them."""
    bits, n = grown(grown.one_of(LONG - 64, 24, 24)), grown(10**12, 4)
    whole = 2 ** (bits + 20)

    def ends(many: int) -> list[str]:
        return [
            spelt(1 + Fraction(7 * (place * whole // (many + 1)) + odd(bits), whole * 8)) for place in range(1, many)
        ]

    cells = {
        "points": ends(grown(grown.one_of(20_000, 300))),
        "places": ends(grown(200)),
        "distances": ends(grown(200)),
    }
    family = {"family": "laplace", "exp_eps0": "2"}
    claim = shuffle(family, n, spelt(1 + Fraction(1, 2 ** (n.bit_length() // 2))), grown.one_of(LEAST, "1"))
    if grown.one_of(False, True):
        fields = {
            "others": "first",
            "bits": "64",
            "length": "4096",
            "at": "1",
            "step": spelt(Fraction(1, grown(10**4))),
        }
        test = {**fields, "cut": "20", "threshold": "0", "points": cells["points"]}
        return document({**claim, "delta": "0"}, REFUTED, {"likelihood": test}, SCHEMA)
    witness = swap(grown, n, 1, Fraction(1, 2 ** (n.bit_length() // 2)))
    return document(claim, PROVED, {"swap": {**witness["swap"], **cells}}, SCHEMA)


@shape
def swaps_of_large_tables(grown: Grown) -> Document:
    """All ordered pairs of many inputs, each beside all of them."""
    inputs, n = grown(256, 2), grown(10**6, 4)
    table = many_rows(grown, inputs, grown(256, 2))
    witness = swap(grown, n, inputs * (inputs - 1), Fraction(1, grown(1000)))
    if grown.one_of(False, True):
        dummy: Any = grown.one_of("uniform", [spelt(Fraction(1, inputs))] * inputs)
        table = away("hidden", "1/3", many_rows(grown, inputs, inputs), dummy=dummy)
    return document(shuffle(table, n, "11/10", grown.one_of(LEAST, "1")), PROVED, witness, SCHEMA)


@shape
def swaps_of_long_products(grown: Grown) -> Document:
    """Of many factors, alike or not, whose classes multiply."""
    factors, n = grown(64), grown(10**9, 4)
    alike = grown.one_of(True, False)
    level = [10 + (0 if alike else place) for place in range(factors)]
    of: list[Any] = [{"family": "k-ary", "inputs": "3", "exp_eps0": str(e)} for e in level]
    if grown.one_of(False, True):
        of = [many_rows(grown, grown(12, 2), grown(12, 2))] * factors
    witness = swap(grown, n, grown(10**4), Fraction(1, grown(10**5)))
    return document(shuffle(product(*of), n, "11/10", grown.one_of("1", LEAST)), PROVED, witness, SCHEMA)


@shape
def swaps_of_dummies(grown: Grown) -> Document:
    """Of bits that are nearly fair, of inputs, and of long products of these."""
    near = Fraction(odd(grown(2**10)), odd(grown(2**11, 2**10)))
    bits = {"family": "unary-encoding", "inputs": str(grown(grown.one_of(2**14, 64, 10**9), 2)), "one": "999/1000"}
    bits["other"] = grown.one_of("31/64", spelt(near))
    symbols = {"family": grown.one_of("k-ary", "hadamard"), "inputs": str(grown(10**9, 2)), "exp_eps0": "9"}
    factors, n = grown(grown.one_of(3, 64)), grown(10**9, 4)
    of, dummy = [grown.one_of(bits, symbols)] * factors, [grown.one_of("uniform", {"input": "0"})] * factors
    family = away("hidden", "1/2", product(*of), dummy=dummy)
    witness = swap(grown, n, grown(10), Fraction(1, grown(10**5)))
    return document(shuffle(family, n, "11/10", grown.one_of("1", LEAST)), PROVED, witness, SCHEMA)


@shape
def swaps_of_classes(grown: Grown) -> Document:
    """Of tables that are used together: one input of each is a choice."""
    many, inputs, messages = grown(64), grown(256), grown(256, 2)
    tables = [many_rows(grown, max(1, inputs // (place + 1)), messages) for place in range(min(many, 4))]
    users = grown(10**12, 4)
    listed = [(tables[place % len(tables)], users) for place in range(many)]
    used = [str(place) for place in range(grown(many))]
    pairs = len(tables[0]["rows"]) * (len(tables[0]["rows"]) - 1)
    witness = swap(grown, users * len(used), pairs, Fraction(1, grown(10**6)), [used])
    claim = classes(*listed, exp_eps="11/10", delta=grown.one_of(LEAST, "1"), user_class="0")
    return document(claim, PROVED, witness, SCHEMA)


@shape
def levels_of_swaps(grown: Grown) -> Document:
    levels, n = grown(300), grown(10**12, 4)
    family = product(*[{"family": "k-ary", "inputs": "8", "exp_eps0": "9"}] * grown(4))
    witness = swap(grown, n, grown(4), Fraction(1, grown(10**6)))
    curve = {"deltas": [str(2**40)] * levels, "witness": {"levels": [witness] * levels}}
    one = {"randomizer": family, "n": str(n), "neighbors": "replace-one", "times": str(grown(10**6))}
    return document(composed(one, exp_eps="9", delta="1"), PROVED, lattice("201/200", 40, curves=[curve]), SCHEMA)


@shape
def likelihoods_of_products(grown: Grown) -> Document:
    factors = [{"family": "k-ary", "inputs": "3", "exp_eps0": str(10 + place)} for place in range(grown(40))]
    fields = {"pair": str(grown(10**6)), "others": str(grown(10**6)), "bits": str(grown(4096, 64))}
    fields |= {"length": str(grown(2**17, 16)), "at": "1", "step": spelt(Fraction(1, grown(10**5))), "cut": "1"}
    claim = shuffle(product(*factors), grown(10**12), spelt(close_to_one(grown(20))), "0")
    return document(claim, REFUTED, {"likelihood": {**fields, "threshold": "0"}}, SCHEMA)
