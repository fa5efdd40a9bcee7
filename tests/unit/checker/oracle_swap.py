"""The swap bound in floating point, straight from its formula and from the definition of who the users are.

A setting has every ordered pair of inputs and every input of the others, also those that the checker leaves out as
exchanges of these.
"""

from __future__ import annotations

import cmath
import math
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

from tests.unit.checker.oracle_ends import table
from tests.unit.checker.oracle_users import is_listed, rows_of_any, worst_listed, worst_of_classes
from tests.unit.checker.oracle_views import Law, number, pairs, whole, worst

Triples = list[tuple[Fraction, Fraction, Fraction]]
NONE = Fraction(0)


class Pair(NamedTuple):
    """One ordered pair of inputs against the blanket, and against each input of the others, with their shares."""

    blanket: Triples
    vertices: list[list[tuple[float, Triples]]]
    others: int
    is_any: bool = False


class Setting(NamedTuple):
    """A claim without its delta, the classes that are counted on, and the exact delta."""

    claim: Any
    used: str
    delta: Fraction

    @classmethod
    def of(cls, claim: Any, used: str = "") -> Setting:
        ratio = number(claim["exp_eps"])
        if "classes" in claim:
            found = [(table(entry["randomizer"]), whole(entry["n"])) for entry in claim["classes"]]
            return cls(claim, used, worst_of_classes(found, whole(claim["user_class"]), ratio))
        n, claimed = whole(claim["n"]), claim["randomizer"]
        if is_listed(claimed):
            return cls(claim, used, worst_listed(table(claimed["of"]), number(claimed["probability"]), n, ratio))
        if claimed.get("family") == "any":
            tables = rows_of_any(number(claimed["exp_eps0"]))
            return cls(claim, used, max(worst(pairs(rows, n, "replace-one"), ratio) for rows in tables))
        return cls(claim, used, worst(pairs(table(claimed), n, "replace-one"), ratio))

    def pairs(self) -> list[Pair]:
        if "classes" in self.claim:
            return self.pairs_of_classes()
        n, claimed = whole(self.claim["n"]), self.claim["randomizer"]
        if claimed.get("family") == "any":
            return [pair_of_any(number(claimed["exp_eps0"]), n)]
        if not is_listed(claimed):
            rows = list(map(counted, table(claimed)))
            return pairs_among(rows, [(rows, n - 1)], NONE)
        q = number(claimed["probability"])
        rows = [{sent: q * p for sent, p in counted(row).items()} for row in table(claimed["of"])]
        return pairs_among(rows, [(rows, n - 1)], 1 - q)

    def pairs_of_classes(self) -> list[Pair]:
        own, places = whole(self.claim["user_class"]), [int(place) for place in self.used.split()]
        found = [list(map(counted, table(entry["randomizer"]))) for entry in self.claim["classes"]]
        users = [whole(entry["n"]) - (place == own) for place, entry in enumerate(self.claim["classes"])]
        return pairs_among(found[own], [(found[place], users[place]) for place in places], NONE)


def counted(row: Law) -> Law:
    """By multisets of messages."""
    law: Law = {}
    for sent, p in row.items():
        law[tuple(sorted(sent))] = law.get(tuple(sorted(sent)), NONE) + p
    return law


def pairs_among(own: list[Law], others: list[tuple[list[Law], int]], rest: Fraction) -> list[Pair]:
    """The others being away with the probability ``rest``, which is listed."""
    every = [row for rows, _ in others for row in rows]
    outcomes = list(dict.fromkeys(sent for row in [*own, *every] for sent in row))
    there = [(rows, n) for rows, n in others if n]
    users = sum(n for _, n in there)
    found = []
    for p, q in product(own, repeat=2):
        if p == q:
            continue

        def beside(r: Law, p: Law = p, q: Law = q) -> Triples:
            listed = [(p.get(o, NONE), q.get(o, NONE), r.get(o, NONE)) for o in outcomes]
            return [*listed, (NONE, NONE, rest)] if rest else listed

        blanket = [(p.get(o, NONE), q.get(o, NONE), min(row.get(o, NONE) for row in every)) for o in outcomes]
        vertices = [
            [(n / users, beside(row)) for (_, n), row in zip(there, rows, strict=True)]
            for rows in product(*(rows for rows, _ in there))
        ]
        found.append(Pair(blanket, vertices, users))
    return found


def pair_of_any(high: Fraction, n: int) -> Pair:
    mass, whole = 1 / (2 * high), high + 1
    blanket = [(high / whole, 1 / whole, mass), (1 / whole, high / whole, mass)]
    vertices = [[(1.0, [(p[m], q[m], r[m]) for m in p])] for p, q, r in rows_of_any(high)]
    return Pair(blanket, vertices, n - 1, is_any=True)


