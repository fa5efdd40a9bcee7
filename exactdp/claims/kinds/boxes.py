"""Claims that a sum of polynomials times exponentials is at least 0 on a box; a search proposes cuts and points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from exactdp.claims.encoding import JsonObject, write_integer, write_rational
from exactdp.claims.kinds.inequalities import as_names, as_polynomial, point_words
from exactdp.claims.statement import Decision, Statement, Verdict, undecided
from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact
from exactdp.symbolic.box import MAX_LEAF_BITS, MAX_PARTS, Box, Cut, Leaf, Span, Tree, as_side, decide_on_box
from exactdp.symbolic.sums import ExpTerm


@dataclass(frozen=True, slots=True)
class BoxInequality(Statement, kind="box_inequality"):
    """On the whole box, the sum of polynomial * e^exponent is at least 0, or above 0 if ``strict``."""

    variables: tuple[str, ...]
    box: Box
    terms: tuple[ExpTerm, ...]
    strict: bool

    @classmethod
    def of(
        cls,
        box: Mapping[str, Span | tuple[Exact, Exact]],
        terms: Sequence[tuple[Mapping[tuple[int, ...], Exact], Mapping[tuple[int, ...], Exact]]],
        *,
        strict: bool = False,
    ) -> BoxInequality:
        """On the whole box, the sum over terms of polynomial * e^exponent is at least 0, or above 0 if ``strict``.

        Args:
            box: variable -> its interval; a pair is a closed ``Span``.
            terms: pairs (polynomial, exponent), both polynomials in the variables as for :meth:`inequality`; the
                exponent ``{}`` is 0.
            strict: whether the sum is above 0.

        >>> from exactdp import Claim
        >>> e_to_x, minus_1_minus_x = ({(0,): 1}, {(1,): 1}), ({(0,): -1, (1,): -1}, {})
        >>> Claim.box_inequality({"x": (-1, 1)}, [e_to_x, minus_1_minus_x]).kind
        'box_inequality'
        """
        names = as_names(box)
        summands = tuple(as_term(term, len(names)) for term in terms)
        sides = tuple(as_side(name, span) for name, span in box.items())
        return cls(names, sides, summands, bool(strict))

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide whether a sum of polynomials times exponentials is at least 0 on a box."""

        def holds(part: Box, leaf: Leaf) -> bool:
            return replace(self, box=part).is_verified(Verdict.PROVED, _write_tree(leaf))

        answer = decide_on_box(self.terms, self.box, strict=self.strict, holds=holds)
        if answer is None:
            return undecided(f"Cutting the box into {MAX_PARTS} parts gave neither a proof nor a point where it fails.")
        if isinstance(answer, Leaf | Cut):
            count = _leaves(answer)
            words = (
                f"A Bernstein form shows it on each of {count} parts." if count > 1 else "A Bernstein form shows it."
            )
            return self.first_verified(Verdict.PROVED, words, [_write_tree(answer)])
        words = f"It fails at {point_words(self.variables, answer)}." if answer else "It fails."
        point = list(map(write_rational, answer))
        witnesses = [{"point": point, "bits": str(bits)} for bits in (64, 256, MAX_LEAF_BITS)]
        return self.first_verified(Verdict.REFUTED, words, witnesses)


def as_term(term: object, variables: int) -> ExpTerm:
    if not isinstance(term, tuple | list) or len(term) != 2:
        raise InvalidValueError("a term is no pair. Pass (polynomial, exponent), with {} for the exponent 0.")
    polynomial, exponent = (as_polynomial(part, variables) for part in term)
    return ExpTerm(polynomial, exponent)


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
