"""The law of two counts with correlated noise, as a table: three passes, and no formula for the sums."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any


def two_counts(p1: Any, weights: Sequence[Any], total: int = 0) -> dict[tuple[int, int], Any]:
    """W with these weights on the diagonal, then geometric noise of ratio p1 on each count; the first has ``total``."""
    size = range(len(weights))
    rows = [[weights[u] if u == v else 0 * p1 for v in size] for u in size]
    for _ in range(2):
        noisy = [[x * (1 - p1) for x in accumulate(row, lambda before, x: p1 * before + x)] for row in rows]
        rows = [list(column) for column in zip(*noisy, strict=True)]
    return {(u + total, v): rows[u][v] for u in size for v in size}
