"""The complement protocol: a user with the bit x sends the two messages x and 1 - x, in this order.

The shuffled view is n zeros and n ones whatever the data, which is perfectly private; the randomizer itself shows x.
It separates shuffle privacy with several messages from local privacy (proofs/complement.py).
"""

from __future__ import annotations

from exactdp.mechanisms.randomizer import Randomizer
from exactdp.protocols.protocol import ShuffleProtocol


def complement_randomizer() -> Randomizer:
    """Return the randomizer x -> (x, 1 - x) on bits.

    Source: BalcerCheu2020, section 4.

    >>> complement_randomizer().local_epsilon().is_infinite, complement_randomizer().preshuffle().local_epsilon()
    (True, LogRational('1'))
    """
    return Randomizer({0: {(0, 1): 1}, 1: {(1, 0): 1}})


def complement(n: int) -> ShuffleProtocol:
    """Return the complement protocol of n users.

    >>> complement(3).privacy_profile().delta(exp_eps=1)
    Fraction(0, 1)
    """
    return ShuffleProtocol(complement_randomizer(), n)
