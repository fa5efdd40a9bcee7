"""The swap of messages in exact fractions, for one data set of the others: before tilts, nodes and absolute values.

Rows are lists of probabilities, one for each message. Nothing here imports the package.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Weights = Sequence[Fraction]


def swap_bound(first: Weights, second: Weights, others: Sequence[Weights], gamma: Fraction, exp_eps: Fraction):
    """(1-gamma)^N H + sum over t of gamma (1-gamma)^(t-1) mean over S of (1/r) (E max(0, sum L_i) + sum s_i)."""
    excess = [p - exp_eps * q for p, q in zip(first, second, strict=True)]
    total = (1 - gamma) ** len(others) * sum(max(Fraction(0), mu) for mu in excess)
    for lost in range(1, len(others) + 1):
        if weight := gamma * (1 - gamma) ** (lost - 1):
            kept = [_mean_gain(excess, rows) for rows in combinations(others, len(others) - lost + 1)]
            total += weight * sum(kept) / len(kept)
    return total


def _mean_gain(excess: Weights, rows: Sequence[Weights]) -> Fraction:
    sums, alone = {Fraction(0): Fraction(1)}, Fraction(0)
    for row in rows:
        alone += sum(max(Fraction(0), mu) for mu, p in zip(excess, row, strict=True) if not p)
        longer: dict[Fraction, Fraction] = {}
        for mu, p in zip(excess, row, strict=True):
            if p:
                for value, chance in sums.items():
                    longer[value + mu / p] = longer.get(value + mu / p, Fraction(0)) + chance * p
        sums = longer
    return (sum(value * chance for value, chance in sums.items() if value > 0) + alone) / len(rows)
