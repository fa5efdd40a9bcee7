"""Certificates that delta never rises as a noise parameter grows: then every larger value of a calibration holds too.

Of a bit that is flipped, and of k-ary response by its gamma, for every n, either relation and every e^eps: the larger
noise is the smaller noise after a channel on every message (:meth:`exactdp.certificates.Claim.monotone`).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final

from exactdp.claims.certificate import Certificate
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

MANY_INPUTS: Final = 16
"""From so many inputs on the table has too many entries to be claimed in a moment."""


@lru_cache(maxsize=MANY_INPUTS)
def gamma_certificate(inputs: int) -> Certificate | None:
    """Return the certificate about k-ary response, for gamma from 0 to 1; None for a table that is too large.

    >>> certificate = gamma_certificate(3)
    >>> certificate.verdict.value, certificate.level
    ('PROVED', 'certificate')
    """
    if inputs >= MANY_INPUTS:
        return None
    other = f"gamma/{inputs}"
    rows = {x: {(y,): f"1 - gamma + {other}" if x == y else other for y in range(inputs)} for x in range(inputs)}
    return certify(Claim.monotone(SymbolicRandomizer(rows, {"gamma": (0, 1)})))


@lru_cache(maxsize=1)
def flip_certificate() -> Certificate:
    """Return the certificate about a bit that is flipped with a probability from 0 to 1/2."""
    rows = {x: {(y,): "1 - flip" if x == y else "flip" for y in range(2)} for x in range(2)}
    return certify(Claim.monotone(SymbolicRandomizer(rows, {"flip": (0, Fraction(1, 2))})))
