"""k-ary randomized response: tell the truth, or with probability gamma a uniformly random symbol.

gamma is the weight of the uniform blanket: a user's message is uniform on {0, ..., k-1} with probability gamma and the
input otherwise. Alone it is eps0-DP with e^eps0 = 1 + k (1 - gamma) / gamma; for one message per user and pure DP the
shuffler adds nothing (proofs/single_message.py).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.models.analyzer import Analyzer
from exactdp.models.randomizer import Randomizer
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.protocol import ShuffleProtocol

__all__ = ["k_ary", "randomized_response"]

_MAX_SYMBOLS: Final = 1000
"""The table has the square of so many entries."""


def randomized_response(k: int, *, gamma: Exact) -> Randomizer:
    """Return k-ary randomized response: P[y | x] = (1 - gamma) 1[y = x] + gamma / k.

    Args:
        k: number of inputs and of messages, 2 to 1000; both are 0, ..., k-1.
        gamma: weight of the uniform blanket, exact, in [0, 1].

    >>> randomized_response(4, gamma="1/2").local_epsilon()
    LogRational('5')

    Source: Warner1965, section 2 (k = 2); KairouzBonawitzRamage2016, section 3.
    """
    size = as_integer(k, name="k", at_least=2)
    if size > _MAX_SYMBOLS:
        raise TooLargeError(f"k={size} is more than the limit of {_MAX_SYMBOLS} symbols. Use fewer.")
    blanket = as_probability(gamma, name="gamma")
    return Randomizer({x: {(y,): (1 - blanket) * (x == y) + blanket / size for y in range(size)} for x in range(size)})


def k_ary(n: int, k: int, *, gamma: Exact, symbol: int = 1) -> ShuffleProtocol:
    """Return n users with k-ary randomized response and the unbiased estimate of how many of them hold ``symbol``.

    The estimate from c messages equal to ``symbol`` is (c - n gamma / k) / (1 - gamma), for gamma < 1.

    >>> k_ary(10, 2, gamma="1/2").estimate({1: 5})
    Fraction(5, 1)
    """
    randomizer = randomized_response(k, gamma=gamma)
    users = as_integer(n, name="n", at_least=1)
    blanket = as_probability(gamma, name="gamma")
    if blanket == 1:
        raise InvalidValueError("gamma=1 leaves no information about the inputs. Pass gamma below 1.")
    if symbol not in randomizer.inputs:
        raise InvalidValueError(f"symbol={symbol!r} is not one of 0, ..., {k - 1}.")
    keep = 1 - blanket
    offset = -users * blanket / (k * keep)
    return ShuffleProtocol(randomizer, users, analyzer=Analyzer({symbol: Fraction(1) / keep}, offset=offset))
