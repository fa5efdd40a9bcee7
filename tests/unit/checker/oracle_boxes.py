"""The oracle's share of boxes of parameters: the claim at the points of a grid, and worst deltas side by side."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from tests.unit.checker.oracle_laws import NoLawError, TooLongError
from tests.unit.checker.oracle_polynomials import contains, value_at
from tests.unit.checker.oracle_views import number, pairs, rows, whole, worst

Truth = Callable[[Any, list[Fraction]], bool | None]
MANY_USERS = 6
"""From so many users on only the corners of the box and the points of the witness are looked at."""


def function_at(written: Any, point: tuple[Fraction, ...]) -> Fraction:
    if isinstance(written, str):
        return number(written)
    if isinstance(written, list):
        return value_at(written, point)
    bottom = value_at(written["bottom"], point)
    if bottom <= 0:
        raise NoLawError
    return value_at(written["top"], point) / bottom


def probability_at(written: Any, point: tuple[Fraction, ...]) -> str:
    value = function_at(written, point)
    if value < 0:
        raise NoLawError
    return str(value)


def table_at(table: Any, point: tuple[Fraction, ...]) -> Any:
    found = []
    for row in table["rows"]:
        entries = [{**outcome, "prob": probability_at(outcome["prob"], point)} for outcome in row]
        if sum(number(outcome["prob"]) for outcome in entries) != 1:
            raise NoLawError
        found.append([outcome for outcome in entries if outcome["prob"] != "0"])
    return {**table, "rows": found}


def law_at(law: Any, point: tuple[Fraction, ...]) -> Any:
    if law["family"] == "view":
        return {**law, "randomizer": table_at(law["randomizer"], point)}
    if law["family"] == "binomial":
        p = probability_at(law["p"], point)
        if number(p) > 1:
            raise NoLawError
        return {**law, "p": p}
    weights = [[k, probability_at(p, point)] for k, p in law["weights"]]
    if sum(number(p) for _, p in weights) != 1:
        raise NoLawError
    return {**law, "weights": [[k, p] for k, p in weights if p != "0"]}


def claim_at(claim: Any, point: tuple[Fraction, ...]) -> Any:
    """The plain claim, or NoLawError where it is none, or false at once."""
    plain = dict(claim)
    for key in ("law", "first", "second"):
        if key in claim:
            plain[key] = law_at(claim[key], point)
    if "randomizer" in claim:
        plain["randomizer"] = table_at(claim["randomizer"], point)
    for key in ("exp_eps", "delta", "probability"):
        if key in claim:
            written = claim[key]
            functions = written["max"] if isinstance(written, dict) and "max" in written else [written]
            plain[key] = str(max(function_at(function, point) for function in functions))
    if number(plain.get("exp_eps", "1")) < 1 or number(plain.get("delta", "0")) < 0:
        raise NoLawError
    return plain


def grid(claim: Any, values: list[Fraction], steps: int) -> list[tuple[Fraction, ...]]:
    """Points at equal distances, and those whose coordinates are among the values."""
    axes = []
    for side in claim["box"]:
        low, high = number(side["low"]), number(side["high"])
        places = {low + (high - low) * Fraction(k, steps) for k in range(steps + 1)}
        axes.append(sorted(places | {v for v in values if low <= v <= high}))
    return [point for point in product(*axes) if contains(claim["box"], point)]


def for_all(claim: Any, values: list[Fraction], truth: Truth) -> bool | None:
    """False at one point is enough; a few points that agree prove nothing."""
    inner = claim["claim"]
    users = int(inner.get("n", inner.get("law", {}).get("n", "1")))
    steps = 1 if users >= MANY_USERS else {1: 8, 2: 3}.get(len(claim["box"]), 1)
    for point in grid(claim, values, steps):
        try:
            if truth(claim_at(inner, point), values) is False:
                return False
        except NoLawError:
            return False
        except TooLongError:
            continue
    return None


def monotone(claim: Any, values: list[Fraction]) -> bool | None:
    """Worst deltas of few users at points of a grid, in the order of the parameter."""
    moved = whole(claim["parameter"])
    lines: dict[tuple[Fraction, ...], list[tuple[Fraction, ...]]] = {}
    for point in grid(claim, values, 4):
        lines.setdefault((*point[:moved], *point[moved + 1 :]), []).append(point)
    levels = product((1, 2), ("replace-one", "add-or-remove-one"), (Fraction(1), Fraction(3, 2), Fraction(4)))
    try:
        tables = {point: rows(table_at(claim["randomizer"], point)) for line in lines.values() for point in line}
    except NoLawError:
        return False
    for (n, neighbors, exp_eps), line in product(levels, lines.values()):
        deltas = [worst(pairs(tables[point], n, neighbors), exp_eps) for point in line]
        for first, second in pairwise(deltas):
            if (second > first) if claim["delta"] == "falls" else (second < first):
                return False
    return None
