"""The bounds of the second checker, at any number of users, against lists of all data sets and all messages."""

from __future__ import annotations

import random
import shutil
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from exactdp.randomizers import (
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    SubsetSelection,
    UnaryEncoding,
)
from tests.certificates.in_node import computed
from tests.oracles.brute_force import Oracle
from tests.thinned import thinned

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="there is no node")

E = Fraction(7, 2)
FAMILIES: list[tuple[dict[str, str], Any]] = [
    *[({"family": "k-ary", "inputs": str(k), "exp_eps0": "7/2"}, KAryResponse(k, exp_eps0=E)) for k in (2, 3, 4)],
    *[
        (
            {"family": "unary-encoding", "inputs": str(d), "one": "3/5", "other": "2/5"},
            UnaryEncoding(d, exp_eps0="9/4"),
        )
        for d in (2, 3, 4)
    ],
    (
        {"family": "unary-encoding", "inputs": "3", "one": "1/2", "other": "2/9"},
        UnaryEncoding(3, exp_eps0=E, optimized=True),
    ),
    *[
        (
            {"family": "subset-selection", "inputs": str(d), "size": str(w), "exp_eps0": "7/2"},
            SubsetSelection(d, exp_eps0=E, size=w),
        )
        for d, w in [(2, 1), (3, 1), (3, 2), (5, 2), (5, 3)]
    ],
    *[
        ({"family": "hadamard", "inputs": str(d), "exp_eps0": "7/2"}, HadamardResponse(d, exp_eps0=E))
        for d in range(2, 7)
    ],
    *[
        (
            {"family": "local-hashing", "inputs": str(d), "buckets": str(g), "exp_eps0": "7/2"},
            LocalHashing(d, exp_eps0=E, buckets=g),
        )
        for d, g in [(2, 2), (2, 3), (3, 2), (4, 2), (3, 3)]
    ],
    *[
        (
            {"family": "clipped-discrete-laplace", "top": str(top), "ratio": "1/2"},
            ClippedDiscreteLaplace(top, exp_eps0=2**top),
        )
        for top in (1, 2, 4)
    ],
]

CLASSES = """({ randomizer, others }) => {
    const family = user_pairs.readUser(new Map(Object.entries(randomizer)), 3);
    let lists;
    try {
        lists = others === "blanket" ? [...families.classesOfPairs(family)]
            : [families.classesOfFamily(family, families.readOthers(family, others))];
    } catch (error) { return error.word; }
    return lists.map(({ denominator, classes }) => classes.flatMap(({ P, Q, R, count }) =>
        Array(Number(count)).fill([P, Q, R, denominator])));
}"""

UPPER = """({ table, n, exp_eps, witness }) => {
    r.startDocument();
    const parsed = (value) => r.parse(Buffer.from(JSON.stringify(value)));
    const randomizer = user_pairs.readUser(parsed(table), 3);
    const listed = [];
    try {
        const read = blanket.readBlanket(parsed(witness));
        for (const bound of blanket.boundsOfPairs(randomizer, n, r.rational(exp_eps), read)) listed.push(bound);
    } catch (error) { if (!error.message.endsWith("belongs to no pair of inputs")) throw error; }
    return listed.map(({ n, d }) => [n, d]);
}"""

LOWER = """({ table, n, exp_eps, form, witness }) => {
    r.startDocument();
    const parsed = (value) => r.parse(Buffer.from(JSON.stringify(value)));
    const claim = { n, randomizer: user_pairs.readUser(parsed(table), 3) };
    const read = { likelihood: likelihood.readLikelihood, event: likelihood.readEvent }[form];
    const test = read(claim, parsed(witness), []).test();
    const places = Array.from({ length: test.P.length + 1 }, (_, i) => test.low + BigInt(i));
    return places.map((c) => likelihood.boundOfTest(test, c, r.rational(exp_eps))).map(({ n, d }) => [n, d]);
}"""


def number(text: str) -> int:
    return int(text.replace("0x-", "-0x"), 16)


def merged(classes: Any) -> frozenset[Any]:
    """The classes of equal ratios together."""
    sums: dict[Any, list[Fraction]] = {}
    for p, q, c in classes:
        if p or q or c:
            key = (p / c, q / c) if c else ("never", p, q)
            sums[key] = [a + b for a, b in zip(sums.get(key, [Fraction(0)] * 3), (p, q, c), strict=True)]
    return frozenset(map(tuple, sums.values()))


