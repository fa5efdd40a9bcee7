"""About how large a divergence is, in floats: what chooses which pairs are enclosed first, never what decides."""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, inf, log, log1p, pi, sqrt
from typing import Final

from exactdp.kernel.amplification.positive_part import Mixture

__all__ = ["log_divergence", "log_size"]

_FAR: Final = 25.0
"""So many deviations out a normal tail is as its asymptotic series says, and erfc is near 0."""

_MOST_COPIES: Final = 10**100
"""More copies are beyond floats."""


def log_divergence(mixture: Mixture, copies: int, exp_eps: float) -> float:
    """Return about the logarithm of a divergence."""
    charged = sum(max(0.0, _float(p) - exp_eps * _float(q)) for p, q in mixture.charges)
    weights = [_float(a.weight) for a in mixture.atoms]
    values = [_float(a.first / a.weight) - exp_eps * _float(a.second / a.weight) for a in mixture.atoms]
    gains = [weight * value for weight, value in zip(weights, values, strict=True)]
    mean, square = sum(gains), sum(gain * value for gain, value in zip(gains, values, strict=True))
    return log_size(charged, sum(max(0.0, gain) for gain in gains), mean, square - mean * mean, copies)


def log_size(charged: float, gain: float, mean: float, variance: float, copies: int) -> float:
    """Return about ln(charged + U_n(L)), the sum taken as normal, U_n at most ``gain`` = E[max(0, L)]; -inf for 0."""
    size, least = min(_log(gain), _normal(mean, variance, min(copies, _MOST_COPIES))), _log(charged)
    larger, smaller = max(size, least), min(size, least)
    return larger + log1p(exp(smaller - larger)) if smaller > -inf else larger


def _normal(mean: float, variance: float, copies: int) -> float:
    """Return about ln(U_n(L)) for a normal sum."""
    if not variance > 0:
        return _log(mean)
    deviation = sqrt(copies * variance)
    far = -copies * mean / deviation
    if far > _FAR:
        return log(deviation / copies) - far * far / 2 - log(sqrt(2 * pi) * far * far)
    part = exp(-far * far / 2) / sqrt(2 * pi) - far * erfc(far / sqrt(2)) / 2
    return log(deviation / copies) + (log(part) if part > 0 else -far * far / 2)


def _log(size: float) -> float:
    return log(size) if size > 0 else -inf


def _float(value: Fraction) -> float:
    """Return about the number, infinite where it is beyond floats."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
