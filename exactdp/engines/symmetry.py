"""Inputs that a renaming of the messages can exchange: twins.

Two inputs are twins if swapping their rows is the same as renaming messages. Renaming changes no divergence, so data
sets that differ only by exchanging twins need not both be visited. The relation is an equivalence: swapping a and b,
then b and c, then a and b again swaps a and c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

__all__ = ["non_increasing_count", "twin_classes"]

CountLaw: TypeAlias = Mapping[tuple[int, ...], int]


def twin_classes(laws: Sequence[CountLaw]) -> tuple[int, ...]:
    """Return for each law the position of the first of its twins, from laws over full count vectors."""
    signatures = _signatures(laws)
    classes = list(range(len(laws)))
    for j in range(len(laws)):
        for i in range(j):
            if classes[i] == i and _are_twins(laws, signatures, i, j):
                classes[j] = i
                break
    return tuple(classes)


def _signatures(laws: Sequence[CountLaw]) -> list[list[tuple[tuple[int, int], ...]]]:
    """Return for each message and law the marginal law of the message's count."""
    size = len(next(iter(laws[0])))
    signatures = []
    for message in range(size):
        marginals = []
        for law in laws:
            marginal: dict[int, int] = {}
            for vector, weight in law.items():
                marginal[vector[message]] = marginal.get(vector[message], 0) + weight
            marginals.append(tuple(sorted(marginal.items())))
        signatures.append(marginals)
    return signatures


def _are_twins(
    laws: Sequence[CountLaw], signatures: Sequence[list[tuple[tuple[int, int], ...]]], i: int, j: int
) -> bool:
    """Whether a renaming that the marginals suggest swaps laws i and j and leaves the others as they are."""
    swap = {i: j, j: i}
    wanted: dict[tuple[tuple[tuple[int, int], ...], ...], list[int]] = {}
    for message, marginals in enumerate(signatures):
        swapped = tuple(marginals[swap.get(k, k)] for k in range(len(laws)))
        wanted.setdefault(swapped, []).append(message)
    renamed = []
    for marginals in signatures:
        candidates = wanted.get(tuple(marginals))
        if not candidates:
            return False
        renamed.append(candidates.pop(0))
    return all(
        {tuple(vector[m] for m in renamed): weight for vector, weight in law.items()} == laws[swap.get(k, k)]
        for k, law in enumerate(laws)
    )


def non_increasing_count(total: int, classes: Sequence[int]) -> int:
    """Return the number of ways to give ``total`` users to positions so that counts do not rise within a class.

    >>> non_increasing_count(4, [0, 0]), non_increasing_count(4, [0, 1])
    (3, 5)
    """
    if len(classes) == 1:
        return 1
    ways = [1] + [0] * total
    for label in dict.fromkeys(classes):
        for part in range(1, sum(1 for other in classes if other == label) + 1):
            for users in range(
                part, total + 1
            ):  # partitions into at most s parts: parts of sizes 1, ..., s, conjugated
                ways[users] += ways[users - part]
    return ways[total]
