"""Which protocols without a table a claim states, and by which numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from exactdp.errors import InvalidValueError
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol
from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold

if TYPE_CHECKING:
    from exactdp.claims.claim import Claim

CountingProtocol: TypeAlias = CorrelatedCounting | AlmostCentralSum | SampleAndThreshold
"""Protocols whose claims are about counts; of a sum of bits in almost one message, and of one symbol."""


def is_stated(protocol: object) -> TypeGuard[ShuffleProtocol | AdditiveProtocol | CountingProtocol]:
    """Whether a claim of (eps, delta)-DP states the protocol."""
    if isinstance(protocol, AlmostCentralSum):
        return protocol.bound == 1
    if isinstance(protocol, SampleAndThreshold):
        return protocol.symbols == 1 and protocol.rate < 1
    if isinstance(protocol, AdditiveProtocol):
        return protocol.bins == 1
    return isinstance(protocol, ShuffleProtocol | CorrelatedCounting)


def claim_about_counts(kind: type[Claim], protocol: CountingProtocol, **asked: Any) -> Claim:
    """Return the claim that the protocol is (eps, delta)-DP for replace-one neighbours, or refuse."""
    if not is_stated(protocol):
        raise InvalidValueError(
            "no claim states sums with a bound above 1, several symbols, or a rate of 1. Ask privacy_profile(), which "
            "encloses."
        )
    if isinstance(protocol, SampleAndThreshold):
        return kind.sample_threshold_dp(rate=protocol.rate, threshold=protocol.threshold, users=protocol.n, **asked)
    if isinstance(protocol, CorrelatedCounting):
        return kind.counting_dp(p1=protocol.p1, noise=(protocol.correlated,), **asked)
    noise = [NegativeBinomial(*shape) for shape in protocol.common]
    return kind.counting_dp(p1=protocol.p, noise=noise, **asked)
