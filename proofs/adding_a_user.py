"""Adding a user never hurts, for a randomizer that does not depend on n.

Lemma. delta(n+1, E) <= delta(n, E) for every n >= 1 and real E.

Proof. The view of n + 1 users is a randomized function of the view of n of them: add an independent user's messages.
Neighbouring data sets of n + 1 users that differ in one user agree in some other one; without him they are neighbours
of n users. A randomized function of two laws does not increase a divergence.

The checker relies on this lemma for "all n >= n0". The certificate here confirms it without it, at e^eps = 3/2 and
n = 1, 2, 3 for every two-row table on 0, 1 or 2 copies of one message with probabilities in thirds: each claim is about
n + 1 users alone and is decided by rebuilding their views.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Final

from exactdp import Claim, Neighbors, Randomizer, ShuffleProtocol
from exactdp.proofs.row_files import decides

_ORDER: Final = Fraction(3, 2)
"""The e^eps at which the instances are compared."""
_USERS: Final = (1, 2, 3)
"""The numbers of users of the instances; each is compared with one more."""


def _tables() -> list[Randomizer]:
    """All pairs of different rows on no message, one message and two, in thirds."""
    rows = [(a, b, 3 - a - b) for a in range(4) for b in range(4 - a)]
    return [
        Randomizer({x: {("m",) * sent: Fraction(w, 3) for sent, w in enumerate(row)} for x, row in enumerate(pair)})
        for pair in combinations(rows, 2)
    ]


@decides("adding-a-user")
def _no_worse() -> Iterator[Claim]:
    for table, n, neighbors in product(_tables(), _USERS, Neighbors):
        before = ShuffleProtocol(table, n).privacy_profile(neighbors=neighbors).exact_delta(exp_eps=_ORDER)
        more = ShuffleProtocol(table, n + 1)
        yield Claim.shuffle_dp(more, exp_eps=_ORDER, delta=before, neighbors=neighbors)
