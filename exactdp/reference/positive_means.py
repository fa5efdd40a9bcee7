"""U_n(L) = E[max(0, L_1 + ... + L_n)] / n, and the divergences that it is, by listing how often each value occurs.

For rows P and Q of the user who differs, mu = P - E Q, and c(m) at most the chance of m for every other user:

    H_E <= sum over c(m) = 0 of max(0, mu(m)) + U_n(L),      L = mu(m)/c(m) with probability c(m), else 0,

with equality where all others send m with chance c(m).

Source: BalleBellGasconNissim2019, Theorem 5.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import comb
from typing import Any, TypeAlias

import mpmath

from exactdp.reference.counted_steps import Steps
from exactdp.reference.hockey_stick_sums import Event, number, worst

Row = Mapping[Any, Fraction]
"""The law of what one user sends."""


def positive_mean(atoms: Sequence[tuple[Any, Any, Any]], n: int, exp_eps: Any, steps: Steps) -> Event:
    """Return U_n of L = a - E b as an event: the means of a and of b, where the sum of n copies is above 0.

    Args:
        atoms: (a, b, probability), the probabilities with sum 1.

    >>> from exactdp.reference.counted_steps import Steps
    >>> coin = [(1, 0, mpmath.mpf("0.5")), (0, 1, mpmath.mpf("0.5"))]
    >>> print(positive_mean(coin, 2, 1, Steps(100)).delta(1))
    0.25
    """
    steps.take(4 * comb(n + len(atoms) - 1, len(atoms) - 1))  # four products and sums of each
    first = second = mpmath.mpf(0)
    # (copies left, their arrangements times probabilities, sum of a, sum of b) after the atoms so far
    sums = [(n, mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0))]
    for a, b, probability in atoms[:-1]:
        powers = [probability**k for k in range(n + 1)]
        sums = [
            (left - k, weight * comb(left, k) * powers[k], x + k * a, y + k * b)
            for left, weight, x, y in sums
            for k in range(left + 1)
        ]
    a, b, probability = atoms[-1]
    powers = [probability**k for k in range(n + 1)]
    for left, weight, x, y in sums:
        x, y, mass = x + left * a, y + left * b, weight * powers[left]
        if x > exp_eps * y:
            first, second = first + mass * x, second + mass * y
    return Event(first / n, second / n)


def against(first: Row, second: Row, others: Row, n: int, exp_eps: Any, steps: Steps) -> Event:
    """Return the event of the bound above, for P, Q and c."""
    return _event(_values(first, second, others), n, exp_eps, steps)


def blanket_bound(rows: Sequence[Row], n: int, exp_eps: Any, steps: Steps) -> Event:
    """Return the event of an upper bound of every divergence of neighbours: c is the least chance among all rows."""
    least = {m: min(Fraction(row.get(m, 0)) for row in rows) for m in {m for row in rows for m in row}}
    steps.take(len(rows) ** 2 * len(least))
    pairs = {_values(p, q, least) for p, q in permutations(rows, 2)}
    return worst((_event(pair, n, exp_eps, steps) for pair in pairs), exp_eps)


_Values: TypeAlias = tuple[frozenset[tuple[Fraction, Fraction]], frozenset[tuple[Fraction, Fraction, Fraction]]]
"""(P, Q) of messages that nobody else sends; and (P/c, Q/c) of the others with the probability of each value."""


def _values(first: Row, second: Row, others: Row) -> _Values:
    """Return what a pair of rows is made of: pairs that are alike become equal."""
    alone: dict[tuple[Fraction, Fraction], int] = {}
    together: dict[tuple[Fraction, Fraction], Fraction] = {}
    for m in {**first, **second}:
        p, q, c = (Fraction(row.get(m, 0)) for row in (first, second, others))
        if c:
            together[p / c, q / c] = together.get((p / c, q / c), Fraction(0)) + c
        else:
            alone[p, q] = alone.get((p, q), 0) + 1
    zero = Fraction(0), Fraction(0)
    together[zero] = together.get(zero, Fraction(0)) + 1 - sum(together.values())
    return (
        frozenset((p * times, q * times) for (p, q), times in alone.items()),
        frozenset((a, b, c) for (a, b), c in together.items() if c),
    )


def _event(values: _Values, n: int, exp_eps: Any, steps: Steps) -> Event:
    alone = [(number(p), number(q)) for p, q in values[0]]
    atoms = [(number(a), number(b), number(c)) for a, b, c in values[1]]
    mean = positive_mean(atoms, n, exp_eps, steps)
    above = [(p, q) for p, q in alone if p > exp_eps * q]
    return Event(mean.first + sum(p for p, _ in above), mean.second + sum(q for _, q in above))
