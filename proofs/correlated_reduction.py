"""Private counting with correlated noise: what both counts give away is what one number gives away.

Statement. U = S + G1 + W and V = G2 + W, with G1 and G2 geometric of ratio p1 and W ~ NB(r, p2), all independent. For
Y = W + G, G geometric of ratio p1^2, and E >= 1, the divergences of (U, V) for S = 0 and S = 1 are at E

    H(Y || Y+1 at E p1) / (1 + p1)    and    (max(0, 1 - E p1) + p1 H(Y+1 || Y at E / p1)) / (1 + p1).

Proof: of exactdp.protocols.counting.correlated_counts, and in Coq. The certificate compares it at one instance with the
law of both counts, listed up to a cut: everything else is one outcome. Merging outcomes lowers divergences, by at most
what is beyond the cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Final

from exactdp import Claim, Randomizer, ShuffleProtocol
from exactdp.proofs.row_files import decides

P1: Final = Fraction(1, 16)
P2: Final = Fraction(1, 8)
CUT: Final = 13
"""Counts up to here are listed: beyond there is less than 10^-11."""
EXP_EPS: Final = Fraction(65, 32)
"""At this e^eps the worst event of Y is {0, 1}, and both orders are nearly as bad."""
MARGIN: Final = Fraction(1, 10**10)
"""Between D and the two ends that are proved."""
NUMBERS: Final = {"p1": P1, "p2": P2, "exp_eps": EXP_EPS, "cut": CUT, "margin": MARGIN}
"""The numbers that the row quotes."""


def both_counts(total: int) -> dict[tuple[int, int], Fraction]:
    """The law of (U, V) up to the cut, for r = 1: a sum over W."""
    law: dict[tuple[int, int], Fraction] = {}
    for u, v in product(range(CUT + 1), repeat=2):
        terms = (P2**w * P1 ** (u - total - w + v - w) for w in range(min(u - total, v) + 1))
        law[u, v] = Fraction((1 - P1) ** 2 * (1 - P2)) * sum(terms, Fraction(0))
    return law


def one_number(exp_eps: Fraction) -> Fraction:
    """D, the larger one of the two divergences by the formula, for r = 1 and Y up to twice the cut."""
    q, last = P1**2, 2 * CUT
    weights = [(1 - P2) * (1 - q) * sum((q**g * P2 ** (t - g) for g in range(t + 1)), Fraction(0)) for t in range(last)]
    pairs = list(zip(weights, [Fraction(0), *weights], strict=False))
    forward = sum((max(Fraction(0), y - exp_eps * P1 * before) for y, before in pairs), Fraction(0))
    backward = sum((max(Fraction(0), before - exp_eps / P1 * y) for y, before in pairs), Fraction(0))
    return max(forward, max(Fraction(0), 1 - exp_eps * P1) + P1 * backward) / (1 + P1)


def clipped() -> Randomizer:
    """The two laws as the messages of one user; what is beyond the cut is one message."""
    rows: dict[int, dict[tuple[str], Fraction]] = {}
    for total in (0, 1):
        law = both_counts(total)
        rows[total] = {(f"{u},{v}",): chance for (u, v), chance in law.items() if chance}
        rows[total][("beyond",)] = 1 - sum(law.values(), Fraction(0))
    return Randomizer(rows)


@decides("correlated-counting-reduction")
def _reduction() -> Iterator[Claim]:
    formula = one_number(EXP_EPS)
    protocol = ShuffleProtocol(clipped(), 1)
    yield Claim.shuffle_dp(protocol, exp_eps=EXP_EPS, delta=formula + MARGIN)
    yield Claim.negation(Claim.shuffle_dp(protocol, exp_eps=EXP_EPS, delta=formula - MARGIN))