def columns(family: Any) -> list[list[Fraction]]:
    laws = list(family.table().table().values())
    messages = sorted({sent for law in laws for sent in law}, key=repr)
    return [[law.get(sent, Fraction(0)) for sent in messages] for law in laws]


@pytest.mark.parametrize("others", thinned(["blanket", "first", "second", "third", "xor"], every=2))
def test_a_family_has_the_classes_of_its_table(others: str) -> None:
    listed = FAMILIES if others == "blanket" else FAMILIES[:-3]
    asked = [{"randomizer": randomizer, "others": others} for randomizer, _ in listed]
    for (randomizer, family), lists in zip(listed, computed(CLASSES, asked, "families", "user_pairs"), strict=True):
        rows = columns(family)
        least = [min(column) for column in zip(*rows, strict=True)]
        expected = set()
        for x, y in permutations(range(len(rows)), 2):
            are_xored = randomizer["family"] == "hadamard" and (x + 1) ^ (y + 1) <= len(rows)
            xor = ((x + 1) ^ (y + 1)) - 1 if are_xored else None
            thirds = [rows[v] for v in range(len(rows)) if v not in (x, y, xor)]
            laws = {"blanket": [least], "first": [rows[x]], "second": [rows[y]], "third": thirds}
            laws["xor"] = [] if xor is None else [rows[xor]]
            expected |= {merged(zip(rows[x], rows[y], law, strict=True)) for law in laws[others]}
        if lists == "MALFORMED":
            assert not expected, randomizer
            continue
        found = [[[Fraction(number(a), number(d)) for a in abc] for *abc, d in classes] for classes in lists]
        assert {merged(classes) for classes in found} == expected, randomizer


def tables(rng: random.Random, count: int) -> list[Any]:
    """Random tables of one message a user: [{message: probability}, ...], some probabilities being 0."""
    made = []
    while len(made) < count:
        weights = [
            [rng.choice([0, 1, 2, 3, 5, 8]) for _ in range(rng.choice([2, 3]))] for _ in range(rng.choice([2, 3]))
        ]
        if len({len(row) for row in weights}) == 1 and all(map(any, weights)):
            made.append([{m: Fraction(w, sum(row)) for m, w in enumerate(row) if w} for row in weights])
    return made


ALONE: list[list[int]] = [[0], [1], [2]]
TUPLES: list[list[int]] = [[0, 1], [], [1, 1, 0]]


def claimed(rng: random.Random, table: Any, sends: list[list[int]] = ALONE) -> dict[str, Any]:
    rows = [[{"send": [str(m) for m in sends[y]], "prob": str(p)} for y, p in row.items()] for row in table]
    exp_eps = str(rng.choice([Fraction(1), Fraction(6, 5), Fraction(2)]))
    return {"table": {"messages": "3", "rows": rows}, "n": rng.choice([1, 2, 3, 4]), "exp_eps": exp_eps}


def oracle(table: Any, asked: dict[str, Any], sends: list[list[int]] = ALONE) -> Oracle:
    return Oracle({x: {tuple(sends[y]): p for y, p in row.items()} for x, row in enumerate(table)}, asked["n"])


def worst(table: Any, asked: dict[str, Any], sends: list[list[int]] = ALONE) -> Fraction:
    return oracle(table, asked, sends).delta(Fraction(asked["exp_eps"]))


def bounds(program: str, asked: list[dict[str, Any]]) -> list[Fraction]:
    """The largest bound of each."""
    answers = computed(program, asked, "blanket", "likelihood", "user_pairs")
    return [max((Fraction(number(n), number(d)) for n, d in pairs), default=Fraction(0)) for pairs in answers]


