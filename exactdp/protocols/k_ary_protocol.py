"""Randomized response: how many users hold a symbol, and sums of bits.

*k-ary.* The randomizer is that of ``exactdp.randomizers``: alone it is eps0-DP with e^eps0 = 1 + k (1 - gamma) / gamma;
for one message per user and pure DP the shuffler adds nothing (proofs/single_message.py).

*Binary sums.* With probability lambda/n a user sends a fair coin, else his bit. The estimate of the sum from the ones y
is (n / (n - lambda)) (y - lambda/2): unbiased, with an error that does not grow with n for the theorem's lambda. It is
binary randomized response with a blanket of weight lambda/n.

Its theorem, :func:`exactdp.bounds.binary_sum_lambda`: (eps, delta)-DP under replacement.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.k_ary_family import randomized_response
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.privacy.amplification.response_theorem import binary_sum_lambda
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.protocol import ShuffleProtocol

__all__ = ["cheu_binary_sum", "cheu_binary_sum_from_theorem", "k_ary", "randomized_response"]


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


_GRID_BITS: Final = 53
"""gamma is rounded up to a multiple of 2 to minus this, a float, so that the sampler draws what is certified."""


def cheu_binary_sum(n: int, *, lam: Exact) -> ShuffleProtocol:
    """Return the binary-sum protocol of n users, of whom lam toss a coin on average.

    Args:
        n: number of users who follow the protocol, at least 1.
        lam: lambda, the mean number of coins, exact, in [0, n); kept exactly.

    >>> protocol = cheu_binary_sum(100, lam=20)
    >>> protocol.estimate({1: 50}), protocol.estimate({1: 10})
    (Fraction(50, 1), Fraction(0, 1))

    Source: CheuSmithUllmanZeberZhilyaev2019, section 4.
    """
    users, coins = as_integer(n, name="n", at_least=1), as_fraction(lam, name="lam")
    if not 0 <= coins < users:
        raise InvalidValueError(f"lam={short(coins)} is outside [0, n) for n={users}. Pass fewer coins than users.")
    return k_ary(users, 2, gamma=coins / users)


def cheu_binary_sum_from_theorem(n: int, *, eps: Exact | LogRational, delta: Exact) -> ShuffleProtocol:
    """Return the protocol with the theorem's lambda for (eps, delta)-DP, lambda/n rounded up to a multiple of 2^-53.

    More coins are post-processing of fewer, so rounding up keeps the theorem's promise.

    Args:
        n: number of users who follow the protocol.
        eps: in (sqrt(3456) ln(4/delta) / n, 1), a rational number or a LogRational.
        delta: in (0, 1), exact.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> float(cheu_binary_sum_from_theorem(10**6, eps="1/2", delta="1e-6").randomizer.rows[0][1][1])
    0.00194583...

    Source: CheuSmithUllmanZeberZhilyaev2019, Theorem 4.1 (as printed in secondary sources).
    """
    users = as_integer(n, name="n", at_least=1)
    lam = binary_sum_lambda(users, eps=eps, delta=delta, relative_bits=2 * _GRID_BITS).hi
    gamma = Fraction(ceil(lam / users * 2**_GRID_BITS), 2**_GRID_BITS)
    return cheu_binary_sum(users, lam=gamma * users)


RESPONSE_OF_A_BIT: Final = "flip"
"""The parameter by which randomized response of a bit is calibrated."""


def response_family(level: PrivacyLevel) -> Family:
    """Return randomized response of bits by the probability that a bit is sent flipped."""
    return Family(_flipped, RESPONSE_OF_A_BIT, (0, "1/2"), True)


def _flipped(flip: Fraction, n: int | None) -> ShuffleProtocol:
    assert n is not None
    if 2 * flip == 1:  # no information, so no estimate
        return ShuffleProtocol(randomized_response(2, gamma=1), n)
    return k_ary(n, 2, gamma=2 * flip)
