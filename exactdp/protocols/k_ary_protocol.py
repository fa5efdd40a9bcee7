"""k-ary randomized response with the estimate of how many users hold a symbol.

The randomizer is that of ``exactdp.randomizers``: alone it is eps0-DP with e^eps0 = 1 + k (1 - gamma) / gamma; for one
message per user and pure DP the shuffler adds nothing (proofs/single_message.py).
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.k_ary_family import randomized_response
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.protocols.protocol import ShuffleProtocol

__all__ = ["k_ary", "randomized_response"]


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
