"""One message per user and pure DP: the shuffler adds nothing.

Theorem. If every user sends exactly one message, then for every n the least eps for which the shuffled view is eps-DP
is the least eps for which the randomizer itself is.

Proof. *At most:* the view of n users is a randomized function of one user's message, so it is eps-DP where that is
(adding a user is post-processing, from n = 1). *At least:* suppose p = P[R(x) in T] > E q with q = P[R(x') in T] and
E = e^eps. Let n - 1 bystanders hold x and put t = p^(n-1) > 0. The event "all n messages lie in T" does not depend on
their order; it has probability p t if the last user holds x and q t if he holds x'. So its probabilities differ by more
than the factor E: p t - E q t = t (p - E q) > 0, which the checker expands. The event is a product of the users', so
nothing about the messages is used, and the note's product P[R(x') in T]^n is not what X' gives.

With two messages the theorem fails: the complement protocol (proofs/complement.py) is (0, 0)-DP when shuffled, and its
randomizer is not eps-DP for any finite eps.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Final

from exactdp.certificates.claim import Claim, Condition
from exactdp.models.randomizer import Randomizer
from exactdp.proofs.ledger import ProofRow
from exactdp.protocol import ShuffleProtocol
from exactdp.protocols.complement_protocol import complement, complement_randomizer
from exactdp.protocols.k_ary_protocol import randomized_response

__all__ = ["ROWS"]

_SOURCE: Final = "BalcerCheu2020, Theorem 4.1"


def _event_of_all() -> Claim:
    """Variables p, q, t and e for E: from t > 0 and p - E q > 0 it follows that p t - E q t > 0."""
    positive = Condition({(0, 0, 1, 0): 1}, strict=True)
    not_private = Condition({(1, 0, 0, 0): 1, (0, 1, 0, 1): -1}, strict=True)
    conclusion = Condition({(1, 0, 1, 0): 1, (0, 1, 1, 1): -1}, strict=True)
    return Claim.inequality(["p", "q", "t", "e"], hypotheses=[positive, not_private], conclusion=conclusion)


def _instances() -> Claim:
    tables = [randomized_response(2, gamma="1/2"), randomized_response(4, gamma="1/2")]
    rows = [(a, b, 5 - a - b) for a in range(1, 4) for b in range(1, 5 - a)]
    for pair in combinations(rows, 2):
        tables.append(Randomizer({x: {(m,): Fraction(w, 5) for m, w in enumerate(row)} for x, row in enumerate(pair)}))
    return Claim.conjunction(
        *(
            Claim.shuffle_dp(
                ShuffleProtocol(table, 1), eps=table.local_epsilon(), delta=0, all_n_from=1, least="exp_eps"
            )
            for table in tables
        )
    )


def _two_messages() -> Claim:
    return Claim.conjunction(
        Claim.shuffle_dp(complement(1), exp_eps=1, delta=0, all_n_from=1),
        Claim.never_dp(ShuffleProtocol(complement_randomizer().local(), 1), delta_below=1),
    )


ROWS: Final = (
    ProofRow(
        "single-message-theorem",
        "single message",
        "From p > E q and t > 0 follows p t > E q t: with p, q the chances of T for two inputs and t = p^(n-1), "
        "the event 'all n messages in T' breaks eps-DP where T does.",
        "all real p, q, t, E: every single-message randomizer, n >= 1",
        _SOURCE,
        _event_of_all,
        notes=("61", "62", "64", "65"),
        as_printed="corrected",
        theorems=(
            "single_message.single_message_theorem",
            "single_message.single_message_step",
            "single_message.single_message_event",
        ),
    ),
    ProofRow(
        "single-message-instances",
        "single message",
        "The least pure eps of the shuffled view is the local eps of the randomizer.",
        "all n >= 1; binary and 4-ary randomized response, and all two-row tables on 3 messages in positive fifths",
        _SOURCE,
        _instances,
        theorems=("single_message.single_message_pure_epsilon",),
    ),
    ProofRow(
        "two-messages-break-it",
        "single message",
        "With two messages a (0, 0)-DP view can come from a randomizer that is not eps-DP for any finite eps.",
        "all n >= 1",
        _SOURCE,
        _two_messages,
        notes=("67", "68"),
        as_printed="corrected",
        theorems=("complement.complement_shuffle_dp", "complement.complement_local"),
    ),
)
