"""The mutations of claims for whole boxes of parameters: of their functions, boxes, trees, channels and points.

Most of them leave probabilities that add up to 1, so that only the arithmetic can refuse what they make.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from tests.certificates.claims import PROVED
from tests.certificates.places import at, places, put, spell, value_of

Terms = dict[tuple[int, ...], Fraction]
BOXES = ("for_all", "monotone")


def is_box(seed: Any) -> bool:
    return isinstance(seed["claim"], dict) and seed["claim"].get("kind") in BOXES


def change_box(seed: Any, rng: random.Random) -> Any:
    """One of the changes of this file, of a claim for a box."""
    return rng.choice(CHANGES)(seed, rng)


def polynomial(written: Any) -> Terms:
    return {tuple(map(int, exponents)): Fraction(c) for c, exponents in written}


def written_as(terms: Terms) -> Any:
    return [[spell(c), [str(e) for e in exponents]] for exponents, c in terms.items() if c]


def plus(first: Terms, second: Terms) -> Terms:
    return {key: first.get(key, Fraction(0)) + second.get(key, Fraction(0)) for key in first.keys() | second.keys()}


def times(first: Terms, second: Terms) -> Terms:
    found: Terms = {}
    for key, c in first.items():
        for other, d in second.items():
            place = tuple(e + f for e, f in zip_longest(key, other, fillvalue=0))
            found[place] = found.get(place, Fraction(0)) + c * d
    return found


def variables(seed: Any, path: tuple[Any, ...]) -> int:
    return len(seed["claim"]["parameters"]) + ("channel" in path)


def quotient(written: Any, names: int) -> tuple[Terms, Terms]:
    """A function as its top and its bottom."""
    one = {(0,) * names: Fraction(1)}
    if isinstance(written, str):
        return {(0,) * names: Fraction(written)}, one
    if isinstance(written, list):
        return polynomial(written), one
    return polynomial(written["top"]), polynomial(written["bottom"])


def small(names: int, rng: random.Random) -> Terms:
    """A monomial, large or small."""
    exponents = tuple(rng.choice([0, 0, 0, 1, 2]) for _ in range(names))
    return {exponents: rng.choice([-1, 1]) * rng.choice([Fraction(1, 2**40), Fraction(1, 100), Fraction(1, 4)])}


def functions(seed: Any) -> list[tuple[Any, ...]]:
    """The places of what may be a function: of one of these keys, a weight, an entry of a channel, one of a delta."""
    keys = ("prob", "exp_eps", "delta", "probability", "p")
    return [
        p
        for p in places(seed)
        if len(p) > 2
        and (p[-1] in keys or (p[-3:-2] == ("weights",) and p[-1] == 1) or p[-3:-2] == ("channel",) or p[-2] == "max")
        and (isinstance(v := at(seed, p), list) or (isinstance(v, dict) and "top" in v) or value_of(v) is not None)
    ]


def change_function(seed: Any, rng: random.Random) -> Any:
    """A monomial more, or the same function over a bottom that cancels, or almost cancels."""
    if not (found := functions(seed)):
        return seed
    path = rng.choice(found)
    names = variables(seed, path)
    top, bottom = quotient(at(seed, path), names)
    factor = plus({(0,) * names: Fraction(1)}, small(names, rng))
    change = rng.randrange(3)
    if change == 0:
        top = plus(top, times(bottom, small(names, rng)))
    else:
        top, bottom = times(top, factor), times(bottom, factor if change == 1 else plus(factor, small(names, rng)))
    put(seed, path, {"top": written_as(top), "bottom": written_as(bottom)})
    return seed


def move_share(seed: Any, rng: random.Random) -> Any:
    """A share of one probability of a row, a law or a channel goes to another one; or the two are exchanged."""
    lists = sorted(
        {p[:-2] if p[-1] in ("prob", 1) else p[:-1] for p in functions(seed) if isinstance(p[-2], int)}, key=str
    )
    lists = [p for p in lists if isinstance(at(seed, p), list) and len(at(seed, p)) > 1]
    if not lists:
        return change_function(seed, rng)
    path = rng.choice(lists)
    ends = [p for p in functions(seed) if p[: len(path)] == path]
    if len(ends) < 2 or "max" in path:
        return change_function(seed, rng)
    first, second = rng.sample(ends, 2)
    names = variables(seed, first)
    one, other = at(seed, first), at(seed, second)
    if rng.randrange(2):
        put(seed, first, other)
        put(seed, second, one)
        return seed
    share = small(names, rng)
    for place, function, sign in ((first, one, 1), (second, other, -1)):
        top, bottom = quotient(function, names)
        moved = plus(top, times(bottom, {key: sign * c for key, c in share.items()}))
        put(seed, place, {"top": written_as(moved), "bottom": written_as(bottom)})
    return seed


def change_largest(seed: Any, rng: random.Random) -> Any:
    """A function more or less of which delta is the largest, or in another order; or `least` exchanged."""
    inner = seed["claim"].get("claim")
    if not isinstance(inner, dict) or "least" not in inner:
        return change_function(seed, rng)
    if rng.randrange(6) == 0:
        inner["least"] = "none" if inner["least"] == "delta" else "delta"
        return seed
    delta = inner["delta"]
    listed = [*delta["max"]] if isinstance(delta, dict) and "max" in delta else [delta]
    change = rng.randrange(3)
    if change == 0 and len(listed) > 1:
        listed.pop(rng.randrange(len(listed)))
    elif change == 1:
        rng.shuffle(listed)
    else:
        names = len(seed["claim"]["parameters"])
        old = quotient(rng.choice(listed), names)
        more = rng.choice(
            ["0", "1/2", {"top": written_as(plus(old[0], small(names, rng))), "bottom": written_as(old[1])}]
        )
        listed.insert(rng.randrange(len(listed) + 1), more)
    inner["delta"] = {"max": listed} if len(listed) > 1 else listed[0]
    reached = seed["witness"].get("reached")
    if isinstance(reached, list) and reached and rng.randrange(3):
        seed["witness"]["reached"] = (reached * len(listed))[: len(listed)]
    return seed


def change_reached(seed: Any, rng: random.Random) -> Any:
    """An event with an outcome more or less, of another function, or of another pair."""
    reached = seed["witness"].get("reached")
    if not isinstance(reached, list) or not reached:
        return change_largest(seed, rng)
    place = rng.randrange(len(reached))
    entry = reached[place]
    event = entry["event"]
    change = rng.randrange(5)
    if change == 0 and event:
        event.pop(rng.randrange(len(event)))
    elif change == 1 and event:
        moved = copy.deepcopy(rng.choice(event))
        if isinstance(moved, list) and len(moved) > 1:
            first, second = rng.sample(range(len(moved)), 2)
            moved[first], moved[second] = (spell(Fraction(moved[k]) + step) for k, step in ((first, 1), (second, -1)))
        elif isinstance(moved, str):
            moved = spell(Fraction(moved) + rng.choice([-2, -1, 1, 2]))
        event.append(moved)
    elif change == 2:
        rng.shuffle(event)
    elif change == 3:
        other = rng.randrange(len(reached))
        reached[place], reached[other] = reached[other], entry
    elif "order" in entry:
        entry["order"] = "backward" if entry["order"] == "forward" else "forward"
    else:
        entry["first"], entry["second"] = entry["second"], entry["first"]
    return seed


def change_side(seed: Any, rng: random.Random) -> Any:
    """An end of the box moved or opened or closed."""
    side = rng.choice(seed["claim"]["box"])
    end = rng.choice(["low", "high"])
    if rng.randrange(2):
        side[end + "_end"] = rng.choice(["closed", "open"])
    else:
        step = rng.choice([-1, 1]) * rng.choice([Fraction(1, 2**40), Fraction(1, 10), Fraction(1)])
        side[end] = spell(Fraction(side[end]) + step)
    return seed


def change_tree(seed: Any, rng: random.Random) -> Any:
    """One cut more at a leaf, or one less."""
    if seed["verdict"] != PROVED:
        return change_point(seed, rng)
    holder = {"cells": seed["witness"]} if "cells" not in seed["witness"] else seed["witness"]
    nodes = [p for p in places(holder) if p and (p[-1] in ("cells", "low", "high")) and isinstance(at(holder, p), dict)]
    path = rng.choice([p for p in nodes if p[0] == "cells"])
    node = at(holder, path)
    if node and rng.randrange(2):
        new = node[rng.choice(["low", "high"])]
    else:
        ends = [value_of(side[end]) for side in seed["claim"]["box"] for end in ("low", "high")]
        point = spell(sum((end for end in rng.choices(ends, k=2) if end is not None), Fraction(0)) / 2)
        variable = rng.randrange(len(seed["claim"]["box"]) + ("cells" in seed["witness"]))
        new = {"variable": str(variable), "at": point, "low": copy.deepcopy(node), "high": copy.deepcopy(node)}
    put(holder, path, new)
    if holder is not seed["witness"]:
        seed["witness"] = holder["cells"]
    return seed


def change_point(seed: Any, rng: random.Random) -> Any:
    """A coordinate of a point moved within its side, to an end of it, or out."""
    points = [seed["witness"][key] for key in ("point", "low", "high") if isinstance(seed["witness"].get(key), list)]
    if not points:
        return change_side(seed, rng)
    place = rng.randrange(len(seed["claim"]["box"]))
    side = seed["claim"]["box"][place]
    low, high = Fraction(side["low"]), Fraction(side["high"])
    share = rng.choice([Fraction(0), Fraction(1), Fraction(rng.randrange(1, 8), 8), Fraction(9, 8)])
    rng.choice(points)[place] = spell(low + share * (high - low))
    return seed


def plausible_box(claim: Any, verdict: str, rng: random.Random, inner: Callable[[Any, str], Any]) -> Any:
    """A witness with the right keys: no cut and no exchange of messages, or points of the box."""
    point = [spell((Fraction(side["low"]) + Fraction(side["high"])) / 2) for side in claim["box"]]
    if claim["kind"] == "for_all":
        if verdict == PROVED and claim["claim"].get("least") == "delta":
            return {"cells": {}, "reached": []}
        if verdict == PROVED:
            return {}
        return {"point": point, **({"witness": inner(claim["claim"], verdict)} if rng.randrange(4) else {})}
    messages = int(claim["randomizer"]["messages"])
    if verdict == PROVED:
        return {"channel": [[str(int(i == j)) for j in range(messages)] for i in range(messages)], "cells": {}}
    i = int(claim["parameter"])
    lower = [*point[:i], spell((Fraction(point[i]) + Fraction(claim["box"][i]["low"])) / 2), *point[i + 1 :]]
    plain = {"n": "1", "neighbors": "replace-one", "exp_eps": rng.choice(["1", "2"]), "delta": rng.choice(["0", "1/4"])}
    refutation = inner({"kind": "shuffle_dp", "randomizer": claim["randomizer"], "least": "none", **plain}, verdict)
    return {"low": lower, "high": point, **plain, "proof": {}, "refutation": refutation}


CHANGES = [
    change_function,
    change_function,
    move_share,
    move_share,
    change_side,
    change_tree,
    change_point,
    change_largest,
    change_reached,
]
