"""zsum: binary sums whose noise vanishes when everybody holds 0.

A user with the bit x sends x copies of the one symbol and, with probability 1 - gamma, a dummy copy. The view is the
number of messages: the true sum plus Bin(n, 1 - gamma). The analyzer subtracts the expected dummies per user, and
answers exactly 0 unless there are more messages than users. Privacy comes from the users who send no dummy: n gamma on
average.

Its theorem, :mod:`exactdp.protocols.zsum_and_histogram.zsum_theorem`: for eps and delta in (0, 1] and n >= 100
ln(2/delta) / eps^2, with gamma = 50 ln(2/delta) / (eps^2 n), (eps, delta)-DP under replacement, and an error of order
ln(2/delta) / (eps^2 n).
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.analyzer import Analyzer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational, PrivacyLevel
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.protocol import AdditiveProtocol
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_rounded_gamma


def zsum_randomizer(*, gamma: Exact) -> Randomizer:
    """Return one user of zsum: input x in {0, 1} sends x + z copies of the message 1, with P[z = 1] = 1 - gamma.

    Args:
        gamma: probability of no dummy, exact, in [0, 1].

    Source: BalcerCheu2020, section 3.1.
    """
    silent = as_probability(gamma, name="gamma")
    return Randomizer({x: {(1,) * x: silent, (1,) * (x + 1): 1 - silent} for x in (0, 1)})


def zsum(n: int, *, gamma: Exact) -> AdditiveProtocol:
    """Return zsum of n users: the view is the number of messages, the estimate is the mean of the bits.

    Args:
        n: number of users, at least 1.
        gamma: probability that a user sends no dummy, exact, in [0, 1]; kept exactly.

    >>> protocol = zsum(10, gamma="1/4")
    >>> protocol.estimate(7), protocol.estimate(12), protocol.privacy_profile().delta(exp_eps=2)
    (Fraction(0, 1), Fraction(9, 20), Fraction(137781, 1048576))

    Source: BalcerCheu2020, section 3.1.
    """
    users = as_integer(n, name="n", at_least=1)
    dummy = 1 - as_probability(gamma, name="gamma")
    analyzer = Analyzer({0: Fraction(1, users)}, offset=-dummy, zero_unless_above=1)
    return AdditiveProtocol(Binomial(users, dummy), n=users, analyzer=analyzer)


def zsum_from_theorem(n: int, *, eps: Exact | LogRational, delta: Exact) -> AdditiveProtocol:
    """Return zsum with the theorem's gamma = 50 ln(2/delta) / (eps^2 n), rounded up to a multiple of 2^-53.

    Rounding up keeps (eps, delta)-DP under replacement, and makes a sampler's float and a certificate's fraction one.

    Args:
        n: number of users who follow the protocol, at least 100 ln(2/delta) / eps^2.
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1], exact.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> protocol = zsum_from_theorem(10**6, eps=1, delta="1e-6")
    >>> 1 - protocol.noise.p, protocol.privacy_profile().delta(eps=1)
    (Fraction(6534118558487, 9007199254740992), Interval[4.794169114e-88, 4.794169115e-88])

    Source: BalcerCheu2020, section 3.1.
    """
    return zsum(n, gamma=zsum_rounded_gamma(n, eps=eps, delta=delta))


def zsum_family(level: PrivacyLevel) -> Family:
    """Return zsum by its gamma."""
    return Family(_by_gamma, "gamma", (0, "1/2"), False)


def _by_gamma(gamma: Fraction, n: int | None) -> AdditiveProtocol:
    assert n is not None
    return zsum(n, gamma=gamma)
