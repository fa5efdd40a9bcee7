"""Inputs that a renaming of the messages can exchange: twins.

Two inputs are twins if swapping their rows is the same as renaming messages. Renaming changes no divergence, so data
sets that differ only by exchanging twins need not both be visited. The relation is an equivalence: swapping a and b,
then b and c, then a and b again swaps a and c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, compress
from operator import itemgetter
from typing import Final, TypeAlias

_COUNTS_KEPT: Final = 64
"""Numbers of data sets that are kept: a search asks for the same one at every value of its parameter."""

CountLaw: TypeAlias = Mapping[tuple[int, ...], int]

Outcomes: TypeAlias = dict[int, list[tuple[int, ...]]]
"""The outcomes of a law that have each message."""

Marginal: TypeAlias = tuple[tuple[int, int], ...]
"""The law of one message's count: sorted pairs (count, weight)."""


def twin_classes(laws: Sequence[CountLaw]) -> tuple[int, ...]:
    """Return for each law the position of the first of its twins, from laws over full count vectors."""
    marginals = [[_marginal(law, message) for law in laws] for message in range(len(next(iter(laws[0]))))]
    kinds = [sorted(row[i] for row in marginals) for i in range(len(laws))]
    outcomes = [_by_message(law) for law in laws]
    classes = list(range(len(laws)))
    for j in range(len(laws)):
        for i in range(j):
            if classes[i] == i and kinds[i] == kinds[j] and _are_twins(laws, outcomes, marginals, i, j):
                classes[j] = i
                break
    return tuple(classes)


def _marginal(law: CountLaw, message: int) -> Marginal:
    """Return the law of one message's count, as sorted pairs."""
    weights: dict[int, int] = {}
    for vector, weight in law.items():
        weights[vector[message]] = weights.get(vector[message], 0) + weight
    return tuple(sorted(weights.items()))


def _by_message(law: CountLaw) -> Outcomes:
    """Return the outcomes of a law that have each message."""
    having: Outcomes = {}
    for vector in law:
        for message in compress(range(len(vector)), vector):
            having.setdefault(message, []).append(vector)
    return having


def _are_twins(
    laws: Sequence[CountLaw], outcomes: Sequence[Outcomes], marginals: Sequence[list[Marginal]], i: int, j: int
) -> bool:
    """Whether a renaming that the marginals suggest swaps laws i and j and leaves the others as they are."""
    moved = _renaming(marginals, i, j)
    if not moved:
        return moved is not None and laws[i] == laws[j]
    rename = itemgetter(*(moved.get(message, message) for message in range(len(marginals))))

    def renamed(law: CountLaw) -> CountLaw:
        return {rename(vector): weight for vector, weight in law.items()}

    def stays(law: CountLaw, having: Outcomes) -> bool:
        """A renaming is one to one, and moves only outcomes that have a message that is renamed."""
        touched = {vector for message in moved for vector in having.get(message, ())}
        return all(law.get(rename(vector)) == law[vector] for vector in touched)

    others = (k for k in range(len(laws)) if k not in (i, j))
    return (
        renamed(laws[i]) == laws[j] and renamed(laws[j]) == laws[i] and all(stays(laws[k], outcomes[k]) for k in others)
    )


def _renaming(marginals: Sequence[list[Marginal]], i: int, j: int) -> dict[int, int] | None:
    """Return message -> the message it takes the count of, where that is another one; None where none fits.

    A message whose marginals are the same after swapping i and j keeps its name.
    """
    swapped = [[*row] for row in marginals]
    for row in swapped:
        row[i], row[j] = row[j], row[i]
    changed = [message for message, row in enumerate(swapped) if row != marginals[message]]
    moved: dict[int, int] = {}
    free = list(changed)
    for message in changed:
        source = next((other for other in free if swapped[other] == marginals[message]), None)
        if source is None:
            return None
        free.remove(source)
        moved[message] = source
    return moved


def non_increasing_count(total: int, classes: Sequence[int]) -> int:
    """Return the number of ways to give ``total`` users to positions so that counts do not rise within a class.

    >>> non_increasing_count(4, [0, 0]), non_increasing_count(4, [0, 1])
    (3, 5)
    """
    return _non_increasing_count(total, tuple(classes))


@lru_cache(maxsize=_COUNTS_KEPT)
def _non_increasing_count(total: int, classes: tuple[int, ...]) -> int:
    if len(classes) == 1:
        return 1
    ways = [1] + [0] * total
    for label in dict.fromkeys(classes):
        # partitions into at most s parts: parts of sizes 1, ..., s, conjugated
        for part in range(1, sum(other == label for other in classes) + 1):
            for rest in range(min(part, total + 1)):
                ways[rest::part] = accumulate(ways[rest::part])
    return ways[total]
