"""Whether the checker confirms what an engine has answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exactdp.certificates.claim import Claim

__all__ = ["confirm"]


def confirm(claim: Claim) -> bool:
    """Whether the checker proves the claim that an engine's answer makes; it may be too large for it."""
    from exactdp.certificates.certificate import Verdict
    from exactdp.certificates.certify import certify

    certificate = certify(claim)
    if certificate.verdict is Verdict.REFUTED:
        raise AssertionError(f"an answer is refuted by its own certificate: {certificate.reason}")
    return certificate.level == "certificate"