@pytest.mark.parametrize(
    ("length", "looseness", "sends"),
    thinned(
        [("4096", Fraction(1001, 1000), ALONE), ("16", Fraction(3, 2), ALONE), ("4096", Fraction(1001, 1000), TUPLES)],
        every=2,
    ),
)
def test_a_blanket_bounds_every_data_set(length: str, looseness: Fraction, sends: list[list[int]]) -> None:
    """And hardly more than the blanket's own value, where the lattice is fine; the outcomes of this are listed here."""
    rng = random.Random(11)
    listed = tables(rng, 20)
    asked = [claimed(rng, table, sends) for table in listed]
    witness = {"bits": "96", "length": length, "bounds": [["1/64", str(2**57)]] * 12}
    uppers = bounds(UPPER, [{**a, "witness": witness} for a in asked])
    for table, a, upper in zip(listed, asked, uppers, strict=True):
        assert worst(table, a, sends) <= upper
        assert upper <= looseness * blanket_value(table, a) + Fraction(1, 2**60)


def blanket_value(table: Any, asked: dict[str, Any]) -> Fraction:
    """The divergence of a sum of n independent values, all of whose outcomes are listed."""
    exp_eps, n, best = Fraction(asked["exp_eps"]), asked["n"], Fraction(0)
    messages = sorted({m for row in table for m in row})
    least = {m: min(row.get(m, Fraction(0)) for row in table) for m in messages}
    for p, q in permutations(table, 2):
        gains = {m: p.get(m, Fraction(0)) - exp_eps * q.get(m, Fraction(0)) for m in messages}
        values = [(gains[m] / c, c) for m, c in least.items() if c] + [(Fraction(0), 1 - sum(least.values()))]
        law = {Fraction(0): Fraction(1)}
        for _ in range(n):
            grown: dict[Fraction, Fraction] = {}
            for total, mass in law.items():
                for value, c in values:
                    grown[total + value] = grown.get(total + value, Fraction(0)) + mass * c
            law = grown
        charge = sum((max(Fraction(0), gains[m]) for m, c in least.items() if not c), Fraction(0))
        best = max(best, charge + sum((total * mass for total, mass in law.items() if total > 0), Fraction(0)) / n)
    return best


def test_a_mean_above_zero_is_charged() -> None:
    """Each outcome but the first is lacking in some row; there the first pair has the mean 3/10, none has more."""
    tenth = Fraction(1, 10)
    rows = [[5 * tenth, *[tenth / 2] * 10], [tenth, *[9 * tenth / 10] * 10]]
    rows += [[3 * tenth, *[7 * tenth / 9 * (m != lacking) for m in range(10)]] for lacking in range(10)]
    table = [{m: p for m, p in enumerate(row) if p} for row in rows]
    asked = {**claimed(random.Random(1), table, [[m] for m in range(11)]), "n": 1, "exp_eps": "2"}
    asked["table"]["messages"] = "11"
    witness = {"bits": "96", "length": "64", "bounds": [["1/4", str(2**57)]] * 12}
    assert bounds(UPPER, [{**asked, "witness": witness}]) == [blanket_value(table, asked)] == [3 * tenth]


def test_pairs_of_the_same_values_have_one_bound() -> None:
    """Binary response with one message split in two: other classes in the two orders, the same values and masses."""
    table = [dict(enumerate(map(Fraction, row))) for row in (["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"])]
    asked = {**claimed(random.Random(1), table), "n": 3, "exp_eps": "3/2"}
    witness = {"bits": "96", "length": "64", "bounds": [["1/2", str(2**57)]]}
    [upper] = bounds(UPPER, [{**asked, "witness": witness}])
    assert worst(table, asked) <= upper <= blanket_value(table, asked) + Fraction(1, 2**60)


def test_a_likelihood_test_shows_no_more_than_the_worst_data_set_does() -> None:
    """And, where all others hold one input and the lattice is fine, almost all that this pair shows."""
    rng = random.Random(12)
    listed = tables(rng, 24)
    asked = []
    for i, table in enumerate(listed):
        inputs = range(len(table))
        first, second = rng.choice(list(permutations(inputs, 2)))
        held = [rng.choice(inputs)] if i % 2 else list(inputs)
        a = claimed(rng, table)
        witness = {
            "first": str(first),
            "second": str(second),
            "others": [str(Fraction(held.count(v), len(held))) for v in inputs],
            "bits": "96",
            "length": "2048" if i % 2 else "16",
            "at": a["exp_eps"],
            "step": "1/128",
            "cut": "16",
        }
        asked.append({**a, "form": "likelihood", "witness": witness, "held": held * (a["n"] - 1)})
    for i, (table, a, lower) in enumerate(zip(listed, asked, bounds(LOWER, asked), strict=True)):
        assert lower <= worst(table, a)
        if i % 2:
            pair = tuple((*a["held"], int(a["witness"][x])) for x in ("first", "second"))
            own = oracle(table, a).delta(Fraction(a["exp_eps"]), [pair])
            assert Fraction(99, 100) * own - Fraction(1, 2**70) <= lower <= own


