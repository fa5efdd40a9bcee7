"""What the symbolic engine says of a formula for delta, as a claim that the checker verifies where it can.

A formula that is the largest of some quotients is delta on a box if these are the least delta of a claim ``for_all``.
It is not delta at a point if the least delta there is another number.
"""

from __future__ import annotations

from collections.abc import Sequence

from exactdp.claims.certificate import Verdict
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.symbolic.formula_answers import Difference
from exactdp.symbolic.rational_functions import RationalFunction
from exactdp.symbolic.symbolic_deltas import EventPolynomials, SymbolicDelta


def is_certified(
    delta: SymbolicDelta | EventPolynomials, functions: Sequence[RationalFunction], found: Difference | None
) -> bool:
    """Whether the checker verifies the answer that the engine has given.

    Args:
        delta: what was compared.
        functions: those of which the formula is the largest; none for a formula of another form.
        found: where the formula is not delta; None for nowhere, which is asked of one parameter only.

    Raises:
        RuntimeError: where a certificate says the contrary.
    """
    randomizer, n, neighbors = delta.randomizer, delta.n, delta.neighbors
    try:
        if found is not None:
            plain, exp_eps = ShuffleProtocol(randomizer.at(**found.point), n), delta.exp_eps.at(**found.point)
            claim = Claim.shuffle_dp(plain, exp_eps=exp_eps, delta=found.truth, neighbors=neighbors, least="delta")
        elif functions and len(randomizer.parameters) == 1:
            box = dict(zip(randomizer.parameters, randomizer.box, strict=True))
            protocol, listed = ShuffleProtocol(randomizer, n), list(functions)
            claim = Claim.for_all(
                box,
                Claim.shuffle_dp(protocol, exp_eps=delta.exp_eps, delta=listed, neighbors=neighbors, least="delta"),
            )
        else:
            return False
        certificate = certify(claim)
    except (InvalidValueError, TooLargeError):  # beyond what claims or the checker take
        return False
    if certificate.verdict is Verdict.REFUTED:
        raise RuntimeError(f"the certificate contradicts the formula's answer: {certificate.reason} This is a defect.")
    return certificate.verdict is Verdict.PROVED and certificate.level == "certificate"
