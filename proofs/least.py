"""Least counterexamples, and refutations at them: all instances before satisfy the statement, and there it fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from exactdp import Claim
from exactdp.studies.counterexamples.search import Axis, Search, search


class Searched:
    """A statement on a space: called, it returns the least instance at which the statement fails; found once."""

    def __init__(self, statement: Callable[..., bool], axes: Mapping[str, Axis]) -> None:
        self.axes = axes
        self._search = cache(lambda **given: search(partial(statement, **given), **axes))

    def __call__(self, **given: Any) -> Search:
        """Search; ``given`` are the arguments of the statement that are no axes."""
        return self._search(**given)


def searched_over(**axes: Axis) -> Callable[[Callable[..., bool]], Searched]:
    """Make of a statement, True where it holds, the search for its least counterexample on the product of these axes.

    >>> @searched_over(n=range(1, 9))
    ... def least_large(n, *, bound):
    ...     return n < bound
    >>> least_large(bound=3).least
    {'n': 3}
    """
    return lambda statement: Searched(statement, axes)


def refuted_at_least(statement: Callable[..., Claim], counterexamples: Searched, **given: Any) -> Claim:
    """Return the statement at a counterexample, refuted only if every earlier instance of the space satisfies it.

    The claim is that an earlier instance fails or this one holds. Its certificate, which refutes it, has a part for
    every earlier instance, so that "the least" is what is verified; where there is none, the claim is the statement.

    Args:
        statement: called with one value of each axis, by name; returns the claim that is made there.
        counterexamples: the search for its counterexamples.
        given: further arguments of both.

    >>> from exactdp import Binomial
    >>> at_least_3 = searched_over(n=range(1, 9))(lambda n: n < 3)
    >>> refuted_at_least(lambda n: Claim.tail(Binomial(n, "1/2"), low=3, at_most=0), at_least_3).kind
    'not'
    """
    least = dict(counterexamples(**given).least)
    earlier: list[Claim] = []

    def is_earlier(**instance: Any) -> bool:
        if instance == least:
            return False
        earlier.append(statement(**instance, **given))
        return True

    search(is_earlier, **counterexamples.axes)
    refuted = statement(**least, **given)
    return Claim.negation(Claim.conjunction(*earlier, Claim.negation(refuted))) if earlier else refuted
