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

Error. So a shuffled protocol for a sum of n bits with one message per user and delta = 0 errs as a local one does, by
4 of proofs/local_model.py: in the order of sqrt(n). An error that does not grow with n needs delta > 0 or other
numbers of messages, and has both in Ghazi, Kumar, Manurangsi, Pagh and Sinha 2021.

With two messages the theorem fails: the complement protocol (proofs/complement.py) is (0, 0)-DP when shuffled, and its
randomizer is not eps-DP for any finite eps.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from exactdp import Claim, Randomizer, ShuffleProtocol
from exactdp.claims.claim import Condition
from exactdp.claims.encoding import MessageSum
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.proofs.local_model import rarely_near
from exactdp.proofs.row_files import decides
from exactdp.protocols import complement, complement_randomizer, gap_randomizer


@decides("single-message-theorem")
def _event_of_all() -> Claim:
    """Variables p, q, t and e for E: from t > 0 and p - E q > 0 it follows that p t - E q t > 0."""
    positive = Condition({(0, 0, 1, 0): 1}, strict=True)
    not_private = Condition({(1, 0, 0, 0): 1, (0, 1, 0, 1): -1}, strict=True)
    conclusion = Condition({(1, 0, 1, 0): 1, (0, 1, 1, 1): -1}, strict=True)
    return Claim.inequality(["p", "q", "t", "e"], hypotheses=[positive, not_private], conclusion=conclusion)


@decides("single-message-pure-eps")
def _instances() -> Iterator[Claim]:
    """The least pure eps of the shuffled view is the local one, for all n."""
    tables = [KAryResponse(k, gamma="1/2").table() for k in (2, 4)]
    rows = [(a, b, 5 - a - b) for a in range(1, 4) for b in range(1, 5 - a)]
    for pair in combinations(rows, 2):
        tables.append(Randomizer({x: {(m,): Fraction(w, 5) for m, w in enumerate(row)} for x, row in enumerate(pair)}))
    for table in tables:
        eps = table.local_epsilon()
        yield Claim.shuffle_dp(ShuffleProtocol(table, 1), eps=eps, delta=0, all_n_from=1, least="exp_eps")


@decides("single-message-simulation")
def _simulated() -> Iterator[Claim]:
    """The randomizer of a shuffled protocol that is ln 3-DP for all n is ln 3-DP: binary randomized response."""
    table = KAryResponse(2, gamma="1/2").table()
    yield Claim.shuffle_dp(ShuffleProtocol(table, 1), exp_eps=3, delta=0, all_n_from=1)
    yield Claim.shuffle_dp(ShuffleProtocol(table.local(), 1), exp_eps=3, delta=0)


def _two_bits() -> Randomizer:
    return Randomizer({0: {(0, 1): "1/2", (1, 1): "1/2"}, 1: {(1, 0): "1/4", (0, 0): "3/4"}})


@decides("single-message-error")
def _error() -> Iterator[Claim]:
    """The step from the shuffled messages to the randomizer, and those to the error of a local protocol."""
    yield _event_of_all()
    yield rarely_near()


@decides("any-messages-simulation")
def _from_reports() -> Iterator[Claim]:
    """The number of ones of three users who send two bits each, from the shuffled messages and from the reports."""
    table, alone = _two_bits(), _two_bits().local()
    shuffled, local = ShuffleProtocol(table, 3), ShuffleProtocol(alone, 3)
    in_report = {report: sum(report) for report in alone.alphabet}
    for ones in range(4):
        held = {0: 3 - ones, 1: ones}
        yield Claim.equal_laws(MessageSum(shuffled, held, {0: 0, 1: 1}), MessageSum(local, held, in_report))


@decides("preshuffle-view")
def _preshuffled() -> Iterator[Claim]:
    """The least delta at e^eps = 2 and 3 users, with and without: R^gap, and two bits in an order that tells."""
    for table in (gap_randomizer(), _two_bits()):
        delta = ShuffleProtocol(table, 3).privacy_profile().exact_delta(exp_eps=Fraction(2))
        for randomizer in (table, table.preshuffle()):
            yield Claim.shuffle_dp(ShuffleProtocol(randomizer, 3), exp_eps=2, delta=delta, least="delta")


@decides("two-messages-break-it")
def _two_messages() -> Iterator[Claim]:
    yield Claim.shuffle_dp(complement(1), exp_eps=1, delta=0, all_n_from=1)
    yield Claim.never_dp(ShuffleProtocol(complement_randomizer().local(), 1), delta_below=1)
