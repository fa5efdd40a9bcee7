"""Which protocols without a table a claim states, and by which numbers."""

from __future__ import annotations

from typing import TypeAlias, TypeGuard

from exactdp.protocols.almost_central.almost_central_protocol import AlmostCentralSum
from exactdp.protocols.counting.correlated_counting_protocol import CorrelatedCounting
from exactdp.protocols.protocol import AdditiveProtocol, ShuffleProtocol
from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold

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
