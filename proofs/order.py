"""Smaller blankets are safe, and a blanket at n0 users bounds every larger number; the checker's lattice is above both.

Statement. Let U(n, c) be the reference bound of proofs/privacy_blanket.py.

1. If c' >= 0 is nowhere above c, U(n, c) <= U(n, c').
2. U(n + 1, c) <= U(n, c).
3. What the checker computes in integers for a pair, whatever the lattice and the tilt, is at least U(n, c).

Proof. 1: a value under c, where c' > 0, is the mean of the value under c' and of 0; where c' = 0 it exceeds 0 by no
more than what is charged for it. 2: n times a sum of n + 1 values is the sum of all sums that leave one of them out,
and max(0, s) is convex. 3: a value between two places of a lattice is the mean of a draw at the two; all weights are
rounded up; and e^(-theta v) max(0, v) <= 1/(e theta) pays for what is cut.

The certificates confirm what follows for the privacy of a table: they sweep all its data sets and all events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations
from typing import Final

from exactdp import Claim
from exactdp.checker.blanket import Lattice, least_values
from exactdp.checker.budget import Work
from exactdp.proofs.privacy_blanket import ZEROS, least, protocol, reference_bound
from exactdp.proofs.row_files import decides

_ORDER: Final = Fraction(3, 2)
_USERS: Final = (1, 2, 3)
NUMBERS: Final = {"users": _USERS}

_PAIRS: Final = tuple(permutations(ZEROS, 2))
_LATTICE: Final = Lattice(64, 16, [])
_BOUND: Final = (Fraction(1, 8), 2**61)
"""A step, and the tilt 1 + 2^61 / 2^64."""


def _largest(n: int, reference: Mapping[tuple[str, ...], Fraction]) -> Fraction:
    return max(reference_bound(n, *pair, _ORDER, dict(reference)) for pair in _PAIRS)


@decides("smaller-blanket")
def _with_less_of_the_blanket() -> Iterator[Claim]:
    blanket = least(ZEROS)
    halved = {sent: weight / 2 for sent, weight in blanket.items()}
    without = [{kept: blanket[kept] for kept in blanket if kept != sent} for sent in blanket]
    for n in _USERS:
        for smaller in (halved, *without):
            yield Claim.shuffle_dp(protocol(ZEROS, n), exp_eps=_ORDER, delta=_largest(n, smaller))


@decides("blanket-of-fewer-users")
def _for_one_user_more() -> Iterator[Claim]:
    for n in _USERS:
        yield Claim.shuffle_dp(protocol(ZEROS, n + 1), exp_eps=_ORDER, delta=_largest(n, least(ZEROS)))


def on_a_lattice(
    classes: list[tuple[Fraction, Fraction, Fraction]], n: int, exp_eps: Fraction, bound: tuple[Fraction, int] = _BOUND
) -> Fraction:
    """Return what the checker compares with delta for a pair with these classes."""
    work = Work()
    charge, values = least_values(classes, exp_eps, work)
    if not values or values[-1][0] <= 0:
        return charge
    return charge + _LATTICE.mean_positive_part(values, n, bound, work)


@decides("blanket-on-a-lattice")
def _in_integers() -> Iterator[Claim]:
    blanket, none = least(ZEROS), Fraction(0)
    for n in _USERS:
        classes = (
            [(p.get(sent, none), q.get(sent, none), blanket.get(sent, none)) for sent in p | q] for p, q in _PAIRS
        )
        delta = max(on_a_lattice(each, n, _ORDER) for each in classes)
        yield Claim.shuffle_dp(protocol(ZEROS, n), exp_eps=_ORDER, delta=min(Fraction(1), delta))
