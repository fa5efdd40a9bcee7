"""The swap bound and the families made of others of the second checker, against lists of messages and data sets."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import permutations
from math import comb
from typing import Any

import pytest

from tests.certificates.in_node import computed
from tests.expensive import recorded
from tests.oracles.brute_force import Oracle

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="there is no node")

Row = list[Fraction]
Classes = Iterable[tuple[Fraction, Fraction, Fraction]]

Q = Fraction(3, 5)
KARY = {"family": "k-ary", "inputs": "3", "exp_eps0": "4"}
KARY_ROWS = [[Fraction(4 if x == y else 1, 6) for y in range(3)] for x in range(3)]
A = [[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]]
B = [[Fraction(1, 4), Fraction(3, 4)], [Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 4), Fraction(3, 4)]]

PAIRS = """({ randomizer }) => {
    const parsed = r.parse(Buffer.from(JSON.stringify(randomizer)));
    const list = ({ denominator, classes }) => classes.flatMap(({ P, Q, R, count }) =>
        Array(Number(count)).fill([P, Q, R, denominator]));
    return [...user_pairs.pairsOf(user_pairs.readUser(parsed, 4))].map(({ blanket, parties: [vertices] }) =>
        [list(blanket()), ...Array.from(vertices(), (vertex) => list(vertex()))]);
}"""

HOLDS = """({ claim, witness, exp_eps, deltas }) => {
    const parsed = (value) => r.parse(Buffer.from(JSON.stringify(value)));
    const { classes, randomizer, n } = claim;
    const read = classes
        ? user_pairs.readClasses({ classes: parsed(classes), user_class: "any" }, 4)
        : { randomizer: user_pairs.readUser(parsed(randomizer), 4), n };
    const demand = swap.readSwap(read, parsed(witness));
    return deltas.map((delta) => {
        r.startDocument();
        try { demand(r.rational(exp_eps), r.rational(delta)); } catch (error) { return error.word ?? error.stack; }
        return "VERIFIED";
    });
}"""


def table(rows: list[Row]) -> dict[str, Any]:
    written = [[{"send": [str(y)], "prob": str(p)} for y, p in enumerate(row) if p] for row in rows]
    return {"messages": str(len(rows[0])), "rows": written}


def participation(absence: str, of: Any, **dummy: Any) -> dict[str, Any]:
    return {"family": "participation", "absence": absence, "probability": str(Q), "of": of, **dummy}


def multiplied(*tables: list[Row]) -> list[Row]:
    """The table of all products of rows and of outcomes."""
    rows: list[Row] = [[Fraction(1)]]
    for factor in tables:
        rows = [[a * b for a in left for b in right] for left in rows for right in factor]
    return rows


def hidden(rows: list[Row], dummy: Row) -> list[Row]:
    return [[Q * p + (1 - Q) * d for p, d in zip(row, dummy, strict=True)] for row in rows]


def counted(rows: list[Row]) -> list[Row]:
    return [[*(Q * p for p in row), 1 - Q] for row in rows]


def merged(classes: Classes) -> frozenset[Any]:
    """The classes whose numbers have the same ratios together."""
    sums: dict[Any, list[Fraction]] = {}
    for parts in classes:
        if total := sum(parts):
            key = tuple(part / total for part in parts)
            sums[key] = [a + b for a, b in zip(sums.get(key, [Fraction(0)] * 3), parts, strict=True)]
    return frozenset(map(tuple, sums.values()))


def expected(rows: list[Row], absent: Row | None = None) -> set[Any]:
    """The classes of a blanket and of all vertices, of every pair of inputs; `absent` is added to each vertex."""
    least = [min(column) for column in zip(*rows, strict=True)]
    found = set()
    for first, second in permutations(rows, 2):
        if first != second:
            more = [] if absent is None else [tuple(absent)]
            vertices = frozenset(merged([*zip(first, second, row, strict=True), *more]) for row in rows)
            found.add((merged(zip(first, second, least, strict=True)), vertices))
    return found


def number(text: str) -> int:
    return int(text.replace("0x-", "-0x"), 16)


def fractions(classes: Any) -> Iterator[tuple[Fraction, Fraction, Fraction]]:
    for *parts, whole in classes:
        p, q, r = (Fraction(number(part), number(whole)) for part in parts)
        yield p, q, r


UNIFORM = [Fraction(1, 3)] * 3
DUMMY = {"dummy": "uniform"}
LISTED_ROWS = [[Q * p for p in row] for row in A]
LISTED_VERTEX = [Fraction(0), Fraction(0), 1 - Q]
POINT = [Fraction(1), Fraction(0), Fraction(0)]
FAMILIES: dict[str, tuple[Any, list[Row], Row | None]] = {
    "table": (table(B), B, None),
    "k-ary": (KARY, KARY_ROWS, None),
    "product": ({"family": "product", "of": [table(A), table(B)]}, multiplied(A, B), None),
    "product of two alike": ({"family": "product", "of": [table(A), table(A)]}, multiplied(A, A), None),
    "product of a family": ({"family": "product", "of": [KARY, KARY]}, multiplied(KARY_ROWS, KARY_ROWS), None),
    "mixed product": ({"family": "product", "of": [KARY, table(A)]}, multiplied(KARY_ROWS, A), None),
    "product of three": ({"family": "product", "of": [table(A)] * 3}, multiplied(A, A, A), None),
    "counted table": (participation("counted", table(A)), counted(A), None),
    "counted family": (participation("counted", KARY), counted(KARY_ROWS), None),
    "counted product": (
        participation("counted", {"family": "product", "of": [KARY, table(A)]}),
        counted(multiplied(KARY_ROWS, A)),
        None,
    ),
    "listed table": (participation("listed", table(A)), LISTED_ROWS, LISTED_VERTEX),
    "hidden table": (participation("hidden", table(A), dummy=["1", "0", "0"]), hidden(A, POINT), None),
    "hidden family": (participation("hidden", KARY, **DUMMY), hidden(KARY_ROWS, UNIFORM), None),
    "hidden Hadamard": (
        participation("hidden", {"family": "hadamard", "inputs": "3", "exp_eps0": "4"}, **DUMMY),
        hidden(
            [[Fraction(4 if (x & y).bit_count() % 2 == 0 else 1, 10) for y in range(4)] for x in (1, 2, 3)],
            [Fraction(1, 4)] * 4,
        ),
        None,
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_made_of_others_has_the_classes_of_its_table(name: str) -> None:
    """Those of all pairs, but for pairs that are others in another order of the factors."""
    randomizer, rows, absent = FAMILIES[name]
    [pairs] = computed(PAIRS, [{"randomizer": randomizer}], "user_pairs")
    found = set()
    for blanket, *vertices in pairs:
        found.add((merged(fractions(blanket)), frozenset(merged(fractions(vertex)) for vertex in vertices)))
    assert found == expected(rows, absent)


def test_any_randomizer_has_five_vertices_within_its_factor() -> None:
    [[pair]] = computed(PAIRS, [{"randomizer": {"family": "any", "exp_eps0": "7/2"}}], "user_pairs")
    blanket, *vertices = [list(fractions(classes)) for classes in pair]
    assert sum(c for *_, c in blanket) == Fraction(2, 7)
    assert len(vertices) == 5
    for vertex in vertices:
        assert [sum(column) for column in zip(*vertex, strict=True)] == [1, 1, 1]
        for parts in vertex:
            assert sorted({a / b for a, b in permutations(parts, 2)}) == [Fraction(2, 7), 1, Fraction(7, 2)]


def plan(tilt: str, left: int, stages: int = 1) -> dict[str, Any]:
    """For `left` others: the first stages that leave an even number of messages."""
    first = 1 if left % 2 == 0 else 2
    places = range(first, min(left, first + 2 * stages), 2)
    return {"tilt": tilt, "smoothing": "1/24", "step": "1/5", "nodes": "250", "stages": [str(t) for t in places]}


def swapped(plans: list[Any], pairs: list[int], **used: Any) -> dict[str, Any]:
    return {"bits": "96", "plans": plans, "pairs": [str(place) for place in pairs], **used}


def random_table(rng: random.Random) -> list[Row]:
    rows = []
    for _ in range(rng.choice([2, 3])):
        weights = [rng.choice([0, 1, 2, 3, 5]) for _ in range(2)]
        rows.append([Fraction(w + 1, sum(weights) + 3) for w in [*weights, 0]])
    return rows


def count_of_pairs(rows: list[Row]) -> int:
    return sum(first != second for first, second in permutations(rows, 2))


def test_a_swap_proves_nothing_below_the_worst_of_all_data_sets() -> None:
    rng = random.Random(3)
    asked = []
    for tilt in ("1/3", "1", "2"):
        for _ in recorded(range(8), every=2):
            rows, n = random_table(rng), rng.choice([3, 4, 5])
            exp_eps = str(rng.choice([Fraction(1), Fraction(6, 5), Fraction(3, 2)]))
            worst = Oracle({x: {(y,): p for y, p in enumerate(row)} for x, row in enumerate(rows)}, n).delta(
                Fraction(exp_eps)
            )
            deltas = [str(worst * Fraction(999, 1000)), "1"] if worst else ["1"]
            witness = swapped([plan(tilt, n - 1)], [0] * count_of_pairs(rows))
            claim = {"randomizer": table(rows), "n": n}
            asked.append({"claim": claim, "witness": witness, "exp_eps": exp_eps, "deltas": deltas})
    for a, found in zip(asked, computed(HOLDS, asked, "user_pairs", "swap"), strict=True):
        assert found[:-1] == ["REJECTED"] * (len(a["deltas"]) - 1)
        assert found[-1] in {"VERIFIED", "REJECTED"}


def divergence_of_bits(n: int, exp_eps: Fraction) -> Fraction:
    """Bits that are kept with probability 3/4, those of all others being 0; the larger of both orders."""

    def weight(ones: int, kept: int) -> int:  # of so many ones, over 4^n; the user who differs sends 1 with kept/4
        others = [comb(n - 1, t) * 3 ** (n - 1 - t) if 0 <= t < n else 0 for t in (ones - 1, ones)]
        return others[0] * kept + others[1] * (4 - kept)

    laws = [[weight(ones, kept) for ones in range(n + 1)] for kept in (3, 1)]
    gains = [[max(Fraction(0), p - exp_eps * q) for p, q in zip(*order, strict=True)] for order in (laws, laws[::-1])]
    return Fraction(round(10**20 * max(map(sum, gains)) / 4**n), 10**20)


BITS = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]


def test_a_swap_meets_the_divergence_of_one_data_set() -> None:
    """Within three hundredths at 800 users; classes of users that run the same table have the bound of the table."""
    n, exp_eps = 800, Fraction(11, 10)
    truth = divergence_of_bits(n, exp_eps)
    deltas = [str(truth * Fraction(factor, 1000)) for factor in (999, 1030)]
    plans = [plan("17/200", n - 1, 14)]
    classes = [{"randomizer": table(BITS), "n": str(n - 300)}, {"randomizer": table(BITS), "n": "300"}]
    both = swapped(plans, [0] * 4, used=[["0", "1"], ["0", "1"]])
    alone = swapped([plan("17/200", n - 301, 14), plan("17/200", 299, 14)], [0, 0, 1, 1], used=[["0"], ["1"]])
    asked = [
        {"claim": {"randomizer": table(BITS), "n": n}, "witness": swapped(plans, [0, 0])},
        {"claim": {"classes": classes}, "witness": both},
        {"claim": {"classes": classes}, "witness": alone},
    ]
    shared = {"exp_eps": str(exp_eps), "deltas": deltas}
    found = computed(HOLDS, [{**a, **shared} for a in asked], "user_pairs", "swap")
    assert found == [["REJECTED", "VERIFIED"], ["REJECTED", "VERIFIED"], ["REJECTED", "REJECTED"]]


def test_a_pair_takes_its_own_plan() -> None:
    """The plans of the others are of no use to it."""
    good, poor = plan("17/200", 799, 14), plan("1/1000", 799, 14)
    delta = [str(divergence_of_bits(800, Fraction(11, 10)) * Fraction(103, 100))]
    claim = {"randomizer": table(BITS), "n": 800}
    places = [[0, 0], [0, 1], [1, 0], [0], [0, 0, 0]]
    shared = {"claim": claim, "exp_eps": "11/10", "deltas": delta}
    asked = [{**shared, "witness": swapped([good, poor], pairs)} for pairs in places]
    found = computed(HOLDS, asked, "user_pairs", "swap")
    assert found == [["VERIFIED"], ["REJECTED"], ["REJECTED"], ["REJECTED"], ["REJECTED"]]


def test_what_others_never_send_is_charged() -> None:
    """Half of the first row, where all others hold the third input."""
    half = Fraction(1, 2)
    rows = [[half, half, Fraction(0)], [Fraction(0), half, half], [Fraction(0), half, half]]
    witness = swapped([plan("1/12", 799, 40)], [0] * 4)
    claim = {"randomizer": table(rows), "n": 800}
    asked = {"claim": claim, "witness": witness, "exp_eps": "3", "deltas": ["499/1000", "501/1000"]}
    assert computed(HOLDS, [asked], "user_pairs", "swap") == [["REJECTED", "VERIFIED"]]


def test_those_who_are_listed_as_away_have_no_value() -> None:
    """A mean over how many of the others take part, where all of them hold one bit, is below the bound."""
    n, exp_eps = 61, Fraction(11, 10)
    parts = [comb(n - 1, m) * Q**m * (1 - Q) ** (n - 1 - m) * divergence_of_bits(m + 1, exp_eps) for m in range(n)]
    truth = Fraction(round(10**20 * Q * sum(parts)), 10**20)
    claim = {"randomizer": participation("listed", table(BITS)), "n": n}
    deltas = [str(truth * Fraction(factor, 1000)) for factor in (999, 1500)]
    asked = {"claim": claim, "witness": swapped([plan("1/4", n - 1, 10)], [0, 0]), "exp_eps": "11/10", "deltas": deltas}
    assert computed(HOLDS, [asked], "user_pairs", "swap") == [["REJECTED", "VERIFIED"]]
