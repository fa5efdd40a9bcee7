"""The oracle's share of what users run that is made of others, by the definitions: products, users who may be away, any
randomizer, and classes of users.

What is a table again is listed, and judged as one. Of who takes part the list is drawn first, and a divergence is the
mean over all lists of those of the messages. Of any randomizer five are tried, three inputs each: a claim may be found
false, and never true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Any

from tests.unit.checker.oracle_laws import TooLongError
from tests.unit.checker.oracle_views import Law, all_hold, divergence, exp_bounds, number, view, whole

ONE = Fraction(1)
COMPOSITES = {"any", "product", "participation"}
MOST_ROWS, MOST_OUTCOMES = 70, 300
MOST_STEPS = 2 * 10**5  # entries of views, over all data sets of a claim
USERS_AHEAD = 2
Table = list[Law]


def is_listed(claimed: Any) -> bool:
    return bool(claimed.get("absence") == "listed")


def rows_of_composite(claimed: Any, table: Callable[[Any], Table]) -> Table:
    """Of a product, or of users who are counted or hidden."""
    if claimed["family"] == "any" or is_listed(claimed):
        raise TooLongError
    if claimed["family"] == "product":
        return rows_of_product([table(factor) for factor in claimed["of"]])
    q, of = number(claimed["probability"]), claimed["of"]
    away: Law = {(): ONE} if claimed["absence"] == "counted" else dummy(claimed["dummy"], of, table)
    return [mixed(row, q, away) for row in table(of)]


def rows_of_product(factors: list[Table]) -> Table:
    """For every list of inputs: all that is sent together is one message, a tuple of multisets."""
    outcomes = prod(len({tuple(sorted(sent)) for row in factor for sent in row}) for factor in factors)
    if prod(map(len, factors)) > MOST_ROWS or outcomes > MOST_OUTCOMES:
        raise TooLongError
    found: Table = []
    for rows in product(*factors):
        law: Law = {}
        for sent in product(*rows):
            together = (tuple(tuple(sorted(of)) for of in sent),)
            law[together] = law.get(together, Fraction(0)) + prod(
                (row[of] for row, of in zip(rows, sent, strict=True)), start=ONE
            )
        found.append(law)
    return found


def dummy(said: Any, of: Any, table: Callable[[Any], Table]) -> Law:
    """What is sent in the place of a user who is away."""
    if of.get("family") == "product":
        factors = [[dummy(one, factor, table)] for one, factor in zip(said, of["of"], strict=True)]
        return rows_of_product(factors)[0]
    if isinstance(said, dict):
        return table(of)[whole(said["input"])]
    if said != "uniform":
        return {(str(m),): number(p) for m, p in enumerate(said)}
    if "rows" in of:
        messages: list[Any] = [(str(m),) for m in range(whole(of["messages"]))]
    else:
        messages = list(dict.fromkeys(sent for row in table(of) for sent in row))
    return dict.fromkeys(messages, Fraction(1, len(messages)))


def mixed(row: Law, q: Fraction, other: Law) -> Law:
    law = {sent: q * p for sent, p in row.items()}
    for sent, p in other.items():
        if p:
            law[sent] = law.get(sent, Fraction(0)) + (1 - q) * p
    return law


def rows_of_any(exp_eps0: Fraction) -> list[Table]:
    """Five randomizers of three inputs, of which any two rows lie within the factor."""
    high, rest = exp_eps0, ONE
    weights = [
        [(high, rest, rest), (rest, high, high)],
        [(high, rest, high), (rest, high, rest)],
        [(rest, rest, high), (high, high, rest)],
        [(high, rest, rest), (rest, high, rest), (rest, rest, high)],
        [(rest, high, high), (high, rest, high), (high, high, rest)],
    ]
    return [
        [{(m,): column[x] / sum(other[x] for other in columns) for m, column in enumerate(columns)} for x in range(3)]
        for columns in weights
    ]


# --- Who takes part is listed ----------------------------------------------------------------------------------------


def listed_dp(claim: Any, table: Callable[[Any], Table]) -> bool | None:
    """Whether the claim holds of users who may be away, where all see who is."""
    claimed = claim["randomizer"]
    found, q = table(claimed["of"]), number(claimed["probability"])
    n, ahead = whole(claim["n"]), 1 if claim["scope"] == "this n" else USERS_AHEAD + 1
    answers = [holds(partial(worst_listed, found, q, users), claim) for users in range(n, n + ahead)]
    return answers[0] if ahead == 1 else all_hold([*answers, None])


def worst_listed(table: Table, q: Fraction, n: int, exp_eps: Fraction) -> Fraction:
    """Of all data sets: the user who differs takes part, and of the others who hold an input any number."""
    inputs = range(len(table))
    check_steps([(table, n)])
    known: dict[tuple[tuple[int, ...], int, int], Fraction] = {}
    views: dict[tuple[int, ...], Law] = {}

    def law(users: tuple[int, ...]) -> Law:
        key = tuple(sorted(users))
        if key not in views:
            views[key] = view(table, key)
        return views[key]

    def of_these(held: tuple[int, ...], x: int, y: int) -> Fraction:
        if (held, x, y) not in known:
            known[held, x, y] = divergence(law((*held, x)), law((*held, y)), exp_eps)
        return known[held, x, y]

    worst = Fraction(0)
    for others in combinations_with_replacement(inputs, n - 1):
        counts = [others.count(x) for x in inputs]
        for x, y in product(inputs, repeat=2):
            mean = Fraction(0)
            for there in product(*(range(count + 1) for count in counts)):
                chance = prod(
                    (comb(c, k) * q**k * (1 - q) ** (c - k) for c, k in zip(counts, there, strict=True)), start=ONE
                )
                held = tuple(v for v, k in zip(inputs, there, strict=True) for _ in range(k))
                mean += chance * of_these(held, x, y)
            worst = max(worst, q * mean)
    return worst


# --- Classes of users ------------------------------------------------------------------------------------------------


def classes_dp(claim: Any, table: Callable[[Any], Table]) -> bool | None:
    """Over all data sets of all classes; messages of a family are told apart from those of all others. Where that takes
    long, families of one kind may be false even if their messages are not told apart."""
    found: list[tuple[Table, int]] = []
    plain = [(table(entry["randomizer"]), whole(entry["n"])) for entry in claim["classes"]]
    for place, entry in enumerate(claim["classes"]):
        listed = table(entry["randomizer"])
        if "rows" not in entry["randomizer"] and entry["randomizer"]["family"] != "participation":
            listed = [{tuple(f"{place}: {m}" for m in sent): p for sent, p in row.items()} for row in listed]
        found.append((listed, whole(entry["n"])))
    places = range(len(found)) if claim["user_class"] == "any" else [whole(claim["user_class"])]

    def held(of: list[tuple[Table, int]]) -> bool | None:
        return holds(lambda exp_eps: max(worst_of_classes(of, own, exp_eps) for own in places), claim)

    stated = [entry["randomizer"] for entry in claim["classes"]]
    kinds = [
        {**(one["of"] if one["family"] == "participation" else {}), **one} if "family" in one else one for one in stated
    ]
    if all("rows" not in kind for kind in kinds) and len({kind.get("inputs") for kind in kinds}) == 1:
        return None if held(plain) else False
    return held(found)


def worst_of_classes(found: list[tuple[Table, int]], own: int, exp_eps: Fraction) -> Fraction:
    """The user who differs being one of this class."""
    check_steps(found)
    users = [n - (place == own) for place, (_, n) in enumerate(found)]
    choices = [combinations_with_replacement(range(len(table)), n) for (table, _), n in zip(found, users, strict=True)]
    rows, worst = [row for table, _ in found for row in table], Fraction(0)
    first = [sum(len(table) for table, _ in found[:place]) for place in range(len(found))]
    for held in product(*choices):
        others = tuple(start + x for start, inputs in zip(first, held, strict=True) for x in inputs)
        ends = [view(rows, (*others, first[own] + x)) for x in range(len(found[own][0]))]
        worst = max([worst, *(divergence(p, q, exp_eps) for p in ends for q in ends)])
    return worst


def check_steps(found: list[tuple[Table, int]]) -> None:
    users = sum(n for _, n in found)
    if users > 100:
        raise TooLongError
    messages = {m for table, _ in found for row in table for sent in row for m in sent}
    longest = max(len(sent) for table, _ in found for row in table for sent in row)
    data_sets = prod(comb(n + len(table) - 1, n) for table, n in found)
    if data_sets * users * comb(users * longest + len(messages), len(messages)) > MOST_STEPS:
        raise TooLongError


def holds(worst: Callable[[Fraction], Fraction], claim: Any) -> bool | None:
    """Whether the largest divergence is at most the claimed delta."""
    delta = number(claim["delta"])
    if "eps" not in claim:
        return worst(number(claim["exp_eps"])) <= delta
    low, high = exp_bounds(number(claim["eps"]))
    return True if worst(low) <= delta else False if worst(high) > delta else None


def tables_of_any(claim: Any) -> Iterator[Any]:
    """The claims about each of the five."""
    for table in rows_of_any(number(claim["randomizer"]["exp_eps0"])):
        rows = [[{"send": [str(m)], "prob": str(p)} for (m,), p in row.items()] for row in table]
        yield {**claim, "randomizer": {"messages": "3", "rows": rows}}
