"""The losses of two counts with correlated noise, outcome by outcome: what its runs compose.

By :mod:`exactdp.privacy.views.correlated_counts` the likelihood ratio of P_S and P_(S+1) is p1 where U - V > S, and
elsewhere Y(t) / (p1 Y(t-1)) for t = U - S: one outcome, and one for each t >= 0. Beyond a last t these ratios are
between their infimum and the larger one of the last ratio and of their limit: they fall, or fall and rise
(:mod:`exactdp.privacy.views.negative_binomial_sum`).
"""

from __future__ import annotations

from flint import arb

from exactdp.numbers.balls import precision, real_ball
from exactdp.privacy.composition.losses import WORKING_BITS, LossPair
from exactdp.privacy.views.correlated_view import CorrelatedView


def last_outcome(view: CorrelatedView, tail_bits: int) -> int:
    """Return a t >= 1, a power of two, beyond which Y has less than 2^-tail_bits of its mass."""
    last = 1
    with precision(view.noise.lost_bits + 64):
        while not view.noise.sf(last) < arb(2) ** -tail_bits:
            last *= 2
    return last


def correlated_losses(view: CorrelatedView, last: int) -> tuple[LossPair, LossPair]:
    """Return P_S against P_(S+1), and the converse, with the outcomes t up to ``last`` >= 1 listed."""
    with precision(WORKING_BITS + view.noise.lost_bits):
        p1, weights = real_ball(view.p1), view.noise.weights(last)
        first = [weight / (1 + p1) for weight in weights]
        second = [arb(0), *(p1 * weight for weight in first[:-1])]
        atoms = [(p1 / (1 + p1), 1 / (1 + p1), p1.log())]
        atoms += [(p, q, (p / q).log()) for p, q in zip(first[1:], second[1:], strict=True)]
        limit = ((p1 * p1).max(real_ball(view.p2)) / p1).log()
        forward = LossPair(atoms, first[0], [(view.noise.sf(last) / (1 + p1), atoms[-1][2].max(limit))])
        beyond, most = p1 * view.noise.sf(last - 1) / (1 + p1), (p1 / view.noise.least_ratio()).log()
        return forward, LossPair([(q, p, -x) for p, q, x in atoms], arb(0), [(beyond, most)])
