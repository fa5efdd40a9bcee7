"""The complement protocol separates shuffle privacy with two messages from local privacy.

Statement. Let a user with the bit x send the two messages (x, 1-x). For every n the shuffled view is n zeros and n
ones, whatever the data: the protocol is (0, 0)-DP. The randomizer alone shows x: its two output laws have disjoint
supports, so it is not (eps, delta)-DP for any finite eps and any delta < 1. A user who shuffles his own two messages
first has a constant output law, which is (0, 0)-DP.

Proof. The multiset {x, 1-x} does not depend on x, so the two inputs have equal rows, and adding users with equal rows
adds nothing. The tuple (0, 1) has probability 1 under input 0 and 0 under input 1. After the pre-shuffle both inputs
send (0, 1) or (1, 0) with probability 1/2 each.
"""

from __future__ import annotations

from exactdp import Claim, ShuffleProtocol
from exactdp.proofs.row_files import decides
from exactdp.protocols import complement, complement_randomizer


@decides("complement-view")
def _view() -> Claim:
    return Claim.shuffle_dp(complement(1), exp_eps=1, delta=0, all_n_from=1)


@decides("complement-local")
def _local() -> Claim:
    return Claim.never_dp(ShuffleProtocol(complement_randomizer().local(), 1), delta_below=1)


@decides("complement-preshuffle")
def _preshuffle() -> Claim:
    return Claim.shuffle_dp(ShuffleProtocol(complement_randomizer().preshuffle().local(), 1), exp_eps=1, delta=0)
