"""U_n(L) = E[max(0, L_1 + ... + L_n)]/n in exact fractions.

Over all sequences of values, over how often each occurs, or by the law of the sum.

A law is a list of (probability, value) whose probabilities add up to 1. A randomizer is a plain table, input ->
{message: Fraction}. Nothing here imports the package.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, gcd, lcm

_FEW = 1000
"""So many counts are listed faster than the lattice of a random law is filled."""

PlainLaw = Sequence[tuple[Fraction, Fraction]]
Rows = Mapping[Hashable, Mapping[Hashable, Fraction]]


def by_sequences(law: PlainLaw, copies: int) -> Fraction:
    """U_n(L) from all sequences of n values."""
    total = Fraction(0)
    for draws in product(law, repeat=copies):
        chance, gain = Fraction(1), Fraction(0)
        for probability, value in draws:
            chance *= probability
            gain += value
        total += chance * max(Fraction(0), gain)
    return total / copies


def by_counts(law: PlainLaw, copies: int) -> Fraction:
    """U_n(L) from how often each value occurs."""
    total = Fraction(0)
    for drawn in combinations_with_replacement(range(len(law)), copies):
        gain = sum((law[place][1] for place in drawn), Fraction(0))
        if gain > 0:
            orders = factorial(copies)
            chance = Fraction(1)
            for place in set(drawn):
                orders //= factorial(drawn.count(place))
                chance *= law[place][0] ** drawn.count(place)
            total += orders * chance * gain
    return total / copies


def by_powers(law: PlainLaw, copies: int) -> Fraction:
    """U_n(L) from the coefficients of p(z)^n, where p is the generating function of L on its lattice.

    With q = p^n, p q' = n p' q: each coefficient of q follows from as many earlier ones as L has values.
    """
    return _by_powers(tuple(law), copies)


@cache
def _by_powers(law: PlainLaw, copies: int) -> Fraction:
    reached = [(probability, value) for probability, value in law if probability]
    scale = lcm(*(p.denominator for p, _ in reached))
    common = lcm(*(v.denominator for _, v in reached))
    offset = min(v for _, v in reached)
    spacing = gcd(*(int((v - offset) * common) for _, v in reached)) or 1
    weights: dict[int, int] = {}
    for probability, value in reached:
        place = int((value - offset) * common) // spacing
        weights[place] = weights.get(place, 0) + int(probability * scale)
    first, rest = weights[0], [(place, weight) for place, weight in weights.items() if place]
    coefficients = [first**copies]
    for j in range(1, max(weights) * copies + 1):
        total = sum(
            weight * ((copies + 1) * place - j) * coefficients[j - place] for place, weight in rest if place <= j
        )
        coefficients.append(total // (j * first))
    lowest, step = copies * offset, Fraction(spacing, common)
    start = max(0, -(lowest / step).__floor__())
    above = sum(coefficients[start:])
    steps = sum(j * c for j, c in enumerate(coefficients[start:], start))
    return (lowest * above + step * steps) / (copies * Fraction(scale) ** copies)


def divergence(columns: Sequence[tuple[Fraction, Fraction, Fraction]], copies: int, exp_eps: Fraction) -> Fraction:
    """The bound for columns (P, Q, c): the sum of max(0, P - E Q) where c = 0, plus U_n of (P - E Q)/c under c."""
    excess = [(p - exp_eps * q, c) for p, q, c in columns]
    charged = sum((max(Fraction(0), mu) for mu, c in excess if not c), Fraction(0))
    law = [(c, mu / c) for mu, c in excess if c]
    law.append((1 - sum((c for c, _ in law), Fraction(0)), Fraction(0)))
    few = comb(copies + len(law) - 1, copies) <= _FEW
    return charged + (by_counts(law, copies) if few else by_powers(law, copies))


def blanket(rows: Rows, copies: int, exp_eps: Fraction) -> Fraction:
    """The largest bound by the least of all rows, over all ordered pairs of inputs."""
    least = {m: min(row.get(m, Fraction(0)) for row in rows.values()) for row in rows.values() for m in row}
    return _largest(rows, least, copies, exp_eps)


def homogeneous(rows: Rows, copies: int, exp_eps: Fraction) -> Fraction:
    """The largest divergence of data sets whose other users all hold one input, over all ordered pairs."""
    return max(_largest(rows, row, copies, exp_eps) for row in rows.values())


def _largest(rows: Rows, under: Mapping[Hashable, Fraction], copies: int, exp_eps: Fraction) -> Fraction:
    messages = list(dict.fromkeys(m for row in rows.values() for m in row))
    best = Fraction(0)
    for one in rows:
        for other in rows:
            if rows[one] != rows[other]:
                row = [[law.get(m, Fraction(0)) for m in messages] for law in (rows[one], rows[other], under)]
                best = max(best, divergence(list(zip(*row, strict=True)), copies, exp_eps))
    return best


def k_ary(k: int, exp_eps0: Fraction) -> dict[int, dict[int, Fraction]]:
    """k-ary randomized response."""
    total = exp_eps0 + k - 1
    return {x: {y: (exp_eps0 if x == y else Fraction(1)) / total for y in range(k)} for x in range(k)}
