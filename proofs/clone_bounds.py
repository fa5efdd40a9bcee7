"""Bounds from clones, for every randomizer: the pairs that stand in its place, and why they may.

Let P and Q be the rows of the two inputs of the user who differs, p = e^eps0 and E = e^eps. In a pair of clones he
sends 1 with probability p/(p + 1) and else 0, or the other way round; each of the other n - 1 users sends 1 and 0 with
probability c/2 each, and else nothing that tells. The divergence of the shuffled pair is

    (1/n) E[max(0, L_1 + ... + L_n)],    L = 2 (p - E)/((p + 1) c) and 2 (1 - E p)/((p + 1) c) with c/2 each, else 0.

Statement. 1. Every eps0-DP randomizer is as private as the pair with c = 1/p, and 2. with c = 2/(p + 1), for E >= 1.
3. For k-ary randomized response the labels "the first input", "the second", "another symbol" and none do the same,
which the others draw with probabilities w, w, (k - 2) w and (p - 1) w, w = 1/(p + k - 1). 4. The bound of 2 is
not optimal: at the instances of its row the least eps for delta = 10^-6 that holds for all eps0-DP randomizers and data
sets lies between two numbers, and the pair of 2 needs 11 and 14 % more.

Proof. A label says from which law a user draws what he sends, and everybody who draws no label is a bystander: what the
messages tell the labels tell. 1: A = (pP - Q)/(p - 1), B = (pQ - P)/(p - 1), P = (pA + B)/(p + 1) and
Q = (A + pB)/(p + 1), and every row is at least (P + Q)/(2p) = (A + B)/(2p). 2: with three labels, where P is the
larger, where Q is, and what both have, every row is at least max(P, Q)/p, and L is less spread than at the largest
total variation distance. 3: each symbol has at least the probability w.

The certificates confirm 1 to 3 at tables of three rows, without these steps. Of 4 they are what it states of every
randomizer; the least delta of the pair is computed inside Coq.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from exactdp import Claim, Randomizer, ShuffleProtocol, randomized_response
from exactdp.proofs.published_bounds import both_clones
from exactdp.proofs.row_files import decides
from exactdp.randomizers import any_randomizer

_USERS: Final = (1, 2, 3)
"""The numbers of users of the instances."""
_ROWS: Final = (
    (2, ((2, 2, 1), (1, 2, 2), (2, 1, 2))),
    (3, ((3, 3, 1, 1), (3, 1, 3, 1), (1, 1, 3, 3))),
    (3, ((3, 2, 1), (1, 2, 3), (2, 2, 2))),
)
"""e^eps0 and the weights of three rows, not all of them at the largest total variation distance."""
_NOT_OPTIMAL: Final = (
    (1000, "1.085", "1.087", "1.097654"),
    (10_000, "1.0233", "1.0238", "1.0274"),
)
"""n and three values of e^eps: for every randomizer with e^eps0 = 2 the second is enough, for one of them the first is
not, and for the pair of stronger clones not even the third."""
_DELTA: Final = Fraction(1, 10**6)
"""Of these instances."""
_BUNDLES: Final = (("a",), ("b",), ("a", "b"), ())
"""What a user may send."""


def _percent_more(enough: str, of_clones: str) -> int:
    """How many percent more eps the clones ask for, at least."""
    low, high = Fraction(enough), Fraction(of_clones) ** 100
    return max(k for k in range(100) if low ** (100 + k) <= high)


NUMBERS: Final = {
    "instances": _NOT_OPTIMAL,
    "delta": _DELTA,
    "more": tuple(_percent_more(enough, of_clones) for _, _, enough, of_clones in _NOT_OPTIMAL),
}


def _tables() -> Iterator[tuple[Fraction, Randomizer]]:
    for ratio, rows in _ROWS:
        sent = _BUNDLES[: len(rows[0])]
        laws = {x: {m: Fraction(w, sum(row)) for m, w in zip(sent, row, strict=True)} for x, row in enumerate(rows)}
        yield Fraction(ratio), Randomizer(laws)


def _levels(ratio: Fraction) -> tuple[Fraction, ...]:
    """Values of e^eps from 1 to close to e^eps0."""
    return Fraction(1), (ratio + 3) / 4, ratio - (ratio - 1) / 10


def _instances(bound: int) -> Iterator[Claim]:
    for ratio, table in _tables():
        for n in _USERS:
            for order in _levels(ratio):
                delta = both_clones(n, ratio, order)[bound]
                yield Claim.shuffle_dp(ShuffleProtocol(table, n), exp_eps=order, delta=delta)


@decides("clones-every-randomizer")
def _clones() -> Iterator[Claim]:
    yield from _instances(0)


@decides("stronger-clones-every-randomizer")
def _stronger_clones() -> Iterator[Claim]:
    yield from _instances(1)


@decides("variation-ratio-repaired")
def _repaired() -> Iterator[Claim]:
    for k, ratio in ((3, Fraction(2)), (4, Fraction(4))):
        response = randomized_response(k, gamma=Fraction(k) / (ratio + k - 1))
        for n in _USERS:
            for order in _levels(ratio):
                delta = mean_excess(n, response_values(k, ratio, order))
                yield Claim.shuffle_dp(ShuffleProtocol(response, n), exp_eps=order, delta=delta)


Values = Sequence[tuple[Fraction, Fraction]]
"""Pairs of a probability and a value; what is missing to 1 has the value 0."""


def clone_values(ratio: Fraction, share: Fraction, exp_eps: Fraction) -> Values:
    """Return L of a pair of clones with c = 2 share.

    >>> mean_excess(2, clone_values(Fraction(3), Fraction(1, 4), Fraction(2)))
    Fraction(3, 16)
    """
    unit = (ratio + 1) * share
    return (share, (ratio - exp_eps) / unit), (share, (1 - exp_eps * ratio) / unit)


def response_values(k: int, ratio: Fraction, exp_eps: Fraction) -> Values:
    """Return L of the labels of k-ary randomized response."""
    w = 1 / (ratio + k - 1)
    return (w, ratio - exp_eps), (w, 1 - exp_eps * ratio), ((k - 2) * w, 1 - exp_eps)


def mean_excess(n: int, values: Values) -> Fraction:
    """Return (1/n) E[max(0, L_1 + ... + L_n)], by listing the sums."""
    atoms = (*values, (1 - sum(w for w, _ in values), Fraction(0)))
    law = {Fraction(0): Fraction(1)}
    for _ in range(n):
        longer: dict[Fraction, Fraction] = {}
        for total, chance in law.items():
            for weight, value in atoms:
                longer[total + value] = longer.get(total + value, Fraction(0)) + chance * weight
        law = longer
    return sum((chance * max(Fraction(0), total) for total, chance in law.items()), Fraction(0)) / n


def clones(n: int, ratio: Fraction) -> ShuffleProtocol:
    """Return the pair of 2 as two classes of users: one who differs, and n - 1 who hold nothing that tells."""
    near, share = ratio / (ratio + 1), 1 / (ratio + 1)
    alone = Randomizer({"x": {("0",): near, ("1",): share}, "y": {("0",): share, ("1",): near}})
    clone = {("0",): share, ("1",): share, ("2",): 1 - 2 * share}
    return ShuffleProtocol(((alone, 1), (Randomizer({"x": clone, "y": clone}), n - 1)))


@decides("stronger-clones-not-optimal")
def _not_optimal() -> Iterator[Claim]:
    ratio = Fraction(2)
    for n, not_enough, enough, _ in _NOT_OPTIMAL:
        every = ShuffleProtocol(any_randomizer(exp_eps0=ratio), n)
        yield Claim.negation(Claim.shuffle_dp(every, exp_eps=not_enough, delta=_DELTA))
        yield Claim.shuffle_dp(every, exp_eps=enough, delta=_DELTA)