def test_an_event_has_its_probabilities() -> None:
    rng = random.Random(13)
    listed = tables(rng, 40)
    asked = []
    for table in listed:
        a = claimed(rng, table)
        inputs = range(len(table))
        others = [rng.choice(inputs) for _ in range(a["n"] - 1)]
        first, second = rng.choice(list(permutations(inputs, 2)))
        witness = {
            "first": str(first),
            "second": str(second),
            "others": [str(others.count(v)) for v in inputs],
            "scores": [str(rng.randrange(-4, 5)) for _ in range(3)],
            "bits": "96",
        }
        asked.append({**a, "form": "event", "witness": witness, "held": others})
    for table, a, lower in zip(listed, asked, bounds(LOWER, asked), strict=True):
        scores = [int(score) for score in a["witness"]["scores"]]
        p, q = (score_law(table, [*a["held"], int(a["witness"][x])], scores) for x in ("first", "second"))
        gain = {s: p.get(s, Fraction(0)) - Fraction(a["exp_eps"]) * q.get(s, Fraction(0)) for s in {*p, *q}}
        best = max(sum((g for s, g in gain.items() if s >= c), Fraction(0)) for c in [*gain, max(gain) + 1])
        assert best - Fraction(1, 2**70) <= lower <= best


def score_law(table: Any, users: list[int], scores: list[int]) -> dict[int, Fraction]:
    law = {0: Fraction(1)}
    for user in users:
        grown: dict[int, Fraction] = {}
        for total, mass in law.items():
            for m, p in table[user].items():
                grown[total + scores[m]] = grown.get(total + scores[m], Fraction(0)) + mass * p
        law = grown
    return law


OUTCOMES = """({ table, n, witness }) => {
    r.startDocument();
    const parsed = (value) => r.parse(Buffer.from(JSON.stringify(value)));
    const claim = { n, randomizer: user_pairs.readUser(parsed(table), 3) };
    const test = likelihood.readLikelihood(claim, parsed(witness), []).test();
    const sum = (masses) => masses.reduce((a, b) => a + b, 0n);
    const { pairs } = likelihood.outcomesOfTest(test, 128);
    return [sum(pairs.map(([p]) => p)), sum(pairs.map(([, q]) => q))];
}"""


def test_an_outcome_of_a_composition_has_what_was_rounded_off() -> None:
    """In units of 2^-128: P has lost what was rounded, and every place of Q has been given it."""
    family = {"family": "k-ary", "inputs": "3", "exp_eps0": "3"}
    witness = {"others": "third", "bits": "64", "length": "64", "at": "1", "step": "1/4", "cut": "20"}
    [sums] = computed(OUTCOMES, [{"table": family, "n": 1000, "witness": witness}], "likelihood", "user_pairs")
    p, q = map(number, sums)
    assert 2**128 - 2**90 < p < 2**128 < q < 2**128 + 2**90


def test_the_bounds_at_many_users() -> None:
    """16-ary response, e^eps0 = 55: the two ends meet to a tenth, at a billion users in a moment."""
    claim = {"table": {"family": "k-ary", "inputs": "16", "exp_eps0": "55"}, "n": 10**9, "exp_eps": "1001/1000"}
    upper = {"bits": "96", "length": "256", "bounds": [["1/2", "126692658784524"]]}
    lower = {"others": "third", "bits": "96", "length": "256", "at": "1001/1000", "step": "1/2", "cut": "64"}
    [high] = bounds(UPPER, [{**claim, "witness": upper}])
    [low] = bounds(LOWER, [{**claim, "form": "likelihood", "witness": lower}])
    assert 1.85e-8 < low < 1.9572340e-8 < 1.9573446e-8 < high < 2.3e-8
