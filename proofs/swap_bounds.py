"""Swapped messages: what hides a user among those who are left, one row at a time, and for every randomizer.

Let P and Q be the rows of x and y, c >= 0 below the rows of the N others, gamma its sum, H the sum of max(0, P - E Q),
and for a list of rows let U be the mean, under them, of max(0, sum of (P - E Q)/R), and the sum of max(0, P - E Q)
where R = 0, over the number of rows.

Statement. 1. For ends 0 = t_0 < t_1 < ... < t_J <= N the divergence at E of what the shuffler shows is at most

    (1 - gamma)^t_J H + sum over j of ((1 - gamma)^t_(j-1) - (1 - gamma)^t_j) (mean of U over sets of r_j others),

the sets uniform, r_j = N + 1 - t_j. 2. Where all values V = (P - E Q)/R are multiples of h, and at most b h, the mean
of U may be replaced by the largest over the rows R of the others, for all stages together, of

    (1/r) sum over k < M of (h/M) q (1 - q^M)^2 / (1 - 2 q cos a_k + q^2) abs(E e^((lam + i a_k/h) V))^r + s,

a_k = 2 pi k/M, M = r b, lam = -ln q/h, 0 < q < 1, V under R, s the sum of max(0, P - E Q) where R = 0. 3. For all
eps0-DP randomizers, p = e^eps0 and E >= 1, it is enough that the bound of 2, with gamma = 1/p and H = max(0, (p - E)/(p
+ 1)), is at most delta for five tables of three rows P, Q, R, and each of the five attains the mean excess of its V.
4. For n = 2 j + t users of finitely many inputs, where all V are multiples of h, and for every q >= 1/3, there is an
input v so that the divergence at E is at most

    (1 - (1 - gamma)^t) max(1, n/(2 j (E e^(lam V))^t (1 - c))) W + (1 - gamma)^t H,

W what n users attain where all others hold v, for the c < 1 of proofs/coq/amplification/vertex_loss.v: some t/n + 20/(3
w^3) and a part of the order 1/sqrt(n), w the square of the standard deviations at E, or more.

Proof. docs/soundness.md, "shuffle_dp by a swap"; for 2 the waves are the characters of Z/M: q^j, j = 0..M-1, and q^j,
j = 1..M, have the convolution m q^m or more at m; for 4 the mean of a wave is its bound times a cosine of an angle.

The certificates confirm it without this: they sweep all data sets of small tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from typing import Final, TypeAlias

from exactdp import Claim, ShuffleProtocol
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.proofs.privacy_blanket import BUNDLES, INNER, ZEROS, Row, least, mean_excess, protocol
from exactdp.proofs.row_files import decides

Law: TypeAlias = Mapping[Fraction, Fraction]

_ORDERS: Final = (Fraction(1), Fraction(3, 2), Fraction(2))
_ENDS: Final = ((), (1,), (2,), (1, 2))
"""Of the stages, with two others."""
_BELOW: Final = Fraction(2**20 - 1, 2**20)
"""What is refuted is a delta of so much of the number."""
NUMBERS: Final = {"orders": _ORDERS}
_COSINES: Final = {4: (1, 0, -1, 0), 6: (1, Fraction(1, 2), Fraction(-1, 2), -1, Fraction(-1, 2), Fraction(1, 2))}
"""Of the whole turns that have rational ones."""
_ZERO: Final = Fraction(0)


def divergence(first: Row, second: Row, exp_eps: Fraction) -> Fraction:
    """Return H of the statement."""
    return sum((max(_ZERO, first.get(m, _ZERO) - exp_eps * second.get(m, _ZERO)) for m in first), _ZERO)


def values_of(first: Row, second: Row, exp_eps: Fraction, row: Row) -> Law:
    """Return the law of V: value -> probability."""
    law: dict[Fraction, Fraction] = {}
    for m, mass in row.items():
        value = (first.get(m, _ZERO) - exp_eps * second.get(m, _ZERO)) / mass
        law[value] = law.get(value, _ZERO) + mass
    return law


def never_sent(first: Row, second: Row, exp_eps: Fraction, row: Row) -> Fraction:
    """Return the sum of max(0, P - E Q) over R = 0."""
    return divergence({m: p for m, p in first.items() if m not in row}, second, exp_eps)


def shared_excess(first: Row, second: Row, exp_eps: Fraction, rows: Sequence[Row]) -> Fraction:
    """Return U of the statement."""
    sums = {_ZERO: Fraction(1)}
    for row in rows:
        more: dict[Fraction, Fraction] = {}
        for (s, p), (v, q) in product(sums.items(), values_of(first, second, exp_eps, row).items()):
            more[s + v] = more.get(s + v, _ZERO) + p * q
        sums = more
    hidden = sum((p * max(_ZERO, s) for s, p in sums.items()), _ZERO)
    return (hidden + sum(never_sent(first, second, exp_eps, row) for row in rows)) / len(rows)


def in_stages(ends: Sequence[int], gamma: Fraction, alone: Fraction, hidden: Mapping[int, Fraction]) -> Fraction:
    """Return the bound of 1, of H = alone and a number for the end of each stage.

    >>> in_stages((1,), Fraction(1, 2), Fraction(1, 4), {1: Fraction(1, 8)})
    Fraction(3, 16)
    """
    left = [(1 - gamma) ** t for t in (0, *ends)]
    weights = [before - after for before, after in pairwise(left)]
    return left[-1] * alone + sum((w * hidden[t] for w, t in zip(weights, ends, strict=True)), _ZERO)


def swapped(
    pair: tuple[Row, Row], exp_eps: Fraction, others: Sequence[Row], shared: Row, ends: Sequence[int]
) -> Fraction:
    """Return the bound of 1 for these others and c = shared."""
    hidden = {}
    for t in ends:
        sets = list(combinations(others, len(others) + 1 - t))
        hidden[t] = sum((shared_excess(*pair, exp_eps, rows) for rows in sets), _ZERO) / len(sets)
    return in_stages(ends, sum(shared.values(), _ZERO), divergence(*pair, exp_eps), hidden)


def wave_bound(law: Law, r: int, unit: Fraction, q: Fraction, turns: int) -> Fraction:
    """Return the sum over k in 2, over r, for even r and M = turns."""
    steps = {int(value / unit): mass for value, mass in law.items()}
    total = _ZERO
    for k in range(turns):
        size = unit / turns * q * (1 - q**turns) ** 2 / (1 - 2 * q * _COSINES[turns][k] + q * q)
        atoms = product(steps.items(), repeat=2)
        square = sum((a * b * q ** -(u + v) * _COSINES[turns][k * (u - v) % turns] for (u, a), (v, b) in atoms), _ZERO)
        total += size * square ** (r // 2)
    return total / r


def five_tables(ratio: Fraction) -> Iterator[tuple[Row, Row, Row]]:
    """Yield the rows P, Q and R of the five tables of p = ratio."""
    one = Fraction(1)
    low = [(ratio, one, one), (one, ratio, one), (one, one, ratio)]
    high = [(one, ratio, ratio), (ratio, one, ratio), (ratio, ratio, one)]
    for vectors in (*zip(low, high, strict=True), low, high):
        scale = sum(v[2] for v in vectors)
        first, second, third = (
            {tuple(m): v[place] / scale for m, v in zip("abc", vectors, strict=False)} for place in range(3)
        )
        yield first, second, third


@decides("swap-every-data-set")
def _bounds_every_data_set() -> Iterator[Claim]:
    for rows, exp_eps, ends in product((ZEROS, INNER, BUNDLES), _ORDERS, _ENDS):
        shared = least(rows)
        bound = max(
            swapped(pair, exp_eps, others, shared, ends)
            for pair in permutations(rows, 2)
            for others in combinations_with_replacement(rows, 2)
        )
        yield Claim.shuffle_dp(protocol(rows, 3), exp_eps=exp_eps, delta=min(Fraction(1), bound))


@decides("swap-one-row-at-a-time")
def _one_row_at_a_time() -> Iterator[Claim]:
    pair: Iterator[Row] = ({("a",): Fraction(a, 4), ("b",): Fraction(b, 4)} for a, b in ((3, 1), (1, 3)))
    first, second = pair
    exp_eps, unit, half = Fraction(2), Fraction(1, 3), Fraction(1, 2)
    worst = max(wave_bound(values_of(first, second, exp_eps, row), 2, unit, half, 6) for row in (first, second))
    bound = in_stages((1,), half, divergence(first, second, exp_eps), {1: worst})
    yield Claim.shuffle_dp(protocol((first, second), 3), exp_eps=exp_eps, delta=bound)


@decides("five-randomizers")
def _five() -> Iterator[Claim]:
    ratio, exp_eps, unit, half = Fraction(2), Fraction(3, 2), Fraction(1, 4), Fraction(1, 2)
    laws = [values_of(*rows[:2], exp_eps, rows[2]) for rows in five_tables(ratio)]
    worst = max(wave_bound(law, 2, unit, half, 4) for law in laws)
    bound = in_stages((1,), 1 / ratio, (ratio - exp_eps) / (ratio + 1), {1: worst})
    for rows, law in zip(five_tables(ratio), laws, strict=True):
        yield Claim.shuffle_dp(protocol(rows, 3), exp_eps=exp_eps, delta=bound)
        if needed := mean_excess(law, 3):
            smaller = Claim.shuffle_dp(protocol(rows, 3), exp_eps=exp_eps, delta=needed * _BELOW)
            yield Claim.negation(smaller)


@decides("nearly-homogeneous")
def _nearly_homogeneous() -> Iterator[Claim]:
    users = ShuffleProtocol(KAryResponse(2, exp_eps0=3), 10**10)
    exp_eps, delta, factor = 1 + Fraction(29, 600_000), Fraction(36, 10**12), Fraction(101, 100)
    yield Claim.shuffle_dp(users, exp_eps=exp_eps, delta=delta)
    yield Claim.negation(Claim.shuffle_dp(users, exp_eps=exp_eps, delta=delta / factor))
