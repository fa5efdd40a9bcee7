"""What exact calibration saves against a published constant: each protocol compares itself with its theorem."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from exactdp.laws.registry import family_of
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.protocols.counting.counting_theorem import negative_binomial_savings
from exactdp.protocols.protocol import AdditiveProtocol
from exactdp.protocols.saving import Calibrated, Saving, Savings, factor
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_savings
from exactdp.studies.calibration.calibrated import Calibration

__all__ = ["Saving", "Savings", "factor", "savings"]


def savings(
    calibration: Calibration,
    *,
    eps: Fraction | LogRational,
    delta: Fraction,
    beta: Fraction,
    share: Exact | None = None,
) -> Savings:
    """Return what a calibration saves, for zsum and the counting protocols; for others the calibrated values alone.

    Args:
        calibration: what holds, and what the parameter is.
        eps, delta: what it was asked for.
        beta: probability of an error above alpha.
        share: of a family that splits eps, the share that it was asked for.
    """
    protocol: Any = calibration.protocol
    found = Calibrated(calibration.name, calibration.parameter, eps, delta, beta, share)
    if protocol.is_noisy_count and protocol.bins == 1 and (compared := _COMPARED.get((found.name, _family(protocol)))):
        return compared(protocol, found)
    savings: Savings = protocol.savings(found)
    return savings


def of_parameter(calibration: Calibration, why: str) -> Savings:
    """Return the parameter alone, of what no theorem here is about: they are of one run of one named family."""
    return Savings((Saving(calibration.name, None, calibration.parameter),), f"it is about one run, and {why}.")


_COMPARED: Final[dict[tuple[str, str | None], Callable[[AdditiveProtocol, Calibrated], Savings]]] = {
    ("gamma", "binomial"): zsum_savings,
    ("r", "negative-binomial"): negative_binomial_savings,
}
"""The parameter of a count plus noise that was calibrated, and the family of the noise -> its theorem."""


def _family(protocol: AdditiveProtocol) -> str | None:
    family = family_of(protocol.noise)
    return None if family is None else family.name
