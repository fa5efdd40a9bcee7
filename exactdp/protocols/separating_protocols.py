"""Two randomizers that separate shuffle privacy from local privacy.

*The complement protocol:* a user with the bit x sends the two messages x and 1 - x, in this order. The shuffled view is
n zeros and n ones whatever the data, which is perfectly private; the randomizer itself shows x. It separates shuffle
privacy with several messages from local privacy (proofs/complement.py).

*R^gap:* four bits from each user; input 1 never sends exactly two ones. Input 0 sends a uniform string of {0,1}^4,
input 1 a uniform one of the 10 strings whose weight is not 2. The strings of weight 2 give input 0 away, so no finite
eps makes the randomizer eps-DP, even after its messages are shuffled; yet for n >= 2 users the shuffled view has full
support and a finite eps (proofs/gap.py). The source names the supports only; the uniform weights are this package's
reading.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

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


def gap_randomizer() -> Randomizer:
    """Return R^gap with uniform weights.

    Source: BalcerCheu2020, section 4.

    >>> gap_randomizer().preshuffle().local_epsilon()
    LogRational(None)
    """
    strings = list(product((0, 1), repeat=4))
    unbalanced = [bits for bits in strings if sum(bits) != 2]
    return Randomizer(
        {
            0: {bits: Fraction(1, len(strings)) for bits in strings},
            1: {bits: Fraction(1, len(unbalanced)) for bits in unbalanced},
        }
    )


def gap(n: int) -> ShuffleProtocol:
    """Return the R^gap protocol of n users.

    >>> gap(1).privacy_profile().epsilon(0), gap(2).privacy_profile().epsilon(0)
    (LogRational(None), LogRational('5/2'))
    """
    return ShuffleProtocol(gap_randomizer(), n)
