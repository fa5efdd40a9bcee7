"""One message per user and pure DP: the shuffler adds nothing.

Theorem. If every user sends exactly one message, then for every n the least eps for which the shuffled view is eps-DP
is the least eps for which the randomizer itself is.

Proof. *At most:* the view of n users is a randomized function of one user's message, so it is eps-DP where that is
(adding a user is post-processing, from n = 1). *At least:* suppose p = P[R(x) in T] > E q with q = P[R(x') in T] and
E = e^eps. Let n - 1 bystanders hold x and put t = p^(n-1) > 0. The event "all n messages lie in T" does not depend on
their order; it has probability p t if the last user holds x and q t if he holds x'. So its probabilities differ by more
than the factor E: p t - E q t = t (p - E q) > 0, which the checker expands. The event is a product of the users', so
nothing about the messages is used, and the note's product P[R(x') in T]^n is not what X' gives.

Simulation. In the local model the aggregator receives every user's report. One that shuffles all their messages itself
and then runs the shuffled protocol's analyzer has an output with the law of that protocol's, on every data set: where
the line between users and aggregator is drawn does not matter. With one message per user and delta = 0 the randomizer
is as private as the shuffled protocol, so this local protocol is equivalent to it. For the simulation alone the number
of messages does not matter; what fails with several is that the randomizer is private.

Pre-shuffling. A user may put his own messages into a random order first: behind the shuffler nothing changes, because
a value that does not depend on the order of all messages does not depend on the order of his among them.

With two messages the theorem fails: the complement protocol (proofs/complement.py) is (0, 0)-DP when shuffled, and its
randomizer is not eps-DP for any finite eps.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Final

from exactdp.certificates.claim import Claim, Condition
from exactdp.certificates.encoding import MessageSum
from exactdp.models.randomizer import Randomizer
from exactdp.proofs.ledger import AsPrinted, ProofRow
from exactdp.protocol import ShuffleProtocol
from exactdp.protocols.complement_protocol import complement, complement_randomizer
from exactdp.protocols.gap_protocol import gap_randomizer
from exactdp.randomizers.k_ary_family import KAryResponse

__all__ = ["ROWS"]

_TOPIC: Final = "single message"
_SOURCE: Final = "BalcerCheu2020, Theorem 4.1"
_SECTION: Final = "BalcerCheu2020, section 4; proof: this package, proofs/single_message.py"


def _event_of_all() -> Claim:
    """Variables p, q, t and e for E: from t > 0 and p - E q > 0 it follows that p t - E q t > 0."""
    positive = Condition({(0, 0, 1, 0): 1}, strict=True)
    not_private = Condition({(1, 0, 0, 0): 1, (0, 1, 0, 1): -1}, strict=True)
    conclusion = Condition({(1, 0, 1, 0): 1, (0, 1, 1, 1): -1}, strict=True)
    return Claim.inequality(["p", "q", "t", "e"], hypotheses=[positive, not_private], conclusion=conclusion)


def _instances() -> Claim:
    tables = [KAryResponse(k, gamma="1/2").table() for k in (2, 4)]
    rows = [(a, b, 5 - a - b) for a in range(1, 4) for b in range(1, 5 - a)]
    for pair in combinations(rows, 2):
        tables.append(Randomizer({x: {(m,): Fraction(w, 5) for m, w in enumerate(row)} for x, row in enumerate(pair)}))
    return Claim.conjunction(*(_shuffled_is_local(table) for table in tables))


def _shuffled_is_local(table: Randomizer) -> Claim:
    """The least pure eps of the shuffled view is the local one, for all n."""
    return Claim.shuffle_dp(
        ShuffleProtocol(table, 1), eps=table.local_epsilon(), delta=0, all_n_from=1, least="exp_eps"
    )


def _simulated() -> Claim:
    """The randomizer of a shuffled protocol that is ln 3-DP for all n is ln 3-DP: binary randomized response."""
    table = KAryResponse(2, gamma="1/2").table()
    alone = Claim.shuffle_dp(ShuffleProtocol(table.local(), 1), exp_eps=3, delta=0)
    return Claim.conjunction(Claim.shuffle_dp(ShuffleProtocol(table, 1), exp_eps=3, delta=0, all_n_from=1), alone)


def _two_bits() -> Randomizer:
    return Randomizer({0: {(0, 1): "1/2", (1, 1): "1/2"}, 1: {(1, 0): "1/4", (0, 0): "3/4"}})


def _from_reports() -> Claim:
    """The number of ones of three users who send two bits each, from the shuffled messages and from the reports."""
    table, alone = _two_bits(), _two_bits().local()
    shuffled, local = ShuffleProtocol(table, 3), ShuffleProtocol(alone, 3)
    in_report = {report: sum(report) for report in alone.alphabet}
    return Claim.conjunction(
        *(
            Claim.equal_laws(MessageSum(shuffled, held, {0: 0, 1: 1}), MessageSum(local, held, in_report))
            for held in ({0: 3 - ones, 1: ones} for ones in range(4))
        )
    )


def _preshuffled() -> Claim:
    """The least delta at e^eps = 2 and 3 users, with and without: R^gap, and two bits in an order that tells."""
    claims = []
    for table in (gap_randomizer(), _two_bits()):
        delta = ShuffleProtocol(table, 3).privacy_profile().exact_delta(exp_eps=Fraction(2))
        claims += [
            Claim.shuffle_dp(ShuffleProtocol(each, 3), exp_eps=2, delta=delta, least="delta")
            for each in (table, table.preshuffle())
        ]
    return Claim.conjunction(*claims)


def _two_messages() -> Claim:
    return Claim.conjunction(
        Claim.shuffle_dp(complement(1), exp_eps=1, delta=0, all_n_from=1),
        Claim.never_dp(ShuffleProtocol(complement_randomizer().local(), 1), delta_below=1),
    )


_row: Final = partial(ProofRow, topic=_TOPIC, source=_SOURCE)

ROWS: Final = (
    _row(
        id="single-message-theorem",
        statement="If every user sends one message and the shuffled messages of n users are eps-DP, the randomizer is "
        "eps-DP.",
        domain="every single-message randomizer with finitely many outcomes, all n >= 1, real eps, delta = 0",
        claim=_event_of_all,
        notes=("61", "62", "64", "65"),
        as_printed=AsPrinted.CORRECTED,
        theorems=(
            "single_message.single_message_theorem",
            "single_message.single_message_step",
            "single_message.single_message_event",
        ),
    ),
    _row(
        id="single-message-pure-eps",
        statement="With one message per user the shuffled messages of n users are eps-DP if and only if the "
        "randomizer is: both have the same least pure eps.",
        domain="every single-message randomizer with finitely many outcomes, any alphabet, all n >= 1, real eps, "
        "delta = 0",
        claim=_instances,
        theorems=("single_message.single_message_pure_epsilon",),
    ),
    _row(
        id="single-message-simulation",
        statement="A single-message shuffled protocol that is eps-DP equals a local protocol: its randomizer is "
        "eps-DP, and the aggregator that shuffles the users' reports and runs the analyzer has an output of the same "
        "law.",
        domain="every single-message randomizer and every analyzer with finitely many outcomes, any alphabet, all n "
        ">= 1, real eps, delta = 0, every data set",
        source=_SECTION,
        claim=_simulated,
        notes=("68",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("local_simulation.equivalent_local_protocol",),
    ),
    _row(
        id="any-messages-simulation",
        statement="With several messages per user too, the aggregator that shuffles all messages of the users' "
        "reports and runs the analyzer has an output with the law of the shuffled protocol's.",
        domain="every randomizer and every analyzer with finitely many outcomes, every data set",
        source=_SECTION,
        claim=_from_reports,
        notes=("68",),
        as_printed=AsPrinted.CORRECTED,
        theorems=("local_simulation.local_simulation",),
    ),
    _row(
        id="preshuffle-view",
        statement="A randomizer may shuffle its own messages first: the shuffled messages of all users have the same "
        "law, and so has the output of every analyzer; and the protocol is (eps, delta)-DP if and only if it is so "
        "without.",
        domain="every randomizer and every analyzer with finitely many outcomes, every data set, all n, real eps and "
        "delta",
        source=_SECTION,
        claim=_preshuffled,
        theorems=("preshuffle.preshuffle_view", "preshuffle.preshuffle_shuffle_dp"),
    ),
    _row(
        id="two-messages-break-it",
        statement="With two messages a randomizer that is not eps-DP for any finite eps can give a shuffled protocol "
        "that is eps-DP for every eps >= 0.",
        domain="all n",
        claim=_two_messages,
        notes=("67",),
        as_printed=AsPrinted.TRUE,
        theorems=("complement.complement_shuffle_dp", "complement.complement_local"),
    ),
)
