"""Refutations at the least instance: all instances before it satisfy the statement, and it fails there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from exactdp import Claim
from exactdp.counterexamples.search import Axis, Search, search

__all__ = ["refuted_at_least"]


def refuted_at_least(statement: Callable[..., Claim], result: Search, **axes: Axis) -> Claim:
    """Return the statement at a counterexample, refuted only if every earlier instance of the space satisfies it.

    The claim is that an earlier instance fails or this one holds. Its certificate, which refutes it, has a part for
    every earlier instance, so that "the least" is what is verified; where there is none, the claim is the statement.

    Args:
        statement: called with one value of each axis, by name; returns the claim that is made there.
        result: what ``search`` found.
        axes: the axes of that search.

    >>> from exactdp import Binomial
    >>> from exactdp.counterexamples.search import search
    >>> at = search(lambda n: n < 3, n=range(1, 9))
    >>> refuted_at_least(lambda n: Claim.tail(Binomial(n, "1/2"), low=3, at_most=0), at, n=range(1, 9)).kind
    'not'
    """
    least = dict(result.least)
    earlier: list[Claim] = []

    def is_earlier(**instance: Any) -> bool:
        if instance == least:
            return False
        earlier.append(statement(**instance))
        return True

    search(is_earlier, **axes)
    if not earlier:
        return statement(**least)
    return Claim.negation(Claim.conjunction(*earlier, Claim.negation(statement(**least))))
