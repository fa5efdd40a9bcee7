"""Decides box inequalities: the search proposes cuts, leaves and points, and the checker says which of them hold."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from exactdp.certificates.certificate import Verdict
from exactdp.certificates.decision import Decision, confirmed, is_confirmed, undecided
from exactdp.certificates.encoding import read_integer, read_rational, write_integer, write_rational
from exactdp.inequalities.box import MAX_LEAF_BITS, MAX_PARTS, Box, Cut, Interval, Leaf, Tree, decide_on_box
from exactdp.inequalities.sums import ExpTerm
from exactdp.numbers.exact import short

__all__ = ["decide_box"]


def decide_box(data: dict[str, Any]) -> Decision:
    """Decide a box_inequality claim."""
    terms = [ExpTerm(_polynomial(term["polynomial"]), _polynomial(term["exponent"])) for term in data["terms"]]
    box = tuple(
        Interval(
            read_rational(side["low"]),
            read_rational(side["high"]),
            side["low_end"] == "closed",
            side["high_end"] == "closed",
        )
        for side in data["box"]
    )

    def holds(part: Box, leaf: Leaf) -> bool:
        return is_confirmed({**data, "box": list(map(_write_side, part))}, Verdict.PROVED, _write_tree(leaf))

    found = decide_on_box(terms, box, strict=data["strict"] == "yes", holds=holds)
    if found is None:
        return undecided(f"Cutting the box into {MAX_PARTS} parts gave neither a proof nor a point where it fails.")
    if isinstance(found, Leaf | Cut):
        count = _leaves(found)
        words = f"A Bernstein form shows it on each of {count} parts." if count > 1 else "A Bernstein form shows it."
        return confirmed(data, Verdict.PROVED, words, [_write_tree(found)])
    shown = ", ".join(f"{name} = {short(x)}" for name, x in zip(data["variables"], found, strict=True))
    point = list(map(write_rational, found))
    witnesses = [{"point": point, "bits": str(bits)} for bits in (64, 256, MAX_LEAF_BITS)]
    return confirmed(data, Verdict.REFUTED, f"It fails at {shown}." if shown else "It fails.", witnesses)


def _polynomial(listed: list[Any]) -> Mapping[tuple[int, ...], Fraction]:
    return {tuple(map(read_integer, exponents)): read_rational(c) for c, exponents in listed}


def _leaves(tree: Tree) -> int:
    return 1 if isinstance(tree, Leaf) else _leaves(tree.low) + _leaves(tree.high)


def _write_tree(tree: Tree) -> dict[str, Any]:
    if isinstance(tree, Leaf):
        return {
            "corner": list(tree.corner),
            "taylor": write_integer(tree.taylor),
            "bits": write_integer(tree.bits),
        }
    return {
        "variable": write_integer(tree.variable),
        "at": write_rational(tree.at),
        "low": _write_tree(tree.low),
        "high": _write_tree(tree.high),
    }


def _write_side(side: Interval) -> dict[str, str]:
    return {
        "low": write_rational(side.low),
        "low_end": "closed" if side.low_closed else "open",
        "high": write_rational(side.high),
        "high_end": "closed" if side.high_closed else "open",
    }
