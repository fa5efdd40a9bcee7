"""What exact calibration saves against a published constant: each protocol compares itself with its theorem."""

from __future__ import annotations

from fractions import Fraction

from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.protocols.savings import Calibrated, Saving, Savings, factor
from exactdp.studies.calibration.calibrated import Calibration
from exactdp.studies.calibration.families import EVEN_SHARE

__all__ = ["Saving", "Savings", "factor", "savings"]


def savings(
    calibration: Calibration,
    *,
    eps: Fraction | LogRational,
    delta: Fraction,
    beta: Fraction,
    share: Exact = EVEN_SHARE,
) -> Savings:
    """Return what a calibration saves, for zsum and the counting protocols; for others the calibrated values alone.

    Args:
        calibration: what holds, and what the parameter is.
        eps, delta: what it was asked for.
        beta: probability of an error above alpha.
        share: of correlated counting, the share of eps that it was asked for.
    """
    name, parameter = calibration.name, calibration.parameter
    return calibration.protocol.savings(Calibrated(name, parameter, eps, delta, beta, share))
