"""Whether the checker confirms what an engine has answered."""

from __future__ import annotations

import exactdp as xdp


def confirm(claim: xdp.Claim) -> bool:
    """Whether the checker proves the claim that an engine's answer makes; it may be too large for it."""
    certificate = xdp.certify(claim)
    if certificate.verdict is xdp.Verdict.REFUTED:
        raise AssertionError(f"an answer is refuted by its own certificate: {certificate.reason}")
    return certificate.level == "certificate"
