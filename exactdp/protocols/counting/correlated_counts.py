"""Two noisy counts whose noise is correlated: private counting with messages +1 and -1, at any number of users.

The view is the pair U = S + G1 + W, V = G2 + W: S the sum of the bits, G1 and G2 geometric, P[G = g] = (1 - p1) p1^g,
and W ~ NB(r, p2), all independent. It depends on the data set through S alone, and not on n. A replaced bit changes S
by 1, so there is one pair of laws, P_S and P_(S+1), in two orders; and S only moves U, so that all S give the same.

**Theorem.** Let Y = W + G with P[G = g] = (1 - p1^2) p1^(2g). For every E >= 1,

    H_E(P_S || P_(S+1)) = H_c(Y || Y+1) / (1 + p1),                              c = E p1,
    H_E(P_(S+1) || P_S) = ( max(0, 1 - c) + p1 H_d(Y+1 || Y) ) / (1 + p1),       d = E / p1,

where H_c(A || B) is the sum of max(0, A(t) - c B(t)), for c below 1 too; and delta(E) is the larger one.

*Proof.* P_S(u, v) = (1-p1)^2 times the sum over g1 - g2 = u - v - S of p1^(g1+g2) w(v - g2). On the half plane
u - v <= S put k = S - (u-v) and t = u - S, so that g2 = g1 + k and v - g2 = t - g1:

    P_S(u, v) = (1-p1)^2 p1^k sum over g of p1^(2g) w(t-g) = ((1-p1) / (1+p1)) p1^k Y(t),

and, with k+1 and t-1 for k and t, P_(S+1)(u, v) = ((1-p1) / (1+p1)) p1^(k+1) Y(t-1). On the half plane u - v > S put
k = u - v - S - 1; now g1 = g2 + k + 1, v - g2 is as it is, and P_S(u, v) = ((1-p1) / (1+p1)) p1^(k+1) Y(v), with
P_(S+1)(u, v) = ((1-p1) / (1+p1)) p1^k Y(v). So P_S = p1 P_(S+1) there, and p1 <= 1 <= E: nothing for the first order,
and (1 - E p1) P_(S+1), if it is positive, for the second, where P_(S+1) has the mass 1 / (1+p1). Sums over k give the
factor 1 / (1-p1) in every case. QED. (u - v is the sum plus discrete Laplace noise, ln(1/p1)-DP. Beyond E = 1/p1 what
is left is that the view also shows W, shifted or not, blurred by G.)

**The events.** rho(t) = Y(t) / Y(t-1) falls for r >= 1, and for r < 1 it falls and rises again where p1^2 < p2, both
strictly (:mod:`exactdp.protocols.counting.correlated_view`). So {Y(t) > c Y(t-1)} is all t up to one, for r < 1
together with all t from another one on, or everything; and {Y(t-1) > d Y(t)} is the interval that is left, which may be
empty, but for ties. At most four t are not told from a tie; there the summand is the larger one of 0 and what its ball
says.

Source: GhaziKumarManurangsiPagh2020, section 3 (the protocol, while the theorem is this page's).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exactdp.numbers.real import Real
from exactdp.privacy.composition.law_pairs import MAX_ATOMS
from exactdp.privacy.composition.profile_pairs import SourceOfRuns
from exactdp.privacy.engine import Enclosed, Engine, both_orders
from exactdp.protocols.counting.correlated_view import CorrelatedPair, CorrelatedView, last_outcome

_WIDEST_BITS: Final = 256
"""Noise with so many outcomes that those outside have less than 2^-256 of its mass is too wide to be listed."""


@dataclass(frozen=True, slots=True)
class CorrelatedPairs(SourceOfRuns):
    """All neighbouring data sets of bits that are counted with correlated noise; ``users`` is only for showing them."""

    p1: Real
    p2: Real
    r: Real
    users: int

    scope = "all replace-one pairs of data sets, both orders"
    inputs = (0, 1)

    @property
    def subject(self) -> str:
        """What is run, in words."""
        return f"two counts, with geometric noise of ratio {self.p1} each and NB({self.r}, {self.p2}) for both"

    @property
    def view(self) -> CorrelatedView:
        """The two counts of any data set."""
        return CorrelatedView(self.p1, self.p2, self.r)

    def plan(self) -> Engine:
        """Choose the engine."""
        pairs = both_orders((self.users, 0), (self.users - 1, 1))
        method = "reduces the two counts to one count with a sum of noises"
        return Enclosed("correlated counts", method, self.view.enclose_delta, pairs, __name__)

    def run_pairs(self) -> tuple[CorrelatedPair, ...]:
        """Return both orders of the one pair; none where the noise is too wide to be listed."""
        if last_outcome(self.view, _WIDEST_BITS) >= MAX_ATOMS:
            return ()
        return CorrelatedPair(self.view, False), CorrelatedPair(self.view, True)