# --- The bound -------------------------------------------------------------------------------------------------------


class Numbers(NamedTuple):
    """A plan, as numbers."""

    tilt: Fraction
    smoothing: Fraction
    step: Fraction
    nodes: int
    stages: list[int]
    owns: bool = False

    @property
    def written(self) -> Any:
        fields = {key: str(getattr(self, key)) for key in ("tilt", "smoothing", "step", "nodes")}
        return {**fields, "own_stages" if self.owns else "stages": list(map(str, self.stages))}


def bound(pairs: list[Pair], ratio: Fraction, plan: Numbers) -> float:
    """The largest over all pairs and vertices; infinite where a number is beyond floating point."""
    try:
        return max(bound_of_pair(pair, ratio, plan) for pair in pairs)
    except (OverflowError, ZeroDivisionError):
        return math.inf


def bound_of_pair(pair: Pair, ratio: Fraction, plan: Numbers) -> float:
    kept = 1 - float(sum(c for _, _, c in pair.blanket))
    alone = float(sum(max(NONE, p - ratio * q) for p, q, _ in pair.blanket))
    ends = [1.0, *(kept**t for t in plan.stages)]
    if plan.owns:
        chances = [s * kept / (s + 1 - kept) for s in range(pair.others, 0, -1)]
        ends = [math.prod(chances[:t]) for t in (0, *plan.stages)]
    weights, vertices = [a - b for a, b in pairwise(ends)], pair.vertices
    slots = [pair.others + 1 + plan.owns - t for t in plan.stages]
    if not plan.stages:  # he hides among all who send by the blanket
        alone, weights, slots = 0.0, [1.0], [(pair.others + 1) // 2 * 2]
        rest_of_all = 1 - sum((c for _, _, c in pair.blanket), NONE)
        vertices = [[(1.0, [*pair.blanket, (NONE, NONE, rest_of_all)])]]
    tilt, step, s = float(plan.tilt), float(plan.step), float(plan.smoothing)
    falls = [math.exp(-((s * step * k) ** 2) / 2) for k in range(plan.nodes + 1)]
    nodes = [step * fall / (1 + (step * k) ** 2) * (2 if k else 1) for k, fall in enumerate(falls)]
    rest = 2 * falls[-1] / (step * plan.nodes)
    front = math.exp(s * s / 2) / (2 * math.pi * tilt)

    def ends_of(vertex: list[tuple[float, Triples]]) -> list[float]:
        """X of each stage."""
        forms = [(share, Form.of(triples, ratio, reflects=not plan.stages)) for share, triples in vertex]
        squares = [
            sum(share * form.size(tilt, step * k * tilt) ** 2 for share, form in forms) for k in range(plan.nodes + 1)
        ]
        found, charge = [], sum(share * form.charge for share, form in forms)
        for r in slots:
            reached = rest + sum(m * (of / squares[0]) ** (r / 2) for m, of in zip(nodes, squares, strict=True))
            found.append(front * squares[0] ** (r / 2) * reached / r + charge)
        return found

    every = list(map(ends_of, vertices))
    if plan.owns:
        scaled = [(p, q, c / Fraction(sum(c for _, _, c in pair.blanket))) for p, q, c in pair.blanket]
        most = list(map(max, zip(*every, strict=True))) if pair.is_any else ends_of([(1.0, scaled)])
        every = [[x + max(0.0, y - x) / r for x, y, r in zip(one, most, slots, strict=True)] for one in every]
    return alone * ends[-1] + max(sum(w * x for w, x in zip(weights, one, strict=True)) for one in every)


class Form(NamedTuple):
    """Of one row, the values with their masses, and what is charged."""

    values: list[tuple[float, float]]
    charge: float

    @classmethod
    def of(cls, triples: Triples, ratio: Fraction, reflects: bool = False) -> Form:
        """The mean of max(0, x) is that of x and of max(0, -x)."""
        mean = sum(((p - ratio * q) for p, q, r in triples if r), NONE)
        sign, more = (-1, mean) if reflects and mean > 0 else (1, NONE)
        values = [(float(sign * (p - ratio * q) / r), float(r)) for p, q, r in triples if r]
        return cls(values, float(more + sum(max(NONE, p - ratio * q) for p, q, r in triples if not r)))

    def size(self, tilt: float, y: float) -> float:
        return abs(sum(mass * math.exp(tilt * value) * cmath.exp(1j * y * value) for value, mass in self.values))
