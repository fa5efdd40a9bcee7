"""Decides inequalities between polynomials, and between sums of polynomials times exponentials on a box.

The search proposes products, cuts, leaves and points, and the checker says which of them hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from exactdp.claims.certificate import Verdict
from exactdp.claims.decide.decision import Decision, first_verified, is_verified, proved, refuted, undecided
from exactdp.claims.encoding import JsonObject, write_integer, write_integers, write_rational
from exactdp.claims.kinds import BoxInequality, Inequality
from exactdp.numbers.formats import short
from exactdp.symbolic.box import MAX_LEAF_BITS, MAX_PARTS, Box, Cut, Leaf, Tree, decide_on_box
from exactdp.symbolic.handelman import MAX_DEGREE, counterexample, handelman_terms


def decide_inequality(claim: Inequality) -> Decision:
    """Decide whether the hypotheses imply the conclusion, for all real values of the variables."""
    question = (claim.hypotheses, claim.conclusion, len(claim.variables))
    terms = handelman_terms(*question, degrees=range(3))
    if terms is None and (point := counterexample(*question)) is not None:
        return refuted(f"It fails at {_point_words(claim, point)}.", point=list(map(write_rational, point)))
    terms = terms or handelman_terms(*question, degrees=range(3, MAX_DEGREE + 1))
    if terms is None:
        return undecided("No combination of products of the hypotheses of low degree was found, and no counterexample.")
    listed = [{"coefficient": write_rational(c), "powers": write_integers(powers)} for powers, c in terms]
    return proved(f"The conclusion is a sum of {len(listed)} products of hypotheses.", terms=listed)


def decide_box_inequality(claim: BoxInequality) -> Decision:
    """Decide whether a sum of polynomials times exponentials is at least 0 on a box."""

    def holds(part: Box, leaf: Leaf) -> bool:
        return is_verified(replace(claim, box=part), Verdict.PROVED, _write_tree(leaf))

    answer = decide_on_box(claim.terms, claim.box, strict=claim.strict, holds=holds)
    if answer is None:
        return undecided(f"Cutting the box into {MAX_PARTS} parts gave neither a proof nor a point where it fails.")
    if isinstance(answer, Leaf | Cut):
        count = _leaves(answer)
        words = f"A Bernstein form shows it on each of {count} parts." if count > 1 else "A Bernstein form shows it."
        return first_verified(claim, Verdict.PROVED, words, [_write_tree(answer)])
    words = f"It fails at {_point_words(claim, answer)}." if answer else "It fails."
    point = list(map(write_rational, answer))
    witnesses = [{"point": point, "bits": str(bits)} for bits in (64, 256, MAX_LEAF_BITS)]
    return first_verified(claim, Verdict.REFUTED, words, witnesses)


def _point_words(claim: Inequality | BoxInequality, point: Sequence[Fraction]) -> str:
    return ", ".join(f"{name} = {short(x)}" for name, x in zip(claim.variables, point, strict=True))


def _leaves(tree: Tree) -> int:
    return 1 if isinstance(tree, Leaf) else _leaves(tree.low) + _leaves(tree.high)


def _write_tree(tree: Tree) -> JsonObject:
    if isinstance(tree, Leaf):
        return {"corner": list(tree.corner), "taylor": write_integer(tree.taylor), "bits": write_integer(tree.bits)}
    return {
        "variable": write_integer(tree.variable),
        "at": write_rational(tree.at),
        "low": _write_tree(tree.low),
        "high": _write_tree(tree.high),
    }
